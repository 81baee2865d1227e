//! A repository, the program, and what it said.

use crate::accept::accepting;
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

pub(crate) const TEAM: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cli/team.yaml");
pub(crate) const MISSION: &str = "The greeting is there";

/// How the program ended and what it printed.
pub(crate) struct Said {
    pub(crate) status: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Said {
    pub(crate) fn of(output: &Output) -> Said {
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        let status = output.status.code().unwrap_or(-1);
        Said { status, out: text(&output.stdout), err: text(&output.stderr) }
    }

    /// Every line of standard output is an object; the last one.
    pub(crate) fn last(&self) -> Value {
        let lines = self.out.lines().map(serde_json::from_str::<Value>);
        let values: Vec<Value> = lines.map(|line| line.expect(&self.out)).collect();
        assert!(values.iter().all(Value::is_object), "{}", self.out);
        values.last().cloned().unwrap_or_else(|| panic!("nothing said; {}", self.err))
    }

    pub(crate) fn expect(self, status: i32) -> Said {
        assert_eq!(self.status, status, "stdout: {}\nstderr: {}", self.out, self.err);
        self
    }

    pub(crate) fn code(&self) -> String {
        self.last()["error"]["code"].as_str().unwrap_or_default().to_owned()
    }
}

pub(crate) fn program(directory: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_endstate"));
    command.args(arguments).args(accepting(arguments)).current_dir(directory).stdin(Stdio::null());
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

pub(crate) fn endstate(directory: &Path, arguments: &[&str]) -> Said {
    Said::of(&program(directory, arguments).output().unwrap())
}

/// A program that is left running.
pub(crate) struct Running(std::process::Child);

impl Running {
    pub(crate) fn start(directory: &Path, arguments: &[&str]) -> Running {
        Running(program(directory, arguments).spawn().unwrap())
    }

    pub(crate) fn pid(&self) -> u32 {
        self.0.id()
    }

    pub(crate) fn signal(&self, name: &str) {
        let kill = Command::new("kill").args(["-s", name, &self.pid().to_string()]).status();
        assert!(kill.unwrap().success());
    }

    pub(crate) fn end(self) -> Said {
        Said::of(&self.0.wait_with_output().unwrap())
    }
}

pub(crate) fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let began = Instant::now();
    while !holds() {
        assert!(began.elapsed() < Duration::from_secs(60), "waited in vain for {what}");
        std::thread::sleep(Duration::from_millis(30));
    }
}

pub(crate) fn git(root: &Path, arguments: &[&str]) -> String {
    let mut command = Command::new("git");
    command.args(arguments).current_dir(root);
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
    let output = command.output().unwrap();
    assert!(output.status.success(), "git {arguments:?}: {output:?}");
    String::from_utf8_lossy(&output.stdout).trim_end().to_owned()
}

pub(crate) fn empty_repository() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    git(dir.path(), &["init", "-q", "-b", "main"]);
    git(dir.path(), &["config", "user.name", "Test"]);
    git(dir.path(), &["config", "user.email", "test@example.invalid"]);
    dir
}

/// A repository with a make target `test` and one commit.
pub(crate) fn repository() -> tempfile::TempDir {
    let dir = empty_repository();
    fs::write(dir.path().join("Makefile"), "test:\n\t@true\n").unwrap();
    fs::write(dir.path().join("README.md"), "# greeting\n").unwrap();
    git(dir.path(), &["add", "."]);
    git(dir.path(), &["commit", "-q", "-m", "first"]);
    dir
}

/// Every file of a worktree but git's own and the engine's, with its content.
pub(crate) fn tree(root: &Path) -> Vec<(String, Vec<u8>)> {
    let mut files = Vec::new();
    let mut open = vec![root.to_owned()];
    while let Some(directory) = open.pop() {
        for entry in fs::read_dir(directory).unwrap().map(Result::unwrap) {
            let path = entry.path();
            let name = path.strip_prefix(root).unwrap().to_string_lossy().into_owned();
            if name == ".git" || name == ".agent/endstate" {
                continue;
            }
            match path.is_dir() {
                true => open.push(path),
                false => files.push((name, fs::read(&path).unwrap())),
            }
        }
    }
    files.sort();
    files
}
