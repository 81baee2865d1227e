//! A run, from its order to its judgement.

use super::super::report::{CoachReport, PlayerReport};
use super::super::role::Role;
use crate::mission::run;
use crate::mission::worktree::Before;
use crate::vocab::event::EffectId;
use crate::vocab::tagged::tagged;
use crate::vocab::verdict::Speaker;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A run that is alive.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "PromiseRun")]
pub struct Run {
    /// Its role.
    pub role: Role,
    /// The run and its session.
    pub by: Speaker,
    /// The task.
    pub task: String,
    /// The turn.
    pub turn: u32,
    /// Set if it answers a fault of an earlier report.
    pub corrects: Option<EffectId>,
    /// The tree before it.
    pub before: Before,
    /// It was told to end.
    pub ending: bool,
}

/// A run that ended, with its report if that could be read.
pub type Ended = run::Ended<Run, Report>;

/// A readable report of either role.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "role", content = "report", rename_all = "snake_case")]
#[schemars(rename = "PromiseReport")]
pub enum Report {
    /// Of the player.
    Player(PlayerReport),
    /// Of the coach.
    Coach(CoachReport),
}

tagged!(Report, "role", "report": Player, Coach);

/// The fault of a report that the same run has to correct.
pub type Correction = run::Correction<Role>;
