//! A criterion as rows of the ledger: its words and each of its commands are shown separately.

use super::config::{Check, CriterionConfig};
use super::expectation;
use crate::vocab::shown::{CommandLine, Expect, ShownBy};

/// The rows of a criterion: one, unless it has several commands, or words and a command. Its words keep its id; its
/// commands are `AC-001.1`, ….
pub(super) fn rows(id: &str, text: &str, shown: &ShownBy) -> Vec<CriterionConfig> {
    let row = |id: String, text: String, line: Option<&CommandLine>| CriterionConfig {
        vague: line.is_none() && is_vague(&text),
        id,
        text,
        check: line.cloned().map_or(Check::Verifier, Check::Command),
        build: line.is_some_and(|line| builds(&expectation::words(line))),
    };
    // What must only exit shows nothing by itself.
    let only_exits = shown.commands.iter().any(|line| line.expect == Expect::Exit);
    match (shown.commands.as_slice(), shown.judged || only_exits) {
        ([], _) => vec![row(id.to_owned(), text.to_owned(), None)],
        ([line], false) => vec![row(id.to_owned(), text.to_owned(), Some(line))],
        (lines, judged) => {
            let words = judged.then(|| row(id.to_owned(), text.to_owned(), None));
            let each = (1..).zip(lines).map(|(number, line)| {
                let must = expectation::expected(&line.expect);
                let text = format!("`{}`: {must}", expectation::words(line));
                row(format!("{id}.{number}"), text, Some(line))
            });
            words.into_iter().chain(each).collect()
        }
    }
}

/// Words that no verifier can hold anybody to (seed 002, line 1645).
const VAGUE: [&str; 3] = ["works correctly", "properly handles", "is complete"];

fn is_vague(text: &str) -> bool {
    let text = text.to_lowercase();
    VAGUE.iter().any(|words| text.contains(words))
}

/// Programs that build or test a whole project.
const BUILDERS: [&str; 24] = [
    "cargo",
    "swift",
    "xcodebuild",
    "npm",
    "npx",
    "yarn",
    "pnpm",
    "bun",
    "make",
    "cmake",
    "ninja",
    "gradle",
    "./gradlew",
    "mvn",
    "go",
    "pytest",
    "tox",
    "dotnet",
    "bazel",
    "tsc",
    "jest",
    "vitest",
    "zig",
    "rake",
];

/// Whether a command builds or tests the whole project.
fn builds(command: &str) -> bool {
    let parts = command.split(['|', ';', '&', '\n']);
    parts.into_iter().any(|part| {
        let mut words = part.split_whitespace().filter(|word| !word.contains('='));
        words.next().is_some_and(|word| BUILDERS.contains(&word))
    })
}
