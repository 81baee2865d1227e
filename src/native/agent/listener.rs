//! What a run says while it runs: its signs of life and its session, within bounds.

use super::aside::{Aside, aside};
use crate::native::redact::printable;
use crate::vocab::error::clip;
use crate::vocab::event::{ProgressEntry, SESSION};

/// The longest line that is looked at, in bytes; the rest of it is left out of progress.
const MOST_LINE: usize = 64 * 1024;
/// The most characters of one sign of life that is nothing but a line.
const MOST_ENTRY: usize = 400;
/// The most lines between two events; the newest are kept.
const MOST_ENTRIES: usize = 20;
/// The most bytes of a structured sign of life. It is taken whole or not at all: half of one says nothing.
const MOST_STRUCTURED: usize = 4 * 1024;
/// The most structured signs of life of one run.
const MOST_OF_RUN: usize = 2_000;
/// The most signs of life of one event.
const MOST_OF_EVENT: usize = 100;
/// The kind of a plain line.
pub(in crate::native) const ACTIVITY: &str = "activity";
/// The kind of a word on what was not taken.
pub(in crate::native) const REFUSED: &str = "refused";

/// Listens to a run while it runs.
#[derive(Debug, Default)]
pub struct Listener {
    partial: [Vec<u8>; 2],
    entries: Vec<ProgressEntry>,
    structured: usize,
    refused: usize,
    /// Sessions it named, in order.
    sessions: Vec<String>,
}

/// The most sessions of one run that are told.
const MOST_SESSIONS: usize = 100;

impl Listener {
    /// Takes a piece of output; `stdout` tells which of the two it is from.
    pub fn hear(&mut self, stdout: bool, bytes: &[u8]) {
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            let partial = &mut self.partial[usize::from(stdout)];
            let room = MOST_LINE.saturating_sub(partial.len());
            partial.extend_from_slice(&piece[..piece.len().min(room)]);
            if piece.ends_with(b"\n") {
                let line = std::mem::take(partial);
                self.line(&String::from_utf8_lossy(&line));
            }
        }
    }

    fn line(&mut self, line: &str) {
        let shown = |text: &str| printable(text).trim().to_owned();
        let (kind, text) = match aside(line) {
            Some(Aside::Result(said)) => {
                return self.named(said.session.as_deref());
            }
            Some(Aside::Progress { kind, text }) => {
                let kind = kind.unwrap_or_else(|| "progress".to_owned());
                match self.structured(&kind, shown(&text)) {
                    Some(entry) => entry,
                    None => return,
                }
            }
            // Too long to be read whole, so nobody knows what it would have said.
            None if line.len() >= MOST_LINE && line.contains("\"endstate\"") => {
                self.refused += 1;
                return;
            }
            None => (ACTIVITY.to_owned(), clip(&shown(line), MOST_ENTRY)),
        };
        if !text.is_empty() {
            self.entries.push(ProgressEntry { kind, text });
        }
    }

    /// Each session that is named is a sign of life of its own, whatever else the run said.
    fn named(&mut self, session: Option<&str>) {
        let Some(name) = session.filter(|name| !name.is_empty()) else { return };
        let known = self.sessions.iter().any(|known| known == name);
        if !known && name.len() <= MOST_STRUCTURED && self.sessions.len() < MOST_SESSIONS {
            self.sessions.push(name.to_owned());
            let text = name.to_owned();
            self.entries.push(ProgressEntry { kind: SESSION.to_owned(), text });
        }
    }

    /// A structured sign of life, if it is within its bounds.
    fn structured(&mut self, kind: &str, text: String) -> Option<(String, String)> {
        if self.structured >= MOST_OF_RUN || text.len() > MOST_STRUCTURED {
            self.refused += 1;
            return None;
        }
        self.structured += 1;
        // What calls itself a line is throttled like one.
        let text = if kind == ACTIVITY { clip(&text, MOST_ENTRY) } else { text };
        Some((clip(printable(kind).trim(), MOST_ENTRY), text))
    }

    /// The signs of life since the last time, in order, as many as one event holds: all structured ones, the
    /// newest lines, and in the end how many were refused.
    pub fn entries(&mut self) -> Vec<ProgressEntry> {
        let mut all = std::mem::take(&mut self.entries);
        let lines = all.iter().filter(|entry| entry.kind == ACTIVITY).count();
        let mut surplus = lines.saturating_sub(MOST_ENTRIES);
        all.retain(|entry| {
            let old = surplus > 0 && entry.kind == ACTIVITY;
            surplus -= usize::from(old);
            !old
        });
        if all.len() > MOST_OF_EVENT {
            self.entries = all.split_off(MOST_OF_EVENT);
        } else if self.refused > 0 {
            let text = format!(
                "{} signs of life were not taken: at most {MOST_OF_RUN} of {MOST_STRUCTURED} bytes",
                std::mem::take(&mut self.refused)
            );
            all.push(ProgressEntry { kind: REFUSED.to_owned(), text });
        }
        all
    }

    /// The last line of a stream needs no end.
    pub fn close(&mut self) {
        for stream in 0..self.partial.len() {
            let line = std::mem::take(&mut self.partial[stream]);
            if !line.is_empty() {
                self.line(&String::from_utf8_lossy(&line));
            }
        }
    }

    /// Whether anything was heard that has not been passed on.
    pub fn has_entries(&self) -> bool {
        !self.entries.is_empty() || self.refused > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(text: &str) -> String {
        let kind = "scratchpad";
        format!("{}\n", serde_json::json!({"endstate": "progress", "kind": kind, "text": text}))
    }

    /// However much a run says, what it says in form reaches the journal once and whole, or is refused aloud.
    #[test]
    fn structured_signs_of_life_are_never_lost() {
        let mut listener = Listener::default();
        for number in 0..1_200 {
            listener.hear(true, said(&format!("{{\"finding\":\"f{number}\"}}")).as_bytes());
            listener.hear(true, b"test ... ok\n");
        }
        listener.hear(true, said(&"d".repeat(MOST_STRUCTURED)).as_bytes());
        listener.hear(true, said(&"d".repeat(MOST_STRUCTURED + 1)).as_bytes());
        listener.hear(true, said("the last").trim_end().as_bytes());
        listener.close();
        let mut all = Vec::new();
        while listener.has_entries() {
            let entries = listener.entries();
            assert!(entries.len() <= MOST_OF_EVENT + 1, "{}", entries.len());
            all.extend(entries);
        }
        let kept: Vec<&str> =
            all.iter().filter(|one| one.kind == "scratchpad").map(|one| &*one.text).collect();
        assert_eq!(kept.len(), 1_202);
        assert_eq!((kept[0], kept[1_199]), ("{\"finding\":\"f0\"}", "{\"finding\":\"f1199\"}"));
        assert_eq!((kept[1_200].len(), kept[1_201]), (MOST_STRUCTURED, "the last"));
        assert_eq!(all.iter().filter(|one| one.kind == ACTIVITY).count(), MOST_ENTRIES);
        let refused = all.iter().find(|one| one.kind == "refused").unwrap();
        assert!(refused.text.starts_with("1 signs of life were not taken"), "{}", refused.text);
    }
}
