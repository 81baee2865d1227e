//! The meaning of the user's answers to the questions of its own. The type of each was checked at admission.

use super::judge;
use super::state::{Core, HandlerSilent, State};
use crate::mission::ask::unfit;
use crate::mission::life::Topic;
use crate::mission::prelude::*;
use crate::vocab::question::Answer;

/// Takes an answer.
pub(super) fn answered(
    state: &mut State,
    context: &mut Context<'_>,
    topic: &Topic,
    answer: &Answer,
) -> Result<()> {
    let (Some(silent), Answer::Choice { option }) = (topic.particular(), answer) else {
        return Err(unfit(topic, answer));
    };
    let HandlerSilent { condition, problem } = silent;
    match option.as_str() {
        "retry" => state.core.unshown = 0,
        "go_on" => judge::go_on(state, condition, problem, context.head.at),
        _ => state.core.life.blocked = Some(problem),
    }
    Ok(())
}

/// As many iterations again, or none. The question follows from the state and is not kept in it.
pub(super) fn ceiling(core: &mut Core, answer: &Answer) -> bool {
    let Answer::Choice { option } = answer else { return false };
    match option.as_str() {
        "more" => core.ceiling = core.ceiling.saturating_add(core.settings.ceiling),
        _ => {
            let expected = format!("completion within {} iterations", core.ceiling);
            let got = core.last.as_ref().map_or("nothing", |last| last.words.as_str());
            let reached = Error::new(Code::CeilingReached, "ceiling", expected, got);
            core.life.blocked = Some(reached.diagnostic());
        }
    }
    true
}
