//! What can go wrong in the host, beside the errors of the engine.
//!
//! Every error has the four parts that the command line prints: a stable code, the place, what was
//! expected and what came.

use crate::vocab::error::{Code, Diagnostic, Error, clip};
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// The most characters of a foreign text (git's words, a system message) that a diagnostic keeps.
const MOST_WORDS: usize = 2_000;

/// The result of fallible host calls.
pub type HostResult<T> = Result<T, HostError>;

/// An error of the host. Nothing was journaled for it.
#[derive(Debug)]
pub enum HostError {
    /// The engine refused, or a file of ours does not hold.
    Core(Error),
    /// Another driver holds the mission.
    Locked {
        /// Its process id.
        pid: u32,
        /// The machine it runs on.
        host: String,
        /// The lock file.
        path: PathBuf,
    },
    /// There is no mission in this directory.
    NoMission {
        /// Where one was looked for.
        path: PathBuf,
    },
    /// The journal is gone, and other files of its mission are not.
    JournalMissing {
        /// Where it should be.
        path: PathBuf,
        /// The first of what is left.
        beside: PathBuf,
    },
    /// There is a mission in this directory already.
    MissionExists {
        /// Its journal.
        path: PathBuf,
    },
    /// The system refused to read, write or start something.
    Io {
        /// What was being done, e.g. `write`.
        doing: &'static str,
        /// To what.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// An option of the caller makes no sense.
    Usage {
        /// Which.
        at: String,
        /// What would have been right.
        expected: String,
        /// What came.
        got: String,
    },
}

impl HostError {
    /// An error of the system.
    pub fn io(doing: &'static str, path: impl AsRef<Path>, source: io::Error) -> Self {
        HostError::Io { doing, path: path.as_ref().to_owned(), source }
    }

    /// The stable code: one of [`Code`], or `locked`, `no_mission`, `journal_missing`, `mission_exists`,
    /// `io`, `usage`.
    pub fn code(&self) -> &'static str {
        match self {
            HostError::Core(error) => error.code.as_str(),
            HostError::Locked { .. } => "locked",
            HostError::NoMission { .. } => "no_mission",
            HostError::JournalMissing { .. } => "journal_missing",
            HostError::MissionExists { .. } => "mission_exists",
            HostError::Io { .. } => "io",
            HostError::Usage { .. } => "usage",
        }
    }

    /// Where.
    pub fn at(&self) -> String {
        match self {
            HostError::Core(error) => error.at.clone(),
            HostError::Locked { path, .. }
            | HostError::NoMission { path }
            | HostError::JournalMissing { path, .. }
            | HostError::MissionExists { path }
            | HostError::Io { path, .. } => path.display().to_string(),
            HostError::Usage { at, .. } => at.clone(),
        }
    }

    /// What would have been right.
    pub fn expected(&self) -> String {
        match self {
            HostError::Core(error) => error.expected.clone(),
            HostError::Locked { .. } => "no other driver of this mission".to_owned(),
            HostError::NoMission { .. } => "a mission that was begun with `init`".to_owned(),
            HostError::JournalMissing { .. } => {
                "the journal beside the mission's other files; `endstate archive --unfinished` takes \
                 the rest aside"
                    .to_owned()
            }
            HostError::MissionExists { .. } => {
                "no mission: `endstate archive` makes room for another".to_owned()
            }
            HostError::Io { doing, .. } => format!("to {doing} it"),
            HostError::Usage { expected, .. } => expected.clone(),
        }
    }

    /// What came.
    pub fn got(&self) -> String {
        match self {
            HostError::Core(error) => error.got.clone(),
            HostError::Locked { pid, host, .. } => match super::processes::host_name() {
                here if here == *host => format!("process {pid} on {host} holds it"),
                // A container that was taken down leaves its lock, and nobody here can tell.
                here => format!(
                    "process {pid} on {host} holds it, as far as can be seen from {here}; if {host} is gone \
                     for good, remove .agent/endstate/lock"
                ),
            },
            HostError::NoMission { .. } => "no journal".to_owned(),
            HostError::JournalMissing { beside, .. } => format!("only {}", beside.display()),
            HostError::MissionExists { .. } => "a journal".to_owned(),
            HostError::Io { source, .. } => source.to_string(),
            HostError::Usage { got, .. } => got.clone(),
        }
    }

    /// The error as something that happened in the world, under a code of the engine's list.
    pub fn diagnostic(&self, otherwise: Code) -> Diagnostic {
        let code = match self {
            HostError::Core(error) => error.code,
            _ => otherwise,
        };
        let got = clip(&self.got(), MOST_WORDS);
        Diagnostic { code, at: self.at(), expected: self.expected(), got }
    }
}

/// A diagnostic with at most 2,000 characters of what was found.
pub fn problem(
    code: Code,
    at: impl Into<String>,
    expected: impl Into<String>,
    got: &str,
) -> Diagnostic {
    let got = clip(got.trim(), MOST_WORDS);
    Diagnostic { code, at: at.into(), expected: expected.into(), got }
}

impl fmt::Display for HostError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            HostError::Core(error) => write!(f, "{error}"),
            other => {
                let (at, expected, got) = (other.at(), other.expected(), other.got());
                write!(f, "{}: at {at}: expected {expected}, got {got}", other.code())
            }
        }
    }
}

impl std::error::Error for HostError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            HostError::Core(error) => Some(error),
            HostError::Io { source, .. } => Some(source),
            _ => None,
        }
    }
}

impl From<Error> for HostError {
    fn from(error: Error) -> Self {
        HostError::Core(error)
    }
}
