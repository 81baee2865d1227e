//! What the engine does, written down in words: for every trace and demo the rule, continuation and orders of each
//! event, refusals by code, whole prompts, and the files at the end. No digest and no snapshot stands here, so a rebuilt
//! engine with another state can be held to it.
//!
//! One file a protocol. Its first part has each line of a prompt, question, history or file once; below them texts are
//! lists of such lines, so that a reworded line shows as one changed line. `ENDSTATE_WRITE_SAME=1 cargo test --test same`
//! writes them anew.
#![allow(clippy::unwrap_used, clippy::panic, clippy::disallowed_methods)]

use endstate::engine::{Applied, Config, Engine};
use endstate::vocab::effect::{Delivery, Effect, Order};
use endstate::vocab::error::Error;
use endstate::vocab::event::Event;
use endstate::vocab::json::{self, RawObject};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// What says in hex or bytes what stands elsewhere in words.
const DIGESTS: [&str; 5] = ["digest", "prefix_digest", "expected", "aside", "offset"];

/// The record of one protocol.
#[derive(Default)]
struct Record {
    lines: Vec<String>,
    places: BTreeMap<String, usize>,
    body: String,
}

impl Record {
    /// A text as the places of its lines, neighbours as ranges: `@0-12,15`.
    fn text(&mut self, text: &str) -> String {
        let mut ranges: Vec<(usize, usize)> = Vec::new();
        for line in text.split('\n') {
            let next = self.lines.len();
            let place = *self.places.entry(line.to_owned()).or_insert(next);
            if place == next {
                self.lines.push(line.to_owned());
            }
            match ranges.last_mut().filter(|last| last.1 + 1 == place) {
                Some(last) => last.1 = place,
                None => ranges.push((place, place)),
            }
        }
        let said = |(first, last): (usize, usize)| match first == last {
            true => first.to_string(),
            false => format!("{first}-{last}"),
        };
        format!("@{}", ranges.into_iter().map(said).collect::<Vec<_>>().join(","))
    }

    fn applied(&mut self, seq: u64, applied: &Applied) {
        let decided = &applied.decided;
        let continuation = json::encode(&decided.continuation);
        write!(self.body, "{seq} {} {}", decided.rule, continuation.trim_matches('"')).unwrap();
        if !decided.withdrawn.is_empty() {
            write!(self.body, " withdrawn {}", json::encode(&decided.withdrawn)).unwrap();
        }
        self.body.push('\n');
        applied.effects.iter().for_each(|effect| self.order(effect));
    }

    fn order(&mut self, effect: &Effect) {
        let mut data = serde_json::to_value(&effect.order).unwrap()["data"].take();
        strip(&mut data);
        let fields = data.as_object_mut().unwrap();
        let texts = ["prompt", "text", "input", "detail"];
        let mut said = String::new();
        for name in texts {
            if let Some(Value::String(text)) = fields.remove(name) {
                write!(said, " {name} {}", self.text(&text)).unwrap();
            }
        }
        if matches!(effect.order, Order::AskUser(_)) {
            said = format!(" {}", self.text(&serde_json::to_string_pretty(&data).unwrap()));
            data = Value::Null;
        }
        let data = if data.is_null() { String::new() } else { format!(" {data}") };
        writeln!(
            self.body,
            "  {} {}{data}{said}",
            json::encode(&effect.id).trim_matches('"'),
            effect.order.name()
        )
        .unwrap();
    }

    fn refused(&mut self, error: &Error) {
        writeln!(self.body, "refused {}", error.code).unwrap();
    }

    /// The files as they stand at the end, and what would still be answered.
    fn end(&mut self, engine: &Engine) {
        for file in engine.files() {
            let Ok(text) = engine.render(&file.path) else { continue };
            let text = self.text(&text);
            writeln!(self.body, "file {} {text}", file.path).unwrap();
        }
        let open = engine.pending().into_iter().map(|one| {
            let phase = match one.delivery {
                Delivery::Ordered => "ordered",
                _ => "started",
            };
            format!("{} {phase}", json::encode(&one.effect.id).trim_matches('"'))
        });
        let open: Vec<String> = open.collect();
        writeln!(self.body, "outbox {}", open.join(", ")).unwrap();
    }

    fn written(&self) -> String {
        let visible = |c: char| match c.is_control() {
            true => c.escape_default().to_string(),
            false => c.to_string(),
        };
        let row = |line: &String| format!("|{}\n", line.chars().map(visible).collect::<String>());
        self.lines.iter().map(row).collect::<String>() + "\n" + &self.body
    }
}

/// Takes out of an order what differs with the bytes of a state or file, at any depth.
fn strip(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.retain(|name, field| !DIGESTS.contains(&name.as_str()) && !field.is_null());
            fields.values_mut().for_each(strip);
        }
        Value::Array(items) => items.iter_mut().for_each(strip),
        _ => {}
    }
}

fn place(folder: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(folder)
}

/// Every protocol, by the folders of their sources.
fn protocols() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/protocols");
    let entries = std::fs::read_dir(root).unwrap().map(|entry| entry.unwrap());
    let folders = entries.filter(|entry| entry.path().is_dir());
    folders.map(|entry| entry.file_name().into_string().unwrap()).collect()
}

/// The stories of a protocol: its traces and its demo, as name and text.
fn stories(protocol: &str) -> Vec<(String, String)> {
    let files = std::fs::read_dir(place("traces").join(protocol)).unwrap();
    let mut paths: Vec<PathBuf> = files.map(|file| file.unwrap().path()).collect();
    paths.sort();
    paths.push(place("same").join(format!("{protocol}-demo.jsonl")));
    let name = |path: &PathBuf| path.file_stem().unwrap().to_string_lossy().into_owned();
    paths.iter().map(|path| (name(path), std::fs::read_to_string(path).unwrap())).collect()
}

/// Tells one story to the engine: line 0 has config and time, each other an event (one that cannot be read is a string).
fn tell(record: &mut Record, name: &str, text: &str) {
    let mut lines = text.lines();
    let head = RawObject::read(lines.next().unwrap()).unwrap();
    let config: Config = json::decode(head.raw("config").unwrap()).unwrap();
    let (mut engine, applied) = Engine::start(&config, head.field("at").unwrap()).unwrap();
    writeln!(record.body, "== {name}").unwrap();
    record.applied(0, &applied);
    for line in lines {
        let line = RawObject::read(line).unwrap();
        let raw = line.raw("event").unwrap();
        let event = match serde_json::from_str(raw).unwrap() {
            Value::String(text) => json::decode::<Event>(&text),
            _ => json::decode(raw),
        };
        match event.and_then(|event| engine.apply(&event)) {
            Ok(applied) => record.applied(engine.snapshot().head.seq, &applied),
            Err(error) => record.refused(&error),
        }
    }
    record.end(&engine);
}

fn record(protocol: &str) -> String {
    let mut record = Record::default();
    stories(protocol).iter().for_each(|(name, text)| tell(&mut record, name, text));
    record.written()
}

/// A record, read back.
struct Told<'a> {
    lines: Vec<&'a str>,
    stories: BTreeMap<&'a str, Vec<&'a str>>,
}

impl<'a> Told<'a> {
    fn read(record: &'a str) -> Told<'a> {
        let (lines, body) = record.split_once("\n\n").unwrap();
        let stories = body.split("== ").filter(|story| !story.is_empty()).map(|story| {
            let mut rows = story.lines();
            (rows.next().unwrap(), rows.collect())
        });
        Told { lines: lines.lines().collect(), stories: stories.collect() }
    }

    /// A row of a story with its texts in full, of which only lines in `common` count.
    fn row(&self, name: &str, place: usize, common: &BTreeSet<&str>) -> Option<String> {
        let row = self.stories.get(name)?.get(place)?;
        let word = |word: &str| match word.strip_prefix('@') {
            None => word.to_owned(),
            Some(places) => {
                let ranges = places.split(',').map(|range| {
                    let (first, last) = range.split_once('-').unwrap_or((range, range));
                    first.parse::<usize>().unwrap()..=last.parse().unwrap()
                });
                let lines = ranges.flatten().map(|place| self.lines[place]);
                lines.filter(|line| common.contains(line)).collect::<Vec<_>>().join("\n")
            }
        };
        Some(row.split(' ').map(word).collect::<Vec<_>>().join(" "))
    }
}

/// What differs, in words: lines that went, lines that came, and where each story first does something else.
fn differences(was: &str, is: &str) -> Vec<String> {
    let (old, new) = (Told::read(was), Told::read(is));
    let (before, after): (BTreeSet<&str>, BTreeSet<&str>) =
        (old.lines.iter().copied().collect(), new.lines.iter().copied().collect());
    let gone = before.difference(&after).map(|line| format!("- {line}"));
    let come = after.difference(&before).map(|line| format!("+ {line}"));
    let mut told: Vec<String> = gone.chain(come).collect();
    let common: BTreeSet<&str> = before.intersection(&after).copied().collect();
    let names: BTreeSet<&str> = old.stories.keys().chain(new.stories.keys()).copied().collect();
    for name in names {
        let rows = |told: &Told| told.stories.get(name).map_or(0, Vec::len);
        let mut places = 0..rows(&old).max(rows(&new));
        let pair = |place| (old.row(name, place, &common), new.row(name, place, &common));
        if let Some(place) = places.find(|place| pair(*place).0 != pair(*place).1) {
            let said = |row: Option<String>| row.unwrap_or_else(|| "nothing".to_owned());
            let (was, is) = pair(place);
            told.push(format!("{name}, row {place}: {}\n  became: {}", said(was), said(is)));
        }
    }
    told
}

#[test]
fn every_story_and_demo_is_as_before() {
    let all = protocols();
    let told: Vec<String> = std::thread::scope(|scope| {
        let readers: Vec<_> = all.iter().map(|name| scope.spawn(|| held(name))).collect();
        readers.into_iter().flat_map(|reader| reader.join().unwrap()).collect()
    });
    assert!(told.is_empty(), "{} differences:\n{}", told.len(), told.join("\n"));
}

/// Holds a protocol to its record, or writes that anew if this was asked for.
fn held(protocol: &str) -> Vec<String> {
    let (path, is) = (place("same").join(format!("{protocol}.txt")), record(protocol));
    if std::env::var_os("ENDSTATE_WRITE_SAME").is_some() {
        std::fs::write(&path, &is).unwrap();
    }
    let was = std::fs::read_to_string(&path).unwrap();
    match was == is {
        true => Vec::new(),
        false => {
            let told = differences(&was, &is);
            assert!(!told.is_empty(), "{protocol}: the order of lines in texts differs");
            told.into_iter().map(|one| format!("{protocol}: {one}")).collect()
        }
    }
}

/// A record with another line, rule or story is not the same.
#[test]
fn a_difference_is_told() {
    let was = "|one\n|two\n|three\n\n== a\n0 begin continue\n  0.1 spawn_role {} prompt @0-1\n";
    let told = |from: &str, to: &str| differences(was, &was.replacen(from, to, 1));
    assert_eq!(differences(was, was), Vec::<String>::new());
    assert_eq!(told("|two", "|2"), ["- |two", "+ |2"]);
    assert_eq!(told("begin", "end"), ["a, row 0: 0 begin continue\n  became: 0 end continue"]);
    assert_eq!(told("== a", "== b").len(), 2);
    assert_eq!(told("@0-1", "@1,0").len(), 1);
    assert_eq!(told("@0-1", "@0-2").len(), 1);
}
