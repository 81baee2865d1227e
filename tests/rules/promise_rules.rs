//! The "never" sentences of the promise protocol: each is broken here by hand, and noticed when the
//! snapshot is opened.
#![allow(clippy::unwrap_used, clippy::panic, clippy::disallowed_methods)]

use crate::promise_tales::*;
use endstate::snapshot::Snapshot;

/// Opens the story's snapshot with something changed; answers with the code, empty if nothing is broken.
fn broken(story: &Story, changes: &[(&str, Value)]) -> String {
    let mut snapshot = serde_json::to_value(story.engine.snapshot()).unwrap();
    for (pointer, value) in changes {
        *snapshot.pointer_mut(pointer).unwrap_or_else(|| panic!("no {pointer}")) = value.clone();
    }
    match Snapshot::read(&snapshot.to_string()) {
        Ok(_) => String::new(),
        Err(error) => error.code.to_string(),
    }
}

const TASK: &str = "/mission/state/tasks/0";

fn at_task(path: &str) -> String {
    format!("{TASK}{path}")
}

fn check_broken(story: &Story, pointer: &str, value: Value, code: &str) {
    assert_eq!(broken(story, &[]), "", "the story itself holds");
    assert_eq!(broken(story, &[(pointer, value)]), code, "{pointer}");
}

#[test]
fn nobody_verifies_in_a_session_that_was_named_late() {
    let mut story = going(single());
    let effect = story.begin_in("player", None);
    story.world.commit(&["src/T1.rs"]);
    story.names(effect, "late");
    let rows = vec![row("AC-001", "verified"), row("AC-002", "verified")];
    story.end(effect, report(promise("T1", 1, rows)));
    let effect = story.begin_in("coach", Some("late"));
    let rows = vec![check("AC-001", "verified", true), check("AC-002", "verified", true)];
    story.end(effect, report(coach("T1", 1, "approve", rows)));
    assert_eq!(story.problem(), "own_verdict");
}

#[test]
fn never_approves_over_an_open_criterion() {
    let mut story = going(single());
    turn(&mut story, "T1", 1, 2, &[]);
    check_broken(&story, &at_task("/criteria/1/state"), json!({"state": "open"}), "broken_done");
}

#[test]
fn never_lets_a_run_verify_its_own_promise() {
    let mut story = going(single());
    turn(&mut story, "T1", 1, 2, &[]);
    let claimant = at(&story, "T1", "/criteria/0/state/claimed_by/run");
    let pointer = at_task("/criteria/0/state/verified_by");
    check_broken(&story, &pointer, json!([claimant]), "broken_separation");
}

#[test]
fn never_keeps_a_task_without_criteria() {
    let story = going(single());
    check_broken(&story, &at_task("/criteria"), json!([]), "broken_criteria");
}

#[test]
fn never_promises_without_a_commit() {
    let mut story = going(single());
    play(&mut story, "T1", 1, 2);
    check_broken(&story, &at_task("/play/promise/commit"), json!(""), "broken_commit");
    check_broken(&story, &at_task("/play/promise"), Value::Null, "broken_commit");
}

#[test]
fn never_counts_partial_as_complete() {
    let mut story = going(single());
    play(&mut story, "T1", 1, 2);
    let pointer = at_task("/play/promise/claims/0/status");
    check_broken(&story, &pointer, json!("partial"), "broken_criteria");
}

#[test]
fn never_plays_beyond_the_limit() {
    let story = going(single());
    check_broken(&story, &at_task("/play/turn"), json!(6), "broken_limit");
    check_broken(&story, &at_task("/play/turn"), json!(0), "broken_limit");
}

#[test]
fn never_lets_player_and_coach_meet() {
    let mut story = going(single());
    story.begin("player");
    check_broken(&story, "/mission/state/core/life/runs", json!([]), "broken_topology");
    let unknown = json!([{"about": "own", "topic": {"about": "weather"}}]);
    check_broken(&story, "/mission/state/core/life/asking", unknown, "broken_topology");
    let mut both = serde_json::to_value(story.engine.snapshot()).unwrap();
    let mut coach = both["head"]["outbox"][0].clone();
    coach["effect"]["id"] = json!("1.7");
    coach["effect"]["order"]["data"]["role"] = json!("promise-coach");
    coach["delivery"] = json!({"phase": "ordered"});
    both["head"]["outbox"].as_array_mut().unwrap().push(coach);
    let error = Snapshot::read(&both.to_string()).unwrap_err();
    assert_eq!(error.code, Code::BrokenTopology);
}

#[test]
fn never_dispatches_beside_the_table() {
    let story = going(single());
    let step = at_task("/play/step");
    let promised = json!({"by": {"run": "1.1", "session": null}, "claims": [], "made": 0,
        "similar": [], "statement": "", "faults": [], "commit": "c"});
    let changes = [(step.as_str(), json!("coach")), (&at_task("/play/promise"), promised)];
    assert_eq!(broken(&story, &changes), "broken_dispatch");
    check_broken(&story, "/head/control", json!("paused"), "broken_dispatch");
}

#[test]
fn never_waits_while_it_must_go_on() {
    let story = going(single());
    check_broken(&story, "/head/outbox", json!([]), "broken_continuation");
}

#[test]
fn never_goes_beyond_a_wave() {
    let gate =
        SmokeGate { after_wave: 1, argv: vec!["true".to_owned()], expected_exit: 0, timeout_ms: 1 };
    let tasks = vec![task("T1", 1, &[]), task("T2", 1, &["T1"])];
    let config =
        promise::Config { smoke_gates: vec![gate], ..promise::Config::new(MISSION, tasks) };
    let mut story = going(config);
    turn(&mut story, "T1", 1, 1, &[]);
    check_broken(&story, "/mission/state/core/gates", json!({}), "broken_order");
}

#[test]
fn never_ends_over_open_work() {
    let mut story = going(single());
    turn(&mut story, "T1", 1, 2, &[]);
    let changes = [(&*at_task("/status"), json!("pending"))];
    assert_eq!(broken(&story, &changes), "broken_stop");
    check_broken(&story, "/mission/state/core/closing", json!(["T1"]), "broken_stop");
}

#[test]
fn never_spends_beyond_a_limit() {
    let story = going(single());
    check_broken(&story, "/head/budget/role_runs/limit", json!(0), "broken_budget");
}

#[test]
fn never_orders_what_is_not_its_own() {
    let story = going(single());
    let order = json!({"type": "consult", "data": {"handler": "h", "input": "{}"}});
    check_broken(&story, "/head/outbox/0/effect/order", order, "broken_outbox");
}

/// A config that makes no sense is refused before anything runs, with the place of its fault.
#[test]
fn what_cannot_be_ordered_never_begins() {
    let refused = |tasks: Vec<TaskConfig>, code: Code, at: &str| {
        let error = endstate::start(&of(promise::Config::new(MISSION, tasks)), 0).unwrap_err();
        assert_eq!((error.code, error.at.as_str()), (code, at), "{error}");
    };
    refused(Vec::new(), Code::MissingField, "mission.settings.tasks");
    let tasks = "mission.settings.tasks";
    refused(
        vec![task("T1", 1, &["T9"])],
        Code::DependencyUnknown,
        &format!("{tasks}[0].dependencies"),
    );
    refused(vec![task("T1", 1, &["T1"])], Code::DependencyCycle, tasks);
    refused(vec![task("T1", 1, &["T2"]), task("T2", 1, &["T1"])], Code::DependencyCycle, tasks);
    refused(
        vec![task("T1", 1, &[]), task("T1", 1, &[])],
        Code::DuplicateId,
        &format!("{tasks}[1].id"),
    );
    refused(vec![task("T1", 0, &[])], Code::EmptyCriteria, &format!("{tasks}[0].criteria"));
    refused(vec![task("../T1", 1, &[])], Code::InvalidValue, &format!("{tasks}[0].id"));
    let waves = |waves: &[&[&str]]| promise::Config {
        waves: waves.iter().map(|wave| wave.iter().map(|id| (*id).to_owned()).collect()).collect(),
        ..promise::Config::new(MISSION, vec![task("T1", 1, &[]), task("T2", 1, &["T1"])])
    };
    for (declared, code) in [
        (waves(&[&["T1", "T2"]]), Code::DependencyOpen),
        (waves(&[&["T2"], &["T1"]]), Code::DependencyOpen),
        (waves(&[&["T1"], &["T2", "T3"]]), Code::UnknownItem),
        (waves(&[&["T1"]]), Code::UnknownItem),
        (waves(&[&["T1"], &["T2"], &["T1"]]), Code::DuplicateId),
        (waves(&[&["T1"], &[], &["T2"]]), Code::MissingField),
    ] {
        let error = endstate::start(&of(declared), 0).unwrap_err();
        assert_eq!(error.code, code, "{error}");
    }
}
