//! Accepting the regrounder: plan updates, reconciliation, selection, and the final word.
//!
//! The regrounder proposes. Some things it may not do alone: weaken or drop a criterion, select while the
//! tree is dirty, accept a slice that is not verified. These are refused here, whatever it says.

use super::facts::FactName;
use super::files::words::RecordKind;
use super::plan;
use super::report::{Decision, Reconciliation, RegroundReport, Selection};
use super::state::{Active, ActiveStatus, Closed, RegroundReason, SliceStatus, State, Topic};
use crate::mission::prelude::*;
use crate::mission::table::NamedFact;
use crate::vocab::ledger;
use crate::vocab::question::QuestionKind;

/// What a re-ground is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// The canonical state is distrusted.
    Recover,
    /// A slice must be selected.
    Select,
    /// The latest committed slice must be accepted or reopened.
    Reconcile,
    /// The mission may end.
    Final,
}

/// What a re-ground is for in this state.
pub(super) fn purpose(state: &State, head: &Head) -> Purpose {
    if state.core.reground.is_some() {
        Purpose::Recover
    } else if FactName::ClaimAccepted.holds(state, head) {
        Purpose::Reconcile
    } else if FactName::WorkOpen.holds(state, head) || !waved(state, head) {
        Purpose::Select
    } else {
        Purpose::Final
    }
}

/// Whether the judges have agreed and the stop verifier has passed: commands of the user may close the
/// last slice under a regrounder that was sent for another reason.
fn waved(state: &State, head: &Head) -> bool {
    FactName::JudgementsComplete.holds(state, head) && state.verifier_passed()
}

/// Takes a re-ground report.
pub(super) fn reground(
    state: &mut State,
    head: &mut Head,
    run: &Run,
    report: &RegroundReport,
) -> Result<()> {
    let purpose = purpose(state, head);
    let reason = state.core.reground.take().map(|reground| reground.reason);
    plan::enter_slices(state, &report.slices)?;
    for (place, reopening) in report.reopened.iter().enumerate() {
        plan::reopen(state, head, &reopening.slice_id, &reopening.reason, Some(run))
            .map_err(|error| error.within(&format!("json.reopened[{place}]")))?;
    }
    reconcile(state, head, run, report, purpose, reason)?;
    propose(state, report)?;
    ground(state, head, report);
    if let Some(selection) = &report.selected {
        select(state, selection).map_err(|error| error.within("json.selected"))?;
    }
    ask_or_block(state, run, report);
    conclude(state, head, report, purpose, reason)
}

/// The decision on the committed slice, where one is due or given.
fn reconcile(
    state: &mut State,
    head: &mut Head,
    run: &Run,
    report: &RegroundReport,
    purpose: Purpose,
    reason: Option<RegroundReason>,
) -> Result<()> {
    let at = "json.reconciliation";
    let active =
        state.core.active.clone().filter(|active| active.status == ActiveStatus::Committed);
    let must_reopen = left_dirty(state, reason) || reason == Some(RegroundReason::HeadMoved);
    match (active, &report.reconciliation) {
        (None, None) => Ok(()),
        (None, Some(given)) => {
            let expected = "none, for no committed slice waits for it";
            Err(Error::new(Code::WrongSubject, at, expected, &given.slice_id))
        }
        (Some(active), None) => match purpose == Purpose::Reconcile || must_reopen {
            true => {
                let expected = format!("a decision on {}", active.slice_id);
                Err(Error::new(Code::MissingField, at, expected, "none"))
            }
            false => Ok(()),
        },
        (Some(active), Some(given)) if given.slice_id != active.slice_id => {
            Err(Error::new(Code::WrongSubject, at, active.slice_id, &given.slice_id))
        }
        (Some(active), Some(given)) => match given.decision {
            Decision::Accepted => {
                if let Some(reason) = reason.filter(|_| must_reopen || purpose == Purpose::Recover)
                {
                    let expected = "reopened, for the committed state is distrusted";
                    let got = format!("accepted although {reason:?}");
                    return Err(Error::new(Code::NotVerified, at, expected, got));
                }
                accept(state, head, run, &active)
            }
            Decision::Reopened => reopen_active(state, head, run, &active, given),
        },
    }
}

/// Whether the tree was distrusted for its dirt and still is dirty: someone may have tidied up.
fn left_dirty(state: &State, reason: Option<RegroundReason>) -> bool {
    let dirty = state.core.life.seen.as_ref().is_some_and(|seen| !seen.dirty.is_empty());
    dirty && reason == Some(RegroundReason::DirtyTree)
}

/// Accepts the committed slice: only if every criterion is settled, nothing must be fixed and the
/// worktree is clean at the claimed commit.
fn accept(state: &mut State, head: &mut Head, run: &Run, active: &Active) -> Result<()> {
    let at = "json.reconciliation.decision";
    let Some(claim) = active.claim.clone() else {
        return Err(Error::new(Code::NotVerified, at, "a claimed commit", "no claim"));
    };
    clean(state, at)?;
    let findings = active.review.iter().chain(active.audit.iter()).flat_map(|one| &one.must_fix);
    if let Some(finding) = findings.into_iter().next() {
        let expected = "reopened, for something must be fixed";
        return Err(Error::new(Code::NotVerified, at, expected, finding));
    }
    let skipped = state.core.life.skip_verification.clone();
    state.slices.change(&active.slice_id, |slice| {
        if let Some(why) = &skipped {
            ledger::waive_open(&mut slice.criteria, "user", why);
        }
    });
    let slice = state.slices.get(&active.slice_id);
    let open = slice.and_then(|slice| slice.criteria.iter().find(|one| !one.settled()));
    if let Some(open) = open {
        let got = format!("{} is not shown", open.id);
        return Err(Error::new(Code::NotVerified, at, "every criterion verified", got));
    }
    let closed = Closed {
        commit: claim.commit.clone(),
        basis: active.basis_commit.clone(),
        ordinal: claim.ordinal,
        paths: claim.paths.clone(),
    };
    plan::close(state, &active.slice_id, closed);
    if let Some(active) = state.core.active.as_mut() {
        active.status = ActiveStatus::Done;
    }
    state.core.grounding.verified_slice = Some(active.slice_id.clone());
    state.record(head, RecordKind::Accepted, &active.slice_id, &claim.commit, Some(run));
    Ok(())
}

fn clean(state: &State, at: &str) -> Result<()> {
    let dirty = state.core.life.seen.as_ref().and_then(|seen| seen.dirty.first());
    ensure_none(dirty, |dirty| Error::new(Code::DirtyTree, at, "a clean worktree", &dirty.path))
}

/// Sends the committed slice back: findings go into its next hand-off.
fn reopen_active(
    state: &mut State,
    head: &mut Head,
    run: &Run,
    active: &Active,
    given: &Reconciliation,
) -> Result<()> {
    spend_reopen(head)?;
    let verdicts = active.review.iter().chain(active.audit.iter());
    let mut findings: Vec<String> = verdicts.flat_map(|one| one.must_fix.clone()).collect();
    findings.extend(given.must_fix_findings.iter().cloned());
    if let Some(seen) = &state.core.life.seen {
        let left = seen.dirty.iter().take(20);
        findings.extend(left.map(|dirty| format!("the worktree is left dirty: {}", dirty.path)));
    }
    findings.retain(|finding| !finding.trim().is_empty());
    findings.dedup();
    if findings.is_empty() {
        let at = "json.reconciliation.must_fix_findings";
        return Err(Error::new(Code::MissingField, at, "why it is reopened", "none"));
    }
    state.slices.change(&active.slice_id, |slice| ledger::reopen(&mut slice.criteria));
    let commit = active.claim.as_ref().map(|claim| claim.commit.clone()).unwrap_or_default();
    if let Some(active) = state.core.active.as_mut() {
        active.status = ActiveStatus::InProgress;
        active.must_fix = findings;
        active.claim = None;
        active.review = None;
        active.audit = None;
    }
    state.core.counts.reopened += 1;
    state.record(head, RecordKind::Reopened, &active.slice_id, &commit, Some(run));
    Ok(())
}

/// Reopening costs. When that budget is spent the report is refused and the user is asked.
fn spend_reopen(head: &mut Head) -> Result<()> {
    head.budget.spend(Counter::Reopens)
}

fn propose(state: &mut State, report: &RegroundReport) -> Result<()> {
    for (place, proposal) in report.proposals.iter().enumerate() {
        let at = format!("json.proposals[{place}]");
        plan::find_criterion(state, &proposal.slice_id, proposal.criterion.as_deref())
            .map_err(|error| error.within(&at))?;
    }
    if !report.proposals.is_empty() {
        state.core.life.ask(&Topic::Proposals { proposals: report.proposals.clone() });
    }
    Ok(())
}

fn ground(state: &mut State, head: &Head, report: &RegroundReport) {
    let grounding = &mut state.core.grounding;
    grounding.planned = true;
    grounding.plan_basis = report.plan_basis.clone();
    grounding.at = Some(head.at);
    grounding.slices_since = 0;
    grounding.release_blockers = Some(report.remaining_release_blockers);
    grounding.high_value_gaps = Some(report.remaining_high_value_gaps);
    grounding.release_blocker_ids = report.release_blocker_ids.clone();
    grounding.plan_revision += 1;
    state.core.notes.clear();
}

/// Selects exactly one slice, with its exact hand-off.
pub(super) fn select(state: &mut State, selection: &Selection) -> Result<()> {
    let id = &selection.slice_id;
    let slice = plan::find_criterion(state, id, None)?.clone();
    let (open, got) = (!slice.closed() && !slice.deferred(), slice.status.as_str());
    ensure!(open, Code::ItemClosed, "slice_id", "an open slice", got)?;
    plan::dependencies_closed(state, &slice)?;
    let current = state.core.active.as_ref().filter(|one| one.status != ActiveStatus::Done);
    match current {
        Some(current) if current.slice_id == *id && current.claim.is_none() => {
            return again(state, selection);
        }
        Some(current) if current.claim.is_some() => {
            let got = format!("{} while {} is committed", id, current.slice_id);
            return Err(Error::new(Code::ItemActive, "slice_id", "one slice at a time", got));
        }
        Some(_) | None => {}
    }
    let latest = state.core.grounding.completed_slice.as_deref() == Some(id.as_str());
    if !latest {
        clean(state, "slice_id")?;
    }
    plan::unselect(state);
    let head = state.core.life.head_word().to_owned();
    // A slice that only left dirt behind may be claimed again at its own commit.
    let own = slice.closed.as_ref().map(|closed| closed.basis.clone());
    let dirty = state.core.life.seen.as_ref().is_some_and(|seen| !seen.dirty.is_empty());
    let remaining = state.open_contracts();
    let grounding = &state.core.grounding;
    state.core.active = Some(Active {
        slice_id: id.clone(),
        status: ActiveStatus::Selected,
        locked_notes: selection.locked_notes.clone(),
        must_fix: slice.must_fix.clone(),
        basis_commit: own.filter(|_| dirty).unwrap_or(head),
        remaining_contract_ids_before: remaining,
        release_blocker_count_before: grounding.release_blockers.unwrap_or(0),
        high_value_gap_count_before: grounding.high_value_gaps.unwrap_or(0),
        ..Active::default()
    });
    state.slices.change(id, |slice| {
        slice.status = SliceStatus::Selected;
        slice.closed = None;
    });
    Ok(())
}

/// The same slice once more: new notes, the same basis.
fn again(state: &mut State, selection: &Selection) -> Result<()> {
    if let Some(active) = state.core.active.as_mut() {
        let notes = selection.locked_notes.iter();
        let new: Vec<String> =
            notes.filter(|note| !active.locked_notes.contains(note)).cloned().collect();
        active.locked_notes.extend(new);
    }
    Ok(())
}

fn ask_or_block(state: &mut State, run: &Run, report: &RegroundReport) {
    if let Some(question) = &report.question {
        state.core.life.ask(&Topic::RoleAsks {
            role: run.role.clone(),
            text: question.text.clone(),
            kind: question.kind.clone().unwrap_or(QuestionKind::FreeText),
        });
    }
    if let Some(reason) = report.blocked.as_ref().filter(|reason| !reason.trim().is_empty()) {
        let problem = Error::new(Code::RunFailed, run.role.as_str(), "a way on", reason);
        state.core.life.blocked = Some(problem.diagnostic());
    }
}

/// A re-ground must move something: select, reconcile, ask, block, or end.
fn conclude(
    state: &mut State,
    head: &Head,
    report: &RegroundReport,
    purpose: Purpose,
    reason: Option<RegroundReason>,
) -> Result<()> {
    let moved = raises(report);
    let open = FactName::WorkOpen.holds(state, head);
    let selected = FactName::SliceSelected.holds(state, head);
    let nothing = |expected: &str| {
        Err(Error::new(Code::NothingSelected, "json.selected", expected, "nothing selected"))
    };
    match purpose {
        Purpose::Select | Purpose::Recover if moved => Ok(()),
        Purpose::Select if open && !selected => nothing("one of the open slices"),
        Purpose::Recover if !open && refuses_to_stop(reason) => {
            nothing("a new or reopened slice that answers why the mission cannot stop")
        }
        Purpose::Recover if left_dirty(state, reason) && !selected => {
            nothing("the latest committed slice, reopened")
        }
        Purpose::Select | Purpose::Recover | Purpose::Reconcile => Ok(()),
        Purpose::Final => finish(state, report, moved || open),
    }
}

/// Whether the report itself asks or blocks.
fn raises(report: &RegroundReport) -> bool {
    let blocked = report.blocked.as_ref().is_some_and(|reason| !reason.trim().is_empty());
    blocked || report.question.is_some() || !report.proposals.is_empty()
}

fn refuses_to_stop(reason: Option<RegroundReason>) -> bool {
    matches!(reason, Some(RegroundReason::JudgeRefused | RegroundReason::VerifierFailed))
}

/// The only place where a mission becomes done.
fn finish(state: &mut State, report: &RegroundReport, moved: bool) -> Result<()> {
    let at = "json.can_stop";
    match report.can_stop {
        None => Err(Error::new(Code::MissingField, at, "yes or no", "none")),
        Some(false) if moved => Ok(()),
        Some(false) => {
            let expected = "a new or reopened slice with a no";
            Err(Error::new(Code::NothingSelected, at, expected, "no open slice"))
        }
        Some(true) if moved => {
            let expected = "no open slice, question or block with a yes";
            Err(Error::new(Code::InconsistentVerdict, at, expected, "open work"))
        }
        Some(true) => {
            let left = report.remaining_release_blockers + report.remaining_high_value_gaps;
            let expected = "no blockers and no gaps with a yes";
            ensure!(left == 0, Code::InconsistentVerdict, at, expected, left.to_string())?;
            clean(state, at)?;
            let (waived, deferred) = (plan::waived(state), plan::deferred(state));
            state.core.life.end(waived, deferred);
            Ok(())
        }
    }
}
