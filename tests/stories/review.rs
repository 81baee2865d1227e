//! Reviewer and auditor: separate runs, three-valued verdicts, a tree left as it was.

use super::*;

pub const TALES: &[Tale] = &[
    tale(
        "review-then-audit-then-reconcile",
        "Rules 5 to 7, one at a time in their order; only both together verify",
        in_order,
    ),
    tale(
        "reviewer-in-the-session-of-the-implementer-is-refused",
        "A run of the session that claimed never verifies",
        same_session,
    ),
    tale(
        "auditor-in-the-session-of-the-reviewer-is-refused",
        "Review and audit are two opinions, not one twice",
        same_reviewer,
    ),
    tale(
        "acceptable-over-a-missing-verdict-is-refused",
        "A criterion without a verdict is not shown, and what is not shown is not acceptable",
        missing_verdict,
    ),
    tale(
        "acceptable-over-untrue-documentation-is-refused",
        "Documentation that is not shown to be true keeps a slice from being acceptable",
        untrue_docs,
    ),
    tale(
        "refusal-without-a-finding-is-refused",
        "Not acceptable must say what must be fixed",
        no_finding,
    ),
    tale(
        "review-of-another-commit-is-refused",
        "A verdict speaks of the claimed commit or of nothing",
        other_commit,
    ),
    tale(
        "verdict-on-an-unknown-criterion-is-refused",
        "A verdict names a criterion of the slice",
        unknown_criterion,
    ),
    tale(
        "verdict-on-what-is-not-there-is-refused",
        "What a verdict cites is looked at: a line that is not there, and a command that cannot fail",
        not_there,
    ),
    tale(
        "reviewer-that-touches-the-tree-is-refused",
        "A read-only role that leaves the tree different is refused with the paths",
        touches,
    ),
    tale(
        "reviewer-that-commits-is-refused",
        "However it was made, a commit by a read-only role is seen and refused",
        commits,
    ),
    tale(
        "head-moved-under-the-auditor",
        "A head that left the claimed commit sends the slice back through the regrounder",
        head_moved,
    ),
];

fn in_order() -> Story {
    let mut story = Story::committed();
    assert_eq!(story.rule(), "review_commit");
    let head = story.head();
    story.run("reviewer", review("S1", &head));
    assert_eq!(story.rule(), "audit_commit");
    assert_eq!(story.state()["slices"][0]["criteria"][0]["state"]["state"], "claimed");
    story.run("auditor", audit("S1", &head));
    assert_eq!(story.rule(), "reground_to_reconcile");
    assert_eq!(story.state()["slices"][0]["criteria"][0]["state"]["state"], "verified");
    assert_eq!(story.file("state.json")["last_auditor_verdict"], "acceptable");
    story
}

fn same_session() -> Story {
    let mut story = Story::planned();
    let effect = story.begin_in("implementer", Some("session-1"));
    let commit = story.world.commit(&["src/S1.c"]);
    story.end(effect, report(claim("S1", &commit)));
    story.run_in("reviewer", "session-1", review("S1", &commit));
    refused(story, "own_verdict", "reviewer")
}

fn same_reviewer() -> Story {
    let mut story = Story::committed();
    let head = story.head();
    story.run_in("reviewer", "session-2", review("S1", &head));
    story.run_in("auditor", "session-2", audit("S1", &head));
    refused(story, "own_verdict", "auditor")
}

fn refused(story: Story, code: &str, role: &str) -> Story {
    assert_eq!((story.problem().as_str(), story.due().as_str()), (code, role));
    assert_eq!(story.core("/counts/refused_reports"), 1);
    story
}

fn refused_review(change: impl FnOnce(Value) -> Value, code: &str) -> Story {
    let mut story = Story::committed();
    let head = story.head();
    story.run("reviewer", change(review("S1", &head)));
    assert_eq!(story.core("/active/review"), Value::Null);
    refused(story, code, "reviewer")
}

fn not_there() -> Story {
    let mut story = Story::committed();
    let head = story.head();
    let mut block = review("S1", &head);
    block["verdicts"][0]["evidence"] = json!([{"kind": "file", "path": "src/nowhere.c", "line": 7}, {"kind": "manual", "note": "saw it"}]);
    block["verdicts"][1]["evidence"] =
        json!([{"kind": "command", "command": "make test || true", "exit_status": 0}]);
    story.run("reviewer", block);
    let prompt = story.prompt();
    for fault in ["src/nowhere.c:7: no such file is there", "`make test || true`: its exit status"]
    {
        assert!(prompt.contains(fault), "{prompt}");
    }
    refused(story, "evidence_missing", "reviewer")
}

fn missing_verdict() -> Story {
    let first = |mut block: Value| {
        block["verdicts"].as_array_mut().unwrap().pop();
        block
    };
    refused_review(first, "inconsistent_verdict")
}

fn untrue_docs() -> Story {
    refused_review(|block| with(block, "/docs", json!("not_shown")), "inconsistent_verdict")
}

fn no_finding() -> Story {
    refused_review(|block| with(block, "/acceptable", json!(false)), "inconsistent_verdict")
}

fn other_commit() -> Story {
    refused_review(|block| with(block, "/commit_sha", json!("HEAD")), "wrong_subject")
}

fn unknown_criterion() -> Story {
    refused_review(
        |block| with(block, "/verdicts/1/criterion", json!("AC-009")),
        "unknown_criterion",
    )
}

fn touches() -> Story {
    let mut story = Story::committed();
    let head = story.head();
    let effect = story.begin("reviewer");
    story.world.dirty.insert("src/S1.c".to_owned(), digest("mended"));
    story.end(effect, report(review("S1", &head)));
    assert_eq!(story.problem(), "read_only_touched");
    assert_eq!(story.core("/last_problem/got"), "src/S1.c");
    // What is left behind must be cleaned up before anything else.
    assert_eq!(story.core("/reground/reason"), "dirty_tree");
    assert_eq!(story.file("state.json")["current_phase"], "post_commit_reconcile");
    story
}

fn commits() -> Story {
    let mut story = Story::committed();
    let head = story.head();
    let effect = story.begin("reviewer");
    story.world.commit(&["src/S1.c"]);
    story.end(effect, report(review("S1", &head)));
    assert_eq!(story.problem(), "read_only_touched");
    assert!(story.core("/last_problem/got").as_str().unwrap().contains("src/S1.c"));
    assert_eq!(story.core("/reground/reason"), "head_moved");
    story
}

fn head_moved() -> Story {
    let mut story = Story::committed();
    let head = story.head();
    story.run("reviewer", review("S1", &head));
    story.say(Command::Pause);
    story.world.commit(&["src/other.c"]);
    story.say(Command::Resume);
    assert_eq!(story.core("/reground/reason"), "head_moved");
    story.run("regrounder", reconcile("S1", "accepted", None));
    assert_eq!(story.problem(), "not_verified");
    story.run("regrounder", reconcile("S1", "reopened", None));
    assert_eq!(story.due(), "implementer");
    story
}
