//! What lies beside the canonical files, in the directories they lie in: whatever somebody put there who was
//! not asked to. Links are never followed.

use super::files;
use super::git::{Git, MOST_PATHS};
use crate::vocab::repository::PathDigest;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;

impl Git {
    /// Every file below `within`, sorted, but for the `known` ones and those below `without`. All three are
    /// paths from the root; directories end in a slash.
    pub fn beside(
        &self,
        known: &[PathDigest],
        within: &[String],
        without: &[String],
    ) -> Vec<PathDigest> {
        let known: BTreeSet<&str> = known.iter().map(|one| one.path.as_str()).collect();
        let mut paths = Vec::new();
        let mut left: Vec<Vec<u8>> = within.iter().map(|one| one.clone().into_bytes()).collect();
        while let Some(folder) = left.pop() {
            let skipped = without.iter().any(|one| one.as_bytes() == folder);
            if skipped || !is_folder(&self.place(&folder)) {
                continue;
            }
            let Ok(entries) = fs::read_dir(self.place(&folder)) else {
                paths.push(folder);
                continue;
            };
            for entry in entries.flatten() {
                let path = [folder.clone(), entry.file_name().into_vec()].concat();
                match entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                    true => left.push([path, b"/".to_vec()].concat()),
                    false => paths.push(path),
                }
            }
        }
        paths.retain(|path| std::str::from_utf8(path).map_or(true, |path| !known.contains(path)));
        paths.sort_unstable();
        let rest = paths.split_off(paths.len().min(MOST_PATHS));
        let mut seen: Vec<PathDigest> = paths.iter().map(|path| self.digest(path)).collect();
        if !rest.is_empty() {
            // A directory this full is only ever compared with itself.
            let digest = files::digest_of(&rest.join(&0));
            seen.push(PathDigest { path: format!("({} more paths)", rest.len()), digest });
        }
        seen
    }

    fn place(&self, raw: &[u8]) -> std::path::PathBuf {
        self.root.join(OsStr::from_bytes(raw))
    }
}

fn is_folder(path: &Path) -> bool {
    // A slash at the end would follow a link.
    let plain = path.as_os_str().as_bytes();
    let plain = plain.strip_suffix(b"/").unwrap_or(plain);
    fs::symlink_metadata(OsStr::from_bytes(plain)).is_ok_and(|meta| meta.is_dir())
}
