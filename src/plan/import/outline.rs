//! Where lines, headings, items, code and table cells of a source stand. Nothing here looks at what a word means.

use crate::plan::document::{unboxed, unmarked};
use crate::plan::yaml::count;
use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};
use std::ops::Range;

/// Marks between labelled texts that say nothing by themselves: table bars, emphasis, separators.
const SEPARATORS: &str = "|*_:,";

/// The structure of a source. All places are bytes of `text`.
#[derive(Clone, Debug, Default)]
pub(super) struct Outline {
    /// The source with LF line ends and without a byte order mark.
    pub(super) text: String,
    /// Headings.
    pub(super) headings: Vec<Block>,
    /// Items of lists, in the order they begin.
    pub(super) items: Vec<Block>,
    /// Code spans with their marks.
    pub(super) codes: Vec<Block>,
    /// Emphasised texts with their marks.
    pub(super) emphases: Vec<Block>,
    /// Fenced blocks with their fences.
    pub(super) fences: Vec<Block>,
    /// Cells of tables.
    pub(super) cells: Vec<Block>,
    starts: Vec<usize>,
}

/// A part of a source.
#[derive(Clone, Debug)]
pub(super) struct Block {
    /// Where it stands, the sub-items of an item included.
    pub(super) at: Range<usize>,
    /// The level of a heading; the list of an item, its siblings have the same.
    pub(super) level: usize,
    /// An item with a check box.
    pub(super) boxed: bool,
    /// The item it is a sub-item of.
    parent: Option<usize>,
}

impl Outline {
    pub(super) fn new(source: &str) -> Self {
        let text = source.strip_prefix('\u{feff}').unwrap_or(source).replace("\r\n", "\n");
        let breaks = text.match_indices('\n').map(|(at, _)| at + 1);
        let starts = std::iter::once(0).chain(breaks).collect();
        let mut outline = Outline { starts, ..Outline::default() };
        outline.walk(&text);
        Outline { text, ..outline }
    }

    fn walk(&mut self, text: &str) {
        let options = Options::ENABLE_TABLES | Options::ENABLE_TASKLISTS;
        let (mut lists, mut open, mut quotes, mut within) = (0, Vec::new(), 0_usize, Vec::new());
        for (event, at) in Parser::new_ext(text, options).into_offset_iter() {
            let block = |level| Block { at: trimmed(text, at), level, boxed: false, parent: None };
            match event {
                Event::Start(Tag::BlockQuote(_)) => quotes += 1,
                Event::End(TagEnd::BlockQuote(_)) => quotes = quotes.saturating_sub(1),
                Event::Start(Tag::Heading { level, .. }) if quotes == 0 => {
                    self.headings.push(block(level as usize));
                }
                Event::Start(Tag::List(_)) => {
                    lists += 1;
                    open.push(lists);
                }
                Event::End(TagEnd::List(_)) => drop(open.pop()),
                Event::Start(Tag::Item) => {
                    let (list, parent) = (open.last().copied(), within.last().copied());
                    within.push(self.items.len());
                    self.items.push(Block { parent, ..block(list.unwrap_or_default()) });
                }
                Event::End(TagEnd::Item) => drop(within.pop()),
                Event::TaskListMarker(_) => {
                    self.items.last_mut().into_iter().for_each(|item| item.boxed = true);
                }
                Event::Code(_) => self.codes.push(block(0)),
                Event::Start(Tag::Emphasis | Tag::Strong) => self.emphases.push(block(0)),
                Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(_))) => {
                    self.fences.push(block(0));
                }
                Event::Start(Tag::TableCell) => self.cells.push(block(0)),
                _ => {}
            }
        }
    }

    /// How many lines there are.
    pub(super) fn lines(&self) -> usize {
        self.starts.len()
    }

    /// The place of a line, from 0, without its end.
    pub(super) fn line(&self, number: usize) -> Range<usize> {
        let start = self.starts.get(number).copied().unwrap_or(self.text.len());
        let end = self.starts.get(number + 1).map_or(self.text.len(), |next| next - 1);
        start..end.max(start)
    }

    /// The line a byte stands in, from 0.
    pub(super) fn line_of(&self, byte: usize) -> usize {
        self.starts.partition_point(|start| *start <= byte).saturating_sub(1)
    }

    /// A byte as line and column in characters, from 1.
    pub(super) fn place(&self, byte: usize) -> (u32, u32) {
        let line = self.line_of(byte);
        let column = self.slice(self.line(line).start..byte).chars().count() + 1;
        (count(line + 1), count(column))
    }

    /// A part of the text; empty if there is no such part.
    pub(super) fn slice(&self, at: Range<usize>) -> &str {
        self.text.get(at).unwrap_or_default()
    }

    /// The level of the heading that a byte stands in.
    pub(super) fn level(&self, byte: usize) -> Option<usize> {
        around(&self.headings, byte).map(|one| one.level)
    }

    /// The fence that a byte stands in.
    pub(super) fn fence(&self, byte: usize) -> Option<&Range<usize>> {
        around(&self.fences, byte).map(|one| &one.at)
    }

    /// Where the text of a line begins behind its marks: `#`, bullet, `>`, box, and the number of an item if `numbers`.
    pub(super) fn text_start(&self, line: usize, numbers: bool) -> usize {
        let at = self.line(line);
        let whole = self.slice(at.clone());
        let mut rest = whole.trim_start();
        match self.fence(at.start) {
            Some(_) => rest = rest.strip_prefix("$ ").unwrap_or(rest),
            None => loop {
                let digit = rest.starts_with(|c: char| c.is_ascii_digit());
                let bare = if digit && !numbers { rest } else { unmarked(rest) };
                let bare = unboxed(bare).0.trim_start_matches('>').trim_start();
                let heading = bare.trim_start_matches('#');
                if heading.len() < bare.len() && heading.starts_with(' ') {
                    rest = heading.trim_start();
                    break;
                }
                if bare.len() == rest.len() {
                    break;
                }
                rest = bare;
            },
        }
        at.start + whole.len() - rest.len()
    }
}

/// The innermost block that a byte stands in, of blocks in the order they begin.
pub(super) fn around(all: &[Block], byte: usize) -> Option<&Block> {
    let last = all.partition_point(|one| one.at.start <= byte).checked_sub(1);
    let up = |place: &usize| all.get(*place).and_then(|one| one.parent);
    let mut chain = std::iter::successors(last, up).filter_map(|place| all.get(place));
    chain.find(|one| byte < one.at.end)
}

/// A place without white space at its ends.
pub(super) fn trimmed(text: &str, at: Range<usize>) -> Range<usize> {
    let part = text.get(at.clone()).unwrap_or_default();
    let start = at.start + part.len() - part.trim_start().len();
    start..(at.start + part.trim_end().len()).max(start)
}

/// Whether a character says something: no white space and no separator.
pub(super) fn speaks(letter: char) -> bool {
    !letter.is_whitespace() && !SEPARATORS.contains(letter)
}

/// The words of a text that may be labels: runs of ASCII letters, digits, `-`, `_`, `.`, or of letters of other scripts.
/// Code with a space in it has none.
pub(super) fn tokens(text: &str) -> Vec<&str> {
    let code = |at: usize, part: &str| at % 2 == 1 && part.contains(char::is_whitespace);
    let texts = text.split('`').enumerate().filter(|(at, part)| !code(*at, part));
    let kind = |c: char| (c.is_ascii(), c.is_alphanumeric() || "-_.".contains(c));
    let mut all = Vec::new();
    for mut rest in texts.map(|one| one.1) {
        while let Some(first) = rest.chars().next() {
            let (run, tail) =
                rest.split_at(rest.find(|c| kind(c) != kind(first)).unwrap_or(rest.len()));
            let run = run.trim_matches(['-', '_', '.']);
            all.extend((kind(first).1 && !run.is_empty()).then_some(run));
            rest = tail;
        }
    }
    all
}
