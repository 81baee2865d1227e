//! What has been heard of a run so far, in words that are the same for all agents.

use super::{AgentRequest, money};
use crate::vocab::error::clip;
use crate::vocab::json::MOST_INTEGER;
use crate::vocab::text::one_line;
use serde_json::{Value, json};

/// The most characters of one sign of life.
const MOST_SIGN: usize = 300;
/// The most signs of life that wait to be told; the newest are kept.
const MOST_SIGNS: usize = 50;

/// How the agent's own words say its work came out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It came to its end; the final text is the report.
    Finished,
    /// It did not, and this is why.
    Failed(String),
    /// It was stopped at its limit of turns.
    TurnsUsed,
    /// Its context or its room for an answer is full.
    ContextUsed,
}

/// See the module.
#[derive(Debug, Default)]
pub struct Heard {
    /// The agent's name for this conversation.
    pub session: Option<String>,
    /// Tokens in and out, those read from a cache included.
    pub tokens: u64,
    /// Cost in thousand-millionths of the unit; kept finer than it is told, so that sums are right.
    pub nanos: u64,
    /// Tokens of the session before this run, for agents that count those again.
    pub tokens_before: u64,
    /// The same for cost, in thousand-millionths.
    pub nanos_before: u64,
    /// Turns: questions put to the model, as far as they show.
    pub turns: u32,
    /// The text of the last message.
    pub text: String,
    /// How it came out, once that is known.
    pub fate: Option<Fate>,
    /// It has nothing more to say, though it may still be there.
    pub leaving: bool,
    /// Signs of life that have not been told: kind and text.
    pub signs: Vec<(&'static str, String)>,
}

impl Heard {
    /// Nothing yet, for a run that may go on in an earlier session.
    pub(super) fn after(request: &AgentRequest) -> Heard {
        let (tokens, micros) = (request.session_tokens, request.session_cost_micros);
        match request.session {
            None => Heard::default(),
            Some(_) => Heard {
                tokens_before: tokens,
                nanos_before: micros.saturating_mul(1_000),
                ..Heard::default()
            },
        }
    }

    /// The line that tells a host what was used.
    pub fn result(&self) -> Value {
        let mut line = json!({"endstate": "result"});
        if let Some(session) = &self.session {
            line["session"] = session.as_str().into();
        }
        let counts = [
            ("tokens", self.tokens),
            ("cost_micros", money::micros(self.nanos)),
            ("turns", u64::from(self.turns)),
        ];
        for (name, count) in counts.into_iter().filter(|(_, count)| *count > 0) {
            line[name] = count.min(MOST_INTEGER).into();
        }
        match self.fate {
            Some(Fate::TurnsUsed) => line["turns_exhausted"] = true.into(),
            Some(Fate::ContextUsed) => line["context_exhausted"] = true.into(),
            Some(Fate::Finished | Fate::Failed(_)) | None => {}
        }
        line
    }

    /// A sign of life.
    pub fn sign(&mut self, kind: &'static str, text: &str) {
        let text = clip(&one_line(text), MOST_SIGN);
        if !text.is_empty() {
            self.signs.push((kind, text));
            let surplus = self.signs.len().saturating_sub(MOST_SIGNS);
            self.signs.drain(..surplus);
        }
    }

    /// The call of a tool, with the part of its arguments that says most.
    pub fn tool(&mut self, name: &str, input: &Value) {
        let telling = [
            "command",
            "cmd",
            "file_path",
            "filePath",
            "path",
            "pattern",
            "query",
            "url",
            "description",
        ];
        let detail = telling.iter().find_map(|key| input.get(key)?.as_str()).unwrap_or_default();
        self.sign("tool", &format!("{name} {detail}"));
    }

    /// Names the session; an agent may change it while at work, the last one counts.
    pub fn name(&mut self, session: Option<&str>) {
        if let Some(name) = session.filter(|name| !name.is_empty()) {
            self.session = Some(clip(name, 200));
        }
    }

    /// The model has been asked once more.
    pub fn turn(&mut self) {
        self.turns = self.turns.saturating_add(1);
    }

    /// Tokens and cost of one more message.
    pub fn spend(&mut self, tokens: u64, cost: Option<&Value>) {
        self.tokens = self.tokens.saturating_add(tokens);
        self.nanos = self.nanos.saturating_add(amount(cost));
    }

    /// It failed; the first reason stays.
    pub fn fail(&mut self, reason: &str) {
        if !matches!(self.fate, Some(Fate::Failed(_))) {
            let reason = reason.trim();
            let reason = if reason.is_empty() { "it failed and did not say why" } else { reason };
            self.fate = Some(Fate::Failed(reason.to_owned()));
        }
    }
}

/// What is left of a count of a whole session without what was `before`.
pub fn since(before: u64, total: u64) -> u64 {
    // Smaller than before: this was no count of the session.
    total.checked_sub(before).unwrap_or(total)
}

/// An amount of money in thousand-millionths.
pub fn amount(value: Option<&Value>) -> u64 {
    value.and_then(Value::as_number).map_or(0, |number| money::nanos(&number.to_string()))
}

/// A text at a JSON pointer; empty if there is none.
pub fn text<'a>(value: &'a Value, pointer: &str) -> &'a str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

/// A count at a JSON pointer; 0 if there is none.
pub fn count(value: &Value, pointer: &str) -> u64 {
    value.pointer(pointer).and_then(Value::as_u64).unwrap_or(0)
}

/// The texts of a list of content blocks, one to a line.
pub fn blocks(content: Option<&Value>) -> String {
    let list = content.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let texts =
        list.iter().filter(|block| text(block, "/type") == "text").map(|it| text(it, "/text"));
    texts.filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n")
}
