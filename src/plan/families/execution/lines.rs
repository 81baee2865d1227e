//! A document as lines, each with what it is. One pass; what stands in a fence, a quotation, a comment or the front
//! matter is an example of structure and none itself.

use crate::plan::document::{split, unboxed, unmarked, unwrapped};
use crate::plan::line;
use std::ops::Range;

/// A line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line<'a> {
    /// Its source without the line break.
    pub(super) text: &'a str,
    /// Columns before its first mark; a tab counts as to the next multiple of 4.
    pub(super) indent: usize,
    /// What it is.
    pub(super) kind: Kind<'a>,
}

/// What a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind<'a> {
    /// Nothing but space.
    Blank,
    /// In a fence, comment, quotation or the front matter.
    Hidden,
    /// Closes a fence.
    End,
    /// Opens a fence; the word behind its marks.
    Fence(&'a str),
    /// A heading: its level, and its words without marks around them.
    Heading(usize, &'a str),
    /// A row of a table.
    Row,
    /// An item of a list: what stands behind its bullet.
    Item(&'a str),
    /// A line across.
    Rule,
    /// Anything else.
    Text,
}

/// The lines of a document; the place of a line in the list is its number less one.
pub(super) fn scan(text: &str) -> Vec<Line<'_>> {
    let all: Vec<&str> = text.lines().collect();
    let outside = line::outside_fences(&all);
    let front = split(text).ok().and_then(|(front, _)| Some(front?.matches('\n').count() + 2));
    let (mut fence, mut comment) = (None, false);
    let lines = all.into_iter().zip(outside).enumerate().map(|(place, (text, outside))| {
        let (bare, indent) = (text.trim(), line::indent(text));
        let kind = match fence {
            _ if front.is_some_and(|front| place < front) => Kind::Hidden,
            None if !outside => {
                fence = line::opens(text);
                Kind::Fence(bare.trim_start_matches(['`', '~']).split(' ').next().unwrap_or(""))
            }
            Some(open) if line::closes(text, open) => {
                fence = None;
                Kind::End
            }
            Some(_) => Kind::Hidden,
            None if comment || bare.starts_with("<!--") => {
                comment = !bare.contains("-->");
                Kind::Hidden
            }
            None => kind(bare, indent),
        };
        Line { text, indent, kind }
    });
    lines.collect()
}

fn kind(bare: &str, indent: usize) -> Kind<'_> {
    let first = bare.chars().next();
    let is_rule = |mark: char| bare.len() > 2 && bare.chars().all(|c| c == mark || c == ' ');
    match first {
        None => Kind::Blank,
        Some('>') => Kind::Hidden,
        Some('|') if bare.len() > 1 && bare.ends_with('|') => Kind::Row,
        Some('#') if indent < 4 => heading(bare).unwrap_or(Kind::Text),
        Some(mark @ ('-' | '*' | '_')) if is_rule(mark) => Kind::Rule,
        Some(_) => match unmarked(bare) {
            rest if rest.len() < bare.len() => Kind::Item(rest),
            _ => Kind::Text,
        },
    }
}

fn heading(bare: &str) -> Option<Kind<'_>> {
    let rest = bare.trim_start_matches('#');
    let level = bare.len() - rest.len();
    let fits = level <= 6 && (rest.is_empty() || rest.starts_with([' ', '\t']));
    fits.then(|| Kind::Heading(level, unwrapped(rest.trim_end_matches('#')).0))
}

/// A line that names what follows it: `**Name**: rest`, `**Name:** rest`, `**Name**`, `Name: rest`; brackets behind the
/// name are a remark. Only the first two are labels to those who do not know the name (`marked`).
pub(super) struct Label<'a> {
    pub(super) name: &'a str,
    pub(super) rest: &'a str,
    pub(super) marked: bool,
}

/// The label a line begins with, if it has the form of one. A bullet says nothing before a marked one; a box does.
pub(super) fn label<'a>(line: &Line<'a>) -> Option<Label<'a>> {
    let (text, item) = match line.kind {
        Kind::Text => (line.text.trim(), false),
        Kind::Item(rest) if unboxed(rest).1.is_none() => (rest, true),
        _ => return None,
    };
    let bold = ["**", "__"].iter().find_map(|mark| text.strip_prefix(mark)?.split_once(mark));
    let (name, rest, marked) = match bold {
        None if item => return None,
        None => text.split_once(':').map(|(name, rest)| (name, rest, false))?,
        Some((name, rest)) if name.ends_with(':') => (name.trim_end_matches(':'), rest, true),
        Some((name, rest)) => {
            let remark = rest.trim_start().strip_prefix('(').and_then(|rest| rest.split_once(')'));
            let rest = remark.map_or(rest, |(_, rest)| rest);
            (name, rest.strip_prefix(':').or(rest.is_empty().then_some(""))?, rest.starts_with(':'))
        }
    };
    Some(Label { name: super::refs::bare(name), rest: rest.trim(), marked })
}

pub(super) use super::super::span as places;

/// What a fence that opens at a line holds, and where the next thing begins.
pub(super) fn fence_at(lines: &[Line<'_>], at: usize) -> (Range<usize>, usize) {
    let held = lines[at + 1..].iter().take_while(|line| line.kind == Kind::Hidden).count();
    let end = at + 1 + held;
    let closed = lines.get(end).is_some_and(|line| line.kind == Kind::End);
    (at + 1..end, end + usize::from(closed))
}

/// Behind the last line of a range that says something: no blank line and no line across.
pub(super) fn trimmed(lines: &[Line<'_>], range: Range<usize>) -> Range<usize> {
    let says = |at: &usize| !matches!(lines[*at].kind, Kind::Blank | Kind::Rule);
    let end = range.clone().rev().find(says).map_or(range.start, |at| at + 1);
    range.start..end
}

/// The source of lines, byte for byte, without blank ones around it.
pub(super) fn source<'a>(lines: impl Iterator<Item = &'a Line<'a>>) -> String {
    let mut text = String::new();
    for line in lines {
        text.push_str(line.text);
        text.push('\n');
    }
    text.trim_end().trim_start_matches('\n').to_owned()
}

/// A table: its columns and its rows, each with the place of its line.
#[derive(Debug)]
pub(super) struct Table {
    /// The words over the columns.
    pub(super) columns: Vec<String>,
    /// The cells of each row.
    pub(super) rows: Vec<(usize, Vec<String>)>,
    /// All of its lines.
    pub(super) lines: Range<usize>,
}

/// The lines of a table with the heading right above it, where that heading stands over nothing else.
pub(super) fn section(lines: &[Line<'_>], table: &Table) -> Range<usize> {
    let said = |at: &usize| lines[*at].kind != Kind::Blank;
    let above = (0..table.lines.start).rev().find(said);
    let below = (table.lines.end..lines.len()).find(said);
    let heads = |at: &usize| matches!(lines[*at].kind, Kind::Heading(level, _) if level > 1);
    let alone = below.is_none_or(|at| matches!(lines[at].kind, Kind::Heading(..)));
    above.filter(heads).filter(|_| alone).unwrap_or(table.lines.start)..table.lines.end
}

impl Table {
    /// The place of the first column that is called one of these words.
    pub(super) fn column(&self, words: &[&str]) -> Option<usize> {
        self.columns.iter().position(|column| super::words::is(column, words))
    }
}

/// The tables of a document: rows without a gap, of which the second is the line below the head.
pub(super) fn tables(lines: &[Line<'_>]) -> Vec<Table> {
    let mut tables = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        let length = lines[at..].iter().take_while(|line| line.kind == Kind::Row).count();
        if length > 1 && is_delimiter(lines[at + 1].text) {
            let rows = (at + 2..at + length).map(|row| (row, cells(lines[row].text)));
            let columns = cells(lines[at].text);
            tables.push(Table { columns, rows: rows.collect(), lines: at..at + length });
        }
        at += length.max(1);
    }
    tables
}

/// Whether a row is the line below the head of a table.
pub(super) fn is_delimiter(row: &str) -> bool {
    row.contains('-') && row.trim().chars().all(|c| matches!(c, '|' | '-' | ':' | ' '))
}

/// The cells of a row, without the marks around all of one.
pub(super) fn cells(row: &str) -> Vec<String> {
    let cells = line::cells(row).unwrap_or_default();
    cells.iter().map(|cell| unwrapped(cell).0.to_owned()).collect()
}
