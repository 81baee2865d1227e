//! The prompt of each role. Everything it needs is in the text or in a file that the text names;
//! nothing depends on the memory of a conversation. The texts are in `prompts/`.

use super::plan;
use super::reground::{Purpose, purpose};
use super::role::Role;
use super::state::{Active, Slice, State};
use crate::mission::life;
use crate::mission::prelude::*;
use crate::mission::role::compose;
use crate::mission::template::{Fields, fields, lines, pages, render, rows};
use crate::vocab::ledger::Judgement;

/// How many slices a prompt lists; the rest is in the plan file.
const MOST_LISTED: usize = 30;

/// The prompt of `role` in this state.
pub(super) fn prompt(state: &State, head: &Head, role: Role) -> String {
    let slice = subject(state).is_some();
    let page = match role {
        Role::Bootstrapper => pages!("opening", "bootstrapper", "rules"),
        Role::Regrounder => pages!("opening", "regrounder", "rules"),
        Role::Implementer if slice => pages!("opening", "task", "handoff", "implementer", "rules"),
        Role::Reviewer if slice => pages!("opening", "reviewer", "handoff", "claimed", "rules"),
        Role::Auditor if slice => pages!("opening", "auditor", "handoff", "claimed", "rules"),
        Role::StopJudge => pages!("opening", "stop-judge", "rules"),
        Role::Implementer | Role::Reviewer | Role::Auditor => pages!("opening", "rules"),
    };
    let open = "<ids separated by commas, or none>";
    let form = life::form(state, &role.cast(), "", open, example(role));
    compose(state.core.settings.roles.get(&role), render(page, &told(state, head, role)), &form)
}

fn told(state: &State, head: &Head, role: Role) -> Fields {
    let mut told = match role {
        Role::Bootstrapper => fields! { needs: state.core.contract.needs.join(", ") },
        Role::Regrounder => regrounder(state, head),
        Role::Implementer | Role::Reviewer | Role::Auditor => match subject(state) {
            Some((active, slice)) => handoff(state, active, slice, role),
            None => fields! {},
        },
        Role::StopJudge => judge(state),
    };
    told.put("anchor", &state.core.settings.mission);
    told.put("role", role.as_str());
    told.put("head", state.core.life.head_word());
    told
}

fn regrounder(state: &State, head: &Head) -> Fields {
    let why = purpose(state, head);
    let reground = state.core.reground.as_ref().filter(|_| why == Purpose::Recover);
    let recover = reground.map(|reground| {
        let details = reground.details.iter().take(40).map(|detail| clip(detail, 500));
        fields! { reason: format!("{:?}", reground.reason), details: lines("detail", details) }
    });
    let listed = |slice: &Slice| {
        fields! {
            id: &slice.slice_id,
            status: slice.status.to_string(),
            rank: slice.priority,
            goal: clip(&slice.goal, 200),
        }
    };
    let counted =
        |count: Option<u64>| count.map_or("not counted".to_owned(), |count| count.to_string());
    fields! {
        recover: recover,
        select: why == Purpose::Select,
        reconcile: why == Purpose::Reconcile,
        last: why == Purpose::Final,
        committed: committed(state),
        total: state.slices.len(),
        open: state.open_slices(),
        slices: rows(state.slices.live().take(MOST_LISTED).map(listed)),
        blockers: counted(state.core.grounding.release_blockers),
        gaps: counted(state.core.grounding.high_value_gaps),
        surfaces: surfaces(state),
        notes: lines("note", state.core.notes.iter().map(|note| clip(note, 1_000))),
    }
}

/// The slice that is committed, with what was found about it.
fn committed(state: &State) -> Option<Fields> {
    let active = state.core.active.as_ref()?;
    let claim = active.claim.as_ref()?;
    let found = [("review", &active.review), ("audit", &active.audit)];
    let found = found.into_iter().filter_map(|(word, one)| Some(judged(word, one.as_ref()?)));
    let dirty = state.core.life.seen.as_ref().map(|seen| seen.dirty.as_slice()).unwrap_or_default();
    let paths: Vec<&str> = dirty.iter().take(20).map(|one| one.path.as_str()).collect();
    Some(fields! {
        slice: &active.slice_id,
        commit: &claim.commit,
        judgements: rows(found),
        dirty: (!paths.is_empty()).then(|| fields! { paths: paths.join(", ") }),
        skipped: state.core.life.skip_verification.as_ref().map(|reason| fields! { reason: reason }),
    })
}

fn judged(word: &str, judgement: &Judgement) -> Fields {
    let verdicts = judgement.verdicts.iter().map(|verdict| {
        fields! {
            criterion: &verdict.criterion,
            finding: format!("{:?}", verdict.finding),
            method: clip(&verdict.method, 300),
        }
    });
    fields! {
        word: word,
        run: judgement.by.run.to_string(),
        verdicts: rows(verdicts),
        must_fix: lines("line", judgement.must_fix.iter().map(|finding| clip(finding, 500))),
    }
}

fn surfaces(state: &State) -> String {
    match state.core.profile.docs_surfaces.is_empty() {
        true => "none named".to_owned(),
        false => state.core.profile.docs_surfaces.join(", "),
    }
}

fn subject(state: &State) -> Option<(&Active, &Slice)> {
    let active = state.core.active.as_ref()?;
    Some((active, state.slices.get(&active.slice_id)?))
}

/// What those are told who do the slice or judge it.
fn handoff(state: &State, active: &Active, slice: &Slice, role: Role) -> Fields {
    let criterion =
        |one: &Criterion| fields! { id: &one.id, waived: one.waived(), text: &one.text };
    let before: Vec<&str> =
        active.remaining_contract_ids_before.iter().take(100).map(String::as_str).collect();
    let mut told = fields! {
        id: &slice.slice_id,
        goal: &slice.goal,
        why_now: &slice.why_now,
        rank: slice.priority,
        contract_ids: slice.contract_ids.join(", "),
        basis: &active.basis_commit,
        open_before: before.join(", "),
        blockers_before: active.release_blocker_count_before,
        gaps_before: active.high_value_gap_count_before,
        criteria: rows(slice.criteria.iter().map(criterion)),
        blocked_on: lines("line", &slice.blocked_on),
        bound: lines("line", &active.locked_notes),
        must_fix: lines("line", &active.must_fix),
        surfaces: surfaces(state),
    };
    if role != Role::Implementer {
        let claim = active.claim.as_ref();
        told.put("commit", claim.map_or("none", |claim| claim.commit.as_str()));
        told.put("claimed", rows(slice.criteria.iter().filter_map(claimed)));
    }
    told
}

/// The proof that is offered for a criterion.
fn claimed(criterion: &Criterion) -> Option<Fields> {
    let CriterionState::Claimed { evidence, .. } = &criterion.state else { return None };
    let line = |one: &Evidence| clip(&one.line(), 300);
    let proof: Vec<String> = evidence.iter().map(line).collect();
    Some(fields! { id: &criterion.id, proof: proof.join("; ") })
}

fn judge(state: &State) -> Fields {
    let stale = plan::stale_criteria(state);
    let all = stale.iter().map(|one| {
        fields! { slice: &one.slice_id, criterion: &one.criterion, text: &one.text }
    });
    let deferred = plan::deferred(state);
    fields! {
        stale: (!stale.is_empty()).then(|| fields! { all: rows(all) }),
        deferred: (!deferred.is_empty()).then(|| fields! { names: deferred.join(", ") }),
        surfaces: surfaces(state),
    }
}

/// A valid report block of each role.
pub(super) fn example(role: Role) -> &'static str {
    let block = match role {
        Role::Bootstrapper => include_str!("prompts/bootstrapper.json"),
        Role::Regrounder => include_str!("prompts/regrounder.json"),
        Role::Implementer => include_str!("prompts/implementer.json"),
        Role::Reviewer => include_str!("prompts/reviewer.json"),
        Role::Auditor => include_str!("prompts/auditor.json"),
        Role::StopJudge => include_str!("prompts/stop-judge.json"),
    };
    block.trim_end()
}
