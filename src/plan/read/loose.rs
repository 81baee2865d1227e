//! Headings that begin like a sprint and are not written as one: "Sprint 1 Set up", "Sprint2: Lexer", "Sprint Three".
//!
//! Where no sprint is headed as it should be they are the sprints, if nothing else in the document is work as well.
//! Whichever of them is read as none and has work of its own is a fault: it would be left out, and the rest called done.

use super::super::label::{Headed, Loose, headed, loosely_headed};
use super::super::model::Weight;
use super::super::outline::Content;
use super::body::{self, Body};
use super::find::{Draft, TASK, Trail, WORDS, capital, end_of};
use super::tables::SprintRow;
use super::{MOST_SPRINTS, Reader, beside, parts};
use crate::vocab::error::Code;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// The sprints with such headings.
fn sprints(reader: &Reader<'_>) -> Vec<Draft> {
    let outline = &reader.outline;
    let (mut drafts, mut trail): (Vec<Draft>, _) = (Vec::new(), Trail::default());
    for (place, block) in outline.blocks.iter().enumerate() {
        let Content::Heading(level) = block.content else { continue };
        let (text, at) = outline.heading(block);
        let blocks = || place..end_of(reader, place, level, WORDS);
        let read = loosely_headed(text, WORDS).filter(|read| is_one(reader, read, blocks()));
        let above = trail.step(level, place, read.is_some());
        let Some(read) = read.filter(|_| drafts.len() <= MOST_SPRINTS) else { continue };
        if let Some(last) = drafts.last_mut() {
            last.blocks.end = last.blocks.end.min(place);
        }
        let start = at + (read.label.as_ptr() as usize - text.as_ptr() as usize);
        drafts.push(Draft {
            word: capital(read.word),
            label: read.label.to_owned(),
            name: read.name.to_owned(),
            blocks: blocks(),
            at: start..start + read.label.len(),
            above,
            row: None,
            told: None,
            tasks: false,
        });
    }
    once(reader, drafts)
}

/// Whether such a heading is that of a sprint. One that may be about a sprint is so if it has work of its own.
fn is_one(reader: &Reader<'_>, read: &Loose<'_>, blocks: Range<usize>) -> bool {
    let works = || has_work(reader, &section(reader, blocks.clone()), blocks.clone());
    let part = !read.parted && parts::names_part(read.name);
    !read.odd && !part && (!read.about || works())
}

/// Of those with one number below one heading only those with work are sprints: the others speak of them.
fn once(reader: &Reader<'_>, drafts: Vec<Draft>) -> Vec<Draft> {
    let key = |draft: &Draft| (draft.above.first().copied(), draft.label.to_lowercase());
    let mut many: BTreeMap<(Option<usize>, String), usize> = BTreeMap::new();
    for draft in &drafts {
        *many.entry(key(draft)).or_default() += 1;
    }
    let twice = |draft: &Draft| many.get(&key(draft)).is_some_and(|many| *many > 1);
    drafts.into_iter().filter(|draft| !twice(draft) || is_at_work(reader, draft)).collect()
}

/// Whether anything in a sprint is to be done or must hold.
fn is_at_work(reader: &Reader<'_>, draft: &Draft) -> bool {
    has_any(&section(reader, draft.blocks.clone()))
}

/// The sprints with such headings, if they say all that would be read otherwise: each row has one, and no other section
/// has work.
pub(super) fn instead(reader: &Reader<'_>, others: &[Draft]) -> Option<Vec<Draft>> {
    let mut loose = sprints(reader);
    if others.is_empty() {
        return Some(loose);
    }
    let labels: BTreeSet<String> = loose.iter().map(|one| one.label.to_lowercase()).collect();
    let is_said = |other: &Draft| match &other.row {
        Some(_) => labels.contains(&other.label.to_lowercase()),
        None => is_inside(&loose, other) || other.word != TASK && !has_own(reader, &loose, other),
    };
    let works =
        |one: &Draft| has_work(reader, &section(reader, one.blocks.clone()), one.blocks.clone());
    if !others.iter().all(is_said) || !loose.iter().any(works) {
        return None;
    }
    let rows: BTreeMap<String, &SprintRow> = others
        .iter()
        .filter_map(|one| Some((one.label.to_lowercase(), one.row.as_ref()?)))
        .collect();
    for one in &mut loose {
        one.told = rows.get(&one.label.to_lowercase()).map(|row| (*row).clone());
    }
    Some(loose)
}

/// Whether all of a section stands in one of those with such a heading.
fn is_inside(loose: &[Draft], other: &Draft) -> bool {
    let next = loose.partition_point(|one| one.blocks.start <= other.blocks.start);
    let before = next.checked_sub(1).and_then(|before| loose.get(before));
    before.is_some_and(|one| one.blocks.end >= other.blocks.end)
}

/// Whether a section has something to do before the first such heading in it.
fn has_own(reader: &Reader<'_>, loose: &[Draft], other: &Draft) -> bool {
    let next = loose.partition_point(|one| one.blocks.start <= other.blocks.start);
    let end = loose.get(next).map_or(other.blocks.end, |one| one.blocks.start);
    has_any(&section(reader, other.blocks.start..end.min(other.blocks.end)))
}

fn has_any(body: &Body) -> bool {
    !body.tasks.is_empty() || !body.exit.is_empty()
}

fn section(reader: &Reader<'_>, blocks: Range<usize>) -> Body {
    body::read(reader, &mut Draft::section(blocks))
}

/// Whether a section has criteria, or tasks that are named as such or have boxes.
fn has_work(reader: &Reader<'_>, body: &Body, blocks: Range<usize>) -> bool {
    let boxed = || beside::has_open_box(reader, blocks);
    !body.exit.is_empty() || !body.tasks.is_empty() && (body.named || boxed())
}

/// Names the headings that begin like a sprint, and are none of `drafts`.
pub(super) fn unread(reader: &mut Reader<'_>, drafts: &[Draft]) {
    let outline = &reader.outline;
    let headed_so = drafts.iter().any(|draft| is_headed(reader, draft));
    let mut found = Vec::new();
    for (place, block) in outline.blocks.iter().enumerate() {
        let Content::Heading(level) = block.content else { continue };
        let (text, at) = outline.heading(block);
        let next = drafts.partition_point(|draft| draft.blocks.start <= place);
        let before = next.checked_sub(1).and_then(|before| drafts.get(before));
        if !matches!(headed(text, WORDS), Headed::Odd)
            || before.is_some_and(|draft| draft.blocks.start == place)
        {
            continue;
        }
        let behind = drafts.get(next).map_or(usize::MAX, |draft| draft.blocks.start);
        let end = end_of(reader, place, level, WORDS).min(behind);
        let inside = before.filter(|draft| draft.blocks.end > place);
        let own = inside.is_some_and(|draft| is_of(text, draft));
        let beside = !drafts.is_empty() && (headed_so || looks_like_one(text));
        found.push((at..at + text.len(), place..end, [beside, headed_so && !own]));
    }
    for (range, blocks, looks) in found {
        overlooked(reader, range, blocks, looks);
    }
}

/// Whether such a heading has the number of a sprint.
fn is_of(text: &str, draft: &Draft) -> bool {
    loosely_headed(text, WORDS).is_some_and(|read| read.label.eq_ignore_ascii_case(&draft.label))
}

/// Whether the heading of a sprint begins with a word for one.
fn is_headed(reader: &Reader<'_>, draft: &Draft) -> bool {
    let block = reader.outline.blocks.get(draft.blocks.start);
    block.is_some_and(|block| {
        matches!(block.content, Content::Heading(_))
            && !matches!(headed(reader.outline.heading(block).0, WORDS), Headed::Other)
    })
}

/// Whether such a heading has a number, or a name behind a mark.
fn looks_like_one(words: &str) -> bool {
    let mark = |words: &str| {
        let behind = words.trim_start_matches(|c: char| !c.is_alphabetic());
        behind.trim_start_matches(char::is_alphabetic).trim_start().starts_with([':', '—', '–'])
    };
    loosely_headed(words, WORDS).is_some() || mark(words)
}

/// A heading that begins like a sprint and is read as none. With work of its own beside sprints it is a fault. `beside`
/// says whether there are some, and whether these are headed so that a bare list below a number is work as well.
pub(super) fn overlooked(
    reader: &mut Reader<'_>,
    range: Range<usize>,
    blocks: Range<usize>,
    [beside, headed]: [bool; 2],
) {
    let body = section(reader, blocks.clone());
    let words = reader.outline.source(&range).to_owned();
    // Unless it may speak of another sprint.
    let read = loosely_headed(&words, WORDS);
    let part = |name: &str| parts::is_exit(name) || parts::is_tasks(name);
    let listed = read.is_some_and(|read| headed && !read.about || part(read.name));
    if beside && (has_work(reader, &body, blocks) || listed && !body.tasks.is_empty()) {
        let expected = "an id for a sprint with criteria or tasks, as in `Sprint 3: name`";
        let got = format!("`{words}`, which has none");
        return reader.remark(Weight::Fault, Code::MissingField, range, expected, &got);
    }
    let expected = "`Sprint N: name`, or words that do not begin like a sprint";
    let got = format!("`{words}`, not read as a sprint");
    reader.remark(Weight::Warning, Code::Overlooked, range, expected, &got);
}
