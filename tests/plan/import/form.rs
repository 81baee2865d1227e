//! What a role without a model takes for sprints, and what the names over lists and lines say to it.

use super::shape::{Block, Shape};
use endstate::plan::import::Kind;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// The headings that are units and those that are sprints, by their lines.
#[derive(Debug, Default)]
pub(crate) struct Form {
    pub(crate) units: BTreeSet<usize>,
    pub(crate) sprints: BTreeSet<usize>,
}

impl Form {
    /// Headings that differ from their first number on, of the highest level, over items: sprints; or units, if another
    /// such group stands below each of them. Without any: the headings of one level that stand over check boxes.
    pub(crate) fn new(shape: &Shape) -> Self {
        let groups = groups(shape);
        let Some(first) = groups.first() else {
            return Form { sprints: boxed(shape), ..Form::default() };
        };
        let within =
            |unit: &&Block, group: &[&Block]| group.iter().any(|one| holds(shape, unit, one.line));
        let below = groups.iter().find(|group| first.iter().all(|unit| within(unit, group)));
        if let Some(group) = below {
            return Form { units: lines(first), sprints: lines(group) };
        }
        // A section beside the sprints that has check boxes is one more of them.
        let beside = |one: &&Block| {
            let boxed = |item: &Block| item.boxed && holds(shape, one, item.line);
            one.level == first[0].level && shape.items.iter().any(boxed)
        };
        let beside = shape.headings.iter().filter(beside).map(|one| one.line);
        Form { sprints: lines(first).into_iter().chain(beside).collect(), ..Form::default() }
    }
}

/// Headings of one level that are alike up to their first number, some over items: the highest and largest first.
fn groups<'s>(shape: &'s Shape) -> Vec<Vec<&'s Block>> {
    let mut groups: BTreeMap<(usize, &str), Vec<&Block>> = BTreeMap::new();
    for heading in &shape.headings {
        let words = shape.said(heading);
        let before = words.find(char::is_numeric).map(|number| &words[..number]);
        if let Some(before) = before.filter(|one| one.contains(char::is_alphabetic)) {
            groups.entry((heading.level, before)).or_default().push(heading);
        }
    }
    let work = |one: &&Block| shape.items.iter().any(|item| holds(shape, one, item.line));
    let mut all: Vec<Vec<&Block>> = groups.into_values().collect();
    all.retain(|group| group.len() > 1 && group.iter().any(work));
    all.sort_by_key(|group| (group[0].level, Reverse(group.len())));
    all
}

fn lines(group: &[&Block]) -> BTreeSet<usize> {
    group.iter().map(|one| one.line).collect()
}

/// Whether a line stands in the section of a heading.
fn holds(shape: &Shape, heading: &Block, line: usize) -> bool {
    (heading.line + 1..shape.end(heading)).contains(&line)
}

/// The headings right over check boxes, of the level that has most of them.
fn boxed(shape: &Shape) -> BTreeSet<usize> {
    let over = |item: &Block| shape.headings.iter().rev().find(|one| one.line < item.line);
    let heads = shape.items.iter().filter(|item| item.boxed).filter_map(over);
    let mut levels: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
    for head in heads.filter(|one| one.level > 1) {
        levels.entry(head.level).or_default().insert(head.line);
    }
    levels.into_values().max_by_key(BTreeSet::len).unwrap_or_default()
}

/// The name that a line begins with before a colon, and what follows: `**Depends on**: 1`, `Run: x`.
pub(crate) fn named(line: &str) -> (Option<&str>, &str) {
    let bare = line.trim_start_matches('*');
    match bare.split_once(':') {
        Some((name, rest)) if name.chars().count() < 40 && !name.contains(['`', '|', '<', '.']) => {
            (Some(name.trim_matches('*')), rest.trim_start_matches('*').trim())
        }
        _ => (None, line),
    }
}

/// Whether a text is one code span.
pub(crate) fn is_code(text: &str) -> bool {
    text.len() > 2 && text.starts_with('`') && text.ends_with('`') && text.matches('`').count() == 2
}

const BEFORE: [&str; 2] = ["entry", "prerequisite"];
const AFTER: [&str; 7] =
    ["criteria", "acceptance", "verif", "expected", "checkpoint", "independent test", "success"];
const WORK: [&str; 3] = ["task", "step", "implementation"];

/// What the items are below these words.
pub(crate) fn kind(words: &str) -> Option<Kind> {
    let lower = words.to_lowercase();
    let says = |all: &[&str]| all.iter().any(|one| lower.contains(one));
    match (says(&BEFORE), says(&AFTER), says(&WORK)) {
        (true, ..) => Some(Kind::EntryCriterion),
        (_, true, _) => Some(Kind::ExitCriterion),
        (.., work) => work.then_some(Kind::Task),
    }
}
