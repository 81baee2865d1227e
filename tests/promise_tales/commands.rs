//! What the user may say at any time.

use super::*;

pub const TALES: &[Tale] = &[
    tale("pause-and-resume", "A paused mission dispatches nothing", pause),
    tale("skip-a-task", "A skipped task is waived and satisfies its dependants", skip),
    tale("reopen-a-closed-task", "A closed task is opened again, also after the end", reopen),
    tale(
        "add-a-criterion",
        "A criterion more keeps the task from approval until it is shown",
        add_criterion,
    ),
    tale("waive-a-criterion", "The user lets one criterion go", waive_criterion),
    tale("add-a-task", "A new task goes behind what it waits for", add_task),
    tale(
        "skip-verification",
        "Without verification every criterion is waived by the user",
        unverified,
    ),
    tale("commands-that-are-refused", "What makes no sense changes nothing", refused),
    tale(
        "stop-drains",
        "A stop lets the live run end, and its report counts when the mission goes on",
        drains,
    ),
];

fn text(reason: &str) -> String {
    reason.to_owned()
}

fn pause() -> Story {
    let mut story = going(single());
    story.say(Command::Pause);
    assert_eq!((story.due().as_str(), story.engine.continuation()), ("", Continuation::Paused));
    story.say(Command::Resume);
    turn(&mut story, "T1", 1, 2, &[]);
    done(&story);
    story
}

fn skip() -> Story {
    let tasks = vec![task("T1", 1, &[]), task("T2", 1, &["T1"])];
    let mut story = going(promise::Config::new(MISSION, tasks));
    story.say(Command::Skip { item: text("T1"), reason: text("done elsewhere") });
    turn(&mut story, "T2", 1, 1, &[]);
    done(&story);
    assert_eq!(story.engine.view().end.unwrap().waived, ["T1/AC-001"]);
    story
}

fn reopen() -> Story {
    let mut story = going(single());
    turn(&mut story, "T1", 1, 2, &[]);
    done(&story);
    story.say(Command::Reopen { item: text("T1"), reason: text("it fails on empty input") });
    assert!(story.prompt().contains("it fails on empty input"));
    assert_eq!(words(&story, "T1"), ["open", "open"]);
    turn(&mut story, "T1", 1, 2, &[]);
    done(&story);
    story
}

fn add_criterion() -> Story {
    let mut story = going(single());
    play(&mut story, "T1", 1, 2);
    let effect = story.begin("coach");
    let change =
        PlanChange::AddCriterion { item: text("T1"), text: text("it is fast"), shown_by: None };
    story.say(Command::Amend { changes: vec![change] });
    let rows = vec![check("AC-001", "verified", true), check("AC-002", "verified", true)];
    story.end(effect, report(coach("T1", 1, "approve", rows)));
    assert_eq!(record(&story)["decision"], "feedback");
    turn(&mut story, "T1", 2, 3, &[]);
    done(&story);
    story
}

fn waive_criterion() -> Story {
    let mut story = going(single());
    let change = PlanChange::WaiveCriterion {
        item: text("T1"),
        criterion: text("AC-002"),
        reason: text("not needed"),
    };
    story.say(Command::Amend { changes: vec![change] });
    turn(&mut story, "T1", 1, 1, &[]);
    done(&story);
    assert_eq!(story.engine.view().end.unwrap().waived, ["T1/AC-002"]);
    story
}

fn add_task() -> Story {
    let mut story = going(single());
    let item = NewItem {
        id: text("T2"),
        goal: text("one thing more"),
        shown_by: Vec::new(),
        acceptance_criteria: vec![text("it works")],
        contract_ids: Vec::new(),
        priority: 1,
        why_now: String::new(),
        blocked_on: vec![text("T1")],
    };
    story.say(Command::Amend { changes: vec![PlanChange::AddItem { item }] });
    turn(&mut story, "T1", 1, 2, &[]);
    turn(&mut story, "T2", 1, 1, &[]);
    done(&story);
    assert_eq!(at(&story, "T2", "/wave"), 2);
    story
}

fn unverified() -> Story {
    let mut story = going(single());
    story.say(Command::SkipVerification { reason: text("a prototype") });
    play(&mut story, "T1", 1, 2);
    done(&story);
    assert_eq!(story.engine.view().end.unwrap().waived, ["T1/AC-001", "T1/AC-002"]);
    story
}

fn refused() -> Story {
    let mut story = going(single());
    let mut expect = |command: Command, code: Code| {
        assert_eq!(story.command_refused(command).code, code);
    };
    let item = || text("T1");
    expect(Command::Start, Code::AlreadyStarted);
    expect(Command::Resume, Code::NotPaused);
    expect(Command::Skip { item: text("T9"), reason: text("x") }, Code::UnknownItem);
    expect(Command::Skip { item: item(), reason: text(" ") }, Code::MissingField);
    expect(Command::Reopen { item: item(), reason: text("x") }, Code::ItemNotClosed);
    expect(Command::Amend { changes: Vec::new() }, Code::InvalidChange);
    let order = PlanChange::Reorder { order: vec![item()] };
    expect(Command::Amend { changes: vec![order] }, Code::InvalidChange);
    let waive =
        PlanChange::WaiveCriterion { item: item(), criterion: text("AC-7"), reason: text("x") };
    expect(Command::Amend { changes: vec![waive] }, Code::UnknownCriterion);
    story.begin("player");
    let error = story.command_refused(Command::Skip { item: item(), reason: text("x") });
    assert_eq!(error.code, Code::ItemActive);
    story
}

fn drains() -> Story {
    let mut story = going(single());
    play(&mut story, "T1", 1, 2);
    let effect = story.begin("coach");
    story.say(Command::Stop { mode: StopMode::Drain });
    let rows = vec![check("AC-001", "verified", true), check("AC-002", "verified", true)];
    story.end(effect, report(coach("T1", 1, "approve", rows)));
    assert_eq!(story.engine.continuation(), Continuation::Paused);
    assert_eq!(at(&story, "T1", "/status"), "in_progress", "nothing is judged before a look");
    story.say(Command::Resume);
    done(&story);
    story
}
