//! A block: its plan, its state, and its results so far.

use super::super::debug::DebugSession;
use super::super::plan::Plan;
use super::super::report::{
    Checkpoint, CheckpointType, Deviation, ExecutorReport, Failure, Summary, ThreadDone,
};
use super::super::warmth::Lessons;
use super::{ToldGap, Writing};
use crate::mission::prelude::*;
use crate::vocab::table::row;
use crate::vocab::verdict::Speaker;

words! {
    /// The state of a block.
    BlockStatus {
        Pending "pending" "Not begun.";
        Active "active" "An executor is at work, or its report is looked at.";
        Checkpoint "checkpoint" "A person must act.";
        Retry "retry" "It failed and is retried.";
        Stuck "stuck" "It failed too often, or must not go on without a word of the user.";
        Debugging "debugging" "Somebody finds out why it does not work.";
        Executed "executed" "Executed, not verified.";
        Verified "verified" "Closed: every must-have is shown or waived.";
        Skipped "skipped" "Closed: the user skipped it.";
        Deferred "deferred" "Deferred by the user, or because it waits for a deferred block.";
    }
}

impl BlockStatus {
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
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Readable, JsonSchema)]
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
    /// Its state.
    pub status: BlockStatus,
    /// Its must-haves, and how far each is shown.
    pub criteria: Vec<Criterion>,
    /// Executions that failed, since the user last gave it more.
    pub attempts: u32,
    /// Executions that went without leaving a result.
    #[serde(default)]
    pub lost: u32,
    /// Why it failed, each time; the latest last.
    pub failures: Vec<Failure>,
    /// Failures before those, of which only what must not be tried again is kept.
    #[serde(default, skip_serializing_if = "is_none")]
    pub forgotten: u32,
    /// Approaches that were tried, whatever came of them, each once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub approaches: Vec<String>,
    /// Where a person must act.
    pub checkpoint: Option<Box<Checkpoint>>,
    /// What the next run goes on from.
    pub resume: Option<Box<Resume>>,
    /// Checkpoints that were passed.
    pub passed: Vec<Passed>,
    /// A report that waits for the user's word on an architectural change.
    pub held: Option<Box<ExecutorReport>>,
    /// What the commits of the report that waits were seen to change.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub touched: Vec<String>,
    /// What its executor reported.
    pub summary: Option<Box<Summary>>,
    /// Deviations from the plan.
    pub deviations: Vec<Deviation>,
    /// Architectural changes that the user allowed.
    pub allowed: Vec<String>,
    /// Architectural changes that the user wants taken back.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refused: Vec<Refusal>,
    /// Gaps that were told of its must-haves, each until it is told anew; the last word on each counts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gaps: Vec<ToldGap>,
    /// Architectural changes that the open checkpoint lists: its answer allows them.
    #[serde(default)]
    pub asked: Vec<String>,
    /// What is noteworthy about it, for those who verify.
    pub findings: Vec<String>,
    /// Findings beyond those that are kept.
    #[serde(default, skip_serializing_if = "is_none")]
    pub unkept: u32,
    /// Extra fields of its executors' reports, each once; the latest last.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub beside: Vec<String>,
    /// The prose around their reports, each once; the latest last.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub prose: Vec<String>,
    /// What summary and claims of reports say that did not finish it, each once; the latest last.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub along: Vec<String>,
    /// What people said of it apart from the answers that passed its checkpoints; the latest last.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub words: Vec<String>,
    /// The investigation of its failure.
    pub debug: Option<Box<DebugSession>>,
    /// What its present executor wrote so far, or its last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub writing: Option<Writing>,
    /// The run that executed it.
    pub executed_by: Option<Speaker>,
    /// The sessions in which anybody ever worked on it, whatever came of that: none of them judges it.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub sessions: BTreeSet<String>,
    /// What its executor learned.
    pub lessons: Lessons,
    /// Paths its verification covers.
    pub paths: BTreeSet<String>,
    /// The ordinal of the head at which it was verified.
    pub verified_ordinal: u64,
    /// The round of gap closure it came with, from 1; 0 for one that closes none.
    #[serde(default, skip_serializing_if = "is_none")]
    pub round: u32,
    /// The user reopened it: the next executor spends a reopening.
    pub reopened: bool,
    /// It is deferred only because of a dependency.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub put_off_with: bool,
    /// Checkpoints at which a person found something wrong and did not confirm it since.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub objected: Vec<Checkpoint>,
}

fn is_none(count: &u32) -> bool {
    *count == 0
}

impl Block {
    /// Whether this run, or its session, ever worked on the block or claimed anything of it.
    pub fn worked_on_by(&self, who: &Speaker) -> bool {
        who.sessions().any(|session| self.sessions.contains(session))
            || self.executed_by.as_ref().is_some_and(|by| by.same_as(who))
    }

    /// What a person found not as it should be, and did not confirm since at a checkpoint of the same thread.
    pub fn objections(&self) -> impl Iterator<Item = &Passed> {
        self.passed.iter().enumerate().filter(|(_, one)| one.objected).filter_map(|(at, one)| {
            let mut later = self.passed.iter().skip(at + 1);
            let answers = |next: &Passed| next.kind == one.kind && next.thread == one.thread;
            (!later.any(answers)).then_some(one)
        })
    }

    /// Whether no run of it came to anything yet: what is in the tree is not its own.
    pub fn is_new(&self) -> bool {
        self.attempts == 0 && self.lost == 0 && self.passed.is_empty()
    }

    /// Whether a must-have is neither shown nor waived.
    pub fn is_open(&self, criterion: &str) -> bool {
        self.criteria.iter().any(|one| one.id == criterion && !one.settled())
    }

    /// What the user wants taken back, and no report named again since.
    pub fn to_take_back(&self) -> impl Iterator<Item = &Refusal> {
        self.refused.iter().filter(|one| !one.again)
    }

    /// What the user decided about a deviation, in words; blank where nobody was asked.
    pub fn decided(&self, deviation: &Deviation) -> &'static str {
        let four = deviation.rule == 4;
        let refused = |one: &Refusal| one.change == deviation.description;
        match deviation.description {
            _ if !four => "",
            ref change if self.allowed.contains(change) => " (allowed by the user)",
            _ if self.to_take_back().any(refused) => " (refused by the user: to be taken back)",
            _ => "",
        }
    }

    /// Deviations from the plan, each in a line: the decision about it, and the files it made or changed.
    pub fn done_beside(&self) -> impl Iterator<Item = String> {
        self.deviations.iter().map(|one| {
            let files = match one.files.as_slice() {
                [] => String::new(),
                files => format!(" (files: {})", files.join(", ")),
            };
            format!("{}{}{files}", one.cited(), self.decided(one))
        })
    }

    /// Whether somebody judged it and found something of it shown.
    pub fn judged(&self) -> bool {
        self.criteria.iter().any(Criterion::verified)
    }

    /// Why it is closed although nobody judged it: nothing of it was shown, all of it was waived.
    pub fn unjudged(&self) -> Option<String> {
        if self.status != BlockStatus::Verified || self.judged() {
            return None;
        }
        let why = self.criteria.iter().find_map(|one| match &one.state {
            // What goes with a gap says itself who let that go.
            CriterionState::Waived { why, .. } if why.contains(" was let go by the ") => {
                Some(why.clone())
            }
            CriterionState::Waived { by, why } => Some(format!("{why} (let go by the {by})")),
            _ => None,
        });
        Some(one_line(&why.unwrap_or_default()))
    }
}

row!(Block, block => !block.status.rests() && block.status != BlockStatus::Pending);

/// What a fresh continuation goes on from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
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

/// An architectural change that the user does not want.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "GridRefusal")]
pub struct Refusal {
    /// The change, as its report words it.
    pub change: String,
    /// Files it names that were seen to change: they change again.
    pub files: Vec<String>,
    /// Other files of the success it came with.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub beside: Vec<String>,
    /// The head when the user spoke.
    pub head: String,
    /// The number of that head.
    pub ordinal: u64,
    /// It came with a success: it is in the tree.
    pub made: bool,
    /// The must-have that it was taken back.
    pub criterion: String,
    /// A report named it again since: the user is asked again.
    #[serde(default)]
    pub again: bool,
}

/// A checkpoint that was passed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "GridPassed")]
pub struct Passed {
    /// Its type.
    pub kind: CheckpointType,
    /// Its thread.
    pub thread: String,
    /// What was asked, in words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub asked: String,
    /// The ways there were to choose from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<String>,
    /// Extra fields of the checkpoint, which its type does not ask for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<String>,
    /// How what a person did is verified afterwards.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verify_after: Option<String>,
    /// The answer, in words.
    pub answer: String,
    /// Nobody was asked.
    pub automatic: bool,
    /// The person found it not as it should be: it is asked again.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub objected: bool,
}
