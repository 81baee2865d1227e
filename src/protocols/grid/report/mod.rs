//! The reports of all roles: the source of the published schemas.
//!
//! A report begins with the shared header and holds one fenced block, `json` or `yaml`; both are read by
//! the same types. Outcomes are the words of a field, never words found in prose. Fields that are not
//! known are no fault, since agents write more than they are asked for: they are kept as words of the run, or named.

mod checkpoint;
mod execution;
pub(super) mod extra;
pub(super) mod fields;
pub(super) mod limits;
pub(super) mod outcome;
mod planning;
mod recognition;
mod refinement;

use super::role::Role;
use crate::mission::prelude::*;
use crate::mission::report as shared;
use crate::plan::yaml;
use crate::vocab::json;
use crate::vocab::text::printable;
pub use checkpoint::*;
pub use execution::*;
pub use planning::*;
pub use recognition::*;
pub use refinement::*;
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
#[derive(Clone, Debug, PartialEq, Eq)]
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

impl Report {
    /// What it rests on where it says that something holds.
    pub(super) fn evidence(&self) -> Vec<&Vec<Evidence>> {
        match self {
            Report::Executor(read) => read.claims.iter().map(|one| &one.evidence).collect(),
            Report::Recognizer(read) => {
                let holds = read.verdicts.iter().filter(|row| row.finding == Finding::Holds);
                holds.map(|row| &row.evidence).collect()
            }
            Report::Planner(_)
            | Report::Debugger(_)
            | Report::Lead(_)
            | Report::Swarm(_)
            | Report::Learner(_) => Vec::new(),
        }
    }
}

/// A report, and the fields that its form does not know.
pub(super) type Read = (Report, Vec<String>);

/// Reads the report of a role for the mission `anchor`, and names the fields that its form does not know, each with its
/// place; [`extra::is_kept`] says which of them are kept as words of the run.
///
/// # Errors
/// The exact fault: header, fence, or path in the block.
pub fn read(role: Role, anchor: &str, text: &str) -> Result<Read> {
    let found = shared::read(anchor, text, &LANGUAGES, |language, block| {
        Block::of(language, block).and_then(|block| block.read(role)).map_err(|error| {
            match error.at.starts_with("line ") {
                // Where a reader stopped says nothing of what is missing.
                true if matches!(error.code, Code::MissingField | Code::WrongType) => {
                    Error { at: language.to_owned(), ..error }
                }
                _ => error.within(language),
            }
        })
    })?;
    let (mut report, unread) = found.report;
    if let Report::Executor(report) = &mut report {
        report.prose = extra::prose(&found.prose);
    }
    Ok((report, unread))
}

/// The block of a report: as JSON, which says where a fault is, and its object.
struct Block {
    text: String,
    object: Value,
}

impl Block {
    fn of(language: &str, block: &str) -> Result<Block> {
        let text = match language {
            "json" => block.to_owned(),
            _ => json::encode(&Value::Object(yaml::written(block, 1)?)),
        };
        json::decode(&text).map(|object| Block { text, object })
    }

    /// The report, and the fields that its form does not know.
    fn read(&self, role: Role) -> Result<(Report, Vec<String>)> {
        let mut unread = extra::names(role, &self.object);
        let report = self.understood(role, &mut unread)?;
        // A form may ask for nothing; a block that knows nothing of it is about something else.
        let fields = self.object.as_object().into_iter().flat_map(|fields| fields.keys());
        let mut fields = fields.peekable();
        match fields.peek().is_some() && fields.all(|name| unread.contains(name)) {
            true => Err(Error::new(Code::MissingField, "", "a field of the form", "none of them")),
            false => Ok((report, unread)),
        }
    }

    fn understood(&self, role: Role, unread: &mut Vec<String>) -> Result<Report> {
        Ok(match role {
            Role::Planner => {
                super::plan_form::planner(&self.object)?;
                Report::Planner(self.typed(role, unread)?)
            }
            Role::Executor => {
                let mut report = self.executor(unread)?;
                report.whole()?;
                outcome::fit(&report)?;
                report.beside.extend(extra::lines(role, &self.object)?);
                Report::Executor(Box::new(report))
            }
            Role::Recognizer => {
                let report = self.typed(role, unread)?;
                consistent(&report)?;
                Report::Recognizer(report)
            }
            Role::Debugger => {
                let mut report: super::debug::DebugReport = self.typed(role, unread)?;
                report.beside.extend(extra::lines(role, &self.object)?);
                Report::Debugger(report)
            }
            Role::RefinementLead => {
                let report: LeadReport = self.typed(role, unread)?;
                report.has_personas()?;
                Report::Lead(report)
            }
            Role::VisualInspector | Role::E2eExerciser | Role::PersonaSimulator => {
                let mut report: SwarmReport = self.typed(role, unread)?;
                report.has_words()?;
                report.keep(extra::words(role, &self.object)?);
                Report::Swarm(report)
            }
            Role::Learner => Report::Learner(self.typed(role, unread)?),
        })
    }

    /// An executor's report; what it repeats of its form and does not fill in is no fault of it.
    fn executor(&self, unread: &mut Vec<String>) -> Result<ExecutorReport> {
        let report = self.typed(Role::Executor, unread);
        report.or_else(|error: Error| match outcome::without_echo(&self.object) {
            Some(object) if error.code != Code::DuplicateField => {
                Block { text: json::encode(&object), object }.typed(Role::Executor, unread)
            }
            _ => Err(error),
        })
    }

    fn typed<T: Readable>(&self, role: Role, unread: &mut Vec<String>) -> Result<T> {
        bounded(&self.object, "")?;
        // Read as it was given first: what is written twice is refused there.
        let (_, unknown) = json::decode_noting::<T>(&self.text)?;
        unread.extend(unknown);
        limits::fit(role, &self.object)?;
        json::decode_noting(&json::encode(&plain(&self.object))).map(|(read, _)| read)
    }
}

/// No text of an agent carries what moves a cursor, a colour or the direction of a line.
fn plain(value: &Value) -> Value {
    match value {
        Value::String(text) => Value::String(printable(text)),
        Value::Array(items) => items.iter().map(plain).collect(),
        Value::Object(fields) => {
            fields.iter().map(|(name, one)| (name.clone(), plain(one))).collect()
        }
        other => other.clone(),
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

/// The schemas of all reports, by name.
pub fn schemas() -> Vec<(&'static str, schemars::Schema)> {
    vec![
        (Role::Planner.schema(), schemars::schema_for!(PlannerReport)),
        (Role::Executor.schema(), schemars::schema_for!(ExecutorReport)),
        (Role::Recognizer.schema(), schemars::schema_for!(RecognizerReport)),
        (Role::Debugger.schema(), schemars::schema_for!(super::debug::DebugReport)),
        (Role::RefinementLead.schema(), schemars::schema_for!(LeadReport)),
        (Role::VisualInspector.schema(), schemars::schema_for!(SwarmReport)),
        (Role::Learner.schema(), schemars::schema_for!(Learnings)),
    ]
}
