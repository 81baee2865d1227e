//! Sprints that are rows of a table, and the sections that say more of them.
//!
//! "| S1 | Parser |" and further down "## S1: Parser" or "## Parser" are one sprint. Only where each row has such a
//! section are they joined; else the sections are work that nobody was given, see [`super::beside`].

use super::super::outline::{Content, plain_small};
use super::find::{Draft, Trail, end_of};
use super::{Reader, alike, body, tables};
use std::collections::BTreeMap;
use std::ops::Range;

/// The sprints of the first table with a column "Sprint" and one that describes it.
pub(super) fn sprints(reader: &Reader<'_>) -> Vec<Draft> {
    let rows = rows(reader);
    joined(reader, &rows).unwrap_or(rows)
}

fn rows(reader: &Reader<'_>) -> Vec<Draft> {
    for sheet in reader.sheets.iter() {
        let Some(rows) = tables::sprint_rows(sheet) else { continue };
        let place = sheet.place;
        let mut trail = Trail::default();
        for (at, block) in reader.outline.blocks[..place].iter().enumerate() {
            if let Content::Heading(level) = block.content {
                trail.step(level, at, false);
            }
        }
        let above = trail.step(7, place, false);
        let drafts = rows.into_iter().map(|row| Draft {
            word: "Sprint".to_owned(),
            label: row.label.clone(),
            name: row.name.clone(),
            blocks: place..place + 1,
            at: row.label_at.clone(),
            above: above.clone(),
            row: Some(row),
            told: None,
            tasks: false,
        });
        return drafts.collect();
    }
    Vec::new()
}

/// The rows of a table by what a heading may call them.
#[derive(Default)]
pub(super) struct Called {
    /// By name; none where two have the same.
    names: BTreeMap<String, Option<usize>>,
    /// By labels with letters, be these only in the table: "S1".
    labels: BTreeMap<String, usize>,
}

impl Called {
    pub(super) fn of(reader: &Reader<'_>, drafts: &[Draft]) -> Called {
        let mut called = Called::default();
        for (place, draft) in drafts.iter().enumerate() {
            let name = plain_small(&draft.name);
            if !name.is_empty() {
                called.names.entry(name).and_modify(|one| *one = None).or_insert(Some(place));
            }
            let label = written(reader, draft).to_lowercase();
            if label.contains(char::is_alphabetic) {
                called.labels.entry(label).or_insert(place);
            }
        }
        called
    }

    /// The row that a heading names.
    pub(super) fn row(&self, heading: &str) -> Option<usize> {
        let (label, name) = alike::numbered(alike::bare(heading));
        let by_label = || self.labels.get(&label?.to_lowercase()).copied();
        let named = |words: &str| self.names.get(&plain_small(words)).copied().flatten();
        by_label().or_else(|| named(heading)).or_else(|| named(name))
    }
}

/// The label as its cell has it: of "S1" only the number is taken.
pub(super) fn written<'a>(reader: &Reader<'a>, draft: &Draft) -> &'a str {
    let before = draft.at.start.saturating_sub(1)..draft.at.end;
    let whole = reader.outline.source(&before);
    if whole.starts_with('S') { whole } else { reader.outline.source(&draft.at) }
}

/// The sprints with their sections, if each row has exactly one, with work of its own.
fn joined(reader: &Reader<'_>, rows: &[Draft]) -> Option<Vec<Draft>> {
    let called = Called::of(reader, rows);
    let outline = &reader.outline;
    let (mut found, mut trail): (Vec<(usize, Draft)>, _) = (Vec::new(), Trail::default());
    for (place, block) in outline.blocks.iter().enumerate() {
        let Content::Heading(level) = block.content else { continue };
        let (text, at) = outline.heading(block);
        let row = called.row(text).filter(|_| !is_inside(&found, place));
        let above = trail.step(level, place, row.is_some());
        let Some((row, draft)) = row.and_then(|row| Some((row, rows.get(row)?))) else { continue };
        found.push((
            row,
            Draft {
                name: match alike::numbered(alike::bare(text)).1 {
                    "" => draft.name.clone(),
                    name => name.to_owned(),
                },
                blocks: place..end_of(reader, place, level, &[]),
                at: at..at + text.len(),
                above,
                told: draft.row.clone(),
                row: None,
                ..draft.clone()
            },
        ));
    }
    let mut taken: Vec<usize> = found.iter().map(|(row, _)| *row).collect();
    taken.sort_unstable();
    let each = !rows.is_empty() && taken.into_iter().eq(0..rows.len());
    let works = || found.iter().all(|(_, draft)| has_work(reader, draft.blocks.clone()));
    (each && works()).then(|| found.into_iter().map(|(_, draft)| draft).collect())
}

/// The labels in the headings of such sections, by the lines of these.
pub(super) fn labels(reader: &Reader<'_>, drafts: &[Draft]) -> BTreeMap<u32, Range<usize>> {
    let outline = &reader.outline;
    let joined = drafts.iter().filter(|draft| draft.told.is_some());
    let label = |draft: &Draft| {
        let block = outline.blocks.get(draft.blocks.start)?;
        let (text, at) = outline.heading(block);
        let label = alike::numbered(alike::bare(text)).0?;
        let skip = label.len().checked_sub(draft.label.len())?;
        let own = label.get(skip..)?.eq_ignore_ascii_case(&draft.label);
        let start = at + (label.as_ptr() as usize - text.as_ptr() as usize) + skip;
        own.then(|| (outline.line(block.range.start), start..start + draft.label.len()))
    };
    joined.filter_map(label).collect()
}

fn is_inside(found: &[(usize, Draft)], place: usize) -> bool {
    found.last().is_some_and(|(_, draft)| draft.blocks.end > place)
}

fn has_work(reader: &Reader<'_>, blocks: Range<usize>) -> bool {
    let body = body::read(reader, &mut Draft::section(blocks));
    !body.tasks.is_empty() || !body.exit.is_empty()
}
