//! Work units: the sections of a document, else the folders its tasks work in, else the whole; and which of
//! them waits for which.

use super::super::model::{Dependency, Origin, Plan};
use super::super::paths::{Touched, folder};
use super::super::requirements::{Requirement, is_bare};
use super::Piece;
use std::collections::{BTreeMap, BTreeSet};

/// Whether a heading says what its items are, and not what they are about.
pub(super) fn is_generic(heading: &str) -> bool {
    let lower = heading.to_lowercase();
    [
        "requirement",
        "feature",
        "deliverable",
        "scope",
        "task",
        "acceptance",
        "success criteria",
        "definition of done",
        "done when",
        "user stor",
        "must have",
        "to do",
        "todo",
    ]
    .iter()
    .any(|word| lower.contains(word))
        || is_bare(heading)
}

/// The heading that a requirement is about: below "Requirements" the next one.
pub(super) fn subject(one: &Requirement) -> Option<&String> {
    one.headings.iter().find(|heading| !is_generic(heading))
}

/// The unit of each requirement: its section if there are several; else the folder it works in, if most name
/// one; else the whole.
pub(super) fn units(asked: &[&Requirement]) -> BTreeMap<String, String> {
    let sections: BTreeSet<&String> = asked.iter().filter_map(|one| subject(one)).collect();
    let several = sections.len() > 1;
    let tops: Vec<Option<String>> = asked.iter().map(|one| works_in(&one.text)).collect();
    let folders: BTreeSet<&String> = tops.iter().flatten().collect();
    let most = tops.iter().flatten().count() * 2 > asked.len();
    let each = asked.iter().zip(&tops).filter_map(|(one, top)| {
        let unit = match (subject(one), top) {
            (Some(heading), _) if several => heading.clone(),
            (_, Some(top)) if !several && most && folders.len() > 1 => top.clone(),
            _ => return None,
        };
        Some((one.id.clone(), unit))
    });
    each.filter(|(_, unit)| !unit.is_empty()).collect()
}

/// The first step of the folder of the first file that a text makes or changes.
fn works_in(text: &str) -> Option<String> {
    let mut touched = Touched::default();
    touched.task(text);
    touched.settle();
    let file = touched.created.iter().chain(&touched.modified).next()?;
    let top = folder(file).split('/').next().unwrap_or_default();
    (!top.is_empty()).then(|| top.to_owned())
}

/// The units in the order they are first asked for.
pub(super) fn order(pieces: &[Piece]) -> Vec<String> {
    let mut order: Vec<String> = Vec::new();
    for piece in pieces {
        if !order.contains(&piece.unit) {
            order.push(piece.unit.clone());
        }
    }
    order
}

/// Within a unit one sprint after the other. A unit that uses files another makes waits for it and lies in
/// a higher layer.
pub(super) fn dependencies(plan: &mut Plan) {
    let made: Vec<(String, BTreeSet<String>, BTreeSet<String>)> = plan
        .units
        .iter()
        .map(|unit| {
            let mut touched = Touched::default();
            unit.sprints
                .iter()
                .flat_map(|one| &one.tasks)
                .for_each(|task| touched.task(&task.text));
            touched.settle();
            let used = touched.modified.into_iter().chain(touched.read).collect();
            (unit.id.clone(), touched.created, used)
        })
        .collect();
    let mut layers: BTreeMap<String, u32> = BTreeMap::new();
    for (place, (id, _, used)) in made.iter().enumerate() {
        let before: Vec<&String> = made[..place]
            .iter()
            .filter(|(_, made, _)| !made.is_disjoint(used))
            .map(|(id, ..)| id)
            .collect();
        let layer =
            before.iter().filter_map(|id| layers.get(*id)).max().map_or(1, |layer| layer + 1);
        layers.insert(id.clone(), layer);
        plan.dependencies.extend(before.into_iter().map(|from| Dependency {
            from: from.clone(),
            to: id.clone(),
            origin: Origin::Column,
            line: 0,
        }));
    }
    for unit in &mut plan.units {
        unit.layer = layers.get(&unit.id).copied();
        let pairs = unit.sprints.windows(2);
        plan.dependencies.extend(pairs.map(|pair| Dependency {
            from: pair[0].id.clone(),
            to: pair[1].id.clone(),
            origin: Origin::Entry,
            line: 0,
        }));
    }
}
