//! The program that a name stands for.

use super::capture::capture;
use super::error::{HostError, HostResult};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// How long a shell may take to say whether it knows a name.
const ANSWER: Duration = Duration::from_secs(10);

/// Whether a shell knows this name: as a program in `PATH`, or by itself.
pub(super) fn is_known(name: &str) -> bool {
    let mut shell = Command::new("/bin/sh");
    shell.args(["-c", "command -v \"$1\"", "sh", name]);
    // Where no shell answers, nothing is known to be missing.
    capture(shell, &[], ANSWER).map_or(true, |said| said.status == Some(0))
}

/// The program a name stands for: a path as it is, a bare name through `PATH`.
///
/// # Errors
/// `io` (not found, or not executable) with the program's name.
pub(super) fn find_program(name: &str, directory: &Path) -> HostResult<PathBuf> {
    find_along(name, directory, std::env::var_os("PATH").unwrap_or_default())
}

pub(super) fn find_along(name: &str, directory: &Path, search: OsString) -> HostResult<PathBuf> {
    use std::os::unix::fs::PermissionsExt;
    let runs = |path: &Path| {
        path.metadata().is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
    };
    let missing = || HostError::io("start", name, std::io::ErrorKind::NotFound.into());
    if name.is_empty() {
        return Err(missing());
    }
    if name.contains('/') {
        let path = directory.join(name);
        return runs(&path).then_some(path).ok_or_else(missing);
    }
    std::env::split_paths(&search)
        .map(|place| directory.join(place).join(name))
        .find(|path| runs(path))
        .ok_or_else(missing)
}
