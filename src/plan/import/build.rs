//! Spans and their source become a plan. All text is copied here; its place decides what it belongs to.

use super::check::{is_invented, of_criterion};
use super::spans::{EdgeKind, Kind, Located};
use super::view::View;
use crate::plan::document::{LineRange, unboxed, unmarked};
use crate::plan::model::{
    Command, Criterion, Expect, Plan, Settings, Source, Sprint, Status, Task, Unit, WHOLE,
};
use crate::plan::{clause, line, write};
use crate::vocab::text::one_line;
use std::ops::Range;

/// The plan that the spans say.
pub(super) fn build(view: &View, source: Source) -> Plan {
    let settings = Settings { source: Some(source), ..Settings::default() };
    let plan = Plan { front: write::front(&settings, ""), settings, ..Plan::default() };
    let units = view.units.iter().map(|unit| new_unit(view, unit.span)).collect();
    let sprints = view.sprints.iter().map(|sprint| new_sprint(view, sprint.span)).collect();
    let mut made = Made { view, plan, units, sprints };
    view.ordered().for_each(|(number, span)| made.take(number, span));
    made.notes();
    made.join()
}

struct Made<'v, 'a> {
    view: &'v View<'a>,
    plan: Plan,
    /// As the units of the view.
    units: Vec<Unit>,
    /// As the sprints of the view.
    sprints: Vec<Sprint>,
}

fn new_unit(view: &View, span: Option<usize>) -> Unit {
    let span = span.and_then(|span| view.spans.get(span));
    let name = span.map_or(String::new(), |span| one_line(view.text(span)));
    Unit { name, ..Unit::default() }
}

fn new_sprint(view: &View, span: Option<usize>) -> Sprint {
    let Some(span) = span.and_then(|span| view.spans.get(span)) else {
        return Sprint { label: "1".to_owned(), added: true, ..Sprint::default() };
    };
    let label = span.label.clone().unwrap_or_default();
    let added = is_invented(view, span) || span.name.is_some();
    let name = span.name.clone().unwrap_or_else(|| name_of(view.text(span), &label));
    Sprint { label, name: one_line(&name), added, ..Sprint::default() }
}

/// What a heading says behind its label; all of it if other words than `Sprint` stand before that.
fn name_of(text: &str, label: &str) -> String {
    let bare = text.trim_matches(['*', '_', ' ']);
    let rest = bare.strip_prefix("Sprint ").unwrap_or(bare).strip_prefix(label);
    let rest = rest.filter(|rest| !label.is_empty() && !rest.starts_with(char::is_alphanumeric));
    let marks =
        |rest: &'_ str| rest.trim_start_matches(|c: char| " :：-–—.)*".contains(c)).to_owned();
    rest.map_or(bare.to_owned(), marks)
}

impl Made<'_, '_> {
    /// The sprint and the unit that a span belongs to. A row of a table of all units names another than it stands in.
    fn owner(&self, span: &Located) -> (Option<usize>, Option<usize>) {
        let (sprint, unit) = (self.view.sprint_at(span.at.start), self.view.unit_at(span.at.start));
        let named = matches!(span.kind, Kind::DependsOn | Kind::Directory).then_some(span.parent);
        let Some(parent @ Some(_)) = named else { return (sprint, unit) };
        match self.view.units.iter().position(|one| one.span == parent) {
            Some(unit) => (None, Some(unit)),
            None => (self.view.sprints.iter().position(|one| one.span == parent).or(sprint), unit),
        }
    }

    fn take(&mut self, number: usize, span: &Located) {
        let (view, (sprint, unit)) = (self.view, self.owner(span));
        let waits = self.waits(span, sprint);
        let own = sprint.and_then(|at| self.sprints.get_mut(at));
        match (span.kind, own, unit.and_then(|at| self.units.get_mut(at))) {
            (Kind::Title, ..) if self.plan.title.is_empty() => {
                self.plan.title = one_line(view.text(span));
            }
            (Kind::Directory, _, Some(unit)) => unit.directory = one_line(&bare(view, &span.at)),
            (Kind::DependsOn, None, Some(unit)) => join(&mut unit.depends_on, waits),
            (kind, Some(own), _) => {
                if waits.is_some() {
                    join(own.depends_on.get_or_insert_default(), waits);
                }
                match kind {
                    Kind::Task => own.tasks.push(Task {
                        text: copied(view, &span.at),
                        ticked: ticked(view, span),
                        added: false,
                        lines: LineRange::default(),
                    }),
                    Kind::EntryCriterion => criterion(view, number, span, "EC", &mut own.entry),
                    Kind::ExitCriterion => criterion(view, number, span, "AC", &mut own.exit),
                    Kind::Command if !of_criterion(view, span) => {
                        criterion(view, number, span, "AC", &mut own.exit);
                    }
                    Kind::Done => own.status = Status::Done,
                    Kind::Deferred => own.status = Status::Deferred,
                    _ => {}
                }
            }
            _ => {}
        }
    }

    /// What a line waits for; `None` if it says nothing of it.
    fn waits(&self, span: &Located, sprint: Option<usize>) -> Option<Vec<String>> {
        let (units, sprints) = (&self.view.units, &self.view.sprints);
        let name = |unit: Option<usize>| {
            unit.and_then(|at| self.units.get(at)).map_or(WHOLE, |one| &one.name)
        };
        let own = sprint.and_then(|at| sprints.get(at)).map(|sprint| sprint.unit);
        let told = |target: &Option<usize>| {
            if let Some(at) = units.iter().position(|one| one.span == *target) {
                return Some(name(Some(at)).to_owned());
            }
            let at = sprints.iter().position(|one| one.span == *target)?;
            let (section, label) = (sprints.get(at)?, &self.sprints.get(at)?.label);
            let near = own == Some(section.unit);
            Some(if near { label.clone() } else { format!("{}/{label}", name(section.unit)) })
        };
        let after = span.edges.iter().filter(|edge| edge.0 == EdgeKind::After);
        let names: Vec<String> = after.filter_map(|edge| told(&edge.1)).collect();
        let nothing = span.edges.iter().any(|edge| edge.0 == EdgeKind::Nothing);
        (nothing || !names.is_empty()).then_some(names)
    }

    /// Every line that is not used up goes to the notes of its section, as it stands.
    fn notes(&mut self) {
        let view = self.view;
        let mut last = None;
        for line in (0..view.outline.lines()).filter(|line| is_kept(view, *line)) {
            let at = view.outline.line(line);
            let holder = holder(view, at.end.saturating_sub(1).max(at.start));
            let notes = match holder {
                (Some(at), _) => self.sprints.get_mut(at).map(|one| &mut one.notes),
                (None, Some(at)) => self.units.get_mut(at).map(|one| &mut one.notes),
                (None, None) => None,
            };
            let notes = notes.unwrap_or(&mut self.plan.notes);
            if !notes.is_empty() && last != Some((line, holder)) {
                notes.push('\n');
            }
            notes.push_str(view.outline.slice(at));
            notes.push('\n');
            last = Some((line + 1, holder));
        }
    }

    fn join(mut self) -> Plan {
        let mut whole = Unit { name: WHOLE.to_owned(), ..Unit::default() };
        for (section, mut sprint) in self.view.sprints.iter().zip(self.sprints) {
            sprint.notes = sprint.notes.trim_matches('\n').to_owned();
            sprint.lines = lines(self.view, &section.at);
            let unit = section.unit.and_then(|at| self.units.get_mut(at)).unwrap_or(&mut whole);
            unit.sprints.push(sprint);
        }
        let units = std::iter::once(whole).chain(self.units);
        Plan { units: units.filter(|unit| !unit.sprints.is_empty()).collect(), ..self.plan }
    }
}

fn join(known: &mut Vec<String>, new: Option<Vec<String>>) {
    for one in new.into_iter().flatten() {
        if !known.contains(&one) {
            known.push(one);
        }
    }
}

/// The sprint, else the unit whose notes a byte belongs to. A unit without a sprint is none.
fn holder(view: &View, byte: usize) -> (Option<usize>, Option<usize>) {
    let full = |unit: &usize| {
        let start = view.units.get(*unit).map_or(0, |unit| unit.at.start);
        let first = view.sprints.partition_point(|sprint| sprint.at.start < start);
        view.sprints.get(first).is_some_and(|sprint| sprint.unit == Some(*unit))
    };
    match view.sprint_at(byte) {
        Some(sprint) => (Some(sprint), None),
        None => (None, view.unit_at(byte).filter(full)),
    }
}

/// Whether something of a line is in no element. A fence is kept as a whole.
pub(super) fn is_kept(view: &View, line: usize) -> bool {
    let outline = view.outline;
    let Some(fence) = outline.fence(outline.line(line).start) else { return is_loose(view, line) };
    let (first, last) =
        (outline.line_of(fence.start), outline.line_of(fence.end.saturating_sub(1)));
    let said = |c: char| !(c.is_whitespace() || "`~>".contains(c));
    let open = outline.slice(outline.line(last)).contains(said);
    (first + 1..last + usize::from(open)).any(|row| is_loose(view, row))
}

fn is_loose(view: &View, line: usize) -> bool {
    let at = view.outline.line(line);
    let unused = view.over(&at).any(|span| !is_used(view, span));
    let blank = view.outline.slice(at.clone()).trim().is_empty();
    !blank && (unused || view.first_in(&at).is_none() || view.residue(line).is_some())
}

/// Whether all that a span says is in the plan without its line. Of what names others only the names are.
fn is_used(view: &View, span: &Located) -> bool {
    match span.kind {
        Kind::Title => {
            let first = view.ordered().find(|one| one.1.kind == Kind::Title);
            first.is_some_and(|one| one.1.at == span.at)
        }
        Kind::Unit => holder(view, span.at.start).1.is_some(),
        Kind::Notes | Kind::Done | Kind::Deferred | Kind::DependsOn => false,
        _ => true,
    }
}

/// A code span or line without its marks.
pub(super) fn bare(view: &View, at: &Range<usize>) -> String {
    view.outline.slice(at.clone()).trim_matches('`').trim().to_owned()
}

fn lines(view: &View, at: &Range<usize>) -> LineRange {
    let (first, last) =
        (view.outline.place(at.start).0, view.outline.place(at.end.saturating_sub(1)).0);
    LineRange { first, last: last.max(first) }
}

/// Whether the box before a span is ticked; `None` without one.
fn ticked(view: &View, span: &Located) -> Option<bool> {
    let line = view.outline.line(view.outline.line_of(span.at.start));
    unboxed(unmarked(view.outline.slice(line))).1
}

/// The text of a place, the indentation that all further lines share taken off them.
fn copied(view: &View, at: &Range<usize>) -> String {
    let mut rows = view.outline.slice(at.clone()).lines();
    let first = rows.next().unwrap_or_default().to_owned();
    let said = rows.clone().filter(|row| !row.trim().is_empty());
    let shared = said.map(line::indent).min().unwrap_or_default();
    rows.fold(first, |text, row| text + "\n" + line::dedent(row, shared).trim_end())
}

/// A criterion of a span, with the commands that belong to it. What its text does not say itself must succeed.
fn criterion(view: &View, number: usize, span: &Located, kind: &str, known: &mut Vec<Criterion>) {
    let own = view.commands.get(&Some(number)).into_iter().flatten().copied();
    let lone = Some(span).filter(|span| span.kind == Kind::Command);
    let text = if lone.is_some() { String::new() } else { copied(view, &span.at) };
    let label = line::criterion_label(&text).and_then(|end| text.split_at_checked(end));
    let label = label.and_then(|(id, rest)| Some((id, rest.strip_prefix(':')?)));
    let taken = |id: &str| known.iter().any(|one| one.id == id);
    let (written, words) = label.filter(|one| !taken(one.0)).unwrap_or(("", &text));
    let mut free = (known.len() + 1..).map(|n| format!("{kind}-{n:03}")).filter(|id| !taken(id));
    let id = if written.is_empty() { free.next().unwrap_or_default() } else { written.to_owned() };
    let (ticked, lines) = (ticked(view, span).unwrap_or_default(), lines(view, &span.at));
    let made = clause::criterion(id.clone(), words.trim_start(), ticked, lines);
    let commands = lone.into_iter().chain(own).map(|one| bare(view, &one.at));
    let new = commands.filter(|line| !made.commands.iter().any(|one| one.line == *line));
    let command = |line| Command { line, expect: Expect::Succeed, within: None };
    let new: Vec<Command> = new.map(command).collect();
    known.push(match new.is_empty() {
        true => made,
        false => clause::criterion(id, &clause::written(&made.text, &new), ticked, lines),
    });
}
