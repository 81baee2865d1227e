//! Grid: planned clusters run as waves of parallel blocks, each wave verified, gaps closed, people asked
//! at checkpoints, knowledge carried from run to run.
//!
//! The story, in the order it happens. What earlier clusters learned is read. A *planner* cuts the mission
//! into plans ([`plan`]), or a person wrote them; they are put into waves by their dependencies
//! ([`schedule`]). *Executors* of a wave work side by side, never two on one file; each comes back with
//! success, with a checkpoint at which a person must act, or with a structured failure ([`report`],
//! `block`). While at work they write to the scratchpad ([`scratchpad`]); what they learned goes to those
//! after them ([`warmth`]). When all of a wave is executed, the host looks at its artifacts ([`artifact`])
//! and a *recognizer* judges every must-have: clear, gaps found, or a critical anomaly. Gaps are planned
//! and executed like everything else, in a bounded number of rounds. Behind the last wave a patrol looks at
//! everything again at the final head. A swarm may refine what was built ([`refine`]), a *debugger* may
//! find out why something fails ([`debug`]), and in the end what was learned is written down.
//!
//! # Arrows
//!
//! - cluster: memory → plan → waves → patrol → (refine → waves → patrol) → capture → done
//! - block: pending → active → executed → verified; active → retry → active; active → checkpoint → retry;
//!   active → stuck → retry, debugging, skipped or deferred
//! - wave: executed → looked at → verified → clear, gaps found → plans that close them → executed, or
//!   anomaly → a word of the user
//! - patrol: clear → done; gaps found → a wave that mends them
//! - anything → paused, blocked, question open → as before
//!
//! # Never
//!
//! **Never** done over a must-have that is not shown or let go. **Never** done without a patrol at the head.
//! **Never** done over commits that are gone before the user was told. **Never** on over an anomaly nobody answered. **Never** a wave before the one before it is closed. **Never** two blocks at once on one file. **Never** a
//! reader beside a writer. **Never** a verification of what is not executed. **Never** a verdict on one's own
//! claim. **Never** a retry without what failures forbid. **Never** a continuation without threads, answer and
//! resume point. **Never** an automatic decision or action. **Never** an architectural change unasked. **Never**
//! a waiver without a reason. **Never** more rounds, runs or lines than allowed, nor most of a budget spent
//! without a word. **Never** a must-have worded anew, nor another symptom. **Never** a mission that must go on
//! and stands still. Each of these is a function in `check`.

mod anomaly;
pub mod artifact;
mod baseline;
mod content;
pub mod debug;
pub mod facts;
pub mod files;
mod form;
mod handover;
mod history;
mod ids;
mod link;
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
mod reference;
mod reverts;
mod settle;
mod source;
mod threads;
mod unattributed;
mod uncommitted;
mod user_words;
mod wave;

mod ask;
mod decide;
mod prompt;

mod check;
mod explain;

pub use pages::decisions;
pub use start::start;
pub use state::{Config, State};

use crate::mission::{self, moves};
use crate::mission::{Context, Intent, KnownFile, Protocol};
use crate::mission::{Continuation, Head};
use crate::view::View;
use crate::vocab::criterion::Criterion;
use crate::vocab::error::Result;
use crate::vocab::event::Fact;
use crate::why::Why;

impl Protocol for State {
    moves::kept_aside!(blocks, touches);
    moves::same_moves!();

    fn settle(&mut self, head: &Head) {
        self.settle_all(head);
    }

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

    fn render(&self, _: &Head, path: &str) -> Result<String> {
        files::render(self, path)
    }

    fn files(&self) -> Vec<KnownFile> {
        self.core.files.kept(&[files::ARCHIVE, files::LEARNINGS])
    }

    fn criteria(&self, item: &str) -> Option<&[Criterion]> {
        self.blocks.get(item).map(|block| block.criteria.as_slice())
    }

    fn check_report(&self, role: &str, text: &str) -> Result<Vec<String>> {
        let known = mission::role::known::<State, _>(role::Role::of(role), role)?;
        let anchor = &self.core.settings.mission;
        let unread = report::read(known, anchor, text)?.1.into_iter();
        let line = |name: String| match report::beside::is_kept(known, &name) {
            true => format!("unknown field `{name}` was kept as words beside the form"),
            false => format!("unknown field `{name}` was ignored"),
        };
        let unheaded = mission::report::unheaded(anchor, text).map(|note| note.to_string());
        Ok(unread.map(line).chain(unheaded).collect())
    }
}
