//! Roles as processes: every way to misbehave, and the records that outlive the host.

use crate::common::{Contents, Host, Notes, id, options, repository, spawn};
use crate::orders::command;
use endstate::native::agent::Agent;
use endstate::native::driver::Performer;
use endstate::native::runs::Record;
use endstate::native::store::Places;
use endstate::native::{Options, Report, process, processes};
use endstate::vocab::effect::{Effect, Order, StopRole};
use endstate::vocab::error::Code;
use endstate::vocab::event::{CommandExited, Fact, RunEnded, RunOutcome};
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::time::{Duration, Instant};

fn end(facts: &[Fact]) -> RunEnded {
    match facts.last() {
        Some(Fact::RunEnded(ended)) => ended.clone(),
        other => panic!("{other:?}"),
    }
}

fn gone(pid: u32) -> bool {
    processes::start_time(pid).is_none()
}

#[test]
fn each_misbehaviour_has_its_outcome() {
    let dir = repository();
    // The shell that it runs behind is killed when it has noted how the program ended, and is not gone yet.
    let noted = "echo done; echo 0 >.agent/endstate/runs/$ENDSTATE_RUN/status; kill -9 $PPID";
    let cases: [(&str, RunOutcome, Option<Code>, Option<&str>); 9] = [
        ("echo done", RunOutcome::Success, None, Some("done\n")),
        ("true", RunOutcome::Failed, Some(Code::RunSilent), None),
        ("echo ' '", RunOutcome::Failed, Some(Code::RunSilent), None),
        ("echo half; exit 1", RunOutcome::Failed, Some(Code::RunFailed), Some("half\n")),
        ("kill -9 $$", RunOutcome::Lost, Some(Code::RunLost), None),
        (noted, RunOutcome::Success, None, Some("done\n")),
        ("head -c 100000000 /dev/zero", RunOutcome::Lost, Some(Code::RunFlooded), None),
        ("printf 'a\\377b\\303'", RunOutcome::Success, None, Some("a\u{fffd}b\u{fffd}")),
        (
            "echo '{\"endstate\":\"result\",\"tokens\":9,\"outcome\":\"partial\"}'; echo x",
            RunOutcome::Partial,
            None,
            Some("x\n"),
        ),
    ];
    for (place, (script, outcome, code, report)) in cases.into_iter().enumerate() {
        let mut host = Host::scripted(dir.path(), script);
        let run = id(place as u64 + 1);
        let facts = host.play(run, spawn());
        assert!(matches!(facts[0], Fact::RunStarted(_)), "{script}: {facts:?}");
        let ended = end(&facts);
        let found = (ended.outcome, ended.problem.as_ref().map(|problem| problem.code));
        assert_eq!(found, (outcome, code), "{script}");
        assert_eq!(ended.report.as_deref(), report, "{script}");
        let stdout = dir.path().join(format!(".agent/endstate/runs/{run}/stdout"));
        assert!(fs::metadata(stdout).unwrap().len() <= 1_048_576, "{script}");
    }
}

/// A run is told of when it starts, whatever it says of itself: the user may stop it a moment later. It is held to every
/// session it names.
#[test]
fn the_start_of_a_run_waits_for_nothing_and_its_sessions_are_told() {
    let dir = repository();
    let line = |name: &str| format!("echo '{{\"endstate\":\"result\",\"session\":\"{name}\"}}'");
    let (first, second) = (line("s1"), line("s2"));
    let program = dir.path().join(".git/agent");
    let script = format!("#!/bin/sh\nsleep 3; {first}; {second}; echo done; {first}\n");
    fs::write(&program, script).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let agent = Agent::Real { name: "claude".to_owned(), program };
    let mut host = Host::at(dir.path(), Options { agent: Some(agent), ..options(None) });
    let began = Instant::now();
    host.order(id(1), Order::SpawnRole(spawn()));
    assert!(matches!(host.fact(), Fact::RunStarted(_)));
    assert!(began.elapsed() < Duration::from_millis(2_500), "told after {:?}", began.elapsed());
    let mut sessions = Vec::new();
    while let Fact::RunProgressed(progress) = host.fact() {
        sessions.extend(progress.sessions().map(str::to_owned));
    }
    assert_eq!(sessions, ["s1", "s2"]);
}

#[test]
fn a_run_that_never_ends_is_ended_even_if_it_refuses() {
    let dir = repository();
    let mut host = Host::scripted(dir.path(), "trap '' TERM; while :; do sleep 0.1; done");
    let mut order = spawn();
    order.limits.timeout_ms = 300;
    let began = Instant::now();
    let ended = end(&host.play(id(1), order));
    assert_eq!(ended.problem.unwrap().code, Code::RunTimedOut);
    assert_eq!(ended.outcome, RunOutcome::Lost);
    assert!(began.elapsed() < Duration::from_secs(8));
}

#[test]
fn what_a_run_leaves_behind_is_ended() {
    let dir = repository();
    let mut host = Host::scripted(dir.path(), "sleep 300 >/dev/null 2>&1 & echo $!");
    let ended = end(&host.play(id(1), spawn()));
    let pid: u32 = ended.report.unwrap().trim().parse().unwrap();
    assert!(gone(pid), "process {pid} outlived its run");
}

#[test]
fn a_stopped_run_is_lost_and_leaves_nothing() {
    let dir = repository();
    for (place, kill) in [true, false].into_iter().enumerate() {
        let script = "echo $$; sleep 300 & echo $!; wait";
        let mut host = Host::scripted(dir.path(), script);
        let run = id(place as u64 + 1);
        host.order(run, Order::SpawnRole(spawn()));
        assert!(matches!(host.fact(), Fact::RunStarted(_)));
        let stop = Order::StopRole(StopRole { run, kill });
        assert!(matches!(host.answer(id(9), stop), Fact::EffectPerformed(_)));
        let ended = loop {
            if let Fact::RunEnded(ended) = host.fact() {
                break ended;
            }
        };
        assert_eq!(ended.outcome, RunOutcome::Lost, "kill: {kill}");
        assert_eq!(ended.problem.unwrap().code, Code::RunLost);
        let stdout = dir.path().join(format!(".agent/endstate/runs/{run}/stdout"));
        for pid in fs::read_to_string(stdout).unwrap().lines() {
            assert!(gone(pid.parse().unwrap()), "process {pid} outlived its run");
        }
    }
}

#[test]
fn a_run_is_told_what_it_needs_and_says_how_it_goes() {
    let dir = repository();
    let script = r#"echo '{"endstate":"result","session":"s-1","cost_micros":5}'
        cat; cat "$0"; echo "$ENDSTATE_ROLE $ENDSTATE_RUN $ENDSTATE_VISIT $ENDSTATE_ITEM"
        echo "$ENDSTATE_MISSION|$ENDSTATE_CORRECTS|$GIT_DIR"; [ "$ENDSTATE_ROOT" = "$PWD" ] && echo here
        sleep 1.2; printf '\033[31mred\033[0m\n' >&2
        echo '{"endstate":"progress","kind":"test","text":"2 of 3"}'; sleep 0.2"#;
    let mut host = Host::at(dir.path(), options(Some(&["sh", "-c", script, "{prompt_file}"])));
    let facts = host.play(id(3), spawn());
    assert!(matches!(facts[0], Fact::RunStarted(_)), "{facts:?}");
    let ended = end(&facts);
    let expected = "do the work\ndo the work\ntester 3.1 2 slice-1\nTest the host|7.1|\nhere\n";
    assert_eq!(ended.report.as_deref(), Some(expected));
    assert_eq!(ended.usage.cost_micros, 5);
    assert!(ended.usage.duration_ms >= 1_200);
    let entries = facts.iter().filter_map(|fact| match fact {
        Fact::RunProgressed(progressed) => Some(progressed.entries.clone()),
        _ => None,
    });
    let entries: Vec<String> =
        entries.flatten().map(|entry| format!("{}:{}", entry.kind, entry.text)).collect();
    assert!(entries.contains(&"activity:red".to_owned()), "{entries:?}");
    assert!(entries.contains(&"test:2 of 3".to_owned()), "{entries:?}");
    assert!(entries.contains(&"session:s-1".to_owned()), "{entries:?}");
    assert!(facts.len() <= 5, "{} facts in a run of 1.4 s", facts.len());
}

#[test]
fn secrets_are_in_no_fact_and_no_kept_file() {
    let dir = repository();
    let script = "echo my token is s3cr3t-value; echo s3cr3t-value >&2";
    let mut host = Host::scripted(dir.path(), script);
    let ended = end(&host.play(id(1), spawn()));
    assert_eq!(ended.report.as_deref(), Some("my token is [redacted:MY_TOKEN]\n"));
    for name in ["stdout", "stderr", "result.json"] {
        let path = dir.path().join(".agent/endstate/runs/1.1").join(name);
        let text = fs::read_to_string(path).unwrap();
        assert!(!text.contains("s3cr3t") && text.contains("[redacted:MY_TOKEN]"), "{name}: {text}");
    }
}

#[test]
fn a_program_that_is_not_there_is_named() {
    let dir = repository();
    for name in ["no-such-program", "./README.md"] {
        let mut host = Host::at(dir.path(), options(Some(&[name])));
        let facts = host.play(id(1), spawn());
        let [Fact::EffectFailed(failed)] = facts.as_slice() else { panic!("{facts:?}") };
        assert_eq!((failed.problem.code, failed.problem.at.as_str()), (Code::HostFailed, name));
    }
    let mut host = Host::at(dir.path(), options(None));
    let facts = host.play(id(1), spawn());
    assert!(matches!(facts.as_slice(), [Fact::EffectFailed(_)]));
}

#[test]
fn an_effect_is_never_run_twice() {
    let dir = repository();
    let script = "echo ran >>count; echo report";
    let first = Host::scripted(dir.path(), script).play(id(1), spawn());
    let mut host = Host::scripted(dir.path(), script);
    let again = host.play(id(1), spawn());
    assert_eq!(first.last(), again.last());
    assert_eq!(fs::read_to_string(dir.path().join("count")).unwrap(), "ran\n");
    assert_eq!(host.notes.reports.len(), 1);
    // Its result gone, what it wrote is read once more; without a status it is lost, and still not run again.
    let folder = dir.path().join(".agent/endstate/runs/1.1");
    fs::remove_file(folder.join("result.json")).unwrap();
    let ended = end(&Host::scripted(dir.path(), script).play(id(1), spawn()));
    assert_eq!((ended.outcome, ended.report.as_deref()), (RunOutcome::Success, Some("report\n")));
    for name in ["result.json", "status"] {
        fs::remove_file(folder.join(name)).unwrap();
    }
    let ended = end(&Host::scripted(dir.path(), script).play(id(1), spawn()));
    assert_eq!(ended.problem.unwrap().code, Code::RunLost);
    assert_eq!(fs::read_to_string(dir.path().join("count")).unwrap(), "ran\n");
}

#[test]
fn what_was_put_in_the_place_of_a_run_is_not_believed() {
    let dir = repository();
    let places = Places::of(&fs::canonicalize(dir.path()).unwrap());
    let (send, facts) = std::sync::mpsc::channel();
    let mut performer = Performer::new(&places, options(None), send, Some(4));
    let mut notes = Notes::default();
    for (seq, status) in [(4, 0), (5, 1), (6, 1)] {
        let folder = places.run(&id(seq).to_string());
        let (outside, forged) = (dir.path().join("outside"), folder.join("result.json"));
        // The last one stands behind a link.
        if seq == 6 {
            fs::create_dir(&outside).unwrap();
            symlink(&outside, &folder).unwrap();
        } else {
            fs::create_dir_all(&folder).unwrap();
        }
        fs::write(folder.join("record.json"), "{}").unwrap();
        let fact = Fact::CommandExited(CommandExited::new(id(seq), Some(0), ""));
        fs::write(forged, endstate::vocab::json::encode(&fact)).unwrap();
        let order = Order::RunCommand(command(&["false"]));
        performer.perform(&Effect { id: id(seq), order }, &Contents::default(), &mut notes);
        // What an earlier driver may have left is its result; what this one ordered has none yet.
        match facts.recv_timeout(Duration::from_secs(30)).unwrap() {
            Fact::CommandExited(exited) => assert_eq!(exited.status, Some(status), "{seq}"),
            other => panic!("{other:?}"),
        }
        if seq == 6 {
            assert_eq!(fs::read_dir(&outside).unwrap().count(), 2, "it wrote behind a link");
        }
    }
    let foreign = |run: &str| Report::RunForeign { run: run.to_owned() };
    assert_eq!(notes.reports[1..], [foreign("5.1"), foreign("6.1")]);
}

#[test]
fn what_a_dead_host_left_running_is_ended() {
    let dir = repository();
    let root = fs::canonicalize(dir.path()).unwrap();
    let mut child = std::process::Command::new("sh")
        .args(["-c", "sleep 300 & echo $! >left; wait"])
        .current_dir(&root)
        .env("ENDSTATE_RUN", "1.1")
        .env("ENDSTATE_ROOT", &root)
        .process_group(0)
        .spawn()
        .unwrap();
    let left: u32 = loop {
        match fs::read_to_string(root.join("left")).unwrap_or_default().trim().parse() {
            Ok(pid) => break pid,
            Err(_) => std::thread::sleep(Duration::from_millis(10)),
        }
    };
    let start = processes::start_time(child.id()).unwrap();
    let record = Record {
        effect: id(1),
        pid: child.id(),
        start,
        argv: vec!["sh".to_owned()],
        confined: false,
    };
    let folder = root.join(".agent/endstate/runs/1.1");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("record.json"), serde_json::to_string(&record).unwrap()).unwrap();
    let ended = end(&Host::scripted(&root, "echo again").play(id(1), spawn()));
    assert_eq!(ended.outcome, RunOutcome::Lost);
    child.wait().unwrap();
    assert!(gone(left));
}

/// Whoever was just started shows nothing of itself for a moment; a long environment makes that moment long.
#[test]
fn what_is_about_to_run_is_ended_too() {
    let mark = ("ENDSTATE_RUN".to_owned(), "about to run".to_owned());
    for round in 0..100 {
        let mut command = std::process::Command::new("sleep");
        command.arg("20").process_group(0).env(&mark.0, &mark.1);
        command.envs((0..100_000).map(|nth| (format!("{nth:x}"), "")));
        let mut child = command.spawn().unwrap();
        process::end_leftovers(std::slice::from_ref(&mark));
        assert_ne!(child.wait().unwrap().code(), Some(0), "round {round}: nobody saw it");
    }
}

#[test]
fn behind_its_gate_a_program_does_not_run() {
    let dir = repository();
    let path = |name: &str| dir.path().join(name);
    fs::write(path("in"), "").unwrap();
    let spec = process::Spec {
        before: Vec::new(),
        argv: ["touch", "ran"].map(str::to_owned).to_vec(),
        directory: dir.path().to_owned(),
        environment: None,
        variables: Vec::new(),
        input: path("in"),
        stdout: path("out"),
        stderr: path("err"),
        status: path("status"),
        timeout: Duration::from_secs(5),
        output_bytes: 1_000,
    };
    // Cancelled, and simply dropped as by a host that dies.
    process::spawn(spec.clone()).unwrap().cancel();
    let gated = process::spawn(spec.clone()).unwrap();
    let pid = gated.pid;
    drop(gated);
    while !gone(pid) {
        std::thread::sleep(Duration::from_millis(10));
    }
    assert!(!path("ran").exists());
    let end = process::spawn(spec).unwrap().run(&process::Stop::default(), &mut |_, _| {});
    assert_eq!(end.unwrap(), process::End::Exited(0));
    assert!(Path::new(&path("ran")).exists());
}
