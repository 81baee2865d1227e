//! The meaning of the user's answers, topic by topic. The type of each was checked at admission.

use super::amend::waive;
use super::commands::let_go;
use super::outcome;
use super::outcome::every_command;
use super::setback;
use super::state::{Check, Sprint, SprintStatus, State, Topic};
use crate::mission::ask::unfit;
use crate::mission::prelude::*;
use crate::mission::{life, trust};
use crate::vocab::question::Answer;
use crate::vocab::table::ids_of;

/// Takes the answer to a question of its own.
pub(super) fn answered(
    state: &mut State,
    context: &mut Context<'_>,
    asked: &life::Topic,
    answer: &Answer,
) -> Result<()> {
    let Some(topic) = asked.particular() else { return Err(unfit(asked, answer)) };
    match (topic, answer) {
        (Topic::Ticked { sprints }, Answer::Choice { option }) => {
            ticked(state, context.head, &sprints, option == "take");
        }
        (Topic::Trust, Answer::Choice { option }) => trusted(state, context.head, option),
        (Topic::Vague { sprint, criteria }, Answer::Choice { option }) => {
            vague(state, context.head, &sprint, &criteria, option);
        }
        (Topic::Confirm { sprint, criteria, .. }, Answer::ManualStep { done, note }) => {
            confirmed(state, context, &sprint, &criteria, *done, note);
        }
        (Topic::StillWaiting { sprint, problem }, Answer::Choice { option }) => {
            still_waiting(state, context.head, &sprint, &problem, option);
        }
        (Topic::GateFailed { problem }, Answer::Choice { option }) => {
            gate_failed(state, context.head, &problem, option);
        }
        (Topic::PlanChanged { problem }, Answer::Choice { option }) => match option.as_str() {
            "put_back" => state.core.life.stale(),
            "keep" => {
                state.core.plan_kept = state.core.plan_seen.clone();
                let why = "the mission followed the plan it began with";
                state.log(context.head.at, "", "Another plan is kept by the user", why);
            }
            _ => state.core.life.blocked = Some(problem),
        },
        (Topic::Uncommitted { paths }, Answer::Choice { option }) => {
            uncommitted(state, context.head, &paths, option);
        }
        (Topic::HeadMoved { from, to }, Answer::Choice { option }) => {
            head_moved(state, context.head, &from, &to, option);
        }
        (_, answer) => return Err(unfit(asked, answer)),
    }
    Ok(())
}

fn gate_failed(state: &mut State, head: &Head, problem: &Diagnostic, option: &str) {
    match option {
        "retry" => state.core.life.stale(),
        "waive" => {
            state.core.shown_at = state.core.life.seen.as_ref().map(|seen| seen.ordinal);
            state.log(head.at, "", "Gate waived by the user", problem.to_string());
            state.let_gate_go(&problem.to_string());
        }
        _ => state.core.life.blocked = Some(problem.clone()),
    }
}

/// Uncommitted work is committed now, or stays as it is, or keeps the mission from its end.
fn uncommitted(state: &mut State, head: &Head, paths: &[String], option: &str) {
    let shown = clip(&paths.join(", "), 300);
    match option {
        "look" => state.core.life.stale(),
        "keep" => {
            let seen = state.core.life.seen.iter().flat_map(|seen| seen.dirty.clone());
            let kept: Vec<_> = seen.filter(|dirty| paths.contains(&dirty.path)).collect();
            state.core.dirty_kept = kept;
            state.log(head.at, "", "Left uncommitted by the user", shown);
        }
        _ => {
            let expected = "everything committed";
            let error = Error::new(Code::DirtyTree, "repository", expected, shown);
            state.core.life.blocked = Some(error.diagnostic());
        }
    }
}

/// The head that a command left is shown like any other, or looked at by a person first.
fn head_moved(state: &mut State, head: &Head, from: &str, to: &str, option: &str) {
    match option {
        "go_on" => {
            state.core.life.stale();
            let why = format!("everything is shown again; it was shown at {from}");
            state.log(head.at, "", &format!("Goes on at {to}"), why);
        }
        _ => {
            let expected = format!("the head {from}, at which everything was shown");
            let error = Error::new(Code::NotShown, "repository", expected, to);
            state.core.life.blocked = Some(error.diagnostic());
        }
    }
}

/// What the boxes say is shown like what an earlier supervisor recorded, or is not believed.
fn ticked(state: &mut State, head: &Head, sprints: &[String], take: bool) {
    let recorded = |id: &&String| state.sprints.get(id).is_some_and(Sprint::is_recorded);
    let sprints: Vec<&String> = sprints.iter().filter(recorded).collect();
    for id in sprints {
        if take {
            let checking = state.sprints.get(id).map(|sprint| Box::new(every_command(sprint)));
            state.sprints.change(id, |sprint| sprint.checking = checking);
            state.log(head.at, id, "Taken as it stands", "its boxes are ticked in the plan");
        } else {
            setback::not_as_recorded(state, head.at, id, "the user wants it done again");
        }
    }
    let open =
        |id: &String| state.is_due(id) && !state.sprints.get(id).is_some_and(|one| one.adopted);
    let done = ids_of(state.units.iter().filter(|unit| !unit.sprints.iter().any(open)));
    // What had to hold before work that is done need not hold behind it.
    for id in done {
        state.units.change(&id, |unit| unit.checks.clear());
    }
}

/// The commands of the plan may be run, or somebody else shows what they would have shown.
fn trusted(state: &mut State, head: &Head, option: &str) {
    let at = head.at;
    match option {
        "trust" => state.log(at, "", "Plan trusted", "its commands are run as written"),
        "verifier" => {
            let by = match state.core.settings.max_verifier_rounds {
                0 => Check::Person,
                _ => Check::Verifier,
            };
            for id in ids_of(state.sprints.iter()) {
                state.sprints.change(&id, |sprint| {
                    sprint.entry_checks.clear();
                    if let Some(checking) = sprint.checking.as_deref_mut() {
                        checking.due.clear();
                    }
                    for check in sprint.checks.iter_mut() {
                        if matches!(check, Check::Command(_)) {
                            *check = by.clone();
                        }
                    }
                });
            }
            for id in ids_of(state.units.iter()) {
                state.units.change(&id, |unit| unit.checks.clear());
            }
            state.core.commands_barred = true;
            // What the user gave on the line is no command of the plan.
            state.log(at, "", "Plan not trusted", "none of its commands is ever run");
        }
        _ => {
            state.core.life.blocked = Some(trust::refused());
            return;
        }
    }
    state.core.trusted = true;
}

fn vague(state: &mut State, head: &Head, sprint: &str, criteria: &[String], option: &str) {
    match option {
        "confirm" => {
            state.sprints.change(sprint, |sprint| {
                for (one, check) in sprint.criteria.iter().zip(sprint.checks.iter_mut()) {
                    if criteria.contains(&one.id) {
                        *check = Check::Person;
                    }
                }
            });
            let why = "the user confirms by hand what is worded vaguely";
            state.log(head.at, sprint, "Criteria taken over", why);
        }
        "waive" => {
            let why = "too vague to be shown";
            state.log(head.at, sprint, &format!("Let go: {}", criteria.join(", ")), why);
            for id in criteria {
                waive(state, head.at, sprint, id, why);
            }
        }
        _ => {
            let (expected, got) = ("exit criteria that can be shown", criteria.join(", "));
            let error = Error::new(Code::InvalidValue, sprint, expected, got);
            state.core.life.blocked = Some(error.diagnostic());
        }
    }
}

fn confirmed(
    state: &mut State,
    context: &Context<'_>,
    id: &str,
    criteria: &[String],
    done: bool,
    note: &str,
) {
    let at = context.head.at;
    if done {
        return outcome::confirmed(state, context, id, criteria, note);
    }
    // What is waited for is looked at again later; waiting is no failure.
    if state.sprints.get(id).is_some_and(|sprint| sprint.waiting.is_some()) {
        return state.log(at, id, "Not confirmed", note);
    }
    let got = clip(note.trim(), 300);
    let error = Error::new(Code::NotVerified, id, "the user's confirmation", &got);
    setback::fail(state, at, id, &error.diagnostic(), vec![format!("The user says: {got}")]);
}

fn still_waiting(state: &mut State, head: &Head, id: &str, problem: &Diagnostic, option: &str) {
    let at = head.at;
    match option {
        "wait" => {
            state.sprints.change(id, |sprint| {
                if let Some(waiting) = sprint.waiting.as_mut() {
                    waiting.polls = 0;
                }
            });
        }
        "skip" => {
            state.sprints.change(id, |sprint| sprint.waiting = None);
            let_go(state, at, id, "what it waits for did not come");
        }
        // Only the user's word makes a wait fatal.
        _ => {
            let most = state.core.settings.max_retries;
            state.sprints.change(id, |sprint| (sprint.waiting, sprint.attempt) = (None, most));
            setback::fail(state, at, id, problem, vec!["The user gave it up.".to_owned()]);
        }
    }
}

/// What was put off is open again.
pub(super) fn take_up_deferred(state: &mut State, head: &Head) {
    for id in ids_of(state.sprints.iter().filter(|one| one.status == SprintStatus::Deferred)) {
        state.move_sprint(&id, SprintStatus::Pending);
        state.log(head.at, &id, "Taken up", "the user wants what was put off");
    }
}
