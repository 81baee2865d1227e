//! What the peer's own functions returned, row by row, and every agent definition it ships.
//!
//! A row is met when our handler says finished and not finished at the same runs, and its words name
//! the same numbers and quoted names in the same order (the words themselves are ours). The oracle
//! holds outputs only; the inputs are what the names of the rows say. A row that differs must be listed
//! in `docs/deviations.md`, and a listed row must differ: `climpt/<table>[<row>]`, or `[*]` for a table
//! of functions that the seed does not have. Where the corpus is absent, nothing is tested and the
//! output says so.

use endstate::protocols::iteration::definition::{self, Definition};
use endstate::protocols::iteration::handler::project::Phase;
use endstate::protocols::iteration::handler::{self, Eval, Handler, Heard};
use endstate::vocab::evidence::Finding;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

fn corpus() -> Option<PathBuf> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus");
    if !corpus.join("oracles/climpt_oracle.json").is_file() {
        say(&format!("SKIPPED: corpus is absent ({})", corpus.display()));
        return None;
    }
    Some(corpus)
}

/// Past the test command, which swallows what tests that pass print.
fn say(line: &str) {
    use std::io::Write;
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// What our handler says after each run; `None` if its settings are refused.
struct Ours {
    finished: Vec<bool>,
    figures: Vec<String>,
}

fn judge(completion_type: &str, settings: Value, runs: &[&str]) -> Option<Ours> {
    let behavior = json!({"completionType": completion_type, "completionConfig": settings});
    let document = json!({"name": "helper", "behavior": behavior});
    let definition: Definition = definition::parse(&document.to_string()).ok()?;
    let handler = handler::of_config(&definition, &BTreeMap::new(), &[]).ok()?;
    let (mut finished, mut words) = (Vec::new(), String::new());
    for (at, text) in runs.iter().enumerate() {
        let iteration = at as u64 + 1;
        let heard = Heard { text: Some(text), iteration, phase: Phase::Preparation };
        let answers: Vec<_> = handler.leaves().iter().map(|leaf| leaf.hear(&heard)).collect();
        let Eval::Known(verdict) = handler.evaluate(&answers) else {
            // What the world must say: no command was run here, so it is not complete.
            finished.push(false);
            continue;
        };
        finished.push(verdict.finding == Finding::Holds);
        words = verdict.words;
    }
    Some(Ours { finished, figures: figures(&words) })
}

/// Numbers and quoted names, in order.
fn figures(words: &str) -> Vec<String> {
    let mut all = Vec::new();
    for (at, part) in words.split('"').enumerate() {
        if at % 2 == 1 {
            all.push(part.to_owned());
        } else {
            let numbers = part.split(|one: char| !one.is_ascii_digit());
            all.extend(numbers.filter(|number| !number.is_empty()).map(str::to_owned));
        }
    }
    all
}

const WORD: &str = "TASK_COMPLETE";

fn keyword(word: &str, runs: &[&str]) -> Option<Ours> {
    judge("manual", json!({"completionKeyword": word}), runs)
}

fn signal(required: Value, text: &str) -> Option<Ours> {
    let mut settings = json!({"signalType": "done-signal"});
    if !required.is_null() {
        settings["requiredFields"] = required;
    }
    judge("structured", settings, &[text])
}

fn composite(operator: &str, conditions: Value, runs: &[&str]) -> Option<Ours> {
    judge("composite", json!({"operator": operator, "conditions": conditions}), runs)
}

/// What we say to the input that a row's name describes.
fn ours(table: &str, row: &str) -> Option<Ours> {
    let iteration = |max: u64| json!({"type": "count:iteration", "config": {"maxIterations": max}});
    let word = json!({"type": "detect:keyword", "config": {}});
    let check =
        json!({"type": "count:check", "config": {"maxChecks": 1, "command": ["make", "test"]}});
    match (table, row) {
        ("iteration", "max3") => judge("iterate", json!({"maxIterations": 3}), &["a", "b", "c"]),
        ("iteration", "max0") => judge("iterate", json!({"maxIterations": 0}), &["a"]),
        ("keyword", "plain") => keyword(WORD, &["working", "all done\nTASK_COMPLETE"]),
        ("keyword", "negated") => keyword(WORD, &["I will not say TASK_COMPLETE yet"]),
        ("keyword", "caseDiff") => keyword(WORD, &["task_complete"]),
        ("keyword", "sticky") => keyword(WORD, &["TASK_COMPLETE", "still working"]),
        ("keyword", "empty") => keyword("", &["anything"]),
        ("check", "max2") => {
            judge("check", json!({"maxChecks": 2, "command": ["make", "test"]}), &["a", "b"])
        }
        ("structured", "signalField") => signal(Value::Null, "{\"signal\": \"done-signal\"}"),
        ("structured", "typeField") => signal(Value::Null, "{\"type\": \"done-signal\"}"),
        ("structured", "statusCompleted") => signal(Value::Null, "{\"status\": \"completed\"}"),
        ("structured", "resultComplete") => signal(Value::Null, "{\"result\": \"complete\"}"),
        ("structured", "otherStatus") => signal(Value::Null, "{\"status\": \"running\"}"),
        ("structured", "fenceNoReq") => signal(Value::Null, "```done-signal\n{}\n```"),
        ("structured", "fenceBadJsonNoReq") => signal(Value::Null, "```done-signal\nnot json\n```"),
        ("structured", "fenceBadJsonReq") => signal(json!(["a"]), "```done-signal\nnot json\n```"),
        ("structured", "fenceReqMissing") => signal(json!(["a"]), "```done-signal\n{\"b\":1}\n```"),
        ("structured", "objReqMatch") => signal(json!({"a": 1}), "```done-signal\n{\"a\":1}\n```"),
        ("structured", "objReqMiss") => signal(json!({"a": 1}), "```done-signal\n{\"a\":2}\n```"),
        ("structured", "arrReqNull") => signal(json!(["a"]), "```done-signal\n{\"a\":null}\n```"),
        ("structured", "fencePrefix") => signal(Value::Null, "```done-signal-extra\n{}\n```"),
        ("composite", "or_keyword_iteration") => {
            composite("or", json!([word, iteration(2)]), &["working", "working"])
        }
        ("composite", "and_both") => {
            composite("and", json!([word, iteration(2)]), &["working", "working", WORD])
        }
        ("composite", "or_check") => composite("or", json!([check]), &["working", "working"]),
        ("composite", "and_empty") => composite("and", json!([]), &["working"]),
        ("composite", "or_empty") => composite("or", json!([]), &["working"]),
        ("composite", "or_via_buildContinuationPrompt") => {
            composite("or", json!([word, iteration(2)]), &["working", "working", "working"])
        }
        (table, row) => panic!("the oracle has a row that is not known here: {table}[{row}]"),
    }
}

/// Whether we say what the row says.
fn met(ours: Option<Ours>, row: &Value) -> bool {
    let Some(ours) = ours else { return false };
    let (finished, words) = match row {
        Value::Array(finished) => (finished.clone(), None),
        row => (row["finished"].as_array().unwrap().clone(), row["description"].as_str()),
    };
    let finished: Vec<bool> = finished.iter().map(|one| one.as_bool().unwrap()).collect();
    finished == ours.finished && words.is_none_or(|words| figures(words) == ours.figures)
}

/// Tables of functions that the seed does not have.
const ELSEWHERE: [&str; 7] =
    ["router", "gate", "transition", "phase", "labels", "cycle", "adaptation"];

fn listed() -> BTreeSet<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/deviations.md");
    let page = std::fs::read_to_string(path).unwrap();
    let (_, section) = page.split_once("## Rows of the iteration oracle").expect("the section");
    let section = section.split("\n## ").next().unwrap();
    let rows = section.lines().filter_map(|line| line.strip_prefix("- climpt/"));
    rows.map(|line| {
        let (row, reason) = line.split_once(": ").unwrap_or_else(|| panic!("no reason: {line}"));
        assert!(reason.len() > 10, "no reason: {line}");
        row.to_owned()
    })
    .collect()
}

#[test]
fn every_row_of_the_oracle_is_met_or_listed() {
    let Some(corpus) = corpus() else { return };
    let text = std::fs::read_to_string(corpus.join("oracles/climpt_oracle.json")).unwrap();
    let oracle: Value = serde_json::from_str(&text).unwrap();
    let (mut differ, mut rows, mut same) = (BTreeSet::new(), 0, 0);
    for (table, content) in oracle.as_object().unwrap() {
        if ELSEWHERE.contains(&table.as_str()) {
            rows += content.as_array().unwrap().len();
            differ.insert(format!("{table}[*]"));
            continue;
        }
        for (row, value) in content.as_object().unwrap() {
            rows += 1;
            match met(ours(table, row), value) {
                true => same += 1,
                false => drop(differ.insert(format!("{table}[{row}]"))),
            }
        }
    }
    let listed = listed();
    let unlisted: Vec<&String> = differ.difference(&listed).collect();
    let stale: Vec<&String> = listed.difference(&differ).collect();
    assert!(unlisted.is_empty(), "rows that differ and are not listed: {unlisted:?}");
    assert!(stale.is_empty(), "listed rows that do not differ: {stale:?}");
    say(&format!("climpt oracle: {rows} rows, {same} met, {} lines listed", listed.len()));
}

#[test]
fn every_agent_definition_is_understood() {
    let Some(corpus) = corpus() else { return };
    let agents = corpus.join("climpt/1.14.0/agent");
    let mut types: BTreeMap<String, u32> = BTreeMap::new();
    for entry in std::fs::read_dir(&agents).unwrap() {
        let path = entry.unwrap().path().join("agent.json");
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        let read = definition::parse(&text).unwrap_or_else(|error| panic!("{path:?}: {error}"));
        assert_eq!(Some(read.name.as_str()), path.parent().unwrap().file_name().unwrap().to_str());
        assert_eq!(read.prompts.registry.as_deref(), Some("steps_registry.json"));
        let args = BTreeMap::from([("issue".to_owned(), "7".to_owned())]);
        let handler = handler::of_config(&read, &args, &[]).unwrap();
        let config = &read.behavior.completion_config;
        assert_eq!(Some(handler.ceiling(config)), config.max_iterations, "{path:?}");
        *types.entry(handler.word().to_owned()).or_default() += 1;
        if read.name == "iterator" {
            assert!(matches!(handler, Handler::Issue(_)));
            assert_eq!(read.github.labels["completion.remove"], "in-progress");
        }
        // What we understood is read again as what it was.
        let again: Definition =
            serde_json::from_value(serde_json::to_value(&read).unwrap()).unwrap();
        assert_eq!(again, read);
    }
    assert_eq!(types.values().sum::<u32>(), 10, "{types:?}");
    say(&format!("climpt agent definitions: {types:?}"));
}

/// Each definition with one thing wrong: the field is named, whatever spelling it is in.
#[test]
fn spoilt_definitions_name_the_field() {
    let Some(corpus) = corpus() else { return };
    let text =
        std::fs::read_to_string(corpus.join("climpt/1.14.0/agent/iterator/agent.json")).unwrap();
    let whole: Value = serde_json::from_str(&text).unwrap();
    let cases = [
        ("/runner/verdict/type", json!("poll:weather"), "unknown_value", "runner.verdict.type"),
        ("/runner/verdict/type", json!(7), "wrong_type", "runner.verdict.type"),
        (
            "/runner/verdict/config/maxIterations",
            json!("many"),
            "wrong_type",
            "runner.verdict.config.maxIterations",
        ),
        (
            "/runner/verdict/config/maxIterations",
            json!(0),
            "number_out_of_range",
            "runner.verdict.config.maxIterations",
        ),
        (
            "/runner/integrations/github/labels/blocked",
            json!(1),
            "wrong_type",
            "runner.integrations.github.labels.blocked",
        ),
        ("/name", json!("a/b"), "invalid_value", "name"),
        ("/runner/flow/prompts/registry", json!([]), "wrong_type", "runner.flow.prompts.registry"),
    ];
    for (pointer, value, code, at) in cases {
        let mut spoilt = whole.clone();
        *spoilt.pointer_mut(pointer).unwrap() = value;
        let error = definition::parse(&spoilt.to_string()).unwrap_err();
        assert_eq!((error.code.as_str(), error.at.as_str()), (code, at), "{error}");
    }
}
