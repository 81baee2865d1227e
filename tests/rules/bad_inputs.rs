//! Bad input, as a table: code, place, what was expected and what came; and nothing is changed.
//!
//! Canonical files of the peer are tabled in `files/tests/bad_inputs.rs`; here stand events,
//! snapshots, configs, journals and reports.
#![allow(clippy::unwrap_used, clippy::panic, clippy::disallowed_methods, clippy::disallowed_types)]

use crate::common::*;
use endstate::engine::Config;
use endstate::journal::{self, Entry, Header, Position};
use endstate::vocab::error::{Code, Error, Kind};
use endstate::vocab::event::{EffectId, Event};
use endstate::vocab::json;
use endstate::{Snapshot, check_report};
use serde_json::{Value, json};
use std::time::Duration;

/// What an error must say.
#[track_caller]
fn says(error: &Error, code: Code, at: &str, expected: &str, got: &str) {
    assert_eq!(error.code, code, "{error}");
    assert_eq!(error.kind, code.kind());
    assert_eq!(error.at, at, "{error}");
    assert!(error.expected.contains(expected), "expected: {}", error.expected);
    assert!(error.got.contains(got), "got: {}", error.got);
}

const LEVELS: usize = 100_000;

fn nested(open: &str, close: &str) -> String {
    open.repeat(LEVELS) + &close.repeat(LEVELS)
}

/// Texts that no reader is given, whatever it reads.
fn unreadable() -> Vec<(String, Code, &'static str, &'static str, &'static str)> {
    vec![
        (String::new(), Code::Empty, "", "JSON", "nothing"),
        ("\n\t ".to_owned(), Code::Empty, "", "JSON", "nothing"),
        ("\u{feff}{}".to_owned(), Code::ByteOrderMark, "", "JSON", "a byte order mark"),
        ("[]".to_owned(), Code::NotAnObject, "", "a JSON object", "a list"),
        (nested("[", "]"), Code::TooDeep, "byte 96", "at most 96 levels", "a deeper level"),
        (nested("{\"a\":", "}"), Code::TooDeep, "byte 480", "at most 96 levels", "a deeper level"),
        (
            "{".to_owned(),
            Code::Truncated,
            "line 1 column 1",
            "the end of the value",
            "the end of the text",
        ),
        (
            "{\"at\":9007199254740993}".to_owned(),
            Code::NumberOutOfRange,
            "byte 6",
            "9007199254740991",
            "9007199254740993",
        ),
        (
            "{\"at\":-9007199254740993}".to_owned(),
            Code::NumberOutOfRange,
            "byte 7",
            "9007199254740991",
            "9007199254740993",
        ),
        ("{'at':1}".to_owned(), Code::Syntax, "line 1 column 2", "key must be a string", "{'at'"),
        ("{} {}".to_owned(), Code::Syntax, "line 1 column 4", "trailing characters", "{} {}"),
    ]
}

#[test]
fn unreadable_texts_are_refused_alike_by_every_reader() {
    let mut story = Story::planned();
    for (text, code, at, expected, got) in unreadable() {
        says(&story.raw_refused(&text), code, at, expected, got);
        says(&json::decode::<Config>(&text).unwrap_err(), code, at, expected, got);
        says(&Snapshot::read(&text).unwrap_err(), code, at, expected, got);
    }
}

#[test]
fn bytes_that_are_no_text_are_named_with_their_place() {
    let error = json::utf8(b"{\"at\":\xff}").unwrap_err();
    says(&error, Code::NotUtf8, "byte 6", "UTF-8", "0xff");
    let error = json::utf8("ü".as_bytes().split_at(1).0).unwrap_err();
    says(&error, Code::NotUtf8, "byte 0", "UTF-8", "0xc3");
}

#[test]
fn ill_formed_events_name_field_expected_and_got() {
    let mut story = Story::planned();
    let effect = "\"effect\":\"1.1\"";
    let fact = |kind: &str, data: &str| {
        format!("{{\"at\":1,\"fact\":{{\"type\":\"{kind}\",\"data\":{{{data}}}}}}}")
    };
    let usage = |tokens: &str| {
        let data = format!(
            "{effect},\"outcome\":\"success\",\"report\":null,\"problem\":null,\"usage\":{{\"tokens\":{tokens}}}"
        );
        fact("run_ended", &data)
    };
    let ended = |outcome: &str| {
        fact(
            "run_ended",
            &format!("{effect},\"outcome\":\"{outcome}\",\"report\":null,\"problem\":null"),
        )
    };
    let cases = [
        (fact("dreamt", ""), Code::UnknownValue, "fact.type", "run_started", "`dreamt`"),
        (ended("great"), Code::UnknownValue, "fact.data.outcome", "success", "`great`"),
        (
            fact("run_started", ""),
            Code::MissingField,
            "fact.data",
            "field `effect`",
            "no such field",
        ),
        (
            fact("timer_fired", &format!("{effect},\"now\":1")),
            Code::UnknownField,
            "fact.data.now",
            "effect",
            "`now`",
        ),
        (
            fact("timer_fired", &format!("{effect},{effect}")),
            Code::DuplicateField,
            "fact.data.effect",
            "each field once",
            "`effect` twice",
        ),
        (
            fact("timer_fired", "\"effect\":7"),
            Code::WrongType,
            "fact.data.effect",
            "an effect id",
            "integer `7`",
        ),
        (
            fact("timer_fired", "\"effect\":\"01.1\""),
            Code::InvalidValue,
            "fact.data.effect",
            "12.1",
            "01.1",
        ),
        (usage("1.5"), Code::WrongType, "fact.data.usage.tokens", "a whole number", "1.5"),
        (usage("-1"), Code::NumberOutOfRange, "fact.data.usage.tokens", "a whole number", "-1"),
        (usage("\"many\""), Code::WrongType, "fact.data.usage.tokens", "a whole number", "many"),
        (
            fact("user_commanded", "\"id\":null,\"command\":{\"command\":\"dance\"}"),
            Code::UnknownValue,
            "fact.data.command.command",
            "start",
            "`dance`",
        ),
        (
            "{\"at\":1,\"fact\":{\"type\":\"timer_fired\"}}".to_owned(),
            Code::MissingField,
            "fact",
            "field `data`",
            "no such field",
        ),
        (
            "{\"at\":1}".to_owned(),
            Code::MissingField,
            "line 1 column 8",
            "field `fact`",
            "no such field",
        ),
        ("{\"at\":null,\"fact\":{}}".to_owned(), Code::WrongType, "at", "a whole number", "null"),
    ];
    for (text, code, at, expected, got) in &cases {
        let error = story.raw_refused(text);
        says(&error, *code, at, expected, got);
    }
}

#[test]
fn impossible_times_are_refused() {
    let mut story = Story::planned();
    let late = "{\"at\":253402300800000,\"fact\":{\"type\":\"host_recovered\",\"data\":{\"from\":\"stall\",\"note\":\"\"}}}";
    says(
        &story.raw_refused(late),
        Code::NumberOutOfRange,
        "at",
        "253402300799999",
        "253402300800000",
    );
    let config = story.config.clone();
    let error = endstate::start(&config, 253_402_300_800_000).unwrap_err();
    says(&error, Code::NumberOutOfRange, "at", "253402300799999", "253402300800000");
}

#[test]
fn ill_formed_configs_are_refused() {
    let good = json!({"mission": {"protocol": "completion", "settings": {
        "mission": MISSION, "project_name": "greeter"}}});
    let config: Config = json::decode(&good.to_string()).unwrap();
    endstate::start(&config, 0).unwrap();
    let settings = "/mission/settings";
    type Case = (&'static str, &'static str, Value, Code, &'static str);
    let unread: [Case; 7] = [
        ("/mission", "protocol", json!("magic"), Code::UnknownValue, "mission.protocol"),
        ("", "speed", json!(1), Code::UnknownField, "speed"),
        (settings, "hurry", json!(true), Code::UnknownField, "mission.settings.hurry"),
        (
            settings,
            "required_stop_judges",
            json!("three"),
            Code::WrongType,
            "mission.settings.required_stop_judges",
        ),
        (
            settings,
            "required_stop_judges",
            json!(-1),
            Code::NumberOutOfRange,
            "mission.settings.required_stop_judges",
        ),
        (
            settings,
            "verification_commands",
            json!(["make"]),
            Code::WrongType,
            "mission.settings.verification_commands[0]",
        ),
        ("", "budget", json!({"wishes": 3}), Code::UnknownValue, "budget"),
    ];
    for (parent, field, value, code, at) in unread {
        let mut bad = good.clone();
        bad.pointer_mut(parent).unwrap()[field] = value;
        let error = json::decode::<Config>(&bad.to_string()).unwrap_err();
        assert_eq!((error.code, error.at.starts_with(at)), (code, true), "{error}");
    }
    let refused: [Case; 6] = [
        (settings, "mission", json!(" \n"), Code::MissingField, "mission.settings.mission"),
        (settings, "project_name", json!(""), Code::MissingField, "mission.settings.project_name"),
        (
            settings,
            "required_stop_judges",
            json!(0),
            Code::NumberOutOfRange,
            "mission.settings.required_stop_judges",
        ),
        (
            settings,
            "required_stop_judges",
            json!(100),
            Code::NumberOutOfRange,
            "mission.settings.required_stop_judges",
        ),
        (
            settings,
            "attempts_per_step",
            json!(0),
            Code::NumberOutOfRange,
            "mission.settings.attempts_per_step",
        ),
        (
            settings,
            "verification_commands",
            json!([[]]),
            Code::InvalidValue,
            "mission.settings.verification_commands",
        ),
    ];
    for (parent, field, value, code, at) in refused {
        let mut bad = good.clone();
        bad.pointer_mut(parent).unwrap()[field] = value;
        let config: Config = json::decode(&bad.to_string()).unwrap();
        let error = endstate::start(&config, 0).unwrap_err();
        assert_eq!((error.code, error.at.starts_with(at)), (code, true), "{error}");
    }
}

#[test]
fn ill_formed_snapshots_are_refused() {
    let story = Story::audited();
    let good = serde_json::to_value(story.engine.snapshot()).unwrap();
    assert_eq!(&Snapshot::read(&good.to_string()).unwrap(), story.engine.snapshot());
    let slices = "/mission/state/slices";
    let twice =
        json!([good.pointer("/mission/state/slices/0"), good.pointer("/mission/state/slices/0")]);
    let cases = [
        ("/format", json!(2), Code::UnknownFormat),
        ("/rules", json!(99), Code::OtherRules),
        ("/head/control", json!("napping"), Code::UnknownValue),
        ("/head/seq", json!("one"), Code::WrongType),
        ("/head/at", json!(1.5), Code::WrongType),
        ("/mission/protocol", json!("magic"), Code::UnknownValue),
        ("/mission/state/slices/0/status", json!("lost"), Code::UnknownValue),
        ("/mission/state/slices/0/priority", json!(300), Code::NumberOutOfRange),
        ("/mission/state/slices/0/criteria", json!([]), Code::BrokenHandoff),
        ("/mission/state/slices/0/status", json!("planned"), Code::BrokenOneSlice),
        ("/mission/state/slices/0/contract_ids", json!(["C-9"]), Code::BrokenContract),
        ("/mission/state/core/active/claim", Value::Null, Code::BrokenDispatch),
        ("/head/budget/role_runs/spent", json!(9_999), Code::BrokenBudget),
        ("/head/outbox", json!([]), Code::BrokenContinuation),
        (slices, twice, Code::InvalidValue),
    ];
    for (pointer, value, code) in cases {
        let mut bad = good.clone();
        *bad.pointer_mut(pointer).unwrap() = value;
        let error = Snapshot::read(&bad.to_string()).unwrap_err();
        assert_eq!((error.code, error.kind), (code, code.kind()), "{pointer}: {error}");
    }
    for (pointer, name) in [("", "head"), ("/head", "outbox"), ("/mission/state", "core")] {
        let mut bad = good.clone();
        bad.pointer_mut(pointer).unwrap().as_object_mut().unwrap().remove(name);
        let error = Snapshot::read(&bad.to_string()).unwrap_err();
        says(&error, Code::MissingField, &error.at, &format!("field `{name}`"), "no such field");
        let mut more = good.clone();
        more.pointer_mut(pointer).unwrap()["surprise"] = json!(1);
        assert_eq!(Snapshot::read(&more.to_string()).unwrap_err().code, Code::UnknownField);
    }
}

/// Truncated anywhere, a snapshot, an event or a config is malformed and never something else.
#[test]
fn every_prefix_is_refused() {
    let story = Story::planned();
    let snapshot = json::encode(story.engine.snapshot());
    let step = snapshot.len() / 97;
    for end in (0..snapshot.len()).step_by(step.max(1)) {
        let Some(cut) = snapshot.get(..end) else { continue };
        assert_eq!(Snapshot::read(cut).unwrap_err().kind, Kind::Malformed, "{end}");
    }
    let event = json::encode(&story.taken[0].0);
    for end in 0..event.len() {
        assert_eq!(
            json::decode::<Event>(&event[..end]).unwrap_err().kind,
            Kind::Malformed,
            "{end}"
        );
    }
}

#[test]
fn two_hundred_megabytes_are_refused_by_size_and_quickly() {
    let huge = format!("{{\"at\":1,\"fact\":\"{}\"}}", "x".repeat(200_000_000));
    let began = worked();
    let mut story = Story::going();
    let before = story.engine.snapshot().clone();
    let errors = [
        json::decode::<Event>(&huge).unwrap_err(),
        json::decode::<Config>(&huge).unwrap_err(),
        Snapshot::read(&huge).unwrap_err(),
    ];
    for error in errors {
        says(&error, Code::TooLarge, "", "at most 67108864 bytes", "200000018 bytes");
    }
    let (run, _) = story.role().unwrap();
    let error = check_report(story.engine.snapshot(), run, &report_with(&huge)).unwrap_err();
    assert_eq!(error.code, Code::TooLarge, "{error}");
    let line = format!("{huge}\n");
    let error = journal::replay(line.as_bytes()).unwrap_err();
    assert_eq!((error.code, error.at.as_str()), (Code::JournalDamaged, "line 1"));
    // As an event the report is a fact of the world: taken, diagnosed, and answered once.
    let effect = story.begin("regrounder");
    story.end(effect, report_with(&"x".repeat(70_000_000)));
    assert_eq!(story.problem(), "too_large");
    assert_ne!(story.engine.snapshot(), &before);
    assert!(json::encode(story.engine.snapshot()).len() < 100_000, "it is not kept");
    let spent = worked() - began;
    assert!(spent < Duration::from_secs(60), "{spent:?}");
}

/// How long this thread has been at work: what else the machine does is not counted.
fn worked() -> Duration {
    let said = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    Duration::from_nanos(said.split_whitespace().next().unwrap().parse().unwrap())
}

fn report_with(block: &str) -> String {
    format!("MISSION ANCHOR: {MISSION}\nRemaining contract IDs: none\n\n```json\n{block}\n```\n")
}

#[test]
fn unreadable_reports_name_their_fault() {
    let story = Story::going();
    let (run, _) = story.role().unwrap();
    let good = json!({
        "plan_basis": "x", "remaining_release_blockers": 0, "remaining_high_value_gaps": 0,
        "slices": [slice("S1")],
    });
    let read = |text: &str| check_report(story.engine.snapshot(), run, text);
    assert_eq!(read(&report_with(&good.to_string())), Ok(vec![]));
    let mut more = good.clone();
    more["mood"] = json!("fine");
    let notes = read(&report_with(&more.to_string())).unwrap();
    assert_eq!(notes, ["unknown field `mood` was ignored"]);
    let changed = |pointer: &str, value: Value| {
        let mut block = good.clone();
        *block.pointer_mut(pointer).unwrap() = value;
        report_with(&block.to_string())
    };
    let block = good.to_string();
    let cases = [
        (String::new(), Code::BlockMissing, "json", "one fenced json block", "nothing"),
        ("I did it.".to_owned(), Code::BlockMissing, "json", "one fenced json block", "I did it."),
        (
            format!("MISSION ANCHOR: {MISSION}\n\n{block}\n"),
            Code::BlockMissing,
            "json",
            "one fenced json block",
            "remaining_release_blockers",
        ),
        (
            report_for("Sell everything.", good.clone()),
            Code::AnchorMismatch,
            "header",
            MISSION,
            "Sell everything.",
        ),
        (report_with(""), Code::Empty, "json", "JSON", "nothing"),
        (report_with("[]"), Code::NotAnObject, "json", "a JSON object", "a list"),
        (
            report_with(&block[..block.len() / 2]),
            Code::Truncated,
            "json",
            "the end of the value",
            "the end of the text",
        ),
        (
            report_with(&format!("{{\"a\":{}", "[".repeat(LEVELS))),
            Code::TooDeep,
            "json",
            "at most 96 levels",
            "a deeper level",
        ),
        (
            report_with(&block.replacen('{', "{\"plan_basis\":\"y\",", 1)),
            Code::DuplicateField,
            "json",
            "each field once",
            "plan_basis",
        ),
        (report_with("{}"), Code::MissingField, "json", "field `plan_basis`", "no such field"),
        (
            changed("/slices/0/priority", json!(1.5)),
            Code::WrongType,
            "json.slices[0].priority",
            "a whole number from 0 to 255",
            "1.5",
        ),
        (
            changed("/slices/0/priority", json!(-1)),
            Code::NumberOutOfRange,
            "json.slices[0].priority",
            "a whole number from 0 to 255",
            "-1",
        ),
        (
            changed("/slices/0/goal", json!(null)),
            Code::WrongType,
            "json.slices[0].goal",
            "a string",
            "null",
        ),
        (
            changed("/remaining_release_blockers", json!("none")),
            Code::WrongType,
            "json.remaining_release_blockers",
            "a whole number",
            "none",
        ),
        (
            report_with(&block.replace(":0,", ":9007199254740993,")),
            Code::NumberOutOfRange,
            "json",
            "9007199254740991",
            "9007199254740993",
        ),
        (
            report_with(&block) + &report_with(&block.replace("\"x\"", "\"y\"")),
            Code::BlockDuplicate,
            "json",
            "one fenced json block",
            "2 blocks that differ",
        ),
    ];
    for (text, code, at, expected, got) in &cases {
        let error = read(text).unwrap_err();
        assert!(error.at.starts_with(at), "{error}");
        says(&error, *code, &error.at, expected, got);
    }
    let nobody: EffectId = "99.1".parse().unwrap();
    let error = check_report(story.engine.snapshot(), nobody, "").unwrap_err();
    says(&error, Code::UnknownEffect, "run", "a run in the outbox", "99.1");
}

/// A journal as a host writes it.
fn journal_of(story: &Story) -> Vec<String> {
    let mut position = Position::default();
    let (at, decided) = story.began.clone();
    let mut lines = vec![position.write(&Header::new(story.config.clone(), at, decided))];
    for (event, applied) in &story.taken {
        let entry = Entry { event: event.clone(), decided: applied.decided.clone() };
        lines.push(position.write(&entry));
    }
    lines
}

#[test]
fn damaged_journals_are_named_by_line_and_torn_ones_cut() {
    let lines = journal_of(&Story::planned());
    let text = |lines: &[String]| lines.join("\n") + "\n";
    let whole = text(&lines);
    let replay = journal::replay(whole.as_bytes()).unwrap();
    assert_eq!((replay.events as usize, replay.torn_bytes), (lines.len() - 1, 0));
    assert!(replay.divergence.is_none());
    let torn = journal::replay(&whole.as_bytes()[..whole.len() - 1]).unwrap();
    assert_eq!(torn.events, replay.events - 1);
    assert_eq!(torn.torn_bytes as usize, lines.last().unwrap().len());
    let damaged = |lines: &[String]| journal::replay(text(lines).as_bytes()).unwrap_err();
    for place in 0..lines.len() {
        let mut bad = lines.clone();
        bad[place] = bad[place].replacen("\"at\":1", "\"at\":2", 1);
        let error = damaged(&bad);
        assert_eq!((error.code, error.at), (Code::JournalDamaged, format!("line {}", place + 1)));
    }
    let mut missing = lines.clone();
    missing.remove(2);
    assert_eq!(damaged(&missing).at, "line 3");
    let mut swapped = lines.clone();
    swapped.swap(3, 4);
    assert_eq!(damaged(&swapped).at, "line 4");
    let mut garbage = lines.clone();
    garbage.insert(1, String::new());
    assert_eq!(damaged(&garbage).at, "line 2");
    assert_eq!(journal::replay(b"").unwrap_err().code, Code::Empty);
    let mut marked = b"\xef\xbb\xbf".to_vec();
    marked.extend(whole.as_bytes());
    assert_eq!(journal::replay(&marked).unwrap_err().code, Code::JournalDamaged);
}

/// What is started in code stands in a journal that JavaScript reads, too: a number that would not come back the same
/// begins nothing, whatever the protocol.
#[test]
fn numbers_that_no_reader_keeps_begin_no_mission() {
    use endstate::protocols::{ProtocolConfig, sprint};
    use endstate::vocab::budget::Counter;
    use endstate::vocab::role::Limits;
    let over = json::MOST_INTEGER + 1;
    let sprints = || {
        let text = r#"{"mission":"M.","project":"P","units":[{"id":"u","name":"U","directory":"","sprints":[
            {"label":"1","name":"One","criteria":[{"id":"AC-001","text":"it is there"}]}]}]}"#;
        json::decode::<sprint::Config>(text).unwrap()
    };
    let started = |mission: ProtocolConfig, budget: &[(Counter, u64)]| {
        let config = Config { budget: budget.iter().copied().collect(), ..Config::new(mission) };
        endstate::start(&config, 0).map(drop)
    };
    let of = |config: sprint::Config| ProtocolConfig::Sprint(Box::new(config));
    let expected = "to 9007199254740991";
    for mission in [ProtocolConfig::Completion(config()), of(sprints())] {
        assert_eq!(started(mission.clone(), &[(Counter::Commands, over - 1)]), Ok(()));
        let error = started(mission, &[(Counter::Commands, over)]).unwrap_err();
        says(&error, Code::NumberOutOfRange, "budget.commands", expected, &over.to_string());
    }
    let mut slow = sprints();
    slow.poll_interval_ms = u64::MAX;
    let error = started(of(slow), &[]).unwrap_err();
    let got = u64::MAX.to_string();
    says(&error, Code::NumberOutOfRange, "mission.settings.poll_interval_ms", expected, &got);
    let mut long = sprints();
    let limits = Some(Limits { timeout_ms: over, ..Limits::default() });
    let settings = sprint::role::RoleSettings { limits, ..Default::default() };
    long.roles.insert(sprint::role::Role::Verifier, settings);
    let error = started(of(long), &[]).unwrap_err();
    let at = "mission.settings.roles.sprint-verifier.limits.timeout_ms";
    says(&error, Code::NumberOutOfRange, at, expected, &over.to_string());
    assert_eq!(error.kind, Kind::Malformed);
}
