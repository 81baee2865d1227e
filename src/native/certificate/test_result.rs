//! What came of the deciding commands, once more in a predicate of in-toto's own, for tools that know it and not ours:
//! <https://github.com/in-toto/attestation/blob/main/spec/predicates/test-result.md>.

use super::{STATEMENT, Statement, Subject};
use crate::mission::expectation;
use crate::mission::proof::{Deciding, Outcome};
use crate::vocab::json;
use serde::Serialize;

const PREDICATE: &str = "https://in-toto.io/attestation/test-result/v0.1";

#[derive(Serialize)]
struct TestStatement<'a> {
    #[serde(rename = "_type")]
    kind: &'a str,
    subject: &'a [Subject; 1],
    #[serde(rename = "predicateType")]
    predicate_type: &'a str,
    predicate: TestResult,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct TestResult {
    result: &'static str,
    /// By what rules they were run and judged.
    configuration: [Rules; 1],
    passed_tests: Vec<String>,
    /// Those that hold only with their check as the work changed it.
    warned_tests: Vec<String>,
    failed_tests: Vec<String>,
}

#[derive(Serialize)]
struct Rules {
    name: &'static str,
    uri: String,
}

/// The payload of that statement.
pub(super) fn payload(statement: &Statement) -> String {
    let Statement { subject, predicate, .. } = statement;
    let named = |matches: fn(&Outcome) -> bool| {
        let those = predicate.commands.iter().filter(|one| matches(&one.outcome));
        those.map(name).collect::<Vec<_>>()
    };
    let passed_tests = named(|outcome| *outcome == Outcome::Held);
    let warned_tests = named(|outcome| matches!(outcome, Outcome::Changed { .. }));
    let failed_tests = named(|outcome| !matches!(outcome, Outcome::Held | Outcome::Changed { .. }));
    let result = match (failed_tests.is_empty(), warned_tests.is_empty()) {
        (false, _) => "FAILED",
        (true, false) => "WARNED",
        (true, true) => "PASSED",
    };
    let uri = format!("urn:endstate:rules:{}", predicate.rules);
    let configuration = [Rules { name: "endstate", uri }];
    let predicate = TestResult { result, configuration, passed_tests, warned_tests, failed_tests };
    json::encode(&TestStatement { kind: STATEMENT, subject, predicate_type: PREDICATE, predicate })
}

fn name(one: &Deciding) -> String {
    let words = expectation::words(&one.line);
    match one.directory.as_str() {
        "" => words,
        directory => format!("{words} in {directory}"),
    }
}
