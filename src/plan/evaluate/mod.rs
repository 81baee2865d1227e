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

use super::contents::astray;
use super::edit::{Edits, relabel};
use super::held::{followed, renamed, strays};
use super::joined::named;
use super::judge::{Answers, PlanQuestion};
use super::model::{Plan, Sprint};
use super::outline::Outline;
use super::prioritize::{front_end, is_numbered, renumbered, sound};
use super::quality::{SprintCheck, checks};
use super::read::parse;
use super::recount::recount;
use crate::vocab::error::Result;
use anchors::{anchors, follow, is_linked, own_links};
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

/// What is joined may leave room to join more; so often it is looked at again.
const MOST_ROUNDS: u32 = 8;

/// Why the number of a sprint must stay.
const FIXED: &str = "a sprint that would get another number is named where that cannot follow";

/// Checks and mends a plan.
///
/// # Errors
/// The first fault of the plan: nothing is changed in what cannot be read.
pub fn evaluate(text: &str, budget: u32, answers: &Answers) -> Result<Evaluated> {
    let plan = sound(text)?;
    let (before, asked) = checks(&plan, budget, answers);
    let mut work = Work {
        text: text.to_owned(),
        plan: plan.clone(),
        budget,
        answers,
        fixes: Vec::new(),
        left: asked,
        undone: Vec::new(),
        refused: BTreeSet::new(),
        numbered: plan.sprints().all(is_numbered),
    };
    work.words()?;
    work.while_changing(Work::split);
    // Each part gets its own files; with them it may be too large after all.
    work.missing()?;
    work.while_changing(Work::split);
    work.joins();
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
    /// The labels of the plan are numbers, and are given anew.
    numbered: bool,
}

impl Work<'_> {
    fn while_changing(&mut self, change: fn(&mut Self) -> bool) {
        let mut passes = 0;
        let was = self.anchors();
        while passes < MOST_PASSES && change(self) {
            passes += 1;
        }
        self.follow(was, self.anchors());
    }

    /// Sets links at the new anchors of the sprints they were to.
    fn follow(&mut self, was: Option<Vec<(String, String)>>, now: Option<Vec<(String, String)>>) {
        let (Some(was), Some(now)) = (was, now) else { return };
        let text = follow(&self.text, &was, &now);
        if text != self.text
            && let Ok(plan) = sound(&text)
        {
            (self.text, self.plan) = (text, plan);
        }
    }

    /// Joins what is too small and counts anew, until there is nothing more to join.
    fn joins(&mut self) {
        let mut changed = self.fixes.iter().any(|fix| fix.kind == FixKind::Split);
        for _ in 0..MOST_ROUNDS {
            let many = self.fixes.len();
            self.while_changing(Work::merge);
            if !changed && self.fixes.len() == many {
                return;
            }
            self.numbers();
            self.refused.retain(|(kind, _)| *kind != FixKind::Merged);
            changed = false;
        }
    }

    /// The sprints that cannot be joined with the one before or split, since then a sprint would get another number
    /// that is named where it cannot follow: all up to the last such sprint if they are counted.
    fn fixed(&self) -> BTreeSet<String> {
        let outline = self.outline();
        let named = named(&outline, &self.plan, &own_links(&outline, &self.plan));
        let all: Vec<&Sprint> = self.plan.sprints().collect();
        let last = all.iter().rposition(|one| named.contains(&one.id));
        match last.filter(|_| self.numbered) {
            Some(last) => all[..=last].iter().map(|one| one.id.clone()).collect(),
            None => named,
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
        let fix = Fix { kind, sprint: sprint.to_owned(), what };
        if !self.undone.contains(&fix) {
            self.undone.push(fix);
        }
    }

    fn outline(&self) -> Outline<'_> {
        Outline::read(&self.text, front_end(&self.text, &self.plan))
    }

    /// The plan of a text with new labels, if everybody waits for the same and is asked for the same.
    fn still(&self, text: &str, labels: &BTreeMap<String, String>) -> Option<Plan> {
        let read = sound(text).ok()?;
        let waits = strays(&followed(&self.plan, labels), &read.dependencies).is_empty();
        let id = |id: &str| renamed(id, labels);
        let same = astray(&self.plan, &read, id, &BTreeSet::new()).is_none();
        (waits && same).then_some(read)
    }

    /// Numbers in sequence, for the number of sprints changed.
    fn numbers(&mut self) {
        let order: Vec<String> = self.plan.sprints().map(|one| one.id.clone()).collect();
        let mut edits = Edits::default();
        let labels = renumbered(&self.plan, &order, self.numbered);
        let brief = parse(&self.text).labels;
        relabel(&self.outline(), &self.plan, &brief, &labels, &mut edits);
        let was = self.anchors();
        let text = edits.apply(&self.text);
        // Labels such as `3a` are as good; waits that nobody asked for are not.
        let Some(plan) = self.still(&text, &labels) else { return };
        // Links know sprints by their places here, since their ids are new.
        let places = |all: Option<Vec<(String, String)>>| {
            let all = all?.into_iter().enumerate();
            Some(all.map(|(place, (_, to))| (place.to_string(), to)).collect::<Vec<_>>())
        };
        (self.text, self.plan) = (text, plan);
        self.follow(places(was), places(self.anchors()));
    }
}
