//! Labels of parts by their words: "Acceptance tests", "Quality gates", "How to verify", "Before you start".
//!
//! Nobody can list whole labels. What the words of one can be is listed instead: what shows that something is done
//! (a verification, a gate), what may follow it (criteria, steps, commands) and what may stand before it. A label
//! with any other word in it is none of these.

use super::super::wordlist::WordList;
use super::parts::Part;

/// What shows that a sprint is done, by itself a label.
static SHOWS: WordList = WordList::new(&[
    "verification",
    "verifications",
    "validation",
    "validations",
    "verify",
    "validate",
    "acceptance",
    "check",
    "checks",
    "gate",
    "gates",
    "test",
    "tests",
    "testing",
    "proof",
    "proofs",
    "signoff",
    "dod",
    "postcondition",
    "postconditions",
    "qa",
    "ac",
    "acs",
    "criteria",
    "criterion",
]);

/// What does so with a word of [`MEASURES`] behind it.
static ENDS: WordList = WordList::new(&[
    "success",
    "completion",
    "complete",
    "exit",
    "quality",
    "done",
    "pass",
    "passing",
    "release",
    "review",
    "merge",
    "close",
    "closing",
    "closure",
    "end",
    "finish",
    "completeness",
    "readiness",
    "regression",
    "smoke",
    "delivery",
]);

/// What one can measure something by.
static MEASURES: WordList = WordList::new(&[
    "criteria",
    "criterion",
    "check",
    "checks",
    "condition",
    "conditions",
    "gate",
    "gates",
    "checklist",
    "checklists",
    "requirement",
    "requirements",
    "metric",
    "metrics",
    "measures",
    "signals",
    "test",
    "tests",
    "definition",
    "bar",
    "proof",
]);

/// What a way to show something is called.
static WAYS: WordList = WordList::new(&[
    "step",
    "steps",
    "command",
    "commands",
    "plan",
    "procedure",
    "instructions",
    "scenario",
    "scenarios",
    "case",
    "cases",
    "matrix",
    "list",
    "rules",
]);

/// Words before or between them that change nothing.
static AROUND: WordList = WordList::new(&[
    "the",
    "a",
    "our",
    "all",
    "of",
    "for",
    "to",
    "and",
    "or",
    "this",
    "sprint",
    "sortie",
    "phase",
    "final",
    "manual",
    "automated",
    "automatic",
    "required",
    "mandatory",
    "must",
    "have",
    "user",
    "unit",
    "integration",
    "e2e",
    "system",
    "functional",
    "sanity",
    "health",
    "static",
    "local",
    "ci",
    "build",
    "overall",
    "hard",
    "key",
    "post",
    "self",
    "code",
    "fail",
    "new",
]);

/// What tests that are to be written are called.
static TESTS: WordList =
    WordList::new(&["test", "tests", "testing", "case", "cases", "scenario", "scenarios", "list"]);

/// What must hold before a sprint, with a word of [`MEASURES`] behind it.
static ENTERS: WordList = WordList::new(&[
    "entry",
    "start",
    "starting",
    "preflight",
    "prestart",
    "readiness",
    "prerequisite",
]);

/// Beginnings of a label that goes on as its author likes, or ends there.
const CLAUSES: &[(&[&str], Part)] = &[
    (&["how", "to", "verify"], Part::Exit),
    (&["how", "to", "validate"], Part::Exit),
    (&["how", "to", "test"], Part::Exit),
    (&["how", "to", "check"], Part::Exit),
    (&["how", "to", "confirm"], Part::Exit),
    (&["how", "to", "prove"], Part::Exit),
    (&["how", "we", "know"], Part::Exit),
    (&["definition", "of", "done"], Part::Exit),
    (&["definition", "of", "ready"], Part::Entry),
    (&["tests", "to", "pass"], Part::Exit),
    (&["tests", "that", "must"], Part::Exit),
    (&["must", "pass"], Part::Exit),
    (&["must", "hold"], Part::Exit),
    (&["must", "be", "true"], Part::Exit),
    (&["must", "be", "green"], Part::Exit),
    (&["what", "must"], Part::Exit),
    (&["needs", "to", "pass"], Part::Exit),
    (&["should", "pass"], Part::Exit),
    (&["before", "you", "start"], Part::Entry),
    (&["before", "you", "begin"], Part::Entry),
    (&["before", "starting"], Part::Entry),
    (&["before", "start"], Part::Entry),
    (&["before", "the", "start"], Part::Entry),
    (&["what", "to", "do"], Part::Tasks),
    (&["what", "to", "build"], Part::Tasks),
    (&["what", "to", "implement"], Part::Tasks),
    (&["what", "to", "change"], Part::Tasks),
    (&["what", "to", "make"], Part::Tasks),
    (&["what", "to", "write"], Part::Tasks),
    (&["things", "to", "do"], Part::Tasks),
    (&["work", "to", "do"], Part::Tasks),
    (&["plan", "of", "work"], Part::Tasks),
];

/// First and second words of such labels.
const PAIRS: &[(&[&str], &[&str], Part)] = &[
    (
        &[
            "done",
            "complete",
            "completed",
            "finished",
            "passes",
            "accepted",
            "verified",
            "success",
            "closed",
            "merge",
            "ready",
            "ship",
        ],
        &["when", "if", "once"],
        Part::Exit,
    ),
    (
        &["verify", "validate", "check", "confirm", "prove", "ensure", "test"],
        &["that", "with", "by", "using", "via"],
        Part::Exit,
    ),
    (
        &[
            "verified",
            "validated",
            "checked",
            "proven",
            "proved",
            "tested",
            "confirmed",
            "shown",
            "accepted",
            "verification",
            "validation",
            "proof",
        ],
        &["by", "with", "via"],
        Part::Exit,
    ),
    (&["start", "starts", "begin", "begins", "startable"], &["when", "if", "once"], Part::Entry),
];

/// Tasks by other names.
const WORK: &[&[&str]] = &[
    &["subtask"],
    &["subtasks"],
    &["todos"],
    &["to", "do"],
    &["to", "dos"],
    &["action", "items"],
    &["work", "plan"],
    &["work", "breakdown"],
    &["work", "list"],
    &["task", "breakdown"],
    &["task", "plan"],
    &["task", "checklist"],
    &["implementation", "plan"],
    &["implementation", "steps"],
    &["implementation", "tasks"],
    &["development", "tasks"],
    &["tasks", "to", "do"],
];

/// The part that the words of a label in small letters name.
pub(super) fn part(label: &str) -> Option<Part> {
    let joined = joined(label);
    let label = joined.as_deref().unwrap_or(label);
    let words: Vec<&str> =
        label.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let words = of_sprint(&words);
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
