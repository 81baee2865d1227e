//! The repository as it was last seen, and which paths have differed since when: what makes a verification
//! stale.

use crate::vocab::repository::{PathDigest, Repository};
use crate::vocab::table::Ledgered;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The repository as last seen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
}

/// Counts heads, and notes which paths differ since the last one. `before` is that head, with its ordinal
/// and the one before which everything is stale; answers with both as they are now.
pub(crate) fn count(
    before: Option<(&Option<String>, u64, u64)>,
    touches: &mut Ledgered,
    repository: &Repository,
) -> (u64, u64) {
    let moved = before.is_some_and(|(head, ..)| *head != repository.head);
    let (mut ordinal, mut stale_before) =
        before.map_or((1, 0), |(_, ordinal, stale_before)| (ordinal, stale_before));
    if moved {
        match &repository.since {
            Some(change) if change.descends && !change.truncated => {
                for path in &change.paths {
                    touches.set(path, ordinal + 1);
                }
            }
            _ => stale_before = ordinal,
        }
        ordinal += 1;
    }
    (ordinal, stale_before)
}

/// Takes over head, refs and dirt, and notes which paths differ since the last head.
pub(crate) fn look(seen: &mut Option<Seen>, touches: &mut Ledgered, repository: &Repository) {
    let before = seen.as_ref().map(|seen| (&seen.head, seen.ordinal, seen.stale_before));
    let (ordinal, stale_before) = count(before, touches, repository);
    *seen = Some(Seen {
        head: repository.head.clone(),
        refs: repository.refs.clone(),
        dirty: repository.dirty.clone(),
        fresh: true,
        ordinal,
        stale_before,
    });
}
