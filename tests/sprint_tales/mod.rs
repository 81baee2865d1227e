//! Stories of the sprint protocol, told in code, one theme per file. Each is written down, event by
//! event, as a trace under `tests/traces/sprint`; see `tests/traces.rs`.
#![allow(dead_code, unreachable_pub, missing_docs, clippy::unwrap_used, clippy::panic)]

pub use crate::common::*;
pub use endstate::Continuation;
pub use endstate::engine::Config;
pub use endstate::protocols::ProtocolConfig;
pub use endstate::protocols::sprint::config::{
    Begins, Check, Clarity, CommandLine, CriterionConfig, Expect, PlanFile, SprintConfig, TaskKind,
    Traits, UnitConfig,
};
pub use endstate::protocols::sprint::{self};
pub use endstate::vocab::budget::Counter;
pub use endstate::vocab::command::{Command, NewItem, PlanChange, StopMode};
pub use endstate::vocab::effect::Order;
pub use endstate::vocab::error::{Code, Error};
pub use endstate::vocab::event::*;
pub use endstate::vocab::question::Answer;
pub use endstate::vocab::role::{Tier, Usage};
pub use endstate::vocab::shown::ShownBy;
pub use serde_json::{Value, json};
pub use std::collections::BTreeMap;

pub mod attempts;
pub mod changes;
pub mod commands;
pub mod entry;
pub mod gates;
pub mod grounds;
pub mod honest;
pub mod host;
pub mod kinds;
pub mod lost;
pub mod models;
pub mod numbers;
pub mod order;
pub mod roster;
pub mod stopping;
pub mod verdicts;

/// Every story, theme by theme.
pub fn all() -> impl Iterator<Item = &'static Tale> {
    let themes: [&'static [Tale]; 15] = [
        order::TALES,
        verdicts::TALES,
        grounds::TALES,
        attempts::TALES,
        gates::TALES,
        kinds::TALES,
        models::TALES,
        stopping::TALES,
        commands::TALES,
        host::TALES,
        lost::TALES,
        entry::TALES,
        changes::TALES,
        numbers::TALES,
        roster::TALES,
    ];
    themes.into_iter().flatten()
}

pub fn line(words: &str) -> CommandLine {
    let argv = words.split(' ').map(str::to_owned).collect();
    CommandLine { argv, ..CommandLine::default() }
}

/// A criterion that a command shows.
pub fn shown(id: &str) -> CriterionConfig {
    let check = Check::Command(line(&format!("test {id}")));
    let text = format!("{id} holds");
    CriterionConfig { id: id.to_owned(), text, check, vague: false, build: false }
}

/// A criterion that a command shows by building everything.
pub fn built(id: &str) -> CriterionConfig {
    CriterionConfig { build: true, ..shown(id) }
}

/// A criterion that a verifier must judge.
pub fn judged(id: &str) -> CriterionConfig {
    CriterionConfig { check: Check::Verifier, ..shown(id) }
}

/// A criterion of which nobody can say when it holds.
pub fn vague(id: &str) -> CriterionConfig {
    CriterionConfig { vague: true, text: "it works correctly".to_owned(), ..judged(id) }
}

/// A sprint of code with these criteria.
pub fn of(label: &str, criteria: Vec<CriterionConfig>) -> SprintConfig {
    SprintConfig {
        label: label.to_owned(),
        name: format!("Part {label}"),
        kind: TaskKind::Code,
        definition: format!("### Sprint {label}: Part {label}\n\nDo part {label}."),
        entry: Vec::new(),
        entry_ids: Vec::new(),
        entry_checks: Vec::new(),
        criteria,
        after: Vec::new(),
        reads: Vec::new(),
        traits: Traits::default(),
        timeout_ms: None,
        begins: Begins::Fresh,
    }
}

/// A sprint whose only criterion a command shows.
pub fn part(label: &str) -> SprintConfig {
    of(label, vec![shown("AC-001")])
}

pub fn kind(kind: TaskKind, mut sprint: SprintConfig) -> SprintConfig {
    sprint.kind = kind;
    sprint
}

/// A unit in a directory of its own.
pub fn unit(id: &str, after: &[&str], sprints: Vec<SprintConfig>) -> UnitConfig {
    UnitConfig {
        id: id.to_owned(),
        name: format!("Unit {id}"),
        directory: id.to_owned(),
        after: after.iter().map(|id| (*id).to_owned()).collect(),
        checks: Vec::new(),
        progress_files: Vec::new(),
        sprints,
    }
}

pub fn mission(units: Vec<UnitConfig>) -> sprint::Config {
    sprint::Config { trusted: true, ..sprint::Config::new(MISSION, "Greeter", units) }
}

/// One unit with one sprint.
pub fn single(criteria: Vec<CriterionConfig>) -> sprint::Config {
    mission(vec![unit("a", &[], vec![of("1", criteria)])])
}

pub fn wrap(config: sprint::Config) -> Config {
    Config { budget: Default::default(), ..Config::new(ProtocolConfig::Sprint(Box::new(config))) }
}

/// A plan document, all by itself, as the config of a mission.
pub fn of_plan(path: &str, text: &str) -> Result<sprint::plan::Planned, Error> {
    let files = BTreeMap::from([(path.to_owned(), text.to_owned())]);
    sprint::plan::config(path, &files, "project")
}

/// A mission that was started.
pub fn going(config: sprint::Config) -> Story {
    let mut story = Story::start(&wrap(config), World::new());
    story.go();
    story
}

/// The agent's report on a sprint: everything done, with proof for each criterion.
pub fn says(sprint: &str, outcome: &str, ids: &[&str]) -> Value {
    let claim = |id: &&str| {
        json!({"criterion": id, "status": "complete",
            "evidence": [{"kind": "test", "id": format!("tests/{id}")}]})
    };
    let claims: Vec<Value> = ids.iter().map(claim).collect();
    json!({"sprint": sprint, "outcome": outcome, "claims": claims})
}

/// The run of a sprint's agent begins.
pub fn begin(story: &mut Story, sprint: &str) -> EffectId {
    story.begin_item("agent", sprint)
}

/// The agent commits a file of its unit and reports.
pub fn finish(story: &mut Story, run: EffectId, sprint: &str, block: Value) {
    let (unit, label) = sprint.split_once('/').unwrap();
    story.world.commit(&[&format!("{unit}/part{label}.rs")]);
    story.end(run, report(block));
}

/// A whole run that says it did everything.
pub fn work(story: &mut Story, sprint: &str, ids: &[&str]) {
    let run = begin(story, sprint);
    finish(story, run, sprint, says(sprint, "completed", ids));
}

/// A run that says it did a part.
pub fn work_partly(story: &mut Story, sprint: &str) {
    let run = begin(story, sprint);
    let mut block = says(sprint, "partial", &[]);
    block["remaining"] = json!(["the rest"]);
    finish(story, run, sprint, block);
}

/// A run that fails.
pub fn fails(story: &mut Story, sprint: &str) {
    let run = begin(story, sprint);
    story.failed(run, RunOutcome::Failed);
}

/// The verifier judges these criteria; the named ones do not hold.
pub fn verify(story: &mut Story, sprint: &str, ids: &[&str], bad: &[&str]) {
    let run = story.begin_item("verifier", sprint);
    story.end(run, report(verdicts_on(sprint, ids, bad)));
}

pub fn verdicts_on(sprint: &str, ids: &[&str], bad: &[&str]) -> Value {
    let row = |id: &&str| {
        let holds = !bad.contains(id);
        json!({"criterion": id, "finding": if holds { "holds" } else { "does_not_hold" },
            "method": "ran it",
            "evidence": [{"kind": "command", "command": format!("try {id}"),
                "exit_status": i32::from(!holds)}]})
    };
    let rows: Vec<Value> = ids.iter().map(row).collect();
    json!({"sprint": sprint, "verdicts": rows, "must_fix": []})
}

/// What the command of a criterion exits with from now on.
pub fn exits(story: &mut Story, sprint: &str, id: &str, status: i32) {
    let purpose = format!("check {sprint} {id}");
    story.world.exits.insert(purpose, (Some(status), format!("{id} said {status}")));
}

/// A field of a sprint, as JSON.
pub fn at(story: &Story, sprint: &str, path: &str) -> Value {
    row(story, "sprints", sprint, path)
}

pub fn row(story: &Story, table: &str, id: &str, path: &str) -> Value {
    let state = story.state();
    let rows = state[table].as_array().unwrap();
    let found = rows.iter().find(|one| one["id"] == id).unwrap_or_else(|| panic!("no {id}"));
    found.pointer(path).cloned().unwrap_or_default()
}

pub fn status(story: &Story, sprint: &str) -> String {
    at(story, sprint, "/status").as_str().unwrap().to_owned()
}

pub fn unit_status(story: &Story, unit: &str) -> String {
    row(story, "units", unit, "/status").as_str().unwrap().to_owned()
}

pub fn attempt(story: &Story, sprint: &str) -> u64 {
    at(story, sprint, "/attempt").as_u64().unwrap()
}

/// The sprints whose agent is ordered and not alive, in order.
pub fn due(story: &Story) -> Vec<String> {
    let pending = story.engine.pending();
    let ordered = pending.iter().filter(|one| !one.live());
    ordered
        .filter_map(|one| match &one.effect.order {
            Order::SpawnRole(spawn) if spawn.role == "sprint-agent" => spawn.item.clone(),
            _ => None,
        })
        .collect()
}

/// The spawn order of a sprint.
pub fn ordered(story: &Story, sprint: &str) -> endstate::vocab::effect::SpawnRole {
    let pending = story.engine.pending();
    let found = pending.into_iter().find_map(|one| match one.effect.order.clone() {
        Order::SpawnRole(spawn) if spawn.item.as_deref() == Some(sprint) => Some(spawn),
        _ => None,
    });
    found.unwrap_or_else(|| panic!("no run of {sprint} is ordered: {:#?}", story.engine.why()))
}

/// The timer of this name comes due.
pub fn fire(story: &mut Story, name: &str) {
    let effect = story.engine.pending().into_iter().find_map(|one| match &one.effect.order {
        Order::SetTimer(timer) if timer.name == name => Some((one.effect.id, timer.due_at)),
        _ => None,
    });
    let (effect, due) =
        effect.unwrap_or_else(|| panic!("no timer {name}: {:#?}", story.engine.pending()));
    story.at = story.at.max(due);
    story.fact(Fact::TimerFired(TimerFired { effect }));
    story.settle();
}

/// A file as it is on disk.
pub fn page(story: &Story, name: &str) -> String {
    story.world.files.get(name).cloned().unwrap_or_else(|| panic!("no {name}"))
}

/// The decisions that were logged.
pub fn decisions(story: &Story) -> Vec<String> {
    let state = story.state();
    let rows = state["decisions"].as_array().unwrap();
    rows.iter().map(|row| row["decision"].as_str().unwrap().to_owned()).collect()
}

pub fn logged(story: &Story, words: &str) -> bool {
    decisions(story).iter().any(|decision| decision.contains(words))
}

pub fn done(story: &Story) {
    let view = story.engine.view();
    assert_eq!(view.continuation, Continuation::Done, "{} {:#?}", view.reason, story.engine.why());
    assert!(story.engine.pending().is_empty(), "{:#?}", story.engine.pending());
}
