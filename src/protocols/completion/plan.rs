//! Changes of the plan, whoever makes them: the regrounder, the user, or a hand edit.
//!
//! Criteria and contract ids lock when they are first accepted: they may be added to, never worded
//! anew or dropped. Slices may wait for each other, never in a circle.

use super::files::words::RecordKind;
use super::report::SliceReport;
use super::state::{ActiveStatus, Closed, Disposition, Slice, SliceStatus, State};
use crate::mission::admission::has_criterion;
use crate::mission::prelude::*;
use crate::mission::repository::Seen;
use crate::plan::graph;
use crate::vocab::command::{NewItem, PlanChange};
use crate::vocab::criterion;
use crate::vocab::ledger;
use crate::vocab::table::ids_of;
use crate::vocab::verdict::Speaker;

/// Enters the slices of a re-ground report: new ones, and known ones with additions.
pub(super) fn enter_slices(state: &mut State, slices: &[SliceReport]) -> Result<()> {
    let mut named = BTreeSet::new();
    for (place, said) in slices.iter().enumerate() {
        let at = format!("json.slices[{place}]");
        if !named.insert(said.slice_id.as_str()) {
            return Err(Error::new(Code::DuplicateId, at, "each slice once", &said.slice_id));
        }
        let entered = match state.slices.get(&said.slice_id).cloned() {
            None => add(state, &new_item(said)),
            Some(known) => update(state, &known, said),
        };
        entered.map_err(|error| error.within(&at))?;
    }
    match slices.is_empty() {
        true => Ok(()),
        false => check_dependencies(state).map_err(|error| error.within("json.slices")),
    }
}

fn new_item(said: &SliceReport) -> NewItem {
    NewItem {
        id: said.slice_id.clone(),
        goal: said.goal.clone(),
        shown_by: Vec::new(),
        acceptance_criteria: said.acceptance_criteria.clone(),
        contract_ids: said.contract_ids.clone(),
        priority: said.priority,
        why_now: said.why_now.clone(),
        blocked_on: said.blocked_on.clone(),
    }
}

/// Adds a new slice at the end of the plan.
pub(super) fn add(state: &mut State, item: &NewItem) -> Result<()> {
    if state.slices.get(&item.id).is_some() {
        return Err(Error::new(Code::DuplicateId, "slice_id", "a new id", &item.id));
    }
    let slice = new_slice(item)?;
    state.serve(&slice.contract_ids, 1);
    state.slices.push(slice);
    Ok(())
}

/// A slice as its author writes it, checked.
pub(super) fn new_slice(item: &NewItem) -> Result<Slice> {
    for (at, text) in [("slice_id", &item.id), ("goal", &item.goal), ("why_now", &item.why_now)] {
        ensure!(!text.trim().is_empty(), Code::MissingField, at, "some words", "blank text")?;
    }
    if item.id.contains(['/', '\\', '\n', '\r', '\0']) || item.id.len() > 200 {
        let expected = "an id of at most 200 bytes without slashes and line breaks";
        return Err(Error::new(Code::InvalidValue, "slice_id", expected, &item.id));
    }
    check_rank(item.priority)?;
    Ok(Slice {
        slice_id: item.id.clone(),
        goal: item.goal.clone(),
        criteria: criterion::from_texts(&item.acceptance_criteria)?,
        contract_ids: item.contract_ids.clone(),
        priority: item.priority,
        status: SliceStatus::Planned,
        why_now: item.why_now.clone(),
        blocked_on: item.blocked_on.clone(),
        ..Slice::default()
    })
}

fn check_rank(priority: u8) -> Result<()> {
    ensure((1..=8).contains(&priority), || {
        let got = priority.to_string();
        Error::new(Code::NumberOutOfRange, "priority", "a rank from 1 to 8", got)
    })
}

/// A known slice with what is new: nothing that is locked may be missing.
fn update(state: &mut State, known: &Slice, said: &SliceReport) -> Result<()> {
    check_rank(said.priority)?;
    let added = additions(&known.criteria, &said.acceptance_criteria)?;
    if let Some(lost) = known.contract_ids.iter().find(|id| !said.contract_ids.contains(id)) {
        let got = said.contract_ids.join(", ");
        return Err(Error::new(Code::ContractDropped, "contract_ids", lost, got));
    }
    if known.closed() && !added.is_empty() {
        let expected = "no new criterion for a closed slice; reopen it first";
        let got = added.len().to_string();
        return Err(Error::new(Code::ItemClosed, "acceptance_criteria", expected, got));
    }
    let new_ids = said.contract_ids.iter().filter(|id| !known.contract_ids.contains(id));
    let new_ids: Vec<String> = new_ids.cloned().collect();
    if !known.closed() {
        state.serve(&new_ids, 1);
    }
    state.slices.change(&said.slice_id, |slice| {
        slice.criteria.extend(added);
        slice.contract_ids.extend(new_ids);
        slice.priority = said.priority;
        if !slice.closed() {
            slice.goal = said.goal.clone();
            slice.why_now = said.why_now.clone();
            slice.blocked_on = said.blocked_on.clone();
        }
    });
    Ok(())
}

/// The texts that come on top of locked criteria. Every locked one must be there, word for word.
pub(super) fn additions(locked: &[Criterion], texts: &[String]) -> Result<Vec<Criterion>> {
    let at = "acceptance_criteria";
    for criterion in locked {
        if texts.contains(&criterion.text) {
            continue;
        }
        let same_label =
            texts.iter().find(|text| criterion::label(text).as_deref() == Some(&criterion.id));
        return Err(match same_label {
            Some(text) => Error::new(Code::CriterionReworded, at, &criterion.text, text),
            None => Error::new(Code::CriterionDropped, at, &criterion.text, "no such criterion"),
        });
    }
    let known = |text: &&String| !locked.iter().any(|criterion| criterion.text == **text);
    let new: Vec<String> = texts.iter().filter(known).cloned().collect();
    criterion::append_texts(locked, &new)
}

/// Which slice another one waits for.
pub(super) fn edges(state: &State) -> impl Iterator<Item = (&str, &str)> {
    state.slices.iter().flat_map(|slice| {
        let after = slice.blocked_on.iter().filter(|id| state.slices.get(id).is_some());
        after.map(|id| (id.as_str(), slice.slice_id.as_str()))
    })
}

/// Every slice that waits for another waits for one that exists, and none for itself.
pub(super) fn check_dependencies(state: &State) -> Result<()> {
    ensure_none(graph::cycle(edges(state)), |cycle| {
        let expected = "slices that do not wait for each other in a circle";
        Error::new(Code::DependencyCycle, "blocked_on", expected, cycle.join(" -> "))
    })
}

/// Whether everything a slice waits for is closed. Words that name no slice are reasons for people.
pub(super) fn dependencies_closed(state: &State, slice: &Slice) -> Result<()> {
    let open = slice.blocked_on.iter().filter_map(|id| state.slices.get(id));
    ensure_none(open.into_iter().find(|other| !other.closed()), |other| {
        let expected = format!("{} closed first", other.slice_id);
        Error::new(Code::DependencyOpen, "slice_id", expected, other.status.as_str())
    })
}

/// The slice, and its criterion if one is named.
pub(super) fn find_criterion<'a>(
    state: &'a State,
    slice_id: &str,
    criterion: Option<&str>,
) -> Result<&'a Slice> {
    let unknown = || Error::new(Code::UnknownItem, "slice_id", "a slice of the plan", slice_id);
    let slice = state.slices.get(slice_id).ok_or_else(unknown)?;
    criterion.map_or(Ok(()), |id| has_criterion(&slice.criteria, slice_id, id))?;
    Ok(slice)
}

/// Closes a slice whose criteria are all settled.
pub(super) fn close(state: &mut State, id: &str, closed: Closed) {
    let served = state.slices.get(id).map(|slice| slice.contract_ids.clone()).unwrap_or_default();
    state.serve(&served, -1);
    state.slices.change(id, |slice| {
        slice.status = SliceStatus::Done;
        slice.must_fix.clear();
        slice.closed = Some(closed);
    });
}

/// Opens a closed or deferred slice again; costs one unit of the reopen budget.
pub(super) fn reopen(
    state: &mut State,
    head: &mut Head,
    id: &str,
    reason: &str,
    run: Option<&Run>,
) -> Result<()> {
    let slice = find_criterion(state, id, None)?.clone();
    if !slice.closed() && !slice.deferred() {
        let got = slice.status.as_str();
        return Err(Error::new(Code::ItemNotClosed, "slice_id", "a closed or deferred slice", got));
    }
    ensure!(!reason.trim().is_empty(), Code::MissingField, "reason", "why", "blank text")?;
    if let (Some(run), Some(_)) = (run, &slice.disposition) {
        let expected = "what the user let go or put off, left to the user";
        let got = format!("{id} by run {}", run.by.run);
        return Err(Error::new(Code::InvalidChange, "slice_id", expected, got));
    }
    head.budget.spend(Counter::Reopens)?;
    if slice.closed() {
        state.serve(&slice.contract_ids, 1);
    }
    let user = run.is_none();
    state.slices.change(id, |slice| {
        slice.status = SliceStatus::Planned;
        slice.disposition = None;
        slice.must_fix.push(reason.to_owned());
        for criterion in slice.criteria.iter_mut().filter(|one| user || !one.waived()) {
            criterion.state = CriterionState::Open;
        }
    });
    drop_cursor(state, id);
    state.core.counts.reopened += 1;
    state.core.life.done = None;
    state.core.life.end_with_deferred = false;
    state.core.wave.judgements.clear();
    state.core.wave.verified_at = None;
    if let Some(closed) = &slice.closed {
        state.record(head, RecordKind::Reopened, id, &closed.commit, run);
    }
    Ok(())
}

/// Takes the cursor off a slice that is not committed.
pub(super) fn unselect(state: &mut State) {
    let Some(active) = state.core.active.take() else { return };
    if active.status == ActiveStatus::Done {
        return;
    }
    state.slices.change(&active.slice_id, |slice| {
        slice.status = SliceStatus::Planned;
        slice.must_fix = active.must_fix.clone();
    });
}

/// Lets a slice go.
pub(super) fn skip(state: &mut State, id: &str, by: &str, reason: &str) {
    let slice = state.slices.get(id).cloned();
    if let Some(slice) = slice.filter(|slice| !slice.closed()) {
        state.serve(&slice.contract_ids, -1);
    }
    state.slices.change(id, |slice| {
        slice.status = SliceStatus::Cancelled;
        slice.disposition = Some(Disposition::Skipped { reason: reason.to_owned() });
        ledger::waive_open(&mut slice.criteria, by, reason);
    });
    drop_cursor(state, id);
}

/// Puts a slice off.
pub(super) fn defer(state: &mut State, id: &str, reason: &str) {
    state.slices.change(id, |slice| {
        slice.status = SliceStatus::Blocked;
        slice.disposition = Some(Disposition::Deferred { reason: reason.to_owned() });
        ledger::reopen(&mut slice.criteria);
    });
    drop_cursor(state, id);
}

fn drop_cursor(state: &mut State, id: &str) {
    if state.core.active.as_ref().is_some_and(|active| active.slice_id == id) {
        state.core.active = None;
    }
}

/// What was put off is open again.
pub(super) fn take_up_deferred(state: &mut State, _: &Head) {
    for id in deferred(state) {
        state.slices.change(&id, |slice| {
            slice.disposition = None;
            slice.status = SliceStatus::Planned;
        });
    }
}

/// Waives one criterion; with the last one its slice is skipped, if no run works on it.
pub(super) fn waive(state: &mut State, id: &str, criterion: &str, by: &str, reason: &str) {
    state.slices.change(id, |slice| {
        for known in slice.criteria.iter_mut().filter(|known| known.id == criterion) {
            known.state = CriterionState::Waived { by: by.to_owned(), why: reason.to_owned() };
        }
    });
    let slice = state.slices.get(id);
    let all =
        slice.is_some_and(|slice| !slice.closed() && slice.criteria.iter().all(Criterion::settled));
    let worked_on = state.core.active.as_ref().is_some_and(|active| active.slice_id == id);
    if all && !worked_on {
        skip(state, id, by, reason);
    }
}

/// Changes the plan at the user's word.
pub(super) fn change(state: &mut State, _: &Head, change: &PlanChange) -> Result<()> {
    match change {
        PlanChange::AddItem { item } => add(state, item),
        PlanChange::AddCriterion { item, text, shown_by: _ } => {
            let slice = open_slice(state, item)?;
            let added = criterion::append_texts(&slice.criteria, std::slice::from_ref(text))?;
            let expected = "a slice that is not being verified";
            ensure!(!committed(state, item), Code::ItemActive, "item", expected, item)?;
            state.slices.change(item, |slice| slice.criteria.extend(added));
            Ok(())
        }
        PlanChange::WaiveCriterion { item, criterion, reason } => {
            open_slice(state, item)?;
            find_criterion(state, item, Some(criterion))?;
            waive(state, item, criterion, "user", reason);
            Ok(())
        }
        PlanChange::SetPriority { item, priority } => {
            open_slice(state, item)?;
            check_rank(*priority)?;
            state.slices.change(item, |slice| slice.priority = *priority);
            Ok(())
        }
        PlanChange::Reorder { order } => match state.slices.reorder(order) {
            true => Ok(()),
            false => {
                let expected = format!("each of the {} slices once", state.slices.len());
                Err(Error::new(Code::InvalidChange, "order", expected, order.join(", ")))
            }
        },
    }
}

/// Whether a slice is claimed and waits to be verified.
pub(super) fn committed(state: &State, id: &str) -> bool {
    let active = state.core.active.as_ref();
    active.is_some_and(|active| active.slice_id == id && active.claim.is_some())
}

/// A slice that is not closed.
pub(super) fn open_slice<'a>(state: &'a State, id: &str) -> Result<&'a Slice> {
    let slice = find_criterion(state, id, None)?;
    match slice.closed() {
        false => Ok(slice),
        true => Err(Error::new(Code::ItemClosed, "item", "an open slice", slice.status.as_str())),
    }
}

/// A criterion whose verification is older than the last touch of what it covers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct StaleCriterion {
    pub(super) slice_id: String,
    pub(super) criterion: String,
    pub(super) text: String,
    pub(super) claimed_by: Option<Speaker>,
}

impl StaleCriterion {
    /// `slice/criterion`.
    pub(super) fn name(&self) -> String {
        format!("{}/{}", self.slice_id, self.criterion)
    }
}

/// Verified criteria of closed slices that went stale; derived, never swept.
pub(super) fn stale_criteria(state: &State) -> Vec<StaleCriterion> {
    let heads = state.core.life.seen.as_ref().map(Seen::heads);
    let is_stale = |closed: &Closed| {
        heads.is_none_or(|heads| heads.stale(closed.ordinal, &closed.paths, &state.touches))
    };
    let done = state.slices.iter().filter(|slice| slice.status == SliceStatus::Done);
    let stale = done.filter(|slice| slice.closed.as_ref().is_some_and(is_stale));
    stale
        .flat_map(|slice| {
            slice.criteria.iter().filter_map(|one| match &one.state {
                CriterionState::Verified { claimed_by, .. } => Some(StaleCriterion {
                    slice_id: slice.slice_id.clone(),
                    criterion: one.id.clone(),
                    text: one.text.clone(),
                    claimed_by: claimed_by.clone(),
                }),
                CriterionState::Open
                | CriterionState::Claimed { .. }
                | CriterionState::Rejected { .. }
                | CriterionState::Waived { .. } => None,
            })
        })
        .collect()
}

/// `slice/criterion` of everything that was waived.
pub(super) fn waived(state: &State) -> Vec<String> {
    let all = state.slices.iter();
    all.flat_map(|slice| ledger::waived(&slice.slice_id, &slice.criteria)).collect()
}

/// Slices that were deferred.
pub(super) fn deferred(state: &State) -> Vec<String> {
    ids_of(state.slices.iter().filter(|one| one.deferred()))
}
