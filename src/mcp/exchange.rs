//! What goes between a server and its host.

use crate::engine::Engine;
use crate::vocab::command::Command;
use crate::vocab::error::Error;
use crate::vocab::event::EffectId;
use crate::vocab::json::{Readable, Serialize};
use crate::vocab::question::Answer;
use crate::vocab::time::Millis;

/// How a server is set up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Readable)]
#[serde(deny_unknown_fields)]
pub struct Policy {
    /// How long `next` waits where the call does not say, in seconds.
    pub wait_seconds: u32,
    /// Whether the agent may pass on what the user answered; else the user answers elsewhere.
    pub answers: bool,
    /// The agent is itself a run of a mission: it may look, and nothing else.
    pub only_look: bool,
}

impl Default for Policy {
    fn default() -> Self {
        Policy { wait_seconds: 45, answers: true, only_look: false }
    }
}

/// What is there at the moment of a call.
#[derive(Clone, Copy, Debug)]
pub struct Scene<'a> {
    /// The mission, or why there is none to be read.
    pub engine: Result<&'a Engine, &'a str>,
    /// Whether a driver is alive.
    pub driven: bool,
    /// Milliseconds since 1970.
    pub now: Millis,
}

/// What a host tells the server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable)]
#[serde(tag = "in", rename_all = "snake_case", deny_unknown_fields)]
pub enum In {
    /// A line of the client.
    Line {
        /// The line.
        text: String,
    },
    /// The mission moved, or time went by.
    Tick {},
    /// An errand was run.
    Done {
        /// Which.
        ticket: u64,
        /// What it has to say: the history as JSON text; else nothing.
        answer: String,
    },
    /// An errand was refused.
    Refused {
        /// Which.
        ticket: u64,
        /// Why.
        error: Error,
    },
}

/// What the server wants of its host.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable)]
#[serde(tag = "out", rename_all = "snake_case")]
pub enum Out {
    /// To be sent, with a newline behind it.
    Line {
        /// The message.
        text: String,
    },
    /// To be done, and answered.
    Errand {
        /// To answer by.
        ticket: u64,
        /// What.
        errand: Errand,
    },
}

/// What only the host can do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable)]
#[serde(tag = "errand", rename_all = "snake_case")]
pub enum Errand {
    /// Deliver the report of a hosted run.
    Report {
        /// The run.
        run: EffectId,
        /// The whole report.
        text: String,
    },
    /// Deliver the user's answer to a question.
    Answer {
        /// The question.
        question: EffectId,
        /// The answer.
        answer: Answer,
    },
    /// Give a command of the user.
    Command {
        /// The command.
        command: Command,
    },
    /// Read the last events, as JSON text.
    History,
}
