//! What codex prints with `exec --json`: one event a line.
//!
//! `thread.started` names the session; `item.completed` carries what was done, an `agent_message` its text;
//! `turn.completed` with the usage, or `turn.failed` with the error, is the end. An item of type `error` is a
//! warning. codex tells no cost, and its calls to the model do not show: what it did is counted instead.

use super::heard::{Fate, Heard, count, since, text};
use serde_json::Value;

/// Reads codex.
#[derive(Debug, Default)]
pub struct Codex {
    /// The last thing that sounded like an error.
    complaint: String,
}

impl Codex {
    /// Takes one event.
    pub fn line(&mut self, event: &Value, heard: &mut Heard) {
        match text(event, "/type") {
            "thread.started" => heard.name(event.get("thread_id").and_then(Value::as_str)),
            "item.started" => started(&event["item"], heard),
            "item.completed" => completed(&event["item"], heard),
            "error" => text(event, "/message").clone_into(&mut self.complaint),
            "turn.completed" => {
                let used = count(event, "/usage/input_tokens");
                let used = used.saturating_add(count(event, "/usage/output_tokens"));
                // It counts the session.
                heard.spend(since(heard.tokens_before, used), None);
                heard.fate = Some(Fate::Finished);
            }
            "turn.failed" => {
                let reason = text(event, "/error/message");
                let reason = if reason.is_empty() { self.complaint.as_str() } else { reason };
                heard.fate = Some(
                    match reason.contains("context window") || reason.contains("context_length") {
                        true => Fate::ContextUsed,
                        false => Fate::Failed(reason.to_owned()),
                    },
                );
            }
            _ => {}
        }
        // It may break off after an error without another word.
        if heard.fate.is_none() && !self.complaint.is_empty() && text(event, "/type") == "error" {
            heard.sign("error", &self.complaint);
        }
    }
}

fn started(item: &Value, heard: &mut Heard) {
    match text(item, "/type") {
        "command_execution" => heard.tool("shell", item),
        "mcp_tool_call" => heard.tool(text(item, "/tool"), item),
        "web_search" => heard.tool("web_search", item),
        _ => {}
    }
}

fn completed(item: &Value, heard: &mut Heard) {
    match text(item, "/type") {
        "agent_message" => {
            heard.turn();
            text(item, "/text").clone_into(&mut heard.text);
            heard.sign("text", &heard.text.clone());
        }
        "error" => heard.sign("warning", text(item, "/message")),
        "file_change" => {
            heard.turn();
            let first = item.pointer("/changes/0").unwrap_or(&Value::Null);
            heard.tool("patch", first);
        }
        "command_execution" | "mcp_tool_call" | "web_search" | "collab_tool_call" => heard.turn(),
        _ => {}
    }
}
