//! Reads a plan from Markdown, the way people really write plans.
//!
//! Front matter, then the blocks of the document, then who is who: sprints by their headings (or, if
//! there are none, by a table, by "Task N.M", by phases, by groups of check boxes), units by a table
//! or by sections, and last who waits for whom. Reading never fails: what cannot be read is a
//! [`Remark`] with line and column, and the plan is what remains.

mod alike;
mod beside;
mod body;
mod check;
mod edges;
mod extras;
mod find;
mod groups;
mod items;
mod kept;
mod kin;
mod layers;
mod loose;
mod net;
mod parts;
mod rowed;
mod shows;
mod tabled;
mod tables;
mod totals;
mod transcript;
mod unclosed;
mod units;
mod unordered;
mod waits;
mod wording;

use super::document::{self, LineRange};
use super::mention::Spot;
use super::model::{Counted, FrontField, Plan, Remark, Weight};
use super::outline::{Block, Content, Outline};
use super::yaml::{self, count};
use crate::vocab::error::{Code, Error, clip};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::rc::Rc;

/// The largest plan that is read, in bytes.
pub const MOST_PLAN: usize = 128 * 1024 * 1024;

/// The most sprints that are read.
pub const MOST_SPRINTS: usize = 2_000;

/// More remarks than this say nothing new; of faults ten times as many are kept.
const MOST_REMARKS: usize = 1_000;

/// A plan, and what its author should know about it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parsed {
    /// The plan.
    pub plan: Plan,
    /// Remarks in the order of the document.
    pub remarks: Vec<Remark>,
    /// The labels in texts about nothing but dependencies, where they need no noun ("Depends on: 2"), and in headings of
    /// sprints that a table names ("S2: Parser"): whoever gives new numbers must reach what was taken for one here.
    pub(super) labels: Vec<Spot>,
    /// The sprints that wait for nobody only because nobody is before them: elsewhere in their unit they would.
    pub(super) leading: BTreeSet<String>,
}

impl Parsed {
    /// The faults: with one of them the plan cannot run.
    pub fn faults(&self) -> impl Iterator<Item = &Remark> {
        self.remarks.iter().filter(|remark| remark.weight == Weight::Fault)
    }

    /// The faults that keep a plan from being rewritten: not counts and an order that a rewriting sets anew.
    pub fn unreadable(&self) -> impl Iterator<Item = &Remark> {
        self.faults().filter(|one| !matches!(one.code, Code::PlanDisagrees | Code::OutOfOrder))
    }
}

/// Reads a plan.
pub fn parse(text: &str) -> Parsed {
    let mut parsed = Parsed::default();
    if text.len() > MOST_PLAN {
        let expected = format!("at most {} bytes", MOST_PLAN);
        let got = format!("{} bytes", text.len());
        let remark = Remark {
            weight: Weight::Fault,
            code: Code::TooLarge,
            line: 1,
            column: 1,
            width: 1,
            last: 1,
            expected,
            got,
        };
        parsed.remarks.push(remark);
        return parsed;
    }
    if let Some(remark) = old_line_end(text) {
        parsed.remarks.push(remark);
        return parsed;
    }
    let mut reader = Reader::new(text);
    reader.front(&mut parsed.plan);
    reader.blocks();
    reader.read(&mut parsed.plan);
    let mut remarks = reader.remarks;
    remarks.sort_by_key(|remark| (remark.line, remark.column));
    remarks.dedup();
    parsed.remarks = remarks;
    (parsed.labels, parsed.leading) = (reader.labels, reader.leading);
    parsed
}

/// A line that ends with a carriage return alone. What stands behind it would be read as the same line.
fn old_line_end(text: &str) -> Option<Remark> {
    let mut all = text.match_indices('\r').map(|(at, _)| at);
    let at = all.find(|at| !text[at + 1..].starts_with(['\r', '\n']))?;
    let before = text.get(..at).unwrap_or_default();
    let start = before.rfind('\n').map_or(0, |end| end + 1);
    let line = count(before.matches('\n').count() + 1);
    Some(Remark {
        weight: Weight::Fault,
        code: Code::InvalidValue,
        line,
        column: count(before.get(start..).unwrap_or_default().chars().count() + 1),
        width: 1,
        last: line,
        expected: "lines that end with a line feed, alone or behind a carriage return".to_owned(),
        got: "a line that ends with a carriage return alone".to_owned(),
    })
}

pub(super) use edges::names;

/// The cells of tables of sprints that hold labels, with the unit of their row.
pub(super) fn table_labels(outline: &Outline<'_>) -> Vec<(Range<usize>, Option<String>)> {
    let mut found = Vec::new();
    for sheet in tables::Sheet::all(outline) {
        for row in tables::sprint_rows(&sheet).unwrap_or_default() {
            found.push((row.label_at, row.unit.clone()));
            found.extend(row.depends.map(|range| (range, row.unit)));
        }
    }
    found
}

/// The cells of the table of units that hold layers, with the name of the unit.
pub(super) fn layer_cells(outline: &Outline<'_>) -> Vec<(String, Range<usize>)> {
    let rows = tables::Sheet::all(outline).find_map(|sheet| tables::unit_rows(&sheet));
    let rows = rows.unwrap_or_default();
    rows.into_iter().filter_map(|row| Some((row.name, row.layer_at?))).collect()
}

/// The cells that say how many sprints a unit has, with the name of the unit.
pub(super) fn promise_cells(outline: &Outline<'_>) -> Vec<(String, Range<usize>)> {
    let rows = tables::Sheet::all(outline).find_map(|sheet| tables::unit_rows(&sheet));
    let rows = rows.unwrap_or_default();
    rows.into_iter().filter_map(|row| Some((row.name, row.promised_at?))).collect()
}

/// The cells that say how many sprints or units the plan has.
pub(super) fn total_cells(outline: &Outline<'_>) -> Vec<(Counted, u32, Range<usize>)> {
    totals::totals_in(tables::Sheet::all(outline))
}

/// What is read, and what was noticed on the way.
struct Reader<'a> {
    outline: Outline<'a>,
    /// Its tables, in order.
    sheets: Rc<[tables::Sheet<'a>]>,
    front_end: usize,
    /// What units say below their headings.
    own: Vec<units::Own>,
    remarks: Vec<Remark>,
    /// The labels that stand without a noun.
    labels: Vec<Spot>,
    /// The first sprints of units, where they do not say that they wait for nobody.
    leading: BTreeSet<String>,
    /// The place of the first remark that was one too many.
    unsaid: Option<Range<usize>>,
}

impl<'a> Reader<'a> {
    fn new(text: &'a str) -> Self {
        // Empty until the front matter is read; the lines are known already.
        let outline = Outline::read(text, text.len());
        let (own, remarks, labels) = (Vec::new(), Vec::new(), Vec::new());
        let sheets = Rc::default();
        let leading = BTreeSet::new();
        Reader { outline, sheets, front_end: 0, own, remarks, labels, leading, unsaid: None }
    }

    fn read(&mut self, plan: &mut Plan) {
        self.noted();
        unclosed::name(self);
        self.surplus();
        layers::unread(self);
        let mut drafts = find::sprints(self);
        beside::name(self, &drafts);
        plan.title = self.title(&drafts);
        let mut bodies: Vec<_> = drafts.iter_mut().map(|draft| body::read(self, draft)).collect();
        let above = drafts.iter().flat_map(|draft| draft.above.iter().copied()).collect();
        let joined = tabled::labels(self, &drafts);
        units::assign(self, plan, drafts, &mut bodies);
        self.label(plan, joined);
        edges::read(self, plan, &bodies);
        extras::read(self, plan);
        let names = names(plan);
        check::check(self, plan, &names);
        unordered::name(self, plan, &names);
        kept::name(self, plan, &bodies, &above);
        net::name(self, plan);
        self.cut_off();
    }

    /// Keeps the labels of headings that have no noun before them.
    fn label(&mut self, plan: &Plan, mut headings: BTreeMap<u32, Range<usize>>) {
        for sprint in plan.sprints() {
            if let Some(range) = headings.remove(&sprint.lines.first) {
                self.labels.push(Spot { range, id: sprint.id.clone(), opens: false });
            }
        }
    }

    fn front(&mut self, plan: &mut Plan) {
        let text = self.outline.text;
        let mark = text.len() - text.trim_start_matches('\u{feff}').len();
        self.front_end = mark;
        for (at, _) in text.match_indices('\0').take(10) {
            self.remark(Weight::Fault, Code::InvalidValue, at..at + 1, "text", "a NUL byte");
        }
        match document::split(&text[mark..]) {
            Err(error) => {
                let end = text[mark..].find('\n').map_or(text.len(), |step| mark + step);
                self.remark(Weight::Fault, error.code, mark..end, &error.expected, &error.got);
            }
            Ok((None, _)) => {}
            Ok((Some(front), body)) => {
                self.front_end = text.len() - body.len();
                let from = mark + text[mark..].find('\n').map_or(0, |step| step + 1);
                let values = yaml::mapping(front, 2).unwrap_or_else(|error| {
                    self.faulty_front(&error, from);
                    Map::new()
                });
                plan.front = self.front_fields(front, from, &values);
            }
        }
    }

    /// The fault of the YAML, at the place it names.
    fn faulty_front(&mut self, error: &Error, from: usize) {
        let mut numbers = error
            .at
            .split(|c: char| !c.is_ascii_digit())
            .filter_map(|word| word.parse::<u32>().ok());
        let line = numbers.next().unwrap_or(2);
        let lines = self.outline.bytes(LineRange { first: line, last: line });
        let lines = if lines.is_empty() { from..from + 1 } else { lines };
        let skip = numbers.next().unwrap_or(1).saturating_sub(1) as usize;
        let source = self.outline.source(&lines).trim_end();
        let at = source.char_indices().nth(skip).map_or(0, |(at, _)| at);
        let range = lines.start + at..lines.start + source.len().max(at + 1);
        self.remark(Weight::Fault, error.code, range, &error.expected, &error.got);
    }

    fn front_fields(
        &self,
        front: &str,
        from: usize,
        values: &Map<String, Value>,
    ) -> Vec<FrontField> {
        let mut fields: Vec<(Range<usize>, String)> = Vec::new();
        let mut at = from;
        for line in front.split_inclusive('\n') {
            let name = line.split_once(':').map(|(name, _)| name.trim_matches(['"', '\'']));
            let is_name = |name: &&str| {
                !name.is_empty()
                    && !name.starts_with([' ', '\t', '#', '-', '{', '[', '!', '&', '*'])
            };
            match name.filter(is_name) {
                Some(name) => fields.push((at..at + line.len(), name.trim().to_owned())),
                None => {
                    if let Some((range, _)) = fields.last_mut() {
                        range.end = at + line.len();
                    }
                }
            }
            at += line.len();
        }
        let each = fields.into_iter().map(|(range, name)| {
            let source = self.outline.source(&range);
            let raw = source.split_once(':').map_or("", |(_, value)| value).trim_end();
            let raw = raw.trim_start_matches([' ', '\t']);
            let value = match values.get(&name) {
                Some(Value::String(text)) => text.trim().to_owned(),
                Some(Value::Null) => String::new(),
                _ => raw.to_owned(),
            };
            FrontField { name, value, lines: self.outline.lines(&range) }
        });
        each.collect()
    }

    /// The table at a block.
    fn sheet(&self, place: usize) -> Option<&tables::Sheet<'a>> {
        let at = self.sheets.partition_point(|sheet| sheet.place < place);
        self.sheets.get(at).filter(|sheet| sheet.place == place)
    }

    fn blocks(&mut self) {
        self.outline.read_from(self.front_end);
        self.sheets = tables::Sheet::all(&self.outline).collect();
    }

    /// Cells of tables that are behind the last column, where nothing is read, and rows that end before it.
    fn surplus(&mut self) {
        let short: Vec<Range<usize>> = self.sheets.iter().flat_map(tables::Sheet::ragged).collect();
        for range in short {
            let expected = "as many cells as the table has heads";
            let got = format!("`{}`, with fewer", clip(self.outline.source(&range).trim(), 80));
            self.remark(Weight::Warning, Code::Overlooked, range, expected, &got);
        }
        let all: Vec<Range<usize>> = self.sheets.iter().flat_map(tables::Sheet::surplus).collect();
        for range in all {
            let expected = "as many cells as the table has heads";
            let got = format!("`{}` more, not read", clip(self.outline.source(&range).trim(), 80));
            self.remark(Weight::Warning, Code::Overlooked, range, expected, &got);
        }
    }

    /// What looks like front matter and is not.
    fn noted(&mut self) {
        let text = self.outline.text;
        let rules: Vec<Range<usize>> = self
            .outline
            .blocks
            .iter()
            .filter(|block| matches!(block.content, Content::Rule))
            .map(|block| block.range.clone())
            .collect();
        for range in rules {
            let after = text.get(range.end..).unwrap_or_default().trim_start_matches(['\r', '\n']);
            let name = after.split(':').next().unwrap_or_default();
            let named = after.len() > name.len()
                && !name.is_empty()
                && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
            if named && self.outline.source(&range).trim() == "---" {
                let got = format!("`---` and a field `{name}` further down, read as text");
                let expected = "front matter on the first line of the file only";
                let at = range.start..range.start + 3;
                self.remark(Weight::Note, Code::Overlooked, at, expected, &got);
            }
        }
    }

    /// The first heading of level 1, unless it is a sprint.
    fn title(&self, drafts: &[find::Draft]) -> Option<String> {
        let heading = |block: &Block| matches!(block.content, Content::Heading(1));
        let first = self.outline.blocks.iter().position(heading)?;
        let sprint = drafts.iter().any(|draft| draft.row.is_none() && draft.blocks.start == first);
        let (words, _) = self.outline.heading(&self.outline.blocks[first]);
        (!words.is_empty() && !sprint && !find::is_sprint(words)).then(|| words.to_owned())
    }

    /// Notes something about some bytes; only the first line of them is marked.
    fn remark(
        &mut self,
        weight: Weight,
        code: Code,
        range: Range<usize>,
        expected: &str,
        got: &str,
    ) {
        let many = self.remarks.len();
        if many >= MOST_REMARKS && (weight < Weight::Fault || many >= 10 * MOST_REMARKS) {
            self.unsaid.get_or_insert(range);
            return;
        }
        self.push(weight, code, range, expected, got);
    }

    /// That there are more remarks than are kept, at the first of those.
    fn cut_off(&mut self) {
        if let Some(range) = self.unsaid.take() {
            let expected = format!("at most {MOST_REMARKS} remarks");
            self.push(
                Weight::Note,
                Code::TooLarge,
                range,
                &expected,
                "more, of which this is the first",
            );
        }
    }

    /// Notes it, however much was noted before.
    fn push(&mut self, weight: Weight, code: Code, range: Range<usize>, expected: &str, got: &str) {
        let (line, column) = self.outline.place(range.start);
        let source = self.outline.source(&range);
        let first = source.lines().next().unwrap_or_default().trim_end();
        self.remarks.push(Remark {
            weight,
            code,
            line,
            column,
            width: count(first.chars().count()).max(1),
            last: self.outline.lines(&range).last,
            expected: expected.to_owned(),
            got: clip(got, 200),
        });
    }
}
