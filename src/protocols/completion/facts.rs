//! The named facts the rules are made of, and the events that set them.
//!
//! Rules and guards read nothing else. After each event every fact is evaluated; when its value
//! changed, the number of the event is kept beside it, so that `why` can name it.

use super::state::{ActiveStatus, State};
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
    /// The repository was looked at since anything could have changed it.
    ObservationFresh,
    /// All tracked contract files are there and committed.
    ContractFilesPresent,
    /// The canonical state can be trusted as it is.
    StateTrusted,
    /// A slice is selected, in progress or committed.
    SliceSelected,
    /// The plan is not made yet, or has a slice that is neither closed nor put off.
    WorkOpen,
    /// The selected slice has an accepted claim for the head.
    ClaimAccepted,
    /// The claimed commit has a review.
    ReviewRecorded,
    /// The claimed commit has an audit.
    AuditRecorded,
    /// Enough judges have agreed at this head.
    JudgementsComplete,
}

impl FactName {
    /// Every fact.
    pub const ALL: [FactName; 15] = [
        FactName::Started,
        FactName::NotPaused,
        FactName::NotDone,
        FactName::NotBlocked,
        FactName::NoQuestionOpen,
        FactName::NothingOutstanding,
        FactName::ObservationFresh,
        FactName::ContractFilesPresent,
        FactName::StateTrusted,
        FactName::SliceSelected,
        FactName::WorkOpen,
        FactName::ClaimAccepted,
        FactName::ReviewRecorded,
        FactName::AuditRecorded,
        FactName::JudgementsComplete,
    ];

    /// The word in JSON.
    pub fn word(self) -> &'static str {
        match self {
            FactName::Started => "started",
            FactName::NotPaused => "not_paused",
            FactName::NotDone => "not_done",
            FactName::NotBlocked => "not_blocked",
            FactName::NoQuestionOpen => "no_question_open",
            FactName::NothingOutstanding => "nothing_outstanding",
            FactName::ObservationFresh => "observation_fresh",
            FactName::ContractFilesPresent => "contract_files_present",
            FactName::StateTrusted => "state_trusted",
            FactName::SliceSelected => "slice_selected",
            FactName::WorkOpen => "work_open",
            FactName::ClaimAccepted => "claim_accepted",
            FactName::ReviewRecorded => "review_recorded",
            FactName::AuditRecorded => "audit_recorded",
            FactName::JudgementsComplete => "judgements_complete",
        }
    }
}

impl NamedFact<State> for FactName {
    fn word(self) -> &'static str {
        FactName::word(self)
    }

    fn table(state: &State) -> &FactTable<FactName> {
        &state.core.facts
    }

    fn all() -> &'static [FactName] {
        &FactName::ALL
    }

    fn holds(self, state: &State, head: &Head) -> bool {
        let core = &state.core;
        let active = core.active.as_ref().filter(|active| active.status != ActiveStatus::Done);
        match self {
            FactName::Started => standing::started(head),
            FactName::NotPaused => !standing::paused(head),
            FactName::NotDone => core.done.is_none(),
            FactName::NotBlocked => core.blocked.is_none(),
            FactName::NoQuestionOpen => core.asking.is_none() && !standing::asked(head),
            FactName::NothingOutstanding => {
                !head.awaits(|order| !matches!(order, Order::AskUser(_)))
            }
            FactName::ObservationFresh => core.seen.as_ref().is_some_and(|seen| seen.fresh),
            FactName::ContractFilesPresent => core.contract.needs.is_empty(),
            FactName::StateTrusted => core.reground.is_none(),
            FactName::SliceSelected => active.is_some(),
            FactName::WorkOpen => !core.grounding.planned || state.open_slices() > 0,
            FactName::ClaimAccepted => active.is_some_and(|active| active.claim.is_some()),
            FactName::ReviewRecorded => {
                let skipped = core.skip_verification.is_some();
                skipped || active.is_some_and(|active| active.review.is_some())
            }
            FactName::AuditRecorded => {
                let skipped = core.skip_verification.is_some();
                skipped || active.is_some_and(|active| active.audit.is_some())
            }
            FactName::JudgementsComplete => state.judges_left() == 0,
        }
    }

    fn detail(self, state: &State, head: &Head) -> String {
        let core = &state.core;
        let active = core.active.as_ref();
        match self {
            FactName::Started | FactName::NotPaused => format!("control is {:?}", head.control),
            FactName::NotDone => match &core.done {
                Some(done) => format!("done at {}", done.head),
                None => "no final reconciliation yet".to_owned(),
            },
            FactName::NotBlocked => {
                core.blocked.as_ref().map_or("nothing blocks".to_owned(), ToString::to_string)
            }
            FactName::NoQuestionOpen | FactName::NothingOutstanding => {
                let names: Vec<String> = head
                    .outbox
                    .iter()
                    .map(|one| format!("{} {}", one.effect.id, one.effect.order.name()))
                    .collect();
                if names.is_empty() { "the outbox is empty".to_owned() } else { names.join(", ") }
            }
            FactName::ObservationFresh => match &core.seen {
                Some(seen) => {
                    format!("head {} and {} dirty paths", seen.head_word(), seen.dirty.len())
                }
                None => "the repository was never looked at".to_owned(),
            },
            FactName::ContractFilesPresent => match core.contract.needs.is_empty() {
                true => "all there".to_owned(),
                false => core.contract.needs.join(", "),
            },
            FactName::StateTrusted => match &core.reground {
                Some(reground) => format!("{:?}: {}", reground.reason, reground.details.join("; ")),
                None => "consistent".to_owned(),
            },
            FactName::SliceSelected | FactName::ClaimAccepted => match active {
                Some(active) => {
                    let claim = active.claim.as_ref();
                    let claim = claim.map_or("no claim".to_owned(), |claim| claim.commit.clone());
                    format!("slice {} is {:?}, {claim}", active.slice_id, active.status)
                }
                None => "no slice".to_owned(),
            },
            FactName::WorkOpen => format!("{} open slices", state.open_slices()),
            FactName::ReviewRecorded | FactName::AuditRecorded => match &core.skip_verification {
                Some(reason) => format!("verification is skipped: {reason}"),
                None => "the latest committed slice".to_owned(),
            },
            FactName::JudgementsComplete => {
                let needed = core.profile.required_stop_judges;
                format!("{} of {needed} judgements", core.wave.judgements.len())
            }
        }
    }
}
