//! Objects of other people: each field is the text that was written, until somebody asks for it.

use super::{Readable, decode_within, guard_shape, twice, unreadable};
use crate::vocab::error::{Code, Error, Result};
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use std::fmt;

/// A JSON object whose fields stay raw text until somebody asks for them, in their order.
#[derive(Clone, Debug)]
pub struct RawObject(Vec<(String, Box<RawValue>)>);

impl<'de> Deserialize<'de> for RawObject {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Fields;
        impl<'de> Visitor<'de> for Fields {
            type Value = Vec<(String, Box<RawValue>)>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut fields = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    fields.push(entry);
                }
                Ok(fields)
            }
        }
        deserializer.deserialize_map(Fields).map(RawObject)
    }
}

impl RawObject {
    /// Reads an object.
    ///
    /// # Errors
    /// As [`decode`](super::decode); `not_an_object` for another value, `duplicate_field` for a field twice.
    pub fn read(text: &str) -> Result<Self> {
        guard_shape(text)?;
        if !text.trim_start().starts_with('{') {
            let got: String = text.trim_start().chars().take(20).collect();
            return Err(Error::new(Code::NotAnObject, "", "a JSON object", got));
        }
        let object: RawObject =
            serde_json::from_str(text).map_err(|error| unreadable(text, &error))?;
        let mut seen = std::collections::BTreeSet::new();
        for (name, _) in &object.0 {
            if !seen.insert(name.as_str()) {
                return Err(twice(name, name));
            }
        }
        Ok(object)
    }

    /// The names of its fields, as they stand.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(name, _)| name.as_str())
    }

    /// The raw text of a field.
    pub fn raw(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, value)| value.get())
    }

    /// The raw text of a field that must be there.
    ///
    /// # Errors
    /// `missing_field`.
    pub fn required(&self, name: &str) -> Result<&str> {
        self.raw(name).ok_or_else(|| {
            Error::new(Code::MissingField, name, format!("field `{name}`"), "no such field")
        })
    }

    /// A field as a `T`.
    ///
    /// # Errors
    /// `missing_field`, or as [`decode`](super::decode).
    pub fn field<T: Readable>(&self, name: &str) -> Result<T> {
        decode_within(self.required(name)?, name)
    }

    /// Fields that are not among `known`, in their order, as raw text.
    pub fn others(&self, known: &[&str]) -> Vec<(String, String)> {
        let unknown = self.0.iter().filter(|(name, _)| !known.contains(&name.as_str()));
        unknown.map(|(name, value)| (name.clone(), value.get().to_owned())).collect()
    }
}
