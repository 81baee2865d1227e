//! Stories of the promise protocol, told in code, one theme per file. Each is written down, event by
//! event, as a trace under `tests/traces/promise`; see `tests/traces.rs`.
#![allow(dead_code, unreachable_pub, missing_docs, clippy::unwrap_used, clippy::panic)]

pub use crate::common::*;
pub use endstate::Continuation;
pub use endstate::engine::Config;
pub use endstate::plan::document::LineRange;
pub use endstate::protocols::ProtocolConfig;
pub use endstate::protocols::promise::state::{SmokeGate, TaskConfig, TaskStatus};
pub use endstate::protocols::promise::task::CriterionText;
pub use endstate::protocols::promise::{self};
pub use endstate::vocab::budget::Counter;
pub use endstate::vocab::command::{Command, NewItem, PlanChange, StopMode};
pub use endstate::vocab::error::Code;
pub use endstate::vocab::event::*;
pub use endstate::vocab::question::Answer;
pub use serde_json::{Value, json};

pub mod blocked;
pub mod claims;
pub mod commands;
pub mod ending;
pub mod features;
pub mod host;
pub mod verdicts;

/// Every story, theme by theme.
pub fn all() -> impl Iterator<Item = &'static Tale> {
    let themes: [&'static [Tale]; 7] = [
        claims::TALES,
        verdicts::TALES,
        ending::TALES,
        blocked::TALES,
        features::TALES,
        commands::TALES,
        host::TALES,
    ];
    themes.into_iter().flatten()
}

/// A task with so many criteria.
pub fn task(id: &str, criteria: usize, after: &[&str]) -> TaskConfig {
    let criterion = |number: usize| CriterionText {
        id: format!("AC-{number:03}"),
        text: format!("condition {number} of {id}"),
        lines: LineRange { first: 0, last: 0 },
    };
    TaskConfig {
        id: id.to_owned(),
        title: format!("Task {id}"),
        document: None,
        criteria: (1..=criteria).map(criterion).collect(),
        dependencies: after.iter().map(|id| (*id).to_owned()).collect(),
        status: TaskStatus::Pending,
    }
}

/// A mission of one task with two criteria.
pub fn single() -> promise::Config {
    promise::Config::new(MISSION, vec![task("T1", 2, &[])])
}

pub fn of(config: promise::Config) -> Config {
    Config { budget: Default::default(), ..Config::new(ProtocolConfig::Promise(config)) }
}

/// A mission that was started: the first player is due.
pub fn going(config: promise::Config) -> Story {
    let mut story = Story::start(&of(config), World::new());
    story.go();
    story
}

/// One promised row with a test as its proof.
pub fn row(id: &str, status: &str) -> Value {
    let evidence = match status {
        "verified" => json!([{"kind": "test", "id": format!("tests/{id}")}]),
        _ => json!([]),
    };
    json!({"criterion_id": id, "criterion": "", "status": status, "evidence": evidence})
}

pub fn promise(task: &str, turn: u32, rows: Vec<Value>) -> Value {
    json!({
        "task_id": task, "turn": turn,
        "completion_promise": {"statement": "as far as it goes", "criteria": rows},
    })
}

/// One verified row.
pub fn check(id: &str, said: &str, holds: bool) -> Value {
    let status = i32::from(!holds);
    let mut row = json!({
        "criterion_id": id, "player_status": said, "coach_verified": holds,
        "verification_method": "ran its test",
        "evidence": [{"kind": "command", "command": format!("test {id}"), "exit_status": status}],
    });
    if !holds && said == "verified" {
        row["discrepancy"] = json!(format!("{id} does not do what it says"));
    }
    row
}

pub fn coach(task: &str, turn: u32, decision: &str, rows: Vec<Value>) -> Value {
    json!({
        "task_id": task, "turn": turn, "decision": decision, "feedback": "",
        "blocking_issues": [], "criteria_verification": rows,
    })
}

/// The player commits and promises every criterion of a task that has `count`.
pub fn play(story: &mut Story, task: &str, turn: u32, count: usize) {
    let rows = ids(count).iter().map(|id| row(id, "verified")).collect();
    play_rows(story, task, turn, rows);
}

pub fn play_rows(story: &mut Story, task: &str, turn: u32, rows: Vec<Value>) {
    let effect = story.begin("player");
    story.world.commit(&[&format!("src/{task}.rs")]);
    story.end(effect, report(promise(task, turn, rows)));
}

/// The coach finds that the criteria hold, but for those that are named.
pub fn verify(story: &mut Story, task: &str, turn: u32, count: usize, bad: &[&str]) {
    let decision = if bad.is_empty() { "approve" } else { "feedback" };
    verify_as(story, task, turn, count, bad, decision);
}

pub fn verify_as(
    story: &mut Story,
    task: &str,
    turn: u32,
    count: usize,
    bad: &[&str],
    decision: &str,
) {
    let rows =
        ids(count).iter().map(|id| check(id, "verified", !bad.contains(&id.as_str()))).collect();
    story.run("coach", coach(task, turn, decision, rows));
}

pub fn ids(count: usize) -> Vec<String> {
    (1..=count).map(|number| format!("AC-{number:03}")).collect()
}

/// A whole turn in which these criteria turn out bad.
pub fn turn(story: &mut Story, task: &str, turn: u32, count: usize, bad: &[&str]) {
    play(story, task, turn, count);
    verify(story, task, turn, count, bad);
}

/// The state of a task, as JSON.
pub fn at(story: &Story, task: &str, path: &str) -> Value {
    let state = story.state();
    let tasks = state["tasks"].as_array().unwrap();
    let found = tasks.iter().find(|one| one["id"] == task).unwrap();
    found.pointer(path).cloned().unwrap_or_default()
}

/// The words of the criteria's states.
pub fn words(story: &Story, task: &str) -> Vec<String> {
    let criteria = at(story, task, "/criteria");
    let word = |one: &Value| one["state"]["state"].as_str().unwrap().to_owned();
    criteria.as_array().unwrap().iter().map(word).collect()
}

/// The last record of a turn that is on disk.
pub fn record(story: &Story) -> Value {
    let text = &story.world.files[".agent/promise/turns.jsonl"];
    serde_json::from_str(text.lines().last().unwrap()).unwrap()
}

pub fn done(story: &Story) {
    let view = story.engine.view();
    assert_eq!(view.continuation, Continuation::Done, "{}", view.reason);
    assert!(story.engine.pending().is_empty());
}
