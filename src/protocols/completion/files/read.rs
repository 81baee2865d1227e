//! The four JSON files, read: what each must hold beyond the types of its fields.
//!
//! Every fault names its code, the JSON path, what was expected and what came. The first fault
//! ends the reading: a file is whole or it is not used. Fields that the seed does not have are
//! kept; those of the later peer (0.1.91) without a word, all others with a note.

use super::fields::{Mode, Reading};
use super::form::{self, Form, Found, OnDisk};
use super::names;
use super::shapes::{ActiveFile, MOST_JUDGES, PlanFile, ProfileFile, RANKS, SliceEntry, StateFile};
use super::words::{Phase, Policy};
use crate::vocab::criterion;
use crate::vocab::error::{Code, Error, Result, ensure};
use crate::vocab::time::parse_rfc3339;
use std::collections::BTreeMap;

/// Reads `profile.json`.
///
/// # Errors
/// Kind `malformed`: see the head of this module.
pub fn read_profile(text: &str, mode: Mode) -> Result<Reading<ProfileFile>> {
    form::read(text, mode)
}

/// Reads `state.json`.
///
/// # Errors
/// Kind `malformed`: see the head of this module. In strict mode also `invalid_value` for a state
/// that is done in one field and not in another.
pub fn read_state(text: &str, mode: Mode) -> Result<Reading<StateFile>> {
    form::read(text, mode)
}

/// Reads `plan.json`.
///
/// # Errors
/// Kind `malformed`: see the head of this module. In strict mode also `duplicate_id` and
/// `two_selected`.
pub fn read_plan(text: &str, mode: Mode) -> Result<Reading<PlanFile>> {
    form::read(text, mode)
}

/// Reads `active-slice.json`.
///
/// # Errors
/// Kind `malformed`: see the head of this module. A live slice must carry its exact hand-off.
pub fn read_active(text: &str, mode: Mode) -> Result<Reading<ActiveFile>> {
    form::read(text, mode)
}

impl OnDisk for ProfileFile {
    const FORM: &'static Form = &names::PROFILE;

    fn check(&self, _: &mut Found) -> Result<()> {
        let judges = self.required_stop_judges;
        ensure((1..=MOST_JUDGES).contains(&i64::from(judges)), || {
            let expected = format!("an integer from 1 to {MOST_JUDGES}");
            let (at, got) = ("required_stop_judges", judges.to_string());
            Error::new(Code::NumberOutOfRange, at, expected, got)
        })?;
        said("project_name", &self.project_name)
    }
}

impl OnDisk for StateFile {
    const FORM: &'static Form = &names::STATE;

    fn check(&self, found: &mut Found) -> Result<()> {
        said("mission_anchor", &self.mission_anchor)?;
        time("last_reground_at", &self.last_reground_at, found)?;
        done_everywhere(self, found)
    }
}

/// A phase of done under a policy of continue once made the peer delete its whole state.
fn done_everywhere(state: &StateFile, found: &mut Found) -> Result<()> {
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
    found.weigh(Error::new(Code::InvalidValue, "current_phase", expected, got))
}

impl OnDisk for PlanFile {
    const FORM: &'static Form = &names::PLAN;

    fn check(&self, found: &mut Found) -> Result<()> {
        said("mission_anchor", &self.mission_anchor)?;
        time("last_reground_at", &self.last_reground_at, found)?;
        for (position, slice) in self.candidate_slices.iter().enumerate() {
            found.within(&format!("candidate_slices[{position}]"), |found| slice.check(found))?;
        }
        unique_ids(self, found)?;
        one_current(self, found)
    }
}

fn unique_ids(plan: &PlanFile, found: &mut Found) -> Result<()> {
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    for (position, slice) in plan.candidate_slices.iter().enumerate() {
        let Some(first) = seen.insert(&slice.slice_id, position) else { continue };
        let at = format!("candidate_slices[{position}].slice_id");
        let got = format!("`{}`, as candidate_slices[{first}]", slice.slice_id);
        found.weigh(Error::new(Code::DuplicateId, at, "an id of its own", got))?;
    }
    Ok(())
}

fn one_current(plan: &PlanFile, found: &mut Found) -> Result<()> {
    let mut current = plan.candidate_slices.iter().enumerate().filter(|(_, s)| s.status.current());
    let Some((_, first)) = current.next() else { return Ok(()) };
    for (position, slice) in current {
        let at = format!("candidate_slices[{position}].status");
        let got = format!("`{}` beside `{}`", slice.slice_id, first.slice_id);
        let expected = "one slice that is selected or in_progress";
        found.weigh(Error::new(Code::TwoSelected, at, expected, got))?;
    }
    Ok(())
}

impl OnDisk for SliceEntry {
    const FORM: &'static Form = &names::SLICE;

    fn check(&self, found: &mut Found) -> Result<()> {
        said("slice_id", &self.slice_id)?;
        said("goal", &self.goal)?;
        criteria(&self.acceptance_criteria, found)?;
        rank(self.priority, found)
    }
}

impl OnDisk for ActiveFile {
    const FORM: &'static Form = &names::ACTIVE;

    fn check(&self, found: &mut Found) -> Result<()> {
        said("mission_anchor", &self.mission_anchor)?;
        if self.status.live() {
            handed_off(self)?;
            criteria(&self.acceptance_criteria, found)?;
        }
        self.priority.map_or(Ok(()), |priority| rank(priority, found))?;
        match self.basis_commit.as_deref() {
            Some(name) if name != "none" && !full_name(name) => {
                let expected = "a full object name of 40 or 64 hex digits, or `none`";
                let error = Error::new(Code::InvalidValue, "basis_commit", expected, name);
                found.weigh(error)
            }
            _ => Ok(()),
        }
    }
}

/// A live slice carries its exact hand-off.
fn handed_off(file: &ActiveFile) -> Result<()> {
    for (name, text) in
        [("slice_id", &file.slice_id), ("goal", &file.goal), ("basis_commit", &file.basis_commit)]
    {
        said(name, there(name, "a string", text)?)?;
    }
    there("why_now", "a string", &file.why_now)?;
    there("priority", "an integer", &file.priority)?;
    there("release_blocker_count_before", "an integer", &file.release_blocker_count_before)?;
    there("high_value_gap_count_before", "an integer", &file.high_value_gap_count_before)?;
    Ok(())
}

fn there<'a, T>(name: &str, expected: &str, value: &'a Option<T>) -> Result<&'a T> {
    value.as_ref().ok_or_else(|| Error::new(Code::WrongType, name, expected, "null"))
}

/// Whether `text` is the full name of a git object.
fn full_name(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// A text that says something.
pub(super) fn said(name: &str, text: &str) -> Result<()> {
    ensure(!text.trim().is_empty(), || {
        Error::new(Code::InvalidValue, name, "a text that is not blank", text)
    })
}

/// An RFC 3339 time or nothing, kept as it is written.
fn time(name: &str, text: &Option<String>, found: &mut Found) -> Result<()> {
    match text.as_deref().map(parse_rfc3339) {
        Some(Err(error)) => found.weigh(error.within(name)),
        _ => Ok(()),
    }
}

/// Criteria that are there at all and, in strict mode, can each be told from the others.
fn criteria(texts: &[String], found: &mut Found) -> Result<()> {
    match criterion::from_texts(texts) {
        Err(error) if texts.is_empty() => Err(error),
        Err(error) => found.weigh(error),
        Ok(_) => Ok(()),
    }
}

fn rank(rank: i64, found: &mut Found) -> Result<()> {
    if RANKS.contains(&rank) {
        return Ok(());
    }
    let expected = format!("a rank from {} to {}", RANKS.start(), RANKS.end());
    let error = Error::new(Code::NumberOutOfRange, "priority", expected, rank.to_string());
    found.weigh(error)
}
