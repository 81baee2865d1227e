//! What cannot be read is refused, with the same words natively and in WebAssembly.
//!
//! `tests/bad_input.jsonl` is one table for both: this file gives it to the native engine,
//! `js/tests/suites/bad-input.mjs` to the package. Each line has a `name`, a `text` (or `repeat`, a
//! text and how often), and the `error` that it must meet. Run with `ENDSTATE_BLESS=1` to write the
//! errors anew, and read the difference.

use endstate::vocab::{event::Event, json};
use endstate::{Config, Engine};
use serde_json::{Value, json};

const TABLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/bad_input.jsonl");

fn engine() -> Engine {
    let text = include_str!("../bad_input_config.json");
    let config: Config = json::decode(text).expect("the config of this test is good");
    Engine::start(&config, 1_000).expect("the mission of this test starts").0
}

fn text_of(case: &Value) -> String {
    match (&case["text"], &case["repeat"]) {
        (Value::String(text), _) => text.clone(),
        (_, Value::Array(parts)) => {
            let times = usize::try_from(parts[1].as_u64().unwrap()).unwrap();
            parts[0].as_str().unwrap().repeat(times)
        }
        _ => panic!("{case} has neither text nor repeat"),
    }
}

#[test]
fn bad_events_are_refused_in_these_words_and_change_nothing() {
    let mut engine = engine();
    let before = json::encode(engine.snapshot());
    let table = std::fs::read_to_string(TABLE).unwrap();
    let mut written = String::new();
    for line in table.lines() {
        let mut case: Value = serde_json::from_str(line).unwrap();
        let answer = json::decode::<Event>(&text_of(&case)).and_then(|event| engine.apply(&event));
        let error = answer.map(|_| ()).expect_err(&case["name"].to_string());
        let error = json!(error);
        if std::env::var_os("ENDSTATE_BLESS").is_some() {
            case["error"] = error;
        } else {
            assert_eq!(case["error"], error, "{}", case["name"]);
        }
        written.push_str(&format!("{case}\n"));
        assert_eq!(json::encode(engine.snapshot()), before, "{}", case["name"]);
    }
    assert!(table.lines().count() >= 30);
    if std::env::var_os("ENDSTATE_BLESS").is_some() {
        std::fs::write(TABLE, written).unwrap();
    }
}
