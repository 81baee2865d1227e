//! Questions are typed, and answered in kind.

use super::*;

pub const TALES: &[Tale] = &[
    tale(
        "step-stuck-after-three-failures",
        "Three failed runs of one step lead to a question; answered with block the mission stops",
        stuck,
    ),
    tale(
        "answer-of-another-type-is-refused",
        "A choice takes one of its options, free text takes words that are not blank",
        types,
    ),
    tale(
        "failed-write-while-a-question-is-open",
        "A full disk does not make the open question unanswerable",
        failed_write,
    ),
    tale(
        "changed-history-is-a-question",
        "A history that is not as it was left is named, and the user says whether to go on",
        history,
    ),
    tale(
        "changed-history-can-stop-the-mission",
        "Answered with block, the mission is blocked and says why",
        history_block,
    ),
];

fn stuck() -> Story {
    let mut story = Story::planned();
    for outcome in [RunOutcome::Failed, RunOutcome::Lost, RunOutcome::Partial] {
        story.fail("implementer", outcome);
    }
    assert_eq!(story.topic(), "step_stuck");
    let (_, question) = story.question().unwrap();
    assert!(question.text.contains("completion-implementer failed 3 times"), "{}", question.text);
    story.choose("block");
    assert_eq!(story.engine.continuation(), Continuation::Blocked);
    story.say(Command::Resume);
    assert_eq!(story.attempts(), 0);
    assert_eq!(story.due(), "implementer");
    story
}

fn types() -> Story {
    let mut story = Story::planned();
    story.run(
        "implementer",
        json!({"slice_id": "S1", "outcome": "blocked", "blocker": "Which one?"}),
    );
    let (effect, _) = story.question().unwrap();
    let mut no = |answer| {
        let error = story.refused(Fact::QuestionAnswered(QuestionAnswered { effect, answer }));
        assert_eq!((error.code, error.expected.as_str()), (Code::AnswerType, "some words"));
    };
    no(Answer::Confirmation { yes: true });
    no(Answer::Text { text: " \n".to_owned() });
    no(Answer::Choice { option: "retry".to_owned() });
    story.answer(Answer::Text { text: "this one".to_owned() });
    assert_eq!(story.due(), "implementer");
    story
}

fn failed_write() -> Story {
    let mut story = Story::planned();
    story.run(
        "implementer",
        json!({"slice_id": "S1", "outcome": "blocked", "blocker": "Which one?"}),
    );
    assert_eq!(story.topic(), "role_asks");
    let text = "it is polite".to_owned();
    let changes = vec![PlanChange::AddCriterion { item: "S1".to_owned(), text, shown_by: None }];
    story.command(Command::Amend { changes });
    story.fail_effect("write_file", Code::WriteFailed);
    assert_eq!(story.topic(), "effect_failed");
    story.choose("retry");
    assert_eq!(story.topic(), "role_asks", "the first question is not forgotten");
    story.answer(Answer::Text { text: "this one".to_owned() });
    assert!(story.prompt().contains("this one"));
    story
}

/// Somebody cut the slice history.
fn cut() -> Story {
    let mut story = Story::committed();
    story.say(Command::Pause);
    story.world.files.insert(canonical::SLICE_HISTORY.to_owned(), "garbage\n".to_owned());
    story.recover(Recovery::Restart);
    story.say(Command::Resume);
    assert_eq!(story.topic(), "history_changed");
    story
}

fn history() -> Story {
    let mut story = cut();
    story.choose("accept");
    let head = story.head();
    story.run("reviewer", review("S1", &head));
    let text = &story.world.files[canonical::SLICE_HISTORY];
    assert!(text.starts_with("garbage\n{") && text.lines().count() == 2, "{text}");
    assert_eq!(story.due(), "auditor");
    story
}

fn history_block() -> Story {
    let mut story = cut();
    story.choose("block");
    assert_eq!(story.engine.continuation(), Continuation::Blocked);
    assert_eq!(story.core("/blocked/code"), "history_rewritten");
    assert_eq!(story.world.files[canonical::SLICE_HISTORY], "garbage\n", "nothing is overwritten");
    story
}
