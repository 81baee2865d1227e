//! A bare check list.
//!
//! ```text
//! # <title>
//! ## <name>                          a sprint, if a box stands below it before the next heading
//! - [ ] <text>                       a task, also within another one
//! ## Acceptance criteria             its items are exit criteria of the sprint before it
//! ```
//!
//! Signature: boxes, their items and headings are at least half of the lines that say something. A sprint's label is
//! its place, since its author gave it none. Boxes below no heading are a sprint with the name of the document. Nothing
//! but the sections `CRITERIA` names is a criterion.

use super::lines::{Kind, Line};
use super::outline::Outline;
use super::{Files, criteria, span, sprint, ticked, whole};
use crate::plan::model::{Read, Sprint, Task};
use std::collections::BTreeMap;
use std::ops::Range;

const CRITERIA: [&str; 3] = ["acceptance criteria", "exit criteria", "definition of done"];

/// Reads a check list.
pub(super) fn read(files: &Files, entry: &str) -> Option<Read> {
    let mut outline = Outline::new(files.get(entry)?);
    is_bare(&outline).then_some(())?;
    let own = entry.rsplit('/').next().unwrap_or(entry);
    let (title, sprints) = sprints(&mut outline, own);
    Some(outline.plan(title, whole(sprints, span(0..1)), Vec::new()))
}

/// Whether the lines of boxes and headings are at least as many as the others.
fn is_bare(outline: &Outline<'_>) -> bool {
    let boxes = outline.places(outline.all(), |line| line.ticked().is_some());
    let mut own: usize = 0;
    let mut last = 0;
    for place in &boxes {
        let end = outline.extent(*place, outline.lines.len());
        own += end.saturating_sub(last.max(*place));
        last = last.max(end);
    }
    own += outline.places(outline.all(), |line| line.level().is_some()).len();
    let all = outline.lines.iter().filter(|line| line.kind != Kind::Blank).count();
    !boxes.is_empty() && own * 2 >= all
}

/// The title and the sprints of a list; `own` names the boxes below no heading.
pub(super) fn sprints(outline: &mut Outline<'_>, own: &str) -> (String, Vec<Sprint>) {
    let headings = outline.places(outline.all(), |line| line.level().is_some());
    let ends = headings.iter().copied().chain([outline.lines.len()]);
    let starts = std::iter::once(0).chain(headings.iter().copied());
    let ranges: Vec<Range<usize>> = starts.zip(ends).map(|(start, end)| start..end).collect();
    let title = outline.title();
    let own = if title.is_empty() { own } else { &title };
    let (mut sprints, mut exit) = (Vec::<Sprint>::new(), BTreeMap::<usize, Vec<Task>>::new());
    for range in ranges {
        let heading = outline.get(range.start).filter(|line| line.level().is_some());
        let name = heading.map_or(own, |line| line.words);
        let below = range.start + usize::from(heading.is_some())..range.end;
        let is_box = |line: &Line<'_>| line.ticked().is_some();
        if CRITERIA.contains(&name.trim_end_matches(':').to_lowercase().as_str()) {
            let items = outline.items(below.clone(), |_| true);
            exit.entry(sprints.len().saturating_sub(1)).or_default().extend(items);
            outline.take(range.start..below.start);
        } else if !outline.places(range.clone(), is_box).is_empty() {
            let mut one = sprint(&(sprints.len() + 1).to_string(), name, outline.said(&range));
            outline.take(range.start..below.start);
            one.tasks = outline.boxes(below);
            one.status = ticked(&one.tasks);
            one.notes = outline.notes(range);
            sprints.push(one);
        }
    }
    if sprints.is_empty() && !exit.is_empty() {
        sprints.push(sprint("1", own, outline.said(&outline.all())));
    }
    for (place, items) in exit {
        sprints.get_mut(place).into_iter().for_each(|one| one.exit = criteria(items.clone(), "AC"));
    }
    (title, sprints)
}
