//! Attribution of uncommitted changes. A change that was there before a run began is not attributed to that run. A
//! change that a run left belongs to its block until it is gone. If several were at work and neither a plan nor a
//! report tells whose it is, it belongs to none: no success is refused for it, and the user is asked before any run
//! goes on.

use super::observe::Heard;
use super::state::{BlockStatus, Dirt, State};
use crate::mission::prelude::*;
use crate::vocab::repository::PathDigest;

/// Notes who left what.
pub(super) fn enter(state: &mut State, repository: &Repository, heard: &[Heard]) {
    let before = std::mem::take(&mut state.core.dirt);
    for dirty in &repository.dirty {
        let same = before.get(&dirty.path).filter(|was| was.digest == dirty.digest);
        let dirt = same.cloned().unwrap_or_else(|| Dirt {
            digest: dirty.digest.clone(),
            by: whose(state, dirty, heard),
        });
        state.core.dirt.insert(dirty.path.clone(), dirt);
    }
}

/// The paths that a block is to answer for.
pub(super) fn left_by(state: &State, id: &str) -> Vec<String> {
    let own = state.core.dirt.iter().filter(|(_, dirt)| dirt.owner() == Some(id));
    own.map(|(path, _)| path.clone()).collect()
}

/// Those at work when it came: the one whose plan or report names it, else all of them.
fn whose(state: &State, dirty: &PathDigest, heard: &[Heard]) -> BTreeSet<String> {
    let found = |one: &&Heard| one.run.before.dirty.contains(dirty);
    let runs = heard.iter().filter(|one| one.run.access == Access::Write && !found(one));
    let ids: BTreeSet<String> = runs.map(|one| one.run.item.clone()).collect();
    let listed =
        |id: &&String| state.blocks.get(id).is_some_and(|block| block.paths.contains(&dirty.path));
    let named = heard.iter().find(|one| {
        let summary = one.success().and_then(|report| report.summary.as_ref());
        let mut files = summary.into_iter().flat_map(|one| one.key_files.all());
        ids.contains(&one.run.item) && files.any(|path| path == dirty.path)
    });
    let owner = ids.iter().find(listed).cloned().or(named.map(|one| one.run.item.clone()));
    owner.map_or(ids, |owner| BTreeSet::from([owner]))
}

impl Dirt {
    /// The block that left it, where that can be told.
    fn owner(&self) -> Option<&str> {
        let only = self.by.iter().next().filter(|_| self.by.len() == 1);
        only.map(String::as_str)
    }
}

/// Whether whoever left all of it is about to go on, and is told; or waits for a person, who is to find it as it is.
pub(super) fn is_mended(state: &State, dirty: &[PathDigest]) -> bool {
    dirty.iter().all(|one| {
        let owner = state.core.dirt.get(&one.path).and_then(Dirt::owner);
        let goes_on = |owner| state.ready().any(|block| block.id == owner);
        owner.is_some_and(|owner| goes_on(owner) || waits_for_a_person(state, owner))
    })
}

fn waits_for_a_person(state: &State, id: &str) -> bool {
    state.blocks.get(id).is_some_and(|block| block.status == BlockStatus::Checkpoint)
}

/// A block that may have left some of it and waits at a checkpoint: a person looks at it before it is cleared away.
pub(super) fn to_be_looked_at(state: &State, dirty: &[PathDigest]) -> Option<String> {
    let left = dirty.iter().filter_map(|one| state.core.dirt.get(&one.path));
    left.flat_map(|dirt| &dirt.by).find(|id| waits_for_a_person(state, id)).cloned()
}

/// What is not committed as an executor sees it: what others left who wait for a person, each with its block, and the
/// rest.
pub(super) fn seen_by(state: &State, id: &str) -> (Vec<(String, String)>, Vec<String>) {
    let (mut others, mut rest) = (Vec::new(), Vec::new());
    for one in state.core.life.seen.iter().flat_map(|seen| &seen.dirty) {
        let owner = state.core.dirt.get(&one.path).and_then(Dirt::owner);
        match owner.filter(|owner| *owner != id && waits_for_a_person(state, owner)) {
            Some(owner) => others.push((one.path.clone(), owner.to_owned())),
            None => rest.push(one.path.clone()),
        }
    }
    (others, rest)
}

/// The blocks that may have left any of these paths.
pub(super) fn who_left(state: &State, paths: &[String]) -> BTreeSet<String> {
    let left = paths.iter().filter_map(|path| state.core.dirt.get(path));
    left.flat_map(|dirt| &dirt.by).cloned().collect()
}
