//! Evidence has three values, goes stale, and is never one's own.

use crate::common::*;
use endstate::view::ClosedBy;
use endstate::vocab::command::Command;
use endstate::vocab::event::*;
use serde_json::{Value, json};

/// Claims S1 with this evidence for its first criterion.
fn claimed_with(evidence: Value) -> Story {
    let mut story = Story::planned();
    let effect = story.begin("implementer");
    let commit = story.world.commit(&["src/S1.c"]);
    let mut block = claim("S1", &commit);
    block["claims"][0]["evidence"] = evidence;
    story.end(effect, report(block));
    story
}

#[test]
fn only_typed_evidence_shows_anything() {
    let shows = [
        json!([{"kind": "test", "id": "tests/hello::greets"}]),
        json!([{"kind": "command", "command": "make test", "exit_status": 0}]),
        json!([{"kind": "file", "path": "src/S1.c", "line": 3}]),
        json!([{"kind": "manual", "note": "started it, it said hello"}]),
    ];
    for evidence in shows {
        assert_eq!(claimed_with(evidence).due(), "reviewer");
    }
    let shows_not = [
        (json!([]), "evidence_missing"),
        (json!([{"kind": "test", "id": " "}]), "evidence_missing"),
        (json!([{"kind": "manual", "note": ""}]), "evidence_missing"),
        (json!([{"kind": "file", "path": "src/S1.c", "line": 0}]), "evidence_missing"),
        (json!([{"kind": "file", "path": ".agent/tmp/log.txt", "line": 1}]), "evidence_missing"),
        (json!([{"kind": "file", "path": "./.agent/notes", "line": 1}]), "evidence_missing"),
        (
            json!([{"kind": "command", "command": "make test", "exit_status": 1}]),
            "evidence_contradicts",
        ),
        (
            json!([{"kind": "test", "id": "t"}, {"kind": "command", "command": "x", "exit_status": -1}]),
            "evidence_contradicts",
        ),
    ];
    for (evidence, code) in shows_not {
        let story = claimed_with(evidence);
        assert_eq!((story.problem().as_str(), story.due().as_str()), (code, "implementer"));
    }
    // Prose alone is no evidence at all: the report cannot even be read.
    assert_eq!(claimed_with(json!("I implemented it")).problem(), "wrong_type");
    assert_eq!(claimed_with(json!([{"kind": "word", "of": "honour"}])).problem(), "unknown_value");
}

/// One line seldom shows many things: whoever reads the end is told.
#[test]
fn a_place_that_is_cited_for_several_criteria_is_told_as_shared() {
    let place = |line: u32| json!([{"kind": "file", "path": "src/S1.c", "line": line}]);
    let told = "; src/S1.c:3 is cited for 2 criteria";
    for (lines, shared) in [([3, 3], true), ([3, 4], false)] {
        let mut story = Story::planned();
        let effect = story.begin("implementer");
        let commit = story.world.commit(&["src/S1.c"]);
        let mut block = claim("S1", &commit);
        for (at, line) in lines.into_iter().enumerate() {
            block["claims"][at]["evidence"] = place(line);
        }
        story.end(effect, report(block));
        story.verify("S1");
        story.reconcile("S1", None);
        story.judge_all();
        story.finish();
        story.settle();
        let shown = story.engine.view().end.unwrap().shown;
        let own = shown.iter().filter(|one| one.item == "S1").map(|one| one.by.contains(told));
        assert_eq!(own.collect::<Vec<_>>(), [shared, shared], "{shown:?}");
    }
}

#[test]
fn a_claim_must_be_complete_for_every_criterion_once() {
    type Change = fn(&mut Value);
    let cases: [(Change, &str); 5] = [
        (|block| block["claims"][0]["status"] = json!("partial"), "criterion_missing"),
        (|block| block["claims"][0]["status"] = json!("not_started"), "criterion_missing"),
        (|block| block["claims"][0]["criterion"] = json!("AC-009"), "unknown_criterion"),
        (|block| block["claims"][0]["criterion"] = json!("AC-002"), "duplicate_id"),
        (|block| block["claims"] = json!([]), "criterion_missing"),
    ];
    for (change, code) in cases {
        let mut story = Story::planned();
        let effect = story.begin("implementer");
        let commit = story.world.commit(&["src/S1.c"]);
        let mut block = claim("S1", &commit);
        change(&mut block);
        story.end(effect, report(block));
        assert_eq!((story.problem().as_str(), story.due().as_str()), (code, "implementer"));
    }
}

/// What became of the first criterion after these two findings.
fn verdicts(reviewer: &str, auditor: &str) -> (String, Story) {
    let mut story = Story::committed();
    let head = story.head();
    let said = |mut block: Value, finding: &str| {
        if finding != "holds" {
            block = refuse(block, "look at AC-001");
        }
        match finding {
            "absent" => drop(block["verdicts"].as_array_mut().unwrap().remove(0)),
            word => block["verdicts"][0]["finding"] = json!(word),
        }
        block
    };
    story.run("reviewer", said(review("S1", &head), reviewer));
    story.run("auditor", said(audit("S1", &head), auditor));
    let state = story.state()["slices"][0]["criteria"][0]["state"]["state"].clone();
    (state.as_str().unwrap().to_owned(), story)
}

#[test]
fn both_must_show_it_and_what_is_not_shown_is_only_reopened() {
    let cases = [
        ("holds", "holds", "verified"),
        ("holds", "does_not_hold", "rejected"),
        ("does_not_hold", "holds", "rejected"),
        ("not_shown", "does_not_hold", "rejected"),
        ("holds", "not_shown", "claimed"),
        ("not_shown", "holds", "claimed"),
        ("absent", "holds", "claimed"),
        ("holds", "absent", "claimed"),
        ("absent", "absent", "claimed"),
    ];
    for (reviewer, auditor, expected) in cases {
        let (state, mut story) = verdicts(reviewer, auditor);
        assert_eq!(state, expected, "{reviewer} and {auditor}");
        story.reconcile("S1", None);
        match expected {
            "verified" => assert_eq!(story.due(), "stop-judge"),
            _ => {
                assert_eq!(
                    (story.problem().as_str(), story.due().as_str()),
                    ("not_verified", "regrounder")
                );
                story.reopen_now("S1");
                assert_eq!(story.due(), "implementer");
                let opened = &story.state()["slices"][0]["criteria"][0]["state"]["state"];
                assert_eq!(opened, "open");
            }
        }
    }
}

#[test]
fn a_verdict_with_evidence_against_itself_does_not_hold() {
    let mut story = Story::committed();
    let head = story.head();
    let failed = json!([{"kind": "command", "command": "make test", "exit_status": 2}]);
    let mut block = review("S1", &head);
    block["verdicts"][0]["evidence"] = failed;
    story.run("reviewer", block.clone());
    assert_eq!(story.problem(), "inconsistent_verdict");
    block["verdicts"][0]["method"] = json!(" ");
    story.run("reviewer", block);
    assert_eq!(story.problem(), "missing_field");
}

#[test]
fn nobody_verifies_in_a_session_that_was_named_late() {
    let mut story = Story::planned();
    let effect = story.begin_in("implementer", Some("s-0"));
    let commit = story.world.commit(&["src/S1.c"]);
    story.names(effect, "s-1");
    story.end(effect, report(claim("S1", &commit)));
    let effect = story.begin_in("reviewer", None);
    story.names(effect, "s-1");
    story.end(effect, report(review("S1", &commit)));
    assert_eq!(story.problem(), "own_verdict", "both named it late");
    story.run_in("reviewer", "s-0", review("S1", &commit));
    assert_eq!(story.problem(), "own_verdict", "the one it began in counts as well");
}

#[test]
fn nobody_verifies_in_the_session_that_claimed() {
    let mut story = Story::planned();
    let effect = story.begin_in("implementer", Some("s-1"));
    let commit = story.world.commit(&["src/S1.c"]);
    story.end(effect, report(claim("S1", &commit)));
    story.run_in("reviewer", "s-1", review("S1", &commit));
    assert_eq!(story.problem(), "own_verdict");
    story.run_in("reviewer", "s-2", review("S1", &commit));
    for session in ["s-1", "s-2"] {
        story.run_in("auditor", session, audit("S1", &commit));
        assert_eq!((story.problem().as_str(), story.due().as_str()), ("own_verdict", "auditor"));
    }
    story.run_in("auditor", "s-3", audit("S1", &commit));
    let by = &story.state()["slices"][0]["criteria"][0]["state"];
    assert_eq!(by["claimed_by"]["session"], "s-1");
    assert_eq!(by["verified_by"].as_array().unwrap().len(), 2);
    assert_eq!(by["commit"], json!(commit));
}

/// S1 is closed; S2's commit touches these paths and is closed as well.
fn second(paths: &[&str]) -> Story {
    let mut story = Story::going();
    story.plan(&["S1", "S2"]);
    story.implement("S1");
    story.verify("S1");
    story.reconcile("S1", Some("S2"));
    let effect = story.begin("implementer");
    let commit = story.world.commit(paths);
    story.end(effect, report(claim("S2", &commit)));
    story.verify("S2");
    story.reconcile("S2", None);
    assert_eq!(story.due(), "stop-judge");
    story
}

#[test]
fn evidence_goes_stale_by_the_paths_it_covers() {
    let mut other = second(&["src/S2.c"]);
    assert!(!other.prompt().contains("were verified, but"));
    let head = other.head();
    other.run("stop-judge", judge(&head, true));
    assert_eq!(other.due(), "regrounder");
    let mut same = second(&["src/S1.c"]);
    assert_eq!(same.file("plan.json")["candidate_slices"][0]["status"], "done", "it stays closed");
    let head = same.head();
    for (finding, method) in [("not_shown", "ran it"), ("does_not_hold", "ran it"), ("holds", " ")]
    {
        let mut block = judge(&head, true);
        block["stale_verdicts"] = json!(["AC-001", "AC-002"].map(|criterion| {
            json!({"slice_id": "S1", "criterion": criterion, "finding": finding, "method": method})
        }));
        same.run("stop-judge", block);
        assert_eq!(same.problem(), "inconsistent_verdict");
    }
    assert_eq!(same.topic(), "step_stuck");
    same.choose("retry");
    let mut block = judge(&head, true);
    block["stale_verdicts"] = json!(["AC-001", "AC-002"].map(|criterion| {
        json!({"slice_id": "S1", "criterion": criterion, "finding": "holds", "method": "ran it", "evidence": [{"kind": "test", "id": "tests/all.sh"}]})
    }));
    same.run("stop-judge", block);
    same.finish();
    assert_eq!(same.engine.view().end.unwrap().closed_by, ClosedBy::Verified);
}

#[test]
fn a_judge_does_not_show_again_what_its_session_claimed() {
    let mut story = Story::planned();
    let effect = story.begin_in("implementer", Some("s-1"));
    let commit = story.world.commit(&["src/S1.c"]);
    story.end(effect, report(claim("S1", &commit)));
    story.verify("S1");
    story.reconcile("S1", None);
    story.say(Command::Pause);
    story.world.commit(&["src/S1.c"]);
    story.say(Command::Resume);
    let mut block = judge(&story.head(), true);
    block["stale_verdicts"] = json!(["AC-001", "AC-002"].map(|criterion| {
        json!({"slice_id": "S1", "criterion": criterion, "finding": "holds", "method": "ran it", "evidence": [{"kind": "test", "id": "tests/all.sh"}]})
    }));
    story.run_in("stop-judge", "s-1", block.clone());
    assert_eq!((story.problem().as_str(), story.due().as_str()), ("own_verdict", "stop-judge"));
    story.run_in("stop-judge", "s-2", block);
    assert_eq!(story.due(), "regrounder");
}

#[test]
fn rewritten_history_makes_everything_stale() {
    let mut story = second(&["src/S2.c"]);
    story.say(Command::Pause);
    story.world.commits.remove(0);
    story.world.commits.truncate(1);
    story.world.commit(&["src/rebased.c"]);
    story.say(Command::Resume);
    story.choose("accept");
    let prompt = story.prompt();
    for name in ["slice S1, criterion AC-001", "slice S2, criterion AC-002"] {
        assert!(prompt.contains(name), "{name}");
    }
}

#[test]
fn a_commit_nobody_claimed_makes_what_it_touches_stale() {
    let mut story = Story::closed();
    story.say(Command::Pause);
    story.world.commit(&["src/S1.c"]);
    story.say(Command::Resume);
    assert!(story.prompt().contains("slice S1, criterion AC-001"));
}

#[test]
fn locked_criteria_only_grow_whoever_speaks() {
    let mut story = Story::planned();
    let drift = json!({"slice_id": "S1", "outcome": "plan_drift", "drift_facts": ["it is larger"]});
    story.run("implementer", drift);
    let mut weaker = slice("S1");
    weaker["acceptance_criteria"] = json!(["S1 works mostly", "S1 is tested"]);
    let block = |slice: &Value| {
        json!({
            "plan_basis": "x", "slices": [slice], "remaining_release_blockers": 0,
            "remaining_high_value_gaps": 0,
        })
    };
    story.run("regrounder", block(&weaker));
    assert_eq!(story.problem(), "criterion_dropped");
    let mut more = slice("S1");
    more["acceptance_criteria"] = json!(["S1 works", "S1 is tested", "S1 is documented"]);
    story.run("regrounder", block(&more));
    assert_eq!(story.due(), "implementer", "the slice goes on with one more");
    assert!(story.prompt().contains("AC-003: S1 is documented"));
    // A closed slice takes no new criterion: it is reopened first.
    let mut story = Story::closed();
    let head = story.head();
    story.run("stop-judge", judge(&head, false));
    story.run("regrounder", block(&more));
    assert_eq!(story.problem(), "item_closed");
}

#[test]
fn a_correction_is_given_once_to_the_same_run() {
    let mut story = Story::planned();
    let first = story.begin_in("implementer", Some("s-1"));
    story.end(first, "no header");
    let order = serde_json::to_value(&story.engine.pending()[0].effect.order).unwrap();
    assert_eq!(order["data"]["corrects"], first.to_string());
    let fault = "block_missing";
    assert!(story.prompt().contains(fault) && story.prompt().contains("“no header”"));
    let second = story.begin("implementer");
    story.end(second, "no header either");
    let order = serde_json::to_value(&story.engine.pending()[0].effect.order).unwrap();
    assert_eq!((&order["data"]["corrects"], story.attempts()), (&Value::Null, 1));
    // A run that failed outright has nothing to correct.
    story.fail("implementer", RunOutcome::Failed);
    assert_eq!(story.core("/steps//correction"), Value::Null);
}

#[test]
fn a_correction_does_not_outlive_what_it_is_about() {
    // The reviewer's unreadable report also moved the head: the regrounder goes first, at its own
    // cost, even with no correction left to spend.
    let mut story = Story::limited(&[(endstate::vocab::budget::Counter::Regrounds, 1)]);
    story.plan(&["S1"]);
    story.implement("S1");
    let effect = story.begin("reviewer");
    story.world.commit(&["src/S1.c"]);
    story.end(effect, "looks good");
    assert_eq!(story.core("/reground/reason"), "head_moved");
    assert_eq!(story.topic(), "budget:regrounds");
    story.choose("grant");
    assert_eq!(story.due(), "regrounder");
    assert!(!story.prompt().contains("could not be taken"));
}
