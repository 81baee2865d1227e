//! Iteration: one agent, prompted again and again until its completion handler says stop.
//!
//! The story, in the order it happens. A definition names an agent and says when it is complete; the
//! caller gives arguments. The agent is sent with its *initial prompt*. When its run has ended, the
//! *completion handler* judges it: by what the run said, by a command, by host code, by the count, or by
//! several of these together. If it is complete, the mission is done, and the end says how that was shown:
//! counted, observed or claimed. If not, the agent is sent again, as a fresh run, with a *continuation
//! prompt* that carries the last summaries. Nothing goes on for ever: every handler has a ceiling, and
//! at the ceiling the user is asked.
//!
//! # Arrows
//!
//! - started → agent sent → run alive → run ended → judged
//! - judged, complete → done
//! - judged, not complete, below the ceiling → agent sent again
//! - judged, not complete, at the ceiling → question: more iterations, or stop
//! - a handler that shows nothing: command → judged as not shown, and the next run; host code → asked
//!   again; three in a row → question: ask again, go on, or stop
//! - failed runs, three in a row → question: try again, or stop
//! - skip → done, waived; reopen → as before, with the reason in the next prompt
//! - anything → paused, blocked, question open → as before
//!
//! # Never
//!
//! - A prompt **never** has an unresolved variable.
//! - A run is **never** sent beyond the ceiling.
//! - A mission is **never** complete without the handler's answer about its last run.
//! - Two runs are **never** alive at once.
//! - A composite **never** has no conditions.
//! - A phase **never** goes backward.
//! - A run is **never** sent outside the table.
//! - This protocol **never** gives an order that is not its own.
//! - A mission **never** spends beyond a budget.
//! - A mission that must go on **never** waits.
//!
//! Each of these is a function in [`check`].

pub mod definition;
pub mod files;
pub mod handler;
pub mod report;
pub mod role;
pub mod state;
pub mod template;

pub mod facts;
mod start;
mod text;

mod answers;
mod apply;
mod commands;
mod judge;

mod ask;
mod decide;
mod prompt;

mod check;
mod explain;

pub use definition::Definition;
pub use start::start;
pub use state::{Config, State};

use crate::mission::prelude::*;
use crate::mission::proof::{Basis, Showing, Showings};
use crate::mission::{KnownFile, Protocol};
use crate::mission::{moves, table};
use crate::view::ClosedBy;
use crate::vocab::shown::CommandLine;

impl Protocol for State {
    moves::kept_aside!();
    moves::same_moves!();

    fn settle(&mut self, head: &Head) {
        let status = crate::vocab::digest::digest(&self.core.status_text());
        if status != self.core.status {
            self.core.status = status;
            self.core.life.files.touch(files::STATUS);
        }
        table::note_all::<_, facts::FactName>(self, head);
    }

    fn expected_runs(&self) -> usize {
        let counted = self.core.handler().leaves().into_iter().map(|leaf| match leaf {
            handler::Handler::Iterate(one) => one.max,
            _ => 1,
        });
        let left = counted.max().unwrap_or(1).saturating_sub(self.core.iteration).max(1);
        usize::try_from(left).unwrap_or(usize::MAX)
    }

    /// A command that was asked shows it; so does what the host saw. What the agent said, and a count, claim it.
    fn showings(&self) -> Showings {
        let done = self.core.done.as_ref();
        let basis = match done.map(|done| (done.waived.is_empty(), done.closed_by, done)) {
            None if self.core.handler().closed_by() == ClosedBy::Observed => {
                Basis::Seen("the host".to_owned())
            }
            None => Basis::Nothing,
            Some((false, ..)) => Basis::Waived("user".to_owned()),
            Some((true, ClosedBy::Observed, done)) => Basis::Seen(done.description.clone()),
            Some((true, _, done)) => Basis::Claimed(done.description.clone()),
        };
        let answers: Vec<_> = self.core.last.iter().flat_map(|last| &last.answers).collect();
        let held = |place: usize| {
            let answer = answers.get(place).and_then(|answer| answer.as_ref());
            answer.is_some_and(|answer| answer.finding == Finding::Holds)
        };
        let leaves = self.core.handler().leaves().into_iter().enumerate();
        let commands = leaves.filter_map(|(place, leaf)| match leaf {
            // Before the end each is declared; at the end those that held are what it rests on.
            handler::Handler::Check(check) if done.is_none() || held(place) => {
                Some(CommandLine { argv: check.argv.clone(), ..CommandLine::default() })
            }
            _ => None,
        });
        let commands = commands.collect();
        let criteria = vec![Showing { commands, ..Showing::of_item("", "completion", basis) }];
        Showings { criteria, uncommitted: true }
    }

    fn render(&self, _: &Head, path: &str) -> Result<String> {
        files::render(self, path)
    }

    fn files(&self) -> Vec<KnownFile> {
        self.core.life.files.kept(&[files::SUMMARIES])
    }

    fn report_text(&self, object: &str) -> String {
        object.to_owned()
    }
}
