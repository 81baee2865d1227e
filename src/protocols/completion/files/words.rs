//! The words of the files: every status, phase, policy and role with the seed's exact spelling.

pub use crate::vocab::word::Word;
use crate::vocab::word::words;

words! {
    /// `current_phase` of the state file.
    Phase {
        Reground "reground" "The plan is being compared with the repository.";
        Implement "implement" "A slice is being implemented.";
        PostCommitReview "post_commit_review" "The committed slice waits for its review.";
        PostCommitAudit "post_commit_audit" "The committed slice waits for its audit.";
        PostCommitReconcile "post_commit_reconcile" "Review and audit are being reconciled.";
        StopWave "stop_wave" "Stop judges decide whether the mission may end.";
        AwaitingUser "awaiting_user" "The user is asked something.";
        Blocked "blocked" "Nothing can go on.";
        Done "done" "The mission has ended, judged.";
    }
    /// `continuation_policy` of the state file.
    Policy {
        Continue "continue" "The next role is dispatched without asking.";
        AwaitUserInput "await_user_input" "Exactly one input of the user is missing.";
        Blocked "blocked" "A blocker is reported.";
        Paused "paused" "The user paused the mission.";
        Done "done" "The final stop reconciliation is complete.";
    }
    /// `next_mandatory_role` of the state file; `null` there is `None` here.
    RoleName {
        Bootstrapper "completion-bootstrapper" "Sets the contract files up, or repairs them.";
        Regrounder "completion-regrounder" "Reconciles the plan with the repository.";
        Implementer "completion-implementer" "Makes one slice and commits it.";
        Reviewer "completion-reviewer" "Reviews the committed slice.";
        Auditor "completion-auditor" "Audits the committed slice and what is left.";
        StopJudge "completion-stop-judge" "Judges whether the mission may end.";
    }
    /// `status` of a slice in the plan.
    SliceStatus {
        Planned "planned" "Waits for its turn.";
        Selected "selected" "Chosen, not begun.";
        InProgress "in_progress" "Being implemented.";
        Blocked "blocked" "Waits for something.";
        Done "done" "Every criterion is shown.";
        Cancelled "cancelled" "Let go.";
    }
    /// `status` of the active slice.
    ActiveStatus {
        Idle "idle" "No slice is chosen.";
        Selected "selected" "Chosen, not begun.";
        InProgress "in_progress" "Being implemented.";
        Committed "committed" "Landed as a commit, not yet accepted.";
        Done "done" "Accepted.";
    }
    /// `type` of a line in the slice history.
    RecordKind {
        Implemented "implemented" "The slice landed as a commit.";
        Reviewed "reviewed" "A review of the commit returned.";
        Audited "audited" "An audit of the commit returned.";
        Accepted "accepted" "The commit was accepted.";
        Reopened "reopened" "The slice was opened again.";
    }
}

impl SliceStatus {
    /// Whether the slice is the one being worked on.
    pub fn current(self) -> bool {
        matches!(self, SliceStatus::Selected | SliceStatus::InProgress)
    }
}

impl ActiveStatus {
    /// Whether the file must carry the exact hand-off.
    pub fn live(self) -> bool {
        !matches!(self, ActiveStatus::Idle)
    }
}
