//! What the user's commands mean here. Control and grants have been taken by the engine already.
//!
//! There is one agent and no plan: the user can skip it (`skip`), and reopen it when it is done
//! (`reopen`); a phase of a project is reopened by its name. Nothing can be deferred or amended, and
//! the handler's answer cannot be skipped, since there is no other end.

use super::apply::STEP;
use super::handler::Handler;
use super::handler::project::Phase;
use super::state::{Done, State};
use crate::mission::admission::reasoned;
use crate::mission::life::Topic;
use crate::mission::prelude::*;
use crate::view::ClosedBy;
use crate::vocab::command::Command;

/// What has no use here.
///
/// # Errors
/// `invalid_change`, with what serves instead.
pub(super) fn allows(command: &Command) -> Result<()> {
    match command {
        Command::Defer { .. } => {
            Err(no_such_change("pause, for there is nothing else to do", "defer"))
        }
        Command::Amend { .. } => {
            Err(no_such_change("another definition in a new mission", "amend"))
        }
        Command::SkipVerification { .. } => {
            let expected = "skip, which ends without the handler's answer";
            Err(no_such_change(expected, "skip_verification"))
        }
        _ => Ok(()),
    }
}

/// Takes a command that means something of its own.
pub(super) fn commanded(state: &mut State, head: &mut Head, command: &Command) -> Result<()> {
    match command {
        Command::Resume => {
            state.core.unshown = 0;
            state.core.unseen = state.core.settings.follow_head;
        }
        Command::Skip { item, reason } => return skip(state, head, item, reason),
        Command::Reopen { item, reason } => return reopen(state, head, item, reason),
        _ => {}
    }
    Ok(())
}

fn no_such_change(expected: &str, got: &str) -> Error {
    Error::new(Code::InvalidChange, "command", expected, got)
}

fn named(state: &State, item: &str) -> Result<()> {
    let name = &state.core.settings.definition.name;
    ensure!(item == name, Code::UnknownItem, "item", name, item)
}

/// The agent is skipped: the criterion is waived, and everything under way for it is withdrawn.
fn skip(state: &mut State, head: &mut Head, item: &str, reason: &str) -> Result<()> {
    named(state, item)?;
    reasoned(reason)?;
    if !state.core.life.runs.is_empty() {
        return Err(Error::new(Code::ItemActive, "item", "an agent without a live run", item));
    }
    let core = &mut state.core;
    take_back(head);
    (core.judging, core.life.blocked) = (None, None);
    core.life.asking.clear();
    core.done = Some(Done {
        at: head.at,
        iteration: core.iteration,
        // Nothing was shown: the user's word replaces it.
        closed_by: ClosedBy::Claimed,
        description: format!("let go by the user: {reason}"),
        waived: vec![format!("{item}: {}", core.settings.handler.criteria().short)],
    });
    Ok(())
}

/// A mission that is done goes on, or a project goes back to a phase.
fn reopen(state: &mut State, head: &mut Head, item: &str, reason: &str) -> Result<()> {
    let core = &state.core;
    let project = matches!(core.settings.handler, Handler::Project(_));
    let phase = Phase::ALL.into_iter().find(|phase| project && phase.as_str() == item);
    reasoned(reason)?;
    if !core.life.runs.is_empty() || core.judging.is_some() {
        return Err(Error::new(Code::ItemActive, "item", "an agent without a live run", item));
    }
    match phase {
        Some(phase) if phase >= core.phase => {
            let expected = format!("a phase before {}", core.phase.as_str());
            return Err(Error::new(Code::ItemNotClosed, "item", expected, item));
        }
        Some(_) => {}
        None => {
            named(state, item)?;
            if core.done.is_none() {
                return Err(Error::new(Code::ItemNotClosed, "item", "an agent that is done", item));
            }
        }
    }
    take_back(head);
    let core = &mut state.core;
    core.done = None;
    // What was shown was shown of the work as it was.
    core.last = None;
    core.note = Some(reason.to_owned());
    if let Some(Topic::StepStuck { .. }) = core.life.asking.first() {
        core.life.asking.remove(0);
        core.life.step_done(STEP);
    }
    // A project that is complete would be so again at once: without a phase named, it goes one back.
    let complete = core.phase == Phase::Complete;
    if let Some(phase) = phase.or(complete.then_some(Phase::Review)) {
        core.phase = phase;
        core.summaries.iter_mut().for_each(|one| one.phase = None);
    }
    Ok(())
}

/// Takes back what was not begun: the next run, answers of the world, questions about them.
fn take_back(head: &mut Head) {
    use Order::{AskUser, Consult, RunCommand, SpawnRole};
    // An open question would be asked again, if it still must be.
    head.withdraw(|order| matches!(order, SpawnRole(_) | RunCommand(_) | Consult(_) | AskUser(_)));
}
