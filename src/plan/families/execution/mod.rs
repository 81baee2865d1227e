//! Execution plans: the documents seed 002 describes, in each closed form its sections 2a to 2g tell.
//!
//! All is read by lines. What stands in a fence, a quotation or a comment is no structure; drawings are not read.
//!
//! - **A sprint** is the first of these of which there is any: a heading `Sprint 2a: Name` (or `Sortie`; any level;
//!   `:`, a dash or nothing behind the label, which has a digit); a row of a table with the columns `Sprint` and `Name` or
//!   `Description`; headings `Task N.M: …`, together by their N. Boxes below other headings are a check list, which has a
//!   reader of its own. It goes on to the next heading of its level or above, or to the next sprint.
//! - **A unit** is a row of a table that has a column `Sprints` and whose first column is `Work Unit`, `Package`,
//!   `Component`, `Module` or `Phase` (or that stands under `Work Units`). A sprint belongs to the row that its section is
//!   called like, else by the numbers of the rows if they add up. Without a table each of several sections that hold
//!   sprints is a unit; else there is one, `plan`. `WU1: Storage (SQL)` is called `WU1`, `Storage` and `WU1: Storage`.
//! - **A part** of a sprint begins at a line `**Tasks**:`, `**Tasks:**`, `Tasks:` or a heading of that name (so do entry
//!   criteria, exit criteria and the seed's other words for these) and ends at the next label, heading, rule, or paragraph.
//!   Each item with what is indented below it is a task or a criterion. Under `Validate` each line of a fence is a command
//!   that exits 0; a fence under `Expected` is what the last one prints. Items of a section `Exit checks`, `Rules` or
//!   `Constraints` outside of sprints are criteria of each (`RULE-001`). A heading `Task N.M: …` in a sprint is a task.
//!   Where no part is told, boxes are tasks.
//! - **The order** is that of layers (a unit waits for all units of the layer below), of the column `Dependencies` of a
//!   table whose rows are units or sprints, of a field `Depends on` or `Dependencies`, of `A --> B` in mermaid, and of
//!   exact labels in entry criteria: `Sprint 2`, `Sorties 1-3`, `EM-3`. These name what comes before; in brackets or code
//!   they are said aside. In a list of dependencies a name that is nowhere is a fault; a sentence there is read as one.
//! - **A field** is a line `**Name**: value`. Status, kind, model and priority are taken, if the value is nothing else.
//! - A number of sprints or units that the plan tells and that was not found is a fault; sprints that are put off may be
//!   left out of it.
//!
//! All other lines are notes, byte for byte: of the sprint, the unit, or the plan.

mod body;
mod fields;
mod order;
mod refs;
mod sprints;
mod units;
mod words;

use super::lines::{Kind, Table, bare, tables, titled};
use super::outline::Outline;
use super::{criteria, span};
use crate::plan::model::{Plan, Read, Remark, Sprint, Status, Task, Unit, Weight};
use crate::plan::yaml;
use crate::vocab::error::Code;
use std::collections::BTreeMap;
use std::ops::Range;
use units::number;
use words::{APPENDIX, COUNTS, EXIT, SETTINGS, SPRINT, TEMPLATE, behind, is, same};

/// Reads an execution plan; `None` if no sprint stands there in any of the forms.
pub fn read(text: &str) -> Option<Read> {
    let mut outline = Outline::new(text);
    let tables = tables(&outline.lines);
    let found = sprints::find(&outline, &tables);
    if found.is_empty() {
        return None;
    }
    let title = outline.title();
    let table = units::table(&outline, &tables);
    let read = found.iter().map(|one| fields::sprint(&mut outline, one));
    let (mut sprints, bodies): (Vec<Sprint>, Vec<body::Body>) = read.unzip();
    let rules = criteria(rules(&mut outline), "RULE");
    sprints.iter_mut().for_each(|one| one.exit.extend(rules.clone()));
    let units = units::find(&mut outline, table, &found, &sprints);
    let (mut all, mut places): (Vec<Unit>, _) = (units.units, BTreeMap::new());
    for (at, (sprint, unit)) in sprints.into_iter().zip(&units.of).enumerate() {
        places.insert((*unit, all[*unit].sprints.len()), at);
        all[*unit].sprints.push(sprint);
    }
    let names = refs::Names::new(&all, &units.called);
    // Only a table that the units are the rows of says who of them waits for whom.
    let table = table.filter(|_| !units.rows.is_empty());
    let (found, bodies, remarks, fields) = (&found[..], &bodies[..], units.remarks, units.fields);
    let own = &outline;
    let mut order =
        order::Order { outline: own, table, found, bodies, fields, places, names, remarks };
    order.read(&mut all);
    let mut remarks = order.remarks;
    let mut plan = Plan { units: all, ..Plan::default() };
    remarks.extend(summary(&plan, &tables, found.len()));
    plan.units.retain(|unit| !unit.sprints.is_empty());
    Some(outline.plan(title, plan.units, remarks))
}

/// Whether headings of sprints stand in a document.
pub(super) fn has_sprints(text: &str) -> bool {
    let outline = Outline::new(text);
    !outline.sections(|_, words| titled(words, &SPRINT).is_some()).is_empty()
}

/// What sections outside of sprints ask of every sprint.
fn rules(outline: &mut Outline<'_>) -> Vec<Task> {
    let sections = outline.sections(|_, words| is(bare(words), &EXIT[1..])).into_iter();
    // A section may hold sprints, or lie in one: their lines are taken or noted.
    let free = |Range { start, end }| {
        start + 1..(start + 1..end).find(|at| !outline.is_free(*at)).unwrap_or(end)
    };
    let sections: Vec<_> = sections.map(free).collect();
    sections.into_iter().flat_map(|section| outline.items(section, |_| true)).collect()
}

/// Whether the numbers of the summary are those that were found.
fn summary(plan: &Plan, tables: &[Table], sprints: usize) -> Vec<Remark> {
    let mut remarks = Vec::new();
    for (row, cells) in tables.iter().flat_map(|table| &table.rows) {
        let [metric, value, ..] = cells.as_slice() else { continue };
        let (got, live) = match same(metric, COUNTS[0]) {
            true => (plan.units.len(), plan.units.len()),
            false => {
                (sprints, plan.sprints().filter(|(_, one)| one.status != Status::Deferred).count())
            }
        };
        if is(metric, &COUNTS) && number(value).is_some_and(|said| said != got && said != live) {
            remarks.push(disagrees(*row, &format!("{metric}: {value}"), got.to_string()));
        }
    }
    remarks
}

/// The template for prompts, if the plan brings one: that of a section titled so, its first fence if it has one, or the
/// value of `template:` in the settings of the supervisor.
pub fn template(text: &str) -> Option<String> {
    let mut outline = Outline::new(text);
    let titled = |words: &str| {
        let bare = behind(words, APPENDIX).unwrap_or(words);
        is(bare.trim_start_matches([':', '.', '—', '–', '-', ' ']), &TEMPLATE)
    };
    if let Some(section) = outline.sections(|_, words| titled(words)).first().cloned() {
        let below = section.start + 1..section.end;
        let said = outline.notes(fence(&outline, below.clone()).unwrap_or(below));
        return Some(said).filter(|text| !text.is_empty());
    }
    let settings = outline.sections(|_, words| behind(words, SETTINGS).is_some());
    let inside = fence(&outline, settings.first()?.clone())?;
    let fields = yaml::mapping(&outline.notes(inside), 1).ok()?;
    fields.get("template")?.as_str().map(str::to_owned)
}

/// The lines in the first fence.
fn fence(outline: &Outline<'_>, mut range: Range<usize>) -> Option<Range<usize>> {
    let at = range.find(|at| outline.lines[*at].kind == Kind::Fence)?;
    Some(outline.fence(at).0)
}

/// A remark about a line.
fn remark(weight: Weight, code: Code, line: usize, expected: &str, got: String) -> Remark {
    Remark::on(weight, code, span(line..line + 1), expected, got)
}

/// The fault that two places say different things.
fn disagrees(line: usize, expected: &str, got: String) -> Remark {
    remark(Weight::Fault, Code::PlanDisagrees, line, expected, got)
}
