//! What opencode prints with `run --format json`: one event a line.
//!
//! Every event carries the `sessionID`. A question to the model is a `step_start`; its `text` parts belong to
//! one message; `step_finish` carries tokens, cost and the reason it stopped. There is no last event: the
//! reason of the last step decides, and an `error` event over it.

use super::heard::{Fate, Heard, count, text};
use serde_json::Value;

/// Reads opencode.
#[derive(Debug, Default)]
pub struct Opencode {
    message: String,
}

impl Opencode {
    /// Takes one event.
    pub fn line(&mut self, event: &Value, heard: &mut Heard) {
        heard.name(event.get("sessionID").and_then(Value::as_str));
        let part = &event["part"];
        match text(event, "/type") {
            "step_start" => {
                heard.turn();
                self.belongs(part, heard);
                if !matches!(heard.fate, Some(Fate::Failed(_))) {
                    heard.fate = None;
                }
            }
            "text" => {
                self.belongs(part, heard);
                if !heard.text.is_empty() {
                    heard.text.push('\n');
                }
                heard.text.push_str(text(part, "/text"));
                heard.sign("text", text(part, "/text"));
            }
            "tool_use" => {
                heard.tool(
                    text(part, "/tool"),
                    part.pointer("/state/input").unwrap_or(&Value::Null),
                );
                if text(part, "/state/status") == "error" {
                    heard.sign("tool", text(part, "/state/error"));
                }
            }
            "step_finish" => finished(part, heard),
            "error" => failed(&event["error"], heard),
            _ => {}
        }
    }

    /// A part of another message: the text so far was not the last one.
    fn belongs(&mut self, part: &Value, heard: &mut Heard) {
        let id = text(part, "/messageID");
        if id != self.message {
            id.clone_into(&mut self.message);
            heard.text.clear();
        }
    }
}

fn finished(part: &Value, heard: &mut Heard) {
    let tokens = match count(part, "/tokens/total") {
        0 => [
            "/tokens/input",
            "/tokens/output",
            "/tokens/reasoning",
            "/tokens/cache/read",
            "/tokens/cache/write",
        ]
        .iter()
        .fold(0, |sum: u64, place| sum.saturating_add(count(part, place))),
        total => total,
    };
    heard.spend(tokens, part.get("cost"));
    if matches!(heard.fate, Some(Fate::Failed(_))) {
        return;
    }
    heard.fate = match text(part, "/reason") {
        // It goes on after its tools; if it does not, nothing has said so.
        "tool-calls" => None,
        "length" => Some(Fate::ContextUsed),
        "error" | "content-filter" | "unknown" | "" => {
            Some(Fate::Failed(format!("the model stopped: {}", text(part, "/reason"))))
        }
        _ => Some(Fate::Finished),
    };
}

fn failed(error: &Value, heard: &mut Heard) {
    let (name, message) = (text(error, "/name"), text(error, "/data/message"));
    if name == "ContextOverflowError" || name == "MessageOutputLengthError" {
        heard.fate = Some(Fate::ContextUsed);
        return;
    }
    let status = match count(error, "/data/statusCode") {
        0 => String::new(),
        status => format!(" {status}"),
    };
    heard.fail(&format!("{name}{status}: {message}"));
}
