//! What can be read from a tree: the types that the language has, here; ours, by `derive(Readable)`.

use super::node::{Fault, Node};
use super::shape::{Slot, found};
use serde::de::{Deserialize, Deserializer, Error, IgnoredAny};
use serde_json::{Map, Number, Value};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A type that is read from a tree.
pub trait Readable: Sized {
    /// Reads it.
    ///
    /// # Errors
    /// Why the tree does not fit, and where.
    fn read(node: Node<'_>) -> Result<Self, Fault>;

    /// Reads it from the name of a field, where an object is a table.
    ///
    /// # Errors
    /// As [`Readable::read`].
    fn key(name: Cow<'_, str>) -> Result<Self, Fault> {
        Self::read(Node::Text(name))
    }

    /// What stands for a field that is not there.
    ///
    /// # Errors
    /// If it must be there.
    fn absent(name: &'static str) -> Result<Self, Fault> {
        Err(Fault::missing_field(name))
    }
}

/// Reads such a type from elsewhere.
///
/// # Errors
/// What its own reader says.
pub fn read_from<'de, T: Readable, D: Deserializer<'de>>(from: D) -> Result<T, D::Error> {
    T::read(Node::deserialize(from)?).map_err(D::Error::custom)
}

impl Readable for bool {
    fn read(node: Node<'_>) -> Result<Self, Fault> {
        match node {
            Node::Bool(value) => Ok(value),
            other => Err(other.unfit(&"a boolean")),
        }
    }
}

macro_rules! numbers {
    ($($kind:ident)*) => { $(
        impl Readable for $kind {
            fn read(node: Node<'_>) -> Result<Self, Fault> {
                let number = match &node {
                    Node::Unsigned(number) => (*number).try_into().ok(),
                    Node::Signed(number) => (*number).try_into().ok(),
                    other => return Err(other.unfit(&stringify!($kind))),
                };
                number.ok_or_else(|| Fault::invalid_value(node.unexpected(), &stringify!($kind)))
            }

            fn key(name: Cow<'_, str>) -> Result<Self, Fault> {
                Self::read(name.parse().map_or(Node::Text(name), Node::Unsigned))
            }
        }
    )* };
}

numbers!(u8 u16 u32 u64 usize i32 i64);

impl Readable for String {
    fn read(node: Node<'_>) -> Result<Self, Fault> {
        match node {
            Node::Text(text) => Ok(text.into_owned()),
            other => Err(other.unfit(&"a string")),
        }
    }
}

impl<T: ToOwned<Owned: Readable> + ?Sized> Readable for Cow<'_, T> {
    fn read(node: Node<'_>) -> Result<Self, Fault> {
        T::Owned::read(node).map(Cow::Owned)
    }
}

impl<T: Readable> Readable for Option<T> {
    fn read(node: Node<'_>) -> Result<Self, Fault> {
        match node {
            Node::Null => Ok(None),
            some => T::read(some).map(Some),
        }
    }

    fn absent(_name: &'static str) -> Result<Self, Fault> {
        Ok(None)
    }
}

macro_rules! holders {
    ($($holder:ident)*) => { $(
        impl<T: Readable> Readable for $holder<T> {
            fn read(node: Node<'_>) -> Result<Self, Fault> {
                T::read(node).map($holder::new)
            }

            fn absent(name: &'static str) -> Result<Self, Fault> {
                T::absent(name).map($holder::new)
            }
        }
    )* };
}

holders!(Box Arc);

macro_rules! collections {
    ($($collection:ident $add:ident $($order:ident)?;)*) => { $(
        impl<T: Readable $(+ $order)?> Readable for $collection<T> {
            fn read(node: Node<'_>) -> Result<Self, Fault> {
                let mut items = $collection::new();
                node.each_item(&mut |item| {
                    items.$add(T::read(item)?);
                    Ok(())
                })?;
                Ok(items)
            }
        }
    )* };
}

collections! {
    Vec push;
    BTreeSet insert Ord;
}

impl<K: Readable + Ord, V: Readable> Readable for BTreeMap<K, V> {
    fn read(node: Node<'_>) -> Result<Self, Fault> {
        let mut table = BTreeMap::new();
        for (name, value) in node.fields(&"a map")? {
            let key = K::key(name.clone()).map_err(|fault| fault.named(name.clone()))?;
            table.insert(key, V::read(value).map_err(|fault| fault.within(name))?);
        }
        Ok(table)
    }
}

impl<A: Readable, B: Readable> Readable for (A, B) {
    fn read(node: Node<'_>) -> Result<Self, Fault> {
        let (mut first, mut second) = (None, None);
        node.in_order("a tuple of size 2", &mut [&mut first as &mut dyn Slot, &mut second])?;
        Ok((found(first), found(second)))
    }
}

impl<T: Readable> Readable for [T; 1] {
    fn read(node: Node<'_>) -> Result<Self, Fault> {
        let mut only = None;
        node.in_order("an array of length 1", &mut [&mut only as &mut dyn Slot])?;
        Ok([found(only)])
    }
}

impl Readable for IgnoredAny {
    fn read(_node: Node<'_>) -> Result<Self, Fault> {
        Ok(IgnoredAny)
    }
}

impl Readable for Value {
    fn read(node: Node<'_>) -> Result<Self, Fault> {
        Ok(match node {
            Node::Null => Value::Null,
            Node::Bool(value) => Value::Bool(value),
            Node::Unsigned(number) => Value::Number(number.into()),
            Node::Signed(number) => Value::Number(number.into()),
            Node::Float(number) => Number::from_f64(number).map_or(Value::Null, Value::Number),
            Node::Text(text) => Value::String(text.into_owned()),
            list @ Node::List(_) => Value::Array(Vec::read(list)?),
            object @ Node::Object(_) => Value::Object(Map::read(object)?),
        })
    }
}

impl Readable for Map<String, Value> {
    fn read(node: Node<'_>) -> Result<Self, Fault> {
        let mut fields = Map::new();
        for (name, value) in node.fields(&"a map")? {
            fields.insert(name.into_owned(), Value::read(value)?);
        }
        Ok(fields)
    }
}
