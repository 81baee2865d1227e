//! The report of an analysis, for people: three passes, a verdict with its reasons, what to do next, and every
//! finding by itself.

mod findings;
mod first;
mod second;
mod third;
mod verdict;

pub use verdict::summary;

use super::analyze::Analysis;
use super::model::Plan;
use std::fmt::Write;

/// The three passes by name.
const PASSES: [&str; 3] = ["Completeness", "Atomicity & Testability", "Priority & Parallelism"];

const TITLE: &str = "# Execution Plan Analysis Report";

/// Whether a text is such a report.
pub fn is_report(text: &str) -> bool {
    text.lines().next() == Some(TITLE)
}

/// The report. `at` is the time in words, `path` the plan.
pub fn report(found: &Analysis, plan: &Plan, path: &str, at: &str) -> String {
    let mut out = format!(
        "{TITLE}\n\nGenerated: {at}\nExecution plan: {path}\nContext budget: {} turns per sprint\n\n---\n\n",
        found.budget
    );
    first::completeness(&mut out, found);
    second::quality(&mut out, found);
    third::order(&mut out, found, plan);
    verdict::verdict(&mut out, found);
    findings::findings(&mut out, found);
    out
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

/// The head of a table.
fn head(out: &mut String, names: &[&str]) {
    let _ = writeln!(out, "| {} |", names.join(" | "));
    let rules: Vec<String> = names.iter().map(|name| "-".repeat(name.len() + 2)).collect();
    let _ = writeln!(out, "|{}|", rules.join("|"));
}

/// The advice on some issues, each place with its own, as a list with their number.
fn advised(out: &mut String, found: &Analysis, is: impl Fn(&super::analyze::Issue) -> bool) {
    let own: Vec<_> = found.issues.iter().filter(|one| is(one)).collect();
    let _ = write!(out, "\n**Issues**: {}\n\n", own.len());
    listed(out, "Recommendations", own.iter().map(|one| format!("{}: {}", one.at, one.advice)));
}
