//! The state of a mission as little as it takes to colour a [`Scene`](crate::layout::Scene): one row
//! of numbers per item, so that ten thousand items cross a border in a moment.

use crate::engine::Engine;
use crate::layout;
use crate::snapshot::{Continuation, Control};
use crate::view::{End, LiveRun, Next, NodeState, OpenQuestion, Progress, Spent, Tally};
use crate::vocab::error::Diagnostic;
use crate::vocab::time::Millis;
use serde::Serialize;

/// A picture of a snapshot, to be laid over the scene of the same key.
#[derive(Clone, Debug, Serialize)]
pub struct Picture {
    /// The key of the scene it belongs to.
    pub key: String,
    /// Number of the last event.
    pub seq: u64,
    /// Its time.
    pub at: Millis,
    /// Whether roles may be dispatched.
    pub control: Control,
    /// What the mission is about.
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
    /// The end, once reached.
    pub end: Option<End>,
    /// The last thing that went wrong.
    pub problem: Option<Diagnostic>,
    /// Criteria settled of all.
    pub progress: Progress,
    /// Live runs.
    pub runs: Vec<LiveRun>,
    /// Open questions.
    pub questions: Vec<OpenQuestion>,
    /// Counters that have been used.
    pub budget: Vec<Spent>,
    /// What was counted on the way.
    pub tallies: Vec<Tally>,
    /// The protocol's words for the status of an item.
    pub words: Vec<String>,
    /// For each item in plan order: its state in a word all protocols share, the place of its own
    /// word in `words`, criteria settled, criteria in all.
    pub nodes: Vec<(NodeState, usize, u64, u64)>,
    /// The longest chain of unfinished items, as places in `nodes`.
    pub critical: Vec<usize>,
}

/// The picture of an engine's state.
pub fn picture(engine: &Engine) -> Picture {
    let view = engine.view();
    let head = &engine.snapshot().head;
    let mut words: Vec<String> = Vec::new();
    let mut word = |status: &str| {
        words.iter().position(|known| known == status).unwrap_or_else(|| {
            words.push(status.to_owned());
            words.len() - 1
        })
    };
    let row = |node: &crate::view::Node| {
        (node.state, word(&node.status), node.progress.settled, node.progress.total)
    };
    let nodes = view.nodes.iter().map(row).collect();
    Picture {
        key: layout::key(&view),
        critical: layout::critical(&view),
        seq: head.seq,
        at: head.at,
        control: head.control,
        title: view.title,
        protocol: view.protocol,
        phase: view.phase,
        continuation: view.continuation,
        reason: view.reason,
        next: view.next,
        end: view.end,
        problem: view.problem,
        progress: view.progress,
        runs: view.runs,
        questions: view.questions,
        budget: view.budget,
        tallies: view.tallies,
        words,
        nodes,
    }
}
