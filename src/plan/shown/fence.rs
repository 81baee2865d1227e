//! What a line of a fence below criteria shows. That it is a command is sure, and so is that it must succeed, unless
//! a comment behind it says what it is to print; all else is as in a sentence that is this command alone.

use super::super::classify;
use super::super::model::{Check, Expectation};
use super::super::outline::{span, spans};
use super::asked::asks_status;
use super::shell::{is_telling, remark};
use super::status::mute;
use super::{ASKED, MUTE, Sentence, Shown, UNSAID, expected};

/// A line of a fence as a criterion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::plan) struct Line {
    /// Its words.
    pub(in crate::plan) text: String,
    /// What shows it, or why its command does not.
    pub(in crate::plan) shown: Shown,
}

/// What a line of a fence shows, or a script of several lines.
pub(in crate::plan) fn line(code: &str) -> Line {
    let whole = |shown: Shown| Line { text: span(code), shown };
    if code.contains('\n') {
        return whole(if asks_status(code) { Shown::NotBy(ASKED) } else { script(code) });
    }
    let Some((command, comment)) = remark(code).map(|at| code.split_at(at)) else {
        return whole(alone(code));
    };
    let (command, comment) = (command.trim_end(), comment.trim_start_matches('#').trim());
    if asks_status(comment) {
        return whole(Shown::NotBy(ASKED));
    }
    match stated(command, comment) {
        Some(Ok((text, shown))) => match classify::check(&text) == check(&shown) {
            true => Line { text, shown },
            false => whole(shown),
        },
        Some(Err(why)) => whole(Shown::NotBy(why)),
        None => Line { text: span(command), shown: alone(command) },
    }
}

/// What a command shows that is to print a text, as the document says behind it.
pub(in crate::plan) fn printing(command: &str, text: &str) -> Shown {
    match expected::output(command, text) {
        Ok(expect) => Shown::By { command: command.to_owned(), expect },
        Err(why) => Shown::NotBy(why),
    }
}

fn check(shown: &Shown) -> Check {
    match shown.clone() {
        Shown::By { command, expect } => Check::Command { command, expect },
        Shown::NotBy(_) => Check::Assertion,
    }
}

/// A sentence about a command beyond doubt.
fn said(text: &str) -> Result<Shown, &'static str> {
    let all = spans(text);
    Sentence { known: true, ..Sentence::of(text, &all) }.read()
}

fn alone(command: &str) -> Shown {
    said(&span(command)).unwrap_or_else(Shown::NotBy)
}

/// A script must succeed; what its lines leave open is said in the lines themselves.
fn script(code: &str) -> Shown {
    match mute(code) {
        Some(why) => Shown::NotBy(why),
        None if is_telling(code) => Shown::NotBy(MUTE),
        None => Shown::By { command: code.to_owned(), expect: Expectation::Success },
    }
}

/// What a comment says that a command does: the sentence it makes, or why that is not understood. Other comments say
/// nothing about it.
fn stated(command: &str, comment: &str) -> Option<Result<(String, Shown), &'static str>> {
    const LEADS: [&str; 12] = [
        "expected output",
        "expected result",
        "expected",
        "expects",
        "expect",
        "output",
        "result",
        "should print",
        "must print",
        "should return",
        "must return",
        "should be",
    ];
    let lower = comment.to_lowercase();
    let lead = LEADS.iter().find_map(|lead| {
        let rest = comment.get(lower.strip_prefix(lead).map(|_| lead.len())?..)?;
        rest.starts_with([' ', ':', '=']).then(|| rest.trim_start_matches([' ', ':', '=']))
    });
    let bare = lead.unwrap_or(comment).trim_start_matches(['→', ' ']);
    let bare = bare.strip_prefix("->").or(bare.strip_prefix("=>")).unwrap_or(bare).trim();
    let mut why = UNSAID;
    for words in
        [bare.to_owned(), format!("→ {bare}"), format!("returns {bare}"), format!("prints {bare}")]
    {
        let text = format!("{} {words}", span(command));
        match said(&text) {
            Ok(shown) if !bare.is_empty() => return Some(Ok((text, shown))),
            Ok(_) => {}
            Err(other) => why = if why == UNSAID { other } else { why },
        }
    }
    (lead.is_some() || is_claim(&lower)).then_some(Err(why))
}

/// Whether a comment says what comes of a command, be it in words that are not understood.
fn is_claim(comment: &str) -> bool {
    const WORDS: [&str; 36] = [
        "expect", "expected", "expects", "should", "must", "print", "prints", "printed", "return",
        "returns", "output", "outputs", "exit", "exits", "fail", "fails", "failing", "pass",
        "passes", "zero", "none", "nothing", "empty", "no", "not", "never", "exactly", "least",
        "most", "less", "more", "than", "equals", "matches", "errors", "warnings",
    ];
    let begins = |c: char| c.is_ascii_digit() || "→-=<>~≥≤`\"'".contains(c);
    let mut words = comment.split(|c: char| !c.is_alphanumeric());
    comment.starts_with(begins) || words.any(|word| WORDS.contains(&word))
}
