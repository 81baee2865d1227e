//! What the user must be asked, and what the answers mean that mean the same in every protocol. The type of each was
//! checked at admission.

use super::{Life, Particular};
use crate::mission::admission::subject;
use crate::mission::ask::{self, asked_counter, grant, unfit};
use crate::mission::{Context, Control, Head};
use crate::vocab::effect::Order;
use crate::vocab::error::{Code, Diagnostic, Error, Result, ensure};
use crate::vocab::json::{self, Readable, Serialize};
use crate::vocab::question::{Answer, Question};
use schemars::JsonSchema;
use serde_json::Value;

/// What the user must be asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(tag = "about", rename_all = "snake_case", deny_unknown_fields)]
#[schemars(rename = "MissionTopic")]
pub enum Topic {
    /// A step failed again and again.
    StepStuck {
        /// The role.
        role: String,
        /// The item; blank for the mission as a whole.
        item: String,
        /// The last failure.
        problem: Diagnostic,
    },
    /// The host could not perform something.
    EffectFailed {
        /// What.
        what: String,
        /// Why.
        problem: Diagnostic,
    },
    /// The tree is dirty and no run is to blame.
    DirtyTree {
        /// The paths.
        paths: Vec<String>,
    },
    /// Only deferred work is left.
    EndWithDeferred,
    /// A topic of the protocol's own.
    Own {
        /// The topic, as the protocol writes it.
        topic: Value,
    },
}

impl Topic {
    /// The topic in a word; of the protocol's own, `own`.
    pub(crate) fn word(&self) -> &'static str {
        match self {
            Topic::StepStuck { .. } => "step_stuck",
            Topic::EffectFailed { .. } => "effect_failed",
            Topic::DirtyTree { .. } => "dirty_tree",
            Topic::EndWithDeferred => "end_with_deferred",
            Topic::Own { .. } => "own",
        }
    }

    /// A topic of the protocol's own.
    pub(crate) fn own(topic: &impl Serialize) -> Topic {
        Topic::Own { topic: json::value(topic) }
    }

    /// A word in a topic of the protocol's own.
    pub(crate) fn names(&self, field: &str) -> Option<&str> {
        let Topic::Own { topic } = self else { return None };
        topic.get(field)?.as_str()
    }

    /// The same, as the protocol reads it; `None` for a topic that every protocol has.
    pub(crate) fn particular<T: Readable>(&self) -> Option<T> {
        let Topic::Own { topic } = self else { return None };
        T::read(topic.into()).ok()
    }
}

/// The question of a topic.
pub(crate) fn question(mission: &dyn Particular, topic: &Topic) -> Question {
    if let Some(own) = mission.question(topic) {
        return own;
    }
    match topic {
        Topic::StepStuck { role, item, problem } => ask::step_stuck(role, item, problem),
        Topic::EffectFailed { what, problem } => ask::effect_failed(what, problem),
        Topic::DirtyTree { paths } => ask::dirty(paths),
        Topic::EndWithDeferred => {
            let (count, items) = mission.deferred();
            ask::end_with_deferred(count, items)
        }
        // Such a topic has a question, or the state is broken.
        Topic::Own { .. } => {
            let (at, known) = ("core.life.asking", "a known topic");
            let problem = Error::new(Code::BrokenTopology, at, known, "another").diagnostic();
            ask::step_stuck(mission.name(), "", &problem)
        }
    }
}

impl Life {
    /// The mission runs, and nothing keeps what follows from its state from happening.
    pub(crate) fn goes_on(&self, head: &Head) -> bool {
        head.control == Control::Running && self.blocked.is_none() && self.done.is_none()
    }

    /// One more question of the protocol's own.
    pub(crate) fn ask(&mut self, topic: &impl Serialize) {
        self.asking.push(Topic::own(topic));
    }

    /// What is asked about needs no answer any more, nor does a question about the budget of what was to be.
    pub(crate) fn moot(&mut self, head: &mut Head, about: impl Fn(&Topic) -> bool) {
        let first = self.asking.first().is_some_and(&about);
        self.asking.retain(|topic| !about(topic));
        head.withdraw(|order| match order {
            Order::AskUser(question) => first || question.topic.starts_with("budget:"),
            _ => false,
        });
    }

    /// What the host could not do is asked before everything else, and the last of it alone. An open question is taken back
    /// and asked again behind it: its answer would be taken for the answer to this one.
    pub(crate) fn ask_of_failure(&mut self, head: &mut Head, what: String, problem: Diagnostic) {
        self.last_problem = Some(problem.clone());
        head.withdraw(|order| matches!(order, Order::AskUser(_)));
        if self.asks_of_failure() {
            self.asking.remove(0);
        }
        self.asking.insert(0, Topic::EffectFailed { what, problem });
    }

    /// What the host could not do is with the user, or is to be.
    pub(crate) fn asks_of_failure(&self) -> bool {
        matches!(self.asking.first(), Some(Topic::EffectFailed { .. }))
    }
}

/// Takes an answer.
pub(super) fn answered(
    mission: &mut dyn Particular,
    context: &mut Context<'_>,
    answer: &Answer,
) -> Result<()> {
    if let Ok(counter) = asked_counter(context) {
        return grant(context, counter, answer, &mut mission.life_mut().blocked);
    }
    if let Ok(Order::AskUser(question)) = subject(context)
        && mission.follows(&question.topic, answer)
    {
        return Ok(());
    }
    let asking = &mut mission.life_mut().asking;
    ensure!(!asking.is_empty(), Code::BrokenOutbox, "core.life.asking", "a topic", "none")?;
    let topic = asking.remove(0);
    mission.told(&topic, answer)?;
    match (&topic, answer) {
        (Topic::StepStuck { role, item, problem }, Answer::Choice { option }) => {
            match option.as_str() {
                "retry" => {
                    let step = mission.step(role, item);
                    if let Some(step) = mission.life_mut().steps.get_mut(&step) {
                        step.attempts = 0;
                    }
                }
                "block" => mission.life_mut().blocked = Some(problem.clone()),
                _ => mission.answered(context, &topic, answer)?,
            }
        }
        (Topic::EffectFailed { problem, .. }, Answer::Choice { option }) => {
            let life = mission.life_mut();
            life.files.retry();
            match option.as_str() {
                "retry" => life.stale(),
                _ => (life.blocked, life.halted) = (Some(problem.clone()), true),
            }
        }
        (Topic::DirtyTree { paths }, Answer::ManualStep { done, .. }) => match done {
            true => mission.life_mut().stale(),
            false => {
                let (expected, got) = ("a clean tree", paths.join(", "));
                let dirty = Error::new(Code::DirtyTree, "worktree", expected, got);
                mission.life_mut().blocked = Some(dirty.diagnostic());
            }
        },
        (Topic::EndWithDeferred, Answer::Confirmation { yes: true }) => {
            mission.life_mut().end_with_deferred = true;
        }
        (Topic::EndWithDeferred, Answer::Confirmation { yes: false }) => {
            mission.take_up_deferred(context);
        }
        (Topic::Own { .. }, answer) => mission.answered(context, &topic, answer)?,
        (topic, answer) => return Err(unfit(topic, answer)),
    }
    Ok(())
}
