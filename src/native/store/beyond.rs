//! What the journal must have reached, by what lies beside it. An order is in the journal before anything of it is on
//! disk, at whatever moment a driver is killed. So the record of a run, or a line of a history, that bears the id of a
//! later effect proves that the journal was cut or put back.

use super::Places;
use crate::engine::Engine;
use crate::native::regular;
use crate::vocab::event::EffectId;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// The records of a run: of a process, and of one that an agent hosts.
const RECORDS: [&str; 2] = ["record.json", "hosted.json"];
/// How many bytes of the end of a history are read.
const MOST_TAIL: u64 = 256 * 1024;

/// The most lines that the journal had by a file beside it, and that file.
pub(super) fn most_lines(places: &Places, engine: &Engine) -> Option<(u64, PathBuf)> {
    // A history that the mission has not met may be of an earlier one, and has no length.
    let named = engine.files().into_iter().filter_map(|one| {
        let path = places.root.join(&one.path);
        named(&path, one.length?).map(|id| (id, path))
    });
    let latest = named.chain(recorded(places)).max();
    latest.map(|(id, path)| (id.seq.saturating_add(1), path))
}

/// The latest effect that has a record, and the record. What does not read as one is none.
fn recorded(places: &Places) -> Option<(EffectId, PathBuf)> {
    let folders = fs::read_dir(places.engine.join("runs")).into_iter().flatten().flatten();
    let mut ids: Vec<EffectId> =
        folders.filter_map(|one| one.file_name().to_str()?.parse().ok()).collect();
    ids.sort_unstable();
    ids.into_iter().rev().find_map(|id| {
        let paths = RECORDS.map(|name| places.run(&id.to_string()).join(name));
        paths.into_iter().find(|path| bears(path, id)).map(|path| (id, path))
    })
}

fn bears(path: &Path, id: EffectId) -> bool {
    #[derive(Deserialize)]
    struct Record {
        effect: EffectId,
    }
    let bytes = regular::read(path).unwrap_or_default();
    serde_json::from_slice::<Record>(&bytes).is_ok_and(|record| record.effect == id)
}

/// The latest run that is named behind the first `known` bytes of a history. Others may write there as well; their
/// lines name none.
fn named(path: &Path, known: u64) -> Option<EffectId> {
    let mut file = regular::open(path).ok()?;
    let length = file.metadata().ok()?.len();
    let from = known.max(length.saturating_sub(MOST_TAIL));
    file.seek(SeekFrom::Start(from)).ok()?;
    let mut tail = Vec::new();
    file.take(MOST_TAIL).read_to_end(&mut tail).ok()?;
    let lines = tail.split(|byte| *byte == b'\n');
    let fields = lines.filter_map(|line| serde_json::from_slice(line).ok()).flat_map(
        |line: BTreeMap<String, Value>| line.into_iter().filter(|(name, _)| is_run(name)),
    );
    fields.filter_map(|(_, value)| value.as_str()?.parse().ok()).max()
}

/// Whether a field of a history names a run.
fn is_run(name: &str) -> bool {
    name == "run" || name.ends_with("_run")
}
