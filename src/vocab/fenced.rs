//! Fenced blocks of a text that an agent wrote, and which of them is the one that was asked for.
//!
//! Agents surround what they are asked for with words, quotations and other blocks. So no place in the text decides,
//! and no mark of the fence: the block is the one that reads as what was asked for.

use super::error::{Code, Error, Result};
use super::text::{one_line, printable};
use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag, TagEnd};
use std::ops::Range;

/// The most characters of a text without a block that its fault quotes.
const MOST_QUOTED: usize = 200;

/// A fenced block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fenced {
    /// The first word behind the fence.
    pub(crate) tag: String,
    /// What stands between the fences, without the marks of a quotation around them.
    pub(crate) content: String,
    /// Where it stands, with its fences.
    pub(crate) span: Range<usize>,
    /// Whether its fence was closed.
    pub(crate) closed: bool,
}

/// All fenced blocks, in order.
pub(crate) fn blocks(text: &str) -> Vec<Fenced> {
    let (mut all, mut inside): (Vec<Fenced>, bool) = (Vec::new(), false);
    for (mark, span) in Parser::new(text).into_offset_iter() {
        match mark {
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) => {
                let tag = info.split_whitespace().next().unwrap_or_default().to_owned();
                let lines = text.get(span.clone()).unwrap_or_default().trim_end().lines().skip(1);
                let last = lines.last().unwrap_or_default().trim_start_matches(['>', ' ', '\t']);
                let closed = last.starts_with("```") || last.starts_with("~~~");
                inside = true;
                all.push(Fenced { tag, content: String::new(), span, closed });
            }
            Event::End(TagEnd::CodeBlock) => inside = false,
            Event::Text(part) if inside => {
                if let Some(block) = all.last_mut() {
                    block.content.push_str(&part);
                }
            }
            _ => {}
        }
    }
    all
}

/// The block that `read` takes, given its language and its content. The same said twice is said once; two that differ
/// are a fault, and where none can be read the fault of the longest is told.
///
/// # Errors
/// `block_missing`, `block_duplicate`, or the fault of the block.
pub(crate) fn the_one<T: PartialEq>(
    text: &str,
    languages: &[&str],
    read: impl Fn(&str, &str) -> Result<T>,
) -> Result<(T, Fenced)> {
    let expected = format!("one fenced {} block", languages.first().unwrap_or(&"json"));
    let mut found: Vec<(T, Fenced)> = Vec::new();
    let mut fault: Option<(usize, Error)> = None;
    for block in candidates(text, languages) {
        match read(language(&block, languages).unwrap_or_default(), &block.content) {
            Ok(one) if found.iter().any(|(known, _)| *known == one) => {}
            Ok(one) => found.push((one, block)),
            Err(error) if fault.as_ref().is_none_or(|(most, _)| *most <= block.content.len()) => {
                fault = Some((block.content.len(), error));
            }
            Err(_) => {}
        }
    }
    match (found.len(), fault) {
        (0, Some((_, fault))) => Err(fault),
        (0, None) => Err(Error::new(Code::BlockMissing, "json", expected, quoted(text))),
        (1, _) => Ok(found.remove(0)),
        (many, _) => {
            let got = format!("{many} blocks that differ");
            Err(Error::new(Code::BlockDuplicate, "json", expected, got))
        }
    }
}

/// The language a block is read in: its tag, or the first one where an object stands below another tag or none.
fn language<'a>(block: &Fenced, languages: &[&'a str]) -> Option<&'a str> {
    let tagged = languages.iter().find(|one| block.tag.eq_ignore_ascii_case(one));
    let object = || languages.first().filter(|_| block.content.trim_start().starts_with('{'));
    tagged.or_else(object).copied()
}

/// The blocks that may be meant. A report may stand in a fence as a whole, then its block stands within.
fn candidates(text: &str, languages: &[&str]) -> Vec<Fenced> {
    let each = blocks(text).into_iter().flat_map(|block| match language(&block, languages) {
        Some(_) => vec![block],
        None => {
            let within = blocks(&block.content).into_iter();
            within.map(|one| Fenced { span: block.span.clone(), ..one }).collect()
        }
    });
    each.filter(|block| language(block, languages).is_some()).collect()
}

/// The end of a text without a block: that is where it was expected.
fn quoted(text: &str) -> String {
    let line = one_line(&printable(text));
    let beyond = line.chars().count().saturating_sub(MOST_QUOTED);
    match (line.is_empty(), beyond) {
        (true, _) => "nothing".to_owned(),
        (false, 0) => format!("no block in “{line}”"),
        (false, skip) => {
            format!("no block before “… {}”", line.chars().skip(skip).collect::<String>())
        }
    }
}
