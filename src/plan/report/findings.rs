//! Every finding by itself.

use super::super::analyze::{Analysis, Issue, Severity};
use super::{PASSES, line};
use std::fmt::Write;

pub(super) fn findings(out: &mut String, found: &Analysis) {
    out.push_str("## Detailed Findings\n\n");
    for (number, issue) in (1..).zip(&found.issues) {
        let problem = line(&issue.problem);
        let _ = write!(
            out,
            "### Issue {number}: {problem}\n\n- Location: {}\n- Pass: {}\n- Type: {}\n- Severity: {}\n- Impact: {}\n- Recommendation: {}\n\n",
            line(&issue.at),
            pass(issue),
            issue.kind.words(),
            severity(issue.severity),
            issue.kind.impact(),
            line(&issue.advice)
        );
    }
    if found.issues.is_empty() {
        out.push_str("None.\n");
    }
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
