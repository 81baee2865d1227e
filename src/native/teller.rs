//! What a run says while it plays, as facts for the journal.

use super::agent::Listener;
use super::unheard::Told;
use crate::vocab::event::{EffectId, Fact, ProgressEntry, RunProgressed, RunStarted};
use std::time::{Duration, Instant};

/// The shortest time between two progress events of a run.
const PROGRESS_EVERY: Duration = Duration::from_secs(1);
/// How long a silent run goes without a heartbeat.
const HEARTBEAT_EVERY: Duration = Duration::from_secs(60);

/// Turns what a run says into facts, at most one a second.
pub(super) struct Teller<'a> {
    id: EffectId,
    pub(super) tell: &'a dyn Fn(Fact),
    listener: Listener,
    began: Instant,
    /// What an earlier host told of it.
    told: Told,
    last: Instant,
}

impl<'a> Teller<'a> {
    /// Of a run that starts now. That is told at once: what is stopped or lost before it was told would count as never
    /// started, and nobody would hear of what it did. Its session is told when it is named.
    pub(super) fn new(id: EffectId, tell: &'a dyn Fn(Fact), confined: bool) -> Self {
        tell(Fact::RunStarted(RunStarted { effect: id, session: None, confined }));
        Teller::again(id, tell, Told::default())
    }

    /// Of a run that an earlier host started and told this of.
    pub(super) fn again(id: EffectId, tell: &'a dyn Fn(Fact), told: Told) -> Self {
        let now = Instant::now();
        Teller { id, tell, listener: Listener::default(), began: now, told, last: now }
    }

    pub(super) fn hear(&mut self, stdout: bool, bytes: &[u8]) {
        self.listener.hear(stdout, bytes);
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

    /// Structured signs of life are not lost, however short the run; the rest is in its report.
    pub(super) fn finish(&mut self) {
        self.listener.close();
        while self.listener.has_entries() {
            let entries = self.news();
            if entries.iter().any(|entry| entry.kind != "activity") {
                self.progress(entries);
            }
        }
    }

    /// What was heard since the last time.
    fn news(&mut self) -> Vec<ProgressEntry> {
        let mut entries = self.listener.entries();
        self.told.strike(&mut entries);
        entries
    }

    fn progress(&mut self, entries: Vec<ProgressEntry>) {
        self.last = Instant::now();
        (self.tell)(Fact::RunProgressed(RunProgressed { effect: self.id, entries }));
    }
}
