//! The states of a work unit and of a sprint, and the arrows by which they move. A status changes in no other
//! way: every change goes through [`super::state::State::move_sprint`] and
//! [`super::state::State::move_unit`], and an invariant looks each one up here.

use crate::vocab::word::words;

words! {
    /// The state of a work unit.
    UnitStatus {
        NotStarted "NOT_STARTED" "No sprint of it was ever dispatched.";
        Running "RUNNING" "A sprint is under way, or the next one is due.";
        Completed "COMPLETED" "Every sprint is verified.";
        Stopping "STOPPING" "A stop was asked for; what runs may end by itself.";
        Stopped "STOPPED" "It came to rest.";
        Blocked "BLOCKED" "A sprint is fatal, or its plan was proven wrong.";
        Killed "KILLED" "What ran was ended; there may be uncommitted work.";
        Paused "PAUSED" "The user paused the mission.";
    }
    /// The state of a sprint.
    SprintStatus {
        Pending "PENDING" "Not dispatched yet, or reopened.";
        Dispatched "DISPATCHED" "Chosen, with its model; its run is not alive yet.";
        Running "RUNNING" "Its run is alive, or its criteria are being checked.";
        Verifying "VERIFYING" "A separate run judges what no command can.";
        Completed "COMPLETED" "Every criterion is shown, or is to be shown at the next gate.";
        Partial "PARTIAL" "Some of it is shown; the rest needs a continuation, or the user.";
        Backoff "BACKOFF" "An attempt failed; the next one is due.";
        Fatal "FATAL" "Every attempt failed.";
        Replan "REPLAN" "Its agent proved the plan wrong.";
        Skipped "SKIPPED" "Let go by the user.";
        Deferred "DEFERRED" "Put off by the user or by the plan.";
    }
}

impl UnitStatus {
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
