//! How a mission is driven: who plays the roles, how long, and how a user stops it.

use super::super::agent::Agent;
use super::super::confine::{self, Confine, Confinement};
use super::super::redact::Redactor;
use crate::snapshot::Continuation;
use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;

/// Host code that answers a consult: JSON text in, JSON text out, or why there is no answer.
pub type Handler = Arc<dyn Fn(&str) -> Result<String, String> + Send + Sync>;

/// How a driver is set up.
#[derive(Clone)]
pub struct Options {
    /// Who plays the roles; without one, a role that is ordered fails.
    pub agent: Option<Agent>,
    /// The roles that an agent of the user plays itself, by their full names; only roles that claim.
    pub hosted: BTreeSet<String>,
    /// Leave everything unperformed that begins something or waits for it (roles, commands, host code, timers), and
    /// questions: for `init`, which only begins a mission, and for who only delivers a word of the user's.
    pub hold_roles: bool,
    /// Takes secrets out.
    pub redactor: Redactor,
    /// Host code by the name it is consulted under.
    pub consults: HashMap<String, Handler>,
    /// How long host code has for one answer.
    pub consult_timeout: Duration,
    /// The most wall time of a run of a role, where that is less than what was ordered.
    pub role_timeout: Option<Duration>,
    /// Whether agents are confined.
    pub confine: Confine,
    /// The program that confines them; without one, `bwrap` in PATH.
    pub bwrap: Option<PathBuf>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            agent: None,
            hosted: BTreeSet::new(),
            hold_roles: false,
            redactor: Redactor::of_environment(),
            consults: HashMap::new(),
            consult_timeout: Duration::from_secs(60),
            role_timeout: None,
            confine: Confine::default(),
            bwrap: confine::named(),
        }
    }
}

impl Options {
    /// How runs are confined.
    pub(in crate::native) fn confinement(&self) -> Confinement {
        Confinement::new(self.confine, self.bwrap.clone())
    }
}

/// The count of a flag that leaves without a word.
const LEAVE: u8 = u8::MAX;

/// Counts how often the user asked to stop: once to drain, twice to end what runs, three times to
/// leave at once. Cloned freely, e.g. into a signal handler.
#[derive(Clone, Debug, Default)]
pub struct StopFlag(Arc<AtomicU8>);

impl StopFlag {
    /// Asks once more.
    pub fn raise(&self) {
        // One that leaves stays so.
        let more =
            |count: u8| Some(count.saturating_add(1).min(LEAVE - 1)).filter(|_| count != LEAVE);
        let _ = self.0.fetch_update(Ordering::SeqCst, Ordering::SeqCst, more);
    }

    /// Whether it was asked at all.
    pub fn is_raised(&self) -> bool {
        self.count() > 0
    }

    /// Leaves at once and without a word to the engine: whoever drives next goes on. What runs is
    /// ended; what is hosted waits on.
    pub fn leave(&self) {
        self.0.store(LEAVE, Ordering::SeqCst);
    }

    /// Whether it was asked to leave at once.
    pub fn leaves(&self) -> bool {
        self.count() == LEAVE
    }

    pub(super) fn count(&self) -> u8 {
        self.0.load(Ordering::SeqCst)
    }
}

/// How [`super::Driver::run`] ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ended {
    /// Whether and why the mission goes on. `continue` means that nothing is left to perform
    /// although the mission is not at rest: roles are held, or the user left at once.
    pub continuation: Continuation,
    /// The user asked to stop.
    pub interrupted: bool,
}
