//! What a completion mission knows.
//!
//! [`Core`] is bounded by live work and copied aside before each event. What grows with the plan
//! (slices, contract ids, touched paths) sits in tables with an undo log.

mod config;
mod contract;
mod runs;
mod slice;
mod standing;

use super::facts::FactName;
use super::files::ProfileFile;
pub use super::files::words::{ActiveStatus, SliceStatus};
use super::role::{Role, RoleSettings};
use crate::mission::files::Files;
pub use crate::mission::repository::Seen;
use crate::mission::table::FactTable;
pub use crate::mission::worktree::Before;
use crate::vocab::error::Diagnostic;
use crate::vocab::on_write::OnWrite;
use crate::vocab::table::{Ledgered, Table};
pub use config::*;
pub use contract::*;
pub use runs::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
pub use slice::*;
pub use standing::*;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The whole state of a completion mission.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "CompletionState")]
pub struct State {
    /// Everything that is bounded by live work.
    pub core: OnWrite<Core>,
    /// The plan, in order.
    pub slices: Table<Slice>,
    /// How many open slices serve each contract id. Ids are never removed.
    pub contracts: Ledgered,
    /// For each path, the number of the observation that last saw it differ.
    pub touches: Ledgered,
}

/// The part of the state that is bounded by live work.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Core {
    /// What never changes after the start.
    pub settings: Arc<Settings>,
    /// What the profile file says.
    pub profile: Arc<ProfileFile>,
    /// Unknown fields of the state, plan and active-slice files.
    pub extras: Arc<Extras>,
    /// The tracked contract files.
    pub contract: Contract,
    /// The repository as last seen.
    pub seen: Option<Seen>,
    /// The last head that was no commit of the engine's own.
    pub work: Option<String>,
    /// Canonical files as the engine left them.
    pub files: Files,
    /// By path of a state file, the digest of what its content depends on.
    pub keys: BTreeMap<String, String>,
    /// Why the canonical state must be grounded anew, if it must.
    pub reground: Option<Reground>,
    /// What the last re-ground left behind.
    pub grounding: Grounding,
    /// The slice cursor.
    pub active: Option<Active>,
    /// The stop wave.
    pub wave: Wave,
    /// The run that is alive.
    pub run: Option<Run>,
    /// A run that ended and whose effect on the tree has not been looked at.
    pub ended: Option<Ended>,
    /// The fault that the same run has to correct.
    pub correction: Option<Correction>,
    /// Failed runs in a row of the present step.
    pub attempts: u32,
    /// How often each role was started.
    pub visits: BTreeMap<Role, u64>,
    /// What the user must be asked.
    pub asking: Option<Topic>,
    /// Why nothing can go on.
    pub blocked: Option<Diagnostic>,
    /// Answers and notes of the user for the next re-ground.
    pub notes: Vec<String>,
    /// Why verification is skipped, if it is.
    pub skip_verification: Option<String>,
    /// The user agreed to end with deferred work left.
    pub end_with_deferred: bool,
    /// The end, once reached.
    pub done: Option<Done>,
    /// Tallies for people.
    pub counts: Counts,
    /// The last thing that went wrong.
    pub last_problem: Option<Diagnostic>,
    /// Named facts with the event that set each.
    pub facts: FactTable<FactName>,
}

/// What never changes after the start.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// The mission anchor.
    pub mission: String,
    /// Failed runs in a row that lead to a question.
    pub attempts_per_step: u32,
    /// Tiers and limits other than the defaults.
    pub roles: BTreeMap<Role, RoleSettings>,
}
