//! What a document asks for (seed 15b): by its headings, by its lists, and by the words the seed names. What is not taken
//! is told with its lines.

use super::super::document::{self, Heading, LineRange, unboxed};
use super::text::{is_within, line, says};
use super::words::{ACCEPTANCE, CONTEXT, KEYWORDS, LISTS, OUTSIDE, REQUIRED, TASKS};
use crate::vocab::error::{Result, clip};
use crate::vocab::word::words;
use serde::Serialize;

/// What a document asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// The title of the document.
    pub title: Option<String>,
    /// Its requirements, and what only informs, in the order of the document.
    pub requirements: Vec<Requirement>,
    /// What was not taken.
    pub unread: Vec<Unread>,
}

/// A part of a document of which nothing was made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Unread {
    /// Its lines.
    pub lines: LineRange,
    /// How it begins.
    pub what: String,
}

/// A requirement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Requirement {
    /// `R-001`, in the order of the document.
    pub id: String,
    /// Its source without bullet and box.
    pub text: String,
    /// The headings it stands under, from the outside in, without the title.
    pub headings: Vec<String>,
    /// Its lines.
    pub lines: LineRange,
    /// What made us think so.
    pub signal: Signal,
    /// Its box is ticked.
    pub ticked: bool,
}

words! {
    /// What made us think so.
    Signal {
        Section "section" "An item below a heading with \"Requirements\".";
        Keyword "keyword" "MUST, SHALL, SHOULD, MAY.";
        Story "story" "\"As a …, I want …\".";
        Acceptance "acceptance" "An item below \"Acceptance Criteria\".";
        Verb "verb" "\"Implement\", \"create\", \"support\", ….";
        Checkbox "checkbox" "A check box.";
        List "list" "An item below \"Features\", \"Deliverables\", \"Scope\", \"Tasks\".";
        Context "context" "Goals, constraints, architecture, dependencies.";
        OutOfScope "out_of_scope" "Expressly not wanted.";
    }
}

impl Requirement {
    /// Whether it asks for something, and does not only inform.
    pub fn asks(&self) -> bool {
        !matches!(self.signal, Signal::Context | Signal::OutOfScope)
    }
}

/// What a heading says of what stands below it.
pub(super) fn kind(heading: &str) -> Option<Signal> {
    let rows: [(&[&'static str], Signal); 5] = [
        (OUTSIDE, Signal::OutOfScope),
        (ACCEPTANCE, Signal::Acceptance),
        (REQUIRED, Signal::Section),
        (LISTS, Signal::List),
        (CONTEXT, Signal::Context),
    ];
    rows.into_iter().find(|(words, _)| says(heading, words).is_some()).map(|(_, signal)| signal)
}

/// Reads a document.
///
/// # Errors
/// `too_large`, `invalid_value` for a NUL byte, or the fault of its front matter.
pub fn read(text: &str) -> Result<Wanted> {
    let document = document::read(text)?;
    let mut wanted = Wanted::default();
    let title = document.headings.iter().find(|one| one.level == 1);
    wanted.title = title.map(|one| line(&one.text)).filter(|title| !title.is_empty());
    let mut found: Vec<(LineRange, String, Option<Option<bool>>)> = Vec::new();
    for item in &document.items {
        let (bare, ticked) = unboxed(&item.text);
        found.push((item.lines, bare.to_owned(), Some(ticked)));
    }
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    found.extend(document.others.iter().filter_map(|other| {
        let first = usize::try_from(other.first).ok()?.checked_sub(1)?;
        let text = lines.get(first..usize::try_from(other.last).ok()?)?.join("\n");
        Some((*other, text.trim().to_owned(), None))
    }));
    found.sort_by_key(|(lines, ..)| lines.first);
    let mut above: Vec<&Heading> = Vec::new();
    let mut headings = document.headings.iter().peekable();
    for (lines, text, item) in found {
        while let Some(next) = headings.next_if(|one| one.lines.first < lines.first) {
            above.retain(|outer| outer.level < next.level);
            above.push(next);
        }
        let below: Vec<String> =
            above.iter().filter(|one| one.level > 1).map(|one| line(&one.text)).collect();
        let section = below.iter().rev().find_map(|heading| kind(heading));
        match signal(&text, section, item) {
            Some(signal) => wanted.requirements.push(Requirement {
                id: format!("R-{:03}", wanted.requirements.len() + 1),
                text,
                headings: below,
                lines,
                signal,
                ticked: item.flatten() == Some(true),
            }),
            None => wanted.unread.push(Unread { lines, what: clip(&line(&text), 80) }),
        }
    }
    Ok(wanted)
}

/// What makes a text a requirement. `item` is of a list, with what its box says.
fn signal(text: &str, section: Option<Signal>, item: Option<Option<bool>>) -> Option<Signal> {
    let is_item = item.is_some();
    let table = text.starts_with('|') || text.starts_with(['`', '~']) && text.contains('\n');
    match section {
        Some(Signal::OutOfScope) => return Some(Signal::OutOfScope),
        _ if says(text, OUTSIDE).is_some() => return Some(Signal::OutOfScope),
        _ if table => return None,
        Some(Signal::Acceptance) if is_item => return Some(Signal::Acceptance),
        _ => {}
    }
    let lower = text.to_lowercase();
    let story = ["as a ", "as an "].iter().any(|begin| lower.starts_with(begin));
    let word = lower.split(|c: char| !c.is_alphanumeric()).find(|word| !word.is_empty());
    let verb = match is_item {
        true => says(text, TASKS).is_some(),
        false => word.is_some_and(|word| TASKS.contains(&word)),
    };
    match () {
        () if says(text, KEYWORDS).is_some() => Some(Signal::Keyword),
        () if story && is_within(&lower, "i want") => Some(Signal::Story),
        () if section == Some(Signal::Section) && is_item => Some(Signal::Section),
        () if section == Some(Signal::Context) => Some(Signal::Context),
        () if item.flatten().is_some() => Some(Signal::Checkbox),
        () if section == Some(Signal::List) && is_item => Some(Signal::List),
        () if verb => Some(Signal::Verb),
        () => None,
    }
}
