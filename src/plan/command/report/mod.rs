//! What commands print when they are done (seed 15h, 16h, 17h, 18), and the report of an analysis.

mod analysis;
mod passes;

pub use analysis::{is_report, report, summary};

use super::SprintCheck;
use super::breakdown::Breakdown;
use super::evaluate::{Evaluated, Fix, FixKind};
use super::prioritize::{Prioritized, Row};
use super::score::Score;
use super::text::line;

/// What breakdown did (seed 15h).
pub fn breakdown(done: &Breakdown, source: &str, output: &str) -> String {
    let tasks: usize = done.plan.sprints().map(|(_, sprint)| sprint.tasks.len()).sum();
    let counts = counts(&[
        ("Requirements detected", done.requirements.iter().filter(|one| one.asks()).count()),
        ("Atomic tasks", tasks),
        ("Work units", done.plan.units.len()),
        ("Sprints", done.plan.sprints().count()),
    ]);
    format!(
        "## Breakdown Complete\n\nSource: {source}\nOutput: {output}\n\n| Metric | Count |\n|--------|-------|\n{counts}\nNext step: plan prioritize\n"
    )
}

/// What prioritize did (seed 16h).
pub fn prioritized(done: &Prioritized) -> String {
    let rows = done.rows.iter().map(|row| {
        let change = match row.label == row.was && row.place == row.place_was {
            true => "unchanged".to_owned(),
            false => format!("was Sprint {}", row.was),
        };
        let score = row.score.as_ref().map_or_else(|| "—".to_owned(), Score::words);
        vec![row.label.clone(), row.name.clone(), score, change]
    });
    format!(
        "## Prioritization Complete\n\n| Sprint | Name | Priority | Change |\n|--------|------|----------|--------|\n{}\nSprints reordered: {}\nLayer adjustments: none (layers follow from dependencies)\n\nNext step: plan evaluate\n",
        table(rows),
        moved(&done.rows)
    )
}

/// What evaluate did (seed 17h). An issue is fixed if it is gone after; what is unknown is neither passed nor an issue.
pub fn evaluated(done: &Evaluated, budget: u32) -> String {
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
    let counts = counts(&[
        ("Sprints before", done.before.len()),
        ("Sprints after", done.after.len()),
        ("Splits", many(&done.fixes, FixKind::Split)),
        ("Merges", many(&done.fixes, FixKind::Merged)),
        ("Sprints with added criteria", many(&done.fixes, FixKind::Added)),
    ]);
    format!(
        "## Evaluation Complete\n\n### Check Results\n\n| Check | Passed | Issues Found | Auto-Fixed | Unknown |\n|-------|--------|--------------|------------|---------|\n{}\n### Sprint Changes\n\n| Change | Count |\n|--------|-------|\n{counts}\nContext budget: {budget} turns per sprint\n\nNext step: run --protocol sprint\n",
        table(rows)
    )
}

/// The rows of a table. What stands in a cell stays data.
fn table(rows: impl Iterator<Item = Vec<String>>) -> String {
    let cell = |cell: &String| line(cell).replace('|', "\\|");
    rows.map(|row| format!("| {} |\n", row.iter().map(cell).collect::<Vec<_>>().join(" | ")))
        .collect()
}

fn counts(rows: &[(&str, usize)]) -> String {
    table(rows.iter().map(|(name, count)| vec![(*name).to_owned(), count.to_string()]))
}

fn listed(items: impl Iterator<Item = String>) -> String {
    let lines: String = items.map(|item| format!("- {}\n", line(&item))).collect();
    if lines.is_empty() { "- none\n".to_owned() } else { lines }
}

fn many(fixes: &[Fix], kind: FixKind) -> usize {
    fixes.iter().filter(|fix| fix.kind == kind).count()
}

fn moved(rows: &[Row]) -> usize {
    rows.iter().filter(|row| row.place != row.place_was).count()
}
