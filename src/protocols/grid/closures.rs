//! The state of gaps: closed, by whom and in which round, or waived, or still open.
//!
//! A plan that closes gaps and has no must-haves of its own has one: that the gaps are closed. Its recognizer's word on
//! that must-have does not count if a gap that the plan names was waived or is not shown.

use super::state::{Block, State};
use crate::mission::prelude::*;

/// The must-have of a plan that has none but to close gaps.
pub(super) fn text(closes: &[String]) -> String {
    format!("The gaps {} are closed", closes.join(", "))
}

/// The gaps a must-have is about, where it says nothing but that they are closed.
fn about<'a>(block: &'a Block, criterion: &Criterion) -> &'a [String] {
    let closes = block.plan.closes.as_slice();
    match !closes.is_empty() && criterion.text == text(closes) {
        true => closes,
        false => &[],
    }
}

/// The gaps a must-have says are closed, and that are not: each with what became of it.
pub(super) fn still(state: &State, block: &Block, criterion: &Criterion) -> Vec<String> {
    let open = |name: &String| {
        let gap = of(state, name)?;
        (!gap.verified()).then(|| format!("{name} {}", word(&gap.state)))
    };
    about(block, criterion).iter().filter_map(open).collect()
}

/// A must-have by the name of its gap.
fn of<'a>(state: &'a State, name: &str) -> Option<&'a Criterion> {
    let (block, id) = name.split_once('/')?;
    state.blocks.get(block)?.criteria.iter().find(|one| one.id == id)
}

/// How far a must-have is shown, and who waived or rejected it, and why.
fn word(state: &CriterionState) -> String {
    match state {
        CriterionState::Waived { by, why } => format!("was let go by the {by}: {}", one_line(why)),
        CriterionState::Rejected { why, .. } => {
            format!("is rejected: {}", clip(&one_line(why), 200))
        }
        CriterionState::Open | CriterionState::Claimed { .. } => "is not shown".to_owned(),
        CriterionState::Verified { .. } => "is closed".to_owned(),
    }
}

/// The state of a must-have, for people: with its history, if it was a gap or is about gaps.
pub(super) fn line(state: &State, block: &Block, criterion: &Criterion) -> String {
    let plain = crate::mission::picture::criterion_word(&criterion.state);
    let left = still(state, block, criterion);
    if !left.is_empty() {
        return format!("not closed: {}", left.join("; "));
    }
    match &criterion.state {
        CriterionState::Waived { by, why } => format!("{plain} by the {by}: {}", one_line(why)),
        CriterionState::Rejected { why, .. } => format!("{plain}: {}", clip(&one_line(why), 200)),
        CriterionState::Verified { .. } => match closer(state, block, criterion) {
            Some(by) => format!("{plain}; a gap, closed in round {} by {}", by.round, by.id),
            None => plain.to_owned(),
        },
        CriterionState::Open | CriterionState::Claimed { .. } => plain.to_owned(),
    }
}

/// The block that closed a gap: the last whose plan names it.
fn closer<'a>(state: &'a State, block: &Block, criterion: &Criterion) -> Option<&'a Block> {
    let name = format!("{}/{}", block.id, criterion.id);
    let mut all = state.blocks.iter().filter(|one| one.round > 0);
    all.rfind(|one| one.plan.closes.contains(&name))
}

/// Why a must-have that says that gaps are closed cannot be shown any more: all remaining gaps were waived.
pub(super) fn gone(state: &State, block: &Block, criterion: &Criterion) -> Option<String> {
    let left = still(state, block, criterion);
    let waived = |name: &String| of(state, name).is_some_and(Criterion::waived);
    let closed = |name: &String| of(state, name).is_none_or(Criterion::verified);
    let over = about(block, criterion).iter().all(|name| waived(name) || closed(name));
    (over && !left.is_empty()).then(|| left.join("; "))
}
