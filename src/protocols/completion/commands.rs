//! The meaning of the user's commands here, in addition to their meaning everywhere.

use super::apply::stale_observation;
use super::plan;
use super::state::{State, Topic};
use crate::mission::Context;
use crate::mission::admission::{reasoned, skippable, still_open};
use crate::vocab::command::Command;
use crate::vocab::effect::Order;
use crate::vocab::error::{Code, Error, Result, ensure};

/// Takes a command. Control and grants have been taken by the engine already.
pub(super) fn commanded(
    state: &mut State,
    context: &mut Context<'_>,
    command: &Command,
) -> Result<()> {
    let over = state.core.done.is_some();
    match command {
        Command::Start => {
            // Whatever was seen before may be old: a start begins with a look.
            stale_observation(state);
            still_open(over)
        }
        Command::Pause | Command::Stop { .. } | Command::Kill => still_open(over),
        Command::Resume => {
            still_open(over)?;
            state.core.blocked = None;
            state.core.attempts = 0;
            stale_observation(state);
            Ok(())
        }
        Command::Skip { item, reason } | Command::Defer { item, reason } => {
            still_open(over)?;
            workable(state, context, item)?;
            reasoned(reason)?;
            replan(state, context);
            match command {
                Command::Skip { .. } => plan::skip(state, item, "user", reason),
                _ => plan::defer(state, item, reason),
            }
            Ok(())
        }
        Command::Reopen { item, reason } => {
            replan(state, context);
            stale_observation(state);
            plan::reopen(state, context.head, item, reason, None)
        }
        Command::Amend { changes } => {
            still_open(over)?;
            replan(state, context);
            plan::amend(state, changes)?;
            Ok(())
        }
        Command::Grant { counter, .. } => {
            let topic = Topic::Budget { counter: *counter };
            if state.core.asking.as_ref() == Some(&topic) {
                state.core.asking = None;
            }
            Ok(())
        }
        Command::SkipVerification { reason } => {
            still_open(over)?;
            skippable(state.core.skip_verification.as_ref(), reason)?;
            replan(state, context);
            state.core.skip_verification = Some(reason.clone());
            Ok(())
        }
    }
}

/// An open slice that no run is working on.
fn workable(state: &State, context: &Context<'_>, item: &str) -> Result<()> {
    plan::open_slice(state, item)?;
    let live = context.head.live_items().any(|on| on == Some(item));
    let unjudged = state
        .core
        .ended
        .as_ref()
        .is_some_and(|ended| ended.report.is_some() && ended.run.item.as_deref() == Some(item));
    ensure(!live && !unjudged, || {
        Error::new(Code::ItemActive, "item", "a slice without a live run", item)
    })
}

/// What is not started is decided anew; what is alive goes on and is judged by the new state.
fn replan(state: &mut State, context: &mut Context<'_>) {
    if matches!(state.core.asking, Some(Topic::StepStuck { .. })) {
        state.core.asking = None;
        state.core.attempts = 0;
    }
    context.head.withdraw(|order| match order {
        Order::SpawnRole(_) => true,
        Order::AskUser(question) => {
            question.topic == "step_stuck" || question.topic.starts_with("budget:")
        }
        _ => false,
    });
    // Whether only deferred work is left is looked at anew.
    if state.core.asking == Some(Topic::EndWithDeferred) {
        state.core.asking = None;
        let topic = "end_with_deferred";
        context.head.withdraw(|order| matches!(order, Order::AskUser(one) if one.topic == topic));
    }
    state.core.grounding.plan_revision += 1;
}
