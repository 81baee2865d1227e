//! The missions of older rules, and journals changed and chained anew.

use endstate::journal::{Position, Replay, Replayer};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

pub(crate) const PROTOCOLS: [&str; 5] = ["completion", "promise", "iteration", "sprint", "grid"];
/// A moment behind everything that the old missions did.
pub(crate) const LATER: u64 = 1_900_000_000_000;

fn of(protocol: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/old").join(protocol)
}

/// The journal as the old engine left it.
pub(crate) fn journal(protocol: &str) -> String {
    fs::read_to_string(of(protocol).join("journal.jsonl")).unwrap()
}

/// The repository of an old mission, as the killed driver left it, but for its lock.
pub(crate) fn repository(protocol: &str) -> tempfile::TempDir {
    let (old, dir) = (of(protocol), tempfile::tempdir().unwrap());
    let root = dir.path();
    let bundle = old.join("repository.bundle");
    git(root, &["clone", "-q", "-b", "main", &bundle.display().to_string(), "."]);
    git(root, &["remote", "remove", "origin"]);
    git(root, &["config", "user.name", "Test"]);
    git(root, &["config", "user.email", "test@example.invalid"]);
    let files = fs::read_to_string(old.join("files.json")).unwrap();
    let files: BTreeMap<String, String> = serde_json::from_str(&files).unwrap();
    for (path, text) in files {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let engine = root.join(".agent/endstate");
    fs::create_dir_all(&engine).unwrap();
    fs::write(engine.join(".gitignore"), "*\n").unwrap();
    for entry in fs::read_dir(&old).unwrap().flatten() {
        let name = entry.file_name().into_string().unwrap();
        if name == "journal.jsonl" || name.starts_with("snapshot-") {
            fs::copy(entry.path(), engine.join(name)).unwrap();
        }
    }
    dir
}

pub(crate) fn git(root: &Path, arguments: &[&str]) {
    let output = Command::new("git").args(arguments).current_dir(root).output().unwrap();
    assert!(output.status.success(), "git {arguments:?}: {output:?}");
}

/// Runs the program.
pub(crate) fn endstate(root: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_endstate"));
    command.args(arguments).current_dir(root).stdin(std::process::Stdio::null());
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
    command.output().unwrap()
}

pub(crate) fn path(root: &Path) -> PathBuf {
    root.join(".agent/endstate/journal.jsonl")
}

pub(crate) fn read(root: &Path) -> String {
    fs::read_to_string(path(root)).unwrap()
}

/// The bodies of a journal.
pub(crate) fn bodies(journal: &str) -> Vec<String> {
    let mut position = Position::default();
    journal.lines().map(|line| position.read(line.as_bytes()).unwrap().to_owned()).collect()
}

/// A journal of these bodies.
pub(crate) fn chained<T: AsRef<str>>(bodies: &[T]) -> String {
    let mut position = Position::default();
    let raw = |text: &str| serde_json::value::RawValue::from_string(text.to_owned()).unwrap();
    bodies.iter().map(|body| position.write(&raw(body.as_ref())) + "\n").collect()
}

/// A journal that has been taken as far as it goes.
pub(crate) fn taken(journal: &str) -> Replayer {
    let mut replayer = Replayer::new();
    journal.lines().for_each(|line| replayer.line(line.as_bytes()).unwrap());
    replayer
}

/// The journal with the line of its upgrade.
pub(crate) fn upgraded(journal: &str) -> String {
    let line = taken(journal).upgrade(LATER).unwrap().unwrap();
    format!("{journal}{line}\n")
}

pub(crate) fn replayed(journal: &str) -> Replay {
    endstate::replay(journal.as_bytes()).unwrap()
}

/// The numbers of the lines that are upgrades, from 0.
pub(crate) fn upgrades(journal: &str) -> Vec<usize> {
    let is = |line: &str| line.contains(",\"body\":{\"format\":");
    journal.lines().enumerate().skip(1).filter(|(_, line)| is(line)).map(|(at, _)| at).collect()
}
