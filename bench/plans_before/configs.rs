//! The config of a sprint mission by each plan document that is one: a line of JSON. `ENTRY` is what a reader is given, which
//! was the text once, and is a map of texts now.
#![allow(missing_docs, unused_variables, clippy::all, clippy::disallowed_methods, clippy::disallowed_types)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A text and those beside it, by their names.
fn texts(path: &Path) -> BTreeMap<String, String> {
    let beside = std::fs::read_dir(path.parent().unwrap()).unwrap().map(|one| one.unwrap().path());
    let files = beside.filter(|one| one.is_file());
    let named = |path: PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        Some((name, std::fs::read_to_string(path).ok()?))
    };
    files.filter_map(named).collect()
}

fn main() {
    for path in std::env::args().skip(1) {
        let name = path.rsplit('/').next().unwrap().to_owned();
        let files = texts(Path::new(&path));
        let Some(text) = files.get(&name) else { continue };
        if let Ok(planned) = endstate::protocols::sprint::plan::config(ENTRY) {
            println!("{}", serde_json::json!({ "file": path, "config": planned.config }));
        }
    }
}
