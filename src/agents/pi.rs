//! What pi prints with `--mode json`: one event a line.
//!
//! `session` names the session. Each question to the model is a `turn_start`; each `message_end` of the
//! assistant carries its content, its usage and a `stopReason`. `agent_end` is the end. pi exits with 0
//! whatever happened; `stopReason: "error"` with an `errorMessage` is how a failure looks. pi may
//! try again by itself after such an error, so only the last message before the end decides.
//!
//! Where our extension is loaded (`js/src/pi`), the model may give its report by the tool `endstate_report`,
//! which checks it and answers with the text of the report in its details. An accepted report
//! stands, whatever is said behind it, and a run that ended with it has come to its end.

use super::heard::{Fate, Heard, blocks, count, text};
use serde_json::Value;

/// Reads pi.
#[derive(Debug, Default)]
pub struct Pi {
    /// How the last message says it ended.
    last: Option<Fate>,
    /// The report that our tool took, if it took one.
    report: Option<String>,
}

/// The tool of our extension.
pub const REPORT_TOOL: &str = "endstate_report";

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
            "tool_execution_end" if text(event, "/toolName") == REPORT_TOOL => self.taken(event),
            "agent_end" => self.end(heard),
            _ => {}
        }
    }

    /// The tool has answered; an error is the model's to mend.
    fn taken(&mut self, event: &Value) {
        let report = text(event, "/result/details/report");
        if event.get("isError") == Some(&Value::Bool(false)) && !report.is_empty() {
            self.report = Some(report.to_owned());
        }
    }

    fn end(&mut self, heard: &mut Heard) {
        match &self.report {
            Some(report) => {
                heard.text.clone_from(report);
                heard.fate = Some(Fate::Finished);
            }
            None => heard.fate = self.last.clone().or(heard.fate.take()),
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

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn heard(events: &[Value]) -> Heard {
        let (mut pi, mut heard) = (Pi::default(), Heard::default());
        for event in events {
            pi.line(event, &mut heard);
        }
        heard
    }

    fn tool(is_error: bool, details: Value) -> Value {
        json!({"type": "tool_execution_end", "toolName": REPORT_TOOL, "isError": is_error, "result": {"details": details}})
    }

    fn said(text: &str, stop: &str) -> Value {
        let content = json!([{"type": "text", "text": text}]);
        json!({"type": "message_end", "message": {"role": "assistant", "stopReason": stop, "content": content}})
    }

    #[test]
    fn a_report_that_the_tool_took_is_the_report() {
        let end = json!({"type": "agent_end"});
        let taken = tool(false, json!({"report": "the report"}));
        let ended = heard(&[said("", "toolUse"), taken.clone(), end.clone()]);
        assert_eq!((ended.text.as_str(), ended.fate), ("the report", Some(Fate::Finished)));
        let chatty = heard(&[taken, said("Goodbye.", "stop"), end.clone()]);
        assert_eq!(chatty.text, "the report");
        for refused in
            [tool(true, json!({"report": "x"})), tool(false, json!({})), tool(false, json!(null))]
        {
            let ended = heard(&[refused, said("last words", "stop"), end.clone()]);
            assert_eq!((ended.text.as_str(), ended.fate), ("last words", Some(Fate::Finished)));
        }
    }
}
