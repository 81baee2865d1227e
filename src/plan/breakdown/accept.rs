//! What a document accepts the work by goes to the sprint that it is about.

use super::super::requirements::{Requirement, Signal, id_of, is_quality};
use super::super::words::significant;
use super::shape::Draft;
use super::units::subject;
use std::collections::{BTreeMap, BTreeSet};

/// Verbs that begin a task, and not a statement about what there is in the end.
const ORDERS: &[&str] = &[
    "add",
    "build",
    "create",
    "cut",
    "document",
    "encrypt",
    "expose",
    "implement",
    "keep",
    "log",
    "make",
    "measure",
    "provide",
    "reduce",
    "support",
    "use",
    "write",
];

/// Whether a requirement is a condition on the whole and no work by itself.
pub(super) fn is_condition(one: &Requirement) -> bool {
    let first = one.text.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    let order = ORDERS.contains(&first.to_lowercase().as_str());
    one.signal == Signal::Acceptance
        || id_of(&one.text).is_some_and(|id| id.starts_with("NFR"))
        || one.headings.iter().any(|heading| is_quality(heading)) && !order
}

/// Gives every condition to a sprint: in its section the one that shares most words with it, else the one of the
/// requirement it follows, else the last. By the id of the condition, the sprint.
pub(super) fn accept(
    conditions: &[&Requirement],
    work: &[&Requirement],
    units: &BTreeMap<String, String>,
    sprints: &mut [(String, Draft<'_>)],
) -> BTreeMap<String, String> {
    let texts = sprints.iter().map(|(_, draft)| {
        draft.pieces.iter().flat_map(|piece| significant(&piece.text)).collect::<BTreeSet<String>>()
    });
    let texts: Vec<BTreeSet<String>> = texts.collect();
    let known: BTreeSet<&String> = units.values().collect();
    let mut given = BTreeMap::new();
    for one in conditions {
        let unit = subject(one).filter(|unit| known.contains(unit));
        let inside: Vec<usize> = (0..sprints.len())
            .filter(|at| unit.is_none_or(|unit| *unit == sprints[*at].0))
            .collect();
        let wanted = significant(&one.text);
        let best = inside.iter().map(|at| (texts[*at].intersection(&wanted).count(), *at));
        let best = best.max_by_key(|(shared, at)| (*shared, std::cmp::Reverse(*at)));
        let best = best.filter(|(shared, _)| *shared >= 2 || *shared * 2 >= wanted.len().max(1));
        let follows = || {
            let near = |other: &&&Requirement| {
                other.lines.first < one.lines.first && shares_heading(other, one)
            };
            let before = work.iter().rev().find(near)?;
            inside
                .iter()
                .copied()
                .find(|at| sprints[*at].1.pieces.iter().any(|piece| piece.requirement == before.id))
        };
        // What a requirement is accepted by stands below its heading.
        let around = |other: &&&Requirement| {
            other.lines.first < one.lines.first && one.lines.last <= other.lines.last
        };
        let home = work.iter().rev().find(around).and_then(|home| {
            let has =
                |draft: &Draft<'_>| draft.pieces.iter().any(|piece| piece.requirement == home.id);
            sprints.iter().position(|(_, draft)| has(draft))
        });
        let best = best.map(|(_, at)| at);
        let place = home.or(best).or_else(follows).or(inside.last().copied());
        if let Some((_, draft)) = place.and_then(|at| sprints.get_mut(at)) {
            draft.accepted.push(super::unlabelled(one.text.trim_end_matches('.')));
            given.insert(one.id.clone(), draft.id.clone());
        }
    }
    given
}

/// Whether two stand below the same heading that is about something.
fn shares_heading(one: &Requirement, other: &Requirement) -> bool {
    subject(one).is_some() && subject(one) == subject(other)
}
