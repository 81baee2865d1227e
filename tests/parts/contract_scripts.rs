//! The generated scripts, run by a real bash, and the ignore lines, read by a real git.

use endstate::protocols::completion::files::contract::{control_plane_script, stop_script};
use endstate::protocols::completion::files::gitignore::merge_gitignore;
use endstate::protocols::completion::files::{
    CONTRACT, CONTROL_PLANE_SCRIPT, HISTORIES, STATE_FILES, STOP_SCRIPT,
};
use std::path::PathBuf;
use std::process::{Command, Output};
use std::sync::atomic::{AtomicU32, Ordering};

fn words(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

/// A folder of its own, with a space in its name.
fn folder() -> PathBuf {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("scripts {number}"))
}

/// Lays both scripts into a folder and runs the stop script from elsewhere.
fn run(commands: &[Vec<String>], endstate: &str) -> Output {
    let root = folder();
    std::fs::create_dir_all(root.join(".agent")).unwrap();
    std::fs::write(root.join(CONTROL_PLANE_SCRIPT), control_plane_script()).unwrap();
    std::fs::write(root.join(STOP_SCRIPT), stop_script(commands).unwrap()).unwrap();
    let mut bash = Command::new("bash");
    bash.arg(root.join(STOP_SCRIPT)).env("ENDSTATE_BIN", endstate).current_dir("/");
    let output = bash.output().unwrap();
    std::fs::remove_dir_all(&root).unwrap();
    output
}

fn printed(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[test]
fn every_argument_arrives_as_it_is() {
    let nasty = ["$HOME `id` \"q\" 'single' \\ *", "a\nb", "", "-n", "ä;exit 9", "!x"];
    let command = [&["printf", "<%s>"], &nasty[..]].concat();
    let output = run(&[words(&command)], "true");
    assert!(output.status.success(), "{output:?}");
    let expected: String = nasty.iter().map(|word| format!("<{word}>")).collect();
    assert!(printed(&output).ends_with(&expected), "{}", printed(&output));
}

#[test]
fn the_first_failure_ends_the_script_with_its_status() {
    let commands = [words(&["bash", "-c", "exit 7"]), words(&["echo", "reached"])];
    let output = run(&commands, "true");
    assert_eq!(output.status.code(), Some(7));
    assert!(!printed(&output).contains("reached"));
    let output = run(&[words(&["echo", "reached"])], "false");
    assert_eq!((output.status.code(), printed(&output).contains("reached")), (Some(1), false));
}

#[test]
fn commands_run_in_the_root_after_the_check() {
    let output = run(&[words(&["ls", "-A"])], "echo");
    let printed = printed(&output);
    let (check, rest) = printed.split_once('\n').unwrap();
    assert_eq!(check, "check --level files");
    assert!(rest.ends_with("\n.agent\n"), "{rest}");
}

#[test]
fn without_commands_the_script_says_so_and_passes() {
    let output = run(&[], "true");
    assert!(output.status.success());
    assert!(printed(&output).contains("No verification command"));
}

#[test]
fn a_missing_endstate_is_said_plainly() {
    let output = run(&[], "no such program");
    assert_eq!(output.status.code(), Some(127));
    assert!(String::from_utf8_lossy(&output.stderr).contains("ENDSTATE_BIN"));
}

#[test]
fn git_tracks_the_contract_and_ignores_the_rest() {
    for old in ["", ".agent/", "*.md\n/.agent/\r\n*.sh\r\n", "\u{feff}.agent\nx\n"] {
        let root = folder();
        std::fs::create_dir_all(&root).unwrap();
        std::fs::write(root.join(".gitignore"), merge_gitignore(old)).unwrap();
        let git = |arguments: &[&str]| {
            Command::new("git").args(arguments).current_dir(&root).output().unwrap().status.code()
        };
        assert_eq!(git(&["init", "-q"]), Some(0));
        let ignored = |path: &str| git(&["check-ignore", "-q", path]) == Some(0);
        for path in CONTRACT {
            assert!(!ignored(path), "{path} is ignored after {old:?}");
        }
        let own = [".agent/endstate/journal.jsonl", ".agent/tmp/x", ".agent/run.log"];
        for path in STATE_FILES.iter().chain(&HISTORIES).chain(&own) {
            assert!(ignored(path), "{path} is not ignored after {old:?}");
        }
        std::fs::remove_dir_all(&root).unwrap();
    }
}
