//! The client of the Agent Client Protocol, without input or output: lines in, lines out.
//!
//! JSON-RPC over the agent's standard input and output, in this order: `initialize`, `session/new`,
//! a mode where the agent offers one that fits, `session/prompt`. Until the answer to the prompt comes, the
//! agent sends `session/update` notifications and asks: permission questions are answered by policy
//! ([`Client::permission`]); files and terminals are the agent's own business, so requests for them are
//! refused, which they were told at the start. The `stopReason` of the answer decides how it came out.
//!
//! The published crate of the protocol brings an async runtime and threads, which this core must not
//! have, and would need a second client for Node. What a role needs of the protocol is this file.

use super::AgentRequest;
use super::heard::{Fate, Heard, amount, count, text};
use crate::vocab::json;
use crate::vocab::role::Access;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The version of the protocol that is spoken.
const VERSION: u64 = 1;
/// The most tools whose kind is remembered.
const MOST_TOOLS: usize = 10_000;
/// The most bytes of a message that are kept.
const MOST_TEXT: usize = 32 * 1024 * 1024;
/// JSON-RPC: there is no such method.
const NO_METHOD: i64 = -32_601;

const INITIALIZE: u64 = 0;
const NEW: u64 = 1;
const PROMPT: u64 = 2;
const MODE: u64 = 3;

/// The line that begins every conversation.
pub(super) fn hello() -> String {
    let capabilities =
        json!({"fs": {"readTextFile": false, "writeTextFile": false}, "terminal": false});
    let client =
        json!({"name": "endstate", "title": "endstate", "version": env!("CARGO_PKG_VERSION")});
    let params = json!({"protocolVersion": VERSION, "clientCapabilities": capabilities, "clientInfo": client});
    request(INITIALIZE, "initialize", &params)
}

fn line(value: &Value) -> String {
    format!("{}\n", json::encode(value))
}

fn request(id: u64, method: &str, params: &Value) -> String {
    line(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))
}

/// One conversation.
#[derive(Debug)]
pub struct Client {
    root: String,
    prompt: String,
    access: Access,
    /// What kind of tool a call is, as far as the agent has said.
    kinds: BTreeMap<String, String>,
    message: String,
    /// The last call that was shown.
    shown: String,
}

impl Client {
    /// For one run.
    pub(super) fn new(request: &AgentRequest) -> Client {
        Client {
            root: request.root.clone(),
            prompt: request.prompt.clone(),
            access: request.access,
            kinds: BTreeMap::new(),
            message: String::new(),
            shown: String::new(),
        }
    }

    /// Takes one message of the agent. Answers with what is said to it.
    pub fn line(&mut self, message: &Value, heard: &mut Heard) -> String {
        let id = message.get("id").filter(|id| !id.is_null());
        match (message.get("method").and_then(Value::as_str), id) {
            (Some("session/update"), None) => {
                self.update(&message["params"]["update"], heard);
                String::new()
            }
            (Some(_), None) => String::new(),
            (Some("session/request_permission"), Some(id)) => {
                let outcome = self.permission(&message["params"], heard);
                line(&json!({"jsonrpc": "2.0", "id": id, "result": {"outcome": outcome}}))
            }
            (Some(method), Some(id)) => {
                let words = format!("this client does not offer {method}");
                let error = json!({"code": NO_METHOD, "message": words});
                line(&json!({"jsonrpc": "2.0", "id": id, "error": error}))
            }
            (None, Some(id)) => self.answered(id.as_u64(), message, heard),
            (None, None) => String::new(),
        }
    }

    /// An answer to one of our requests.
    fn answered(&mut self, id: Option<u64>, message: &Value, heard: &mut Heard) -> String {
        if let Some(error) = message.get("error") {
            // An agent that does not know a mode after all stays in its own.
            if id != Some(MODE) {
                heard.fail(&explain(error));
                heard.leaving = true;
            }
            return String::new();
        }
        let result = &message["result"];
        match id {
            Some(INITIALIZE) => match count(result, "/protocolVersion") {
                VERSION => self.open(),
                other => {
                    heard
                        .fail(&format!("it speaks version {other} of the protocol, not {VERSION}"));
                    heard.leaving = true;
                    String::new()
                }
            },
            Some(NEW) => self.begin(result, heard),
            Some(PROMPT) => {
                self.finished(result, heard);
                String::new()
            }
            _ => String::new(),
        }
    }

    fn open(&self) -> String {
        request(NEW, "session/new", &json!({"cwd": self.root, "mcpServers": []}))
    }

    /// The session is there: the mode, then the prompt.
    fn begin(&self, result: &Value, heard: &mut Heard) -> String {
        let session = text(result, "/sessionId");
        if session.is_empty() {
            heard.fail("it opened a session without a name");
            heard.leaving = true;
            return String::new();
        }
        heard.name(Some(session));
        heard.turn();
        let mode = self.mode(result).map(|mode| {
            request(MODE, "session/set_mode", &json!({"sessionId": session, "modeId": mode}))
        });
        let prompt = json!([{"type": "text", "text": self.prompt}]);
        let prompt = json!({"sessionId": session, "prompt": prompt});
        format!("{}{}", mode.unwrap_or_default(), request(PROMPT, "session/prompt", &prompt))
    }

    /// The mode that fits the role, if the agent has it and is not in it.
    fn mode(&self, result: &Value) -> Option<&'static str> {
        let wanted = match self.access {
            Access::ReadOnly => "read-only",
            Access::Write => "agent",
        };
        let modes = result.pointer("/modes/availableModes")?.as_array()?;
        let there = modes.iter().any(|mode| text(mode, "/id") == wanted);
        (there && text(result, "/modes/currentModeId") != wanted).then_some(wanted)
    }

    fn finished(&mut self, result: &Value, heard: &mut Heard) {
        heard.tokens = heard.tokens.max(count(result, "/usage/totalTokens"));
        heard.sign("text", &heard.text.clone());
        heard.fate = Some(match text(result, "/stopReason") {
            "end_turn" => Fate::Finished,
            "max_tokens" => Fate::ContextUsed,
            "max_turn_requests" => Fate::TurnsUsed,
            "refusal" => Fate::Failed("the model refused".to_owned()),
            "cancelled" => Fate::Failed("it was cancelled".to_owned()),
            other => Fate::Failed(format!("it stopped for an unknown reason: {other}")),
        });
        heard.leaving = true;
    }

    fn update(&mut self, update: &Value, heard: &mut Heard) {
        match text(update, "/sessionUpdate") {
            "agent_message_chunk" => {
                let id = text(update, "/messageId");
                if id != self.message {
                    id.clone_into(&mut self.message);
                    heard.text.clear();
                }
                if heard.text.len() < MOST_TEXT {
                    heard.text.push_str(text(update, "/content/text"));
                }
            }
            "tool_call" => {
                // What was said before a tool was used is not the last word.
                let said = std::mem::take(&mut heard.text);
                heard.sign("text", &said);
                heard.turn();
                self.remember(update);
            }
            "tool_call_update" => {
                self.remember(update);
                let id = text(update, "/toolCallId");
                // Only now it is known what the tool is called with.
                if text(update, "/status") == "in_progress" && id != self.shown {
                    id.clone_into(&mut self.shown);
                    heard.tool(text(update, "/kind"), &json!({"command": text(update, "/title")}));
                }
            }
            "usage_update" => heard.nanos = heard.nanos.max(amount(update.pointer("/cost/amount"))),
            _ => {}
        }
    }

    fn remember(&mut self, call: &Value) {
        let (id, kind) = (text(call, "/toolCallId"), text(call, "/kind"));
        if !kind.is_empty() && self.kinds.len() < MOST_TOOLS {
            self.kinds.insert(id.to_owned(), kind.to_owned());
        }
    }

    /// Who may only read may look, think, fetch and run commands. What changes files is refused, and
    /// so is what does not say its kind.
    fn permission(&self, params: &Value, heard: &mut Heard) -> Value {
        let call = &params["toolCall"];
        let known = self.kinds.get(text(call, "/toolCallId")).map(String::as_str);
        let kind = match text(call, "/kind") {
            "" => known.unwrap_or_default(),
            kind => kind,
        };
        let harmless = matches!(kind, "read" | "search" | "think" | "fetch" | "execute");
        let allowed = self.access == Access::Write || harmless;
        let word = if allowed { "allowed" } else { "refused" };
        heard.sign("permission", &format!("{word}: {kind} {}", text(call, "/title")));
        let wanted = match allowed {
            true => ["allow_once", "allow_always"],
            false => ["reject_once", "reject_always"],
        };
        let options = params.get("options").and_then(Value::as_array).into_iter().flatten();
        let of = |kind: &str| options.clone().find(|option| text(option, "/kind") == kind);
        match wanted.into_iter().find_map(of).map(|option| text(option, "/optionId")) {
            Some(option) => json!({"outcome": "selected", "optionId": option}),
            None => json!({"outcome": "cancelled"}),
        }
    }
}

/// The words of a JSON-RPC error.
fn explain(error: &Value) -> String {
    let (message, detail) = (text(error, "/message"), text(error, "/data/message"));
    let code = error.get("code").and_then(Value::as_i64).unwrap_or(0);
    match detail.is_empty() || message.contains(detail) {
        true => format!("{message} ({code})"),
        false => format!("{message}: {detail} ({code})"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client(access: Access) -> Client {
        Client::new(&AgentRequest {
            agent: "acp:a".to_owned(),
            access,
            tier: None,
            model: None,
            max_turns: None,
            session: None,
            session_tokens: 0,
            session_cost_micros: 0,
            root: "/repo".to_owned(),
            prompt: "Do it.".to_owned(),
        })
    }

    fn say(client: &mut Client, heard: &mut Heard, message: &Value) -> Vec<Value> {
        let sent = client.line(message, heard);
        sent.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    fn ask(access: Access, kind: &str, options: &[&str]) -> Value {
        let options: Vec<Value> = options
            .iter()
            .map(|kind| json!({"optionId": format!("o-{kind}"), "kind": kind}))
            .collect();
        let call = json!({"toolCallId": "t1", "kind": kind, "title": "x"});
        let message = json!({"jsonrpc": "2.0", "id": "q", "method": "session/request_permission",
            "params": {"sessionId": "s", "toolCall": call, "options": options}});
        let answers = say(&mut client(access), &mut Heard::default(), &message);
        assert_eq!(answers[0]["id"], "q");
        answers[0]["result"]["outcome"].clone()
    }

    #[test]
    fn a_conversation_goes_its_way() {
        let (mut client, mut heard) = (client(Access::Write), Heard::default());
        assert!(hello().contains("\"method\":\"initialize\""));
        let sent =
            say(&mut client, &mut heard, &json!({"id": 0, "result": {"protocolVersion": 1}}));
        assert_eq!(
            (sent[0]["method"].as_str(), &sent[0]["params"]["cwd"]),
            (Some("session/new"), &json!("/repo"))
        );
        let modes =
            json!({"currentModeId": "ask", "availableModes": [{"id": "ask"}, {"id": "agent"}]});
        let sent = say(
            &mut client,
            &mut heard,
            &json!({"id": 1, "result": {"sessionId": "s9", "modes": modes}}),
        );
        let methods: Vec<_> = sent.iter().map(|one| one["method"].as_str().unwrap()).collect();
        assert_eq!(methods, ["session/set_mode", "session/prompt"]);
        assert_eq!(heard.session.as_deref(), Some("s9"));
        let mut update = |update: Value| {
            let message = json!({"method": "session/update", "params": {"update": update}});
            assert!(say(&mut client, &mut heard, &message).is_empty());
        };
        let chunk = |id: &str, text: &str| json!({"sessionUpdate": "agent_message_chunk", "messageId": id, "content": {"type": "text", "text": text}});
        update(chunk("m1", "I will look."));
        update(
            json!({"sessionUpdate": "tool_call", "toolCallId": "t1", "title": "bash", "kind": "execute"}),
        );
        update(json!({"sessionUpdate": "usage_update", "cost": {"amount": 0.5}}));
        update(chunk("m2", "All "));
        update(chunk("m2", "done."));
        let end =
            json!({"id": 2, "result": {"stopReason": "end_turn", "usage": {"totalTokens": 7}}});
        say(&mut client, &mut heard, &end);
        assert_eq!((heard.text.as_str(), heard.fate.clone()), ("All done.", Some(Fate::Finished)));
        assert_eq!((heard.tokens, heard.nanos, heard.turns), (7, 500_000_000, 2));
        assert!(heard.leaving);
    }

    #[test]
    fn stop_reasons_and_errors_decide() {
        for (answer, fate) in [
            (json!({"result": {"stopReason": "max_tokens"}}), Fate::ContextUsed),
            (json!({"result": {"stopReason": "max_turn_requests"}}), Fate::TurnsUsed),
            (
                json!({"result": {"stopReason": "refusal"}}),
                Fate::Failed("the model refused".to_owned()),
            ),
            (
                json!({"result": {"stopReason": "cancelled"}}),
                Fate::Failed("it was cancelled".to_owned()),
            ),
            (json!({"result": {}}), Fate::Failed("it stopped for an unknown reason: ".to_owned())),
            (
                json!({"error": {"code": -32603, "message": "Internal error", "data": {"message": "401"}}}),
                Fate::Failed("Internal error: 401 (-32603)".to_owned()),
            ),
        ] {
            let mut heard = Heard::default();
            let mut answer = answer;
            answer["id"] = json!(2);
            say(&mut client(Access::Write), &mut heard, &answer);
            assert_eq!(heard.fate, Some(fate));
        }
    }

    #[test]
    fn who_only_reads_gets_no_edits() {
        let all = ["allow_always", "allow_once", "reject_once"];
        for (access, kind, options, outcome) in [
            (Access::ReadOnly, "edit", &all[..], "o-reject_once"),
            (Access::ReadOnly, "delete", &all[..], "o-reject_once"),
            (Access::ReadOnly, "", &all[..], "o-reject_once"),
            (Access::ReadOnly, "execute", &all[..], "o-allow_once"),
            (Access::Write, "edit", &all[..], "o-allow_once"),
            (Access::Write, "edit", &["allow_always"][..], "o-allow_always"),
        ] {
            assert_eq!(ask(access, kind, options)["optionId"], outcome, "{access:?} {kind}");
        }
        assert_eq!(ask(Access::ReadOnly, "edit", &["allow_once"])["outcome"], "cancelled");
    }

    #[test]
    fn files_and_terminals_are_refused() {
        let message = json!({"jsonrpc": "2.0", "id": 4, "method": "fs/write_text_file",
            "params": {"path": "/etc/passwd", "content": "x"}});
        let answers = say(&mut client(Access::Write), &mut Heard::default(), &message);
        assert_eq!((&answers[0]["id"], &answers[0]["error"]["code"]), (&json!(4), &json!(-32601)));
    }

    #[test]
    fn nothing_that_is_said_breaks_it() {
        for text in [
            "{}",
            "{\"id\":1}",
            "{\"id\":{},\"method\":7}",
            "{\"method\":\"session/update\"}",
            "{\"id\":99,\"result\":[]}",
            "{\"id\":0,\"result\":{\"protocolVersion\":2}}",
            "{\"id\":1,\"method\":\"session/request_permission\",\"params\":[1,2]}",
        ] {
            let value: Value = serde_json::from_str(text).unwrap();
            let (mut client, mut heard) = (client(Access::ReadOnly), Heard::default());
            client.line(&value, &mut heard);
        }
    }
}
