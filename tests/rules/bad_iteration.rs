//! What an iteration mission refuses before it starts, and what its checks find in a broken snapshot.
#![allow(clippy::unwrap_used, clippy::panic, clippy::disallowed_methods)]

use crate::iterating::*;
use endstate::engine::{Config as Start, Engine};
use endstate::snapshot::Snapshot;

fn refused(document: &Value) -> (String, String, String) {
    let error = definition::parse(&document.to_string()).unwrap_err();
    assert_eq!(error.kind, endstate::vocab::error::Kind::Malformed);
    (error.code.to_string(), error.at, error.got)
}

fn document(completion_type: &str, completion_config: Value) -> Value {
    json!({
        "name": "helper",
        "behavior": {"completionType": completion_type, "completionConfig": completion_config},
    })
}

#[test]
fn bad_definitions_name_the_field() {
    let inner = "behavior.completionConfig";
    let condition =
        json!({"completionType": "manual", "completionConfig": {"completionKeyword": ""}});
    let deep = (0..6).fold(document("manual", json!({"completionKeyword": "x"}))["behavior"].clone(), |one, _| {
        json!({"completionType": "composite", "completionConfig": {"operator": "or", "conditions": [one]}})
    });
    let many: Vec<Value> = (0..33)
        .map(|_| json!({"type": "count:iteration", "config": {"maxIterations": 1}}))
        .collect();
    let cases = [
        (document("iterate", json!({})), "missing_field", format!("{inner}.maxIterations")),
        (
            document("iterate", json!({"maxIterations": 0})),
            "number_out_of_range",
            format!("{inner}.maxIterations"),
        ),
        (
            document("iterate", json!({"maxIterations": -1})),
            "number_out_of_range",
            format!("{inner}.maxIterations"),
        ),
        (
            document("iterate", json!({"maxIterations": 2.5})),
            "number_out_of_range",
            format!("{inner}.maxIterations"),
        ),
        (
            document("iterate", json!({"maxIterations": "3"})),
            "wrong_type",
            format!("{inner}.maxIterations"),
        ),
        (document("manual", json!({})), "missing_field", format!("{inner}.completionKeyword")),
        (
            document("manual", json!({"completionKeyword": ""})),
            "invalid_value",
            format!("{inner}.completionKeyword"),
        ),
        (
            document("manual", json!({"completionKeyword": " \t"})),
            "invalid_value",
            format!("{inner}.completionKeyword"),
        ),
        (
            document("manual", json!({"completionKeyword": "a\nb"})),
            "invalid_value",
            format!("{inner}.completionKeyword"),
        ),
        (
            document("manual", json!({"completionKeyword": "x", "match": "fuzzy"})),
            "unknown_value",
            format!("{inner}.match"),
        ),
        (document("custom", json!({})), "missing_field", format!("{inner}.handlerPath")),
        (document("check", json!({})), "missing_field", format!("{inner}.command")),
        (document("check", json!({"command": []})), "invalid_value", format!("{inner}.command")),
        (
            document("check", json!({"command": "make test"})),
            "wrong_type",
            format!("{inner}.command"),
        ),
        (
            document("check", json!({"command": ["make", 1]})),
            "wrong_type",
            format!("{inner}.command[1]"),
        ),
        (document("structured", json!({})), "missing_field", format!("{inner}.signalType")),
        (
            document("structured", json!({"signalType": "a b"})),
            "invalid_value",
            format!("{inner}.signalType"),
        ),
        (
            document("structured", json!({"signalType": "a", "requiredFields": 1})),
            "wrong_type",
            format!("{inner}.requiredFields"),
        ),
        (
            document("composite", json!({"operator": "and", "conditions": []})),
            "empty_criteria",
            format!("{inner}.conditions"),
        ),
        (
            document("composite", json!({"operator": "and"})),
            "empty_criteria",
            format!("{inner}.conditions"),
        ),
        (
            document("composite", json!({"conditions": [condition]})),
            "missing_field",
            format!("{inner}.operator"),
        ),
        (
            document("composite", json!({"operator": "xor", "conditions": [condition]})),
            "unknown_value",
            format!("{inner}.operator"),
        ),
        (
            document("composite", json!({"operator": "or", "conditions": [condition]})),
            "invalid_value",
            format!("{inner}.conditions[0].completionConfig.completionKeyword"),
        ),
        (
            document("composite", json!({"operator": "or", "conditions": many})),
            "number_out_of_range",
            format!("{inner}.conditions"),
        ),
        (document("facilitator", json!({})), "unknown_value", "behavior.completionType".to_owned()),
        (document("toString", json!({})), "unknown_value", "behavior.completionType".to_owned()),
        (json!({"name": "helper"}), "missing_field", "behavior.completionType".to_owned()),
        (json!({"name": "helper", "behavior": []}), "wrong_type", "behavior".to_owned()),
        (json!({"behavior": {"completionType": "project"}}), "missing_field", "name".to_owned()),
        (
            json!({"name": "../x", "behavior": {"completionType": "project"}}),
            "invalid_value",
            "name".to_owned(),
        ),
        (
            json!({"name": "x", "runner": {"verdict": {"type": "count:iteration", "config": {"maxIterations": 0}}}}),
            "number_out_of_range",
            "runner.verdict.config.maxIterations".to_owned(),
        ),
        (
            json!({"name": "x", "runner": {"verdict": {"type": "detect:graph"}}}),
            "unknown_value",
            "runner.verdict.type".to_owned(),
        ),
    ];
    for (text, code, at) in cases {
        let (found, place, _) = refused(&text);
        assert_eq!((found.as_str(), place), (code, at), "{text}");
    }
    let (code, place, _) = refused(&json!({"name": "x", "behavior": deep}));
    assert_eq!(code, "too_deep", "{place}");
    for (text, code) in [
        ("", "empty"),
        ("[]", "not_an_object"),
        ("{\"name\":\"a\",\"name\":\"b\"}", "duplicate_field"),
        ("{", "truncated"),
    ] {
        assert_eq!(definition::parse(text).unwrap_err().code.as_str(), code, "{text}");
    }
}

#[test]
fn a_handler_path_never_escapes() {
    let bad = [
        "",
        "/etc/passwd",
        "../x.ts",
        "a/../../x.ts",
        "a/..",
        "./a.ts",
        "a//b.ts",
        "a/",
        "a\\..\\b",
        "a\0b",
        "C:/x.ts",
        "~/x.ts",
        "...",
        " a.ts",
        "a /b.ts",
        "%2e%2e/x.ts",
        "file://x",
        "a\nb",
    ];
    for path in bad {
        let (code, at, _) = refused(&document("custom", json!({"handlerPath": path})));
        assert_eq!(
            (code.as_str(), at.as_str()),
            ("invalid_value", "behavior.completionConfig.handlerPath"),
            "{path:?}"
        );
    }
    for path in ["a.ts", "completion/custom-handler.ts", "a/b/.hidden.js", "ünïcode/naïve file.ts"]
    {
        agent("custom", json!({"handlerPath": path}));
    }
}

fn start(config: Config) -> Error {
    let mission = ProtocolConfig::Iteration(Box::new(config));
    let config = Start::new(mission);
    Engine::start(&config, 1).map(|_| ()).unwrap_err()
}

#[test]
fn bad_configs_are_refused_before_anything_runs() {
    let manual = || config("manual", json!({"completionKeyword": "DONE"}));
    let issue = |value: &str| with_args(config("issue", json!({})), &[("issue", value)]);
    let cases = [
        (
            Config { mission: " ".to_owned(), ..manual() },
            "missing_field",
            "mission.settings.mission",
        ),
        (
            Config { ceiling: Some(0), ..manual() },
            "number_out_of_range",
            "mission.settings.ceiling",
        ),
        (
            Config { attempts_per_step: 0, ..manual() },
            "number_out_of_range",
            "mission.settings.attempts_per_step",
        ),
        (
            Config { summaries: 101, ..manual() },
            "number_out_of_range",
            "mission.settings.summaries",
        ),
        (config("issue", json!({})), "missing_field", "mission.settings.args.issue"),
        (
            config("issue", json!({"issueParam": "number"})),
            "missing_field",
            "mission.settings.args.number",
        ),
        (config("project", json!({})), "missing_field", "mission.settings.args.project"),
        (issue("0"), "invalid_value", "mission.settings.args.issue"),
        (issue("--web"), "invalid_value", "mission.settings.args.issue"),
        (issue("+4"), "invalid_value", "mission.settings.args.issue"),
        (issue("99999999999999999999"), "invalid_value", "mission.settings.args.issue"),
        (issue("4 5"), "invalid_value", "mission.settings.args.issue"),
    ];
    for (config, code, at) in cases {
        let error = start(config);
        assert_eq!((error.code.as_str(), error.at.as_str()), (code, at), "{error}");
    }
    // A definition that never went through our reader is looked at all the same.
    let mut unread = manual();
    unread.definition.behavior.completion_config.completion_keyword = Some(String::new());
    let error = start(unread);
    assert_eq!(error.at, "mission.settings.definition.behavior.completionConfig.completionKeyword");
}

#[test]
fn an_unresolved_variable_is_found_before_the_start() {
    for (name, text, variable) in [
        ("initial_manual", "Go on with {uv-topic}.", "{uv-topic}"),
        ("initial_manual", "So far: {uv-previous_summary}", "{uv-previous_summary}"),
        ("continuation_manual", "{uv-mission} {uv-issue_number}", "{uv-issue_number}"),
        ("continuation_manual", "{uv-Mission}", "{uv-Mission}"),
    ] {
        let mut config = config("manual", json!({"completionKeyword": "DONE"}));
        config.templates.insert(name.to_owned(), text.to_owned());
        let error = start(config);
        let at = format!("mission.settings.templates.{name}");
        assert_eq!(
            (error.code, error.at, error.got.as_str()),
            (Code::UnresolvedVariable, at, variable)
        );
    }
}

/// What reading a snapshot says after a change to it.
fn breaks(story: &Story, pointer: &str, value: Value) -> String {
    let mut snapshot = serde_json::to_value(story.engine.snapshot()).unwrap();
    let (parent, name) = pointer.rsplit_once('/').unwrap();
    let place = snapshot.pointer_mut(parent).unwrap_or_else(|| panic!("no {parent}"));
    match place {
        Value::Array(items) => items.push(value),
        place => place[name] = value,
    }
    Snapshot::read(&snapshot.to_string())
        .map_or_else(|error| error.code.to_string(), |_| "fine".to_owned())
}

const CORE: &str = "/mission/state/core";

#[test]
fn every_check_finds_its_breach() {
    let mut story = going(with_args(config("project", json!({})), &[("project", "7")]));
    let core = |field: &str| format!("{CORE}{field}");
    let check = |story: &Story, pointer: &str, value: Value, code: &str| {
        assert_eq!(breaks(story, pointer, value.clone()), code, "{pointer} {value}");
    };
    check(&story, "/head/control", json!("running"), "fine");
    let spawn = serde_json::to_value(story.engine.pending()[0].clone()).unwrap();
    let mut other = spawn.clone();
    other["effect"]["id"] = json!("1.9");
    check(&story, "/head/outbox/-", other, "broken_topology");
    check(&story, "/head/control", json!("paused"), "broken_dispatch");
    check(&story, "/head/outbox/0/effect/order/data/visit", json!(7), "broken_dispatch");
    check(
        &story,
        "/head/outbox/0/effect/order/data/role",
        json!("completion-auditor"),
        "broken_dispatch",
    );
    check(&story, "/head/budget/role_runs", json!({"limit": 1, "spent": 2}), "broken_budget");
    let text = json!("{uv-nobody}");
    check(&story, &core("/settings/templates/initial_project"), text, "broken_prompt");
    check(&story, &core("/ceiling"), json!(0), "broken_ceiling");
    check(&story, "/head/outbox", json!([]), "broken_continuation");
    check(&story, "/head/outbox/0/effect/order", write("README.md"), "broken_outbox");
    check(&story, "/head/outbox/0/effect/order", write(".agent/iteration/../x"), "broken_outbox");
    let run = json!({"type": "run_command", "data": {"argv": ["rm"], "purpose": "completion", "timeout_ms": 1,
        "output_bytes": 1, "expected_head": null}});
    check(&story, "/head/outbox/0/effect/order", run, "broken_outbox");
    iterate(&mut story, "phase: review");
    check(&story, &core("/phase"), json!("processing"), "broken_phase");
    check(&story, &core("/iteration"), json!(100), "broken_dispatch");
    check(&story, &core("/ceiling"), json!(1), "broken_ceiling");
    let done =
        json!({"at": 1, "iteration": 1, "closed_by": "claimed", "description": "", "waived": []});
    story.say(Command::Pause);
    check(&story, &core("/done"), done.clone(), "broken_stop");
    story.say(Command::Resume);
    iterate(&mut story, "phase: complete");
    check(&story, &core("/last/finding"), json!("not_shown"), "broken_stop");
    check(&story, &core("/last/iteration"), json!(1), "broken_stop");
    check(&story, &core("/done/closed_by"), json!("verified"), "broken_stop");
    check(&story, &core("/phase"), json!("complete"), "fine");
}

fn write(path: &str) -> Value {
    json!({"type": "write_file", "data":
        {"path": path, "revision": 1, "expected": null, "aside": null, "executable": false}})
}

#[test]
fn a_handler_without_what_it_judges_by_is_found() {
    let conditions = [json!({"type": "count:iteration", "config": {"maxIterations": 3}})];
    let story = going(config("composite", json!({"operator": "and", "conditions": conditions})));
    let handler = format!("{CORE}/settings/handler");
    assert_eq!(breaks(&story, &format!("{handler}/conditions"), json!([])), "broken_handler");
    assert_eq!(breaks(&story, &format!("{handler}/conditions/0"), Value::Null), "wrong_type");
    let story = going(config("manual", json!({"completionKeyword": "DONE"})));
    assert_eq!(breaks(&story, &format!("{handler}/keyword"), json!("")), "broken_handler");
    let story = going(with_args(config("issue", json!({})), &[("issue", "4")]));
    assert_eq!(breaks(&story, &format!("{handler}/number"), json!(0)), "broken_handler");
}

#[test]
fn reports_are_checked_while_the_run_works() {
    let mut story = going(config("manual", json!({"completionKeyword": "DONE"})));
    let run = begin(&mut story);
    let check = |text: &str| endstate::check_report(story.engine.snapshot(), run, text);
    assert_eq!(check("Some words, no header.").unwrap(), Vec::<String>::new());
    assert_eq!(check(" \n").unwrap().len(), 1);
}
