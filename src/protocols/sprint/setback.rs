//! What keeps a sprint from its end: a lost run, partial work, a failed attempt, a wrong plan.

use super::state::{SprintStatus, State, UnitStatus};
use crate::mission::prelude::*;
use crate::vocab::ledger;

/// Whether one more run of this sprint may be lost without being counted as a failure.
pub(super) fn may_be_lost(state: &State, id: &str) -> bool {
    let most = state.core.settings.max_retries;
    state.sprints.get(id).is_some_and(|sprint| sprint.losses < most)
}

/// A run is gone and nothing came of it: no attempt, no continuation, no round and no other model, for
/// it is no fault of its own. Only the budget of runs is spent.
pub(super) fn lost(state: &mut State, at: Millis, id: &str, why: &str) {
    state.sprints.change(id, |sprint| sprint.losses += 1);
    state.core.life.step_done(id);
    if state.stands_at(id, SprintStatus::Running) {
        state.sprints.change(id, |sprint| {
            sprint.alone = false;
            sprint.awaits_gate.clear();
        });
        state.move_sprint(id, SprintStatus::Backoff);
    }
    state.log(at, id, "Run lost, its attempt is kept", why);
}

/// A run is gone, and something of its work is there: the next run goes on from it.
pub(super) fn lost_on_the_way(
    state: &mut State,
    at: Millis,
    id: &str,
    why: &str,
    remaining: Vec<String>,
) {
    state.sprints.change(id, |sprint| {
        sprint.losses += 1;
        sprint.remaining = clipped(remaining);
        sprint.feedback.push(format!("An earlier run was lost on the way: {why}"));
        (sprint.continues, sprint.alone) = (None, false);
    });
    state.core.life.step_done(id);
    state.move_sprint(id, SprintStatus::Partial);
    state.log(at, id, "PARTIAL, its run was lost", why);
}

/// What an earlier supervisor recorded as done is not: what is seen wins.
pub(super) fn not_as_recorded(state: &mut State, at: Millis, id: &str, why: &str) {
    state.sprints.change(id, |sprint| sprint.adopted = false);
    state.move_sprint(id, SprintStatus::Pending);
    state.log(at, id, "Recorded as COMPLETED, but it is not", why);
}

/// Progress was made and work is left: no attempt is used, but one of few continuations.
pub(super) fn partial(
    state: &mut State,
    at: Millis,
    id: &str,
    why: &str,
    remaining: Vec<String>,
    continues: Option<EffectId>,
) {
    let most = state.core.settings.max_continuations;
    let used = state.sprints.get(id).map_or(0, |sprint| sprint.continuations);
    if used >= most {
        let got = format!("{most} continuations used up; {why}");
        let problem = Error::new(Code::RunExhausted, id, "a completed sprint", got).diagnostic();
        return fail(state, at, id, &problem, remaining);
    }
    state.core.counts.continuations += 1;
    state.sprints.change(id, |sprint| {
        sprint.remaining = clipped(remaining);
        sprint.feedback = vec![why.to_owned()];
        (sprint.continues, sprint.alone) = (continues, false);
    });
    state.core.life.step_done(id);
    state.move_sprint(id, SprintStatus::Partial);
    state.log(at, id, "PARTIAL", why);
}

pub(super) fn clipped(lines: Vec<String>) -> Vec<String> {
    lines.into_iter().take(50).map(|line| clip(line.trim(), 2_000)).collect()
}

/// An attempt failed: the next one is due, or none is left.
pub(super) fn fail(
    state: &mut State,
    at: Millis,
    id: &str,
    problem: &Diagnostic,
    words: Vec<String>,
) {
    let Some(sprint) = state.sprints.get(id) else { return };
    let (attempt, most) = (sprint.attempt, state.core.settings.max_retries);
    let (unit, label) = (sprint.unit.clone(), sprint.plan.label.clone());
    state.core.life.last_problem = Some(problem.clone());
    state.core.counts.failed_attempts += 1;
    let mut told = vec![format!("Attempt {attempt} failed.")];
    told.extend(clipped(words));
    state.sprints.change(id, |sprint| {
        sprint.failures += 1;
        (sprint.continuations, sprint.rounds, sprint.losses) = (0, 0, 0);
        (sprint.feedback, sprint.remaining) = (told, Vec::new());
        (sprint.continues, sprint.checking) = (None, None);
        (sprint.alone, sprint.again) = (false, false);
        sprint.awaits_gate.clear();
        sprint.grounds.clear();
        sprint.completed_at = None;
        ledger::reopen(&mut sprint.criteria);
    });
    state.core.life.step_done(id);
    reopen_unit(state, &unit);
    state.move_sprint(id, SprintStatus::Backoff);
    if attempt < most {
        state.sprints.change(id, |sprint| sprint.attempt += 1);
        let event = format!("BACKOFF, attempt {}/{most}", attempt + 1);
        return state.log(at, id, &event, problem.to_string());
    }
    state.move_sprint(id, SprintStatus::Fatal);
    block_unit(state, &unit, &format!("sprint {label} is FATAL after {most} attempts"));
    state.log(at, id, &format!("FATAL after attempt {attempt}/{most}"), problem.to_string());
    let text = format!(
        "BLOCKED: {unit} sprint {label} failed after {most} attempts. Last failure: {problem} \
         Resume the mission to try again."
    );
    state.core.life.files.say(Level::Warning, clip(&text, 600));
}

/// A unit whose sprint is open again is not completed.
pub(super) fn reopen_unit(state: &mut State, unit: &str) {
    state.move_unit_if(unit, |from| from == UnitStatus::Completed, UnitStatus::Running);
}

/// No sprint of the unit is dispatched before the user acts.
pub(super) fn block_unit(state: &mut State, unit: &str, note: &str) {
    state.move_unit_if(unit, |from| from.may_become(UnitStatus::Blocked), UnitStatus::Blocked);
    state.units.change(unit, |unit| unit.note = note.to_owned());
}

/// The agent proved the plan wrong: no attempt is used, and the unit waits for another plan.
pub(super) fn replan(state: &mut State, at: Millis, id: &str, reasons: &[String]) {
    let Some(sprint) = state.sprints.get(id) else { return };
    let (unit, label) = (sprint.unit.clone(), sprint.plan.label.clone());
    let why = clip(&reasons.join("; "), 600);
    let open = sprint.criteria.iter().filter(|one| !one.settled()).map(|one| one.id.clone());
    let reword = super::ask::reword(id, &open.collect::<Vec<_>>());
    state.sprints.change(id, |sprint| {
        sprint.feedback = vec![format!("An earlier run proved the plan wrong: {why}")];
        sprint.alone = false;
    });
    state.core.life.step_done(id);
    state.move_sprint(id, SprintStatus::Replan);
    block_unit(
        state,
        &unit,
        &format!("sprint {label} needs another plan (amend, reopen, skip or defer it): {why}"),
    );
    state.log(at, id, "REPLAN, attempt unchanged", why.clone());
    let text = format!(
        "BLOCKED: {unit} sprint {label} proves the plan wrong: {why}. To change what it must show, {reword}. To send \
         it again with a word of yours: `endstate reopen {id} --reason WORDS`. To do without it: `endstate skip \
         {id} --reason WHY`, or `defer`."
    );
    state.core.life.files.say(Level::Warning, text);
}
