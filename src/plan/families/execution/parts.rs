//! What a sprint is made of while it is read, and the lines that begin a part of it.

use super::lines::{Kind, Line, label};
use super::refs::bare;
use super::sprints::titled;
use super::words::{ENTRY, EXIT, EXPECTED, TASK, TASKS, VALIDATE, is};
use crate::plan::document::LineRange;
use crate::plan::model::{Command, Task};
use std::ops::Range;

/// A criterion before it has an id.
#[derive(Debug, Default)]
pub(super) struct Draft {
    pub(super) text: String,
    pub(super) ticked: Option<bool>,
    pub(super) lines: LineRange,
    /// It was a line of a fence.
    pub(super) command: Option<Command>,
}

/// What stands in a sprint.
#[derive(Debug, Default)]
pub(super) struct Body {
    /// Fields by their names as written, and where they stand. They are in the notes, too, until somebody takes them.
    pub(super) fields: Vec<Field>,
    pub(super) entry: Vec<Draft>,
    pub(super) tasks: Vec<Task>,
    pub(super) exit: Vec<Draft>,
    /// Lines of notes by their places.
    pub(super) notes: Vec<usize>,
}

/// A line `**Name**: value`.
#[derive(Debug)]
pub(super) struct Field {
    pub(super) name: String,
    pub(super) value: String,
    pub(super) lines: Range<usize>,
}

/// What is being read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Notes,
    Entry,
    Tasks,
    Exit,
    /// Exit criteria whose fences hold commands.
    Validate,
    /// A fence holds what the last command prints.
    Expected,
}

/// The part a line opens, and what stands behind its label.
pub(super) fn opens<'a>(line: &Line<'a>) -> Option<(Part, &'a str)> {
    let (name, rest) = match line.kind {
        Kind::Heading(_, words) if titled(words, &[TASK]).is_some() => {
            return Some((Part::Tasks, ""));
        }
        Kind::Heading(_, words) => (bare(words.trim_end_matches(':')), ""),
        _ => label(line).filter(|_| line.indent < 2).map(|label| (label.name, label.rest))?,
    };
    let part = match name {
        name if is(name, &ENTRY) => Part::Entry,
        name if is(name, &EXIT) => Part::Exit,
        name if is(name, &VALIDATE) => Part::Validate,
        name if is(name, &[EXPECTED]) => Part::Expected,
        name if is(name, &[TASKS]) => Part::Tasks,
        _ => return None,
    };
    Some((part, rest))
}

/// The words behind the marks of a fence that holds commands.
pub(super) const SHELL: [&str; 4] = ["", "sh", "bash", "shell"];

/// Whether each line of a fence is a command by itself: none goes on in the next, is a comment or what a shell says.
pub(super) fn is_commands(lines: &[&str]) -> bool {
    lines.iter().all(|line| {
        let odd = line.starts_with(['#', '$', '>', ' ', '\t']) || line.trim_end().ends_with('\\');
        !odd && !line.contains("<<")
    })
}

/// The value of a field, if it is one of these; the last one counts.
pub(super) fn field<'b>(body: &'b Body, names: &[&str]) -> Option<&'b Field> {
    body.fields.iter().rev().find(|field| is(&field.name, names))
}
