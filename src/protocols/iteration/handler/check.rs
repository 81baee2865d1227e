//! `check`: done when a command exits with status 0.

use super::{Answer, Criteria, given};
use crate::mission::prelude::*;
use crate::protocols::iteration::definition::CompletionConfig;
use crate::vocab::event::CommandExited;

/// See [`super::Handler::Check`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[schemars(rename = "CheckHandler")]
pub struct Check {
    /// Program and arguments.
    pub argv: Vec<String>,
}

pub(super) fn make(config: &CompletionConfig, at: &str) -> Result<Check> {
    let at = format!("{at}.command");
    let expected = "a program and its arguments, as a list";
    let fits = |argv: &Vec<String>| {
        let named = argv.first().is_some_and(|program| !program.trim().is_empty());
        named && !argv.iter().any(|word| word.contains('\0'))
    };
    let argv = given(&config.command, at, expected, fits)?;
    Ok(Check { argv: argv.clone() })
}

impl Check {
    pub(super) fn criteria(&self) -> Criteria {
        let command = self.argv.join(" ");
        Criteria {
            short: format!("`{command}` exits with 0"),
            detailed: format!(
                "You are done when `{command}` exits with status 0. It is run after each of your runs, \
                 whatever you say about it."
            ),
        }
    }

    /// What the command's end says.
    pub fn read(&self, exited: &CommandExited) -> Answer {
        let command = self.argv.join(" ");
        match exited.status {
            Some(status) => Answer::shown(status == 0, format!("`{command}` exited with {status}")),
            None => Answer::not_shown(ended(exited, &command)),
        }
    }
}

/// Why a command's end shows nothing.
pub(super) fn ended(exited: &CommandExited, at: &str) -> Diagnostic {
    let make = |code, got: String| Error::new(code, at, "exit status 0", got).diagnostic();
    match (&exited.problem, exited.status) {
        (Some(problem), _) => problem.clone(),
        (None, None) => make(Code::RunLost, "no exit status".to_owned()),
        (None, Some(status)) => {
            let said = clip(exited.output.trim(), 120);
            make(Code::CommandFailed, format!("status {status}: {said}"))
        }
    }
}
