//! The driver itself: one writer, the journal, the inbox, the flag to stop.

use crate::common::{Notes, config, git, id, options, repository};
use endstate::native::inbox::{Inbox, Letter};
use endstate::native::store::{self, Places};
use endstate::native::{Driver, HostError, Report, StopFlag};
use endstate::snapshot::Control;
use endstate::vocab::budget::Counter;
use endstate::vocab::command::Command;
use endstate::vocab::event::{EffectPerformed, Fact, Outcome, QuestionAnswered, UserCommanded};
use endstate::vocab::question::Answer;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

fn held() -> endstate::native::Options {
    endstate::native::Options { hold_roles: true, ..options(None) }
}

fn grant(amount: u64) -> Command {
    Command::Grant { counter: Counter::RoleRuns, amount }
}

fn limit(driver: &Driver) -> u64 {
    driver.engine().snapshot().head.budget.account(Counter::RoleRuns).limit
}

fn journal(root: &Path) -> std::path::PathBuf {
    root.join(".agent/endstate/journal.jsonl")
}

#[test]
fn a_mission_is_found_again_as_it_was_left() {
    let dir = repository();
    let mut driver = Driver::create(dir.path(), config(), held()).unwrap();
    let before = limit(&driver);
    driver.command(grant(1)).unwrap();
    drop(driver);
    let exists = Driver::create(dir.path(), config(), held()).err().unwrap();
    assert_eq!(exists.code(), "mission_exists");
    for _ in 0..70 {
        let mut driver = Driver::open(dir.path(), held()).unwrap();
        driver.command(grant(1)).unwrap();
    }
    let mut driver = Driver::open(dir.path(), held()).unwrap();
    assert_eq!(limit(&driver), before + 71);
    let mut notes = Notes::default();
    driver.run(&mut notes, &StopFlag::default()).unwrap();
    assert_eq!(notes.reports, vec![]);
    let names = fs::read_dir(dir.path().join(".agent/endstate")).unwrap();
    let snapshots = names
        .filter(|entry| entry.as_ref().unwrap().file_name().to_string_lossy().starts_with("snap"));
    assert_eq!(snapshots.count(), 2);
    // The whole journal, without any snapshot, says the same.
    let bytes = fs::read(journal(dir.path())).unwrap();
    let replayed = endstate::replay(&bytes).unwrap();
    assert_eq!(replayed.chain, driver.store().position().chain);
    assert!(git(dir.path(), &["status", "--porcelain"]).is_empty());
}

#[test]
fn the_second_driver_is_told_who_holds_the_mission() {
    let dir = repository();
    let driver = Driver::create(dir.path(), config(), held()).unwrap();
    match Driver::open(dir.path(), held()).err().unwrap() {
        HostError::Locked { pid, .. } => assert_eq!(pid, std::process::id()),
        other => panic!("{other}"),
    }
    drop(driver);
    // A holder that is dead is replaced, and that is journaled.
    let lock = dir.path().join(".agent/endstate/lock");
    let host = endstate::native::processes::host_name();
    let dead = format!(r#"{{"pid":1,"start":"never","host":"{host}","token":"t1"}}"#);
    fs::write(lock, dead).unwrap();
    let seq = |driver: &Driver| driver.engine().snapshot().head.seq;
    let mut driver = Driver::open(dir.path(), held()).unwrap();
    assert_eq!(seq(&driver), 1);
    let mut notes = Notes::default();
    driver.run(&mut notes, &StopFlag::default()).unwrap();
    assert_eq!(notes.reports, vec![Report::TookOver]);
}

/// Whatever happens to the journal under a driver, it ends and says which file and what differs; nothing
/// else is written.
#[test]
fn a_driver_whose_journal_is_gone_goes_no_further() {
    type Harm = fn(&Path);
    let harms: [(&str, Harm); 4] = [
        ("none: it was removed", |path| fs::remove_file(path).unwrap()),
        ("another file in its place", |path| {
            let bytes = fs::read(path).unwrap();
            let beside = path.with_extension("new");
            fs::write(&beside, bytes).unwrap();
            fs::rename(beside, path).unwrap();
        }),
        (" bytes, not ", |path| {
            let file = fs::OpenOptions::new().write(true).open(path).unwrap();
            file.set_len(10).unwrap();
        }),
        (" bytes, not ", |path| {
            let longer = [fs::read(path).unwrap(), b"{}\n".to_vec()].concat();
            fs::write(path, longer).unwrap();
        }),
    ];
    let listed = |root: &Path| {
        let entries = fs::read_dir(root.join(".agent/endstate")).unwrap();
        let names = entries.map(|one| one.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.filter(|name| name != "lock").collect();
        names.sort();
        names
    };
    for (got, harm) in harms {
        let dir = repository();
        let mut driver = Driver::create(dir.path(), config(), held()).unwrap();
        driver.command(grant(1)).unwrap();
        harm(&journal(dir.path()));
        let (before, bytes) = (listed(dir.path()), fs::read(journal(dir.path())).ok());
        let error = driver.run(&mut Notes::default(), &StopFlag::default()).err().unwrap();
        assert_eq!(error.code(), "journal_damaged");
        assert!(error.at().ends_with("journal.jsonl") && error.got().contains(got), "{error}");
        drop(driver);
        assert_eq!(listed(dir.path()), before, "{got}");
        assert_eq!(fs::read(journal(dir.path())).ok(), bytes, "{got}");
    }
}

#[test]
fn a_torn_tail_is_cut_off_and_reported() {
    let dir = repository();
    let mut driver = Driver::create(dir.path(), config(), held()).unwrap();
    driver.command(grant(1)).unwrap();
    let before = limit(&driver);
    drop(driver);
    let whole = fs::read(journal(dir.path())).unwrap();
    let torn = [whole.as_slice(), b"{\"seq\":2,\"body\":{\"ev"].concat();
    fs::write(journal(dir.path()), &torn).unwrap();
    let peeked = store::peek(&Places::of(dir.path())).unwrap();
    assert_eq!(peeked.torn, 20);
    assert_eq!(fs::read(journal(dir.path())).unwrap(), torn);
    let mut driver = Driver::open(dir.path(), held()).unwrap();
    assert_eq!(limit(&driver), before);
    let mut notes = Notes::default();
    driver.run(&mut notes, &StopFlag::default()).unwrap();
    let path = fs::canonicalize(journal(dir.path())).unwrap();
    assert_eq!(notes.reports, vec![Report::TornTail { path, bytes: 20, line: 3 }]);
    assert!(fs::read(journal(dir.path())).unwrap().starts_with(&whole));
}

#[test]
fn a_journal_that_was_rolled_back_to_an_older_line_is_named() {
    let dir = repository();
    let mut driver = Driver::create(dir.path(), config(), held()).unwrap();
    for _ in 0..3 {
        driver.command(grant(1)).unwrap();
    }
    drop(driver);
    let path = fs::canonicalize(journal(dir.path())).unwrap();
    let whole = fs::read_to_string(&path).unwrap();
    let count = whole.lines().count();
    let ends = whole.match_indices('\n').map(|(at, _)| at + 1);
    for (place, end) in ends.take(count - 1).enumerate() {
        for torn in ["", "{\"seq\":"] {
            let cut = format!("{}{torn}", &whole[..end]);
            fs::write(&path, &cut).unwrap();
            let peeked = store::peek(&Places::of(dir.path())).err().unwrap();
            let opened = Driver::open(dir.path(), held()).err().unwrap();
            for error in [peeked, opened] {
                assert_eq!(error.code(), "journal_damaged", "{error}");
                assert!(error.at().ends_with("journal.jsonl"), "{error}");
                let got = format!("{}: it was rolled back", place + 1);
                assert!(error.to_string().contains(&got), "{error}");
            }
            assert_eq!(fs::read_to_string(&path).unwrap(), cut, "it stays as it is");
        }
    }
    fs::write(&path, whole).unwrap();
    Driver::open(dir.path(), held()).unwrap();
}

#[test]
fn damage_is_refused_with_its_line() {
    let dir = repository();
    let mut driver = Driver::create(dir.path(), config(), held()).unwrap();
    for _ in 0..3 {
        driver.command(grant(1)).unwrap();
    }
    drop(driver);
    for snapshot in [0, 1, 2, 3] {
        let _ =
            fs::remove_file(dir.path().join(format!(".agent/endstate/snapshot-{snapshot}.json")));
    }
    let whole = fs::read_to_string(journal(dir.path())).unwrap();
    let lines: Vec<&str> = whole.lines().collect();
    for place in 0..lines.len() {
        let mut damaged: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
        damaged[place] = damaged[place].replacen('o', "0", 1);
        fs::write(journal(dir.path()), damaged.join("\n") + "\n").unwrap();
        let error = Driver::open(dir.path(), held()).err().unwrap();
        assert_eq!(error.code(), "journal_damaged", "{error}");
        assert!(error.at().starts_with(&format!("line {}", place + 1)), "{error}");
    }
    // A journal of which not even the first line was finished is no mission, unless others of its files tell
    // that it was.
    fs::write(journal(dir.path()), &whole[..20]).unwrap();
    let snapshot = dir.path().join(".agent/endstate/snapshot-1.json");
    fs::write(&snapshot, "{}").unwrap();
    assert_eq!(Driver::open(dir.path(), held()).err().unwrap().code(), "journal_missing");
    fs::remove_file(snapshot).unwrap();
    assert_eq!(Driver::open(dir.path(), held()).err().unwrap().code(), "no_mission");
    Driver::create(dir.path(), config(), held()).unwrap();
}

#[test]
fn a_snapshot_that_does_not_hold_is_passed_over() {
    let dir = repository();
    let mut driver = Driver::create(dir.path(), config(), held()).unwrap();
    driver.command(grant(1)).unwrap();
    let before = limit(&driver);
    drop(driver);
    for how in 0..4 {
        let seq = store::peek(&Places::of(dir.path())).unwrap().engine.snapshot().head.seq;
        let snapshot = dir.path().join(format!(".agent/endstate/snapshot-{seq}.json"));
        let good = fs::read_to_string(&snapshot).unwrap();
        let other = good.replacen("\"chain\":\"", "\"chain\":\"0", 1);
        let bad = ["", "[]", &good[..good.len() / 2], &other][how];
        fs::write(&snapshot, bad).unwrap();
        let mut driver = Driver::open(dir.path(), held()).unwrap();
        assert_eq!(limit(&driver), before);
        let mut notes = Notes::default();
        driver.run(&mut notes, &StopFlag::default()).unwrap();
        assert!(
            matches!(notes.reports.as_slice(), [Report::SnapshotUnusable { .. }, ..]),
            "{:?}",
            notes.reports
        );
    }
}

#[test]
fn a_state_directory_that_leads_elsewhere_is_refused() {
    for part in [".agent", ".agent/endstate"] {
        let dir = repository();
        let elsewhere = tempfile::tempdir().unwrap();
        let place = dir.path().join(part);
        fs::create_dir_all(place.parent().unwrap()).unwrap();
        symlink(elsewhere.path(), &place).unwrap();
        let error = Driver::create(dir.path(), config(), held()).err().unwrap();
        assert_eq!((error.code(), error.at().as_str()), ("unsafe_state_directory", part));
        let error = Driver::open(dir.path(), held()).err().unwrap();
        assert_eq!(error.code(), "unsafe_state_directory");
        assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 0);
    }
}

#[test]
fn a_read_only_directory_is_an_error() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("ro");
    fs::create_dir(&root).unwrap();
    fs::set_permissions(&root, fs::Permissions::from_mode(0o555)).unwrap();
    // Permissions do not bind root; a read-only file system does.
    let mount = |arguments: &[&str]| {
        let done =
            std::process::Command::new(arguments[0]).args(&arguments[1..]).arg(&root).output();
        done.is_ok_and(|output| output.status.success())
    };
    let writable = fs::write(root.join("x"), "").is_ok();
    let mounted = writable && mount(&["mount", "-t", "tmpfs", "-o", "ro", "tmpfs"]);
    let place =
        if writable && !mounted { Path::new("/proc/self").to_owned() } else { root.clone() };
    let error = Driver::create(&place, config(), held()).err();
    if mounted {
        assert!(mount(&["umount"]));
    }
    assert_eq!(error.unwrap().code(), "io");
}

fn letter(name: &str, fact: Fact) -> Letter {
    Letter { id: name.to_owned(), says: fact.into() }
}

#[test]
fn letters_are_taken_once_and_refused_ones_kept() {
    let dir = repository();
    let mut driver = Driver::create(dir.path(), config(), held()).unwrap();
    let before = limit(&driver);
    let inbox = Inbox::of(&dir.path().join(".agent/endstate"));
    let command = |amount| Fact::UserCommanded(UserCommanded { id: None, command: grant(amount) });
    inbox.send(&letter("1", command(5))).unwrap();
    inbox.send(&letter("2", command(0))).unwrap();
    let foreign = EffectPerformed { effect: id(1), outcome: Outcome::Nothing };
    inbox.send(&letter("3", Fact::EffectPerformed(foreign))).unwrap();
    // Whoever works could write it.
    let answer = Answer::Choice { option: "judge".to_owned() };
    let judged = QuestionAnswered { effect: id(1), answer };
    inbox.send(&letter("4", Fact::QuestionAnswered(judged))).unwrap();
    let mut notes = Notes::default();
    driver.run(&mut notes, &StopFlag::default()).unwrap();
    assert_eq!(limit(&driver), before + 5);
    let refused = |name: &str, code: &str| (name.to_owned(), code.to_owned());
    let all = [("2", "invalid_grant"), ("3", "wrong_answer"), ("4", "wrong_answer")];
    assert_eq!(notes.refused, all.map(|(name, code)| refused(name, code)));
    assert!(inbox.waiting().unwrap().is_empty());
    let why = fs::read_to_string(dir.path().join(".agent/endstate/inbox/refused/2.json.why"));
    assert!(why.unwrap().contains("invalid_grant"));
    // The same letter again, as after a crash between journal and removal.
    inbox.send(&letter("1", command(5))).unwrap();
    drop(driver);
    let mut driver = Driver::open(dir.path(), held()).unwrap();
    driver.run(&mut Notes::default(), &StopFlag::default()).unwrap();
    assert_eq!(limit(&driver), before + 5);
    assert!(inbox.waiting().unwrap().is_empty());
}

#[test]
fn one_signal_drains_and_the_mission_can_be_resumed() {
    let dir = repository();
    let mut driver = Driver::create(dir.path(), config(), held()).unwrap();
    let stop = StopFlag::default();
    stop.raise();
    let ended = driver.run(&mut Notes::default(), &stop).unwrap();
    assert!(ended.interrupted);
    assert_eq!(driver.engine().snapshot().head.control, Control::Stopped);
    stop.raise();
    stop.raise();
    driver.run(&mut Notes::default(), &stop).unwrap();
    drop(driver);
    let mut driver = Driver::open(dir.path(), held()).unwrap();
    driver.command(Command::Resume).unwrap();
    assert_eq!(driver.engine().snapshot().head.control, Control::Running);
}

#[test]
fn a_mission_can_be_read_beside_its_driver() {
    let dir = repository();
    let mut driver = Driver::create(dir.path(), config(), held()).unwrap();
    driver.command(grant(1)).unwrap();
    let peeked = store::peek(&Places::of(dir.path())).unwrap();
    assert_eq!(peeked.engine.snapshot(), driver.engine().snapshot());
}

/// A command that would run for an hour is no reason to wait: a word of the user's ends it.
#[test]
fn a_kill_ends_a_command_that_runs() {
    let dir = repository();
    let root = dir.path().to_owned();
    let mut config = commanding();
    let endstate::protocols::ProtocolConfig::Sprint(mission) = &mut config.mission else {
        panic!("not a sprint");
    };
    let words = ["sh", "-c", "echo $$ >.git/pid; sleep 300"];
    mission.units[0].checks[0].argv = words.map(str::to_owned).to_vec();
    let mut driver = Driver::create(&root, config, options(None)).unwrap();
    driver.command(Command::Start).unwrap();
    let writer = std::thread::spawn(move || {
        until(|| fs::read_to_string(root.join(".git/pid")).is_ok_and(|text| text.ends_with('\n')));
        let fact = Fact::UserCommanded(UserCommanded { id: None, command: Command::Kill });
        Inbox::of(&root.join(".agent/endstate")).send(&letter("kill", fact)).unwrap();
    });
    let began = std::time::Instant::now();
    let ended = driver.run(&mut Notes::default(), &StopFlag::default()).unwrap();
    writer.join().unwrap();
    assert!(began.elapsed().as_secs() < 60);
    assert_eq!(ended.continuation, endstate::Continuation::Paused);
    let pid = fs::read_to_string(dir.path().join(".git/pid")).unwrap();
    assert!(endstate::native::processes::start_time(pid.trim().parse().unwrap()).is_none());
    let outbox = driver.engine().pending();
    assert!(outbox.is_empty(), "{outbox:?}");
}

/// A mission whose contract files are committed, with a team that is this shell script.
fn begun(root: &Path, script: &str) -> Driver {
    let mut driver = Driver::create(root, config(), held()).unwrap();
    let ended = driver.run(&mut Notes::default(), &StopFlag::default()).unwrap();
    assert_eq!(ended.continuation, endstate::Continuation::Paused);
    drop(driver);
    let mut driver = Driver::open(root, options(Some(&["sh", "-c", script]))).unwrap();
    driver.command(Command::Start).unwrap();
    driver
}

fn until(done: impl Fn() -> bool) {
    for _ in 0..2_000 {
        if done() {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    panic!("it never happened");
}

#[test]
fn a_held_mission_commits_its_contract_and_nothing_else() {
    let dir = repository();
    let mut driver = Driver::create(dir.path(), config(), held()).unwrap();
    let mut notes = Notes::default();
    driver.run(&mut notes, &StopFlag::default()).unwrap();
    assert!(!notes.facts.contains(&"run_started"));
    assert_eq!(git(dir.path(), &["rev-list", "--count", "HEAD"]), "2");
    assert!(git(dir.path(), &["status", "--porcelain"]).is_empty());
    assert!(dir.path().join(".agent/state.json").exists());
}

#[test]
fn a_letter_reaches_a_driver_while_a_role_runs() {
    let dir = repository();
    let root = dir.path().to_owned();
    let mut driver = begun(&root, "echo $$ >.git/pid; sleep 300");
    let writer = std::thread::spawn(move || {
        until(|| fs::read_to_string(root.join(".git/pid")).is_ok_and(|text| text.ends_with('\n')));
        let inbox = Inbox::of(&root.join(".agent/endstate"));
        let command = Command::Stop { mode: endstate::vocab::command::StopMode::Kill };
        // It may come before the start is journaled: then the run is withdrawn, and ended as well.
        let fact = Fact::UserCommanded(UserCommanded { id: None, command });
        inbox.send(&letter("stop", fact)).unwrap();
    });
    let mut notes = Notes::default();
    let ended = driver.run(&mut notes, &StopFlag::default()).unwrap();
    writer.join().unwrap();
    assert_eq!(ended.continuation, endstate::Continuation::Paused);
    assert!(!ended.interrupted);
    let pid = fs::read_to_string(dir.path().join(".git/pid")).unwrap();
    assert!(endstate::native::processes::start_time(pid.trim().parse().unwrap()).is_none());
    assert!(driver.engine().snapshot().head.live_runs().next().is_none(), "{:?}", notes.facts);
}

#[test]
fn two_signals_end_a_role_and_leave_a_mission_to_resume() {
    let dir = repository();
    let mut driver = begun(dir.path(), "echo at work; sleep 300");
    let (stop, root) = (StopFlag::default(), dir.path().to_owned());
    let flag = stop.clone();
    let user = std::thread::spawn(move || {
        let places = Places::of(&root);
        let live = || store::peek(&places).unwrap().engine.snapshot().head.live_runs().count() == 1;
        until(live);
        flag.raise();
        std::thread::sleep(std::time::Duration::from_millis(400));
        assert!(live(), "one signal must not end what runs");
        flag.raise();
    });
    let mut notes = Notes::default();
    let ended = driver.run(&mut notes, &stop).unwrap();
    user.join().unwrap();
    assert!(ended.interrupted && notes.facts.contains(&"run_ended"), "{:?}", notes.facts);
    assert_eq!(ended.continuation, endstate::Continuation::Paused);
    drop(driver);
    let mut driver = Driver::open(dir.path(), held()).unwrap();
    driver.command(Command::Resume).unwrap();
    driver.run(&mut Notes::default(), &StopFlag::default()).unwrap();
    let outbox = &driver.engine().snapshot().head.outbox;
    assert!(outbox.iter().any(|one| one.effect.order.name() == "spawn_role"), "{outbox:?}");
}

#[test]
fn an_agent_that_is_not_there_is_named_and_bounded() {
    let dir = repository();
    drop(begun(dir.path(), ""));
    let mut driver = Driver::open(dir.path(), options(Some(&["no-such-agent"]))).unwrap();
    let mut notes = Notes::default();
    let ended = driver.run(&mut notes, &StopFlag::default()).unwrap();
    assert_ne!(ended.continuation, endstate::Continuation::Continue);
    assert!(notes.facts.contains(&"effect_failed"));
    let journal = fs::read_to_string(journal(dir.path())).unwrap();
    assert!(journal.contains("no-such-agent"));
}

/// A sprint mission whose unit waits for a command that leaves a mark, and for a timer behind it.
fn commanding() -> endstate::Config {
    let text = r#"{"mission":{"protocol":"sprint","settings":{
        "mission":"Leave a mark.","project":"Mark","trusted":true,"units":[
        {"id":"u","name":"U","directory":"","checks":[{"argv":["touch","mark"],"expect":{"to":"succeed"}}],
        "sprints":[{"label":"1","name":"One","kind":"deferred","criteria":[{"id":"AC-001","text":"it is there",
        "check":{"by":"command","line":{"argv":["test","-e","there"]}}}]}]}]}}}"#;
    endstate::vocab::json::decode(text).unwrap()
}

/// Who only delivers a word of the user's starts no command and waits for no timer; the next driver does.
#[test]
fn a_word_without_a_driver_begins_nothing() {
    let dir = repository();
    let root = dir.path();
    let mark = root.join("mark");
    let mut driver = Driver::create(root, commanding(), held()).unwrap();
    driver.command(Command::Start).unwrap();
    let rest = |driver: &mut Driver| {
        driver.run(&mut Notes::default(), &StopFlag::default()).unwrap();
        let outbox = driver.engine().pending();
        let names: Vec<&str> = outbox.iter().map(|one| one.effect.order.name()).collect();
        names.join(" ")
    };
    assert_eq!(rest(&mut driver), "run_command");
    assert!(!mark.exists());
    drop(driver);
    // A driver that performs everything comes to the timer, and is asked to leave.
    let mut driver = Driver::open(root, options(None)).unwrap();
    let flag = StopFlag::default();
    let leave = flag.clone();
    let seen = mark.clone();
    let watch = std::thread::spawn(move || {
        let began = std::time::Instant::now();
        while !seen.exists() && began.elapsed().as_secs() < 30 {
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        std::thread::sleep(std::time::Duration::from_millis(1_500));
        leave.leave();
    });
    driver.run(&mut Notes::default(), &flag).unwrap();
    watch.join().unwrap();
    assert!(mark.exists());
    drop(driver);
    let mut driver = Driver::open(root, held()).unwrap();
    assert_eq!(rest(&mut driver), "set_timer");
}
