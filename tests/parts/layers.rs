//! Imports run one way: vocab ← mission ← protocols ← engine ← hosts, and no protocol knows another.

use std::path::{Path, PathBuf};

/// Each layer with what it may name of the crate beside itself. `view` and `why` are shapes of answers.
const LAYERS: [(&str, &[&str]); 5] = [
    ("vocab", &[]),
    ("view.rs", &["vocab"]),
    ("why.rs", &["vocab"]),
    ("mission", &["vocab", "view", "why"]),
    ("plan", &["vocab"]),
];
/// The engine and what is made of it without input and output, and the hosts above it. The engine names no host.
const ENGINE: [&str; 13] = [
    "admit.rs",
    "agents",
    "chronicle.rs",
    "engine.rs",
    "journal",
    "layout.rs",
    "mcp",
    "picture.rs",
    "protocols",
    "schema.rs",
    "snapshot.rs",
    "stream.rs",
    "tape.rs",
];
const HOSTS: [&str; 4] = ["cli", "lib.rs", "main.rs", "native"];
/// What a protocol may name; `plan` are the documents it reads.
const OF_PROTOCOLS: [&str; 5] = ["vocab", "view", "why", "mission", "plan"];

/// The names in a folder of `src`, of folders alone if `folders`.
fn names(folder: &str, folders: bool) -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(folder);
    let entries = std::fs::read_dir(root).unwrap().map(|entry| entry.unwrap());
    let wanted = entries.filter(|entry| !folders || entry.path().is_dir());
    wanted.map(|entry| entry.file_name().into_string().unwrap()).collect()
}

fn sources(path: &Path) -> Vec<PathBuf> {
    if path.is_file() {
        return vec![path.to_owned()];
    }
    let inner = std::fs::read_dir(path).unwrap().map(|entry| sources(&entry.unwrap().path()));
    let all = inner.flatten().filter(|path| path.extension().is_some_and(|ending| ending == "rs"));
    all.collect()
}

/// What of the crate a source names outside its tests and comments: the words behind `crate::`.
fn named(text: &str) -> Vec<String> {
    let code = text.split("#[cfg(test)]").next().unwrap_or_default();
    let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
    let word = |rest: &str| {
        rest.chars().take_while(|c| c.is_alphanumeric() || "_:".contains(*c)).collect()
    };
    lines
        .flat_map(|line| line.split("crate::").skip(1).map(word).collect::<Vec<String>>())
        .collect()
}

fn breaches(path: &str, may: &[&str]) -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let own = path.trim_end_matches(".rs").replace('/', "::");
    let foreign = |name: &String| {
        let within = |layer: &&str| name == layer || name.starts_with(&format!("{layer}::"));
        !may.iter().chain([&own.as_str()]).any(within)
    };
    let files = sources(&root.join(path)).into_iter().flat_map(|file| {
        let text = std::fs::read_to_string(&file).unwrap();
        let names = named(&text).into_iter().filter(foreign);
        names.map(|name| format!("{} names {name}", file.display())).collect::<Vec<_>>()
    });
    files.collect()
}

#[test]
fn imports_run_one_way() {
    let layers = LAYERS.iter().flat_map(|(path, may)| breaches(path, may));
    let protocols = names("protocols", true).into_iter().map(|name| format!("protocols/{name}"));
    let within: Vec<&str> = ENGINE.iter().map(|name| name.trim_end_matches(".rs")).collect();
    let below = [&OF_PROTOCOLS[..], &within].concat();
    let engine = ENGINE.iter().flat_map(|path| breaches(path, &below));
    let protocols = protocols.flat_map(|path| breaches(&path, &OF_PROTOCOLS));
    let all: Vec<String> = layers.chain(protocols).chain(engine).collect();
    assert!(all.is_empty(), "{all:#?}");
}

/// A new part of the crate gets its place among the layers.
#[test]
fn every_part_has_its_layer() {
    let layers = LAYERS.iter().map(|(name, _)| *name);
    let known: Vec<&str> = layers.chain(ENGINE).chain(HOSTS).collect();
    let unplaced = |name: &String| !known.contains(&name.as_str());
    let new: Vec<String> = names("", false).into_iter().filter(unplaced).collect();
    assert!(new.is_empty(), "no layer has {new:?}");
}

/// The check can fail.
#[test]
fn a_breach_is_found() {
    assert_eq!(
        named("// crate::a\nuse crate::engine::hex;\n#[cfg(test)]\ncrate::b"),
        ["engine::hex"]
    );
    assert!(!breaches("protocols/promise", &["vocab"]).is_empty());
}
