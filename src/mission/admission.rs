//! The conditions of every protocol for a command before it is taken.

use crate::mission::Context;
use crate::vocab::criterion::Criterion;
use crate::vocab::effect::Order;
use crate::vocab::error::{Code, Error, Result, ensure, ensure_none};

/// The mission has not come to its end.
///
/// # Errors
/// `mission_done` if it has.
pub(crate) fn still_open(done: bool) -> Result<()> {
    ensure!(!done, Code::MissionDone, "command", "a mission that goes on", "done")
}

/// The user says why.
///
/// # Errors
/// `missing_field` for blank text.
pub(crate) fn reasoned(reason: &str) -> Result<()> {
    ensure!(!reason.trim().is_empty(), Code::MissingField, "reason", "why", "blank text")
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
pub(crate) fn foreign(protocol: &str, fact: &str) -> Error {
    let expected = format!("an answer to an order of the {protocol} protocol");
    Error::new(Code::BrokenOutbox, "fact", expected, fact)
}

/// Verification is skipped once, and with a reason.
///
/// # Errors
/// `missing_field` without one, `already_skipped` if it is.
pub(crate) fn skippable(skipped: Option<&String>, reason: &str) -> Result<()> {
    reasoned(reason)?;
    ensure_none(skipped, |known| {
        Error::new(Code::AlreadySkipped, "command", "verification on", known)
    })
}

/// Changes of a plan, one after the other; the step as a whole is taken back if one of them is refused.
///
/// # Errors
/// `invalid_change` for none, and that of the first change that is refused, with its place.
pub(crate) fn all_of<C>(changes: &[C], mut change: impl FnMut(&C) -> Result<()>) -> Result<()> {
    ensure!(!changes.is_empty(), Code::InvalidChange, "changes", "at least one", "none")?;
    changes.iter().enumerate().try_for_each(|(place, one)| {
        change(one).map_err(|error| error.within(&format!("changes[{place}]")))
    })
}

/// The item has such a criterion.
///
/// # Errors
/// `unknown_criterion` if it has not.
pub(crate) fn has_criterion(criteria: &[Criterion], item: &str, criterion: &str) -> Result<()> {
    let holds = criteria.iter().any(|one| one.id == criterion);
    ensure!(holds, Code::UnknownCriterion, "criterion", "a criterion of {item}", criterion)
}
