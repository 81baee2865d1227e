//! Whose turn is it, as the agent sees it that hosts the claiming roles? One answer for the tool
//! `next` and for the stop hook alike.

use crate::engine::Engine;
use crate::snapshot::{Continuation, Control};
use crate::view::End;
use crate::vocab::effect::{Delivery, Order};
use crate::vocab::event::EffectId;
use crate::vocab::json::{Readable, Serialize};
use crate::vocab::question::Question;
use crate::vocab::role::HOSTED_SESSION;
use schemars::JsonSchema;

/// What the agent should do now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Turn {
    /// Do the work of this run, then report.
    Run(Given),
    /// Others are at work; ask again.
    Wait(Vec<String>),
    /// The user is asked.
    Ask(Vec<Asked>),
    /// Nothing before the mission is started.
    Held,
    /// Nothing before the user resumes it.
    Paused,
    /// Nothing before something outside is mended.
    Blocked,
    /// Nothing: it is over.
    Done(Option<End>),
}

/// A run that was given to the agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
pub struct Given {
    /// Its id, to report by.
    pub run: EffectId,
    /// The role to play.
    pub role: String,
    /// The item to work on, if it is one.
    pub item: Option<String>,
    /// The name of the schema of its report.
    pub report_schema: String,
    /// Everything the role is told.
    pub prompt: String,
}

/// A question that waits for the user.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
pub struct Asked {
    /// Its id, to answer by.
    pub id: EffectId,
    /// The question.
    pub question: Question,
    /// What an answer must look like.
    pub expected: String,
}

/// What the agent that hosts should do now.
pub fn turn(engine: &Engine) -> Turn {
    let end = || engine.view().end;
    if engine.continuation() == Continuation::Done {
        return Turn::Done(end());
    }
    // A run that was begun counts, also when the mission is being brought to rest.
    if let Some(given) = given(engine) {
        return Turn::Run(given);
    }
    match engine.continuation() {
        Continuation::Done => Turn::Done(end()),
        Continuation::Continue => Turn::Wait(waiting(engine)),
        Continuation::AwaitUserInput => Turn::Ask(questions(engine)),
        Continuation::Blocked => Turn::Blocked,
        Continuation::Paused if engine.snapshot().head.control == Control::Held => Turn::Held,
        Continuation::Paused => Turn::Paused,
    }
}

/// The run that waits for a report of the agent, the oldest if there are several.
pub(super) fn given(engine: &Engine) -> Option<Given> {
    let claimants = engine.claimants();
    engine.snapshot().head.outbox.iter().find_map(|one| match (&one.effect.order, &one.delivery) {
        (Order::SpawnRole(spawn), Delivery::Started { session: Some(session), .. })
            if session == HOSTED_SESSION && claimants.contains(&spawn.role.as_str()) =>
        {
            Some(Given {
                run: one.effect.id,
                role: spawn.role.clone(),
                item: spawn.item.clone(),
                report_schema: spawn.report_schema.clone(),
                prompt: spawn.prompt.clone(),
            })
        }
        _ => None,
    })
}

/// The open questions.
pub(super) fn questions(engine: &Engine) -> Vec<Asked> {
    let outbox = engine.snapshot().head.outbox.iter();
    let open = outbox.filter_map(|one| match &one.effect.order {
        Order::AskUser(question) => Some(Asked {
            id: one.effect.id,
            question: question.clone(),
            expected: question.kind.expected(),
        }),
        _ => None,
    });
    open.collect()
}

/// What is waited for, in words: runs by their role, everything else by its order.
fn waiting(engine: &Engine) -> Vec<String> {
    let outbox = engine.snapshot().head.outbox.iter();
    let words = outbox.map(|one| match &one.effect.order {
        Order::SpawnRole(spawn) if one.live() => format!("{} is at work", spawn.role),
        Order::SpawnRole(spawn) => format!("{} is about to begin", spawn.role),
        order => order.name().replace('_', " "),
    });
    words.collect()
}
