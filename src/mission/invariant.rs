//! What must never be, whatever the protocol.

use crate::mission::{Continuation, Head};
use crate::vocab::budget::Counter;
use crate::vocab::effect::{Order, Outstanding, SpawnRole};
use crate::vocab::error::{Code, Error, Result};

/// The error of a breach.
pub(crate) fn broken(
    code: Code,
    at: &str,
    expected: impl Into<String>,
    got: impl Into<String>,
) -> Result<()> {
    Err(Error::new(code, at, expected, got))
}

/// Roles in the outbox.
pub(crate) fn spawns(head: &Head) -> impl Iterator<Item = (&SpawnRole, &Outstanding)> {
    head.outbox.iter().filter_map(|one| match &one.effect.order {
        Order::SpawnRole(spawn) => Some((spawn, one.as_ref())),
        _ => None,
    })
}

/// A budget never goes beyond its limit.
pub(crate) fn within_limits(head: &Head) -> Result<()> {
    // Tokens and cost are reported after the fact and may overshoot; they are never spent beforehand.
    let reported = [Counter::Tokens, Counter::CostMicros];
    let over = head
        .budget
        .iter()
        .find(|(counter, account)| account.spent > account.limit && !reported.contains(counter));
    match over {
        None => Ok(()),
        Some((counter, account)) => {
            let expected = format!("at most {}", account.limit);
            broken(Code::BrokenBudget, counter.as_str(), expected, account.spent.to_string())
        }
    }
}

/// A mission that must go on never stands still, and one that waits for the user has asked.
pub(crate) fn moves(continuation: Continuation, head: &Head) -> Result<()> {
    let moves = [Continuation::Continue, Continuation::AwaitUserInput].contains(&continuation);
    match moves && head.outbox.is_empty() {
        false => Ok(()),
        true => broken(Code::BrokenContinuation, "head.outbox", "an effect under way", "none"),
    }
}
