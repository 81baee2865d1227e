//! What a single line is: a heading, a fence, a list item, a named field; and code spans within lines. The canonical
//! reader and writer share these rules, so that what one writes the other reads. One pass, no recursion.

mod span;

pub use span::{Span, cells, code, list, listed, one_line, quoted, spans, unquoted};

use super::document::{unboxed, unmarked};
use crate::vocab::json::MOST_INTEGER;
use std::collections::BTreeSet;

/// What a heading at the first column is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Heading<'a> {
    /// `### Sprint <label>: <name>`; `(added)` may stand behind the label.
    Sprint(&'a str, &'a str, bool),
    /// `## Work Unit: <name>`.
    Unit(&'a str),
    /// `## Work Units`.
    Units,
    /// `## Summary`.
    Summary,
    /// It names a sprint or unit, but not in the form or at the level it must have.
    Bad(usize),
    /// Any other heading with its level and text.
    Other(usize, &'a str),
}

/// The heading that a line is, if it is one.
pub fn heading(line: &str) -> Option<Heading<'_>> {
    let (level, text) = leveled(line)?;
    Some(match (level, sprint(text)) {
        (3, Some((label, name, added))) => Heading::Sprint(label, name, added),
        (3, None) if text == "Sprint" || text.starts_with("Sprint ") => Heading::Bad(level),
        (_, Some(_)) => Heading::Bad(level),
        _ => match (level, text.strip_prefix("Work Unit")) {
            (2, Some("s")) => Heading::Units,
            (2, Some(name)) if name.starts_with(':') => Heading::Unit(name[1..].trim()),
            (2, Some(name)) if name.is_empty() || name.starts_with(' ') => Heading::Bad(level),
            (_, Some(name)) if name.starts_with(':') => Heading::Bad(level),
            (2, None) if text == "Summary" => Heading::Summary,
            _ => Heading::Other(level, text),
        },
    })
}

/// The level and the text of a heading: one to six `#`, and a space before the text.
pub fn leveled(line: &str) -> Option<(usize, &str)> {
    let rest = line.trim_start_matches('#');
    let level = line.len() - rest.len();
    let fits = (1..=6).contains(&level) && (rest.is_empty() || rest.starts_with([' ', '\t']));
    fits.then(|| (level, rest.trim()))
}

fn sprint(text: &str) -> Option<(&str, &str, bool)> {
    let rest = text.strip_prefix("Sprint ")?.trim_start();
    let end = rest.find(|c| !is_label_letter(c))?;
    let (label, behind) = rest.split_at(end);
    let bare = behind.strip_prefix(" (added)");
    let name = bare.unwrap_or(behind).strip_prefix(':')?;
    (end > 0).then(|| (label, name.trim(), bare.is_some()))
}

fn is_label_letter(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '-' | '_' | '.')
}

/// The longest label, in bytes.
const MOST_LABEL: usize = 100;

/// Whether a text can be the label of a sprint: letters and digits of any script, `-`, `_` and `.`, and not points alone.
pub fn is_label(text: &str) -> bool {
    let points = text.chars().all(|c| c == '.');
    !points && text.len() <= MOST_LABEL && text.chars().all(is_label_letter)
}

/// A label of a criterion before a colon, as `AC-001` or `R-2-B`: its length in bytes.
pub fn criterion_label(text: &str) -> Option<usize> {
    let is_part = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '-';
    let end = text.find(|c| !is_part(c)).unwrap_or(text.len());
    let label = &text[..end];
    let named = label.starts_with(|c: char| c.is_ascii_uppercase()) && label.contains('-');
    (named && label.split('-').all(|part| !part.is_empty())).then_some(end)
}

/// The mark of a fence: its letter and how many there are.
pub type Fence = (u8, usize);

/// The fence that a line opens: three or more back ticks or tildes, however far they are indented.
pub fn opens(line: &str) -> Option<Fence> {
    let text = line.trim_start();
    let mark = *text.as_bytes().first().filter(|mark| matches!(mark, b'`' | b'~'))?;
    let rest = text.trim_start_matches(char::from(mark));
    let count = text.len() - rest.len();
    (count >= 3 && !(mark == b'`' && rest.contains('`'))).then_some((mark, count))
}

/// Whether a line closes a fence.
pub fn closes(line: &str, fence: Fence) -> bool {
    let text = line.trim();
    text.len() >= fence.1 && text.bytes().all(|byte| byte == fence.0)
}

/// Which lines of a text stand outside closed fences; a fence that nothing closes hides nothing.
pub fn outside_fences(lines: &[&str]) -> Vec<bool> {
    let (mut outside, mut unclosed, mut at) = (vec![true; lines.len()], BTreeSet::new(), 0);
    while let Some(line) = lines.get(at) {
        // What nothing closes further up, nothing closes here: each kind of fence is looked for once in vain.
        if let Some(fence) = opens(line).filter(|fence| !unclosed.contains(fence)) {
            match (at + 1..lines.len()).find(|next| closes(lines[*next], fence)) {
                Some(end) => {
                    outside[at..=end].fill(false);
                    at = end;
                }
                None => _ = unclosed.insert(fence),
            }
        }
        at += 1;
    }
    outside
}

/// How many columns a line is indented by; a tab reaches to the next multiple of four.
pub fn indent(line: &str) -> usize {
    let blank = line.bytes().take_while(|byte| matches!(byte, b' ' | b'\t'));
    blank.fold(0, |column, byte| if byte == b'\t' { column / 4 * 4 + 4 } else { column + 1 })
}

/// A line without up to `columns` of its indentation.
pub fn dedent(line: &str, columns: usize) -> String {
    let mut column = 0;
    for (at, byte) in line.bytes().enumerate() {
        if column >= columns || !matches!(byte, b' ' | b'\t') {
            return format!("{}{}", " ".repeat(column.saturating_sub(columns)), &line[at..]);
        }
        column = if byte == b'\t' { column / 4 * 4 + 4 } else { column + 1 };
    }
    String::new()
}

/// An item of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Item<'a> {
    /// How many columns its mark and the space behind it take.
    pub width: usize,
    /// Its box.
    pub ticked: Option<bool>,
    /// Its text behind mark and box.
    pub text: &'a str,
}

/// The item that a line begins: `- x`, `* x`, `+ x`, `1. x` or `1) x`, with or without a box.
pub fn item(line: &str) -> Option<Item<'_>> {
    let line = line.trim_start();
    let rest = unmarked(line);
    let mark = line.find(char::is_whitespace).unwrap_or(line.len());
    let (text, ticked) = unboxed(rest);
    (rest.len() < line.len()).then_some(Item { width: mark + 1, ticked, text })
}

/// A named field at the first column: `**Name**: value`.
pub fn field(line: &str) -> Option<(&str, &str)> {
    let (name, value) = line.strip_prefix("**")?.split_once("**:")?;
    (!name.is_empty() && !name.contains('*')).then(|| (name, value.trim()))
}

/// A length of time in milliseconds: `<n>ms`, `<n>s`, `<n>m`, `<n>h` or `<n>d`.
pub fn duration(text: &str) -> Option<u64> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (_, unit) = UNITS.iter().find(|(name, _)| *name == &text[digits..])?;
    let time = text[..digits].parse::<u64>().ok()?.checked_mul(*unit);
    time.filter(|time| *time <= MOST_INTEGER)
}

/// A length of time in the largest unit that says it exactly.
pub fn shown(milliseconds: u64) -> String {
    let fits = |(_, unit): &&(&str, u64)| milliseconds.is_multiple_of(*unit) && milliseconds > 0;
    let (name, unit) = UNITS.iter().find(fits).unwrap_or(&("s", 1000));
    format!("{}{name}", milliseconds / unit)
}

const UNITS: [(&str, u64); 5] =
    [("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1000), ("ms", 1)];

/// Where a line of free text stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Within {
    /// In no unit: only headings of the grammar would be read as structure.
    Plan,
    /// In a unit or sprint: any heading of level 1 or 2 would end it, too.
    Unit,
    /// In an item, indented: no heading.
    Item,
    /// On the first line of a task, behind its box: a box or `(added)` would be taken off.
    Task,
}

/// The lines of a free text as they are written: a `\` before each that would be read as structure, and before a fence
/// that nothing closes.
pub fn guarded(text: &str, within: Within) -> Vec<String> {
    let lines: Vec<&str> = text.split('\n').map(|line| line.trim_end_matches('\r')).collect();
    let outside = outside_fences(&lines);
    let line = |(place, line): (usize, &&str)| {
        let within = if within == Within::Task && place > 0 { Within::Item } else { within };
        match guard(line, within).filter(|_| outside[place]) {
            Some(at) => format!("{}\\{}", &line[..at], &line[at..]),
            None => (*line).to_owned(),
        }
    };
    lines.iter().enumerate().map(line).collect()
}

/// A line as it was before [`guarded`], if that put a `\` before it.
pub fn unguarded(line: &str, within: Within) -> Option<String> {
    let at = guard(line, within)?;
    line[at..].starts_with('\\').then(|| format!("{}{}", &line[..at], &line[at + 1..]))
}

/// Where the `\` goes of a line that would be read as structure without all the `\` that it begins with.
fn guard(line: &str, within: Within) -> Option<usize> {
    let text = line.trim_start_matches([' ', '\t']);
    let core = text.trim_start_matches('\\');
    let heads = || match heading(core)? {
        Heading::Other(level, _) => (level <= 2 && within == Within::Unit).then_some(()),
        _ => Some(()),
    };
    let guarded = match within {
        _ if opens(core).is_some() => true,
        Within::Plan | Within::Unit => text.len() == line.len() && heads().is_some(),
        Within::Task => unboxed(core).1.is_some() || added(core).is_some(),
        Within::Item => false,
    };
    guarded.then_some(line.len() - text.len())
}

/// The text behind `(added)`.
pub fn added(text: &str) -> Option<&str> {
    let rest = text.strip_prefix("(added)")?;
    (rest.is_empty() || rest.starts_with(char::is_whitespace)).then(|| rest.trim_start())
}

/// A text without its blank first and last lines.
pub fn trimmed(text: &str) -> &str {
    if text.trim().is_empty() {
        return "";
    }
    let start = text.len() - text.trim_start().len();
    let start = text[..start].rfind('\n').map_or(0, |at| at + 1);
    let end = text.trim_end().len();
    let end = text[end..].find('\n').map_or(text.len(), |at| end + at);
    text.get(start..end).unwrap_or_default()
}

/// What stands for nothing, in a list of dependencies or criteria (seed 002, lines 702 and 1464).
const NOTHING: [&str; 4] = ["none", "—", "-", "--"];
/// An entry criterion that asks for nothing (seed 002, line 1472).
const FIRST: [&str; 2] = ["first sprint — no prerequisites", "first sortie — no prerequisites"];

/// Whether a text is one of these words, however its letters are written.
pub fn is(text: &str, words: &[&str]) -> bool {
    words.iter().any(|word| same(text, word))
}

/// Whether a text is this word, however its letters are written.
pub fn same(text: &str, word: &str) -> bool {
    text.trim().eq_ignore_ascii_case(word)
}

/// What stands behind a word that a text begins with.
pub fn behind<'a>(text: &'a str, word: &str) -> Option<&'a str> {
    let (head, rest) = text.split_at_checked(word.len())?;
    let ends = !rest.starts_with(|c: char| c.is_alphanumeric());
    (ends && head.eq_ignore_ascii_case(word)).then_some(rest)
}

/// Whether an entry criterion asks for nothing.
pub fn asks_nothing(text: &str) -> bool {
    nothing(text) || is(text.trim_end_matches('.'), &FIRST)
}

/// Whether a text says that there is nothing: `none`, and what is said of it in brackets or behind a dash.
pub fn nothing(text: &str) -> bool {
    let text = text.trim().trim_end_matches('.');
    let rest = behind(text, NOTHING[0]).unwrap_or("?").trim_start();
    text.is_empty()
        || is(text, &NOTHING)
        || rest.is_empty()
        || rest.starts_with(['(', '—', '–', '-'])
}
