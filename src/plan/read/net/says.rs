//! What a line or sentence says by its words: its label, that it names criteria, how a command must end.

use super::super::super::phrases::{Phrases, behind, is_apart};
use super::super::super::shown;
use super::super::super::wordlist::WordList;
use super::super::body::is_quiet;
use super::super::parts::{Part, bold, label_of, labelled};

/// Words that claim how a command ends.
static CLAIMS: WordList = WordList::new(&[
    "exit", "exits", "exited", "pass", "passes", "succeed", "succeeds", "return", "returns",
    "print", "prints", "fail", "fails", "green", "clean", "must", "works",
]);

/// Of those, the ones that prose about the use of commands has, too.
static LOOSE: WordList =
    WordList::new(&["return", "print", "fail", "fails", "must", "works", "clean"]);

/// Whether a sentence is about how it is, and not about how it shall be.
pub(super) fn is_now(text: &str) -> bool {
    ["currently", "today", "right now", "at present", "at the moment", "so far"]
        .iter()
        .any(|now| behind(text, now).is_some())
}

/// The label that a line begins with, and whether it names a part.
pub(super) fn label(line: &str) -> Option<(&str, bool)> {
    if let Some((part, _)) = labelled(line) {
        return Some((label_of(line), part != Part::Other));
    }
    if bold(line) && is_quiet(label_of(line)) {
        return Some((label_of(line), false));
    }
    let (label, _) = line.split_once(':')?;
    let short = label.len() <= 24 && !label.contains('`') && label.starts_with(char::is_uppercase);
    short.then_some((label, false))
}

/// What stands behind such a label.
pub(super) fn behind_label(text: &str) -> &str {
    match labelled(text) {
        Some((_, inside)) => text.get(inside..).unwrap_or_default().trim(),
        None => text.split_once(':').map_or(text, |(_, words)| words.trim()),
    }
}

/// What criteria are called where their label stands inside of a line.
static NAMED: Phrases = Phrases::new(&[
    "exit criteria",
    "exit criterion",
    "acceptance criteria",
    "acceptance criterion",
    "success criteria",
    "completion criteria",
    "definition of done",
    "done when",
    "done once",
    "complete when",
    "complete once",
    "finished when",
    "finished once",
    "acceptance",
    "dod",
]);

/// Whether a text has such a label with words behind it, wherever it stands.
pub(super) fn names_criteria(text: &str) -> bool {
    NAMED.spots(text).any(|spot| {
        let (apart, named) = (is_apart(text, &spot), text[spot.clone()].to_lowercase());
        let rest = text[spot.end..].trim_start_matches(['*', '_', ' ', '`']);
        let words = match rest.strip_prefix([':', '=', '|', '—']) {
            Some(words) => words,
            None if [" when", " once"].iter().any(|end| named.ends_with(end)) => rest,
            None => rest.strip_prefix("also include").unwrap_or_default(),
        };
        apart && words.contains(char::is_alphanumeric)
    })
}

/// Whether a sentence says what a command must do after all sprints or commits: "`make a` must pass after every sprint",
/// or that it is run between them.
pub(super) fn holds_always(sentence: &str) -> bool {
    const HOLDS: [&str; 8] =
        ["must", "pass", "passes", "passing", "succeed", "succeeds", "green", "clean"];
    const RUNS: [&str; 5] = ["run", "runs", "rerun", "gate", "gates"];
    const SPRINTS: [&str; 4] = ["sprint", "sprints", "sortie", "sorties"];
    const COMMITS: [&str; 2] = ["commit", "commits"];
    if !sentence.contains('`') {
        return false;
    }
    let is = |all: &[&str], word: &str| all.iter().any(|one| word.eq_ignore_ascii_case(one));
    let (mut always, mut behind, mut holds, mut runs) = (false, false, false, false);
    let (mut last, mut first) = ("", "");
    let outside = sentence.split('`').step_by(2);
    let words = outside.flat_map(|text| text.split(|c: char| !c.is_alphanumeric()));
    for word in words.filter(|word| !word.is_empty()) {
        let each = is(&["all", "each", "every"], last);
        always |= each && (is(&SPRINTS, word) || is(&COMMITS, word));
        behind |= (each && is(&["after", "before", "for", "of"], first) || is(&["between"], last))
            && is(&SPRINTS, word);
        runs |= is(&RUNS, word);
        holds |= is(&HOLDS, word) || word == "0" && is(&["exit", "exits"], last);
        (first, last) = (last, word);
    }
    (always && holds || behind && runs) && shown::shown(sentence).is_some()
}

/// Whether a sentence says how a command must end for the whole to be done: "Done means `make a` exits 0", "`make a`
/// must pass". Only words right behind the command say that of it: prose speaks of exit criteria and of a test's pass.
pub(super) fn holds_at_end(sentence: &str) -> bool {
    static BINDING: WordList = WordList::new(&[
        "done",
        "complete",
        "completed",
        "finished",
        "ready",
        "accepted",
        "success",
        "means",
        "end",
    ]);
    const MUST: [&str; 4] = ["must", "shall", "should", "has"];
    const FILLS: [&str; 10] =
        ["have", "to", "both", "all", "be", "is", "are", "still", "again", "each"];
    const ENDS: [&str; 5] = ["exits", "passes", "succeeds", "green", "clean"];
    let letters = |c: char| !c.is_alphanumeric();
    let outside = || sentence.split('`').step_by(2).flat_map(|text| text.split(letters));
    let bound = || outside().any(|word| BINDING.has_any_case(word));
    let texts: Vec<&str> = sentence.split('`').step_by(2).collect();
    let ends = texts.iter().enumerate().skip(1).any(|(place, behind)| {
        // "`a` and `b` pass"
        let between =
            texts.get(place - 1).filter(|_| place > 1).map(|text| text.trim_matches(letters));
        let many = between.is_some_and(|text| matches!(text, "" | "and"));
        let mut words = behind.split_whitespace().map(|word| word.trim_matches(letters));
        let must = words.clone().take_while(|word| MUST.contains(word) || FILLS.contains(word));
        let must = must.clone().any(|word| MUST.contains(&word));
        let said = words.find(|word| !MUST.contains(word) && !FILLS.contains(word));
        let plain = ["exit", "pass", "succeed"].iter().any(|word| said == Some(word));
        let ends = said.is_some_and(|word| ENDS.contains(&word));
        (ends || plain && (must || many)) && (must || bound())
    });
    ends && shown::shown(sentence).is_some()
}

/// Whether the words around the commands of a text claim how they end.
pub(super) fn claims(text: &str, strict: bool) -> bool {
    let outside = text.split('`').step_by(2);
    let mut words = outside.flat_map(|text| text.split(|c: char| !c.is_alphanumeric()));
    words.any(|word| CLAIMS.has_any_case(word) && !(strict && LOOSE.has_any_case(word)))
}
