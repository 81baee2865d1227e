//! The implementer: one slice, one commit, one claim per criterion with typed evidence.

use super::*;

pub const TALES: &[Tale] = &[
    tale(
        "claim-accepted-and-review-follows",
        "A commit with a claim for each criterion is taken; the review is next",
        accepted,
    ),
    tale(
        "claim-without-evidence-is-refused",
        "A claim without evidence shows nothing",
        no_evidence,
    ),
    tale(
        "claim-with-failed-command-is-refused",
        "Evidence that speaks against its own claim is caught",
        failed_command,
    ),
    tale("claim-of-one-criterion-is-refused", "Every criterion must be claimed", one_missing),
    tale("claim-of-another-commit-is-refused", "The claimed commit must be the head", other_commit),
    tale(
        "claim-without-commit-is-refused",
        "A slice is not complete unless it is a commit",
        no_commit,
    ),
    tale(
        "claim-that-touches-only-the-state-directory-is-refused",
        "A commit that changes nothing of the product is no slice",
        nothing_touched,
    ),
    tale("claim-over-a-dirty-tree-is-refused", "Everything of the slice must be committed", dirty),
    tale(
        "claim-on-rewritten-history-is-asked-about",
        "A history without the commit that the slice began from is the user's to accept; then the claim counts",
        rewritten,
    ),
    tale(
        "commit-of-a-lost-run-is-no-claim",
        "What a lost run committed is finished and reported by the next one",
        lost_run,
    ),
    tale(
        "plan-drift-goes-to-the-regrounder",
        "An implementer that finds the plan wrong reports facts; the plan is grounded anew",
        drift,
    ),
    tale(
        "plan-drift-without-facts-is-refused",
        "Drift must be shown by at least one fact",
        drift_without_facts,
    ),
    tale(
        "blocked-implementer-asks-the-user",
        "What only the user can settle is asked; the answer is in the next hand-off",
        blocked,
    ),
    tale(
        "report-for-another-mission-is-refused",
        "Another mission's anchor is drift and gets no second chance",
        anchor,
    ),
    tale(
        "unreadable-report-is-corrected-once",
        "An unreadable report is answered once to the same run with its exact fault",
        corrected,
    ),
    tale(
        "unreadable-twice-counts-as-failed",
        "Twice unreadable is a failed run, and the step begins again",
        twice_bad,
    ),
];

fn accepted() -> Story {
    let mut story = Story::planned();
    story.begin("implementer");
    let active = story.file("active-slice.json");
    assert_eq!(active["status"], "in_progress");
    let mut story = Story::planned();
    story.implement("S1");
    assert_eq!((story.rule().as_str(), story.due().as_str()), ("review_commit", "reviewer"));
    assert_eq!(story.file("active-slice.json")["status"], "committed");
    assert_eq!(story.file("state.json")["current_phase"], "post_commit_review");
    let line = &story.world.files[canonical::SLICE_HISTORY];
    let record: Value = serde_json::from_str(line).unwrap();
    assert_eq!(
        (&record["type"], &record["commit_sha"]),
        (&json!("implemented"), &json!(story.head()))
    );
    story
}

/// A claim, changed, that must be refused with a code; the implementer is sent again.
fn refused_claim(change: impl FnOnce(Value) -> Value, code: &str) -> Story {
    let mut story = Story::planned();
    let effect = story.begin("implementer");
    let commit = story.world.commit(&["src/S1.c"]);
    story.end(effect, report(change(claim("S1", &commit))));
    refused(story, code)
}

fn refused(story: Story, code: &str) -> Story {
    assert_eq!(story.problem(), code);
    assert_eq!(story.core("/active/claim"), Value::Null);
    assert_eq!((story.rule().as_str(), story.due().as_str()), ("implement_slice", "implementer"));
    assert_eq!(story.world.files[canonical::SLICE_HISTORY], "");
    story
}

fn no_evidence() -> Story {
    refused_claim(|block| with(block, "/claims/1/evidence", json!([])), "evidence_missing")
}

fn failed_command() -> Story {
    let evidence = json!([{"kind": "command", "command": "make test", "exit_status": 2}]);
    refused_claim(|block| with(block, "/claims/0/evidence", evidence), "evidence_contradicts")
}

fn one_missing() -> Story {
    let first = |mut block: Value| {
        block["claims"].as_array_mut().unwrap().pop();
        block
    };
    refused_claim(first, "criterion_missing")
}

fn other_commit() -> Story {
    let elsewhere = json!("0123456789012345678901234567890123456789");
    refused_claim(|block| with(block, "/commit_sha", elsewhere), "wrong_commit")
}

fn no_commit() -> Story {
    let mut story = Story::planned();
    let effect = story.begin("implementer");
    let head = story.head();
    story.end(effect, report(claim("S1", &head)));
    refused(story, "no_commit")
}

fn nothing_touched() -> Story {
    let mut story = Story::planned();
    let effect = story.begin("implementer");
    let commit = story.world.commit(&[".agent/notes.md"]);
    story.end(effect, report(claim("S1", &commit)));
    refused(story, "nothing_touched")
}

fn dirty() -> Story {
    let mut story = Story::planned();
    let effect = story.begin("implementer");
    let commit = story.world.commit(&["src/S1.c"]);
    story.world.dirty.insert("src/left.c".to_owned(), digest("left"));
    story.end(effect, report(claim("S1", &commit)));
    refused(story, "dirty_tree")
}

fn rewritten() -> Story {
    let mut story = Story::planned();
    let effect = story.begin("implementer");
    story.world.commits.clear();
    let commit = story.world.commit(&["src/S1.c", "src/other.c"]);
    story.end(effect, report(claim("S1", &commit)));
    assert_eq!(story.topic(), "other_head");
    story.choose("accept");
    assert_eq!((story.due(), story.head()), ("reviewer".to_owned(), commit), "{}", story.problem());
    story
}

fn lost_run() -> Story {
    let mut story = Story::planned();
    let effect = story.begin("implementer");
    let commit = story.world.commit(&["src/S1.c"]);
    story.failed(effect, RunOutcome::Lost);
    assert_eq!(story.problem(), "run_lost");
    let mut story = refused(story, "run_lost");
    story.run("implementer", claim("S1", &commit));
    assert_eq!(story.due(), "reviewer");
    story
}

fn drift() -> Story {
    let mut story = Story::planned();
    let block = json!({
        "slice_id": "S1", "outcome": "plan_drift", "drift_facts": ["names come from a file"],
        "affected_slices": ["S1"],
    });
    story.run("implementer", block);
    assert_eq!(story.rule(), "reground_distrusted_state");
    assert_eq!(story.core("/reground/reason"), "plan_drift");
    assert!(story.prompt().contains("names come from a file"));
    assert_eq!(story.file("state.json")["requires_reground"], true);
    let before = with(slice("S0"), "/why_now", json!("S1 needs it"));
    story.run("regrounder", ground(vec![before], Some("S0")));
    assert_eq!(story.file("active-slice.json")["slice_id"], "S0");
    assert_eq!(story.file("plan.json")["candidate_slices"][0]["status"], "planned");
    story
}

fn drift_without_facts() -> Story {
    let mut story = Story::planned();
    story.run(
        "implementer",
        json!({"slice_id": "S1", "outcome": "plan_drift", "drift_facts": [" "]}),
    );
    refused(story, "missing_field")
}

fn blocked() -> Story {
    let mut story = Story::planned();
    let block = json!({"slice_id": "S1", "outcome": "blocked", "blocker": "Which language?"});
    story.run("implementer", block);
    assert_eq!(story.topic(), "role_asks");
    assert_eq!(story.file("state.json")["continuation_policy"], "await_user_input");
    assert_eq!(story.file("state.json")["current_phase"], "awaiting_user");
    story.answer(Answer::Text { text: "Danish".to_owned() });
    assert!(story.prompt().contains("Danish"));
    assert!(
        story.file("active-slice.json")["locked_notes"][0].as_str().unwrap().contains("Danish")
    );
    story
}

fn anchor() -> Story {
    let mut story = Story::planned();
    let effect = story.begin("implementer");
    let commit = story.world.commit(&["src/S1.c"]);
    story.end(effect, report_for("Sell everything.", claim("S1", &commit)));
    assert_eq!(story.core("/steps//correction"), Value::Null);
    refused(story, "anchor_mismatch")
}

fn corrected() -> Story {
    let mut story = Story::planned();
    let first = story.begin("implementer");
    let commit = story.world.commit(&["src/S1.c"]);
    story.end(first, "I implemented it, all tests pass.");
    assert_eq!(story.problem(), "block_missing");
    assert!(
        story.prompt().contains("block_missing") && story.prompt().contains(&first.to_string())
    );
    story.run("implementer", claim("S1", &commit));
    assert_eq!(story.due(), "reviewer");
    assert_eq!(story.core("/counts/refused_reports"), 1);
    assert_eq!(story.core("/counts/failed_runs"), 0);
    story
}

fn twice_bad() -> Story {
    let mut story = Story::planned();
    for text in
        ["nothing", "MISSION ANCHOR: Greet every visitor by name.\nRemaining contract IDs: none\n"]
    {
        let effect = story.begin("implementer");
        story.end(effect, text);
    }
    assert_eq!(story.problem(), "block_missing");
    assert_eq!(story.attempts(), 1);
    assert_eq!(story.core("/steps//correction"), Value::Null);
    assert!(!story.prompt().contains("could not be taken"));
    story
}
