//! Puts a plan in order (seed 16d to 16f): within each unit the most urgent sprint of those that may run comes first.
//! Everybody waits for the same as before, and all content stays. Layers follow from what units wait for and are as low as
//! that allows in every canonical plan, so there is none to adjust (seed 16f).

use super::super::graph;
use super::super::judge::{Answers, PlanQuestion};
use super::super::model::{Plan, Sprint, Unit, id};
use super::super::order::circle;
use super::Field;
use super::fields::{Filled, fill};
use super::links::Links;
use super::renumber::{relabel, sequence};
use super::score::{Score, scores};
use crate::vocab::error::{Code, Error, Result};
use crate::vocab::table::map_of;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// A plan that was put in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prioritized {
    /// The plan in its new order, with new numbers and a line `Priority` for each score that is known.
    pub plan: Plan,
    /// Its sprints, in their new order.
    pub rows: Vec<Row>,
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
    let by_id: BTreeMap<&str, &Score> = map_of(scores.iter().map(|one| (one.sprint.as_str(), one)));
    annotate(&mut filled, &by_id);
    let mut sorted = sorted(&filled, &links, &by_id);
    let labels = |unit: &Unit| unit.sprints.iter().map(|one| one.label.clone()).collect::<Vec<_>>();
    let mut moved = filled.units.iter().zip(&sorted.units).collect::<Vec<_>>();
    moved.retain(|(was, now)| labels(was) != labels(now));
    let changed: BTreeSet<String> = moved.iter().map(|(was, _)| was.name.clone()).collect();
    let was = sorted.sprints().map(|(unit, one)| (id(unit, one), one.label.clone())).collect();
    if !changed.is_empty() {
        let labels = sequence(&sorted, &filled, &changed);
        relabel(&mut sorted, &labels, &labels);
    }
    let rows = rows(&filled, &sorted, was, &by_id);
    let questions = asked.questions.into_iter().chain(left).collect();
    Ok(Prioritized { plan: sorted, rows, filled: asked.filled, questions })
}

/// Writes each score that is known, with its reason, at its sprint.
fn annotate(plan: &mut Plan, scores: &BTreeMap<&str, &Score>) {
    for (own, sprint) in plan.sprints_mut() {
        let known = scores.get(own.as_str()).filter(|one| one.number().known().is_some());
        let new = known.map(|score| format!("{} — {}", score.words(), score.reason()));
        sprint.priority = new.or(sprint.priority.take());
    }
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
        map_of(ids.iter().enumerate().map(|(at, id)| (id.as_str(), at)));
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

/// `was`: the id and the label of each sprint before it got a new one.
fn rows(
    plan: &Plan,
    now: &Plan,
    was: Vec<(String, String)>,
    scores: &BTreeMap<&str, &Score>,
) -> Vec<Row> {
    let places: BTreeMap<String, u32> =
        map_of(plan.sprints().zip(1..).map(|((unit, one), place)| (id(unit, one), place)));
    let row = |(((unit, sprint), (own, was)), place): (((&Unit, &Sprint), _), u32)| Row {
        unit: unit.name.clone(),
        label: sprint.label.clone(),
        was,
        name: sprint.name.clone(),
        place,
        place_was: places.get::<String>(&own).copied().unwrap_or(place),
        score: scores.get(own.as_str()).map(|score| (*score).clone()),
    };
    now.sprints().zip(was).zip(1..).map(row).collect()
}
