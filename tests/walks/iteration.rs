//! The exhaustive walk of the iteration protocol over small missions: every completion type, at most
//! three runs each, two failures in a row allowed. Everything that can happen next is tried in every
//! state, until nothing new is found; then every rule, guard, question, end and code must have been met.
//!
//! - **words**: one walk per completion type; every way a run can end, every answer of commands, host
//!   code and the user, the host's own work succeeding at once. More iterations are granted once.
//! - **commands**: every command of the user at every moment, pausing and resuming as often as one
//!   likes, one other on a path.
//! - **troubles**: every effect is a step of its own and may fail; the host recovers; somebody writes
//!   into the files: twice on a path in all.
//! - **budgets**: one walk per counter, so small that it is spent on the way; granted once.

use crate::iterating::*;
use crate::walking_iteration::explore::{explore, say};
use crate::walking_iteration::{AT, Fuel, Node, Reached, Walk};
use endstate::engine::Engine;
use std::collections::{BTreeMap, BTreeSet};

fn start(config: Config, budget: &[(Counter, u64)], fuel: Fuel) -> Node {
    let ample = Counter::ALL.into_iter().map(|counter| (counter, 100_000));
    let budget: BTreeMap<Counter, u64> = ample.chain(budget.iter().copied()).collect();
    let config = Config { attempts_per_step: 2, ..config };
    let mission = ProtocolConfig::Iteration(Box::new(config));
    let (mut engine, _) = Engine::start(&Start { budget, ..Start::new(mission) }, AT).unwrap();
    let mut world = World::new();
    while let Some(fact) = engine.pending().first().and_then(|one| world.perform(&engine, one)) {
        engine.apply(&Event { at: AT, fact }).unwrap();
    }
    let command = UserCommanded { id: None, command: Command::Start };
    engine.apply(&Event { at: AT, fact: Fact::UserCommanded(command) }).unwrap();
    Node { engine, world, fuel }
}

/// One small mission of each completion type.
fn missions() -> Vec<(&'static str, Config)> {
    let word =
        json!({"completionType": "manual", "completionConfig": {"completionKeyword": "DONE"}});
    let check =
        json!({"completionType": "check", "completionConfig": {"command": ["make", "test"]}});
    let code = json!({"completionType": "custom", "completionConfig": {"handlerPath": "a.ts"}});
    let count = json!({"type": "count:iteration", "config": {"maxIterations": 2}});
    let joined = |operator: &str, all: &[&Value]| {
        config("composite", json!({"operator": operator, "conditions": all, "maxIterations": 2}))
    };
    let with = |config: Config, ceiling| Config { ceiling: Some(ceiling), ..config };
    let issue = with_args(config("issue", json!({"maxIterations": 2})), &[("issue", "4")]);
    let project = with_args(config("project", json!({"maxIterations": 3})), &[("project", "7")]);
    vec![
        ("manual", with(config("manual", json!({"completionKeyword": "DONE"})), 3)),
        ("structured", with(config("structured", json!({"signalType": "done"})), 2)),
        ("iterate", config("iterate", json!({"maxIterations": 2}))),
        ("project", project),
        ("issue", issue),
        ("check", config("check", json!({"command": ["make", "test"], "maxChecks": 2}))),
        ("custom", with(config("custom", json!({"handlerPath": "a.ts"})), 2)),
        ("and", joined("and", &[&word, &check])),
        ("or", joined("or", &[&count, &check])),
        ("first", joined("first", &[&code, &word])),
    ]
}

fn mission(name: &str) -> Config {
    missions().into_iter().find(|(known, _)| *known == name).unwrap().1
}

fn walks() -> Vec<Walk> {
    let mut all = Vec::new();
    for (name, config) in missions() {
        let start = start(config, &[], [1, 0, 0, 0]);
        all.push(Walk {
            name: format!("words/{name}"),
            start,
            commands: false,
            troubles: false,
            counted: None,
        });
    }
    for name in ["manual", "project", "custom", "issue"] {
        let start = start(mission(name), &[], [0, 1, 0, 0]);
        all.push(Walk {
            name: format!("commands/{name}"),
            start,
            commands: true,
            troubles: false,
            counted: None,
        });
    }
    for name in ["structured", "custom", "check"] {
        let start = start(mission(name), &[], [0, 0, 2, 0]);
        all.push(Walk {
            name: format!("troubles/{name}"),
            start,
            commands: false,
            troubles: true,
            counted: None,
        });
    }
    let little = [
        (Counter::RoleRuns, 1, "manual"),
        (Counter::Commands, 1, "check"),
        (Counter::Consults, 1, "custom"),
        (Counter::Questions, 1, "manual"),
        (Counter::Writes, 4, "manual"),
        (Counter::Tokens, 1, "manual"),
        (Counter::Observations, 0, "structured"),
    ];
    for (counter, limit, name) in little {
        let troubles = counter == Counter::Observations;
        let fuel = [1, 0, u8::from(troubles), 1];
        let start = start(mission(name), &[(counter, limit)], fuel);
        let name = format!("budgets/{}", counter.as_str());
        all.push(Walk { name, start, commands: false, troubles, counted: Some(counter) });
    }
    all
}

#[test]
fn every_state_of_small_missions_keeps_every_rule() {
    let mut all = Reached::default();
    for walk in walks() {
        let one = explore(&walk);
        all.decided.extend(one.decided);
        all.continuations.extend(one.continuations);
        all.asked.extend(one.asked);
        all.ends.extend(one.ends);
        all.codes.extend(one.codes);
        all.states += one.states;
        all.transitions += one.transitions;
        all.refused += one.refused;
    }
    say(&format!(
        "all iteration walks: {} states, {} transitions, {} refused events",
        all.states, all.transitions, all.refused
    ));
    everything_was_reached(&all);
}

fn everything_was_reached(all: &Reached) {
    let has = |found: &BTreeSet<String>, wanted: &[&str]| {
        let missing: Vec<&&str> = wanted.iter().filter(|one| !found.contains(**one)).collect();
        assert!(missing.is_empty(), "never reached: {missing:?} of {found:?}");
        let more: Vec<&String> =
            found.iter().filter(|one| !wanted.contains(&one.as_str())).collect();
        assert!(more.is_empty(), "reached, but not expected: {more:?}");
    };
    let decided = [
        "ask_the_handler",
        "prompt_initially",
        "prompt_again",
        "ask_for_more_iterations",
        "write_files",
        "waiting_for_answer",
        "run_live",
        "not_continuing",
        "done",
        "blocked",
        "question_open",
        "budget_spent",
    ];
    has(&all.decided, &decided);
    let asked = [
        "step_stuck",
        "handler_silent",
        "effect_failed",
        "ceiling",
        "budget:role_runs",
        "budget:commands",
        "budget:consults",
        "budget:questions",
        "budget:writes",
        "budget:tokens",
        "budget:observations",
    ];
    // When questions are spent, the question that would say so cannot be asked.
    let asked: Vec<&str> = asked.into_iter().filter(|one| *one != "budget:questions").collect();
    has(&all.asked, &asked);
    // `Verified` stands for an end that the user waived.
    has(&all.ends, &["Claimed", "Counted", "Observed", "Verified"]);
    let words = [
        Continuation::Continue,
        Continuation::AwaitUserInput,
        Continuation::Blocked,
        Continuation::Paused,
        Continuation::Done,
    ];
    assert!(words.iter().all(|word| all.continuations.contains(word)));
    let codes = [
        Code::RunFailed,
        Code::RunLost,
        Code::RunSilent,
        Code::CommandFailed,
        Code::HostFailed,
        Code::NotShown,
        Code::Syntax,
        Code::CeilingReached,
        Code::BudgetSpent,
        Code::WriteFailed,
        Code::ForeignWrite,
        Code::ForeignAppend,
        Code::UnknownEffect,
        Code::StaleAnswer,
        Code::WrongAnswer,
        Code::NotStarted,
        Code::AlreadyStarted,
        Code::NotPaused,
        Code::AlreadyPaused,
        Code::MissionDone,
        Code::UnknownItem,
        Code::ItemActive,
        Code::ItemNotClosed,
        Code::InvalidChange,
        Code::InvalidGrant,
    ];
    let missing: Vec<&Code> = codes.iter().filter(|code| !all.codes.contains(code)).collect();
    assert!(missing.is_empty(), "codes never reached: {missing:?}");
}
