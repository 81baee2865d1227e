//! The four JSON files and the lines of the histories, as text.
//!
//! Files are pretty JSON with two spaces and a newline at the end: the seed's fields in the seed's
//! order, then what the seed does not have, exactly as it was written. Lines are compact.

use super::form;
use super::records::{HistoryRecord, Judgement};
use super::shapes::{ActiveFile, PlanFile, ProfileFile, StateFile};

/// `profile.json`.
pub fn render_profile(file: &ProfileFile) -> String {
    form::render(file)
}

/// `state.json`.
pub fn render_state(file: &StateFile) -> String {
    form::render(file)
}

/// `plan.json`.
pub fn render_plan(file: &PlanFile) -> String {
    form::render(file)
}

/// `active-slice.json`.
pub fn render_active(file: &ActiveFile) -> String {
    form::render(file)
}

/// One line of `slice-history.jsonl`, with its newline.
pub fn history_line(record: &HistoryRecord) -> String {
    form::line(record)
}

/// One line of `stop-check-history.jsonl`, with its newline.
pub fn judgment_line(record: &Judgement) -> String {
    form::line(record)
}
