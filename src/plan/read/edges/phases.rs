//! Units whose names say what comes first, and which of them go beside each other.

use super::super::super::called::rank;
use super::super::super::mention::{Speaker, mentions};
use super::super::super::model::{Origin, Plan, Weight, WorkUnit, unit_of};
use super::super::super::phrases::Phrases;
use super::super::units::Own;
use super::super::waits;
use super::Edges;
use crate::vocab::error::Code;
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

/// Where the names end that one may begin beside.
const ENDS: [&str; 10] =
    ["\n", ")", ";", ": ", ". ", " after ", " once ", " when ", " but ", " because "];

impl Edges<'_, '_> {
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
            let earlier = ranked.iter().rev().skip_while(|one| one.1.id != before.id);
            let earlier = earlier.filter(|one| one.0.0 == second.0);
            for before in self.nearest(unit, earlier.map(|one| one.1), &waits) {
                waits.entry(unit.id.clone()).or_default().insert(before.id.clone());
                self.by_number(before, unit);
            }
        }
    }

    /// Whom a unit waits for by its number: the one before it; where some go beside each other, all of those, or
    /// what is before them.
    fn nearest<'p>(
        &self,
        unit: &WorkUnit,
        earlier: impl Iterator<Item = &'p WorkUnit>,
        waits: &BTreeMap<String, BTreeSet<String>>,
    ) -> Vec<&'p WorkUnit> {
        let beside = self.beside.get(&unit.id);
        let mut found: Vec<&WorkUnit> = Vec::new();
        for one in earlier {
            let mut all = beside.into_iter().flatten();
            let free = all.any(|other| reaches(waits, &one.id, other));
            let known = found.iter().any(|other| reaches(waits, &other.id, &one.id))
                || reaches(waits, &unit.id, &one.id)
                || reaches(waits, &one.id, &unit.id);
            if !free && !known {
                found.push(one);
            }
            if !free && !self.beside.contains_key(&one.id) {
                break;
            }
        }
        found
    }

    /// One unit waits for another because its number is the next.
    fn by_number(&mut self, before: &WorkUnit, unit: &WorkUnit) {
        self.add(&before.id, &unit.id, Origin::Order, unit.lines.first);
        let at = self.reader.outline.bytes(unit.lines);
        let line = self.reader.outline.source(&at).lines().next().unwrap_or_default();
        let at = at.start..at.start + line.trim_end().len();
        let expected = "whom a unit waits for, or `**Depends on**: none`";
        let got = format!("`{}` waits for `{}` by its number", unit.name, before.name);
        self.reader.remark(Weight::Note, Code::MissingField, at, expected, &got);
    }

    /// Whether a unit says that it waits for no other. What it may begin beside is kept: only the order between
    /// those two is taken away.
    pub(super) fn is_apart(
        &mut self,
        id: &str,
        section: Range<usize>,
        heading: Range<usize>,
    ) -> bool {
        let text = self.reader.outline.source(&section);
        let spots = APART.spots(text).map(|spot| self.beside_of(id, &text[spot.end..]));
        let spots: Vec<Vec<String>> = spots.collect();
        let name = self.reader.outline.source(&heading).to_lowercase();
        let whole = spots.is_empty() && name.contains("parallel");
        let apart = whole || spots.iter().any(Vec::is_empty);
        for other in spots.into_iter().flatten() {
            self.beside.entry(id.to_owned()).or_default().insert(other.clone());
            self.beside.entry(other).or_default().insert(id.to_owned());
        }
        apart
    }

    /// The units that are named behind "in parallel with"; none if anything else is.
    fn beside_of(&self, id: &str, behind: &str) -> Vec<String> {
        let end = ENDS.iter().filter_map(|mark| behind.find(mark)).min();
        let said = behind.get(..end.unwrap_or(behind.len())).unwrap_or_default();
        let said = said.trim_matches(|c: char| c.is_whitespace() || ".*_".contains(c));
        let speaker = Speaker { unit: Some(id), sprint: None, brief: true };
        let mut found = mentions(said, &self.names, speaker);
        found.extend(waits::worded(said, &found, &self.names));
        let others = found.into_iter().map(|one| one.id.filter(|one| !one.contains('/')));
        let others: Option<Vec<String>> = others.collect();
        others.unwrap_or_default().into_iter().filter(|one| one != id).collect()
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
