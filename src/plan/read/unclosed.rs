//! Fences and comments that nothing closes: all that follows is inside of them, and no part of the plan.
//!
//! At the top level that is the rest of the document. In an item of a list or a quotation it is the rest of that
//! item or quotation; its author meant to close it just the same.

use super::super::model::Weight;
use super::super::outline::Content;
use super::Reader;
use crate::vocab::error::Code;
use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag};
use std::ops::Range;

const REST: &str = "none up to the end of the document, so all of that is inside of it";
const INNER: &str = "none up to the end of the item or quotation, so all of that is inside of it";

/// Remarks on all of them.
pub(super) fn name(reader: &mut Reader<'_>) {
    top(reader);
    for range in nested(reader) {
        let first = reader.outline.source(&range).lines().next().unwrap_or_default();
        let at = range.start..range.start + first.len();
        reader.remark(Weight::Fault, Code::InvalidValue, at, "the end of a fence", INNER);
    }
}

/// Only the last block can be open at the top level.
fn top(reader: &mut Reader<'_>) {
    let Some(last) = reader.outline.blocks.last() else { return };
    let source = reader.outline.source(&last.range);
    let first = source.lines().next().unwrap_or_default();
    let indented = first.starts_with("    ") || first.starts_with('\t');
    let open = match &last.content {
        Content::Code { .. } => (!indented && is_open(source)).then_some("the end of a fence"),
        Content::Other => {
            let comment = first.trim_start().starts_with("<!--") && !source.contains("-->");
            comment.then_some("the end of a comment")
        }
        _ => None,
    };
    if let Some(expected) = open {
        let at = last.range.start..last.range.start + first.len();
        reader.remark(Weight::Fault, Code::InvalidValue, at, expected, REST);
    }
}

/// The open fences inside of lists and quotations.
fn nested(reader: &Reader<'_>) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    for block in &reader.outline.blocks {
        let source = reader.outline.source(&block.range);
        let holds = matches!(block.content, Content::List(_) | Content::Other);
        if !holds || !has_fence(source) {
            continue;
        }
        for (event, range) in Parser::new(source).into_offset_iter() {
            let fence = matches!(event, Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(_))));
            if fence && is_open(source.get(range.clone()).unwrap_or_default()) {
                found.push(block.range.start + range.start..block.range.start + range.end);
            }
        }
    }
    found
}

/// Whether a text has the marks of a fence anywhere.
fn has_fence(source: &str) -> bool {
    source.as_bytes().windows(3).any(|three| matches!(three, b"```" | b"~~~"))
}

/// Whether the source of a fence has no line that ends it. Marks of quotations before a line are none of it.
fn is_open(source: &str) -> bool {
    let bare = |line: &str| -> String {
        line.trim_start_matches(|c: char| c.is_whitespace() || c == '>').trim_end().to_owned()
    };
    let first = bare(source.lines().next().unwrap_or_default());
    let Some(mark) = first.chars().next().filter(|c| matches!(c, '`' | '~')) else { return false };
    let long = |line: &str| line.len() - line.trim_start_matches(mark).len();
    let last = bare(source.trim_end().lines().skip(1).last().unwrap_or_default());
    !(long(&last) == last.len() && long(&last) >= long(&first))
}

#[cfg(test)]
mod tests {
    use crate::plan::model::Weight;
    use crate::plan::read::parse;

    const SPRINT: &str = "# P\n\n## Sprint 1: A\n\n**Exit criteria**:\n- [ ] `make a` passes\n";

    fn faults(tail: &str) -> Vec<(u32, u32)> {
        let parsed = parse(&format!("{SPRINT}{tail}"));
        let faults = parsed.remarks.iter().filter(|one| one.weight == Weight::Fault);
        faults.map(|one| (one.line, one.column)).collect()
    }

    #[test]
    fn open_fences_are_named_wherever_they_are() {
        for (tail, expected) in [
            ("\n```sh\nmake b\n", vec![(8, 1)]),
            ("- [ ] run this:\n\n  ```sh\n  make b\n\n## Sprint 2: B\n", vec![(9, 3)]),
            ("\n> Like this:\n>\n> ~~~\n> make b\n\n## Sprint 2: B\n", vec![(10, 3)]),
            ("- a\n  - b\n\n    ````\n    ```\n\n- c\n", vec![(10, 5)]),
            ("- a\n\n  ```sh\n  make b\n  ```\n\n> ```\n> x\n> ```\n", vec![]),
            ("- `` ``` `` is a mark\n", vec![]),
        ] {
            assert_eq!(faults(tail), expected, "{tail}");
        }
    }
}
