//! What a run says while it plays, as facts for the journal.

use super::agent::Listener;
use super::unheard::Told;
use crate::vocab::event::{EffectId, Fact, ProgressEntry, RunProgressed, RunStarted, SESSION};
use std::time::{Duration, Instant};

/// The shortest time between two progress events of a run.
const PROGRESS_EVERY: Duration = Duration::from_secs(1);
/// How long a silent run goes without a heartbeat.
const HEARTBEAT_EVERY: Duration = Duration::from_secs(60);
/// How long the start of a run waits for its first line, which may name its session.
const SESSION_WAIT: Duration = Duration::from_millis(500);
/// The same for a real agent: it always has a session, and takes seconds to say which, on a busy machine
/// many.
const AGENT_WAIT: Duration = Duration::from_secs(120);

/// Turns what a run says into facts, at most one a second.
pub(super) struct Teller<'a> {
    id: EffectId,
    pub(super) tell: &'a dyn Fn(Fact),
    listener: Listener,
    began: Instant,
    /// It will name its session, whatever it says before that.
    names: bool,
    confined: bool,
    started: bool,
    /// The session it started in.
    session: Option<String>,
    /// What an earlier host told of it.
    told: Told,
    last: Instant,
}

impl<'a> Teller<'a> {
    /// Of a run that starts now; `names`: its agent will say which session it is.
    pub(super) fn new(id: EffectId, tell: &'a dyn Fn(Fact), names: bool, confined: bool) -> Self {
        let now = Instant::now();
        let listener = Listener::default();
        let told = Told::default();
        Teller {
            id,
            tell,
            listener,
            began: now,
            names,
            confined,
            started: false,
            session: None,
            told,
            last: now,
        }
    }

    /// Of a run that an earlier host started and told this of.
    pub(super) fn again(id: EffectId, tell: &'a dyn Fn(Fact), told: Told) -> Self {
        Teller { started: true, told, ..Teller::new(id, tell, false, false) }
    }

    pub(super) fn hear(&mut self, stdout: bool, bytes: &[u8]) {
        self.listener.hear(stdout, bytes);
        let (enough, wait) = match self.names {
            true => (false, AGENT_WAIT),
            false => (self.listener.has_entries(), SESSION_WAIT),
        };
        if enough || self.listener.session().is_some() || self.began.elapsed() >= wait {
            self.start();
        }
        if !self.started {
            return;
        }
        let silent = self.last.elapsed();
        if self.listener.has_entries() && silent >= PROGRESS_EVERY {
            self.last = Instant::now();
            while self.listener.has_entries() {
                let entries = self.news();
                if !entries.is_empty() {
                    self.progress(entries);
                }
            }
        } else if silent >= HEARTBEAT_EVERY {
            let text = format!("running for {} s", self.began.elapsed().as_secs());
            self.progress(vec![ProgressEntry { kind: "heartbeat".to_owned(), text }]);
        }
    }

    fn start(&mut self) {
        if !std::mem::replace(&mut self.started, true) {
            let session = self.listener.session().map(str::to_owned);
            self.session.clone_from(&session);
            let (effect, confined) = (self.id, self.confined);
            (self.tell)(Fact::RunStarted(RunStarted { effect, session, confined }));
        }
    }

    /// Structured signs of life are not lost, however short the run; the rest is in its report.
    pub(super) fn finish(&mut self) {
        self.start();
        self.listener.close();
        while self.listener.has_entries() {
            let entries = self.news();
            if entries.iter().any(|entry| entry.kind != "activity") {
                self.progress(entries);
            }
        }
    }

    /// What was heard since the last time, but for the session that its start told.
    fn news(&mut self) -> Vec<ProgressEntry> {
        let mut entries = self.listener.entries();
        entries.retain(|one| one.kind != SESSION || Some(&one.text) != self.session.as_ref());
        self.told.strike(&mut entries);
        entries
    }

    fn progress(&mut self, entries: Vec<ProgressEntry>) {
        self.last = Instant::now();
        (self.tell)(Fact::RunProgressed(RunProgressed { effect: self.id, entries }));
    }
}
