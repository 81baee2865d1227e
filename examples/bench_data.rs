//! Writes what `bench/node.mjs` measures: `bench/data/snapshot-<n>.json` and the events that follow
//! it, `bench/data/events-<n>.jsonl`. With `--native` it measures them itself, as `bench/peers.sh` asks.
//!
//! `cargo run --release --no-default-features --example bench_data [DIR [--native]]`
#![allow(clippy::disallowed_methods, clippy::disallowed_types, clippy::unwrap_used)]

use endstate::Snapshot;
use endstate::vocab::json;
use std::path::PathBuf;

#[path = "../tests/common/mod.rs"]
mod common;
#[path = "../bench/native.rs"]
mod native;
#[path = "../bench/story.rs"]
mod story;

fn main() -> std::io::Result<()> {
    let folder = std::env::args_os().nth(1).map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("bench").join("data"),
        PathBuf::from,
    );
    if std::env::args_os().nth(2).is_some_and(|word| word == "--native") {
        return native::answer(&folder);
    }
    std::fs::create_dir_all(&folder)?;
    for items in story::SIZES {
        let story = story::story(items);
        let snapshot: &Snapshot = &story.snapshot;
        std::fs::write(folder.join(format!("snapshot-{items}.json")), json::encode(snapshot))?;
        let lines: String =
            story.events.iter().map(|event| format!("{}\n", json::encode(event))).collect();
        std::fs::write(folder.join(format!("events-{items}.jsonl")), lines)?;
    }
    Ok(())
}
