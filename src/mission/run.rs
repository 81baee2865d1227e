//! Why a run has no report.

use crate::vocab::error::{Code, Diagnostic, Error};
use crate::vocab::event::{RunEnded, RunOutcome};

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
