//! The questions this protocol asks, each a section of `questions.md`.

use super::state::{Core, Topic};
use crate::mission::ask::{ask, effect_failed};
use crate::mission::template::{Fields, fields};
use crate::vocab::question::Question;

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

/// A section of the page of questions.
fn section(name: &str, told: Fields) -> Question {
    ask(include_str!("questions.md"), name, &told)
}

/// The question of a topic.
pub(super) fn question(core: &Core, topic: &Topic) -> Question {
    match topic {
        Topic::StepStuck { problem } => {
            section(topic.word(), fields! { count: core.attempts, problem: problem })
        }
        Topic::HandlerSilent { problem, .. } => {
            section(topic.word(), fields! { count: core.unshown, problem: problem })
        }
        Topic::EffectFailed { what, problem, .. } => effect_failed(what, problem),
    }
}

/// The question for more iterations.
pub(super) fn ceiling(core: &Core) -> Question {
    let found = core.last.as_ref().map_or("nothing was judged", |last| last.words.as_str());
    let told = fields! { made: core.iteration, found: found, more: core.settings.ceiling };
    section(CEILING, told)
}
