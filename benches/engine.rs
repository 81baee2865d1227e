//! The cost of one event given to an engine that is held open, with 10, 1,000 and 100,000 items. It
//! must not grow with the number of items.
//!
//! Beside it the events of every protocol's traces, and a run's sign of life.
//!
//! `cargo bench --bench engine`: one iteration is many events, and divan tells how many a second. The
//! first slice of the story only warms the engine up, for a copy of it has cold memory.
#![allow(clippy::disallowed_methods, clippy::disallowed_types, clippy::unwrap_used)]

use divan::Bencher;
use divan::counter::ItemsCount;
use endstate::Engine;
use endstate::engine::Config;
use endstate::vocab::event::{Event, Fact, ProgressEntry, RunProgressed};
use endstate::vocab::json;

#[path = "../tests/common/mod.rs"]
mod common;
#[path = "../bench/story.rs"]
mod story;

fn main() {
    divan::main();
}

#[divan::bench(args = story::SIZES, sample_size = 1, sample_count = 40)]
fn events_into_open_engine(bencher: Bencher<'_, '_>, items: usize) {
    let story = story::story(items);
    let engine = Engine::open(story.snapshot).unwrap();
    let (first, rest) = story.events.split_at(story.events.len().div_ceil(3));
    bencher
        .counter(ItemsCount::new(rest.len()))
        .with_inputs(|| {
            let mut engine = engine.clone();
            for event in first {
                engine.apply(event).unwrap();
            }
            engine
        })
        .bench_local_values(|mut engine| {
            for event in rest {
                divan::black_box(engine.apply(divan::black_box(event)).unwrap());
            }
            engine
        });
}

#[divan::bench(args = story::SIZES, sample_size = 1, sample_count = 20)]
fn open_snapshot_text(bencher: Bencher<'_, '_>, items: usize) {
    let text = endstate::vocab::json::encode(&story::snapshot(items));
    bencher.bench_local(|| endstate::Snapshot::read(divan::black_box(&text)).unwrap());
}

/// The protocols with their own traces.
const PROTOCOLS: [&str; 5] = ["completion", "promise", "sprint", "iteration", "grid"];

/// The missions of a protocol's traces at their start, each with the events that it took.
fn traced(protocol: &str) -> Vec<(Engine, Vec<Event>)> {
    let folder = format!("{}/tests/traces/{protocol}", env!("CARGO_MANIFEST_DIR"));
    let files = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    let told = files.map(|path| {
        let text = std::fs::read_to_string(path).unwrap();
        let mut lines = text.lines().map(|line| json::RawObject::read(line).unwrap());
        let first = lines.next().unwrap();
        let config: Config = first.field("config").unwrap();
        let (engine, _) = Engine::start(&config, first.field("at").unwrap()).unwrap();
        let taken = lines.filter(|line| line.raw("expect").is_some());
        (engine, taken.map(|line| line.field("event").unwrap()).collect())
    });
    told.collect()
}

#[divan::bench(args = PROTOCOLS, sample_size = 1, sample_count = 40)]
fn events_of_the_traces(bencher: Bencher<'_, '_>, protocol: &str) {
    let missions = traced(protocol);
    bencher
        .counter(ItemsCount::new(missions.iter().map(|(_, events)| events.len()).sum::<usize>()))
        .with_inputs(|| missions.iter().map(|(engine, _)| engine.clone()).collect())
        .bench_local_values(|mut engines: Vec<Engine>| {
            for (engine, (_, events)) in engines.iter_mut().zip(&missions) {
                for event in events {
                    divan::black_box(engine.apply(divan::black_box(event)).unwrap());
                }
            }
            engines
        });
}

/// A run says what it does, again and again.
#[divan::bench(args = PROTOCOLS, sample_size = 1, sample_count = 40)]
fn progress_event(bencher: Bencher<'_, '_>, protocol: &str) {
    let (mut engine, event) = traced(protocol).into_iter().find_map(working).unwrap();
    bencher.counter(ItemsCount::new(1_000_usize)).bench_local(|| {
        for _ in 0..1_000 {
            divan::black_box(engine.apply(divan::black_box(&event)).unwrap());
        }
    });
}

/// A mission in whose midst a run is at work, and what that run says.
fn working((mut engine, events): (Engine, Vec<Event>)) -> Option<(Engine, Event)> {
    let middle = events.len() / 2;
    for (place, event) in events.iter().enumerate() {
        engine.apply(event).unwrap();
        let live = engine.pending().into_iter().find(|one| one.live() && place >= middle);
        if let Some(run) = live {
            let (kind, text) = ("activity".to_owned(), "working on it, line 1".to_owned());
            let entries = vec![ProgressEntry { kind, text }];
            let fact = Fact::RunProgressed(RunProgressed { effect: run.effect.id, entries });
            return Some((engine, Event { at: event.at + 1, fact }));
        }
    }
    None
}
