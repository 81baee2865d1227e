//! The threads of a plan: the elements of its body, what keeps them from being whole, where a person is asked, and which
//! commands they declare.

use super::plan::{Plan, Thread, tagged};
use super::report::limits;
use crate::vocab::error::{Code, Diagnostic, Error, Result, clip};
use crate::vocab::text::escaped;

/// The threads of a body, what keeps them from being whole, and what is unusual.
pub(super) fn structure(
    body: &str,
    autonomous: bool,
) -> (Vec<Thread>, Vec<Diagnostic>, Vec<Diagnostic>) {
    let (mut threads, mut faults, mut notes) = (Vec::new(), Vec::new(), Vec::new());
    for Element { head, inner, .. } in elements(body, &THREADS).filter(|one| one.closed) {
        let has = |tag: &str| inner.contains(&format!("<{tag}>"));
        let name = name(inner);
        let lack = |what: &str| {
            Error::new(Code::MissingField, at(inner), format!("<{what}>"), "none").diagnostic()
        };
        faults.extend(tagged(inner, "name").is_none().then(|| lack("name")));
        faults.extend((!has("action")).then(|| lack("action")));
        notes.extend(["verify", "done", "files"].into_iter().filter(|tag| !has(tag)).map(lack));
        let kind = head.split_once("type=\"").and_then(|(_, tail)| tail.split('"').next());
        threads.push(Thread {
            has_files: has("files"),
            has_action: has("action"),
            has_verify: has("verify"),
            has_done: has("done"),
            name: name.to_owned(),
            kind: kind.map(str::to_owned),
        });
    }
    let checkpoint = |thread: &&Thread| {
        thread.kind.as_deref().is_some_and(|kind| kind.starts_with("checkpoint"))
    };
    if let Some(thread) = threads.iter().find(checkpoint).filter(|_| autonomous) {
        let expected = "autonomous: false for a plan with checkpoints";
        let at = format!("thread `{}`", thread.name);
        faults.push(Error::new(Code::InvalidValue, at, expected, "autonomous").diagnostic());
    }
    (threads, faults, notes)
}

/// The checkpoints that a plan with `autonomous: false` asks for, in order: the word for their type, and their name.
pub(super) fn checkpoints(plan: &Plan) -> Vec<(String, String)> {
    let threads = structure(&plan.content, plan.autonomous).0.into_iter();
    let kind = |thread: Thread| {
        let kind = thread.kind.as_deref()?.strip_prefix("checkpoint:")?.to_owned();
        Some((kind, thread.name))
    };
    threads.filter_map(kind).filter(|_| !plan.autonomous).collect()
}

/// The commands that threads declare, in order: each `<automated>` in a `<verify>` is one. Other words are no command.
///
/// # Errors
/// `missing_field` for one that is blank or never ends, `invalid_value` for one that no shell takes, `too_large`.
pub(super) fn commands(body: &str) -> Result<Vec<String>> {
    let mut all = Vec::new();
    for thread in elements(body, &THREADS) {
        let declared = elements(thread.inner, &["verify"])
            .flat_map(|verify| elements(verify.inner, &["automated", COMMENT]));
        for one in declared.filter(|one| one.name != COMMENT) {
            let at = || format!("{}: <automated>", at(thread.inner));
            let text = decoded(one.inner.trim());
            if text.is_empty() || !one.closed {
                let got = if one.closed { "none" } else { "one that never ends" };
                return Err(Error::new(Code::MissingField, at(), "a command", got));
            }
            if text.contains(|c: char| c.is_control() && c != '\n' && c != '\t') {
                let (expected, got) = ("no control characters", clip(&escaped(&text), 200));
                return Err(Error::new(Code::InvalidValue, at(), expected, got));
            }
            limits::refuse(limits::text(at(), &text, limits::MOST_TEXT).into_iter().collect())?;
            all.extend(Some(text).filter(|text| !is_missing(text)));
        }
    }
    Ok(all)
}

/// How an author says that the command is still to be written.
fn is_missing(text: &str) -> bool {
    let rest = text.strip_prefix("MISSING");
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', ':', '-', '\n', '\u{2014}']))
}

/// Text as it is meant where signs of XML are written by their names.
fn decoded(text: &str) -> String {
    let names = [
        ("\r\n", "\n"),
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&apos;", "'"),
        ("&amp;", "&"),
    ];
    names.into_iter().fold(text.to_owned(), |text, (name, sign)| text.replace(name, sign))
}

/// The name of a thread.
fn name(inner: &str) -> &str {
    tagged(inner, "name").map_or("unnamed", str::trim)
}

/// A thread as the place of a fault.
fn at(inner: &str) -> String {
    format!("thread `{}`", name(inner))
}

const THREADS: [&str; 2] = ["task", "thread"];
/// What a comment begins with.
const COMMENT: &str = "!--";

/// An element of a body.
struct Element<'a> {
    name: &'a str,
    /// Its name with what is said of it.
    head: &'a str,
    /// What is in it; all that follows where it never ends.
    inner: &'a str,
    closed: bool,
}

/// The elements with these names, in order, none inside another.
fn elements<'a>(body: &'a str, names: &'a [&str]) -> impl Iterator<Item = Element<'a>> {
    // A comment that never ends is none.
    let (mut rest, last) = (body, body.rfind("-->"));
    std::iter::from_fn(move || {
        loop {
            rest = rest.split_once('<')?.1;
            let begins = |name: &&&str| {
                let tail = rest.strip_prefix(**name);
                tail.is_some_and(|tail| match **name {
                    COMMENT => last.is_some_and(|last| body.len() - tail.len() <= last),
                    _ => tail.starts_with(['>', ' ', '\n', '\t']),
                })
            };
            let Some(name) = names.iter().find(begins).copied() else { continue };
            let (end, close) = match name {
                COMMENT => (COMMENT, "-->".to_owned()),
                name => (">", format!("</{name}>")),
            };
            let (head, tail) = rest.split_once(end)?;
            let inner = tail.split_once(&close);
            rest = inner.map_or("", |(_, rest)| rest);
            let closed = inner.is_some();
            return Some(Element {
                name,
                head,
                inner: inner.map_or(tail, |(inner, _)| inner),
                closed,
            });
        }
    })
}
