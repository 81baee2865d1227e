//! The names of the fields: the seed's, in its order, and those of the later peer (0.1.91); and the
//! form of each object on disk.

use super::form::Form;
use super::shapes::{PRIORITY_POLICY_ID, PROTOCOL_ID};

/// The fields of the profile in the seed's order.
pub const PROFILE_FIELDS: [&str; 6] = [
    "schema_version",
    "protocol_id",
    "project_name",
    "required_stop_judges",
    "priority_policy_id",
    "docs_surfaces",
];
/// The twenty fields of the state in the seed's order.
pub const STATE_FIELDS: [&str; 20] = [
    "schema_version",
    "mission_anchor",
    "current_phase",
    "continuation_policy",
    "continuation_reason",
    "project_done",
    "requires_reground",
    "slices_since_last_reground",
    "remaining_release_blockers",
    "remaining_high_value_gaps",
    "unsatisfied_contract_ids",
    "release_blocker_ids",
    "next_mandatory_action",
    "next_mandatory_role",
    "remaining_stop_judges",
    "last_reground_at",
    "last_auditor_verdict",
    "contract_status",
    "latest_completed_slice",
    "latest_verified_slice",
];
/// The fields of the plan in the seed's order.
pub const PLAN_FIELDS: [&str; 5] =
    ["schema_version", "mission_anchor", "last_reground_at", "plan_basis", "candidate_slices"];
/// The fields of one slice of the plan in the seed's order.
pub const SLICE_FIELDS: [&str; 9] = [
    "slice_id",
    "goal",
    "acceptance_criteria",
    "contract_ids",
    "priority",
    "status",
    "why_now",
    "blocked_on",
    "evidence",
];
/// The fields of the active slice in the seed's order.
pub const ACTIVE_FIELDS: [&str; 16] = [
    "schema_version",
    "mission_anchor",
    "status",
    "slice_id",
    "goal",
    "contract_ids",
    "acceptance_criteria",
    "priority",
    "why_now",
    "blocked_on",
    "locked_notes",
    "must_fix_findings",
    "basis_commit",
    "remaining_contract_ids_before",
    "release_blocker_count_before",
    "high_value_gap_count_before",
];

/// `profile.json`.
pub(super) const PROFILE: Form = Form {
    constants: &[("protocol_id", PROTOCOL_ID), ("priority_policy_id", PRIORITY_POLICY_ID)],
    ..Form::of(&PROFILE_FIELDS, &["task_type", "evaluation_profile"])
};
/// `state.json`.
pub(super) const STATE: Form = Form::of(
    &STATE_FIELDS,
    &[
        "workflow_entry_status",
        "workflow_entry_source",
        "workflow_entry_confirmed_at",
        "workflow_session_id",
        "startup_brief_path",
        "task_type",
        "evaluation_profile",
        "current_stop_wave_id",
    ],
);
/// `plan.json`.
pub(super) const PLAN: Form = Form {
    members: Some(("candidate_slices", &SLICE)),
    ..Form::of(&PLAN_FIELDS, &["task_type", "evaluation_profile"])
};
/// One slice of the plan.
pub(super) const SLICE: Form = Form::of(
    &SLICE_FIELDS,
    &[
        "locked_notes",
        "must_fix_findings",
        "implementation_surfaces",
        "verification_commands",
        "basis_commit",
        "remaining_contract_ids_before",
        "release_blocker_count_before",
        "high_value_gap_count_before",
    ],
);
/// `active-slice.json`. An idle one of the seed may lack rank and reason altogether.
pub(super) const ACTIVE: Form = Form {
    absent: |object| match object.raw("status") {
        Some("\"idle\"") => &[("priority", "null"), ("why_now", "null")],
        _ => &[],
    },
    ..Form::of(
        &ACTIVE_FIELDS,
        &["task_type", "evaluation_profile", "implementation_surfaces", "verification_commands"],
    )
};
