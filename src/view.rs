//! The mission as neutral nodes and edges for any front end; computed on request.

use crate::vocab::continuation::Continuation;
use crate::vocab::digest::hex;
use crate::vocab::error::Diagnostic;
use crate::vocab::json::{Readable, Serialize};
use schemars::JsonSchema;
use sha2::{Digest, Sha256};

/// A picture of a snapshot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
pub struct View {
    /// What it is about.
    pub title: String,
    /// The protocol.
    pub protocol: String,
    /// The protocol's own word for where it is.
    pub phase: String,
    /// Whether and why it goes on.
    pub continuation: Continuation,
    /// Why, in a sentence.
    pub reason: String,
    /// What comes next.
    pub next: Next,
    /// Whether every run so far was confined.
    pub agents: Agents,
    /// The end, once reached.
    pub end: Option<End>,
    /// The last thing that went wrong.
    pub problem: Option<Diagnostic>,
    /// Items, in plan order.
    pub nodes: Vec<Node>,
    /// Which item waits for which.
    pub edges: Vec<Edge>,
    /// How nodes are grouped, from left to right.
    pub lanes: Vec<Lane>,
    /// Criteria settled of all.
    pub progress: Progress,
    /// Live runs.
    pub runs: Vec<LiveRun>,
    /// Open questions.
    pub questions: Vec<OpenQuestion>,
    /// Counters that have been used.
    pub budget: Vec<Spent>,
    /// What was counted on the way, e.g. `reopened`, `refused_reports`.
    pub tallies: Vec<Tally>,
}

/// A view in short, for pictures of large plans: what a protocol can tell without a text for each item.
#[derive(Clone, Debug)]
pub(crate) struct Outline {
    /// The view without nodes, edges and lanes.
    pub(crate) view: View,
    /// Changes when ids, labels, lanes or edges do.
    pub(crate) key: String,
    /// State, own word and progress of each item, in plan order.
    pub(crate) nodes: Vec<(NodeState, &'static str, Progress)>,
    /// The edges as places in `nodes`.
    pub(crate) edges: Vec<(usize, usize)>,
}

/// The digest of texts, each with its length.
#[derive(Clone, Debug, Default)]
pub(crate) struct Key(Sha256);

impl Key {
    pub(crate) fn add(&mut self, text: &str) {
        self.0.update(u64::try_from(text.len()).unwrap_or(u64::MAX).to_le_bytes());
        self.0.update(text.as_bytes());
    }

    pub(crate) fn finish(self) -> String {
        let mut key = hex(&self.0.finalize());
        key.truncate(16);
        key
    }
}

/// Whether agents were kept from what the engine keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Agents {
    /// Each of them was, in every run.
    Confined,
    /// Not in every run.
    Unconfined,
}

impl std::fmt::Display for Agents {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Agents::Confined => "confined",
            Agents::Unconfined => "unconfined",
        })
    }
}

impl From<bool> for Agents {
    fn from(confined: bool) -> Agents {
        if confined { Agents::Confined } else { Agents::Unconfined }
    }
}

/// What comes next.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Readable, JsonSchema)]
pub struct Next {
    /// The role whose turn it is, if it is any role's.
    pub role: Option<String>,
    /// What is to be done, in words.
    pub action: String,
}

/// The end of a mission.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
pub struct End {
    /// How it was shown that the work is done.
    pub closed_by: ClosedBy,
    /// What was let go.
    pub waived: Vec<String>,
    /// What was put off.
    pub deferred: Vec<String>,
    /// What it rests on, criterion by criterion.
    pub shown: Vec<Shown>,
    /// The commit at which that was shown; `None` where no command was run for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proved_at: Option<String>,
}

impl End {
    /// An end that is to be shown yet.
    pub(crate) fn of(closed_by: ClosedBy, waived: Vec<String>, deferred: Vec<String>) -> End {
        End { closed_by, waived, deferred, shown: Vec::new(), proved_at: None }
    }

    /// An end that roles and commands have shown.
    pub(crate) fn verified(waived: &[String], deferred: &[String]) -> End {
        let (waived, deferred) = (waived.to_vec(), deferred.to_vec());
        End::of(ClosedBy::Verified, waived, deferred)
    }
}

/// How it was shown that the work is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Readable, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ClosedBy {
    /// The working agent said so.
    Claimed,
    /// So many runs were made as were wanted.
    Counted,
    /// The host saw it.
    Observed,
    /// Other runs verified every criterion that was not waived.
    Verified,
}

/// How a criterion was shown, the weakest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Readable, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "ShownHow")]
pub enum How {
    /// By words, a counter or a keyword, or not where it counts.
    Claimed,
    /// Another run said that it holds.
    Judged,
    /// The engine ran its commands in rooms made from nothing, or the host looked.
    Observed,
    /// Not at all: it was waived.
    Waived,
}

/// One criterion at the end of a mission.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ShownCriterion")]
pub struct Shown {
    /// Its item; blank for the mission.
    pub item: String,
    /// Its id in the item.
    pub criterion: String,
    /// How it was shown.
    pub how: How,
    /// By what, in words.
    pub by: String,
    /// It is enough for the end to count as shown.
    pub enough: bool,
}

/// Something that was counted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
pub struct Tally {
    /// What.
    pub name: String,
    /// How often.
    pub count: u64,
}

/// One item.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
pub struct Node {
    /// Its id.
    pub id: String,
    /// What it is for.
    pub label: String,
    /// The protocol's own word for its status.
    pub status: String,
    /// The same status in a word all protocols share.
    pub state: NodeState,
    /// The lane it is in.
    pub lane: u32,
    /// Criteria settled of all.
    pub progress: Progress,
    /// Its criteria.
    pub criteria: Vec<CriterionView>,
}

impl Node {
    /// Whether nothing is left to be done for it.
    pub fn closed(&self) -> bool {
        matches!(self.state, NodeState::Done | NodeState::Waived)
    }
}

/// A status any front end can colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NodeState {
    /// Not begun.
    Waiting,
    /// Chosen or being worked on.
    Active,
    /// Claimed and being verified.
    Verifying,
    /// Closed, every criterion verified.
    Done,
    /// Closed, with something let go.
    Waived,
    /// Put off.
    Deferred,
    /// Cannot go on.
    Blocked,
}

/// One criterion.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
pub struct CriterionView {
    /// Its id.
    pub id: String,
    /// Its text.
    pub text: String,
    /// `open`, `claimed`, `verified`, `rejected` or `waived`.
    pub state: String,
}

/// One dependency.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
pub struct Edge {
    /// The item that must be closed first.
    pub from: String,
    /// The item that waits.
    pub to: String,
}

/// One lane.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
pub struct Lane {
    /// Its number, from 0.
    pub lane: u32,
    /// Its title.
    pub title: String,
}

/// A ratio, as two integers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Readable, JsonSchema)]
pub struct Progress {
    /// How many.
    pub settled: u64,
    /// Of how many.
    pub total: u64,
}

/// A run that is alive.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
pub struct LiveRun {
    /// Its effect id.
    pub run: String,
    /// Its role.
    pub role: String,
    /// The item it works on.
    pub item: Option<String>,
    /// The last line it said.
    pub last_line: Option<String>,
}

/// A question that waits for the user.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
pub struct OpenQuestion {
    /// Its effect id, to answer it by.
    pub id: String,
    /// Its text.
    pub text: String,
    /// What an answer must look like.
    pub expected: String,
}

/// A counter that has been used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
pub struct Spent {
    /// Its name.
    pub counter: String,
    /// How much was spent.
    pub spent: u64,
    /// Of how much.
    pub limit: u64,
}
