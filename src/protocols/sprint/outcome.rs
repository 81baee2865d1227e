//! The outcome of a sprint: its criteria are checked, and it is completed, continued, retried, given up,
//! or shown to the user.

use super::ask::is_about;
use super::cascade::{self, Verdict};
use super::report::{AgentReport, Outcome};
use super::role::Role;
use super::schedule::BUILD;
use super::state::{Against, Check, Checking, Left, Sprint, SprintStatus, State, TaskKind, Topic};
use super::{baseline, expectation, gate, setback};
use crate::mission::life::Correction;
use crate::mission::prelude::*;
use crate::vocab::event::CommandExited;
use crate::vocab::ledger;

/// How often a condition outside is looked at before the user is asked.
const MOST_POLLS: u32 = 20;

/// Everything that commands show, to be run once.
pub(super) fn every_command(sprint: &Sprint) -> Checking {
    let due = sprint.commands().map(|(criterion, _)| criterion.to_owned()).collect();
    Checking { moved: true, read: true, due, ..Checking::default() }
}

/// A run of an agent ended without failing: what it claims is entered, and its commands are due.
pub(super) fn ended(
    state: &mut State,
    at: Millis,
    run: &Run,
    said: Result<AgentReport, Left>,
    dirty: Vec<String>,
) {
    let id = run.item.as_str();
    if let Ok(report) = &said
        && report.outcome == Outcome::Replan
    {
        return setback::replan(state, at, id, &report.reasons);
    }
    let unit = state.sprints.get(id).and_then(|sprint| state.units.get(&sprint.unit));
    let progress = unit.is_some_and(|unit| !unit.progress_files.is_empty());
    let builds = !state.core.settings.build.is_empty();
    let moved = state.core.watched.get(&run.by.run).is_some_and(|run| !run.paths.is_empty());
    baseline::before_weighing(state, run);
    // Whether it was to mend an earlier report says what becomes of one that cannot be read either.
    if !matches!(said, Err(Left::Unfit(_))) {
        state.core.life.step_done(id);
    }
    state.sprints.change(id, |sprint| {
        if let Ok(report) = &said {
            claim(sprint, report, run);
        }
        if !matches!(said, Err(Left::Lost(_))) {
            sprint.losses = 0;
        }
        let mut checking = every_command(sprint);
        checking.by = Some(run.by.clone());
        checking.moved = moved || !dirty.is_empty();
        checking.dirty = dirty;
        checking.read = !progress;
        match said {
            Ok(report) => checking.said = Some(report),
            Err(left) => checking.left = Some(left),
        }
        wait_for_gate(sprint, &mut checking, builds);
        sprint.checking = Some(Box::new(checking));
    });
    advance(state, at, id);
}

/// The condition of a sprint that waits is looked at again.
pub(super) fn look_again(state: &mut State, at: Millis, id: &str) {
    let due = state.sprints.get(id).filter(|sprint| sprint.waiting.is_some());
    let Some(checking) = due.map(every_command) else { return };
    state.sprints.change(id, |sprint| sprint.checking = Some(Box::new(checking)));
    if state.stands_at(id, SprintStatus::Partial) {
        state.move_sprint(id, SprintStatus::Dispatched);
    }
    advance(state, at, id);
}

/// A run does not build while others work: a criterion that builds everything waits for the gate.
fn wait_for_gate(sprint: &mut Sprint, checking: &mut Checking, builds: bool) {
    sprint.awaits_gate.clear();
    if sprint.alone {
        return;
    }
    let build = |id: &String| {
        let place = sprint.criteria.iter().position(|one| one.id == *id);
        place.and_then(|place| sprint.build.get(place)).copied().unwrap_or(false)
    };
    let (later, now): (Vec<String>, Vec<String>) =
        std::mem::take(&mut checking.due).into_iter().partition(build);
    checking.due = now;
    sprint.awaits_gate = later.into_iter().collect();
    if builds && sprint.plan.kind == TaskKind::Code {
        sprint.awaits_gate.insert(BUILD.to_owned());
    }
}

/// Claims with typed proof are entered, row by row; the others count for nothing.
fn claim(sprint: &mut Sprint, report: &AgentReport, run: &Run) {
    let proven: Vec<_> = sprint
        .criteria
        .iter()
        .filter_map(|one| super::state::complete(&report.claims, &one.id))
        .filter(|claim| ledger::check_evidence(&claim.evidence, "claims").is_ok())
        .collect();
    ledger::enter_claims(&mut sprint.criteria, &proven, &run.by);
}

/// A command of a sprint's criterion exited.
pub(super) fn checked(
    state: &mut State,
    at: Millis,
    id: &str,
    criterion: &str,
    fact: &CommandExited,
) {
    let Some(sprint) = state.sprints.get(id) else { return };
    let place = sprint.criteria.iter().position(|one| one.id == criterion);
    let check = place.and_then(|place| sprint.checks.get(place)).cloned();
    let due = sprint.checking.as_ref().and_then(|checking| checking.due.first());
    let (Some(Check::Command(line)), true) = (check, due.is_some_and(|due| due == criterion))
    else {
        return;
    };
    let commit = state.core.life.head_word().to_owned();
    let found = expectation::judged(&state.core.settings, &line, fact);
    state.sprints.change(id, |sprint| {
        match &found {
            Ok(()) => {
                let method = expectation::words(&line);
                gate::shown(sprint, criterion, fact.effect, &method, &commit);
            }
            Err(problem) => reject(sprint, criterion, problem, fact),
        }
        if let Some(checking) = sprint.checking.as_deref_mut() {
            checking.due.remove(0);
            checking.against.extend(found.as_ref().err().map(|problem| Against {
                criterion: criterion.to_owned(),
                shown: problem.code != Code::NotShown,
                why: expectation::found(problem),
            }));
        }
    });
    advance(state, at, id);
}

fn reject(sprint: &mut Sprint, id: &str, problem: &Diagnostic, fact: &CommandExited) {
    let Some(one) = sprint.criteria.iter_mut().find(|one| one.id == id && !one.waived()) else {
        return;
    };
    one.state = match problem.code {
        Code::NotShown => CriterionState::Open,
        _ => CriterionState::Rejected { run: fact.effect, why: problem.to_string() },
    };
}

/// When every due command was run, the cascade decides.
pub(super) fn advance(state: &mut State, at: Millis, id: &str) {
    let Some(sprint) = state.sprints.get(id) else { return };
    let Some(checking) = sprint.checking.as_deref() else { return };
    if !checking.due.is_empty() || !checking.read {
        return;
    }
    let verdict = cascade::verdict(sprint, checking);
    let settled = matches!(verdict, Verdict::Complete | Verdict::Verify);
    if let Some(Left::Unfit(problem)) = &checking.left {
        let problem = problem.clone();
        if !settled {
            return unread(state, at, id, &problem);
        }
        state.log(at, id, "Its report cannot be read; what is seen counts", problem.to_string());
        state.core.life.step_done(id);
    }
    let Some(sprint) = state.sprints.get(id) else { return };
    let Some(checking) = sprint.checking.as_deref() else { return };
    let (waits, adopted) = (sprint.waiting.is_some(), sprint.adopted);
    let lost = matches!(checking.left, Some(Left::Lost(_))) && setback::may_be_lost(state, id);
    let continues = checking.by.as_ref().filter(|_| checking.left.is_none()).map(|by| by.run);
    let findings = checking.said.as_ref().map(|said| said.findings.clone()).unwrap_or_default();
    state.sprints.change(id, |sprint| sprint.checking = None);
    if state.stands_at(id, SprintStatus::Dispatched) {
        state.move_sprint(id, SprintStatus::Running);
    }
    match verdict {
        Verdict::Complete => complete(state, at, id),
        Verdict::Verify => state.move_sprint(id, SprintStatus::Verifying),
        Verdict::Confirm(criteria) => confirm(state, at, id, criteria, findings),
        Verdict::Partial { why, .. } | Verdict::Failure { why, .. } if waits => {
            still_waiting(state, at, id, &why);
        }
        Verdict::Partial { why, .. } | Verdict::Failure { why, .. } if adopted => {
            setback::not_as_recorded(state, at, id, &why);
        }
        Verdict::Partial { why, remaining } if lost => {
            setback::lost_on_the_way(state, at, id, &why, remaining);
        }
        Verdict::Failure { why, .. } if lost => setback::lost(state, at, id, &why),
        Verdict::Partial { why, remaining } => {
            setback::partial(state, at, id, &why, remaining, continues)
        }
        Verdict::Failure { code, why } => {
            let problem = Error::new(code, id, "a completed sprint", why).diagnostic();
            let words = vec![problem.to_string()];
            setback::fail(state, at, id, &problem, words);
        }
    }
}

/// The facts do not settle it, and the report of its run cannot be read: that run has to report once more. A run whose
/// report cannot be read twice has failed.
fn unread(state: &mut State, at: Millis, id: &str, problem: &Diagnostic) {
    let checking = state.sprints.get(id).and_then(|sprint| sprint.checking.as_deref());
    let by = checking.and_then(|checking| checking.by.as_ref()).map(|by| by.run);
    let (role, step) = (Role::Agent.as_str(), id.to_owned());
    match by.filter(|_| state.core.life.correction(role, id).is_none()) {
        None => setback::fail(state, at, id, problem, vec![problem.to_string()]),
        Some(of) => {
            state.sprints.change(id, |sprint| sprint.checking = None);
            let (role, fault) = (role.to_owned(), problem.clone());
            state.core.life.correct(step, Correction { of, role, fault, before: None });
        }
    }
}

/// Every criterion is shown, or waits for a gate.
pub(super) fn complete(state: &mut State, at: Millis, id: &str) {
    let ordinal = state.core.life.ordinal();
    state.core.life.step_done(id);
    state.sprints.change(id, |sprint| {
        sprint.verified_ordinal = ordinal;
        // Shown again at the end it was completed when it was completed first.
        sprint.completed_at.get_or_insert(at);
        (sprint.again, sprint.adopted, sprint.alone) = (false, false, false);
        (sprint.waiting, sprint.continues) = (None, None);
        sprint.losses = 0;
        sprint.abandoned.clear();
        (sprint.checking, sprint.feedback, sprint.remaining) = (None, Vec::new(), Vec::new());
    });
    state.move_sprint(id, SprintStatus::Completed);
    let Some(sprint) = state.sprints.get(id) else { return };
    let (unit, label) = (sprint.unit.clone(), sprint.plan.label.clone());
    let word = waits_for_gate(sprint);
    let outside: Vec<&str> = sprint.outside.iter().take(20).map(String::as_str).collect();
    let note = match outside.is_empty() {
        true => String::new(),
        false => {
            format!("sprint {label} changed paths outside its directory: {}", outside.join(", "))
        }
    };
    state.units.change(&unit, |unit| unit.note = note.clone());
    last_verified(state, id);
    state.log(at, id, "COMPLETED", if note.is_empty() { word } else { note });
    state.core.life.asking.retain(|topic| !is_about(topic, "confirm", id));
    state.touch_complete();
}

/// What of a completed sprint is shown, and what is to be shown at the next gate.
fn waits_for_gate(sprint: &Sprint) -> String {
    let name = |id: &String| if id == BUILD { "the build".to_owned() } else { id.clone() };
    let waits: Vec<String> = sprint.awaits_gate.iter().map(name).collect();
    let waived = sprint.criteria.iter().any(|criterion| criterion.waived());
    match (waits.is_empty(), waived) {
        (true, false) => "every criterion is shown".to_owned(),
        (true, true) => "every criterion is shown or was let go".to_owned(),
        (false, _) => format!("to be shown at the next gate: {}", waits.join(", ")),
    }
}

/// If a sprint was completed, or shown at a gate, its unit tells the sprint's state.
pub(super) fn last_verified(state: &mut State, id: &str) {
    let Some(sprint) = state.sprints.get(id) else { return };
    let word = format!("sprint {}: {}", sprint.plan.label, waits_for_gate(sprint));
    let unit = sprint.unit.clone();
    state.units.change(&unit, |unit| unit.last_verified = word);
}

/// A person is to say whether it holds; until then it is partial, and not dispatched again.
pub(super) fn confirm(
    state: &mut State,
    at: Millis,
    id: &str,
    criteria: Vec<String>,
    findings: Vec<String>,
) {
    let known = state.core.life.asking.iter().any(|topic| is_about(topic, "confirm", id));
    state.move_sprint(id, SprintStatus::Partial);
    state.sprints.change(id, |sprint| sprint.alone = false);
    if !known {
        let findings = setback::clipped(findings);
        state.log(at, id, "PARTIAL until the user confirms", findings.join("; "));
        state.core.life.ask(&Topic::Confirm { sprint: id.to_owned(), criteria, findings });
    }
}

/// What a sprint waits for has not come. Waiting is no failure.
fn still_waiting(state: &mut State, at: Millis, id: &str, why: &str) {
    let mut polls = 0;
    state.sprints.change(id, |sprint| {
        if let Some(waiting) = sprint.waiting.as_mut() {
            waiting.polls += 1;
            polls = waiting.polls;
        }
    });
    state.log(at, id, &format!("Poll {polls}: not met"), why);
    if polls >= MOST_POLLS {
        let problem = Error::new(Code::NotShown, id, "its condition met", why).diagnostic();
        state.core.life.ask(&Topic::StillWaiting { sprint: id.to_owned(), problem });
    }
}

/// The user says that what no command shows holds.
pub(super) fn confirmed(
    state: &mut State,
    context: &Context<'_>,
    id: &str,
    ids: &[String],
    note: &str,
) {
    let commit = state.core.life.head_word().to_owned();
    let by = context.subject.as_ref().map(|subject| subject.effect.id);
    let method = match note.trim().is_empty() {
        true => "confirmed by the user".to_owned(),
        false => format!("confirmed by the user: {}", clip(note.trim(), 200)),
    };
    state.sprints.change(id, |sprint| {
        for one in ids {
            if let Some(by) = by {
                gate::shown(sprint, one, by, &method, &commit);
            }
        }
    });
    complete(state, context.head.at, id);
}
