//! The questions to the user, the end of the mission, and the counts.

use super::StopReason;
use crate::vocab::error::Diagnostic;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What the user must be asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "about", rename_all = "snake_case", deny_unknown_fields)]
#[schemars(rename = "PromiseTopic")]
pub enum Topic {
    /// A step failed again and again.
    StepStuck {
        /// The task.
        task: String,
        /// The role.
        role: String,
        /// The last failure.
        problem: Diagnostic,
    },
    /// The host could not perform something.
    EffectFailed {
        /// What.
        what: String,
        /// Why.
        problem: Diagnostic,
    },
    /// The tree is dirty and no player is to blame.
    DirtyTree {
        /// The paths.
        paths: Vec<String>,
    },
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
    /// Only deferred work is left.
    EndWithDeferred,
}

/// The end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "PromiseDone")]
pub struct Done {
    /// The head.
    pub head: String,
    /// Criteria and gates that were waived: `TASK/AC-002`, `gate after wave 2`.
    pub waived: Vec<String>,
    /// Tasks that were deferred.
    pub deferred: Vec<String>,
}

/// Tallies for people.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "PromiseCounts")]
pub struct Counts {
    /// Turns that came to a decision or a stop.
    pub turns: u64,
    /// Runs that ended without success.
    pub failed_runs: u64,
    /// Reports that were refused or could not be read.
    pub refused_reports: u64,
    /// Approvals of a coach that were not taken.
    pub overruled: u64,
    /// Tasks reopened after they had been closed.
    pub reopened: u64,
}
