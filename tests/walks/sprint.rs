//! The exhaustive walk of the sprint protocol over small missions; the frontier of each walk empties:
//!
//! - **single**: one sprint with a command and a judgement, every way a run can end, every verdict.
//! - **pair**: two units side by side, a gate between them and what waits for it.
//! - **commands**: every command at every moment, two kinds of them on a path and each kind once; going on
//!   as often as one likes.
//! - **let go**: work that is left in part or proves the plan wrong, then let go or put off, with a pause
//!   and a stop; **by hand**: the same where a person says what holds.
//! - **judged again**: three sprints of one unit that change one file, so that several of them are judged again at once.
//! - **clock**: timers, and a stop that waits in vain.
//!
//! Every arrow of both state machines is taken by one of these walks or by a story under
//! `tests/traces/sprint`.

use crate::sprint_tales::*;
use crate::wandering::*;
use endstate::engine::Engine;
use endstate::protocols::Mission;
use endstate::protocols::sprint::status::{SprintStatus, UnitStatus};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

fn config(mission: sprint::Config) -> Config {
    let budget = Counter::ALL.into_iter().map(|counter| (counter, 1_000_000)).collect();
    Config { budget, proof: Default::default(), mission: ProtocolConfig::Sprint(Box::new(mission)) }
}

fn host_work(order: &Order) -> bool {
    !matches!(
        order,
        Order::SpawnRole(_) | Order::AskUser(_) | Order::SetTimer(_) | Order::RunCommand(_)
    )
}

/// What a run of the agent can come to.
fn agent(node: &Node, effect: EffectId, item: &str) -> Vec<Move> {
    let unit = item.split_once('/').unwrap().0;
    let mut world = node.world.clone();
    world.dirty.clear();
    world.commit(&[&format!("{unit}/part.rs")]);
    let ids = ["AC-002"];
    let block = |outcome: &str| {
        let mut block = says(item, outcome, &ids);
        block["reasons"] = json!(["it is not there"]);
        ended(effect, RunOutcome::Success, Some(report(block)))
    };
    vec![
        Move::of("completed", block("completed")).in_world(world.clone()),
        Move::of("partial", block("partial")).in_world(world),
        Move::of("nothing moved", block("completed")),
        Move::of("replan", block("replan")).rare(),
        Move::of("fails", ended(effect, RunOutcome::Failed, None)),
        Move::of("unreadable", ended(effect, RunOutcome::Success, Some("so".to_owned()))).rare(),
    ]
}

fn verifier(effect: EffectId, item: &str) -> Vec<Move> {
    let says = |bad: &[&str]| {
        let block = verdicts_on(item, &["AC-002"], bad);
        ended(effect, RunOutcome::Success, Some(report(block)))
    };
    vec![
        Move::of("holds", says(&[])),
        Move::of("does not hold", says(&["AC-002"])),
        Move::of("no verdict", ended(effect, RunOutcome::Failed, None)),
    ]
}

/// Everything that answers what is outstanding.
fn onward(node: &Node) -> Vec<Move> {
    let mut moves = Vec::new();
    for one in node.engine.pending() {
        let effect = one.effect.id;
        match &one.effect.order {
            Order::SpawnRole(spawn) if one.live() => {
                let item = spawn.item.clone().unwrap();
                moves.extend(match plain(&spawn.role) {
                    "agent" => agent(node, effect, &item),
                    _ => verifier(effect, &item),
                });
            }
            Order::SpawnRole(spawn) => {
                let fact = Fact::RunStarted(RunStarted { effect, session: None, confined: false });
                moves.push(Move::of(format!("{} starts", spawn.role), fact));
            }
            Order::RunCommand(command) => {
                for status in [Some(0), Some(2)] {
                    let fact = CommandExited::new(effect, status, "");
                    let label = format!("{} exits {status:?}", command.purpose);
                    let next = Move::of(label, Fact::CommandExited(fact));
                    moves.push(if status == Some(0) { next } else { next.rare() });
                }
            }
            Order::AskUser(question) => {
                for answer in answers(&question.kind, "") {
                    let label = format!("answer {answer:?}");
                    let fact = Fact::QuestionAnswered(QuestionAnswered { effect, answer });
                    moves.push(Move::of(label, fact).rare());
                }
            }
            _ => {}
        }
    }
    moves
}

/// What leads on, so that commands meet every moment of a mission that goes well and of one that does not.
fn leads_on(node: &Node) -> Vec<Move> {
    let mut moves = onward(node);
    moves.retain(|one| {
        !["partial", "replan", "unreadable", "does not hold"].contains(&one.label.as_str())
    });
    moves
}

fn told(label: &str, command: Command) -> Move {
    Move::of(label, Fact::UserCommanded(UserCommanded { id: None, command }))
}

/// Every command, each kind once on a path; going on as often as one likes.
fn commanded(node: &Node) -> Vec<Move> {
    let mut moves = leads_on(node);
    let (item, reason) = (|| "a/1".to_owned(), || "so".to_owned());
    let change =
        PlanChange::AddCriterion { item: item(), text: "one more".to_owned(), shown_by: None };
    moves.extend([
        told("resume", Command::Resume),
        told("pause", Command::Pause).once(0),
        told("stop", Command::Stop { mode: StopMode::Drain }).once(1),
        told("killall", Command::Kill).once(2),
        told("skip", Command::Skip { item: item(), reason: reason() }).once(3),
        told("defer", Command::Defer { item: item(), reason: reason() }).once(4),
        told("reopen", Command::Reopen { item: item(), reason: reason() }).once(5),
        told("skip verification", Command::SkipVerification { reason: reason() }).once(6),
        told("add", Command::Amend { changes: vec![change] }).once(7),
    ]);
    let from = Recovery::Restart;
    let back = HostRecovered { from, note: String::new() };
    moves.push(Move::of("the host comes back", Fact::HostRecovered(back)).once(8));
    moves
}

/// Work that comes to a part only or proves the plan wrong, and then is let go or put off.
fn let_go(node: &Node) -> Vec<Move> {
    let mut moves = onward(node);
    moves.retain(|one| !["fails", "unreadable", "nothing moved"].contains(&one.label.as_str()));
    let reason = || "so".to_owned();
    moves.push(told("pause", Command::Pause).once(0));
    moves.push(told("stop", Command::Stop { mode: StopMode::Drain }).once(1));
    for item in ["a/1", "b/1"] {
        let item = || item.to_owned();
        moves.extend([
            told("skip", Command::Skip { item: item(), reason: reason() }).rare(),
            told("defer", Command::Defer { item: item(), reason: reason() }).rare(),
        ]);
    }
    moves
}

/// The clock, with a stop: a run that never says anything, a stop that waits in vain.
fn clock(node: &Node) -> Vec<Move> {
    let mut moves = leads_on(node);
    moves.push(told("stop", Command::Stop { mode: StopMode::Drain }).rare());
    moves.push(told("resume", Command::Resume).rare());
    for one in node.engine.pending() {
        if let Order::SetTimer(timer) = &one.effect.order {
            let fired = TimerFired { effect: one.effect.id };
            let mut fired = Move::of(format!("{} fires", timer.name), Fact::TimerFired(fired));
            fired.late = true;
            moves.push(fired);
        }
    }
    moves
}

fn small(units: Vec<UnitConfig>) -> sprint::Config {
    sprint::Config {
        max_retries: 2,
        max_continuations: 1,
        max_verifier_rounds: 2,
        force_from_attempt: 2,
        ..mission(units)
    }
}

fn walk_of(
    name: &'static str,
    mission: sprint::Config,
    fuel: u8,
    moves: fn(&Node) -> Vec<Move>,
) -> Walk {
    let config = config(mission);
    Walk { name, config, fuel, moves, eager: host_work, counted: None, most_states: 40_000 }
}

/// The arrows that the written stories take.
fn traced() -> BTreeSet<String> {
    let mut arrows = BTreeSet::new();
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/traces/sprint");
    for entry in std::fs::read_dir(folder).unwrap() {
        let text = std::fs::read_to_string(entry.unwrap().path()).unwrap();
        let mut lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let first = lines.next().unwrap();
        let config: Config = serde_json::from_value(first["config"].clone()).unwrap();
        let (mut engine, _) = Engine::start(&config, first["at"].as_u64().unwrap()).unwrap();
        for line in lines.filter(|line| line["refused"].is_null()) {
            let event = match &line["event"] {
                Value::String(text) => serde_json::from_str(text),
                event => serde_json::from_value(event.clone()),
            };
            engine.apply(&event.unwrap()).unwrap();
            if let Mission::Sprint(state) = &engine.snapshot().mission {
                arrows.extend(state.arrows());
            }
        }
    }
    arrows
}

/// Every arrow there is.
fn all_arrows() -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    for from in SprintStatus::ALL {
        let to = SprintStatus::ALL.iter().filter(|to| from.may_become(**to));
        all.extend(to.map(|to| format!("sprint {} → {}", from.as_str(), to.as_str())));
    }
    for from in UnitStatus::ALL {
        let to = UnitStatus::ALL.iter().filter(|to| from.may_become(**to));
        all.extend(to.map(|to| format!("unit {} → {}", from.as_str(), to.as_str())));
    }
    all
}

fn once(units: Vec<UnitConfig>) -> sprint::Config {
    sprint::Config { max_retries: 1, max_continuations: 0, max_verifier_rounds: 1, ..small(units) }
}

fn both() -> Vec<CriterionConfig> {
    vec![shown("AC-001"), judged("AC-002")]
}

#[test]
fn every_state_of_a_small_mission_keeps_every_rule() {
    let single = small(vec![unit("a", &[], vec![of("1", both())])]);
    let gated = vec![
        unit("a", &[], vec![of("1", vec![built("AC-001")])]),
        unit("b", &[], vec![part("1")]),
        unit("c", &["a"], vec![part("1")]),
    ];
    let pair = sprint::Config { max_retries: 1, max_continuations: 0, ..small(gated) };
    let alone = once(vec![unit("a", &[], vec![part("1")])]);
    let alone = sprint::Config { watchdog_interval_ms: 0, ..alone };
    let reached = walk_all(vec![
        walk_of("single", single, 2, onward),
        walk_of("pair", pair, 1, onward),
        walk_of("clock", alone, 1, clock),
    ]);
    for rule in ["run_gate", "check_criterion", "send_verifiers", "dispatch_sprints"] {
        assert!(reached.rules.contains(rule), "{rule} was never reached: {:?}", reached.rules);
    }
    for continuation in [Continuation::Continue, Continuation::Blocked, Continuation::Done] {
        assert!(reached.continuations.contains(&continuation), "{continuation:?}");
    }
}

/// Set once several sprints of one unit are to be judged at the same time.
static TOGETHER: AtomicBool = AtomicBool::new(false);

/// What leads on; notes where several sprints are to be judged.
fn judged_again(node: &Node) -> Vec<Move> {
    if let Mission::Sprint(state) = &node.engine.snapshot().mission {
        let due = state.sprints.iter().filter(|one| one.status == SprintStatus::Verifying);
        TOGETHER.fetch_or(due.count() > 1, Relaxed);
    }
    onward(node)
}

/// Three sprints of one unit change one file, so that at the end the first two are judged again.
#[test]
fn several_sprints_of_a_unit_are_judged_again_one_after_the_other() {
    let prose = |label| of(label, vec![judged("AC-002")]);
    let again = small(vec![unit("a", &[], vec![prose("1"), prose("2"), prose("3")])]);
    walk_all(vec![walk_of("judged again", again, 0, judged_again)]);
    assert!(TOGETHER.load(Relaxed), "no state in which several sprints of the unit are judged");
}

#[test]
fn every_command_at_every_moment_and_every_arrow() {
    let row = once(vec![unit("a", &[], vec![of("1", both())])]);
    let built_first = vec![of("1", vec![built("AC-001")])];
    let goes_on = vec![unit("a", &[], built_first), unit("b", &["a"], vec![part("1")])];
    let goes_on = sprint::Config { max_continuations: 1, ..once(goes_on) };
    let by_hand = CriterionConfig { check: Check::Person, ..shown("AC-001") };
    let by_hand = once(vec![unit("a", &[], vec![of("1", vec![by_hand])])]);
    let reached = walk_all(vec![
        walk_of("by hand", by_hand, 2, let_go),
        walk_of("commands", row, 2, commanded),
        walk_of("let go", goes_on, 2, let_go),
    ]);
    for continuation in [Continuation::AwaitUserInput, Continuation::Paused] {
        assert!(reached.continuations.contains(&continuation), "{continuation:?}");
    }
    every_arrow_was_taken(&reached);
}

/// By a walk or by a written story.
fn every_arrow_was_taken(reached: &Reached) {
    let known: BTreeSet<String> = traced().union(&reached.arrows).cloned().collect();
    let all = all_arrows();
    let never: Vec<&String> = all.difference(&known).collect();
    assert!(never.is_empty(), "arrows that nothing takes: {never:?}");
    let unknown: Vec<&String> = known.difference(&all).collect();
    assert!(unknown.is_empty(), "arrows that are in no list: {unknown:?}");
    say(&format!(
        "{} arrows, every one taken, {} of them by walks",
        all.len(),
        reached.arrows.len()
    ));
}
