//! A mission that ended makes room for the next: its whole record is moved aside.
//!
//! `.agent/archive/<number>/` takes what stands in `.agent`: first what the mission showed to people, the
//! engine's own directory last, in one rename. Whoever is killed on the way has still got the mission,
//! and does it again. The archive is hidden from git; a journal in it is replayed and viewed as any other.

use super::error::{HostError, HostResult};
use super::files;
use super::git::Git;
use super::lock::Lock;
use super::store::{self, ENGINE_DIRECTORY, Places};
use super::{driver, durable};
use crate::vocab::error::Code;
use crate::vocab::repository::Seen;
use crate::{Continuation, Engine};
use std::fs;
use std::path::{Path, PathBuf};

/// Where the records go, from the root of the repository.
pub const ARCHIVE: &str = ".agent/archive";

/// What the repository tells roles, from its root: of no mission, so it stays for the next.
pub const PROMPTS: &str = ".agent/prompts";

/// A mission that nobody drives, and nobody can while this lives.
#[derive(Debug)]
pub struct Resting {
    /// Where it stands.
    pub engine: Engine,
    places: Places,
    _lock: Lock,
}

/// What was moved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Archived {
    /// The folder that has it now, from the root of the repository.
    pub path: String,
    /// How many files of it git tracks where they were; their removal is not committed.
    pub tracked: usize,
}

/// Takes the mission of this repository out of everybody's hands.
///
/// # Errors
/// `locked`, `no_mission`, damage of the journal, or what the system says.
pub fn resting(root: &Path) -> HostResult<Resting> {
    // Nothing is made where there is no mission; what counts is how it stands once nobody can drive it.
    store::peek(&Places::of(root))?;
    let (places, lock) = driver::enter(root)?;
    let store::Opened { engine, position, .. } = store::peek(&places)?;
    if engine.continuation() == Continuation::Done {
        store::prove(&places, &engine, &position)?;
    }
    Ok(Resting { engine, places, _lock: lock })
}

/// Whether a mission cannot be opened any more: its journal is gone, or does not hold.
pub fn lost(error: &HostError) -> bool {
    match error {
        HostError::JournalMissing { .. } => true,
        HostError::Core(error) => error.code == Code::JournalDamaged,
        _ => false,
    }
}

/// Moves aside what is left of a mission that is [`lost`]. What its newest snapshot knows of goes with
/// it; nobody can go on with it there.
///
/// # Errors
/// `locked`; `no_mission` where nothing is left, `mission_exists` where the mission can be opened; what
/// the system says.
pub fn remains(root: &Path) -> HostResult<Archived> {
    still_lost(&Places::of(root))?;
    let (places, _lock) = driver::enter(root)?;
    still_lost(&places)?;
    let engine = store::unproven(&places);
    aside(&places, engine.as_ref())
}

fn still_lost(places: &Places) -> HostResult<()> {
    match store::peek(places) {
        Err(error) if lost(&error) => Ok(()),
        Err(other) => Err(other),
        Ok(_) => Err(HostError::MissionExists { path: places.journal() }),
    }
}

impl Resting {
    /// Moves it aside.
    ///
    /// # Errors
    /// What the system says; what was not moved is where it was.
    pub fn archive(self) -> HostResult<Archived> {
        aside(&self.places, Some(&self.engine))
    }
}

/// What the newest record that has a file says in it. The path is from the root of the repository.
pub fn latest(root: &Path, path: &str) -> Option<String> {
    let folders = entries(&files::inside(root, ARCHIVE).ok()?).ok()?;
    let number = |folder: &PathBuf| folder.file_name()?.to_str()?.parse::<u32>().ok();
    let mut numbers: Vec<u32> = folders.iter().filter_map(number).collect();
    numbers.sort_unstable();
    numbers.iter().rev().find_map(|number| {
        match files::look(root, &format!("{ARCHIVE}/{number:03}/{path}")) {
            Seen::Text { text, .. } => Some(text),
            Seen::Absent | Seen::Digest { .. } => None,
        }
    })
}

fn aside(places: &Places, engine: Option<&Engine>) -> HostResult<Archived> {
    let root = &places.root;
    let archive = files::inside(root, ARCHIVE)?;
    made(&archive)?;
    durable::replace(&archive.join(".gitignore"), &places.staging, b"*\n", false)
        .map_err(|error| HostError::io("write", &archive, error))?;
    let listed =
        Git::of(root).read(&["ls-files", "-z", "--", ".agent", &format!(":!{PROMPTS}")])?;
    let tracked = listed.stdout.split(|byte| *byte == 0).filter(|path| !path.is_empty()).count();
    let (path, folder) = free(root)?;
    made(&folder)?;
    // Projections elsewhere tell of this mission, too; what only grows is for the next as well.
    let files = engine.map(Engine::files).unwrap_or_default();
    for known in files.iter().filter(|one| one.projection) {
        let state = known.path.rsplit('/').next() == Some("SUPERVISOR_STATE.md");
        let hidden = known.path.starts_with(".grid/") && !known.path.ends_with(".gitignore");
        let from = files::inside(root, &known.path)?;
        if (hidden || state) && from.is_file() {
            let to = folder.join(&known.path);
            made(to.parent().unwrap_or(&folder))?;
            moved(&from, to.parent().unwrap_or(&folder))?;
        }
    }
    let stays = [archive, places.engine.clone(), root.join(PROMPTS)];
    for entry in entries(&root.join(".agent"))? {
        if !stays.contains(&entry) {
            moved(&entry, &folder)?;
        }
    }
    moved(&root.join(ENGINE_DIRECTORY), &folder)?;
    // The lock went with it; it holds nothing any more.
    let _ = fs::remove_file(folder.join("endstate/lock"));
    Ok(Archived { path, tracked })
}

/// The first number without a whole record, and without anything that is no folder.
fn free(root: &Path) -> HostResult<(String, PathBuf)> {
    for number in 1..=u32::MAX {
        let path = format!("{ARCHIVE}/{number:03}");
        let folder = root.join(&path);
        let taken = fs::symlink_metadata(&folder).is_ok_and(|meta| !meta.is_dir());
        if !taken && fs::symlink_metadata(folder.join("endstate")).is_err() {
            return Ok((path, folder));
        }
    }
    let full = std::io::Error::other("every number is taken");
    Err(HostError::io("find a number in", root.join(ARCHIVE), full))
}

fn made(folder: &Path) -> HostResult<()> {
    fs::create_dir_all(folder).map_err(|error| HostError::io("create", folder, error))
}

fn entries(folder: &Path) -> HostResult<Vec<PathBuf>> {
    let fail = |error| HostError::io("read", folder, error);
    let all: Result<Vec<_>, _> =
        fs::read_dir(folder).map_err(fail)?.map(|one| one.map(|one| one.path())).collect();
    all.map_err(fail)
}

fn moved(path: &Path, folder: &Path) -> HostResult<()> {
    let Some(name) = path.file_name() else { return Ok(()) };
    let to = folder.join(name);
    fs::rename(path, &to)
        .and_then(|()| durable::sync_dir(folder))
        .map_err(|error| HostError::io("move", path, error))
}
