//! Whether the coach repeats itself: feedback without the parts that differ from turn to turn.

use crate::vocab::criterion::label;
use crate::vocab::digest::digest;

/// The SHA-256 of a feedback whose paths, numbers, shares and durations are taken out, and whose
/// letters and spaces are folded. Ids of criteria stay: they are what the feedback is about.
pub fn signature(text: &str) -> String {
    digest(&normalised(text))
}

/// The text that is hashed; see [`signature`].
pub fn normalised(text: &str) -> String {
    let mut words: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        let edge = |c: char| !c.is_alphanumeric() && !matches!(c, '%' | '/' | '_' | '.');
        let core = word.trim_matches(edge).trim_end_matches('.');
        let folded = match core {
            "" => word.to_lowercase(),
            _ => word.replacen(core, &folded(core), 1).to_lowercase(),
        };
        words.push(folded);
    }
    words.join(" ")
}

fn folded(word: &str) -> String {
    if word.split('/').any(|part| label(part).is_some()) {
        return word.to_owned();
    }
    let number = |part: &str| {
        part.starts_with(|c: char| c.is_ascii_digit())
            && part.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b',' | b':'))
    };
    let unit = word.trim_start_matches(|c: char| c.is_ascii_digit() || ".,:".contains(c));
    let measured = unit.len() < word.len();
    match unit.to_ascii_lowercase().as_str() {
        "" if measured => "<n>".to_owned(),
        "%" if measured => "<share>".to_owned(),
        "ms" | "s" | "sec" | "secs" | "m" | "min" | "h" if measured => "<time>".to_owned(),
        _ if word.split('/').all(number) => "<n>".to_owned(),
        _ if is_path(word) => "<path>".to_owned(),
        _ => word.to_owned(),
    }
}

/// `src/a.rs`, `a.py:45`, `a.py::test_b`, `src/`.
fn is_path(word: &str) -> bool {
    let file = word.split(':').next().unwrap_or_default();
    let (stem, extension) = file.rsplit_once('.').unwrap_or_default();
    let dotted = !stem.is_empty()
        && (1..=5).contains(&extension.len())
        && extension.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && !stem.ends_with('.');
    dotted || word.contains('/') || word.contains("::")
}

/// Whether feedback has stalled at the end of `history` (signature, criteria verified, newly
/// verified in that turn): the same three times in a row with nothing newly verified in the three, or
/// five times in a row whatever was verified.
pub fn stalled(history: &[(String, u64, u64)]) -> bool {
    let Some((last, ..)) = history.last() else { return false };
    let same = || history.iter().rev().take_while(|(signature, ..)| signature == last);
    let idle = same().take(3).filter(|(_, _, new)| *new == 0).count();
    idle == 3 || same().count() >= 5
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_from_turn_to_turn_is_taken_out() {
        for (one, other) in [
            ("tests/a.py::t1 in 1.2s", "tests/b.py::t9  in 7.9s"),
            ("3 failed, 90% line 4", "7 Failed, 91.5% line 9"),
            ("see (src/a.rs:10).", "see (lib/b.rs:7)."),
            ("3/7 done", "5/7 done"),
        ] {
            assert_eq!(
                signature(one),
                signature(other),
                "{} {}",
                normalised(one),
                normalised(other)
            );
        }
        assert_eq!(normalised("Tests  failed\nin 12 ms"), "tests failed in <n> ms");
        assert_ne!(signature("AC-001 fails"), signature("AC-002 fails"));
        assert_ne!(signature("AC-001/AC-002 fail"), signature("AC-003/AC-002 fail"));
        assert_ne!(signature("buffer too short"), signature("buffer too long"));
        assert_eq!(signature("").len(), 64);
    }

    fn told(turns: &[(&str, u64)]) -> Vec<(String, u64, u64)> {
        turns.iter().map(|(word, new)| ((*word).to_owned(), 0, *new)).collect()
    }

    #[test]
    fn the_same_word_without_progress_is_a_stall() {
        assert!(!stalled(&[]));
        assert!(!stalled(&told(&[("a", 0), ("a", 0)])));
        assert!(stalled(&told(&[("b", 0), ("a", 0), ("a", 0), ("a", 0)])));
        assert!(!stalled(&told(&[("a", 0), ("b", 0), ("a", 0), ("a", 0)])));
        assert!(!stalled(&told(&[("a", 0), ("a", 1), ("a", 0), ("a", 0)])));
        assert!(stalled(&told(&[("a", 1), ("a", 1), ("a", 1), ("a", 1), ("a", 1)])));
        assert!(!stalled(&told(&[("b", 1), ("a", 1), ("a", 1), ("a", 1), ("a", 1)])));
    }
}
