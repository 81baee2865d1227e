//! Whatever a text holds, every reader answers, and answers the same again.

use super::decision::decision;
use super::matching::{Matching, claims, verdicts};
use super::report::{read_coach, read_player};
use super::{feature, feedback, task};
use crate::plan::document;
use crate::vocab::criterion::{label, unlabelled};
use crate::vocab::evidence::cited;
use proptest::prelude::*;

/// Text made of what the readers look for, in any order.
fn broken(words: &'static [&'static str]) -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        8 => proptest::sample::select(words).prop_map(str::to_owned),
        1 => "\\PC{0,4}",
        1 => any::<char>().prop_map(String::from),
    ];
    proptest::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

#[rustfmt::skip]
const MARKDOWN: &[&str] = &[
    "---\n", "\n", "\r\n", "# ", "## Acceptance Criteria\n", "- ", "  - ", "1. ", "[ ] ", "[x]", "AC-1", ": ",
    "**", "```\n", "> ", "a", "acceptance_criteria:", " [", "]", "id: T\n", "\t", "é", "\u{feff}", "::", "test_",
    "a.rs", ":4", "`", " exited 1", "Manual: ", "/", "..", "<!--", "===\n", "12", "%", "…",
];

#[rustfmt::skip]
const YAML: &[&str] = &[
    "id: F\n", "name: f\n", "tasks:\n", "- id: a\n", "  dependencies: [a]\n", "  status: pending\n", "- ", "  ",
    "orchestration:\n", "  parallel_groups: [[a]]\n", "smoke_gates:\n", "  after_wave: all\n", "  command: x\n",
    "&a ", "*a", "!!binary ", "{", "}", "[", "]", ": ", "\n", "|\n", ">-\n", "\"", "'", "<<", "? ", "1e400", ".nan",
];

#[rustfmt::skip]
const JSON: &[&str] = &[
    "{", "}", "[", "]", ",", ":", "\"", "null", "true", "1", "\"completion_promise\":", "\"criteria\":", "\"status\":",
    "\"done\"", "\"completion_promises\":[{", "}]", "\"criteria_verification\":[{", "\"result\":\"verified\"",
    "\"evidence\":[", "\"criterion_id\":\"a\"", "\"issues\":[", "\"feedback\":", "\\u0000", "-0.0e9",
];

/// Reports whose structure holds, with any words in them.
fn reports() -> impl Strategy<Value = (String, String)> {
    let word = || prop_oneof![Just("a".to_owned()), Just("done".to_owned()), broken(MARKDOWN)];
    let row = (word(), word(), word(), word());
    proptest::collection::vec(row, 1..6).prop_map(|rows| {
        let player = rows.iter().map(|(id, text, status, evidence)| {
            serde_json::json!({"criterion_id": id, "criterion": text, "status": status, "evidence": evidence})
        });
        let coach = rows.iter().map(|(id, text, result, method)| {
            serde_json::json!({"criterion_id": id, "criterion": text, "result": result, "notes": method})
        });
        let player: Vec<_> = player.collect();
        let coach: Vec<_> = coach.collect();
        (
            serde_json::json!({"completion_promises": player}).to_string(),
            serde_json::json!({"criteria_verification": coach}).to_string(),
        )
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn documents_never_panic(text in broken(MARKDOWN)) {
        prop_assert_eq!(document::read(&text), document::read(&text));
        if let Ok(task) = task::parse(&text) {
            prop_assert!(!task.criteria.is_empty());
            let last = text.lines().count().max(1);
            for one in &task.criteria {
                prop_assert!(!one.text.trim().is_empty());
                prop_assert!(one.lines.first >= 1 && one.lines.first <= one.lines.last);
                prop_assert!(one.lines.last as usize <= last, "{:?} of {}", one.lines, last);
            }
        }
        let _ = (label(&text), unlabelled(&text), feedback::signature(&text));
        for evidence in cited(&text) {
            prop_assert!(!evidence.line().contains(".agent/"));
        }
    }

    #[test]
    fn features_never_panic(text in broken(YAML)) {
        if let Ok(feature) = feature::parse(&text) {
            let placed: usize = feature.waves.iter().map(Vec::len).sum();
            prop_assert_eq!(placed, feature.tasks.len());
        }
    }

    #[test]
    fn broken_reports_never_panic(text in broken(JSON)) {
        prop_assert_eq!(read_player(&text), read_player(&text));
        prop_assert_eq!(read_coach(&text), read_coach(&text));
    }

    #[test]
    fn readable_reports_are_matched((player, coach) in reports()) {
        let player = read_player(&player).unwrap();
        let coach = read_coach(&coach).unwrap();
        let criteria = [crate::vocab::criterion::Criterion::open("a", "a")];
        for matching in [Matching::Exact, Matching::Loose] {
            let matched = claims(&criteria, &player.rows, matching);
            prop_assert!(matched.claims.len() <= criteria.len());
            let judged = verdicts(&criteria, &coach.rows, &matched.claims);
            prop_assert!(judged.verdicts.len() <= criteria.len());
            let decided = decision(&criteria, &judged.verdicts, coach.decision, &coach.blocking());
            prop_assert_eq!(decided.against.is_empty(), decided.decision == super::decision::Decision::Approve);
        }
    }
}
