//! Words over commands, or behind them, that say something else of them than that they succeed, or where and with what
//! they are run. The commands alone would show another thing, so the verifier is given the words with them.

use super::super::super::classify;
use super::super::super::model::{Check, PlanCriterion};
use super::super::super::outline::{plain, whole_span};
use super::super::super::wordlist::WordList;
use super::super::parts::{Part, is_part};
use super::Walk;

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
    "before",
    "below",
    "by",
    "can",
    "check",
    "checked",
    "checking",
    "checklist",
    "checks",
    "clean",
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
    "exit",
    "exits",
    "final",
    "finally",
    "finish",
    "finished",
    "first",
    "following",
    "for",
    "gate",
    "gates",
    "general",
    "green",
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
    "met",
    "more",
    "must",
    "need",
    "needs",
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
    "script",
    "scripts",
    "shall",
    "should",
    "show",
    "shown",
    "shows",
    "since",
    "so",
    "step",
    "steps",
    "still",
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
    "health",
    "hygiene",
    "integration",
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
    "other",
    "package",
    "packaging",
    "parser",
    "performance",
    "phase",
    "pipeline",
    "project",
    "quality",
    "quick",
    "regression",
    "regressions",
    "release",
    "reliability",
    "repo",
    "repository",
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
    "typing",
    "ui",
    "unit",
    "user",
    "ux",
    "validated",
    "validation",
    "verification",
    "verified",
    "verify",
    "web",
]);
/// What says of commands that they succeed, and would not by its words alone.
const WELL: [&str; 10] = [
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
];
/// Words about the place where something is run.
static PLACES: WordList = WordList::new(&[
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

/// What stands over commands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Lead {
    words: String,
    /// It counts also where a criterion says itself how its command ends.
    places: bool,
}

impl Lead {
    /// The lead that words over commands are, if these cannot be taken for themselves below it.
    pub(super) fn of(words: &str) -> Option<Lead> {
        if words.is_empty() {
            return None;
        }
        let places = places(words);
        (places || !is_neutral(words)).then(|| Lead { words: plain(words), places })
    }

    /// The lead that the label of criteria is: beside what is known of it, or else by all of its words.
    pub(super) fn of_label(label: &str) -> Option<Lead> {
        let (own, aside) = label.split_once('(').unwrap_or((label, ""));
        let aside = aside.split_once(')').map_or("", |(inside, _)| inside);
        Lead::of(aside).or_else(|| if is_part(own) { None } else { Lead::of(own) })
    }

    /// A criterion below it.
    fn over(&self, one: PlanCriterion) -> PlanCriterion {
        let bare = whole_span(&one.text).is_some();
        match &one.check {
            Check::Command { .. } if bare || self.places => {
                let text = format!("{} {}", self.words, one.text);
                PlanCriterion { check: classify::check(&text), text, ..one }
            }
            _ => one,
        }
    }
}

/// Whether words say nothing else of commands than that they are run and succeed. Only what is known to say no more does:
/// any other word may turn it around, as in a sentence about a single command.
fn is_neutral(words: &str) -> bool {
    let mut small = words.to_lowercase();
    if small.contains(['0', '-']) || small.contains("nonf") {
        small = WELL.iter().fold(small, |small, well| small.replace(well, " "));
    }
    let mut all = small.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    all.all(|word| RUN.has(word) || KINDS.has(word)) && !turns(&small)
}

fn turns(words: &str) -> bool {
    let small = words.to_lowercase().replace('’', "'");
    let all: Vec<&str> = small
        .split(|c: char| !c.is_alphanumeric() && c != '\'')
        .filter(|word| !word.is_empty())
        .collect();
    let status = |pair: &[&str]| {
        ["exit", "exits", "code", "status"].contains(&pair[0])
            && pair[1] != "0"
            && pair[1].bytes().all(|byte| byte.is_ascii_digit())
    };
    all.iter().any(|word| TURNED.has(word) || word.ends_with("n't")) || all.windows(2).any(status)
}

fn places(words: &str) -> bool {
    let small = words.to_lowercase();
    small.contains(['`', '='])
        || small.split(|c: char| !c.is_alphanumeric()).any(|word| PLACES.has(word))
}

impl Walk<'_, '_> {
    /// A criterion as the words over it have it.
    pub(super) fn led(&self, one: PlanCriterion) -> PlanCriterion {
        match &self.lead {
            Some(lead) => lead.over(one),
            None => one,
        }
    }

    /// Words right behind a fence of commands: "This must fail with exit code 2."
    pub(super) fn doubt(&mut self, words: &str) {
        let (Some(from), true) = (self.fenced, turns(words) || places(words)) else { return };
        let all = match self.part {
            Some(Part::Entry) => &mut self.body.entry,
            _ => &mut self.body.exit,
        };
        let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
        for one in
            all.iter_mut().skip(from).filter(|one| matches!(one.check, Check::Command { .. }))
        {
            one.text = format!("{}: {words}", one.text);
            one.check = classify::check(&one.text);
        }
    }
}
