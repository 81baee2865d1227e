//! The objects on disk: their fields in the seed's order, each with what it holds, and the fields of
//! the later peer (0.1.91).

use super::form::Form;
use super::kind::Kind::{
    Commit, Constant, Count, Criteria, Flag, Judges, Live, Objects, Optional, OrNull, Rank, Said,
    Status, Text, Texts, Time, Version,
};
use super::kind::word;
use super::shapes::{PRIORITY_POLICY_ID, PROTOCOL_ID};
use super::words::{Phase, Policy, RoleName, SliceStatus};

/// `profile.json`.
pub(super) const PROFILE: Form = Form {
    seed: &[
        ("schema_version", Version),
        ("protocol_id", Constant(PROTOCOL_ID)),
        ("project_name", Said),
        ("required_stop_judges", Judges),
        ("priority_policy_id", Constant(PRIORITY_POLICY_ID)),
        ("docs_surfaces", Texts),
    ],
    peer: &["task_type", "evaluation_profile"],
};
/// `state.json`.
pub(super) const STATE: Form = Form {
    seed: &[
        ("schema_version", Version),
        ("mission_anchor", Said),
        ("current_phase", word::<Phase>()),
        ("continuation_policy", word::<Policy>()),
        ("continuation_reason", Text),
        ("project_done", Flag),
        ("requires_reground", Flag),
        ("slices_since_last_reground", Count),
        ("remaining_release_blockers", OrNull(&Count)),
        ("remaining_high_value_gaps", OrNull(&Count)),
        ("unsatisfied_contract_ids", Texts),
        ("release_blocker_ids", Texts),
        ("next_mandatory_action", OrNull(&Text)),
        ("next_mandatory_role", OrNull(&word::<RoleName>())),
        ("remaining_stop_judges", Count),
        ("last_reground_at", OrNull(&Time)),
        ("last_auditor_verdict", OrNull(&Text)),
        ("contract_status", Text),
        ("latest_completed_slice", OrNull(&Text)),
        ("latest_verified_slice", OrNull(&Text)),
    ],
    peer: &[
        "workflow_entry_status",
        "workflow_entry_source",
        "workflow_entry_confirmed_at",
        "workflow_session_id",
        "startup_brief_path",
        "task_type",
        "evaluation_profile",
        "current_stop_wave_id",
    ],
};
/// `plan.json`.
pub(super) const PLAN: Form = Form {
    seed: &[
        ("schema_version", Version),
        ("mission_anchor", Said),
        ("last_reground_at", OrNull(&Time)),
        ("plan_basis", Text),
        ("candidate_slices", Objects(&SLICE)),
    ],
    peer: &["task_type", "evaluation_profile"],
};
/// One slice of the plan.
const SLICE: Form = Form {
    seed: &[
        ("slice_id", Said),
        ("goal", Said),
        ("acceptance_criteria", Criteria),
        ("contract_ids", Texts),
        ("priority", Rank),
        ("status", word::<SliceStatus>()),
        ("why_now", Text),
        ("blocked_on", Texts),
        ("evidence", Texts),
    ],
    peer: &[
        "locked_notes",
        "must_fix_findings",
        "implementation_surfaces",
        "verification_commands",
        "basis_commit",
        "remaining_contract_ids_before",
        "release_blocker_count_before",
        "high_value_gap_count_before",
    ],
};
/// `active-slice.json`. An idle one of the seed may lack rank and reason altogether.
pub(super) const ACTIVE: Form = Form {
    seed: &[
        ("schema_version", Version),
        ("mission_anchor", Said),
        ("status", Status),
        ("slice_id", Live(&Said, &OrNull(&Text))),
        ("goal", Live(&Said, &OrNull(&Text))),
        ("contract_ids", Texts),
        ("acceptance_criteria", Live(&Criteria, &Texts)),
        ("priority", Live(&Rank, &Optional(&Rank))),
        ("why_now", Live(&Text, &Optional(&Text))),
        ("blocked_on", Texts),
        ("locked_notes", Texts),
        ("must_fix_findings", Texts),
        ("basis_commit", Live(&Commit, &OrNull(&Commit))),
        ("remaining_contract_ids_before", Texts),
        ("release_blocker_count_before", Live(&Count, &OrNull(&Count))),
        ("high_value_gap_count_before", Live(&Count, &OrNull(&Count))),
    ],
    peer: &["task_type", "evaluation_profile", "implementation_surfaces", "verification_commands"],
};

/// The fields of the profile in the seed's order.
pub const PROFILE_FIELDS: [&str; 6] = PROFILE.names();
/// The twenty fields of the state in the seed's order.
pub const STATE_FIELDS: [&str; 20] = STATE.names();
/// The fields of the plan in the seed's order.
pub const PLAN_FIELDS: [&str; 5] = PLAN.names();
/// The fields of one slice of the plan in the seed's order.
pub const SLICE_FIELDS: [&str; 9] = SLICE.names();
/// The fields of the active slice in the seed's order.
pub const ACTIVE_FIELDS: [&str; 16] = ACTIVE.names();
