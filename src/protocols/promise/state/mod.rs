//! What a promise mission knows.
//!
//! [`Core`] is bounded by live work and copied aside before each event. What grows with the feature
//! (tasks, touched paths) sits in tables with an undo log.

mod config;
mod standing;
mod task;

use super::facts::FactName;
pub use super::feature::TaskStatus;
use super::matching::Matching;
use super::role::{Role, RoleSettings};
use crate::mission::prelude::*;
use crate::mission::table::FactTable;
use crate::vocab::on_write::OnWrite;
use crate::vocab::table::{Ledgered, Table};
pub use config::*;
pub use standing::*;
pub use task::*;

/// The whole state of a promise mission.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "PromiseState")]
pub struct State {
    /// Everything that is bounded by live work.
    pub core: OnWrite<Core>,
    /// The tasks, in order.
    pub tasks: Table<Task>,
    /// For each path, the number of the observation that last saw it differ.
    pub touches: Ledgered,
}

/// The part of the state that is bounded by live work.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "PromiseCore")]
pub struct Core {
    /// What every mission knows.
    pub life: Life,
    /// What never changes after the start.
    pub settings: Arc<Settings>,
    /// The waves: ids of tasks, in order.
    pub waves: Arc<Vec<Vec<String>>>,
    /// The wave that is being worked on, from 0; as many as there are when all are over.
    pub wave: usize,
    /// The place in the wave of the next task to begin.
    pub cursor: usize,
    /// Gates that were passed or waived, by wave from 1.
    pub gates: BTreeMap<String, GateEnd>,
    /// Tasks that were shown before the head moved on, and must be shown again at the end.
    pub closing: BTreeSet<String>,
    /// Tallies for people.
    pub counts: Counts,
    /// Named facts with the event that set each.
    pub facts: FactTable<FactName>,
}

/// What never changes after the start.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "PromiseSettings")]
pub struct Settings {
    /// The mission anchor.
    pub mission: String,
    /// See [`Config::max_turns`].
    pub max_turns: u32,
    /// See [`Config::max_parallel`].
    pub max_parallel: u32,
    /// See [`Config::task_timeout_ms`].
    pub task_timeout_ms: Option<u64>,
    /// See [`Config::test_command`].
    pub test_command: Vec<String>,
    /// See [`Config::matching`].
    pub matching: Matching,
    /// See [`Config::attempts_per_step`].
    pub attempts_per_step: u32,
    /// See [`Config::smoke_gates`], in the order of their waves.
    pub gates: Vec<SmokeGate>,
    /// See [`Config::roles`].
    pub roles: BTreeMap<Role, RoleSettings>,
}

/// How a gate was passed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(tag = "gate", rename_all = "snake_case", deny_unknown_fields)]
pub enum GateEnd {
    /// Its command held at this head.
    Passed {
        /// The commit.
        commit: String,
    },
    /// The user waived it.
    Waived,
}
