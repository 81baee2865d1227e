//! Headings that sort what is asked for: by how much it is wanted, by when, by who may do it.

use super::sections::Meaning;
use super::{Confidence, Signal};

/// By how much, and by whom: "Should have", "MVP", "P0", "Users can". Such a heading holds others together as well.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sort {
    /// MUST and SHOULD by other words.
    Surely,
    /// Wanted all the same.
    Wanted,
    /// Wanted then: "Phase 2".
    Then,
    /// Not wanted.
    Not,
}

const HIGH: Meaning = Meaning::Asks(Signal::Section, Confidence::High);
const MEDIUM: Meaning = Meaning::Asks(Signal::Feature, Confidence::Medium);

/// Words that may say the opposite.
const LATER: &[&str] = &[
    "not",
    "non",
    "no",
    "out",
    "post",
    "after",
    "beyond",
    "without",
    "except",
    "excluded",
    "later",
    "future",
    "done",
    "completed",
    "cancelled",
    "dropped",
];

/// Words each of which says by itself that items are wanted.
const ALONE: &[&str] =
    &["mvp", "p0", "p1", "p2", "p3", "p4", "priority", "priorities", "epics", "wishes", "wishlist"];

/// The most words of a heading that says nothing but how its items are sorted.
const FEW: usize = 4;

/// What such a heading means below another. Below one whose items are asked for it says nothing new; below one about
/// what there is, or is not wanted, or a time, nothing is asked for by it.
pub(super) fn meaning(heading: &str, above: Option<Meaning>) -> Option<Meaning> {
    let free = match above {
        None | Some(Meaning::Told) => true,
        Some(Meaning::Asks(signal, Confidence::Context)) => signal != Signal::OutOfScope,
        _ => false,
    };
    match sort(&words(heading))? {
        Sort::Not => Some(Meaning::Asks(Signal::OutOfScope, Confidence::Context)),
        Sort::Surely => (above != Some(Meaning::Silent)).then_some(HIGH),
        Sort::Wanted | Sort::Then => free.then_some(MEDIUM),
    }
}

/// Whether it says how its items are sorted, and not what they are about.
pub(in crate::plan) fn is_bare(heading: &str) -> bool {
    const BARE: &[&str] = &[
        "must", "musts", "wont", "should", "shoulds", "could", "have", "haves", "nice", "to",
        "high", "medium", "low", "use", "case", "cases", "user", "users", "can", "we", "need",
        "needs", "want", "what", "the",
    ];
    let words = words(heading);
    sort(&words).is_some()
        && words
            .iter()
            .map(String::as_str)
            .all(|word| BARE.contains(&word) || ALONE.contains(&word))
}

/// The words of a heading in small letters; "won't" is one.
fn words(heading: &str) -> Vec<String> {
    let lower = heading.to_lowercase().replace(['\'', '’'], "");
    let words = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_owned).collect()
}

fn sort(words: &[String]) -> Option<Sort> {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let few = words.len() <= FEW;
    let had = |said: &[&str]| few && has(&words, said);
    let not = words.first() == Some(&"wont") || had(&["wont", "have"]);
    if few && not || had(&["will", "not", "have"]) {
        return Some(Sort::Not);
    }
    // "Post-MVP", "Phase 3 (later)": who knows; the net names what stands there.
    if words.iter().any(|word| LATER.contains(word)) {
        return None;
    }
    let surely = [["must", "have"], ["must", "haves"], ["should", "have"], ["should", "haves"]];
    if surely.iter().any(|said| had(said)) {
        return Some(Sort::Surely);
    }
    if few && is_wanted(&words) || words.first() == Some(&"epic") {
        return Some(Sort::Wanted);
    }
    ending(&words).or_else(|| is_time(&words).then_some(Sort::Then))
}

/// Whether some words stand one behind the other.
fn has(words: &[&str], said: &[&str]) -> bool {
    words.windows(said.len()).any(|some| some == said)
}

/// "Could have", "MVP", "P0", "Use cases".
fn is_wanted(words: &[&str]) -> bool {
    const TOGETHER: &[&[&str]] = &[
        &["could", "have"],
        &["could", "haves"],
        &["nice", "to", "have"],
        &["nice", "to", "haves"],
        &["use", "case"],
        &["use", "cases"],
    ];
    words.iter().any(|word| ALONE.contains(word)) || TOGETHER.iter().any(|said| has(words, said))
}

/// Headings that their items end: "Users can", "The shop must", "What we need".
fn ending(words: &[&str]) -> Option<Sort> {
    const MOST: usize = 6;
    if words.len() > MOST {
        return None;
    }
    match *words {
        [.., "must" | "musts" | "should" | "shoulds" | "shall"] => Some(Sort::Surely),
        [.., "can" | "could" | "coulds" | "need" | "needs" | "want" | "wants"] => {
            Some(Sort::Wanted)
        }
        [.., "need" | "needs" | "want" | "wants" | "able" | "has" | "have", "to"] => {
            Some(Sort::Wanted)
        }
        _ => None,
    }
}

/// "Phase 2", "Milestone 1: Cart".
fn is_time(words: &[&str]) -> bool {
    const NUMBERS: &[&str] = &["i", "ii", "iii", "iv", "one", "two", "three", "four"];
    let number = |word: &str| NUMBERS.contains(&word) || word.bytes().all(|c| c.is_ascii_digit());
    match *words {
        ["phase" | "stage" | "iteration" | "increment" | "milestone", second, ..] => number(second),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_that_sort_are_known() {
        for heading in
            ["Must have", "Should-haves", "The system shall", "Must:", "P1 – should have"]
        {
            assert_eq!(meaning(heading, None), Some(HIGH), "{heading}");
        }
        for heading in [
            "Could have",
            "Nice to have",
            "MVP",
            "MVP (v1)",
            "P0",
            "Export (P1)",
            "High priority",
            "Phase 2",
            "Phase 2: Payments and refunds of the shop",
            "Milestone II",
            "Epics",
            "Epic 3: Search in all of the notes",
            "Use cases",
            "User can",
            "A visitor is able to",
            "What we need",
        ] {
            assert_eq!(meaning(heading, None), Some(MEDIUM), "{heading}");
            assert_eq!(meaning(heading, Some(MEDIUM)), None, "{heading}");
            assert_eq!(meaning(heading, Some(Meaning::Silent)), None, "{heading}");
        }
        for heading in ["Won't have", "Won’t", "Will not have"] {
            let not = Meaning::Asks(Signal::OutOfScope, Confidence::Context);
            assert_eq!(meaning(heading, Some(HIGH)), Some(not), "{heading}");
        }
        for heading in [
            "Backend",
            "Post-MVP",
            "Out of MVP scope",
            "Phase 3 (later)",
            "Must not have",
            "Phases of the moon",
            "Candy",
            "What users could have done better",
            "Trash can emptying",
            "",
        ] {
            assert_eq!(meaning(heading, None), None, "{heading}");
        }
        assert!(is_bare("Should have") && is_bare("P0") && !is_bare("Export (P1)"));
        assert!(!is_bare("Phase 2") && !is_bare("Backend") && !is_bare("Use of the can"));
    }
}
