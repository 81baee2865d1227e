//! The files that verdicts rest on. A verdict that cites files was given on those files as they were. If a later commit
//! touches one of them, or a path above or below it, its criterion is open again and judged again.

use super::state::{Check, Grounds, Sprint, State};
use crate::mission::prelude::*;
use crate::vocab::table::Ledgered;
use crate::vocab::verdict::Speaker;

/// Where a path that an agent wrote may lie: from the root of the repository, from where the plan lies, or from the
/// directory of the unit.
fn places(state: &State, sprint: &str, path: &str) -> BTreeSet<String> {
    let folders = ["", &state.core.settings.root, state.place(sprint)];
    let joined = folders.map(|folder| {
        let parts = folder.split('/').chain(path.split('/'));
        let parts: Vec<&str> = parts.filter(|part| !matches!(*part, "" | ".")).collect();
        parts.join("/")
    });
    joined.into_iter().collect()
}

/// What a verdict that holds rests on.
pub(super) fn of(
    state: &CriterionState,
    verdict: &[Evidence],
    ordinal: u64,
    before: Option<&Grounds>,
) -> Grounds {
    let (claimed_by, claim): (Option<Speaker>, Vec<Evidence>) = match state {
        CriterionState::Claimed { by, evidence } => (Some(by.clone()), evidence.clone()),
        CriterionState::Verified { claimed_by, .. } => {
            (claimed_by.clone(), before.map(|before| before.claim.clone()).unwrap_or_default())
        }
        CriterionState::Open | CriterionState::Rejected { .. } | CriterionState::Waived { .. } => {
            (None, Vec::new())
        }
    };
    Grounds { claimed_by, claim, verdict: verdict.to_vec(), ordinal }
}

/// Criteria that a verifier found to hold, and whose files were touched since.
pub(super) fn lapsed(state: &State, sprint: &Sprint) -> Vec<String> {
    let Some(heads) = state.core.life.seen.as_ref().map(|seen| seen.heads()) else {
        return Vec::new();
    };
    let judged = sprint.left_to(Check::Verifier).filter(|one| one.settled());
    let stale = |id: &String| {
        let Some(grounds) = sprint.grounds.get(id) else { return false };
        let cited = grounds.claim.iter().chain(&grounds.verdict).filter_map(Evidence::path);
        let mut cited = cited.flat_map(|path| places(state, &sprint.id, path));
        let rewritten = grounds.ordinal <= heads.stale_before;
        grounds.ordinal != heads.ordinal
            && cited.any(|path| rewritten || touched(&state.touches, &path, grounds.ordinal))
    };
    judged.map(|one| one.id.clone()).filter(stale).collect()
}

/// Whether a path, or what lies above or below it, was touched after a head.
fn touched(touches: &Ledgered, path: &str, ordinal: u64) -> bool {
    let above = path.match_indices('/').filter_map(|(at, _)| path.get(..at));
    above.chain([path]).any(|path| touches.get(path).is_some_and(|when| when > ordinal))
        || touches.beginning(&format!("{path}/")).any(|when| when > ordinal)
}

/// Reopens these criteria: they are claimed as they were, and not judged.
pub(super) fn reopen(sprint: &mut Sprint, ids: &[String]) {
    for id in ids {
        let found = sprint.criteria.iter_mut().find(|one| one.id == *id && !one.waived());
        let Some(one) = found else { continue };
        one.state = match sprint.grounds.remove(id) {
            Some(Grounds { claimed_by: Some(by), claim, .. }) if !claim.is_empty() => {
                CriterionState::Claimed { by, evidence: claim }
            }
            _ => CriterionState::Open,
        };
    }
}

/// Before the work of a run is weighed: what it, or others since, touched of what earlier verdicts rest on.
pub(super) fn before_weighing(state: &mut State, run: &Run) {
    let ids = state.sprints.get(&run.item).map(|sprint| lapsed(state, sprint)).unwrap_or_default();
    if !ids.is_empty() {
        state.sprints.change(&run.item, |sprint| reopen(sprint, &ids));
    }
}
