//! The config of a mission.

use super::super::feature::TaskStatus;
use super::super::matching::Matching;
use super::super::role::{Role, RoleSettings};
use super::super::task::CriterionText;
use crate::mission::prelude::*;
use crate::mission::settings::number;

const TURNS: u32 = 5;
const PARALLEL: u32 = 1;
const ATTEMPTS: u32 = 3;
const TIMEOUT: u32 = 600_000;

/// What a promise mission is started with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "PromiseConfig")]
pub struct Config {
    /// The mission anchor: one sentence that every report repeats.
    pub mission: String,
    /// The task, or the tasks of a feature, in order; at least one.
    pub tasks: Vec<TaskConfig>,
    /// Ids of the tasks that may be worked on in parallel, wave after wave. Empty: computed from the
    /// dependencies.
    #[serde(default)]
    pub waves: Vec<Vec<String>>,
    /// Commands that must hold behind a wave.
    #[serde(default)]
    pub smoke_gates: Vec<SmokeGate>,
    /// How many turns a task has.
    #[serde(default = "number::<TURNS, u32>")]
    pub max_turns: u32,
    /// How many players, or how many coaches, may be at work at once.
    #[serde(default = "number::<PARALLEL, u32>")]
    pub max_parallel: u32,
    /// Wall time in milliseconds from the begin of a task, after which its loop ends.
    #[serde(default)]
    pub task_timeout_ms: Option<u64>,
    /// A command, as an argv, whose exit status says at every turn whether the tests pass.
    #[serde(default)]
    pub test_command: Vec<String>,
    /// How promises are matched to criteria.
    #[serde(default)]
    pub matching: Matching,
    /// How many failed runs in a row of one step lead to a question.
    #[serde(default = "number::<ATTEMPTS, u32>")]
    pub attempts_per_step: u32,
    /// Tiers and limits other than the defaults.
    #[serde(default)]
    pub roles: BTreeMap<Role, RoleSettings>,
}

impl Config {
    /// A mission of these tasks with the defaults.
    pub fn new(mission: impl Into<String>, tasks: Vec<TaskConfig>) -> Self {
        Config {
            mission: mission.into(),
            tasks,
            waves: Vec::new(),
            smoke_gates: Vec::new(),
            max_turns: TURNS,
            max_parallel: PARALLEL,
            task_timeout_ms: None,
            test_command: Vec::new(),
            matching: Matching::default(),
            attempts_per_step: ATTEMPTS,
            roles: BTreeMap::new(),
        }
    }
}

/// One task as it was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "PromiseTask")]
pub struct TaskConfig {
    /// Unique id.
    pub id: String,
    /// What it is about.
    pub title: String,
    /// The task document, as a path from the root of the repository.
    #[serde(default)]
    pub document: Option<String>,
    /// At least one.
    pub criteria: Vec<CriterionText>,
    /// Tasks that must be closed first.
    #[serde(default)]
    pub dependencies: Vec<String>,
    /// Its state; only `skipped` and `deferred` are taken over, the rest is to be shown.
    #[serde(default)]
    pub status: TaskStatus,
}

/// A command that must hold behind a wave.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SmokeGate {
    /// The wave, from 1.
    pub after_wave: u32,
    /// Program and arguments.
    pub argv: Vec<String>,
    /// The exit status that passes.
    #[serde(default)]
    pub expected_exit: i32,
    /// Wall time in milliseconds.
    #[serde(default = "number::<TIMEOUT, u64>")]
    pub timeout_ms: u64,
}
