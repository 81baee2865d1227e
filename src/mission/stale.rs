//! Evidence goes stale when a path it covers is touched after it was given. Staleness is derived, never
//! swept: a counter of the heads that were seen, and for each path the head that last touched it.

use crate::vocab::repository::Repository;
use crate::vocab::table::Ledgered;
use std::collections::BTreeSet;

/// Stands for every path.
pub(crate) const EVERYTHING: &str = "*";
/// The most paths of an item that are remembered; beyond, it covers [`EVERYTHING`].
const MOST_PATHS: usize = 2_000;

/// The heads that were seen, counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Heads {
    /// The present one.
    pub(crate) ordinal: u64,
    /// Everything shown at or before this one is stale, whatever its paths.
    pub(crate) stale_before: u64,
}

impl Heads {
    /// Counts a look: `moved` says that the head is another one than at the last.
    pub(crate) fn after(
        before: Option<Heads>,
        moved: bool,
        repository: &Repository,
        touches: &mut Ledgered,
    ) -> Heads {
        let mut heads = before.unwrap_or(Heads { ordinal: 1, stale_before: 0 });
        if !moved {
            return heads;
        }
        match &repository.since {
            Some(change) if change.descends && !change.truncated => {
                for path in &change.paths {
                    touches.set(path, heads.ordinal + 1);
                }
            }
            _ => heads.stale_before = heads.ordinal,
        }
        heads.ordinal += 1;
        heads
    }

    /// Whether what was shown at `shown` about `paths` may no longer hold.
    pub(crate) fn stale(self, shown: u64, paths: &BTreeSet<String>, touches: &Ledgered) -> bool {
        let touched = |path: &String| touches.get(path).is_some_and(|ordinal| ordinal > shown);
        shown != self.ordinal
            && (shown <= self.stale_before
                || paths.contains(EVERYTHING)
                || paths.iter().any(touched))
    }
}

/// What covers every path.
pub(crate) fn everything() -> BTreeSet<String> {
    BTreeSet::from([EVERYTHING.to_owned()])
}

/// Adds paths to what is covered, up to a limit.
pub(crate) fn cover(covered: &mut BTreeSet<String>, paths: impl Iterator<Item = String>) {
    covered.extend(paths);
    if covered.len() > MOST_PATHS {
        *covered = everything();
    }
}
