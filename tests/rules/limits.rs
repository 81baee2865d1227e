//! Budgets, questions, and the worst case.

use crate::common::*;
use endstate::Continuation;
use endstate::vocab::budget::{Counter, DEFAULT_LIMITS};
use endstate::vocab::command::Command;
use endstate::vocab::error::Code;
use endstate::vocab::event::*;
use endstate::vocab::question::QuestionKind;

#[test]
fn every_effect_spends_from_a_counter() {
    let mut story = Story::audited();
    story.reconcile("S1", None);
    story.judge_all();
    story.finish();
    let mut spent = std::collections::BTreeMap::<Counter, u64>::new();
    // What the start ordered stands in the first answer.
    *spent.entry(Counter::Observations).or_default() += 1;
    for (_, applied) in &story.taken {
        for effect in &applied.effects {
            *spent.entry(effect.order.counter()).or_default() += 1;
        }
    }
    for (counter, account) in story.engine.snapshot().head.budget.iter() {
        let expected = match counter {
            Counter::Regrounds => 3,
            counter => spent.get(&counter).copied().unwrap_or(0),
        };
        assert_eq!(account.spent, expected, "{counter:?}");
        let limit = DEFAULT_LIMITS.iter().find(|(known, _)| *known == counter).unwrap().1;
        assert_eq!(account.limit, limit);
    }
}

#[test]
fn a_spent_counter_is_a_question_that_says_what_one_more_buys() {
    for counter in [Counter::RoleRuns, Counter::Regrounds, Counter::Commands, Counter::Observations]
    {
        let mut story = Story::going();
        let limit = story.engine.snapshot().head.budget.account(counter).spent;
        story = Story::limited(&[(counter, limit.saturating_sub(1))]);
        let (_, question) = story.question().unwrap_or_else(|| panic!("{counter:?} is not asked"));
        assert_eq!(question.topic, format!("budget:{}", counter.as_str()));
        assert!(question.text.contains(counter.buys()), "{}", question.text);
        assert!(matches!(question.kind, QuestionKind::Choice { .. }));
        story.choose("grant");
        if story.engine.snapshot().head.control == endstate::snapshot::Control::Held {
            story.go();
        }
        assert_eq!(story.due(), "regrounder", "{counter:?}");
    }
}

#[test]
fn limits_hold_whatever_happens() {
    for counter in Counter::ALL {
        for limit in 0..4 {
            let mut story = Story::limited(&[(counter, limit)]);
            for _ in 0..20 {
                match (story.role(), story.question()) {
                    (Some((_, role)), _) => {
                        story.fail(&role.replace("completion-", ""), RunOutcome::Failed);
                    }
                    (None, Some((_, question))) if question.topic.starts_with("budget:") => break,
                    (None, Some(_)) => story.choose("retry"),
                    (None, None) => break,
                }
            }
            let budget = &story.engine.snapshot().head.budget;
            assert!(budget.iter().all(|(_, account)| account.spent <= account.limit));
            story.engine.check().unwrap();
            assert_ne!(story.engine.continuation(), Continuation::Done);
        }
    }
}

#[test]
fn stuck_after_as_many_failures_as_the_config_says() {
    for attempts in [1, 2, 5] {
        let config = endstate::protocols::completion::Config {
            attempts_per_step: attempts,
            ..Story::small()
        };
        let mut story = Story::new(config);
        story.go();
        for failures in 1..=attempts {
            assert_eq!(story.topic(), "");
            story.fail("regrounder", RunOutcome::Failed);
            assert_eq!(story.attempts(), u64::from(failures));
        }
        assert_eq!(story.topic(), "step_stuck");
        story.choose("retry");
        assert_eq!(story.attempts(), 0);
    }
    // A success in between begins the count again.
    let mut story = Story::planned();
    story.fail("implementer", RunOutcome::Failed);
    story.fail("implementer", RunOutcome::Lost);
    story.implement("S1");
    assert_eq!(story.attempts(), 0);
    story.fail("reviewer", RunOutcome::Failed);
    assert_eq!((story.topic().as_str(), story.due().as_str()), ("", "reviewer"));
}

#[test]
fn every_outcome_but_success_is_a_failed_run_with_its_code() {
    let usage =
        |turns: bool| endstate::vocab::role::Usage { turns_exhausted: turns, ..Default::default() };
    for (outcome, turns, code) in [
        (RunOutcome::Failed, false, "run_failed"),
        (RunOutcome::Partial, false, "run_failed"),
        (RunOutcome::Checkpoint, false, "run_failed"),
        (RunOutcome::Lost, false, "run_lost"),
        (RunOutcome::Failed, true, "run_exhausted"),
    ] {
        let mut story = Story::planned();
        let effect = story.begin("implementer");
        story.fact(Fact::RunEnded(RunEnded {
            effect,
            outcome,
            // Whatever it says: it did not finish.
            report: Some(report(claim("S1", "0123456789012345678901234567890123456789"))),
            problem: None,
            usage: usage(turns),
        }));
        story.settle();
        assert_eq!(story.problem(), code);
        assert_eq!(story.core("/counts/failed_runs"), 1);
        assert_eq!(story.due(), "implementer");
    }
}

#[test]
fn a_withdrawn_role_gives_its_units_back() {
    let mut story = Story::limited(&[(Counter::RoleRuns, 1), (Counter::Regrounds, 1)]);
    for _ in 0..3 {
        story.say(Command::Pause);
        let left = |counter| story.engine.snapshot().head.budget.left(counter);
        assert_eq!((left(Counter::RoleRuns), left(Counter::Regrounds)), (1, 1));
        story.say(Command::Resume);
        assert_eq!(story.due(), "regrounder");
    }
}

#[test]
fn a_command_is_taken_once_by_its_id() {
    let mut story = Story::planned();
    let grant = |id: &str| {
        let command = Command::Grant { counter: Counter::RoleRuns, amount: 5 };
        Fact::UserCommanded(UserCommanded { id: Some(id.to_owned()), command })
    };
    story.fact(grant("a"));
    assert_eq!(story.refused(grant("a")).code, Code::DuplicateCommand);
    story.fact(grant("b"));
    assert_eq!(story.engine.snapshot().head.budget.account(Counter::RoleRuns).limit, 410);
    // A refused command does not use its id up.
    let resume = || {
        let command = Command::Resume;
        Fact::UserCommanded(UserCommanded { id: Some("c".to_owned()), command })
    };
    assert_eq!(story.refused(resume()).code, Code::NotPaused);
    story.say(Command::Pause);
    story.fact(resume());
}

#[test]
fn stepping_and_holding_open_are_the_same() {
    let story = Story::closed();
    let mut step = endstate::start(&story.config, story.began.0).unwrap();
    let mut held = endstate::Engine::open(step.snapshot.clone()).unwrap();
    for (event, applied) in &story.taken {
        step = endstate::step(&step.snapshot, event).unwrap();
        let again = held.apply(event).unwrap();
        assert_eq!((&step.effects, &step.decided), (&applied.effects, &applied.decided));
        assert_eq!(&again, applied);
        assert_eq!(&step.snapshot, held.snapshot());
    }
    assert_eq!(held.snapshot(), story.engine.snapshot());
}
