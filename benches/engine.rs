//! The cost of one event given to an engine that is held open, with 10, 1,000 and 100,000 items. It
//! must not grow with the number of items.
//!
//! `cargo bench --bench engine`: one iteration is many events, and divan tells how many a second. The
//! first slice of the story only warms the engine up, for a copy of it has cold memory.
#![allow(clippy::disallowed_methods, clippy::disallowed_types, clippy::unwrap_used)]

use divan::Bencher;
use divan::counter::ItemsCount;
use endstate::Engine;

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
