//! What the user should look at, beside the source.

use super::build::{bare, is_kept};
use super::check::is_invented;
use super::outline::Form;
use super::spans::{EdgeKind, Kind};
use super::view::View;
use crate::plan::clause;
use crate::plan::model::{Command, Plan};
use crate::vocab::json::{Readable, Serialize};
use crate::vocab::word::words;
use schemars::JsonSchema;
use std::collections::{BTreeMap, BTreeSet};

/// What an import came to. Lines are those of the source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ImportReview")]
pub struct Review {
    /// How many spans of each kind there are.
    pub counts: BTreeMap<Kind, u32>,
    /// What no rule can decide, in order.
    pub shown: Vec<Shown>,
}

/// Something to look at.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Readable, JsonSchema)]
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

words! {
    /// Why something is shown.
    #[schemars(rename = "ImportWhy")]
    Why {
        Notes "notes" "A line of notes. A requirement in flowing prose looks like this in every language.";
        NotRun "not_run" "Code with a space in it that is not run.";
        Run "run" "A command that the plan runs; before it the sentence of one that the role named, which may say something else.";
        Status "status" "The words that set the status of a sprint.";
        Mention "mention" "A label that is named and not waited for.";
        Nothing "nothing" "The words that say that nothing is waited for.";
        Added "added" "A label or name that the role invented.";
    }
}

pub(super) fn review(view: &View, plan: &Plan) -> Review {
    let (mut counts, mut shown) = (BTreeMap::new(), Vec::new());
    let mut show = |byte: usize, why: Why, text: &str| {
        let (line, column) = view.outline.place(byte);
        shown.push(Shown { line, column, why, text: text.to_owned() });
    };
    for span in view.all().map(|one| one.1) {
        let at = span.at.start;
        *counts.entry(span.kind).or_default() += 1;
        for edge in &span.edges {
            match edge.kind {
                EdgeKind::After => {}
                EdgeKind::Mention => show(at, Why::Mention, &edge.label),
                EdgeKind::Nothing => show(at, Why::Nothing, &edge.label),
            }
        }
        if matches!(span.kind, Kind::Done | Kind::Deferred) {
            show(at, Why::Status, view.text(span));
        }
        if span.kind == Kind::Command {
            // With its sentence: that may say something else.
            let line = view.outline.line(view.outline.line_of(at));
            show(at, Why::Run, view.outline.slice(line).trim());
        }
        if span.kind == Kind::Sprint && is_invented(view, span) {
            let said = [&span.label, &span.name].map(|one| one.as_deref().unwrap_or_default());
            show(at, Why::Added, said.join(" ").trim());
        }
    }
    let criteria = plan.sprints().flat_map(|(_, sprint)| sprint.entry.iter().chain(&sprint.exit));
    let commands: Vec<(u32, &Command)> =
        criteria.flat_map(|one| one.commands.iter().map(|run| (one.lines.first, run))).collect();
    let run: BTreeSet<(u32, &str)> =
        commands.iter().map(|(line, run)| (*line, run.line.as_str())).collect();
    for code in view.outline.blocks.iter().filter(|one| one.form == Form::Code) {
        let text = bare(view, &code.at);
        let first =
            view.over(code.at.clone()).next().map_or(0, |one| view.outline.place(one.at.start).0);
        if text.contains(char::is_whitespace) && !run.contains(&(first, text.as_str())) {
            show(code.at.start, Why::NotRun, &text);
        }
    }
    for number in (0..view.outline.lines()).filter(|line| is_kept(view, *line)) {
        let at = view.outline.line(number);
        let text = view.outline.slice(at.clone());
        if text.contains(char::is_alphanumeric) {
            show(at.start, Why::Notes, text);
        }
    }
    shown.extend(commands.iter().map(|(line, run)| {
        let (column, why) = (1, Why::Run);
        Shown { line: *line, column, why, text: clause::clause(run) }
    }));
    shown.sort();
    Review { counts, shown }
}
