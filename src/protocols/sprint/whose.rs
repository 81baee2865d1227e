//! Whose commits these are, where several runs may have made them.
//!
//! Runs that work in one directory cannot be told apart by the paths they change. A commit shows the work of one sprint
//! at most: of the one whose report names it, else of the one whose text names what it changed, else of the one that
//! ended when it was seen. What nobody can be told to have made waits until a run ends.

use super::gate::mentions;
use super::observe::covers;
use super::role::Role;
use super::state::{Ended, Run, Sprint, State, Unclaimed};
use crate::vocab::json;
use std::collections::BTreeSet;

/// Letters of a commit's id that name it.
const NAMED: usize = 7;
/// The most commits and paths that wait for a run to end.
const MOST: usize = 2_000;

/// A run that may have made them.
struct Worker {
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
    /// Adds what was seen now.
    pub(super) fn add(&mut self, paths: Vec<String>, commits: &[String]) {
        if !paths.is_empty() {
            self.paths.extend(paths.into_iter().take(MOST));
            self.commits.extend(commits.iter().take(MOST).cloned());
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.paths.is_empty()
    }
}

/// The runs of agents that are at work or wait to be judged, in the order in which they are counted.
pub(super) fn at_work<'a>(runs: &'a [Run], ended: &'a [Ended]) -> Vec<&'a Run> {
    let all = runs.iter().chain(ended.iter().map(|ended| &ended.run));
    all.filter(|run| run.role == Role::Agent).collect()
}

/// Gives what is unclaimed to runs, as far as one of them has ended.
pub(super) fn claim(state: &mut State) -> Vec<Given> {
    if state.core.unclaimed.is_empty() {
        return Vec::new();
    }
    let all = workers(state);
    let core = &mut state.core;
    if all.is_empty() {
        core.unclaimed = Unclaimed::default();
        return Vec::new();
    }
    let given = share(&all, &mut core.unclaimed);
    // What is left is nobody's when nobody is left who may have made it.
    if all.iter().all(|worker| worker.said.is_some()) {
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

fn share(all: &[Worker], unclaimed: &mut Unclaimed) -> Vec<Given> {
    let covered = |worker: &Worker| unclaimed.paths.iter().any(|path| covers(&worker.place, path));
    let near = all.iter().any(covered);
    let may = |worker: &Worker| if near { covered(worker) } else { !worker.has };
    let may: Vec<usize> = (0..all.len()).filter(|at| all.get(*at).is_some_and(may)).collect();
    let of = |at: &usize| all.get(*at);
    if !may.iter().filter_map(of).any(|worker| worker.said.is_some()) {
        return Vec::new();
    }
    let mut commits: Vec<String> = std::mem::take(&mut unclaimed.commits);
    let mut owners: Vec<usize> = Vec::new();
    for at in &may {
        let said = of(at).and_then(|worker| worker.said.as_deref()).unwrap_or_default();
        let named = |id: &String| id.get(..NAMED).is_some_and(|id| said.contains(id));
        if commits.iter().any(named) {
            commits.retain(|id| !named(id));
            owners.push(*at);
        }
    }
    let says = |at: &usize, path: &str| of(at).is_some_and(|one| mentions(&one.text, path));
    // Of two whose texts name it, the one that ended; the other may yet commit.
    let open = |at: &&usize| of(at).is_some_and(|one| one.said.is_none());
    let ended_first = may.iter().filter(|at| !open(at)).chain(may.iter().filter(open));
    let texts = ended_first.filter(|at| unclaimed.paths.iter().any(|path| says(at, path)));
    take(&mut owners, texts, &mut commits);
    let left = |owners: &[usize], path: &String| !owners.iter().any(|at| says(at, path));
    if owners.is_empty() || unclaimed.paths.iter().any(|path| left(&owners, path)) {
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
