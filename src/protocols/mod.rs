//! The protocols. Each is a folder with the same files, read in the same order; none imports
//! another.

pub mod completion;
pub mod grid;
pub mod iteration;
pub mod promise;
pub mod sprint;

use crate::mission::Protocol;
use crate::mission::finding::Finding;
use crate::vocab::error::Result;
use crate::vocab::json;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

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
    /// A written plan: work units in parallel, sprints in order, each checked before the next.
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
