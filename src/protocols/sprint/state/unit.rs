//! A work unit and its sprints: their plan, their state, and the checks under way.

use super::super::config::{Check, CommandLine, CriterionConfig, TaskKind, Traits};
use super::super::model::Choice;
use super::super::report::AgentReport;
use super::super::status::{SprintStatus, UnitStatus};
use super::{Left, Progress, Try};
use crate::vocab::criterion::Criterion;
use crate::vocab::error::Diagnostic;
use crate::vocab::event::EffectId;
use crate::vocab::evidence::Evidence;
use crate::vocab::table::Row;
use crate::vocab::time::Millis;
use crate::vocab::verdict::Speaker;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// An entry criterion that the user waived.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "SprintEntryWaived")]
pub struct EntryWaived {
    /// Its id: the author's label, else `EC-001`, ….
    pub id: String,
    /// The user's reason.
    pub why: String,
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
    /// The ids of these, in the same order; those that it does not reach are numbered.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub entry_ids: Vec<String>,
    /// Files it refers to.
    pub reads: Vec<String>,
    /// Sprints of other units that must be completed first.
    pub after: Vec<String>,
    /// How long a run of it may take, in milliseconds, where the limits of its role do not say less.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
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
    /// Entry criteria that the user waived.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
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
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
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
    /// A sprint of which nothing has happened; `told` says how each of its criteria is shown, in the same order.
    pub(in super::super) fn new(
        (unit, id): (&str, String),
        plan: Assignment,
        criteria: Vec<Criterion>,
        told: &[CriterionConfig],
    ) -> Sprint {
        Sprint {
            id,
            unit: unit.to_owned(),
            plan: Arc::new(plan),
            kind: TaskKind::Code,
            traits: Traits::default(),
            dependents: 0,
            status: SprintStatus::Pending,
            criteria,
            checks: told.iter().map(|one| one.check.clone()).collect(),
            vague: told.iter().map(|one| one.vague).collect(),
            build: told.iter().map(|one| one.build).collect(),
            entry_checks: Vec::new(),
            entry_held: 0,
            entry_failed: None,
            entry_waived: Vec::new(),
            attempt: 1,
            failures: 0,
            continuations: 0,
            rounds: 0,
            losses: 0,
            runs: 0,
            choice: None,
            alone: false,
            checking: None,
            awaits_gate: BTreeSet::new(),
            feedback: Vec::new(),
            remaining: Vec::new(),
            continues: None,
            waiting: None,
            adopted: false,
            again: false,
            reopened: false,
            abandoned: BTreeSet::new(),
            grounds: BTreeMap::new(),
            paths: BTreeSet::new(),
            outside: BTreeSet::new(),
            commits: Vec::new(),
            verified_ordinal: 0,
            last_run: None,
            tries: Vec::new(),
            first_dispatched_at: None,
            completed_at: None,
        }
    }
}

impl Sprint {
    /// Recorded as done by the boxes of the plan, and not looked at yet: neither shown nor sent.
    pub(in super::super) fn is_recorded(&self) -> bool {
        self.adopted && self.status == SprintStatus::Verifying && self.checking.is_none()
    }
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

/// What a verifier's verdict on a criterion rests on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
