use endstate::plan::mention::*;

fn names() -> Names {
    let sprint = |unit: &str, label: &str| Named {
        id: format!("{unit}/{label}"),
        unit: unit.to_owned(),
        label: label.to_owned(),
        name: String::new(),
    };
    let one = ["1", "2", "2a", "3", "A1", "DC-2"].map(|label| sprint("wu1", label));
    let two = ["1", "4"].map(|label| sprint("core-api", label));
    Names::new(
        vec!["sprint".to_owned(), "sortie".to_owned()],
        one.into_iter().chain(two).collect(),
        [("wu1", "WU1: Base"), ("core-api", "Core API")]
            .map(|(id, name)| (id.to_owned(), name.to_owned()))
            .to_vec(),
    )
}

fn ids(text: &str, brief: bool) -> String {
    let names = names();
    let speaker = Speaker { unit: Some("core-api"), sprint: Some(7), brief };
    let found = mentions(text, &names, speaker);
    let ids = found.into_iter().map(|one| one.id.unwrap_or(format!("?{}", one.said)));
    ids.collect::<Vec<_>>().join(" ")
}

#[test]
fn text_says_who_is_waited_for() {
    for (text, expected) in [
        ("Sprint 3 exit criteria satisfied.", "wu1/3"),
        ("Sorties 2–3 complete", "wu1/2 wu1/2a wu1/3"),
        ("Sprints 2-3 are done", "wu1/2 wu1/2a wu1/3"),
        ("Sprint 2, 2a and 3", "wu1/2 wu1/2a wu1/3"),
        ("Sprint 2, Sprint 3, then 12 files", "wu1/2 wu1/3"),
        ("A1 complete, independent of DC-2.", ""),
        ("A1 complete. Independent of DC-2 (and of Sprint 3).", "wu1/A1"),
        ("- `DC-2` `COMPLETED` (uses Sprint 3)", "wu1/DC-2 wu1/3"),
        ("Sprint 1 done", "core-api/1"),
        ("WU1 COMPLETED", "wu1"),
        ("WU1.S2 COMPLETED", "wu1/2"),
        ("Core API (Sprints 3) is COMPLETED", "wu1/3 core-api"),
        ("S3 bucket exists", ""),
        ("S3 complete", "wu1/3"),
        ("previous sprint complete", "core-api/1"),
        ("all previous work units", "wu1"),
        ("Sprint 99 is done", "?99"),
        ("First sprint, no prerequisites", ""),
        ("Can run in parallel with it (Sprints 2-3)", ""),
    ] {
        assert_eq!(ids(text, false), expected, "{text}");
    }
}

#[test]
fn labels_have_their_place() {
    let names = names();
    let text = "Sprints 2–3, independent of Sprint A1 and WU1.S2; sprint\n\n2. no; Sprints 2-3";
    let speaker = Speaker { unit: Some("wu1"), ..Speaker::default() };
    let found = spots(text, &names, speaker);
    let found: Vec<_> =
        found.iter().map(|one| (&text[one.range.clone()], one.id.as_str(), one.opens)).collect();
    let expected = [
        ("2", "wu1/2", true),
        ("3", "wu1/3", false),
        ("A1", "wu1/A1", false),
        ("2", "wu1/2", false),
        ("2", "wu1/2", true),
        ("3", "wu1/3", false),
    ];
    assert_eq!(found, expected);
}

#[test]
fn columns_may_be_brief() {
    for (text, expected) in [
        ("2, 3", "wu1/2 wu1/3"),
        ("S2, S3", "wu1/2 wu1/3"),
        ("WU1, Core API", "wu1 core-api"),
        ("WU-1 through Core API", "wu1"),
        ("none", ""),
        ("Sortie 2 only (modifies it, no dependency on 3)", "wu1/2"),
        ("Sortie 2 (needs `A`), Sortie 3", "wu1/2 wu1/3"),
    ] {
        assert_eq!(ids(text, true), expected, "{text}");
    }
}
