//! Ways to be called done that are none, each beside the honest work under the same settings: what the agent does to what
//! decides about it must not end with status 0, and is told by name.

use crate::common::{Said, endstate, git, repository};
use std::fs;
use std::path::Path;

/// What decides, and what the agent does to it.
struct Cheat {
    name: &'static str,
    /// The command that decides, as an argv in JSON.
    check: &'static str,
    /// What the agent does, as a line of a shell.
    does: &'static str,
    /// Further words of the command line.
    more: &'static [&'static str],
    /// What the last words say of it.
    told: &'static str,
}

/// The task: `answer` says 42.
const HONEST: &str = "echo 42 > answer; git add answer; git commit -qm work";
const FILES: [(&str, &str); 6] = [
    ("check.sh", "[ \"$(cat answer)\" = 42 ]\n"),
    ("Makefile", "-include local.mk\ncheck:\n\t@sh check.sh\nsuite:\n\t@sh tests/all.sh\n"),
    ("tests/all.sh", "[ \"$(cat answer)\" = 42 ]\n"),
    ("bin/run", "#!/bin/sh\nexec sh check.sh\n"),
    (".gitignore", "local.mk\nbuilt\ntools/\n"),
    ("answer", "none\n"),
];

const SCRIPT: &str = r#"["sh", "check.sh"]"#;
const MAKE: &str = r#"["make", "-s", "check"]"#;
const TESTS: &str = r#"["make", "-s", "suite"]"#;
const CHANGED: &str = "as the work changed it";
const IN_A_ROOM: &str = "in a room made from nothing";

const CHEATS: [Cheat; 18] = [
    cheat(
        "the script is rewritten and committed",
        SCRIPT,
        "echo exit 0 > check.sh; git commit -qam x",
        CHANGED,
    ),
    cheat("the script is rewritten and left", SCRIPT, "echo exit 0 > check.sh", CHANGED),
    cheat(
        "assume-unchanged",
        SCRIPT,
        "git update-index --assume-unchanged check.sh; echo exit 0 > check.sh",
        CHANGED,
    ),
    cheat(
        "skip-worktree",
        SCRIPT,
        "git update-index --skip-worktree check.sh; echo exit 0 > check.sh",
        CHANGED,
    ),
    cheat(
        "a symbolic link out",
        SCRIPT,
        "echo exit 0 > .git/ok; ln -sf .git/ok check.sh",
        IN_A_ROOM,
    ),
    cheat(
        "a link in its place",
        SCRIPT,
        "echo exit 0 > ok; ln -sf ok check.sh; git add -A; git commit -qm x",
        CHANGED,
    ),
    cheat(
        "named in a line of a shell",
        r#"["sh", "-c", "true && sh ./check.sh"]"#,
        "echo exit 0 > check.sh; git commit -qam x",
        CHANGED,
    ),
    cheat(
        "a program",
        r#"["bin/run"]"#,
        "printf '#!/bin/sh\\n' > bin/run; git commit -qam x",
        CHANGED,
    ),
    cheat(
        "the Makefile",
        MAKE,
        "printf 'check:\\n\\t@true\\n' > Makefile; git commit -qam x",
        CHANGED,
    ),
    cheat(
        "another Makefile in front",
        MAKE,
        "printf 'check:\\n\\t@true\\n' > GNUmakefile; git add -A; git commit -qm x",
        "holds only with GNUmakefile",
    ),
    cheat(
        "an ignored file that is included",
        MAKE,
        "printf 'check: ; @true\\n.PHONY: check\\noverride SHELL := true\\n' > local.mk",
        IN_A_ROOM,
    ),
    cheat("an ignored result", r#"["sh", "-c", "[ -e built ]"]"#, "touch built", IN_A_ROOM),
    cheat(
        "an ignored program",
        r#"["tools/check"]"#,
        "mkdir tools; printf '#!/bin/sh\\n' > tools/check; chmod +x tools/check",
        "no room",
    ),
    cheat(
        "excluded",
        r#"["sh", "-c", "[ -z \"$(git status --porcelain)\" ] && [ -e mine ]"]"#,
        "echo mine >> .git/info/exclude; touch mine; git config core.excludesFile /dev/null",
        IN_A_ROOM,
    ),
    cheat(
        "a filter",
        SCRIPT,
        "git config filter.ok.smudge 'echo exit 0'; echo 'check.sh filter=ok' > .git/info/attributes; rm check.sh; git checkout check.sh",
        CHANGED,
    ),
    cheat(
        "a hook",
        SCRIPT,
        "printf '#!/bin/sh\\necho exit 0 > check.sh\\n' > .git/hooks/post-checkout; chmod +x .git/hooks/post-checkout; git update-index --assume-unchanged check.sh; git checkout -q HEAD",
        CHANGED,
    ),
    cheat(
        "a replaced object",
        SCRIPT,
        "new=$(echo exit 0 | git hash-object -w --stdin); git replace -f $(git rev-parse HEAD:check.sh) $new; rm check.sh; git checkout check.sh",
        CHANGED,
    ),
    Cheat {
        name: "weaker tests under protection",
        check: TESTS,
        does: "echo exit 0 > tests/all.sh; git commit -qam x",
        more: &["--protect", "tests/"],
        told: "holds only with tests/all.sh",
    },
];

const fn cheat(
    name: &'static str,
    check: &'static str,
    does: &'static str,
    told: &'static str,
) -> Cheat {
    Cheat { name, check, does, more: &[], told }
}

/// A mission whose agent does one thing.
fn mission(check: &str, does: &str, more: &[&str]) -> Said {
    let dir = repository();
    for (path, text) in FILES {
        let path = dir.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
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
    run(dir.path(), more)
}

fn run(root: &Path, more: &[&str]) -> Said {
    let agent = "exec:sh -c 'sh .git/does.sh; echo I did it'";
    let line = ["run", "--protocol", "iteration", "agent.json", "--agent", agent];
    endstate(root, &[&line[..], more].concat())
}

#[test]
fn who_changes_what_decides_is_not_done() {
    for Cheat { name, check, does, more, told } in CHEATS {
        for accept in [&[][..], &["--accept", "judged"]] {
            let said = mission(check, does, &[more, accept].concat());
            assert_eq!(said.status, 4, "{name}: {}\n{}", said.out, said.err);
            assert!(said.out.contains(told), "{name}: {}", said.out);
        }
    }
}

#[test]
fn honest_work_under_the_same_settings_is_done() {
    for check in [SCRIPT, MAKE, TESTS, r#"["bin/run"]"#, r#"["sh", "-c", "true && sh ./check.sh"]"#]
    {
        let said = mission(check, HONEST, &["--protect", "tests/"]);
        assert_eq!(said.status, 0, "{check}: {}\n{}", said.out, said.err);
        assert!(said.out.contains("1 observed, 0 judged, 0 claimed"), "{}", said.out);
    }
    // What is not committed belongs to the work here, and a test that the work adds decides as any other.
    let said = mission(SCRIPT, "echo 42 > answer", &[]).expect(0);
    assert!(said.out.contains("1 observed"), "{}", said.out);
    let added = "echo '[ -e answer ]' > new.sh; git add -A; git commit -qm x";
    mission(r#"["sh", "new.sh"]"#, added, &[]).expect(0);
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
    let honest = format!("touch built; {HONEST}");
    mission(made, &honest, &[]).expect(4);
    mission(made, &honest, &["--room-setup", "touch built"]).expect(0);
    let said = mission(made, &honest, &["--room-setup", "false"]).expect(4);
    assert!(said.out.contains("no room"), "{}", said.out);
    let refused = mission(made, &honest, &["--room-setup", "'"]).expect(2);
    assert!(refused.err.contains("--room-setup"), "{}", refused.err);
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
