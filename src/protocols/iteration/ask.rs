//! The questions this protocol asks, each a section of `questions.md`.

use super::apply::STEP;
use super::state::{Core, HandlerSilent, State};
use crate::mission::ask::ask;
use crate::mission::life::Topic;
use crate::mission::template::{Fields, fields};
use crate::vocab::question::Question;

/// The topic of the question for more iterations.
pub(super) const CEILING: &str = "ceiling";

/// A section of the page of questions.
fn section(name: &str, told: Fields) -> Question {
    ask(include_str!("questions.md"), name, &told)
}

/// The question of a topic that has words of its own here.
pub(super) fn question(state: &State, topic: &Topic) -> Option<Question> {
    let core = &state.core;
    if let Topic::StepStuck { problem, .. } = topic {
        let count = core.life.attempts(STEP);
        return Some(section(topic.word(), fields! { count: count, problem: problem }));
    }
    let HandlerSilent { problem, .. } = topic.particular()?;
    Some(section(HandlerSilent::WORD, fields! { count: core.unshown, problem: &problem }))
}

/// The question for more iterations.
pub(super) fn ceiling(core: &Core) -> Question {
    let found = core.last.as_ref().map_or("nothing was judged", |last| last.words.as_str());
    let told = fields! { made: core.iteration, found: found, more: core.settings.ceiling };
    section(CEILING, told)
}
