//! What the role returns: labelled places of the source, nothing else. The engine copies the text.

use super::outline::{Outline, trimmed};
use super::{Fault, Rule};
use crate::plan::yaml::count;
use crate::vocab::json::{Readable, Serialize};
use crate::vocab::word::words;
use schemars::JsonSchema;
use std::ops::{Deref, Range};

/// The longest answer that is read, in bytes.
pub const MOST_ANSWER: usize = 4 * 1024 * 1024;

/// The answer of the role: every element of the source.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ImportSpans")]
pub struct Spans {
    /// Each element, in any order.
    pub spans: Vec<Span>,
}

/// A place of the source and what it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ImportSpan")]
pub struct Span {
    /// What it is.
    pub kind: Kind,
    /// The number of the span it belongs to; null for none.
    #[serde(default)]
    pub parent: Option<u32>,
    /// Its first character as `line:column`, both from 1; `line` alone for the first of that line.
    pub from: String,
    /// Its last character, in the same way; `line` alone for the last of that line.
    pub to: String,
    /// Whom a line of dependencies or an entry criterion names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub edges: Vec<Edge>,
    /// The label of a sprint, as the span says it; invented only where the span has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// The name of a sprint whose span says nothing but a label.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

words! {
    /// What a span is.
    #[schemars(rename = "ImportKind")]
    Kind {
        Title "title" "The title of the plan.";
        Unit "unit" "The heading of a work unit.";
        Sprint "sprint" "The line that names a sprint.";
        Task "task" "Something to do.";
        ExitCriterion "exit_criterion" "What must hold before a sprint is done.";
        EntryCriterion "entry_criterion" "What must hold before a sprint starts.";
        Command "command" "A command of a criterion that must succeed.";
        DependsOn "depends_on" "A line that says what a sprint or unit waits for.";
        Directory "directory" "The directory of a unit.";
        Done "done" "The words that say that a sprint is finished.";
        Deferred "deferred" "The words that say that a sprint is put off.";
        Notes "notes" "Anything else.";
    }
    /// What a line says of a label in it.
    #[schemars(rename = "ImportEdgeKind")]
    EdgeKind {
        After "after" "The sprint or unit must be completed before.";
        Mention "mention" "It is named, but not waited for; or the word is no label at all.";
        Nothing "nothing" "Nothing is waited for.";
    }
}

impl Kind {
    /// Unit or sprint.
    pub(super) fn is_section(self) -> bool {
        matches!(self, Kind::Unit | Kind::Sprint)
    }

    /// Entry or exit criterion.
    pub(super) fn is_criterion(self) -> bool {
        matches!(self, Kind::ExitCriterion | Kind::EntryCriterion)
    }
}

/// Whom a line names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ImportEdge")]
pub struct Edge {
    /// What the line says of it.
    pub kind: EdgeKind,
    /// The number of its span; null for `nothing`.
    #[serde(default)]
    pub span: Option<u32>,
    /// Its exact label; for `nothing`, the word that says so.
    pub label: String,
}

/// A span at its place.
#[derive(Clone, Debug)]
pub(super) struct Located {
    span: Span,
    /// Bytes of the source; empty if the span was dropped.
    pub(super) at: Range<usize>,
}

impl Deref for Located {
    type Target = Span;

    fn deref(&self) -> &Span {
        &self.span
    }
}

/// The spans at their places. Their numbers go on from those of `known`, the spans of earlier parts, of which they may name
/// units and sprints. A span with a fault is dropped and told.
pub(super) fn locate(
    outline: &Outline,
    part: (usize, usize),
    spans: Vec<Span>,
    known: &[Located],
) -> (Vec<Located>, Vec<Fault>) {
    let all = known.len() + spans.len();
    let is_one = |number: &u32| {
        let place = usize::try_from(*number).ok().filter(|place| *place < all);
        place.is_some_and(|place| known.get(place).is_none_or(|one| one.kind.is_section()))
    };
    let mut faults = Vec::new();
    let located = (known.len()..).zip(spans).map(|(number, span)| {
        let mut told = span.edges.iter().filter_map(|edge| edge.span).chain(span.parent);
        let unknown = told.find(|number| !is_one(number));
        let place = match unknown {
            Some(unknown) => Err(format!("the number of a span, not {unknown}")),
            None => range(outline, part, &span),
        };
        let at = place.unwrap_or_else(|expected| {
            let line = span.from.split(':').next().and_then(|line| line.parse().ok());
            let line = count(line.unwrap_or(0_usize).clamp(part.0 + 1, part.1 + 1));
            let got = format!("span {number}: {:.40} to {:.40}", span.from, span.to);
            faults.push(Fault { rule: Rule::I1, line, column: 1, expected, got });
            0..0
        });
        Located { span, at }
    });
    (located.collect(), faults)
}

/// The bytes of a span without the marks before its first line, or what was expected.
fn range(outline: &Outline, part: (usize, usize), span: &Span) -> Result<Range<usize>, String> {
    let (start, end) =
        (byte(outline, part, &span.from, false)?, byte(outline, part, &span.to, true)?);
    let letter = |at: usize| outline.slice(at..outline.text.len()).chars().next();
    let blank = |place: &str, at| place.contains(':') && letter(at).is_none_or(char::is_whitespace);
    if start > end || blank(&span.from, start) || blank(&span.to, end) {
        return Err(
            "a span that begins and then ends with a character that is not blank".to_owned()
        );
    }
    let end = end + letter(end).map_or(0, char::len_utf8);
    let numbers = !span.kind.is_section();
    let text = outline.text_start(outline.line_of(start), numbers);
    Ok(trimmed(&outline.text, start.max(text.min(end))..end))
}

/// The first or, at the `end`, the last byte of a place within the lines of a part.
fn byte(outline: &Outline, part: (usize, usize), place: &str, end: bool) -> Result<usize, String> {
    let number = |text: &str| text.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
    let (line, column) = place.split_once(':').unwrap_or((place, ""));
    let within = number(line).filter(|line| (part.0..=part.1).contains(line));
    let line = within.ok_or_else(|| format!("a line from {} to {}", part.0 + 1, part.1 + 1))?;
    let at = outline.line(line);
    let text = outline.slice(at.clone());
    let column = match place.contains(':') {
        true => number(column).and_then(|column| text.char_indices().nth(column)),
        false => text.trim_end().char_indices().next_back().filter(|_| end).or(Some((0, ' '))),
    };
    let most = || format!("a column of that line, 1 to {}", text.chars().count());
    column.map(|(byte, _)| at.start + byte).ok_or_else(most)
}
