use endstate::plan::vague::*;

#[test]
fn vague_words_are_found_where_they_are_used() {
    assert_eq!(vague("The parser Works Correctly now"), Some((11, "Works Correctly")));
    assert_eq!(vague("Sprint 1 is completed"), Some((9, "is completed")));
    for text in
        ["Replace \"works correctly\" by a test", "`is complete` returns 1", "robustness of 3"]
    {
        assert_eq!(vague(text), None, "{text}");
    }
}

#[test]
fn what_keeps_a_place_says_nothing() {
    for text in [
        "TBD",
        "TODO",
        "tbd later",
        "To be defined",
        "criteria to be defined",
        "...",
        "…",
        "???",
        "see above",
        "See the ticket",
        "same as sprint 1",
        "Same as above",
        "as in sprint 2",
        "TODO: define",
        "TBD — with the team",
        "not yet defined",
        "_TBD_",
    ] {
        assert!(is_vague(text), "{text}");
    }
    for text in [
        "TODO list shows 3 items",
        "see `docs/a.md`",
        "same as `make test`",
        "as JSON",
        "the field is to be set to 3 in all of the rows",
        "like counts of 3 rows",
        "API returns 200",
        "size: ≤ 5 MB",
        "Überall grün",
        "Éxito: página visible",
        "ошибки видны",
    ] {
        assert_eq!(vague(text), None, "{text}");
    }
    let line = "**Exit criteria:** TBD";
    assert_eq!(vague_in(line, "TBD"), Some((19, "TBD")));
}
