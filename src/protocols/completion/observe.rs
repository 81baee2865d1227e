//! Facts about the repository: heads and touched paths, canonical files, dirt; and only then
//! the judgement of the run that ended before the look.

use super::accept;
use super::apply::{fail_step, stale_observation};
use super::edits;
use super::files;
use super::state::{ActiveStatus, Core, Ended, RegroundReason, State, Topic};
use crate::mission::Context;
use crate::mission::{repository, worktree};
use crate::vocab::budget::Counter;
use crate::vocab::error::{Code, Error, Result, ensure};
use crate::vocab::repository::Repository;
use crate::vocab::role::Access;
use std::borrow::Cow;

/// Enters an observation.
pub(super) fn observed(state: &mut State, context: &mut Context<'_>, repository: &Repository) {
    let repository = &*without_own(repository);
    state.core.files.doubted.clear();
    if state.core.done.is_some() {
        // Only what must still be written matters; the end stays as it was judged.
        edits::seen_after_the_end(state, &repository.files);
        return stale_observation(state);
    }
    if let Some(problem) = worktree::problem(repository) {
        // A run that left the repository like this has shown nothing.
        let reported = state.core.ended.take().is_some_and(|ended| ended.report.is_some());
        state.core.counts.refused_reports += u64::from(reported);
        state.core.blocked = Some(problem);
        return;
    }
    let ended = state.core.ended.take();
    look(state, repository);
    let live = state.core.run.is_some() || ended.is_some();
    let mut edited = edits::files_seen(state, context.head, &repository.files, live);
    if let Some(run) = state.core.run.as_mut() {
        run.tampered.append(&mut edited);
    }
    void_wave(state);
    match ended {
        Some(ended) => judge(state, context, repository, ended, edited),
        None if state.core.run.is_none() => distrust_dirt(state, context),
        None => {}
    }
}

/// The engine's own state files are no dirt, also where nothing hides them from git: before the contract is
/// committed, or when somebody took its lines out of `.gitignore`. Whether somebody else wrote them is seen by
/// their digests.
fn without_own(repository: &Repository) -> Cow<'_, Repository> {
    let own = |path: &str| files::STATE_FILES.contains(&path) || files::HISTORIES.contains(&path);
    if !repository.dirty.iter().any(|dirty| own(&dirty.path)) {
        return Cow::Borrowed(repository);
    }
    let mut seen = repository.clone();
    seen.dirty.retain(|dirty| !own(&dirty.path));
    Cow::Owned(seen)
}

/// Takes over head, refs and dirt, and notes which paths differ since the last head.
fn look(state: &mut State, repository: &Repository) {
    let first = state.core.seen.is_none();
    repository::look(&mut state.core.seen, &mut state.touches, repository);
    let own = repository.head.as_ref().filter(|head| state.core.contract.commits.contains(head));
    if own.is_none() || first {
        state.core.work = repository.head.clone();
    }
}

/// A new commit or a dirty tree voids all judgements of the wave.
fn void_wave(state: &mut State) {
    let Core { seen: Some(seen), wave, .. } = &*state.core else { return };
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
pub(super) fn distrust_dirt(state: &mut State, context: &Context<'_>) {
    let Some(seen) = state.core.seen.as_ref() else { return };
    let paths: Vec<String> = seen.dirty.iter().map(|dirty| dirty.path.clone()).collect();
    let head = seen.head_word().to_owned();
    let live = state.core.active.as_ref().filter(|active| active.status != ActiveStatus::Done);
    let claimed = live.and_then(|active| active.claim.as_ref()).map(|claim| claim.commit.clone());
    let working = live.is_some() && claimed.is_none();
    if claimed.is_some() && claimed != state.core.work {
        let details =
            vec![format!("claimed {}", claimed.unwrap_or_default()), format!("head {head}")];
        return accept::distrust(state, RegroundReason::HeadMoved, details);
    }
    if paths.is_empty() || working {
        return;
    }
    let started = context.head.control != crate::mission::Control::Held;
    if claimed.is_some() || state.core.grounding.completed_slice.is_some() {
        accept::distrust(state, RegroundReason::DirtyTree, paths);
    } else if started && state.core.asking.is_none() && state.core.done.is_none() {
        state.core.asking = Some(Topic::DirtyStart { paths });
    }
}

/// Judges a run that ended by what was seen after it.
fn judge(
    state: &mut State,
    context: &mut Context<'_>,
    repository: &Repository,
    ended: Ended,
    edited: Vec<String>,
) {
    let Ended { run, report } = ended;
    let touched: Vec<String> = run.tampered.iter().cloned().chain(edited).collect();
    let verdict = touched_canonical(&touched).and_then(|()| left_tree(&run, repository));
    let Some(report) = report else {
        if let Err(fault) = verdict {
            state.core.last_problem = Some(fault.diagnostic());
        }
        return distrust_dirt(state, context);
    };
    let accepted =
        verdict.and_then(|()| accept::tentatively(state, context, &run, &report, repository));
    match accepted {
        Ok(()) => {
            state.core.attempts = 0;
            state.core.correction = None;
        }
        Err(fault) if fault.code == Code::BudgetSpent => {
            state.core.last_problem = Some(fault.diagnostic());
            state.core.asking = Some(Topic::Budget { counter: Counter::Reopens });
        }
        Err(fault) => {
            state.core.counts.refused_reports += 1;
            state.core.ended = Some(Ended { run, report: None });
            fail_step(state, fault.diagnostic());
            state.core.ended = None;
        }
    }
    distrust_dirt(state, context);
}

fn touched_canonical(paths: &[String]) -> Result<()> {
    ensure(paths.is_empty(), || {
        let expected = "canonical files as the engine wrote them";
        Error::new(Code::CanonicalTouched, "tree", expected, paths.join(", "))
    })
}

/// A read-only run leaves the tree as it was.
fn left_tree(run: &super::state::Run, repository: &Repository) -> Result<()> {
    match run.role.access() {
        Access::Write => Ok(()),
        Access::ReadOnly => worktree::left_alone(&run.before, repository),
    }
}
