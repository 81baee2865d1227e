//! The other orders, each performed for real: commands, timers, host code, documents, notices.

use crate::common::{Contents, Host, git, id, options, repository};
use endstate::native::driver::{Handler, Performing};
use endstate::vocab::effect::{
    AppendHistory, Consult, Level, Notify, Observe, Order, RunCommand, SetTimer, WriteFile,
};
use endstate::vocab::error::Code;
use endstate::vocab::event::{CommandExited, Consulted, Fact, Outcome};
use endstate::vocab::question::{Question, QuestionKind};
use endstate::vocab::repository::Seen;
use std::fs;
use std::sync::Arc;
use std::time::Duration;

pub(crate) fn command(argv: &[&str]) -> RunCommand {
    RunCommand {
        directory: String::new(),
        argv: argv.iter().map(|word| (*word).to_owned()).collect(),
        purpose: "a test".to_owned(),
        timeout_ms: 10_000,
        output_bytes: 10,
        expected_head: None,
        room: None,
    }
}

#[test]
fn commands_answer_with_status_and_tail() {
    let dir = repository();
    let mut host = Host::at(dir.path(), options(None));
    let mut next = 0;
    let mut run = |order: RunCommand| -> CommandExited {
        next += 1;
        match host.answer(id(next), Order::RunCommand(order)) {
            Fact::CommandExited(exited) => exited,
            other => panic!("{other:?}"),
        }
    };
    let exited = run(command(&["sh", "-c", "echo 0123456789abcdef >&2; exit 3"]));
    assert_eq!((exited.status, exited.output.as_str()), (Some(3), "789abcdef\n"));
    // Arguments are arguments, whatever they look like.
    let exited = run(command(&["printf", "%s", "$(id);*"]));
    assert_eq!((exited.status, exited.output.as_str()), (Some(0), "$(id);*"));
    let late = RunCommand { timeout_ms: 200, ..command(&["sleep", "60"]) };
    let exited = run(late);
    assert_eq!((exited.status, exited.problem.unwrap().code), (None, Code::RunTimedOut));
    let exited = run(command(&["sh", "-c", "kill -9 $$"]));
    assert_eq!((exited.status, exited.problem.unwrap().code), (None, Code::RunLost));
    let wrong = RunCommand { expected_head: Some("0".repeat(40)), ..command(&["true"]) };
    assert_eq!(run(wrong).problem.unwrap().code, Code::WrongCommit);
    let missing = host.answer(id(90), Order::RunCommand(command(&["no-such-program"])));
    let Fact::EffectFailed(failed) = missing else { panic!("{missing:?}") };
    assert_eq!(failed.problem.at, "no-such-program");
    // In a folder of the repository, and nowhere else.
    fs::create_dir(dir.path().join("below")).unwrap();
    std::os::unix::fs::symlink("/", dir.path().join("out")).unwrap();
    let inside = |directory: &str| {
        let directory = directory.to_owned();
        Order::RunCommand(RunCommand { directory, ..command(&["sh", "-c", "basename $PWD"]) })
    };
    match host.answer(id(91), inside("below")) {
        Fact::CommandExited(exited) => assert_eq!(exited.output, "below\n"),
        other => panic!("{other:?}"),
    }
    for (number, bad) in (100..).zip(["../", "/", "out", "out/tmp", "below/../.."]) {
        match host.answer(id(number), inside(bad)) {
            Fact::EffectFailed(failed) => {
                assert_eq!(failed.problem.code, Code::UnsafeStateDirectory, "{bad}");
            }
            other => panic!("{bad}: {other:?}"),
        }
    }
    // An effect that was performed before is not performed again.
    let again = host.answer(id(1), Order::RunCommand(command(&["sh", "-c", "exit 9"])));
    assert!(matches!(again, Fact::CommandExited(CommandExited { status: Some(3), .. })));
}

#[test]
fn host_code_answers_or_shows_nothing() {
    let dir = repository();
    let mut options = options(None);
    let handlers: [(&str, Handler); 4] = [
        ("echo", Arc::new(|input: &str| Ok(format!("[{input}]")))),
        ("sorry", Arc::new(|_: &str| Err("no idea".to_owned()))),
        ("panics", Arc::new(|_: &str| panic!("on purpose"))),
        (
            "sleeps",
            Arc::new(|_: &str| {
                std::thread::sleep(Duration::from_secs(60));
                Ok("late".to_owned())
            }),
        ),
    ];
    options.consults = handlers.into_iter().map(|(n, h)| (n.to_owned(), h)).collect();
    let mut host = Host::at(dir.path(), options);
    let cases = [
        ("echo", Some("[1]"), None),
        ("sorry", None, Some(Code::HostFailed)),
        ("panics", None, Some(Code::HostFailed)),
        ("sleeps", None, Some(Code::RunTimedOut)),
        ("unknown", None, Some(Code::HostFailed)),
    ];
    for (place, (handler, answer, code)) in cases.into_iter().enumerate() {
        let order = Consult { handler: handler.to_owned(), input: "1".to_owned() };
        let fact = host.answer(id(place as u64), Order::Consult(order));
        let Fact::Consulted(Consulted { answer: got, problem, .. }) = fact else {
            panic!("{handler}: {fact:?}")
        };
        assert_eq!(got.as_deref(), answer, "{handler}");
        assert_eq!(problem.map(|problem| problem.code), code, "{handler}");
    }
}

#[test]
fn timers_fire_when_they_are_due_and_in_order() {
    let dir = repository();
    let mut host = Host::at(dir.path(), options(None));
    for (seq, due_at) in [(1, 2_000), (2, 1_000), (3, 9_000)] {
        let timer = SetTimer { name: "t".to_owned(), due_at };
        assert_eq!(host.order(id(seq), Order::SetTimer(timer)), Performing::Waiting);
    }
    host.performer.fire_timers(999);
    assert!(host.facts.try_recv().is_err());
    host.performer.fire_timers(2_000);
    let fired = [host.fact(), host.fact()].map(|fact| fact.effect().unwrap().seq);
    assert_eq!(fired, [2, 1]);
    host.performer.fire_timers(2_000);
    assert!(host.facts.try_recv().is_err());
}

#[test]
fn notices_reach_the_observer_and_questions_wait() {
    let dir = repository();
    let mut host = Host::at(dir.path(), options(None));
    let notice = Notify { level: Level::Warning, text: "look".to_owned() };
    let fact = host.answer(id(1), Order::Notify(notice.clone()));
    assert!(matches!(fact, Fact::EffectPerformed(_)));
    assert_eq!(host.notes.notices, vec![notice]);
    let question = Question {
        topic: "t".to_owned(),
        text: "why?".to_owned(),
        kind: QuestionKind::FreeText,
        unblocks: "all".to_owned(),
    };
    assert_eq!(host.order(id(2), Order::AskUser(question)), Performing::Waiting);
    assert!(host.facts.try_recv().is_err());
}

#[test]
fn documents_are_read_whole_and_in_order() {
    let dir = repository();
    fs::write(dir.path().join("bad"), b"\xff").unwrap();
    let mut host = Host::at(dir.path(), options(None));
    let paths = ["README.md", "none", "bad", "../x"].map(str::to_owned).to_vec();
    let fact = host
        .answer(id(1), Order::Observe(Observe::Documents { paths: paths.clone(), tracked: false }));
    let Fact::DocumentsObserved(seen) = fact else { panic!("{fact:?}") };
    let found: Vec<&String> = seen.documents.iter().map(|document| &document.path).collect();
    assert_eq!(found, paths.iter().collect::<Vec<_>>());
    assert!(matches!(&seen.documents[0].seen, Seen::Text { text, .. } if text == "hello\n"));
    assert_eq!(seen.documents[1].seen, Seen::Absent);
    assert!(matches!(&seen.documents[2].seen, Seen::Digest { problem: Some(p), .. }
        if p.code == Code::NotUtf8));
    assert!(matches!(&seen.documents[3].seen, Seen::Digest { problem: Some(p), .. }
        if p.code == Code::UnsafeStateDirectory));
    // Where only what git tracks counts, a file is no proof that it ignores or was told to look away from.
    let hidden = dir.path().join("hidden");
    fs::write(&hidden, "stub").unwrap();
    git(dir.path(), &["add", "hidden"]);
    git(dir.path(), &["commit", "-q", "-m", "a stub"]);
    git(dir.path(), &["update-index", "--skip-worktree", "hidden"]);
    fs::write(hidden, "real").unwrap();
    fs::write(dir.path().join(".git/info/exclude"), "ignored\nbad\n").unwrap();
    fs::write(dir.path().join("ignored"), "real").unwrap();
    assert_eq!(git(dir.path(), &["status", "--porcelain"]), "");
    let paths = ["README.md", "hidden", "ignored", "none"].map(str::to_owned).to_vec();
    let fact = host.answer(id(2), Order::Observe(Observe::Documents { paths, tracked: true }));
    let Fact::DocumentsObserved(seen) = fact else { panic!("{fact:?}") };
    assert!(matches!(&seen.documents[0].seen, Seen::Text { text, .. } if text == "hello\n"));
    for place in [1, 2] {
        assert!(matches!(&seen.documents[place].seen, Seen::Digest { problem: Some(p), .. }
            if p.code == Code::DirtyTree));
    }
    assert_eq!(seen.documents[3].seen, Seen::Absent);
}

#[test]
fn files_are_written_and_appended_to() {
    let dir = repository();
    let mut host = Host::at(dir.path(), options(None));
    host.contents = Contents::of(&[(".agent/check.sh", "#!/bin/sh\n")]);
    let order = |path: &str| WriteFile {
        path: path.to_owned(),
        revision: 1,
        expected: None,
        aside: None,
        executable: true,
    };
    let fact = host.answer(id(1), Order::WriteFile(order(".agent/check.sh")));
    assert!(
        matches!(&fact, Fact::EffectPerformed(done)
        if matches!(done.outcome, Outcome::File { length: 10, .. })),
        "{fact:?}"
    );
    let run = std::process::Command::new(dir.path().join(".agent/check.sh")).status().unwrap();
    assert!(run.success());
    let unknown = host.answer(id(2), Order::WriteFile(order("other")));
    assert!(
        matches!(unknown, Fact::EffectFailed(failed) if failed.problem.code == Code::UnknownFile)
    );
    let append = AppendHistory {
        path: ".agent/h.jsonl".to_owned(),
        offset: 5,
        prefix_digest: None,
        text: "{}\n".to_owned(),
    };
    let fact = host.answer(id(3), Order::AppendHistory(append));
    assert!(
        matches!(fact, Fact::EffectFailed(failed) if failed.problem.code == Code::ForeignAppend)
    );
}

/// What stands in the place of a file is called what it is.
#[test]
fn a_directory_in_the_place_of_a_file_is_named() {
    let dir = repository();
    let mut host = Host::at(dir.path(), options(None));
    host.contents = Contents::of(&[("STATE.md", "state\n"), ("LINK.md", "state\n")]);
    fs::create_dir(dir.path().join("STATE.md")).unwrap();
    std::os::unix::fs::symlink("elsewhere", dir.path().join("LINK.md")).unwrap();
    for (number, path, stands) in
        [(1, "STATE.md", "a directory"), (2, "LINK.md", "a symbolic link")]
    {
        let order = WriteFile {
            path: path.to_owned(),
            revision: 2,
            expected: Some("0".repeat(64)),
            aside: None,
            executable: false,
        };
        let fact = host.answer(id(number), Order::WriteFile(order));
        let Fact::EffectFailed(failed) = fact else { panic!("{fact:?}") };
        assert_eq!(failed.problem.code, Code::ForeignWrite);
        assert_eq!(failed.problem.got, stands);
        assert!(!failed.problem.expected.contains("000"), "{}", failed.problem);
    }
}

fn plain(path: &str) -> Order {
    let (path, expected, aside) = (path.to_owned(), None, None);
    Order::WriteFile(WriteFile { path, revision: 1, expected, aside, executable: false })
}

const STATE: [&str; 2] = ["SUPERVISOR_STATE.md", "a [b]/COMPLETE_X*.md"];

fn writing(root: &std::path::Path) -> Host {
    let mut host = Host::at(root, options(None));
    host.contents = Contents::of(&STATE.map(|path| (path, "state\n")));
    host
}

#[test]
fn what_a_mission_writes_by_itself_is_not_in_the_way_of_git() {
    let dir = repository();
    let root = dir.path();
    let exclude = root.join(".git/info/exclude");
    fs::write(&exclude, "mine").unwrap();
    for _ in 0..2 {
        let mut host = writing(root);
        for (at, path) in (1..).zip(STATE) {
            let fact = host.answer(id(at), plain(path));
            assert!(matches!(fact, Fact::EffectPerformed(_)), "{fact:?}");
        }
        assert_eq!(host.notes.reports, vec![]);
        assert_eq!(git(root, &["status", "--porcelain", "--untracked-files=all"]), "");
    }
    let rules = fs::read_to_string(&exclude).unwrap();
    assert!(rules.starts_with("mine\n# endstate: "), "{rules}");
    assert_eq!(rules.lines().count(), 4, "{rules}");
    git(root, &["add", "-A"]);
    assert_eq!(git(root, &["diff", "--cached", "--name-only"]), "");
    // Nor is it in the way of a look, which sees through every other private rule.
    let dirty = || {
        let seen = endstate::native::git::Git::of(root).dirty().unwrap();
        seen.into_iter().map(|one| one.path).collect::<Vec<_>>()
    };
    assert_eq!(dirty(), [""; 0]);
    fs::write(&exclude, rules.replace("/SUPERVISOR", "SUPERVISOR") + "COMPLETE_*.md\n").unwrap();
    fs::write(root.join("COMPLETE_Y.md"), "another's\n").unwrap();
    assert_eq!(git(root, &["status", "--porcelain", "--untracked-files=all"]), "");
    assert_eq!(dirty(), ["COMPLETE_Y.md", "SUPERVISOR_STATE.md"]);
}

#[test]
fn in_a_linked_worktree_the_rules_are_where_git_reads_them_and_a_tracked_file_has_none() {
    let (dir, beside) = (repository(), tempfile::tempdir().unwrap());
    let root = beside.path().join("linked");
    git(dir.path(), &["worktree", "add", "-q", root.to_str().unwrap()]);
    fs::write(root.join(STATE[0]), "old\n").unwrap();
    git(&root, &["add", "-A"]);
    git(&root, &["commit", "-q", "-m", "tracked"]);
    fs::remove_file(root.join(STATE[0])).unwrap();
    let mut host = writing(&root);
    for path in STATE {
        host.answer(id(1), plain(path));
    }
    assert_eq!(git(&root, &["status", "--porcelain"]), format!("M {}", STATE[0]));
    let rules = fs::read_to_string(dir.path().join(".git/info/exclude")).unwrap();
    assert!(!rules.contains(STATE[0]) && rules.contains("COMPLETE_X\\*.md"), "{rules}");
}

#[test]
fn rules_that_cannot_be_written_are_a_notice() {
    let dir = repository();
    let exclude = dir.path().join(".git/info/exclude");
    let _ = fs::remove_file(&exclude);
    fs::create_dir_all(exclude.join("a folder")).unwrap();
    let mut host = writing(dir.path());
    let facts = [1, 2].map(|at| host.answer(id(at), plain(STATE[0])));
    assert!(facts.iter().all(|fact| matches!(fact, Fact::EffectPerformed(_))), "{facts:?}");
    let [report] = host.notes.reports.as_slice() else { panic!("{:?}", host.notes.reports) };
    assert!(report.to_string().contains("could not be hidden from git"), "{report}");
    // A rule of the user's that shows the file all the same is told, once, with the way out.
    let dir = repository();
    fs::write(dir.path().join(".gitignore"), "/*\n!*.md\n").unwrap();
    let mut host = writing(dir.path());
    for at in [1, 2] {
        host.answer(id(at), plain(STATE[0]));
    }
    let [report] = host.notes.reports.as_slice() else { panic!("{:?}", host.notes.reports) };
    assert!(report.to_string().contains("name it at the end of .gitignore"), "{report}");
    // Nor does it need a repository.
    let bare = tempfile::tempdir().unwrap();
    let mut host = writing(bare.path());
    host.answer(id(1), plain(STATE[0]));
    assert!(host.notes.reports.is_empty() && bare.path().join(STATE[0]).is_file());
}
