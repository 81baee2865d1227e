//! One decoder everywhere: what is refused natively is refused in WebAssembly, with the same code.
//!
//! [`decode`] reads text that must fit a type exactly. [`RawObject`] reads objects of other
//! people, keeping what it does not know as raw text.

mod node;
mod noting;
mod raw;
mod read;
pub mod shape;
mod write;

pub use endstate_derive::Readable;
pub use node::{Fault, Node};
pub use noting::decode_noting;
pub use raw::RawObject;
pub use read::{Readable, read_from};

use super::error::{Code, Error, Result};
pub use serde::Serialize;
use serde::de::IgnoredAny;
use serde_json::value::{RawValue, Value};
use shape::Slot;

/// The deepest nesting that is read.
pub const MOST_DEPTH: usize = 96;
/// The longest text that is read, in bytes.
pub const MOST_BYTES: usize = 64 * 1024 * 1024;
/// The largest integer that every JSON reader keeps exactly.
pub const MOST_INTEGER: u64 = 9_007_199_254_740_991;

/// Bytes as text.
///
/// # Errors
/// [`Code::NotUtf8`] with the offset of the first bad byte.
pub fn utf8(bytes: &[u8]) -> Result<&str> {
    std::str::from_utf8(bytes).map_err(|error| {
        let at = format!("byte {}", error.valid_up_to());
        let byte = bytes.get(error.valid_up_to()).copied().unwrap_or(0);
        Error::new(Code::NotUtf8, at, "UTF-8", format!("byte 0x{byte:02x}"))
    })
}

/// Refuses text that no reader should be given: empty, marked, too long, too deep, or with
/// integers that other readers would round.
///
/// # Errors
/// `empty`, `byte_order_mark`, `too_large`, `too_deep` or `number_out_of_range`.
pub fn guard(text: &str) -> Result<()> {
    guard_shape(text)?;
    guard_numbers(text)
}

/// As [`guard`], without looking at numbers: for objects whose unknown fields are kept raw.
///
/// # Errors
/// `empty`, `byte_order_mark`, `too_large` or `too_deep`.
pub fn guard_shape(text: &str) -> Result<()> {
    if text.len() > MOST_BYTES {
        let got = format!("{} bytes", text.len());
        return Err(Error::new(Code::TooLarge, "", format!("at most {MOST_BYTES} bytes"), got));
    }
    if text.starts_with('\u{feff}') {
        return Err(Error::new(Code::ByteOrderMark, "", "JSON", "a byte order mark"));
    }
    if text.trim().is_empty() {
        return Err(Error::new(Code::Empty, "", "JSON", "nothing"));
    }
    let mut depth = 0_usize;
    for (offset, byte) in outside(text) {
        match byte {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > MOST_DEPTH {
            let at = format!("byte {offset}");
            let expected = format!("at most {MOST_DEPTH} levels");
            return Err(Error::new(Code::TooDeep, at, expected, "a deeper level"));
        }
    }
    Ok(())
}

/// The bytes that are in no string literal, each with its offset; of a literal only the quote that opens it.
fn outside(text: &str) -> impl Iterator<Item = (usize, u8)> {
    let bytes = text.as_bytes();
    let mut next = 0;
    std::iter::from_fn(move || {
        let (at, byte) = (next, *bytes.get(next)?);
        next = match byte {
            b'"' => behind_literal(bytes, at).unwrap_or(bytes.len()),
            _ => at + 1,
        };
        Some((at, byte))
    })
}

/// Where the literal ends whose quote stands at `at`, if it does.
fn behind_literal(bytes: &[u8], at: usize) -> Option<usize> {
    let mut next = at + 1;
    while let Some(byte) = bytes.get(next) {
        match byte {
            b'"' => return Some(next + 1),
            b'\\' => next += 2,
            _ => next += 1,
        }
    }
    None
}

fn guard_numbers(text: &str) -> Result<()> {
    let goes_on = |byte: &u8| matches!(byte, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-');
    let mut behind = 0;
    for (at, byte) in outside(text) {
        if at < behind || !byte.is_ascii_digit() {
            continue;
        }
        let rest = text.get(at..).unwrap_or_default();
        let (literal, tail) = rest.split_at(rest.bytes().take_while(u8::is_ascii_digit).count());
        behind = at + literal.len() + tail.bytes().take_while(goes_on).count();
        let whole = !tail.starts_with(['.', 'e', 'E']);
        if whole && literal.parse::<u64>().map_or(true, |value| value > MOST_INTEGER) {
            return Err(out_of_range(&format!("byte {at}"), literal));
        }
    }
    Ok(())
}

/// Checks that a value made in code can be read again from its own text, here and by every reader.
///
/// # Errors
/// As [`decode`]; a number that is too large is named by its path.
pub fn readable<T: Serialize + Readable>(value: &T) -> Result<()> {
    let text = encode(value);
    match decode::<T>(&text) {
        Ok(_) => Ok(()),
        Err(error) => match error.at.strip_prefix("byte ").and_then(|at| at.parse().ok()) {
            Some(offset) if error.code == Code::NumberOutOfRange => {
                Err(Error { at: path_to(&text, offset), ..error })
            }
            _ => Err(error),
        },
    }
}

/// The error of an integer that some readers would round.
pub fn out_of_range(at: &str, got: &str) -> Error {
    let expected = format!("an integer from -{MOST_INTEGER} to {MOST_INTEGER}");
    Error::new(Code::NumberOutOfRange, at, expected, got)
}

/// Reads `text`, which must be an object, as a `T`, naming the place of the first fault.
///
/// # Errors
/// Kind `malformed`, with the JSON path, what was expected and what came.
pub fn decode<T: Readable>(text: &str) -> Result<T> {
    guard(text)?;
    // A list of the right length would be taken for a struct.
    if text.trim_start().starts_with('[') {
        return Err(no_object());
    }
    decode_unguarded(text)
}

/// The error of a field that an object has twice.
fn twice(at: &str, name: &str) -> Error {
    Error::new(Code::DuplicateField, at, "each field once", format!("field `{name}` twice"))
}

fn no_object() -> Error {
    Error::new(Code::NotAnObject, "", "a JSON object", "a list")
}

/// As [`decode`], for text that [`guard`] has passed already or that we wrote ourselves.
///
/// # Errors
/// As [`decode`].
pub fn decode_unguarded<T: Readable>(text: &str) -> Result<T> {
    let mut read: Option<T> = None;
    fill(&mut read, text)?;
    Ok(shape::found(read))
}

/// Compiled once, and not for each type.
fn fill(slot: &mut dyn Slot, text: &str) -> Result<()> {
    slot.fill(tree(text)?).map_err(|fault| unfit(&fault, text))
}

/// The tree of a text.
fn tree(text: &str) -> Result<Node<'_>> {
    serde_json::from_str(text).map_err(|error| unreadable(text, &error))
}

/// As [`decode`], for the value of a field `name`: a fault is placed there, not at a line of its text.
///
/// # Errors
/// As [`decode`].
pub fn decode_within<T: Readable>(raw: &str, name: &str) -> Result<T> {
    let read = guard_numbers(raw).and_then(|()| decode_unguarded(raw));
    read.map_err(|error| unplaced(error).within(name))
}

fn unplaced(error: Error) -> Error {
    match error.at.starts_with("line ") {
        true => Error { at: String::new(), ..error },
        false => error,
    }
}

/// The values of a list, each as it is written.
///
/// # Errors
/// `wrong_type` for another value.
pub fn raw_list(text: &str) -> Result<Vec<Box<RawValue>>> {
    serde_json::from_str(text).map_err(|error| match decode_unguarded::<Vec<IgnoredAny>>(text) {
        Err(other) => unplaced(other),
        Ok(_) => unreadable(text, &error),
    })
}

/// A tree that does not fit, as an error of ours. What has no path is placed at the end of the text.
fn unfit(fault: &Fault, text: &str) -> Error {
    let at = match path_of(fault.0.path.iter().rev()) {
        path if path.is_empty() => end_of(text),
        path => path,
    };
    explain(at, &fault.0.what)
}

fn end_of(text: &str) -> String {
    let text = text.trim_end();
    let (before, last) = text
        .rsplit_once('\n')
        .map_or((0, text), |(before, last)| (before.split('\n').count(), last));
    format!("line {} column {}", before + 1, last.len())
}

/// The byte an error of the JSON reader is about.
fn offset_of(text: &str, error: &serde_json::Error) -> usize {
    let lines = text.split_inclusive('\n').take(error.line().saturating_sub(1));
    lines.map(str::len).sum::<usize>() + error.column()
}

/// The JSON path of the value that is being read at a byte of the text. Found only when something is
/// wrong, from the text itself: readers that keep track while they read cost every read.
fn path_to(text: &str, offset: usize) -> String {
    let mut open: Vec<Segment> = Vec::new();
    for (at, byte) in outside(text).take_while(|(at, _)| *at < offset) {
        match byte {
            // A text that has ended may be a key; a value comes after its colon.
            b'"' => {
                let end = behind_literal(text.as_bytes(), at).filter(|end| *end <= offset);
                if let (Some(Segment::Field(name @ None)), Some(end)) = (open.last_mut(), end) {
                    let literal = text.get(at..end).unwrap_or_default();
                    *name = Some(serde_json::from_str(literal).unwrap_or_default());
                }
            }
            b'{' => open.push(Segment::Field(None)),
            b'[' => open.push(Segment::Place(0)),
            b'}' | b']' => drop(open.pop()),
            b',' => match open.last_mut() {
                Some(Segment::Field(name)) => *name = None,
                Some(Segment::Place(place)) => *place += 1,
                None => {}
            },
            _ => {}
        }
    }
    path_of(open.iter())
}

/// Steps, the outermost first, as a path.
fn path_of<'a>(steps: impl Iterator<Item = &'a Segment>) -> String {
    let mut path = String::new();
    for step in steps {
        match step {
            Segment::Field(Some(name)) if path.is_empty() => path.push_str(name),
            Segment::Field(Some(name)) => path.extend([".", name]),
            Segment::Field(None) => {}
            Segment::Place(place) => path.push_str(&format!("[{place}]")),
        }
    }
    path
}

/// A step of a path: a field of an object, once its name is read, or a place in a list.
#[derive(Debug)]
enum Segment {
    Field(Option<String>),
    Place(usize),
}

/// A text that is no JSON, as an error of ours.
fn unreadable(text: &str, error: &serde_json::Error) -> Error {
    let path = path_to(text, offset_of(text, error));
    let message = error.to_string();
    let (what, place) = match message.rfind(" at line ") {
        Some(at) => (&message[..at], message[at + 4..].to_owned()),
        None => (message.as_str(), format!("line {} column {}", error.line(), error.column())),
    };
    let at = if path.is_empty() { place } else { path };
    if error.is_eof() {
        return Error::new(Code::Truncated, at, "the end of the value", "the end of the text");
    }
    let line = text.lines().nth(error.line().saturating_sub(1)).unwrap_or_default();
    let near: String = line.chars().skip(error.column().saturating_sub(12)).take(24).collect();
    Error::new(Code::Syntax, at, what, format!("…{near}…"))
}

/// What serde says of a value that does not fit, as an error of ours.
fn explain(at: String, what: &str) -> Error {
    let quoted = |nth: usize| what.split('`').nth(nth * 2 + 1).unwrap_or_default().to_owned();
    let expected =
        || what.split_once(", expected ").map_or_else(String::new, |(_, tail)| plain(tail));
    let starts = |prefix: &str| what.starts_with(prefix);
    if starts("unknown field") {
        return Error::new(Code::UnknownField, at, expected(), format!("field `{}`", quoted(0)));
    }
    if starts("unknown variant") {
        return Error::new(Code::UnknownValue, at, expected(), format!("`{}`", quoted(0)));
    }
    if starts("missing field") {
        return Error::new(
            Code::MissingField,
            at,
            format!("field `{}`", quoted(0)),
            "no such field",
        );
    }
    if starts("duplicate field") {
        return twice(&at, &quoted(0));
    }
    if starts("invalid type: ") || starts("invalid value: ") {
        let got = what.split_once(": ").map_or(what, |(_, tail)| tail);
        let got = got.split_once(", expected").map_or(got, |(head, _)| head);
        let integer = starts("invalid value: integer");
        let code = match (integer, starts("invalid value: ")) {
            (true, _) => Code::NumberOutOfRange,
            (false, true) => Code::InvalidValue,
            (false, false) => Code::WrongType,
        };
        let got = match got {
            "map" => "an object",
            "sequence" => "a list",
            other => other,
        };
        return Error::new(code, at, expected(), got);
    }
    Error::new(Code::InvalidValue, at, what, "another value")
}

/// What was expected, in words that are no names of this program's own types.
fn plain(expected: &str) -> String {
    match expected {
        "a sequence" => "a list".to_owned(),
        "a map" => "an object".to_owned(),
        "a boolean" => "true or false".to_owned(),
        "u8" | "u16" | "u32" => {
            let most = match expected {
                "u8" => u64::from(u8::MAX),
                "u16" => u64::from(u16::MAX),
                _ => u64::from(u32::MAX),
            };
            format!("a whole number from 0 to {most}")
        }
        "u64" | "usize" => "a whole number, 0 or more".to_owned(),
        "i8" | "i16" | "i32" | "i64" | "isize" => "a whole number".to_owned(),
        named if named.starts_with("struct ") || named.starts_with("internally tagged enum ") => {
            "an object".to_owned()
        }
        other => other.to_owned(),
    }
}

/// The JSON text of a value of ours.
pub fn encode<T: Serialize + ?Sized>(value: &T) -> String {
    // Our types have string keys only and no fallible serializers, so this cannot fail.
    write::text_of(value).unwrap_or_default()
}

/// A value of ours, as JSON has it.
pub fn value<T: Serialize + ?Sized>(value: &T) -> Value {
    decode_unguarded(&encode(value)).unwrap_or_default()
}

/// The word of a choice, as it is written in files and reports.
pub fn word<T: Serialize>(choice: T) -> String {
    encode(&choice).trim_matches('"').to_owned()
}

/// The choice of this word.
pub fn choice<T: Readable>(word: &str) -> Option<T> {
    decode_unguarded(&encode(word)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(text: &str) -> Option<Code> {
        guard(text).err().map(|error| error.code)
    }

    #[test]
    fn guard_names_each_fault() {
        assert_eq!(code(""), Some(Code::Empty));
        assert_eq!(code("\u{feff}{}"), Some(Code::ByteOrderMark));
        assert_eq!(code(&"[".repeat(100_000)), Some(Code::TooDeep));
        assert_eq!(code("{\"a\":9007199254740992}"), Some(Code::NumberOutOfRange));
        assert_eq!(code("{\"a\":-9007199254740992}"), Some(Code::NumberOutOfRange));
        assert_eq!(code("{\"a\":9007199254740991}"), None);
        assert_eq!(code("{\"a\":1234567890123456789.5e3}"), None);
        assert_eq!(code("{\"a\":0.12345678901234567890}"), None);
        assert_eq!(code("\"12345678901234567890 [[[\""), None);
        assert_eq!(code("12345678901234567890"), Some(Code::NumberOutOfRange));
    }

    #[test]
    fn raw_objects_keep_what_they_do_not_know() {
        let object = RawObject::read("{\"a\":1, \"b\":[1.50, 99999999999999999999]}").unwrap();
        assert_eq!(object.field::<u8>("a").unwrap(), 1);
        let others = object.others(&["a"]);
        assert_eq!(others, vec![("b".to_owned(), "[1.50, 99999999999999999999]".to_owned())]);
        assert_eq!(object.field::<String>("a").unwrap_err().code, Code::WrongType);
        assert_eq!(object.field::<u8>("c").unwrap_err().code, Code::MissingField);
        assert_eq!(RawObject::read("[1]").unwrap_err().code, Code::NotAnObject);
        let twice = RawObject::read("{\"a\":1,\"a\":2}").unwrap_err();
        assert_eq!(twice.code, Code::DuplicateField);
    }
}
