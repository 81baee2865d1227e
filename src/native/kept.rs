//! Files that git ignores and commands need, as they were before the work: kept among the engine's own files by their digest, and
//! laid into every room.

use super::durable;
use super::error::{HostError, HostResult};
use super::files::{digest_of, inside};
use super::git::Git;
use super::regular;
use super::store::Places;
use crate::vocab::error::{Code, Error};
use crate::vocab::repository::PathDigest;
use std::collections::BTreeSet;
use std::fs::{self, DirBuilder};
use std::io::ErrorKind;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Component, Path, PathBuf};

/// The longest file that is kept, in bytes.
const MOST_BYTES: usize = 16 * 1024 * 1024;

/// These files as they are now, for `files` of [`ProofConfig`]. A mission that begins with it keeps them.
///
/// [`ProofConfig`]: crate::mission::proof::ProofConfig
///
/// # Errors
/// `unsafe_state_directory` for a path that leads out; `invalid_value` for a file that git does not ignore;
/// `too_large`; `io` for what is no file.
pub fn room_files(root: &Path, paths: &[String]) -> HostResult<Vec<PathDigest>> {
    if paths.is_empty() {
        return Ok(Vec::new());
    }
    // Git lists nothing where one of them leads out, and each as it spells it.
    let spelled = |path: &String| {
        let parts = Path::new(path).components().filter(|part| *part != Component::CurDir);
        parts.collect::<PathBuf>().to_string_lossy().into_owned()
    };
    let paths: Vec<String> = paths.iter().map(spelled).collect();
    for path in &paths {
        inside(root, path)?;
    }
    let words = ["ls-files", "-o", "-i", "--exclude-standard", "-z", "--"];
    let words: Vec<&str> = words.into_iter().chain(paths.iter().map(String::as_str)).collect();
    let said = Git::of(root).read(&words)?.stdout;
    let ignored: BTreeSet<&[u8]> = said.split(|byte| *byte == 0).collect();
    let one = |path: &String| {
        let at = inside(root, path)?;
        if !ignored.contains(path.as_bytes()) {
            let got = "one that it does not ignore, or that is not there";
            return Err(Error::new(Code::InvalidValue, path, "a file that git ignores", got).into());
        }
        let bytes = read(&at).map_err(|error| HostError::io("read", &at, error))?;
        if bytes.len() > MOST_BYTES {
            let [most, got] = [MOST_BYTES, bytes.len()].map(|size| format!("{size} bytes"));
            return Err(Error::new(Code::TooLarge, path, format!("at most {most}"), got).into());
        }
        Ok(PathDigest { path: path.clone(), digest: digest_of(&bytes) })
    };
    paths.iter().map(one).collect()
}

/// Keeps these files before a mission begins.
///
/// # Errors
/// `io` for one that is not as it was looked at.
pub(super) fn keep(places: &Places, files: &[PathDigest]) -> HostResult<()> {
    let folder = folder(places);
    for file in files {
        let (source, bytes) = find(&places.root, file)?;
        let to = folder.join(&file.digest);
        let fail = |error| HostError::io("keep", &source, error);
        let executable = fs::metadata(&source).map_err(fail)?.permissions().mode() & 0o111 != 0;
        // Whatever the file was readable for, what is kept of it is its user's.
        DirBuilder::new().recursive(true).mode(0o700).create(&folder).map_err(fail)?;
        durable::replace(&to, &places.staging, &bytes, executable).map_err(fail)?;
    }
    Ok(())
}

fn folder(places: &Places) -> PathBuf {
    places.engine.join("kept")
}

/// Lays these files into a room, whatever a command there made of them before.
///
/// # Errors
/// `io` for one that is neither kept nor in the worktree as it was; `unsafe_state_directory` where a link stands on its way.
pub(super) fn lay(root: &Path, room: &Path, files: &[PathDigest]) -> HostResult<()> {
    for file in files {
        let to = inside(room, &file.path)?;
        if read_known(&to, file).is_some() {
            continue;
        }
        let (source, bytes) = find(root, file)?;
        let fail = |error| HostError::io("lay into a room", &to, error);
        match fs::remove_file(&to) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(fail(error)),
            _ => {}
        }
        fs::create_dir_all(to.parent().unwrap_or(room)).map_err(fail)?;
        durable::create_new(&to, &bytes).map_err(fail)?;
        let mode = fs::metadata(source).map_err(fail)?.permissions();
        fs::set_permissions(&to, mode).map_err(fail)?;
    }
    Ok(())
}

/// Where a file is as it was, and what it holds.
fn find(root: &Path, file: &PathDigest) -> HostResult<(PathBuf, Vec<u8>)> {
    let worktree = inside(root, &file.path)?;
    let kept = folder(&Places::of(root)).join(&file.digest);
    let found =
        [kept, worktree.clone()].into_iter().find_map(|at| Some((read_known(&at, file)?, at)));
    let none = || {
        let got = format!("no file with the SHA-256 {}", file.digest);
        HostError::io("find", &worktree, std::io::Error::other(got))
    };
    found.map(|(bytes, at)| (at, bytes)).ok_or_else(none)
}

fn read_known(at: &Path, file: &PathDigest) -> Option<Vec<u8>> {
    read(at).ok().filter(|bytes| digest_of(bytes) == file.digest)
}

/// Reads a file, and not what a link leads to.
fn read(path: &Path) -> std::io::Result<Vec<u8>> {
    match fs::symlink_metadata(path)?.is_file() {
        true => regular::read(path),
        false => Err(ErrorKind::InvalidInput.into()),
    }
}
