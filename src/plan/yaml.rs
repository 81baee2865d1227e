//! YAML of other people, as plain values: bounded, and with the line of what is wrong.
//!
//! What the file means is read from the values by those who know; [`Fields`] names the place of each
//! fault as a path.

use crate::vocab::error::{Code, Error, Result};
use serde::de::{Deserialize, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};
use serde_saphyr::options::{DuplicateKeyPolicy, NonFiniteFloatPolicy};

/// The longest YAML that is read, in bytes.
pub const MOST_YAML: usize = 256 * 1024;

/// A mapping. `first_line` is the line of the file that the text begins at, for messages.
///
/// # Errors
/// `too_large`, `invalid_value` for a NUL byte, `duplicate_field`, `too_deep`, `syntax`, or
/// `wrong_type` if it is no mapping; each with its line.
pub fn mapping(text: &str, first_line: u32) -> Result<Map<String, Value>> {
    within(text, first_line, true)
}

/// `finite`: a number beyond all bounds is refused rather than passed over.
fn within(text: &str, first_line: u32, finite: bool) -> Result<Map<String, Value>> {
    if text.len() > MOST_YAML {
        let expected = format!("at most {MOST_YAML} bytes of YAML");
        let got = format!("{} bytes", text.len());
        return Err(Error::new(Code::TooLarge, format!("line {first_line}"), expected, got));
    }
    no_nul(text, first_line)?;
    if text.trim().is_empty() {
        return Ok(Map::new());
    }
    let read = serde_saphyr::from_str_with_options::<Value>(text, options(finite));
    match read.map_err(|error| explain(&error, first_line))? {
        Value::Object(fields) => Ok(fields),
        Value::Null => Ok(Map::new()),
        other => {
            let at = format!("line {first_line}");
            Err(Error::new(Code::WrongType, at, "a mapping of fields", kind(&other)))
        }
    }
}

fn options(finite: bool) -> serde_saphyr::Options {
    serde_saphyr::options! {
        budget: serde_saphyr::budget! {
            max_depth: 32, max_aliases: 64, max_anchors: 64, max_documents: 1,
        },
        alias_limits: serde_saphyr::alias_limits! { max_total_replayed_events: 10_000 },
        duplicate_keys: DuplicateKeyPolicy::Error,
        non_finite_float_policy: match finite {
            true => NonFiniteFloatPolicy::Reject,
            false => NonFiniteFloatPolicy::PassThrough,
        },
        with_snippet: false,
    }
}

/// A mapping in which a scalar that would be worded anew as a number or a flag stays the text it was
/// written as: `01`, `1.10`, `12e4567` and `yes` are texts, `7` and `true` are what they seem.
///
/// # Errors
/// As [`mapping`].
pub fn written(text: &str, first_line: u32) -> Result<Map<String, Value>> {
    let shape = within(text, first_line, false)?;
    if shape.is_empty() {
        return Ok(shape);
    }
    let shape = Value::Object(shape);
    let read =
        serde_saphyr::with_deserializer_from_str_with_options(text, options(false), |reader| {
            Written(&shape).deserialize(reader)
        });
    match read.map_err(|error| explain(&error, first_line))? {
        Value::Object(fields) => Ok(fields),
        other => Err(Error::new(
            Code::WrongType,
            format!("line {first_line}"),
            "a mapping of fields",
            kind(&other),
        )),
    }
}

/// Reads a value again in the shape it was found to have, scalars as they are written.
struct Written<'a>(&'a Value);

impl<'de> DeserializeSeed<'de> for Written<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> std::result::Result<Value, D::Error> {
        match self.0 {
            Value::Object(_) => reader.deserialize_map(self),
            Value::Array(_) => reader.deserialize_seq(self),
            // A number beyond all bounds is nothing in JSON, but was written.
            Value::Null => {
                Ok(Option::<String>::deserialize(reader)?.map_or(Value::Null, Value::String))
            }
            known => {
                let text = String::deserialize(reader)?;
                let shown = known.to_string();
                let same = known.is_string() || shown == text;
                Ok(if same { known.clone() } else { Value::String(text) })
            }
        }
    }
}

impl<'de> Visitor<'de> for Written<'_> {
    type Value = Value;

    fn expecting(&self, words: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        words.write_str("the value that was read before")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> std::result::Result<Value, A::Error> {
        let mut fields = Map::new();
        while let Some(name) = map.next_key::<String>()? {
            let shape = self.0.get(&name).unwrap_or(&Value::Null);
            let value = map.next_value_seed(Written(shape))?;
            fields.insert(name, value);
        }
        Ok(Value::Object(fields))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> std::result::Result<Value, A::Error> {
        let mut items = Vec::new();
        loop {
            let shape = self.0.get(items.len()).unwrap_or(&Value::Null);
            match list.next_element_seed(Written(shape))? {
                Some(item) => items.push(item),
                None => return Ok(Value::Array(items)),
            }
        }
    }
}

/// Refuses a NUL byte, which no text has.
///
/// # Errors
/// `invalid_value` with the line.
pub fn no_nul(text: &str, first_line: u32) -> Result<()> {
    match text.split('\0').next() {
        Some(before) if before.len() < text.len() => {
            let line = count(before.matches('\n').count()).saturating_add(first_line);
            Err(Error::new(Code::InvalidValue, format!("line {line}"), "text", "a NUL byte"))
        }
        _ => Ok(()),
    }
}

pub(crate) fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

fn explain(error: &serde_saphyr::Error, first_line: u32) -> Error {
    let error = error.without_snippet();
    let place = |line: u64| u32::try_from(line).unwrap_or(1).saturating_sub(1);
    let at = error.location().map(|location| {
        let line = place(location.line()).saturating_add(first_line);
        format!("line {line} column {}", location.column())
    });
    let at = at.unwrap_or_else(|| format!("line {first_line}"));
    match error {
        serde_saphyr::Error::DuplicateMappingKey { key, .. } => {
            let key = key.as_deref().unwrap_or("?");
            Error::new(Code::DuplicateField, at, "each field once", format!("field `{key}` twice"))
        }
        serde_saphyr::Error::Budget { breach, .. } => {
            Error::new(Code::TooDeep, at, "YAML within the limits", format!("{breach:?}"))
        }
        other => {
            // Its own line is that of the text it was given, not that of the document.
            let words = other.to_string();
            let words = words.rsplit_once(" at line ").map_or(words.as_str(), |(words, _)| words);
            Error::new(Code::Syntax, at, "YAML", words.trim())
        }
    }
}

/// What a value is, in words, with the value if it is short.
pub fn kind(value: &Value) -> String {
    match value {
        Value::Null => "nothing".to_owned(),
        Value::Object(_) => "a mapping".to_owned(),
        Value::Array(_) => "a list".to_owned(),
        Value::Bool(word) => format!("`{word}`"),
        Value::Number(number) => format!("the number {number}"),
        Value::String(text) => format!("`{text}`"),
    }
}

/// The fields of a mapping, read with the path they are at. Absent and `null` are the same.
#[derive(Clone, Copy, Debug)]
pub struct Fields<'a> {
    fields: &'a Map<String, Value>,
    at: &'a str,
}

impl<'a> Fields<'a> {
    /// The fields of a mapping that lies at `at`.
    pub fn new(fields: &'a Map<String, Value>, at: &'a str) -> Self {
        Fields { fields, at }
    }

    /// The fields of `value`, which must be a mapping.
    ///
    /// # Errors
    /// `wrong_type`.
    pub fn of(value: &'a Value, at: &'a str) -> Result<Self> {
        match value {
            Value::Object(fields) => Ok(Fields { fields, at }),
            other => Err(Error::new(Code::WrongType, at, "a mapping", kind(other))),
        }
    }

    /// The path of a field.
    pub fn path(&self, name: &str) -> String {
        match self.at {
            "" => name.to_owned(),
            at => format!("{at}.{name}"),
        }
    }

    /// The value of a field.
    pub fn get(&self, name: &str) -> Option<&'a Value> {
        self.fields.get(name).filter(|value| !value.is_null())
    }

    /// A text. Whole numbers are taken as they are written; others must be quoted, for a reader
    /// would round them.
    ///
    /// # Errors
    /// `wrong_type`, or `invalid_value` if it is blank.
    pub fn text(&self, name: &str) -> Result<Option<String>> {
        let Some(value) = self.get(name) else { return Ok(None) };
        let text = as_text(value, || self.path(name))?;
        if text.trim().is_empty() {
            return Err(Error::new(Code::InvalidValue, self.path(name), "words", "blank text"));
        }
        Ok(Some(text))
    }

    /// A text that must be there.
    ///
    /// # Errors
    /// `missing_field`, or as [`Fields::text`].
    pub fn required(&self, name: &str) -> Result<String> {
        let missing = || {
            let expected = format!("field `{name}`");
            Error::new(Code::MissingField, self.path(name), expected, "no such field")
        };
        self.text(name)?.ok_or_else(missing)
    }

    /// A list of texts; none if it is absent.
    ///
    /// # Errors
    /// `wrong_type`, with the place in the list.
    pub fn texts(&self, name: &str) -> Result<Vec<String>> {
        let Some(value) = self.get(name) else { return Ok(Vec::new()) };
        texts(value, &self.path(name))
    }

    /// A whole number from `least` to `most`.
    ///
    /// # Errors
    /// `wrong_type` or `number_out_of_range`.
    pub fn number(&self, name: &str, least: i64, most: i64) -> Result<Option<i64>> {
        let Some(value) = self.get(name) else { return Ok(None) };
        number(value, &self.path(name), least, most).map(Some)
    }

    /// The names of fields that are not among `known`, in alphabetical order.
    pub fn others(&self, known: &[&str]) -> impl Iterator<Item = String> {
        let unknown = self.fields.keys().filter(|name| !known.contains(&name.as_str()));
        unknown.map(|name| self.path(name)).collect::<Vec<_>>().into_iter()
    }
}

/// A list of texts.
///
/// # Errors
/// `wrong_type`, with the place in the list.
pub fn texts(value: &Value, at: &str) -> Result<Vec<String>> {
    let Value::Array(list) = value else {
        return Err(Error::new(Code::WrongType, at, "a list", kind(value)));
    };
    let each = list.iter().enumerate();
    each.map(|(place, one)| as_text(one, || format!("{at}[{place}]"))).collect()
}

/// A whole number from `least` to `most`.
///
/// # Errors
/// `wrong_type` or `number_out_of_range`.
pub fn number(value: &Value, at: &str, least: i64, most: i64) -> Result<i64> {
    let expected = || format!("a whole number from {least} to {most}");
    if !value.is_number() {
        return Err(Error::new(Code::WrongType, at, expected(), kind(value)));
    }
    let within = value.as_i64().filter(|number| (least..=most).contains(number));
    within.ok_or_else(|| Error::new(Code::NumberOutOfRange, at, expected(), kind(value)))
}

fn as_text(value: &Value, at: impl Fn() -> String) -> Result<String> {
    match value {
        Value::String(text) => Ok(text.clone()),
        Value::Number(number) if number.is_i64() || number.is_u64() => Ok(number.to_string()),
        Value::Number(_) | Value::Bool(_) => {
            Err(Error::new(Code::WrongType, at(), "a text (quote it)", kind(value)))
        }
        Value::Null | Value::Array(_) | Value::Object(_) => {
            Err(Error::new(Code::WrongType, at(), "a text", kind(value)))
        }
    }
}
