//! The result of a run that ended: a report, no report, or a failure.

use super::report;
use super::role::Role;
use super::state::{Doom, Left, Run, State};
use crate::mission::report::unheaded;
use crate::vocab::error::{Code, Error, Result};
use crate::vocab::event::{RunEnded, RunOutcome};

/// What a run left. Turns or context used up are no failure by themselves: the cascade decides.
pub(super) fn left(
    state: &mut State,
    role: Role,
    sprint: &str,
    run: &Run,
    fact: &RunEnded,
) -> Left {
    let said = |code, got: &str| {
        let made = Error::new(code, fact.effect.to_string(), "a finished run", got).diagnostic();
        fact.problem.clone().unwrap_or(made)
    };
    match run.doom {
        Some(Doom::Unresponsive) => {
            return Left::Failure(said(Code::RunTimedOut, "no sign of life"));
        }
        Some(Doom::NoProgress) => return Left::Failure(said(Code::RunTimedOut, "no progress")),
        Some(Doom::Killed) => return Left::Failure(said(Code::RunLost, "ended by command")),
        None => {}
    }
    let exhausted = fact.usage.turns_exhausted || fact.usage.context_exhausted;
    match (fact.outcome, &fact.report) {
        (RunOutcome::Success, Some(text)) => match read(state, role, sprint, text) {
            Ok(left) => left,
            // A run without turns left cannot correct its report: the work that is there counts.
            Err(fault) if exhausted && fault.code != Code::AnchorMismatch => {
                state.core.counts.refused_reports += 1;
                Left::Unsaid(said(Code::RunExhausted, "turns or context used up"))
            }
            Err(fault) => unfit(state, run, &fault),
        },
        _ if exhausted => Left::Unsaid(said(Code::RunExhausted, "turns or context used up")),
        (RunOutcome::Partial | RunOutcome::Checkpoint, _) => {
            Left::Unsaid(said(Code::RunExhausted, "it stopped on the way"))
        }
        // Who says nothing completes nothing, whatever it left; the next run is told of its commits.
        (RunOutcome::Success, None) => Left::Failure(said(Code::RunSilent, "no report")),
        (RunOutcome::Lost, _) => {
            let problem = said(Code::RunLost, "no result");
            state.core.last_problem = Some(problem.clone());
            match problem.code {
                Code::RunLost => Left::Lost(problem),
                // Too long or too loud: it was there to the end, and nobody lost it.
                _ => Left::Unsaid(problem),
            }
        }
        (RunOutcome::Failed, _) => {
            state.core.last_problem = Some(said(Code::RunFailed, "no success"));
            Left::Failure(said(Code::RunFailed, "no success"))
        }
    }
}

/// The report of a run; a note where its header is missing.
fn read(state: &mut State, role: Role, sprint: &str, text: &str) -> Result<Left> {
    let anchor = &state.core.settings.mission;
    let left = match role {
        Role::Agent => Left::Agent(report::read_agent(anchor, Some(sprint), text)?.0),
        Role::Verifier => Left::Verifier(report::read_verifier(anchor, Some(sprint), text)?.0),
    };
    state.core.last_problem = unheaded(anchor, text).or(state.core.last_problem.take());
    Ok(left)
}

/// A report that cannot be read is answered once to the same run; a verifier's that is bad twice is a failed run, and
/// an agent's is weighed by what else is seen. Another mission's anchor is drift and gets no second chance.
fn unfit(state: &mut State, run: &Run, fault: &Error) -> Left {
    state.core.counts.refused_reports += 1;
    state.core.last_problem = Some(fault.diagnostic());
    let last = run.role == Role::Verifier && run.corrects.is_some() && state.mends(run);
    match last || fault.code == Code::AnchorMismatch {
        true => Left::Failure(fault.diagnostic()),
        false => Left::Unfit(fault.diagnostic()),
    }
}

impl State {
    /// Whether a run answers the fault of a report, rather than continuing earlier work.
    pub(super) fn mends(&self, run: &Run) -> bool {
        let correction = self.sprints.get(&run.sprint).and_then(|one| one.correction.as_ref());
        correction.is_some_and(|correction| Some(correction.of) == run.corrects)
    }
}
