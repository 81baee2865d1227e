//! The report of an analysis, for people.

use super::analyze::{Analysis, Issue, OpenKind, Point, Severity};
use super::estimate::Fitness;
use super::model::{Plan, decimal};
use std::fmt::Write;

/// The three passes by name.
const PASSES: [&str; 3] = ["Completeness", "Atomicity & Testability", "Priority & Parallelism"];

/// The report. `at` is the time in words, `path` the plan.
pub fn report(found: &Analysis, plan: &Plan, path: &str, at: &str) -> String {
    let mut out = format!(
        "# Execution Plan Analysis Report\n\nGenerated: {at}\nExecution plan: {path}\nContext budget: {} turns per sprint\n\n",
        found.budget
    );
    completeness(&mut out, found);
    quality(&mut out, found);
    order(&mut out, found, plan);
    out.push_str("## Summary\n\n");
    out.push_str(&summary(found));
    listed(
        &mut out,
        "Left to judge",
        found.left.iter().map(|one| format!("{}: {}", one.id, one.text)),
    );
    out.push_str("## Detailed Findings\n\n");
    for (number, issue) in (1..).zip(&found.issues) {
        let _ = write!(
            out,
            "### Issue {number}: {}\n\n- Location: {}\n- Pass: {}\n- Severity: {}\n- Recommendation: {}\n\n",
            line(&issue.problem),
            line(&issue.at),
            pass(issue),
            severity(issue.severity),
            line(&issue.advice)
        );
    }
    if found.issues.is_empty() {
        out.push_str("None.\n");
    }
    out
}

fn pass(issue: &Issue) -> &'static str {
    PASSES.get((issue.pass as usize).saturating_sub(1)).copied().unwrap_or_default()
}

fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Critical => "critical",
        Severity::Recommended => "recommended",
        Severity::Optional => "optional",
    }
}

/// A text of the plan on one line; it stays data in the report.
fn line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn cell(text: &str) -> String {
    line(text).replace('|', "\\|")
}

fn listed(out: &mut String, title: &str, items: impl Iterator<Item = String>) {
    let items: Vec<String> = items.collect();
    let _ = write!(out, "**{title}**:\n\n");
    match items.is_empty() {
        true => out.push_str("- none\n"),
        false => items.iter().for_each(|item| {
            let _ = writeln!(out, "- {}", line(item));
        }),
    }
    out.push('\n');
}

fn point(out: &mut String, title: &str, point: &Point) {
    let _ =
        write!(out, "### {title}\n\nStatus: {}\n\n", if point.clear { "CLEAR" } else { "UNCLEAR" });
    listed(out, "Documented", point.documented.iter().cloned());
    listed(out, "Assumed", point.assumed.iter().cloned());
    listed(out, "Unclear", point.unclear.iter().cloned());
}

fn completeness(out: &mut String, found: &Analysis) {
    out.push_str("## Pass 1: Completeness Analysis\n\n");
    point(out, "Point A (Current State)", &found.point_a);
    point(out, "Point B (Target State)", &found.point_b);
    let gaps = found.coverage.iter().filter(|one| one.sprints.is_empty()).count();
    let status = match (found.coverage.is_empty(), gaps) {
        (true, _) => "NOT SHOWN (no requirements document)",
        (false, 0) => "COMPLETE",
        (false, _) => "INCOMPLETE",
    };
    let _ = write!(out, "### Coverage Analysis\n\nStatus: {status}\n\n");
    if !found.coverage.is_empty() {
        out.push_str("| Requirement | Addressed By | Coverage |\n|-------------|--------------|----------|\n");
        for one in &found.coverage {
            let (by, word) = if one.sprints.is_empty() {
                ("—".to_owned(), "✗ missing")
            } else {
                (one.sprints.join(", "), "✓ addressed")
            };
            let _ = writeln!(
                out,
                "| {} {} | {} | {word} |",
                one.requirement.id,
                cell(&one.requirement.text),
                cell(&by)
            );
        }
        out.push('\n');
    }
    listed(out, "Dead ends", found.dead_ends.iter().cloned());
    let _ = write!(out, "### Open Questions\n\nCount: {}\n\n", found.questions.len());
    if !found.questions.is_empty() {
        out.push_str(
            "| Question | Location | Type | Blocks |\n|----------|----------|------|--------|\n",
        );
        for one in &found.questions {
            let kind = match one.kind {
                OpenKind::Undecided => "undecided",
                OpenKind::Alternative => "alternative",
                OpenKind::Unspecific => "unspecific",
            };
            let at = one.sprint.as_ref().map_or(String::new(), |sprint| format!(", {sprint}"));
            let _ = writeln!(
                out,
                "| {} | line {}{at} | {kind} | {} |",
                cell(&one.text),
                one.line,
                cell(&one.blocks.join(", "))
            );
        }
        out.push('\n');
    }
}

fn mark(good: bool) -> &'static str {
    if good { "✓" } else { "✗" }
}

fn quality(out: &mut String, found: &Analysis) {
    out.push_str("## Pass 2: Atomicity & Testability Analysis\n\n### Atomicity Check\n\n| Sprint | Single Concern | Clear Artifact | Bounded Scope | Explicit I/O | Verdict |\n|--------|----------------|----------------|---------------|--------------|---------|\n");
    let verdict = |good: bool| if good { "PASS" } else { "FAIL" };
    for one in &found.checks {
        let _ = writeln!(
            out,
            "| {} | {} | {} | {} | {} | {} |",
            one.sprint,
            mark(one.single_concern),
            mark(one.clear_artifact),
            mark(one.bounded_scope),
            mark(one.explicit_io),
            verdict(one.is_atomic())
        );
    }
    out.push_str("\n### Testability Check\n\n| Sprint | Machine-Verifiable | No Vague Language | Full Coverage | Verdict |\n|--------|--------------------|-------------------|---------------|---------|\n");
    for one in &found.checks {
        let _ = writeln!(
            out,
            "| {} | {} | {} | {} | {} |",
            one.sprint,
            mark(one.machine_verifiable),
            mark(one.no_vague_words),
            mark(one.coverage),
            verdict(one.is_testable())
        );
    }
    out.push_str("\n### Context Fitness Check\n\n| Sprint | Estimated Turns | Budget | Utilization | Verdict |\n|--------|-----------------|--------|-------------|---------|\n");
    let percent = |turns: u64| (turns * 100).checked_div(u64::from(found.budget)).unwrap_or(0);
    for one in &found.checks {
        let _ = writeln!(
            out,
            "| {} | {} | {} | {}% | {} |",
            one.sprint,
            one.turns,
            found.budget,
            percent(u64::from(one.turns)),
            fitness(one.fitness)
        );
    }
    let total: u64 = found.checks.iter().map(|one| u64::from(one.turns)).sum();
    let many = |kind: Fitness| found.checks.iter().filter(|one| one.fitness == kind).count();
    let average = percent(total).checked_div(found.checks.len() as u64).unwrap_or(0);
    let _ = write!(
        out,
        "\n- Total turns: {total}\n- Average utilization: {average}%\n- Oversized: {}\n- Undersized: {}\n\n",
        many(Fitness::Oversized),
        many(Fitness::Undersized)
    );
}

fn fitness(fitness: Fitness) -> &'static str {
    match fitness {
        Fitness::Oversized => "Oversized",
        Fitness::Right => "Right-sized",
        Fitness::Undersized => "Undersized",
    }
}

fn order(out: &mut String, found: &Analysis, plan: &Plan) {
    let order = &found.order;
    out.push_str("## Pass 3: Priority & Parallelism Analysis\n\n### Dependency Graph\n\n");
    if let Some(cycle) = &order.cycle {
        let _ = write!(out, "**Circle**: {}\n\n", cycle.join(" → "));
    }
    let _ = write!(
        out,
        "**Critical Path**: {} (length: {} sprints)\n\n",
        order.critical_path.join(" → "),
        order.critical_path.len()
    );
    listed(
        out,
        "Levels",
        (1..)
            .zip(&order.levels)
            .map(|(number, level): (u32, _)| format!("{number}: {}", level.join(", "))),
    );
    listed(
        out,
        "Bottlenecks",
        order.bottlenecks.iter().map(|one| {
            format!(
                "{} blocks {} at once, {} in the end",
                one.sprint,
                one.blocks.join(", "),
                one.dependents
            )
        }),
    );
    let lowest = plan.units.iter().filter_map(|unit| unit.layer).min();
    let now = plan.units.iter().filter(|unit| unit.layer == lowest).count();
    let _ = write!(
        out,
        "### Parallelization Opportunities\n\n**Current Parallelism**: {now} work units can start together\n\n**Maximum Parallelism**: {} agents\n\n",
        order.parallelism
    );
    listed(
        out,
        "Missed Opportunities",
        found.layers.iter().map(|one| {
            format!("{} could be in layer {} instead of {}", one.unit, one.now, one.was)
        }),
    );
    out.push_str("### Priority Analysis\n\n| Sprint | Priority Score | Current Position | Optimal Position | Why |\n|--------|----------------|------------------|------------------|-----|\n");
    for row in &found.rows {
        let _ = writeln!(
            out,
            "| {} | {} | {} | {} | {} |",
            row.score.sprint,
            decimal(row.score.thousandths()),
            row.place_was,
            row.place,
            cell(&row.score.reason())
        );
    }
    out.push('\n');
}

/// The overall assessment, also for the terminal.
pub fn summary(found: &Analysis) -> String {
    let mut out = String::from(
        "| Pass | Status | Critical | Recommended | Optional |\n|------|--------|----------|-------------|----------|\n",
    );
    let many = |pass: Option<u32>, severity: Severity| {
        found
            .issues
            .iter()
            .filter(|one| pass.is_none_or(|pass| one.pass == pass) && one.severity == severity)
            .count()
    };
    for (number, name) in (1..).zip(PASSES) {
        let [critical, recommended, optional] =
            [Severity::Critical, Severity::Recommended, Severity::Optional]
                .map(|severity| many(Some(number), severity));
        let status = if critical + recommended == 0 { "PASS" } else { "NEEDS_WORK" };
        let _ = writeln!(out, "| {name} | {status} | {critical} | {recommended} | {optional} |");
    }
    let [critical, recommended, optional] =
        [Severity::Critical, Severity::Recommended, Severity::Optional]
            .map(|severity| many(None, severity));
    let _ = write!(
        out,
        "\n**Total Issues**: {} ({critical} critical, {recommended} recommended, {optional} optional)\n\n",
        found.issues.len()
    );
    let next = match (critical, recommended) {
        (0, 0) => "The plan is ready to start.",
        (0, _) => {
            "Nothing stands in the way; `plan evaluate` and `plan prioritize` mend what can be mended by rule."
        }
        _ => "Settle the critical issues in the plan, then analyze it again.",
    };
    let _ = write!(out, "{next}\n\n");
    out
}
