//! The named facts the rules are made of, and the events that set them.

use super::state::State;
use crate::protocols::shared::picture;
use crate::protocols::shared::standing;
use crate::protocols::shared::table::{FactTable, NamedFact};
use crate::snapshot::Head;
use crate::vocab::effect::Order;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A fact about the snapshot.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "IterationFact")]
pub enum FactName {
    /// The user has started the mission.
    Started,
    /// The user has not paused or stopped it.
    NotPaused,
    /// It has not come to its end.
    NotDone,
    /// Nothing outside it is in the way.
    NotBlocked,
    /// No question waits for the user.
    NoQuestionOpen,
    /// No effect waits for its answer.
    NothingOutstanding,
    /// A run ended and the handler has not judged it.
    JudgementDue,
    /// At least one run was made.
    RunMade,
    /// Fewer runs were made than the ceiling allows.
    BelowCeiling,
}

impl FactName {
    /// Every fact.
    pub(super) const ALL: [FactName; 9] = [
        FactName::Started,
        FactName::NotPaused,
        FactName::NotDone,
        FactName::NotBlocked,
        FactName::NoQuestionOpen,
        FactName::NothingOutstanding,
        FactName::JudgementDue,
        FactName::RunMade,
        FactName::BelowCeiling,
    ];
}

impl NamedFact<State> for FactName {
    fn word(self) -> &'static str {
        match self {
            FactName::Started => "started",
            FactName::NotPaused => "not_paused",
            FactName::NotDone => "not_done",
            FactName::NotBlocked => "not_blocked",
            FactName::NoQuestionOpen => "no_question_open",
            FactName::NothingOutstanding => "nothing_outstanding",
            FactName::JudgementDue => "judgement_due",
            FactName::RunMade => "run_made",
            FactName::BelowCeiling => "below_ceiling",
        }
    }

    fn holds(self, state: &State, head: &Head) -> bool {
        let core = &state.core;
        match self {
            FactName::Started => standing::started(head),
            FactName::NotPaused => !standing::paused(head),
            FactName::NotDone => core.done.is_none(),
            FactName::NotBlocked => core.blocked.is_none(),
            FactName::NoQuestionOpen => core.asking.is_none() && !standing::asked(head),
            FactName::NothingOutstanding => {
                !head.awaits(|order| !matches!(order, Order::AskUser(_)))
            }
            FactName::JudgementDue => core.judging.is_some(),
            FactName::RunMade => core.iteration > 0,
            FactName::BelowCeiling => core.iteration < core.ceiling,
        }
    }

    fn detail(self, state: &State, head: &Head) -> String {
        let core = &state.core;
        match self {
            FactName::Started | FactName::NotPaused => format!("control is {:?}", head.control),
            FactName::NotDone => match &core.done {
                Some(done) => {
                    format!("done after iteration {}: {}", done.iteration, done.description)
                }
                None => "the handler has not said that it is complete".to_owned(),
            },
            FactName::NotBlocked => {
                core.blocked.as_ref().map_or("nothing blocks".to_owned(), ToString::to_string)
            }
            FactName::NoQuestionOpen | FactName::NothingOutstanding => {
                let names = picture::waiting(head);
                if names.is_empty() { "the outbox is empty".to_owned() } else { names.join(", ") }
            }
            FactName::JudgementDue => match (&core.judging, &core.last) {
                (Some(judging), _) => format!("iteration {} waits", judging.iteration),
                (None, Some(last)) => format!("iteration {}: {}", last.iteration, last.words),
                (None, None) => "no run has ended".to_owned(),
            },
            FactName::RunMade | FactName::BelowCeiling => {
                format!("{} of at most {} iterations", core.iteration, core.ceiling)
            }
        }
    }

    fn table(state: &State) -> &FactTable<Self> {
        &state.core.facts
    }

    fn all() -> &'static [FactName] {
        &FactName::ALL
    }
}
