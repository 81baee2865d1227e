//! The task document: a Markdown file with front matter, from which the criteria come.
//!
//! Criteria are those of the front matter, else the list of the section "Acceptance Criteria". A
//! ticked box is no evidence; it is taken off and forgotten.

use crate::mission::prelude::*;
use crate::plan::document::{self, Document, LineRange, unboxed, unmarked};
use crate::plan::yaml::{Fields, kind, texts};
use crate::vocab::criterion::label;
use serde_json::Value;

/// A task, as its author wrote it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TaskDocument {
    /// `id` of the front matter.
    pub id: Option<String>,
    /// `title` of the front matter, else the first heading of level 1.
    pub title: Option<String>,
    /// At least one.
    pub criteria: Vec<CriterionText>,
    /// `test_command` of the front matter, as program and arguments; a text is one for `sh -c`.
    pub test_command: Option<Vec<String>>,
    /// What was read otherwise than its author may think.
    pub notes: Vec<Diagnostic>,
}

/// A criterion with the place it came from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CriterionText {
    /// The label its author wrote, else `AC-001` by position.
    pub id: String,
    /// The author's text, without bullet and check box.
    pub text: String,
    /// Its lines; in front matter that does not have one dash for each item, those of the whole field.
    pub lines: LineRange,
}

const SECTION: &str = "acceptance criteria";
const FIELD: &str = "acceptance_criteria";

/// Reads a task document.
///
/// # Errors
/// The fault of the document or its front matter, `empty_criteria` for none or a blank one,
/// `duplicate_id` for one id twice; each with its line.
pub fn parse(text: &str) -> Result<TaskDocument> {
    let document = document::read(text)?;
    let front = Fields::new(&document.front, "");
    let mut notes = document.notes.clone();
    let raw = match front.get(FIELD) {
        Some(value) => in_front(value, &document, text, &mut notes)?,
        None => in_section(&document, &mut notes)?,
    };
    let first = document.headings.iter().find(|heading| heading.level == 1);
    Ok(TaskDocument {
        id: front.text("id")?.map(|id| id.trim().to_owned()),
        title: front.text("title")?.or_else(|| first.map(|heading| bare_title(&heading.text))),
        criteria: identified(raw)?,
        test_command: test_command(&front)?,
        notes,
    })
}

/// A criterion before it has an id.
struct Raw {
    id: Option<String>,
    text: String,
    lines: LineRange,
}

fn bare_title(heading: &str) -> String {
    let tail = heading.get(..5).filter(|head| head.eq_ignore_ascii_case("task:"));
    tail.map_or(heading, |_| &heading[5..]).trim().to_owned()
}

fn note(code: Code, line: u32, expected: &str, got: &str) -> Diagnostic {
    Error::new(code, format!("line {line}"), expected, got).diagnostic()
}

fn in_section(document: &Document, notes: &mut Vec<Diagnostic>) -> Result<Vec<Raw>> {
    let places = document.headed(SECTION);
    let section = places.first().and_then(|place| document.section(*place));
    let Some(lines) = section else {
        let expected = "a section \"Acceptance Criteria\", or the field in front matter";
        return Err(Error::new(Code::EmptyCriteria, FIELD, expected, "neither"));
    };
    for again in places.iter().skip(1).filter_map(|place| document.headings.get(*place)) {
        let expected = "one section \"Acceptance Criteria\"";
        notes.push(note(Code::Overlooked, again.lines.first, expected, "another, left unread"));
    }
    let items = document.items_in(lines);
    let raw: Vec<Raw> = items
        .map(|item| Raw { id: None, text: unboxed(&item.text).0.to_owned(), lines: item.lines })
        .collect();
    match raw.is_empty() {
        false => Ok(raw),
        true => {
            let at = format!("line {}", lines.first.saturating_sub(1));
            Err(Error::new(Code::EmptyCriteria, at, "a list of criteria", "no list item"))
        }
    }
}

fn in_front(
    value: &Value,
    document: &Document,
    text: &str,
    notes: &mut Vec<Diagnostic>,
) -> Result<Vec<Raw>> {
    let lines = field_lines(text, document.front_lines);
    let within = |error: Error| {
        let at = format!("line {}, {}", lines.first, error.at);
        Error { at, ..error }
    };
    let Value::Array(list) = value else {
        return Err(within(Error::new(Code::WrongType, FIELD, "a list", kind(value))));
    };
    if list.is_empty() {
        return Err(within(Error::new(Code::EmptyCriteria, FIELD, "at least one", "none")));
    }
    for place in document.headed(SECTION) {
        let line = document.headings[place].lines.first;
        let expected = "criteria in one place";
        notes.push(note(Code::Overlooked, line, expected, "a section beside the front matter"));
    }
    let own = item_lines(text, lines);
    // Where items cannot be told apart by their lines, each has those of the field.
    let range = |place: usize| match own.len() == list.len() {
        true => own.get(place).copied().unwrap_or(lines),
        false => lines,
    };
    let each = list.iter().enumerate();
    each.map(|(place, one)| {
        let at = format!("{FIELD}[{place}]");
        let (id, text) = front_item(one, &at).map_err(within)?;
        Ok(Raw { id, text, lines: range(place) })
    })
    .collect()
}

/// The lines of each item of a list that is written with a dash an item.
fn item_lines(text: &str, field: LineRange) -> Vec<LineRange> {
    let numbered = (1..).zip(text.lines()).filter(|(line, _)| {
        // The first is the field's name.
        *line > field.first && *line <= field.last
    });
    let dashed = numbered.filter_map(|(line, text): (_, &str)| {
        let bare = text.trim_start();
        (bare == "-" || bare.starts_with("- ")).then_some((line, text.len() - bare.len()))
    });
    let dashed: Vec<_> = dashed.collect();
    let outer = dashed.iter().map(|(_, indent)| *indent).min();
    let starts: Vec<_> = dashed
        .into_iter()
        .filter(|(_, indent)| Some(*indent) == outer)
        .map(|(line, _)| line)
        .collect();
    let ends = starts.iter().skip(1).map(|next| next - 1).chain([field.last]);
    starts.iter().zip(ends).map(|(first, last)| LineRange { first: *first, last }).collect()
}

/// A text, or a mapping of an id and a text.
fn front_item(value: &Value, at: &str) -> Result<(Option<String>, String)> {
    if !value.is_object() {
        let one = texts(&Value::Array(vec![value.clone()]), at);
        let text = one.map_err(|error| Error { at: at.to_owned(), ..error })?.concat();
        return Ok((None, bare(&text).to_owned()));
    }
    let fields = Fields::of(value, at)?;
    let id = match fields.text("id")? {
        Some(id) => Some(id),
        None => fields.text("criterion_id")?,
    };
    for name in ["criterion", "text", "description"] {
        if let Some(text) = fields.text(name)? {
            return Ok((id.map(|id| id.trim().to_owned()), bare(&text).to_owned()));
        }
    }
    let expected = "field `criterion`, `text` or `description`";
    Err(Error::new(Code::MissingField, at, expected, "none of them"))
}

/// A criterion without bullet and check box.
pub fn bare(text: &str) -> &str {
    unboxed(unmarked(text.trim())).0.trim_end()
}

/// The lines of the field in the front matter.
fn field_lines(text: &str, front: Option<LineRange>) -> LineRange {
    let all = front.unwrap_or(LineRange { first: 1, last: 1 });
    let lines = (1..all.last).zip(text.lines());
    let mut of_field = lines
        .skip_while(|(_, line)| !line.trim_start_matches(['"', '\'']).starts_with(FIELD))
        .enumerate()
        .take_while(|(place, (_, line))| {
            *place == 0 || line.is_empty() || line.starts_with([' ', '\t', '-', '#', '\r'])
        })
        .filter(|(_, (_, line))| !line.trim().is_empty())
        .map(|(_, (number, _))| number);
    match of_field.next() {
        Some(first) => LineRange { first, last: of_field.last().unwrap_or(first) },
        None => all,
    }
}

fn identified(raw: Vec<Raw>) -> Result<Vec<CriterionText>> {
    let mut taken: BTreeMap<String, u32> = BTreeMap::new();
    let mut criteria = Vec::with_capacity(raw.len());
    for (place, one) in raw.into_iter().enumerate() {
        let at = format!("line {}, criterion {}", one.lines.first, place + 1);
        ensure!(
            !one.text.trim().is_empty(),
            Code::EmptyCriteria,
            &at,
            "a condition",
            "blank text"
        )?;
        let id = one.id.or_else(|| label(&one.text));
        let id = id.unwrap_or_else(|| format!("AC-{:03}", place + 1));
        if let Some(line) = taken.insert(id.clone(), one.lines.first) {
            let got = format!("`{id}`, as in line {line}");
            return Err(Error::new(Code::DuplicateId, at, "an id of its own", got));
        }
        criteria.push(CriterionText { id, text: one.text, lines: one.lines });
    }
    Ok(criteria)
}

fn test_command(front: &Fields<'_>) -> Result<Option<Vec<String>>> {
    match front.get("test_command") {
        None => Ok(None),
        Some(Value::Array(_)) => {
            let argv = front.texts("test_command")?;
            match argv.first().is_some_and(|program| !program.trim().is_empty()) {
                true => Ok(Some(argv)),
                false => {
                    let expected = "a program and its arguments";
                    Err(Error::new(Code::InvalidValue, "test_command", expected, "no program"))
                }
            }
        }
        Some(_) => {
            let script = front.text("test_command")?;
            Ok(script.map(|script| vec!["sh".to_owned(), "-c".to_owned(), script]))
        }
    }
}

#[cfg(test)]
#[path = "task_tests.rs"]
mod tests;
