//! What only words show, from the command line: a real run proposes a command, and what the user answers decides.

use crate::common::{Said, endstate, git, repository};
use std::fs;
use std::path::Path;
use tempfile::TempDir;

const AGENT: &str = concat!("exec:sh ", env!("CARGO_MANIFEST_DIR"), "/tests/cli/proposes.sh");

/// A mission that ends by a count of runs.
fn mission(argv: &str) -> TempDir {
    let dir = repository();
    let behavior = r#"{"completionType": "iterate", "completionConfig": {"maxIterations": 1}}"#;
    let agent = format!(
        r#"{{"name": "a", "displayName": "A", "description": "Greet", "behavior": {behavior}}}"#
    );
    fs::write(dir.path().join("agent.json"), agent).unwrap();
    git(dir.path(), &["add", "."]);
    git(dir.path(), &["commit", "-q", "-m", "what is to be done"]);
    fs::write(dir.path().join(".git/argv"), argv).unwrap();
    dir
}

fn run(root: &Path, more: &[&str]) -> Said {
    let line = ["run", "--protocol", "iteration", "agent.json", "--agent", AGENT];
    endstate(root, &[&line, more].concat())
}

fn sent(root: &Path) -> String {
    fs::read_to_string(root.join(".git/sent")).unwrap_or_default()
}

#[test]
fn a_command_that_the_user_took_shows_the_end() {
    let dir = mission(r#"["grep", "-q", "hello", "greeting"]"#);
    let said = run(dir.path(), &["--accept", "ask"]).expect(10).out;
    assert!(said.contains("commands are proposed for them, and you are asked"), "{said}");
    assert!(
        said.contains("    $ grep -q hello greeting\n") && said.contains("it greets"),
        "{said}"
    );
    assert_eq!(sent(dir.path()), "check-proposer\n");
    assert_eq!(git(dir.path(), &["status", "--porcelain"]), "", "nobody worked yet");
    endstate(dir.path(), &["answer", "take"]).expect(0);
    let said = run(dir.path(), &["--accept", "ask"]).expect(0).out;
    let shown = "observed  completion: `grep -q hello greeting` (before the work it failed; proposed by a run, taken by the user)";
    assert!(said.contains(shown), "{said}");
    assert_eq!(sent(dir.path()), "check-proposer\niteration-agent\n");
}

#[test]
fn a_command_that_held_before_shows_nothing() {
    let dir = mission(r#"["grep", "-q", "greeting", "README.md"]"#);
    run(dir.path(), &["--accept", "ask"]).expect(10);
    endstate(dir.path(), &["answer", "take_and_judge"]).expect(0);
    let said = run(dir.path(), &["--accept", "ask"]).expect(4).out;
    let told = "`grep -q greeting README.md` (before the work it held, too; proposed by a run, taken by the user) shows nothing of it";
    assert!(said.contains("claimed   completion: ") && said.contains(told), "{said}");
}

#[test]
fn a_command_that_nobody_took_never_runs() {
    let dir = mission(r#"["touch", "../../../ran", "ran"]"#);
    run(dir.path(), &["--accept", "ask"]).expect(10);
    endstate(dir.path(), &["answer", "observe"]).expect(0);
    run(dir.path(), &["--accept", "ask"]).expect(4);
    let journal = fs::read_to_string(dir.path().join(".agent/endstate/journal.jsonl")).unwrap();
    assert!(!journal.contains("\"run_command\""), "{journal}");
    // Who says at once what is enough is not asked.
    let dir = mission("[]");
    run(dir.path(), &["--accept", "observed"]).expect(4);
    assert_eq!(sent(dir.path()), "iteration-agent\n");
}
