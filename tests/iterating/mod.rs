//! Stories of the iteration protocol, told in code, one theme per file.
//!
//! Each is a small test by itself; each is also written down, event by event, as a trace under
//! `tests/traces/iteration`. See `tests/traces.rs`.
#![allow(dead_code, unreachable_pub, missing_docs, clippy::unwrap_used, clippy::panic)]

pub use crate::common::{Story, Tale, World, tale};
pub use endstate::Continuation;
pub use endstate::engine::Config as Start;
pub use endstate::protocols::ProtocolConfig;
pub use endstate::protocols::iteration::{Config, Definition, definition};
pub use endstate::vocab::budget::Counter;
pub use endstate::vocab::command::{Command, PlanChange, StopMode};
pub use endstate::vocab::effect::{Level, Order};
pub use endstate::vocab::error::{Code, Error};
pub use endstate::vocab::event::*;
pub use endstate::vocab::role::Usage;
pub use serde_json::{Value, json};

pub mod budget;
pub mod ceilings;
pub mod combined;
pub mod commands;
pub mod custom;
pub mod observed;
pub mod prompts;
pub mod trouble;
pub mod worded;

pub const MISSION: &str = "Keep the changelog true.";
pub const HANDLER: &str = ".agent/helper/completion/decide.ts";

/// Every story, theme by theme.
pub fn all() -> impl Iterator<Item = &'static Tale> {
    let themes: [&'static [Tale]; 9] = [
        worded::TALES,
        observed::TALES,
        custom::TALES,
        combined::TALES,
        ceilings::TALES,
        prompts::TALES,
        commands::TALES,
        trouble::TALES,
        budget::TALES,
    ];
    themes.into_iter().flatten()
}

/// An agent with this completion type and settings.
pub fn agent(completion_type: &str, completion_config: Value) -> Definition {
    let document = json!({
        "name": "helper", "displayName": "Helper",
        "behavior": {"completionType": completion_type, "completionConfig": completion_config},
        "prompts": {"registry": "steps_registry.json"},
    });
    definition::parse(&document.to_string()).unwrap()
}

pub fn config(completion_type: &str, completion_config: Value) -> Config {
    Config::new(MISSION, agent(completion_type, completion_config))
}

/// The same with arguments.
pub fn with_args(mut config: Config, args: &[(&str, &str)]) -> Config {
    config.args = args.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect();
    config
}

/// A mission with limits of its own, not started.
pub fn held(config: Config, limits: &[(Counter, u64)]) -> Story {
    let budget = limits.iter().copied().collect();
    let config = Start { budget, ..Start::new(ProtocolConfig::Iteration(Box::new(config))) };
    Story::start(&config, World::new())
}

/// A mission that was started: the agent is due.
pub fn going(config: Config) -> Story {
    let mut story = held(config, &[]);
    story.go();
    story
}

/// What the command of a handler exits with and prints.
pub fn answers(story: &mut Story, status: Option<i32>, output: &str) {
    story.world.exits.insert("completion".to_owned(), (status, output.to_owned()));
}

/// The agent that is due is started.
pub fn begin(story: &mut Story) -> EffectId {
    let Some((effect, role)) = story.role() else {
        panic!("no run is due: {:#?}", story.engine.why())
    };
    assert_eq!(role, "iteration-agent");
    story.fact(Fact::RunStarted(RunStarted { effect, session: None, confined: false }));
    story.settle();
    effect
}

/// One iteration with these words.
pub fn iterate(story: &mut Story, words: &str) {
    let effect = begin(story);
    story.end(effect, words);
}

/// One iteration that does not end well.
pub fn fails(story: &mut Story, outcome: RunOutcome) {
    let effect = begin(story);
    story.failed(effect, outcome);
}

/// The consult that waits for host code.
pub fn consulted(story: &Story) -> (EffectId, String, Value) {
    let found = story.engine.pending().into_iter().find_map(|one| match one.effect.order.clone() {
        Order::Consult(order) => Some((one.effect.id, order.handler, order.input)),
        _ => None,
    });
    let (id, handler, input) = found.expect("host code is asked");
    (id, handler, serde_json::from_str(&input).unwrap())
}

/// Host code answers.
pub fn answer(story: &mut Story, answer: &str) {
    let (effect, _, _) = consulted(story);
    let answer = Some(answer.to_owned());
    story.fact(Fact::Consulted(Consulted { effect, answer, problem: None }));
    story.settle();
}

/// Host code gives no answer in time.
pub fn no_answer(story: &mut Story) {
    let (effect, handler, _) = consulted(story);
    let problem = Error::new(Code::RunTimedOut, handler, "an answer within 60000 ms", "none");
    let problem = Some(problem.diagnostic());
    story.fact(Fact::Consulted(Consulted { effect, answer: None, problem }));
    story.settle();
}

/// How the mission ended: the word and the number of the last run.
pub fn end(story: &Story) -> (String, u64) {
    assert_eq!(story.engine.continuation(), Continuation::Done);
    let word = story.core("/done/closed_by").as_str().unwrap().to_owned();
    (word, story.core("/done/iteration").as_u64().unwrap())
}

pub fn done(story: &Story, closed_by: &str, iteration: u64) {
    assert_eq!(end(story), (closed_by.to_owned(), iteration));
}

/// It is not complete after so many runs, and the agent is due again.
pub fn goes_on(story: &Story, iteration: u64) {
    assert_eq!(story.core("/iteration"), iteration);
    assert_eq!(story.engine.continuation(), Continuation::Continue);
    assert!(story.role().is_some(), "{:#?}", story.engine.why());
}

pub fn finding(story: &Story) -> String {
    story.core("/last/finding").as_str().unwrap_or_default().to_owned()
}

/// The warnings that were given.
pub fn warnings(story: &Story) -> Vec<String> {
    let orders = story.taken.iter().flat_map(|(_, applied)| &applied.effects);
    orders
        .filter_map(|effect| match &effect.order {
            Order::Notify(notice) if notice.level == Level::Warning => Some(notice.text.clone()),
            _ => None,
        })
        .collect()
}

/// The lines of the history file.
pub fn history(story: &Story) -> Vec<Value> {
    let text = story.world.files[".agent/iteration/summaries.jsonl"].clone();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

pub fn status(story: &Story) -> Value {
    story.file("iteration/status.json")
}

/// Says nothing of use.
pub const WORK: &str = "Worked on it; more is left.";
