//! What commands print when they are done (seed 15h, 16h, 17h, 18), and the report of an analysis.

mod passes;
mod verdict;

pub use verdict::summary;

use super::super::model::Plan;
use super::SprintCheck;
use super::analyze::{Analysis, Issue, IssueKind, OpenKind, Point};
use super::breakdown::Breakdown;
use super::evaluate::{Evaluated, FixKind};
use super::prioritize::Prioritized;
use super::score::Score;
use super::text::line;
use std::fmt::Write;

/// The three passes by name.
const PASSES: [&str; 3] = ["Completeness", "Atomicity & Testability", "Priority & Parallelism"];

const TITLE: &str = "# Execution Plan Analysis Report";

/// Whether a text is the report of an analysis.
pub fn is_report(text: &str) -> bool {
    text.lines().next() == Some(TITLE)
}

/// The report of an analysis. `at` is the time in words, `path` the plan.
pub fn report(found: &Analysis, plan: &Plan, path: &str, at: &str) -> String {
    let budget = found.budget;
    let mut out = format!(
        "{TITLE}\n\nGenerated: {at}\nExecution plan: {path}\nContext budget: {budget} turns per sprint\n\n---\n\n## Pass 1: {} Analysis\n\n",
        PASSES[0]
    );
    point(&mut out, "Point A (Current State)", "starting state", &found.point_a);
    point(&mut out, "Point B (Target State)", "end state", &found.point_b);
    coverage(&mut out, found);
    questions(&mut out, found);
    passes::quality(&mut out, found);
    passes::order(&mut out, found, plan);
    verdict::verdict(&mut out, found);
    verdict::findings(&mut out, found);
    out
}

/// What breakdown did (seed 15h).
pub fn breakdown(done: &Breakdown, source: &str, output: &str) -> String {
    let mut out = format!("## Breakdown Complete\n\nSource: {source}\nOutput: {output}\n\n");
    let tasks: usize = done.plan.sprints().map(|(_, sprint)| sprint.tasks.len()).sum();
    let rows = [
        ("Requirements detected", done.requirements.iter().filter(|one| one.asks()).count()),
        ("Atomic tasks", tasks),
        ("Work units", done.plan.units.len()),
        ("Sprints", done.plan.sprints().count()),
    ];
    counts(&mut out, ["Metric", "Count"], &rows);
    out + "Next step: plan prioritize\n"
}

/// What prioritize did (seed 16h).
pub fn prioritized(done: &Prioritized) -> String {
    let mut out = "## Prioritization Complete\n\n".to_owned();
    let rows = done.rows.iter().map(|row| {
        let change = match row.label == row.was && row.place == row.place_was {
            true => "unchanged".to_owned(),
            false => format!("was Sprint {}", row.was),
        };
        let score = row.score.as_ref().map_or_else(|| "—".to_owned(), Score::words);
        vec![row.label.clone(), row.name.clone(), score, change]
    });
    table(&mut out, &["Sprint", "Name", "Priority", "Change"], rows);
    let moved = done.rows.iter().filter(|row| row.place != row.place_was).count();
    let layers = "Layer adjustments: none (layers follow from dependencies)";
    out + &format!("Sprints reordered: {moved}\n{layers}\n\nNext step: plan evaluate\n")
}

/// What evaluate did (seed 17h). An issue is fixed if it is gone after; what is unknown is neither passed nor an issue.
pub fn evaluated(done: &Evaluated, budget: u32) -> String {
    let mut out = "## Evaluation Complete\n\n### Check Results\n\n".to_owned();
    type Test = fn(&SprintCheck) -> Option<bool>;
    let tests: [(&str, Test); 3] = [
        ("Atomicity", SprintCheck::is_atomic),
        ("Testability", |one| Some(one.is_testable())),
        ("Context Fitness", SprintCheck::fits),
    ];
    let rows = tests.into_iter().map(|(name, test)| {
        let many =
            |checks: &[SprintCheck], value| checks.iter().filter(|one| test(one) == value).count();
        let [passed, bad, open] =
            [Some(true), Some(false), None].map(|value| many(&done.before, value));
        let fixed = bad.saturating_sub(many(&done.after, Some(false)));
        let numbers = [passed, bad, fixed, open].map(|number| number.to_string());
        std::iter::once(name.to_owned()).chain(numbers).collect()
    });
    table(&mut out, &["Check", "Passed", "Issues Found", "Auto-Fixed", "Unknown"], rows);
    let many = |kind: FixKind| done.fixes.iter().filter(|fix| fix.kind == kind).count();
    out.push_str("### Sprint Changes\n\n");
    let rows = [
        ("Sprints before", done.before.len()),
        ("Sprints after", done.after.len()),
        ("Splits", many(FixKind::Split)),
        ("Merges", many(FixKind::Merged)),
        ("Sprints with added criteria", many(FixKind::Added)),
    ];
    counts(&mut out, ["Change", "Count"], &rows);
    out + &format!(
        "Context budget: {budget} turns per sprint\n\nNext step: run --protocol sprint\n"
    )
}

fn point(out: &mut String, title: &str, what: &str, point: &Point) {
    let status = if point.clear { "CLEAR" } else { "UNCLEAR" };
    let said: Vec<String> = point.documented.iter().take(3).map(|text| line(text)).collect();
    let said = match said.is_empty() {
        true => format!("The plan does not describe its {what}."),
        false => format!("The plan says about its {what}: {}", said.join(" · ")),
    };
    let _ = write!(out, "### {title}\n\nStatus: {status}\n\n{said}\n\n");
    let documented = point.documented.iter().map(|item| format!("documented: {item}"));
    listed(out, "Findings", documented.chain(point.findings.iter().cloned()));
}

fn coverage(out: &mut String, found: &Analysis) {
    let gaps = |one: &&Issue| {
        matches!(one.kind, IssueKind::Coverage | IssueKind::Bridge | IssueKind::DeadEnd)
    };
    let gap = found.issues.iter().filter(gaps).any(|one| one.kind != IssueKind::DeadEnd);
    let unknown = found.coverage.iter().filter(|one| one.sprints.is_none()).count();
    let status = match (found.coverage.is_empty(), unknown) {
        _ if gap => "INCOMPLETE".to_owned(),
        (true, _) => "NOT SHOWN (no requirements document)".to_owned(),
        (false, 0) => "COMPLETE".to_owned(),
        (false, many) => format!("NOT SHOWN ({many} requirements that nobody found in the plan)"),
    };
    let _ = write!(out, "### Coverage Analysis\n\nStatus: {status}\n\n");
    let rows = found.coverage.iter().map(|one| {
        let (by, word) = match &one.sprints {
            None => ("?".to_owned(), "? Not shown"),
            Some(sprints) if sprints.is_empty() => ("—".to_owned(), "✗ Missing"),
            Some(sprints) => (sprints.join(", "), "✓ Addressed"),
        };
        vec![format!("{} {}", one.requirement.id, one.requirement.text), by, word.to_owned()]
    });
    table(out, &["Requirement", "Addressed By", "Coverage"], rows);
    problems(out, "Gaps", found, |one| gaps(&one));
    let places = found.unread.iter().map(|one| format!("line {}: {}", one.lines.first, one.what));
    listed(out, "Not read as requirements", places);
}

fn questions(out: &mut String, found: &Analysis) {
    let _ = write!(out, "### Open Questions\n\nCount: {}\n\n", found.open.len());
    let rows = found.open.iter().map(|one| {
        let kind = match (one.kind, one.blocks.is_empty()) {
            (OpenKind::External, _) => "External dependency",
            (OpenKind::Undecided, true) => "Requirement clarification",
            _ => "Technical decision",
        };
        let blocks = format!("Blocks {}", one.blocks.join(", "));
        let blocks = if one.blocks.is_empty() { "—".to_owned() } else { blocks };
        vec![one.text.clone(), one.at.clone(), kind.to_owned(), blocks]
    });
    table(out, &["Question", "Location", "Type", "Blocking Impact"], rows);
    listed(
        out,
        "Recommendations",
        found.open.iter().map(|one| format!("{}: {}", one.at, one.advice())),
    );
}

/// A table, then a blank line; nothing at all without a row. What stands in a cell stays data.
fn table(out: &mut String, names: &[&str], rows: impl Iterator<Item = Vec<String>>) {
    let mut rows = rows.peekable();
    if rows.peek().is_none() {
        return;
    }
    let _ = writeln!(out, "| {} |", names.join(" | "));
    let rules: Vec<String> = names.iter().map(|name| "-".repeat(name.len() + 2)).collect();
    let _ = writeln!(out, "|{}|", rules.join("|"));
    for row in rows {
        let cells: Vec<String> = row.iter().map(|cell| line(cell).replace('|', "\\|")).collect();
        let _ = writeln!(out, "| {} |", cells.join(" | "));
    }
    out.push('\n');
}

fn counts(out: &mut String, names: [&str; 2], rows: &[(&str, usize)]) {
    table(
        out,
        &names,
        rows.iter().map(|(name, count)| vec![(*name).to_owned(), count.to_string()]),
    );
}

fn listed(out: &mut String, title: &str, items: impl Iterator<Item = String>) {
    let _ = write!(out, "**{title}**:\n\n");
    let lines: String = items.map(|item| format!("- {}\n", line(&item))).collect();
    out.push_str(if lines.is_empty() { "- none\n" } else { &lines });
    out.push('\n');
}

/// The issues that are wanted, each with its place and what is wrong.
fn problems(out: &mut String, title: &str, found: &Analysis, wanted: impl Fn(&Issue) -> bool) {
    let own = found.issues.iter().filter(|one| wanted(one));
    listed(out, title, own.map(|one| format!("{}: {}", one.at, one.problem)));
}

/// The issues of one kind: their number and the advice on each.
fn advised(out: &mut String, found: &Analysis, kind: IssueKind) {
    let own: Vec<&Issue> = found.issues.iter().filter(|one| one.kind == kind).collect();
    let _ = write!(out, "**Issues**: {}\n\n", own.len());
    listed(out, "Recommendations", own.iter().map(|one| format!("{}: {}", one.at, one.advice)));
}
