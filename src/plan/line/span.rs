//! Code spans, and lists and cells that may have them.

use crate::vocab::table::map_of;
use std::collections::BTreeMap;
use std::ops::Range;

/// A code span: where it lies with its back ticks, and what is in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span<'a> {
    /// Its bytes in the text, back ticks included.
    pub range: Range<usize>,
    /// What is in it.
    pub text: &'a str,
}

/// The code spans of a text, by the rule of CommonMark: a run of back ticks closes with the next run of the same length.
pub fn spans(text: &str) -> Vec<Span<'_>> {
    let runs = runs(text);
    // Where the last run of each length is: a search that cannot succeed is not begun, so that all of them take one pass.
    let last: BTreeMap<usize, usize> = map_of(runs.iter().map(|(start, count)| (*count, *start)));
    let (mut found, mut behind) = (Vec::new(), 0);
    for (place, (start, count)) in runs.iter().copied().enumerate() {
        if start < behind {
            continue;
        }
        // Behind a backslash the first back tick is a letter.
        let slashes = text.as_bytes()[behind..start].iter().rev().take_while(|b| **b == b'\\');
        let (open, count) =
            if slashes.count() % 2 == 1 { (start + 1, count - 1) } else { (start, count) };
        if last.get(&count).is_none_or(|last| *last < open + count) {
            continue;
        }
        let mut next = runs[place + 1..].iter().filter(|(_, other)| *other == count);
        let Some((close, _)) = next.next() else { continue };
        behind = close + count;
        found.push(Span { range: open..behind, text: bare(&text[open + count..*close]) });
    }
    found
}

fn runs(text: &str) -> Vec<(usize, usize)> {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for (at, _) in text.bytes().enumerate().filter(|(_, byte)| *byte == b'`') {
        match runs.last_mut() {
            Some((start, count)) if *start + *count == at => *count += 1,
            _ => runs.push((at, 1)),
        }
    }
    runs
}

fn bare(inner: &str) -> &str {
    let padded = inner.strip_prefix(' ').and_then(|inner| inner.strip_suffix(' '));
    padded.filter(|bare| !bare.trim_matches(' ').is_empty()).unwrap_or(inner)
}

/// A text as a code span that [`spans`] reads back. It must not be empty.
pub fn code(text: &str) -> String {
    let ticks = "`".repeat(runs(text).iter().map(|(_, count)| *count).max().unwrap_or(0) + 1);
    let padded = text.starts_with(' ') && text.ends_with(' ') && !text.trim_matches(' ').is_empty();
    let pad = if padded || text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{ticks}{pad}{text}{pad}{ticks}")
}

/// The elements of a list between commas. One that is wholly a code span is what is in it. `none` alone is no element.
pub fn list(text: &str) -> Vec<String> {
    if text.trim() == "none" {
        return Vec::new();
    }
    let spans = spans(text);
    let (mut parts, mut from, mut next) = (Vec::new(), 0, 0);
    for (at, _) in text.match_indices(',') {
        while spans.get(next).is_some_and(|span| span.range.end <= at) {
            next += 1;
        }
        if spans.get(next).is_none_or(|span| span.range.start >= at) {
            parts.push(&text[from..at]);
            from = at + 1;
        }
    }
    parts.push(&text[from..]);
    parts.iter().map(|part| unquoted(part)).filter(|part| !part.is_empty()).collect()
}

/// A text that is wholly one code span without its marks, or the text.
pub fn unquoted(text: &str) -> String {
    let text = text.trim();
    match spans(text).first() {
        Some(span) if span.range == (0..text.len()) => span.text.to_owned(),
        _ => text.to_owned(),
    }
}

/// An element of a list as [`list`] reads it back: as it is, or as a code span.
pub fn quoted(text: &str) -> String {
    let plain = text.trim() == text && !text.contains([',', '`', '\\']) && text != "none";
    if plain { text.to_owned() } else { code(text) }
}

/// A list as [`list`] reads it back, on one line.
pub fn listed(all: &[String]) -> String {
    match all {
        [] => "none".to_owned(),
        all => all.iter().map(|one| quoted(&one_line(one))).collect::<Vec<_>>().join(", "),
    }
}

/// A name on one line: what breaks lines becomes a space.
pub fn one_line(text: &str) -> String {
    text.trim().replace(['\n', '\r'], " ")
}

/// The cells of a row of a table; `\|` is a bar within one.
pub fn cells(line: &str) -> Option<Vec<String>> {
    let inner = line.trim().strip_prefix('|')?.strip_suffix('|')?;
    let mut cells = vec![String::new()];
    let mut letters = inner.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '|' => cells.push(String::new()),
            letter => {
                let bar = letter == '\\' && letters.next_if_eq(&'|').is_some();
                cells.last_mut()?.push(if bar { '|' } else { letter });
            }
        }
    }
    Some(cells.iter().map(|cell| cell.trim().to_owned()).collect())
}
