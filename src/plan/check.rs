//! The one validator: what is wrong with a plan, whichever reader made it.

use super::document::LineRange;
use super::line;
use super::model::{Plan, Remark, Sprint, Unit, Weight};
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
    let (first, last) = (*open.first()?, *open.last()?);
    let got = match open.len() {
        1 => format!("1 open check box in line {first}: nobody will check this"),
        many => {
            format!("{many} open check boxes in lines {first} to {last}: nobody will check these")
        }
    };
    let (lines, expected) = (LineRange { first, last }, "a task or a criterion of a sprint");
    Some(Remark::on(Weight::Warning, Code::Overlooked, lines, expected, got))
}

/// A remark, and the word of the document that it is about. `row`: the name of the unit whose row may have it.
struct Found {
    remark: Remark,
    word: String,
    row: Option<String>,
}

impl Found {
    fn placed(self, lines: &[&str], rows: &BTreeMap<String, Vec<usize>>) -> Remark {
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
        let Some((at, byte)) = place.filter(|_| !self.word.is_empty()) else { return self.remark };
        let line = count(at + 1);
        Remark { line, last: line, ..self.remark.about(lines[at], byte, &self.word) }
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

fn fault(code: Code, lines: LineRange, expected: &str, got: &str) -> Found {
    let remark = Remark::on(Weight::Fault, code, lines, expected, got);
    Found { word: got.to_owned(), remark, row: None }
}

/// What is wrong about something: whether it is, the code, what would have been right, and what is there.
type Wrong<'a> = (bool, Code, &'a str, &'a str);

/// The faults of what stands at `lines`.
fn faults<'a>(lines: LineRange, wrong: &'a [Wrong<'a>]) -> impl Iterator<Item = Found> + 'a {
    let wrong = wrong.iter().filter(|one| one.0);
    wrong.map(move |(_, code, expected, got)| fault(*code, lines, expected, got))
}

fn found(plan: &Plan) -> Vec<Found> {
    let (empty, first) = (plan.sprints().next().is_none(), LineRange::line(1));
    let mut found: Vec<Found> =
        faults(first, &[(empty, Code::EmptyPlan, "a sprint", "none")]).collect();
    let index = Index::new(plan);
    let mut names = BTreeSet::new();
    for unit in &plan.units {
        let name = unit.name.as_str();
        let sprint = format!("a sprint in work unit `{name}`");
        let wrong: [Wrong<'_>; 3] = [
            (name.trim().is_empty(), Code::InvalidValue, "the name of a work unit", "nothing"),
            (!names.insert(name), Code::DuplicateId, "one work unit of this name", name),
            (unit.sprints.is_empty(), Code::EmptyPlan, &sprint, "none"),
        ];
        found.extend(faults(unit.lines, &wrong));
        let unknown = unit.depends_on.iter().filter(|one| index.resolve(name, one).is_none());
        found.extend(unknown.map(|reference| {
            let expected = format!("a work unit or `unit/label` that `{name}` waits for");
            let one = fault(Code::DependencyUnknown, unit.lines, &expected, reference);
            Found { row: Some(name.to_owned()), ..one }
        }));
        sprints(unit, &index, &mut found);
    }
    circles(plan, &index, &mut found);
    found
}

/// What a label is made of.
const LABEL: &str = "a label of letters, digits, `-`, `_` and `.`, not too long";

fn sprints(unit: &Unit, index: &Index<'_>, found: &mut Vec<Found>) {
    let (mut labels, zero) = (BTreeSet::new(), line::shown(0));
    for (place, sprint) in unit.sprints.iter().enumerate() {
        let (label, risk) = (sprint.label.as_str(), sprint.risk.unwrap_or(1));
        let (again, risky) = (!labels.insert(label), !(1..=5).contains(&risk));
        let wrong: [Wrong<'_>; 4] = [
            (!line::is_label(label), Code::InvalidValue, LABEL, label),
            (again, Code::DuplicateId, "one sprint of this label in its unit", label),
            (risky, Code::NumberOutOfRange, "a risk from 1 to 5", &risk.to_string()),
            (sprint.timeout == Some(0), Code::NumberOutOfRange, "a time limit above 0", &zero),
        ];
        found.extend(faults(sprint.lines, &wrong));
        for reference in sprint.depends_on.iter().flatten() {
            let target = index.resolve(&unit.name, reference);
            let at = target.and_then(|target| place_in(unit, &target, index));
            let before = "a sprint that stands before this one in its unit";
            let known = "a label of this unit, `unit/label` or a work unit";
            let wrong: [Wrong<'_>; 3] = [
                (target.is_none(), Code::DependencyUnknown, known, reference.as_str()),
                (at == Some(place), Code::DependencyCycle, before, reference),
                (at > Some(place), Code::OutOfOrder, before, reference),
            ];
            found.extend(faults(sprint.lines, &wrong));
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
    let (mut ids, zero) = (BTreeSet::new(), line::shown(0));
    for one in sprint.entry.iter().chain(&sprint.exit) {
        let id = one.id.as_str();
        let labelled = line::criterion_label(id) == Some(id.len());
        let at_once = one.commands.iter().any(|command| command.within == Some(0));
        let empty = !one.judged && one.commands.is_empty();
        let wrong: [Wrong<'_>; 4] = [
            (!labelled, Code::InvalidValue, "a label like `AC-001`", id),
            (!ids.insert(id), Code::DuplicateId, "one criterion of this label in its sprint", id),
            (at_once, Code::NumberOutOfRange, "a time limit above 0", &zero),
            (empty, Code::Empty, "words or a command", id),
        ];
        found.extend(faults(one.lines, &wrong));
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
        None => LineRange::line(1),
    };
    let expected = "an order in which nothing waits for itself";
    found.push(fault(Code::DependencyCycle, lines, expected, &circle.join(" -> ")));
}
