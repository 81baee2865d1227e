//! The named facts the rules are made of, and the events that set them.

use super::state::{PlayStep, State};
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
#[schemars(rename = "PromiseFactName")]
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
    /// No effect but timers waits for its answer.
    NothingOutstanding,
    /// The repository was looked at since anything could have changed it.
    ObservationFresh,
    /// The tree is to be put back to a passing checkpoint.
    RollBackDue,
    /// The tests of a turn are to be run.
    TestDue,
    /// A promise is to be verified.
    CoachDue,
    /// A player is to go to work.
    PlayDue,
    /// A wave is over and the command behind it has not held yet.
    GateDue,
    /// A task is not closed.
    WorkOpen,
    /// Every closed task was shown at the present head.
    AllShown,
}

impl FactName {
    /// Every fact.
    pub const ALL: [FactName; 14] = [
        FactName::Started,
        FactName::NotPaused,
        FactName::NotDone,
        FactName::NotBlocked,
        FactName::NoQuestionOpen,
        FactName::NothingOutstanding,
        FactName::ObservationFresh,
        FactName::RollBackDue,
        FactName::TestDue,
        FactName::CoachDue,
        FactName::PlayDue,
        FactName::GateDue,
        FactName::WorkOpen,
        FactName::AllShown,
    ];
}

/// Whether an order is waited for: a timer only wakes the engine some day.
pub(super) fn is_awaited(order: &Order) -> bool {
    !matches!(order, Order::AskUser(_) | Order::SetTimer(_))
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
            FactName::ObservationFresh => "observation_fresh",
            FactName::RollBackDue => "roll_back_due",
            FactName::TestDue => "test_due",
            FactName::CoachDue => "coach_due",
            FactName::PlayDue => "play_due",
            FactName::GateDue => "gate_due",
            FactName::WorkOpen => "work_open",
            FactName::AllShown => "all_shown",
        }
    }

    fn table(state: &State) -> &FactTable<FactName> {
        &state.core.facts
    }

    fn all() -> &'static [FactName] {
        &FactName::ALL
    }

    fn holds(self, state: &State, head: &Head) -> bool {
        let core = &state.core;
        let due =
            |steps: &[PlayStep]| state.lead().is_some_and(|(_, play)| steps.contains(&play.step));
        match self {
            FactName::Started => standing::started(head),
            FactName::NotPaused => !standing::paused(head),
            FactName::NotDone => !state.over(),
            FactName::NotBlocked => core.blocked.is_none(),
            FactName::NoQuestionOpen => core.asking.is_empty() && !standing::asked(head),
            FactName::NothingOutstanding => !head.awaits(is_awaited),
            FactName::ObservationFresh => core.seen.as_ref().is_some_and(|seen| seen.fresh),
            FactName::RollBackDue => due(&[PlayStep::Keep, PlayStep::RollBack]),
            FactName::TestDue => due(&[PlayStep::Test]),
            FactName::CoachDue => due(&[PlayStep::Coach]),
            FactName::PlayDue => due(&[PlayStep::Play]),
            FactName::GateDue => state.gate_due().is_some(),
            FactName::WorkOpen => state.open_tasks() > 0,
            FactName::AllShown => core.closing.is_empty(),
        }
    }

    fn detail(self, state: &State, head: &Head) -> String {
        let core = &state.core;
        match self {
            FactName::Started | FactName::NotPaused => format!("control is {:?}", head.control),
            FactName::NotDone => match &core.done {
                Some(done) => format!("done at {}", done.head),
                None => "not every task is closed and shown".to_owned(),
            },
            FactName::NotBlocked => {
                core.blocked.as_ref().map_or("nothing blocks".to_owned(), ToString::to_string)
            }
            FactName::NoQuestionOpen | FactName::NothingOutstanding => {
                let names = crate::protocols::shared::picture::waiting(head);
                if names.is_empty() { "the outbox is empty".to_owned() } else { names.join(", ") }
            }
            FactName::ObservationFresh => match &core.seen {
                Some(seen) => {
                    format!("head {} and {} dirty paths", seen.head_word(), seen.dirty.len())
                }
                None => "the repository was never looked at".to_owned(),
            },
            FactName::RollBackDue | FactName::TestDue | FactName::CoachDue | FactName::PlayDue => {
                match state.lead() {
                    Some((task, play)) => {
                        format!("{} is in turn {} at {:?}", task.id, play.turn, play.step)
                    }
                    None => "no task is in progress".to_owned(),
                }
            }
            FactName::GateDue => {
                format!("wave {} of {}", core.wave.saturating_add(1), core.waves.len())
            }
            FactName::WorkOpen => format!("{} open tasks", state.open_tasks()),
            FactName::AllShown => format!("{} tasks to show again", core.closing.len()),
        }
    }
}
