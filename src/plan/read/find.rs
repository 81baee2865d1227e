//! Finds the sprints of a document: by their headings, else by a table, else by "Task N.M", else by
//! phases, else by groups of check boxes under a heading.

use super::super::document::unwrapped;
use super::super::label::{Headed, headed, is_range, slug, split_label};
use super::super::model::Weight;
use super::super::outline::{Content, plain};
use super::alike::{self, Section};
use super::{MOST_SPRINTS, Reader, loose, tabled, tables};
use crate::vocab::error::Code;
use std::ops::Range;

/// Words for a sprint.
pub(super) const WORDS: &[&str] = &["sprint", "sortie"];
/// Words for a sprint where no heading has one of [`WORDS`].
pub(super) const PHASES: &[&str] = &["phase", "milestone", "stage", "step"];

/// A sprint that was found and not yet read.
#[derive(Clone, Debug)]
pub(super) struct Draft {
    pub(super) word: String,
    pub(super) label: String,
    pub(super) name: String,
    /// Its blocks; the first is its heading.
    pub(super) blocks: Range<usize>,
    /// The bytes of its label, or what stands for it.
    pub(super) at: Range<usize>,
    /// The headings it stands under, the nearest first; places of blocks.
    pub(super) above: Vec<usize>,
    /// It is a row of a table, with what its cells say.
    pub(super) row: Option<tables::SprintRow>,
    /// The row of a table that says more of it than its section.
    pub(super) told: Option<tables::SprintRow>,
    /// It is made of headings "Task N.M" below a common heading.
    pub(super) tasks: bool,
}

/// The word of sprints that are made of headings of tasks.
pub(super) const TASK: &str = "Task";

impl Draft {
    /// A section that is no sprint, to look at what is in it.
    pub(super) fn section(blocks: Range<usize>) -> Draft {
        Draft {
            word: String::new(),
            label: String::new(),
            name: String::new(),
            blocks,
            at: 0..0,
            above: Vec::new(),
            row: None,
            told: None,
            tasks: false,
        }
    }
}

pub(super) fn is_sprint(words: &str) -> bool {
    matches!(headed(words, WORDS), Headed::Sprint { .. })
}

/// All sprints, in the order of the document.
pub(super) fn sprints(reader: &mut Reader<'_>) -> Vec<Draft> {
    let mut drafts = by_headings(reader, WORDS);
    if drafts.is_empty() {
        drafts = otherwise(reader);
    }
    if drafts.is_empty() {
        drafts = by_boxes(reader);
    }
    loose::unread(reader, &drafts);
    if drafts.len() > MOST_SPRINTS {
        let at = drafts[MOST_SPRINTS].at.clone();
        let expected = format!("at most {MOST_SPRINTS} sprints");
        let got = format!("{} sprints", drafts.len());
        reader.remark(Weight::Fault, Code::TooLarge, at, &expected, &got);
        drafts.truncate(MOST_SPRINTS);
    }
    drafts
}

/// Where no sprint is headed as one should be: by a table, "Task N.M" or phases, unless headings without a mark behind
/// their number say all of it.
fn otherwise(reader: &mut Reader<'_>) -> Vec<Draft> {
    let told = reader.remarks.len();
    let mut drafts = tabled::sprints(reader);
    if drafts.is_empty() {
        drafts = by_tasks(reader);
    }
    if drafts.is_empty() {
        drafts = by_headings(reader, PHASES);
    }
    let Some(loose) = loose::instead(reader, &drafts) else { return drafts };
    reader.remarks.truncate(told);
    loose
}

fn by_headings(reader: &mut Reader<'_>, words: &[&str]) -> Vec<Draft> {
    let mut drafts: Vec<Draft> = Vec::new();
    let (mut odd, mut ranges) = (Vec::new(), Vec::new());
    let mut trail = Trail::default();
    let outline = &reader.outline;
    for (place, block) in outline.blocks.iter().enumerate() {
        let Content::Heading(level) = block.content else { continue };
        let (text, at) = outline.heading(block);
        let read = headed(text, words);
        let above = trail.step(level, place, matches!(read, Headed::Sprint { .. }));
        match read {
            Headed::Sprint { .. } if drafts.len() > MOST_SPRINTS => break,
            Headed::Sprint { word, label, name } => {
                let start = at + (label.as_ptr() as usize - text.as_ptr() as usize);
                let tail = text.get(start - at + label.len()..).unwrap_or_default();
                if is_range(tail) {
                    ranges.push((at..at + text.len(), label.to_owned()));
                }
                drafts.push(Draft {
                    word: capital(word),
                    label: label.to_owned(),
                    name: name.to_owned(),
                    blocks: place..end_of(reader, place, level, words),
                    at: start..start + label.len(),
                    above,
                    row: None,
                    told: None,
                    tasks: false,
                });
            }
            Headed::Odd => {
                odd.push((at..at + text.len(), place..end_of(reader, place, level, words)));
            }
            Headed::About | Headed::Other => {}
        }
    }
    // Those that begin like a sprint are looked at when all sprints are known.
    if words == PHASES && !drafts.is_empty() {
        for (range, blocks) in odd {
            loose::overlooked(reader, range, blocks, [true, true]);
        }
    }
    for (range, label) in ranges {
        let got = format!("`{}`, read as {label} alone", reader.outline.source(&range));
        let expected = "a heading for each sprint";
        reader.remark(Weight::Warning, Code::Overlooked, range, expected, &got);
    }
    drafts
}

pub(super) fn capital(word: &str) -> String {
    let lower = word.to_lowercase();
    let mut letters = lower.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

/// The block behind a section: the next heading of the same or a higher level, or the next sprint.
pub(super) fn end_of(reader: &Reader<'_>, place: usize, level: u8, words: &[&str]) -> usize {
    let blocks = &reader.outline.blocks;
    let ends = |at: &usize| match blocks[*at].content {
        Content::Heading(next) => {
            next <= level
                || matches!(
                    headed(reader.outline.heading(&blocks[*at]).0, words),
                    Headed::Sprint { .. }
                )
        }
        _ => false,
    };
    (place + 1..blocks.len()).find(ends).unwrap_or(blocks.len())
}

/// The headings that are open at a place, the nearest last; a sprint opens nothing for others.
#[derive(Default)]
pub(super) struct Trail(Vec<(u8, usize, bool)>);

impl Trail {
    /// The headings that a heading stands under, the nearest first; it is the next one open.
    pub(super) fn step(&mut self, level: u8, place: usize, sprint: bool) -> Vec<usize> {
        self.0.retain(|(higher, ..)| *higher < level);
        let above =
            self.0.iter().rev().filter(|(.., sprint)| !sprint).map(|(_, at, _)| *at).collect();
        self.0.push((level, place, sprint));
        above
    }
}

/// Headings "Task N.M": all of one N are a sprint.
fn by_tasks(reader: &Reader<'_>) -> Vec<Draft> {
    let outline = &reader.outline;
    let mut drafts: Vec<Draft> = Vec::new();
    let mut trail = Trail::default();
    for (place, block) in outline.blocks.iter().enumerate() {
        let Content::Heading(level) = block.content else { continue };
        let (text, at) = outline.heading(block);
        let read = headed(text, &["task"]);
        let above = trail.step(level, place, matches!(read, Headed::Sprint { .. }));
        let Headed::Sprint { label, name: own, .. } = read else { continue };
        if drafts.len() > MOST_SPRINTS {
            break;
        }
        let group = label.split(['.', '-']).next().unwrap_or(label);
        let end = end_of(reader, place, level, &["task"]);
        match drafts.last_mut().filter(|last| last.label == group) {
            Some(last) => {
                last.blocks.end = end;
                last.tasks = true;
            }
            None => {
                let parent = above.first().map(|at| outline.heading(&outline.blocks[*at]).0);
                let name = match label == group && !own.is_empty() {
                    true => own.to_owned(),
                    false => parent.map(|text| name_of_group(text, group)).unwrap_or_default(),
                };
                let start = at + (label.as_ptr() as usize - text.as_ptr() as usize);
                drafts.push(Draft {
                    word: TASK.to_owned(),
                    label: group.to_owned(),
                    name,
                    blocks: place..end,
                    at: start..start + label.len(),
                    above,
                    row: None,
                    told: None,
                    // "Task 1" has steps below it, "Task 1.1" is one.
                    tasks: label != group,
                });
            }
        }
    }
    drafts
}

/// "1. Set up" above "Task 1.1" is "Set up".
fn name_of_group(heading: &str, group: &str) -> String {
    let bare = unwrapped(heading).0.trim_start_matches(|c: char| !c.is_alphanumeric());
    match headed(bare, PHASES) {
        Headed::Sprint { label, name, .. } if label == group => return name.to_owned(),
        _ => {}
    }
    let (label, rest) = split_label(bare);
    match label == group {
        true => rest.trim_start_matches([':', '.', ')', '-', '—', '–', ' ']).to_owned(),
        false => bare.to_owned(),
    }
}

/// Headings over nothing but check boxes, and those headed alike.
fn by_boxes(reader: &Reader<'_>) -> Vec<Draft> {
    let outline = &reader.outline;
    let mut drafts: Vec<Draft> = Vec::new();
    for Section { place, end, above, .. } in alike::sections(reader) {
        if drafts.len() > MOST_SPRINTS {
            break;
        }
        let (text, at) = outline.heading(&outline.blocks[place]);
        let bare = unwrapped(text).0.trim_start_matches(|c: char| !c.is_alphanumeric());
        let (label, name) = match alike::numbered(bare) {
            (Some(number), name) if !name.is_empty() => (number.to_owned(), name),
            _ => (slug(&plain(bare)), bare),
        };
        let parent = above.first().map(|at| outline.heading(&outline.blocks[*at]).0);
        let taken = drafts.iter().any(|draft| draft.label == label);
        let label = match parent {
            Some(parent) if taken => format!("{}-{label}", slug(&plain(parent))),
            _ => label,
        };
        drafts.push(Draft {
            word: "Sprint".to_owned(),
            label,
            name: name.to_owned(),
            blocks: place..end,
            at: at..at + text.len(),
            above,
            row: None,
            told: None,
            tasks: false,
        });
    }
    drafts
}
