//! The four JSON files, read: the tables of their fields are in [`names`], what the fields must be to
//! each other is here.
//!
//! Every fault names its code, the JSON path, what was expected and what came. The first fault
//! ends the reading: a file is whole or it is not used. Fields that the seed does not have are
//! kept; those of the later peer (0.1.91) without a word, all others with a note.

use super::form::{Form, Found, OnDisk};
use super::names;
use super::shapes::{ActiveFile, PlanFile, ProfileFile, StateFile};
use super::words::{Phase, Policy};
use crate::mission::prelude::*;

impl OnDisk for ProfileFile {
    const FORM: Form = names::PROFILE;
}

impl OnDisk for StateFile {
    const FORM: Form = names::STATE;

    fn check(&self, found: &mut Found) -> Result<()> {
        done_everywhere(self, found)
    }
}

impl OnDisk for PlanFile {
    const FORM: Form = names::PLAN;

    fn check(&self, found: &mut Found) -> Result<()> {
        unique_ids(self, found)?;
        one_current(self, found)
    }
}

impl OnDisk for ActiveFile {
    const FORM: Form = names::ACTIVE;
}

/// A phase of done under a policy of continue once made the peer delete its whole state.
fn done_everywhere(state: &StateFile, found: &mut Found) -> Result<()> {
    let phase = state.current_phase == Phase::Done;
    let policy = state.continuation_policy == Policy::Done;
    if phase == policy && policy == state.project_done {
        return Ok(());
    }
    let got = format!(
        "phase `{}`, policy `{}`, project_done {}",
        state.current_phase, state.continuation_policy, state.project_done
    );
    let expected = "done in current_phase, continuation_policy and project_done, or in none";
    found.weigh(Error::new(Code::InvalidValue, "current_phase", expected, got))
}

fn unique_ids(plan: &PlanFile, found: &mut Found) -> Result<()> {
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    for (position, slice) in plan.candidate_slices.iter().enumerate() {
        let Some(first) = seen.insert(&slice.slice_id, position) else { continue };
        let at = format!("candidate_slices[{position}].slice_id");
        let got = format!("`{}`, as candidate_slices[{first}]", slice.slice_id);
        found.weigh(Error::new(Code::DuplicateId, at, "an id of its own", got))?;
    }
    Ok(())
}

fn one_current(plan: &PlanFile, found: &mut Found) -> Result<()> {
    let mut current = plan.candidate_slices.iter().enumerate().filter(|(_, s)| s.status.current());
    let Some((_, first)) = current.next() else { return Ok(()) };
    for (position, slice) in current {
        let at = format!("candidate_slices[{position}].status");
        let got = format!("`{}` beside `{}`", slice.slice_id, first.slice_id);
        let expected = "one slice that is selected or in_progress";
        found.weigh(Error::new(Code::TwoSelected, at, expected, got))?;
    }
    Ok(())
}
