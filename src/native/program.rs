//! The program that a name stands for.

use super::error::{HostError, HostResult};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

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
