//! Tables of which the rows are tasks of a sprint.

use super::super::super::classify::check;
use super::super::super::document::{LineRange, is_struck, unboxed};
use super::super::super::model::Check;
use super::super::shows::sentence_if_command;
use super::{Row, Sheet, is_exit, said, tidy};

/// What a column of work is called below a label of tasks, and where a column of criteria stands beside it.
const WORK: [&str; 19] = [
    "task",
    "tasks",
    "work item",
    "work items",
    "work",
    "step",
    "steps",
    "action",
    "what",
    "description",
    "deliverable",
    "deliverables",
    "item",
    "feature",
    "component",
    "name",
    "title",
    "story",
    "user story",
];

/// A table of tasks: for each row what is to be done, its criteria, and its lines. Blank for another table. `named` says
/// that it stands below a label of tasks; without one its head must say so.
pub(in super::super) fn task_rows(
    sheet: &Sheet<'_>,
    named: bool,
) -> Vec<(String, Vec<String>, LineRange)> {
    let heads = || sheet.heads.iter().enumerate();
    let exits: Vec<usize> =
        heads().filter(|(_, head)| is_exit(head)).map(|(column, _)| column).collect();
    // Without a label only the first four are said of nothing else.
    let sure = if named || !exits.is_empty() { WORK.len() } else { 4 };
    let Some(work) = WORK[..sure].iter().find_map(|name| sheet.exact(name)) else {
        return Vec::new();
    };
    let made = |row: Row<'_, '_>| {
        let task = tidy(row.text(work));
        let cells = exits.iter().map(|column| row.text(*column).replace("\\|", "|"));
        let live = |text: &str| said(text) && !is_struck(unboxed(text).0);
        let exit = cells.filter(|cell| live(cell) && cell.contains(char::is_alphabetic));
        let expected = row.expected();
        let exit = exit.map(|cell| sentence_if_command(cell, expected.as_deref()));
        live(&task).then(|| (task, exit.collect(), row.lines()))
    };
    sheet.rows().filter_map(made).collect()
}

/// Whether a table of tasks has a command in a column that is none of the task or its criteria.
pub(in super::super) fn tells_more(sheet: &Sheet<'_>) -> bool {
    let heads = sheet.heads.iter().enumerate();
    let mut left = heads.filter(|(_, head)| !is_exit(head) && !WORK.contains(&head.as_str()));
    let runs = |cell: &str| cell.contains('`') && matches!(check(cell), Check::Command { .. });
    left.any(|(column, _)| sheet.rows().any(|row| runs(row.text(column))))
}
