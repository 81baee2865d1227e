//! Whether a success did what it says: its commits and files were seen to come, on top of the earlier tree, and no
//! checkpoint of its plan was left out.

use super::report::{CheckpointType, ExecutorReport, Summary};
use super::state::{Block, State};
use super::{gaps, reverts};
use crate::mission::prelude::*;
use crate::vocab::json;

/// The fewest letters of an abbreviated commit id.
const LEAST_OF_ID: usize = 7;

/// The name under which a commit is noted with the touched paths; an abbreviated id has the same.
pub(super) fn commit_name(id: &str) -> String {
    format!("commit {}", id.chars().take(LEAST_OF_ID).collect::<String>().to_lowercase())
}

/// Notes the commits that came since the last look.
pub(super) fn note_commits(state: &mut State, repository: &Repository) {
    let ordinal = state.core.life.ordinal();
    for id in repository.since.iter().flat_map(|change| &change.commits) {
        state.touches.set(&commit_name(id), ordinal);
    }
}

/// A success names commits and files that were seen to come.
pub(super) fn seen(
    state: &State,
    run: &Run,
    report: &ExecutorReport,
    repository: &Repository,
) -> Result<()> {
    let Some(summary) = &report.summary else { return Ok(()) };
    checkpoints_asked(state, run)?;
    reverts::taken_back(state, run)?;
    gaps::by_something(state, run, report)?;
    if summary.already_there {
        return nothing_named(summary);
    }
    let cut = repository.since.as_ref().is_some_and(|change| change.truncated);
    commits_seen(state, run, summary, repository, cut)?;
    let changes = changes_files(state, &run.item);
    let ours = |path: &String| path.starts_with(super::files::DIRECTORY);
    if changes && summary.key_files.all().all(|path| ours(&path)) {
        let expected = "the files that were created or modified";
        return Err(Error::new(Code::NothingTouched, "summary.key-files", expected, "none"));
    }
    // Behind a head that the user went on from, nothing is noted as touched.
    let since = repository.since.as_deref();
    let came = |path: &String| {
        state.touches.get(path).is_some() || since.is_some_and(|one| one.paths.contains(path))
    };
    let unseen = summary.key_files.all().find(|path| !ours(path) && !came(path));
    match unseen.filter(|_| !cut) {
        None => Ok(()),
        Some(path) if run.before.head == repository.head => {
            let expected = "files of a new commit, or `already_there` in the summary";
            Err(Error::new(Code::NoCommit, "summary.key-files", expected, path))
        }
        Some(path) => {
            let expected = "files that changed while the cluster went on";
            Err(Error::new(Code::NothingTouched, "summary.key-files", expected, path))
        }
    }
}

/// Where its plan asks a person, a person was asked: a block does not pass over a checkpoint by doing the rest.
fn checkpoints_asked(state: &State, run: &Run) -> Result<()> {
    let Some(block) = state.blocks.get(&run.item) else { return Ok(()) };
    let asked = block.passed.iter().filter(|one| !one.objected).chain(block.objections());
    let mut passed: Vec<&str> = asked.map(|one| one.kind.as_str()).collect();
    // The person is asked again where the checkpoint is known.
    let again = super::checkpoint::to_look_at(block).is_some();
    if let Some(one) = block.objections().next().filter(|_| !again) {
        let thread = one_line(&one.thread);
        let expected = format!(
            "CHECKPOINT of type {} with current_thread `{thread}` again: the person found it {}",
            one.kind, one.answer
        );
        return Err(Error::new(Code::CheckpointOpen, "status", expected, "SUCCESS"));
    }
    let mut open = super::threads::checkpoints(&block.plan).into_iter().filter(|(kind, _)| {
        let known = passed.iter().position(|one| one == kind);
        known.map(|place| passed.remove(place)).is_none()
    });
    ensure_none(
        open.find(|(kind, _)| json::choice::<CheckpointType>(kind).is_some()),
        |(kind, name)| {
            let expected = format!("CHECKPOINT of type {kind} at `{}`", one_line(&name));
            Error::new(Code::CheckpointOpen, "status", expected, "SUCCESS")
        },
    )
}

/// What was there already came with no commit of this block; a commit that is named all the same says the
/// opposite.
fn nothing_named(summary: &Summary) -> Result<()> {
    ensure_none(summary.commits.first(), |commit| {
        let (at, expected) = ("summary.commits", "none with `already_there`");
        Error::new(Code::InvalidValue, at, expected, commit)
    })
}

fn changes_files(state: &State, id: &str) -> bool {
    state.blocks.get(id).is_some_and(|block| !block.plan.files_modified.is_empty())
}

/// Commits are named by their ids, came while the cluster went on, and are there where files should change.
fn commits_seen(
    state: &State,
    run: &Run,
    summary: &Summary,
    repository: &Repository,
    cut: bool,
) -> Result<()> {
    let at = "summary.commits";
    let hex = |text: &String| {
        (LEAST_OF_ID..=64).contains(&text.len())
            && text.bytes().all(|byte| byte.is_ascii_hexdigit())
    };
    if let Some(odd) = summary.commits.iter().find(|commit| !hex(commit)) {
        return Err(Error::new(Code::InvalidValue, at, "commit ids in hex", odd));
    }
    let unseen = summary.commits.iter().find(|id| state.touches.get(&commit_name(id)).is_none());
    if let Some(id) = unseen.filter(|_| !cut) {
        let expected = "commits that came while the cluster went on";
        return Err(Error::new(Code::NoCommit, at, expected, id));
    }
    of_its_own(state, run, summary, repository)?;
    if !changes_files(state, &run.item) {
        return Ok(());
    }
    if summary.commits.is_empty() {
        return Err(Error::new(Code::NoCommit, at, "the commits that carry the work", "none"));
    }
    // A run that goes on where another stopped may find the work committed. A run that only corrects a report is
    // measured against the tree before the run whose report it is: said twice, nothing becomes something.
    let first = state.blocks.get(&run.item).is_some_and(Block::is_new);
    ensure(!(first && run.before.head == repository.head), || {
        let expected = "another head than before, or `already_there` in the summary";
        Error::new(Code::NoCommit, "repository", expected, "the same")
    })
}

/// None of the commits that are named is another block's, but where it came while both were at work: those may have
/// shared it.
fn of_its_own(state: &State, run: &Run, summary: &Summary, repository: &Repository) -> Result<()> {
    let ordinal = state.core.life.seen.as_ref().map(|seen| seen.ordinal);
    let moved = run.before.head != repository.head;
    let others = || state.blocks.iter().filter(|block| block.id != run.item);
    let of = |id: &&String| {
        let name = commit_name(id);
        let came = state.touches.get(&name).is_some_and(|when| Some(when) == ordinal);
        let own = state.blocks.get(&run.item);
        if own.is_some_and(|block| super::attribution::shared(block, &name)) {
            return None;
        }
        let owner = others().find(|block| names(block, &name));
        owner.map(|block| block.id.as_str()).filter(|_| !(came && moved))
    };
    let found = summary.commits.iter().find_map(|id| Some((id, of(&id)?)));
    ensure_none(found, |(id, owner)| {
        let expected = "commits of this block, or `already_there` in the summary";
        let only = summary.commits.iter().all(|id| of(&id).is_some());
        let got = match only {
            true => format!("only commits of {owner}"),
            false => format!("{}, a commit of {owner}", clip(id, 12)),
        };
        Error::new(Code::NoCommit, "summary.commits", expected, got)
    })
}

/// Whether a block named a commit in a success that was taken, or is held back.
fn names(block: &Block, name: &str) -> bool {
    let held = block.held.iter().filter_map(|report| report.summary.as_ref());
    let mut all = block.summary.iter().map(|one| &**one).chain(held);
    all.any(|summary| summary.commits.iter().any(|id| commit_name(id) == name))
}
