//! A gate: what is built and tested together, and for whom.

use super::super::config::CommandLine;
use crate::mission::prelude::*;

/// A gate: what is built and shown together, one command at a time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "SprintGate")]
pub struct Gate {
    /// Its number, from 1.
    pub number: u64,
    /// It is the last one: everything is shown again at this head.
    pub last: bool,
    /// What is left to be run.
    pub due: Vec<GateCommand>,
    /// Sprints with what failed in them.
    pub failed: BTreeMap<String, Vec<String>>,
    /// Sprints with a failed criterion that another sprint has to fix.
    pub unshown: BTreeSet<String>,
    /// Criteria that held: sprint and criterion, with the command.
    pub held: Vec<GateHeld>,
}

/// One command of a gate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "SprintGateCommand")]
pub struct GateCommand {
    /// The command.
    pub line: CommandLine,
    /// The criteria it shows, as sprint and criterion; none for a build of everything.
    pub shows: Vec<(String, String)>,
}

/// A criterion that held at a gate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "SprintGateHeld")]
pub struct GateHeld {
    /// The sprint.
    pub sprint: String,
    /// The criterion.
    pub criterion: String,
    /// The command's effect.
    pub by: EffectId,
    /// The command in words.
    pub method: String,
}
