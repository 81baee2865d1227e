//! The checks of what must never happen: one function per "never" sentence of the protocol, with its name.
//!
//! After each event they look at what the event touched; on opening a snapshot, at everything. A
//! breach is an error of kind `broken` and the step is not taken.

use super::decide;
use super::facts::FactName;
use super::files as canonical;
use super::files::words::{ActiveStatus, SliceStatus, Word};
use super::project::at_work;
use super::role::Role;
use super::state::{Active, Slice, State};
use crate::mission::check::{self as every, Check, broken, spawns};
use crate::mission::prelude::*;
use crate::mission::table::NamedFact;

/// Checks over the bounded part of the state.
const CORE: [Check<State>; 10] = [
    never_runs_two_roles,
    never_works_on_two_slices,
    never_dispatches_beside_the_table,
    never_selects_over_a_dirty_tree,
    never_works_without_a_handoff,
    never_lets_plan_and_cursor_disagree,
    never_commits_without_a_claim,
    never_stops_without_the_wave,
    never_records_without_a_speaker,
    never_orders_what_is_not_its_own,
];

/// The move `check`.
pub(super) fn check(state: &State, head: &Head, everything: bool) -> Result<()> {
    CORE.iter().try_for_each(|check| check(state, head))?;
    let slice = |slice: &Slice| {
        every::item(&slice.slice_id, &slice.criteria, slice.closed())?;
        never_verifies_by_one_run_alone(slice)
    };
    every::rows(&state.slices, everything, slice, never_weakens_the_contract)?;
    if everything { never_miscounts_contracts(state) } else { Ok(()) }
}

fn working(state: &State) -> Option<&Active> {
    state.core.active.as_ref().filter(|active| at_work(active.status))
}

/// The topology is flat: never more than one role at a time.
fn never_runs_two_roles(_: &State, head: &Head) -> Result<()> {
    let count = spawns(head).count();
    ensure(count <= 1, || {
        let got = format!("{count} roles");
        Error::new(Code::BrokenTopology, "head.outbox", "one role at a time", got)
    })
}

/// Never more than one slice is selected or in progress.
fn never_works_on_two_slices(state: &State, _: &Head) -> Result<()> {
    let chosen = state.slices.count("selected") + state.slices.count("in_progress");
    ensure(chosen == usize::from(working(state).is_some()), || {
        let expected = "as many chosen slices as the cursor has";
        Error::new(Code::BrokenOneSlice, "slices", expected, chosen.to_string())
    })
}

/// No role is ever sent but by the table, over a fresh look, in a mission that goes on; no memory of a
/// conversation takes part.
fn never_dispatches_beside_the_table(state: &State, head: &Head) -> Result<()> {
    let Some((spawn, one)) = spawns(head).find(|(_, one)| !one.live()) else { return Ok(()) };
    let holds = |fact: FactName| fact.holds(state, head);
    let free = [FactName::Started, FactName::NotPaused, FactName::NotDone, FactName::NotBlocked];
    let named = decide::next_role(state, head).map(Role::as_str);
    // Later events may make the look an old one; the role was sent over a fresh one all the same.
    let fresh = one.effect.id.seq != head.seq || holds(FactName::ObservationFresh);
    ensure(fresh && free.into_iter().all(holds) && named == Some(spawn.role.as_str()), || {
        let expected =
            format!("{} in a going mission that was looked at", named.unwrap_or("no role"));
        Error::new(Code::BrokenDispatch, "head.outbox", expected, &spawn.role)
    })
}

/// A next slice is never selected over a dirty tree; only the latest may be, to clean up.
fn never_selects_over_a_dirty_tree(state: &State, _: &Head) -> Result<()> {
    let Some(active) = working(state) else { return Ok(()) };
    let Some(before) = state.core.before() else { return Ok(()) };
    let old = before.active.as_ref().filter(|old| at_work(old.status));
    let new = old.is_none_or(|old| old.slice_id != active.slice_id);
    let latest = before.grounding.completed_slice.as_ref() == Some(&active.slice_id);
    let dirty = state.core.life.seen.as_ref().is_some_and(|seen| !seen.dirty.is_empty());
    ensure(!(new && dirty && !latest), || {
        Error::new(Code::BrokenCleanTree, "active", "a clean tree", &active.slice_id)
    })
}

/// A slice is never worked on without its exact hand-off.
fn never_works_without_a_handoff(state: &State, _: &Head) -> Result<()> {
    let Some(active) = working(state) else { return Ok(()) };
    let slice = state.slices.get(&active.slice_id);
    let whole =
        slice.is_some_and(|slice| !slice.criteria.is_empty()) && !active.basis_commit.is_empty();
    ensure(whole, || {
        Error::new(Code::BrokenHandoff, "active", "criteria and a basis commit", &active.slice_id)
    })
}

/// Plan and cursor never tell two stories.
fn never_lets_plan_and_cursor_disagree(state: &State, _: &Head) -> Result<()> {
    let Some(active) = &state.core.active else { return Ok(()) };
    let expected = match active.status {
        ActiveStatus::Idle => None,
        ActiveStatus::Selected => Some(SliceStatus::Selected),
        ActiveStatus::InProgress | ActiveStatus::Committed => Some(SliceStatus::InProgress),
        ActiveStatus::Done => Some(SliceStatus::Done),
    };
    let status = state.slices.get(&active.slice_id).map(|slice| slice.status);
    ensure(expected.is_some() && status == expected, || {
        let got = status.map_or("no slice", Word::as_str);
        Error::new(Code::BrokenPlan, "active", expected.map_or("no cursor", Word::as_str), got)
    })
}

/// A slice is never committed, reviewed or audited without an accepted claim, and all speak of one
/// commit; nor by fewer than three different runs.
fn never_commits_without_a_claim(state: &State, _: &Head) -> Result<()> {
    let Some(active) = &state.core.active else { return Ok(()) };
    let claimed = matches!(active.status, ActiveStatus::Committed | ActiveStatus::Done);
    let verdicts = || active.review.iter().chain(active.audit.iter());
    let commits =
        verdicts().all(|one| active.claim.as_ref().is_some_and(|claim| claim.commit == one.commit));
    let runs: BTreeSet<_> =
        verdicts().map(|one| one.by.run).chain(active.claim.iter().map(|one| one.by.run)).collect();
    let speakers = verdicts().count() + usize::from(active.claim.is_some());
    let one = claimed == active.claim.is_some() && commits && runs.len() == speakers;
    let expected = "one claim and verdicts on its commit";
    ensure!(one, Code::BrokenCommit, "active", expected, &active.slice_id)
}

/// The mission never ends without the judgements it needs, a passed stop verifier and a closed plan,
/// all at one head.
fn never_stops_without_the_wave(state: &State, _: &Head) -> Result<()> {
    let Some(done) = &state.core.life.done else { return Ok(()) };
    let wave = &state.core.wave;
    let runs: BTreeSet<_> = wave.judgements.iter().map(|one| one.by.run).collect();
    let needed = usize::try_from(state.core.profile.required_stop_judges).unwrap_or(usize::MAX);
    let agreed = runs.len() >= needed && wave.judgements.iter().all(|one| one.head == done.head);
    let verified = wave.verified_at.as_ref() == Some(&done.head);
    let deferred = state.slices.count("deferred") == 0 || state.core.life.end_with_deferred;
    let closed = state.open_slices() == 0 && working(state).is_none() && deferred;
    ensure(agreed && verified && closed, || {
        let got = format!("{} judgements, {} open slices", runs.len(), state.open_slices());
        Error::new(Code::BrokenStop, "done", format!("{needed} judgements at {}", done.head), got)
    })
}

/// No history line is ever written but for a run's report or a user's command.
fn never_records_without_a_speaker(state: &State, _: &Head) -> Result<()> {
    let spoken = |line: &str| {
        line.contains("\"run\":\"")
            || (line.contains("\"role\":\"user\"") && line.contains("\"reopened\""))
    };
    ensure_none(state.core.life.files.unwritten.iter().find(|line| !spoken(&line.text)), |line| {
        Error::new(Code::BrokenRecord, "unwritten", "a line with its run", &line.text)
    })
}

/// The engine never writes outside its canonical files, never commits anything but contract files
/// (so never the product), and never orders what this protocol has no use for.
fn never_orders_what_is_not_its_own(_: &State, head: &Head) -> Result<()> {
    let contract = |path: &String| {
        canonical::CONTRACT.contains(&path.as_str()) || path == canonical::GITIGNORE
    };
    every::never_orders_what_is_not_its_own(head, |order| match order {
        Order::WriteFile(write) => canonical::STATE_FILES.contains(&write.path.as_str()),
        Order::AppendHistory(append) => canonical::HISTORIES.contains(&append.path.as_str()),
        Order::CommitFiles(commit) => commit.paths.iter().all(contract),
        Order::SpawnRole(_)
        | Order::StopRole(_)
        | Order::AskUser(_)
        | Order::RunCommand(_)
        | Order::Observe(_) => true,
        Order::SetTimer(_) | Order::Consult(_) | Order::Notify(_) => false,
    })
}

/// Review and audit are runs of their own.
fn never_verifies_by_one_run_alone(slice: &Slice) -> Result<()> {
    let alone = slice.criteria.iter().find(|one| match &one.state {
        CriterionState::Verified { claimed_by: Some(_), verified_by, .. } => {
            verified_by.iter().collect::<BTreeSet<_>>().len() < 2
        }
        _ => false,
    });
    ensure_none(alone, |one| {
        Error::new(Code::BrokenSeparation, &slice.slice_id, "two other runs", &one.id)
    })
}

/// Criteria are never weakened, replaced or dropped, nor contract ids: they only grow.
fn never_weakens_the_contract(before: &Slice, now: &Slice) -> Result<()> {
    every::never_weakens_a_criterion(&now.slice_id, &before.criteria, &now.criteria)?;
    let served = before.contract_ids.iter().all(|id| now.contract_ids.contains(id));
    ensure(served, || {
        Error::new(Code::BrokenContract, &now.slice_id, "every contract id", "one less")
    })
}

/// The count of open slices per contract id is never off.
fn never_miscounts_contracts(state: &State) -> Result<()> {
    let mut counts: std::collections::BTreeMap<&str, u64> = Default::default();
    for slice in state.slices.iter().filter(|slice| !slice.closed()) {
        for id in &slice.contract_ids {
            *counts.entry(id).or_default() += 1;
        }
    }
    let off =
        state.contracts.iter().find(|(id, count)| counts.get(id).copied().unwrap_or(0) != *count);
    let lost = counts.keys().find(|id| state.contracts.get(id).is_none());
    match (off, lost) {
        (None, None) => Ok(()),
        (Some((id, count)), _) => {
            let expected = format!("the open slices of {id}");
            broken(Code::BrokenContract, "contracts", expected, count.to_string())
        }
        (None, Some(id)) => broken(Code::BrokenContract, "contracts", *id, "not counted"),
    }
}

/// The two checks that compare with how it was before the event. No snapshot shows such a fault, so
/// it is put in here; the faults that a snapshot shows are seeded in the walk.
#[cfg(test)]
mod tests {
    use super::super::plan::new_slice;
    use super::super::reground::select;
    use super::super::report::Selection;
    use super::super::state::{Config, Seen};
    use super::*;
    use crate::vocab::command::NewItem;
    use crate::vocab::repository::PathDigest;

    fn slice() -> Slice {
        new_slice(&NewItem {
            id: "S1".to_owned(),
            goal: "Do S1".to_owned(),
            shown_by: Vec::new(),
            acceptance_criteria: vec!["it works".to_owned(), "it is tested".to_owned()],
            contract_ids: vec!["C-1".to_owned()],
            priority: 5,
            why_now: "it is next".to_owned(),
            blocked_on: Vec::new(),
        })
        .unwrap()
    }

    fn planned() -> State {
        let mut state = super::super::start(&Config::new("Do it.", "it")).unwrap();
        state.slices.push(slice());
        state.slices.commit();
        state
    }

    #[test]
    fn a_next_slice_over_a_dirty_tree_is_broken() {
        let mut state = planned();
        state.core.begin();
        select(&mut state, &Selection { slice_id: "S1".to_owned(), locked_notes: Vec::new() })
            .unwrap();
        let dirty = PathDigest { path: "a".to_owned(), digest: "d".to_owned() };
        let head = Head::new(0, Default::default());
        assert!(never_selects_over_a_dirty_tree(&state, &head).is_ok());
        state.core.life.seen = Some(Seen {
            head: None,
            refs: String::new(),
            dirty: vec![dirty],
            fresh: true,
            ordinal: 1,
            stale_before: 0,
        });
        let error = never_selects_over_a_dirty_tree(&state, &head).unwrap_err();
        assert_eq!(error.code, Code::BrokenCleanTree);
        // The latest slice may be: it is to clean up.
        let now = state.core.clone();
        state.core.rollback();
        state.core.grounding.completed_slice = Some("S1".to_owned());
        state.core.begin();
        *state.core = (*now).clone();
        assert!(never_selects_over_a_dirty_tree(&state, &head).is_ok());
    }

    #[test]
    fn a_weaker_contract_is_broken() {
        let before = slice();
        let faults: [fn(&mut Slice); 4] = [
            |slice| {
                slice.criteria.pop();
            },
            |slice| slice.criteria[0].text = "it works somehow".to_owned(),
            |slice| slice.criteria[0].id = "AC-009".to_owned(),
            |slice| slice.contract_ids.clear(),
        ];
        for fault in faults {
            let mut now = before.clone();
            fault(&mut now);
            let error = never_weakens_the_contract(&before, &now).unwrap_err();
            assert_eq!(error.code, Code::BrokenContract);
        }
        assert!(never_weakens_the_contract(&before, &before).is_ok());
    }
}
