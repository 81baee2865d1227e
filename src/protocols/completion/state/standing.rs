//! The judgement of the end, the questions of its own, and the counts.

use crate::mission::prelude::*;
use crate::vocab::question::QuestionKind;
use crate::vocab::verdict::Speaker;

/// The stop wave.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Wave {
    /// Counts the waves that were begun.
    pub number: u64,
    /// Judgements of this wave, all at one head.
    pub judgements: Vec<StopJudgement>,
    /// The head at which the stop verifier passed after the last judgement.
    pub verified_at: Option<String>,
}

/// One judgement that the mission may stop.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StopJudgement {
    /// Who judged.
    pub by: Speaker,
    /// At which head.
    pub head: String,
    /// `slice/criterion` of the stale criteria it showed to hold there.
    pub shown: Vec<String>,
}

/// What the user must be asked, with all that is needed to act on the answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(tag = "about", rename_all = "snake_case", deny_unknown_fields)]
pub enum Topic {
    /// The locked stop script was changed by hand.
    StopScript {
        /// Digest of what is there now.
        digest: String,
        /// What is there now.
        text: String,
    },
    /// The bootstrapper proposes other verification commands than the locked ones.
    NewStopScript {
        /// The commands, each an argv.
        commands: Vec<Vec<String>>,
    },
    /// A history file is not as it was left.
    HistoryChanged {
        /// The file.
        path: String,
        /// Digest of what is there now.
        digest: Option<String>,
        /// Length of what is there now.
        length: u64,
    },
    /// The regrounder wants to waive criteria or skip slices.
    Proposals {
        /// Which, and why.
        proposals: Vec<Proposal>,
    },
    /// A role asks.
    RoleAsks {
        /// The role.
        role: String,
        /// What.
        text: String,
        /// The kind of answer.
        kind: QuestionKind,
    },
}

/// Something the regrounder wants to waive or skip; only the user may say yes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Proposal {
    /// The slice.
    pub slice_id: String,
    /// One criterion of it, or all of it.
    #[serde(default)]
    pub criterion: Option<String>,
    /// Why.
    pub reason: String,
}

/// Tallies for people.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Counts {
    /// Slices that were reopened.
    pub reopened: u64,
    /// Hand edits that were adopted.
    pub adopted_edits: u64,
    /// Hand edits that were kept aside.
    pub rejected_edits: u64,
}
