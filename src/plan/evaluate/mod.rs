//! Mends the sprints of a plan: vague criteria become checks, missing ones are added, what is too large or
//! about two things is split, what is too small joins its neighbour, and numbers follow.
//!
//! All changes of one kind are made together and the document is read again once; a change after which the
//! document cannot be read, or does not say what was meant, is taken back (see [`settle`]). No change makes a
//! criterion weaker. What needs a judgement and has no answer stays as it is and is told.

mod anchors;
mod commands;
mod merge;
mod settle;
mod split;
mod words;

pub(super) use commands::{Commands, criteria_for};

use super::edit::{Edits, relabel};
use super::held::{followed, strays};
use super::judge::{Answers, PlanQuestion};
use super::model::Plan;
use super::outline::Outline;
use super::prioritize::{front_end, is_numbered, renumbered, sound};
use super::quality::{SprintCheck, checks};
use super::read::parse;
use super::recount::recount;
use crate::vocab::error::Result;
use anchors::{anchors, follow, is_linked};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// The turns an agent has if nobody says otherwise.
pub const BUDGET: u32 = 50;

/// A plan that was checked and mended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Evaluated {
    /// The document.
    pub text: String,
    /// What was found before anything was changed.
    pub before: Vec<SprintCheck>,
    /// What is found now.
    pub after: Vec<SprintCheck>,
    /// What was changed, in order.
    pub fixes: Vec<Fix>,
    /// What was left to judge.
    pub left: Vec<PlanQuestion>,
    /// What was tried and taken back, since somebody would have waited for others.
    #[serde(default)]
    pub undone: Vec<Fix>,
}

/// A change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Fix {
    /// What was done.
    pub kind: FixKind,
    /// To which sprint, by its id at that time.
    pub sprint: String,
    /// In words.
    pub what: String,
}

/// The kinds of change.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum FixKind {
    /// A vague criterion was worded anew.
    Reworded,
    /// A criterion was added.
    Added,
    /// A sprint became two.
    Split,
    /// Two sprints became one.
    Merged,
}

/// More passes over one document than this are none that help: halves of halves of halves.
const MOST_PASSES: u32 = 16;

/// Checks and mends a plan.
///
/// # Errors
/// The first fault of the plan: nothing is changed in what cannot be read.
pub fn evaluate(text: &str, budget: u32, answers: &Answers) -> Result<Evaluated> {
    let plan = sound(text)?;
    let (before, asked) = checks(&plan, budget, answers);
    let numbered = plan.sprints().all(is_numbered);
    let mut work = Work {
        text: text.to_owned(),
        plan: plan.clone(),
        budget,
        answers,
        fixes: Vec::new(),
        left: asked,
        undone: Vec::new(),
        refused: BTreeSet::new(),
    };
    work.words()?;
    work.while_changing(Work::split);
    // Each part gets its own files; with them it may be too large after all.
    work.missing()?;
    work.while_changing(Work::split);
    work.while_changing(Work::merge);
    work.numbers(numbered);
    work.text = recount(&plan, &work.text)?;
    let (after, _) = checks(&sound(&work.text)?, budget, answers);
    let Work { text, fixes, left, undone, .. } = work;
    Ok(Evaluated { text, before, after, fixes, left, undone })
}

/// A document on its way.
struct Work<'a> {
    text: String,
    /// What was read of the text, as it is now.
    plan: Plan,
    budget: u32,
    answers: &'a Answers,
    fixes: Vec<Fix>,
    left: Vec<PlanQuestion>,
    undone: Vec<Fix>,
    /// What was tried and taken back.
    refused: BTreeSet<(FixKind, String)>,
}

impl Work<'_> {
    fn while_changing(&mut self, change: fn(&mut Self) -> bool) {
        let mut passes = 0;
        let was = self.anchors();
        while passes < MOST_PASSES && change(self) {
            passes += 1;
        }
        if let (Some(was), Some(now)) = (was, self.anchors()) {
            self.text = follow(&self.text, &was, &now);
        }
    }

    /// The anchors of the sprints, if the document has links to them.
    fn anchors(&self) -> Option<Vec<(String, String)>> {
        is_linked(&self.text).then(|| anchors(&self.outline(), &self.plan))
    }

    fn fix(&mut self, kind: FixKind, sprint: &str, what: String) {
        self.fixes.push(Fix { kind, sprint: sprint.to_owned(), what });
    }

    /// Tells of a change that was taken back.
    fn leave(&mut self, kind: FixKind, sprint: &str, what: String) {
        self.undone.push(Fix { kind, sprint: sprint.to_owned(), what });
    }

    fn outline(&self) -> Outline<'_> {
        Outline::read(&self.text, front_end(&self.text, &self.plan))
    }

    /// Whether everybody waits for the same in a text with new labels.
    fn still_waits(&self, text: &str, labels: &BTreeMap<String, String>) -> bool {
        let read = sound(text).map(|plan| plan.dependencies);
        read.is_ok_and(|now| strays(&followed(&self.plan, labels), &now).is_empty())
    }

    /// Numbers in sequence, if the number of sprints changed.
    fn numbers(&mut self, numbered: bool) {
        let changed =
            self.fixes.iter().any(|fix| matches!(fix.kind, FixKind::Split | FixKind::Merged));
        if changed {
            let order: Vec<String> = self.plan.sprints().map(|one| one.id.clone()).collect();
            let mut edits = Edits::default();
            let labels = renumbered(&self.plan, &order, numbered);
            let brief = parse(&self.text).labels;
            relabel(&self.outline(), &self.plan, &brief, &labels, &mut edits);
            let was = self.anchors();
            let text = edits.apply(&self.text);
            if !self.still_waits(&text, &labels) {
                // Labels such as `3a` are as good; waits that nobody asked for are not.
                return;
            }
            self.text = text;
            // No line is moved, so the sprints are where they were.
            if let (Some(was), Some(now)) = (was, self.anchors()) {
                self.text = follow(&self.text, &was, &now);
            }
        }
    }
}

#[cfg(test)]
mod tests;
