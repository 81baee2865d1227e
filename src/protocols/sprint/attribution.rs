//! Attribution of commits that several runs may have made.
//!
//! A commit shows the work of one sprint at most. It may belong to each run that was at work when it was seen and whose
//! unit holds one of its paths in a directory of its own. If there is no such run, it may belong to all of them, unless
//! its paths are all in directories of other units under way. If only one run is left, the commit belongs to that run.
//! Else it waits, and belongs to the run whose report names it. A report that names no commit at all gets the commits
//! that only its unit holds, or that only its sprint's text names. A commit whose maker is not known counts for no
//! sprint until it is named: a run that ended without a commit of its own is asked once more.

use super::blame::mentions;
use super::observe::{agents, covers};
use super::report::{AgentReport, Outcome, Report};
use super::state::{Sprint, State, TaskKind, Unclaimed, Unit, UnitStatus};
use crate::mission::prelude::*;
use crate::mission::stale;
use crate::vocab::json;
use crate::vocab::repository::Change;

/// The most commits of a sprint that are remembered.
pub(super) const MOST_COMMITS: usize = 40;
/// Letters of a commit's id that name it.
const NAMED: usize = 7;
/// The most commits that wait for a run to end.
const MOST: usize = 2_000;

/// The run of an agent that is at work, or waits to be judged. Who was sent is at work, also before the host has said that
/// it started.
struct Worker {
    run: EffectId,
    sprint: String,
    place: String,
    /// Whether the host has said that it started: from then on there is a record of it.
    begun: bool,
    /// What it reported, if it ended.
    said: Option<String>,
}

impl Worker {
    fn holds(&self, paths: &BTreeSet<String>) -> bool {
        paths.iter().any(|path| covers(&self.place, path))
    }

    /// Whether its report names one of these commits.
    fn names<'a>(&self, mut commits: impl Iterator<Item = &'a String>) -> bool {
        let said = self.said.as_deref().unwrap_or_default();
        commits.any(|id| id.get(..NAMED).is_some_and(|id| said.contains(id)))
    }
}

/// Gives what was committed since the last look, and what waits from earlier ones, to the runs that made it.
pub(super) fn attribute(state: &mut State, head: &Head, repository: &Repository, moved: bool) {
    let workers = workers(state, head);
    let mut waiting = std::mem::take(&mut state.core.joint);
    let change = repository.since.as_ref().filter(|_| moved);
    let own = |path: &String| state.units.iter().any(|unit| is_its_own(unit, path));
    waiting.extend(change.iter().flat_map(|change| seen(change, &workers, &own)));
    let silent = |worker: &Worker| {
        let own = state.sprints.get(&worker.sprint).into_iter().flat_map(|one| &one.commits);
        let known = waiting.iter().flat_map(|one| &one.commits).chain(own);
        worker.said.is_some() && !worker.names(known)
    };
    let silent: BTreeSet<EffectId> =
        workers.iter().filter(|one| silent(one)).map(|one| one.run).collect();
    for one in waiting {
        match owner(state, &one, &workers, &silent) {
            // What came before its record waits for it.
            Some(worker) if worker.begun => enter(state, worker, &one),
            _ if open(state, &one) && state.core.joint.len() < MOST => {
                state.core.joint.push(one);
            }
            _ => {}
        }
    }
}

/// Whether a path is in the directory of a unit that is under way: no run of another unit made a commit that is only
/// there.
fn is_its_own(unit: &Unit, path: &str) -> bool {
    let under_way = !matches!(unit.status, UnitStatus::NotStarted | UnitStatus::Completed);
    under_way && !covers(&unit.directory, "") && covers(&unit.directory, path)
}

fn workers(state: &State, head: &Head) -> Vec<Worker> {
    let worker = |run: EffectId, sprint: &str, begun: bool, said: Option<String>| {
        let place = state.place(sprint).to_owned();
        Worker { run, sprint: sprint.to_owned(), place, begun, said }
    };
    let sent = agents(head).filter_map(|(spawn, one)| {
        spawn.item.as_ref().map(|sprint| worker(one.effect.id, sprint, one.live(), None))
    });
    let ended = state.core.life.ended.iter().filter(|ended| ended.run.access == Access::Write);
    let ended = ended.map(|ended| {
        let report = ended.understood(state);
        let said = report.and_then(|report| report.get::<Report>().map(json::encode).ok());
        worker(ended.run.by.run, &ended.run.item, true, Some(said.unwrap_or_default()))
    });
    sent.chain(ended).collect()
}

/// What was committed, the oldest first, each with those who may have done it. `own`: a path is some unit's own.
fn seen(change: &Change, workers: &[Worker], own: &dyn Fn(&String) -> bool) -> Vec<Unclaimed> {
    let one = |paths: &[String], commits: Vec<String>| {
        let paths: BTreeSet<String> = paths.iter().cloned().collect();
        let holders = || workers.iter().filter(|worker| worker.holds(&paths));
        let placed = holders().any(|worker| !covers(&worker.place, "")) || paths.iter().all(own);
        let among = workers.iter().filter(|worker| !placed || worker.holds(&paths));
        Unclaimed { among: among.map(|one| one.sprint.clone()).collect(), paths, commits }
    };
    let whole = change.descends && !change.truncated && !change.touched.is_empty();
    let mut all: Vec<Unclaimed> = match whole {
        true => {
            let rows = change.touched.iter().rev();
            rows.map(|row| one(&row.paths, vec![row.id.clone()])).collect()
        }
        // Of a history that was rewritten only the new head is known to be new.
        false => {
            let many = if change.descends { change.commits.len() } else { 1 };
            vec![one(&change.paths, change.commits.iter().take(many).cloned().collect())]
        }
    };
    all.retain(|one| !one.paths.is_empty() && !one.among.is_empty());
    all
}

/// Whose it is, as far as that is known by now. `silent` are those that ended and named no commit.
fn owner<'a>(
    state: &State,
    one: &Unclaimed,
    workers: &'a [Worker],
    silent: &BTreeSet<EffectId>,
) -> Option<&'a Worker> {
    let mut may = workers.iter().filter(|worker| one.among.contains(&worker.sprint));
    if one.among.len() == 1 {
        return may.next();
    }
    let may: Vec<&Worker> = may.collect();
    let named = may.iter().find(|worker| worker.names(one.commits.iter()));
    let alone =
        |worker: &&&Worker| silent.contains(&worker.run) && alone(state, one, &worker.sprint);
    named.or_else(|| may.iter().find(alone)).copied()
}

/// Whether of all that may have done it this sprint alone has the place, or the text, of what was changed.
fn alone(state: &State, one: &Unclaimed, sprint: &str) -> bool {
    let among = || one.among.iter().filter_map(|id| state.sprints.get(id));
    let holds = |id: &str| one.paths.iter().any(|path| covers(state.place(id), path));
    let texts: Vec<(bool, String)> = among().map(|one| (one.id == sprint, text(one))).collect();
    let told = |path: &String| texts.iter().all(|(own, text)| mentions(text, path) == *own);
    among().all(|one| holds(&one.id) == (one.id == sprint)) || one.paths.iter().any(told)
}

fn text(sprint: &Sprint) -> String {
    let criteria = sprint.criteria.iter().map(|one| one.text.as_str());
    let all = std::iter::once(sprint.plan.definition.as_str()).chain(criteria);
    all.collect::<Vec<_>>().join("\n")
}

/// Whether somebody may still say that it is theirs.
fn open(state: &State, one: &Unclaimed) -> bool {
    one.among.iter().any(|id| state.sprints.get(id).is_some_and(|sprint| !sprint.status.closed()))
}

/// Enters what a run has committed, for it and its sprint.
fn enter(state: &mut State, worker: &Worker, one: &Unclaimed) {
    if let Some(run) = state.core.watched.get_mut(&worker.run) {
        stale::cover(&mut run.paths, one.paths.iter().cloned());
    }
    state.sprints.change(&worker.sprint, |sprint| {
        let outside = one.paths.iter().filter(|path| !covers(&worker.place, path));
        stale::cover(&mut sprint.outside, outside.cloned());
        stale::cover(&mut sprint.paths, one.paths.iter().cloned());
        for commit in &one.commits {
            if !sprint.commits.contains(commit) && sprint.commits.len() < MOST_COMMITS {
                sprint.commits.push(commit.clone());
            }
        }
    });
}

/// What is wrong with a report that claims work and names none of the commits that may be its own, where nothing else
/// is known to be.
pub(super) fn unnamed(state: &State, run: &Run, report: &AgentReport) -> Option<Error> {
    let sprint = state.sprints.get(&run.item)?;
    let claims = matches!(report.outcome, Outcome::Completed | Outcome::Partial);
    let bare = sprint.plan.kind == TaskKind::Code && sprint.paths.is_empty();
    let maybe = state.core.joint.iter().filter(|one| one.among.contains(&run.item));
    let many: usize = maybe.map(|one| one.commits.len()).sum();
    if !claims || !bare || many == 0 {
        return None;
    }
    // The run that made them knows their ids; a run that did not is not told them.
    let expected = format!(
        "its own commits, named by their ids under `findings`: several runs were at work when {many} commits were made"
    );
    Some(Error::new(Code::NoCommit, "json.findings", expected, "none of them"))
}
