//! What a sprint mission knows.
//!
//! [`Core`] is bounded by live work and copied aside before each event. What grows with the plan (units,
//! sprints, decisions, touched paths) sits in tables with an undo log.

pub use super::config::{
    Check, Clarity, CommandLine, Config, CriterionConfig, Expect, Names, PlanFile, SprintConfig,
    Structure, TaskKind, Traits, UnitConfig,
};
use super::facts::FactName;
use super::model::Choice;
use super::report::{AgentReport, VerifierReport};
use super::role::{Role, RoleSettings};
pub use super::status::{SprintStatus, UnitStatus};
use crate::protocols::shared::files::Files;
use crate::protocols::shared::run;
pub use crate::protocols::shared::seen::Seen;
use crate::protocols::shared::table::FactTable;
use crate::protocols::shared::tree::Before;
use crate::vocab::criterion::Criterion;
use crate::vocab::error::Diagnostic;
use crate::vocab::event::EffectId;
use crate::vocab::role::{Tier, Usage};
use crate::vocab::table::{Ledgered, Row, Table};
use crate::vocab::time::Millis;
use crate::vocab::verdict::{Claim, Speaker};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The state of a sprint mission.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "SprintState")]
pub struct State {
    /// Everything that is bounded by live work.
    pub core: Core,
    /// The work units, in the order of the plan.
    pub units: Table<Unit>,
    /// The sprints, unit by unit.
    pub sprints: Table<Sprint>,
    /// What was decided, in order.
    pub decisions: Table<DecisionRow>,
    /// For each path, the number of the observation that last saw it differ.
    pub touches: Ledgered,
    #[serde(skip)]
    pub(super) before: Option<Box<Core>>,
    /// The arrows that the present event took, for the invariant that knows them all.
    #[serde(skip)]
    pub(super) moves: Vec<Arrow>,
}

impl PartialEq for State {
    fn eq(&self, other: &Self) -> bool {
        self.core == other.core
            && self.units == other.units
            && self.sprints == other.sprints
            && self.decisions == other.decisions
            && self.touches == other.touches
    }
}

impl Eq for State {}

impl State {
    /// The arrows that the last event took, in order: `sprint PENDING → DISPATCHED`. They are not kept.
    pub fn arrows(&self) -> impl Iterator<Item = String> + '_ {
        self.moves.iter().map(|arrow| match arrow {
            Arrow::Unit(_, from, to) => format!("unit {} → {}", from.as_str(), to.as_str()),
            Arrow::Sprint(_, from, to) => format!("sprint {} → {}", from.as_str(), to.as_str()),
        })
    }
}

/// One change of a status.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Arrow {
    /// Of a unit.
    Unit(String, UnitStatus, UnitStatus),
    /// Of a sprint.
    Sprint(String, SprintStatus, SprintStatus),
}

/// The part of the state that is bounded by live work.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "SprintCore")]
pub struct Core {
    /// What never changes after the start.
    pub settings: Arc<Settings>,
    /// The repository as last seen.
    pub seen: Option<Seen>,
    /// Runs that are alive.
    pub runs: Vec<Run>,
    /// Runs that ended and were not judged yet: the tree is to be looked at first.
    pub ended: Vec<Ended>,
    /// The gate that is being run.
    pub gate: Option<Gate>,
    /// A stop is under way.
    pub stopping: Option<Stopping>,
    /// When everything was killed, if it was.
    pub killed_at: Option<Millis>,
    /// Commands that were lost one after the other.
    pub lost_commands: u32,
    /// Everything was killed and what is left was not told yet: with how many runs that were ended.
    pub kill_told: Option<u64>,
    /// A look is due to see whether runs move.
    pub watch_due: bool,
    /// The commands of the plan may be run.
    pub trusted: bool,
    /// The plan as it was last seen to differ.
    pub plan_seen: Option<String>,
    /// The changed plan that the user keeps.
    pub plan_kept: Option<String>,
    /// How often each role was started.
    pub visits: BTreeMap<Role, u64>,
    /// When the first run was dispatched.
    pub began_at: Option<Millis>,
    /// What the user must be asked, the first first.
    pub asking: Vec<Topic>,
    /// Why nothing can go on, if the user or the repository said so.
    pub blocked: Option<Diagnostic>,
    /// Why verification is skipped, if it is.
    pub skip_verification: Option<String>,
    /// The user agreed to end with deferred work left.
    pub end_with_deferred: bool,
    /// The ordinal of the head at which everything was built and shown together.
    pub shown_at: Option<u64>,
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
#[schemars(rename = "SprintSettings")]
pub struct Settings {
    /// The mission anchor.
    pub mission: String,
    /// See [`Config::project`].
    pub project: String,
    /// See [`Config::root`].
    pub root: String,
    /// See [`Config::plan`].
    pub plan: Option<PlanFile>,
    /// See [`Config::operation`].
    pub operation: Option<String>,
    /// See [`Config::build`].
    pub build: Vec<CommandLine>,
    /// See [`Config::template`].
    pub template: Option<String>,
    /// See [`Config::structure`].
    pub structure: Structure,
    /// See [`Config::max_retries`].
    pub max_retries: u32,
    /// See [`Config::max_continuations`].
    pub max_continuations: u32,
    /// See [`Config::max_verifier_rounds`].
    pub max_verifier_rounds: u32,
    /// See [`Config::max_turns`].
    pub max_turns: u32,
    /// See [`Config::force_from_attempt`].
    pub force_from_attempt: u32,
    /// See [`Config::max_parallel`].
    pub max_parallel: u32,
    /// See [`Config::poll_interval_ms`].
    pub poll_interval_ms: u64,
    /// See [`Config::watchdog_interval_ms`].
    pub watchdog_interval_ms: u64,
    /// See [`Config::watchdog_max_strikes`].
    pub watchdog_max_strikes: u32,
    /// See [`Config::names`].
    pub names: Names,
    /// See [`Config::roles`].
    pub roles: BTreeMap<Role, RoleSettings>,
}

impl Settings {
    /// What the host's model of this tier is called.
    pub fn name(&self, tier: Tier) -> &str {
        match tier {
            Tier::Small => &self.names.small,
            Tier::Standard => &self.names.standard,
            Tier::Large => &self.names.large,
        }
    }
}

/// A run that is alive.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "SprintRun")]
pub struct Run {
    /// Its role.
    pub role: Role,
    /// The run and its session.
    pub by: Speaker,
    /// Its sprint.
    pub sprint: String,
    /// Set if it answers a fault of an earlier report.
    pub corrects: Option<EffectId>,
    /// The tree before it.
    pub before: Before,
    /// When it was started.
    pub started_at: Millis,
    /// The plan changed while it alone was at work.
    pub changed_plan: bool,
    /// Paths of its unit that differed while it was alive.
    pub paths: BTreeSet<String>,
    /// Polls in a row without a sign of life.
    pub empty_polls: u32,
    /// It gave a sign of life since the last poll.
    pub heard: bool,
    /// Checks in a row at which its part of the tree had not moved.
    pub strikes: u32,
    /// Its part of the tree at the last check.
    pub tree: String,
    /// It is to be ended, and why.
    pub doom: Option<Doom>,
    /// It was told to end.
    pub ending: bool,
}

/// Why a run is ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Doom {
    /// No sign of life for too many polls.
    Unresponsive,
    /// Its part of the tree did not move for too long.
    NoProgress,
    /// The user stopped or killed it.
    Killed,
}

/// A run that ended and waits to be judged.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "SprintEnded")]
pub struct Ended {
    /// The run.
    pub run: Run,
    /// What came of it.
    pub left: Left,
    /// What it used.
    pub usage: Usage,
}

/// What a run left behind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "left", content = "with", rename_all = "snake_case")]
#[schemars(rename = "SprintLeft")]
pub enum Left {
    /// An agent's report.
    Agent(AgentReport),
    /// A verifier's report.
    Verifier(VerifierReport),
    /// Nothing that could be read, but it did not fail either: its turns or context were used up, or
    /// it stopped on the way.
    Unsaid(Diagnostic),
    /// A report that cannot be read; the same run is to mend it.
    Unfit(Diagnostic),
    /// It is gone without a word, as a run is whose host died: what is there counts.
    Lost(Diagnostic),
    /// It failed or was ended.
    Failure(Diagnostic),
}

/// One work unit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "SprintUnit")]
pub struct Unit {
    /// Unique id.
    pub id: String,
    /// What it is called.
    pub name: String,
    /// Its directory; empty for the whole repository.
    pub directory: String,
    /// Where it stands.
    pub status: UnitStatus,
    /// Units and sprints that must be completed before its first sprint.
    pub after: Vec<String>,
    /// Commands that must hold before it starts.
    pub checks: Vec<CommandLine>,
    /// How many of them held.
    pub checks_held: u32,
    /// The one that did not.
    pub check_failed: Option<Diagnostic>,
    /// Files that tell of its progress.
    pub progress_files: Vec<String>,
    /// Ids of its sprints, in order.
    pub sprints: Vec<String>,
    /// What was last confirmed.
    pub last_verified: String,
    /// What a person should know.
    pub note: String,
}

impl Row for Unit {
    fn id(&self) -> &str {
        &self.id
    }

    fn group(&self) -> &'static str {
        self.status.as_str()
    }

    fn is_live(&self) -> bool {
        self.status != UnitStatus::Completed
    }
}

/// What of a sprint never changes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "SprintAssignment")]
pub struct Assignment {
    /// Its label.
    pub label: String,
    /// What it is called.
    pub name: String,
    /// Its definition, word for word.
    pub definition: String,
    /// What must hold before it starts.
    pub entry: Vec<String>,
    /// Files it refers to.
    pub reads: Vec<String>,
    /// Sprints of other units that must be completed first.
    pub after: Vec<String>,
}

/// One sprint.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "SprintRow")]
pub struct Sprint {
    /// `unit/label`.
    pub id: String,
    /// Its unit.
    pub unit: String,
    /// What of it never changes.
    pub plan: Arc<Assignment>,
    /// The kind of work.
    pub kind: TaskKind,
    /// What its model is chosen by.
    pub traits: Traits,
    /// How many sprints wait for it, directly or not; counted up to 7.
    pub dependents: u32,
    /// Where it stands.
    pub status: SprintStatus,
    /// What defines done, and how far each is shown.
    pub criteria: Vec<Criterion>,
    /// How each is shown, in the same order.
    pub checks: Vec<Check>,
    /// Which are vague.
    pub vague: Vec<bool>,
    /// Which wait for a gate while others work.
    pub build: Vec<bool>,
    /// Commands among its entry criteria that must hold before its first dispatch.
    pub entry_checks: Vec<CommandLine>,
    /// How many of them held.
    pub entry_held: u32,
    /// The one that did not.
    pub entry_failed: Option<Diagnostic>,
    /// The attempt that is running, or will run next, from 1.
    pub attempt: u32,
    /// Attempts that failed, over all resumes.
    pub failures: u32,
    /// Continuations of this attempt.
    pub continuations: u32,
    /// Verifier rounds of this attempt.
    pub rounds: u32,
    /// Runs for it that were lost one after the other; they use no attempt, up to a bound.
    pub losses: u32,
    /// Runs of its agent that were started, corrections included.
    pub runs: u32,
    /// The model of the dispatch that is due or under way.
    pub choice: Option<Choice>,
    /// Its run may build: nobody else is at work.
    pub alone: bool,
    /// What is being checked, after its run ended.
    pub checking: Option<Box<Checking>>,
    /// Criteria whose commands wait for the next gate.
    pub awaits_gate: BTreeSet<String>,
    /// What the next run is told of what went before.
    pub feedback: Vec<String>,
    /// What the next run is to do, where it continues.
    pub remaining: Vec<String>,
    /// The run that the next one continues, in its session where the agent can.
    pub continues: Option<EffectId>,
    /// The fault of a report that the same run is to mend.
    pub correction: Option<Correction>,
    /// A sprint that waits for something outside.
    pub waiting: Option<Waiting>,
    /// Recorded as done by an earlier supervisor, and not shown here yet.
    pub adopted: bool,
    /// Completed before, and to be shown again at the final head.
    pub again: bool,
    /// The user opened it again: the next run spends a reopening.
    pub reopened: bool,
    /// Work that ended runs left behind, not committed as last seen.
    pub abandoned: BTreeSet<String>,
    /// Paths that differed over its runs; what its verification covers.
    pub paths: BTreeSet<String>,
    /// Those of them that lie outside the directory of its unit.
    pub outside: BTreeSet<String>,
    /// Heads that were seen to move under its runs.
    pub commits: Vec<String>,
    /// The ordinal of the head at which it was shown.
    pub verified_ordinal: u64,
    /// The last run of its agent.
    pub last_run: Option<EffectId>,
    /// Its runs, for the completion log: bounded by what it may spend.
    pub tries: Vec<Try>,
    /// When it was first dispatched.
    pub first_dispatched_at: Option<Millis>,
    /// When it was completed.
    pub completed_at: Option<Millis>,
}

impl Row for Sprint {
    fn id(&self) -> &str {
        &self.id
    }

    fn group(&self) -> &'static str {
        self.status.as_str()
    }

    fn is_live(&self) -> bool {
        !self.status.closed() && self.status != SprintStatus::Pending
    }
}

/// What a dispatch is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attempting {
    /// The first run of an attempt.
    Anew,
    /// The rest of partial work.
    Continuation,
}

/// What is being checked after a run ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "SprintChecking")]
pub struct Checking {
    /// The run; `None` for a sprint that an earlier supervisor recorded.
    pub by: Option<Speaker>,
    /// What it said, if that could be read.
    pub said: Option<AgentReport>,
    /// Why it said nothing, if so.
    pub unsaid: Option<Diagnostic>,
    /// It was lost.
    pub lost: bool,
    /// Something of its unit differs from before it.
    pub moved: bool,
    /// Something of its unit is not committed.
    pub dirty: Vec<String>,
    /// What its unit's progress files say; text, which only ever makes a case doubtful.
    pub progress: Option<Progress>,
    /// The progress files were looked at, or there are none.
    pub read: bool,
    /// Ids of criteria whose commands are still to be run.
    pub due: Vec<String>,
    /// Criteria that did not hold, with what was seen.
    pub against: Vec<Against>,
}

/// A criterion that was shown not to hold, or not shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "SprintAgainst")]
pub struct Against {
    /// The criterion.
    pub criterion: String,
    /// It was shown not to hold; otherwise nothing was shown.
    pub shown: bool,
    /// What was seen.
    pub why: String,
}

/// What progress files say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "SprintProgressWord")]
pub enum Progress {
    /// That the sprint is done.
    Done,
    /// That it is not.
    Unfinished,
}

/// A sprint that waits for something outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "SprintWaiting")]
pub struct Waiting {
    /// Polls at which the condition did not hold, since the user was last asked.
    pub polls: u32,
    /// The next poll is due.
    pub due: bool,
}

/// The fault of a report that the same run is to mend.
pub type Correction = run::Correction<Role>;

/// One run of a sprint's agent, as the completion log tells of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "SprintTry")]
pub struct Try {
    /// The attempt it belongs to.
    pub attempt: u32,
    /// Its model.
    pub tier: Tier,
    /// When it was started.
    pub started_at: Millis,
    /// When it ended.
    pub ended_at: Millis,
    /// Turns it used, as far as it said so.
    pub turns: u32,
}

/// A gate: what is built and shown together, one command at a time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "SprintGate")]
pub struct Gate {
    /// Its number, from 1.
    pub number: u64,
    /// It is the last one: everything is shown again at this head.
    pub last: bool,
    /// What is left to be run.
    pub due: Vec<GateCommand>,
    /// Sprints with what failed in them.
    pub failed: BTreeMap<String, Vec<String>>,
    /// Criteria that held: sprint and criterion, with the command.
    pub held: Vec<GateHeld>,
}

/// One command of a gate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "SprintGateCommand")]
pub struct GateCommand {
    /// The command.
    pub line: CommandLine,
    /// The criteria it shows, as sprint and criterion; none for a build of everything.
    pub shows: Vec<(String, String)>,
}

/// A criterion that held at a gate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "SprintGateHeld")]
pub struct GateHeld {
    /// The sprint.
    pub sprint: String,
    /// The criterion.
    pub criterion: String,
    /// The command's effect.
    pub by: EffectId,
    /// The command in words.
    pub method: String,
}

/// A stop that waits for what runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "SprintStopping")]
pub struct Stopping {
    /// Polls in a row at which no run had ended.
    pub polls: u32,
    /// A run ended since the last poll.
    pub moved: bool,
}

/// What the user must be asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "about", rename_all = "snake_case", deny_unknown_fields)]
#[schemars(rename = "SprintTopic")]
pub enum Topic {
    /// The host could not perform something.
    EffectFailed {
        /// What.
        what: String,
        /// Why.
        problem: Diagnostic,
    },
    /// The plan's commands are to be run as written.
    Trust,
    /// A sprint's criteria say nothing that could be shown.
    Vague {
        /// The sprint.
        sprint: String,
        /// The criteria.
        criteria: Vec<String>,
    },
    /// Only a person can say whether these hold.
    Confirm {
        /// The sprint.
        sprint: String,
        /// The criteria.
        criteria: Vec<String>,
        /// What the agent found.
        findings: Vec<String>,
    },
    /// What a sprint waits for has not come.
    StillWaiting {
        /// The sprint.
        sprint: String,
        /// What was last seen.
        problem: Diagnostic,
    },
    /// A build at a gate fails and no sprint is to blame.
    GateFailed {
        /// What it said.
        problem: Diagnostic,
    },
    /// The plan is another one than the mission began with.
    PlanChanged {
        /// What was seen.
        problem: Diagnostic,
    },
    /// Only deferred work is left.
    EndWithDeferred,
}

/// The end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "SprintDone")]
pub struct Done {
    /// The head.
    pub head: String,
    /// When.
    pub at: Millis,
    /// Criteria that were let go: `unit/label/AC-002`.
    pub waived: Vec<String>,
    /// Sprints that were put off, and those that wait for them.
    pub deferred: Vec<String>,
}

/// Tallies for people.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "SprintCounts")]
pub struct Counts {
    /// Dispatches of agents.
    pub dispatched: u64,
    /// Attempts that failed.
    pub failed_attempts: u64,
    /// Continuations.
    pub continuations: u64,
    /// Verifier rounds.
    pub verified: u64,
    /// Reports that were refused or could not be read.
    pub refused_reports: u64,
    /// Gates that were run.
    pub gates: u64,
    /// Sprints opened again after they had been completed.
    pub reopened: u64,
}

/// One decision, in the words of the log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "SprintDecision")]
pub struct DecisionRow {
    /// Its number.
    pub id: String,
    /// When.
    pub at: Millis,
    /// The unit; empty for the mission.
    pub unit: String,
    /// The sprint's label; empty for none.
    pub sprint: String,
    /// What.
    pub decision: String,
    /// Why.
    pub rationale: String,
}

impl Row for DecisionRow {
    fn id(&self) -> &str {
        &self.id
    }

    fn group(&self) -> &'static str {
        "decision"
    }

    fn is_live(&self) -> bool {
        false
    }
}

/// Claims of a report for criteria that are open, in the words of the vocabulary.
pub(super) fn complete(claims: &[Claim], id: &str) -> Option<Claim> {
    use crate::vocab::verdict::ClaimStatus;
    let claim = claims.iter().find(|claim| claim.criterion == id);
    claim.filter(|claim| claim.status == ClaimStatus::Complete).cloned()
}
