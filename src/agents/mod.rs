//! Real agents, seen from inside the core: what to start, what their output means, and how a
//! conversation with one goes. Nothing here starts a process or reads a file.
//!
//! A run of a role is a process that gets its prompt on standard input and prints its report. Real
//! agents have other habits, so a small program, the *role program*, stands between: the host starts
//! it as the run, and it starts the agent. There is one of it for each host (`native/role_agent.rs`
//! and `js/src/role-agent`); what both do is decided here, once, by a [`Bridge`]:
//!
//! 1. [`Bridge::launch`]: command line, variables and standard input of the agent ([`launch`]).
//! 2. [`Bridge::hear`]: the agent's output, in pieces of any size. Lines ([`lines`]) go to the reader
//!    of that agent ([`pi`], [`claude`], [`codex`], [`opencode`]) or to the conversation ([`acp`]);
//!    what was [`heard`] becomes lines for the host: session, progress, usage.
//! 3. [`Bridge::end`]: how it came out. **The agent's exit status decides nothing**: they exit with 0
//!    after a failure and with 1 after a success. Its own words decide; where there are none, or no
//!    final text, the run has failed.
//!
//! What an agent says can not speak for the role program: a line of its text that looks like one for
//! the host is quoted.

pub mod acp;
pub mod claude;
pub mod codex;
pub mod heard;
pub mod launch;
pub mod lines;
pub mod money;
pub mod name;
pub mod opencode;
pub mod pi;

pub use launch::AgentLaunch;
pub use name::{Kind, Name};

use crate::vocab::error::{Result, clip};
use crate::vocab::json::{self, Readable, Serialize};
use crate::vocab::role::{Access, Tier};
use heard::{Fate, Heard};
use lines::{Lines, quoted};
use schemars::JsonSchema;
use serde_json::{Value, json};

/// The most bytes of lines that are no JSON before the agent is ended.
const MOST_GARBAGE: usize = 16 * 1024 * 1024;
/// How long an agent may take to open a conversation, in milliseconds: one that needs three seconds was seen to need over two
/// minutes on a busy machine.
const MOST_HELLO: u64 = 600_000;
/// The most characters of such a line that are passed on.
const MOST_WORDS: usize = 2_000;

/// One run of a role by a real agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AgentRequest {
    /// Which agent, with arguments of the user's behind a colon: `pi`, `pi:--model x`,
    /// `acp:opencode acp`.
    pub agent: String,
    /// What the role may do to the tree.
    #[serde(default = "careful")]
    pub access: Access,
    /// How strong a model it wants.
    #[serde(default)]
    pub tier: Option<Tier>,
    /// The model the user has named for that tier.
    #[serde(default)]
    pub model: Option<String>,
    /// The most turns it may take.
    #[serde(default)]
    pub max_turns: Option<u32>,
    /// The session to go on with: that of the run whose report this one corrects. Agents that keep
    /// none begin anew; the prompt says everything either way.
    #[serde(default)]
    pub session: Option<String>,
    /// Tokens that run said it used; some agents count a session and not a run.
    #[serde(default)]
    pub session_tokens: u64,
    /// What it said it cost, in millionths of the currency unit.
    #[serde(default)]
    pub session_cost_micros: u64,
    /// The absolute path of the repository.
    pub root: String,
    /// Everything the role is told.
    pub prompt: String,
}

/// Who does not say what a role may do gets the lesser.
fn careful() -> Access {
    Access::ReadOnly
}

/// What the role program does after a piece of output.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct AgentTurn {
    /// To its standard output: lines for the host.
    pub print: String,
    /// To its standard error.
    pub mutter: String,
    /// To the agent's standard input.
    pub send: String,
    /// What becomes of the agent.
    pub then: AgentNext,
}

/// See [`AgentTurn::then`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AgentNext {
    /// It goes on.
    #[default]
    Listen,
    /// It has said everything: its input is closed, and it has a few seconds to leave.
    Leave,
    /// It is ended.
    Stop,
}

/// How a run came out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct AgentEnding {
    /// To standard output: the last line for the host, then the report.
    pub print: String,
    /// To standard error: why it failed; empty if it did not.
    pub complaint: String,
    /// The exit status of the role program.
    pub status: u8,
}

/// Stands between a host and an agent, for one run.
#[derive(Debug)]
pub struct Bridge {
    name: Name,
    request: AgentRequest,
    reader: Reader,
    heard: Heard,
    out: Lines,
    err: Lines,
    garbage: usize,
    /// The agent is being ended; what it still says counts for nothing.
    stopped: bool,
    told: Value,
}

/// Who makes sense of the agent's lines.
#[derive(Debug)]
enum Reader {
    Pi(pi::Pi),
    Claude(claude::Claude),
    Codex(codex::Codex),
    Opencode(opencode::Opencode),
    Acp(acp::Client),
}

impl Bridge {
    /// For one run.
    ///
    /// # Errors
    /// `unknown_value` for an agent there is none of, `invalid_value` for arguments that cannot be split.
    pub fn new(request: AgentRequest) -> Result<Bridge> {
        let name = Name::parse(&request.agent)?;
        let reader = match name.kind {
            Kind::Pi => Reader::Pi(pi::Pi::default()),
            Kind::Claude => Reader::Claude(claude::Claude::default()),
            Kind::Codex => Reader::Codex(codex::Codex::default()),
            Kind::Opencode => Reader::Opencode(opencode::Opencode::default()),
            Kind::Acp => Reader::Acp(acp::Client::new(&request)),
        };
        Ok(Bridge {
            heard: Heard::after(&request),
            name,
            request,
            reader,
            out: Lines::default(),
            err: Lines::default(),
            garbage: 0,
            stopped: false,
            told: Heard::default().result(),
        })
    }

    /// What to start, and what it is told at first.
    pub fn launch(&self) -> AgentLaunch {
        launch::launch(&self.name, &self.request)
    }

    /// Takes a piece of the agent's standard output.
    pub fn hear(&mut self, bytes: &[u8]) -> AgentTurn {
        let mut turn = AgentTurn::default();
        for line in self.out.push(bytes) {
            self.line(&line, &mut turn);
        }
        self.tell(&mut turn);
        turn
    }

    /// So many milliseconds have gone by since the start. An agent that has not opened a conversation by
    /// now never will.
    pub fn waited(&mut self, ms: u64) -> AgentTurn {
        let mut turn = AgentTurn::default();
        let open = self.name.kind != Kind::Acp || self.heard.session.is_some();
        if !open && ms >= MOST_HELLO && !self.stopped {
            self.heard.fail(&format!("it opened no session in {} s", MOST_HELLO / 1_000));
            self.stopped = true;
            turn.then = AgentNext::Stop;
        }
        turn
    }

    /// Takes a piece of the agent's standard error: it is passed on, line by line.
    pub fn overhear(&mut self, bytes: &[u8]) -> String {
        self.err.push(bytes).into_iter().map(|line| quoted(&clip(&line, MOST_WORDS))).collect()
    }

    /// The agent has left, with this status if it left by itself.
    pub fn end(&mut self, status: Option<i32>) -> AgentEnding {
        let mut turn = AgentTurn::default();
        if let Some(line) = self.out.rest() {
            self.line(&line, &mut turn);
        }
        let mut mutter = turn.mutter;
        if let Some(line) = self.err.rest() {
            mutter.push_str(&quoted(&clip(&line, MOST_WORDS)));
        }
        self.finish(status, mutter)
    }

    fn finish(&mut self, status: Option<i32>, mutter: String) -> AgentEnding {
        let heard = &self.heard;
        let left = match status {
            Some(status) => format!("it left with status {status}"),
            None => "it was ended".to_owned(),
        };
        let text = heard.text.trim();
        let (reason, outcome) = match &heard.fate {
            None => {
                (format!("it left without saying how its work came out; {left}"), Some("failed"))
            }
            Some(Fate::Failed(reason)) => (reason.clone(), Some("failed")),
            Some(Fate::TurnsUsed) => ("its turns are used up".to_owned(), Some("failed")),
            Some(Fate::ContextUsed) => ("its context is used up".to_owned(), Some("failed")),
            Some(Fate::Finished) if text.is_empty() => {
                ("it finished without a final text".to_owned(), Some("failed"))
            }
            Some(Fate::Finished) => (String::new(), None),
        };
        let mut last = heard.result();
        if let Some(outcome) = outcome {
            last["outcome"] = outcome.into();
        }
        let mut print = format!("{}\n", json::encode(&last));
        if outcome.is_none() {
            print.extend(heard.text.lines().map(quoted));
        }
        let complaint = match reason.is_empty() {
            true => mutter,
            false => format!(
                "{mutter}{}: {}\n",
                self.name.kind.as_str(),
                quoted(&one(&reason)).trim_end()
            ),
        };
        AgentEnding { print, complaint, status: u8::from(outcome.is_some()) }
    }

    fn line(&mut self, line: &str, turn: &mut AgentTurn) {
        if self.stopped {
            return;
        }
        let Some(value) = serde_json::from_str::<Value>(line).ok().filter(Value::is_object) else {
            return self.noise(line, turn);
        };
        let heard = &mut self.heard;
        match &mut self.reader {
            Reader::Pi(reader) => reader.line(&value, heard),
            Reader::Claude(reader) => reader.line(&value, heard),
            Reader::Codex(reader) => reader.line(&value, heard),
            Reader::Opencode(reader) => reader.line(&value, heard),
            Reader::Acp(client) => turn.send.push_str(&client.line(&value, heard)),
        }
        // Claude counts by itself, and says so when it is over.
        let limit = self.request.max_turns.filter(|_| self.name.kind != Kind::Claude);
        if heard.fate.is_none() && limit.is_some_and(|most| heard.turns > most) {
            heard.turns = heard.turns.saturating_sub(1);
            heard.fate = Some(Fate::TurnsUsed);
            turn.then = AgentNext::Stop;
            self.stopped = true;
        }
        if heard.leaving {
            turn.then = turn.then.max(AgentNext::Leave);
        }
    }

    /// A line that is none of the agent's: shown, and counted.
    fn noise(&mut self, line: &str, turn: &mut AgentTurn) {
        if line.trim().is_empty() {
            return;
        }
        self.garbage = self.garbage.saturating_add(line.len());
        turn.mutter.push_str(&quoted(&clip(line, MOST_WORDS)));
        if self.garbage > MOST_GARBAGE {
            let reason = format!("it said more than {MOST_GARBAGE} bytes that are no JSON");
            self.heard.fate = Some(Fate::Failed(reason));
            turn.then = AgentNext::Stop;
            self.stopped = true;
        }
    }

    /// Passes on what is new: the session as soon as it is known, usage as it grows, signs of life.
    fn tell(&mut self, turn: &mut AgentTurn) {
        let result = self.heard.result();
        if result != self.told {
            turn.print.push_str(&format!("{}\n", json::encode(&result)));
            self.told = result;
        }
        for (kind, text) in self.heard.signs.drain(..) {
            let line = json!({"endstate": "progress", "kind": kind, "text": text});
            turn.print.push_str(&format!("{}\n", json::encode(&line)));
        }
    }
}

/// A reason on one line.
fn one(reason: &str) -> String {
    clip(&crate::vocab::text::one_line(reason), MOST_WORDS)
}
