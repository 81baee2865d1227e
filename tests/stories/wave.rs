//! The stop wave: judges at one head, the stop verifier, the final word.

use super::*;

pub const TALES: &[Tale] = &[
    tale(
        "small-mission-to-its-verified-end",
        "One slice, one judge, the verifier, the final re-ground: done",
        to_the_end,
    ),
    tale(
        "two-judges-at-one-head",
        "As many judgements as the profile asks for, each by a run of its own",
        two_judges,
    ),
    tale(
        "judge-of-the-same-session-counts-once",
        "One judge recorded twice is not two",
        same_judge,
    ),
    tale(
        "one-no-ends-the-wave",
        "One can_stop false ends the wave; a new slice must follow",
        one_no,
    ),
    tale(
        "no-without-a-new-slice-is-refused",
        "After a no the regrounder must select new or reopened work",
        no_slice,
    ),
    tale("no-without-a-reason-is-refused", "A judge that says no says why", no_reason),
    tale(
        "yes-over-a-blocker-is-refused",
        "A judge that counts blockers cannot say that the mission may stop",
        yes_over_blocker,
    ),
    tale("new-commit-voids-the-wave", "Judgements of an older head count for nothing", new_commit),
    tale("dirty-tree-voids-the-wave", "A dirty tree in the stop wave voids all judgements", dirty),
    tale(
        "failing-verifier-grounds-anew",
        "A stop verifier that fails sends the mission back to the regrounder",
        verifier_fails,
    ),
    tale(
        "stale-criterion-must-be-shown-again",
        "A later slice touched what an earlier one covers: the judge must show it at the final head",
        stale,
    ),
    tale(
        "final-word-must-be-said",
        "The final re-ground says yes or no; a yes over gaps is refused",
        final_word,
    ),
    tale("final-no-with-a-new-slice", "The final re-ground may still find work", final_no),
];

fn to_the_end() -> Story {
    let mut story = Story::closed();
    assert_eq!((story.rule().as_str(), story.due().as_str()), ("judge_stop", "stop-judge"));
    assert_eq!(story.file("state.json")["current_phase"], "stop_wave");
    story.judge_all();
    assert_eq!((story.rule().as_str(), story.due().as_str()), LAST);
    story.finish();
    assert_eq!(story.engine.continuation(), Continuation::Done);
    assert!(story.engine.pending().is_empty());
    let state = story.file("state.json");
    assert_eq!(
        (&state["project_done"], &state["next_mandatory_role"]),
        (&json!(true), &Value::Null)
    );
    assert_eq!(story.core("/done/waived"), json!([]));
    assert_eq!(story.engine.view().end.unwrap().closed_by, ClosedBy::Verified);
    story
}

const LAST: (&str, &str) = ("verify_and_reground_finally", "regrounder");

/// The small mission with two judges, closed.
fn two() -> Story {
    let mut story = Story::new(completion::Config { required_stop_judges: 2, ..Story::small() });
    story.go();
    story.plan(&["S1"]);
    story.implement("S1");
    story.verify("S1");
    story.reconcile("S1", None);
    story
}

fn two_judges() -> Story {
    let mut story = two();
    let head = story.head();
    assert_eq!(story.file("state.json")["remaining_stop_judges"], 2);
    story.run("stop-judge", judge(&head, true));
    assert_eq!((story.rule().as_str(), story.due().as_str()), ("judge_stop", "stop-judge"));
    assert_eq!(story.file("state.json")["remaining_stop_judges"], 1);
    // The same words from another run are another judgement.
    story.run("stop-judge", judge(&head, true));
    assert_eq!(story.due(), "regrounder");
    story
}

fn same_judge() -> Story {
    let mut story = two();
    let head = story.head();
    story.run_in("stop-judge", "session-7", judge(&head, true));
    story.run_in("stop-judge", "session-7", judge(&head, true));
    assert_eq!((story.problem().as_str(), story.due().as_str()), ("own_verdict", "stop-judge"));
    assert_eq!(story.core("/wave/judgements").as_array().unwrap().len(), 1);
    story
}

fn one_no() -> Story {
    let mut story = two();
    let head = story.head();
    story.run("stop-judge", judge(&head, true));
    story.run("stop-judge", judge(&head, false));
    assert_eq!(story.core("/reground/reason"), "judge_refused");
    assert_eq!(story.core("/wave/judgements"), json!([]));
    assert!(story.prompt().contains("the greeting is not documented"));
    assert_eq!(story.world.files[canonical::JUDGEMENT_HISTORY].lines().count(), 2);
    story.run("regrounder", ground(vec![slice("S2")], Some("S2")));
    assert_eq!(story.due(), "implementer");
    story
}

fn no_slice() -> Story {
    let mut story = Story::closed();
    let head = story.head();
    story.run("stop-judge", judge(&head, false));
    story.run("regrounder", ground(vec![], None));
    assert_eq!(
        (story.problem().as_str(), story.due().as_str()),
        ("nothing_selected", "regrounder")
    );
    story
}

fn refused_judge(block: impl FnOnce(&str) -> Value) -> Story {
    let mut story = Story::closed();
    let head = story.head();
    story.run("stop-judge", block(&head));
    assert_eq!(story.problem(), "inconsistent_verdict");
    assert_eq!(story.due(), "stop-judge");
    assert_eq!(story.world.files[canonical::JUDGEMENT_HISTORY], "");
    story
}

fn no_reason() -> Story {
    refused_judge(|head| with(judge(head, false), "/reasons", json!([])))
}

fn yes_over_blocker() -> Story {
    refused_judge(|head| with(judge(head, true), "/blocker_count", json!(1)))
}

fn new_commit() -> Story {
    let mut story = two();
    let head = story.head();
    story.run("stop-judge", judge(&head, true));
    story.say(Command::Pause);
    story.world.commit(&["docs/late.md"]);
    story.say(Command::Resume);
    assert_eq!(story.core("/wave/judgements"), json!([]));
    assert_eq!((story.rule().as_str(), story.due().as_str()), ("judge_stop", "stop-judge"));
    story.run("stop-judge", judge(&head, true));
    assert_eq!(story.problem(), "wrong_subject", "the old head is not what is judged");
    story
}

fn dirty() -> Story {
    let mut story = two();
    let head = story.head();
    story.run("stop-judge", judge(&head, true));
    story.say(Command::Pause);
    story.world.dirty.insert("src/left.c".to_owned(), digest("left"));
    story.say(Command::Resume);
    assert_eq!(story.core("/wave/judgements"), json!([]));
    assert_eq!(
        (story.rule().as_str(), story.due().as_str()),
        ("reground_distrusted_state", "regrounder")
    );
    // The latest slice is opened again to clean up behind itself.
    let mut block = ground(vec![], Some("S1"));
    block["reopened"] = json!([{"slice_id": "S1", "reason": "it left src/left.c"}]);
    story.run("regrounder", block);
    assert_eq!(story.due(), "implementer");
    story
}

fn verifier_fails() -> Story {
    let mut story = Story::closed();
    story.world.verifier = 2;
    story.judge_all();
    assert_eq!((story.problem().as_str(), story.due().as_str()), ("command_failed", "regrounder"));
    assert_eq!(story.core("/reground/reason"), "verifier_failed");
    assert_eq!(story.core("/wave/judgements"), json!([]));
    story
}

fn stale() -> Story {
    let mut story = Story::going();
    story.plan(&["S1", "S2"]);
    story.implement("S1");
    story.verify("S1");
    story.reconcile("S1", Some("S2"));
    let effect = story.begin("implementer");
    let commit = story.world.commit(&["src/S1.c", "src/S2.c"]);
    story.end(effect, report(claim("S2", &commit)));
    story.verify("S2");
    story.reconcile("S2", None);
    assert!(story.prompt().contains("slice S1, criterion AC-001"));
    assert!(!story.prompt().contains("slice S2, criterion"));
    let head = story.head();
    story.run("stop-judge", judge(&head, true));
    assert_eq!(story.problem(), "inconsistent_verdict");
    let shown = |criterion: &str| json!({"slice_id": "S1", "criterion": criterion, "finding": "holds", "method": "ran it", "evidence": [{"kind": "test", "id": "tests/all.sh"}]});
    let again = json!([shown("AC-001"), shown("AC-002")]);
    story.run("stop-judge", with(judge(&head, true), "/stale_verdicts", again));
    assert_eq!(story.core("/wave/judgements/0/shown"), json!(["S1/AC-001", "S1/AC-002"]));
    story
}

fn final_word() -> Story {
    let mut story = Story::closed();
    story.judge_all();
    story.run("regrounder", ground(vec![], None));
    assert_eq!(story.problem(), "missing_field");
    let gaps = with(ground(vec![], None), "/can_stop", json!(true));
    story.run("regrounder", with(gaps, "/remaining_high_value_gaps", json!(1)));
    assert_eq!(story.problem(), "inconsistent_verdict");
    story.finish();
    assert_eq!(story.engine.continuation(), Continuation::Done);
    story
}

fn final_no() -> Story {
    let mut story = Story::closed();
    story.judge_all();
    story.run("regrounder", with(ground(vec![slice("S2")], Some("S2")), "/can_stop", json!(false)));
    assert_eq!(story.due(), "implementer");
    assert_eq!(story.core("/done"), Value::Null);
    story
}
