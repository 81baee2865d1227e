//! What units say themselves below their headings.

use super::super::super::mention::Mention;
use super::super::super::model::{Origin, Weight, unit_of};
use super::super::body::Body;
use super::super::units::Own;
use super::super::waits;
use super::{Edges, FREE};
use crate::vocab::error::{Code, clip};
use std::ops::Range;

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
            let section = heading.start..body.end.max(heading.end);
            if says(body) || self.is_apart(id, section, heading.clone()) {
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
}

/// Whether a unit says something about whom it waits for.
fn says(body: &Body) -> bool {
    body.spoken || !body.depends.is_empty() || !body.needs.is_empty() || body.layer.is_some()
}
