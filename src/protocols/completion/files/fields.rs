//! How strictly a file is read, what is noted on the way, and the fields that the seed does not have.

use crate::mission::prelude::*;
use crate::vocab::json::{decode_within, guard_shape};
use serde_json::value::RawValue;

words! {
    /// How strictly a file is read.
    Mode {
        Strict "strict" "Every fault refuses the file.";
        Lenient "lenient"
            "What the seed's own verifier does not look at becomes a note with code `overlooked`.";
    }
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(try_from = "Unchecked", deny_unknown_fields)]
pub struct Extra {
    name: String,
    raw: String,
}

/// A field that the seed does not have, as it was written.
#[derive(Readable, JsonSchema)]
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
        guard_shape(&raw).map_err(|error| error.within(&name))?;
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
    pub fn read<T: Readable>(&self) -> Result<T> {
        decode_within(&self.raw, &self.name)
    }
}

/// The extra of this name, if there is one.
pub(super) fn extra<'a>(extras: &'a [Extra], name: &str) -> Option<&'a Extra> {
    extras.iter().find(|extra| extra.name == name)
}
