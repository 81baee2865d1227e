//! Evidence: typed, and three-valued. Prose alone shows nothing.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What is known about a criterion. There is no quiet fourth value and no default to the good.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Finding {
    /// Shown to hold.
    Holds,
    /// Shown not to hold.
    DoesNotHold,
    /// Not shown: absent, skipped, timed out, unreadable, or prose alone.
    NotShown,
}

/// One piece of typed evidence. A flat shape, because agents write it by hand.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Evidence {
    /// A test that passes, by its id.
    Test {
        /// Id as its runner names it, e.g. `tests/test_auth.py::test_refresh`.
        id: String,
    },
    /// A command and the status it exited with.
    Command {
        /// The command as it was run.
        command: String,
        /// Its exit status; anything but 0 shows that the criterion does not hold.
        exit_status: i32,
    },
    /// A place in a file of the repository.
    File {
        /// Path from the root of the repository.
        path: String,
        /// Line, from 1.
        line: u32,
    },
    /// Seen by hand: what was done and what was seen.
    Manual {
        /// Steps and outcome.
        note: String,
    },
}

impl Evidence {
    /// What this piece shows on its own. Files under the state directory and empty notes show
    /// nothing.
    pub fn finding(&self) -> Finding {
        let worded = |text: &str| match text.trim().is_empty() {
            true => Finding::NotShown,
            false => Finding::Holds,
        };
        match self {
            Evidence::Test { id } => worded(id),
            Evidence::Command { command, exit_status: 0 } => worded(command),
            Evidence::Command { .. } => Finding::DoesNotHold,
            Evidence::File { path, line } => match *line == 0 || in_state_directory(path) {
                true => Finding::NotShown,
                false => worded(path),
            },
            Evidence::Manual { note } => worded(note),
        }
    }

    /// One line for files and people.
    pub fn line(&self) -> String {
        match self {
            Evidence::Test { id } => format!("test {id}"),
            Evidence::Command { command, exit_status } => {
                format!("command `{command}` exited {exit_status}")
            }
            Evidence::File { path, line } => format!("{path}:{line}"),
            Evidence::Manual { note } => format!("manual: {note}"),
        }
    }
}

/// What a list of evidence shows together: one piece against decides, else one piece for.
pub fn weigh(evidence: &[Evidence]) -> Finding {
    let findings = || evidence.iter().map(Evidence::finding);
    if findings().any(|finding| finding == Finding::DoesNotHold) {
        Finding::DoesNotHold
    } else if findings().any(|finding| finding == Finding::Holds) {
        Finding::Holds
    } else {
        Finding::NotShown
    }
}

/// Whether a repository path lies in the state directory, spelled any way that stays relative.
pub fn in_state_directory(path: &str) -> bool {
    path.split('/').find(|part| !part.is_empty() && *part != ".") == Some(".agent")
}
