//! The exhaustive walk of what is asked before the work, in every protocol: everything that the run which proposes, the host, the
//! world and the user can do at every moment, from the start to where somebody may write. Then nothing that was not taken decides,
//! and nobody wrote before.

use crate::common::report_for;
use crate::wandering::*;
use crate::{grid_tales, iterating, promise_tales, sprint_tales};
use endstate::engine::Config;
use endstate::mission::proof::{Proof, ProofConfig};
use endstate::protocols::ProtocolConfig;
use endstate::vocab::budget::Counter;
use endstate::vocab::command::{Accept, Command, StopMode};
use endstate::vocab::effect::{Order, Outstanding};
use endstate::vocab::error::{Code, Error};
use endstate::vocab::event::*;
use endstate::vocab::role::Access;
use serde_json::{Value, json};

/// The user is asked, and what is no part of a state never runs out.
fn asking(config: Config, little: &[(Counter, u64)]) -> Config {
    let ample = Counter::ALL.into_iter().map(|counter| (counter, 100_000));
    let budget = ample.chain(little.iter().copied()).collect();
    let proof = ProofConfig { accept: Accept::Ask, ..ProofConfig::default() };
    Config { budget, proof, ..config }
}

/// Runs, questions and looks at the tree are steps of their own.
fn eager(order: &Order) -> bool {
    !matches!(
        order,
        Order::SpawnRole(_) | Order::AskUser(_) | Order::SetTimer(_) | Order::Observe(_)
    )
}

fn is_write(one: &Outstanding) -> bool {
    matches!(&one.effect.order, Order::SpawnRole(spawn) if spawn.access == Access::Write)
}

/// Nobody writes before the user was asked, and what decides is what they took.
fn holds(node: &Node) {
    let Proof { config, proposal, .. } = &*node.engine.snapshot().head.proof;
    let spent = node.engine.snapshot().head.budget.left(Counter::Questions) == 0;
    let answered = proposal.as_ref().is_some_and(|proposal| proposal.answered);
    if node.engine.pending().iter().any(is_write) {
        assert!(answered || config.accept != Accept::Ask || spent, "somebody writes: {proposal:?}");
    }
    let declared = node.engine.programs().contains_key("taken");
    let kept = |one: &endstate::mission::proof::Asked| !one.argv.is_empty();
    let taken = answered && proposal.iter().flat_map(|proposal| &proposal.asked).any(kept);
    assert_eq!(declared, taken, "{proposal:?}");
}

/// Whatever can happen before somebody may write.
fn asked(node: &Node) -> Vec<Move> {
    holds(node);
    let pending = node.engine.pending();
    let proof = &node.engine.snapshot().head.proof;
    let answered = proof.proposal.as_ref().is_some_and(|proposal| proposal.answered);
    if answered || pending.iter().any(is_write) {
        return Vec::new();
    }
    let mut moves: Vec<Move> = pending.iter().flat_map(|one| onward(node, one)).collect();
    let told = |label: &str, command| {
        Move::of(label, Fact::UserCommanded(UserCommanded { id: None, command }))
    };
    moves.extend([
        told("resume", Command::Resume),
        told("pause", Command::Pause).once(0),
        told("kill", Command::Kill).once(1),
        told("drain", Command::Stop { mode: StopMode::Drain }).once(2),
        told("accept", Command::Accept { what: Accept::Judged }).once(3),
        told("ask", Command::Accept { what: Accept::Ask }).once(4),
    ]);
    let back = HostRecovered { from: Recovery::Restart, note: String::new() };
    moves.push(Move::of("the host comes back", Fact::HostRecovered(back)).once(5));
    moves
}

fn onward(node: &Node, one: &Outstanding) -> Vec<Move> {
    let effect = one.effect.id;
    let fails = || {
        let problem = Error::new(Code::HostFailed, "host", "it to work", "it did not").diagnostic();
        Move::of("the host fails", Fact::EffectFailed(EffectFailed { effect, problem })).once(6)
    };
    match &one.effect.order {
        Order::SpawnRole(spawn) if one.live() => match spawn.role.as_str() {
            "check-proposer" => proposes(node, effect),
            _ => vec![says(node, effect, "plans", plan())],
        },
        Order::SpawnRole(_) => {
            let begun = Fact::RunStarted(RunStarted { effect, session: None, confined: false });
            vec![Move::of("starts", begun), fails()]
        }
        Order::AskUser(question) => {
            let answered = |answer| {
                let label = format!("{} {answer:?}", question.topic);
                let next =
                    Move::of(label, Fact::QuestionAnswered(QuestionAnswered { effect, answer }));
                // Other questions come of what happened once.
                if question.topic == "proof" { next } else { next.rare() }
            };
            answers(&question.kind, "").into_iter().map(answered).collect()
        }
        Order::Observe(_) => {
            let mut world = node.world.clone();
            let seen = world.perform(&node.engine, one).unwrap();
            vec![Move::of("looks", seen), fails()]
        }
        _ => Vec::new(),
    }
}

fn says(node: &Node, effect: EffectId, label: &str, block: Value) -> Move {
    let text = report_for(node.engine.mission(), block);
    Move::of(label, ended(effect, RunOutcome::Success, Some(text)))
}

/// What re-grounds a mission of completion.
fn plan() -> Value {
    json!({
        "plan_basis": "read everything", "slices": [crate::common::slice("S1")], "selected": {"slice_id": "S1"},
        "remaining_release_blockers": 0, "remaining_high_value_gaps": 0,
    })
}

fn proposes(node: &Node, effect: EffectId) -> Vec<Move> {
    let asked = &node.engine.snapshot().head.proof.proposal.as_ref().unwrap().asked;
    let rows = |argv: &[&str]| {
        let row = |at: usize| {
            let argv = if at == 1 { argv } else { &[] };
            json!({"criterion": format!("WORDS-{at}"), "argv": argv, "reason": "so"})
        };
        json!({"criteria": (1..=asked.len()).map(row).collect::<Vec<_>>()})
    };
    let mut left = node.world.clone();
    left.dirty.insert("left.txt".to_owned(), "left".to_owned());
    let mut committed = node.world.clone();
    committed.commit(&["src/mine.c"]);
    vec![
        says(node, effect, "proposes", rows(&["taken", "it"])),
        says(node, effect, "proposes nothing", rows(&[])),
        says(node, effect, "leaves a file", rows(&["taken"])).in_world(left).once(7),
        says(node, effect, "commits", rows(&["taken"])).in_world(committed).once(8),
        says(node, effect, "misses", json!({"criteria": []})),
        Move::of("is lost", ended(effect, RunOutcome::Lost, None)),
        Move::of("is silent", ended(effect, RunOutcome::Success, None)),
    ]
}

const MOST: usize = 40_000;

#[test]
fn nobody_writes_before_the_user_was_asked() {
    let completion = ProtocolConfig::Completion(crate::common::Story::small());
    let iterate = iterating::config("iterate", json!({"maxIterations": 2}));
    let sprint = sprint_tales::single(vec![sprint_tales::judged("AC-001")]);
    let all = [
        ("asked completion", Config::new(completion)),
        ("asked promise", promise_tales::of(promise_tales::single())),
        ("asked iteration", iterating::held(iterate, &[]).config),
        ("asked sprint", sprint_tales::wrap(sprint)),
        ("asked grid", grid_tales::of(grid_tales::single())),
    ];
    let of = |name, config, little: &[(Counter, u64)], counted| Walk {
        name,
        config: asking(config, little),
        fuel: 3,
        moves: asked,
        eager,
        counted,
        most_states: MOST,
    };
    let mut walks: Vec<Walk> = Vec::new();
    let (_, promise) = all[1].clone();
    for (counter, limit) in [
        (Counter::RoleRuns, 1),
        (Counter::Observations, 2),
        (Counter::Questions, 1),
        (Counter::MalformedReports, 1),
    ] {
        walks.push(of(counter.as_str(), promise.clone(), &[(counter, limit)], Some(counter)));
    }
    walks.extend(all.map(|(name, config)| of(name, config, &[], None)));
    let reached = walk_all(walks);
    say(&format!("walk asked: {} states, {} transitions", reached.states, reached.transitions));
    for guard in ["question_open", "waiting_for_answer", "budget_spent", "not_continuing"] {
        assert!(reached.rules.contains(guard), "{guard} never decided: {:?}", reached.rules);
    }
}
