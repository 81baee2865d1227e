//! A look at the repository: heads, touched paths and dirt; and only then the judgement of the runs that ended before it.

use super::{Ended, Particular, Run, Topic, Understood, run};
use crate::mission::{Context, Intent, worktree};
use crate::vocab::effect::{Observe, Order};
use crate::vocab::error::{Code, Error, Result};
use crate::vocab::repository::{PathDigest, Repository};
use crate::vocab::role::Access;
use std::borrow::Cow;

/// The most paths that one text names.
const MOST_PATHS: usize = 20;

pub(super) fn observed(
    mission: &mut dyn Particular,
    context: &mut Context<'_>,
    repository: &Repository,
) {
    let repository = &*without_own(mission, repository);
    if mission.is_done() {
        // Only what must still be written matters; the end stays as it was judged.
        mission.found(context, repository);
        return mission.life_mut().stale();
    }
    if mission.looked(context, repository) {
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
    mission.see(context, repository);
    let touched = mission.found(context, repository);
    if one_waits(mission) || mission.in_motion() {
        let life = mission.life_mut();
        life.found_touched(&touched);
        return life.stale();
    }
    let life = mission.life_mut();
    let mut ended = std::mem::take(&mut life.ended);
    let wrote = ended.iter().any(|ended| ended.run.access == Access::Write);
    let clean = repository.dirty.is_empty();
    life.left_by_a_run = !clean && (wrote || life.left_by_a_run);
    if clean {
        forget_dirt(mission, context);
    }
    mission.weigh(context, &mut ended, repository);
    for ended in ended {
        judge(mission, context, repository, &touched, ended);
    }
    mission.judged(context);
}

/// A look at the repository that also finds out about the places that the reports waiting for it name.
pub(crate) fn with_citations(mission: &dyn Particular, mut look: Intent) -> Intent {
    if let Order::Observe(Observe::Repository { known, .. }) = &mut look.order {
        let wanted = mission.life().ended.iter().flat_map(|ended| wanted(mission, ended));
        // A file whose digest is known is there.
        let all: Vec<_> = wanted.filter(|one| known.iter().all(|it| it.path != one.path)).collect();
        known.extend(all);
    }
    look
}

fn wanted(mission: &dyn Particular, ended: &Ended) -> Vec<PathDigest> {
    let report = ended.understood(mission);
    report.map(|report| mission.cited(&ended.run, &report).wanted().collect()).unwrap_or_default()
}

/// Whether a report that came while the look was under way names what it could not know. Then all wait for the next look,
/// since all are weighed together.
fn one_waits(mission: &mut dyn Particular) -> bool {
    let meanwhile = mission.life().ended.iter().filter(|ended| ended.during_look);
    let waits = meanwhile.flat_map(|ended| wanted(mission, ended)).next().is_some();
    mission.life_mut().ended.iter_mut().for_each(|ended| ended.during_look = false);
    waits
}

/// What the engine keeps there itself is no dirt and nobody's change; whether somebody else wrote it is seen by its digest.
fn without_own<'a>(mission: &dyn Particular, repository: &'a Repository) -> Cow<'a, Repository> {
    let since = repository.since.iter().flat_map(|change| &change.paths);
    let mut paths = repository.dirty.iter().map(|dirty| &dirty.path).chain(since);
    if !paths.any(|path| mission.is_own(path)) {
        return Cow::Borrowed(repository);
    }
    let mut seen = repository.clone();
    seen.dirty.retain(|dirty| !mission.is_own(&dirty.path));
    for change in seen.since.iter_mut() {
        change.paths.retain(|path| !mission.is_own(path));
        change.touched.iter_mut().for_each(|row| row.paths.retain(|path| !mission.is_own(path)));
    }
    Cow::Owned(seen)
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
    let Ended { run, report, .. } = ended;
    let left = untouched(run.tampered.iter().chain(touched)).and_then(|()| match run.access {
        Access::Write => Ok(()),
        Access::ReadOnly => worktree::left_alone(&run.before, repository),
    });
    let step = mission.step(&run.role, &run.item);
    if let Err(fault) = left {
        let corrects = mission.life().correction(&run.role, &step);
        // Without a report it has failed already, or is to correct it: whoever touched the tree is not heard again.
        return match report.is_some() || corrects.is_some_and(|one| one.of == run.by.run) {
            true => refuse(mission, context, &run, &fault),
            false => mission.life_mut().last_problem = Some(fault.diagnostic()),
        };
    }
    let Some(report) = report.filter(|_| !mission.dropped(&run)) else {
        return mission.unsaid(context, &run, repository);
    };
    let cited = |read: Understood| mission.cited(&run, &read).check(repository).map(|()| read);
    let report = match report.read(mission, &run).and_then(cited) {
        Ok(report) => report,
        Err(fault) => return run::unfit(mission, context, &run, &fault),
    };
    match mission.judge(context, &run, &report, repository) {
        Ok(()) => mission.life_mut().step_done(&step),
        Err(fault) if mission.corrects(&fault) => run::unfit(mission, context, &run, &fault),
        Err(fault) => refuse(mission, context, &run, &fault),
    }
}

/// A run that may write has committed everything when it reports.
///
/// # Errors
/// `dirty_tree` with some of the paths that are left.
pub(crate) fn committed(run: &Run, repository: &Repository) -> Result<()> {
    if run.access == Access::ReadOnly || repository.dirty.is_empty() {
        return Ok(());
    }
    let paths = repository.dirty.iter().take(MOST_PATHS).map(|dirty| dirty.path.as_str());
    let (expected, got) =
        ("a clean tree: every change committed", paths.collect::<Vec<_>>().join(", "));
    Err(Error::new(Code::DirtyTree, "worktree", expected, got))
}

/// Only the engine writes its own files.
fn untouched<'a>(touched: impl Iterator<Item = &'a String>) -> Result<()> {
    let touched: Vec<&str> = touched.map(String::as_str).collect();
    match touched.is_empty() {
        true => Ok(()),
        false => {
            let expected = "the mission's own files as the engine left them";
            Err(Error::new(Code::CanonicalTouched, "tree", expected, touched.join(", ")))
        }
    }
}

/// A report that no second report of the same run can correct.
fn refuse(mission: &mut dyn Particular, context: &Context<'_>, run: &Run, fault: &Error) {
    mission.life_mut().counts.refused_reports += 1;
    match mission.dropped(run) {
        true => mission.life_mut().last_problem = Some(fault.diagnostic()),
        false => mission.fail_step(context, &run.role, &run.item, fault.diagnostic()),
    }
}
