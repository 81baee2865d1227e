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
/// span is spoken about, not used. A text that only keeps a place for words is vague as a whole.
pub fn vague(text: &str) -> Option<(usize, &str)> {
    phrase(text).or_else(|| placeholder(text))
}

/// The same of a criterion in the lines it stands on, with what else is on them.
pub fn vague_in<'s>(source: &'s str, text: &str) -> Option<(usize, &'s str)> {
    let place = || {
        let (at, words) = placeholder(text)?;
        let at = source.find(text)? + at;
        Some((at, source.get(at..at + words.len())?))
    };
    phrase(source).or_else(place)
}

/// The longest text that may keep a place.
const LONGEST: usize = 60;

/// What says of itself that the words are still to come.
const OPEN: [&str; 9] =
    ["tbd", "tba", "tbc", "todo", "fixme", "wip", "xxx", "placeholder", "ditto"];

/// What may stand behind one of those.
const LATER: [&str; 20] = [
    "later", "soon", "in", "by", "the", "this", "sprint", "here", "after", "before", "during",
    "planning", "review", "kickoff", "with", "team", "define", "yet", "criteria", "for",
];

/// What is still to be done about the words of a text "to be …", "not yet …".
const DEFINED: [&str; 12] = [
    "defined",
    "determined",
    "decided",
    "specified",
    "announced",
    "confirmed",
    "agreed",
    "discussed",
    "detailed",
    "refined",
    "clarified",
    "finalized",
];

/// What another text is pointed at with.
const ELSEWHERE: [&str; 14] = [
    "above",
    "below",
    "before",
    "previous",
    "earlier",
    "sprint",
    "sortie",
    "phase",
    "description",
    "ticket",
    "issue",
    "spec",
    "plan",
    "requirements",
];

/// A text that stands where a criterion will be, or points at another: "TBD", "…", "to be defined", "see above", "same
/// as sprint 1".
fn placeholder(text: &str) -> Option<(usize, &str)> {
    let trimmed = text.trim();
    if trimmed.len() > LONGEST || trimmed.contains('`') {
        return None;
    }
    let whole = (text.len() - text.trim_start().len(), trimmed);
    let lower = trimmed.to_lowercase();
    let words: Vec<&str> =
        lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let Some((first, rest)) = words.split_first() else {
        let dots = trimmed.contains(['.', '…', '?', '_']);
        return dots.then_some(whole);
    };
    let mut begin = trimmed.chars().take(first.chars().count() + 4);
    let marked = begin.any(|letter| matches!(letter, ':' | '—' | '–'));
    let later = rest.iter().all(|word| LATER.contains(word)) || marked && rest.len() <= 6;
    let open = OPEN.contains(first) && later;
    let pair = |one: &str, other: &str| words.windows(2).any(|two| two == [one, other]);
    let undefined = words.len() <= 6
        && (pair("to", "be") || pair("not", "yet"))
        && words.iter().any(|word| DEFINED.contains(word));
    let points = match words.as_slice() {
        ["same", "as", rest @ ..] | ["as", "in", rest @ ..] | ["as", rest @ ..] => rest,
        ["see" | "like", rest @ ..] => rest,
        _ => &[],
    };
    let article = |word: &&&str| !["the", "in", "for", "of", "this"].contains(*word);
    let mut points = points.iter().filter(article).peekable();
    let named = |word: &&str| {
        ELSEWHERE.contains(word) || word.len() <= 3 && word.contains(|c: char| c.is_ascii_digit())
    };
    let elsewhere = points.peek().is_some() && points.all(named);
    (open || undefined || elsewhere).then_some(whole)
}

fn phrase(text: &str) -> Option<(usize, &str)> {
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
