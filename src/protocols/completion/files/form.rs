//! The object of a machine file, between the disk and its type.
//!
//! On disk the fields of others stand among the seed's. In memory they are in `extra`, as they were
//! written: [`read`] moves them there, [`render`] and [`line`] move them back. Everything else is
//! serde's: the type of a file says which fields it has and what each of them may hold.

use super::fields::{Extra, Mode, Reading};
use crate::vocab::error::{Code, Diagnostic, Error, Result};
use crate::vocab::json::{RawObject, decode_unguarded, encode};
use serde::de::DeserializeOwned;
use serde::ser::{Error as _, SerializeMap};
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

/// A type that is an object on disk.
pub(super) trait OnDisk: Serialize + DeserializeOwned + PartialEq {
    /// Its form there.
    const FORM: &'static Form;

    /// What the types of the fields do not say. In lenient mode some of it becomes a note.
    ///
    /// # Errors
    /// Kind `malformed`, placed at the field.
    fn check(&self, found: &mut Found) -> Result<()>;
}

/// What a type does not say of its object on disk.
pub(super) struct Form {
    /// Its fields in the seed's order.
    pub(super) fields: &'static [&'static str],
    /// Those of them that always hold the same text.
    pub(super) constants: &'static [(&'static str, &'static str)],
    /// What is read in place of a field that is absent or `null`, where it may be.
    pub(super) absent: fn(&RawObject) -> &'static [(&'static str, &'static str)],
    /// A field that lists objects, and their form.
    pub(super) members: Option<(&'static str, &'static Form)>,
    /// Fields of the later peer, kept without a note.
    pub(super) peer: &'static [&'static str],
}

/// The field of every file that is 1.
const VERSION: &str = "schema_version";

impl Form {
    /// An object with these fields and nothing particular.
    pub(super) const fn of(fields: &'static [&'static str], peer: &'static [&'static str]) -> Self {
        Form { fields, constants: &[], absent: |_| &[], members: None, peer }
    }

    /// What the field always holds, if it does.
    fn constant(&self, name: &str) -> Option<Value> {
        let text = self.constants.iter().find(|(known, _)| *known == name);
        match (name, text) {
            (VERSION, _) => Some(Value::from(1)),
            (_, text) => text.map(|(_, text)| Value::from(*text)),
        }
    }

    fn members(&self, name: &str) -> Option<&'static Form> {
        self.members.filter(|(known, _)| *known == name).map(|(_, form)| form)
    }
}

/// Reads an object.
///
/// # Errors
/// Kind `malformed`, placed at the field.
pub(super) fn read<T: OnDisk>(text: &str, mode: Mode) -> Result<Reading<T>> {
    let mut found = Found::new(mode);
    let object = gathered(T::FORM, text, &mut found)?;
    let value = match (decode_unguarded::<T>(&object), found.missing.take()) {
        // A type may take an absent field for `null`.
        (Ok(_), Some(missing)) => return Err(missing),
        (Err(fault), Some(missing)) if fault.code == Code::MissingField => return Err(missing),
        (value, _) => value?,
    };
    value.check(&mut found)?;
    Ok(Reading { value, notes: found.notes })
}

/// What is found in an object while it is read.
pub(super) struct Found {
    mode: Mode,
    /// Unknown fields and, in lenient mode, what is overlooked.
    notes: Vec<Diagnostic>,
    /// The first field that is absent.
    missing: Option<Error>,
}

impl Found {
    fn new(mode: Mode) -> Self {
        Found { mode, notes: Vec::new(), missing: None }
    }

    /// Refuses, or notes what is overlooked.
    pub(super) fn weigh(&mut self, error: Error) -> Result<()> {
        self.mode.weigh(error, &mut self.notes)
    }

    /// What is found in a part of the object, placed there.
    pub(super) fn within<T>(
        &mut self,
        place: &str,
        look: impl FnOnce(&mut Found) -> Result<T>,
    ) -> Result<T> {
        let mut inner = Found::new(self.mode);
        let value = look(&mut inner).map_err(|error| error.within(place))?;
        let at = |note: &Diagnostic| format!("{place}.{}", note.at);
        self.notes.extend(inner.notes.into_iter().map(|note| Diagnostic { at: at(&note), ..note }));
        self.missing = self.missing.take().or(inner.missing.map(|error| error.within(place)));
        Ok(value)
    }
}

/// The object in the form its type reads: the fields of others in `extra`.
fn gathered(form: &Form, text: &str, found: &mut Found) -> Result<String> {
    let object = RawObject::read(text)?;
    constants(form, &object)?;
    let absent = (form.absent)(&object);
    let mut fields = Vec::with_capacity(form.fields.len());
    for name in form.fields.iter().filter(|name| form.constant(name).is_none()) {
        let instead = absent.iter().find(|(known, _)| known == name);
        let value = match (object.raw(name), instead) {
            (None | Some("null"), Some((_, instead))) => (*instead).to_owned(),
            (Some(raw), _) => value(form, &object, name, raw, found)?,
            (None, None) => {
                found.missing = found.missing.take().or(field::<Value>(&object, name).err());
                continue;
            }
        };
        fields.push(format!("{}:{value}", encode(name)));
    }
    fields.push(format!("\"extra\":{}", encode(&extras(form, &object, found)?)));
    Ok(format!("{{{}}}", fields.join(",")))
}

fn value(
    form: &Form,
    object: &RawObject,
    name: &str,
    raw: &str,
    found: &mut Found,
) -> Result<String> {
    let Some(form) = form.members(name).filter(|_| raw.starts_with('[')) else {
        let checked: Box<RawValue> = field(object, name)?;
        return Ok(checked.get().to_owned());
    };
    // Not through `field`, which would refuse numbers inside unknown fields.
    let members: Vec<Box<RawValue>> = decode_unguarded(raw)?;
    let members = members.iter().enumerate().map(|(position, member)| {
        let place = format!("{name}[{position}]");
        found.within(&place, |found| gathered(form, member.get(), found))
    });
    Ok(format!("[{}]", members.collect::<Result<Vec<_>>>()?.join(",")))
}

/// The fields of others. What the later peer does not know either gets a note.
fn extras(form: &Form, object: &RawObject, found: &mut Found) -> Result<Vec<Extra>> {
    let others = object.others(form.fields);
    for (name, _) in others.iter().filter(|(name, _)| !form.peer.contains(&name.as_str())) {
        let got = format!("field `{name}`, kept as it is");
        let note = Error::new(Code::UnknownField, name, "a known field", got);
        found.notes.push(note.diagnostic());
    }
    others.into_iter().map(|(name, raw)| Extra::new(name, raw)).collect()
}

/// A field as a `T`; a number that some readers would round is placed at the field, too.
fn field<T: DeserializeOwned>(object: &RawObject, name: &str) -> Result<T> {
    object.field(name).map_err(|error| match error.code {
        Code::NumberOutOfRange => Error { at: name.to_owned(), ..error },
        _ => error,
    })
}

/// Whether the fields that always hold the same do.
fn constants(form: &Form, object: &RawObject) -> Result<()> {
    if form.fields.contains(&VERSION) {
        let version: i64 = field(object, VERSION)?;
        if version != 1 {
            return Err(Error::new(Code::UnknownFormat, VERSION, "1", version.to_string()));
        }
    }
    for (name, constant) in form.constants {
        let text: String = field(object, name)?;
        if text != *constant {
            let (expected, got) = (format!("`{constant}`"), format!("`{text}`"));
            return Err(Error::new(Code::UnknownValue, *name, expected, got));
        }
    }
    Ok(())
}

/// The text of a file: pretty JSON with two spaces and a newline at the end.
pub(super) fn render<T: OnDisk>(file: &T) -> String {
    written(T::FORM, file, |object| serde_json::to_string_pretty(object))
}

/// The text of a line of a history: compact, with a newline at the end.
pub(super) fn line<T: OnDisk>(record: &T) -> String {
    written(T::FORM, record, |object| serde_json::to_string(object).map(|text| compact(&text)))
}

fn written<T: Serialize>(
    form: &'static Form,
    value: &T,
    write: impl Fn(&Spread<'_>) -> serde_json::Result<String>,
) -> String {
    let value = serde_json::to_value(value).unwrap_or_default();
    // Our types are objects with string keys and no fallible serializers, so this cannot fail.
    let text = value.as_object().and_then(|object| write(&Spread(form, object)).ok());
    text.unwrap_or_default() + "\n"
}

/// An object with the seed's fields in the seed's order, then those of others, as they were written.
struct Spread<'a>(&'static Form, &'a Map<String, Value>);

impl Serialize for Spread<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Spread(form, object) = *self;
        let mut map = serializer.serialize_map(None)?;
        for name in form.fields {
            match (form.members(name), object.get(*name)) {
                (Some(form), Some(Value::Array(members))) => {
                    let members = members.iter().filter_map(Value::as_object);
                    let members: Vec<_> = members.map(|one| Spread(form, one)).collect();
                    map.serialize_entry(name, &members)?;
                }
                (_, Some(value)) => map.serialize_entry(name, value)?,
                (_, None) => map.serialize_entry(name, &form.constant(name))?,
            }
        }
        let extras = object.get("extra").and_then(Value::as_array).into_iter().flatten();
        for extra in extras {
            let (name, raw) = (extra["name"].as_str(), extra["raw"].as_str());
            // One of a known name cannot come from a reader; twice the same field would not be read.
            if let (Some(name), Some(raw)) = (name.filter(|name| !form.fields.contains(name)), raw)
            {
                let raw = RawValue::from_string(raw.to_owned()).map_err(S::Error::custom)?;
                map.serialize_entry(name, &raw)?;
            }
        }
        map.end()
    }
}

/// JSON text without the space between its tokens; a line of a history has no line breaks.
pub(super) fn compact(raw: &str) -> String {
    let (mut quoted, mut escaped) = (false, false);
    let kept = raw.chars().filter(|&c| {
        let keep = quoted || !matches!(c, ' ' | '\t' | '\n' | '\r');
        match (quoted, escaped, c) {
            (true, true, _) => escaped = false,
            (true, false, '\\') => escaped = true,
            (_, false, '"') => quoted = !quoted,
            _ => {}
        }
        keep
    });
    kept.collect()
}
