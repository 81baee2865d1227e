//! The second pass: each sprint by itself.

use super::super::analyze::{Analysis, IssueKind};
use super::super::estimate::Fitness;
use super::super::quality::SprintCheck;
use super::{advised, head};
use std::fmt::Write;

fn mark(good: bool) -> &'static str {
    if good { "✓" } else { "✗" }
}

pub(super) fn verdict(faults: &[(bool, &str)]) -> String {
    let bad: Vec<&str> = faults.iter().filter(|(good, _)| !good).map(|(_, words)| *words).collect();
    if bad.is_empty() { "PASS".to_owned() } else { format!("FAIL: {}", bad.join(", ")) }
}

pub(super) fn quality(out: &mut String, found: &Analysis) {
    out.push_str("## Pass 2: Atomicity & Testability Analysis\n\n### Atomicity Check\n\n");
    head(
        out,
        &["Sprint", "Single Concern", "Clear Artifact", "Bounded Scope", "Explicit I/O", "Verdict"],
    );
    for one in &found.checks {
        let oversized = format!("oversized (est. {} turns)", one.turns);
        let tests = [
            (one.single_concern, "multiple concerns"),
            (one.clear_artifact, "no named artifact"),
            (one.bounded_scope, oversized.as_str()),
            (one.explicit_io, "beginning or end not named"),
        ];
        row(out, one, &tests);
    }
    advised(out, found, |one| one.kind == IssueKind::Atomicity);
    out.push_str("### Testability Check\n\n");
    head(out, &["Sprint", "Machine-Verifiable", "No Vague Language", "Full Coverage", "Verdict"]);
    for one in &found.checks {
        let tests = [
            (one.machine_verifiable, "nothing a program can check"),
            (one.no_vague_words, "vague criteria"),
            (one.coverage, "a task without a criterion"),
        ];
        row(out, one, &tests);
    }
    advised(out, found, |one| one.kind == IssueKind::Testability);
    fitness(out, found);
}

fn row(out: &mut String, one: &SprintCheck, tests: &[(bool, &str)]) {
    let marks: Vec<&str> = tests.iter().map(|(good, _)| mark(*good)).collect();
    let _ = writeln!(out, "| {} | {} | {} |", one.sprint, marks.join(" | "), verdict(tests));
}

fn fitness(out: &mut String, found: &Analysis) {
    out.push_str("### Context Fitness Check\n\n");
    head(out, &["Sprint", "Estimated Turns", "Budget", "Utilization", "Verdict"]);
    let percent = |turns: u64| (turns * 100).checked_div(u64::from(found.budget)).unwrap_or(0);
    for one in &found.checks {
        let used = percent(u64::from(one.turns));
        let verdict = match one.fitness {
            Fitness::Oversized => "Oversized",
            Fitness::Right => "Right-sized",
            Fitness::Undersized => "Undersized",
        };
        let _ = writeln!(
            out,
            "| {} | {} | {} | {used}% | {verdict} |",
            one.sprint, one.turns, found.budget
        );
    }
    let total: u64 = found.checks.iter().map(|one| u64::from(one.turns)).sum();
    let many = |kind: Fitness| found.checks.iter().filter(|one| one.fitness == kind).count();
    let average = percent(total).checked_div(found.checks.len() as u64).unwrap_or(0);
    let _ = write!(
        out,
        "\n**Budget Summary**:\n\n- Total turns: {total}\n- Average utilization: {average}%\n- Oversized: {}\n- Undersized: {}\n\n",
        many(Fitness::Oversized),
        many(Fitness::Undersized)
    );
}
