//! Facts about the repository: the head, the touched paths, the dirt; and only then the
//! judgement of the runs that ended before the look.

use super::apply::unfit;
use super::role::Role;
use super::state::{Ended, Report, State, Topic};
use super::turn;
use crate::mission::Context;
use crate::mission::{repository, stale, worktree};
use crate::vocab::effect::Level;
use crate::vocab::error::{Code, Error, Result};
use crate::vocab::repository::Repository;

/// Enters an observation.
pub(super) fn observed(state: &mut State, context: &mut Context<'_>, repository: &Repository) {
    if state.core.done.is_some() {
        return;
    }
    if let Some(problem) = worktree::problem(repository) {
        // Runs that left the repository like this have shown nothing.
        let reported = state.core.ended.drain(..).filter(|ended| ended.report.is_some()).count();
        state.core.counts.refused_reports += u64::try_from(reported).unwrap_or(0);
        state.core.blocked = Some(problem);
        return;
    }
    repository::look(&mut state.core.seen, &mut state.touches, repository);
    let touched = state.core.files.found_changed(&repository.files);
    if !touched.is_empty() {
        state
            .core
            .files
            .say(Level::Warning, format!("changed from outside: {}", touched.join(", ")));
    }
    if !state.core.runs.is_empty() {
        // Somebody is at work; a judgement would read a moving tree.
        state.stale_observation();
        return;
    }
    let ended = std::mem::take(&mut state.core.ended);
    let played = ended.iter().any(|ended| ended.run.role == Role::Player);
    let clean = repository.dirty.is_empty();
    state.core.dirt_of_player = !clean && (played || state.core.dirt_of_player);
    if clean {
        forget_dirt(state, context);
    }
    for ended in ended {
        judge(state, context, repository, &touched, ended);
    }
}

/// A question about dirt is answered by a clean tree.
fn forget_dirt(state: &mut State, context: &mut Context<'_>) {
    let dirty = |topic: &Topic| matches!(topic, Topic::DirtyTree { .. });
    if state.core.asking.iter().any(dirty) {
        state.core.asking.retain(|topic| !dirty(topic));
        context.head.withdraw(|order| {
            matches!(order, crate::vocab::effect::Order::AskUser(asked) if asked.topic == "dirty_tree")
        });
    }
}

/// Judges a run that ended by what was seen after it.
fn judge(
    state: &mut State,
    context: &mut Context<'_>,
    repository: &Repository,
    touched: &[String],
    ended: Ended,
) {
    let Ended { run, report } = ended;
    if run.role == Role::Player {
        cover(state, &run.task, repository);
    }
    let left = untouched(touched).and_then(|()| match run.role {
        Role::Player => Ok(()),
        Role::Coach => worktree::left_alone(&run.before, repository),
    });
    if let Err(fault) = left {
        state.core.counts.refused_reports += u64::from(report.is_some());
        return refuse(state, &run.task, run.role, &fault);
    }
    let Some(report) = report else { return };
    if state.play(&run.task).is_some_and(|play| play.stop.is_some()) {
        return;
    }
    let taken = match &*report {
        Report::Player(_) if !repository.dirty.is_empty() => {
            let paths: Vec<&str> =
                repository.dirty.iter().take(20).map(|dirty| dirty.path.as_str()).collect();
            let expected = "a clean tree: every change committed";
            Err(Error::new(Code::DirtyTree, "worktree", expected, paths.join(", ")))
        }
        Report::Player(report) => turn::promised(state, &run, report),
        Report::Coach(report) => turn::verified(state, context, &run, report),
    };
    match taken {
        Ok(()) => {
            state.change_play(&run.task, |play| {
                play.attempts = 0;
                play.correction = None;
            });
        }
        Err(fault) if fault.code == Code::OwnVerdict => {
            state.core.counts.refused_reports += 1;
            refuse(state, &run.task, run.role, &fault);
        }
        Err(fault) => unfit(state, &run, &fault),
    }
}

/// Only the engine writes its own files.
fn untouched(touched: &[String]) -> Result<()> {
    match touched.is_empty() {
        true => Ok(()),
        false => {
            let expected = "the mission's own files as the engine left them";
            Err(Error::new(Code::CanonicalTouched, "tree", expected, touched.join(", ")))
        }
    }
}

/// A report that no second report of the same run can correct.
fn refuse(state: &mut State, task: &str, role: Role, fault: &Error) {
    match state.play(task) {
        Some(play) if play.stop.is_some() => state.core.last_problem = Some(fault.diagnostic()),
        _ => state.fail_step(task, role.name(), fault),
    }
}

/// What a player changed is what the task's verification covers.
fn cover(state: &mut State, task: &str, repository: &Repository) {
    let Some(change) = repository.since.as_ref() else { return };
    let new = change.paths.clone();
    state.tasks.change(task, |task| stale::cover(&mut task.paths, new.into_iter()));
}
