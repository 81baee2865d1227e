//! The nine rules in their order, the guards before them, and what `why` and `view` say of them.

use crate::common::*;
use endstate::Continuation;
use endstate::engine::digest;
use endstate::protocols::completion::{self, files as canonical};
use endstate::view::NodeState;
use endstate::vocab::budget::Counter;
use endstate::vocab::command::Command;
use endstate::vocab::event::*;
use endstate::vocab::question::Answer;
use endstate::why::Why;
use serde_json::{Value, json};

/// A mission before the role of each rule is sent, with the rule's name and the role.
fn moments() -> Vec<(Story, u32, &'static str, &'static str)> {
    let mut unknown = Story::new(completion::Config { onboard: false, ..Story::small() });
    unknown.go();
    let mut unselected = Story::going();
    let block = json!({
        "plan_basis": "x", "slices": [slice("S1")], "remaining_release_blockers": 0,
        "remaining_high_value_gaps": 0,
    });
    unselected.run("regrounder", block);
    let mut reviewed = Story::committed();
    let head = reviewed.head();
    reviewed.run("reviewer", review("S1", &head));
    let mut judged = Story::closed();
    judged.judge_all();
    vec![
        (unknown, 1, "bootstrap_contract_files", "bootstrapper"),
        (Story::going(), 2, "reground_distrusted_state", "regrounder"),
        (unselected, 3, "reground_to_select", "regrounder"),
        (Story::planned(), 4, "implement_slice", "implementer"),
        (Story::committed(), 5, "review_commit", "reviewer"),
        (reviewed, 6, "audit_commit", "auditor"),
        (Story::audited(), 7, "reground_to_reconcile", "regrounder"),
        (Story::closed(), 8, "judge_stop", "stop-judge"),
        (judged, 9, "verify_and_reground_finally", "regrounder"),
    ]
}

#[test]
fn nine_rules_are_chosen_in_their_order() {
    for (place, (story, number, name, role)) in moments().into_iter().enumerate() {
        assert_eq!(usize::try_from(number).unwrap(), place + 1);
        assert_eq!((story.rule().as_str(), story.due().as_str()), (name, role));
        let state = story.file("state.json");
        assert_eq!(state["next_mandatory_role"], format!("completion-{role}"));
        assert!(state["next_mandatory_action"].as_str().is_some_and(|words| !words.is_empty()));
        assert_eq!(state["continuation_policy"], "continue");
        assert_eq!(state["continuation_reason"], format!("Rule {name}."));
    }
}

/// What `why` says once the role that is due is taken back by a pause.
fn paused(mut story: Story) -> Why {
    story.say(Command::Pause);
    story.engine.why()
}

#[test]
fn why_names_the_first_fact_against_every_other_rule() {
    for (story, number, name, _) in moments() {
        let live = story.engine.why();
        assert_eq!((live.chosen.name.as_str(), live.chosen.rule), ("waiting_for_answer", None));
        assert!(live.chosen.action.ends_with(name), "{}", live.chosen.action);
        assert_eq!(live.unblock, None, "nothing is stopped");
        assert_eq!(live.waiting_for.len(), 1);
        let why = paused(story);
        assert_eq!(why.chosen.name, "not_continuing");
        assert_eq!(why.because[0].fact, "not_paused");
        assert!(!why.because[0].value);
        assert_eq!(why.others.len(), 9);
        for (place, other) in why.others.iter().enumerate() {
            assert_eq!(usize::try_from(other.rule).unwrap(), place + 1);
            let applies = other.against.is_none();
            assert!(!applies || other.rule >= number, "{name}: {} comes first", other.name);
            assert!(other.rule != number || applies, "{name} is the one");
            if let Some(fact) = &other.against {
                assert!(fact.since <= why.seq && !fact.detail.is_empty());
            }
        }
        let unblock = why.unblock.unwrap();
        assert_eq!(unblock.rule, name, "the rule with the fewest failed facts");
        assert_eq!(unblock.lacks.len(), 1, "only the pause is in the way");
        assert!(unblock.hint.contains("resume"));
    }
}

#[test]
fn facts_carry_the_event_that_set_them() {
    let mut story = Story::planned();
    let effect = story.begin("implementer");
    let commit = story.world.commit(&["src/S1.c"]);
    story.fact(Fact::RunEnded(RunEnded {
        effect,
        outcome: RunOutcome::Success,
        report: Some(report(claim("S1", &commit))),
        problem: None,
        usage: Default::default(),
    }));
    story.settle_until("observe");
    let look = story.engine.snapshot().head.seq + 1;
    story.settle();
    let why = paused(story);
    let against = |rule: usize| why.others[rule - 1].against.clone().unwrap();
    assert_eq!((against(4).fact.as_str(), against(4).since), ("claim_accepted", look));
    assert!(against(4).value && against(4).detail.contains(&commit));
    assert_eq!(against(7).fact, "review_recorded");
    assert!(against(7).since < look, "it never was");
    assert_eq!(against(1).fact, "contract_files_present");
}

#[test]
fn guards_have_names() {
    let held = {
        let mut story = Story::new(Story::small());
        story.settle();
        story
    };
    let mut live = Story::planned();
    live.begin("implementer");
    let mut asked = Story::planned();
    asked.run("implementer", json!({"slice_id": "S1", "outcome": "blocked", "blocker": "Which?"}));
    let spent = Story::limited(&[(Counter::RoleRuns, 0)]);
    let mut blocked = Story::limited(&[(Counter::RoleRuns, 0)]);
    blocked.choose("block");
    let mut done = Story::closed();
    done.judge_all();
    done.finish();
    for (story, name, continuation) in [
        (&held, "not_started", Continuation::Paused),
        (&live, "run_live", Continuation::Continue),
        (&asked, "question_open", Continuation::AwaitUserInput),
        (&blocked, "blocked", Continuation::Blocked),
        (&done, "done", Continuation::Done),
        (&spent, "budget_spent", Continuation::AwaitUserInput),
    ] {
        let why = story.engine.why();
        let chosen = match name {
            // The open question is about the budget, and is named by what it is about.
            "budget_spent" => "question_open",
            other => other,
        };
        assert_eq!((why.chosen.name.as_str(), why.chosen.rule), (chosen, None), "{name}");
        assert_eq!(story.engine.continuation(), continuation, "{name}");
        let stopped = continuation != Continuation::Continue;
        assert_eq!(why.unblock.is_some(), stopped, "{name}");
    }
    assert_eq!(spent.rule(), "budget_spent");
}

#[test]
fn every_phase_and_policy_is_written() {
    let mut seen: Vec<(Value, Value)> = Vec::new();
    let mut note = |story: &Story| {
        let state = story.file("state.json");
        seen.push((state["current_phase"].clone(), state["continuation_policy"].clone()));
    };
    for (story, ..) in moments() {
        note(&story);
    }
    let mut story = Story::planned();
    story.say(Command::Pause);
    note(&story);
    story.say(Command::Resume);
    story.run("implementer", json!({"slice_id": "S1", "outcome": "blocked", "blocker": "Which?"}));
    note(&story);
    let mut stuck = Story::planned();
    for _ in 0..3 {
        stuck.fail("implementer", RunOutcome::Failed);
    }
    note(&stuck);
    stuck.choose("block");
    note(&stuck);
    let spent = Story::limited(&[(Counter::RoleRuns, 0)]);
    note(&spent);
    let mut story = Story::closed();
    story.judge_all();
    story.finish();
    note(&story);
    let expected = [
        ("reground", "continue"),
        ("reground", "continue"),
        ("reground", "continue"),
        ("implement", "continue"),
        ("post_commit_review", "continue"),
        ("post_commit_audit", "continue"),
        ("post_commit_reconcile", "continue"),
        ("stop_wave", "continue"),
        ("stop_wave", "continue"),
        ("implement", "paused"),
        ("awaiting_user", "await_user_input"),
        ("awaiting_user", "await_user_input"),
        ("blocked", "blocked"),
        ("awaiting_user", "await_user_input"),
        ("done", "done"),
    ];
    let expected: Vec<(Value, Value)> =
        expected.iter().map(|(phase, policy)| (json!(phase), json!(policy))).collect();
    assert_eq!(seen, expected);
}

#[test]
fn the_view_shows_slices_criteria_runs_and_questions() {
    let mut story = Story::going();
    let mut after = slice("S2");
    after["blocked_on"] = json!(["S1"]);
    let block = json!({
        "plan_basis": "x", "slices": [slice("S1"), after, slice("S3")],
        "selected": {"slice_id": "S1"}, "remaining_release_blockers": 0,
        "remaining_high_value_gaps": 0,
    });
    story.run("regrounder", block);
    story.say(Command::Defer { item: "S3".to_owned(), reason: "later".to_owned() });
    let view = story.engine.view();
    assert_eq!((view.title.as_str(), view.protocol.as_str()), (MISSION, "completion"));
    let states: Vec<NodeState> = view.nodes.iter().map(|node| node.state).collect();
    assert_eq!(states, [NodeState::Active, NodeState::Waiting, NodeState::Deferred]);
    assert_eq!((view.edges[0].from.as_str(), view.edges[0].to.as_str()), ("S1", "S2"));
    assert_eq!((view.nodes[1].lane, view.lanes.len()), (1, 2));
    story.implement("S1");
    assert_eq!(story.engine.view().nodes[0].state, NodeState::Verifying);
    assert_eq!(story.engine.view().nodes[0].criteria[0].state, "claimed");
    story.begin("reviewer");
    let view = story.engine.view();
    assert_eq!(
        (view.runs[0].role.as_str(), view.runs[0].item.as_deref()),
        ("completion-reviewer", Some("S1"))
    );
    assert!(view.budget.iter().any(|one| one.counter == "role_runs" && one.spent == 3));
    let mut asked = Story::planned();
    asked.run("implementer", json!({"slice_id": "S1", "outcome": "blocked", "blocker": "Which?"}));
    assert_eq!(asked.engine.view().questions[0].expected, "some words");
    asked.answer(Answer::Text { text: "this".to_owned() });
    assert!(asked.engine.view().questions.is_empty());
    let mut skipped = Story::planned();
    skipped.say(Command::Skip { item: "S1".to_owned(), reason: "no".to_owned() });
    assert_eq!(skipped.engine.view().nodes[0].state, NodeState::Waived);
    let closed = Story::closed().engine.view();
    assert_eq!((closed.nodes[0].state, closed.progress.settled), (NodeState::Done, 2));
}

#[test]
fn one_role_at_a_time_and_only_over_a_fresh_look() {
    let mut story = Story::started();
    story.plan(&["S1", "S2"]);
    for (id, next) in [("S1", Some("S2")), ("S2", None)] {
        story.implement(id);
        story.verify(id);
        story.reconcile(id, next);
    }
    story.judge_all();
    story.finish();
    let (mut alive, mut fresh) = (0, false);
    for (event, applied) in &story.taken {
        match &event.fact {
            Fact::RunEnded(_) => alive -= 1,
            Fact::RepositoryObserved(_) => fresh = true,
            _ => {}
        }
        if matches!(event.fact, Fact::RunEnded(_) | Fact::CommandExited(_)) {
            fresh = false;
        }
        for effect in &applied.decided.effects {
            if effect.order == "spawn_role" {
                assert!(fresh, "{} was sent over an old look", effect.id);
                alive += 1;
                assert_eq!(alive, 1);
            }
        }
    }
    assert_eq!(alive, 0);
    assert_eq!(story.world.files[canonical::SLICE_HISTORY].lines().count(), 8);
}

#[test]
fn decide_is_the_same_from_a_snapshot_read_back() {
    for (story, ..) in moments() {
        let text = endstate::vocab::json::encode(story.engine.snapshot());
        let snapshot = endstate::Snapshot::read(&text).unwrap();
        assert_eq!(digest(&endstate::vocab::json::encode(&snapshot)), digest(&text));
        let mut again =
            Story { engine: endstate::Engine::open(snapshot).unwrap(), ..story.clone() };
        let mut story = story;
        for story in [&mut story, &mut again] {
            story.say(Command::Pause);
            story.say(Command::Resume);
        }
        assert_eq!(story.engine.snapshot(), again.engine.snapshot());
        assert_eq!(story.rule(), again.rule());
    }
}
