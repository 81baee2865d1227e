//! Clean trees, the stop wave, waivers and the end.

use crate::common::*;
use endstate::Continuation;
use endstate::engine::digest;
use endstate::protocols::completion::{self, files as canonical};
use endstate::vocab::command::{Command, PlanChange};
use endstate::vocab::error::Code;
use endstate::vocab::event::*;
use endstate::vocab::question::Answer;
use serde_json::{Value, json};

fn soil(story: &mut Story, path: &str) {
    story.world.dirty.insert(path.to_owned(), digest(path));
}

fn look(story: &mut Story) {
    story.say(Command::Pause);
    story.say(Command::Resume);
}

#[test]
fn a_dirty_tree_is_met_in_every_phase() {
    // Before any slice of ours: a question for the user.
    let mut story = Story::going();
    soil(&mut story, "notes.txt");
    look(&mut story);
    assert_eq!((story.topic().as_str(), story.due().as_str()), ("dirty_tree", ""));
    story.answer(Answer::ManualStep { done: false, note: "not now".to_owned() });
    assert_eq!(story.core("/blocked/code"), "dirty_tree");
    // While a slice is being worked on: its own business, until it is claimed.
    let mut story = Story::planned();
    soil(&mut story, "src/S1.c");
    look(&mut story);
    assert_eq!(story.due(), "implementer");
    // After the commit: grounded anew, and only reopened is taken.
    for mut story in [Story::committed(), Story::audited()] {
        soil(&mut story, "src/S1.c");
        look(&mut story);
        assert_eq!(story.core("/reground/reason"), "dirty_tree");
        assert_eq!(story.file("state.json")["current_phase"], "post_commit_reconcile");
        story.reconcile("S1", None);
        assert_eq!(story.problem(), "not_verified");
        story.reopen_now("S1");
        assert_eq!(story.file("active-slice.json")["slice_id"], "S1");
    }
    // In the stop wave: the latest slice is opened again, no other is selected.
    let mut story = Story::closed();
    soil(&mut story, "src/S1.c");
    look(&mut story);
    let next = json!({
        "plan_basis": "x", "slices": [slice("S2")], "selected": {"slice_id": "S2"},
        "remaining_release_blockers": 0, "remaining_high_value_gaps": 0,
    });
    story.run("regrounder", next);
    assert_eq!((story.problem().as_str(), story.due().as_str()), ("dirty_tree", "regrounder"));
}

#[test]
fn dirt_that_was_there_before_the_start_is_asked_about() {
    // The contract files are there already, so nothing makes the engine look after the start.
    let world = {
        let mut story = Story::new(Story::small());
        story.settle();
        let mut world = story.world;
        world.files.retain(|path, _| {
            canonical::CONTRACT.contains(&path.as_str()) || path == canonical::GITIGNORE
        });
        world.dirty.insert("notes.txt".to_owned(), digest("scribble"));
        world
    };
    let mut story = Story::in_world(Story::small(), world);
    story.go();
    assert_eq!((story.topic().as_str(), story.due().as_str()), ("dirty_tree", ""));
}

#[test]
fn a_reopened_slice_that_only_left_dirt_is_claimed_at_its_own_commit() {
    let mut story = Story::closed();
    let commit = story.head();
    soil(&mut story, "build.log");
    look(&mut story);
    let mut block = json!({
        "plan_basis": "x", "selected": {"slice_id": "S1"}, "remaining_release_blockers": 0,
        "remaining_high_value_gaps": 0,
    });
    block["reopened"] = json!([{"slice_id": "S1", "reason": "build.log was left"}]);
    story.run("regrounder", block);
    let effect = story.begin("implementer");
    story.world.dirty.clear();
    story.end(effect, report(claim("S1", &commit)));
    assert_eq!(story.due(), "reviewer");
}

/// A closed slice in a mission with this many judges.
fn closed(judges: u32) -> Story {
    let config = completion::Config { required_stop_judges: judges, ..Story::small() };
    let mut story = Story::new(config);
    story.go();
    story.plan(&["S1"]);
    story.implement("S1");
    story.verify("S1");
    story.reconcile("S1", None);
    story
}

#[test]
fn as_many_judges_as_asked_for_then_the_verifier_then_the_final_word() {
    for judges in [1, 2, 3, 5] {
        let mut story = closed(judges);
        for left in (1..=judges).rev() {
            assert_eq!(story.file("state.json")["remaining_stop_judges"], left);
            assert_eq!((story.rule().as_str(), story.due().as_str()), ("judge_stop", "stop-judge"));
            let commands = commands(&story);
            let head = story.head();
            story.run("stop-judge", judge(&head, true));
            let verified = usize::from(left == 1);
            assert_eq!(self::commands(&story) - commands, verified, "once, after the last");
        }
        assert_eq!((story.rule().as_str(), story.due().as_str()), FINAL);
        assert_eq!(story.engine.continuation(), Continuation::Continue);
        story.finish();
        assert_eq!(story.engine.continuation(), Continuation::Done);
        let lines = story.world.files[canonical::JUDGEMENT_HISTORY].lines().count();
        assert_eq!(lines, usize::try_from(judges).unwrap());
    }
}

const FINAL: (&str, &str) = ("verify_and_reground_finally", "regrounder");

fn commands(story: &Story) -> usize {
    let exits =
        story.taken.iter().filter(|(event, _)| matches!(event.fact, Fact::CommandExited(_)));
    exits.count()
}

#[test]
fn one_no_ends_the_wave_wherever_it_comes() {
    for before in 0..3 {
        let mut story = closed(3);
        let head = story.head();
        for _ in 0..before {
            story.run("stop-judge", judge(&head, true));
        }
        story.run("stop-judge", judge(&head, false));
        assert_eq!(story.core("/wave/judgements"), json!([]));
        assert_eq!(story.rule(), "reground_distrusted_state");
        story.plan(&["S2"]);
        story.implement("S2");
        story.verify("S2");
        story.reconcile("S2", None);
        assert_eq!(story.file("state.json")["remaining_stop_judges"], 3, "from the beginning");
        story.judge_all();
        story.finish();
        let text = &story.world.files[canonical::JUDGEMENT_HISTORY];
        assert_eq!(text.lines().count(), before + 1 + 3, "every judgement is kept");
        assert!(text.lines().last().unwrap().contains("\"stop_wave_id\":"));
    }
}

#[test]
fn the_verifier_is_an_observation() {
    // A status other than zero grounds anew; none at all shows nothing and is tried again.
    let mut story = Story::closed();
    story.world.verifier = 1;
    story.judge_all();
    assert_eq!(story.core("/reground/reason"), "verifier_failed");
    let mut story = Story::closed();
    let head = story.head();
    story.run_until_verifier(&head);
    let effect = story.settle_until("run_command").effect.id;
    story.fact(Fact::CommandExited(CommandExited::new(effect, None, "")));
    story.settle();
    assert_eq!(story.core("/last_problem/code"), "run_lost");
    assert_eq!((story.rule().as_str(), story.due().as_str()), FINAL, "run again, and passed");
    // A verifier that leaves the tree dirty, or lets the head move, voids what it showed.
    let mut story = Story::closed();
    let head = story.head();
    story.run_until_verifier(&head);
    let effect = story.settle_until("run_command").effect.id;
    story.world.commit(&["src/late.c"]);
    story.fact(Fact::CommandExited(CommandExited::new(effect, Some(0), "")));
    story.settle();
    assert_eq!(story.core("/wave/verified_at"), Value::Null);
    assert_eq!((story.rule().as_str(), story.due().as_str()), ("judge_stop", "stop-judge"));
}

impl Story {
    /// The last judge has said yes and nothing has been performed since.
    fn run_until_verifier(&mut self, head: &str) {
        let effect = self.begin("stop-judge");
        self.fact(Fact::RunEnded(RunEnded {
            effect,
            outcome: RunOutcome::Success,
            report: Some(report(judge(head, true))),
            problem: None,
            usage: Default::default(),
        }));
    }
}

#[test]
fn the_end_says_what_was_let_go() {
    let mut story = Story::going();
    story.plan(&["S1", "S2", "S3"]);
    let text = |text: &str| text.to_owned();
    story.say(Command::Skip { item: text("S2"), reason: text("not ours") });
    story.say(Command::Defer { item: text("S3"), reason: text("later") });
    let waiver = PlanChange::WaiveCriterion {
        item: text("S1"),
        criterion: text("AC-002"),
        reason: text("no runner"),
    };
    story.say(Command::Amend { changes: vec![waiver] });
    assert!(story.prompt().contains("AC-002 (waived)"));
    let effect = story.begin("implementer");
    let commit = story.world.commit(&["src/S1.c"]);
    let mut block = claim("S1", &commit);
    block["claims"].as_array_mut().unwrap().pop();
    story.end(effect, report(block));
    story.verify("S1");
    story.reconcile("S1", None);
    assert_eq!(story.topic(), "end_with_deferred");
    story.answer(Answer::Confirmation { yes: true });
    story.judge_all();
    story.finish();
    let done = story.core("/done");
    assert_eq!(done["waived"], json!(["S1/AC-002", "S2/AC-001", "S2/AC-002"]));
    assert_eq!(done["deferred"], json!(["S3"]));
}

#[test]
fn a_deferred_slice_does_not_satisfy_its_dependants_and_a_skipped_one_does() {
    for (skip, code) in [(true, ""), (false, "dependency_open")] {
        let mut story = Story::going();
        let mut after = slice("S2");
        after["blocked_on"] = json!(["S1"]);
        let block = |selected: Option<&str>| {
            json!({
                "plan_basis": "x", "slices": [slice("S1"), after.clone()],
                "selected": selected.map(|id| json!({"slice_id": id})),
                "remaining_release_blockers": 0, "remaining_high_value_gaps": 0,
            })
        };
        story.run("regrounder", block(Some("S1")));
        let (item, reason) = ("S1".to_owned(), "why not".to_owned());
        story.say(match skip {
            true => Command::Skip { item, reason },
            false => Command::Defer { item, reason },
        });
        story.run("regrounder", block(Some("S2")));
        assert_eq!(story.problem(), code);
        assert_eq!(story.due(), if skip { "implementer" } else { "regrounder" });
    }
}

#[test]
fn a_mission_goes_on_between_slices_without_asking() {
    let mut story = Story::started();
    story.plan(&["S1", "S2"]);
    for (id, next) in [("S1", Some("S2")), ("S2", None)] {
        story.implement(id);
        story.verify(id);
        story.reconcile(id, next);
        assert_eq!(story.engine.continuation(), Continuation::Continue);
        assert_eq!(story.topic(), "");
    }
}

#[test]
fn what_cannot_be_written_after_the_end_is_asked() {
    let mut story = Story::audited();
    story.reconcile("S1", None);
    story.judge_all();
    let effect = story.begin("regrounder");
    let last = json!({
        "plan_basis": "all shown", "can_stop": true,
        "remaining_release_blockers": 0, "remaining_high_value_gaps": 0,
    });
    let (outcome, report) = (RunOutcome::Success, Some(report(last)));
    let usage = Default::default();
    story.fact(Fact::RunEnded(RunEnded { effect, outcome, report, problem: None, usage }));
    let look = story.settle_until("observe");
    let seen = story.world.perform(&story.engine, &look).unwrap();
    story.fact(seen);
    assert_ne!(story.core("/done"), Value::Null);
    story.fail_effect("write_file", Code::WriteFailed);
    assert_eq!(story.topic(), "effect_failed");
    assert_eq!(story.engine.continuation(), Continuation::AwaitUserInput);
    story.choose("retry");
    assert_eq!(story.engine.continuation(), Continuation::Done);
    assert_eq!(story.file("state.json")["project_done"], true);
}

#[test]
fn a_question_beside_proposals_is_asked_after_them() {
    let mut story = Story::going();
    story.run(
        "regrounder",
        json!({
            "plan_basis": "x", "slices": [slice("S1")], "selected": {"slice_id": "S1"},
            "proposals": [{"slice_id": "S1", "criterion": "AC-002", "reason": "no need"}],
            "question": {"text": "Which licence?"},
            "remaining_release_blockers": 0, "remaining_high_value_gaps": 0,
        }),
    );
    assert_eq!(story.topic(), "proposals");
    story.answer(Answer::Confirmation { yes: false });
    assert_eq!(story.topic(), "role_asks");
}
