//! The journal: what happened, chained line by line, exact to the byte.
//!
//! Line 0 names format, engine, rules, protocol, config and time. Every line is
//! `{"seq":…,"body":{…},"chain":"…"}` with chain = SHA-256(previous chain ‖ the exact bytes of the
//! line before `,"chain"`), in hex; before line 0 the chain is the empty text. A line must equal our
//! serialisation byte for byte. A last line without newline is torn: cut off and reported. A
//! complete line that does not fit is damage, anywhere, and named.

use crate::engine::{Config, Decided, Engine, hex};
use crate::snapshot::{FORMAT, RULES};
use crate::vocab::effect::Effect;
use crate::vocab::error::{Code, Error, Result};
use crate::vocab::event::Event;
use crate::vocab::json;
use crate::vocab::time::Millis;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// The longest line that is read, in bytes.
pub const MOST_LINE_BYTES: usize = json::MOST_BYTES;

/// Line 0.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Header {
    /// Format of the journal.
    pub format: u32,
    /// Version of the engine that began it.
    pub engine: String,
    /// Version of the rules.
    pub rules: u32,
    /// When it began.
    pub at: Millis,
    /// What the mission was started with; names the protocol.
    pub config: Config,
    /// What was decided at the start.
    pub decided: Decided,
}

/// Every further line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// What happened.
    pub event: Event,
    /// What it led to.
    pub decided: Decided,
}

impl Header {
    /// The header of a mission that starts now.
    pub fn new(config: Config, at: Millis, decided: Decided) -> Self {
        let engine = env!("CARGO_PKG_VERSION").to_owned();
        Header { format: FORMAT, engine, rules: RULES, at, config, decided }
    }
}

/// A place in a journal: the number of lines read and the chain behind the last one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Position {
    /// Lines so far; the next line has this number as its `seq`.
    pub lines: u64,
    /// Chain of the last line; empty before line 0.
    pub chain: String,
}

impl Position {
    /// The next line, without its newline; moves on behind it.
    pub fn write<T: Serialize>(&mut self, body: &T) -> String {
        let front = format!("{{\"seq\":{},\"body\":{}", self.lines, json::encode(body));
        self.chain = link(&self.chain, &front);
        self.lines += 1;
        format!("{front},\"chain\":\"{}\"}}", self.chain)
    }

    /// Checks the next line (without its newline) and answers its body's text; moves on behind it.
    ///
    /// # Errors
    /// `journal_damaged`, naming the line from 1.
    pub fn read<'a>(&mut self, line: &'a [u8]) -> Result<&'a str> {
        let number = self.lines + 1;
        let damaged = |expected: String, got: &str| {
            Error::new(Code::JournalDamaged, format!("line {number}"), expected, got)
        };
        if line.len() > MOST_LINE_BYTES {
            return Err(damaged(format!("at most {MOST_LINE_BYTES} bytes"), "a longer line"));
        }
        let text =
            std::str::from_utf8(line).map_err(|_| damaged("UTF-8".to_owned(), "other bytes"))?;
        let (front, tail) = text
            .rsplit_once(",\"chain\":\"")
            .ok_or_else(|| damaged("a line that ends with its chain".to_owned(), text))?;
        let chain = link(&self.chain, front);
        if tail.strip_suffix("\"}") != Some(chain.as_str()) {
            return Err(damaged(format!("chain {chain}"), tail));
        }
        let prefix = format!("{{\"seq\":{},\"body\":", self.lines);
        let body = front
            .strip_prefix(prefix.as_str())
            .ok_or_else(|| damaged(format!("seq {}", self.lines), front))?;
        self.chain = chain;
        self.lines += 1;
        Ok(body)
    }
}

fn link(chain: &str, front: &str) -> String {
    let mut hash = Sha256::new();
    hash.update(chain.as_bytes());
    hash.update(front.as_bytes());
    hex(&hash.finalize())
}

/// The whole lines of a journal, and how many bytes of a torn last line follow them.
pub fn split(bytes: &[u8]) -> (impl Iterator<Item = &[u8]>, usize) {
    let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let lines = bytes[..whole].split(|byte| *byte == b'\n');
    let count = bytes[..whole].iter().filter(|byte| **byte == b'\n').count();
    (lines.take(count), bytes.len() - whole)
}

/// Reads a body that must be exactly what we would have written.
///
/// # Errors
/// `journal_damaged` with the line, if it is no such body or was written differently.
pub fn body<T: serde::de::DeserializeOwned + Serialize>(line: u64, text: &str) -> Result<T> {
    let value: T = json::decode(text).map_err(|error| {
        let got = error.to_string();
        Error::new(Code::JournalDamaged, format!("line {line}"), "a body of this format", got)
    })?;
    if json::encode(&value) != text {
        let expected = "the bytes this engine writes";
        let at = format!("line {line}");
        return Err(Error::new(Code::JournalDamaged, at, expected, "another spelling"));
    }
    Ok(value)
}

/// One line, retold.
#[derive(Clone, Debug)]
pub struct Retold {
    /// What happened; `None` for line 0.
    pub event: Option<Event>,
    /// What was ordered; nothing after a divergence.
    pub effects: Vec<Effect>,
}

/// What a replay found.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Replay {
    /// Events replayed.
    pub events: u64,
    /// Chain of the last line.
    pub chain: String,
    /// Bytes of a torn last line that were left out.
    pub torn_bytes: u64,
    /// Where it ended.
    pub continuation: crate::snapshot::Continuation,
    /// The first disagreement between what was decided and what is decided now.
    pub divergence: Option<Divergence>,
}

/// The first event that would be decided otherwise.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Divergence {
    /// The event's number.
    pub seq: u64,
    /// The rule that decides now, or the code of the refusal.
    pub rule: String,
    /// The JSON path that differs.
    pub path: String,
    /// What the journal says.
    pub recorded: String,
    /// What is decided now.
    pub decided: String,
}

/// A journal that is replayed line by line, holding the engine open.
#[derive(Clone, Debug)]
pub struct Replayer {
    position: Position,
    engine: Option<Engine>,
    divergence: Option<Divergence>,
}

impl Default for Replayer {
    fn default() -> Self {
        Replayer::new()
    }
}

impl Replayer {
    /// Before line 0.
    pub fn new() -> Self {
        Replayer { position: Position::default(), engine: None, divergence: None }
    }

    /// From an open engine and the place its snapshot was taken at.
    pub fn resume(engine: Engine, position: Position) -> Self {
        Replayer { position, engine: Some(engine), divergence: None }
    }

    /// Takes the next whole line. After a divergence only the chain is checked.
    ///
    /// # Errors
    /// `journal_damaged` with the line number; `unknown_format`, `other_rules`.
    pub fn line(&mut self, line: &[u8]) -> Result<()> {
        self.take(line).map(|_| ())
    }

    /// As [`Replayer::line`], and says what the line led to.
    ///
    /// # Errors
    /// As there.
    pub fn take(&mut self, line: &[u8]) -> Result<Retold> {
        let number = self.position.lines + 1;
        let text = self.position.read(line)?;
        let Some(engine) = self.engine.as_mut() else { return self.begin(number, text) };
        let entry: Entry = body(number, text)?;
        let mut effects = Vec::new();
        if self.divergence.is_some() {
            return Ok(Retold { event: Some(entry.event), effects });
        }
        let seq = number - 1;
        self.divergence = match engine.apply(&entry.event) {
            Ok(applied) => {
                effects = applied.effects;
                compare(seq, &entry.decided, &applied.decided)
            }
            Err(error) => Some(Divergence {
                seq,
                rule: error.code.to_string(),
                path: "decided".to_owned(),
                recorded: entry.decided.rule,
                decided: error.to_string(),
            }),
        };
        Ok(Retold { event: Some(entry.event), effects })
    }

    fn begin(&mut self, number: u64, text: &str) -> Result<Retold> {
        // Numbers first: a header of another format need not look like ours.
        let object = json::RawObject::read(text).map_err(|error| error.within("line 1"))?;
        for (field, ours, code) in
            [("format", FORMAT, Code::UnknownFormat), ("rules", RULES, Code::OtherRules)]
        {
            let got: u32 = object.field(field).map_err(|error| error.within("line 1"))?;
            if got != ours {
                let at = format!("line 1.{field}");
                return Err(Error::new(code, at, ours.to_string(), got.to_string()));
            }
        }
        let header: Header = body(number, text)?;
        let (engine, applied) =
            Engine::start(&header.config, header.at).map_err(|error| error.within("line 1"))?;
        self.divergence = compare(0, &header.decided, &applied.decided);
        self.engine = Some(engine);
        Ok(Retold { event: None, effects: applied.effects })
    }

    /// The engine as far as it was replayed; `None` before line 0.
    pub fn engine(&self) -> Option<&Engine> {
        self.engine.as_ref()
    }

    /// Where the replay stands.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// The first disagreement, if there was one.
    pub fn divergence(&self) -> Option<&Divergence> {
        self.divergence.as_ref()
    }

    /// The engine and its place, to go on from.
    pub fn into_parts(self) -> (Option<Engine>, Position) {
        (self.engine, self.position)
    }
}

/// Decides every event of a journal again.
///
/// # Errors
/// `journal_damaged` with the line number, `empty`, `unknown_format`, `other_rules`.
pub fn replay(bytes: &[u8]) -> Result<Replay> {
    let (lines, torn) = split(bytes);
    let mut replayer = Replayer::new();
    for line in lines {
        replayer.line(line)?;
    }
    let (Some(engine), position) = (replayer.engine, replayer.position) else {
        return Err(Error::new(Code::Empty, "line 1", "a journal", "no whole line"));
    };
    Ok(Replay {
        events: position.lines - 1,
        chain: position.chain,
        torn_bytes: u64::try_from(torn).unwrap_or(u64::MAX),
        continuation: engine.continuation(),
        divergence: replayer.divergence,
    })
}

fn compare(seq: u64, recorded: &Decided, decided: &Decided) -> Option<Divergence> {
    if recorded == decided {
        return None;
    }
    let value = |decided: &Decided| serde_json::to_value(decided).unwrap_or_default();
    let (path, was, is) = first_difference("decided", &value(recorded), &value(decided))?;
    Some(Divergence { seq, rule: decided.rule.clone(), path, recorded: was, decided: is })
}

/// The first JSON path at which two values differ, with both.
pub fn first_difference(
    path: &str,
    left: &serde_json::Value,
    right: &serde_json::Value,
) -> Option<(String, String, String)> {
    use serde_json::Value;
    if left == right {
        return None;
    }
    match (left, right) {
        (Value::Object(a), Value::Object(b)) => {
            let names = a.keys().chain(b.keys().filter(|name| !a.contains_key(*name)));
            names.into_iter().find_map(|name| {
                let of = |map: &serde_json::Map<String, Value>| {
                    map.get(name).cloned().unwrap_or(Value::Null)
                };
                first_difference(&format!("{path}.{name}"), &of(a), &of(b))
            })
        }
        (Value::Array(a), Value::Array(b)) => (0..a.len().max(b.len())).find_map(|at| {
            let of = |list: &[Value]| list.get(at).cloned().unwrap_or(Value::Null);
            first_difference(&format!("{path}[{at}]"), &of(a), &of(b))
        }),
        _ => Some((path.to_owned(), left.to_string(), right.to_string())),
    }
}
