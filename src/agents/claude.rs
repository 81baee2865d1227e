//! What Claude Code prints with `--output-format stream-json`: one event a line.
//!
//! `system` with subtype `init` names the session; `assistant` events carry content blocks, several of
//! one message under one id; the `result` is the end. Its subtype may be `success` with `is_error: true`, its
//! exit status 1 over a good result: `is_error`, the subtype and `terminal_reason` together decide.

use super::heard::{Fate, Heard, amount, blocks, count, since, text};
use serde_json::Value;

/// Reads Claude Code.
#[derive(Debug, Default)]
pub struct Claude {
    message: String,
}

impl Claude {
    /// Takes one event.
    pub fn line(&mut self, event: &Value, heard: &mut Heard) {
        heard.name(event.get("session_id").and_then(Value::as_str));
        match text(event, "/type") {
            "assistant" => self.message(&event["message"], heard),
            "result" => result(event, heard),
            _ => {}
        }
    }

    fn message(&mut self, message: &Value, heard: &mut Heard) {
        let id = text(message, "/id");
        if id != self.message {
            id.clone_into(&mut self.message);
            heard.turn();
            // The result tells the sum; until then this is what is known.
            heard.spend(used(message), None);
        }
        let content = message.get("content");
        heard.sign("text", &blocks(content));
        for block in content.and_then(Value::as_array).into_iter().flatten() {
            if text(block, "/type") == "tool_use" {
                heard.tool(text(block, "/name"), block.get("input").unwrap_or(&Value::Null));
            }
        }
    }
}

fn used(of: &Value) -> u64 {
    ["input_tokens", "output_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"]
        .iter()
        .fold(0, |sum, name| sum.saturating_add(count(of, &format!("/usage/{name}"))))
}

fn result(event: &Value, heard: &mut Heard) {
    heard.tokens = used(event).max(heard.tokens);
    // Its tokens are those of the run, its cost is that of the session.
    heard.nanos = since(heard.nanos_before, amount(event.get("total_cost_usd")));
    let turns = u32::try_from(count(event, "/num_turns")).unwrap_or(u32::MAX);
    heard.turns = if turns > 0 { turns } else { heard.turns };
    let said = text(event, "/result");
    said.clone_into(&mut heard.text);
    let errors = event.get("errors").and_then(Value::as_array).into_iter().flatten();
    let errors: Vec<&str> = errors.filter_map(Value::as_str).collect();
    let (subtype, terminal) = (text(event, "/subtype"), text(event, "/terminal_reason"));
    let failed =
        event.get("is_error").and_then(Value::as_bool).unwrap_or(true) || subtype != "success";
    let stop = text(event, "/stop_reason");
    heard.fate = Some(if subtype == "error_max_turns" || terminal == "max_turns" {
        Fate::TurnsUsed
    } else if stop == "max_tokens" || terminal == "prompt_too_long" || too_long(said) {
        Fate::ContextUsed
    } else if failed {
        let errors = errors.join("; ");
        let words = [said, errors.as_str(), subtype].into_iter().find(|it| !it.trim().is_empty());
        Fate::Failed(words.unwrap_or("it failed and did not say why").to_owned())
    } else {
        Fate::Finished
    });
    heard.leaving = true;
}

/// Its own words for an answer or a conversation that has no more room; there is no other sign.
fn too_long(said: &str) -> bool {
    said.starts_with("Prompt is too long")
        || (said.starts_with("API Error: Claude's response exceeded the")
            && said.contains("output token"))
}
