//! What a command came to at the commit that the work began at, and what follows from it for its tests.

use crate::mission::expectation;
use crate::vocab::error::{Code, Diagnostic, Error};
use crate::vocab::event::CommandExited;
use crate::vocab::shown::CommandLine;
use crate::vocab::test_report::TestReport;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// How many tests are named that are not what they were.
const MOST_NAMED: usize = 5;

/// What a command came to at the commit that the work began at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ProofBefore")]
pub struct Before {
    /// In a word.
    pub came: Came,
    /// What was found, unless it held.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<Diagnostic>,
    /// The tests that were run, until the trial is over.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub known: BTreeSet<String>,
}

/// What a command came to before the work, in a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "ProofCame")]
pub enum Came {
    /// It failed.
    Red,
    /// What it is to show was not there: no test was run, or the tests could not be loaded.
    Absent,
    /// It held.
    Green,
    /// It did not come to a judgement: a program is missing, or what makes a test ready failed.
    Broken,
}

/// The tests of a command that held.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ProofTests")]
pub struct Tested {
    /// How many passed.
    pub passed: usize,
    /// How many of them were not run before the work.
    pub added: usize,
}

impl Before {
    /// From what came of the command there.
    pub(super) fn of(line: &CommandLine, fact: &CommandExited) -> Before {
        let problem = expectation::outcome(line, fact).err();
        let came = match &fact.tests {
            _ if matches!(fact.status, None | Some(126 | 127)) => Came::Broken,
            Some(tests) if !tests.failed.is_empty() => Came::Red,
            Some(tests) if !tests.unready.is_empty() => Came::Broken,
            Some(tests) if tests.passed.is_empty() || !tests.unloaded.is_empty() => Came::Absent,
            _ if problem.is_none() => Came::Green,
            _ => Came::Red,
        };
        let run = |tests: &TestReport| tests.passed.union(&tests.failed).cloned().collect();
        let known = fact.tests.as_ref().map(run).unwrap_or_default();
        Before { came, problem, known }
    }

    /// In words, behind "before the work".
    pub(super) fn words(&self) -> &'static str {
        match self.came {
            Came::Red => "it failed",
            Came::Absent => "what it tests was not there",
            Came::Green => "it held, too",
            Came::Broken => "it could not judge",
        }
    }
}

/// Whether a command did what it must, and every test that was run before the work passed. `reports` says that its runner
/// tells its tests by name.
///
/// # Errors
/// As [`expectation::outcome`]; `not_shown` where no test passed, or one of those did not.
pub(super) fn judge(
    line: &CommandLine,
    fact: &CommandExited,
    before: Option<&Before>,
    reports: bool,
) -> Result<Option<Tested>, Diagnostic> {
    expectation::outcome(line, fact)?;
    let none = BTreeSet::new();
    let before = before.map_or(&none, |before| &before.known);
    let Some(tests) = fact.tests.as_ref().filter(|_| reports) else {
        return match before.len() {
            0 => Ok(None),
            count => Err(fault(line, count, "tests without names")),
        };
    };
    if tests.passed.is_empty() {
        return Err(fault(line, before.len(), "no test that passed"));
    }
    let lost: Vec<String> = before
        .difference(&tests.passed)
        .map(|name| format!("`{name}` {}", became(tests, name)))
        .collect();
    if lost.is_empty() {
        let added = tests.passed.difference(before).count();
        return Ok(Some(Tested { passed: tests.passed.len(), added }));
    }
    let mut named = lost[..lost.len().min(MOST_NAMED)].join(", ");
    if lost.len() > MOST_NAMED {
        named.push_str(&format!(", and {} more", lost.len() - MOST_NAMED));
    }
    Err(fault(line, before.len(), &named))
}

fn fault(line: &CommandLine, count: usize, got: &str) -> Diagnostic {
    let expected = match count {
        0 => "a test that passes".to_owned(),
        1 => "the test of before the work to pass".to_owned(),
        _ => format!("the {count} tests of before the work to pass"),
    };
    Error::new(Code::NotShown, expectation::words(line), expected, got).diagnostic()
}

fn became(tests: &TestReport, name: &str) -> &'static str {
    match () {
        () if tests.failed.contains(name) => "failed",
        () if tests.skipped.contains(name) => "was skipped",
        () if tests.unready.contains(name) => "was not made ready",
        () => "was not run",
    }
}
