//! Fact → state: one function per fact. Nothing is ordered here.
//!
//! A run that ended is judged only after a look at the repository, even if others are at work.

use super::answers;
use super::cascade;
use super::commands;
use super::entry::Place;
use super::expectation;
use super::gate;
use super::observe;
use super::orders::{CHECK, DEPENDENCY, ENTRY, GATE, POLL, STOP, WAIT, WATCH};
use super::outcome;
use super::polls::{poll, stop_poll};
use super::role::Role;
use super::run_result::left;
use super::setback;
use super::state::{Correction, Ended, Left, Run, SprintStatus, State, Topic};
use super::verdicts;
use crate::mission::Context;
use crate::mission::admission::{foreign, item, spawned, subject};
use crate::mission::ask::{self, undone};
use crate::mission::files::is_file_work;
use crate::mission::run::{name_sessions, take};
use crate::mission::worktree::Before;
use crate::vocab::effect::{Observe, Order, SpawnRole};
use crate::vocab::error::{Code, Diagnostic, Error, Result};
use crate::vocab::event::{
    CommandExited, DocumentsObserved, EffectFailed, EffectId, EffectPerformed, Fact, RunEnded,
    RunProgressed, RunStarted,
};
use crate::vocab::repository::Seen;
use crate::vocab::verdict::Speaker;
use std::collections::BTreeSet;

/// Commands in a row that may be lost before that counts against what they show.
const MOST_LOST_COMMANDS: u32 = 3;
/// The move `apply`.
pub(super) fn apply(state: &mut State, context: &mut Context<'_>, fact: &Fact) -> Result<()> {
    match fact {
        Fact::UserCommanded(fact) => commands::commanded(state, context, &fact.command)?,
        Fact::RunStarted(fact) => run_started(state, context, fact)?,
        Fact::RunProgressed(fact) => heard(state, fact),
        Fact::RunEnded(fact) => run_ended(state, context, fact)?,
        Fact::CommandExited(fact) => command_exited(state, context, fact)?,
        Fact::RepositoryObserved(fact) => {
            let Order::Observe(Observe::Repository { known, .. }) = subject(context)? else {
                let got = "another order";
                return Err(Error::new(Code::BrokenOutbox, "outbox", "a look", got));
            };
            observe::observed(state, context.head, &fact.repository, known);
        }
        Fact::DocumentsObserved(fact) => documents(state, context, fact),
        Fact::QuestionAnswered(fact) => answers::answered(state, context, &fact.answer)?,
        Fact::TimerFired(_) => timer_fired(state, context)?,
        Fact::EffectPerformed(fact) => effect_performed(state, context, fact)?,
        Fact::EffectFailed(fact) => effect_failed(state, context, fact)?,
        Fact::HostRecovered(_) => {
            // Whatever the host came back from, the tree may have changed: look again.
            context.head.withdraw(|order| matches!(order, Order::SpawnRole(_)));
            state.stale_observation();
        }
        Fact::Consulted(_) => return Err(foreign("sprint", fact.name())),
    }
    drop_idle_timers(state, context);
    Ok(())
}

/// Nobody is to be looked after any more.
fn drop_idle_timers(state: &State, context: &mut Context<'_>) {
    if state.core.runs.is_empty() {
        let command = context.head.awaits(|order| matches!(order, Order::RunCommand(_)));
        let stops = command && state.core.stopping.is_some();
        let names = [POLL, WATCH, if stops { POLL } else { STOP }];
        context.head.withdraw(
            |order| matches!(order, Order::SetTimer(timer) if names.contains(&timer.name.as_str())),
        );
    }
    let waits = |name: &str| {
        let id = name.strip_prefix(WAIT).unwrap_or_default();
        state.sprints.get(id).is_some_and(|sprint| sprint.waiting.is_some())
    };
    context.head.withdraw(|order| {
        matches!(order, Order::SetTimer(timer) if timer.name.starts_with(WAIT) && !waits(&timer.name))
    });
}

/// The run that a fact speaks of: its role, order and sprint.
fn ordered(context: &Context<'_>) -> Result<(Role, SpawnRole, String)> {
    let (role, spawn) = spawned(context, Role::of)?;
    let sprint = item(&spawn)?;
    Ok((role, spawn, sprint))
}

fn run_started(state: &mut State, context: &Context<'_>, fact: &RunStarted) -> Result<()> {
    let (role, spawn, sprint) = ordered(context)?;
    let before = Before::of(state.core.seen.as_ref());
    let unit = state.sprints.get(&sprint).and_then(|one| state.units.get(&one.unit));
    let directory = unit.map(|unit| unit.directory.clone()).unwrap_or_default();
    let run = Run {
        role,
        by: Speaker::new(fact.effect, fact.session.clone()),
        corrects: spawn.corrects,
        tree: observe::part(&directory, before.head.as_deref(), 0, &before.dirty),
        before,
        started_at: context.head.at,
        changed_plan: false,
        paths: BTreeSet::new(),
        empty_polls: 0,
        heard: true,
        strikes: 0,
        doom: None,
        ending: false,
        sprint: sprint.clone(),
    };
    state.core.runs.push(run);
    *state.core.visits.entry(role).or_default() += 1;
    if role == Role::Agent {
        state.sprints.change(&sprint, |sprint| {
            sprint.runs += 1;
            sprint.reopened = false;
            sprint.last_run = Some(fact.effect);
        });
        let chosen =
            state.sprints.get(&sprint).is_some_and(|one| one.status == SprintStatus::Dispatched);
        if chosen {
            state.move_sprint(&sprint, SprintStatus::Running);
        }
    }
    state.touch_state();
    Ok(())
}

fn heard(state: &mut State, fact: &RunProgressed) {
    let known = state.core.runs.iter().any(|run| run.by.run == fact.effect && run.heard);
    if known && fact.sessions().next().is_none() {
        return;
    }
    if let Some(run) = state.core.runs.iter_mut().find(|run| run.by.run == fact.effect) {
        run.heard = true;
        name_sessions(Some(&mut run.by), fact);
    }
}

fn run_ended(state: &mut State, context: &mut Context<'_>, fact: &RunEnded) -> Result<()> {
    let (role, _, sprint) = ordered(context)?;
    let run = take(&mut state.core.runs, fact, |run| run.by.run)?;
    if let Some(stopping) = state.core.stopping.as_mut() {
        stopping.moved = true;
    }
    state.stale_observation();
    let left = left(state, role, &sprint, &run, fact);
    // What an agent did is looked at before it is asked for another report.
    if let (Role::Verifier, Left::Unfit(fault)) = (role, &left) {
        let correction = Correction { of: run.by.run, role, fault: fault.clone() };
        state.sprints.change(&sprint, |sprint| sprint.correction = Some(correction));
    }
    state.core.ended.push(Ended { run, left, usage: fact.usage });
    state.touch_state();
    Ok(())
}

fn documents(state: &mut State, context: &Context<'_>, fact: &DocumentsObserved) {
    state.core.files.observed(&fact.documents);
    let Some((id, paths)) = super::due::unread(state) else { return };
    let asked = fact.documents.iter().any(|document| paths.contains(&document.path));
    if !asked {
        return;
    }
    let Some(sprint) = state.sprints.get(&id) else { return };
    let (label, name) = (sprint.plan.label.clone(), sprint.plan.name.clone());
    let texts = fact.documents.iter().filter_map(|document| match &document.seen {
        Seen::Text { text, .. } => Some(text),
        Seen::Absent | Seen::Digest { .. } => None,
    });
    let said: Vec<_> = texts.filter_map(|text| cascade::progress(text, &label, &name)).collect();
    // Words of doubt beat words of success.
    let progress = said.iter().max_by_key(|word| **word == super::state::Progress::Unfinished);
    let progress = progress.copied();
    state.sprints.change(&id, |sprint| {
        if let Some(checking) = sprint.checking.as_deref_mut() {
            (checking.progress, checking.read) = (progress, true);
        }
    });
    outcome::advance(state, context.head.at, &id);
}

/// Exit statuses are observations; no status shows nothing.
fn command_exited(state: &mut State, context: &Context<'_>, fact: &CommandExited) -> Result<()> {
    let Order::RunCommand(command) = subject(context)? else {
        return Err(Error::new(Code::BrokenOutbox, "outbox", "a command", "another order"));
    };
    let (purpose, at) = (command.purpose.clone(), context.head.at);
    state.core.commands_unseen = true;
    if let Some(stopping) = state.core.stopping.as_mut() {
        stopping.moved = true;
    }
    if lost_again(state, fact) {
        return Ok(());
    }
    if let Some(rest) = purpose.strip_prefix(CHECK) {
        let (id, criterion) = rest.split_once(' ').unwrap_or((rest, ""));
        outcome::checked(state, at, id, criterion, fact);
    } else if let Some(unit) = purpose.strip_prefix(DEPENDENCY) {
        dependency(state, at, unit, fact);
    } else if let Some(sprint) = purpose.strip_prefix(ENTRY) {
        entry(state, at, sprint, fact);
    } else if purpose.starts_with(GATE) {
        gate::exited(state, at, fact);
    }
    Ok(())
}

/// A command that went with its host has shown nothing; it is still due, and run again a few times.
fn lost_again(state: &mut State, fact: &CommandExited) -> bool {
    let lost = fact.problem.as_ref().is_some_and(|problem| problem.code == Code::RunLost);
    if fact.status.is_some() || !lost || state.core.lost_commands >= MOST_LOST_COMMANDS {
        state.core.lost_commands = 0;
        return false;
    }
    state.core.lost_commands += 1;
    true
}

/// A unit whose dependencies cannot be verified stays where it is, and that is told.
fn dependency(state: &mut State, at: u64, unit: &str, fact: &CommandExited) {
    let Some((id, line)) = super::due::next_dependency(state) else { return };
    if id != unit {
        return;
    }
    match expectation::judged(&state.core.settings, &line, fact) {
        Ok(()) => drop(state.units.change(unit, |unit| unit.checks_held += 1)),
        Err(problem) => {
            state.core.last_problem = Some(problem.clone());
            let (first, place) = first_line(state, unit);
            let out = super::entry::way_out(state, &first, place);
            state.units.change(unit, |unit| {
                let what = match unit.after.is_empty() {
                    true => "its entry criteria do not hold",
                    false => "its dependencies are not verified",
                };
                unit.note = format!("{what}: {problem} {out}");
                unit.check_failed = Some(problem.clone());
            });
            state.log(at, unit, "Dependency verification failed", problem.to_string());
            let text = format!("{unit} stays NOT_STARTED: {problem} {out}");
            state.core.files.say(crate::vocab::effect::Level::Warning, text);
        }
    }
}

/// The first sprint of a unit, and the place of the unit's command whose turn it is.
fn first_line(state: &State, unit: &str) -> (String, Place) {
    let Some(unit) = state.units.get(unit) else { return (String::new(), Place::Unit(0)) };
    let held = usize::try_from(unit.checks_held).unwrap_or(usize::MAX);
    (unit.sprints.first().cloned().unwrap_or_default(), Place::Unit(held))
}

/// A sprint whose entry criteria do not hold is not dispatched, and that is told.
fn entry(state: &mut State, at: u64, sprint: &str, fact: &CommandExited) {
    let Some((id, line)) = super::due::next_dependency(state) else { return };
    if id != sprint {
        return;
    }
    let Err(problem) = expectation::judged(&state.core.settings, &line, fact) else {
        state.sprints.change(sprint, |sprint| sprint.entry_held += 1);
        return;
    };
    let found = state.sprints.get(sprint).map(|sprint| (sprint.unit.clone(), sprint.entry_held));
    let (unit, held) = found.unwrap_or_default();
    let place = Place::Sprint(usize::try_from(held).unwrap_or(usize::MAX));
    let out = super::entry::way_out(state, sprint, place);
    state.core.last_problem = Some(problem.clone());
    state.sprints.change(sprint, |sprint| sprint.entry_failed = Some(problem.clone()));
    state.units.change(&unit, |unit| {
        unit.note = format!("an entry criterion of {sprint} does not hold: {problem} {out}");
    });
    state.log(at, sprint, "Entry criterion does not hold", problem.to_string());
    let text = format!("{sprint} is not dispatched: {problem} {out}");
    state.core.files.say(crate::vocab::effect::Level::Warning, text);
}

fn timer_fired(state: &mut State, context: &mut Context<'_>) -> Result<()> {
    let Order::SetTimer(timer) = subject(context)? else {
        return Err(Error::new(Code::BrokenOutbox, "outbox", "a timer", "another order"));
    };
    let at = context.head.at;
    match timer.name.as_str() {
        POLL => poll(state, at),
        WATCH => state.core.watch_due = state.core.runs.iter().any(|run| run.role == Role::Agent),
        STOP => stop_poll(state, context),
        name => {
            let id = name.strip_prefix(WAIT).unwrap_or_default().to_owned();
            let due = state.sprints.get(&id).filter(|sprint| sprint.waiting.is_some());
            if let Some(checking) = due.map(outcome::every_command) {
                state.sprints.change(&id, |sprint| sprint.checking = Some(Box::new(checking)));
                if state.sprints.get(&id).is_some_and(|one| one.status == SprintStatus::Partial) {
                    state.move_sprint(&id, SprintStatus::Dispatched);
                }
                outcome::advance(state, at, &id);
            }
        }
    }
    Ok(())
}

fn effect_performed(
    state: &mut State,
    context: &Context<'_>,
    fact: &EffectPerformed,
) -> Result<()> {
    match subject(context)? {
        Order::StopRole(stop) => {
            told_to_end(state, stop.run, stop.kill);
            Ok(())
        }
        order => state.core.files.performed(order, &fact.outcome),
    }
}

fn told_to_end(state: &mut State, run: EffectId, kill: bool) {
    if let Some(run) = state.core.runs.iter_mut().find(|known| known.by.run == run) {
        run.ending |= kill;
    }
    state.core.halting.retain(|command| *command != run);
}

fn effect_failed(state: &mut State, context: &mut Context<'_>, fact: &EffectFailed) -> Result<()> {
    let (problem, at) = (fact.problem.clone(), context.head.at);
    let what = match subject(context)? {
        Order::SpawnRole(spawn) => {
            let id = spawn.item.clone().unwrap_or_default();
            not_sent(state, at, &id, &spawn.role, &problem);
            return Ok(());
        }
        Order::StopRole(stop) => {
            // One kill that fails does not prevent the others.
            let run = state.core.runs.iter().find(|run| run.by.run == stop.run);
            let sprint = run.map(|run| run.sprint.clone()).unwrap_or_default();
            told_to_end(state, stop.run, stop.kill);
            state.log(at, &sprint, "Could not end the run", problem.to_string());
            return Ok(());
        }
        Order::RunCommand(_) => {
            let exited = CommandExited {
                effect: fact.effect,
                status: None,
                output: String::new(),
                problem: Some(problem),
                held: Vec::new(),
            };
            return command_exited(state, context, &exited);
        }
        order if is_file_work(order) && state.core.files.failed(order, &problem) => {
            state.core.last_problem = Some(problem);
            return Ok(());
        }
        Order::SetTimer(_) | Order::Notify(_) => return Ok(()),
        Order::Observe(Observe::Documents { .. }) if unread_failed(state, at) => return Ok(()),
        Order::CommitFiles(_) | Order::AskUser(_) | Order::Consult(_) => {
            return Err(Error::new(Code::BrokenOutbox, "outbox", "a host effect", "none"));
        }
        order @ (Order::WriteFile(_) | Order::AppendHistory(_) | Order::Observe(_)) => {
            undone(order)?
        }
    };
    state.core.last_problem = Some(problem.clone());
    ask::first(context.head, &mut state.core.asking, Topic::EffectFailed { what, problem });
    Ok(())
}

/// Progress files that cannot be looked at say nothing.
fn unread_failed(state: &mut State, at: u64) -> bool {
    let Some((id, _)) = super::due::unread(state) else { return false };
    state.sprints.change(&id, |sprint| {
        if let Some(checking) = sprint.checking.as_deref_mut() {
            checking.read = true;
        }
    });
    outcome::advance(state, at, &id);
    true
}

/// A role that the host could not start.
fn not_sent(state: &mut State, at: u64, id: &str, role: &str, problem: &Diagnostic) {
    let open = state.sprints.get(id).is_some_and(super::due::at_work);
    if !open {
        return;
    }
    match Role::of(role) {
        Some(Role::Verifier) => verdicts::not_verified(state, at, id, problem),
        Some(Role::Agent) | None => {
            setback::fail(state, at, id, problem, vec![problem.to_string()]);
        }
    }
}
