//! SUPERVISOR_STATE.md: plan summary, every work unit with its fields, the active agents, the decisions.

use super::super::model;
use super::super::role::Role;
use super::super::state::{Sprint, State, Unit, UnitStatus};
use super::cell;
use crate::mission::{Continuation, Control, Head};
use crate::vocab::time::rfc3339;
use std::fmt::Write;

/// The most decisions that are shown; all stand in the log beside it.
const MOST_DECISIONS: usize = 500;

pub(super) fn render(state: &State, head: &Head) -> String {
    let settings = &state.core.settings;
    let title = settings.operation.as_deref().unwrap_or(&settings.mission);
    let mut page = format!("# SUPERVISOR_STATE.md — {}\n\n", cell(title));
    summary(state, &mut page);
    overall(state, head, &mut page);
    status_table(state, &mut page);
    page.push_str("\n## Per-Work-Unit State\n");
    for unit in state.units.iter() {
        block(state, unit, &mut page);
    }
    agents(state, &mut page);
    sprints(state, &mut page);
    decisions(state, &mut page);
    page
}

fn summary(state: &State, page: &mut String) {
    let settings = &state.core.settings;
    let mode = if settings.template.is_some() { "template" } else { "dynamic" };
    let plan = settings.plan.as_ref().map_or("none", |plan| plan.path.as_str());
    let _ = write!(
        page,
        "## Plan Summary\n\n- Plan: {}\n- Work units: {}\n- Total sprints: {}\n- Dependency structure: \
         {}\n- Dispatch mode: {mode}\n- Max retries: {}\n\n## Work Units\n\n| Name | Directory | Sprints | \
         Dependencies |\n|------|-----------|---------|-------------|\n",
        cell(plan),
        state.units.len(),
        state.sprints.len(),
        settings.structure.as_str(),
        settings.max_retries
    );
    for unit in state.units.iter() {
        let _ = writeln!(
            page,
            "| {} | {} | {} | {} |",
            cell(&unit.name),
            directory(unit),
            unit.sprints.len(),
            dependencies(unit, "none")
        );
    }
}

fn directory(unit: &Unit) -> String {
    if unit.directory.is_empty() { ".".to_owned() } else { cell(&unit.directory) }
}

fn dependencies(unit: &Unit, none: &str) -> String {
    match unit.after.is_empty() {
        true => none.to_owned(),
        false => cell(&unit.after.join(", ")),
    }
}

fn overall(state: &State, head: &Head, page: &mut String) {
    let word = match (state.core.killed_at, &state.core.done, head.control) {
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
    };
    let _ = write!(page, "\n## Overall Status\n\n- Status: {word}\n");
    if let Some(at) = state.core.killed_at {
        let _ = write!(
            page,
            "- Kill reason: user invoked killall\n- Kill timestamp: {}\n",
            rfc3339(at)
        );
    }
    for line in &state.core.lost_heads {
        let _ = writeln!(page, "- Gone from the branch: {}", cell(line));
    }
    if let Some(problem) = &state.core.blocked {
        let _ = writeln!(page, "- Blocked: {}", cell(&problem.to_string()));
    }
}

/// The status table, in formal names only.
pub(super) fn status_table(state: &State, page: &mut String) {
    page.push_str(
        "\n## Supervisor Status\n\n| Work Unit | Deps | State | Sprint | Sprint State | Type | Model | \
         Attempt |\n|-----------|------|-------|--------|-------------|------|-------|---------|\n",
    );
    for unit in state.units.iter() {
        let total = unit.sprints.len();
        let closed = |id: &&String| state.sprints.get(id).is_some_and(|one| one.status.closed());
        let done = unit.sprints.iter().filter(closed).count();
        let sprint = state.current(unit);
        let begun = sprint.filter(|sprint| sprint.first_dispatched_at.is_some());
        let place = if sprint.is_some() && begun.is_some() { done + 1 } else { done };
        let (word, kind, model, attempt) = match (sprint, begun) {
            (Some(sprint), Some(_)) => (
                sprint.status.as_str().to_owned(),
                sprint.kind.as_str().to_owned(),
                model_of(state, sprint),
                format!("{}/{}", sprint.attempt, state.core.settings.max_retries),
            ),
            (None, _) => (last_word(state, unit), "—".to_owned(), "—".to_owned(), "—".to_owned()),
            (Some(_), None) => ("—".to_owned(), "—".to_owned(), "—".to_owned(), "—".to_owned()),
        };
        let _ = writeln!(
            page,
            "| {} | {} | {} | {place}/{total} | {word} | {kind} | {model} | {attempt} |",
            cell(&unit.name),
            dependencies(unit, "—"),
            unit.status.as_str()
        );
    }
    standing(state, page);
}

/// The status of the last sprint of a unit that is through: it may have been let go.
fn last_word(state: &State, unit: &Unit) -> String {
    let last = unit.sprints.last().and_then(|id| state.sprints.get(id));
    last.map_or("—", |sprint| sprint.status.as_str()).to_owned()
}

/// How many are at work and how many cannot go on, and why.
fn standing(state: &State, page: &mut String) {
    let blocked = |unit: &&Unit| unit.status == UnitStatus::Blocked;
    let _ = write!(
        page,
        "\nActive agents: {}\nBlocked work units: {}\n",
        state.core.runs.len(),
        state.units.iter().filter(blocked).count()
    );
    for unit in state.units.iter().filter(blocked) {
        let _ = writeln!(page, "BLOCKED: {} — {}", cell(&unit.name), cell(&unit.note));
    }
}

/// The report of a killall: who was ended, what is not committed, where each unit goes on.
pub(super) fn killed(state: &State, ended: u64) -> String {
    let left = |unit: &Unit| {
        let sprints = unit.sprints.iter().filter_map(|id| state.sprints.get(id));
        sprints.into_iter().any(|sprint| !sprint.abandoned.is_empty())
    };
    let names: Vec<String> =
        state.units.iter().filter(|unit| left(unit)).map(|unit| cell(&unit.name)).collect();
    let names = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
    let mut text = format!(
        "Kill all complete.\nAgents terminated: {ended}\nWork units with uncommitted work: {names}\n\n| Work \
         Unit | State | Last Completed Sprint | Uncommitted Work | Action Needed |\n\
         |-----------|-------|-----------------------|------------------|---------------|\n"
    );
    for unit in state.units.iter() {
        let mut sprints = unit.sprints.iter().filter_map(|id| state.sprints.get(id));
        let closed = sprints.rfind(|sprint| sprint.status.closed());
        let action = match state.current(unit) {
            None => "none".to_owned(),
            Some(sprint) if sprint.first_dispatched_at.is_some() => {
                format!("restart {}", sprint.plan.label)
            }
            Some(sprint) => format!("resume from {}", sprint.plan.label),
        };
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {action} |",
            cell(&unit.name),
            unit.status.as_str(),
            closed.map_or("—", |sprint| sprint.plan.label.as_str()),
            if left(unit) { "yes" } else { "no" }
        );
    }
    text.push_str("\nNothing was committed or thrown away. Resume the mission to go on.");
    text
}

fn model_of(state: &State, sprint: &Sprint) -> String {
    let choice = sprint.choice.as_ref();
    choice.map_or("—".to_owned(), |choice| cell(state.core.settings.name(choice.tier)))
}

fn score_of(sprint: &Sprint) -> String {
    sprint.choice.as_ref().map_or("—".to_owned(), |choice| model::shown(choice.sixths))
}

fn block(state: &State, unit: &Unit, page: &mut String) {
    let last = unit.sprints.last().and_then(|id| state.sprints.get(id));
    let Some(sprint) = state.current(unit).or(last) else { return };
    let place = unit.sprints.iter().take_while(|id| **id != sprint.id).count() + 1;
    // Labels may run through the whole plan.
    let label = match sprint.plan.label == place.to_string() {
        true => format!("{place} of {}", unit.sprints.len()),
        false => format!("{} ({place} of {})", sprint.plan.label, unit.sprints.len()),
    };
    let _ = write!(
        page,
        "\n### {}\n\n- Work unit id: {}\n- Work unit state: {}\n- Current sprint: {label}\n- Sprint \
         state: {}\n- Sprint type: {}\n- Model: {}\n- Complexity score: {}\n- Attempt: {} of {}\n- Last \
         verified: {}\n- Notes: {}\n",
        cell(&unit.name),
        unit.id,
        unit.status.as_str(),
        sprint.status.as_str(),
        sprint.kind.as_str(),
        model_of(state, sprint),
        score_of(sprint),
        sprint.attempt,
        state.core.settings.max_retries,
        cell(&unit.last_verified),
        cell(&unit.note)
    );
}

fn agents(state: &State, page: &mut String) {
    page.push_str("\n## Active Agents\n\n");
    if state.core.runs.is_empty() {
        let word = match state.core.killed_at {
            Some(_) => "(none — all agents terminated)\n",
            None => "(none)\n",
        };
        page.push_str(word);
        return;
    }
    page.push_str(
        "| Work Unit | Sprint | Sprint State | Attempt | Model | Complexity Score | Task ID | Output File \
         | Dispatched At |\n|-----------|--------|-------------|---------|-------|-----------------|---------\
         |-------------|---------------|\n",
    );
    for run in &state.core.runs {
        let Some(sprint) = state.sprints.get(&run.sprint) else { continue };
        let verifies = run.role == Role::Verifier;
        let model = if verifies { "verifier".to_owned() } else { model_of(state, sprint) };
        let _ = writeln!(
            page,
            "| {} | {} | {} | {}/{} | {model} | {} | {} | .agent/endstate/runs/{} | {} |",
            cell(&sprint.unit),
            sprint.plan.label,
            sprint.status.as_str(),
            sprint.attempt,
            state.core.settings.max_retries,
            score_of(sprint),
            run.by.run,
            run.by.run,
            rfc3339(run.started_at)
        );
    }
}

/// Every sprint: what a supervisor that takes over needs to know.
fn sprints(state: &State, page: &mut String) {
    page.push_str(
        "\n## Sprints\n\n| Work Unit | Sprint | Name | Sprint State | Attempt |\n\
         |-----------|--------|------|-------------|---------|\n",
    );
    for sprint in state.sprints.iter() {
        let _ = writeln!(
            page,
            "| {} | {} | {} | {} | {}/{} |",
            cell(&sprint.unit),
            sprint.plan.label,
            cell(&sprint.plan.name),
            sprint.status.as_str(),
            sprint.attempt,
            state.core.settings.max_retries
        );
    }
}

fn decisions(state: &State, page: &mut String) {
    page.push_str(
        "\n## Decisions Log\n\n| Timestamp | Work Unit | Sprint | Decision | Rationale |\n\
         |-----------|-----------|--------|----------|-----------|\n",
    );
    let skipped = state.decisions.len().saturating_sub(MOST_DECISIONS);
    for row in state.decisions.iter().skip(skipped) {
        let _ = writeln!(
            page,
            "| {} | {} | {} | {} | {} |",
            rfc3339(row.at),
            cell(&row.unit),
            cell(&row.sprint),
            cell(&row.decision),
            cell(&row.rationale)
        );
    }
    if skipped > 0 {
        let _ = write!(page, "\n{skipped} earlier decisions: {}\n", super::DECISIONS);
    }
}
