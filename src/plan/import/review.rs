//! What the user should look at, beside the source.

use super::build::{bare, is_kept};
use super::check::is_invented;
use super::spans::{EdgeKind, Kind};
use super::view::View;
use crate::plan::model::Plan;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// What an import came to. Lines are those of the source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ImportReview")]
pub struct Review {
    /// How many spans of each kind there are.
    pub counts: BTreeMap<Kind, u32>,
    /// Where each of them stands, in order.
    pub elements: Vec<Element>,
    /// What no rule can decide, in order.
    pub shown: Vec<Shown>,
}

/// An element of the plan and its place in the source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ImportElement")]
pub struct Element {
    /// What it is.
    pub kind: Kind,
    /// Its first line, from 1.
    pub first: u32,
    /// Its last line.
    pub last: u32,
}

/// Something to look at.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ImportShown")]
pub struct Shown {
    /// Its line, from 1.
    pub line: u32,
    /// Its column in characters, from 1.
    pub column: u32,
    /// Why it is shown.
    pub why: Why,
    /// Its text in the source.
    pub text: String,
}

/// Why something is shown. Of a line of notes the first that fits is told.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "ImportWhy")]
pub enum Why {
    /// A line of notes with a check box.
    NotesBox,
    /// A heading that is notes.
    NotesHeading,
    /// A line of notes with code.
    NotesCode,
    /// A line of notes with a number.
    NotesNumber,
    /// A line of notes that is words only. A requirement in flowing prose looks like this in every language.
    NotesWords,
    /// Code with a space in it that is not run.
    NotRun,
    /// A command that is run because the role said so; its words have no ending that says it.
    Run,
    /// A label that is named and not waited for.
    Mention,
    /// The words that say that nothing is waited for.
    Nothing,
    /// A label or name that the role invented.
    Added,
}

pub(super) fn review(view: &View, plan: &Plan) -> Review {
    let (mut counts, mut elements, mut shown) = (BTreeMap::new(), Vec::new(), Vec::new());
    let line = |byte: usize| view.outline.place(byte).0;
    let mut show = |byte: usize, why: Why, text: &str| {
        let (line, column) = view.outline.place(byte);
        shown.push(Shown { line, column, why, text: text.to_owned() });
    };
    for span in view.ordered().map(|one| one.1).chain(view.nested.iter().copied()) {
        let at = span.at.start;
        *counts.entry(span.kind).or_default() += 1;
        let (first, last) = (line(at), line(span.at.end.saturating_sub(1)));
        elements.push(Element { kind: span.kind, first, last });
        for (kind, _, label) in span.edges.iter().filter(|edge| edge.0 != EdgeKind::After) {
            show(at, if *kind == EdgeKind::Mention { Why::Mention } else { Why::Nothing }, label);
        }
        if span.kind == Kind::Command {
            show(at, Why::Run, &bare(view, &span.at));
        }
        if span.kind == Kind::Sprint && (is_invented(view, span) || span.name.is_some()) {
            let said = [&span.label, &span.name].map(|one| one.as_deref().unwrap_or_default());
            show(at, Why::Added, said.join(" ").trim());
        }
    }
    elements.sort_by_key(|one| (one.first, one.last));
    let criteria = plan.sprints().flat_map(|(_, sprint)| sprint.entry.iter().chain(&sprint.exit));
    let run: BTreeSet<(u32, &str)> = criteria
        .flat_map(|one| one.commands.iter().map(|run| (one.lines.first, run.line.as_str())))
        .collect();
    for code in &view.outline.codes {
        let text = bare(view, code);
        let first = view.first_in(code).map_or(0, |one| line(one.at.start));
        if text.contains(char::is_whitespace) && !run.contains(&(first, text.as_str())) {
            show(code.start, Why::NotRun, &text);
        }
    }
    for number in (0..view.outline.lines()).filter(|line| is_kept(view, *line)) {
        let at = view.outline.line(number);
        let text = view.outline.slice(at.clone());
        if let Some(why) = why(view, at.start, text) {
            show(at.start, why, text);
        }
    }
    shown.sort();
    Review { counts, elements, shown }
}

/// Why a line of notes is shown; `None` if it says nothing.
fn why(view: &View, start: usize, text: &str) -> Option<Why> {
    let boxed = ["[ ]", "[x]", "[X]"].iter().any(|mark| text.contains(mark));
    let level = view.outline.level(start + text.len() - text.trim_start().len());
    let code = text.contains('`') || view.outline.fence(start).is_some();
    let marks = [
        (boxed, Why::NotesBox),
        (level.is_some(), Why::NotesHeading),
        (code, Why::NotesCode),
        (text.contains(char::is_numeric), Why::NotesNumber),
        (true, Why::NotesWords),
    ];
    marks.into_iter().find(|mark| mark.0 && text.contains(char::is_alphanumeric)).map(|mark| mark.1)
}
