//! What a cluster knows.
//!
//! [`Core`] is bounded by live work and copied aside before each event. What grows with the cluster
//! (blocks, touched paths) sits in tables with an undo log.

mod block;
mod config;
mod runs;
mod standing;
mod verification;

use super::attribution::Others;
pub use super::declared::Declared;
use super::facts::FactName;
pub use super::handover::Handed;
use super::refine::Refinement;
pub use super::refine::Scope;
use super::role::ModelTier;
use super::scratchpad::Entry;
use super::warmth::Lessons;
use crate::mission::prelude::*;
use crate::mission::table::FactTable;
use crate::vocab::on_write::OnWrite;
use crate::vocab::repository::PathDigest;
use crate::vocab::table::{Ledgered, Table};
pub use block::*;
pub use config::*;
pub use runs::*;
pub use standing::*;
pub use verification::*;

/// The whole state of a cluster.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "GridState")]
pub struct State {
    /// Everything that is bounded by live work.
    pub core: OnWrite<Core>,
    /// The blocks, in order.
    pub blocks: Table<Block>,
    /// For each path, the number of the observation that last saw it differ.
    pub touches: Ledgered,
}

/// The part of the state that is bounded by live work.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "GridCore")]
pub struct Core {
    /// What never changes after the start; its plans and its earlier decisions are not kept here.
    pub settings: Arc<Config>,
    /// What every mission knows.
    pub life: Life,
    /// The name of the cluster.
    pub cluster: String,
    /// What earlier clusters learned, once it was read; a blank text for nothing.
    pub learnings: Option<String>,
    /// How strong models are.
    pub tier: ModelTier,
    /// There is a plan.
    pub planned: bool,
    /// Commands that plans declare.
    #[serde(default, skip_serializing_if = "Declared::is_none")]
    pub declared: Arc<Declared>,
    /// Ids by wave, in order.
    pub waves: Arc<Vec<Vec<String>>>,
    /// The wave that is being worked on, from 0; as many as there are when all are over.
    pub wave: usize,
    /// What is known of the present wave's verification.
    pub verification: Verification,
    /// What was not shown, waiting to be closed.
    pub gaps: Vec<Gap>,
    /// A critical anomaly that the user has not answered yet.
    #[serde(default)]
    pub anomaly: Option<Anomaly>,
    /// Critical anomalies that were told: whoever judges is told of them.
    #[serde(default, skip_serializing_if = "Anomalies::is_empty")]
    pub anomalies: Anomalies,
    /// Rounds of gap closure of the present wave.
    pub gap_rounds: u32,
    /// How many there may be.
    pub gap_limit: u32,
    /// Rounds of gap closure behind all waves.
    pub patrol_rounds: u32,
    /// How many there may be.
    pub patrol_limit: u32,
    /// Waves that are over.
    pub records: Vec<WaveRecord>,
    /// The last patrol that found everything in place.
    pub patrol: Option<Patrol>,
    /// What is refined, if anything is.
    pub refinement: Option<Refinement>,
    /// What was learned was written down.
    pub captured: bool,
    /// Heads that the user went on without, each with what is in its place; bounded.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gone: Vec<String>,
    /// The other files in the cluster's folder when no run was at work.
    #[serde(default)]
    pub beside: Option<Arc<Vec<PathDigest>>>,
    /// Commits that came and stand in no report.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unnamed: Vec<Unnamed>,
    /// Commits that blocks whose runs are judged must not count as their own.
    #[serde(skip)]
    pub(super) others: Others,
    /// Who may have left what is dirty, by path.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub dirt: BTreeMap<String, Dirt>,
    /// Shares of budgets that were told: `counter:limit`.
    pub warned: BTreeSet<String>,
    /// Shares of budgets that the user confirmed: `counter:limit`.
    pub confirmed: BTreeSet<String>,
    /// What was learned so far.
    pub warmth: Lessons,
    /// Entries of the present wave.
    pub scratchpad: Vec<Entry>,
    /// Entries of earlier waves that ask for something.
    #[serde(default, skip_serializing_if = "Handed::is_empty")]
    pub handed: Handed,
    /// Decisions that were made, the latest last; bounded.
    pub decisions: Vec<String>,
    /// Decisions of the user, the latest last; bounded.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub said: Vec<String>,
    /// What was decided before the mission, the latest last; bounded.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub before: Vec<String>,
    /// What stood in the way, the latest last; bounded.
    pub concerns: Vec<String>,
    /// Tallies for people.
    pub counts: Counts,
    /// When what the verification file shows last changed.
    pub verified_at: Millis,
    /// When the state file last changed, and which content it has since.
    pub stamp: Stamp,
    /// Named facts with the event that set each.
    pub facts: FactTable<FactName>,
}

/// The time in the state file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "GridStamp")]
pub struct Stamp {
    /// When.
    pub at: Millis,
    /// The number of the content.
    pub revision: u64,
}
