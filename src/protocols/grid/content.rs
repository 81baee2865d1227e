//! A planner may put a whole plan document into `content`: its front matter is read like that of a file. It counts
//! for each typed field that is absent; if both are given, they must agree.

use super::plan::{Front, tagged};
use super::report::Planned;
use crate::mission::prelude::*;
use crate::plan::{document, yaml};
use crate::vocab::json;
use serde_json::{Map, Value};

/// A plan with the fields of its content added to its typed fields.
///
/// # Errors
/// `invalid_value` for a field that belongs into the front matter and was given outside it; front matter that
/// cannot be read, with its line; `inconsistent_plan` if it disagrees with a typed field; `missing_field` for a plan
/// that has neither an objective nor must-haves.
pub(super) fn whole(one: &Planned) -> Result<Planned> {
    let names: Vec<&str> = one.misplaced().collect();
    if let Some(first) = names.first() {
        let expected = format!("{} in `frontmatter`", names.join(", "));
        let got = "beside it, where nobody reads it";
        return Err(Error::new(Code::InvalidValue, *first, expected, got));
    }
    let mut made = one.clone();
    if let Some((front, body)) = front_of(&one.content).map_err(|error| error.within("content"))? {
        made.frontmatter = merged(one, front)?;
        made.content = body;
    }
    let said = |text: &Option<String>| text.iter().any(|text| !text.trim().is_empty());
    if !said(&made.objective) {
        let tagged = tagged(&made.content, "objective").map(one_line);
        made.objective = tagged.filter(|text| !text.is_empty());
    }
    let must = made.frontmatter.must_haves.clone().unwrap_or_default();
    let asks = !must.are_none();
    let closes = !(made.closes.is_empty() && made.frontmatter.closes.is_empty());
    match said(&made.objective) || asks || closes {
        true => Ok(made),
        false => {
            let expected = "what the plan is for, or must-haves in `frontmatter`";
            Err(Error::new(Code::MissingField, "objective", expected, "neither"))
        }
    }
}

/// The front matter that a content begins with, and what follows it. A line of strokes before text is a line of strokes.
fn front_of(content: &str) -> Result<Option<(Map<String, Value>, String)>> {
    let text = content.trim_start();
    let mut lines = text.lines();
    let opens = lines.next().is_some_and(|line| line.trim_end() == "---");
    let field = |line: &str| {
        let name = line.split(':').next().unwrap_or_default();
        let word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
        line.contains(':') && !name.is_empty() && name.chars().all(word)
    };
    if !opens || !lines.find(|line| !line.trim().is_empty()).is_some_and(field) {
        return Ok(None);
    }
    document::read(text)?;
    let (front, body) = document::split(text)?;
    Ok(Some((yaml::written(front.unwrap_or_default(), 2)?, body.to_owned())))
}

/// The fields of both, each once.
fn merged(one: &Planned, mut content: Map<String, Value>) -> Result<Front> {
    let typed = fields(&one.frontmatter)?;
    // As the front matter of a document words them.
    let beside = [
        ("phase", one.phase.clone().map(Value::String)),
        ("depends_on", Some(list(&one.depends_on))),
        ("files_modified", Some(list(&one.files_modified))),
        ("autonomous", one.autonomous.map(Value::Bool)),
        ("closes", Some(list(&one.closes))),
    ];
    let plain = |front: Map<String, Value>| -> Result<Map<String, Value>> {
        let front: Front = json::decode(&json::encode(&Value::Object(front)))?;
        fields(&front)
    };
    content.retain(|_, value| !value.is_null());
    let read = plain(content).map_err(|error| error.within("content: front matter"))?;
    let said = typed.iter().map(|(name, value)| (name.as_str(), value.clone()));
    let beside = beside.into_iter().filter_map(|(name, value)| Some((name, value?)));
    for (name, value) in said.chain(beside).filter(|(_, value)| says(value)) {
        // The number in its phase and the type are no words on what the plan is; of waves dependencies decide.
        let counts = !["plan", "type", "wave"].contains(&name);
        let other = read.get(name).filter(|other| says(other) && counts);
        if let Some(other) = other.filter(|other| !same(other, &value)) {
            let short = |value: &Value| clip(&one_line(&value.to_string()), 200);
            let expected = format!("as the typed field says: {}", short(&value));
            let at = format!("content: front matter.{name}");
            return Err(Error::new(Code::InconsistentPlan, at, expected, short(other)));
        }
    }
    let mut all = read;
    all.extend(typed.into_iter().filter(|(_, value)| says(value)));
    json::decode(&json::encode(&Value::Object(all)))
}

fn fields(front: &Front) -> Result<Map<String, Value>> {
    json::decode(&json::encode(front))
}

fn list(words: &[String]) -> Value {
    Value::Array(words.iter().cloned().map(Value::String).collect())
}

/// Whether a value says anything: must-haves without one do not.
fn says(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::String(text) => !text.trim().is_empty(),
        Value::Array(items) => !items.is_empty(),
        Value::Object(fields) => fields.values().any(says),
        Value::Bool(_) | Value::Number(_) => true,
    }
}

/// Whether two values say the same: the order of plans and files is none of theirs.
fn same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().all(|item| other.contains(item))
        }
        _ => one == other,
    }
}
