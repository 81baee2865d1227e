//! The meaning of the user's commands here, in addition to their meaning everywhere.

use super::answers::{let_go, put_off, waive};
use super::files;
use super::settle::deadline;
use super::state::{State, StopReason, Task, TaskStatus, Topic};
use super::turn;
use crate::mission::admission::{has_criterion, reasoned};
use crate::mission::life;
use crate::mission::prelude::*;
use crate::vocab::command::{Command, NewItem, PlanChange, StopMode};
use crate::vocab::criterion;
use crate::vocab::ledger;
use crate::vocab::table::ids_of;

/// Takes a command that means something of its own here.
pub(super) fn commanded(state: &mut State, head: &mut Head, command: &Command) -> Result<()> {
    match command {
        Command::Reopen { item, reason } => return reopen(state, head, item, reason),
        Command::Stop { mode: StopMode::Kill } | Command::Kill => cancel(state, head),
        Command::Resume => resume(state, head),
        Command::Skip { item, reason } => {
            workable(state, head, item, reason)?;
            replan(state, head, item);
            let_go(state, item, reason);
        }
        Command::Defer { item, reason } => {
            workable(state, head, item, reason)?;
            replan(state, head, item);
            put_off(state, item);
        }
        Command::Amend { .. } => {
            unsend(head);
            state.core.life.files.touch(files::PROGRESS);
        }
        Command::SkipVerification { .. } => unsend(head),
        Command::Start
        | Command::Pause
        | Command::Stop { mode: StopMode::Drain | StopMode::Wait }
        | Command::Grant { .. }
        | Command::Accept { .. } => {}
    }
    Ok(())
}

/// Every loop that has a run at work ends as cancelled; a resume takes it up again.
fn cancel(state: &mut State, head: &mut Head) {
    let live: BTreeSet<String> = state.core.life.runs.iter().map(|run| run.item.clone()).collect();
    for id in live {
        if state.play(&id).is_some_and(|play| play.stop.is_none()) {
            state.stop_task(&id, StopReason::Cancelled);
            files::stopped(state, head.at, &id, StopReason::Cancelled);
        }
    }
}

/// What was cancelled is taken up again, what is stopped is asked about again, and clocks start anew.
fn resume(state: &mut State, head: &mut Head) {
    head.withdraw(|order| matches!(order, Order::SetTimer(_)));
    let due = deadline(state.core.settings.task_timeout_ms, head.at);
    for id in ids_of(state.tasks.live()) {
        state.change_play(&id, |play| {
            play.deadline = due;
            if play.stop == Some(StopReason::Cancelled) {
                play.stop = None;
            }
        });
    }
}

/// What is not started is decided anew.
fn unsend(head: &mut Head) {
    head.withdraw(|order| matches!(order, Order::SpawnRole(_)));
}

fn known<'a>(state: &'a State, item: &str) -> Result<&'a Task> {
    let unknown = || Error::new(Code::UnknownItem, "item", "the id of a task", item);
    state.tasks.get(item).ok_or_else(unknown)
}

/// An open task that no run is working on, and a reason.
fn workable(state: &State, head: &Head, item: &str, reason: &str) -> Result<()> {
    let task = known(state, item)?;
    if task.status.satisfies() && task.status != TaskStatus::Deferred {
        return Err(Error::new(Code::ItemClosed, "item", "an open task", task.status.as_str()));
    }
    reasoned(reason)?;
    let live = head.live_items().any(|on| on == Some(item));
    let unjudged = state.core.life.ended.iter().any(|ended| ended.run.item == item);
    ensure!(!(live || unjudged), Code::ItemActive, "item", "a task without a live run", item)
}

/// What is not started is decided anew, and what was asked about the task needs no answer.
fn replan(state: &mut State, head: &mut Head, item: &str) {
    let about = |asked: &life::Topic| match (asked, asked.particular()) {
        (life::Topic::StepStuck { item: task, .. }, _) => task == item,
        (_, Some(Topic::Blocked { task, .. } | Topic::Stopped { task, .. })) => task == item,
        (life::Topic::EndWithDeferred, _) => true,
        (_, Some(Topic::GateFailed { .. }) | None) => false,
    };
    state.core.life.moot(head, about);
    unsend(head);
    turn::withdraw_timer(head, item);
}

fn reopen(state: &mut State, head: &mut Head, item: &str, reason: &str) -> Result<()> {
    let task = known(state, item)?;
    let expected = "a closed task";
    ensure!(task.status.satisfies(), Code::ItemNotClosed, "item", expected, task.status.as_str())?;
    reasoned(reason)?;
    if state.core.life.runs.iter().any(|run| run.item == item) {
        return Err(Error::new(Code::ItemActive, "item", "a task without a live run", item));
    }
    replan(state, head, item);
    state.core.life.done = None;
    state.core.closing.clear();
    state.tasks.change(item, |task| ledger::begin_anew(&mut task.criteria));
    turn::reopen(state, head.at, item, vec![format!("The user opened it again: {reason}")]);
    state.core.life.stale();
    Ok(())
}

/// One change of the plan.
pub(super) fn change(state: &mut State, head: &Head, change: &PlanChange) -> Result<()> {
    match change {
        PlanChange::AddCriterion { item, text, shown_by: _ } => {
            let task = open(state, item)?;
            let more = criterion::append_texts(&task.criteria, std::slice::from_ref(text))?;
            state.tasks.change(item, |task| {
                task.lines.extend(more.iter().map(|_| (0, 0)));
                task.criteria.extend(more);
            });
            Ok(())
        }
        PlanChange::WaiveCriterion { item, criterion, reason } => {
            let task = open(state, item)?;
            has_criterion(&task.criteria, item, criterion)?;
            workable(state, head, item, reason)?;
            waive(state, item, criterion, reason);
            Ok(())
        }
        PlanChange::AddItem { item } => add(state, item),
        PlanChange::SetPriority { .. } | PlanChange::Reorder { .. } => {
            let expected = "a new task, a criterion more, or one let go";
            Err(Error::new(Code::InvalidChange, "change", expected, "another order"))
        }
    }
}

fn open<'a>(state: &'a State, item: &str) -> Result<&'a Task> {
    let task = known(state, item)?;
    match task.status.satisfies() {
        false => Ok(task),
        true => Err(Error::new(Code::ItemClosed, "item", "an open task", task.status.as_str())),
    }
}

/// A new task goes into a wave behind everything it waits for, and never into one that is over.
fn add(state: &mut State, item: &NewItem) -> Result<()> {
    if item.id.trim().is_empty() || state.tasks.get(&item.id).is_some() {
        return Err(Error::new(Code::DuplicateId, "item.id", "an id of its own", &item.id));
    }
    let criteria = criterion::from_texts(&item.acceptance_criteria)?;
    let mut wave = state.core.wave;
    for id in &item.blocked_on {
        let from = state.tasks.get(id).ok_or_else(|| {
            Error::new(Code::DependencyUnknown, "item.blocked_on", "the id of a task", id)
        })?;
        wave = wave.max(usize::try_from(from.wave).unwrap_or(usize::MAX));
    }
    let waves = Arc::make_mut(&mut state.core.waves);
    while waves.len() <= wave {
        waves.push(Vec::new());
    }
    waves[wave].push(item.id.clone());
    state.tasks.push(Task {
        id: item.id.clone(),
        title: crate::vocab::text::one_line(&item.goal),
        document: None,
        wave: u32::try_from(wave + 1).unwrap_or(u32::MAX),
        dependencies: item.blocked_on.clone(),
        status: TaskStatus::Pending,
        lines: criteria.iter().map(|_| (0, 0)).collect(),
        criteria,
        play: None,
        paths: BTreeSet::new(),
        verified_ordinal: 0,
        reopened: false,
    });
    Ok(())
}
