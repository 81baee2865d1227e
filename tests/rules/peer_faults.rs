//! The fifteen faults of the peer, each seen happening there: one test each that ours has none.
//!
//! Here the core is shown to be free of them. Where a real host takes part, the comment names what
//! is left to it; those tests stand beside the native host.
#![allow(clippy::unwrap_used, clippy::panic)]

use crate::common::*;
use endstate::protocols::completion::files::{self as canonical, Mode, StateFile, history, read};
use endstate::vocab::command::{Command, PlanChange};
use endstate::vocab::error::Code;
use endstate::vocab::event::*;
use endstate::vocab::question::Answer;
use endstate::{Continuation, Snapshot, check_report, engine::digest};
use serde_json::{Value, json};

/// Lets the engine look without a run alive.
fn look(story: &mut Story) {
    story.say(Command::Pause);
    story.say(Command::Resume);
}

/// 1. There the dispatch table is prompt text, and an implementer was sent in the stop wave. Here
///    it is code: in every state of a mission only the role of the first rule that applies is due,
///    and a snapshot that holds another is broken.
#[test]
fn fault_01_no_role_is_sent_beside_the_table() {
    let story = Story::closed();
    assert_eq!(story.due(), "stop-judge");
    let mut snapshot = serde_json::to_value(story.engine.snapshot()).unwrap();
    let order = &mut snapshot["head"]["outbox"][0]["effect"]["order"]["data"];
    assert_eq!(order["role"], "completion-stop-judge");
    order["role"] = json!("completion-implementer");
    let error = Snapshot::read(&snapshot.to_string()).unwrap_err();
    assert_eq!(error.code, Code::BrokenDispatch);
}

/// 2. There `git commit` failed silently and the mission was done without a commit, over a dirty
///    tree. Here a claim without a new commit is refused, and so is one over a dirty tree. (The
///    host's own contract commit with a failing hook is a host test.)
#[test]
fn fault_02_no_commit_no_slice() {
    let mut story = Story::planned();
    for _ in 0..2 {
        let effect = story.begin("implementer");
        let head = story.head();
        story.world.dirty.insert("src/S1.c".to_owned(), digest("never committed"));
        story.end(effect, report(claim("S1", &head)));
        assert_eq!(story.problem(), "no_commit");
        assert_eq!(story.due(), "implementer");
    }
    let effect = story.begin("implementer");
    let commit = story.world.commit(&["src/other.c"]);
    story.end(effect, report(claim("S1", &commit)));
    assert_eq!(story.problem(), "dirty_tree");
    assert_eq!(story.core("/active/claim"), Value::Null);
    let mut story = Story::new(Story::small());
    story.fail_effect("commit_files", Code::CommitRefused);
    assert_eq!(story.topic(), "effect_failed");
    assert_eq!(story.engine.continuation(), Continuation::AwaitUserInput);
}

/// 3. There a cut, empty, marked or listed state file read as "no workflow". Here each is named with
///    its code, kept aside, and neither plan nor history is lost.
#[test]
fn fault_03_a_broken_state_file_is_no_fresh_start() {
    for (text, code) in [
        ("{\"schema_version\": 1,", "truncated"),
        ("", "empty"),
        ("\u{feff}{}", "byte_order_mark"),
        ("[]", "not_an_object"),
    ] {
        let mut story = Story::audited();
        let history = story.world.files[canonical::SLICE_HISTORY].clone();
        story.say(Command::Pause);
        story.world.files.insert(canonical::STATE.to_owned(), text.to_owned());
        story.say(Command::Resume);
        assert_eq!(story.problem(), code);
        let kept = format!(".agent/tmp/rejected-{}.json", digest(text));
        assert_eq!(story.world.files[&kept], text);
        assert_eq!(story.world.files[canonical::SLICE_HISTORY], history);
        assert_eq!(story.state()["slices"][0]["slice_id"], "S1");
        assert_eq!(story.due(), "regrounder");
        // The state is distrusted; what was reviewed and audited is still there.
        assert_ne!(story.core("/active/audit"), Value::Null);
    }
}

/// 4. There unknown words, missing fields, wrong types and schema_version 99 passed, and counts fell
///    to 0. Here each is refused with its place.
#[test]
fn fault_04_unknown_words_and_types_are_refused() {
    let text = Story::planned().world.files[canonical::STATE].clone();
    let state: Value = serde_json::from_str(&text).unwrap();
    assert!(read::<StateFile>(&text, Mode::Strict).is_ok());
    let cases = [
        ("current_phase", json!("napping"), Code::UnknownValue),
        ("continuation_policy", json!("maybe"), Code::UnknownValue),
        ("next_mandatory_role", json!("completion-boss"), Code::UnknownValue),
        ("schema_version", json!(99), Code::UnknownFormat),
        ("remaining_stop_judges", json!("three"), Code::WrongType),
        ("remaining_release_blockers", json!(-1), Code::NumberOutOfRange),
        ("project_done", json!("yes"), Code::WrongType),
        ("unsatisfied_contract_ids", json!(7), Code::WrongType),
    ];
    for (field, value, code) in cases {
        let mut broken = state.clone();
        broken[field] = value;
        for mode in [Mode::Strict, Mode::Lenient] {
            let error = read::<StateFile>(&broken.to_string(), mode).unwrap_err();
            assert_eq!((error.code, error.at.as_str()), (code, field));
        }
    }
    for field in state.as_object().unwrap().keys() {
        let mut broken = state.clone();
        broken.as_object_mut().unwrap().remove(field);
        let error = read::<StateFile>(&broken.to_string(), Mode::Lenient).unwrap_err();
        assert_eq!((error.code, error.at.as_str()), (Code::MissingField, field.as_str()));
    }
}

/// 5. There empty criteria, two selected slices, one id twice and two missions passed. Here a report
///    with any of them is refused whole, and a hand edit is kept aside.
#[test]
fn fault_05_contradictory_plans_are_refused() {
    let mut empty = slice("S1");
    empty["acceptance_criteria"] = json!([]);
    for (slices, code) in
        [(vec![empty], "empty_criteria"), (vec![slice("S1"), slice("S1")], "duplicate_id")]
    {
        let mut story = Story::going();
        let block = json!({
            "plan_basis": "x", "slices": slices, "remaining_release_blockers": 0,
            "remaining_high_value_gaps": 0,
        });
        story.run("regrounder", block);
        assert_eq!((story.problem().as_str(), story.state()["slices"].clone()), (code, json!([])));
    }
    type Edit = fn(&mut Value);
    let edits: [(Edit, &str); 4] = [
        (|plan| plan["candidate_slices"][0]["acceptance_criteria"] = json!([]), "empty_criteria"),
        (|plan| plan["candidate_slices"][1]["status"] = json!("selected"), "two_selected"),
        (|plan| plan["candidate_slices"][1]["slice_id"] = json!("S1"), "duplicate_id"),
        (|plan| plan["mission_anchor"] = json!("Another mission."), "anchor_mismatch"),
    ];
    for (edit, code) in edits {
        let mut story = Story::going();
        story.plan(&["S1", "S2"]);
        let before = story.state()["slices"].clone();
        story.say(Command::Pause);
        let mut plan = story.file("plan.json");
        edit(&mut plan);
        story.world.files.insert(canonical::PLAN.to_owned(), plan.to_string());
        story.say(Command::Resume);
        assert_eq!(story.problem(), code);
        assert_eq!(story.state()["slices"], before);
        assert_eq!(story.core("/reground/reason"), "files_distrusted");
    }
}

/// 6. There a phase of done under a policy of continue deleted the state directory. Here a state file
///    that contradicts itself is kept aside and nothing is deleted, ever: no order of ours deletes.
#[test]
fn fault_06_a_contradictory_done_deletes_nothing() {
    let mut story = Story::committed();
    story.say(Command::Pause);
    let mut state = story.file("state.json");
    state["current_phase"] = json!("done");
    story.world.files.insert(canonical::STATE.to_owned(), state.to_string());
    let before: Vec<String> = story.world.files.keys().cloned().collect();
    story.say(Command::Resume);
    assert!(before.iter().all(|path| story.world.files.contains_key(path)));
    assert_eq!(story.problem(), "invalid_value");
    assert_eq!(story.engine.continuation(), Continuation::Continue);
    assert_eq!(story.file("state.json")["project_done"], false);
}

/// 7. There one judge recorded twice met the quorum, and three honest judges with one text counted
///    once. Here runs and sessions count, not texts.
#[test]
fn fault_07_judges_are_counted_by_run_and_session() {
    let closed = || {
        let mut story = Story::started();
        story.plan(&["S1"]);
        story.implement("S1");
        story.verify("S1");
        story.reconcile("S1", None);
        story
    };
    let mut story = closed();
    let head = story.head();
    story.run_in("stop-judge", "one", judge(&head, true));
    story.run_in("stop-judge", "one", judge(&head, true));
    assert_eq!(story.problem(), "own_verdict");
    assert_eq!(story.core("/wave/judgements").as_array().unwrap().len(), 1);
    let mut story = closed();
    for session in ["one", "two", "three"] {
        story.run_in("stop-judge", session, judge(&head, true));
    }
    assert_eq!(story.core("/wave/judgements").as_array().unwrap().len(), 3);
    assert_eq!(story.rule(), "verify_and_reground_finally");
}

/// 8. There a dirty tree passed both verifiers in the stop wave. Here it voids the wave, refuses a
///    judgement, and the end.
#[test]
fn fault_08_a_dirty_tree_ends_the_stop_wave() {
    let mut story = Story::closed();
    story.judge_all();
    assert_eq!(story.due(), "regrounder");
    let effect = story.begin("regrounder");
    story.world.dirty.insert("left.txt".to_owned(), digest("left"));
    let block = json!({
        "plan_basis": "all shown", "can_stop": true, "remaining_release_blockers": 0,
        "remaining_high_value_gaps": 0,
    });
    story.end(effect, report(block));
    assert_eq!(story.core("/done"), Value::Null);
    assert_eq!(story.core("/wave/judgements"), json!([]));
    assert_eq!(story.core("/reground/reason"), "dirty_tree");
}

/// 9. There two hosts wrote over each other and readers saw torn files. The core's part: a write says
///    what it expects to find, and foreign content is looked at and kept aside before it is replaced;
///    an answer counts once. (The lock and the atomic replacement are host tests.)
#[test]
fn fault_09_nothing_is_written_over_unseen() {
    let mut story = Story::planned();
    story.begin("implementer");
    story.say(Command::Pause);
    let text = "add a criterion".to_owned();
    let changes = vec![PlanChange::AddCriterion { item: "S1".to_owned(), text, shown_by: None }];
    story.command(Command::Amend { changes });
    let write = story.settle_until("write_file");
    story.world.files.insert(canonical::PLAN.to_owned(), "{\"theirs\": true}\n".to_owned());
    story.settle();
    let again = story.refused(Fact::EffectPerformed(EffectPerformed {
        effect: write.effect.id,
        outcome: Outcome::Nothing,
    }));
    assert_eq!(again.code, Code::StaleAnswer);
    let kept = format!(".agent/tmp/rejected-{}.json", digest("{\"theirs\": true}\n"));
    assert!(story.world.files.contains_key(&kept) || story.core("/run") != Value::Null);
    let effect = story.engine.snapshot().head.outbox[0].effect.id;
    story.failed(effect, RunOutcome::Lost);
    assert_eq!(story.world.files[&kept], "{\"theirs\": true}\n");
}

/// 10. There a full disk cut one file while others had moved on. The core's part: a failed write is a
///     question, files that lag behind stay due, and a file that is cut is named. (The full disk
///     itself is a host test.)
#[test]
fn fault_10_half_written_state_is_named() {
    let mut story = Story::committed();
    let effect = story.begin("reviewer");
    let head = story.head();
    story.fact(Fact::RunEnded(RunEnded {
        effect,
        outcome: RunOutcome::Success,
        report: Some(report(review("S1", &head))),
        problem: None,
        usage: Default::default(),
    }));
    story.fail_effect("append_history", Code::WriteFailed);
    assert_eq!(story.topic(), "effect_failed");
    assert_eq!(
        story.core("/files/unwritten").as_array().unwrap().len(),
        1,
        "the record still waits"
    );
    story.choose("retry");
    assert_eq!(story.history_kinds(), ["implemented", "reviewed"]);
    let cut = story.world.files[canonical::STATE][..300].to_owned();
    story.say(Command::Pause);
    story.world.files.insert(canonical::STATE.to_owned(), cut);
    story.say(Command::Resume);
    assert_eq!(story.problem(), "truncated");
}

/// 11. There garbage lines in histories were skipped and 225 MB read whole. Here every bad line is a
///     fault with its number, the file is streamed, and the engine never reads it back.
#[test]
fn fault_11_histories_are_streamed_and_every_line_counts() {
    let story = Story::audited();
    let good = &story.world.files[canonical::SLICE_HISTORY];
    let mut reader = history::HistoryReader::new();
    for (place, line) in good.lines().enumerate() {
        reader.push_line(line);
        if place == 0 {
            reader.push(b"garbage\n{\"schema_version\":1}\n\xff\n");
        }
    }
    let extent = reader.finish().extent;
    assert_eq!((extent.records, extent.faults_total), (3, 3));
    let places: Vec<&str> = extent.faults.iter().map(|fault| fault.at.as_str()).collect();
    assert!(places[0].starts_with("line 2") && places[2].starts_with("line 4"), "{places:?}");
    // The live engine knows its histories by length and digest; another file is a question.
    let mut story = Story::audited();
    story.say(Command::Pause);
    let text = story.world.files.get_mut(canonical::SLICE_HISTORY).unwrap();
    text.push_str("garbage\n");
    story.say(Command::Resume);
    assert_eq!(story.topic(), "history_changed");
}

/// 12. There bold headers and an em dash were refused, a later duplicate won, prose numbers were read,
///     and characters were cut in two. Here headers are read as people write them, nothing is taken
///     from prose, and text is text.
#[test]
fn fault_12_reports_are_read_as_people_write_them() {
    let story = Story::going();
    let (run, _) = story.role().unwrap();
    let block = json!({
        "plan_basis": "gelesen — 読みました 🎉", "remaining_release_blockers": 0,
        "remaining_high_value_gaps": 0,
    });
    let whole =
        |header: &str, block: &str| format!("{header}\n\nWörter.\n\n```json\n{block}\n```\n");
    let read =
        |text: &str| check_report(story.engine.snapshot(), run, text).map_err(|one| one.code);
    let plain = format!("MISSION ANCHOR: {MISSION}\nRemaining contract IDs: none");
    let bold = format!("**MISSION ANCHOR:** {MISSION}\n**Remaining contract IDs:** none");
    let dash = format!("- MISSION ANCHOR — {MISSION}\n- Remaining contract IDs before — C-1");
    for header in [&plain, &bold, &dash] {
        assert_eq!(read(&whole(header, &block.to_string())), Ok(vec![]), "{header}");
    }
    let second = format!("{plain}\nMISSION ANCHOR: Sell everything.");
    assert_eq!(read(&whole(&second, &block.to_string())), Err(Code::HeaderDuplicate));
    let mut other = block.clone();
    other["remaining_release_blockers"] = json!(1);
    let twice = whole(&plain, &block.to_string()) + &format!("```json\n{other}\n```\n");
    assert_eq!(read(&twice), Err(Code::BlockDuplicate));
    let mut prose = block.clone();
    prose["remaining_release_blockers"] = json!("zero blockers; see issue 12");
    assert_eq!(read(&whole(&plain, &prose.to_string())), Err(Code::WrongType));
    let repeated = block.to_string().replacen('{', "{\"plan_basis\":\"first\",", 1);
    assert_eq!(read(&whole(&plain, &repeated)), Err(Code::DuplicateField));
}

/// 13. There the guard of read-only roles watched commands and was passed in five ways. Here it looks
///     at the tree: whatever was done, head, branches, worktree and canonical files are as before, or
///     the report is refused with what differs. (Real git under it is a host test.)
#[test]
fn fault_13_read_only_is_observed_not_guessed() {
    type Touch = fn(&mut World);
    let touches: [(Touch, &str, &str); 6] = [
        // cd . && git commit; git -C . commit
        (|world| drop(world.commit(&["src/S1.c"])), "read_only_touched", "src/S1.c"),
        // a heredoc, dd, truncate
        (
            |world| drop(world.dirty.insert("src/S1.c".to_owned(), digest("cut"))),
            "read_only_touched",
            "src/S1.c",
        ),
        // git branch, git tag, git update-ref
        (|world| world.refs = "others".to_owned(), "read_only_touched", "branches or tags"),
        (
            |world| drop(world.files.insert(canonical::PLAN.to_owned(), "{}".to_owned())),
            "canonical_touched",
            canonical::PLAN,
        ),
        (
            |world| world.files.get_mut(canonical::SLICE_HISTORY).unwrap().push_str("{}\n"),
            "canonical_touched",
            canonical::SLICE_HISTORY,
        ),
        (
            |world| drop(world.files.insert(canonical::STOP_SCRIPT.to_owned(), "true".to_owned())),
            "canonical_touched",
            canonical::STOP_SCRIPT,
        ),
    ];
    for (touch, code, path) in touches {
        let mut story = Story::committed();
        let head = story.head();
        let effect = story.begin("reviewer");
        touch(&mut story.world);
        story.end(effect, report(review("S1", &head)));
        assert_eq!(story.core("/active/review"), Value::Null, "{path}");
        assert_eq!(story.core("/counts/refused_reports"), 1, "{path}");
        let records = &story.world.files[canonical::SLICE_HISTORY];
        assert!(!records.contains("reviewed"), "{records}");
        assert_eq!(story.problem(), code);
        let got = story.core("/last_problem/got").to_string();
        assert!(got.contains(path), "{got}");
    }
}

/// 14. There 2,909 model requests were made in five minutes. Here every effect spends from a budget
///     that is known before the start, and three failures of one step are a question.
#[test]
fn fault_14_everything_is_bounded() {
    let mut story = Story::going();
    let mut runs = 0;
    while let Some((_, role)) = story.role() {
        story.fail(&role.replace("completion-", ""), RunOutcome::Failed);
        runs += 1;
        assert!(runs <= 3, "it goes on for ever");
    }
    assert_eq!((runs, story.topic().as_str()), (3, "step_stuck"));
    // A user who always says retry is asked again and again, and then the budget ends it.
    while story.engine.continuation() != Continuation::Blocked {
        match story.question() {
            Some((_, question)) if question.topic.starts_with("budget:") => story.choose("block"),
            Some(_) => story.choose("retry"),
            None => story.fail("regrounder", RunOutcome::Lost),
        }
    }
    let budget = &story.engine.snapshot().head.budget;
    assert!(budget.iter().all(|(_, account)| account.spent <= account.limit));
    assert_eq!(story.core("/counts/failed_runs").as_u64().unwrap(), 120, "the limit of re-grounds");
}

/// 15. There the state directory was deleted on done, and the final judgement lost. Here everything is
///     kept, and the end says what it rests on.
#[test]
fn fault_15_the_end_is_kept() {
    let mut story = Story::closed();
    story.judge_all();
    story.finish();
    assert_eq!(story.engine.continuation(), Continuation::Done);
    let last = story.world.files[canonical::JUDGEMENT_HISTORY].lines().last().unwrap();
    let judgement: Value = serde_json::from_str(last).unwrap();
    assert_eq!(
        (&judgement["can_stop"], &judgement["head_sha"]),
        (&json!(true), &json!(story.head()))
    );
    assert_eq!(story.history_kinds(), ["implemented", "reviewed", "audited", "accepted"]);
    for path in canonical::ALL {
        assert!(story.world.files.contains_key(path), "{path}");
    }
    assert_eq!(story.core("/done/head"), json!(story.head()));
    look_at_done(story);
}

fn look_at_done(mut story: Story) {
    let files = story.world.files.clone();
    story.recover(Recovery::Restart);
    assert_eq!(story.world.files, files);
    assert!(story.engine.pending().is_empty());
}

#[test]
fn answers_and_looks_are_used() {
    // Keeps the helpers honest: a look changes nothing by itself.
    let mut story = Story::committed();
    let slices = story.state()["slices"].clone();
    look(&mut story);
    assert_eq!(story.state()["slices"], slices);
    let answer = Answer::Confirmation { yes: true };
    let effect = story.role().unwrap().0;
    let error = story.refused(Fact::QuestionAnswered(QuestionAnswered { effect, answer }));
    assert_eq!(error.code, Code::WrongAnswer);
}
