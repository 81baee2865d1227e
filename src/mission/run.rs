//! Runs: when a run ends, it is removed from the live runs, with its report, or the reason why it has none.

use crate::vocab::error::{Code, Diagnostic, Error, Result};
use crate::vocab::event::EffectId;
use crate::vocab::event::{RunEnded, RunOutcome, RunProgressed};
use crate::vocab::verdict::Speaker;

/// Enters the sessions that a run named after it began: none of these sessions judges what the run claims.
pub(crate) fn name_sessions(by: Option<&mut Speaker>, fact: &RunProgressed) {
    let Some(by) = by else { return };
    fact.sessions().for_each(|session| by.named(session));
}

/// The run that a fact says has ended, taken out of those that are alive.
///
/// # Errors
/// `broken_topology` if it is none of them: admission lets no such fact pass.
pub(crate) fn take<R>(
    runs: &mut Vec<R>,
    fact: &RunEnded,
    by: impl Fn(&R) -> EffectId,
) -> Result<R> {
    let place = runs.iter().position(|run| by(run) == fact.effect);
    let none = || {
        let got = format!("run {}", fact.effect);
        Error::new(Code::BrokenTopology, "core.runs", "the run that ended", got)
    };
    place.map(|place| runs.remove(place)).ok_or_else(none)
}

/// Why a run that did not succeed counts as failed, where the host named no problem of its own.
pub(crate) fn failure(fact: &RunEnded) -> Diagnostic {
    let exhausted = fact.usage.turns_exhausted || fact.usage.context_exhausted;
    let (code, got) = match (exhausted, fact.outcome) {
        (true, _) => (Code::RunExhausted, "turns or context used up"),
        (false, RunOutcome::Lost) => (Code::RunLost, "no result"),
        (false, RunOutcome::Success) => (Code::RunSilent, "a run that said nothing"),
        (false, _) => (Code::RunFailed, "no success"),
    };
    Error::new(code, fact.effect.to_string(), "a finished run", got).diagnostic()
}

/// A diagnosed problem as an error, for those who count failures.
pub(crate) fn as_error(problem: Diagnostic) -> Error {
    Error::new(problem.code, problem.at, problem.expected, problem.got)
}
