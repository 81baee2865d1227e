//! The meaning of the user's answers, topic by topic. The type of each was checked at admission.

use super::files;
use super::settle::stopped;
use super::state::{GateEnd, PlayStep, State, StopReason, TaskStatus, Topic};
use super::turn;
use crate::mission::ask::unfit;
use crate::mission::life;
use crate::mission::prelude::*;
use crate::vocab::ledger;
use crate::vocab::question::Answer;
use crate::vocab::table::ids_of;

/// Takes the answer to a question of its own.
pub(super) fn answered(
    state: &mut State,
    context: &mut Context<'_>,
    asked: &life::Topic,
    answer: &Answer,
) -> Result<()> {
    let at = context.head.at;
    let (Some(topic), Answer::Choice { option }) = (asked.particular(), answer) else {
        return Err(unfit(asked, answer));
    };
    match topic {
        Topic::Blocked { task, criteria, .. } => blocked(state, at, &task, &criteria, option),
        Topic::Stopped { task, reason } => after_stop(state, at, &task, reason, option),
        Topic::GateFailed { wave, problem } => match option.as_str() {
            "retry" => state.core.life.stale(),
            "waive" => drop(state.core.gates.insert(wave.to_string(), GateEnd::Waived)),
            _ => state.core.life.blocked = Some(problem),
        },
    }
    Ok(())
}

/// A criterion that cannot be met: the user mends it, waives it, or ends the loop.
fn blocked(state: &mut State, at: Millis, task: &str, criteria: &[String], option: &str) {
    match option {
        "mended" => {
            let word = format!("The user says that {} can be met now", criteria.join(", "));
            state.change_play(task, |play| {
                play.feedback.push(word);
                play.blocks_heard.clear();
            });
        }
        "waive" => {
            for id in criteria {
                waive(state, task, id, "blocked");
            }
        }
        _ => {
            state.stop_task(task, StopReason::Blocked);
            files::stopped(state, at, task, StopReason::Blocked);
            state.core.life.blocked = Some(stopped(task, StopReason::Blocked).diagnostic());
        }
    }
}

/// The user lets one criterion go. A task of which nothing else is left is closed.
pub(super) fn waive(state: &mut State, task: &str, criterion: &str, why: &str) {
    state.tasks.change(task, |task| ledger::waive(&mut task.criteria, criterion, "user", why));
    let all =
        state.tasks.get(task).is_some_and(|task| task.criteria.iter().all(|one| one.waived()));
    if all {
        turn::complete(state, task);
    }
}

/// What comes of a task whose loop ended.
fn after_stop(state: &mut State, at: Millis, task: &str, reason: StopReason, option: &str) {
    match option {
        "more" => turn::go_on(state, task, at, PlayStep::Play),
        "roll_back" => {
            turn::go_on(state, task, at, PlayStep::Keep);
            let to = state.play(task).and_then(|play| play.passing.clone());
            let word = to.map(|to| {
                format!(
                    "The tree was put back to {}, where the tests of turn {} passed",
                    to.commit, to.turn
                )
            });
            state.change_play(task, |play| play.feedback.extend(word));
        }
        "skip" => let_go(state, task, "skipped after its turns ended"),
        "defer" => put_off(state, task),
        _ => state.core.life.blocked = Some(stopped(task, reason).diagnostic()),
    }
}

/// The user lets a task go.
pub(super) fn let_go(state: &mut State, id: &str, why: &str) {
    state.tasks.change(id, |task| {
        ledger::waive_open(&mut task.criteria, "user", why);
        task.status = TaskStatus::Skipped;
        task.play = None;
    });
    state.core.life.step_done(id);
    state.core.life.files.touch(super::files::PROGRESS);
}

/// The user puts a task off.
pub(super) fn put_off(state: &mut State, id: &str) {
    state.tasks.change(id, |task| {
        task.status = TaskStatus::Deferred;
        task.play = None;
    });
    state.core.life.step_done(id);
    state.core.life.files.touch(super::files::PROGRESS);
}

/// What was put off is open again.
pub(super) fn take_up_deferred(state: &mut State, head: &Head) {
    for id in ids_of(state.tasks.iter().filter(|task| task.status == TaskStatus::Deferred)) {
        state.begin_task(&id, head.at);
    }
}
