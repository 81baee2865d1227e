//! Budgets: spent is a question that says what is spent and what one more unit would buy.

use super::*;

pub const TALES: &[Tale] = &[
    tale(
        "role-runs-spent-then-granted",
        "With no role run left the user is asked; a grant goes on",
        role_runs,
    ),
    tale("budget-question-answered-with-block", "Answered with block nothing more is spent", block),
    tale(
        "grant-command-answers-the-question",
        "A grant withdraws the question it answers",
        command,
    ),
    tale("reported-tokens-are-charged", "Tokens and cost count as far as runs report them", tokens),
    tale("reopens-spent", "A reopening that nothing is left for is a question", reopens),
    tale(
        "malformed-reports-spent",
        "The correction of an unreadable report costs a unit of its own",
        malformed,
    ),
    tale("observations-spent", "A mission that can no longer look asks before it goes on", looks),
    tale(
        "questions-spent-is-blocked",
        "With no question left the mission is blocked and says so",
        questions,
    ),
];

fn role_runs() -> Story {
    let mut story = Story::limited(&[(Counter::RoleRuns, 1)]);
    story.plan(&["S1"]);
    assert_eq!(
        (story.rule().as_str(), story.topic().as_str()),
        ("budget_spent", "budget:role_runs")
    );
    let (_, question) = story.question().unwrap();
    assert!(question.text.contains("1 of 1") && question.text.contains("one more run of a role"));
    assert_eq!(story.engine.continuation(), Continuation::AwaitUserInput);
    story.choose("grant");
    assert_eq!(story.due(), "implementer");
    story
}

fn block() -> Story {
    let mut story = Story::limited(&[(Counter::RoleRuns, 0)]);
    story.choose("block");
    assert_eq!(story.core("/blocked/code"), "budget_spent");
    story.say(Command::Grant { counter: Counter::RoleRuns, amount: 2 });
    assert_eq!(story.due(), "", "a grant alone does not resume");
    story.say(Command::Resume);
    assert_eq!(story.due(), "regrounder");
    story
}

fn command() -> Story {
    let mut story = Story::limited(&[(Counter::Regrounds, 0)]);
    let (question, _) = story.question().unwrap();
    let applied = story.command(Command::Grant { counter: Counter::Regrounds, amount: 1 });
    assert_eq!(applied.decided.withdrawn, [question]);
    story.settle();
    assert_eq!(story.due(), "regrounder");
    story
}

fn tokens() -> Story {
    let mut story = Story::limited(&[(Counter::Tokens, 1_000)]);
    let effect = story.begin("regrounder");
    let usage = endstate::vocab::role::Usage { tokens: 1_500, ..Default::default() };
    story.fact(Fact::RunEnded(RunEnded {
        effect,
        outcome: RunOutcome::Success,
        report: Some(report(ground(vec![slice("S1")], Some("S1")))),
        problem: None,
        usage,
    }));
    story.settle();
    assert_eq!(story.topic(), "budget:tokens");
    story.choose("grant");
    assert_eq!(story.due(), "implementer");
    story
}

fn reopens() -> Story {
    let mut story = Story::limited(&[(Counter::Reopens, 0)]);
    story.plan(&["S1"]);
    story.implement("S1");
    let head = story.head();
    story.run("reviewer", refuse(review("S1", &head), "misspelt"));
    story.run("auditor", audit("S1", &head));
    story.reopen_now("S1");
    assert_eq!(story.topic(), "budget:reopens");
    assert_eq!(story.file("active-slice.json")["status"], "committed");
    story.choose("grant");
    story.reopen_now("S1");
    assert_eq!(story.due(), "implementer");
    story
}

fn malformed() -> Story {
    let mut story = Story::limited(&[(Counter::MalformedReports, 0)]);
    let effect = story.begin("regrounder");
    story.end(effect, "all good");
    assert_eq!(story.topic(), "budget:malformed_reports");
    story.choose("grant");
    assert!(story.prompt().contains("block_missing"));
    story
}

fn looks() -> Story {
    let mut story = Story::limited(&[(Counter::Observations, 2)]);
    assert_eq!(story.due(), "regrounder");
    let effect = story.begin("regrounder");
    story.end(effect, report(ground(vec![slice("S1")], Some("S1"))));
    assert_eq!(story.topic(), "budget:observations");
    assert_eq!(story.state()["slices"], json!([]), "what was not looked at is not judged");
    story.choose("grant");
    assert_eq!(story.due(), "implementer");
    story
}

fn questions() -> Story {
    let mut story = Story::limited(&[(Counter::Questions, 0), (Counter::RoleRuns, 0)]);
    assert_eq!(story.engine.continuation(), Continuation::Blocked);
    assert_eq!(story.topic(), "");
    story.say(Command::Grant { counter: Counter::RoleRuns, amount: 1 });
    assert_eq!(story.due(), "regrounder");
    story
}
