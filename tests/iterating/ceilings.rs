//! Every handler has a ceiling, and reaching it asks the user.

use super::*;

pub const TALES: &[Tale] = &[
    tale("ceiling-asks-for-more", "Two runs, not done: the user allows two more", more),
    tale("ceiling-stops", "The user stops; resuming asks again", stops),
    tale("ceiling-of-checks", "`maxChecks` is the ceiling of a check", checks),
    tale(
        "ceiling-of-a-definition",
        "`maxIterations` of other types is their ceiling",
        definition_ceiling,
    ),
    tale(
        "ceiling-and-done",
        "Complete with the last run that was allowed: nobody is asked",
        last_run,
    ),
];

fn limited() -> Story {
    let config = config("manual", json!({"completionKeyword": "DONE"}));
    let mut story = going(Config { ceiling: Some(2), ..config });
    assert!(story.prompt().contains("iteration 1 of at most 2"));
    iterate(&mut story, WORK);
    iterate(&mut story, WORK);
    assert_eq!(
        (story.topic().as_str(), story.rule().as_str()),
        ("ceiling", "ask_for_more_iterations")
    );
    assert_eq!(story.engine.continuation(), Continuation::AwaitUserInput);
    story
}

fn more() -> Story {
    let mut story = limited();
    story.choose("more");
    assert_eq!(story.core("/ceiling"), 4);
    goes_on(&story, 2);
    iterate(&mut story, WORK);
    iterate(&mut story, "DONE");
    done(&story, "claimed", 4);
    story
}

fn stops() -> Story {
    let mut story = limited();
    story.choose("stop");
    assert_eq!(story.engine.continuation(), Continuation::Blocked);
    assert_eq!(story.core("/blocked/code"), "ceiling_reached");
    story.say(Command::Resume);
    assert_eq!(story.topic(), "ceiling");
    story.choose("more");
    goes_on(&story, 2);
    story
}

fn checks() -> Story {
    let mut story = going(config("check", json!({"command": ["false"], "maxChecks": 1})));
    answers(&mut story, Some(1), "");
    iterate(&mut story, WORK);
    assert_eq!(story.topic(), "ceiling");
    assert_eq!(story.engine.view().phase, "awaiting_user (1/1)");
    story
}

fn definition_ceiling() -> Story {
    let settings = json!({"completionKeyword": "DONE", "maxIterations": 1});
    let mut story = going(config("manual", settings));
    iterate(&mut story, WORK);
    assert_eq!(story.topic(), "ceiling");
    story
}

fn last_run() -> Story {
    let config = config("manual", json!({"completionKeyword": "DONE"}));
    let mut story = going(Config { ceiling: Some(1), ..config });
    iterate(&mut story, "DONE");
    done(&story, "claimed", 1);
    story
}
