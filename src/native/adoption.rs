//! Reads another engine's directory from disk, so that a mission can start from it: the files, their
//! digests, the histories as streams, and which of their commits the head still has.

use super::error::{HostError, HostResult};
use super::files::{self, Content};
use super::git::Git;
use super::regular;
use super::store::Places;
use crate::protocols::completion::files::adopt::{Adopted, Layout, adopt, layout};
use crate::protocols::completion::files::contract::{anchor_of, one_line};
use crate::protocols::completion::files::history::{
    HistoryReader, HistorySummary, JudgementReader, JudgementSummary,
};
use crate::protocols::completion::files::{self as canonical, Mode};
use crate::protocols::completion::state::Adoption;
use crate::vocab::repository::PathDigest;
use std::collections::BTreeSet;
use std::io::{ErrorKind, Read};
use std::path::Path;

/// The largest file that is read whole.
const MOST_FILE: u64 = crate::vocab::json::MOST_BYTES as u64;

/// The layout of the directory in this repository, if there is one.
pub fn found(root: &Path) -> Option<Layout> {
    layout(|path| root.join(path).symlink_metadata().is_ok())
}

/// Reads the directory in the repository at `root`.
///
/// # Errors
/// `unsafe_state_directory` if it leads elsewhere; `io`.
pub fn read(root: &Path, mode: Mode) -> HostResult<Adoption> {
    let places = Places::of(root);
    places.check()?;
    let layout = found(root);
    let (history, judgements) = match layout {
        Some(layout) => histories(root, layout)?,
        None => (HistorySummary::none(), JudgementSummary::none()),
    };
    let directory = adopt(layout, |path| bytes(root, path), history, judgements, mode);
    let mut digests = Vec::new();
    for path in canonical::ALL {
        if let Ok(Content::File { digest, .. }) = files::digest_at(&root.join(path)) {
            digests.push(PathDigest { path: path.to_owned(), digest });
        }
    }
    let ancestors = ancestors(root, &directory)?;
    Ok(Adoption { directory, files: digests, ancestors })
}

/// The mission of a directory whose files do not agree on one: the tracked document is what people
/// signed, so it decides; then the state, the plan, the active slice and the brief.
pub fn mission(root: &Path, directory: &Adopted) -> Option<String> {
    let document = bytes(root, canonical::MISSION);
    let document = document.as_deref().and_then(|bytes| std::str::from_utf8(bytes).ok());
    let state = directory.state.as_ref().map(|file| file.mission_anchor.clone());
    let plan = directory.plan.as_ref().map(|file| file.mission_anchor.clone());
    let active = directory.active.as_ref().map(|file| file.mission_anchor.clone());
    let brief = directory.brief.as_ref().map(|file| file.mission.clone());
    let named =
        [directory.mission.clone(), document.and_then(anchor_of), state, plan, active, brief];
    named.into_iter().flatten().find(|mission| !one_line(mission).is_empty())
}

/// A file as it is; one that cannot be read is bytes that no reader takes, never an absent file.
fn bytes(root: &Path, path: &str) -> Option<Vec<u8>> {
    let path = root.join(path);
    match path.symlink_metadata() {
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return None;
        }
        Ok(meta) if meta.is_file() => {}
        Ok(_) | Err(_) => return Some(b"\xff".to_vec()),
    }
    let mut bytes = Vec::new();
    let read =
        regular::open(&path).and_then(|file| file.take(MOST_FILE + 1).read_to_end(&mut bytes));
    Some(read.map_or_else(|_| b"\xff".to_vec(), |_| bytes))
}

/// Streams a file through `push`; a missing one is empty.
///
/// # Errors
/// `io`.
pub fn stream(path: &Path, mut push: impl FnMut(&[u8])) -> HostResult<()> {
    let fail = |error| HostError::io("read", path, error);
    let mut file = match regular::open(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        opened => opened.map_err(fail)?,
    };
    let mut buffer = vec![0; 256 * 1024];
    loop {
        match file.read(&mut buffer).map_err(fail)? {
            0 => return Ok(()),
            count => push(&buffer[..count]),
        }
    }
}

fn histories(root: &Path, layout: Layout) -> HostResult<(HistorySummary, JudgementSummary)> {
    let [slices, judgements] = layout.histories().map(|path| root.join(path));
    let mut history = HistoryReader::new();
    stream(&slices, |bytes| history.push(bytes))?;
    let mut judged = JudgementReader::new();
    stream(&judgements, |bytes| judged.push(bytes))?;
    Ok((history.finish(), judged.finish()))
}

/// The commits that the slice history names and that the head is, or descends from.
fn ancestors(root: &Path, directory: &Adopted) -> HostResult<Vec<String>> {
    let mut named = BTreeSet::new();
    for slice in &directory.history.slices {
        let marks = [&slice.implemented, &slice.reviewed, &slice.audited, &slice.accepted];
        named.extend(marks.into_iter().flatten().map(|mark| mark.commit_sha.clone()));
    }
    let git = Git::of(root);
    let mut ancestors = Vec::new();
    for commit in named {
        let plain = commit.len() >= 40 && commit.bytes().all(|byte| byte.is_ascii_hexdigit());
        if plain && git.read(&["merge-base", "--is-ancestor", &commit, "HEAD"])?.status == Some(0) {
            ancestors.push(commit);
        }
    }
    Ok(ancestors)
}
