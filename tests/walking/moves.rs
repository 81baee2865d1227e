//! What can happen next, per walk. Each walk varies one side in full and the others a little.

use super::explore::{COMMAND, HOST, Move, Node, ROLE, WORLD};
use super::reports::reports;
use crate::common::World;
use endstate::vocab::budget::Counter;
use endstate::vocab::command::{Command, NewItem, PlanChange, StopMode};
use endstate::vocab::effect::{Order, Outstanding};
use endstate::vocab::error::{Code, Diagnostic, Error};
use endstate::vocab::event::*;
use endstate::vocab::question::{Answer, QuestionKind};

fn event(label: impl Into<String>, fact: Fact) -> Move {
    Move { label: label.into(), fuel: None, world: None, fact: Some(fact) }
}

fn spend(mut next: Move, fuel: usize) -> Move {
    next.fuel = Some(fuel);
    next
}

fn problem(code: Code) -> Diagnostic {
    Error::new(code, "host", "another", "this").diagnostic()
}

pub fn command(label: &str, command: Command) -> Move {
    event(label, Fact::UserCommanded(UserCommanded { id: None, command }))
}

/// Only the host's own work that says nothing new.
pub fn writes(order: &Order) -> bool {
    matches!(
        order,
        Order::WriteFile(_) | Order::AppendHistory(_) | Order::StopRole(_) | Order::Notify(_)
    )
}

/// All that a host can do without a person or an agent.
pub fn everything(order: &Order) -> bool {
    writes(order) || matches!(order, Order::Observe(_) | Order::CommitFiles(_))
}

/// Nothing is done without being a step of its own.
pub fn nothing(_: &Order) -> bool {
    false
}

/// How a walk varies roles.
#[derive(Clone, Copy, PartialEq)]
enum Roles {
    /// The whole catalogue.
    Every,
    /// What leads to the end, and one failed run.
    Few,
}

fn progress(node: &Node, roles: Roles, failures: bool) -> Vec<Move> {
    let pending = node.engine.pending();
    let mut all = Vec::new();
    let mut host = false;
    for one in &pending {
        match &one.effect.order {
            Order::SpawnRole(spawn) if one.live() => {
                all.extend(run_ends(node, one.effect.id, &spawn.role, roles));
            }
            Order::SpawnRole(spawn) => all.extend(run_starts(&spawn.role, one.effect.id, roles)),
            Order::AskUser(question) => all.extend(answers(one.effect.id, &question.kind)),
            // The host works in order: only the first is up.
            _ if !host => {
                host = true;
                all.extend(host_answers(node, one, failures));
            }
            _ => {}
        }
    }
    all
}

fn run_starts(role: &str, effect: EffectId, roles: Roles) -> Vec<Move> {
    let start = |session: Option<&str>| {
        let session = session.map(str::to_owned);
        event(
            format!("run starts {session:?}"),
            Fact::RunStarted(RunStarted { effect, session, confined: false }),
        )
    };
    match (roles, role) {
        (Roles::Every, "completion-implementer") => vec![start(Some("one"))],
        (Roles::Every, "completion-reviewer" | "completion-auditor" | "completion-stop-judge") => {
            vec![start(None), start(Some("one"))]
        }
        _ => vec![start(None)],
    }
}

fn ended(effect: EffectId, outcome: RunOutcome, report: Option<String>) -> Fact {
    let usage = Default::default();
    Fact::RunEnded(RunEnded { effect, outcome, report, problem: None, usage })
}

fn run_ends(node: &Node, effect: EffectId, role: &str, roles: Roles) -> Vec<Move> {
    let mut all: Vec<Move> = Vec::new();
    for said in reports(node, role, roles == Roles::Every) {
        if roles == Roles::Few && !leads_on(&said.label) {
            continue;
        }
        let fact = ended(effect, RunOutcome::Success, Some(said.text));
        let label = format!("{role}: {}", said.label);
        all.push(Move {
            label,
            fuel: said.wild.then_some(ROLE),
            world: Some(said.world),
            fact: Some(fact),
        });
    }
    all.push(event(format!("{role} fails"), ended(effect, RunOutcome::Failed, None)));
    if roles == Roles::Every {
        all.extend(ends_badly(node, effect, role));
    }
    all
}

fn leads_on(label: &str) -> bool {
    const WORDS: [&str; 10] = [
        "good",
        "plan",
        "accept",
        "accept, select S2",
        "send back",
        "select S2",
        "claim",
        "yes",
        "may stop",
        "reopen S1",
    ];
    WORDS.contains(&label)
}

fn ends_badly(node: &Node, effect: EffectId, role: &str) -> Vec<Move> {
    let mut all = vec![
        event(format!("{role} is lost"), ended(effect, RunOutcome::Lost, None)),
        event(format!("{role} is partial"), ended(effect, RunOutcome::Partial, None)),
        event(format!("{role} is silent"), ended(effect, RunOutcome::Success, None)),
    ];
    let usage = endstate::vocab::role::Usage { turns_exhausted: true, ..Default::default() };
    let (report, problem_now) = (None, None);
    let outcome = RunOutcome::Checkpoint;
    let exhausted =
        Fact::RunEnded(RunEnded { effect, outcome, report, problem: problem_now, usage });
    all.push(event(format!("{role} is exhausted"), exhausted));
    if role == "completion-implementer" {
        let mut world = node.world.clone();
        world.commit(&["src/S1.c"]);
        let mut late =
            event("implementer commits and is lost", ended(effect, RunOutcome::Lost, None));
        late.world = Some(world);
        all.push(late);
    }
    all
}

fn answers(effect: EffectId, kind: &QuestionKind) -> Vec<Move> {
    let good: Vec<Answer> = match kind {
        QuestionKind::FreeText => vec![Answer::Text { text: "blue".to_owned() }],
        QuestionKind::Choice { options } => {
            options.iter().map(|one| Answer::Choice { option: one.id.clone() }).collect()
        }
        QuestionKind::Confirmation => [true, false].map(|yes| Answer::Confirmation { yes }).into(),
        QuestionKind::ManualStep { .. } => {
            let note = "as asked".to_owned();
            [true, false].map(|done| Answer::ManualStep { done, note: note.clone() }).into()
        }
    };
    let wrong = [Answer::Text { text: " ".to_owned() }, Answer::Choice { option: "?".to_owned() }];
    let all = good.into_iter().chain(wrong);
    all.map(|answer| {
        let label = format!("answer {}", serde_json::to_string(&answer).unwrap());
        event(label, Fact::QuestionAnswered(QuestionAnswered { effect, answer }))
    })
    .collect()
}

fn host_answers(node: &Node, one: &Outstanding, failures: bool) -> Vec<Move> {
    let effect = one.effect.id;
    let name = one.effect.order.name();
    let mut world = node.world.clone();
    let Some(fact) = world.perform(&node.engine, one) else { return Vec::new() };
    let mut all = vec![Move {
        label: format!("host: {name}"),
        fuel: None,
        world: Some(world),
        fact: Some(fact),
    }];
    // What was before the work decides nothing that follows: it comes out in every way where the host fails, too.
    if let Order::RunCommand(order) = &one.effect.order
        && (failures || order.purpose != "proof 0")
    {
        for status in [Some(1), None] {
            let exited = CommandExited::new(effect, status, "two tests fail");
            let exited = Fact::CommandExited(exited);
            all.push(event(format!("verifier exits with {status:?}"), exited));
        }
    }
    if failures {
        let code = match &one.effect.order {
            Order::CommitFiles(_) => Code::CommitRefused,
            Order::WriteFile(_) | Order::AppendHistory(_) => Code::WriteFailed,
            _ => Code::HostFailed,
        };
        let failed = Fact::EffectFailed(EffectFailed { effect, problem: problem(code) });
        all.push(spend(event(format!("host fails: {name}"), failed), HOST));
    }
    all
}

/// The report of an implementer that rewrote the history.
pub const REWRITES: &str = "rewrites history";

/// Every kind of report, with a host that works; but none over a history that was rewritten.
pub fn roles(node: &Node) -> Vec<Move> {
    let mut all = reporting(node);
    all.retain(|one| !one.label.ends_with(REWRITES));
    all
}

/// The same, but of all that happens once on a path only that history.
pub fn rewritten(node: &Node) -> Vec<Move> {
    let mut all = reporting(node);
    all.retain(|one| one.fuel.is_none() || one.label.ends_with(REWRITES));
    all
}

fn reporting(node: &Node) -> Vec<Move> {
    let mut all = progress(node, Roles::Every, false);
    for one in &mut all {
        // Work that is given back is among what happens once on a path.
        if one.label.ends_with("send back") {
            one.fuel = Some(ROLE);
        }
    }
    all.push(command("resume", Command::Resume));
    all
}

/// What leads on, with a host that works.
pub fn onward(node: &Node) -> Vec<Move> {
    progress(node, Roles::Few, false)
}

/// Every command of the user at every moment.
pub fn commands(node: &Node) -> Vec<Move> {
    let mut all = progress(node, Roles::Few, false);
    all.extend(user());
    all
}

/// A host that fails, a world that moves, files that are edited, crashes.
pub fn troubles(node: &Node) -> Vec<Move> {
    let mut all = progress(node, Roles::Few, true);
    all.push(command("resume", Command::Resume));
    all.extend(world_moves(node));
    for from in [Recovery::Restart, Recovery::Compaction] {
        let note = String::new();
        let fact = Fact::HostRecovered(HostRecovered { from, note });
        all.push(spend(event(format!("host recovers from {from:?}"), fact), HOST));
    }
    all
}

/// Little budgets, answered and granted. Every run costs a token.
pub fn budgets(node: &Node) -> Vec<Move> {
    let mut all = progress(node, Roles::Few, false);
    for one in &mut all {
        match &mut one.fact {
            Some(Fact::RunEnded(ended)) => ended.usage.tokens = 1,
            Some(Fact::QuestionAnswered(answered)) if grants(&answered.answer) => {
                one.fuel = Some(COMMAND);
            }
            _ => {}
        }
    }
    let live = node.engine.pending().into_iter().find(Outstanding::live);
    all.extend(live.map(|one| {
        let nonsense = Some("nonsense".to_owned());
        event("nonsense", ended(one.effect.id, RunOutcome::Success, nonsense))
    }));
    all.push(command("resume", Command::Resume));
    for counter in Counter::ALL {
        if node.engine.snapshot().head.budget.left(counter) == 0 {
            let grant = Command::Grant { counter, amount: 1 };
            all.push(spend(command(&format!("grant {}", counter.as_str()), grant), COMMAND));
        }
    }
    all
}

fn grants(answer: &Answer) -> bool {
    matches!(answer, Answer::Choice { option } if option.starts_with("grant"))
}

/// What the user may say.
pub fn user() -> Vec<Move> {
    let why = || "because".to_owned();
    let id = |id: &str| id.to_owned();
    let mut all = vec![
        command("pause", Command::Pause),
        command("resume", Command::Resume),
        command("drain", Command::Stop { mode: StopMode::Drain }),
        command("wait", Command::Stop { mode: StopMode::Wait }),
        command("stop and kill", Command::Stop { mode: StopMode::Kill }),
        command("kill", Command::Kill),
    ];
    let mut costly = vec![
        command("start", Command::Start),
        command("skip verification", Command::SkipVerification { reason: why() }),
        command("skip verification for nothing", Command::SkipVerification { reason: id(" ") }),
        command("grant nothing", Command::Grant { counter: Counter::RoleRuns, amount: 0 }),
        command("grant", Command::Grant { counter: Counter::RoleRuns, amount: 1 }),
        command("skip nothing", Command::Skip { item: id("S9"), reason: why() }),
    ];
    for item in ["S1", "S2"] {
        costly.extend([
            command(&format!("skip {item}"), Command::Skip { item: id(item), reason: why() }),
            command(&format!("defer {item}"), Command::Defer { item: id(item), reason: why() }),
            command(&format!("reopen {item}"), Command::Reopen { item: id(item), reason: why() }),
        ]);
    }
    for (label, change) in changes() {
        costly.push(command(label, Command::Amend { changes: vec![change] }));
    }
    let again = UserCommanded { id: Some(id("twice")), command: Command::Pause };
    all.push(event("pause by id", Fact::UserCommanded(again)));
    all.extend(costly.into_iter().map(|next| spend(next, COMMAND)));
    all
}

fn changes() -> Vec<(&'static str, PlanChange)> {
    let id = |id: &str| id.to_owned();
    let item = NewItem {
        id: id("S3"),
        goal: id("Do S3"),
        shown_by: Vec::new(),
        acceptance_criteria: vec![id("AC-A: it works"), id("AC-B: it is tested")],
        contract_ids: vec![id("C-S1")],
        priority: 2,
        why_now: id("wanted"),
        blocked_on: vec![],
    };
    let text = id("AC-C: it is fast");
    vec![
        ("add S3", PlanChange::AddItem { item }),
        ("add a criterion", PlanChange::AddCriterion { item: id("S1"), text, shown_by: None }),
        (
            "waive",
            PlanChange::WaiveCriterion {
                item: id("S1"),
                criterion: id("AC-B"),
                reason: id("moot"),
            },
        ),
        (
            "waive the unknown",
            PlanChange::WaiveCriterion {
                item: id("S1"),
                criterion: id("AC-9"),
                reason: id("moot"),
            },
        ),
        ("rank", PlanChange::SetPriority { item: id("S2"), priority: 1 }),
        ("reorder", PlanChange::Reorder { order: vec![id("S2"), id("S1")] }),
        ("reorder badly", PlanChange::Reorder { order: vec![id("S2")] }),
    ]
}

fn world_moves(node: &Node) -> Vec<Move> {
    let mut all = Vec::new();
    let mut change = |label: &str, change: &dyn Fn(&mut World)| {
        let mut world = node.world.clone();
        change(&mut world);
        let (world, fact) = (Some(world), None);
        all.push(Move { label: label.to_owned(), fuel: Some(WORLD), world, fact });
    };
    change("a person leaves dirt", &|world| {
        world.dirty.insert("mine.txt".to_owned(), "d3".to_owned());
    });
    change("a person commits", &|world| {
        world.commit(&["mine.txt"]);
    });
    change("the head is detached", &|world| world.detached = true);
    change("a merge begins", &|world| world.problem = Some(problem(Code::OperationInProgress)));
    change("branches move", &|world| world.refs = "others".to_owned());
    change("everything is tidied", &|world| {
        world.dirty.clear();
        world.detached = false;
        world.problem = None;
    });
    for path in [".agent/plan.json", ".agent/state.json", ".agent/slice-history.jsonl"] {
        let Some(text) = node.world.files.get(path) else { continue };
        change(&format!("{path} is lost"), &|world| {
            world.files.remove(path);
        });
        change(&format!("{path} is garbled"), &|world| {
            world.files.insert(path.to_owned(), format!("{text}?"));
        });
    }
    if let Some(text) = node.world.files.get(".agent/plan.json") {
        let edited = text.replace("\"it is next\"", "\"a person says so\"");
        change("a good edit of the plan", &|world| {
            world.files.insert(".agent/plan.json".to_owned(), edited.clone());
        });
        let forged = text.replace("\"planned\"", "\"done\"");
        change("a forged plan", &|world| {
            world.files.insert(".agent/plan.json".to_owned(), forged.clone());
        });
        let both = text.replace("\"planned\"", "\"selected\"");
        change("two slices selected by hand", &|world| {
            world.files.insert(".agent/plan.json".to_owned(), both.clone());
        });
    }
    for path in [".agent/mission.md", ".agent/verify_completion_stop.sh", ".gitignore"] {
        if !node.world.files.contains_key(path) {
            continue;
        }
        change(&format!("{path} is lost"), &|world| {
            world.files.remove(path);
        });
        change(&format!("{path} is changed"), &|world| {
            world.files.insert(path.to_owned(), "something else\n".to_owned());
        });
    }
    all
}
