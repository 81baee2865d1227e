//! Single criteria, tasks and priorities, and a sprint that is a row of a table.

use super::super::classify;
use super::super::document::LineRange;
use super::super::model::{PlanCriterion, PlanTask, Priority, thousandths};
use super::super::outline::Outline;
use super::body::Body;
use super::shows;
use super::tables::{SprintRow, number, said};
use crate::vocab::criterion;
use std::ops::Range;

pub(super) fn from_row(outline: &Outline<'_>, body: &mut Body, row: &SprintRow) {
    body.unit = row.unit.clone();
    body.layer = row.layer;
    body.model = row.model.clone();
    body.kind = row.kind.clone();
    let cell = |range: &Range<usize>| outline.source(range);
    body.priority = row.priority.as_ref().map(|range| priority(cell(range), outline.lines(range)));
    if let Some(range) = &row.depends {
        body.spoken = true;
        body.depends.push(range.clone());
    }
    let parts = |range: &Range<usize>| -> Vec<String> {
        let parts = cell(range).split([';']).flat_map(|part| part.split("<br>"));
        parts.map(|part| part.trim().to_owned()).filter(|part| said(part)).collect()
    };
    if let Some(range) = &row.entry {
        body.spoken = true;
        body.preconditions.push(range.clone());
        body.entry = parts(range).into_iter().map(|text| one_criterion(&text, row.lines)).collect();
    }
    // "Tests: 12" is a number and no criterion.
    let exit = row.exit.iter().flat_map(&parts).filter(|text| text.contains(char::is_alphabetic));
    let exit: Vec<String> =
        exit.map(|text| shows::sentence_if_command(text, row.expected.as_deref())).collect();
    body.exit = match exit.as_slice() {
        [names, command] if shows::contradicts(names, command) => {
            vec![one_criterion(&format!("{names}: {command}"), row.lines)]
        }
        all => all.iter().map(|text| one_criterion(text, row.lines)).collect(),
    };
    if let Some(range) = &row.tasks
        && number(cell(range)).is_none()
    {
        let each = parts(range).into_iter().enumerate();
        body.tasks = each.map(|(place, text)| task(&text, place + 1, row.lines)).collect();
    }
    number_criteria(&mut body.entry, "EC");
    number_criteria(&mut body.exit, "AC");
    body.end = row.label_at.end;
}

/// Adds what a row says to a sprint that has a section as well. What both say counts once, and the section's own list of
/// tasks is the fuller one.
pub(super) fn join_row(outline: &Outline<'_>, body: &mut Body, row: &SprintRow) {
    let mut said = Body::default();
    from_row(outline, &mut said, row);
    body.unit = body.unit.take().or(said.unit);
    body.layer = body.layer.or(said.layer);
    body.model = body.model.take().or(said.model);
    body.kind = body.kind.take().or(said.kind);
    body.priority = body.priority.take().or(said.priority);
    body.spoken |= said.spoken;
    body.depends.extend(said.depends);
    body.preconditions.extend(said.preconditions);
    if body.tasks.is_empty() {
        body.tasks = said.tasks;
    }
    for (all, more) in [(&mut body.entry, said.entry), (&mut body.exit, said.exit)] {
        for one in more {
            if !all.iter().any(|known| known.text == one.text) {
                all.push(PlanCriterion { id: String::new(), ..one });
            }
        }
    }
}

pub(super) fn one_criterion(text: &str, lines: LineRange) -> PlanCriterion {
    let id = criterion::label(text).unwrap_or_default();
    PlanCriterion { id, text: text.to_owned(), check: classify::check(text), ticked: false, lines }
}

/// Gives ids to those that have none, or one that is taken.
pub(super) fn number_criteria(criteria: &mut [PlanCriterion], prefix: &str) {
    let mut taken = std::collections::BTreeSet::new();
    for one in criteria.iter_mut() {
        if !one.id.is_empty() && !taken.insert(one.id.clone()) {
            one.id = String::new();
        }
    }
    for (place, one) in criteria.iter_mut().enumerate() {
        let mut number = place + 1;
        while one.id.is_empty() {
            let id = format!("{prefix}-{number:03}");
            if taken.insert(id.clone()) {
                one.id = id;
            }
            number += criteria_step(number);
        }
    }
}

/// Past any number an author may have used.
fn criteria_step(number: usize) -> usize {
    if number < 1_000 { 1_000 } else { 1 }
}

pub(super) fn task(text: &str, place: usize, lines: LineRange) -> PlanTask {
    let kind = classify::task_kind(text);
    PlanTask { label: place.to_string(), text: text.to_owned(), kind, ticked: false, lines }
}

/// `15.5 — the reason`.
pub(super) fn priority(text: &str, lines: LineRange) -> Priority {
    let bare = text.trim_start_matches(['*', '_', '`', ' ']);
    let (score, rest) = match thousandths(bare) {
        Some((score, rest)) => (Some(score), rest),
        None => (None, bare),
    };
    let reason = match score {
        Some(_) => rest.trim_start_matches(['*', '_', '`', ' ', '—', '–', '-', ':', '.', ',']),
        None => rest,
    };
    Priority { score, reason: reason.trim().to_owned(), lines }
}
