//! What an agent said, line by line: what stands in the open, and what in a fenced block.
//!
//! A line in a block of code is a quotation, one in a comment nobody sees: neither is a statement. Whoever
//! looks for a statement looks at [`open_paragraphs`] or [`open_lines`]; whoever looks for data looks at
//! [`blocks`]. A fence that is never closed hides all
//! that follows it and is no block: what cannot be told for sure finishes nothing.

/// A closed fenced block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Block {
    /// The first word behind the fence.
    pub(super) tag: String,
    /// What stands between the fences.
    pub(super) content: String,
}

/// The lines that stand outside code and comments, trimmed.
pub(super) fn open_lines(text: &str) -> impl Iterator<Item = &str> {
    open_paragraphs(text).into_iter().flatten()
}

/// The paragraphs that stand outside code and outside comments, each as its trimmed lines.
pub(super) fn open_paragraphs(text: &str) -> Vec<Vec<&str>> {
    let mut all: Vec<Vec<&str>> = vec![Vec::new()];
    let (mut fence, mut comment): (Option<Fence>, bool) = (None, false);
    for line in text.lines() {
        let hidden = fence.is_some() || Fence::opens(line).is_some();
        fence = step(fence, line);
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
pub(super) fn blocks(text: &str) -> Vec<Block> {
    let mut all = Vec::new();
    let mut fence: Option<Fence> = None;
    let mut now = Block { tag: String::new(), content: String::new() };
    for line in text.lines() {
        let before = fence;
        fence = step(fence, line);
        match (before, fence) {
            (None, Some(opened)) => {
                let info = line.trim().trim_start_matches(opened.mark);
                let tag = info.split_whitespace().next().unwrap_or_default().to_owned();
                now = Block { tag, content: String::new() };
            }
            (Some(_), Some(_)) => {
                now.content.push_str(line);
                now.content.push('\n');
            }
            (Some(_), None) => all.push(now.clone()),
            (None, None) => {}
        }
    }
    all
}

/// An opened fence: its character and how many of them.
#[derive(Clone, Copy)]
struct Fence {
    mark: char,
    length: usize,
}

impl Fence {
    fn opens(line: &str) -> Option<Fence> {
        let line = line.trim_start();
        let mark = line.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
        let length = line.chars().take_while(|one| *one == mark).count();
        // Behind backticks, a backtick makes it inline code.
        let inline = mark == '`' && line.trim_start_matches('`').contains('`');
        (length >= 3 && !inline).then_some(Fence { mark, length })
    }

    fn closed_by(self, line: &str) -> bool {
        let line = line.trim();
        line.chars().count() >= self.length && line.chars().all(|one| one == self.mark)
    }
}

fn step(fence: Option<Fence>, line: &str) -> Option<Fence> {
    match fence {
        None => Fence::opens(line),
        Some(open) if open.closed_by(line) => None,
        Some(open) => Some(open),
    }
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
        let found = blocks(text);
        assert_eq!(found.len(), 2);
        assert_eq!((found[0].tag.as_str(), found[0].content.as_str()), ("json", "{\"a\":1}\n"));
        assert_eq!((found[1].tag.as_str(), found[1].content.as_str()), ("done", "```\nb\n"));
    }
}
