//! Attempts, continuations, and runs that say nothing.

use super::*;

pub const TALES: &[Tale] = &[
    tale("third-failure-is-fatal", "Three attempts are three runs", fatal),
    tale(
        "resume-from-fatal",
        "A resume starts the live count again and keeps the total",
        resume_fatal,
    ),
    tale("others-go-on-beside-a-fatal", "A blocked unit keeps nobody else", beside),
    tale(
        "four-continuations-are-too-many",
        "Three continuations, then the attempt has failed",
        continuations,
    ),
    tale("unreadable-report-is-mended", "The same run mends its report", mended),
    tale(
        "unreadable-over-shown-work",
        "What commands and commits show needs no report that can be read",
        unread,
    ),
    tale("unreadable-twice", "A report that is bad twice is a failed run", twice),
    tale("another-missions-report", "Another mission's anchor gets no second chance", anchor),
    tale("another-sprints-report", "A report on another sprint is refused", subject),
    tale("plan-is-proven-wrong", "REPLAN uses no attempt and waits for another plan", replan),
    tale("replan-without-facts", "A replan must be proven", replan_empty),
    tale("agent-edits-the-plan", "A run that changes the plan is not believed", plan_edit),
    tale("person-edits-the-plan", "A person's edit is noted and changes nothing", person_edit),
    tale("unresponsive-run", "Five empty polls are told, ten end the run", unresponsive),
    tale("sign-of-life", "A sign of life starts the count again", sign),
    tale("watchdog-strikes", "Three checks without movement end the run", strikes),
    tale("watchdog-sees-progress", "Movement takes the strikes back", moves),
    tale("fatal-sprint-is-skipped", "The user lets a fatal sprint go", fatal_skip),
    tale(
        "fatal-sprint-is-opened-again",
        "The user opens a fatal sprint while others work",
        fatal_reopen,
    ),
];

fn failed_thrice() -> Story {
    let mut story = going(mission(vec![unit("a", &[], vec![part("1"), part("2")])]));
    for number in 1..=3 {
        assert_eq!(attempt(&story, "a/1"), number);
        fails(&mut story, "a/1");
    }
    assert_eq!(
        (status(&story, "a/1"), unit_status(&story, "a")),
        ("FATAL".into(), "BLOCKED".into())
    );
    story
}

fn fatal() -> Story {
    let story = failed_thrice();
    assert_eq!(story.engine.continuation(), Continuation::Blocked);
    assert!(logged(&story, "FATAL after attempt 3/3"));
    assert!(page(&story, "SUPERVISOR_STATE.md").contains("FATAL after 3 attempts"));
    story
}

fn resume_fatal() -> Story {
    let mut story = failed_thrice();
    story.say(Command::Resume);
    assert_eq!((attempt(&story, "a/1"), at(&story, "a/1", "/failures")), (1, json!(3)));
    work(&mut story, "a/1", &[]);
    work(&mut story, "a/2", &[]);
    done(&story);
    assert!(page(&story, "COMPLETE_Greeter.md").contains("3 failed attempts"));
    story
}

fn beside() -> Story {
    let units = vec![unit("a", &[], vec![part("1")]), unit("b", &[], vec![part("1"), part("2")])];
    let mut story = going(mission(units));
    for _ in 0..3 {
        fails(&mut story, "a/1");
    }
    assert_eq!(unit_status(&story, "a"), "BLOCKED");
    work(&mut story, "b/1", &[]);
    work(&mut story, "b/2", &[]);
    assert_eq!(unit_status(&story, "b"), "COMPLETED");
    assert_eq!(story.engine.continuation(), Continuation::Blocked);
    story
}

fn continuations() -> Story {
    let mut story = going(single(vec![shown("AC-001")]));
    for number in 0..3 {
        assert_eq!(at(&story, "a/1", "/continuations"), number);
        work_partly(&mut story, "a/1");
    }
    assert_eq!(attempt(&story, "a/1"), 1);
    work_partly(&mut story, "a/1");
    assert_eq!((attempt(&story, "a/1"), at(&story, "a/1", "/continuations")), (2, json!(0)));
    story
}

fn unread() -> Story {
    let mut story = going(single(vec![shown("AC-001")]));
    let run = begin(&mut story, "a/1");
    story.world.commit(&["a/x.rs"]);
    story.end(run, "all fine");
    assert!(logged(&story, "Its report cannot be read; what is seen counts"));
    done(&story);
    story
}

fn mended() -> Story {
    let mut story = going(single(vec![shown("AC-001"), judged("AC-002")]));
    let run = begin(&mut story, "a/1");
    story.world.commit(&["a/x.rs"]);
    story.end(run, "all fine");
    let order = ordered(&story, "a/1");
    assert_eq!(order.corrects, Some(run));
    assert!(order.prompt.contains("could not be taken"));
    let run = begin(&mut story, "a/1");
    story.end(run, report(says("a/1", "completed", &["AC-002"])));
    verify(&mut story, "a/1", &["AC-002"], &[]);
    done(&story);
    story
}

fn twice() -> Story {
    let mut story = going(single(vec![shown("AC-001")]));
    for _ in 0..2 {
        let run = begin(&mut story, "a/1");
        story.end(run, "all fine");
    }
    assert_eq!(attempt(&story, "a/1"), 2);
    story
}

fn anchor() -> Story {
    let mut story = going(single(vec![shown("AC-001")]));
    let run = begin(&mut story, "a/1");
    story.end(run, report_for("Another mission", says("a/1", "completed", &[])));
    assert_eq!((attempt(&story, "a/1"), story.problem().as_str()), (2, "anchor_mismatch"));
    story
}

fn subject() -> Story {
    let mut story = going(single(vec![shown("AC-001")]));
    let run = begin(&mut story, "a/1");
    story.end(run, report(says("b/1", "completed", &[])));
    assert_eq!(story.problem(), "wrong_subject");
    story
}

fn replanned() -> Story {
    let mut story = going(mission(vec![unit("a", &[], vec![part("1"), part("2")])]));
    let run = begin(&mut story, "a/1");
    let mut block = says("a/1", "replan", &[]);
    block["reasons"] = json!(["the library has no such call"]);
    story.end(run, report(block));
    assert_eq!((status(&story, "a/1"), attempt(&story, "a/1")), ("REPLAN".into(), 1));
    assert_eq!(unit_status(&story, "a"), "BLOCKED");
    story
}

fn replan() -> Story {
    let mut story = replanned();
    story.say(Command::Resume);
    assert_eq!(story.engine.continuation(), Continuation::Blocked);
    let text = "it uses the other call".to_owned();
    let more = PlanChange::AddCriterion { item: "a/1".to_owned(), text, shown_by: None };
    story.say(Command::Amend { changes: vec![more] });
    assert_eq!((due(&story), attempt(&story, "a/1")), (vec!["a/1".to_owned()], 1));
    assert!(ordered(&story, "a/1").prompt.contains("the library has no such call"));
    story
}

fn replan_empty() -> Story {
    let mut story = going(single(vec![shown("AC-001")]));
    let run = begin(&mut story, "a/1");
    story.end(run, report(says("a/1", "replan", &[])));
    assert_eq!((story.problem().as_str(), due(&story).len()), ("missing_field", 1));
    story
}

fn with_plan() -> Story {
    super::changes::planned(vec![unit("a", &[], vec![part("1"), part("2")])])
}

fn plan_edit() -> Story {
    let mut story = with_plan();
    let run = begin(&mut story, "a/1");
    story.world.files.insert("PLAN.md".to_owned(), "# Done\n".to_owned());
    finish(&mut story, run, "a/1", says("a/1", "completed", &[]));
    assert_eq!((attempt(&story, "a/1"), story.problem().as_str()), (2, "canonical_touched"));
    assert!(ordered(&story, "a/1").prompt.contains("Put the plan back"));
    story.world.files.insert("PLAN.md".to_owned(), "# Plan\n".to_owned());
    work(&mut story, "a/1", &[]);
    assert_eq!(status(&story, "a/1"), "COMPLETED");
    story
}

fn person_edit() -> Story {
    let mut story = with_plan();
    story.say(Command::Pause);
    story.world.files.insert("PLAN.md".to_owned(), "# Better\n".to_owned());
    story.say(Command::Resume);
    assert!(logged(&story, "The plan was edited"));
    work(&mut story, "a/1", &[]);
    assert_eq!(status(&story, "a/1"), "COMPLETED");
    story
}

fn unresponsive() -> Story {
    let mut story = going(single(vec![shown("AC-001")]));
    let run = begin(&mut story, "a/1");
    fire(&mut story, "poll");
    for _ in 0..5 {
        fire(&mut story, "poll");
    }
    assert!(logged(&story, "Agent may be unresponsive"));
    for _ in 0..5 {
        fire(&mut story, "poll");
    }
    assert!(logged(&story, "Agent terminated"));
    story.failed(run, RunOutcome::Lost);
    assert_eq!((attempt(&story, "a/1"), due(&story).len()), (2, 1));
    story
}

fn hear(story: &mut Story, effect: EffectId) {
    let entries = vec![ProgressEntry { kind: "activity".to_owned(), text: "reading".to_owned() }];
    story.fact(Fact::RunProgressed(RunProgressed { effect, entries }));
}

fn sign() -> Story {
    let mut story = going(single(vec![shown("AC-001")]));
    let run = begin(&mut story, "a/1");
    for _ in 0..12 {
        hear(&mut story, run);
        fire(&mut story, "poll");
    }
    assert!(!logged(&story, "unresponsive"));
    finish(&mut story, run, "a/1", says("a/1", "completed", &[]));
    done(&story);
    story
}

fn strikes() -> Story {
    let mut story = going(single(vec![shown("AC-001")]));
    let run = begin(&mut story, "a/1");
    for number in 1..=3 {
        fire(&mut story, "watchdog");
        assert!(logged(&story, &format!("strike {number}/3")));
    }
    story.failed(run, RunOutcome::Lost);
    assert_eq!(attempt(&story, "a/1"), 2);
    story
}

fn moves() -> Story {
    let mut story = going(single(vec![shown("AC-001")]));
    let run = begin(&mut story, "a/1");
    fire(&mut story, "watchdog");
    fire(&mut story, "watchdog");
    story.world.dirty.insert("a/x.rs".to_owned(), "d1".to_owned());
    fire(&mut story, "watchdog");
    assert!(logged(&story, "strikes 0/3"));
    finish(&mut story, run, "a/1", says("a/1", "partial", &[]));
    assert_eq!(attempt(&story, "a/1"), 1);
    story
}

fn fatal_skip() -> Story {
    let mut story = failed_thrice();
    story.say(Command::Skip { item: "a/1".to_owned(), reason: "not needed".to_owned() });
    assert_eq!(due(&story), ["a/2"]);
    work(&mut story, "a/2", &[]);
    done(&story);
    assert!(page(&story, "COMPLETE_Greeter.md").contains("VERIFICATION FAILED"));
    story
}

fn fatal_reopen() -> Story {
    let units = vec![unit("a", &[], vec![part("1")]), unit("b", &[], vec![part("1")])];
    let mut story = going(mission(units));
    let b = begin(&mut story, "b/1");
    for _ in 0..3 {
        fails(&mut story, "a/1");
    }
    story.say(Command::Reopen { item: "a/1".to_owned(), reason: "the disk is mended".to_owned() });
    assert_eq!((unit_status(&story, "a"), attempt(&story, "a/1")), ("RUNNING".into(), 1));
    work(&mut story, "a/1", &[]);
    finish(&mut story, b, "b/1", says("b/1", "completed", &[]));
    done(&story);
    story
}
