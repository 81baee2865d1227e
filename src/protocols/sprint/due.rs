//! What is due, by the state alone: runs to be sent, commands and files to be looked at. This module
//! chooses nothing and changes nothing.

use super::role::Role;
use super::state::{Check, CommandLine, Sprint, SprintStatus, State, Unit, UnitStatus};
use crate::mission::check::spawns;
use crate::mission::prelude::*;

/// Criteria of a sprint that cannot be shown as they are worded, and that nobody took over.
pub(super) fn vague(sprint: &Sprint) -> impl Iterator<Item = &str> {
    let all = sprint.criteria.iter().zip(sprint.checks.iter().zip(&sprint.vague));
    all.filter(|(criterion, (check, vague))| {
        **vague && !criterion.waived() && matches!(check, Check::Verifier)
    })
    .map(|(criterion, _)| criterion.id.as_str())
}

/// Whether a run of this sprint is chosen, alive, or being judged.
pub(super) fn at_work(sprint: &Sprint) -> bool {
    let works = matches!(
        sprint.status,
        SprintStatus::Dispatched | SprintStatus::Running | SprintStatus::Verifying
    );
    works && sprint.waiting.is_none()
}

/// Units with a run that is ordered, alive, or ended and not judged.
pub(super) fn engaged<'a>(state: &'a State, head: &'a Head) -> BTreeSet<&'a str> {
    let sent = spawns(head).filter_map(|(spawn, _)| spawn.item.as_ref());
    let ended = state.core.life.ended.iter().map(|ended| &ended.run.item);
    let all = sent.chain(ended).filter_map(|id| state.sprints.get(id));
    all.map(|sprint| sprint.unit.as_str()).collect()
}

/// Whether a command of a gate is being run; the gate itself may be gone by now.
pub(super) fn builds(head: &Head) -> bool {
    head.awaits(|order| {
        matches!(order, Order::RunCommand(command) if command.purpose.starts_with(super::orders::GATE))
    })
}

/// Of the sprints that a run of this role is due for, those it may be sent to now. Only this function says what never
/// runs at once: two runs of one unit, a verifier and a writer, a build and anything else.
fn sent_now<'a>(
    state: &'a State,
    head: &'a Head,
    role: Role,
    due: impl Fn(&Sprint) -> bool + 'a,
) -> impl Iterator<Item = &'a Sprint> {
    let others = spawns(head).any(|(spawn, _)| spawn.role != role.as_str());
    let held = others
        || state.core.gate.is_some()
        || builds(head)
        || (role == Role::Verifier && state.asks_whether_done());
    let mut engaged = engaged(state, head);
    let due = state.sprints.live().filter(move |sprint| !held && due(sprint));
    due.filter(move |sprint| engaged.insert(&sprint.unit))
}

/// Sprints whose agent is to be sent: chosen ones, and those whose report the same run has to correct.
pub(super) fn dispatches<'a>(state: &'a State, head: &'a Head) -> impl Iterator<Item = &'a Sprint> {
    sent_now(state, head, Role::Agent, |sprint| {
        let mends = state.core.life.correction(Role::Agent.as_str(), &sprint.id).is_some();
        let due = match sprint.status {
            SprintStatus::Dispatched => sprint.waiting.is_none(),
            SprintStatus::Running => mends && sprint.checking.is_none(),
            _ => false,
        };
        due && state.units.get(&sprint.unit).is_some_and(|unit| unit.status == UnitStatus::Running)
    })
}

/// Sprints whose verifier is to be sent.
pub(super) fn verifiers<'a>(state: &'a State, head: &'a Head) -> impl Iterator<Item = &'a Sprint> {
    sent_now(state, head, Role::Verifier, |sprint| {
        sprint.status == SprintStatus::Verifying && sprint.checking.is_none()
    })
}

/// The next criterion that its command is to show: sprint and criterion.
pub(super) fn next_check(state: &State) -> Option<(String, String)> {
    if !state.core.trusted {
        return None;
    }
    let checking = |sprint: &Sprint| {
        let checking = sprint.checking.as_deref().filter(|checking| checking.read)?;
        Some((sprint.id.clone(), checking.due.first()?.clone()))
    };
    state.sprints.live().find_map(checking)
}

/// Whether every command among the entry criteria of a sprint held. What began once is not asked again:
/// its own work may be what ended the state it began from.
pub(super) fn entered(sprint: &Sprint) -> bool {
    let held = usize::try_from(sprint.entry_held).unwrap_or(usize::MAX);
    held >= sprint.entry_checks.len() || sprint.first_dispatched_at.is_some()
}

/// The next command among the entry criteria of a sprint whose turn it is.
fn next_entry(state: &State) -> Option<(String, CommandLine)> {
    let units = state.units.live().filter(|unit| unit.status == UnitStatus::Running);
    let current = units.filter_map(|unit| state.current(unit));
    let mut due = current
        .filter(|sprint| state.free(sprint) && !entered(sprint) && sprint.entry_failed.is_none());
    let line = |sprint: &Sprint| {
        let held = usize::try_from(sprint.entry_held).unwrap_or(usize::MAX);
        sprint.entry_checks.get(held).map(|line| (sprint.id.clone(), line.clone()))
    };
    due.find_map(line)
}

/// The next command that must hold before a unit or a sprint starts: its id, which for a sprint has a
/// `/` in it.
pub(super) fn next_dependency(state: &State) -> Option<(String, CommandLine)> {
    // Nothing of the plan is run before the user has seen it.
    if !state.core.trusted || state.asks_whether_done() {
        return None;
    }
    next_of_unit(state).or_else(|| next_entry(state))
}

/// The next verification command of a unit whose dependencies are completed.
fn next_of_unit(state: &State) -> Option<(String, CommandLine)> {
    let units = state.units.live().filter(|unit| unit.status == UnitStatus::NotStarted);
    let free = |unit: &&Unit| {
        unit.check_failed.is_none() && unit.after.iter().all(|id| state.completed(id))
    };
    let line = |unit: &Unit| {
        let held = usize::try_from(unit.checks_held).unwrap_or(usize::MAX);
        unit.checks.get(held).map(|line| (unit.id.clone(), line.clone()))
    };
    units.filter(free).find_map(line)
}

/// The next command of the gate that is open.
pub(super) fn gate_command(state: &State) -> Option<&CommandLine> {
    state.core.gate.as_ref()?.due.first().map(|one| &one.line)
}

/// Sprints whose progress files are to be looked at, with their paths.
pub(super) fn unread(state: &State) -> Option<(String, Vec<String>)> {
    let unread = |sprint: &&Sprint| sprint.checking.as_ref().is_some_and(|one| !one.read);
    let sprint = state.sprints.live().find(unread)?;
    let unit = state.units.get(&sprint.unit)?;
    Some((sprint.id.clone(), unit.progress_files.clone()))
}
