//! Facts about the repository: whose paths moved, which changes are not committed, whether somebody changed
//! the plan; and only then the judgement of the runs that ended before the look.

use super::attribution::{self, MOST_COMMITS};
use super::report::{AgentReport, Report};
use super::state::{
    Core, Doom, Left, Sprint, SprintStatus, State, Topic, Try, UnitStatus, Watched,
};
use super::{outcome, role::Role, setback, verdicts};
use crate::mission::check::spawns;
use crate::mission::prelude::*;
use crate::mission::repository;
use crate::vocab::digest::digest;
use crate::vocab::effect::{Outstanding, SpawnRole};
use crate::vocab::repository::{FileSeen, PathDigest};

/// The most paths of abandoned work that one run adds.
const MOST_ABANDONED: usize = 200;

/// Whether a unit's directory holds a path.
pub(super) fn covers(directory: &str, path: &str) -> bool {
    let directory = directory.trim_matches('/');
    let below = path.strip_prefix(directory).is_some_and(|rest| rest.starts_with('/'));
    directory.is_empty() || directory == "." || path == directory || below
}

/// Enters what was seen, and whose it is.
pub(super) fn see(state: &mut State, head: &Head, repository: &Repository) {
    let (at, core) = (head.at, &mut *state.core);
    core.dirty_before.get_or_insert_with(|| repository.dirty.clone());
    core.dirty_kept.retain(|one| repository.dirty.contains(one));
    rewritten(state, at, repository);
    let moved = look(state, repository);
    last_look(state, at, repository);
    history(state, repository, moved);
    attribution::attribute(state, head, repository, moved);
    watch(state, at, repository);
}

/// Commits that were at the head and are not behind it any more: the user goes on without them.
fn rewritten(state: &mut State, at: Millis, repository: &Repository) {
    brought_back(state, repository);
    let Some(from) = repository::left_behind(state.core.life.seen.as_ref(), repository) else {
        return;
    };
    let to = repository.head.as_deref().unwrap_or("none");
    let line = format!("{from}, in whose place is {to}");
    state.log(at, "", "Commits are gone from the branch", &line);
    if state.core.lost_heads.len() < MOST_COMMITS {
        state.core.lost_heads.push(line);
    }
}

/// A head that is there again, or behind the head again, is gone no more.
fn brought_back(state: &mut State, repository: &Repository) {
    let commits = repository.since.iter().flat_map(|change| &change.commits);
    let there: Vec<&String> = commits.chain(&repository.head).collect();
    let back = |line: &String| there.iter().any(|id| line.starts_with(id.as_str()));
    state.core.lost_heads.retain(|line| !back(line));
}

/// A head that does not follow the one before it may have left commits of sprints behind. From then on each look
/// brings what is in the history.
fn history(state: &mut State, repository: &Repository, moved: bool) {
    let State { core, sprints, .. } = state;
    core.first_head
        .get_or_insert_with(|| repository.head.clone().unwrap_or_else(|| "none".to_owned()));
    let asked = core.rewritten;
    core.rewritten |= moved && repository.since.as_ref().is_some_and(|since| !since.descends);
    if !asked {
        return;
    }
    core.history_at = core.life.seen.as_ref().map(|seen| seen.ordinal);
    let Some(basis) = &repository.basis else { return };
    let all = sprints.iter().flat_map(|sprint| &sprint.commits);
    core.gone = all.filter(|commit| !repository::holds(basis, commit)).cloned().collect();
}

/// Takes over head, refs and dirt; `true` if the head is another one.
fn look(state: &mut State, repository: &Repository) -> bool {
    let moved = state.core.life.seen.as_ref().is_some_and(|seen| seen.head != repository.head);
    repository::look(&mut state.core.life.seen, &mut state.touches, repository);
    moved
}

/// The look after the last command of the end. A command may commit: then nothing was shown at the head
/// it left, and the user is asked before everything is shown again at that head, since the next round may do the same.
fn last_look(state: &mut State, at: Millis, repository: &Repository) {
    state.core.commands_unseen = false;
    let Some(from) = state.core.last_look.take() else { return };
    if repository.since.as_ref().is_some_and(|since| !since.descends) {
        // The user was asked already.
        return;
    }
    let to = state.core.life.head_word().to_owned();
    if from != to {
        state.log(at, "", "The head moved while everything was shown", format!("{from} → {to}"));
        state.core.life.ask(&Topic::HeadMoved { from, to });
    }
}

/// A run's part of the tree as one text that changes when it moves.
pub(super) fn part(
    directory: &str,
    head: Option<&str>,
    paths: usize,
    dirty: &[PathDigest],
) -> String {
    let own: Vec<String> = dirty
        .iter()
        .filter(|dirty| covers(directory, &dirty.path))
        .map(|dirty| format!("{} {}", dirty.path, dirty.digest))
        .collect();
    let mark = if directory.is_empty() { head.unwrap_or_default() } else { "" };
    digest(&format!("{mark} {paths} {own:?}"))[..16].to_owned()
}

/// At a check of the watchdog: runs whose part did not move get a strike; too many end them.
fn watch(state: &mut State, at: Millis, repository: &Repository) {
    if !std::mem::take(&mut state.core.watch_due) {
        return;
    }
    let most = state.core.settings.watchdog_max_strikes;
    let mut told: Vec<(String, String)> = Vec::new();
    let State { core, units, sprints, .. } = state;
    let Core { life, watched, .. } = &mut **core;
    for one in life.runs.iter().filter(|run| run.access == Access::Write) {
        let Some(run) = watched.get_mut(&one.by.run).filter(|run| run.doom.is_none()) else {
            continue;
        };
        let unit = sprints.get(&one.item).and_then(|sprint| units.get(&sprint.unit));
        let directory = unit.map(|unit| unit.directory.as_str()).unwrap_or_default();
        let now = part(directory, repository.head.as_deref(), run.paths.len(), &repository.dirty);
        let word = if now == run.tree {
            run.strikes += 1;
            format!("Watchdog: no progress, strike {}/{most}", run.strikes)
        } else {
            run.strikes = 0;
            format!("Watchdog: progress, strikes 0/{most}")
        };
        run.tree = now;
        if run.strikes >= most {
            run.doom = Some(Doom::NoProgress);
        }
        told.push((one.item.clone(), word));
    }
    for (sprint, word) in told {
        state.log(at, &sprint, &word, "its part of the tree");
    }
}

/// The plan is a person's document. A run that changed it is not believed; if several were at work,
/// the engine cannot tell which of them it was, and none is blamed. In every case the mission follows the plan
/// it began with, and does not end with a changed plan before the user was asked.
pub(super) fn plan_touched(state: &mut State, head: &Head, files: &[FileSeen]) {
    let plan = state.core.settings.plan.clone().filter(|_| state.core.life.done.is_none());
    let Some(plan) = plan else { return };
    let seen = files.iter().find(|file| file.path == plan.path);
    let now = seen.map(|file| file.seen.digest().unwrap_or("absent").to_owned());
    if now == state.core.plan_seen {
        return;
    }
    state.core.plan_seen = now.clone();
    let Some(now) = now else { return };
    let Core { life, watched, .. } = &mut *state.core;
    let ended = life.ended.iter().map(|ended| &ended.run);
    let at_work = life.runs.iter().chain(ended).filter(|run| run.access == Access::Write);
    let at_work: Vec<&Run> = at_work.collect();
    let all_begun = agents(head).all(|(_, one)| one.live());
    let mut known = String::new();
    let word = match at_work.as_slice() {
        [] => "it follows the plan it began with",
        [run] if all_begun => {
            watched.entry(run.by.run).or_default().changed_plan = true;
            known = run.item.clone();
            "one run was at work, and is not believed"
        }
        _ => "several runs were at work, and nobody knows which of them it was",
    };
    if !at_work.is_empty() {
        life.last_problem = Some(not_the_plan(&plan.path, &now));
    }
    state.log(head.at, &known, "The plan was edited", word);
    let text = format!(
        "{} was edited. The mission follows the plan it began with ({word}); put it back, or keep it \
         when you are asked at the end.",
        plan.path
    );
    state.core.life.files.say(Level::Warning, text);
}

/// The plan differs from the one that was read.
pub(super) fn not_the_plan(path: &str, now: &str) -> Diagnostic {
    Error::new(Code::CanonicalTouched, path, "the plan as it was read", now).diagnostic()
}

/// Judges a run that reported by what was seen after it.
pub(super) fn judge(
    state: &mut State,
    head: &Head,
    run: &Run,
    report: &Report,
    repository: &Repository,
) -> Result<()> {
    match report {
        Report::Agent(report) => reported(state, head, run, report, repository),
        Report::Verifier(report) => verdicts::verified(state, head.at, run, report),
    }
}

/// The agents that were sent and have not ended.
pub(super) fn agents(head: &Head) -> impl Iterator<Item = (&SpawnRole, &Outstanding)> {
    spawns(head).filter(|(spawn, _)| spawn.role == Role::Agent.as_str())
}

fn reported(
    state: &mut State,
    head: &Head,
    run: &Run,
    report: &AgentReport,
    repository: &Repository,
) -> Result<()> {
    let Some(dirty) = worked(state, head, run, repository) else { return Ok(()) };
    let clean = dirty.is_empty() && !state.core.life.mends(run, &run.item);
    let unnamed = attribution::unnamed(state, run, report).filter(|_| clean);
    if let Some(fault) = unnamed {
        // The same run is to name its commits: it is the only one who knows them.
        state.log(head.at, &run.item, "Its report names no commit", fault.diagnostic().to_string());
        return Err(fault);
    }
    outcome::ended(state, head.at, run, Ok(report.clone()), dirty);
    Ok(())
}

/// Judges an agent that left no report that counts.
pub(super) fn unsaid(state: &mut State, head: &Head, run: &Run, repository: &Repository) {
    let Some(dirty) = worked(state, head, run, repository) else { return };
    let watched = state.core.watched.get(&run.by.run);
    match watched.and_then(|watched| watched.left.clone()) {
        Some(Left::Failure(problem)) => {
            let mut words = vec![problem.to_string()];
            words.extend(left_behind(&dirty));
            setback::fail(state, head.at, &run.item, &problem, words);
        }
        Some(left) => outcome::ended(state, head.at, run, Err(left), dirty),
        None => {}
    }
}

/// What every agent leaves, however it ended. Answers with what of it is not committed, if the run is to be judged.
fn worked(
    state: &mut State,
    head: &Head,
    run: &Run,
    repository: &Repository,
) -> Option<Vec<String>> {
    let (at, id) = (head.at, run.item.as_str());
    let watched = state.core.watched.get(&run.by.run).cloned().unwrap_or_default();
    remember(state, id, &watched, at);
    let dirty = uncommitted(state, head, run, repository);
    still_abandoned(state, id, repository);
    if watched.doom == Some(Doom::Killed) {
        killed(state, at, id, &dirty);
        return None;
    }
    // A run that goes on with it answers for earlier uncommitted changes, too.
    state.sprints.change(id, |sprint| {
        sprint.abandoned.extend(dirty.iter().take(MOST_ABANDONED).cloned());
    });
    // Skipped, deferred or reopened meanwhile: nothing waits for it any more.
    if !state.stands_at(id, SprintStatus::Running) {
        return None;
    }
    let plan = state.core.settings.plan.as_ref().filter(|_| watched.changed_plan);
    if let Some(path) = plan.map(|plan| plan.path.clone()) {
        let now = state.core.plan_seen.clone().unwrap_or_else(|| "put back since".to_owned());
        let problem = not_the_plan(&path, &now);
        state.core.life.counts.refused_reports += 1;
        let words = format!("{problem} Put the plan back as it was; it is not yours to change.");
        setback::fail(state, at, id, &problem, vec![words]);
        return None;
    }
    Some(dirty)
}

fn left_behind(dirty: &[String]) -> Option<String> {
    let paths = dirty.iter().take(20).cloned().collect::<Vec<_>>().join(", ");
    (!dirty.is_empty()).then(|| format!("It left work that is not committed: {paths}"))
}

fn remember(state: &mut State, id: &str, run: &Watched, at: Millis) {
    state.sprints.change(id, |sprint: &mut Sprint| {
        let tier = sprint.choice.as_ref().map_or(Tier::Standard, |choice| choice.tier);
        let (started_at, turns) = (run.started_at, run.turns);
        sprint.tries.push(Try { attempt: sprint.attempt, tier, started_at, ended_at: at, turns });
    });
}

/// Paths of the run's unit that are dirty now and were not so before it, or were left by an earlier run of its
/// sprint. If another run works in the same directory, the engine cannot tell whose they are.
fn uncommitted(state: &State, head: &Head, run: &Run, repository: &Repository) -> Vec<String> {
    let own = state.place(&run.item);
    let others = agents(head).filter_map(|(other, _)| other.item.as_deref());
    let others: Vec<&str> =
        others.filter(|other| *other != run.item).map(|other| state.place(other)).collect();
    let before: BTreeSet<_> = run.before.dirty.iter().collect();
    let left = state.sprints.get(&run.item).map(|sprint| &sprint.abandoned);
    let again = |dirty: &&PathDigest| left.is_some_and(|left| left.contains(&dirty.path));
    let new = repository.dirty.iter().filter(|dirty| !before.contains(dirty) || again(dirty));
    let new = new.filter(|dirty| {
        covers(own, &dirty.path) && !others.iter().any(|other| covers(other, &dirty.path))
    });
    new.map(|dirty| dirty.path.clone()).collect()
}

/// Work that ended runs left, as far as it is not committed yet.
fn still_abandoned(state: &mut State, id: &str, repository: &Repository) {
    state.sprints.change(id, |sprint| {
        let dirty = |path: &String| repository.dirty.iter().any(|dirty| dirty.path == *path);
        sprint.abandoned.retain(dirty);
    });
}

/// What a killed run left is neither committed nor thrown away, and recorded until it is gone: a second
/// kill finds nothing new, and still the next agent must hear of it.
fn killed(state: &mut State, at: Millis, id: &str, dirty: &[String]) {
    let Some(sprint) = state.sprints.get(id) else { return };
    let (unit, label) = (sprint.unit.clone(), sprint.plan.label.clone());
    let mut left = 0;
    state.sprints.change(id, |sprint| {
        let word = "An earlier run was ended before it finished.";
        if !sprint.feedback.iter().any(|line| line == word) {
            sprint.feedback.push(word.to_owned());
        }
        sprint.abandoned.extend(dirty.iter().take(MOST_ABANDONED).cloned());
        left = sprint.abandoned.len();
    });
    let note = match left {
        0 => format!("sprint {label} was ended"),
        _ => format!("has uncommitted work from killed sprint {label}"),
    };
    let open = state.units.get(&unit).is_some_and(|unit| unit.status != UnitStatus::Completed);
    if open {
        state.units.change(&unit, |unit| unit.note = note.clone());
    }
    state.log(at, id, "Run ended by command", note);
}
