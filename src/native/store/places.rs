//! Where a mission keeps its files, and what may stand there.

use crate::native::error::{HostError, HostResult};
use crate::vocab::error::{Code, Error};
use std::fs::{self, OpenOptions};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The engine's directory, from the root of the repository.
pub const ENGINE_DIRECTORY: &str = ".agent/endstate";

/// The paths of a mission.
#[derive(Clone, Debug)]
pub struct Places {
    /// The root of the repository.
    pub root: PathBuf,
    /// `.agent/endstate`.
    pub engine: PathBuf,
    /// `.agent/endstate/tmp`, for files on their way.
    pub staging: PathBuf,
}

impl Places {
    /// Of the mission in this repository.
    pub fn of(root: &Path) -> Places {
        let engine = root.join(ENGINE_DIRECTORY);
        Places { root: root.to_owned(), staging: engine.join("tmp"), engine }
    }

    /// The journal.
    pub fn journal(&self) -> PathBuf {
        self.engine.join("journal.jsonl")
    }

    /// The lock.
    pub fn lock(&self) -> PathBuf {
        self.engine.join("lock")
    }

    /// The folder of a run's record.
    pub fn run(&self, id: &str) -> PathBuf {
        self.engine.join("runs").join(id)
    }

    /// Refuses a state directory that leads elsewhere.
    ///
    /// # Errors
    /// `unsafe_state_directory` with the part that is a symbolic link or no directory.
    pub fn check(&self) -> Result<(), Error> {
        let parts = [".agent", ENGINE_DIRECTORY, ".agent/endstate/runs", ".agent/endstate/inbox"];
        for part in parts {
            let kind = match fs::symlink_metadata(self.root.join(part)) {
                Ok(meta) if meta.is_dir() => continue,
                Ok(meta) if meta.is_symlink() => "a symbolic link",
                Ok(_) => "no directory",
                Err(_) => continue,
            };
            let expected = "a directory inside the repository";
            return Err(Error::new(Code::UnsafeStateDirectory, part, expected, kind));
        }
        Ok(())
    }

    /// Refuses snapshots, runs and letters of a mission whose journal is gone: nobody can go on with it, and in
    /// a new one their ids would be taken for its own.
    ///
    /// # Errors
    /// `journal_missing` with the first of what is left.
    pub fn refuse_leftovers(&self) -> HostResult<()> {
        let of = |name: &str| {
            let path = self.engine.join(name);
            let mut entries = fs::read_dir(&path).into_iter().flatten().flatten();
            let left = |entry: &fs::DirEntry| name == "runs" || entry.path().is_file();
            entries.any(|entry| left(&entry)).then_some(path)
        };
        let snapshot = || snapshots(self).into_iter().next().map(|(_, path)| path);
        match snapshot().or_else(|| of("runs")).or_else(|| of("inbox")) {
            None => Ok(()),
            Some(beside) => Err(HostError::JournalMissing { path: self.journal(), beside }),
        }
    }

    /// Why there is no mission to go on with, where there is no journal.
    pub fn absent(&self) -> HostError {
        let none = || HostError::NoMission { path: self.journal() };
        self.refuse_leftovers().err().unwrap_or_else(none)
    }

    /// Makes the directories. The engine's own is hidden from git, whatever `.gitignore` says.
    ///
    /// # Errors
    /// `unsafe_state_directory`, or what the system says.
    pub fn prepare(&self) -> HostResult<()> {
        self.check()?;
        fs::create_dir_all(&self.staging)
            .map_err(|error| HostError::io("create", &self.staging, error))?;
        self.check()?;
        let ignore = self.engine.join(".gitignore");
        match OpenOptions::new().write(true).create_new(true).open(&ignore) {
            Ok(mut file) => std::io::Write::write_all(&mut file, b"*\n")
                .map_err(|error| HostError::io("write", &ignore, error)),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
            Err(error) => Err(HostError::io("create", &ignore, error)),
        }
    }

    /// Sweeps what a crash left on its way.
    pub fn sweep(&self) {
        let entries = fs::read_dir(&self.staging).into_iter().flatten().flatten();
        for entry in entries {
            // Nothing depends on it; what cannot be removed is overwritten when its turn comes.
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Snapshots by sequence number, the newest first.
pub(super) fn snapshots(places: &Places) -> Vec<(u64, PathBuf)> {
    let entries = fs::read_dir(&places.engine).into_iter().flatten().flatten();
    let mut found: Vec<(u64, PathBuf)> = entries
        .filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            let seq = name.strip_prefix("snapshot-")?.strip_suffix(".json")?.parse().ok()?;
            Some((seq, entry.path()))
        })
        .collect();
    found.sort_by(|a, b| b.cmp(a));
    found
}
