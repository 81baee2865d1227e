//! A look at the repository: heads, touched paths and dirt; and only then the judgement of the runs that ended before it.

use super::{Ended, Particular, Run, Topic, run};
use crate::mission::{Context, worktree};
use crate::vocab::effect::{Level, Order};
use crate::vocab::error::{Code, Error, Result};
use crate::vocab::repository::Repository;
use crate::vocab::role::Access;

/// The most paths that one text names.
const MOST_PATHS: usize = 20;

pub(super) fn observed(
    mission: &mut dyn Particular,
    context: &mut Context<'_>,
    repository: &Repository,
) {
    if mission.is_done() || mission.looked(context) {
        return;
    }
    let life = mission.life_mut();
    if let Some(problem) = worktree::problem(repository) {
        // Runs that left the repository like this have shown nothing.
        let reported = life.ended.drain(..).filter(|ended| ended.report.is_some()).count();
        life.counts.refused_reports += u64::try_from(reported).unwrap_or(0);
        life.blocked = Some(problem);
        return;
    }
    mission.see(repository);
    let life = mission.life_mut();
    let touched = life.files.found_changed(&repository.files);
    if !touched.is_empty() {
        life.files.say(Level::Warning, format!("changed from outside: {}", touched.join(", ")));
    }
    if !life.runs.is_empty() {
        // Somebody is at work; a judgement would read a moving tree.
        return life.stale();
    }
    let ended = std::mem::take(&mut life.ended);
    let wrote = ended.iter().any(|ended| ended.run.access == Access::Write);
    let clean = repository.dirty.is_empty();
    life.left_by_a_run = !clean && (wrote || life.left_by_a_run);
    if clean {
        forget_dirt(mission, context);
    }
    mission.weigh(&ended, repository);
    for ended in ended {
        judge(mission, context, repository, &touched, ended);
    }
}

/// A question about dirt is answered by a clean tree.
fn forget_dirt(mission: &mut dyn Particular, context: &mut Context<'_>) {
    let asking = &mut mission.life_mut().asking;
    let before = asking.len();
    asking.retain(|topic| !matches!(topic, Topic::DirtyTree { .. }));
    if asking.len() < before {
        context.head.withdraw(
            |order| matches!(order, Order::AskUser(asked) if asked.topic == "dirty_tree"),
        );
    }
}

/// Judges a run that ended by what was seen after it.
fn judge(
    mission: &mut dyn Particular,
    context: &mut Context<'_>,
    repository: &Repository,
    touched: &[String],
    ended: Ended,
) {
    let Ended { run, report } = ended;
    let left = untouched(touched).and_then(|()| match run.access {
        Access::Write => Ok(()),
        Access::ReadOnly => worktree::left_alone(&run.before, repository),
    });
    if let Err(fault) = left {
        mission.life_mut().counts.refused_reports += u64::from(report.is_some());
        return refuse(mission, &run, &fault);
    }
    let Some(report) = report.filter(|_| !mission.dropped(&run.item)) else { return };
    let step = mission.step(&run.role, &run.item);
    let taken = committed(&run, repository).and_then(|()| mission.judge(context, &run, &report));
    match taken {
        Ok(()) => mission.life_mut().step_done(&step),
        Err(fault) if fault.code == Code::OwnVerdict => {
            mission.life_mut().counts.refused_reports += 1;
            refuse(mission, &run, &fault);
        }
        Err(fault) => run::unfit(mission, &run, &fault),
    }
}

/// A run that may write has committed everything when it reports.
fn committed(run: &Run, repository: &Repository) -> Result<()> {
    if run.access == Access::ReadOnly || repository.dirty.is_empty() {
        return Ok(());
    }
    let paths = repository.dirty.iter().take(MOST_PATHS).map(|dirty| dirty.path.as_str());
    let (expected, got) =
        ("a clean tree: every change committed", paths.collect::<Vec<_>>().join(", "));
    Err(Error::new(Code::DirtyTree, "worktree", expected, got))
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
fn refuse(mission: &mut dyn Particular, run: &Run, fault: &Error) {
    match mission.dropped(&run.item) {
        true => mission.life_mut().last_problem = Some(fault.diagnostic()),
        false => mission.fail_step(&run.role, &run.item, fault.diagnostic()),
    }
}
