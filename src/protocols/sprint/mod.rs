//! Sprint: a written plan, its work units in parallel, each sprint checked before the next begins.
//!
//! The story, in the order it happens. The plan ([`plan`]) names work units with dependencies, and in each its
//! sprints with entry and exit criteria ([`config`]). When all dependencies of a unit are completed and its
//! verification commands hold, its first sprint is *chosen* ([`schedule`]): a scored table gives its model
//! ([`model`]), and the choice is written into the state file before the run is sent. An *agent* works on that
//! one sprint ([`prompt`], [`report`]). When it ends, the host looks at the tree ([`observe`]) and the verification
//! cascade weighs it ([`cascade`]): commands decide, words never do. A criterion that no command shows goes to a
//! *verifier*, another run of another session, while nobody writes. Agents do not build while others run; a
//! gate builds ([`gate`]). Failed attempts are retried, finally by a stronger model
//! ([`outcome`], [`verdicts`]); partial work is continued. [`due`] tells which runs and looks are due. At the end
//! everything stale is shown once more ([`ending`]).
//!
//! # Arrows
//!
//! Of work units and sprints: see [`status`], which is the list of all of them.
//!
//! # Never
//!
//! - A sprint **never** begins before the sprint before it is shown.
//! - A unit **never** begins before all its dependencies.
//! - A unit **never** has two runs, and a run **never** has more than one sprint.
//! - A prompt **never** mentions another sprint.
//! - A sprint with vague exit criteria is **never** dispatched.
//! - A criterion is **never** dropped or reworded.
//! - A sprint is **never** completed while a criterion is open.
//! - A run **never** judges its own work.
//! - A verifier **never** runs while an agent writes, and a build **never** runs while either does.
//! - A sprint **never** has an attempt beyond the limit.
//! - A wait **never** becomes fatal by itself.
//! - A status **never** changes by an arrow that does not exist.
//! - A run is **never** sent before the state file says that it is chosen.
//! - The engine **never** writes or commits a file of the project, and **never** the plan.
//! - A mission **never** ends with open work.
//! - A mission that must go on **never** waits.
//!
//! Each of these is a function in [`check`].

pub mod cascade;
pub mod config;
pub mod facts;
pub mod files;
pub mod model;
pub mod plan;
pub mod prompt;
pub mod report;
pub mod role;
pub mod state;
pub mod status;

mod start;

mod amend;
mod answers;
mod apply;
mod attribution;
mod baseline;
mod blame;
mod commands;
mod due;
mod ending;
mod entry;
mod expectation;
mod gate;
mod observe;
mod outcome;
mod polls;
mod rows;
mod run_result;
mod schedule;
mod setback;
mod status_words;
mod transitions;
mod verdicts;

mod ask;
mod decide;
mod orders;

mod basis;
mod check;
mod explain;

pub use config::Config;
pub use start::start;
pub use state::State;

use crate::mission::proof::Showings;
use crate::mission::{KnownFile, Protocol, moves};

impl Protocol for State {
    // The arrows stay until the next event, for those who look on: see [`State::arrows`].
    moves::kept_aside!(units, sprints, decisions, touches; moves);
    moves::same_moves!();
    moves::of_items!(sprints);

    fn expected_runs(&self) -> usize {
        let open = self.sprints.iter().filter(|sprint| !sprint.status.closed());
        let runs = |sprint: &state::Sprint| {
            let judged = sprint.checks.contains(&state::Check::Verifier);
            usize::from(sprint.plan.kind != state::TaskKind::Deferred) + usize::from(judged)
        };
        open.map(runs).sum()
    }

    fn files(&self) -> Vec<KnownFile> {
        self.core.life.files.kept(&[files::DECISIONS])
    }

    fn showings(&self) -> Showings {
        self.basis().collect()
    }
}
