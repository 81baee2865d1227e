//! The four JSON files and the lines of the histories, as text.
//!
//! Files are pretty JSON with two spaces and a newline at the end: the seed's fields in the seed's
//! order, then what the seed does not have, exactly as it was written. Lines are compact.

use super::fields::Extra;
use super::history::{HistoryRecord, Judgement};
use super::names::{ACTIVE_FIELDS, PLAN_FIELDS, PROFILE_FIELDS, SLICE_FIELDS, STATE_FIELDS};
use super::shapes::{
    ActiveFile, PRIORITY_POLICY_ID, PROTOCOL_ID, PlanFile, ProfileFile, SliceEntry, StateFile,
};
use super::words::Word;
use crate::vocab::json::encode;
use crate::vocab::time::rfc3339;
use serde::Serialize;

/// `profile.json`.
pub fn render_profile(file: &ProfileFile) -> String {
    let values = vec![
        encode(&1),
        encode(&PROTOCOL_ID),
        encode(&file.project_name),
        encode(&file.required_stop_judges),
        encode(&PRIORITY_POLICY_ID),
        list(&file.docs_surfaces, 1),
    ];
    whole(&PROFILE_FIELDS, values, &file.extra)
}

/// `state.json`.
pub fn render_state(file: &StateFile) -> String {
    let values = vec![
        encode(&1),
        encode(&file.mission_anchor),
        encode(&file.current_phase),
        encode(&file.continuation_policy),
        encode(&file.continuation_reason),
        encode(&file.project_done),
        encode(&file.requires_reground),
        encode(&file.slices_since_last_reground),
        encode(&file.remaining_release_blockers),
        encode(&file.remaining_high_value_gaps),
        list(&file.unsatisfied_contract_ids, 1),
        list(&file.release_blocker_ids, 1),
        encode(&file.next_mandatory_action),
        encode(&file.next_mandatory_role),
        encode(&file.remaining_stop_judges),
        encode(&file.last_reground_at),
        encode(&file.last_auditor_verdict),
        encode(&file.contract_status),
        encode(&file.latest_completed_slice),
        encode(&file.latest_verified_slice),
    ];
    whole(&STATE_FIELDS, values, &file.extra)
}

/// `plan.json`.
pub fn render_plan(file: &PlanFile) -> String {
    let slices = file.candidate_slices.iter().map(slice).collect();
    let values = vec![
        encode(&1),
        encode(&file.mission_anchor),
        encode(&file.last_reground_at),
        encode(&file.plan_basis),
        bracket('[', slices, ']', 1),
    ];
    whole(&PLAN_FIELDS, values, &file.extra)
}

fn slice(entry: &SliceEntry) -> String {
    let values = vec![
        encode(&entry.slice_id),
        encode(&entry.goal),
        list(&entry.acceptance_criteria, 3),
        list(&entry.contract_ids, 3),
        encode(&entry.priority),
        encode(&entry.status),
        encode(&entry.why_now),
        list(&entry.blocked_on, 3),
        list(&entry.evidence, 3),
    ];
    object(&SLICE_FIELDS, values, &entry.extra, 2)
}

/// `active-slice.json`.
pub fn render_active(file: &ActiveFile) -> String {
    let values = vec![
        encode(&1),
        encode(&file.mission_anchor),
        encode(&file.status),
        encode(&file.slice_id),
        encode(&file.goal),
        list(&file.contract_ids, 1),
        list(&file.acceptance_criteria, 1),
        encode(&file.priority),
        encode(&file.why_now),
        list(&file.blocked_on, 1),
        list(&file.locked_notes, 1),
        list(&file.must_fix_findings, 1),
        encode(&file.basis_commit),
        list(&file.remaining_contract_ids_before, 1),
        encode(&file.release_blocker_count_before),
        encode(&file.high_value_gap_count_before),
    ];
    whole(&ACTIVE_FIELDS, values, &file.extra)
}

/// One line of `slice-history.jsonl`, with its newline.
pub fn history_line(record: &HistoryRecord) -> String {
    let mut line = Line::start(record.kind.as_str(), record.at);
    line.add("slice_id", &record.slice_id);
    line.add("commit_sha", &record.commit_sha);
    line.add("head_sha", &record.head_sha);
    line.end(&record.extra)
}

/// One line of `stop-check-history.jsonl`, with its newline.
pub fn judgment_line(record: &Judgement) -> String {
    let mut line = Line::start("judgment", record.at);
    line.add("head_sha", &record.head_sha);
    line.add("can_stop", &record.can_stop);
    line.add("blocker_count", &record.blocker_count);
    line.add("high_value_gap_count", &record.high_value_gap_count);
    line.end(&record.extra)
}

/// A compact object on one line.
struct Line {
    text: String,
}

impl Line {
    fn start(kind: &str, at: u64) -> Self {
        let mut line = Line { text: "{\"schema_version\":1".to_owned() };
        line.add("type", kind);
        line.add("recorded_at", &rfc3339(at));
        line
    }

    fn add<T: Serialize + ?Sized>(&mut self, name: &str, value: &T) {
        self.add_raw(name, &encode(&value));
    }

    fn add_raw(&mut self, name: &str, raw: &str) {
        self.text.push(',');
        self.text.push_str(&encode(&name));
        self.text.push(':');
        self.text.push_str(raw);
    }

    fn end(mut self, extras: &[Extra]) -> String {
        for extra in extras {
            self.add_raw(extra.name(), &compact(extra.raw()));
        }
        self.text.push_str("}\n");
        self.text
    }
}

/// JSON text without the space between its tokens; a line of a history has no line breaks.
pub(super) fn compact(raw: &str) -> String {
    let (mut quoted, mut escaped) = (false, false);
    let kept = raw.chars().filter(|&c| {
        let keep = quoted || !matches!(c, ' ' | '\t' | '\n' | '\r');
        match (quoted, escaped, c) {
            (true, true, _) => escaped = false,
            (true, false, '\\') => escaped = true,
            (_, false, '"') => quoted = !quoted,
            _ => {}
        }
        keep
    });
    kept.collect()
}

fn whole(names: &[&str], values: Vec<String>, extras: &[Extra]) -> String {
    let mut text = object(names, values, extras, 0);
    text.push('\n');
    text
}

/// The object's own fields, then the extras; `depth` is how far its closing bracket is indented.
fn object(names: &[&str], values: Vec<String>, extras: &[Extra], depth: usize) -> String {
    let own = names.iter().copied().zip(values);
    // An extra of a known name cannot come from a reader; twice the same field would not be read.
    let foreign = extras.iter().filter(|extra| !names.contains(&extra.name()));
    let foreign = foreign.map(|extra| (extra.name(), extra.raw().to_owned()));
    let lines = own.chain(foreign).map(|(name, value)| format!("{}: {value}", encode(&name)));
    bracket('{', lines.collect(), '}', depth)
}

fn list(texts: &[String], depth: usize) -> String {
    bracket('[', texts.iter().map(encode).collect(), ']', depth)
}

fn bracket(open: char, members: Vec<String>, close: char, depth: usize) -> String {
    if members.is_empty() {
        return format!("{open}{close}");
    }
    let (inner, outer) = ("  ".repeat(depth + 1), "  ".repeat(depth));
    format!("{open}\n{inner}{}\n{outer}{close}", members.join(&format!(",\n{inner}")))
}
