//! A run, from its order to its judgement.

use super::super::report::Report;
use super::super::role::Role;
use crate::mission::run;
use crate::mission::worktree::Before;
use crate::vocab::error::Diagnostic;
use crate::vocab::event::EffectId;
use crate::vocab::time::Millis;
use crate::vocab::verdict::Speaker;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// A run that is alive.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "GridRun")]
pub struct Run {
    /// Its role.
    pub role: Role,
    /// The run and its session.
    pub by: Speaker,
    /// The block, persona or gap it works on; blank for none.
    pub item: String,
    /// Set if it answers a fault of an earlier report.
    pub corrects: Option<EffectId>,
    /// The tree before it.
    pub before: Before,
    /// When it last wrote to the scratchpad, or began.
    pub wrote_at: Millis,
    /// How many entries it wrote.
    pub entries: u32,
    /// Its silence was told.
    pub noticed: bool,
}

/// A run that ended, with its report if that could be read.
pub type Ended = run::Ended<Run, Report>;

/// The fault of a report that the same run has to correct.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "GridCorrection")]
pub struct Correction {
    /// The run.
    pub of: EffectId,
    /// The fault.
    pub fault: Diagnostic,
    /// The tree before an executor's run: a run that corrects its report is measured against that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<Before>,
}

/// Commits that one look found and that no report names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "GridDirt")]
pub struct Dirt {
    /// What is there.
    pub digest: String,
    /// The blocks of which one left it; one where that can be told, none where no executor did.
    pub by: BTreeSet<String>,
}
