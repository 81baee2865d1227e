//! What crosses the border of WebAssembly, the same for every module: arguments are read and checked, answers and errors
//! become values of JavaScript.
//!
//! Inwards only text, bytes and numbers are read, never a live JavaScript object, so no foreign getter can run while an engine
//! is held. Arguments are taken as they come and checked here, in the same words as natively, because the generated glue would
//! turn a wrong type into a wrong text. Outwards go plain objects, or JSON text where the size matters. Whatever is wrong is
//! thrown as an `Error` with `code`, `kind`, `at`, `expected` and `got`. What names no errors has none that a caller can cause.
//!
//! **Nothing here traps on bad input**: an argument is copied and checked before anything is borrowed, and every length is
//! checked before memory is asked for. **No panic, no `unwrap`**, in no module.
//!
//! Numbers come in as JavaScript's only kind, hence the one float in the tree; it never gets past [`moment`].
#![allow(clippy::disallowed_types)]

use endstate::vocab::error::{Code, Error, Kind};
use endstate::vocab::event::EffectId;
use endstate::vocab::json::{self, MOST_BYTES};
use endstate::vocab::time::{LATEST, Millis};
use js_sys::{JsString, Reflect, Uint8Array};
use serde::Serialize;
use wasm_bindgen::prelude::*;

/// What a call answers, or what it throws.
pub type Answer<T = JsValue> = Result<T, JsValue>;

/// An argument that need not be given, if it is.
pub fn given(value: &JsValue) -> Option<&JsValue> {
    (!value.is_undefined() && !value.is_null()).then_some(value)
}

/// The text of an argument that need not be given.
pub fn word(value: &JsValue, name: &str, otherwise: &str) -> Result<String, Error> {
    given(value).map_or_else(|| Ok(otherwise.to_owned()), |value| text(value, name))
}

/// The text of an argument; nothing of the caller's runs while it is read.
pub fn text(value: &JsValue, name: &str) -> Result<String, Error> {
    let Some(string) = value.dyn_ref::<JsString>() else {
        return Err(wrong_type(value, name, "text"));
    };
    // No UTF-16 text is shorter in UTF-8, so this can be known before it is copied.
    let units = usize::try_from(string.length()).unwrap_or(usize::MAX);
    if units > MOST_BYTES {
        let expected = format!("at most {MOST_BYTES} bytes");
        return Err(Error::new(Code::TooLarge, name, expected, format!("{units} characters")));
    }
    let text = String::from(string);
    // A lone surrogate arrives as the replacement character; the same character may be meant.
    if text.contains('\u{fffd}') {
        let lone = |unit: &Result<char, _>| unit.is_err();
        if let Some(unit) = char::decode_utf16(string.iter()).position(|unit| lone(&unit)) {
            let at = format!("{name}, character {unit}");
            return Err(Error::new(Code::NotUtf8, at, "Unicode text", "a lone surrogate"));
        }
    }
    Ok(text)
}

/// The bytes of an argument.
pub fn bytes(value: &JsValue, name: &str) -> Result<Vec<u8>, Error> {
    let Some(array) = value.dyn_ref::<Uint8Array>() else {
        return Err(wrong_type(value, name, "a Uint8Array"));
    };
    let length = usize::try_from(array.length()).unwrap_or(usize::MAX);
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(length).map_err(|_| {
        let got = format!("{length} bytes");
        Error::new(Code::TooLarge, name, "bytes that fit into memory", got)
    })?;
    bytes.resize(length, 0);
    array.copy_to(&mut bytes);
    Ok(bytes)
}

/// A time: a whole number of milliseconds that fits.
#[allow(clippy::float_arithmetic, clippy::cast_possible_truncation, clippy::cast_sign_loss)]
pub fn moment(value: &JsValue, name: &str) -> Result<Millis, Error> {
    let Some(number) = value.as_f64() else {
        return Err(wrong_type(value, name, "a number"));
    };
    let whole = number as u64;
    if number.fract() == 0.0 && number >= 0.0 && whole <= LATEST {
        return Ok(whole);
    }
    let expected = format!("milliseconds up to {LATEST}");
    Err(Error::new(Code::NumberOutOfRange, name, expected, number.to_string()))
}

/// The id of an effect, as an argument.
pub fn effect_id(value: &JsValue) -> Result<EffectId, Error> {
    text(value, "run")?.parse().map_err(|error: Error| Error { at: "run".to_owned(), ..error })
}

/// An argument is of another type.
pub fn wrong_type(value: &JsValue, name: &str, expected: &str) -> Error {
    let got = match value.is_null() {
        true => "null".to_owned(),
        false => value.js_typeof().as_string().unwrap_or_default(),
    };
    Error::new(Code::WrongType, name, expected, got)
}

/// No call comes back into an engine that is at work, since none of the caller's code runs inside;
/// should it ever happen, it is refused and not a trap.
pub fn busy() -> Error {
    Error::new(Code::NotStarted, "engine", "an engine at rest", "an engine at work")
}

/// A value of ours as a plain object: by its JSON text, which the program can write anyway.
pub fn object<T: Serialize + ?Sized>(value: &T) -> Answer {
    js_sys::JSON::parse(&json::encode(value))
}

/// An error as JavaScript throws it.
pub fn thrown(error: Error) -> JsValue {
    let thrown = js_sys::Error::new(&error.to_string());
    thrown.set_name("EndstateError");
    let kind = match error.kind {
        Kind::Malformed => "malformed",
        Kind::Refused => "refused",
        Kind::Broken => "broken",
    };
    let fields = [
        ("code", error.code.as_str()),
        ("kind", kind),
        ("at", error.at.as_str()),
        ("expected", error.expected.as_str()),
        ("got", error.got.as_str()),
    ];
    for (name, value) in fields {
        // A new error of our own takes every property.
        let _ = Reflect::set(&thrown, &name.into(), &value.into());
    }
    thrown.into()
}
