//! `issues.jsonl` of beads: an issue a line.
//!
//! ```text
//! {"id": "bd-7", "title", "status": "open", "issue_type": "task", "acceptance_criteria": "- …\n- …",
//!  "dependencies": [{"issue_id": "bd-7", "depends_on_id": "bd-3", "type": "blocks"}], …}
//! ```
//!
//! Signature: the first line is an object with `id`, `title` and `status`. An issue is a sprint. An epic that another
//! issue names as its parent (`parent-child`, over any number of levels, the nearest epic) is a work unit, and the last
//! sprint of it only if it states criteria of its own or there is no other; all other issues are in one unit. `blocks`
//! is a dependency; no other relation is one. Sprints come behind what they wait for. An item of `acceptance_criteria`
//! is a criterion, or all of it if it has none. `closed` is done, `deferred` is deferred; a `tombstone` is no work, and
//! nothing waits for it. All other fields are notes.

use super::outline::Outline;
use super::records::{Record, Source};
use super::{Files, criteria, ordered, sprint};
use crate::plan::model::{Plan, Read, Sprint, Task, Unit, WHOLE};
use crate::vocab::table::map_of;
use std::collections::{BTreeMap, BTreeSet};

const CRITERIA: &str = "acceptance_criteria";

/// An issue and what it is related to.
struct Issue {
    id: String,
    epic: bool,
    sprint: Sprint,
    blockers: Vec<String>,
    parent: Option<String>,
}

/// Reads `issues.jsonl`.
pub(super) fn read(files: &Files, entry: &str) -> Option<Read> {
    let source = Source::new(files.get(entry)?)?;
    let mut lines = source.text.lines().map(str::trim).filter(|line| !line.is_empty()).peekable();
    let first = source.object(lines.peek()?)?;
    ["id", "title", "status"].iter().all(|name| first.raw(name).is_some()).then_some(())?;
    let (mut issues, mut gone, mut notes) = (Vec::new(), BTreeSet::new(), Vec::new());
    for line in lines {
        match source.object(line) {
            Some(record) if record.text("status") == "tombstone" => {
                gone.insert(record.text("id"));
                notes.push(line);
            }
            Some(record) => issues.push(issue(&record)),
            None => notes.push(line),
        }
    }
    issues.iter_mut().for_each(|issue| issue.blockers.retain(|id| !gone.contains(id)));
    let plan = Plan { notes: notes.join("\n"), units: units(issues), ..Plan::default() };
    Some(Read { plan, remarks: source.told() })
}

fn issue(record: &Record<'_, '_>) -> Issue {
    let id = record.text("id");
    let mut sprint = sprint(&id, &record.text("title"), record.lines);
    let pending = ["open", "in_progress", "blocked", "pinned", "hooked"];
    sprint.status = record.status(&["closed"], &["deferred"], &pending);
    let relations = record.records("dependencies");
    let of = |kind: &str| {
        let all = relations.iter().filter(|one| one.text("type") == kind);
        all.map(|one| one.text("depends_on_id")).filter(|target| *target != id).collect::<Vec<_>>()
    };
    let stated = record.placed(CRITERIA);
    let mut outline = Outline::new(&stated.text);
    let items = outline.items(outline.all(), |_| true);
    let placed =
        items.into_iter().map(|one| Task { lines: stated.lines, ..one }).collect::<Vec<_>>();
    let rest = if placed.is_empty() { String::new() } else { outline.notes(outline.all()) };
    sprint.exit = criteria(if placed.is_empty() { vec![stated.clone()] } else { placed }, "AC");
    let mut known = vec!["id", "title", "status", CRITERIA];
    let only_blocks = relations.iter().all(|one| one.text("type") == "blocks");
    known.extend(only_blocks.then_some("dependencies"));
    sprint.notes = format!("{}\n{rest}", record.rest(&known)).trim().to_owned();
    let (blockers, parent) = (of("blocks"), of("parent-child").into_iter().next());
    Issue { epic: record.text("issue_type") == "epic", id, sprint, blockers, parent }
}

/// The nearest epic above each issue, by place; that of an epic with issues below it is itself.
fn owners(issues: &[Issue], places: &BTreeMap<String, usize>) -> Vec<Option<usize>> {
    let parent = |place: usize| places.get(issues.get(place)?.parent.as_ref()?).copied();
    let above = |start: usize| {
        let (mut seen, mut at) = (BTreeSet::from([start]), parent(start)?);
        while seen.insert(at) {
            if issues.get(at)?.epic {
                return Some(at);
            }
            at = parent(at)?;
        }
        None
    };
    let mut owners: Vec<Option<usize>> = (0..issues.len()).map(above).collect();
    for epic in owners.iter().flatten().copied().collect::<BTreeSet<_>>() {
        owners.get_mut(epic).into_iter().for_each(|owner| *owner = Some(epic));
    }
    owners
}

fn units(mut issues: Vec<Issue>) -> Vec<Unit> {
    let ids = issues.iter().enumerate().rev().map(|(place, issue)| (issue.id.clone(), place));
    let places: BTreeMap<String, usize> = map_of(ids);
    let owners = owners(&issues, &places);
    let owner = |place: usize| owners.get(place).copied().flatten();
    let names: Vec<String> = issues.iter().map(|issue| issue.id.clone()).collect();
    let name = |owner: Option<usize>| {
        owner.and_then(|owner| names.get(owner)).map_or(WHOLE.to_owned(), String::clone)
    };
    let order = ordered((0..issues.len() * 2).collect(), &edges(&issues, &places, &owners));
    let mut units: BTreeMap<Option<usize>, (usize, Unit)> = BTreeMap::new();
    for place in order {
        let reference = |id: &String| match places.get(id) {
            Some(target) if owner(*target) != Some(*target) && owner(*target) != owner(place) => {
                format!("{}/{id}", name(owner(*target)))
            }
            _ => id.clone(),
        };
        let Some(issue) = issues.get_mut(place) else { continue };
        let waits: Vec<String> = issue.blockers.iter().map(reference).collect();
        let mut sprint = std::mem::take(&mut issue.sprint);
        let turn = units.len();
        let (_, unit) = units
            .entry(owner(place))
            .or_insert_with(|| (turn, Unit { name: name(owner(place)), ..Unit::default() }));
        if owner(place) == Some(place) {
            (unit.depends_on, unit.lines) = (waits, sprint.lines);
            let notes = std::mem::take(&mut sprint.notes);
            unit.notes = format!("{}\n{notes}", sprint.name).trim().to_owned();
            let stands = !sprint.exit.is_empty() || unit.sprints.is_empty();
            unit.sprints.extend(stands.then_some(sprint));
        } else {
            unit.sprints.push(Sprint { depends_on: Some(waits), ..sprint });
        }
    }
    let mut units: Vec<(usize, Unit)> = units.into_values().collect();
    units.sort_by_key(|(turn, _)| *turn);
    units.into_iter().map(|(_, unit)| unit).collect()
}

/// Who comes before whom, by place. An epic with issues below it ends behind them; what it waits for comes before its
/// start, which is a place of its own behind all issues, and its start before them.
fn edges(
    issues: &[Issue],
    places: &BTreeMap<String, usize>,
    owners: &[Option<usize>],
) -> BTreeSet<(usize, usize)> {
    let mut edges = BTreeSet::new();
    for (place, (issue, owner)) in issues.iter().zip(owners).enumerate() {
        let start = if *owner == Some(place) { place + issues.len() } else { place };
        let before = issue.blockers.iter().filter_map(|id| places.get(id));
        edges.extend(before.map(|before| (*before, start)));
        if let Some(owner) = owner {
            let waits = issues.get(*owner).is_some_and(|owner| !owner.blockers.is_empty());
            edges.extend(waits.then_some((owner + issues.len(), place)));
            edges.insert((place, *owner));
        }
    }
    edges
}
