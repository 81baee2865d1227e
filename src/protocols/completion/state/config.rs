//! The config of a mission.

use super::super::files::adopt::Adopted;
use super::super::role::{Role, RoleSettings};
use crate::mission::prelude::*;
use crate::mission::settings::number;
use crate::vocab::repository::PathDigest;

const JUDGES: u32 = 3;
const ATTEMPTS: u32 = 3;

/// What a completion mission is started with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "CompletionConfig")]
pub struct Config {
    /// The mission anchor: one sentence that every file and report repeats.
    pub mission: String,
    /// The project's name.
    pub project_name: String,
    /// How many stop judges must agree at one head; at least 1.
    #[serde(default = "number::<JUDGES, u32>")]
    pub required_stop_judges: u32,
    /// Paths of documentation that must stay true.
    #[serde(default)]
    pub docs_surfaces: Vec<String>,
    /// The repository's own verification, each command an argv.
    #[serde(default)]
    pub verification_commands: Vec<Vec<String>>,
    /// Whether the host found the above out itself, so that missing contract files may be written
    /// from it without sending the bootstrapper.
    #[serde(default)]
    pub onboard: bool,
    /// How many failed runs in a row of one step lead to a question.
    #[serde(default = "number::<ATTEMPTS, u32>")]
    pub attempts_per_step: u32,
    /// Tiers and limits other than the defaults.
    #[serde(default)]
    pub roles: BTreeMap<Role, RoleSettings>,
    /// A directory of canonical files to take over.
    #[serde(default)]
    pub adopted: Option<Box<Adoption>>,
}

/// A directory of another engine, with what only the host can know about it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Adoption {
    /// The directory as it was read.
    pub directory: Adopted,
    /// Canonical files that are on disk, with their digests.
    pub files: Vec<PathDigest>,
    /// Commits of its histories that are the head or an ancestor of it.
    pub ancestors: Vec<String>,
}

impl Config {
    /// A mission with the defaults.
    pub fn new(mission: impl Into<String>, project_name: impl Into<String>) -> Self {
        Config {
            mission: mission.into(),
            project_name: project_name.into(),
            required_stop_judges: JUDGES,
            docs_surfaces: Vec::new(),
            verification_commands: Vec::new(),
            onboard: false,
            attempts_per_step: ATTEMPTS,
            roles: BTreeMap::new(),
            adopted: None,
        }
    }
}
