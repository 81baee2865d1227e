//! The verdict on each pass, its reasons, and what to do next.

use super::super::analyze::{Analysis, Issue, IssueKind, Severity};
use super::super::evaluate::FixKind;
use super::{PASSES, cell, head, line, listed};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

const SEVERITIES: [Severity; 3] = [Severity::Critical, Severity::Recommended, Severity::Optional];

/// The number of issues of each severity, of one pass or of all.
fn counts(found: &Analysis, pass: Option<u32>) -> [usize; 3] {
    let own = |one: &&Issue| pass.is_none_or(|pass| one.pass == pass);
    SEVERITIES.map(|severity| {
        found.issues.iter().filter(own).filter(|one| one.severity == severity).count()
    })
}

/// A pass is passed if nothing critical and nothing recommended is open; whatever fails a row of a table is at
/// least recommended.
fn status(counts: [usize; 3]) -> &'static str {
    if counts[0] + counts[1] == 0 { "PASS" } else { "NEEDS_WORK" }
}

/// The overall assessment for the terminal.
pub fn summary(found: &Analysis) -> String {
    let mut out = String::new();
    head(&mut out, &["Pass", "Status", "Critical", "Recommended", "Optional"]);
    for (number, name) in (1..).zip(PASSES) {
        let all = counts(found, Some(number));
        let [critical, recommended, optional] = all;
        let _ =
            writeln!(out, "| {name} | {} | {critical} | {recommended} | {optional} |", status(all));
    }
    let _ = write!(out, "\n{}\n\n{}\n\n", total(found), reasons(found).join("\n"));
    let [critical, recommended, _] = counts(found, None);
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

fn total(found: &Analysis) -> String {
    let [critical, recommended, optional] = counts(found, None);
    format!(
        "**Total Issues**: {} ({critical} critical, {recommended} recommended, {optional} optional)",
        found.issues.len()
    )
}

/// For each pass why it has its verdict: how many issues of which kind.
fn reasons(found: &Analysis) -> Vec<String> {
    let each = (1..).zip(PASSES).map(|(number, name)| {
        let own = found.issues.iter().filter(|one| one.pass == number);
        let heavy = own.filter(|one| one.severity != Severity::Optional);
        let mut kinds: BTreeMap<IssueKind, BTreeSet<&str>> = BTreeMap::new();
        let mut many: BTreeMap<IssueKind, usize> = BTreeMap::new();
        for one in heavy {
            kinds.entry(one.kind).or_default().insert(&one.at);
            *many.entry(one.kind).or_default() += 1;
        }
        let words = kinds.iter().map(|(kind, places)| {
            let shown: Vec<&str> = places.iter().take(5).copied().collect();
            let more = if places.len() > 5 { ", …" } else { "" };
            format!(
                "{} {} ({}{more})",
                many.get(kind).unwrap_or(&0),
                kind.words(),
                shown.join(", ")
            )
        });
        let words: Vec<String> = words.collect();
        let verdict = status(counts(found, Some(number)));
        let why = match words.is_empty() {
            true => "nothing critical and nothing recommended was found".to_owned(),
            false => words.join("; "),
        };
        format!("- {name}: {verdict} — {}", line(&why))
    });
    each.collect()
}

/// The whole section "Summary".
pub(super) fn verdict(out: &mut String, found: &Analysis) {
    out.push_str("## Summary\n\n### Overall Assessment\n\n");
    head(
        out,
        &["Pass", "Status", "Issues", "Recommendations", "Critical", "Recommended", "Optional"],
    );
    for (number, name) in (1..).zip(PASSES) {
        let all = counts(found, Some(number));
        let own = found.issues.iter().filter(|one| one.pass == number);
        let advice: BTreeSet<&str> = own.map(|one| one.advice.as_str()).collect();
        let [critical, recommended, optional] = all;
        let _ = writeln!(
            out,
            "| {name} | {} | {} | {} | {critical} | {recommended} | {optional} |",
            status(all),
            all.iter().sum::<usize>(),
            advice.len()
        );
    }
    let _ = write!(out, "\n**Reasons**:\n\n{}\n\n{}\n\n", reasons(found).join("\n"), total(found));
    let titles = [
        "Critical Issues (must address before execution)",
        "Recommended Issues (improve execution quality)",
        "Optional Improvements",
    ];
    for (title, severity) in titles.into_iter().zip(SEVERITIES) {
        let own = found.issues.iter().filter(|one| one.severity == severity);
        listed(out, title, own.map(|one| format!("{}: {}", one.at, cell(&one.problem))));
    }
    next(out, found);
    let left = found.left.iter().map(|one| format!("{}: {}", one.id, one.text));
    listed(out, "Left to judge", left);
}

fn next(out: &mut String, found: &Analysis) {
    out.push_str("### Next Steps\n\n**Automated fixes available**:\n\n");
    let many = |kind: FixKind| found.fixes.iter().filter(|fix| fix.kind == kind).count();
    let _ = writeln!(
        out,
        "- `plan evaluate` would make {} changes: {} criteria worded anew, {} added, {} splits, {} merges",
        found.fixes.len(),
        many(FixKind::Reworded),
        many(FixKind::Added),
        many(FixKind::Split),
        many(FixKind::Merged)
    );
    let moved = found.rows.iter().filter(|row| row.place != row.place_was).count();
    let _ = writeln!(
        out,
        "- `plan prioritize` would move {moved} sprints and lower {} layers",
        found.layers.len()
    );
    out.push_str("\n**Manual review needed**:\n\n");
    let [critical, recommended, optional] = counts(found, None);
    let steps: &[&str] = match (critical, recommended, optional) {
        (0, 0, 0) => &["All passes are clear: start it with `endstate run --protocol sprint`"],
        (0, 0, _) => &[
            "Only optional improvements: run `plan evaluate` and `plan prioritize` if you like",
            "Start it with `endstate run --protocol sprint`",
        ],
        (0, _, _) => &[
            "Only recommended issues: run `plan evaluate` and `plan prioritize`, or mend them by hand",
            "Run `plan analyze` again, or start it with `endstate run --protocol sprint`",
        ],
        _ => &["Settle every critical issue in the plan", "Run `plan analyze` again"],
    };
    for (number, step) in (1..).zip(steps) {
        let _ = writeln!(out, "{number}. {step}");
    }
    out.push_str("\nThis report changes nothing; `plan evaluate` and `plan prioritize` do.\n\n");
}
