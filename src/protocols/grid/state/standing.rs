//! The questions of its own, and the counts.

use crate::mission::prelude::*;

/// What the user must be asked that no other protocol asks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(tag = "about", rename_all = "snake_case", deny_unknown_fields)]
#[schemars(rename = "GridTopic")]
pub enum Topic {
    /// A block stopped where a person must act.
    Checkpoint {
        /// The block.
        block: String,
    },
    /// A block comes with architectural changes nobody allowed.
    Architecture {
        /// The block.
        block: String,
        /// What changed.
        changes: Vec<String>,
    },
    /// A block failed too often, or tried what was forbidden.
    BlockFailed {
        /// The block.
        block: String,
    },
    /// Gaps are left and no round is.
    GapsRemain {
        /// How many.
        count: u32,
    },
    /// A recognizer found something a person must decide about.
    Anomaly {
        /// What.
        text: String,
    },
    /// Plans declare commands that the user was not asked about.
    Trust {
        /// The commands.
        commands: Vec<String>,
    },
    /// Most of a budget is spent.
    Threshold {
        /// The counter.
        counter: crate::vocab::budget::Counter,
        /// Its limit.
        limit: u64,
    },
}

/// Tallies for people.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "GridCounts")]
pub struct Counts {
    /// Blocks that were executed.
    pub executed: u64,
    /// Executions that failed.
    pub failures: u64,
    /// Checkpoints that were passed.
    pub checkpoints: u64,
    /// Rounds of gap closure.
    pub gap_rounds: u64,
    /// Verdicts that were not taken as they were.
    pub overruled: u64,
    /// Entries of the scratchpad.
    pub entries: u64,
    /// Entries that could not be read.
    pub bad_entries: u64,
    /// Executions that wrote no entry.
    pub silent_executions: u64,
    /// Deviations, by rule.
    pub deviations: u64,
    /// Blocks reopened after they had been closed.
    pub reopened: u64,
}
