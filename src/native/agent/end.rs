//! What a run came to: its report, its usage, and the reason where there is none.

use super::aside::report;
use crate::native::error::problem;
use crate::native::process::End;
use crate::native::redact::printable;
use crate::vocab::error::Code;
use crate::vocab::event::{EffectId, RunEnded, RunOutcome};
use crate::vocab::role::Limits;

/// The variables of a run that corrects one with this output: its session, if it named one, and what
/// it used.
pub fn corrected(stdout: &[u8]) -> Vec<(String, String)> {
    let said = report(stdout).1;
    let of =
        |name: &str, value: String| (format!("ENDSTATE_CORRECTS_{name}"), value.replace('\0', ""));
    let Some(session) = said.session else { return Vec::new() };
    vec![
        of("SESSION", session),
        of("TOKENS", said.tokens.unwrap_or(0).to_string()),
        of("COST_MICROS", said.cost_micros.unwrap_or(0).to_string()),
    ]
}

/// What a run's end means. `stdout` and `stderr` are what it said, whole.
pub fn ended(
    run: EffectId,
    end: End,
    stdout: &[u8],
    stderr: &[u8],
    duration_ms: u64,
    limits: &Limits,
) -> RunEnded {
    let (text, mut said) = report(stdout);
    // A result line may stand on either stream.
    said.take(report(stderr).1);
    let silent = text.trim().is_empty();
    let last_words = || {
        let words = String::from_utf8_lossy(&stderr[stderr.len().saturating_sub(4_000)..]);
        let words = printable(words.trim());
        let from = words.char_indices().rev().nth(1_500).map_or(0, |(at, _)| at);
        match words[from..].is_empty() {
            true => String::new(),
            false => format!("; {}", &words[from..]),
        }
    };
    let fault = |outcome, code, expected: &str, got: String| {
        (outcome, Some(problem(code, format!("run {run}"), expected, &got)))
    };
    let (outcome, problem) = match end {
        End::Exited(0) if silent => fault(
            RunOutcome::Failed,
            Code::RunSilent,
            "a report",
            format!("nothing{}", last_words()),
        ),
        End::Exited(0) => (said.outcome.unwrap_or(RunOutcome::Success), None),
        End::Exited(status) => {
            let got = format!("status {status}{}", last_words());
            let exhausted =
                said.turns_exhausted == Some(true) || said.context_exhausted == Some(true);
            let code = if exhausted { Code::RunExhausted } else { Code::RunFailed };
            fault(RunOutcome::Failed, code, "exit status 0", got)
        }
        End::Signalled(signal) => {
            let got = format!("ended by signal {signal}{}", last_words());
            fault(RunOutcome::Lost, Code::RunLost, "to end by itself", got)
        }
        End::Stopped => {
            fault(RunOutcome::Lost, Code::RunLost, "to end by itself", "stopped".to_owned())
        }
        End::TimedOut => {
            let (expected, got) = (format!("at most {} ms", limits.timeout_ms), "more".to_owned());
            fault(RunOutcome::Lost, Code::RunTimedOut, &expected, got)
        }
        End::Flooded => {
            let expected = format!("at most {} bytes of output", limits.output_bytes);
            fault(RunOutcome::Lost, Code::RunFlooded, &expected, "more".to_owned())
        }
    };
    // A run that was ended half-way has left no report, whatever it has said.
    let kept = !silent && matches!(end, End::Exited(_));
    let report = kept.then_some(text);
    RunEnded { effect: run, outcome, report, problem, usage: said.usage(duration_ms) }
}
