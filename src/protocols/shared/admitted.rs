//! What every protocol asks of a command before it is taken.

use crate::protocols::Context;
use crate::vocab::effect::Order;
use crate::vocab::error::{Code, Error, Result};
use crate::vocab::event::Fact;

/// The mission has not come to its end.
///
/// # Errors
/// `mission_done` if it has.
pub(crate) fn still_open(done: bool) -> Result<()> {
    match done {
        false => Ok(()),
        true => Err(Error::new(Code::MissionDone, "command", "a mission that goes on", "done")),
    }
}

/// The user says why.
///
/// # Errors
/// `missing_field` for blank text.
pub(crate) fn reasoned(reason: &str) -> Result<()> {
    match reason.trim().is_empty() {
        false => Ok(()),
        true => Err(Error::new(Code::MissingField, "reason", "why", "blank text")),
    }
}

/// The order that a fact answers.
///
/// # Errors
/// `broken_outbox` if there is none: admission lets no such fact pass.
pub(crate) fn subject<'a>(context: &'a Context<'_>) -> Result<&'a Order> {
    let order = context.subject.as_ref().map(|subject| &subject.effect.order);
    order.ok_or_else(|| Error::new(Code::BrokenOutbox, "outbox", "the answered effect", "none"))
}

/// A fact that answers what a protocol never orders, so admission lets none pass.
pub(crate) fn foreign(protocol: &str, fact: &Fact) -> Error {
    let expected = format!("an answer to an order of the {protocol} protocol");
    Error::new(Code::BrokenOutbox, "fact", expected, fact.name())
}
