//! Features: several tasks, their order, what stands behind a wave, and the end over all of them.

use super::*;

pub const TALES: &[Tale] = &[
    tale("waves-in-order", "A wave begins when the one before is over", waves),
    tale("smoke-gate", "A gate that fails is run again once it is mended", gate_retry),
    tale("smoke-gate-waived", "A gate is let go, and the end says so", gate_waived),
    tale("smoke-gate-blocks", "A gate that fails blocks the mission", gate_blocks),
    tale(
        "deferred-satisfies",
        "What waits for deferred work may begin, as the peer has it",
        deferred,
    ),
    tale("deferred-is-taken-up", "The user takes deferred work up at the end", taken_up),
    tale("side-by-side", "Players side by side, then coaches side by side", parallel),
    tale(
        "stale-task-is-shown-again",
        "What was verified before a file changed is shown again",
        stale,
    ),
    tale("stale-task-is-lost", "What no longer holds at the end is opened again", lost),
    tale(
        "declared-statuses",
        "Skipped and deferred are taken over; completed is to be shown",
        declared,
    ),
];

fn feature(tasks: Vec<TaskConfig>) -> promise::Config {
    promise::Config::new(MISSION, tasks)
}

fn two() -> promise::Config {
    feature(vec![task("T1", 1, &[]), task("T2", 1, &["T1"])])
}

fn gated() -> promise::Config {
    let argv = vec!["sh".to_owned(), "smoke.sh".to_owned()];
    let gate = SmokeGate { after_wave: 1, argv, expected_exit: 0, timeout_ms: 1_000 };
    promise::Config { smoke_gates: vec![gate], ..two() }
}

fn waves() -> Story {
    let mut story =
        going(feature(vec![task("T2", 1, &["T1"]), task("T1", 1, &[]), task("T3", 1, &[])]));
    assert!(story.prompt().contains("task T1"));
    turn(&mut story, "T1", 1, 1, &[]);
    assert!(story.prompt().contains("task T3"));
    turn(&mut story, "T3", 1, 1, &[]);
    turn(&mut story, "T2", 1, 1, &[]);
    done(&story);
    let view = story.engine.view();
    assert_eq!(view.lanes.len(), 2);
    assert_eq!(view.edges[0].from, "T1");
    story
}

fn failing_gate() -> Story {
    let mut story = going(gated());
    let gate = "smoke gate after wave 1".to_owned();
    story.world.exits.insert(gate, (Some(3), "no answer on the port".to_owned()));
    turn(&mut story, "T1", 1, 1, &[]);
    assert_eq!(story.topic(), "gate_failed");
    assert!(story.question().unwrap().1.text.contains("no answer on the port"));
    story
}

fn gate_retry() -> Story {
    let mut story = failing_gate();
    story.world.exits.clear();
    story.choose("retry");
    assert_eq!(story.core("/gates/1/gate"), "passed");
    turn(&mut story, "T2", 1, 1, &[]);
    done(&story);
    story
}

fn gate_waived() -> Story {
    let mut story = failing_gate();
    story.choose("waive");
    turn(&mut story, "T2", 1, 1, &[]);
    done(&story);
    assert_eq!(story.engine.view().end.unwrap().waived, ["gate after wave 1"]);
    story
}

fn gate_blocks() -> Story {
    let mut story = failing_gate();
    story.choose("block");
    assert_eq!(story.engine.continuation(), Continuation::Blocked);
    assert_eq!(story.core("/blocked/code"), "command_failed");
    story.world.exits.clear();
    story.say(Command::Resume);
    turn(&mut story, "T2", 1, 1, &[]);
    done(&story);
    story
}

fn deferred() -> Story {
    let mut story = going(two());
    story.say(Command::Defer { item: "T1".to_owned(), reason: "next month".to_owned() });
    turn(&mut story, "T2", 1, 1, &[]);
    assert_eq!(story.topic(), "end_with_deferred");
    story.answer(Answer::Confirmation { yes: true });
    done(&story);
    assert_eq!(story.engine.view().end.unwrap().deferred, ["T1"]);
    story
}

fn taken_up() -> Story {
    let mut story = going(two());
    story.say(Command::Defer { item: "T1".to_owned(), reason: "next month".to_owned() });
    turn(&mut story, "T2", 1, 1, &[]);
    story.answer(Answer::Confirmation { yes: false });
    turn(&mut story, "T1", 1, 1, &[]);
    done(&story);
    story
}

fn parallel() -> Story {
    let tasks = vec![task("T1", 1, &[]), task("T2", 1, &[]), task("T3", 1, &[])];
    let mut story = going(promise::Config { max_parallel: 2, ..feature(tasks) });
    let one = story.begin_item("player", "T1");
    let two = story.begin_item("player", "T2");
    assert_eq!(story.engine.view().runs.len(), 2);
    story.world.commit(&["src/T1.rs"]);
    story.end(one, report(promise("T1", 1, vec![row("AC-001", "verified")])));
    assert_eq!(story.engine.view().runs.len(), 1, "no coach beside a player");
    story.world.commit(&["src/T2.rs"]);
    story.end(two, report(promise("T2", 1, vec![row("AC-001", "verified")])));
    let one = story.begin_item("coach", "T1");
    let two = story.begin_item("coach", "T2");
    story.end(one, report(coach("T1", 1, "approve", vec![check("AC-001", "verified", true)])));
    story.end(two, report(coach("T2", 1, "feedback", vec![check("AC-001", "verified", false)])));
    assert_eq!(at(&story, "T1", "/status"), "completed");
    let two = story.begin_item("player", "T2");
    let three = story.begin_item("player", "T3");
    story.world.commit(&["src/T3.rs"]);
    story.end(three, report(promise("T3", 1, vec![row("AC-001", "verified")])));
    story.end(two, report(promise("T2", 2, vec![row("AC-001", "verified")])));
    let two = story.begin_item("coach", "T2");
    let three = story.begin_item("coach", "T3");
    story.end(three, report(coach("T3", 1, "approve", vec![check("AC-001", "verified", true)])));
    story.end(two, report(coach("T2", 2, "approve", vec![check("AC-001", "verified", true)])));
    done(&story);
    story
}

/// T1 is verified, then T2 changes one of its files.
fn overlapping() -> Story {
    let mut story = going(two());
    turn(&mut story, "T1", 1, 1, &[]);
    let effect = story.begin("player");
    story.world.commit(&["src/T1.rs", "src/T2.rs"]);
    story.end(effect, report(promise("T2", 1, vec![row("AC-001", "verified")])));
    verify(&mut story, "T2", 1, 1, &[]);
    assert_eq!(story.rule(), "show_again");
    assert!(story.prompt().contains("Show each criterion again"));
    story
}

fn again(story: &mut Story, holds: bool) {
    let decision = if holds { "approve" } else { "feedback" };
    let mut report = coach("T1", 1, decision, vec![check("AC-001", "verified", holds)]);
    report.as_object_mut().unwrap().remove("turn");
    story.run("coach", report);
}

fn stale() -> Story {
    let mut story = overlapping();
    again(&mut story, true);
    done(&story);
    let head = story.head();
    assert_eq!(at(&story, "T1", "/criteria/0/state/commit"), head);
    story
}

fn lost() -> Story {
    let mut story = overlapping();
    again(&mut story, false);
    assert_eq!(at(&story, "T1", "/status"), "in_progress");
    assert_eq!(story.core("/counts/reopened"), 1);
    assert!(story.prompt().contains("AC-001 no longer holds at the present head"));
    assert_eq!(story.engine.snapshot().head.budget.account(Counter::Reopens).spent, 1);
    turn(&mut story, "T1", 1, 1, &[]);
    // What T2 changed was changed once more.
    let mut report = coach("T2", 1, "approve", vec![check("AC-001", "verified", true)]);
    report.as_object_mut().unwrap().remove("turn");
    story.run("coach", report);
    done(&story);
    story
}

fn declared() -> Story {
    let with = |mut one: TaskConfig, status| {
        one.status = status;
        one
    };
    let tasks = vec![
        with(task("T1", 1, &[]), TaskStatus::Completed),
        with(task("T2", 1, &[]), TaskStatus::Skipped),
        with(task("T3", 1, &[]), TaskStatus::Deferred),
        with(task("T4", 1, &["T2", "T3"]), TaskStatus::Failed),
    ];
    let mut story = going(feature(tasks));
    turn(&mut story, "T1", 1, 1, &[]);
    turn(&mut story, "T4", 1, 1, &[]);
    story.answer(Answer::Confirmation { yes: true });
    done(&story);
    let end = story.engine.view().end.unwrap();
    assert_eq!((end.waived, end.deferred), (vec!["T2/AC-001".to_owned()], vec!["T3".to_owned()]));
    story
}
