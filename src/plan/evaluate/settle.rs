//! Makes many changes at once and keeps those after which the document still says what was meant.
//!
//! Reading a document costs as much as it is long. One reading for each change would be quadratic in a long
//! plan, so all are made and the document is read once. If it has a fault then, the change of the sprint with
//! the fault is taken back; a fault that belongs to none is found by halving.

use super::super::model::{Plan, unit_of};
use super::super::read::{Parsed, parse};

/// More readings than this are spent on no pass.
const MOST_READINGS: u32 = 64;

/// A document with some of the changes, as it was read.
pub(super) struct Settled {
    pub(super) text: String,
    pub(super) plan: Plan,
    /// The places of the changes that were made.
    pub(super) made: Vec<usize>,
}

/// One kind of change to one document.
pub(super) trait Changes {
    /// How many changes there are.
    fn many(&self) -> usize;
    /// The document with some of them.
    fn apply(&self, which: &[usize]) -> String;
    /// Whether a change did what it should.
    fn is_good(&self, plan: &Plan, which: usize) -> bool;
    /// Whether a sprint comes of a change.
    fn owns(&self, which: usize, sprint: &str) -> bool;
}

/// The document with as many changes as can be made.
pub(super) fn settle(changes: &impl Changes) -> Option<Settled> {
    let mut settling = Settling { changes, readings: 0, best: None };
    let all: Vec<usize> = (0..changes.many()).collect();
    settling.most(Vec::new(), all);
    settling.best
}

struct Settling<'c, C> {
    changes: &'c C,
    readings: u32,
    best: Option<Settled>,
}

impl<C: Changes> Settling<'_, C> {
    /// Tries `open` beside those that are `kept`; the changes that are kept in the end.
    fn most(&mut self, kept: Vec<usize>, mut open: Vec<usize>) -> Vec<usize> {
        loop {
            if open.is_empty() || self.readings >= MOST_READINGS {
                return kept;
            }
            let mut all = kept.clone();
            all.extend(&open);
            all.sort_unstable();
            let Some(bad) = self.bad(&all) else { return all };
            let many = open.len();
            open.retain(|which| !bad.contains(which));
            if open.len() == many {
                break;
            }
        }
        if open.len() == 1 {
            return kept;
        }
        let behind = open.split_off(open.len() / 2);
        let kept = self.most(kept, open);
        self.most(kept, behind)
    }

    /// The changes that something is wrong with; `None` if all is well.
    fn bad(&mut self, which: &[usize]) -> Option<Vec<usize>> {
        let text = self.changes.apply(which);
        let parsed = parse(&text);
        self.readings += 1;
        let faulty = self.faulty(&parsed, which);
        let sound = parsed.faults().next().is_none();
        let failed = which.iter().filter(|one| !self.changes.is_good(&parsed.plan, **one));
        let bad: Vec<usize> = if sound { failed.copied().collect() } else { faulty };
        if sound && bad.is_empty() {
            self.best = Some(Settled { text, plan: parsed.plan, made: which.to_vec() });
            return None;
        }
        Some(bad)
    }

    /// The changes of the sprints that faults stand in.
    fn faulty(&self, parsed: &Parsed, which: &[usize]) -> Vec<usize> {
        let lines: Vec<u32> = parsed.faults().map(|fault| fault.line).collect();
        let hit = parsed.plan.sprints().filter(|sprint| {
            lines.iter().any(|line| (sprint.lines.first..=sprint.lines.last).contains(line))
        });
        let ids: Vec<&str> = hit.map(|sprint| sprint.id.as_str()).collect();
        let owns = |one: &&usize| ids.iter().any(|id| self.changes.owns(**one, id));
        which.iter().filter(owns).copied().collect()
    }
}

/// The id of another sprint of the same unit.
pub(super) fn beside(id: &str, label: &str) -> String {
    format!("{}/{label}", unit_of(id))
}
