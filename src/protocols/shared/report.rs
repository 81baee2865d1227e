//! The common part of every report: a text that begins with the shared header and holds one fenced
//! `json` block.

use crate::vocab::error::{Code, Error, Result};
use crate::vocab::json;
use pulldown_cmark::{CodeBlockKind, Event as Mark, Parser, Tag, TagEnd};

/// The fenced block of a report for the mission `anchor`, as raw text.
///
/// # Errors
/// `too_large`, `header_missing`, `header_duplicate`, `anchor_mismatch`, `block_missing`,
/// `block_duplicate`, or what [`json::guard`] finds.
pub(crate) fn block(anchor: &str, text: &str) -> Result<String> {
    let (_, block) = fenced(anchor, text, &["json"])?;
    Ok(block)
}

/// The fenced block of a report in one of several languages, with the word of its language.
///
/// # Errors
/// As [`block`].
pub(crate) fn fenced(anchor: &str, text: &str, languages: &[&str]) -> Result<(String, String)> {
    // Before anything walks through it: markdown is read more slowly than JSON.
    if text.len() > json::MOST_BYTES {
        let (expected, got) =
            (format!("at most {} bytes", json::MOST_BYTES), format!("{} bytes", text.len()));
        return Err(Error::new(Code::TooLarge, "report", expected, got));
    }
    check_header(anchor, text)?;
    let (language, block) = fenced_block(text, languages)?;
    if language == "json" {
        json::guard(&block).map_err(|error| error.within("json"))?;
    }
    Ok((language, block))
}

/// What a report says around its block and behind the two lines of its header.
pub(crate) fn prose(text: &str, languages: &[&str]) -> String {
    let is_block = |(mark, _): &(Mark<'_>, std::ops::Range<usize>)| match mark {
        Mark::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) => {
            let language = info.split_whitespace().next().unwrap_or_default();
            languages.contains(&language.to_ascii_lowercase().as_str())
        }
        _ => false,
    };
    let block = Parser::new(text).into_offset_iter().find(is_block).map(|(_, span)| span);
    let block = block.unwrap_or(text.len()..text.len());
    let before = text.get(..block.start).unwrap_or_default();
    let before = before.lines().filter(|line| !plain(line).is_empty()).skip(2);
    let behind = text.get(block.end..).unwrap_or_default().lines();
    before.chain(behind).collect::<Vec<_>>().join("\n").trim().to_owned()
}

/// What a role is told of its report: the header, then a block in this language that matches the schema.
pub(crate) fn form(
    anchor: &str,
    open: &str,
    language: &str,
    schema: &str,
    example: &str,
) -> String {
    format!(
        "\n## Your report\n\nThe first two lines:\n\nMISSION ANCHOR: {anchor}\nRemaining contract IDs: {open}\n\n\
         Then one fenced {language} block (schema `{schema}`):\n\n```json\n{example}\n```\n"
    )
}

/// The first lines: the mission anchor, then the remaining contract ids in one of their forms.
fn check_header(anchor: &str, text: &str) -> Result<()> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let lines = || text.lines().map(plain).filter(|line| !line.is_empty());
    let missing = |expected: &str, got: Option<String>| {
        let got = got.unwrap_or_else(|| "the end of the report".to_owned());
        Error::new(Code::HeaderMissing, "header", expected, got)
    };
    let first = lines().next();
    let said = first.as_deref().and_then(|line| after(line, "MISSION ANCHOR"));
    let Some(said) = said else { return Err(missing("MISSION ANCHOR: …", first)) };
    if words(&said) != words(anchor) {
        return Err(Error::new(Code::AnchorMismatch, "header", anchor, said));
    }
    let second = lines().nth(1);
    let forms = ["Remaining contract IDs", "Remaining contract IDs before"];
    let named =
        second.as_deref().is_some_and(|line| forms.iter().any(|form| after(line, form).is_some()));
    if !named {
        return Err(missing("Remaining contract IDs: … as second line", second));
    }
    let anchors = lines().filter_map(|line| after(&line, "MISSION ANCHOR"));
    match anchors.skip(1).find(|again| words(again) != words(&said)) {
        Some(again) => {
            Err(Error::new(Code::HeaderDuplicate, "header", "one mission anchor", again))
        }
        None => Ok(()),
    }
}

/// A line without the marks that people put around a field name.
fn plain(line: &str) -> String {
    let bare = line.trim().trim_start_matches(['#', '>', '-', '*', ' ']);
    bare.replace("**", "").replace("__", "").trim().to_owned()
}

/// What follows `name` and a colon (or a dash) on a line.
fn after(line: &str, name: &str) -> Option<String> {
    let head = line.get(..name.len())?;
    if !head.eq_ignore_ascii_case(name) {
        return None;
    }
    let tail = line.get(name.len()..)?.trim_start();
    let value = tail.strip_prefix(':').or_else(|| tail.strip_prefix('—'))?;
    Some(value.trim().to_owned())
}

fn words(text: &str) -> Vec<&str> {
    text.split_whitespace().collect()
}

/// The content of the one fenced block that is marked as one of the languages.
fn fenced_block(text: &str, languages: &[&str]) -> Result<(String, String)> {
    let mut blocks: Vec<(String, String)> = Vec::new();
    let mut inside = false;
    for mark in Parser::new(text) {
        match mark {
            Mark::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) => {
                let language = info.split_whitespace().next().unwrap_or_default();
                let language = language.to_ascii_lowercase();
                inside = languages.contains(&language.as_str());
                if inside {
                    blocks.push((language, String::new()));
                }
            }
            Mark::End(TagEnd::CodeBlock) => inside = false,
            Mark::Text(part) if inside => {
                if let Some((_, block)) = blocks.last_mut() {
                    block.push_str(&part);
                }
            }
            _ => {}
        }
    }
    let expected = format!("one fenced {} block", languages.first().unwrap_or(&"json"));
    match blocks.len() {
        1 => Ok(blocks.remove(0)),
        0 => Err(Error::new(Code::BlockMissing, "json", expected, "none")),
        many => {
            let got = format!("{many} blocks");
            Err(Error::new(Code::BlockDuplicate, "json", expected, got))
        }
    }
}
