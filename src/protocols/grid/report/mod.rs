//! The reports of all roles: the source of the published schemas.
//!
//! A report begins with the shared header and holds one fenced block, `json` or `yaml`; both are read by
//! the same types. Outcomes are the words of a field, never words found in prose. Fields that are not
//! known are no fault, since agents write more than they are asked for: they are kept as words of the run, or named.

pub(super) mod beside;
mod checkpoint;
mod execution;
pub(super) mod limits;
pub(super) mod outcome;
mod planning;
mod recognition;
mod refinement;
pub(super) mod unread;

use super::role::Role;
use crate::mission::report as shared;
use crate::plan::yaml;
use crate::vocab::error::{Code, Error, Result};
use crate::vocab::json;
use crate::vocab::text::printable;
pub use checkpoint::*;
pub use execution::*;
pub use planning::*;
pub use recognition::*;
pub use refinement::*;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use crate::vocab::tagged::tagged;
use serde::Serialize;
use serde_json::Value;

/// What the block of a report is written in.
const LANGUAGES: [&str; 3] = ["json", "yaml", "yml"];
/// The most items of any list of a report.
const MOST_ITEMS: usize = 500;

/// The longest title, place and expectation of a finding of the swarm, in characters.
pub(super) const MOST_FOUND: usize = 1_000;
/// The longest description of a deviation, in characters.
pub(super) const MOST_CHANGE: usize = 1_000;

/// A report of any role, understood.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "role", content = "report", rename_all = "snake_case")]
#[schemars(rename = "GridReport")]
pub enum Report {
    /// Of the planner.
    Planner(PlannerReport),
    /// Of an executor.
    Executor(Box<ExecutorReport>),
    /// Of the recognizer.
    Recognizer(RecognizerReport),
    /// Of the debugger.
    Debugger(super::debug::DebugReport),
    /// Of the lead of a refinement.
    Lead(LeadReport),
    /// Of a member of the swarm.
    Swarm(SwarmReport),
    /// Of the one who captures what was learned.
    Learner(Learnings),
}

tagged!(Report, "role", "report": Planner, Executor, Recognizer, Debugger, Lead, Swarm, Learner);

/// Reads the report of a role for the mission `anchor`, and names the fields that its form does not know, each with its
/// place; [`beside::is_kept`] says which of them are kept as words of the run.
///
/// # Errors
/// The exact fault: header, fence, or path in the block.
pub fn read(role: Role, anchor: &str, text: &str) -> Result<(Report, Vec<String>)> {
    let both = |language: &str, block: &str| {
        let value = match language {
            "json" => block.to_owned(),
            _ => json::encode(&Value::Object(yaml::written(block, 1)?)),
        };
        let object = json::decode::<Value>(&value)?;
        let mut unread = beside::names(role, &object);
        let report = understand(role, &value, &mut unread)?;
        // A form may ask for nothing; a block that knows nothing of it is about something else.
        let mut fields = object.as_object().into_iter().flat_map(|fields| fields.keys()).peekable();
        match fields.peek().is_some() && fields.all(|name| unread.contains(name)) {
            true => Err(Error::new(Code::MissingField, "", "a field of the form", "none of them")),
            false => Ok((report, unread)),
        }
    };
    let found = shared::read(anchor, text, &LANGUAGES, |language, block| {
        both(language, block).map_err(|error: Error| match error.at.starts_with("line ") {
            // Where a reader stopped says nothing of what is missing.
            true if matches!(error.code, Code::MissingField | Code::WrongType) => {
                Error { at: language.to_owned(), ..error }
            }
            _ => error.within(language),
        })
    })?;
    let (mut report, unread) = found.report;
    if let Report::Executor(report) = &mut report {
        report.prose = beside::prose(&found.prose);
    }
    Ok((report, unread))
}

fn understand(role: Role, block: &str, unread: &mut Vec<String>) -> Result<Report> {
    Ok(match role {
        Role::Planner => {
            super::plan_form::planner(&json::decode(block)?)?;
            Report::Planner(typed(role, block, unread)?)
        }
        Role::Executor => {
            let mut report = executor(block, unread)?;
            whole(&report)?;
            outcome::fit(&report)?;
            report.beside.extend(beside::lines(role, &json::decode(block)?)?);
            Report::Executor(Box::new(report))
        }
        Role::Recognizer => {
            let report: RecognizerReport = typed(role, block, unread)?;
            consistent(&report)?;
            Report::Recognizer(report)
        }
        Role::Debugger => {
            let mut report: super::debug::DebugReport = typed(role, block, unread)?;
            report.beside.extend(beside::lines(role, &json::decode(block)?)?);
            Report::Debugger(report)
        }
        Role::RefinementLead => {
            let report: LeadReport = typed(role, block, unread)?;
            match (3..=5).contains(&report.personas.len()) {
                true => Report::Lead(report),
                false => {
                    let got = report.personas.len().to_string();
                    return Err(Error::new(Code::InvalidValue, "personas", "three to five", got));
                }
            }
        }
        Role::VisualInspector | Role::E2eExerciser | Role::PersonaSimulator => {
            let mut report: SwarmReport = typed(role, block, unread)?;
            said(&report)?;
            let mut words = beside::words(role, &json::decode(block)?)?;
            for (place, found) in report.findings.iter_mut().enumerate() {
                let of = format!("findings[{place}].");
                let mine = words.extract_if(.., |(at, _)| at.starts_with(&of));
                let line = |(at, words): (String, String)| {
                    format!("{}: {words}", at.strip_prefix(&of).unwrap_or(&at))
                };
                found.beside.extend(mine.map(line));
            }
            Report::Swarm(report)
        }
        Role::Learner => Report::Learner(typed(role, block, unread)?),
    })
}

/// An executor's report; what it repeats of its form and does not fill in is no fault of it.
fn executor(block: &str, unread: &mut Vec<String>) -> Result<ExecutorReport> {
    let report = typed(Role::Executor, block, unread);
    report.or_else(|error: Error| match outcome::without_echo(block) {
        Some(rest) if error.code != Code::DuplicateField => typed(Role::Executor, &rest, unread),
        _ => Err(error),
    })
}

fn typed<T: DeserializeOwned>(role: Role, block: &str, unread: &mut Vec<String>) -> Result<T> {
    let value: Value = json::decode(block)?;
    bounded(&value, "")?;
    // Read as it was given first: what is written twice is refused there.
    let (_, unknown) = json::decode_noting::<T>(block)?;
    unread.extend(unknown);
    limits::fit(role, &value)?;
    json::decode_noting(&json::encode(&plain(value))).map(|(read, _)| read)
}

/// No text of an agent carries what moves a cursor, a colour or the direction of a line.
fn plain(value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(printable(&text)),
        Value::Array(items) => Value::Array(items.into_iter().map(plain).collect()),
        Value::Object(fields) => {
            Value::Object(fields.into_iter().map(|(name, one)| (name, plain(one))).collect())
        }
        other => other,
    }
}

/// A finding says what is wrong, and what would be right.
fn said(report: &SwarmReport) -> Result<()> {
    let blank = |one: &Found| one.title.trim().is_empty() || one.expected.trim().is_empty();
    match report.findings.iter().position(blank) {
        None => Ok(()),
        Some(place) => {
            let at = format!("findings[{place}]");
            Err(Error::new(Code::MissingField, at, "a title and what is expected", "a blank one"))
        }
    }
}

/// No list of a report may be endless.
fn bounded(value: &Value, at: &str) -> Result<()> {
    match value {
        Value::Array(items) if items.len() > MOST_ITEMS => {
            let expected = format!("at most {MOST_ITEMS} items");
            Err(Error::new(Code::TooLarge, at, expected, items.len().to_string()))
        }
        Value::Array(items) => items.iter().try_for_each(|one| bounded(one, at)),
        Value::Object(fields) => fields.iter().try_for_each(|(name, one)| bounded(one, name)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Ok(()),
    }
}

/// An executor's report holds what its status needs.
fn whole(report: &ExecutorReport) -> Result<()> {
    let missing =
        |field: &str, expected: &str| Err(Error::new(Code::MissingField, field, expected, "none"));
    for (place, deviation) in report.deviations.iter().enumerate() {
        if !(1..=4).contains(&deviation.rule) {
            let at = format!("deviations[{place}].rule");
            return Err(Error::new(Code::UnknownValue, at, "1 to 4", deviation.rule.to_string()));
        }
    }
    match (report.status, &report.summary, &report.checkpoint, &report.failure) {
        (Status::Success, None, ..) => missing("summary", "the summary of a finished block"),
        (Status::Checkpoint, _, None, _) => missing("checkpoint", "what a person must do"),
        (Status::Failure, _, _, None) => missing("failure", "a structured failure report"),
        (Status::Failure, _, _, Some(failure)) if failure.is_mute() => {
            missing("failure", "what was tried and why it failed, or a hypothesis, to retry from")
        }
        (Status::Checkpoint, _, Some(checkpoint), _) => complete(checkpoint),
        (Status::Success | Status::Failure, ..) => Ok(()),
    }
}

/// The schemas of all reports, by name.
pub fn schemas() -> Vec<(&'static str, schemars::Schema)> {
    let schema = |role: Role| {
        let schema = match role {
            Role::Planner => schemars::schema_for!(PlannerReport),
            Role::Executor => schemars::schema_for!(ExecutorReport),
            Role::Recognizer => schemars::schema_for!(RecognizerReport),
            Role::Debugger => schemars::schema_for!(super::debug::DebugReport),
            Role::RefinementLead => schemars::schema_for!(LeadReport),
            Role::VisualInspector | Role::E2eExerciser | Role::PersonaSimulator => {
                schemars::schema_for!(SwarmReport)
            }
            Role::Learner => schemars::schema_for!(Learnings),
        };
        (role.schema(), schema)
    };
    let mut all: Vec<_> = Role::ALL.into_iter().map(schema).collect();
    all.dedup_by_key(|(name, _)| *name);
    all
}
