//! A sprint as a whole: what its body says, and what its fields do.

use super::super::outline::Outline;
use super::super::{criteria, span};
use super::body::{Body, Field, read};
use super::refs::{is_name, names};
use super::sprints::Found;
use super::units;
use super::words::{DEPENDS, KIND, KINDS, MODELS, PUT_OFF, READS, STATUS, behind, is, same};
use crate::plan::document::is_struck;
use crate::plan::model::{Kind, Sprint, Status};
use std::collections::BTreeSet;
use std::ops::Range;

/// Reads a sprint that was found, and takes its lines.
pub(super) fn sprint(outline: &mut Outline<'_>, found: &Found) -> (Sprint, Body) {
    outline.take(found.head..found.head + 1);
    if found.row {
        return row(found);
    }
    let lines = outline.said(&(found.head..found.body.end));
    let (sprint, body) = made(outline, found, found.body.clone());
    (Sprint { lines, ..sprint }, body)
}

/// The cells of a row say what labelled lines would; all of them stand at the row.
fn row(found: &Found) -> (Sprint, Body) {
    let cells = found.cells.iter().map(|(name, cell)| format!("**{name}**: {cell}\n\n"));
    let text: String = cells.collect();
    let mut outline = Outline::new(&text);
    let all = outline.all();
    let (mut sprint, mut body) = made(&mut outline, found, all);
    let at = span(found.head..found.head + 1);
    sprint.lines = at;
    sprint.tasks.iter_mut().for_each(|task| task.lines = at);
    sprint.entry.iter_mut().chain(&mut sprint.exit).for_each(|one| one.lines = at);
    body.fields.iter_mut().for_each(|field| field.lines = found.head..found.head + 1);
    (sprint, body)
}

fn made(outline: &mut Outline<'_>, found: &Found, range: Range<usize>) -> (Sprint, Body) {
    let mut body = read(outline, range.clone());
    let boxes = body.tasks.iter().chain(&body.exit).filter_map(|one| one.ticked);
    let boxes: Vec<bool> = boxes.collect();
    let status = match !boxes.is_empty() && boxes.iter().all(|ticked| *ticked) {
        _ if is_put_off(&found.name) => Status::Deferred,
        true => Status::Done,
        false => Status::Pending,
    };
    let mut sprint = Sprint {
        label: found.label.clone(),
        name: found.name.clone(),
        status,
        entry: criteria(body.entry.clone(), "EC"),
        exit: criteria(std::mem::take(&mut body.exit), "AC"),
        tasks: std::mem::take(&mut body.tasks),
        reads: reads(outline, range.clone()),
        ..Sprint::default()
    };
    sprint.kind = kind(&sprint);
    for field in &body.fields {
        if take(&mut sprint, field) {
            outline.take(field.lines.clone());
        }
    }
    sprint.notes = outline.notes(range);
    (sprint, body)
}

/// Whether a heading says that its sprint is put off: it is struck out, or says so in capitals.
fn is_put_off(name: &str) -> bool {
    let mut words = name.split(|c: char| !c.is_alphanumeric());
    is_struck(name) || words.any(|word| word == PUT_OFF)
}

/// Takes a field; whether it says all that its lines do.
fn take(sprint: &mut Sprint, field: &Field) -> bool {
    let (name, value) = (field.name.as_str(), field.value.trim());
    if is(name, &DEPENDS) {
        // Names alone say nothing else; the order is read from them.
        let more = value.contains('(') || value.len() > 3 && value.contains(['—', '–']);
        return !more && names(value).iter().all(|name| is_name(name));
    }
    if same(name, "priority") {
        let taken = sprint.priority.is_none() && !value.is_empty();
        sprint.priority = sprint.priority.take().or_else(|| taken.then(|| value.to_owned()));
        return taken;
    }
    if same(name, "model") {
        let first = value.split_whitespace().next().unwrap_or_default();
        let tier = MODELS.iter().find(|(words, _)| is(first, words));
        sprint.model = tier.map(|(_, model)| *model).or(sprint.model);
        return tier.is_some() && first == value;
    }
    let first = value.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    let status = STATUS.iter().find(|(words, _)| same(name, "status") && is(first, words));
    let kind = KINDS.iter().find(|(word, ..)| is(name, &KIND) && same(value, word));
    sprint.status = status.map_or(sprint.status, |(_, status)| *status);
    sprint.kind = kind.map_or(sprint.kind, |(_, kind, _)| *kind);
    status.is_some_and(|(words, _)| is(value, words)) || kind.is_some()
}

/// The kind its name begins with, or every task. A task that writes something makes it code.
fn kind(sprint: &Sprint) -> Kind {
    let of = |text: &str| {
        let bare = text.trim_start_matches(['*', '`']);
        let begins = |words: &[&str]| words.iter().any(|word| behind(bare, word).is_some());
        KINDS.iter().find(|(.., words)| begins(words)).map(|(_, kind, _)| *kind)
    };
    let tasks: Vec<Option<Kind>> = sprint.tasks.iter().map(|task| of(&task.text)).collect();
    let first = tasks.first().copied().flatten();
    let all = first.filter(|first| tasks.iter().all(|one| *one == Some(*first)));
    let told = of(&sprint.name).or(all).filter(|_| !tasks.contains(&Some(Kind::Code)));
    told.unwrap_or_default()
}

/// Files of progress that code or a link names.
fn reads(outline: &Outline<'_>, range: Range<usize>) -> Vec<String> {
    let lines = outline.lines[range].iter();
    let named = lines.filter(|line| READS.iter().any(|name| line.source.contains(name)));
    let paths = named.flat_map(|line| line.source.split(['`', '(', ')']).skip(1));
    let is_one = |path: &&str| {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        READS.contains(&name) && units::directory(folder) == folder
    };
    let all: BTreeSet<&str> = paths.filter(is_one).collect();
    all.into_iter().map(str::to_owned).collect()
}
