//! Puts a plan in order (seed 16d to 16f): within each unit the most urgent sprint of those that may run comes first.
//! Everybody waits for the same as before, and all content stays. Layers follow from what units wait for and are as low as
//! that allows in every canonical plan, so there is none to adjust (seed 16f).

use super::super::graph;
use super::super::judge::{Answers, PlanQuestion};
use super::super::model::{Plan, Sprint, Unit, id};
use super::super::order::circle;
use super::fields::{Filled, fill};
use super::links::Links;
use super::renumber::{Labels, relabel, sequence};
use super::score::{Score, scores};
use super::{Field, Number, count};
use crate::vocab::error::{Code, Error, Result};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// A plan that was put in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prioritized {
    /// The plan in its new order, with new numbers and a line `Priority` for each score that is known.
    pub plan: Plan,
    /// Its sprints, in their new order.
    pub rows: Vec<Row>,
    /// Lines `Priority` that gave way to another.
    pub replaced: Vec<Replaced>,
    /// Fields that answers filled in.
    pub filled: Vec<Filled>,
    /// What was left to judge.
    pub questions: Vec<PlanQuestion>,
}

/// A sprint in its new place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Row {
    /// Its unit.
    pub unit: String,
    /// The label it has now.
    pub label: String,
    /// The label it had.
    pub was: String,
    /// Its name.
    pub name: String,
    /// Its place in the plan, from 1.
    pub place: u32,
    /// Its place before.
    pub place_was: u32,
    /// Its score; `None` of what is done or put off.
    pub score: Option<Score>,
}

/// What was said of a priority and no longer stands in the plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Replaced {
    /// The sprint, by the id it had.
    pub sprint: String,
    /// The words.
    pub text: String,
}

/// Scores a plan and puts it in order.
///
/// # Errors
/// `dependency_cycle` if sprints wait for each other in a circle.
pub fn prioritize(plan: &Plan, answers: &Answers) -> Result<Prioritized> {
    let mut filled = plan.clone();
    let asked = fill(&mut filled, &[Field::Files, Field::Risk], answers);
    let links = Links::of(&filled);
    if let Some(circle) = circle(&filled) {
        let expected = "sprints that do not wait for each other in a circle";
        return Err(Error::new(Code::DependencyCycle, "", expected, circle.join(" → ")));
    }
    let (scores, left) = scores(&filled, &links, answers);
    let by_id: BTreeMap<&str, &Score> =
        scores.iter().map(|one| (one.sprint.as_str(), one)).collect();
    let replaced = annotate(&mut filled, &by_id);
    let mut sorted = sorted(&filled, &links, &by_id);
    let moved = |(was, now): (&Unit, &Unit)| {
        let labels = |unit: &Unit| unit.sprints.iter().map(|one| one.label.clone()).collect();
        let (before, after): (Vec<_>, Vec<_>) = (labels(was), labels(now));
        (before != after).then(|| was.name.clone())
    };
    let changed: BTreeSet<String> =
        filled.units.iter().zip(&sorted.units).filter_map(moved).collect();
    let labels = sequence(&sorted, &filled, &changed);
    let mut rows = rows(&filled, &sorted, &labels, &by_id);
    // A label that stays is named as well: a token of another unit is of the only sprint that has its label.
    let all = sorted.sprints().map(|(unit, one)| (unit.name.clone(), one.label.clone()));
    let mut text: Labels = all.map(|key| (key.clone(), key.1)).collect();
    text.extend(labels.clone());
    if !labels.is_empty() {
        relabel(&mut sorted, &labels, &text);
    }
    for (row, (_, sprint)) in rows.iter_mut().zip(sorted.sprints()) {
        row.name.clone_from(&sprint.name);
    }
    let questions = asked.questions.into_iter().chain(left).collect();
    Ok(Prioritized { plan: sorted, rows, replaced, filled: asked.filled, questions })
}

/// Writes each score that is known, with its reason, at its sprint.
fn annotate(plan: &mut Plan, scores: &BTreeMap<&str, &Score>) -> Vec<Replaced> {
    let mut replaced = Vec::new();
    for unit in &mut plan.units {
        let name = unit.name.clone();
        for sprint in &mut unit.sprints {
            let own = format!("{name}/{}", sprint.label);
            let Some(score) = scores.get(own.as_str()) else { continue };
            let Number::Known(_) = score.number() else { continue };
            let new = format!("{} — {}", score.words(), score.reason());
            match sprint.priority.replace(new.clone()) {
                Some(text) if text != new => replaced.push(Replaced { sprint: own, text }),
                _ => {}
            }
        }
    }
    replaced
}

/// The plan in its new order. If that would close a circle through several units, it keeps the order that it has.
fn sorted(plan: &Plan, links: &Links, scores: &BTreeMap<&str, &Score>) -> Plan {
    let dependents = links.dependents();
    let mut all = plan.clone();
    for (unit, was) in all.units.iter_mut().zip(&plan.units) {
        arrange(unit, &new_order(was, &dependents, scores));
    }
    if circle(&all).is_none() { all } else { plan.clone() }
}

/// The places of a unit's sprints in their new order: always the first one that may run and that no other one which may
/// run surely beats. Where scores are known this is the highest; of equal ones the earlier.
fn new_order(
    unit: &Unit,
    dependents: &BTreeMap<String, BTreeSet<String>>,
    scores: &BTreeMap<&str, &Score>,
) -> Vec<usize> {
    let ids: Vec<String> = unit.sprints.iter().map(|sprint| id(unit, sprint)).collect();
    let places: BTreeMap<&str, usize> =
        ids.iter().enumerate().map(|(at, id)| (id.as_str(), at)).collect();
    let after = |id: &String| -> Vec<usize> {
        let all = dependents.get(id).into_iter().flatten();
        all.filter_map(|id| places.get(id.as_str()).copied()).collect()
    };
    let after: Vec<Vec<usize>> = ids.iter().map(after).collect();
    let range = |at: &usize| {
        let score = ids.get(*at).and_then(|id| scores.get(id.as_str()));
        score.map_or((0, u32::MAX), |score| (score.least(), score.most()))
    };
    graph::sorted(&after, |free| {
        let best = free.iter().map(|at| range(at).0).max()?;
        free.iter().copied().find(|at| range(at).1 >= best)
    })
}

/// Puts the sprints of a unit in another order. A sprint that waits for the one before it, because it says nothing, says
/// so when that is another one now.
fn arrange(unit: &mut Unit, order: &[usize]) {
    let was: Vec<Sprint> = std::mem::take(&mut unit.sprints);
    let mut last: Option<usize> = None;
    for at in order {
        let Some(sprint) = was.get(*at) else { continue };
        let mut sprint = sprint.clone();
        let before = at.checked_sub(1);
        if sprint.depends_on.is_none() && before != last {
            let label = before.and_then(|before| was.get(before)).map(|one| one.label.clone());
            sprint.depends_on = Some(label.into_iter().collect());
        }
        unit.sprints.push(sprint);
        last = Some(*at);
    }
}

fn rows(was: &Plan, now: &Plan, labels: &Labels, scores: &BTreeMap<&str, &Score>) -> Vec<Row> {
    let before: BTreeMap<String, usize> =
        was.sprints().enumerate().map(|(at, (unit, one))| (id(unit, one), at + 1)).collect();
    let row = |(at, (unit, sprint)): (usize, (&Unit, &Sprint))| {
        let own = id(unit, sprint);
        let label = labels.get(&(unit.name.clone(), sprint.label.clone()));
        Row {
            unit: unit.name.clone(),
            label: label.unwrap_or(&sprint.label).clone(),
            was: sprint.label.clone(),
            name: sprint.name.clone(),
            place: count(at + 1),
            place_was: count(before.get(&own).copied().unwrap_or(at + 1)),
            score: scores.get(own.as_str()).map(|score| (*score).clone()),
        }
    };
    now.sprints().enumerate().map(row).collect()
}
