//! Field by field: an object of the files, how strictly it is read, and what was noted on the way.

use super::words::Word;
use crate::vocab::error::{Code, Diagnostic, Error, Result, clip};
use crate::vocab::json::{MOST_INTEGER, RawObject, decode_unguarded, out_of_range};
use crate::vocab::time::parse_rfc3339;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// How strictly a file is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Every fault refuses the file.
    #[default]
    Strict,
    /// What the seed's own verifier does not look at becomes a note with code `overlooked`.
    Lenient,
}

impl Mode {
    /// Refuses, or says what is overlooked.
    ///
    /// # Errors
    /// `error`, in strict mode.
    pub fn weigh(self, error: Error, notes: &mut Vec<Diagnostic>) -> Result<()> {
        match self {
            Mode::Strict => Err(error),
            Mode::Lenient => {
                let got = format!("{} ({})", error.got, error.code);
                let note = Error::new(Code::Overlooked, error.at, error.expected, got);
                notes.push(note.diagnostic());
                Ok(())
            }
        }
    }
}

/// A value that was read, and what is worth saying about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading<T> {
    /// What was read.
    pub value: T,
    /// Unknown fields and, in lenient mode, what was overlooked.
    pub notes: Vec<Diagnostic>,
}

/// A field that the seed does not have, kept as it was written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "Unchecked", deny_unknown_fields)]
pub struct Extra {
    name: String,
    raw: String,
}

/// A field that the seed does not have, as it was written.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Extra")]
struct Unchecked {
    /// The field's name.
    name: String,
    /// The field's value, as JSON text.
    raw: String,
}

impl TryFrom<Unchecked> for Extra {
    type Error = Error;
    fn try_from(extra: Unchecked) -> Result<Self> {
        Extra::new(extra.name, extra.raw)
    }
}

impl Extra {
    /// A field of this name whose value is the JSON text `raw`.
    ///
    /// # Errors
    /// If `raw` is not one JSON value without space around it.
    pub fn new(name: impl Into<String>, raw: impl Into<String>) -> Result<Self> {
        let (name, raw) = (name.into(), raw.into());
        crate::vocab::json::guard_shape(&raw).map_err(|error| error.within(&name))?;
        match serde_json::from_str::<&RawValue>(&raw) {
            Ok(value) if value.get() == raw => Ok(Extra { name, raw }),
            _ => Err(Error::new(Code::Syntax, name, "one JSON value", raw)),
        }
    }

    /// The field's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The field's value as it was written.
    pub fn raw(&self) -> &str {
        &self.raw
    }

    /// The field's value as a `T`.
    ///
    /// # Errors
    /// Kind `malformed`, placed at the field.
    pub fn read<T: DeserializeOwned>(&self) -> Result<T> {
        let read = crate::vocab::json::guard(&self.raw).and_then(|()| decode_unguarded(&self.raw));
        read.map_err(|error| error.within(&self.name))
    }
}

/// The extra of this name, if there is one.
pub(super) fn extra<'a>(extras: &'a [Extra], name: &str) -> Option<&'a Extra> {
    extras.iter().find(|extra| extra.name == name)
}

/// One object being read.
pub(super) struct Fields {
    object: RawObject,
    mode: Mode,
    notes: Vec<Diagnostic>,
}

impl Fields {
    /// Any object.
    pub(super) fn object(text: &str, mode: Mode) -> Result<Self> {
        Ok(Fields { object: RawObject::read(text)?, mode, notes: Vec::new() })
    }

    /// An object that says `schema_version` 1.
    pub(super) fn file(text: &str, mode: Mode) -> Result<Self> {
        let fields = Fields::object(text, mode)?;
        match fields.integer("schema_version")? {
            1 => Ok(fields),
            other => Err(Error::new(Code::UnknownFormat, "schema_version", "1", other.to_string())),
        }
    }

    /// Whether the field is there and not `null`.
    pub(super) fn present(&self, name: &str) -> bool {
        self.object.raw(name).is_some_and(|raw| raw != "null")
    }

    /// A field of any type that serde reads alike everywhere.
    pub(super) fn field<T: DeserializeOwned>(&self, name: &str) -> Result<T> {
        self.object.field(name)
    }

    /// A text that says something.
    pub(super) fn said(&self, name: &str) -> Result<String> {
        let text: String = self.field(name)?;
        match text.trim().is_empty() {
            true => Err(Error::new(Code::InvalidValue, name, "a text that is not blank", text)),
            false => Ok(text),
        }
    }

    /// A text or `null`.
    pub(super) fn text_or_null(&self, name: &str) -> Result<Option<String>> {
        self.field(name)
    }

    /// A list of texts.
    pub(super) fn texts(&self, name: &str) -> Result<Vec<String>> {
        self.field(name)
    }

    /// A list whose members stay raw text.
    pub(super) fn raws(&self, name: &str) -> Result<Vec<Box<RawValue>>> {
        match self.object.raw(name) {
            // Not through `field`, which would refuse numbers inside unknown fields.
            Some(raw) if raw.starts_with('[') => decode_unguarded(raw),
            _ => self.field(name),
        }
    }

    /// An RFC 3339 time or `null`, kept as it is written.
    pub(super) fn time_or_null(&mut self, name: &str) -> Result<Option<String>> {
        let text = self.text_or_null(name)?;
        if let Some(Err(error)) = text.as_deref().map(parse_rfc3339) {
            self.weigh(error.within(name))?;
        }
        Ok(text)
    }

    /// An integer that every reader keeps exactly.
    pub(super) fn integer(&self, name: &str) -> Result<i64> {
        let missing =
            || Error::new(Code::MissingField, name, format!("field `{name}`"), "no such field");
        integer(self.object.raw(name).ok_or_else(missing)?, name)
    }

    /// A count from nothing on.
    pub(super) fn count(&self, name: &str) -> Result<u64> {
        let value = self.integer(name)?;
        u64::try_from(value).map_err(|_| {
            Error::new(Code::NumberOutOfRange, name, "a count from 0 on", value.to_string())
        })
    }

    /// A count or `null`.
    pub(super) fn count_or_null(&self, name: &str) -> Result<Option<u64>> {
        match self.object.raw(name) {
            Some("null") => Ok(None),
            _ => self.count(name).map(Some),
        }
    }

    /// One of the words of a list.
    pub(super) fn word<W: Word>(&self, name: &str) -> Result<W> {
        let text: String = self.field(name).map_err(|mut error| {
            error.expected = W::choices();
            error
        })?;
        W::parse(&text)
            .ok_or_else(|| Error::new(Code::UnknownValue, name, W::choices(), format!("`{text}`")))
    }

    /// One of the words of a list, or `null`.
    pub(super) fn word_or_null<W: Word>(&self, name: &str) -> Result<Option<W>> {
        match self.object.raw(name) {
            Some("null") => Ok(None),
            _ => self.word(name).map(Some),
        }
    }

    /// Refuses, or notes what is overlooked.
    pub(super) fn weigh(&mut self, error: Error) -> Result<()> {
        self.mode.weigh(error, &mut self.notes)
    }

    /// Takes over the notes of an inner object.
    pub(super) fn note_all(&mut self, place: &str, notes: Vec<Diagnostic>) {
        self.notes.extend(notes.into_iter().map(|mut note| {
            note.at = format!("{place}.{}", note.at);
            note
        }));
    }

    /// What is neither of the seed's nor of the later peer's fields gets a note; all but the
    /// seed's are kept.
    pub(super) fn extras(&mut self, seed: &[&str], peer: &[&str]) -> Result<Vec<Extra>> {
        let others = self.object.others(seed);
        for (name, _) in others.iter().filter(|(name, _)| !peer.contains(&name.as_str())) {
            let got = format!("field `{name}`, kept as it is");
            let note = Error::new(Code::UnknownField, name, "a known field", got);
            self.notes.push(note.diagnostic());
        }
        others.into_iter().map(|(name, raw)| Extra::new(name, raw)).collect()
    }

    /// The value with everything noted.
    pub(super) fn reading<T>(self, value: T) -> Reading<T> {
        Reading { value, notes: self.notes }
    }
}

/// The JSON text `raw` as an integer.
fn integer(raw: &str, at: &str) -> Result<i64> {
    let digits = raw.strip_prefix('-').unwrap_or(raw);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(Error::new(Code::WrongType, at, "an integer", clip(raw, 80)));
    }
    match raw.parse::<i64>() {
        Ok(value) if value.unsigned_abs() <= MOST_INTEGER => Ok(value),
        _ => Err(out_of_range(at, raw)),
    }
}
