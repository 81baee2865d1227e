//! The report of an analysis (seed 18): a template, and what stands in its places.

use super::super::analyze::{Analysis, Issue, IssueKind, OpenKind, Point, Severity};
use super::super::evaluate::FixKind;
use super::{line, listed, many, moved, passes, table};
use crate::plan::model::Plan;
use crate::plan::page::fill;
use std::collections::BTreeSet;

const TEMPLATE: &str = include_str!("analysis.md");

/// The three passes by name.
const PASSES: [&str; 3] = ["Completeness", "Atomicity & Testability", "Priority & Parallelism"];

/// Whether a text is the report of an analysis.
pub fn is_report(text: &str) -> bool {
    text.lines().next() == TEMPLATE.lines().next()
}

/// The report of an analysis. `at` is the time in words, `path` the plan.
pub fn report(found: &Analysis, plan: &Plan, path: &str, at: &str) -> String {
    let mut values = vec![
        ("at", at.to_owned()),
        ("path", path.to_owned()),
        ("budget", found.budget.to_string()),
        ("point_a", point("starting state", &found.point_a)),
        ("point_b", point("end state", &found.point_b)),
    ];
    values.extend(coverage(found));
    values.extend(questions(found));
    values.extend(passes::quality(found));
    values.extend(passes::order(found, plan));
    values.extend(verdict(found));
    let mut page = fill(TEMPLATE, &values);
    while page.contains("\n\n\n") {
        page = page.replace("\n\n\n", "\n\n");
    }
    page
}

/// The issues that are wanted, each with its place and what is wrong.
pub(super) fn problems(found: &Analysis, wanted: impl Fn(&Issue) -> bool) -> String {
    let own = found.issues.iter().filter(|one| wanted(one));
    listed(own.map(|one| format!("{}: {}", one.at, one.problem)))
}

fn point(what: &str, point: &Point) -> String {
    let status = if point.clear { "CLEAR" } else { "UNCLEAR" };
    let said: Vec<String> = point.documented.iter().take(3).map(|text| line(text)).collect();
    let said = match said.is_empty() {
        true => format!("The plan does not describe its {what}."),
        false => format!("The plan says about its {what}: {}", said.join(" · ")),
    };
    let documented = point.documented.iter().map(|item| format!("documented: {item}"));
    let findings = listed(documented.chain(point.findings.iter().cloned()));
    format!("Status: {status}\n\n{said}\n\n**Findings**:\n\n{findings}")
}

fn coverage(found: &Analysis) -> [(&'static str, String); 4] {
    use IssueKind::{Bridge, Coverage, DeadEnd};
    let gap = found.issues.iter().any(|one| matches!(one.kind, Coverage | Bridge));
    let unknown = found.coverage.iter().filter(|one| one.sprints.is_none()).count();
    let status = match (found.coverage.is_empty(), unknown) {
        _ if gap => "INCOMPLETE".to_owned(),
        (true, _) => "NOT SHOWN (no requirements document)".to_owned(),
        (false, 0) => "COMPLETE".to_owned(),
        (false, many) => format!("NOT SHOWN ({many} requirements that nobody found in the plan)"),
    };
    let rows = found.coverage.iter().map(|one| {
        let (by, word) = match &one.sprints {
            None => ("?".to_owned(), "? Not shown"),
            Some(sprints) if sprints.is_empty() => ("—".to_owned(), "✗ Missing"),
            Some(sprints) => (sprints.join(", "), "✓ Addressed"),
        };
        vec![format!("{} {}", one.requirement.id, one.requirement.text), by, word.to_owned()]
    });
    let places = found.unread.iter().map(|one| format!("line {}: {}", one.lines.first, one.what));
    [
        ("covered", status),
        ("requirements", table(rows)),
        ("gaps", problems(found, |one| matches!(one.kind, Coverage | Bridge | DeadEnd))),
        ("unread", listed(places)),
    ]
}

fn questions(found: &Analysis) -> [(&'static str, String); 3] {
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
    let advice = found.open.iter().map(|one| format!("{}: {}", one.at, one.advice()));
    [
        ("open", found.open.len().to_string()),
        ("questions", table(rows)),
        ("settled", listed(advice)),
    ]
}

/// The number of issues of each severity, of one pass or of all.
fn counts(found: &Analysis, pass: Option<usize>) -> [usize; 3] {
    let own = |one: &&Issue| pass.is_none_or(|pass| one.kind.facts().0 == pass);
    Severity::ALL.map(|severity| {
        found.issues.iter().filter(own).filter(|one| one.severity == severity).count()
    })
}

/// A row for each pass: its name, whether it is passed, and `more`. It is passed if nothing critical and nothing
/// recommended is open.
fn rows(found: &Analysis, more: impl Fn(usize, [usize; 3]) -> Vec<usize>) -> String {
    let rows = (1..).zip(PASSES).map(|(number, name)| {
        let all = counts(found, Some(number));
        let status = if all[0] + all[1] == 0 { "PASS" } else { "NEEDS_WORK" };
        let numbers = more(number, all).into_iter().map(|number| number.to_string());
        [name, status].map(str::to_owned).into_iter().chain(numbers).collect()
    });
    table(rows)
}

fn total(found: &Analysis) -> String {
    let [critical, recommended, optional] = counts(found, None);
    format!(
        "**Total Issues**: {} ({critical} critical, {recommended} recommended, {optional} optional)",
        found.issues.len()
    )
}

/// The overall assessment for the terminal (seed 18, 17m there).
pub fn summary(found: &Analysis) -> String {
    let [critical, recommended, _] = counts(found, None);
    let next = match (critical, recommended) {
        (0, 0) => "The plan is ready to start.",
        (0, _) => {
            "Nothing stands in the way; `plan evaluate` and `plan prioritize` mend what can be mended by rule."
        }
        _ => "Settle the critical issues in the plan, then analyze it again.",
    };
    format!(
        "## Analysis Complete\n\n### Summary\n\n| Pass | Status | Critical | Recommended | Optional |\n|------|--------|----------|-------------|----------|\n{}\n{}\n\n**Critical Issues (must address before execution)**:\n\n{}\n{next}\n",
        rows(found, |_, all| all.to_vec()),
        total(found),
        problems(found, |one| one.severity == Severity::Critical)
    )
}

/// The verdict on each pass, its reasons, what to do next, and every finding by itself.
fn verdict(found: &Analysis) -> Vec<(&'static str, String)> {
    let passes = rows(found, |pass, all| {
        let own = found.issues.iter().filter(|one| one.kind.facts().0 == pass);
        let advice: BTreeSet<&str> = own.map(|one| one.advice.as_str()).collect();
        vec![all.iter().sum(), advice.len()]
    });
    let step = match counts(found, None) {
        [0, 0, 0] => "All passes are clear: start it with `endstate run --protocol sprint`",
        [0, 0, _] => {
            "Only optional improvements: start it, or run `plan evaluate` and `plan prioritize` first"
        }
        [0, ..] => {
            "Only recommended issues: run `plan evaluate` and `plan prioritize`, or mend them by hand"
        }
        _ => "Settle every critical issue in the plan, then run `plan analyze` again",
    };
    let left = found.questions.iter().map(|one| format!("{}: {}", one.id, one.text));
    let findings: String = (1..).zip(&found.issues).map(finding).collect();
    let own = |severity| problems(found, |one| one.severity == severity);
    vec![
        ("passes", passes),
        ("total", total(found)),
        ("critical", own(Severity::Critical)),
        ("recommended", own(Severity::Recommended)),
        ("optional", own(Severity::Optional)),
        ("added", many(&found.fixes, FixKind::Added).to_string()),
        ("splits", many(&found.fixes, FixKind::Split).to_string()),
        ("merges", many(&found.fixes, FixKind::Merged).to_string()),
        ("moved", moved(&found.rows).to_string()),
        ("step", step.to_owned()),
        ("left", listed(left)),
        ("findings", if findings.is_empty() { "None.".to_owned() } else { findings }),
    ]
}

fn finding((number, issue): (usize, &Issue)) -> String {
    let (pass, kind, impact) = issue.kind.facts();
    let pass = PASSES.get(pass.saturating_sub(1)).copied().unwrap_or_default();
    let [problem, at, advice] = [&issue.problem, &issue.at, &issue.advice].map(|text| line(text));
    format!(
        "### Issue {number}: {problem}\n\n- Location: {at}\n- Pass: {pass}\n- Type: {kind}\n- Severity: {:?}\n- Impact: {impact}\n- Recommendation: {advice}\n\n",
        issue.severity
    )
}
