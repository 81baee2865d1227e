//! The report of an executor: a success with its summary, or a failure that says what not to try again.

use super::super::form::{count, list, text, text_of, whole, word, words};
use super::super::scratchpad::EntryForm;
use super::super::warmth::Lessons;
use super::Checkpoint;
use crate::mission::prelude::*;
use crate::vocab::evidence::normal;
use crate::vocab::json::{Fault, Node};
use crate::vocab::word as closed;
use serde::de::Error as _;
use serde_json::Value;

closed::words! {
    /// How an executor came out.
    Status {
        Success "SUCCESS" "Everything is done and committed.";
        Checkpoint "CHECKPOINT" "A person must act.";
        Failure "FAILURE" "It does not work.";
    }
}

/// What an executor returns.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[schemars(rename = "GridExecutorReport")]
pub struct ExecutorReport {
    /// The block.
    #[serde(alias = "plan", alias = "block_id", deserialize_with = "text")]
    pub block: String,
    /// How it came out.
    pub status: Status,
    /// With `SUCCESS`.
    #[serde(default)]
    pub summary: Option<Summary>,
    /// Proof for must-haves, by their ids.
    #[serde(default, deserialize_with = "list")]
    pub claims: Vec<Proof>,
    /// With `CHECKPOINT`.
    #[serde(default)]
    pub checkpoint: Option<Checkpoint>,
    /// With `FAILURE`.
    #[serde(default)]
    pub failure: Option<Failure>,
    /// Deviations from the plan, each with its rule.
    #[serde(default, deserialize_with = "list")]
    pub deviations: Vec<Deviation>,
    /// Approaches that were tried, whatever came of them.
    #[serde(default, deserialize_with = "words")]
    pub approaches: Vec<String>,
    /// Entries that were not written while at work.
    #[serde(default)]
    pub scratchpad: Vec<EntryForm>,
    /// What was learned.
    #[serde(default)]
    pub lessons_learned: Lessons,
    /// Its extra fields.
    #[serde(default, deserialize_with = "words", skip_serializing_if = "Vec::is_empty")]
    #[schemars(skip)]
    pub beside: Vec<String>,
    /// The prose around its block.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schemars(skip)]
    pub prose: String,
}

impl ExecutorReport {
    /// Whether it holds what its status needs.
    pub(super) fn whole(&self) -> Result<()> {
        let missing = |field: &str, expected: &str| {
            Err(Error::new(Code::MissingField, field, expected, "none"))
        };
        let odd = self.deviations.iter().position(|one| !(1..=4).contains(&one.rule));
        if let Some(nth) = odd {
            let (at, got) = (format!("deviations[{nth}].rule"), self.deviations[nth].rule);
            return Err(Error::new(Code::UnknownValue, at, "1 to 4", got.to_string()));
        }
        match (self.status, &self.summary, &self.checkpoint, &self.failure) {
            (Status::Success, None, ..) => missing("summary", "the summary of a finished block"),
            (Status::Checkpoint, _, None, _) => missing("checkpoint", "what a person must do"),
            (Status::Failure, _, _, None) => missing("failure", "a structured failure report"),
            (Status::Failure, _, _, Some(failure)) if failure.is_mute() => missing(
                "failure",
                "what was tried and why it failed, or a hypothesis, to retry from",
            ),
            (Status::Checkpoint, _, Some(checkpoint), _) => checkpoint.complete(),
            (Status::Success | Status::Failure, ..) => Ok(()),
        }
    }
}

/// Proof for one must-have.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[schemars(rename = "GridProof")]
pub struct Proof {
    /// Its id.
    pub criterion: String,
    /// Typed evidence.
    #[serde(default)]
    pub evidence: Vec<Evidence>,
}

/// The front matter of a summary.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(default)]
#[schemars(rename = "GridSummary")]
pub struct Summary {
    /// The part of the system.
    #[serde(deserialize_with = "word")]
    pub subsystem: Option<String>,
    /// What it builds on; a text is what is provided.
    #[serde(deserialize_with = "required")]
    pub requires: Vec<Required>,
    /// What it provides.
    #[serde(deserialize_with = "words")]
    pub provides: Vec<String>,
    /// What it affects.
    #[serde(deserialize_with = "words")]
    pub affects: Vec<String>,
    /// What was added.
    #[serde(rename = "tech-stack", alias = "tech_stack")]
    pub tech_stack: TechStack,
    /// Files that matter.
    #[serde(rename = "key-files", alias = "key_files")]
    pub key_files: KeyFiles,
    /// The commits that carry it.
    #[serde(deserialize_with = "words")]
    pub commits: Vec<String>,
    /// Decisions that were made.
    #[serde(deserialize_with = "words")]
    pub decisions: Vec<String>,
    /// The work was there before the run began: nothing was committed for it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub already_there: bool,
    /// What was done, in words.
    #[serde(deserialize_with = "word")]
    pub words: Option<String>,
}

/// What a summary builds on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(default)]
#[schemars(rename = "GridRequired")]
pub struct Required {
    /// The phase.
    #[serde(deserialize_with = "one")]
    pub phase: String,
    /// What it provides.
    #[serde(deserialize_with = "one")]
    pub provides: String,
}

/// One text, also from a list of them.
fn one(node: Node<'_>) -> Result<String, Fault> {
    Ok(words(node)?.join("; "))
}

/// What a summary builds on: mappings, texts, or one of them alone.
fn required(node: Node<'_>) -> Result<Vec<Required>, Fault> {
    let all = match Value::read(node)? {
        Value::Null => Vec::new(),
        Value::Array(items) => items,
        one => vec![one],
    };
    let read = |value: &Value| match text_of(value) {
        Some(provides) => Ok(Required { provides, ..Required::default() }),
        None => Required::read(value.into()).map_err(Fault::custom),
    };
    let says = |one: &Required| !(one.phase.is_empty() && one.provides.trim().is_empty());
    let all: Vec<Required> = all.iter().map(read).collect::<Result<_, _>>()?;
    Ok(all.into_iter().filter(says).collect())
}

/// The number of a rule, also as a text.
fn rule(node: Node<'_>) -> Result<u8, Fault> {
    let wrong = || Fault::custom("invalid type: null, expected u8");
    whole(node, "u8")?.ok_or_else(wrong)
}

/// How many, also as a text; nothing is none.
fn times(node: Node<'_>) -> Result<u32, Fault> {
    Ok(count(node)?.unwrap_or_default())
}

/// What was added to the tools.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(default)]
#[schemars(rename = "GridTechStack")]
pub struct TechStack {
    /// Libraries.
    #[serde(deserialize_with = "words")]
    pub added: Vec<String>,
    /// Ways of doing things.
    #[serde(deserialize_with = "words", skip_serializing_if = "Vec::is_empty")]
    pub patterns: Vec<String>,
}

/// Files that matter.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(default)]
#[schemars(rename = "GridKeyFiles")]
pub struct KeyFiles {
    /// New ones.
    #[serde(deserialize_with = "words")]
    pub created: Vec<String>,
    /// Changed ones.
    #[serde(deserialize_with = "words")]
    pub modified: Vec<String>,
}

impl KeyFiles {
    /// All of them, in one spelling.
    pub fn all(&self) -> impl Iterator<Item = String> + '_ {
        self.created.iter().chain(&self.modified).map(|path| normal(path))
    }
}

/// A deviation: something that was done but not planned.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[schemars(rename = "GridDeviation")]
pub struct Deviation {
    /// 1 bug, 2 missing critical, 3 blocking, 4 architectural change.
    #[serde(deserialize_with = "rule")]
    pub rule: u8,
    /// What.
    pub description: String,
    /// Files it made or changed.
    #[serde(default, deserialize_with = "words", skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
}

impl Deviation {
    /// As it is cited: `[Rule 1 - Bug] …`.
    pub fn cited(&self) -> String {
        let kind = match self.rule {
            1 => "Bug",
            2 => "Missing Critical",
            3 => "Blocking",
            _ => "Architectural",
        };
        format!("[Rule {} - {kind}] {}", self.rule, self.description)
    }
}

/// Why a block does not work.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(default)]
#[schemars(rename = "GridFailure")]
pub struct Failure {
    /// The thread that failed.
    #[serde(deserialize_with = "word")]
    pub thread: Option<String>,
    /// How often it was tried within the run.
    #[serde(deserialize_with = "times")]
    pub attempts: u32,
    /// What was tried.
    #[serde(deserialize_with = "list")]
    pub tried: Vec<Tried>,
    /// Files that were made before it failed.
    #[serde(deserialize_with = "words")]
    pub created: Vec<String>,
    /// Commits that were made before it failed.
    #[serde(deserialize_with = "words")]
    pub commits: Vec<String>,
    /// Why it fails.
    #[serde(deserialize_with = "word")]
    pub hypothesis: Option<String>,
    /// Another way to try.
    #[serde(deserialize_with = "word")]
    pub suggested_retry: Option<String>,
    /// What must not be tried again.
    #[serde(deserialize_with = "words")]
    pub do_not_retry: Vec<String>,
}

impl Failure {
    /// Nobody reported it: its words are what the engine saw.
    pub fn is_bare(&self) -> bool {
        let words = self.thread.is_none() && self.suggested_retry.is_none();
        words && self.tried.is_empty() && self.do_not_retry.is_empty()
    }

    /// It says nothing that a retry could begin from.
    pub fn is_mute(&self) -> bool {
        let says = |text: &Option<String>| text.iter().any(|text| !text.trim().is_empty());
        let tried = self.tried.iter().any(|one| !one.approach.trim().is_empty());
        let forbids = self.do_not_retry.iter().any(|line| !line.trim().is_empty());
        !(tried || forbids || says(&self.hypothesis) || says(&self.suggested_retry))
    }
}

/// An approach that failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[schemars(rename = "GridTried")]
pub struct Tried {
    /// What was tried.
    pub approach: String,
    /// Why it failed.
    #[serde(default)]
    pub reason: String,
}
