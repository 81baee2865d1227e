//! After a split or a merge: the numbers of sprints that a plan states are set anew, where they were right.

use super::edit::Edits;
use super::label::unit_key;
use super::model::{Counted, Plan};
use super::outline::Outline;
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
    Ok(edits.apply(text))
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
        let wrong = sound(&plan(5, 9)).unwrap();
        assert_eq!(recount(&wrong, &split(plan(5, 9))).unwrap(), split(plan(5, 9)));
    }
}
