//! Tasks and criteria: items of a list with the lines that belong to them.

use super::super::clause;
use super::super::document::LineRange;
use super::super::line::{self, Within};
use super::super::model::Task;
use super::{Part, Reader};

/// An item that may go on.
#[derive(Debug, Default)]
pub(super) struct Open {
    pub(super) base: usize,
    pub(super) width: usize,
    id: String,
    text: String,
    pub(super) blanks: usize,
    ticked: Option<bool>,
    added: bool,
    lines: LineRange,
}

impl Reader {
    pub(super) fn item(&mut self, line: &str, item: line::Item<'_>) {
        let mut open = Open {
            base: line::indent(line),
            width: item.width,
            ticked: item.ticked,
            lines: LineRange::line(self.number),
            ..Open::default()
        };
        let (text, within) = match self.part {
            Part::Tasks => {
                let behind = line::added(item.text);
                open.added = behind.is_some();
                (behind.unwrap_or(item.text), Within::Task)
            }
            _ => {
                let (id, text) = clause::labelled(item.text);
                open.added = id.is_some_and(|(_, added)| added);
                open.id = id.map_or_else(String::new, |(id, _)| id.to_owned());
                (text, Within::Item)
            }
        };
        self.open = Some(open);
        self.add_line(text, within);
    }

    /// Whether a line belongs to the open item: it is indented more, or lies directly below and begins nothing else.
    pub(super) fn goes_on(&mut self, line: &str) -> bool {
        let Some(open) = &self.open else { return false };
        let (base, columns) = (open.base, open.base + open.width);
        let begins = || {
            line::item(line).is_some()
                || line::heading(line).is_some()
                || line::field(line).is_some()
                || line::opens(line).is_some()
                || line.trim_start().starts_with('>')
        };
        let goes_on = line::indent(line) > base || (open.blanks == 0 && !begins());
        if goes_on {
            self.add_line(&line::dedent(line, columns), Within::Item);
        }
        goes_on
    }

    /// A line of the open item; it may open a fence.
    pub(super) fn add_line(&mut self, line: &str, within: Within) {
        let bare = line::unguarded(line, within);
        if bare.is_none() {
            self.fence = line::opens(line).map(|fence| (fence, self.number));
        }
        self.push(bare.as_deref().unwrap_or(line));
    }

    pub(super) fn push(&mut self, line: &str) {
        let Some(open) = &mut self.open else { return };
        if open.lines.last != self.number {
            // Blank lines before the first words are layout.
            let breaks = if open.text.is_empty() { 0 } else { open.blanks + 1 };
            open.text.extend(std::iter::repeat_n('\n', breaks));
            open.lines.last = self.number;
        }
        let line = if open.text.is_empty() { line.trim_start() } else { line };
        open.text.push_str(line);
        open.blanks = 0;
    }

    /// The open item is over.
    pub(super) fn close(&mut self) {
        let Some(open) = self.open.take() else { return };
        let part = self.part;
        let Some(sprint) = self.sprint() else { return };
        if part == Part::Tasks {
            let Open { text, ticked, added, lines, .. } = open;
            return sprint.tasks.push(Task { text, ticked, added, lines });
        }
        let ticked = open.ticked == Some(true);
        let mut one = clause::criterion(open.id, &open.text, ticked, open.lines);
        one.added = open.added;
        match part {
            Part::Entry => sprint.entry.push(one),
            _ => sprint.exit.push(one),
        }
    }
}
