//! The ground that runs check.

use crate::mission::prelude::*;

/// Why the canonical state must be grounded anew.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Reground {
    /// The reason in one word.
    pub reason: RegroundReason,
    /// What is behind it, for the regrounder.
    pub details: Vec<String>,
}

/// See [`Reground`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RegroundReason {
    /// Nothing has been grounded yet.
    Fresh,
    /// The plan was taken over from another engine.
    Adopted,
    /// A canonical file was missing, unreadable, contradictory or edited beyond what is allowed.
    FilesDistrusted,
    /// The implementer found the plan wrong.
    PlanDrift,
    /// The worktree is dirty although it must be clean.
    DirtyTree,
    /// The head moved away from the claimed commit.
    HeadMoved,
    /// A stop judge said no.
    JudgeRefused,
    /// The stop verifier failed.
    VerifierFailed,
}

/// What the last re-ground left behind.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Grounding {
    /// A plan was made.
    pub planned: bool,
    /// What the plan rests on.
    pub plan_basis: String,
    /// When.
    pub at: Option<Millis>,
    /// Slices committed since.
    pub slices_since: u64,
    /// Release blockers left, if counted.
    pub release_blockers: Option<u64>,
    /// High-value gaps left, if counted.
    pub high_value_gaps: Option<u64>,
    /// Ids of the release blockers.
    pub release_blocker_ids: Vec<String>,
    /// The last auditor's word.
    pub auditor_verdict: Option<String>,
    /// The slice that was committed last.
    pub completed_slice: Option<String>,
    /// The slice that was accepted last.
    pub verified_slice: Option<String>,
    /// Counts changes of the plan file.
    pub plan_revision: u64,
}
