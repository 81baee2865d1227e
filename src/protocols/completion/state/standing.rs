//! The questions to the user, the judgement and the end of the mission, and the counts.

use crate::vocab::budget::Counter;
use crate::vocab::error::Diagnostic;
use crate::vocab::question::QuestionKind;
use crate::vocab::time::Millis;
use crate::vocab::verdict::Speaker;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The stop wave.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "about", rename_all = "snake_case", deny_unknown_fields)]
pub enum Topic {
    /// One step failed again and again.
    StepStuck {
        /// The role that failed.
        role: String,
        /// How it failed last.
        problem: Diagnostic,
    },
    /// The host could not perform something.
    EffectFailed {
        /// What, in words.
        what: String,
        /// Why.
        problem: Diagnostic,
        /// What was to be asked before it failed, and is asked after it.
        then: Option<Box<Topic>>,
    },
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
    /// Nothing but deferred work is left.
    EndWithDeferred,
    /// The tree is dirty and no slice of ours is to blame.
    DirtyStart {
        /// The paths.
        paths: Vec<String>,
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
    /// A budget is spent.
    Budget {
        /// Which.
        counter: Counter,
    },
}

/// Something the regrounder wants to waive or skip; only the user may say yes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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

/// The verified end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Done {
    /// When.
    pub at: Millis,
    /// The head at which everything was shown.
    pub head: String,
    /// Always `verified` in this protocol.
    pub closed_by: String,
    /// `slice/criterion` of everything that was waived.
    pub waived: Vec<String>,
    /// Slices that were deferred.
    pub deferred: Vec<String>,
}

/// Tallies for people.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Counts {
    /// Reports that were refused, unreadable ones included.
    pub refused_reports: u64,
    /// Slices that were reopened.
    pub reopened: u64,
    /// Runs that failed or were lost.
    pub failed_runs: u64,
    /// Hand edits that were adopted.
    pub adopted_edits: u64,
    /// Hand edits that were kept aside.
    pub rejected_edits: u64,
}
