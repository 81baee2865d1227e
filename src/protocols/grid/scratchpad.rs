//! The scratchpad: what executors write while they work, so that others need not find it out again.
//!
//! Entries are events of a run: a structured sign of life of the kind `scratchpad`, whose text is the
//! entry as JSON. Entries of a report that were not heard before are added. The file is a projection.

use super::report::extra;
use crate::mission::prelude::*;
use crate::vocab::json::{self, Fault, Node};
use crate::vocab::time::rfc3339;
use std::fmt::Write;

/// The most entries of a wave that are kept at hand; the oldest go into the archive early.
pub const MOST_ENTRIES: usize = 200;
/// Silence of this length raises a notice, in milliseconds.
pub const SILENCE: Millis = 600_000;
/// Silence is looked for at multiples of this many milliseconds.
pub const TICK: Millis = 30_000;
/// The text in the place of a required field that an entry does not have.
pub(super) const MISSING: &str = "missing (not said)";
/// How often a run is asked to give a sign, in minutes.
pub const HEARTBEAT_MINUTES: u32 = 5;

words! {
    /// What an entry is about.
    Category {
        Pattern "PATTERN" "A pattern of the codebase.";
        Decision "DECISION" "A decision that affects other work.";
        Blocker "BLOCKER" "Something is in the way.";
        Progress "PROGRESS" "A heartbeat.";
        Correction "CORRECTION" "An earlier entry is wrong.";
    }

    /// What others are to do about an entry.
    #[schemars(rename = "GridEntryAction")]
    Action {
        InformOnly "INFORM_ONLY" "Know it.";
        RequiresChange "REQUIRES_CHANGE" "Change something.";
        Blocker "BLOCKER" "Stop.";
    }
}

/// An entry as it is written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[schemars(rename = "GridEntryForm")]
pub struct EntryForm {
    /// What it is about.
    #[serde(deserialize_with = "capital")]
    pub category: Category,
    /// One clear sentence.
    pub finding: String,
    /// Who needs to know.
    #[serde(default)]
    pub impact: String,
    /// What they are to do.
    #[serde(default, deserialize_with = "maybe_capital")]
    pub action: Option<Action>,
    /// More, with paths.
    #[serde(default)]
    pub details: String,
}

/// A word of a list in capitals, however it is written.
fn capital<T: Readable>(node: Node<'_>) -> Result<T, Fault> {
    T::read(Node::Text(in_capitals(&String::read(node)?).into()))
}

/// The same where it may be missing.
fn maybe_capital<T: Readable>(node: Node<'_>) -> Result<Option<T>, Fault> {
    match node {
        Node::Null => Ok(None),
        word => capital(word).map(Some),
    }
}

fn in_capitals(word: &str) -> String {
    word.trim().to_uppercase().replace([' ', '-'], "_")
}

/// An entry as it is kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "GridEntry")]
pub struct Entry {
    /// Who wrote it: `executor-01`.
    pub program: String,
    /// The run.
    pub run: EffectId,
    /// When.
    pub at: Millis,
    /// What it is about.
    pub category: Category,
    /// One clear sentence.
    pub finding: String,
    /// Who needs to know.
    pub impact: String,
    /// What they are to do, if it says so.
    #[serde(default)]
    pub action: Option<Action>,
    /// More.
    pub details: String,
}

/// Reads an entry that a run gave as a sign of life.
///
/// # Errors
/// What is wrong with it.
pub fn read(text: &str) -> Result<EntryForm> {
    let mut form: EntryForm = json::decode(text).map_err(|error| error.within("scratchpad"))?;
    for line in extra::of_entry(&json::decode(text)?) {
        form.details = format!("{}\n{line}", form.details.trim_end()).trim_start().to_owned();
    }
    match one_line(&form.finding).is_empty() {
        false => Ok(form),
        true => Err(Error::new(Code::MissingField, "scratchpad.finding", "one sentence", "none")),
    }
}

impl Entry {
    /// An entry of a run.
    pub(super) fn of(form: &EntryForm, program: String, run: EffectId, at: Millis) -> Entry {
        Entry {
            program,
            run,
            at,
            category: form.category,
            finding: one_line(&form.finding),
            impact: one_line(&form.impact),
            action: form.action,
            details: form.details.trim_end().to_owned(),
        }
    }

    /// Whether it says the same as another of its run.
    pub(super) fn repeats(&self, other: &Entry) -> bool {
        self.run == other.run && self.category == other.category && self.finding == other.finding
    }

    /// In the form of the file.
    pub(super) fn render(&self) -> String {
        let mut text = format!(
            "### {} | {} | {}\n\n**Finding:** {}\n\n**Impact:** {}\n\n**Action:** {}\n",
            self.program,
            rfc3339(self.at),
            self.category.as_str(),
            self.finding,
            if self.impact.is_empty() { MISSING } else { &self.impact },
            self.action.map_or(MISSING, Action::as_str)
        );
        if !self.details.is_empty() {
            let quoted: Vec<String> =
                self.details.lines().map(|line| format!("> {line}")).collect();
            let _ = write!(text, "\n**Details:**\n{}\n", quoted.join("\n"));
        }
        text
    }

    /// In one line, for people who watch.
    pub(super) fn line(&self) -> String {
        let time = rfc3339(self.at);
        let time = time.get(11..16).unwrap_or_default();
        format!("{} ({time}): {} - {}", self.program, self.category.as_str(), self.finding)
    }
}

/// The moment at which silence since `wrote` becomes a notice: the first tick after it.
pub(super) fn notice_at(wrote: Millis) -> Millis {
    wrote.saturating_add(SILENCE).div_ceil(TICK).saturating_mul(TICK)
}
