//! What git was told to look away from: files it takes for unchanged or leaves out of the worktree, files that only rules
//! outside of the repository's own `.gitignore` files hide, and repositories inside that nothing names. Whoever works in a
//! repository can set all of that, and none of it is committed; a look sees through it.

use super::error::{HostError, HostResult};
use super::git::Git;
use super::own_files;
use super::regular;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// The words of every look at what is not committed.
pub(super) const STATUS: [&str; 6] = [
    "status",
    "--porcelain=v1",
    "-z",
    "--untracked-files=all",
    "--no-renames",
    "--ignore-submodules=none",
];

/// The words of every look at the index, which [`entries`] reads.
pub(super) const INDEX: [&str; 4] = ["ls-files", "-v", "--stage", "-z"];

impl Git {
    /// Paths that differ from the last commit, and that `git status` does not name.
    ///
    /// # Errors
    /// `io` as every call.
    pub(super) fn hidden(&self, common: Option<&Path>) -> HostResult<BTreeSet<Vec<u8>>> {
        // In a sparse worktree git takes the mark off where a file is there, and believes its time.
        let index = self.read(&[&["-c", "core.sparseCheckout=false"], &INDEX[..]].concat())?;
        let entries: Vec<Entry<'_>> = entries(&index.stdout).collect();
        let mut hidden = self.looked_away_from(&entries)?;
        if let Some(common) = common {
            hidden.extend(self.ignored_in(common)?);
        }
        hidden.extend(self.loose_links(&entries)?);
        Ok(hidden)
    }

    /// Repositories inside of this one that are committed as a link and named as no submodule: nothing tells where
    /// their content comes from, and a clone has an empty directory in their place.
    fn loose_links(&self, entries: &[Entry<'_>]) -> HostResult<BTreeSet<Vec<u8>>> {
        let links = entries.iter().filter(|entry| entry.is("160000"));
        let mut links: BTreeSet<Vec<u8>> = links.map(|entry| entry.path.to_vec()).collect();
        if !links.is_empty() {
            let words = ["config", "-z", "--file", ".gitmodules", "--get-regexp", r"\.path$"];
            let modules = self.read(&words)?;
            for entry in modules.stdout.split(|byte| *byte == 0) {
                if let Some(at) = entry.iter().position(|byte| *byte == b'\n') {
                    links.remove(entry.get(at + 1..).unwrap_or_default());
                }
            }
        }
        Ok(links)
    }

    /// Paths of the index that are marked as unchanged or as left out, and are neither.
    fn looked_away_from(&self, entries: &[Entry<'_>]) -> HostResult<BTreeSet<Vec<u8>>> {
        let marked = self.marked(entries)?;
        if marked.is_empty() {
            return Ok(BTreeSet::new());
        }
        let Some(index) = self.path_of("index")? else { return Ok(BTreeSet::new()) };
        let own = copy(&index).map_err(|error| HostError::io("copy", &index, error))?;
        // Entered anew they have neither a mark nor a time, so that git compares what is in them.
        let lines: Vec<&[u8]> = marked.iter().map(|entry| entry.line).collect();
        self.in_index(own.path(), &["update-index", "-z", "--index-info"], &lines.concat())?;
        let said = self.in_index(own.path(), &STATUS, &[])?;
        let marked: BTreeSet<&[u8]> = marked.iter().map(|entry| entry.path).collect();
        let paths = said.stdout.split(|byte| *byte == 0).filter_map(|entry| entry.get(3..));
        Ok(paths.filter(|path| marked.contains(path)).map(<[u8]>::to_vec).collect())
    }

    /// Those that git was told not to compare. A path that is left out of a sparse worktree and is not there is as it
    /// should be.
    fn marked<'a>(&self, entries: &'a [Entry<'a>]) -> HostResult<Vec<&'a Entry<'a>>> {
        let marked = entries.iter().filter(|one| one.tag == b'S' || one.tag.is_ascii_lowercase());
        let mut marked: Vec<&Entry<'_>> = marked.collect();
        if marked.is_empty() {
            return Ok(marked);
        }
        let sparse = self.line(&["config", "--type=bool", "core.sparseCheckout"])?;
        if sparse.as_deref() == Some("true") {
            let there =
                |path: &[u8]| self.root.join(OsStr::from_bytes(path)).symlink_metadata().is_ok();
            marked.retain(|entry| entry.tag != b'S' || there(entry.path));
        }
        Ok(marked)
    }

    /// Untracked files that are hidden by rules in `.git/info/exclude`, or in a file that the configuration of this
    /// repository names, and by no rule that is committed or the user's own. What is below `.agent`, and what a mission
    /// writes beside a plan and hid itself, is hidden so by right: of this mission it is compared by its digest.
    fn ignored_in(&self, common: &Path) -> HostResult<BTreeSet<Vec<u8>>> {
        let rules = regular::read(&common.join("info/exclude")).unwrap_or_default();
        if !(has_rules(&rules) || may_name_rules(common)) {
            return Ok(BTreeSet::new());
        }
        let from = self.users_rules()?.filter(|path| path.is_file());
        let from = from.map(|path| format!("--exclude-from={}", path.display()));
        let mut words = vec!["ls-files", "-z", "--others", "--exclude-per-directory=.gitignore"];
        words.extend(from.as_deref());
        let said = self.read(&words)?;
        let paths = said.stdout.split(|byte| *byte == 0).filter(|path| !path.is_empty());
        let rightly = |path: &[u8]| path.starts_with(b".agent/") || own_files::hides(&rules, path);
        Ok(paths.filter(|path| !rightly(path)).map(<[u8]>::to_vec).collect())
    }

    /// The file of the user's own rules for all repositories.
    fn users_rules(&self) -> HostResult<Option<PathBuf>> {
        let words =
            ["config", "-z", "--show-scope", "--type=path", "--get-all", "core.excludesFile"];
        let said = self.read(&words)?;
        let text = String::from_utf8_lossy(&said.stdout);
        let parts: Vec<&str> = text.split('\0').collect();
        let pairs = parts.chunks_exact(2).map(|pair| (pair[0], pair[1]));
        let theirs = pairs.rev().find(|pair| matches!(pair.0, "system" | "global"));
        Ok(theirs.map(|pair| PathBuf::from(pair.1)).or_else(usual_excludes))
    }
}

/// Whether the configuration of this repository may name a file of rules: it says this word, or one that lets other files say it.
fn may_name_rules(common: &Path) -> bool {
    let text = regular::read(&common.join("config")).unwrap_or_default();
    let text = String::from_utf8_lossy(&text).to_ascii_lowercase();
    ["excludesfile", "include", "worktreeconfig"].iter().any(|word| text.contains(word))
}

/// Where git looks for the user's rules if nothing names a file.
fn usual_excludes() -> Option<PathBuf> {
    user_folder().map(|folder| folder.join("git/ignore"))
}

/// Where programs keep what their user set.
pub(super) fn user_folder() -> Option<PathBuf> {
    let of = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    let folder = of("XDG_CONFIG_HOME").map(PathBuf::from);
    folder.or_else(|| of("HOME").map(|home| Path::new(&home).join(".config")))
}

/// Whether rules say anything but what hides the state directory.
fn has_rules(rules: &[u8]) -> bool {
    let text = String::from_utf8_lossy(rules);
    let idle = |line: &str| {
        let bare = line.trim().trim_start_matches('/');
        bare.is_empty() || bare.starts_with('#') || bare == ".agent" || bare.starts_with(".agent/")
    };
    !text.lines().all(idle)
}

/// An entry of the index, as git lists it.
pub(super) struct Entry<'a> {
    /// The letter that says how git sees it: small where it is taken for unchanged, `S` where it is left out.
    tag: u8,
    /// Mode, object, stage, a tab, the path, a NUL.
    line: &'a [u8],
    /// Its name, which need not be text.
    pub(super) path: &'a [u8],
}

/// The entries of the index in what git says of it.
pub(super) fn entries(said: &[u8]) -> impl Iterator<Item = Entry<'_>> {
    said.split_inclusive(|byte| *byte == 0).filter_map(Entry::read)
}

impl<'a> Entry<'a> {
    /// Whether it has this mode.
    pub(super) fn is(&self, mode: &str) -> bool {
        self.line.starts_with(mode.as_bytes())
    }

    fn read(listed: &'a [u8]) -> Option<Entry<'a>> {
        let [tag, b' ', line @ ..] = listed else { return None };
        let at = line.iter().position(|byte| *byte == b'\t')?;
        Some(Entry { tag: *tag, line, path: line.get(at + 1..)?.strip_suffix(b"\0")? })
    }
}

fn copy(index: &Path) -> std::io::Result<tempfile::NamedTempFile> {
    let own = tempfile::NamedTempFile::new()?;
    fs::copy(index, own.path())?;
    Ok(own)
}
