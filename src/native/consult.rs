//! Asks an agent once, outside of any mission: the prompt on its standard input, the report from its
//! standard output. Its answers are checked by whoever asked.

use super::agent::Agent;
use super::capture::capture_until;
use super::error::{HostError, HostResult};
use super::process::find_program;
use crate::vocab::effect::SpawnRole;
use crate::vocab::error::{Code, Error, clip};
use std::io::ErrorKind;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// The report of a role.
///
/// # Errors
/// `run_timed_out` at the time limit of the order, `run_lost` if `stop` says so before its end, `run_failed` if it ends
/// without success, `run_flooded`, `not_utf8`, or what the system says.
pub fn consult(
    agent: &Agent,
    spawn: &SpawnRole,
    root: &Path,
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
    command.args(arguments).current_dir(root);
    command.env("ENDSTATE_ROLE", &spawn.role).env("ENDSTATE_VISIT", "1").env("ENDSTATE_ROOT", root);
    let timeout = Duration::from_millis(spawn.limits.timeout_ms);
    let refused = |code, expected: &str, got: String| {
        HostError::Core(Error::new(code, spawn.role.clone(), expected, got))
    };
    let ended = |error| match error {
        HostError::Io { source, .. } if source.kind() == ErrorKind::TimedOut => {
            refused(Code::RunTimedOut, &format!("at most {} s", timeout.as_secs()), "more".into())
        }
        HostError::Io { source, .. } if source.kind() == ErrorKind::Interrupted => {
            refused(Code::RunLost, "to end by itself", "stopped".into())
        }
        other => other,
    };
    let said = capture_until(command, spawn.prompt.as_bytes(), timeout, stop).map_err(ended)?;
    if said.status != Some(0) {
        let got = format!("status {:?}: {}", said.status, clip(&said.stderr, 200));
        return Err(refused(Code::RunFailed, "status 0", got));
    }
    if said.stdout.len() as u64 > spawn.limits.output_bytes {
        return Err(refused(
            Code::RunFlooded,
            "less output",
            format!("{} bytes", said.stdout.len()),
        ));
    }
    String::from_utf8(said.stdout)
        .map_err(|_| refused(Code::NotUtf8, "UTF-8", "other bytes".to_owned()))
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
        let error = consult(&agent, &spawn, root.path(), &|| false).unwrap_err();
        assert_eq!((error.code(), gone()), ("run_timed_out", true));
        spawn.limits.timeout_ms = 60_000;
        let looks = Cell::new(0);
        let enough = || {
            looks.set(looks.get() + 1);
            looks.get() > 50
        };
        let error = consult(&agent, &spawn, root.path(), &enough).unwrap_err();
        assert_eq!((error.code(), gone()), ("run_lost", true));
    }
}
