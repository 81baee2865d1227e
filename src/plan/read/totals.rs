//! Totals that are said in a line or a sentence: "Total sprints: 9", "Sorties after refinement: 4", "All 4 sorties
//! are atomic".

use super::super::document::unmarked;
use super::super::model::{Counted, DeclaredTotal, Plan};
use super::super::outline::{Content, plain};
use super::super::phrases::behind;
use super::Reader;

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
];

/// What is said of all of them where a sentence counts them.
const SAID: &[&str] = &["are", "have", "were", "must", "will", "is", "has"];

/// The totals of `plan` that are said outside of tables, of its fences and of its sprints; a sentence counts only
/// where no line does.
pub(super) fn stated(reader: &Reader<'_>, plan: &Plan) -> Vec<DeclaredTotal> {
    let outline = &reader.outline;
    let (mut labelled, mut told) = (Vec::new(), Vec::new());
    for block in &outline.blocks {
        if !matches!(block.content, Content::Paragraph | Content::List(_)) {
            continue;
        }
        let mut at = block.range.start;
        for line in outline.source(&block.range).split_inclusive('\n') {
            let number = outline.line(at);
            at += line.len();
            let inside =
                |one: &super::super::document::LineRange| (one.first..=one.last).contains(&number);
            if plan.sprints().any(|one| inside(&one.lines)) {
                continue;
            }
            let words = plain(unmarked(line).trim()).to_lowercase().replace("sortie", "sprint");
            let one = |count| DeclaredTotal { of: Counted::Sprints, count, line: number };
            labelled.extend(label(&words).map(one));
            told.extend(sentence(&words).map(one));
        }
    }
    if labelled.is_empty() { told.into_iter().take(1).collect() } else { labelled }
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
    let part = behind.trim_start().starts_with(['/', '-', '–']);
    value[..value.len() - behind.len()].parse().ok().filter(|_| !part)
}

/// `all 4 sprints are atomic`, at the beginning of a sentence.
fn sentence(words: &str) -> Option<u32> {
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
            ("sprints: 4", None),
        ] {
            assert_eq!(label(words), count, "{words}");
        }
        for (words, count) in [
            ("pass 1: all 4 sprints are atomic. no splits", Some(4)),
            ("all 4 sprints of the layer are done", None),
            ("all sprints are atomic", None),
        ] {
            assert_eq!(sentence(words), count, "{words}");
        }
    }
}
