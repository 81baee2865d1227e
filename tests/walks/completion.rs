//! The exhaustive walk of the core over a small mission: two slices, the second waiting for the first,
//! two criteria each, two stop judges. Everything that can happen next is tried in every state, until
//! nothing new is found; then every rule, policy, phase and code must have been met.
//!
//! The full product of all that can happen is out of reach, so there are several walks. Each varies
//! one side in full and the others a little, and the frontier of each empties:
//!
//! - **roles**: every report of the catalogue in `walking/reports.rs`, good and bad, every way a run
//!   can end, every answer to every question, every end of the stop verifier. The host's own work
//!   succeeds at once. What opens another plan, gives work back or disorders the world happens once on
//!   a path. A history that an implementer rewrote is one of these things and has a walk of its own, **rewritten**: what
//!   lies behind it is as much again.
//! - **commands**: every command of the user at every moment, also between an order and its answer
//!   (observations and commands are steps of their own, and so is the start of a run). Pausing, stopping
//!   and resuming as often as one likes; one command that changes the plan, the budget or the rules
//!   on a path, and one more is tried in every state. Roles do what leads on, or fail.
//! - **troubles**: every effect is a step of its own and may fail once on a path; once the host
//!   recovers; once the world moves: dirt, foreign commits, a detached head, a merge, canonical files
//!   lost, garbled, edited well or forged. Roles do what leads on, or fail.
//! - **budgets**: one walk per counter, with a limit so small that it is spent on the way; the question
//!   is answered both ways, one grant on a path. Only here the budget is part of a state.
//!
//! What is the same state is told in `walking/key.rs`, what must hold at each step in
//! `walking/explore.rs`. Not crossed with each other: failing hosts with the whole catalogue of
//! reports, commands with hand edits, two plan-changing commands on one path. Random paths over all of
//! them together are in `tests/rules/properties.rs`.

use crate::walking::explore::*;
use crate::walking::{faults, moves};
use endstate::engine::{Config, Engine};
use endstate::protocols::ProtocolConfig;
use endstate::protocols::completion;
use endstate::protocols::completion::files::words::{Phase, Policy};
use endstate::snapshot::Continuation;
use endstate::vocab::budget::Counter;
use endstate::vocab::command::Command;
use endstate::vocab::error::{Code, Kind};
use endstate::vocab::event::*;
use std::collections::BTreeMap;

/// A mission whose contract files are there and that was just started.
fn start(budget: &[(Counter, u64)], fuel: Fuel, attempts_per_step: u32) -> Node {
    let config = completion::Config {
        required_stop_judges: 2,
        attempts_per_step,
        ..crate::common::config()
    };
    // What is no part of a state must never run out, however long the path.
    let ample = Counter::ALL.into_iter().map(|counter| (counter, 100_000));
    let budget: BTreeMap<Counter, u64> = ample.chain(budget.iter().copied()).collect();
    let config =
        Config { budget, proof: Default::default(), mission: ProtocolConfig::Completion(config) };
    let (mut engine, _) = Engine::start(&config, AT).unwrap();
    let mut world = crate::common::World::new();
    for _ in 0..50 {
        let Some(one) = engine.pending().into_iter().next() else { break };
        let Some(fact) = world.perform(&engine, &one) else { break };
        engine.apply(&Event { at: AT, fact }).unwrap();
    }
    let command = UserCommanded { id: None, command: Command::Start };
    engine.apply(&Event { at: AT, fact: Fact::UserCommanded(command) }).unwrap();
    Node { engine, world, fuel }
}

const MOST_STATES: usize = 100_000;

fn roles() -> Reached {
    walk(&Walk {
        name: "roles",
        start: start(&[], [0, 0, 0, 1], 1),
        moves: moves::roles,
        eager: moves::everything,
        counted: None,
        most_states: MOST_STATES,
    })
}

fn rewritten() -> Reached {
    walk(&Walk {
        name: "rewritten",
        start: start(&[], [0, 0, 0, 1], 1),
        moves: moves::rewritten,
        eager: moves::everything,
        counted: None,
        most_states: MOST_STATES,
    })
}

fn commands() -> Reached {
    walk(&Walk {
        name: "commands",
        start: start(&[], [1, 0, 0, 0], 1),
        moves: moves::commands,
        eager: moves::writes,
        counted: None,
        most_states: MOST_STATES,
    })
}

fn troubles() -> Reached {
    walk(&Walk {
        name: "troubles",
        start: start(&[], [0, 1, 1, 0], 1),
        moves: moves::troubles,
        eager: moves::nothing,
        counted: None,
        most_states: MOST_STATES,
    })
}

/// One counter each, so small that it is spent before the end.
const LITTLE: [(Counter, u64); 9] = [
    (Counter::RoleRuns, 9),
    (Counter::Regrounds, 2),
    (Counter::Reopens, 1),
    (Counter::MalformedReports, 1),
    (Counter::Observations, 9),
    (Counter::Commands, 1),
    (Counter::Questions, 1),
    (Counter::Writes, 16),
    (Counter::Tokens, 3),
];

fn budgets() -> Reached {
    let mut all = Reached::default();
    for (counter, limit) in LITTLE {
        all.join(walk(&Walk {
            name: counter.as_str(),
            start: start(&[(counter, limit)], [1, 0, 0, 0], 1),
            moves: moves::budgets,
            eager: moves::everything,
            counted: Some(counter),
            most_states: MOST_STATES,
        }));
    }
    all
}

/// Refused codes that no event of this protocol makes, and who makes them.
const ELSEWHERE: [(Code, &str); 29] = [
    (Code::CertificateInvalid, "verifying a certificate"),
    (Code::OtherRules, "reading a snapshot or journal of another engine"),
    (Code::DependencyUnknown, "for plan documents: here, words that name no slice are reasons"),
    (Code::StopScriptChanged, "for hosts and checks of files: here it is a question"),
    (Code::RunTimedOut, "the host, about a process"),
    (Code::RunFlooded, "the host, about a process"),
    (Code::WriteFailed, "the host, about a disk"),
    (Code::CommitRefused, "the host, about git"),
    (Code::NotARepository, "the host, about git"),
    (Code::OperationInProgress, "the host, about git"),
    (Code::UnsafeStateDirectory, "the host, about the directory"),
    (Code::HostFailed, "the host, about itself"),
    (Code::LateResult, "the host, about a run whose effect is gone"),
    (Code::Overlooked, "the lenient reader of foreign directories, as a note"),
    (Code::CeilingReached, "the iteration protocol: tests/walks/iteration.rs"),
    (Code::NotHosted, "the host, about a role that no agent hosts"),
    (Code::NotConfined, "the host, where agents must be confined: tests/host/confine.rs"),
    (Code::NotShown, "the iteration protocol: tests/walks/iteration.rs"),
    (Code::TaskStopped, "the promise protocol: tests/promise_tales"),
    (Code::BlockFailed, "the grid protocol: tests/grid_tales/failing.rs"),
    (Code::ForbiddenRetry, "the grid protocol: tests/grid_tales/failing.rs"),
    (Code::FileOverlap, "the grid protocol: tests/grid_tales/building.rs"),
    (Code::GapsFound, "the grid protocol: tests/grid_tales/gaps.rs"),
    (Code::InconsistentPlan, "the grid protocol: tests/grid_tales/planning.rs"),
    (Code::GapUnchanged, "the grid protocol: tests/grid_tales/telling.rs"),
    (Code::ChangeStands, "the grid protocol: tests/grid_tales/telling.rs"),
    (Code::CriticalAnomaly, "the grid protocol: tests/grid_tales/gaps.rs"),
    (Code::CheckpointOpen, "the grid protocol: tests/grid_tales/checkpoints.rs"),
    (Code::OtherBranch, "when a look finds another branch: tests/rules/head_follows.rs"),
];

#[test]
fn every_state_of_a_small_mission_keeps_every_rule() {
    let mut all = Reached::default();
    // Two at a time, longest first: a machine of two cores is what there is.
    let all_walks = vec![budgets as fn() -> Reached, commands, troubles, rewritten, roles];
    let walks = std::sync::Mutex::new(all_walks);
    let next = || walks.lock().unwrap().pop();
    std::thread::scope(|scope| {
        let one = || {
            let mut reached = Reached::default();
            while let Some(walk) = next() {
                reached.join(walk());
            }
            reached
        };
        for thread in [scope.spawn(one), scope.spawn(one)] {
            match thread.join() {
                Ok(reached) => all.join(reached),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
    });
    all.join(directed());
    say(&format!(
        "all walks: {} states, {} transitions, {} refused events, depth {}",
        all.states, all.transitions, all.refused, all.depth
    ));
    everything_was_reached(&all);
}

fn everything_was_reached(all: &Reached) {
    let rules = [
        "bootstrap_contract_files",
        "reground_distrusted_state",
        "reground_to_select",
        "implement_slice",
        "review_commit",
        "audit_commit",
        "reground_to_reconcile",
        "judge_stop",
        "verify_and_reground_finally",
    ];
    let missing: Vec<&str> = rules.into_iter().filter(|rule| !all.rules.contains(*rule)).collect();
    assert!(missing.is_empty(), "rules never reached: {missing:?}");
    let words = [
        Continuation::Continue,
        Continuation::AwaitUserInput,
        Continuation::Blocked,
        Continuation::Paused,
        Continuation::Done,
    ];
    assert!(words.iter().all(|word| all.continuations.contains(word)), "{:?}", all.continuations);
    let policies: Vec<&str> = Policy::ALL.iter().map(|word| word.as_str()).collect();
    assert!(policies.iter().all(|word| all.policies.contains(*word)), "{:?}", all.policies);
    let phases: Vec<&str> = Phase::ALL.iter().map(|word| word.as_str()).collect();
    assert!(phases.iter().all(|word| all.phases.contains(*word)), "{:?}", all.phases);
    let elsewhere = |code: &Code| ELSEWHERE.iter().any(|(known, _)| known == code);
    let refused = Code::ALL.iter().filter(|code| code.kind() == Kind::Refused);
    let missing: Vec<&Code> =
        refused.filter(|code| !elsewhere(code) && !all.codes.contains(code)).collect();
    assert!(missing.is_empty(), "refused codes never reached: {missing:?}");
}

#[test]
fn every_broken_code_is_met_by_a_seeded_fault() {
    let mut met = faults::seed();
    // Seeded beside the checks themselves, for no snapshot shows it: src/protocols/completion/check.rs.
    met.push(Code::BrokenCleanTree);
    // Of the iteration protocol: tests/rules/bad_iteration.rs.
    met.extend([Code::BrokenPrompt, Code::BrokenCeiling, Code::BrokenPhase, Code::BrokenHandler]);
    // Of the promise protocol: tests/rules/promise_rules.rs.
    met.extend([Code::BrokenLimit, Code::BrokenOrder]);
    // Of the grid protocol: tests/rules/grid_rules.rs; what only a change can break, in its own check.rs.
    met.extend([
        Code::BrokenOverlap,
        Code::BrokenWave,
        Code::BrokenMustHave,
        Code::BrokenCheckpoint,
    ]);
    met.extend([Code::BrokenRetry, Code::BrokenWaiver, Code::BrokenBounds, Code::BrokenDeviation]);
    met.extend([Code::BrokenThreshold, Code::BrokenDebug, Code::BrokenKnowledge]);
    // Of the sprint protocol, seeded beside the checks: src/protocols/sprint/check.rs.
    met.push(Code::BrokenArrow);
    let broken = Code::ALL.iter().filter(|code| code.kind() == Kind::Broken);
    let missing: Vec<&Code> = broken.filter(|code| !met.contains(code)).collect();
    assert!(missing.is_empty(), "broken codes never seeded: {missing:?}");
}

/// What takes so many steps that no walk with one trouble on a path comes there: a commit of the
/// implementer that is lost, then a commit of the engine on top, which is then claimed.
fn directed() -> Reached {
    let mut story = crate::common::Story::started();
    story.plan(&["S1"]);
    let run = story.begin("implementer");
    story.world.commit(&["src/S1.c"]);
    story.fact(Fact::RunEnded(RunEnded {
        effect: run,
        outcome: RunOutcome::Lost,
        report: None,
        problem: None,
        usage: Default::default(),
    }));
    story.world.files.insert(".gitignore".to_owned(), "target\n".to_owned());
    story.settle();
    story.run(
        "bootstrapper",
        serde_json::json!({
            "mission": crate::common::MISSION, "docs_surfaces": ["README.md"],
            "verification_commands": [["make", "test"]],
        }),
    );
    let run = story.begin("implementer");
    let head = story.head();
    story.end(run, crate::common::report(crate::common::claim("S1", &head)));
    let code = story.core("/last_problem/code");
    assert_eq!(code, "engine_commit");
    let mut reached = Reached::default();
    reached.codes.insert(Code::EngineCommit);
    reached
}
