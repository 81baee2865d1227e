//! Whether there is anything in a file that its page could show. A page that only says it cannot is not worth
//! writing: it is said here, in the words of the reader that refused. Twin of `js/src/node/viewer-content.ts`; how
//! the page tells what a file is stands in `js/viewer/source.ts`.

use super::super::exit::{Exit, Fault};
use endstate::Engine;
use endstate::protocols::{grid, iteration, promise, sprint};
use endstate::snapshot::Snapshot;
use endstate::tape::Tape;
use endstate::vocab::error::Error;
use endstate::vocab::json::RawObject;
use serde_json::Value;
use std::path::Path;

const EXPECTED: &str = "a journal, a snapshot, a plan or an agent definition";

/// Refuses files of which nothing could be shown; `source` is how they are called.
pub(super) fn check(source: &Path, files: &[(String, Vec<u8>)]) -> Result<(), Fault> {
    let Some((name, bytes)) = files.first() else { return Ok(()) };
    let text = String::from_utf8_lossy(bytes);
    let text = text.trim_start_matches('\u{feff}');
    if text.starts_with("{\"seq\":") || name.ends_with(".jsonl") {
        return journal(source, bytes);
    }
    if name.ends_with("-PLAN.md") {
        let plan = |(name, bytes): &(String, Vec<u8>)| {
            grid::plan::parse(name, &String::from_utf8_lossy(bytes)).map(|_| ())
        };
        return told(source, files.iter().try_for_each(plan));
    }
    if text.trim_start().starts_with('{') {
        return object(source, text);
    }
    let is = |ends: &[&str]| ends.iter().any(|end| name.ends_with(end));
    if is(&[".yaml", ".yml"]) {
        return told(source, promise::feature::parse(text).map(|_| ()));
    }
    if text.lines().any(is_of_sprints) {
        return told(
            source,
            sprint::plan::config(name, &[(name.to_owned(), text.to_owned())].into(), "project")
                .map(|_| ()),
        );
    }
    if is(&[".md", ".markdown"]) || text.starts_with("---") {
        return told(source, promise::task::parse(text).map(|_| ()));
    }
    foreign(source, text)
}

/// A journal of which the first line does not hold has no moment; what is wrong further on, the page tells.
fn journal(source: &Path, bytes: &[u8]) -> Result<(), Fault> {
    let mut tape = Tape::new();
    let first = bytes.iter().position(|byte| *byte == b'\n');
    tape.push(&bytes[..first.map_or(0, |at| at + 1)]);
    match tape.state() {
        state if state.lines > 0 => Ok(()),
        state => told(source, state.fault.map_or(Ok(()), Err)).and_then(|()| {
            let got = if bytes.is_empty() { "an empty file" } else { "no whole line" };
            refuse(source, "journal_damaged", "a journal", got)
        }),
    }
}

fn object(source: &Path, text: &str) -> Result<(), Fault> {
    let Ok(Value::Object(value)) = serde_json::from_str(text) else { return foreign(source, text) };
    let has = |name: &str| value.contains_key(name);
    if has("head") && has("mission") {
        return snapshot(source, text);
    }
    if has("position") && has("snapshot") {
        let inner =
            RawObject::read(text).map(|all| all.raw("snapshot").unwrap_or_default().to_owned());
        return inner.map_err(Fault::from).and_then(|text| snapshot(source, &text));
    }
    if has("candidate_slices") {
        return Ok(());
    }
    if has("behavior") || has("runner") {
        return told(source, iteration::definition::parse(text).map(|_| ()));
    }
    refuse(source, "invalid_value", EXPECTED, "JSON of something else")
}

fn snapshot(source: &Path, text: &str) -> Result<(), Fault> {
    told(source, Snapshot::read(text).and_then(Engine::open).map(|_| ()))
}

/// A heading that only a plan of sprints has.
fn is_of_sprints(line: &str) -> bool {
    let title = line.trim_start_matches('#');
    let depth = line.len() - title.len();
    let title_words = title.trim_start().to_lowercase();
    let ends = |rest: &str| !rest.starts_with(|next: char| next.is_alphanumeric() || next == '_');
    let is = |word: &&str| title_words.strip_prefix(*word).is_some_and(ends);
    (1..=6).contains(&depth)
        && title.starts_with(char::is_whitespace)
        && ["work units", "work unit", "sprint", "sortie"].iter().any(is)
}

fn foreign(source: &Path, text: &str) -> Result<(), Fault> {
    let begin: String = text.chars().take(40).collect();
    let got = match text.trim() {
        "" => "an empty file".to_owned(),
        _ => format!("{begin:?}"),
    };
    refuse(source, "invalid_value", EXPECTED, &got)
}

fn refuse(source: &Path, code: &str, expected: &str, got: &str) -> Result<(), Fault> {
    Err(Fault::new(Exit::Refused, code, &source.display().to_string(), expected, got))
}

/// A fault of the reader, with the file it is in.
fn told(source: &Path, read: Result<(), Error>) -> Result<(), Fault> {
    read.map_err(|error| {
        let fault = Fault::from(error);
        let at = match fault.at.as_str() {
            "" => source.display().to_string(),
            at => format!("{}: {at}", source.display()),
        };
        Fault { at, ..fault }
    })
}
