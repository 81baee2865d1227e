//! JSON-RPC 2.0, one message a line: what came in, and how answers are written.
//!
//! Any line gets an answer, a refusal or silence, never more than that: too long, too deep, no JSON, a
//! list, a wrong version, a call without an id.

use crate::vocab::json;
use serde::Serialize;
use serde_json::{Map, Value, json};

/// The text is not JSON.
const PARSE_ERROR: i64 = -32700;
/// JSON, but no message.
pub(super) const INVALID_REQUEST: i64 = -32600;
/// No such method.
pub(super) const METHOD_NOT_FOUND: i64 = -32601;
/// The parameters do not fit.
pub(super) const INVALID_PARAMS: i64 = -32602;
/// No resource of this name; the number that MCP gives it.
pub(super) const RESOURCE_NOT_FOUND: i64 = -32002;

/// The longest line that is read, in bytes.
pub const MOST_LINE: usize = 8 * 1024 * 1024;

/// A message.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Message {
    /// Wants an answer.
    Request { id: Value, method: String, params: Map<String, Value> },
    /// Wants none.
    Notification { method: String, params: Map<String, Value> },
    /// An answer to something we never asked.
    Response,
}

/// Reads a line; the error is the answer to it.
pub(super) fn read(line: &str) -> Result<Message, String> {
    let nobody = Value::Null;
    if line.len() > MOST_LINE {
        let why = format!("expected at most {MOST_LINE} bytes");
        return Err(error(&nobody, INVALID_REQUEST, &why));
    }
    let parsed = json::guard_shape(line).map_err(|error| error.to_string());
    let parsed =
        parsed.and_then(|()| serde_json::from_str(line).map_err(|error| error.to_string()));
    let value: Value = parsed.map_err(|why| error(&nobody, PARSE_ERROR, &why))?;
    let Value::Object(mut fields) = value else {
        return Err(error(&nobody, INVALID_REQUEST, "expected one message, an object"));
    };
    let id = match fields.remove("id") {
        None => None,
        Some(id @ Value::String(_)) => Some(id),
        Some(Value::Number(id)) if id.is_i64() || id.is_u64() => Some(Value::Number(id)),
        Some(_) => {
            let why = "expected an id that is a text or a whole number";
            return Err(error(&nobody, INVALID_REQUEST, why));
        }
    };
    let invalid = |why| Err(error(id.as_ref().unwrap_or(&nobody), INVALID_REQUEST, why));
    if fields.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return invalid("expected \"jsonrpc\": \"2.0\"");
    }
    let method = match fields.remove("method") {
        Some(Value::String(method)) => method,
        None if fields.contains_key("result") || fields.contains_key("error") => {
            return Ok(Message::Response);
        }
        _ => return invalid("expected a method"),
    };
    match (id, fields.remove("params")) {
        (None, Some(Value::Object(params))) => Ok(Message::Notification { method, params }),
        // Nobody waits to be told what is wrong with it.
        (None, _) => Ok(Message::Notification { method, params: Map::new() }),
        (Some(id), None) => Ok(Message::Request { id, method, params: Map::new() }),
        (Some(id), Some(Value::Object(params))) => Ok(Message::Request { id, method, params }),
        (Some(id), Some(_)) => Err(error(&id, INVALID_PARAMS, "expected params to be an object")),
    }
}

/// The line that answers a request.
pub(super) fn result(id: &Value, result: &impl Serialize) -> String {
    json!({"jsonrpc": "2.0", "id": id, "result": result}).to_string()
}

/// The line that says why a request has no answer.
pub(super) fn error(id: &Value, code: i64, message: &str) -> String {
    json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}}).to_string()
}
