//! What makes a requirement of an item or a sentence: the heading above it, and its own words.

use super::{Confidence, Signal};

/// Whether a heading is over qualities of the whole, and not over features.
pub(in crate::plan) fn is_quality(heading: &str) -> bool {
    const WHOLE: [&str; 9] = [
        "performance",
        "reliability",
        "scalability",
        "availability",
        "usability",
        "accessibility",
        "maintainability",
        "portability",
        "security",
    ];
    let lower = heading.to_lowercase();
    let bare = lower.trim_start_matches(|c: char| !c.is_alphabetic()).trim_end_matches(':').trim();
    WHOLE.contains(&bare)
        || ["non-functional", "nonfunctional", "non functional", "quality attribute"]
            .iter()
            .any(|word| lower.contains(word))
}

/// The section that decides, the innermost with a meaning.
pub(super) fn section(trail: &[(u8, String)]) -> Option<(Signal, Confidence)> {
    trail.iter().rev().find_map(|(_, heading)| {
        let lower = heading.to_lowercase();
        let says = |words: &[&str]| words.iter().any(|word| lower.contains(word));
        Some(match () {
            () if says(&[
                "out of scope",
                "out-of-scope",
                "non-goal",
                "not included",
                "future work",
                "not in scope",
            ]) =>
            {
                (Signal::OutOfScope, Confidence::Context)
            }
            () if says(&["acceptance", "success criteria", "definition of done", "done when"]) => {
                (Signal::Acceptance, Confidence::High)
            }
            () if says(&["requirement", "must have"]) || is_quality(heading) => {
                (Signal::Section, Confidence::High)
            }
            () if says(&["user stor"]) => (Signal::Story, Confidence::High),
            () if says(&["feature", "deliverable", "scope", "task", "to do", "todo"]) => {
                (Signal::Feature, Confidence::Medium)
            }
            () if says(&[
                "goal",
                "objective",
                "vision",
                "motivation",
                "background",
                "overview",
            ]) =>
            {
                (Signal::Goal, Confidence::Context)
            }
            () if says(&["constraint", "compatib", "platform", "technical"]) => {
                (Signal::Constraint, Confidence::Context)
            }
            () if says(&["architecture", "design"]) => (Signal::Architecture, Confidence::Context),
            () if says(&["dependenc", "external", "integration point"]) => {
                (Signal::External, Confidence::Context)
            }
            () => return None,
        })
    })
}

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

/// What a single item is, by its words and by its section.
pub(super) fn classify(
    text: &str,
    trail: &[(u8, String)],
    boxed: bool,
    item: bool,
) -> Option<(Signal, Confidence)> {
    let around = section(trail);
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
    let mut words = text.split(|c: char| !c.is_ascii_alphabetic());
    if words.any(|word| matches!(word, "MUST" | "SHALL" | "SHOULD" | "MAY" | "REQUIRED")) {
        return Some((Signal::Keyword, Confidence::High));
    }
    if lower.starts_with("as a ") || lower.starts_with("as an ") {
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
    let first = lower
        .trim_start_matches(|c: char| !c.is_alphanumeric())
        .split(|c: char| !c.is_alphanumeric())
        .next()
        .unwrap_or_default();
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
