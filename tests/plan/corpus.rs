//! Documents that people really wrote, and files made to break readers: each is read without a panic, each remark
//! has its place, and what has no fault starts.
//!
//! The corpus lies beside the repository and is not part of it; where it is absent, nothing is tested
//! and the output says so.

use endstate::engine::Config;
use endstate::plan::model::{Read, Weight};
use endstate::plan::{self, write};
use endstate::protocols::ProtocolConfig;
use endstate::protocols::sprint::plan::config;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Past the test command, which swallows what tests that pass print.
fn say(words: &str) {
    use std::io::Write;
    let _ = writeln!(std::io::stderr(), "{words}");
}

fn corpus() -> Option<PathBuf> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus");
    if !corpus.join("mission-supervisor").is_dir() {
        say(&format!("SKIPPED: corpus is absent ({})", corpus.display()));
        return None;
    }
    Some(corpus)
}

/// Every file of text below `root`, folder by folder, in the order of their paths.
fn folders(root: &Path) -> BTreeMap<PathBuf, BTreeMap<String, String>> {
    let mut found: BTreeMap<PathBuf, BTreeMap<String, String>> = BTreeMap::new();
    let mut open = vec![root.to_path_buf()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let ending = path.extension().and_then(|one| one.to_str()).unwrap_or_default();
            if path.is_dir() {
                open.push(path);
            } else if ["md", "json", "jsonl", "yaml", "yml"].contains(&ending) {
                let text = String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned();
                let name = path.file_name().unwrap().to_string_lossy().into_owned();
                found.entry(folder.clone()).or_default().insert(name, text);
            }
        }
    }
    found
}

/// Each remark stands in the document and says something.
fn placed(name: &str, text: &str, read: &Read) {
    let lines = u32::try_from(text.lines().count()).unwrap() + 1;
    for one in &read.remarks {
        assert!((1..=lines).contains(&one.line) && one.column > 0, "{name}: {one:?}");
        assert!(one.line <= one.last && one.last <= lines, "{name}: {one:?}");
        assert!(!one.expected.is_empty() && !one.got.is_empty(), "{name}: {one:?}");
    }
}

/// What is written of a plan without a fault is a canonical plan without a fault, and rests.
fn rests(name: &str, read: &Read) {
    let text = write::document(&read.plan);
    let again = plan::canonical(&text).expect(name);
    assert_eq!(
        again.remarks.iter().find(|one| one.weight == Weight::Fault),
        None,
        "{name}: as it was written"
    );
    assert_eq!(write::document(&again.plan), text, "{name}: written and read again");
}

#[test]
fn every_document_is_read_or_named_and_what_has_no_fault_starts() {
    let Some(corpus) = corpus() else { return };
    let mut tally: BTreeMap<&str, (u32, u32)> = BTreeMap::new();
    let mut others = 0;
    for (folder, files) in folders(&corpus) {
        for (name, text) in &files {
            let told = folder.join(name).display().to_string();
            let started = config(name, &files, "project");
            let Ok((family, read)) = plan::open(&files, name) else {
                others += 1;
                assert!(started.is_err(), "{told}");
                continue;
            };
            placed(&told, text, &read);
            let row = tally.entry(family.as_str()).or_default();
            row.0 += 1;
            match read.remarks.iter().find(|one| one.weight == Weight::Fault) {
                Some(fault) => {
                    let error = started.expect_err(&told);
                    assert_eq!((error.code, &error.expected), (fault.code, &fault.expected));
                }
                None => {
                    row.1 += 1;
                    rests(&told, &read);
                    let mission = ProtocolConfig::Sprint(Box::new(started.expect(&told).config));
                    let config = Config::new(mission);
                    endstate::start(&config, 0).unwrap_or_else(|error| panic!("{told}: {error}"));
                }
            }
        }
    }
    for (family, (read, started)) in &tally {
        say(&format!("{family}: {read} documents, {started} start"));
    }
    say(&format!("{others} documents of other kinds"));
    let sum = tally.values().fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    // Two say a number of sprints that is not what stands there.
    assert!(sum.0 >= 35 && sum.0 - sum.1 <= 2, "{tally:?}");
    assert!(others > 30);
}
