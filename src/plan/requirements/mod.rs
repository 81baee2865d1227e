//! What a document asks for: explicit requirements, implicit ones, and what only informs; each with its
//! place and how sure we are.

mod signals;

pub(super) use signals::is_quality;

use super::document::{LineRange, item_text, unboxed, unmarked};
use super::outline::{Content, Outline, plain};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use signals::{classify, section};
use std::ops::Range;

/// The most requirements that are read of one document.
pub const MOST_REQUIREMENTS: usize = 2_000;

/// A requirement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Requirement {
    /// `R-001`, in the order of the document.
    pub id: String,
    /// Its words.
    pub text: String,
    /// The headings it stands under, from the outside in, without the title.
    pub headings: Vec<String>,
    /// Its lines.
    pub lines: LineRange,
    /// How sure we are.
    pub confidence: Confidence,
    /// What made us think so.
    pub signal: Signal,
    /// Whether it stands in a quotation.
    #[serde(default)]
    pub quoted: bool,
}

/// How sure we are that something is a requirement.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Confidence {
    /// It informs; it asks for nothing.
    Context,
    /// It reads like one.
    Medium,
    /// It says so.
    High,
}

/// What made us think so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Signal {
    /// An item below a heading "Requirements".
    Section,
    /// MUST, SHALL, SHOULD, MAY; and, less sure, "must" in a sentence.
    Keyword,
    /// "As a …, I want …".
    Story,
    /// An item below "Acceptance criteria".
    Acceptance,
    /// "Implement", "create", "support".
    Verb,
    /// A check box.
    Checkbox,
    /// An item below "Features", "Deliverables", "Scope", "Tasks".
    Feature,
    /// A goal.
    Goal,
    /// A constraint.
    Constraint,
    /// Architecture.
    Architecture,
    /// Expressly not wanted.
    OutOfScope,
    /// Something outside that is needed.
    External,
}

/// Reads a document, requirements first, context behind.
pub fn detect(text: &str) -> Vec<Requirement> {
    let from = super::document::split(text).map_or(0, |(_, body)| text.len() - body.len());
    let mut found = Vec::new();
    blocks(&Outline::read(text, from), &mut Vec::new(), &mut found);
    found.truncate(MOST_REQUIREMENTS);
    for (place, one) in found.iter_mut().enumerate() {
        one.id = format!("R-{:03}", place + 1);
    }
    found
}

fn blocks(outline: &Outline<'_>, trail: &mut Vec<(u8, String)>, found: &mut Vec<Requirement>) {
    for block in &outline.blocks {
        match &block.content {
            Content::Heading(level) => {
                trail.retain(|(higher, _)| higher < level);
                trail.push((*level, plain(outline.heading(block).0)));
            }
            Content::List(items) => {
                items.iter().for_each(|item| one(outline, trail, item, true, found))
            }
            Content::Paragraph => {
                trail.retain(|(level, _)| *level < LABEL);
                match label(outline.source(&block.range)) {
                    Some(words) => trail.push((LABEL, words)),
                    None => sentences(outline, trail, &block.range, found),
                }
            }
            Content::Table(rows) => rows.iter().skip(1).for_each(|row| {
                if let (Some(first), Some(last)) = (row.first(), row.last()) {
                    one(outline, trail, &(first.start..last.end), false, found);
                }
            }),
            Content::Other => quotation(outline, trail, &block.range, found),
            Content::Code { .. } | Content::Rule => {}
        }
        if found.len() >= MOST_REQUIREMENTS {
            break;
        }
    }
}

/// What a quotation asks for is asked for like anything else. Its marks are taken off and it is read as a document, so
/// that its lists and headings are what they are; nothing that is left of it is a quotation again.
fn quotation(
    outline: &Outline<'_>,
    trail: &[(u8, String)],
    range: &Range<usize>,
    found: &mut Vec<Requirement>,
) {
    let source = outline.source(range);
    if !source.trim_start().starts_with('>') {
        return;
    }
    let bare: String = source.lines().map(|line| unquoted(line) + "\n").collect();
    let mut inner = Vec::new();
    blocks(&Outline::read(&bare, 0), &mut trail.to_vec(), &mut inner);
    let above = outline.line(range.start).saturating_sub(1);
    found.extend(inner.into_iter().map(|one| {
        let lines = LineRange { first: one.lines.first + above, last: one.lines.last + above };
        Requirement { lines, quoted: true, ..one }
    }));
}

/// A line without the marks of a quotation, and nothing of one that only says of what sort it is (`[!NOTE]`).
fn unquoted(line: &str) -> String {
    let mut bare = line;
    while let Some(rest) = bare.trim_start().strip_prefix('>') {
        bare = rest.strip_prefix(' ').unwrap_or(rest);
    }
    let sort = bare.trim().strip_prefix("[!").and_then(|rest| rest.strip_suffix(']'));
    let sort = sort.is_some_and(|sort| sort.chars().all(char::is_alphabetic));
    if sort { String::new() } else { bare.to_owned() }
}

/// The level of a label above a list, below all headings.
const LABEL: u8 = 7;

/// A line "Acceptance criteria:" above a list.
fn label(text: &str) -> Option<String> {
    let words = plain(text);
    let bare = words.strip_suffix(':')?;
    let names = section(&[(LABEL, bare.to_owned())]).map(|(signal, _)| signal);
    (names == Some(Signal::Acceptance) && bare.split_whitespace().count() <= 4)
        .then(|| bare.to_owned())
}

fn one(
    outline: &Outline<'_>,
    trail: &[(u8, String)],
    range: &Range<usize>,
    item: bool,
    found: &mut Vec<Requirement>,
) {
    let source = outline.source(range);
    let mut inner = Vec::new();
    let text = match item {
        true => item_text(source),
        false => source
            .split('|')
            .map(str::trim)
            .filter(|cell| !cell.is_empty())
            .collect::<Vec<_>>()
            .join(": "),
    };
    let (text, boxed) = unboxed(unmarked(&text));
    let (text, accepted) = with_acceptance(text);
    for line in accepted {
        let (text, _) = unboxed(unmarked(line));
        let (signal, confidence) = (Signal::Acceptance, Confidence::High);
        inner.push(made(outline, trail, text, range, signal, confidence));
    }
    let text = text.as_str();
    // A label over nothing asks for nothing.
    let empty = text.trim_end_matches(['*', '_', ' ']);
    let empty = empty.is_empty() || empty.ends_with(':') && !empty.contains('\n');
    if let Some((signal, confidence)) =
        classify(text, trail, boxed.is_some(), true).filter(|_| !empty)
    {
        found.push(made(outline, trail, text, range, signal, confidence));
    }
    found.extend(inner);
}

/// A story and its own acceptance criteria, which may be listed below it.
fn with_acceptance(text: &str) -> (String, Vec<&str>) {
    const LABELS: [&str; 2] = ["acceptance criteria:", "acceptance criteria**:"];
    let mut lines = text.lines();
    let mut story: Vec<&str> = Vec::new();
    for line in lines.by_ref() {
        let lower = line.to_ascii_lowercase();
        if let Some(label) = LABELS.iter().find(|label| lower.trim_end().ends_with(*label)) {
            let words = &line[..lower.trim_end().len() - label.len()];
            story.push(words.trim_end_matches(['*', ' ', '-', '_']));
            break;
        }
        story.push(line);
    }
    (story.join("\n").trim_end().to_owned(), lines.collect())
}

/// Sentences of running text count by their own words only; a section gives context.
fn sentences(
    outline: &Outline<'_>,
    trail: &[(u8, String)],
    range: &Range<usize>,
    found: &mut Vec<Requirement>,
) {
    let source = outline.source(range);
    let mut at = 0;
    while at < source.len() {
        let rest = source.get(at..).unwrap_or_default();
        let mut ends = rest.match_indices('.').map(|(step, _)| at + step + 1);
        let ended = |end: &usize| {
            source.get(*end..).is_some_and(|rest| rest.starts_with(char::is_whitespace))
        };
        let end = ends.find(ended).unwrap_or(source.len());
        let part = source[at..end].trim();
        let start = at + source[at..end].find(part).unwrap_or(0);
        let text = part.split_whitespace().collect::<Vec<_>>().join(" ");
        if let Some((signal, confidence)) =
            classify(&text, trail, false, false).filter(|_| !text.is_empty())
        {
            let place = range.start + start..range.start + start + part.len();
            found.push(made(outline, trail, &text, &place, signal, confidence));
        }
        at = end.max(at + 1);
        while at < source.len() && !source.is_char_boundary(at) {
            at += 1;
        }
    }
}

fn made(
    outline: &Outline<'_>,
    trail: &[(u8, String)],
    text: &str,
    range: &Range<usize>,
    signal: Signal,
    confidence: Confidence,
) -> Requirement {
    let inner = trail.iter().filter(|(level, _)| *level > 1);
    Requirement {
        id: String::new(),
        text: text.trim().to_owned(),
        headings: inner.map(|(_, heading)| heading.clone()).collect(),
        lines: outline.lines(range),
        confidence,
        signal,
        quoted: false,
    }
}

impl Requirement {
    /// Its id, and where it stands.
    pub fn place(&self) -> String {
        let quoted = if self.quoted { ", in a quotation" } else { "" };
        format!("{}, line {}{quoted}", self.id, self.lines.first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signals_have_a_place_and_a_confidence() {
        let text = "\
# Shop

The shop sells things. It MUST accept cards. It is nice.
Orders must survive a restart. You must install it first. Today people must call.

## Requirements
1. Show the cart
2. Empty the cart

## Features
- Search by name
- [ ] Sort by price

## Notes
- Add a page for errors
- blue is fine
- As a visitor, I want to pay, so that it is mine

## Goals
- Sell more

## Out of scope
- Implement refunds
";
        let found = detect(text);
        let rows: Vec<_> = found
            .iter()
            .map(|one| {
                (one.id.as_str(), one.text.as_str(), one.signal, one.confidence, one.lines.first)
            })
            .collect();
        use Confidence::{Context, High, Medium};
        let expected = [
            ("R-001", "It MUST accept cards.", Signal::Keyword, High, 3),
            ("R-002", "Orders must survive a restart.", Signal::Keyword, Medium, 4),
            ("R-003", "Show the cart", Signal::Section, High, 7),
            ("R-004", "Empty the cart", Signal::Section, High, 8),
            ("R-005", "Search by name", Signal::Feature, Medium, 11),
            ("R-006", "Sort by price", Signal::Checkbox, Medium, 12),
            ("R-007", "Add a page for errors", Signal::Verb, Medium, 15),
            ("R-008", "As a visitor, I want to pay, so that it is mine", Signal::Story, High, 17),
            ("R-009", "Sell more", Signal::Goal, Context, 20),
            ("R-010", "Implement refunds", Signal::OutOfScope, Context, 23),
        ];
        assert_eq!(rows, expected);
        assert_eq!(found[2].headings, ["Requirements"]);
    }
    /// A quotation asks like running text, with its own lines, whatever stands in it.
    #[test]
    fn what_is_quoted_is_asked_for() {
        let text = "\
# Shop

> [!NOTE]
> The tool MUST print its
> version. It is nice.
>
> > ## Features
> > - Search by name

- Not quoted: it MUST be fast

> [!
";
        let found = detect(text);
        let rows: Vec<_> = found
            .iter()
            .map(|one| (one.text.as_str(), one.signal, one.lines.first, one.lines.last, one.quoted))
            .collect();
        let expected = [
            ("The tool MUST print its version.", Signal::Keyword, 4, 5, true),
            ("Search by name", Signal::Feature, 8, 8, true),
            ("Not quoted: it MUST be fast", Signal::Keyword, 10, 10, false),
        ];
        assert_eq!(rows, expected);
        assert_eq!(found[1].headings, ["Features"]);
        assert!(found[2].headings.is_empty(), "a heading in a quotation ends with it");
    }
}
