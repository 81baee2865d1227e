//! Rooms: checkouts for judging, made from a commit and nothing else, outside the worktree.
//!
//! What comes in is fetched, so git hashes every object again. Nothing of the repository's configuration, of its hooks or of
//! what it ignores is in a room, nor is anything of the environment that is not named here.

use super::capture::{Said, capture};
use super::error::{HostError, HostResult};
use super::git_hidden::{INDEX, entries};
use super::kept;
use super::process::{clean_environment, end_leftovers};
use super::store::ENGINE_DIRECTORY;
use crate::vocab::digest::digest;
use crate::vocab::effect::Room;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::{self, DirBuilder};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// Wall time of one call of git.
const GIT_TIMEOUT: Duration = Duration::from_secs(900);
/// Lists what the work changed, which the index keeps.
const CHANGED: [&str; 5] = ["diff-index", "--cached", "--name-only", "-z", "--no-renames"];
/// Lists what is not as at a commit in the files, whoever changed it.
const DIFFERS: [&str; 4] = ["diff-index", "--name-only", "-z", "--no-renames"];
/// Shows how files differ from those of a commit, as the index keeps them; a large one is not shown.
const DIFF: [&str; 8] = [
    "-c",
    "core.bigFileThreshold=1m",
    "diff-index",
    "--cached",
    "--patch",
    "--no-ext-diff",
    "--no-textconv",
    "--no-renames",
];
/// The most files whose difference is asked for, and the most bytes of it that are told.
const MOST_DIFFERENT: usize = 200;
const MOST_DIFF: usize = 16_384;
/// Begins what git says of a link in a tree.
const LINK: &[u8] = b"120000 blob ";
/// The most links on the way to a file, as systems have it.
const MOST_LINKS: usize = 40;
/// Begins a word that is a pattern of file names, in the words of git.
const GLOB: &str = ":(glob)";
/// Attributes of a room, above those of its files: what a file holds is what git has of it, so that the work cannot say how what
/// decides is written down, or that it has no difference to be seen.
const AS_IT_IS: &str = "* !text !crlf !eol !ident !filter !working-tree-encoding !diff\n";
/// What of the environment a command in a room is given.
const VARIABLES: [&str; 13] = [
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "TZ",
    "TERM",
    "TMPDIR",
    "CARGO_HOME",
    "RUSTUP_HOME",
    "RUSTUP_TOOLCHAIN",
];
/// Where programs keep what they can make again. Each room has its own, so that nothing is taken from where agents write.
const CACHE: &str = "XDG_CACHE_HOME";

/// A room that a command may run in.
pub(super) struct Entered {
    /// Where it is.
    pub(super) path: PathBuf,
    /// What a command there is given of the environment.
    pub(super) environment: Vec<(String, String)>,
    /// Files that the work had changed, and that are as at the base.
    pub(super) held: Vec<String>,
    /// How the first of these differ, whole.
    pub(super) diff: String,
}

/// The directory that the rooms of the mission at `root` are in.
fn folder(root: &Path) -> PathBuf {
    let mut key = digest(&root.display().to_string());
    key.truncate(16);
    std::env::temp_dir().join(format!("endstate-room-{key}"))
}

/// The same by its real path, made if it is not there.
///
/// # Errors
/// `io` if it cannot be made, or is somebody else's.
pub(super) fn make_folder(root: &Path) -> HostResult<PathBuf> {
    let path = folder(root);
    let fail = |error| HostError::io("make", &path, error);
    match DirBuilder::new().mode(0o700).create(&path) {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => return Err(fail(error)),
        _ => {}
    }
    must_be_own(&path)?;
    fs::canonicalize(&path).map_err(fail)
}

fn must_be_own(path: &Path) -> HostResult<()> {
    let own = fs::symlink_metadata(path)
        .is_ok_and(|meta| meta.is_dir() && meta.uid() == rustix::process::getuid().as_raw());
    let missing = || HostError::io("find", path, std::io::ErrorKind::NotFound.into());
    own.then_some(()).ok_or_else(missing)
}

/// Makes a room or goes back into it.
///
/// # Errors
/// `io` if it cannot be made, or is not there any more.
pub(super) fn enter(root: &Path, room: &Room) -> HostResult<Entered> {
    let path = make_folder(root)?.join(&room.name);
    if room.fresh {
        make(root, &path, room)?;
    }
    must_be_own(&path)?;
    let (environment, held) = (environment(root, &path, room), hold(&path, room)?);
    kept::lay(root, &path, &room.files)?;
    let diff = diff(&path, room, &held)?;
    Ok(Entered { path, environment, held, diff })
}

/// Gives the files that were held back to the work.
///
/// # Errors
/// `io` if that fails.
pub(super) fn give_back(entered: &Entered) -> HostResult<()> {
    let path = &entered.path;
    for file in &entered.held {
        // The work may have a directory in its place.
        let known = names(&recorded(path, &["ls-files", "-z", "--", file])?.stdout);
        if !known.contains(file) {
            let file = path.join(file);
            fs::remove_file(&file).map_err(|error| HostError::io("remove", &file, error))?;
        }
        if !known.is_empty() {
            let words = ["checkout-index", "-q", "-f", "--"].into_iter();
            let words: Vec<&str> = words.chain(known.iter().map(String::as_str)).collect();
            recorded(path, &words)?;
        }
    }
    Ok(())
}

/// Takes away the rooms of a mission. What cannot be removed hurts nobody.
pub(super) fn leave(root: &Path) {
    let _ = fs::remove_dir_all(folder(root));
}

/// Takes their directory away where none is in it: who goes on later makes it again.
pub(super) fn leave_empty(root: &Path) {
    let _ = fs::remove_dir(folder(root));
}

fn make(root: &Path, path: &Path, room: &Room) -> HostResult<()> {
    let fail = |error| HostError::io("make", path, error);
    // A git of a driver that was killed may be at work in there yet.
    end_leftovers(&[mark(path)]);
    for old in [path, &records(path)] {
        match fs::remove_dir_all(old) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(fail(error)),
            _ => {}
        }
    }
    DirBuilder::new().mode(0o700).create(path).map_err(fail)?;
    must(path, &["init", "-q", "--template="])?;
    let own = path.join(".git/info");
    fs::create_dir_all(&own).map_err(fail)?;
    fs::write(own.join("exclude"), format!("/{ENGINE_DIRECTORY}/\n")).map_err(fail)?;
    fs::write(own.join("attributes"), AS_IT_IS).map_err(fail)?;
    if let Some(commit) = &room.commit {
        // Git reads it as an address.
        let from = format!("file://{}", root.display().to_string().replace('%', "%25"));
        let mut words = vec![
            "-c",
            "protocol.file.allow=always",
            "fetch",
            "-q",
            "--no-tags",
            "--no-recurse-submodules",
            "--update-shallow",
        ];
        words.extend([from.as_str(), commit]);
        words.extend(room.base.as_deref().filter(|base| *base != commit));
        must(path, &words)?;
        must(path, &["checkout", "-q", "--detach", commit])?;
    }
    if room.uncommitted {
        let work = format!("--work-tree={}", root.display());
        let git = format!("--git-dir={}", path.join(".git").display());
        must(root, &[&git, &work, "add", "-A", "--", "."])?;
        must(path, &["checkout-index", "-q", "-a", "-f"])?;
        must(path, &["clean", "-q", "-f", "-d"])?;
    }
    cut(path)?;
    // Files that were laid over look changed to the index until it has looked at them; a link that was cut is changed.
    git(path, &["update-index", "-q", "--refresh"], &[])?;
    let mut copy = Command::new("cp");
    copy.arg("-R").args([path.join(".git"), records(path)]);
    done(path, capture(copy, &[], GIT_TIMEOUT)?).map(drop)
}

/// What git knows of a room as it was made, where no command of the room writes: what one of them makes of its `.git` tells nothing
/// about the next.
fn records(path: &Path) -> PathBuf {
    path.with_added_extension("git")
}

/// Takes away the links that lead out: what is there is in no commit.
fn cut(path: &Path) -> HostResult<()> {
    let within = fs::canonicalize(path).map_err(|error| HostError::io("make", path, error))?;
    let index = must(path, &INDEX)?.stdout;
    for entry in entries(&index).filter(|entry| entry.is("120000")) {
        let link = path.join(OsStr::from_bytes(entry.path));
        if fs::canonicalize(&link).is_ok_and(|to| !to.starts_with(&within)) {
            fs::remove_file(&link).map_err(|error| HostError::io("remove", &link, error))?;
        }
    }
    Ok(())
}

/// Lays the files that decide over those of the work, as they were at the base, whatever commands before made of them. Answers with
/// those that the work changed.
fn hold(path: &Path, room: &Room) -> HostResult<Vec<String>> {
    let Some(base) = &room.base else { return Ok(Vec::new()) };
    let links = links(path, base)?;
    // What may come beside what was there, and what may not.
    let (mut open, mut closed) = (Vec::new(), Vec::new());
    for group in &room.held {
        let closes = group.len() > 1 && was_there(path, base, group)?;
        let kind = if closes { &mut closed } else { &mut open };
        for word in group {
            kind.extend(followed(path, word, &links)?);
        }
    }
    let of = |words: &[&str]| {
        let changed = listed(path, &[words, &["--diff-filter=a", base]].concat(), &open)?;
        let beside = listed(path, &[words, &[base]].concat(), &closed)?;
        HostResult::Ok(changed.union(&beside).cloned().collect::<BTreeSet<_>>())
    };
    let held = of(&CHANGED)?;
    let due: Vec<String> = of(&DIFFERS)?.union(&held).cloned().collect();
    if !due.is_empty() {
        let source = format!("--source={base}");
        let words = ["restore", "-q", "--worktree", &source];
        let words = [&words[..], &["--pathspec-from-file=-", "--pathspec-file-nul"]].concat();
        done(path, of_records(path, &words, due.join("\0").as_bytes())?)?;
    }
    Ok(held.into_iter().collect())
}

/// Whether one of these was there at the base.
fn was_there(path: &Path, base: &str, group: &[String]) -> HostResult<bool> {
    let with = format!("--with-tree={base}");
    let added = listed(path, &[&CHANGED[..], &["--diff-filter=A", base]].concat(), group)?;
    Ok(!listed(path, &["ls-files", "-z", &with], group)?.is_subset(&added))
}

/// The links of the base, each with the object that says where it leads.
fn links(path: &Path, base: &str) -> HostResult<Vec<(String, String)>> {
    let tree = recorded(path, &["ls-tree", "-r", "-z", base])?.stdout;
    let links = tree.split(|byte| *byte == 0).filter_map(|entry| entry.strip_prefix(LINK));
    let links = links.map(|entry| String::from_utf8_lossy(entry).into_owned());
    Ok(links
        .filter_map(|entry| entry.split_once('\t').map(|(to, name)| (name.into(), to.into())))
        .collect())
}

/// A word, the links of the base on its way, and what it names through them.
fn followed(path: &Path, word: &str, links: &[(String, String)]) -> HostResult<Vec<String>> {
    let mut all = vec![word.to_owned()];
    let mut at = 0;
    while let Some(word) = all.get(at).filter(|_| at < MOST_LINKS).cloned() {
        for (link, object) in links {
            let rest = word.strip_prefix(link.as_str());
            let Some(rest) = rest.filter(|rest| rest.is_empty() || rest.starts_with('/')) else {
                continue;
            };
            let to = recorded(path, &["cat-file", "blob", object])?.stdout;
            let to = within(link, &String::from_utf8_lossy(&to)).map(|to| format!("{to}{rest}"));
            all.extend(to.into_iter().chain([link.clone()]));
        }
        at += 1;
    }
    Ok(all)
}

/// Where a link leads, from the root; `None` where that is not within it.
fn within(link: &str, to: &str) -> Option<String> {
    let mut parts: Vec<&str> = link.split('/').collect();
    parts.pop();
    for part in Some(to).filter(|to| !to.starts_with('/'))?.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// How files that were held differ.
fn diff(path: &Path, room: &Room, held: &[String]) -> HostResult<String> {
    let Some(base) = room.base.as_deref().filter(|_| !held.is_empty()) else {
        return Ok(String::new());
    };
    let files = held.iter().take(MOST_DIFFERENT).map(String::as_str);
    let words: Vec<&str> = DIFF.into_iter().chain([base, "--"]).chain(files).collect();
    Ok(String::from_utf8_lossy(&recorded(path, &words)?.stdout).into_owned())
}

/// A difference as it is told: its first lines, where it is long or of more files than were asked for.
pub(super) fn told(mut diff: String, held: usize) -> String {
    if diff.len() <= MOST_DIFF && held <= MOST_DIFFERENT {
        return diff;
    }
    let most = diff.len().min(MOST_DIFF);
    let end = diff.as_bytes()[..most].iter().rposition(|byte| *byte == b'\n');
    diff.truncate(end.map_or(0, |end| end + 1));
    diff + "\\ The rest is cut off.\n"
}

/// The files that git lists of these paths, directories (with a slash at their end) and patterns.
fn listed(path: &Path, words: &[&str], files: &[String]) -> HostResult<BTreeSet<String>> {
    let (patterns, literal): (Vec<_>, Vec<_>) =
        files.iter().map(String::as_str).partition(|word| word.starts_with(GLOB));
    let list = |how: &str, files: &[&str]| {
        let all = [&[how], words, &["--"], files].concat();
        let said = if files.is_empty() { Vec::new() } else { recorded(path, &all)?.stdout };
        HostResult::Ok(names(&said))
    };
    // A word that is the name of a directory names none of its files.
    let is_named = |name: &String| {
        literal.iter().any(|one| one == name || one.ends_with('/') && name.starts_with(one))
    };
    let named = list("--literal-pathspecs", &literal)?.into_iter().filter(is_named);
    Ok(named.chain(list("--no-literal-pathspecs", &patterns)?).collect())
}

/// The names in what git lists.
fn names(said: &[u8]) -> BTreeSet<String> {
    let names = said.split(|byte| *byte == 0).filter(|name| !name.is_empty());
    names.map(|name| String::from_utf8_lossy(name).into_owned()).collect()
}

/// The environment of a command: empty caches, what is usual, what was asked for, and no program of the worktree's.
fn environment(root: &Path, path: &Path, room: &Room) -> Vec<(String, String)> {
    let search = std::env::var_os("PATH").unwrap_or_default();
    let outside = |place: &PathBuf| place.is_absolute() && !place.starts_with(root);
    let search = std::env::join_paths(std::env::split_paths(&search).filter(outside));
    let named = VARIABLES.into_iter().chain(room.variables.iter().map(String::as_str));
    let mut all = vec![(CACHE.to_owned(), path.join(".git/cache").display().to_string())];
    all.extend(named.filter_map(|name| Some((name.to_owned(), std::env::var(name).ok()?))));
    all.extend(
        search.ok().map(|search| ("PATH".to_owned(), search.to_string_lossy().into_owned())),
    );
    all
}

fn git(path: &Path, words: &[&str], input: &[u8]) -> HostResult<Said> {
    let mut command = Command::new("git");
    command.args(["--literal-pathspecs", "-c", "core.hooksPath=/dev/null"]);
    command.args(["-c", "core.fsmonitor=false"]);
    command.args(words).current_dir(path);
    clean_environment(&mut command);
    command.envs([mark(path)]);
    // Nobody's settings: no filters, no aliases, no templates.
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
    command.env("GIT_TERMINAL_PROMPT", "0").env("LC_ALL", "C").env("GIT_NO_REPLACE_OBJECTS", "1");
    capture(command, input, GIT_TIMEOUT)
}

/// What every git that works in a room carries in its environment.
fn mark(path: &Path) -> (String, String) {
    ("ENDSTATE_ROOM".to_owned(), path.display().to_string())
}

/// Asks git by the records of a room.
fn of_records(path: &Path, words: &[&str], input: &[u8]) -> HostResult<Said> {
    let records = format!("--git-dir={}", records(path).display());
    let work = format!("--work-tree={}", path.display());
    git(path, &[&[records.as_str(), &work], words].concat(), input)
}

fn recorded(path: &Path, words: &[&str]) -> HostResult<Said> {
    done(path, of_records(path, words, &[])?)
}

fn must(path: &Path, words: &[&str]) -> HostResult<Said> {
    done(path, git(path, words, &[])?)
}

fn done(path: &Path, said: Said) -> HostResult<Said> {
    match said.status {
        Some(0) => Ok(said),
        _ => Err(HostError::io("make", path, std::io::Error::other(said.stderr.trim().to_owned()))),
    }
}
