//! What a look at the repository says of the work: where it stands, whether the judges' head is still there, and whether
//! the tree can be trusted once the run before the look is judged.

use super::accept;
use super::state::{ActiveStatus, Core, RegroundReason, State};
use crate::mission::life::Topic;
use crate::mission::{Control, Head, repository};
use crate::vocab::repository::Repository;

/// Takes over head, refs and dirt, and notes which paths differ since the last head.
pub(super) fn look(state: &mut State, repository: &Repository) {
    let first = state.core.life.seen.is_none();
    repository::look(&mut state.core.life.seen, &mut state.touches, repository);
    let own = repository.head.as_ref().filter(|head| state.core.contract.commits.contains(head));
    if own.is_none() || first {
        state.core.work = repository.head.clone();
    }
    void_wave(state);
}

/// A new commit or a dirty tree voids all judgements of the wave.
fn void_wave(state: &mut State) {
    let Core { wave, .. } = &*state.core;
    let Some(seen) = &state.core.life.seen else { return };
    let elsewhere = wave.judgements.iter().any(|one| Some(&one.head) != seen.head.as_ref());
    let void = elsewhere || !seen.dirty.is_empty();
    if void || wave.verified_at.is_some() && wave.verified_at != seen.head {
        state.core.wave.verified_at = None;
    }
    if void {
        state.core.wave.judgements.clear();
    }
}

/// A tree that must be clean and is not, or a head that left the claimed commit.
pub(super) fn distrust_dirt(state: &mut State, head: &Head) {
    let core = &state.core;
    let Some(seen) = core.life.seen.as_ref() else { return };
    let paths: Vec<String> = seen.dirty.iter().map(|dirty| dirty.path.clone()).collect();
    let live = core.active.as_ref().filter(|active| active.status != ActiveStatus::Done);
    let claim = live.and_then(|active| active.claim.as_ref());
    if let Some(claim) = claim.filter(|claim| Some(&claim.commit) != core.work.as_ref()) {
        let head = seen.head_word();
        let details = vec![format!("claimed {}", claim.commit), format!("head {head}")];
        return accept::distrust(state, RegroundReason::HeadMoved, details);
    }
    let working = live.is_some() && claim.is_none();
    if paths.is_empty() || working {
        return;
    }
    let started = head.control != Control::Held;
    if claim.is_some() || core.grounding.completed_slice.is_some() {
        accept::distrust(state, RegroundReason::DirtyTree, paths);
    } else if started && core.life.asking.is_empty() && core.life.done.is_none() {
        state.core.life.asking.push(Topic::DirtyTree { paths });
    }
}
