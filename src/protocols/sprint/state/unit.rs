//! A work unit and its sprints: their plan, their state, and the checks under way.

use super::super::config::{Check, CommandLine, SprintConfig};
use super::super::model::Choice;
use super::super::report::AgentReport;
use super::super::status::{SprintStatus, UnitStatus};
use super::{Left, Progress, Try};
use crate::mission::prelude::*;
use crate::vocab::table::row;
use crate::vocab::verdict::Speaker;

/// An entry criterion that the user waived.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "SprintEntryWaived")]
pub struct EntryWaived {
    /// Its id: the author's label, else `EC-001`, ….
    pub id: String,
    /// The user's reason.
    pub why: String,
}

/// One work unit.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Readable, JsonSchema)]
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

row!(Unit, unit => unit.status != UnitStatus::Completed);

/// One sprint.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "SprintRow")]
pub struct Sprint {
    /// `unit/label`.
    pub id: String,
    /// Its unit.
    pub unit: String,
    /// What of it never changes; its criteria and commands do, and are rows of their own.
    pub plan: Arc<SprintConfig>,
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
    /// Entry criteria that the user waived.
    pub entry_waived: Vec<EntryWaived>,
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
    /// Its run may build: no other run is at work.
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
    /// What the verdicts on its criteria rest on.
    pub grounds: BTreeMap<String, Grounds>,
    /// Paths that differed over its runs; what its verification covers.
    pub paths: BTreeSet<String>,
    /// Those of them that lie outside the directory of its unit.
    pub outside: BTreeSet<String>,
    /// Commits of its runs.
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

impl Sprint {
    /// The criteria that are shown in this way, but for those that were waived.
    pub(in super::super) fn left_to(&self, by: Check) -> impl Iterator<Item = &Criterion> {
        let all = self.criteria.iter().zip(&self.checks);
        all.filter(move |(one, check)| **check == by && !one.waived()).map(|(one, _)| one)
    }

    /// Those of them that are not settled, by their ids.
    pub(in super::super) fn open_to(&self, by: Check) -> Vec<String> {
        self.left_to(by).filter(|one| !one.settled()).map(|one| one.id.clone()).collect()
    }

    /// The criteria that commands show, but for those that were waived.
    pub(in super::super) fn commands(&self) -> impl Iterator<Item = (&str, &CommandLine)> {
        let open = self.criteria.iter().zip(&self.checks).filter(|(one, _)| !one.waived());
        open.filter_map(|(one, check)| Some((one.id.as_str(), check.line()?)))
    }

    /// Recorded as done by the boxes of the plan, and not looked at yet: neither shown nor sent.
    pub(in super::super) fn is_recorded(&self) -> bool {
        self.adopted && self.status == SprintStatus::Verifying && self.checking.is_none()
    }
}

row!(Sprint, sprint => !sprint.status.closed() && sprint.status != SprintStatus::Pending);

/// What a verifier's verdict on a criterion rests on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "SprintGrounds")]
pub struct Grounds {
    /// Who claimed it, if anyone.
    pub claimed_by: Option<Speaker>,
    /// What the claim brought.
    pub claim: Vec<Evidence>,
    /// What the verdict brought.
    pub verdict: Vec<Evidence>,
    /// The ordinal of the head it was judged at.
    pub ordinal: u64,
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
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "SprintChecking")]
pub struct Checking {
    /// The run; `None` for a sprint that an earlier supervisor recorded.
    pub by: Option<Speaker>,
    /// What it said, if that could be read.
    pub said: Option<AgentReport>,
    /// What became of it, if not.
    pub left: Option<Left>,
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
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

/// A sprint that waits for something outside.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "SprintWaiting")]
pub struct Waiting {
    /// Polls at which the condition did not hold, since the user was last asked.
    pub polls: u32,
}
