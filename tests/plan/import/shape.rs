//! What anybody sees of a document without reading a word: headings, items, fences, and where each begins and ends.

use endstate::plan::document::{unboxed, unmarked};
use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag};
use std::collections::BTreeSet;
use std::ops::Range;

/// A heading or an item.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    /// Bytes of the text, without white space at the ends.
    pub(crate) at: Range<usize>,
    /// The line it begins in, from 0.
    pub(crate) line: usize,
    /// The level of a heading; 0 for an item.
    pub(crate) level: usize,
    /// An item with a check box.
    pub(crate) boxed: bool,
}

/// A document by its lines.
#[derive(Debug)]
pub(crate) struct Shape<'a> {
    pub(crate) text: &'a str,
    pub(crate) lines: Vec<&'a str>,
    starts: Vec<usize>,
    pub(crate) headings: Vec<Block>,
    pub(crate) items: Vec<Block>,
    /// Lines of fenced blocks.
    pub(crate) fenced: BTreeSet<usize>,
}

impl<'a> Shape<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        let starts: Vec<usize> =
            std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        let lines = text.split('\n').collect();
        let (headings, items, fenced) = Default::default();
        let mut shape = Shape { text, lines, starts, headings, items, fenced };
        let options = Options::ENABLE_TABLES | Options::ENABLE_TASKLISTS;
        for (event, at) in Parser::new_ext(text, options).into_offset_iter() {
            let trimmed = at.start..at.start + text[at.clone()].trim_end().len();
            match event {
                Event::Start(Tag::Heading { level, .. }) => {
                    let block = shape.block(trimmed, level as usize);
                    shape.headings.push(block);
                }
                Event::Start(Tag::Item) => {
                    let block = shape.block(trimmed, 0);
                    shape.items.push(block);
                }
                Event::TaskListMarker(_) => shape.items.last_mut().unwrap().boxed = true,
                Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(_))) => {
                    let last = shape.line_of(trimmed.end.max(1) - 1);
                    shape.fenced.extend(shape.line_of(trimmed.start)..=last);
                }
                _ => {}
            }
        }
        shape
    }

    fn block(&self, at: Range<usize>, level: usize) -> Block {
        Block { line: self.line_of(at.start), at, level, boxed: false }
    }

    pub(crate) fn line_of(&self, byte: usize) -> usize {
        self.starts.partition_point(|start| *start <= byte) - 1
    }

    /// A byte as line and column in characters, from 1.
    pub(crate) fn place(&self, byte: usize) -> String {
        let line = self.line_of(byte);
        format!("{}:{}", line + 1, self.text[self.starts[line]..byte].chars().count() + 1)
    }

    /// The bytes of some lines, without the marks before the first and white space at the ends.
    pub(crate) fn words(&self, lines: Range<usize>) -> Range<usize> {
        let end = self.starts[lines.end - 1] + self.lines[lines.end - 1].trim_end().len();
        self.starts[lines.start] + self.marks(lines.start)..end
    }

    /// How long the marks before a line are: bullet, box, number, `#`, `>`.
    pub(crate) fn marks(&self, line: usize) -> usize {
        let whole = self.lines[line];
        let mut rest = whole.trim_start();
        if self.headings.iter().any(|one| one.line == line) {
            return whole.len() - rest.trim_start_matches('#').trim_start().len();
        }
        loop {
            let bare = unboxed(unmarked(rest)).0.trim_start_matches('>').trim_start();
            if bare.len() == rest.len() {
                return whole.len() - rest.len();
            }
            rest = bare;
        }
    }

    /// The first line behind the section of a heading: the next heading that is not below it.
    pub(crate) fn end(&self, heading: &Block) -> usize {
        let ends = |one: &&Block| one.line > heading.line && one.level <= heading.level;
        self.headings.iter().find(ends).map_or(self.lines.len(), |one| one.line)
    }

    /// The words of a heading.
    pub(crate) fn said(&self, heading: &Block) -> &'a str {
        &self.text[self.words(heading.line..heading.line + 1)]
    }
}

/// The words of a text that may be labels: runs of letters, digits, `-`, `_`, `.`; code of several words has none.
pub(crate) fn tokens(text: &str) -> Vec<&str> {
    let code = |at: usize, part: &str| at % 2 == 1 && part.contains(char::is_whitespace);
    let texts = text.split('`').enumerate().filter(|(at, part)| !code(*at, part));
    let runs = texts.flat_map(|(_, part)| {
        part.split(|c: char| !c.is_ascii_alphanumeric() && !"-_.".contains(c))
    });
    runs.map(|run| run.trim_matches(['-', '_', '.'])).filter(|run| !run.is_empty()).collect()
}
