//! What must never be, whatever the protocol: one function per "never" sentence. After each event they look at what the
//! event touched; on opening a snapshot, at everything. A breach is an error of kind `broken` and the step is not taken.

use super::{Continuation, Head, proof};
use crate::vocab::budget::Counter;
use crate::vocab::criterion::{Criterion, CriterionState};
use crate::vocab::effect::{Order, Outstanding, SpawnRole};
use crate::vocab::error::{Code, Error, Result, ensure, ensure_none};
use crate::vocab::table::{Row, Table};

/// A check over the bounded part of a state.
pub(crate) type Check<S> = fn(&S, &Head) -> Result<()>;

/// Looks at each row, on opening a snapshot, else at each that the event touched and at each change of one.
pub(crate) fn rows<R: Row>(
    table: &Table<R>,
    everything: bool,
    row: impl Fn(&R) -> Result<()>,
    change: impl Fn(&R, &R) -> Result<()>,
) -> Result<()> {
    if everything {
        return table.iter().try_for_each(row);
    }
    table.touched_rows().try_for_each(row)?;
    table.changes().try_for_each(|(before, now)| change(before, now))
}

/// The error of a breach.
pub(crate) fn broken(
    code: Code,
    at: &str,
    expected: impl Into<String>,
    got: impl Into<String>,
) -> Result<()> {
    Err(Error::new(code, at, expected, got))
}

/// Roles of the protocol in the outbox.
pub(crate) fn spawns(head: &Head) -> impl Iterator<Item = (&SpawnRole, &Outstanding)> {
    head.outbox.iter().filter_map(|one| match &one.effect.order {
        order if proof::is_ours(order) => None,
        Order::SpawnRole(spawn) => Some((spawn, one.as_ref())),
        _ => None,
    })
}

/// A budget never goes beyond its limit.
pub(crate) fn never_spends_beyond_a_limit(head: &Head) -> Result<()> {
    // Tokens and cost are reported after the fact and may overshoot; they are never spent beforehand.
    let reported = [Counter::Tokens, Counter::CostMicros];
    let over = head
        .budget
        .iter()
        .find(|(counter, account)| account.spent > account.limit && !reported.contains(counter));
    ensure_none(over, |(counter, account)| {
        let expected = format!("at most {}", account.limit);
        Error::new(Code::BrokenBudget, counter.as_str(), expected, account.spent.to_string())
    })
}

/// A mission that must go on never waits, and one that waits for the user has asked.
pub(crate) fn never_waits_while_it_must_go_on(
    continuation: Continuation,
    head: &Head,
) -> Result<()> {
    let moves = [Continuation::Continue, Continuation::AwaitUserInput].contains(&continuation);
    let holds = !(moves && head.outbox.is_empty());
    ensure!(holds, Code::BrokenContinuation, "head.outbox", "an effect under way", "none")
}

/// Never an order that the protocol has no use for, or on files of others.
pub(crate) fn never_orders_what_is_not_its_own(
    head: &Head,
    own: impl Fn(&Order) -> bool,
) -> Result<()> {
    let known = |one: &Outstanding| proof::is_part(&head.proof, one) || own(&one.effect.order);
    ensure_none(head.outbox.iter().find(|one| !known(one)), |one| {
        let expected = "orders of this protocol, on its own files";
        Error::new(Code::BrokenOutbox, "head.outbox", expected, one.effect.order.name())
    })
}

/// What holds of every item.
pub(crate) fn item(id: &str, criteria: &[Criterion], closed: bool) -> Result<()> {
    never_keeps_an_item_without_criteria(id, criteria)?;
    never_closes_over_an_open_criterion(id, criteria.iter().find(|one| closed && !one.settled()))?;
    never_lets_a_run_verify_its_own_claim(id, criteria)
}

/// An item without criteria could be called done at once.
pub(crate) fn never_keeps_an_item_without_criteria(id: &str, criteria: &[Criterion]) -> Result<()> {
    ensure!(!criteria.is_empty(), Code::BrokenCriteria, id, "at least one criterion", "none")
}

/// An item is never closed while a criterion is neither verified nor waived.
pub(crate) fn never_closes_over_an_open_criterion(
    id: &str,
    open: Option<&Criterion>,
) -> Result<()> {
    ensure_none(open, |open| {
        Error::new(Code::BrokenDone, id, "verified or waived", format!("{} open", open.id))
    })
}

/// A run that claims never verifies.
pub(crate) fn never_lets_a_run_verify_its_own_claim(
    id: &str,
    criteria: &[Criterion],
) -> Result<()> {
    let own = criteria.iter().find(|one| match &one.state {
        CriterionState::Verified { claimed_by: Some(by), verified_by, .. } => {
            verified_by.contains(&by.run)
        }
        _ => false,
    });
    ensure_none(own, |one| Error::new(Code::BrokenSeparation, id, "another run", &one.id))
}

/// A criterion is never dropped or reworded; more may come behind.
pub(crate) fn never_weakens_a_criterion(
    id: &str,
    before: &[Criterion],
    now: &[Criterion],
) -> Result<()> {
    let same = |(place, was): (usize, &Criterion)| {
        now.get(place).is_some_and(|is| is.id == was.id && is.text == was.text)
    };
    let changed = before.iter().enumerate().find(|one| !same(*one));
    ensure_none(changed, |(_, was)| {
        Error::new(Code::BrokenContract, id, &was.id, "another criterion or none")
    })
}
