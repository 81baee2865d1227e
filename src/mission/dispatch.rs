//! The move `decide`, from a protocol's table: what is due on disk first, then the guards, then the rule. `why` is computed
//! from the same, and so is whether the mission goes on.

use super::files;
use super::guard::Guard;
use super::life::{self, Particular};
use super::standing::{self, Stands, ask_once};
use super::table::{self, NamedFact, Rule};
use super::{Continuation, Head, Intent};
use crate::vocab::budget::Counter;
use crate::why::Why;

/// A protocol that decides by one table, one step at a time.
pub(crate) trait Dispatch: Stands + Particular + Sized {
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
}

/// The rule whose turn it is.
pub(crate) fn rule<D: Dispatch>(
    state: &D,
    head: &Head,
) -> Option<&'static Rule<D::Fact, D::Action>> {
    table::first(D::RULES, state, head).or(D::RULES.last())
}

/// The guard that holds, if any.
pub(crate) fn guard<D: Dispatch>(state: &D, head: &Head) -> Option<Guard> {
    if head.live_runs().next().is_some() || !state.life().runs.is_empty() {
        return Some(Guard::RunLive);
    }
    let needs = || {
        let step = rule(state, head).map(|rule| state.needs(head, rule));
        state.life().files.needs().into_iter().chain(step.into_iter().flatten())
    };
    standing::busy::<_, D::Fact>(state, head)
        .or_else(|| standing::holds_back::<_, D::Fact>(state, head))
        .or_else(|| standing::unseen::<_, D::Fact>(state, head))
        .or_else(|| standing::spent(head, needs()))
}

/// The move `decide`: the name of what decided, and the orders.
pub(crate) fn decide<D: Dispatch>(state: &D, head: &Head) -> (&'static str, Vec<Intent>) {
    if let Some(first) = state.urgent(head).or_else(|| state.on_disk(head)) {
        return first;
    }
    match (guard(state, head), rule(state, head)) {
        (Some(guard), _) => {
            let look = || vec![state.look(head)];
            let asking = state.life().asking.first();
            let question = || ask_once(head, asking.map(|topic| || life::question(state, topic)));
            (guard.name(), standing::instead(guard, head, look, question))
        }
        (None, Some(rule)) => (rule.name, state.act(head, rule)),
        (None, None) => ("no_rule", Vec::new()),
    }
}

/// Whether and why the mission goes on.
pub(crate) fn continuation<D: Dispatch>(state: &D, head: &Head) -> Continuation {
    let would_ask = || standing::asks(guard(state, head)) && !head.awaits(D::is_awaited);
    standing::continuation(state, head, would_ask)
}

/// Why the next step is what it is.
pub(crate) fn why<D: Dispatch>(state: &D, head: &Head) -> Why {
    let decision = table::Decision {
        rules: D::RULES,
        rule: rule(state, head),
        guard: guard(state, head),
        action: state.next_action(head),
        stopped: continuation(state, head) != Continuation::Continue,
    };
    table::why(state, head, decision)
}
