//! The journal: what happened, chained line by line, exact to the byte.
//!
//! Line 0 names format, engine, rules, protocol, config and time. Every line is
//! `{"seq":…,"body":{…},"chain":"…"}` with chain = SHA-256(previous chain ‖ the exact bytes of the
//! line before `,"chain"`), in hex; before line 0 the chain is the empty text. A line must equal our
//! serialisation byte for byte. A last line without newline is torn: cut off and reported. A
//! complete line that does not fit is damage, anywhere, and named.
//!
//! Lines of older rules are held to their chain alone, since these rules may decide otherwise. A line of
//! its own ([`Upgrade`]) makes such a journal one of these rules: it holds the whole state that they
//! took over, so the lines behind it are decided again without those before it.

mod replayer;

pub use replayer::{Divergence, Replay, Replayer, Retold, first_difference, replay};

use crate::engine::{Config, Decided, hex};
use crate::snapshot::{FORMAT, RULES, Snapshot};
use crate::vocab::error::{Code, Error, Result};
use crate::vocab::event::Event;
use crate::vocab::json::{self, Readable, Serialize};
use crate::vocab::time::Millis;
use schemars::JsonSchema;
use sha2::{Digest, Sha256};

/// The longest line that is read, in bytes.
pub const MOST_LINE_BYTES: usize = json::MOST_BYTES;

/// Line 0.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// What happened.
    pub event: Event,
    /// What it led to.
    pub decided: Decided,
}

/// The line by which an engine took over a mission of older rules.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Upgrade {
    /// Format of the lines from here on.
    pub format: u32,
    /// Version of the engine that took over.
    pub engine: String,
    /// Version of the rules from here on; higher than before.
    pub rules: u32,
    /// The whole state as these rules took it over, before the event.
    pub snapshot: Snapshot,
    /// `host_recovered`, from `upgrade`. Its note names what was set aside.
    pub event: Event,
    /// What the event led to.
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
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Readable, JsonSchema)]
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
pub fn body<T: Readable + Serialize>(line: u64, text: &str) -> Result<T> {
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
