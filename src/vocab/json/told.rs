//! Internally tagged enums: the object names the variant in one field, beside those of its value.
//!
//! serde's own derive keeps such an object in a tree of its own, and compiles every type within once more for that. Here it is
//! kept in the tree from which types are read anyway.

use super::access::{Content, Variant};
use super::node::{Name, Node};
use serde::de::{Deserializer, Error, MapAccess, Visitor};
use serde::forward_to_deserialize_any;
use std::borrow::Cow;
use std::fmt;

/// A reader of an enum whose variant the field `tag` names.
pub(crate) struct Told<D> {
    pub(crate) from: D,
    pub(crate) tag: &'static str,
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for Told<D> {
    type Error = D::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.from.deserialize_any(visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        let variant = self.from.deserialize_map(Parts { tag: self.tag, variants })?;
        // The object was read first and is judged now: its place ends at the object.
        visitor.visit_enum(variant).map_err(D::Error::custom)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}

struct Parts {
    tag: &'static str,
    variants: &'static [&'static str],
}

impl<'de> Visitor<'de> for Parts {
    type Value = Variant<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Variant<'de>, A::Error> {
        let (mut word, mut rest) = (None, Vec::new());
        while let Some(Name(name)) = map.next_key()? {
            if name != self.tag {
                rest.push((name, map.next_value()?));
            } else if word.is_some() {
                return Err(A::Error::duplicate_field(self.tag));
            } else {
                word = Some(self.known(map.next_value()?)?);
            }
        }
        let name = word.ok_or_else(|| A::Error::missing_field(self.tag))?;
        Ok(Variant { name, content: Content::Beside(Node::Object(rest)) })
    }
}

impl Parts {
    fn known<'de, E: Error>(&self, word: Node<'de>) -> Result<Cow<'de, str>, E> {
        match word {
            Node::Text(word) if self.variants.contains(&&*word) => Ok(word),
            Node::Text(word) => Err(E::unknown_variant(&word, self.variants)),
            other => Err(E::invalid_type(other.unexpected(), &"variant identifier")),
        }
    }
}
