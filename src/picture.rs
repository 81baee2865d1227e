//! The state of a mission as little as it takes to colour a [`Scene`](crate::layout::Scene): one row
//! of numbers per item, so that ten thousand items cross a border in a moment.

use crate::engine::Engine;
use crate::layout;
use crate::snapshot::{Continuation, Control};
use crate::view::{End, LiveRun, Next, NodeState, OpenQuestion, Outline, Progress, Spent, Tally};
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
    let (outline, own) = match engine.outline() {
        Some(outline) => (outline, None),
        None => {
            let (outline, words) = layout::outline(engine.view());
            (outline, Some(words))
        }
    };
    let Outline { view, key, nodes: rows, edges } = outline;
    let head = &engine.snapshot().head;
    let mut words: Vec<String> = Vec::new();
    let mut word = |status: &str| {
        words.iter().position(|known| known == status).unwrap_or_else(|| {
            words.push(status.to_owned());
            words.len() - 1
        })
    };
    let status = |at: usize, status: &'static str| match &own {
        Some(own) => own.get(at).map_or("", String::as_str).to_owned(),
        None => status.to_owned(),
    };
    let row = |(at, (state, own, progress)): (usize, &(NodeState, &'static str, Progress))| {
        (*state, word(&status(at, own)), progress.settled, progress.total)
    };
    let nodes = rows.iter().enumerate().map(row).collect();
    Picture {
        key,
        critical: layout::critical(&rows, &edges),
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
