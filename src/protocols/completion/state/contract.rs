//! The promises of the mission at its start, and the content of its files.

use super::super::files::Extra;
use crate::mission::prelude::*;

/// Unknown fields of others, kept as raw JSON text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Extras {
    /// Of `state.json`.
    pub state: Vec<Extra>,
    /// Of `plan.json`.
    pub plan: Vec<Extra>,
    /// Of `active-slice.json`.
    pub active: Vec<Extra>,
}

/// The tracked contract files.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Contract {
    /// Files that must be written and committed.
    pub needs: Vec<String>,
    /// What is known suffices to write them without sending the bootstrapper.
    pub known: bool,
    /// The repository's own verification, each command an argv: what the stop script runs.
    pub commands: Vec<Vec<String>>,
    /// Digest of the stop script that is locked.
    pub stop_script: Option<String>,
    /// Its text, if it is not the one that follows from the commands.
    pub stop_script_text: Option<String>,
    /// Content of the repository's `.gitignore` as last seen.
    pub gitignore: String,
    /// Commits the engine made itself.
    pub commits: Vec<String>,
}
