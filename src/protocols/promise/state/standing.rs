//! The questions of its own, and the counts.

use super::StopReason;
use crate::mission::prelude::*;

/// What the user must be asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(tag = "about", rename_all = "snake_case", deny_unknown_fields)]
#[schemars(rename = "PromiseTopic")]
pub enum Topic {
    /// A coach confirmed that criteria cannot be met now.
    Blocked {
        /// The task.
        task: String,
        /// The criteria.
        criteria: Vec<String>,
        /// Whether a coach confirmed it; otherwise the player insists.
        confirmed: bool,
    },
    /// A turn loop ended without approval.
    Stopped {
        /// The task.
        task: String,
        /// Why.
        reason: StopReason,
    },
    /// The command behind a wave does not hold.
    GateFailed {
        /// The wave, from 1.
        wave: u32,
        /// What it said.
        problem: Diagnostic,
    },
}

/// Tallies for people.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "PromiseCounts")]
pub struct Counts {
    /// Turns that came to a decision or a stop.
    pub turns: u64,
    /// Approvals of a coach that were not taken.
    pub overruled: u64,
    /// Tasks reopened after they had been closed.
    pub reopened: u64,
}
