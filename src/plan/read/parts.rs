//! The parts of a sprint, by the labels people give them: "Exit criteria", "Tasks", "Depends on", and how such
//! labels are written.

use super::super::outline::plain_small;
use super::wording;

/// A part of a sprint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Entry,
    Exit,
    /// Tests: what must hold, and what is to be written.
    Tests,
    Tasks,
    /// Below a task that is a paragraph or heading of its own.
    Task,
    Depends,
    /// Whom it waits for, or something else that it needs.
    Needs,
    /// Who waits for it.
    Blocks,
    /// The same, where the words behind the label are of this plan; else what is done afterwards.
    After,
    Goal,
    Layer,
    Priority,
    Model,
    Kind,
    Turns,
    Unit,
    Expected,
    Other,
}

/// Labels that demand something in whatever words.
const DEMANDS: [&str; 20] = [
    "also required",
    "required",
    "requirement",
    "kpi",
    "kpis",
    "sla",
    "slas",
    "slo",
    "slos",
    "outcome",
    "outcomes",
    "metrics",
    "must",
    "condition",
    "success",
    "key results",
    "guarantees",
    "expected results",
    "expected outcome",
    "expected outcomes",
];

/// The most bytes of a label that is read by its words.
const LONGEST: usize = 100;

/// Whether a label demands something and names no part, so that nothing below it may be lost.
pub(super) fn demands(label: &str) -> bool {
    let words = plain_small(label);
    let bare = words.trim_matches(|c: char| !c.is_alphanumeric());
    // "More exit criteria", "Rollout criteria".
    DEMANDS.contains(&bare) || bare.rsplit(' ').next().is_some_and(|last| last == "criteria")
}

/// The part that a label names.
pub(super) fn part(label: &str) -> Option<Part> {
    let bare = bare(label);
    known(&bare).or_else(|| worded(&bare))
}

/// The part of a label that is not known as it stands.
fn worded(bare: &str) -> Option<Part> {
    if bare.len() > LONGEST {
        return None;
    }
    let joined = || wording::joined(bare).and_then(|joined| known(&joined));
    // "Exit criteria — all must pass".
    let own = || [" — ", " – ", " - "].iter().find_map(|dash| bare.split_once(dash));
    let criteria = |part: &Part| matches!(part, Part::Entry | Part::Exit);
    joined().or_else(|| known(own()?.0).filter(criteria)).or_else(|| wording::part(bare))
}

/// Whether a label names its part by its words only, and could be said of a single task or criterion.
pub(super) fn is_worded(label: &str) -> bool {
    let bare = bare(label);
    known(&bare).is_none() && worded(&bare).is_some()
}

fn bare(label: &str) -> String {
    let mut plain = plain_small(label);
    plain.truncate(plain.find('(').unwrap_or(plain.len()));
    plain.truncate(plain.trim_end_matches(|c: char| !c.is_alphanumeric()).len());
    let skip = plain.len() - plain.trim_start_matches(|c: char| !c.is_alphanumeric()).len();
    plain.drain(..skip);
    plain
}

/// The part of a label that is known as a whole.
fn known(label: &str) -> Option<Part> {
    Some(match label {
        "entry criteria" | "entry criterion" | "entry checks" | "entry conditions" | "entry"
        | "preconditions" | "precondition" | "prerequisites" | "prerequisite" => Part::Entry,
        "exit criteria"
        | "exit criterion"
        | "exit checks"
        | "exit conditions"
        | "exit"
        | "acceptance criteria"
        | "validation"
        | "validate"
        | "verification"
        | "verify"
        | "definition of done"
        | "done when"
        | "success looks like"
        | "what success looks like"
        | "signs of success"
        | "must-haves"
        | "must haves"
        | "invariants"
        | "success criteria"
        | "completion criteria"
        | "acceptance" => Part::Exit,
        "tasks"
        | "task list"
        | "steps"
        | "work"
        | "implementation"
        | "implementation details"
        | "todo"
        | "execute"
        | "actions"
        | "work items"
        | "requirements" => Part::Tasks,
        "dependencies" | "dependency" | "depends on" | "depends upon" | "depends"
        | "dependent on" | "blocked by" | "blocked on" | "waits for" | "wait for" | "waits on"
        | "waiting for" => Part::Depends,
        "predecessor" | "predecessors" => Part::Depends,
        // Of packages, too.
        "deps"
        | "dep"
        | "needs"
        | "requires"
        | "builds on"
        | "relies on"
        | "must come after"
        | "must run after"
        | "must start after"
        | "must follow"
        | "can start after"
        | "starts only after"
        | "only after"
        | "not before"
        | "cannot start before"
        | "must wait for" => Part::Needs,
        "blocks" | "unblocks" | "blocking" | "is blocking" | "precedes" | "must come before"
        | "comes before" | "runs before" | "must run before" | "must land before" => Part::Blocks,
        "after" | "order" | "follows" | "comes after" | "runs after" | "starts after" => {
            Part::After
        }
        "goal" | "objective" | "description" | "purpose" => Part::Goal,
        "layer" | "tier" => Part::Layer,
        "priority" => Part::Priority,
        "model" | "recommended model" => Part::Model,
        "type" | "task type" | "sprint type" | "sortie type" | "kind" => Part::Kind,
        "estimated turns" | "turns" | "est. turns" => Part::Turns,
        "work unit" => Part::Unit,
        "expected" | "expected output" | "expected result" => Part::Expected,
        _ => return None,
    })
}

/// Whether a heading names a part of a sprint rather than a sprint or unit. A unit may be named "Tests".
pub(super) fn is_part(heading: &str) -> bool {
    known(&bare(heading)).is_some()
}

/// Whether a heading names a part of a sprint, be it by its words only.
pub(super) fn names_part(heading: &str) -> bool {
    part(heading).is_some()
}

/// The label that a line begins with.
pub(super) fn label_of(line: &str) -> &str {
    let bare = line.trim_start_matches(|c| matches!(c, '*' | '_' | ' ' | '\t') || is_sign(c));
    let mut marks = bare.match_indices([':', '*', '_']);
    let end = marks.find(|(at, mark)| *mark == ":" || bare[at + 1..].starts_with(mark));
    bare.get(..end.map_or(bare.len(), |(at, _)| at)).unwrap_or(bare)
}

/// Whether a heading is over exit criteria.
pub(super) fn is_exit(heading: &str) -> bool {
    // Whose it is changes nothing: "Global definition of done".
    let (first, rest) = heading.split_once(' ').unwrap_or_default();
    let whose = ["global", "overall", "general", "project", "common", "shared"];
    let bare = if whose.contains(&first.to_lowercase().as_str()) { rest } else { heading };
    matches!(part(bare), Some(Part::Exit | Part::Tests))
}

/// Whether a heading is over tasks.
pub(super) fn is_tasks(heading: &str) -> bool {
    part(heading) == Some(Part::Tasks)
}

/// The commands of a fence with their lines, lines of comments left out.
pub(super) fn commands(body: &str) -> Vec<(String, u32)> {
    let mut found: Vec<(String, u32)> = Vec::new();
    let mut open = false;
    for (line, place) in body.lines().zip(0..) {
        let bare = line.trim();
        if !open && (bare.is_empty() || bare.starts_with('#')) {
            continue;
        }
        let part = bare.strip_suffix('\\').unwrap_or(bare).trim();
        match found.last_mut().filter(|_| open) {
            Some((command, _)) => *command = format!("{command} {part}"),
            None => found.push((part.to_owned(), place)),
        }
        open = bare.ends_with('\\');
    }
    found
}

/// A line `**Label**: words`, `**Label:** words` or `Label:` of a known label: the part, and the byte
/// where the words begin.
pub(super) fn labelled(line: &str) -> Option<(Part, usize)> {
    let skip = line.len() - line.trim_start().len();
    let bare = line[skip..].trim_start_matches(|c: char| is_sign(c) || c == ' ');
    let marks: &[&str] = match bare.as_bytes() {
        [b'*', ..] => &["***", "**"],
        [b'_', ..] => &["___", "__"],
        _ => &[],
    };
    for mark in marks {
        let Some(rest) = bare.strip_prefix(*mark) else { continue };
        let (label, behind) = rest.split_once(*mark)?;
        let at = line.len() - behind.len();
        let inner = label.trim_end().strip_suffix(':');
        if let Some(label) = inner {
            return Some((part_over(label, behind).unwrap_or(Part::Other), at));
        }
        // A remark in parentheses belongs to the label.
        let mut tail = behind.trim_start_matches([' ', '\t']);
        if let Some(inside) = tail.strip_prefix('(') {
            tail = inside.split_once(')').map_or(tail, |(_, behind)| behind.trim_start());
        }
        return match tail.strip_prefix(':') {
            Some(words) => {
                Some((part_over(label, words).unwrap_or(Part::Other), line.len() - words.len()))
            }
            None if tail.trim().is_empty() => Some((part(label)?, line.len() - tail.len())),
            None => told_on(label, tail).map(|(part, words)| (part, line.len() - words.len())),
        };
    }
    if let Some(found) = slanted(bare) {
        return Some((found.0, line.len() - found.1.len()));
    }
    let Some((label, words)) = bare.split_once(':') else {
        // "Exit criteria —"
        let label = bare.trim_end().strip_suffix(['—', '–']).filter(|_| !bare.contains('`'))?;
        return Some((list_part(label)?, line.len()));
    };
    // A longer one is a label if nothing stands behind it.
    let most = if words.trim().is_empty() { 60 } else { 24 };
    // A list of fields in small letters may hold nothing else that orders sprints.
    let small = ["depends on", "blocked by", "waits for"].contains(&label);
    let known = label.len() <= most && label.starts_with(|c: char| c.is_uppercase()) || small;
    let found = known.then(|| part_over(label, words)).flatten();
    let demands = || known && words.trim().is_empty() && demands(label);
    let found = found.or_else(|| demands().then_some(Part::Other))?;
    Some((found, line.len() - words.len()))
}

/// The part that a label names over some words. "Done: `make a` passes" is what must hold, "Done: yesterday" is not.
fn part_over(label: &str, words: &str) -> Option<Part> {
    let done = || words.contains('`') && bare(label) == "done";
    part(label).or_else(|| done().then_some(Part::Exit))
}

/// Signs before a label: ✅, 🎯.
fn is_sign(c: char) -> bool {
    !c.is_ascii() && !c.is_alphanumeric()
}

/// The part of a label that is known as a whole and over a list of what is to be done or to hold.
fn list_part(label: &str) -> Option<Part> {
    known(&bare(label)).filter(|found| matches!(found, Part::Entry | Part::Exit | Part::Tasks))
}

/// What stands behind a label without a colon of its own: "**Exit criteria** for QA:", "**Exit criteria**.", "**Exit
/// criteria** — words".
fn told_on<'l>(label: &str, tail: &'l str) -> Option<(Part, &'l str)> {
    let found = list_part(label)?;
    let end = tail.trim_end();
    if let Some(words) = tail.strip_prefix(['—', '–']).or_else(|| tail.strip_prefix("- ")) {
        return Some((found, words));
    }
    let lead = end.ends_with(':') && !end.contains('`') && end.split_whitespace().count() <= 6;
    (end == "." || lead).then_some((found, ""))
}

/// Whether a line is nothing but the words of a label that is known as a whole. Only right before a list it is one.
pub(super) fn is_bare(line: &str) -> bool {
    let line = line.trim();
    line.len() <= 24
        && line.starts_with(char::is_uppercase)
        && line.chars().all(|c| c.is_alphanumeric() || c == ' ')
        && list_part(line).is_some()
}

/// `_Label_: words` or `*Label:* words` of a known label: the part, and the words.
fn slanted(line: &str) -> Option<(Part, &str)> {
    ["_", "*"].iter().find_map(|mark| {
        let (label, behind) = line.strip_prefix(mark)?.split_once(mark)?;
        match label.trim_end().strip_suffix(':') {
            Some(label) => Some((part(label)?, behind)),
            None if behind.trim().is_empty() => Some((list_part(label)?, behind)),
            None => Some((part(label)?, behind.trim_start().strip_prefix(':')?)),
        }
    })
}

/// Whether a line is nothing but bold words, from its beginning on.
pub(super) fn bold(line: &str) -> bool {
    let line = line.trim_end();
    let inner = ["**", "__"].iter().find_map(|mark| {
        let inner = line.strip_prefix(mark)?.strip_suffix(mark)?;
        (!inner.contains(mark)).then_some(inner)
    });
    inner.is_some_and(|inner| inner.contains(char::is_alphanumeric))
}

/// A line `**1.1 - Create it** (~60 lines)` or `**Task 3**: …`: the label, and the words.
pub(super) fn numbered_bold(line: &str) -> Option<(&str, String)> {
    let rest = line.trim_start().strip_prefix("**")?;
    let rest = rest.strip_prefix("Task ").unwrap_or(rest);
    let (label, words) = super::super::label::split_label(rest);
    if !label.starts_with(|c: char| c.is_ascii_digit()) || label.len() > 8 {
        return None;
    }
    let separated =
        words.trim_start_matches("**").trim_start().starts_with(['-', ':', '—', '–', '.', ')']);
    separated.then(|| {
        let words = words.trim_start_matches(|c: char| !c.is_alphanumeric() && c != '`');
        (label, words.trim_end().replacen("**", "", 1))
    })
}

/// Whether a text says that there is nothing: "none", "N/A — the first sprint", "None required". "None of the old
/// names is left" says something.
pub(super) fn is_none(text: &str) -> bool {
    let lower = text.trim_start_matches(['*', '_', '`']).to_lowercase();
    let rest = ["none", "n/a"].iter().find_map(|word| lower.strip_prefix(word));
    let Some(rest) = rest else { return matches!(lower.trim(), "" | "-" | "—") };
    let next = rest.split(|c: char| !c.is_alphanumeric()).find(|word| !word.is_empty());
    let parted = rest.trim_start_matches([' ', '\t', '*', '_', '`']);
    let marked = parted.is_empty() || parted.starts_with(|c: char| !c.is_alphanumeric());
    let known = ["required", "needed", "necessary", "yet", "for", "at"];
    !rest.starts_with(char::is_alphanumeric)
        && (marked || next.is_some_and(|word| known.contains(&word)))
}
