//! The one writer of JSON. Each type that is written is compiled for it alone, and what does not depend on the type stands here
//! once: serde_json's own is made anew for each value that an object or a list may hold.

#![allow(clippy::disallowed_types, reason = "a number with a point is handed on as it was read")]

use serde::ser::{self, Error, Serialize, Serializer};
use std::fmt::{self, Display};

/// Under this name serde_json hands over a value that is JSON already.
const RAW: &str = "$serde_json::private::RawValue";

/// The compact text of a value; nothing if its type refuses to be written.
pub(super) fn text_of<T: Serialize + ?Sized>(value: &T) -> Option<String> {
    let mut writer = Writer { out: String::new(), raw: false };
    value.serialize(&mut writer).is_ok().then_some(writer.out)
}

struct Writer {
    out: String,
    /// The next text is JSON already.
    raw: bool,
}

/// A type that refuses to be written.
#[derive(Debug)]
struct Refused;

impl Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("it is not written")
    }
}

impl std::error::Error for Refused {}

impl Error for Refused {
    fn custom<T: Display>(_why: T) -> Self {
        Refused
    }
}

type Done = Result<(), Refused>;

impl Writer {
    #[inline(never)]
    fn raw(&mut self, text: &str) -> Done {
        self.out.push_str(text);
        Ok(())
    }

    /// A text with its quotes. What needs none is copied in one piece.
    #[inline(never)]
    fn text(&mut self, text: &str) -> Done {
        if std::mem::take(&mut self.raw) {
            return self.raw(text);
        }
        self.out.push('"');
        let mut from = 0;
        for (at, byte) in text.bytes().enumerate() {
            let short = match byte {
                b'"' => "\\\"",
                b'\\' => "\\\\",
                b'\n' => "\\n",
                b'\r' => "\\r",
                b'\t' => "\\t",
                0x08 => "\\b",
                0x0c => "\\f",
                0..0x20 => "\\u00",
                _ => continue,
            };
            self.out.push_str(&text[from..at]);
            self.out.push_str(short);
            if short.len() > 2 {
                let digit = |number: u8| char::from_digit(number.into(), 16).unwrap_or('0');
                self.out.extend([digit(byte >> 4), digit(byte & 15)]);
            }
            from = at + 1;
        }
        self.out.push_str(&text[from..]);
        self.out.push('"');
        Ok(())
    }

    #[inline(never)]
    fn number(&mut self, negative: bool, mut number: u64) -> Done {
        let (mut digits, mut at) = ([b'0'; 20], 20);
        while at == 20 || number > 0 {
            at -= 1;
            digits[at] = b'0' + (number % 10) as u8;
            number /= 10;
        }
        if negative {
            self.out.push('-');
        }
        self.out.extend(digits[at..].iter().map(|digit| char::from(*digit)));
        Ok(())
    }

    /// Makes the name of a field of what was written since then.
    #[inline(never)]
    fn quote(&mut self, from: usize) {
        if !self.out[from..].starts_with('"') {
            self.out.insert(from, '"');
            self.out.push('"');
        }
        self.out.push(':');
    }

    /// What begins here and has parts, with what stands behind them.
    #[inline(never)]
    fn begin(&mut self, start: &'static str, end: &'static str) -> Parts<'_> {
        self.out.push_str(start);
        Parts { writer: self, first: true, end }
    }

    #[inline(never)]
    fn variant(&mut self, name: &str) {
        self.out.push('{');
        let _written = self.text(name);
        self.out.push(':');
    }
}

/// The parts of an object or a list.
struct Parts<'w> {
    writer: &'w mut Writer,
    first: bool,
    end: &'static str,
}

impl Parts<'_> {
    #[inline(never)]
    fn next(&mut self) {
        if !self.first {
            self.writer.out.push(',');
        }
        self.first = false;
    }

    #[inline(never)]
    fn name(&mut self, name: &str) {
        if self.end.is_empty() {
            self.writer.raw = true;
            return;
        }
        self.next();
        let _written = self.writer.text(name);
        self.writer.out.push(':');
    }

    #[inline(never)]
    fn close(self) -> Done {
        self.writer.raw(self.end)
    }
}

type Begun<'w> = Result<Parts<'w>, Refused>;

macro_rules! numbers {
    ($($method:ident $kind:ty)*) => { $(
        fn $method(self, number: $kind) -> Done {
            let number = i64::from(number);
            self.number(number < 0, number.unsigned_abs())
        }
    )* };
}

/// What stands between brackets, with the arguments that say nothing new.
macro_rules! begins {
    ($($method:ident($($_of:ty),*) $start:literal $end:literal;)*) => { $(
        fn $method(self, $(_: $_of),*) -> Begun<'w> {
            Ok(self.begin($start, $end))
        }
    )* };
}

/// The same below the name of a variant.
macro_rules! begins_variants {
    ($($method:ident $start:literal $end:literal;)*) => { $(
        fn $method(self, _: &'static str, _: u32, name: &'static str, _: usize) -> Begun<'w> {
            self.variant(name);
            Ok(self.begin($start, $end))
        }
    )* };
}

impl<'w> Serializer for &'w mut Writer {
    type Ok = ();
    type Error = Refused;
    type SerializeSeq = Parts<'w>;
    type SerializeTuple = Parts<'w>;
    type SerializeTupleStruct = Parts<'w>;
    type SerializeTupleVariant = Parts<'w>;
    type SerializeMap = Parts<'w>;
    type SerializeStruct = Parts<'w>;
    type SerializeStructVariant = Parts<'w>;

    numbers! {
        serialize_i8 i8 serialize_i16 i16 serialize_i32 i32 serialize_i64 i64
        serialize_u8 u8 serialize_u16 u16 serialize_u32 u32
    }

    begins! {
        serialize_seq(Option<usize>) "[" "]";
        serialize_tuple(usize) "[" "]";
        serialize_tuple_struct(&'static str, usize) "[" "]";
        serialize_map(Option<usize>) "{" "}";
    }

    begins_variants! {
        serialize_tuple_variant "[" "]}";
        serialize_struct_variant "{" "}}";
    }

    fn serialize_u64(self, number: u64) -> Done {
        self.number(false, number)
    }

    fn serialize_f32(self, number: f32) -> Done {
        self.raw(&serde_json::to_string(&number).unwrap_or_default())
    }

    fn serialize_f64(self, number: f64) -> Done {
        self.raw(&serde_json::to_string(&number).unwrap_or_default())
    }

    fn serialize_bool(self, value: bool) -> Done {
        self.raw(if value { "true" } else { "false" })
    }

    fn serialize_char(self, letter: char) -> Done {
        self.text(letter.encode_utf8(&mut [0; 4]))
    }

    fn serialize_str(self, text: &str) -> Done {
        self.text(text)
    }

    fn serialize_bytes(self, bytes: &[u8]) -> Done {
        self.collect_seq(bytes)
    }

    fn serialize_none(self) -> Done {
        self.raw("null")
    }

    fn serialize_unit(self) -> Done {
        self.raw("null")
    }

    fn serialize_unit_struct(self, _name: &'static str) -> Done {
        self.raw("null")
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Done {
        value.serialize(self)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Done {
        value.serialize(self)
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, word: &'static str) -> Done {
        self.text(word)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Done {
        self.variant(variant);
        value.serialize(&mut *self)?;
        self.raw("}")
    }

    fn serialize_struct(self, name: &'static str, _: usize) -> Begun<'w> {
        Ok(if name == RAW { self.begin("", "") } else { self.begin("{", "}") })
    }
}

macro_rules! parts {
    ($($part:ident $method:ident($($name:ident)?);)*) => { $(
        impl ser::$part for Parts<'_> {
            type Ok = ();
            type Error = Refused;

            fn $method<T: Serialize + ?Sized>(&mut self, $($name: &'static str,)? value: &T) -> Done {
                parts!(self $($name)?);
                value.serialize(&mut *self.writer)
            }

            fn end(self) -> Done {
                self.close()
            }
        }
    )* };
    ($self:ident) => { $self.next() };
    ($self:ident $name:ident) => { $self.name($name) };
}

parts! {
    SerializeSeq serialize_element();
    SerializeTuple serialize_element();
    SerializeTupleStruct serialize_field();
    SerializeTupleVariant serialize_field();
    SerializeStruct serialize_field(name);
    SerializeStructVariant serialize_field(name);
}

impl ser::SerializeMap for Parts<'_> {
    type Ok = ();
    type Error = Refused;

    /// A name is a text: a number gets quotes.
    fn serialize_key<T: Serialize + ?Sized>(&mut self, name: &T) -> Done {
        self.next();
        let from = self.writer.out.len();
        name.serialize(&mut *self.writer)?;
        self.writer.quote(from);
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Done {
        value.serialize(&mut *self.writer)
    }

    fn end(self) -> Done {
        self.close()
    }
}
