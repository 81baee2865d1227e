//! The text of an agent, line by line: which lines are open text, and which are in a fenced block.
//!
//! A line in a block of code is a quotation, and a line in a comment is not seen: neither is a statement. A reader
//! that looks for a statement uses [`open_paragraphs`] or [`open_lines`]; a reader that looks for data uses
//! [`blocks`]. A fence that is never closed hides all that follows it and is no block: text that is in doubt
//! finishes nothing.

use crate::vocab::fenced::{self, Fenced};

/// The lines that stand outside code and comments, trimmed.
pub(super) fn open_lines(text: &str) -> impl Iterator<Item = &str> {
    open_paragraphs(text).into_iter().flatten()
}

/// The paragraphs that stand outside code and outside comments, each as its trimmed lines.
pub(super) fn open_paragraphs(text: &str) -> Vec<Vec<&str>> {
    let mut all: Vec<Vec<&str>> = vec![Vec::new()];
    let mut spans = fenced::blocks(text).into_iter().map(|block| block.span).peekable();
    let (mut end, mut comment) = (0, false);
    for line in text.split_inclusive('\n') {
        let from = end;
        end += line.len();
        while spans.next_if(|span| span.end <= from).is_some() {}
        let hidden = spans.peek().is_some_and(|span| span.start < end);
        let (within, line) = (comment, line.trim_end());
        // A comment that is never closed hides all that follows it.
        if !hidden {
            comment = match (line.rfind("<!--"), line.rfind("-->")) {
                (Some(from), Some(to)) => from > to,
                (Some(_), None) => true,
                (None, Some(_)) => false,
                (None, None) => comment,
            };
        }
        let ends = hidden || indented(line) || within || comment || line.trim().is_empty();
        match all.last_mut() {
            Some(paragraph) if !ends => paragraph.push(line.trim()),
            Some(paragraph) if paragraph.is_empty() => {}
            _ => all.push(Vec::new()),
        }
    }
    all
}

/// The closed fenced blocks, in order.
pub(super) fn blocks(text: &str) -> impl Iterator<Item = Fenced> {
    fenced::blocks(text).into_iter().filter(|block| block.closed)
}

/// Whether Markdown may take the line for code because of its indentation.
fn indented(line: &str) -> bool {
    line.starts_with('\t') || line.starts_with("    ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotations_are_no_statements() {
        let text = "one\n<!-- no\nno -->\n```text\ntwo\n```\n  three  \n    four\n~~~~\n~~~\nfive\n~~~~\nsix\n```\nseven";
        assert_eq!(open_lines(text).collect::<Vec<_>>(), ["one", "three", "six"]);
    }

    #[test]
    fn only_closed_blocks_are_blocks() {
        let text = "```json\n{\"a\":1}\n```\nx ```not``` y\n````done now\n```\nb\n````\n```open\nc";
        let found: Vec<Fenced> = blocks(text).collect();
        assert_eq!(found.len(), 2);
        assert_eq!((found[0].tag.as_str(), found[0].content.as_str()), ("json", "{\"a\":1}\n"));
        assert_eq!((found[1].tag.as_str(), found[1].content.as_str()), ("done", "```\nb\n"));
    }
}
