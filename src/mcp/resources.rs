//! The resources: the plan, one item, and what happened. All are read from the engine, but for the
//! history, which is the host's to read.

use crate::engine::Engine;
use crate::vocab::json;
use serde_json::{Value, json};

/// The plan.
const PLAN: &str = "endstate://plan";
/// What happened.
const HISTORY: &str = "endstate://history";
/// One item, by its id.
const ITEM: &str = "endstate://item/";
/// How many items are listed one by one; the template reaches all.
const MOST_LISTED: usize = 100;
/// The longest address that is looked at.
const MOST_URI: usize = 2_000;

/// What an address names.
pub(super) enum Named {
    /// This text.
    Text(String),
    /// What happened.
    History,
    /// Nothing.
    Nothing,
}

/// Every resource by itself.
pub(super) fn list(engine: Option<&Engine>) -> Value {
    let one = |uri: &str, name: &str, words: &str| json!({"uri": uri, "name": name, "description": words, "mimeType": "application/json"});
    let mut all = vec![
        one(
            PLAN,
            "plan",
            "Every item with its criteria, what waits for what, and what comes next.",
        ),
        one(HISTORY, "history", "The last events of the mission, oldest first."),
    ];
    let nodes = engine.map(|engine| engine.view().nodes).unwrap_or_default();
    for node in nodes.iter().take(MOST_LISTED) {
        let uri = format!("{ITEM}{}", encoded(&node.id));
        all.push(one(&uri, &node.id, "An item of the plan."));
    }
    Value::Array(all)
}

/// The resources that are many.
pub(super) fn templates() -> Value {
    json!([{
        "uriTemplate": format!("{ITEM}{{id}}"), "name": "item",
        "description": "One item of the plan with its criteria.", "mimeType": "application/json",
    }])
}

/// What `uri` names.
pub(super) fn named(engine: Option<&Engine>, uri: &str) -> Named {
    if uri.len() > MOST_URI {
        return Named::Nothing;
    }
    match (uri, engine) {
        (HISTORY, _) => Named::History,
        (PLAN, Some(engine)) => Named::Text(json::encode(&engine.view())),
        (uri, Some(engine)) => {
            let id = uri.strip_prefix(ITEM).and_then(decoded);
            let nodes = engine.view().nodes;
            let node = nodes.iter().find(|node| Some(&node.id) == id.as_ref());
            node.map_or(Named::Nothing, |node| Named::Text(json::encode(node)))
        }
        (_, None) => Named::Nothing,
    }
}

/// The result of reading a resource.
pub(super) fn contents(uri: &str, text: &str) -> Value {
    json!({"contents": [{"uri": uri, "mimeType": "application/json", "text": text}]})
}

/// An id as a part of an address.
fn encoded(id: &str) -> String {
    let mut text = String::with_capacity(id.len());
    for byte in id.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => {
                text.push(char::from(byte));
            }
            _ => text.push_str(&format!("%{byte:02X}")),
        }
    }
    text
}

/// The id in a part of an address.
fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let digit = |byte: Option<u8>| char::from(byte?).to_digit(16);
        let value = digit(rest.next())? * 16 + digit(rest.next())?;
        bytes.push(u8::try_from(value).ok()?);
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_id_survives_the_way_into_an_address_and_back() {
        for id in ["S1", "a b/c?", "größe", "%", "%4", "../..", "\u{1b}[31m"] {
            assert_eq!(decoded(&encoded(id)).as_deref(), Some(id), "{id}");
        }
        for bad in ["%", "%4", "%zz", "%ff"] {
            assert_eq!(decoded(bad), None, "{bad}");
        }
    }
}
