//! Every order spends, and a spent counter asks.

use super::*;

pub const TALES: &[Tale] = &[
    tale("budget-of-runs", "Spent: the user grants, and the agent goes on", runs),
    tale("budget-of-runs-and-stop", "Spent: the user stops, grants and resumes", runs_stop),
    tale("budget-of-consults", "Host code is asked within its budget", consults),
    tale("budget-of-commands", "Commands of a handler are counted", commands),
    tale("budget-of-tokens", "Reported tokens are charged after the fact", tokens),
    tale("budget-of-questions", "Nobody can be asked any more: blocked", questions),
    tale("budget-of-writes", "A full account of writes asks before the next run", writes),
];

fn manual(limits: &[(Counter, u64)]) -> Story {
    let mut story = held(config("manual", json!({"completionKeyword": "DONE"})), limits);
    story.go();
    story
}

fn grant(counter: Counter, amount: u64) -> Command {
    Command::Grant { counter, amount }
}

fn runs() -> Story {
    let mut story = manual(&[(Counter::RoleRuns, 1)]);
    iterate(&mut story, WORK);
    assert_eq!(
        (story.topic().as_str(), story.rule().as_str()),
        ("budget:role_runs", "budget_spent")
    );
    let (_, question) = story.question().unwrap();
    assert!(question.text.contains("1 of 1") && question.text.contains("one more run"));
    story.choose("grant");
    goes_on(&story, 1);
    story
}

fn runs_stop() -> Story {
    let mut story = manual(&[(Counter::RoleRuns, 1)]);
    iterate(&mut story, WORK);
    story.choose("block");
    assert_eq!(story.core("/blocked/code"), "budget_spent");
    story.say(grant(Counter::RoleRuns, 2));
    story.say(Command::Resume);
    goes_on(&story, 1);
    assert_eq!(story.command_refused(grant(Counter::RoleRuns, 0)).code, Code::InvalidGrant);
    story
}

fn consults() -> Story {
    let config = config("custom", json!({"handlerPath": "completion/decide.ts"}));
    let mut story = held(config, &[(Counter::Consults, 1)]);
    story.go();
    iterate(&mut story, WORK);
    answer(&mut story, "{\"complete\":false}");
    iterate(&mut story, WORK);
    assert_eq!(story.topic(), "budget:consults");
    story.say(grant(Counter::Consults, 1));
    answer(&mut story, "{\"complete\":true}");
    done(&story, "observed", 2);
    story
}

fn commands() -> Story {
    let mut story = held(config("check", json!({"command": ["true"]})), &[(Counter::Commands, 0)]);
    story.go();
    iterate(&mut story, WORK);
    assert_eq!(story.topic(), "budget:commands");
    story.choose("grant");
    done(&story, "observed", 1);
    story
}

fn tokens() -> Story {
    let mut story = manual(&[(Counter::Tokens, 10)]);
    let effect = begin(&mut story);
    story.fact(Fact::RunEnded(RunEnded {
        effect,
        outcome: RunOutcome::Success,
        report: Some(WORK.to_owned()),
        problem: None,
        usage: Usage { tokens: 25, ..Usage::default() },
    }));
    story.settle();
    assert_eq!(story.topic(), "budget:tokens");
    story.say(grant(Counter::Tokens, 100));
    goes_on(&story, 1);
    story
}

fn questions() -> Story {
    let mut story = manual(&[(Counter::RoleRuns, 0), (Counter::Questions, 0)]);
    assert_eq!(story.engine.continuation(), Continuation::Blocked);
    story.say(grant(Counter::Questions, 1));
    assert_eq!(story.topic(), "budget:role_runs");
    story.choose("grant");
    goes_on(&story, 0);
    story
}

fn writes() -> Story {
    let mut story = manual(&[(Counter::Writes, 2)]);
    let run = begin(&mut story);
    story.end(run, WORK);
    assert_eq!(story.topic(), "budget:writes");
    story.choose("grant");
    goes_on(&story, 1);
    assert_eq!(history(&story).len(), 1);
    story
}
