//! What references mean, who waits for whom, and in which layer a unit is.

use super::graph;
use super::model::{Plan, Sprint, Unit, id};
use crate::vocab::table::map_of;
use std::collections::{BTreeMap, BTreeSet};

/// What a reference names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target<'a> {
    /// All of a unit.
    Unit(&'a Unit),
    /// A sprint of a unit.
    Sprint(&'a Unit, &'a Sprint),
}

impl Target<'_> {
    /// Its id: `unit` or `unit/label`.
    pub fn id(&self) -> String {
        match self {
            Target::Unit(unit) => unit.name.clone(),
            Target::Sprint(unit, sprint) => id(unit, sprint),
        }
    }
}

/// Units and sprints by name, for many references to one plan. Of two with one name the first is found.
#[derive(Clone, Debug)]
pub struct Index<'a> {
    units: BTreeMap<&'a str, &'a Unit>,
    sprints: BTreeMap<(&'a str, &'a str), (usize, &'a Unit, &'a Sprint)>,
}

impl<'a> Index<'a> {
    /// The names of a plan.
    pub fn new(plan: &'a Plan) -> Self {
        let (mut units, mut sprints) = (BTreeMap::new(), BTreeMap::new());
        for unit in &plan.units {
            units.entry(unit.name.as_str()).or_insert(unit);
            for (place, sprint) in unit.sprints.iter().enumerate() {
                let name = (unit.name.as_str(), sprint.label.as_str());
                sprints.entry(name).or_insert((place, unit, sprint));
            }
        }
        Index { units, sprints }
    }

    /// What a reference names that stands in `unit`: a label of that unit, `unit/label`, or a unit, in this order.
    pub fn resolve(&self, unit: &str, reference: &str) -> Option<Target<'a>> {
        let sprint = |name: (&str, &str)| {
            let (_, unit, sprint) = self.sprints.get(&name)?;
            Some(Target::Sprint(unit, sprint))
        };
        let own = sprint((unit, reference));
        let full = || sprint(reference.rsplit_once('/')?);
        own.or_else(full).or_else(|| self.units.get(reference).map(|unit| Target::Unit(unit)))
    }

    /// The place of a sprint in its unit, from 0.
    pub fn place(&self, unit: &str, label: &str) -> Option<usize> {
        self.sprints.get(&(unit, label)).map(|(place, _, _)| *place)
    }
}

/// Who must be completed before whom, as ids `unit` and `unit/label`. A unit that comes before something is all of
/// it, a unit that waits is its start. The implied order within a unit is included; unknown references are left out.
pub fn edges(plan: &Plan) -> Vec<(String, String)> {
    let index = Index::new(plan);
    let mut edges = Vec::new();
    for unit in &plan.units {
        let known = |reference: &String| index.resolve(&unit.name, reference).map(|one| one.id());
        edges
            .extend(unit.depends_on.iter().filter_map(known).map(|from| (from, unit.name.clone())));
        let mut before: Option<&Sprint> = None;
        for sprint in &unit.sprints {
            let after = id(unit, sprint);
            match &sprint.depends_on {
                Some(all) => {
                    edges.extend(all.iter().filter_map(known).map(|from| (from, after.clone())));
                }
                None => edges.extend(before.map(|before| (id(unit, before), after.clone()))),
            }
            before = Some(sprint);
        }
    }
    edges
}

/// The layer of each unit by its name, from 1: one more than the highest layer of the units it waits for.
pub fn layers(plan: &Plan) -> BTreeMap<String, u32> {
    let index = Index::new(plan);
    let mut edges: Vec<(&str, &str)> = Vec::new();
    for unit in &plan.units {
        let targets = unit.depends_on.iter().filter_map(|one| index.resolve(&unit.name, one));
        edges.extend(targets.map(|target| match target {
            Target::Unit(before) | Target::Sprint(before, _) => {
                (before.name.as_str(), unit.name.as_str())
            }
        }));
    }
    let names = plan.units.iter().map(|unit| unit.name.as_str());
    let levels = graph::levels(names, edges.into_iter());
    map_of(levels.into_iter().map(|(name, level)| (name, level.saturating_add(1))))
}

/// How units hang together, in the word of the Summary: `layers`, `sequential` or `parallel`.
pub fn structure(units: usize, layers: &BTreeMap<String, u32>) -> &'static str {
    match units {
        _ if layers.values().any(|layer| *layer > 1) => "layers",
        0 | 1 => "sequential",
        _ => "parallel",
    }
}

/// What the begin and the end of a unit are called in [`points`]; no id has such a letter.
const BEGIN: char = '\u{2}';
const END: char = '\u{3}';

/// Who must be completed before whom. Units are two points, a begin and an end, so that a unit that waits for another is
/// one edge and not one for each pair of their sprints.
pub fn points(plan: &Plan) -> Vec<(String, String)> {
    let units: BTreeSet<&str> = plan.units.iter().map(|unit| unit.name.as_str()).collect();
    let point = |id: String, mark| if units.contains(&*id) { format!("{id}{mark}") } else { id };
    let edges = edges(plan).into_iter();
    let mut all: Vec<_> = edges.map(|(from, to)| (point(from, END), point(to, BEGIN))).collect();
    for (unit, sprint) in plan.sprints() {
        all.push((format!("{}{BEGIN}", unit.name), id(unit, sprint)));
        all.push((id(unit, sprint), format!("{}{END}", unit.name)));
    }
    all
}

/// One circle among all that wait for each other: the ids along it, the first repeated at the end. A unit waits until
/// all of its sprints are completed, and each of its sprints waits for what the unit waits for.
pub fn circle(plan: &Plan) -> Option<Vec<String>> {
    let mut all = points(plan);
    for unit in &plan.units {
        // They run in the order of the plan, whatever each says that it waits for.
        let pairs = unit.sprints.windows(2);
        all.extend(pairs.map(|pair| (id(unit, &pair[0]), id(unit, &pair[1]))));
    }
    let mut found = graph::cycle(all.iter().map(|(from, to)| (from.as_str(), to.as_str())))?;
    found.pop();
    found.retain(|id| !id.ends_with(BEGIN));
    found.extend(found.first().cloned());
    Some(found.iter().map(|id| id.trim_end_matches(END).to_owned()).collect())
}
