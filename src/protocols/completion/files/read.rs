//! The four JSON files, read.
//!
//! Every fault names its code, the JSON path, what was expected and what came. The first fault
//! ends the reading: a file is whole or it is not used. Fields that the seed does not have are
//! kept; those of the later peer (0.1.91) without a word, all others with a note.

use super::fields::{Fields, Mode, Reading};
use super::names::{
    ACTIVE_FIELDS, PEER_ACTIVE, PEER_PLAN, PEER_PROFILE, PEER_SLICE, PEER_STATE, PLAN_FIELDS,
    PROFILE_FIELDS, SLICE_FIELDS, STATE_FIELDS,
};
use super::shapes::{
    ActiveFile, MOST_JUDGES, PRIORITY_POLICY_ID, PROTOCOL_ID, PlanFile, ProfileFile, RANKS,
    SliceEntry, StateFile,
};
use super::words::{ActiveStatus, Phase, Policy};
use crate::vocab::criterion;
use crate::vocab::error::{Code, Error, Result};
use std::collections::BTreeMap;

/// Reads `profile.json`.
///
/// # Errors
/// Kind `malformed`: see the head of this module.
pub fn read_profile(text: &str, mode: Mode) -> Result<Reading<ProfileFile>> {
    let mut fields = Fields::file(text, mode)?;
    exactly(&fields, "protocol_id", PROTOCOL_ID)?;
    exactly(&fields, "priority_policy_id", PRIORITY_POLICY_ID)?;
    let judges = fields.integer("required_stop_judges")?;
    let in_range = (1..=MOST_JUDGES).contains(&judges);
    let required_stop_judges =
        u32::try_from(judges).ok().filter(|_| in_range).ok_or_else(|| {
            let expected = format!("an integer from 1 to {MOST_JUDGES}");
            let got = judges.to_string();
            Error::new(Code::NumberOutOfRange, "required_stop_judges", expected, got)
        })?;
    let profile = ProfileFile {
        project_name: fields.said("project_name")?,
        required_stop_judges,
        docs_surfaces: fields.texts("docs_surfaces")?,
        extra: fields.extras(&PROFILE_FIELDS, &PEER_PROFILE)?,
    };
    Ok(fields.reading(profile))
}

fn exactly(fields: &Fields, name: &str, only: &str) -> Result<()> {
    let text: String = fields.field(name)?;
    match text == only {
        true => Ok(()),
        false => {
            Err(Error::new(Code::UnknownValue, name, format!("`{only}`"), format!("`{text}`")))
        }
    }
}

/// Reads `state.json`.
///
/// # Errors
/// Kind `malformed`: see the head of this module. In strict mode also `invalid_value` for a state
/// that is done in one field and not in another.
pub fn read_state(text: &str, mode: Mode) -> Result<Reading<StateFile>> {
    let mut fields = Fields::file(text, mode)?;
    let state = StateFile {
        mission_anchor: fields.said("mission_anchor")?,
        current_phase: fields.word("current_phase")?,
        continuation_policy: fields.word("continuation_policy")?,
        continuation_reason: fields.field("continuation_reason")?,
        project_done: fields.field("project_done")?,
        requires_reground: fields.field("requires_reground")?,
        slices_since_last_reground: fields.count("slices_since_last_reground")?,
        remaining_release_blockers: fields.count_or_null("remaining_release_blockers")?,
        remaining_high_value_gaps: fields.count_or_null("remaining_high_value_gaps")?,
        unsatisfied_contract_ids: fields.texts("unsatisfied_contract_ids")?,
        release_blocker_ids: fields.texts("release_blocker_ids")?,
        next_mandatory_action: fields.text_or_null("next_mandatory_action")?,
        next_mandatory_role: fields.word_or_null("next_mandatory_role")?,
        remaining_stop_judges: fields.count("remaining_stop_judges")?,
        last_reground_at: fields.time_or_null("last_reground_at")?,
        last_auditor_verdict: fields.text_or_null("last_auditor_verdict")?,
        contract_status: fields.field("contract_status")?,
        latest_completed_slice: fields.text_or_null("latest_completed_slice")?,
        latest_verified_slice: fields.text_or_null("latest_verified_slice")?,
        extra: fields.extras(&STATE_FIELDS, &PEER_STATE)?,
    };
    done_everywhere(&state, &mut fields)?;
    Ok(fields.reading(state))
}

/// A phase of done under a policy of continue once made the peer delete its whole state.
fn done_everywhere(state: &StateFile, fields: &mut Fields) -> Result<()> {
    let phase = state.current_phase == Phase::Done;
    let policy = state.continuation_policy == Policy::Done;
    if phase == policy && policy == state.project_done {
        return Ok(());
    }
    let got = format!(
        "phase `{}`, policy `{}`, project_done {}",
        state.current_phase, state.continuation_policy, state.project_done
    );
    let expected = "done in current_phase, continuation_policy and project_done, or in none";
    fields.weigh(Error::new(Code::InvalidValue, "current_phase", expected, got))
}

/// Reads `plan.json`.
///
/// # Errors
/// Kind `malformed`: see the head of this module. In strict mode also `duplicate_id` and
/// `two_selected`.
pub fn read_plan(text: &str, mode: Mode) -> Result<Reading<PlanFile>> {
    let mut fields = Fields::file(text, mode)?;
    let plan = PlanFile {
        mission_anchor: fields.said("mission_anchor")?,
        last_reground_at: fields.time_or_null("last_reground_at")?,
        plan_basis: fields.field("plan_basis")?,
        candidate_slices: read_slices(&mut fields, mode)?,
        extra: fields.extras(&PLAN_FIELDS, &PEER_PLAN)?,
    };
    unique_ids(&plan, &mut fields)?;
    one_current(&plan, &mut fields)?;
    Ok(fields.reading(plan))
}

fn read_slices(fields: &mut Fields, mode: Mode) -> Result<Vec<SliceEntry>> {
    // Raw, so that numbers in unknown fields are neither refused nor rounded.
    let raws = fields.raws("candidate_slices")?;
    let mut slices = Vec::with_capacity(raws.len());
    for (position, raw) in raws.iter().enumerate() {
        let place = format!("candidate_slices[{position}]");
        let slice = read_slice(raw.get(), mode).map_err(|error| error.within(&place))?;
        fields.note_all(&place, slice.notes);
        slices.push(slice.value);
    }
    Ok(slices)
}

/// Reads one slice of a plan.
///
/// # Errors
/// Kind `malformed`: see the head of this module.
pub fn read_slice(text: &str, mode: Mode) -> Result<Reading<SliceEntry>> {
    let mut fields = Fields::object(text, mode)?;
    let slice = SliceEntry {
        slice_id: fields.said("slice_id")?,
        goal: fields.said("goal")?,
        acceptance_criteria: read_criteria(&mut fields)?,
        contract_ids: fields.texts("contract_ids")?,
        priority: read_rank(&mut fields)?,
        status: fields.word("status")?,
        why_now: fields.field("why_now")?,
        blocked_on: fields.texts("blocked_on")?,
        evidence: fields.texts("evidence")?,
        extra: fields.extras(&SLICE_FIELDS, &PEER_SLICE)?,
    };
    Ok(fields.reading(slice))
}

/// Criteria that are there at all and, in strict mode, can each be told from the others.
fn read_criteria(fields: &mut Fields) -> Result<Vec<String>> {
    let texts = fields.texts("acceptance_criteria")?;
    match criterion::from_texts(&texts) {
        Ok(_) => Ok(texts),
        Err(error) if texts.is_empty() => Err(error),
        Err(error) => fields.weigh(error).map(|()| texts),
    }
}

fn read_rank(fields: &mut Fields) -> Result<i64> {
    let rank = fields.integer("priority")?;
    if !RANKS.contains(&rank) {
        let expected = format!("a rank from {} to {}", RANKS.start(), RANKS.end());
        let got = rank.to_string();
        fields.weigh(Error::new(Code::NumberOutOfRange, "priority", expected, got))?;
    }
    Ok(rank)
}

fn unique_ids(plan: &PlanFile, fields: &mut Fields) -> Result<()> {
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    for (position, slice) in plan.candidate_slices.iter().enumerate() {
        let Some(first) = seen.insert(&slice.slice_id, position) else { continue };
        let at = format!("candidate_slices[{position}].slice_id");
        let got = format!("`{}`, as candidate_slices[{first}]", slice.slice_id);
        fields.weigh(Error::new(Code::DuplicateId, at, "an id of its own", got))?;
    }
    Ok(())
}

fn one_current(plan: &PlanFile, fields: &mut Fields) -> Result<()> {
    let mut current = plan.candidate_slices.iter().enumerate().filter(|(_, s)| s.status.current());
    let Some((_, first)) = current.next() else { return Ok(()) };
    for (position, slice) in current {
        let at = format!("candidate_slices[{position}].status");
        let got = format!("`{}` beside `{}`", slice.slice_id, first.slice_id);
        let expected = "one slice that is selected or in_progress";
        fields.weigh(Error::new(Code::TwoSelected, at, expected, got))?;
    }
    Ok(())
}

/// Reads `active-slice.json`.
///
/// # Errors
/// Kind `malformed`: see the head of this module. A live slice must carry its exact hand-off.
pub fn read_active(text: &str, mode: Mode) -> Result<Reading<ActiveFile>> {
    let mut fields = Fields::file(text, mode)?;
    let status: ActiveStatus = fields.word("status")?;
    let active = ActiveFile {
        mission_anchor: fields.said("mission_anchor")?,
        status,
        slice_id: live_text(&fields, status, "slice_id")?,
        goal: live_text(&fields, status, "goal")?,
        contract_ids: fields.texts("contract_ids")?,
        acceptance_criteria: live_criteria(&mut fields, status)?,
        priority: live_rank(&mut fields, status)?,
        why_now: live_reason(&fields, status)?,
        blocked_on: fields.texts("blocked_on")?,
        locked_notes: fields.texts("locked_notes")?,
        must_fix_findings: fields.texts("must_fix_findings")?,
        basis_commit: live_commit(&mut fields, status)?,
        remaining_contract_ids_before: fields.texts("remaining_contract_ids_before")?,
        release_blocker_count_before: live_count(&fields, status, "release_blocker_count_before")?,
        high_value_gap_count_before: live_count(&fields, status, "high_value_gap_count_before")?,
        extra: fields.extras(&ACTIVE_FIELDS, &PEER_ACTIVE)?,
    };
    Ok(fields.reading(active))
}

fn live_text(fields: &Fields, status: ActiveStatus, name: &str) -> Result<Option<String>> {
    match status.live() {
        true => fields.said(name).map(Some),
        false => fields.text_or_null(name),
    }
}

fn live_criteria(fields: &mut Fields, status: ActiveStatus) -> Result<Vec<String>> {
    match status.live() {
        true => read_criteria(fields),
        false => fields.texts("acceptance_criteria"),
    }
}

/// An idle file of the seed may lack the rank altogether.
fn live_rank(fields: &mut Fields, status: ActiveStatus) -> Result<Option<i64>> {
    match status.live() || fields.present("priority") {
        true => read_rank(fields).map(Some),
        false => Ok(None),
    }
}

/// An idle file of the seed may lack the reason altogether.
fn live_reason(fields: &Fields, status: ActiveStatus) -> Result<Option<String>> {
    match status.live() || fields.present("why_now") {
        true => fields.field("why_now").map(Some),
        false => Ok(None),
    }
}

fn live_commit(fields: &mut Fields, status: ActiveStatus) -> Result<Option<String>> {
    let commit = live_text(fields, status, "basis_commit")?;
    if let Some(name) = commit.as_deref().filter(|name| *name != "none" && !full_name(name)) {
        let expected = "a full object name of 40 or 64 hex digits, or `none`";
        fields.weigh(Error::new(Code::InvalidValue, "basis_commit", expected, name))?;
    }
    Ok(commit)
}

fn live_count(fields: &Fields, status: ActiveStatus, name: &str) -> Result<Option<u64>> {
    match status.live() {
        true => fields.count(name).map(Some),
        false => fields.count_or_null(name),
    }
}

/// Whether `text` is the full name of a git object.
pub fn full_name(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}
