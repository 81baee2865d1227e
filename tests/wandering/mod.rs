//! An exhaustive walk that knows no protocol: breadth first, every state once, until nothing new is found.
//!
//! Two states are the same if nothing that decides tells them apart: sequence numbers, times, digests,
//! tallies and commit ids are taken out or numbered in order of appearance. What must hold at each step
//! stands in [`Search::taken`] and [`Search::look`].
#![allow(dead_code, unreachable_pub, missing_docs, clippy::unwrap_used, clippy::panic)]

mod key;

use crate::common::World;
use endstate::engine::{self, Applied, Config, Engine};
use endstate::protocols::Mission;
use endstate::snapshot::{Continuation, Snapshot};
use endstate::vocab::budget::Counter;
use endstate::vocab::command::Command;
use endstate::vocab::effect::Order;
use endstate::vocab::error::{Code, Kind};
use endstate::vocab::event::*;
use endstate::vocab::question::{Answer, QuestionKind};
use std::collections::{BTreeSet, HashSet, VecDeque};

/// All events of a walk happen at this time, unless a move says otherwise.
pub const AT: u64 = 1_800_000_000_000;

/// One state: engine, world, and how often something may still happen on this path.
#[derive(Clone)]
pub struct Node {
    pub engine: Engine,
    pub world: World,
    pub fuel: u8,
    pub late: bool,
    /// What happened on this path and does not happen a second time, a bit each.
    pub once: u16,
}

/// Something that can happen next.
pub struct Move {
    pub label: String,
    /// It uses up one unit of fuel.
    pub rare: bool,
    pub world: Option<World>,
    pub fact: Option<Fact>,
    /// From here on the time is after every deadline.
    pub late: bool,
    /// Its bit, if it happens at most once on a path.
    pub once: u16,
}

impl Move {
    pub fn of(label: impl Into<String>, fact: Fact) -> Move {
        Move {
            label: label.into(),
            rare: false,
            world: None,
            fact: Some(fact),
            late: false,
            once: 0,
        }
    }

    pub fn rare(mut self) -> Move {
        self.rare = true;
        self
    }

    /// One of at most sixteen kinds that happen once on a path each; it uses up fuel too.
    pub fn once(mut self, kind: u8) -> Move {
        (self.rare, self.once) = (true, 1 << kind);
        self
    }

    pub fn in_world(mut self, world: World) -> Move {
        self.world = Some(world);
        self
    }
}

pub struct Walk {
    pub name: &'static str,
    pub config: Config,
    pub fuel: u8,
    pub moves: fn(&Node) -> Vec<Move>,
    /// Orders that the host always performs at once and with success.
    pub eager: fn(&Order) -> bool,
    /// The counter that is part of a state.
    pub counted: Option<Counter>,
    pub most_states: usize,
}

/// What was reached.
#[derive(Default)]
pub struct Reached {
    pub rules: BTreeSet<String>,
    pub continuations: BTreeSet<Continuation>,
    pub phases: BTreeSet<String>,
    pub codes: BTreeSet<Code>,
    /// Values of the fields named `stop`, `closed_by` and `about` anywhere in a state.
    pub words: BTreeSet<String>,
    /// Of the sprint protocol: the arrows that were taken.
    pub arrows: BTreeSet<String>,
    pub states: usize,
    pub transitions: usize,
}

impl Reached {
    pub fn join(&mut self, other: Reached) {
        self.rules.extend(other.rules);
        self.continuations.extend(other.continuations);
        self.phases.extend(other.phases);
        self.codes.extend(other.codes);
        self.words.extend(other.words);
        self.arrows.extend(other.arrows);
        self.states += other.states;
        self.transitions += other.transitions;
    }
}

/// Says it in the output of the test command too, which swallows what tests that pass print.
pub fn say(line: &str) {
    use std::io::Write;
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// Walks side by side, the last one first: a machine of two cores is what there is.
pub fn walk_all(walks: Vec<Walk>) -> Reached {
    let walks = std::sync::Mutex::new(walks);
    let next = || walks.lock().unwrap().pop();
    let one = || {
        let mut reached = Reached::default();
        while let Some(next) = next() {
            reached.join(walk(&next));
        }
        reached
    };
    std::thread::scope(|scope| {
        let mut all = Reached::default();
        for thread in [scope.spawn(one), scope.spawn(one)] {
            match thread.join() {
                Ok(reached) => all.join(reached),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        all
    })
}

struct Search<'a> {
    walk: &'a Walk,
    known: HashSet<u64>,
    parents: Vec<(usize, String)>,
    reached: Reached,
}

pub fn walk(walk: &Walk) -> Reached {
    let (engine, _) = Engine::start(&walk.config, AT).unwrap();
    let mut start = Node { engine, world: World::new(), fuel: walk.fuel, late: false, once: 0 };
    let mut search =
        Search { walk, known: HashSet::new(), parents: Vec::new(), reached: Reached::default() };
    let mut queue = VecDeque::new();
    search.settle(0, "start", &mut start);
    let command = UserCommanded { id: None, command: Command::Start };
    search.event(0, "start", &mut start, Fact::UserCommanded(command));
    search.settle(0, "start", &mut start);
    search.enter(0, "start".to_owned(), 0, start, &mut queue);
    let mut deepest = 0;
    while let Some((at, depth, node)) = queue.pop_front() {
        deepest = deepest.max(depth);
        search.probe(at, &node);
        for next in (walk.moves)(&node) {
            search.take(at, depth, &node, next, &mut queue);
        }
        let most = walk.most_states;
        assert!(search.known.len() <= most, "{}: over {most} states at depth {depth}", walk.name);
    }
    search.reached.states = search.known.len();
    say(&format!(
        "walk {}: {} states, {} transitions, depth {deepest}, frontier empty",
        walk.name, search.reached.states, search.reached.transitions
    ));
    search.reached
}

impl Search<'_> {
    fn fail(&self, at: usize, label: &str, node: &Node, what: &str) -> ! {
        let mut labels = vec![label.to_owned()];
        let mut here = at;
        while here != 0 {
            let (parent, label) = &self.parents[here];
            labels.push(label.clone());
            here = *parent;
        }
        labels.reverse();
        let outbox: Vec<String> = node
            .engine
            .pending()
            .iter()
            .map(|one| format!("{} {}", one.effect.id, one.effect.order.name()))
            .collect();
        let why = node.engine.why().chosen;
        panic!(
            "walk {}: {what}\npath:\n  {}\noutbox {outbox:?}\n{why:?}",
            self.walk.name,
            labels.join("\n  ")
        );
    }

    fn enter(
        &mut self,
        from: usize,
        label: String,
        depth: usize,
        node: Node,
        queue: &mut VecDeque<(usize, usize, Node)>,
    ) {
        let (key, words) = key::key(&node, self.walk.counted);
        self.reached.words.extend(words);
        if !self.known.insert(key) {
            return;
        }
        let at = self.parents.len();
        self.parents.push((from, label));
        self.look(at, &node);
        queue.push_back((at, depth, node));
    }

    fn take(
        &mut self,
        at: usize,
        depth: usize,
        node: &Node,
        next: Move,
        queue: &mut VecDeque<(usize, usize, Node)>,
    ) {
        let mut after = node.clone();
        // Without fuel it is only tried: refused or harmless, but not followed.
        let followed = (!next.rare || after.fuel > 0) && after.once & next.once == 0;
        after.fuel -= u8::from(next.rare && after.fuel > 0);
        after.late |= next.late;
        after.once |= next.once;
        if let Some(world) = next.world {
            after.world = world;
        }
        if let Some(fact) = next.fact
            && !self.event(at, &next.label, &mut after, fact)
        {
            return;
        }
        if followed {
            self.settle(at, &next.label, &mut after);
            self.reached.transitions += 1;
            self.enter(at, next.label, depth + 1, after, queue);
        }
    }

    fn event(&mut self, at: usize, label: &str, node: &mut Node, fact: Fact) -> bool {
        let event = Event { at: if node.late { AT + 10_000_000 } else { AT }, fact };
        let before = node.engine.snapshot().clone();
        let stepped = engine::step(&before, &event);
        match (node.engine.apply(&event), stepped) {
            (Err(error), Err(again)) if error == again => {
                if error.kind == Kind::Broken {
                    self.fail(at, label, node, &format!("broken: {error}"));
                }
                if before != *node.engine.snapshot() {
                    self.fail(at, label, node, "a refused event left a trace");
                }
                self.reached.codes.insert(error.code);
                false
            }
            (Ok(applied), Ok(step)) if step.snapshot == *node.engine.snapshot() => {
                if let Mission::Sprint(state) = &node.engine.snapshot().mission {
                    self.reached.arrows.extend(state.arrows());
                }
                self.taken(at, label, node, &applied);
                true
            }
            (applied, stepped) => {
                let what =
                    format!("step and apply differ: {:?} {:?}", applied.err(), stepped.err());
                self.fail(at, label, node, &what)
            }
        }
    }

    fn taken(&mut self, at: usize, label: &str, node: &Node, done: &Applied) {
        if let Err(error) = node.engine.check() {
            self.fail(at, label, node, &format!("full check: {error}"));
        }
        let head = &node.engine.snapshot().head;
        let continuation = node.engine.continuation();
        if continuation == Continuation::Continue
            && head.outbox.iter().all(|one| matches!(one.effect.order, Order::SetTimer(_)))
        {
            self.fail(at, label, node, "continues with nothing under way");
        }
        if continuation == Continuation::AwaitUserInput && node.engine.view().questions.is_empty() {
            self.fail(at, label, node, "waits for the user and asks nothing");
        }
        let others = || Counter::ALL.into_iter().filter(|one| Some(*one) != self.walk.counted);
        if let Some(near) = others().find(|one| head.budget.left(*one) == 0) {
            self.fail(
                at,
                label,
                node,
                &format!("{} is spent, but no part of a state", near.as_str()),
            );
        }
        self.reached.rules.insert(done.decided.rule.clone());
        self.reached.continuations.insert(continuation);
    }

    /// The host performs what it always performs.
    fn settle(&mut self, at: usize, label: &str, node: &mut Node) {
        for _ in 0..80 {
            let pending = node.engine.pending().into_iter();
            let mut due = pending.filter(|one| (self.walk.eager)(&one.effect.order));
            let fact = due.find_map(|one| node.world.perform(&node.engine, &one));
            let Some(fact) = fact else { return };
            let label = format!("{label}; host {}", fact.name());
            if !self.event(at, &label, node, fact) {
                self.fail(at, &label, node, "the answer of the host was refused");
            }
        }
        self.fail(at, label, node, "host work never ends");
    }

    /// Once per state: what can be asked of it, and that it survives being written down.
    fn look(&mut self, at: usize, node: &Node) {
        let (view, why) = (node.engine.view(), node.engine.why());
        self.reached.phases.insert(view.phase);
        self.reached.codes.extend(view.problem.map(|problem| problem.code));
        assert!(!why.others.is_empty() && !view.reason.is_empty());
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

    /// Answers that come late, for nothing or of the wrong kind are refused everywhere.
    fn probe(&mut self, at: usize, node: &Node) {
        let head = &node.engine.snapshot().head;
        let performed =
            |effect| Fact::EffectPerformed(EffectPerformed { effect, outcome: Outcome::Nothing });
        let lost = |effect| {
            let (outcome, usage) = (RunOutcome::Lost, Default::default());
            Fact::RunEnded(RunEnded { effect, outcome, report: None, problem: None, usage })
        };
        let mut facts = vec![performed(EffectId { seq: head.seq + 1, n: 1 })];
        let gone = (1..=head.seq).rev().map(|seq| EffectId { seq, n: 1 });
        let gone = gone.into_iter().find(|id| head.find(*id).is_none());
        facts.extend(gone.into_iter().flat_map(|id| [performed(id), lost(id)]));
        for one in head.outbox.iter().filter(|one| matches!(one.effect.order, Order::SpawnRole(_)))
        {
            facts.push(performed(one.effect.id));
            if !one.live() {
                facts.push(lost(one.effect.id));
            }
        }
        let mut copy = node.clone();
        for fact in facts {
            let label = format!("probe {}", fact.name());
            if self.event(at, &label, &mut copy, fact) {
                self.fail(at, &label, node, "an answer was taken that answers nothing");
            }
        }
    }
}

/// How a run ended.
pub fn ended(effect: EffectId, outcome: RunOutcome, report: Option<String>) -> Fact {
    let (problem, usage) = (None, Default::default());
    Fact::RunEnded(RunEnded { effect, outcome, report, problem, usage })
}

/// Every answer to a question, with a note where one may be given.
pub fn answers(kind: &QuestionKind, note: &str) -> Vec<Answer> {
    match kind {
        QuestionKind::Choice { options } => {
            options.iter().map(|one| Answer::Choice { option: one.id.clone() }).collect()
        }
        QuestionKind::Confirmation => {
            [true, false].map(|yes| Answer::Confirmation { yes }).to_vec()
        }
        QuestionKind::ManualStep { .. } => {
            [true, false].map(|done| Answer::ManualStep { done, note: note.to_owned() }).to_vec()
        }
        QuestionKind::FreeText => vec![Answer::Text { text: "so".to_owned() }],
    }
}
