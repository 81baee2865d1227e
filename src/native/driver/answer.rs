//! The facts that answer effects, and host code that is asked for one.

use super::super::error::{HostResult, problem};
use super::super::git::Git;
use super::super::process::Stop;
use super::super::runs::{self};
use super::super::store::Places;
use super::options::Handler;
use crate::vocab::effect::Consult;
use crate::vocab::error::{Code, Diagnostic};
use crate::vocab::event::{
    CommandExited, Consulted, EffectFailed, EffectId, EffectPerformed, Fact, Outcome,
};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread::{self};
use std::time::{Duration, Instant};

pub(super) fn performed(id: EffectId, outcome: Outcome) -> Fact {
    Fact::EffectPerformed(EffectPerformed { effect: id, outcome })
}

pub(super) fn failed(id: EffectId, problem: Diagnostic) -> Fact {
    Fact::EffectFailed(EffectFailed { effect: id, problem })
}

/// A bug of ours in a thread must be told, or the mission would wait for ever.
pub(super) fn panicked(id: EffectId) -> Fact {
    failed(id, problem(Code::HostFailed, format!("effect {id}"), "to perform it", "a panic"))
}

pub(super) fn outcome(id: EffectId, result: Result<Outcome, Diagnostic>) -> Fact {
    match result {
        Ok(outcome) => performed(id, outcome),
        Err(problem) => failed(id, problem),
    }
}

pub(super) fn unknown_exit(id: EffectId, problem: Diagnostic) -> Fact {
    Fact::CommandExited(CommandExited::unknown(id, problem))
}

/// What is checked out where another commit is expected; nothing if it is that one.
///
/// # Errors
/// As [`Git::head`].
pub(super) fn other_head(places: &Places, expected: &str) -> HostResult<Option<String>> {
    let head = Git::of(&places.root).head()?.unwrap_or_else(|| "no commit".to_owned());
    Ok((head != expected).then_some(head))
}

/// Refuses a command that must run at another head than the repository has.
pub(super) fn elsewhere(places: &Places, id: EffectId, expected: Option<&str>) -> Option<Fact> {
    let expected = expected?;
    match other_head(places, expected) {
        Ok(got) => {
            got.map(|got| unknown_exit(id, problem(Code::WrongCommit, "HEAD", expected, &got)))
        }
        Err(error) => Some(runs::failed(id, &error)),
    }
}

/// Asks host code, for at most `timeout`.
pub(super) fn consult(
    id: EffectId,
    order: &Consult,
    handler: Option<Handler>,
    timeout: Duration,
    stop: &Stop,
) -> Fact {
    let none = |code, expected: &str, got: &str| {
        let problem = Some(problem(code, order.handler.as_str(), expected, got));
        Fact::Consulted(Consulted { effect: id, answer: None, problem })
    };
    let Some(handler) = handler else {
        return none(Code::HostFailed, "host code of this name", "none");
    };
    let (send, answer) = mpsc::channel();
    let input = order.input.clone();
    // Not waited for: host code that never answers must not keep the mission.
    thread::spawn(move || send.send(handler(&input)));
    let began = Instant::now();
    loop {
        match answer.recv_timeout(Duration::from_millis(50).min(timeout)) {
            Ok(Ok(text)) => {
                return Fact::Consulted(Consulted {
                    effect: id,
                    answer: Some(text),
                    problem: None,
                });
            }
            Ok(Err(why)) => return none(Code::HostFailed, "an answer", &why),
            Err(RecvTimeoutError::Disconnected) => {
                return none(Code::HostFailed, "an answer", "the host code panicked");
            }
            Err(RecvTimeoutError::Timeout) if began.elapsed() >= timeout => {
                let expected = format!("an answer within {} ms", timeout.as_millis());
                return none(Code::RunTimedOut, &expected, "none");
            }
            Err(RecvTimeoutError::Timeout) if stop.asked() => {
                return none(Code::RunLost, "an answer", "stopped");
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
    }
}
