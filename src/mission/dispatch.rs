//! The move `decide`, from a protocol's table: what is due on disk first, then the guards, then the rule. `why` is computed
//! from the same, and so is whether the mission goes on.

use super::files;
use super::guard::Guard;
use super::life;
use super::standing::{self, Stands, ask_once};
use super::table::{self, NamedFact, Rule};
use super::{Continuation, Head, Intent};
use crate::vocab::budget::Counter;
use crate::why::Why;

/// A protocol that decides by one table: one step at a time, or by all rules that apply, where items are worked on side by
/// side. Of the second kind are those that say `rule`, `guard`, `orders` and `goes_on` themselves.
pub(crate) trait Dispatch: Stands + Sized {
    /// Its named facts.
    type Fact: NamedFact<Self>;
    /// What a rule does.
    type Action: 'static;
    /// The table: the first rule that applies wins, and the last one stands where none does.
    const RULES: &'static [Rule<Self::Fact, Self::Action>];

    /// What comes before everything else, with its name.
    fn urgent(&self, _head: &Head) -> Option<(&'static str, Vec<Intent>)> {
        None
    }

    /// What must be on disk before anything else is decided, with its name. What failed is not tried again while the user is
    /// asked about it, nor when the answer was to stop. Otherwise files are written whatever holds the mission back: one
    /// that is blocked says so on disk.
    fn on_disk(&self, head: &Head) -> Option<(&'static str, Vec<Intent>)> {
        let life = self.life();
        let tries = !life.asks_of_failure() && !life.halted;
        let orders = tries.then(|| life.files.orders(head)).filter(|orders| !orders.is_empty());
        orders.map(|orders| ("write_files", orders))
    }

    /// A look at the repository.
    fn look(&self, _head: &Head) -> Intent {
        let life = self.life();
        files::observe(&life.seen, &life.files)
    }

    /// The counters that the step of a rule spends from.
    fn needs(&self, head: &Head, rule: &Rule<Self::Fact, Self::Action>) -> Vec<Counter>;

    /// The orders of a rule.
    fn act(&self, head: &Head, rule: &Rule<Self::Fact, Self::Action>) -> Vec<Intent>;

    /// What is to be done next, in words.
    fn next_action(&self, head: &Head) -> String;

    /// The rule whose turn it is.
    fn rule(&self, head: &Head) -> Option<&'static Rule<Self::Fact, Self::Action>> {
        table::first(Self::RULES, self, head).or(Self::RULES.last())
    }

    /// The guard that holds, if any.
    fn guard(&self, head: &Head) -> Option<Guard> {
        guard(self, head)
    }

    /// What is ordered under this guard, or by the rule where none holds.
    fn orders(&self, head: &Head, guard: Option<Guard>) -> Vec<Intent> {
        orders(self, head, guard)
    }

    /// Whether and why the mission goes on.
    fn goes_on(&self, head: &Head) -> Continuation {
        let would_ask = || standing::asks(self.guard(head)) && !head.awaits(Self::is_awaited);
        standing::continuation(self, head, would_ask)
    }
}

fn guard<D: Dispatch>(state: &D, head: &Head) -> Option<Guard> {
    if !state.life().runs.is_empty() {
        return Some(Guard::RunLive);
    }
    standing::busy::<_, D::Fact>(state, head)
        .or_else(|| standing::holds_back::<_, D::Fact>(state, head))
        .or_else(|| standing::unseen::<_, D::Fact>(state, head))
        .or_else(|| standing::spent(head, needs(state, head)))
}

/// The counters that what is due on disk, and then the step of the rule, spend from.
pub(crate) fn needs<D: Dispatch>(state: &D, head: &Head) -> Vec<Counter> {
    let step = state.rule(head).map(|rule| state.needs(head, rule));
    state.life().files.needs().into_iter().chain(step.into_iter().flatten()).collect()
}

/// What the guard orders instead of the rule; without one, what the rule orders.
pub(crate) fn orders<D: Dispatch>(state: &D, head: &Head, guard: Option<Guard>) -> Vec<Intent> {
    let Some(guard) = guard else {
        return state.rule(head).map(|rule| state.act(head, rule)).unwrap_or_default();
    };
    standing::instead(
        guard,
        head,
        || vec![life::with_citations(state, state.look(head))],
        || question(state, head),
    )
}

/// The question whose turn it is, if it is not with the user yet.
pub(crate) fn question<D: Dispatch>(state: &D, head: &Head) -> Vec<Intent> {
    let asking = state.life().asking.first();
    ask_once(head, asking.map(|topic| || life::question(state, topic)))
}

/// The move `decide`: the name of what decided, and the orders.
pub(crate) fn decide<D: Dispatch>(state: &D, head: &Head) -> (&'static str, Vec<Intent>) {
    if let Some(first) = state.urgent(head).or_else(|| state.on_disk(head)) {
        return first;
    }
    let guard = state.guard(head);
    let name = match (guard, state.rule(head)) {
        (Some(guard), _) => guard.name(),
        (None, Some(rule)) => rule.name,
        (None, None) => "no_rule",
    };
    (name, state.orders(head, guard))
}

/// Why the next step is what it is.
pub(crate) fn why<D: Dispatch>(state: &D, head: &Head) -> Why {
    let decision = table::Decision {
        rules: D::RULES,
        rule: state.rule(head),
        guard: state.guard(head),
        action: state.next_action(head),
        stopped: state.goes_on(head) != Continuation::Continue,
    };
    table::why(state, head, decision)
}
