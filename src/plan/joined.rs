//! Numbers of sprints that are joined to other text: `Sprint-2`, a link to `#sprint-2-core`, the node `S2` of a
//! drawing. What they are part of may be a name of somebody else's (a file, a branch), so they are not given new
//! numbers; but where they would be left behind, nothing is moved at all.

use super::edit::Edits;
use super::mention::bare_label;
use super::model::Plan;
use super::outline::{Content, Outline};
use super::read::names;
use crate::vocab::error::{Code, Error, Result, clip};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// Checks that no sprint with a new label is named in a way that the edits leave as it is.
///
/// # Errors
/// `invalid_change` at the line of the first that is.
pub(super) fn check(
    outline: &Outline<'_>,
    plan: &Plan,
    labels: &BTreeMap<String, String>,
    edits: &Edits,
) -> Result<()> {
    let renamed = |id: &str, label: &str| labels.get(id).is_some_and(|new| new != label);
    let changed = plan.sprints().filter(|one| renamed(&one.id, &one.label));
    let changed: BTreeSet<String> = changed.map(|one| bare_label(&one.label)).collect();
    if changed.is_empty() {
        return Ok(());
    }
    let left = all(outline, plan).into_iter().find(|range| {
        changed.contains(&bare_label(outline.source(range))) && !edits.touches(range)
    });
    let Some(left) = left else { return Ok(()) };
    let line = outline.line(left.start);
    let lines = super::document::LineRange { first: line, last: line };
    let expected =
        "labels that stand alone (`Sprint 2`), so that they get the new numbers with their sprints";
    let got = clip(outline.source(&outline.bytes(lines)).trim(), 160);
    Err(Error::new(Code::InvalidChange, format!("line {line}"), expected, got))
}

/// The sprints that are named so, by their ids and but for those in `links`, which follow.
pub(super) fn named(
    outline: &Outline<'_>,
    plan: &Plan,
    links: &[Range<usize>],
) -> BTreeSet<String> {
    let mut open = all(outline, plan);
    open.retain(|range| {
        let before = links.partition_point(|link| link.start <= range.start);
        let link = before.checked_sub(1).and_then(|place| links.get(place));
        link.is_none_or(|link| link.end < range.end)
    });
    let labels: BTreeSet<String> =
        open.iter().map(|range| bare_label(outline.source(range))).collect();
    let named = plan.sprints().filter(|one| labels.contains(&bare_label(&one.label)));
    named.map(|one| one.id.clone()).collect()
}

/// All such labels, in the order of the document.
fn all(outline: &Outline<'_>, plan: &Plan) -> Vec<Range<usize>> {
    let words = names(plan).words;
    let mut found = joined(outline.text, 0, &words, true);
    let drawn = outline.blocks.iter().filter(|block| match &block.content {
        Content::Code { info, .. } => info.trim().starts_with("mermaid"),
        _ => false,
    });
    for block in drawn {
        let nodes =
            joined(outline.source(&block.range), block.range.start, &["s".to_owned()], false);
        found.extend(nodes);
    }
    found.sort_by_key(|range| range.start);
    found
}

/// The labels right behind one of these words, with a mark between them if `marks`, in a text that begins at a byte
/// of the document.
fn joined(text: &str, from: usize, words: &[String], marks: bool) -> Vec<Range<usize>> {
    let lower = text.to_ascii_lowercase();
    let mut found = Vec::new();
    for word in words {
        for (at, _) in lower.match_indices(word.as_str()) {
            let before = lower[..at].chars().next_back();
            if before.is_some_and(|c| c.is_alphabetic() || !marks && c.is_alphanumeric()) {
                continue;
            }
            let behind = &lower[at + word.len()..];
            let behind = if marks { behind.strip_prefix('s').unwrap_or(behind) } else { behind };
            let mark = |c: char| marks && matches!(c, '-' | '_' | '.' | '‐' | '‑' | '–');
            let rest = behind.trim_start_matches(mark);
            let digits = rest.trim_start_matches(|c: char| c.is_ascii_digit());
            let tail = digits.strip_prefix(|c: char| c.is_ascii_lowercase()).unwrap_or(digits);
            // A letter belongs to the label only if nothing else follows it.
            let ends = |tail: &str| !tail.starts_with(|c: char| c.is_alphanumeric());
            let tail = if ends(tail) { tail } else { digits };
            if rest.len() > digits.len() && ends(tail) {
                found.push(from + text.len() - rest.len()..from + text.len() - tail.len());
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::judge::Answers;
    use super::super::prioritize::prioritize;
    use crate::vocab::error::Code;

    /// Two sprints of which the second goes first, so that both get other numbers.
    fn plan(more: &str) -> String {
        format!(
            "# P\n\n## Sprint 1: Page\n\n**Entry criteria**: none\n\n**Tasks**:\n1. Show a page\n\n\
             ## Sprint 2: Core types\n\n**Entry criteria**:\n- [ ] First sprint, no prerequisites\n\n**Tasks**:\n\
             1. Create `src/types.rs`\n\n## Sprint 3: Client\n\n**Entry criteria**:\n\
             - [ ] Sprint 2 exit criteria met\n\n**Tasks**:\n1. Use `src/types.rs`\n\n## Notes\n\n{more}\n"
        )
    }

    #[test]
    fn what_cannot_follow_keeps_everything_where_it_is() {
        for more in [
            "See Sprint-2.",
            "See [the core](#sprint-2-core-types).",
            "On branch `feature/sprint_2`.",
            "Sprint2 is short.",
            "```mermaid\ngraph TD\n  S2 --> S3\n```",
        ] {
            let error = prioritize(&plan(more), &Answers::new()).unwrap_err();
            assert_eq!(error.code, Code::InvalidChange, "{more}");
            assert!(["line 28", "line 30"].contains(&error.at.as_str()), "{more}: {error}");
        }
    }

    #[test]
    fn what_follows_or_is_meant_otherwise_is_no_reason() {
        for more in [
            "See Sprint 2.",
            "See Sprint-9 and sprint-3, an S2 bucket, sprinted2, sprint-2nd and `SS2`.",
        ] {
            let done = prioritize(&plan(more), &Answers::new());
            assert!(done.is_ok_and(|done| done.text.contains("## Sprint 1: Core types")), "{more}");
        }
        // In order already, nothing gets another number.
        let ordered = prioritize(&plan(""), &Answers::new()).unwrap().text + "\nSee Sprint-2.\n";
        assert!(prioritize(&ordered, &Answers::new()).is_ok());
    }
}
