//! Everything that keeps the verdict on a mission from being a plain yes; the text about it is in `ISSUES.md`.

use super::super::state::{Sprint, SprintStatus, State, TaskKind};
use super::cell;
use crate::mission::template::{Fields, check, fields, fill, rows};
use crate::vocab::error::clip;

const CRITICAL: &str = "CRITICAL";
const HIGH: &str = "HIGH";
const LOW: &str = "LOW";

/// An issue: its row in `ISSUES.md`, how bad it is, what is told in it.
pub(super) struct Issue(&'static str, &'static str, Fields);

/// All issues of a mission.
pub(super) fn issues(state: &State) -> Vec<Issue> {
    let core = &state.core;
    let mut found = Vec::new();
    if let (Some(now), Some(plan)) = (&core.plan_seen, &core.settings.plan) {
        let (was, is) = (clip(&plan.digest, 12), clip(now, 12));
        found.push(Issue("plan", HIGH, fields! { path: cell(&plan.path), was: was, is: is }));
    }
    let lost = core.lost_heads.iter().map(|line| Issue("head", HIGH, fields! { line: cell(line) }));
    found.extend(lost);
    found.extend(core.gates_waived.iter().enumerate().map(|(place, problem)| {
        Issue("gate", HIGH, fields! { place: place + 1, problem: cell(problem) })
    }));
    let dirty: Vec<String> = core.dirty_kept.iter().take(20).map(|one| cell(&one.path)).collect();
    if !dirty.is_empty() {
        found.push(Issue("dirty", HIGH, fields! { paths: dirty.join(", ") }));
    }
    found.extend(state.sprints.iter().flat_map(|sprint| of_sprint(state, sprint)));
    found
}

fn of_sprint(state: &State, sprint: &Sprint) -> Vec<Issue> {
    let issue = |name, severity, more: &[(&'static str, &str)]| {
        let mut told = fields! { label: &sprint.plan.label, unit: &sprint.unit };
        more.iter().for_each(|(name, text)| told.put(*name, *text));
        Issue(name, severity, told)
    };
    if sprint.status != SprintStatus::Completed {
        let severity = if sprint.status == SprintStatus::Skipped { HIGH } else { CRITICAL };
        return vec![issue("missing", severity, &[("status", sprint.status.as_str())])];
    }
    let entry = sprint.entry_waived.iter();
    let entry = entry.map(|one| issue("entry", LOW, &[("id", &one.id), ("why", &cell(&one.why))]));
    let waived =
        sprint.criteria.iter().filter(|one| one.waived()).map(|one| {
            issue("criterion", HIGH, &[("id", &one.id), ("text", &cell(one.text.trim()))])
        });
    let lost: Vec<String> = gone(state, sprint).map(|one| clip(one, 12)).collect();
    let lost = (!lost.is_empty()).then(|| issue("gone", LOW, &[("commits", &lost.join(", "))]));
    let bare = uncommitted(sprint).then(|| issue("bare", HIGH, &[]));
    entry.chain(waived).chain(lost).chain(bare).collect()
}

/// Commits of a sprint that are not in the history any more.
pub(super) fn gone<'a>(state: &'a State, sprint: &'a Sprint) -> impl Iterator<Item = &'a String> {
    sprint.commits.iter().filter(|one| state.core.gone.contains(*one))
}

/// A completed code sprint of whose runs no commit is known.
pub(in super::super) fn uncommitted(sprint: &Sprint) -> bool {
    sprint.status == SprintStatus::Completed
        && sprint.plan.kind == TaskKind::Code
        && sprint.commits.is_empty()
        && sprint.runs > 0
}

/// The text about them, and the verdict. A mission that ends without waivers passed, as its exit status says. The
/// exception are commits that are gone from the branch, without which the user went on: everything was shown again,
/// except what only these commits held.
pub(super) fn told(issues: &[Issue]) -> Fields {
    let many = |severity| issues.iter().filter(|one| one.1 == severity).count();
    fields! {
        issue_count: issues.len(),
        notes: !issues.is_empty(),
        passed: many(LOW) == issues.len(),
        issues: rows(issues.iter().enumerate().map(|(place, one)| row(place + 1, one))),
        critical: many(CRITICAL),
        recommended: many(HIGH) + many(LOW),
    }
}

fn row(number: usize, Issue(name, severity, told): &Issue) -> Fields {
    let named =
        |line: &'static str| line.strip_prefix("| ")?.strip_prefix(name)?.strip_prefix(" | ");
    let row = include_str!("ISSUES.md").lines().find_map(named).unwrap_or_default();
    check(row, told);
    let mut cells = row.trim_end_matches(" |").split(" | ").map(|cell| fill(cell, told));
    let mut next = || cells.next().unwrap_or_default();
    fields! {
        number: number,
        severity: *severity,
        title: next(),
        details: next(),
        impact: next(),
        recommendation: next(),
    }
}
