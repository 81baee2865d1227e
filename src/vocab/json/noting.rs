//! What was written by hand after a form, and says more than the form asks for.

use super::{MOST_BYTES, RawObject, decode, decode_unguarded, encode};
use crate::vocab::error::{Code, Error, Result};
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::value::RawValue;
use std::borrow::Cow;

/// As [`decode`], for what somebody wrote by hand after a form: a field that the form does not know, at any depth, is
/// taken out and named by its path; the rest counts.
///
/// # Errors
/// As [`decode`]; `duplicate_field` for a field twice in one object.
pub fn decode_noting<T: DeserializeOwned>(text: &str) -> Result<(T, Vec<String>)> {
    let (mut value, mut unknown) = (None, Vec::new());
    let mut known = Cow::Borrowed(text);
    // Each field costs a reading: all of them together no more than the longest text.
    let mut left = MOST_BYTES;
    loop {
        let fault = match decode(&known) {
            Ok(read) => return Ok((read, unknown)),
            Err(fault) => fault,
        };
        left = left.saturating_sub(known.len());
        if fault.code != Code::UnknownField || left == 0 {
            return Err(beside(fault, &unknown));
        }
        if value.is_none() {
            each_once(text)?;
            value = serde_json::from_str::<Value>(text).ok();
        }
        match value.as_mut().and_then(take_out::<T>) {
            Some(path) => unknown.push(path),
            None => return Err(fault),
        }
        known = encode(&value).into();
    }
}

/// A fault beside fields that no form knows: one of them may be the one that is missing, by another name.
fn beside(mut fault: Error, unknown: &[String]) -> Error {
    let near =
        unknown.iter().filter(|path| path.rsplit_once('.').map_or("", |(at, _)| at) == fault.at);
    let names: Vec<String> = near.take(3).map(|path| format!("`{path}`")).collect();
    if fault.code == Code::MissingField && !names.is_empty() {
        fault.got = format!("{}, but {}, which is unknown", fault.got, names.join(", "));
    }
    fault
}

/// Takes the first field that no `T` knows out of a value, and answers with its path.
fn take_out<T: DeserializeOwned>(value: &mut Value) -> Option<String> {
    use serde_path_to_error::Segment::{Map, Seq};
    // A place in the text would be the next one's where a variant is told by a field: it is read first, and judged later.
    let place = serde_path_to_error::deserialize::<_, T>(&*value).err()?;
    let fault = place.inner().to_string();
    let name = fault.strip_prefix("unknown field `")?.split('`').next()?;
    let (mut holder, mut path) = (value, String::new());
    for step in place.path() {
        match step {
            Seq { index } => {
                holder = holder.get_mut(index)?;
                path.push_str(&format!("[{index}]"));
            }
            Map { key } if holder.get(key).is_some_and(|_| key != name) => {
                holder = holder.get_mut(key)?;
                path.push_str(&format!("{}{key}", if path.is_empty() { "" } else { "." }));
            }
            _ => break,
        }
    }
    holder.as_object_mut()?.remove(name)?;
    Some(if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") })
}

/// Whether no object of a text has a field twice.
fn each_once(text: &str) -> Result<()> {
    match text.trim_start().bytes().next() {
        Some(b'{') => RawObject::read(text)?.0.iter().try_for_each(|(name, value)| {
            each_once(value.get()).map_err(|error| error.within(name))
        }),
        Some(b'[') => {
            let items: Vec<Box<RawValue>> = decode_unguarded(text)?;
            items.iter().try_for_each(|item| each_once(item.get()))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;

    #[test]
    fn what_no_form_knows_is_taken_out_and_named() {
        use crate::vocab::verdict::Verdict;
        #[derive(Debug, Deserialize)]
        struct Form {
            rows: Vec<Verdict>,
        }
        let row = |more: &str, evidence: &str| {
            let held = r#""criterion":"c","finding":"holds","method":"ran it""#;
            format!(r#"{{"rows":[{{{held}{more},"evidence":[{evidence}]}}]}}"#)
        };
        let test = r#"{"kind":"test","id":"t","note":"n"},{"kind":"manual","note":"seen","by":1}"#;
        let (form, unknown) = decode_noting::<Form>(&row(r#","note":"n","a.b":2"#, test)).unwrap();
        assert_eq!(form.rows[0].evidence.len(), 2);
        let mut named = unknown.clone();
        named.sort();
        let at = |name: &str| format!("rows[0].{name}");
        let all = ["a.b", "evidence[0].note", "evidence[1].by", "note"].map(at);
        assert_eq!(named, all);

        let fault = |text: &str| decode_noting::<Form>(text).unwrap_err();
        let twice = fault(&row(r#","note":1,"method":"other""#, ""));
        assert_eq!(twice.code, Code::DuplicateField);
        let renamed = fault(r#"{"rows":[{"criterion":"c","result":"holds","method":"ran it"}]}"#);
        assert_eq!((renamed.code, renamed.at.as_str()), (Code::MissingField, "rows[0]"));
        assert!(renamed.got.contains("`rows[0].result`"), "{renamed:?}");
    }
}
