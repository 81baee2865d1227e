//! Host code of custom handlers: a program each, asked once an answer.

use crate::cli::Place;
use crate::cli::exit::Fault;
use endstate::native::capture::capture;
use endstate::native::driver::Handler;
use endstate::native::facilitator;
use std::collections::HashMap;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

/// How long a program of a custom handler may take for one answer.
const HANDLER_TIMEOUT: Duration = Duration::from_secs(50);

/// The host code that a line names.
pub(crate) fn handlers(
    place: &Place,
    handlers: &[(String, String)],
) -> Result<HashMap<String, Handler>, Fault> {
    let mut all = HashMap::new();
    for (name, command) in handlers {
        let handler = match command.as_str() {
            "builtin:facilitator" => facilitator::handler(),
            command => match shlex::split(command) {
                Some(argv) if !argv.is_empty() => program(&place.root, argv),
                _ => return Err(Fault::usage("--handler", "NAME=COMMAND", command)),
            },
        };
        all.insert(name.clone(), handler);
    }
    Ok(all)
}

/// A program as host code.
fn program(root: &Path, argv: Vec<String>) -> Handler {
    let root = root.to_owned();
    Arc::new(move |input: &str| {
        let mut command = Command::new(&argv[0]);
        command.args(&argv[1..]).current_dir(&root);
        let said = capture(command, input.as_bytes(), HANDLER_TIMEOUT);
        let said = said.map_err(|error| error.to_string())?;
        match said.status {
            Some(0) => String::from_utf8(said.stdout).map_err(|error| error.to_string()),
            Some(status) => Err(format!("exit status {status}: {}", said.stderr.trim())),
            None => Err(format!("ended by a signal: {}", said.stderr.trim())),
        }
    })
}
