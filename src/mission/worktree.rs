//! The tree around a run: whether it can be worked in, and whether a run left it alone.

use super::repository::Seen;
use crate::vocab::error::{Code, Diagnostic, Error, Result};
use crate::vocab::json::{Readable, Serialize};
use crate::vocab::repository::{Change, PathDigest, Repository};
use schemars::JsonSchema;
use std::collections::BTreeSet;

/// The tree before a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Before {
    /// The head.
    pub head: Option<String>,
    /// All local branches and tags.
    pub refs: String,
    /// What was dirty.
    pub dirty: Vec<PathDigest>,
}

impl Before {
    /// The tree as it was last seen.
    pub(crate) fn of(seen: Option<&Seen>) -> Before {
        Before {
            head: seen.and_then(|seen| seen.head.clone()),
            refs: seen.map(|seen| seen.refs.clone()).unwrap_or_default(),
            dirty: seen.map(|seen| seen.dirty.clone()).unwrap_or_default(),
        }
    }
}

/// Why the repository cannot be worked in.
pub(crate) fn problem(repository: &Repository) -> Option<Diagnostic> {
    let make = |code, expected: &str, got: &str| {
        Some(Error::new(code, "repository", expected, got).diagnostic())
    };
    match (&repository.problem, &repository.branch) {
        (Some(problem), _) => Some(problem.clone()),
        (None, None) => make(Code::DetachedHead, "a branch", "a detached head"),
        (None, Some(_)) => None,
    }
}

/// A read-only run leaves head, branches, tags and worktree as they were.
///
/// # Errors
/// `read_only_touched` with what differs.
pub(crate) fn left_alone(was: &Before, repository: &Repository) -> Result<()> {
    let refuse = |got: String| {
        let expected = "the tree as it was before a read-only run";
        Err(Error::new(Code::ReadOnlyTouched, "tree", expected, got))
    };
    if was.head != repository.head {
        let changed = repository.since.as_deref().map(paths_of).unwrap_or_default();
        return refuse(format!("another head, changing {changed}"));
    }
    if was.refs != repository.refs {
        return refuse("other branches or tags".to_owned());
    }
    let before: BTreeSet<_> = was.dirty.iter().collect();
    let after: BTreeSet<_> = repository.dirty.iter().collect();
    let paths: BTreeSet<&str> =
        before.symmetric_difference(&after).map(|dirty| dirty.path.as_str()).collect();
    match paths.is_empty() {
        true => Ok(()),
        false => refuse(paths.into_iter().collect::<Vec<_>>().join(", ")),
    }
}

fn paths_of(change: &Change) -> String {
    change.paths.iter().take(20).cloned().collect::<Vec<_>>().join(", ")
}
