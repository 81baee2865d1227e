//! How the program ends: the exit statuses, and the one shape of every error it prints.

use endstate::native::HostError;
use endstate::view::End;
use endstate::vocab::error::{Diagnostic, Error};
use endstate::{Continuation, Engine};
use serde_json::{Value, json};
use std::process::ExitCode;

/// The exit statuses, in one place. `docs/cli.md` and `--help` say the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Done, or the command did what it was asked to.
    Done = 0,
    /// Something unexpected: the system refused to read, write or start something.
    Unexpected = 1,
    /// The command line makes no sense.
    Usage = 2,
    /// Done, but something was waived or deferred on the way.
    Waived = 3,
    /// Done, and something rests on less than the user accepted.
    Unproven = 4,
    /// The mission waits for an answer.
    Waiting = 10,
    /// The mission is blocked.
    Blocked = 11,
    /// The mission is paused or stopped, or the driver was interrupted.
    Paused = 12,
    /// Refused, malformed or damaged.
    Refused = 13,
    /// Another driver holds the mission.
    Locked = 14,
}

/// For `--help`.
pub(crate) const STATUSES: &str = "\
Exit statuses:
   0  done, or the command did what it was asked to
   1  something unexpected: the system refused to read, write or start something
   2  the command line makes no sense
   3  done, but something was waived or deferred on the way
   4  done, and something rests on claims, on judges that were not accepted, or on another commit than what is there
  10  the mission waits for an answer of yours
  11  the mission is blocked
  12  the mission is paused or stopped
  13  refused, malformed or damaged
  14  another driver holds the mission

Every command takes --json (one object per line, the summary last) and -C DIR.";

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit as u8)
    }
}

impl Exit {
    /// What the state of a mission that was driven means.
    pub(crate) fn of(engine: &Engine) -> Exit {
        match engine.continuation() {
            Continuation::Done => engine.view().end.map_or(Exit::Done, |end| Exit::of_end(&end)),
            Continuation::Continue => Exit::Done,
            Continuation::AwaitUserInput => Exit::Waiting,
            Continuation::Blocked => Exit::Blocked,
            Continuation::Paused => Exit::Paused,
        }
    }

    /// What the end of a mission means.
    pub(crate) fn of_end(end: &End) -> Exit {
        if end.shown.iter().any(|one| !one.enough) {
            return Exit::Unproven;
        }
        match end.waived.is_empty() && end.deferred.is_empty() {
            true => Exit::Done,
            false => Exit::Waived,
        }
    }
}

/// Why a command did nothing.
#[derive(Clone, Debug)]
pub(crate) struct Fault {
    pub(crate) code: String,
    pub(crate) at: String,
    pub(crate) expected: String,
    pub(crate) got: String,
    pub(crate) exit: Exit,
}

impl Fault {
    pub(crate) fn new(exit: Exit, code: &str, at: &str, expected: &str, got: &str) -> Fault {
        let [code, at, expected, got] = [code, at, expected, got].map(str::to_owned);
        Fault { code, at, expected, got, exit }
    }

    pub(crate) fn usage(at: &str, expected: &str, got: &str) -> Fault {
        Fault::new(Exit::Usage, "usage", at, expected, got)
    }

    pub(crate) fn json(&self) -> Value {
        let Fault { code, at, expected, got, exit } = self;
        json!({"error": {"code": code, "at": at, "expected": expected, "got": got},
            "exit": *exit as u8})
    }
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Fault { code, at, expected, got, .. } = self;
        let at = if at.is_empty() { "-" } else { at.as_str() };
        write!(f, "error: {code}\n  at:       {at}\n  expected: {expected}\n  got:      {got}")
    }
}

impl From<HostError> for Fault {
    fn from(error: HostError) -> Fault {
        let exit = match &error {
            HostError::Core(_)
            | HostError::NoMission { .. }
            | HostError::JournalMissing { .. }
            | HostError::MissionExists { .. } => Exit::Refused,
            HostError::Locked { .. } => Exit::Locked,
            HostError::Io { .. } => Exit::Unexpected,
            HostError::Usage { .. } => Exit::Usage,
        };
        Fault::new(exit, error.code(), &error.at(), &error.expected(), &error.got())
    }
}

impl From<Error> for Fault {
    fn from(error: Error) -> Fault {
        HostError::Core(error).into()
    }
}

impl From<Diagnostic> for Fault {
    fn from(one: Diagnostic) -> Fault {
        Fault::new(Exit::Refused, one.code.as_str(), &one.at, &one.expected, &one.got)
    }
}
