//! Names in a text about nothing but dependencies ("Depends on", a column) that nothing in the plan bears.
//!
//! A misspelt name must not let a sprint start at once. What is plainly prose is left to people.

use super::super::label::{slug, unit_key};
use super::super::mention::{Mention, Names};
use super::super::phrases::Phrases;
use super::tables::said;
use std::ops::Range;

/// Words that say that nothing is waited for.
const NONE: &[&str] = &[
    "none",
    "nothing",
    "no",
    "nobody",
    "n",
    "not",
    "independent",
    "parallel",
    "standalone",
    "nil",
];

/// Words around a name that are no part of it.
const AROUND: &[&str] = &[
    "after",
    "all",
    "and",
    "both",
    "completed",
    "completion",
    "depend",
    "depends",
    "from",
    "needs",
    "of",
    "on",
    "only",
    "requires",
    "sprint",
    "sprints",
    "sortie",
    "sorties",
    "the",
    "unit",
    "units",
    "work",
];

/// Who is expressly not waited for, or a thing outside of the plan.
static ASIDE: Phrases = Phrases::new(&[
    "independent of",
    "parallel",
    "disjoint",
    "no dependenc",
    "not depend",
    "external",
    "no prereq",
    "previous",
    "prior",
    "layer",
]);

/// Marks between names, which a name may have in itself.
const MARKS: [char; 4] = [',', ';', '+', '&'];

/// A name of a unit before "Sprint 3" in one part of a text.
pub(super) struct OfUnit {
    /// The bytes of the unit's name in the text.
    pub(super) at: Range<usize>,
    /// The unit, if there is one of that name.
    pub(super) unit: Option<String>,
    /// The label behind it.
    pub(super) label: String,
}

/// The parts of a text between commas and the like: their bytes without marks and what is in parentheses.
fn parts(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let (mut from, mut depth) = (0, 0_u32);
    let mut end = None;
    for (at, letter) in text.char_indices() {
        match letter {
            '(' | '[' => {
                if depth == 0 {
                    end.get_or_insert(at);
                }
                depth += 1;
            }
            ')' | ']' => depth = depth.saturating_sub(1),
            ',' | ';' | '+' | '&' | '\n' if depth == 0 => {
                found.push(from..end.take().unwrap_or(at));
                from = at + 1;
            }
            _ => {}
        }
    }
    found.push(from..end.unwrap_or(text.len()));
    found.into_iter().filter_map(|range| bare(text, range)).collect()
}

fn bare(text: &str, range: Range<usize>) -> Option<Range<usize>> {
    let part = text.get(range.clone())?;
    let mark = |c: char| c.is_whitespace() || matches!(c, '`' | '*' | '.' | '_' | '-' | '"');
    let left = part.trim_start_matches(mark);
    let start = range.start + (part.len() - left.len());
    let kept = left.trim_end_matches(mark);
    (!kept.is_empty()).then(|| start..start + kept.len())
}

/// A unit by what a person would call it.
fn unit<'n>(names: &'n Names, said: &str) -> Option<&'n str> {
    let key = unit_key(said);
    let known =
        names.units.iter().find(|(id, name)| *id == key || *id == slug(said) || name == said);
    known.map(|(id, _)| id.as_str())
}

/// Every "Core Sprint 3" of a text.
pub(super) fn of_units(text: &str, names: &Names) -> Vec<OfUnit> {
    let mut found = Vec::new();
    for range in parts(text) {
        let part = &text[range.clone()];
        let words: Vec<&str> = part.split_whitespace().collect();
        let noun = |word: &&str| {
            let lower = word.to_lowercase();
            names.words.contains(&lower)
        };
        let [before @ .., word, label] = words.as_slice() else { continue };
        if before.is_empty() || !noun(word) || !super::super::label::is_label(label) {
            continue;
        }
        let end = part.rfind(word).unwrap_or(0);
        let said = part[..end].trim_end();
        let known = unit(names, said).map(str::to_owned);
        let capital = before.len() <= 3
            && before.iter().all(|one| one.starts_with(char::is_uppercase))
            && !before.iter().any(|one| AROUND.contains(&one.to_lowercase().as_str()));
        if known.is_some() || capital {
            let at = range.start..range.start + said.len();
            found.push(OfUnit { at, unit: known, label: (*label).to_owned() });
        }
    }
    found
}

/// The parts of a text that look like a name and name nothing.
pub(super) fn unnamed(text: &str, found: &[Mention], names: &Names) -> Vec<Range<usize>> {
    if ASIDE.within(text) || !said(text) {
        return Vec::new();
    }
    let mut parts = parts(text);
    parts.retain(|range| {
        let part = &text[range.clone()];
        let first = part.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
        let named = found.iter().any(|one| range.contains(&one.at));
        let words = part.split_whitespace().count();
        let known = unit(names, part).is_some()
            || names.units.iter().any(|(_, name)| name.contains(MARKS) && name.contains(part));
        !named
            && !known
            && words <= 2
            && said(part)
            && part.contains(char::is_alphanumeric)
            && !NONE.contains(&first.to_lowercase().as_str())
            && !AROUND.contains(&part.to_lowercase().as_str())
    });
    parts
}
