//! Several conditions as one.

use super::*;

pub const TALES: &[Tale] = &[
    tale("and-needs-all", "The word and the count in one judgement; the weakest closes it", and),
    tale(
        "and-asks-no-more-than-it-needs",
        "One that fails decides without asking the world",
        and_lazy,
    ),
    tale("and-with-one-not-shown", "What could not be told is no completion", and_unknown),
    tale("or-needs-one", "The count or the word, whichever comes", or),
    tale("or-holds-without-asking", "A word that was said needs no command", or_lazy),
    tale(
        "first-stops-at-the-first",
        "In order: a later condition is not asked when an earlier one holds",
        first,
    ),
    tale("conditions-in-conditions", "A composite within a composite", nested),
];

fn keyword() -> Value {
    json!({"completionType": "manual", "completionConfig": {"completionKeyword": "DONE"}})
}

fn count(max: u64) -> Value {
    json!({"type": "count:iteration", "config": {"maxIterations": max}})
}

fn command() -> Value {
    json!({"completionType": "check", "completionConfig": {"command": ["make", "test"]}})
}

fn composite(operator: &str, conditions: &[Value]) -> Story {
    going(config("composite", json!({"operator": operator, "conditions": conditions})))
}

fn commands(story: &Story) -> u64 {
    story.engine.snapshot().head.budget.account(Counter::Commands).spent
}

fn and() -> Story {
    let mut story = composite("and", &[keyword(), count(2)]);
    iterate(&mut story, "DONE");
    goes_on(&story, 1);
    iterate(&mut story, WORK);
    goes_on(&story, 2);
    iterate(&mut story, "DONE");
    done(&story, "claimed", 3);
    let view = story.engine.view();
    assert_eq!((view.progress.settled, view.progress.total), (2, 2));
    story
}

fn and_lazy() -> Story {
    let mut story = composite("and", &[command(), keyword()]);
    iterate(&mut story, WORK);
    goes_on(&story, 1);
    assert_eq!(commands(&story), 0);
    answers(&mut story, Some(0), "");
    iterate(&mut story, "DONE");
    done(&story, "claimed", 2);
    assert_eq!(commands(&story), 1);
    story
}

fn and_unknown() -> Story {
    let mut story = composite("and", &[command(), keyword()]);
    answers(&mut story, None, "");
    iterate(&mut story, "DONE");
    goes_on(&story, 1);
    assert_eq!(finding(&story), "not_shown");
    story
}

fn or() -> Story {
    let mut story = composite("or", &[keyword(), count(2)]);
    iterate(&mut story, WORK);
    goes_on(&story, 1);
    iterate(&mut story, WORK);
    done(&story, "counted", 2);
    story
}

fn or_lazy() -> Story {
    let mut story = composite("or", &[command(), keyword()]);
    iterate(&mut story, "DONE");
    done(&story, "claimed", 1);
    assert_eq!(commands(&story), 0);
    story
}

fn first() -> Story {
    let custom = json!({"completionType": "custom", "completionConfig": {"handlerPath": "completion/decide.ts"}});
    let mut story = composite("first", &[command(), custom, keyword()]);
    answers(&mut story, Some(1), "");
    iterate(&mut story, "DONE");
    answer(&mut story, "{\"complete\":false}");
    done(&story, "claimed", 1);
    story.say(Command::Reopen { item: "helper".to_owned(), reason: "look again".to_owned() });
    answers(&mut story, Some(0), "");
    iterate(&mut story, WORK);
    done(&story, "observed", 2);
    assert_eq!(story.engine.snapshot().head.budget.account(Counter::Consults).spent, 1);
    story
}

fn nested() -> Story {
    let inner = json!({
        "completionType": "composite",
        "completionConfig": {"operator": "and", "conditions": [keyword(), command()]},
    });
    let mut story = composite("or", &[inner, count(4)]);
    answers(&mut story, Some(1), "");
    iterate(&mut story, "DONE");
    goes_on(&story, 1);
    iterate(&mut story, WORK);
    goes_on(&story, 2);
    answers(&mut story, Some(0), "");
    iterate(&mut story, "DONE");
    done(&story, "claimed", 3);
    assert_eq!(story.engine.view().nodes[0].criteria.len(), 3);
    story
}
