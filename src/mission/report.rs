//! The common parts of all reports: a header, and one fenced block that is the report.
//!
//! The block decides. A run that gives a right block has reported, whatever text is before and after it. A header that
//! is missing, or near enough, is a note. A header that clearly names another mission is drift: the run worked on
//! something else.

use super::template::{fields, render};
use crate::vocab::criterion::Criterion;
use crate::vocab::error::{Code, Diagnostic, Error, Result, ensure, ensure_none};
use crate::vocab::event::EffectId;
use crate::vocab::{fenced, json};
use serde_json::Value;
use std::borrow::Cow;

/// The fields of the header.
const HEADER: [&str; 2] = ["MISSION ANCHOR", "Remaining contract IDs"];

/// A report as it was read.
pub(crate) struct Found<T> {
    /// What its block says.
    pub(crate) report: T,
    /// The text around the block, without the header.
    pub(crate) prose: String,
}

/// Reads the block of a report for the mission `anchor`, in one of several languages, the first of which is JSON.
///
/// # Errors
/// `too_large`, `block_missing`, `block_duplicate`, what [`json::guard`] finds, or the fault that `read` finds in the block;
/// of a block that is right `header_duplicate` or `anchor_mismatch`.
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
    let text = &plain(text);
    let (report, block) = fenced::the_one(text, languages, |language, block| {
        if language == "json" {
            json::guard(block).map_err(|error| error.within("json"))?;
        }
        read(language, block)
    })?;
    no_other(anchor, text)?;
    let around = [text.get(..block.span.start), text.get(block.span.end..)];
    let lines = around.into_iter().flatten().flat_map(str::lines);
    let prose: Vec<&str> =
        lines.filter(|line| !HEADER.iter().any(|name| value_of(line, name).is_some())).collect();
    Ok(Found { report, prose: prose.join("\n").trim().to_owned() })
}

/// A report with the header of the mission `anchor`, from the object of its block.
pub(crate) fn written(anchor: &str, object: &str) -> String {
    let [mission, remaining] = HEADER;
    format!("{mission}: {anchor}\n{remaining}: see the report\n\n```json\n{object}\n```\n")
}

/// What is missing of the header of a report that was taken: something to be told, and no fault of it.
pub(crate) fn unheaded(anchor: &str, text: &str) -> Option<Diagnostic> {
    let text = plain(text);
    let counts = text.to_lowercase().contains(&HEADER[1].to_lowercase());
    let missing = match (anchors(&text).any(|said| names(said, anchor)), counts) {
        (true, true) => return None,
        (false, _) => format!("a line `{}: {anchor}`", HEADER[0]),
        (true, false) => format!("a line `{}: …`", HEADER[1]),
    };
    let got = "none; the block counts all the same";
    Some(Error::new(Code::HeaderMissing, "header", missing, got).diagnostic())
}

/// What is unusual in a report that was taken: these notes, and what is missing of its header.
pub(crate) fn notes(
    anchor: &str,
    text: &str,
    notes: impl IntoIterator<Item = String>,
) -> Vec<String> {
    notes.into_iter().chain(unheaded(anchor, text).map(|note| note.to_string())).collect()
}

/// Fields of a report that its form does not know.
pub(crate) fn ignored(unknown: &[String]) -> impl Iterator<Item = String> {
    unknown.iter().map(|name| format!("unknown field `{name}` was ignored"))
}

/// There is one row for each of these names, and each says why; a row is its name and its reason.
///
/// # Errors
/// `wrong_subject`; `missing_field` for a blank reason.
pub(crate) fn one_row_each<'a>(
    field: &str,
    rows: impl Iterator<Item = (&'a str, &'a str)> + Clone,
    names: &[String],
) -> Result<()> {
    let mut said: Vec<&str> = rows.clone().map(|(name, _)| name).collect();
    let mut wanted: Vec<&str> = names.iter().map(String::as_str).collect();
    said.sort_unstable();
    wanted.sort_unstable();
    let each = format!("one row for each of {}", wanted.join(", "));
    ensure!(said == wanted, Code::WrongSubject, field, each, said.join(", "))?;
    ensure_none(rows.clone().find(|(_, reason)| reason.trim().is_empty()), |(name, _)| {
        Error::new(Code::MissingField, "reason", format!("why {name} is so"), "none")
    })
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
        let refused = |(of, fault): (EffectId, &Diagnostic)| {
            fields! { run: of.to_string(), fault: fault.to_string() }
        };
        let told = fields! {
            refused: self.correction.map(refused),
            anchor: self.anchor,
            open: self.open,
            language: self.language,
            schema: self.schema,
            example: self.example,
            cites: self.example.contains("\"evidence\"").then(|| fields! {}),
            again: self.again.then(|| fields! { filled: filled(self.example) }),
        };
        render(include_str!("prompts/report.md"), &told)
    }
}

/// The criteria that a report is still to speak of: their ids.
pub(crate) fn open(criteria: &[Criterion]) -> String {
    let open = criteria.iter().filter(|one| !one.waived()).map(|one| one.id.as_str());
    open.collect::<Vec<_>>().join(", ")
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

/// No mission is clearly named but this one. A name has more than a word: one word is a placeholder as well, and a part
/// of this mission's is this one, cut short.
fn no_other(anchor: &str, text: &str) -> Result<()> {
    let other =
        |said: &&str| words(said).count() > 1 && !names(said, anchor) && !names(anchor, said);
    let Some(got) = anchors(text).find(other) else { return Ok(()) };
    match anchors(text).any(|said| names(said, anchor)) {
        true => Err(Error::new(Code::HeaderDuplicate, "header", "one mission anchor", got)),
        false => Err(Error::new(Code::AnchorMismatch, "header", anchor, got)),
    }
}

/// The missions that headers name.
fn anchors(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter_map(|line| value_of(line, HEADER[0]))
}

/// What follows the name of a field of the header on a line, and a colon or a dash, whatever marks people put around
/// them. The ids that are left may be those `before` and `after`. What JSON quotes is no header.
fn value_of<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    let mark = |c: char| !c.is_alphanumeric() && c != '"';
    let bare = line.trim_start_matches(mark);
    bare.get(..name.len()).filter(|head| head.eq_ignore_ascii_case(name))?;
    let (before, value) = bare.get(name.len()..)?.split_once([':', '—'])?;
    let known = words(before).all(|word| ["before", "after"].contains(&word));
    known.then(|| value.trim_start_matches(mark).trim())
}

/// Whether a text names a mission, whatever else it says: marks, and large or small letters, make no difference.
fn names(text: &str, mission: &str) -> bool {
    let spoken =
        |text: &str| format!(" {} ", words(text).collect::<Vec<_>>().join(" ")).to_lowercase();
    spoken(text).contains(&spoken(mission))
}

/// The words of a text, for comparing: marks around them and between them say nothing.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty())
}

/// A text whose lines end in one way, and begin with no byte order mark.
fn plain(text: &str) -> Cow<'_, str> {
    if !text.contains(['\r', '\u{feff}']) {
        return Cow::Borrowed(text);
    }
    let lines = text.replace("\r\n", "\n").replace('\r', "\n");
    let lines = lines.split('\n').map(|line| line.trim_start_matches('\u{feff}'));
    Cow::Owned(lines.collect::<Vec<_>>().join("\n"))
}
