//! Whose commits these are, where several runs may have made them.
//!
//! Runs that work in one directory cannot be told apart by the paths they change. A commit shows the work of one sprint
//! at most: of the one whose report names it, else of the only one whose text names what it changed. What nobody is
//! known to have made counts for none until it is named: a run that ended without is asked once more. One commit that
//! touches directories of several is of the one that names it, else of the one that ended first.

use super::blamed::mentions;
use super::observe::covers;
use super::report::{AgentReport, Outcome};
use super::role::Role;
use super::state::{Ended, Run, Sprint, State, TaskKind, Unclaimed};
use crate::protocols::shared::stale;
use crate::vocab::error::{Code, Diagnostic, Error};
use crate::vocab::json;
use crate::vocab::repository::{Change, Repository};
use std::collections::BTreeSet;

/// The most heads of a sprint that are remembered.
pub(super) const MOST_COMMITS: usize = 40;
/// Letters of a commit's id that name it.
const NAMED: usize = 7;
/// The most commits and paths that wait for a run to end.
const MOST: usize = 2_000;

/// A run that may have made them.
struct Worker {
    sprint: String,
    place: String,
    /// What its sprint says.
    text: String,
    /// What it reported, if it ended.
    said: Option<String>,
    /// It has work of its own already.
    has: bool,
}

/// What one run is given: its place among those at work, and the paths.
pub(super) type Given = (usize, Vec<String>);

impl Unclaimed {
    /// Adds what was seen now, while runs of these sprints were at work.
    pub(super) fn add(&mut self, paths: Vec<String>, commits: &[String], among: &[String]) {
        if !paths.is_empty() {
            let room = MOST.saturating_sub(self.paths.len());
            self.paths.extend(paths.into_iter().take(room));
            let room = MOST.saturating_sub(self.commits.len());
            self.commits.extend(commits.iter().take(room).cloned());
            self.among.extend(among.iter().cloned());
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.paths.is_empty()
    }

    /// Whether a run may have made it.
    fn may(&self, worker: &Worker) -> bool {
        self.among.is_empty() || self.among.contains(&worker.sprint)
    }
}

/// The runs of agents that are at work or wait to be judged, in the order in which they are counted.
pub(super) fn at_work<'a>(runs: &'a [Run], ended: &'a [Ended]) -> Vec<&'a Run> {
    let all = runs.iter().chain(ended.iter().map(|ended| &ended.run));
    all.filter(|run| run.role == Role::Agent).collect()
}

/// Paths that moved since the last look belong to the runs whose unit holds them. What lies in no
/// directory of those at work is work, too: of the run that has nothing else, or of the only one. What several may
/// have changed is one's, and no other's.
pub(super) fn attribute(state: &mut State, repository: &Repository, moved: bool) {
    let change = repository.since.as_ref().filter(|_| moved);
    let runs: Vec<String> = at_work(&state.core.runs, &state.core.ended)
        .into_iter()
        .map(|run| run.sprint.clone())
        .collect();
    let place = |id: &String| {
        let unit = state.sprints.get(id).and_then(|sprint| state.units.get(&sprint.unit));
        unit.map(|unit| unit.directory.clone()).unwrap_or_default()
    };
    let places: Vec<String> = runs.iter().map(place).collect();
    let disputed = change.map(|change| disputed(&places, &change.paths));
    let disputed = disputed.unwrap_or_default();
    let mut to: Vec<(usize, Vec<String>, Vec<String>)> = Vec::new();
    if let Some(change) = change {
        let mut sure: Vec<&String> =
            change.paths.iter().filter(|path| !disputed.contains(*path)).collect();
        if let Some(one) = joint(change, &sure, &runs, &places) {
            state.core.joint.push(one);
            sure.clear();
        }
        let held = |path: &String| places.iter().any(|place| covers(place, path));
        for (at, place) in places.iter().enumerate() {
            let own = sure.iter().filter(|path| covers(place, path));
            let own: Vec<String> = own.map(|path| (*path).clone()).collect();
            let outside =
                sure.iter().filter(|path| !held(path) && (places.len() == 1 || own.is_empty()));
            let outside: Vec<String> = outside.map(|path| (*path).clone()).collect();
            if !own.is_empty() || !outside.is_empty() || change.truncated {
                to.push((at, own, outside));
            }
        }
        state.core.unclaimed.add(disputed.into_iter().collect(), &change.commits, &runs);
    }
    for (at, paths) in claim(state) {
        let place = places.get(at).cloned().unwrap_or_default();
        let (own, outside) = paths.into_iter().partition(|path| covers(&place, path));
        to.push((at, own, outside));
    }
    for (at, own, outside) in to {
        enter(state, repository, at, own, outside);
    }
}

/// One commit that touches what several runs hold: it is one's.
fn joint(
    change: &Change,
    sure: &[&String],
    runs: &[String],
    places: &[String],
) -> Option<Unclaimed> {
    let held = |place: &String| sure.iter().any(|path| covers(place, path));
    let holders = runs.iter().zip(places).filter(|(_, place)| held(place));
    let among: BTreeSet<String> = holders.map(|(sprint, _)| sprint.clone()).collect();
    let one = change.commits.len() == 1 && !change.truncated && among.len() > 1;
    let paths = sure.iter().map(|path| (*path).clone()).collect();
    one.then(|| Unclaimed { paths, commits: change.commits.clone(), among })
}

/// Enters what a run has committed, for it and its sprint.
fn enter(
    state: &mut State,
    repository: &Repository,
    at: usize,
    own: Vec<String>,
    outside: Vec<String>,
) {
    let State { core, sprints, .. } = state;
    let ended = core.ended.iter_mut().map(|ended| &mut ended.run);
    let all = core.runs.iter_mut().chain(ended);
    let Some(run) = all.filter(|run| run.role == Role::Agent).nth(at) else { return };
    stale::cover(&mut run.paths, own.iter().chain(&outside).cloned());
    let head = repository.head.clone();
    sprints.change(&run.sprint.clone(), |sprint| {
        stale::cover(&mut sprint.outside, outside.iter().cloned());
        stale::cover(&mut sprint.paths, own.into_iter().chain(outside));
        let known = head.iter().any(|head| sprint.commits.contains(head));
        if !known && sprint.commits.len() < MOST_COMMITS {
            sprint.commits.extend(head.clone());
        }
    });
}

/// Gives what is unclaimed to runs, as far as one of them has ended.
fn claim(state: &mut State) -> Vec<Given> {
    if state.core.unclaimed.is_empty() && state.core.joint.is_empty() {
        return Vec::new();
    }
    let all = workers(state);
    let mut given = jointly(&all, &mut state.core.joint);
    let texts = texts(state);
    given.extend(share(&all, &texts, &mut state.core.unclaimed));
    let State { core, sprints, .. } = state;
    let open = |id: &String| sprints.get(id).is_some_and(|sprint| !sprint.status.closed());
    // What is left is nobody's when nobody is left who may have made it.
    if !core.unclaimed.among.iter().any(open) {
        core.unclaimed = Unclaimed::default();
    }
    given
}

fn workers(state: &State) -> Vec<Worker> {
    let runs = at_work(&state.core.runs, &state.core.ended);
    let worker = |run: &&Run| {
        let sprint = state.sprints.get(&run.sprint);
        let unit = sprint.and_then(|sprint| state.units.get(&sprint.unit));
        let ended = state.core.ended.iter().find(|ended| ended.run.by.run == run.by.run);
        Worker {
            sprint: run.sprint.clone(),
            place: unit.map(|unit| unit.directory.clone()).unwrap_or_default(),
            text: sprint.map(text).unwrap_or_default(),
            said: ended.map(|ended| json::encode(&ended.left)),
            has: !run.paths.is_empty(),
        }
    };
    runs.iter().map(worker).collect()
}

fn text(sprint: &Sprint) -> String {
    let criteria = sprint.criteria.iter().map(|one| one.text.as_str());
    let all = std::iter::once(sprint.plan.definition.as_str()).chain(criteria);
    all.collect::<Vec<_>>().join("\n")
}

/// Whether a report names a commit.
fn names(said: &str, id: &str) -> bool {
    id.get(..NAMED).is_some_and(|id| said.contains(id))
}

/// Single commits in directories of several runs: each is one's.
fn jointly(all: &[Worker], waiting: &mut Vec<Unclaimed>) -> Vec<Given> {
    let mut given = Vec::new();
    waiting.retain(|one| {
        let may = || all.iter().enumerate().filter(|(_, worker)| one.may(worker));
        let ended = || may().filter_map(|(at, worker)| Some((at, worker.said.as_deref()?)));
        let named = ended().find(|(_, said)| one.commits.iter().any(|id| names(said, id)));
        let Some((at, _)) = named.or_else(|| ended().next()) else { return may().next().is_some() };
        given.push((at, one.paths.iter().cloned().collect()));
        false
    });
    given
}

/// What the sprints say whose runs were at work, also of those that are not any more.
fn texts(state: &State) -> Vec<(String, String)> {
    let among = state.core.unclaimed.among.iter();
    among.filter_map(|id| Some((id.clone(), text(state.sprints.get(id)?)))).collect()
}

fn share(all: &[Worker], texts: &[(String, String)], unclaimed: &mut Unclaimed) -> Vec<Given> {
    let covered = |worker: &Worker| unclaimed.paths.iter().any(|path| covers(&worker.place, path));
    let near = all.iter().any(covered);
    let may =
        |worker: &Worker| unclaimed.may(worker) && if near { covered(worker) } else { !worker.has };
    let may: Vec<usize> = (0..all.len()).filter(|at| all.get(*at).is_some_and(may)).collect();
    let of = |at: &usize| all.get(*at);
    if !may.iter().filter_map(of).any(|worker| worker.said.is_some()) {
        return Vec::new();
    }
    let mut commits: Vec<String> = std::mem::take(&mut unclaimed.commits);
    let mut owners: Vec<usize> = Vec::new();
    for at in &may {
        let said = of(at).and_then(|worker| worker.said.as_deref()).unwrap_or_default();
        if commits.iter().any(|id| names(said, id)) {
            commits.retain(|id| !names(said, id));
            owners.push(*at);
        }
    }
    let says = |at: &usize, path: &str| of(at).is_some_and(|one| mentions(&one.text, path));
    // What the texts of two name tells nothing.
    let alone = |at: &usize, path: &str| {
        let others = texts.iter().filter(|(id, _)| of(at).is_some_and(|one| one.sprint != *id));
        says(at, path) && others.into_iter().all(|(_, text)| !mentions(text, path))
    };
    let speaking = may.iter().filter(|at| unclaimed.paths.iter().any(|path| alone(at, path)));
    take(&mut owners, speaking, &mut commits);
    let left = |owners: &[usize], path: &String| !owners.iter().any(|at| says(at, path));
    let only = if near { unclaimed.among.len() < 2 } else { may.len() < 2 };
    if only && (owners.is_empty() || unclaimed.paths.iter().any(|path| left(&owners, path))) {
        let ended = may.iter().filter(|at| of(at).is_some_and(|one| one.said.is_some()));
        take(&mut owners, ended, &mut commits);
    }
    let given = |at: &usize| {
        let others: Vec<usize> = owners.iter().copied().filter(|other| other != at).collect();
        let own = unclaimed.paths.iter().filter(|path| says(at, path) || left(&others, path));
        (*at, own.cloned().collect())
    };
    let given = owners.iter().map(given).collect();
    match commits.is_empty() {
        true => *unclaimed = Unclaimed::default(),
        false => unclaimed.commits = commits,
    }
    given
}

/// What is wrong with a report that claims work and names none of the commits that may be its own, where nothing else
/// is known to be.
pub(super) fn unnamed(state: &State, run: &Run, report: &AgentReport) -> Option<Diagnostic> {
    let unclaimed = &state.core.unclaimed;
    let sprint = state.sprints.get(&run.sprint)?;
    let claims = matches!(report.outcome, Outcome::Completed | Outcome::Partial);
    let bare = sprint.kind == TaskKind::Code && sprint.paths.is_empty();
    if !claims || !bare || !unclaimed.among.contains(&run.sprint) || unclaimed.commits.is_empty() {
        return None;
    }
    // Whoever made them knows their ids; who did not is not told them.
    let many = unclaimed.commits.len();
    let expected = format!(
        "its own commits, named by their ids under `findings`: several runs were at work when {many} commits were made"
    );
    Some(Error::new(Code::NoCommit, "json.findings", expected, "none of them").diagnostic())
}

/// One commit for each, as far as there are commits.
fn take<'a>(
    owners: &mut Vec<usize>,
    wanting: impl Iterator<Item = &'a usize>,
    commits: &mut Vec<String>,
) {
    for at in wanting {
        if !owners.contains(at) && commits.pop().is_some() {
            owners.push(*at);
        }
    }
}

/// The paths that several of these runs may have changed: of more than one directory, or of none where more than one
/// has nothing of its own.
pub(super) fn disputed(places: &[String], paths: &[String]) -> BTreeSet<String> {
    let many = |path: &&String| places.iter().filter(|place| covers(place, path)).count();
    let own = |place: &String| paths.iter().any(|path| many(&path) == 1 && covers(place, path));
    let bare = places.iter().filter(|place| !own(place)).count();
    let open = |path: &&String| match many(path) {
        0 => places.len() > 1 && bare > 1,
        1 => false,
        _ => true,
    };
    paths.iter().filter(open).cloned().collect()
}
