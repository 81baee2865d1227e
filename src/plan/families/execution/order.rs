//! What waits for what: layers, the column and fields of dependencies, drawings in mermaid, entry criteria.

use super::super::lines::{Kind, Line, Table, titled};
use super::super::outline::Outline;
use super::body::Body;
use super::refs::{Names, Ref, is_name, names};
use super::remark;
use super::sprints::Found;
use super::words::{DEPENDS, LAYER, SPRINT, nothing};
use crate::plan::model::{Remark, Unit, Weight};
use crate::vocab::error::{Code, clip};
use std::collections::{BTreeMap, BTreeSet};

/// A sprint by the place of its unit and its own.
type Id = (usize, usize);

/// The most names of one list that are told to be nowhere.
const MOST: usize = 20;

/// What the order is read from, and what was wrong with it.
pub(super) struct Order<'s, 'a> {
    pub(super) outline: &'s Outline<'a>,
    /// The table of units.
    pub(super) table: Option<&'s Table>,
    pub(super) found: &'s [Found],
    pub(super) bodies: &'s [Body],
    /// What each unit says below its heading that it waits for, with its line.
    pub(super) fields: Vec<(usize, String)>,
    /// The place of each sprint among those that were found.
    pub(super) places: BTreeMap<Id, usize>,
    pub(super) names: Names,
    pub(super) remarks: Vec<Remark>,
}

impl Order<'_, '_> {
    /// Reads the order into the plan.
    pub(super) fn read(&mut self, units: &mut [Unit]) {
        let mut rows = self.units();
        rows.resize(units.len(), Vec::new());
        let drawn = self.drawn();
        let before = |one: Ref| drawn.get(&one).into_iter().flatten().copied();
        let mut sprints = Vec::new();
        for (id, at) in self.places.clone() {
            let told = match self.bodies[at].field(&DEPENDS) {
                Some(field) => self.listed(Some(id.0), field.lines.start, &field.value),
                None => None,
            };
            let named =
                || before((id.0, Some(id.1))).chain(self.entry(id, at)).collect::<Vec<Ref>>();
            let refs = told.or_else(|| Some(named()).filter(|named| !named.is_empty()));
            sprints.push((id, refs.map(|refs| told_by(units, id, refs))));
        }
        for (at, refs) in rows.into_iter().enumerate() {
            let all: Vec<Ref> = refs.into_iter().chain(before((at, None))).collect();
            units[at].depends_on = written(units, at, &all);
        }
        for ((unit, sprint), depends_on) in sprints {
            units[unit].sprints[sprint].depends_on = depends_on;
        }
    }

    /// What a list names; a name that is nowhere is a fault. Of a sentence only exact labels are read; one that names
    /// nothing says nothing, and is told.
    fn listed(&mut self, own: Option<usize>, line: usize, text: &str) -> Option<Vec<Ref>> {
        // A name may have a comma in it.
        if let Some(unit) = self.names.unit(text) {
            return Some(vec![(unit, None)]);
        }
        let (mut refs, mut unknown) = (Vec::new(), 0);
        for name in names(text) {
            match self.names.exact(own, name) {
                Some(one) => refs.push(one),
                None if is_name(name) && unknown < MOST => {
                    unknown += 1;
                    self.unknown(line, name.trim());
                }
                None => refs.extend(self.names.mentioned(own, name)),
            }
        }
        let says = !refs.is_empty() || nothing(text);
        if !says && unknown == 0 {
            let expected =
                "names of sprints or work units of this plan; others say nothing of the order";
            let got = clip(text.trim(), 80);
            self.remarks.push(remark(
                Weight::Warning,
                Code::DependencyUnknown,
                line,
                expected,
                got,
            ));
        }
        says.then_some(refs)
    }

    fn unknown(&mut self, line: usize, name: &str) {
        let expected = "a sprint or work unit of this plan";
        let text = self.outline.get(line).map_or("", |line| line.source);
        let fault = remark(Weight::Fault, Code::DependencyUnknown, line, expected, name.to_owned());
        self.remarks.push(match text.rfind(name) {
            Some(at) => fault.about(text, at, name),
            None => fault,
        });
    }

    /// What units wait for by the table that names them, else by fields below their headings.
    fn units(&mut self) -> Vec<Vec<Ref>> {
        let Some(table) = self.table else {
            let fields = std::mem::take(&mut self.fields).into_iter();
            let told = fields.map(|(line, value)| self.listed(None, line, &value));
            return told.map(Option::unwrap_or_default).collect();
        };
        let mut all = layers(table).unwrap_or_else(|| vec![Vec::new(); table.rows.len()]);
        let column = table.column(&DEPENDS);
        for (refs, (line, cells)) in all.iter_mut().zip(&table.rows) {
            let cell = column.and_then(|at| cells.get(at)).map_or("", String::as_str);
            refs.splice(0..0, self.listed(None, *line, cell).unwrap_or_default());
        }
        all
    }

    /// What entry criteria name. They name what comes before; what stands behind is said aside.
    fn entry(&self, id: Id, at: usize) -> Vec<Ref> {
        let head = |id: &Id| self.places.get(id).map(|at| self.found[*at].head);
        let before = |(unit, sprint): &Ref| {
            let last = sprint.map(|sprint| (*unit, sprint)).or_else(|| self.names.last(*unit));
            let own = sprint.is_none() && *unit == id.0;
            !own && last.as_ref().and_then(head) < head(&id) && last.is_some()
        };
        let texts = self.bodies[at].entry.iter().map(|entry| entry.text.as_str());
        let all = texts.flat_map(|text| self.names.mentioned(Some(id.0), text));
        all.filter(before).collect()
    }

    /// What comes before what by drawings in mermaid, of those nodes that are labels or names.
    fn drawn(&self) -> BTreeMap<Ref, Vec<Ref>> {
        let mut all: BTreeMap<Ref, Vec<Ref>> = BTreeMap::new();
        let drawings = self.outline.lines.iter().enumerate();
        let drawn = |line: &Line<'_>| line.kind == Kind::Fence && line.words == "mermaid";
        for (at, _) in drawings.filter(|(_, line)| drawn(line)) {
            let mut shown: BTreeMap<&str, &str> = BTreeMap::new();
            let inside = self.outline.lines[self.outline.fence(at).0].iter();
            let chains: Vec<_> = inside.map(|line| chain(line.source, &mut shown)).collect();
            let of = |node: &str| {
                let text = shown.get(node).copied().unwrap_or(node);
                self.names.exact(self.names.only(), text)
            };
            for pair in chains.iter().flat_map(|chain| chain.windows(2)) {
                if let (Some(from), Some(to)) = (of(pair[0]), of(pair[1])) {
                    all.entry(to).or_default().push(from);
                }
            }
        }
        all
    }
}

/// The nodes of a line `A[text] --> B --> C`; the text they show is remembered, of a sprint up to its label.
fn chain<'t>(line: &'t str, shown: &mut BTreeMap<&'t str, &'t str>) -> Vec<&'t str> {
    let node = |part: &'t str| {
        let behind = part.trim().strip_prefix('|').and_then(|rest| rest.split_once('|'));
        let node = behind.map_or(part, |(_, rest)| rest).trim().trim_end_matches(';');
        let (id, text) = node.split_at(node.find(['[', '(', '{']).unwrap_or(node.len()));
        let text = text.trim_matches(|c: char| "[](){}\" ".contains(c));
        let label =
            titled(text, &SPRINT).and_then(|(label, _)| Some(text.find(label)? + label.len()));
        if !text.is_empty() {
            shown.insert(id.trim(), &text[..label.unwrap_or(text.len())]);
        }
        id.trim()
    };
    line.split("-->").map(node).collect()
}

/// The units of the layer below each unit; they wait for those below them. All rows must have a number.
fn layers(table: &Table) -> Option<Vec<Vec<Ref>>> {
    let at = table.column(&LAYER)?;
    let number = |(_, cells): &(usize, Vec<String>)| cells.get(at)?.parse::<usize>().ok();
    let layers: Vec<usize> = table.rows.iter().map(number).collect::<Option<_>>()?;
    let below = |layer: &usize| {
        let next = layers.iter().filter(|other| *other < layer).max();
        let all = layers.iter().enumerate().filter(|(_, other)| Some(*other) == next);
        all.map(|(unit, _)| (unit, None)).collect()
    };
    Some(layers.iter().map(below).collect())
}

/// What a sprint waits for. One that only names other units waits for the sprint before it, too.
fn told_by(units: &[Unit], id: Id, mut refs: Vec<Ref>) -> Vec<String> {
    if !refs.is_empty() && id.1 > 0 && refs.iter().all(|(unit, _)| *unit != id.0) {
        refs.insert(0, (id.0, Some(id.1 - 1)));
    }
    written(units, id.0, &refs)
}

/// References as a unit or a sprint of it writes them.
fn written(units: &[Unit], own: usize, refs: &[Ref]) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let text = |(unit, sprint): &Ref| {
        let of = &units[*unit];
        match sprint.map(|sprint| &of.sprints[sprint].label) {
            Some(label) if *unit == own => label.clone(),
            Some(label) => format!("{}/{label}", of.name),
            None => of.name.clone(),
        }
    };
    refs.iter().filter(|one| seen.insert(**one)).map(text).collect()
}
