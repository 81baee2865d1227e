//! A task and its turns: promises, checkpoints, and why it stopped.

use super::super::feature::TaskStatus;
use crate::mission::prelude::*;
use crate::vocab::table::row;
use crate::vocab::verdict::{Claim, Speaker};

/// One task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
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
    /// Its state.
    pub status: TaskStatus,
    /// What defines done, and how far each is shown.
    pub criteria: Vec<Criterion>,
    /// The place of each criterion in the document: first and last line, from 1; `0, 0` if nowhere.
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

row!(Task, task => matches!(task.status, TaskStatus::InProgress | TaskStatus::Failed));

/// The turn loop of one task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
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

words! {
    /// What is due in a turn.
    PlayStep {
        Play "play" "The player.";
        Test "test" "The test command.";
        Coach "coach" "The coach.";
        Keep "keep"
            "The tree is to be put back to the passing checkpoint: first what is there is kept.";
        RollBack "roll_back" "Then the tree is put back.";
    }
}

/// What a player promised.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
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
    /// The parts of it that could not be taken unchanged.
    pub faults: Vec<Diagnostic>,
    /// The head it speaks of.
    pub commit: String,
}

/// What the rules of the loop need to know of a turn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Checkpoint {
    /// The turn.
    pub turn: u32,
    /// The head.
    pub commit: String,
}

words! {
    /// Why a turn loop ended. In this order the first that applies is named.
    StopReason {
        Cancelled "cancelled" "The user killed what ran.";
        TimedOut "timed_out" "The task's time is over.";
        Approved "approved" "Every criterion is verified or waived, and nothing blocks.";
        HonestyCollapsed "honesty_collapsed"
            "Over the last three turns less than three in ten complete claims were true.";
        NoPassingCheckpoint "no_passing_checkpoint"
            "The tests failed three turns in a row although they had passed before.";
        FeedbackStalled "feedback_stalled" "The same feedback again and again.";
        TurnLimit "turn_limit" "No turn is left.";
        Blocked "blocked" "A criterion cannot be met now, and the user did not change that.";
    }
}
