//! Rows of tables in which a command stands beside the words of what it shows.

use super::super::classify;
use super::super::document::LineRange;
use super::super::model::{Check, Expectation, PlanCriterion};
use super::super::wordlist::WordList;
use super::items::one_criterion;

/// Words of what is not so, or of more than how a command ends: that it exits with 0 shows none of it.
static CONTRARY: WordList = WordList::new(&[
    "no",
    "not",
    "none",
    "nothing",
    "never",
    "neither",
    "nowhere",
    "without",
    "absent",
    "missing",
    "gone",
    "empty",
    "zero",
    "error",
    "errors",
    "reject",
    "rejects",
    "rejected",
    "refuse",
    "refuses",
    "refused",
    "deny",
    "denies",
    "denied",
    "invalid",
    "removed",
    "deleted",
    "unused",
    "doesn't",
    "don't",
    "isn't",
    "aren't",
    "cannot",
    "can't",
    "won't",
    "mustn't",
    "shouldn't",
    "prints",
    "printed",
    "outputs",
    "output",
    "returns",
    "break",
    "breaks",
    "broken",
    "crash",
    "crashes",
    "panic",
    "panics",
    "abort",
    "aborts",
    "throw",
    "throws",
    "raise",
    "raises",
    "block",
    "blocks",
    "blocked",
    "prevent",
    "prevents",
    "impossible",
    "negative",
    "unhappy",
    "sad",
    "bad",
    "wrong",
    "forbidden",
    "unauthorized",
    "red",
    "shows",
    "lists",
    "equals",
    "exactly",
    "only",
    "least",
    "most",
    "less",
    "fewer",
    "than",
]);

/// Words of commands that are made to fail when something is not so, whatever that is.
static TESTERS: WordList = WordList::new(&[
    "test",
    "tests",
    "testing",
    "pytest",
    "unittest",
    "jest",
    "vitest",
    "mocha",
    "spec",
    "rspec",
    "check",
    "checks",
    "verify",
    "validate",
    "validates",
    "lint",
    "clippy",
    "eslint",
    "ruff",
    "mypy",
    "pyright",
    "flake8",
    "shellcheck",
    "tsc",
    "vet",
    "fmt",
    "audit",
    "build",
    "compile",
    "diff",
    "cmp",
    "playwright",
    "cypress",
    "ctest",
    "assert",
]);

/// Whether a text is a command that shows something.
pub(super) fn is_command(text: &str) -> bool {
    matches!(classify::check(text), Check::Command { .. })
}

/// Whether a column has the statuses with which commands must end. "Status" is also how far somebody is.
pub(super) fn is_status(head: &str) -> bool {
    const HEADS: [&str; 7] =
        ["exit code", "exit status", "status code", "return code", "returns", "code", "rc"];
    HEADS.contains(&head)
}

/// What says of a command that it succeeds.
const WELL: [&str; 11] = [
    "pass",
    "passes",
    "passed",
    "succeeds",
    "success",
    "successful",
    "ok",
    "okay",
    "green",
    "✓",
    "✅",
];

/// What a cell says of how the command beside it must end, below a head that need not be about that: "1" below "Exit".
pub(super) fn ending_in(head: &str, cell: &str) -> Option<String> {
    const HEADS: [&str; 8] =
        ["exit", "return", "result", "outcome", "should", "must", "pass", "verdict"];
    let bare = cell.trim_matches(|c: char| c.is_whitespace() || "`*.".contains(c));
    let number = bare.parse::<u8>().ok();
    let bad = ["❌", "✗", "✘", "red", "non-zero", "nonzero"];
    let ends = number.is_some() || bad.iter().any(|one| bare.eq_ignore_ascii_case(one));
    (ends && HEADS.contains(&head)).then(|| match (head, number) {
        (_, Some(0)) => "exits 0".to_owned(),
        ("exit" | "return", Some(status)) => format!("exits with status {status}"),
        _ => cell.to_owned(),
    })
}

/// Whether a column says where or with what commands are run, which they alone do not.
pub(super) fn is_place_head(head: &str) -> bool {
    static HEADS: WordList = WordList::new(&[
        "directory",
        "dir",
        "folder",
        "cwd",
        "in",
        "where",
        "working directory",
        "working dir",
        "path",
        "host",
        "env",
        "environment",
        "environment variables",
        "as",
        "user",
        "platform",
        "os",
        "machine",
        "run in",
        "location",
        "package",
        "service",
        "repo",
        "repository",
        "crate",
        "workspace",
        "with",
        "when",
        "target",
        "runtime",
        "node version",
        "python version",
        "version",
        "browser",
        "device",
        "region",
        "stage",
    ]);
    HEADS.has(head)
}

/// Whether a cell of such a column says more than that it is here.
pub(super) fn is_place(head: &str, cell: &str) -> bool {
    const HERE: [&str; 10] =
        [".", "./", "/", "root", "repo root", "repository root", "any", "all", "local", "always"];
    let bare = cell.trim_matches(|c: char| c.is_whitespace() || "`*".contains(c)).to_lowercase();
    is_place_head(head) && !bare.is_empty() && !HERE.contains(&bare.as_str())
}

/// Whether a cell below a head about how a command ends says that it is well, was so, or was not yet looked at.
pub(super) fn is_well(head: &str, cell: &str) -> bool {
    const HEADS: [&str; 16] = [
        "result",
        "outcome",
        "verdict",
        "pass",
        "passes",
        "passed",
        "must",
        "should",
        "ok",
        "success",
        "success criteria",
        "pass criteria",
        "pass if",
        "passes if",
        "pass when",
        "passes when",
    ];
    let head = head.trim_matches(|c: char| !c.is_alphanumeric());
    let bare = cell.to_lowercase();
    let bare = bare.trim_matches(|c: char| c.is_whitespace() || "`*.".contains(c));
    const OPEN: [&str; 12] = [
        "yes",
        "x",
        "pending",
        "todo",
        "tbd",
        "planned",
        "done",
        "open",
        "not run",
        "not yet",
        "untested",
        "unverified",
    ];
    let sign = !bare.contains(char::is_alphanumeric)
        && !bare.contains(['❌', '✗', '✘', '✖', '⛔', '🚫', '≠']);
    HEADS.contains(&head) && (WELL.contains(&bare) || OPEN.contains(&bare) || sign)
}

/// What the cell of a column of expectations says of a command; a status in the words of a sentence.
pub(super) fn expected_in(head: &str, cell: &str) -> String {
    const ENDS: [&str; 9] = [
        "exits with status",
        "exits with code",
        "exit status",
        "exit code",
        "exits with",
        "exit with",
        "exits",
        "exit",
        "status",
    ];
    let small = cell.to_lowercase();
    let bare = small.trim_matches(['`', '*', '.', ' ']);
    if ["non-zero", "nonzero", "non-zero exit", "exit non-zero", "failure"].contains(&bare) {
        return "exits non-zero".to_owned();
    }
    let of_status = is_status(head) || ["status", "state"].contains(&head);
    let status = ENDS.iter().find_map(|ends| bare.strip_prefix(ends)).or(of_status.then_some(bare));
    let status = status.map(|rest| rest.trim_matches([':', '=', '`', ' ']));
    match status.and_then(|rest| rest.parse::<u8>().ok()) {
        Some(0) => "exits 0".to_owned(),
        Some(status) => format!("exits with status {status}"),
        None => cell.to_owned(),
    }
}

/// A command and what it must do, in one sentence.
pub(super) fn sentence(command: &str, expected: &str) -> String {
    let well =
        WELL.contains(&expected.to_lowercase().trim_matches(['.', '*', '`'])).then_some("passes");
    let (told, other) =
        (format!("{command} → {expected}"), format!("{command} {}", well.unwrap_or(expected)));
    if is_command(&other) { other } else { told }
}

/// A cell with a command, and what its row says that this must do.
pub(super) fn sentence_if_command(cell: String, expected: Option<&str>) -> String {
    match expected {
        Some(expected) if is_command(&cell) => sentence(&cell, expected),
        _ => cell,
    }
}

/// The criterion of some cells: all of them in words, shown by the only command among them, unless they say that it
/// must end in another way, or what its end does not show.
pub(super) fn named(cells: &[String], lines: LineRange) -> PlanCriterion {
    let mut commands = cells.iter().filter(|cell| is_command(cell));
    let one = one_criterion(&cells.join(": "), lines);
    match (commands.next(), commands.next(), &one.check) {
        (Some(command), None, Check::Assertion | Check::Checklist) => {
            let rest = cells.iter().filter(|cell| *cell != command).cloned();
            let names = rest.collect::<Vec<_>>().join(": ");
            let named = one_criterion(&format!("{names}: {command}"), lines);
            match contradicts(&names, command) {
                true => named,
                false => PlanCriterion { check: classify::check(command), ..named },
            }
        }
        _ => one,
    }
}

/// Whether words beside a command that must succeed say something else: that it ends otherwise, or, where nothing
/// beside the command itself says how it must end, what no end shows.
pub(super) fn contradicts(names: &str, cell: &str) -> bool {
    let Check::Command { command, expect: Expectation::Success } = classify::check(cell) else {
        return false;
    };
    if is_command(names) {
        return false;
    }
    let small = names.to_lowercase().replace('’', "'");
    let words: Vec<&str> = words(&small).collect();
    if words.windows(2).any(|pair| ends_badly(pair[0], pair[1]))
        || words.iter().any(|word| is_failure(word))
    {
        return true;
    }
    // "`sh d.sh` exits 0" says what shows the row, whatever that is called.
    let bare = cell.trim().ends_with('`');
    if !bare {
        return false;
    }
    // "Works in `web/`" beside a command that is not run there.
    if ["in", "inside", "from", "under", "within"]
        .iter()
        .any(|at| small.contains(&format!("{at} `")))
    {
        return true;
    }
    let tests = command.contains("[ ") || words_of(&command).any(|word| TESTERS.has(word));
    !tests && words.iter().any(|word| CONTRARY.has(word) || is_count(word))
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && !matches!(c, '\'' | '-'))
        .filter(|word| !word.is_empty())
}

/// The words of a command, also of its paths and options.
fn words_of(command: &str) -> impl Iterator<Item = &str> {
    command.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty())
}

/// `exit 2`, `exits 1`, `code 3`.
fn ends_badly(word: &str, next: &str) -> bool {
    let ends = ["exit", "exits", "exited", "code", "status", "returns", "return"].contains(&word);
    ends && next != "0" && !next.is_empty() && next.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether a word says how many there are.
fn is_count(word: &str) -> bool {
    const COUNTS: [&str; 9] =
        ["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
    COUNTS.contains(&word) || word.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_failure(word: &str) -> bool {
    ["fails", "fail", "non-zero", "nonzero"].contains(&word)
}
