//! What a heading says about that which stands below it.

use super::{Confidence, Signal, sorted};

/// What a heading means for what stands below it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    /// It says what its items are.
    Asks(Signal, Confidence),
    /// It tells: its items ask by their own words only.
    Told,
    /// It tells when: the same, but what its items are may well be asked for.
    Planned,
    /// It is about the document, or about what there is: changes, licence, how to install.
    Silent,
}

impl Meaning {
    /// Whether its items are asked for.
    pub(super) fn asks(self) -> bool {
        matches!(self, Meaning::Asks(_, confidence) if confidence > Confidence::Context)
    }
}

/// A heading in small letters, with one kind of hyphen.
fn small(heading: &str) -> String {
    heading.to_lowercase().replace(['\u{2010}', '\u{2011}'], "-")
}

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
    let lower = small(heading);
    let bare = lower.trim_start_matches(|c: char| !c.is_alphabetic()).trim_end_matches(':').trim();
    WHOLE.contains(&bare)
        || ["non-functional", "nonfunctional", "non functional", "quality attribute"]
            .iter()
            .any(|word| lower.contains(word))
}

/// Whether a heading is over what is not decided.
pub(in crate::plan) fn is_undecided(heading: &str) -> bool {
    let lower = small(heading);
    ["open question", "open point", "open issue", "unresolved"]
        .iter()
        .any(|name| lower.contains(name))
}

/// Words of headings that are about the document, or about what there is already.
const SILENT: &[&str] = &[
    "changelog",
    "license",
    "licence",
    "licensing",
    "copyright",
    "contents",
    "references",
    "glossary",
    "definitions",
    "acronyms",
    "abbreviations",
    "contributing",
    "contributors",
    "authors",
    "credits",
    "acknowledgements",
    "acknowledgments",
    "sponsors",
    "installation",
    "install",
    "installing",
    "usage",
    "quickstart",
    "faq",
    "traceability",
];

/// The same in more words than one.
const SILENT_PHRASES: &[&str] = &[
    "change log",
    "release notes",
    "revision history",
    "version history",
    "document history",
    "change history",
    "getting started",
    "quick start",
];

/// Words of headings below which people tell how things are, whatever the title of the document says.
const TOLD: &[&str] = &[
    "problem",
    "risk",
    "risks",
    "roadmap",
    "timeline",
    "schedule",
    "personas",
    "persona",
    "stakeholders",
    "audience",
    "users",
    "metrics",
    "metric",
    "kpis",
    "assumptions",
    "questions",
    "introduction",
    "summary",
    "about",
    "context",
    "stack",
    "team",
    "status",
    "milestone",
    "milestones",
    "appendix",
    "resources",
    "links",
    "related",
    "contact",
    "support",
    "community",
    "screenshots",
    "examples",
    "example",
    "bibliography",
    "sources",
    "disclaimer",
    "troubleshooting",
];

/// Those of them that tell when.
const PLANNED: &[&str] = &["roadmap", "timeline", "schedule", "milestone", "milestones"];

/// Headings that say how a thing behaves, where nothing above them says what their items are.
const RULES: &[&str] = &[
    "behaviour",
    "behaviours",
    "behavior",
    "behaviors",
    "rule",
    "rules",
    "validation",
    "validations",
    "invariants",
    "error",
    "errors",
    "handling",
    "edge",
    "cases",
    "functionality",
    "capabilities",
];

/// Words that tell how things are and from which a section has its meaning.
const ABOUT: &[&str] = &[
    "goal",
    "goals",
    "objective",
    "objectives",
    "vision",
    "motivation",
    "background",
    "overview",
    "constraint",
    "constraints",
    "compatibility",
    "platform",
    "platforms",
    "technical",
    "architecture",
    "design",
    "dependency",
    "dependencies",
    "external",
    "integration",
    "points",
];

/// Words beside the ones that carry a heading.
const LINKS: &[&str] = &[
    "and",
    "the",
    "of",
    "to",
    "for",
    "a",
    "our",
    "open",
    "key",
    "target",
    "success",
    "business",
    "executive",
    "statement",
    "mitigation",
    "mitigations",
    "table",
    "log",
    "notes",
    "document",
    "version",
    "getting",
    "quick",
    "matrix",
    "tech",
    "user",
    "this",
    "project",
    "product",
    "considerations",
    "system",
    "known",
    "high",
    "level",
    "change",
    "terms",
    "phased",
    "phase",
];

/// Whether a heading is made of some words, and of nothing but those and words beside them.
fn is_only(lower: &str, words: &[&str]) -> bool {
    let said = lower.split('(').next().unwrap_or(lower);
    let said = said.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty());
    let mut all = said.peekable();
    let mut carried = false;
    all.peek().is_some()
        && all.all(|word| {
            carried |= words.contains(&word);
            words.contains(&word) || LINKS.contains(&word)
        })
        && carried
}

/// What the interface of a thing is made of; each of its parts is one thing to make.
const PARTS: &[&str] = &[
    "api",
    "apis",
    "endpoint",
    "endpoints",
    "route",
    "routes",
    "command",
    "commands",
    "screen",
    "screens",
];

/// What a heading means below what those `above` it mean. How it sorts what is asked for tells less than what it calls
/// it: "MVP success criteria" are criteria. But "Phase 3: Platform support" is over work.
pub(super) fn meaning(heading: &str, above: Option<Meaning>) -> Option<Meaning> {
    let named = named(heading, above);
    let certain = match named {
        Some(Meaning::Asks(signal, Confidence::Context)) => {
            signal == Signal::OutOfScope || is_only(&small(heading), ABOUT)
        }
        _ => named.is_some(),
    };
    let sorted = || sorted::meaning(heading, above).or(named).or_else(|| rules(heading, above));
    if certain { named } else { sorted() }
}

/// What the title of a document means for its items: "Phase 2 of the shop" says nothing about the notes in it.
pub(super) fn of_title(title: &str) -> Option<Meaning> {
    if sorted::is_bare(title) { meaning(title, None) } else { named(title, None) }
}

/// Rules and errors are asked for, where nothing above them says otherwise.
fn rules(heading: &str, above: Option<Meaning>) -> Option<Meaning> {
    let is = above.is_none() && is_only(&small(heading), RULES);
    is.then_some(Meaning::Asks(Signal::Feature, Confidence::Medium))
}

/// What a heading calls that which stands below it; below one whose items are asked for "Goal tracking" is a feature
/// and "Goals" is none.
fn named(heading: &str, above: Option<Meaning>) -> Option<Meaning> {
    let below = above.is_some_and(Meaning::asks);
    let lower = small(heading);
    let bare = lower.trim_matches(|c: char| !c.is_alphabetic());
    if is_only(&lower, SILENT) || SILENT_PHRASES.contains(&bare) {
        return Some(Meaning::Silent);
    }
    if let Some((signal, confidence)) = asked(heading, &lower) {
        let context = confidence == Confidence::Context && signal != Signal::OutOfScope;
        let about = !below || !context || is_only(&lower, ABOUT);
        return about.then_some(Meaning::Asks(signal, confidence));
    }
    if is_only(&lower, TOLD) {
        let mut words = lower.split(|c: char| !c.is_alphabetic());
        let when = words.any(|word| PLANNED.contains(&word));
        return Some(if when { Meaning::Planned } else { Meaning::Told });
    }
    let mut words = lower.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty());
    let parts = words.clone().count() <= 4 && words.any(|word| PARTS.contains(&word));
    (parts && !below).then_some(Meaning::Asks(Signal::Feature, Confidence::Medium))
}

fn asked(heading: &str, lower: &str) -> Option<(Signal, Confidence)> {
    let says = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    Some(match () {
        () if says(&[
            "out of scope",
            "out-of-scope",
            "non-goal",
            "not included",
            "future work",
            "future consideration",
            "future enhancement",
            "future scope",
            "not in scope",
        ]) =>
        {
            (Signal::OutOfScope, Confidence::Context)
        }
        () if says(&["user stories"]) => (Signal::Story, Confidence::High),
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
        () if says(&["goal", "objective", "vision", "motivation", "background", "overview"]) => {
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
}

/// Whether each heading below this one is a thing that is asked for.
pub(super) fn is_holder(heading: &str) -> bool {
    let lower = heading.to_lowercase();
    let says = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    let mut words = lower.split(|c: char| !c.is_alphabetic());
    says(&["requirement", "feature", "user stor", "deliverable", "must have", "scope"])
        || is_quality(heading)
        || sorted::is_bare(heading)
        || words.any(|word| PARTS.contains(&word) || matches!(word, "epic" | "epics"))
}

/// Whether the title of a document is the name of a section, and not of the document: "Requirements".
pub(super) fn is_whole(title: &str) -> bool {
    const WORDS: [&str; 6] = ["requirements", "features", "user", "stories", "functional", "tasks"];
    let lower = title.to_lowercase();
    lower.split_whitespace().all(|word| WORDS.contains(&word))
}
