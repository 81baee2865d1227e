//! What units say themselves below their headings, and units whose names say what comes first.

use super::super::super::called::rank;
use super::super::super::mention::Mention;
use super::super::super::model::{Origin, Plan, Weight, WorkUnit, unit_of};
use super::super::super::phrases::Phrases;
use super::super::body::Body;
use super::super::units::Own;
use super::super::waits;
use super::{Edges, FREE};
use crate::vocab::error::{Code, clip};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// Who may begin beside other units.
static APART: Phrases = Phrases::new(&[
    "parallel with",
    "parallel to",
    "independent of",
    "independent from",
    "independently of",
    "alongside",
    "concurrently with",
    "at any time",
    "no dependenc",
    "not depend",
    "no prereq",
]);

impl Edges<'_, '_> {
    /// What stands below the headings of units, before their first sprints.
    pub(super) fn own(&mut self, all: &[Own]) {
        for Own { id, body, heading, .. } in all {
            self.left_open(body);
            for range in &body.depends {
                self.text(range, id, Origin::Field);
            }
            for (range, order) in &body.needs {
                self.needs(range, id, *order);
            }
            for range in &body.preconditions {
                self.precondition(range, id);
            }
            let section = self.reader.outline.source(&(heading.start..body.end.max(heading.end)));
            let name = self.reader.outline.source(heading).to_lowercase();
            if says(body) || APART.within(section) || name.contains("parallel") {
                self.spoken.insert(id.clone());
            }
        }
    }

    /// An entry criterion of a unit: whom it waits for. One that names nobody is checked by nobody.
    fn precondition(&mut self, range: &Range<usize>, to: &str) {
        let found = self.text(range, to, Origin::Entry);
        let text = self.reader.outline.source(range);
        if found || FREE.within(text) || waits::is_free(text) {
            return;
        }
        let expected = "whom the unit waits for, or an entry criterion of a sprint";
        let got = format!("`{}`, which nobody checks", clip(text.trim(), 80));
        let (weight, code) = (Weight::Warning, Code::Overlooked);
        self.reader.remark(weight, code, range.clone(), expected, &got);
    }

    /// A unit does not wait for a sprint of its own: the label is of another unit, or nobody is waited for.
    pub(super) fn of_others(&mut self, found: &mut Vec<Mention>, start: usize, to: &str) {
        let inner = |one: &Mention| {
            one.id.as_deref().is_some_and(|id| id != to && unit_of(id) == to) && !one.task
        };
        let mut told = Vec::new();
        for one in found.iter_mut().filter(|one| inner(one)) {
            let same = |label: &str| super::same_label(label, &one.said);
            let mut all = self.names.sprints.iter();
            let mut others = all.by_ref().filter(|other| other.unit != to && same(&other.label));
            match (others.next(), others.next()) {
                (Some(other), None) => one.id = Some(other.id.clone()),
                _ => told.push(start + one.at..start + one.at + one.said.len()),
            }
        }
        found.retain(|one| !inner(one));
        for at in told {
            let expected = "a unit or sprint that comes before the whole unit";
            let got = format!("`{}`, a sprint of this unit", self.reader.outline.source(&at));
            self.reader.remark(Weight::Warning, Code::DependencyUnknown, at, expected, &got);
        }
    }

    /// "Phase 2" waits for "Phase 1", unless something else says whom it waits for, or that it waits for nobody.
    pub(super) fn phases(&mut self, plan: &Plan, own: &[Own], silent: &BTreeSet<String>) {
        let headings: BTreeMap<&str, &Own> =
            own.iter().rev().map(|one| (one.id.as_str(), one)).collect();
        let place = |unit: &WorkUnit| {
            let heading = || Some(&headings.get(unit.id.as_str())?.heading);
            rank(&unit.name).or_else(|| rank(self.reader.outline.source(heading()?)))
        };
        let ranked = plan.units.iter().filter_map(|unit| Some((place(unit)?, unit)));
        let mut ranked: Vec<_> = ranked.collect();
        if ranked.len() < 2 {
            return;
        }
        ranked.sort_by(|one, other| one.0.cmp(&other.0));
        let mut waits = self.between();
        let told = self.told();
        for pair in ranked.windows(2) {
            let [(first, before), (second, unit)] = pair else { continue };
            let apart = first.0 != second.0 || first == second;
            if apart || unit.layer.is_some() || self.is_told(unit, &told, silent) {
                continue;
            }
            if reaches(&waits, &before.id, &unit.id) {
                continue;
            }
            waits.entry(unit.id.clone()).or_default().insert(before.id.clone());
            self.add(&before.id, &unit.id, Origin::Order, unit.lines.first);
            let at = self.reader.outline.bytes(unit.lines);
            let line = self.reader.outline.source(&at).lines().next().unwrap_or_default();
            let at = at.start..at.start + line.trim_end().len();
            let expected = "whom a unit waits for, or `**Depends on**: none`";
            let got = format!("`{}` waits for `{}` by its number", unit.name, before.name);
            self.reader.remark(Weight::Note, Code::MissingField, at, expected, &got);
        }
    }

    /// Who waits for something in another unit, and who in its own.
    fn told(&self) -> [BTreeSet<String>; 2] {
        let (outer, inner): (Vec<_>, Vec<_>) =
            self.list.iter().partition(|one| unit_of(&one.from) != unit_of(&one.to));
        [outer, inner].map(|all| all.into_iter().map(|one| one.to.clone()).collect())
    }

    /// Whether something says whom a unit waits for, be it nobody: itself, a column, or each sprint that it begins with.
    fn is_told(
        &self,
        unit: &WorkUnit,
        [outer, inner]: &[BTreeSet<String>; 2],
        silent: &BTreeSet<String>,
    ) -> bool {
        let mut begin = unit.sprints.iter().filter(|one| !inner.contains(&one.id));
        self.spoken.contains(&unit.id)
            || outer.contains(&unit.id)
            || begin.all(|one| !silent.contains(&one.id) || outer.contains(&one.id))
    }

    /// For each unit those that it or one of its sprints waits for.
    fn between(&self) -> BTreeMap<String, BTreeSet<String>> {
        let mut waits: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for one in &self.list {
            let (from, to) = (unit_of(&one.from), unit_of(&one.to));
            if from != to {
                waits.entry(to.to_owned()).or_default().insert(from.to_owned());
            }
        }
        waits
    }
}

/// Whether a unit says something about whom it waits for.
fn says(body: &Body) -> bool {
    body.spoken || !body.depends.is_empty() || !body.needs.is_empty() || body.layer.is_some()
}

/// Whether `from` waits for `to`, be it over others.
fn reaches(waits: &BTreeMap<String, BTreeSet<String>>, from: &str, to: &str) -> bool {
    let (mut open, mut seen) = (vec![from], BTreeSet::new());
    while let Some(one) = open.pop() {
        if one == to {
            return true;
        }
        if seen.insert(one) {
            open.extend(waits.get(one).into_iter().flatten().map(String::as_str));
        }
    }
    false
}
