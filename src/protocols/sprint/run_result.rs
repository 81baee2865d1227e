//! The result of an agent that ended: a report, no report, or a failure. A verifier reports, or it has failed.

use super::polls;
use super::state::{Doom, Left, State};
use crate::mission::life::{JudgedBy, failure};
use crate::mission::prelude::*;
use crate::vocab::event::{RunEnded, RunOutcome};

/// A run ended. What an agent did is looked at before it is asked for another report.
pub(super) fn heard(
    state: &mut State,
    run: &Run,
    fact: &RunEnded,
    fault: Option<&Error>,
) -> JudgedBy {
    polls::stop_moves(state);
    state.touch_state();
    if run.access == Access::ReadOnly {
        return JudgedBy::Report;
    }
    let core = &mut *state.core;
    let watched = core.watched.entry(run.by.run).or_default();
    watched.turns = fact.usage.turns;
    watched.left = match (watched.doom, fault) {
        (Some(doom), _) => Some(ended(doom, fact)),
        (None, fault) => fault.map(|fault| left(fact, fault)),
    };
    if let (None, Some(left)) = (watched.doom, &watched.left) {
        core.life.last_problem = Some(left.problem().clone());
        core.life.counts.refused_reports += u64::from(unread(fact));
    }
    JudgedBy::Tree
}

/// What it says cannot be read, if anything is wrong with it.
fn unread(fact: &RunEnded) -> bool {
    fact.outcome == RunOutcome::Success && fact.report.is_some()
}

/// It was told to end, whatever it said.
fn ended(doom: Doom, fact: &RunEnded) -> Left {
    let (code, got) = match doom {
        Doom::Unresponsive => (Code::RunTimedOut, "no sign of life"),
        Doom::NoProgress => (Code::RunTimedOut, "no progress"),
        Doom::Killed => (Code::RunLost, "ended by command"),
    };
    let made = Error::new(code, fact.effect.to_string(), "a finished run", got).diagnostic();
    Left::Failure(fact.problem.clone().unwrap_or(made))
}

/// Turns or context used up are no failure by themselves: the cascade decides.
fn left(fact: &RunEnded, fault: &Error) -> Left {
    // Another mission's anchor is drift and gets no second chance.
    let drifted = fault.code == Code::AnchorMismatch;
    let used_up = fact.usage.turns_exhausted || fact.usage.context_exhausted;
    let problem = || fact.problem.clone().unwrap_or_else(|| failure(fact));
    match fact.outcome {
        // A run without turns left cannot correct its report: the work that is there counts.
        _ if used_up && !drifted => Left::Unsaid(problem()),
        RunOutcome::Success if unread(fact) && !drifted => Left::Unfit(fault.diagnostic()),
        RunOutcome::Partial | RunOutcome::Checkpoint => {
            let (expected, got) = ("a finished run", "it stopped on the way");
            let made = Error::new(Code::RunExhausted, fact.effect.to_string(), expected, got);
            Left::Unsaid(fact.problem.clone().unwrap_or(made.diagnostic()))
        }
        RunOutcome::Lost if problem().code == Code::RunLost => Left::Lost(problem()),
        // Too long or too loud: it was there to the end, and nobody lost it.
        RunOutcome::Lost => Left::Unsaid(problem()),
        // Who says nothing completes nothing, whatever it left; the next run is told of its commits.
        RunOutcome::Success | RunOutcome::Failed => Left::Failure(fault.diagnostic()),
    }
}
