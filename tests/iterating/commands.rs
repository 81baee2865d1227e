//! What the user can say.

use super::*;

pub const TALES: &[Tale] = &[
    tale("pause-and-resume", "A paused mission sends nobody and judges nothing", pause),
    tale(
        "pause-while-judged",
        "An answer that comes while paused is taken; nobody is sent",
        judged,
    ),
    tale("stop-and-kill", "The live run is asked to wind up, then ended, and counts as lost", stop),
    tale("skip-lets-the-agent-go", "The criterion is waived; the end says so", skip),
    tale("skip-needs-a-reason-and-no-live-run", "Unknown, blank, live: refused", skip_refused),
    tale("reopen-a-finished-mission", "It goes on, with the reason in the prompt", reopen),
    tale("reopen-a-phase", "A project goes back because the user says so", reopen_phase),
    tale(
        "reopen-a-complete-project",
        "It goes back to review, not to complete again",
        reopen_complete,
    ),
    tale("reopen-a-counted-mission", "At its maximum it asks for more", reopen_counted),
    tale("commands-without-meaning", "Defer, amend and skip-verification are refused", refused),
];

fn manual() -> Story {
    going(config("manual", json!({"completionKeyword": "DONE"})))
}

fn skip_it(reason: &str) -> Command {
    Command::Skip { item: "helper".to_owned(), reason: reason.to_owned() }
}

fn reopen_it(item: &str, reason: &str) -> Command {
    Command::Reopen { item: item.to_owned(), reason: reason.to_owned() }
}

fn pause() -> Story {
    let mut story = manual();
    let applied = story.command(Command::Pause);
    assert_eq!(applied.decided.withdrawn.len(), 1);
    assert_eq!(story.engine.continuation(), Continuation::Paused);
    assert_eq!(story.command_refused(Command::Pause).code, Code::AlreadyPaused);
    story.say(Command::Resume);
    goes_on(&story, 0);
    let run = begin(&mut story);
    story.say(Command::Pause);
    story.end(run, WORK);
    assert!(story.role().is_none());
    assert_eq!(story.core("/last/iteration"), 1);
    story.say(Command::Resume);
    goes_on(&story, 1);
    story
}

fn judged() -> Story {
    let mut story = going(config("custom", json!({"handlerPath": "completion/decide.ts"})));
    iterate(&mut story, WORK);
    story.say(Command::Pause);
    answer(&mut story, "{\"complete\":false}");
    assert_eq!((story.rule().as_str(), story.role()), ("not_continuing", None));
    story.say(Command::Resume);
    goes_on(&story, 1);
    story
}

fn stop() -> Story {
    let mut story = manual();
    let run = begin(&mut story);
    let applied = story.command(Command::Stop { mode: StopMode::Wait });
    assert_eq!(applied.effects[0].order.name(), "stop_role");
    story.settle();
    story.say(Command::Kill);
    story.failed(run, RunOutcome::Lost);
    assert_eq!(story.engine.continuation(), Continuation::Paused);
    story.say(Command::Resume);
    goes_on(&story, 1);
    assert_eq!(story.core("/steps//attempts"), 0);
    story
}

fn skip() -> Story {
    let mut story = manual();
    iterate(&mut story, WORK);
    story.say(skip_it("good enough"));
    done(&story, "claimed", 1);
    let end = story.engine.view().end.unwrap();
    assert_eq!(end.waived, ["helper: The agent says DONE"]);
    assert_eq!(story.command_refused(Command::Pause).code, Code::MissionDone);
    assert_eq!(story.command_refused(skip_it("again")).code, Code::MissionDone);
    story
}

fn skip_refused() -> Story {
    let mut story = manual();
    assert_eq!(story.command_refused(skip_it(" ")).code, Code::MissingField);
    let other = Command::Skip { item: "other".to_owned(), reason: "why".to_owned() };
    assert_eq!(story.command_refused(other).code, Code::UnknownItem);
    begin(&mut story);
    assert_eq!(story.command_refused(skip_it("now")).code, Code::ItemActive);
    story
}

fn reopen() -> Story {
    let mut story = manual();
    assert_eq!(story.command_refused(reopen_it("helper", "why")).code, Code::ItemNotClosed);
    iterate(&mut story, "DONE");
    done(&story, "claimed", 1);
    assert_eq!(story.command_refused(reopen_it("helper", "")).code, Code::MissingField);
    story.say(reopen_it("helper", "the date is wrong"));
    goes_on(&story, 1);
    assert!(story.prompt().contains("the date is wrong"));
    iterate(&mut story, WORK);
    assert!(!story.prompt().contains("the date is wrong"));
    story
}

fn project() -> Story {
    going(with_args(config("project", json!({})), &[("project", "7")]))
}

fn reopen_phase() -> Story {
    let mut story = project();
    iterate(&mut story, "phase: review");
    assert_eq!(story.command_refused(reopen_it("review", "why")).code, Code::ItemNotClosed);
    story.say(reopen_it("processing", "one part is missing"));
    assert_eq!(story.core("/phase"), "processing");
    assert!(story.prompt().contains("in phase processing"));
    assert!(story.prompt().contains("one part is missing"));
    iterate(&mut story, WORK);
    assert_eq!(story.core("/phase"), "processing");
    story
}

fn reopen_complete() -> Story {
    let mut story = project();
    iterate(&mut story, "phase: complete");
    done(&story, "claimed", 1);
    story.say(reopen_it("helper", "look once more"));
    assert_eq!(story.core("/phase"), "review");
    iterate(&mut story, WORK);
    goes_on(&story, 2);
    iterate(&mut story, "phase: complete");
    done(&story, "claimed", 3);
    story
}

fn reopen_counted() -> Story {
    let mut story = going(config("iterate", json!({"maxIterations": 1})));
    iterate(&mut story, WORK);
    done(&story, "counted", 1);
    story.say(reopen_it("helper", "one more look"));
    assert_eq!(story.topic(), "ceiling");
    story.choose("more");
    iterate(&mut story, WORK);
    done(&story, "counted", 2);
    story
}

fn refused() -> Story {
    let mut story = manual();
    let why = "no time".to_owned();
    let item = "helper".to_owned();
    for command in [
        Command::Defer { item: item.clone(), reason: why.clone() },
        Command::Amend { changes: vec![PlanChange::SetPriority { item, priority: 1 }] },
        Command::SkipVerification { reason: why },
    ] {
        assert_eq!(story.command_refused(command).code, Code::InvalidChange);
    }
    goes_on(&story, 0);
    story
}
