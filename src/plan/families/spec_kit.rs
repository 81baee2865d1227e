//! `tasks.md` of spec-kit.
//!
//! ```text
//! # Tasks: <title>
//! ## Phase 3: User Story 1 - <name>              a sprint; its label is what stands behind `Phase`
//! **Independent Test**: <words, or a list>       an exit criterion
//! - [ ] T012 [P] [US1] <text>                    a task
//! **Checkpoint**: <words>                        an exit criterion
//! ```
//!
//! Signature: a box whose first word is `T` and three or more digits. A phase is a section `Phase <label>` with a box in
//! it; without any, all of the document is one. Phases run in order, as the template says of one person's work.
//! `**Acceptance Criteria**:` and `**Acceptance Scenarios**:` with a list are exit criteria, too. Those of a story that
//! stand in `spec.md` (`### User Story 1 - <name>`) are criteria of the phase that names the story in its heading; their
//! lines are those of that heading. `spec.md` and `plan.md` of the folder are read first.

use super::lines::{marked, titled};
use super::outline::Outline;
use super::{Files, criteria, siblings, span, sprint, ticked, whole};
use crate::plan::model::{Read, Sprint, Task};
use std::collections::BTreeMap;
use std::ops::Range;

/// The words before a phase's label, and before a story's.
const PHASE: &str = "Phase";
const STORY: &str = "User Story";
/// The label that says how a story is tested, and all labels whose text is a criterion.
const TEST: &str = "Independent Test";
const CRITERIA: [&str; 4] = [TEST, "Acceptance Criteria", "Acceptance Scenarios", "Checkpoint"];

/// What is stated of stories, each with its label.
type Stories<'a> = BTreeMap<&'a str, Vec<(&'a str, Task)>>;

/// Reads `tasks.md`.
pub(super) fn read(files: &Files, entry: &str) -> Option<Read> {
    let mut outline = Outline::new(files.get(entry)?);
    outline.lines.iter().find(|line| line.ticked().is_some() && is_task(line.words))?;
    let title = outline.title();
    let beside = siblings(files, entry, &["spec.md", "plan.md"]);
    let spec = beside.iter().find(|(path, _)| path.ends_with("spec.md")).map(|(_, text)| *text);
    let stories = spec.map(stories).unwrap_or_default();
    let reads: Vec<String> = beside.iter().map(|(path, _)| (*path).to_owned()).collect();
    let mut sprints = Vec::new();
    for (place, range) in phases(&outline).into_iter().enumerate() {
        let one = phase(&mut outline, range, &(place + 1).to_string(), &stories);
        sprints.push(Sprint { reads: reads.clone(), ..one });
    }
    Some(outline.plan(title, whole(sprints, span(0..1)), Vec::new()))
}

/// `T001`, in bold or not.
fn is_task(words: &str) -> bool {
    let word = words.split_whitespace().next().unwrap_or_default().trim_matches(['*', ':']);
    let digits = word.strip_prefix('T').filter(|digits| digits.len() >= 3);
    digits.is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The sections that hold boxes, or all of the document.
fn phases(outline: &Outline<'_>) -> Vec<Range<usize>> {
    let mut all = outline.sections(|_, words| titled(words, &[PHASE]).is_some());
    all.retain(|range| !outline.places(range.clone(), |line| line.ticked().is_some()).is_empty());
    if all.is_empty() { vec![outline.all()] } else { all }
}

fn phase(
    outline: &mut Outline<'_>,
    range: Range<usize>,
    place: &str,
    stories: &Stories<'_>,
) -> Sprint {
    let heading = outline.get(range.start).filter(|line| line.level().is_some());
    let words = heading.map_or("", |line| line.words);
    outline.take(range.start..range.start + usize::from(heading.is_some()));
    let (label, name) = titled(words, &[PHASE]).unwrap_or((place, words));
    let mut one = sprint(label, name, outline.said(&range));
    one.tasks = outline.boxes(range.clone());
    one.status = ticked(&one.tasks);
    let mut exit = stated(outline, range.clone());
    let tested = exit.iter().any(|(label, _)| *label == TEST);
    let story = name.find(STORY).and_then(|at| titled(name.get(at..)?, &[STORY]));
    let told = story.and_then(|(label, _)| stories.get(label)).cloned().unwrap_or_default();
    let told = told.into_iter().filter(|(label, _)| !(tested && *label == TEST));
    let lines = span(range.start..range.start + 1);
    exit.extend(told.map(|(label, one)| (label, Task { lines, ..one })));
    one.exit = criteria(exit.into_iter().map(|(_, one)| one), "AC");
    one.notes = outline.notes(range);
    one
}

/// What the labels of a section state, taken, each with its label.
fn stated<'a>(outline: &mut Outline<'a>, range: Range<usize>) -> Vec<(&'a str, Task)> {
    let mut found = Vec::new();
    for place in outline.places(range.clone(), |line| marked(line.words).is_some()) {
        let Some((name, rest)) = marked(outline.words(place)) else { continue };
        if !CRITERIA.contains(&name) {
            continue;
        }
        let end = outline.body(place, range.end);
        if rest.is_empty() {
            let items = outline.items(place + 1..end, |_| true);
            outline.take(place..place + usize::from(!items.is_empty()));
            found.extend(items.into_iter().map(|one| (name, one)));
        } else {
            found.push((name, outline.task_of(place..end, rest)));
        }
    }
    found
}

/// What `spec.md` states of each story, by its label.
fn stories(spec: &str) -> Stories<'_> {
    let mut spec = Outline::new(spec);
    let mut all = Stories::new();
    for range in spec.sections(|_, words| titled(words, &[STORY]).is_some()) {
        let label = titled(spec.words(range.start), &[STORY]).map_or("", |(label, _)| label);
        all.entry(label).or_default().extend(stated(&mut spec, range));
    }
    all
}
