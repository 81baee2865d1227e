//! The report of a planner: the plans of a cluster, or those that close its gaps.

use super::super::form::{flag, text, wave, word, words};
use super::super::plan::Front;
use super::super::warmth::Lessons;
use crate::mission::prelude::*;
use serde_json::Value;

/// What a planner returns, for a cluster or for its gaps.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[schemars(rename = "GridPlannerReport")]
pub struct PlannerReport {
    /// The name of the cluster.
    #[serde(default, deserialize_with = "word")]
    pub cluster: Option<String>,
    /// How many plans there are; checked.
    #[serde(default)]
    pub total_blocks: Option<u32>,
    /// How many waves; checked.
    #[serde(default)]
    pub total_waves: Option<u32>,
    /// The plans.
    pub plans: Vec<Planned>,
    /// Which plan is in which wave; checked.
    #[serde(default)]
    pub wave_structure: BTreeMap<String, Vec<String>>,
    /// What was learned.
    #[serde(default)]
    pub lessons_learned: Lessons,
}

/// One plan of a planner.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[schemars(rename = "GridPlanned")]
pub struct Planned {
    /// Its id.
    #[serde(deserialize_with = "text")]
    pub id: String,
    /// Its phase; that of the front matter counts first.
    #[serde(default, deserialize_with = "word")]
    pub phase: Option<String>,
    /// Its wave.
    #[serde(default, deserialize_with = "wave")]
    pub wave: Option<u32>,
    /// What it waits for.
    #[serde(default, deserialize_with = "words")]
    pub depends_on: Vec<String>,
    /// Whether it has no checkpoints.
    #[serde(default, deserialize_with = "flag")]
    pub autonomous: Option<bool>,
    /// Files it changes.
    #[serde(default, deserialize_with = "words")]
    pub files_modified: Vec<String>,
    /// What it is for.
    #[serde(default, deserialize_with = "word")]
    pub objective: Option<String>,
    /// The gaps it closes: `plan/criterion`.
    #[serde(default, deserialize_with = "words")]
    pub closes: Vec<String>,
    /// Its front matter.
    #[serde(default)]
    pub frontmatter: Front,
    /// Its body.
    #[serde(default)]
    pub content: String,
    /// Fields of the front matter that were given outside it: they go back, each with its place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    pub must_haves: Option<Value>,
    /// As above.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    pub verify: Option<Value>,
    /// As above.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    pub verify_reason: Option<Value>,
}

impl Planned {
    /// Fields of the front matter that were given outside it.
    pub fn misplaced(&self) -> impl Iterator<Item = &'static str> {
        let beside = [
            ("must_haves", &self.must_haves),
            ("verify", &self.verify),
            ("verify_reason", &self.verify_reason),
        ];
        beside.into_iter().filter(|(_, value)| value.is_some()).map(|(name, _)| name)
    }
}
