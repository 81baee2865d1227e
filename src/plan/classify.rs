//! What kind of thing a sentence of a plan is: a check by command, by looking, or by judgement; work
//! to write, run, start, wait for, or look at.

use super::model::{Check, TaskKind};
use super::outline::spans;
use super::phrases::{Phrases, behind};
use super::shown::{self, Shown};
use super::wordlist::WordList;

/// Programs whose name at the head of a code span makes it a command.
static PROGRAMS: WordList = WordList::new(&[
    "ansible",
    "awk",
    "bash",
    "bazel",
    "bun",
    "bundle",
    "cargo",
    "cat",
    "cmake",
    "composer",
    "ctest",
    "curl",
    "deno",
    "diff",
    "docker",
    "dotnet",
    "find",
    "gcc",
    "gh",
    "git",
    "go",
    "gradle",
    "./gradlew",
    "grep",
    "helm",
    "java",
    "javac",
    "jest",
    "jq",
    "kubectl",
    "ls",
    "make",
    "mix",
    "mvn",
    "mypy",
    "ninja",
    "node",
    "npm",
    "npx",
    "php",
    "pip",
    "pnpm",
    "poetry",
    "pre-commit",
    "psql",
    "pytest",
    "python",
    "python3",
    "rake",
    "rg",
    "ruff",
    "ruby",
    "rustc",
    "sbt",
    "sed",
    "sh",
    "shellcheck",
    "sqlite3",
    "ssh",
    "stat",
    "swift",
    "swiftc",
    "terraform",
    "test",
    "tox",
    "tsc",
    "uv",
    "vitest",
    "wc",
    "wget",
    "xcodebuild",
    "yarn",
    "zig",
]);

/// Programs that are a command even without arguments.
static ALONE: WordList =
    WordList::new(&["make", "pytest", "tox", "jest", "vitest", "ctest", "tsc", "ninja", "rake"]);

/// Whether a code span is a command line rather than a name.
pub fn is_command(code: &str) -> bool {
    let mut words = code.split_whitespace();
    let is_setting = |word: &&str| {
        let name = word.split_once('=').map_or("", |(name, _)| name);
        !name.is_empty()
            && name.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_')
    };
    let settings = words.clone().take_while(is_setting).count();
    let Some(program) = words.nth(settings) else { return false };
    let more = words.next().is_some();
    let flags =
        || code.contains(" --") && program.bytes().all(|b| b.is_ascii_lowercase() || b == b'-');
    runs(program, more) || flags() || shown::any_command(code, runs)
}

/// Whether a word with others behind it is the name of a program.
pub(super) fn is_program(word: &str) -> bool {
    runs(word, true)
}

/// Whether a first word, with others behind it or none, is the name of a program.
fn runs(program: &str, more: bool) -> bool {
    let path = program.starts_with("./") || program.ends_with(".sh");
    path || ALONE.has(program) || (more && PROGRAMS.has(program))
}

/// The first command of a text: its byte, and the words.
pub fn command_in(text: &str) -> Option<(usize, &str)> {
    spans(text).into_iter().find(|(_, code)| is_command(code))
}

/// How a criterion is checked. A command in a sentence that is not understood whole is a part of the
/// sentence, and somebody else must judge that.
pub fn check(text: &str) -> Check {
    match shown::shown(text) {
        Some(Shown::By { command, expect }) => Check::Command { command, expect },
        Some(Shown::NotBy(_)) if command_in(text).is_some() => match super::vague::is_vague(text) {
            true => Check::Checklist,
            false => Check::Assertion,
        },
        Some(Shown::NotBy(_)) | None if is_assertion(text) => Check::Assertion,
        Some(Shown::NotBy(_)) | None => Check::Checklist,
    }
}

/// A line of a fence below criteria, or a script of several: its words, and how it is checked.
pub fn line(code: &str) -> (String, Check) {
    let line = shown::line(code);
    let check = match line.shown {
        Shown::By { command, expect } => Check::Command { command, expect },
        Shown::NotBy(_) => unshown(&line.text),
    };
    (line.text, check)
}

/// How a criterion is checked whose command shows nothing.
pub fn unshown(text: &str) -> Check {
    match check(text) {
        Check::Command { .. } => Check::Assertion,
        other => other,
    }
}

/// Words that say something about what is there.
static STATES: Phrases = Phrases::new(&[
    "exist",
    "contain",
    "return",
    "equal",
    "include",
    "has ",
    "have ",
    "is present",
    "is absent",
    "defines",
    "declares",
    "exports",
    "imports",
    "matches",
    "==",
    ">=",
    "<=",
    "≥",
    "≤",
    "no longer",
    "does not",
    "is set",
    "are set",
    "compiles",
    "passes",
    "pass",
    "removed",
    "lists",
    "asserts",
    "covers",
    "fails",
    "throws",
    "raises",
    "green",
    "succeeds",
    "unchanged",
    "conforms",
    "committed",
]);

/// Words that name something, though no code span does.
static NAMING: Phrases = Phrases::new(&["test", "build"]);

/// A boolean statement about something that is named: a code span, a path, a number.
fn is_assertion(text: &str) -> bool {
    let named = || {
        text.contains(|c: char| c.is_ascii_digit())
            || NAMING.within(text)
            || !spans(text).is_empty()
            || super::paths::paths(text).next().is_some()
    };
    STATES.within(text) && named() && !super::vague::is_vague(text)
}

/// What runs on by itself, then what only a person can do.
static APART: Phrases = Phrases::new(&[
    "nohup",
    "in the background",
    "background process",
    "as a daemon",
    "kick off",
    "check in the browser",
    "human judgment",
    "human judgement",
    "by hand and judge",
]);
/// The bits of those in [`APART`] that run on by themselves.
const RUNS_ON: u64 = 0b1_1111;

/// The kind of work of one task.
pub fn task_kind(text: &str) -> TaskKind {
    let bare = text.trim_start_matches(|c: char| !c.is_alphanumeric());
    let begins = |words: &[&str]| {
        let mut rests = words.iter().filter_map(|word| behind(bare, word));
        rests.any(|rest| !rest.starts_with(char::is_alphanumeric))
    };
    let apart = APART.found(text);
    if apart & RUNS_ON != 0 {
        return TaskKind::Background;
    }
    if begins(&["wait for", "wait until", "monitor", "poll", "check deployment"]) {
        return TaskKind::Deferred;
    }
    let manual = &[
        "listen",
        "visit",
        "check browser",
        "check the browser",
        "spot-check",
        "spot check",
        "manually",
        "eyeball",
    ];
    if apart != 0 || begins(manual) {
        return TaskKind::Manual;
    }
    let starts = begins(&["start", "launch"]);
    if starts && spans(text).iter().any(|(_, code)| is_command(code)) {
        return TaskKind::Background;
    }
    if begins(&["run", "execute", "deploy", "invoke", "rerun", "re-run"])
        || text.starts_with('`')
            && spans(text).first().is_some_and(|(at, code)| *at <= 1 && is_command(code))
    {
        return TaskKind::Command;
    }
    TaskKind::Code
}

/// The kind of work of a sprint: what its author says, else code as soon as one task is, else the
/// kind that most tasks are (the heavier one of two).
pub fn sprint_kind<'a>(
    said: Option<&str>,
    name: &str,
    tasks: impl Iterator<Item = &'a TaskKind>,
) -> TaskKind {
    if let Some(kind) = said.and_then(kind_word) {
        return kind;
    }
    let mut counts = std::collections::BTreeMap::new();
    tasks.for_each(|kind| *counts.entry(*kind).or_insert(0_u32) += 1);
    if counts.is_empty() {
        return task_kind(name);
    }
    if counts.contains_key(&TaskKind::Code) {
        return TaskKind::Code;
    }
    let most = counts.iter().max_by_key(|(kind, count)| (**count, **kind));
    most.map_or(TaskKind::Code, |(kind, _)| *kind)
}

/// A kind by its word.
pub fn kind_word(text: &str) -> Option<TaskKind> {
    let lower = text.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let first = lower.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    match first {
        "code" => Some(TaskKind::Code),
        "command" => Some(TaskKind::Command),
        "background" => Some(TaskKind::Background),
        "deferred" => Some(TaskKind::Deferred),
        "manual" => Some(TaskKind::Manual),
        _ => None,
    }
}

/// The word of a kind.
pub fn kind_name(kind: TaskKind) -> &'static str {
    match kind {
        TaskKind::Code => "code",
        TaskKind::Command => "command",
        TaskKind::Background => "background",
        TaskKind::Deferred => "deferred",
        TaskKind::Manual => "manual",
    }
}
