//! Where lines and blocks of a source stand. Nothing here looks at what a word means.

use crate::plan::document::{Block, blocks};
pub(super) use crate::plan::document::{Form, trimmed};
use crate::plan::yaml::count;
use regex_lite::Regex;
use std::ops::Range;
use std::sync::LazyLock;

/// Marks between labelled texts that say nothing by themselves: table bars, emphasis, separators.
const SEPARATORS: &str = "|*_:,";

/// The structure of a source. All places are bytes of `text`.
#[derive(Debug)]
pub(super) struct Outline {
    /// The source with LF line ends and without a byte order mark.
    pub(super) text: String,
    /// Blocks and code in the order they begin.
    pub(super) blocks: Vec<Block>,
    starts: Vec<usize>,
}

impl Outline {
    pub(super) fn new(source: &str) -> Self {
        let text = source.strip_prefix('\u{feff}').unwrap_or(source).replace("\r\n", "\n");
        let breaks = text.match_indices('\n').map(|(at, _)| at + 1);
        let starts = std::iter::once(0).chain(breaks).collect();
        let blocks = blocks(&text);
        Outline { text, blocks, starts }
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

    /// The blocks that begin in a part of the text.
    pub(super) fn begun(&self, at: Range<usize>) -> impl Iterator<Item = &Block> {
        let first = self.blocks.partition_point(|one| one.at.start < at.start);
        let rest = self.blocks.get(first..).unwrap_or_default();
        rest.iter().take_while(move |one| one.at.start < at.end)
    }

    /// The blocks that a byte stands in, the innermost first.
    pub(super) fn around(&self, byte: usize) -> impl Iterator<Item = &Block> {
        let last = self.blocks.partition_point(|one| one.at.start <= byte).checked_sub(1);
        let up = |block: &&Block| self.blocks.get(block.parent?);
        let chain = std::iter::successors(last.and_then(|place| self.blocks.get(place)), up);
        chain.filter(move |one| byte < one.at.end)
    }

    /// The innermost block of a form that a byte stands in.
    pub(super) fn within(&self, byte: usize, form: Form) -> Option<&Range<usize>> {
        self.around(byte).find(|one| one.form == form).map(|one| &one.at)
    }

    /// The level of the heading that a byte stands in.
    pub(super) fn level(&self, byte: usize) -> Option<usize> {
        self.around(byte).find_map(level)
    }

    /// The headings that begin in a part of the text, with their levels.
    pub(super) fn headings(&self, at: Range<usize>) -> impl Iterator<Item = (usize, Range<usize>)> {
        self.begun(at).filter_map(|one| Some((level(one)?, one.at.clone())))
    }

    /// Where the text of a line begins behind its marks: `#`, bullet, `>`, box, and the number of an item if `numbers`.
    pub(super) fn text_start(&self, line: usize, numbers: bool) -> usize {
        static MARKS: LazyLock<[Option<Regex>; 3]> = LazyLock::new(|| {
            let marks =
                |mark: &str| format!(r"^(?:\s|>|(?:[-*+]|\[[ xX]\]{mark})(?:\s|$))*(?:#+\s+)?");
            [r"^\s*(?:\$ )?", &marks(""), &marks(r"|\d+[.)]")].map(|form| Regex::new(form).ok())
        });
        let at = self.line(line);
        let fenced = self.within(at.start, Form::Fence).is_some();
        let form = if fenced { &MARKS[0] } else { &MARKS[1 + usize::from(numbers)] };
        let marks = form.as_ref().and_then(|form| form.find(self.slice(at.clone())));
        at.start + marks.map_or(0, |marks| marks.end())
    }
}

fn level(block: &Block) -> Option<usize> {
    if let Form::Heading(level) = block.form { Some(usize::from(level)) } else { None }
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
