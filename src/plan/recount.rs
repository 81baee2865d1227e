//! After a split or a merge: the numbers of sprints that a plan states are set anew, where they were right.

use super::edit::Edits;
use super::label::unit_key;
use super::model::{Counted, Plan};
use super::outline::Outline;
use super::phrases::behind;
use super::prioritize::{front_end, sound};
use super::read::{promise_cells, total_cells};
use crate::vocab::error::Result;
use std::ops::Range;

/// The text with its totals and the counts of its table of units as they are now. What was wrong
/// `before` is left to its author.
///
/// # Errors
/// The first fault of the text.
pub fn recount(before: &Plan, text: &str) -> Result<String> {
    let after = sound(text)?;
    let outline = Outline::read(text, front_end(text, &after));
    let mut edits = Edits::default();
    for (name, cell) in promise_cells(&outline) {
        let id = unit_key(&name);
        let (Some(old), Some(new)) = (before.unit(&id), after.unit(&id)) else { continue };
        let (was, now) = (old.sprints.len(), new.sprints.len());
        if old.promised.is_some_and(|count| count as usize == was) && was != now {
            set(&outline, &cell, now, &mut edits);
        }
    }
    let (was, now) = (before.sprints().count(), after.sprints().count());
    for (of, count, cell) in total_cells(&outline) {
        if of == Counted::Sprints && count as usize == was && was != now {
            set(&outline, &cell, now, &mut edits);
        }
    }
    for (count, range) in stated(text) {
        if count == was && was != now {
            edits.replace(range, now.to_string());
        }
    }
    Ok(edits.apply(text))
}

/// The numbers of lines `Total sprints: 4`, in whatever marks.
fn stated(text: &str) -> Vec<(usize, Range<usize>)> {
    let mut found = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let bare = line.trim_start_matches(|c: char| !c.is_alphanumeric() && c != '|');
        let named = ["total sprints", "total sorties"].iter().find_map(|name| behind(bare, name));
        if let Some(rest) = named
            && let Some(tail) = rest.trim_start_matches(['*', '_', ' ']).strip_prefix(':')
        {
            let number = tail.trim_start_matches(['*', '_', ' ', '\t']);
            let digits =
                number.len() - number.trim_start_matches(|c: char| c.is_ascii_digit()).len();
            if let Ok(count) = number[..digits].parse() {
                let start = at + (line.len() - number.len());
                found.push((count, start..start + digits));
            }
        }
        at += line.len();
    }
    found
}

/// Replaces the number in a cell; what else it says stays.
fn set(outline: &Outline<'_>, cell: &Range<usize>, number: usize, edits: &mut Edits) {
    let source = outline.source(cell);
    let Some(start) = source.find(|c: char| c.is_ascii_digit()) else { return };
    let digits = source[start..].find(|c: char| !c.is_ascii_digit());
    let end = digits.map_or(source.len(), |step| start + step);
    edits.replace(cell.start + start..cell.start + end, number.to_string());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_were_right_are_set_anew() {
        let plan = |core: u32, total: u32| {
            format!(
                "| Work Unit | Sprints | Layer |\n|--|--|--|\n| Core | **{core}** or so | 1 |\n| Docs | 7 | 2 |\n\n## Core\n\n### Sprint 1: a\n\n## Docs\n\n### Sprint 2: b\n\n\
                 ## Summary\n\n| Metric | Value |\n|--|--|\n| Total sprints | {total} |\n"
            )
        };
        let before = sound(&plan(1, 2)).unwrap();
        let split = |text: String| text.replace("## Docs", "### Sprint 1b: c\n\n## Docs");
        assert_eq!(recount(&before, &split(plan(1, 2))).unwrap(), split(plan(2, 3)));
        let said = |total: u32| {
            format!(
                "{}\n**Total sprints**: {total}\n",
                plan(1, 2).split("## Summary").next().unwrap()
            )
        };
        let inner = said(2).replace("## Docs", "### Sprint 1b: c\n\n## Docs");
        let counted = recount(&sound(&said(2)).unwrap(), &inner).unwrap();
        assert!(counted.ends_with("**Total sprints**: 3\n"), "{counted}");
        let wrong = sound(&plan(5, 9)).unwrap();
        assert_eq!(recount(&wrong, &split(plan(5, 9))).unwrap(), split(plan(5, 9)));
    }
}
