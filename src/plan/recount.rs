//! After a split or a merge: the numbers of sprints that a plan states are set anew, where they were right.

use super::document::LineRange;
use super::edit::Edits;
use super::label::unit_key;
use super::model::{Counted, Plan};
use super::outline::{Content, Outline};
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
    totals(before, &after, &outline, &mut edits);
    own_counts(before, &after, &outline, &mut edits);
    Ok(edits.apply(text))
}

/// The counts of all sprints, in tables, lines and sentences.
fn totals(before: &Plan, after: &Plan, outline: &Outline<'_>, edits: &mut Edits) {
    let (was, now) = (before.sprints().count(), after.sprints().count());
    if was == now {
        return;
    }
    for (of, count, cell) in total_cells(outline) {
        if of == Counted::Sprints && count as usize == was {
            set(outline, &cell, now, edits);
        }
    }
    let mut found: Vec<Range<usize>> = labelled(outline.text)
        .into_iter()
        .filter_map(|(count, range)| (count == was).then_some(range))
        .collect();
    let told = after.declared.iter().filter(|one| one.of == Counted::Sprints);
    let told = told.filter(|one| one.count as usize == was);
    for range in told.filter_map(|one| stated(outline, one.line, was)) {
        if !found.contains(&range) {
            found.push(range);
        }
    }
    found.into_iter().for_each(|range| edits.replace(range, now.to_string()));
}

/// What lines below the headings of units count.
fn own_counts(before: &Plan, after: &Plan, outline: &Outline<'_>, edits: &mut Edits) {
    for unit in &after.units {
        let was = before.unit(&unit.id).map_or(0, |old| old.sprints.len());
        let now = unit.sprints.len();
        if was == now || unit.promised.is_none_or(|count| count as usize != was) {
            continue;
        }
        let line = own_line(outline, &unit.id);
        if let Some(range) = line.and_then(|line| stated(outline, line, was)) {
            edits.replace(range, now.to_string());
        }
    }
}

/// The numbers of lines `Total sprints: 4`, in whatever marks.
fn labelled(text: &str) -> Vec<(usize, Range<usize>)> {
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

/// The number of a total that a line says in other words: `Sprints: 4`, `4 sprints in total`.
fn stated(outline: &Outline<'_>, line: u32, count: usize) -> Option<Range<usize>> {
    let range = outline.bytes(LineRange { first: line, last: line });
    let source = outline.source(&range);
    let number = count.to_string();
    let digit = |letter: Option<char>| letter.is_some_and(|letter| letter.is_ascii_digit());
    let whole = |at: &usize| {
        let (before, behind) = (&source[..*at], &source[at + number.len()..]);
        !digit(before.chars().next_back()) && !digit(behind.chars().next())
    };
    let tabled = source.trim_start().starts_with('|');
    let at = source.match_indices(&number).map(|(at, _)| at).find(whole).filter(|_| !tabled)?;
    Some(range.start + at..range.start + at + number.len())
}

/// The line below the heading of a unit that counts its sprints.
fn own_line(outline: &Outline<'_>, unit: &str) -> Option<u32> {
    let mut all = outline.blocks.iter().filter(|one| matches!(one.content, Content::Heading(_)));
    let block = all.find(|one| unit_key(outline.heading(one).0) == unit)?;
    let heading = outline.lines(&block.range).last;
    let text =
        outline.text.get(outline.bytes(LineRange { first: heading, last: heading }).end..)?;
    let below = text.lines().take_while(|line| !line.starts_with('#'));
    let counts = |line: &str| {
        let bare = line.trim_start_matches(|c: char| !c.is_alphanumeric());
        let named = ["sprints", "sorties"].iter().find_map(|name| behind(bare, name));
        named.is_some_and(|rest| rest.trim_start_matches(['*', '_', ' ']).starts_with(':'))
    };
    below.zip(heading + 1..).find(|(line, _)| counts(line)).map(|(_, line)| line)
}

/// Replaces the number in a cell; what else it says stays.
fn set(outline: &Outline<'_>, cell: &Range<usize>, number: usize, edits: &mut Edits) {
    let source = outline.source(cell);
    let Some(start) = source.find(|c: char| c.is_ascii_digit()) else { return };
    let digits = source[start..].find(|c: char| !c.is_ascii_digit());
    let end = digits.map_or(source.len(), |step| start + step);
    edits.replace(cell.start + start..cell.start + end, number.to_string());
}
