//! Labels that the reader does not know, and what a label with its value on the line leaves open.

use super::super::super::document::unmarked;
use super::super::groups::{self, LABEL, Under};
use super::super::kept;
use super::super::parts::{Part, bold, is_bare};
use super::{Open, Walk};
use std::ops::Range;

impl Walk<'_, '_> {
    /// Whether a line says of the list behind it that it is no part of the sprint, "Out of scope", or names the first
    /// group of criteria. Other labels that the reader does not know end nothing. `last` is that it is the last line of its
    /// paragraph, which ends at `end`.
    pub(super) fn ends_part(&self, line: &str, last: bool, end: usize) -> bool {
        let group = || bold(line) && self.among_criteria().is_some() && !self.is_filled();
        last && (is_strange(line) || group()) && self.leads_list(end)
    }

    /// Where such a label is the last line of an item that ends at `end`, before the next one: CommonMark takes it for
    /// words of the item.
    pub(super) fn strange_label(&self, source: &str, end: usize) -> Option<usize> {
        let at = source.trim_end().rfind('\n')? + 1;
        let line = source.get(at..)?;
        let free = !line.starts_with(char::is_whitespace);
        (free && is_strange(line) && self.leads_list(end)).then_some(at)
    }

    /// Whether a list begins behind a byte.
    pub(super) fn leads_list(&self, at: usize) -> bool {
        let behind = self.outline.text.get(at..).unwrap_or_default().trim_start();
        let line = behind.lines().next().unwrap_or_default();
        unmarked(line) != line
    }

    /// Whether the last line of a paragraph that ends at `end` is a label without any mark, over a list or a fence.
    pub(super) fn is_bare_label(&self, line: &str, end: usize) -> bool {
        let fence = || {
            let behind = self.outline.text.get(end..).unwrap_or_default().trim_start();
            behind.starts_with("```")
        };
        is_bare(line) && (self.leads_list(end) || fence())
    }

    /// Whether the part that is open has what it was opened for.
    fn is_filled(&self) -> bool {
        match self.part {
            Some(Part::Entry | Part::Exit) => self.under.is_some_and(|under| under.listed),
            Some(Part::Tasks) => !self.body.tasks.is_empty(),
            Some(Part::Depends) => !self.body.depends.is_empty(),
            _ => false,
        }
    }

    /// Opens such a label; what is below it is a group of the criteria, or no part of the sprint.
    pub(super) fn foreign(&mut self, line: &str, here: &Range<usize>) -> Open {
        let before = (self.part, self.under);
        let part = self.begin_other(line, None);
        self.lead(line, LABEL);
        if part.is_none() && !self.leads_list(here.end) {
            self.body.kept.push(kept::block(self.reader, here));
        }
        Open { part: Part::Other, at: here.end..here.end, before }
    }

    /// Goes on with what was open before a label that said all on its line. A list below such a label is none of it,
    /// unless what was open still waits for its own.
    pub(super) fn reopen(&mut self, before: (Option<Part>, Option<Under>)) {
        (self.part, self.under) = before;
        if self.is_filled() {
            self.part = Some(Part::Other);
            self.under = self.under.map(|under| Under { aside: true, ..under });
        }
    }
}

/// Whether a line begins with a label without marks, whatever it says: "Owner: Ann".
pub(super) fn is_field(line: &str) -> bool {
    let Some((label, _)) = line.split_once(':') else { return false };
    let within = |c: char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '/');
    label.len() <= 32 && label.starts_with(char::is_uppercase) && label.chars().all(within)
}

/// Whether a line is the label of an aside: bold and alone, or with a colon.
fn is_strange(line: &str) -> bool {
    let alone = bold(line) || line.trim_end().ends_with(':') && !line.contains('`');
    alone && groups::is_aside(line)
}
