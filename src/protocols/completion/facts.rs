//! The named facts the rules are made of, and the events that set them.
//!
//! Rules and guards read nothing else. After each event every fact is evaluated; when its value
//! changed, the number of the event is kept with it, so that `why` can name it.

use super::state::{Active, ActiveStatus, State};
use crate::mission::Head;
use crate::mission::{standing, table};

table::facts! {
    State;

    /// All tracked contract files are there and committed.
    ContractFilesPresent "contract_files_present":
        |state: &State, _| state.core.contract.needs.is_empty(),
        |state, _| match state.core.contract.needs.is_empty() {
            true => "all there".to_owned(),
            false => state.core.contract.needs.join(", "),
        };
    /// The canonical state can be trusted as it is.
    StateTrusted "state_trusted":
        |state: &State, _| state.core.reground.is_none(),
        |state, _| match &state.core.reground {
            Some(reground) => format!("{:?}: {}", reground.reason, reground.details.join("; ")),
            None => "consistent".to_owned(),
        };
    /// A slice is selected, in progress or committed.
    SliceSelected "slice_selected": |state, _| active(state).is_some(), slice;
    /// The plan is not made yet, or has a slice that is neither closed nor deferred.
    WorkOpen "work_open":
        |state: &State, _| !state.core.grounding.planned || state.open_slices() > 0,
        |state, _| format!("{} open slices", state.open_slices());
    /// The selected slice has an accepted claim for the head.
    ClaimAccepted "claim_accepted":
        |state, _| active(state).is_some_and(|active| active.claim.is_some()), slice;
    /// The claimed commit has a review.
    ReviewRecorded "review_recorded":
        |state, _| skips(state) || active(state).is_some_and(|active| active.review.is_some()),
        recorded;
    /// The claimed commit has an audit.
    AuditRecorded "audit_recorded":
        |state, _| skips(state) || active(state).is_some_and(|active| active.audit.is_some()),
        recorded;
    /// Enough judges have agreed at this head.
    JudgementsComplete "judgements_complete":
        |state: &State, _| state.judges_left() == 0,
        |state, _| {
            let needed = state.core.profile.required_stop_judges;
            format!("{} of {needed} judgements", state.core.wave.judgements.len())
        };
}

/// The slice at work; one that is done does not count.
fn active(state: &State) -> Option<&Active> {
    state.core.active.as_ref().filter(|active| active.status != ActiveStatus::Done)
}

fn skips(state: &State) -> bool {
    state.core.life.skip_verification.is_some()
}

fn slice(state: &State, _: &Head) -> String {
    match &state.core.active {
        Some(active) => {
            let claim = active.claim.as_ref();
            let claim = claim.map_or("no claim".to_owned(), |claim| claim.commit.clone());
            format!("slice {} is {:?}, {claim}", active.slice_id, active.status)
        }
        None => "no slice".to_owned(),
    }
}

fn recorded(state: &State, _: &Head) -> String {
    match &state.core.life.skip_verification {
        Some(reason) => format!("verification is skipped: {reason}"),
        None => "the latest committed slice".to_owned(),
    }
}

impl standing::Stands for State {
    const PROTOCOL: &'static str = "completion";

    fn missing(&self) -> String {
        "no final reconciliation yet".to_owned()
    }
}
