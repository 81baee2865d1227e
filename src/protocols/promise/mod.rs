//! Promise: one player claims, one coach verifies, turn by turn, until every criterion is shown.
//!
//! The story, in the order it happens. A task comes with its acceptance criteria ([`task`]); a feature
//! is several tasks with dependencies, in waves ([`feature`]). A *player* does the work, commits it, and
//! promises each criterion by its id with typed proof ([`report`], [`matching`]). The engine runs the
//! tests, if it was given a command. A *coach*, another run of another session, finds out for each
//! promise whether it holds at that commit. The engine decides ([`decision`]): approved if every criterion
//! is verified or waived and nothing blocks; otherwise the next turn is told which criteria are not shown. After
//! a wave a smoke gate must hold. At the end, criteria that were verified before the head moved on are shown again.
//!
//! # Arrows
//!
//! - task: pending → in progress → completed, or failed
//! - turn: play → (test) → coach → approved, or next turn
//! - loop → cancelled, timed out, approved, honesty collapsed, no passing checkpoint, feedback stalled,
//!   turn limit, blocked; the first that applies, each a named stop reason
//! - failed → more turns, rolled back and more turns, skipped, deferred, or the mission is blocked
//! - wave over → smoke gate passed, or waived → next wave
//! - no work open → shown again → done, or reopened → in progress
//! - anything → paused, blocked, question open → as before
//!
//! # Never
//!
//! - A turn is **never** approved with a criterion that is not verified, or with a blocking issue.
//! - A run **never** judges its own promise.
//! - A promise **never** lacks its commit.
//! - A partial promise **never** counts as complete.
//! - A player and a coach are **never** at work at once, and **never** more of them than allowed.
//! - A task **never** takes a turn beyond the limit.
//! - A task **never** begins before its dependencies, or before its wave.
//! - A task **never** has a run if it is not in its turn loop.
//! - A criterion is **never** dropped or reworded.
//! - A mission **never** ends with an open task, a closed gate, a dirty tree, or stale criteria.
//! - A mission that must go on **never** waits.
//!
//! Each of these is a function in [`check`].

pub mod decision;
pub mod facts;
pub mod feature;
pub mod feedback;
pub mod files;
pub mod matching;
pub mod progress;
pub mod report;
pub mod role;
pub mod state;
pub mod task;

mod start;

mod answers;
mod apply;
mod commands;
mod settle;
mod turn;

mod ask;
mod decide;
mod prompt;

mod check;
mod explain;

pub use start::start;
pub use state::{Config, State, TaskConfig};

use crate::mission::moves;
use crate::mission::proof::{self, Showing, Showings};
use crate::mission::{KnownFile, Protocol};
use state::{GateEnd, SmokeGate, TaskStatus};

impl Protocol for State {
    moves::kept_aside!(tasks, touches);
    moves::same_moves!();
    moves::of_items!(tasks);

    fn expected_runs(&self) -> usize {
        // A turn of each: it is played and judged.
        2 * self.open_tasks()
    }

    fn files(&self) -> Vec<KnownFile> {
        self.core.life.files.kept(&[files::TURNS])
    }

    fn showings(&self) -> Showings {
        let settings = &self.core.settings;
        let tests = Some(&settings.test_command).filter(|argv| !argv.is_empty());
        let tests = tests.map(|argv| Showing::of_mission("test command", argv));
        let waived = |gate: &&SmokeGate| {
            self.core.gates.get(&gate.after_wave.to_string()) == Some(&GateEnd::Waived)
        };
        let gates = settings.gates.iter().filter(|gate| !waived(gate));
        let gates = gates.map(|gate| Showing::of_mission("smoke gate", &gate.argv));
        let closed = self.tasks.iter().filter(|task| task.status != TaskStatus::Deferred);
        let tasks = closed.flat_map(|task| proof::judged(&task.id, &task.criteria));
        tests.into_iter().chain(gates).chain(tasks).collect()
    }
}

#[cfg(test)]
mod random_tests;
