//! The verdict on each pass, its reasons, what to do next, and every finding by itself.

use super::super::analyze::{Analysis, Issue, Severity};
use super::super::evaluate::FixKind;
use super::{PASSES, line, listed, problems, table};
use std::collections::BTreeSet;
use std::fmt::Write;

const SEVERITIES: [(Severity, &str); 3] = [
    (Severity::Critical, "Critical Issues (must address before execution)"),
    (Severity::Recommended, "Recommended Issues (improve execution quality)"),
    (Severity::Optional, "Optional Improvements"),
];

/// The number of issues of each severity, of one pass or of all.
fn counts(found: &Analysis, pass: Option<usize>) -> [usize; 3] {
    let own = |one: &&Issue| pass.is_none_or(|pass| one.kind.facts().0 == pass);
    SEVERITIES.map(|(severity, _)| {
        found.issues.iter().filter(own).filter(|one| one.severity == severity).count()
    })
}

/// A pass is passed if nothing critical and nothing recommended is open.
fn status(counts: [usize; 3]) -> &'static str {
    if counts[0] + counts[1] == 0 { "PASS" } else { "NEEDS_WORK" }
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
    let mut out = "## Analysis Complete\n\n### Summary\n\n".to_owned();
    let rows = (1..).zip(PASSES).map(|(number, name)| {
        let all = counts(found, Some(number));
        let numbers = all.map(|number| number.to_string());
        [name.to_owned(), status(all).to_owned()].into_iter().chain(numbers).collect()
    });
    table(&mut out, &["Pass", "Status", "Critical", "Recommended", "Optional"], rows);
    let _ = write!(out, "{}\n\n", total(found));
    problems(&mut out, SEVERITIES[0].1, found, |one| one.severity == Severity::Critical);
    let [critical, recommended, _] = counts(found, None);
    out.push_str(match (critical, recommended) {
        (0, 0) => "The plan is ready to start.\n",
        (0, _) => "Nothing stands in the way; `plan evaluate` and `plan prioritize` mend what can be mended by rule.\n",
        _ => "Settle the critical issues in the plan, then analyze it again.\n",
    });
    out
}

/// The whole section "Summary".
pub(super) fn verdict(out: &mut String, found: &Analysis) {
    out.push_str("## Summary\n\n### Overall Assessment\n\n");
    let rows = (1..).zip(PASSES).map(|(number, name)| {
        let all = counts(found, Some(number));
        let own = found.issues.iter().filter(|one| one.kind.facts().0 == number);
        let advice: BTreeSet<&str> = own.map(|one| one.advice.as_str()).collect();
        let (many, advice) = (all.iter().sum::<usize>().to_string(), advice.len().to_string());
        vec![name.to_owned(), status(all).to_owned(), many, advice]
    });
    table(out, &["Pass", "Status", "Issues", "Recommendations"], rows);
    let _ = write!(out, "{}\n\n", total(found));
    for (severity, title) in SEVERITIES {
        problems(out, title, found, |one| one.severity == severity);
    }
    next(out, found);
    let left = found.questions.iter().map(|one| format!("{}: {}", one.id, one.text));
    listed(out, "Left to judge", left);
}

fn next(out: &mut String, found: &Analysis) {
    let many = |kind: FixKind| found.fixes.iter().filter(|fix| fix.kind == kind).count();
    let moved = found.rows.iter().filter(|row| row.place != row.place_was).count();
    let _ = write!(
        out,
        "### Next Steps\n\n**Automated fixes available**:\n\n- `plan evaluate` would add criteria to {} sprints, and make {} splits and {} merges\n- `plan prioritize` would move {moved} sprints\n\n**Manual review needed**:\n\n",
        many(FixKind::Added),
        many(FixKind::Split),
        many(FixKind::Merged)
    );
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
    let last = "This report changes nothing; `plan evaluate` and `plan prioritize` do.";
    let _ = write!(out, "1. {step}\n\n{last}\n\n---\n\n");
}

pub(super) fn findings(out: &mut String, found: &Analysis) {
    out.push_str("## Detailed Findings\n\n");
    for (number, issue) in (1..).zip(&found.issues) {
        let severity = match issue.severity {
            Severity::Critical => "Critical",
            Severity::Recommended => "Recommended",
            Severity::Optional => "Optional",
        };
        let (pass, kind, impact) = issue.kind.facts();
        let pass = PASSES.get(pass.saturating_sub(1)).copied().unwrap_or_default();
        let _ = write!(
            out,
            "### Issue {number}: {}\n\n- Location: {}\n- Pass: {pass}\n- Type: {kind}\n- Severity: {severity}\n- Impact: {impact}\n- Recommendation: {}\n\n",
            line(&issue.problem),
            line(&issue.at),
            line(&issue.advice)
        );
    }
    if found.issues.is_empty() {
        out.push_str("None.\n");
    }
}
