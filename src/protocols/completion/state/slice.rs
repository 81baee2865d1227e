//! A slice: its criteria, its state, and the claim about it.

use super::super::files::Extra;
use super::super::files::words::{ActiveStatus, SliceStatus};
use crate::mission::prelude::*;
use crate::vocab::ledger::Judgement;
use crate::vocab::table::Row;
use crate::vocab::verdict::Speaker;

/// One slice of the plan.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Slice {
    /// Unique id.
    pub slice_id: String,
    /// What it is for.
    pub goal: String,
    /// What defines done.
    pub criteria: Vec<Criterion>,
    /// Contract ids it serves.
    pub contract_ids: Vec<String>,
    /// Rank 1..8 of `completion-default`.
    pub priority: u8,
    /// Where it is.
    pub status: SliceStatus,
    /// Why it matters now.
    pub why_now: String,
    /// Slices that must be closed first, or reasons in words.
    pub blocked_on: Vec<String>,
    /// What must be fixed when it is worked on next.
    pub must_fix: Vec<String>,
    /// Why it was skipped or deferred.
    pub disposition: Option<Disposition>,
    /// How it was closed.
    pub closed: Option<Closed>,
    /// Evidence lines taken over from another engine.
    pub evidence: Vec<String>,
    /// Unknown fields.
    pub extra: Vec<Extra>,
}

/// Why a slice was skipped or deferred.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum Disposition {
    /// Let go: waived, and its dependants may go on.
    Skipped {
        /// Why.
        reason: String,
    },
    /// Put off: its dependants wait.
    Deferred {
        /// Why.
        reason: String,
    },
}

/// How a slice was closed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Closed {
    /// The commit it was verified at.
    pub commit: String,
    /// The commit its work began from.
    pub basis: String,
    /// The ordinal of that head.
    pub ordinal: u64,
    /// What it covers: its own diff, or `*` for everything.
    pub paths: BTreeSet<String>,
}

impl Row for Slice {
    fn id(&self) -> &str {
        &self.slice_id
    }

    fn group(&self) -> &'static str {
        match &self.disposition {
            Some(Disposition::Deferred { .. }) => "deferred",
            _ => self.status.as_str(),
        }
    }

    fn is_live(&self) -> bool {
        !self.closed()
    }
}

impl Slice {
    /// Whether its dependants may go on.
    pub fn closed(&self) -> bool {
        matches!(self.status, SliceStatus::Done | SliceStatus::Cancelled)
    }

    /// Whether it was deferred.
    pub fn deferred(&self) -> bool {
        matches!(self.disposition, Some(Disposition::Deferred { .. }))
    }
}

/// The slice cursor with the exact hand-off.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Active {
    /// The slice.
    pub slice_id: String,
    /// Where it is.
    pub status: ActiveStatus,
    /// Notes that bind the implementer.
    pub locked_notes: Vec<String>,
    /// What must be fixed.
    pub must_fix: Vec<String>,
    /// The head when it was selected; `none` if the branch was unborn.
    pub basis_commit: String,
    /// Contract ids that were open at the hand-off.
    pub remaining_contract_ids_before: Vec<String>,
    /// Release blockers at the hand-off.
    pub release_blocker_count_before: u64,
    /// High-value gaps at the hand-off.
    pub high_value_gap_count_before: u64,
    /// The accepted claim.
    pub claim: Option<AcceptedClaim>,
    /// The review of it.
    pub review: Option<Judgement>,
    /// The audit of it.
    pub audit: Option<Judgement>,
}

/// A claim that was accepted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AcceptedClaim {
    /// Who claimed.
    pub by: Speaker,
    /// The commit.
    pub commit: String,
    /// The ordinal of that head.
    pub ordinal: u64,
    /// What differs from the basis; `*` for everything.
    pub paths: BTreeSet<String>,
}
