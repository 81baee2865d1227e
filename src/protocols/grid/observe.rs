//! Facts about the repository: the head, the touched paths, the dirt; and only then the judgement of
//! the runs that ended before the look.

use super::report::{ExecutorReport, Read, Report, Status};
use super::state::State;
use super::{
    attribution, block, commits, files, history, ids, planning, unattributed, uncommitted, wave,
};
use crate::mission::life::{Ended, Understood};
use crate::mission::prelude::*;
use crate::mission::repository;

/// The most paths that one line names.
const MOST_SHOWN: usize = 20;

/// A run that ended, with its report as it was read.
pub(super) struct Heard {
    pub(super) run: Run,
    report: Option<Understood>,
}

impl Heard {
    fn of(state: &State, ended: &Ended) -> Heard {
        Heard { run: ended.run.clone(), report: ended.understood(state) }
    }

    /// The report of an executor.
    pub(super) fn executor(&self) -> Option<&ExecutorReport> {
        match self.report.as_ref()?.get::<Read>() {
            Ok((Report::Executor(report), _)) => Some(report),
            _ => None,
        }
    }

    /// The same, of a success.
    pub(super) fn success(&self) -> Option<&ExecutorReport> {
        self.executor().filter(|report| report.status == Status::Success)
    }
}

/// The runs that wait to be judged, with their reports.
pub(super) fn heard(state: &State, ended: &[Ended]) -> Vec<Heard> {
    ended.iter().map(|one| Heard::of(state, one)).collect()
}

/// Takes over head, refs and dirt, and notes which commits and paths came.
pub(super) fn see(state: &mut State, repository: &Repository) {
    history::look(state, repository);
    let State { core, touches, .. } = state;
    repository::look(&mut core.life.seen, touches, repository);
    unattributed::keep(state, repository);
    commits::note_commits(state, repository);
}

/// Only the engine writes its own files: they are written again, with the foreign content kept aside. Files that somebody
/// put next to them are reported in the same way. A reader answers for them. If several executors are at work, the
/// engine cannot tell which one wrote to them; those who verify are told.
pub(super) fn found(state: &mut State, repository: &Repository) -> Vec<String> {
    if !state.core.life.runs.is_empty() {
        // They are found when nobody is at work any more.
        return Vec::new();
    }
    let mut touched = state.core.life.files.found_changed(&repository.files);
    let beside = put_beside(state, repository);
    if !state.core.life.ended.is_empty() {
        touched.extend(beside);
    }
    if touched.is_empty() {
        return touched;
    }
    let shown: Vec<&str> = touched.iter().take(MOST_SHOWN).map(String::as_str).collect();
    let shown = shown.join(", ");
    let executors = state.core.life.ended.iter().filter(|one| one.run.access == Access::Write);
    let ids: Vec<String> = executors.map(|one| one.run.item.clone()).collect();
    for id in &ids {
        let line = format!("while it was at work the cluster's own files changed: {shown}");
        state.blocks.change(id, |one| block::add_finding(one, line));
    }
    state.core.life.files.say(Level::Warning, format!("changed from outside: {shown}"));
    if ids.is_empty() { touched } else { Vec::new() }
}

/// Files next to our own that came, went or changed since no run was at work. Files that have become ours count
/// among our own.
fn put_beside(state: &mut State, repository: &Repository) -> BTreeSet<String> {
    let now = Arc::new(repository.beside.clone());
    let Some(was) = state.core.beside.replace(now.clone()) else { return BTreeSet::new() };
    let (was, now): (BTreeSet<_>, BTreeSet<_>) = (was.iter().collect(), now.iter().collect());
    let differ = was.symmetric_difference(&now).map(|one| one.path.clone());
    differ.filter(|path| !state.core.life.files.known.contains_key(path)).collect()
}

/// Weighs what those left who ended, all of it together.
pub(super) fn weigh(state: &mut State, ended: &mut [Ended], repository: &Repository) {
    let all = heard(state, ended);
    // Who of several changed a file of the engine, nobody knows.
    ended.iter_mut().for_each(|one| one.run.tampered.clear());
    state.core.others = attribution::weigh(state, repository, &all);
    unattributed::hear(state, &all);
    overlaps(state, &all);
    unattributed::reached_over(state, repository, &all);
    uncommitted::enter(state, repository, &all);
}

/// If two blocks ran in parallel and report one file, the block that did not list it in its plan is noted,
/// and those who verify are told.
fn overlaps(state: &mut State, heard: &[Heard]) {
    let mut owners: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (run, report) in heard.iter().filter_map(|one| Some((&one.run, one.success()?))) {
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
        state.problem(&error);
    }
}

/// Judges a report by what was seen after its run.
pub(super) fn judge(
    state: &mut State,
    at: Millis,
    run: &Run,
    report: Report,
    repository: &Repository,
) -> Result<()> {
    match report {
        Report::Executor(mut report) => {
            let taken = executed(state, run, &mut report, repository);
            taken.inspect_err(|fault| block::keep_forbidden(state, run, &report, fault))?;
        }
        // The user let the gaps go, or all verification, while they were at work.
        Report::Planner(_) if state.core.planned && state.core.gaps.is_empty() => {}
        Report::Recognizer(_) if state.core.life.skip_verification.is_some() => {}
        Report::Planner(report) => state.whole(|state| planning::planned(state, &report))?,
        Report::Recognizer(mut report) => {
            ids::apart(state, &mut report)?;
            state.whole(|state| wave::verified(state, run, &report))?;
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
    Ok(())
}

fn executed(
    state: &mut State,
    run: &Run,
    report: &mut ExecutorReport,
    repository: &Repository,
) -> Result<()> {
    let left = uncommitted::left_by(state, &run.item);
    if !left.is_empty() && report.status == Status::Success {
        let expected = "a clean tree: every change committed";
        return Err(Error::new(Code::DirtyTree, "worktree", expected, left.join(", ")));
    }
    attribution::only_own(&state.core.others, report)?;
    block::take(state, run, report, repository)
}
