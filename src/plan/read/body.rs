//! Reads what is written in a sprint: labelled lines, sub-headings, lists and fences become entry
//! criteria, tasks, exit criteria and fields. What has another label stays text of the document.

use super::super::classify;
use super::super::document::{LineRange, item_text, unboxed, unmarked};
use super::super::label::{Headed, headed};
use super::super::model::{
    Check, Expectation, PlanCriterion, PlanTask, Priority, TaskKind, thousandths,
};
use super::super::outline::{Content, Outline, blocks, spans};
use super::Reader;
use super::find::Draft;
use super::kept::{self, Kept};
use super::parts::{Part, commands, is_none, labelled, numbered_bold, part};
use super::tables::{number, said, tidy};
use crate::vocab::criterion;
use std::ops::Range;

/// A sprint's parts.
#[derive(Clone, Debug, Default)]
pub(super) struct Body {
    pub(super) goal: Option<String>,
    pub(super) kind: Option<String>,
    pub(super) unit: Option<String>,
    pub(super) layer: Option<u32>,
    pub(super) priority: Option<Priority>,
    pub(super) model: Option<String>,
    pub(super) turns: Option<u32>,
    pub(super) entry: Vec<PlanCriterion>,
    pub(super) tasks: Vec<PlanTask>,
    pub(super) exit: Vec<PlanCriterion>,
    /// Texts about dependencies.
    pub(super) depends: Vec<Range<usize>>,
    /// Texts of preconditions.
    pub(super) preconditions: Vec<Range<usize>>,
    /// Something is said about preconditions or dependencies, be it "none".
    pub(super) spoken: bool,
    /// The last byte that says something.
    pub(super) end: usize,
    /// Its blocks, if it is more than a row of a table.
    pub(super) blocks: Range<usize>,
    /// What is in it and in no part of it.
    pub(super) kept: Vec<Kept>,
}

/// Reads the body of a sprint.
pub(super) fn read(reader: &Reader<'_>, draft: &mut Draft) -> Body {
    let outline = &reader.outline;
    let mut body = Body { end: draft.at.end, ..Body::default() };
    if let Some(row) = draft.row.clone() {
        from_row(outline, &mut body, &row);
        return body;
    }
    body.blocks = draft.blocks.clone();
    let mut walk = Walk { reader, outline, body, part: None, named: false, tasks: false };
    let first = if draft.tasks { draft.blocks.start } else { draft.blocks.start + 1 };
    if let Some(heading) = outline.blocks.get(draft.blocks.start) {
        walk.body.end = heading.range.start + outline.source(&heading.range).trim_end().len();
    }
    for block in outline.blocks.get(first..draft.blocks.end).unwrap_or_default() {
        if !matches!(block.content, Content::Rule) {
            walk.body.end = block.range.start + outline.source(&block.range).trim_end().len();
        }
        walk.block(block);
    }
    let mut body = walk.body;
    number_criteria(&mut body.entry, "EC");
    number_criteria(&mut body.exit, "AC");
    body
}

fn from_row(outline: &Outline<'_>, body: &mut Body, row: &super::tables::SprintRow) {
    body.unit = row.unit.clone();
    body.layer = row.layer;
    body.model = row.model.clone();
    body.kind = row.kind.clone();
    let cell = |range: &Range<usize>| outline.source(range);
    body.priority = row.priority.as_ref().map(|range| priority(cell(range), outline.lines(range)));
    if let Some(range) = &row.depends {
        body.spoken = true;
        body.depends.push(range.clone());
    }
    let parts = |range: &Range<usize>| -> Vec<String> {
        let parts = cell(range).split([';']).flat_map(|part| part.split("<br>"));
        parts.map(|part| part.trim().to_owned()).filter(|part| said(part)).collect()
    };
    if let Some(range) = &row.entry {
        body.spoken = true;
        body.preconditions.push(range.clone());
        body.entry = parts(range).into_iter().map(|text| one_criterion(&text, row.lines)).collect();
    }
    if let Some(range) = &row.exit {
        body.exit = parts(range).into_iter().map(|text| one_criterion(&text, row.lines)).collect();
    }
    if let Some(range) = &row.tasks
        && number(cell(range)).is_none()
    {
        let each = parts(range).into_iter().enumerate();
        body.tasks = each.map(|(place, text)| task(&text, place + 1, row.lines)).collect();
    }
    number_criteria(&mut body.entry, "EC");
    number_criteria(&mut body.exit, "AC");
    body.end = row.label_at.end;
}

struct Walk<'r, 'a> {
    reader: &'r Reader<'a>,
    outline: &'r Outline<'a>,
    body: Body,
    part: Option<Part>,
    /// A list of tasks was named as such; lists without a name are none then.
    named: bool,
    /// Tasks were the last part with a known name.
    tasks: bool,
}

impl<'a> Walk<'_, 'a> {
    fn block(&mut self, block: &super::super::outline::Block) {
        match &block.content {
            Content::Heading(_) => self.heading(block),
            Content::Paragraph => self.paragraph(&block.range),
            Content::List(items) => items.iter().for_each(|item| self.item(item)),
            Content::Code { info, body } => self.code(info, body, &block.range),
            Content::Other => self.body.kept.extend(kept::quoted(self.reader, block)),
            Content::Table(_) | Content::Rule => {}
        }
    }

    fn heading(&mut self, block: &super::super::outline::Block) {
        let (words, _) = self.outline.heading(block);
        if let Headed::Sprint { label, name, .. } = headed(words, &["task"]) {
            return self.open_task(label, name, &block.range);
        }
        let found = part(words);
        if found.is_none() {
            let range = block.range.start
                ..block.range.start + self.outline.source(&block.range).trim_end().len();
            self.body.kept.push(Kept { range, counts: [1, 0] });
        }
        self.begin(found.unwrap_or(Part::Other));
    }

    fn open_task(&mut self, label: &str, text: &str, range: &Range<usize>) {
        let lines = self.outline.lines(range);
        let text = text.to_owned();
        let kind = classify::task_kind(&text);
        self.body.tasks.push(PlanTask {
            label: label.to_owned(),
            text,
            kind,
            ticked: false,
            lines,
        });
        self.part = Some(Part::Task);
        self.named = true;
    }

    /// Labelled lines, or words that go on.
    fn paragraph(&mut self, range: &Range<usize>) {
        let source = self.outline.source(range);
        let mut open: Option<(Part, Range<usize>)> = None;
        let mut at = range.start;
        for line in source.split_inclusive('\n') {
            let here = at..at + line.len();
            at = here.end;
            if let Some((label, text)) = numbered_bold(line) {
                self.close(open.take());
                self.open_task(label, &text, &here);
            } else if let Some((found, inside)) = labelled(line) {
                self.close(open.take());
                self.begin(found);
                let start = here.start + inside;
                open = Some((found, start..here.end));
            } else if let Some((_, range)) = &mut open {
                range.end = here.end;
            }
        }
        match open {
            Some(open) => self.close(Some(open)),
            None if labelled(source).is_none() && numbered_bold(source).is_none() => {
                self.words(range)
            }
            None => {}
        }
    }

    fn begin(&mut self, found: Part) {
        self.part = Some(found);
        self.named |= found == Part::Tasks;
        self.tasks = found == Part::Tasks || self.tasks && found == Part::Other;
        self.body.spoken |= matches!(found, Part::Entry | Part::Depends);
    }

    /// What stands behind a label on its own lines.
    fn close(&mut self, open: Option<(Part, Range<usize>)>) {
        let Some((found, range)) = open else { return };
        let source = self.outline.source(&range);
        let start = range.start + (source.len() - source.trim_start().len());
        let range = start..start + source.trim().len();
        if !range.is_empty() {
            self.inline(found, &range);
        }
    }

    fn inline(&mut self, found: Part, range: &Range<usize>) {
        let source = self.outline.source(range);
        let text = source.split_whitespace().collect::<Vec<_>>().join(" ");
        let lines = self.outline.lines(range);
        let body = &mut self.body;
        match found {
            Part::Entry => {
                body.preconditions.push(range.clone());
                if !is_none(&text) {
                    body.entry.push(one_criterion(&text, lines));
                }
            }
            Part::Exit if !is_none(&text) => body.exit.push(one_criterion(&text, lines)),
            Part::Tasks if !text.starts_with('(') => {
                body.tasks.push(task(&text, body.tasks.len() + 1, lines));
            }
            Part::Depends => body.depends.push(range.clone()),
            Part::Goal => body.goal = Some(text),
            Part::Layer => {
                body.layer = number(&text);
                if text.to_lowercase().contains("depends on")
                    && !text.to_lowercase().contains("depends on this")
                {
                    body.depends.push(range.clone());
                }
            }
            Part::Priority => body.priority = Some(priority(&text, lines)),
            Part::Model => body.model = Some(tidy(&text)),
            Part::Kind => body.kind = Some(text),
            Part::Turns => body.turns = number(&text),
            Part::Unit => body.unit = Some(tidy(&text)),
            Part::Expected => self.expect_words(&text),
            Part::Exit | Part::Tasks | Part::Task | Part::Other => {}
        }
    }

    /// A paragraph without a label: all that is said where a list could be.
    fn words(&mut self, range: &Range<usize>) {
        let empty = match self.part {
            Some(Part::Entry) => self.body.entry.is_empty(),
            Some(Part::Exit) => self.body.exit.is_empty(),
            Some(Part::Depends) => true,
            Some(Part::Goal) => self.body.goal.is_none(),
            _ => false,
        };
        if let Some(found) = self.part.filter(|_| empty) {
            let lead = self.outline.source(range).trim_end().ends_with(':');
            if !lead {
                self.inline(
                    found,
                    &(range.start..range.start + self.outline.source(range).trim_end().len()),
                );
            }
        }
    }

    fn item(&mut self, range: &Range<usize>) {
        let source = self.outline.source(range);
        if let Some(at) = unindented_label(source) {
            self.item(&(range.start..range.start + at));
            let tail = blocks(self.outline.text, &(range.start + at..range.end));
            return tail.iter().for_each(|block| self.block(block));
        }
        let bare = unboxed(unmarked(source)).0;
        if let Some((found, inside)) = labelled(bare.lines().next().unwrap_or_default())
            && found != Part::Other
            // Among tasks "Steps: …" is a task; only what stands out is a label there.
            && (bare.starts_with(['*', '_']) || self.part.is_none())
        {
            return self.labelled_item(found, range, bare, inside);
        }
        let text = item_text(source);
        let (text, ticked) = unboxed(&text);
        let lines = self.outline.lines(range);
        let body = &mut self.body;
        match self.part {
            _ if text.is_empty() => {}
            Some(Part::Entry) => {
                body.preconditions.push(range.clone());
                if !is_none(text) {
                    body.entry.push(PlanCriterion {
                        ticked: ticked == Some(true),
                        ..one_criterion(text, lines)
                    });
                } else if said(text) {
                    body.kept.push(kept::item(self.reader, range));
                }
            }
            Some(Part::Exit) => {
                body.exit.push(PlanCriterion {
                    ticked: ticked == Some(true),
                    ..one_criterion(text, lines)
                });
            }
            Some(Part::Depends) => body.depends.push(range.clone()),
            Some(Part::Task) => {
                if let Some(last) = body.tasks.last_mut() {
                    last.text.push_str(&format!("\n- {text}"));
                    last.lines.last = lines.last;
                }
            }
            Some(Part::Tasks) => self.listed_task(text, ticked, source, lines),
            None if !self.named => self.listed_task(text, ticked, source, lines),
            // "Phase A" among the tasks: the numbers go on.
            Some(Part::Other) if self.tasks && number(source) == next_number(&body.tasks) => {
                self.listed_task(text, ticked, source, lines);
            }
            _ => body.kept.push(kept::item(self.reader, range)),
        }
    }

    fn listed_task(&mut self, text: &str, ticked: Option<bool>, source: &str, lines: LineRange) {
        let digits = source.len() - source.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let place = source[..digits].parse().unwrap_or(self.body.tasks.len() + 1);
        let one = PlanTask { ticked: ticked == Some(true), ..task(text, place, lines) };
        self.body.tasks.push(one);
    }

    /// `- **Exit criteria**: …`, with bullets below it.
    fn labelled_item(&mut self, found: Part, range: &Range<usize>, bare: &str, inside: usize) {
        let before = self.part;
        self.begin(found);
        let start = range.end - bare.len();
        let first = bare.split_inclusive('\n').next().unwrap_or_default();
        self.close(Some((found, start + inside..start + first.len())));
        let nested = start + first.len()..range.end;
        for block in blocks(self.outline.text, &nested) {
            match block.content {
                // Deep bullets are indented code to a parser that does not see the list around them.
                Content::Code { ref body, .. }
                    if body.trim_start().starts_with(['-', '*', '+']) =>
                {
                    let mut at = block.range.start;
                    for line in self.outline.source(&block.range).split_inclusive('\n') {
                        let skip = line.len() - line.trim_start().len();
                        if !line.trim().is_empty() {
                            self.item(&(at + skip..at + line.len()));
                        }
                        at += line.len();
                    }
                }
                _ => self.block(&block),
            }
        }
        self.part = before;
    }

    /// A fence: commands to verify with, or what they should print.
    fn code(&mut self, info: &str, body: &str, range: &Range<usize>) {
        let language = info.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
        let shell = matches!(language, "" | "bash" | "sh" | "shell" | "zsh" | "console" | "fish");
        let first = self.outline.line(range.start).saturating_add(u32::from(
            !info.is_empty() || self.outline.source(range).starts_with(['`', '~']),
        ));
        match self.part {
            Some(Part::Exit | Part::Entry) if shell => {
                for (command, place) in commands(body) {
                    let at = first + place;
                    let lines = LineRange { first: at, last: at };
                    let check =
                        Check::Command { command: command.clone(), expect: Expectation::Success };
                    let text = format!("`{command}`");
                    let one =
                        PlanCriterion { id: String::new(), text, check, ticked: false, lines };
                    match self.part {
                        Some(Part::Entry) => self.body.entry.push(one),
                        _ => self.body.exit.push(one),
                    }
                }
            }
            Some(Part::Expected) => self.expect(body.trim()),
            Some(Part::Tasks) if shell && self.body.tasks.is_empty() => {
                for (command, place) in commands(body) {
                    let at = first + place;
                    let lines = LineRange { first: at, last: at };
                    let place = self.body.tasks.len() + 1;
                    self.body.tasks.push(task(&format!("`{command}`"), place, lines));
                }
            }
            _ => {}
        }
    }

    /// What the last command is to do.
    fn expect(&mut self, output: &str) {
        if let Some(Check::Command { expect, .. }) = self.last_command().map(|one| &mut one.check)
            && !output.is_empty()
        {
            let text = output.to_owned();
            *expect = match text.bytes().all(|byte| byte.is_ascii_digit()) {
                true => Expectation::Exactly { text },
                false => Expectation::Output { text },
            };
        }
    }

    /// The same in words: a number, a code span, or what the sentence about a command could say. Others
    /// are left with the command to whoever judges.
    fn expect_words(&mut self, words: &str) {
        let bare = tidy(words);
        let whole =
            matches!(spans(words).as_slice(), [(1, code)] if code.len() + 2 == words.trim().len());
        if whole || !bare.is_empty() && bare.bytes().all(|byte| byte.is_ascii_digit()) {
            return self.expect(&bare);
        }
        let Some(one) = self.last_command() else { return };
        let text = format!("{} {words}", one.text);
        one.check = match classify::check(&text) {
            check @ Check::Command { .. } => check,
            _ => classify::check(&format!("{} → {words}", one.text)),
        };
        one.text = match &one.check {
            Check::Command { .. } => text,
            _ => format!("{} → {words}", one.text),
        };
    }

    fn last_command(&mut self) -> Option<&mut PlanCriterion> {
        let mut all = self.body.exit.iter_mut().rev();
        all.find(|one| matches!(one.check, Check::Command { .. }))
    }
}

/// Where a label begins a line of its own in an item. To CommonMark such a line goes on with the words of the
/// item; whoever writes it without a blank line before it means the next part of the sprint.
fn unindented_label(source: &str) -> Option<usize> {
    let mut at = source.find('\n')? + 1;
    for line in source[at..].split_inclusive('\n') {
        let stands_out = line.starts_with("**") || line.starts_with("__");
        let found = labelled(line).filter(|_| stands_out || line.trim_end().ends_with(':'));
        if let Some((part, inside)) = found
            && !line.starts_with([' ', '\t'])
            && (part != Part::Other || line[inside..].trim().is_empty())
        {
            return Some(at);
        }
        at += line.len();
    }
    None
}

fn next_number(tasks: &[PlanTask]) -> Option<u32> {
    u32::try_from(tasks.len() + 1).ok()
}

fn one_criterion(text: &str, lines: LineRange) -> PlanCriterion {
    let id = criterion::label(text).unwrap_or_default();
    PlanCriterion { id, text: text.to_owned(), check: classify::check(text), ticked: false, lines }
}

/// Gives ids to those that have none, or one that is taken.
pub(super) fn number_criteria(criteria: &mut [PlanCriterion], prefix: &str) {
    let mut taken = std::collections::BTreeSet::new();
    for one in criteria.iter_mut() {
        if !one.id.is_empty() && !taken.insert(one.id.clone()) {
            one.id = String::new();
        }
    }
    for (place, one) in criteria.iter_mut().enumerate() {
        let mut number = place + 1;
        while one.id.is_empty() {
            let id = format!("{prefix}-{number:03}");
            if taken.insert(id.clone()) {
                one.id = id;
            }
            number += criteria_step(number);
        }
    }
}

/// Past any number an author may have used.
fn criteria_step(number: usize) -> usize {
    if number < 1_000 { 1_000 } else { 1 }
}

fn task(text: &str, place: usize, lines: LineRange) -> PlanTask {
    let kind = classify::task_kind(text);
    PlanTask { label: place.to_string(), text: text.to_owned(), kind, ticked: false, lines }
}

/// `15.5 — the reason`.
pub(super) fn priority(text: &str, lines: LineRange) -> Priority {
    let bare = text.trim_start_matches(['*', '_', '`', ' ']);
    let (score, rest) = match thousandths(bare) {
        Some((score, rest)) => (Some(score), rest),
        None => (None, bare),
    };
    let reason = match score {
        Some(_) => rest.trim_start_matches(['*', '_', '`', ' ', '—', '–', '-', ':', '.', ',']),
        None => rest,
    };
    Priority { score, reason: reason.trim().to_owned(), lines }
}

/// The kind of a sprint.
pub(super) fn kind(body: &Body, name: &str) -> TaskKind {
    classify::sprint_kind(body.kind.as_deref(), name, body.tasks.iter().map(|task| &task.kind))
}
