//! The line "Priority" of each sprint: a paragraph of its own right below the heading, or in the place of the one that
//! is there. Nothing beside that line is touched.

use super::edit::{Edits, block, line_end, parting};
use super::model::{Plan, Priority, Sprint, decimal};
use super::outline::{Content, Outline};
use super::prioritize::ReplacedReason;
use super::score::SprintScore;
use std::ops::Range;

/// Puts the line "Priority" right below the heading, or replaces the one that is there.
pub(super) fn annotate(
    outline: &Outline<'_>,
    plan: &Plan,
    scores: &[SprintScore],
    edits: &mut Edits,
) {
    let end = line_end(outline.text);
    for (score, sprint) in scored(plan, scores) {
        let line = format!("**Priority**: {} — {}", decimal(score.thousandths()), score.reason());
        if let Some((_, range)) = own(outline, sprint) {
            edits.replace(range, line);
        } else if let Some(heading) = outline.block_at(sprint.lines.first)
            && matches!(heading.content, Content::Heading(_))
        {
            let at = block(outline, outline.lines(&heading.range)).end;
            let behind = parting(outline.text, at);
            edits.replace(at..at, format!("{end}{end}{line}{behind}"));
        }
    }
}

/// Each score with its sprint.
fn scored<'p>(
    plan: &'p Plan,
    scores: &'p [SprintScore],
) -> impl Iterator<Item = (&'p SprintScore, &'p Sprint)> {
    let sprints = plan.sprints().filter(|one| !one.deferred);
    scores.iter().zip(sprints).filter(|(score, sprint)| score.sprint == sprint.id)
}

/// The priority that stands in a sprint, and its bytes: from its label to the end of the line. What goes on in the
/// lines below may be anything, and is kept; so is a bullet, an indent or a sign before it, and what breaks the line.
pub(super) fn own<'p>(
    outline: &Outline<'_>,
    sprint: &'p Sprint,
) -> Option<(&'p Priority, Range<usize>)> {
    let known = sprint.priority.as_ref()?;
    let line = known.lines.first;
    let below = line > sprint.lines.first && line <= sprint.lines.last;
    let range = outline.bytes(super::document::LineRange { first: line, last: line });
    let source = outline.source(&range);
    let label = source.to_ascii_lowercase().find("priority")?;
    let (before, said) = source.split_at(label);
    // A cell of a table ends before its line does, and other words before the label are not about it.
    let beside = before.contains(|c: char| c == '|' || c.is_alphanumeric());
    let start = before.trim_end_matches(['*', '_']).len();
    let kept = said.trim_end_matches(['\n', '\r', ' ', '\t', '\\']).len();
    (below && !beside).then(|| (known, range.start + start..range.start + label + kept))
}

/// The words that [`annotate`] writes over.
pub(super) fn replaced(
    outline: &Outline<'_>,
    plan: &Plan,
    scores: &[SprintScore],
) -> Vec<ReplacedReason> {
    let words = |(score, sprint): (&SprintScore, &Sprint)| {
        let (known, _) = own(outline, sprint)?;
        // The line alone: what is below it stays.
        let (said, line) = (first_line(outline, known), known.lines.first);
        let lost = !said.is_empty() && said != score.reason();
        lost.then(|| ReplacedReason { sprint: sprint.id.clone(), line, text: said })
    };
    scored(plan, scores).filter_map(words).collect()
}

/// The reason of a priority as far as it stands on the first line.
fn first_line(outline: &Outline<'_>, known: &Priority) -> String {
    let below = known.lines.last - known.lines.first;
    let rest = outline.bytes(known.lines);
    let words: usize = outline
        .source(&rest)
        .lines()
        .skip(1)
        .take(below as usize)
        .map(|line| line.split_whitespace().count())
        .sum();
    let all: Vec<&str> = known.reason.split_whitespace().collect();
    all[..all.len().saturating_sub(words)].join(" ")
}

#[cfg(test)]
mod tests {
    use super::super::judge::Answers;
    use super::super::prioritize::prioritize;

    fn twice(text: &str) -> String {
        let once = prioritize(text, &Answers::new()).unwrap().text;
        assert_eq!(prioritize(&once, &Answers::new()).unwrap().text, once);
        once
    }

    /// Whatever stands right below a heading stays what it is, also the second time.
    #[test]
    fn what_follows_a_heading_directly_is_kept() {
        for below in [
            "Write the page.\nRun `make page`.",
            "- Create `a.py`\n- Create `b.py`",
            "1. Create `a.py`",
            "| Task | File |\n|--|--|\n| Create it | `a.py` |",
            "```sh\nmake page\n```",
            "    make page",
            "> said",
            "---",
            "**Depends on**: none\n**Model**: opus",
            "<!-- why -->",
        ] {
            for end in ["\n", "\r\n"] {
                let text = format!("# P\n\n## Sprint 1: A\n{below}\n\n## Sprint 2: B\n1. Use it\n");
                let text = text.replace('\n', end);
                let once = twice(&text);
                let kept = format!("{end}{end}{}{end}", below.replace('\n', end));
                assert!(once.contains(&kept), "{once}");
                // Without the new lines it is what it was.
                let lines = once.split(end).filter(|line| !line.starts_with("**Priority**"));
                let bare = |text: &str| text.replace(end, "");
                assert_eq!(bare(&lines.collect::<Vec<_>>().join(end)), bare(&text));
            }
        }
    }

    /// A priority that somebody wrote gives way, and nothing around it.
    #[test]
    fn only_the_line_itself_is_replaced() {
        let line = "**Priority**: 1.5 — leaf sprint, no dependents, low complexity";
        for (own, expected) in [
            ("**Priority**: 3\nText", "@\nText"),
            ("**Priority**: 3 — since\nit is urgent", "@\nit is urgent"),
            ("**Priority**: 3  \n**Model**: opus  ", "@  \n**Model**: opus  "),
            ("**Model**: opus\n**Priority**: 3\nText", "**Model**: opus\n@\nText"),
            ("- **Priority**: 3\n- **Model**: opus", "- @\n- **Model**: opus"),
            ("* Priority: 3\n* Model: opus", "* @\n* Model: opus"),
            ("⚡ __Priority__: 3\n- a", "⚡ @\n- a"),
        ] {
            let text = format!("# P\n\n## Sprint 1: A\n\n{own}\n\n**Tasks**:\n1. Use it\n");
            let read = super::super::read::parse(&text).plan;
            assert!(read.units[0].sprints[0].priority.is_some(), "{own}");
            assert_eq!(twice(&text), text.replace(own, &expected.replace('@', line)));
        }
    }
}
