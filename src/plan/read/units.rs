//! Which sprint belongs to which work unit: by the table of units, by the section it stands in, by a
//! line "Work unit:", by the counts of the table; else the whole plan is one unit.

use super::super::document::LineRange;
use super::super::label::{Headed, headed, is_deferred, unit_key, unit_name};
use super::super::mention::{Names, bare_label};
use super::super::model::{Plan, Sprint, WHOLE, Weight, WorkUnit};
use super::super::outline::{Content, plain, plain_small};
use super::Reader;
use super::body::{self, Body};
use super::find::{Draft, WORDS};
use super::tables::{UnitRow, number, unit_rows};
use crate::vocab::error::Code;
use std::collections::BTreeMap;
use std::ops::Range;

/// Headings that group sprints without being a unit, in small letters.
const GENERIC: &[&str] = &[
    "sprints",
    "sorties",
    "work units",
    "work unit",
    "plan",
    "execution plan",
    "sprint definitions",
    "sortie definitions",
    "sprint plan",
    "phases",
    "tasks",
    "archive",
    "sprint details",
    "sortie details",
    "parallelism structure",
    "roadmap",
    "implementation",
    "implementation plan",
    "milestones",
];

/// A unit that sprints may belong to.
struct Candidate {
    id: String,
    name: String,
    at: Range<usize>,
    row: Option<UnitRow>,
    layer: Option<u32>,
}

/// What a unit says of itself below its heading, before its first sprint.
#[derive(Debug)]
pub(super) struct Own {
    /// The unit.
    pub(super) id: String,
    /// The bytes of the words of the heading.
    pub(super) heading: Range<usize>,
    /// What was read there.
    pub(super) body: Body,
}

impl Own {
    /// Whether a byte is there.
    pub(super) fn holds(&self, at: usize) -> bool {
        (self.heading.start..self.body.end).contains(&at)
    }
}

/// Where a sprint belongs: the place of its unit, and of the heading that says so.
type Home = (usize, Option<usize>);

/// Puts the sprints into units. `bodies` has one entry for each draft; tasks and exit criteria go over to
/// the plan.
pub(super) fn assign(
    reader: &mut Reader<'_>,
    plan: &mut Plan,
    drafts: Vec<Draft>,
    bodies: &mut [Body],
) {
    let mut known = from_table(reader);
    let homes: Vec<Home> = match drafts.is_empty() {
        true => Vec::new(),
        false => homes(reader, &mut known, &drafts, bodies, plan.title.as_deref()),
    };
    let tabled = known.iter().filter(|one| one.row.is_some()).count();
    let own = sections(reader, &known, &drafts, &homes);
    let mut units: Vec<(usize, WorkUnit)> = Vec::new();
    // The lines of the labels of each unit.
    let mut taken: BTreeMap<(usize, String), u32> = BTreeMap::new();
    for ((draft, body), (home, _)) in drafts.into_iter().zip(bodies).zip(homes) {
        let Some(candidate) = known.get(home) else { continue };
        let at = match units.iter().position(|(place, _)| *place == home) {
            Some(at) => at,
            None => {
                units.push((home, begin(reader, candidate)));
                units.len() - 1
            }
        };
        let line = reader.outline.line(draft.at.start);
        match taken.insert((home, bare_label(&draft.label)), line) {
            None => add(reader, &mut units[at].1, draft, body),
            Some(first) => {
                let got = format!("`{}` again, as in line {first}", draft.label);
                let expected = "each sprint of a unit once; the first one counts";
                reader.remark(Weight::Fault, Code::DuplicateId, draft.at, expected, &got);
                taken.insert((home, bare_label(&draft.label)), first);
            }
        }
    }
    for (place, candidate) in known.iter().enumerate().take(tabled) {
        if !units.iter().any(|(home, _)| *home == place) {
            // A unit without one that says how many it has has lost them.
            let counts =
                candidate.row.as_ref().and_then(|row| row.promised).filter(|many| *many > 0);
            let (weight, expected) = match counts {
                Some(many) => (Weight::Fault, format!("{many} sprints, as declared here")),
                None => (Weight::Warning, "at least one sprint of each unit".to_owned()),
            };
            let got = format!("no sprint of unit `{}` was found", candidate.name);
            reader.remark(weight, Code::PlanDisagrees, candidate.at.clone(), &expected, &got);
        }
    }
    plan.units = units.into_iter().map(|(_, unit)| unit).collect();
    if plan.units.len() > 1 {
        own.iter().for_each(|one| layered(reader, plan, one));
        reader.own = own;
    }
}

/// What stands below the heading of each unit, up to the next one or the first sprint.
fn sections(
    reader: &Reader<'_>,
    known: &[Candidate],
    drafts: &[Draft],
    homes: &[Home],
) -> Vec<Own> {
    let headings: BTreeMap<usize, usize> =
        homes.iter().filter_map(|(home, at)| Some(((*at)?, *home))).collect();
    let mut ends: Vec<usize> = drafts.iter().map(|draft| draft.blocks.start).collect();
    ends.extend(headings.keys());
    ends.sort_unstable();
    let read = |(place, home): (&usize, &usize)| {
        let end = ends.get(ends.partition_point(|end| end <= place))?;
        let (words, at) = reader.outline.heading(reader.outline.blocks.get(*place)?);
        let body = body::read(reader, &mut Draft::section(*place..*end));
        Some(Own { id: known.get(*home)?.id.clone(), heading: at..at + words.len(), body })
    };
    headings.iter().filter_map(read).collect()
}

/// The layer that a unit names below its heading.
fn layered(reader: &mut Reader<'_>, plan: &mut Plan, own: &Own) {
    let Some(unit) = plan.units.iter_mut().find(|unit| unit.id == own.id) else { return };
    match (unit.layer, own.body.layer) {
        (Some(known), Some(said)) if known != said => {
            let got = format!("layer {said} below the heading, {known} elsewhere, which counts");
            let (weight, code) = (Weight::Warning, Code::PlanDisagrees);
            reader.remark(weight, code, own.heading.clone(), "one layer for a unit", &got);
        }
        (None, said) => unit.layer = said,
        _ => {}
    }
}

fn begin(reader: &Reader<'_>, candidate: &Candidate) -> WorkUnit {
    let row = candidate.row.as_ref();
    WorkUnit {
        id: candidate.id.clone(),
        name: candidate.name.clone(),
        directory: row.and_then(|row| row.directory.clone()),
        layer: candidate.layer,
        promised: row.and_then(|row| row.promised),
        lines: row.map_or_else(|| reader.outline.lines(&candidate.at), |row| row.lines),
        sprints: Vec::new(),
    }
}

fn add(reader: &Reader<'_>, unit: &mut WorkUnit, draft: Draft, body: &mut Body) {
    let start = match &draft.row {
        Some(row) => row.lines,
        None => {
            let heading = reader.outline.blocks.get(draft.blocks.start);
            let from = heading.map_or(draft.at.start, |block| block.range.start);
            reader.outline.lines(&(from..body.end.max(from + 1)))
        }
    };
    unit.sprints.push(Sprint {
        id: format!("{}/{}", unit.id, draft.label),
        kind: body::kind(body, &draft.name),
        deferred: is_deferred(&draft.name) || body.deferred,
        label: draft.label,
        word: draft.word,
        name: draft.name,
        goal: body.goal.clone(),
        layer: body.layer,
        priority: body.priority.clone(),
        model: body.model.clone(),
        turns: body.turns,
        entry: body.entry.clone(),
        tasks: std::mem::take(&mut body.tasks),
        exit: std::mem::take(&mut body.exit),
        lines: start,
    });
    if unit.id == WHOLE {
        let first = unit.sprints.first().map_or(start, |one| one.lines);
        unit.lines = LineRange { first: first.first, last: start.last.max(unit.lines.last) };
    }
}

/// The units of the first table that is one of units.
fn from_table(reader: &mut Reader<'_>) -> Vec<Candidate> {
    let rows = reader.sheets.iter().find_map(unit_rows).unwrap_or_default();
    let waits = rows.iter().all(only_waits);
    let mut known: Vec<Candidate> = Vec::new();
    for row in rows {
        let id = unit_key(&row.name);
        if known.iter().any(|one| one.id == id) {
            if waits {
                continue;
            }
            let expected = "each unit once; the first one counts";
            let got = format!("`{}` again", row.name);
            reader.remark(Weight::Fault, Code::DuplicateId, row.name_at, expected, &got);
            continue;
        }
        let (name, at, layer) = (unit_name(&row.name).to_owned(), row.name_at.clone(), row.layer);
        known.push(Candidate { id, name, at, row: Some(row), layer });
    }
    known
}

/// Whether a row says nothing but whom a unit waits for. There may be several of one unit.
fn only_waits(row: &UnitRow) -> bool {
    row.layer_at.is_none() && row.promised_at.is_none() && row.directory.is_none()
}

/// For each sprint the place of its unit among `known`, which grows by units that only sections name.
fn homes(
    reader: &mut Reader<'_>,
    known: &mut Vec<Candidate>,
    drafts: &[Draft],
    bodies: &[Body],
    title: Option<&str>,
) -> Vec<Home> {
    let title_at = first_title(reader);
    let sections: Vec<Option<usize>> =
        drafts.iter().map(|draft| section(reader, draft, known, title_at)).collect();
    let mut distinct: Vec<usize> = sections.iter().flatten().copied().collect();
    distinct.dedup();
    let named = distinct.iter().any(|place| is_named(reader, *place));
    // A table about nothing but an order is no list of units where sections are.
    if distinct.len() > 1 && known.iter().all(one_that_waits) {
        known.clear();
    }
    let tabled = known.len();
    let pairs = known.iter().map(|one| (one.id.clone(), one.name.clone()));
    let names = Names::new(Vec::new(), Vec::new(), pairs.collect());
    let by_section = tabled != 1 && (distinct.len() > 1 || named);
    let mut homes: Vec<Option<Home>> = vec![None; drafts.len()];
    for (place, draft) in drafts.iter().enumerate() {
        let said = bodies[place]
            .unit
            .as_deref()
            .or(draft.row.as_ref().and_then(|row| row.unit.as_deref()));
        homes[place] = match said {
            Some(said) => Some((open(known, &unit_key(said), said, draft.at.clone(), None), None)),
            None => by_row(reader, known, &names, draft).map(|(row, at)| (row, Some(at))),
        };
        if homes[place].is_none()
            && by_section
            && let Some(at) = sections[place]
        {
            homes[place] = Some((open_section(reader, known, at, tabled > 0), Some(at)));
        }
    }
    if tabled == 1 {
        return homes.into_iter().map(|home| home.unwrap_or((0, None))).collect();
    }
    if homes.iter().all(Option::is_none) && tabled > 1 {
        by_counts(reader, known, drafts, &mut homes);
    }
    let rest = homes.iter().any(Option::is_none).then(|| {
        let at = drafts.first().map_or(0..1, |draft| draft.at.clone());
        let name = title.unwrap_or(WHOLE).to_owned();
        (open(known, WHOLE, &name, at, None), None)
    });
    homes.into_iter().map(|home| home.or(rest).unwrap_or((0, None))).collect()
}

/// The first heading of level 1.
fn first_title(reader: &Reader<'_>) -> Option<usize> {
    reader.outline.blocks.iter().position(|block| matches!(block.content, Content::Heading(1)))
}

/// The section that may be a unit; `first` is the one that may be the title of the plan.
fn section(
    reader: &Reader<'_>,
    draft: &Draft,
    known: &[Candidate],
    first: Option<usize>,
) -> Option<usize> {
    let outline = &reader.outline;
    draft.above.iter().copied().find(|at| {
        let text = outline.heading(&outline.blocks[*at]).0;
        let lower = plain_small(text);
        let title = Some(*at) == first && !known.iter().any(|one| one.id == unit_key(text));
        let about = matches!(headed(text, WORDS), Headed::About | Headed::Odd);
        !title && !about && !GENERIC.contains(&lower.as_str()) && !super::parts::is_part(text)
    })
}

/// "Work Unit: …" and "WU1: …" are units even if there is only one.
fn is_named(reader: &Reader<'_>, place: usize) -> bool {
    let text = plain(reader.outline.heading(&reader.outline.blocks[place]).0);
    let lower = text.to_lowercase();
    let key = unit_key(&text);
    lower.starts_with("work unit:")
        || (key.starts_with("wu") && key.len() <= 6 && lower.starts_with('w'))
}

fn one_that_waits(one: &Candidate) -> bool {
    one.row.as_ref().is_some_and(only_waits)
}

/// The row of the table that a section above the sprint names, and that section.
fn by_row(
    reader: &Reader<'_>,
    known: &[Candidate],
    names: &Names,
    draft: &Draft,
) -> Option<(usize, usize)> {
    let outline = &reader.outline;
    draft.above.iter().find_map(|at| {
        let text = outline.heading(&outline.blocks[*at]).0;
        let key = unit_key(text);
        let exact = known.iter().position(|one| one.id == key);
        let begins = || {
            known.iter().position(|one| {
                one.row.is_some()
                    && key.len() > 4
                    && one.id.len() > 4
                    && (one.id.starts_with(&format!("{key}-"))
                        || key.starts_with(&format!("{}-", one.id)))
            })
        };
        // "Phase 1: Core" is the row "Core".
        let called = || {
            let id = names.unit(text)?;
            known.iter().position(|one| one.id == id)
        };
        Some((exact.or_else(begins).or_else(called)?, *at))
    })
}

fn open(
    known: &mut Vec<Candidate>,
    id: &str,
    name: &str,
    at: Range<usize>,
    layer: Option<u32>,
) -> usize {
    match known.iter().position(|one| one.id == id) {
        Some(place) => place,
        None => {
            known.push(Candidate {
                id: id.to_owned(),
                name: name.to_owned(),
                at,
                row: None,
                layer,
            });
            known.len() - 1
        }
    }
}

fn open_section(
    reader: &mut Reader<'_>,
    known: &mut Vec<Candidate>,
    place: usize,
    tabled: bool,
) -> usize {
    let (text, at) = reader.outline.heading(&reader.outline.blocks[place]);
    let lower = text.to_lowercase();
    let layer = lower.split_once("layer ").and_then(|(_, rest)| number(rest));
    let name = unit_name(text).to_owned();
    let range = at..at + text.len();
    let before = known.len();
    let home = open(known, &unit_key(text), &name, range.clone(), layer);
    if tabled && known.len() > before {
        let expected = "a section named like a row of the table of units";
        reader.remark(Weight::Warning, Code::PlanDisagrees, range, expected, &format!("`{name}`"));
    }
    home
}

/// No section tells: the table says how many sprints each unit has.
fn by_counts(
    reader: &mut Reader<'_>,
    known: &[Candidate],
    drafts: &[Draft],
    homes: &mut [Option<Home>],
) {
    let counts = known.iter().map(|one| one.row.as_ref().and_then(|row| row.promised));
    let counts: Vec<u32> = counts.collect::<Option<_>>().unwrap_or_default();
    let total: u64 = counts.iter().map(|count| u64::from(*count)).sum();
    if total == drafts.len() as u64 {
        let places = counts.iter().enumerate();
        let order = places.flat_map(|(place, count)| std::iter::repeat_n(place, *count as usize));
        homes.iter_mut().zip(order).for_each(|(home, place)| *home = Some((place, None)));
        return;
    }
    let at = drafts.first().map_or(0..1, |draft| draft.at.clone());
    let expected = "sections, a line `**Work unit**:` or counts that say which unit a sprint is of";
    reader.remark(
        Weight::Warning,
        Code::PlanDisagrees,
        at,
        expected,
        "none of them; all are one unit",
    );
}
