//! The example of a host in Rust drives a mission in a real repository, played by a shell.

use std::path::PathBuf;
use std::process::Command;

/// The example, built where the tests are and as they are: Cargo does so by itself only when it was told no test by name.
fn example(name: &str) -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let folder = test.ancestors().nth(2).unwrap();
    let profile = match folder.file_name().unwrap().to_str().unwrap() {
        "debug" => "dev",
        named => named,
    };
    let words = ["build", "--quiet", "--locked", "--profile", profile, "--example", name];
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(words).arg("--target-dir").arg(folder.parent().unwrap());
    assert!(cargo.current_dir(env!("CARGO_MANIFEST_DIR")).status().unwrap().success());
    folder.join("examples").join(name)
}

#[test]
fn drive_goes_on_until_the_command_of_the_definition_says_so() {
    let root = tempfile::tempdir().unwrap();
    let definition = r#"{"name": "n", "displayName": "Two", "description": "Counts to two", "behavior":
        {"completionType": "check", "completionConfig": {"command": ["test", "-f", "two"], "maxIterations": 9}}}"#;
    std::fs::write(root.path().join("agent.json"), definition).unwrap();
    let identity = ["-c", "user.name=N", "-c", "user.email=n@example.invalid"];
    for words in [&["init", "-q"][..], &["add", "-A"], &["commit", "-q", "-m", "Begin"]] {
        let git = Command::new("git").args(identity).args(words).current_dir(&root).status();
        assert!(git.unwrap().success());
    }
    let agent = ["sh", "-c", "test -f one && touch two || touch one; echo all done"];
    let program = example("drive");
    let drive = || {
        let output = Command::new(&program).arg(root.path()).args(agent).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    let said = drive();
    assert_eq!(said.lines().filter(|line| *line == "run_ended").count(), 2, "{said}");
    assert!(said.lines().last().unwrap().starts_with("done (2/9): "), "{said}");
    // What is done stays done, and nothing runs again.
    assert_eq!(drive().lines().filter(|line| *line == "run_ended").count(), 0);
}
