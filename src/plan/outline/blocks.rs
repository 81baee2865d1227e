//! What the CommonMark parser says of a document, part by part.

use super::{Block, Content};
use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};
use std::ops::Range;

/// How many bytes are given to the parser at once, if they can be parted there. What it needs for them is many times as
/// much, and stays near the processor.
const PART: usize = 128 * 1024;

/// The top-level blocks of some bytes of a document.
pub fn blocks(text: &str, range: &Range<usize>) -> Vec<Block> {
    in_parts(text, range, PART)
}

/// The same, part by part. Nothing that is open at a heading behind an empty line goes on behind it, but for a fence or
/// a piece of HTML: then twice as much is read at once.
fn in_parts(text: &str, range: &Range<usize>, part: usize) -> Vec<Block> {
    let mut found = Vec::new();
    let (mut from, mut size) = (range.start, part);
    while from < range.end {
        let end = next_part(text, from.saturating_add(size), range.end);
        let inside = read_at_once(text, from..end);
        let open = |last: &Block| {
            last.range.end == end && matches!(last.content, Content::Code { .. } | Content::Other)
        };
        if end < range.end && inside.last().is_some_and(open) {
            size = size.saturating_mul(2);
            continue;
        }
        found.extend(inside);
        (from, size) = (end, part);
    }
    found
}

/// The first heading behind an empty line from a byte on.
fn next_part(text: &str, at: usize, end: usize) -> usize {
    let bytes = text.as_bytes();
    let behind = bytes.get(at..end).unwrap_or_default();
    let breaks = behind.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
    let mut starts = breaks.map(|(place, _)| at + place + 1);
    let is_heading = |start: &usize| {
        let line = bytes.get(*start..end).unwrap_or_default();
        let marks = line.iter().take_while(|byte| **byte == b'#').count();
        let space = line.get(marks).is_none_or(|byte| byte.is_ascii_whitespace());
        let before = bytes.get(..start - 1).unwrap_or_default();
        let blank = before.iter().rev().find(|byte| !matches!(byte, b' ' | b'\t' | b'\r'));
        (1..=6).contains(&marks) && space && blank == Some(&b'\n')
    };
    starts.find(is_heading).unwrap_or(end)
}

fn read_at_once(text: &str, range: Range<usize>) -> Vec<Block> {
    let mut reader = Reader { from: range.start, depth: 0, open: None, blocks: Vec::new() };
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH;
    let body = text.get(range).unwrap_or_default();
    for (event, range) in Parser::new_ext(body, options).into_offset_iter() {
        reader.take(event, range);
    }
    reader.blocks
}

struct Reader {
    from: usize,
    depth: u32,
    open: Option<Block>,
    blocks: Vec<Block>,
}

impl Reader {
    fn take(&mut self, event: Event<'_>, range: Range<usize>) {
        let range = range.start + self.from..range.end + self.from;
        match event {
            Event::Start(tag) => {
                match self.depth {
                    0 => self.open = Some(Block { range, content: content(&tag) }),
                    _ => self.within(&tag, range),
                }
                self.depth += 1;
            }
            Event::End(tag) => {
                self.depth = self.depth.saturating_sub(1);
                self.end(tag);
            }
            Event::Text(words) if self.depth == 1 => {
                if let Some(Block { content: Content::Code { body, .. }, .. }) = &mut self.open {
                    body.push_str(&words);
                }
            }
            Event::Rule if self.depth == 0 => {
                self.blocks.push(Block { range, content: Content::Rule });
            }
            _ => {}
        }
    }

    fn within(&mut self, tag: &Tag<'_>, range: Range<usize>) {
        let Some(block) = &mut self.open else { return };
        match (&mut block.content, tag, self.depth) {
            (Content::List(items), Tag::Item, 1) => items.push(range),
            (Content::Table(rows), Tag::TableHead | Tag::TableRow, 1) => rows.push(Vec::new()),
            (Content::Table(rows), Tag::TableCell, 2) => {
                if let Some(row) = rows.last_mut() {
                    row.push(range);
                }
            }
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        if self.depth == 0
            && let Some(block) = self.open.take()
        {
            debug_assert!(!matches!(tag, TagEnd::Item), "items are inside of lists");
            self.blocks.push(block);
        }
    }
}

fn content(tag: &Tag<'_>) -> Content {
    match tag {
        Tag::Heading { level, .. } => Content::Heading(*level as u8),
        Tag::Paragraph => Content::Paragraph,
        Tag::List(_) => Content::List(Vec::new()),
        Tag::CodeBlock(CodeBlockKind::Fenced(info)) => {
            Content::Code { info: info.to_string(), body: String::new() }
        }
        Tag::CodeBlock(CodeBlockKind::Indented) => {
            Content::Code { info: String::new(), body: String::new() }
        }
        Tag::Table(_) => Content::Table(Vec::new()),
        _ => Content::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pieces of documents that are open at their end, or nearly so.
    const PIECES: [&str; 24] = [
        "# A\n",
        "\n# B #\n\n",
        "\n\n## C\n",
        "\n  \t\n###### D\n",
        "\n#\n",
        "\n#none\n",
        "\n####### none\n",
        "- a\n",
        "- b\n\n  more\n",
        "1. c\n\n   ```sh\n   ls\n",
        "> quoted\n",
        "> ```\n> x\n",
        "```sh\nmake\n",
        "```\n",
        "~~~\n# in it\n",
        "~~~\n\n",
        "<!-- open\n\n",
        "-->\n\n",
        "<div>\n\n",
        "| a | b |\n|---|---|\n| 1 | 2 |\n",
        "[x]: /y\n",
        "text [x] é\n",
        "\r\n",
        "===\n\n",
    ];

    proptest::proptest! {
        /// Wherever it is parted, a document has the same blocks.
        #[test]
        fn documents_are_read_in_parts(places in proptest::collection::vec(0..24_usize, 0..40), part in 1..40_usize) {
            let text: String = places.into_iter().map(|place| PIECES[place]).collect();
            let all = 0..text.len();
            let (whole, parts) = (read_at_once(&text, all.clone()), in_parts(&text, &all, part));
            proptest::prop_assert_eq!(format!("{whole:#?}"), format!("{parts:#?}"), "{:?}", text);
        }
    }
}
