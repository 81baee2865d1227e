//! Test runners that say what became of each test, and how they are told to.

use crate::vocab::shown::{CommandLine, Expect};
use crate::vocab::test_report::TestFormat;

/// A runner, as its command begins.
struct Runner {
    /// The words that start it.
    begins: &'static [&'static str],
    /// How it reports.
    format: TestFormat,
    /// Behind how many of its words it is told to.
    behind: usize,
    /// The words that tell it.
    told: &'static [&'static str],
    /// Beginnings of words with which it reports otherwise, or runs nothing.
    unless: &'static [&'static str],
}

const PYTEST: Runner = Runner {
    begins: &["pytest"],
    format: TestFormat::Junit,
    behind: 1,
    told: &["--junitxml={tests}"],
    unless: &["--junit", "--co"],
};
const VITEST: Runner = Runner {
    begins: &["vitest", "run"],
    format: TestFormat::Junit,
    behind: 2,
    told: &["--reporter=default", "--reporter=junit", "--outputFile.junit={tests}"],
    unless: &["--reporter", "--outputFile"],
};
const RUNNERS: [Runner; 7] = [
    PYTEST,
    Runner { begins: &["python", "-m", "pytest"], behind: 3, ..PYTEST },
    Runner { begins: &["python3", "-m", "pytest"], behind: 3, ..PYTEST },
    VITEST,
    Runner { begins: &["npx", "vitest", "run"], behind: 3, ..VITEST },
    Runner {
        begins: &["node", "--test"],
        format: TestFormat::Junit,
        behind: 1,
        told: &[
            "--test-reporter=spec",
            "--test-reporter-destination=stdout",
            "--test-reporter=junit",
            "--test-reporter-destination={tests}",
        ],
        unless: &["--test-reporter", "--watch"],
    },
    Runner {
        begins: &["go", "test"],
        format: TestFormat::Go,
        behind: 2,
        told: &["-v"],
        unless: &["-json", "--json", "-c", "-list", "--list"],
    },
];
/// It reports without being told.
const CARGO: Runner = Runner {
    begins: &["cargo", "test"],
    format: TestFormat::Libtest,
    behind: 2,
    told: &[],
    unless: &["--no-run", "--format", "--list", "--color"],
};

/// The command with which a runner reports its tests, and how it does. `None` where it is none that is known, or where its output
/// is what is expected of it, so that no word of it may be changed.
pub(super) fn reporting(line: &CommandLine) -> Option<(Vec<String>, TestFormat)> {
    if line.expect != Expect::Succeed {
        return None;
    }
    match line.argv.as_slice() {
        [shell, flag, text] if shell.ends_with("sh") && flag == "-c" => {
            let (text, format) = in_line(text)?;
            Some((vec![shell.clone(), flag.clone(), text], format))
        }
        argv => told(argv.iter().map(String::as_str).collect(), |word| word.to_owned()),
    }
}

/// In a line of a shell that is nothing but words, or several such behind each other, one of which is a runner.
fn in_line(text: &str) -> Option<(String, TestFormat)> {
    let plain = |c: char| c.is_alphanumeric() || " _-./:=,@+&".contains(c);
    if !text.chars().all(plain) || text.replace("&&", "").contains('&') {
        return None;
    }
    let mut format = None;
    let mut parts = Vec::new();
    for part in text.split("&&") {
        let told = told(part.split(' ').filter(|word| !word.is_empty()).collect(), quoted);
        // Two of them would write one file.
        let words = match (told, format) {
            (Some(_), Some(_)) => return None,
            (Some((words, one)), None) => {
                format = Some(one);
                words.join(" ")
            }
            (None, _) => part.trim().to_owned(),
        };
        parts.push(words);
    }
    Some((parts.join(" && "), format?))
}

/// The path may have any letter in it.
fn quoted(word: &str) -> String {
    if word.contains(TestFormat::PLACE) { format!("'{word}'") } else { word.to_owned() }
}

fn told(words: Vec<&str>, write: fn(&str) -> String) -> Option<(Vec<String>, TestFormat)> {
    // Variables may stand in front.
    let first = words.iter().position(|word| !word.contains('=') || word.starts_with('-'))?;
    let (front, words) = words.split_at(first);
    let runner = RUNNERS.iter().chain([&CARGO]).find(|one| one.begins_with(words))?;
    let otherwise = |word: &&str| runner.unless.iter().any(|unless| word.starts_with(unless));
    if words.iter().any(otherwise) {
        return None;
    }
    let (start, rest) = words.split_at(runner.behind);
    let own = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    let told = runner.told.iter().map(|word| write(word)).collect();
    Some(([own(front), own(start), told, own(rest)].concat(), runner.format))
}

/// Whether these words start a runner that is known.
pub(super) fn is_one(words: &[&str]) -> bool {
    RUNNERS.iter().chain([&CARGO]).any(|one| one.begins_with(words))
}

impl Runner {
    fn begins_with(&self, words: &[&str]) -> bool {
        let name = |(at, word): (usize, &&str)| match at {
            0 => word.rsplit('/').next().unwrap_or_default().to_owned(),
            _ => (*word).to_owned(),
        };
        words.iter().enumerate().map(name).take(self.begins.len()).eq(self.begins.iter().copied())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(words: &[&str]) -> Option<String> {
        let argv = words.iter().map(|word| (*word).to_owned()).collect();
        let line = CommandLine { argv, ..CommandLine::default() };
        reporting(&line).map(|(argv, format)| format!("{} {format:?}", argv.join(" ")))
    }

    #[test]
    fn a_runner_is_told_to_report() {
        for (words, expected) in [
            (&["pytest", "-q"][..], Some("pytest --junitxml={tests} -q Junit")),
            (&[".venv/bin/pytest"], Some(".venv/bin/pytest --junitxml={tests} Junit")),
            (&["cargo", "test", "--", "a"], Some("cargo test -- a Libtest")),
            (&["go", "test", "./..."], Some("go test -v ./... Go")),
            (
                &["bash", "-c", "cd web && CI=1 python3 -m pytest a"],
                Some("bash -c cd web && CI=1 python3 -m pytest '--junitxml={tests}' a Junit"),
            ),
            (&["bash", "-c", "pytest a && pytest b"], None),
            (&["bash", "-c", "pytest a | tail -1"], None),
            (&["bash", "-c", "pytest a & true"], None),
            (&["pytest", "--junit-xml=mine.xml"], None),
            (&["cargo", "test", "--no-run"], None),
            (&["npm", "test"], None),
            (&["echo", "pytest"], None),
            (&[], None),
        ] {
            assert_eq!(told(words).as_deref(), expected, "{words:?}");
        }
        let node = told(&["node", "--test", "a.mjs"]).unwrap_or_default();
        assert!(node.starts_with("node --test-reporter=spec"), "{node}");
        assert!(node.ends_with("{tests} --test a.mjs Junit"), "{node}");
    }

    #[test]
    fn a_command_whose_output_is_expected_is_left_as_it_is() {
        let argv = vec!["go".to_owned(), "test".to_owned()];
        let line = CommandLine { argv, expect: Expect::BeSilent, ..CommandLine::default() };
        assert_eq!(reporting(&line), None);
    }
}
