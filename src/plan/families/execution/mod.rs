//! Execution plans: the documents seed 002 describes, in each closed form its sections 2a to 2g tell.
//!
//! All is read by lines. What stands in a fence, a quotation or a comment is no structure; drawings are not read.
//!
//! - **A sprint** is the first of these of which there is any: a heading `Sprint 2a: Name` (or `Sortie`; any level;
//!   `:`, a dash or nothing behind the label, which has a digit); a row of a table with the columns `Sprint` and `Name` or
//!   `Description`; headings `Task N.M: …`, together by their N. Boxes below other headings are a check list, which has a reader of its own. It goes on to
//!   the next heading of its level or above, or to the next sprint.
//! - **A unit** is a row of a table that has a column `Sprints` and whose first column is `Work Unit`, `Package`,
//!   `Component`, `Module` or `Phase` (or that stands under `Work Units`). A sprint belongs to the row that its section is
//!   called like, else to that of its field `Work unit`, else by the numbers of the rows if they add up. Without a table
//!   each of several sections that hold sprints is a unit; else there is one, `plan`. `WU1: Storage (SQL)` is called
//!   `WU1`, `Storage` and `WU1: Storage`.
//! - **A part** of a sprint begins at a line `**Tasks**:`, `**Tasks:**`, `Tasks:` or a heading of that name (so do entry
//!   criteria, exit criteria and the seed's other words for these) and ends at the next label, heading, rule, or paragraph
//!   behind its items. Each item with what is indented below it, and each row of a table, is a task or a criterion. Under
//!   `Validate` each line of a fence is a command that exits 0; a fence under `Expected` is what the last one prints.
//!   A heading `Task N.M: …` in a sprint is a task. Where no part is told, boxes are tasks.
//! - **The order** is that of layers (a unit waits for all units of the layer below), of the column `Dependencies`, of a
//!   field `Depends on` or `Dependencies`, of `A --> B` in mermaid, and of exact labels in entry criteria: `Sprint 2`,
//!   `Sorties 1-3`, `S2` for sprint 2 of the same unit, `EM-3`. These name what comes before; in brackets or code they are
//!   said aside. In a list of dependencies a name that is nowhere is a fault; what is a sentence there is read as one.
//! - **A field** is a line `**Name**: value`. Status, kind, model and priority are taken, if the value is nothing else.
//! - A number of sprints or units that the plan tells and that was not found is a fault.
//!
//! All other lines are notes, byte for byte: of the sprint, the unit, or the plan. One remark names the latter's sections.

mod body;
mod fields;
mod lines;
mod order;
mod parts;
mod refs;
mod sprints;
mod units;
mod words;

use crate::plan::document;
use crate::plan::model::{Plan, Read, Remark, Sprint, Unit, Weight};
use crate::plan::{write, yaml};
use crate::vocab::error::Code;
use lines::{Kind, Line, Table};
use std::collections::BTreeMap;
use units::{Units, number};
use words::{APPENDIX, COUNTS, SETTINGS, TEMPLATE, behind, is, same};

/// The most sections that the remark about notes names.
const MOST: usize = 40;

/// Reads an execution plan; `None` if no sprint stands there in any of the forms.
pub fn read(text: &str) -> Option<Read> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let lines = lines::scan(text);
    let found = sprints::find(&lines);
    if found.is_empty() {
        return None;
    }
    let tables = lines::tables(&lines);
    let table = units::table(&lines, &tables);
    let (sprints, bodies): (Vec<Sprint>, Vec<parts::Body>) =
        found.iter().map(|one| fields::sprint(&lines, one)).unzip();
    let units = units::find(&lines, table, &found, &bodies);
    let (mut plan, places) = assemble(text, &lines, sprints, &units);
    let names = refs::Names::new(&plan.units, &units.called);
    let (lines, found, bodies, remarks) = (&lines[..], &found[..], &bodies[..], units.remarks);
    let mut order =
        order::Order { lines, tables: &tables, table, found, bodies, places, names, remarks };
    order.read(&mut plan);
    let mut remarks = order.remarks;
    remarks.extend(summary(&plan, &tables, found.len()));
    let mut taken: Vec<std::ops::Range<usize>> =
        found.iter().map(|one| one.head..one.body.end).collect();
    taken.extend(units.taken.iter().cloned());
    plan.units.retain(|unit| !unit.sprints.is_empty());
    taken.extend(restated(&plan, lines, &tables));
    remarks.extend(rest(&mut plan, lines, taken));
    remarks.sort_by_key(|remark| (remark.line, remark.column));
    Some(Read { plan, remarks })
}

/// The plan with its sprints in their units, and the place of each among those that were found.
fn assemble(
    text: &str,
    lines: &[Line<'_>],
    sprints: Vec<Sprint>,
    units: &Units,
) -> (Plan, BTreeMap<(usize, usize), usize>) {
    let mut all: Vec<Unit> = units.units.clone();
    let mut places = BTreeMap::new();
    for (at, (sprint, unit)) in sprints.into_iter().zip(&units.of).enumerate() {
        places.insert((*unit, all[*unit].sprints.len()), at);
        all[*unit].sprints.push(sprint);
    }
    let title = lines.iter().find_map(|line| match line.kind {
        Kind::Heading(1, words) => Some(words),
        _ => None,
    });
    let mut plan =
        Plan { title: title.unwrap_or_default().to_owned(), units: all, ..Plan::default() };
    if let Ok((Some(front), _)) = document::split(text) {
        plan.front = front.replace("\r\n", "\n");
        let name =
            yaml::mapping(front, 2).ok().and_then(|fields| fields.get("feature_name").cloned());
        plan.settings.feature_name = name.and_then(|name| name.as_str().map(str::to_owned));
    }
    (plan, places)
}

/// Whether the numbers of the summary are those that were found.
fn summary(plan: &Plan, tables: &[Table], sprints: usize) -> Vec<Remark> {
    let mut remarks = Vec::new();
    for (row, cells) in tables.iter().flat_map(|table| &table.rows) {
        let [metric, value, ..] = cells.as_slice() else { continue };
        let got = if same(metric, COUNTS[0]) { plan.units.len() } else { sprints };
        if is(metric, &COUNTS) && number(value).is_some_and(|said| said != got) {
            remarks.push(disagrees(*row, &format!("{metric}: {value}"), got.to_string()));
        }
    }
    remarks
}

/// The sections that say of a plan what the canonical form derives from it, cell by cell: they would stand there twice.
fn restated(plan: &Plan, lines: &[Line<'_>], tables: &[Table]) -> Vec<std::ops::Range<usize>> {
    let layers = crate::plan::order::layers(plan);
    let units: Vec<Vec<String>> = write::rows(plan).into_iter().map(Vec::from).collect();
    let told = write::summary(plan, &layers).map(|(metric, value)| vec![metric.to_owned(), value]);
    let cell = |text: &String| text.trim_matches('`').to_lowercase();
    let row = |row: &Vec<String>| row.iter().map(cell).collect::<Vec<_>>();
    let known = [&units[..], &told].map(|rows| rows.iter().map(row).collect::<Vec<_>>());
    let again = |table: &&Table| {
        let rows: Vec<_> = table.rows.iter().map(|(_, cells)| row(cells)).collect();
        known.contains(&rows)
    };
    tables.iter().filter(again).map(|table| lines::section(lines, table)).collect()
}

/// What stands in no sprint and no unit becomes notes of the plan; one remark names the sections.
fn rest(
    plan: &mut Plan,
    lines: &[Line<'_>],
    mut taken: Vec<std::ops::Range<usize>>,
) -> Option<Remark> {
    let title = lines.iter().position(|line| matches!(line.kind, Kind::Heading(1, _)));
    taken.extend(title.map(|at| at..at + 1));
    if !plan.front.is_empty() {
        let ends = |line: &Line<'_>| matches!(line.text.trim_end(), "---" | "...");
        let end = lines.iter().skip(1).position(ends).map_or(0, |at| at + 2);
        taken.push(0..end);
    }
    let mut free = vec![true; lines.len()];
    for range in taken {
        free[range].fill(false);
    }
    let free: Vec<(usize, &Line<'_>)> =
        lines.iter().enumerate().filter(|(at, _)| free[*at]).collect();
    plan.notes = lines::source(free.iter().map(|(_, line)| *line));
    let sections = free.iter().filter_map(|(at, line)| match line.kind {
        Kind::Heading(_, words) => Some((*at, words)),
        _ => None,
    });
    let sections: Vec<(usize, &str)> = sections.collect();
    let first = sections.first()?.0;
    let named = sections.iter().take(MOST).map(|(at, words)| format!("{} `{words}`", at + 1));
    let more = sections.len().checked_sub(MOST + 1).map(|more| format!("and {} more", more + 1));
    let named: Vec<String> = named.chain(more).collect();
    let expected = "sections of sprints or work units; others are notes of the plan";
    Some(remark(
        Weight::Note,
        Code::ReadAsText,
        first,
        expected,
        format!("lines {}", named.join(", ")),
    ))
}

/// The template for prompts, if the plan brings one: that of a section titled so, its first fence if it has one, or the
/// value of `template:` in the settings of the supervisor.
pub fn template(text: &str) -> Option<String> {
    let lines = lines::scan(text.strip_prefix('\u{feff}').unwrap_or(text));
    let titled = |words: &str| {
        let bare = behind(words, APPENDIX).unwrap_or(words);
        is(bare.trim_start_matches([':', '.', '—', '–', '-', ' ']), &TEMPLATE)
    };
    if let Some(section) = section(&lines, titled) {
        let fenced = fence(section).map(|inside| lines::source(inside.iter()));
        return fenced
            .or_else(|| Some(lines::source(section.iter())))
            .filter(|text| !text.is_empty());
    }
    let settings = section(&lines, |words| behind(words, SETTINGS).is_some())?;
    let fields = yaml::mapping(&lines::source(fence(settings)?.iter()), 1).ok()?;
    fields.get("template")?.as_str().map(str::to_owned)
}

/// The lines below the first heading that fits.
fn section<'l, 'a>(lines: &'l [Line<'a>], fits: impl Fn(&str) -> bool) -> Option<&'l [Line<'a>]> {
    let heading = |line: &Line<'a>| match line.kind {
        Kind::Heading(level, words) => Some((level, words)),
        _ => None,
    };
    let at = lines.iter().position(|line| heading(line).is_some_and(|(_, words)| fits(words)))?;
    let (level, _) = heading(&lines[at])?;
    let below = &lines[at + 1..];
    let end = below.iter().position(|line| heading(line).is_some_and(|(other, _)| other <= level));
    Some(&below[..end.unwrap_or(below.len())])
}

/// The lines in the first fence.
fn fence<'l, 'a>(lines: &'l [Line<'a>]) -> Option<&'l [Line<'a>]> {
    let at = lines.iter().position(|line| matches!(line.kind, Kind::Fence(_)))?;
    Some(&lines[lines::fence_at(lines, at).0])
}

/// A remark about a line.
fn remark(weight: Weight, code: Code, line: usize, expected: &str, got: String) -> Remark {
    Remark::on(weight, code, lines::places(line..line + 1), expected, got)
}

/// The fault that two places say different things.
fn disagrees(line: usize, expected: &str, got: String) -> Remark {
    remark(Weight::Fault, Code::PlanDisagrees, line, expected, got)
}
