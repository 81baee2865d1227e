//! The first pass: where the plan begins and ends, what it covers, what is open.

use super::super::analyze::{Analysis, IssueKind, OpenKind, OpenQuestion, Point};
use super::super::requirements::Unread;
use super::{cell, head, line, listed};
use std::fmt::Write;

pub(super) fn completeness(out: &mut String, found: &Analysis) {
    out.push_str("## Pass 1: Completeness Analysis\n\n");
    point(out, "Point A (Current State)", "starting state", &found.point_a);
    point(out, "Point B (Target State)", "end state", &found.point_b);
    coverage(out, found);
    questions(out, found);
}

fn point(out: &mut String, title: &str, what: &str, point: &Point) {
    let status = if point.clear { "CLEAR" } else { "UNCLEAR" };
    let _ = write!(out, "### {title}\n\nStatus: {status}\n\n");
    let said: Vec<String> = point.documented.iter().take(3).map(|text| line(text)).collect();
    let _ = match said.is_empty() {
        true => write!(out, "The plan does not describe its {what}.\n\n"),
        false => write!(out, "The plan says about its {what}: {}\n\n", said.join(" · ")),
    };
    out.push_str("**Findings**:\n\n");
    let rows = [
        ("documented", &point.documented),
        ("deliverable", &point.deliverables),
        ("assumed, not documented", &point.assumed),
        ("unclear", &point.unclear),
    ];
    for (name, items) in rows {
        for item in items {
            let _ = writeln!(out, "- {name}: {}", line(item));
        }
    }
    if rows.iter().all(|(_, items)| items.is_empty()) {
        out.push_str("- nothing\n");
    }
    out.push('\n');
}

fn coverage(out: &mut String, found: &Analysis) {
    let missing = || found.coverage.iter().filter(|one| one.sprints.is_empty());
    let bridges = || found.issues.iter().filter(|one| one.kind == IssueKind::Bridge);
    let status = match (found.coverage.is_empty(), Unread::places(&found.unread)) {
        _ if bridges().next().is_some() || missing().next().is_some() => "INCOMPLETE".to_owned(),
        (true, 0) => "NOT SHOWN (no requirements document)".to_owned(),
        (false, 0) => "COMPLETE".to_owned(),
        (_, many) => {
            format!("PARTLY SHOWN ({many} places of the requirements document are not read)")
        }
    };
    let _ = write!(out, "### Coverage Analysis\n\nStatus: {status}\n\n");
    if !found.coverage.is_empty() {
        head(out, &["Requirement", "Addressed By", "Coverage"]);
        for one in &found.coverage {
            let (by, word) = match one.sprints.is_empty() {
                true => ("—".to_owned(), "✗ missing"),
                false => (one.sprints.join(", "), "✓ addressed"),
            };
            let (id, text) = (&one.requirement.id, cell(&one.requirement.text));
            let quoted = if one.requirement.quoted { " (quoted)" } else { "" };
            let _ = writeln!(out, "| {id}{quoted} {text} | {} | {word} |", cell(&by));
        }
        out.push('\n');
    }
    let gaps = missing()
        .map(|one| format!("no sprint: {} {}", one.requirement.id, one.requirement.text))
        .chain(bridges().map(|one| format!("on the way: {}", one.problem)))
        .chain(found.dead_ends.iter().map(|id| format!("nothing later uses what {id} makes")));
    listed(out, "Gaps", gaps);
    if !found.unread.is_empty() {
        let places =
            found.unread.iter().map(|one| format!("line {}: {}", one.lines.first, one.what));
        listed(out, "Not read as requirements", places);
    }
}

fn questions(out: &mut String, found: &Analysis) {
    let _ = write!(out, "### Open Questions\n\nCount: {}\n\n", found.questions.len());
    if found.questions.is_empty() {
        return;
    }
    head(out, &["Question", "Location", "Type", "Blocking Impact"]);
    for one in &found.questions {
        let blocks = match one.blocks.is_empty() {
            true => "blocks no sprint".to_owned(),
            false => format!("blocks {}", one.blocks.join(", ")),
        };
        let _ = writeln!(
            out,
            "| {} | {} | {} | {} |",
            cell(&one.text),
            cell(&one.at()),
            kind(one),
            cell(&blocks)
        );
    }
    out.push('\n');
    listed(
        out,
        "Recommendations",
        found.questions.iter().map(|one| format!("{}: {}", one.at(), one.advice())),
    );
}

fn kind(one: &OpenQuestion) -> &'static str {
    match (one.kind, &one.sprint) {
        (OpenKind::External, _) => "external dependency",
        (OpenKind::Undecided, None) => "requirement clarification",
        _ => "technical decision",
    }
}
