//! `tasks.json` of task-master.
//!
//! ```text
//! {"master": {"tasks": [ … ], "metadata": …}}      a unit a tag; {"tasks": [ … ]} is one unit
//! {"id": 1, "title", "status", "dependencies": [2], "testStrategy",
//!  "subtasks": [{"id": 1, "title", "status", "dependencies": [2, "3.1"], "testStrategy", …}], …}
//! ```
//!
//! Signature: an object, itself or in a field, with a list `tasks` whose first object has `id` and `title`. A task is a
//! sprint, a subtask a task of it (`1.2 <title>` and its other fields), a `testStrategy` of either a criterion in the
//! words that stand there. Sprints, and the tasks within one, come behind what they depend on; a dependency on a
//! subtask of another task is one on that task. `done` and `completed` are done, `deferred` and `cancelled` are
//! deferred. All other fields are notes.

use super::records::{Record, Source};
use super::{Files, criteria, ordered, sprint};
use crate::plan::model::{Plan, Read, Sprint, Status, Task, Unit, WHOLE};
use crate::vocab::table::map_of;
use std::collections::{BTreeMap, BTreeSet};

const TEST: &str = "testStrategy";

/// Reads `tasks.json`.
pub(super) fn read(files: &Files, entry: &str) -> Option<Read> {
    let source = Source::new(files.get(entry)?)?;
    let whole = source.object(source.text)?;
    let mut plan = Plan::default();
    if has_tasks(&whole) {
        plan.units.push(unit(WHOLE, &whole));
    } else {
        let mut tags = whole.names();
        tags.retain(|name| {
            let value = whole.raw(name).filter(|value| value.starts_with('{'));
            let tag = value.and_then(|value| source.object(value)).filter(has_tasks);
            plan.units.extend(tag.iter().map(|tag| unit(name, tag)));
            tag.is_some()
        });
        plan.notes = whole.rest(&tags);
    }
    (!plan.units.is_empty()).then(|| Read { plan, remarks: source.told() })
}

fn has_tasks(record: &Record<'_, '_>) -> bool {
    let list = record.raw("tasks").filter(|value| value.starts_with('['));
    let first = list.and_then(|_| record.records("tasks").into_iter().next());
    first.is_some_and(|first| first.raw("id").is_some() && first.raw("title").is_some())
}

fn unit(name: &str, tag: &Record<'_, '_>) -> Unit {
    let tasks = tag.records("tasks");
    let ids = tasks.iter().enumerate().rev().map(|(place, task)| (task.text("id"), place));
    let ids: BTreeMap<String, usize> = map_of(ids);
    let sprints: Vec<Sprint> = tasks.iter().map(|task| read_task(task, &ids)).collect();
    let waits = |(place, one): (usize, &Sprint)| {
        let before = one.depends_on.iter().flatten().filter_map(|label| ids.get(label));
        before.map(|before| (*before, place)).collect::<Vec<_>>()
    };
    let edges = sprints.iter().enumerate().flat_map(waits).collect();
    let (name, notes) = (name.to_owned(), tag.rest(&["tasks"]));
    Unit { name, notes, sprints: ordered(sprints, &edges), lines: tag.lines, ..Unit::default() }
}

fn read_task(task: &Record<'_, '_>, ids: &BTreeMap<String, usize>) -> Sprint {
    let label = task.text("id");
    let mut one = sprint(&label, &task.text("title"), task.lines);
    one.status = status(task);
    let mut depends = task.texts("dependencies");
    let subtasks = task.records("subtasks");
    let own = subtasks.iter().enumerate().rev().map(|(place, one)| (one.text("id"), place));
    let own: BTreeMap<String, usize> = map_of(own);
    let mut edges = BTreeSet::new();
    for (place, subtask) in subtasks.iter().enumerate() {
        for id in subtask.texts("dependencies") {
            let near = id.strip_prefix(&format!("{label}.")).unwrap_or(&id);
            match own.get(near) {
                Some(before) => _ = edges.insert((*before, place)),
                None => depends.push(id),
            }
        }
    }
    // A subtask of another task stands for that task.
    let target = |id: String| match id.split_once('.') {
        Some((parent, _)) if !ids.contains_key(&id) => parent.to_owned(),
        _ => id,
    };
    let mut seen = BTreeSet::from([label.clone(), String::new()]);
    let depends = depends.into_iter().map(target).filter(|id| seen.insert(id.clone()));
    one.depends_on = Some(depends.collect());
    let subtasks = ordered(subtasks, &edges);
    one.tasks = subtasks.iter().map(|subtask| read_subtask(&label, subtask)).collect();
    one.exit = criteria(std::iter::once(task).chain(&subtasks).map(|one| one.placed(TEST)), "AC");
    one.notes = task.rest(&["id", "title", "status", "dependencies", "subtasks", TEST]);
    one
}

fn read_subtask(parent: &str, subtask: &Record<'_, '_>) -> Task {
    let rest = subtask.rest(&["id", "title", "status", TEST]);
    let text = format!("{parent}.{} {}\n{rest}", subtask.text("id"), subtask.text("title"));
    let ticked = Some(status(subtask) == Status::Done);
    Task { text: text.trim_end().to_owned(), ticked, added: false, lines: subtask.lines }
}

fn status(record: &Record<'_, '_>) -> Status {
    let pending = ["pending", "in-progress", "review", "blocked"];
    record.status(&["done", "completed"], &["deferred", "cancelled"], &pending)
}
