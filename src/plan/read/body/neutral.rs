//! Words over commands: those that say no more than that the commands are run and succeed, and those that bend it.
//! Nouns are without end, so a word that is not known counts; the words that say where, when and with what something
//! is run, and those that turn a sentence around, are a closed class.

use super::super::super::wordlist::WordList;

/// Words that change nothing of what is said of commands below them: that they are run, and succeed.
static RUN: WordList = WordList::new(&[
    "a",
    "above",
    "accept",
    "acceptance",
    "accepted",
    "all",
    "also",
    "an",
    "and",
    "are",
    "be",
    "below",
    "blocking",
    "both",
    "by",
    "can",
    "check",
    "checkable",
    "checked",
    "checking",
    "checklist",
    "checks",
    "code",
    "command",
    "commands",
    "complete",
    "completed",
    "completion",
    "condition",
    "conditions",
    "confirm",
    "confirmed",
    "correct",
    "criteria",
    "criterion",
    "definition",
    "demonstrated",
    "dod",
    "done",
    "each",
    "end",
    "ensure",
    "every",
    "evidence",
    "execute",
    "executed",
    "existing",
    "exit",
    "exits",
    "final",
    "finish",
    "finished",
    "first",
    "following",
    "for",
    "gate",
    "gates",
    "general",
    "green",
    "hard",
    "have",
    "haves",
    "here",
    "hold",
    "holds",
    "is",
    "it",
    "list",
    "locally",
    "made",
    "mandatory",
    "measurable",
    "met",
    "more",
    "must",
    "need",
    "needs",
    "objective",
    "objectively",
    "of",
    "ok",
    "our",
    "pass",
    "passed",
    "passes",
    "passing",
    "please",
    "proof",
    "prove",
    "proved",
    "required",
    "requirement",
    "requirements",
    "result",
    "results",
    "run",
    "running",
    "runs",
    "sanity",
    "script",
    "scripts",
    "shall",
    "should",
    "show",
    "shown",
    "shows",
    "step",
    "steps",
    "still",
    "strict",
    "succeed",
    "succeeds",
    "success",
    "successful",
    "successfully",
    "that",
    "the",
    "then",
    "these",
    "they",
    "this",
    "those",
    "to",
    "true",
    "validate",
    "verifiable",
]);
/// The same of kinds of checks, and of what is checked.
static KINDS: WordList = WordList::new(&[
    "additional",
    "analysis",
    "api",
    "app",
    "application",
    "automated",
    "automatic",
    "automation",
    "backend",
    "build",
    "building",
    "builds",
    "ci",
    "cli",
    "compilation",
    "compile",
    "compiles",
    "component",
    "components",
    "config",
    "configuration",
    "core",
    "coverage",
    "data",
    "database",
    "db",
    "deliverable",
    "deliverables",
    "deployment",
    "doc",
    "docs",
    "documentation",
    "e2e",
    "end",
    "feature",
    "features",
    "file",
    "files",
    "format",
    "formatter",
    "formatting",
    "frontend",
    "full",
    "functional",
    "functionality",
    "global",
    "go",
    "health",
    "hygiene",
    "integration",
    "java",
    "javascript",
    "kotlin",
    "library",
    "lint",
    "linter",
    "linting",
    "lints",
    "local",
    "machine",
    "main",
    "migration",
    "migrations",
    "model",
    "module",
    "modules",
    "node",
    "other",
    "package",
    "packaging",
    "parser",
    "performance",
    "phase",
    "pipeline",
    "project",
    "python",
    "quality",
    "quick",
    "regression",
    "regressions",
    "release",
    "reliability",
    "repo",
    "repository",
    "ruby",
    "rust",
    "schema",
    "security",
    "server",
    "service",
    "services",
    "shell",
    "smoke",
    "sortie",
    "sprint",
    "stability",
    "static",
    "style",
    "suite",
    "suites",
    "swift",
    "system",
    "task",
    "tasks",
    "technical",
    "test",
    "testing",
    "tests",
    "tooling",
    "tools",
    "type",
    "typecheck",
    "types",
    "typescript",
    "typing",
    "ui",
    "unit",
    "ux",
    "validated",
    "validation",
    "verification",
    "verified",
    "verify",
    "web",
]);
/// What says of commands no more than that they succeed, and would not by its words alone.
const WELL: [&str; 45] = [
    "non-functional",
    "nonfunctional",
    "exit with status 0",
    "exit with code 0",
    "exit with 0",
    "exit code 0",
    "exit status 0",
    "exits with 0",
    "exit 0",
    "exits 0",
    "from the repo root",
    "from the repository root",
    "from the project root",
    "from the root",
    "from repo root",
    "from repository root",
    "from project root",
    "from root",
    "at the repo root",
    "passes if",
    "complete if",
    "done if",
    "finished if",
    "finished once",
    "before merging",
    "no regressions",
    "in the repo root",
    "in the repository root",
    "in the project root",
    "in order",
    "in addition",
    "in this sprint",
    "at the end",
    "as follows",
    "on completion",
    "after completion",
    "after implementation",
    "when all of",
    "complete when",
    "done when",
    "when done",
    "when complete",
    "before marking",
    "before moving on",
    "before committing",
];
/// Words that say where, when, how often or with what something is done.
static BENDS: WordList = WordList::new(&[
    "in",
    "inside",
    "within",
    "on",
    "onto",
    "from",
    "under",
    "at",
    "against",
    "with",
    "using",
    "via",
    "through",
    "per",
    "when",
    "while",
    "whenever",
    "if",
    "until",
    "after",
    "before",
    "during",
    "as",
    "where",
    "than",
    "outside",
    "between",
    "across",
    "only",
    "once",
    "twice",
    "times",
    "either",
    "any",
    "directory",
    "directories",
    "dir",
    "folder",
    "folders",
    "subdirectory",
    "subfolder",
    "container",
    "host",
    "remote",
]);
/// Words that turn around what is said.
static TURNED: WordList = WordList::new(&[
    "no", "not", "none", "nothing", "never", "neither", "nowhere", "without", "fail", "fails",
    "failing", "failed", "failure", "failures", "non", "nonzero", "silent", "silently", "empty",
    "absent", "unless", "except", "refuse", "refused", "reject", "rejected", "cannot",
]);
/// Signs of what is bad.
const SIGNS: [char; 6] = ['❌', '✗', '✘', '⛔', '🚫', '✖'];
/// What commands are called: "each command", but not "each package".
static COMMANDS: WordList = WordList::new(&[
    "command",
    "commands",
    "check",
    "checks",
    "criterion",
    "criteria",
    "condition",
    "conditions",
    "gate",
    "gates",
    "item",
    "items",
    "step",
    "steps",
    "script",
    "scripts",
    "test",
    "tests",
    "of",
    "must",
    "should",
    "shall",
    "is",
    "following",
    "one",
]);

/// How words over commands change what is said of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bend {
    /// They say no more than that the commands are run and succeed.
    None,
    /// They are not known. What says itself how it ends stays so.
    Unknown,
    /// They turn it around: nothing below them is shown by success.
    Turned,
    /// They say where, when or with what something is run, which no command below them does.
    Placed,
}

impl Bend {
    pub(super) fn of(words: &str) -> Bend {
        let mut small = words.to_lowercase().replace('’', "'");
        if is_known(&small) && !turns(&small) && !each_other(&small) {
            return Bend::None;
        }
        small = WELL.iter().fold(small, |small, well| small.replace(well, " "));
        let bare = small.trim_end_matches(|c: char| !c.is_alphanumeric());
        // "Verify with:" over commands says no more than "Verify:".
        let bare = [" with", " using", " via"].iter().find_map(|end| bare.strip_suffix(end));
        let small = bare.unwrap_or(&small);
        if places(small) || each_other(small) {
            return Bend::Placed;
        }
        match (turns(small), is_known(small)) {
            (true, _) => Bend::Turned,
            (false, true) => Bend::None,
            (false, false) => Bend::Unknown,
        }
    }
}

/// Whether all words are known to change nothing.
fn is_known(small: &str) -> bool {
    let all: Vec<&str> = words(small).collect();
    // "3 checks", but not "of sprint 9".
    let counted = |place: usize| {
        let number = all[place].bytes().all(|byte| byte.is_ascii_digit());
        number && place == 0 && all.get(1).is_some_and(|word| COMMANDS.has(word))
    };
    (0..all.len()).all(|place| RUN.has(all[place]) || KINDS.has(all[place]) || counted(place))
}

fn words(small: &str) -> impl Iterator<Item = &str> {
    small.split(|c: char| !c.is_alphanumeric() && c != '\'').filter(|word| !word.is_empty())
}

/// Whether words turn around what is said of commands.
pub(super) fn turns(text: &str) -> bool {
    let small = text.to_lowercase().replace('’', "'");
    let all: Vec<&str> = words(&small).collect();
    let status = |pair: &[&str]| {
        ["exit", "exits", "code", "status"].contains(&pair[0])
            && pair[1] != "0"
            && pair[1].bytes().all(|byte| byte.is_ascii_digit())
    };
    all.iter().any(|word| TURNED.has(word) || word.ends_with("n't"))
        || all.windows(2).any(status)
        || small.contains(SIGNS)
}

/// Whether words say where, when or with what something is run.
pub(super) fn places(text: &str) -> bool {
    text.contains(['`', '=']) || words(&text.to_lowercase()).any(|word| BENDS.has(word))
}

/// "For each package": once for all of them shows less.
fn each_other(small: &str) -> bool {
    let all: Vec<&str> = words(small).collect();
    all.windows(2).any(|pair| ["each", "every"].contains(&pair[0]) && !COMMANDS.has(pair[1]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_over_commands_bend_what_is_said_of_them() {
        for (bend, all) in [
            (
                Bend::None,
                &[
                    "Exit criteria",
                    "all must pass",
                    "machine-verifiable",
                    "Hard gates:",
                    "3 checks",
                    "Run from the repo root:",
                    "Verify with:",
                    "run from repo root",
                    "This sprint passes if:",
                    "No regressions:",
                    "At the end, all of these must pass:",
                    "The sprint is complete when all of the following hold:",
                    "Each command must exit with 0.",
                    "Python:",
                ][..],
            ),
            (Bend::Unknown, &["Auth module", "of sprint 9", "Denied:", "Broken:"]),
            (Bend::Turned, &["Must fail", "❌ These commands:", "Exit code 2:", "Don't pass"]),
            (
                Bend::Placed,
                &[
                    "On the staging server",
                    "In every crate",
                    "For each package:",
                    "With the feature flag off",
                    "run in `web/`",
                    "Any of:",
                    "Before the migration:",
                ],
            ),
        ] {
            for words in all {
                assert_eq!(Bend::of(words), bend, "{words}");
            }
        }
    }
}
