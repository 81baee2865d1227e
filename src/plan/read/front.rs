//! The front matter: its text is kept as it is, and the keys that mean something here are read. A key stands on one line
//! with its value; the parts of `source` and `defaults` stand in braces behind it, or indented below it. Lines of other
//! keys are nobody's business. This is less than YAML, so that a plan can be read where no reader of YAML is at hand.

use super::super::document::LineRange;
use super::super::line;
use super::super::model::{FORMAT, Model, Plan, Remark, Settings, Source, Weight};
use super::field::put;
use crate::vocab::error::{Code, Error};
use crate::vocab::json;
use std::collections::BTreeSet;

/// What a key does with its value; the error is what would have been right.
type Set = fn(&mut Settings, &str) -> Result<(), &'static str>;

const KEYS: [(&str, Set); 10] = [
    ("plan", |_, value| (value == FORMAT).then_some(()).ok_or(FORMAT)),
    ("feature_name", |all, value| put(&mut all.feature_name, said(value), "words")),
    ("source", |_, _| Err(PARTS)),
    ("source.file", |all, value| put(&mut source(all).file, said(value), "a path")),
    ("source.sha256", |all, value| put(&mut source(all).sha256, said(value), "a digest")),
    ("defaults", |_, _| Err(PARTS)),
    ("defaults.model", |all, value| {
        put(&mut all.model, Model::parse(value), "small, standard or large")
    }),
    ("defaults.timeout", |all, value| put(&mut all.timeout, line::duration(value), TIME)),
    ("defaults.command_timeout", |all, value| {
        put(&mut all.command_timeout, line::duration(value), TIME)
    }),
    ("defaults.attempts", |all, value| {
        let number = value.parse::<u32>().ok().filter(|number| (1..=1_000).contains(number));
        put(&mut all.attempts, number, "a whole number from 1 to 1000")
    }),
];

const PARTS: &str = "its parts in braces on this line, or indented below it";
const TIME: &str = "a time like 45m";

fn said(value: &str) -> Option<String> {
    Some(value.to_owned()).filter(|value| !value.trim().is_empty())
}

fn source(all: &mut Settings) -> &mut Source {
    all.source.get_or_insert_with(|| Source { file: String::new(), sha256: String::new() })
}

/// A key with its value. A key below another has its path (`defaults.model`).
struct Entry<'a> {
    path: String,
    key: &'a str,
    value: &'a str,
}

/// The keys of a line; `section` is the key that indented lines belong to.
fn entries<'a>(line: &'a str, section: &mut &'a str) -> Vec<Entry<'a>> {
    let pair = |text: &'a str| {
        let (key, value) = text.split_once(':')?;
        Some((key.trim(), plain(value.trim())))
    };
    let Some((key, value)) = pair(line).filter(|_| !line.trim_start().starts_with(['#', '-']))
    else {
        return Vec::new();
    };
    if !line.starts_with([' ', '\t']) {
        *section = key;
    }
    let section = *section;
    let below =
        |(key, value): (&'a str, &'a str)| Entry { path: format!("{section}.{key}"), key, value };
    match value.strip_prefix('{').and_then(|inner| inner.strip_suffix('}')) {
        _ if line.starts_with([' ', '\t']) => vec![below((key, value))],
        Some(inner) => parts(inner).into_iter().filter_map(pair).map(below).collect(),
        None => vec![Entry { path: key.to_owned(), key, value }],
    }
}

/// A value without the remark behind it.
fn plain(value: &str) -> &str {
    let mark = outside(value).find(|(at, c)| *c == '#' && value[..*at].ends_with(' '));
    mark.map_or(value, |(at, _)| value[..at].trim_end())
}

/// What stands between commas.
fn parts(inner: &str) -> Vec<&str> {
    let ends = outside(inner).filter(|(_, c)| *c == ',').map(|(at, _)| at).chain([inner.len()]);
    let part = |from: &mut usize, end: usize| inner.get(std::mem::replace(from, end + 1)..end);
    ends.scan(0, part).collect()
}

/// The letters of a text that stand in no quotes.
fn outside(text: &str) -> impl Iterator<Item = (usize, char)> {
    let (mut quote, mut escaped) = (None, false);
    text.char_indices().filter(move |(_, c)| {
        let inside = quote.is_some();
        match quote {
            Some(open) if *c == open && !escaped => quote = None,
            None if matches!(c, '"' | '\'') => quote = Some(*c),
            _ => {}
        }
        escaped = *c == '\\' && !escaped;
        !inside && quote.is_none()
    })
}

/// The text that a value is: plain, or in quotes. Other forms of YAML are none.
fn text(value: &str) -> Option<String> {
    match value.chars().next()? {
        '"' => json::decode_unguarded(value).ok(),
        '\'' => Some(value[1..].strip_suffix('\'')?.replace("''", "'")),
        '&' | '*' | '!' | '|' | '>' | '[' | ']' | '{' | '}' | '%' | '@' | '`' => None,
        _ => Some(value.to_owned()),
    }
}

/// Reads what stands between the two `---` lines; it begins at line 2.
pub(super) fn read(source: &str, plan: &mut Plan, remarks: &mut Vec<Remark>) {
    for line in source.lines() {
        plan.front.push_str(line.trim_end_matches('\r'));
        plan.front.push('\n');
    }
    let (mut seen, mut section) = (BTreeSet::new(), "");
    for (number, line) in (2..).zip(plan.front.lines()) {
        for one in entries(line, &mut section) {
            let place = (number, line, one.key);
            let Some((path, set)) = KEYS.iter().find(|(path, _)| *path == one.path) else {
                if ["source", "defaults"].contains(&section) {
                    let unknown = fault(Code::UnknownField, place, "a key of the grammar", one.key);
                    remarks.push(Remark { weight: Weight::Warning, ..unknown });
                }
                continue;
            };
            if !seen.insert(*path) {
                remarks.push(fault(Code::DuplicateField, place, "each field once", path));
            } else if !one.value.is_empty() {
                let read = text(one.value).ok_or("a plain text, or one in quotes");
                if let Err(expected) = read.and_then(|text| set(&mut plan.settings, &text)) {
                    let code =
                        if *path == "plan" { Code::UnknownFormat } else { Code::InvalidValue };
                    remarks.push(fault(code, place, expected, one.value));
                }
            }
        }
    }
    let whole = |source: &Source| !source.file.is_empty() && !source.sha256.is_empty();
    if plan.settings.source.as_ref().is_some_and(|source| !whole(source)) {
        plan.settings.source = None;
        let lines = (2..).zip(plan.front.lines());
        let place = lines.clone().find(|(_, line)| line.starts_with("source"));
        let (number, line) = place.unwrap_or((2, ""));
        let expected = "file and sha256 of the source";
        remarks.push(fault(Code::MissingField, (number, line, "source"), expected, "not both"));
    }
}

/// A fault at a key.
fn fault(code: Code, (number, line, key): (u32, &str, &str), expected: &str, got: &str) -> Remark {
    let fault = Remark::on(Weight::Fault, code, LineRange::line(number), expected, got);
    fault.about(line, line.find(key).unwrap_or(0), key)
}

/// A fault as a remark: at the line that its place names, else at `line`.
pub(super) fn remark(error: &Error, line: u32) -> Remark {
    let named = error.at.split(' ').nth(1).and_then(|number| number.parse().ok());
    let lines = LineRange::line(named.unwrap_or(line));
    Remark::on(Weight::Fault, error.code, lines, error.expected.as_str(), error.got.as_str())
}
