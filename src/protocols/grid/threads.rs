//! The threads of a plan: the elements of its body, what keeps them from being whole, and where a person is asked.

use super::plan::{Plan, Thread, tagged};
use crate::vocab::error::{Code, Diagnostic};

/// The threads of a body, what keeps them from being whole, and what is unusual.
pub(super) fn structure(
    body: &str,
    autonomous: bool,
) -> (Vec<Thread>, Vec<Diagnostic>, Vec<Diagnostic>) {
    let (mut threads, mut faults, mut notes) = (Vec::new(), Vec::new(), Vec::new());
    for (kind, inner) in elements(body) {
        let named = tagged(inner, "name").map(|name| name.trim().to_owned());
        let has = |tag: &str| inner.contains(&format!("<{tag}>"));
        let lack = |name: &str, what: &str| Diagnostic {
            code: Code::MissingField,
            at: format!("thread `{name}`"),
            expected: format!("<{what}>"),
            got: "none".to_owned(),
        };
        let name = named.clone().unwrap_or_else(|| "unnamed".to_owned());
        if named.is_none() {
            faults.push(lack(&name, "name"));
        }
        if !has("action") {
            faults.push(lack(&name, "action"));
        }
        notes.extend(
            ["verify", "done", "files"]
                .into_iter()
                .filter(|tag| !has(tag))
                .map(|tag| lack(&name, tag)),
        );
        threads.push(Thread {
            has_files: has("files"),
            has_action: has("action"),
            has_verify: has("verify"),
            has_done: has("done"),
            name,
            kind,
        });
    }
    let checkpoint = |thread: &&Thread| {
        thread.kind.as_deref().is_some_and(|kind| kind.starts_with("checkpoint"))
    };
    if let Some(thread) = threads.iter().find(checkpoint).filter(|_| autonomous) {
        let expected = "autonomous: false for a plan with checkpoints".to_owned();
        let at = format!("thread `{}`", thread.name);
        faults.push(Diagnostic {
            code: Code::InvalidValue,
            at,
            expected,
            got: "autonomous".to_owned(),
        });
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

/// The elements `<task …>` and `<thread …>` with their type, in order.
fn elements(body: &str) -> Vec<(Option<String>, &str)> {
    let mut found = Vec::new();
    let mut rest = body;
    while let Some(at) = rest.find('<') {
        rest = &rest[at + 1..];
        let Some(name) = ["task", "thread"].into_iter().find(|name| {
            rest.strip_prefix(*name).is_some_and(|tail| tail.starts_with(['>', ' ', '\n', '\t']))
        }) else {
            continue;
        };
        let Some(end) = rest.find('>') else { break };
        let head = &rest[..end];
        let close = format!("</{name}>");
        let Some(length) = rest[end + 1..].find(&close) else { break };
        let kind = head.split_once("type=\"").and_then(|(_, tail)| tail.split('"').next());
        found.push((kind.map(str::to_owned), &rest[end + 1..end + 1 + length]));
        rest = &rest[end + 1 + length..];
    }
    found
}
