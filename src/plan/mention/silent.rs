//! The parts of a text that say who is not waited for.

use super::super::phrases::Phrases;

/// In a part of a sentence with one of these, nobody is waited for.
static NOT_MEANT: Phrases = Phrases::new(&[
    "independent of",
    "disjoint",
    "parallel",
    "no dependency",
    "not depend",
    "does not need",
    "not require",
    "before ",
    "blocks",
    "depend on this",
    "depends on this",
    "unblocks",
    "unlike",
]);

/// The parts of a text that say who is not waited for; what is in parentheses belongs to what is
/// before them.
pub(super) fn not_meant(text: &str) -> Vec<(usize, usize)> {
    let mut parts = Vec::new();
    let (mut from, mut outer) = (0, false);
    let mut end = |from: usize, to: usize, inherited: bool| {
        let silent = inherited || NOT_MEANT.within(&text[from..to]);
        if silent {
            parts.push((from, to));
        }
        silent
    };
    let mut letters = text.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        let last = letters.peek().is_none_or(|(_, next)| next.is_whitespace());
        let stop = matches!(letter, ';' | '(' | ')') || letter == '.' && last;
        if stop {
            let silent = end(from, at, outer);
            outer = letter == '(' && silent;
            from = at + letter.len_utf8();
        }
    }
    end(from, text.len(), outer);
    parts
}
