//! Readers of the plans that other tools write. Each family has a grammar of its own, in the head of its file, and
//! makes the model that all commands work on; none of them guesses.
//!
//! A family fits by its *signature*: forms that its tool writes and no other does. The order of trial:
//!
//! 1. documents of grid and promise by their front matter or fields: those protocols have types and readers of their own;
//! 2. JSON by its fields (task-master, beads, an issue): no two of them can fit one value;
//! 3. spec-kit (`T001` in boxes), Kiro (numbered boxes with requirements), superpowers (`Task N` with steps or files): if
//!    two fit, or headings `Sprint N` stand beside, the plan is that of the first with a fault that names both;
//! 4. execution plans, whose forms are wider;
//! 5. a bare check list, which every list of boxes would fit.

mod beads;
mod checklist;
pub mod execution;
mod issue;
mod kiro;
mod lines;
mod outline;
mod records;
mod spec_kit;
mod superpowers;
mod task_master;

use super::clause;
use super::document::{self, LineRange};
use super::graph;
use super::model::{Criterion, Read, Remark, Sprint, Status, Task, Unit, WHOLE, Weight};
use super::yaml::{self, count};
use crate::vocab::error::Code;
use crate::vocab::table::map_of;
use crate::vocab::text::one_line;
use crate::vocab::word::words;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

words! {
    /// A family of plans.
    Family {
        Canonical "canonical" "The canonical grammar.";
        Execution "execution" "Execution plans of the seed.";
        SpecKit "spec-kit" "`tasks.md` of spec-kit.";
        Kiro "kiro" "The three files of Kiro.";
        Superpowers "superpowers" "Plans of superpowers.";
        TaskMaster "task-master" "`tasks.json` of task-master.";
        Beads "beads" "`issues.jsonl` of beads.";
        Issue "issue" "A GitHub issue as `gh issue view --json` prints it.";
        Checklist "checklist" "A bare check list.";
        GetShitDone "get-shit-done" "A get-shit-done plan: `endstate run --protocol grid FOLDER` reads all of its phase.";
        Promise "promise" "A promise task or feature: `endstate run --protocol promise` reads it.";
    }
}

impl Family {
    /// The protocol that reads its documents, if it is not that of sprints.
    pub fn protocol(self) -> Option<&'static str> {
        match self {
            Family::GetShitDone => Some("grid"),
            Family::Promise => Some("promise"),
            _ => None,
        }
    }
}

type Files = BTreeMap<String, String>;
type Reader = fn(&Files, &str) -> Option<Read>;

/// Reads the plan at `entry`; `files` are the texts by path that its folder has beside it. `None` if no family fits.
/// What belongs to another protocol ([`Family::protocol`]) is named and not read.
pub fn read(files: &Files, entry: &str) -> Option<(Family, Read)> {
    let text = files.get(entry)?;
    if let Some(family) = other_protocol(entry, text) {
        return Some((family, Read::default()));
    }
    let own: [(Family, Reader); 6] = [
        (Family::TaskMaster, task_master::read),
        (Family::Beads, beads::read),
        (Family::Issue, issue::read),
        (Family::SpecKit, spec_kit::read),
        (Family::Kiro, kiro::read),
        (Family::Superpowers, superpowers::read),
    ];
    let fit = own.iter().filter_map(|(family, read)| Some((*family, read(files, entry)?)));
    let mut fit: Vec<(Family, Read)> = fit.collect();
    let sprints = !fit.is_empty() && execution::has_sprints(text);
    let names = fit.iter().map(|(family, _)| *family).chain(sprints.then_some(Family::Execution));
    let names: Vec<&str> = names.map(Family::as_str).collect();
    if let Some((_, read)) = fit.first_mut().filter(|_| names.len() > 1) {
        let expected = "a plan of one family; leave out the other, or import the document";
        let (lines, got) = (LineRange::line(1), names.join(" and "));
        read.remarks.insert(0, Remark::on(Weight::Fault, Code::Syntax, lines, expected, got));
    }
    let first = fit.into_iter().next();
    let first = first.or_else(|| Some((Family::Execution, execution::read(text)?)));
    first.or_else(|| Some((Family::Checklist, checklist::read(files, entry)?)))
}

/// The prompt that a document wants its agents to get.
pub fn template(family: Family, text: &str) -> Option<String> {
    execution::template(text).filter(|_| family == Family::Execution)
}

/// Documents of grid and promise. A get-shit-done plan has `phase`, `plan` and `files_modified` or `must_haves` in its
/// front matter; a promise feature is YAML with `tasks` that have a `file_path`; a promise task has
/// `acceptance_criteria` in its front matter, or `id` and `task_type` or `complexity` there and a section "Acceptance
/// Criteria".
fn other_protocol(entry: &str, text: &str) -> Option<Family> {
    if entry.ends_with(".yaml") || entry.ends_with(".yml") {
        let fields = yaml::mapping(text, 1).ok()?;
        let tasks = fields.get("tasks")?.as_array()?;
        return tasks.iter().any(|task| task.get("file_path").is_some()).then_some(Family::Promise);
    }
    let (front, _) = document::split(text.strip_prefix('\u{feff}').unwrap_or(text)).ok()?;
    let fields = yaml::mapping(front?, 2).ok()?;
    let has = |name: &str| fields.contains_key(name);
    let all = |names: &[&str]| names.iter().all(|name| has(name));
    if all(&["phase", "plan"]) && (has("files_modified") || has("must_haves")) {
        return Some(Family::GetShitDone);
    }
    let criteria =
        || document::read(text).is_ok_and(|one| !one.headed("acceptance criteria").is_empty());
    let task = has("acceptance_criteria")
        || (has("id") && (has("task_type") || has("complexity")) && criteria());
    task.then_some(Family::Promise)
}

/// The files in the folder of `entry` that have these names: path and text.
fn siblings<'f>(files: &'f Files, entry: &str, names: &[&str]) -> Vec<(&'f str, &'f str)> {
    let folder = entry.rfind('/').and_then(|slash| entry.get(..=slash)).unwrap_or_default();
    let found = names.iter().filter_map(|name| files.get_key_value(&format!("{folder}{name}")));
    found.map(|(path, text)| (path.as_str(), text.as_str())).collect()
}

/// Texts with their places as criteria. Those without a label (`AC-2: …`) of their own get one of these letters; blank ones
/// are none.
fn criteria(texts: impl IntoIterator<Item = Task>, letters: &str) -> Vec<Criterion> {
    let said = texts.into_iter().filter(|one| !one.text.trim().is_empty());
    let each = said.map(|one| {
        let (id, text) = clause::labelled(one.text.trim());
        let id = id.map_or_else(String::new, |(id, _)| id.to_owned());
        clause::criterion(id, text, one.ticked == Some(true), one.lines)
    });
    let mut all: Vec<Criterion> = each.collect();
    let taken = all.iter().map(|one| one.id.clone()).collect();
    clause::number_by(&mut all, letters, &taken);
    all
}

/// These sprints as the one unit of a plan without any.
fn whole(sprints: Vec<Sprint>, lines: LineRange) -> Vec<Unit> {
    vec![Unit { name: WHOLE.to_owned(), sprints, lines, ..Unit::default() }]
}

/// A sprint with what every family gives it.
fn sprint(label: &str, name: &str, lines: LineRange) -> Sprint {
    Sprint { label: label.to_owned(), name: one_line(name), lines, ..Sprint::default() }
}

/// Done if every task has a ticked box.
fn ticked(tasks: &[Task]) -> Status {
    match !tasks.is_empty() && tasks.iter().all(|task| task.ticked == Some(true)) {
        true => Status::Done,
        false => Status::Pending,
    }
}

/// Things in the order in which each comes behind those it waits for (`edges`: before, after), as near to their own
/// order as can be. What waits in a circle stands at the end, for the validator to name.
fn ordered<T>(things: Vec<T>, edges: &BTreeSet<(usize, usize)>) -> Vec<T> {
    let mut next = vec![Vec::new(); things.len()];
    for (from, to) in edges.iter().filter(|(from, to)| from != to) {
        next.get_mut(*from).into_iter().for_each(|next| next.push(*to));
    }
    let mut left: BTreeMap<usize, T> = map_of(things.into_iter().enumerate());
    let order = graph::sorted(&next, |free| free.first().copied());
    let order: Vec<T> = order.iter().filter_map(|place| left.remove(place)).collect();
    order.into_iter().chain(left.into_values()).collect()
}

/// The places `range` as lines from 1.
fn span(range: Range<usize>) -> LineRange {
    let first = count(range.start).saturating_add(1);
    LineRange { first, last: count(range.end).max(first) }
}
