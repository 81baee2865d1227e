//! Locks that a killed git has left.
//!
//! A git that is killed while it changes something leaves its `*.lock` files, and every git after it
//! refuses to work until a person takes them away. Where the driver itself ended what was running, or
//! found that it was ended, it takes them away: only locks that stand still, and only where the system
//! shows that no git works in the repository.

use super::git::Git;
use super::processes;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, SystemTime};

/// How long a lock stands before it can count as left.
const STANDING: Duration = Duration::from_secs(2);

/// One lock file, as it was when it was looked at: a lock made anew is another one.
#[derive(PartialEq, Eq)]
struct Lock {
    inode: u64,
    seconds: i64,
    nanoseconds: i64,
}

impl Lock {
    fn at(path: &Path) -> Option<Lock> {
        let meta = fs::symlink_metadata(path).ok().filter(fs::Metadata::is_file)?;
        Some(Lock { inode: meta.ino(), seconds: meta.mtime(), nanoseconds: meta.mtime_nsec() })
    }
}

/// Takes away the locks of the repository at `root` that nobody holds; answers with their names. What
/// cannot be known or done is left as it is: git then says itself what stands in its way.
pub fn release(root: &Path) -> Vec<String> {
    let mut released = Vec::new();
    for (name, path) in locks(root) {
        let Some(lock) = Lock::at(&path) else { continue };
        wait_until_old(&path);
        let left =
            !processes::git_works_in(&directories(root, &path)) && Lock::at(&path) == Some(lock);
        if left && fs::remove_file(&path).is_ok() {
            released.push(name);
        }
    }
    released
}

/// The locks that the making of a commit takes, with the names git has for them.
fn locks(root: &Path) -> Vec<(String, PathBuf)> {
    let git = Git::of(root);
    let mut names = vec!["index".to_owned(), "HEAD".to_owned(), "packed-refs".to_owned()];
    names.extend(git.line(&["symbolic-ref", "--quiet", "HEAD"]).ok().flatten());
    let named = names.into_iter().filter_map(|name| {
        let name = format!("{name}.lock");
        let path = git.line(&["rev-parse", "--git-path", &name]).ok().flatten()?;
        Some((name, root.join(path)))
    });
    named.collect()
}

/// Where a git that could hold this lock works: in the worktree, or beside the lock.
fn directories(root: &Path, lock: &Path) -> Vec<PathBuf> {
    let places = [Some(root), lock.parent()];
    places.into_iter().flatten().filter_map(|place| place.canonicalize().ok()).collect()
}

fn wait_until_old(path: &Path) {
    let changed = fs::symlink_metadata(path).and_then(|meta| meta.modified());
    let age = changed.ok().and_then(|then| SystemTime::now().duration_since(then).ok());
    sleep(STANDING.saturating_sub(age.unwrap_or_default()));
}
