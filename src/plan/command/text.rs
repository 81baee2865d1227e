//! Code spans and words of a text. Nothing here knows English: phrases come from the table of the seed's own words.

use super::super::line::spans;
use super::super::model::{Command, Sprint};
pub(super) use crate::vocab::text::one_line as line;

/// A text without its code spans; each leaves a space.
pub(super) fn bare(text: &str) -> String {
    let (mut out, mut at) = (String::with_capacity(text.len()), 0);
    for span in spans(text) {
        out.push_str(&text[at..span.range.start]);
        out.push(' ');
        at = span.range.end;
    }
    out.push_str(&text[at..]);
    out
}

/// What a text names in code spans: files, types, functions. A span with a space in it is a command, not a name.
pub(super) fn names(text: &str) -> impl Iterator<Item = &str> {
    let named = |code: &&str| code.len() > 1 && !code.contains(char::is_whitespace);
    spans(text).into_iter().map(|span| span.text.trim()).filter(named)
}

/// The names that look like files: they have a `/` or an ending.
pub(super) fn files(text: &str) -> impl Iterator<Item = &str> {
    names(text).filter(|name| {
        let inner = name.trim_matches(|c: char| !c.is_alphanumeric());
        !name.contains(['(', ':', '=']) && inner.contains(['/', '.'])
    })
}

/// The first of some phrases that a text says outside of its code, as whole words; in any case of letters, unless the
/// phrase itself is in capitals.
pub(super) fn says(text: &str, phrases: &[&'static str]) -> Option<&'static str> {
    let own = bare(text);
    let lower = own.to_lowercase();
    let has = |phrase: &&&str| match phrase.chars().any(char::is_lowercase) {
        true => is_within(&lower, &phrase.to_lowercase()),
        false => is_within(&own, phrase),
    };
    phrases.iter().find(has).copied()
}

/// Whether a phrase stands in a text as whole words.
pub(super) fn is_within(text: &str, phrase: &str) -> bool {
    let word = |letter: Option<char>| letter.is_some_and(|c| c.is_alphanumeric() || c == '_');
    text.match_indices(phrase).any(|(at, _)| {
        let behind = text[at + phrase.len()..].chars().next();
        !word(text[..at].chars().next_back()) && !word(behind)
    })
}

/// Whether a command line says a word of its own: `cargo build`, `npm run test:e2e`, `pytest`. Paths are none, and `test`
/// as a program is the test of a shell.
pub(super) fn runs(line: &str, word: &str) -> bool {
    let parts = line.split(['|', ';', '&', '(', ')']);
    parts.into_iter().any(|part| {
        let mut words = part.split_whitespace().filter(|one| !one.contains('='));
        let program = words.next().unwrap_or_default();
        let program = program.rsplit('/').next().unwrap_or_default();
        let own = program != "test" && program.to_lowercase().contains(word);
        own || program != "test"
            && words.any(|one| !one.contains(['/', '.']) && one.to_lowercase().contains(word))
    })
}

/// The commands of the exit criteria of a sprint.
pub(super) fn commands(sprint: &Sprint) -> impl Iterator<Item = &Command> {
    sprint.exit.iter().flat_map(|one| &one.commands)
}

/// The shortest of some command lines that says a word of its own.
pub(super) fn shortest<'l>(all: impl Iterator<Item = &'l str>, word: &str) -> Option<String> {
    let fits = all.filter(|line| runs(line, word));
    fits.min_by_key(|line| (line.len(), *line)).map(str::to_owned)
}
