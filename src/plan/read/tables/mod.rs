//! Tables: which columns there are, and the rows that are units, sprints, layers or totals.

use super::super::document::{LineRange, is_struck, unboxed};
use super::super::outline::{Content, Outline, plain_small};
use super::parts;
use super::shows;
use std::ops::Range;

mod sprints;
mod tasks;
mod units;

pub(super) use sprints::{SprintRow, sprint_rows, strangers, unread, worded};
pub(super) use tasks::{task_rows, tells_more};
pub(super) use units::{
    UnitRow, WaitingRow, holding_rows, is_of_units, is_units, unit_rows, waiting_rows,
};

/// A table with names for its columns.
pub(super) struct Sheet<'a> {
    text: &'a str,
    /// Its block.
    pub(super) place: usize,
    /// The heads in small letters.
    heads: Vec<String>,
    rows: Vec<Vec<Range<usize>>>,
    pub(super) lines: Vec<LineRange>,
}

impl<'a> Sheet<'a> {
    /// The table at a block.
    pub(super) fn at(outline: &Outline<'a>, place: usize) -> Option<Sheet<'a>> {
        let Content::Table(rows) = &outline.blocks.get(place)?.content else { return None };
        let (head, rows) = rows.split_first()?;
        let heads = head.iter().map(|cell| plain_small(outline.source(cell))).collect();
        let lines = rows.iter().map(|row| {
            let start = row.first().map_or(0, |cell| cell.start);
            outline.lines(&(start..row.last().map_or(start, |cell| cell.end)))
        });
        Some(Sheet {
            text: outline.text,
            place,
            heads,
            lines: lines.collect(),
            rows: rows.to_vec(),
        })
    }

    /// All tables of a document.
    pub(super) fn all(outline: &Outline<'a>) -> impl Iterator<Item = Sheet<'a>> {
        (0..outline.blocks.len()).filter_map(|place| Sheet::at(outline, place))
    }

    /// The heads of its columns, in small letters.
    pub(super) fn heads(&self) -> &[String] {
        &self.heads
    }

    /// The first column whose head is one of `names`, else begins with one of them.
    pub(super) fn column(&self, names: &[&str]) -> Option<usize> {
        let begins = |head: &String| {
            // Nearly all names differ in their first letter.
            let first = head.as_bytes().first();
            let near = names.iter().filter(|name| name.as_bytes().first() == first);
            near.into_iter().any(|name| head.starts_with(name))
        };
        let first = self.heads.iter().position(begins)?;
        let exact = |head: &String| names.contains(&head.as_str());
        Some(self.heads.iter().position(exact).unwrap_or(first))
    }

    /// The column that says what a row waits for.
    fn depends(&self) -> Option<usize> {
        self.column(DEPENDS).or_else(|| WAITS.iter().find_map(|name| self.exact(name)))
    }

    /// The column that says what the command of a row must do.
    fn expected(&self) -> Option<usize> {
        self.heads.iter().position(|head| is_expected(head))
    }

    /// The column with this head.
    fn exact(&self, name: &str) -> Option<usize> {
        self.heads.iter().position(|head| head == name)
    }

    /// The bytes of rows behind their last column: cells that belong to no head.
    pub(super) fn surplus(&self) -> Vec<Range<usize>> {
        let behind = |row: &Vec<Range<usize>>| {
            let last = row.last().filter(|_| row.len() == self.heads.len())?;
            // A row that is too short is filled up with cells that stand behind its line.
            self.line(row).filter(|line| last.end <= line.end)?;
            let rest = self.text.get(last.end..)?.split('\n').next().unwrap_or_default();
            let bar = rest.find('|')?;
            let said = rest[bar + 1..].trim().trim_end_matches('|').trim();
            let start = last.end + bar + 1;
            (!said.is_empty()).then(|| start..last.end + rest.trim_end().len())
        };
        self.rows.iter().filter_map(behind).collect()
    }

    /// The bytes of rows that end before their last column.
    pub(super) fn ragged(&self) -> Vec<Range<usize>> {
        let short = |row: &Vec<Range<usize>>| {
            let said = |line: &Range<usize>| {
                let text = self.text.get(line.clone()).unwrap_or_default();
                text.contains(|letter: char| letter != '|' && !letter.is_whitespace())
            };
            let line = self.line(row).filter(said)?;
            let last = row.last().filter(|_| row.len() == self.heads.len());
            last.is_none_or(|last| last.start >= line.end).then_some(line)
        };
        self.rows.iter().filter_map(short).collect()
    }

    /// The line of a row, from its first cell on.
    fn line(&self, row: &[Range<usize>]) -> Option<Range<usize>> {
        let start = row.first()?.start;
        let line = self.text.get(start..)?.split('\n').next().unwrap_or_default();
        Some(start..start + line.trim_end().len())
    }

    pub(super) fn rows(&self) -> impl Iterator<Item = Row<'a, '_>> {
        (0..self.rows.len()).map(|place| Row { sheet: self, place })
    }
}

/// A row of a table.
pub(super) struct Row<'a, 's> {
    sheet: &'s Sheet<'a>,
    place: usize,
}

impl<'a> Row<'a, '_> {
    /// The bytes of a cell, without the space around it.
    pub(super) fn range(&self, column: usize) -> Range<usize> {
        let cell = self.sheet.rows[self.place].get(column).cloned().unwrap_or(0..0);
        let source = self.sheet.text.get(cell.clone()).unwrap_or_default();
        let start = cell.start + (source.len() - source.trim_start().len());
        start..start + source.trim().len()
    }

    /// What it says that its command must do.
    fn expected(&self) -> Option<String> {
        let column = self.sheet.expected()?;
        let cell = self.text(column).replace("\\|", "|");
        said(&cell).then(|| shows::expected_in(&self.sheet.heads[column], &cell))
    }

    pub(super) fn text(&self, column: usize) -> &'a str {
        self.sheet.text.get(self.range(column)).unwrap_or_default()
    }

    /// Whether all that the row says is struck out; its number and status do not count.
    pub(super) fn is_struck(&self) -> bool {
        const BESIDE: [&str; 11] =
            ["#", "id", "no", "no.", "nr", "nr.", "number", "status", "done", "state", ""];
        let heads = self.sheet.heads.iter().enumerate();
        let columns = heads.filter(|(_, head)| !BESIDE.contains(&head.as_str()));
        let cells = columns.map(|(column, _)| unboxed(self.text(column)).0);
        let mut cells = cells.filter(|cell| said(cell)).peekable();
        cells.peek().is_some() && cells.all(is_struck)
    }

    /// Whether a cell of the row is struck out.
    pub(super) fn strikes(&self) -> bool {
        (0..self.sheet.heads.len()).any(|column| is_struck(unboxed(self.text(column)).0))
    }

    pub(super) fn lines(&self) -> LineRange {
        self.sheet.lines[self.place]
    }
}

const UNIT: &[&str] = &["work unit", "work units", "unit", "package", "component", "module"];
const LOOSE_UNIT: &[&str] = &["name", "phase", "project", "area"];
const DEPENDS: &[&str] =
    &["dependencies", "depends on", "dependency", "depends", "deps", "requires", "blocked by"];
/// What else a column of dependencies is called, as a whole.
const WAITS: [&str; 10] = [
    "needs",
    "after",
    "waits for",
    "waits on",
    "wait for",
    "depends upon",
    "dependent on",
    "blocked on",
    "predecessors",
    "predecessor",
];
const SPRINTS: &[&str] = &["sprints", "sorties", "sprint count", "# sprints", "# sorties"];
const LAYER: &[&str] = &["layer", "tier"];
/// The column that names a sprint.
const OF_SPRINT: [&str; 6] = ["sprint", "sortie", "#", "id", "sprint id", "sprint #"];
const TASKS: [&str; 3] = ["tasks", "task", "work"];
const KIND: [&str; 3] = ["type", "task type", "kind"];
const ENTRY: [&str; 6] =
    ["entry criteria", "entry", "preconditions", "precondition", "prerequisites", "prerequisite"];
/// What a sprint is called or for.
const NAMES: [&str; 11] = [
    "name",
    "description",
    "title",
    "sprint",
    "sortie",
    "sprint name",
    "goal",
    "deliverable",
    "scope",
    "objective",
    "summary",
];
/// Columns of exit criteria also where nothing else says that a table is about sprints.
const EXITS: [&str; 6] =
    ["exit criteria", "exit", "validation", "verification", "acceptance criteria", "done when"];

/// Whether a cell begins a row of totals.
pub(super) fn is_total(cell: &str) -> bool {
    let lower = cell.to_lowercase();
    ["total", "sum", "all", "overall"].iter().any(|word| lower.starts_with(word))
}

/// Whether a table says by its heads that it is about units, sprints or layers, rather than tasks of one.
pub(super) fn is_of_others(sheet: &Sheet<'_>) -> bool {
    let numbers = |head: &&String| !matches!(head.as_str(), "#" | "id");
    let mut named = sheet.heads.iter().filter(numbers);
    named.any(|head| OF_SPRINT.contains(&head.as_str()))
        || is_units(sheet)
        || !layer_rows(sheet).is_empty()
}

/// Whether a table says who waits for whom.
pub(super) fn is_of_order(sheet: &Sheet<'_>) -> bool {
    let named = |head: &String| OF_SPRINT.contains(&head.as_str()) || UNIT.contains(&head.as_str());
    sheet.depends().is_some() && sheet.heads.iter().any(named)
}

/// Whether a table is one of units, sprints or layers.
pub(super) fn is_read(sheet: &Sheet<'_>) -> bool {
    is_units(sheet) || sprint_rows(sheet).is_some() || !layer_rows(sheet).is_empty()
}

/// Whether a column holds exit criteria.
pub(super) fn is_exit(head: &str) -> bool {
    head == "exit" || parts::is_exit(head)
}

/// Whether a column says what the command beside it must do. "Result" and "Outcome" say what it did as well.
pub(super) fn is_expected(head: &str) -> bool {
    head.starts_with("expect") || head == "pass condition" || shows::is_status(head)
}

/// A table of layers: which sprints lie in which.
pub(super) fn layer_rows(sheet: &Sheet<'_>) -> Vec<(u32, Range<usize>)> {
    let Some((layer, sprints)) = layer_columns(sheet) else { return Vec::new() };
    let rows = sheet.rows();
    rows.filter_map(|row| Some((super::layers::layer(row.text(layer))?, row.range(sprints))))
        .collect()
}

/// The columns of a table of layers: the layers, and the sprints in them.
fn layer_columns(sheet: &Sheet<'_>) -> Option<(usize, usize)> {
    let (layer, sprints) =
        (sheet.column(LAYER)?, sheet.column(&["sprints", "sorties", "sprint", "sortie"])?);
    (layer == 0 && sheet.column(UNIT).is_none()).then_some((layer, sprints))
}

/// The cells that say in which layer something lies, of tables that are read.
pub(super) fn layer_texts(sheet: &Sheet<'_>) -> Vec<Range<usize>> {
    let Some(layer) = sheet.column(LAYER) else { return Vec::new() };
    let read = layer_columns(sheet).is_some() || is_units(sheet) || sprint_rows(sheet).is_some();
    if read { sheet.rows().map(|row| row.range(layer)).collect() } else { Vec::new() }
}

/// Rows "Total sprints | 12".
pub(super) fn totals(sheet: &Sheet<'_>) -> Vec<(String, u32, Range<usize>)> {
    if sheet.heads.len() != 2 {
        return Vec::new();
    }
    let each = sheet.rows().filter_map(|row| {
        let name = plain_small(row.text(0));
        Some((name, super::totals::exactly(row.text(1))?, row.range(1)))
    });
    each.collect()
}

/// The number a cell begins with; a range has none.
pub(super) fn number(text: &str) -> Option<u32> {
    let bare = text.trim_start_matches(['*', '`', '_', ' ', '~']);
    let digits = bare.len() - bare.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let rest = bare[digits..].trim_start();
    let behind = rest.trim_start_matches(['–', '—', '-', '.']);
    let range = behind.len() < rest.len() && behind.starts_with(|c: char| c.is_ascii_digit());
    if range { None } else { bare[..digits].parse().ok() }
}

/// A cell or value without marks around the whole of it.
pub(super) fn tidy(text: &str) -> String {
    let text = text.trim().replace("\\|", "|");
    let inner = text.strip_prefix("**").and_then(|rest| rest.strip_suffix("**"));
    let inner = inner.or_else(|| text.strip_prefix('`').and_then(|rest| rest.strip_suffix('`')));
    match inner {
        Some(inner) if !inner.contains(['*', '`']) => inner.trim().to_owned(),
        _ => text,
    }
}

/// Whether a cell says anything.
pub(super) fn said(text: &str) -> bool {
    !matches!(text.trim().to_lowercase().as_str(), "" | "-" | "--" | "—" | "–" | "none" | "n/a")
}
