//! The state of a mission: the one order in which done, paused, blocked, asked and held are checked.

use super::ask;
use super::guard::Guard;
use super::life::Particular;
use super::table::NamedFact;
use super::{Continuation, Control, Head, Intent};
use super::{head_guard, proof, repository};
use crate::view::End;
use crate::vocab::budget::Counter;
use crate::vocab::effect::Order;
use crate::vocab::question::Question;

/// What every mission says of itself, whatever its protocol.
pub(crate) trait Stands: Particular {
    /// The protocol.
    const PROTOCOL: &'static str;
    /// What is missing to the end, in words.
    fn missing(&self) -> String;

    /// Whether it has come to its end, and nothing of it is left to be asked.
    fn over(&self) -> bool {
        let life = self.life();
        life.done.is_some() && life.asking.is_empty() && life.blocked.is_none()
    }

    /// The end it came to: that of a mission which roles and commands close.
    fn end(&self) -> Option<End> {
        let done = self.life().done.as_ref();
        done.map(|done| End::verified(&done.waived, &done.deferred))
    }

    /// The same in words.
    fn end_words(&self) -> Option<String> {
        self.life().done.as_ref().map(|done| format!("done at {}", done.head))
    }

    /// The repository was looked at since anything could have changed what is decided on.
    fn fresh(&self) -> bool {
        repository::fresh(self.life().seen.as_ref())
    }

    /// What was seen, in words.
    fn seen_words(&self) -> String {
        repository::words(self.life().seen.as_ref())
    }

    /// Whether everything waits for the answer to such an order; a timer only wakes the engine some day, and a proof comes
    /// behind all.
    fn is_awaited(order: &Order) -> bool {
        order.is_answered_soon() && !proof::is_ours(order)
    }
}

/// Whether and why the mission goes on. `would_ask`: nothing but a question is left to do; asked for only
/// where that matters.
pub(crate) fn continuation(
    state: &impl Stands,
    head: &Head,
    would_ask: impl FnOnce() -> bool,
) -> Continuation {
    if state.over() {
        return Continuation::Done;
    }
    if paused(head) {
        return Continuation::Paused;
    }
    if state.life().blocked.is_some() {
        return Continuation::Blocked;
    }
    if asked(head) {
        return Continuation::AwaitUserInput;
    }
    if !started(head) {
        return Continuation::Paused;
    }
    match would_ask() && head.budget.left(Counter::Questions) == 0 {
        true => Continuation::Blocked,
        false => Continuation::Continue,
    }
}

/// The user has started the mission.
pub(crate) fn started(head: &Head) -> bool {
    head.control != Control::Held
}

/// The user has paused or stopped it.
pub(crate) fn paused(head: &Head) -> bool {
    matches!(head.control, Control::Paused | Control::Stopped)
}

/// A question is with the user, or goes to them at once.
pub(crate) fn asked(head: &Head) -> bool {
    head_guard::asks(head) || head.awaits(|order| matches!(order, Order::AskUser(_)))
}

/// Whether what holds is to be asked about.
pub(crate) fn asks(guard: Option<Guard>) -> bool {
    matches!(guard, Some(Guard::QuestionOpen | Guard::BudgetSpent(_)))
}

/// Effects that everything waits for are under way.
pub(crate) fn busy<S, F: NamedFact<S>>(state: &S, head: &Head) -> Option<Guard> {
    let waits = fails::<S, F>(Guard::WaitingForAnswer, state, head);
    waits.then_some(Guard::WaitingForAnswer)
}

/// The guards that every protocol has, in their order, and the look that must come before a step.
pub(crate) fn holds_back<S, F: NamedFact<S>>(state: &S, head: &Head) -> Option<Guard> {
    let guards =
        [Guard::Done, Guard::Paused, Guard::Blocked, Guard::QuestionOpen, Guard::NotStarted];
    guards.into_iter().find(|guard| fails::<S, F>(*guard, state, head))
}

/// The repository must be looked at first, if a look is left.
pub(crate) fn unseen<S, F: NamedFact<S>>(state: &S, head: &Head) -> Option<Guard> {
    fails::<S, F>(Guard::ObservationMissing, state, head).then(|| {
        match head.budget.left(Counter::Observations) {
            0 => Guard::BudgetSpent(Counter::Observations),
            _ => Guard::ObservationMissing,
        }
    })
}

/// The first counter of a step that has nothing left.
pub(crate) fn spent(head: &Head, needs: impl IntoIterator<Item = Counter>) -> Option<Guard> {
    needs.into_iter().find(|counter| head.budget.left(*counter) == 0).map(Guard::BudgetSpent)
}

/// Whether the fact that a guard speaks of does not hold.
pub(crate) fn fails<S, F: NamedFact<S>>(guard: Guard, state: &S, head: &Head) -> bool {
    F::of_guard(guard).is_some_and(|fact| !fact.holds(state, head))
}

/// What a guard orders instead of the step: a look, a question, or nothing.
pub(crate) fn instead(
    guard: Guard,
    head: &Head,
    look: impl FnOnce() -> Vec<Intent>,
    question: impl FnOnce() -> Vec<Intent>,
) -> Vec<Intent> {
    match guard {
        Guard::ObservationMissing => look(),
        Guard::QuestionOpen => question(),
        Guard::BudgetSpent(counter) => ask_once(head, Some(|| ask::budget(head, counter))),
        Guard::WaitingForAnswer
        | Guard::RunLive
        | Guard::NotStarted
        | Guard::Paused
        | Guard::Done
        | Guard::Blocked => Vec::new(),
    }
}

/// A question, if none is with the user yet and one may still be asked.
pub(crate) fn ask_once(head: &Head, question: Option<impl FnOnce() -> Question>) -> Vec<Intent> {
    let may = !asked(head) && head.budget.left(Counter::Questions) > 0;
    let question = question.filter(|_| may);
    question.map(|make| Order::AskUser(make()).into()).into_iter().collect()
}
