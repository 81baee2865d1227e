//! The three files of Kiro: `tasks.md` (the entry), `requirements.md` and `design.md` of its folder.
//!
//! ```text
//! - [x] 2. <name>                    a sprint; done if its box is ticked and so is every task that is not optional
//!   - <words>                        a task
//! - [ ] 2.1 <name>                   a task, indented or not, with the lines of its item
//!   - _Requirements: 1.1, 2.3-2.5_   exit criteria, copied from requirements.md
//! - [ ]* 2.2 <name>                  an optional task: what it refers to is no criterion
//! ```
//!
//! Signature: a box before a number, and `_Requirements:` or the file `requirements.md` beside it. In that file a
//! criterion is item `3.` below "Acceptance Criteria" in the section `Requirement 2`: its id is 2.3, here `REQ-2-3`.
//! `2` names all of requirement 2. What is no such number ("All") stays words of the task, and is told. A criterion's
//! lines are those of the line that names it. Sprints run in order; all three files are read first.

use super::lines::{Kind, Line, marked, titled};
use super::outline::Outline;
use super::{Files, siblings, span, sprint, whole};
use crate::plan::clause;
use crate::plan::document::LineRange;
use crate::plan::model::{Criterion, Read, Remark, Sprint, Status, Task, Weight};
use crate::vocab::error::Code;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

const REFERS: &str = "Requirements:";
const CRITERIA: &str = "Acceptance Criteria";

/// Criteria by the numbers of their requirement and of themselves.
type Requirements = BTreeMap<(u32, u32), String>;

/// Reads the three files.
pub(super) fn read(files: &Files, entry: &str) -> Option<Read> {
    let mut outline = Outline::new(files.get(entry)?);
    let beside = siblings(files, entry, &["requirements.md", "design.md"]);
    let required = beside.iter().find(|(path, _)| path.ends_with("requirements.md"));
    let numbers = |line: &Line<'_>| line.ticked().is_some() && number(line.words).is_some();
    outline.places(outline.all(), numbers).first()?;
    let refers = outline.places(outline.all(), |line| references(line.words).is_some());
    (!refers.is_empty() || required.is_some()).then_some(())?;
    let known = required.map(|(_, text)| requirements(text));
    let reads = beside.iter().map(|(path, _)| (*path).to_owned()).chain([entry.to_owned()]);
    let reads: Vec<String> = reads.collect();
    let title = outline.title();
    let (mut sprints, mut remarks) = (Vec::new(), Vec::new());
    for range in ranges(&outline) {
        let exit = referred(&outline, range.clone());
        let mut one = read_sprint(&mut outline, range);
        if let Some(known) = &known {
            one.exit = copied(&exit, known, &mut remarks);
        }
        sprints.push(Sprint { reads: reads.clone(), ..one });
    }
    Some(outline.plan(title, whole(sprints, span(0..1)), remarks))
}

/// The number before the words: `2`, `2.1`; the star of an optional task before it is passed over.
fn number(words: &str) -> Option<(&str, &str)> {
    let words = words.trim_start_matches(['*', ' ']);
    let end = words.find(|letter: char| !(letter.is_ascii_digit() || letter == '.'))?;
    let (number, name) = words.split_at(end);
    let number = number.trim_end_matches('.');
    let is = number.starts_with(|first: char| first.is_ascii_digit()) && name.starts_with(' ');
    is.then(|| (number, name.trim()))
}

/// From each number without a point to the next, or to a heading; a number with a point begins one where none is open.
fn ranges(outline: &Outline<'_>) -> Vec<Range<usize>> {
    let (mut found, mut open): (Vec<Range<usize>>, bool) = (Vec::new(), false);
    for (place, line) in outline.lines.iter().enumerate() {
        let label = line.ticked().and_then(|_| number(line.words)).map(|(label, _)| label);
        let starts = label.is_some_and(|label| !label.contains('.') || !open);
        let ends = starts || matches!(line.kind, Kind::Heading(_));
        found.last_mut().filter(|_| open && ends).into_iter().for_each(|last| last.end = place);
        found.extend(starts.then_some(place..outline.lines.len()));
        open = starts || (open && !ends);
    }
    found
}

fn read_sprint(outline: &mut Outline<'_>, range: Range<usize>) -> Sprint {
    let (label, name) = number(outline.words(range.start)).unwrap_or_default();
    let mut one = sprint(label, name, outline.said(&range));
    let own = outline.task(range.start..range.start + 1).ticked;
    let below = range.start + 1..range.end;
    let boxes = outline.places(below.clone(), |line| line.ticked().is_some());
    let bullet = |line: &Line<'_>| line.indent > 0 && references(line.words).is_none();
    one.tasks = outline.items(below.start..boxes.first().copied().unwrap_or(below.end), bullet);
    one.tasks.extend(outline.boxes(below));
    let open = |task: &Task| task.ticked == Some(false) && !task.text.starts_with('*');
    if own == Some(true) && !one.tasks.iter().any(open) {
        one.status = Status::Done;
    }
    one.notes = outline.notes(range);
    one
}

/// What stands behind `_Requirements:`.
fn references(words: &str) -> Option<&str> {
    words.trim_matches(['_', '*', ' ']).strip_prefix(REFERS)
}

/// The references of a sprint but for those of optional tasks, each with its line.
fn referred<'a>(outline: &Outline<'a>, range: Range<usize>) -> Vec<(&'a str, LineRange)> {
    let (mut found, mut optional) = (Vec::new(), false);
    for place in outline.places(range, |_| true) {
        let words = outline.words(place);
        if outline.get(place).and_then(Line::ticked).is_some() {
            optional = words.starts_with('*');
        }
        let each = references(words).into_iter().flat_map(|list| list.split(','));
        found.extend(each.filter(|_| !optional).map(|one| (one.trim(), span(place..place + 1))));
    }
    found
}

/// The criteria that are referred to, each once; what is no number of one is told.
fn copied(
    exit: &[(&str, LineRange)],
    known: &Requirements,
    remarks: &mut Vec<Remark>,
) -> Vec<Criterion> {
    let (mut seen, mut copied, mut missing) = (BTreeSet::new(), Vec::new(), Vec::new());
    for (reference, lines) in exit {
        let named = among(reference).filter(|(from, to)| from <= to);
        let mut named =
            named.map(|(from, to)| known.range(from..=to)).into_iter().flatten().peekable();
        missing.extend(named.peek().is_none().then_some((*lines, *reference)));
        for (id, text) in named.filter(|(id, _)| seen.insert(**id)) {
            copied.push(clause::criterion(format!("REQ-{}-{}", id.0, id.1), text, false, *lines));
        }
    }
    if let Some((first, _)) = missing.first() {
        let got = missing.iter().map(|(lines, name)| format!("`{name}` in line {}", lines.first));
        let got = got.collect::<Vec<_>>().join(", ");
        let expected = "numbers of criteria in requirements.md; these are words of the task only";
        remarks.push(Remark::on(Weight::Note, Code::UnknownCriterion, *first, expected, got));
    }
    copied
}

/// The first and last number that `2.3`, `2.3-2.5`, `2.3-5`, `2` or `2-4` names.
fn among(reference: &str) -> Option<((u32, u32), (u32, u32))> {
    let number = |text: &str| text.trim().parse::<u32>().ok();
    let pair = |text: &str, whole: u32| match text.split_once('.') {
        Some((requirement, one)) => Some((number(requirement)?, number(one)?)),
        None => Some((number(text)?, whole)),
    };
    let (from, to) = reference.split_once(['-', '–']).unwrap_or((reference, reference));
    let first = pair(from, 0)?;
    let short = from.contains('.') && !to.contains('.');
    let last = if short { (first.0, number(to)?) } else { pair(to, u32::MAX)? };
    Some((first, last))
}

/// The criteria of `requirements.md`.
fn requirements(text: &str) -> Requirements {
    let outline = Outline::new(text);
    let mut known = Requirements::new();
    for range in outline.sections(|_, words| titled(words, &["Requirement"]).is_some()) {
        let own = titled(outline.words(range.start), &["Requirement"]);
        let Some(requirement) = own.and_then(|(own, _)| own.parse().ok()) else { continue };
        let mut within = false;
        for place in outline.places(range.start + 1..range.end, |line| line.kind != Kind::Blank) {
            let Some(line) = outline.get(place) else { continue };
            let heading = line.level().map(|_| line.words);
            if let Some(name) = heading.or_else(|| Some(marked(line.words)?.0)) {
                within = name == CRITERIA;
            }
            let own = number(line.source.trim()).filter(|_| within && line.indent < 4);
            let Some(own) = own.and_then(|(own, _)| own.rsplit('.').next()?.parse().ok()) else {
                continue;
            };
            let whole = outline.text(place..outline.extent(place, range.end));
            let first = |letter: char| letter.is_ascii_digit() || matches!(letter, '.' | ' ');
            let text =
                if line.kind == Kind::Text { whole.trim_start_matches(first) } else { &whole };
            known.entry((requirement, own)).or_insert_with(|| text.to_owned());
        }
    }
    known
}
