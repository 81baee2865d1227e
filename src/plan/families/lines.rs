//! The lines of a Markdown document, each with what it is, and the labels and tables they make. One pass; what stands in
//! a fence, a quotation, a comment or the front matter is an example of structure and none itself.

use crate::plan::document::{split, unboxed, unwrapped};
use crate::plan::line::{self, behind};
use std::ops::Range;

/// A line: its source, and its words without white space around, marks of a heading, bullet and box. The words of a fence
/// are those behind its marks.
#[derive(Clone, Copy)]
pub(super) struct Line<'a> {
    pub(super) kind: Kind,
    /// Columns before its first mark.
    pub(super) indent: usize,
    pub(super) source: &'a str,
    pub(super) words: &'a str,
}

/// What a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Blank,
    /// In a fence, comment, quotation or the front matter.
    Hidden,
    /// Opens a fence.
    Fence,
    /// Closes one.
    End,
    /// Its level.
    Heading(usize),
    /// A row of a table.
    Row,
    /// Its box.
    Item(Option<bool>),
    /// A line across.
    Rule,
    Text,
}

impl<'a> Line<'a> {
    /// Its box, if it is an item with one.
    pub(super) fn ticked(&self) -> Option<bool> {
        if let Kind::Item(ticked) = self.kind { ticked } else { None }
    }

    /// Its level, if it is a heading.
    pub(super) fn level(&self) -> Option<usize> {
        if let Kind::Heading(level) = self.kind { Some(level) } else { None }
    }

    /// Whether it is an example, or the mark of one.
    pub(super) fn is_hidden(&self) -> bool {
        matches!(self.kind, Kind::Hidden | Kind::Fence | Kind::End)
    }

    /// Whether it says something.
    pub(super) fn speaks(&self) -> bool {
        !matches!(self.kind, Kind::Blank | Kind::Rule)
    }
}

/// The lines of a document; the place of a line in the list is its number less one.
pub(super) fn scan(text: &str) -> Vec<Line<'_>> {
    let all: Vec<&str> = text.lines().collect();
    let outside = line::outside_fences(&all);
    let front = split(text).ok().and_then(|(front, _)| Some(front?.matches('\n').count() + 2));
    let (mut fence, mut comment) = (None, false);
    let lines = all.into_iter().zip(outside).enumerate().map(|(place, (source, outside))| {
        let (bare, indent) = (source.trim(), line::indent(source));
        let (kind, words) = match fence {
            _ if front.is_some_and(|front| place < front) => (Kind::Hidden, bare),
            None if !outside => {
                fence = line::opens(source);
                (Kind::Fence, bare.trim_start_matches(['`', '~']).trim())
            }
            Some(open) if line::closes(source, open) => {
                fence = None;
                (Kind::End, bare)
            }
            Some(_) => (Kind::Hidden, bare),
            None if comment || bare.starts_with("<!--") => {
                comment = !bare.contains("-->");
                (Kind::Hidden, bare)
            }
            None => kind(bare, indent),
        };
        Line { kind, indent, source, words }
    });
    lines.collect()
}

fn kind(bare: &str, indent: usize) -> (Kind, &str) {
    let is_rule = |mark: char| bare.len() > 2 && bare.chars().all(|c| c == mark || c == ' ');
    match bare.chars().next() {
        None => (Kind::Blank, bare),
        Some('>') => (Kind::Hidden, bare),
        Some('|') if bare.len() > 1 && bare.ends_with('|') => (Kind::Row, bare),
        Some('#') if indent < 4 => line::leveled(bare).map_or((Kind::Text, bare), heading),
        Some(mark @ ('-' | '*' | '_')) if is_rule(mark) => (Kind::Rule, bare),
        Some(_) => line::item(bare).map_or((Kind::Text, bare), item),
    }
}

fn heading((level, text): (usize, &str)) -> (Kind, &str) {
    (Kind::Heading(level), unwrapped(text.trim_end_matches('#')).0)
}

/// A star behind a box stays with the words.
fn item(one: line::Item<'_>) -> (Kind, &str) {
    let starred = one.text.split_at_checked(3).filter(|(_, rest)| rest.starts_with('*'));
    match starred.map(|(mark, rest)| (unboxed(mark).1, rest)) {
        Some((ticked @ Some(_), rest)) => (Kind::Item(ticked), rest),
        _ => (Kind::Item(one.ticked), one.text),
    }
}

/// Words that name what follows them: `**Name**: rest`, `**Name:** rest`, `**Name**`, `Name: rest`; brackets behind the name
/// are a remark. Only the first two are labels to those who do not know the name (`marked`).
pub(super) struct Label<'a> {
    pub(super) name: &'a str,
    pub(super) rest: &'a str,
    pub(super) marked: bool,
}

/// The label that words begin with.
pub(super) fn label(words: &str) -> Option<Label<'_>> {
    let bold = ["**", "__"].iter().find_map(|mark| words.strip_prefix(mark)?.split_once(mark));
    let (name, rest, marked) = match bold {
        None => words.split_once(':').map(|(name, rest)| (name, rest, false))?,
        Some((name, rest)) if name.ends_with(':') => (name.trim_end_matches(':'), rest, true),
        Some((name, rest)) => {
            let remark = rest.trim_start().strip_prefix('(').and_then(|rest| rest.split_once(')'));
            let rest = remark.map_or(rest, |(_, rest)| rest);
            (name, rest.strip_prefix(':').or(rest.is_empty().then_some(""))?, rest.starts_with(':'))
        }
    };
    Some(Label { name: bare(name), rest: rest.trim(), marked })
}

/// The name and the rest of a label that is one to everybody.
pub(super) fn marked(words: &str) -> Option<(&str, &str)> {
    label(words).filter(|label| label.marked).map(|label| (label.name, label.rest))
}

/// A table.
#[derive(Debug)]
pub(super) struct Table {
    /// The words over the columns.
    pub(super) columns: Vec<String>,
    /// The cells of each row, with the place of its line.
    pub(super) rows: Vec<(usize, Vec<String>)>,
    /// All of its lines.
    pub(super) lines: Range<usize>,
}

impl Table {
    /// The place of the first column that is called one of these words.
    pub(super) fn column(&self, words: &[&str]) -> Option<usize> {
        self.columns.iter().position(|column| line::is(column, words))
    }
}

/// The tables of a document: rows without a gap, of which the second is the line below the head.
pub(super) fn tables(lines: &[Line<'_>]) -> Vec<Table> {
    let mut tables = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        let length = lines[at..].iter().take_while(|line| line.kind == Kind::Row).count();
        if length > 1 && is_delimiter(lines[at + 1].words) {
            let rows = (at + 2..at + length).map(|row| (row, cells(lines[row].words)));
            let columns = cells(lines[at].words);
            tables.push(Table { columns, rows: rows.collect(), lines: at..at + length });
        }
        at += length.max(1);
    }
    tables
}

/// Whether a row is the line below the head of a table.
pub(super) fn is_delimiter(row: &str) -> bool {
    row.contains('-') && row.chars().all(|c| matches!(c, '|' | '-' | ':' | ' '))
}

/// The cells of a row, without the marks around all of one.
pub(super) fn cells(row: &str) -> Vec<String> {
    let cells = line::cells(row).unwrap_or_default();
    cells.iter().map(|cell| unwrapped(cell).0.to_owned()).collect()
}

/// A text without marks around it, brackets behind it and the full stop.
pub(super) fn bare(text: &str) -> &str {
    let text = text.find(" (").map_or(text, |at| &text[..at]);
    text.trim_matches(|c: char| matches!(c, '`' | '*' | '.' | ',' | ';') || c.is_whitespace())
}

/// The label and the name of `Sprint 2a: Name`; the name may be missing.
pub(super) fn titled<'a>(text: &'a str, words: &[&str]) -> Option<(&'a str, &'a str)> {
    let rest = words.iter().find_map(|word| behind(text.trim_start_matches('*'), word))?;
    let bare = rest.trim_start();
    let (label, rest) = bare.split_at(bare.find(|c: char| !is_label(c)).unwrap_or(bare.len()));
    let label = label.trim_end_matches('.');
    let spaced = rest.starts_with(' ');
    let rest = rest.trim_start();
    let name = match rest.chars().next() {
        None => "",
        Some(c @ (':' | '—' | '–')) => &rest[c.len_utf8()..],
        Some('-') if spaced => &rest[1..],
        Some(_) => return None,
    };
    let named = label.contains(char::is_numeric) || label.chars().count() == 1;
    let fits = label.starts_with(char::is_alphanumeric) && named;
    fits.then_some((label, name.trim()))
}

/// Whether a character may stand in a label.
pub(super) fn is_label(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '-' | '_' | '.')
}
