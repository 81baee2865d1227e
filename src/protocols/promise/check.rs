//! The checks of what must never happen: one function per "never" sentence of the protocol, with its name.
//!
//! After each event they look at what the event touched; on opening a snapshot, at everything. A
//! breach is an error of kind `broken` and the step is not taken.

use super::facts::FactName;
use super::role::Role;
use super::state::{PlayStep, State, Task, TaskStatus};
use crate::mission::check::{self as every, Check, broken, spawns};
use crate::mission::prelude::*;
use crate::mission::table::NamedFact;
use crate::vocab::verdict::ClaimStatus;

type TaskCheck = fn(&Task) -> Result<()>;

/// Checks over the bounded part of the state.
const CORE: [Check<State>; 5] = [
    never_lets_player_and_coach_meet,
    never_dispatches_beside_the_table,
    never_goes_beyond_a_wave,
    never_ends_over_open_work,
    never_orders_what_is_not_its_own,
];

/// Checks over one task.
const TASKS: [TaskCheck; 3] = [
    never_promises_without_a_commit,
    never_counts_partial_as_complete,
    never_plays_beyond_the_limit,
];

/// The move `check`.
pub(super) fn check(state: &State, head: &Head, everything: bool) -> Result<()> {
    CORE.iter().try_for_each(|check| check(state, head))?;
    let task = |task: &Task| {
        let closed = matches!(task.status, TaskStatus::Completed | TaskStatus::Skipped);
        every::item(&task.id, &task.criteria, closed)?;
        TASKS.iter().try_for_each(|check| check(task))
    };
    every::rows(&state.tasks, everything, task, |before, now| {
        every::never_weakens_a_criterion(&now.id, &before.criteria, &now.criteria)?;
        never_begins_before_what_it_waits_for(state, before, now)
    })
}

/// A player and a coach are never at work at once, nor more runs than allowed, nor two for one task.
fn never_lets_player_and_coach_meet(state: &State, head: &Head) -> Result<()> {
    let roles: BTreeSet<&str> = spawns(head).map(|(spawn, _)| spawn.role.as_str()).collect();
    let items: BTreeSet<_> = spawns(head).map(|(spawn, _)| spawn.item.as_ref()).collect();
    let count = spawns(head).count();
    let most = usize::try_from(state.core.settings.max_parallel).unwrap_or(usize::MAX);
    let fits = roles.len() <= 1 && items.len() == count && count <= most;
    let expected = "runs of one role, one a task";
    ensure!(fits, Code::BrokenTopology, "head.outbox", expected, "{count} runs of {roles:?}")
}

/// No run is ever sent but for a task whose turn it is, in a mission that goes on, over a fresh look.
fn never_dispatches_beside_the_table(state: &State, head: &Head) -> Result<()> {
    let holds = |fact: FactName| fact.holds(state, head);
    let free = [FactName::Started, FactName::NotPaused, FactName::NotDone, FactName::NotBlocked];
    for (spawn, one) in spawns(head).filter(|(_, one)| !one.live()) {
        let id = spawn.item.clone().unwrap_or_default();
        let step = state.play(&id).filter(|play| play.stop.is_none()).map(|play| play.step);
        let due = match (Role::parse(&spawn.role), step) {
            (Some(Role::Player), Some(PlayStep::Play)) => true,
            (Some(Role::Coach), Some(PlayStep::Coach)) => true,
            (Some(Role::Coach), None) => state.core.closing.contains(&id),
            _ => false,
        };
        // Later events may make the look an old one; the role was sent over a fresh one all the same.
        let fresh = one.effect.id.seq != head.seq || holds(FactName::ObservationFresh);
        if !(due && fresh && free.into_iter().all(holds)) {
            let got = format!("{} of {id}", spawn.role);
            return broken(Code::BrokenDispatch, "head.outbox", "a run whose turn it is", got);
        }
    }
    Ok(())
}

/// A wave is never left before its gate holds or was waived.
fn never_goes_beyond_a_wave(state: &State, _: &Head) -> Result<()> {
    let passed = u32::try_from(state.core.wave).unwrap_or(u32::MAX);
    let waves = state.core.settings.gates.iter().map(|gate| gate.after_wave);
    let mut behind = waves.filter(|wave| *wave <= passed);
    ensure_none(behind.find(|wave| !state.core.gates.contains_key(&wave.to_string())), |wave| {
        Error::new(Code::BrokenOrder, "core.wave", format!("the gate behind wave {wave}"), "shut")
    })
}

/// The mission never ends with an open task, a closed gate, a live run or criteria that are to be shown again.
fn never_ends_over_open_work(state: &State, _: &Head) -> Result<()> {
    let core = &state.core;
    let rest =
        core.life.runs.is_empty() && core.closing.is_empty() && core.wave >= core.waves.len();
    ensure(core.life.done.is_none() || (rest && state.open_tasks() == 0), || {
        let got = format!("{} open, {} to show", state.open_tasks(), core.closing.len());
        Error::new(Code::BrokenStop, "core.life.done", "every task closed and shown", got)
    })
}

/// This protocol commits nothing and asks no host code.
fn never_orders_what_is_not_its_own(_: &State, head: &Head) -> Result<()> {
    let foreign = |order: &Order| matches!(order, Order::CommitFiles(_) | Order::Consult(_));
    every::never_orders_what_is_not_its_own(head, |order| !foreign(order))
}

/// Never a promise that is verified without the commit it speaks of.
fn never_promises_without_a_commit(task: &Task) -> Result<()> {
    let Some(play) = task.play.as_deref() else { return Ok(()) };
    let due = matches!(play.step, PlayStep::Test | PlayStep::Coach);
    let bound = play.promise.as_ref().is_some_and(|promise| !promise.commit.is_empty());
    ensure!(!due || bound, Code::BrokenCommit, &task.id, "a promise with its commit", "none")
}

/// Never a partial promise that counts as complete.
fn never_counts_partial_as_complete(task: &Task) -> Result<()> {
    let Some(promise) = task.play.as_deref().and_then(|play| play.promise.as_ref()) else {
        return Ok(());
    };
    let complete = |id: &str| {
        promise.claims.iter().any(|one| one.criterion == id && one.status == ClaimStatus::Complete)
    };
    let claimed = task
        .criteria
        .iter()
        .find(|one| matches!(one.state, CriterionState::Claimed { .. }) && !complete(&one.id));
    ensure_none(claimed, |one| {
        Error::new(Code::BrokenCriteria, &task.id, "a complete promise", &one.id)
    })
}

/// Never a turn beyond the limit.
fn never_plays_beyond_the_limit(task: &Task) -> Result<()> {
    match task.play.as_deref() {
        Some(play) if play.turn == 0 || play.turn > play.turn_limit => {
            let expected = format!("1 to {}", play.turn_limit);
            broken(Code::BrokenLimit, &task.id, expected, play.turn.to_string())
        }
        _ => Ok(()),
    }
}

/// Never a task before those it waits for.
fn never_begins_before_what_it_waits_for(state: &State, before: &Task, now: &Task) -> Result<()> {
    let begins = before.status == TaskStatus::Pending && now.status == TaskStatus::InProgress;
    let open = |id: &&String| !state.tasks.get(id).is_some_and(|task| task.status.satisfies());
    match now.dependencies.iter().find(open) {
        Some(open) if begins => {
            broken(Code::BrokenOrder, &now.id, format!("{open} closed"), "still open")
        }
        _ => Ok(()),
    }
}
