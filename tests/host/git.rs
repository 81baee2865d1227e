//! Observations and commits in real repositories.

use crate::common::{Contents, Host, empty_repository, git, id, options, repository};
use endstate::native::files::digest_of;
use endstate::native::git::Git;
use endstate::native::stale_locks;
use endstate::vocab::effect::{CommitFiles, Observe, Order};
use endstate::vocab::error::Code;
use endstate::vocab::event::{Fact, Outcome};
use endstate::vocab::repository::{PathDigest, Repository, Seen};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

fn observe(root: &Path, since: Option<&str>, known: &[(&str, &str)]) -> Repository {
    let mut host = Host::at(root, options(None));
    let known = known.iter().map(|(path, digest)| PathDigest {
        path: (*path).to_owned(),
        digest: (*digest).to_owned(),
    });
    let order = Observe::Repository {
        since: since.map(str::to_owned),
        basis: Some("none".to_owned()),
        known: known.collect(),
        within: vec![".grid/".to_owned()],
        without: vec![".grid/refinement/".to_owned()],
    };
    match host.answer(id(1), Order::Observe(order)) {
        Fact::RepositoryObserved(seen) => seen.repository,
        other => panic!("{other:?}"),
    }
}

fn paths(seen: &Repository) -> Vec<&str> {
    seen.dirty.iter().map(|one| one.path.as_str()).collect()
}

#[test]
fn each_commit_with_its_paths() {
    let dir = repository();
    let root = dir.path();
    let first = git(root, &["rev-parse", "HEAD"]);
    let commit = |paths: &[&str]| {
        for path in paths {
            fs::write(root.join(path), format!("{path} {}", git(root, &["rev-parse", "HEAD"])))
                .unwrap();
        }
        git(root, &["add", "."]);
        git(root, &["commit", "-q", "-m", "more"]);
        git(root, &["rev-parse", "HEAD"])
    };
    let one = commit(&["b ü", &first]);
    let alone = observe(root, Some(&first), &[]).since.unwrap();
    assert!(alone.touched.is_empty());
    let mut both = [first.clone(), "b ü".to_owned()];
    both.sort();
    assert_eq!(alone.touched_by(&one).unwrap(), both);
    git(root, &["checkout", "-q", "-b", "side"]);
    let two = commit(&["README.md"]);
    git(root, &["checkout", "-q", "main"]);
    let three = commit(&["b ü"]);
    git(root, &["merge", "-q", "--no-ff", "-m", "together", "side"]);
    let merged = git(root, &["rev-parse", "HEAD"]);
    let seen = observe(root, Some(&first), &[]);
    let since = seen.since.unwrap();
    assert_eq!(since.touched.len(), 4);
    for (id, paths) in [(&merged, vec![]), (&three, vec!["b ü"]), (&two, vec!["README.md"])] {
        assert_eq!(since.touched_by(id).unwrap(), paths, "{id}");
    }
    assert_eq!(since.touched_by(&one).unwrap(), both);
    assert!(seen.basis.unwrap().touched.is_empty() && !since.truncated);
}

#[test]
fn a_clean_and_a_dirty_tree() {
    let dir = repository();
    let root = dir.path();
    let first = git(root, &["rev-parse", "HEAD"]);
    fs::write(root.join("b ü"), "b").unwrap();
    git(root, &["add", "."]);
    git(root, &["commit", "-q", "-m", "second"]);
    fs::create_dir_all(root.join(".agent/endstate/runs")).unwrap();
    fs::write(root.join(".agent/endstate/journal.jsonl"), "").unwrap();
    let seen = observe(root, Some(&first), &[]);
    assert_eq!((seen.problem.clone(), paths(&seen)), (None, vec![]));
    assert_eq!(seen.branch.as_deref(), Some("main"));
    let since = seen.since.clone().unwrap();
    assert!(since.descends && !since.truncated && since.paths == ["b ü"]);
    assert_eq!(since.commits, [git(root, &["rev-parse", "HEAD"])]);
    let basis = seen.basis.clone().unwrap();
    assert_eq!(basis.paths, ["README.md", "b ü"]);
    assert_eq!(basis.commits, [since.commits[0].clone(), first.clone()]);

    fs::write(root.join(".gitignore"), "ignored\n").unwrap();
    fs::write(root.join("ignored"), "x").unwrap();
    fs::write(root.join("README.md"), "changed").unwrap();
    fs::remove_file(root.join("b ü")).unwrap();
    symlink("README.md", root.join("link")).unwrap();
    fs::write(root.join(std::ffi::OsStr::from_bytes(b"x\xff")), "y").unwrap();
    let seen = observe(root, Some("0123456789012345678901234567890123456789"), &[]);
    assert_eq!(paths(&seen), [".gitignore", "README.md", "b ü", "link", "x\u{fffd}"]);
    assert_eq!(seen.dirty[1].digest, digest_of(b"changed"));
    assert_eq!(seen.dirty[2].digest, "absent");
    let since = seen.since.unwrap();
    assert!(!since.descends && since.truncated);
    // A staged rename is two paths.
    git(root, &["mv", "README.md", "moved.md"]);
    assert!(paths(&observe(root, None, &[])).contains(&"moved.md"));
    let before = observe(root, None, &[]).refs;
    git(root, &["tag", "t"]);
    assert_ne!(observe(root, None, &[]).refs, before);
}

/// What whoever works in a repository can tell git to look away from is seen all the same.
#[test]
fn what_git_was_told_to_hide_is_seen() {
    let dir = repository();
    let root = dir.path();
    for name in ["away", "out", "gone", "same", "short"] {
        fs::write(root.join(name), "one\n").unwrap();
    }
    fs::write(root.join(".gitignore"), "made/\n").unwrap();
    git(root, &["add", "."]);
    git(root, &["commit", "-q", "-m", "more"]);
    let mark = |word: &str, path: &str| drop(git(root, &["update-index", word, path]));
    for (word, path) in [
        ("--assume-unchanged", "away"),
        ("--assume-unchanged", "same"),
        ("--skip-worktree", "out"),
        ("--skip-worktree", "gone"),
        ("--skip-worktree", "short"),
        ("--assume-unchanged", "short"),
    ] {
        mark(word, path);
    }
    assert_eq!(paths(&observe(root, None, &[])), [""; 0]);
    for name in ["away", "out", "short"] {
        fs::write(root.join(name), "two\n").unwrap();
    }
    fs::remove_file(root.join("gone")).unwrap();
    fs::create_dir_all(root.join("made")).unwrap();
    fs::create_dir_all(root.join(".agent/tmp")).unwrap();
    for name in ["made/by.build", "private", ".agent/tmp/x"] {
        fs::write(root.join(name), "x").unwrap();
    }
    fs::write(root.join(".git/info/exclude"), ".agent/\n# a word\n").unwrap();
    assert_eq!(paths(&observe(root, None, &[])), ["away", "gone", "out", "private", "short"]);
    fs::write(root.join(".git/info/exclude"), ".agent/\nprivate\n").unwrap();
    let marks = git(root, &["ls-files", "-v"]);
    assert_eq!(git(root, &["status", "--porcelain"]), "");
    let seen = observe(root, None, &[]);
    assert_eq!(paths(&seen), ["away", "gone", "out", "private", "short"]);
    assert_eq!(
        (seen.dirty[0].digest.clone(), seen.dirty[1].digest.as_str()),
        (digest_of(b"two\n"), "absent")
    );
    assert_eq!(git(root, &["ls-files", "-v"]), marks, "a look changes nothing");
    // Rules in a file that this repository's configuration names.
    fs::write(root.join(".git/info/exclude"), "").unwrap();
    fs::write(root.join(".git/rules"), "private\n.agent\n").unwrap();
    git(root, &["config", "core.excludesFile", root.join(".git/rules").to_str().unwrap()]);
    assert_eq!(git(root, &["status", "--porcelain"]), "");
    assert!(paths(&observe(root, None, &[])).contains(&"private"));
    // Or one that it includes, or that this worktree has for itself.
    git(root, &["config", "--unset", "core.excludesFile"]);
    let rules = root.join(".git/rules").display().to_string();
    fs::write(root.join(".git/more"), format!("[core]\n\texcludesfile = {rules}\n")).unwrap();
    git(root, &["config", "Include.Path", "more"]);
    assert_eq!(git(root, &["status", "--porcelain"]), "");
    assert!(paths(&observe(root, None, &[])).contains(&"private"));
    git(root, &["config", "--unset", "include.path"]);
    git(root, &["config", "extensions.worktreeConfig", "true"]);
    git(root, &["config", "--worktree", "core.excludesFile", &rules]);
    assert_eq!(git(root, &["status", "--porcelain"]), "");
    assert!(paths(&observe(root, None, &[])).contains(&"private"));
    // Left out of a sparse worktree is what it says, as long as nothing is there.
    git(root, &["config", "core.sparseCheckout", "true"]);
    let seen = observe(root, None, &[]);
    assert!(paths(&seen).contains(&"out") && !paths(&seen).contains(&"gone"));
}

/// Work in a submodule is work, whatever the configuration says of it.
#[test]
fn a_submodule_that_is_to_be_ignored_is_seen() {
    let (inner, dir) = (repository(), repository());
    let root = dir.path();
    let from = inner.path().to_str().unwrap();
    git(root, &["-c", "protocol.file.allow=always", "submodule", "add", "-q", from, "sub"]);
    git(root, &["commit", "-q", "-m", "a submodule"]);
    git(root, &["config", "submodule.sub.ignore", "all"]);
    git(root, &["config", "diff.ignoreSubmodules", "all"]);
    assert_eq!(paths(&observe(root, None, &[])), [""; 0]);
    fs::write(root.join("sub/new"), "x").unwrap();
    assert_eq!(git(root, &["status", "--porcelain"]), "");
    assert_eq!(paths(&observe(root, None, &[])), ["sub"]);
    let head = git(root, &["rev-parse", "HEAD"]);
    let sub = root.join("sub");
    git(&sub, &["add", "."]);
    git(&sub, &["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", "more"]);
    git(root, &["add", "-f", "sub"]);
    git(root, &["commit", "-q", "-m", "moved"]);
    assert_eq!(observe(root, Some(&head), &[]).since.unwrap().paths, ["sub"]);
}

/// What a clone of the repository would not have is not what is committed.
#[test]
fn what_only_this_repository_has_is_seen() {
    let dir = repository();
    let root = dir.path();
    let inner = root.join("src");
    fs::create_dir(&inner).unwrap();
    git(&inner, &["init", "-q"]);
    fs::write(inner.join("a"), "x").unwrap();
    git(&inner, &["add", "."]);
    git(&inner, &["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", "inner"]);
    git(root, &["-c", "advice.addEmbeddedRepo=false", "add", "src"]);
    git(root, &["commit", "-q", "-m", "a link"]);
    assert_eq!(git(root, &["status", "--porcelain"]), "");
    assert_eq!(paths(&observe(root, None, &[])), ["src"]);
    // Another commit is put in the place of the last one.
    let dir = repository();
    let root = dir.path();
    let before = git(root, &["rev-parse", "HEAD"]);
    fs::write(root.join("a"), "x").unwrap();
    git(root, &["add", "."]);
    git(root, &["commit", "-q", "-m", "with a"]);
    let with = git(root, &["rev-parse", "HEAD"]);
    git(root, &["update-ref", "refs/heads/main", &before]);
    git(root, &["replace", &before, &with]);
    assert_eq!(git(root, &["status", "--porcelain"]), "");
    assert_eq!(paths(&observe(root, None, &[])), ["a"]);
}

#[test]
fn canonical_files_are_reported_when_they_differ() {
    let dir = repository();
    let root = dir.path();
    fs::write(root.join("history.jsonl"), "{}\n").unwrap();
    let hello = digest_of(b"hello\n");
    let known =
        [("README.md", hello.as_str()), ("gone", "x"), ("never", "absent"), ("history.jsonl", "")];
    let seen = observe(root, None, &known);
    let files: Vec<_> = seen.files.iter().map(|file| (file.path.as_str(), &file.seen)).collect();
    let history = Seen::Digest { digest: digest_of(b"{}\n"), length: 3, problem: None };
    assert_eq!(files, [("gone", &Seen::Absent), ("history.jsonl", &history)]);
    // Where it matters only whether something is there, what is there is not told.
    let known = [("README.md", "present"), ("nowhere", "present")];
    let seen = observe(root, None, &known);
    let files: Vec<_> = seen.files.iter().map(|file| (file.path.as_str(), &file.seen)).collect();
    assert_eq!(files, [("nowhere", &Seen::Absent)]);
    let known = [("README.md", "absent")];
    let text = Seen::Text { digest: hello, text: "hello\n".to_owned() };
    assert_eq!(observe(root, None, &known).files[0].seen, text);
}

/// A place in a file is one of a file that git tracks, and of a line of it.
#[test]
fn places_in_files_are_looked_at() {
    let dir = repository();
    let root = dir.path();
    fs::create_dir(root.join("src")).unwrap();
    fs::write(root.join("src/a.py"), "one\ntwo").unwrap();
    fs::write(root.join("picture"), [0xff, 0xfe]).unwrap();
    fs::write(root.join(".gitignore"), "*.log\n").unwrap();
    symlink("src/a.py", root.join("link")).unwrap();
    symlink(".git/HEAD", root.join("secret")).unwrap();
    symlink("/etc", root.join("etc")).unwrap();
    git(root, &["add", "."]);
    git(root, &["commit", "-q", "-m", "files"]);
    fs::write(root.join("ign.log"), "one\n").unwrap();
    let good = [("src/a.py", "present:2"), ("README.md", "present:1"), ("picture", "present:9")];
    assert_eq!(observe(root, None, &good).files, []);
    let bad = [
        ("src/a.py", "present:3", "2"),
        ("src", "present:1", "something else"),
        ("link", "present:1", "something else"),
        ("secret", "present:1", "something else"),
        ("ign.log", "present:1", "one it does not see"),
    ];
    for (path, asked, got) in bad {
        let seen = observe(root, None, &[(path, asked)]);
        let [file] = seen.files.as_slice() else { panic!("{path}: {:?}", seen.files) };
        let Seen::Digest { problem: Some(problem), .. } = &file.seen else { panic!("{path}") };
        assert_eq!(problem.got, got, "{path}");
    }
    for path in ["etc/passwd", "nowhere", "src/nowhere/a.py"] {
        assert_eq!(observe(root, None, &[(path, "present:1")]).files.len(), 1, "{path}");
    }
}

#[test]
fn commits_that_are_behind_the_old_head_only_are_lost() {
    let dir = repository();
    let root = dir.path();
    let commit = |words: &str| {
        git(root, &["commit", "-q", "--allow-empty", "-m", words]);
        git(root, &["rev-parse", "HEAD"])
    };
    let first = git(root, &["rev-parse", "HEAD"]);
    let (one, two) = (commit("one"), commit("two"));
    let since = || *observe(root, Some(&two), &[]).since.unwrap();
    assert!(since().lost.is_empty());
    let three = commit("three");
    assert!(since().descends && since().lost.is_empty());
    git(root, &["reset", "-q", "--hard", &first]);
    let four = commit("four");
    let reset = since();
    assert_eq!((reset.descends, &reset.lost), (false, &vec![two.clone(), one.clone()]));
    assert_eq!(reset.commits, [four], "{three} is not behind either");
    git(root, &["checkout", "-q", "--orphan", "empty"]);
    let orphan = observe(root, Some(&two), &[]);
    assert_eq!((orphan.head, orphan.branch.as_deref()), (None, Some("empty")));
    assert_eq!(orphan.since.unwrap().lost, [two.clone(), one, first]);
    // What nobody knows is not listed.
    let unknown = "f".repeat(40);
    assert!(observe(root, Some(&unknown), &[]).since.unwrap().lost.is_empty());
}

#[test]
fn repositories_that_cannot_be_worked_in_are_diagnosed() {
    let code = |root: &Path| observe(root, None, &[]).problem.map(|problem| problem.code);
    let nothing = tempfile::tempdir().unwrap();
    assert_eq!(code(nothing.path()), Some(Code::NotARepository));
    let unborn = empty_repository();
    assert_eq!(code(unborn.path()), None);
    let seen = observe(unborn.path(), Some("none"), &[]);
    assert_eq!((seen.head, seen.branch.as_deref()), (None, Some("main")));
    assert!(seen.since.unwrap().descends);

    let dir = repository();
    let root = dir.path();
    fs::create_dir(root.join("inner")).unwrap();
    assert_eq!(code(&root.join("inner")), Some(Code::NotARepository));
    fs::write(root.join(".git/MERGE_HEAD"), "").unwrap();
    assert_eq!(code(root), Some(Code::OperationInProgress));
    fs::remove_file(root.join(".git/MERGE_HEAD")).unwrap();
    git(root, &["checkout", "-q", "--detach"]);
    assert_eq!(code(root), Some(Code::DetachedHead));
    git(root, &["checkout", "-q", "main"]);
    symlink("/tmp", root.join(".agent")).unwrap();
    assert_eq!(code(root), Some(Code::UnsafeStateDirectory));
}

#[test]
fn init_can_ask_who_commits() {
    let dir = repository();
    let probe = Git::of(dir.path()).probe().unwrap();
    assert_eq!((probe.problem, probe.branch.as_deref()), (None, Some("main")));
    assert!(probe.head.is_some() && probe.identity.is_ok());
    git(dir.path(), &["config", "user.name", ""]);
    let said = Git::of(dir.path()).probe().unwrap().identity.unwrap_err();
    assert!(said.contains("ident"), "{said}");
}

const FILES: [(&str, &str); 3] =
    [(".gitignore", "/target\n"), (".agent/profile.json", "{}\n"), (".agent/check.sh", "exit 0\n")];

fn commit(root: &Path, expected_head: Option<String>) -> Fact {
    let mut host = Host::at(root, options(None));
    host.contents = Contents::of(&FILES);
    let paths = FILES.iter().map(|(path, _)| (*path).to_owned()).collect();
    let order = CommitFiles { paths, message: "Add the contract".to_owned(), expected_head };
    host.answer(id(5), Order::CommitFiles(order))
}

fn head(root: &Path) -> Option<String> {
    Git::of(root).head().unwrap()
}

fn made(fact: Fact) -> String {
    match fact {
        Fact::EffectPerformed(done) => match done.outcome {
            Outcome::Commit { head, files } => {
                assert_eq!(files.len(), FILES.len());
                head
            }
            other => panic!("{other:?}"),
        },
        other => panic!("{other:?}"),
    }
}

fn refused(fact: Fact) -> (Code, String) {
    match fact {
        Fact::EffectFailed(failed) => (failed.problem.code, failed.problem.got),
        other => panic!("{other:?}"),
    }
}

#[test]
fn exactly_these_files_are_committed() {
    let dir = repository();
    let root = dir.path();
    let before = head(root);
    fs::write(root.join(".gitignore"), "mine, not committed\n").unwrap();
    fs::write(root.join("staged"), "x").unwrap();
    git(root, &["add", "staged"]);
    let now = made(commit(root, before.clone()));
    assert_eq!(head(root), Some(now.clone()));
    let names = git(root, &["show", "--name-only", "--format=%s", "HEAD"]);
    let expected = "Add the contract\n\n.agent/check.sh\n.agent/profile.json\n.gitignore";
    assert_eq!(names, expected);
    assert!(git(root, &["ls-files", "-s", ".agent/check.sh"]).starts_with("100755"));
    assert_eq!(git(root, &["diff", "--cached", "--name-only"]), "staged");
    let kept = format!(".agent/tmp/rejected-{}.json", digest_of(b"mine, not committed\n"));
    assert!(root.join(kept).exists());
    // Again, as after a crash: recognised by its parent, and as nothing left to do.
    assert_eq!(made(commit(root, before)), now);
    assert_eq!(made(commit(root, Some(now.clone()))), now);
    assert!(!root.join(".agent/endstate/commits/5.1").exists());
    // Another head than expected: not ours.
    git(root, &["commit", "-q", "--allow-empty", "-m", "foreign"]);
    assert_eq!(refused(commit(root, Some(now))).0, Code::CommitRefused);
}

#[test]
fn the_first_commit_of_a_repository() {
    let dir = empty_repository();
    let now = made(commit(dir.path(), None));
    assert_eq!(head(dir.path()), Some(now.clone()));
    assert_eq!(made(commit(dir.path(), None)), now);
}

/// Everything a refused commit must leave alone.
fn state(root: &Path) -> String {
    let mut files = Vec::new();
    for (path, _) in FILES {
        let mode = fs::metadata(root.join(path)).map(|meta| meta.permissions().mode());
        files.push(format!(
            "{path} {:?} {:?}",
            fs::read_to_string(root.join(path)).ok(),
            mode.ok()
        ));
    }
    let status = git(root, &["status", "--porcelain=v1", "--untracked-files=all"]);
    let status: Vec<_> = status.lines().filter(|line| !line.contains("rejected-")).collect();
    format!("{files:?} {status:?} {} {:?}", git(root, &["ls-files", "-s"]), head(root))
}

#[test]
fn a_refused_commit_leaves_all_as_it_was() {
    let dir = repository();
    let root = dir.path();
    fs::create_dir_all(root.join(".agent/endstate")).unwrap();
    fs::write(root.join(".agent/endstate/.gitignore"), "*\n").unwrap();
    fs::write(root.join(".gitignore"), "staged\n").unwrap();
    git(root, &["add", ".gitignore"]);
    fs::write(root.join(".gitignore"), "and changed\n").unwrap();
    let before = state(root);
    let hook = root.join(".git/hooks/pre-commit");
    fs::create_dir_all(hook.parent().unwrap()).unwrap();
    fs::write(&hook, "#!/bin/sh\necho the hook says no >&2\nexit 1\n").unwrap();
    fs::set_permissions(&hook, fs::Permissions::from_mode(0o755)).unwrap();
    let (code, words) = refused(commit(root, head(root)));
    assert_eq!(code, Code::CommitRefused);
    assert!(words.contains("the hook says no"), "{words}");
    assert_eq!(state(root), before);
    fs::remove_file(&hook).unwrap();

    git(root, &["config", "user.name", ""]);
    let (code, words) = refused(commit(root, head(root)));
    assert_eq!(code, Code::CommitRefused);
    assert!(words.contains("ident"), "{words}");
    assert_eq!(state(root), before);
    git(root, &["config", "user.name", "Test"]);

    fs::write(root.join(".git/MERGE_HEAD"), head(root).unwrap()).unwrap();
    assert_eq!(refused(commit(root, head(root))).0, Code::CommitRefused);
    fs::remove_file(root.join(".git/MERGE_HEAD")).unwrap();
    assert_eq!(state(root), before);
    made(commit(root, head(root)));
}

#[test]
fn an_index_that_is_busy_is_waited_for() {
    let dir = repository();
    let root = dir.path().to_owned();
    fs::write(root.join(".git/index.lock"), "").unwrap();
    let lock = root.join(".git/index.lock");
    let release = std::thread::spawn(move || {
        std::thread::sleep(std::time::Duration::from_millis(400));
        fs::remove_file(lock).unwrap();
    });
    made(commit(&root, head(&root)));
    release.join().unwrap();
}

/// The locks a git takes for a commit, as a killed one leaves them.
fn leave_locks(root: &Path) -> [std::path::PathBuf; 3] {
    ["index.lock", "HEAD.lock", "refs/heads/main.lock"].map(|name| {
        let path = root.join(".git").join(name);
        fs::write(&path, "").unwrap();
        path
    })
}

#[test]
fn what_a_killed_git_left_is_taken_away_but_not_under_a_living_one() {
    let dir = repository();
    let root = dir.path();
    assert_eq!(stale_locks::release(root), Vec::<String>::new());
    let locks = leave_locks(root);
    // A git that waits for its input, in a directory below the root.
    fs::create_dir(root.join("below")).unwrap();
    let mut git = std::process::Command::new("git");
    let mut living = git
        .args(["cat-file", "--batch"])
        .current_dir(root.join("below"))
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    assert_eq!(stale_locks::release(root), Vec::<String>::new());
    assert!(locks.iter().all(|lock| lock.exists()));
    drop(living.stdin.take());
    living.wait().unwrap();
    let released = stale_locks::release(root);
    assert_eq!(released, ["index.lock", "HEAD.lock", "refs/heads/main.lock"]);
    assert!(locks.iter().all(|lock| !lock.exists()));
    made(commit(root, head(root)));
}

#[test]
fn what_lies_beside_the_own_files() {
    let dir = repository();
    let root = dir.path();
    fs::create_dir_all(root.join(".grid/refinement/screenshots")).unwrap();
    fs::create_dir_all(root.join(".grid/debug")).unwrap();
    fs::write(root.join(".grid/.gitignore"), "*\n").unwrap();
    fs::write(root.join(".grid/STATE.md"), "known, and another now").unwrap();
    fs::write(root.join(".grid/refinement/screenshots/1.png"), "theirs").unwrap();
    fs::write(root.join(".grid/debug/x.md"), "x").unwrap();
    fs::write(root.join(".grid").join(std::ffi::OsStr::from_bytes(b"odd \xff")), "y").unwrap();
    symlink("/", root.join(".grid/out")).unwrap();
    let known = [(".grid/STATE.md", "0"), (".grid/.gitignore", "0")];
    let seen = observe(root, None, &known);
    let names: Vec<&str> = seen.beside.iter().map(|one| one.path.as_str()).collect();
    assert_eq!(names, [".grid/debug/x.md", ".grid/odd \u{fffd}", ".grid/out"]);
    let first = seen.beside.clone();
    assert_eq!(observe(root, None, &known).beside, first);
    fs::write(root.join(".grid/debug/x.md"), "another").unwrap();
    assert_ne!(observe(root, None, &known).beside, first);
    fs::rename(root.join(".grid"), root.join("elsewhere")).unwrap();
    symlink("elsewhere", root.join(".grid")).unwrap();
    assert_eq!(observe(root, None, &known).beside, [], "no link is followed");
}
