//! What the tests over real plan documents share: the corpus, its files, and what starts a mission.

#![allow(dead_code, reason = "each test takes what it needs of these")]

pub(crate) mod key;

use endstate::protocols::ProtocolConfig;
use endstate::protocols::sprint;
use endstate::vocab::error::Result;
use endstate::{Config, start};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Texts by their paths.
pub(crate) type Files = BTreeMap<String, String>;

/// Past the test command, which swallows what tests that pass print.
pub(crate) fn say(words: &str) {
    use std::io::Write;
    let _ = writeln!(std::io::stderr(), "{words}");
}

/// The corpus lies beside the repository and is not part of it; where it is absent, the output says so.
pub(crate) fn corpus() -> Option<PathBuf> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus");
    if !corpus.join("families").is_dir() {
        say(&format!("SKIPPED: corpus is absent ({})", corpus.display()));
        return None;
    }
    Some(corpus)
}

/// All files below a folder, by their paths.
pub(crate) fn below(root: &Path) -> Vec<PathBuf> {
    let (mut found, mut open) = (Vec::new(), vec![root.to_path_buf()]);
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { open.push(path) } else { found.push(path) }
        }
    }
    found.sort();
    found
}

/// A document with those of its folder that its reader may want, as a command finds them, and its name.
pub(crate) fn folder(path: &Path) -> Option<(String, Files)> {
    let file = endstate::native::plans::read(path).ok()?;
    Some(endstate::native::plans::with_siblings(&file))
}

/// Starts a mission.
pub(crate) fn begin(mission: ProtocolConfig) -> std::result::Result<(), String> {
    let config = Config::new(mission);
    start(&config, 0).map(drop).map_err(|error| error.to_string())
}

/// What `run` does with a plan of the sprint protocol.
pub(crate) fn run(files: &Files, entry: &str) -> std::result::Result<(), String> {
    let planned: Result<_> = sprint::plan::config(entry, files, "project");
    let config = planned.map_err(|error| error.to_string())?.config;
    begin(ProtocolConfig::Sprint(Box::new(config)))
}
