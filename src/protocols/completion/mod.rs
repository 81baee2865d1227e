//! Completion: a mission in a repository, one slice at a time, to a judged stop.
//!
//! The story, in the order it happens. The host looks at the repository. Missing contract files are
//! written and committed. A *regrounder* compares the plan with the repository and selects one
//! slice, with its exact hand-off. An *implementer* does it, commits, and claims each criterion with
//! typed evidence. A *reviewer* and an *auditor*, each a run of its own, find out whether each
//! criterion holds at that commit. The regrounder reconciles: accepted, or reopened with what must be
//! fixed. When no slice is open, [`required_stop_judges`](files::ProfileFile::required_stop_judges) judges
//! say at one and the same head whether the mission may stop; the stop verifier runs once more; the
//! regrounder has the final word.
//!
//! # Arrows
//!
//! - look, contract files missing → contract commit, or bootstrapper → contract commit
//! - state distrusted → regrounder → trusted
//! - no slice selected, work open → regrounder → selected
//! - selected → implementer started → in progress
//! - in progress → claim accepted → committed
//! - in progress → plan drift → state distrusted
//! - committed → reviewed → audited → accepted → done, or reopened → in progress
//! - no work open → judged (so often as required) → stop verifier passed → final re-ground → done
//! - judge says no, or verifier fails → state distrusted
//! - anything → paused, blocked, question open → as before
//!
//! # Never
//!
//! - Two roles or two slices **never** run at once.
//! - A role is **never** sent outside the table, or from memory.
//! - A slice **never** lacks criteria, and is **never** done while a criterion is open.
//! - A run **never** judges its own claim.
//! - A locked criterion is **never** weakened or dropped.
//! - The next slice **never** begins while the tree is dirty.
//! - A commit is **never** accepted without a claim.
//! - A mission **never** ends without its judges, its verifier and a closed plan.
//! - A record **never** lacks a speaker.
//! - A mission that must go on **never** waits.
//!
//! Each of these is a function in [`check`].

pub mod files;
pub mod report;
pub mod role;
pub mod state;

pub mod facts;
mod start;

mod accept;
mod answers;
mod apply;
mod commands;
mod edits;
mod observe;
mod plan;
mod project;
mod reground;

mod ask;
mod decide;
mod prompt;

mod check;
mod explain;

pub use start::start;
pub use state::{Config, State};

use crate::mission::moves;
use crate::mission::prelude::*;
use crate::mission::proof::{self, Showing, Showings};
use crate::mission::{KnownFile, Protocol};
use crate::view::Outline;

impl Protocol for State {
    moves::kept_aside!(slices, contracts, touches);
    moves::same_moves!();

    fn settle(&mut self, head: &Head) {
        State::settle(self, head);
    }

    fn expected_runs(&self) -> usize {
        let open = self.slices.iter().filter(|slice| !slice.closed()).count().max(1);
        let judges = usize::try_from(self.judges_left()).unwrap_or(usize::MAX);
        // Each is implemented, reviewed, audited and reconciled; the plan is grounded before and behind all.
        judges.saturating_add(4 * open + 2)
    }

    fn render(&self, head: &Head, path: &str) -> Result<String> {
        self.render_file(head, path)
    }

    fn files(&self) -> Vec<KnownFile> {
        let known = |path: &str| {
            let projection = files::STATE_FILES.contains(&path);
            let kept = self.core.life.files.kept_at(path, files::HISTORIES.contains(&path));
            KnownFile { projection, ..kept }
        };
        let all = files::CONTRACT.into_iter().chain(files::STATE_FILES).chain(files::HISTORIES);
        all.map(known).collect()
    }

    fn outline(&self, head: &Head) -> Option<Outline> {
        Some(explain::outline(self, head))
    }

    fn showings(&self) -> Showings {
        let own = self.core.contract.commands.iter();
        let own = own.map(|argv| Showing::of_mission("verification command", argv));
        // Before the end each is declared; at the end those that are closed are what it rests on.
        let over = self.core.life.done.is_some();
        let closed = self.slices.iter().filter(|slice| slice.closed() || !over);
        let slices = closed.flat_map(|slice| proof::judged(&slice.slice_id, &slice.criteria));
        own.chain(slices).collect()
    }

    fn criteria(&self, item: &str) -> Option<&[Criterion]> {
        self.slices.get(item).map(|one| one.criteria.as_slice())
    }
}
