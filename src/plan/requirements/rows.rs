//! A row of a table as one requirement: its first cells are what is asked for, an acceptance column is what it is
//! accepted by, and every other cell is kept with the name of its column.

use super::super::document::unwrapped;
use super::super::outline::{Outline, plain};
use super::ids;
use std::ops::Range;

/// What the columns of a table are called, in small letters.
pub(super) struct Heads(Vec<String>);

/// A row in words.
pub(super) struct Said {
    pub(super) text: String,
    pub(super) accepted: Vec<String>,
    /// Whether what it asks for is struck out.
    pub(super) struck: bool,
}

impl Heads {
    pub(super) fn of(outline: &Outline<'_>, row: &[Range<usize>]) -> Heads {
        Heads(row.iter().map(|cell| plain(outline.source(cell))).collect())
    }

    /// Whether it is a table about the document or its words: versions, terms.
    pub(super) fn is_about(&self) -> bool {
        let lower: Vec<String> = self.0.iter().map(|head| head.to_lowercase()).collect();
        let has = |names: &[&str]| lower.iter().any(|head| names.contains(&head.as_str()));
        let first = lower.first().map_or("", String::as_str);
        has(&["version", "revision", "rev"]) && has(&["date", "author", "changes"])
            || ["term", "acronym", "abbreviation"].contains(&first)
    }

    pub(super) fn row(&self, outline: &Outline<'_>, row: &[Range<usize>]) -> Said {
        let mut said = Said { text: String::new(), accepted: Vec::new(), struck: false };
        let (mut plainly, mut beside) = (Vec::new(), Vec::new());
        for (at, cell) in row.iter().enumerate() {
            let cell = outline.source(cell).trim().replace("\\|", "|");
            let head = self.0.get(at).map_or("", String::as_str);
            let lower = head.to_lowercase();
            let number = at == 0 && cell.bytes().all(|byte| byte.is_ascii_digit());
            if number || cell.trim_matches(['-', '—', '–']).is_empty() {
                continue;
            }
            if lower.contains("acceptance") || lower.starts_with("done when") {
                said.accepted.extend(parts(&cell));
            } else if plainly.is_empty()
                || head.is_empty()
                || is_text(&lower)
                || plainly.len() < 2 && is_words(&lower)
            {
                plainly.push(cell);
            } else {
                beside.push(format!("{head}: {cell}"));
            }
        }
        let mut words = plainly.iter().filter(|cell| !is_id(cell)).peekable();
        said.struck = words.peek().is_some() && words.all(|cell| unwrapped(cell).1);
        said.text = plainly.join(": ");
        if !beside.is_empty() {
            said.text.push_str(&format!(" ({})", beside.join("; ")));
        }
        said
    }
}

/// Whether a cell is an id and nothing else.
fn is_id(cell: &str) -> bool {
    let words = plain(cell);
    ids::id_of(&words) == Some(words.as_str())
}

/// A column whose words say what is asked for.
fn is_words(head: &str) -> bool {
    const NOT: [&str; 10] = [
        "priority", "prio", "status", "owner", "target", "phase", "effort", "estimate", "source",
        "value",
    ];
    !NOT.contains(&head)
}

/// A column that goes on with what is asked for.
fn is_text(head: &str) -> bool {
    ["description", "requirement", "details", "purpose", "what", "does", "meaning"].contains(&head)
}

/// The conditions of a cell.
fn parts(cell: &str) -> Vec<String> {
    let parts = cell.split("<br>").flat_map(|part| part.split("<br/>"));
    parts.map(|part| part.trim().to_owned()).filter(|part| !part.is_empty()).collect()
}
