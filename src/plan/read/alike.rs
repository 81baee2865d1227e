//! Sections that are sprints by their check boxes, and those beside them that are headed alike: "1. Parser" has a bare
//! list, "2. Loader" boxes, and both are work. Were only the second a sprint, a mission would end done without the first.

use super::super::document::{unboxed, unmarked, unwrapped};
use super::super::label::{is_label, split_label};
use super::super::outline::{Content, plain_small};
use super::super::wordlist::WordList;
use super::find::{Draft, Trail};
use super::{Reader, beside, body, extras, groups, parts};
use std::collections::BTreeMap;

/// A section that may be a sprint.
#[derive(Debug)]
pub(super) struct Section {
    /// The block of its heading.
    pub(super) place: usize,
    /// The block behind it.
    pub(super) end: usize,
    /// The headings it stands under, the nearest first.
    pub(super) above: Vec<usize>,
    level: u8,
    boxed: bool,
}

/// What the headings of one form at one level are.
#[derive(Default)]
struct Group {
    /// One of them is a sprint by its boxes.
    boxed: bool,
    /// One of them says that it is no work: "1. Overview".
    mixed: bool,
}

/// Whole headings of sections that tell about the plan, beside those of asides. A part of the work may begin with any
/// of them: "Status page", "Technical debt cleanup".
static ABOUT: WordList = WordList::new(&[
    "introduction",
    "intro",
    "overview",
    "summary",
    "executive summary",
    "abstract",
    "description",
    "purpose",
    "vision",
    "scope",
    "in scope",
    "goal",
    "goals",
    "goals and non-goals",
    "objective",
    "objectives",
    "motivation",
    "problem",
    "problem statement",
    "constraint",
    "constraints",
    "requirements",
    "functional requirements",
    "non-functional requirements",
    "user stories",
    "personas",
    "timeline",
    "schedule",
    "roadmap",
    "milestones",
    "glossary",
    "terminology",
    "definitions",
    "appendix",
    "decision",
    "decisions",
    "decision log",
    "decision record",
    "decisions made",
    "design decisions",
    "changelog",
    "change log",
    "history",
    "version history",
    "revision history",
    "dependencies",
    "dependency graph",
    "execution order",
    "stakeholders",
    "conclusion",
    "table of contents",
    "contents",
    "architecture",
    "architecture overview",
    "system architecture",
    "system design",
    "system overview",
    "design",
    "approach",
    "technical approach",
    "technical context",
    "technical constraints",
    "technical considerations",
    "technical decisions",
    "technical design",
    "technical notes",
    "technical overview",
    "technical requirements",
    "technical stack",
    "tech stack",
    "technology",
    "technologies",
    "technology stack",
    "current",
    "current behavior",
    "current behaviour",
    "current situation",
    "current state",
    "current status",
    "test strategy",
    "testing strategy",
    "strategy",
    "principles",
    "design principles",
    "team",
    "roles",
    "responsibilities",
    "budget",
    "metrics",
    "success metrics",
    "kpis",
    "next steps",
    "status",
    "key decisions",
    "key files",
    "key concepts",
    "key points",
    "key risks",
    "key insights",
    "project structure",
    "file structure",
    "directory structure",
    "folder structure",
    "security considerations",
    "performance considerations",
    "considerations",
    "trade-offs",
    "tradeoffs",
    "alternatives",
    "alternatives considered",
    "mitigation",
    "mitigations",
    "legend",
    "questions",
    "implementation notes",
    "usage",
    "hints",
    "tips",
    "resources",
    "links",
    "template",
    "templates",
    "format",
    "archive",
]);

/// The sections that are sprints, where no heading names any.
pub(super) fn sections(reader: &Reader<'_>) -> Vec<Section> {
    let all = candidates(reader);
    let mut groups: BTreeMap<(u8, String), Group> = BTreeMap::new();
    for one in &all {
        let (Some(form), name) = form(words(reader, one.place)) else { continue };
        let group = groups.entry((one.level, form)).or_default();
        let about = is_about(name);
        group.boxed |= one.boxed && !about;
        group.mixed |= about;
    }
    let boxed = all.iter().any(|one| one.boxed);
    let is_sprint = |one: &Section| match boxed {
        true => one.boxed || is_alike(reader, one, &groups),
        false => is_ended(reader, one),
    };
    all.into_iter().filter(is_sprint).collect()
}

/// Whether a numbered section says itself when it is done: "M1: Parser" over `**Done when**: …`. Asked where no section
/// has boxes.
fn is_ended(reader: &Reader<'_>, one: &Section) -> bool {
    const FORMS: [&str; 18] = [
        "wave",
        "story",
        "ticket",
        "module",
        "pr",
        "wp",
        "",
        "M",
        "S",
        "T",
        "W",
        "epic",
        "iteration",
        "increment",
        "week",
        "day",
        "part",
        "slice",
    ];
    let (Some(form), name) = form(words(reader, one.place)) else { return false };
    if !FORMS.contains(&form.as_str())
        || is_about(name)
        || one.above.iter().any(|at| is_off(reader, *at))
    {
        return false;
    }
    !body::read(reader, &mut Draft::section(one.place..one.end)).exit.is_empty()
}

fn is_off(reader: &Reader<'_>, place: usize) -> bool {
    let above = words(reader, place);
    beside::is_sample(above) || groups::is_aside(above)
}

fn words<'a>(reader: &Reader<'a>, place: usize) -> &'a str {
    reader.outline.blocks.get(place).map_or("", |block| reader.outline.heading(block).0)
}

/// Every section, with what stands below its own heading and below deeper ones that name its parts.
fn candidates(reader: &Reader<'_>) -> Vec<Section> {
    let outline = &reader.outline;
    let (mut all, mut trail) = (Vec::new(), Trail::default());
    for (place, block) in outline.blocks.iter().enumerate() {
        let Content::Heading(level) = block.content else { continue };
        let above = trail.step(level, place, false);
        if parts::is_part(words(reader, place)) {
            continue;
        }
        let behind = outline.blocks.get(place + 1..).unwrap_or_default();
        let near = behind.iter().take_while(|block| !matches!(block.content, Content::Heading(_)));
        let boxed = near.clone().any(|block| match &block.content {
            Content::List(items) => {
                items.iter().all(|item| unboxed(unmarked(outline.source(item))).1.is_some())
            }
            _ => false,
        });
        let goes_on = |at: &usize| match outline.blocks[*at].content {
            Content::Heading(next) => next > level && parts::is_part(words(reader, *at)),
            _ => true,
        };
        let end = (place + 1..outline.blocks.len()).find(|at| !goes_on(at));
        let end = end.unwrap_or(outline.blocks.len());
        all.push(Section { place, end, above, level, boxed });
    }
    all
}

/// Whether a section without boxes is a sprint, since one that is headed alike is.
fn is_alike(reader: &Reader<'_>, one: &Section, groups: &BTreeMap<(u8, String), Group>) -> bool {
    let (Some(form), name) = form(words(reader, one.place)) else { return false };
    let Some(group) = groups.get(&(one.level, form)).filter(|group| group.boxed) else {
        return false;
    };
    if one.above.iter().any(|at| is_off(reader, *at)) || parts::names_part(name) {
        return false;
    }
    let body = body::read(reader, &mut Draft::section(one.place..one.end));
    let named = !body.exit.is_empty() || body.named && !body.tasks.is_empty();
    named || !body.tasks.is_empty() && !group.mixed && !is_about(name)
}

/// Whether a heading says that what is below it is no work of the plan: by all of its words, "Risks & mitigations".
pub(super) fn is_about(heading: &str) -> bool {
    let name = form(heading).1;
    let small = groups::small(name.split('(').next().unwrap_or_default());
    let tells = |words: &str| {
        let words = words.strip_prefix("the ").unwrap_or(words).trim();
        let asks = ["why ", "what ", "how "].iter().any(|word| words.starts_with(word));
        asks || ABOUT.has(words) || groups::is_aside_word(words)
    };
    let halves = || {
        let joined = small.replace(" and ", ",").replace(['&', '/', '+'], ",");
        joined.split(',').all(|half| tells(half.trim()))
    };
    parts::names_part(name) || extras::is_rules(name) || tells(&small) || halves()
}

/// Whether its first words are those of such a heading.
pub(super) fn begins_about(heading: &str) -> bool {
    let name = form(heading).1;
    let begins = groups::begins_with(&ABOUT, &groups::small(name));
    begins || groups::is_aside(name) || beside::is_sample(name)
}

/// The kind of a numbered heading, and the words behind the number: nothing of "1. Parser", `M` of "M1 – Parser",
/// `epic` of "Epic 1: Parser".
pub(super) fn form(heading: &str) -> (Option<String>, &str) {
    let bare = bare(heading);
    let (label, rest) = numbered(bare);
    if let Some(label) = label {
        let letters = label.chars().filter(char::is_ascii_alphabetic).collect();
        return (Some(letters), rest);
    }
    let end = bare.find(|c: char| !c.is_alphabetic()).unwrap_or(bare.len());
    let (word, rest) = bare.split_at(end);
    match numbered(rest.trim_start_matches([' ', '#'])) {
        (Some(_), rest) if !word.is_empty() => (Some(plain_small(word)), rest),
        _ => (None, bare),
    }
}

/// The words of a heading without marks and signs before them.
pub(super) fn bare(heading: &str) -> &str {
    unwrapped(heading).0.trim_start_matches(|c: char| !c.is_alphanumeric())
}

/// The number that a heading begins with, and what is behind it.
pub(super) fn numbered(bare: &str) -> (Option<&str>, &str) {
    let (label, rest) = split_label(bare);
    let marks = ['.', ')', ':', ' ', '—', '–'];
    match is_label(label) && (rest.is_empty() || rest.starts_with(marks)) {
        true => (Some(label), rest.trim_start_matches(['.', ')', ':', '—', '–', '-', ' '])),
        false => (None, bare),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_have_the_form_of_their_number() {
        for (heading, expected, name) in [
            ("1. Parser", Some(""), "Parser"),
            ("M1 – Parser (week 1)", Some("M"), "Parser (week 1)"),
            ("E2: Loader", Some("E"), "Loader"),
            ("Epic 2: Loader", Some("epic"), "Loader"),
            ("Loader", None, "Loader"),
        ] {
            let read = form(heading);
            assert_eq!((read.0.as_deref(), read.1), (expected, name), "{heading}");
        }
        for about in [
            "Overview",
            "1. Overview",
            "Risks",
            "Risks & mitigations",
            "Success criteria",
            "Why now",
        ] {
            assert!(is_about(about), "{about}");
        }
        for work in [
            "Parser",
            "1. Setup",
            "Status page",
            "Technical debt cleanup",
            "Decision engine",
            "Roles and permissions",
        ] {
            assert!(!is_about(work), "{work}");
        }
    }
}
