use super::*;
use crate::vocab::error::Code;

const PLAYER_REPORT: &str = r#"{
  "task_id": "T-1", "turn": 2,
  "completion_promise": {
    "statement": "All met",
    "criteria": [
      {"criterion_id": "AC-001", "criterion": "Logs in", "status": "verified",
       "evidence": "test_oauth.py::test_login passes", "test_file": "tests/test_oauth.py::test_login"},
      {"ac_id": "AC-002", "description": "Refreshes", "status": "Not Started", "evidence": "none yet"}
    ],
    "all_verified": false
  },
  "tests_run": true, "tests_passed": null, "concerns": ["slow", {"description": "flaky"}],
  "extra": [1]
}"#;

#[test]
fn the_shape_of_the_document_is_understood() {
    let report = read_player(PLAYER_REPORT).unwrap();
    assert_eq!((report.task_id.as_deref(), report.turn), (Some("T-1"), Some(2)));
    assert_eq!((report.faults, report.tests), (vec![], Finding::NotShown));
    assert_eq!(report.concerns, ["slow", "flaky"]);
    assert_eq!(report.notes, ["field `extra` was not read: [1]"]);
    let [first, second] = &report.rows[..] else { panic!("two rows") };
    assert_eq!(first.at, "completion_promise.criteria[0]");
    assert_eq!((first.status, first.evidence.len()), (Some(ClaimStatus::Complete), 2));
    assert_eq!((second.id.as_deref(), second.text.as_deref()), (Some("AC-002"), Some("Refreshes")));
    assert_eq!((second.status, second.evidence.len()), (Some(ClaimStatus::NotStarted), 0));
}

fn row(fields: &str) -> PlayerReport {
    read_player(&format!("{{\"completion_promises\":[{{{fields}}}]}}")).unwrap()
}

#[test]
fn every_spelling_of_a_status_is_one_of_four() {
    use ClaimStatus::{Blocked, Complete, NotStarted, Partial};
    for (words, status) in [
        (&["verified", "Complete", "COMPLETED", "done", " finished "][..], Complete),
        (&["partial"], Partial),
        (&["blocked"], Blocked),
        (&["not_started", "not started", "not-started", "incomplete"], NotStarted),
    ] {
        for word in words {
            let report = row(&format!("\"status\":\"{word}\""));
            assert_eq!((report.rows[0].status, report.faults.len()), (Some(status), 0), "{word}");
        }
    }
    let report = row("\"criterion_id\":\"AC-1\",\"status\":\"mostly\"");
    let fault = &report.faults[0];
    assert_eq!((fault.code, fault.got.as_str()), (Code::UnknownValue, "`mostly`"));
    assert_eq!(fault.at, "completion_promises[0].status");
    assert_eq!(report.rows[0].status, None);
    assert_eq!(row("\"status\":null").faults[0].code, Code::MissingField);
}

#[test]
fn evidence_is_typed_or_cited() {
    let of = |evidence: &str| {
        let report = row(&format!("\"status\":\"done\",\"evidence\":{evidence}"));
        let codes: Vec<_> =
            report.faults.iter().map(|fault| (fault.code, fault.at.clone())).collect();
        (report.rows[0].evidence.len(), codes)
    };
    assert_eq!(of("\"I implemented it\""), (0, vec![]));
    assert_eq!(of("\"see src/a.rs:3\""), (1, vec![]));
    assert_eq!(
        of("[\"test_a passes\", {\"kind\":\"file\",\"path\":\"a.rs\",\"line\":1}]"),
        (2, vec![])
    );
    let (count, faults) = of("[{\"kind\":\"vibes\"}]");
    assert_eq!((count, faults[0].0), (0, Code::UnknownValue));
    assert!(faults[0].1.starts_with("completion_promises[0].evidence[0]"), "{}", faults[0].1);
    let outside = row("\"status\":\"done\",\"test_file\":\"../t.py\"");
    assert_eq!((outside.rows[0].evidence.len(), outside.faults[0].code), (0, Code::InvalidValue));
}

#[test]
fn a_summary_that_its_rows_deny_is_a_fault() {
    let with = |said: bool, status: &str| {
        let row = format!("{{\"status\":\"{status}\"}}");
        let text =
            format!("{{\"completion_promise\":{{\"criteria\":[{row}],\"all_verified\":{said}}}}}");
        read_player(&text).unwrap().faults.first().map(|fault| fault.code)
    };
    assert_eq!((with(true, "verified"), with(false, "partial")), (None, None));
    assert_eq!(with(true, "partial"), Some(Code::InconsistentVerdict));
    assert_eq!(with(false, "done"), Some(Code::InconsistentVerdict));
}

#[test]
fn a_broken_structure_refuses_the_report() {
    for (text, code, at) in [
        ("", Code::Empty, ""),
        ("[]", Code::NotAnObject, ""),
        ("{\"turn\":1", Code::Truncated, "turn"),
        ("{}", Code::CriterionMissing, "completion_promise"),
        ("{\"completion_promises\":[]}", Code::CriterionMissing, "completion_promise"),
        ("{\"completion_promises\":{}}", Code::WrongType, "completion_promises"),
        ("{\"completion_promises\":[1]}", Code::NotAnObject, "completion_promises[0]"),
        (
            "{\"completion_promise\":{\"criteria\":[{\"status\":1}]}}",
            Code::WrongType,
            "completion_promise.criteria[0].status",
        ),
        ("{\"completion_promise\":\"done\"}", Code::NotAnObject, "completion_promise"),
        ("{\"turn\":\"1\",\"completion_promises\":[{}]}", Code::WrongType, "turn"),
        ("{\"turn\":1,\"turn\":2}", Code::DuplicateField, "turn"),
    ] {
        let error = read_player(text).unwrap_err();
        assert_eq!((error.code, error.at.as_str()), (code, at), "{text}: {error}");
        assert!(read_coach(text).is_err(), "{text}");
    }
}

fn judged(fields: &str) -> CoachReport {
    read_coach(&format!("{{\"decision\":\"approve\",\"criteria_verification\":[{{{fields}}}]}}"))
        .unwrap()
}

#[test]
fn every_spelling_of_a_verdict_is_one_of_three() {
    use Finding::{DoesNotHold, Holds, NotShown};
    for (fields, finding, faults) in [
        ("\"coach_verified\":true", Holds, 0),
        ("\"coach_verified\":false", DoesNotHold, 0),
        ("\"coach_verified\":null", NotShown, 0),
        ("\"result\":\"Verified\"", Holds, 0),
        ("\"result\":\"rejected\"", DoesNotHold, 0),
        ("\"result\":\"unverified\"", NotShown, 0),
        ("\"result\":\"uncertain\"", NotShown, 0),
        ("\"result\":\"pending\"", NotShown, 0),
        ("\"result\":\"skipped\"", NotShown, 0),
        ("\"result\":\"pass\"", NotShown, 1),
        ("\"result\":\"verified\",\"coach_verified\":true", Holds, 0),
        ("\"result\":\"verified\",\"coach_verified\":false", NotShown, 1),
        ("\"criterion_id\":\"a\"", NotShown, 1),
    ] {
        let report = judged(&format!("{fields},\"verification_method\":\"ran test_a\""));
        assert_eq!((report.rows[0].finding, report.faults.len()), (finding, faults), "{fields}");
        assert_eq!(report.rows[0].evidence.len(), 1);
    }
    let silent = judged("\"coach_verified\":true");
    assert_eq!((silent.rows[0].finding, silent.faults[0].code), (NotShown, Code::MissingField));
    assert_eq!(silent.faults[0].at, "criteria_verification[0].verification_method");
}

#[test]
fn the_flat_shape_says_how_and_why_in_its_notes() {
    let row = &judged("\"result\":\"rejected\",\"notes\":\"no such file\"").rows[0];
    assert_eq!(
        (row.method.as_str(), row.discrepancy.as_deref()),
        ("no such file", Some("no such file"))
    );
    let row = &judged("\"result\":\"verified\",\"notes\":\"test_a passes\"").rows[0];
    assert_eq!(
        (row.finding, row.discrepancy.as_deref(), row.evidence.len()),
        (Finding::Holds, None, 1)
    );
}

#[test]
fn issues_block_unless_they_are_known_not_to() {
    let text = r#"{"decision":"Feedback","blocking_issues":["b"],"feedback":{"summary":"mend it"},
      "issues":["a",{"severity":"Must-Fix","description":"m"},{"severity":"minor","description":"n"},
                {"severity":"odd","description":"o"},{"x":1}]}"#;
    let report = read_coach(text).unwrap();
    assert_eq!(report.blocking(), ["a", "m", "o", "{\"x\":1}", "b"]);
    assert_eq!(
        (report.decision, report.feedback.as_deref()),
        (Some(Decision::Feedback), Some("mend it"))
    );
    let codes: Vec<_> = report.faults.iter().map(|fault| (fault.code, fault.at.as_str())).collect();
    let missing = (Code::CriterionMissing, "criteria_verification");
    assert_eq!(codes, [(Code::UnknownValue, "issues[3].severity"), missing]);
    assert!(read_coach("{\"decision\":\"approve\",\"feedback\":\"fine\"}").is_err());
    assert!(read_coach("{\"decision\":\"feedback\"}").is_err());
    let odd = read_coach("{\"decision\":\"maybe\",\"criteria_verification\":[{}]}").unwrap();
    assert_eq!((odd.decision, odd.faults.last().unwrap().at.as_str()), (None, "decision"));
}

#[test]
fn tests_are_shown_by_the_coachs_own_run() {
    let of = |fields: &str| judged_tests(fields);
    assert_eq!(
        of("\"validation_results\":{\"tests_run\":true,\"tests_passed\":true}"),
        Finding::Holds
    );
    assert_eq!(of("\"tests_passed\":false"), Finding::DoesNotHold);
    assert_eq!(of("\"tests_run\":false,\"tests_passed\":false"), Finding::NotShown);
    assert_eq!(of("\"tests_run\":false,\"tests_passed\":true"), Finding::NotShown);
    assert_eq!(of("\"validation_results\":{\"tests_passed\":null}"), Finding::NotShown);
    assert_eq!(of("\"validation_results\":null"), Finding::NotShown);
}

fn judged_tests(fields: &str) -> Finding {
    read_coach(&format!("{{{fields},\"criteria_verification\":[{{}}]}}")).unwrap().tests
}

#[test]
fn what_the_schemas_describe_is_read() {
    for (name, schema) in schemas() {
        assert!(schema.get("properties").is_some(), "{name}");
    }
    let claim = form::ClaimForm {
        criterion_id: "AC-001".to_owned(),
        criterion: "It loads".to_owned(),
        status: form::StatusForm::Verified,
        evidence: vec![Evidence::Test { id: "test_a".to_owned() }],
        test_file: None,
        implementation_files: Vec::new(),
    };
    let promise = form::PromiseForm {
        statement: "met".to_owned(),
        criteria: vec![claim],
        all_verified: true,
    };
    let text = format!(
        "{{\"task_id\":\"t\",\"turn\":1,\"completion_promise\":{}}}",
        crate::vocab::json::encode(&promise)
    );
    let report = read_player(&text).unwrap();
    assert_eq!((report.faults.len(), report.notes.len()), (0, 0));
    assert_eq!(report.rows[0].evidence.len(), 1);
    let verdict = form::VerdictForm {
        criterion_id: "AC-001".to_owned(),
        player_status: form::StatusForm::Verified,
        coach_verified: Some(true),
        verification_method: "ran it".to_owned(),
        evidence: vec![Evidence::Test { id: "test_a".to_owned() }],
        discrepancy: None,
        blocked: false,
    };
    let issue =
        form::IssueForm { severity: form::SeverityForm::ShouldFix, description: "d".to_owned() };
    let coach = form::CoachForm {
        task_id: "t".to_owned(),
        turn: 1,
        decision: Some(Decision::Approve),
        criteria_verification: vec![verdict],
        issues: vec![issue],
        feedback: None,
        rationale: None,
        validation_results: None,
    };
    let report = read_coach(&crate::vocab::json::encode(&coach)).unwrap();
    assert_eq!((report.faults.len(), report.notes.len(), report.blocking().len()), (0, 0, 0));
    assert_eq!(report.rows[0].finding, Finding::Holds);
}
