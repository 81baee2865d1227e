//! Grid: planned clusters run as waves of parallel blocks, each wave verified, gaps closed, people asked
//! at checkpoints, knowledge carried from run to run.
//!
//! The story, in the order it happens. The learnings of earlier clusters are read. A *planner* cuts the mission
//! into plans ([`plan`]), or a person wrote them; their dependencies put them into waves
//! ([`schedule`]). The user is asked about the commands that plans declare (`declared`). *Executors* of a wave work in
//! parallel, never two on one file; each reports a success, a checkpoint at which a person must act, or a structured
//! failure ([`report`], `block`). While at work they write to the scratchpad ([`scratchpad`]); their lessons go to later
//! runs ([`warmth`]). When all of a wave is executed, the host looks at its artifacts ([`artifact`])
//! and a *recognizer* judges every must-have: clear, gaps found, or a critical anomaly. Gaps are planned
//! and executed like everything else, in a bounded number of rounds. After the last wave a patrol looks at
//! everything again at the final head. A swarm may refine the work ([`refine`]), a *debugger* may
//! find out why something fails ([`debug`]), and at the end the lessons are written down. Then the proof runs the
//! commands that the user trusts.
//!
//! # Arrows
//!
//! - cluster: memory → plan → waves → patrol → (refine → waves → patrol) → capture → done
//! - block: pending → active → executed → verified; active → retry → active; active → checkpoint → retry;
//!   active → stuck → retry, debugging, skipped or deferred
//! - wave: executed → looked at → verified → clear, gaps found → plans that close them → executed, or
//!   anomaly → a word of the user
//! - patrol: clear → done; gaps found → a wave that fixes them
//! - anything → paused, blocked, question open → as before
//!
//! # Never
//!
//! - A cluster is **never** done while a must-have is neither shown nor waived.
//! - A cluster is **never** done without a patrol at the head.
//! - A cluster is **never** done if commits are gone and the user was not told.
//! - A cluster **never** goes on while an anomaly has no answer.
//! - A wave **never** begins before the wave before it is closed.
//! - Two blocks **never** work on one file at once.
//! - A reader **never** runs while an executor writes.
//! - A block is **never** verified before it is executed.
//! - A run **never** judges its own claim.
//! - A retry **never** lacks what earlier failures forbid.
//! - A continuation **never** lacks threads, answer and resume point.
//! - A decision or action of a person is **never** automatic.
//! - An architectural change is **never** taken without a question.
//! - A waiver **never** lacks a reason.
//! - A mission **never** has more rounds, runs or lines than allowed.
//! - A mission **never** spends most of a budget without a question.
//! - A must-have is **never** reworded, and a symptom **never** changes.
//! - A mission that must go on **never** waits.
//!
//! `check` looks at each of these, with [`crate::mission::check`] for what holds in every protocol; that nobody ends over commits
//! that are gone is [`crate::mission::head_guard`].

mod anomaly;
pub mod artifact;
mod content;
pub mod debug;
mod declared;
pub mod facts;
pub mod files;
mod form;
mod handover;
mod history;
mod ids;
mod link;
mod memory;
pub mod plan;
pub mod refine;
pub mod report;
pub mod role;
pub mod schedule;
pub mod scratchpad;
pub mod state;
pub mod warmth;

mod start;

mod answers;
mod apply;
mod attribution;
mod block;
mod checkpoint;
mod closures;
mod commands;
mod commits;
mod failures;
mod gaps;
mod observe;
mod outcome;
mod pages;
mod plan_form;
mod planning;
mod queries;
mod reverts;
mod run_result;
mod settle;
mod signs;
mod threads;
mod unattributed;
mod uncommitted;
mod user_words;
mod wave;

mod ask;
mod block_prompt;
mod decide;
mod prompt;

mod check;
mod explain;

pub use pages::decisions;
pub use start::start;
pub use state::{Config, State};

use crate::mission::moves;
use crate::mission::proof::{self, Showings};
use crate::mission::{KnownFile, Protocol};

impl Protocol for State {
    moves::kept_aside!(blocks, touches);
    moves::same_moves!();
    moves::of_items!(blocks);

    fn expected_runs(&self) -> usize {
        use state::BlockStatus::{Deferred, Executed, Skipped, Verified};
        let over = [Executed, Verified, Skipped, Deferred];
        let open = self.blocks.iter().filter(|block| !over.contains(&block.status)).count();
        let waves = self.core.waves.len().saturating_sub(self.core.wave);
        // The planner, one block and its wave are the least where nothing is planned. A wave is verified when it is built;
        // in the end all is patrolled, and what was learned is written down.
        let built = if self.core.planned { open + waves } else { 3 };
        built + 1 + usize::from(self.core.settings.capture)
    }

    fn files(&self) -> Vec<KnownFile> {
        self.core.life.files.kept(&[files::ARCHIVE, files::LEARNINGS])
    }

    fn showings(&self) -> Showings {
        let closed = self.blocks.iter();
        let closed = closed.filter(|block| block.status != state::BlockStatus::Deferred);
        let shown = closed.flat_map(|block| {
            let judged = proof::judged(&block.id, &block.criteria);
            judged.chain(declared::showings(self, block))
        });
        shown.collect()
    }
}
