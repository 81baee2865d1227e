//! The order of a plan's sprints: who waits for whom in the end, circles, levels, the longest chain,
//! bottlenecks, and how many could run at the same time.
//!
//! Units are two points of the graph, a begin and an end, so that a unit that waits for another is one
//! edge and not one for each pair of their sprints.

use super::graph;
use super::model::{Dependency, Plan, unit_of};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// The order of a plan.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlanOrder {
    /// Sprints that wait for each other in a circle, the first one repeated; with one, the rest is of
    /// what lies outside of it.
    pub cycle: Option<Vec<String>>,
    /// Sprints that could run together, level by level, as far as dependencies go.
    pub levels: Vec<Vec<String>>,
    /// The longest chain.
    pub critical_path: Vec<String>,
    /// Sprints by how many wait for them, directly or not; those with two or more, the most first.
    pub bottlenecks: Vec<Bottleneck>,
    /// The most sprints of which none waits for another.
    pub parallelism: u32,
}

/// A sprint that others wait for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Bottleneck {
    /// Its id.
    pub sprint: String,
    /// Who waits for it at once.
    pub blocks: Vec<String>,
    /// How many wait for it in the end.
    pub dependents: u32,
}

/// What a unit's begin and end are called in the graph; no id has such a letter.
const BEGIN: char = '\u{2}';
const END: char = '\u{3}';

type Edge = (String, String);

/// The edges between sprints and the begins and ends of units.
fn edges(plan: &Plan, dependencies: &[Dependency]) -> Vec<Edge> {
    let mut edges = Vec::new();
    let begun: BTreeSet<&str> = dependencies.iter().map(|one| one.to.as_str()).collect();
    let ended: BTreeSet<&str> = dependencies.iter().map(|one| one.from.as_str()).collect();
    for unit in &plan.units {
        for sprint in &unit.sprints {
            if begun.contains(unit.id.as_str()) {
                edges.push((format!("{}{BEGIN}", unit.id), sprint.id.clone()));
            }
            if ended.contains(unit.id.as_str()) {
                edges.push((sprint.id.clone(), format!("{}{END}", unit.id)));
            }
        }
    }
    let point =
        |id: &str, mark: char| if id.contains('/') { id.to_owned() } else { format!("{id}{mark}") };
    edges.extend(dependencies.iter().map(|one| (point(&one.from, END), point(&one.to, BEGIN))));
    edges
}

fn is_sprint(id: &str) -> bool {
    id.contains('/')
}

fn pairs(edges: &[Edge]) -> impl Iterator<Item = (&str, &str)> {
    edges.iter().map(|(from, to)| (from.as_str(), to.as_str()))
}

/// A circle, if there is one; units in it stand for all their sprints.
pub fn cycle(plan: &Plan) -> Option<Vec<String>> {
    circle(&edges(plan, &plan.dependencies))
}

/// A circle where the sprints of each unit run one after the other, in the order of the plan.
pub fn cycle_in_sequence(plan: &Plan) -> Option<Vec<String>> {
    let mut edges = edges(plan, &plan.dependencies);
    let pairs = plan.units.iter().flat_map(|unit| unit.sprints.windows(2));
    edges.extend(pairs.map(|pair| (pair[0].id.clone(), pair[1].id.clone())));
    circle(&edges)
}

fn circle(edges: &[Edge]) -> Option<Vec<String>> {
    let found = graph::cycle(pairs(edges))?;
    let mut named: Vec<String> = Vec::new();
    for id in found {
        let name = id.trim_end_matches([BEGIN, END]).to_owned();
        if named.last() != Some(&name) {
            named.push(name);
        }
    }
    // Begin and end of one unit, and nothing between.
    if named.len() == 1 {
        named.push(named[0].clone());
    }
    Some(named)
}

/// For each sprint all that wait for it, directly or not.
pub fn dependents(plan: &Plan) -> BTreeMap<String, BTreeSet<String>> {
    let edges = edges(plan, &plan.dependencies);
    let ids: Vec<&str> = plan.sprints().map(|sprint| sprint.id.as_str()).collect();
    let reach = graph::reach(pairs(&edges));
    let of = |id: &str| -> BTreeSet<String> {
        let all = reach.from(id).into_iter();
        all.filter(|to| is_sprint(to) && *to != id).map(str::to_owned).collect()
    };
    ids.into_iter().map(|id| (id.to_owned(), of(id))).collect()
}

/// For each sprint who waits for it at once.
pub fn next(plan: &Plan) -> BTreeMap<String, BTreeSet<String>> {
    let mut next: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let members = |id: &str| -> Vec<String> {
        match is_sprint(id) {
            true => vec![id.to_owned()],
            false => plan
                .unit(id)
                .map(|unit| unit.sprints.iter().map(|one| one.id.clone()).collect())
                .unwrap_or_default(),
        }
    };
    for one in &plan.dependencies {
        let to = members(&one.to);
        for from in members(&one.from) {
            next.entry(from).or_default().extend(to.iter().cloned());
        }
    }
    next
}

/// Whether one sprint must wait for another, by every chain of dependencies.
pub fn waits(dependents: &BTreeMap<String, BTreeSet<String>>, sprint: &str, other: &str) -> bool {
    dependents.get(other).is_some_and(|all| all.contains(sprint))
}

/// Everything about the order of a plan.
pub fn order(plan: &Plan) -> PlanOrder {
    let edges = edges(plan, &plan.dependencies);
    let ids: Vec<&str> = plan.sprints().map(|sprint| sprint.id.as_str()).collect();
    let weight = |id: &str| u32::from(is_sprint(id));
    let (levels, critical_path) = graph::chains(ids.iter().copied(), pairs(&edges), weight);
    let dependents = dependents(plan);
    PlanOrder {
        cycle: cycle(plan),
        levels: by_level(&ids, &levels),
        critical_path: critical_path.into_iter().filter(|id| is_sprint(id)).collect(),
        bottlenecks: bottlenecks(plan, &dependents),
        parallelism: graph::width(&ids, &dependents),
    }
}

fn by_level(ids: &[&str], levels: &BTreeMap<String, u32>) -> Vec<Vec<String>> {
    let mut rows: BTreeMap<u32, Vec<String>> = BTreeMap::new();
    for id in ids {
        if let Some(level) = levels.get(*id) {
            rows.entry(*level).or_default().push((*id).to_owned());
        }
    }
    rows.into_values().collect()
}

fn bottlenecks(plan: &Plan, dependents: &BTreeMap<String, BTreeSet<String>>) -> Vec<Bottleneck> {
    let next = next(plan);
    // What is put off waits for nobody; the scores count the same way.
    let off = plan.sprints().filter(|one| one.deferred).map(|one| one.id.as_str());
    let off: BTreeSet<&str> = off.collect();
    let mut found: Vec<Bottleneck> = plan
        .sprints()
        .filter_map(|sprint| {
            let waits = |id: &&String| **id != sprint.id && !off.contains(id.as_str());
            let blocks: Vec<String> = next.get(&sprint.id)?.iter().filter(waits).cloned().collect();
            let all = dependents.get(&sprint.id).map_or(0, |all| all.iter().filter(waits).count());
            let dependents = u32::try_from(all).unwrap_or(u32::MAX);
            (blocks.len() > 1).then(|| Bottleneck { sprint: sprint.id.clone(), blocks, dependents })
        })
        .collect();
    found.sort_by_key(|one| std::cmp::Reverse(one.dependents));
    found
}

/// Whether a dependency lies within one unit.
pub fn is_inner(one: &Dependency) -> bool {
    unit_of(&one.from) == unit_of(&one.to)
}
