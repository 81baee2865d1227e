//! Values as agents and people write them: a text or a list of texts, a number or a text, yes or "yes".

use crate::vocab::json::{Fault, Node, Readable};
use serde::de::Error;
use serde_json::Value;
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
pub(super) fn words(node: Node<'_>) -> Result<Vec<String>, Fault> {
    let wrong = || Fault::custom("invalid type: a mapping, expected a text or a list of texts");
    match Value::read(node)? {
        Value::Null => Ok(Vec::new()),
        Value::Array(list) => list.iter().map(|one| text_of(one).ok_or_else(wrong)).collect(),
        Value::Object(_) => Err(wrong()),
        one => Ok(text_of(&one).into_iter().filter(|text| !text.trim().is_empty()).collect()),
    }
}

/// A text, or a number as a text.
pub(super) fn word(node: Node<'_>) -> Result<Option<String>, Fault> {
    match Value::read(node)? {
        Value::Null => Ok(None),
        value => match text_of(&value) {
            Some(text) => Ok(Some(text).filter(|text| !text.trim().is_empty())),
            None => Err(Fault::custom("invalid type: a list or a mapping, expected a text")),
        },
    }
}

/// A text that must be there, or a number as one.
pub(super) fn text(node: Node<'_>) -> Result<String, Fault> {
    text_of(&Value::read(node)?)
        .ok_or_else(|| Fault::custom("invalid type: no text, expected a text"))
}

/// The number of a wave; what is none counts as absent.
pub(super) fn wave(node: Node<'_>) -> Result<Option<u32>, Fault> {
    Ok(wave_of(&Value::read(node)?))
}

pub(super) fn wave_of(value: &Value) -> Option<u32> {
    text_of(value).and_then(|text| text.trim().parse().ok())
}

fn is_word(text: &str, words: [&str; 4]) -> bool {
    words.iter().any(|word| word.eq_ignore_ascii_case(text.trim()))
}

/// Yes or no, also as a text.
pub(super) fn flag(node: Node<'_>) -> Result<Option<bool>, Fault> {
    let value = Value::read(node)?;
    let wrong = || Fault::custom("invalid type: no flag, expected true or false");
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
pub(super) fn count(node: Node<'_>) -> Result<Option<u32>, Fault> {
    whole(node, "u32")
}

/// A whole number of the kind with this name, also as a text. The fault is the reader's own, so that it has its place.
pub(super) fn whole<N>(node: Node<'_>, name: &'static str) -> Result<Option<N>, Fault>
where
    N: TryFrom<u64> + FromStr,
{
    let number = match &node {
        Node::Null => return Ok(None),
        Node::Unsigned(number) => N::try_from(*number).ok(),
        Node::Signed(_) => None,
        Node::Text(text) => return text.trim().parse().map(Some).map_err(|_| node.unfit(&name)),
        other => return Err(other.unfit(&name)),
    };
    number.map(Some).ok_or_else(|| Fault::invalid_value(node.unexpected(), &name))
}

pub(super) fn count_of(value: &Value) -> Option<u32> {
    match value {
        Value::Number(number) => number.as_u64().and_then(|number| number.try_into().ok()),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    }
}

/// A list; where nothing is written it is empty.
pub(super) fn list<T: Readable>(node: Node<'_>) -> Result<Vec<T>, Fault> {
    Ok(Option::read(node)?.unwrap_or_default())
}
