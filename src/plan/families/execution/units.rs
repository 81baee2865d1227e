//! Which unit each sprint belongs to: a table names them, or the sections that hold sprints, or there is one.

use super::super::lines::{Kind, Table, bare, is_label, label};
use super::super::outline::Outline;
use super::super::span;
use super::disagrees;
use super::refs::{Names, is_sign};
use super::sprints::Found;
use super::words::{self, DEPENDS, SPRINTS, UNIT, UNITS, behind};
use crate::plan::model::{Remark, Sprint, Status, Unit, WHOLE};
use std::collections::BTreeMap;

/// What stands between a label and a name.
const MARKS: [&str; 4] = [": ", " — ", " – ", " - "];

/// The most rows of a table of units: each may wait for all others.
const MOST: usize = 1000;

/// The units of a plan.
#[derive(Default)]
pub(super) struct Units {
    /// Without their sprints.
    pub(super) units: Vec<Unit>,
    /// What each is called, besides its name.
    pub(super) called: Vec<Vec<String>>,
    /// The unit of each sprint.
    pub(super) of: Vec<usize>,
    /// The row of each, if a table names them.
    pub(super) rows: Vec<usize>,
    pub(super) remarks: Vec<Remark>,
    /// What each says below its heading that it waits for, with its line; blank if nothing.
    pub(super) fields: Vec<(usize, String)>,
}

/// The table whose rows are work units: it stands below "Work Units", or says how many sprints each of them has.
pub(super) fn table<'t>(outline: &Outline<'_>, tables: &'t [Table]) -> Option<&'t Table> {
    let below = |table: &Table| {
        let mut above = outline.lines[..table.lines.start].iter().rev();
        let heading = above.find(|line| line.kind != Kind::Blank);
        heading.is_some_and(|line| line.level().is_some() && words::same(line.words, UNITS))
    };
    let fits = |table: &&Table| {
        let named = table.columns.first().is_some_and(|first| words::is(first, &UNIT));
        let bounded = (1..=MOST).contains(&table.rows.len());
        bounded && (below(table) || named && table.column(&SPRINTS).is_some())
    };
    tables.iter().find(fits)
}

/// Finds the units of sprints that were found.
pub(super) fn find(
    outline: &mut Outline<'_>,
    table: Option<&Table>,
    found: &[Found],
    sprints: &[Sprint],
) -> Units {
    let mut units = match table {
        Some(table) => of_table(outline, table, found, sprints),
        None => of_sections(outline, found),
    };
    notes(outline, found, &mut units);
    units
}

fn of_table(outline: &Outline<'_>, table: &Table, found: &[Found], sprints: &[Sprint]) -> Units {
    let texts = table.rows.iter().map(|(_, cells)| cells.first().map_or("", String::as_str));
    let texts: Vec<&str> = texts.collect();
    let mut units = named(&texts);
    units.rows = table.rows.iter().map(|(row, _)| *row).collect();
    for (unit, (row, cells)) in units.units.iter_mut().zip(&table.rows) {
        unit.lines = span(*row..row + 1);
        let cell = table.column(&["directory"]).and_then(|at| cells.get(at));
        unit.directory = cell.map_or_else(String::new, |cell| directory(cell));
    }
    let names = Names::new(&units.units, &units.called);
    let row = |text: &str| called(text).iter().find_map(|name| names.unit(name));
    let above = |one: &Found| one.above.iter().find_map(|at| row(outline.words(*at)));
    let counts: Option<Vec<usize>> = (0..texts.len()).map(|place| count(table, place)).collect();
    let summed = || {
        let counts = counts.filter(|counts| counts.iter().sum::<usize>() == found.len())?;
        let units = counts.iter().enumerate();
        Some(units.flat_map(|(unit, many)| std::iter::repeat_n(unit, *many)).collect())
    };
    let of: Option<Vec<usize>> = found.iter().map(above).collect();
    let of = of.or_else(|| (texts.len() == 1).then(|| vec![0; found.len()])).or_else(summed);
    let Some(of) = of else {
        let mut other = of_sections(outline, found);
        let got = format!("{} rows, and sprints outside of such sections", texts.len());
        other.remarks.push(disagrees(
            table.lines.start,
            "a section with sprints for each work unit of the table",
            got,
        ));
        return other;
    };
    units.of = of;
    // What is put off may be counted or not.
    let mut sizes = vec![(0_usize, 0_usize); texts.len()];
    for (unit, sprint) in units.of.iter().zip(sprints) {
        sizes[*unit].0 += 1;
        sizes[*unit].1 += usize::from(sprint.status != Status::Deferred);
    }
    for (place, (got, live)) in sizes.into_iter().enumerate() {
        let said = count(table, place);
        if said.is_some_and(|said| said != got && said != live) || got == 0 {
            let expected =
                format!("{} sprints of `{}`", said.unwrap_or(1), units.units[place].name);
            units.remarks.push(disagrees(units.rows[place], &expected, got.to_string()));
        }
    }
    units
}

/// How many sprints a row says that its unit has.
fn count(table: &Table, row: usize) -> Option<usize> {
    let cell = table.rows.get(row)?.1.get(table.column(&SPRINTS)?)?;
    number(cell)
}

/// The number a cell begins with.
pub(super) fn number(cell: &str) -> Option<usize> {
    cell.split_whitespace().next()?.parse().ok()
}

fn of_sections(outline: &Outline<'_>, found: &[Found]) -> Units {
    let title = outline.lines.iter().position(|line| line.kind == Kind::Heading(1));
    let sections: Option<Vec<&str>> = found
        .iter()
        .map(|one| one.above.first().filter(|at| Some(**at) != title).map(|at| outline.words(*at)))
        .collect();
    let texts = sections.unwrap_or_default();
    let mut distinct: Vec<&str> = Vec::new();
    let mut place: BTreeMap<&str, usize> = BTreeMap::new();
    for text in &texts {
        place.entry(text).or_insert_with(|| {
            distinct.push(text);
            distinct.len() - 1
        });
    }
    if distinct.len() < 2 {
        let whole = Unit { name: WHOLE.to_owned(), ..Unit::default() };
        let called = vec![Vec::new()];
        return Units { units: vec![whole], called, of: vec![0; found.len()], ..Units::default() };
    }
    let mut units = named(&distinct);
    units.of = texts.iter().filter_map(|text| place.get(text).copied()).collect();
    units
}

fn named(texts: &[&str]) -> Units {
    let called: Vec<Vec<String>> = texts.iter().map(|text| called(text)).collect();
    let name = |(names, text): (&Vec<String>, &&str)| {
        names.first().cloned().unwrap_or_else(|| (*text).to_owned())
    };
    let units = called.iter().zip(texts).map(|both| Unit { name: name(both), ..Unit::default() });
    Units { units: units.collect(), called, ..Units::default() }
}

/// Lines below the heading of a unit, up to its first sprint, are its notes.
fn notes(outline: &mut Outline<'_>, found: &[Found], units: &mut Units) {
    let mut seen = vec![false; units.units.len()];
    units.fields = vec![Default::default(); units.units.len()];
    for (one, unit) in found.iter().zip(&units.of) {
        if std::mem::replace(&mut seen[*unit], true) {
            continue;
        }
        let own = one.above.iter().find(|at| {
            let names = called(outline.words(**at));
            names.iter().any(|name| units.called[*unit].contains(name))
        });
        let Some(head) = own.copied() else { continue };
        let text = outline.words(head);
        let (waits, unit) = (&mut units.fields[*unit], &mut units.units[*unit]);
        let whole = behind(text, UNIT[4]).unwrap_or(text);
        let says_all = whole.trim_start_matches(':').trim() == unit.name;
        let next = found.get(found.partition_point(|one| one.head < head)).unwrap_or(one).head;
        let mut labels = (head + 1..next).filter_map(|at| Some((at, label(outline.words(at))?)));
        let field = labels.find(|(_, label)| words::is(label.name, &DEPENDS));
        *waits = field.map(|(at, label)| (at, label.rest.to_owned())).unwrap_or_default();
        outline.take(head..head + usize::from(says_all));
        unit.notes = outline.notes(head..next);
        unit.lines = span(head..head + 1);
    }
}

/// What a unit is called, its name first: `WU1: Storage (SQL)` is `WU1`, `Storage` and `WU1: Storage`; `Work Unit` before
/// it says nothing, and a number is no name.
fn called(text: &str) -> Vec<String> {
    let whole = bare(behind(text, UNIT[4]).unwrap_or(text).trim_start_matches(':'));
    let mark = MARKS.iter().filter_map(|mark| Some((whole.find(mark)?, mark.len()))).min();
    let mut all = vec![whole];
    if let Some((at, length)) = mark {
        let (head, rest) = (&whole[..at], &whole[at + length..]);
        let label = head.chars().all(is_label);
        all = if label { vec![head, rest, whole] } else { vec![whole, head, rest] };
    } else if let Some((head, rest)) = whole.split_once(' ').filter(|(head, _)| is_sign(head)) {
        all.extend([head, rest]);
    }
    let says = |name: &&str| name.chars().any(char::is_alphabetic);
    all.into_iter().map(str::trim).filter(says).map(str::to_owned).collect()
}

/// The folder a cell names, if it names one below that of the plan and nothing else.
pub(super) fn directory(cell: &str) -> String {
    let path = cell.trim_matches('`').trim_end_matches('/');
    let inside = !path.starts_with(['/', '~']) && path.split('/').all(|part| part != "..");
    let plain = path.chars().all(|c| c.is_alphanumeric() || matches!(c, '/' | '-' | '_' | '.'));
    if inside && plain && path != "." { path.to_owned() } else { String::new() }
}
