//! The states of a work unit and of a sprint, and the arrows by which they move. A status changes in no other
//! way: every change goes through [`super::state::State::move_sprint`] and
//! [`super::state::State::move_unit`], and an invariant looks each one up here.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The state of a work unit.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum UnitStatus {
    /// No sprint of it was ever dispatched.
    NotStarted,
    /// A sprint is under way, or the next one is due.
    Running,
    /// Every sprint is verified.
    Completed,
    /// A stop was asked for; what runs may end by itself.
    Stopping,
    /// It came to rest.
    Stopped,
    /// A sprint is fatal, or its plan was proven wrong.
    Blocked,
    /// What ran was ended; there may be uncommitted work.
    Killed,
    /// The user paused the mission.
    Paused,
}

/// The state of a sprint.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum SprintStatus {
    /// Not dispatched yet, or reopened.
    Pending,
    /// Chosen, with its model; its run is not alive yet.
    Dispatched,
    /// Its run is alive, or its criteria are being checked.
    Running,
    /// A separate run judges what no command can.
    Verifying,
    /// Every criterion is shown, or is to be shown at the next gate.
    Completed,
    /// Some of it is shown; the rest needs a continuation, or the user.
    Partial,
    /// An attempt failed; the next one is due.
    Backoff,
    /// Every attempt failed.
    Fatal,
    /// Its agent proved the plan wrong.
    Replan,
    /// Let go by the user.
    Skipped,
    /// Put off by the user or by the plan.
    Deferred,
}

impl UnitStatus {
    /// Every status, in the order of the seed.
    pub const ALL: [UnitStatus; 8] = [
        UnitStatus::NotStarted,
        UnitStatus::Running,
        UnitStatus::Completed,
        UnitStatus::Stopping,
        UnitStatus::Stopped,
        UnitStatus::Blocked,
        UnitStatus::Killed,
        UnitStatus::Paused,
    ];

    /// The word in files.
    pub fn as_str(self) -> &'static str {
        match self {
            UnitStatus::NotStarted => "NOT_STARTED",
            UnitStatus::Running => "RUNNING",
            UnitStatus::Completed => "COMPLETED",
            UnitStatus::Stopping => "STOPPING",
            UnitStatus::Stopped => "STOPPED",
            UnitStatus::Blocked => "BLOCKED",
            UnitStatus::Killed => "KILLED",
            UnitStatus::Paused => "PAUSED",
        }
    }

    /// The status of this word.
    pub fn of(word: &str) -> Option<UnitStatus> {
        UnitStatus::ALL.into_iter().find(|one| one.as_str() == word)
    }

    /// Whether there is an arrow to `to`.
    pub fn may_become(self, to: UnitStatus) -> bool {
        use UnitStatus::{
            Blocked, Completed, Killed, NotStarted, Paused, Running, Stopped, Stopping,
        };
        match self {
            NotStarted => matches!(to, Running),
            Running => {
                matches!(to, Completed | Stopping | Blocked | Killed | NotStarted | Paused)
            }
            // Opened again by the user, or found wanting by a gate.
            Completed => matches!(to, Running),
            // What came to rest is looked over, and so completed, only when it goes on.
            Stopping => matches!(to, Stopped | Killed | Blocked | Running),
            Stopped => matches!(to, Running | Killed | Blocked),
            Blocked => matches!(to, Running | Completed),
            // What ended just before may turn out to have failed for the last time.
            Killed => matches!(to, Running | Blocked),
            Paused => matches!(to, Running | Stopping | Killed | Blocked | NotStarted),
        }
    }
}

impl SprintStatus {
    /// Every status, in the order of the seed.
    pub const ALL: [SprintStatus; 11] = [
        SprintStatus::Pending,
        SprintStatus::Dispatched,
        SprintStatus::Running,
        SprintStatus::Verifying,
        SprintStatus::Completed,
        SprintStatus::Partial,
        SprintStatus::Backoff,
        SprintStatus::Fatal,
        SprintStatus::Replan,
        SprintStatus::Skipped,
        SprintStatus::Deferred,
    ];

    /// The word in files.
    pub fn as_str(self) -> &'static str {
        match self {
            SprintStatus::Pending => "PENDING",
            SprintStatus::Dispatched => "DISPATCHED",
            SprintStatus::Running => "RUNNING",
            SprintStatus::Verifying => "VERIFYING",
            SprintStatus::Completed => "COMPLETED",
            SprintStatus::Partial => "PARTIAL",
            SprintStatus::Backoff => "BACKOFF",
            SprintStatus::Fatal => "FATAL",
            SprintStatus::Replan => "REPLAN",
            SprintStatus::Skipped => "SKIPPED",
            SprintStatus::Deferred => "DEFERRED",
        }
    }

    /// The status of this word.
    pub fn of(word: &str) -> Option<SprintStatus> {
        SprintStatus::ALL.into_iter().find(|one| one.as_str() == word)
    }

    /// Whether nothing is left to be done, so that the next sprint may start.
    pub fn closed(self) -> bool {
        matches!(self, SprintStatus::Completed | SprintStatus::Skipped)
    }

    /// Whether a dispatch is due.
    pub fn due(self) -> bool {
        matches!(self, SprintStatus::Pending | SprintStatus::Partial | SprintStatus::Backoff)
    }

    /// Whether there is an arrow to `to`.
    pub fn may_become(self, to: SprintStatus) -> bool {
        use SprintStatus::{
            Backoff, Completed, Deferred, Dispatched, Fatal, Partial, Pending, Replan, Running,
            Skipped, Verifying,
        };
        match self {
            Pending => matches!(to, Dispatched | Skipped | Deferred),
            Dispatched => matches!(to, Running | Backoff | Pending | Skipped | Deferred),
            Running => matches!(
                to,
                Completed | Partial | Backoff | Verifying | Replan | Skipped | Deferred
            ),
            Verifying => matches!(to, Completed | Partial | Backoff | Pending | Skipped | Deferred),
            // A gate that fails, a sprint reopened, and what is shown again at the end.
            Completed => matches!(to, Backoff | Pending | Verifying),
            Partial => matches!(to, Dispatched | Completed | Backoff | Skipped | Deferred),
            Backoff => matches!(to, Dispatched | Fatal | Pending | Skipped | Deferred),
            Fatal => matches!(to, Pending | Skipped | Deferred),
            Replan => matches!(to, Pending | Skipped | Deferred),
            Skipped => matches!(to, Pending),
            Deferred => matches!(to, Pending | Skipped),
        }
    }
}
