//! Where the sprints are: the first of three forms of which there is any.

use super::super::lines::{Line, Table, titled};
use super::super::outline::Outline;
use super::words::{self, NAME, SPRINT, TASK};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// A sprint, found.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// Its label.
    pub(super) label: String,
    /// Its name.
    pub(super) name: String,
    /// The line that says so.
    pub(super) head: usize,
    /// The lines that say the rest.
    pub(super) body: Range<usize>,
    /// It is the row of a table.
    pub(super) row: bool,
    /// Of a row, what its columns say: their words, and the cells.
    pub(super) cells: Vec<(String, String)>,
    /// The headings it stands under, the nearest first; sprints are none.
    pub(super) above: Vec<usize>,
}

/// The sprints of a document.
pub(super) fn find(outline: &Outline<'_>, tables: &[Table]) -> Vec<Found> {
    let mut all = sprints(outline);
    if all.is_empty() {
        all = tables.iter().flat_map(|table| rows(outline, table)).collect();
    }
    if all.is_empty() {
        all = tasks(outline);
    }
    let heads: BTreeSet<usize> = all.iter().map(|one| one.head).collect();
    all.iter_mut().for_each(|one| one.above.retain(|at| !heads.contains(at)));
    all
}

/// Headings `Sprint 2a: Name`.
fn sprints(outline: &Outline<'_>) -> Vec<Found> {
    let sections = outline.sections(|_, words| titled(words, &SPRINT).is_some()).into_iter();
    let sprint = |Range { start: head, end }| {
        let (label, name) = titled(outline.words(head), &SPRINT)?;
        let (label, name) = (label.to_owned(), name.to_owned());
        let above = outline.above(head).collect();
        Some(Found { label, name, head, body: head + 1..end, above, ..Found::default() })
    };
    sections.filter_map(sprint).collect()
}

/// The rows of a table, if its first column is `Sprint` and one is `Name`.
fn rows(outline: &Outline<'_>, table: &Table) -> Vec<Found> {
    let first = table.columns.first().is_some_and(|first| words::is(first, &SPRINT));
    let Some(named) = table.column(&NAME).filter(|_| first) else { return Vec::new() };
    let row = |(head, cells): &(usize, Vec<String>)| {
        let first = cells.first()?;
        let label = ["sprint ", ""].iter().find_map(|before| {
            titled(&format!("{before}{first}"), &SPRINT).map(|(label, _)| label.to_owned())
        });
        // A cell too many has no column.
        let columns = table.columns.iter().map(String::as_str).chain(std::iter::repeat("Other"));
        let rest = columns.zip(cells).enumerate().skip(1);
        let rest = rest.filter(|(at, (_, cell))| *at != named && !cell.is_empty());
        Some(Found {
            label: label?,
            name: cells.get(named).cloned().unwrap_or_default(),
            head: *head,
            body: head + 1..head + 1,
            row: true,
            cells: rest.map(|(_, (column, cell))| (column.to_owned(), cell.clone())).collect(),
            above: outline.above(table.lines.start).collect(),
        })
    };
    table.rows.iter().filter_map(row).collect()
}

/// The N of `Task N.M`.
fn group(words: &str) -> Option<&str> {
    Some(titled(words, &[TASK])?.0.split_once('.')?.0)
}

/// Headings `Task N.M`, together by their N. A section of one group is the sprint; one of several holds them.
fn tasks(outline: &Outline<'_>) -> Vec<Found> {
    let tasks = outline.sections(|_, words| group(words).is_some());
    let of = |task: &Range<usize>| group(outline.words(task.start)).unwrap_or_default();
    let over = |tasks: &[Range<usize>]| outline.above(tasks.first()?.start).next();
    let groups = || tasks.chunk_by(|one, next| of(one) == of(next));
    let mut shared: BTreeMap<Option<usize>, usize> = BTreeMap::new();
    groups().for_each(|tasks| *shared.entry(over(tasks)).or_default() += 1);
    let sprint = |tasks: &[Range<usize>]| {
        let (first, last) = (tasks.first()?, tasks.last()?);
        let level = |at: usize| outline.get(at).and_then(Line::level);
        let own = over(tasks)
            .filter(|above| shared.get(&Some(*above)) == Some(&1) && level(*above) > Some(1));
        let (label, head) = (of(first).to_owned(), own.unwrap_or(first.start));
        Some(Found {
            name: own
                .map_or_else(|| format!("Sprint {label}"), |own| outline.words(own).to_owned()),
            label,
            head,
            body: head + usize::from(own.is_some())..last.end,
            above: outline.above(head).collect(),
            ..Found::default()
        })
    };
    groups().filter_map(sprint).collect()
}
