//! Polls: runs without a sign of life, and stops that wait for live runs.

use super::commands;
use super::state::{Doom, State};
use crate::mission::Context;

/// Polls in a row without a sign of life after which a run is spoken of.
const QUIET_POLLS: u32 = 5;
/// Polls in a row without a sign of life after which a run is ended.
const DEAD_POLLS: u32 = 10;
/// Polls in a row without an end of any run after which a stop ends them.
const STOP_POLLS: u32 = 10;

/// Runs that give no sign of life are spoken of, and ended at last; under a stop by its own count, so that
/// no attempt is used.
pub(super) fn poll(state: &mut State, at: u64) {
    let stopping = state.core.stopping.is_some();
    let mut told: Vec<(String, &str)> = Vec::new();
    for run in state.core.runs.iter_mut().filter(|run| run.doom.is_none()) {
        // No more than what decides: under a stop it would only grow.
        let polls = (run.empty_polls + 1).min(DEAD_POLLS);
        run.empty_polls = if std::mem::take(&mut run.heard) { 0 } else { polls };
        if run.empty_polls == QUIET_POLLS {
            told.push((run.sprint.clone(), "Agent may be unresponsive"));
        }
        if run.empty_polls >= DEAD_POLLS && !stopping {
            run.doom = Some(Doom::Unresponsive);
            told.push((run.sprint.clone(), "Agent terminated"));
        }
    }
    for (sprint, word) in told {
        let polls = if word == "Agent terminated" { DEAD_POLLS } else { QUIET_POLLS };
        state.log(at, &sprint, word, format!("{polls} empty polls"));
    }
}

/// A stop waits for what runs, but not for ever.
pub(super) fn stop_poll(state: &mut State, context: &mut Context<'_>) {
    let Some(stopping) = state.core.stopping.as_mut() else { return };
    stopping.polls = if std::mem::take(&mut stopping.moved) { 0 } else { stopping.polls + 1 };
    if stopping.polls < STOP_POLLS {
        return;
    }
    stopping.forced = true;
    let at = context.head.at;
    commands::kill_runs(state, at, "force-terminated during graceful shutdown");
    commands::end_commands(state, context);
}
