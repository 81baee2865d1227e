//! The reports of the swarm and the learner.

use super::super::form::words;
use super::super::warmth::Lessons;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What the lead of a refinement returns.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "GridLeadReport")]
pub struct LeadReport {
    /// What kind of project it is, and who uses it.
    #[serde(default)]
    pub context: String,
    /// Three to five people.
    pub personas: Vec<Persona>,
}

/// Somebody who may use the project.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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

/// How much a finding of the swarm weighs.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
pub enum Priority {
    /// Mend first.
    P0,
    /// Mend next.
    P1,
    /// Mend then.
    P2,
    /// Written down only.
    P3,
}

impl Priority {
    /// The word in files.
    pub fn as_str(self) -> &'static str {
        match self {
            Priority::P0 => "P0",
            Priority::P1 => "P1",
            Priority::P2 => "P2",
            Priority::P3 => "P3",
        }
    }
}

/// Something a member of the swarm found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
