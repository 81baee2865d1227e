//! What stands in a sprint: fields, entry criteria, tasks, exit criteria, and all else as notes.

use super::lines::{Kind, Label, Line, cells, fence_at, is_delimiter, label, places};
use super::parts::{Body, Draft, Field, Part, SHELL, is_commands, opens};
use super::sprints::titled;
use super::words::{self, ENTRY, EXIT, TASK, TASKS, is};
use crate::plan::clause;
use crate::plan::document::unboxed;
use crate::plan::model::{Command, Expect, Task};
use std::ops::Range;

struct Reader<'a, 'l> {
    lines: &'l [Line<'a>],
    part: Part,
    /// The level of the heading that opened the part; 0 if it was a label.
    level: usize,
    /// Where its items begin; `None` before the first.
    margin: Option<usize>,
    /// The tasks are paragraphs with what stands below each.
    paragraphs: bool,
    /// No part was opened yet: boxes are tasks.
    untold: bool,
    body: Body,
}

/// Reads a body of lines.
pub(super) fn read(lines: &[Line<'_>], range: Range<usize>) -> Body {
    let untold = !lines[range.clone()].iter().any(|line| opens(line).is_some());
    let mut reader = Reader {
        lines,
        part: Part::Notes,
        level: 0,
        margin: None,
        paragraphs: false,
        untold,
        body: Body::default(),
    };
    let mut at = range.start;
    while at < range.end {
        at = reader.line(at, range.end).max(at + 1);
    }
    reader.body
}

impl Reader<'_, '_> {
    /// Reads what begins at a line, and says where the next thing begins.
    fn line(&mut self, at: usize, end: usize) -> usize {
        let line = self.lines[at];
        if let Some((part, rest)) = opens(&line) {
            return self.open(at, end, part, rest);
        }
        match line.kind {
            Kind::Heading(level, _) => {
                if level <= self.level || self.level == 0 {
                    self.part = Part::Notes;
                }
                self.note(at..at + 1)
            }
            Kind::Fence(info) => self.fence(at, end, info),
            Kind::Row if self.part != Part::Notes => self.table(at, end),
            Kind::Item(_) | Kind::Text => match label(&line) {
                Some(label) if self.ends(&line, &label) => self.field(at, end, &label),
                _ => self.said(at, end),
            },
            _ => {
                if line.kind == Kind::Rule {
                    self.part = Part::Notes;
                }
                self.note(at..at + 1)
            }
        }
    }

    fn note(&mut self, lines: Range<usize>) -> usize {
        self.body.notes.extend(lines.clone());
        lines.end
    }

    fn open(&mut self, at: usize, end: usize, part: Part, rest: &str) -> usize {
        let line = self.lines[at];
        (self.part, self.margin, self.paragraphs) = (part, None, false);
        self.level = 0;
        if let Kind::Heading(level, words) = line.kind {
            self.level = level;
            if titled(words, &[TASK]).is_some() {
                return self.task(at, end, level, words);
            }
        }
        // A label that the canonical form has says itself there; others are kept.
        let label = label(&line).filter(|_| !line.text.contains('('));
        let own = label.is_some_and(|label| is(label.name, &[ENTRY[0], EXIT[0], TASKS]));
        if rest.is_empty() {
            return if own { at + 1 } else { self.note(at..at + 1) };
        }
        let from = if own { rest } else { line.text.trim() };
        let (text, to) = self.joined(at, end, from);
        self.keep(text, at..to, line.indent);
        to
    }

    /// A paragraph from what stands behind its label, on one line, and where it ends.
    fn joined(&self, at: usize, end: usize, rest: &str) -> (String, usize) {
        let to = (at + 1..end).find(|next| !self.goes_on(*next)).unwrap_or(end);
        let more = self.lines[at + 1..to].iter().flat_map(|line| [" ", line.text.trim()]);
        (std::iter::once(rest).chain(more).collect(), to)
    }

    /// A task with a heading, and all below it up to the next heading or part.
    fn task(&mut self, at: usize, end: usize, level: usize, words: &str) -> usize {
        let more = |line: &Line<'_>| {
            opens(line).is_none() && !matches!(line.kind, Kind::Heading(other, _) if other <= level)
        };
        let to = at + 1 + self.lines[at + 1..end].iter().take_while(|line| more(line)).count();
        let name = titled(words, &[TASK]).map_or("", |(_, name)| name);
        let text = self.block(name, at + 1..to, 0);
        self.body.tasks.push(Task { text, lines: places(at..to), ..Task::default() });
        to
    }

    /// Whether a line goes on with the paragraph before it.
    fn goes_on(&self, at: usize) -> bool {
        let goes_on = |line: &Line<'_>| {
            let label = label(line).is_some_and(|label| label.marked);
            line.kind == Kind::Text && !label && opens(line).is_none()
        };
        self.lines.get(at).is_some_and(goes_on)
    }

    /// Whether a label ends the part and may be a field.
    fn ends(&self, line: &Line<'_>, label: &Label<'_>) -> bool {
        let outside = self.margin.is_none_or(|margin| line.indent < margin);
        match (self.part, line.kind) {
            (Part::Notes, _) => label.marked || !label.rest.is_empty(),
            (_, Kind::Item(_)) => label.marked && outside && self.margin.is_some(),
            _ => label.marked,
        }
    }

    fn field(&mut self, at: usize, end: usize, label: &Label<'_>) -> usize {
        if label.marked {
            self.part = Part::Notes;
        }
        let (value, to) = match label.marked {
            true => self.joined(at, end, label.rest),
            false => (label.rest.to_owned(), at + 1),
        };
        self.body.fields.push(Field { name: label.name.to_owned(), value, lines: at..to });
        self.note(at..to)
    }

    /// An item or a paragraph.
    fn said(&mut self, at: usize, end: usize) -> usize {
        let line = self.lines[at];
        match (self.part, line.kind) {
            (Part::Notes, Kind::Item(rest)) if self.untold && unboxed(rest).1.is_some() => {
                self.part = Part::Tasks;
                self.item(at, end, rest)
            }
            (Part::Notes | Part::Expected, _) => self.note(at..at + 1),
            (Part::Tasks, Kind::Text)
                if self.margin.is_none() && line.text.trim_end().ends_with(':') =>
            {
                self.note(at..at + 1)
            }
            (Part::Tasks, Kind::Text) if self.margin.is_none() || self.paragraphs => {
                self.paragraphs = true;
                self.item(at, end, line.text.trim())
            }
            (_, Kind::Item(rest)) => self.item(at, end, rest),
            _ => {
                if self.margin.is_some() {
                    self.part = Part::Notes;
                }
                self.note(at..at + 1)
            }
        }
    }

    /// An item with the lines that belong to it: those indented below it, and the lists below a task that is a paragraph.
    fn item(&mut self, at: usize, end: usize, rest: &str) -> usize {
        let indent = self.lines[at].indent;
        let margin = *self.margin.get_or_insert(indent);
        if indent < margin {
            self.part = Part::Notes;
            return self.note(at..at + 1);
        }
        let inner = indent + self.lines[at].text.trim().len().saturating_sub(rest.len());
        let (mut to, mut seen) = (at + 1, at + 1);
        while seen < end {
            let line = &self.lines[seen];
            let listed = self.paragraphs && line.kind != Kind::Text && opens(line).is_none();
            let below = line.indent >= indent + 2 || listed;
            match line.kind {
                Kind::Blank => {}
                Kind::Heading(..) | Kind::Rule => break,
                // A fence belongs to the task above it, however far it is indented.
                Kind::Fence(_) if below || self.part == Part::Tasks => {
                    to = fence_at(self.lines, seen).1.min(end);
                    seen = to;
                    continue;
                }
                _ if below || (seen == to && self.goes_on(seen)) => to = seen + 1,
                _ => break,
            }
            seen += 1;
        }
        let text = self.block(rest, at + 1..to, inner);
        self.keep(text, at..to, indent);
        to
    }

    /// A text and the lines below it, their indentation taken off.
    fn block(&self, first: &str, rest: Range<usize>, inner: usize) -> String {
        let mut text = first.trim().to_owned();
        for line in &self.lines[rest] {
            let spaces = line.text.len() - line.text.trim_start_matches(' ').len();
            text.push('\n');
            text.push_str(line.text.get(inner.min(spaces)..).unwrap_or_default().trim_end());
        }
        text.trim_end().to_owned()
    }

    /// Keeps a text as what the part is made of.
    fn keep(&mut self, text: String, lines: Range<usize>, margin: usize) {
        self.margin.get_or_insert(margin);
        let (bare, ticked) = unboxed(&text);
        let nothing = words::asks_nothing(bare);
        let draft =
            || Draft { text: bare.to_owned(), ticked, lines: places(lines.clone()), command: None };
        match self.part {
            Part::Entry if nothing => {
                self.note(lines);
            }
            Part::Entry => self.body.entry.push(draft()),
            Part::Tasks => {
                let (text, lines) = (bare.to_owned(), places(lines.clone()));
                self.body.tasks.push(Task { text, ticked, added: false, lines });
            }
            _ => self.body.exit.push(draft()),
        }
    }

    /// The rows of a table: each is one of what the part is made of.
    fn table(&mut self, at: usize, end: usize) -> usize {
        let to = at + self.lines[at..end].iter().take_while(|line| line.kind == Kind::Row).count();
        let is_table = to > at + 2 && is_delimiter(self.lines[at + 1].text);
        if !is_table || self.part == Part::Expected {
            return self.note(at..to);
        }
        self.note(at..at + 2);
        for row in at + 2..to {
            let text = cells(self.lines[row].text);
            let text: Vec<String> = text.into_iter().filter(|cell| !cell.is_empty()).collect();
            if !text.is_empty() {
                self.keep(text.join(": "), row..row + 1, 0);
            }
        }
        to
    }

    /// A fence: commands, what the last one prints, or a note.
    fn fence(&mut self, at: usize, end: usize, info: &str) -> usize {
        let (inside, to) = fence_at(self.lines, at);
        let lines: Vec<&str> = self.lines[inside].iter().map(|line| line.text).collect();
        let draft = |command: &Command| clause::written("", std::slice::from_ref(command));
        match (self.part, lines.as_slice()) {
            (Part::Validate, lines) if is(info, &SHELL) && is_commands(lines) => {
                for (at, line) in (at + 1..).zip(lines).filter(|(_, line)| !line.trim().is_empty())
                {
                    let (line, expect) = (line.trim().to_owned(), Expect::Succeed);
                    let command = Command { line, expect, within: None };
                    let (text, lines) = (draft(&command), places(at..at + 1));
                    let command = Some(command);
                    self.body.exit.push(Draft { text, ticked: None, lines, command });
                }
                to.min(end)
            }
            (Part::Expected, [said]) => {
                let last = self.body.exit.last_mut();
                let Some((mut command, last)) =
                    last.and_then(|last| Some((last.command.take()?, last)))
                else {
                    return self.note(at..to.min(end));
                };
                command.expect = Expect::PrintOnly { text: said.trim().to_owned() };
                last.text = draft(&command);
                to.min(end)
            }
            _ => self.note(at..to.min(end)),
        }
    }
}
