//! Where a mission stands: the one order in which done, paused, blocked, asked and held are looked at.

use super::guard::Guard;
use crate::protocols::Intent;
use crate::snapshot::{Continuation, Control, Head};
use crate::vocab::budget::Counter;
use crate::vocab::effect::Order;
use crate::vocab::question::Question;

/// What a protocol knows of where it stands.
pub(crate) struct Standing<A: FnOnce() -> bool> {
    /// It has come to its end.
    pub(crate) done: bool,
    /// Something outside is in the way.
    pub(crate) blocked: bool,
    /// Nothing but a question is left to do; asked for only where that matters.
    pub(crate) would_ask: A,
}

/// Whether and why the mission goes on.
pub(crate) fn continuation<A: FnOnce() -> bool>(head: &Head, at: Standing<A>) -> Continuation {
    if at.done {
        return Continuation::Done;
    }
    if paused(head) {
        return Continuation::Paused;
    }
    if at.blocked {
        return Continuation::Blocked;
    }
    if asked(head) {
        return Continuation::AwaitUserInput;
    }
    if !started(head) {
        return Continuation::Paused;
    }
    match (at.would_ask)() && head.budget.left(Counter::Questions) == 0 {
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

/// A question is with the user.
pub(crate) fn asked(head: &Head) -> bool {
    head.awaits(|order| matches!(order, Order::AskUser(_)))
}

/// Whether what holds is to be asked about.
pub(crate) fn asks(guard: Option<Guard>) -> bool {
    matches!(guard, Some(Guard::QuestionOpen | Guard::BudgetSpent(_)))
}

/// A question, if none is with the user yet and one may still be asked.
pub(crate) fn ask_once(head: &Head, question: Option<impl FnOnce() -> Question>) -> Vec<Intent> {
    let may = !asked(head) && head.budget.left(Counter::Questions) > 0;
    let question = question.filter(|_| may);
    question.map(|make| Order::AskUser(make()).into()).into_iter().collect()
}
