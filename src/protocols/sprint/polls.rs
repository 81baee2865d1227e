//! Polls: runs without a sign of life, stops that wait for live runs, and timers that nobody needs any more.

use super::commands;
use super::orders::{POLL, STOP, WAIT, WATCH};
use super::state::{Core, Doom, State};
use crate::mission::prelude::*;

/// Polls in a row without a sign of life after which a run is spoken of.
const QUIET_POLLS: u32 = 5;
/// Polls in a row without a sign of life after which a run is ended.
const DEAD_POLLS: u32 = 10;
/// Polls in a row without an end of any run after which a stop ends them.
const STOP_POLLS: u32 = 10;

/// A run gave a sign of life. A second one before the next poll writes nothing.
pub(super) fn heard(state: &mut State, run: EffectId) {
    if state.core.watched.get(&run).is_some_and(|run| !run.heard)
        && let Some(run) = state.core.watched.get_mut(&run)
    {
        run.heard = true;
    }
}

/// Runs that give no sign of life are spoken of, and ended at last; under a stop by its own count, so that
/// no attempt is used.
pub(super) fn poll(state: &mut State, at: u64) {
    let mut told: Vec<(String, &str)> = Vec::new();
    let Core { life, watched, stopping, .. } = &mut *state.core;
    for run in &life.runs {
        let Some(seen) = watched.get_mut(&run.by.run).filter(|seen| seen.doom.is_none()) else {
            continue;
        };
        // No more than what decides: under a stop it would only grow.
        let polls = (seen.empty_polls + 1).min(DEAD_POLLS);
        seen.empty_polls = if std::mem::take(&mut seen.heard) { 0 } else { polls };
        if seen.empty_polls == QUIET_POLLS {
            told.push((run.item.clone(), "Agent may be unresponsive"));
        }
        if seen.empty_polls >= DEAD_POLLS && stopping.is_none() {
            seen.doom = Some(Doom::Unresponsive);
            told.push((run.item.clone(), "Agent terminated"));
        }
    }
    for (sprint, word) in told {
        let polls = if word == "Agent terminated" { DEAD_POLLS } else { QUIET_POLLS };
        state.log(at, &sprint, word, format!("{polls} empty polls"));
    }
}

/// A stop sees that a run or a command ended.
pub(super) fn stop_moves(state: &mut State) {
    if let Some(stopping) = state.core.stopping.as_mut() {
        stopping.moved = true;
    }
}

/// A stop waits for what runs, but not for ever.
pub(super) fn stop_poll(state: &mut State, head: &mut Head) {
    let Some(stopping) = state.core.stopping.as_mut() else { return };
    stopping.polls = if std::mem::take(&mut stopping.moved) { 0 } else { stopping.polls + 1 };
    if stopping.polls < STOP_POLLS {
        return;
    }
    stopping.forced = true;
    let at = head.at;
    commands::kill_runs(state, at, "force-terminated during graceful shutdown");
    commands::end_commands(state, head);
}

/// Nobody is to be looked after any more.
pub(super) fn drop_idle_timers(state: &State, head: &mut Head) {
    let command = head.awaits(|order| matches!(order, Order::RunCommand(_)));
    let (rest, stops) = (state.core.life.runs.is_empty(), state.core.stopping.is_some());
    let idle = |name: &str| match name {
        POLL | WATCH => rest,
        STOP => rest && !(command && stops),
        name => name
            .strip_prefix(WAIT)
            .is_some_and(|id| state.sprints.get(id).is_none_or(|sprint| sprint.waiting.is_none())),
    };
    head.withdraw(|order| matches!(order, Order::SetTimer(timer) if idle(&timer.name)));
}
