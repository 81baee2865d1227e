//! What stands in a sprint: its entry criteria, tasks and exit criteria are taken; fields are read. All else is left for
//! its notes.

use super::super::lines::{Kind, Label, Line, bare, label, titled};
use super::super::outline::Outline;
use super::super::span;
use super::words::{self, ENTRY, EXIT, EXPECTED, TASK, TASKS, VALIDATE, is};
use crate::plan::clause;
use crate::plan::document::unboxed;
use crate::plan::model::{Command, Expect, Task};
use std::ops::Range;

/// What stands in a sprint.
#[derive(Debug, Default)]
pub(super) struct Body {
    /// Fields by their names as written, and where they stand. They are in the notes, until somebody takes them.
    pub(super) fields: Vec<Field>,
    pub(super) entry: Vec<Task>,
    pub(super) tasks: Vec<Task>,
    pub(super) exit: Vec<Task>,
}

/// A line `**Name**: value`.
#[derive(Debug)]
pub(super) struct Field {
    pub(super) name: String,
    pub(super) value: String,
    pub(super) lines: Range<usize>,
}

impl Body {
    /// The last field that is called one of these.
    pub(super) fn field(&self, names: &[&str]) -> Option<&Field> {
        self.fields.iter().rev().find(|field| is(&field.name, names))
    }
}

/// What is being read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Notes,
    Entry,
    Tasks,
    Exit,
    /// Exit criteria whose fences hold commands.
    Validate,
    /// A fence holds what the last command prints.
    Expected,
}

/// The words behind the marks of a fence that holds commands.
const SHELL: [&str; 4] = ["", "sh", "bash", "shell"];

/// The label a line begins with. A bullet says nothing before one with marks; a box does.
fn labelled<'a>(line: &Line<'a>) -> Option<Label<'a>> {
    let marked = line.words.starts_with("**") || line.words.starts_with("__");
    match line.kind {
        Kind::Text => label(line.words),
        Kind::Item(None) if marked => label(line.words),
        _ => None,
    }
}

/// The part a line opens, and what stands behind its label.
fn opens<'a>(line: &Line<'a>) -> Option<(Part, &'a str)> {
    let (name, rest) = match line.kind {
        Kind::Heading(_) if titled(line.words, &[TASK]).is_some() => {
            return Some((Part::Tasks, ""));
        }
        Kind::Heading(_) => (bare(line.words.trim_end_matches(':')), ""),
        _ => labelled(line).filter(|_| line.indent < 2).map(|label| (label.name, label.rest))?,
    };
    let parts: [(&[&str], Part); 5] = [
        (&ENTRY, Part::Entry),
        (&EXIT, Part::Exit),
        (&VALIDATE, Part::Validate),
        (&[EXPECTED], Part::Expected),
        (&[TASKS], Part::Tasks),
    ];
    let part = parts.iter().find(|(names, _)| is(name, names))?.1;
    Some((part, rest))
}

struct Reader<'o, 'a> {
    outline: &'o mut Outline<'a>,
    end: usize,
    part: Part,
    /// The level of the heading that opened the part; 0 if it was a label.
    level: usize,
    /// Where its items begin; `None` before the first.
    margin: Option<usize>,
    /// No part was opened yet: boxes are tasks.
    untold: bool,
    /// What the label of the part says in brackets of its commands, as the folder they run in; else empty.
    aside: String,
    /// The last exit criterion, if it was a line of a fence.
    last: Option<Command>,
    body: Body,
}

/// Reads and takes a body of lines.
pub(super) fn read(outline: &mut Outline<'_>, range: Range<usize>) -> Body {
    let untold = !outline.lines[range.clone()].iter().any(|line| opens(line).is_some());
    let (end, part, body) = (range.end, Part::Notes, Body::default());
    let (level, margin, aside, last) = Default::default();
    let mut reader = Reader { outline, end, part, level, margin, untold, aside, last, body };
    let mut at = range.start;
    while at < range.end {
        at = reader.line(at).max(at + 1);
    }
    reader.body
}

impl Reader<'_, '_> {
    /// Reads what begins at a line, and says where the next thing begins.
    fn line(&mut self, at: usize) -> usize {
        let line = self.outline.lines[at];
        if let Some((part, rest)) = opens(&line) {
            return self.open(at, part, rest);
        }
        match line.kind {
            Kind::Heading(level) if level > self.level && self.level > 0 => {}
            Kind::Heading(_) | Kind::Rule => self.part = Part::Notes,
            Kind::Fence => return self.fence(at),
            Kind::Item(_) | Kind::Text => match labelled(&line) {
                Some(label) if self.ends(&line, &label) => return self.field(at, &label),
                _ => return self.said(at),
            },
            _ => {}
        }
        at + 1
    }

    fn open(&mut self, at: usize, part: Part, rest: &str) -> usize {
        let line = self.outline.lines[at];
        (self.part, self.margin) = (part, None);
        self.level = line.level().unwrap_or(0);
        let (from, to) = (line.words.find('('), line.words.rfind(')'));
        let aside = from.zip(to).and_then(|(from, to)| line.words.get(from..=to));
        let aside = aside.filter(|aside| rest.is_empty() && aside.contains('`'));
        self.aside = aside.unwrap_or_default().to_owned();
        if let Some((_, name)) = titled(line.words, &[TASK]).filter(|_| self.level > 0) {
            return self.task(at, name);
        }
        // A label that the canonical form has says itself there; others are kept.
        let label = labelled(&line).filter(|_| !line.words.contains('('));
        let own = label.is_some_and(|label| is(label.name, &[ENTRY[0], EXIT[0], TASKS]));
        if rest.is_empty() {
            self.outline.take(at..at + usize::from(own));
            return at + 1;
        }
        let (text, to) = self.joined(at, if own { rest } else { line.source.trim() });
        if part == Part::Expected
            && let (Some(last), Some(_)) = (self.body.exit.last_mut(), self.last.take())
        {
            // What the command must do is said in words: a verifier looks at both.
            last.text = format!("{text} — of {}", last.text.trim_end_matches(" exits 0"));
            self.outline.take(at..to);
            return to;
        }
        self.keep(Task { text, lines: span(at..to), ..Task::default() }, at..to, line.indent);
        to
    }

    /// A paragraph from what stands behind its label, on one line, and where it ends.
    fn joined(&self, at: usize, rest: &str) -> (String, usize) {
        let to = (at + 1..self.end).find(|next| !self.goes_on(*next)).unwrap_or(self.end);
        let more = self.outline.lines[at + 1..to].iter().flat_map(|line| [" ", line.words]);
        (std::iter::once(rest).chain(more).collect(), to)
    }

    /// A task with a heading, and all below it up to the next heading or part.
    fn task(&mut self, at: usize, name: &str) -> usize {
        let more = |line: &&Line<'_>| {
            opens(line).is_none() && line.level().is_none_or(|other| other > self.level)
        };
        let below = self.outline.lines[at + 1..self.end].iter().take_while(more);
        let to = at + 1 + below.count();
        let task = self.outline.task_of(at..to, name);
        self.body.tasks.push(task);
        to
    }

    /// Whether a line goes on with the paragraph before it.
    fn goes_on(&self, at: usize) -> bool {
        self.outline.get(at).is_some_and(|line| {
            let label = labelled(line).is_some_and(|label| label.marked);
            line.kind == Kind::Text && !label && opens(line).is_none()
        })
    }

    /// Whether a label ends the part and may be a field.
    fn ends(&self, line: &Line<'_>, label: &Label<'_>) -> bool {
        let outside = self.margin.is_some_and(|margin| line.indent < margin);
        match (self.part, line.kind) {
            (Part::Notes, _) => label.marked || !label.rest.is_empty(),
            (_, Kind::Item(_)) => label.marked && outside,
            _ => label.marked,
        }
    }

    fn field(&mut self, at: usize, label: &Label<'_>) -> usize {
        let (value, to) = match label.marked {
            true => self.joined(at, label.rest),
            false => (label.rest.to_owned(), at + 1),
        };
        if label.marked {
            self.part = Part::Notes;
        }
        self.body.fields.push(Field { name: label.name.to_owned(), value, lines: at..to });
        to
    }

    /// An item or a paragraph.
    fn said(&mut self, at: usize) -> usize {
        let line = self.outline.lines[at];
        match (self.part, line.kind) {
            (Part::Notes, Kind::Item(Some(_))) if self.untold => self.part = Part::Tasks,
            (Part::Notes | Part::Expected, _) => return at + 1,
            (_, Kind::Item(_)) => {}
            _ => {
                if self.margin.is_some() {
                    self.part = Part::Notes;
                }
                return at + 1;
            }
        }
        self.item(at)
    }

    /// An item with the lines that belong to it. A fence belongs to the task above it, however far it is indented.
    fn item(&mut self, at: usize) -> usize {
        let indent = self.outline.lines[at].indent;
        if indent < *self.margin.get_or_insert(indent) {
            self.part = Part::Notes;
            return at + 1;
        }
        let mut to = self.outline.extent(at, self.end);
        to = (at + 1..to).find(|next| opens(&self.outline.lines[*next]).is_some()).unwrap_or(to);
        while let Some(fence) = self.fence_below(to).filter(|_| self.part == Part::Tasks) {
            to = self.outline.extent(self.outline.fence(fence).1.min(self.end) - 1, self.end);
        }
        let (ticked, lines) = (self.outline.lines[at].ticked(), span(at..to));
        let text = self.outline.text(at..to);
        self.keep(Task { text, ticked, added: false, lines }, at..to, indent);
        to
    }

    /// The fence that is the next thing from a line on.
    fn fence_below(&self, at: usize) -> Option<usize> {
        let next = (at..self.end).find(|next| self.outline.lines[*next].kind != Kind::Blank)?;
        (self.outline.lines[next].kind == Kind::Fence).then_some(next)
    }

    /// Keeps a text as what the part is made of, and takes its lines.
    fn keep(&mut self, mut one: Task, lines: Range<usize>, margin: usize) {
        self.margin.get_or_insert(margin);
        let (bare, boxed) = unboxed(&one.text);
        (one.text, one.ticked) = (bare.to_owned(), one.ticked.or(boxed));
        if !self.aside.is_empty() && self.part != Part::Tasks {
            one.text = format!("{} {}", self.aside, one.text);
        }
        match self.part {
            Part::Entry if words::asks_nothing(&one.text) => return,
            Part::Entry => self.body.entry.push(one),
            Part::Tasks => self.body.tasks.push(one),
            _ => {
                self.last = None;
                self.body.exit.push(one);
            }
        }
        self.outline.take(lines);
    }

    /// A fence: commands, what the last one prints, or a note.
    fn fence(&mut self, at: usize) -> usize {
        let (inside, to) = self.outline.fence(at);
        let to = to.min(self.end);
        let shell = self.outline.words(at).split(' ').next();
        let lines = self.outline.lines[inside.clone()].iter();
        let lines: Vec<&str> = lines.map(|line| line.source).collect();
        match (self.part, lines.as_slice()) {
            (Part::Validate, lines) if is(shell.unwrap_or(""), &SHELL) && is_commands(lines) => {
                let said = inside.zip(lines).filter(|(_, line)| !line.trim().is_empty());
                for (at, line) in said {
                    let (line, expect) = (line.trim().to_owned(), Expect::Succeed);
                    let command = Command { line, expect, within: None };
                    let text = clause::clause(&command);
                    let lines = span(at..at + 1);
                    self.body.exit.push(Task { text, lines, ..Task::default() });
                    self.last = Some(command);
                }
                self.outline.take(at..to);
            }
            (Part::Expected, [said]) => {
                let (Some(mut command), Some(last)) = (self.last.take(), self.body.exit.last_mut())
                else {
                    return to;
                };
                command.expect = Expect::PrintOnly { text: said.trim().to_owned() };
                last.text = clause::clause(&command);
                self.outline.take(at..to);
            }
            _ => {}
        }
        to
    }
}

/// Whether each line of a fence is a command by itself: none goes on in the next, is a comment or what a shell says.
fn is_commands(lines: &[&str]) -> bool {
    lines.iter().all(|line| {
        let odd = line.starts_with(['#', '$', '>', ' ', '\t']) || line.trim_end().ends_with('\\');
        !odd && !line.contains("<<")
    })
}
