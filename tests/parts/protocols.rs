//! The protocols are built alike: the same files with the same roles, and none imports another.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

const PROTOCOLS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/protocols");
/// What every mission has.
const MISSION: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/mission");

/// What every protocol has, each as a file or a folder of that name.
const ROLES: [&str; 15] = [
    "answers", "apply", "ask", "check", "commands", "decide", "explain", "facts", "files", "mod",
    "prompt", "report", "role", "start", "state",
];

fn protocols() -> BTreeSet<String> {
    let entries = fs::read_dir(PROTOCOLS).unwrap().map(|entry| entry.unwrap());
    let folders = entries.filter(|entry| entry.path().is_dir());
    folders.map(|entry| entry.file_name().into_string().unwrap()).collect()
}

fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => all.extend(sources(&path)),
            false => all.push(path),
        }
    }
    all.retain(|path| path.extension().is_some_and(|end| end == "rs"));
    all
}

#[test]
fn every_protocol_has_the_same_files() {
    let names = protocols();
    assert!(names.len() >= 4, "{names:?}");
    for name in &names {
        for role in ROLES {
            let folder = Path::new(PROTOCOLS).join(name);
            let there = folder.join(format!("{role}.rs")).is_file() || folder.join(role).is_dir();
            assert!(there, "{name}: {role}");
        }
    }
}

#[test]
fn each_file_says_what_it_is_for() {
    let tests = |path: &Path| path.to_string_lossy().contains("tests");
    for path in sources(Path::new(PROTOCOLS)).into_iter().filter(|path| !tests(path)) {
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.starts_with("//! "), "{} tells no story at its head", path.display());
    }
}

#[test]
fn no_protocol_imports_another() {
    let names = protocols();
    for name in names.iter() {
        for path in sources(&Path::new(PROTOCOLS).join(name)) {
            let text = fs::read_to_string(&path).unwrap();
            for other in names.iter().filter(|other| *other != name) {
                let (full, short) = (format!("protocols::{other}"), format!("super::{other}::"));
                let found = text.lines().find(|line| {
                    let code = line.split("//").next().unwrap_or_default();
                    code.contains(&full) || code.contains(&short)
                });
                assert_eq!(found, None, "{} names {other}", path.display());
            }
        }
    }
}

/// Functions and types with their bodies, comments and white space left out.
fn bodies(text: &str) -> Vec<(String, String)> {
    let code: Vec<&str> =
        text.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
    let mut found = Vec::new();
    for (place, line) in code.iter().enumerate() {
        let opens = ["fn ", "struct ", "enum "].iter().any(|word| line.contains(word));
        if !opens || line.trim_end().ends_with('}') || line.trim_end().ends_with(';') {
            continue;
        }
        let indent = &line[..line.len() - line.trim_start().len()];
        let end = format!("{indent}}}");
        let body = code[place..].iter().skip(1).take_while(|line| ***line != end);
        let words: Vec<&str> = body.flat_map(|line| line.split_whitespace()).collect();
        found.push((line.trim().to_owned(), words.join(" ")));
    }
    found
}

/// What three protocols do alike is written once: no body of more than a line stands in three of them.
#[test]
fn what_three_do_alike_is_shared() {
    let mut all: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for name in protocols() {
        for path in sources(&Path::new(PROTOCOLS).join(&name)) {
            for (head, body) in bodies(&fs::read_to_string(&path).unwrap()) {
                if body.len() > 60 {
                    all.entry(body).or_default().insert(format!("{name}: {head}"));
                }
            }
        }
    }
    assert!(all.len() > 1_000, "only {} bodies were found", all.len());
    let of = |places: &BTreeSet<String>| {
        places.iter().map(|one| one.split(':').next().unwrap().to_owned()).collect::<BTreeSet<_>>()
    };
    let alike: Vec<_> = all.iter().filter(|(_, places)| of(places).len() >= 3).collect();
    assert!(alike.is_empty(), "{alike:#?}");
}

/// Moves that every protocol makes in the same way are written once.
#[test]
fn what_all_do_alike_is_shared() {
    let pieces = [
        "fn still_open(",
        "fn reasoned(",
        "fn foreign(",
        "fn ask_once(",
        "fn failure(",
        "enum FactName",
        "fn progressed(",
    ];
    for alike in pieces {
        let all = [sources(Path::new(PROTOCOLS)), sources(Path::new(MISSION))].concat();
        let has = |path: &&PathBuf| fs::read_to_string(path).unwrap().contains(alike);
        let found: Vec<&PathBuf> = all.iter().filter(has).collect();
        assert_eq!(found.len(), 1, "{alike} {found:?}");
        assert!(found[0].starts_with(MISSION), "{found:?}");
    }
}
