//! The state of a mission: the one order in which done, paused, blocked, asked and held are checked.

use super::ask;
use super::guard::Guard;
use super::head_guard;
use super::proof;
use super::table::NamedFact;
use crate::mission::Intent;
use crate::mission::{Continuation, Control, Head};
use crate::view::End;
use crate::vocab::budget::Counter;
use crate::vocab::effect::Order;
use crate::vocab::error::Diagnostic;
use crate::vocab::question::Question;

/// What every mission says of itself, whatever its protocol.
pub(crate) trait Stands {
    /// The protocol.
    const PROTOCOL: &'static str;
    /// The mission in words.
    fn title(&self) -> &str;
    /// Whether it has come to its end.
    fn over(&self) -> bool;
    /// The end it came to.
    fn end(&self) -> Option<End>;
    /// The end, or what is missing to it, in words.
    fn end_words(&self) -> String;
    /// What outside of it is in the way.
    fn blocked(&self) -> Option<&Diagnostic>;
    /// What went wrong last.
    fn last_problem(&self) -> Option<&Diagnostic>;
    /// Whether something is to be asked.
    fn is_asking(&self) -> bool;
    /// Whether everything waits for the answer to such an order; a timer only wakes the engine some day, and a proof comes
    /// behind all.
    fn is_awaited(order: &Order) -> bool {
        !matches!(order, Order::AskUser(_) | Order::SetTimer(_)) && !proof::is_ours(order)
    }
    /// Whether and why the mission goes on.
    fn continuation(&self, head: &Head) -> Continuation;
}

/// What of [`Stands`] is a field of the same name in every life.
macro_rules! same_fields {
    () => {
        /// It has come to its end and nothing of it is left to be written.
        fn over(&self) -> bool {
            let life = &self.core.life;
            life.done.is_some() && life.asking.is_empty() && life.blocked.is_none()
        }

        $crate::mission::standing::same_fields!(but over);
    };
    (but over) => {
        fn title(&self) -> &str {
            &self.core.settings.mission
        }

        fn blocked(&self) -> Option<&$crate::vocab::error::Diagnostic> {
            self.core.life.blocked.as_ref()
        }

        fn last_problem(&self) -> Option<&$crate::vocab::error::Diagnostic> {
            self.core.life.last_problem.as_ref()
        }

        fn is_asking(&self) -> bool {
            !self.core.life.asking.is_empty()
        }

        fn continuation(&self, head: &$crate::mission::Head) -> $crate::mission::Continuation {
            $crate::mission::Protocol::continuation(self, head)
        }
    };
}

/// The end of missions that roles and commands close; `$missing` says what is missing to it.
macro_rules! verified_end {
    ($missing:expr) => {
        fn end(&self) -> Option<$crate::view::End> {
            let done = self.core.life.done.as_ref()?;
            Some($crate::view::End::verified(&done.waived, &done.deferred))
        }

        fn end_words(&self) -> String {
            match &self.core.life.done {
                Some(done) => format!("done at {}", done.head),
                None => $missing(self),
            }
        }
    };
}

pub(crate) use {same_fields, verified_end};

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
    if state.blocked().is_some() {
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
