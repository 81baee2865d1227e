//! What a fact does to the envelope, whatever the protocol: before the protocol hears of it.

use super::{Control, Head, Intent};
use crate::vocab::budget::Counter;
use crate::vocab::command::{Command, StopMode};
use crate::vocab::effect::{Delivery, Order, StopRole};
use crate::vocab::error::{Code, Error, Result};
use crate::vocab::event::{EffectId, Fact, RunEnded, RunProgressed, RunStarted, SESSION};
use crate::vocab::json;
use std::sync::Arc;

/// Control, grants, deliveries and reported use; `blocked` says that nothing can go on. Answers with the stops it wants.
///
/// # Errors
/// Those of a command that makes no sense now.
pub(crate) fn apply(head: &mut Head, fact: &Fact, blocked: bool) -> Result<Vec<Intent>> {
    match fact {
        Fact::UserCommanded(fact) => {
            head.take_command(fact.id.as_deref())?;
            return command(head, &fact.command, blocked);
        }
        Fact::RunStarted(RunStarted { effect, session, confined }) => {
            let at = head.at;
            head.confined &= confined;
            deliver(head, *effect, |delivery| {
                *delivery = Delivery::Started {
                    at,
                    session: session.clone(),
                    heard_at: at,
                    last_line: None,
                };
            });
        }
        Fact::RunProgressed(RunProgressed { effect, entries }) => {
            let at = head.at;
            deliver(head, *effect, |delivery| {
                if let Delivery::Started { heard_at, last_line, .. } = delivery {
                    *heard_at = at;
                    let last = entries.iter().rev().find(|entry| entry.kind != SESSION);
                    *last_line = last.map(|entry| entry.text.clone()).or(last_line.take());
                }
            });
        }
        Fact::RunEnded(RunEnded { usage, .. }) => {
            head.budget.charge(Counter::Tokens, usage.tokens);
            head.budget.charge(Counter::CostMicros, usage.cost_micros);
        }
        _ => {}
    }
    Ok(Vec::new())
}

fn deliver(head: &mut Head, id: EffectId, change: impl FnOnce(&mut Delivery)) {
    if let Some(outstanding) = head.outbox.iter_mut().find(|one| one.effect.id == id) {
        change(&mut Arc::make_mut(outstanding).delivery);
    }
}

/// The commands that mean the same in every protocol.
fn command(head: &mut Head, command: &Command, blocked: bool) -> Result<Vec<Intent>> {
    let pause = |head: &mut Head, control| {
        head.control = control;
        head.withdraw(|order| matches!(order, Order::SpawnRole(_)));
    };
    match command {
        Command::Start => match head.control {
            Control::Held => head.control = Control::Running,
            Control::Running | Control::Paused | Control::Stopped => {
                return Err(Error::new(Code::AlreadyStarted, "command", "a held mission", "start"));
            }
        },
        Command::Pause => match head.control {
            Control::Running => pause(head, Control::Paused),
            Control::Held | Control::Paused | Control::Stopped => {
                let got = json::encode(&head.control);
                return Err(Error::new(Code::AlreadyPaused, "command", "a running mission", got));
            }
        },
        Command::Stop { mode: StopMode::Drain } => pause(head, Control::Stopped),
        Command::Stop { mode: StopMode::Wait } => {
            pause(head, Control::Stopped);
            return Ok(stops(head, false));
        }
        Command::Stop { mode: StopMode::Kill } | Command::Kill => {
            pause(head, Control::Stopped);
            return Ok(stops(head, true));
        }
        Command::Resume => match head.control {
            Control::Paused | Control::Stopped => head.control = Control::Running,
            Control::Running | Control::Held if blocked => {}
            Control::Running => {
                let got = "a mission that goes on";
                return Err(Error::new(Code::NotPaused, "command", "a paused or blocked one", got));
            }
            Control::Held => {
                return Err(Error::new(Code::NotStarted, "command", "a started mission", "resume"));
            }
        },
        Command::Grant { counter, amount } => {
            head.budget.grant(*counter, *amount)?;
            let topic = format!("budget:{}", counter.as_str());
            head.withdraw(|order| matches!(order, Order::AskUser(asked) if asked.topic == topic));
        }
        Command::Skip { .. }
        | Command::Defer { .. }
        | Command::Reopen { .. }
        | Command::Amend { .. }
        | Command::Accept { .. }
        | Command::SkipVerification { .. } => {}
    }
    Ok(Vec::new())
}

/// One stop for each live run that has none yet.
fn stops(head: &Head, kill: bool) -> Vec<Intent> {
    let stopping = |run: EffectId| {
        head.awaits(
            |order| matches!(order, Order::StopRole(stop) if stop.run == run && stop.kill == kill),
        )
    };
    let runs = head.live_runs().map(|outstanding| outstanding.effect.id);
    runs.filter(|run| !stopping(*run))
        .map(|run| Order::StopRole(StopRole { run, kill }).into())
        .collect()
}
