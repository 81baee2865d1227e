//! The shape both roles are asked for: the source of the published schemas.

use super::super::decision::Decision;
use crate::mission::prelude::*;

/// What the player returns.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
pub struct PlayerForm {
    /// The task.
    pub task_id: String,
    /// The turn, from 1.
    pub turn: u64,
    /// One row per criterion of the task.
    pub completion_promise: PromiseForm,
    /// Files that were changed.
    #[serde(default)]
    pub files_modified: Vec<String>,
    /// Files that were made.
    #[serde(default)]
    pub files_created: Vec<String>,
    /// Whether the tests were run.
    #[serde(default)]
    pub tests_run: Option<bool>,
    /// Whether they passed; leave it out if they were not run.
    #[serde(default)]
    pub tests_passed: Option<bool>,
    /// Requirements that were dealt with.
    #[serde(default)]
    pub requirements_addressed: Vec<String>,
    /// Requirements that are left.
    #[serde(default)]
    pub requirements_remaining: Vec<String>,
    /// What was done, in words.
    #[serde(default)]
    pub implementation_notes: Option<String>,
    /// What to look at with care.
    #[serde(default)]
    pub concerns: Vec<String>,
    /// What blocks it.
    #[serde(default)]
    pub blockers: Vec<String>,
}

/// The promise: what is claimed, criterion by criterion.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
pub struct PromiseForm {
    /// The promise in one sentence.
    pub statement: String,
    /// One row per criterion.
    pub criteria: Vec<ClaimForm>,
    /// Whether every row is `verified`.
    pub all_verified: bool,
}

/// A claim on one criterion.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
pub struct ClaimForm {
    /// Its id.
    pub criterion_id: String,
    /// Its text, word for word.
    pub criterion: String,
    /// How far it is met.
    pub status: StatusForm,
    /// Typed proof. A `verified` row without any counts for nothing.
    #[serde(default)]
    pub evidence: Vec<Evidence>,
    /// The test that shows it, by its id.
    #[serde(default)]
    pub test_file: Option<String>,
    /// Files that carry the work.
    #[serde(default)]
    pub implementation_files: Vec<String>,
}

words! {
    /// How far a criterion is met.
    StatusForm {
        Verified "verified" "Met, with evidence.";
        Partial "partial" "In part.";
        Blocked "blocked" "It cannot be met now.";
        NotStarted "not_started" "Not worked on.";
    }
}

/// What the coach returns.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
pub struct CoachForm {
    /// The task.
    pub task_id: String,
    /// The turn, from 1.
    pub turn: u64,
    /// The coach's own word. The engine decides from the rows.
    #[serde(default)]
    pub decision: Option<Decision>,
    /// One row per criterion. A criterion that is left out is not shown.
    pub criteria_verification: Vec<VerdictForm>,
    /// Findings that are about no criterion.
    #[serde(default)]
    pub issues: Vec<IssueForm>,
    /// What the player should do next.
    #[serde(default)]
    pub feedback: Option<String>,
    /// Why.
    #[serde(default)]
    pub rationale: Option<String>,
    /// What the coach's own run of the tests showed.
    #[serde(default)]
    pub validation_results: Option<ValidationForm>,
}

/// A verdict on one criterion.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
pub struct VerdictForm {
    /// Its id.
    pub criterion_id: String,
    /// What the player said of it.
    pub player_status: StatusForm,
    /// Whether it holds; `null` if that could not be found out.
    pub coach_verified: Option<bool>,
    /// How it was found out: what was run or read.
    pub verification_method: String,
    /// Typed proof of the coach's own. Without any, nothing is shown to hold.
    #[serde(default)]
    pub evidence: Vec<Evidence>,
    /// Where player and coach disagree; required if they do.
    #[serde(default)]
    pub discrepancy: Option<String>,
    /// For a row the player calls blocked: whether something outside the task really blocks it.
    #[serde(default)]
    pub blocked: bool,
}

/// Something that was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
pub struct IssueForm {
    /// How bad it is.
    pub severity: SeverityForm,
    /// What it is.
    pub description: String,
}

words! {
    /// How bad an issue is.
    SeverityForm {
        MustFix "must_fix" "It keeps the task from being approved.";
        ShouldFix "should_fix" "It does not.";
    }
}

/// What the coach's own run of the tests showed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
pub struct ValidationForm {
    /// Whether the tests were run.
    #[serde(default)]
    pub tests_run: Option<bool>,
    /// Whether they passed.
    #[serde(default)]
    pub tests_passed: Option<bool>,
}
