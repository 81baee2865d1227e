//! What a document asks for: explicit requirements, implicit ones, and what only informs; each with its
//! place and how sure we are.

mod ids;
mod net;
mod open;
mod prose;
mod rows;
mod sections;
mod signals;
mod sorted;
mod walk;

pub(super) use ids::id_of;
pub(super) use sections::{is_quality, is_undecided};
pub(super) use signals::is_order;
pub(super) use sorted::is_bare;

use super::document::LineRange;
use super::outline::Outline;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use walk::Walk;

/// The most requirements that are read of one document, and the most places that are named because they were not.
pub const MOST_REQUIREMENTS: usize = 2_000;

/// The most bytes that stay together as one requirement below a heading.
pub const MOST_WORDS: usize = 8_000;

/// What a document asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// Its requirements, and what only informs, in the order of the document.
    pub requirements: Vec<Requirement>,
    /// What stands where requirements stand, and was not read as one; and every item of a list and row of a table,
    /// wherever it stands, of which nothing was made.
    pub unread: Vec<Unread>,
}

/// Something below a heading that speaks of requirements of which none was made, or an item or row of which nothing was
/// made at all.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Unread {
    /// Its lines.
    pub lines: LineRange,
    /// What it is, and how it begins.
    pub what: String,
    /// Whether it shows something (a listing, a picture) and may well ask for nothing.
    pub shown: bool,
    /// How many places behind it are not named.
    #[serde(default)]
    pub more: u32,
}

impl Unread {
    /// How many places some of them stand for.
    pub fn places(all: &[Unread]) -> u64 {
        all.iter().map(|one| 1 + u64::from(one.more)).sum()
    }
}

/// A requirement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Requirement {
    /// `R-001`, in the order of the document.
    pub id: String,
    /// Its words.
    pub text: String,
    /// The headings it stands under, from the outside in, without the title.
    pub headings: Vec<String>,
    /// Its lines.
    pub lines: LineRange,
    /// How sure we are.
    pub confidence: Confidence,
    /// What made us think so.
    pub signal: Signal,
    /// Whether it stands in a quotation.
    #[serde(default)]
    pub quoted: bool,
}

/// How sure we are that something is a requirement.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Confidence {
    /// It informs; it asks for nothing.
    Context,
    /// It reads like one.
    Medium,
    /// It says so.
    High,
}

/// What made us think so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Signal {
    /// An item below a heading "Requirements".
    Section,
    /// MUST, SHALL, SHOULD, MAY; and, less sure, "must" in a sentence.
    Keyword,
    /// "As a …, I want …".
    Story,
    /// An item below "Acceptance criteria".
    Acceptance,
    /// "Implement", "create", "support".
    Verb,
    /// A check box.
    Checkbox,
    /// An item below "Features", "Deliverables", "Scope", "Tasks".
    Feature,
    /// A goal.
    Goal,
    /// A constraint.
    Constraint,
    /// Architecture.
    Architecture,
    /// Expressly not wanted.
    OutOfScope,
    /// Something outside that is needed.
    External,
}

/// The requirements of a document, and what only informs.
pub fn detect(text: &str) -> Vec<Requirement> {
    read(text).requirements
}

/// Reads a document.
pub fn read(text: &str) -> Asked {
    let from = super::document::split(text).map_or(0, |(_, body)| text.len() - body.len());
    let outline = Outline::read(text, from);
    Walk::over(&outline).asked()
}

impl Requirement {
    /// Whether it asks for something by itself, and is no condition on something else.
    fn is_work(&self) -> bool {
        self.signal != Signal::Acceptance && self.confidence > Confidence::Context
    }

    /// Its id, and where it stands.
    pub fn place(&self) -> String {
        let quoted = if self.quoted { ", in a quotation" } else { "" };
        format!("{}, line {}{quoted}", self.id, self.lines.first)
    }
}
