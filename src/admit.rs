//! The first move: does this fact answer something, and is it the right answer?
//!
//! Delivery is at least once, admission exactly once. A second or late answer is refused as
//! `stale_answer`, an answer to nothing as `unknown_effect`, an answer of the wrong kind as
//! `wrong_answer`.

use crate::snapshot::Head;
use crate::vocab::effect::{Delivery, Observe, Order, Outstanding};
use crate::vocab::error::{Code, Error, Result};
use crate::vocab::event::{Fact, QuestionAnswered};
use std::sync::Arc;

/// Whether a fact of this kind takes its effect out of the outbox.
pub(crate) fn answers(fact: &Fact) -> bool {
    use Fact::{HostRecovered, RunProgressed, RunStarted, UserCommanded};
    !matches!(fact, UserCommanded(_) | RunStarted(_) | RunProgressed(_) | HostRecovered(_))
}

/// Finds the effect a fact speaks of and checks that it may speak of it now.
///
/// # Errors
/// `unknown_effect`, `stale_answer`, `wrong_answer`, `not_started`, `already_started`,
/// `answer_type`.
pub(crate) fn admit(head: &Head, fact: &Fact) -> Result<Option<Arc<Outstanding>>> {
    let Some(id) = fact.effect() else { return Ok(None) };
    let Some(outstanding) = head.find(id) else {
        let (code, expected) = match id.seq > head.seq {
            true => (Code::UnknownEffect, format!("an effect of event {} or earlier", head.seq)),
            false => (Code::StaleAnswer, "an effect in the outbox".to_owned()),
        };
        return Err(Error::new(code, fact.name(), expected, id.to_string()));
    };
    let order = &outstanding.effect.order;
    if !fits(fact, order) {
        let expected = format!("an answer to {}", order.name());
        return Err(Error::new(Code::WrongAnswer, id.to_string(), expected, fact.name()));
    }
    check_delivery(fact, outstanding)?;
    if let (Fact::QuestionAnswered(QuestionAnswered { answer, .. }), Order::AskUser(question)) =
        (fact, order)
    {
        question.kind.accepts(answer)?;
    }
    Ok(Some(outstanding.clone()))
}

/// Whether facts of this kind speak of orders of this kind.
fn fits(fact: &Fact, order: &Order) -> bool {
    match fact {
        Fact::UserCommanded(_) | Fact::HostRecovered(_) => false,
        Fact::RunStarted(_) | Fact::RunProgressed(_) | Fact::RunEnded(_) => {
            matches!(order, Order::SpawnRole(_))
        }
        Fact::CommandExited(_) => matches!(order, Order::RunCommand(_)),
        Fact::RepositoryObserved(_) => order.is_look(),
        Fact::DocumentsObserved(_) => matches!(order, Order::Observe(Observe::Documents { .. })),
        Fact::QuestionAnswered(_) => matches!(order, Order::AskUser(_)),
        Fact::Consulted(_) => matches!(order, Order::Consult(_)),
        Fact::TimerFired(_) => matches!(order, Order::SetTimer(_)),
        Fact::EffectPerformed(_) => matches!(
            order,
            Order::StopRole(_)
                | Order::AppendHistory(_)
                | Order::WriteFile(_)
                | Order::CommitFiles(_)
                | Order::Notify(_)
        ),
        Fact::EffectFailed(_) => !matches!(order, Order::AskUser(_)),
    }
}

/// A run must be started before it moves, and only once; a started run ends by `run_ended`.
fn check_delivery(fact: &Fact, outstanding: &Outstanding) -> Result<()> {
    let refuse = |code, expected: &str, got: &str| {
        Err(Error::new(code, outstanding.effect.id.to_string(), expected, got))
    };
    match (fact, &outstanding.delivery) {
        (Fact::RunStarted(_), Delivery::Started { .. }) => {
            refuse(Code::AlreadyStarted, "an effect that was not started", "run_started")
        }
        (Fact::RunProgressed(_) | Fact::RunEnded(_), Delivery::Ordered) => {
            refuse(Code::NotStarted, "run_started first", fact.name())
        }
        (Fact::EffectFailed(_), Delivery::Started { .. }) => {
            refuse(Code::WrongAnswer, "run_ended for a started run", "effect_failed")
        }
        _ => Ok(()),
    }
}
