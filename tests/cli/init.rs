//! Beginning a mission, and the generated scripts.

use crate::common::{MISSION, Said, empty_repository, endstate, git, program, repository, tree};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::process::Command;

/// Runs a generated script the way a person does, from elsewhere.
fn script(root: &Path, name: &str) -> i32 {
    let mut command = Command::new("bash");
    command.arg(root.join(".agent").join(name)).current_dir("/");
    command.env("ENDSTATE_BIN", env!("CARGO_BIN_EXE_endstate"));
    command.output().unwrap().status.code().unwrap()
}

fn edit(root: &Path, change: impl FnOnce(&mut Value)) {
    let path = root.join(".agent/active-slice.json");
    let mut file: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
    change(&mut file);
    fs::write(&path, serde_json::to_string_pretty(&file).unwrap() + "\n").unwrap();
}

#[test]
fn both_scripts_pass_and_a_handoff_without_its_reason_does_not() {
    let dir = repository();
    let root = dir.path();
    let last = endstate(root, &["init", MISSION, "--json"]).expect(0).last();
    assert_eq!(last["result"], "init");
    let (control, stop) = ("verify_completion_control_plane.sh", "verify_completion_stop.sh");
    assert_eq!((script(root, control), script(root, stop)), (0, 0));
    edit(root, |active| {
        for (name, value) in [
            ("status", "\"selected\""),
            ("slice_id", "\"smoke\""),
            ("goal", "\"see that the hand-off is checked\""),
            ("contract_ids", "[\"C-1\"]"),
            ("acceptance_criteria", "[\"it is\"]"),
            ("blocked_on", "[]"),
            ("locked_notes", "[]"),
            ("must_fix_findings", "[]"),
            ("basis_commit", "\"deadbeef\""),
            ("remaining_contract_ids_before", "[\"C-1\"]"),
            ("release_blocker_count_before", "1"),
            ("high_value_gap_count_before", "0"),
        ] {
            active[name] = serde_json::from_str(value).unwrap();
        }
        let fields = active.as_object_mut().unwrap();
        fields.remove("priority");
        fields.remove("why_now");
    });
    assert_eq!((script(root, control), script(root, stop)), (13, 13));
    let said = endstate(root, &["check", "--level", "files", "--json"]).expect(13);
    assert!(said.out.contains("active-slice.json"), "{}", said.out);
    edit(root, |active| {
        active["priority"] = 1.into();
        active["why_now"] = "the smoke test wants it".into();
    });
    assert_eq!((script(root, control), script(root, stop)), (0, 0));
    // The whole mission, though, sees that nobody but a hand wrote this.
    endstate(root, &["check", "--json"]).expect(13);
}

#[test]
fn the_test_command_is_found_and_the_contract_committed() {
    let dir = repository();
    let said = endstate(dir.path(), &["init", MISSION]).expect(0);
    assert!(said.out.contains("make test"), "{}", said.out);
    let files = git(dir.path(), &["show", "--format=", "--name-only", "HEAD"]);
    assert_eq!(files.lines().count(), 6, "{files}");
    assert_eq!(git(dir.path(), &["status", "--porcelain"]), "");
    let text = fs::read_to_string(dir.path().join(".agent/verify_completion_stop.sh")).unwrap();
    assert!(text.contains("'make' 'test'"), "{text}");
    let again = endstate(dir.path(), &["init", MISSION, "--json"]).expect(13);
    assert_eq!(again.code(), "mission_exists");
}

/// What holds here and not where the end is shown is said before anything is begun, with what helps there.
#[test]
fn a_command_that_needs_what_git_ignores_is_told_with_what_it_needs() {
    let dir = repository();
    let root = dir.path();
    let write = |name: &str, text: &str| fs::write(root.join(name), text).unwrap();
    write(".gitignore", "/built/\n*.env\n");
    write("package-lock.json", "{}");
    git(root, &["add", "-A"]);
    git(root, &["commit", "-q", "-m", "ignore"]);
    write("test.env", "level=strict\n");
    fs::create_dir(root.join("built")).unwrap();
    let init = |verify: &str, more: &[&str]| {
        let line = [&["init", MISSION, "--verify", verify, "--json"], more].concat();
        endstate(root, &line)
    };
    let refused = |said: Said, needs: Value, expected: &str| {
        let said = said.expect(13);
        assert_eq!(said.code(), "room_differs");
        let told: Value = serde_json::from_str(said.out.lines().nth_back(1).unwrap()).unwrap();
        assert_eq!(told["needs"], needs, "{}", said.out);
        assert!(said.out.contains(expected), "{}", said.out);
        assert!(!root.join(".agent").exists());
    };
    let needs = "grep -q strict test.env";
    let file = json!({"setup": [], "files": ["test.env"]});
    refused(init(needs, &[]), file, "the same line with --room-file test.env");
    refused(init("test -d built", &[]), Value::Null, "--room-setup");
    // With it the mission begins, and no room is left.
    let place = tempfile::tempdir().unwrap();
    let line = ["init", MISSION, "--verify", needs, "--room-file", "./test.env"];
    let mut command = program(root, &line);
    Said::of(&command.env("TMPDIR", place.path()).output().unwrap()).expect(0);
    assert_eq!(fs::read_dir(place.path()).unwrap().count(), 0);
    let kept = fs::metadata(root.join(".agent/endstate/kept")).unwrap().permissions();
    assert_eq!(std::os::unix::fs::PermissionsExt::mode(&kept) & 0o077, 0);
    let journal = fs::read_to_string(root.join(".agent/endstate/journal.jsonl")).unwrap();
    assert!(journal.contains(r#""files":[{"path":"test.env","#), "{journal}");
    // What does not hold here either is for the work.
    let dir = repository();
    endstate(dir.path(), &["init", MISSION, "--verify", "false"]).expect(0);
}

#[test]
fn a_file_that_rooms_cannot_be_given_is_refused() {
    let dir = repository();
    let root = dir.path();
    fs::write(root.join(".gitignore"), "*.env\n/folder\n").unwrap();
    fs::create_dir(root.join("folder")).unwrap();
    fs::write(root.join("seen"), "").unwrap();
    std::os::unix::fs::symlink("/etc/hostname", root.join("link.env")).unwrap();
    for (path, status, code) in [
        ("Makefile", 13, "invalid_value"),
        ("seen", 13, "invalid_value"),
        (".git/config", 13, "invalid_value"),
        ("../outside", 13, "unsafe_state_directory"),
        ("none.env", 13, "invalid_value"),
        ("folder", 13, "invalid_value"),
        ("link.env", 1, "io"),
    ] {
        let said = endstate(root, &["init", MISSION, "--room-file", path, "--json"]).expect(status);
        assert_eq!(said.code(), code, "{path}");
        assert!(!root.join(".agent").exists(), "{path}");
    }
}

#[test]
fn no_test_command_is_said_and_one_may_be_given() {
    let dir = empty_repository();
    let said = endstate(dir.path(), &["init", MISSION]).expect(0);
    assert!(said.out.contains("no test command was found"), "{}", said.out);
    assert_eq!(script(dir.path(), "verify_completion_stop.sh"), 0);
    let dir = repository();
    endstate(dir.path(), &["init", MISSION, "--verify", "sh -c 'exit 7'"]).expect(0);
    assert_eq!(script(dir.path(), "verify_completion_stop.sh"), 7);
    let dir = repository();
    let said = endstate(dir.path(), &["init", MISSION, "--verify", "'open", "--json"]).expect(2);
    assert_eq!(said.code(), "usage");
    assert!(!dir.path().join(".agent").exists());
}

#[test]
fn without_an_identity_or_with_a_hook_nothing_is_half_done() {
    for hook in [false, true] {
        let dir = repository();
        let root = dir.path();
        let path = root.join(".git/hooks/pre-commit");
        if hook {
            use std::os::unix::fs::PermissionsExt;
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, "#!/bin/sh\necho 'not today' >&2\nexit 1\n").unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        } else {
            git(root, &["config", "--unset", "user.name"]);
            git(root, &["config", "--unset", "user.email"]);
            git(root, &["config", "user.useConfigOnly", "true"]);
        }
        let (before, head) = (tree(root), git(root, &["rev-parse", "HEAD"]));
        let said = endstate(root, &["init", MISSION]).expect(10);
        assert!(said.out.contains("question"), "{}", said.out);
        assert_eq!(said.out.contains("not today"), hook, "{}", said.out);
        assert!(tree(root) == before && git(root, &["rev-parse", "HEAD"]) == head);
        assert_eq!(git(root, &["status", "--porcelain", "--untracked-files=all"]), "");
        assert_eq!(
            endstate(root, &["answer", "nonsense", "--json"]).expect(13).code(),
            "answer_type"
        );
        match hook {
            true => fs::remove_file(path).unwrap(),
            false => {
                git(root, &["config", "user.name", "Test"]);
                git(root, &["config", "user.email", "test@example.invalid"]);
            }
        }
        endstate(root, &["answer", "retry"]).expect(0);
        endstate(root, &["check"]).expect(0);
        assert_ne!(git(root, &["rev-parse", "HEAD"]), head);
    }
}
