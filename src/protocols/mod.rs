//! The protocols. Each is a folder with the same files, read in the same order; none imports
//! another.

pub mod completion;
pub mod grid;
pub mod iteration;
pub mod promise;
pub mod shared;
pub mod sprint;

use crate::snapshot::{Continuation, Head};
use crate::view::{Outline, View};
use crate::vocab::budget::Counter;
use crate::vocab::criterion::Criterion;
use crate::vocab::effect::{Order, Outstanding};
use crate::vocab::error::{Diagnostic, Result};
use crate::vocab::event::Fact;
use crate::vocab::json;
use crate::why::Why;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use shared::finding::Finding;
use std::sync::Arc;

/// One protocol and its state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "protocol", content = "state", rename_all = "snake_case", deny_unknown_fields)]
pub enum Mission {
    /// A mission in a repository, one slice at a time, to a judged stop.
    Completion(Box<completion::State>),
    /// Tasks whose criteria a player claims and a coach verifies, turn by turn.
    Promise(Box<promise::State>),
    /// One agent, prompted again and again until its completion handler says stop.
    Iteration(Box<iteration::State>),
    /// A written plan: work units side by side, sprints in order, each checked before the next.
    Sprint(Box<sprint::State>),
    /// A planned cluster: waves of parallel blocks, each wave verified, gaps closed.
    Grid(Box<grid::State>),
}

/// What a protocol is started with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "protocol", content = "settings", rename_all = "snake_case", deny_unknown_fields)]
pub enum ProtocolConfig {
    /// See [`Mission::Completion`].
    Completion(completion::Config),
    /// See [`Mission::Promise`].
    Promise(promise::Config),
    /// See [`Mission::Iteration`].
    Iteration(Box<iteration::Config>),
    /// See [`Mission::Sprint`].
    Sprint(Box<sprint::Config>),
    /// See [`Mission::Grid`].
    Grid(Box<grid::Config>),
}

impl Mission {
    /// The state a config begins with.
    ///
    /// # Errors
    /// `malformed` for a config that says too little or too much.
    pub(crate) fn start(config: &ProtocolConfig) -> Result<Mission> {
        Ok(match config {
            ProtocolConfig::Completion(config) => {
                Mission::Completion(Box::new(completion::start(config)?))
            }
            ProtocolConfig::Promise(config) => Mission::Promise(Box::new(promise::start(config)?)),
            ProtocolConfig::Iteration(config) => {
                Mission::Iteration(Box::new(iteration::start(config)?))
            }
            ProtocolConfig::Sprint(config) => Mission::Sprint(Box::new(sprint::start(config)?)),
            ProtocolConfig::Grid(config) => Mission::Grid(Box::new(grid::start(config)?)),
        })
    }

    /// The behaviour of the protocol.
    pub(crate) fn protocol(&self) -> &dyn Protocol {
        match self {
            Mission::Completion(state) => state.as_ref(),
            Mission::Promise(state) => state.as_ref(),
            Mission::Iteration(state) => state.as_ref(),
            Mission::Sprint(state) => state.as_ref(),
            Mission::Grid(state) => state.as_ref(),
        }
    }

    /// The behaviour of the protocol, to change its state.
    pub(crate) fn protocol_mut(&mut self) -> &mut dyn Protocol {
        match self {
            Mission::Completion(state) => state.as_mut(),
            Mission::Promise(state) => state.as_mut(),
            Mission::Iteration(state) => state.as_mut(),
            Mission::Sprint(state) => state.as_mut(),
            Mission::Grid(state) => state.as_mut(),
        }
    }

    /// The protocol's name.
    pub fn name(&self) -> &'static str {
        match self {
            Mission::Completion(_) => "completion",
            Mission::Promise(_) => "promise",
            Mission::Iteration(_) => "iteration",
            Mission::Sprint(_) => "sprint",
            Mission::Grid(_) => "grid",
        }
    }
}

/// What a protocol may see and touch while it applies a fact.
pub(crate) struct Context<'a> {
    /// The envelope; `head.seq` and `head.at` are already those of the fact.
    pub(crate) head: &'a mut Head,
    /// The effect the fact answers or speaks of, as it was before the fact.
    pub(crate) subject: Option<Arc<Outstanding>>,
}

/// An order that `decide` wants, with the counter it spends beside its own.
pub(crate) struct Intent {
    /// The order.
    pub(crate) order: Order,
    /// A further counter, e.g. for re-grounds.
    pub(crate) also: Option<Counter>,
}

impl From<Order> for Intent {
    fn from(order: Order) -> Self {
        Intent { order, also: None }
    }
}

/// Checks one line of a file of records.
pub type LineCheck = fn(&str) -> Result<()>;

/// The files of records that protocols keep in directories of their own, with what checks a line.
pub const RECORDS: [(&str, LineCheck); 3] = [
    (sprint::files::DECISIONS, sprint::files::check_line),
    (promise::files::TURNS, promise::files::check_line),
    (iteration::files::SUMMARIES, iteration::files::check_line),
];

/// What is found in one canonical file of any protocol, by itself; `None` for one that is not there.
///
/// # Errors
/// `unknown_file` for a path that nobody checks.
pub fn check_file(path: &str, content: Option<&[u8]>) -> Result<Vec<Finding>> {
    let Some((_, check)) = RECORDS.iter().find(|(known, _)| *known == path) else {
        return completion::files::check::check_one(path, content);
    };
    let Some(content) = content else { return Ok(Vec::new()) };
    let lines = content.strip_suffix(b"\n").unwrap_or(content).split(|byte| *byte == b'\n');
    let lines = lines.filter(|_| !content.is_empty()).enumerate();
    let faults = lines.filter_map(|(place, line)| {
        let error = json::utf8(line).and_then(check).err()?;
        Some(Finding::fault(path, &error.within(&format!("line {}", place + 1))))
    });
    Ok(faults.take(MOST_RECORD_FAULTS).collect())
}

/// More faults of records than this say nothing new.
const MOST_RECORD_FAULTS: usize = 100;

/// A canonical file as the engine left it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownFile {
    /// Path from the root of the repository.
    pub path: String,
    /// SHA-256 in hex of what is on disk as far as is known; `None` for nothing.
    pub digest: Option<String>,
    /// Length on disk in bytes as far as is known, of a file that only grows; `None` for any other, and for nothing.
    pub length: Option<u64>,
    /// The file is a projection of the state, which [`crate::Engine::render`] gives, and tells of this mission alone.
    pub projection: bool,
}

/// What the engine asks of every protocol. The four moves of a step are separate on purpose.
pub(crate) trait Protocol {
    /// Keeps the small state aside, to be able to go back.
    fn begin(&mut self);
    /// Forgets what was kept aside.
    fn commit(&mut self);
    /// Goes back to what was kept aside.
    fn rollback(&mut self);
    /// Follows up what the state as a whole implies; also right after the start.
    fn settle(&mut self, head: &Head);
    /// Fact → state. Orders nothing.
    fn apply(&mut self, context: &mut Context<'_>, fact: &Fact) -> Result<()>;
    /// State → orders. Reads the snapshot and nothing else. The name is that of the rule or guard
    /// that decided.
    fn decide(&self, head: &Head) -> (&'static str, Vec<Intent>);
    /// The protocol's invariants: over what the event touched, or over everything.
    fn check(&self, head: &Head, everything: bool) -> Result<()>;
    /// Nothing goes on before the user resumes.
    fn block(&mut self, problem: Diagnostic);
    /// The roles that only claim: those an agent may play that is not to judge.
    fn claimants(&self) -> &'static [&'static str];
    /// The mission in words.
    fn mission(&self) -> &str;
    /// Whether and why the mission goes on.
    fn continuation(&self, head: &Head) -> Continuation;
    /// Whether it has come to its end, though what it orders at its end may be under way.
    fn is_over(&self) -> bool;
    /// How many runs the mission still comes to if nothing fails, by what is planned so far and at least one item.
    fn expected_runs(&self) -> usize;
    /// The content of a canonical file.
    fn render(&self, head: &Head, path: &str) -> Result<String>;
    /// The canonical files, in the order they are checked.
    fn files(&self) -> Vec<KnownFile>;
    /// Why the next step is what it is.
    fn why(&self, head: &Head) -> Why;
    /// The mission as nodes, edges, lanes and progress.
    fn view(&self, head: &Head) -> View;
    /// The same in short, where that is much faster.
    fn outline(&self, _head: &Head) -> Option<Outline> {
        None
    }
    /// The criteria of an item with their claims, evidence and verdicts, where the protocol keeps
    /// them so.
    fn criteria(&self, _item: &str) -> Option<&[Criterion]> {
        None
    }
    /// Whether a report of this role would be readable; see [`crate::check_report`].
    fn check_report(&self, role: &str, text: &str) -> Result<Vec<String>>;
}
