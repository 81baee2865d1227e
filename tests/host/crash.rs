//! SIGKILL at every durable step, also in the middle of a write; and a disk that is full.
//!
//! The victim is this test program itself, started anew with `ENDSTATE_CRASH_AT`.

use crate::common::{Contents, Host, Notes, config, git, id, options, repository};
use crate::confine::{in_room, rooms};
use endstate::native::runs::Record;
use endstate::native::store::{self, Places};
use endstate::native::{Driver, Options, Report, StopFlag, processes};
use endstate::vocab::budget::Counter;
use endstate::vocab::command::{Command as UserCommand, StopMode};
use endstate::vocab::effect::{AppendHistory, CommitFiles, Effect, Order, WriteFile};
use endstate::vocab::event::{EffectId, Fact, Outcome, RunEnded, RunOutcome};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

const STEPS: u64 = 3;
const FILES: [(&str, &str); 2] = [(".gitignore", "/x\n"), (".agent/profile.json", "{}\n")];

fn held() -> Options {
    Options { hold_roles: true, ..options(None) }
}

/// Begins or opens a mission and grants until the limit has been raised by [`STEPS`].
fn drive(root: &Path) -> Result<(), endstate::native::HostError> {
    let mut driver = match Driver::open(root, held()) {
        Err(error) if error.code() == "no_mission" => Driver::create(root, config(), held())?,
        other => other?,
    };
    while raised(&driver) < STEPS {
        driver.command(UserCommand::Grant { counter: Counter::RoleRuns, amount: 1 })?;
    }
    driver.run(&mut endstate::native::Quiet, &StopFlag::default())?;
    Ok(())
}

fn raised(driver: &Driver) -> u64 {
    driver.engine().snapshot().head.budget.account(Counter::RoleRuns).limit - 400
}

fn file_orders(root: &Path) -> [Order; 3] {
    let head = git(root, &["rev-parse", "HEAD"]);
    let first = git(root, &["rev-list", "--max-parents=0", &head]);
    [
        Order::WriteFile(WriteFile {
            path: ".agent/state.json".to_owned(),
            revision: 1,
            expected: None,
            aside: None,
            executable: false,
        }),
        Order::AppendHistory(AppendHistory {
            path: ".agent/history.jsonl".to_owned(),
            offset: 0,
            prefix_digest: None,
            text: "{\"one\":1}\n".to_owned(),
        }),
        Order::CommitFiles(CommitFiles {
            paths: FILES.iter().map(|(path, _)| (*path).to_owned()).collect(),
            message: "Add the contract".to_owned(),
            expected_head: Some(first),
        }),
    ]
}

fn perform(root: &Path) -> Vec<Fact> {
    let mut host = Host::at(root, held());
    host.contents = Contents::of(&FILES);
    host.contents.0.insert(".agent/state.json".to_owned(), "{}\n".to_owned());
    let orders = file_orders(root).into_iter().enumerate();
    let facts = orders.map(|(place, order)| host.answer(id(place as u64), order));
    facts.collect()
}

/// Not a test: what the tests below start and kill.
#[test]
#[ignore = "started by the other tests"]
fn victim() {
    let Some(root) = std::env::var_os("ENDSTATE_TEST_ROOT") else { return };
    let root = Path::new(&root);
    match std::env::var("ENDSTATE_TEST_DO").as_deref() {
        Ok("drive") => match drive(root) {
            Ok(()) => println!("ended well"),
            Err(error) => println!("ended with {}", error.code()),
        },
        Ok("play") => {
            let agent = ["sh", "-c", ROLE];
            let mut driver = Driver::open(root, options(Some(&agent))).unwrap();
            driver.command(UserCommand::Start).unwrap();
            driver.run(&mut endstate::native::Quiet, &StopFlag::default()).unwrap();
        }
        Ok("perform") => println!("{:?}", perform(root)),
        other => panic!("{other:?}"),
    }
}

fn start(root: &Path, what: &str, crash: Option<&str>, shell: &str) -> Output {
    let mut command = Command::new("sh");
    command.args(["-c", &format!("{shell} exec \"$@\""), "sh"]);
    command.arg(std::env::current_exe().unwrap());
    command.args(["--exact", "crash::victim", "--ignored", "--nocapture"]);
    command.env("ENDSTATE_TEST_ROOT", root).env("ENDSTATE_TEST_DO", what);
    if let Some(crash) = crash {
        command.env("ENDSTATE_CRASH_AT", crash);
    }
    command.env("ENDSTATE_CRASH_LOG", root.join(".git/steps"));
    command.output().unwrap()
}

fn killed(output: &Output) -> bool {
    output.status.signal() == Some(9)
}

/// Every crash point of `what`, each in a repository of its own; answers with how many there were.
fn at_every_step(what: &str, check: &dyn Fn(&Path, &str)) -> u32 {
    let mut crashes = 0;
    for step in 1.. {
        let mut reached = false;
        for how in ["", ":half"] {
            let dir = repository();
            let crash = format!("{step}{how}");
            let dead = start(dir.path(), what, Some(&crash), "");
            if killed(&dead) {
                crashes += 1;
                reached = true;
            }
            check(dir.path(), &crash);
        }
        if !reached {
            return crashes;
        }
    }
    unreachable!()
}

#[test]
fn a_driver_killed_at_any_step_is_resumed() {
    let crashes = at_every_step("drive", &|root, crash| {
        drive(root).unwrap_or_else(|error| panic!("{crash}: {error}"));
        let driver = Driver::open(root, held()).unwrap();
        assert_eq!(raised(&driver), STEPS, "{crash}");
        let journal = fs::read(root.join(".agent/endstate/journal.jsonl")).unwrap();
        let replayed = endstate::replay(&journal).unwrap();
        assert!(replayed.divergence.is_none() && replayed.torn_bytes == 0, "{crash}");
    });
    assert!(crashes > STEPS as u32, "{crashes} crash points");
}

#[test]
fn a_chain_of_kills_comes_to_the_same_end() {
    let dir = repository();
    let mut kills = 0;
    for round in 0.. {
        // Each restart journals its recovery first: to get further, each must live a step longer.
        let crash = format!("{}{}", 2 + round, if round % 2 == 0 { ":half" } else { "" });
        if !killed(&start(dir.path(), "drive", Some(&crash), "")) {
            break;
        }
        kills += 1;
        assert!(kills < 60);
    }
    drive(dir.path()).unwrap();
    assert!(kills > 2, "{kills}");
    assert_eq!(raised(&Driver::open(dir.path(), held()).unwrap()), STEPS);
}

/// A role that waits for a file, with a child that would outlive it.
const ROLE: &str = "sleep 300 & echo $! >>.git/left; echo begun; \
    while [ ! -e .git/go ]; do sleep 0.02; done; echo finished";

/// A run whose driver was killed: its id, and the process that its role left running.
fn orphan(root: &Path) -> (EffectId, u32) {
    let run = orphan_of(root, None);
    let left = fs::read_to_string(root.join(".git/left")).unwrap();
    let pid: u32 = left.trim().parse().unwrap();
    assert!(processes::start_time(pid).is_some());
    (run, pid)
}

/// The same, confined by this program if there is one.
fn orphan_of(root: &Path, bwrap: Option<&Path>) -> EffectId {
    drive(root).unwrap();
    let mut victim = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "crash::victim", "--ignored"])
        .env("ENDSTATE_TEST_ROOT", root)
        .env("ENDSTATE_TEST_DO", "play")
        .envs(bwrap.map(|bwrap| ("ENDSTATE_BWRAP", bwrap)))
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let left = root.join(".git/left");
    let places = Places::of(root);
    let run = || {
        let opened = store::peek(&places).unwrap();
        opened.engine.snapshot().head.live_runs().next().map(|one| one.effect.id)
    };
    let run = loop {
        match run() {
            Some(run) if fs::read_to_string(&left).is_ok_and(|text| text.ends_with('\n')) => {
                break run;
            }
            _ => std::thread::sleep(std::time::Duration::from_millis(20)),
        }
    };
    victim.kill().unwrap();
    victim.wait().unwrap();
    run
}

/// How the journal says that a run ended.
fn end_of(root: &Path, run: EffectId) -> Option<RunEnded> {
    let journal = fs::read_to_string(Places::of(root).journal()).unwrap();
    journal.lines().skip(1).find_map(|line| {
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        let fact = line["body"]["event"]["fact"].clone();
        match serde_json::from_value(fact).unwrap() {
            Fact::RunEnded(ended) if ended.effect == run => Some(ended),
            _ => None,
        }
    })
}

fn resumed(root: &Path, options: endstate::native::Options) -> Notes {
    let mut notes = Notes::default();
    let mut driver = Driver::open(root, options).unwrap();
    driver.run(&mut notes, &StopFlag::default()).unwrap();
    notes
}

/// Whether the process of the record is there.
fn lives(root: &Path, run: EffectId) -> bool {
    let path = root.join(format!(".agent/endstate/runs/{run}/record.json"));
    let record: Record = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    processes::start_time(record.pid).is_some_and(|start| start == record.start)
}

#[test]
fn a_run_that_outlives_its_driver_is_taken_up() {
    let dir = repository();
    let root = dir.path();
    let (run, left) = orphan(root);
    let taken_up = Report::RunTakenUp { run: run.to_string() };
    // Who performs no roles neither ends it nor waits for it.
    let notes = resumed(root, held());
    assert!(notes.reports.contains(&taken_up), "{:?}", notes.reports);
    assert!(lives(root, run) && end_of(root, run).is_none(), "{:?}", notes.facts);
    let go = root.join(".git/go");
    let later = std::thread::spawn(move || {
        std::thread::sleep(std::time::Duration::from_millis(1_500));
        fs::write(go, "").unwrap();
    });
    let notes = resumed(root, options(Some(&["sh", "-c", "echo no report"])));
    later.join().unwrap();
    assert!(notes.reports.contains(&taken_up), "{:?}", notes.reports);
    let ended = end_of(root, run).unwrap();
    assert_eq!(
        (ended.outcome, ended.report.as_deref()),
        (RunOutcome::Success, Some("begun\nfinished\n"))
    );
    assert!(ended.usage.duration_ms >= 1_500, "{:?}", ended.usage);
    assert!(processes::start_time(left).is_none(), "process {left} outlived its run");
}

#[test]
fn a_confined_run_that_outlives_its_driver_is_taken_up() {
    let Some(bwrap) = crate::bubblewrap::bubblewrap() else { return };
    let dir = repository();
    let root = dir.path();
    let run = orphan_of(root, Some(&bwrap));
    assert!(lives(root, run));
    let go = root.join(".git/go");
    let later = std::thread::spawn(move || {
        std::thread::sleep(std::time::Duration::from_millis(500));
        fs::write(go, "").unwrap();
    });
    let notes = resumed(root, options(Some(&["sh", "-c", "echo no report"])));
    later.join().unwrap();
    let ended = end_of(root, run).unwrap_or_else(|| panic!("{:?}", notes.facts));
    assert_eq!(
        (ended.outcome, ended.report.as_deref()),
        (RunOutcome::Success, Some("begun\nfinished\n"))
    );
    let journal = fs::read_to_string(Places::of(root).journal()).unwrap();
    assert!(
        journal.contains(&format!(r#""effect":"{run}","session":null,"confined":true"#)),
        "{journal}"
    );
}

/// Its time began with the driver that started it.
#[test]
fn the_time_of_a_run_that_is_taken_up_goes_on_counting() {
    let dir = repository();
    let root = dir.path();
    let (run, _) = orphan(root);
    std::thread::sleep(std::time::Duration::from_secs(4));
    let limit = std::time::Duration::from_millis(4_500);
    let agent = options(Some(&["sh", "-c", "echo no report"]));
    resumed(root, Options { role_timeout: Some(limit), ..agent });
    let ended = end_of(root, run).unwrap();
    assert_eq!(ended.problem.unwrap().code, endstate::vocab::error::Code::RunTimedOut);
    // Counted anew it would have ended 8.5 seconds after its start; a busy machine is late, but not by so much.
    assert!((4_500..8_500).contains(&ended.usage.duration_ms), "{:?}", ended.usage);
}

#[test]
fn the_report_of_a_run_that_ended_while_no_driver_looked_is_read() {
    let dir = repository();
    let root = dir.path();
    let (run, left) = orphan(root);
    fs::write(root.join(".git/go"), "").unwrap();
    while lives(root, run) {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let notes = resumed(root, held());
    let found = Report::RunRecovered { run: run.to_string(), found: true };
    assert!(notes.reports.contains(&found), "{:?}", notes.reports);
    let ended = end_of(root, run).unwrap();
    assert_eq!(
        (ended.outcome, ended.report.as_deref()),
        (RunOutcome::Success, Some("begun\nfinished\n"))
    );
    assert!(processes::start_time(left).is_none(), "process {left} outlived its run");
}

#[test]
fn a_run_that_is_killed_with_its_driver_is_lost_and_leaves_nothing() {
    let dir = repository();
    let root = dir.path();
    let (run, left) = orphan(root);
    let path = root.join(format!(".agent/endstate/runs/{run}/record.json"));
    let record: Record = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    let group = rustix::process::Pid::from_raw(record.pid.try_into().unwrap()).unwrap();
    rustix::process::kill_process(group, rustix::process::Signal::KILL).unwrap();
    fs::write(root.join(".git/index.lock"), "").unwrap();
    let notes = resumed(root, held());
    assert_eq!(notes.reports[0], Report::TookOver);
    let lost = Report::RunRecovered { run: run.to_string(), found: false };
    assert!(notes.reports.contains(&lost), "{:?}", notes.reports);
    let ended = end_of(root, run).unwrap();
    assert_eq!((ended.outcome, ended.report), (RunOutcome::Lost, None));
    assert!(processes::start_time(left).is_none(), "process {left} outlived its driver");
    assert!(!root.join(".git/index.lock").exists());
    let journal = fs::read_to_string(Places::of(root).journal()).unwrap();
    assert!(journal.contains("taken away, for no git holds them: index.lock"), "{journal}");
}

/// Who is killed between the lock of the dead and its own leaves none; what was begun is known all the same.
#[test]
fn a_run_that_only_its_record_tells_of_is_lost_and_not_ordered_anew() {
    let dir = repository();
    let root = dir.path();
    let mut driver = Driver::create(root, config(), held()).unwrap();
    driver.command(UserCommand::Start).unwrap();
    driver.run(&mut endstate::native::Quiet, &StopFlag::default()).unwrap();
    let waiting = driver.engine().pending();
    drop(driver);
    let role = waiting.iter().find(|one| matches!(one.effect.order, Order::SpawnRole(_)));
    let run = role.unwrap().effect.id;
    let record = Record {
        effect: run,
        pid: u32::MAX,
        start: "1".to_owned(),
        argv: vec!["sh".to_owned()],
        confined: false,
    };
    let folder = root.join(format!(".agent/endstate/runs/{run}"));
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("record.json"), serde_json::to_string(&record).unwrap()).unwrap();
    let notes = resumed(root, held());
    assert!(!notes.reports.contains(&Report::TookOver));
    assert_eq!(end_of(root, run).unwrap().outcome, RunOutcome::Lost);
}

#[test]
fn a_run_without_a_driver_is_ended_by_the_users_word() {
    let dir = repository();
    let root = dir.path();
    let (run, left) = orphan(root);
    let mut driver = Driver::open(root, held()).unwrap();
    driver.command(UserCommand::Stop { mode: StopMode::Kill }).unwrap();
    driver.run(&mut Notes::default(), &StopFlag::default()).unwrap();
    assert_eq!(end_of(root, run).unwrap().outcome, RunOutcome::Lost);
    assert!(!lives(root, run) && processes::start_time(left).is_none());
}

/// A process that has the id and the start of a record, but not its output, is not the run's.
#[test]
fn what_cannot_be_proven_to_be_a_run_is_left_alone() {
    let dir = repository();
    let root = dir.path();
    let (run, _) = orphan(root);
    let folder = root.join(format!(".agent/endstate/runs/{run}"));
    let mut record: Record =
        serde_json::from_slice(&fs::read(folder.join("record.json")).unwrap()).unwrap();
    let ours = record.pid;
    let mut other = Command::new("sleep").arg("300").spawn().unwrap();
    (record.pid, record.start) = (other.id(), processes::start_time(other.id()).unwrap());
    fs::write(folder.join("record.json"), serde_json::to_string(&record).unwrap()).unwrap();
    resumed(root, held());
    assert_eq!(end_of(root, run).unwrap().outcome, RunOutcome::Lost);
    assert!(other.try_wait().unwrap().is_none(), "another's process was ended");
    assert!(processes::start_time(ours).is_none(), "the mark of the run was overlooked");
    other.kill().unwrap();
    other.wait().unwrap();
}

#[test]
fn files_and_commits_cut_short_are_completed_once() {
    let crashes = at_every_step("perform", &|root, crash| {
        let facts = perform(root);
        for fact in &facts {
            assert!(matches!(fact, Fact::EffectPerformed(_)), "{crash}: {fact:?}");
        }
        assert_eq!(fs::read_to_string(root.join(".agent/history.jsonl")).unwrap(), "{\"one\":1}\n");
        assert_eq!(git(root, &["rev-list", "--count", "HEAD"]), "2", "{crash}");
        let dirty = git(root, &["status", "--porcelain=v1", "--untracked-files=all"]);
        let dirty: Vec<_> =
            dirty.lines().filter(|line| !line.contains(".agent/endstate")).collect();
        assert_eq!(dirty, ["?? .agent/history.jsonl", "?? .agent/state.json"], "{crash}");
    });
    assert!(crashes >= 8, "{crashes} crash points");
}

#[test]
fn a_commit_cut_short_and_then_refused_is_undone_to_the_beginning() {
    let dir = repository();
    let root = dir.path();
    fs::write(root.join(".gitignore"), "a person's\n").unwrap();
    let mut seen = 0;
    for step in 1..12 {
        if !killed(&start(root, "perform", Some(&step.to_string()), "")) {
            break;
        }
        if fs::read_to_string(root.join(".gitignore")).unwrap() == "a person's\n" {
            continue;
        }
        seen += 1;
        let hook = root.join(".git/hooks/pre-commit");
        fs::create_dir_all(hook.parent().unwrap()).unwrap();
        fs::write(&hook, "#!/bin/sh\nexit 1\n").unwrap();
        fs::set_permissions(&hook, fs::Permissions::from_mode(0o755)).unwrap();
        if git(root, &["rev-list", "--count", "HEAD"]) == "1" {
            let facts = perform(root);
            assert!(matches!(facts[2], Fact::EffectFailed(_)), "{facts:?}");
            assert_eq!(fs::read_to_string(root.join(".gitignore")).unwrap(), "a person's\n");
            assert!(!root.join(".agent/profile.json").exists());
        }
        fs::remove_file(&hook).unwrap();
        break;
    }
    assert_eq!(seen, 1);
}

#[test]
fn a_full_disk_is_said_and_loses_nothing() {
    let dir = repository();
    let root = dir.path();
    drive(root).unwrap();
    let driver = Driver::open(root, held()).unwrap();
    let chain = driver.store().position().chain.clone();
    drop(driver);
    let journal = root.join(".agent/endstate/journal.jsonl");
    let size = fs::metadata(&journal).unwrap().len();
    // No file may grow beyond the journal's next 512-byte block: the next lines do not fit.
    let blocks = size.div_ceil(512);
    let limit = format!("trap '' XFSZ; ulimit -f {blocks};");
    let more = start_grants(root, &limit);
    let said = String::from_utf8_lossy(&more.stdout).into_owned();
    assert!(said.contains("ended with io"), "{more:?}");
    let after = fs::read(&journal).unwrap();
    assert!(after.ends_with(b"\n"), "a torn line was left");
    let driver = Driver::open(root, held()).unwrap();
    assert!(driver.store().position().chain == chain || after.len() as u64 > size);
    endstate::replay(&after).unwrap();
}

/// Goes on with a mission that has all its grants, by taking the lock over and recovering.
fn start_grants(root: &Path, shell: &str) -> Output {
    let host = endstate::native::processes::host_name();
    let mut output = None;
    for _ in 0..4 {
        let dead = format!(r#"{{"pid":1,"start":"never","host":"{host}","token":"t1"}}"#);
        fs::write(root.join(".agent/endstate/lock"), dead).unwrap();
        let now = start(root, "drive", None, shell);
        let failed = String::from_utf8_lossy(&now.stdout).contains("ended with");
        output = Some(now);
        if failed {
            break;
        }
    }
    output.unwrap()
}

#[test]
fn what_is_performed_can_be_compared() {
    // The shape the other tests rely on.
    let dir = repository();
    let facts = perform(dir.path());
    let Fact::EffectPerformed(done) = &facts[1] else { panic!("{facts:?}") };
    assert!(matches!(done.outcome, Outcome::File { length: 10, .. }));
    let effect = Effect { id: id(1), order: file_orders(dir.path())[0].clone() };
    assert_eq!(effect.order.name(), "write_file");
}

/// A git of a driver that was killed goes on writing into the room that it was to make: the next one needs it.
#[test]
fn a_room_is_made_anew_whoever_works_in_it_yet() {
    let dir = repository();
    let root = fs::canonicalize(dir.path()).unwrap();
    let rooms = rooms(&root);
    let place = rooms.join("1");
    fs::create_dir_all(&place).unwrap();
    let writes =
        format!("while :; do mkdir -p {0}/deep; : >{0}/deep/$((n += 1)); done", place.display());
    let mut left = Command::new("sh");
    left.args(["-c", &writes]).env("ENDSTATE_ROOM", &place).process_group(0);
    let mut left = left.stderr(Stdio::null()).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(100));
    let mut host = Host::at(&root, options(None));
    match host.answer(id(1), Order::RunCommand(in_room(&root, "[ ! -e deep ]"))) {
        Fact::CommandExited(exited) => assert_eq!(exited.status, Some(0), "{exited:?}"),
        other => panic!("{other:?}"),
    }
    assert!(left.try_wait().unwrap().is_some(), "it is at work yet");
    fs::remove_dir_all(rooms).unwrap();
}
