//! Snapshots that lie beside a journal: what is newer than its last line says that it was longer once.

use std::fs;
use std::path::Path;

/// The event of the newest snapshot beside a journal of a state directory.
pub(super) fn newest(journal: &Path) -> Option<u64> {
    let directory = journal.parent().filter(|_| journal.ends_with("journal.jsonl"))?;
    let event = |entry: fs::DirEntry| -> Option<u64> {
        let name = entry.file_name().into_string().ok()?;
        let number = name.strip_prefix("snapshot-")?.strip_suffix(".json")?;
        number.parse().ok().filter(|_| number.len() <= 15)
    };
    fs::read_dir(directory).into_iter().flatten().flatten().filter_map(event).max()
}

/// A file that by its name tells the page of a snapshot that is newer than the journal.
pub(super) fn told(newest: Option<u64>, journal: &[u8]) -> Option<(String, Vec<u8>)> {
    let lines = journal.iter().filter(|byte| **byte == b'\n').count() as u64;
    let event = newest.filter(|event| *event >= lines)?;
    Some((format!("snapshot-{event}.json"), Vec::new()))
}
