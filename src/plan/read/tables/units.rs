//! Tables of units, and of whom they wait for.

use super::super::super::document::LineRange;
use super::super::find::PHASES;
use super::super::totals::exactly;
use super::{ENTRY, LAYER, LOOSE_UNIT, SPRINTS, Sheet, UNIT, said, tidy};
use std::ops::Range;

/// A row that is a unit.
#[derive(Clone, Debug)]
pub(in super::super) struct UnitRow {
    pub(in super::super) name: String,
    pub(in super::super) name_at: Range<usize>,
    pub(in super::super) directory: Option<String>,
    pub(in super::super) layer: Option<u32>,
    pub(in super::super) layer_at: Option<Range<usize>>,
    pub(in super::super) promised: Option<u32>,
    pub(in super::super) promised_at: Option<Range<usize>>,
    pub(in super::super) lines: LineRange,
}

/// The columns of a table of units.
struct Columns {
    name: usize,
    directory: Option<usize>,
    layer: Option<usize>,
    sprints: Option<usize>,
}

/// Whether a table is one of units: a column that names them and one that says what only units have.
pub(in super::super) fn is_units(sheet: &Sheet<'_>) -> bool {
    columns(sheet).is_some()
}

fn columns(sheet: &Sheet<'_>) -> Option<Columns> {
    let (sprints, layer) = (sheet.column(SPRINTS), sheet.column(LAYER));
    let (depends, directory) =
        (sheet.depends(), sheet.column(&["directory", "dir", "path", "folder"]));
    let strong = sprints.is_some() || directory.is_some() || layer.is_some();
    let name = sheet.column(UNIT).filter(|_| strong || depends.is_some());
    let name = name.or_else(|| {
        sheet.column(LOOSE_UNIT).filter(|_| {
            sprints.is_some() && (layer.is_some() || directory.is_some() || depends.is_some())
        })
    })?;
    let named = ![sprints, layer].contains(&Some(name));
    named.then_some(Columns { name, directory, layer, sprints })
}

/// The units of a table, if it is one of units.
pub(in super::super) fn unit_rows(sheet: &Sheet<'_>) -> Option<Vec<UnitRow>> {
    let Columns { name, directory, layer, sprints } = columns(sheet)?;
    // "Sprints (est.)" and "Sprints done" declare nothing.
    let counted = sprints.filter(|column| SPRINTS.contains(&sheet.heads[*column].as_str()));
    let rows = sheet.rows().filter(|row| !row.text(name).is_empty()).map(|row| UnitRow {
        name: tidy(row.text(name)),
        name_at: row.range(name),
        directory: directory.map(|column| tidy(row.text(column))).filter(|text| said(text)),
        layer: layer.and_then(|column| super::super::layers::layer(row.text(column))),
        layer_at: layer.map(|column| row.range(column)),
        promised: counted.and_then(|column| exactly(row.text(column))),
        promised_at: sprints.map(|column| row.range(column)),
        lines: row.lines(),
    });
    Some(rows.collect())
}

/// A row about whom something like a unit waits for: what it is called, where, and the cell.
pub(in super::super) type WaitingRow = (String, Range<usize>, Option<Range<usize>>);

/// Whether the head of a table says that its rows are units.
pub(in super::super) fn is_of_units(sheet: &Sheet<'_>) -> bool {
    let unit =
        |head: &String| ["work unit", "work units", "unit", "units"].contains(&head.as_str());
    sheet.heads.iter().any(unit)
}

/// The rows of a table that says of units whom they wait for. A number below the head "Phase" is that phase.
pub(in super::super) fn waiting_rows(sheet: &Sheet<'_>) -> Vec<WaitingRow> {
    let heads = sheet.heads.iter();
    let named = |head: &String| {
        let head = head.as_str();
        UNIT.contains(&head) || LOOSE_UNIT.contains(&head) || PHASES.contains(&head)
    };
    let name = heads.clone().position(named);
    let name = name.or_else(|| sheet.column(UNIT)).or_else(|| sheet.column(LOOSE_UNIT));
    let preconditions = || ENTRY.iter().find_map(|name| sheet.exact(name));
    let depends = sheet.depends().or_else(preconditions);
    let (Some(depends), Some(name)) = (depends, name) else { return Vec::new() };
    let rows = sheet.rows().filter(|row| !row.text(name).is_empty());
    let rows = rows.map(|row| {
        let said = tidy(row.text(name));
        let number = said.bytes().all(|byte| byte.is_ascii_digit());
        let called = if number { format!("{} {said}", sheet.heads[name]) } else { said };
        (called, row.range(name), Some(row.range(depends)))
    });
    rows.collect()
}

/// The cells of a table that say of units who waits for them, with the names of these units.
pub(in super::super) fn holding_rows(sheet: &Sheet<'_>) -> Vec<(String, Range<usize>)> {
    let holds = ["blocks", "unblocks"].iter().find_map(|name| sheet.exact(name));
    let name = sheet.column(UNIT).or_else(|| sheet.column(LOOSE_UNIT));
    let (Some(holds), Some(name)) = (holds, name) else { return Vec::new() };
    let rows = sheet.rows().filter(|row| said(row.text(holds)));
    rows.map(|row| (tidy(row.text(name)), row.range(holds))).collect()
}
