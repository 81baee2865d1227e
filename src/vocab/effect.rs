//! Effects: orders in the imperative, a closed set for all five protocols.
//!
//! An effect lives in the snapshot's outbox from order to answer. Delivery is at least once,
//! admission exactly once. What makes repetition harmless is in the order itself.

use super::budget::Counter;
use super::event::EffectId;
use super::question::Question;
use super::repository::PathDigest;
use super::role::{Access, Limits, Tier};
use super::test_report::TestFormat;
use super::time::Millis;
use crate::vocab::json::{Readable, Serialize};
use schemars::JsonSchema;
use std::sync::Arc;

/// An order with its id.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Effect {
    /// Deterministic id.
    pub id: EffectId,
    /// What to do.
    pub order: Order,
}

/// The closed set of orders.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(tag = "type", content = "data", rename_all = "snake_case", deny_unknown_fields)]
pub enum Order {
    /// Start a role. Answered by `run_started`, then `run_ended`.
    SpawnRole(SpawnRole),
    /// End a role, or a command that runs. Answered by `effect_performed`; a run itself still ends by `run_ended`.
    StopRole(StopRole),
    /// Ask the user. Answered by `question_answered`.
    AskUser(Question),
    /// Append to a file that only ever grows. Answered by `effect_performed`.
    AppendHistory(AppendHistory),
    /// Replace a canonical file by its projection. Answered by `effect_performed`.
    WriteFile(WriteFile),
    /// Write and commit exactly these files, or leave everything as it was. Answered by
    /// `effect_performed`.
    CommitFiles(CommitFiles),
    /// Run a command without a shell. Answered by `command_exited`.
    RunCommand(RunCommand),
    /// Look at the world. Answered by `repository_observed` or `documents_observed`.
    Observe(Observe),
    /// Wake the engine. Answered by `timer_fired`.
    SetTimer(SetTimer),
    /// Call host code. Answered by `consulted`.
    Consult(Consult),
    /// Tell the user. Answered by `effect_performed`.
    Notify(Notify),
}

/// See [`Order::SpawnRole`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SpawnRole {
    /// The role's name in its protocol.
    pub role: String,
    /// The item it works on, if any.
    pub item: Option<String>,
    /// How often this role has been sent before, in this mission, plus one.
    pub visit: u64,
    /// Everything the role is told.
    pub prompt: String,
    /// The name of the schema its report must match.
    pub report_schema: String,
    /// How strong a model it wants.
    pub tier: Tier,
    /// What it may do to the tree.
    pub access: Access,
    /// Limits the host enforces.
    pub limits: Limits,
    /// Set if this run answers the fault of an earlier run's report; the same session goes on
    /// where the agent can.
    pub corrects: Option<EffectId>,
}

/// See [`Order::StopRole`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StopRole {
    /// The run or the command to end.
    pub run: EffectId,
    /// At once, rather than asking it to wind up.
    pub kill: bool,
}

/// See [`Order::AppendHistory`]. At the offset: append. Half there: complete. All there: done.
/// Anything else: `foreign_append`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AppendHistory {
    /// Path from the root of the repository.
    pub path: String,
    /// Length of the file before the append, in bytes.
    pub offset: u64,
    /// SHA-256 in hex of the file before the append; `None` if there is no file.
    pub prefix_digest: Option<String>,
    /// The text to append, whole lines.
    pub text: String,
}

/// See [`Order::WriteFile`]. The bytes come from `render(path)` at the moment of writing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WriteFile {
    /// Path from the root of the repository.
    pub path: String,
    /// Counts the contents this file has had.
    pub revision: u64,
    /// SHA-256 in hex of what is expected to be there; `None` for nothing.
    pub expected: Option<String>,
    /// SHA-256 in hex of foreign content that may be there instead; it is kept aside as
    /// `.agent/tmp/rejected-<digest>.json` before the file is replaced.
    pub aside: Option<String>,
    /// The file is a program.
    pub executable: bool,
}

/// See [`Order::CommitFiles`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CommitFiles {
    /// The files, each rendered, written and committed; no other path is.
    pub paths: Vec<String>,
    /// The commit message.
    pub message: String,
    /// The head the commit must follow; `None` for an unborn branch.
    pub expected_head: Option<String>,
}

/// See [`Order::RunCommand`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RunCommand {
    /// Program and arguments; never a shell line.
    pub argv: Vec<String>,
    /// The directory it runs in, from the root of the repository; empty for the root itself.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub directory: String,
    /// What it is for.
    pub purpose: String,
    /// Wall time in milliseconds, after which the whole process group is ended.
    pub timeout_ms: u64,
    /// Bytes of output that are kept, from the end.
    pub output_bytes: u64,
    /// The head it must run at, if it matters.
    pub expected_head: Option<String>,
    /// Where it runs instead of the worktree, if it is to show what the commit alone does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub room: Option<Room>,
}

/// A checkout for judging, made from the commit and nothing else, outside the worktree. Nothing that git ignores, that is
/// configured in the repository or set in the environment is in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Room {
    /// The name it is kept by while the mission uses it.
    pub name: String,
    /// It is made anew; otherwise it is as the last command left it.
    pub fresh: bool,
    /// The commit that is checked out; `None` for an unborn branch.
    pub commit: Option<String>,
    /// What is not committed is laid over it, as it is in the files and not as git was told to see it.
    pub uncommitted: bool,
    /// The commit that the work began at.
    pub base: Option<String>,
    /// Files, and directories with a slash at their end, that are as they were at the base while the command runs: what decides
    /// is not to be changed by whom it decides about. A word that begins with `:(glob)` is a pathspec of git; what a link of the
    /// base leads to is meant with it. They stand in groups: where one of several was there at the base, others of them that were
    /// not are away; else, and where a word stands alone, the work may have added to it.
    pub held: Vec<Vec<String>>,
    /// Variables of the environment that the command is given beside the usual ones.
    pub variables: Vec<String>,
    /// Files that lie in it as they were before the work, whatever git knows of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<PathDigest>,
    /// The command has no network; where that cannot be, it is not run.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub offline: bool,
    /// How its tests are reported, where it is a test runner that says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tests: Option<TestFormat>,
}

/// See [`Order::Observe`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(tag = "what", rename_all = "snake_case", deny_unknown_fields)]
pub enum Observe {
    /// The repository with its canonical files.
    Repository {
        /// Report what changed since this commit.
        since: Option<String>,
        /// Report what changed since this commit, too.
        basis: Option<String>,
        /// Canonical files as the engine knows them (`absent` for none). Only those that differ
        /// are reported; with the digest `present` those where nothing is.
        known: Vec<PathDigest>,
        /// Directories in which nobody but the engine writes, each with a slash at its end. Files there that
        /// are not `known` are reported as `beside`.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        within: Vec<String>,
        /// Directories below these that are others' to write to.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        without: Vec<String>,
    },
    /// Documents, read whole.
    Documents {
        /// Paths from the root of the repository.
        paths: Vec<String>,
        /// Only what git tracks counts: a file that it ignores, or was told not to look at, is not read.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        tracked: bool,
    },
}

/// See [`Order::SetTimer`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SetTimer {
    /// What it is for.
    pub name: String,
    /// When it is due, in milliseconds since the Unix epoch.
    pub due_at: Millis,
}

/// See [`Order::Consult`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Consult {
    /// The name under which the host registered its code.
    pub handler: String,
    /// The input as JSON text.
    pub input: String,
}

/// See [`Order::Notify`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Notify {
    /// How loud.
    pub level: Level,
    /// What to say.
    pub text: String,
}

/// How loud a notice is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// For information.
    Info,
    /// Somebody should look.
    Warning,
}

impl Order {
    /// The word this order has in JSON.
    pub fn name(&self) -> &'static str {
        match self {
            Order::SpawnRole(_) => "spawn_role",
            Order::StopRole(_) => "stop_role",
            Order::AskUser(_) => "ask_user",
            Order::AppendHistory(_) => "append_history",
            Order::WriteFile(_) => "write_file",
            Order::CommitFiles(_) => "commit_files",
            Order::RunCommand(_) => "run_command",
            Order::Observe(_) => "observe",
            Order::SetTimer(_) => "set_timer",
            Order::Consult(_) => "consult",
            Order::Notify(_) => "notify",
        }
    }

    /// A look at the repository.
    pub(crate) fn is_look(&self) -> bool {
        matches!(self, Order::Observe(Observe::Repository { .. }))
    }

    /// Its answer comes by itself and soon: a question waits for a person, and a timer only wakes the engine some day.
    pub(crate) fn is_answered_soon(&self) -> bool {
        !matches!(self, Order::AskUser(_) | Order::SetTimer(_))
    }

    /// The counter one such order spends from. Protocols may spend from further ones.
    pub fn counter(&self) -> Counter {
        match self {
            Order::SpawnRole(_) => Counter::RoleRuns,
            Order::AskUser(_) => Counter::Questions,
            Order::CommitFiles(_) | Order::RunCommand(_) => Counter::Commands,
            Order::Observe(_) => Counter::Observations,
            Order::SetTimer(_) => Counter::Timers,
            Order::Consult(_) => Counter::Consults,
            Order::StopRole(_)
            | Order::AppendHistory(_)
            | Order::WriteFile(_)
            | Order::Notify(_) => Counter::Writes,
        }
    }
}

/// Where an effect is in its life. Answered and withdrawn effects leave the outbox.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(tag = "phase", rename_all = "snake_case", deny_unknown_fields)]
pub enum Delivery {
    /// Ordered; perhaps performed, perhaps not.
    Ordered,
    /// A run was started and is alive as far as is known.
    Started {
        /// When.
        at: Millis,
        /// Its session, if it has one.
        session: Option<String>,
        /// The last sign of life.
        heard_at: Millis,
        /// The last line it said.
        last_line: Option<String>,
    },
}

/// An effect that has not been answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Outstanding {
    /// The effect.
    pub effect: Arc<Effect>,
    /// Where it is in its life.
    pub delivery: Delivery,
    /// The counter it spent from beside its own, given back with it when it is withdrawn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub also: Option<Counter>,
}

impl Outstanding {
    /// Whether this is a run that has been started.
    pub fn live(&self) -> bool {
        matches!(self.delivery, Delivery::Started { .. })
    }
}
