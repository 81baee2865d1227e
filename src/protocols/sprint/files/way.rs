//! The longest way through the dependencies.

use super::super::state::{Sprint, State};
use super::numbers::duration;
use std::collections::{BTreeMap, BTreeSet};

/// The length of a way: by duration, and by the number of its sprints where that is the same.
type Length = (u64, usize);

/// What a sprint waits for, sprint by sprint.
fn before<'a>(state: &'a State, sprint: &'a Sprint) -> Vec<&'a str> {
    let mut waits: Vec<&str> = sprint.plan.after.iter().map(String::as_str).collect();
    if let Some(unit) = state.units.get(&sprint.unit) {
        let place = unit.sprints.iter().position(|id| *id == sprint.id).unwrap_or(0);
        match place.checked_sub(1).and_then(|place| unit.sprints.get(place)) {
            Some(id) => waits.push(id),
            None => waits.extend(unit.after.iter().map(String::as_str)),
        }
    }
    let last = |id: &'a str| match state.units.get(id) {
        Some(unit) => unit.sprints.last().map(String::as_str),
        None => Some(id),
    };
    waits.into_iter().filter_map(last).collect()
}

/// The sprints of the longest way in their order, and how long they took.
pub(super) fn longest(state: &State) -> (Vec<&str>, u64) {
    let mut best: BTreeMap<&str, (Length, Option<&str>)> = BTreeMap::new();
    let mut left: Vec<&Sprint> = state.sprints.iter().collect();
    // One that waits for none of the rest is next; a round that finds none is the last.
    loop {
        let known = best.len();
        let ids: BTreeSet<&str> = left.iter().map(|one| one.id.as_str()).collect();
        let waits = |one: &&Sprint| before(state, one).iter().any(|id| ids.contains(id));
        let (rest, next): (Vec<&Sprint>, Vec<&Sprint>) = left.into_iter().partition(waits);
        for sprint in next {
            let from = before(state, sprint).into_iter();
            let from = from.filter_map(|id| best.get(id).map(|(length, _)| (*length, id))).max();
            let ((time, many), from) = from.map_or(((0, 0), None), |(way, id)| (way, Some(id)));
            best.insert(&sprint.id, ((time + duration(sprint), many + 1), from));
        }
        left = rest;
        if best.len() == known {
            break;
        }
    }
    let end = best.iter().max_by_key(|(_, (length, _))| *length);
    let length = end.map_or(0, |(_, ((time, _), _))| *time);
    let mut here = end.map(|(id, _)| *id);
    let mut way = Vec::new();
    while let Some(id) = here {
        way.push(id);
        here = best.get(id).and_then(|(_, from)| *from);
    }
    way.reverse();
    (way, length)
}
