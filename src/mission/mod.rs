//! What every mission has, whatever its protocol: the envelope ([`head`], [`envelope`]) and what the protocols do alike, once.
//!
//! A protocol imports from here and from the vocabulary, never from another protocol. The code here knows no status names and
//! no plan: the life of a mission ([`life`]), the move `decide` from a table ([`dispatch`]), the shape of a dispatch table and
//! of its explanation ([`table`]), the guards that keep every rule from acting ([`guard`]), the checks of what must never
//! happen ([`check`]), the header and the block of a report ([`report`]), the conditions of every command and answer
//! ([`admission`]), the state of a mission ([`standing`]), questions ([`ask`]) and other texts that people can read and
//! correct ([`template`]), the commands of a plan as the user is asked about them ([`trust`]), files that are projections or
//! only grow ([`files`]), the repository as last seen ([`repository`]), whether its head is still the mission's
//! ([`head_guard`]), commits that no report names ([`unreported`]), stale evidence ([`stale`]), the parts of a picture
//! ([`picture`]), and the moves that read alike ([`moves`]).

pub(crate) mod admission;
pub(crate) mod ask;
pub(crate) mod check;
pub(crate) mod citation;
pub(crate) mod dispatch;
pub(crate) mod envelope;
pub(crate) mod expectation;
pub mod files;
pub mod finding;
pub(crate) mod guard;
pub mod head;
pub mod head_guard;
pub mod life;
pub(crate) mod moves;
pub(crate) mod picture;
pub(crate) mod prelude;
pub mod proof;
pub(crate) mod report;
pub mod repository;
pub mod role;
pub(crate) mod settings;
pub(crate) mod stale;
pub(crate) mod standing;
pub mod table;
pub(crate) mod template;
pub(crate) mod trust;
pub mod unreported;
pub mod worktree;

pub use head::{Continuation, Control, Head};

use crate::view::{Outline, View};
use crate::vocab::budget::Counter;
use crate::vocab::criterion::Criterion;
use crate::vocab::effect::{Order, Outstanding};
use crate::vocab::error::{Code, Diagnostic, Error, Result};
use crate::vocab::event::Fact;
use crate::why::Why;
use proof::{Showing, Showings};
use std::cell::Cell;
use std::sync::Arc;

/// What a protocol may see and touch while it applies a fact.
pub(crate) struct Context<'a> {
    /// The envelope; `head.seq` and `head.at` are already those of the fact.
    pub(crate) head: &'a mut Head,
    /// The effect the fact answers or speaks of, as it was before the fact.
    pub(crate) subject: Option<Arc<Outstanding>>,
    /// The run that ended left a report that was taken.
    pub(crate) reported: &'a Cell<bool>,
}

/// An order that `decide` wants, with the counter it spends in addition to its own.
pub(crate) struct Intent {
    /// The order.
    pub(crate) order: Order,
    /// A further counter, e.g. for re-grounds.
    pub(crate) also: Option<Counter>,
}

impl From<Order> for Intent {
    fn from(order: Order) -> Self {
        Intent { order, also: None }
    }
}

/// A canonical file as the engine left it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownFile {
    /// Path from the root of the repository.
    pub path: String,
    /// SHA-256 in hex of what is on disk as far as is known; `None` for nothing.
    pub digest: Option<String>,
    /// Length on disk in bytes as far as is known, of a file that only grows; `None` for any other, and for nothing.
    pub length: Option<u64>,
    /// The file is a projection of the state, which [`crate::Engine::render`] gives, and tells of this mission alone.
    pub projection: bool,
}

/// What the engine asks of every protocol. The four moves of a step are separate on purpose.
pub(crate) trait Protocol {
    /// Keeps the small state aside, to be able to go back.
    fn begin(&mut self);
    /// Whether anything was written since then.
    fn touched(&self) -> bool;
    /// Forgets what was kept aside.
    fn commit(&mut self);
    /// Goes back to what was kept aside.
    fn rollback(&mut self);
    /// Follows up what the state as a whole implies; also right after the start.
    fn settle(&mut self, head: &Head);
    /// Fact → state. Orders nothing.
    fn apply(&mut self, context: &mut Context<'_>, fact: &Fact) -> Result<()>;
    /// State → orders. Reads the snapshot and nothing else. The name is that of the rule or guard
    /// that decided.
    fn decide(&self, head: &Head) -> (&'static str, Vec<Intent>);
    /// The protocol's invariants: over what the event touched, or over everything. Answers whether and why the
    /// mission goes on.
    fn check(&self, head: &Head, everything: bool) -> Result<Continuation>;
    /// Nothing goes on before the user resumes.
    fn block(&mut self, problem: Diagnostic);
    /// The roles that only claim: those an agent may play that is not to judge.
    fn claimants(&self) -> &'static [&'static str];
    /// The mission in words.
    fn mission(&self) -> &str;
    /// Whether and why the mission goes on.
    fn continuation(&self, head: &Head) -> Continuation;
    /// Whether it is over; final effects may still be running.
    fn is_over(&self) -> bool;
    /// How many runs the mission still takes if nothing fails, by the items planned so far, at least one.
    fn expected_runs(&self) -> usize;
    /// The content of a canonical file.
    fn render(&self, _head: &Head, path: &str) -> Result<String> {
        Err(Error::new(Code::UnknownFile, "path", "a file of the protocol; it has none", path))
    }
    /// The canonical files, in the order they are checked.
    fn files(&self) -> Vec<KnownFile> {
        Vec::new()
    }
    /// Why the next step is what it is.
    fn why(&self, head: &Head) -> Why;
    /// The mission as nodes, edges, lanes and progress.
    fn view(&self, head: &Head) -> View;
    /// The same in short, where that is much faster.
    fn outline(&self, _head: &Head) -> Option<Outline> {
        None
    }
    /// The criteria of an item with their claims, evidence and verdicts, where the protocol keeps
    /// them so.
    fn criteria(&self, _item: &str) -> Option<&[Criterion]> {
        None
    }
    /// What each criterion rests on, and whether what is not committed belongs to the work.
    fn showings(&self) -> Showings {
        [Showing::unsaid()].into_iter().collect()
    }
    /// A report whose object is given, as a role would write it.
    fn report_text(&self, object: &str) -> String {
        report::written(self.mission(), object)
    }
    /// Whether a report of this role would be readable; see [`crate::check_report`].
    fn check_report(&self, role: &str, text: &str) -> Result<Vec<String>>;
}
