//! The promises of the mission at its start, and the content of its files.

use super::super::files::{Extra, ProfileFile};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What the profile file says.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Profile {
    /// The project's name.
    pub project_name: String,
    /// How many stop judges must agree.
    pub required_stop_judges: u32,
    /// Documentation that must stay true.
    pub docs_surfaces: Vec<String>,
    /// The repository's own verification, each command an argv.
    pub verification_commands: Vec<Vec<String>>,
    /// Unknown fields.
    pub extra: Vec<Extra>,
}

impl Profile {
    /// Takes over what a profile file says.
    pub(in super::super) fn follow(&mut self, file: &ProfileFile) {
        self.project_name = file.project_name.clone();
        self.required_stop_judges = file.required_stop_judges;
        self.docs_surfaces = file.docs_surfaces.clone();
        self.extra = file.extra.clone();
    }
}

/// Unknown fields of others, kept as raw JSON text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Contract {
    /// Files that must be written and committed.
    pub needs: Vec<String>,
    /// What is known suffices to write them without sending the bootstrapper.
    pub known: bool,
    /// Digest of the stop script that is locked.
    pub stop_script: Option<String>,
    /// Its text, if it is not the one that follows from the profile.
    pub stop_script_text: Option<String>,
    /// Content of the repository's `.gitignore` as last seen.
    pub gitignore: String,
    /// Commits the engine made itself.
    pub commits: Vec<String>,
}
