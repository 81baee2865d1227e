//! What a plan declares of its own size: "Total sprints: 9", "Sorties after refinement: 4", "4 sprints in total", a row
//! of its summary. What it says of all of them ("All 4 sorties are atomic") is a record, and declares nothing.

use super::super::document::{LineRange, unmarked};
use super::super::model::{Counted, DeclaredTotal, Plan};
use super::super::outline::{Content, plain_small};
use super::super::phrases::behind as starts;
use super::Reader;
use super::extras::sprint_at;
use super::tables::{Sheet, totals};
use std::ops::Range;

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

/// What a plan declares of its size, but for the column of its table of units: tables with two columns, labels, and,
/// where neither counts sprints, a sentence. Fences and sprints, which are given by their lines in order, declare nothing.
/// What stands below the heading of a unit, before its first sprint, counts the sprints of that unit.
pub(super) fn declared(
    reader: &Reader<'_>,
    plan: &mut Plan,
    sprints: &[(LineRange, String)],
) -> Vec<DeclaredTotal> {
    let outline = &reader.outline;
    let mut all = Vec::new();
    for (of, count, range) in totals_in(reader.sheets.iter()) {
        all.push((true, of, count, range.start));
    }
    for block in &outline.blocks {
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
            let here = at;
            at += line.len();
            if of(here).is_some() {
                continue;
            }
            // Not the mark of emphasis that it looks like: it says "about", or "no longer".
            let line = unmarked(line).replace('~', "≈");
            let words = plain_small(line.trim()).replace("sortie", "sprint");
            let found = label(&words).map(|count| (true, count));
            let found = found.or_else(|| sentence(&words).map(|count| (false, count)));
            all.extend(found.map(|(firm, count)| (firm, Counted::Sprints, count, here)));
        }
    }
    all.retain(|(_, of, count, at)| {
        let owner = (*of == Counted::Sprints).then(|| reader.own.iter().find(|own| own.holds(*at)));
        let unit =
            owner.flatten().and_then(|own| plan.units.iter_mut().find(|one| one.id == own.id));
        unit.map(|unit| unit.promised = unit.promised.or(Some(*count))).is_none()
    });
    let firm = all.iter().any(|(firm, of, ..)| *firm && *of == Counted::Sprints);
    all.retain(|(label, of, ..)| *label || !firm && *of == Counted::Sprints);
    let line = |at| outline.line(at);
    all.into_iter().map(|(_, of, count, at)| DeclaredTotal { of, count, line: line(at) }).collect()
}

/// Rows "Total sprints" and "Work units" of two-column tables: what they count, and the cell.
pub(super) fn totals_in<'a>(
    sheets: impl Iterator<Item = impl std::borrow::Borrow<Sheet<'a>>>,
) -> Vec<(Counted, u32, Range<usize>)> {
    let mut found = Vec::new();
    for sheet in sheets {
        for (name, count, range) in totals(sheet.borrow()) {
            let of = match name.replace("sortie", "sprint").as_str() {
                "sprints" | "total sprints" | "total sprints in mission" => Counted::Sprints,
                "work units" | "total work units" => Counted::Units,
                _ => continue,
            };
            found.push((of, count, range));
        }
    }
    found
}

/// The number that a text declares: `4`, `**4** (one deferred)`, `4 sprints`. `~4`, `2/9`, `1–3`, `1, 2` and `2 weeks` declare none.
pub(super) fn exactly(text: &str) -> Option<u32> {
    let bare = text.trim_start_matches(|c: char| c.is_whitespace() || "*`_".contains(c));
    let behind = bare.trim_start_matches(|c: char| c.is_ascii_digit());
    let rest = behind.trim_start_matches(|c: char| c.is_whitespace() || "*`_".contains(c));
    let noun = ["sprint", "sortie"].iter().any(|noun| starts(rest, noun).is_some());
    let ends = rest.starts_with(['(', '.', ',', ';', '—', '–', '-', ':']);
    let next = rest.trim_start_matches(|c: char| !c.is_alphanumeric() && c != '(');
    let more = next.starts_with(|c: char| c.is_ascii_digit());
    let exact = rest.is_empty() || noun || ends && !more;
    bare[..bare.len() - behind.len()].parse().ok().filter(|_| exact)
}

/// `sprints after refinement: 4 (…)`.
fn label(words: &str) -> Option<u32> {
    let (label, value) = words.split_once(':')?;
    let label = label.trim_matches(|c: char| !c.is_alphanumeric());
    LABELS.contains(&label).then(|| exactly(value))?
}

/// `4 sprints total` with nothing behind it, `a total of 4 sprints`.
fn sentence(words: &str) -> Option<u32> {
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
            ("sprints: 4, all small", Some(4)),
            ("sprints: 1, 2, 3", None),
            ("sprints: 1–3", None),
            ("total sprints: ~9", None),
            ("number of sprints: 4 sprints", Some(4)),
        ] {
            assert_eq!(label(words), count, "{words}");
        }
        for (words, count) in [
            ("pass 1: all 4 sprints are atomic. no splits", None),
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
