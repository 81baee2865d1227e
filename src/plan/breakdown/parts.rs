//! Atomic tasks: what a requirement is split into.

use super::super::document::{unboxed, unmarked};
use super::super::outline::spans;
use super::super::paths::{Touched, folder, paths};
use super::super::requirements::{id_of, is_order};
use std::collections::BTreeMap;

/// The atomic tasks of a requirement, by the rules for splitting.
pub fn parts(text: &str) -> Vec<String> {
    if let Some((head, rest)) = text.split_once('\n') {
        return nested(
            head,
            &rest.lines().map(|line| unboxed(unmarked(line)).0).collect::<Vec<_>>(),
        );
    }
    let text = unmarked(text.trim()).trim_end_matches('.');
    let text = wanted(text);
    // What has an id was cut by its author.
    if id_of(&text).is_some() {
        return vec![capital(&text)];
    }
    let found = enumerated(&text)
        .or_else(|| integrated(&text))
        .or_else(|| joined(&text, &[]))
        .unwrap_or_else(|| vec![text.clone()]);
    let tested = found.iter().any(|part| part.to_lowercase().contains("test"));
    let mut found: Vec<String> = found.iter().flat_map(|part| by_place(part)).collect();
    if !tested && is_large(&text) {
        found.push(format!("Write tests for: {text}"));
    }
    found.into_iter().map(|part| capital(&part)).collect()
}

/// A text with lines below it. Lines that are orders are tasks by themselves, and a label over them is none; what else
/// stands there says more about the first line, and stays with it.
fn nested(head: &str, below: &[&str]) -> Vec<String> {
    let bare = head.trim_end_matches(['*', '_', ' ']);
    let below = below.iter().filter(|line| !line.is_empty());
    if below.clone().all(|line| is_order(line)) {
        let first = if bare.ends_with(':') { Vec::new() } else { parts(head) };
        return first.into_iter().chain(below.flat_map(|line| parts(line))).collect();
    }
    let head = capital(unmarked(head).trim_end_matches(['.', ':']));
    vec![below.fold(head, |text, line| format!("{text}\n- {line}"))]
}

/// One task for each folder, where a task makes or changes files in several; of more than three files in one
/// folder one for types, one for the work, one for tests and one for settings.
fn by_place(text: &str) -> Vec<String> {
    let Some((from, to, files)) = listed_files(text) else { return vec![text.to_owned()] };
    // What is done to the first is done to all of them.
    let mut touched = Touched::default();
    touched.task(text.get(..from + files[0].len() + 1).unwrap_or(text));
    if !touched.read.is_empty() {
        return vec![text.to_owned()];
    }
    let mut groups: BTreeMap<(&str, u32), Vec<&str>> = BTreeMap::new();
    let mut order: Vec<(&str, u32)> = Vec::new();
    for file in &files {
        let sort = if files.len() > 3 { sort(file) } else { 0 };
        let key = (folder(file), sort);
        if !order.contains(&key) {
            order.push(key);
        }
        groups.entry(key).or_default().push(file);
    }
    if groups.len() < 2 {
        return vec![text.to_owned()];
    }
    order.sort_by_key(|(_, sort)| *sort);
    let task = |key: &(&str, u32)| {
        let files = groups.get(key).into_iter().flatten();
        let files: Vec<String> = files.map(|file| format!("`{file}`")).collect();
        format!("{}{}{}", &text[..from], files.join(", "), &text[to..])
    };
    order.iter().map(task).collect()
}

/// Files that are named one after the other, with nothing but commas and "and" between: their bytes, marks
/// included, and the files.
fn listed_files(text: &str) -> Option<(usize, usize, Vec<&str>)> {
    let all: Vec<(usize, &str)> = paths(text).collect();
    let (first, last) = (all.first()?, all.last()?);
    let joints = all.windows(2).all(|pair| {
        let between = text.get(pair[0].0 + pair[0].1.len()..pair[1].0).unwrap_or_default();
        let between = between.trim_matches(|c: char| c.is_whitespace() || c == '`');
        matches!(between, "," | "and" | "&" | ", and" | "+")
    });
    let ticked = |at: usize| spans(text).iter().any(|(start, _)| *start == at);
    let (end, mark) = (last.0 + last.1.len(), usize::from(ticked(last.0)));
    let from = first.0 - usize::from(ticked(first.0));
    (all.len() > 1 && joints)
        .then(|| (from, end + mark, all.iter().map(|(_, path)| *path).collect()))
}

/// What a file is for: 0 types, 1 the work itself, 2 tests, 3 settings.
fn sort(file: &str) -> u32 {
    let lower = file.to_lowercase();
    let says = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    let ends = |ends: &[&str]| ends.iter().any(|end| lower.ends_with(end));
    match () {
        () if says(&["test", "spec."]) => 2,
        () if ends(&[
            ".toml", ".yaml", ".yml", ".json", ".ini", ".cfg", ".conf", ".lock", ".xml",
        ]) =>
        {
            3
        }
        () if says(&["type", "model", "schema", "interface", "protocol"]) => 0,
        () => 1,
    }
}

/// What a user story or a keyword wants, without the words around it.
fn wanted(text: &str) -> String {
    let lower = text.to_lowercase();
    if lower.starts_with("as a")
        && let Some((_, rest)) = text.split_once("I want ")
    {
        let goal = rest
            .split(", so that")
            .next()
            .unwrap_or(rest)
            .split(" so that ")
            .next()
            .unwrap_or(rest);
        let goal = goal.strip_prefix("to ").unwrap_or(goal);
        return goal.trim().to_owned();
    }
    text.to_owned()
}

/// "Add support for A, B and C": one task each, where the items are short and so do not share sentences.
fn enumerated(text: &str) -> Option<Vec<String>> {
    let lower = text.to_ascii_lowercase();
    let (head, list) = ["support for ", "commands for ", "endpoints for ", "handlers for "]
        .iter()
        .find_map(|mark| {
            let at = lower.find(mark)?;
            Some(text.split_at(at + mark.len()))
        })?;
    let items: Vec<&str> = list
        .split(',')
        .flat_map(|part| part.split(" and "))
        .map(|part| part.trim().trim_start_matches("and "))
        .filter(|part| !part.is_empty())
        .collect();
    let short = items.iter().all(|item| item.split_whitespace().count() <= 4);
    (items.len() > 1 && short).then(|| items.iter().map(|item| format!("{head}{item}")).collect())
}

/// "Create X and integrate with Y".
fn integrated(text: &str) -> Option<Vec<String>> {
    let lower = text.to_lowercase();
    let at = lower.find(" and integrate ")?;
    let (first, rest) = (text.get(..at)?, text.get(at + " and integrate ".len()..)?);
    let subject = first.split_once(' ').map_or(first, |(_, subject)| subject);
    let rest = rest.trim_start_matches("it ");
    Some(vec![first.to_owned(), format!("Integrate {subject} {rest}")])
}

/// Verbs of work that are hardly ever anything else, so that what is behind "and" is a goal of its own.
const WORK: &[&str] = &[
    "adopt",
    "apply",
    "automate",
    "bump",
    "clean",
    "configure",
    "connect",
    "convert",
    "decouple",
    "define",
    "deploy",
    "deprecate",
    "detect",
    "drop",
    "encrypt",
    "ensure",
    "establish",
    "expand",
    "extend",
    "extract",
    "fetch",
    "finish",
    "fix",
    "harden",
    "hide",
    "improve",
    "install",
    "integrate",
    "introduce",
    "make",
    "measure",
    "merge",
    "migrate",
    "move",
    "normalise",
    "normalize",
    "optimise",
    "optimize",
    "polish",
    "prepare",
    "prevent",
    "publish",
    "redesign",
    "reduce",
    "refactor",
    "rename",
    "reorganise",
    "reorganize",
    "replace",
    "retire",
    "rework",
    "rewrite",
    "secure",
    "serve",
    "ship",
    "simplify",
    "split",
    "switch",
    "translate",
    "trim",
    "tune",
    "unify",
    "upgrade",
    "wire",
    "wrap",
];

/// Two verbs joined by "and": distinct work.
fn joined(text: &str, more: &[&str]) -> Option<Vec<String>> {
    const VERBS: &[&str] = &[
        "add",
        "allow",
        "build",
        "change",
        "check",
        "create",
        "delete",
        "document",
        "edit",
        "emit",
        "enable",
        "export",
        "expose",
        "generate",
        "handle",
        "implement",
        "import",
        "log",
        "notify",
        "parse",
        "persist",
        "print",
        "read",
        "reject",
        "remove",
        "render",
        "report",
        "retry",
        "run",
        "save",
        "send",
        "show",
        "sort",
        "store",
        "support",
        "test",
        "update",
        "validate",
        "verify",
        "write",
    ];
    let mut parts: Vec<String> = Vec::new();
    for part in text.split(" and ") {
        let first = part
            .trim_start_matches(['`', '*'])
            .split(|c: char| !c.is_alphanumeric())
            .next()
            .unwrap_or_default()
            .to_lowercase();
        match parts.last_mut() {
            Some(last) if !VERBS.contains(&first.as_str()) && !more.contains(&first.as_str()) => {
                *last = format!("{last} and {part}")
            }
            _ => parts.push(part.to_owned()),
        }
    }
    // "Create and edit notes" is one thing to do.
    let whole = parts.iter().all(|part| part.split_whitespace().count() > 1);
    (parts.len() > 1 && whole).then_some(parts)
}

/// The goals of a text that names several: "Add the parser and export the report". Its tests and documents are of the
/// same goal.
pub(in crate::plan) fn goals(text: &str) -> Option<Vec<String>> {
    let found = joined(text, WORK)?;
    let own = |part: &String| {
        let lower = part.to_lowercase();
        let beside = ["test", "doc", "verify", "validate", "check"];
        lower.split_whitespace().count() > 1 && !beside.iter().any(|word| lower.contains(word))
    };
    found.iter().all(own).then_some(found)
}

/// Something that is built and says nothing about its tests.
fn is_large(text: &str) -> bool {
    let lower = text.to_lowercase();
    ["implement ", "engine", "protocol", "parser", "service", "algorithm"]
        .iter()
        .any(|word| lower.contains(word))
        && text.split_whitespace().count() > 6
}

fn capital(text: &str) -> String {
    let text = text.trim();
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requirements_are_split_by_the_rules() {
        for (text, expected) in [
            (
                "Add support for JSON, CSV and XML",
                "Add support for JSON | Add support for CSV | Add support for XML",
            ),
            (
                "Support for JSON, YAML and XML",
                "Support for JSON | Support for YAML | Support for XML",
            ),
            (
                "Create a client and integrate with the queue",
                "Create a client | Integrate a client with the queue",
            ),
            ("Parse the file and report errors", "Parse the file | Report errors"),
            ("Show bread and butter", "Show bread and butter"),
            ("Create and edit notes", "Create and edit notes"),
            ("FR-3: Add the parser and print the tree", "FR-3: Add the parser and print the tree"),
            ("As a user, I want to log in, so that it is mine", "Log in"),
            ("Commands:\n- add one\n- remove one", "Add one | Remove one"),
            (
                "**R1** Sync with server\n- retries 3 times\n  - [ ] backs off",
                "**R1** Sync with server\n- retries 3 times\n- backs off",
            ),
            ("It makes these pages:\n- Start\n- Search", "It makes these pages\n- Start\n- Search"),
            (
                "Accounts\n- Create a user\n- Delete a user",
                "Accounts | Create a user | Delete a user",
            ),
            (
                "Implement the whole parser of plan documents",
                "Implement the whole parser of plan documents | Write tests for: Implement the whole parser of plan documents",
            ),
            (
                "Update `src/cli/main.rs` and `src/report/table.rs` to take a `--group` option.",
                "Update `src/cli/main.rs` to take a `--group` option | Update `src/report/table.rs` to take a `--group` option",
            ),
            (
                "Create `a/x.rs`, `a/y.rs` and `b/z.rs`",
                "Create `a/x.rs`, `a/y.rs` | Create `b/z.rs`",
            ),
            ("Create `a/x.rs` that uses `b/z.rs`", "Create `a/x.rs` that uses `b/z.rs`"),
            (
                "Create `a/Cargo.toml`, `a/run.rs`, `a/run_test.rs`, `a/types.rs`",
                "Create `a/types.rs` | Create `a/run.rs` | Create `a/run_test.rs` | Create `a/Cargo.toml`",
            ),
        ] {
            assert_eq!(parts(text).join(" | "), expected, "{text}");
        }
    }
}
