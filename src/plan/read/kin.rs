//! Sections that look like a sprint or a unit of the plan, and are read as none: with the name or the id of a sprint, or
//! with the next number in the row of sprints or units. What is to be done there would be left out.

use super::super::called::{OF_WORK, called};
use super::super::document::{unboxed, unmarked};
use super::super::label::{Headed, headed, is_deferred};
use super::super::outline::{Content, plain_small};
use super::find::{Draft, TASK, WORDS, end_of};
use super::tabled::{Called, written};
use super::{Reader, alike, beside, body, groups};
use std::collections::BTreeSet;

/// What sections are measured by.
pub(super) struct Kin {
    sprints: Called,
    /// The sprints are rows of a table.
    tabled: bool,
    /// What stands before the numbers of sprints, see [`alike::form`].
    forms: BTreeSet<String>,
    /// What stands before the numbers of units, with the level of their headings.
    units: BTreeSet<(u8, String)>,
    /// The headings of units.
    above: BTreeSet<usize>,
}

impl Kin {
    pub(super) fn of(reader: &Reader<'_>, drafts: &[Draft]) -> Kin {
        let above: BTreeSet<usize> =
            drafts.iter().flat_map(|draft| draft.above.iter().copied()).collect();
        let forms = drafts.iter().filter(|draft| draft.word != TASK).filter_map(|draft| {
            let block = reader.outline.blocks.get(draft.blocks.start)?;
            match (&draft.row, &block.content) {
                (Some(_), _) => alike::form(written(reader, draft)).0,
                (None, Content::Heading(_)) => alike::form(reader.outline.heading(block).0).0,
                _ => None,
            }
        });
        Kin {
            sprints: Called::of(reader, drafts),
            tabled: drafts.iter().any(|draft| draft.row.is_some()),
            forms: forms.collect(),
            units: above.iter().filter_map(|place| unit(reader, *place)).collect(),
            above,
        }
    }

    /// Whether the section at a heading outside of all sprints looks like one of them, or like one of the units, and
    /// has something that is to be done or must hold.
    pub(super) fn is_left_out(&self, reader: &Reader<'_>, place: usize, level: u8) -> bool {
        let Some(block) = reader.outline.blocks.get(place) else { return false };
        let words = reader.outline.heading(block).0;
        if self.above.contains(&place) || !matches!(headed(words, WORDS), Headed::Other) {
            return false;
        }
        let same = self.sprints.row(words).is_some();
        let (form, name) = alike::form(words);
        let alike = form.is_some_and(|form| self.forms.contains(&form));
        let unit = unit(reader, place).is_some_and(|unit| self.units.contains(&unit));
        if !(same || alike || unit) || is_off(words, name) || !same && alike::is_about(words) {
            return false;
        }
        let end = end_of(reader, place, level, WORDS);
        let body = body::read(reader, &mut Draft::section(place..end));
        let open = body.exit.iter().any(|one| !one.ticked);
        let tasks = body.tasks.iter().any(|one| !one.ticked);
        let boxed = || beside::has_open_box(reader, place..end);
        open || tasks && (same && self.tabled || body.named)
            || boxed()
            || unit && lists(reader, place, end)
    }
}

/// Whether a heading says that its section is done, put off, or an example.
fn is_off(words: &str, name: &str) -> bool {
    let done = plain_small(words);
    let done = done.split(|c: char| !c.is_alphanumeric());
    let is_done = |word: &str| ["done", "complete", "completed", "finished"].contains(&word);
    words.contains('✅')
        || done.into_iter().any(is_done)
        || is_deferred(name)
        || beside::is_sample(name)
        || groups::is_aside(name)
}

/// What stands before the number of a unit, with the level of its heading: "Phase 2", "Phase C", "Work Unit: x".
fn unit(reader: &Reader<'_>, place: usize) -> Option<(u8, String)> {
    let block = reader.outline.blocks.get(place)?;
    let Content::Heading(level) = block.content else { return None };
    let words = alike::bare(reader.outline.heading(block).0);
    let noun = match called(words) {
        Some(called) => called.noun,
        None => words.split_once(':')?.0.to_lowercase().replace(' ', ""),
    };
    // Documents have those, whatever is in them.
    let part = ["section", "chapter", "appendix", "annex"].contains(&noun.as_str());
    let known =
        !noun.is_empty() && !part && (called(words).is_some() || OF_WORK.contains(&noun.as_str()));
    known.then_some((level, noun))
}

/// Whether a section has a list of something that is not done yet and no sprint elsewhere.
fn lists(reader: &Reader<'_>, place: usize, end: usize) -> bool {
    let blocks = reader.outline.blocks.get(place..end).unwrap_or_default().iter();
    let items = blocks.filter_map(|block| match &block.content {
        Content::List(items) => Some(items),
        _ => None,
    });
    items.flatten().any(|item| {
        let (text, ticked) = unboxed(unmarked(reader.outline.source(item)));
        ticked != Some(true) && !text.is_empty() && !beside::speaks_of_sprints(text)
    })
}
