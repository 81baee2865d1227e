//! The config of a sprint mission: units, sprints, dependencies, criteria, commands. It knows no
//! document; [`super::plan`] makes it of one.

use super::role::{Role, RoleSettings};
use super::status::SprintStatus;
use crate::mission::prelude::*;
use crate::mission::settings::number;
pub use crate::vocab::shown::{CommandLine, Expect};

const TURNS: u32 = 50;
const PARALLEL: u32 = 16;
const POLL: u32 = 60_000;
const WATCH: u32 = 1_200_000;

/// What a sprint mission is started with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "SprintConfig")]
pub struct Config {
    /// The mission anchor: one sentence that every report repeats.
    pub mission: String,
    /// The project's name, as in the name of the completion log.
    pub project: String,
    /// The directory of the plan from the root of the repository; empty for the root itself.
    #[serde(default)]
    pub root: String,
    /// The plan the mission follows; it must not change while the mission runs.
    #[serde(default)]
    pub plan: Option<PlanFile>,
    /// The name of the operation, if it has one.
    #[serde(default)]
    pub operation: Option<String>,
    /// Work units in the order of the plan; at least one.
    pub units: Vec<UnitConfig>,
    /// Commands that build and test everything together, at a gate.
    #[serde(default)]
    pub build: Vec<CommandLine>,
    /// The prompt the plan wants its agents to get; otherwise it is made of four parts.
    #[serde(default)]
    pub template: Option<String>,
    /// How units hang together, in a word for the plan summary.
    #[serde(default)]
    pub structure: Structure,
    /// Warnings to the author of the plan: what will not be checked, and the like.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// The user trusts the plan's commands; otherwise they are shown and asked about first.
    #[serde(default)]
    pub trusted: bool,
    /// Runs per sprint; a failure of the last is fatal.
    #[serde(default = "number::<3, u32>")]
    pub max_retries: u32,
    /// Continuations per attempt.
    #[serde(default = "number::<3, u32>")]
    pub max_continuations: u32,
    /// Verifier runs per attempt; 0 leaves to the user what no command shows.
    #[serde(default = "number::<2, u32>")]
    pub max_verifier_rounds: u32,
    /// Turns of one run.
    #[serde(default = "number::<TURNS, u32>")]
    pub max_turns: u32,
    /// From this attempt on the strongest model is sent.
    #[serde(default = "number::<3, u32>")]
    pub force_from_attempt: u32,
    /// How many runs may be at work at once.
    #[serde(default = "number::<PARALLEL, u32>")]
    pub max_parallel: u32,
    /// Time between two looks at what runs, in milliseconds.
    #[serde(default = "number::<POLL, u64>")]
    pub poll_interval_ms: u64,
    /// Time between two checks whether a run's part of the tree moves, in milliseconds; 0 for never.
    #[serde(default = "number::<WATCH, u64>")]
    pub watchdog_interval_ms: u64,
    /// Checks in a row without movement after which a run is ended.
    #[serde(default = "number::<3, u32>")]
    pub watchdog_max_strikes: u32,
    /// What the host's models are called in files.
    #[serde(default)]
    pub names: Names,
    /// Limits other than the defaults. The tier of an agent is always chosen by score.
    #[serde(default)]
    pub roles: BTreeMap<Role, RoleSettings>,
}

/// The plan as a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "SprintPlanFile")]
pub struct PlanFile {
    /// Path from the root of the repository.
    pub path: String,
    /// SHA-256 of its text in hex, as it was read.
    pub digest: String,
}

/// What models are called.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "ModelNames")]
pub struct Names {
    /// The cheapest.
    pub small: String,
    /// The usual.
    pub standard: String,
    /// The strongest.
    pub large: String,
}

impl Default for Names {
    fn default() -> Self {
        Names { small: "small".into(), standard: "standard".into(), large: "large".into() }
    }
}

words! {
    /// How units hang together.
    #[schemars(rename = "SprintStructure")]
    Structure {
        None "none" "Not at all.";
        Layers "layers" "By a column of layers.";
        Sequential "sequential" "One after the other.";
        Parallel "parallel" "By dependencies, in part at the same time.";
    }
    /// The kind of work.
    #[schemars(rename = "SprintKind")]
    TaskKind {
        Code "code" "Something is written.";
        Command "command" "Something is run, and its output tells.";
        Background "background" "Something is started and goes on by itself.";
        Deferred "deferred" "Something outside is waited for.";
        Manual "manual" "A person must look.";
    }
    /// How clear a description is.
    Clarity {
        Explicit "explicit" "Paths, names and steps are given.";
        HighLevel "high_level" "Goals without details.";
        OpenEnded "open_ended" "\"Improve\", \"optimize\".";
    }
}

/// A work unit.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "SprintUnitConfig")]
pub struct UnitConfig {
    /// Unique id, without a `/`.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Its directory from the root of the repository; empty for all of it.
    #[serde(default)]
    pub directory: String,
    /// Units and sprints (`unit/label`) that must be completed before its first sprint.
    #[serde(default)]
    pub after: Vec<String>,
    /// Commands that must hold before it starts, once those are completed.
    #[serde(default)]
    pub checks: Vec<CommandLine>,
    /// Files that tell of its progress, from the root of the repository.
    #[serde(default)]
    pub progress_files: Vec<String>,
    /// Its sprints, in order; at least one.
    pub sprints: Vec<SprintConfig>,
}

/// A sprint.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "SprintOfUnit")]
pub struct SprintConfig {
    /// Its label: `3`, `2a`, `DC-2a`; unique in its unit.
    pub label: String,
    /// What it is called.
    pub name: String,
    /// The kind of work.
    #[serde(default)]
    pub kind: TaskKind,
    /// Its definition, word for word as the plan has it.
    #[serde(default)]
    pub definition: String,
    /// What must hold before it starts, in the plan's words.
    #[serde(default)]
    pub entry: Vec<String>,
    /// The ids of these, in the same order; `EC-001` by position where none is given.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub entry_ids: Vec<String>,
    /// The commands among it, run before its first dispatch.
    #[serde(default)]
    pub entry_checks: Vec<CommandLine>,
    /// What must hold before it is done; at least one.
    pub criteria: Vec<CriterionConfig>,
    /// Sprints of other units (`unit/label`) that must be completed first.
    #[serde(default)]
    pub after: Vec<String>,
    /// Files it refers to, in addition to the plan.
    #[serde(default)]
    pub reads: Vec<String>,
    /// What its model is chosen by.
    #[serde(default)]
    pub traits: Traits,
    /// How long a run of it may take, in milliseconds, where the limits of its role do not say less.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    /// Its state before anything runs.
    #[serde(default)]
    pub begins: Begins,
}

/// The state of a sprint before anything runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(tag = "at", rename_all = "snake_case", deny_unknown_fields)]
#[schemars(rename = "SprintBegins")]
pub enum Begins {
    /// At the start.
    #[default]
    Fresh,
    /// The plan puts it off.
    PutOff,
    /// All its boxes are ticked in the plan: the user is asked whether the work is taken as it is.
    Ticked,
    /// An earlier supervisor recorded it so; what it says is done is shown here first.
    Adopted {
        /// The recorded status.
        status: SprintStatus,
        /// The recorded attempt, from 1; 0 for none.
        attempt: u32,
    },
}

/// One exit criterion.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "SprintCriterion")]
pub struct CriterionConfig {
    /// Unique in its sprint.
    pub id: String,
    /// What must hold.
    pub text: String,
    /// How it is shown.
    #[serde(default)]
    pub check: Check,
    /// It is worded so that nobody can say when it holds.
    #[serde(default)]
    pub vague: bool,
    /// Its command builds or tests the whole project, so that it waits for a gate while others work.
    #[serde(default)]
    pub build: bool,
}

/// How a criterion is shown.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(tag = "by", content = "line", rename_all = "snake_case")]
#[schemars(rename = "SprintCheck")]
pub enum Check {
    /// By a command that the engine runs.
    Command(CommandLine),
    /// By a separate run that judges what the agent claims.
    #[default]
    Verifier,
    /// By the user.
    Person,
}

impl Check {
    /// The command, if one shows it.
    pub(super) fn line(&self) -> Option<&CommandLine> {
        match self {
            Check::Command(line) => Some(line),
            Check::Verifier | Check::Person => None,
        }
    }
}

/// What a model is chosen by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "SprintTraits")]
pub struct Traits {
    /// Estimated turns.
    pub turns: u32,
    /// Files to make or change.
    pub files: u32,
    /// How clear its description is.
    pub clarity: Clarity,
    /// It lays what two or more others build on.
    pub foundation: bool,
    /// 1 (simple) to 5 (calls of systems outside).
    pub risk: u8,
    /// Its definition leaves something undecided.
    pub open_questions: bool,
    /// The plan asks for this tier at least.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub floor: Option<Tier>,
}

impl Default for Traits {
    fn default() -> Self {
        Traits {
            turns: 10,
            files: 1,
            clarity: Clarity::Explicit,
            foundation: false,
            risk: 1,
            open_questions: false,
            floor: None,
        }
    }
}

impl Names {
    /// What the host's model of this tier is called.
    pub fn of(&self, tier: Tier) -> &str {
        match tier {
            Tier::Small => &self.small,
            Tier::Standard => &self.standard,
            Tier::Large => &self.large,
        }
    }
}

impl Default for Config {
    fn default() -> Self {
        Config::new("", "", Vec::new())
    }
}

impl Config {
    /// A mission of these units with the defaults.
    pub fn new(mission: &str, project: &str, units: Vec<UnitConfig>) -> Self {
        Config {
            mission: mission.to_owned(),
            project: project.to_owned(),
            root: String::new(),
            plan: None,
            operation: None,
            units,
            build: Vec::new(),
            template: None,
            structure: Structure::None,
            warnings: Vec::new(),
            trusted: false,
            max_retries: 3,
            max_continuations: 3,
            max_verifier_rounds: 2,
            max_turns: TURNS,
            force_from_attempt: 3,
            max_parallel: PARALLEL,
            poll_interval_ms: POLL.into(),
            watchdog_interval_ms: WATCH.into(),
            watchdog_max_strikes: 3,
            names: Names::default(),
            roles: BTreeMap::new(),
        }
    }
}
