//! A JSON text as a tree, and the one way in which types are read from it.
//!
//! A type that can be read is compiled anew for each reader it meets, and with all of what that reader does for each of its
//! fields. Here a text becomes a tree once, for all types alike, and what a type adds is little. A fault knows its place.

#![allow(clippy::disallowed_types, reason = "a number with a point is handed on as it was read")]

use super::Segment;
use super::shape::Slot;
use serde::Deserialize;
use serde::de::{Deserializer, Error, Expected, MapAccess, SeqAccess, Unexpected, Visitor};
use serde_json::Value;
use std::borrow::Cow;
use std::fmt;

/// A value. An object has its fields as they were written, also those that come twice.
#[derive(Clone, Debug)]
pub enum Node<'a> {
    /// Nothing.
    Null,
    /// Yes or no.
    Bool(bool),
    /// A number from 0.
    Unsigned(u64),
    /// A number below 0.
    Signed(i64),
    /// A number with a point.
    Float(f64),
    /// A text, borrowed where it stands as it is.
    Text(Cow<'a, str>),
    /// A list.
    List(Vec<Node<'a>>),
    /// An object.
    Object(Vec<(Cow<'a, str>, Node<'a>)>),
}

/// Why a tree does not fit a type, and where: the innermost step of the path first.
#[derive(Debug)]
pub struct Fault(pub(super) Box<Why>);

/// What is behind a fault: in one place, as each answer of each reader has room for it.
#[derive(Debug, Default)]
pub(super) struct Why {
    pub(super) what: String,
    pub(super) path: Vec<Segment>,
    /// Whether the name of the innermost field is at fault, not its value.
    pub(super) named: bool,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.what)
    }
}

impl std::error::Error for Fault {}

impl Error for Fault {
    fn custom<T: fmt::Display>(what: T) -> Self {
        Fault(Box::new(Why { what: what.to_string(), ..Why::default() }))
    }

    fn invalid_type(got: Unexpected, expected: &dyn Expected) -> Self {
        match got {
            Unexpected::Unit => {
                Fault::custom(format_args!("invalid type: null, expected {expected}"))
            }
            _ => Fault::custom(format_args!("invalid type: {got}, expected {expected}")),
        }
    }
}

impl<'a> Node<'a> {
    pub(crate) fn unexpected(&self) -> Unexpected<'_> {
        match self {
            Node::Null => Unexpected::Unit,
            Node::Bool(value) => Unexpected::Bool(*value),
            Node::Unsigned(value) => Unexpected::Unsigned(*value),
            Node::Signed(value) => Unexpected::Signed(*value),
            Node::Float(value) => Unexpected::Float(*value),
            Node::Text(text) => Unexpected::Str(text),
            Node::List(_) => Unexpected::Seq,
            Node::Object(_) => Unexpected::Map,
        }
    }

    pub(crate) fn unfit(&self, expected: &dyn Expected) -> Fault {
        Fault::invalid_type(self.unexpected(), expected)
    }
}

impl<'de> Deserialize<'de> for Node<'de> {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        reader.deserialize_any(Tree)
    }
}

struct Tree;

impl<'de> Visitor<'de> for Tree {
    type Value = Node<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Node<'de>, E> {
        Ok(Node::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Node<'de>, E> {
        Ok(Node::Bool(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Node<'de>, E> {
        Ok(Node::Unsigned(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Node<'de>, E> {
        Ok(Node::Signed(value))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Node<'de>, E> {
        Ok(Node::Float(value))
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Node<'de>, E> {
        Ok(Node::Text(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Node<'de>, E> {
        Ok(Node::Text(Cow::Owned(text.to_owned())))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Node<'de>, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = list.next_element()? {
            items.push(item);
        }
        Ok(Node::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Node<'de>, A::Error> {
        let mut fields = Vec::new();
        while let Some(Name(name)) = map.next_key()? {
            fields.push((name, map.next_value()?));
        }
        Ok(Node::Object(fields))
    }
}

/// The name of a field, borrowed where the text has it as it is.
struct Name<'a>(Cow<'a, str>);

impl<'de> Deserialize<'de> for Name<'de> {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        struct Text;
        impl<'de> Visitor<'de> for Text {
            type Value = Name<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a name")
            }

            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Name<'de>, E> {
                Ok(Name(Cow::Borrowed(text)))
            }

            fn visit_str<E>(self, text: &str) -> Result<Name<'de>, E> {
                Ok(Name(Cow::Owned(text.to_owned())))
            }
        }
        reader.deserialize_str(Text)
    }
}

// What does not depend on the type that is read stands apart, once and not in each of its readers.
impl<'a> Node<'a> {
    pub(super) fn fields(
        self,
        expected: &dyn Expected,
    ) -> Result<Vec<(Cow<'a, str>, Node<'a>)>, Fault> {
        match self {
            Node::Object(fields) => Ok(fields),
            other => Err(other.unfit(expected)),
        }
    }

    /// A text as `read` takes it; one that it does not take is at fault as a value.
    pub(crate) fn text_as<T>(
        self,
        expected: &'static str,
        read: &dyn Fn(&str) -> Option<T>,
    ) -> Result<T, Fault> {
        match &self {
            Node::Text(text) => {
                read(text).ok_or_else(|| Fault::invalid_value(self.unexpected(), &expected))
            }
            other => Err(other.unfit(&expected)),
        }
    }

    fn items(self, expected: &dyn Expected) -> Result<Vec<Node<'a>>, Fault> {
        match self {
            Node::List(items) => Ok(items),
            other => Err(other.unfit(expected)),
        }
    }

    pub(super) fn each_item(
        self,
        take: &mut dyn FnMut(Node<'_>) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        let items = self.items(&"a sequence")?.into_iter().enumerate();
        items.into_iter().try_for_each(|(place, item)| take(item).map_err(|fault| fault.at(place)))
    }

    /// As many items as there are slots.
    pub(super) fn in_order(
        self,
        expected: &'static str,
        slots: &mut [&mut dyn Slot],
    ) -> Result<(), Fault> {
        let items = self.items(&expected)?;
        if items.len() != slots.len() {
            return Err(Fault::invalid_length(items.len(), &expected));
        }
        let mut both = items.into_iter().zip(slots).enumerate();
        both.try_for_each(|(place, (item, slot))| slot.fill(item).map_err(|fault| fault.at(place)))
    }
}

impl Fault {
    /// With the field in which it is.
    pub(super) fn within(mut self, field: Cow<'_, str>) -> Fault {
        self.0.path.push(Segment::Field(Some(field.into_owned())));
        self
    }

    /// With the field whose name is at fault.
    pub(super) fn named(mut self, field: Cow<'_, str>) -> Fault {
        self.0.named |= self.0.path.is_empty();
        self.within(field)
    }

    fn at(mut self, place: usize) -> Fault {
        self.0.path.push(Segment::Place(place));
        self
    }
}

impl<'a> From<&'a Value> for Node<'a> {
    fn from(value: &'a Value) -> Self {
        match value {
            Value::Null => Node::Null,
            Value::Bool(value) => Node::Bool(*value),
            Value::Number(number) => match (number.as_u64(), number.as_i64(), number.as_f64()) {
                (Some(number), ..) => Node::Unsigned(number),
                (_, Some(number), _) => Node::Signed(number),
                (.., number) => number.map_or(Node::Null, Node::Float),
            },
            Value::String(text) => Node::Text(Cow::Borrowed(text)),
            Value::Array(items) => Node::List(items.iter().map(Node::from).collect()),
            Value::Object(fields) => {
                let field = |(name, value): (&'a String, _)| (Cow::from(name), Node::from(value));
                Node::Object(fields.iter().map(field).collect())
            }
        }
    }
}
