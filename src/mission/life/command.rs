//! The user's commands that mean the same in every protocol. Control and grants have been taken by the engine already.

use super::Particular;
use crate::mission::Context;
use crate::mission::admission::{all_of, skippable, still_open};
use crate::vocab::command::Command;
use crate::vocab::error::Result;

pub(super) fn commanded(
    mission: &mut dyn Particular,
    context: &mut Context<'_>,
    command: &Command,
) -> Result<()> {
    mission.allows(command)?;
    let blocked = mission.life().blocked.is_some();
    match command {
        Command::Grant { .. } | Command::Reopen { .. } => {}
        Command::Resume if blocked => {}
        _ => still_open(mission.is_done())?,
    }
    match command {
        Command::Start => {
            mission.life_mut().stale();
            Ok(())
        }
        Command::Resume => {
            let life = mission.life_mut();
            (life.blocked, life.halted) = (None, false);
            life.steps.values_mut().for_each(|step| step.attempts = 0);
            life.stale();
            mission.commanded(context, command)
        }
        Command::Amend { changes } => {
            all_of(changes, |one| mission.change(context, one))?;
            mission.commanded(context, command)
        }
        Command::SkipVerification { reason } => {
            skippable(mission.life().skip_verification.as_ref(), reason)?;
            mission.life_mut().skip_verification = Some(reason.clone());
            mission.commanded(context, command)
        }
        Command::Grant { .. }
        | Command::Accept { .. }
        | Command::Pause
        | Command::Stop { .. }
        | Command::Kill
        | Command::Skip { .. }
        | Command::Defer { .. }
        | Command::Reopen { .. } => mission.commanded(context, command),
    }
}
