//! Spans and their source become a plan. All text is copied here; its place decides what it belongs to.

use super::check::{is_invented, of_criterion};
use super::outline::Form;
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
    let span = |number: Option<u32>| number.and_then(|number| view.get(number));
    let units = view.units.iter().filter_map(|unit| span(unit.span));
    let units = units.map(|span| Unit { name: one_line(view.text(span)), ..Unit::default() });
    let sprints = view.sprints.iter().map(|section| Sprint {
        lines: lines(view, &section.at),
        ..span(section.span).map_or_else(unnamed, |span| new_sprint(view, span))
    });
    let mut made = Made { view, plan, units: units.collect(), sprints: sprints.collect() };
    view.ordered().for_each(|(number, span)| made.take(number, span));
    made.notes();
    made.join()
}

/// The one sprint of a source that names none.
fn unnamed() -> Sprint {
    Sprint { label: "1".to_owned(), added: true, ..Sprint::default() }
}

fn new_sprint(view: &View, span: &Located) -> Sprint {
    let label = span.label.clone().unwrap_or_default();
    let name = span.name.clone().unwrap_or_else(|| name_of(view.text(span), &label));
    Sprint { label, name: one_line(&name), added: is_invented(view, span), ..Sprint::default() }
}

/// What a heading says behind its label; all of it if other words than `Sprint` stand before that.
fn name_of(text: &str, label: &str) -> String {
    let bare = text.trim_matches(['*', '_', ' ']);
    let rest = bare.strip_prefix("Sprint ").unwrap_or(bare).strip_prefix(label);
    let rest = rest.filter(|rest| !label.is_empty() && !rest.starts_with(char::is_alphanumeric));
    rest.map_or(bare, |rest| rest.trim_start_matches(|c| " :：-–—.)*".contains(c))).to_owned()
}

struct Made<'v, 'a> {
    view: &'v View<'a>,
    plan: Plan,
    /// As the units of the view.
    units: Vec<Unit>,
    /// As the sprints of the view.
    sprints: Vec<Sprint>,
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

    fn take(&mut self, number: u32, span: &Located) {
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
                    Kind::Task => own.tasks.push(task(view, span)),
                    Kind::EntryCriterion => criterion(view, number, span, &mut own.entry),
                    Kind::ExitCriterion => criterion(view, number, span, &mut own.exit),
                    Kind::Command if !of_criterion(view, span) => {
                        criterion(view, number, span, &mut own.exit);
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
        let view = self.view;
        let unit_of = |at: usize| view.unit_at(view.sprints.get(at)?.at.start);
        let told = |target: &Option<u32>| {
            if let Some(at) = view.units.iter().position(|one| one.span == *target) {
                return self.units.get(at).map(|unit| unit.name.clone());
            }
            let at = view.sprints.iter().position(|one| one.span == *target)?;
            let (unit, label) = (unit_of(at), &self.sprints.get(at)?.label);
            let name = unit.and_then(|at| self.units.get(at)).map_or(WHOLE, |one| &one.name);
            let near = sprint.map(unit_of) == Some(unit);
            Some(if near { label.clone() } else { format!("{name}/{label}") })
        };
        let after = span.edges.iter().filter(|edge| edge.kind == EdgeKind::After);
        let names: Vec<String> = after.filter_map(|edge| told(&edge.span)).collect();
        let nothing = span.edges.iter().any(|edge| edge.kind == EdgeKind::Nothing);
        (nothing || !names.is_empty()).then_some(names)
    }

    /// Every line that is not used up goes to the notes of its section, as it stands.
    fn notes(&mut self) {
        let view = self.view;
        let mut last = None;
        for line in (0..view.outline.lines()).filter(|line| is_kept(view, *line)) {
            let at = view.outline.line(line);
            let byte = at.end.saturating_sub(1).max(at.start);
            let holder = (view.sprint_at(byte), view.unit_at(byte));
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
            clause::number(&mut sprint);
            let unit = self.view.unit_at(section.at.start).and_then(|at| self.units.get_mut(at));
            unit.unwrap_or(&mut whole).sprints.push(sprint);
        }
        let whole = Some(whole).filter(|whole| !whole.sprints.is_empty());
        Plan { units: whole.into_iter().chain(self.units).collect(), ..self.plan }
    }
}

fn join(known: &mut Vec<String>, new: Option<Vec<String>>) {
    for one in new.into_iter().flatten() {
        if !known.contains(&one) {
            known.push(one);
        }
    }
}

/// Whether something of a line is in no element. A fence is kept as a whole.
pub(super) fn is_kept(view: &View, line: usize) -> bool {
    let outline = view.outline;
    let Some(fence) = outline.within(outline.line(line).start, Form::Fence) else {
        return is_loose(view, line);
    };
    let (first, last) =
        (outline.line_of(fence.start), outline.line_of(fence.end.saturating_sub(1)));
    let said = |c: char| !(c.is_whitespace() || "`~>".contains(c));
    let open = outline.slice(outline.line(last)).contains(said);
    (first + 1..last + usize::from(open)).any(|row| is_loose(view, row))
}

fn is_loose(view: &View, line: usize) -> bool {
    let at = view.outline.line(line);
    let mut over = view.over(at.clone()).peekable();
    let free = over.peek().is_none();
    let blank = view.outline.slice(at).trim().is_empty();
    !blank && (free || over.any(|span| !is_used(view, span)) || view.residue(line).is_some())
}

/// Whether all that a span says is in the plan without its line. Of what names others only the names are.
fn is_used(view: &View, span: &Located) -> bool {
    match span.kind {
        Kind::Title => {
            let first = view.ordered().find(|one| one.1.kind == Kind::Title);
            first.is_some_and(|one| one.1.at == span.at)
        }
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

fn task(view: &View, span: &Located) -> Task {
    let line = view.outline.line(view.outline.line_of(span.at.start));
    let ticked = unboxed(unmarked(view.outline.slice(line))).1;
    let text = copied(view.text(span));
    Task { text, ticked, added: false, lines: lines(view, &span.at) }
}

/// A text, the indentation that all further lines share taken off them.
fn copied(text: &str) -> String {
    let mut rows = text.lines();
    let first = rows.next().unwrap_or_default().to_owned();
    let said = rows.clone().filter(|row| !row.trim().is_empty());
    let shared = said.map(line::indent).min().unwrap_or_default();
    rows.fold(first, |text, row| text + "\n" + line::dedent(row, shared).trim_end())
}

/// A criterion of a span, with the commands that belong to it. What its text does not say itself must succeed.
fn criterion(view: &View, number: u32, span: &Located, known: &mut Vec<Criterion>) {
    let Task { text, ticked, lines, .. } = task(view, span);
    let ticked = ticked.unwrap_or_default();
    let (id, rest) = clause::labelled(&text);
    let own = id.filter(|(id, _)| known.iter().all(|one| one.id != *id));
    let (id, words) = own.map_or(("", text.as_str()), |(id, _)| (id, rest));
    let id = id.to_owned();
    let words = if span.kind == Kind::Command { "" } else { words };
    let made = clause::criterion(id.clone(), words, ticked, lines);
    let own = view.commands.get(&Some(number)).into_iter().flatten().copied();
    let lone = Some(span).filter(|span| span.kind == Kind::Command);
    let commands = lone.into_iter().chain(own).map(|one| bare(view, &one.at));
    let new = commands.filter(|line| !made.commands.iter().any(|one| one.line == *line));
    let command = |line| Command { line, expect: Expect::Succeed, within: None };
    let new: Vec<Command> = new.map(command).collect();
    known.push(clause::criterion(id, &clause::written(&made.text, &new), ticked, lines));
}
