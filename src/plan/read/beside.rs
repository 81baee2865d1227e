//! Work that stands beside the sprints of a document: headings that are none, with tasks or criteria below them.
//!
//! Sprints are found by what their headings begin with. "Final sprint: x", "2nd Sprint", "Phase: release" or "Step 2"
//! beside `Sprint 1` is none of them; were its work left out, a mission would end done without it. So its author is told.

use super::super::document::{is_struck, unboxed, unmarked};
use super::super::label::{Headed, headed};
use super::super::mention::same_label;
use super::super::model::Weight;
use super::super::outline::{Block, Content, plain, plain_small};
use super::super::phrases::Phrases;
use super::find::{Draft, PHASES, TASK, WORDS};
use super::kin::Kin;
use super::{Reader, alike, body, extras, groups, parts};
use crate::vocab::error::{Code, clip};
use std::collections::BTreeSet;
use std::ops::Range;

/// How sure it is that a section holds work of the plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Work {
    /// Tasks or criteria that a sprint would have.
    Plain,
    /// Something that may be work as well.
    Maybe,
    None,
}

/// What the heading of a section says of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Looks {
    /// "Final sprint", "2nd Sortie".
    Sprint,
    /// "Phase: release", "Step 2".
    Phase,
    /// Over sprints, whatever it says.
    Over,
    /// At the level of a sprint and below the same heading.
    Beside,
    Other,
}

/// Names the sections with work of their own outside of all sprints.
pub(super) fn name(reader: &mut Reader<'_>, drafts: &[Draft]) {
    if drafts.is_empty() {
        return;
    }
    // What stands in a table may be described in a section of its own.
    let described = drafts.iter().any(|draft| draft.row.is_some() || draft.word == TASK);
    let faults = reader.remarks.iter().filter(|one| one.weight == Weight::Fault);
    let faulty: BTreeSet<u32> = faults.map(|one| one.line).collect();
    let mut found = Vec::new();
    let places = siblings(reader, drafts);
    let by_boxes = are_by_boxes(reader, drafts);
    let kin = Kin::of(reader, drafts);
    let mut open: Vec<(u8, &str, usize)> = Vec::new();
    for (place, block) in reader.outline.blocks.iter().enumerate() {
        if let Content::Paragraph = block.content {
            let off =
                || open.iter().any(|(_, above, _)| is_sample(above) || groups::is_aside(above));
            let bold = bold_sprint(reader, &block.range, drafts).filter(|_| !off());
            let weight = if is_inside(drafts, place) { Weight::Fault } else { Weight::Warning };
            found.extend(bold.map(|range| (weight, range)));
        }
        let Content::Heading(level) = block.content else { continue };
        let (words, at) = reader.outline.heading(block);
        open.retain(|(higher, ..)| *higher < level);
        let above = open.last().map(|(_, above, _)| *above);
        let beside = (level, open.last().map(|(.., at)| *at));
        open.push((level, words, place));
        let known = || faulty.contains(&reader.outline.line(at));
        // The cheapest look first: most headings are of sprints.
        if is_inside(drafts, place) || known() || above.is_some_and(is_sample) {
            continue;
        }
        let range = at..at + words.len();
        if by_boxes && places.contains(&beside) && is_listed(reader, place, words) {
            let weight = if alike::begins_about(words) { Weight::Warning } else { Weight::Fault };
            found.push((weight, range));
            continue;
        }
        // What stands right below a heading over sprints is of none of them.
        let over = is_over(reader, drafts, place, level);
        if !over && kin.is_left_out(reader, place, level) {
            found.push((Weight::Fault, range));
            continue;
        }
        if is_told(words) {
            continue;
        }
        let looks = match looks(words) {
            _ if over => Looks::Over,
            Looks::Other if places.contains(&beside) && !alike::is_about(words) => Looks::Beside,
            looks => looks,
        };
        match work(reader, place, looks) {
            Work::Plain if !described && !over => found.push((Weight::Fault, range)),
            Work::Plain | Work::Maybe => found.push((Weight::Warning, range)),
            Work::None => {}
        }
    }
    found.extend(unheaded(reader).map(|range| (Weight::Warning, range)));
    for (weight, range) in found {
        let words = clip(reader.outline.source(&range), 80);
        let bold = words.starts_with("**") || words.starts_with("__");
        let (code, expected, got) = match weight {
            Weight::Fault | Weight::Warning if bold => (
                Code::MissingField,
                "a heading for each sprint, as in `### Sprint 3: name`",
                format!("`{words}`, which is no heading: its work is taken for another's"),
            ),
            Weight::Fault => (
                Code::MissingField,
                "an id for what has criteria or tasks, as in `Sprint 3: name`",
                format!("`{words}`, whose work would be left out"),
            ),
            Weight::Warning | Weight::Note => (
                Code::Overlooked,
                "work and criteria below the heading of a sprint",
                format!("`{words}`, whose work or criteria are of none"),
            ),
        };
        reader.remark(weight, code, range, expected, &got);
    }
}

/// Whether no heading names a sprint: those that are read are so by their boxes.
fn are_by_boxes(reader: &Reader<'_>, drafts: &[Draft]) -> bool {
    let heading = |draft: &Draft| match reader.outline.blocks.get(draft.blocks.start) {
        Some(block) if matches!(block.content, Content::Heading(_)) => {
            matches!(headed(reader.outline.heading(block).0, WORDS), Headed::Other)
        }
        _ => false,
    };
    drafts.iter().all(|draft| draft.word == "Sprint" && draft.row.is_none() && heading(draft))
}

/// Beside sprints that are so by their boxes, a list under a heading of which nobody can say that it tells about the
/// plan may be work as well: "Backend" beside "Frontend".
fn is_listed(reader: &Reader<'_>, place: usize, words: &str) -> bool {
    if alike::is_about(words) {
        return false;
    }
    let blocks = reader.outline.blocks.get(place + 1..).unwrap_or_default();
    let own =
        blocks.iter().take_while(|block| !matches!(block.content, Content::Heading(_))).count();
    !body::read(reader, &mut Draft::section(place..place + 1 + own)).tasks.is_empty()
}

/// Whether a block stands in a sprint. Drafts stand in the order of the document.
fn is_inside(drafts: &[Draft], place: usize) -> bool {
    let next = drafts.partition_point(|draft| draft.blocks.start <= place);
    let before = next.checked_sub(1).and_then(|before| drafts.get(before));
    before.is_some_and(|draft| draft.blocks.end > place)
}

/// The levels of sprints and the headings they stand below.
fn siblings(reader: &Reader<'_>, drafts: &[Draft]) -> BTreeSet<(u8, Option<usize>)> {
    let place = |draft: &Draft| match reader.outline.blocks.get(draft.blocks.start)?.content {
        Content::Heading(level) => Some((level, draft.above.first().copied())),
        _ => None,
    };
    drafts.iter().filter_map(place).collect()
}

/// Whether a heading stands over a sprint.
fn is_over(reader: &Reader<'_>, drafts: &[Draft], place: usize, level: u8) -> bool {
    let next = drafts.partition_point(|draft| draft.blocks.start <= place);
    let Some(next) = drafts.get(next) else { return false };
    let between = reader.outline.blocks.get(place + 1..=next.blocks.start).unwrap_or_default();
    !between.iter().any(|block| matches!(block.content, Content::Heading(next) if next <= level))
}

/// The first open box before any heading.
fn unheaded(reader: &Reader<'_>) -> Option<Range<usize>> {
    let blocks = &reader.outline.blocks;
    let heading = |block: &Block| matches!(block.content, Content::Heading(_));
    let end = blocks.iter().position(heading).unwrap_or(blocks.len());
    let place = (0..end).find(|place| has_open_box(reader, *place..*place + 1))?;
    let start = blocks.get(place)?.range.start;
    let line = reader.outline.text.get(start..)?.lines().next()?.trim_end();
    Some(start..start + line.len())
}

/// A bold line `**Sprint 3: name**` that names no sprint of the plan: the sprint before it would take its work.
fn bold_sprint(
    reader: &Reader<'_>,
    range: &Range<usize>,
    drafts: &[Draft],
) -> Option<Range<usize>> {
    let line = reader.outline.source(range).lines().next()?.trim_end();
    if !line.starts_with("**") && !line.starts_with("__") {
        return None;
    }
    let words = plain(line);
    let Headed::Sprint { label, .. } = headed(&words, WORDS) else { return None };
    let known = drafts.iter().any(|draft| same_label(&draft.label, label));
    (!known).then(|| range.start..range.start + line.len())
}

/// Whether a heading says itself that its section is read, or none of the plan's work. Criteria of the whole plan are
/// of no sprint.
fn is_told(words: &str) -> bool {
    let begins = !matches!(headed(words, WORDS), Headed::Other);
    let part = parts::names_part(words) && !parts::is_exit(words) && !parts::is_tasks(words);
    begins || part || extras::is_rules(words) || groups::is_aside(words) || is_sample(words)
}

/// Words in the headings of such sections.
static SAMPLES: Phrases = Phrases::new(&[
    "template",
    "example",
    "format",
    "archive",
    "changelog",
    "history",
    "resolved",
    "decision",
]);

/// Whether a section shows how something is written, or what was, or what is put off.
pub(super) fn is_sample(words: &str) -> bool {
    let lower = plain_small(words);
    let off = ["deferred", "skipped", "removed", "canceled", "cancelled", "dropped", "optional"];
    let first = lower.split(|c: char| !c.is_alphanumeric()).find(|word| !word.is_empty());
    extras::is_template(words)
        || first.is_some_and(|first| off.contains(&first))
        || SAMPLES.within(&lower)
}

/// What a heading looks like, by the words before its first mark.
fn looks(heading: &str) -> Looks {
    let plain = plain_small(heading);
    let head = plain.split([':', '—', '–', '(', '.']).next().unwrap_or_default();
    let head = match head.split(" - ").next().unwrap_or_default().trim() {
        // "3. Sprint Three": the number is of the heading.
        number if number.bytes().all(|byte| byte.is_ascii_digit()) => behind_number(&plain),
        head => head,
    };
    let words = head.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let words: Vec<&str> = words.collect();
    let is = |all: &[&str], word: Option<&&str>| word.is_some_and(|word| all.contains(word));
    let last = |all: &[&str]| words.len() <= 3 && is(all, words.last());
    if last(WORDS) || is_numbered(&words) {
        return Looks::Sprint;
    }
    let begins = is(PHASES, words.first()) && !matches!(headed(&plain, PHASES), Headed::About);
    if begins || last(PHASES) { Looks::Phase } else { Looks::Other }
}

/// What stands behind the number of a heading, up to its first mark.
fn behind_number(plain: &str) -> &str {
    let rest = plain.trim_start_matches(|c: char| !c.is_alphabetic());
    rest.split([':', '—', '–', '(', '.']).next().unwrap_or_default()
}

/// "Sprints 2-3", "Sprint Three", "Third Sprint": nothing but a word for a sprint, and numbers.
fn is_numbered(words: &[&str]) -> bool {
    const NUMBERS: [&str; 30] = [
        "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
        "twelve", "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth",
        "ninth", "tenth", "final", "last", "the", "and", "to", "through", "no", "number",
    ];
    let is_word = |word: &str| WORDS.contains(&word.strip_suffix('s').unwrap_or(word));
    let number = |word: &str| {
        word.starts_with(|c: char| c.is_ascii_digit()) && word.len() <= 4 || NUMBERS.contains(&word)
    };
    let sprints = words.iter().filter(|word| is_word(word)).count();
    sprints == 1 && words.len() > 1 && words.iter().all(|word| is_word(word) || number(word))
}

/// What stands below a heading, up to the next one that is no part of it.
fn work(reader: &Reader<'_>, place: usize, looks: Looks) -> Work {
    let outline = &reader.outline;
    let ends = |at: &usize| match outline.blocks[*at].content {
        Content::Heading(_) if looks == Looks::Over => true,
        Content::Heading(_) => !parts::names_part(outline.heading(&outline.blocks[*at]).0),
        _ => false,
    };
    let end = (place + 1..outline.blocks.len()).find(ends).unwrap_or(outline.blocks.len());
    let rank = |at: usize| match outline.blocks.get(at).map(|block| &block.content) {
        Some(Content::Heading(level)) => Some(*level),
        _ => None,
    };
    // Prose alone, and behind it a part that may be of the whole plan.
    let next = (place + 1..end).find(|at| rank(*at).is_some()).unwrap_or(end);
    let prose = outline.blocks[place + 1..next]
        .iter()
        .all(|block| matches!(block.content, Content::Paragraph | Content::Rule));
    let parted = next < end && rank(next) == rank(place) && prose;
    let mut draft = Draft::section(place..end);
    let body = body::read(reader, &mut draft);
    let open = body.exit.iter().any(|one| !one.ticked);
    let tasks = body.named && body.tasks.iter().any(|one| !one.ticked);
    let listed = body.tasks.iter().any(|task| !speaks_of_sprints(&task.text));
    let boxed = listed && has_open_box(reader, place + 1..end);
    // Below "Acceptance criteria" every item is one.
    let heading = outline.blocks.get(place).map(|block| outline.heading(block).0);
    let criteria = heading.is_some_and(parts::is_exit)
        && body.tasks.iter().any(|task| !task.ticked && !speaks_of_sprints(&task.text));
    let open = open || criteria;
    match looks {
        Looks::Sprint if open || listed => Work::Plain,
        Looks::Phase if open || tasks || boxed => Work::Plain,
        Looks::Other | Looks::Beside if parted && open && !tasks => Work::Maybe,
        Looks::Other | Looks::Beside if tasks && open => Work::Plain,
        // Criteria of its own, as only a sprint has them.
        Looks::Beside if body.exit.iter().any(|one| !one.ticked) => Work::Plain,
        Looks::Phase if listed => Work::Maybe,
        Looks::Over | Looks::Beside | Looks::Other if open || tasks || boxed => Work::Maybe,
        Looks::Sprint | Looks::Phase | Looks::Over | Looks::Beside | Looks::Other => Work::None,
    }
}

/// Whether an item is about a sprint that stands elsewhere.
pub(super) fn speaks_of_sprints(text: &str) -> bool {
    let words = text.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase);
    words
        .map(|word| word.trim_end_matches('s').to_owned())
        .any(|word| WORDS.contains(&word.as_str()))
}

pub(super) fn has_open_box(reader: &Reader<'_>, places: Range<usize>) -> bool {
    let blocks = reader.outline.blocks.get(places).unwrap_or_default().iter();
    let items = blocks.filter_map(|block| match &block.content {
        Content::List(items) => Some(items),
        _ => None,
    });
    let is_open = |item: &Range<usize>| {
        let (text, ticked) = unboxed(unmarked(reader.outline.source(item)));
        ticked == Some(false) && !is_struck(text)
    };
    items.flatten().any(is_open)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_look_like_sprints_or_phases() {
        for (heading, expected) in [
            ("Final sprint: polish", Looks::Sprint),
            ("2nd Sprint", Looks::Sprint),
            ("Sprints 2-3: Polish", Looks::Sprint),
            ("3. Sprint Three", Looks::Sprint),
            ("Sprint Three", Looks::Sprint),
            ("Sprints 2 and 3", Looks::Sprint),
            ("Sprints", Looks::Other),
            ("All sprints", Looks::Other),
            ("The last sortie — x", Looks::Sprint),
            ("Phase: release", Looks::Phase),
            ("Phase release", Looks::Phase),
            ("Step 2", Looks::Phase),
            ("Final phase", Looks::Phase),
            ("Phase Overview", Looks::Other),
            ("Next Steps", Looks::Other),
            ("What comes after the last sprint", Looks::Other),
            ("Release", Looks::Other),
        ] {
            assert_eq!(looks(heading), expected, "{heading}");
        }
    }
}
