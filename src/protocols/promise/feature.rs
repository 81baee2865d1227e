//! A feature: tasks in waves, with gates between them. The YAML file of the peer, read and checked.
//!
//! A wave holds what may be worked on together. A task's wave comes after the waves of everything it
//! depends on; where the file names no waves, they follow from the dependencies.

use crate::mission::prelude::*;
use crate::plan::graph;
use crate::plan::yaml::{self, Fields, kind};
use crate::vocab::table::map_of;
use serde_json::Value;

/// A feature.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Feature {
    /// Unique id.
    pub id: String,
    /// Name for people.
    pub name: String,
    /// What it is for.
    pub description: Option<String>,
    /// Its tasks, in the order of the file.
    pub tasks: Vec<FeatureTask>,
    /// Ids of tasks, wave by wave; each task is in one.
    pub waves: Vec<Vec<String>>,
    /// What must pass between waves.
    pub smoke_gates: Option<SmokeGates>,
    /// Fields that were not read, by path.
    pub notes: Vec<String>,
}

/// A task of a feature.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FeatureTask {
    /// Unique id.
    pub id: String,
    /// Name for people.
    pub name: Option<String>,
    /// The task document, from the root of the repository.
    pub file_path: Option<String>,
    /// Ids of tasks that come first.
    pub dependencies: Vec<String>,
    /// How far it is, in the words of the file.
    pub status: TaskStatus,
}

words! {
    /// How far a task of a feature is.
    TaskStatus {
        Pending "pending" "Not begun.";
        InProgress "in_progress" "Being worked on.";
        Completed "completed" "Closed.";
        Failed "failed" "Given up.";
        Skipped "skipped" "Left out.";
        Deferred "deferred" "Put off; as with the peer, what depends on it may begin.";
    }
}

impl TaskStatus {
    /// Whether dependants may begin.
    pub fn satisfies(self) -> bool {
        matches!(self, TaskStatus::Completed | TaskStatus::Skipped | TaskStatus::Deferred)
    }
}

/// A command that must pass before the next wave begins.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SmokeGates {
    /// The waves it follows, from 1.
    pub after_waves: Vec<u32>,
    /// For `sh -c`.
    pub command: String,
    /// The status that passes.
    pub expected_exit: i32,
    /// Its time limit.
    pub timeout_seconds: Option<u64>,
}

/// Reads a feature.
///
/// # Errors
/// The fault of the YAML with its line, else of the first field that is wrong with its path:
/// `missing_field`, `wrong_type`, `duplicate_id`, `dependency_unknown`,
/// `dependency_cycle`, `unknown_item`, `dependency_open` for a task in a wave that is not behind what
/// it depends on, `number_out_of_range`.
pub fn parse(text: &str) -> Result<Feature> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let map = yaml::mapping(text, 1)?;
    let top = Fields::new(&map, "");
    let mut notes: Vec<String> = top
        .others(&["id", "name", "description", "tasks", "orchestration", "smoke_gates"])
        .collect();
    let tasks = tasks(&top, &mut notes)?;
    check_dependencies(&tasks)?;
    let waves = match groups(&top, &mut notes)? {
        Some(groups) => in_groups(&tasks, groups)?,
        None => by_levels(&tasks),
    };
    let smoke_gates = gates(&top, waves.len(), &mut notes)?;
    let id = top.required("id")?;
    let name = top.text("name")?.unwrap_or_else(|| id.clone());
    let description = top.text("description").unwrap_or_default();
    Ok(Feature { id, name, description, tasks, waves, smoke_gates, notes })
}

fn tasks(top: &Fields<'_>, notes: &mut Vec<String>) -> Result<Vec<FeatureTask>> {
    let list = match top.get("tasks") {
        None => &[],
        Some(Value::Array(list)) => list.as_slice(),
        Some(other) => return Err(Error::new(Code::WrongType, "tasks", "a list", kind(other))),
    };
    ensure!(!list.is_empty(), Code::MissingField, "tasks", "at least one task", "none")?;
    let mut taken = BTreeSet::new();
    let mut tasks = Vec::with_capacity(list.len());
    for (place, value) in list.iter().enumerate() {
        let at = format!("tasks[{place}]");
        let task = task(&Fields::of(value, &at)?, notes)?;
        if !taken.insert(task.id.clone()) {
            let at = format!("{at}.id");
            return Err(Error::new(Code::DuplicateId, at, "an id of its own", task.id));
        }
        tasks.push(task);
    }
    Ok(tasks)
}

fn task(fields: &Fields<'_>, notes: &mut Vec<String>) -> Result<FeatureTask> {
    notes.extend(fields.others(&["id", "name", "file_path", "dependencies", "status"]));
    let file_path = fields.text("file_path")?;
    let leaves = |path: &str| path.starts_with('/') || path.split('/').any(|part| part == "..");
    if let Some(path) = file_path.as_deref().filter(|path| leaves(path)) {
        let expected = "a path within the repository";
        return Err(Error::new(Code::InvalidValue, fields.path("file_path"), expected, path));
    }
    Ok(FeatureTask {
        id: fields.required("id")?.trim().to_owned(),
        name: fields.text("name")?,
        file_path,
        dependencies: fields.texts("dependencies")?,
        status: status(fields, notes)?,
    })
}

/// What no word of ours says to be finished is open, and is told.
fn status(fields: &Fields<'_>, notes: &mut Vec<String>) -> Result<TaskStatus> {
    let Some(word) = fields.text("status")? else { return Ok(TaskStatus::Pending) };
    Ok(match word.as_str() {
        "pending" => TaskStatus::Pending,
        "in_progress" => TaskStatus::InProgress,
        "completed" => TaskStatus::Completed,
        "failed" => TaskStatus::Failed,
        "skipped" => TaskStatus::Skipped,
        "deferred" => TaskStatus::Deferred,
        _ => {
            notes.push(fields.path("status"));
            TaskStatus::Pending
        }
    })
}

/// (before, after) for every dependency.
fn edges(tasks: &[FeatureTask]) -> impl Iterator<Item = (&str, &str)> {
    tasks
        .iter()
        .flat_map(|task| task.dependencies.iter().map(|before| (before.as_str(), task.id.as_str())))
}

fn check_dependencies(tasks: &[FeatureTask]) -> Result<()> {
    let ids: BTreeSet<&str> = tasks.iter().map(|task| task.id.as_str()).collect();
    for (place, task) in tasks.iter().enumerate() {
        for (nth, before) in task.dependencies.iter().enumerate() {
            let at = || format!("tasks[{place}].dependencies[{nth}]");
            if !ids.contains(before.as_str()) {
                let expected = "the id of a task of this feature";
                return Err(Error::new(Code::DependencyUnknown, at(), expected, before));
            }
            if *before == task.id {
                let got = format!("{before} waiting for itself");
                return Err(Error::new(Code::DependencyCycle, at(), "another task", got));
            }
        }
    }
    ensure_none(graph::cycle(edges(tasks)), |circle| {
        let got = circle.join(" -> ");
        Error::new(Code::DependencyCycle, "tasks", "no circle", got)
    })
}

fn by_levels(tasks: &[FeatureTask]) -> Vec<Vec<String>> {
    let levels = graph::levels(tasks.iter().map(|task| task.id.as_str()), edges(tasks));
    let mut waves: BTreeMap<u32, Vec<String>> = BTreeMap::new();
    for task in tasks {
        let level = levels.get(&task.id).copied().unwrap_or_default();
        waves.entry(level).or_default().push(task.id.clone());
    }
    waves.into_values().collect()
}

const GROUPS: &str = "orchestration.parallel_groups";

fn groups(top: &Fields<'_>, notes: &mut Vec<String>) -> Result<Option<Vec<Vec<String>>>> {
    let Some(value) = top.get("orchestration") else { return Ok(None) };
    let fields = Fields::of(value, "orchestration")?;
    notes.extend(fields.others(&["parallel_groups"]));
    let list = match fields.get("parallel_groups") {
        None => return Ok(None),
        Some(Value::Array(list)) => list,
        Some(other) => {
            return Err(Error::new(Code::WrongType, GROUPS, "a list of lists", kind(other)));
        }
    };
    let each = list.iter().enumerate();
    let groups = each.map(|(place, group)| yaml::texts(group, &format!("{GROUPS}[{place}]")));
    groups.collect::<Result<Vec<_>>>().map(Some)
}

/// Checks that every task is in one wave, behind the waves of what it depends on.
fn in_groups(tasks: &[FeatureTask], groups: Vec<Vec<String>>) -> Result<Vec<Vec<String>>> {
    let known: BTreeMap<&str, &FeatureTask> = map_of(tasks.iter().map(|one| (&*one.id, one)));
    let mut wave_of: BTreeMap<&str, usize> = BTreeMap::new();
    for (place, group) in groups.iter().enumerate() {
        if group.is_empty() {
            let at = format!("{GROUPS}[{place}]");
            return Err(Error::new(Code::InvalidValue, at, "at least one task", "an empty group"));
        }
        for (nth, id) in group.iter().enumerate() {
            let at = || format!("{GROUPS}[{place}][{nth}]");
            let Some(task) = known.get(id.as_str()) else {
                let expected = "the id of a task of this feature";
                return Err(Error::new(Code::UnknownItem, at(), expected, id));
            };
            if wave_of.insert(&task.id, place).is_some() {
                return Err(Error::new(Code::DuplicateId, at(), "each task in one group", id));
            }
        }
    }
    for task in tasks {
        let Some(wave) = wave_of.get(task.id.as_str()) else {
            let got = format!("{} in none", task.id);
            return Err(Error::new(Code::MissingField, GROUPS, "each task in one group", got));
        };
        let early = |before: &&String| wave_of.get(before.as_str()).is_some_and(|one| one >= wave);
        if let Some(before) = task.dependencies.iter().find(early) {
            let expected = format!("{} in a later group than {before}", task.id);
            let got = format!("group {} for {}", wave + 1, task.id);
            return Err(Error::new(Code::DependencyOpen, GROUPS, expected, got));
        }
    }
    Ok(groups)
}

fn gates(top: &Fields<'_>, waves: usize, notes: &mut Vec<String>) -> Result<Option<SmokeGates>> {
    let Some(value) = top.get("smoke_gates") else { return Ok(None) };
    let fields = Fields::of(value, "smoke_gates")?;
    notes.extend(fields.others(&["after_wave", "command", "expected_exit", "timeout"]));
    let expected_exit = fields.number("expected_exit", 0, 255)?.unwrap_or(0);
    let timeout = fields.number("timeout", 1, 1_000_000)?;
    Ok(Some(SmokeGates {
        after_waves: after_waves(&fields, waves)?,
        command: fields.required("command")?,
        expected_exit: i32::try_from(expected_exit).unwrap_or_default(),
        timeout_seconds: timeout.and_then(|seconds| u64::try_from(seconds).ok()),
    }))
}

fn after_waves(fields: &Fields<'_>, waves: usize) -> Result<Vec<u32>> {
    let (at, most) = (fields.path("after_wave"), i64::try_from(waves).unwrap_or(i64::MAX));
    let wave = |value: &Value, at: &str| {
        let number = yaml::number(value, at, 1, most)?;
        Ok(u32::try_from(number).unwrap_or(u32::MAX))
    };
    let expected = format!("a wave from 1 to {most}, a list of them, or `all`");
    match fields.get("after_wave") {
        None => Err(Error::new(Code::MissingField, at, expected, "no such field")),
        Some(Value::String(word)) if word == "all" => {
            Ok((1..=u32::try_from(waves).unwrap_or(u32::MAX)).collect())
        }
        Some(Value::Array(list)) if !list.is_empty() => {
            let each = list.iter().enumerate();
            let named = each.map(|(place, one)| wave(one, &format!("{at}[{place}]")));
            Ok(named.collect::<Result<BTreeSet<_>>>()?.into_iter().collect())
        }
        Some(one @ Value::Number(_)) => Ok(vec![wave(one, &at)?]),
        Some(other) => Err(Error::new(Code::WrongType, at, expected, kind(other))),
    }
}

#[cfg(test)]
#[path = "feature_tests.rs"]
mod tests;
