//! Asks an agent once, outside of any mission: the prompt on its standard input, the report from its
//! standard output. Its answers are checked by whoever asked.

use super::agent::{Agent, ended};
use super::capture::capture_until;
use super::error::{HostError, HostResult};
use super::process::End;
use super::program::find_program;
use crate::vocab::effect::SpawnRole;
use crate::vocab::error::{Code, Error};
use crate::vocab::event::{EffectId, RunOutcome};
use crate::vocab::json;
use std::io::ErrorKind;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// The report of a role that works in `folder`; a program is looked for from `root`.
///
/// # Errors
/// `run_timed_out` at the time limit of the order, `run_lost` if `stop` says so before its end, `run_failed` if it ends
/// without success, `run_silent`, `run_flooded`, or what the system says.
pub fn consult(
    agent: &Agent,
    spawn: &SpawnRole,
    root: &Path,
    folder: &Path,
    stop: &dyn Fn() -> bool,
) -> HostResult<String> {
    let prompt =
        tempfile::NamedTempFile::new().map_err(|error| HostError::io("write", root, error))?;
    std::fs::write(prompt.path(), &spawn.prompt)
        .map_err(|error| HostError::io("write", prompt.path(), error))?;
    let argv = agent.argv(prompt.path());
    let Some((program, arguments)) = argv.split_first() else {
        return Err(HostError::Usage {
            at: "agent".to_owned(),
            expected: "a command".to_owned(),
            got: String::new(),
        });
    };
    let mut command = Command::new(find_program(program, root)?);
    command.args(arguments).current_dir(folder);
    command
        .env("ENDSTATE_ROLE", &spawn.role)
        .env("ENDSTATE_VISIT", "1")
        .env("ENDSTATE_ROOT", folder);
    let timeout = Duration::from_millis(spawn.limits.timeout_ms);
    let refused = |code, expected: &str, got: String| {
        HostError::Core(Error::new(code, spawn.role.clone(), expected, got))
    };
    let failed = |error| match error {
        HostError::Io { source, .. } if source.kind() == ErrorKind::TimedOut => {
            refused(Code::RunTimedOut, &format!("at most {} s", timeout.as_secs()), "more".into())
        }
        HostError::Io { source, .. } if source.kind() == ErrorKind::Interrupted => {
            refused(Code::RunLost, "to end by itself", "stopped".into())
        }
        other => other,
    };
    let said = capture_until(command, spawn.prompt.as_bytes(), timeout, stop).map_err(failed)?;
    if said.stdout.len() as u64 > spawn.limits.output_bytes {
        let got = format!("{} bytes", said.stdout.len());
        return Err(refused(Code::RunFlooded, "less output", got));
    }
    // As in a mission: lines for the host are no part of the report, and what it says of its end counts.
    let end = said.status.map_or(End::Stopped, End::Exited);
    let run = EffectId { seq: 0, n: 0 };
    let ended = ended(run, end, &said.stdout, said.stderr.as_bytes(), 0, &spawn.limits);
    match (ended.outcome, ended.report, ended.problem) {
        (RunOutcome::Success, Some(report), None) => Ok(report),
        (_, _, Some(one)) => Err(refused(one.code, &one.expected, one.got)),
        (outcome, ..) => Err(refused(Code::RunFailed, "a finished run", json::encode(&outcome))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::judge::spawn as order;
    use crate::vocab::role::Tier;
    use std::cell::Cell;

    /// An agent that never ends, and what it started, are gone at the limit and when the user has enough.
    #[test]
    fn a_hanging_agent_is_ended_whole() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("left");
        let script = root.path().join("hang.sh");
        let text = format!("sleep 61 & echo $! > {}; wait", path.display());
        std::fs::write(&script, text).unwrap();
        let program = Path::new("endstate");
        let agent = Agent::parse(&format!("exec:sh {}", script.display()), program).unwrap();
        let mut spawn = order(&[], "", Tier::Small);
        let gone = || {
            let left: i32 = std::fs::read_to_string(&path).unwrap().trim().parse().unwrap();
            let there = || {
                rustix::process::test_kill_process(rustix::process::Pid::from_raw(left).unwrap())
            };
            // A process without a parent is gone when whoever inherits it has looked.
            (0..200).any(|_| {
                std::thread::sleep(Duration::from_millis(10));
                there().is_err()
            })
        };
        spawn.limits.timeout_ms = 500;
        let error = consult(&agent, &spawn, root.path(), root.path(), &|| false).unwrap_err();
        assert_eq!((error.code(), gone()), ("run_timed_out", true));
        spawn.limits.timeout_ms = 60_000;
        let looks = Cell::new(0);
        let enough = || {
            looks.set(looks.get() + 1);
            looks.get() > 50
        };
        let error = consult(&agent, &spawn, root.path(), root.path(), &enough).unwrap_err();
        assert_eq!((error.code(), gone()), ("run_lost", true));
    }
}
