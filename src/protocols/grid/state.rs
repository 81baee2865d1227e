//! What a cluster knows.
//!
//! [`Core`] is bounded by live work and copied aside before each event. What grows with the cluster
//! (blocks, touched paths) sits in tables with an undo log.

use super::debug::DebugSession;
use super::facts::FactName;
use super::plan::Plan;
use super::refine::Refinement;
pub use super::refine::Scope;
use super::report::{
    Checkpoint, CheckpointType, Deviation, ExecutorReport, Failure, Report, Summary, ThreadDone,
    WaveVerdict,
};
use super::role::{ModelTier, Role, RoleSettings};
use super::scratchpad::Entry;
use super::warmth::Lessons;
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
use crate::vocab::verdict::Speaker;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What a cluster is started with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
    /// How many executors may be at work at once.
    #[serde(default = "Config::parallel")]
    pub max_parallel: u32,
    /// How many rounds of gap closure a wave has, and the patrol.
    #[serde(default = "Config::rounds")]
    pub max_gap_rounds: u32,
    /// How often a block is executed before the user is asked.
    #[serde(default = "Config::attempts")]
    pub attempts_per_block: u32,
    /// How many failed runs in a row of any other step lead to a question.
    #[serde(default = "Config::attempts")]
    pub attempts_per_step: u32,
    /// Checkpoints of the type `human-verify` are confirmed without asking. Others never are.
    #[serde(default)]
    pub automatic: bool,
    /// How strong models are; without it `.grid/config.json` says so, and else it is `quality`.
    #[serde(default)]
    pub model_tier: Option<ModelTier>,
    /// What is learned in the end is written down for the next cluster.
    #[serde(default = "Config::capture")]
    pub capture: bool,
    /// A share of a budget, in hundredths, that is told when it is spent.
    #[serde(default = "Config::warn")]
    pub warn_percent: u64,
    /// A share of a budget, in hundredths, beyond which the user confirms.
    #[serde(default = "Config::confirm")]
    pub confirm_percent: u64,
    /// Tiers and limits other than the defaults.
    #[serde(default)]
    pub roles: BTreeMap<Role, RoleSettings>,
}

impl Config {
    fn parallel() -> u32 {
        4
    }

    fn rounds() -> u32 {
        2
    }

    fn attempts() -> u32 {
        3
    }

    fn capture() -> bool {
        true
    }

    fn warn() -> u64 {
        75
    }

    fn confirm() -> u64 {
        90
    }

    /// A cluster with the defaults.
    pub fn new(mission: impl Into<String>, plans: Vec<Plan>) -> Self {
        Config {
            mission: mission.into(),
            plans,
            refine_only: false,
            refine: None,
            max_parallel: Config::parallel(),
            max_gap_rounds: Config::rounds(),
            attempts_per_block: Config::attempts(),
            attempts_per_step: Config::attempts(),
            automatic: false,
            model_tier: None,
            capture: true,
            warn_percent: Config::warn(),
            confirm_percent: Config::confirm(),
            roles: BTreeMap::new(),
        }
    }
}

/// The whole state of a cluster.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "GridState")]
pub struct State {
    /// Everything that is bounded by live work.
    pub core: Core,
    /// The blocks, in order.
    pub blocks: Table<Block>,
    /// For each path, the number of the observation that last saw it differ.
    pub touches: Ledgered,
    #[serde(skip)]
    pub(super) before: Option<Box<Core>>,
}

impl PartialEq for State {
    fn eq(&self, other: &Self) -> bool {
        self.core == other.core && self.blocks == other.blocks && self.touches == other.touches
    }
}

impl Eq for State {}

/// The part of the state that is bounded by live work.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "GridCore")]
pub struct Core {
    /// What never changes after the start.
    pub settings: Arc<Settings>,
    /// The name of the cluster.
    pub cluster: String,
    /// What earlier clusters learned, once it was read; a blank text for nothing.
    pub learnings: Option<String>,
    /// How strong models are.
    pub tier: ModelTier,
    /// There is a plan.
    pub planned: bool,
    /// Ids by wave, in order.
    pub waves: Arc<Vec<Vec<String>>>,
    /// The wave that is being worked on, from 0; as many as there are when all are over.
    pub wave: usize,
    /// What is known of the present wave's verification.
    pub verification: Verification,
    /// What was not shown, waiting to be closed.
    pub gaps: Vec<Gap>,
    /// A critical anomaly that the user has not answered yet.
    #[serde(default)]
    pub anomaly: Option<Anomaly>,
    /// Rounds of gap closure of the present wave.
    pub gap_rounds: u32,
    /// How many there may be.
    pub gap_limit: u32,
    /// Rounds of gap closure behind all waves.
    pub patrol_rounds: u32,
    /// How many there may be.
    pub patrol_limit: u32,
    /// Waves that are over.
    pub records: Vec<WaveRecord>,
    /// The last patrol that found everything in place.
    pub patrol: Option<Patrol>,
    /// What is refined, if anything is.
    pub refinement: Option<Refinement>,
    /// What was learned was written down.
    pub captured: bool,
    /// The repository as last seen.
    pub seen: Option<Seen>,
    /// Runs that are alive.
    pub runs: Vec<Run>,
    /// Runs that ended and whose effect on the tree has not been looked at.
    pub ended: Vec<Ended>,
    /// The dirt in the tree, if any, is an executor's.
    pub dirt_of_executor: bool,
    /// Failed runs in a row and corrections, by `role` or `role:item`.
    pub tries: BTreeMap<String, Tries>,
    /// How often each role was started.
    pub visits: BTreeMap<Role, u64>,
    /// What the user must be asked, the first first.
    pub asking: Vec<Topic>,
    /// Why nothing can go on.
    pub blocked: Option<Diagnostic>,
    /// Why verification is skipped for the rest of the session, if it is.
    pub skip_verification: Option<String>,
    /// The user agreed to end with deferred work left.
    pub end_with_deferred: bool,
    /// Shares of budgets that were told: `counter:limit`.
    pub warned: BTreeSet<String>,
    /// Shares of budgets that the user confirmed: `counter:limit`.
    pub confirmed: BTreeSet<String>,
    /// What was learned so far.
    pub warmth: Lessons,
    /// Entries of the present wave.
    pub scratchpad: Vec<Entry>,
    /// Decisions that were made, the latest last; bounded.
    pub decisions: Vec<String>,
    /// What stood in the way, the latest last; bounded.
    pub concerns: Vec<String>,
    /// The end, once reached.
    pub done: Option<Done>,
    /// Tallies for people.
    pub counts: Counts,
    /// The files of this protocol.
    pub files: Files,
    /// When what the verification file shows last changed.
    pub verified_at: Millis,
    /// When the state file last changed, and which content it has since.
    pub stamp: Stamp,
    /// The last thing that went wrong.
    pub last_problem: Option<Diagnostic>,
    /// Named facts with the event that set each.
    pub facts: FactTable<FactName>,
}

/// The time that stands in the state file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "GridStamp")]
pub struct Stamp {
    /// When.
    pub at: Millis,
    /// The number of the content.
    pub revision: u64,
}

/// What never changes after the start.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "GridSettings")]
pub struct Settings {
    /// The mission anchor.
    pub mission: String,
    /// See [`Config::max_parallel`].
    pub max_parallel: u32,
    /// See [`Config::max_gap_rounds`].
    pub max_gap_rounds: u32,
    /// See [`Config::attempts_per_block`].
    pub attempts_per_block: u32,
    /// See [`Config::attempts_per_step`].
    pub attempts_per_step: u32,
    /// See [`Config::automatic`].
    pub automatic: bool,
    /// See [`Config::model_tier`].
    pub model_tier: Option<ModelTier>,
    /// See [`Config::capture`].
    pub capture: bool,
    /// See [`Config::warn_percent`].
    pub warn_percent: u64,
    /// See [`Config::confirm_percent`].
    pub confirm_percent: u64,
    /// See [`Config::roles`].
    pub roles: BTreeMap<Role, RoleSettings>,
}

/// How far the verification of a wave, or the patrol, has come.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "GridVerification")]
pub struct Verification {
    /// The head at which the artifacts were looked at.
    pub looked_at: Option<u64>,
    /// What the look found, by `block/criterion`.
    pub mechanical: BTreeMap<String, Checked>,
}

/// The three levels of an artifact check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "GridChecked")]
pub struct Checked {
    /// It is there.
    pub exists: Finding,
    /// It is real, and no stub.
    pub substantive: Finding,
    /// It is in use.
    pub wired: Finding,
    /// Why.
    pub why: String,
}

/// Something that was not shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "GridGap")]
pub struct Gap {
    /// The block; blank for none in particular.
    pub block: String,
    /// The must-have; blank for none in particular.
    pub criterion: String,
    /// What is wrong, or missing.
    pub reason: String,
}

impl Gap {
    /// `block/criterion`.
    pub fn name(&self) -> String {
        format!("{}/{}", self.block, self.criterion)
    }
}

/// Something so wrong that a person must decide.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "GridAnomaly")]
pub struct Anomaly {
    /// The wave it was found in, from 0; as many as there are when a patrol found it.
    pub wave: usize,
    /// What.
    pub text: String,
}

/// A wave that is over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "GridWaveRecord")]
pub struct WaveRecord {
    /// Its number, from 1.
    pub wave: u32,
    /// The last verdict; `None` where verification was skipped.
    pub verdict: Option<WaveVerdict>,
    /// The run that gave it.
    pub run: Option<EffectId>,
    /// The head it was shown at.
    pub commit: String,
    /// Rounds of gap closure it took.
    pub gap_rounds: u32,
}

/// A patrol that found everything in place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "GridPatrol")]
pub struct Patrol {
    /// The run.
    pub run: EffectId,
    /// The number of the head.
    pub ordinal: u64,
    /// The head.
    pub head: String,
}

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

/// Failed runs in a row of one step, and the fault that its last run is to mend.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "GridTries")]
pub struct Tries {
    /// Failed runs in a row.
    pub attempts: u32,
    /// The fault that the same run is to mend.
    pub correction: Option<Correction>,
}

/// The fault of a report that the same run is to mend.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "GridCorrection")]
pub struct Correction {
    /// The run.
    pub of: EffectId,
    /// The fault.
    pub fault: Diagnostic,
}

/// Where a block stands.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum BlockStatus {
    /// Not begun.
    Pending,
    /// An executor is at work, or its report is looked at.
    Active,
    /// A person must act.
    Checkpoint,
    /// It failed and is tried again.
    Retry,
    /// It failed too often, or must not go on without a word of the user.
    Stuck,
    /// Somebody finds out why it does not work.
    Debugging,
    /// Executed, not verified.
    Executed,
    /// Closed: every must-have is shown or let go.
    Verified,
    /// Closed: the user let it go.
    Skipped,
    /// Put off by the user, or because it waits for what was put off.
    Deferred,
}

impl BlockStatus {
    /// The word in files.
    pub fn as_str(self) -> &'static str {
        match self {
            BlockStatus::Pending => "pending",
            BlockStatus::Active => "active",
            BlockStatus::Checkpoint => "checkpoint",
            BlockStatus::Retry => "retry",
            BlockStatus::Stuck => "stuck",
            BlockStatus::Debugging => "debugging",
            BlockStatus::Executed => "executed",
            BlockStatus::Verified => "verified",
            BlockStatus::Skipped => "skipped",
            BlockStatus::Deferred => "deferred",
        }
    }

    /// Whether what waits for it may begin.
    pub fn satisfies(self) -> bool {
        matches!(self, BlockStatus::Verified | BlockStatus::Skipped)
    }

    /// Whether nothing more is done for it.
    pub fn rests(self) -> bool {
        self.satisfies() || self == BlockStatus::Deferred
    }
}

/// One block: a plan and what became of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "GridBlock")]
pub struct Block {
    /// Unique id.
    pub id: String,
    /// Its plan.
    pub plan: Arc<Plan>,
    /// What it waits for, resolved.
    pub depends_on: Vec<String>,
    /// Its wave, from 1.
    pub wave: u32,
    /// Where it stands.
    pub status: BlockStatus,
    /// Its must-haves, and how far each is shown.
    pub criteria: Vec<Criterion>,
    /// Executions that failed, since the user last gave it more.
    pub attempts: u32,
    /// Why it failed, each time; the latest last.
    pub failures: Vec<Failure>,
    /// Where a person must act.
    pub checkpoint: Option<Box<Checkpoint>>,
    /// What the next run goes on from.
    pub resume: Option<Box<Resume>>,
    /// Checkpoints that were passed.
    pub passed: Vec<Passed>,
    /// A report that waits for the user's word on an architectural change.
    pub held: Option<Box<ExecutorReport>>,
    /// What its executor reported.
    pub summary: Option<Box<Summary>>,
    /// What was done beside the plan.
    pub deviations: Vec<Deviation>,
    /// Architectural changes that the user allowed.
    pub allowed: Vec<String>,
    /// Architectural changes that the open checkpoint lists: its answer allows them.
    #[serde(default)]
    pub asked: Vec<String>,
    /// What is noteworthy about it, for those who verify.
    pub findings: Vec<String>,
    /// The investigation of its failure.
    pub debug: Option<Box<DebugSession>>,
    /// The run that executed it.
    pub executed_by: Option<Speaker>,
    /// What its executor learned.
    pub lessons: Lessons,
    /// Paths its verification covers.
    pub paths: BTreeSet<String>,
    /// The ordinal of the head at which it was verified.
    pub verified_ordinal: u64,
    /// The user reopened it: the next executor spends a reopening.
    pub reopened: bool,
}

impl Row for Block {
    fn id(&self) -> &str {
        &self.id
    }

    fn group(&self) -> &'static str {
        self.status.as_str()
    }

    fn is_live(&self) -> bool {
        !self.status.rests() && self.status != BlockStatus::Pending
    }
}

/// What a fresh continuation goes on from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "GridResume")]
pub struct Resume {
    /// Threads that are done.
    pub threads: Vec<ThreadDone>,
    /// The answer, in words.
    pub answer: String,
    /// Where to go on.
    pub point: String,
}

/// A checkpoint that was passed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "GridPassed")]
pub struct Passed {
    /// Its type.
    pub kind: CheckpointType,
    /// Its thread.
    pub thread: String,
    /// The answer, in words.
    pub answer: String,
    /// Nobody was asked.
    pub automatic: bool,
}

/// What the user must be asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "about", rename_all = "snake_case", deny_unknown_fields)]
#[schemars(rename = "GridTopic")]
pub enum Topic {
    /// A step failed again and again.
    StepStuck {
        /// The role.
        role: Role,
        /// The item; blank for none.
        item: String,
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
    /// The tree is dirty and no executor is to blame.
    DirtyTree {
        /// The paths.
        paths: Vec<String>,
    },
    /// A block stopped where a person must act.
    Checkpoint {
        /// The block.
        block: String,
    },
    /// A block comes with architectural changes nobody allowed.
    Architecture {
        /// The block.
        block: String,
        /// What changed.
        changes: Vec<String>,
    },
    /// A block failed too often, or tried what was forbidden.
    BlockFailed {
        /// The block.
        block: String,
    },
    /// Gaps are left and no round is.
    GapsRemain {
        /// How many.
        count: u32,
    },
    /// A recognizer found something a person must decide about.
    Anomaly {
        /// What.
        text: String,
    },
    /// Most of a budget is spent.
    Threshold {
        /// The counter.
        counter: crate::vocab::budget::Counter,
        /// Its limit.
        limit: u64,
    },
    /// Only deferred work is left.
    EndWithDeferred,
}

/// The end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "GridDone")]
pub struct Done {
    /// The head.
    pub head: String,
    /// Must-haves that were let go: `01/AC-002`.
    pub waived: Vec<String>,
    /// Blocks that were put off.
    pub deferred: Vec<String>,
}

/// Tallies for people.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "GridCounts")]
pub struct Counts {
    /// Blocks that were executed.
    pub executed: u64,
    /// Executions that failed.
    pub failures: u64,
    /// Checkpoints that were passed.
    pub checkpoints: u64,
    /// Rounds of gap closure.
    pub gap_rounds: u64,
    /// Verdicts that were not taken as they were.
    pub overruled: u64,
    /// Runs that ended without success.
    pub failed_runs: u64,
    /// Reports that were refused or could not be read.
    pub refused_reports: u64,
    /// Entries of the scratchpad.
    pub entries: u64,
    /// Entries that could not be read.
    pub bad_entries: u64,
    /// Executions that wrote no entry.
    pub silent_executions: u64,
    /// Deviations, by rule.
    pub deviations: u64,
    /// Blocks opened again after they had been closed.
    pub reopened: u64,
}
