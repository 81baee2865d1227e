//! Makes many changes at once and keeps those after which the document still says what was meant.
//!
//! Reading a document costs as much as it is long. One reading for each change would be quadratic in a long
//! plan, so all are made and the document is read once. If it has a fault then, the change of the sprint with
//! the fault is taken back; a fault that belongs to none is found by halving. So it is with a change after which
//! somebody would wait for others than before, or for itself.

use super::super::contents::{self, Labels};
use super::super::held::{Stray, strays};
use super::super::model::{Dependency, Origin, Plan, unit_of};
use super::super::read::{Parsed, parse};
use std::collections::{BTreeMap, BTreeSet};

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
    fn is_good(&self, plan: &Plan, which: usize, labels: &Labels) -> bool;
    /// The plan before any of them.
    fn plan(&self) -> &Plan;
    /// The ids of the sprints that some of them change, before and after.
    fn own(&self, which: &[usize]) -> BTreeSet<String>;
    /// Who is to wait for whom after some of them, by the ids that sprints have then.
    fn expected(&self, which: &[usize]) -> Vec<Dependency>;
    /// Whether a sprint comes of a change.
    fn owns(&self, which: usize, sprint: &str) -> bool;
}

/// Why changes were taken back, by their places: what somebody would wait for.
pub(super) type Strayed = BTreeMap<usize, String>;

/// The document with as many changes as can be made.
pub(super) fn settle(changes: &impl Changes) -> (Option<Settled>, Strayed) {
    let strayed = Strayed::new();
    let mut settling = Settling { changes, readings: 0, best: None, strayed };
    let all: Vec<usize> = (0..changes.many()).collect();
    settling.most(Vec::new(), all);
    (settling.best, settling.strayed)
}

struct Settling<'c, C> {
    changes: &'c C,
    readings: u32,
    best: Option<Settled>,
    strayed: Strayed,
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
        let sound = parsed.unreadable().next().is_none();
        let labels = Labels::of(self.changes.plan(), &parsed.plan);
        let good = |one: usize| self.changes.is_good(&parsed.plan, one, &labels);
        let failed = which.iter().filter(|one| !good(**one));
        let bad: Vec<usize> = if sound { failed.copied().collect() } else { faulty };
        if sound && bad.is_empty() {
            if let Some(bad) = self.astray(&parsed, &text, which) {
                return Some(bad);
            }
            // A change that spoils another sprint is found by halving.
            let own = self.changes.own(which);
            let same = |id: &str| id.to_owned();
            if contents::astray(self.changes.plan(), &parsed.plan, same, &own).is_some() {
                return Some(Vec::new());
            }
            self.best = Some(Settled { text, plan: parsed.plan, made: which.to_vec() });
            return None;
        }
        Some(bad)
    }

    /// The changes after which somebody would wait for others than before; `None` if nobody would.
    fn astray(&mut self, parsed: &Parsed, text: &str, which: &[usize]) -> Option<Vec<usize>> {
        let expected = self.changes.expected(which);
        let mut all = strays(&expected, &parsed.plan.dependencies);
        all.extend(themselves(parsed, text));
        if all.is_empty() {
            return None;
        }
        let mut bad = Vec::new();
        for stray in &all {
            let owns = |id: &str| which.iter().copied().find(|one| self.changes.owns(*one, id));
            let Some(owner) = owns(&stray.edge.to).or_else(|| owns(&stray.edge.from)) else {
                continue;
            };
            bad.push(owner);
            self.strayed.entry(owner).or_insert_with(|| said(stray));
        }
        if let ([only], true) = (which, bad.is_empty()) {
            self.strayed.entry(*only).or_insert_with(|| said(&all[0]));
        }
        Some(bad)
    }

    /// The changes of the sprints that faults stand in.
    fn faulty(&self, parsed: &Parsed, which: &[usize]) -> Vec<usize> {
        let lines: Vec<u32> = parsed.unreadable().map(|fault| fault.line).collect();
        let hit = parsed.plan.sprints().filter(|sprint| {
            lines.iter().any(|line| (sprint.lines.first..=sprint.lines.last).contains(line))
        });
        let ids: Vec<&str> = hit.map(|sprint| sprint.id.as_str()).collect();
        let owns = |one: &&usize| ids.iter().any(|id| self.changes.owns(**one, id));
        which.iter().filter(owns).copied().collect()
    }
}

/// What is wrong with a wait, in words.
fn said(stray: &Stray) -> String {
    let (from, to) = (&stray.edge.from, &stray.edge.to);
    match stray.lost {
        _ if from == to => format!("`{to}` would name itself among those it waits for"),
        true => format!("`{to}` would no longer wait for `{from}`"),
        false => format!("`{to}` would wait for `{from}`"),
    }
}

/// The sprints that name themselves in a text about nothing but dependencies. Such a name makes no wait, so it is
/// looked for where it stands.
fn themselves(parsed: &Parsed, text: &str) -> Vec<Stray> {
    let ends: Vec<usize> = text.match_indices('\n').map(|(at, _)| at).collect();
    let line = |at: usize| ends.partition_point(|end| *end < at) + 1;
    let named: BTreeSet<(usize, &str)> =
        parsed.labels.iter().map(|one| (line(one.range.start), one.id.as_str())).collect();
    let mut found = Vec::new();
    for sprint in parsed.plan.sprints() {
        let (first, last) = (sprint.lines.first as usize, sprint.lines.last as usize);
        let mut inside = named.range((first + 1, "")..).take_while(|(line, _)| *line <= last);
        if let Some((line, _)) = inside.find(|(_, id)| *id == sprint.id) {
            let (from, to) = (sprint.id.clone(), sprint.id.clone());
            let line = u32::try_from(*line).unwrap_or(u32::MAX);
            found.push(Stray {
                edge: Dependency { from, to, origin: Origin::Field, line },
                lost: false,
            });
        }
    }
    found
}

/// The id of another sprint of the same unit.
pub(super) fn beside(id: &str, label: &str) -> String {
    format!("{}/{label}", unit_of(id))
}
