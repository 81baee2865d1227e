//! Labels of parts by their words: "Acceptance tests", "Quality gates", "How to verify", "Before you start".
//!
//! Nobody can list whole labels. What the words of one can be is listed instead: what shows that something is done
//! (a verification, a gate), what may follow it (criteria, steps, commands) and what may stand before it. A label
//! with any other word in it is none of these.

mod lists;

use super::super::wordlist::WordList;
use super::parts::Part;
use lists::{AROUND, CLAUSES, ENDS, ENTERS, MEASURES, PAIRS, SHOWS, TESTS, WAYS, WORK};

/// The part that the words of a label in small letters name.
pub(super) fn part(label: &str) -> Option<Part> {
    let joined = joined(label);
    let label = joined.as_deref().unwrap_or(label);
    let words: Vec<&str> =
        label.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let words = of_it(of_sprint(&words));
    if words.is_empty() || words.len() > 8 {
        return None;
    }
    clause(words).or_else(|| noun(words))
}

/// The label with one word where some write two, if it has such words.
pub(super) fn joined(label: &str) -> Option<String> {
    const PARTS: [(&str, &str); 6] = [
        ("sign-off", "signoff"),
        ("sign off", "signoff"),
        ("to-do", "todo"),
        ("sub-task", "subtask"),
        ("pre-", "pre"),
        ("post-condition", "postcondition"),
    ];
    let has = label.contains('-') || label.contains("sign off");
    has.then(|| PARTS.iter().fold(label.to_owned(), |label, (two, one)| label.replace(two, one)))
}

/// A label without "for this sprint", "of sprint 3" at its end.
fn of_sprint<'w>(words: &'w [&'w str]) -> &'w [&'w str] {
    let own = |word: &&str| ["this", "the", "sprint", "sortie", "phase"].contains(word);
    let numbered = |word: &&str| word.len() <= 4 && word.contains(|c: char| c.is_ascii_digit());
    let at = words.iter().rposition(|word| ["for", "of", "in"].contains(word));
    let Some((kept, tail)) = at.and_then(|at| words.split_at_checked(at)) else { return words };
    let rest = tail.get(1..).unwrap_or_default();
    let said = !kept.is_empty()
        && rest.iter().any(own)
        && rest.iter().all(|word| own(word) || numbered(word));
    if said { kept } else { words }
}

/// "Complete when" of "the sprint is complete when".
fn of_it<'w>(words: &'w [&'w str]) -> &'w [&'w str] {
    let bare = match words {
        ["the" | "this", rest @ ..] => rest,
        all => all,
    };
    match bare {
        ["sprint" | "sortie" | "phase" | "work" | "task", "is", "considered", rest @ ..]
        | ["sprint" | "sortie" | "phase" | "work" | "task", "is", rest @ ..] => rest,
        _ => words,
    }
}

fn clause(words: &[&str]) -> Option<Part> {
    let said = CLAUSES.iter().find(|(begins, _)| words.starts_with(begins));
    let pair = || {
        let [first, second, ..] = words else { return None };
        PAIRS.iter().find(|(one, other, _)| one.contains(first) && other.contains(second))
    };
    said.map(|(_, part)| *part).or_else(|| pair().map(|(.., part)| *part))
}

fn noun(words: &[&str]) -> Option<Part> {
    let (last, before) = words.split_last()?;
    let first = words.first()?;
    let is = |all: &[&WordList], word: &str| all.iter().any(|all| all.has(word));
    if WORK.contains(&words) {
        return Some(Part::Tasks);
    }
    if matches!(words, ["preflight" | "prereq" | "prereqs"]) {
        return Some(Part::Entry);
    }
    if is(&[&ENTERS], first) {
        let known = before.iter().all(|word| is(&[&ENTERS, &AROUND, &SHOWS], word));
        return (known && is(&[&MEASURES, &WAYS], last)).then_some(Part::Entry);
    }
    let within = words.iter().all(|word| is(&[&SHOWS, &ENDS, &MEASURES, &WAYS, &AROUND], word));
    let shows = words.iter().any(|word| is(&[&SHOWS], word));
    // "Success criteria", "criteria for success".
    let measured = words.iter().any(|word| is(&[&ENDS], word)) && is(&[&MEASURES], last)
        || matches!(*first, "criteria" | "conditions" | "definition" | "proof")
            && is(&[&ENDS], last);
    let ends = is(&[&SHOWS, &MEASURES, &WAYS], last) || measured;
    if !within || !ends || !(shows || measured) {
        return None;
    }
    match words.iter().all(|word| is(&[&TESTS, &AROUND], word)) {
        // "Build/test" is about tools.
        true if *last == "test" && words.len() > 1 => None,
        true => Some(Part::Tests),
        false => Some(Part::Exit),
    }
}

/// Whether a line below "Tests" is one to be written, rather than what must hold.
pub(super) fn is_made(text: &str) -> bool {
    const MAKES: [&str; 14] = [
        "add",
        "write",
        "create",
        "extend",
        "implement",
        "update",
        "port",
        "move",
        "migrate",
        "rename",
        "delete",
        "remove",
        "cover",
        "introduce",
    ];
    let bare = text.trim_start_matches(|c: char| !c.is_alphanumeric());
    let first = bare.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    MAKES.contains(&first.to_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_read_by_their_words() {
        for (label, expected) in [
            ("acceptance tests", Some(Part::Exit)),
            ("verification commands", Some(Part::Exit)),
            ("verification steps", Some(Part::Exit)),
            ("validation steps", Some(Part::Exit)),
            ("acceptance checks", Some(Part::Exit)),
            ("how to verify", Some(Part::Exit)),
            ("how to test this sprint", Some(Part::Exit)),
            ("quality gates", Some(Part::Exit)),
            ("gate", Some(Part::Exit)),
            ("checks", Some(Part::Exit)),
            ("test plan", Some(Part::Exit)),
            ("test commands", Some(Part::Exit)),
            ("must pass", Some(Part::Exit)),
            ("dod", Some(Part::Exit)),
            ("definition of done", Some(Part::Exit)),
            ("definition-of-done", Some(Part::Exit)),
            ("success metrics", Some(Part::Exit)),
            ("criteria for success", Some(Part::Exit)),
            ("verified by", Some(Part::Exit)),
            ("verify with", Some(Part::Exit)),
            ("check that", Some(Part::Exit)),
            ("proof", Some(Part::Exit)),
            ("sign-off criteria", Some(Part::Exit)),
            ("pass/fail criteria", Some(Part::Exit)),
            ("smoke tests", Some(Part::Exit)),
            ("completion checklist", Some(Part::Exit)),
            ("done if", Some(Part::Exit)),
            ("tests that must pass", Some(Part::Exit)),
            ("proof of completion", Some(Part::Exit)),
            ("post-conditions", Some(Part::Exit)),
            ("sanity checks", Some(Part::Exit)),
            ("merge when", Some(Part::Exit)),
            ("acceptance criteria for this sprint", Some(Part::Exit)),
            ("checks of sprint 3", Some(Part::Exit)),
            ("test cases", Some(Part::Tests)),
            ("unit tests", Some(Part::Tests)),
            ("entry gate", Some(Part::Entry)),
            ("before you start", Some(Part::Entry)),
            ("pre-flight", Some(Part::Entry)),
            ("preflight checks", Some(Part::Entry)),
            ("start conditions", Some(Part::Entry)),
            ("definition of ready", Some(Part::Entry)),
            ("task breakdown", Some(Part::Tasks)),
            ("what to do", Some(Part::Tasks)),
            ("plan of work", Some(Part::Tasks)),
            ("sub-tasks", Some(Part::Tasks)),
            ("to-dos", Some(Part::Tasks)),
            ("checklist", None),
            ("release steps", None),
            ("release notes", None),
            ("build commands", None),
            ("test", Some(Part::Tests)),
            ("build/test", None),
            ("test files", None),
            ("test data", None),
            ("verification results", None),
            ("steps", None),
            ("what to watch", None),
            ("notes for this sprint", None),
            ("usage", None),
            ("review", None),
            ("quality", None),
        ] {
            assert_eq!(part(label), expected, "{label}");
        }
        assert!(is_made("Add a test of `x`") && is_made("**Write** it") && !is_made("adds up"));
    }
}
