//! Tables of which the rows are sprints, or speak of some.

use super::super::super::classify::check;
use super::super::super::document::LineRange;
use super::super::super::label::{Headed, headed, is_label, split_label};
use super::super::super::model::Check;
use super::super::super::outline::plain_small;
use super::super::find::WORDS;
use super::{
    DEPENDS, ENTRY, EXITS, KIND, LAYER, NAMES, OF_SPRINT, Row, Sheet, TASKS, UNIT, WAITS, is_exit,
    is_expected, is_total, said, tidy,
};
use std::ops::Range;

/// A row that is a sprint, or says something about one.
#[derive(Clone, Debug)]
pub(in super::super) struct SprintRow {
    pub(in super::super) label: String,
    pub(in super::super) label_at: Range<usize>,
    pub(in super::super) name: String,
    pub(in super::super) unit: Option<String>,
    pub(in super::super) layer: Option<u32>,
    pub(in super::super) depends: Option<Range<usize>>,
    pub(in super::super) priority: Option<Range<usize>>,
    pub(in super::super) model: Option<String>,
    pub(in super::super) kind: Option<String>,
    pub(in super::super) entry: Option<Range<usize>>,
    pub(in super::super) tasks: Option<Range<usize>>,
    /// The cells of all columns of exit criteria.
    pub(in super::super) exit: Vec<Range<usize>>,
    /// What the command among them must do.
    pub(in super::super) expected: Option<String>,
    pub(in super::super) lines: LineRange,
}

/// The sprints of a table with a column "Sprint" and one that describes them.
pub(in super::super) fn sprint_rows(sheet: &Sheet<'_>) -> Option<Vec<SprintRow>> {
    let exact = |names: &[&str]| {
        sheet.column(names).filter(|column| names.contains(&sheet.heads[*column].as_str()))
    };
    let label = exact(&OF_SPRINT)?;
    let heads = sheet.heads.iter().enumerate();
    let name = heads.filter(|(column, _)| *column != label);
    let name = name.clone().find(|(_, head)| NAMES.contains(&head.as_str())).map(|(at, _)| at);
    let depends = sheet.depends();
    // A table with numbers only may be one of tasks or of checks.
    let numbers = ["#", "id"].contains(&sheet.heads[label].as_str());
    let work = exact(&TASKS);
    let heads = sheet.heads.iter().enumerate().filter(|(column, _)| *column != label);
    let sure = |head: &str| EXITS.contains(&head) || !numbers && is_exit(head);
    let exit = heads.clone().find(|(_, head)| sure(head)).map(|(column, _)| column);
    name.or(depends).or(exit).or(work.filter(|_| !numbers))?;
    // A table that is one of sprints is so with all its columns.
    let exits = heads.filter(|(column, head)| Some(*column) != name && is_exit(head));
    let exits: Vec<usize> = exits.map(|(column, _)| column).collect();
    let optional = |column: Option<usize>, row: &Row<'_, '_>| {
        column.map(|column| row.range(column)).filter(|range| !range.is_empty())
    };
    let text = |column: Option<usize>, row: &Row<'_, '_>| {
        column.map(|column| tidy(row.text(column))).filter(|text| said(text))
    };
    let mut rows = Vec::new();
    for row in sheet.rows() {
        let cell = row.text(label);
        let range = row.range(label);
        let Some((found, rest)) = label_of(cell) else { continue };
        let at = range.start + (found.as_ptr() as usize - cell.as_ptr() as usize);
        rows.push(SprintRow {
            label: found.to_owned(),
            label_at: at..at + found.len(),
            name: text(name, &row).unwrap_or_else(|| rest.to_owned()),
            unit: text(exact(UNIT), &row),
            layer: sheet
                .column(LAYER)
                .and_then(|column| super::super::layers::layer(row.text(column))),
            depends: optional(depends, &row),
            priority: optional(sheet.column(&["priority"]), &row),
            model: text(exact(&["model"]), &row),
            kind: text(exact(&KIND), &row),
            entry: optional(exact(&ENTRY), &row),
            tasks: optional(work, &row),
            exit: exits.iter().filter_map(|column| optional(Some(*column), &row)).collect(),
            expected: row.expected(),
            lines: row.lines(),
        });
    }
    (!rows.is_empty()).then_some(rows)
}

/// The rows of a table with a column for sprints that are about none of the plan and say something: the bytes of each,
/// and whether the table has a column for work or criteria. A row of totals or of dashes is none. `mine` says that
/// sprints were made of this table, `knows` which labels there are in small letters.
pub(in super::super) fn strangers(
    sheet: &Sheet<'_>,
    mine: bool,
    knows: impl Fn(&str) -> bool,
) -> Vec<(Range<usize>, bool)> {
    let heads = || sheet.heads.iter().enumerate();
    let label = heads().find(|(_, head)| {
        let plain = ["#", "id"].contains(&head.as_str());
        OF_SPRINT.contains(&head.as_str()) && (mine || !plain)
    });
    let Some((label, _)) = label else { return Vec::new() };
    let works = heads().any(|(column, head)| column != label && is_work(head));
    let strange = |row: &Row<'_, '_>| {
        let cell = plain_small(row.text(label));
        let total = is_total(&cell);
        let mut others = (0..sheet.heads.len()).filter(|column| *column != label);
        // A row without a number says something in words.
        let letter = match cell.contains(|c: char| c.is_ascii_digit()) {
            true => char::is_alphanumeric,
            false => char::is_alphabetic,
        };
        let says = others.any(|column| said(row.text(column)) && row.text(column).contains(letter));
        let none = cell.trim_start_matches('_').starts_with("none");
        !total && !none && says && !is_known(row.text(label), &cell, &knows)
    };
    let line = |row: Row<'_, '_>| Some((sheet.line(&sheet.rows[row.place])?, works));
    sheet.rows().filter(strange).filter_map(line).collect()
}

/// How many cells of a table of sprints hold a command in a column that is not read.
pub(in super::super) fn unread(sheet: &Sheet<'_>) -> usize {
    const READ: [&[&str]; 11] = [
        &OF_SPRINT,
        &NAMES,
        DEPENDS,
        &WAITS,
        UNIT,
        LAYER,
        &["priority", "model"],
        &KIND,
        &ENTRY,
        &TASKS,
        &["notes", "note", "dispatch", "prompt"],
    ];
    let heads = sheet.heads.iter().enumerate();
    let left = heads.filter(|(_, head)| {
        !is_exit(head) && !READ.iter().any(|names| names.contains(&head.as_str()))
    });
    let left: Vec<(usize, bool)> = left
        .filter(|(_, head)| !is_expected(head))
        .map(|(column, head)| (column, ["command", "commands"].contains(&head.as_str())))
        .collect();
    let runs = |cell: &str, named: bool| {
        named && said(cell) || cell.contains('`') && matches!(check(cell), Check::Command { .. })
    };
    let cells = |row: Row<'_, '_>| {
        left.iter().filter(|(column, named)| runs(row.text(*column), *named)).count()
    };
    sheet.rows().map(cells).sum()
}

/// How many cells about what must hold say it in words, in a table that is no list of the sprints.
pub(in super::super) fn worded(sheet: &Sheet<'_>) -> usize {
    let exits = |row: SprintRow| row.exit.into_iter();
    let cells = sprint_rows(sheet).unwrap_or_default().into_iter().flat_map(exits);
    let texts = cells.map(|cell| sheet.text.get(cell).unwrap_or_default());
    // "12" is a number and no criterion.
    let texts = texts.filter(|text| said(text) && text.contains(char::is_alphabetic));
    texts.filter(|text| !matches!(check(text), Check::Command { .. })).count()
}

/// Whether a cell names sprints of the plan only.
fn is_known(cell: &str, lower: &str, knows: &impl Fn(&str) -> bool) -> bool {
    if label_of(cell).is_some_and(|(label, _)| knows(&label.to_lowercase())) {
        return true;
    }
    let words = lower.split(|c: char| !c.is_alphanumeric() && c != '.');
    let mut numbers = words.filter(|word| word.contains(|c: char| c.is_ascii_digit())).peekable();
    numbers.peek().is_some() && numbers.all(knows)
}

/// Whether a column says what is to be done, or what must hold.
fn is_work(head: &str) -> bool {
    is_exit(head) || TASKS.contains(&head)
}

/// `3`, `S3`, `Sprint 3: name`, `**2a**`.
fn label_of(cell: &str) -> Option<(&str, &str)> {
    if let Headed::Sprint { label, name, .. } = headed(cell, WORDS) {
        return Some((label, name));
    }
    let bare = cell.trim_start_matches(['*', '`', '_', '#', ' ']);
    let short =
        bare.strip_prefix('S').filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    let (label, rest) = split_label(short.unwrap_or(bare));
    let rest = rest.trim_start_matches(['*', '`', '_', ':', '.', ')', '—', '–', ' ']);
    is_label(label).then_some((label, rest))
}
