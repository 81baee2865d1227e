//! Fact → state: one function per fact. Nothing is ordered here.
//!
//! A run that ended is kept to be judged; what handlers can tell by its words alone they tell at once,
//! what needs an answer of the world is ordered by the table. A run that did not end well says nothing:
//! it counts as an iteration and shows nothing.

use super::answers;
use super::commands;
use super::handler::{Answer, Handler, Heard};
use super::judge;
use super::role::AGENT;
use super::state::{Judging, Run, State, Summary, Topic};
use crate::mission::Context;
use crate::mission::admission::foreign;
use crate::mission::files::is_file_work;
use crate::mission::run::failure;
use crate::vocab::effect::{Order, SpawnRole};
use crate::vocab::error::{Code, Diagnostic, Error, Result};
use crate::vocab::event::{
    CommandExited, Consulted, EffectFailed, EffectPerformed, Fact, Outcome, RunEnded, RunOutcome,
    RunStarted,
};
use crate::vocab::verdict::Speaker;
use std::sync::Arc;

/// The move `apply`.
pub(super) fn apply(state: &mut State, context: &mut Context<'_>, fact: &Fact) -> Result<()> {
    match fact {
        Fact::UserCommanded(fact) => commands::commanded(state, context, &fact.command)?,
        Fact::RunStarted(fact) => run_started(state, context, fact)?,
        Fact::RunProgressed(_) => {}
        Fact::RunEnded(fact) => run_ended(state, context, fact)?,
        Fact::CommandExited(fact) => command_exited(state, context, fact),
        Fact::Consulted(fact) => consulted(state, context, fact),
        Fact::DocumentsObserved(fact) => state.core.files.observed(&fact.documents),
        Fact::QuestionAnswered(fact) => answers::answered(state, context, &fact.answer)?,
        Fact::EffectPerformed(fact) => effect_performed(state, context, fact)?,
        Fact::EffectFailed(fact) => effect_failed(state, context, fact)?,
        Fact::HostRecovered(_) => host_recovered(context),
        Fact::RepositoryObserved(_) => {
            state.core.unseen = false;
            judge::conclude(state, context.head.at);
        }
        Fact::TimerFired(_) => return Err(foreign("iteration", fact.name())),
    }
    Ok(())
}

fn spawned<'a>(context: &'a Context<'_>) -> Result<&'a SpawnRole> {
    match context.subject.as_ref().map(|subject| &subject.effect.order) {
        Some(Order::SpawnRole(spawn)) if spawn.role == AGENT => Ok(spawn),
        _ => Err(Error::new(Code::BrokenOutbox, "outbox", AGENT, "another role")),
    }
}

fn run_started(state: &mut State, context: &Context<'_>, fact: &RunStarted) -> Result<()> {
    spawned(context)?;
    let core = &mut state.core;
    core.iteration += 1;
    let by = Speaker::new(fact.effect, fact.session.clone());
    core.run = Some(Run { by, iteration: core.iteration });
    // What was said to this run only is not said to the next.
    core.next_prompt = None;
    core.note = None;
    Ok(())
}

fn run_ended(state: &mut State, context: &Context<'_>, fact: &RunEnded) -> Result<()> {
    spawned(context)?;
    let core = &mut state.core;
    let Some(run) = core.run.take().filter(|run| run.by.run == fact.effect) else {
        let got = fact.effect.to_string();
        return Err(Error::new(Code::BrokenTopology, "core.run", "the run that ended", got));
    };
    let said = fact.report.as_deref().filter(|said| !said.trim().is_empty());
    let well = fact.outcome == RunOutcome::Success && said.is_some();
    let problem = (!well).then(|| fact.problem.clone().unwrap_or_else(|| failure(fact)));
    core.attempts = if well { 0 } else { core.attempts + 1 };
    core.failed_runs += u64::from(!well);
    core.last_problem = problem.clone().or(core.last_problem.take());
    let heard = said.filter(|_| well);
    remember(state, run.iteration, said, heard);
    let core = &mut state.core;
    let judged = Heard { text: heard, iteration: run.iteration, phase: core.phase };
    let settings = core.settings.clone();
    let leaves = settings.handler.leaves();
    let asked = leaves.iter().any(|leaf| matches!(leaf, Handler::Custom(_)));
    let input = asked.then(|| {
        Arc::new(super::handler::custom::input(
            &settings.definition,
            &settings.args,
            run.iteration,
            heard,
            core.memory.as_deref(),
        ))
    });
    // A run that did not end well completes nothing: no condition is asked after it.
    let answer = |leaf: &Handler| match &problem {
        Some(problem) => Some(Answer::not_shown(problem.clone())),
        None => leaf.hear(&judged),
    };
    core.judging = Some(Judging {
        run: fact.effect,
        iteration: run.iteration,
        outcome: fact.outcome,
        at: context.head.at,
        answers: leaves.iter().map(|leaf| answer(leaf)).collect(),
        input,
    });
    core.unseen = settings.follow_head;
    judge::conclude(state, context.head.at);
    Ok(())
}

/// Keeps the last summaries, and moves the phase forward by what they say.
fn remember(state: &mut State, iteration: u64, said: Option<&str>, heard: Option<&str>) {
    let core = &mut state.core;
    let settings = core.settings.clone();
    let named = settings.handler.leaves().into_iter().find_map(|leaf| match leaf {
        Handler::Project(project) => heard.and_then(|text| project.phase_in(text)),
        _ => None,
    });
    let most = usize::try_from(settings.summary_chars).unwrap_or(usize::MAX);
    let text =
        said.map_or_else(|| "...".to_owned(), |said| said.trim().chars().take(most).collect());
    core.summaries.push(Summary { iteration, text, phase: named });
    // The phase is read from the last two, however many the prompts carry.
    let keep = usize::try_from(settings.summaries.max(2)).unwrap_or(usize::MAX);
    let surplus = core.summaries.len().saturating_sub(keep);
    core.summaries.drain(..surplus);
    let lately = core.summaries.iter().rev().take(2).filter_map(|one| one.phase);
    core.phase = lately.fold(core.phase, Ord::max);
}

/// The answer of a command goes to the condition it was run for.
fn command_exited(state: &mut State, context: &mut Context<'_>, fact: &CommandExited) {
    let settings = state.core.settings.clone();
    let leaves = settings.handler.leaves();
    let place = state.core.next_condition();
    let answer = match place.and_then(|place| leaves.get(place)) {
        Some(Handler::Issue(issue)) => issue.read(fact),
        Some(Handler::Check(check)) => check.read(fact),
        // What it was run for is not asked any more.
        _ => return,
    };
    judge::answered(state, answer, context.head.at);
}

fn consulted(state: &mut State, context: &mut Context<'_>, fact: &Consulted) {
    judge::consulted(state, fact, context.head.at);
}

fn effect_performed(
    state: &mut State,
    context: &Context<'_>,
    fact: &EffectPerformed,
) -> Result<()> {
    match context.subject.as_ref().map(|subject| &subject.effect.order) {
        Some(Order::StopRole(_)) if fact.outcome == Outcome::Nothing => Ok(()),
        Some(order) => state.core.files.performed(order, &fact.outcome),
        None => Err(Error::new(Code::BrokenOutbox, "outbox", "the performed effect", "none")),
    }
}

fn effect_failed(state: &mut State, context: &mut Context<'_>, fact: &EffectFailed) -> Result<()> {
    let problem = fact.problem.clone();
    let order = context.subject.as_ref().map(|subject| subject.effect.order.clone());
    let Some(order) = order else {
        return Err(Error::new(Code::BrokenOutbox, "outbox", "a host effect", "none"));
    };
    match &order {
        // No run was made, so no iteration is counted.
        Order::SpawnRole(_) => {
            state.core.attempts += 1;
            state.core.failed_runs += 1;
            state.core.last_problem = Some(problem);
            judge::ask_if_stuck(state);
        }
        Order::RunCommand(_) | Order::Consult(_) => {
            judge::answered(state, Answer::not_shown(problem), context.head.at);
        }
        Order::StopRole(_) => {}
        order if is_file_work(order) => file_work_failed(state, context, order, problem),
        Order::Observe(_) => file_work_failed(state, context, &order, problem),
        Order::AskUser(_)
        | Order::AppendHistory(_)
        | Order::WriteFile(_)
        | Order::CommitFiles(_)
        | Order::SetTimer(_)
        | Order::Notify(_) => {
            return Err(Error::new(Code::BrokenOutbox, "outbox", "an order of ours", order.name()));
        }
    }
    Ok(())
}

/// If a look can fix it, the host looks; else the user is asked, before any other question.
fn file_work_failed(
    state: &mut State,
    context: &mut Context<'_>,
    order: &Order,
    problem: Diagnostic,
) {
    let core = &mut state.core;
    core.last_problem = Some(problem.clone());
    if core.files.failed(order, &problem) {
        return;
    }
    let what = match order {
        Order::WriteFile(write) => format!("write {}", write.path),
        Order::AppendHistory(append) => format!("append to {}", append.path),
        order => format!("perform {}", order.name()),
    };
    let then = match core.asking.take() {
        Some(Topic::EffectFailed { then, .. }) => then,
        other => other.map(Box::new),
    };
    // An open question is taken back: its answer would be taken for the answer to this one.
    context.head.withdraw(|order| matches!(order, Order::AskUser(_)));
    core.asking = Some(Topic::EffectFailed { what, problem, then });
}

/// A run that was ordered but never started is taken back and decided anew.
fn host_recovered(context: &mut Context<'_>) {
    context.head.withdraw(|order| matches!(order, Order::SpawnRole(_)));
}
