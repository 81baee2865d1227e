//! Asks an agent once, outside of any mission: the prompt on its standard input, the report from its
//! standard output. Its answers are checked by whoever asked.

use super::agent::Agent;
use super::error::{HostError, HostResult};
use super::process::{capture, find_program};
use crate::vocab::effect::SpawnRole;
use crate::vocab::error::{Code, Error, clip};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// The report of a role.
///
/// # Errors
/// `run_failed` if it ends without success, `run_flooded`, `not_utf8`, or what the system says.
pub fn consult(agent: &Agent, spawn: &SpawnRole, root: &Path) -> HostResult<String> {
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
    let said = capture(command, spawn.prompt.as_bytes(), timeout)?;
    let refused = |code, expected: &str, got: String| {
        HostError::Core(Error::new(code, spawn.role.clone(), expected, got))
    };
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
