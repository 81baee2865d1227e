//! The parts of an executor's report that do not belong to its status: a part that contradicts the status is refused,
//! and words about work that is not done are kept for the next run.

use super::extra::said;
use super::{ExecutorReport, Status, limits};
use crate::mission::prelude::*;
use crate::vocab::json;
use serde_json::Value;

/// The most characters that a report of work that is not done says in its summary and its claims.
const MOST_SAID: usize = 40_000;

/// The parts of a report that go with one status only.
const PARTS: [(&str, Status); 2] =
    [("checkpoint", Status::Checkpoint), ("failure", Status::Failure)];

/// A report says one thing: a filled part of another status contradicts its own.
///
/// # Errors
/// `inconsistent_verdict` with the part, and its text.
pub(in super::super) fn consistent(report: &ExecutorReport) -> Result<()> {
    let status = report.status;
    let whole: Value = json::decode(&json::encode(report))?;
    for (part, of) in PARTS.into_iter().filter(|(_, of)| *of != status) {
        if let Some((at, words)) = whole.get(part).and_then(|value| filled(value, part)) {
            let (mine, word) = (status.as_str(), of.as_str());
            let expected = format!("nothing filled in there with {mine}, or the status {word}");
            let got = format!("{at}: {}", clip(&words, 200));
            return Err(Error::new(Code::InconsistentVerdict, part, expected, got));
        }
    }
    Ok(())
}

/// A report without the parts of its form that belong to another status and that nobody filled in; none where there
/// are none of those.
pub(super) fn without_echo(object: &Value) -> Option<Value> {
    let mut object = object.clone();
    let fields = object.as_object_mut()?;
    let status = fields.get("status").and_then(Value::as_str).and_then(json::choice);
    let before = fields.len();
    for (part, _) in PARTS.into_iter().filter(|(_, of)| Some(*of) != status) {
        let echo = fields.get(part).is_some_and(|value| filled(value, part).is_none());
        if echo {
            fields.remove(part);
        }
    }
    (fields.len() < before).then_some(object)
}

/// The first place where something is said. A type, a status and a number are in every form.
fn filled(value: &Value, at: &str) -> Option<(String, String)> {
    match value {
        Value::String(text) => says(text).then(|| (at.to_owned(), one_line(text))),
        Value::Array(items) => {
            let mut all = items.iter().enumerate();
            all.find_map(|(place, one)| filled(one, &format!("{at}[{place}]")))
        }
        Value::Object(fields) => {
            let mut all = fields.iter().filter(|(name, _)| *name != "type" && *name != "status");
            all.find_map(|(name, one)| filled(one, &format!("{at}.{name}")))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => None,
    }
}

/// Whether a text says anything: blank, or the dots of the form, is nothing.
pub(super) fn says(text: &str) -> bool {
    !matches!(text.trim(), "" | "…" | "...")
}

/// What the summary and the claims of a report say, in lines, for who goes on where it stopped.
pub(in super::super) fn along(report: &ExecutorReport) -> Vec<String> {
    let word = report.status.as_str();
    let mut lines = Vec::new();
    if let Some(value) =
        report.summary.as_ref().and_then(|one| json::decode(&json::encode(one)).ok())
    {
        fields(&value, "summary", &mut lines);
    }
    for claim in &report.claims {
        let proof: Vec<String> = claim.evidence.iter().map(Evidence::line).collect();
        let proof = if proof.is_empty() { "no evidence".to_owned() } else { proof.join("; ") };
        lines.push(format!("claims {}: {proof}", claim.criterion));
    }
    lines.iter().map(|line| one_line(&format!("said with {word}: {line}"))).collect()
}

/// Each field that says something; a mapping by its own fields.
fn fields(value: &Value, at: &str, lines: &mut Vec<String>) {
    for (name, one) in value.as_object().into_iter().flatten() {
        let at = format!("{at}.{name}");
        match one {
            Value::Object(_) => fields(one, &at, lines),
            _ if one.as_bool() == Some(true) || filled(one, "").is_some() => {
                lines.push(format!("{at}: {}", said(one)));
            }
            _ => {}
        }
    }
}

/// What goes to who comes next goes there whole, or back.
///
/// # Errors
/// `too_large`.
pub(super) fn fit(report: &ExecutorReport) -> Result<()> {
    if report.status == Status::Success {
        return Ok(());
    }
    let all: String = along(report).concat();
    limits::refuse(limits::text("summary", &all, MOST_SAID).into_iter().collect())
}
