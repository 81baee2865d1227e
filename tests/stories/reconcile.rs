//! Reconciliation: accepted with everything shown, or reopened with what must be fixed.

use super::*;

pub const TALES: &[Tale] = &[
    tale(
        "accepted-and-next-slice-selected",
        "An accepted slice is done with proof, and the next is selected in the same re-ground",
        accepted,
    ),
    tale(
        "reopened-with-findings-for-the-next-handoff",
        "What reviewer and auditor found goes into the next hand-off",
        reopened,
    ),
    tale(
        "accepted-over-a-finding-is-refused",
        "Nothing is accepted while something must be fixed",
        over_finding,
    ),
    tale(
        "accepted-over-an-unshown-criterion-is-refused",
        "A criterion that one of two did not show is not verified",
        unshown,
    ),
    tale(
        "dirty-tree-after-the-audit-is-only-reopened",
        "Over a dirty tree only reopened is taken, and the dirt is named in the hand-off",
        dirty,
    ),
    tale("reconciliation-must-decide", "Rule 7 without a decision is refused", undecided),
    tale(
        "reconciliation-of-another-slice-is-refused",
        "A decision speaks of the committed slice",
        other_slice,
    ),
    tale(
        "closed-slice-is-reopened-by-a-reground",
        "A done slice whose criteria no longer hold is opened again",
        closed_again,
    ),
    tale(
        "proposal-is-the-users-decision",
        "A criterion that should go is a proposal; only the user lets it go",
        proposal,
    ),
    tale(
        "regrounder-asks-the-user",
        "A regrounder's own question takes the kind of answer it names",
        asks,
    ),
    tale(
        "regrounder-reports-a-block",
        "Nothing goes on until the user has mended it and resumes",
        blocks,
    ),
];

fn accepted() -> Story {
    let mut story = Story::going();
    story.plan(&["S1", "S2"]);
    story.implement("S1");
    story.verify("S1");
    story.reconcile("S1", Some("S2"));
    let plan = story.file("plan.json");
    assert_eq!(plan["candidate_slices"][0]["status"], "done");
    let proof = plan["candidate_slices"][0]["evidence"][0].as_str().unwrap();
    assert!(proof.starts_with("AC-001: command `make test` exited 0; verified at"), "{proof}");
    assert_eq!(story.file("active-slice.json")["slice_id"], "S2");
    assert_eq!(story.file("state.json")["latest_verified_slice"], "S1");
    assert_eq!(story.due(), "implementer");
    story
}

fn reopened() -> Story {
    let mut story = Story::committed();
    let head = story.head();
    story.run("reviewer", refuse(review("S1", &head), "hello is misspelt"));
    story.run("auditor", refuse(audit("S1", &head), "no test for empty names"));
    assert_eq!(story.state()["slices"][0]["criteria"][0]["state"]["state"], "rejected");
    story.reopen_now("S1");
    let active = story.file("active-slice.json");
    assert_eq!(
        active["must_fix_findings"],
        json!(["hello is misspelt", "no test for empty names", "mend it"])
    );
    assert_eq!(active["status"], "in_progress");
    assert!(story.prompt().contains("Must be fixed: hello is misspelt"));
    let kinds: Vec<String> = story.history_kinds();
    assert_eq!(kinds, ["implemented", "reviewed", "audited", "reopened"]);
    story
}

fn over_finding() -> Story {
    let mut story = Story::committed();
    let head = story.head();
    story.run("reviewer", refuse(review("S1", &head), "hello is misspelt"));
    story.run("auditor", audit("S1", &head));
    story.reconcile("S1", None);
    assert_eq!((story.problem().as_str(), story.due().as_str()), ("not_verified", "regrounder"));
    story
}

fn unshown() -> Story {
    let mut story = Story::committed();
    let head = story.head();
    let silent = refuse(review("S1", &head), "could not build it");
    story.run("reviewer", with(silent, "/verdicts/0/finding", json!("not_shown")));
    story.run("auditor", audit("S1", &head));
    assert_eq!(story.state()["slices"][0]["criteria"][0]["state"]["state"], "claimed");
    assert_eq!(story.state()["slices"][0]["criteria"][1]["state"]["state"], "verified");
    story.reconcile("S1", None);
    assert_eq!(story.problem(), "not_verified");
    story
}

fn dirty() -> Story {
    let mut story = Story::audited();
    story.world.dirty.insert("src/left.c".to_owned(), digest("left"));
    story.say(Command::Pause);
    story.say(Command::Resume);
    assert_eq!(story.core("/reground/reason"), "dirty_tree");
    story.reconcile("S1", None);
    assert_eq!(story.problem(), "not_verified");
    story.reopen_now("S1");
    let findings = story.file("active-slice.json")["must_fix_findings"].clone();
    assert!(findings.to_string().contains("src/left.c"), "{findings}");
    story
}

fn undecided() -> Story {
    let mut story = Story::audited();
    story.run("regrounder", ground(vec![], None));
    assert_eq!((story.problem().as_str(), story.due().as_str()), ("missing_field", "regrounder"));
    story
}

fn other_slice() -> Story {
    let mut story = Story::audited();
    story.reconcile("S2", None);
    assert_eq!((story.problem().as_str(), story.due().as_str()), ("wrong_subject", "regrounder"));
    story
}

fn closed_again() -> Story {
    let mut story = Story::going();
    story.plan(&["S1", "S2"]);
    story.implement("S1");
    story.verify("S1");
    story.reconcile("S1", None);
    let mut block = ground(vec![], Some("S1"));
    block["reopened"] = json!([{"slice_id": "S1", "reason": "the greeting is gone again"}]);
    story.run("regrounder", block);
    let active = story.file("active-slice.json");
    assert_eq!(active["must_fix_findings"], json!(["the greeting is gone again"]));
    assert_eq!(story.core("/counts/reopened"), 1);
    assert_eq!(story.history_kinds().last().unwrap(), "reopened");
    story
}

fn proposal() -> Story {
    let mut story = Story::going();
    let mut block = ground(vec![slice("S1")], Some("S1"));
    block["proposals"] =
        json!([{"slice_id": "S1", "criterion": "AC-002", "reason": "no test runner"}]);
    story.run("regrounder", block);
    assert_eq!(story.topic(), "proposals");
    assert_eq!(story.state()["slices"][0]["criteria"][1]["state"]["state"], "open");
    story.answer(Answer::Confirmation { yes: true });
    assert_eq!(story.state()["slices"][0]["criteria"][1]["state"]["by"], "user");
    assert_eq!(story.due(), "implementer");
    story
}

fn asks() -> Story {
    let mut story = Story::going();
    let mut block = ground(vec![slice("S1")], None);
    block["question"] = json!({"text": "May I?", "kind": {"type": "confirmation"}});
    story.run("regrounder", block);
    assert_eq!(story.topic(), "role_asks");
    story.answer(Answer::Confirmation { yes: false });
    assert!(story.prompt().contains("The answer: no"));
    story
}

fn blocks() -> Story {
    let mut story = Story::going();
    let mut block = ground(vec![slice("S1")], None);
    block["blocked"] = json!("the disk is gone");
    story.run("regrounder", block);
    assert_eq!(story.engine.continuation(), Continuation::Blocked);
    assert_eq!(story.file("state.json")["current_phase"], "blocked");
    assert_eq!(story.file("state.json")["continuation_policy"], "blocked");
    story.say(Command::Resume);
    assert_eq!(story.due(), "regrounder");
    story
}
