//! Who watches the driver: a terminal, a log, a test.

use crate::engine::{Applied, Engine};
use crate::snapshot::RULES;
use crate::vocab::effect::Notify;
use crate::vocab::event::Event;
use std::path::PathBuf;

/// Something the driver found when it opened a mission, or at work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Report {
    /// The last line of the journal had no end and was cut off.
    TornTail {
        /// The journal.
        path: PathBuf,
        /// How many bytes were cut off.
        bytes: u64,
        /// The number of the line, from 1.
        line: u64,
    },
    /// The driver before this one did not end by itself.
    TookOver,
    /// A snapshot could not be used; an older one, or the journal alone, was.
    SnapshotUnusable {
        /// Which.
        path: PathBuf,
        /// Why.
        why: String,
    },
    /// The journal was made under older rules: a driver upgrades it, whoever looks is shown how it will stand.
    OlderRules {
        /// Which.
        rules: u32,
        /// What today's rules refuse of it.
        aside: Vec<String>,
    },
    /// A run of the driver before this one was looked at.
    RunRecovered {
        /// Its effect id.
        run: String,
        /// Whether its result was found, rather than lost.
        found: bool,
    },
    /// A run of the driver before this one lives, and is waited for.
    RunTakenUp {
        /// Its effect id.
        run: String,
    },
    /// Something stood in the place of a run before it was ordered, and was taken away.
    RunForeign {
        /// Its effect id.
        run: String,
    },
    /// A file that the mission writes beside the plan is seen by git all the same.
    NotHidden {
        /// Which.
        path: String,
        /// Why.
        why: String,
    },
}

impl std::fmt::Display for Report {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Report::TornTail { path, bytes, line } => write!(
                f,
                "{}: line {line} was torn; its {bytes} bytes were cut off",
                path.display()
            ),
            Report::TookOver => f.write_str("the driver before this one did not end by itself"),
            Report::SnapshotUnusable { path, why } => {
                write!(f, "{} was not used: {why}", path.display())
            }
            Report::OlderRules { rules, aside } => {
                write!(f, "the journal was made under rules {rules}; rules {RULES} take it over")?;
                aside.iter().try_for_each(|one| write!(f, "; set aside: {one}"))
            }
            Report::RunRecovered { run, found: true } => {
                write!(f, "run {run} ended while no driver looked; its result was read")
            }
            Report::RunRecovered { run, found: false } => {
                write!(f, "run {run} ended while no driver looked, and left no result")
            }
            Report::RunTakenUp { run } => {
                write!(f, "run {run} outlived its driver and is waited for")
            }
            Report::NotHidden { path, why } => {
                write!(f, "{path} could not be hidden from git: {why}")
            }
            Report::RunForeign { run } => {
                write!(f, "what stood in the place of run {run} before it began was taken away")
            }
        }
    }
}

/// Told what happens, in the order it happens, on the driver's thread. Texts come from outside: see
/// [`super::redact::printable`] before showing them.
pub trait Observer {
    /// An event was accepted and is durable.
    fn event(&mut self, engine: &Engine, event: &Event, applied: &Applied) {
        let _ = (engine, event, applied);
    }

    /// The engine has something to say to the user.
    fn notice(&mut self, notice: &Notify) {
        let _ = notice;
    }

    /// Something was found while a mission was opened, or at work.
    fn report(&mut self, report: &Report) {
        let _ = report;
    }

    /// A letter of the inbox was refused.
    fn refused(&mut self, id: &str, why: &super::error::HostError) {
        let _ = (id, why);
    }
}

/// Watches without a word.
#[derive(Clone, Copy, Debug, Default)]
pub struct Quiet;

impl Observer for Quiet {}
