//! Fact → state: one function per fact. Nothing is ordered here.
//!
//! A run that ended is judged only after a look at the repository: its report is
//! compared with the repository. A refused report changes only the tallies.

use super::accept;
use super::answers;
use super::commands;
use super::files as canonical;
use super::observe;
use super::report;
use super::role::Role;
use super::state::{ActiveStatus, Before, Correction, Ended, Run, SliceStatus, State, Topic};
use crate::mission::Context;
use crate::mission::admission::{foreign, spawned, subject};
use crate::mission::ask::undone;
use crate::mission::files::met_foreign;
use crate::mission::report::unheaded;
use crate::mission::repository;
use crate::mission::run::{failure, name_sessions};
use crate::vocab::effect::{CommitFiles, Order};
use crate::vocab::error::{Code, Diagnostic, Error, Result};
use crate::vocab::event::{
    CommandExited, EffectFailed, EffectPerformed, Fact, Outcome, RunEnded, RunOutcome, RunStarted,
};
use crate::vocab::repository::PathDigest;
use crate::vocab::verdict::Speaker;

/// The move `apply`.
pub(super) fn apply(state: &mut State, context: &mut Context<'_>, fact: &Fact) -> Result<()> {
    match fact {
        Fact::UserCommanded(fact) => commands::commanded(state, context, &fact.command)?,
        Fact::RunStarted(fact) => run_started(state, context, fact)?,
        Fact::RunProgressed(fact) if fact.sessions().next().is_none() => {}
        Fact::RunProgressed(fact) => {
            let run = state.core.run.as_mut().filter(|run| run.by.run == fact.effect);
            name_sessions(run.map(|run| &mut run.by), fact);
        }
        Fact::RunEnded(fact) => run_ended(state, context, fact)?,
        Fact::CommandExited(fact) => command_exited(state, fact),
        Fact::RepositoryObserved(fact) => observe::observed(state, context, &fact.repository),
        Fact::QuestionAnswered(fact) => answers::answered(state, context, &fact.answer)?,
        Fact::EffectPerformed(fact) => effect_performed(state, context, fact)?,
        Fact::EffectFailed(fact) => effect_failed(state, context, fact)?,
        Fact::HostRecovered(_) => host_recovered(state, context),
        Fact::DocumentsObserved(_) | Fact::Consulted(_) | Fact::TimerFired(_) => {
            return Err(foreign("completion", fact.name()));
        }
    }
    Ok(())
}

fn run_started(state: &mut State, context: &Context<'_>, fact: &RunStarted) -> Result<()> {
    let (role, spawn) = spawned(context, Role::of)?;
    let core = &mut state.core;
    core.run = Some(Run {
        role,
        by: Speaker::new(fact.effect, fact.session.clone()),
        item: spawn.item.clone(),
        corrects: spawn.corrects,
        before: Before::of(core.seen.as_ref()),
        tampered: Vec::new(),
    });
    *core.visits.entry(role).or_default() += 1;
    let chosen = core.active.as_mut().filter(|one| one.status == ActiveStatus::Selected);
    if let (Role::Implementer, Some(active)) = (role, chosen) {
        active.status = ActiveStatus::InProgress;
        let id = active.slice_id.clone();
        state.slices.change(&id, |slice| slice.status = SliceStatus::InProgress);
    }
    Ok(())
}

fn run_ended(state: &mut State, context: &Context<'_>, fact: &RunEnded) -> Result<()> {
    let (role, _) = spawned(context, Role::of)?;
    let run = state.core.run.take_if(|run| run.by.run == fact.effect).ok_or_else(|| {
        let got = format!("run {}", fact.effect);
        Error::new(Code::BrokenTopology, "core.run", "the run that ended", got)
    })?;
    stale_observation(state);
    let report = match (fact.outcome, &fact.report) {
        (RunOutcome::Success, Some(text)) => {
            report::read(role, &state.core.settings.mission, text).map(|read| read.report)
        }
        (RunOutcome::Success, None) => {
            Err(Error::new(Code::RunSilent, "report", "a report", "none"))
        }
        (
            RunOutcome::Partial | RunOutcome::Checkpoint | RunOutcome::Failed | RunOutcome::Lost,
            _,
        ) => {
            state.core.counts.failed_runs += 1;
            let problem = fact.problem.clone().unwrap_or_else(|| failure(fact));
            state.core.ended = Some(Ended { run, report: None });
            fail_step(state, problem);
            return Ok(());
        }
    };
    match report {
        Ok(report) => {
            let anchor = &state.core.settings.mission;
            let note = fact.report.as_deref().and_then(|text| unheaded(anchor, text));
            state.core.last_problem = note.or(state.core.last_problem.take());
            state.core.ended = Some(Ended { run, report: Some(Box::new(report)) });
        }
        Err(fault) => {
            state.core.ended = Some(Ended { run: run.clone(), report: None });
            unreadable(state, &run, &fault);
        }
    }
    Ok(())
}

/// An unreadable report is answered once to the same run with its fault; twice bad is a failed run.
/// Another mission's anchor is drift and gets no second chance.
fn unreadable(state: &mut State, run: &Run, fault: &Error) {
    state.core.counts.refused_reports += 1;
    let again = run.corrects.is_none() && fault.code != Code::AnchorMismatch;
    if again {
        state.core.correction =
            Some(Correction { of: run.by.run, role: run.role, fault: fault.diagnostic() });
        state.core.last_problem = Some(fault.diagnostic());
    } else {
        fail_step(state, fault.diagnostic());
    }
}

/// Counts one more failure of the present step; at the limit the user is asked.
pub(super) fn fail_step(state: &mut State, problem: Diagnostic) {
    let core = &mut state.core;
    core.attempts += 1;
    core.correction = None;
    core.last_problem = Some(problem.clone());
    if core.attempts >= core.settings.attempts_per_step && core.asking.is_none() {
        let role = core.ended.as_ref().map(|ended| ended.run.role);
        let role = role.or(core.run.as_ref().map(|run| run.role));
        let role = role.map_or("The present step".to_owned(), |role| role.name().to_owned());
        core.asking = Some(Topic::StepStuck { role, problem });
    }
}

/// From here on the tree may have changed.
pub(super) fn stale_observation(state: &mut State) {
    repository::stale(&mut state.core.seen);
}

/// The stop verifier's exit status is an observation like any other; no status shows nothing.
fn command_exited(state: &mut State, fact: &CommandExited) {
    stale_observation(state);
    let head = state.core.seen.as_ref().and_then(|seen| seen.head.clone());
    match fact.status {
        Some(0) => {
            state.core.wave.verified_at = head;
            state.core.attempts = 0;
        }
        Some(status) => {
            let code = Code::CommandFailed;
            let problem = Error::new(code, "stop verifier", "exit status 0", status.to_string());
            state.core.last_problem = Some(problem.diagnostic());
            let tail = crate::vocab::error::clip(&fact.output, 2_000);
            accept::distrust(
                state,
                super::state::RegroundReason::VerifierFailed,
                vec![format!("exit status {status}"), tail],
            );
        }
        None => {
            let code = Code::RunLost;
            let lost = Error::new(code, "stop verifier", "an exit status", "none").diagnostic();
            fail_step(state, fact.problem.clone().unwrap_or(lost));
        }
    }
}

fn effect_performed(
    state: &mut State,
    context: &Context<'_>,
    fact: &EffectPerformed,
) -> Result<()> {
    match (subject(context)?, &fact.outcome) {
        (Order::CommitFiles(order), Outcome::Commit { head, files }) => {
            committed(state, order, head, files);
            Ok(())
        }
        (Order::StopRole(_), Outcome::Nothing) => Ok(()),
        (order, outcome) => state.core.files.performed(order, outcome),
    }
}

/// The contract files are there, as they are in this commit.
fn committed(state: &mut State, order: &CommitFiles, head: &str, files: &[PathDigest]) {
    // Work that has not begun begins behind the engine's own commit.
    let basis = order.expected_head.as_deref().unwrap_or("none");
    let unclaimed = state.core.active.as_mut().filter(|active| active.claim.is_none());
    if let Some(active) = unclaimed.filter(|active| active.basis_commit == basis) {
        active.basis_commit = head.to_owned();
    }
    let core = &mut *state.core;
    let contract = &mut core.contract;
    for PathDigest { path, digest } in files {
        match path.as_str() {
            canonical::GITIGNORE => {
                contract.gitignore = canonical::gitignore::merge_gitignore(&contract.gitignore);
            }
            canonical::STOP_SCRIPT => contract.stop_script = Some(digest.clone()),
            _ => {}
        }
        core.files.at(path).digest = Some(digest.clone());
    }
    contract.needs.clear();
    contract.known = false;
    contract.commits.push(head.to_owned());
    stale_observation(state);
}

fn effect_failed(state: &mut State, context: &mut Context<'_>, fact: &EffectFailed) -> Result<()> {
    let problem = fact.problem.clone();
    let order = subject(context)?;
    if let Some(path) = met_foreign(order, &problem)
        && looks_again(state)
    {
        if let (Order::WriteFile(_), Some(run)) = (order, state.core.run.as_mut()) {
            run.tampered.push(path.to_owned());
        }
        state.core.files.doubt(path);
        state.core.last_problem = Some(problem);
        stale_observation(state);
        return Ok(());
    }
    let what = match order {
        Order::SpawnRole(spawn) => {
            state.core.counts.failed_runs += 1;
            state.core.ended = None;
            fail_step(state, problem.clone());
            if let Some(Topic::StepStuck { role, .. }) = state.core.asking.as_mut() {
                *role = spawn.role.clone();
            }
            return Ok(());
        }
        Order::StopRole(_) | Order::Notify(_) => return Ok(()),
        Order::AskUser(_) | Order::SetTimer(_) | Order::Consult(_) => {
            return Err(Error::new(Code::BrokenOutbox, "outbox", "a host effect", "none"));
        }
        Order::WriteFile(_)
        | Order::AppendHistory(_)
        | Order::CommitFiles(_)
        | Order::Observe(_)
        | Order::RunCommand(_) => undone(order)?,
    };
    state.core.last_problem = Some(problem.clone());
    // What the user was asked, or was to be asked, comes after this. An open question is taken back,
    // for its answer would be taken for the answer to this one.
    let then = match state.core.asking.take() {
        Some(Topic::EffectFailed { then, .. }) => then,
        other => other.map(Box::new),
    };
    context.head.withdraw(|order| matches!(order, Order::AskUser(_)));
    state.core.asking = Some(Topic::EffectFailed { what, problem, then });
    Ok(())
}

/// Whether foreign content is worth another look. A write that meets it again and again although every
/// look finds nothing would never end; then the user is asked.
fn looks_again(state: &State) -> bool {
    state.core.files.foreign_in_a_row < state.core.settings.attempts_per_step
}

/// Whatever the host recovered from, the tree may have changed unseen: look again. At that look the
/// canonical files are compared with what they should be. A role that was ordered but
/// never started is withdrawn and decided anew after the look.
fn host_recovered(state: &mut State, context: &mut Context<'_>) {
    context.head.withdraw(|order| matches!(order, Order::SpawnRole(_)));
    stale_observation(state);
}
