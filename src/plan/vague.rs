//! Words that nobody can measure, and what could be said instead.

use super::phrases::Phrases;
use std::ops::Range;

/// Phrases that make a criterion vague, in small letters.
pub const VAGUE: &[&str] = &[
    "works correctly",
    "work correctly",
    "works properly",
    "work properly",
    "works well",
    "works as expected",
    "work as expected",
    "works fine",
    "behaves correctly",
    "behaves as expected",
    "functions correctly",
    "properly handles",
    "properly handle",
    "handles properly",
    "handled properly",
    "correctly handles",
    "is complete",
    "is completed",
    "are complete",
    "is done",
    "is finished",
    "is ready",
    "looks good",
    "looks right",
    "looks correct",
    "feels right",
    "is correct",
    "are correct",
    "is good",
    "is clean",
    "as appropriate",
    "where appropriate",
    "if appropriate",
    "as needed",
    "where needed",
    "user-friendly",
    "user friendly",
    "robust",
    "reasonable",
    "sufficient",
    "adequate",
    "make it work",
    "update things",
];

static PHRASES: Phrases = Phrases::new(VAGUE);

/// The first vague phrase of a text: its byte, and the words as written. What is quoted or in a code
/// span is spoken about, not used.
pub fn vague(text: &str) -> Option<(usize, &str)> {
    let whole = |range: &Range<usize>| {
        let before = text[..range.start].chars().next_back();
        let behind = text[range.end..].chars().next();
        [before, behind].iter().flatten().all(|letter| !letter.is_alphanumeric())
    };
    let mut hits = PHRASES.spots(text).filter(whole).peekable();
    hits.peek()?;
    let quoted = quoted(text);
    let free = |at: usize| !quoted.iter().any(|(from, to)| (*from..*to).contains(&at));
    let mut free = hits.filter(|range| free(range.start));
    let first = free.next()?;
    // Of two phrases at one place the longer one.
    let same = free.take_while(|range| range.start == first.start);
    let end = same.map(|range| range.end).fold(first.end, usize::max);
    Some((first.start, &text[first.start..end]))
}

/// Whether a text has a vague phrase.
pub fn is_vague(text: &str) -> bool {
    vague(text).is_some()
}

fn quoted(text: &str) -> Vec<(usize, usize)> {
    let mut parts: Vec<_> =
        super::outline::spans(text).iter().map(|(at, code)| (*at, at + code.len())).collect();
    let mut open = None;
    for (at, letter) in text.char_indices() {
        match (letter, open) {
            ('"' | '“', None) => open = Some(at),
            ('"' | '”', Some(from)) => {
                parts.push((from, at));
                open = None;
            }
            _ => {}
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vague_words_are_found_where_they_are_used() {
        assert_eq!(vague("The parser Works Correctly now"), Some((11, "Works Correctly")));
        assert_eq!(vague("Sprint 1 is completed"), Some((9, "is completed")));
        for text in
            ["Replace \"works correctly\" by a test", "`is complete` returns 1", "robustness of 3"]
        {
            assert_eq!(vague(text), None, "{text}");
        }
    }
}
