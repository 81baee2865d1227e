//! What a task says itself of how it is accepted: a line "Acceptance: `make a` passes" below it, "Done when …" in it.
//! It stays in the text of the task, and is an exit criterion of the sprint, too.
//!
//! "Acceptance" and "done when" are said of nothing else. "Verify" and "Tests" stand in a task over its steps, or over
//! what its code is to verify: there only a command makes a criterion, and one that is to fail (a test before its code)
//! is passed on the way.

use super::super::super::classify;
use super::super::super::document::{item_text, unboxed, unmarked};
use super::super::super::model::{Check, PlanCriterion};
use super::super::super::outline::spans;
use super::super::super::phrases::Phrases;
use super::super::groups::{is_aside, small};
use super::super::items::one_criterion;
use super::super::kept;
use super::super::parts::{Part, is_none, label_of, labelled, part};
use super::Walk;
use std::collections::BTreeSet;
use std::ops::Range;

/// What every sentence without a colon has in it.
static OPENINGS: Phrases = Phrases::new(&[
    "done when ",
    "done if ",
    "complete when ",
    "accepted ",
    "verif",
    "check with ",
]);

/// What every such word has in it: the cheap look at a task.
static HINTS: Phrases = Phrases::new(&[
    "accept",
    "ac:",
    "ac**",
    "done",
    "dod",
    "complet",
    "criteri",
    "verif",
    "valid",
    "check",
    "test",
    "proof",
    "gate",
    "exit",
    "success",
    "must pass",
    "sign",
    "confirm",
]);

/// What is needed for words about the end of a task to be a criterion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Needs {
    /// Nothing: they say so themselves.
    Nothing,
    /// A command among them.
    Command,
    /// To be no more than what a command shows.
    Proof,
}

/// With what a sentence about the end of a task begins.
const SENTENCES: [(&str, Needs); 11] = [
    ("done when ", Needs::Nothing),
    ("done if ", Needs::Nothing),
    ("complete when ", Needs::Nothing),
    ("accepted when ", Needs::Nothing),
    ("accepted if ", Needs::Nothing),
    ("verify with ", Needs::Command),
    ("verify by ", Needs::Command),
    ("verified by ", Needs::Command),
    ("verified with ", Needs::Command),
    ("check with ", Needs::Command),
    ("verify ", Needs::Proof),
];

/// A label in a task with nothing behind it, over the lines that follow.
struct Group {
    needs: Needs,
    /// Whether its lines have boxes.
    boxed: Option<bool>,
}

impl Walk<'_, '_> {
    /// Looks for such words in an item that is a task or stands below one. `task` says that it begins with the task.
    pub(super) fn accept(&mut self, range: &Range<usize>, task: bool) {
        let source = self.outline.source(range);
        // Most tasks say nothing of the kind: nothing is made of them to see that.
        let hints = if source.contains(':') { &HINTS } else { &OPENINGS };
        if task && !is_parted(source) || !hints.within(source) {
            return;
        }
        let mut group: Option<Group> = None;
        for (place, piece) in pieces(source, range.start).into_iter().enumerate() {
            let text = item_text(self.outline.source(&piece));
            let (text, ticked) = unboxed(&text);
            let first = place == 0 && task;
            if let Some((needs, words)) = label(text).filter(|_| !first) {
                group = words.is_empty().then_some(Group { needs, boxed: None });
                self.accepted_if(needs, words, ticked, &piece);
                continue;
            }
            let ends = labelled(text).is_some() || text.contains(':') && is_aside(text);
            group = group
                .filter(|open| !ends && open.boxed.is_none_or(|boxed| boxed == ticked.is_some()));
            match &mut group {
                Some(open) => {
                    open.boxed = Some(ticked.is_some());
                    let needs = open.needs;
                    self.accepted_if(needs, text, ticked, &piece);
                }
                None => {
                    for (needs, words) in sentences(text, first) {
                        group = words.is_empty().then_some(Group { needs, boxed: None });
                        self.accepted_if(needs, words, ticked, &piece);
                    }
                }
            }
        }
    }

    fn accepted_if(
        &mut self,
        needs: Needs,
        words: &str,
        ticked: Option<bool>,
        piece: &Range<usize>,
    ) {
        if is_reference(words) || is_none(words) {
            return;
        }
        // The lines of a fence in an item are one line of its text: nobody can tell its commands.
        if words.contains("```") {
            return self.unchecked(piece, [0, 1]);
        }
        let one = one_criterion(words, self.outline.lines(piece));
        let shown = matches!(one.check, Check::Command { .. });
        let enough = match needs {
            Needs::Nothing => true,
            Needs::Command => shown || classify::command_in(words).is_some(),
            Needs::Proof => shown,
        };
        if !enough {
            return;
        }
        let mut all = words.split(|c: char| !c.is_alphanumeric());
        let fails =
            all.any(|word| ["fail", "fails"].iter().any(|one| word.eq_ignore_ascii_case(one)));
        if needs != Needs::Nothing && fails {
            return self.body.kept.push(kept::item(self.reader, piece));
        }
        self.accepted.push(PlanCriterion { ticked: ticked == Some(true), ..one });
    }

    /// Behind the criteria of the sprint stand those of its tasks that are none of them.
    pub(super) fn accept_all(&mut self) {
        if self.accepted.is_empty() {
            return;
        }
        let mut known: BTreeSet<String> = self.body.exit.iter().flat_map(keys).collect();
        for one in std::mem::take(&mut self.accepted) {
            let keys = keys(&one);
            if !keys.iter().any(|key| known.contains(key)) {
                known.extend(keys);
                self.body.exit.push(one);
            }
        }
    }
}

/// Whether words are numbers of criteria that stand elsewhere, or nothing: "AC: 1, 2", "#3", "1–3".
fn is_reference(words: &str) -> bool {
    let number = |word: &str| {
        let bare = word.strip_prefix('#').unwrap_or(word);
        bare.starts_with(|c: char| c.is_ascii_digit())
            && bare.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
    };
    let between =
        |c: char| c.is_whitespace() || matches!(c, ',' | ';' | '&' | '+' | '-' | '–' | '/');
    let mut all = words.split(between).filter(|word| !word.is_empty());
    !words.contains(char::is_alphanumeric) || all.all(|word| number(word) || word == "and")
}

/// What two criteria that are one have in common: their text, or the command that shows them.
fn keys(one: &PlanCriterion) -> Vec<String> {
    let mut keys = vec![one.text.clone()];
    if let Check::Command { command, expect } = &one.check {
        keys.push(format!("{command}\n{expect:?}"));
    }
    keys
}

/// Whether an item is more than one sentence on one line.
fn is_parted(source: &str) -> bool {
    let bytes = source.trim_end().as_bytes();
    bytes.windows(2).any(|two| match two[0] {
        b'\n' | b'(' => true,
        b'.' | b';' | b'!' => matches!(two[1], b' ' | b'*' | b'_'),
        // With this byte dashes begin.
        byte => byte == 0xE2,
    })
}

/// The lines of an item that begin with a mark of a list, or say when its task is done, each with the lines that go on
/// with it.
fn pieces(source: &str, start: usize) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut at = start;
    for line in source.split_inclusive('\n') {
        let begins = unmarked(line) != line.trim_start() || at > start && is_end(line.trim());
        let end = at + line.trim_end().len();
        match found.last_mut().filter(|_| !begins) {
            Some(_) if line.trim().is_empty() => {}
            Some(last) => last.end = end,
            None => found.push(at..end),
        }
        at += line.len();
    }
    found
}

/// Whether a line begins with words about the end of a task.
fn is_end(line: &str) -> bool {
    HINTS.within(line) && (label(line).is_some() || opening(line).is_some())
}

/// The beginning of a sentence about the end of a task.
fn opening(text: &str) -> Option<&'static (&'static str, Needs)> {
    SENTENCES.iter().find(|(words, _)| {
        text.get(..words.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(words))
    })
}

/// A label over what shows that a task is done, with the words behind it.
fn label(text: &str) -> Option<(Needs, &str)> {
    let words = match labelled(text) {
        Some((Part::Exit | Part::Tests, inside)) => text.get(inside..)?,
        Some(_) => return None,
        None => {
            let (label, words) = text.split_once(':')?;
            let short = label.len() <= 24 && !label.contains('`');
            short.then(|| part(label)).flatten().filter(|part| *part == Part::Exit)?;
            words
        }
    };
    let words = words.trim_matches(|c: char| matches!(c, '*' | '_') || c.is_whitespace());
    Some((needs(label_of(text)), words))
}

/// Whether a label is said of the end of a task and nothing else, rather than of steps in it.
fn needs(label: &str) -> Needs {
    const SURE: [&str; 6] = ["accept", "criteri", "done", "complet", "success", "must pass"];
    let words = small(label);
    let sure = SURE.iter().any(|word| words.contains(word))
        || ["ac", "acs", "dod"].contains(&words.as_str());
    if sure { Needs::Nothing } else { Needs::Command }
}

/// The sentences of a text that say when a task is done. Where the task itself begins it says nothing of its end: "Verify
/// `x`" is what is to be done.
fn sentences(text: &str, task: bool) -> Vec<(Needs, &str)> {
    let mut found = Vec::new();
    for clause in clauses(text) {
        let first = clause.start == 0 && task;
        let said = text.get(clause).unwrap_or_default();
        let bare = said.trim_start_matches(['*', '_', ' ']);
        let one = match opening(bare) {
            Some((words, Needs::Nothing)) => Some((Needs::Nothing, &bare[words.len()..])),
            Some((_, needs)) => Some((*needs, bare)),
            None => label(bare),
        };
        // "Done when all of:" is over the lines that follow.
        let whole = |words: &str| words.ends_with(':') && !words.contains('`');
        let one = one.map(|(needs, words)| (needs, words.trim()));
        let one = one.map(|(needs, words)| (needs, if whole(words) { "" } else { words }));
        found.extend(one.filter(|_| !first));
    }
    found
}

/// The sentences of a text and what stands in parentheses, outside of code spans.
fn clauses(text: &str) -> Vec<Range<usize>> {
    let mut codes = spans(text).into_iter().map(|(at, code)| at..at + code.len() + 1).peekable();
    let (mut found, mut begin, mut inner) = (Vec::new(), 0, None);
    for (at, letter) in text.char_indices() {
        while codes.next_if(|code| code.end <= at).is_some() {}
        if codes.peek().is_some_and(|code| code.contains(&at)) {
            continue;
        }
        let next = at + letter.len_utf8();
        let spaced = text[next..].is_empty() || text[next..].starts_with([' ', '*', '_']);
        match letter {
            '(' if inner.is_none() => inner = Some(next),
            ')' => found.extend(inner.take().map(|from| from..at)),
            '.' | ';' | '!' | '—' | '–' if spaced && inner.is_none() => {
                found.push(begin..at);
                begin = next;
            }
            _ => {}
        }
    }
    found.push(begin..text.len());
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_criteria_are_told_from_what_they_demand() {
        for words in ["1, 2", "#3", "1–3", "1.2 and 4", "1", "", "—", "3."] {
            assert!(is_reference(words), "{words}");
        }
        for words in ["100 %", "≥ 3", "< 200", "0 errors", "= 4", "1 of 2", "99.9%", "and so on"]
        {
            assert!(!is_reference(words), "{words}");
        }
    }

    #[test]
    fn sentences_about_the_end_of_a_task_are_found() {
        const NOTHING: Needs = Needs::Nothing;
        for (text, expected) in [
            (
                "Make it. Verify with `cargo test m`. Use x.",
                vec![(Needs::Command, "Verify with `cargo test m`")],
            ),
            ("Make it — done when `a. b` passes.", vec![(NOTHING, "`a. b` passes")]),
            ("Fix it (AC: no panic), then go", vec![(NOTHING, "no panic")]),
            ("Fix it. Done when a (b. c) holds. Go on", vec![(NOTHING, "a (b. c) holds")]),
            ("Fix it. **Acceptance:** a holds.", vec![(NOTHING, "a holds")]),
            ("Fix it. Verify `make a` passes", vec![(Needs::Proof, "Verify `make a` passes")]),
            ("Verify with `make a`", vec![]),
            ("Add the check with `x`", vec![]),
            ("Fix it. Done when all of:", vec![(NOTHING, "")]),
        ] {
            assert_eq!(sentences(text, true), expected, "{text}");
        }
    }
}
