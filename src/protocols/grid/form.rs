//! Values as agents and people write them: a text or a list of texts, a number or a text, yes or "yes".

use serde::de::{self, Unexpected, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use std::fmt::{self, Formatter};
use std::marker::PhantomData;
use std::str::FromStr;

pub(super) fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(word) => Some(word.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

/// A list of texts, or one text; nothing is an empty list.
pub(super) fn words<'de, D: Deserializer<'de>>(reader: D) -> Result<Vec<String>, D::Error> {
    let wrong =
        || serde::de::Error::custom("invalid type: a mapping, expected a text or a list of texts");
    match Value::deserialize(reader)? {
        Value::Null => Ok(Vec::new()),
        Value::Array(list) => list.iter().map(|one| text_of(one).ok_or_else(wrong)).collect(),
        Value::Object(_) => Err(wrong()),
        one => Ok(text_of(&one).into_iter().filter(|text| !text.trim().is_empty()).collect()),
    }
}

/// A text, or a number as a text.
pub(super) fn word<'de, D: Deserializer<'de>>(reader: D) -> Result<Option<String>, D::Error> {
    match Value::deserialize(reader)? {
        Value::Null => Ok(None),
        value => match text_of(&value) {
            Some(text) => Ok(Some(text).filter(|text| !text.trim().is_empty())),
            None => {
                Err(serde::de::Error::custom("invalid type: a list or a mapping, expected a text"))
            }
        },
    }
}

/// A text that must be there, or a number as one.
pub(super) fn text<'de, D: Deserializer<'de>>(reader: D) -> Result<String, D::Error> {
    text_of(&Value::deserialize(reader)?)
        .ok_or_else(|| serde::de::Error::custom("invalid type: no text, expected a text"))
}

/// The number of a wave; what is none counts as absent.
pub(super) fn wave<'de, D: Deserializer<'de>>(reader: D) -> Result<Option<u32>, D::Error> {
    Ok(wave_of(&Value::deserialize(reader)?))
}

pub(super) fn wave_of(value: &Value) -> Option<u32> {
    text_of(value).and_then(|text| text.trim().parse().ok())
}

fn is_word(text: &str, words: [&str; 4]) -> bool {
    words.iter().any(|word| word.eq_ignore_ascii_case(text.trim()))
}

/// Yes or no, also as a text.
pub(super) fn flag<'de, D: Deserializer<'de>>(reader: D) -> Result<Option<bool>, D::Error> {
    let value = Value::deserialize(reader)?;
    let wrong = || serde::de::Error::custom("invalid type: no flag, expected true or false");
    if value.is_null() { Ok(None) } else { flag_of(&value).map(Some).ok_or_else(wrong) }
}

pub(super) fn flag_of(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(word) => Some(*word),
        Value::String(text) if is_word(text, ["true", "yes", "on", "y"]) => Some(true),
        Value::String(text) if is_word(text, ["false", "no", "off", "n"]) => Some(false),
        _ => None,
    }
}

/// How many, also as a text; nothing is none.
pub(super) fn count<'de, D: Deserializer<'de>>(reader: D) -> Result<Option<u32>, D::Error> {
    whole(reader, "u32")
}

/// A whole number of the kind with this name, also as a text. The fault is the reader's own, so that it has its place.
pub(super) fn whole<'de, D, N>(reader: D, name: &'static str) -> Result<Option<N>, D::Error>
where
    D: Deserializer<'de>,
    N: TryFrom<u64> + FromStr,
{
    reader.deserialize_any(Whole { name, kind: PhantomData })
}

struct Whole<N> {
    name: &'static str,
    kind: PhantomData<N>,
}

impl<'de, N: TryFrom<u64> + FromStr> Visitor<'de> for Whole<N> {
    type Value = Option<N>;

    fn expecting(&self, to: &mut Formatter) -> fmt::Result {
        to.write_str(self.name)
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<Option<N>, E> {
        let wrong = |_| E::invalid_value(Unexpected::Unsigned(number), &self);
        N::try_from(number).map(Some).map_err(wrong)
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<Option<N>, E> {
        match u64::try_from(number) {
            Ok(number) => self.visit_u64(number),
            Err(_) => Err(E::invalid_value(Unexpected::Signed(number), &self)),
        }
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Option<N>, E> {
        let wrong = |_| E::invalid_type(Unexpected::Str(text), &self);
        text.trim().parse().map(Some).map_err(wrong)
    }

    fn visit_unit<E: de::Error>(self) -> Result<Option<N>, E> {
        Ok(None)
    }
}

pub(super) fn count_of(value: &Value) -> Option<u32> {
    match value {
        Value::Number(number) => number.as_u64().and_then(|number| number.try_into().ok()),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    }
}

/// A list; where nothing is written it is empty.
pub(super) fn list<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    reader: D,
) -> Result<Vec<T>, D::Error> {
    Ok(Option::<Vec<T>>::deserialize(reader)?.unwrap_or_default())
}
