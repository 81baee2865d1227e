//! The stop hook: who is held, who is let go, and for how long.

use crate::client::{Client, facts, prompted};
use crate::common::{endstate, program, repository};
use serde_json::{Value, json};
use std::io::Write;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

/// What the hook answers to this input; `None` for nothing.
fn hook(directory: &Path, input: &[u8], variables: &[(&str, &str)]) -> Option<Value> {
    let mut command = program(directory, &["hook", "stop", "--wait", "5", "--patience", "3"]);
    let mut child = command.envs(variables.iter().copied()).stdin(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(input).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{output:?}");
    assert!(output.stderr.is_empty(), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    (!text.is_empty()).then(|| serde_json::from_str(&text).unwrap())
}

fn asked(name: &str, root: &Path) -> Vec<u8> {
    json!({"hook_event_name": name, "cwd": root, "stop_hook_active": true, "session_id": "s"})
        .to_string()
        .into_bytes()
}

#[test]
fn an_agent_is_held_while_its_run_is_due_and_let_go_at_the_end() {
    let dir = prompted(2);
    let root = dir.path();
    // Nothing was begun: nobody is held.
    assert_eq!(hook(root, &asked("Stop", root), &[]), None);
    let mut client = Client::start(root, &["--agent", "exec:false"]);
    for _ in 0..2 {
        let run = client.given();
        for name in ["Stop", "SubagentStop"] {
            let held = hook(root, &asked(name, root), &[]).unwrap();
            assert_eq!(held["decision"], "block");
            assert!(held["reason"].as_str().unwrap().contains(&format!("run {run}")), "{held}");
        }
        // A run of the mission is never held, however it came to be asked.
        assert_eq!(hook(root, &asked("Stop", root), &[("ENDSTATE_RUN", "1.1")]), None);
        client.report(&run, &json!("Written."));
    }
    assert_eq!(client.next()["turn"], "done");
    assert_eq!(hook(root, &asked("Stop", root), &[]), None);
    client.close();
    let said = endstate(root, &["hook", "check", "--json"]).expect(0).last();
    assert_eq!((&said["heard"], &said["count"]["holds"]), (&json!(true), &json!(4)));
}

#[test]
fn nothing_held_for_ever() {
    let dir = prompted(2);
    let root = dir.path();
    let mut client = Client::start(root, &["--agent", "exec:false"]);
    client.given();
    // The start of the run is written behind its order, and it is something that happens.
    let began = Instant::now();
    while facts(root, "run_started") == 0 {
        assert!(began.elapsed() < Duration::from_secs(60), "the run never started");
        std::thread::sleep(Duration::from_millis(20));
    }
    let ask = || hook(root, &asked("Stop", root), &[]).unwrap();
    for _ in 0..3 {
        assert_eq!(ask()["decision"], "block");
    }
    let gone = ask();
    assert_eq!(gone["decision"], Value::Null);
    assert!(gone["systemMessage"].as_str().unwrap().contains("the mission is not done"), "{gone}");
    // Something happens: the patience is new.
    endstate(root, &["grant", "role_runs", "1"]).expect(0);
    assert_eq!(ask()["decision"], "block");
    // A paused mission holds nobody once the run is in.
    let run = client.given();
    endstate(root, &["pause"]).expect(0);
    client.report(&run, &json!("Written."));
    assert_eq!(client.next()["turn"], "paused");
    assert_eq!(hook(root, &asked("Stop", root), &[]), None);
}

#[test]
fn whatever_comes_in_the_answer_can_be_read() {
    let dir = prompted(1);
    let root = dir.path();
    let mut client = Client::start(root, &["--agent", "exec:false"]);
    client.given();
    let deep = [vec![b'['; 100_000], vec![b']'; 100_000]].concat();
    let inputs: [&[u8]; 7] = [b"", b"{", b"\xff\xfe", b"null", b"[]", b"{\"cwd\": 7}", &deep];
    for input in inputs {
        // Each time something happened, so that patience is not what is tested.
        endstate(root, &["grant", "role_runs", "1"]).expect(0);
        let held = hook(root, input, &[]).unwrap();
        assert_eq!(held["decision"], "block");
    }
    // A place that is none, and one without a mission.
    let elsewhere = repository();
    assert_eq!(hook(elsewhere.path(), &asked("Stop", elsewhere.path()), &[]), None);
    let nowhere = elsewhere.path().join("no/such");
    assert_eq!(hook(elsewhere.path(), &asked("Stop", &nowhere), &[]), None);
    // A directory below the root of the mission is in it.
    let below = root.join("a/b");
    std::fs::create_dir_all(&below).unwrap();
    assert_eq!(hook(&below, &asked("Stop", &below), &[]).unwrap()["decision"], "block");
    assert_eq!(facts(root, "run_ended"), 0);
}

#[test]
fn an_input_that_never_ends_is_not_waited_for() {
    let dir = prompted(1);
    let mut command = program(dir.path(), &["hook", "stop"]);
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    let open = child.stdin.take();
    let began = Instant::now();
    assert!(child.wait().unwrap().success());
    assert!(began.elapsed() < Duration::from_secs(10));
    drop(open);
}

#[test]
fn a_mission_that_nobody_drives_lets_go_with_the_reason() {
    let dir = prompted(1);
    let root = dir.path();
    // Started, and the driver gone before the run was given out.
    let held = endstate::native::Options { hold_roles: true, ..Default::default() };
    let mut driver = endstate::native::Driver::open(root, held).unwrap();
    driver.command(endstate::vocab::command::Command::Start).unwrap();
    driver.run(&mut endstate::native::Quiet, &endstate::native::StopFlag::default()).unwrap();
    drop(driver);
    let gone = hook(root, &asked("Stop", root), &[]).unwrap();
    assert!(gone["systemMessage"].as_str().unwrap().contains("nobody drives"), "{gone}");
}
