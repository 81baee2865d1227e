//! The search: breadth first, every state once, parents kept for the shortest counterexample.

use super::key::key;
use crate::common::World;
use endstate::engine::{self, Applied, Engine};
use endstate::mission::life::Topic;
use endstate::protocols::Mission;
use endstate::snapshot::{Continuation, Snapshot};
use endstate::vocab::budget::Counter;
use endstate::vocab::command::Command;
use endstate::vocab::effect::{Order, Outstanding};
use endstate::vocab::error::{Code, Error, Kind};
use endstate::vocab::event::*;
use std::collections::{BTreeSet, VecDeque};

/// All events of a walk happen at this time: time decides nothing.
pub const AT: u64 = 1_800_000_000_000;

/// How often something may still happen on a path; [`ENDLESS`] for as often as it likes.
pub type Fuel = [u8; 4];
pub const ENDLESS: u8 = u8::MAX;
pub const COMMAND: usize = 0;
pub const WORLD: usize = 1;
pub const HOST: usize = 2;
pub const ROLE: usize = 3;

/// One state: engine and world.
#[derive(Clone)]
pub struct Node {
    pub engine: Engine,
    pub world: World,
    pub fuel: Fuel,
}

impl Node {
    pub fn state(&self) -> &endstate::protocols::completion::State {
        let Mission::Completion(state) = &self.engine.snapshot().mission else {
            panic!("another protocol")
        };
        state
    }
}

/// Something that can happen next: the world changes, or an event comes, or first one and then the
/// other.
pub struct Move {
    pub label: String,
    pub fuel: Option<usize>,
    pub world: Option<World>,
    pub fact: Option<Fact>,
}

/// One walk.
pub struct Walk {
    pub name: &'static str,
    pub start: Node,
    pub moves: fn(&Node) -> Vec<Move>,
    /// Orders that the host always performs at once and with success.
    pub eager: fn(&Order) -> bool,
    /// The counter that is part of a state. The others must never reach their limits.
    pub counted: Option<Counter>,
    pub most_states: usize,
}

/// What was reached.
#[derive(Default)]
pub struct Reached {
    pub rules: BTreeSet<String>,
    pub continuations: BTreeSet<Continuation>,
    pub phases: BTreeSet<String>,
    pub policies: BTreeSet<String>,
    pub codes: BTreeSet<Code>,
    pub states: usize,
    pub transitions: usize,
    pub refused: usize,
    pub depth: usize,
}

impl Reached {
    pub fn join(&mut self, other: Reached) {
        self.rules.extend(other.rules);
        self.continuations.extend(other.continuations);
        self.phases.extend(other.phases);
        self.policies.extend(other.policies);
        self.codes.extend(other.codes);
        self.states += other.states;
        self.transitions += other.transitions;
        self.refused += other.refused;
        self.depth = self.depth.max(other.depth);
    }
}

struct Search<'a> {
    walk: &'a Walk,
    known: BTreeSet<u64>,
    parents: Vec<(usize, String)>,
    reached: Reached,
}

/// Walks until nothing new is found.
pub fn walk(walk: &Walk) -> Reached {
    let mut search =
        Search { walk, known: BTreeSet::new(), parents: Vec::new(), reached: Reached::default() };
    let mut queue = VecDeque::new();
    let mut start = walk.start.clone();
    search.settle(0, "start", &mut start);
    search.enter(0, "start".to_owned(), 0, start, &mut queue);
    while let Some((at, depth, node)) = queue.pop_front() {
        search.reached.depth = search.reached.depth.max(depth);
        search.probe(at, &node);
        for next in (walk.moves)(&node) {
            search.take(at, depth, &node, next, &mut queue);
        }
        assert!(
            search.known.len() <= walk.most_states,
            "{}: more than {} states at depth {depth}",
            walk.name,
            walk.most_states
        );
    }
    search.reached.states = search.known.len();
    say(&format!(
        "walk {}: {} states, {} transitions, {} refused events, depth {}, frontier empty",
        walk.name,
        search.reached.states,
        search.reached.transitions,
        search.reached.refused,
        search.reached.depth
    ));
    search.reached
}

/// Says it in the output of the test command too, which swallows what tests that pass print.
pub fn say(line: &str) {
    use std::io::Write;
    let _ = writeln!(std::io::stderr(), "{line}");
}

type Queue = VecDeque<(usize, usize, Node)>;

impl Search<'_> {
    fn path(&self, at: usize) -> String {
        let mut labels = Vec::new();
        let mut here = at;
        while here != 0 {
            let (parent, label) = &self.parents[here];
            labels.push(label.clone());
            here = *parent;
        }
        labels.reverse();
        labels.join("\n  ")
    }

    fn fail(&self, at: usize, label: &str, node: &Node, what: &str) -> ! {
        let outbox: Vec<String> = node
            .engine
            .pending()
            .iter()
            .map(|one| format!("{} {} {:?}", one.effect.id, one.effect.order.name(), one.delivery))
            .collect();
        panic!(
            "walk {}: {what}\npath:\n  {}\n  {label}\noutbox: {outbox:#?}\nasking {:?}\nwhy: {:?}",
            self.walk.name,
            self.path(at),
            node.state().core.life.asking,
            node.engine.why().chosen,
        )
    }

    fn enter(&mut self, from: usize, label: String, depth: usize, node: Node, queue: &mut Queue) {
        let key = key(&node, self.walk.counted);
        if !self.known.insert(key) {
            return;
        }
        let at = self.parents.len();
        self.parents.push((from, label));
        self.look(at, &node);
        queue.push_back((at, depth, node));
    }

    fn take(&mut self, at: usize, depth: usize, node: &Node, next: Move, queue: &mut Queue) {
        let mut after = node.clone();
        // One more command is tried everywhere, to see that it is refused or harmless.
        let mut out_of_fuel = false;
        if let Some(fuel) = next.fuel {
            match after.fuel[fuel] {
                0 if fuel == COMMAND => out_of_fuel = true,
                0 => return,
                ENDLESS => {}
                _ => after.fuel[fuel] -= 1,
            }
        }
        if let Some(world) = next.world {
            after.world = world;
        }
        if let Some(fact) = next.fact {
            if !self.event(at, &next.label, &mut after, fact, true) {
                return;
            }
            if out_of_fuel {
                return;
            }
            self.settle(at, &next.label, &mut after);
        }
        self.reached.transitions += 1;
        self.enter(at, next.label, depth + 1, after, queue);
    }

    /// Gives one event to the engine, with all that must hold whatever it is. `twice` also takes it
    /// through the pure `step`.
    fn event(&mut self, at: usize, label: &str, node: &mut Node, fact: Fact, twice: bool) -> bool {
        let event = Event { at: AT, fact };
        let before = node.engine.snapshot().clone();
        let stepped = twice.then(|| engine::step(&before, &event));
        let applied = node.engine.apply(&event);
        match (&applied, stepped) {
            (_, None) => {}
            (Err(error), Some(Err(again))) if *error == again => {}
            (Ok(applied), Some(Ok(step)))
                if step.snapshot == *node.engine.snapshot()
                    && step.effects == applied.effects
                    && step.decided == applied.decided
                    && step.continuation == node.engine.continuation() => {}
            _ => self.fail(at, label, node, "step and Engine::apply differ"),
        }
        match applied {
            Err(error) => {
                self.refused(at, label, node, &before, &error);
                false
            }
            Ok(applied) => {
                self.taken(at, label, node, &before, &applied);
                true
            }
        }
    }

    fn refused(&mut self, at: usize, label: &str, node: &Node, before: &Snapshot, error: &Error) {
        self.reached.refused += 1;
        self.reached.codes.insert(error.code);
        if error.kind == Kind::Broken {
            self.fail(at, label, node, &format!("broken: {error}"));
        }
        if before != node.engine.snapshot() {
            self.fail(at, label, node, "a refused event left a trace");
        }
    }

    fn taken(&mut self, at: usize, label: &str, node: &Node, before: &Snapshot, done: &Applied) {
        if let Err(error) = node.engine.check() {
            self.fail(at, label, node, &format!("full check: {error}"));
        }
        let snapshot = node.engine.snapshot();
        let continuation = node.engine.continuation();
        if continuation == Continuation::Continue && snapshot.head.outbox.is_empty() {
            self.fail(at, label, node, "continues with nothing under way");
        }
        if let Some(fault) = spending(before, snapshot, done) {
            self.fail(at, label, node, &fault);
        }
        let others = || Counter::ALL.into_iter().filter(|one| Some(*one) != self.walk.counted);
        if let Some(near) = others().find(|one| snapshot.head.budget.left(*one) == 0) {
            self.fail(
                at,
                label,
                node,
                &format!("{} is spent, but no part of a state", near.as_str()),
            );
        }
        if let Some(fault) = reasons(node, done) {
            self.fail(at, label, node, &fault);
        }
        self.reached.rules.insert(done.decided.rule.clone());
        self.reached.continuations.insert(continuation);
        let life = &node.state().core.life;
        let problems = life.last_problem.iter().chain(&life.blocked);
        self.reached.codes.extend(problems.map(|problem| problem.code));
        let corrections = life.steps.values().filter_map(|step| step.correction.as_ref());
        self.reached.codes.extend(corrections.map(|one| one.fault.code));
    }

    /// The host performs what it always performs.
    fn settle(&mut self, at: usize, label: &str, node: &mut Node) {
        for _ in 0..60 {
            let eager = |one: &Outstanding| -> bool { (self.walk.eager)(&one.effect.order) };
            let due = node.engine.pending().into_iter().find(eager);
            let Some(due) = due else { return };
            let Some(fact) = node.world.perform(&node.engine, &due) else { return };
            let label = format!("{label}; then {}", due.effect.order.name());
            let answer = Event { at: AT, fact: fact.clone() };
            if !self.event(at, &label, node, fact, false) {
                let refused = engine::step(node.engine.snapshot(), &answer).err();
                let what = format!("the answer of the host was refused: {refused:?}");
                self.fail(at, &label, node, &what);
            }
        }
        self.fail(at, label, node, "host work never ends");
    }

    /// Once per state: what can be asked of it, and that it survives being written down.
    fn look(&mut self, at: usize, node: &Node) {
        let view = node.engine.view();
        let why = node.engine.why();
        assert_eq!(why.others.len() + usize::from(why.chosen.rule.is_some()), 9);
        self.reached.phases.insert(view.phase);
        let ours = node.engine.render(".agent/state.json").unwrap();
        let state: serde_json::Value = serde_json::from_str(&ours).unwrap();
        let word = |name: &str| state[name].as_str().unwrap_or_default().to_owned();
        self.reached.policies.insert(word("continuation_policy"));
        self.reached.phases.insert(word("current_phase"));
        let text = serde_json::to_string(node.engine.snapshot()).unwrap();
        let read = match Snapshot::read(&text) {
            Ok(read) => read,
            Err(error) => self.fail(at, "", node, &format!("cannot be opened again: {error}")),
        };
        if read != *node.engine.snapshot() {
            self.fail(at, "", node, "a crash changes the state");
        }
        self.at_rest(at, node, &ours);
    }

    /// Where only the user can move, the files on disk say so; `ours` is what the state file should be.
    fn at_rest(&self, at: usize, node: &Node, ours: &str) {
        let pending = node.engine.pending();
        let life = &node.state().core.life;
        let stuck = matches!(life.asking.first(), Some(Topic::EffectFailed { .. }));
        let waits =
            !stuck && pending.iter().all(|one| matches!(one.effect.order, Order::AskUser(_)));
        let on_disk = node.world.files.get(".agent/state.json");
        let (true, Some(text)) = (waits, on_disk) else { return };
        let known = life.files.known.get(".agent/state.json");
        if known.and_then(|file| file.digest.clone()) != Some(engine::digest(text)) {
            return;
        }
        let policy = |text: &str| -> String {
            let file: serde_json::Value = serde_json::from_str(text).unwrap_or_default();
            format!("{} {}", file["continuation_policy"], file["current_phase"])
        };
        let writes = node.engine.snapshot().head.budget.left(Counter::Writes);
        if policy(text) != policy(ours) && writes > 0 && life.files.doubted.is_empty() {
            let what = format!("on disk {}, in truth {}", policy(text), policy(ours));
            self.fail(at, "", node, &what);
        }
    }

    /// Answers that come twice, late, for nothing or of the wrong kind are refused everywhere.
    fn probe(&mut self, at: usize, node: &Node) {
        let head = &node.engine.snapshot().head;
        let outcome = Outcome::Nothing;
        let answer =
            |effect| Fact::EffectPerformed(EffectPerformed { effect, outcome: outcome.clone() });
        let lost = |effect| {
            let usage = Default::default();
            let outcome = RunOutcome::Lost;
            Fact::RunEnded(RunEnded { effect, outcome, report: None, problem: None, usage })
        };
        let begun =
            |effect| Fact::RunStarted(RunStarted { effect, session: None, confined: false });
        let gone = (1..=head.seq).rev().map(|seq| EffectId { seq, n: 1 });
        let gone = gone.into_iter().find(|id| head.find(*id).is_none());
        let mut facts = vec![answer(EffectId { seq: head.seq + 1, n: 1 })];
        facts.extend(gone.into_iter().flat_map(|id| [answer(id), lost(id), begun(id)]));
        for one in &head.outbox {
            let id = one.effect.id;
            match (&one.effect.order, one.live()) {
                (Order::SpawnRole(_), false) => facts.extend([lost(id), answer(id)]),
                (Order::SpawnRole(_), true) => facts.extend([begun(id), answer(id)]),
                _ => facts.extend([lost(id)]),
            }
        }
        let unknown = node.engine.render("src/main.c").unwrap_err();
        self.reached.codes.insert(unknown.code);
        let mut twice = node.clone();
        let grant = Command::Grant { counter: Counter::Timers, amount: 1 };
        let named = UserCommanded { id: Some("a".to_owned()), command: grant };
        let named = Fact::UserCommanded(named);
        if !self.event(at, "probe grant", &mut twice, named.clone(), false)
            || self.event(at, "probe the same grant", &mut twice, named, false)
        {
            self.fail(at, "probe", node, "a command is not taken exactly once");
        }
        // That none leaves a trace is looked at where it is refused.
        let mut copy = node.clone();
        for fact in facts {
            let label = format!("probe {}", fact.name());
            if self.event(at, &label, &mut copy, fact, false) {
                self.fail(at, &label, node, "an answer was taken that answers nothing");
            }
        }
    }
}

/// What was spent is what was ordered, less what was withdrawn; reopenings and reported use aside.
fn spending(before: &Snapshot, now: &Snapshot, done: &Applied) -> Option<String> {
    let cost = |order: &Order| -> Vec<Counter> {
        let mut all = vec![order.counter()];
        if let Order::SpawnRole(spawn) = order {
            match (&spawn.corrects, spawn.role.as_str()) {
                (Some(_), _) => all.push(Counter::MalformedReports),
                (None, "completion-regrounder") => all.push(Counter::Regrounds),
                (None, _) => {}
            }
        }
        all
    };
    let ordered: Vec<Counter> = done.effects.iter().flat_map(|one| cost(&one.order)).collect();
    let gone = done.decided.withdrawn.iter().filter_map(|id| before.head.find(*id));
    let refunded: Vec<Counter> = gone.flat_map(|one| cost(&one.effect.order)).collect();
    for counter in Counter::ALL {
        if matches!(counter, Counter::Reopens | Counter::Tokens | Counter::CostMicros) {
            continue;
        }
        let count = |list: &[Counter]| list.iter().filter(|one| **one == counter).count() as u64;
        let was = before.head.budget.account(counter);
        let is = now.head.budget.account(counter);
        let expected = (was.spent + count(&ordered)).saturating_sub(count(&refunded));
        let stops = done.effects.iter().any(|one| matches!(one.order, Order::StopRole(_)));
        if is.spent != expected && !(stops && counter == Counter::Writes && is.spent == is.limit) {
            let got = is.spent;
            return Some(format!("{} spent {got}, expected {expected}", counter.as_str()));
        }
    }
    None
}

/// `why` speaks of the same step that was decided.
fn reasons(node: &Node, done: &Applied) -> Option<String> {
    let decided = done.decided.rule.as_str();
    let why = node.engine.why();
    let chosen = why.chosen.name.as_str();
    let host = [
        "first_look",
        "look_at_foreign_content",
        "look_before_contract_files",
        "write_contract_files",
        "write_canonical_files",
    ];
    let waits = ["waiting_for_answer", "run_live", "question_open"];
    let fits = match decided {
        _ if host.contains(&decided) => waits.contains(&chosen),
        "observation_missing" => chosen == "waiting_for_answer",
        "budget_spent" if !done.effects.is_empty() => chosen == "question_open",
        // A proof is ordered behind the end, and nothing waits for it.
        guard if done.effects.is_empty() || ["question_open", "done"].contains(&guard) => {
            chosen == guard
        }
        // A command that stops a live run orders the stop beside what the guard says.
        _ if done.effects.iter().all(|one| matches!(one.order, Order::StopRole(_))) => true,
        rule => chosen == "waiting_for_answer" && why.chosen.action.ends_with(rule),
    };
    (!fits).then(|| format!("decided {decided}, but why says {:?}", why.chosen))
}
