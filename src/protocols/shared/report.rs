//! What all reports have in common: a header, and one fenced block that is the report.
//!
//! The block decides. Whoever gives one that is right has reported, whatever stands before and behind it: a header that
//! is missing is a note. The header of another mission is none: then the run worked on something else.

use crate::vocab::error::{Code, Diagnostic, Error, Result};
use crate::vocab::event::EffectId;
use crate::vocab::{fenced, json};
use serde_json::Value;

/// The fields of the header, each on a line of its own.
const HEADER: [&str; 2] = ["MISSION ANCHOR", "Remaining contract IDs"];

/// A report as it was read.
pub(crate) struct Found<T> {
    /// What its block says.
    pub(crate) report: T,
    /// What stands around the block, without the header.
    pub(crate) prose: String,
}

/// Reads the block of a report for the mission `anchor`, in one of several languages, the first of which is JSON.
///
/// # Errors
/// `too_large`, `header_duplicate`, `anchor_mismatch`, `block_missing`, `block_duplicate`, what [`json::guard`] finds,
/// or the fault that `read` finds in the block.
pub(crate) fn read<T: PartialEq>(
    anchor: &str,
    text: &str,
    languages: &[&str],
    read: impl Fn(&str, &str) -> Result<T>,
) -> Result<Found<T>> {
    // Before anything walks through it: markdown is read more slowly than JSON.
    if text.len() > json::MOST_BYTES {
        let (expected, got) =
            (format!("at most {} bytes", json::MOST_BYTES), format!("{} bytes", text.len()));
        return Err(Error::new(Code::TooLarge, "report", expected, got));
    }
    check_anchor(anchor, text)?;
    let (report, block) = fenced::the_one(text, languages, |language, block| {
        if language == "json" {
            json::guard(block).map_err(|error| error.within("json"))?;
        }
        read(language, block)
    })?;
    let around = [text.get(..block.span.start), text.get(block.span.end..)];
    let lines = around.into_iter().flatten().flat_map(str::lines);
    let prose: Vec<&str> =
        lines.filter(|line| !HEADER.iter().any(|name| value_of(line, name).is_some())).collect();
    Ok(Found { report, prose: prose.join("\n").trim().to_owned() })
}

/// What is missing of the header of a report that was taken: something to be told, and no fault of it.
pub(crate) fn unheaded(text: &str) -> Option<Diagnostic> {
    let named = |name: &&str| text.lines().any(|line| value_of(line, name).is_some());
    let missing = HEADER.into_iter().find(|name| !named(name))?;
    let (expected, got) = (format!("a line `{missing}: …`"), "none; the block counts all the same");
    Some(Error::new(Code::HeaderMissing, "header", expected, got).diagnostic())
}

/// What a role is told of its report.
pub(crate) struct Form<'a> {
    /// The mission.
    pub(crate) anchor: &'a str,
    /// The criteria or contract ids that are open.
    pub(crate) open: &'a str,
    /// What the block may be written in.
    pub(crate) language: &'a str,
    /// The name of the schema it must match.
    pub(crate) schema: &'a str,
    /// A block in which every choice is named.
    pub(crate) example: &'a str,
    /// The run whose report could not be taken, and why.
    pub(crate) correction: Option<(EffectId, &'a Diagnostic)>,
    /// Whether reports of this step were refused before: then a whole report is shown.
    pub(crate) again: bool,
}

impl Form<'_> {
    /// The end of every prompt.
    pub(crate) fn text(&self) -> String {
        let Form { anchor, open, language, schema, example, .. } = self;
        let mut text = self.correction.map(refused).unwrap_or_default();
        let header = format!("{}: {anchor}\n{}: {open}", HEADER[0], HEADER[1]);
        text.push_str(&format!(
            "\n## Your report\n\nEnd with it. Its first two lines:\n\n{header}\n\nThen one fenced {language} block (schema \
             `{schema}`), and no other block like it:\n\n```json\n{example}\n```\n"
        ));
        if let Some(filled) = self.again.then(|| filled(example)) {
            text.push_str(&format!(
                "\nReports were refused before. This is a whole one; put in what is true:\n\n````\n{header}\n\nWhat was \
                 done, in a few words.\n\n```json\n{filled}\n```\n````\n"
            ));
        }
        text
    }
}

/// A fault with what came and what would do in its place.
fn refused((of, fault): (EffectId, &Diagnostic)) -> String {
    format!(
        "\n## Your last report could not be taken\n\nRun {of} reported, but: {fault}\nDo not repeat the work beyond what \
         this asks for. Give the whole report again with exactly this mended.\n"
    )
}

/// An example in which the first of several choices was taken.
fn filled(example: &str) -> String {
    fn choose(value: Value) -> Value {
        match value {
            Value::String(text) => {
                let first = text.split('|').next().unwrap_or_default();
                Value::String(first.replace('…', "your words"))
            }
            Value::Array(items) => items.into_iter().map(choose).collect(),
            Value::Object(fields) => {
                fields.into_iter().map(|(name, one)| (name, choose(one))).collect()
            }
            other => other,
        }
    }
    serde_json::from_str(example).map_or(example.to_owned(), |value| json::encode(&choose(value)))
}

/// No mission is named but this one.
fn check_anchor(anchor: &str, text: &str) -> Result<()> {
    let said: Vec<String> = text.lines().filter_map(|line| value_of(line, HEADER[0])).collect();
    let (right, wrong): (Vec<&String>, Vec<&String>) =
        said.iter().partition(|said| words(said) == words(anchor));
    match (right.first(), wrong.first()) {
        (_, None) => Ok(()),
        (None, Some(other)) => {
            Err(Error::new(Code::AnchorMismatch, "header", anchor, other.as_str()))
        }
        (Some(_), Some(other)) => {
            Err(Error::new(Code::HeaderDuplicate, "header", "one mission anchor", other.as_str()))
        }
    }
}

/// What follows the name of a field of the header on a line, and a colon or a dash, whatever marks people put around
/// them. The ids that are left may be those `before` and `after`.
fn value_of(line: &str, name: &str) -> Option<String> {
    let marks = ['#', '>', '-', '+', '*', '_', '`', ' ', '\t', '\u{feff}'];
    let bare = line.trim_start_matches(marks);
    let head = bare.get(..name.len()).filter(|head| head.eq_ignore_ascii_case(name))?;
    let tail = bare.get(head.len()..)?;
    let (before, value) = tail.split_once([':', '—'])?;
    let more = words(before);
    matches!(more.as_slice(), [] | ["before"] | ["after"])
        .then(|| value.trim_matches(marks).trim().to_owned())
}

/// The words of a text, for comparing: marks around them and between them say nothing.
fn words(text: &str) -> Vec<&str> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect()
}
