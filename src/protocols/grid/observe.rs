//! Facts about the repository: the head, the touched paths, the dirt; and only then the judgement of
//! the runs that ended before the look.

use super::apply::{failed, unfit};
use super::report::{ExecutorReport, Report, Status};
use super::role::Role;
use super::state::{BlockStatus, Ended, Run, State, Topic};
use super::{
    attribution, baseline, block, commits, files, history, ids, planning, unattributed,
    uncommitted, wave,
};
use crate::mission::Context;
use crate::mission::{repository, worktree};
use crate::vocab::effect::{Level, Order};
use crate::vocab::error::{Code, Error, Result};
use crate::vocab::repository::{PathDigest, Repository};
use crate::vocab::role::Access;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The most paths that one line names.
const MOST_SHOWN: usize = 20;

/// Enters an observation. What lies below `.grid/` is ours and no dirt.
pub(super) fn observed(
    state: &mut State,
    context: &mut Context<'_>,
    repository: &Repository,
    asked: &[PathDigest],
) {
    if state.core.done.is_some() {
        return;
    }
    let mut repository = repository.clone();
    repository.dirty.retain(|dirty| !dirty.path.starts_with(files::DIRECTORY));
    if let Some(problem) = worktree::problem(&repository) {
        // Runs that left the repository like this have shown nothing.
        let ended = std::mem::take(&mut state.core.ended);
        for Ended { run, report } in ended {
            state.core.counts.refused_reports += u64::from(report.is_some());
            if report.is_some() && run.role == Role::Executor {
                state.set_status(&run.item, BlockStatus::Retry);
            }
        }
        state.core.blocked = Some(problem);
        return;
    }
    history::look(state, &repository);
    repository::look(&mut state.core.seen, &mut state.touches, &repository);
    unattributed::keep(state, &repository);
    commits::note_commits(state, &repository);
    if !state.core.runs.is_empty() || !baseline::looked_at(state, asked) {
        // Somebody is at work; a judgement would read a moving tree. Or this look was ordered before a report
        // named what it is to find out.
        state.stale_observation();
        return;
    }
    let touched = restore(state, &repository);
    let ended = std::mem::take(&mut state.core.ended);
    let wrote = ended.iter().any(|ended| ended.run.role == Role::Executor);
    let clean = repository.dirty.is_empty();
    state.core.dirt_of_executor = !clean && (wrote || state.core.dirt_of_executor);
    if clean {
        forget(state, context, "dirty_tree", |topic| matches!(topic, Topic::DirtyTree { .. }));
    }
    let others = attribution::weigh(state, &repository, &ended);
    unattributed::hear(state, &ended);
    overlaps(state, &ended);
    unattributed::reached_over(state, &repository, &ended);
    let left = Left { dirty: uncommitted::of_blocks(state, &repository, &ended), touched, others };
    for one in ended {
        judge(state, context, &repository, one, &left);
    }
    unattributed::tell(state);
}

/// What was left behind by those who ended.
struct Left {
    /// Uncommitted paths by the block that is to answer for them.
    dirty: BTreeMap<String, Vec<String>>,
    /// Files of the engine's own that are not as it left them.
    touched: Vec<String>,
    /// Commits that are named by a block and are another's.
    others: attribution::Others,
}

/// Only the engine writes its own files: they are written again, with the foreign content kept aside. Files
/// that somebody put next to them are reported in the same way.
fn restore(state: &mut State, repository: &Repository) -> Vec<String> {
    let mut touched = state.core.files.found_changed(&repository.files);
    let beside = put_beside(state, repository);
    if !state.core.ended.is_empty() {
        touched.extend(beside);
    }
    if !touched.is_empty() {
        let shown: Vec<&str> = touched.iter().take(MOST_SHOWN).map(String::as_str).collect();
        let text = format!("changed from outside: {}", shown.join(", "));
        state.core.files.say(Level::Warning, text);
    }
    touched
}

/// Files next to our own that came, went or changed since no run was at work. Files that have become ours count
/// among our own.
fn put_beside(state: &mut State, repository: &Repository) -> BTreeSet<String> {
    let now = Arc::new(repository.beside.clone());
    let Some(was) = state.core.beside.replace(now.clone()) else { return BTreeSet::new() };
    let (was, now): (BTreeSet<_>, BTreeSet<_>) = (was.iter().collect(), now.iter().collect());
    let differ = was.symmetric_difference(&now).map(|one| one.path.clone());
    differ.filter(|path| !state.core.files.known.contains_key(path)).collect()
}

/// A question about the repository is answered by a look that finds it in order.
fn forget(state: &mut State, context: &mut Context<'_>, name: &str, about: fn(&Topic) -> bool) {
    if state.core.asking.iter().any(about) {
        state.core.asking.retain(|topic| !about(topic));
        context
            .head
            .withdraw(|order| matches!(order, Order::AskUser(asked) if asked.topic == name));
    }
}

pub(super) fn successes(ended: &[Ended]) -> impl Iterator<Item = (&Run, &ExecutorReport)> {
    ended.iter().filter_map(|one| match one.report.as_deref() {
        Some(Report::Executor(report)) if report.status == Status::Success => {
            Some((&one.run, &**report))
        }
        _ => None,
    })
}

/// If two blocks ran in parallel and report one file, the block that did not list it in its plan is noted,
/// and those who verify are told.
fn overlaps(state: &mut State, ended: &[Ended]) {
    let mut owners: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (run, report) in successes(ended) {
        let paths: BTreeSet<String> =
            report.summary.iter().flat_map(|one| one.key_files.all()).collect();
        for path in paths {
            owners.entry(path).or_default().push(run.item.clone());
        }
    }
    for (path, ids) in owners.into_iter().filter(|(_, ids)| ids.len() > 1) {
        let all = ids.join(" and ");
        for id in &ids {
            let line = format!("{path} was changed by {all} at once");
            state.blocks.change(id, |one| block::add_finding(one, line));
        }
        let error = Error::new(Code::FileOverlap, &path, "one block at a time", all);
        State::note(&mut state.core.concerns, error.to_string());
        state.core.last_problem = Some(error.diagnostic());
    }
}

/// Judges a run that ended by what was seen after it.
fn judge(
    state: &mut State,
    context: &Context<'_>,
    repository: &Repository,
    ended: Ended,
    left: &Left,
) {
    let Ended { run, report } = ended;
    if let Err(fault) = left_alone(state, &run, repository, &left.touched) {
        state.core.counts.refused_reports += u64::from(report.is_some());
        return failed(state, run.role, &run.item, &fault);
    }
    let Some(report) = report else { return };
    let said = match &*report {
        Report::Executor(report) => Some(report.clone()),
        _ => None,
    };
    let taken = taken(state, context, &run, *report, repository, left);
    if let (Err(fault), Some(report)) = (&taken, said) {
        block::keep_forbidden(state, &run, &report, fault);
    }
    match taken {
        Ok(()) => {}
        Err(fault) if fault.code == Code::OwnVerdict => {
            // No second report of the same run can correct that.
            state.core.counts.refused_reports += 1;
            failed(state, run.role, &run.item, &fault);
        }
        Err(fault) => unfit(state, &run, &fault),
    }
}

/// A reader leaves the tree and our files as they were. If several executors are at work, the engine cannot tell which
/// one wrote to our files; those who verify are told.
fn left_alone(
    state: &mut State,
    run: &Run,
    repository: &Repository,
    touched: &[String],
) -> Result<()> {
    let paths = || touched.iter().take(MOST_SHOWN).cloned().collect::<Vec<_>>().join(", ");
    if run.role.access() == Access::Write {
        if !touched.is_empty() {
            let line = format!("while it was at work the cluster's own files changed: {}", paths());
            state.blocks.change(&run.item, |one| block::add_finding(one, line));
        }
        return Ok(());
    }
    worktree::left_alone(&run.before, repository)?;
    match touched.is_empty() {
        true => Ok(()),
        false => {
            let expected = "the cluster's own files as the engine left them";
            Err(Error::new(Code::CanonicalTouched, "tree", expected, paths()))
        }
    }
}

fn taken(
    state: &mut State,
    context: &Context<'_>,
    run: &Run,
    report: Report,
    repository: &Repository,
    left: &Left,
) -> Result<()> {
    let at = context.head.at;
    match report {
        Report::Executor(mut report) => {
            if let Some(paths) =
                left.dirty.get(&run.item).filter(|_| report.status == Status::Success)
            {
                let expected = "a clean tree: every change committed";
                return Err(Error::new(Code::DirtyTree, "worktree", expected, paths.join(", ")));
            }
            attribution::only_own(&left.others, &report)?;
            baseline::proven(state, &mut report, repository);
            block::take(state, run, &report, repository)?;
        }
        // The user let the gaps go, or all verification, while they were at work.
        Report::Planner(_) if state.core.planned && state.core.gaps.is_empty() => {}
        Report::Recognizer(_) if state.core.skip_verification.is_some() => {}
        Report::Planner(report) => planning::planned(state, &report)?,
        Report::Recognizer(mut report) => {
            ids::apart(state, &mut report)?;
            baseline::shown(state, &mut report, repository)?;
            wave::verified(state, run, &report)?;
        }
        Report::Debugger(report) => super::answers::debugged(state, &run.item, &report, at)?,
        Report::Lead(report) => {
            if let Some(refinement) = state.core.refinement.as_mut() {
                refinement.context = report.context;
                refinement.personas = report.personas;
            }
        }
        Report::Swarm(report) => {
            state.core.warmth.merge(&report.lessons_learned);
            if let Some(refinement) = state.core.refinement.as_mut() {
                refinement.hear(&run.item, &report);
            }
        }
        Report::Learner(report) => files::learn(state, &report, at),
    }
    state.step_done(run.role, &run.item);
    Ok(())
}
