//! SUPERVISOR_STATE.md: plan summary, every work unit with its fields, the active agents, the decisions; and what is
//! told of them when everything was killed.

use super::super::model;
use super::super::state::{DecisionRow, Sprint, State, Unit, UnitStatus};
use super::{cell, joined};
use crate::mission::prelude::*;
use crate::mission::template::{Fields, fields, fill, lines, render, rows, section};
use crate::vocab::time::rfc3339;

const PAGE: &str = include_str!("SUPERVISOR_STATE.md");

/// The most decisions that are shown; the log next to it has all.
const MOST_DECISIONS: usize = 500;

/// The whole page.
pub(super) fn page(state: &State, head: &Head) -> String {
    let (core, settings) = (&state.core, &state.core.settings);
    let plan = settings.plan.as_ref().map_or("none", |plan| plan.path.as_str());
    let skipped = state.decisions.len().saturating_sub(MOST_DECISIONS);
    let earlier = || fields! { count: skipped, log: super::DECISIONS };
    let runs = || rows(core.life.runs.iter().filter_map(|run| agent(state, run)));
    let told = standing(state).and(fields! {
        mission: cell(settings.operation.as_deref().unwrap_or(&settings.mission)),
        plan: cell(plan),
        unit_count: state.units.len(),
        sprint_count: state.sprints.len(),
        structure: settings.structure.as_str(),
        template: settings.template.is_some(),
        overall: overall(state, head),
        killed: core.killed_at.map(|at| fields! { at: rfc3339(at) }),
        lost: lines("line", core.lost_heads.iter().map(|line| cell(line))),
        blocked: core.life.blocked.as_ref().map(|one| fields! { problem: cell(&one.to_string()) }),
        agents: (!core.life.runs.is_empty()).then(|| fields! { runs: runs() }),
        sprints: rows(state.sprints.iter().map(|one| sprint(state, one))),
        decisions: rows(state.decisions.iter().skip(skipped).map(decision)),
        earlier: (skipped > 0).then(earlier),
    });
    render(PAGE, &told)
}

/// The lines of the section on where the work units stand.
pub fn status_table(state: &State) -> Vec<String> {
    let text = fill(section(PAGE, "Supervisor Status"), &standing(state));
    text.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect()
}

fn overall(state: &State, head: &Head) -> &'static str {
    match (state.core.killed_at, &state.core.life.done, head.control) {
        (Some(_), _, _) => "killed",
        (None, Some(_), _) => "completed",
        (None, None, Control::Held) => "not started",
        (None, None, Control::Paused) => "paused",
        (None, None, Control::Stopped) if state.core.stopping.is_some() => "stopping",
        (None, None, Control::Stopped) => "stopped",
        (None, None, Control::Running) => match state.core.stands.unwrap_or(Continuation::Continue)
        {
            Continuation::Blocked => "blocked",
            Continuation::AwaitUserInput => "awaiting the user",
            _ => "running",
        },
    }
}

/// The state of each work unit, how many are at work and how many cannot go on, and why.
fn standing(state: &State) -> Fields {
    let stuck: Vec<&Unit> =
        state.units.iter().filter(|unit| unit.status == UnitStatus::Blocked).collect();
    let reason = |unit: &&Unit| fields! { name: cell(&unit.name), note: cell(&unit.note) };
    fields! {
        most: state.core.settings.max_retries,
        units: rows(state.units.iter().map(|one| unit(state, one))),
        active: state.core.life.runs.len(),
        stuck_count: stuck.len(),
        stuck: rows(stuck.iter().map(reason)),
    }
}

fn unit(state: &State, unit: &Unit) -> Fields {
    let closed = |id: &&String| state.sprints.get(id).is_some_and(|one| one.status.closed());
    let done = unit.sprints.iter().filter(closed).count();
    let (current, last) = (state.current(unit), last(state, unit));
    let begun = current.filter(|sprint| sprint.first_dispatched_at.is_some());
    // The last sprint of a unit that is through may have been skipped.
    let ended = last.filter(|_| current.is_none()).map_or("—", |sprint| sprint.status.as_str());
    fields! {
        id: &unit.id,
        name: cell(&unit.name),
        state: unit.status.as_str(),
        directory: if unit.directory.is_empty() { ".".to_owned() } else { cell(&unit.directory) },
        after: (!unit.after.is_empty()).then(|| fields! { ids: cell(&unit.after.join(", ")) }),
        place: done + usize::from(begun.is_some()),
        total: unit.sprints.len(),
        begun: begun.map(|one| sprint(state, one)),
        ended: ended,
        current: current.or(last).map(|sprint| placed(state, unit, sprint)),
        verified: cell(&unit.last_verified),
        note: cell(&unit.note),
    }
}

fn last<'a>(state: &'a State, unit: &Unit) -> Option<&'a Sprint> {
    unit.sprints.last().and_then(|id| state.sprints.get(id))
}

/// A sprint with its number in its unit: labels may run through the whole plan.
fn placed(state: &State, unit: &Unit, one: &Sprint) -> Fields {
    let number = unit.sprints.iter().take_while(|id| **id != one.id).count() + 1;
    let labelled = one.plan.label != number.to_string();
    sprint(state, one).and(fields! { number: number, labelled: labelled })
}

fn sprint(state: &State, sprint: &Sprint) -> Fields {
    let choice = sprint.choice.as_ref();
    let model = |tier| cell(state.core.settings.names.of(tier));
    fields! {
        unit: cell(&sprint.unit),
        label: &sprint.plan.label,
        title: cell(&sprint.plan.name),
        status: sprint.status.as_str(),
        kind: sprint.plan.kind.as_str(),
        attempt: sprint.attempt,
        model: choice.map_or("—".to_owned(), |choice| model(choice.tier)),
        score: choice.map_or("—".to_owned(), |choice| model::shown(choice.sixths)),
    }
}

/// A run that is alive, on its sprint.
fn agent(state: &State, run: &Run) -> Option<Fields> {
    let watched = state.core.watched.get(&run.by.run)?;
    Some(sprint(state, state.sprints.get(&run.item)?).and(fields! {
        verifier: run.access == Access::ReadOnly,
        run: run.by.run.to_string(),
        started: rfc3339(watched.started_at),
    }))
}

fn decision(row: &DecisionRow) -> Fields {
    fields! {
        at: rfc3339(row.at),
        unit: cell(&row.unit),
        sprint: cell(&row.sprint),
        decision: cell(&row.decision),
        rationale: cell(&row.rationale),
    }
}

/// The report of a killall: who was ended, what is not committed, where each unit goes on.
pub(in super::super) fn killed(state: &State, ended: u64) -> String {
    let sprints = |unit: &Unit| -> Vec<&Sprint> {
        unit.sprints.iter().filter_map(|id| state.sprints.get(id)).collect()
    };
    let left = |unit: &Unit| sprints(unit).iter().any(|sprint| !sprint.abandoned.is_empty());
    let names = state.units.iter().filter(|unit| left(unit)).map(|unit| cell(&unit.name));
    let next = |sprint: &Sprint| {
        fields! { begun: sprint.first_dispatched_at.is_some(), label: &sprint.plan.label }
    };
    let row = |unit: &Unit| {
        let closed = sprints(unit).into_iter().rfind(|sprint| sprint.status.closed());
        fields! {
            name: cell(&unit.name),
            state: unit.status.as_str(),
            left: left(unit),
            closed: closed.map_or("—", |sprint| sprint.plan.label.as_str()),
            next: state.current(unit).map(next),
        }
    };
    let units = rows(state.units.iter().map(row));
    let told = fields! { ended: ended, names: joined(names), units: units };
    render(include_str!("KILLED.md").trim_end(), &told)
}
