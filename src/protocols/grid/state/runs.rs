//! What runs leave: words, commits that nobody reports, and what is not committed.

use crate::mission::prelude::*;

/// What an executor wrote to the scratchpad.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "GridWriting")]
pub struct Writing {
    /// When it last wrote, or began.
    pub at: Millis,
    /// How many entries it wrote.
    pub entries: u32,
    /// Its silence was told.
    pub noticed: bool,
}

/// Commits that one look found and that no report names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "GridUnnamed")]
pub struct Unnamed {
    /// Their ids.
    pub commits: Vec<String>,
    /// Who was at work when they came: blocks by their ids, others by their roles.
    pub among: BTreeSet<String>,
    /// Paths that changed with them.
    pub paths: BTreeSet<String>,
    /// What each of them changed, where several came at once.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub touched: BTreeMap<String, Vec<String>>,
    /// What they may have changed of others was told.
    #[serde(default)]
    pub told: bool,
}

/// A path that is not committed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "GridDirt")]
pub struct Dirt {
    /// What is there.
    pub digest: String,
    /// The blocks of which one left it; one where that can be told, none where no executor did.
    pub by: BTreeSet<String>,
}
