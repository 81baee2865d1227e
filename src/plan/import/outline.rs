//! Where lines and blocks of a source stand. Nothing here looks at what a word means.

use crate::plan::yaml::count;
use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag};
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

/// What a block is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// A heading that stands in nothing else, with its level.
    Heading(usize),
    /// An item of a list, with the number of the list.
    Item(usize),
    /// A cell of a table.
    Cell,
    /// A code span with its marks.
    Code,
    /// An emphasised text with its marks.
    Emphasis,
    /// A fenced block with its fences.
    Fence,
    /// A list, a quotation, a paragraph, …
    Other,
}

/// A part of a source.
#[derive(Clone, Debug)]
pub(super) struct Block {
    pub(super) form: Form,
    /// Where it stands, with all that stands in it.
    pub(super) at: Range<usize>,
    /// An item with a check box.
    pub(super) boxed: bool,
    parent: Option<usize>,
}

impl Outline {
    pub(super) fn new(source: &str) -> Self {
        let text = source.strip_prefix('\u{feff}').unwrap_or(source).replace("\r\n", "\n");
        let breaks = text.match_indices('\n').map(|(at, _)| at + 1);
        let starts = std::iter::once(0).chain(breaks).collect();
        let options = Options::ENABLE_TABLES | Options::ENABLE_TASKLISTS;
        let (mut blocks, mut open) = (Vec::<Block>::new(), Vec::new());
        for (event, at) in Parser::new_ext(&text, options).into_offset_iter() {
            let parent = open.last().copied();
            match event {
                Event::Start(tag) => {
                    open.push(blocks.len());
                    let (form, at) = (form(&tag, parent), trimmed(&text, at));
                    blocks.push(Block { form, at, boxed: false, parent });
                }
                Event::End(_) => drop(open.pop()),
                Event::Code(_) => blocks.push(Block { form: Form::Code, at, boxed: false, parent }),
                Event::TaskListMarker(_) => {
                    let mut before = blocks.iter_mut().rev();
                    let item = before.find(|one| matches!(one.form, Form::Item(_)));
                    item.into_iter().for_each(|item| item.boxed = true);
                }
                _ => {}
            }
        }
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
        self.around(byte).find_map(Block::level)
    }

    /// The headings that begin in a part of the text, with their levels.
    pub(super) fn headings(&self, at: Range<usize>) -> impl Iterator<Item = (usize, Range<usize>)> {
        self.begun(at).filter_map(|one| Some((one.level()?, one.at.clone())))
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

impl Block {
    fn level(&self) -> Option<usize> {
        if let Form::Heading(level) = self.form { Some(level) } else { None }
    }
}

fn form(tag: &Tag, parent: Option<usize>) -> Form {
    match tag {
        Tag::Heading { level, .. } if parent.is_none() => Form::Heading(*level as usize),
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
