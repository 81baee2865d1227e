//! Totals that are said in a line or a sentence: "Total sprints: 9", "Sorties after refinement: 4", "All 4 sorties
//! are atomic".

use super::super::document::{LineRange, unmarked};
use super::super::model::{Counted, DeclaredTotal, Plan, WHOLE};
use super::super::outline::{Content, plain_small};
use super::super::phrases::behind;
use super::Reader;
use super::extras::sprint_at;

/// What stands before the colon, with "sprints" for either word.
const LABELS: &[&str] = &[
    "total sprints",
    "total sprints in mission",
    "sprints in total",
    "sprints after refinement",
    "sprints after refinements",
    "sprints planned",
    "number of sprints",
    "sprint count",
    "sprints",
];

/// What is said of all of them where a sentence counts them.
const SAID: &[&str] = &["are", "have", "were", "must", "will", "is", "has"];

/// The totals of `plan` that are said outside of tables, of its fences and of its sprints, which are given by their
/// lines in order; a sentence counts only where no line does.
pub(super) fn stated(
    reader: &Reader<'_>,
    plan: &mut Plan,
    sprints: &[(LineRange, String)],
) -> Vec<DeclaredTotal> {
    let outline = &reader.outline;
    let mut heading = 0;
    let (mut labelled, mut told) = (Vec::new(), Vec::new());
    for block in &outline.blocks {
        if matches!(block.content, Content::Heading(_)) {
            heading = outline.line(block.range.start);
        }
        if !matches!(block.content, Content::Paragraph | Content::List(_)) {
            continue;
        }
        // Most blocks are whole in a sprint.
        let of = |at: usize| sprint_at(sprints, outline.line(at));
        if of(block.range.start).is_some_and(|id| of(block.range.end.saturating_sub(1)) == Some(id))
        {
            continue;
        }
        let mut at = block.range.start;
        for line in outline.source(&block.range).split_inclusive('\n') {
            let number = outline.line(at);
            at += line.len();
            if sprint_at(sprints, number).is_some() {
                continue;
            }
            let words = plain_small(unmarked(line).trim()).replace("sortie", "sprint");
            let one = |count| DeclaredTotal { of: Counted::Sprints, count, line: number };
            // Right below the heading of a unit it is what that unit has.
            if plan_counts(&words) {
                let mut units = plan.units.iter_mut().filter(|unit| unit.id != WHOLE);
                if let Some(unit) = units.find(|unit| unit.lines.first == heading) {
                    unit.promised = unit.promised.or_else(|| label(&words));
                    continue;
                }
            }
            labelled.extend(label(&words).map(one));
            told.extend(sentence(&words).map(one));
        }
    }
    if labelled.is_empty() { told.into_iter().take(1).collect() } else { labelled }
}

/// Whether a label counts sprints without saying whose.
fn plan_counts(words: &str) -> bool {
    words.trim_start_matches(|c: char| !c.is_alphanumeric()).starts_with("sprints:")
}

/// `sprints after refinement: 4 (…)`; `2/9` is how many of them are done.
fn label(words: &str) -> Option<u32> {
    let (label, value) = words.split_once(':')?;
    let label = label.trim_matches(|c: char| !c.is_alphanumeric());
    if !LABELS.contains(&label) {
        return None;
    }
    let value = value.trim_start_matches(|c: char| c.is_whitespace() || c == '*' || c == '~');
    let behind = value.trim_start_matches(|c: char| c.is_ascii_digit());
    let rest = behind.trim_start();
    let part = rest.starts_with(['/', '-', '–']);
    // "Sprints: 2 weeks each" counts none.
    let bare = label != "sprints" || rest.is_empty() || rest.starts_with(['(', '.', ',']);
    value[..value.len() - behind.len()].parse().ok().filter(|_| !part && bare)
}

/// `all 4 sprints are atomic`, at the beginning of a sentence; `4 sprints in total`, `a total of 4 sprints`.
fn sentence(words: &str) -> Option<u32> {
    summed(words).or_else(|| counted(words))
}

/// `4 sprints total`, with nothing behind it.
fn summed(words: &str) -> Option<u32> {
    let number = |text: &str| text.rsplit(' ').next()?.parse::<u32>().ok();
    words.split(['.', ';', ',', '(', ')', '—', '–']).find_map(|part| {
        let part = part.trim();
        let behind = [" sprints total", " sprints in total", " sprints altogether"];
        let before = ["total of ", "in total ", "total: ", "in total: "];
        let ended = behind.iter().find_map(|end| number(part.strip_suffix(end)?));
        ended.or_else(|| {
            let count = part.strip_suffix(" sprints")?;
            before.iter().find_map(|begin| count.rsplit_once(begin)?.1.parse().ok())
        })
    })
}

fn counted(words: &str) -> Option<u32> {
    words.split(['.', ':', ';']).find_map(|part| {
        let rest = behind(part.trim_start_matches(|c: char| !c.is_alphanumeric()), "all ")?;
        let mut rest = rest.split_whitespace();
        let (count, noun, verb) = (rest.next()?, rest.next()?, rest.next()?);
        (noun == "sprints" && SAID.contains(&verb)).then(|| count.parse().ok())?
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn totals_are_told_from_what_is_done() {
        for (words, count) in [
            ("total sprints: 9 (1–9)", Some(9)),
            ("sprints after refinement: 4 (none split)", Some(4)),
            ("sprints dispatched: 2/9", None),
            ("total sprints: 2 / 9", None),
            ("sprints: 4", Some(4)),
            ("sprints: 4 (one deferred)", Some(4)),
            ("sprints: 2 weeks each", None),
            ("sprints: 2 of 4", None),
        ] {
            assert_eq!(label(words), count, "{words}");
        }
        for (words, count) in [
            ("pass 1: all 4 sprints are atomic. no splits", Some(4)),
            ("all 4 sprints of the layer are done", None),
            ("all sprints are atomic", None),
            ("3 sprints total", Some(3)),
            ("the work is done in 3 sprints in total.", Some(3)),
            ("a total of 3 sprints", Some(3)),
            ("total: 3 sprints", Some(3)),
            ("3 sprints total per quarter", None),
        ] {
            assert_eq!(sentence(words), count, "{words}");
        }
    }
}
