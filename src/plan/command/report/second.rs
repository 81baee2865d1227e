//! The second pass: each sprint by itself.

use super::super::SprintCheck;
use super::super::analyze::{Analysis, IssueKind};
use super::super::estimate::Fitness;
use super::super::evaluate::turns;
use super::{PASSES, listed, table};
use std::fmt::Write;

/// A row of a check: its marks, and the verdict with what fails or is unknown.
fn row(one: &SprintCheck, tests: &[(Option<bool>, String)]) -> Vec<String> {
    let words = |value: Option<bool>| {
        let own = tests.iter().filter(|(good, _)| *good == value).map(|(_, words)| words.as_str());
        own.collect::<Vec<_>>().join(", ")
    };
    let verdict = match (words(Some(false)), words(None)) {
        (bad, _) if !bad.is_empty() => format!("FAIL: {bad}"),
        (_, open) if !open.is_empty() => format!("UNKNOWN: {open}"),
        _ => "PASS".to_owned(),
    };
    let mark = |good: Option<bool>| good.map_or("?", |good| if good { "✓" } else { "✗" });
    let marks = tests.iter().map(|(good, _)| mark(*good).to_owned());
    std::iter::once(one.sprint.clone()).chain(marks).chain([verdict]).collect()
}

/// The issues of one kind: their number and the advice on each.
fn advised(out: &mut String, found: &Analysis, kind: IssueKind) {
    let own: Vec<_> = found.issues.iter().filter(|one| one.kind == kind).collect();
    let _ = write!(out, "**Issues**: {}\n\n", own.len());
    listed(out, "Recommendations", own.iter().map(|one| format!("{}: {}", one.at, one.advice)));
}

pub(super) fn quality(out: &mut String, found: &Analysis) {
    let _ = write!(out, "## Pass 2: {} Analysis\n\n### Atomicity Check\n\n", PASSES[1]);
    let names =
        ["Sprint", "Single Concern", "Clear Artifact", "Bounded Scope", "Explicit I/O", "Verdict"];
    let rows = found.checks.iter().map(|one| {
        let size = turns(&one.estimate.turns());
        let size = one.fitness.map_or(size.clone(), |_| format!("Oversized (est. {size})"));
        let tests = [
            (one.single_concern, "Multiple concerns".to_owned()),
            (Some(one.clear_artifact), "No named artifact".to_owned()),
            (one.bounded_scope(), size),
            (Some(one.explicit_io), "Beginning or end not named".to_owned()),
        ];
        row(one, &tests)
    });
    table(out, &names, rows);
    advised(out, found, IssueKind::Atomicity);
    out.push_str("### Testability Check\n\n");
    let names = ["Sprint", "Machine-Verifiable", "No Vague Language", "Full Coverage", "Verdict"];
    let rows = found.checks.iter().map(|one| {
        let tests = [
            (Some(one.machine_verifiable), "Only manual checks".to_owned()),
            (Some(one.no_vague_words), "Vague criteria".to_owned()),
            (Some(one.coverage), "A task without a criterion".to_owned()),
        ];
        row(one, &tests)
    });
    table(out, &names, rows);
    advised(out, found, IssueKind::Testability);
    fitness(out, found);
}

fn fitness(out: &mut String, found: &Analysis) {
    out.push_str("### Context Fitness Check\n\n");
    let percent = |turns: u64| (turns * 100).checked_div(u64::from(found.budget)).unwrap_or(0);
    let rows = found.checks.iter().map(|one| {
        let verdict = match one.fitness {
            Some(Fitness::Oversized) => "Oversized",
            Some(Fitness::Right) => "Right-sized",
            Some(Fitness::Undersized) => "Undersized",
            None => "Unknown",
        };
        let turns = one.estimate.turns();
        let used = turns.known().map(|turns| format!("{}%", percent(turns.into())));
        let used = used.unwrap_or_else(|| "?".to_owned());
        let turns = turns.words(|turns| turns.to_string());
        vec![one.sprint.clone(), turns, found.budget.to_string(), used, verdict.to_owned()]
    });
    table(out, &["Sprint", "Estimated Turns", "Budget", "Utilization", "Verdict"], rows);
    let known = found.checks.iter().filter_map(|one| one.estimate.turns().known());
    let known: Vec<u64> = known.map(u64::from).collect();
    let (total, many) = (known.iter().sum::<u64>(), known.len());
    let average = percent(total).checked_div(many as u64);
    let average = average.map_or_else(|| "unknown".to_owned(), |share| format!("{share}%"));
    let of = |kind: Option<Fitness>| found.checks.iter().filter(|one| one.fitness == kind).count();
    let rows = [
        format!("Total turns across the {many} sprints with a known estimate: {total}"),
        format!("Average utilization: {average}"),
        format!("Oversized sprints: {}", of(Some(Fitness::Oversized))),
        format!("Undersized sprints: {}", of(Some(Fitness::Undersized))),
        format!("Unknown: {}", of(None)),
    ];
    listed(out, "Budget Summary", rows.into_iter());
}
