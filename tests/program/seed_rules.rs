//! The rules of the seed-era verifier, written down here once more and independently of our own
//! reader, over what `init` writes and over what a mission leaves that has come to its end.
//!
//! That verifier looks at eight files, their fields, their enums and at unknown keys. It does not look
//! at git, at the histories, or at one file beside another.

use crate::binary;
use crate::binary::{endstate, json, said, text, write};
use serde_json::{Map, Value, json};
use std::path::Path;
use std::process::Command;

const FILES: [&str; 8] = [
    "README.md",
    "mission.md",
    "profile.json",
    "verify_completion_stop.sh",
    "verify_completion_control_plane.sh",
    "state.json",
    "plan.json",
    "active-slice.json",
];
const PROFILE: [&str; 6] = [
    "schema_version",
    "protocol_id",
    "project_name",
    "required_stop_judges",
    "priority_policy_id",
    "docs_surfaces",
];
const STATE: [&str; 20] = [
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
const PLAN: [&str; 5] =
    ["schema_version", "mission_anchor", "last_reground_at", "plan_basis", "candidate_slices"];
const SLICE: [&str; 9] = [
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
const ACTIVE: [&str; 14] = [
    "schema_version",
    "mission_anchor",
    "status",
    "slice_id",
    "goal",
    "contract_ids",
    "acceptance_criteria",
    "blocked_on",
    "locked_notes",
    "must_fix_findings",
    "basis_commit",
    "remaining_contract_ids_before",
    "release_blocker_count_before",
    "high_value_gap_count_before",
];
const PHASES: [&str; 9] = [
    "reground",
    "implement",
    "post_commit_review",
    "post_commit_audit",
    "post_commit_reconcile",
    "stop_wave",
    "awaiting_user",
    "blocked",
    "done",
];
const POLICIES: [&str; 5] = ["continue", "await_user_input", "blocked", "paused", "done"];
const ROLES: [&str; 6] = [
    "completion-bootstrapper",
    "completion-regrounder",
    "completion-implementer",
    "completion-reviewer",
    "completion-auditor",
    "completion-stop-judge",
];

/// A JSON object of which every field is one of `fields`, and every one of `fields` there.
fn object(path: &Path, fields: &[&str]) -> Map<String, Value> {
    exact(json(path), fields, &path.display().to_string())
}

fn exact(value: Value, fields: &[&str], at: &str) -> Map<String, Value> {
    let Value::Object(object) = value else { panic!("{at}: no object") };
    for name in object.keys() {
        assert!(fields.contains(&name.as_str()), "{at}: the key {name} is unknown");
    }
    for name in fields {
        assert!(object.contains_key(*name), "{at}: {name} is missing");
    }
    object
}

fn one_of(value: &Value, words: &[&str], at: &str) {
    assert!(value.as_str().is_some_and(|word| words.contains(&word)), "{at}: {value}");
}

fn strings(value: &Value, at: &str) -> usize {
    let items = value.as_array().unwrap_or_else(|| panic!("{at}: {value}"));
    assert!(
        items.iter().all(|item| item.as_str().is_some_and(|text| !text.is_empty())),
        "{at}: {value}"
    );
    items.len()
}

fn filled(value: &Value, at: &str) {
    assert!(value.as_str().is_some_and(|text| !text.trim().is_empty()), "{at}: {value}");
}

fn count_or_null(value: &Value, at: &str) {
    assert!(value.is_null() || value.is_u64(), "{at}: {value}");
}

fn profile(agent: &Path) {
    let profile = object(&agent.join("profile.json"), &PROFILE);
    assert_eq!(profile["schema_version"], json!(1));
    assert_eq!(profile["protocol_id"], json!("completion"));
    assert_eq!(profile["priority_policy_id"], json!("completion-default"));
    assert_eq!(profile["required_stop_judges"], json!(3));
    filled(&profile["project_name"], "project_name");
    strings(&profile["docs_surfaces"], "docs_surfaces");
}

fn state(agent: &Path) -> Map<String, Value> {
    let state = object(&agent.join("state.json"), &STATE);
    assert_eq!(state["schema_version"], json!(1));
    filled(&state["mission_anchor"], "mission_anchor");
    filled(&state["continuation_reason"], "continuation_reason");
    one_of(&state["current_phase"], &PHASES, "current_phase");
    one_of(&state["continuation_policy"], &POLICIES, "continuation_policy");
    assert!(state["project_done"].is_boolean() && state["requires_reground"].is_boolean());
    assert!(
        state["slices_since_last_reground"].is_u64() && state["remaining_stop_judges"].is_u64()
    );
    count_or_null(&state["remaining_release_blockers"], "remaining_release_blockers");
    count_or_null(&state["remaining_high_value_gaps"], "remaining_high_value_gaps");
    strings(&state["unsatisfied_contract_ids"], "unsatisfied_contract_ids");
    strings(&state["release_blocker_ids"], "release_blocker_ids");
    if !state["next_mandatory_role"].is_null() {
        one_of(&state["next_mandatory_role"], &ROLES, "next_mandatory_role");
        filled(&state["next_mandatory_action"], "next_mandatory_action");
    }
    filled(&state["contract_status"], "contract_status");
    for name in [
        "last_reground_at",
        "last_auditor_verdict",
        "latest_completed_slice",
        "latest_verified_slice",
    ] {
        assert!(state[name].is_null() || state[name].is_string(), "{name}: {}", state[name]);
    }
    state
}

fn plan(agent: &Path) -> Vec<Map<String, Value>> {
    let plan = object(&agent.join("plan.json"), &PLAN);
    assert_eq!(plan["schema_version"], json!(1));
    filled(&plan["mission_anchor"], "mission_anchor");
    let slices = plan["candidate_slices"].as_array().unwrap().iter();
    slices.map(|slice| self::slice(slice.clone())).collect()
}

fn slice(slice: Value) -> Map<String, Value> {
    let statuses = ["planned", "selected", "in_progress", "blocked", "done", "cancelled"];
    let slice = exact(slice, &SLICE, "candidate_slices");
    for name in ["slice_id", "goal", "why_now"] {
        filled(&slice[name], name);
    }
    assert!(strings(&slice["acceptance_criteria"], "acceptance_criteria") > 0);
    strings(&slice["contract_ids"], "contract_ids");
    strings(&slice["blocked_on"], "blocked_on");
    strings(&slice["evidence"], "evidence");
    assert!(slice["priority"].as_f64().is_some_and(f64::is_finite));
    one_of(&slice["status"], &statuses, "status");
    slice
}

fn active(agent: &Path) -> Map<String, Value> {
    let path = agent.join("active-slice.json");
    let statuses = ["idle", "selected", "in_progress", "committed", "done"];
    let status = json(&path)["status"].clone();
    one_of(&status, &statuses, "status");
    let chosen = [&ACTIVE[..], &["priority", "why_now"]].concat();
    if status == json!("idle") {
        let Value::Object(idle) = json(&path) else { panic!("no object") };
        assert!(idle.keys().all(|name| chosen.contains(&name.as_str())), "{idle:?}");
        assert!(ACTIVE.iter().all(|name| idle.contains_key(*name)), "{idle:?}");
        return idle;
    }
    let active = object(&path, &chosen);
    for name in ["slice_id", "goal", "why_now", "basis_commit"] {
        filled(&active[name], name);
    }
    assert!(strings(&active["acceptance_criteria"], "acceptance_criteria") > 0);
    for name in [
        "contract_ids",
        "blocked_on",
        "locked_notes",
        "must_fix_findings",
        "remaining_contract_ids_before",
    ] {
        strings(&active[name], name);
    }
    for name in ["priority", "release_blocker_count_before", "high_value_gap_count_before"] {
        assert!(active[name].is_u64(), "{name}: {}", active[name]);
    }
    active
}

struct Directory {
    state: Map<String, Value>,
    plan: Vec<Map<String, Value>>,
    active: Map<String, Value>,
}

fn every_rule(root: &Path) -> Directory {
    let agent = root.join(".agent");
    for name in FILES {
        assert!(agent.join(name).is_file(), "{name} is missing");
    }
    profile(&agent);
    Directory { state: state(&agent), plan: plan(&agent), active: active(&agent) }
}

#[test]
fn what_init_writes_keeps_every_rule() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("repo");
    binary::repository(&root, &[("README.md", "hello\n")]);
    endstate(&root, &["init", "There is a greeting"]).expect(0);
    let Directory { state, plan, active } = every_rule(&root);
    assert_eq!(state["mission_anchor"], json!("There is a greeting"));
    for (name, value) in [
        ("current_phase", json!("reground")),
        ("continuation_policy", json!("continue")),
        ("next_mandatory_role", json!("completion-regrounder")),
        ("requires_reground", json!(true)),
        ("project_done", json!(false)),
        ("remaining_release_blockers", Value::Null),
        ("remaining_high_value_gaps", Value::Null),
        ("contract_status", json!("unknown")),
        ("last_reground_at", Value::Null),
        ("last_auditor_verdict", Value::Null),
        ("latest_completed_slice", Value::Null),
        ("latest_verified_slice", Value::Null),
    ] {
        assert_eq!(state[name], value, "{name}");
    }
    assert_eq!((plan.len(), &active["status"]), (0, &json!("idle")));
}

#[test]
fn what_a_finished_mission_leaves_keeps_every_rule() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("demo");
    endstate(folder.path(), &["demo", "--dir", text(&root)]).expect(0);
    let Directory { state, plan, .. } = every_rule(&root);
    for (name, value) in [
        ("current_phase", json!("done")),
        ("continuation_policy", json!("done")),
        ("project_done", json!(true)),
        ("next_mandatory_role", Value::Null),
        ("remaining_stop_judges", json!(0)),
        ("unsatisfied_contract_ids", json!([])),
    ] {
        assert_eq!(state[name], value, "{name}");
    }
    assert!(plan.len() >= 4);
    for slice in plan {
        assert_eq!(slice["status"], json!("done"));
        // Done is done with a proof for each criterion.
        let criteria = slice["acceptance_criteria"].as_array().unwrap().len();
        assert!(slice["evidence"].as_array().unwrap().len() >= criteria, "{slice:?}");
    }
}

/// Runs one of the generated scripts, with our program as its `endstate`.
fn script(root: &Path, name: &str) -> Option<i32> {
    let mut bash = Command::new("bash");
    bash.arg(root.join(".agent").join(name)).current_dir(root);
    said(bash.env("ENDSTATE_BIN", env!("CARGO_BIN_EXE_endstate"))).status
}

#[test]
fn the_smoke_test_of_the_seed_passes() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("repo");
    binary::repository(&root, &[("README.md", "hello\n")]);
    endstate(&root, &["init", "Smoke-test mission"]).expect(0);
    let scripts = ["verify_completion_control_plane.sh", "verify_completion_stop.sh"];
    scripts.iter().for_each(|name| assert_eq!(script(&root, name), Some(0), "{name}"));
    let path = root.join(".agent/active-slice.json");
    let mut active = json(&path);
    for (name, value) in [
        ("status", json!("selected")),
        ("slice_id", json!("smoke-slice")),
        ("goal", json!("verify selected handoff schema")),
        ("contract_ids", json!(["smoke-contract"])),
        ("acceptance_criteria", json!(["the handoff is verified"])),
        ("blocked_on", json!([])),
        ("locked_notes", json!([])),
        ("must_fix_findings", json!([])),
        ("basis_commit", json!("deadbeef")),
        ("remaining_contract_ids_before", json!(["smoke-contract"])),
        ("release_blocker_count_before", json!(1)),
        ("high_value_gap_count_before", json!(0)),
    ] {
        active[name] = value;
    }
    let fields = active.as_object_mut().unwrap();
    fields.remove("priority");
    fields.remove("why_now");
    write(&path, active.to_string());
    let checked = endstate(&root, &["check", "--level", "files", "--json"]).expect(13);
    assert!(checked.stdout.contains("missing_field"), "{}", checked.stdout);
    assert_ne!(script(&root, scripts[0]), Some(0));
    active["priority"] = json!(1);
    active["why_now"] = json!("prove that the check works");
    write(&path, active.to_string());
    scripts.iter().for_each(|name| assert_eq!(script(&root, name), Some(0), "{name}"));
}
