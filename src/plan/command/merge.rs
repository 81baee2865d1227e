//! Joins sprints that are too small with their neighbours, forward first (seed 17f).

use super::super::clause;
use super::super::model::{Criterion, Kind, Sprint, Status, Unit, id};
use super::checks::subsystems;
use super::estimate::{Estimate, Fitness};
use super::evaluate::{FixKind, Work};
use super::links::Links;
use super::text::line;
use super::words::MET;
use std::collections::BTreeSet;

impl Work<'_> {
    /// Joins what can be joined, until nothing can.
    pub(super) fn merge(&mut self) {
        while let Some((unit, at)) = self.small() {
            let Some(own) = self.plan.units.get(unit) else { return };
            let before = Links::of(&self.plan).before();
            let pairs = [(at, at + 1), (at.wrapping_sub(1), at)];
            let found = pairs.into_iter().find_map(|(one, other)| {
                let (one, other) = (own.sprints.get(one)?, own.sprints.get(other)?);
                let waits = |sprint| before.get(&id(own, sprint)).cloned().unwrap_or_default();
                // What it waits for besides the first, the first would wait for as well.
                let (first, early) = (id(own, one), waits(one));
                let fits = waits(other).difference(&early).all(|id| *id == first);
                let whole = fits.then(|| joined(one, other, self.budget)).flatten()?;
                Some((whole, other.label.clone()))
            });
            let small = own.sprints.get(at).map(|sprint| id(own, sprint)).unwrap_or_default();
            match found {
                Some((whole, second)) => self.join(unit, whole, &second, &small),
                None => _ = self.refused.insert((FixKind::Merged, small)),
            }
        }
    }

    /// The first sprint that is too small and was not looked at yet.
    fn small(&self) -> Option<(usize, usize)> {
        let is = |unit: &Unit, sprint: &Sprint| {
            is_free(sprint)
                && Estimate::of(sprint).fitness(self.budget) == Some(Fitness::Undersized)
                && !self.refused.contains(&(FixKind::Merged, id(unit, sprint)))
        };
        self.plan.units.iter().enumerate().find_map(|(at, unit)| {
            Some((at, unit.sprints.iter().position(|sprint| is(unit, sprint))?))
        })
    }

    fn join(&mut self, unit: usize, whole: Sprint, second: &str, small: &str) {
        let Some(name) = self.plan.units.get(unit).map(|unit| unit.name.clone()) else { return };
        let what = line(&whole.name);
        let label = whole.label.clone();
        self.put(&name, &[&label, second], vec![whole]);
        for one in self.plan.units.iter_mut().flat_map(|unit| &mut unit.sprints) {
            let mut seen = BTreeSet::new();
            one.depends_on.iter_mut().for_each(|list| list.retain(|id| seen.insert(id.clone())));
        }
        // The one that grew may be joined further, and so may its neighbours.
        self.refused.retain(|(kind, _)| *kind != FixKind::Merged);
        self.fix(FixKind::Merged, &small.replace('\u{2}', "."), what);
    }
}

/// Whether a sprint may be joined: it is to be done, and nobody waits or looks in it.
fn is_free(sprint: &Sprint) -> bool {
    sprint.status == Status::Pending && matches!(sprint.kind, Kind::Code | Kind::Command)
}

/// What two sprints are together; `None` if they cannot be joined, or are too large or about more then.
fn joined(one: &Sprint, other: &Sprint, budget: u32) -> Option<Sprint> {
    let alike = one.kind == other.kind && one.timeout.is_some() == other.timeout.is_some();
    if !is_free(one) || !is_free(other) || !alike {
        return None;
    }
    let mut whole = one.clone();
    let more: Vec<&Criterion> =
        other.entry.iter().filter(|entry| !is_inner(entry, &one.label)).collect();
    // Anything else that speaks of the first, the first would wait for.
    let token = format!("Sprint {}", one.label);
    if more.iter().any(|entry| entry.text.contains(&token)) {
        return None;
    }
    add(&mut whole.entry, more.into_iter());
    add(&mut whole.exit, other.exit.iter());
    clause::number(&mut whole);
    whole.tasks.extend(other.tasks.iter().cloned());
    for (list, more) in [
        (&mut whole.reads, &other.reads),
        (&mut whole.creates, &other.creates),
        (&mut whole.changes, &other.changes),
    ] {
        let new: Vec<String> = more.iter().filter(|file| !list.contains(file)).cloned().collect();
        list.extend(new);
    }
    whole.name = [&one.name, &other.name].map(String::as_str).join("; ");
    whole.notes = notes(&one.notes, &other.notes);
    whole.model = one.model.max(other.model);
    whole.risk = one.risk.max(other.risk);
    whole.timeout = one.timeout.zip(other.timeout).map(|(a, b)| a.saturating_add(b));
    whole.lines_of_code =
        one.lines_of_code.zip(other.lines_of_code).map(|(a, b)| a.saturating_add(b));
    whole.priority = one.priority.clone().or_else(|| other.priority.clone());
    let fits =
        matches!(Estimate::of(&whole).fitness(budget), Some(Fitness::Right | Fitness::Undersized));
    // What is about two things would only be split again.
    (fits && subsystems(&whole) < 2).then_some(whole)
}

/// Whether an entry criterion says that the other part is complete, and nothing else (seed 1560).
fn is_inner(entry: &Criterion, label: &str) -> bool {
    let bare = entry.text.trim().trim_end_matches('.');
    let rest = bare.strip_prefix("Sprint ").and_then(|rest| rest.strip_prefix(label));
    rest.is_some_and(|rest| MET.starts_with(rest.trim()) && !rest.trim().is_empty())
}

/// Adds the criteria of another sprint. Whose id is taken gets another.
fn add<'c>(own: &mut Vec<Criterion>, more: impl Iterator<Item = &'c Criterion>) {
    for one in more {
        let taken = own.iter().any(|known| known.id == one.id);
        let id = if taken { String::new() } else { one.id.clone() };
        own.push(Criterion { id, ..one.clone() });
    }
}

/// Notes of both, once if they are the same.
fn notes(one: &str, other: &str) -> String {
    let mut all = vec![one.trim_end_matches('\n'), other.trim_end_matches('\n')];
    all.retain(|notes| !notes.is_empty());
    all.dedup();
    all.join("\n")
}
