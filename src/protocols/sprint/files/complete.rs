//! `COMPLETE_<PROJECT>.md`: what was verifiably done, sprint by sprint as it is completed; when the mission is
//! done, the verification of the whole with its verdict. Every number is computed from the state.

use super::super::model;
use super::super::state::{Sprint, SprintStatus, State, TaskKind};
use super::numbers::*;
use super::{cadence, cell, issues, joined};
use crate::mission::prelude::*;
use crate::mission::template::{Fields, fields, lines, render, rows};
use crate::vocab::time::rfc3339;

/// The whole log.
pub(super) fn page(state: &State, head: &Head) -> String {
    let done = completed(state);
    let start = state.core.began_at.unwrap_or(head.at);
    let updated = done.iter().filter_map(|one| one.completed_at).max().unwrap_or(start);
    let mut told = summary(state, &done).and(fields! {
        project: cell(&state.core.settings.project),
        start: rfc3339(start),
        updated: rfc3339(updated),
        duration: span(sum(&done, duration)),
        most: state.core.settings.max_retries,
        sprints: rows(done.iter().map(|one| sprint(state, one))),
        end: state.core.life.done.is_some(),
    });
    if let Some(ended_at) = state.core.ended_at {
        let issues = issues::told(&issues::issues(state));
        told = told.and(verification(state, &done)).and(issues);
        told = told.and(cadence::told(state, &done, ended_at));
    }
    render(include_str!("COMPLETE.md"), &told)
}

/// What was done, with what it cost.
fn summary(state: &State, done: &[&Sprint]) -> Fields {
    let name = |(tier, many)| format!("{}×{many}", state.core.settings.names.of(tier));
    let used = TIERS.into_iter().map(|tier| (tier, of_tier(done, tier).len()));
    let used: Vec<String> = used.filter(|(_, many)| *many > 0).map(name).collect();
    fields! {
        planned: state.sprints.len(),
        completed: done.len(),
        models: if used.is_empty() { "none yet".to_owned() } else { used.join(", ") },
        tiers: cadence::tiers(state, done),
        cost: cost(done),
    }
}

fn sprint(state: &State, sprint: &Sprint) -> Fields {
    let settings = &state.core.settings;
    let unit = state.units.get(&sprint.unit).map_or(&sprint.unit, |unit| &unit.name);
    let moment = |at: Option<Millis>| at.map_or("—".to_owned(), rfc3339);
    let outside = || fields! { paths: joined(sprint.outside.iter().take(20).map(|one| cell(one))) };
    committed(state, sprint).and(fields! {
        id: cell(&sprint.id),
        label: &sprint.plan.label,
        name: cell(&sprint.plan.name),
        unit: cell(unit),
        kind: sprint.plan.kind.as_str(),
        model: tier(sprint).map_or("none", |tier| settings.names.of(tier)),
        score: sprint.choice.as_ref().map_or("—".to_owned(), |one| model::shown(one.sixths)),
        // The count begins again with each resume.
        attempt: sprint.attempt,
        resumed: sprint.failures.checked_add(1) != Some(sprint.attempt),
        attempts: sprint.failures.saturating_add(1),
        failures: sprint.failures,
        started: moment(sprint.first_dispatched_at),
        completed: moment(sprint.completed_at),
        duration: span(duration(sprint)),
        turns: turns(sprint, settings.max_turns),
        criteria: rows(sprint.criteria.iter().map(criterion)),
        criterion_count: sprint.criteria.len(),
        verified: verified(sprint),
        whole: whole(sprint),
        outside: (!sprint.outside.is_empty()).then(outside),
    })
}

/// Turns of the last run, as far as it told them.
fn turns(sprint: &Sprint, most: u32) -> Option<Fields> {
    let used = last_turns(sprint);
    (used > 0).then(|| fields! { used: used, most: most, percent: percent(used, most.into()) })
}

fn criterion(criterion: &Criterion) -> Fields {
    let (shown, waived) = match &criterion.state {
        CriterionState::Verified { method, .. } => {
            (Some(fields! { method: cell(&clip(method, 120)) }), None)
        }
        CriterionState::Waived { why, .. } => (None, Some(fields! { why: cell(why) })),
        CriterionState::Open | CriterionState::Claimed { .. } | CriterionState::Rejected { .. } => {
            (None, None)
        }
    };
    fields! {
        id: &criterion.id,
        text: cell(criterion.text.trim()),
        open: shown.is_none() && waived.is_none(),
        shown: shown,
        waived: waived,
    }
}

/// How many of its criteria were shown.
fn verified(sprint: &Sprint) -> usize {
    sprint.criteria.iter().filter(|one| one.verified()).count()
}

fn whole(sprint: &Sprint) -> bool {
    verified(sprint) == sprint.criteria.len()
}

/// The commits of a sprint, in short, and how many of them are not in the history any more.
fn committed(state: &State, sprint: &Sprint) -> Fields {
    let short = |id: &String| {
        let lost = if state.core.gone.contains(id) { " (no longer in the history)" } else { "" };
        format!("{}{lost}", clip(id, 7).trim_end_matches('…'))
    };
    let (code, many) = (sprint.plan.kind == TaskKind::Code, sprint.commits.len());
    let gone = some(issues::gone(state, sprint).count());
    let worked = || fields! { count: many, none: many == 0, gone: gone };
    fields! {
        commits: joined(sprint.commits.iter().map(short)),
        no_code: !code,
        before: code && sprint.runs == 0,
        worked: (code && sprint.runs > 0).then(worked),
    }
}

fn some(many: usize) -> Option<Fields> {
    (many > 0).then(|| fields! { count: many })
}

fn verification(state: &State, done: &[&Sprint]) -> Fields {
    let row = |sprint: &Sprint| {
        let (done, word) = match sprint.status {
            SprintStatus::Completed => (true, "VERIFIED"),
            SprintStatus::Skipped => (false, "LET GO"),
            SprintStatus::Deferred => (false, "PUT OFF"),
            _ => (false, "MISSING FROM COMPLETION LOG"),
        };
        fields! { id: cell(&sprint.id), done: done, word: word }
    };
    fields! {
        coverage: rows(state.sprints.iter().map(row)),
        unverified: some(done.iter().filter(|one| !whole(one)).count()),
        commitless: some(done.iter().filter(|one| issues::uncommitted(one)).count()),
        lost: lines("line", state.core.lost_heads.iter().map(|line| cell(line))),
    }
}

/// What the user is told at the end: the verification, the performance, what each model did.
pub(in super::super) fn told(state: &State, at: Millis) -> String {
    let settings = &state.core.settings;
    let done = completed(state);
    let whole = done.iter().filter(|one| whole(one)).count();
    let code = done.iter().filter(|one| one.plan.kind == TaskKind::Code);
    // What was done before the mission has no commits of its runs.
    let (code, before): (Vec<&&Sprint>, Vec<&&Sprint>) = code.partition(|one| one.runs > 0);
    let committed = code.iter().filter(|one| !one.commits.is_empty()).count();
    let mark = |all: bool| if all { "✓" } else { "✗" };
    let told = fields! {
        unit_count: state.units.len(),
        covered: mark(done.len() == state.sprints.len()),
        shown: mark(whole == done.len()),
        whole: whole,
        kept: mark(committed == code.len()),
        committed: committed,
        code: code.len(),
        before: some(before.len()),
        average: span(average(&done)),
        small: cell(&settings.names.small),
        issues: some(issues::issues(state).len()),
        lost: lines("line", &state.core.lost_heads),
        log: super::complete_path(&settings.root, &settings.project),
    };
    let told = told.and(summary(state, &done)).and(cadence::pace(state, &done, at));
    render(include_str!("TOLD.md").trim_end(), &told)
}
