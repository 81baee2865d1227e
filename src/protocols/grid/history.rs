//! The history behind the head: if the user goes on without some commits, everything that rested on them is judged
//! again.

use super::state::{Block, BlockStatus, State};
use crate::mission::prelude::*;
use crate::mission::repository;
use crate::vocab::repository::Change;

/// The most lost heads that are remembered.
const MOST_GONE: usize = 40;
/// The most paths that one line names.
const MOST_SHOWN: usize = 10;

/// Enters whether the head follows the one before it; before that one is forgotten.
pub(super) fn look(state: &mut State, repository: &Repository) {
    let lost = repository::left_behind(state.core.life.seen.as_ref(), repository);
    if let (Some(lost), Some(since)) = (lost, repository.since.as_deref()) {
        without(state, &lost, repository, since);
    }
}

/// Goes on without what a head held: it is named, and what rested on it is judged anew.
fn without(state: &mut State, lost: &str, repository: &Repository, basis: &Change) {
    let now = repository.head.as_deref().unwrap_or("none");
    let line = format!("{lost}, in whose place is {now}");
    let text = format!("Commits are gone from the branch: the head was {line}");
    state.concern(text);
    if state.core.gone.len() < MOST_GONE {
        state.core.gone.push(line);
    }
    let rests: Vec<(String, String)> = state
        .blocks
        .iter()
        .filter_map(|block| Some((block.id.clone(), rested(block, basis)?)))
        .collect();
    for (id, why) in rests {
        judge_anew(state, &id, why);
    }
}

/// What of a block is not as it was at the head that is lost.
fn rested(block: &Block, change: &Change) -> Option<String> {
    let (from, begun) = (clip(&change.from, 12), block.executed_by.is_some());
    let differs: Vec<&str> =
        block.paths.iter().filter(|one| change.paths.contains(one)).map(String::as_str).collect();
    let shown = differs.get(..MOST_SHOWN).unwrap_or(&differs).join(", ");
    match (begun, differs.is_empty(), change.truncated) {
        (false, ..) | (true, true, false) => None,
        (true, true, true) => Some(format!("{from} is gone from the branch, and what it held")),
        (true, false, _) => Some(format!("{from} is gone from the branch, and with it: {shown}")),
    }
}

/// What was shown of a block counts no more: it is claimed as it was, and judged with the present wave, or in one of
/// its own.
fn judge_anew(state: &mut State, id: &str, why: String) {
    let closed = state.blocks.get(id).is_some_and(|one| one.status == BlockStatus::Verified);
    let mut again = false;
    state.blocks.change(id, |block| {
        super::block::add_finding(block, why);
        let Some(by) = block.executed_by.clone() else { return };
        for criterion in block.criteria.iter_mut().filter(|one| one.verified()) {
            criterion.state = CriterionState::Claimed { by: by.clone(), evidence: Vec::new() };
            again = true;
        }
        super::gaps::again(block);
    });
    if !(again && closed) {
        return;
    }
    match !state.is_behind() {
        true => state.join_wave(id),
        false => state.append_wave(&[id.to_owned()]),
    }
    state.set_status(id, BlockStatus::Executed);
}
