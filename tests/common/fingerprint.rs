//! What tells one state of a walk from another, with effect ids, commit ids and digests as numbers in order of appearance.
// A serializer has to name floats, too.
#![allow(clippy::disallowed_types)]

use serde::Serialize;
use serde::ser::*;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::hash::{DefaultHasher, Hasher};

/// What a field says of a state, by its name.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Field {
    Plain,
    /// Decides nothing.
    Aside,
    /// Counts heads that were seen, or a table of such: only their order decides anything.
    Ordinal,
    /// A number of which only whether it is nothing decides anything.
    Tally,
    /// A list of which only whether it is empty decides anything.
    List,
    /// One of the words that are collected.
    Word,
}

pub struct Fingerprint {
    /// What is hashed in the end: many small pieces cost more than one.
    bytes: Vec<u8>,
    names: BTreeMap<String, usize>,
    rule: fn(&str) -> Field,
    /// What is being looked at, and within how many fields that decide nothing.
    field: Field,
    aside: usize,
    /// As they come.
    ordinals: Vec<u64>,
    /// Of the fields that have some, wherever they stand.
    pub words: BTreeSet<String>,
}

impl Fingerprint {
    pub fn by(rule: fn(&str) -> Field) -> Fingerprint {
        let (bytes, names, ordinals, words) = Default::default();
        Fingerprint { bytes, names, rule, field: Field::Plain, aside: 0, ordinals, words }
    }

    /// A value, by what its JSON would say, without writing that down.
    pub fn value(&mut self, value: &impl Serialize) {
        value.serialize(self).unwrap();
    }

    /// A text with names between quotation marks.
    pub fn quoted(&mut self, text: &str) {
        text.split('"').for_each(|part| self.string(part));
    }

    /// What holds no names.
    pub fn plain(&mut self, text: &str) {
        self.write(text.as_bytes());
    }

    /// A whole string, which may be a name.
    pub fn string(&mut self, text: &str) {
        if self.aside > 0 {
            return;
        }
        match is_id(text) {
            true => self.name(text),
            false => self.write(text.as_bytes()),
        }
        self.write(b"\"");
    }

    fn name(&mut self, name: &str) {
        let known = self.names.get(name).copied();
        let number = known.unwrap_or_else(|| {
            self.names.insert(name.to_owned(), self.names.len());
            self.names.len() - 1
        });
        self.bytes.extend(number.to_ne_bytes());
    }

    fn write(&mut self, bytes: &[u8]) {
        if self.aside == 0 {
            self.bytes.extend_from_slice(bytes);
        }
    }

    fn mark(&mut self, mark: u8) -> Result<(), fmt::Error> {
        self.write(&[mark]);
        Ok(())
    }

    fn number(&mut self, number: u64) -> Result<(), fmt::Error> {
        match self.field {
            Field::Ordinal if self.aside == 0 => self.ordinals.push(number),
            Field::Tally => self.write(&[b'#', u8::from(number == 0)]),
            _ => {
                self.write(b"#");
                self.write(&number.to_ne_bytes());
            }
        }
        Ok(())
    }

    fn named(&mut self, field: Field, value: &(impl Serialize + ?Sized)) -> Result<(), fmt::Error> {
        self.field = field;
        self.aside += usize::from(field == Field::Aside);
        value.serialize(&mut *self)?;
        self.aside -= usize::from(field == Field::Aside);
        Ok(())
    }

    /// Begins what holds others; `true` if none of them decides anything by itself.
    fn open(&mut self, name: &str, rest: bool) -> Result<Inside<'_>, fmt::Error> {
        self.mark(b'{')?;
        self.string(name);
        let (table, key) = (self.field == Field::Ordinal, Field::Plain);
        self.aside += usize::from(rest);
        Ok(Inside { print: self, table, key, rest })
    }

    pub fn finish(mut self) -> u64 {
        let known: BTreeSet<u64> = self.ordinals.iter().copied().collect();
        let ranks: BTreeMap<u64, usize> = known.into_iter().zip(0..).collect();
        self.bytes.extend(self.ordinals.iter().flat_map(|one| ranks[one].to_ne_bytes()));
        let mut hasher = DefaultHasher::new();
        hasher.write(&self.bytes);
        hasher.finish()
    }
}

impl Default for Fingerprint {
    fn default() -> Self {
        Fingerprint::by(|_| Field::Plain)
    }
}

/// Whether this is the id of an effect or of a commit, or a digest.
fn is_id(text: &str) -> bool {
    let whole = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let hex = || text.len() >= 40 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    text.as_bytes().first().is_some_and(u8::is_ascii_hexdigit)
        && (hex() || text.split_once('.').is_some_and(|(seq, n)| whole(seq) && whole(n)))
}

/// A list, a table or a struct that is being looked at.
pub struct Inside<'a> {
    print: &'a mut Fingerprint,
    /// Whether it is a table of ordinals, by path.
    table: bool,
    /// What its next value is.
    key: Field,
    rest: bool,
}

impl Inside<'_> {
    fn field(&self, name: &str) -> Field {
        let own = (self.print.rule)(name);
        if self.table && own != Field::Aside { Field::Ordinal } else { own }
    }

    /// What the value of this name is; the name is looked at where that decides anything.
    fn name(&mut self, name: &str) -> Field {
        let field = self.field(name);
        if field != Field::Aside {
            self.print.string(name);
        }
        field
    }

    fn close(self) -> Result<(), fmt::Error> {
        self.print.aside -= usize::from(self.rest);
        self.print.mark(b'}')
    }
}

macro_rules! numbers {
    ($($name:ident $kind:ty, $wide:ident $from:expr;)*) => {
        $(fn $name(self, number: $kind) -> Result<(), fmt::Error> {
            self.$wide($from(number))
        })*
    };
}

type Name = &'static str;

impl<'a> Serializer for &'a mut Fingerprint {
    type Ok = ();
    type Error = fmt::Error;
    type SerializeSeq = Inside<'a>;
    type SerializeTuple = Inside<'a>;
    type SerializeTupleStruct = Inside<'a>;
    type SerializeTupleVariant = Inside<'a>;
    type SerializeMap = Inside<'a>;
    type SerializeStruct = Inside<'a>;
    type SerializeStructVariant = Inside<'a>;

    numbers! {
        serialize_i8 i8, serialize_i64 i64::from;
        serialize_i16 i16, serialize_i64 i64::from;
        serialize_i32 i32, serialize_i64 i64::from;
        serialize_i64 i64, number i64::cast_unsigned;
        serialize_u8 u8, number u64::from;
        serialize_u16 u16, number u64::from;
        serialize_u32 u32, number u64::from;
        serialize_u64 u64, number u64::from;
        serialize_f32 f32, serialize_f64 f64::from;
        serialize_f64 f64, number f64::to_bits;
        serialize_char char, number u64::from;
    }

    fn serialize_bool(self, yes: bool) -> Result<(), fmt::Error> {
        self.mark(if yes { b't' } else { b'f' })
    }

    fn serialize_str(self, text: &str) -> Result<(), fmt::Error> {
        if self.field == Field::Word && !self.words.contains(text) {
            self.words.insert(text.to_owned());
        }
        self.string(text);
        Ok(())
    }

    fn serialize_bytes(self, bytes: &[u8]) -> Result<(), fmt::Error> {
        self.write(bytes);
        self.mark(b'"')
    }

    fn serialize_none(self) -> Result<(), fmt::Error> {
        self.mark(b'n')
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), fmt::Error> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<(), fmt::Error> {
        self.mark(b'n')
    }

    fn serialize_unit_struct(self, _: Name) -> Result<(), fmt::Error> {
        self.mark(b'n')
    }

    fn serialize_unit_variant(self, _: Name, _: u32, variant: Name) -> Result<(), fmt::Error> {
        self.serialize_str(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: Name,
        value: &T,
    ) -> Result<(), fmt::Error> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: Name,
        _: u32,
        variant: Name,
        value: &T,
    ) -> Result<(), fmt::Error> {
        let inside = self.open(variant, false)?;
        inside.print.named(inside.field(variant), value)?;
        inside.close()
    }

    fn serialize_seq(self, length: Option<usize>) -> Result<Inside<'a>, fmt::Error> {
        let rest = self.field == Field::List;
        if rest {
            self.mark(u8::from(length == Some(0)))?;
        }
        self.open("[", rest)
    }

    fn serialize_tuple(self, _: usize) -> Result<Inside<'a>, fmt::Error> {
        self.open("[", false)
    }

    fn serialize_tuple_struct(self, _: Name, _: usize) -> Result<Inside<'a>, fmt::Error> {
        self.open("[", false)
    }

    fn serialize_tuple_variant(
        self,
        _: Name,
        _: u32,
        variant: Name,
        _: usize,
    ) -> Result<Inside<'a>, fmt::Error> {
        self.open(variant, false)
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Inside<'a>, fmt::Error> {
        self.open("", false)
    }

    fn serialize_struct(self, _: Name, _: usize) -> Result<Inside<'a>, fmt::Error> {
        self.open("", false)
    }

    fn serialize_struct_variant(
        self,
        _: Name,
        _: u32,
        variant: Name,
        _: usize,
    ) -> Result<Inside<'a>, fmt::Error> {
        self.open(variant, false)
    }
}

macro_rules! insides {
    ($($kind:ident $item:ident $($name:ident)?;)*) => {
        $(impl $kind for Inside<'_> {
            type Ok = ();
            type Error = fmt::Error;

            fn $item<T: Serialize + ?Sized>(
                &mut self,
                $($name: Name,)?
                value: &T,
            ) -> Result<(), fmt::Error> {
                // An item without a name is as it stands.
                let field = [$(self.name($name),)? Field::Plain][0];
                self.print.named(field, value)
            }

            fn end(self) -> Result<(), fmt::Error> {
                self.close()
            }
        })*
    };
}

insides! {
    SerializeSeq serialize_element;
    SerializeTuple serialize_element;
    SerializeTupleStruct serialize_field;
    SerializeTupleVariant serialize_field;
    SerializeStruct serialize_field name;
    SerializeStructVariant serialize_field name;
}

impl SerializeMap for Inside<'_> {
    type Ok = ();
    type Error = fmt::Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), fmt::Error> {
        let name = serde_json::to_string(key).unwrap();
        self.key = self.name(name.trim_matches('"'));
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), fmt::Error> {
        self.print.named(self.key, value)
    }

    fn end(self) -> Result<(), fmt::Error> {
        self.close()
    }
}
