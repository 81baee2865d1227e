//! The named facts the rules are made of, and the events that set them.

use super::cast::Due;
use super::state::State;
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
#[schemars(rename = "GridFactName")]
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
    /// What earlier clusters learned was not read yet.
    MemoryUnread,
    /// There is no plan yet.
    PlanMissing,
    /// A block's failure is to be investigated.
    DebugDue,
    /// Blocks of the wave may be executed.
    BlocksReady,
    /// Artifacts are to be looked at.
    ArtifactsUnseen,
    /// The wave is executed and not verified.
    VerificationDue,
    /// Gaps are to be closed.
    GapsOpen,
    /// Everything is closed and was not shown at this head.
    PatrolDue,
    /// Somebody must say who uses the project.
    LeadDue,
    /// The swarm is to look.
    SwarmDue,
    /// What was learned is to be written down.
    CaptureDue,
}

impl FactName {
    /// Every fact.
    pub const ALL: [FactName; 18] = [
        FactName::Started,
        FactName::NotPaused,
        FactName::NotDone,
        FactName::NotBlocked,
        FactName::NoQuestionOpen,
        FactName::NothingOutstanding,
        FactName::ObservationFresh,
        FactName::MemoryUnread,
        FactName::PlanMissing,
        FactName::DebugDue,
        FactName::BlocksReady,
        FactName::ArtifactsUnseen,
        FactName::VerificationDue,
        FactName::GapsOpen,
        FactName::PatrolDue,
        FactName::LeadDue,
        FactName::SwarmDue,
        FactName::CaptureDue,
    ];

    /// What must be due for the fact to hold; `None` for facts about the mission as a whole.
    fn due(self) -> Option<Due> {
        Some(match self {
            FactName::MemoryUnread => Due::Memory,
            FactName::PlanMissing => Due::Plan,
            FactName::DebugDue => Due::Debug,
            FactName::BlocksReady => Due::Execute,
            FactName::ArtifactsUnseen => Due::Look,
            FactName::VerificationDue => Due::Verify,
            FactName::GapsOpen => Due::Gaps,
            FactName::PatrolDue => Due::Patrol,
            FactName::LeadDue => Due::Lead,
            FactName::SwarmDue => Due::Swarm,
            FactName::CaptureDue => Due::Capture,
            FactName::Started
            | FactName::NotPaused
            | FactName::NotDone
            | FactName::NotBlocked
            | FactName::NoQuestionOpen
            | FactName::NothingOutstanding
            | FactName::ObservationFresh => return None,
        })
    }
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
            FactName::MemoryUnread => "memory_unread",
            FactName::PlanMissing => "plan_missing",
            FactName::DebugDue => "debug_due",
            FactName::BlocksReady => "blocks_ready",
            FactName::ArtifactsUnseen => "artifacts_unseen",
            FactName::VerificationDue => "verification_due",
            FactName::GapsOpen => "gaps_open",
            FactName::PatrolDue => "patrol_due",
            FactName::LeadDue => "lead_due",
            FactName::SwarmDue => "swarm_due",
            FactName::CaptureDue => "capture_due",
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
        if let Some(due) = self.due() {
            return state.due() == due;
        }
        match self {
            FactName::Started => standing::started(head),
            FactName::NotPaused => !standing::paused(head),
            FactName::NotDone => !state.over(),
            FactName::NotBlocked => core.blocked.is_none(),
            FactName::NoQuestionOpen => core.asking.is_empty() && !standing::asked(head),
            FactName::NothingOutstanding => !head.awaits(is_awaited),
            _ => core.seen.as_ref().is_some_and(|seen| seen.fresh),
        }
    }

    fn detail(self, state: &State, head: &Head) -> String {
        let core = &state.core;
        match self {
            FactName::Started | FactName::NotPaused => format!("control is {:?}", head.control),
            FactName::NotDone => match &core.done {
                Some(done) => format!("done at {}", done.head),
                None => "not every must-have is shown".to_owned(),
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
            FactName::GapsOpen => format!("{} gaps, round {}", core.gaps.len(), core.gap_rounds),
            FactName::MemoryUnread
            | FactName::PlanMissing
            | FactName::DebugDue
            | FactName::BlocksReady
            | FactName::ArtifactsUnseen
            | FactName::VerificationDue
            | FactName::PatrolDue
            | FactName::LeadDue
            | FactName::SwarmDue
            | FactName::CaptureDue => {
                format!(
                    "wave {} of {}; due is {:?}",
                    state.wave_number(),
                    core.waves.len(),
                    state.due()
                )
            }
        }
    }
}
