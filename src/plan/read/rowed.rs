//! Tables of criteria: each row is one, with its command if what else the row says leaves that to be run as it is.

use super::super::classify;
use super::super::document::{LineRange, unboxed};
use super::super::model::{Check, PlanCriterion};
use super::super::outline::spans;
use super::super::wordlist::WordList;
use super::Reader;
use super::items::one_criterion;
use super::shows;
use super::tables::{self, Sheet, said};
use std::collections::BTreeMap;

/// Heads of columns that name what a row is about or how it is looked at. What stands below any other head may say
/// how or where a command is run, or what must come of it.
static NAMES: WordList = WordList::new(&[
    "ac",
    "acceptance criteria",
    "acceptance criterion",
    "agent",
    "area",
    "aspect",
    "assertion",
    "automated",
    "behavior",
    "behaviour",
    "blocked by",
    "blocking",
    "category",
    "check",
    "checks",
    "command",
    "commands",
    "complexity",
    "component",
    "condition",
    "criteria",
    "criterion",
    "deliverable",
    "dependencies",
    "dependency",
    "depends",
    "depends on",
    "description",
    "detail",
    "details",
    "due",
    "duration",
    "effort",
    "estimate",
    "evidence",
    "exit criteria",
    "exit criterion",
    "feature",
    "gate",
    "goal",
    "how",
    "how to verify",
    "id",
    "issue",
    "item",
    "kind",
    "kind of check",
    "layer",
    "level",
    "mandatory",
    "method",
    "metric",
    "model",
    "module",
    "must pass",
    "name",
    "owner",
    "phase",
    "points",
    "prerequisites",
    "priority",
    "proof",
    "purpose",
    "quality gate",
    "rationale",
    "ref",
    "reference",
    "required",
    "requirement",
    "requirements",
    "responsible",
    "role",
    "run",
    "scope",
    "script",
    "severity",
    "shown by",
    "size",
    "sortie",
    "sprint",
    "statement",
    "step",
    "story",
    "suite",
    "task",
    "tasks",
    "test",
    "test type",
    "tests",
    "title",
    "tool",
    "type",
    "validation",
    "verification",
    "verification command",
    "verified by",
    "verify",
    "verify with",
    "what",
    "who",
    "why",
]);

/// What a row says, cell by cell.
#[derive(Default)]
struct Row {
    ticked: bool,
    /// The cells in words, and whether more than the name of the row is in each.
    cells: Vec<(String, bool)>,
    expected: Option<String>,
    place: Option<String>,
}

/// A row of a table of criteria: its cells, without its number; a cell that is a command shows it.
pub(super) fn rows(reader: &Reader<'_>, place: usize) -> Vec<PlanCriterion> {
    let Some(sheet) = reader.sheet(place) else { return Vec::new() };
    let all = sheet.rows().filter(|row| !row.is_struck()).filter_map(|row| {
        let mut found = Row::default();
        for (column, head) in sheet.heads().iter().enumerate() {
            found.read(column, head, row.text(column));
        }
        found.criterion(row.lines())
    });
    told_apart(all.collect(), sheet)
}

impl Row {
    fn read(&mut self, column: usize, head: &str, cell: &str) {
        let text = unboxed(cell).0.replace("\\|", "|");
        let ends = if said(&text) { ends(head, &text) } else { None };
        match head {
            "#" | "no" | "no." | "nr" | "nr." | "number" => {}
            "status" | "done" | "state" | "✓" | "✅" if is_state(cell) => {
                self.ticked = is_tick(cell);
            }
            _ if !said(&text) => {}
            "command" | "commands" if spans(&text).is_empty() => {
                self.cells.push((format!("`{text}`"), false));
            }
            // "Exit code" and "Output": a command that shows the one does not show the other.
            _ if ends.is_some() && self.expected.is_some() => self.beyond(head, &text),
            _ if ends.is_some() => self.expected = ends,
            head if shows::is_well(head, &text) => {}
            head if shows::is_place_head(head) => {
                if shows::is_place(head, &text) {
                    self.place = Some(format!("{head}: {text}"));
                }
            }
            head if column == 0
                || bare(head).is_empty()
                || NAMES.has(bare(head))
                || shows::is_command(&text) =>
            {
                self.cells.push((text, false));
            }
            head => self.beyond(head, &text),
        }
    }

    fn beyond(&mut self, head: &str, text: &str) {
        self.cells.push((format!("{head}: {text}"), true));
    }

    fn criterion(self, lines: LineRange) -> Option<PlanCriterion> {
        let Row { ticked, cells, expected, place } = self;
        let shown = cells.iter().any(|(cell, _)| shows::is_command(cell));
        let more = shown && cells.iter().any(|(_, beyond)| *beyond);
        let bare = |(cell, beyond): (String, bool)| match cell.split_once(": ") {
            // Where nothing is run, a row is its cells.
            Some((_, cell)) if beyond && !shown => cell.to_owned(),
            _ => cell,
        };
        let mut cells: Vec<String> = cells.into_iter().map(bare).collect();
        if cells.is_empty() {
            return None;
        }
        if more {
            cells.extend(expected);
            let one = one_criterion(&cells.join(", "), lines);
            return Some(PlanCriterion { ticked, check: classify::unshown(&one.text), ..one });
        }
        let one = row_of(cells, expected, lines);
        let one = match place {
            Some(place) => one_criterion(&format!("{} ({place})", one.text), lines),
            None => one,
        };
        Some(PlanCriterion { ticked, ..one })
    }
}

/// What a cell says of how the command of its row ends.
fn ends(head: &str, text: &str) -> Option<String> {
    let state = ["status", "state"].contains(&head);
    if state || tables::is_expected(head) {
        return Some(shows::expected_in(head, text));
    }
    // "exit 0" says the same below whatever head.
    let exits = || Some(shows::expected_in(head, text)).filter(|ends| ends.starts_with("exits "));
    let says = text.trim_start_matches(['`', '*']).to_lowercase().starts_with("exit");
    shows::ending_in(head, text).or_else(|| exits().filter(|_| says))
}

fn bare(head: &str) -> &str {
    head.trim_matches(|c: char| !c.is_alphanumeric())
}

/// Rows that name different things cannot be shown by one and the same command.
fn told_apart(mut all: Vec<PlanCriterion>, sheet: &Sheet<'_>) -> Vec<PlanCriterion> {
    let mut times: BTreeMap<String, usize> = BTreeMap::new();
    for one in &all {
        if let Check::Command { command, .. } = &one.check {
            *times.entry(command.clone()).or_default() += 1;
        }
    }
    for one in all.iter_mut().filter(|_| sheet.heads().len() > 1) {
        if let Check::Command { command, .. } = &one.check
            && times.get(command).is_some_and(|many| *many > 1)
            && one.text.trim() != format!("`{command}`")
        {
            one.check = classify::unshown(&one.text);
        }
    }
    all
}

/// The lines of the rows of a table that their author struck out.
pub(super) fn struck(reader: &Reader<'_>, place: usize) -> Vec<LineRange> {
    let Some(sheet) = reader.sheet(place) else { return Vec::new() };
    sheet.rows().filter(|row| row.is_struck()).map(|row| row.lines()).collect()
}

/// Whether a cell says how far somebody is, and nothing of what must hold.
fn is_state(cell: &str) -> bool {
    static FIRST: WordList = WordList::new(&[
        "todo",
        "pending",
        "wip",
        "done",
        "yes",
        "blocked",
        "tbd",
        "deferred",
        "complete",
        "completed",
        "passed",
        "passing",
        "failed",
        "failing",
        "planned",
        "ok",
        "met",
        "unmet",
        "verified",
        "started",
        "skipped",
        "queued",
        "cancelled",
        "canceled",
        "untested",
        "unverified",
        "approved",
        "ongoing",
    ]);
    static WHOLE: WordList = WordList::new(&[
        "x",
        "no",
        "n/a",
        "na",
        "new",
        "to do",
        "open",
        "closed",
        "active",
        "ready",
        "draft",
        "running",
        "waiting",
        "partial",
        "current",
        "in progress",
        "in review",
        "not started",
        "not done",
        "not met",
        "not yet",
        "not run",
        "pass",
        "fail",
        "green",
        "red",
    ]);
    let bare = cell.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let first = bare.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    bare.is_empty() || FIRST.has(first) || WHOLE.has(&bare)
}

fn is_tick(cell: &str) -> bool {
    let bare = cell.trim().to_lowercase();
    matches!(bare.as_str(), "[x]" | "x" | "✓" | "✅" | "✔" | "done" | "yes")
}

/// The criterion of a row. What its table says that the command must do goes with it.
fn row_of(mut cells: Vec<String>, expected: Option<String>, lines: LineRange) -> PlanCriterion {
    if let Some(expected) = expected {
        match cells.iter_mut().find(|cell| shows::is_command(cell)) {
            Some(command) => {
                *command = shows::sentence(command, &expected);
                if shows::is_command(command) {
                    return shows::named(&cells, lines);
                }
                return one_criterion(&cells.join(": "), lines);
            }
            None => cells.push(expected),
        }
    }
    if let [command, rest @ ..] = cells.as_slice()
        && shows::is_command(command)
        && !rest.is_empty()
    {
        let joined = format!("{command} → {}", rest.join(" "));
        if shows::is_command(&joined) {
            return one_criterion(&joined, lines);
        }
    }
    shows::named(&cells, lines)
}
