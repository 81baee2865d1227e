//! Plan documents on disk: where the plan or the requirements are, reading and writing them.

use super::durable;
use super::error::{HostError, HostResult};
use super::git::{COMMIT_TIMEOUT, Git};
use super::regular;
use crate::plan::MOST_PLAN;
use crate::vocab::error::{Code, Error, clip};
use crate::vocab::json;
use std::collections::BTreeMap;
use std::fs;
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};

/// The name of a plan.
pub const PLAN: &str = "EXECUTION_PLAN.md";
/// The name of a supervisor's state beside it.
pub const STATE: &str = "SUPERVISOR_STATE.md";
/// The name of the report of an analysis.
pub const REPORT: &str = "ANALYSIS_REPORT.md";
/// The names of a requirements document, the first one that exists.
pub const REQUIREMENTS: [&str; 4] = ["REQUIREMENTS.md", "PRD.md", "SPEC.md", "README.md"];

/// A document that was read.
#[derive(Clone, Debug)]
pub struct OnDisk {
    /// Where it lies; its folder is the root of the project.
    pub path: PathBuf,
    /// What it says.
    pub text: String,
}

impl OnDisk {
    /// The root of the project.
    pub fn root(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new("."))
    }
}

/// The plan: the given path, else `EXECUTION_PLAN.md` in `from` or the nearest folder above it.
///
/// # Errors
/// `file_missing`, or why it cannot be read.
pub fn plan(from: &Path, given: Option<&Path>) -> HostResult<OnDisk> {
    if let Some(given) = given {
        return read(&from.join(given));
    }
    let above = from.ancestors().map(|folder| folder.join(PLAN));
    match above.into_iter().find(|path| path.is_file()) {
        Some(path) => read(&path),
        None => Err(missing(
            from,
            &format!("{PLAN} here or in a folder above, or its path as an argument"),
        )),
    }
}

/// The requirements: the given path, else the first of [`REQUIREMENTS`] in `from`.
///
/// # Errors
/// `file_missing`, or why it cannot be read.
pub fn requirements(from: &Path, given: Option<&Path>) -> HostResult<OnDisk> {
    if let Some(given) = given {
        return read(&from.join(given));
    }
    match REQUIREMENTS.iter().map(|name| from.join(name)).find(|path| path.is_file()) {
        Some(path) => read(&path),
        None => {
            let expected = format!("{}, or a path as an argument", REQUIREMENTS.join(", "));
            Err(missing(from, &expected))
        }
    }
}

fn missing(at: &Path, expected: &str) -> HostError {
    Error::new(Code::FileMissing, at.display().to_string(), expected, "no such file").into()
}

/// Reads a document.
///
/// # Errors
/// `file_missing`, `too_large`, `not_utf8`, or what the system says.
pub fn read(path: &Path) -> HostResult<OnDisk> {
    let at = path.display().to_string();
    let fail = |error: io::Error| match error.kind() {
        ErrorKind::NotFound | ErrorKind::InvalidInput => missing(path, "a document"),
        _ => HostError::io("read", path, error),
    };
    let full = fs::canonicalize(path).map_err(fail)?;
    let mut bytes = Vec::new();
    let most = MOST_PLAN as u64 + 1;
    regular::open(&full).map_err(fail)?.take(most).read_to_end(&mut bytes).map_err(fail)?;
    if bytes.len() > MOST_PLAN {
        let expected = format!("at most {MOST_PLAN} bytes");
        return Err(HostError::Core(Error::new(Code::TooLarge, at, expected, "more")));
    }
    let text = json::utf8(&bytes).map_err(|error| error.within(&at))?.to_owned();
    Ok(OnDisk { path: full, text })
}

/// What else of the folder of a plan its reader may want: a specification, a design.
const SIBLINGS: [&str; 4] = ["requirements.md", "design.md", "spec.md", "plan.md"];

/// A plan and the files beside it that may belong to it, by their names, and its own name.
pub fn with_siblings(plan: &OnDisk) -> (String, BTreeMap<String, String>) {
    let name = plan.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let beside = SIBLINGS.iter().filter(|one| **one != name);
    let beside =
        beside.filter_map(|one| read(&plan.root().join(one)).ok().map(|file| (one, file.text)));
    let mut files: BTreeMap<String, String> =
        beside.map(|(name, text)| ((*name).to_owned(), text)).collect();
    files.insert(name.clone(), plan.text.clone());
    (name, files)
}

/// Keeps a copy of a document beside it: `PLAN.orig.md`, or a number behind that. Where it is.
///
/// # Errors
/// What the system says.
pub fn keep_original(file: &OnDisk) -> HostResult<PathBuf> {
    let stem = file.path.with_extension("");
    let ending =
        file.path.extension().map_or(String::new(), |one| format!(".{}", one.to_string_lossy()));
    let numbers =
        std::iter::once(String::new()).chain((1..1_000).map(|number| format!("-{number}")));
    let mut names = numbers.map(|number| {
        let mut name = stem.clone().into_os_string();
        name.push(format!(".orig{number}{ending}"));
        PathBuf::from(name)
    });
    let free = names.find(|path| {
        fs::read(path).map_or(true, |bytes| bytes == file.text.as_bytes())
            && fs::symlink_metadata(path).map_or(true, |seen| seen.is_file())
    });
    let to = free.ok_or_else(|| missing(file.root(), "a free name for the original"))?;
    write(&to, &file.text)?;
    Ok(to)
}

/// Replaces a document by a new text, unless somebody changed it since it was read.
///
/// # Errors
/// `foreign_write`, or what the system says.
pub fn replace(known: &OnDisk, text: &str) -> HostResult<()> {
    let now = fs::read(&known.path).map_err(|error| HostError::io("read", &known.path, error))?;
    if now != known.text.as_bytes() {
        let at = known.path.display().to_string();
        let expected = "the document as it was read";
        return Err(HostError::Core(Error::new(Code::ForeignWrite, at, expected, "another text")));
    }
    write(&known.path, text)
}

/// Writes a document, whole or not at all.
///
/// # Errors
/// What the system says.
pub fn write(path: &Path, text: &str) -> HostResult<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    durable::replace(path, folder, text.as_bytes(), false)
        .map_err(|error| HostError::io("write", path, error))
}

/// Whether a document below `root` is in the last commit as it lies there.
///
/// # Errors
/// What git says.
pub fn is_committed(root: &Path, path: &Path) -> HostResult<bool> {
    let Some(name) = path.strip_prefix(root).ok().and_then(Path::to_str) else { return Ok(false) };
    let git = Git::of(root);
    let tracked = git.tracked(&[name.to_owned()])?.contains(name);
    Ok(tracked && !git.dirty()?.iter().any(|dirty| dirty.path == name))
}

/// Commits a document that git tracks, and nothing else that is staged.
///
/// # Errors
/// `commit_refused` with git's words.
pub fn commit(root: &Path, path: &Path, message: &str) -> HostResult<()> {
    let path = path.strip_prefix(root).unwrap_or(path).to_string_lossy();
    let words = ["commit", "--quiet", "--only", "-m", message, "--", &path];
    let said = Git::of(root).change(&words, &[], COMMIT_TIMEOUT)?;
    match said.status {
        Some(0) => Ok(()),
        _ => {
            let (expected, got) = ("git to commit its name", clip(said.stderr.trim(), 300));
            Err(HostError::Core(Error::new(Code::CommitRefused, path, expected, got)))
        }
    }
}

/// Moves a file out of the way unless it is one of ours: to its name with a number behind it that is free. Where it went.
///
/// # Errors
/// Why it cannot be read or moved.
pub fn keep_other(path: &Path, is_ours: fn(&str) -> bool) -> HostResult<Option<PathBuf>> {
    let Ok(seen) = fs::symlink_metadata(path) else { return Ok(None) };
    // A folder stays where it is, and the report is not written. What is too large or no text is none of ours.
    if seen.is_dir() || seen.is_file() && read(path).is_ok_and(|file| is_ours(&file.text)) {
        return Ok(None);
    }
    let stem = path.with_extension("");
    let numbered = (1..1_000).map(|number| {
        let mut name = stem.clone().into_os_string();
        name.push(format!("-{number}.md"));
        PathBuf::from(name)
    });
    let mut free = numbered.filter(|path| fs::symlink_metadata(path).is_err());
    let kept = free.next().unwrap_or_else(|| path.with_extension("md.kept"));
    fs::rename(path, &kept).map_err(|error| HostError::io("move", path, error))?;
    Ok(Some(kept))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_somebody_else_wrote_is_kept() {
        let dir = tempfile::tempdir().unwrap();
        let report = dir.path().join(REPORT);
        let ours = |text: &str| text.starts_with("ours");
        assert_eq!(keep_other(&report, ours).unwrap(), None);
        fs::write(&report, "ours, of last time").unwrap();
        assert_eq!(keep_other(&report, ours).unwrap(), None);
        for number in 1..=2 {
            fs::write(&report, format!("mine {number}")).unwrap();
            let kept = keep_other(&report, ours).unwrap().unwrap();
            assert_eq!(kept, dir.path().join(format!("ANALYSIS_REPORT-{number}.md")));
            assert_eq!(fs::read_to_string(kept).unwrap(), format!("mine {number}"));
            assert!(!report.exists());
        }
    }

    #[test]
    fn documents_are_found_and_replaced_whole() {
        let dir = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(dir.path()).unwrap();
        let deep = root.join("a/b");
        fs::create_dir_all(&deep).unwrap();
        assert_eq!(plan(&deep, None).unwrap_err().code(), "file_missing");
        fs::write(root.join(PLAN), "one").unwrap();
        let found = plan(&deep, None).unwrap();
        assert_eq!((found.path.clone(), found.root()), (root.join(PLAN), root.as_path()));
        fs::write(root.join("README.md"), "r").unwrap();
        assert_eq!(requirements(&root, None).unwrap().text, "r");
        fs::write(root.join("PRD.md"), "p").unwrap();
        assert_eq!(requirements(&root, None).unwrap().text, "p");
        assert_eq!(requirements(&deep, None).unwrap_err().code(), "file_missing");
        replace(&found, "two").unwrap();
        assert_eq!(replace(&found, "three").unwrap_err().code(), "foreign_write");
        assert_eq!(fs::read_to_string(root.join(PLAN)).unwrap(), "two");
        fs::write(root.join(PLAN), [0xff]).unwrap();
        assert_eq!(plan(&deep, None).unwrap_err().code(), "not_utf8");
    }
}
