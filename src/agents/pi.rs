//! What pi prints with `--mode json`: one event a line.
//!
//! `session` names the session. Each question to the model is a `turn_start`; each `message_end` of the
//! assistant carries its content, its usage and a `stopReason`. `agent_end` is the end. pi exits with 0
//! whatever happened; `stopReason: "error"` with an `errorMessage` is how a failure looks. pi may
//! try again by itself after such an error, so only the last message before the end decides.

use super::heard::{Fate, Heard, blocks, count, text};
use serde_json::Value;

/// Reads pi.
#[derive(Debug, Default)]
pub struct Pi {
    /// How the last message says it ended.
    last: Option<Fate>,
}

impl Pi {
    /// Takes one event.
    pub fn line(&mut self, event: &Value, heard: &mut Heard) {
        match text(event, "/type") {
            "session" => heard.name(event.get("id").and_then(Value::as_str)),
            // Behind an end it may begin again: a retry, or an extension's next message.
            "agent_start" => heard.fate = None,
            "turn_start" => heard.turn(),
            "tool_execution_start" => {
                heard.tool(text(event, "/toolName"), event.get("args").unwrap_or(&Value::Null));
            }
            "message_end" if text(event, "/message/role") == "assistant" => {
                self.message(&event["message"], heard);
            }
            "agent_end" => heard.fate = self.last.clone().or(heard.fate.take()),
            _ => {}
        }
    }

    fn message(&mut self, message: &Value, heard: &mut Heard) {
        let tokens = match count(message, "/usage/totalTokens") {
            0 => ["input", "output", "cacheRead", "cacheWrite"].iter().fold(0, |sum: u64, name| {
                sum.saturating_add(count(message, &format!("/usage/{name}")))
            }),
            total => total,
        };
        heard.spend(tokens, message.pointer("/usage/cost/total"));
        heard.text = blocks(message.get("content"));
        heard.sign("text", &heard.text.clone());
        let reason = text(message, "/errorMessage");
        self.last = Some(match text(message, "/stopReason") {
            "length" => Fate::ContextUsed,
            "error" if reason.is_empty() => Fate::Failed("the model failed".to_owned()),
            "error" => Fate::Failed(reason.to_owned()),
            "aborted" => Fate::Failed("it was interrupted".to_owned()),
            "toolUse" => Fate::Failed("it ended in the middle of its work".to_owned()),
            _ => Fate::Finished,
        });
    }
}
