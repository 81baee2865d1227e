//! The traces: every story of every protocol, written down event by event.
//!
//! Line 0 of a trace names the story, the config and what was decided at the start; each further
//! line is an event with what was decided and the SHA-256 of the snapshot's JSON text after it, or
//! with the error it was refused with (an event that cannot be read stands as a JSON string). The
//! same files are replayed by WebAssembly. `ENDSTATE_WRITE_TRACES=1 cargo test --test traces` writes
//! them anew.
#![allow(clippy::unwrap_used, clippy::panic, clippy::disallowed_methods)]

mod common;
mod grid_tales;
mod iterating;
mod promise_tales;
mod sprint_tales;
mod stories;

use common::{Story, Tale, Told};
use endstate::engine::{Config, Decided, Engine, digest};
use endstate::snapshot::Snapshot;
use endstate::vocab::error::Error;
use endstate::vocab::event::Event;
use endstate::vocab::json::{self, RawObject};
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Once;

/// The stories of one protocol, and how many traces they must make at least.
struct Book {
    protocol: &'static str,
    fewest: usize,
    tales: Vec<&'static Tale>,
}

fn books() -> Vec<Book> {
    vec![
        Book { protocol: "completion", fewest: 60, tales: stories::all().collect() },
        Book { protocol: "promise", fewest: 40, tales: promise_tales::all().collect() },
        Book { protocol: "iteration", fewest: 60, tales: iterating::all().collect() },
        Book { protocol: "grid", fewest: 60, tales: grid_tales::all().collect() },
        Book { protocol: "sprint", fewest: 120, tales: sprint_tales::all().collect() },
    ]
}

fn folder(protocol: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/traces").join(protocol)
}

/// A story as the text of its trace.
fn trace(title: &str, story: &Story) -> String {
    let (at, decided) = &story.began;
    let (mut engine, _) = Engine::start(&story.config, *at).unwrap();
    let config = compact(&story.config);
    let mut lines = vec![format!(
        "{{\"title\":{},\"config\":{config},\"at\":{at},\"expect\":{}}}",
        json::encode(&title),
        expect(decided, &engine)
    )];
    for told in &story.told {
        lines.push(match told {
            Told::Taken(event, decided) => {
                engine.apply(event).unwrap();
                format!(
                    "{{\"event\":{},\"expect\":{}}}",
                    json::encode(event),
                    expect(decided, &engine)
                )
            }
            Told::Refused(text, error) => {
                let readable = json::decode::<Event>(text).is_ok();
                let event = if readable { text.clone() } else { json::encode(text) };
                format!("{{\"event\":{event},\"refused\":{}}}", json::encode(error))
            }
        });
    }
    lines.join("\n") + "\n"
}

fn expect(decided: &Decided, engine: &Engine) -> String {
    let snapshot = digest(&json::encode(engine.snapshot()));
    format!("{{\"decided\":{},\"snapshot\":\"{snapshot}\"}}", json::encode(decided))
}

/// A config without what is the default anyway.
fn compact(config: &Config) -> String {
    let full = serde_json::to_value(config).unwrap();
    let mut short = full.clone();
    let mut places: Vec<String> = vec!["/budget".to_owned()];
    let settings = full["mission"]["settings"].as_object().unwrap();
    places.extend(settings.keys().map(|name| format!("/mission/settings/{name}")));
    for place in places {
        let (parent, name) = place.rsplit_once('/').unwrap();
        let mut without = short.clone();
        let object = match parent {
            "" => &mut without,
            _ => without.pointer_mut(parent).unwrap(),
        };
        object.as_object_mut().unwrap().remove(name);
        if json::decode::<Config>(&without.to_string()).as_ref() == Ok(config) {
            short = without;
        }
    }
    short.to_string()
}

/// The names of the traces that are there.
fn written(protocol: &str) -> BTreeSet<String> {
    let files = std::fs::read_dir(folder(protocol)).unwrap();
    files.map(|file| file.unwrap().file_name().into_string().unwrap()).collect()
}

/// Writes all traces anew if that was asked for, before any test looks at them.
fn prepare() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        if std::env::var_os("ENDSTATE_WRITE_TRACES").is_none() {
            return;
        }
        books().iter().for_each(write);
    });
}

fn write(book: &Book) {
    let folder = folder(book.protocol);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    for tale in &book.tales {
        if let Ok(story) = std::panic::catch_unwind(tale.tell) {
            let path = folder.join(format!("{}.jsonl", tale.name));
            std::fs::write(path, trace(tale.title, &story)).unwrap();
        }
    }
}

#[test]
fn stories_and_traces_agree() {
    prepare();
    let failed: Vec<String> = books().iter().flat_map(disagreements).collect();
    assert!(failed.is_empty(), "ENDSTATE_WRITE_TRACES=1 writes traces anew: {failed:#?}");
}

/// Where the stories of a book and its traces differ.
fn disagreements(book: &Book) -> Vec<String> {
    let (mut named, mut titles) = (BTreeSet::new(), BTreeSet::new());
    let mut failed = Vec::new();
    for tale in &book.tales {
        let file = format!("{}.jsonl", tale.name);
        assert!(titles.insert(tale.title), "two stories are called: {}", tale.title);
        match std::panic::catch_unwind(tale.tell) {
            Err(_) => failed.push(format!("{} does not hold", tale.name)),
            Ok(story) => {
                assert_eq!(story.engine.snapshot().mission.name(), book.protocol, "{}", tale.name);
                let path = folder(book.protocol).join(&file);
                let there = std::fs::read_to_string(path).unwrap_or_default();
                if let Some(line) = first_difference(&there, &trace(tale.title, &story)) {
                    failed.push(format!("{file} is not what its story tells, from line {line}"));
                }
            }
        }
        assert!(named.insert(file), "two stories are named {}", tale.name);
    }
    let there = written(book.protocol);
    failed.extend(there.difference(&named).map(|file| format!("{file} has no story")));
    failed
}

fn first_difference(left: &str, right: &str) -> Option<usize> {
    if left == right {
        return None;
    }
    let same = left.lines().zip(right.lines()).take_while(|(a, b)| a == b).count();
    Some(same + 1)
}

#[test]
fn every_trace_replays_to_the_byte() {
    prepare();
    let books = books();
    let refused: BTreeSet<String> = std::thread::scope(|scope| {
        let readers: Vec<_> = books.iter().map(|book| scope.spawn(|| replay_all(book))).collect();
        readers.into_iter().flat_map(|reader| reader.join().unwrap()).collect()
    });
    println!("refusals: {refused:?}");
    assert!(refused.len() >= 20, "too few kinds of refusal: {refused:?}");
}

/// Replays all traces of a book; answers with the codes of refusals.
fn replay_all(Book { protocol, fewest, .. }: &Book) -> BTreeSet<String> {
    let files = written(protocol);
    assert!(files.len() >= *fewest, "{protocol}: {} traces, {fewest} are wanted", files.len());
    let (mut taken, mut refused) = (0, BTreeSet::new());
    for file in &files {
        let text = std::fs::read_to_string(folder(protocol).join(file)).unwrap();
        let (events, codes) = replay(file, &text);
        taken += events;
        refused.extend(codes);
    }
    println!("{protocol}: {} traces, {taken} events", files.len());
    refused
}

/// Replays one trace; answers with the number of events taken and the codes of refusals.
fn replay(file: &str, text: &str) -> (usize, BTreeSet<String>) {
    let mut lines = text.lines().enumerate();
    let (_, first) = lines.next().unwrap();
    let head = RawObject::read(first).unwrap();
    let config: Config = json::decode(head.raw("config").unwrap()).unwrap();
    let at = head.field("at").unwrap();
    let (mut engine, applied) = Engine::start(&config, at).unwrap();
    let place = format!("{file}:1");
    compare(&place, head.raw("expect").unwrap(), &applied.decided, &engine);
    let (mut taken, mut codes) = (0, BTreeSet::new());
    for (number, line) in lines {
        let place = format!("{file}:{}", number + 1);
        let line = RawObject::read(line).unwrap();
        let before = engine.snapshot().clone();
        let anew = give_anew(&before, line.raw("event").unwrap());
        match (give(&mut engine, line.raw("event").unwrap()), line.raw("refused")) {
            (Ok(applied), None) => {
                compare(&place, line.raw("expect").unwrap(), &applied.decided, &engine);
                let (decided, snapshot) = anew.unwrap();
                assert_eq!(decided, applied.decided, "{place}: read from its bytes");
                assert_eq!(&snapshot, engine.snapshot(), "{place}: read from its bytes");
                taken += 1;
            }
            (Err(error), Some(refused)) => {
                assert_eq!(json::encode(&error), refused, "{place}");
                assert_eq!(anew.unwrap_err(), error, "{place}: read from its bytes");
                assert_eq!(engine.snapshot(), &before, "{place}: a refusal changed something");
                codes.insert(error.code.to_string());
            }
            (Ok(_), Some(refused)) => panic!("{place}: taken, but expected {refused}"),
            (Err(error), None) => panic!("{place}: {error}"),
        }
    }
    (taken, codes)
}

/// Gives an event to the engine; a JSON string is raw text for the decoder.
fn give(engine: &mut Engine, raw: &str) -> Result<endstate::Applied, Error> {
    let text = match serde_json::from_str::<Value>(raw).unwrap() {
        Value::String(text) => text,
        _ => raw.to_owned(),
    };
    engine.apply(&json::decode::<Event>(&text)?)
}

/// The same event for a driver that starts anew at each one: it has the bytes of the snapshot and nothing else.
fn give_anew(before: &Snapshot, raw: &str) -> Result<(Decided, Snapshot), Error> {
    let mut engine = Engine::open(Snapshot::read(&json::encode(before))?)?;
    let applied = give(&mut engine, raw)?;
    Ok((applied.decided, engine.snapshot().clone()))
}

#[derive(Serialize)]
struct Expect<'a> {
    decided: &'a Decided,
    snapshot: String,
}

fn compare(place: &str, expected: &str, decided: &Decided, engine: &Engine) {
    let snapshot = digest(&json::encode(engine.snapshot()));
    assert_eq!(json::encode(&Expect { decided, snapshot }), expected, "{place}");
}

/// A trace that is changed anywhere must not pass: the check can fail.
#[test]
fn a_changed_trace_is_noticed() {
    prepare();
    let path = folder("completion").join("claim-without-evidence-is-refused.jsonl");
    let text = std::fs::read_to_string(path).unwrap();
    replay("as it is", &text);
    for (from, to) in [
        ("\"snapshot\":\"", "\"snapshot\":\"0"),
        ("\"rule\":\"implement_slice\"", "\"rule\":\"review_commit\""),
        ("\"digest\":\"", "\"digest\":\"f"),
    ] {
        let changed = text.replacen(from, to, 1);
        assert_ne!(changed, text);
        let outcome = std::panic::catch_unwind(|| replay("changed", &changed));
        assert!(outcome.is_err(), "{from} was changed and nobody noticed");
    }
}
