//! Budgets: told, confirmed, spent, granted.

use super::*;

pub const TALES: &[Tale] = &[
    tale(
        "most-of-a-budget",
        "Nine tenths of a budget are a question before the next run",
        threshold,
    ),
    tale(
        "most-of-a-budget-stop",
        "The user does not want to spend the rest; a grant goes on",
        threshold_stop,
    ),
    tale("runs-are-spent", "No run is left: a question that says what one more buys", spent),
    tale("corrections-are-spent", "No correction is left", corrections),
    tale("no-question-left", "Nobody can be asked any more: blocked", mute),
    tale("tokens-are-spent", "Reported tokens are held against their limit", tokens),
];

fn threshold() -> Story {
    let mut story = limited(single(), &[(Counter::RoleRuns, 10)]);
    for way in ["a", "b", "c"] {
        execute(&mut story, "01", failure("01", way, &[]));
    }
    story.choose("more");
    for way in ["d", "e", "f"] {
        execute(&mut story, "01", failure("01", way, &[]));
    }
    story.choose("more");
    for way in ["g", "h", "i"] {
        execute(&mut story, "01", failure("01", way, &[]));
    }
    story.choose("more");
    assert_eq!(story.topic(), "threshold:role_runs");
    assert_eq!(story.core("/warned"), json!(["role_runs:10"]));
    assert!(items(&story).is_empty());
    story.choose("go_on");
    assert_eq!(items(&story), ["01"]);
    story
}

fn threshold_stop() -> Story {
    let mut story =
        limited(grid::Config { confirm_percent: 50, ..single() }, &[(Counter::RoleRuns, 4)]);
    execute(&mut story, "01", failure("01", "a", &[]));
    execute(&mut story, "01", failure("01", "b", &[]));
    assert_eq!(story.topic(), "threshold:role_runs");
    story.choose("block");
    assert_eq!(story.engine.continuation(), Continuation::Blocked);
    story.say(Command::Resume);
    assert_eq!(story.topic(), "threshold:role_runs");
    story.say(Command::Grant { counter: Counter::RoleRuns, amount: 10 });
    assert_eq!((story.topic().as_str(), items(&story)), ("", vec!["01".to_owned()]));
    story
}

fn spent() -> Story {
    let mut story = limited(single(), &[(Counter::RoleRuns, 1)]);
    build(&mut story, "01");
    assert_eq!(story.topic(), "budget:role_runs");
    story.choose("grant");
    recognize(&mut story, &[]);
    recognize(&mut story, &[]);
    done(&story);
    story
}

fn corrections() -> Story {
    let mut story = limited(single(), &[(Counter::MalformedReports, 0)]);
    let effect = story.begin_item("executor", "01");
    story.end(effect, "prose");
    assert_eq!(story.topic(), "budget:malformed_reports");
    story.choose("block");
    assert_eq!(story.engine.continuation(), Continuation::Blocked);
    story
}

fn mute() -> Story {
    let mut story = limited(single(), &[(Counter::RoleRuns, 1), (Counter::Questions, 0)]);
    build(&mut story, "01");
    assert_eq!((story.topic().as_str(), story.engine.continuation()), ("", Continuation::Blocked));
    let view = story.engine.view();
    assert!(
        view.reason.starts_with("Something is to be asked and no question is left"),
        "{view:?}"
    );
    assert_eq!(view.next.action, "Grant more of the budget questions");
    story.say(Command::Grant { counter: Counter::RoleRuns, amount: 5 });
    assert_eq!(story.due(), "recognizer");
    story
}

fn tokens() -> Story {
    let mut story = limited(single(), &[(Counter::Tokens, 100)]);
    let effect = story.begin_item("executor", "01");
    let commit = story.world.commit(&["src/01.rs"]);
    story.fact(Fact::RunEnded(RunEnded {
        effect,
        outcome: RunOutcome::Success,
        report: Some(report(success("01", &commit))),
        problem: None,
        usage: Usage { tokens: 120, ..Usage::default() },
    }));
    story.settle();
    assert_eq!(story.topic(), "budget:tokens");
    story
}
