//! What a coach's word is worth, and what the engine decides.

use super::*;

pub const TALES: &[Tale] = &[
    tale("rejected-then-approved", "What was rejected is what the next turn is told", rejected),
    tale(
        "approve-over-a-rejected-criterion",
        "An approval over a rejected criterion is overruled",
        overruled,
    ),
    tale(
        "approve-over-a-missing-verdict",
        "An approval over a criterion without a verdict is overruled",
        silent,
    ),
    tale(
        "blocking-issue",
        "A blocking issue keeps a task from approval though every criterion holds",
        blocking,
    ),
    tale("feedback-without-a-reason", "A no without a reason is asked again", reasonless),
    tale("feedback-without-a-reason-twice", "A no is never turned into a yes", reasonless_twice),
    tale("uncertain-is-not-shown", "Unverified and uncertain show nothing", uncertain),
    tale("verdict-without-a-method", "A verdict needs its method", methodless),
    tale("verdict-without-proof", "A verdict without proof shows nothing", proofless),
    tale("disagreement-without-discrepancy", "Who disagrees says why", wordless),
    tale(
        "coach-misquotes-the-player",
        "A verdict on another status than was claimed is a fault",
        misquote,
    ),
    tale("coach-of-the-players-session", "No run judges what its own session promised", own),
    tale("coach-changes-the-tree", "A coach that changes the tree is refused", touches),
    tale("coach-report-for-another-turn", "A verdict on another turn is refused", other_turn),
    tale(
        "no-word-of-the-coach",
        "Silence is no yes: a coach that does not decide is asked once, and then has not approved",
        no_word,
    ),
    tale(
        "failing-tests-are-in-the-way",
        "Tests that the engine saw fail overrule an approval, whatever the coach says of them",
        failing_tests,
    ),
];

fn rejected() -> Story {
    let mut story = going(single());
    turn(&mut story, "T1", 1, 2, &["AC-002"]);
    assert_eq!(words(&story, "T1"), ["verified", "rejected"]);
    let prompt = story.prompt();
    assert!(prompt.contains("AC-002 does not hold: ran its test AC-002 does not do what it says"));
    assert!(!prompt.contains("- AC-001 does not"));
    turn(&mut story, "T1", 2, 2, &[]);
    done(&story);
    assert_eq!(record(&story)["turn"], 2);
    story
}

fn overruled() -> Story {
    let mut story = going(single());
    play(&mut story, "T1", 1, 2);
    verify_as(&mut story, "T1", 1, 2, &["AC-001"], "approve");
    let record = record(&story);
    assert_eq!(
        (&record["coach_decision"], &record["decision"]),
        (&json!("approve"), &json!("feedback"))
    );
    assert!(record["overruled"].as_str().unwrap().contains("AC-001"));
    assert_eq!(story.core("/counts/overruled"), 1);
    assert_eq!(story.due(), "player");
    story
}

fn silent() -> Story {
    let mut story = going(single());
    play(&mut story, "T1", 1, 2);
    verify_as(&mut story, "T1", 1, 1, &[], "approve");
    assert_eq!(words(&story, "T1"), ["verified", "claimed"]);
    assert_eq!(record(&story)["decision"], "feedback");
    assert!(story.prompt().contains("AC-002 was claimed but is not shown"));
    story
}

fn blocking() -> Story {
    let mut story = going(single());
    play(&mut story, "T1", 1, 2);
    let mut said = coach(
        "T1",
        1,
        "approve",
        vec![check("AC-001", "verified", true), check("AC-002", "verified", true)],
    );
    said["issues"] = json!([
        {"severity": "must_fix", "description": "it prints a password"},
        {"severity": "should_fix", "description": "a name is long"},
    ]);
    story.run("coach", said);
    assert_eq!(words(&story, "T1"), ["verified", "verified"]);
    assert_eq!(record(&story)["decision"], "feedback");
    let prompt = story.prompt();
    assert!(prompt.contains("it prints a password") && !prompt.contains("a name is long"));
    story
}

fn reasonless() -> Story {
    let mut story = going(single());
    play(&mut story, "T1", 1, 2);
    verify_as(&mut story, "T1", 1, 2, &[], "feedback");
    assert_eq!(story.problem(), "inconsistent_verdict");
    assert_eq!((story.due().as_str(), words(&story, "T1")[0].as_str()), ("coach", "claimed"));
    verify_as(&mut story, "T1", 1, 2, &[], "approve");
    done(&story);
    story
}

fn reasonless_twice() -> Story {
    let mut story = going(single());
    play(&mut story, "T1", 1, 2);
    verify_as(&mut story, "T1", 1, 2, &[], "feedback");
    verify_as(&mut story, "T1", 1, 2, &[], "feedback");
    assert_eq!(record(&story)["decision"], "feedback");
    assert_eq!(story.due(), "player");
    story
}

fn uncertain() -> Story {
    let mut story = going(single());
    play(&mut story, "T1", 1, 2);
    let result = |id: &str, word: &str| json!({"criterion_id": id, "result": word, "notes": "tests/a.py::b passes"});
    let rows = vec![result("AC-001", "unverified"), result("AC-002", "uncertain")];
    story.run("coach", coach("T1", 1, "feedback", rows));
    assert_eq!(words(&story, "T1"), ["claimed", "claimed"]);
    let rows = record(&story)["criteria_verification"].clone();
    assert_eq!(
        (&rows[0]["coach_verified"], &rows[1]["coach_verified"]),
        (&Value::Null, &Value::Null)
    );
    story
}

fn methodless() -> Story {
    let mut story = going(single());
    play(&mut story, "T1", 1, 2);
    let mut bare = check("AC-002", "verified", true);
    bare["verification_method"] = json!(" ");
    let rows = || vec![check("AC-001", "verified", true), bare.clone()];
    story.run("coach", coach("T1", 1, "approve", rows()));
    assert_eq!(story.problem(), "missing_field");
    assert_eq!(story.due(), "coach");
    story.run("coach", coach("T1", 1, "approve", rows()));
    assert_eq!(words(&story, "T1"), ["verified", "claimed"]);
    story
}

fn proofless() -> Story {
    let mut story = going(single());
    play(&mut story, "T1", 1, 2);
    let bare = |id: &str| {
        json!({"criterion_id": id, "player_status": "verified", "coach_verified": true,
            "verification_method": "looked at it and it is fine"})
    };
    let said = || coach("T1", 1, "approve", vec![bare("AC-001"), bare("AC-002")]);
    story.run("coach", said());
    assert_eq!((story.problem().as_str(), story.due().as_str()), ("evidence_missing", "coach"));
    story.run("coach", said());
    assert_eq!(words(&story, "T1"), ["claimed", "claimed"]);
    assert_eq!(record(&story)["decision"], "feedback");
    story
}

fn wordless() -> Story {
    let mut story = going(single());
    play(&mut story, "T1", 1, 2);
    let mut bare = check("AC-002", "verified", false);
    bare.as_object_mut().unwrap().remove("discrepancy");
    story.run("coach", coach("T1", 1, "feedback", vec![check("AC-001", "verified", true), bare]));
    assert_eq!(story.problem(), "missing_field");
    verify(&mut story, "T1", 1, 2, &["AC-002"]);
    assert_eq!(words(&story, "T1"), ["verified", "rejected"]);
    story
}

fn misquote() -> Story {
    let mut story = going(single());
    play(&mut story, "T1", 1, 2);
    let rows = vec![check("AC-001", "partial", true), check("AC-002", "verified", true)];
    story.run("coach", coach("T1", 1, "approve", rows));
    assert_eq!(story.problem(), "inconsistent_verdict");
    verify(&mut story, "T1", 1, 2, &[]);
    done(&story);
    story
}

fn own() -> Story {
    let mut story = going(single());
    let effect = story.begin_in("player", Some("session-1"));
    story.world.commit(&["src/T1.rs"]);
    story.end(
        effect,
        report(promise("T1", 1, vec![row("AC-001", "verified"), row("AC-002", "verified")])),
    );
    let effect = story.begin_in("coach", Some("session-1"));
    let rows = vec![check("AC-001", "verified", true), check("AC-002", "verified", true)];
    story.end(effect, report(coach("T1", 1, "approve", rows)));
    assert_eq!(story.problem(), "own_verdict");
    assert_eq!(words(&story, "T1"), ["claimed", "claimed"]);
    verify(&mut story, "T1", 1, 2, &[]);
    done(&story);
    story
}

fn touches() -> Story {
    let mut story = going(single());
    play(&mut story, "T1", 1, 2);
    let effect = story.begin("coach");
    story.world.commit(&["src/mended-by-the-coach.rs"]);
    let rows = vec![check("AC-001", "verified", true), check("AC-002", "verified", true)];
    story.end(effect, report(coach("T1", 1, "approve", rows)));
    assert_eq!(story.problem(), "read_only_touched");
    assert_eq!((story.due().as_str(), words(&story, "T1")[0].as_str()), ("coach", "claimed"));
    story
}

fn other_turn() -> Story {
    let mut story = going(single());
    play(&mut story, "T1", 1, 2);
    verify(&mut story, "T1", 3, 2, &[]);
    assert_eq!(story.problem(), "wrong_subject");
    verify(&mut story, "T1", 1, 2, &[]);
    done(&story);
    story
}

fn no_word() -> Story {
    let mut story = going(single());
    play(&mut story, "T1", 1, 2);
    let mut said = coach(
        "T1",
        1,
        "",
        vec![check("AC-001", "verified", true), check("AC-002", "verified", true)],
    );
    said.as_object_mut().unwrap().remove("decision");
    story.run("coach", said.clone());
    assert_eq!(story.problem(), "missing_field");
    story.run("coach", said);
    assert_eq!(at(&story, "T1", "/play/turn"), 2);
    assert_eq!(record(&story)["decision"], "feedback");
    turn(&mut story, "T1", 2, 2, &[]);
    done(&story);
    story
}

fn failing_tests() -> Story {
    let mut story = going(promise::Config { test_command: vec!["make".to_owned()], ..single() });
    story.world.exits.insert("tests".to_owned(), (Some(1), String::new()));
    turn(&mut story, "T1", 1, 2, &[]);
    let record = record(&story);
    assert_eq!(record["tests"], "failed");
    assert_eq!(
        (&record["coach_decision"], &record["decision"]),
        (&json!("approve"), &json!("feedback"))
    );
    assert_eq!(record["overruled"], "blocking issue: the tests fail at this commit");
    assert!(story.prompt().contains("the tests fail at this commit"));
    story.world.exits.clear();
    turn(&mut story, "T1", 2, 2, &[]);
    done(&story);
    story
}
