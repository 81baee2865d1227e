//! What the host saw of a repository or of documents.

use super::error::Diagnostic;
use crate::vocab::json::{Readable, Serialize};
use schemars::JsonSchema;

/// A repository at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Repository {
    /// The commit at the head; `None` if the branch is unborn.
    pub head: Option<String>,
    /// The branch; `None` if the head is detached.
    pub branch: Option<String>,
    /// SHA-256 over all local branches and tags with their commits.
    pub refs: String,
    /// Why the repository cannot be worked in, if so.
    pub problem: Option<Diagnostic>,
    /// Tracked changes anywhere and untracked, unignored files, sorted by path.
    pub dirty: Vec<PathDigest>,
    /// From the order's `since` to the head.
    pub since: Option<Box<Change>>,
    /// From the order's `basis` to the head.
    pub basis: Option<Box<Change>>,
    /// Canonical files that differ from what the order said is known.
    pub files: Vec<FileSeen>,
    /// Files in the engine's own directories that the order did not name as known, sorted by path.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub beside: Vec<PathDigest>,
}

/// Stands for any digest among the files that an order says are known: such a file is reported only if nothing is
/// there.
pub const PRESENT: &str = "present";

/// Stands for a file of the repository that has this line: one that git tracks and looks at, no folder and no link.
/// What is not such a file is reported, with the reason.
pub fn present_at(line: u32) -> String {
    format!("{PRESENT}:{line}")
}

/// The line that is asked for with [`present_at`].
pub fn line_asked(digest: &str) -> Option<u32> {
    digest.strip_prefix(PRESENT)?.strip_prefix(':')?.parse().ok()
}

/// A path and the digest of what is there.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PathDigest {
    /// Path from the root of the repository.
    pub path: String,
    /// SHA-256 of the content in hex, or `absent`.
    pub digest: String,
}

/// What lies between two commits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Change {
    /// The older commit; `none` for the empty history.
    pub from: String,
    /// Whether the head descends from it.
    pub descends: bool,
    /// Paths that differ, sorted.
    pub paths: Vec<String>,
    /// Ids of the commits between, the newest first.
    #[serde(default)]
    pub commits: Vec<String>,
    /// Ids of commits behind it that are not behind the head, the newest first; blank where the head descends from it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lost: Vec<String>,
    /// What each of several commits changed, in the same order; blank where there is one commit or none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub touched: Vec<CommitSeen>,
    /// A list was cut at the host's limit; every path may differ.
    #[serde(default)]
    pub truncated: bool,
}

impl Change {
    /// The paths that one of its commits changed, as far as the host tells.
    pub fn touched_by(&self, commit: &str) -> Option<&[String]> {
        match (self.touched.as_slice(), self.commits.as_slice()) {
            ([], [only]) if only == commit => Some(&self.paths),
            (rows, _) => rows.iter().find(|one| one.id == commit).map(|one| one.paths.as_slice()),
        }
    }
}

/// One commit, and the paths that it changed: of a merge those that are as in none of its parents.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CommitSeen {
    /// Its id.
    pub id: String,
    /// Paths from the root of the repository, sorted.
    pub paths: Vec<String>,
}

/// A canonical file that is not as the engine left it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FileSeen {
    /// Its path from the root of the repository.
    pub path: String,
    /// What is there.
    pub seen: Seen,
}

/// What is at the place of a canonical file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum Seen {
    /// Nothing.
    Absent,
    /// A text, read whole.
    Text {
        /// SHA-256 of its bytes in hex.
        digest: String,
        /// The text.
        text: String,
    },
    /// Something that is not read whole: an append-only file, or one that cannot be read.
    Digest {
        /// SHA-256 of its bytes in hex.
        digest: String,
        /// Its length in bytes.
        length: u64,
        /// Why it was not read, if it should have been.
        problem: Option<Diagnostic>,
    },
}

impl Seen {
    /// The digest of what is there, if anything is.
    pub fn digest(&self) -> Option<&str> {
        match self {
            Seen::Absent => None,
            Seen::Text { digest, .. } | Seen::Digest { digest, .. } => Some(digest),
        }
    }

    /// The bytes that are there.
    pub fn length(&self) -> u64 {
        match self {
            Seen::Absent => 0,
            Seen::Text { text, .. } => u64::try_from(text.len()).unwrap_or(u64::MAX),
            Seen::Digest { length, .. } => *length,
        }
    }
}

/// A document as the host found it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DocumentSeen {
    /// Its path from the root of the repository.
    pub path: String,
    /// What is there.
    pub seen: Seen,
}
