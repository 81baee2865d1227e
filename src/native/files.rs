//! Canonical files: written, appended to and looked at so that doing it twice is harmless.
//!
//! Every order says what must be there before. If that is there, it is done; if what comes
//! after is there already, it was done; anything else is somebody else's work and left alone.
//! **Never** is anything a person wrote overwritten unsaved.

use super::durable;
use super::error::{HostError, problem};
use super::regular;
use super::store::Places;
use crate::engine::hex;
use crate::vocab::effect::{AppendHistory, WriteFile};
use crate::vocab::error::{Code, Diagnostic};
use crate::vocab::event::Outcome;
use crate::vocab::repository::{DocumentSeen, FileSeen, PRESENT, PathDigest, Seen, line_asked};
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use std::fs::{self, OpenOptions};
use std::io::{self, ErrorKind, Read};
use std::path::{Component, Path, PathBuf};

/// The digest that stands for a file that is not there.
pub const ABSENT: &str = "absent";
/// The longest file that is read as text, in bytes.
const MOST_TEXT: u64 = 16 * 1024 * 1024;
/// Where foreign content is kept, from the root of the repository.
const ASIDE: &str = ".agent/tmp";

/// What came of a write: the whole file's digest and length, or why not.
pub type Written = Result<Outcome, Diagnostic>;

/// Puts `content` in the place of a canonical file, if what is there is what the order expects.
///
/// # Errors
/// `foreign_write` with the digest of what is there, `write_failed`, `unsafe_state_directory`.
pub fn write_file(places: &Places, order: &WriteFile, content: &str) -> Written {
    let path = inside(&places.root, &order.path)?;
    let wanted = digest_of(content.as_bytes());
    let found = digest_at(&path).map_err(|error| write_failed(&order.path, &error))?;
    let done = Outcome::File { digest: wanted.clone(), length: content.len() as u64 };
    let seen = match &found {
        Content::Absent => None,
        Content::File { digest, .. } => Some(digest.clone()),
        Content::Other => {
            let expected = "a file, or nothing: put aside what stands there, then try again";
            return Err(problem(Code::ForeignWrite, &order.path, expected, what_stands(&path)));
        }
    };
    if seen.as_ref() == Some(&wanted) {
        return Ok(done);
    }
    let foreign = seen.is_some() && seen != order.expected && seen == order.aside;
    if seen != order.expected && !foreign {
        let expected = order.expected.as_deref().unwrap_or(ABSENT);
        let got = seen.as_deref().unwrap_or(ABSENT);
        return Err(problem(Code::ForeignWrite, &order.path, expected, got));
    }
    let written = match foreign {
        true => keep_aside(places, &path),
        false => Ok(()),
    };
    written
        .and_then(|()| {
            durable::replace(&path, &places.staging, content.as_bytes(), order.executable)
        })
        .map_err(|error| write_failed(&order.path, &error))?;
    Ok(done)
}

/// Copies what is at `path` to `.agent/tmp/rejected-<digest>.json`, once per content.
///
/// # Errors
/// What the system says.
pub fn keep_aside(places: &Places, path: &Path) -> io::Result<()> {
    let bytes = regular::read(path)?;
    let name = format!("{ASIDE}/rejected-{}.json", digest_of(&bytes));
    let aside =
        inside(&places.root, &name).map_err(|problem| io::Error::other(problem.to_string()))?;
    match aside.exists() {
        true => Ok(()),
        false => durable::replace(&aside, &places.staging, &bytes, false),
    }
}

/// Appends to a file that only ever grows, or completes an append that was cut short.
///
/// # Errors
/// `foreign_append` with what is there, `write_failed`, `unsafe_state_directory`.
pub fn append_history(places: &Places, order: &AppendHistory) -> Written {
    let path = inside(&places.root, &order.path)?;
    let (prefix, tail) = halves(&path, order.offset).map_err(|error| match error.kind() {
        ErrorKind::UnexpectedEof => {
            let expected = format!("{} bytes", order.offset);
            problem(Code::ForeignAppend, &order.path, expected, "a shorter file")
        }
        _ => write_failed(&order.path, &error),
    })?;
    let known = order.prefix_digest.clone().unwrap_or_else(|| digest_of(b""));
    if prefix != known {
        return Err(problem(Code::ForeignAppend, &order.path, known, &prefix));
    }
    let text = order.text.as_bytes();
    let Some(rest) = text.strip_prefix(tail.as_slice()) else {
        let got = format!("{} other bytes behind byte {}", tail.len(), order.offset);
        let expected = "the end of the file, or a part of the text";
        return Err(problem(Code::ForeignAppend, &order.path, expected, &got));
    };
    // An empty text makes an empty file.
    if !rest.is_empty() || !path.exists() {
        append(&path, rest).map_err(|error| write_failed(&order.path, &error))?;
    }
    match digest_at(&path).map_err(|error| write_failed(&order.path, &error))? {
        Content::File { digest, length } => Ok(Outcome::File { digest, length }),
        Content::Absent | Content::Other => {
            Err(problem(Code::ForeignAppend, &order.path, "the file", "nothing"))
        }
    }
}

fn append(path: &Path, rest: &[u8]) -> io::Result<()> {
    let parent = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(parent)?;
    let fresh = !path.exists();
    let mut file = regular::open_with(path, OpenOptions::new().create(true).append(true))?;
    durable::append(&mut file, path, rest)?;
    if fresh { durable::sync_dir(parent) } else { Ok(()) }
}

/// The digest of the first `offset` bytes, and what follows them.
fn halves(path: &Path, offset: u64) -> io::Result<(String, Vec<u8>)> {
    let mut file = match regular::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound && offset == 0 => {
            return Ok((digest_of(b""), Vec::new()));
        }
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        Err(error) => return Err(error),
    };
    let (digest, length) = digest_reader(&mut (&mut file).take(offset))?;
    if length < offset {
        return Err(ErrorKind::UnexpectedEof.into());
    }
    let mut tail = Vec::new();
    file.take(MOST_TEXT).read_to_end(&mut tail)?;
    Ok((digest, tail))
}

/// Canonical files that are not as `known` says; `tracked` are those that git tracks, of those that are asked for by
/// a line.
pub fn changed(places: &Places, known: &[PathDigest], tracked: &BTreeSet<String>) -> Vec<FileSeen> {
    let seen = known.iter().map(|known| {
        let seen = look(&places.root, &known.path);
        let tracked = tracked.contains(&known.path);
        let placed = line_asked(&known.digest).map(|line| (line, tracked));
        (known, placed.map_or(seen.clone(), |(line, tracked)| place(known, line, seen, tracked)))
    });
    let differs = |known: &PathDigest, seen: &Seen| match known.digest.as_str() {
        PRESENT => *seen == Seen::Absent,
        digest if line_asked(digest).is_some() => {
            !matches!(seen, Seen::Digest { problem: None, .. })
        }
        digest => seen.digest().unwrap_or(ABSENT) != digest,
    };
    seen.filter(|(known, seen)| differs(known, seen))
        .map(|(known, seen)| FileSeen { path: known.path.clone(), seen })
        .collect()
}

/// What is at a place in a file: with a problem where no file of the repository has that line.
fn place(known: &PathDigest, line: u32, seen: Seen, tracked: bool) -> Seen {
    let at = &known.path;
    let (digest, length, lines) = match seen {
        Seen::Absent => return seen,
        Seen::Text { digest, text } => (digest, text.len() as u64, Some(text.lines().count())),
        // What is no text has no lines that could be counted.
        Seen::Digest { digest, length, problem } => match problem.as_ref().map(|one| one.code) {
            None | Some(Code::TooLarge | Code::NotUtf8) => (digest, length, None),
            Some(_) => return Seen::Digest { digest, length, problem },
        },
    };
    let fault = match lines.map(|lines| u32::try_from(lines).unwrap_or(u32::MAX)) {
        _ if !tracked => {
            let expected = "a file that git tracks and looks at";
            Some(problem(Code::DirtyTree, at, expected, "one it does not see"))
        }
        Some(lines) if lines < line => {
            let expected = format!("a file with {line} lines");
            Some(problem(Code::InvalidValue, at, expected, &lines.to_string()))
        }
        _ => None,
    };
    Seen::Digest { digest, length, problem: fault }
}

/// Documents, read whole, in the order asked for. With `tracked` only those count that git tracks: another
/// has a problem instead of a text.
pub fn documents(
    places: &Places,
    paths: &[String],
    tracked: Option<&BTreeSet<String>>,
) -> Vec<DocumentSeen> {
    let seen = |path: &String| match (look(&places.root, path), tracked) {
        (Seen::Text { digest, text }, Some(known)) if !known.contains(path) => {
            let expected = "a file that git tracks and looks at";
            let fault = problem(Code::DirtyTree, path, expected, "one it does not see");
            Seen::Digest { digest, length: text.len() as u64, problem: Some(fault) }
        }
        (seen, _) => seen,
    };
    paths.iter().map(|path| DocumentSeen { path: path.clone(), seen: seen(path) }).collect()
}

/// What is at a path: text where it can be read as such, otherwise a digest and the reason.
/// Append-only files (`*.jsonl`) are only ever digested.
pub fn look(root: &Path, relative: &str) -> Seen {
    let unread = |digest: String, length, problem| Seen::Digest { digest, length, problem };
    let path = match inside(root, relative) {
        Ok(path) => path,
        Err(problem) => return unread(digest_of(b""), 0, Some(problem)),
    };
    let (digest, length) = match digest_at(&path) {
        Ok(Content::Absent) => return Seen::Absent,
        Ok(Content::File { digest, length }) => (digest, length),
        Ok(Content::Other) => {
            let fault = problem(Code::InvalidValue, relative, "a file", "something else");
            return unread(digest_of(b"other"), 0, Some(fault));
        }
        Err(error) => {
            let fault = problem(Code::InvalidValue, relative, "a file", &error.to_string());
            return unread(digest_of(b"unreadable"), 0, Some(fault));
        }
    };
    if relative.ends_with(".jsonl") {
        return unread(digest, length, None);
    }
    if length > MOST_TEXT {
        let expected = format!("at most {MOST_TEXT} bytes");
        let fault = problem(Code::TooLarge, relative, expected, &format!("{length} bytes"));
        return unread(digest, length, Some(fault));
    }
    match regular::read(&path).map(String::from_utf8) {
        // The digest is of the bytes in hand: the file may have changed since.
        Ok(Ok(text)) => Seen::Text { digest: digest_of(text.as_bytes()), text },
        Ok(Err(error)) => {
            let at = format!("{relative}: byte {}", error.utf8_error().valid_up_to());
            let fault = problem(Code::NotUtf8, at, "UTF-8", "other bytes");
            unread(digest, length, Some(fault))
        }
        Err(error) => {
            let fault = problem(Code::InvalidValue, relative, "a file", &error.to_string());
            unread(digest, length, Some(fault))
        }
    }
}

/// What is at a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// Nothing.
    Absent,
    /// A file.
    File {
        /// SHA-256 of its bytes in hex.
        digest: String,
        /// Its length in bytes.
        length: u64,
    },
    /// A directory, a symbolic link, a device.
    Other,
}

/// Looks at a path without following a link at its end.
///
/// # Errors
/// What the system says; a missing file is [`Content::Absent`].
pub fn digest_at(path: &Path) -> io::Result<Content> {
    match fs::symlink_metadata(path) {
        Ok(meta) if meta.is_file() => {
            let (digest, length) = digest_reader(&mut regular::open(path)?)?;
            Ok(Content::File { digest, length })
        }
        Ok(_) => Ok(Content::Other),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            Ok(Content::Absent)
        }
        Err(error) => Err(error),
    }
}

/// What stands in the place of a file, in words.
fn what_stands(path: &Path) -> &'static str {
    match fs::symlink_metadata(path) {
        Ok(meta) if meta.is_dir() => "a directory",
        Ok(meta) if meta.is_symlink() => "a symbolic link",
        _ => "something that is no file",
    }
}

fn digest_reader(reader: &mut impl Read) -> io::Result<(String, u64)> {
    let (mut hash, mut length) = (Sha256::new(), 0);
    let mut buffer = [0_u8; 64 * 1024];
    loop {
        match reader.read(&mut buffer) {
            Ok(0) => return Ok((hex(&hash.finalize()), length)),
            Ok(count) => {
                hash.update(&buffer[..count]);
                length += count as u64;
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// SHA-256 in hex.
pub fn digest_of(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// A path of the repository, made sure not to lead out of it: relative, without `..`, and through
/// no symbolic link.
///
/// # Errors
/// `unsafe_state_directory` with the path.
pub fn inside(root: &Path, relative: &str) -> Result<PathBuf, Diagnostic> {
    let refuse = |got: &str| {
        let expected = "a path inside the repository";
        Err(problem(Code::UnsafeStateDirectory, relative, expected, got))
    };
    let path = Path::new(relative);
    let plain = path.components().all(|part| matches!(part, Component::Normal(_)));
    if !plain || relative.is_empty() {
        return refuse("a path that may leave it");
    }
    let mut place = root.to_owned();
    let parents = path.parent().into_iter().flat_map(Path::components);
    for part in parents {
        place.push(part);
        if fs::symlink_metadata(&place).is_ok_and(|meta| meta.is_symlink()) {
            return refuse("a symbolic link on the way");
        }
    }
    Ok(root.join(path))
}

/// A directory of the repository, or its root for an empty path; reached through no symbolic link.
///
/// # Errors
/// As [`inside`].
pub fn directory(root: &Path, relative: &str) -> Result<PathBuf, Diagnostic> {
    if relative.is_empty() {
        return Ok(root.to_owned());
    }
    // Whatever lies in it: so its own name is looked at, too.
    inside(root, &format!("{relative}/-"))?;
    Ok(root.join(relative))
}

/// The diagnostic of a write that the system refused.
pub fn write_failed(path: &str, error: &io::Error) -> Diagnostic {
    problem(Code::WriteFailed, path, "to write it", &error.to_string())
}

impl From<Diagnostic> for HostError {
    fn from(found: Diagnostic) -> Self {
        let Diagnostic { code, at, expected, got } = found;
        HostError::Core(crate::vocab::error::Error::new(code, at, expected, got))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places() -> (tempfile::TempDir, Places) {
        let dir = tempfile::tempdir().unwrap();
        let places = Places::of(dir.path());
        places.prepare().unwrap();
        (dir, places)
    }

    fn order(expected: Option<&str>, aside: Option<&str>) -> WriteFile {
        let digest = |text: Option<&str>| text.map(|text| digest_of(text.as_bytes()));
        WriteFile {
            path: ".agent/state.json".to_owned(),
            revision: 1,
            expected: digest(expected),
            aside: digest(aside),
            executable: false,
        }
    }

    #[test]
    fn writes_happen_once_and_never_over_foreign_work() {
        let (dir, places) = places();
        let path = dir.path().join(".agent/state.json");
        write_file(&places, &order(None, None), "one").unwrap();
        write_file(&places, &order(None, None), "one").unwrap();
        write_file(&places, &order(Some("one"), None), "two").unwrap();
        fs::write(&path, "a person's").unwrap();
        let refused = write_file(&places, &order(Some("two"), None), "three").unwrap_err();
        assert_eq!(refused.code, Code::ForeignWrite);
        assert_eq!(refused.got, digest_of(b"a person's"));
        assert_eq!(fs::read_to_string(&path).unwrap(), "a person's");
        write_file(&places, &order(Some("two"), Some("a person's")), "three").unwrap();
        let kept = format!(".agent/tmp/rejected-{}.json", digest_of(b"a person's"));
        assert_eq!(fs::read_to_string(dir.path().join(kept)).unwrap(), "a person's");
        fs::remove_file(&path).unwrap();
        let gone = write_file(&places, &order(Some("three"), None), "four").unwrap_err();
        assert_eq!((gone.code, gone.got.as_str()), (Code::ForeignWrite, ABSENT));
    }

    #[test]
    fn appends_are_completed_and_never_repeated() {
        let (dir, places) = places();
        let path = dir.path().join(".agent/history.jsonl");
        let order = |before: &str, text: &str| AppendHistory {
            path: ".agent/history.jsonl".to_owned(),
            offset: before.len() as u64,
            prefix_digest: (!before.is_empty()).then(|| digest_of(before.as_bytes())),
            text: text.to_owned(),
        };
        append_history(&places, &order("", "one\n")).unwrap();
        append_history(&places, &order("", "one\n")).unwrap();
        append_history(&places, &AppendHistory { path: ".agent/e".to_owned(), ..order("", "") })
            .unwrap();
        assert_eq!(fs::read(dir.path().join(".agent/e")).unwrap(), b"");
        fs::write(&path, "one\ntw").unwrap();
        let outcome = append_history(&places, &order("one\n", "two\n")).unwrap();
        assert_eq!(outcome, Outcome::File { digest: digest_of(b"one\ntwo\n"), length: 8 });
        for (found, text) in [("one\nxx", "two\n"), ("on", "two\n"), ("ONE\n", "two\n")] {
            fs::write(&path, found).unwrap();
            let refused = append_history(&places, &order("one\n", text)).unwrap_err();
            assert_eq!(refused.code, Code::ForeignAppend);
            assert_eq!(fs::read_to_string(&path).unwrap(), found);
        }
    }

    #[test]
    fn what_cannot_be_read_is_said() {
        let (dir, places) = places();
        fs::write(dir.path().join("bad"), b"a\xff").unwrap();
        fs::write(dir.path().join("h.jsonl"), "{}\n").unwrap();
        std::os::unix::fs::symlink("bad", dir.path().join("link")).unwrap();
        std::os::unix::fs::symlink("/", dir.path().join("out")).unwrap();
        let code = |path: &str| match look(&places.root, path) {
            Seen::Digest { problem, .. } => problem.map(|problem| problem.code),
            other => panic!("{path}: {other:?}"),
        };
        assert_eq!(code("bad"), Some(Code::NotUtf8));
        assert_eq!(code("h.jsonl"), None);
        assert_eq!(code("link"), Some(Code::InvalidValue));
        assert_eq!(code("out/etc/passwd"), Some(Code::UnsafeStateDirectory));
        assert_eq!(code("../x"), Some(Code::UnsafeStateDirectory));
        assert_eq!(look(&places.root, "none"), Seen::Absent);
    }
}
