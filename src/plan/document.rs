//! Markdown that people write: front matter, headings and list items, each with its lines.
//!
//! A document is read once and in one way. Only what stands at the top level counts: a heading or a
//! list inside a quotation or a code fence is an example of one. Lines count from 1 in the whole file.

use super::yaml::{self, count};
use crate::vocab::error::{Code, Diagnostic, Error, Result};
use pulldown_cmark::{Event, Parser, Tag, TagEnd};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::ops::Range;

/// The longest document that is read, in bytes.
pub const MOST_DOCUMENT: usize = 8 * 1024 * 1024;

/// Lines of a file, from 1, both ends included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LineRange {
    /// The first line.
    pub first: u32,
    /// The last line.
    pub last: u32,
}

/// A document, read.
#[derive(Clone, Debug, PartialEq, Eq)]
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
        headings: Vec::new(),
        items: Vec::new(),
        others: Vec::new(),
        notes: Vec::new(),
        last_line: count(text.lines().count()).max(1),
    };
    Walk::new(body, front_lines + 1).walk(&mut document);
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

/// One pass over the marks of a document.
struct Walk<'a> {
    body: &'a str,
    first_line: u32,
    starts: Vec<usize>,
    depth: u32,
    heading: Option<(u8, String, Range<usize>)>,
}

impl<'a> Walk<'a> {
    fn new(body: &'a str, first_line: u32) -> Self {
        let breaks = body.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let starts = std::iter::once(0).chain(breaks.map(|(at, _)| at + 1)).collect();
        Walk { body, first_line, starts, depth: 0, heading: None }
    }

    fn walk(mut self, document: &mut Document) {
        for (event, range) in Parser::new(self.body).into_offset_iter() {
            match event {
                Event::Start(Tag::Heading { level, .. }) if self.depth == 0 => {
                    self.heading = Some((level as u8, String::new(), range));
                }
                Event::End(TagEnd::Heading(_)) => self.end_heading(document),
                Event::Text(part) | Event::Code(part) => self.say(&part),
                Event::SoftBreak | Event::HardBreak => self.say(" "),
                Event::Start(Tag::Item) => {
                    if self.depth == 1 {
                        self.item(document, range);
                    }
                    self.depth += 1;
                }
                Event::Start(Tag::List(_)) => self.depth += 1,
                Event::Start(Tag::Paragraph | Tag::CodeBlock(_) | Tag::HtmlBlock)
                    if self.depth == 0 =>
                {
                    document.others.push(self.lines(range));
                }
                // Deeper than a list, so that no list inside a quotation is at the top level.
                Event::Start(Tag::BlockQuote(_)) => {
                    document.others.extend((self.depth == 0).then(|| self.lines(range)));
                    self.depth += 2;
                }
                Event::End(TagEnd::List(_) | TagEnd::Item) => self.depth -= 1,
                Event::End(TagEnd::BlockQuote(_)) => self.depth -= 2,
                Event::Rule if self.depth == 0 => self.rule(document, range),
                _ => {}
            }
        }
    }

    fn say(&mut self, part: &str) {
        if let Some((_, text, _)) = &mut self.heading {
            text.push_str(part);
        }
    }

    fn end_heading(&mut self, document: &mut Document) {
        if let Some((level, text, range)) = self.heading.take() {
            let lines = self.lines(range);
            document.headings.push(Heading { level, text: text.trim().to_owned(), lines });
        }
    }

    fn item(&self, document: &mut Document, range: Range<usize>) {
        let lines = self.lines(range.clone());
        let source = self.body.get(range).unwrap_or_default();
        document.items.push(Item { text: item_text(source), lines });
    }

    /// A rule with a field below it is what somebody takes for front matter.
    fn rule(&self, document: &mut Document, range: Range<usize>) {
        let lines = self.lines(range.clone());
        let is_fence = self.body.get(range.clone()).is_some_and(|text| text.trim() == "---");
        let after = self.body.get(range.end..).unwrap_or_default().trim_start_matches(['\r', '\n']);
        let name = after.split(':').next().unwrap_or_default();
        let named = after.len() > name.len()
            && !name.is_empty()
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        if is_fence && named {
            document.notes.push(Diagnostic {
                code: Code::Overlooked,
                at: format!("line {}", lines.first),
                expected: "front matter on the first line of the file only".to_owned(),
                got: format!("`---` and a field `{name}` further down, read as text"),
            });
        }
    }

    fn lines(&self, range: Range<usize>) -> LineRange {
        let text = self.body.get(range.clone()).unwrap_or_default();
        let end = range.start + text.trim_end().len().saturating_sub(1);
        let line = |at: usize| {
            let before = self.starts.partition_point(|start| *start <= at);
            count(before.saturating_sub(1)).saturating_add(self.first_line)
        };
        LineRange { first: line(range.start), last: line(end.max(range.start)) }
    }
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
