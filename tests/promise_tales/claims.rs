//! What a player may promise, and what becomes of a promise that is not fit to be one.

use super::*;

pub const TALES: &[Tale] = &[
    tale("approved-at-the-first-turn", "Every promise holds and the task is approved", approved),
    tale("partial-never-counts", "A partial promise never counts as complete", partial),
    tale("missing-criterion", "A criterion that is not promised is asked for", missing),
    tale(
        "claim-without-evidence",
        "A complete promise without proof is asked again, then not shown",
        bare,
    ),
    tale("prose-alone", "Words alone prove nothing", prose),
    tale("claim-of-an-unknown-id", "A promise of an unknown criterion is asked again", unknown),
    tale("claimed-twice", "Two promises that contradict each other show nothing", twice),
    tale("status-in-other-case", "A status is read whatever its case", case),
    tale(
        "status-in-another-language",
        "A status in other words is a fault, not a quiet no",
        language,
    ),
    tale("report-for-another-turn", "A promise for another turn is refused", other_turn),
    tale("report-for-another-task", "A promise for another task is refused", other_task),
    tale("uncommitted-work", "A promise over a dirty tree is asked again, then fails", dirty),
    tale("flat-promises", "The flat form of the peer is read", flat),
    tale(
        "evidence-that-is-not-there",
        "A coach that cites a line which is not there is asked again, with the line",
        not_there,
    ),
    tale("evidence-that-contradicts", "A failing command as proof shows nothing", contradicts),
];

fn approved() -> Story {
    let mut story = going(single());
    assert!(story.prompt().contains("AC-002: condition 2 of T1"));
    turn(&mut story, "T1", 1, 2, &[]);
    done(&story);
    let record = record(&story);
    assert_eq!(record["decision"], "approve");
    assert_eq!(
        (&record["progress_pct"], &record["stop_reason"]),
        (&json!(100), &json!("approved"))
    );
    assert_eq!(record["honesty"], json!([2, 2]));
    assert!(story.world.files[".agent/promise/progress.md"].contains("2/2 verified, 100 %"));
    assert_eq!(story.world.files[".agent/promise/.gitignore"], "*\n");
    story
}

fn partial() -> Story {
    let mut story = going(single());
    play_rows(&mut story, "T1", 1, vec![row("AC-001", "verified"), row("AC-002", "partial")]);
    let rows = || vec![check("AC-001", "verified", true), check("AC-002", "partial", true)];
    story.run("coach", coach("T1", 1, "approve", rows()));
    assert_eq!(story.problem(), "inconsistent_verdict");
    story.run("coach", coach("T1", 1, "approve", rows()));
    assert_eq!(words(&story, "T1"), ["verified", "open"]);
    assert_eq!(story.core("/counts/overruled"), 1);
    assert_eq!(record(&story)["decision"], "feedback");
    assert!(story.prompt().contains("AC-002 was not promised as complete"));
    let reason = "1/2 verified, 50 %; T1 is in turn 2 of at most 5; \
                  turn 1 left 1 verified, 1 of 1 promises held";
    assert_eq!(story.engine.view().reason, reason);
    turn(&mut story, "T1", 2, 2, &[]);
    done(&story);
    story
}

fn missing() -> Story {
    let mut story = going(single());
    play_rows(&mut story, "T1", 1, vec![row("AC-001", "verified")]);
    story.run("coach", coach("T1", 1, "approve", vec![check("AC-001", "verified", true)]));
    assert_eq!(record(&story)["decision"], "feedback");
    assert!(record(&story)["overruled"].is_string());
    assert!(story.prompt().contains("AC-002 was not promised"));
    story
}

fn bare() -> Story {
    let mut story = going(single());
    let none = json!({"criterion_id": "AC-002", "status": "verified", "evidence": ""});
    let rows = || vec![row("AC-001", "verified"), none.clone()];
    play_rows(&mut story, "T1", 1, rows());
    assert_eq!(story.problem(), "evidence_missing");
    assert!(story.prompt().contains("Your last report could not be taken"));
    assert_eq!(story.engine.snapshot().head.budget.account(Counter::MalformedReports).spent, 1);
    story.run("player", promise("T1", 1, rows()));
    assert_eq!(words(&story, "T1"), ["claimed", "open"]);
    let rows = vec![check("AC-001", "verified", true)];
    story.run("coach", coach("T1", 1, "feedback", rows));
    assert_eq!(record(&story)["honesty"], json!([1, 2]));
    story
}

fn prose() -> Story {
    let mut story = going(single());
    let said = |id: &str, words: &str| json!({"criterion_id": id, "status": "verified", "evidence": words});
    play_rows(
        &mut story,
        "T1",
        1,
        vec![said("AC-001", "I implemented it"), said("AC-002", "Should work")],
    );
    assert_eq!(story.problem(), "evidence_missing");
    let cited = "tests/test_greet.py::test_name passes";
    story.run(
        "player",
        promise("T1", 1, vec![said("AC-001", cited), said("AC-002", "src/T1.rs:12 does it")]),
    );
    assert_eq!(words(&story, "T1"), ["claimed", "claimed"]);
    verify(&mut story, "T1", 1, 2, &[]);
    done(&story);
    story
}

fn not_there() -> Story {
    let mut story = going(single());
    play_rows(&mut story, "T1", 1, vec![row("AC-001", "verified"), row("AC-002", "verified")]);
    let mut rows = vec![check("AC-001", "verified", true), check("AC-002", "verified", true)];
    rows[1]["evidence"] = json!([{"kind": "file", "path": "./src//nowhere.rs", "line": 3}]);
    story.run("coach", coach("T1", 1, "approve", rows));
    assert_eq!((story.problem().as_str(), story.due().as_str()), ("evidence_missing", "coach"));
    assert!(
        story.prompt().contains("src/nowhere.rs:3: no such file is there"),
        "{}",
        story.prompt()
    );
    assert_eq!(words(&story, "T1"), ["claimed", "claimed"]);
    verify(&mut story, "T1", 1, 2, &[]);
    done(&story);
    story
}

fn unknown() -> Story {
    let mut story = going(single());
    let rows =
        vec![row("AC-001", "verified"), row("AC-002", "verified"), row("AC-009", "verified")];
    play_rows(&mut story, "T1", 1, rows.clone());
    assert_eq!(story.problem(), "unknown_criterion");
    assert_eq!(story.due(), "player");
    story.run("player", promise("T1", 1, rows));
    assert_eq!(words(&story, "T1"), ["claimed", "claimed"]);
    verify(&mut story, "T1", 1, 2, &[]);
    assert!(!record(&story)["faults"].as_array().unwrap().is_empty());
    done(&story);
    story
}

fn twice() -> Story {
    let mut story = going(single());
    let rows = vec![row("AC-001", "verified"), row("AC-002", "verified"), row("AC-002", "partial")];
    play_rows(&mut story, "T1", 1, rows.clone());
    assert_eq!(story.problem(), "duplicate_id");
    story.run("player", promise("T1", 1, rows));
    assert_eq!(words(&story, "T1"), ["claimed", "open"]);
    verify_as(&mut story, "T1", 1, 1, &[], "approve");
    assert_eq!(record(&story)["decision"], "feedback");
    story
}

fn case() -> Story {
    let mut story = going(single());
    let with = |id: &str, status: &str| {
        let mut one = row(id, "verified");
        one["status"] = json!(status);
        one
    };
    play_rows(&mut story, "T1", 1, vec![with("AC-001", "VERIFIED"), with("AC-002", "Done")]);
    assert_eq!(words(&story, "T1"), ["claimed", "claimed"]);
    verify(&mut story, "T1", 1, 2, &[]);
    done(&story);
    story
}

fn language() -> Story {
    let mut story = going(single());
    let mut odd = row("AC-002", "verified");
    odd["status"] = json!("fertig");
    play_rows(&mut story, "T1", 1, vec![row("AC-001", "verified"), odd.clone()]);
    assert_eq!(story.problem(), "unknown_value");
    assert!(story.core("/last_problem/got").as_str().unwrap().contains("fertig"));
    story.run("player", promise("T1", 1, vec![row("AC-001", "verified"), odd]));
    assert_eq!(words(&story, "T1"), ["claimed", "open"]);
    story
}

fn other_turn() -> Story {
    let mut story = going(single());
    play(&mut story, "T1", 4, 2);
    assert_eq!(story.problem(), "wrong_subject");
    story.run("player", promise("T1", 4, vec![row("AC-001", "verified")]));
    assert_eq!(story.core("/steps/T1/attempts"), 1);
    turn(&mut story, "T1", 1, 2, &[]);
    done(&story);
    story
}

fn other_task() -> Story {
    let mut story = going(single());
    play(&mut story, "T2", 1, 2);
    assert_eq!(story.problem(), "wrong_subject");
    assert_eq!(words(&story, "T1"), ["open", "open"]);
    story
}

fn dirty() -> Story {
    let mut story = going(single());
    story.world.dirty.insert("src/half.rs".to_owned(), "d1".to_owned());
    let effect = story.begin("player");
    story.end(effect, report(promise("T1", 1, vec![row("AC-001", "verified")])));
    assert_eq!(story.problem(), "dirty_tree");
    story
}

fn flat() -> Story {
    let mut story = going(single());
    let effect = story.begin("player");
    story.world.commit(&["src/T1.rs"]);
    let rows = json!([
        {"ac_id": "AC-001", "criterion_text": "condition 1 of T1", "status": "complete",
         "evidence": "see the test", "test_file": "tests/one.py", "implementation_files": ["src/T1.rs"]},
        {"criterion_text": "condition 2 of T1", "status": "complete", "evidence": "",
         "test_file": "tests/two.py"},
    ]);
    story.end(effect, report(json!({"task_id": "T1", "turn": 1, "completion_promises": rows})));
    assert_eq!(words(&story, "T1"), ["claimed", "claimed"]);
    let result = |id: &str| json!({"criterion_id": id, "result": "verified", "notes": format!("tests/{id}.py::test passes")});
    let rows = vec![result("AC-001"), result("AC-002")];
    story.run(
        "coach",
        json!({"task_id": "T1", "turn": 1, "decision": "approve", "criteria_verification": rows}),
    );
    done(&story);
    story
}

fn contradicts() -> Story {
    let mut story = going(single());
    let bad = json!({"criterion_id": "AC-002", "status": "verified",
        "evidence": [{"kind": "command", "command": "make test", "exit_status": 2}]});
    play_rows(&mut story, "T1", 1, vec![row("AC-001", "verified"), bad]);
    assert_eq!(story.problem(), "evidence_contradicts");
    story
}
