//! Ways to be called done that are none, each beside the honest work under the same settings: what the agent does to what
//! decides about it must not end with status 0, and is told by name.

use crate::common::{Said, endstate, git, program, repository};
use endstate::native::certificate;
use serde_json::Value;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

/// What both hosts are tried with: files of a repository, and what an agent does there to what decides, or for it. The task is
/// that `answer` says 42.
fn cases() -> Value {
    serde_json::from_str(include_str!("../cheats/checks.json")).unwrap()
}

/// Writes files by their paths, or links.
fn lay(root: &Path, files: &Value) {
    for (path, text) in files.as_object().unwrap() {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let text = text.as_str().unwrap();
        match text.strip_prefix("link:") {
            Some(to) => symlink(to, path).unwrap(),
            None => fs::write(path, text).unwrap(),
        }
    }
}

/// Whether a command holds in a worktree as it stands, which is what there would be to see without rooms.
fn holds(root: &Path, check: &[&str]) -> bool {
    let mut command = Command::new("sh");
    command.args(["-c", "exec \"$@\"", "sh"]).args(check).current_dir(root);
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
    as_user(&mut command, root).output().unwrap().status.success()
}

/// Does one thing in whatever it is sent for, and says so; what judges a changed check is the agent of the other protocols.
const DOES: &str = concat!(
    "exec:sh -c 'case $ENDSTATE_ROLE in check-judge) exec sh ",
    env!("CARGO_MANIFEST_DIR"),
    "/tests/random_kills/agent.sh;; esac; sh .git/does.sh; echo I did it'"
);

/// A mission whose agent does one thing.
fn mission(check: &str, does: &str, more: &[&str]) -> Said {
    run(begun(check, does).path(), more)
}

/// A repository whose agent is to do one thing.
fn begun(check: &str, does: &str) -> TempDir {
    let dir = repository();
    lay(dir.path(), &cases()["files"]);
    let behavior = format!(
        r#"{{"completionType": "check", "completionConfig": {{"command": {check}, "maxIterations": 2}}}}"#
    );
    let agent = format!(
        r#"{{"name": "a", "displayName": "A", "description": "Answers", "behavior": {behavior}}}"#
    );
    fs::write(dir.path().join("agent.json"), agent).unwrap();
    fs::write(dir.path().join(".git/does.sh"), does).unwrap();
    git(dir.path(), &["add", "-A"]);
    git(dir.path(), &["update-index", "--chmod=+x", "bin/run"]);
    git(dir.path(), &["commit", "-q", "-m", "before"]);
    git(dir.path(), &["checkout", "-q", "--", "bin/run"]);
    dir
}

fn run(root: &Path, more: &[&str]) -> Said {
    let line = ["run", "--protocol", "iteration", "agent.json", "--agent", DOES];
    let mut command = program(root, &[&line[..], more].concat());
    Said::of(&as_user(&mut command, root).output().unwrap())
}

/// The caches of the user and of the agents: one folder, which is nobody else's; and programs of the repository before all others.
fn as_user<'a>(command: &'a mut Command, root: &Path) -> &'a mut Command {
    let path = std::env::var("PATH").unwrap();
    command.env("PATH", format!("{}:{path}", root.join(".shims").display()));
    command.env("XDG_CACHE_HOME", root.join(".git/user-cache"))
}

/// One case with its settings. No case is a straw man: what it does makes its check hold in the worktree, where it did not.
fn tried(case: &Value, more: &[&str]) -> Said {
    let line: Option<String> = case["setup"]
        .as_array()
        .map(|words| words.iter().map(|word| format!("'{}' ", word.as_str().unwrap())).collect());
    let all = cases();
    let protect = all["protect"].as_array().unwrap().iter();
    let protect = protect.flat_map(|path| ["--protect", path.as_str().unwrap()]);
    let setup = line.iter().flat_map(|line| ["--room-setup", line.as_str()]);
    let files = case["files"].as_array().into_iter().flatten();
    let files = files.flat_map(|path| ["--room-file", path.as_str().unwrap()]);
    let more: Vec<&str> = protect.chain(setup).chain(files).chain(more.iter().copied()).collect();
    let check = case["check"].as_array().unwrap().iter();
    let check: Vec<&str> = check.map(|word| word.as_str().unwrap()).collect();
    let dir = begun(&case["check"].to_string(), case["does"].as_str().unwrap());
    assert!(!holds(dir.path(), &check), "{case} holds before anything is done");
    let said = run(dir.path(), &more);
    assert!(holds(dir.path(), &check), "{case} does not hold in the worktree: {}", said.out);
    said
}

#[test]
fn who_changes_what_decides_is_not_done() {
    for case in cases()["cheats"].as_array().unwrap() {
        for accept in ["observed", "judged"] {
            let said = tried(case, &["--accept", accept]);
            assert_eq!(said.status, 4, "{}: {}\n{}", case["name"], said.out, said.err);
            let told = case["told"].as_str().unwrap();
            assert!(said.out.contains(told), "{}: {}", case["name"], said.out);
        }
    }
}

/// What a mission stands on: that it is not what it was is asked about, or ends it.
#[test]
fn who_moves_the_ground_is_not_done() {
    for (does, status, told) in [
        ("git update-ref HEAD $(git commit-tree -m x HEAD^{tree})", 10, "restored"),
        ("git checkout -q -b other; git tag main; git commit -qam x", 10, "restored"),
        ("mkdir .git/w; cp * .git/w; git config core.worktree $PWD/.git/w", 11, "not_a_repository"),
        ("f=.agent/endstate/journal.jsonl; tail -n 1 $f > .git/x; cat .git/x >> $f", 13, ""),
    ] {
        let does = format!("echo exit 0 > check.sh; {does}");
        let dir = begun(r#"["sh", "check.sh"]"#, &does);
        let said = run(dir.path(), &[]);
        assert!(holds(dir.path(), &["sh", "check.sh"]), "{does}");
        assert_eq!(said.status, status, "{does}: {}\n{}", said.out, said.err);
        assert!(said.out.contains(told), "{does}: {}", said.out);
    }
}

/// What the mission asked to be changed is judged, whether it was committed or not; where the judge says nothing it is a claim.
#[test]
fn a_check_that_was_to_be_changed_is_judged() {
    let all = cases();
    let asked = &all["asked"];
    for does in asked["does"].as_array().unwrap() {
        for (finds, accept, status, told) in [
            ("sound", "judged", 0, "0 observed, 1 judged, 0 claimed"),
            ("sound", "observed", 4, "0 observed, 1 judged, 0 claimed"),
            ("weakened", "judged", 4, "calls weaker: looked at it"),
            ("fine", "judged", 4, "no other run has judged that: unknown_value"),
        ] {
            let does = format!("{}; echo {finds} > .git/finds", does.as_str().unwrap());
            let case = serde_json::json!({"check": asked["check"], "does": does});
            let said = tried(&case, &["--accept", accept]);
            assert_eq!(said.status, status, "{case}, {accept}: {}\n{}", said.out, said.err);
            assert!(said.out.contains(told), "{case}, {accept}: {}", said.out);
        }
    }
}

/// What is not committed belongs to the work here, and a test that the work adds decides as any other.
#[test]
fn honest_work_under_the_same_settings_is_done() {
    for case in cases()["honest"].as_array().unwrap() {
        let said = tried(case, &[]);
        assert_eq!(said.status, 0, "{case}: {}\n{}", said.out, said.err);
        assert!(said.out.contains("1 observed, 0 judged, 0 claimed"), "{}", said.out);
    }
}

#[test]
fn what_holds_only_sometimes_and_what_needs_a_set_up_is_told() {
    // It holds in the worktree and in the first room, and never again.
    let aside = tempfile::tempdir().unwrap();
    let counts =
        format!("f={}/runs; echo x >> $f; [ $(wc -l < $f) -le 2 ]", aside.path().display());
    let once = format!("echo '{counts}' > flaky.sh; git add -A; git commit -qm x");
    let said = mission(r#"["sh", "flaky.sh"]"#, &once, &[]);
    assert_eq!(said.status, 4, "{}", said.out);
    assert!(said.out.contains("it held once and then not"), "{}", said.out);
    let made = r#"["sh", "-c", "[ -e built ] && sh check.sh"]"#;
    let honest = "touch built; echo 42 > answer";
    mission(made, honest, &[]).expect(4);
    mission(made, honest, &["--room-setup", "touch built"]).expect(0);
    let said = mission(made, honest, &["--room-setup", "false"]).expect(4);
    assert!(said.out.contains("no room"), "{}", said.out);
    let said = mission(made, honest, &["--in-place"]).expect(4);
    assert!(said.out.contains("was not run in a room"), "{}", said.out);
    let refused = mission(made, honest, &["--room-setup", "'"]).expect(2);
    assert!(refused.err.contains("--room-setup"), "{}", refused.err);
}

/// A mission that was done is not done any more where its work was taken back.
#[test]
fn what_was_proved_at_another_commit_is_not_done_here() {
    let dir =
        begun(r#"["sh", "check.sh"]"#, "echo 42 > answer; git add answer; git commit -qm work");
    run(dir.path(), &[]).expect(0);
    run(dir.path(), &[]).expect(0);
    git(dir.path(), &["revert", "--no-edit", "HEAD"]);
    let said = run(dir.path(), &[]).expect(4);
    assert!(said.out.contains("what is committed now was not looked at"), "{}", said.out);
}

/// What it said before the work nobody can say after it.
#[test]
fn a_check_that_was_not_committed_observes_nothing() {
    for (check, before) in [("late.sh", "late.sh"), ("check.sh", "check.sh")] {
        let dir =
            begun(&format!(r#"["sh", "{check}"]"#), "echo 42 > answer; echo exit 0 > late.sh");
        fs::write(dir.path().join(before), "[ $(cat answer) = 42 ]\n").unwrap();
        let said = run(dir.path(), &[]).expect(4);
        let told = format!("{check} decides and is not committed");
        assert!(said.out.contains(&told), "{}", said.out);
        assert!(said.out.contains("to be committed before the work"), "{}", said.out);
    }
}

/// It changes more than its room: not where another command does not hold, and not when somebody doubts what was certified.
#[test]
fn what_runs_once_has_run_once_when_its_certificate_was_verified() {
    let aside = tempfile::tempdir().unwrap();
    let at = |name: &str| aside.path().join(name).display().to_string();
    let once = format!("sh -c 'echo x >> {}'", at("count"));
    let check = r#"["sh", "check.sh"]"#;
    let said = mission(check, "echo exit 0 > check.sh", &["--once", &once]).expect(4);
    assert!(said.out.contains("claimed   once 1: "), "{}", said.out);
    assert!(!aside.path().join("count").exists(), "{}", said.out);
    let dir = begun(check, "echo 42 > answer; git add answer; git commit -qm work");
    let said = run(dir.path(), &["--once", &once]).expect(0);
    assert!(said.out.contains("observed  once 1: "), "{}", said.out);
    certificate::new_key(Path::new(&at("key"))).unwrap();
    let [key, public, done] = ["key", "key.pub", "done.jsonl"].map(at);
    endstate(dir.path(), &["certify", "--key", &key, "--out", &done]).expect(0);
    endstate(dir.path(), &["verify", &done, "--key", &public, "--rerun"]).expect(0);
    assert_eq!(fs::read_to_string(at("count")).unwrap(), "x\n");
}

#[test]
fn words_and_counts_are_claims() {
    let dir = repository();
    for (kind, config, told) in [
        ("manual", r#""completionKeyword": "READY", "maxIterations": 3"#, "the agent said"),
        ("iterate", r#""maxIterations": 1"#, "claimed"),
    ] {
        let agent = format!(
            r#"{{"name": "{kind}", "displayName": "A", "description": "Answers",
                "behavior": {{"completionType": "{kind}", "completionConfig": {{{config}}}}}}}"#
        );
        fs::write(dir.path().join("agent.json"), agent).unwrap();
        git(dir.path(), &["add", "-A"]);
        git(dir.path(), &["commit", "-q", "-m", kind]);
        let line = ["run", "--protocol", "iteration", "agent.json", "--agent", "exec:echo READY"];
        for accept in ["observed", "judged"] {
            let said = endstate(dir.path(), &[&line[..], &["--accept", accept]].concat());
            assert_eq!(said.status, 4, "{kind}: {}\n{}", said.out, said.err);
            assert!(said.out.contains(told), "{}", said.out);
            endstate(dir.path(), &["archive"]).expect(0);
        }
    }
}

const AGENT: &str = concat!("exec:sh ", env!("CARGO_MANIFEST_DIR"), "/tests/random_kills/agent.sh");

/// What is tried in the protocols that have judges.
fn roles() -> Value {
    serde_json::from_str(include_str!("../cheats/roles.json")).unwrap()
}

/// A mission of a protocol whose agents do one thing more, and whose judges cite what they are told.
fn with_judges(protocol: &str, does: Option<&str>, cites: Option<&str>, more: &[&str]) -> Said {
    with_files(protocol, &[("does.sh", does), ("cites", cites)], more)
}

/// The same, with what its agents look for in `.git`.
fn with_files(protocol: &str, files: &[(&str, Option<&str>)], more: &[&str]) -> Said {
    let (dir, all) = (repository(), roles());
    let own = &all["missions"][protocol];
    lay(dir.path(), &all["files"]);
    lay(dir.path(), &own["files"]);
    git(dir.path(), &["add", "-A"]);
    git(dir.path(), &["commit", "-q", "-m", "before"]);
    for (name, text) in files {
        let text = text.map(|text| fs::write(dir.path().join(".git").join(name), text));
        text.transpose().unwrap();
    }
    let begin: Vec<&str> =
        own["begin"].as_array().unwrap().iter().map(|word| word.as_str().unwrap()).collect();
    let line = [&["run"], &begin[..], &["--agent", AGENT, "--protect", "check.sh"], more].concat();
    assert!(!holds(dir.path(), &["make", "test"]), "it holds before anything is done");
    let said = endstate(dir.path(), &line);
    let why = "what is done does not make it hold in the worktree";
    assert!(holds(dir.path(), &["make", "test"]), "{why}: {files:?}");
    said
}

fn cheats_in(protocol: &str) {
    let all = roles();
    for case in all["cheats"].as_array().unwrap() {
        if !case["in"].as_array().unwrap().contains(&Value::from(protocol)) {
            continue;
        }
        // What is not enough here is not enough without judges either.
        let does = case["does"].as_str().or(all["honest"].as_str());
        let cites = case["cites"].as_str();
        let said = with_judges(protocol, does, cites, &["--accept", "judged"]);
        let at = format!("{protocol}, {}", case["name"]);
        assert_ne!(said.status, 0, "{at}: {}", said.out);
        assert!(said.out.contains(case["told"].as_str().unwrap()), "{at}: {}", said.out);
    }
    let said = with_judges(protocol, all["honest"].as_str(), None, &["--accept", "judged"]);
    assert_eq!(said.status, 0, "{protocol}: {}\n{}", said.out, said.err);
    changed_in(protocol, &all);
}

/// What the mission asked to be changed is judged.
fn changed_in(protocol: &str, all: &Value) {
    for case in all["judged"].as_array().unwrap() {
        if !case["in"].as_array().unwrap().contains(&Value::from(protocol)) {
            continue;
        }
        let files = [("does.sh", all["asked"].as_str()), ("finds", case["finds"].as_str())];
        let accept = case["accept"].as_str().unwrap();
        let said = with_files(protocol, &files, &["--accept", accept]);
        let status = if case["enough"] == true { 0 } else { 4 };
        assert_eq!(said.status, status, "{protocol}, {case}: {}\n{}", said.out, said.err);
        assert!(said.out.contains(case["told"].as_str().unwrap()), "{case}: {}", said.out);
    }
}

#[test]
fn completion_is_not_cheated() {
    cheats_in("completion");
}

#[test]
fn promise_is_not_cheated() {
    cheats_in("promise");
}

#[test]
fn sprint_is_not_cheated() {
    cheats_in("sprint");
}

#[test]
fn grid_is_not_cheated() {
    cheats_in("grid");
}

/// With judges accepted the same work is done; who works does not say that they are.
#[test]
fn what_is_enough_is_not_lowered_by_who_works() {
    let all = roles();
    let does = [&all["lowers"], &all["honest"]].map(|text| text.as_str().unwrap()).concat();
    for (accept, status) in [("observed", 4), ("judged", 0)] {
        let said = with_judges("promise", Some(&does), None, &["--accept", accept]);
        assert_eq!(said.status, status, "{accept}: {}\n{}", said.out, said.err);
    }
}
