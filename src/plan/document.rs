//! Markdown that people write: front matter, headings and list items, each with its lines.
//!
//! A document is read once and in one way. Only what stands at the top level counts: a heading or a
//! list inside a quotation or a code fence is an example of one. Lines count from 1 in the whole file.

use super::yaml::{self, count};
use crate::vocab::error::{Code, Diagnostic, Error, Result};
use crate::vocab::json::{Readable, Serialize};
use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag};
use schemars::JsonSchema;
use serde_json::{Map, Value};
use std::ops::Range;

/// The longest document that is read, in bytes.
pub const MOST_DOCUMENT: usize = 8 * 1024 * 1024;

/// Lines of a file, from 1, both ends included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LineRange {
    /// The first line.
    pub first: u32,
    /// The last line.
    pub last: u32,
}

impl LineRange {
    /// One line.
    pub fn line(number: u32) -> Self {
        LineRange { first: number, last: number }
    }
}

/// A document, read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Document {
    /// The fields of the front matter; empty if there is none.
    pub front: Map<String, Value>,
    /// The lines of the front matter, fences included.
    pub front_lines: Option<LineRange>,
    /// Headings, in order.
    pub headings: Vec<Heading>,
    /// Items of top-level lists, in order.
    pub items: Vec<Item>,
    /// What else stands at the top level, in order: paragraphs, fences, quotations, ….
    pub others: Vec<LineRange>,
    /// What looks like something and is not.
    pub notes: Vec<Diagnostic>,
    last_line: u32,
}

/// A heading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heading {
    /// 1 to 6.
    pub level: u8,
    /// Its text without marks.
    pub text: String,
    /// Where it stands.
    pub lines: LineRange,
}

/// An item of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// Its source without the bullet, one line per paragraph; nested bullets are lines of their own.
    pub text: String,
    /// Where it stands.
    pub lines: LineRange,
}

/// Reads a document.
///
/// # Errors
/// `too_large`, `invalid_value` for a NUL byte, `truncated` for front matter that never ends, or the
/// fault of its YAML; each with its line.
pub fn read(text: &str) -> Result<Document> {
    if text.len() > MOST_DOCUMENT {
        let expected = format!("at most {MOST_DOCUMENT} bytes");
        return Err(Error::new(Code::TooLarge, "", expected, format!("{} bytes", text.len())));
    }
    yaml::no_nul(text, 1)?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let (front, body) = split(text)?;
    let fields = match front {
        Some(front) => yaml::mapping(front, 2)?,
        None => Map::new(),
    };
    let front_lines = count(text[..text.len() - body.len()].matches('\n').count());
    let mut document = Document {
        front: fields,
        front_lines: front.map(|_| LineRange { first: 1, last: front_lines.max(1) }),
        last_line: count(text.lines().count()).max(1),
        ..Document::default()
    };
    document.take(body, front_lines + 1);
    Ok(document)
}

/// The front matter, if the first line opens one, and what follows it.
pub(crate) fn split(text: &str) -> Result<(Option<&str>, &str)> {
    let mut lines = text.split_inclusive('\n');
    let opening = lines.next().unwrap_or_default();
    if opening.trim_end() != "---" {
        return Ok((None, text));
    }
    let mut at = opening.len();
    for line in lines {
        if matches!(line.trim_end(), "---" | "...") {
            return Ok((Some(&text[opening.len()..at]), &text[at + line.len()..]));
        }
        at += line.len();
    }
    let expected = "a line `---` that ends the front matter";
    Err(Error::new(Code::Truncated, "line 1", expected, "the end of the document"))
}

impl Document {
    /// Takes what stands at the top level of `body`, which begins at `first_line`.
    fn take(&mut self, body: &str, first_line: u32) {
        let breaks = body.match_indices('\n').map(|(at, _)| at + 1);
        let starts: Vec<usize> = std::iter::once(0).chain(breaks).collect();
        let line = |at: usize| {
            let before = starts.partition_point(|start| *start <= at);
            count(before.saturating_sub(1)).saturating_add(first_line)
        };
        let blocks = blocks(body);
        for one in &blocks {
            let (first, last) = (line(one.at.start), line(one.at.end.max(1) - 1));
            let lines = LineRange { first, last: last.max(first) };
            let over = one.parent.and_then(|over| blocks.get(over));
            match (one.form, over.map(|over| (over.form, over.parent))) {
                (Form::Heading(level), None) => {
                    let text = one.text.trim().to_owned();
                    self.headings.push(Heading { level, text, lines });
                }
                (Form::Item(_), Some((Form::List, None))) => {
                    let text = item_text(body.get(one.at.clone()).unwrap_or_default());
                    self.items.push(Item { text, lines });
                }
                (Form::Rule, None) => self.notes.extend(overlooked(body, &one.at, lines.first)),
                (Form::Fence | Form::Other, None) => self.others.push(lines),
                _ => {}
            }
        }
    }

    /// The lines below a heading, up to the next of the same or a higher level.
    pub fn section(&self, place: usize) -> Option<LineRange> {
        let heading = self.headings.get(place)?;
        let next = self.headings[place + 1..].iter().find(|one| one.level <= heading.level);
        let last = next.map_or(self.last_line, |one| one.lines.first.saturating_sub(1));
        Some(LineRange { first: heading.lines.last.saturating_add(1), last })
    }

    /// The items that begin within `lines`.
    pub fn items_in(&self, lines: LineRange) -> impl Iterator<Item = &Item> {
        let within = move |item: &&Item| (lines.first..=lines.last).contains(&item.lines.first);
        self.items.iter().filter(within)
    }

    /// The places of headings that say `name`, however they are written.
    pub fn headed(&self, name: &str) -> Vec<usize> {
        let says =
            |heading: &Heading| heading.text.trim_end_matches(':').trim().to_lowercase() == name;
        let all = self.headings.iter().enumerate();
        all.filter(|(_, heading)| says(heading)).map(|(place, _)| place).collect()
    }
}

/// A rule with a field below it is what somebody takes for front matter.
fn overlooked(body: &str, rule: &Range<usize>, line: u32) -> Option<Diagnostic> {
    let after = body.get(rule.end..).unwrap_or_default().trim_start_matches(['\r', '\n']);
    let name = after.split(':').next().unwrap_or_default();
    let named = after.len() > name.len()
        && !name.is_empty()
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    (body.get(rule.clone()) == Some("---") && named).then(|| Diagnostic {
        code: Code::Overlooked,
        at: format!("line {line}"),
        expected: "front matter on the first line of the file only".to_owned(),
        got: format!("`---` and a field `{name}` further down, read as text"),
    })
}

/// What a block is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// A heading that stands in nothing else, with its level.
    Heading(u8),
    /// A list.
    List,
    /// An item, with the place of its list.
    Item(usize),
    /// A cell of a table.
    Cell,
    /// A code span with its marks.
    Code,
    /// An emphasised text with its marks.
    Emphasis,
    /// A fenced block with its fences.
    Fence,
    /// A line across.
    Rule,
    /// A quotation, a paragraph, a table, …
    Other,
}

/// A part of a text.
#[derive(Clone, Debug)]
pub(super) struct Block {
    pub(super) form: Form,
    /// Where it stands, with all that stands in it.
    pub(super) at: Range<usize>,
    /// An item with a check box.
    pub(super) boxed: bool,
    /// The place of the block it stands in.
    pub(super) parent: Option<usize>,
    /// The words of a heading without marks.
    text: String,
}

/// The blocks and code spans of a text, in the order they begin. This is the one pass over the marks of a text.
pub(super) fn blocks(text: &str) -> Vec<Block> {
    let options = Options::ENABLE_TABLES | Options::ENABLE_TASKLISTS;
    let (mut blocks, mut open) = (Vec::<Block>::new(), Vec::new());
    for (event, at) in Parser::new_ext(text, options).into_offset_iter() {
        let parent = open.last().copied();
        match &event {
            Event::End(_) => drop(open.pop()),
            Event::Text(words) | Event::Code(words) => say(&mut blocks, &open, words),
            Event::SoftBreak | Event::HardBreak => say(&mut blocks, &open, " "),
            Event::TaskListMarker(_) => tick(&mut blocks),
            _ => {}
        }
        let form = match &event {
            Event::Start(tag) => form(tag, parent),
            Event::Code(_) => Form::Code,
            Event::Rule => Form::Rule,
            _ => continue,
        };
        if let Event::Start(_) = event {
            open.push(blocks.len());
        }
        let (at, text) = (trimmed(text, at), String::new());
        blocks.push(Block { form, at, boxed: false, parent, text });
    }
    blocks
}

/// Adds words to the heading that is open: it stands in nothing, so that it is the outermost block.
fn say(blocks: &mut [Block], open: &[usize], words: &str) {
    let outer = open.first().and_then(|place| blocks.get_mut(*place));
    let heading = outer.filter(|outer| matches!(outer.form, Form::Heading(_)));
    heading.into_iter().for_each(|heading| heading.text.push_str(words));
}

/// The item that was opened last has a check box.
fn tick(blocks: &mut [Block]) {
    let mut before = blocks.iter_mut().rev();
    let item = before.find(|one| matches!(one.form, Form::Item(_)));
    item.into_iter().for_each(|item| item.boxed = true);
}

fn form(tag: &Tag, parent: Option<usize>) -> Form {
    match tag {
        Tag::Heading { level, .. } if parent.is_none() => Form::Heading(*level as u8),
        Tag::List(_) => Form::List,
        Tag::Item => Form::Item(parent.unwrap_or_default()),
        Tag::TableCell => Form::Cell,
        Tag::Emphasis | Tag::Strong => Form::Emphasis,
        Tag::CodeBlock(CodeBlockKind::Fenced(_)) => Form::Fence,
        _ => Form::Other,
    }
}

/// A place without white space at its ends.
pub(super) fn trimmed(text: &str, at: Range<usize>) -> Range<usize> {
    let part = text.get(at.clone()).unwrap_or_default();
    let start = at.start + part.len() - part.trim_start().len();
    start..(at.start + part.trim_end().len()).max(start)
}

/// The source of an item, its bullet taken off and wrapped lines joined.
pub(super) fn item_text(source: &str) -> String {
    let mut text = String::with_capacity(source.len());
    for line in source.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let bare = unmarked(line);
        if text.is_empty() {
            text.push_str(bare);
            continue;
        }
        text.push(if bare.len() < line.len() { '\n' } else { ' ' });
        text.push_str(line);
    }
    text
}

/// A line without its bullet or number: `- x`, `* x`, `+ x`, `1. x`, `1) x`.
pub fn unmarked(line: &str) -> &str {
    let line = line.trim_start();
    let rest = match line.strip_prefix(['-', '*', '+']) {
        Some(rest) => rest,
        None => {
            let bare = line.trim_start_matches(|c: char| c.is_ascii_digit());
            match (bare.len() < line.len(), bare.strip_prefix(['.', ')'])) {
                (true, Some(rest)) => rest,
                _ => return line,
            }
        }
    };
    match rest.is_empty() || rest.starts_with(char::is_whitespace) {
        true => rest.trim_start(),
        false => line,
    }
}

/// A text without the check box before it, and what the box says: `[ ] x`, `[x] x`.
pub fn unboxed(text: &str) -> (&str, Option<bool>) {
    let text = text.trim_start();
    let boxed = text.strip_prefix('[').and_then(|rest| {
        let mark = rest.chars().next()?;
        let tail = rest.get(mark.len_utf8()..)?.strip_prefix(']')?;
        let ends = tail.is_empty() || tail.starts_with(char::is_whitespace);
        (matches!(mark, ' ' | 'x' | 'X') && ends).then(|| (tail.trim_start(), mark != ' '))
    });
    boxed.map_or((text, None), |(tail, ticked)| (tail, Some(ticked)))
}

/// Whether a text is struck out as a whole.
pub fn is_struck(text: &str) -> bool {
    inside(text.trim(), "~~").is_some()
}

/// The words of a heading without the marks around all of them, and whether these strike it out.
pub fn unwrapped(heading: &str) -> (&str, bool) {
    let (mut words, mut struck) = (heading.trim(), false);
    while let Some((mark, bare)) =
        ["~~", "**", "__", "*", "_"].iter().find_map(|mark| Some((*mark, inside(words, mark)?)))
    {
        struck |= mark == "~~";
        words = bare;
    }
    (words, struck)
}

/// What stands between two marks, if they are the only ones.
pub(super) fn inside<'a>(text: &'a str, mark: &str) -> Option<&'a str> {
    let inner = text.strip_prefix(mark)?.strip_suffix(mark)?;
    (!inner.trim().is_empty() && !inner.contains(mark)).then(|| inner.trim())
}
