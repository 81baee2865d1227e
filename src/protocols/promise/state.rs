//! What a promise mission knows.
//!
//! [`Core`] is bounded by live work and copied aside before each event. What grows with the feature
//! (tasks, touched paths) sits in tables with an undo log.

use super::facts::FactName;
pub use super::feature::TaskStatus;
use super::matching::Matching;
use super::report::{CoachReport, PlayerReport};
use super::role::{Role, RoleSettings};
use super::task::CriterionText;
use crate::protocols::shared::files::Files;
use crate::protocols::shared::run;
pub use crate::protocols::shared::seen::Seen;
use crate::protocols::shared::table::FactTable;
use crate::protocols::shared::tree::Before;
use crate::vocab::criterion::Criterion;
use crate::vocab::error::Diagnostic;
use crate::vocab::event::EffectId;
use crate::vocab::evidence::Finding;
use crate::vocab::table::{Ledgered, Row, Table};
use crate::vocab::time::Millis;
use crate::vocab::verdict::{Claim, Speaker};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What a promise mission is started with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "PromiseConfig")]
pub struct Config {
    /// The mission anchor: one sentence that every report repeats.
    pub mission: String,
    /// The task, or the tasks of a feature, in order; at least one.
    pub tasks: Vec<TaskConfig>,
    /// Ids of the tasks that may be worked on side by side, wave after wave. Empty: computed from the
    /// dependencies.
    #[serde(default)]
    pub waves: Vec<Vec<String>>,
    /// Commands that must hold behind a wave.
    #[serde(default)]
    pub smoke_gates: Vec<SmokeGate>,
    /// How many turns a task has.
    #[serde(default = "Config::turns")]
    pub max_turns: u32,
    /// How many players, or how many coaches, may be at work at once.
    #[serde(default = "Config::parallel")]
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
    #[serde(default = "Config::attempts")]
    pub attempts_per_step: u32,
    /// Tiers and limits other than the defaults.
    #[serde(default)]
    pub roles: BTreeMap<Role, RoleSettings>,
}

impl Config {
    fn turns() -> u32 {
        5
    }

    fn parallel() -> u32 {
        1
    }

    fn attempts() -> u32 {
        3
    }

    /// A mission of these tasks with the defaults.
    pub fn new(mission: impl Into<String>, tasks: Vec<TaskConfig>) -> Self {
        Config {
            mission: mission.into(),
            tasks,
            waves: Vec::new(),
            smoke_gates: Vec::new(),
            max_turns: Config::turns(),
            max_parallel: Config::parallel(),
            task_timeout_ms: None,
            test_command: Vec::new(),
            matching: Matching::default(),
            attempts_per_step: Config::attempts(),
            roles: BTreeMap::new(),
        }
    }
}

/// One task as it was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
    /// Where it stands; only `skipped` and `deferred` are taken over, the rest is to be shown.
    #[serde(default)]
    pub status: TaskStatus,
}

/// A command that must hold behind a wave.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
    #[serde(default = "SmokeGate::timeout")]
    pub timeout_ms: u64,
}

impl SmokeGate {
    fn timeout() -> u64 {
        600_000
    }
}

/// The whole state of a promise mission.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "PromiseState")]
pub struct State {
    /// Everything that is bounded by live work.
    pub core: Core,
    /// The tasks, in order.
    pub tasks: Table<Task>,
    /// For each path, the number of the observation that last saw it differ.
    pub touches: Ledgered,
    #[serde(skip)]
    pub(super) before: Option<Box<Core>>,
}

impl PartialEq for State {
    fn eq(&self, other: &Self) -> bool {
        self.core == other.core && self.tasks == other.tasks && self.touches == other.touches
    }
}

impl Eq for State {}

/// The part of the state that is bounded by live work.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "PromiseCore")]
pub struct Core {
    /// What never changes after the start.
    pub settings: Arc<Settings>,
    /// The waves: ids of tasks, in order.
    pub waves: Arc<Vec<Vec<String>>>,
    /// The wave that is being worked on, from 0; as many as there are when all are over.
    pub wave: usize,
    /// The place in the wave of the next task to begin.
    pub cursor: usize,
    /// Gates that were passed or let go, by wave from 1.
    pub gates: BTreeMap<String, GateEnd>,
    /// The repository as last seen.
    pub seen: Option<Seen>,
    /// Runs that are alive; all of one role.
    pub runs: Vec<Run>,
    /// Runs that ended and whose effect on the tree has not been looked at.
    pub ended: Vec<Ended>,
    /// The dirt in the tree, if any, is a player's.
    pub dirt_of_player: bool,
    /// Tasks that were shown before the head moved on, and must be shown again at the end.
    pub closing: BTreeSet<String>,
    /// Failed runs in a row of showing them again.
    pub closing_attempts: u32,
    /// How often each role was started.
    pub visits: BTreeMap<Role, u64>,
    /// What the user must be asked, the first first.
    pub asking: Vec<Topic>,
    /// Why nothing can go on.
    pub blocked: Option<Diagnostic>,
    /// Why verification is skipped, if it is.
    pub skip_verification: Option<String>,
    /// The user agreed to end with deferred work left.
    pub end_with_deferred: bool,
    /// The end, once reached.
    pub done: Option<Done>,
    /// Tallies for people.
    pub counts: Counts,
    /// The files of this protocol.
    pub files: Files,
    /// The last thing that went wrong.
    pub last_problem: Option<Diagnostic>,
    /// Named facts with the event that set each.
    pub facts: FactTable<FactName>,
}

/// What never changes after the start.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "PromiseSettings")]
pub struct Settings {
    /// The mission anchor.
    pub mission: String,
    /// See [`Config::max_turns`].
    pub max_turns: u32,
    /// See [`Config::max_parallel`].
    pub max_parallel: u32,
    /// See [`Config::task_timeout_ms`].
    pub task_timeout_ms: Option<u64>,
    /// See [`Config::test_command`].
    pub test_command: Vec<String>,
    /// See [`Config::matching`].
    pub matching: Matching,
    /// See [`Config::attempts_per_step`].
    pub attempts_per_step: u32,
    /// See [`Config::smoke_gates`], in the order of their waves.
    pub gates: Vec<SmokeGate>,
    /// See [`Config::roles`].
    pub roles: BTreeMap<Role, RoleSettings>,
}

/// How a gate was passed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "gate", rename_all = "snake_case", deny_unknown_fields)]
pub enum GateEnd {
    /// Its command held at this head.
    Passed {
        /// The commit.
        commit: String,
    },
    /// The user let it go.
    Waived,
}

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
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "role", content = "report", rename_all = "snake_case")]
#[schemars(rename = "PromiseReport")]
pub enum Report {
    /// Of the player.
    Player(PlayerReport),
    /// Of the coach.
    Coach(CoachReport),
}

/// One task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "PromiseTaskState")]
pub struct Task {
    /// Unique id.
    pub id: String,
    /// What it is about.
    pub title: String,
    /// Its document.
    pub document: Option<String>,
    /// The wave, from 1.
    pub wave: u32,
    /// Tasks that must be closed first.
    pub dependencies: Vec<String>,
    /// Where it stands.
    pub status: TaskStatus,
    /// What defines done, and how far each is shown.
    pub criteria: Vec<Criterion>,
    /// Where each criterion stands in the document: first and last line, from 1; `0, 0` if nowhere.
    pub lines: Vec<(u32, u32)>,
    /// The turn loop, while it is in progress or failed.
    pub play: Option<Box<Play>>,
    /// Paths that differed over its turns; what its verification covers.
    pub paths: BTreeSet<String>,
    /// The ordinal of the head at which it was verified.
    pub verified_ordinal: u64,
    /// The user reopened it, or the end found it wanting: the next player spends a reopening.
    pub reopened: bool,
}

impl Row for Task {
    fn id(&self) -> &str {
        &self.id
    }

    fn group(&self) -> &'static str {
        self.status.as_str()
    }

    fn is_live(&self) -> bool {
        matches!(self.status, TaskStatus::InProgress | TaskStatus::Failed)
    }
}

/// The turn loop of one task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Play {
    /// The present turn, from 1.
    pub turn: u32,
    /// The last turn there may be.
    pub turn_limit: u32,
    /// What is due.
    pub step: PlayStep,
    /// When the loop ends whatever happens.
    pub deadline: Option<Millis>,
    /// The promise of this turn, once made.
    pub promise: Option<Promise>,
    /// What the tests said at this turn.
    pub tests: Finding,
    /// Failed runs in a row of the present step.
    pub attempts: u32,
    /// The fault that the same run is to mend.
    pub correction: Option<Correction>,
    /// What the next player is told of the last turn.
    pub feedback: Vec<String>,
    /// Criteria whose block was put to a coach before.
    pub blocks_heard: BTreeSet<String>,
    /// The last turns, the latest last; never more than [`Play::MOST_TURNS`].
    pub turns: Vec<TurnMark>,
    /// The last turn whose tests passed.
    pub passing: Option<Checkpoint>,
    /// Criteria that were verified at the end of the turn before.
    pub verified_before: BTreeSet<String>,
    /// Why the loop ended, if it did.
    pub stop: Option<StopReason>,
}

impl Play {
    /// How many turns are remembered: as many as any rule of the loop looks back.
    pub const MOST_TURNS: usize = 5;
}

/// What is due in a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PlayStep {
    /// The player.
    Play,
    /// The test command.
    Test,
    /// The coach.
    Coach,
    /// The tree is to be put back to the passing checkpoint: first what is there is kept.
    Keep,
    /// Then the tree is put back.
    RollBack,
}

/// What a player promised.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Promise {
    /// Who.
    pub by: Speaker,
    /// One row per criterion that was claimed.
    pub claims: Vec<Claim>,
    /// How many criteria were said to be complete, with proof or without.
    pub made: u64,
    /// Criteria whose claim was matched by similarity only.
    pub similar: Vec<String>,
    /// The overall statement.
    pub statement: String,
    /// What of it could not be taken as it stands.
    pub faults: Vec<Diagnostic>,
    /// The head it speaks of.
    pub commit: String,
}

/// The fault of a report that the same run is to mend.
pub type Correction = run::Correction<Role>;

/// What the rules of the loop need to know of a turn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TurnMark {
    /// The turn.
    pub turn: u32,
    /// The normalised feedback, as a digest.
    pub signature: String,
    /// Criteria verified or waived.
    pub verified: u64,
    /// Of these, not verified the turn before.
    pub newly: u64,
    /// Complete claims that were verified, of those made; `None` if none was made.
    pub honesty: Option<(u64, u64)>,
    /// What the tests said.
    pub tests: Finding,
}

/// A turn whose tests passed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Checkpoint {
    /// The turn.
    pub turn: u32,
    /// The head.
    pub commit: String,
}

/// Why a turn loop ended. In this order the first that applies is named.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// The user killed what ran.
    Cancelled,
    /// The task's time is over.
    TimedOut,
    /// Every criterion is verified or waived, and nothing blocks.
    Approved,
    /// Over the last three turns less than three in ten complete claims were true.
    HonestyCollapsed,
    /// The tests failed three turns in a row although they had passed before.
    NoPassingCheckpoint,
    /// The same feedback again and again.
    FeedbackStalled,
    /// No turn is left.
    TurnLimit,
    /// A criterion cannot be met now, and the user did not change that.
    Blocked,
}

impl StopReason {
    /// Every reason, in the order in which they are asked.
    pub const ALL: [StopReason; 8] = [
        StopReason::Cancelled,
        StopReason::TimedOut,
        StopReason::Approved,
        StopReason::HonestyCollapsed,
        StopReason::NoPassingCheckpoint,
        StopReason::FeedbackStalled,
        StopReason::TurnLimit,
        StopReason::Blocked,
    ];

    /// The word in files and JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            StopReason::Cancelled => "cancelled",
            StopReason::TimedOut => "timed_out",
            StopReason::Approved => "approved",
            StopReason::HonestyCollapsed => "honesty_collapsed",
            StopReason::NoPassingCheckpoint => "no_passing_checkpoint",
            StopReason::FeedbackStalled => "feedback_stalled",
            StopReason::TurnLimit => "turn_limit",
            StopReason::Blocked => "blocked",
        }
    }
}

/// What the user must be asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "about", rename_all = "snake_case", deny_unknown_fields)]
#[schemars(rename = "PromiseTopic")]
pub enum Topic {
    /// A step failed again and again.
    StepStuck {
        /// The task.
        task: String,
        /// The role.
        role: String,
        /// The last failure.
        problem: Diagnostic,
    },
    /// The host could not perform something.
    EffectFailed {
        /// What.
        what: String,
        /// Why.
        problem: Diagnostic,
    },
    /// The tree is dirty and no player is to blame.
    DirtyTree {
        /// The paths.
        paths: Vec<String>,
    },
    /// A coach confirmed that criteria cannot be met now.
    Blocked {
        /// The task.
        task: String,
        /// The criteria.
        criteria: Vec<String>,
        /// Whether a coach confirmed it; otherwise the player insists.
        confirmed: bool,
    },
    /// A turn loop ended without approval.
    Stopped {
        /// The task.
        task: String,
        /// Why.
        reason: StopReason,
    },
    /// The command behind a wave does not hold.
    GateFailed {
        /// The wave, from 1.
        wave: u32,
        /// What it said.
        problem: Diagnostic,
    },
    /// Only deferred work is left.
    EndWithDeferred,
}

/// The end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "PromiseDone")]
pub struct Done {
    /// The head.
    pub head: String,
    /// Criteria and gates that were let go: `TASK/AC-002`, `gate after wave 2`.
    pub waived: Vec<String>,
    /// Tasks that were put off.
    pub deferred: Vec<String>,
}

/// Tallies for people.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "PromiseCounts")]
pub struct Counts {
    /// Turns that came to a decision or a stop.
    pub turns: u64,
    /// Runs that ended without success.
    pub failed_runs: u64,
    /// Reports that were refused or could not be read.
    pub refused_reports: u64,
    /// Approvals of a coach that were not taken.
    pub overruled: u64,
    /// Tasks opened again after they had been closed.
    pub reopened: u64,
}
