//! Tables: which columns there are, and the rows that are units, sprints, layers or totals.

use super::super::classify::check;
use super::super::document::LineRange;
use super::super::label::{Headed, headed, is_label, split_label};
use super::super::model::Check;
use super::super::outline::{Content, Outline, plain};
use super::find::{PHASES, WORDS};
use super::parts;
use std::ops::Range;

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
        let heads = head.iter().map(|cell| plain(outline.source(cell)).to_lowercase()).collect();
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
        let begins = |head: &String| names.iter().any(|name| head.starts_with(name));
        let first = self.heads.iter().position(begins)?;
        let exact = |head: &String| names.contains(&head.as_str());
        Some(self.heads.iter().position(exact).unwrap_or(first))
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

    pub(super) fn text(&self, column: usize) -> &'a str {
        self.sheet.text.get(self.range(column)).unwrap_or_default()
    }

    pub(super) fn lines(&self) -> LineRange {
        self.sheet.lines[self.place]
    }
}

/// A row that is a unit.
#[derive(Clone, Debug)]
pub(super) struct UnitRow {
    pub(super) name: String,
    pub(super) name_at: Range<usize>,
    pub(super) directory: Option<String>,
    pub(super) layer: Option<u32>,
    pub(super) layer_at: Option<Range<usize>>,
    pub(super) promised: Option<u32>,
    pub(super) promised_at: Option<Range<usize>>,
    pub(super) lines: LineRange,
}

const UNIT: &[&str] = &["work unit", "work units", "unit", "package", "component", "module"];
const LOOSE_UNIT: &[&str] = &["name", "phase", "project", "area"];
const DEPENDS: &[&str] =
    &["dependencies", "depends on", "dependency", "depends", "deps", "requires", "blocked by"];
const SPRINTS: &[&str] = &["sprints", "sorties", "sprint count", "# sprints", "# sorties"];
const LAYER: &[&str] = &["layer", "tier"];
/// The column that names a sprint.
const OF_SPRINT: [&str; 6] = ["sprint", "sortie", "#", "id", "sprint id", "sprint #"];
const TASKS: [&str; 3] = ["tasks", "task", "work"];
const KIND: [&str; 3] = ["type", "task type", "kind"];
const ENTRY: [&str; 3] = ["entry criteria", "entry", "preconditions"];
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

/// The units of a table, if it is one of units: a column that names them and one that says what
/// only units have.
pub(super) fn unit_rows(sheet: &Sheet<'_>) -> Option<Vec<UnitRow>> {
    let (sprints, layer) = (sheet.column(SPRINTS), sheet.column(LAYER));
    let (depends, directory) =
        (sheet.column(DEPENDS), sheet.column(&["directory", "dir", "path", "folder"]));
    let strong = sprints.is_some() || directory.is_some() || layer.is_some();
    let name = sheet.column(UNIT).filter(|_| strong || depends.is_some());
    let name = name.or_else(|| {
        sheet.column(LOOSE_UNIT).filter(|_| {
            sprints.is_some() && (layer.is_some() || directory.is_some() || depends.is_some())
        })
    })?;
    if [sprints, layer].contains(&Some(name)) {
        return None;
    }
    let rows = sheet.rows().filter(|row| !row.text(name).is_empty()).map(|row| UnitRow {
        name: tidy(row.text(name)),
        name_at: row.range(name),
        directory: directory.map(|column| tidy(row.text(column))).filter(|text| said(text)),
        layer: layer.and_then(|column| super::layers::layer(row.text(column))),
        layer_at: layer.map(|column| row.range(column)),
        promised: sprints.and_then(|column| number(row.text(column))),
        promised_at: sprints.map(|column| row.range(column)),
        lines: row.lines(),
    });
    Some(rows.collect())
}

/// A row about whom something like a unit waits for: what it is called, where, and the cell.
pub(super) type WaitingRow = (String, Range<usize>, Option<Range<usize>>);

/// Whether the head of a table says that its rows are units.
pub(super) fn is_of_units(sheet: &Sheet<'_>) -> bool {
    let unit =
        |head: &String| ["work unit", "work units", "unit", "units"].contains(&head.as_str());
    sheet.heads.iter().any(unit)
}

/// The rows of a table that says of units whom they wait for. A number below the head "Phase" is that phase.
pub(super) fn waiting_rows(sheet: &Sheet<'_>) -> Vec<WaitingRow> {
    let heads = sheet.heads.iter();
    let named = |head: &String| {
        let head = head.as_str();
        UNIT.contains(&head) || LOOSE_UNIT.contains(&head) || PHASES.contains(&head)
    };
    let name = heads.clone().position(named);
    let name = name.or_else(|| sheet.column(UNIT)).or_else(|| sheet.column(LOOSE_UNIT));
    let (Some(depends), Some(name)) = (sheet.column(DEPENDS), name) else { return Vec::new() };
    let rows = sheet.rows().filter(|row| !row.text(name).is_empty());
    let rows = rows.map(|row| {
        let said = tidy(row.text(name));
        let number = said.bytes().all(|byte| byte.is_ascii_digit());
        let called = if number { format!("{} {said}", sheet.heads[name]) } else { said };
        (called, row.range(name), Some(row.range(depends)))
    });
    rows.collect()
}

/// Whether a cell begins a row of totals.
pub(super) fn is_total(cell: &str) -> bool {
    let lower = cell.to_lowercase();
    ["total", "sum", "all", "overall"].iter().any(|word| lower.starts_with(word))
}

/// A row that is a sprint, or says something about one.
#[derive(Clone, Debug)]
pub(super) struct SprintRow {
    pub(super) label: String,
    pub(super) label_at: Range<usize>,
    pub(super) name: String,
    pub(super) unit: Option<String>,
    pub(super) layer: Option<u32>,
    pub(super) depends: Option<Range<usize>>,
    pub(super) priority: Option<Range<usize>>,
    pub(super) model: Option<String>,
    pub(super) kind: Option<String>,
    pub(super) entry: Option<Range<usize>>,
    pub(super) tasks: Option<Range<usize>>,
    /// The cells of all columns of exit criteria.
    pub(super) exit: Vec<Range<usize>>,
    pub(super) lines: LineRange,
}

/// The sprints of a table with a column "Sprint" and one that describes them.
pub(super) fn sprint_rows(sheet: &Sheet<'_>) -> Option<Vec<SprintRow>> {
    let exact = |names: &[&str]| {
        sheet.column(names).filter(|column| names.contains(&sheet.heads[*column].as_str()))
    };
    let label = exact(&OF_SPRINT)?;
    let heads = sheet.heads.iter().enumerate();
    let name = heads.filter(|(column, _)| *column != label);
    let name = name.clone().find(|(_, head)| NAMES.contains(&head.as_str())).map(|(at, _)| at);
    let depends = sheet.column(DEPENDS);
    // A table with numbers only may be one of tasks or of checks.
    let numbers = ["#", "id"].contains(&sheet.heads[label].as_str());
    let work = exact(&TASKS);
    let heads = sheet.heads.iter().enumerate().filter(|(column, _)| *column != label);
    let exits =
        heads.filter(|(_, head)| EXITS.contains(&head.as_str()) || !numbers && is_exit(head));
    let exits: Vec<usize> = exits.map(|(column, _)| column).collect();
    name.or(depends).or(exits.first().copied()).or(work.filter(|_| !numbers))?;
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
            layer: sheet.column(LAYER).and_then(|column| super::layers::layer(row.text(column))),
            depends: optional(depends, &row),
            priority: optional(sheet.column(&["priority"]), &row),
            model: text(exact(&["model"]), &row),
            kind: text(exact(&KIND), &row),
            entry: optional(exact(&ENTRY), &row),
            tasks: optional(work, &row),
            exit: exits.iter().filter_map(|column| optional(Some(*column), &row)).collect(),
            lines: row.lines(),
        });
    }
    (!rows.is_empty()).then_some(rows)
}

/// The rows of a table with a column for sprints that are about none of the plan and say something: the bytes of each,
/// and whether the table has a column for work or criteria. A row of totals or of dashes is none. `mine` says that
/// sprints were made of this table, `knows` which labels there are in small letters.
pub(super) fn strangers(
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
        let cell = plain(row.text(label)).to_lowercase();
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
pub(super) fn task_rows(sheet: &Sheet<'_>, named: bool) -> Vec<(String, Vec<String>, LineRange)> {
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
        let exit = cells.filter(|cell| said(cell) && cell.contains(char::is_alphabetic));
        said(&task).then(|| (task, exit.collect(), row.lines()))
    };
    sheet.rows().filter_map(made).collect()
}

/// Whether a table of tasks has a command in a column that is none of the task or its criteria.
pub(super) fn tells_more(sheet: &Sheet<'_>) -> bool {
    let heads = sheet.heads.iter().enumerate();
    let mut left = heads.filter(|(_, head)| !is_exit(head) && !WORK.contains(&head.as_str()));
    let runs = |cell: &str| cell.contains('`') && matches!(check(cell), Check::Command { .. });
    left.any(|(column, _)| sheet.rows().any(|row| runs(row.text(column))))
}

/// Whether a table says by its heads that it is about units, sprints or layers, rather than tasks of one.
pub(super) fn is_of_others(sheet: &Sheet<'_>) -> bool {
    let numbers = |head: &&String| !matches!(head.as_str(), "#" | "id");
    let mut named = sheet.heads.iter().filter(numbers);
    named.any(|head| OF_SPRINT.contains(&head.as_str()))
        || unit_rows(sheet).is_some()
        || !layer_rows(sheet).is_empty()
}

/// Whether a table is one of units, sprints or layers.
pub(super) fn is_read(sheet: &Sheet<'_>) -> bool {
    unit_rows(sheet).is_some() || sprint_rows(sheet).is_some() || !layer_rows(sheet).is_empty()
}

/// How many cells of a table of sprints hold a command in a column that is not read.
pub(super) fn unread(sheet: &Sheet<'_>) -> usize {
    const READ: [&[&str]; 10] = [
        &OF_SPRINT,
        &NAMES,
        DEPENDS,
        UNIT,
        LAYER,
        &["priority", "model"],
        &KIND,
        &ENTRY,
        &TASKS,
        &["command", "commands", "notes", "note", "dispatch", "prompt"],
    ];
    let heads = sheet.heads.iter().enumerate();
    let left = heads.filter(|(_, head)| {
        !is_exit(head) && !READ.iter().any(|names| names.contains(&head.as_str()))
    });
    let left: Vec<usize> = left.map(|(column, _)| column).collect();
    let cells = sheet.rows().flat_map(|row| left.iter().map(move |column| row.text(*column)));
    let runs = |cell: &&str| cell.contains('`') && matches!(check(cell), Check::Command { .. });
    cells.filter(runs).count()
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

/// Whether a column holds exit criteria.
pub(super) fn is_exit(head: &str) -> bool {
    head == "exit" || parts::is_exit(head)
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
    let read = layer_columns(sheet).is_some()
        || unit_rows(sheet).is_some()
        || sprint_rows(sheet).is_some();
    if read { sheet.rows().map(|row| row.range(layer)).collect() } else { Vec::new() }
}

/// Rows "Total sprints | 12".
pub(super) fn totals(sheet: &Sheet<'_>) -> Vec<(String, u32, Range<usize>)> {
    if sheet.heads.len() != 2 {
        return Vec::new();
    }
    let each = sheet.rows().filter_map(|row| {
        let name = plain(row.text(0)).to_lowercase();
        Some((name, number(row.text(1))?, row.range(1)))
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
