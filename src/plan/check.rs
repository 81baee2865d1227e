//! The one validator: what is wrong with a plan, whichever reader made it.

use super::document::LineRange;
use super::line;
use super::model::{Criterion, Plan, Remark, Sprint, Unit, Weight};
use super::order::{self, Index, Target};
use super::yaml::count;
use crate::vocab::error::Code;
use std::collections::{BTreeMap, BTreeSet};

/// The faults that every door shares, in the order of lines. A place is that of the element it is about.
pub fn check(plan: &Plan) -> Vec<Remark> {
    located(plan, "")
}

/// As [`check`], with the exact line and column of what each remark is about. `text` is the document that was read.
pub fn located(plan: &Plan, text: &str) -> Vec<Remark> {
    let lines: Vec<&str> = text.lines().collect();
    let mut rows: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (at, line) in lines.iter().enumerate().filter(|(_, line)| line.starts_with('|')) {
        let first = line::cells(line).and_then(|row| row.into_iter().next());
        rows.entry(first.unwrap_or_default()).or_default().push(at);
    }
    let placed = found(plan).into_iter().map(|one| one.placed(&lines, &rows));
    let mut remarks: Vec<Remark> = placed.collect();
    remarks.extend(loose(plan, &lines));
    remarks.sort_by_key(Remark::place);
    remarks
}

/// Open boxes that are part of no task and of no criterion: an agent reads them, but nobody will check them.
fn loose(plan: &Plan, lines: &[&str]) -> Option<Remark> {
    let is_box = |line: &str| {
        let item = line.trim_start().strip_prefix(['-', '*', '+']).map(str::trim_start);
        let said = item.and_then(|item| item.strip_prefix("[ ] "));
        said.is_some_and(|said| !line::asks_nothing(said.trim()))
    };
    let mut open: BTreeSet<u32> =
        (1..).zip(lines).filter(|(_, line)| is_box(line)).map(|(number, _)| number).collect();
    for (_, sprint) in plan.sprints() {
        open.remove(&sprint.lines.first);
        let criteria = sprint.entry.iter().chain(&sprint.exit).map(|one| one.lines);
        for own in criteria.chain(sprint.tasks.iter().map(|one| one.lines)) {
            (own.first..=own.last).for_each(|number| _ = open.remove(&number));
        }
    }
    if open.is_empty() {
        return None;
    }
    let outside = line::outside_fences(lines);
    let at = |number: &u32| usize::try_from(*number).map_or(0, |number| number.saturating_sub(1));
    open.retain(|number| outside.get(at(number)) == Some(&true));
    let (line, last) = (*open.first()?, *open.last()?);
    let got = match open.len() {
        1 => format!("1 open check box in line {line}: nobody will check this"),
        many => {
            format!("{many} open check boxes in lines {line} to {last}: nobody will check these")
        }
    };
    let expected = "a task or a criterion of a sprint".to_owned();
    let (weight, code, column, width) = (Weight::Warning, Code::Overlooked, 1, 0);
    Some(Remark { weight, code, line, column, width, last, expected, got })
}

/// A remark, and the word of the document that it is about. `row`: the name of the unit whose row may have it.
struct Found {
    remark: Remark,
    word: String,
    row: Option<String>,
}

impl Found {
    fn placed(mut self, lines: &[&str], rows: &BTreeMap<String, Vec<usize>>) -> Remark {
        let first = usize::try_from(self.remark.line).unwrap_or(usize::MAX).saturating_sub(1);
        // What a sprint says of itself stands below its heading, which may have the same word; what it waits for in a line
        // that says "Depends on" or "dependencies", if it has one.
        let dependency = [Code::DependencyUnknown, Code::OutOfOrder, Code::DependencyCycle];
        let waits = dependency.contains(&self.remark.code);
        let below = waits || self.remark.code == Code::NumberOutOfRange;
        let first = first.saturating_add(usize::from(below));
        let last = usize::try_from(self.remark.last).unwrap_or(usize::MAX).min(lines.len());
        let field = (first..last).filter(|at| waits && lines[*at].contains("epend"));
        let own = field.chain(first..last).filter(|_| self.row.is_none());
        let rows = self.row.as_ref().and_then(|name| rows.get(name)).into_iter().flatten().copied();
        let place = own.chain(rows).find_map(|at| Some((at, word_at(lines[at], &self.word)?)));
        if let Some((at, byte)) = place.filter(|_| !self.word.is_empty()) {
            self.remark.line = count(at + 1);
            self.remark.last = self.remark.line;
            self.remark.column = count(lines[at][..byte].chars().count() + 1);
            self.remark.width = count(self.word.chars().count());
        }
        self.remark
    }
}

/// Where a text stands in a line, not within a longer word.
fn word_at(line: &str, word: &str) -> Option<usize> {
    let whole = |at: &usize| {
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '/');
        !line[..*at].ends_with(is_part) && !line[at + word.len()..].starts_with(is_part)
    };
    line.match_indices(word).map(|(at, _)| at).find(whole)
}

fn fault(
    code: Code,
    lines: LineRange,
    expected: impl Into<String>,
    got: impl Into<String>,
) -> Found {
    let remark = Remark::on(Weight::Fault, code, lines, expected, got);
    Found { word: remark.got.clone(), remark, row: None }
}

fn found(plan: &Plan) -> Vec<Found> {
    let mut found = Vec::new();
    if plan.sprints().next().is_none() {
        found.push(fault(Code::EmptyPlan, LineRange { first: 1, last: 1 }, "a sprint", "none"));
    }
    let index = Index::new(plan);
    let mut names = BTreeSet::new();
    for unit in &plan.units {
        if unit.name.trim().is_empty() {
            found.push(fault(Code::InvalidValue, unit.lines, "the name of a work unit", "nothing"));
        }
        if !names.insert(unit.name.as_str()) {
            let expected = "one work unit of this name";
            found.push(fault(Code::DuplicateId, unit.lines, expected, unit.name.clone()));
        }
        if unit.sprints.is_empty() {
            let expected = format!("a sprint in work unit `{}`", unit.name);
            found.push(fault(Code::EmptyPlan, unit.lines, expected, "none"));
        }
        for reference in
            unit.depends_on.iter().filter(|one| index.resolve(&unit.name, one).is_none())
        {
            let expected = format!("a work unit or `unit/label` that `{}` waits for", unit.name);
            let one = fault(Code::DependencyUnknown, unit.lines, expected, reference.clone());
            found.push(Found { row: Some(unit.name.clone()), ..one });
        }
        sprints(unit, &index, &mut found);
    }
    circles(plan, &index, &mut found);
    found
}

fn sprints(unit: &Unit, index: &Index<'_>, found: &mut Vec<Found>) {
    let mut labels = BTreeSet::new();
    for (place, sprint) in unit.sprints.iter().enumerate() {
        let lines = sprint.lines;
        let mut fail =
            |code, expected: &str, got: String| found.push(fault(code, lines, expected, got));
        if !line::is_label(&sprint.label) {
            fail(
                Code::InvalidValue,
                "a label of letters, digits, `-`, `_` and `.`, not too long",
                sprint.label.clone(),
            );
        }
        if !labels.insert(sprint.label.as_str()) {
            fail(Code::DuplicateId, "one sprint of this label in its unit", sprint.label.clone());
        }
        if let Some(risk) = sprint.risk.filter(|risk| !(1..=5).contains(risk)) {
            fail(Code::NumberOutOfRange, "a risk from 1 to 5", risk.to_string());
        }
        if sprint.timeout == Some(0) {
            fail(Code::NumberOutOfRange, "a time limit above 0", line::shown(0));
        }
        for reference in sprint.depends_on.iter().flatten() {
            match index.resolve(&unit.name, reference) {
                None => {
                    let expected = "a label of this unit, `unit/label` or a work unit";
                    fail(Code::DependencyUnknown, expected, reference.clone());
                }
                Some(target) => {
                    let at = place_in(unit, &target, index).filter(|at| *at >= place);
                    let expected = "a sprint that stands before this one in its unit";
                    let own = at == Some(place);
                    let code = if own { Code::DependencyCycle } else { Code::OutOfOrder };
                    at.into_iter().for_each(|_| fail(code, expected, reference.clone()));
                }
            }
        }
        criteria(sprint, found);
    }
}

/// The place of a reference among the sprints of a unit, which run in the order of the plan.
fn place_in(unit: &Unit, target: &Target<'_>, index: &Index<'_>) -> Option<usize> {
    let Target::Sprint(other, sprint) = target else { return None };
    index.place(&unit.name, &sprint.label).filter(|_| other.name == unit.name)
}

fn criteria(sprint: &Sprint, found: &mut Vec<Found>) {
    let mut ids = BTreeSet::new();
    let all: Vec<&Criterion> = sprint.entry.iter().chain(&sprint.exit).collect();
    for one in &all {
        if line::criterion_label(&one.id) != Some(one.id.len()) {
            let expected = "a label like `AC-001`";
            found.push(fault(Code::InvalidValue, one.lines, expected, one.id.clone()));
        }
        if !ids.insert(one.id.as_str()) {
            let expected = "one criterion of this label in its sprint";
            found.push(fault(Code::DuplicateId, one.lines, expected, one.id.clone()));
        }
        if one.commands.iter().any(|command| command.within == Some(0)) {
            let expected = "a time limit above 0";
            found.push(fault(Code::NumberOutOfRange, one.lines, expected, line::shown(0)));
        }
        if !one.judged && one.commands.is_empty() {
            let expected = "words or a command";
            found.push(fault(Code::Empty, one.lines, expected, one.id.clone()));
        }
    }
    if sprint.exit.is_empty() {
        let mut one = fault(Code::EmptyCriteria, sprint.lines, "an exit criterion", "none");
        one.remark.weight = Weight::Warning;
        one.word.clone_from(&sprint.label);
        found.push(one);
    }
}

fn circles(plan: &Plan, index: &Index<'_>, found: &mut Vec<Found>) {
    // A forward reference and a name that occurs twice are faults of their own, and any circle may come of them.
    let own = [Code::OutOfOrder, Code::DuplicateId, Code::DependencyCycle];
    let other = |one: &Found| own.contains(&one.remark.code);
    if found.iter().any(other) {
        return;
    }
    let Some(circle) = order::circle(plan) else { return };
    let first = circle.first().map(String::as_str).unwrap_or_default();
    let lines = match index.resolve("", first) {
        Some(Target::Unit(unit)) => unit.lines,
        Some(Target::Sprint(_, sprint)) => sprint.lines,
        None => LineRange { first: 1, last: 1 },
    };
    let expected = "an order in which nothing waits for itself";
    found.push(fault(Code::DependencyCycle, lines, expected, circle.join(" -> ")));
}
