//! Who waits for whom among sprints, and what follows: levels, the longest chain, bottlenecks, how many sprints could run
//! at once.

use super::super::graph;
use super::super::model::{Plan, id};
use super::super::order::{circle, edges, points};
use super::{count, live};
use crate::vocab::table::map_of;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// The order of a plan.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct PlanOrder {
    /// Sprints and units that wait for each other in a circle, the first one repeated; the rest is of what lies
    /// outside of it.
    pub circle: Option<Vec<String>>,
    /// Sprints that could run together, level by level, as far as dependencies go.
    pub levels: Vec<Vec<String>>,
    /// The longest chain.
    pub critical_path: Vec<String>,
    /// Sprints that two or more wait for at once; those that most wait for in the end first.
    pub bottlenecks: Vec<Bottleneck>,
    /// The most sprints of one level: so many run at once if each begins as soon as it may.
    pub parallelism: u32,
}

impl PlanOrder {
    /// Of a plan.
    pub fn of(plan: &Plan) -> PlanOrder {
        Links::of(plan).order(plan)
    }
}

/// A sprint that others wait for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Bottleneck {
    /// Its id.
    pub sprint: String,
    /// Who waits for it at once.
    pub blocks: Vec<String>,
    /// How many wait for it in the end.
    pub dependents: u32,
}

/// The graph of a plan.
pub(super) struct Links {
    /// All sprints in the order of the plan.
    pub(super) ids: Vec<String>,
    pub(super) edges: Vec<(String, String)>,
    units: BTreeMap<String, Vec<String>>,
    raw: Vec<(String, String)>,
}

impl Links {
    pub(super) fn of(plan: &Plan) -> Links {
        let members = |unit: &super::Unit| unit.sprints.iter().map(|one| id(unit, one)).collect();
        let units: BTreeMap<String, Vec<String>> =
            map_of(plan.units.iter().map(|unit| (unit.name.clone(), members(unit))));
        let ids = plan.sprints().map(|(unit, sprint)| id(unit, sprint)).collect();
        Links { ids, edges: points(plan), units, raw: edges(plan) }
    }

    pub(super) fn pairs(&self) -> impl Iterator<Item = (&str, &str)> {
        self.edges.iter().map(|(from, to)| (from.as_str(), to.as_str()))
    }

    /// For each sprint all that wait for it, directly or not.
    pub(super) fn dependents(&self) -> BTreeMap<String, BTreeSet<String>> {
        let reach = graph::reach(self.pairs());
        let known: BTreeSet<&str> = self.ids.iter().map(String::as_str).collect();
        let all = |id: &String| {
            let others = reach(id).into_iter().filter(|to| known.contains(to) && to != id);
            others.map(str::to_owned).collect()
        };
        map_of(self.ids.iter().map(|id| (id.clone(), all(id))))
    }

    /// For each sprint those it waits for at once.
    pub(super) fn before(&self) -> BTreeMap<String, BTreeSet<String>> {
        // The sprints of an id: those of a unit, or itself.
        let members = |id: &String| self.units.get(id).cloned().unwrap_or(vec![id.clone()]);
        let mut before: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (from, to) in &self.raw {
            let from = members(from);
            for to in members(to) {
                before.entry(to).or_default().extend(from.iter().cloned());
            }
        }
        before
    }

    /// Everything about the order of the plan.
    pub(super) fn order(&self, plan: &Plan) -> PlanOrder {
        let ids: Vec<&str> = self.ids.iter().map(String::as_str).collect();
        let known: BTreeSet<&str> = ids.iter().copied().collect();
        let weight = |id: &str| u32::from(known.contains(id));
        let (levels, path) = graph::chains(ids.iter().copied(), self.pairs(), weight);
        let dependents = self.dependents();
        let mut rows: BTreeMap<u32, Vec<String>> = BTreeMap::new();
        for id in &ids {
            if let Some(level) = levels.get(*id) {
                rows.entry(*level).or_default().push((*id).to_owned());
            }
        }
        let levels: Vec<Vec<String>> = rows.into_values().collect();
        PlanOrder {
            circle: circle(plan),
            parallelism: count(levels.iter().map(Vec::len).max().unwrap_or(0)),
            levels,
            critical_path: path.into_iter().filter(|id| known.contains(id.as_str())).collect(),
            bottlenecks: self.bottlenecks(plan, &dependents),
        }
    }

    fn bottlenecks(
        &self,
        plan: &Plan,
        dependents: &BTreeMap<String, BTreeSet<String>>,
    ) -> Vec<Bottleneck> {
        // What is put off or said to be done holds nobody up; scores count the same way.
        let live: BTreeSet<String> = live(plan).map(|(unit, one)| id(unit, one)).collect();
        let mut next: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (to, from) in self.before().into_iter().filter(|(to, _)| live.contains(to)) {
            for one in from.into_iter().filter(|one| *one != to) {
                next.entry(one).or_default().push(to.clone());
            }
        }
        let mut found: Vec<Bottleneck> = Vec::new();
        for (sprint, blocks) in next.into_iter().filter(|(_, blocks)| blocks.len() > 1) {
            let all = dependents.get(&sprint).map_or(0, |all| all.intersection(&live).count());
            found.push(Bottleneck { sprint, blocks, dependents: count(all) });
        }
        found.sort_by_key(|one| std::cmp::Reverse(one.dependents));
        found
    }
}
