//! Events: facts in the past tense, a closed set for all five protocols.
//!
//! An event that answers an effect carries that effect's id. Time is a field, never a clock.

use super::command::Command;
use super::error::{Code, Diagnostic, Error};
use super::question::Answer;
use super::repository::{DocumentSeen, Repository};
use super::role::Usage;
use super::test_report::TestReport;
use super::time::Millis;
use crate::vocab::json::{self, Fault, Node, Readable};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt;

/// The id of an effect: the sequence number of the event that caused it, and its place among the
/// effects of that event, from 1. Written `<seq>.<n>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EffectId {
    /// Sequence number of the causing event.
    pub seq: u64,
    /// Place among its effects, from 1.
    pub n: u32,
}

impl fmt::Display for EffectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.seq, self.n)
    }
}

impl std::str::FromStr for EffectId {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let bad = || Error::new(Code::InvalidValue, "effect", "an id such as 12.1", text);
        let plain = |part: &str| {
            let digits = part.bytes().all(|byte| byte.is_ascii_digit());
            digits && (part == "0" || !part.starts_with('0'))
        };
        let (seq, n) = text.split_once('.').ok_or_else(bad)?;
        if !plain(seq) || !plain(n) {
            return Err(bad());
        }
        Ok(EffectId { seq: seq.parse().map_err(|_| bad())?, n: n.parse().map_err(|_| bad())? })
    }
}

impl Serialize for EffectId {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for EffectId {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        json::read_from(from)
    }
}

impl Readable for EffectId {
    fn read(node: Node<'_>) -> std::result::Result<Self, Fault> {
        let id = |text: &str| text.parse().ok();
        node.text_as("an effect id such as 12.1", &id)
    }
}

impl JsonSchema for EffectId {
    fn schema_name() -> Cow<'static, str> {
        "EffectId".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "string",
            "pattern": "^(0|[1-9][0-9]*)\\.(0|[1-9][0-9]*)$",
            "description": "The id of an effect: sequence number of its event, a dot, its place."
        })
    }
}

/// Something that happened, and when.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Event {
    /// When, in milliseconds since the Unix epoch. A step back in time is recorded as it came and
    /// decided on as the latest time seen.
    pub at: Millis,
    /// What.
    pub fact: Fact,
}

/// The closed set of facts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(tag = "type", content = "data", rename_all = "snake_case", deny_unknown_fields)]
pub enum Fact {
    /// The user commanded something.
    UserCommanded(UserCommanded),
    /// A role's process was started.
    RunStarted(RunStarted),
    /// A run gave a sign of life.
    RunProgressed(RunProgressed),
    /// A run ended, one way or another.
    RunEnded(RunEnded),
    /// A command exited.
    CommandExited(CommandExited),
    /// The repository was looked at.
    RepositoryObserved(RepositoryObserved),
    /// Documents were looked at.
    DocumentsObserved(DocumentsObserved),
    /// The user answered a question.
    QuestionAnswered(QuestionAnswered),
    /// Host code gave its answer.
    Consulted(Consulted),
    /// A timer came due.
    TimerFired(TimerFired),
    /// A write, append, commit, stop or notice was performed.
    EffectPerformed(EffectPerformed),
    /// An effect could not be performed.
    EffectFailed(EffectFailed),
    /// The host came back, or lost its memory.
    HostRecovered(HostRecovered),
}

/// See [`Fact::UserCommanded`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UserCommanded {
    /// An id under which the command is taken once, however often it is delivered.
    pub id: Option<String>,
    /// The command.
    pub command: Command,
}

/// See [`Fact::RunStarted`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RunStarted {
    /// The spawn effect.
    pub effect: EffectId,
    /// The agent's session, if it has one. Runs of one session never verify each other.
    pub session: Option<String>,
    /// It is kept from what the engine keeps: its state, the rooms, keys.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub confined: bool,
}

/// See [`Fact::RunProgressed`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RunProgressed {
    /// The spawn effect.
    pub effect: EffectId,
    /// What came since the last time, coalesced by the host.
    pub entries: Vec<ProgressEntry>,
}

/// The kind of an entry whose text names a session that the run is, or was, in.
pub const SESSION: &str = "session";

impl RunProgressed {
    /// The sessions it names.
    pub fn sessions(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().filter(|entry| entry.kind == SESSION).map(|entry| entry.text.as_str())
    }
}

/// One sign of life.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProgressEntry {
    /// What kind of sign: `activity`, `heartbeat`, `session`, or a word of the protocol.
    pub kind: String,
    /// Its text.
    pub text: String,
}

/// See [`Fact::RunEnded`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RunEnded {
    /// The spawn effect.
    pub effect: EffectId,
    /// How it ended.
    pub outcome: RunOutcome,
    /// The report, whole, if one was left.
    pub report: Option<String>,
    /// What went wrong, if something did.
    pub problem: Option<Diagnostic>,
    /// What the run used.
    #[serde(default)]
    pub usage: Usage,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RunOutcome {
    /// It finished and reported.
    Success,
    /// It stopped part of the way.
    Partial,
    /// It stopped at a point where somebody else must act.
    Checkpoint,
    /// It failed.
    Failed,
    /// It vanished, was ended, or left no result.
    Lost,
}

/// See [`Fact::CommandExited`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CommandExited {
    /// The command's effect.
    pub effect: EffectId,
    /// Its exit status; `None` if it did not exit by itself, which shows nothing.
    pub status: Option<i32>,
    /// The end of its output, for people.
    pub output: String,
    /// Why there is no status.
    pub problem: Option<Diagnostic>,
    /// Files that the work had changed, and that were as at the base while it ran; see [`super::effect::Room`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub held: Vec<String>,
    /// How these differ from the base, in the words of git and cut by the host.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub diff: String,
    /// What became of its tests, where the order says how they are reported and there are not too many.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tests: Option<TestReport>,
}

impl CommandExited {
    /// Of a command outside of rooms.
    pub fn new(effect: EffectId, status: Option<i32>, output: impl Into<String>) -> CommandExited {
        let (output, (problem, held, diff, tests)) = (output.into(), Default::default());
        CommandExited { effect, status, output, problem, held, diff, tests }
    }

    /// Of a command that has no status, and why.
    pub fn unknown(effect: EffectId, problem: Diagnostic) -> CommandExited {
        CommandExited { problem: Some(problem), ..CommandExited::new(effect, None, "") }
    }
}

/// See [`Fact::RepositoryObserved`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RepositoryObserved {
    /// The observation's effect.
    pub effect: EffectId,
    /// What was seen.
    pub repository: Repository,
}

/// See [`Fact::DocumentsObserved`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DocumentsObserved {
    /// The observation's effect.
    pub effect: EffectId,
    /// What was seen, in the order asked for.
    pub documents: Vec<DocumentSeen>,
}

/// See [`Fact::QuestionAnswered`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct QuestionAnswered {
    /// The question's effect.
    pub effect: EffectId,
    /// The answer, of the question's type.
    pub answer: Answer,
}

/// See [`Fact::Consulted`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Consulted {
    /// The consult effect.
    pub effect: EffectId,
    /// The answer as JSON text; `None` if the host code gave none, which shows nothing.
    pub answer: Option<String>,
    /// Why there is no answer.
    pub problem: Option<Diagnostic>,
}

/// See [`Fact::TimerFired`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TimerFired {
    /// The timer's effect.
    pub effect: EffectId,
}

/// See [`Fact::EffectPerformed`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EffectPerformed {
    /// The effect.
    pub effect: EffectId,
    /// What came of it.
    pub outcome: Outcome,
}

/// What came of a performed effect.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum Outcome {
    /// Nothing to say: stops and notices.
    Nothing,
    /// A file now has this content.
    File {
        /// SHA-256 of the whole file in hex.
        digest: String,
        /// Length of the whole file in bytes.
        length: u64,
    },
    /// A commit was made of these files.
    Commit {
        /// The new head.
        head: String,
        /// The committed files with their digests.
        files: Vec<super::repository::PathDigest>,
    },
}

/// See [`Fact::EffectFailed`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EffectFailed {
    /// The effect.
    pub effect: EffectId,
    /// What went wrong.
    pub problem: Diagnostic,
}

/// See [`Fact::HostRecovered`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HostRecovered {
    /// From what.
    pub from: Recovery,
    /// For people.
    pub note: String,
}

/// What a host came back from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Recovery {
    /// Its process ended and was started anew.
    Restart,
    /// Its conversation was compacted.
    Compaction,
    /// Something stood still, or a result came too late.
    Stall,
    /// An engine with other rules took over.
    Upgrade,
    /// The head had moved when a run was to begin: it is looked at first.
    Moved,
}

impl Fact {
    /// The word this fact has in JSON.
    pub fn name(&self) -> &'static str {
        match self {
            Fact::UserCommanded(_) => "user_commanded",
            Fact::RunStarted(_) => "run_started",
            Fact::RunProgressed(_) => "run_progressed",
            Fact::RunEnded(_) => "run_ended",
            Fact::CommandExited(_) => "command_exited",
            Fact::RepositoryObserved(_) => "repository_observed",
            Fact::DocumentsObserved(_) => "documents_observed",
            Fact::QuestionAnswered(_) => "question_answered",
            Fact::Consulted(_) => "consulted",
            Fact::TimerFired(_) => "timer_fired",
            Fact::EffectPerformed(_) => "effect_performed",
            Fact::EffectFailed(_) => "effect_failed",
            Fact::HostRecovered(_) => "host_recovered",
        }
    }

    /// The effect this fact speaks of, if any.
    pub fn effect(&self) -> Option<EffectId> {
        match self {
            Fact::UserCommanded(_) | Fact::HostRecovered(_) => None,
            Fact::RunStarted(fact) => Some(fact.effect),
            Fact::RunProgressed(fact) => Some(fact.effect),
            Fact::RunEnded(fact) => Some(fact.effect),
            Fact::CommandExited(fact) => Some(fact.effect),
            Fact::RepositoryObserved(fact) => Some(fact.effect),
            Fact::DocumentsObserved(fact) => Some(fact.effect),
            Fact::QuestionAnswered(fact) => Some(fact.effect),
            Fact::Consulted(fact) => Some(fact.effect),
            Fact::TimerFired(fact) => Some(fact.effect),
            Fact::EffectPerformed(fact) => Some(fact.effect),
            Fact::EffectFailed(fact) => Some(fact.effect),
        }
    }
}
