//! The questions this protocol asks: one per topic, typed, with what an answer sets free.

use super::state::{Core, Topic};
use crate::mission::ask::{about, effect_failed, option, retry_or_block};
use crate::vocab::question::{Question, QuestionKind};

/// The topic of the question for more iterations.
pub(super) const CEILING: &str = "ceiling";

impl Topic {
    /// The topic in a word.
    pub(super) fn word(&self) -> &'static str {
        match self {
            Topic::StepStuck { .. } => "step_stuck",
            Topic::HandlerSilent { .. } => "handler_silent",
            Topic::EffectFailed { .. } => "effect_failed",
        }
    }
}

/// The question of a topic.
pub(super) fn question(core: &Core, topic: &Topic) -> Question {
    let word = topic.word();
    match topic {
        Topic::StepStuck { problem } => {
            let count = core.attempts;
            let text = format!("The agent failed {count} times in a row. The last time: {problem}");
            about(word, text, retry_or_block(), "the next iteration, with a fresh count")
        }
        Topic::HandlerSilent { problem, .. } => {
            let count = core.unshown;
            let text = format!(
                "Whether the agent is done could not be told, {count} times in a row. The last time: \
                 {problem}"
            );
            let options = vec![
                option("retry", "Ask again", "Spends one more unit of the budget"),
                option(
                    "go_on",
                    "Send the agent once more",
                    "Spends a run; it is judged after that",
                ),
                option("block", "Stop here", "Nothing more is tried until you resume the mission"),
            ];
            about(word, text, QuestionKind::Choice { options }, "the judgement of the last run")
        }
        Topic::EffectFailed { what, problem, .. } => effect_failed(what, problem),
    }
}

/// The question for more iterations.
pub(super) fn ceiling(core: &Core) -> Question {
    let found = core.last.as_ref().map_or("nothing was judged", |last| last.words.as_str());
    let (made, more) = (core.iteration, core.settings.ceiling);
    let text = format!("{made} iterations were made, and the agent is not done: {found}. Go on?");
    let options = vec![
        option(
            "more",
            &format!("Allow {more} more"),
            "The agent is sent up to that many times again",
        ),
        option("stop", "Stop here", "The mission is blocked; resuming it asks again"),
    ];
    about(CEILING, text, QuestionKind::Choice { options }, "the next iteration")
}
