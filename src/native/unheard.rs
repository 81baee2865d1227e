//! What a run said that nobody heard: its driver died before it was journaled, but what it printed is kept
//! beside its record. Every structured sign of life is in the journal once, whoever told it.

use super::agent::{ACTIVITY, Listener, REFUSED};
use super::redact::Redactor;
use super::regular;
use super::runs::Runs;
use crate::vocab::event::{EffectId, Fact, ProgressEntry, RunProgressed, RunStarted, SESSION};
use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

/// The most of an output that is looked at, in bytes.
const MOST_OUTPUT: u64 = 256 * 1024 * 1024;
/// The most signs of life of one event.
const MOST_OF_EVENT: usize = 100;

impl Runs {
    /// What the journal has of a run.
    pub(super) fn told(&self, id: EffectId) -> Told {
        Told { times: times(&self.places.journal(), id), redactor: self.redactor.clone() }
    }

    /// The structured signs of life of an earlier run that its journal does not have, in the order in which
    /// they were given.
    pub fn unheard(&self, id: EffectId) -> Vec<Fact> {
        let folder = self.places.run(&id.to_string());
        let mut listener = Listener::default();
        for (name, stdout) in [("stdout", true), ("stderr", false)] {
            listener.hear(stdout, &start_of(&folder.join(name)));
        }
        listener.close();
        let mut said = Vec::new();
        while listener.has_entries() {
            said.extend(listener.entries().into_iter().filter(structured));
        }
        if said.is_empty() {
            return Vec::new();
        }
        self.told(id).strike(&mut said);
        let events = said.chunks(MOST_OF_EVENT).map(<[ProgressEntry]>::to_vec);
        events.map(|entries| Fact::RunProgressed(RunProgressed { effect: id, entries })).collect()
    }
}

/// How often the journal has each sign of life of a run.
#[derive(Debug, Default)]
pub(super) struct Told {
    times: HashMap<(String, String), usize>,
    redactor: Redactor,
}

impl Told {
    /// Takes out what was told already; what is left is without secrets.
    pub(super) fn strike(&mut self, said: &mut Vec<ProgressEntry>) {
        if self.times.is_empty() {
            return;
        }
        said.iter_mut()
            .for_each(|one| one.text = self.redactor.text(std::mem::take(&mut one.text)));
        said.retain(|one| match self.times.get_mut(&(one.kind.clone(), one.text.clone())) {
            Some(times) if *times > 0 => {
                *times -= 1;
                false
            }
            _ => true,
        });
    }
}

/// Lines are for those who watch, and how much was refused is known of the whole only.
fn structured(entry: &ProgressEntry) -> bool {
    entry.kind != ACTIVITY && entry.kind != REFUSED
}

fn start_of(path: &Path) -> Vec<u8> {
    let mut bytes = Vec::new();
    if let Ok(file) = regular::open(path) {
        // What can be read counts.
        let _ = file.take(MOST_OUTPUT).read_to_end(&mut bytes);
    }
    bytes
}

fn times(journal: &Path, id: EffectId) -> HashMap<(String, String), usize> {
    #[derive(serde::Deserialize)]
    struct Line {
        body: Body,
    }
    #[derive(serde::Deserialize)]
    struct Body {
        event: Told,
    }
    #[derive(serde::Deserialize)]
    struct Told {
        fact: Fact,
    }
    let mut times = HashMap::new();
    let Ok(file) = regular::open(journal) else { return times };
    let named = format!("\"{id}\"");
    for line in BufReader::new(file).split(b'\n').map_while(Result::ok) {
        let Ok(line) = String::from_utf8(line) else { continue };
        let of_run =
            ["\"run_progressed\"", "\"run_started\""].iter().any(|name| line.contains(name));
        if !of_run || !line.contains(&named) {
            continue;
        }
        let Ok(Line { body }) = serde_json::from_str::<Line>(&line) else { continue };
        match body.event.fact {
            Fact::RunProgressed(RunProgressed { effect, entries }) if effect == id => {
                for entry in entries {
                    *times.entry((entry.kind, entry.text)).or_default() += 1;
                }
            }
            Fact::RunStarted(RunStarted { effect, session: Some(session), .. }) if effect == id => {
                *times.entry((SESSION.to_owned(), session)).or_default() += 1;
            }
            _ => {}
        }
    }
    times
}
