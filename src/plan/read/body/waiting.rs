//! Sentences of a sprint that say whom it waits for: "Depends on Core.", "This sprint needs Core."

use super::super::super::phrases::behind;
use super::super::find::WORDS;
use super::super::parts::Part;
use super::Walk;
use std::ops::Range;

/// With what such a sentence may begin before its verb.
const BEFORE: [&str; 4] = ["this sprint ", "this sortie ", "this work unit ", "it "];

/// Verbs that are said of nothing but an order.
const ORDER: [&str; 12] = [
    "depends on ",
    "depends upon ",
    "waits for ",
    "waits on ",
    "must wait for ",
    "is blocked by ",
    "blocked by ",
    "must come after ",
    "comes after ",
    "do not start before ",
    "don't start before ",
    "must not start before ",
];

/// Verbs that are said of tools and files as well.
const NEEDS: [&str; 9] = [
    "needs ",
    "requires ",
    "builds on ",
    "relies on ",
    "follows ",
    "runs after ",
    "starts after ",
    "can only start after ",
    "cannot start before ",
];

impl Walk<'_, '_> {
    /// "Before:" and "After:" stand over lists of other things, too, and among criteria before words of other kinds.
    pub(super) fn told(&self, found: Part, words: &str) -> Part {
        let named = words.split(|c: char| !c.is_alphanumeric()).any(|word| {
            let lower = word.to_lowercase();
            WORDS.contains(&lower.trim_end_matches('s'))
        });
        let brief = named || words.split_whitespace().count() <= 2 && !words.contains('`');
        let within = self.among_criteria().is_some() && !brief;
        let other = match found {
            Part::After => words.is_empty() || within,
            Part::Needs => within,
            _ => false,
        };
        if other { Part::Other } else { found }
    }
}

/// The names behind the verbs of a text that begins at a byte of the document, and whether the verb says an order.
pub(super) fn sentences(text: &str, start: usize) -> Vec<(Range<usize>, bool)> {
    let mut found = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let mut from = at;
        for one in line.split_inclusive(". ") {
            found.extend(sentence(one).map(|(range, order)| {
                (start + from + range.start..start + from + range.end, order)
            }));
            from += one.len();
        }
        at += line.len();
    }
    found
}

/// Whether an item is such a sentence about an order.
pub(super) fn is_sentence(text: &str) -> bool {
    sentence(text).is_some_and(|(_, order)| order)
}

/// "Core must be complete before this begins": the names before the verb.
fn first(text: &str, bare: &str) -> Option<Range<usize>> {
    // Said of few, and seen faster than where.
    let told = bare.contains(" must be ");
    let (names, said) = told.then(|| bare.split_once(" must be ")).flatten()?;
    let behind = ["complete", "completed", "done", "finished", "merged", "verified"]
        .iter()
        .find_map(|word| said.strip_prefix(word).filter(|rest| rest.starts_with([' ', '.'])))?;
    let whole = behind.trim_matches(|c: char| c.is_whitespace() || "*_.".contains(c));
    let here = ["before this", "before it ", "first"].iter().any(|words| whole.starts_with(words));
    let start = text.len() - bare.len();
    (whole.is_empty() || here).then(|| start..start + names.len())
}

fn sentence(text: &str) -> Option<(Range<usize>, bool)> {
    let bare = text.trim_start_matches(|c: char| c.is_whitespace() || "*_>".contains(c));
    if !bare.starts_with(char::is_uppercase) {
        return None;
    }
    let said = BEFORE.iter().find_map(|words| behind(bare, words)).unwrap_or(bare);
    let verb = |verbs: &[&str]| verbs.iter().find_map(|verb| behind(said, verb));
    let (names, order) = match verb(&ORDER) {
        Some(names) => (names, true),
        None => match verb(&NEEDS) {
            Some(names) => (names, false),
            None => return first(text, bare).map(|range| (range, false)),
        },
    };
    let start = text.len() - names.len();
    let kept = names.trim_end_matches(|c: char| c.is_whitespace() || "*_.".contains(c));
    (!kept.is_empty()).then(|| (start..start + kept.len(), order))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_say_who_is_waited_for() {
        for (text, expected) in [
            ("Depends on Core.", "Core"),
            ("Small. This sprint depends on Core and Page.\nMore.", "Core and Page"),
            ("*Waits for Core*", "Core"),
            ("It needs Sprint 1.", "Sprint 1"),
            ("Core must be complete before this begins.", "Core"),
            ("Core must be complete before Web begins.", ""),
            ("What depends on Core is here.", ""),
            ("depends on Core", ""),
            ("**Depends on**: Core", ""),
        ] {
            let all = sentences(text, 0);
            let said: Vec<_> = all.into_iter().map(|(range, _)| &text[range]).collect();
            assert_eq!(said.join("|"), expected, "{text}");
        }
        assert!(is_sentence("Depends on Core") && !is_sentence("Requires care"));
    }
}
