//! What a completion mission knows.
//!
//! [`Core`] is bounded by live work and copied aside before each event. What grows with the plan
//! (slices, contract ids, touched paths) sits in tables with an undo log.

mod config;
mod contract;
mod grounding;
mod slice;
mod standing;

use super::facts::FactName;
use super::files::ProfileFile;
pub use super::files::words::{ActiveStatus, SliceStatus};
use super::role::{Role, RoleSettings};
use crate::mission::prelude::*;
pub use crate::mission::repository::Seen;
use crate::mission::table::FactTable;
use crate::vocab::on_write::OnWrite;
use crate::vocab::table::{Ledgered, Table};
pub use config::*;
pub use contract::*;
pub use grounding::*;
pub use slice::*;
pub use standing::*;

/// The whole state of a completion mission.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
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
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Core {
    /// What every mission knows.
    pub life: Life,
    /// What never changes after the start.
    pub settings: Arc<Settings>,
    /// What the profile file says.
    pub profile: Arc<ProfileFile>,
    /// Unknown fields of the state, plan and active-slice files.
    pub extras: Arc<Extras>,
    /// The tracked contract files.
    pub contract: Contract,
    /// The last head that was no commit of the engine's own.
    pub work: Option<String>,
    /// By path of a state file, what its content depends on, in short.
    pub keys: BTreeMap<String, String>,
    /// Why the canonical state must be grounded anew, if it must.
    pub reground: Option<Reground>,
    /// What the last re-ground left behind.
    pub grounding: Grounding,
    /// The slice cursor.
    pub active: Option<Active>,
    /// The stop wave.
    pub wave: Wave,
    /// A re-ground wanted to reopen beyond the budget: the next waits for more.
    pub reopens_spent: bool,
    /// Answers and notes of the user for the next re-ground.
    pub notes: Vec<String>,
    /// Tallies for people.
    pub counts: Counts,
    /// Named facts with the event that set each.
    pub facts: FactTable<FactName>,
}

/// What never changes after the start.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// The mission anchor.
    pub mission: String,
    /// Failed runs in a row that lead to a question.
    pub attempts_per_step: u32,
    /// Tiers and limits other than the defaults.
    pub roles: BTreeMap<Role, RoleSettings>,
}
