//! Puts a plan in order: every sprint gets its score, and within its unit the most urgent one of those
//! that may run comes first. Blocks of lines move, numbers follow, everything else stays as it was.

use super::annotate::{annotate, replaced};
use super::edit::{Edits, block, relabel};
use super::held;
use super::joined;
use super::judge::{Answers, PlanQuestion};
use super::label::unit_key;
use super::model::{Origin, Plan, Sprint, unit_of};
use super::outline::Outline;
use super::read::{Parsed, parse};
use super::score::{SprintScore, scores};
use super::sequence::new_order;
use crate::vocab::error::{Error, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// A plan that was put in order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Prioritized {
    /// The document.
    pub text: String,
    /// Its sprints, in their new order.
    pub rows: Vec<PrioritizedRow>,
    /// Layers that could be lower, and are now.
    pub layers: Vec<LayerChange>,
    /// Words of the author about a priority that its new line does not have.
    #[serde(default)]
    pub replaced: Vec<ReplacedReason>,
    /// What was left to judge.
    pub left: Vec<PlanQuestion>,
}

/// What an author said of a priority and no longer stands in the document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReplacedReason {
    /// The sprint, by the id it had.
    pub sprint: String,
    /// The line it stood on.
    pub line: u32,
    /// The words.
    pub text: String,
}

/// A sprint in its new place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PrioritizedRow {
    /// Its unit.
    pub unit: String,
    /// The label it has now.
    pub label: String,
    /// The label it had.
    pub was: String,
    /// Its name.
    pub name: String,
    /// Its place in the plan from 1, now and before.
    pub place: u32,
    /// Its place before.
    pub place_was: u32,
    /// Its score.
    pub score: SprintScore,
}

/// A unit that waits for less than its layer says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LayerChange {
    /// The unit.
    pub unit: String,
    /// Its layer so far.
    pub was: u32,
    /// The lowest layer its dependencies allow.
    pub now: u32,
}

/// Puts a plan in order.
///
/// # Errors
/// The first fault of the plan: nothing is moved in what cannot be read. `invalid_change` where a sprint that would get
/// another number is named in a way that cannot follow.
pub fn prioritize(text: &str, answers: &Answers) -> Result<Prioritized> {
    let (lowered, layers) = lowered(text)?;
    let text = lowered.as_deref().unwrap_or(text);
    let one = arranged(text, answers)?;
    one.left_behind?;
    let moved = held::Moved { text, plan: &one.plan, labels: &one.labels };
    held::check(&moved, &one.done.text)?;
    Ok(Prioritized { layers, ..one.done })
}

/// A plan in its new order, which nobody has looked at yet.
pub(super) struct Arranged {
    pub(super) done: Prioritized,
    /// The plan as it was, and its new labels by id.
    plan: Plan,
    labels: BTreeMap<String, String>,
    /// What could not follow.
    left_behind: Result<()>,
}

/// As [`prioritize`], for those who look at the order and write nothing: what could not follow comes beside it, and
/// layers are as they are.
///
/// # Errors
/// The first fault of the plan.
pub(super) fn arranged(text: &str, answers: &Answers) -> Result<Arranged> {
    let Parsed { plan, labels: brief, leading, .. } = faultless(text)?;
    let outline = Outline::read(text, front_end(text, &plan));
    let (scores, left) = scores(&plan, answers);
    let order = new_order(&plan, &scores, &leading);
    let labels = new_labels(&plan, &order);
    let mut edits = Edits::default();
    annotate(&outline, &plan, &scores, &mut edits);
    relabel(&outline, &plan, &brief, &labels, &mut edits);
    let left_behind = joined::check(&outline, &plan, &labels, &edits);
    let blocks: Vec<_> = plan.sprints().map(|one| block(&outline, one.lines)).collect();
    let ids: Vec<&str> = plan.sprints().map(|one| one.id.as_str()).collect();
    let at = |id: &String| ids.iter().position(|known| known == id).unwrap_or(0);
    let mut moves: Vec<usize> = order.iter().map(at).collect();
    let mut places: Vec<usize> = (0..blocks.len()).collect();
    places.sort_by_key(|place| blocks[*place].start);
    let sorted: Vec<_> = places.iter().map(|place| blocks[*place].clone()).collect();
    let back = |place: usize| places.iter().position(|one| *one == place).unwrap_or(place);
    moves = places.iter().map(|place| back(moves[*place])).collect();
    let done = Prioritized {
        text: edits.apply_moved(text, &sorted, &moves),
        rows: rows(&plan, &order, &labels, &scores),
        layers: Vec::new(),
        replaced: replaced(&outline, &plan, &scores),
        left,
    };
    Ok(Arranged { done, plan, labels, left_behind })
}

/// The plan of a text, if it has no fault.
///
/// # Errors
/// Its first fault.
pub fn sound(text: &str) -> Result<Plan> {
    faultless(text).map(|parsed| parsed.plan)
}

/// What is read of a text without a fault.
///
/// # Errors
/// Its first fault.
pub(super) fn faultless(text: &str) -> Result<Parsed> {
    let parsed = parse(text);
    if let Some(fault) = parsed.unreadable().next() {
        let one = fault.diagnostic();
        return Err(Error::new(one.code, one.at, one.expected, one.got));
    }
    Ok(parsed)
}

/// Where the front matter of a document that could be read ends.
pub(super) fn front_end(text: &str, plan: &Plan) -> usize {
    let last = plan.front.last().map_or(0, |field| field.lines.last as usize + 1);
    text.split_inclusive('\n').take(last).map(str::len).sum()
}

/// Labels by id. Numbers are given anew if the order changed: over the whole plan if they are of the whole
/// plan, else per unit. Labels that are keys (`A2`, `DC-1`) stay.
fn new_labels(plan: &Plan, order: &[String]) -> BTreeMap<String, String> {
    let moved = plan.sprints().map(|one| &one.id).ne(order.iter());
    if moved { sequential(plan, order) } else { BTreeMap::new() }
}

/// Numbers in sequence; none if there are labels that are keys.
pub(super) fn sequential(plan: &Plan, order: &[String]) -> BTreeMap<String, String> {
    renumbered(plan, order, plan.sprints().all(is_numbered))
}

/// Whether a label is a number, or one with a letter behind it.
pub(super) fn is_numbered(sprint: &Sprint) -> bool {
    let digits = sprint.label.trim_end_matches(|c: char| c.is_ascii_lowercase());
    sprint.label.len() - digits.len() <= 1
        && !digits.is_empty()
        && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// Numbers in sequence, if the labels were `numbered` before sprints were split.
pub(super) fn renumbered(
    plan: &Plan,
    order: &[String],
    numbered: bool,
) -> BTreeMap<String, String> {
    let before: Vec<&Sprint> = plan.sprints().collect();
    if !numbered {
        return BTreeMap::new();
    }
    let distinct: BTreeSet<&str> = before.iter().map(|one| one.label.as_str()).collect();
    let whole = distinct.len() == before.len();
    let start = |ids: &mut dyn Iterator<Item = &Sprint>| {
        ids.filter_map(|one| one.label.parse::<u32>().ok()).min().unwrap_or(1).min(1)
    };
    let mut labels = BTreeMap::new();
    let mut number = start(&mut before.iter().copied());
    let mut unit = "";
    for id in order {
        if !whole && unit_of(id) != unit {
            unit = unit_of(id);
            number = start(&mut before.iter().copied().filter(|one| unit_of(&one.id) == unit));
        }
        labels.insert(id.clone(), number.to_string());
        number += 1;
    }
    labels
}

/// The lowest layer that each unit's dependencies allow: one more than the highest of those it waits for.
pub(super) fn lower_layers(plan: &Plan) -> Vec<LayerChange> {
    let mut layers: BTreeMap<&str, u32> =
        plan.units.iter().filter_map(|unit| Some((unit.id.as_str(), unit.layer?))).collect();
    let Some(least) = layers.values().min().copied() else { return Vec::new() };
    let mut waits: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let real = plan
        .dependencies
        .iter()
        .filter(|one| one.origin != Origin::Layer && one.origin != Origin::Order);
    for one in real.filter(|one| unit_of(&one.from) != unit_of(&one.to)) {
        waits.entry(unit_of(&one.to)).or_default().insert(unit_of(&one.from));
    }
    // Only units that say what they wait for can be moved; of the others nothing but the layer is known.
    let mut changes = Vec::new();
    let mut units: Vec<_> = plan.units.iter().filter(|unit| unit.layer.is_some()).collect();
    units.sort_by_key(|unit| unit.layer);
    for unit in units {
        let Some(was) = unit.layer else { continue };
        let Some(before) = waits.get(unit.id.as_str()) else { continue };
        let now =
            before.iter().filter_map(|id| layers.get(id)).max().map_or(least, |layer| layer + 1);
        if now < was {
            layers.insert(&unit.id, now);
            changes.push(LayerChange { unit: unit.id.clone(), was, now });
        }
    }
    changes
}

/// The document with every unit in its lowest layer, if that is another, and what was changed. It is read again before
/// anything is scored, since whom a unit waits for by its layer counts there.
///
/// # Errors
/// The first fault of the plan as it was.
fn lowered(text: &str) -> Result<(Option<String>, Vec<LayerChange>)> {
    let parsed = faultless(text)?;
    let mut changes = lower_layers(&parsed.plan);
    let outline = Outline::read(text, front_end(text, &parsed.plan));
    let mut edits = Edits::default();
    let cells = super::read::layer_cells(&outline);
    changes.retain(|change| {
        let own = cells.iter().find(|(name, _)| unit_key(name) == change.unit);
        own.is_some_and(|(_, range)| {
            edits.replace(range.clone(), change.now.to_string());
            true
        })
    });
    if changes.is_empty() {
        return Ok((None, changes));
    }
    let new = edits.apply(text);
    match faultless(&new) {
        Ok(read) if said(&read.plan) == said(&parsed.plan) => Ok((Some(new), changes)),
        // What would change more than layers is left as it is.
        _ => Ok((None, Vec::new())),
    }
}

/// Who waits for whom by anything but layers.
fn said(plan: &Plan) -> BTreeSet<(&str, &str)> {
    let said = plan.dependencies.iter().filter(|one| one.origin != Origin::Layer);
    said.map(|one| (one.from.as_str(), one.to.as_str())).collect()
}

fn rows(
    plan: &Plan,
    order: &[String],
    labels: &BTreeMap<String, String>,
    scores: &[SprintScore],
) -> Vec<PrioritizedRow> {
    let before: Vec<&str> = plan.sprints().map(|one| one.id.as_str()).collect();
    let number = |place: usize| u32::try_from(place + 1).unwrap_or(u32::MAX);
    let row = |(place, id): (usize, &String)| {
        let (sprint, score) = (plan.sprint(id)?, scores.iter().find(|one| one.sprint == *id)?);
        Some(PrioritizedRow {
            unit: unit_of(id).to_owned(),
            label: labels.get(id).unwrap_or(&sprint.label).clone(),
            was: sprint.label.clone(),
            name: sprint.name.clone(),
            place: number(place),
            place_was: number(before.iter().position(|one| one == id)?),
            score: score.clone(),
        })
    };
    order.iter().enumerate().filter_map(row).collect()
}
