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
//! **Never** a wave before the one before it is closed. **Never** two blocks at once on one file. **Never** a
//! reader beside a writer. **Never** a verification of what is not executed. **Never** a verdict on one's own
//! claim. **Never** a retry without what failures forbid. **Never** a continuation without threads, answer and
//! resume point. **Never** an automatic decision or action. **Never** an architectural change unasked. **Never**
//! a waiver without a reason. **Never** more rounds, runs or lines than allowed, nor most of a budget spent
//! without a word. **Never** a must-have worded anew, nor another symptom. **Never** a mission that must go on
//! and stands still. Each of these is a function in `check`.

pub mod artifact;
pub mod debug;
pub mod facts;
pub mod files;
mod form;
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
mod block;
mod cast;
mod commands;
mod observe;
mod wave;

mod ask;
mod decide;
mod prompt;

mod check;
mod explain;

pub use start::start;
pub use state::{Config, State};

use crate::protocols::{Context, Intent, KnownFile, Protocol};
use crate::snapshot::{Continuation, Head};
use crate::view::View;
use crate::vocab::criterion::Criterion;
use crate::vocab::error::{Code, Error, Result};
use crate::vocab::event::Fact;
use crate::why::Why;

impl Protocol for State {
    fn begin(&mut self) {
        self.before = Some(Box::new(self.core.clone()));
    }

    fn commit(&mut self) {
        self.before = None;
        self.blocks.commit();
        self.touches.commit();
    }

    fn rollback(&mut self) {
        if let Some(before) = self.before.take() {
            self.core = *before;
        }
        self.blocks.rollback();
        self.touches.rollback();
    }

    fn settle(&mut self, head: &Head) {
        self.settle_all(head);
    }

    fn apply(&mut self, context: &mut Context<'_>, fact: &Fact) -> Result<()> {
        apply::apply(self, context, fact)
    }

    fn decide(&self, head: &Head) -> (&'static str, Vec<Intent>) {
        decide::decide(self, head)
    }

    fn check(&self, head: &Head, everything: bool) -> Result<()> {
        check::check(self, head, everything)
    }

    fn claimants(&self) -> &'static [&'static str] {
        &role::CLAIMANTS
    }

    fn mission(&self) -> &str {
        &self.core.settings.mission
    }

    fn continuation(&self, head: &Head) -> Continuation {
        decide::continuation(self, head)
    }

    fn render(&self, _: &Head, path: &str) -> Result<String> {
        files::render(self, path)
    }

    fn files(&self) -> Vec<KnownFile> {
        let known = |(path, file): (&String, &crate::protocols::shared::files::Kept)| KnownFile {
            path: path.clone(),
            digest: file.digest.clone(),
            projection: ![files::ARCHIVE, files::LEARNINGS].contains(&path.as_str()),
        };
        self.core.files.known.iter().map(known).collect()
    }

    fn why(&self, head: &Head) -> Why {
        explain::why(self, head)
    }

    fn view(&self, head: &Head) -> View {
        explain::view(self, head)
    }

    fn criteria(&self, item: &str) -> Option<&[Criterion]> {
        self.blocks.get(item).map(|block| block.criteria.as_slice())
    }

    fn check_report(&self, role: &str, text: &str) -> Result<Vec<String>> {
        let known = role::Role::of(role).ok_or_else(|| {
            Error::new(Code::UnknownValue, "role", "a role of the grid protocol", role)
        })?;
        report::read(known, &self.core.settings.mission, text).map(|_| Vec::new())
    }
}
