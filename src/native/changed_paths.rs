//! What each of several commits changed: together they only tell what changed between the first and the last.

use super::error::HostResult;
use super::git::{Git, MOST_PATHS, READ_TIMEOUT};
use crate::vocab::repository::{Change, CommitSeen};

/// Of a merge only what is as in none of its parents. A path follows an entry that begins with `:`, so that no name of
/// a file is taken for a commit.
const TREES: [&str; 8] =
    ["diff-tree", "--stdin", "-r", "-c", "--root", "--raw", "--no-renames", "-z"];

impl Git {
    /// The change with the paths of each of its commits, in their order; of one commit alone the change has them. Cut
    /// at [`MOST_PATHS`] in all.
    pub(super) fn by_commit(&self, change: Change) -> HostResult<Change> {
        if change.commits.len() < 2 {
            return Ok(change);
        }
        let touched = self.touched(&change.commits)?;
        let all: usize = touched.iter().map(|one| one.paths.len()).sum();
        let truncated = change.truncated || all >= MOST_PATHS;
        Ok(Change { touched, truncated, ..change })
    }

    fn touched(&self, commits: &[String]) -> HostResult<Vec<CommitSeen>> {
        let words: Vec<&str> = TREES.into_iter().chain(["--ignore-submodules=none"]).collect();
        let input = format!("{}\n", commits.join("\n"));
        let said = self.change(&words, input.as_bytes(), READ_TIMEOUT)?;
        let one = |id: &String| CommitSeen { id: id.clone(), paths: Vec::new() };
        let mut rows: Vec<CommitSeen> = commits.iter().map(one).collect();
        enter(&mut rows, &said.stdout);
        rows.iter_mut().for_each(|row| row.paths.sort_unstable());
        Ok(rows)
    }
}

/// Enters each path with its commit.
fn enter(rows: &mut [CommitSeen], said: &[u8]) {
    let (mut room, mut place) = (MOST_PATHS, None);
    let mut parts = said.split(|byte| *byte == 0);
    while let Some(part) = parts.next() {
        if !part.starts_with(b":") {
            place = rows.iter().position(|row| row.id.as_bytes() == part);
            continue;
        }
        let path = String::from_utf8_lossy(parts.next().unwrap_or_default()).into_owned();
        if let Some(row) = place.and_then(|place| rows.get_mut(place)).filter(|_| room > 0) {
            row.paths.push(path);
            room -= 1;
        }
    }
}
