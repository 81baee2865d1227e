//! What a command came to at the commit that the work began at, and what follows from it for its tests.

use crate::mission::expectation;
use crate::vocab::error::{Code, Diagnostic, Error};
use crate::vocab::event::CommandExited;
use crate::vocab::json::{Readable, Serialize};
use crate::vocab::shown::CommandLine;
use crate::vocab::test_report::TestReport;
use schemars::JsonSchema;
use std::collections::BTreeSet;

/// How many tests are named that are not what they were.
const MOST_NAMED: usize = 5;

/// What a command came to at the commit that the work began at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ProofBaseline")]
pub struct Baseline {
    /// In a word.
    pub result: BaselineResult,
    /// What was found, unless it held.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<Diagnostic>,
    /// The tests that were run, until the trial is over.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub known: BTreeSet<String>,
}

/// What a command came to at the baseline, in a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "ProofBaselineResult")]
pub enum BaselineResult {
    /// It failed.
    Red,
    /// None of its tests was there.
    Absent,
    /// Its tests, or some of them, did not compile or load, as where they name what the work is to add.
    Unloaded,
    /// It held.
    Green,
    /// It did not come to a judgement: a program is missing, or what makes a test ready failed.
    Broken,
}

/// The tests of a command that held.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ProofTests")]
pub struct Tested {
    /// How many passed.
    pub passed: usize,
    /// How many of them were not run before the work.
    pub added: usize,
}

impl Baseline {
    /// From what came of the command there.
    pub(super) fn of(line: &CommandLine, fact: &CommandExited) -> Baseline {
        let problem = expectation::outcome(line, fact).err();
        // A program of the repository that is not there yet is what the work is to add.
        let own =
            line.argv.first().is_some_and(|name| name.contains('/') && !name.starts_with('/'));
        let result = match &fact.tests {
            _ if fact.status.is_none() => BaselineResult::Broken,
            _ if matches!(fact.status, Some(126 | 127)) && !own => BaselineResult::Broken,
            Some(tests) if !tests.failed.is_empty() => BaselineResult::Red,
            Some(tests) if !tests.unready.is_empty() => BaselineResult::Broken,
            Some(tests) if !tests.unloaded.is_empty() => BaselineResult::Unloaded,
            Some(tests) if tests.passed.is_empty() => BaselineResult::Absent,
            _ if problem.is_none() => BaselineResult::Green,
            _ => BaselineResult::Red,
        };
        let run = |tests: &TestReport| tests.passed.union(&tests.failed).cloned().collect();
        let known = fact.tests.as_ref().map(run).unwrap_or_default();
        Baseline { result, problem, known }
    }

    /// Where it could not be run at all.
    pub(super) fn unknown(problem: Diagnostic) -> Baseline {
        Baseline { result: BaselineResult::Broken, problem: Some(problem), known: BTreeSet::new() }
    }

    /// In words, behind "before the work".
    pub(super) fn words(&self) -> &'static str {
        match self.result {
            BaselineResult::Red => "it failed",
            BaselineResult::Absent => "none of its tests was there",
            BaselineResult::Unloaded => "its tests did not load",
            BaselineResult::Green => "it held, too",
            BaselineResult::Broken => "it could not judge",
        }
    }
}

/// Whether a command did what it must, and every test that was run before the work passed.
///
/// # Errors
/// As [`expectation::outcome`]; `not_shown` where no test passed, or one of those did not.
pub(super) fn judge(
    line: &CommandLine,
    fact: &CommandExited,
    baseline: Option<&Baseline>,
) -> Result<Option<Tested>, Diagnostic> {
    expectation::outcome(line, fact)?;
    let none = BTreeSet::new();
    let known = baseline.map_or(&none, |baseline| &baseline.known);
    let Some(tests) = &fact.tests else {
        return match known.len() {
            0 => Ok(None),
            count => Err(fault(line, count, "tests without names")),
        };
    };
    if tests.passed.is_empty() {
        return Err(fault(line, known.len(), "no test that passed"));
    }
    let lost: Vec<String> = known
        .difference(&tests.passed)
        .map(|name| format!("`{name}` {}", became(tests, name)))
        .collect();
    if lost.is_empty() {
        let added = tests.passed.difference(known).count();
        return Ok(Some(Tested { passed: tests.passed.len(), added }));
    }
    let mut named = lost[..lost.len().min(MOST_NAMED)].join(", ");
    if lost.len() > MOST_NAMED {
        named.push_str(&format!(", and {} more", lost.len() - MOST_NAMED));
    }
    Err(fault(line, known.len(), &named))
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
