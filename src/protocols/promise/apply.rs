//! Fact → state: one function per fact. Nothing is ordered here.
//!
//! A run that ended is judged only after a look at the repository, and never while
//! another run may still change it.

use super::answers;
use super::commands;
use super::decide::{GATE, KEEP, ROLL_BACK, TESTS, TIMEOUT};
use super::observe;
use super::report;
use super::role::Role;
use super::state::{
    Correction, Ended, GateEnd, PlayStep, Report, Run, State, StopReason, TaskStatus, Topic,
};
use crate::mission::Context;
use crate::mission::admission::{foreign, item, spawned, subject};
use crate::mission::files::is_file_work;
use crate::mission::report as shared_report;
use crate::mission::run::{as_error, failure, name_sessions, take};
use crate::mission::worktree::Before;
use crate::vocab::effect::{Order, SpawnRole};
use crate::vocab::error::{Code, Diagnostic, Error, Result, clip};
use crate::vocab::event::{
    CommandExited, EffectFailed, EffectId, EffectPerformed, Fact, RunEnded, RunOutcome, RunStarted,
};
use crate::vocab::evidence::Finding;
use crate::vocab::verdict::Speaker;

/// The move `apply`.
pub(super) fn apply(state: &mut State, context: &mut Context<'_>, fact: &Fact) -> Result<()> {
    match fact {
        Fact::UserCommanded(fact) => commands::commanded(state, context, &fact.command)?,
        Fact::RunStarted(fact) => run_started(state, context, fact)?,
        Fact::RunProgressed(fact) if fact.sessions().next().is_none() => {}
        Fact::RunProgressed(fact) => {
            let run = state.core.runs.iter_mut().find(|run| run.by.run == fact.effect);
            name_sessions(run.map(|run| &mut run.by), fact);
        }
        Fact::RunEnded(fact) => run_ended(state, context, fact)?,
        Fact::CommandExited(fact) => command_exited(state, context, fact)?,
        Fact::RepositoryObserved(fact) => observe::observed(state, context, &fact.repository),
        Fact::DocumentsObserved(fact) => state.core.files.observed(&fact.documents),
        Fact::QuestionAnswered(fact) => answers::answered(state, context, &fact.answer)?,
        Fact::TimerFired(_) => timer_fired(state, context)?,
        Fact::EffectPerformed(fact) => effect_performed(state, context, fact)?,
        Fact::EffectFailed(fact) => effect_failed(state, context, &fact.clone())?,
        Fact::HostRecovered(_) => host_recovered(state, context),
        Fact::Consulted(_) => return Err(foreign("promise", fact)),
    }
    Ok(())
}

/// The run that a fact speaks of: its role, order and task.
fn ordered(context: &Context<'_>) -> Result<(Role, SpawnRole, String)> {
    let (role, spawn) = spawned(context, Role::of)?;
    let task = item(&spawn)?;
    Ok((role, spawn, task))
}

fn run_started(state: &mut State, context: &Context<'_>, fact: &RunStarted) -> Result<()> {
    let (role, spawn, task) = ordered(context)?;
    let run = Run {
        role,
        by: Speaker::new(fact.effect, fact.session.clone()),
        turn: state.play(&task).map_or(0, |play| play.turn),
        task,
        corrects: spawn.corrects,
        before: Before::of(state.core.seen.as_ref()),
        ending: false,
    };
    if role == Role::Player {
        state.tasks.change(&run.task, |task| task.reopened = false);
    }
    state.core.runs.push(run);
    *state.core.visits.entry(role).or_default() += 1;
    Ok(())
}

fn run_ended(state: &mut State, context: &Context<'_>, fact: &RunEnded) -> Result<()> {
    let (role, _, task) = ordered(context)?;
    let run = take(&mut state.core.runs, fact, |run| run.by.run)?;
    state.stale_observation();
    let dropped = state.play(&task).is_some_and(|play| play.stop.is_some());
    if dropped {
        // Whatever it says: its loop had ended before.
        state.core.ended.push(Ended { run, report: None });
        return Ok(());
    }
    let report = match (fact.outcome, &fact.report) {
        (RunOutcome::Success, Some(text)) => read(role, &state.core.settings.mission, text),
        (RunOutcome::Success, None) => {
            Err(Error::new(Code::RunSilent, "report", "a report", "none"))
        }
        (
            RunOutcome::Partial | RunOutcome::Checkpoint | RunOutcome::Failed | RunOutcome::Lost,
            _,
        ) => {
            state.core.counts.failed_runs += 1;
            let problem = fact.problem.clone().map_or_else(|| as_error(failure(fact)), as_error);
            state.core.ended.push(Ended { run, report: None });
            state.fail_step(&task, role.name(), &problem);
            return Ok(());
        }
    };
    match report {
        Ok(report) => {
            let anchor = &state.core.settings.mission;
            let note = fact.report.as_deref();
            let note = note.and_then(|text| shared_report::unheaded(anchor, text));
            state.core.last_problem = note.or(state.core.last_problem.take());
            state.core.ended.push(Ended { run, report: Some(Box::new(report)) });
        }
        Err(fault) => {
            unfit(state, &run, &fault);
            state.core.ended.push(Ended { run, report: None });
        }
    }
    Ok(())
}

/// A report of a role for the mission `anchor`.
pub(super) fn read(role: Role, anchor: &str, text: &str) -> Result<Report> {
    let read = |block: &str| match role {
        Role::Player => report::read_player(block).map(Report::Player),
        Role::Coach => report::read_coach(block).map(Report::Coach),
    };
    let read = |_: &str, block: &str| read(block).map_err(|error| error.within("json"));
    shared_report::read(anchor, text, &["json"], read).map(|found| found.report)
}

/// A report that cannot be taken is answered once to the same run with its fault; twice bad is a
/// failed run. Another mission's anchor is drift and gets no second chance.
pub(super) fn unfit(state: &mut State, run: &Run, fault: &Error) {
    state.core.counts.refused_reports += 1;
    let correctable = fault.code != Code::AnchorMismatch && state.play(&run.task).is_some();
    if run.corrects.is_none() && correctable {
        let (of, role) = (run.by.run, run.role);
        let correction = Correction { of, role, fault: fault.diagnostic() };
        state.core.last_problem = Some(fault.diagnostic());
        state.change_play(&run.task, |play| play.correction = Some(correction));
    } else {
        state.fail_step(&run.task, run.role.name(), fault);
    }
}

/// Exit statuses are observations; no status shows nothing.
fn command_exited(
    state: &mut State,
    context: &mut Context<'_>,
    fact: &CommandExited,
) -> Result<()> {
    let Order::RunCommand(command) = subject(context)? else {
        return Err(Error::new(Code::BrokenOutbox, "outbox", "a command", "another order"));
    };
    let purpose = command.purpose.clone();
    state.stale_observation();
    match purpose.as_str() {
        TESTS => tested(state, fact),
        KEEP | ROLL_BACK => rolled_back(state, context, &purpose, fact),
        gate => gate_ended(state, gate.strip_prefix(GATE).unwrap_or_default(), fact),
    }
    Ok(())
}

/// The tests of a turn ran over the tree that all tasks of the batch share.
fn tested(state: &mut State, fact: &CommandExited) {
    let finding = match fact.status {
        Some(0) => Finding::Holds,
        Some(_) => Finding::DoesNotHold,
        None => Finding::NotShown,
    };
    let due: Vec<String> = state
        .playing()
        .filter(|(_, play)| play.step == PlayStep::Test)
        .map(|(task, _)| task.id.clone())
        .collect();
    for id in due {
        state.change_play(&id, |play| {
            play.tests = finding;
            play.step = PlayStep::Coach;
        });
    }
}

fn rolled_back(state: &mut State, context: &mut Context<'_>, purpose: &str, fact: &CommandExited) {
    let Some((task, play)) = state.lead() else { return };
    let (id, passing) = (task.id.clone(), play.passing.as_ref().map(|to| to.commit.clone()));
    if fact.status != Some(0) {
        let problem = problem_of(purpose, 0, fact);
        state.core.last_problem = Some(problem.clone());
        state.core.asking.insert(0, Topic::EffectFailed { what: purpose.to_owned(), problem });
        return;
    }
    if purpose == ROLL_BACK {
        // Going back was the user's word: from here the head goes forward again.
        context.head.followed.head = passing;
    }
    state.change_play(&id, |play| {
        play.step = match purpose {
            KEEP => PlayStep::RollBack,
            _ => PlayStep::Play,
        };
    });
}

fn gate_ended(state: &mut State, wave: &str, fact: &CommandExited) {
    let Ok(wave) = wave.parse::<u32>() else { return };
    let Some(gate) = state.gate_of(wave) else { return };
    if fact.status == Some(gate.expected_exit) {
        let commit = state.core.seen.as_ref().map_or("none", |seen| seen.head_word()).to_owned();
        state.core.gates.insert(wave.to_string(), GateEnd::Passed { commit });
        return;
    }
    let problem = problem_of(&format!("{GATE}{wave}"), gate.expected_exit, fact);
    state.core.last_problem = Some(problem.clone());
    state.core.asking.push(Topic::GateFailed { wave, problem });
}

fn problem_of(what: &str, expected: i32, fact: &CommandExited) -> Diagnostic {
    if let Some(problem) = &fact.problem {
        return problem.clone();
    }
    let status = fact.status.map_or("no status".to_owned(), |status| format!("{status}"));
    let tail: String =
        fact.output.chars().rev().take(150).collect::<Vec<_>>().iter().rev().collect();
    let expected = format!("exit status {expected}");
    let got = format!("{status}: {}", clip(tail.trim(), 160));
    Error::new(Code::CommandFailed, what, expected, got).diagnostic()
}

/// A task's time is over.
fn timer_fired(state: &mut State, context: &mut Context<'_>) -> Result<()> {
    let Order::SetTimer(timer) = subject(context)? else {
        return Err(Error::new(Code::BrokenOutbox, "outbox", "a timer", "another order"));
    };
    let id = timer.name.strip_prefix(TIMEOUT).unwrap_or_default().to_owned();
    let over = state.play(&id).is_some_and(|play| {
        play.stop.is_none() && play.deadline.is_some_and(|deadline| deadline <= context.head.at)
    });
    let playing = state.tasks.get(&id).is_some_and(|task| task.status == TaskStatus::InProgress);
    if over && playing {
        state.stop_task(&id, StopReason::TimedOut);
        super::files::stopped(state, context.head.at, &id, StopReason::TimedOut);
        context.head.withdraw(
            |order| matches!(order, Order::SpawnRole(spawn) if spawn.item.as_deref() == Some(&id)),
        );
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
            told_to_end(state, stop.run);
            Ok(())
        }
        order => state.core.files.performed(order, &fact.outcome),
    }
}

fn told_to_end(state: &mut State, run: EffectId) {
    if let Some(run) = state.core.runs.iter_mut().find(|known| known.by.run == run) {
        run.ending = true;
    }
}

fn effect_failed(state: &mut State, context: &Context<'_>, fact: &EffectFailed) -> Result<()> {
    let (problem, order) = (fact.problem.clone(), subject(context)?);
    let what = match order {
        Order::SpawnRole(spawn) => {
            state.core.counts.failed_runs += 1;
            let (id, role) = (spawn.item.clone().unwrap_or_default(), spawn.role.clone());
            state.fail_step(&id, &role, &as_error(problem));
            return Ok(());
        }
        Order::StopRole(stop) => {
            told_to_end(state, stop.run);
            return Ok(());
        }
        order if is_file_work(order) && state.core.files.failed(order, &problem) => {
            state.core.last_problem = Some(problem);
            return Ok(());
        }
        Order::WriteFile(write) => format!("write {}", write.path),
        Order::AppendHistory(append) => format!("append to {}", append.path),
        Order::Observe(_) => "look at the repository".to_owned(),
        Order::RunCommand(command) => format!("run {}", command.argv.join(" ")),
        Order::SetTimer(timer) => format!("set the timer {}", timer.name),
        Order::Notify(_) => return Ok(()),
        Order::CommitFiles(_) | Order::AskUser(_) | Order::Consult(_) => {
            return Err(Error::new(Code::BrokenOutbox, "outbox", "a host effect", "none"));
        }
    };
    push_failed(state, what, problem);
    Ok(())
}

/// What the host could not do is asked before everything else.
fn push_failed(state: &mut State, what: String, problem: Diagnostic) {
    state.core.last_problem = Some(problem.clone());
    let topic = Topic::EffectFailed { what, problem };
    match state.core.asking.first() {
        Some(Topic::EffectFailed { .. }) => state.core.asking[0] = topic,
        _ => state.core.asking.insert(0, topic),
    }
}

/// Whatever the host recovered from, the tree may have changed unseen: look again. Roles
/// that were ordered but never started are withdrawn and decided anew after the look.
fn host_recovered(state: &mut State, context: &mut Context<'_>) {
    context.head.withdraw(|order| matches!(order, Order::SpawnRole(_)));
    state.stale_observation();
}
