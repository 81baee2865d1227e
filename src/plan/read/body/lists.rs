//! Items of lists and fences below a label.

use super::super::super::document::{LineRange, is_struck, item_text, unboxed, unmarked};
use super::super::super::model::{PlanCriterion, PlanTask};
use super::super::super::outline::{Content, blocks};
use super::super::groups::{self, LABEL};
use super::super::items::{one_criterion, task};
use super::super::kept;
use super::super::parts::{Part, commands, is_bare, is_none, is_worded, label_of, labelled};
use super::super::tables::{number, said};
use super::super::transcript;
use super::super::wording;
use super::said::is_step;
use super::{Open, Walk, waiting};
use std::ops::Range;

impl Walk<'_, '_> {
    pub(super) fn list(&mut self, items: &[Range<usize>]) {
        let many = self.among_criteria().map(|part| self.many(part));
        items.iter().for_each(|item| self.item(item));
        let grown = many.filter(|_| self.among_criteria().is_some());
        self.before = grown.map(|many| (many, true));
    }

    pub(super) fn item(&mut self, range: &Range<usize>) {
        let source = self.outline.source(range);
        if let Some(at) = unindented_label(source).or_else(|| self.strange_label(source, range.end))
        {
            self.item(&(range.start..range.start + at));
            let tail = blocks(self.outline.text, &(range.start + at..range.end));
            return tail.iter().for_each(|block| self.block(block));
        }
        let bare = unboxed(unmarked(source)).0;
        let first = bare.lines().next().unwrap_or_default();
        let boxed = unboxed(unmarked(source)).1.is_some();
        // "**Step 2: Verify it**" is work, whatever its words could be over.
        let step = boxed && is_step(bare) && self.among_criteria().is_none();
        let label = labelled(first).filter(|_| !step);
        if let Some((found, inside)) = label {
            self.status(found, first, inside);
        }
        if let Some((found, inside)) = label
            && !matches!(found, Part::Other | Part::After)
            // Among tasks "Steps: …" is a task; only what stands out is a label there.
            && (bare.starts_with(['*', '_']) || self.part.is_none() && found != Part::Tests)
            && (self.is_free() || !is_worded(label_of(first)))
        {
            return self.labelled_item(found, range, bare, inside);
        }
        if let Some((info, body)) = fence_of(bare).filter(|_| self.among_criteria().is_some()) {
            return self.code(info, &body, &(range.end - bare.len()..range.end));
        }
        let text = item_text(source);
        let (text, ticked) = unboxed(&text);
        let lines = self.outline.lines(range);
        // Boxes behind the label of a group are criteria, too.
        let boxed = self.under.filter(|under| ticked.is_some() && !under.aside);
        let part = match (self.part, boxed) {
            (Some(Part::Other), Some(under)) => Some(under.part),
            // What is to be delivered must be there.
            (Some(Part::Other), None) if self.delivers && ticked.is_some() => Some(Part::Exit),
            _ if step => Some(Part::Tasks),
            (Some(Part::Other | Part::Expected), None)
                if ticked.is_some() && self.is_open_work() =>
            {
                None
            }
            (part, _) => part,
        };
        if step {
            (self.stepped, self.part) = (true, Some(Part::Task));
        }
        let made = self.under.is_some_and(|under| under.tests) && wording::is_made(text);
        let one = || PlanCriterion { ticked: ticked == Some(true), ..one_criterion(text, lines) };
        let body = &mut self.body;
        match part {
            // Nothing was made of it.
            _ if text.is_empty() => body.kept.push(kept::item(self.reader, range)),
            // What its author struck out is none, and named.
            Some(Part::Entry | Part::Exit | Part::Tasks) | None if is_struck(text) => {
                body.kept.push(kept::item(self.reader, range));
            }
            Some(Part::Entry) => {
                body.preconditions.push(range.clone());
                if !is_none(text) {
                    self.criterion(Part::Entry, one());
                } else if said(text) {
                    body.kept.push(kept::item(self.reader, range));
                }
            }
            Some(Part::Exit) if made => self.listed_task(text, ticked, range),
            Some(Part::Exit) => self.criterion(Part::Exit, one()),
            Some(Part::Depends) => body.depends.push(range.end - bare.len()..range.end),
            Some(Part::Blocks) => body.held.push(range.end - bare.len()..range.end),
            Some(Part::Needs) => body.needs.push((range.end - bare.len()..range.end, true)),
            Some(Part::Tasks) | None if waiting::is_sentence(bare) => {
                body.needs.push((range.end - bare.len()..range.end, true));
            }
            Some(Part::Task) => {
                if let Some(last) = body.tasks.last_mut() {
                    last.text.push_str(&format!("\n- {text}"));
                    last.lines.last = lines.last;
                }
                self.accept(range, false);
            }
            Some(Part::Tasks) => self.listed_task(text, ticked, range),
            None if !self.named => self.listed_task(text, ticked, range),
            // "Phase A" among the tasks: the numbers go on.
            Some(Part::Other) if self.tasks && number(source) == next_number(&body.tasks) => {
                self.listed_task(text, ticked, range);
            }
            _ => {
                body.kept.push(kept::item(self.reader, range));
                self.look_at(range, true);
            }
        }
    }

    fn listed_task(&mut self, text: &str, ticked: Option<bool>, range: &Range<usize>) {
        let (source, lines) = (self.outline.source(range), self.outline.lines(range));
        let digits = source.len() - source.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let place = source[..digits].parse().unwrap_or(self.body.tasks.len() + 1);
        let one = PlanTask { ticked: ticked == Some(true), ..task(text, place, lines) };
        self.body.tasks.push(one);
        self.accept(range, true);
        self.look_at_table(range);
    }

    /// `- **Exit criteria**: …`, with bullets below it.
    fn labelled_item(&mut self, found: Part, range: &Range<usize>, bare: &str, inside: usize) {
        let before = (self.part, self.under);
        let leads = std::mem::take(&mut self.leads);
        self.begin(found, LABEL);
        self.lead_part(bare.get(..inside).unwrap_or_default());
        let start = range.end - bare.len();
        let first = bare.split_inclusive('\n').next().unwrap_or_default();
        self.close(Some(Open {
            part: found,
            at: start + inside..start + first.len(),
            before: (Some(found), self.under),
        }));
        let nested = start + first.len()..range.end;
        for block in blocks(self.outline.text, &nested) {
            match block.content {
                // Deep bullets are indented code to a parser that does not see the list around them.
                Content::Code { ref body, .. }
                    if body.trim_start().starts_with(['-', '*', '+']) =>
                {
                    self.items_of(&block.range);
                }
                _ => self.block(&block),
            }
        }
        (self.part, self.under) = before;
        self.leads = leads;
    }

    /// Each line of code or of a fence as an item.
    fn items_of(&mut self, range: &Range<usize>) {
        let mut at = range.start;
        for line in self.outline.source(range).split_inclusive('\n') {
            let bare = line.trim_start();
            if !bare.is_empty() && !bare.starts_with("```") && !bare.starts_with("~~~") {
                self.item(&(at + line.len() - bare.len()..at + line.len()));
            }
            at += line.len();
        }
    }

    /// A fence: commands to verify with, or what they should print.
    pub(super) fn code(&mut self, info: &str, body: &str, range: &Range<usize>) {
        let shell = transcript::holds_commands(info, body);
        let first = self.outline.line(range.start).saturating_add(u32::from(
            !info.is_empty() || self.outline.source(range).starts_with(['`', '~']),
        ));
        match self.part {
            Some(Part::Exit | Part::Entry) if info.is_empty() && is_list(body) => {
                self.items_of(range);
            }
            Some(part @ (Part::Exit | Part::Entry)) if shell => {
                let before = self.many(part);
                groups::fenced(body, first).into_iter().for_each(|one| self.criterion(part, one));
                self.before = Some((before, false));
            }
            Some(Part::Exit | Part::Entry) => {
                self.body.kept.push(kept::block(self.reader, range));
            }
            Some(Part::Expected) => self.expect(body.trim()),
            Some(Part::Tasks) if shell && self.body.tasks.is_empty() => {
                for (command, place) in commands(&transcript::typed(body)) {
                    let at = first + place;
                    let lines = LineRange { first: at, last: at };
                    let place = self.body.tasks.len() + 1;
                    self.body.tasks.push(task(&format!("`{command}`"), place, lines));
                }
            }
            _ => self.look_at_fence(shell, info, body, range),
        }
    }
}

/// The words behind a fence that is all of an item, and what is inside.
fn fence_of(bare: &str) -> Option<(&str, String)> {
    let mark = ["```", "~~~"].into_iter().find(|mark| bare.starts_with(mark))?;
    let (first, rest) = bare.split_once('\n')?;
    let info = first.trim_start_matches(['`', '~']).trim();
    let body: Vec<&str> =
        rest.lines().map(str::trim).take_while(|line| !line.starts_with(mark)).collect();
    let behind = rest.lines().skip(body.len() + 1).any(|line| !line.trim().is_empty());
    (!info.contains('`') && !behind).then(|| (info, body.join("\n")))
}

/// Whether all lines are items of a list.
fn is_list(body: &str) -> bool {
    let mut lines = body.lines().filter(|line| !line.trim().is_empty()).peekable();
    lines.peek().is_some() && lines.all(|line| unmarked(line) != line.trim_start())
}

/// Where a label begins a line of its own in an item. To CommonMark such a line goes on with the words of the
/// item; whoever writes it without a blank line before it means the next part of the sprint.
fn unindented_label(source: &str) -> Option<usize> {
    let mut at = source.find('\n')? + 1;
    for line in source[at..].split_inclusive('\n') {
        let stands_out = line.starts_with("**") || line.starts_with("__");
        let whole = |part: Part| {
            matches!(part, Part::Entry | Part::Exit | Part::Depends | Part::Blocks)
                && !is_worded(label_of(line))
        };
        let found = labelled(line)
            .filter(|(part, _)| stands_out || line.trim_end().ends_with(':') || whole(*part));
        let indented = line.starts_with([' ', '\t']);
        if let Some((part, inside)) = found
            && !indented
            && (part != Part::Other || line[inside..].trim().is_empty())
        {
            return Some(at);
        }
        // "Exit criteria" as the last line, over the list behind it.
        if !indented && at + line.len() == source.len() && is_bare(line) {
            return Some(at);
        }
        at += line.len();
    }
    None
}

pub(super) fn next_number(tasks: &[PlanTask]) -> Option<u32> {
    u32::try_from(tasks.len() + 1).ok()
}
