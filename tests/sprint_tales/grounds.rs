//! What verdicts rest on: files that others touch later, and files that are not there.

use super::*;

pub const TALES: &[Tale] = &[
    tale("verdict-on-files-of-others", "A verdict lapses with the file it rests on", lapses),
    tale(
        "verdict-on-a-folder",
        "A verdict lapses with what lies above or below what it rests on",
        around,
    ),
    tale("verdict-touched-on-the-way", "What a later run touches is judged again", on_the_way),
    tale("evidence-that-is-not-there", "A file that is not there shows nothing", not_there),
    tale(
        "verdict-without-a-file",
        "A verifier's file that is not there shows nothing",
        verdict_not_there,
    ),
    tale(
        "report-behind-a-look",
        "A report waits for a look that knows what it names",
        behind_a_look,
    ),
];

/// A report that claims one criterion with a place in a file.
fn citing(sprint: &str, id: &str, path: &str) -> Value {
    let mut block = says(sprint, "completed", &[id]);
    block["claims"][0]["evidence"] = json!([{"kind": "file", "path": path, "line": 1}]);
    block
}

/// Two units, the first of which is judged by what its report cites; the second then touches `touched`.
fn cited(path: &str, touched: &str) -> Story {
    let (first, then) = (unit("a", &[], vec![of("1", vec![judged("AC-001")])]), vec![part("1")]);
    let mut story =
        Story::start(&wrap(mission(vec![first, unit("b", &["a"], then)])), World::new());
    story.world.commit(&[&path.replace("//", "/").replace("./", "")]);
    story.go();
    let run = begin(&mut story, "a/1");
    finish(&mut story, run, "a/1", citing("a/1", "AC-001", path));
    verify(&mut story, "a/1", &["AC-001"], &[]);
    assert_eq!(status(&story, "a/1"), "COMPLETED");
    let run = begin(&mut story, "b/1");
    story.world.commit(&["b/part1.rs", touched]);
    story.end(run, report(says("b/1", "completed", &[])));
    story
}

fn lapses() -> Story {
    let mut story = cited("lib/core.rs", "lib/core.rs");
    assert_eq!(status(&story, "a/1"), "VERIFYING");
    assert_eq!(at(&story, "a/1", "/criteria/0/state/state"), "claimed");
    assert!(story.prompt().contains("claimed with: lib/core.rs:1"), "{}", story.prompt());
    verify(&mut story, "a/1", &["AC-001"], &[]);
    done(&story);
    story
}

fn around() -> Story {
    for (path, touched, lapses) in [
        ("lib/core.rs", "lib", true),
        ("lib/core", "lib/core/a.rs", true),
        ("./lib//core.rs", "lib/core.rs", true),
        ("lib/core.rs", "lib/core.rs.txt", false),
        ("lib/core.rs", "lib/other.rs", false),
    ] {
        let story = cited(path, touched);
        assert_eq!(status(&story, "a/1") == "VERIFYING", lapses, "{path} {touched}");
    }
    let mut story = cited("lib/core.rs", "lib");
    verify(&mut story, "a/1", &["AC-001"], &["AC-001"]);
    assert_eq!(status(&story, "a/1"), "DISPATCHED");
    story
}

/// The verifier lets one of two pass; the run that mends the other touches what the first rests on.
fn on_the_way() -> Story {
    let mut story = going(single(vec![judged("AC-001"), judged("AC-002")]));
    let run = begin(&mut story, "a/1");
    let mut block = says("a/1", "completed", &["AC-001", "AC-002"]);
    block["claims"][0]["evidence"] = json!([{"kind": "file", "path": "part1.rs", "line": 1}]);
    finish(&mut story, run, "a/1", block);
    verify(&mut story, "a/1", &["AC-001", "AC-002"], &["AC-002"]);
    assert_eq!(at(&story, "a/1", "/criteria/0/state/state"), "verified");
    let run = begin(&mut story, "a/1");
    // The path is said from the directory of the unit.
    finish(&mut story, run, "a/1", says("a/1", "completed", &["AC-002"]));
    assert_eq!(at(&story, "a/1", "/criteria/0/state/state"), "claimed");
    verify(&mut story, "a/1", &["AC-002"], &[]);
    assert_ne!(status(&story, "a/1"), "COMPLETED", "the first was not judged again");
    story
}

fn not_there() -> Story {
    let mut story = going(single(vec![judged("AC-001")]));
    let run = begin(&mut story, "a/1");
    finish(&mut story, run, "a/1", citing("a/1", "AC-001", "lib/nowhere.rs"));
    assert_eq!(at(&story, "a/1", "/criteria/0/state/state"), "open");
    let prompt = ordered(&story, "a/1").prompt;
    assert!(prompt.contains("got lib/nowhere.rs:1: no such file is there"), "{prompt}");
    let run = begin(&mut story, "a/1");
    finish(&mut story, run, "a/1", citing("a/1", "AC-001", "a/part1.rs"));
    assert_eq!(status(&story, "a/1"), "VERIFYING");
    story
}

fn verdict_not_there() -> Story {
    let mut story = going(single(vec![judged("AC-001")]));
    work(&mut story, "a/1", &["AC-001"]);
    let run = story.begin_item("verifier", "a/1");
    let mut block = verdicts_on("a/1", &["AC-001"], &[]);
    block["verdicts"][0]["evidence"] =
        json!([{"kind": "file", "path": "lib/nowhere.rs", "line": 3}]);
    story.end(run, report(block));
    assert_ne!(status(&story, "a/1"), "COMPLETED");
    assert_eq!(at(&story, "a/1", "/criteria/0/state/state"), "claimed");
    story
}

/// One report comes while the tree is looked at for another: that look could not know what it names.
fn behind_a_look() -> Story {
    let judge = || vec![of("1", vec![judged("AC-001")])];
    let mut story = going(mission(vec![unit("a", &[], judge()), unit("b", &[], judge())]));
    let (a, b) = (begin(&mut story, "a/1"), begin(&mut story, "b/1"));
    story.world.commit(&["a/part1.rs"]);
    story.world.commit(&["b/part1.rs"]);
    let ended = |run, block| {
        let (outcome, problem, usage) = (RunOutcome::Success, None, Usage::default());
        let report = Some(report(block));
        Fact::RunEnded(RunEnded { effect: run, outcome, report, problem, usage })
    };
    story.fact(ended(a, citing("a/1", "AC-001", "a/part1.rs")));
    story.settle_until("observe");
    story.fact(ended(b, citing("b/1", "AC-001", "b/nowhere.rs")));
    story.settle();
    assert_eq!(at(&story, "a/1", "/criteria/0/state/state"), "claimed");
    assert_eq!(at(&story, "b/1", "/criteria/0/state/state"), "open");
    story
}
