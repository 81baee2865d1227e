//! What makes a requirement of an item or a sentence: the heading above it, and its own words.

use super::sections::Meaning;
use super::{Confidence, Signal};

const VERBS: &[&str] = &[
    "implement",
    "create",
    "build",
    "add",
    "support",
    "enable",
    "integrate",
    "provide",
    "write",
    "expose",
    "allow",
    "introduce",
    "migrate",
    "replace",
    "remove",
    "extend",
];

/// More words that items begin with which ask for something, where no heading says otherwise.
const ORDERS: &[&str] = &[
    "accept",
    "ask",
    "cache",
    "change",
    "check",
    "compute",
    "configure",
    "connect",
    "convert",
    "count",
    "delete",
    "deploy",
    "detect",
    "display",
    "document",
    "download",
    "edit",
    "ensure",
    "export",
    "fetch",
    "filter",
    "find",
    "generate",
    "handle",
    "hide",
    "import",
    "install",
    "keep",
    "limit",
    "list",
    "load",
    "log",
    "make",
    "mark",
    "measure",
    "merge",
    "move",
    "name",
    "notify",
    "open",
    "parse",
    "print",
    "publish",
    "read",
    "record",
    "refuse",
    "reject",
    "render",
    "report",
    "restore",
    "resume",
    "retry",
    "run",
    "save",
    "scan",
    "search",
    "send",
    "set",
    "show",
    "skip",
    "sort",
    "split",
    "start",
    "stop",
    "store",
    "sync",
    "test",
    "track",
    "translate",
    "update",
    "upload",
    "validate",
    "verify",
    "walk",
    "warn",
];

/// Whether a text is an order: "Show the sum". A verb alone ("Search") is the name of something.
pub(in crate::plan) fn is_order(text: &str) -> bool {
    let lower = text.to_lowercase();
    let first = first_word(&lower);
    text.split_whitespace().nth(1).is_some() && (VERBS.contains(&first) || ORDERS.contains(&first))
}

fn first_word(lower: &str) -> &str {
    let bare = lower.trim_start_matches(|c: char| !c.is_alphanumeric());
    bare.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default()
}

/// What a single item is, by its words and by what the heading above it means.
pub(super) fn classify(
    text: &str,
    meaning: Option<Meaning>,
    boxed: bool,
    item: bool,
) -> Option<(Signal, Confidence)> {
    let around = match meaning {
        Some(Meaning::Asks(signal, confidence)) => Some((signal, confidence)),
        _ => None,
    };
    let lower = text.to_lowercase();
    let out = around.is_some_and(|(signal, _)| signal == Signal::OutOfScope)
        || ["out of scope", "not included", "future work", "(v2)"]
            .iter()
            .any(|words| lower.contains(words));
    if out {
        return Some((Signal::OutOfScope, Confidence::Context));
    }
    if let Some(found) = around.filter(|(signal, _)| item && *signal == Signal::Acceptance) {
        return Some(found);
    }
    // What is in capitals as a whole is a licence, and no requirement.
    let mut words = text.split(|c: char| !c.is_ascii_alphabetic());
    if words.any(|word| matches!(word, "MUST" | "SHALL" | "SHOULD" | "MAY" | "REQUIRED"))
        && text.contains(char::is_lowercase)
    {
        return Some((Signal::Keyword, Confidence::High));
    }
    if meaning == Some(Meaning::Silent) {
        return None;
    }
    // Between marks it may be a label: "**As a library**".
    let said = lower.trim_start_matches(['*', '_', '"', '“']);
    let speaks =
        said.len() == lower.len() || [" i ", " i'", " i’"].iter().any(|me| said.contains(me));
    if speaks && (said.starts_with("as a ") || said.starts_with("as an ")) {
        return Some((Signal::Story, Confidence::High));
    }
    if item && let Some(found) = around.filter(|(_, confidence)| *confidence == Confidence::High) {
        return Some(found);
    }
    if boxed {
        return Some((Signal::Checkbox, Confidence::Medium));
    }
    if asks(&lower) {
        return Some((Signal::Keyword, Confidence::Medium));
    }
    let first = first_word(&lower);
    if item && (VERBS.contains(&first) || around.is_none() && ORDERS.contains(&first)) {
        return Some((Signal::Verb, Confidence::Medium));
    }
    around.filter(|(signal, _)| item || *signal != Signal::Feature)
}

/// Whether a sentence in small letters asks for something: "the cart must survive a restart". What the reader must do,
/// or people must do today, is not asked for.
fn asks(lower: &str) -> bool {
    let bare = lower.trim_end_matches(['.', '!', '*', '_']);
    let words: Vec<&str> = bare.split(|c: char| !c.is_alphanumeric()).collect();
    let asks = |pair: &[&str]| {
        matches!(pair, ["must" | "shall", _] | ["has" | "have" | "needs" | "need", "to"])
    };
    let modal = words.windows(2).any(asks);
    let told = ["you", "we", "today", "currently", "if"].contains(words.first().unwrap_or(&""));
    let today = words.iter().any(|word| matches!(*word, "today" | "currently" | "you"));
    modal && !told && !today && !bare.ends_with('?')
}
