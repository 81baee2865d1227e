//! A JSON text as a tree, and the one way in which types are read from it.
//!
//! A type that can be read is compiled anew for each reader it meets, and with all of what that reader does for each of its
//! fields. Here a text becomes a tree once, for all types alike, and what a type adds is little. A fault knows its place.

#![allow(clippy::disallowed_types, reason = "a number with a point is handed on as it was read")]

use super::Segment;
use super::access::{Content, Fields, Items, Variant};
use serde::de::{Deserializer, Error, Expected, MapAccess, SeqAccess, Unexpected, Visitor};
use serde::{Deserialize, forward_to_deserialize_any};
use std::borrow::Cow;
use std::fmt;

/// A value. An object has its fields as they were written, also those that come twice.
#[derive(Clone, Debug)]
pub(crate) enum Node<'a> {
    Null,
    Bool(bool),
    Unsigned(u64),
    Signed(i64),
    Float(f64),
    Text(Cow<'a, str>),
    List(Vec<Node<'a>>),
    Object(Vec<(Cow<'a, str>, Node<'a>)>),
}

/// Why a tree does not fit a type, and where: the innermost step of the path first.
#[derive(Debug)]
pub(crate) struct Fault(pub(super) Box<Why>);

/// What is behind a fault: in one place, as each answer of each reader has room for it.
#[derive(Debug, Default)]
pub(crate) struct Why {
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
    pub(super) fn unexpected(&self) -> Unexpected<'_> {
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

    pub(super) fn unfit(&self, expected: &dyn Expected) -> Fault {
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
pub(super) struct Name<'a>(pub(super) Cow<'a, str>);

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

impl<'de> Deserializer<'de> for Node<'de> {
    type Error = Fault;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self {
            Node::Null => visitor.visit_unit(),
            Node::Bool(value) => visitor.visit_bool(value),
            Node::Unsigned(value) => visitor.visit_u64(value),
            Node::Signed(value) => visitor.visit_i64(value),
            Node::Float(value) => visitor.visit_f64(value),
            Node::Text(Cow::Borrowed(text)) => visitor.visit_borrowed_str(text),
            Node::Text(Cow::Owned(text)) => visitor.visit_string(text),
            Node::List(_) => self.deserialize_seq(visitor),
            Node::Object(_) => self.deserialize_map(visitor),
        }
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self.text(&visitor)? {
            Cow::Borrowed(text) => visitor.visit_borrowed_str(text),
            Cow::Owned(text) => visitor.visit_string(text),
        }
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.deserialize_str(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self {
            Node::Null => visitor.visit_none(),
            some => visitor.visit_some(some),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Fault> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        let mut items = self.items(&visitor)?;
        visitor.visit_seq(&mut items).map_err(|fault| items.place(fault))
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value, Fault> {
        match self {
            Node::List(items) if items.len() != len => {
                Err(Fault::invalid_length(items.len(), &visitor))
            }
            other => other.deserialize_seq(visitor),
        }
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        len: usize,
        visitor: V,
    ) -> Result<V::Value, Fault> {
        self.deserialize_tuple(len, visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        let mut fields = self.fields(&visitor)?;
        visitor.visit_map(&mut fields).map_err(|fault| fields.place(fault))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        self.deserialize_map(visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        visitor.visit_enum(self.variant()?)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 char bytes byte_buf unit unit_struct identifier
    }
}

// What does not depend on the type that is read stands apart, once and not in each of its readers.
impl<'de> Node<'de> {
    #[inline(never)]
    fn items(self, expected: &dyn Expected) -> Result<Items<'de>, Fault> {
        match self {
            Node::List(items) => Ok(Items::of(items)),
            other => Err(other.unfit(expected)),
        }
    }

    #[inline(never)]
    fn fields(self, expected: &dyn Expected) -> Result<Fields<'de>, Fault> {
        match self {
            Node::Object(fields) => Ok(Fields::of(fields)),
            other => Err(other.unfit(expected)),
        }
    }

    #[inline(never)]
    fn text(self, expected: &dyn Expected) -> Result<Cow<'de, str>, Fault> {
        match self {
            Node::Text(text) => Ok(text),
            other => Err(other.unfit(expected)),
        }
    }

    /// The name of a variant: a word, or the one field of an object, which holds what the variant holds.
    #[inline(never)]
    fn variant(self) -> Result<Variant<'de>, Fault> {
        match self {
            Node::Text(name) => Ok(Variant { name, content: Content::Nothing }),
            Node::Object(mut fields) if fields.len() == 1 => {
                let (name, content) = fields.swap_remove(0);
                Ok(Variant { name, content: Content::Value(content) })
            }
            other => Err(other.unfit(&"a word")),
        }
    }
}
