//! The meaning of the user's answers, topic by topic. The type of each was checked at admission.

use super::judge;
use super::state::{State, Topic};
use crate::mission::Context;
use crate::mission::ask::{asked_counter, grant};
use crate::vocab::effect::Order;
use crate::vocab::error::{Code, Error, Result};
use crate::vocab::question::Answer;

/// Takes an answer.
pub(super) fn answered(
    state: &mut State,
    context: &mut Context<'_>,
    answer: &Answer,
) -> Result<()> {
    let Answer::Choice { option } = answer else {
        let got = crate::vocab::json::encode(answer);
        return Err(Error::new(Code::AnswerType, "answer", "a choice", got));
    };
    if follows_from_the_state(context) {
        return unstored(state, context, answer, option);
    }
    let core = &mut state.core;
    let Some(topic) = core.asking.take() else { return unstored(state, context, answer, option) };
    match (topic, option.as_str()) {
        (Topic::StepStuck { .. }, "retry") => core.attempts = 0,
        (Topic::StepStuck { problem }, _) => core.blocked = Some(problem),
        (Topic::HandlerSilent { .. }, "retry") => core.unshown = 0,
        (Topic::HandlerSilent { condition, problem }, "go_on") => {
            judge::go_on(state, condition, problem, context.head.at);
        }
        (Topic::HandlerSilent { problem, .. }, _) => core.blocked = Some(problem),
        (Topic::EffectFailed { then, .. }, "retry") => {
            core.asking = then.map(|topic| *topic);
            core.files.retry();
        }
        (Topic::EffectFailed { then, problem, .. }, _) => {
            core.asking = then.map(|topic| *topic);
            core.blocked = Some(problem);
            core.files_halted = true;
        }
    }
    Ok(())
}

fn follows_from_the_state(context: &Context<'_>) -> bool {
    let order = context.subject.as_ref().map(|subject| &subject.effect.order);
    let Some(Order::AskUser(question)) = order else { return false };
    question.topic == super::ask::CEILING || question.topic.starts_with("budget:")
}

/// Questions that follow from the state need not be kept in it: their topic says all.
fn unstored(
    state: &mut State,
    context: &mut Context<'_>,
    answer: &Answer,
    option: &str,
) -> Result<()> {
    let order = context.subject.as_ref().map(|subject| subject.effect.order.clone());
    let Some(Order::AskUser(question)) = order else {
        return Err(Error::new(Code::BrokenOutbox, "outbox", "a known topic", "another"));
    };
    if question.topic == super::ask::CEILING {
        ceiling(state, option);
        return Ok(());
    }
    let counter = asked_counter(context)?;
    grant(context, counter, answer, &mut state.core.blocked)
}

/// As many iterations again, or none.
fn ceiling(state: &mut State, option: &str) {
    let core = &mut state.core;
    match option {
        "more" => core.ceiling = core.ceiling.saturating_add(core.settings.ceiling),
        _ => {
            let expected = format!("completion within {} iterations", core.ceiling);
            let got = core.last.as_ref().map_or("nothing", |last| last.words.as_str());
            let reached = Error::new(Code::CeilingReached, "ceiling", expected, got);
            core.blocked = Some(reached.diagnostic());
        }
    }
}
