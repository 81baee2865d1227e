//! What is particular of a run, from its start to its judgement.

use crate::mission::prelude::*;

/// What is known of a run besides what every run has, from its start to its judgement.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "SprintWatched")]
pub struct Watched {
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
    /// Turns it used, as far as it said so.
    pub turns: u32,
    /// Why it has no report, where it ended without one that can be read.
    pub left: Option<Left>,
}

words! {
    /// Why a run is ended.
    Doom {
        Unresponsive "unresponsive" "No sign of life for too many polls.";
        NoProgress "no_progress" "Its part of the tree did not move for too long.";
        Killed "killed" "The user stopped or killed it.";
    }
}

/// What became of a run without a report that can be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(tag = "left", content = "with", rename_all = "snake_case", deny_unknown_fields)]
#[schemars(rename = "SprintLeft")]
pub enum Left {
    /// It did not fail either: its turns or context were used up, or it stopped on the way.
    Unsaid(Diagnostic),
    /// Its report cannot be read.
    Unfit(Diagnostic),
    /// It is gone without a word, as a run is whose host died: what is there counts.
    Lost(Diagnostic),
    /// It failed or was ended.
    Failure(Diagnostic),
}

impl Left {
    /// Why.
    pub(in super::super) fn problem(&self) -> &Diagnostic {
        match self {
            Left::Unsaid(why) | Left::Unfit(why) | Left::Lost(why) | Left::Failure(why) => why,
        }
    }
}

/// A commit that several runs may have made, and that is not known to be of one of them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "SprintUnclaimed")]
pub struct Unclaimed {
    /// The paths.
    pub paths: BTreeSet<String>,
    /// Its id; of several that cannot be told apart, all of them.
    pub commits: Vec<String>,
    /// The sprints whose runs may have made it.
    pub among: BTreeSet<String>,
}

words! {
    /// What progress files say.
    #[schemars(rename = "SprintProgressWord")]
    Progress {
        Done "done" "That the sprint is done.";
        Unfinished "unfinished" "That it is not.";
    }
}

/// One run of a sprint's agent, as the completion log tells of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
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
