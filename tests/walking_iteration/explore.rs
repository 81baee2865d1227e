//! The search: breadth first, every state once, parents kept for the shortest counterexample.

use super::key::key;
use super::moves::moves;
use super::*;
use endstate::engine::{self, Applied};
use endstate::snapshot::Snapshot;
use endstate::view::ClosedBy;
use endstate::vocab::effect::Observe;
use endstate::vocab::error::Kind;
use std::collections::VecDeque;

struct Search<'a> {
    walk: &'a Walk,
    known: BTreeSet<u64>,
    parents: Vec<(usize, String)>,
    queue: VecDeque<(usize, Node)>,
    reached: Reached,
}

pub fn explore(walk: &Walk) -> Reached {
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

pub fn say(line: &str) {
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
            state(node).core.life.asking,
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
        let problems = core.life.last_problem.iter().chain(&core.life.blocked);
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
