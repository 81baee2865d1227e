//! The object of a machine file, between the disk and its type.
//!
//! On disk the fields of others stand among the seed's. In memory they are in `extra`, as they were
//! written: [`read`] moves them there, [`render`] and [`line`] move them back. A [`Form`] is the table
//! of the seed's fields: their order, and what each may hold. Everything else is serde's.

use super::fields::{Extra, Mode, Reading};
use super::kind::{Field, Kind};
use crate::vocab::error::{Code, Diagnostic, Error, Result};
use crate::vocab::json::{self, RawObject, Readable, decode_unguarded, encode};
use serde::ser::{Error as _, SerializeMap};
use serde::{Serialize, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;

/// A type that is an object on disk.
pub trait OnDisk: Serialize + Readable + PartialEq {
    /// Its form there.
    const FORM: Form;

    /// What the fields must be to each other.
    ///
    /// # Errors
    /// Kind `malformed`, placed at the field.
    fn check(&self, _: &mut Found) -> Result<()> {
        Ok(())
    }
}

/// The fields of an object on disk.
#[derive(Clone, Copy)]
pub struct Form {
    /// Those of the seed, in its order, each with what it holds.
    pub(super) seed: &'static [(&'static str, Kind)],
    /// Those of the later peer, kept without a note.
    pub(super) peer: &'static [&'static str],
}

/// Reads an object. The first fault ends the reading: a file is whole or it is not used.
///
/// # Errors
/// Kind `malformed`, placed at the field.
pub fn read<T: OnDisk>(text: &str, mode: Mode) -> Result<Reading<T>> {
    let mut found = Found { mode, live: true, notes: Vec::new() };
    let value: T = decode_unguarded(&T::FORM.gather(text, &mut found)?)?;
    value.check(&mut found)?;
    Ok(Reading { value, notes: found.notes })
}

/// What is found in an object while it is read.
pub struct Found {
    mode: Mode,
    /// Whether the slice is live that the object is of.
    pub(super) live: bool,
    /// Unknown fields and, in lenient mode, what is overlooked.
    notes: Vec<Diagnostic>,
}

impl Found {
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
        let mut inner = Found { notes: Vec::new(), ..*self };
        let value = look(&mut inner).map_err(|error| error.within(place))?;
        let at = |note: &Diagnostic| format!("{place}.{}", note.at);
        self.notes.extend(inner.notes.into_iter().map(|note| Diagnostic { at: at(&note), ..note }));
        Ok(value)
    }
}

impl Form {
    /// The names of its `N` fields.
    pub(super) const fn names<const N: usize>(&self) -> [&'static str; N] {
        let (mut names, mut at) = ([""; N], 0);
        while at < N {
            names[at] = self.seed[at].0;
            at += 1;
        }
        names
    }

    /// The object as its type reads it: every field checked, and those of others in `extra`.
    pub(super) fn gather(&self, text: &str, found: &mut Found) -> Result<String> {
        let object = RawObject::read(text)?;
        let mut seed: Vec<_> = self.seed.iter().collect();
        seed.sort_by_key(|(_, kind)| kind.turn());
        let mut fields = Vec::with_capacity(seed.len());
        for (name, kind) in seed {
            let text = kind.read(Field { object: &object, name }, found)?;
            if kind.constant().is_none() {
                fields.push(format!("{}:{text}", encode(name)));
            }
        }
        fields.push(format!("\"extra\":{}", encode(&self.extras(&object, found)?)));
        Ok(format!("{{{}}}", fields.join(",")))
    }

    /// The fields of others. What the later peer does not know either gets a note.
    fn extras(&self, object: &RawObject, found: &mut Found) -> Result<Vec<Extra>> {
        let seed: Vec<&str> = self.seed.iter().map(|(name, _)| *name).collect();
        let others = object.others(&seed);
        for (name, _) in others.iter().filter(|(name, _)| !self.peer.contains(&name.as_str())) {
            let got = format!("field `{name}`, kept as it is");
            let note = Error::new(Code::UnknownField, name, "a known field", got);
            found.notes.push(note.diagnostic());
        }
        others.into_iter().map(|(name, raw)| Extra::new(name, raw)).collect()
    }
}

/// The text of a file: pretty JSON with two spaces and a newline at the end.
pub fn render<T: OnDisk>(file: &T) -> String {
    // Our types are objects with string keys and no fallible serializers, so this cannot fail.
    let value = json::value(file);
    serde_json::to_string_pretty(&Spread(T::FORM, &value)).unwrap_or_default() + "\n"
}

/// The text of a line of a history: compact, without its newline.
pub fn line<T: OnDisk>(record: &T) -> String {
    compact(&render(record))
}

/// An object with the seed's fields in the seed's order, then those of others, as they were written.
struct Spread<'a>(Form, &'a Value);

impl Serialize for Spread<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Spread(form, object) = *self;
        let mut map = serializer.serialize_map(None)?;
        for (name, kind) in form.seed {
            match (kind, &object[name]) {
                (Kind::Objects(form), Value::Array(members)) => {
                    let members: Vec<_> = members.iter().map(|one| Spread(**form, one)).collect();
                    map.serialize_entry(name, &members)?;
                }
                (kind, value) => {
                    map.serialize_entry(name, kind.constant().as_ref().unwrap_or(value))?;
                }
            }
        }
        for extra in object["extra"].as_array().into_iter().flatten() {
            let (name, raw) = (extra["name"].as_str(), extra["raw"].as_str());
            // One of a known name cannot come from a reader; twice the same field would not be read.
            let known = form.seed.iter().any(|(known, _)| Some(*known) == name);
            if let (Some(name), Some(raw), false) = (name, raw, known) {
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
