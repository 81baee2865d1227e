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

#![allow(clippy::disallowed_methods, clippy::disallowed_types, clippy::unwrap_used, clippy::panic)]

mod common;
mod iterating;

use endstate::engine::{self, Applied, Engine, digest};
use endstate::protocols::Mission;
use endstate::protocols::iteration::State;
use endstate::protocols::iteration::state::Topic;
use endstate::snapshot::{Continuation, Snapshot};
use endstate::view::ClosedBy;
use endstate::vocab::budget::Budget;
use endstate::vocab::effect::{Delivery, Observe, Outstanding};
use endstate::vocab::error::Kind;
use endstate::vocab::question::{Answer, QuestionKind};
use iterating::*;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

const AT: u64 = 1_800_000_000_000;
const MOST_STATES: usize = 60_000;
/// How often on a path: more iterations, another command, a trouble, a grant.
type Fuel = [u8; 4];
const MORE: usize = 0;
const COMMAND: usize = 1;
const TROUBLE: usize = 2;
const GRANT: usize = 3;

#[derive(Clone)]
struct Node {
    engine: Engine,
    world: World,
    fuel: Fuel,
}

struct Walk {
    name: String,
    start: Node,
    commands: bool,
    troubles: bool,
    counted: Option<Counter>,
}

struct Move {
    label: String,
    fuel: Option<usize>,
    world: Option<World>,
    fact: Option<Fact>,
}

#[derive(Default)]
struct Reached {
    decided: BTreeSet<String>,
    continuations: BTreeSet<Continuation>,
    asked: BTreeSet<String>,
    ends: BTreeSet<String>,
    codes: BTreeSet<Code>,
    states: usize,
    transitions: usize,
    refused: usize,
}

fn state(node: &Node) -> &State {
    match &node.engine.snapshot().mission {
        Mission::Iteration(state) => state,
        _ => panic!("another protocol"),
    }
}

fn start(config: Config, budget: &[(Counter, u64)], fuel: Fuel) -> Node {
    let ample = Counter::ALL.into_iter().map(|counter| (counter, 100_000));
    let budget: BTreeMap<Counter, u64> = ample.chain(budget.iter().copied()).collect();
    let config = Config { attempts_per_step: 2, ..config };
    let mission = ProtocolConfig::Iteration(Box::new(config));
    let (mut engine, _) = Engine::start(&Start { budget, mission }, AT).unwrap();
    let mut world = World::new();
    while let Some(fact) = engine.pending().first().and_then(|one| world.perform(&engine, one)) {
        engine.apply(&Event { at: AT, fact }).unwrap();
    }
    let command = UserCommanded { id: None, command: Command::Start };
    engine.apply(&Event { at: AT, fact: Fact::UserCommanded(command) }).unwrap();
    Node { engine, world, fuel }
}

fn event(label: impl Into<String>, fact: Fact) -> Move {
    Move { label: label.into(), fuel: None, world: None, fact: Some(fact) }
}

fn fueled(mut one: Move, fuel: usize) -> Move {
    one.fuel = Some(fuel);
    one
}

fn moves(walk: &Walk, node: &Node) -> Vec<Move> {
    let mut all = Vec::new();
    let mut host = false;
    for one in node.engine.pending() {
        let effect = one.effect.id;
        match &one.effect.order {
            Order::SpawnRole(_) if one.live() => all.extend(ends(effect)),
            Order::SpawnRole(_) => {
                let started = RunStarted { effect, session: None };
                all.push(event("run starts", Fact::RunStarted(started)));
                all.push(event("no run starts", failed(effect, Code::HostFailed)));
            }
            Order::AskUser(question) => all.extend(answers_to(effect, question)),
            // The host works in order: only the first is up.
            _ if host => {}
            order => {
                host = true;
                all.extend(performed(walk, node, &one, order));
            }
        }
    }
    if walk.commands {
        all.extend(commands());
    }
    if walk.troubles {
        all.extend(troubles(node));
    }
    all
}

fn failed(effect: EffectId, code: Code) -> Fact {
    let problem = Error::new(code, "host", "another", "this").diagnostic();
    Fact::EffectFailed(EffectFailed { effect, problem })
}

fn ends(effect: EffectId) -> Vec<Move> {
    let end = |outcome, report: Option<&str>| {
        let usage = Usage { tokens: 1, ..Usage::default() };
        let report = report.map(str::to_owned);
        Fact::RunEnded(RunEnded { effect, outcome, report, problem: None, usage })
    };
    let well = [
        "Worked on it.",
        "DONE",
        "phase: processing",
        "phase: review",
        "phase: complete",
        "```done\n{}\n```",
    ];
    let mut all: Vec<Move> =
        well.iter().map(|words| event(*words, end(RunOutcome::Success, Some(words)))).collect();
    all.push(event("fails", end(RunOutcome::Failed, None)));
    all.push(event("is lost", end(RunOutcome::Lost, None)));
    all.push(event("is partial", end(RunOutcome::Partial, Some("DONE"))));
    all.push(event("is silent", end(RunOutcome::Success, None)));
    all
}

fn answers_to(effect: EffectId, question: &endstate::vocab::question::Question) -> Vec<Move> {
    let QuestionKind::Choice { options } = &question.kind else { panic!("not a choice") };
    let each = options.iter().map(|option| {
        let answer = Answer::Choice { option: option.id.clone() };
        let fact = Fact::QuestionAnswered(QuestionAnswered { effect, answer });
        let one = event(format!("{}: {}", question.topic, option.id), fact);
        match option.id.as_str() {
            "more" => fueled(one, MORE),
            "grant" => fueled(one, GRANT),
            _ => one,
        }
    });
    each.collect()
}

fn performed(walk: &Walk, node: &Node, one: &Outstanding, order: &Order) -> Vec<Move> {
    let effect = one.effect.id;
    let mut all = match order {
        Order::RunCommand(_) => [
            ("closed", Some(0), "{\"state\":\"CLOSED\"}"),
            ("open", Some(1), ""),
            ("open issue", Some(0), "{\"state\":\"OPEN\"}"),
            ("no status", None, ""),
        ]
        .into_iter()
        .map(|(label, status, output)| {
            let output = output.to_owned();
            let exited = CommandExited { effect, status, output, problem: None };
            event(label, Fact::CommandExited(exited))
        })
        .collect(),
        Order::Consult(_) => [
            ("yes", Some("{\"complete\":true}")),
            ("no", Some("{\"complete\":false}")),
            (
                "no, and a prompt",
                Some("{\"complete\":false,\"prompt\":\"Go on.\",\"memory\":\"m\"}"),
            ),
            ("garbled", Some("perhaps")),
            ("none", None),
        ]
        .into_iter()
        .map(|(label, answer)| {
            let answer = answer.map(str::to_owned);
            event(label, Fact::Consulted(Consulted { effect, answer, problem: None }))
        })
        .collect(),
        order => {
            let mut world = node.world.clone();
            let fact = world.perform(&node.engine, one);
            let world = Some(world);
            vec![Move { label: format!("performs {}", order.name()), fuel: None, world, fact }]
        }
    };
    if walk.troubles {
        let codes: &[Code] = match order {
            Order::WriteFile(_) => &[Code::WriteFailed, Code::ForeignWrite],
            Order::AppendHistory(_) => &[Code::WriteFailed, Code::ForeignAppend],
            _ => &[Code::HostFailed],
        };
        let fail = |code: &Code| {
            fueled(event(format!("{} fails: {code}", order.name()), failed(effect, *code)), TROUBLE)
        };
        all.extend(codes.iter().map(fail));
    }
    all
}

fn commands() -> Vec<Move> {
    let of = |label: &str, command: Command| {
        event(label, Fact::UserCommanded(UserCommanded { id: None, command }))
    };
    let named = |name: &str| (name.to_owned(), "why".to_owned());
    let mut all = vec![
        of("pause", Command::Pause),
        of("resume", Command::Resume),
        of("drain", Command::Stop { mode: StopMode::Drain }),
    ];
    let others = [
        ("start", Command::Start),
        ("wait", Command::Stop { mode: StopMode::Wait }),
        ("kill", Command::Kill),
        ("skip", {
            let (item, reason) = named("helper");
            Command::Skip { item, reason }
        }),
        ("skip other", {
            let (item, reason) = named("other");
            Command::Skip { item, reason }
        }),
        ("reopen", {
            let (item, reason) = named("helper");
            Command::Reopen { item, reason }
        }),
        ("reopen phase", {
            let (item, reason) = named("processing");
            Command::Reopen { item, reason }
        }),
        ("defer", {
            let (item, reason) = named("helper");
            Command::Defer { item, reason }
        }),
        ("amend", Command::Amend { changes: vec![] }),
        ("skip verification", Command::SkipVerification { reason: "why".to_owned() }),
        ("grant", Command::Grant { counter: Counter::Timers, amount: 1 }),
        ("grant nothing", Command::Grant { counter: Counter::Timers, amount: 0 }),
    ];
    all.extend(others.into_iter().map(|(label, command)| fueled(of(label, command), COMMAND)));
    all
}

fn troubles(node: &Node) -> Vec<Move> {
    let recovered = |from| {
        let fact = Fact::HostRecovered(HostRecovered { from, note: String::new() });
        fueled(event(format!("recovers from {from:?}"), fact), TROUBLE)
    };
    let mut all = vec![recovered(Recovery::Restart)];
    for path in [".agent/iteration/status.json", ".agent/iteration/summaries.jsonl"] {
        let foreign = |text: Option<&str>| {
            let mut world = node.world.clone();
            match text {
                Some(text) => world.files.insert(path.to_owned(), text.to_owned()),
                None => world.files.remove(path),
            };
            let label = format!("somebody writes {text:?} to {path}");
            Move { label, fuel: Some(TROUBLE), world: Some(world), fact: None }
        };
        all.extend([foreign(Some("mine\n")), foreign(None)]);
    }
    all
}

/// Only what decisions depend on: no numbers of events, no times, no texts, no digests.
fn key(node: &Node, counted: Option<Counter>) -> String {
    let mut snapshot = node.engine.snapshot().clone();
    let files = &state(node).core.files.known;
    let world: Vec<bool> = files
        .iter()
        .map(|(path, known)| node.world.files.get(path).map(|text| digest(text)) == known.digest)
        .collect();
    let head = &mut snapshot.head;
    (head.seq, head.at) = (0, 0);
    head.command_ids.clear();
    let left = counted.map(|counter| (counter, head.budget.left(counter).min(20)));
    head.budget = Budget::with_limits(&left.into_iter().collect());
    head.outbox = head.outbox.iter().map(|one| Arc::new(plain(one))).collect();
    let Mission::Iteration(state) = &mut snapshot.mission else { panic!("another protocol") };
    plain_core(state);
    renumber(&format!("{} {world:?} {:?}", serde_json::to_string(&snapshot).unwrap(), node.fuel))
}

fn plain(one: &Outstanding) -> Outstanding {
    let mut one = one.clone();
    match &mut one.effect.order {
        Order::SpawnRole(spawn) => spawn.prompt.clear(),
        Order::AskUser(question) => question.text.clear(),
        Order::Consult(consult) => consult.input.clear(),
        Order::Notify(notice) => notice.text.clear(),
        Order::AppendHistory(append) => {
            (append.offset, append.prefix_digest) = (0, None);
            append.text.clear();
        }
        Order::WriteFile(write) => {
            (write.revision, write.expected) = (0, None);
            write.aside = write.aside.as_ref().map(|_| String::new());
        }
        _ => {}
    }
    if let Delivery::Started { at, heard_at, last_line, .. } = &mut one.delivery {
        (*at, *heard_at, *last_line) = (0, 0, None);
    }
    one
}

fn plain_core(state: &mut State) {
    let core = &mut state.core;
    (core.facts, core.last_problem) = (Default::default(), None);
    (core.failed_runs, core.unshown_answers) = (0, 0);
    core.status.clear();
    core.summaries.iter_mut().for_each(|one| one.text.clear());
    // Only the last two say anything of the phase.
    let surplus = core.summaries.len().saturating_sub(2);
    core.summaries.drain(..surplus);
    core.next_prompt = core.next_prompt.as_ref().map(|_| String::new());
    core.note = core.note.as_ref().map(|_| String::new());
    let nothing = || Error::new(Code::RunFailed, "", "", "").diagnostic();
    core.blocked = core.blocked.as_ref().map(|_| nothing());
    core.files.unwritten.iter_mut().for_each(|line| line.text.clear());
    core.files.unwritten.dedup();
    core.files.notices.iter_mut().for_each(|notice| notice.text.clear());
    core.files.notices.dedup();
    for file in core.files.known.values_mut() {
        file.digest = file.digest.as_ref().map(|_| String::new());
        file.aside = file.aside.as_ref().map(|_| String::new());
        (file.length, file.wanted) = (0, u64::from(file.wanted > file.written));
        file.written = 0;
    }
    let answers = core.judging.iter_mut().flat_map(|one| &mut one.answers);
    for answer in answers.chain(core.last.iter_mut().flat_map(|one| &mut one.answers)).flatten() {
        (answer.words, answer.problem) = (String::new(), None);
    }
    if let Some(judging) = &mut core.judging {
        (judging.at, judging.input) = (0, None);
    }
    if let Some(last) = &mut core.last {
        last.words.clear();
    }
    if let Some(done) = &mut core.done {
        done.at = 0;
        done.description.clear();
    }
    plain_topic(core.asking.as_mut());
}

fn plain_topic(topic: Option<&mut Topic>) {
    let nothing = || Error::new(Code::RunFailed, "", "", "").diagnostic();
    match topic {
        Some(Topic::StepStuck { problem } | Topic::HandlerSilent { problem, .. }) => {
            *problem = nothing()
        }
        Some(Topic::EffectFailed { problem, then, .. }) => {
            *problem = nothing();
            plain_topic(then.as_deref_mut());
        }
        None => {}
    }
}

/// Effect ids become numbers in order of appearance.
fn renumber(text: &str) -> String {
    let mut names: BTreeMap<&str, usize> = BTreeMap::new();
    let parts = text.split('"').map(|part| {
        let digits = |part: &str| !part.is_empty() && part.bytes().all(|one| one.is_ascii_digit());
        match part.split_once('.') {
            Some((a, b)) if digits(a) && digits(b) => {
                let next = names.len();
                format!("#{}", names.entry(part).or_insert(next))
            }
            _ => part.to_owned(),
        }
    });
    digest(&parts.collect::<Vec<_>>().join("\""))
}

struct Search<'a> {
    walk: &'a Walk,
    known: BTreeSet<String>,
    parents: Vec<(usize, String)>,
    queue: VecDeque<(usize, Node)>,
    reached: Reached,
}

fn explore(walk: &Walk) -> Reached {
    let mut search = Search {
        walk,
        known: BTreeSet::new(),
        parents: Vec::new(),
        queue: VecDeque::new(),
        reached: Reached::default(),
    };
    let mut first = walk.start.clone();
    search.settle(0, "start", &mut first);
    search.enter(0, "start".to_owned(), first);
    while let Some((at, node)) = search.queue.pop_front() {
        search.probe(at, &node);
        for next in moves(walk, &node) {
            search.take(at, &node, next);
        }
        assert!(search.known.len() <= MOST_STATES, "{}: too many states", walk.name);
    }
    search.reached.states = search.known.len();
    let Reached { states, transitions, refused, .. } = &search.reached;
    say(&format!(
        "walk iteration/{}: {states} states, {transitions} transitions, {refused} refused events, frontier empty",
        walk.name
    ));
    search.reached
}

fn say(line: &str) {
    use std::io::Write;
    let _ = writeln!(std::io::stderr(), "{line}");
}

impl Search<'_> {
    fn fail(&self, at: usize, label: &str, node: &Node, what: &str) -> ! {
        let (mut here, mut path) = (at, vec![label.to_owned()]);
        while here != 0 {
            let (parent, label) = &self.parents[here];
            path.push(label.clone());
            here = *parent;
        }
        path.reverse();
        let outbox: Vec<String> = node
            .engine
            .pending()
            .iter()
            .map(|one| format!("{} {}", one.effect.id, one.effect.order.name()))
            .collect();
        panic!(
            "walk {}: {what}\n  {}\noutbox {outbox:?}\nasking {:?}\nwhy {:?}",
            self.walk.name,
            path.join("\n  "),
            state(node).core.asking,
            node.engine.why().chosen
        )
    }

    fn enter(&mut self, from: usize, label: String, node: Node) {
        if !self.known.insert(key(&node, self.walk.counted)) {
            return;
        }
        let at = self.parents.len();
        self.parents.push((from, label));
        self.look(at, &node);
        self.queue.push_back((at, node));
    }

    fn take(&mut self, at: usize, node: &Node, next: Move) {
        let mut after = node.clone();
        let mut spent = false;
        if let Some(fuel) = next.fuel {
            match after.fuel[fuel] {
                // One more command is tried everywhere, to see that it is refused or harmless.
                0 if fuel == COMMAND => spent = true,
                0 => return,
                _ => after.fuel[fuel] -= 1,
            }
        }
        if let Some(world) = next.world {
            after.world = world;
        }
        if let Some(fact) = next.fact {
            if !self.event(at, &next.label, &mut after, fact) || spent {
                return;
            }
            self.settle(at, &next.label, &mut after);
        }
        self.reached.transitions += 1;
        self.enter(at, next.label, after);
    }

    /// The host performs its own work at once, where a walk is not about that.
    fn settle(&mut self, at: usize, label: &str, node: &mut Node) {
        let own = |order: &Order| {
            let look = matches!(order, Order::Observe(Observe::Documents { .. }));
            let write = matches!(order, Order::WriteFile(_) | Order::AppendHistory(_));
            look || write || matches!(order, Order::Notify(_) | Order::StopRole(_))
        };
        for _ in 0..60 {
            if self.walk.troubles {
                return;
            }
            let due = node.engine.pending().into_iter().find(|one| own(&one.effect.order));
            let Some(due) = due else { return };
            let fact = node.world.perform(&node.engine, &due).unwrap();
            if !self.event(at, label, node, fact) {
                self.fail(at, label, node, "the answer of the host was refused");
            }
        }
        self.fail(at, label, node, "host work never ends");
    }

    fn event(&mut self, at: usize, label: &str, node: &mut Node, fact: Fact) -> bool {
        let event = Event { at: AT, fact };
        let before = node.engine.snapshot().clone();
        let stepped = engine::step(&before, &event);
        match (node.engine.apply(&event), stepped) {
            (Err(error), Err(again)) if error == again => {
                self.reached.refused += 1;
                self.reached.codes.insert(error.code);
                if error.kind == Kind::Broken || before != *node.engine.snapshot() {
                    self.fail(at, label, node, &format!("refused: {error}"));
                }
                false
            }
            (Ok(applied), Ok(step))
                if step.snapshot == *node.engine.snapshot() && step.decided == applied.decided =>
            {
                self.taken(at, label, node, &before, &applied);
                true
            }
            _ => self.fail(at, label, node, "step and Engine::apply differ"),
        }
    }

    fn taken(&mut self, at: usize, label: &str, node: &Node, before: &Snapshot, done: &Applied) {
        let snapshot = node.engine.snapshot();
        if let Err(error) = node.engine.check() {
            self.fail(at, label, node, &error.to_string());
        }
        let continuation = node.engine.continuation();
        if continuation == Continuation::Continue && snapshot.head.outbox.is_empty() {
            self.fail(at, label, node, "continues with nothing under way");
        }
        if let Some(fault) = spending(before, snapshot, done) {
            self.fail(at, label, node, &fault);
        }
        let mut others = Counter::ALL.into_iter().filter(|one| Some(*one) != self.walk.counted);
        if others.any(|one| snapshot.head.budget.left(one) == 0) {
            self.fail(at, label, node, "a budget is spent, but no part of a state");
        }
        let chosen = node.engine.why().chosen;
        let decided = done.decided.rule.as_str();
        let waits = ["waiting_for_answer", "run_live", "question_open"];
        if decided != chosen.name && !waits.contains(&chosen.name.as_str()) {
            self.fail(at, label, node, &format!("decided {decided}, but why says {chosen:?}"));
        }
        self.reached.decided.insert(decided.to_owned());
        self.reached.continuations.insert(continuation);
        let core = &state(node).core;
        let problems = core.last_problem.iter().chain(&core.blocked);
        self.reached.codes.extend(problems.map(|problem| problem.code));
        for effect in &done.effects {
            if let Order::AskUser(question) = &effect.order {
                self.reached.asked.insert(question.topic.clone());
            }
        }
        if let Some(end) = &core.done {
            let word = if end.waived.is_empty() { end.closed_by } else { ClosedBy::Verified };
            self.reached.ends.insert(format!("{word:?}"));
        }
    }

    /// Once per state: what can be asked of it, and that it survives being written down.
    fn look(&mut self, at: usize, node: &Node) {
        let why = node.engine.why();
        assert_eq!(why.others.len() + usize::from(why.chosen.rule.is_some()), 4);
        let view = node.engine.view();
        assert_eq!(view.nodes.len(), 1);
        for file in node.engine.files().iter().filter(|file| file.projection) {
            node.engine.render(&file.path).unwrap();
        }
        let text = serde_json::to_string(node.engine.snapshot()).unwrap();
        match Snapshot::read(&text) {
            Ok(read) if read == *node.engine.snapshot() => {}
            Ok(_) => self.fail(at, "", node, "a crash changes the state"),
            Err(error) => self.fail(at, "", node, &format!("cannot be opened again: {error}")),
        }
    }

    /// Answers to nothing, late and wrong ones leave no trace.
    fn probe(&mut self, at: usize, node: &Node) {
        let mut copy = node.clone();
        let one = |effect| Fact::TimerFired(TimerFired { effect });
        let mut probes = vec![
            ("unknown", one(EffectId { seq: u64::from(u32::MAX), n: 1 })),
            ("stale", one(EffectId { seq: 0, n: 9 })),
        ];
        if let Some(pending) = node.engine.pending().first() {
            probes.push(("wrong", one(pending.effect.id)));
            if !pending.live() && matches!(pending.effect.order, Order::SpawnRole(_)) {
                let (effect, entries) = (pending.effect.id, Vec::new());
                probes.push(("early", Fact::RunProgressed(RunProgressed { effect, entries })));
            }
        }
        for (label, fact) in probes {
            if self.event(at, label, &mut copy, fact) {
                self.fail(at, label, node, "an answer was taken that answers nothing");
            }
        }
    }
}

/// What was spent is what was ordered, less what was withdrawn.
fn spending(before: &Snapshot, now: &Snapshot, done: &Applied) -> Option<String> {
    let gone = done.decided.withdrawn.iter().filter_map(|id| before.head.find(*id));
    let gone: Vec<Counter> = gone.map(|one| one.effect.order.counter()).collect();
    for counter in Counter::ALL {
        if matches!(counter, Counter::Tokens | Counter::CostMicros) {
            continue;
        }
        let ordered =
            done.effects.iter().filter(|one| one.order.counter() == counter).count() as u64;
        let back = gone.iter().filter(|one| **one == counter).count() as u64;
        let was = before.head.budget.account(counter).spent;
        let is = now.head.budget.account(counter);
        let expected = (was + ordered).saturating_sub(back);
        let stops = done.effects.iter().any(|one| matches!(one.order, Order::StopRole(_)));
        if is.spent != expected && !(stops && is.spent == is.limit) {
            return Some(format!("{} spent {}, expected {expected}", counter.as_str(), is.spent));
        }
    }
    None
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
