//! Groups and tables of tasks: "### Tasks" divided by headings, a table right below the sprint; and sections of HTML
//! that can be folded.

use super::super::super::label::split_label;
use super::super::super::outline::{Block, plain};
use super::super::groups::is_aside;
use super::super::items::{one_criterion, task};
use super::super::kept;
use super::super::parts::{Part, part};
use super::super::tables::{self, Sheet};
use super::{LABEL, Open, Walk, is_quiet};
use std::ops::Range;

impl<'a> Walk<'_, 'a> {
    /// Opens a group of tasks: below a heading "Tasks" a deeper one, below a label the first, and those behind it.
    pub(super) fn task_group(&mut self, label: &str, heading: Option<u8>) -> Option<Part> {
        let many = self.body.tasks.len();
        let tasked = self.tasked.as_mut()?;
        let group = match heading {
            Some(level) => level > tasked.level,
            None => many == tasked.before || tasked.grouped,
        };
        if !group || is_quiet(label) {
            let ends = heading.is_some_and(|level| level <= tasked.level);
            self.tasked = self.tasked.filter(|_| !ends);
            return None;
        }
        tasked.grouped = true;
        self.part = Some(Part::Tasks);
        self.part
    }

    /// "**1. Build:**" below criteria is a group of them, or one without a list of its own, where the tasks have a
    /// label and stand elsewhere.
    pub(super) fn numbered_group(
        &mut self,
        text: &str,
        here: &Range<usize>,
        last: bool,
    ) -> Option<Open> {
        let under = self.under.as_mut().filter(|_| self.named)?;
        (under.grouped, under.listed, under.aside) = (true, false, is_aside(text));
        let part = if under.aside { Part::Other } else { under.part };
        self.begin(Part::Other, LABEL);
        self.named_so(text, LABEL);
        self.part = Some(part);
        let before = (self.part, self.under);
        Some(match last && self.leads_list(here.end) {
            true => Open { part: Part::Other, at: here.end..here.end, before },
            false => Open { part, at: here.clone(), before },
        })
    }

    /// The label and name of a task: a heading with a number of two parts below one of tasks.
    pub(super) fn numbered_below<'w>(
        &self,
        words: &'w str,
        level: u8,
    ) -> Option<(&'w str, &'w str)> {
        self.tasked.filter(|tasked| level > tasked.level)?;
        let (label, name) = split_label(words);
        let (first, second) = label.split_once('.')?;
        let is_number =
            |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let name = name.trim_start_matches(|c: char| !c.is_alphanumeric() && c != '`');
        (is_number(first) && is_number(second) && !name.is_empty()).then_some((label, name))
    }

    /// A table that is not among criteria: one of tasks below their label, or right below the sprint.
    pub(super) fn other_table(&mut self, block: &Block, place: usize) {
        let Some(sheet) = self.reader.sheet(place) else { return };
        let others = tables::is_of_others(sheet);
        let read = match self.part {
            Some(Part::Tasks) => self.task_rows(sheet, true),
            // A goal has no table.
            None | Some(Part::Goal) if !self.named && !others => self.task_rows(sheet, false),
            _ => false,
        };
        if !read {
            self.look_at_rows(&block.range, place);
        }
        if !(read && !tables::tells_more(sheet) || others) {
            self.body.kept.push(kept::block(self.reader, &block.range));
        }
    }

    /// The rows of a table of tasks, with a criterion for each cell about what must hold. Whether it is one; without a
    /// label its head must say so.
    fn task_rows(&mut self, sheet: &Sheet<'a>, named: bool) -> bool {
        let rows = tables::task_rows(sheet, named);
        for (text, exit, lines) in &rows {
            self.body.tasks.push(task(text, self.body.tasks.len() + 1, *lines));
            self.body.exit.extend(exit.iter().map(|text| one_criterion(text, *lines)));
        }
        for row in sheet.rows().filter(|row| !rows.is_empty() && row.strikes()) {
            self.keep_row(row.lines());
        }
        !rows.is_empty()
    }

    /// The label of a section of HTML that can be folded opens its part, and the end of the section what was before.
    pub(super) fn fold(&mut self, range: &Range<usize>) {
        let source = self.outline.source(range);
        if !source.starts_with('<') {
            return;
        }
        let label =
            source.split_once("<summary>").and_then(|(_, rest)| rest.split_once("</summary>"));
        if let Some((label, _)) = label {
            self.folded = Some((self.part, self.under));
            let label = plain(label.trim());
            match part(&label) {
                Some(found) => self.begin(found, LABEL),
                None => {
                    self.begin_other(&label, None);
                }
            }
        }
        if source.contains("</details>")
            && let Some(before) = self.folded.take()
        {
            (self.part, self.under) = before;
        }
    }
}
