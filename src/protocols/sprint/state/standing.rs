//! The questions of its own, the stops, and the counts.

use crate::mission::prelude::*;
use crate::vocab::table::Row;

/// A stop that waits for what runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "SprintStopping")]
pub struct Stopping {
    /// Polls in a row at which no run had ended.
    pub polls: u32,
    /// A run or a command ended since the last poll.
    pub moved: bool,
    /// It has waited long enough: what still ran was ended, and nothing is begun any more.
    pub forced: bool,
}

/// What the user must be asked that no other protocol asks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(tag = "about", rename_all = "snake_case", deny_unknown_fields)]
#[schemars(rename = "SprintTopic")]
pub enum Topic {
    /// All boxes of these sprints are ticked in the plan.
    Ticked {
        /// The sprints.
        sprints: Vec<String>,
    },
    /// The plan's commands are to be run as written.
    Trust,
    /// A sprint's criteria say nothing that could be shown.
    Vague {
        /// The sprint.
        sprint: String,
        /// The criteria.
        criteria: Vec<String>,
    },
    /// Only a person can say whether these hold.
    Confirm {
        /// The sprint.
        sprint: String,
        /// The criteria.
        criteria: Vec<String>,
        /// What the agent found.
        findings: Vec<String>,
    },
    /// What a sprint waits for has not come.
    StillWaiting {
        /// The sprint.
        sprint: String,
        /// What was last seen.
        problem: Diagnostic,
    },
    /// A build at a gate fails and no sprint is to blame.
    GateFailed {
        /// What it said.
        problem: Diagnostic,
    },
    /// The plan is another one than the mission began with.
    PlanChanged {
        /// What was seen.
        problem: Diagnostic,
    },
    /// There is uncommitted work.
    Uncommitted {
        /// Where.
        paths: Vec<String>,
    },
    /// The head moved while everything was shown at the end.
    HeadMoved {
        /// The head at which everything was shown.
        from: String,
        /// The head that was found behind it.
        to: String,
    },
}

/// Tallies for people.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "SprintCounts")]
pub struct Counts {
    /// Dispatches of agents.
    pub dispatched: u64,
    /// Attempts that failed.
    pub failed_attempts: u64,
    /// Continuations.
    pub continuations: u64,
    /// Verifier rounds.
    pub verified: u64,
    /// Gates that were run.
    pub gates: u64,
    /// Sprints reopened after they had been completed.
    pub reopened: u64,
}

/// One decision, in the words of the log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "SprintDecision")]
pub struct DecisionRow {
    /// Its number.
    pub id: String,
    /// When.
    pub at: Millis,
    /// The unit; empty for the mission.
    pub unit: String,
    /// The sprint's label; empty for none.
    pub sprint: String,
    /// What.
    pub decision: String,
    /// Why.
    pub rationale: String,
}

impl Row for DecisionRow {
    fn id(&self) -> &str {
        &self.id
    }

    fn group(&self) -> &'static str {
        "decision"
    }

    fn is_live(&self) -> bool {
        false
    }
}
