//! Where the page of `view --html` may be written: a new file, or in the place of a page that this program wrote
//! before. Anything else that is there is somebody's, and the journal that is shown lies one slip of the keyboard
//! away. Twin of `js/src/node/viewer-out.ts`.

use super::super::exit::Fault;
use endstate::native::{HostError, durable, regular};
use std::fs::{self, Metadata};
use std::io::{ErrorKind, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// How a page that was written begins; what it shows lies before the engine, so the page of the package is not one.
const MARKS: [&str; 3] = [
    "<!doctype html>\n<html lang=\"en\"",
    "<title>endstate viewer</title>",
    "<script type=\"application/octet-stream\" data-file=\"",
];
/// The marks stand in so many first bytes.
const HEAD: u64 = 4096;
/// Nothing but what engines write lies there.
const STATE: [&str; 2] = [".agent", ".grid"];

/// Puts the page where it is wanted, whole or not at all; `source` is what it shows.
pub(super) fn write(out: &Path, source: &Path, bytes: &[u8]) -> Result<(), Fault> {
    let fail = |error| Fault::from(HostError::io("write", out, error));
    let parent = out.parent().unwrap_or(Path::new("/"));
    // A folder of our own, so that no file on its way takes the place of another.
    let staging = parent.join(format!(".endstate-view-{}", std::process::id()));
    fs::metadata(parent).map_err(fail)?;
    check(out, source)?;
    let written = durable::replace(out, &staging, bytes, false);
    let _ = fs::remove_dir(&staging);
    written.map_err(fail)
}

/// Refuses a place that is not ours to write to.
pub(super) fn check(out: &Path, source: &Path) -> Result<(), Fault> {
    let refused = |expected: &str, got: &str| {
        Err(Fault::usage(&format!("--html {}", out.display()), expected, got))
    };
    if let Some(name) = state_directory(out) {
        return refused("a file outside of `.agent` and `.grid`", &format!("a file in {name}"));
    }
    let found = match fs::symlink_metadata(out) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(HostError::io("read", out, error).into()),
        Ok(found) => found,
    };
    match whose(out, source, &found) {
        None => Ok(()),
        Some(got) => refused("a new file, or a page that `view --html` wrote before", got),
    }
}

/// What stands at a path, if it is not a page of ours.
fn whose(out: &Path, source: &Path, found: &Metadata) -> Option<&'static str> {
    let same = |one: Metadata| (one.dev(), one.ino()) == (found.dev(), found.ino());
    if found.is_symlink() {
        return Some("a symbolic link");
    }
    if found.is_dir() {
        return Some("a folder");
    }
    if !found.is_file() {
        return Some("neither a file nor a folder");
    }
    if fs::metadata(source).is_ok_and(same) {
        return Some("the very file that is to be shown");
    }
    if !out.extension().is_some_and(|end| end.eq_ignore_ascii_case("html")) {
        return Some("a file whose name does not end in .html");
    }
    (!is_ours(out)).then_some("another file")
}

fn is_ours(path: &Path) -> bool {
    let mut head = Vec::new();
    let read = regular::open(path).and_then(|file| file.take(HEAD).read_to_end(&mut head));
    let text = String::from_utf8_lossy(&head);
    read.is_ok() && text.starts_with(MARKS[0]) && MARKS.iter().all(|mark| text.contains(mark))
}

/// The state directory that a path leads into, links or not.
fn state_directory(out: &Path) -> Option<String> {
    let real = out.parent().and_then(|parent| fs::canonicalize(parent).ok());
    let parts = |path: PathBuf| -> Vec<String> {
        path.components().map(|part| part.as_os_str().to_string_lossy().into_owned()).collect()
    };
    let is_state = |part: &String| STATE.iter().any(|name| part.eq_ignore_ascii_case(name));
    parts(real.unwrap_or_default()).into_iter().find(is_state)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "<!doctype html>\n<html lang=\"en\">\n<title>endstate viewer</title>\n\
        <script type=\"application/octet-stream\" data-file=\"journal.jsonl\"></script>\n";

    #[test]
    fn a_page_takes_the_place_of_a_page_and_of_nothing_else() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        fs::create_dir_all(at("repo/.agent/endstate")).unwrap();
        let source = at("repo/.agent/endstate/journal.jsonl");
        fs::write(&source, "journal").unwrap();
        fs::write(at("notes.html"), "<!doctype html>\n<html lang=\"en\">").unwrap();
        fs::write(at("page.html"), PAGE).unwrap();
        fs::write(at("page.txt"), PAGE).unwrap();
        fs::create_dir(at("folder.html")).unwrap();
        fs::hard_link(&source, at("same.html")).unwrap();
        std::os::unix::fs::symlink(&source, at("link.html")).unwrap();
        std::os::unix::fs::symlink(at("none"), at("dangling.html")).unwrap();
        std::os::unix::fs::symlink(at("repo/.agent"), at("state")).unwrap();
        for (name, got) in [
            ("repo/.agent/endstate/journal.jsonl", "a file in .agent"),
            ("state/run.html", "a file in .agent"),
            ("notes.html", "another file"),
            ("page.txt", "a file whose name does not end in .html"),
            ("folder.html", "a folder"),
            ("same.html", "the very file that is to be shown"),
            ("link.html", "a symbolic link"),
            ("dangling.html", "a symbolic link"),
        ] {
            let before = fs::read(at(name)).ok();
            let fault = write(&at(name), &source, b"new").unwrap_err();
            assert_eq!((fault.code.as_str(), fault.got.as_str()), ("usage", got), "{name}");
            assert_eq!(fs::read(at(name)).ok(), before, "{name}");
        }
        let entries = || fs::read_dir(dir.path()).unwrap().count();
        let before = entries();
        write(&at("page.html"), &source, b"new").unwrap();
        assert_eq!((fs::read(at("page.html")).unwrap(), entries()), (b"new".to_vec(), before));
        write(&at("new"), &source, b"new").unwrap();
        assert_eq!((fs::read(at("new")).unwrap(), entries()), (b"new".to_vec(), before + 1));
        assert_eq!(write(&at("none/new.html"), &source, b"new").unwrap_err().code, "io");
    }
}
