//! What a recognizer says is never lost: of several gaps, beside an anomaly, in other words, and at length.

use super::*;

pub const TALES: &[Tale] = &[
    tale("gaps-of-one", "Several gaps of one must-have are all told", of_one),
    tale("gap-in-other-words", "What was said of a gap before is kept", in_other_words),
    tale("anomaly-again-is-told", "What stood beside an anomaly is told, and not gone", again),
    tale(
        "anomaly-of-the-patrol",
        "What stood beside an anomaly of the patrol is open again",
        of_the_patrol,
    ),
    tale("anomaly-gaps-are-told", "Gaps beside an anomaly are told whatever is closed", as_gaps),
    tale("words-too-long", "What is too long is refused, and what is not is whole", too_long),
];

fn gap(criterion: &str, reason: &str, missing: &[&str]) -> Value {
    json!({"block": "01", "criterion": criterion, "reason": reason, "missing": missing})
}

fn built() -> Story {
    let mut story = going(single());
    build(&mut story, "01");
    story
}

fn has(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "{part}: {text}");
    }
}

fn page(story: &Story) -> String {
    story.world.files[".grid/VERIFICATION.md"].clone()
}

fn of_one() -> Story {
    let mut story = built();
    let mut block = verdict(&story, "GAPS_FOUND", &["01/AC-002"]);
    block["gaps"] = json!([
        gap("AC-002", "it is silent", &["a sound"]),
        gap("AC-002", "it is slow", &["a clock"]),
        gap("AC-002", "it is slow", &["a clock"]),
    ]);
    story.run("recognizer", block);
    let both = "it is silent; missing: a sound; and: it is slow; missing: a clock";
    has(&story.prompt(), &[both]);
    has(&page(&story), &[both]);
    close_by_commit(&mut story, "fix", &["01/AC-002"], &format!("{both}\n"));
    finish(&mut story);
    story
}

/// A gap is planned and closed by a commit; its executor and its recognizer are told `words`.
fn close_by_commit(story: &mut Story, id: &str, closes: &[&str], words: &str) {
    story.run("planner", json!({"plans": [closing(id, closes)]}));
    has(&prompt_of(story, id), &[words]);
    build(story, id);
    has(&story.prompt(), &[words]);
}

fn finish(story: &mut Story) {
    recognize(story, &[]);
    recognize(story, &[]);
    done(story);
}

fn in_other_words() -> Story {
    let mut story = going(grid::Config { max_gap_rounds: 20, ..single() });
    build(&mut story, "01");
    for round in 0..13 {
        let mut block = verdict(&story, "GAPS_FOUND", &["01/AC-002"]);
        block["gaps"] = json!([gap("AC-002", &format!("reason {round}!"), &["sound"])]);
        story.run("recognizer", block);
        let id = format!("fix-{round}");
        story.run("planner", json!({"plans": [closing(&id, &["01/AC-002"])]}));
        build(&mut story, &id);
    }
    has(
        &story.prompt(),
        &[
            "- gap: reason 12!; missing: sound\n",
            "- told before: reason 11!; missing: sound (found out by: ran its test)\n",
            "- told before: reason 2!; missing: sound",
            "- told before: and 2 more before\n",
        ],
    );
    assert!(!story.prompt().contains("reason 1!"), "the oldest are counted");
    has(&page(&story), &["; told before: reason 2!; missing: sound", "and 2 more before"]);
    finish(&mut story);
    story
}

/// A recognizer finds an anomaly, doubts a must-have, and names a gap of another and one of none.
fn critical(story: &mut Story) {
    let mut block = verdict(story, "CRITICAL_ANOMALY", &[]);
    block["verdicts"][1] = row("01", "AC-002", "does_not_hold");
    block["verdicts"][1]["method"] = json!("rang it twice");
    block["anomaly"] = json!("the signing key is public");
    block["gaps"] =
        json!([gap("AC-001", "it greets nobody", &["a name"]), gap("", "the readme lies", &[])]);
    story.run("recognizer", block);
    assert_eq!(story.topic(), "anomaly");
}

/// Everything that was said beside it.
fn tells(prompt: &str) {
    has(
        prompt,
        &[
            "the signing key is public (told at ",
            "beside it: 01/: the readme lies",
            "- gap: rang it twice\n- found out by: rang it twice\n- not enough, or against it: command `test 01 AC-002`\n",
            "- gap: it greets nobody; missing: a name\n",
        ],
    );
}

fn again() -> Story {
    let mut story = built();
    critical(&mut story);
    let view = serde_json::to_string(&story.engine.view()).unwrap();
    has(
        &view,
        &[
            "the signing key is public. Beside it: ",
            "01/AC-002: rang it twice",
            "01/: the readme lies",
        ],
    );
    has(
        &page(&story),
        &[
            "- gap: AC-002: rang it twice (open)",
            "anomalies_told:\n  - \"the signing key is public",
        ],
    );
    story.choose("again");
    tells(&story.prompt());
    recognize(&mut story, &[]);
    assert_eq!((story.problem().as_str(), story.due().as_str()), ("gap_unchanged", "planner"));
    close_by_commit(&mut story, "fix", &["01/AC-001", "01/AC-002"], "rang it twice");
    still_tells(&story.prompt());
    recognize(&mut story, &[]);
    assert!(story.prompt().contains("PATROL"));
    still_tells(&story.prompt());
    recognize(&mut story, &[]);
    done(&story);
    story
}

/// Told again in other words, all of it is told still.
fn still_tells(prompt: &str) {
    has(
        prompt,
        &[
            "the signing key is public (told at ",
            "beside it: 01/: the readme lies",
            "- told before: rang it twice (found out by: rang it twice)",
            "- gap: it greets nobody; missing: a name\n",
        ],
    );
}

fn of_the_patrol() -> Story {
    let mut story = built();
    recognize(&mut story, &[]);
    critical(&mut story);
    story.choose("again");
    assert_eq!(status(&story, "01"), "executed");
    tells(&story.prompt());
    recognize(&mut story, &[]);
    assert_eq!((story.problem().as_str(), story.due().as_str()), ("gap_unchanged", "planner"));
    close_by_commit(&mut story, "fix", &["01/AC-001"], "it greets nobody");
    finish(&mut story);
    story
}

fn as_gaps() -> Story {
    let mut story = built();
    recognize(&mut story, &[]);
    critical(&mut story);
    story.choose("gaps");
    has(&story.prompt(), &["01/AC-002: rang it twice", "01/AC-001: it greets nobody"]);
    story.run("planner", json!({"plans": [closing("fix", &["/anomaly"])]}));
    build(&mut story, "fix");
    tells(&story.prompt());
    has(&page(&story), &["- gap: AC-002: rang it twice (open)", "- gap: AC-001: it greets nobody"]);
    finish(&mut story);
    story
}

fn too_long() -> Story {
    let mut story = built();
    has(
        &story.prompt(),
        &["`reason` and `anomaly` 2000 characters each", "`missing` 20 items of 500"],
    );
    let long = |most: usize, end: &str| format!("{}{end}", "é".repeat(most - end.len()));
    let mut block = verdict(&story, "GAPS_FOUND", &["01/AC-002"]);
    let items: Vec<String> = (10..30).map(|one| long(500, &format!(".{one}"))).collect();
    block["gaps"][0]["reason"] = json!(long(2_000, "END"));
    block["gaps"][0]["missing"] = json!(items);
    block["verdicts"][1]["method"] = json!(long(1_000, "HOW"));
    for (place, value, at) in [
        ("/gaps/0/reason", json!("x".repeat(2_001)), "gaps[0].reason"),
        ("/gaps/0/missing/3", json!("x".repeat(501)), "gaps[0].missing[3]"),
        ("/gaps/0/missing", json!(vec!["x"; 21]), "gaps[0].missing"),
        ("/verdicts/1/method", json!("x".repeat(1_001)), "verdicts[1].method"),
        ("/gaps", json!(vec![block["gaps"][0].clone(); 4]), "gaps"),
    ] {
        let mut story = built();
        let mut bad = block.clone();
        *bad.pointer_mut(place).unwrap() = value;
        story.run("recognizer", bad);
        assert_eq!((story.problem().as_str(), story.due().as_str()), ("too_large", "recognizer"));
        has(&story.prompt(), &[at, "at most "]);
    }
    story.run("recognizer", block);
    story.run("planner", json!({"plans": [closing("fix", &["01/AC-002"])]}));
    let parts: Vec<String> =
        items.into_iter().chain([long(2_000, "END"), long(1_000, "HOW")]).collect();
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    has(&prompt_of(&story, "fix"), &parts);
    build(&mut story, "fix");
    has(&story.prompt(), &parts);
    has(&page(&story), &parts);
    finish(&mut story);
    story
}
