//! A sprint as a whole: what its body says, and what its fields do.

use super::body::read;
use super::lines::{self, Line, places, scan, source, trimmed};
use super::parts::{Body, Draft, Field};
use super::refs::{is_name, names};
use super::sprints::Found;
use super::units;
use super::words::{DEPENDS, KIND, KINDS, MODELS, READS, behind, is, same};
use crate::plan::model::{Criterion, Kind, Model, Sprint, Status};
use crate::plan::{clause, line};
use std::collections::BTreeSet;
use std::ops::Range;

/// Reads a sprint that was found.
pub(super) fn sprint(lines: &[Line<'_>], found: &Found) -> (Sprint, Body) {
    if found.row {
        return row(found);
    }
    let body = trimmed(lines, found.body.clone());
    let end = body.end.max(found.head + 1);
    let (mut sprint, body) = made(lines, found, body);
    sprint.lines = places(found.head..end);
    (sprint, body)
}

/// The cells of a row say what labelled lines would; all of them stand at the row.
fn row(found: &Found) -> (Sprint, Body) {
    let text: String =
        found.cells.iter().map(|(name, cell)| format!("**{name}**: {cell}\n\n")).collect();
    let lines = scan(&text);
    let (mut sprint, mut body) = made(&lines, found, 0..lines.len());
    let at = places(found.head..found.head + 1);
    sprint.lines = at;
    sprint.tasks.iter_mut().for_each(|task| task.lines = at);
    sprint.entry.iter_mut().chain(&mut sprint.exit).for_each(|one| one.lines = at);
    body.fields.iter_mut().for_each(|field| field.lines = found.head..found.head + 1);
    (sprint, body)
}

fn made(lines: &[Line<'_>], found: &Found, range: Range<usize>) -> (Sprint, Body) {
    let mut body = read(lines, range.clone());
    let mut sprint = Sprint {
        label: found.label.clone(),
        name: found.name.clone(),
        entry: criteria(&body.entry, "EC"),
        exit: criteria(&body.exit, "AC"),
        tasks: std::mem::take(&mut body.tasks),
        reads: reads(&lines[range]),
        ..Sprint::default()
    };
    sprint.kind = kind(&sprint);
    let ticked =
        sprint.tasks.iter().map(|task| task.ticked).chain(body.exit.iter().map(|one| one.ticked));
    let boxes: Vec<bool> = ticked.flatten().collect();
    if !boxes.is_empty() && boxes.iter().all(|ticked| *ticked) {
        sprint.status = Status::Done;
    }
    let taken = body.fields.iter().filter(|field| take(&mut sprint, field));
    let taken: BTreeSet<usize> = taken.flat_map(|field| field.lines.clone()).collect();
    body.notes.retain(|at| !taken.contains(at));
    let blank = |at: usize| lines[at].kind == lines::Kind::Blank;
    // Where something was taken out, the blank lines around it become one.
    let kept = body.notes.iter().enumerate().filter(|(place, at)| {
        let before = place.checked_sub(1).map(|before| body.notes[before]);
        !blank(**at) || before.is_none_or(|before| before + 1 == **at || !blank(before))
    });
    sprint.notes = source(kept.map(|(_, at)| &lines[*at]));
    (sprint, body)
}

/// Takes a field; whether it says all that its line does.
fn take(sprint: &mut Sprint, field: &Field) -> bool {
    let value = field.value.trim();
    match field.name.as_str() {
        name if same(name, "status") => {
            sprint.status = match value {
                value if is(value, &["completed", "done"]) => Status::Done,
                value if same(value, "deferred") => Status::Deferred,
                value if same(value, "pending") => Status::Pending,
                _ => return false,
            };
            true
        }
        // Names alone say nothing else; the order is read from them.
        name if is(name, &DEPENDS) => {
            !value.contains('(') && names(value).iter().all(|name| is_name(name))
        }
        name if same(name, "priority") => {
            sprint.priority = (!value.is_empty()).then(|| value.to_owned());
            sprint.priority.is_some()
        }
        name if same(name, "model") => {
            let first = value.split_whitespace().next().unwrap_or_default();
            let tier = |word: &&str| is(word, &[first]);
            let place = MODELS.iter().position(&tier).or_else(|| TIERS.iter().position(tier));
            let Some(place) = place else { return false };
            sprint.model = [Model::Small, Model::Standard, Model::Large].get(place).copied();
            first == value
        }
        name if is(name, &KIND) => {
            let Some(kind) = KINDS.iter().position(|(kind, _)| same(value, kind)) else {
                return false;
            };
            sprint.kind = ALL[kind];
            true
        }
        _ => false,
    }
}

/// The tiers as the canonical plan calls them.
const TIERS: [&str; 3] = ["small", "standard", "large"];

/// The kinds in the order of their words.
const ALL: [Kind; 5] = [Kind::Code, Kind::Command, Kind::Background, Kind::Deferred, Kind::Manual];

/// The kind its name begins with, or every task. A task that writes something makes it code.
fn kind(sprint: &Sprint) -> Kind {
    let of = |text: &str| {
        let bare = text.trim_start_matches(['*', '`']);
        KINDS.iter().position(|(_, words)| words.iter().any(|word| behind(bare, word).is_some()))
    };
    let tasks: Vec<Option<usize>> = sprint.tasks.iter().map(|task| of(&task.text)).collect();
    let all = tasks
        .first()
        .copied()
        .flatten()
        .filter(|first| tasks.iter().all(|one| *one == Some(*first)));
    let place = of(&sprint.name).or(all).filter(|_| !tasks.contains(&Some(0)));
    place.map_or(Kind::Code, |place| ALL[place])
}

/// Criteria with the ids their author wrote, others by their place.
fn criteria(drafts: &[Draft], letters: &str) -> Vec<Criterion> {
    let split = |text: &'_ str| {
        let end = line::criterion_label(text).filter(|end| text[*end..].starts_with(": "))?;
        Some((text[..end].to_owned(), text[end + 2..].to_owned()))
    };
    let split: Vec<_> = drafts.iter().map(|draft| split(&draft.text)).collect();
    let taken: BTreeSet<&str> = split.iter().flatten().map(|(id, _)| id.as_str()).collect();
    let mut free = (1_u32..).map(|number| format!("{letters}-{number:03}"));
    let mut next = || free.find(|id| !taken.contains(id.as_str())).unwrap_or_default();
    let each = drafts.iter().zip(&split).map(|(draft, split)| {
        let (id, text) = split.clone().unwrap_or_else(|| (next(), draft.text.clone()));
        clause::criterion(id, &text, draft.ticked.unwrap_or(false), draft.lines)
    });
    each.collect()
}

/// Files of progress that code or a link names.
fn reads(lines: &[Line<'_>]) -> Vec<String> {
    let named = lines.iter().filter(|line| READS.iter().any(|name| line.text.contains(name)));
    let paths = named.flat_map(|line| line.text.split(['`', '(', ')']).skip(1));
    let is_one = |path: &&str| {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        READS.contains(&name) && units::directory(folder) == folder
    };
    let all: BTreeSet<&str> = paths.filter(is_one).collect();
    all.into_iter().map(str::to_owned).collect()
}
