//! The four JSON files as types, field by field in the seed's order.

use super::fields::Extra;
use super::words::{ActiveStatus, Phase, Policy, RoleName, SliceStatus};
use crate::mission::prelude::*;

/// The only `protocol_id` of a profile.
pub const PROTOCOL_ID: &str = "completion";
/// The only `priority_policy_id` of a profile.
pub const PRIORITY_POLICY_ID: &str = "completion-default";
/// The ranks of [`PRIORITY_POLICY_ID`]: 1 is worked on first.
pub const RANKS: std::ops::RangeInclusive<i64> = 1..=8;
/// The most stop judges a profile may ask for.
pub const MOST_JUDGES: i64 = 99;

/// `profile.json`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProfileFile {
    /// The repository's name.
    pub project_name: String,
    /// How many judgements at one head end the mission; 1 to [`MOST_JUDGES`].
    pub required_stop_judges: u32,
    /// Documentation that must stay true.
    pub docs_surfaces: Vec<String>,
    /// Fields the seed does not have.
    pub extra: Vec<Extra>,
}

/// `state.json`: the twenty fields of the seed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StateFile {
    /// The mission in one sentence.
    pub mission_anchor: String,
    /// The state of the mission.
    pub current_phase: Phase,
    /// Whether and why it goes on.
    pub continuation_policy: Policy,
    /// In words.
    pub continuation_reason: String,
    /// The mission has ended, judged.
    pub project_done: bool,
    /// Nothing may go on before a re-ground.
    pub requires_reground: bool,
    /// Slices since the last re-ground.
    pub slices_since_last_reground: u64,
    /// How many release blockers are left, once known.
    pub remaining_release_blockers: Option<u64>,
    /// How many high-value gaps are left, once known.
    pub remaining_high_value_gaps: Option<u64>,
    /// Contract ids not yet satisfied.
    pub unsatisfied_contract_ids: Vec<String>,
    /// Which of them block a release.
    pub release_blocker_ids: Vec<String>,
    /// What comes next, in words; nothing once done.
    pub next_mandatory_action: Option<String>,
    /// Who is dispatched next; none once done.
    pub next_mandatory_role: Option<RoleName>,
    /// Judgements still missing.
    pub remaining_stop_judges: u64,
    /// RFC 3339.
    pub last_reground_at: Option<String>,
    /// What the last auditor said.
    pub last_auditor_verdict: Option<String>,
    /// Free text; `unknown` at first.
    pub contract_status: String,
    /// The slice that was committed last.
    pub latest_completed_slice: Option<String>,
    /// The slice that was verified last.
    pub latest_verified_slice: Option<String>,
    /// Fields the seed does not have.
    pub extra: Vec<Extra>,
}

/// `plan.json`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlanFile {
    /// The mission in one sentence.
    pub mission_anchor: String,
    /// RFC 3339.
    pub last_reground_at: Option<String>,
    /// What the plan rests on, in words.
    pub plan_basis: String,
    /// The backlog, in order.
    pub candidate_slices: Vec<SliceEntry>,
    /// Fields the seed does not have.
    pub extra: Vec<Extra>,
}

/// One slice of the plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SliceEntry {
    /// Unique in the plan.
    pub slice_id: String,
    /// What the slice is for.
    pub goal: String,
    /// When it is done; never empty.
    pub acceptance_criteria: Vec<String>,
    /// What it contributes to.
    pub contract_ids: Vec<String>,
    /// A rank of [`RANKS`], unless read leniently.
    pub priority: i64,
    /// Its life.
    pub status: SliceStatus,
    /// Why it comes when it comes.
    pub why_now: String,
    /// What it waits for.
    pub blocked_on: Vec<String>,
    /// What shows that it is done.
    pub evidence: Vec<String>,
    /// Fields the seed does not have.
    pub extra: Vec<Extra>,
}

/// `active-slice.json`. While idle, what is optional is `null` and every list is usually empty.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ActiveFile {
    /// The mission in one sentence.
    pub mission_anchor: String,
    /// Its life. If live, every `Option` below is there.
    pub status: ActiveStatus,
    /// Which slice.
    pub slice_id: Option<String>,
    /// What it is for.
    pub goal: Option<String>,
    /// What it contributes to.
    pub contract_ids: Vec<String>,
    /// When it is done.
    pub acceptance_criteria: Vec<String>,
    /// A rank of [`RANKS`], unless read leniently.
    pub priority: Option<i64>,
    /// Why it comes now.
    pub why_now: Option<String>,
    /// What it waits for.
    pub blocked_on: Vec<String>,
    /// What an earlier run wants the next one to know.
    pub locked_notes: Vec<String>,
    /// Findings that must be fixed before it is accepted.
    pub must_fix_findings: Vec<String>,
    /// The head when it was selected: a full object name, or `none`.
    pub basis_commit: Option<String>,
    /// Open contract ids when it was selected.
    pub remaining_contract_ids_before: Vec<String>,
    /// Release blockers when it was selected.
    pub release_blocker_count_before: Option<u64>,
    /// High-value gaps when it was selected.
    pub high_value_gap_count_before: Option<u64>,
    /// Fields the seed does not have.
    pub extra: Vec<Extra>,
}

impl PlanFile {
    /// The slice of this id.
    pub fn slice(&self, id: &str) -> Option<&SliceEntry> {
        self.candidate_slices.iter().find(|slice| slice.slice_id == id)
    }

    /// The slice that is selected or in progress.
    pub fn current(&self) -> Option<&SliceEntry> {
        self.candidate_slices.iter().find(|slice| slice.status.current())
    }
}
