//! The repository as it was last seen, and which paths have differed since when: what makes a verification
//! stale.

use super::stale::Heads;
use crate::vocab::json::{Readable, Serialize};
use crate::vocab::repository::{Change, PathDigest, Repository};
use crate::vocab::table::Ledgered;
use schemars::JsonSchema;

/// The repository as last seen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "RepositorySeen")]
pub struct Seen {
    /// The head; `None` if unborn.
    pub head: Option<String>,
    /// Digest of all local branches and tags.
    pub refs: String,
    /// What is dirty.
    pub dirty: Vec<PathDigest>,
    /// Nothing has happened since that could have changed the tree.
    pub fresh: bool,
    /// Counts the heads that were seen.
    pub ordinal: u64,
    /// Everything verified at or before this ordinal is stale, whatever its paths.
    pub stale_before: u64,
}

impl Seen {
    /// The head in words: `none` if unborn.
    pub fn head_word(&self) -> &str {
        self.head.as_deref().unwrap_or("none")
    }

    pub(crate) fn heads(&self) -> Heads {
        Heads { ordinal: self.ordinal, stale_before: self.stale_before }
    }
}

/// The head as it was last seen, where it is not behind the one that is there now: somebody rewrote the history, and
/// what only the old head held is gone from the branch.
pub(crate) fn left_behind(seen: Option<&Seen>, repository: &Repository) -> Option<String> {
    let from = seen?.head.clone()?;
    let descends = repository.since.as_ref().is_none_or(|change| change.descends);
    let gone = repository.head.is_none() || !descends;
    (gone && repository.head.as_ref() != Some(&from)).then_some(from)
}

/// Whether a commit is in the history, as far as a look from an earlier commit on tells; it may be abbreviated.
pub(crate) fn holds(change: &Change, commit: &str) -> bool {
    let commit = commit.to_lowercase();
    let named = |id: &String| id.starts_with(&commit);
    change.commits.iter().any(named) || (change.descends && named(&change.from))
}

/// The repository was looked at since anything could have changed it.
pub(crate) fn fresh(seen: Option<&Seen>) -> bool {
    seen.is_some_and(|seen| seen.fresh)
}

/// What was seen, in words.
pub(crate) fn words(seen: Option<&Seen>) -> String {
    match seen {
        Some(seen) => format!("head {} and {} dirty paths", seen.head_word(), seen.dirty.len()),
        None => "the repository was never looked at".to_owned(),
    }
}

/// Something happened since that could have changed the tree.
pub(crate) fn stale(seen: &mut Option<Seen>) {
    if let Some(seen) = seen {
        seen.fresh = false;
    }
}

/// Takes over head, refs and dirt, and notes which paths differ since the last head.
pub(crate) fn look(seen: &mut Option<Seen>, touches: &mut Ledgered, repository: &Repository) {
    let moved = seen.as_ref().is_some_and(|seen| seen.head != repository.head);
    let Heads { ordinal, stale_before } =
        Heads::after(seen.as_ref().map(Seen::heads), moved, repository, touches);
    *seen = Some(Seen {
        head: repository.head.clone(),
        refs: repository.refs.clone(),
        dirty: repository.dirty.clone(),
        fresh: true,
        ordinal,
        stale_before,
    });
}
