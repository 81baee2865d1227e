//! How a criterion is shown by commands: typed by whoever declares it. The engine never reads a command out of a text.

use crate::vocab::json::{Readable, Serialize};
use schemars::JsonSchema;

/// How a criterion is shown. Everything named is necessary.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ShownBy {
    /// Commands that the engine runs.
    #[serde(default)]
    pub commands: Vec<CommandLine>,
    /// Its words are judged, too, by a run of another role. Without commands they always are.
    #[serde(default)]
    pub judged: bool,
}

/// A command with what it must do.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CommandLine {
    /// Program and arguments.
    pub argv: Vec<String>,
    /// What it must do.
    #[serde(default)]
    pub expect: Expect,
    /// How long it may take, in milliseconds; an hour where nothing is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within_ms: Option<u64>,
    /// The entry criterion that it belongs to, where it is the command of one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shows: Option<String>,
}

impl CommandLine {
    /// A command whose author wrote it for a shell.
    pub fn of_shell(text: &str) -> CommandLine {
        CommandLine {
            argv: ["bash", "-c", text].map(str::to_owned).to_vec(),
            ..CommandLine::default()
        }
    }
}

/// What a command must do for its criterion to hold.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(tag = "to", rename_all = "snake_case", deny_unknown_fields)]
pub enum Expect {
    /// Exit with status 0.
    #[default]
    Succeed,
    /// Exit with another status.
    Fail,
    /// Be there and exit: what it prints is for a verifier.
    Exit,
    /// Exit with exactly this status.
    ExitWith {
        /// The status.
        status: u8,
    },
    /// Exit with status 0 and print nothing.
    BeSilent,
    /// Exit with status 1 and print nothing, as a search does that finds no match.
    FindNothing,
    /// Exit with status 0 and print this somewhere, as whole words.
    Print {
        /// The text.
        text: String,
    },
    /// Print this and nothing else, and exit with status 0 (of a search that counts `0`, with 1).
    PrintOnly {
        /// The text.
        text: String,
    },
    /// Print a whole number that is not less.
    PrintAtLeast {
        /// The number.
        number: u64,
    },
    /// Print a whole number that is not greater.
    PrintAtMost {
        /// The number.
        number: u64,
    },
}
