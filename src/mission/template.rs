//! Texts with names in them. The texts for roles, users and files are in files next to the protocol, in plain
//! Markdown with the marks of Mustache, so that a person who knows no Rust can read and correct them:
//!
//! - `{{name}}` is replaced by the value of the name, once; the value is never searched for names again;
//! - `{{#name}}…{{/name}}` is written once for each row, and not at all without a row; a yes is one row;
//! - `{{^name}}…{{/name}}` is written where there is no row.
//!
//! A line with nothing but such a mark is no line of the text. Inside a row its own names come before those around it.

use std::borrow::Cow;
use std::collections::BTreeMap;

/// What names stand for.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Fields(BTreeMap<Cow<'static, str>, Value>);

/// How names are marked in a template.
pub(crate) struct Marks {
    pub(crate) open: &'static str,
    pub(crate) close: &'static str,
    /// Characters that a name may have in addition to letters and digits.
    pub(crate) also: &'static str,
    /// Whether there are sections.
    pub(crate) sections: bool,
}

/// The marks of our own pages.
const OURS: Marks = Marks { open: "{{", close: "}}", also: "_", sections: true };

/// The value of one name.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    Text(String),
    Rows(Vec<Fields>),
}

/// Names with what they stand for: `fields! { head: "c1", dirty: lines("path", paths) }`.
macro_rules! fields {
    ($($name:ident: $value:expr),* $(,)?) => {{
        #[allow(unused_mut)]
        let mut fields = $crate::mission::template::Fields::default();
        $( fields.put(stringify!($name), $value); )*
        fields
    }};
}

/// Pages of the folder `prompts` next to a source, one after the other.
macro_rules! pages {
    ($($page:literal),*) => { concat!($( include_str!(concat!("prompts/", $page, ".md")) ),*) };
}
pub(crate) use {fields, pages};

impl Fields {
    /// Adds a name.
    pub(crate) fn put(&mut self, name: impl Into<Cow<'static, str>>, value: impl Into<Value>) {
        self.0.insert(name.into(), value.into());
    }

    /// These names and those.
    pub(crate) fn and(mut self, those: Fields) -> Self {
        self.0.extend(those.0);
        self
    }

    /// The names.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(AsRef::as_ref)
    }
}

/// Rows from what an iterator gives.
pub(crate) fn rows(all: impl IntoIterator<Item = Fields>) -> Value {
    Value::Rows(all.into_iter().collect())
}

/// Rows of one name.
pub(crate) fn lines<T: Into<Value>>(name: &'static str, all: impl IntoIterator<Item = T>) -> Value {
    let row = |one: T| Fields(BTreeMap::from([(name.into(), one.into())]));
    rows(all.into_iter().map(row))
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Value::Text(text)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Value::Text(text.to_owned())
    }
}

impl From<&String> for Value {
    fn from(text: &String) -> Self {
        Value::Text(text.clone())
    }
}

macro_rules! numbers {
    ($($kind:ty),*) => { $( impl From<$kind> for Value {
        fn from(number: $kind) -> Self {
            Value::Text(number.to_string())
        }
    } )* };
}
numbers!(u8, u32, u64, usize, i32);

impl From<&crate::vocab::error::Diagnostic> for Value {
    fn from(problem: &crate::vocab::error::Diagnostic) -> Self {
        Value::Text(problem.to_string())
    }
}

impl From<bool> for Value {
    fn from(yes: bool) -> Self {
        Value::Rows(if yes { vec![Fields::default()] } else { Vec::new() })
    }
}

impl From<Option<Fields>> for Value {
    fn from(row: Option<Fields>) -> Self {
        Value::Rows(row.into_iter().collect())
    }
}

/// A piece of a template.
enum Token<'a> {
    Text(&'a str),
    Name(&'a str),
    Open(&'a str, bool),
    Close(&'a str),
}

/// The text of a template.
pub(crate) fn render(template: &str, fields: &Fields) -> String {
    let tokens = tokens(template, &OURS);
    used(template, &tokens, fields);
    written(template, &tokens, fields)
}

/// The text of a part of a template.
pub(crate) fn fill(template: &str, fields: &Fields) -> String {
    fill_marked(template, &OURS, fields)
}

/// The text of a template with marks of its own.
pub(crate) fn fill_marked(template: &str, marks: &Marks, fields: &Fields) -> String {
    written(template, &tokens(template, marks), fields)
}

fn written(template: &str, tokens: &[Token<'_>], fields: &Fields) -> String {
    let mut text = String::with_capacity(template.len());
    write(tokens, &[fields], &mut text);
    text
}

/// The names in a template with marks of its own, in order.
pub(crate) fn names<'a>(template: &'a str, marks: &Marks) -> Vec<&'a str> {
    let name = |token: Token<'a>| match token {
        Token::Name(name) => Some(name),
        Token::Text(_) | Token::Open(..) | Token::Close(_) => None,
    };
    tokens(template, marks).into_iter().filter_map(name).collect()
}

/// A section of a page: what follows its heading `## name`, up to the next such heading.
pub(crate) fn section<'a>(page: &'a str, name: &str) -> &'a str {
    let found = page.split("\n## ").find_map(|part| part.strip_prefix(name)?.strip_prefix('\n'));
    debug_assert!(found.is_some(), "no section {name}");
    found.unwrap_or_default()
}

/// Looks, where it is tested, whether a template uses every name that is given.
pub(crate) fn check(template: &str, fields: &Fields) {
    if cfg!(debug_assertions) {
        used(template, &tokens(template, &OURS), fields);
    }
}

fn used(template: &str, tokens: &[Token<'_>], fields: &Fields) {
    let left = || unused(tokens, fields);
    debug_assert!(left().is_empty(), "{:?} are not used: {template}", left());
}

fn write(tokens: &[Token<'_>], scopes: &[&Fields], text: &mut String) {
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        at += 1;
        match token {
            Token::Text(part) => text.push_str(part),
            Token::Name(name) => match find(scopes, name) {
                Some(Value::Text(value)) => text.push_str(value),
                _ => debug_assert!(false, "a template names `{name}`, which stands for no text"),
            },
            Token::Open(name, wanted) => {
                let rest = tokens.get(at..).unwrap_or_default();
                let length = length(rest, name);
                rows_of(rest.get(..length).unwrap_or_default(), (name, *wanted), scopes, text);
                at += length + 1;
            }
            Token::Close(_) => {}
        }
    }
}

fn rows_of(
    body: &[Token<'_>],
    (name, wanted): (&str, bool),
    scopes: &[&Fields],
    text: &mut String,
) {
    match find(scopes, name) {
        Some(Value::Rows(all)) if wanted => {
            all.iter().for_each(|row| write(body, &[&[row], scopes].concat(), text));
        }
        Some(Value::Rows(all)) if all.is_empty() => write(body, scopes, text),
        Some(Value::Rows(_)) => {}
        _ => debug_assert!(false, "a template names `{name}`, which stands for no rows"),
    }
}

fn find<'a>(scopes: &[&'a Fields], name: &str) -> Option<&'a Value> {
    scopes.iter().find_map(|fields| fields.0.get(name))
}

/// How many tokens lie before the end of a section.
fn length(rest: &[Token<'_>], name: &str) -> usize {
    let mut depth = 0_usize;
    let end = rest.iter().position(|token| match token {
        Token::Open(other, _) if *other == name => {
            depth += 1;
            false
        }
        Token::Close(other) if *other == name => match depth.checked_sub(1) {
            None => true,
            Some(left) => {
                depth = left;
                false
            }
        },
        _ => false,
    });
    end.unwrap_or(rest.len())
}

/// Names that are given and that no token has.
fn unused<'a>(tokens: &[Token<'_>], fields: &'a Fields) -> Vec<&'a str> {
    let used = |name: &str| {
        tokens.iter().any(|token| match token {
            Token::Name(other) | Token::Open(other, _) => *other == name,
            Token::Text(_) | Token::Close(_) => false,
        })
    };
    fields.names().filter(|name| !used(name)).collect()
}

fn tokens<'a>(template: &'a str, marks: &Marks) -> Vec<Token<'a>> {
    let (mut all, mut from, mut at) = (Vec::new(), 0, 0);
    // Both marks begin with a letter that is looked for much faster than a word.
    let next = |at: usize| {
        let mut places = template.get(at..)?.match_indices('{').map(|(place, _)| at + place);
        places.find(|place| template.get(*place..).is_some_and(|rest| rest.starts_with(marks.open)))
    };
    while let Some(open) = next(at) {
        let Some((token, end)) = token(template, marks, open) else {
            // Its first letter is one byte.
            at = open + 1;
            continue;
        };
        let (before, behind) = match token {
            Token::Name(_) => (open, end),
            _ => alone(template, open, end).unwrap_or((open, end)),
        };
        all.extend(template.get(from..before).filter(|part| !part.is_empty()).map(Token::Text));
        all.push(token);
        (from, at) = (behind, behind);
    }
    all.extend(template.get(from..).filter(|part| !part.is_empty()).map(Token::Text));
    all
}

/// The token that begins at `open`, and where it ends. What is no name between the marks is text.
fn token<'a>(template: &'a str, marks: &Marks, open: usize) -> Option<(Token<'a>, usize)> {
    let inner = template.get(open + marks.open.len()..)?;
    let bare = if marks.sections { inner.trim_start_matches(['#', '^', '/']) } else { inner };
    let sign = inner.get(..inner.len() - bare.len())?;
    let fits = |c: char| c.is_ascii_alphanumeric() || marks.also.contains(c) || c.is_alphanumeric();
    let (name, rest) = bare.split_at(bare.find(|c: char| !fits(c)).unwrap_or(bare.len()));
    let token = match sign {
        "" => Token::Name(name),
        "#" => Token::Open(name, true),
        "^" => Token::Open(name, false),
        "/" => Token::Close(name),
        _ => return None,
    };
    let rest = rest.strip_prefix(marks.close).filter(|_| !name.is_empty())?;
    Some((token, template.len() - rest.len()))
}

/// Where the line of a token begins and ends, if nothing else is on it.
fn alone(template: &str, open: usize, end: usize) -> Option<(usize, usize)> {
    let blank = |part: &str| part.chars().all(|c| c == ' ');
    let start = template.get(..open)?.rfind('\n').map_or(0, |at| at + 1);
    let rest = template.get(end..)?;
    let length = rest.find('\n').map_or(rest.len(), |at| at + 1);
    let alone =
        blank(template.get(start..open)?) && blank(rest.get(..length)?.trim_end_matches('\n'));
    alone.then_some((start, end + length))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_sections_and_lines() {
        let template = "Hello {{who}}.\n{{#dirty}}\n- {{path}} of {{who}}\n{{/dirty}}\n{{^dirty}}\nclean\n{{/dirty}}\n\
                        {{#late}}late{{/late}}{{^late}}in time{{/late}} {{ {{a b}}\n";
        let given = |paths: &[&str]| {
            fields! { who: "{{late}}", dirty: lines("path", paths.iter().copied()), late: false }
        };
        let some = render(template, &given(&["a", "b"]));
        assert_eq!(some, "Hello {{late}}.\n- a of {{late}}\n- b of {{late}}\nin time {{ {{a b}}\n");
        assert_eq!(render(template, &given(&[])), "Hello {{late}}.\nclean\nin time {{ {{a b}}\n");
    }

    #[test]
    fn sections_of_one_name_nest() {
        let leaf = fields! { name: "b", all: rows([]) };
        let top = fields! { all: rows([fields! { name: "a", all: rows([leaf]) }]) };
        assert_eq!(render("{{#all}}<{{name}}{{#all}}<{{name}}>{{/all}}>{{/all}}", &top), "<a<b>>");
    }

    #[test]
    fn a_name_that_nobody_uses_is_told() {
        assert_eq!(unused(&tokens("{{a}}", &OURS), &fields! { a: "1", b: 2_u32 }), ["b"]);
    }

    /// Every file next to the sources whose name does not end with `.rs`.
    #[allow(clippy::disallowed_methods)]
    fn pages(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
        let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let inner = entries.flat_map(|path| if path.is_dir() { pages(&path) } else { vec![path] });
        inner.filter(|path| path.extension().is_some_and(|end| end != "rs")).collect()
    }

    /// A section that nobody closes would take in all that follows it.
    #[test]
    #[allow(clippy::disallowed_methods)]
    fn every_section_of_every_page_is_closed() {
        let source = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/src"));
        let all = [pages(&source.join("mission")), pages(&source.join("protocols"))].concat();
        assert!(all.len() > 60, "{}", all.len());
        for path in all {
            let (page, mut open) = (std::fs::read_to_string(&path).unwrap(), Vec::new());
            for token in tokens(&page, &OURS) {
                match token {
                    Token::Open(name, _) => open.push(name.to_owned()),
                    Token::Close(name) => {
                        assert_eq!(open.pop().as_deref(), Some(name), "{}", path.display());
                    }
                    Token::Text(_) | Token::Name(_) => {}
                }
            }
            assert!(open.is_empty(), "{}: {open:?}", path.display());
        }
    }
}
