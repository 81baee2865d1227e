//! The exhaustive walk of the promise protocol over small missions. The full product of all that can
//! happen is out of reach, so there are several walks, and the frontier of each empties:
//!
//! - **loop**: four turns, three results of a turn, tests that pass and fail: every stop reason that
//!   looks back over turns.
//! - **again**: the same with what the coach finds never the same twice, and loops taken up again.
//! - **reports**: every report of the catalogue below, good and bad, every way a run can end, every
//!   answer to every question.
//! - **commands**: every command at every moment, one that changes the plan on a path, and the clock.
//! - **troubles**: every effect of the host is a step and may fail once; once the host recovers, once
//!   the world moves.
//! - **feature**: three tasks in two waves, two at once, a gate, and files that go stale.
//! - **budgets**: one walk per counter, so small that it is spent on the way.

use crate::common::World;
use crate::promise_tales::*;
use crate::wandering::*;
use endstate::engine::Config;
use endstate::protocols::ProtocolConfig;
use endstate::vocab::effect::Order;

fn config(mission: promise::Config, little: &[(Counter, u64)]) -> Config {
    let ample = Counter::ALL.into_iter().map(|counter| (counter, 1_000_000));
    let budget = ample.chain(little.iter().copied()).collect();
    Config { budget, proof: Default::default(), mission: ProtocolConfig::Promise(mission) }
}

fn everything(order: &Order) -> bool {
    !matches!(
        order,
        Order::SpawnRole(_) | Order::AskUser(_) | Order::SetTimer(_) | Order::RunCommand(_)
    )
}

fn nothing(_: &Order) -> bool {
    false
}

/// Everything that answers what is outstanding, with these reports.
fn onward(node: &Node, reports: fn(&Node, &str, &str, u32) -> Vec<Move>) -> Vec<Move> {
    let mut moves = Vec::new();
    for one in node.engine.pending() {
        let effect = one.effect.id;
        match &one.effect.order {
            Order::SpawnRole(spawn) if one.live() => {
                let item = spawn.item.clone().unwrap_or_default();
                let turn = turn_of(node, &item);
                for mut next in reports(node, plain(&spawn.role), &item, turn) {
                    if let Some(Fact::RunEnded(ended)) = next.fact.as_mut() {
                        ended.effect = effect;
                    }
                    moves.push(next);
                }
            }
            Order::SpawnRole(spawn) => {
                let begun = |session: Option<String>| {
                    Fact::RunStarted(RunStarted { effect, session, confined: false })
                };
                moves.push(Move::of(format!("{} starts", spawn.role), begun(None)));
            }
            Order::RunCommand(command) => {
                // What was before the work decides nothing that follows.
                let before = command.purpose == "proof 0";
                for status in [Some(0), Some(2), None].into_iter().skip(2 * usize::from(before)) {
                    let exited = CommandExited::new(effect, status, "x");
                    let label = format!("{} exits {status:?}", command.purpose);
                    moves.push(Move::of(label, Fact::CommandExited(exited)));
                }
            }
            Order::AskUser(question) => {
                for answer in answers(&question.kind, "") {
                    let label = format!("answer {} {answer:?}", question.topic);
                    // More turns make another state of every turn: once on a path is enough.
                    let more =
                        ["more", "roll_back", "grant"].iter().any(|word| label.contains(word));
                    let answered = Fact::QuestionAnswered(QuestionAnswered { effect, answer });
                    let next = Move::of(label, answered);
                    moves.push(if more { next.rare() } else { next });
                }
            }
            _ => {}
        }
    }
    moves
}

fn turn_of(node: &Node, item: &str) -> u32 {
    let endstate::protocols::Mission::Promise(state) = &node.engine.snapshot().mission else {
        panic!("another protocol")
    };
    state.tasks.get(item).and_then(|task| task.play.as_ref()).map_or(0, |play| play.turn)
}

const NONE: EffectId = EffectId { seq: 0, n: 0 };

fn says(label: &str, block: Value) -> Move {
    Move::of(label, ended(NONE, RunOutcome::Success, Some(report(block))))
}

/// The player commits, then reports.
fn plays(node: &Node, item: &str, label: &str, block: Value) -> Move {
    let mut world = node.world.clone();
    world.dirty.clear();
    world.commit(&[&format!("src/{item}.rs")]);
    says(label, block).in_world(world)
}

fn all(item: &str, turn: u32) -> Value {
    promise(item, turn, vec![row("AC-001", "verified"), row("AC-002", "verified")])
}

fn verdict(item: &str, turn: u32, word: &str, bad: &[&str]) -> Value {
    let row = |id: &str| check(id, "verified", !bad.contains(&id));
    let mut block = coach(item, turn, word, vec![row("AC-001"), row("AC-002")]);
    if turn == 0 {
        block.as_object_mut().unwrap().remove("turn");
    }
    block
}

fn few(node: &Node, role: &str, item: &str, turn: u32) -> Vec<Move> {
    match role {
        "player" => vec![plays(node, item, "all is promised", all(item, turn))],
        _ => vec![
            says("all holds", verdict(item, turn, "approve", &[])),
            says("one is bad", verdict(item, turn, "feedback", &["AC-002"])),
            says("all is bad", verdict(item, turn, "feedback", &["AC-001", "AC-002"])),
        ],
    }
}

/// The catalogue: what a role may bring, good and bad.
fn catalogue(node: &Node, role: &str, item: &str, turn: u32) -> Vec<Move> {
    let mut moves = few(node, role, item, turn);
    for outcome in [RunOutcome::Failed, RunOutcome::Lost, RunOutcome::Checkpoint] {
        moves.push(Move::of(format!("{role} ends {outcome:?}"), ended(NONE, outcome, None)));
    }
    moves.push(Move::of("silence", ended(NONE, RunOutcome::Success, None)));
    moves.push(Move::of("prose", ended(NONE, RunOutcome::Success, Some("done!".to_owned()))));
    let drift = report_for("Another mission.", all(item, turn));
    moves.push(Move::of("drift", ended(NONE, RunOutcome::Success, Some(drift))));
    let rows = |status: &str| vec![row("AC-001", "verified"), row("AC-002", status)];
    if role == "player" {
        let bare = json!({"criterion_id": "AC-002", "status": "verified", "evidence": "I did it"});
        let mut dirty = node.world.clone();
        dirty.dirty.insert("src/half.rs".to_owned(), "d".to_owned());
        moves.extend([
            plays(node, item, "one is partial", promise(item, turn, rows("partial"))),
            plays(node, item, "one is blocked", promise(item, turn, rows("blocked"))),
            plays(
                node,
                item,
                "one is missing",
                promise(item, turn, rows("verified")[..1].to_vec()),
            ),
            plays(
                node,
                item,
                "no proof",
                promise(item, turn, vec![row("AC-001", "verified"), bare]),
            ),
            plays(node, item, "another turn", all(item, turn + 7)),
            plays(node, item, "odd status", promise(item, turn, rows("fertig"))),
            says("a dirty tree", all(item, turn)).in_world(dirty),
        ]);
    } else {
        let mut confirmed = verdict(item, turn, "feedback", &["AC-002"]);
        let mut denied = confirmed.clone();
        confirmed["criteria_verification"][1]["blocked"] = json!(true);
        confirmed["criteria_verification"][1]["player_status"] = json!("blocked");
        denied["criteria_verification"][1]["player_status"] = json!("blocked");
        let mut issue = verdict(item, turn, "approve", &[]);
        issue["blocking_issues"] = json!(["it leaks"]);
        let mut touched = node.world.clone();
        touched.commit(&["src/mended.rs"]);
        moves.extend([
            says("the block is confirmed", confirmed),
            says("the block is denied", denied),
            says("approve over a bad one", verdict(item, turn, "approve", &["AC-001"])),
            says("no without a reason", verdict(item, turn, "feedback", &[])),
            says("an issue is in the way", issue),
            says(
                "nothing was judged",
                coach(item, turn, "feedback", vec![check("AC-001", "verified", true)]),
            ),
            says("the tree was changed", verdict(item, turn, "approve", &[])).in_world(touched),
        ]);
    }
    moves
}

fn loops(node: &Node) -> Vec<Move> {
    without_lost_commands(onward(node, few))
}

/// Tests pass or fail, and what the coach finds is never the same twice: the loops that are taken up again.
fn again(node: &Node) -> Vec<Move> {
    let two = |node: &Node, role: &str, item: &str, turn: u32| match role {
        "player" => few(node, role, item, turn),
        _ => vec![
            says("the first is bad", verdict(item, turn, "feedback", &["AC-001"])),
            says("the second is bad", verdict(item, turn, "feedback", &["AC-002"])),
        ],
    };
    without_lost_commands(onward(node, two))
}

fn without_lost_commands(mut moves: Vec<Move>) -> Vec<Move> {
    moves.retain(
        |one| !matches!(&one.fact, Some(Fact::CommandExited(exited)) if exited.status.is_none()),
    );
    moves
}

fn reports(node: &Node) -> Vec<Move> {
    let leads_on = |label: &str| ["all is promised", "all holds", "one is bad"].contains(&label);
    let moves = onward(node, catalogue);
    let bad = |one: &Move| matches!(one.fact, Some(Fact::RunEnded(_))) && !leads_on(&one.label);
    moves.into_iter().map(|one| if bad(&one) { one.rare() } else { one }).collect()
}

fn command(label: &str, command: Command) -> Move {
    Move::of(label, Fact::UserCommanded(UserCommanded { id: None, command }))
}

fn user(node: &Node) -> Vec<Move> {
    let item = || "T1".to_owned();
    let reason = || "so".to_owned();
    let waive = PlanChange::WaiveCriterion {
        item: item(),
        criterion: "AC-002".to_owned(),
        reason: reason(),
    };
    let add =
        PlanChange::AddCriterion { item: item(), text: "one more".to_owned(), shown_by: None };
    let mut moves = onward(node, few);
    moves.extend([
        command("start", Command::Start),
        command("pause", Command::Pause),
        command("resume", Command::Resume),
        command("stop", Command::Stop { mode: StopMode::Wait }),
        command("kill", Command::Kill),
        command("skip", Command::Skip { item: item(), reason: reason() }).rare(),
        command("defer", Command::Defer { item: item(), reason: reason() }).rare(),
        command("reopen", Command::Reopen { item: item(), reason: reason() }).rare(),
        command("skip verification", Command::SkipVerification { reason: reason() }).rare(),
        command("waive", Command::Amend { changes: vec![waive] }).rare(),
        command("add", Command::Amend { changes: vec![add] }).rare(),
    ]);
    for one in node.engine.pending() {
        if let Order::SpawnRole(_) = &one.effect.order
            && one.live()
        {
            moves.push(Move::of("lost", ended(one.effect.id, RunOutcome::Lost, None)));
        }
        if let Order::SetTimer(_) = &one.effect.order {
            let mut fired = Move::of(
                "the time is over",
                Fact::TimerFired(TimerFired { effect: one.effect.id }),
            );
            fired.late = true;
            moves.push(fired);
        }
    }
    moves
}

fn troubles(node: &Node) -> Vec<Move> {
    use endstate::vocab::error::Error;
    let mut moves = onward(node, few);
    for one in node.engine.pending() {
        let (effect, order) = (one.effect.id, &one.effect.order);
        let mut world = node.world.clone();
        if !matches!(order, Order::RunCommand(_))
            && let Some(fact) = world.perform(&node.engine, &one)
        {
            moves.push(Move::of(format!("{} works", order.name()), fact).in_world(world));
        }
        if !matches!(order, Order::AskUser(_)) && !one.live() {
            let code = match order {
                Order::WriteFile(_) => Code::ForeignWrite,
                Order::AppendHistory(_) => Code::ForeignAppend,
                _ => Code::HostFailed,
            };
            for code in [code, Code::WriteFailed] {
                let problem = Error::new(code, "host", "it to work", "it did not").diagnostic();
                let failed = Fact::EffectFailed(EffectFailed { effect, problem });
                moves.push(Move::of(format!("{} fails {code}", order.name()), failed).rare());
            }
        }
    }
    for from in [Recovery::Restart, Recovery::Stall] {
        let note = String::new();
        moves.push(Move::of("recovered", Fact::HostRecovered(HostRecovered { from, note })).rare());
    }
    moves.push(command("resume", Command::Resume));
    moves.extend(world_moves(&node.world));
    moves
}

fn world_moves(world: &World) -> Vec<Move> {
    let mut moves = Vec::new();
    let mut moved = |label: &str, world: World| {
        let label = label.to_owned();
        moves.push(Move {
            label,
            rare: true,
            world: Some(world),
            fact: None,
            late: false,
            once: 0,
        });
    };
    let mut dirty = world.clone();
    dirty.dirty.insert("notes.txt".to_owned(), "d".to_owned());
    moved("a file is left about", dirty);
    let mut commit = world.clone();
    commit.commit(&["src/T1.rs"]);
    moved("a foreign commit", commit);
    let mut detached = world.clone();
    detached.detached = true;
    moved("the head is detached", detached);
    moves
}

/// Whatever a task's player does touches every file, so that what was closed before goes stale.
fn feature(node: &Node) -> Vec<Move> {
    onward(node, |node, role, item, turn| match role {
        "player" => {
            let mut world = node.world.clone();
            world.commit(&["src/shared.rs"]);
            let block = promise(item, turn, vec![row("AC-001", "verified")]);
            vec![says("promised", block).in_world(world)]
        }
        _ => [true, false]
            .map(|holds| {
                let word = if holds { "approve" } else { "feedback" };
                let mut block = coach(item, turn, word, vec![check("AC-001", "verified", holds)]);
                if turn == 0 {
                    block.as_object_mut().unwrap().remove("turn");
                }
                says(if holds { "holds" } else { "does not hold" }, block)
            })
            .into(),
    })
}

fn limited(node: &Node) -> Vec<Move> {
    let mut moves = onward(node, few);
    for counter in Counter::ALL {
        moves.push(command("grant", Command::Grant { counter, amount: 1 }).rare());
    }
    moves.push(command("resume", Command::Resume).rare());
    moves
}

const MOST: usize = 200_000;

#[test]
fn everything_that_can_happen_was_tried() {
    let mut all = Vec::new();
    let one = |turns, tested: bool| promise::Config {
        max_turns: turns,
        attempts_per_step: 2,
        test_command: if tested { vec!["make".to_owned()] } else { Vec::new() },
        ..single()
    };
    let mut go = |name, mission, little: &[(Counter, u64)], fuel, moves, eager, counted| {
        let config = config(mission, little);
        all.push(Walk { name, config, fuel, moves, eager, counted, most_states: MOST });
    };
    go(
        "loop",
        one(4, true),
        &[],
        0,
        loops as fn(&Node) -> Vec<Move>,
        everything as fn(&Order) -> bool,
        None,
    );
    go("again", one(4, true), &[], 1, again, everything, None);
    go("reports", one(2, false), &[], 2, reports, everything, None);
    let timed = promise::Config { task_timeout_ms: Some(60_000), ..one(2, false) };
    go("commands", timed, &[], 1, user, everything, None);
    go("troubles", one(1, true), &[], 1, troubles, nothing, None);
    let gate =
        SmokeGate { after_wave: 1, argv: vec!["true".to_owned()], expected_exit: 0, timeout_ms: 1 };
    let tasks = vec![task("T1", 1, &[]), task("T2", 1, &[]), task("T3", 1, &["T1"])];
    let three = promise::Config {
        max_parallel: 2,
        max_turns: 1,
        smoke_gates: vec![gate],
        ..promise::Config::new(MISSION, tasks)
    };
    go("feature", three, &[], 1, feature, everything, None);
    for (counter, limit) in [
        (Counter::RoleRuns, 1),
        (Counter::Observations, 2),
        (Counter::Commands, 1),
        (Counter::Questions, 1),
        (Counter::Writes, 6),
    ] {
        go(
            counter.as_str(),
            one(2, true),
            &[(counter, limit)],
            1,
            limited,
            everything,
            Some(counter),
        );
    }
    covered(&walk_all(all));
}

fn covered(all: &Reached) {
    say(&format!("walk promise: {} states, {} transitions", all.states, all.transitions));
    let stops = promise::state::StopReason::ALL.map(|reason| reason.as_str());
    // An approved loop is gone with its task; its state is the done of the mission.
    let missing: Vec<&str> = stops
        .into_iter()
        .filter(|word| *word != "approved" && !all.words.contains(*word))
        .collect();
    assert!(missing.is_empty(), "stop reasons never reached: {missing:?}");
    for rule in
        ["roll_back", "run_tests", "verify_promise", "play_turn", "smoke_gate", "show_again"]
    {
        assert!(all.rules.contains(rule), "{rule} never decided: {:?}", all.rules);
    }
    for guard in [
        "write_files",
        "end_stopped_runs",
        "observation_missing",
        "question_open",
        "budget_spent",
        "not_continuing",
        "blocked",
        "done",
        "run_live",
        "waiting_for_answer",
    ] {
        assert!(all.rules.contains(guard), "{guard} never decided: {:?}", all.rules);
    }
    for about in [
        "step_stuck",
        "effect_failed",
        "dirty_tree",
        "blocked",
        "stopped",
        "gate_failed",
        "end_with_deferred",
    ] {
        assert!(all.words.contains(about), "never asked: {about}");
    }
    assert_eq!(all.continuations.len(), 5, "{:?}", all.continuations);
    let wanted = [
        Code::StaleAnswer,
        Code::WrongAnswer,
        Code::UnknownEffect,
        Code::NotStarted,
        Code::AlreadyStarted,
        Code::ReadOnlyTouched,
        Code::DirtyTree,
        Code::WrongSubject,
        Code::InconsistentVerdict,
        Code::EvidenceMissing,
        Code::AnchorMismatch,
        Code::RunSilent,
        Code::TaskStopped,
    ];
    let missing: Vec<Code> = wanted.into_iter().filter(|code| !all.codes.contains(code)).collect();
    assert!(missing.is_empty(), "codes never met: {missing:?}");
}
