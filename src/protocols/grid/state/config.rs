//! The config of a cluster.

use super::super::plan::Plan;
use super::super::refine::Scope;
use super::super::role::{ModelTier, Role, RoleSettings};
use crate::mission::prelude::*;
use crate::mission::settings::number;

const PARALLEL: u32 = 4;
const ROUNDS: u32 = 2;
const ATTEMPTS: u32 = 3;
const WARN: u32 = 75;
const CONFIRM: u32 = 90;

/// What a cluster is started with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "GridConfig")]
pub struct Config {
    /// The mission anchor: one sentence that every report repeats.
    pub mission: String,
    /// The plans, if they are there; otherwise a planner makes them.
    #[serde(default)]
    pub plans: Vec<Plan>,
    /// Nothing is built; what is there is refined.
    #[serde(default)]
    pub refine_only: bool,
    /// Refine what was built, and how.
    #[serde(default)]
    pub refine: Option<Scope>,
    /// The decisions before the mission, in lines, the latest last: if the work of another mission is refined, those in
    /// its `STATE.md`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub decided: Vec<String>,
    /// How many executors may be at work at once.
    #[serde(default = "number::<PARALLEL, u32>")]
    pub max_parallel: u32,
    /// How many rounds of gap closure a wave has, and the patrol.
    #[serde(default = "number::<ROUNDS, u32>")]
    pub max_gap_rounds: u32,
    /// How often a block is executed before the user is asked.
    #[serde(default = "number::<ATTEMPTS, u32>")]
    pub attempts_per_block: u32,
    /// How many failed runs in a row of any other step lead to a question.
    #[serde(default = "number::<ATTEMPTS, u32>")]
    pub attempts_per_step: u32,
    /// Checkpoints of the type `human-verify` are confirmed without asking. Others never are.
    #[serde(default)]
    pub automatic: bool,
    /// The user trusts the commands that `plans` declare; otherwise they are shown and asked about first. Those that a role
    /// writes always are.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub trusted: bool,
    /// How strong models are; without it `.grid/config.json` says so, and else it is `quality`.
    #[serde(default)]
    pub model_tier: Option<ModelTier>,
    /// What is learned in the end is written down for the next cluster.
    #[serde(default = "Config::capture")]
    pub capture: bool,
    /// A share of a budget, in hundredths, that is told when it is spent.
    #[serde(default = "number::<WARN, u64>")]
    pub warn_percent: u64,
    /// A share of a budget, in hundredths, beyond which the user confirms.
    #[serde(default = "number::<CONFIRM, u64>")]
    pub confirm_percent: u64,
    /// Tiers and limits other than the defaults.
    #[serde(default)]
    pub roles: BTreeMap<Role, RoleSettings>,
}

impl Config {
    fn capture() -> bool {
        true
    }

    /// A cluster with the defaults.
    pub fn new(mission: impl Into<String>, plans: Vec<Plan>) -> Self {
        Config {
            mission: mission.into(),
            plans,
            refine_only: false,
            refine: None,
            decided: Vec::new(),
            max_parallel: PARALLEL,
            max_gap_rounds: ROUNDS,
            attempts_per_block: ATTEMPTS,
            attempts_per_step: ATTEMPTS,
            automatic: false,
            trusted: false,
            model_tier: None,
            capture: true,
            warn_percent: WARN.into(),
            confirm_percent: CONFIRM.into(),
            roles: BTreeMap::new(),
        }
    }
}

impl Default for Config {
    fn default() -> Self {
        Config::new("", Vec::new())
    }
}
