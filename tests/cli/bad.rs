//! Bad situations: a code, the place, what was expected and what came; nothing is changed.

use crate::common::{MISSION, TEAM, empty_repository, endstate, git, repository};
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

fn init(root: &Path) -> String {
    let said = endstate(root, &["init", MISSION, "--json"]).expect(13);
    let error = said.last()["error"].clone();
    for field in ["at", "expected", "got"] {
        assert!(!error[field].as_str().unwrap().is_empty(), "{field}: {error}");
    }
    assert!(!root.join(".agent/endstate/journal.jsonl").exists());
    said.code()
}

#[test]
fn a_repository_that_is_not_fit_is_refused_before_anything_is_written() {
    let dir = tempfile::tempdir().unwrap();
    assert_eq!(init(dir.path()), "not_a_repository");
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);

    let dir = repository();
    git(dir.path(), &["checkout", "-q", "--detach"]);
    assert_eq!(init(dir.path()), "detached_head");

    let dir = repository();
    git(dir.path(), &["checkout", "-q", "-b", "side"]);
    fs::write(dir.path().join("a"), "side\n").unwrap();
    git(dir.path(), &["add", "a"]);
    git(dir.path(), &["commit", "-q", "-m", "side"]);
    git(dir.path(), &["checkout", "-q", "main"]);
    git(dir.path(), &["merge", "-q", "--no-ff", "--no-commit", "side"]);
    assert_eq!(init(dir.path()), "operation_in_progress");

    let (dir, elsewhere) = (repository(), tempfile::tempdir().unwrap());
    symlink(elsewhere.path(), dir.path().join(".agent")).unwrap();
    assert_eq!(init(dir.path()), "unsafe_state_directory");
    assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 0);

    let dir = repository();
    fs::create_dir(dir.path().join(".agent")).unwrap();
    fs::write(dir.path().join(".agent/state.json"), "{}").unwrap();
    assert_eq!(init(dir.path()), "foreign_mission");
    let said = endstate(dir.path(), &["adopt", "--json"]).expect(13);
    assert_eq!(said.last()["error"]["at"], ".agent/state.json");
}

#[test]
fn a_directory_that_cannot_be_written_is_named() {
    let dir = repository();
    let read_only = fs::Permissions::from_mode(0o555);
    fs::set_permissions(dir.path(), read_only).unwrap();
    // To root nothing is read-only.
    if fs::write(dir.path().join("probe"), "").is_ok() {
        fs::remove_file(dir.path().join("probe")).unwrap();
        return;
    }
    let said = endstate(dir.path(), &["init", MISSION, "--json"]).expect(1);
    assert_eq!(said.code(), "io");
    fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn lines_that_make_no_sense_end_with_two() {
    let dir = empty_repository();
    for line in [
        &["init"][..],
        &["frobnicate"],
        &["run", MISSION, "--agent", "shell:ls"],
        &["run", MISSION, "--agent", "script:x.yaml", "--budget", "luck=3"],
        &["grant", "luck", "3"],
        &["-C", "/nowhere/at/all", "status"],
    ] {
        let words = [line, &["--json"]].concat();
        assert_eq!(endstate(dir.path(), &words).expect(2).code(), "usage", "{line:?}");
        let said = endstate(dir.path(), line).expect(2);
        assert!(said.out.is_empty() && !said.err.is_empty(), "{line:?}");
    }
    assert!(!dir.path().join(".agent").exists());
}

#[test]
fn where_no_mission_is_every_command_says_so() {
    let dir = repository();
    for line in [
        &["status"][..],
        &["why"],
        &["view", "--print"],
        &["journal"],
        &["pause"],
        &["answer", "yes"],
        &["check"],
        &["grant", "role_runs", "3"],
        &["run", "--agent", concat!("script:", env!("CARGO_MANIFEST_DIR"), "/tests/cli/team.yaml")],
    ] {
        let words = [line, &["--json"]].concat();
        assert_eq!(endstate(dir.path(), &words).expect(13).code(), "no_mission", "{line:?}");
    }
    assert!(!dir.path().join(".agent/endstate/journal.jsonl").exists());
    assert!(Path::new(TEAM).exists());
}

/// One code and one way out, whatever command finds a mission without its journal.
#[test]
fn a_journal_that_is_gone_is_said_alike_by_every_command() {
    let dir = repository();
    endstate(dir.path(), &["init", MISSION]).expect(0);
    let home = dir.path().join(".agent/endstate");
    fs::remove_file(home.join("journal.jsonl")).unwrap();
    let team = concat!("script:", env!("CARGO_MANIFEST_DIR"), "/tests/cli/team.yaml");
    for line in [
        &["status"][..],
        &["why"],
        &["view", "--print"],
        &["journal"],
        &["pause"],
        &["answer", "yes"],
        &["check"],
        &["init", MISSION],
        &["archive"],
        &["run", "--agent", team],
        &["run", MISSION, "--agent", team],
        &["run", "--protocol", "grid", "Greet", "--agent", team],
        &["refine", "--agent", team],
    ] {
        let said = endstate(dir.path(), &[line, &["--json"]].concat()).expect(13);
        assert_eq!(said.code(), "journal_missing", "{line:?}");
        let expected = said.last()["error"]["expected"].to_string();
        assert!(expected.contains("`endstate archive --unfinished`"), "{line:?}: {expected}");
    }
    assert!(!home.join("journal.jsonl").exists());
    endstate(dir.path(), &["archive", "--unfinished"]).expect(0);
    assert!(!home.exists() && dir.path().join(".agent/archive/001/endstate").is_dir());
    endstate(dir.path(), &["status", "--json"]).expect(13);
    endstate(dir.path(), &["init", MISSION]).expect(0);
}

#[test]
fn a_journal_that_was_rolled_back_is_named_by_status_and_check() {
    let dir = repository();
    endstate(dir.path(), &["init", MISSION]).expect(0);
    let path = dir.path().join(".agent/endstate/journal.jsonl");
    let whole = fs::read_to_string(&path).unwrap();
    let last = whole.trim_end().rfind('\n').unwrap() + 1;
    fs::write(&path, &whole[..last]).unwrap();
    for line in ["status", "why", "check", "pause"] {
        let said = endstate(dir.path(), &[line, "--json"]).expect(13);
        let error = &said.last()["error"];
        assert_eq!(error["code"], "journal_damaged", "{line}");
        assert!(error["at"].as_str().unwrap().ends_with("journal.jsonl"), "{line}: {error}");
        assert!(error["got"].as_str().unwrap().contains("rolled back"), "{line}: {error}");
    }
}

/// A mission of three runs that is done. Whatever opens its journal reads it whole: there is no snapshot.
fn three_runs() -> tempfile::TempDir {
    let dir = repository();
    let worker = r#"{"name": "worker", "displayName": "Worker", "description": "Does something small",
        "behavior": {"completionType": "iterate", "completionConfig": {"maxIterations": 3}}}"#;
    fs::write(dir.path().join("agent.json"), worker).unwrap();
    git(dir.path(), &["add", "."]);
    git(dir.path(), &["commit", "-q", "-m", "a worker"]);
    endstate(dir.path(), &THREE_RUNS).expect(4);
    forget_snapshots(dir.path());
    dir
}

const THREE_RUNS: [&str; 7] = [
    "run",
    "--protocol",
    "iteration",
    "agent.json",
    "--agent",
    "exec:sh -c 'echo ran >>.git/ran; echo done'",
    "--json",
];

fn forget_snapshots(root: &Path) {
    for entry in fs::read_dir(root.join(".agent/endstate")).unwrap().map(Result::unwrap) {
        if entry.file_name().to_string_lossy().starts_with("snapshot-") {
            fs::remove_file(entry.path()).unwrap();
        }
    }
}

/// The sequence numbers of the orders of all runs on disk, the latest last.
fn ordered(root: &Path) -> Vec<usize> {
    let runs = fs::read_dir(root.join(".agent/endstate/runs")).unwrap();
    let names = runs.map(|run| run.unwrap().file_name().into_string().unwrap());
    let mut seqs: Vec<usize> =
        names.map(|name| name.split_once('.').unwrap().0.parse().unwrap()).collect();
    seqs.sort_unstable();
    seqs
}

/// Whoever opens the mission says that its journal was rolled back, as `told` knows; nothing is sent or changed.
fn rolled_back(root: &Path, told: &str) {
    let journal = root.join(".agent/endstate/journal.jsonl");
    let before = (fs::read(&journal).unwrap(), fs::read(root.join(".git/ran")).unwrap());
    for line in [&["status", "--json"][..], &["check", "--json"], &["pause", "--json"], &THREE_RUNS]
    {
        let error = &endstate(root, line).expect(13).last()["error"];
        assert_eq!(error["code"], "journal_damaged", "{line:?}: {error}");
        assert!(error["at"].as_str().unwrap().ends_with("journal.jsonl"), "{line:?}: {error}");
        assert!(error["expected"].as_str().unwrap().contains(told), "{line:?}: {error}");
        assert!(error["got"].as_str().unwrap().contains("rolled back"), "{line:?}: {error}");
    }
    let after = (fs::read(&journal).unwrap(), fs::read(root.join(".git/ran")).unwrap());
    assert_eq!(before, after);
}

#[test]
fn a_journal_without_a_snapshot_is_held_to_the_runs_on_disk() {
    let dir = three_runs();
    let root = dir.path();
    let path = root.join(".agent/endstate/journal.jsonl");
    let whole = fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = whole.split_inclusive('\n').collect();
    let latest = *ordered(root).last().unwrap();
    assert!(latest < lines.len() - 1);
    let told = format!("{} lines, as ", latest + 1);
    for kept in 1..=latest {
        fs::write(&path, lines[..kept].concat()).unwrap();
        rolled_back(root, &told);
    }
    // A driver may be killed anywhere behind the order; what is no record says nothing.
    let forged = root.join(".agent/endstate/runs/999.1");
    fs::create_dir(&forged).unwrap();
    fs::write(forged.join("record.json"), "{}").unwrap();
    for kept in latest + 1..=lines.len() {
        fs::write(&path, lines[..kept].concat()).unwrap();
        assert_ne!(endstate(root, &["status", "--json"]).status, 13, "{kept} lines");
    }
    // A run that an agent hosts has another record.
    fs::write(forged.join("hosted.json"), r#"{"effect":"999.1"}"#).unwrap();
    rolled_back(root, "1000 lines, as ");
}

#[test]
fn a_directory_of_the_engine_that_was_put_back_is_known_by_the_histories() {
    let dir = three_runs();
    let root = dir.path();
    let at = |name: &str| root.join(".agent/endstate").join(name);
    let whole = fs::read_to_string(at("journal.jsonl")).unwrap();
    let lines: Vec<&str> = whole.split_inclusive('\n').collect();
    let latest = *ordered(root).last().unwrap();
    for run in fs::read_dir(at("runs")).unwrap().map(Result::unwrap) {
        if run.file_name().to_string_lossy().starts_with(&format!("{latest}.")) {
            fs::remove_dir_all(run.path()).unwrap();
        }
    }
    fs::write(at("journal.jsonl"), lines[..latest].concat()).unwrap();
    let history = root.join(".agent/iteration/summaries.jsonl");
    let text = fs::read_to_string(&history).unwrap();
    // Others may write there, too.
    fs::write(&history, format!("{text}{{\"run\":\"mine\"}}\n")).unwrap();
    rolled_back(root, "summaries.jsonl");
    let two: String = text.split_inclusive('\n').take(2).collect();
    fs::write(&history, format!("{two}{{\"run\":\"mine\"}}\n")).unwrap();
    assert_ne!(endstate(root, &["status", "--json"]).status, 13);
}

#[test]
fn damage_is_refused_with_its_line() {
    let dir = repository();
    endstate(dir.path(), &["init", MISSION]).expect(0);
    let path = dir.path().join(".agent/endstate/journal.jsonl");
    forget_snapshots(dir.path());
    let whole = fs::read(&path).unwrap();
    let mut bytes = whole.clone();
    let second = whole.iter().position(|byte| *byte == b'\n').unwrap() + 20;
    bytes[second] ^= 1;
    fs::write(&path, &bytes).unwrap();
    for line in [&["status"][..], &["journal"], &["pause"], &["check"]] {
        let said = endstate(dir.path(), &[line, &["--json"]].concat()).expect(13);
        assert_eq!(said.last()["error"]["code"], "journal_damaged", "{line:?}");
        assert_eq!(said.last()["error"]["at"], "line 2", "{line:?}");
    }
    assert_eq!(fs::read(&path).unwrap(), bytes);
    // A torn tail is cut off and said.
    fs::write(&path, &whole[..whole.len() - 5]).unwrap();
    let said = endstate(dir.path(), &["pause"]);
    assert_eq!(said.status, 13, "{}", said.err);
    let said = endstate(dir.path(), &["grant", "role_runs", "1"]).expect(0);
    assert!(said.err.is_empty());
    endstate(dir.path(), &["check"]).expect(0);
}

#[test]
fn every_command_has_an_example_and_the_statuses_are_in_the_help() {
    let dir = tempfile::tempdir().unwrap();
    let help = endstate(dir.path(), &["--help"]).expect(0).out;
    for status in ["   0 ", "   1 ", "   2 ", "   3 ", "  10 ", "  11 ", "  12 ", "  13 ", "  14 "]
    {
        assert!(help.contains(status), "{status}");
    }
    let list = help.split("Commands:").nth(1).unwrap().split("Options:").next().unwrap();
    let commands: Vec<&str> = list
        .lines()
        .filter(|line| line.starts_with("  ") && !line.starts_with("    "))
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    assert!(commands.len() >= 22, "{commands:?}");
    for command in commands.into_iter().filter(|name| *name != "help").chain(["role-script"]) {
        let help = endstate(dir.path(), &[command, "--help"]).expect(0).out;
        assert!(help.contains("Example"), "{command}: {help}");
        assert!(help.contains(&format!("endstate {command}")), "{command}: {help}");
        assert!(help.contains("--json"), "{command}");
    }
    for shell in ["bash", "zsh", "fish"] {
        let said = endstate(dir.path(), &["completions", shell]).expect(0);
        assert!(said.out.contains("skip-verification"), "{shell}");
    }
}

#[test]
fn help_is_said_by_its_name_too() {
    let dir = tempfile::tempdir().unwrap();
    let help = |words: &[&str]| endstate(dir.path(), words).expect(0).out;
    assert_eq!(help(&["help"]), help(&["--help"]));
    assert_eq!(help(&["help", "run"]), help(&["run", "--help"]));
    assert_eq!(help(&["help", "plan", "lint"]), help(&["plan", "lint", "--help"]));
    assert_eq!(endstate(dir.path(), &["help", "nothing"]).status, 2);
}

/// What is no file holds no journal, and no archive; neither is followed nor waited for.
#[test]
fn what_stands_in_the_place_of_a_journal_is_named_and_can_be_taken_aside() {
    for kind in ["a folder", "a pipe", "a link"] {
        let dir = repository();
        endstate(dir.path(), &["init", MISSION]).expect(0);
        let home = dir.path().join(".agent/endstate");
        let journal = home.join("journal.jsonl");
        let away = dir.path().join("moved.jsonl");
        fs::rename(&journal, &away).unwrap();
        match kind {
            "a folder" => fs::create_dir(&journal).unwrap(),
            "a link" => std::os::unix::fs::symlink(&away, &journal).unwrap(),
            _ => assert!(
                std::process::Command::new("mkfifo").arg(&journal).status().unwrap().success()
            ),
        }
        let team = concat!("script:", env!("CARGO_MANIFEST_DIR"), "/tests/cli/team.yaml");
        for line in [&["status"][..], &["check"], &["archive"], &["run", "--agent", team]] {
            let said = endstate(dir.path(), &[line, &["--json"]].concat()).expect(13);
            assert_eq!(said.code(), "journal_damaged", "{kind}, {line:?}");
        }
        fs::create_dir_all(dir.path().join(".agent/archive")).unwrap();
        fs::write(dir.path().join(".agent/archive/001"), "somebody's").unwrap();
        endstate(dir.path(), &["archive", "--unfinished"]).expect(0);
        let record = dir.path().join(".agent/archive/002/endstate");
        assert!(fs::symlink_metadata(record.join("journal.jsonl")).is_ok() && !home.exists());
        assert_eq!(fs::read(dir.path().join(".agent/archive/001")).unwrap(), b"somebody's");
        endstate(dir.path(), &["init", MISSION]).expect(0);
    }
}
