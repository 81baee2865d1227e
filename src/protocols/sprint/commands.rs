//! The meaning of the user's commands here, in addition to their meaning everywhere.

use super::orders::CHECK;
use super::setback;
use super::state::{Core, Doom, Sprint, SprintStatus, State, Stopping, UnitStatus};
use crate::mission::admission::reasoned;
use crate::mission::life;
use crate::mission::prelude::*;
use crate::vocab::command::{Command, StopMode};
use crate::vocab::ledger;
use crate::vocab::table::ids_of;

/// Takes a command that means something of its own here.
pub(super) fn commanded(state: &mut State, head: &mut Head, command: &Command) -> Result<()> {
    let at = head.at;
    match command {
        Command::Reopen { item, reason } => return reopen(state, head, item, reason),
        Command::Pause => pause(state, at),
        Command::Stop { mode: StopMode::Drain | StopMode::Wait } => stop(state, at),
        Command::Stop { mode: StopMode::Kill } => {
            kill_all(state, head, "the user stopped everything");
        }
        Command::Kill => kill_all(state, head, "user invoked killall"),
        Command::Resume => resume(state, at),
        Command::Skip { item, reason } => {
            workable(state, head, item, reason)?;
            forget(state, head, item);
            let_go(state, at, item, reason);
        }
        Command::Defer { item, reason } => {
            workable(state, head, item, reason)?;
            forget(state, head, item);
            put_off(state, at, item, reason);
        }
        Command::SkipVerification { reason } => {
            head.withdraw(
                |order| matches!(order, Order::SpawnRole(spawn) if spawn.access == Access::ReadOnly),
            );
            state.core.gate = None;
            let gate = |topic: &life::Topic| topic.names("about") == Some("gate_failed");
            state.core.life.moot(head, gate);
            state.log(at, "", "Verification skipped", reason);
        }
        Command::Start | Command::Amend { .. } | Command::Grant { .. } | Command::Accept { .. } => {
        }
    }
    Ok(())
}

fn pause(state: &mut State, at: Millis) {
    for id in state.unit_ids(UnitStatus::Running) {
        state.move_unit(&id, UnitStatus::Paused);
    }
    unsend(state);
    state.log(at, "", "Paused", "the user paused the mission");
}

/// What was chosen and not started is as it was before the choice.
fn unsend(state: &mut State) {
    let unstarted = |state: &State, sprint: &Sprint| {
        let live = state.core.life.runs.iter().any(|run| run.item == sprint.id);
        sprint.status == SprintStatus::Dispatched && sprint.waiting.is_none() && !live
    };
    for id in ids_of(state.sprints.live().filter(|sprint| unstarted(state, sprint))) {
        state.move_sprint(&id, SprintStatus::Pending);
        state.sprints.change(&id, |sprint| sprint.alone = false);
    }
}

/// First nothing is dispatched any more; then what runs may end; then it is ended.
fn stop(state: &mut State, at: Millis) {
    unsend(state);
    let running = [UnitStatus::Running, UnitStatus::Paused];
    let ids: Vec<String> = running.into_iter().flat_map(|one| state.unit_ids(one)).collect();
    for id in ids {
        state.move_unit(&id, UnitStatus::Stopping);
    }
    let active = state.core.life.runs.len();
    state.core.stopping.get_or_insert(Stopping { polls: 0, moved: false, forced: false });
    state.log(at, "", "Stopping", format!("waiting for {active} active agents to finish"));
    let text = format!(
        "Supervisor entering graceful shutdown. Waiting for {active} active agents to finish."
    );
    state.core.life.files.say(crate::vocab::effect::Level::Info, text);
}

/// Ends every run that is alive, whatever comes of ending the others.
pub(super) fn kill_runs(state: &mut State, at: Millis, why: &str) {
    let Core { life, watched, .. } = &mut *state.core;
    let ended: Vec<String> = life.runs.iter().map(|run| run.item.clone()).collect();
    for run in &life.runs {
        watched.entry(run.by.run).or_default().doom = Some(Doom::Killed);
    }
    for id in ended {
        let Some(sprint) = state.sprints.get(&id) else { continue };
        let (unit, status) = (sprint.unit.clone(), sprint.status);
        if status == SprintStatus::Running {
            state.move_sprint(&id, SprintStatus::Backoff);
            state.sprints.change(&id, |sprint| sprint.alone = false);
            state.core.life.step_done(&id);
        }
        kill_unit(state, &unit);
        state.log(at, &id, &format!("Sprint {why}"), "its attempt is kept");
    }
}

fn kill_unit(state: &mut State, unit: &str) {
    state.move_unit_if(unit, |from| from.may_become(UnitStatus::Killed), UnitStatus::Killed);
}

/// Ends every command that runs. What it was to show is still due, and is shown when the mission goes on; what it
/// says yet is an answer that comes too late, so that nothing is completed by it.
pub(super) fn end_commands(state: &mut State, head: &mut Head) {
    let commands = head.outbox.iter().filter_map(|one| match &one.effect.order {
        Order::RunCommand(command) => Some((one.effect.id, command.purpose.clone())),
        _ => None,
    });
    let commands: Vec<(EffectId, String)> = commands.collect();
    head.withdraw(|order| matches!(order, Order::RunCommand(_)));
    for (id, purpose) in commands {
        // It was begun, and what was spent on it is spent.
        head.budget.charge(Counter::Commands, 1);
        state.core.commands_unseen = true;
        state.core.halting.push(id);
        let shows = purpose.strip_prefix(CHECK).and_then(|rest| rest.split(' ').next());
        let sprint = shows.and_then(|id| state.sprints.get(id));
        let (of, unit) = sprint.map(|one| (one.id.clone(), one.unit.clone())).unwrap_or_default();
        kill_unit(state, &unit);
        state.log(head.at, &of, &format!("Command ended: {purpose}"), "it is run again later");
    }
}

/// The emergency stop: everything at once. Units that never began are as they were.
fn kill_all(state: &mut State, head: &mut Head, why: &str) {
    let at = head.at;
    unsend(state);
    state.core.kill_told = u64::try_from(state.core.life.runs.len()).ok();
    kill_runs(state, at, "terminated by killall");
    end_commands(state, head);
    let open = [UnitStatus::Running, UnitStatus::Stopping, UnitStatus::Stopped, UnitStatus::Paused];
    let ids: Vec<String> = open.into_iter().flat_map(|one| state.unit_ids(one)).collect();
    for id in ids {
        let began = state.units.get(&id).is_some_and(|unit| {
            let sprints = unit.sprints.iter().filter_map(|id| state.sprints.get(id));
            sprints.into_iter().any(|sprint| {
                sprint.runs > 0 || sprint.status != SprintStatus::Pending || sprint.failures > 0
            })
        });
        let from = state.units.get(&id).map(|unit| unit.status);
        let fresh = !began && from.is_some_and(|from| from.may_become(UnitStatus::NotStarted));
        let to = if fresh { UnitStatus::NotStarted } else { UnitStatus::Killed };
        state.move_unit(&id, to);
    }
    state.core.stopping = None;
    state.core.killed_at = Some(at);
    state.log(at, "", "Killed", why);
}

/// Everything that came to rest goes on. A fatal sprint starts its live count again, a killed one keeps it.
fn resume(state: &mut State, at: Millis) {
    (state.core.stopping, state.core.killed_at) = (None, None);
    let rest = [UnitStatus::Stopping, UnitStatus::Stopped, UnitStatus::Paused, UnitStatus::Killed];
    let ids: Vec<String> = rest.into_iter().flat_map(|one| state.unit_ids(one)).collect();
    for id in ids {
        let killed = state.units.get(&id).is_some_and(|unit| unit.status == UnitStatus::Killed);
        state.move_unit(&id, UnitStatus::Running);
        let current = state.units.get(&id).and_then(|unit| state.current(unit));
        let again = current.filter(|sprint| killed && sprint.status == SprintStatus::Backoff);
        if let Some(id) = again.map(|sprint| sprint.id.clone()) {
            state.move_sprint(&id, SprintStatus::Pending);
        }
    }
    for id in state.unit_ids(UnitStatus::Blocked) {
        let current = state.units.get(&id).and_then(|unit| state.current(unit));
        let fatal = current.filter(|sprint| sprint.status == SprintStatus::Fatal);
        if let Some(sprint) = fatal.map(|sprint| sprint.id.clone()) {
            start_again(state, &sprint);
            state.move_unit(&id, UnitStatus::Running);
        }
    }
    for id in state.unit_ids(UnitStatus::NotStarted) {
        state.units.change(&id, |unit| {
            (unit.check_failed, unit.checks_held) = (None, 0);
            unit.note = String::new();
        });
    }
    let kept = |sprint: &&Sprint| sprint.entry_failed.is_some();
    for id in ids_of(state.sprints.iter().filter(kept)) {
        let unit = state.sprints.get(&id).map(|sprint| sprint.unit.clone()).unwrap_or_default();
        state.sprints.change(&id, |sprint| (sprint.entry_failed, sprint.entry_held) = (None, 0));
        state.units.change(&unit, |unit| unit.note = String::new());
    }
    state.log(at, "", "Resumed", "the user resumed the mission");
}

/// The live count begins again; what was counted over all stays.
fn start_again(state: &mut State, id: &str) {
    state.sprints.change(id, |sprint| {
        sprint.attempt = 1;
        (sprint.continuations, sprint.rounds, sprint.losses) = (0, 0, 0);
        (sprint.waiting, sprint.checking) = (None, None);
    });
    state.core.life.step_done(id);
    state.move_sprint(id, SprintStatus::Pending);
}

pub(super) fn known<'a>(state: &'a State, item: &str) -> Result<&'a Sprint> {
    let unknown = || Error::new(Code::UnknownItem, "item", "the id of a sprint", item);
    state.sprints.get(item).ok_or_else(unknown)
}

/// An open sprint that no run is working on, and a reason.
pub(super) fn workable(state: &State, head: &Head, item: &str, reason: &str) -> Result<()> {
    let sprint = known(state, item)?;
    let expected = "an open sprint";
    ensure!(!sprint.status.closed(), Code::ItemClosed, "item", expected, sprint.status.as_str())?;
    reasoned(reason)?;
    let live = head.live_items().any(|on| on == Some(item));
    let unjudged = state.core.life.ended.iter().any(|ended| ended.run.item == item);
    ensure!(!(live || unjudged), Code::ItemActive, "item", "a sprint without a live run", item)
}

/// What is not started for it is taken back, and what was asked about it needs no answer.
fn forget(state: &mut State, head: &mut Head, item: &str) {
    let about = |topic: &life::Topic| {
        *topic == life::Topic::EndWithDeferred || topic.names("sprint") == Some(item)
    };
    state.core.life.moot(head, about);
    state.core.life.step_done(item);
    unordered(head, item);
    state.sprints.change(item, |sprint| {
        (sprint.waiting, sprint.checking) = (None, None);
        (sprint.alone, sprint.adopted, sprint.again) = (false, false, false);
        sprint.awaits_gate.clear();
    });
}

/// A run that is not started for a sprint was ordered by another plan.
pub(super) fn unordered(head: &mut Head, sprint: &str) {
    head.withdraw(
        |order| matches!(order, Order::SpawnRole(spawn) if spawn.item.as_deref() == Some(sprint)),
    );
}

/// The user skips a sprint.
pub(super) fn let_go(state: &mut State, at: Millis, id: &str, why: &str) {
    state.sprints.change(id, |sprint| ledger::waive_open(&mut sprint.criteria, "user", why));
    state.move_sprint(id, SprintStatus::Skipped);
    needs_no_entry(state, id);
    state.log(at, id, "SKIPPED", why);
    state.touch_complete();
}

/// The user defers a sprint.
pub(super) fn put_off(state: &mut State, at: Millis, id: &str, why: &str) {
    state.move_sprint(id, SprintStatus::Deferred);
    needs_no_entry(state, id);
    state.log(at, id, "DEFERRED", why);
}

/// If no run is to be sent, its unit no longer tells why the sprint could not begin.
fn needs_no_entry(state: &mut State, id: &str) {
    let Some(sprint) = state.sprints.get(id) else { return };
    let (unit, kept) = (sprint.unit.clone(), sprint.entry_failed.is_some());
    state.sprints.change(id, |sprint| sprint.entry_failed = None);
    let over = state.units.get(&unit).is_some_and(|unit| {
        unit.check_failed.is_some() && !unit.sprints.iter().any(|id| state.is_due(id))
    });
    if kept || over {
        state.units.change(&unit, |unit| unit.note = String::new());
    }
}

/// Opens a closed, fatal or deferred sprint again.
fn reopen(state: &mut State, head: &mut Head, item: &str, reason: &str) -> Result<()> {
    let sprint = known(state, item)?;
    let status = sprint.status;
    let open = [SprintStatus::Fatal, SprintStatus::Replan, SprintStatus::Deferred];
    if !status.closed() && !open.contains(&status) {
        let got = status.as_str();
        return Err(Error::new(Code::ItemNotClosed, "item", "a closed or fatal sprint", got));
    }
    reasoned(reason)?;
    let unit = sprint.unit.clone();
    forget(state, head, item);
    // What was chosen behind it was chosen over another order.
    head.withdraw(|order| matches!(order, Order::SpawnRole(_)));
    unsend(state);
    state.core.life.done = None;
    state.core.gate = None;
    state.core.counts.reopened += u64::from(status.closed());
    state.sprints.change(item, |sprint| {
        ledger::begin_anew(&mut sprint.criteria);
        sprint.reopened = status.closed();
        sprint.feedback = vec![format!("The user opened it again: {reason}")];
        sprint.completed_at = None;
    });
    start_again(state, item);
    setback::reopen_unit(state, &unit);
    state.move_unit_if(&unit, |from| from == UnitStatus::Blocked, UnitStatus::Running);
    state.log(head.at, item, "Opened again", reason);
    state.core.life.stale();
    Ok(())
}
