//! The only place that makes bytes durable, so that the kill tests can stop the driver at each.
//!
//! Four primitives: append, atomic replacement, exclusive creation, removal. Each is one *step*.
//! `ENDSTATE_CRASH_AT=<n>` ends this process by SIGKILL right after its n-th step (from 1);
//! `ENDSTATE_CRASH_AT=<n>:half` in the middle of it, half of the bytes written and flushed.
//! `ENDSTATE_CRASH_LOG=<file>` appends one line per step, for counting. Children never inherit
//! these.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// Variables of the environment that steer crash points; taken out of every child's environment.
pub const CRASH_VARIABLES: [&str; 2] = ["ENDSTATE_CRASH_AT", "ENDSTATE_CRASH_LOG"];

/// Appends `bytes` to `file` and makes them durable.
///
/// # Errors
/// What the system says; a part that was written is cut off again where possible, so that the file
/// is as before.
pub fn append(file: &mut File, path: &Path, bytes: &[u8]) -> io::Result<()> {
    let before = file.seek(SeekFrom::End(0))?;
    let step = Step::begin("append", path);
    let written = step.write(file, bytes).and_then(|()| file.sync_data());
    if let Err(error) = written {
        // Best effort: if even this fails, the torn tail is cut off when the file is next opened.
        let _ = file.set_len(before);
        let _ = file.sync_data();
        return Err(error);
    }
    step.end();
    Ok(())
}

/// Puts a file with `bytes` in the place of `path`, whole or not at all. The new content is first
/// written to a file of a fixed name in `staging`, which should be a directory of the same file
/// system that nobody else looks at; what a crash leaves there is overwritten or swept later.
///
/// # Errors
/// What the system says; `path` is as before then.
pub fn replace(path: &Path, staging: &Path, bytes: &[u8], executable: bool) -> io::Result<()> {
    let step = Step::begin("replace", path);
    let parent = parent(path);
    fs::create_dir_all(parent)?;
    fs::create_dir_all(staging)?;
    let staged = staged(path, staging);
    let renamed = stage(&step, &staged, bytes, executable).and_then(|()| rename(&staged, path));
    if let Err(error) = renamed {
        let _ = fs::remove_file(&staged);
        return Err(error);
    }
    sync_dir(parent)?;
    step.end();
    Ok(())
}

/// Creates `path` with `bytes`; fails if there is something already.
///
/// # Errors
/// `AlreadyExists`, or what the system says; nothing is left behind then.
pub fn create_new(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let step = Step::begin("create", path);
    let mut file = OpenOptions::new().write(true).create_new(true).open(path)?;
    let written = step.write(&mut file, bytes).and_then(|()| file.sync_all());
    if let Err(error) = written {
        let _ = fs::remove_file(path);
        return Err(error);
    }
    sync_dir(parent(path))?;
    step.end();
    Ok(())
}

/// Creates `path` with `bytes`, whole from its first moment; fails if there is something already.
///
/// # Errors
/// As [`create_new`].
pub fn create_whole(path: &Path, staging: &Path, name: &str, bytes: &[u8]) -> io::Result<()> {
    let step = Step::begin("create", path);
    let staged = staging.join(name);
    stage(&step, &staged, bytes, false)?;
    let linked = fs::hard_link(&staged, path);
    let _ = fs::remove_file(&staged);
    match linked {
        // A file system without links: exclusive creation has a moment in which the file is empty.
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::PermissionDenied | io::ErrorKind::Unsupported
            ) =>
        {
            return create_new(path, bytes);
        }
        other => other?,
    }
    sync_dir(parent(path))?;
    step.end();
    Ok(())
}

/// Removes a file for good. A file that is not there is removed already.
///
/// # Errors
/// What the system says.
pub fn remove(path: &Path) -> io::Result<()> {
    let step = Step::begin("remove", path);
    match fs::remove_file(path) {
        Ok(()) => sync_dir(parent(path))?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    }
    step.end();
    Ok(())
}

/// Cuts a file to `length`, for torn tails.
///
/// # Errors
/// What the system says.
pub fn truncate(file: &File, path: &Path, length: u64) -> io::Result<()> {
    let step = Step::begin("truncate", path);
    file.set_len(length)?;
    file.sync_all()?;
    step.end();
    Ok(())
}

/// Counts something durable that another program did for us: a commit.
pub fn done_elsewhere(what: &'static str, path: &Path) {
    Step::begin(what, path).end();
}

/// Makes the names in a directory durable.
///
/// # Errors
/// What the system says.
pub fn sync_dir(directory: &Path) -> io::Result<()> {
    File::open(directory)?.sync_all()
}

fn parent(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

fn staged(path: &Path, staging: &Path) -> PathBuf {
    let mut name = OsString::from(".new-");
    name.push(path.file_name().unwrap_or_default());
    staging.join(name)
}

fn stage(step: &Step, staged: &Path, bytes: &[u8], executable: bool) -> io::Result<()> {
    let mode = if executable { 0o777 } else { 0o666 };
    let _ = fs::remove_file(staged);
    let mut file = OpenOptions::new().write(true).create_new(true).mode(mode).open(staged)?;
    step.write(&mut file, bytes)?;
    file.sync_all()
}

/// Renames; where the staging directory turns out to be on another file system, copies beside the
/// target first.
fn rename(staged: &Path, path: &Path) -> io::Result<()> {
    match fs::rename(staged, path) {
        Err(error) if error.kind() == io::ErrorKind::CrossesDevices => {
            let beside = self::staged(path, parent(path));
            let mode = fs::metadata(staged)?.permissions().mode();
            fs::copy(staged, &beside)?;
            fs::set_permissions(&beside, fs::Permissions::from_mode(mode))?;
            File::open(&beside)?.sync_all()?;
            fs::rename(&beside, path)?;
            fs::remove_file(staged)
        }
        other => other,
    }
}

/// One step on its way.
struct Step {
    name: &'static str,
    path: PathBuf,
    /// Its number, from 1; settled when it begins, because a step may be cut in half.
    number: u64,
}

#[derive(Clone, Copy)]
struct CrashAt {
    step: u64,
    half: bool,
}

static STEPS: AtomicU64 = AtomicU64::new(0);

fn crash_at() -> Option<CrashAt> {
    static PLAN: OnceLock<Option<CrashAt>> = OnceLock::new();
    *PLAN.get_or_init(|| {
        let text = std::env::var(CRASH_VARIABLES[0]).ok()?;
        let (step, half) = match text.strip_suffix(":half") {
            Some(step) => (step, true),
            None => (text.as_str(), false),
        };
        Some(CrashAt { step: step.parse().ok()?, half })
    })
}

impl Step {
    fn begin(name: &'static str, path: &Path) -> Step {
        let number = STEPS.fetch_add(1, Ordering::SeqCst) + 1;
        Step { name, path: path.to_owned(), number }
    }

    fn write(&self, file: &mut File, bytes: &[u8]) -> io::Result<()> {
        if crash_at().is_some_and(|plan| plan.half && plan.step == self.number) {
            file.write_all(&bytes[..bytes.len() / 2])?;
            file.sync_all()?;
            self.log("half");
            die();
        }
        file.write_all(bytes)
    }

    fn end(self) {
        self.log("done");
        if crash_at().is_some_and(|plan| plan.step == self.number) {
            die();
        }
    }

    fn log(&self, how: &str) {
        let Some(log) = std::env::var_os(CRASH_VARIABLES[1]) else { return };
        let line = format!("{} {} {how} {}\n", self.number, self.name, self.path.display());
        let file = OpenOptions::new().create(true).append(true).open(log);
        // The log is for tests; a test that cannot read it fails by itself.
        let _ = file.and_then(|mut file| file.write_all(line.as_bytes()));
    }
}

/// Ends this process as a power cut would: nothing is unwound, nothing is released.
fn die() -> ! {
    let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL);
    std::process::abort()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_device_is_an_error_and_not_a_loss() {
        let mut full = OpenOptions::new().write(true).open("/dev/full").unwrap();
        let error = append(&mut full, Path::new("/dev/full"), b"x").unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
    }

    #[test]
    fn replacement_keeps_nothing_aside_and_sets_the_mode() {
        let dir = tempfile::tempdir().unwrap();
        let (path, staging) = (dir.path().join("a/b.sh"), dir.path().join("tmp"));
        replace(&path, &staging, b"one", false).unwrap();
        replace(&path, &staging, b"two", true).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o100, 0o100);
        assert_eq!(fs::read_dir(&staging).unwrap().count(), 0);
        assert_eq!(create_new(&path, b"x").unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        remove(&path).unwrap();
        remove(&path).unwrap();
    }
}
