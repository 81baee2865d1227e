//! The plan: one canonical grammar, readers for known families of documents, an import that the engine checks, and
//! who waits for whom.

pub mod check;
pub mod clause;
pub mod command;
pub mod document;
pub mod families;
pub mod graph;
pub mod import;
pub mod judge;
pub mod line;
pub mod model;
pub mod order;
mod page;
pub mod read;
pub mod write;
pub mod yaml;

use crate::vocab::error::{Code, Error, Result};
use families::Family;
use model::Read;
use std::collections::BTreeMap;

/// The longest plan that is read, in bytes.
pub const MOST_PLAN: usize = 100 * 1024 * 1024;

/// Reads the plan at `entry`, whatever it is written in; `files` are the texts by path of what belongs to it. Everybody who
/// reads a plan comes through this door: what is a fault here is one for `lint`, `run` and the browser alike.
///
/// # Errors
/// `file_missing` without the entry, `too_large`, `empty`; `unknown_family` for a document that is no plan of a known family, or one
/// of another protocol. Faults of a plan are remarks.
pub fn open(files: &BTreeMap<String, String>, entry: &str) -> Result<(Family, Read)> {
    let missing = || Error::new(Code::FileMissing, entry, "a plan", "no such file");
    let text = files.get(entry).ok_or_else(missing)?;
    if text.len() > MOST_PLAN {
        let (expected, got) = (format!("at most {MOST_PLAN} bytes"), text.len().to_string());
        return Err(Error::new(Code::TooLarge, entry, expected, got));
    }
    if text.trim_matches(|c: char| c == '\u{feff}' || c.is_whitespace()).is_empty() {
        return Err(Error::new(Code::Empty, entry, "a plan", "no word"));
    }
    if let Some(read) = canonical(text) {
        return Ok((Family::Canonical, read));
    }
    let (family, read) = families::read(files, entry).ok_or_else(|| {
        let expected =
            "a canonical plan or one of a known family; `endstate plan import` makes one";
        Error::new(Code::UnknownFamily, entry, expected, "another document")
    })?;
    if let Some(protocol) = family.protocol() {
        let expected = format!("`endstate run --protocol {protocol}`, which reads it");
        return Err(Error::new(Code::UnknownFamily, entry, expected, family.as_str()));
    }
    Ok((family, checked(read, text)))
}

/// Reads and checks a plan in the canonical grammar. `None` if the document does not say `plan: endstate/…` in its front
/// matter: it may be of a family, or can be imported.
pub fn canonical(text: &str) -> Option<Read> {
    let lines = text.strip_prefix('\u{feff}').unwrap_or(text).lines();
    let mut lines = lines.map(str::trim_end);
    let front = lines.next() == Some("---");
    let mut front = lines.take_while(|line| front && !matches!(*line, "---" | "..."));
    front.any(write::says_format).then(|| checked(read::read(text), text))
}

/// A plan that any reader made of `text`, with all of its remarks in the order of lines.
pub fn checked(mut read: Read, text: &str) -> Read {
    read.remarks.extend(check::located(&read.plan, text));
    read.remarks.sort_by_key(model::Remark::place);
    read
}
