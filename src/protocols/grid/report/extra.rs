//! What becomes of the extra fields of a report: agents write more than they are asked for. Nothing of it is dropped in
//! silence: fields that can be told as words of the run are kept as such, all others are named.

use super::super::role::Role;
use super::fields::{self, Extra};
use super::limits;
use crate::vocab::error::Result;
use crate::vocab::json;
use crate::vocab::text::{one_line, printable};
use serde_json::Value;

/// The most characters of all extra fields of one report.
const MOST_BESIDE: usize = 20_000;
/// The most characters of prose around the block of a report that are kept.
const MOST_PROSE: usize = 4_000;

/// Whether an extra field at this place in the form of a role is kept as words of its run.
pub(in super::super) fn is_kept(role: Role, at: &str) -> bool {
    match role {
        Role::Executor | Role::Debugger => true,
        Role::VisualInspector | Role::E2eExerciser | Role::PersonaSimulator => {
            at.starts_with("findings[")
        }
        Role::Planner | Role::Recognizer | Role::RefinementLead | Role::Learner => false,
    }
}

/// Fields of a report that its form does not know, each with its place.
pub(super) fn names(role: Role, report: &Value) -> Vec<String> {
    let name = |one: Extra| match one.no_wave {
        true => format!("{} (no number)", one.at),
        false => one.at,
    };
    fields::extra(fields::of(role), report).into_iter().map(name).collect()
}

/// The extra fields that are kept, each with its place: in words, all of it.
///
/// # Errors
/// `too_large` if the extra fields of a report are longer than allowed.
pub(super) fn words(role: Role, report: &Value) -> Result<Vec<(String, String)>> {
    let kept = fields::extra(fields::of(role), report).into_iter();
    let kept: Vec<_> = kept.filter(|one| is_kept(role, &one.at)).filter_map(spoken).collect();
    let all: String = kept.iter().map(|(_, words)| words.as_str()).collect();
    let first = kept.first().map(|(at, _)| at.clone()).unwrap_or_default();
    limits::refuse(limits::text(first, &all, MOST_BESIDE).into_iter().collect())?;
    Ok(kept)
}

/// The same in lines.
///
/// # Errors
/// As [`words`].
pub(super) fn lines(role: Role, report: &Value) -> Result<Vec<String>> {
    Ok(words(role, report)?.into_iter().map(line).collect())
}

/// The extra fields of an entry of the scratchpad, in lines.
pub(in super::super) fn of_entry(entry: &Value) -> Vec<String> {
    fields::extra(fields::ENTRY, entry).into_iter().filter_map(spoken).map(line).collect()
}

/// An extra field with its place and its words, if it says anything.
fn spoken(one: Extra) -> Option<(String, String)> {
    let words = printable(&said(one.value));
    (!words.is_empty()).then_some((one.at, words))
}

fn line((at, words): (String, String)) -> String {
    format!("{at}: {words}")
}

/// The prose around the block of a report; of more than is kept it is said how much there is.
pub(super) fn prose(text: &str) -> String {
    let all = printable(text);
    let all = all.trim();
    let more = all.chars().count().saturating_sub(MOST_PROSE);
    match more {
        0 => all.to_owned(),
        more => {
            let kept: String = all.chars().take(MOST_PROSE).collect();
            format!(
                "{kept}\n({more} characters more stand in the report of its run, in the journal)"
            )
        }
    }
}

/// A value in words, in one line.
pub(super) fn said(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => one_line(text),
        Value::Array(items) => {
            items.iter().map(said).filter(|one| !one.is_empty()).collect::<Vec<_>>().join("; ")
        }
        Value::Object(fields) if fields.is_empty() => String::new(),
        other => one_line(&json::encode(other)),
    }
}
