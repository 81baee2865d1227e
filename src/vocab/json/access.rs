//! The parts of a tree as a type reads them: the fields of an object, the items of a list, a name, a variant.

use super::Segment;
use super::node::{Fault, Node};
use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, MapAccess, SeqAccess, VariantAccess, Visitor,
};
use serde::forward_to_deserialize_any;
use std::borrow::Cow;

/// The fields of an object, one after the other.
pub(super) struct Fields<'de> {
    left: std::vec::IntoIter<(Cow<'de, str>, Node<'de>)>,
    value: Option<Node<'de>>,
    /// The field that is being read.
    current: Option<Cow<'de, str>>,
}

impl<'de> Fields<'de> {
    pub(super) fn of(fields: Vec<(Cow<'de, str>, Node<'de>)>) -> Fields<'de> {
        Fields { left: fields.into_iter(), value: None, current: None }
    }

    /// The fault with the field that was being read.
    #[inline(never)]
    pub(super) fn place(&mut self, mut fault: Fault) -> Fault {
        if let Some(name) = self.current.take() {
            let why = &mut fault.0;
            why.named |= why.path.is_empty() && self.value.is_some();
            why.path.push(Segment::Field(Some(name.into_owned())));
        }
        fault
    }

    #[inline(never)]
    fn name(&mut self) -> Option<Key<'de>> {
        self.current = None;
        let (name, value) = self.left.next()?;
        (self.current, self.value) = (Some(name.clone()), Some(value));
        Some(Key(name))
    }

    #[inline(never)]
    fn value(&mut self) -> Node<'de> {
        self.value.take().unwrap_or(Node::Null)
    }
}

impl<'de> MapAccess<'de> for Fields<'de> {
    type Error = Fault;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Fault> {
        self.name().map(|name| seed.deserialize(name)).transpose()
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Fault> {
        seed.deserialize(self.value())
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.left.len())
    }
}

/// The values of a list, one after the other.
pub(super) struct Items<'de> {
    left: std::vec::IntoIter<Node<'de>>,
    next: usize,
    reading: bool,
}

impl<'de> Items<'de> {
    pub(super) fn of(items: Vec<Node<'de>>) -> Items<'de> {
        Items { left: items.into_iter(), next: 0, reading: false }
    }

    #[inline(never)]
    pub(super) fn place(&self, mut fault: Fault) -> Fault {
        if self.reading {
            fault.0.path.push(Segment::Place(self.next - 1));
        }
        fault
    }

    #[inline(never)]
    fn item(&mut self) -> Option<Node<'de>> {
        let item = self.left.next()?;
        self.next += 1;
        self.reading = true;
        Some(item)
    }
}

impl<'de> SeqAccess<'de> for Items<'de> {
    type Error = Fault;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Fault> {
        let Some(item) = self.item() else { return Ok(None) };
        let read = seed.deserialize(item)?;
        self.reading = false;
        Ok(Some(read))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.left.len())
    }
}

/// The name of a field where a type is read from it: a text, a word of a choice, or a number.
struct Key<'de>(Cow<'de, str>);

impl<'de> Deserializer<'de> for Key<'de> {
    type Error = Fault;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        Node::Text(self.0).deserialize_str(visitor)
    }

    // What tells fields and variants apart asks for no more than the letters.
    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        visitor.visit_str(&self.0)
    }

    fn deserialize_u64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self.0.parse() {
            Ok(number) => visitor.visit_u64(number),
            Err(_) => self.deserialize_any(visitor),
        }
    }

    fn deserialize_u32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.deserialize_u64(visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        visitor.visit_enum(Variant { name: self.0, content: Content::Nothing })
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Fault> {
        visitor.visit_newtype_struct(self)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 u8 u16 f32 f64 char str string bytes byte_buf option unit unit_struct seq tuple
        tuple_struct map struct ignored_any
    }
}

/// A variant of a choice, and what it holds.
pub(super) struct Variant<'de> {
    pub(super) name: Cow<'de, str>,
    pub(super) content: Content<'de>,
}

pub(super) enum Content<'de> {
    Nothing,
    Value(Node<'de>),
    /// The fields beside the one that names the variant. One that holds nothing leaves them alone.
    Beside(Node<'de>),
}

impl<'de> Content<'de> {
    fn node(self) -> Node<'de> {
        match self {
            Content::Nothing => Node::Null,
            Content::Value(node) | Content::Beside(node) => node,
        }
    }
}

impl<'de> EnumAccess<'de> for Variant<'de> {
    type Error = Fault;
    type Variant = Content<'de>;

    fn variant_seed<V: DeserializeSeed<'de>>(
        self,
        seed: V,
    ) -> Result<(V::Value, Content<'de>), Fault> {
        Ok((seed.deserialize(Key(self.name))?, self.content))
    }
}

impl<'de> VariantAccess<'de> for Content<'de> {
    type Error = Fault;

    fn unit_variant(self) -> Result<(), Fault> {
        match self {
            Content::Nothing | Content::Value(Node::Null) | Content::Beside(_) => Ok(()),
            Content::Value(other) => Err(other.unfit(&"nothing")),
        }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Fault> {
        seed.deserialize(self.node())
    }

    fn tuple_variant<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value, Fault> {
        self.node().deserialize_tuple(len, visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        self.node().deserialize_map(visitor)
    }
}
