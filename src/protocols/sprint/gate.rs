//! Gates: agents do not build while others run; the engine builds once,
//! when no run is at work. Failures go back to the sprints that caused them. The last gate shows
//! everything stale again at the final head.

use super::baseline;
use super::blame::charged;
use super::expectation::{self, judged, words};
use super::outcome;
use super::schedule::BUILD;
use super::setback;
use super::state::{
    Check, CommandLine, Gate, GateCommand, GateHeld, Sprint, SprintStatus, State, TaskKind, Topic,
    Unit, UnitStatus,
};
use crate::mission::prelude::*;
use crate::vocab::event::CommandExited;
use crate::vocab::table::ids_of;

/// Whether a gate must come before anything else is dispatched: something waits for one, and either
/// somebody waits for that, or nothing else is left to do.
pub(super) fn wanted(state: &State) -> bool {
    let ungated = |sprint: &&Sprint| !sprint.awaits_gate.is_empty();
    if state.sprints.iter().find(ungated).is_none() {
        return false;
    }
    let provisional = |id: &String| match state.units.get(id) {
        Some(unit) => unit.sprints.iter().all(|id| closed(state, id)),
        None => closed(state, id),
    };
    let held_up = |sprint: &Sprint| {
        state.waits_for(sprint).all(provisional)
            && !state.waits_for(sprint).all(|id| state.completed(id))
    };
    let demanded = state.units.live().any(|unit| {
        matches!(unit.status, UnitStatus::NotStarted | UnitStatus::Running)
            && state.current(unit).is_some_and(held_up)
    });
    demanded || !goes_on(state)
}

fn closed(state: &State, id: &str) -> bool {
    state.sprints.get(id).is_some_and(|sprint| sprint.status.closed())
}

/// Whether a unit can still do something without a gate.
fn goes_on(state: &State) -> bool {
    let moves = |unit: &Unit| {
        state.current(unit).is_some_and(|sprint| {
            let free = state.waits_for(sprint).all(|id| state.completed(id));
            let works = super::due::at_work(sprint) || sprint.status.due();
            works && free && sprint.waiting.is_none() && sprint.entry_failed.is_none()
        })
    };
    state.units.live().filter(|unit| unit.status == UnitStatus::Running).any(moves)
}

/// Opens a gate over everything that waits for one.
pub(super) fn open(state: &mut State, at: Millis) {
    let mut due: Vec<GateCommand> = Vec::new();
    // The half-done work of a stuck unit would fail the whole build, and no other unit is to blame for that.
    if state.units.count(UnitStatus::Blocked.as_str()) == 0 {
        state.core.settings.build.iter().for_each(|line| add(&mut due, line, None));
    }
    for sprint in state.sprints.iter().filter(|sprint| !sprint.awaits_gate.is_empty()) {
        for (criterion, line) in sprint.commands() {
            if sprint.awaits_gate.contains(criterion) {
                add(&mut due, line, Some((sprint.id.clone(), criterion.to_owned())));
            }
        }
    }
    begin(state, at, due, false);
}

/// At the end: builds once more at this head, and shows what was not shown at it. `false` if nothing is left.
pub(super) fn last(state: &mut State, at: Millis) -> bool {
    let Some(ordinal) = state.core.life.seen.as_ref().map(|seen| seen.ordinal) else {
        return false;
    };
    let built = state.core.shown_at == Some(ordinal);
    let again: Vec<&Sprint> = unshown(state).collect();
    if built && again.is_empty() {
        return false;
    }
    let mut due = Vec::new();
    if !built {
        state.core.settings.build.iter().for_each(|line| add(&mut due, line, None));
    }
    for sprint in again {
        for (criterion, line) in sprint.commands() {
            add(&mut due, line, Some((sprint.id.clone(), criterion.to_owned())));
        }
    }
    begin(state, at, due, true);
    true
}

/// Completed sprints that are to be shown again at the present head: what a command shows may be broken by a
/// change anywhere, what was judged by one in its own files. What was waited for came, and is not looked at again.
pub(super) fn unshown(state: &State) -> impl Iterator<Item = &Sprint> {
    let heads = state.core.life.seen.as_ref().map(|seen| seen.heads());
    let again = move |sprint: &&Sprint| {
        let Some(heads) = heads else { return false };
        let measured = sprint.plan.kind != TaskKind::Deferred && sprint.commands().next().is_some();
        sprint.status == SprintStatus::Completed
            && (measured && sprint.verified_ordinal != heads.ordinal || stale(state, sprint))
    };
    state.sprints.iter().filter(again)
}

/// Whether what was judged of a sprint may no longer hold: its own files were touched, or those its verdicts rest on.
fn stale(state: &State, sprint: &Sprint) -> bool {
    let Some(heads) = state.core.life.seen.as_ref().map(|seen| seen.heads()) else { return false };
    heads.stale(sprint.verified_ordinal, &sprint.paths, &state.touches)
        || !baseline::lapsed(state, sprint).is_empty()
}

/// At the end of a mission whose verification the user skipped: everything that would have been shown at this head is
/// waived by name, the builds and every criterion that was not shown at it.
pub(super) fn let_last_go(state: &mut State, at: Millis, why: &str) {
    let Some(ordinal) = state.core.life.seen.as_ref().map(|seen| seen.ordinal) else { return };
    if state.core.shown_at != Some(ordinal) {
        let lines: Vec<String> = state.core.settings.build.iter().map(words).collect();
        for line in lines {
            state.let_gate_go(&format!("`{line}` was not run: {why}"));
        }
        state.core.shown_at = Some(ordinal);
    }
    let again = unshown(state).map(|sprint| (sprint.id.clone(), stale(state, sprint)));
    let again: Vec<(String, bool)> = again.collect();
    for (id, stale) in again {
        state.sprints.change(&id, |sprint| {
            sprint.verified_ordinal = ordinal;
            for (one, check) in sprint.criteria.iter_mut().zip(&sprint.checks) {
                // A verdict still counts if none of its own files was touched.
                if !one.waived() && (stale || matches!(check, Check::Command(_))) {
                    let why = format!("not shown at the final head: {why}");
                    one.state = CriterionState::Waived { by: "user".to_owned(), why };
                }
            }
        });
        state.log(at, &id, "Not shown at the final head", why);
    }
    state.touch_complete();
}

/// A command that shows several criteria is run once.
fn add(due: &mut Vec<GateCommand>, line: &CommandLine, shows: Option<(String, String)>) {
    match due.iter_mut().find(|one| one.line == *line) {
        Some(known) => known.shows.extend(shows),
        None => due.push(GateCommand { line: line.clone(), shows: shows.into_iter().collect() }),
    }
}

fn begin(state: &mut State, at: Millis, due: Vec<GateCommand>, last: bool) {
    state.core.counts.gates += 1;
    let number = state.core.counts.gates;
    let word = match last {
        true => "everything is shown at the final head",
        false => "all agents of the phase are at rest",
    };
    state.log(at, "", &format!("Gate {number}: {} commands", due.len()), word);
    let (failed, unshown, held) = (BTreeMap::new(), BTreeSet::new(), Vec::new());
    state.core.gate = Some(Gate { number, last, due, failed, unshown, held });
    close_if_over(state, at);
}

/// A command of the gate exited.
pub(super) fn exited(state: &mut State, at: Millis, fact: &CommandExited) {
    let core = &mut *state.core;
    let Some(gate) = core.gate.as_mut().filter(|gate| !gate.due.is_empty()) else { return };
    let command = gate.due.remove(0);
    let words = words(&command.line);
    match judged(&core.settings, &command.line, fact) {
        Ok(()) => gate.held.extend(command.shows.into_iter().map(|(sprint, criterion)| GateHeld {
            sprint,
            criterion,
            by: fact.effect,
            method: words.clone(),
        })),
        Err(problem) => {
            core.life.last_problem = Some(problem.clone());
            return blame(state, at, command, &problem, fact);
        }
    }
    close_if_over(state, at);
}

/// A failure goes back to the sprints that have to fix it; if there is none, the user is asked.
fn blame(
    state: &mut State,
    at: Millis,
    command: GateCommand,
    problem: &Diagnostic,
    fact: &CommandExited,
) {
    let shows: BTreeSet<String> = command.shows.iter().map(|(sprint, _)| sprint.clone()).collect();
    let charged = |gate: &Gate| charged(state, gate, &shows, &fact.output);
    let to = state.core.gate.as_ref().map(charged).unwrap_or_default();
    if to.is_empty() {
        state.log(at, "", "Gate failed", problem.to_string());
        state.core.gate = None;
        state.core.life.ask(&Topic::GateFailed { problem: problem.clone() });
        return;
    }
    let labels: Vec<&str> = to.iter().map(String::as_str).collect();
    let event = format!("Gate failed: attributed to {}", labels.join(", "));
    state.log(at, "", &event, problem.to_string());
    let tail = clip(fact.output.trim(), 1_500);
    if let Some(gate) = state.core.gate.as_mut() {
        gate.unshown.extend(shows);
        for id in to {
            let text = format!("failed at the gate: {}\n{tail}", expectation::found(problem));
            gate.failed.entry(id).or_default().push(text);
        }
    }
    close_if_over(state, at);
}

/// When nothing of the gate is left: what held is verified, what failed goes back to its sprint.
fn close_if_over(state: &mut State, at: Millis) {
    let Some(gate) = state.core.gate.take_if(|gate| gate.due.is_empty()) else { return };
    let (head, ordinal) = (state.core.life.head_word().to_owned(), state.core.life.ordinal());
    let waited = ids_of(state.sprints.iter().filter(|sprint| !sprint.awaits_gate.is_empty()));
    for held in &gate.held {
        state.sprints.change(&held.sprint, |sprint| {
            shown(sprint, &held.criterion, held.by, &held.method, &head);
            sprint.awaits_gate.remove(&held.criterion);
        });
    }
    for id in waited.iter().filter(|id| !gate.failed.contains_key(*id)) {
        state.sprints.change(id, |sprint| {
            sprint.awaits_gate.remove(BUILD);
        });
        outcome::last_verified(state, id);
    }
    if gate.failed.is_empty() {
        state.core.shown_at = Some(ordinal);
        state.log(at, "", &format!("Gate {} held", gate.number), format!("at {head}"));
    }
    if gate.last {
        show_again(state, &gate, ordinal);
    }
    for (id, texts) in gate.failed {
        let error = Error::new(Code::CommandFailed, &id, "a gate that holds", texts.join("; "));
        setback::fail(state, at, &id, &error.diagnostic(), texts);
    }
    state.touch_complete();
}

/// What was shown by commands is shown at this head; where a judgement went stale a verifier is sent once more.
fn show_again(state: &mut State, gate: &Gate, ordinal: u64) {
    let held = |id: &String| !gate.failed.contains_key(id) && !gate.unshown.contains(id);
    let ids: Vec<String> = unshown(state).map(|sprint| sprint.id.clone()).filter(held).collect();
    for id in ids {
        let sprint = state.sprints.get(&id);
        let judged = sprint.is_some_and(|sprint| {
            stale(state, sprint) && sprint.left_to(Check::Verifier).next().is_some()
        });
        state.sprints.change(&id, |sprint| {
            if judged {
                let ids = sprint.left_to(Check::Verifier).map(|one| one.id.clone());
                let ids: Vec<String> = ids.collect();
                baseline::reopen(sprint, &ids);
            }
            sprint.again = judged;
            sprint.rounds = 0;
            if !judged {
                sprint.verified_ordinal = ordinal;
            }
        });
        if judged {
            let unit = state.sprints.get(&id).map(|sprint| sprint.unit.clone());
            state.move_unit(&unit.unwrap_or_default(), UnitStatus::Running);
            state.move_sprint(&id, SprintStatus::Verifying);
        }
    }
}

/// Marks a criterion as shown by an effect of the engine.
pub(super) fn shown(sprint: &mut Sprint, id: &str, by: EffectId, method: &str, commit: &str) {
    let found = sprint.criteria.iter_mut().find(|one| one.id == id && !one.waived());
    let Some(criterion) = found else { return };
    let (claimed_by, proof) = match &criterion.state {
        CriterionState::Claimed { by, evidence } => {
            (Some(by.clone()), evidence.iter().map(|one| one.line()).collect())
        }
        CriterionState::Verified { claimed_by, proof, .. } => (claimed_by.clone(), proof.clone()),
        CriterionState::Open | CriterionState::Rejected { .. } | CriterionState::Waived { .. } => {
            (None, Vec::new())
        }
    };
    criterion.state = CriterionState::Verified {
        claimed_by,
        verified_by: vec![by],
        method: method.to_owned(),
        commit: commit.to_owned(),
        proof,
    };
}
