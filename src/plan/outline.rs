//! A Markdown document as a row of top-level blocks, each with the bytes it came from.
//!
//! The CommonMark parser says what is a heading, a list, a table or a fence; nothing inside of a
//! quotation, a comment or a fence is taken for anything else. What the blocks mean is read from
//! their source by those who know, so that marks of the author survive.

use super::document::LineRange;
use super::yaml::count;
use std::collections::BTreeMap;
use std::ops::Range;

mod blocks;

pub use blocks::blocks;

/// The blocks of a document.
#[derive(Clone, Debug)]
pub struct Outline<'a> {
    /// The whole document.
    pub text: &'a str,
    /// Its blocks, in order.
    pub blocks: Vec<Block>,
    starts: Vec<usize>,
    /// How many lines begin up to each [`STRIDE`] bytes; so no search for a line is longer in a longer document.
    strides: Vec<usize>,
}

/// Bytes between two marks of [`Outline::strides`].
const STRIDE: usize = 512;

/// A block at the top level.
#[derive(Clone, Debug)]
pub struct Block {
    /// Its bytes in the document.
    pub range: Range<usize>,
    /// What it is.
    pub content: Content,
}

/// What a block is.
#[derive(Clone, Debug)]
pub enum Content {
    /// A heading of level 1 to 6.
    Heading(u8),
    /// Running text.
    Paragraph,
    /// A list; the bytes of each top-level item.
    List(Vec<Range<usize>>),
    /// A fence, or indented code.
    Code {
        /// The words behind the fence.
        info: String,
        /// What is inside.
        body: String,
    },
    /// A table; the first row is its head. The bytes of each cell.
    Table(Vec<Vec<Range<usize>>>),
    /// A rule.
    Rule,
    /// Quotations, HTML and everything else that is not read further.
    Other,
}

impl<'a> Outline<'a> {
    /// Reads `text` from byte `from` on; what is before it is front matter.
    pub fn read(text: &'a str, from: usize) -> Outline<'a> {
        let breaks = text.match_indices('\n').map(|(at, _)| at + 1);
        let starts: Vec<usize> = std::iter::once(0).chain(breaks).collect();
        let mut strides = Vec::with_capacity(text.len() / STRIDE + 2);
        for (place, start) in starts.iter().enumerate() {
            // Marks before this start have seen `place` lines.
            strides.resize(start.div_ceil(STRIDE).max(strides.len()), place);
        }
        let mut outline = Outline { text, blocks: Vec::new(), starts, strides };
        outline.read_from(from);
        outline
    }

    /// Reads the blocks again, from another byte on.
    pub fn read_from(&mut self, from: usize) {
        self.blocks = blocks(self.text, &(from..self.text.len()));
    }

    /// The source of some bytes.
    pub fn source(&self, range: &Range<usize>) -> &'a str {
        self.text.get(range.clone()).unwrap_or_default()
    }

    /// The line of a byte, from 1.
    pub fn line(&self, at: usize) -> u32 {
        let mark = |place: usize| self.strides.get(place).copied().unwrap_or(self.starts.len());
        let (from, to) = (mark(at / STRIDE), mark(at / STRIDE + 1));
        let near = self.starts.get(from..to).unwrap_or_default();
        count(from + near.partition_point(|start| *start <= at)).max(1)
    }

    /// The line and column of a byte; columns count characters from 1.
    pub fn place(&self, at: usize) -> (u32, u32) {
        let line = self.line(at);
        let start = self.starts.get(line as usize - 1).copied().unwrap_or(0);
        let before = self.text.get(start..at).unwrap_or_default();
        (line, count(before.chars().count()) + 1)
    }

    /// The lines of some bytes, without white space behind them.
    pub fn lines(&self, range: &Range<usize>) -> LineRange {
        let kept = self.source(range).trim_end().len().max(1);
        let first = self.line(range.start);
        LineRange { first, last: self.line(range.start + kept - 1).max(first) }
    }

    /// The bytes of whole lines, the last line break included.
    pub fn bytes(&self, lines: LineRange) -> Range<usize> {
        let start = |line: u32| self.starts.get(line as usize).copied().unwrap_or(self.text.len());
        start(lines.first.saturating_sub(1))..start(lines.last)
    }

    /// The block that begins on a line.
    pub fn block_at(&self, line: u32) -> Option<&Block> {
        let from = self.bytes(LineRange { first: line, last: line });
        let place = self.blocks.partition_point(|block| block.range.start < from.start);
        self.blocks.get(place).filter(|block| block.range.start < from.end)
    }

    /// The words of a heading as they are written, without its marks, and where they begin.
    pub fn heading(&self, block: &Block) -> (&'a str, usize) {
        let source = self.source(&block.range);
        let bare = source.trim_start_matches(['#', ' ', '\t']);
        let at = block.range.start + (source.len() - bare.len());
        let first = bare.lines().next().unwrap_or_default().trim_end();
        let atx = bare.len() < source.len() && source.trim_start().starts_with('#');
        let closed = first.trim_end_matches('#');
        match atx && closed.len() < first.len() && closed.ends_with([' ', '\t']) {
            true => (closed.trim_end(), at),
            false => (first, at),
        }
    }
}

/// The bytes of marks, of spaces, and of letters beyond ASCII: whole documents come by here.
static NOT_PLAIN: [bool; 256] = {
    let mut all = [true; 256];
    let mut byte = 0;
    while byte < 128 {
        all[byte] = matches!(byte as u8, b'*' | b'`' | b'~' | b' ' | 9..=13);
        byte += 1;
    }
    all
};

/// A text without the marks of emphasis and code around its words.
pub fn plain(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let (mut from, mut at, mut parted) = (0, 0, false);
    let mut say = |part: Range<usize>, parted: &mut bool| {
        let part = text.get(part).unwrap_or_default();
        if !part.is_empty() {
            if std::mem::take(parted) && !kept.is_empty() {
                kept.push(' ');
            }
            kept.push_str(part);
        }
    };
    while let Some(step) = text
        .as_bytes()
        .get(at..)
        .and_then(|rest| rest.iter().position(|byte| NOT_PLAIN[usize::from(*byte)]))
    {
        at += step;
        let letter = text.get(at..).and_then(|rest| rest.chars().next()).unwrap_or_default();
        let space = letter.is_whitespace();
        if space || matches!(letter, '*' | '`' | '~') {
            say(from..at, &mut parted);
            parted |= space;
            from = at + letter.len_utf8();
        }
        at += letter.len_utf8();
    }
    say(from..text.len(), &mut parted);
    kept
}

/// The same in small letters.
pub fn plain_small(text: &str) -> String {
    let mut kept = plain(text);
    if !kept.is_ascii() {
        return kept.to_lowercase();
    }
    kept.make_ascii_lowercase();
    kept
}

/// A text as a code span, between more ticks than stand together in it.
pub fn span(code: &str) -> String {
    let longest = code.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let ticks = "`".repeat(longest + 1);
    match code.starts_with('`') || code.ends_with('`') {
        true => format!("{ticks} {code} {ticks}"),
        false => format!("{ticks}{code}{ticks}"),
    }
}

/// What is in a text that is one code span and nothing else.
pub fn whole_span(text: &str) -> Option<&str> {
    match spans(text).as_slice() {
        [(_, code)] if span(code) == text => Some(code),
        _ => None,
    }
}

/// The code spans of a text: where each begins, and its content.
pub fn spans(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    if !text.contains('`') {
        return found;
    }
    let runs = runs(text);
    // Nearly always each is closed by the next one.
    let alike = runs.windows(2).all(|pair| pair[0].len() == pair[1].len());
    let closings = if alike { Vec::new() } else { closings(runs.iter().map(Range::len)) };
    let mut at = 0;
    while let Some(open) = runs.get(at) {
        let closing = if alike { Some(at + 1) } else { closings.get(at).copied().flatten() };
        at += 1;
        let Some((place, close)) = closing.and_then(|place| Some((place, runs.get(place)?))) else {
            continue;
        };
        let body = text.get(open.end..close.start).unwrap_or_default();
        let padded = body.len() > 2 && body.starts_with(' ') && body.ends_with(' ');
        found.push((open.end, if padded { body[1..body.len() - 1].trim() } else { body }));
        at = place + 1;
    }
    found
}

/// The runs of ticks of a text. Each of its bytes is looked at once.
fn runs(text: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    for (at, _) in text.match_indices('`') {
        match found.last_mut().filter(|last| last.end == at) {
            Some(last) => last.end = at + 1,
            None => found.push(at..at + 1),
        }
    }
    found
}

/// For each run the next one of exactly as many ticks, which is what closes it. They are found from behind, in one
/// pass: a search of its own for each run is as long as the text where no run has its like.
fn closings(
    lengths: impl DoubleEndedIterator<Item = usize> + ExactSizeIterator,
) -> Vec<Option<usize>> {
    let mut last: BTreeMap<usize, usize> = BTreeMap::new();
    let mut found: Vec<Option<usize>> =
        lengths.enumerate().rev().map(|(at, ticks)| last.insert(ticks, at)).collect();
    found.reverse();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_know_their_bytes() {
        let text = "# A #\n\n- a\n  - b\n- c\n\n| x | `y` |\n|---|---|\n| 1 | 2 |\n\n```sh\nls\n```\n\n> # q\n\nSet\next\n===\n";
        let outline = Outline::read(text, 0);
        let kinds = outline.blocks.iter().map(|block| match &block.content {
            Content::Heading(level) => format!("h{level} {}", outline.heading(block).0),
            Content::List(items) => format!("list {}", items.len()),
            Content::Table(rows) => format!("table {}x{}", rows.len(), rows[0].len()),
            Content::Code { info, body } => format!("{info} {body:?}"),
            other => format!("{other:?}"),
        });
        let kinds: Vec<_> = kinds.collect();
        assert_eq!(kinds, ["h1 A", "list 2", "table 2x2", "sh \"ls\\n\"", "Other", "h1 Set"]);
        assert_eq!(outline.lines(&outline.blocks[1].range), LineRange { first: 3, last: 5 });
        assert_eq!(outline.place(outline.blocks[2].range.start), (7, 1));
        assert_eq!(&text[outline.bytes(LineRange { first: 3, last: 4 })], "- a\n  - b\n");
    }

    #[test]
    fn code_spans_are_found() {
        let found: Vec<_> =
            spans("a `b` ``c`d`` `open").into_iter().map(|(_, body)| body).collect();
        assert_eq!(found, ["b", "c`d"]);
        let parted = "```a``b``c` ` d ` ``";
        assert_eq!(spans(parted), [(6, "b"), (11, " ")]);
        assert_eq!(spans("`` a"), []);
        assert_eq!(plain("**A** `b`  c"), "A b c");
    }

    /// Runs of 1, 2, 3, … ticks have no like, and a search for each would go on to the end of the text.
    #[test]
    fn each_run_of_ticks_is_looked_at_once() {
        let text: String = (1..400).map(|ticks| "`".repeat(ticks) + " a ").collect();
        let (all, looked) = (runs(&text), std::cell::Cell::new(0));
        let lengths = all.iter().map(Range::len).inspect(|_| looked.set(looked.get() + 1));
        assert!(closings(lengths).iter().all(Option::is_none));
        assert_eq!((all.len(), looked.get()), (399, 399));
        assert_eq!(spans(&text), []);
    }
}
