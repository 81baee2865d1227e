//! Confined agents: what they cannot do, each beside an agent that is not confined and does it.

use crate::bubblewrap::bubblewrap;
use crate::common::{Host, git, id, options, repository, spawn};
use crate::orders::command;
use endstate::native::Options;
use endstate::native::confine::Confine;
use endstate::native::runs::Record;
use endstate::vocab::effect::{Order, Room, RunCommand, StopRole};
use endstate::vocab::error::Code;
use endstate::vocab::event::{Fact, RunEnded, RunOutcome};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// A way into what the engine keeps, and the file that says it was one. `$ROOM` is the directory of the rooms.
const WAYS: [(&str, &str); 8] = [
    ("echo forged >>.agent/endstate/journal.jsonl", ".agent/endstate/journal.jsonl"),
    (
        "mkdir .agent/endstate/inbox; echo {} >.agent/endstate/inbox/a.json",
        ".agent/endstate/inbox/a.json",
    ),
    (
        "mkdir .agent/endstate/runs/9.1; echo {} >.agent/endstate/runs/9.1/record.json",
        ".agent/endstate/runs/9.1/record.json",
    ),
    ("echo x >$ROOM/0/done", "$ROOM/0/done"),
    ("mv $ROOM away; mkdir -p $ROOM/0; echo x >$ROOM/0/done", "$ROOM/0/done"),
    (
        "mv .agent away; mkdir -p .agent/endstate/inbox; echo {} >.agent/endstate/inbox/a.json",
        ".agent/endstate/inbox/a.json",
    ),
    (
        "d=$PWD; cd ..; mv $d $d-away; mkdir -p $d/.agent/endstate; echo x >$d/.agent/endstate/moved",
        ".agent/endstate/moved",
    ),
    (
        "umount .agent/endstate; mount -o remount,rw,bind .agent/endstate; \
         nsenter -t 1 -m -- sh -c \"echo x >$PWD/.agent/endstate/mounted\"; \
         unshare -Urm sh -c 'umount .agent/endstate; mount -o remount,rw,bind .agent/endstate; \
         echo x >.agent/endstate/mounted'; echo x >.agent/endstate/mounted",
        ".agent/endstate/mounted",
    ),
];

fn confined(bwrap: &Path, script: &str) -> Options {
    let (confine, bwrap) = (Confine::Required, Some(bwrap.to_owned()));
    Options { confine, bwrap, ..options(Some(&["sh", "-c", script])) }
}

fn loose(script: &str) -> Options {
    Options { confine: Confine::Never, ..options(Some(&["sh", "-c", script])) }
}

/// Plays one run in a repository of its own, inside a folder of its own.
fn play(root: &Path, options: Options) -> (bool, RunEnded) {
    let facts = Host::at(root, options).play(id(1), spawn());
    match (facts.first(), facts.last()) {
        (Some(Fact::RunStarted(started)), Some(Fact::RunEnded(ended))) => {
            (started.confined, ended.clone())
        }
        _ => panic!("{facts:?}"),
    }
}

/// The rooms of the mission at `root`, with one in it.
pub(crate) fn rooms(root: &Path) -> PathBuf {
    let mut key =
        endstate::vocab::digest::digest(&fs::canonicalize(root).unwrap().display().to_string());
    key.truncate(16);
    let rooms = std::env::temp_dir().join(format!("endstate-room-{key}"));
    fs::create_dir_all(rooms.join("0")).unwrap();
    rooms
}

#[test]
fn a_confined_agent_has_no_way_into_what_the_engine_keeps() {
    let Some(bwrap) = bubblewrap() else { return };
    for (way, sign) in WAYS {
        for kept in [false, true] {
            let dir = repository();
            let root = fs::canonicalize(dir.path()).unwrap();
            let rooms = rooms(&root);
            let place = rooms.display().to_string();
            let script = format!("({}) 2>/dev/null; echo done", way.replace("$ROOM", &place));
            let options = if kept { confined(&bwrap, &script) } else { loose(&script) };
            let (told, ended) = play(&root, options);
            assert_eq!(told, kept, "{way}");
            if kept {
                assert_eq!(ended.report.as_deref(), Some("done\n"), "{way}: {ended:?}");
            }
            assert_eq!(root.join(sign.replace("$ROOM", &place)).exists(), !kept, "{way}");
            let _ = fs::remove_dir_all(rooms);
            let _ = fs::remove_dir_all(
                root.with_file_name(format!("{}-away", root.file_name().unwrap().display())),
            );
        }
    }
}

#[test]
fn a_confined_agent_works_as_ever() {
    let Some(bwrap) = bubblewrap() else { return };
    let dir = repository();
    let work = "read line; echo work >a.txt; git add a.txt; git commit -qm work && mv a.txt b.txt && \
        mkdir -p .agent/tmp && echo x >.agent/tmp/note && wc -l <.agent/endstate/runs/$ENDSTATE_RUN/prompt.md && \
        mktemp -u >/dev/null && echo \"$line\"; echo words >&2; exit 3";
    let (told, ended) = play(dir.path(), confined(&bwrap, work));
    assert!(told);
    assert_eq!(ended.report.as_deref(), Some("1\ndo the work\n"));
    let problem = ended.problem.unwrap();
    assert_eq!((problem.code, problem.got.as_str()), (Code::RunFailed, "status 3; words"));
    assert_eq!(git(dir.path(), &["log", "-1", "--format=%s"]), "work");
    assert!(dir.path().join("b.txt").exists() && dir.path().join(".agent/tmp/note").exists());
}

/// One that took its marks off, left its group, and waits for the end of the run.
#[test]
fn a_daemon_ends_with_the_confined_run_that_left_it() {
    let Some(bwrap) = bubblewrap() else { return };
    for kept in [false, true] {
        let dir = repository();
        let root = fs::canonicalize(dir.path()).unwrap();
        let script = "setsid -f env -i /bin/sh -c 'sleep 3; echo x >late' >/dev/null 2>&1; sleep 0.5; echo done";
        let began = Instant::now();
        let (_, ended) = play(&root, if kept { confined(&bwrap, script) } else { loose(script) });
        assert_eq!(ended.outcome, RunOutcome::Success);
        std::thread::sleep(Duration::from_millis(4_500).saturating_sub(began.elapsed()));
        assert_eq!(root.join("late").exists(), !kept);
    }
}

#[test]
fn a_confined_run_that_is_asked_to_wind_up_has_its_time() {
    let Some(bwrap) = bubblewrap() else { return };
    let dir = repository();
    let script =
        "trap 'sleep 0.5; echo wound up; exit 0' TERM; echo begun; while :; do sleep 0.05; done";
    let mut host = Host::at(dir.path(), confined(&bwrap, script));
    host.order(id(1), Order::SpawnRole(spawn()));
    assert!(matches!(host.fact(), Fact::RunStarted(started) if started.confined));
    host.order(id(9), Order::StopRole(StopRole { run: id(1), kill: false }));
    let ended = loop {
        if let Fact::RunEnded(ended) = host.fact() {
            break ended;
        }
    };
    assert_eq!(ended.report.as_deref(), Some("begun\nwound up\n"), "{ended:?}");
}

/// The order of a line of a shell in a room that is made for it.
pub(crate) fn in_room(root: &Path, script: &str) -> RunCommand {
    let room = format!(
        r#"{{"name":"1","fresh":true,"commit":"{}","uncommitted":false,"base":null,"held":[],"variables":[]}}"#,
        git(root, &["rev-parse", "HEAD"])
    );
    let room = Some(endstate::vocab::json::decode::<Room>(&room).unwrap());
    RunCommand { room, ..command(&["sh", "-c", script]) }
}

/// What a command runs is the work of agents: it writes into its own room, and into nothing else that is kept.
#[test]
fn a_confined_command_writes_into_its_own_room_alone() {
    let Some(bwrap) = bubblewrap() else { return };
    for kept in [false, true] {
        let dir = repository();
        let root = fs::canonicalize(dir.path()).unwrap();
        let rooms = rooms(&root);
        let script = format!(
            "echo x >own; echo x >{0}/0/other; echo x >{1}/.agent/endstate/letter; \
            setsid -f env -i sh -c 'sleep 4; echo x >{0}/1/late' >/dev/null 2>&1; sleep 0.5",
            rooms.display(),
            root.display()
        );
        let order = in_room(&root, &script);
        let mut host = Host::at(&root, if kept { confined(&bwrap, "") } else { loose("") });
        match host.answer(id(1), Order::RunCommand(order)) {
            Fact::CommandExited(exited) => assert_eq!(exited.status, Some(0), "{exited:?}"),
            other => panic!("{other:?}"),
        }
        // It has its grace before it is killed.
        std::thread::sleep(Duration::from_secs(5));
        let there = |path: &str| rooms.join(path).exists();
        assert!(there("1/own"));
        assert_eq!((there("0/other"), there("1/late")), (!kept, !kept));
        assert_eq!(root.join(".agent/endstate/letter").exists(), !kept);
        let _ = fs::remove_dir_all(rooms);
    }
}

/// As a command that is not confined: what ended it from outside is no status of its own.
#[test]
fn a_confined_command_that_is_killed_has_no_status() {
    let Some(bwrap) = bubblewrap() else { return };
    let dir = repository();
    for (place, (script, status)) in
        [("kill -9 $$", None), ("kill -SEGV $$", Some(139)), ("exit 7", Some(7))]
            .into_iter()
            .enumerate()
    {
        let mut host = Host::at(dir.path(), confined(&bwrap, ""));
        let order = Order::RunCommand(command(&["sh", "-c", script]));
        match host.answer(id(place as u64 + 1), order) {
            Fact::CommandExited(exited) => assert_eq!(exited.status, status, "{script}"),
            other => panic!("{other:?}"),
        }
    }
}

/// The terminal of whoever started this program is not its own, so it cannot type into it.
#[test]
fn a_confined_run_has_a_session_of_its_own() {
    let Some(bwrap) = bubblewrap() else { return };
    let dir = repository();
    let root = dir.path();
    let script = "touch begun; while [ ! -e go ]; do sleep 0.02; done; echo done";
    let mut host = Host::at(root, confined(&bwrap, script));
    host.order(id(1), Order::SpawnRole(spawn()));
    assert!(matches!(host.fact(), Fact::RunStarted(_)));
    while !root.join("begun").exists() {
        std::thread::sleep(Duration::from_millis(10));
    }
    let record = fs::read(root.join(".agent/endstate/runs/1.1/record.json")).unwrap();
    let record: Record = serde_json::from_slice(&record).unwrap();
    let stat = fs::read_to_string(format!("/proc/{}/stat", record.pid)).unwrap();
    let session = stat.rsplit_once(") ").unwrap().1.split(' ').nth(3).unwrap();
    assert_eq!(session, record.pid.to_string());
    fs::write(root.join("go"), "").unwrap();
    assert!(matches!(host.fact(), Fact::RunEnded(ended) if ended.outcome == RunOutcome::Success));
}

#[test]
fn where_agents_must_be_confined_and_cannot_none_is_started() {
    for program in ["/nowhere/bwrap", "/bin/false"] {
        let dir = repository();
        let required = confined(Path::new(program), "touch ran; echo done");
        let facts = Host::at(dir.path(), required.clone()).play(id(1), spawn());
        match facts.as_slice() {
            [Fact::EffectFailed(failed)] => assert_eq!(failed.problem.code, Code::NotConfined),
            other => panic!("{other:?}"),
        }
        assert!(!dir.path().join("ran").exists());
        let (told, ended) = play(dir.path(), Options { confine: Confine::Auto, ..required });
        assert_eq!((told, ended.outcome), (false, RunOutcome::Success));
    }
}
