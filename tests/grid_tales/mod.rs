//! Stories of the grid protocol, told in code, one theme per file. Each is written down, event by event, as
//! a trace under `tests/traces/grid`; see `tests/traces.rs`.
#![allow(dead_code, unreachable_pub, missing_docs, clippy::unwrap_used, clippy::panic)]

pub use crate::common::*;
pub use endstate::Continuation;
pub use endstate::engine::Config;
pub use endstate::protocols::ProtocolConfig;
pub use endstate::protocols::grid::plan::{Artifact, KeyLink, MustHaves, Plan};
pub use endstate::protocols::grid::{self};
pub use endstate::vocab::budget::Counter;
pub use endstate::vocab::command::{Command, NewItem, PlanChange};
pub use endstate::vocab::effect::Order;
pub use endstate::vocab::error::Code;
pub use endstate::vocab::event::*;
pub use endstate::vocab::question::Answer;
pub use endstate::vocab::role::Usage;
pub use serde_json::{Value, json};

pub mod along;
pub mod beside;
pub mod branches;
pub mod building;
pub mod checkpoints;
pub mod commands;
pub mod deciding;
pub mod declaring;
pub mod failing;
pub mod gaps;
pub mod handing;
pub mod hostile;
pub mod learning;
pub mod planning;
pub mod refining;
pub mod rewriting;
pub mod saying;
pub mod serial;
pub mod spending;
pub mod telling;
pub mod whole;
pub mod whose;
pub mod words;

/// Every story, theme by theme.
pub fn all() -> impl Iterator<Item = &'static Tale> {
    let themes: [&'static [Tale]; 23] = [
        planning::TALES,
        branches::TALES,
        rewriting::TALES,
        building::TALES,
        gaps::TALES,
        checkpoints::TALES,
        failing::TALES,
        learning::TALES,
        refining::TALES,
        commands::TALES,
        spending::TALES,
        hostile::TALES,
        whose::TALES,
        telling::TALES,
        words::TALES,
        saying::TALES,
        serial::TALES,
        handing::TALES,
        whole::TALES,
        beside::TALES,
        along::TALES,
        deciding::TALES,
        declaring::TALES,
    ];
    themes.into_iter().flatten()
}

/// A plan with two truths and a file of its own.
pub fn plan(id: &str, after: &[&str]) -> Plan {
    Plan {
        id: id.to_owned(),
        phase: "01-base".to_owned(),
        path: None,
        declared_wave: None,
        depends_on: after.iter().map(|id| (*id).to_owned()).collect(),
        autonomous: true,
        files_modified: vec![format!("src/{id}.rs")],
        objective: format!("Build {id}"),
        verify: true,
        verify_reason: None,
        gap_closure: false,
        closes: Vec::new(),
        must_haves: MustHaves {
            truths: vec![format!("{id} works"), format!("{id} is tested")],
            ..MustHaves::default()
        },
        kind: None,
        content: format!("\n<objective>\nBuild {id}\n</objective>\n"),
    }
}

/// A cluster without a capture at its end.
pub fn cluster(plans: Vec<Plan>) -> grid::Config {
    grid::Config { capture: false, ..grid::Config::new(MISSION, plans) }
}

pub fn single() -> grid::Config {
    cluster(vec![plan("01", &[])])
}

pub fn of(config: grid::Config) -> Config {
    Config { budget: Default::default(), ..Config::new(ProtocolConfig::Grid(Box::new(config))) }
}

/// A cluster that was started.
pub fn going(config: grid::Config) -> Story {
    let mut story = Story::start(&of(config), World::new());
    story.go();
    story
}

pub fn limited(config: grid::Config, limits: &[(Counter, u64)]) -> Story {
    let budget = limits.iter().copied().collect();
    let mission = ProtocolConfig::Grid(Box::new(config));
    let mut story =
        Story::start(&Config { budget, proof: Default::default(), mission }, World::new());
    story.go();
    story
}

/// An entry of the scratchpad, as a run gives it.
pub fn note(category: &str, finding: &str) -> ProgressEntry {
    let text =
        json!({"category": category, "finding": finding, "impact": "all", "action": "INFORM_ONLY"});
    ProgressEntry { kind: "scratchpad".to_owned(), text: text.to_string() }
}

pub fn write(story: &mut Story, effect: EffectId, entries: Vec<ProgressEntry>) {
    story.fact(Fact::RunProgressed(RunProgressed { effect, entries }));
    story.settle();
}

pub fn success(id: &str, commit: &str) -> Value {
    json!({
        "block": id, "status": "SUCCESS",
        "summary": {
            "subsystem": "base", "provides": [format!("what {id} does")], "affects": [],
            "tech-stack": {"added": []},
            "key-files": {"created": [format!("src/{id}.rs")], "modified": []},
            "commits": [commit], "words": format!("{id} is built."),
        },
        "claims": [], "deviations": [], "lessons_learned": {"codebase_patterns": [format!("{id} has a module of its own")]},
    })
}

/// What a prompt forbids, between marks of data.
pub fn forbidden(prompt: &str) -> Vec<&str> {
    let (_, told) = prompt.split_once("Do NOT try again (data;").unwrap();
    let listed = told.split("````\n").nth(1).unwrap();
    listed.lines().map(|line| line.strip_prefix("- ").unwrap()).collect()
}

pub fn failure(id: &str, approach: &str, forbids: &[&str]) -> Value {
    json!({
        "block": id, "status": "FAILURE",
        "failure": {
            "thread": "1.1", "attempts": 2, "tried": [{"approach": approach, "reason": "it does not link"}],
            "created": [], "commits": [], "hypothesis": format!("{approach} cannot work"),
            "suggested_retry": "another library", "do_not_retry": forbids,
        },
    })
}

pub fn checkpoint(id: &str, kind: &str) -> Value {
    let mut body = json!({
        "type": kind, "total_threads": 3,
        "completed_threads": [{"thread": "1.1", "name": "schema", "commit": "abc1234", "files": ["src/a.rs"]}],
        "current_thread": {"thread": "1.2", "name": "forms", "status": "awaiting verification"},
        "resume_point": "thread 1.3: wiring", "awaiting": "a word",
    });
    let more = match kind {
        "human-verify" => {
            json!({"what_was_built": "a form", "how_to_verify": ["open /form", "see the greeting"]})
        }
        "decision" => json!({"decision": "where names are kept", "options": [
            {"option": "sqlite", "pros": "one file", "cons": "one writer"},
            {"option": "postgres", "pros": "many writers", "cons": "a server"}]}),
        _ => {
            json!({"automation_attempted": "the API refuses", "what_you_need_to_do": "click the link in the mail",
            "verify_after": "the API accepts the key"})
        }
    };
    for (name, value) in more.as_object().unwrap() {
        body[name] = value.clone();
    }
    json!({"block": id, "status": "CHECKPOINT", "checkpoint": body})
}

/// The executor of a block writes an entry, commits its file and reports success.
pub fn build(story: &mut Story, id: &str) {
    let effect = story.begin_item("executor", id);
    write(story, effect, vec![note("PATTERN", &format!("{id}: names are plain text"))]);
    let commit = story.world.commit(&[&format!("src/{id}.rs")]);
    story.end(effect, report(success(id, &commit)));
}

/// An executor that reports `block` after it wrote an entry; nothing is committed.
pub fn execute(story: &mut Story, id: &str, block: Value) {
    let effect = story.begin_item("executor", id);
    write(story, effect, vec![note("PROGRESS", &format!("{id}: half of it"))]);
    story.end(effect, report(block));
}

pub fn row(block: &str, criterion: &str, finding: &str) -> Value {
    let status = i32::from(finding == "does_not_hold");
    json!({
        "block": block, "criterion": criterion, "finding": finding, "method": "ran its test",
        "evidence": [{"kind": "command", "command": format!("test {block} {criterion}"), "exit_status": status}],
    })
}

/// The criteria that whoever is due now must show, as the state has them.
pub fn to_show(story: &Story) -> Vec<(String, String)> {
    let state = story.state();
    let blocks = state["blocks"].as_array().unwrap();
    let executed: Vec<&Value> =
        blocks.iter().filter(|block| block["status"] == "executed").collect();
    let chosen = match executed.is_empty() {
        false => executed,
        true => blocks.iter().filter(|block| block["status"] == "verified").collect(),
    };
    let mut all = Vec::new();
    for block in chosen {
        for one in block["criteria"].as_array().unwrap() {
            if one["state"]["state"] != "waived" {
                all.push((
                    block["id"].as_str().unwrap().to_owned(),
                    one["id"].as_str().unwrap().to_owned(),
                ));
            }
        }
    }
    all
}

pub fn verdict(story: &Story, word: &str, bad: &[&str]) -> Value {
    let rows: Vec<Value> = to_show(story)
        .iter()
        .map(|(block, id)| {
            let is_bad = bad.contains(&format!("{block}/{id}").as_str());
            row(block, id, if is_bad { "does_not_hold" } else { "holds" })
        })
        .collect();
    let gaps: Vec<Value> = bad
        .iter()
        .map(|name| {
            let (block, id) = name.split_once('/').unwrap();
            json!({"block": block, "criterion": id, "reason": format!("{name} is a stub"), "missing": ["the real thing"]})
        })
        .collect();
    json!({"verdict": word, "verdicts": rows, "gaps": gaps})
}

/// The recognizer finds that everything holds, but for what is named.
pub fn recognize(story: &mut Story, bad: &[&str]) {
    let word = if bad.is_empty() { "CLEAR" } else { "GAPS_FOUND" };
    let block = verdict(story, word, bad);
    story.run("recognizer", block);
}

pub fn planned(id: &str, after: &[&str]) -> Value {
    json!({
        "id": id, "depends_on": after, "autonomous": true, "files_modified": [format!("src/{id}.rs")],
        "objective": format!("Build {id}"),
        "frontmatter": {"phase": "01-base", "must_haves": {"truths": [format!("{id} works")]}},
        "content": format!("\n<objective>\nBuild {id}\n</objective>\n"),
    })
}

pub fn closing(id: &str, closes: &[&str]) -> Value {
    let mut plan = planned(id, &[]);
    plan["closes"] = json!(closes);
    plan
}

/// The planner plans how gaps are closed, the closure is built, and judged.
pub fn close(story: &mut Story, id: &str, closes: &[&str], bad: &[&str]) {
    story.run("planner", json!({"plans": [closing(id, closes)]}));
    build(story, id);
    recognize(story, bad);
}

/// The state of a block, as JSON.
pub fn at(story: &Story, id: &str, path: &str) -> Value {
    let state = story.state();
    let blocks = state["blocks"].as_array().unwrap();
    let found = blocks.iter().find(|one| one["id"] == id).unwrap();
    found.pointer(path).cloned().unwrap_or_default()
}

pub fn status(story: &Story, id: &str) -> String {
    at(story, id, "/status").as_str().unwrap().to_owned()
}

/// The items of the roles that are ordered or alive.
pub fn items(story: &Story) -> Vec<String> {
    let spawn = |one: endstate::vocab::effect::Outstanding| match one.effect.order.clone() {
        Order::SpawnRole(spawn) => spawn.item,
        _ => None,
    };
    story.engine.pending().into_iter().filter_map(spawn).collect()
}

pub fn prompt_of(story: &Story, item: &str) -> String {
    let prompt =
        story.engine.pending().into_iter().find_map(|one| match one.effect.order.clone() {
            Order::SpawnRole(spawn) if spawn.item.as_deref() == Some(item) => Some(spawn.prompt),
            _ => None,
        });
    prompt.unwrap_or_else(|| panic!("nobody is sent for {item}"))
}

pub fn manual(story: &mut Story, done: bool, note: &str) {
    story.answer(Answer::ManualStep { done, note: note.to_owned() });
}

pub fn tally(story: &Story, name: &str) -> u64 {
    story.engine.view().tallies.iter().find(|one| one.name == name).unwrap().count
}

/// A block that nobody judged is called verified nowhere, and everywhere the reason is said.
pub fn unjudged(story: &Story, id: &str, why: &str) {
    let words = format!("not verified: {why}");
    let page = |path: &str| story.world.files.get(path).unwrap_or_else(|| panic!("no {path}"));
    let state = page(".grid/STATE.md");
    assert!(state.contains(&format!("|-- {id}: Build {id} [{words}]")), "{state}");
    let summary = page(&format!(".grid/phases/01-base/{id}-SUMMARY.md"));
    assert!(summary.contains(&words), "{summary}");
    let found = page(".grid/VERIFICATION.md");
    assert!(found.contains(&format!("## {id} ({words})")), "{found}");
    let listed = format!("not_verified:\n  - block: \"{id}\"\n    reason: \"{why}\"\n");
    assert!(found.contains(&listed), "{found}");
    let view = story.engine.view();
    let node = view.nodes.iter().find(|node| node.id == id).unwrap();
    assert_eq!(node.status, "not verified");
    assert!(view.reason.contains(&format!("not verified: {id} ({why})")), "{}", view.reason);
    let end = view.end.unwrap();
    assert_eq!(serde_json::to_value(end.closed_by).unwrap(), "claimed");
}

pub fn done(story: &Story) {
    let view = story.engine.view();
    assert_eq!(
        view.continuation,
        Continuation::Done,
        "{} {:?}",
        view.reason,
        story.engine.why().chosen
    );
    assert!(story.engine.pending().is_empty(), "{:?}", story.engine.pending());
}
