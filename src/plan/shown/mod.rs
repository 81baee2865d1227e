//! Which criteria a command shows, and what it must do for that.
//!
//! Commands in criteria are evidence only where the whole sentence around them is understood: "`make test`
//! passes", "Run `a` and `b`, both exit 0". The grammar is closed. One word that it does not know (a "not", an
//! "or", an "at least", a second claim behind a dash) may turn the sense around, so that such a sentence is left
//! to the verifier, and the author is told that its command is not run.

mod asked;
mod asks;
mod calm;
mod expected;
mod fence;
mod form;
mod grammar;
mod marks;
mod part;
mod program;
mod search;
mod shell;
mod status;
mod tools;

use super::classify::is_command;
use super::model::Expectation;
use super::outline::spans;
use super::phrases::Phrases;
use super::wordlist::WordList;
use crate::vocab::criterion::unlabelled;
pub(super) use asked::asks_status;
use expected::{expectation, turned};
pub(super) use fence::{line, printing};
use form::{Claim, Form, claim, form, is_meant, is_sure};
use grammar::{BINDS, CLAIMS, LEADS, SUBJECTS, SUCCEEDS, TAILS};
pub(super) use shell::{any_command, is_open};
use shell::{is_plain, is_whole};
use status::{is_mute, mute};

/// What a criterion with a command in it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shown {
    /// This command shows it.
    By {
        /// One command line; several that must all succeed are joined.
        command: String,
        /// What it must do.
        expect: Expectation,
    },
    /// The command in it shows nothing, and why.
    NotBy(&'static str),
}

const UNSAID: &str = "the words around it are not all known to say what it must do";
const PARTIAL: &str = "it is no whole command";
const MUTE: &str = "its exit status says nothing";
const PIPED: &str = "its exit status says nothing, since the pipe throws away how the program before it went: write it \
                     without the pipe, or with `set -o pipefail` before it";
const WAYS: &str = "its exit status says nothing where an `if`, a `while` or a `case` chooses what is run: write its \
                    commands one by one";
const HANDED: &str = "`xargs` has a status of its own where nothing is found: write it as one search, such as \
                      `grep -r` or `git grep`";
const ABSENT: &str = "it fails where there is nothing to show: write it as `test -z \"$(…)\"`";
const ASKED: &str = "it asks how another command ended (`$?`): say at that command how it must end, such as \
                     `make a  # exits 2`";
const FENCED: &str =
    "it stands in a fence inside of a sentence: give it an item or a fence of its own";
const UNSURE: &str = "nothing says for sure that it is a command";

/// How a criterion with a command in it is shown; `None` without one.
pub fn shown(text: &str) -> Option<Shown> {
    look(text, false)
}

/// Why the command in a criterion shows nothing; `None` where there is none, or it does.
pub fn unshown(text: &str) -> Option<&'static str> {
    match look(text, true)? {
        Shown::NotBy(why) => Some(why),
        Shown::By { .. } => None,
    }
}

/// The same. `only_why` is that nothing but what shows nothing is asked for.
fn look(text: &str, only_why: bool) -> Option<Shown> {
    let text = unnumbered(unlabelled(text));
    let all = spans(text);
    if all.is_empty() {
        return None;
    }
    // The words behind the marks of a fence are none of a command.
    let fenced =
        |(at, _): &(usize, &str)| text.get(..*at).is_some_and(|before| before.ends_with("```"));
    if text.contains("```") && all.iter().any(fenced) {
        return Some(Shown::NotBy(FENCED));
    }
    let listed = all.iter().any(|(_, code)| is_command(code));
    if !listed && names_only(text, &all) {
        return None;
    }
    let sentence = Sentence::of(text, &all);
    if only_why && !listed && sentence.meant().next().is_none() {
        return None;
    }
    let said = sentence.read();
    match (listed, said) {
        (true, said) => Some(said.unwrap_or_else(Shown::NotBy)),
        (false, Ok(shown)) => Some(shown),
        (false, Err(why)) => sentence.meant().next().map(|_| Shown::NotBy(why)),
    }
}

/// A criterion that begins with a command without its author's number before that: `E1: …`, `**EC-1** — …`.
fn unnumbered(text: &str) -> &str {
    let bare = text.trim_start_matches(['*', '[', ' ']);
    let word = bare.trim_start_matches(|c: char| c.is_ascii_uppercase());
    let number = word.strip_prefix('-').unwrap_or(word);
    let rest = number.trim_start_matches(|c: char| c.is_ascii_digit());
    let tail = rest.trim_start_matches([']', '*', ' ', ':', '—', '–']);
    let letters = bare.len() - word.len();
    let numbered = (1..=3).contains(&letters) && rest.len() < number.len();
    let set_off = tail.starts_with('`')
        && rest[..rest.len() - tail.len()].contains([':', '—', '–', ']', '*']);
    if numbered && set_off { tail } else { text }
}

/// Whether nothing in a text has the form of a command, or is said to exit: most code spans are names and paths.
fn names_only(text: &str, all: &[(usize, &str)]) -> bool {
    static EXIT: Phrases = Phrases::new(&["exit"]);
    all.iter().all(|(_, code)| form(code) == Form::Other) && !EXIT.within(text)
}

/// The command that a text names and that is not run.
pub fn unrun(text: &str) -> Option<&str> {
    let text = unnumbered(unlabelled(text));
    let all = spans(text);
    let listed = all.iter().find(|(_, code)| is_command(code));
    let place = || Sentence::of(text, &all).meant().next();
    listed.or_else(|| all.get(place()?)).map(|(_, code)| *code)
}

/// Whether the exit status of a command that somebody ran says nothing about how it went.
pub fn says_nothing(command: &str) -> bool {
    is_mute(turned(command).unwrap_or(command))
}

/// A sentence in words: small letters, marks apart, `§` for each code span.
struct Sentence<'t> {
    words: String,
    codes: Vec<&'t str>,
    /// That they are commands is known by where they stand.
    known: bool,
}

impl<'t> Sentence<'t> {
    fn of(text: &'t str, all: &[(usize, &'t str)]) -> Sentence<'t> {
        let mut words = String::with_capacity(text.len() + 8);
        let mut at = 0;
        for (start, code) in all {
            // Whatever stands for a span must not be in the text.
            apart(&mut words, text.get(at..*start).unwrap_or_default());
            write_mark(&mut words, '§');
            at = start + code.len();
        }
        apart(&mut words, text.get(at..).unwrap_or_default());
        words.truncate(words.trim_end_matches([' ', '.', ';']).len());
        Sentence { words, codes: all.iter().map(|(_, code)| *code).collect(), known: false }
    }

    fn read(&self) -> Result<Shown, &'static str> {
        let opened = opened(&self.words);
        let (words, claimed) = led(opened.as_deref().unwrap_or(&self.words));
        let groups = groups(words).ok_or(UNSAID)?;
        let count = groups.iter().map(|(many, _)| many).sum::<usize>();
        let values = self.codes.get(count..).unwrap_or_default();
        let commands = self.codes.get(..count).unwrap_or_default();
        let order = if claimed { Claim::Runs } else { order(&self.words) };
        if !self.known {
            self.sure(&groups, commands, order)?;
        }
        if commands.iter().any(|code| !is_whole(code)) {
            return Err(PARTIAL);
        }
        if let ([command], [(_, said)]) = (commands, groups.as_slice()) {
            let succeeds = values.is_empty() && (said.is_empty() || SUCCEEDS.has(said));
            if let Some(inner) = turned(command).filter(|_| succeeds) {
                let expect = expected::failure(inner)?;
                return Ok(Shown::By { command: inner.to_owned(), expect });
            }
            let expect = expectation(command, said, values, claimed)?;
            return Ok(Shown::By { command: (*command).to_owned(), expect });
        }
        let succeed = groups.iter().all(|(_, said)| SUCCEEDS.has(said));
        if !succeed || !values.is_empty() || !commands.iter().all(|code| is_plain(code)) {
            return Err(UNSAID);
        }
        if let Some(why) = commands.iter().find_map(|code| mute(code)) {
            return Err(why);
        }
        let each: Vec<String> = commands.iter().map(|code| format!("( {code} )")).collect();
        Ok(Shown::By { command: each.join(" && "), expect: Expectation::Success })
    }

    /// Refuses what is no command by its program, and by its form and the words about it neither. `order` is what the
    /// words before them all say.
    fn sure(
        &self,
        groups: &[(usize, String)],
        commands: &[&str],
        order: Claim,
    ) -> Result<(), &'static str> {
        let claims = groups.iter().flat_map(|(many, said)| {
            let claim = if said.is_empty() { order } else { claim(said) };
            std::iter::repeat_n(claim, *many)
        });
        let mut unsure = commands.iter().zip(claims).filter(|(code, _)| !is_command(code));
        let any = self.codes.iter().any(|code| is_command(code));
        match unsure.any(|(code, claim)| !is_sure(code, claim)) {
            true if any => Err(UNSAID),
            true => Err(UNSURE),
            false => Ok(()),
        }
    }

    /// The places of the spans by which the author may mean a command.
    fn meant(&self) -> impl Iterator<Item = usize> {
        let parts: Vec<&str> = self.words.split('§').map(str::trim).collect();
        let beside = move |place: usize| (parts.get(place).copied(), parts.get(place + 1).copied());
        let all = self.codes.iter().enumerate().filter(move |(place, code)| match beside(*place) {
            (Some(before), Some(after)) => is_meant(code, before, after),
            _ => false,
        });
        all.map(|(place, _)| place)
    }
}

/// What the words before the first command say of it: that it is to be run, or what it checks.
fn order(words: &str) -> Claim {
    const RUN: [&str; 7] = ["run", "running", "command", "with", "by", "via", "using"];
    let before = words.split('§').next().unwrap_or_default().trim();
    let bare = before.trim_end_matches(" :");
    let last = bare.rsplit(' ').next().unwrap_or_default();
    match (LEADS.has(bare), last) {
        (true, last) if RUN.contains(&last) => Claim::Told,
        (false, "run" | "running" | "command") => Claim::Told,
        (true, last) if before.ends_with(':') || last == "test" => Claim::Runs,
        _ => Claim::Other,
    }
}

/// "tests ( § ) pass" as "§ pass".
fn opened(words: &str) -> Option<String> {
    let (before, behind) = words.contains('(').then(|| words.split_once("( § )")).flatten()?;
    let said = behind.trim();
    let subject = before.trim_start_matches("verify that ").trim();
    let known = SUBJECTS.has(subject) && SUCCEEDS.has(without_tail(said));
    known.then(|| format!("§ {said}"))
}

/// Writes small letters, with marks as words of their own and without emphasis.
fn apart(words: &mut String, text: &str) {
    for letter in text.chars() {
        match letter {
            '*' | '_' | '`' => {}
            '§' => words.push('?'),
            ',' | ';' | ':' | '(' | ')' | '—' | '–' | '→' | '?' | '!' => {
                write_mark(words, letter)
            }
            '>' if words.ends_with(['-', '=']) => {
                words.pop();
                write_mark(words, '→');
            }
            space if space.is_whitespace() => end_word(words),
            small if small.is_ascii() => words.push(small.to_ascii_lowercase()),
            _ => words.extend(letter.to_lowercase()),
        }
    }
}

/// Writes a mark as a word of its own.
fn write_mark(words: &mut String, mark: char) {
    end_word(words);
    words.extend([mark, ' ']);
}

/// Ends a word, if one is begun.
fn end_word(words: &mut String) {
    if !words.is_empty() && !words.ends_with(' ') {
        words.push(' ');
    }
}

/// What follows a phrase as whole words.
fn behind<'w>(words: &'w str, phrase: &str) -> Option<&'w str> {
    whole(words.strip_prefix(phrase)?)
}

/// The same for each phrase of a list.
fn begun<'w>(phrases: &WordList, words: &'w str) -> impl Iterator<Item = &'w str> {
    phrases.behind(words).filter_map(whole)
}

/// What stands behind whole words.
fn whole(rest: &str) -> Option<&str> {
    (rest.is_empty() || rest.starts_with(' ')).then(|| rest.trim_start())
}

/// The words from the first command on, and whether what was before it says that it succeeds.
fn led(words: &str) -> (&str, bool) {
    let mut rest = words;
    for tail in begun(&CLAIMS, words) {
        let inside = tail.strip_prefix("( ").and_then(|inside| inside.strip_suffix(" )"));
        let bound = BINDS.iter().find_map(|bind| behind(tail, bind));
        if let Some(command) = inside.or(bound) {
            return (behind(command, "run").unwrap_or(command), true);
        }
    }
    for _ in 0..3 {
        let lead = begun(&LEADS, rest).min_by_key(|rest| rest.len());
        let Some(tail) = lead else { break };
        rest = behind(tail, ":").unwrap_or(tail);
    }
    (rest, false)
}

/// How many commands stand together, and what is said of them, group for group.
fn groups(words: &str) -> Option<Vec<(usize, String)>> {
    let mut found: Vec<(usize, String)> = Vec::new();
    let mut rest = words;
    loop {
        let mut many = 0;
        while let Some(tail) = rest.strip_prefix('§') {
            many += 1;
            rest = tail.trim_start();
            match joined(rest) {
                Some(next) => rest = next,
                None => break,
            }
        }
        if many == 0 {
            return None;
        }
        let (said, next) = next_group(rest);
        found.push((many, without_tail(said).to_owned()));
        match next {
            Some(next) => rest = next,
            None => return Some(found),
        }
    }
}

/// The words from the next command on, if only an "and" stands before it.
fn joined(words: &str) -> Option<&str> {
    const JOINTS: [&str; 5] = [", and §", "and §", ", §", "; and §", "; §"];
    let joint = JOINTS.iter().find(|joint| words.starts_with(*joint))?;
    words.get(joint.len() - '§'.len_utf8()..)
}

/// What is said of a group, and where the next one begins. A value ("prints exactly `x`") is none.
fn next_group(words: &str) -> (&str, Option<&str>) {
    let starts = words.char_indices().filter(|(_, letter)| matches!(letter, ',' | ';' | 'a'));
    for (at, _) in starts {
        let free = at == 0 || words[..at].ends_with(' ');
        if let Some(next) = joined(&words[at..]).filter(|_| free) {
            return (words[..at].trim_end(), Some(next));
        }
    }
    (words, None)
}

fn without_tail(words: &str) -> &str {
    let words = words.strip_prefix("still ").unwrap_or(words);
    let tail = TAILS.iter().find_map(|tail| words.strip_suffix(tail)?.strip_suffix(' '));
    tail.unwrap_or(words)
}

#[cfg(test)]
mod line_tests;
#[cfg(test)]
mod tests;
