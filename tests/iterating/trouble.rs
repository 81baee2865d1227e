//! Runs, hosts and files that fail.

use super::*;

pub const TALES: &[Tale] = &[
    tale("failed-runs-ask", "Three in a row: the user tries again with a fresh count", retry),
    tale("failed-runs-and-stop", "The user stops; resuming sends the agent again", block),
    tale(
        "a-good-run-clears-the-count",
        "Two failed, one good, two failed: nobody is asked",
        cleared,
    ),
    tale("a-run-that-cannot-be-started", "It is no iteration, but three in a row ask", unstarted),
    tale(
        "the-host-comes-back",
        "A run that was ordered is ordered anew; a live one goes on",
        recovered,
    ),
    tale(
        "a-foreign-status-file",
        "What somebody wrote is kept aside, then replaced",
        foreign_status,
    ),
    tale("a-foreign-history-line", "The history goes on behind what somebody wrote", foreign_line),
    tale("a-file-that-cannot-be-written", "The user is asked; trying again writes it", unwritable),
    tale("a-file-that-cannot-be-written-and-stop", "Stopped, and resumed", unwritable_stop),
    tale(
        "answers-to-nothing-are-refused",
        "Unknown, stale and wrong answers are told apart",
        bad_answers,
    ),
    tale("wrong-answers-to-questions", "An answer of another type or word is refused", bad_choices),
];

fn manual() -> Story {
    going(config("manual", json!({"completionKeyword": "DONE"})))
}

fn stuck() -> Story {
    let mut story = manual();
    for _ in 0..3 {
        fails(&mut story, RunOutcome::Failed);
    }
    assert_eq!((story.topic().as_str(), story.problem().as_str()), ("step_stuck", "run_failed"));
    assert_eq!(story.core("/iteration"), 3);
    story
}

fn retry() -> Story {
    let mut story = stuck();
    story.choose("retry");
    goes_on(&story, 3);
    iterate(&mut story, "DONE");
    done(&story, "claimed", 4);
    story
}

fn block() -> Story {
    let mut story = stuck();
    story.choose("block");
    assert_eq!(story.engine.continuation(), Continuation::Blocked);
    story.say(Command::Resume);
    goes_on(&story, 3);
    story
}

fn cleared() -> Story {
    let mut story = manual();
    for outcome in [RunOutcome::Failed, RunOutcome::Partial] {
        fails(&mut story, outcome);
    }
    iterate(&mut story, WORK);
    for outcome in [RunOutcome::Checkpoint, RunOutcome::Lost] {
        fails(&mut story, outcome);
    }
    goes_on(&story, 5);
    story
}

fn unstarted() -> Story {
    let mut story = manual();
    for _ in 0..3 {
        story.fail_effect("spawn_role", Code::HostFailed);
    }
    assert_eq!((story.topic().as_str(), story.problem().as_str()), ("step_stuck", "host_failed"));
    assert_eq!(story.core("/iteration"), 0);
    story.choose("retry");
    goes_on(&story, 0);
    story
}

fn recovered() -> Story {
    let mut story = manual();
    let (before, _) = story.role().unwrap();
    story.recover(Recovery::Restart);
    let (after, _) = story.role().unwrap();
    assert_ne!(before, after);
    let run = begin(&mut story);
    story.recover(Recovery::Compaction);
    story.end(run, "DONE");
    done(&story, "claimed", 1);
    story
}

fn foreign_status() -> Story {
    let mut story = manual();
    story.world.files.insert(".agent/iteration/status.json".to_owned(), "mine\n".to_owned());
    iterate(&mut story, WORK);
    goes_on(&story, 1);
    assert_eq!(status(&story)["iteration"], 1);
    assert!(story.world.files.values().any(|text| text == "mine\n"), "kept aside");
    story
}

fn foreign_line() -> Story {
    let mut story = manual();
    iterate(&mut story, WORK);
    let path = ".agent/iteration/summaries.jsonl";
    story.world.files.get_mut(path).unwrap().push_str("{\"by\":\"somebody\"}\n");
    iterate(&mut story, WORK);
    let lines = history(&story);
    assert_eq!((lines.len(), lines[1]["by"].as_str()), (3, Some("somebody")));
    goes_on(&story, 2);
    story
}

fn unwritten() -> Story {
    let mut story = manual();
    let run = begin(&mut story);
    story.fact(Fact::RunEnded(RunEnded {
        effect: run,
        outcome: RunOutcome::Success,
        report: Some(WORK.to_owned()),
        problem: None,
        usage: Usage::default(),
    }));
    story.fail_effect("append_history", Code::WriteFailed);
    assert_eq!(
        (story.topic().as_str(), story.problem().as_str()),
        ("effect_failed", "write_failed")
    );
    story
}

fn unwritable() -> Story {
    let mut story = unwritten();
    story.choose("retry");
    goes_on(&story, 1);
    assert_eq!(history(&story).len(), 1);
    story
}

fn unwritable_stop() -> Story {
    let mut story = unwritten();
    story.choose("block");
    assert_eq!(story.engine.continuation(), Continuation::Blocked);
    story.say(Command::Resume);
    goes_on(&story, 1);
    assert_eq!(history(&story).len(), 1);
    story
}

fn bad_answers() -> Story {
    let mut story = manual();
    let (effect, _) = story.role().unwrap();
    let ended = |effect| {
        let (outcome, usage) = (RunOutcome::Success, Usage::default());
        Fact::RunEnded(RunEnded { effect, outcome, report: None, problem: None, usage })
    };
    assert_eq!(story.refused(ended(effect)).code, Code::NotStarted);
    assert_eq!(story.refused(ended(EffectId { seq: 900, n: 1 })).code, Code::UnknownEffect);
    let answer = Some("{\"complete\":true}".to_owned());
    let consulted = Fact::Consulted(Consulted { effect, answer, problem: None });
    assert_eq!(story.refused(consulted).code, Code::WrongAnswer);
    iterate(&mut story, WORK);
    assert_eq!(story.refused(ended(effect)).code, Code::StaleAnswer);
    assert_eq!(story.raw_refused("{}").code, Code::MissingField);
    story
}

fn bad_choices() -> Story {
    let mut story = stuck();
    let (effect, _) = story.question().unwrap();
    for answer in
        [json!({"type": "choice", "option": "more"}), json!({"type": "text", "text": "retry"})]
    {
        let answer = serde_json::from_value(answer).unwrap();
        let error = story.refused(Fact::QuestionAnswered(QuestionAnswered { effect, answer }));
        assert_eq!(error.code, Code::AnswerType);
    }
    story
}
