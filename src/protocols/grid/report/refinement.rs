//! The reports of the swarm and the learner.

use super::super::form::words;
use super::super::warmth::Lessons;
use crate::mission::prelude::*;
use crate::vocab::word as closed;

/// What the lead of a refinement returns.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[schemars(rename = "GridLeadReport")]
pub struct LeadReport {
    /// What kind of project it is, and who uses it.
    #[serde(default)]
    pub context: String,
    /// Three to five people.
    pub personas: Vec<Persona>,
}

impl LeadReport {
    /// Whether there are as many people as were asked for.
    pub(super) fn has_personas(&self) -> Result<()> {
        match self.personas.len() {
            3..=5 => Ok(()),
            got => {
                let got = got.to_string();
                Err(Error::new(Code::InvalidValue, "personas", "three to five", got))
            }
        }
    }
}

/// Somebody who may use the project.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[schemars(rename = "GridPersona")]
pub struct Persona {
    /// Who.
    pub name: String,
    /// What they want.
    pub goal: String,
    /// What they are like.
    #[serde(default)]
    pub traits: String,
}

/// What a member of the swarm returns.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[schemars(rename = "GridSwarmReport")]
pub struct SwarmReport {
    /// What was found.
    pub findings: Vec<Found>,
    /// Pictures that were taken, below `.grid/refinement/`.
    #[serde(default, deserialize_with = "words")]
    pub screenshots: Vec<String>,
    /// What was learned.
    #[serde(default)]
    pub lessons_learned: Lessons,
}

impl SwarmReport {
    /// Whether every finding says what is wrong, and what would be right.
    pub(super) fn has_words(&self) -> Result<()> {
        let blank = |one: &Found| one.title.trim().is_empty() || one.expected.trim().is_empty();
        let Some(nth) = self.findings.iter().position(blank) else { return Ok(()) };
        let expected = "a title and what is expected";
        Err(Error::new(Code::MissingField, format!("findings[{nth}]"), expected, "a blank one"))
    }

    /// Keeps the extra fields of each finding, with their places in the report, as lines of it.
    pub(super) fn keep(&mut self, mut words: Vec<(String, String)>) {
        for (nth, found) in self.findings.iter_mut().enumerate() {
            let of = format!("findings[{nth}].");
            let mine = words.extract_if(.., |(at, _)| at.starts_with(&of));
            let line = |(at, words): (String, String)| format!("{}: {words}", &at[of.len()..]);
            found.beside.extend(mine.map(line));
        }
    }
}

closed::words! {
    /// How much a finding of the swarm weighs.
    Priority {
        P0 "P0" "Mend first.";
        P1 "P1" "Mend next.";
        P2 "P2" "Mend then.";
        P3 "P3" "Written down only.";
    }
}

/// Something a member of the swarm found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[schemars(rename = "GridFound")]
pub struct Found {
    /// How much it weighs.
    pub priority: Priority,
    /// What is wrong, in a sentence.
    pub title: String,
    /// Where: a route, a screen, a file.
    #[serde(default, rename = "where")]
    pub place: String,
    /// What would be right.
    pub expected: String,
    /// Its extra fields.
    #[serde(default, deserialize_with = "words", skip_serializing_if = "Vec::is_empty")]
    #[schemars(skip)]
    pub beside: Vec<String>,
}

/// What is learned from a whole cluster.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[schemars(rename = "GridLearnings")]
pub struct Learnings {
    /// web-app, api, cli, library, integration …
    #[serde(default)]
    pub project_type: String,
    /// Key technologies.
    #[serde(default, deserialize_with = "words")]
    pub tech_stack: Vec<String>,
    /// simple, medium, complex or massive.
    #[serde(default)]
    pub complexity: String,
    /// What succeeded.
    #[serde(default, deserialize_with = "words")]
    pub what_worked: Vec<String>,
    /// What caused trouble, and how it was fixed.
    #[serde(default, deserialize_with = "words")]
    pub what_failed: Vec<String>,
    /// Patterns that can be used again: `name: description`.
    #[serde(default, deserialize_with = "words")]
    pub patterns: Vec<String>,
    /// Advice for projects like it.
    #[serde(default, deserialize_with = "words")]
    pub recommendations: Vec<String>,
}
