//! Facts about the repository: whose paths moved, which changes are not committed, whether somebody changed
//! the plan; and only then the judgement of the runs that ended before the look.

use super::attribution::{self, MOST_COMMITS};
use super::baseline;
use super::outcome::{self, Said};
use super::role::Role;
use super::setback;
use super::state::{
    Correction, Doom, Ended, Left, Run, Sprint, SprintStatus, State, Topic, Try, UnitStatus,
};
use super::verdicts;
use crate::mission::Head;
use crate::mission::check::spawns;
use crate::mission::repository;
use crate::mission::worktree;
use crate::vocab::digest::digest;
use crate::vocab::effect::{Level, Outstanding, SpawnRole};
use crate::vocab::error::{Code, Diagnostic, Error};
use crate::vocab::repository::{PathDigest, Repository};
use crate::vocab::role::Tier;
use crate::vocab::time::Millis;
use std::collections::BTreeSet;

/// The most paths of abandoned work that one run adds.
const MOST_ABANDONED: usize = 200;

/// Whether a unit's directory holds a path.
pub(super) fn covers(directory: &str, path: &str) -> bool {
    let directory = directory.trim_matches('/');
    let below = path.strip_prefix(directory).is_some_and(|rest| rest.starts_with('/'));
    directory.is_empty() || directory == "." || path == directory || below
}

/// Enters an observation.
pub(super) fn observed(
    state: &mut State,
    head: &Head,
    repository: &Repository,
    asked: &[PathDigest],
) {
    let at = head.at;
    if state.core.done.is_some() {
        return;
    }
    if let Some(problem) = worktree::problem(repository) {
        state.core.blocked = Some(problem);
        return;
    }
    let repository = without_own(state, repository);
    state.core.dirty_before.get_or_insert_with(|| repository.dirty.clone());
    state.core.dirty_kept.retain(|one| repository.dirty.contains(one));
    rewritten(state, at, &repository);
    let moved = look(state, &repository);
    last_look(state, at, &repository);
    history(state, &repository, moved);
    attribution::attribute(state, head, &repository, moved);
    watch(state, at, &repository);
    plan_touched(state, head, &repository);
    for mut ended in std::mem::take(&mut state.core.ended) {
        if !baseline::looked_at(state, &ended, asked) {
            // It ended while the look was under way, which could not know what its report names.
            state.core.ended.push(ended);
            state.stale_observation();
            continue;
        }
        let gone = baseline::strip(state, &mut ended, &repository);
        if !gone.is_empty() {
            let why = gone.join(", ");
            state.log(at, &ended.run.sprint, "Evidence names files that are not there", why);
        }
        judge(state, head, &repository, ended);
    }
}

/// Commits that were at the head and are not behind it any more: the user goes on without them.
fn rewritten(state: &mut State, at: Millis, repository: &Repository) {
    brought_back(state, repository);
    let Some(from) = repository::left_behind(state.core.seen.as_ref(), repository) else { return };
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
    if core.first_head.is_none() {
        // Of a mission that began before this was noted the whole history is looked through.
        let head = repository.head.clone().filter(|_| core.visits.is_empty());
        core.first_head = Some(head.unwrap_or_else(|| "none".to_owned()));
    }
    let asked = core.rewritten;
    core.rewritten |= moved && repository.since.as_ref().is_some_and(|since| !since.descends);
    if !asked {
        return;
    }
    core.history_at = core.seen.as_ref().map(|seen| seen.ordinal);
    let Some(basis) = &repository.basis else { return };
    let all = sprints.iter().flat_map(|sprint| &sprint.commits);
    core.gone = all.filter(|commit| !repository::holds(basis, commit)).cloned().collect();
}

/// The repository without the files of the engine, which change while others work.
fn without_own(state: &State, repository: &Repository) -> Repository {
    let own = |path: &String| state.core.files.known.contains_key(path);
    let mut seen = repository.clone();
    seen.dirty.retain(|dirty| !own(&dirty.path));
    for change in seen.since.iter_mut() {
        change.paths.retain(|path| !own(path));
        change.touched.iter_mut().for_each(|row| row.paths.retain(|path| !own(path)));
    }
    seen
}

/// Takes over head, refs and dirt; `true` if the head is another one.
fn look(state: &mut State, repository: &Repository) -> bool {
    let moved = state.core.seen.as_ref().is_some_and(|seen| seen.head != repository.head);
    repository::look(&mut state.core.seen, &mut state.touches, repository);
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
    let to = state.core.seen.as_ref().map_or("none", |seen| seen.head_word()).to_owned();
    if from != to {
        state.log(at, "", "The head moved while everything was shown", format!("{from} → {to}"));
        state.core.asking.push(Topic::HeadMoved { from, to });
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
    for run in core.runs.iter_mut().filter(|run| run.role == Role::Agent && run.doom.is_none()) {
        let unit = sprints.get(&run.sprint).and_then(|sprint| units.get(&sprint.unit));
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
        told.push((run.sprint.clone(), word));
    }
    for (sprint, word) in told {
        state.log(at, &sprint, &word, "its part of the tree");
    }
}

/// The plan is a person's document. A run that changed it is not believed; if several were at work,
/// the engine cannot tell which of them it was, and none is blamed. In every case the mission follows the plan
/// it began with, and does not end with a changed plan before the user was asked.
fn plan_touched(state: &mut State, head: &Head, repository: &Repository) {
    let Some(plan) = state.core.settings.plan.clone() else { return };
    let seen = repository.files.iter().find(|file| file.path == plan.path);
    let now = seen.map(|file| file.seen.digest().unwrap_or("absent").to_owned());
    if now == state.core.plan_seen {
        return;
    }
    state.core.plan_seen = now.clone();
    let Some(now) = now else { return };
    let core = &mut *state.core;
    let ended = core.ended.iter_mut().map(|ended| &mut ended.run);
    let at_work = core.runs.iter_mut().chain(ended).filter(|run| run.role == Role::Agent);
    let mut at_work: Vec<&mut Run> = at_work.collect();
    let all_begun = agents(head).all(|(_, one)| one.live());
    let mut known = String::new();
    let word = match at_work.as_mut_slice() {
        [] => "it follows the plan it began with",
        [run] if all_begun => {
            run.changed_plan = true;
            known = run.sprint.clone();
            "one run was at work, and is not believed"
        }
        _ => "several runs were at work, and nobody knows which of them it was",
    };
    if !at_work.is_empty() {
        state.core.last_problem = Some(not_the_plan(&plan.path, &now));
    }
    state.log(head.at, &known, "The plan was edited", word);
    let text = format!(
        "{} was edited. The mission follows the plan it began with ({word}); put it back, or keep it \
         when you are asked at the end.",
        plan.path
    );
    state.core.files.say(Level::Warning, text);
}

/// The plan differs from the one that was read.
pub(super) fn not_the_plan(path: &str, now: &str) -> Diagnostic {
    Error::new(Code::CanonicalTouched, path, "the plan as it was read", now).diagnostic()
}

/// Judges a run that ended by what was seen after it.
fn judge(state: &mut State, head: &Head, repository: &Repository, ended: Ended) {
    match ended.run.role {
        Role::Agent => agent(state, head, repository, ended),
        Role::Verifier => verifier(state, head.at, repository, &ended),
    }
}

/// The agents that were sent and have not ended.
pub(super) fn agents(head: &Head) -> impl Iterator<Item = (&SpawnRole, &Outstanding)> {
    spawns(head).filter(|(spawn, _)| spawn.role == Role::Agent.name())
}

fn agent(state: &mut State, head: &Head, repository: &Repository, ended: Ended) {
    let at = head.at;
    let Ended { run, left, usage } = ended;
    let id = run.sprint.clone();
    remember(state, &id, &run, at, usage.turns);
    let dirty = uncommitted(state, head, &run, repository);
    still_abandoned(state, &id, repository);
    if run.doom == Some(Doom::Killed) {
        return killed(state, at, &id, &dirty);
    }
    // A run that goes on with it answers for earlier uncommitted changes, too.
    state.sprints.change(&id, |sprint| {
        sprint.abandoned.extend(dirty.iter().take(MOST_ABANDONED).cloned());
    });
    // Skipped, deferred or reopened meanwhile: nothing waits for it any more.
    if state.sprints.get(&id).is_none_or(|sprint| sprint.status != SprintStatus::Running) {
        return;
    }
    let plan = state.core.settings.plan.as_ref().filter(|_| run.changed_plan);
    if let Some(path) = plan.map(|plan| plan.path.clone()) {
        let now = state.core.plan_seen.clone().unwrap_or_else(|| "put back since".to_owned());
        let problem = not_the_plan(&path, &now);
        state.core.counts.refused_reports += 1;
        let words =
            vec![format!("{problem} Put the plan back as it was; it is not yours to change.")];
        return setback::fail(state, at, &id, &problem, words);
    }
    match left {
        Left::Failure(problem) => {
            let mut words = vec![problem.to_string()];
            words.extend(left_behind(&dirty));
            setback::fail(state, at, &id, &problem, words);
        }
        Left::Unfit(fault) => outcome::ended(state, at, &run, Said::Unread(fault), dirty),
        Left::Agent(report) => match attribution::unnamed(state, &run, &report) {
            Some(fault) if dirty.is_empty() && !state.mends(&run) => {
                ask_again(state, at, &run, fault)
            }
            _ => outcome::ended(state, at, &run, Said::All(report), dirty),
        },
        Left::Unsaid(problem) => outcome::ended(state, at, &run, Said::Nothing(problem), dirty),
        Left::Lost(problem) => outcome::ended(state, at, &run, Said::Lost(problem), dirty),
        // Reports are read by role.
        Left::Verifier(_) => {}
    }
}

/// The same run is to name its commits: it is the only one who knows them.
fn ask_again(state: &mut State, at: Millis, run: &Run, fault: Diagnostic) {
    state.core.counts.refused_reports += 1;
    state.core.last_problem = Some(fault.clone());
    state.log(at, &run.sprint, "Its report names no commit", fault.to_string());
    let correction = Correction { of: run.by.run, role: Role::Agent, fault };
    state.sprints.change(&run.sprint, |sprint| sprint.correction = Some(correction));
}

fn left_behind(dirty: &[String]) -> Option<String> {
    let paths = dirty.iter().take(20).cloned().collect::<Vec<_>>().join(", ");
    (!dirty.is_empty()).then(|| format!("It left work that is not committed: {paths}"))
}

fn remember(state: &mut State, id: &str, run: &Run, at: Millis, turns: u32) {
    state.sprints.change(id, |sprint: &mut Sprint| {
        let tier = sprint.choice.as_ref().map_or(Tier::Standard, |choice| choice.tier);
        let started_at = run.started_at;
        sprint.tries.push(Try { attempt: sprint.attempt, tier, started_at, ended_at: at, turns });
    });
}

/// Paths of the run's unit that are dirty now and were not so before it, or were left by an earlier run of its
/// sprint. If another run works in the same directory, the engine cannot tell whose they are.
fn uncommitted(state: &State, head: &Head, run: &Run, repository: &Repository) -> Vec<String> {
    let of = |sprint: &str| {
        let unit = state.sprints.get(sprint).and_then(|sprint| state.units.get(&sprint.unit));
        unit.map(|unit| unit.directory.clone()).unwrap_or_default()
    };
    let own = of(&run.sprint);
    let others = agents(head).filter_map(|(other, _)| other.item.as_deref());
    let others: Vec<String> = others.filter(|other| *other != run.sprint).map(of).collect();
    let before: BTreeSet<_> = run.before.dirty.iter().collect();
    let left = state.sprints.get(&run.sprint).map(|sprint| &sprint.abandoned);
    let again = |dirty: &&PathDigest| left.is_some_and(|left| left.contains(&dirty.path));
    let new = repository.dirty.iter().filter(|dirty| !before.contains(dirty) || again(dirty));
    let new = new.filter(|dirty| {
        covers(&own, &dirty.path) && !others.iter().any(|other| covers(other, &dirty.path))
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

fn verifier(state: &mut State, at: Millis, repository: &Repository, ended: &Ended) {
    let id = &ended.run.sprint;
    if ended.run.doom == Some(Doom::Killed) {
        return;
    }
    if state.sprints.get(id).is_none_or(|sprint| sprint.status != SprintStatus::Verifying) {
        return;
    }
    if let Err(fault) = worktree::left_alone(&ended.run.before, repository) {
        state.core.counts.refused_reports += 1;
        return verdicts::verified(state, at, ended, Err(fault.diagnostic()));
    }
    match &ended.left {
        Left::Verifier(report) => verdicts::verified(state, at, ended, Ok(report)),
        Left::Unfit(_) => {}
        Left::Lost(problem) if setback::may_be_lost(state, id) => {
            setback::lost(state, at, id, &problem.to_string());
        }
        Left::Failure(problem) | Left::Unsaid(problem) | Left::Lost(problem) => {
            verdicts::verified(state, at, ended, Err(problem.clone()));
        }
        Left::Agent(_) => {}
    }
}
