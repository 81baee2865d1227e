//! The meaning of the user's commands here, in addition to their meaning everywhere.

use super::apply::STEP;
use super::plan;
use super::state::State;
use crate::mission::admission::reasoned;
use crate::mission::life::Topic;
use crate::mission::prelude::*;
use crate::vocab::command::Command;

/// Takes a command that means something of its own here.
pub(super) fn commanded(state: &mut State, head: &mut Head, command: &Command) -> Result<()> {
    match command {
        Command::Skip { item, reason } => {
            workable(state, head, item, reason)?;
            plan::skip(state, item, "user", reason);
        }
        Command::Defer { item, reason } => {
            workable(state, head, item, reason)?;
            plan::defer(state, item, reason);
        }
        Command::Reopen { item, reason } => {
            state.core.life.stale();
            plan::reopen(state, head, item, reason, None)?;
        }
        Command::Amend { .. } => plan::check_dependencies(state)?,
        Command::SkipVerification { .. } | Command::Accept { .. } => {}
        Command::Start
        | Command::Pause
        | Command::Resume
        | Command::Stop { .. }
        | Command::Kill
        | Command::Grant { .. } => return Ok(()),
    }
    replan(state, head);
    Ok(())
}

/// An open slice that no run is working on, and a reason.
fn workable(state: &State, head: &Head, item: &str, reason: &str) -> Result<()> {
    plan::open_slice(state, item)?;
    let live = head.live_items().any(|on| on == Some(item));
    let mut ended = state.core.life.ended.iter().filter(|ended| ended.report.is_some());
    let unjudged = ended.any(|ended| ended.run.item == item);
    ensure(!live && !unjudged, || {
        Error::new(Code::ItemActive, "item", "a slice without a live run", item)
    })?;
    reasoned(reason)
}

/// What is not started is decided anew, and what failed or is left is looked at anew; what is alive goes on and is judged
/// by the new state.
fn replan(state: &mut State, head: &mut Head) {
    let life = &mut state.core.life;
    if life.asking.iter().any(|topic| matches!(topic, Topic::StepStuck { .. })) {
        life.step_done(STEP);
    }
    life.moot(head, |topic| matches!(topic, Topic::StepStuck { .. } | Topic::EndWithDeferred));
    head.withdraw(|order| matches!(order, Order::SpawnRole(_)));
    state.core.grounding.plan_revision += 1;
}
