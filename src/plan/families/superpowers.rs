//! Plans of superpowers' skill "writing-plans".
//!
//! ````text
//! ### Task 2: <name>                       a sprint (level 2 or 3)
//! **Files:**
//! - Create: `path`                         what it creates; `Modify:` and `Test:` are what it changes
//! - [ ] **Step 1: <words>**                a task with all lines to the next step; the box may be missing
//! Run: `command`                           or `Run:` and a fence of one line
//! Expected: PASS                           an exit criterion: the command exits 0
//! ````
//!
//! Signature: a section `Task <label>` with a step or with `**Files:**` in it. The last expectation of a command in its
//! task counts: `PASS`, also as `All 12 tests pass (in 3 s)`, is a criterion that is run; `FAIL` (a test that is still to be
//! met) is none; any other words are a criterion for a verifier. Tasks run in order. A path loses its line numbers
//! (`:12-30`), and its line stays a note.

use super::lines::{Kind, Line, marked, titled};
use super::outline::Outline;
use super::{Files, criteria, span, sprint, ticked, whole};
use crate::plan::clause;
use crate::plan::line::{self, spans};
use crate::plan::model::{Command, Expect, Read, Sprint, Task};
use regex_lite::Regex;
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::LazyLock;

const TASK: &str = "Task";
const STEP: &str = "Step";
const FILES: &str = "Files";

/// Reads a plan of superpowers.
pub(super) fn read(files: &Files, entry: &str) -> Option<Read> {
    let mut outline = Outline::new(files.get(entry)?);
    let sections = outline.sections(|_, words| titled(words, &[TASK]).is_some());
    let own = |line: &Line<'_>| is_step(line) || is_files(line);
    let fits = |range: &Range<usize>| !outline.places(range.clone(), own).is_empty();
    sections.iter().find(|range| fits(range))?;
    let title = outline.title();
    let sprints = sections.into_iter().map(|range| task(&mut outline, range)).collect();
    Some(outline.plan(title, whole(sprints, span(0..1)), Vec::new()))
}

fn is_step(line: &Line<'_>) -> bool {
    line.indent == 0 && titled(line.words, &[STEP]).is_some()
}

fn is_files(line: &Line<'_>) -> bool {
    marked(line.words).is_some_and(|(name, _)| name == FILES)
}

fn task(outline: &mut Outline<'_>, range: Range<usize>) -> Sprint {
    let (label, name) = titled(outline.words(range.start), &[TASK]).unwrap_or_default();
    let mut one = sprint(label, name, outline.said(&range));
    one.exit = criteria(expected(outline, range.clone()), "AC");
    outline.take(range.start..range.start + 1);
    if let Some(place) = outline.places(range.clone(), is_files).first() {
        paths(outline, *place..outline.body(*place, range.end), &mut one);
    }
    let steps = outline.places(range.clone(), is_step);
    one.tasks = outline.boxes(range.start..steps.first().copied().unwrap_or(range.end));
    let ends = steps.iter().skip(1).copied().chain([range.end]);
    for (start, end) in steps.iter().copied().zip(ends) {
        let end = outline.end(&(start..end));
        one.tasks.push(outline.task(start..end));
    }
    one.status = ticked(&one.tasks);
    one.notes = outline.notes(range);
    one
}

/// The paths of `**Files:**`. A line that says more than its path stays a note.
fn paths(outline: &mut Outline<'_>, range: Range<usize>, one: &mut Sprint) {
    for place in range.start + 1..range.end {
        let Some((kind, rest)) = outline.words(place).split_once(':') else { continue };
        let Some((path, more)) = code(rest) else { continue };
        let numbers =
            |lines: &str| lines.bytes().all(|byte| byte.is_ascii_digit() || b",-".contains(&byte));
        let bare = path
            .rsplit_once(':')
            .filter(|(_, lines)| numbers(lines))
            .map_or(path, |(bare, _)| bare);
        match kind.trim_matches('*') {
            "Create" => one.creates.push(bare.to_owned()),
            "Modify" | "Test" => one.changes.push(bare.to_owned()),
            _ => continue,
        }
        if bare == path && more.is_empty() {
            let says_all =
                marked(outline.words(range.start)).is_some_and(|(_, rest)| rest.is_empty());
            outline.take(range.start..range.start + usize::from(says_all));
            outline.take(place..place + 1);
        }
    }
}

/// The code span that a text begins with, and what follows it.
fn code(text: &str) -> Option<(&str, &str)> {
    let text = text.trim();
    let span = spans(text).into_iter().next().filter(|span| span.range.start == 0)?;
    Some((span.text, text.get(span.range.end..).unwrap_or_default().trim()))
}

/// What follows `Run:` or `Expected:`, in bold or not.
fn said<'a>(line: &Line<'a>, name: &str) -> Option<&'a str> {
    let rest = line.words.trim_start_matches('*').strip_prefix(name)?.trim_start_matches('*');
    Some(rest.strip_prefix(':')?.trim_start_matches('*').trim())
}

/// The last expectation of each command as a criterion; none of those that fail.
fn expected(outline: &Outline<'_>, range: Range<usize>) -> Vec<Task> {
    let mut found: Vec<(&str, &str, Range<usize>)> = Vec::new();
    for place in outline.places(range.clone(), |line| said(line, "Run").is_some()) {
        let Some((command, next)) = command(outline, place, range.end) else { continue };
        let next =
            outline.places(next..range.end, |line| line.kind != Kind::Blank).first().copied();
        let at = next.and_then(|next| Some((next, said(outline.get(next)?, "Expected")?)));
        let Some((next, expected)) = at else { continue };
        found.push((command, expected, place..next + 1));
    }
    let mut seen = BTreeSet::new();
    let mut found: Vec<_> =
        found.into_iter().rev().filter(|(command, ..)| seen.insert(*command)).collect();
    found.retain(|(_, expected, _)| passes(expected) != Some(false));
    let task = |(command, expected, place)| Task {
        text: criterion(command, expected),
        lines: span(place),
        ..Task::default()
    };
    found.into_iter().rev().map(task).collect()
}

/// The command of a line `Run:`, and the place behind it.
fn command<'a>(outline: &Outline<'a>, place: usize, end: usize) -> Option<(&'a str, usize)> {
    let rest = said(outline.get(place)?, "Run")?;
    if !rest.is_empty() {
        return Some((code(rest)?.0, place + 1));
    }
    let said = |at: &usize| outline.get(*at).is_some_and(|line| line.kind != Kind::Blank);
    let open = (place + 1..end).find(said)?;
    let (inside, next) = outline.fence(open);
    let one = outline.get(open)?.kind == Kind::Fence && inside.len() == 1;
    one.then(|| (outline.words(open + 1), next))
}

/// What an expectation says in closed form: `[All] [N] [tests] pass` and nothing but brackets behind it (`true`), or that it
/// fails (`false`): that is of the step before the work. `None` for all else.
fn passes(expected: &str) -> Option<bool> {
    static FORMS: LazyLock<[Option<Regex>; 2]> = LazyLock::new(|| {
        let behind = [r"pass(?:es|ed)?[*`.]*\s*(?:\([^`]*\))?[*.]*$", r"fail"];
        behind.map(|words| {
            Regex::new(&format!(
                r"(?is)^[*`]*(?:all\s+)?(?:[1-9]\d*\s+)?(?:the\s+)?(?:tests?\s+)?{words}"
            ))
            .ok()
        })
    });
    let fits = |form: &Option<Regex>| form.as_ref().is_some_and(|form| form.is_match(expected));
    let [pass, fail] = FORMS.each_ref().map(fits);
    pass.then_some(true).or(fail.then_some(false))
}

fn criterion(command: &str, expected: &str) -> String {
    if passes(expected).is_none() {
        // Words stand before and behind, so that nothing of it is a clause.
        return format!("Expected {expected} from {}", line::code(command));
    }
    let run = Command { line: command.to_owned(), expect: Expect::Succeed, within: None };
    clause::written(if expected.contains('(') { expected } else { "" }, &[run])
}
