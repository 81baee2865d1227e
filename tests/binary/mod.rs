//! The real program in real repositories: what the suites share that go through the command line.
#![allow(dead_code, reason = "each suite uses its part")]

mod accept;

use endstate::native::store::{Opened, Places, peek};
use serde_json::Value;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::mpsc;
use std::time::Duration;

/// The date of every commit, so that commit ids are the same each time.
pub(crate) const DATE: &str = "2030-01-01T00:00:00Z";

/// The longest that a program has.
const LONGEST: Duration = Duration::from_secs(240);

/// What must hold of a mission that was killed and brought to its end, whatever its protocol.
pub(crate) fn settled(root: &Path, crash: &str) {
    assert_eq!(opened(root).engine.continuation(), endstate::Continuation::Done, "{crash}");
    let places = Places::of(root);
    let replayed = endstate::replay(&fs::read(places.journal()).unwrap()).unwrap();
    assert!(replayed.divergence.is_none(), "{crash}: {:?}", replayed.divergence);
    assert_eq!(replayed.torn_bytes, 0, "{crash}");
    assert!(!places.lock().exists(), "{crash}: the lock is still there");
    assert_eq!(processes(root), Vec::<u32>::new(), "{crash}: processes are left");
}

/// How a program ended and what it said.
#[derive(Clone, Debug)]
pub(crate) struct Said {
    pub(crate) status: Option<i32>,
    pub(crate) signal: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Said {
    fn of(output: &Output) -> Said {
        Said {
            status: output.status.code(),
            signal: output.status.signal(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// Every object that was printed.
    pub(crate) fn objects(&self) -> Vec<Value> {
        let lines = self.stdout.lines().filter(|line| !line.is_empty());
        lines.map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// The last object that was printed.
    pub(crate) fn summary(&self) -> Value {
        self.objects().pop().unwrap_or_else(|| panic!("nothing was printed: {self:?}"))
    }

    /// The same, if the status is the expected one.
    #[track_caller]
    pub(crate) fn expect(self, status: i32) -> Said {
        assert_eq!(self.status, Some(status), "{self:#?}");
        self
    }
}

/// `endstate -C ROOT …`, ready to be started.
pub(crate) fn command(root: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_endstate"));
    command
        .arg("-C")
        .arg(root)
        .args(arguments)
        .args(accept::accepting(arguments))
        .stdin(Stdio::null());
    command.env("GIT_AUTHOR_DATE", DATE).env("GIT_COMMITTER_DATE", DATE);
    command.env_remove("ENDSTATE_BIN");
    command
}

/// Runs `endstate -C ROOT …` to its end.
pub(crate) fn endstate(root: &Path, arguments: &[&str]) -> Said {
    said(&mut command(root, arguments))
}

/// How a program ended. What hangs is ended, and fails its test.
pub(crate) fn said(command: &mut Command) -> Said {
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let pid = child.id();
    let (done, waits) = mpsc::channel::<()>();
    let watch = std::thread::spawn(move || {
        let hangs = waits.recv_timeout(LONGEST) == Err(mpsc::RecvTimeoutError::Timeout);
        if hangs {
            kill(pid);
        }
        hangs
    });
    let said = Said::of(&child.wait_with_output().unwrap());
    drop(done);
    assert!(!watch.join().unwrap(), "{command:?} never came to an end: {said:#?}");
    said
}

/// Ends a process as a machine that goes down does.
pub(crate) fn kill(pid: u32) {
    let pid = rustix::process::Pid::from_raw(pid.try_into().unwrap()).unwrap();
    // It may have ended by itself.
    let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
}

/// Git's standard output; it must succeed.
#[track_caller]
pub(crate) fn git(root: &Path, arguments: &[&str]) -> String {
    let mut git = Command::new("git");
    git.args(arguments).current_dir(root);
    git.env("GIT_AUTHOR_DATE", DATE).env("GIT_COMMITTER_DATE", DATE);
    let said = said(&mut git);
    assert_eq!(said.status, Some(0), "git {arguments:?}: {said:?}");
    said.stdout.trim_end().to_owned()
}

/// A name and an address that are this repository's own.
pub(crate) fn identity(root: &Path) {
    git(root, &["config", "user.name", "Test"]);
    git(root, &["config", "user.email", "test@example.invalid"]);
    git(root, &["config", "commit.gpgsign", "false"]);
}

/// A repository with these files in its first commit.
pub(crate) fn repository(root: &Path, files: &[(&str, &str)]) {
    fs::create_dir_all(root).unwrap();
    git(root, &["init", "-q", "-b", "main"]);
    identity(root);
    files.iter().for_each(|(path, text)| write(&root.join(path), text));
    git(root, &["add", "-A"]);
    git(root, &["commit", "-q", "--allow-empty", "-m", "first"]);
}

/// Writes a file, making its directories.
pub(crate) fn write(path: &Path, content: impl AsRef<[u8]>) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, content).unwrap();
}

/// Writes a program.
pub(crate) fn program(path: &Path, text: &str) {
    write(path, text);
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// A copy of a directory, times and modes included.
pub(crate) fn copy(from: &Path, to: &Path) {
    let mut cp = Command::new("cp");
    let said = said(cp.arg("-a").arg(from).arg(to));
    assert_eq!(said.status, Some(0), "{said:?}");
}

/// What a journal and its snapshots come to.
pub(crate) fn opened(root: &Path) -> Opened {
    peek(&Places::of(root)).unwrap()
}

/// The facts of the journal, in order, each with its name under `type`.
pub(crate) fn facts(root: &Path) -> Vec<Value> {
    let text = fs::read_to_string(Places::of(root).journal()).unwrap();
    // A last line that was cut is none.
    let whole = text.rfind('\n').map_or("", |end| &text[..end]);
    let lines = whole.lines().skip(1).map(|line| serde_json::from_str::<Value>(line).unwrap());
    lines.map(|line| line["body"]["event"]["fact"].clone()).collect()
}

/// The lines of a file of JSON lines.
pub(crate) fn lines(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// A JSON file.
pub(crate) fn json(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

/// The processes that were started for the mission at `root` and still are.
pub(crate) fn processes(root: &Path) -> Vec<u32> {
    let wanted = format!("ENDSTATE_ROOT={}", fs::canonicalize(root).unwrap().display());
    let of = |path: PathBuf| {
        let pid = path.file_name()?.to_str()?.parse::<u32>().ok()?;
        let environment = fs::read(path.join("environ")).ok()?;
        let mut entries = environment.split(|byte| *byte == 0);
        entries.any(|entry| entry == wanted.as_bytes()).then_some(pid)
    };
    fs::read_dir("/proc").unwrap().filter_map(|entry| of(entry.ok()?.path())).collect()
}

/// Says it in the output of the test command too, which swallows what tests that pass print.
pub(crate) fn say(line: &str) {
    use std::io::Write;
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// A path as an argument.
pub(crate) fn text(path: &(impl AsRef<OsStr> + ?Sized)) -> &str {
    path.as_ref().to_str().unwrap()
}
