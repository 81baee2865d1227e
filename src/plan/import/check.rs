//! The rules that an answer must keep, each with the exact fault. They look at places and marks, never at a language.

use super::build::bare;
use super::outline::{Form, tokens, trimmed};
use super::spans::{EdgeKind, Kind, Located};
use super::view::View;
use super::{Fault, Rule};
use crate::plan::clause::is_runnable;
use crate::plan::line;
use crate::vocab::text::one_line;
use std::collections::{BTreeMap, BTreeSet};

/// The most faults that are told at once.
pub const MOST_FAULTS: usize = 50;

/// The longest text that sets a status without being a heading, in characters: there is no room for a requirement in it.
const MOST_STATUS: usize = 30;

/// The faults of lines `first` to `last` (from 0), in their order.
pub(super) fn check(view: &View, (first, last): (usize, usize)) -> Vec<Fault> {
    let mut found = Found { view, faults: Vec::new() };
    for (at, other) in &view.overlaps {
        let other = format!("a span that does not overlap that at {}", said(view, *other));
        found.fault(Rule::I1, *at, other);
    }
    for (_, span) in view.ordered() {
        found.whole(span);
        found.torn(span);
    }
    found.covered();
    found.invented();
    found.items();
    for (_, span) in view.all() {
        found.within(span);
        found.command(span);
    }
    found.edges();
    found.skeletons();
    found.forms();
    let within = |fault: &Fault| (first..=last).contains(&(fault.line as usize).saturating_sub(1));
    found.faults.retain(within);
    found.faults.sort_by_key(|one| (one.line, one.column, one.rule));
    found.faults.dedup();
    found.faults.truncate(MOST_FAULTS);
    found.faults
}

struct Found<'v, 'a> {
    view: &'v View<'a>,
    faults: Vec<Fault>,
}

impl Found<'_, '_> {
    /// A fault at a byte; what came is what was labelled there.
    fn fault(&mut self, rule: Rule, byte: usize, expected: impl Into<String>) {
        let outline = self.view.outline;
        let end = outline.line(outline.line_of(byte)).end;
        let kind = self.view.kind_in(byte..byte + 1);
        let text: String = outline.slice(byte..end).chars().take(60).collect();
        let got = format!("{kind}: {}", one_line(&text));
        let (line, column) = outline.place(byte);
        self.faults.push(Fault { rule, line, column, expected: expected.into(), got });
    }

    /// I1: a span says something and ends within the cell, the item or else the paragraph that it begins in.
    fn whole(&mut self, span: &Located) {
        let (view, start) = (self.view, span.at.start);
        if span.kind == Kind::Notes {
            return;
        }
        if !view.text(span).contains(char::is_alphanumeric) {
            self.fault(Rule::I1, start, "a span with a word");
        }
        let mut around = view.outline.around(start);
        let holds = |one: &_| matches!(one, Form::Cell | Form::Item(_));
        let own = around.find(|one| holds(&one.form)).map(|one| one.at.end);
        let heading = view.outline.headings(span.at.clone()).next().map(|one| one.1.start);
        let gap = view.text(span).find("\n\n").filter(|_| own.is_none()).map(|at| start + at);
        let ends = [own, heading, gap].into_iter().flatten();
        if let Some(end) = ends.min().filter(|end| *end < span.at.end) {
            self.fault(Rule::I1, start, format!("an end before {}", said(view, end)));
        }
    }

    /// I1: no span tears a word, a code span or an emphasised text.
    fn torn(&mut self, span: &Located) {
        let outline = self.view.outline;
        for (byte, other) in [(span.at.start, span.at.end), (span.at.end, span.at.start)] {
            let mut around = outline.around(byte).filter(|one| one.at.start < byte);
            let torn = around.any(|one| match one.form {
                Form::Code => true,
                Form::Emphasis => !(one.at.start < other && other < one.at.end),
                _ => false,
            });
            let word = |c: char| c.is_ascii_alphanumeric();
            let (before, rest) = outline.text.split_at_checked(byte).unwrap_or_default();
            if torn || before.ends_with(word) && rest.starts_with(word) {
                self.fault(Rule::I1, byte, "a span that tears no word, code or emphasis");
            }
        }
    }

    /// I1: where a line is labelled, all of it is.
    fn covered(&mut self) {
        let outline = self.view.outline;
        let ends = self.view.ordered().flat_map(|(_, span)| [span.at.start, span.at.end]);
        let lines: BTreeSet<usize> = ends.map(|byte| outline.line_of(byte)).collect();
        for at in lines.into_iter().filter_map(|line| self.view.residue(line)) {
            self.fault(Rule::I1, at, "every word of a labelled line in a span");
        }
    }

    /// I2: labels and names stand in the source; one is invented only where there is none, and none twice in a unit.
    fn invented(&mut self) {
        let (view, mut known) = (self.view, BTreeSet::new());
        for (_, span) in view.ordered() {
            let (at, name) = (span.at.start, span.name.as_deref());
            if span.kind != Kind::Sprint {
                if span.label.is_some() || name.is_some() {
                    self.fault(Rule::I2, at, "no label and no name but of a sprint");
                }
                continue;
            }
            let label = span.label.as_deref().unwrap_or_default();
            let words = tokens(view.text(span));
            let number = words.iter().find(|one| one.starts_with(|c: char| c.is_numeric()));
            if !line::is_label(label) || label.len() > 40 {
                self.fault(Rule::I2, at, "a label of letters, digits, `-`, `_`, `.`");
            } else if let Some(number) = number.filter(|_| !words.contains(&label)) {
                self.fault(Rule::I2, at, format!("its own label, `{number}`, not `{label}`"));
            } else if !known.insert((view.unit_at(at), label)) {
                self.fault(Rule::I2, at, format!("a label of its own in its unit, not `{label}`"));
            }
            let own = view.text(span).replacen(label, "", 1).contains(char::is_alphabetic);
            let bad = |name: &str| name.trim().is_empty() || name.contains(char::is_control);
            if name.is_some_and(|name| own || bad(name)) {
                self.fault(Rule::I2, at, "a name only where the source has none, on one line");
            }
        }
    }

    /// I3: the check boxes of a list are all tasks, or criteria of one kind; an item whose siblings are criteria is one;
    /// items of one list are all sprints or none.
    fn items(&mut self) {
        let (view, outline) = (self.view, self.view.outline);
        let mut lists: BTreeMap<usize, Vec<(usize, bool, Kind)>> = BTreeMap::new();
        for item in &outline.blocks {
            let Form::Item(list) = item.form else { continue };
            let line = outline.line_of(item.at.start);
            let text = outline.text_start(line, true);
            // The span over its first words may be that of an item around it.
            let kind = view.kind_in(item.at.start..outline.line(line).end);
            if outline.slice(text..item.at.end).contains(char::is_alphanumeric) {
                lists.entry(list).or_default().push((text, item.boxed, kind));
            }
        }
        for list in lists.values() {
            let criteria = list.iter().filter(|one| one.2.is_criterion()).count();
            let sprints = list.iter().any(|one| one.2 == Kind::Sprint);
            let task = criteria > 1 && criteria + 1 == list.len();
            let fits = |kind: Kind| kind == Kind::Task || kind.is_criterion();
            let first = list.iter().find(|one| one.1 && fits(one.2)).map(|one| one.2);
            for (text, boxed, kind) in list {
                let odd = [
                    (*boxed && !fits(*kind), "a task or criterion"),
                    (*boxed && first != Some(*kind), "of one kind with the first box of its list"),
                    (criteria > 0 && *kind == Kind::Notes, "a criterion, as its siblings are"),
                    (task && *kind == Kind::Task, "a criterion, as its siblings are"),
                    (sprints && *kind != Kind::Sprint, "a sprint, as its siblings are"),
                ];
                if let Some((_, expected)) = odd.iter().find(|one| one.0) {
                    self.fault(Rule::I3, *text, *expected);
                }
            }
        }
    }

    /// I3: a span lies within its parent, and that is of the right kind.
    fn within(&mut self, span: &Located) {
        let (view, at) = (self.view, span.at.start);
        let sprint = view.sprint_at(at).and_then(|place| view.sprints.get(place));
        let unit = view.unit_at(at).and_then(|place| view.units.get(place)?.span);
        let own = sprint.and_then(|sprint| sprint.span);
        let told =
            matches!(span.kind, Kind::Done | Kind::Deferred) && view.outline.level(at).is_none();
        if told && view.text(span).chars().count() > MOST_STATUS {
            self.fault(
                Rule::I3,
                at,
                format!("at most {MOST_STATUS} characters that say so, or a heading"),
            );
        }
        let fits = match span.kind {
            Kind::Title | Kind::Notes | Kind::Unit => true,
            Kind::Sprint => span.parent == unit,
            Kind::Directory => span.parent == unit && unit.is_some() || names(view, span),
            Kind::DependsOn => span.parent == own.or(unit) || names(view, span),
            Kind::Command if of_criterion(view, span) => sprint.is_some(),
            _ => sprint.is_some() && span.parent == own,
        };
        if !fits {
            let owner = own.or(unit).and_then(|owner| view.get(owner));
            let place = owner.map_or("none here".to_owned(), |one| said(view, one.at.start));
            self.fault(Rule::I3, at, format!("a parent that it lies within: {place}"));
        }
    }

    /// I4: a command is one whole code span or one whole line of a fence.
    fn command(&mut self, span: &Located) {
        if span.kind != Kind::Command {
            return;
        }
        let (outline, start) = (self.view.outline, span.at.start);
        let line = outline.line_of(start);
        let whole = trimmed(&outline.text, outline.text_start(line, true)..outline.line(line).end);
        let fence = outline
            .within(start, Form::Fence)
            .filter(|fence| fence.start < start && span.at.end < fence.end && whole == span.at);
        if fence.is_none() && outline.within(start, Form::Code) != Some(&span.at) {
            self.fault(Rule::I4, start, "a whole code span or a whole line of a fence");
        } else if !is_runnable(&bare(self.view, &span.at)) {
            self.fault(Rule::I4, start, "a command that can be run as it stands, or a criterion");
        }
    }

    /// I5: an edge names a sprint or unit by its exact label, which the line says; each label of a line has an edge.
    fn edges(&mut self) {
        let view = self.view;
        let labels: BTreeSet<&str> =
            view.ordered().filter_map(|(number, _)| view.called(Some(number))).collect();
        for (_, span) in view.ordered() {
            let (at, text) = (span.at.start, view.text(span));
            if !matches!(span.kind, Kind::DependsOn | Kind::EntryCriterion) {
                if !span.edges.is_empty() {
                    self.fault(Rule::I5, at, "edges of depends_on or entry_criterion only");
                }
                continue;
            }
            for edge in &span.edges {
                let label = &edge.label;
                let exact = view.called(edge.span) == Some(label) && edge.span != span.parent;
                let after = edge.kind == EdgeKind::After;
                if after && !exact || label.is_empty() || !text.contains(label) {
                    let expected = format!("`{label}` in this line, as its span is called");
                    self.fault(Rule::I5, at, expected);
                }
            }
            let own = view.called(span.parent);
            for word in tokens(text).into_iter().filter(|word| Some(*word) != own) {
                let mut edges = span.edges.iter().filter(|edge| edge.kind != EdgeKind::Nothing);
                if labels.contains(word) && !edges.any(|edge| edge.label == word) {
                    self.fault(Rule::I5, at, format!("an edge or a mention of `{word}`"));
                }
            }
        }
    }

    /// I6: headings that differ from their first number on are all of one kind: all sprints, or none.
    fn skeletons(&mut self) {
        let (view, outline) = (self.view, self.view.outline);
        let mut groups: BTreeMap<(usize, &str), Vec<(usize, Kind)>> = BTreeMap::new();
        for (level, at) in outline.headings(0..outline.text.len()) {
            let text = outline.slice(outline.text_start(outline.line_of(at.start), false)..at.end);
            let before = text.find(char::is_numeric).and_then(|number| text.get(..number));
            if let Some(before) = before.filter(|before| before.contains(char::is_alphabetic)) {
                let kind = view.kind_in(at.clone());
                groups.entry((level, before)).or_default().push((at.start, kind));
            }
        }
        for ((_, before), group) in groups {
            let is = |kind: &Kind| group.iter().any(|one| one.1 == *kind);
            let Some(kind) = [Kind::Sprint, Kind::Unit].into_iter().find(is) else { continue };
            for (at, _) in group.iter().filter(|one| one.1 != kind) {
                self.fault(Rule::I6, *at, format!("a {}, as other `{before}N`", kind));
            }
        }
    }

    /// I6: sprints of a unit stand on headings of one level, or all on items, table rows or lines. A unit has a sprint.
    fn forms(&mut self) {
        let (view, mut first) = (self.view, BTreeMap::new());
        for sprint in view.sprints.iter().filter(|sprint| sprint.span.is_some()) {
            let at = sprint.at.start;
            let kind = |form: Form| if let Form::Item(_) = form { Form::Item(0) } else { form };
            let stands = |form: &Form| !matches!(form, Form::Other | Form::Emphasis | Form::Code);
            let form = view.outline.around(at).map(|one| kind(one.form)).find(stands);
            let (known, place) = *first.entry(view.unit_at(at)).or_insert((form, at));
            if known != form {
                let expected = format!("a sprint in the form of that at {}", said(view, place));
                self.fault(Rule::I6, at, expected);
            }
        }
        for (place, unit) in view.units.iter().enumerate() {
            if !first.contains_key(&Some(place)) {
                self.fault(Rule::I6, unit.at.start, "a unit with a sprint");
            }
        }
    }
}

/// Whether the source does not say the label or the name of a sprint.
pub(super) fn is_invented(view: &View, span: &Located) -> bool {
    let label = span.label.as_deref().unwrap_or_default();
    span.name.is_some() || !tokens(view.text(span)).contains(&label)
}

/// Whether the line of a span names its parent before it, as a table of all units does.
fn names(view: &View, span: &Located) -> bool {
    let start = view.outline.line(view.outline.line_of(span.at.start)).start;
    let before = view.outline.slice(start..span.at.start);
    view.called(span.parent).is_some_and(|called| {
        tokens(before).contains(&called) || called.contains(' ') && before.contains(called)
    })
}

/// Whether the parent of a command is a criterion before it, in the same sprint.
pub(super) fn of_criterion(view: &View, span: &Located) -> bool {
    span.parent.and_then(|parent| view.get(parent)).is_some_and(|parent| {
        let same = view.sprint_at(parent.at.start) == view.sprint_at(span.at.start);
        parent.kind.is_criterion() && parent.at.start <= span.at.start && same
    })
}

fn said(view: &View, byte: usize) -> String {
    let (line, column) = view.outline.place(byte);
    format!("{line}:{column}")
}
