//! Reads what is written in a sprint: labelled lines, sub-headings, lists and fences become entry
//! criteria, tasks, exit criteria and fields. What has another label stays text of the document.

mod accepted;
mod behind;
mod expect;
mod grouped;
mod lead;
mod lists;
mod neutral;
mod said;
mod strange;
mod unchecked;
mod waiting;

use super::super::classify;
use super::super::document::{LineRange, unboxed, unmarked, unwrapped};
use super::super::label::{Headed, headed, is_put_off};
use super::super::model::{PlanCriterion, PlanTask, Priority, TaskKind};
use super::super::outline::{Content, Outline};
use super::Reader;
use super::find::{Draft, TASK};
use super::groups::{self, LABEL, Under};
use super::items::{self, from_row, number_criteria};
use super::kept::{self, Kept};
use super::parts::{Part, label_of, labelled, numbered_bold, part};
use super::rowed;
use lead::Lead;
use std::ops::Range;
pub(super) use unchecked::{Unchecked, is_quiet, warn};

/// A sprint's parts.
#[derive(Clone, Debug, Default)]
pub(super) struct Body {
    pub(super) goal: Option<String>,
    pub(super) kind: Option<String>,
    pub(super) unit: Option<String>,
    pub(super) layer: Option<u32>,
    /// A text about its layer without a number that could be read.
    pub(super) layer_unread: Option<Range<usize>>,
    pub(super) priority: Option<Priority>,
    pub(super) model: Option<String>,
    pub(super) turns: Option<u32>,
    /// Its status is that it is put off.
    pub(super) deferred: bool,
    pub(super) entry: Vec<PlanCriterion>,
    pub(super) tasks: Vec<PlanTask>,
    pub(super) exit: Vec<PlanCriterion>,
    /// Texts about dependencies.
    pub(super) depends: Vec<Range<usize>>,
    /// Texts that say whom it waits for if they name somebody of the plan; and whether they say so of anybody.
    pub(super) needs: Vec<(Range<usize>, bool)>,
    /// Texts that say who waits for it.
    pub(super) held: Vec<Range<usize>>,
    /// A label about dependencies with nothing behind it on its line.
    pub(super) asked: Option<Range<usize>>,
    /// Texts of preconditions.
    pub(super) preconditions: Vec<Range<usize>>,
    /// Something is said about preconditions or dependencies, be it "none".
    pub(super) spoken: bool,
    /// The last byte that says something.
    pub(super) end: usize,
    /// Its blocks, if it is more than a row of a table.
    pub(super) blocks: Range<usize>,
    /// Its tasks have a label.
    pub(super) named: bool,
    /// What is in it and in no part of it.
    pub(super) kept: Vec<Kept>,
    /// What of that somebody would have to look at.
    pub(super) unchecked: Vec<Unchecked>,
}

/// Reads the body of a sprint. A heading "Task 1" without boxes of its own below it is one task.
pub(super) fn read(reader: &Reader<'_>, draft: &mut Draft) -> Body {
    let body = walked(reader, draft);
    if draft.word != TASK || draft.tasks {
        return body;
    }
    let boxed = |task: &PlanTask| {
        let range = reader.outline.bytes(task.lines);
        unboxed(unmarked(reader.outline.source(&range))).1.is_some()
    };
    if body.tasks.iter().any(boxed) {
        return body;
    }
    draft.tasks = true;
    walked(reader, draft)
}

fn walked(reader: &Reader<'_>, draft: &Draft) -> Body {
    let outline = &reader.outline;
    let mut body = Body { end: draft.at.end, ..Body::default() };
    if let Some(row) = draft.row.clone() {
        from_row(outline, &mut body, &row);
        return body;
    }
    body.blocks = draft.blocks.clone();
    let mut walk = Walk {
        reader,
        outline,
        body,
        part: None,
        under: None,
        named: false,
        tasks: false,
        label: String::new(),
        quiet: None,
        delivers: false,
        opened: 0,
        accepted: Vec::new(),
        tasked: None,
        folded: None,
        said: false,
        referred: Vec::new(),
        stepped: false,
        run: None,
        leads: Vec::new(),
        before: None,
    };
    let first = if draft.tasks { draft.blocks.start } else { draft.blocks.start + 1 };
    if let Some(heading) = outline.blocks.get(draft.blocks.start) {
        walk.body.end = heading.range.start + outline.source(&heading.range).trim_end().len();
    }
    for (block, place) in
        outline.blocks.get(first..draft.blocks.end).unwrap_or_default().iter().zip(first..)
    {
        if !matches!(block.content, Content::Rule) {
            walk.body.end = block.range.start + outline.source(&block.range).trim_end().len();
        }
        match block.content {
            Content::Table(_) => walk.table(block, place),
            _ => walk.block(block),
        }
    }
    walk.refer_all();
    walk.run_last();
    walk.accept_all();
    let mut body = walk.body;
    body.named = walk.named;
    if let Some(row) = &draft.told {
        items::join_row(outline, &mut body, row);
    }
    body.deferred |= !draft.tasks && is_struck_out(outline, draft.blocks.start);
    number_criteria(&mut body.entry, "EC");
    number_criteria(&mut body.exit, "AC");
    body
}

/// Whether the heading at a block is struck out.
fn is_struck_out(outline: &Outline<'_>, place: usize) -> bool {
    let block =
        outline.blocks.get(place).filter(|block| matches!(block.content, Content::Heading(_)));
    block.is_some_and(|block| unwrapped(unboxed(outline.heading(block).0).0).1)
}

/// A label whose words go on.
struct Open {
    part: Part,
    at: Range<usize>,
    /// What was open before it.
    before: (Option<Part>, Option<Under>),
}

struct Walk<'r, 'a> {
    reader: &'r Reader<'a>,
    outline: &'r Outline<'a>,
    body: Body,
    part: Option<Part>,
    /// The criteria that are open, with the groups below them.
    under: Option<Under>,
    /// A list of tasks was named as such; lists without a name are none then.
    named: bool,
    /// Tasks were the last part with a known name.
    tasks: bool,
    /// The label or heading of no known part that is open.
    label: String,
    /// The level of an open heading or label below which nothing is to be checked.
    quiet: Option<u8>,
    /// Below "Deliverables" boxes say what must be there.
    delivers: bool,
    /// How many labels and headings there were.
    opened: usize,
    /// What the tasks say themselves of how they are accepted.
    accepted: Vec<PlanCriterion>,
    /// The tasks that are open, with the groups below them.
    tasked: Option<Under>,
    /// What was open before the label of a section of HTML that can be folded.
    folded: Option<(Option<Part>, Option<Under>)>,
    /// The label of no known part that is open said all on its line.
    said: bool,
    /// Ids of requirements in the place of tasks.
    referred: Vec<PlanTask>,
    /// Boxes of it are steps of a task.
    stepped: bool,
    /// What the last step that runs something runs.
    run: Option<said::Run>,
    /// Words over the criteria that follow, the widest first.
    leads: Vec<Lead>,
    /// How many criteria there were before the fence or list that was read last, if nothing was read since, and
    /// whether it was a list.
    before: Option<(usize, bool)>,
}

impl<'a> Walk<'_, 'a> {
    fn block(&mut self, block: &super::super::outline::Block) {
        match &block.content {
            Content::Heading(_) => self.heading(block),
            Content::Paragraph if kept::is_footnote(self.outline.source(&block.range)) => {
                self.body.kept.push(kept::block(self.reader, &block.range));
            }
            Content::Paragraph => self.paragraph(&block.range),
            Content::List(items) => self.list(items),
            Content::Code { info, body } => self.code(info, body, &block.range),
            Content::Other => {
                self.fold(&block.range);
                self.body.kept.extend(kept::quoted(self.reader, block));
                self.look_at(&block.range, false);
            }
            Content::Table(_) => {
                let among = self.among_criteria();
                self.body.kept.extend(among.map(|_| kept::block(self.reader, &block.range)));
            }
            Content::Rule => {}
        }
    }

    /// A table: among criteria each row is one.
    fn table(&mut self, block: &super::super::outline::Block, place: usize) {
        let order = self.reader.sheet(place).is_some_and(super::tables::is_of_order);
        let Some(part) = self.among_criteria().filter(|_| !order) else {
            return self.other_table(block, place);
        };
        let rows = rowed::rows(self.reader, place);
        if rows.is_empty() {
            self.body.kept.push(kept::block(self.reader, &block.range));
        }
        let struck = rowed::struck(self.reader, place);
        for lines in struck.into_iter().filter(|_| !rows.is_empty()) {
            self.keep_row(lines);
        }
        for row in rows {
            if part == Part::Entry {
                self.body.preconditions.push(self.outline.bytes(row.lines));
            }
            self.criterion(part, row);
        }
    }

    /// Names a row of which nothing was made.
    fn keep_row(&mut self, lines: LineRange) {
        self.body.kept.push(kept::block(self.reader, &self.outline.bytes(lines)));
    }

    /// The part of criteria that is open.
    fn among_criteria(&self) -> Option<Part> {
        self.part.filter(|part| matches!(part, Part::Entry | Part::Exit))
    }

    /// A criterion that is no paragraph.
    fn criterion(&mut self, part: Part, one: PlanCriterion) {
        let one = self.led(one);
        self.before = None;
        match part {
            Part::Entry => self.body.entry.push(one),
            _ => self.body.exit.push(one),
        }
        if let Some(under) = &mut self.under {
            under.listed = true;
        }
    }

    fn many(&self, part: Part) -> usize {
        if part == Part::Entry { self.body.entry.len() } else { self.body.exit.len() }
    }

    /// Opens a label or heading of no known part, which may be a group of the criteria that are open.
    fn begin_other(&mut self, label: &str, heading: Option<u8>) -> Option<Part> {
        self.begin(Part::Other, LABEL);
        self.named_so(label, heading.unwrap_or(LABEL));
        let many = self.under.map_or(0, |under| self.many(under.part));
        let Some(under) = self.under.as_mut() else { return self.task_group(label, heading) };
        under.aside = groups::is_aside(label);
        if !under.is_group(label, many, heading) {
            // A heading of the same rank ends what was open.
            let ends = heading.is_some_and(|level| level <= under.level);
            self.under = self.under.filter(|_| !ends);
            return None;
        }
        (under.grouped, under.listed) = (true, false);
        self.part = Some(under.part);
        self.part
    }

    fn heading(&mut self, block: &super::super::outline::Block) {
        let (words, _) = self.outline.heading(block);
        if let Headed::Sprint { label, name, .. } = headed(words, &["task"]) {
            return self.open_task(label, name, &block.range);
        }
        let found = part(words).filter(|found| *found != Part::After);
        let level = match block.content {
            Content::Heading(level) => level,
            _ => LABEL,
        };
        if let Some((label, name)) = self.numbered_below(words, level) {
            return self.open_task(label, name, &block.range);
        }
        let found = found.filter(|_| !self.is_group_of(words, Some(level)));
        if found.is_none() {
            let range = block.range.start
                ..block.range.start + self.outline.source(&block.range).trim_end().len();
            self.body.kept.push(Kept { range, counts: [1, 0, 0] });
        }
        match found {
            Some(found) => {
                self.begin(found, level);
                self.lead_part(words);
            }
            None => {
                self.begin_other(words, Some(level));
                self.lead(words, level);
                self.said_by_heading(words);
            }
        }
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
        (self.part, self.under) = (Some(Part::Task), None);
        self.named = true;
    }

    /// Labelled lines, or words that go on.
    fn paragraph(&mut self, range: &Range<usize>) {
        let source = self.outline.source(range);
        if self.step_runs(source, range) {
            return;
        }
        self.body.needs.extend(waiting::sentences(source, range.start));
        let mut open: Option<Open> = None;
        let mut at = range.start;
        for line in source.split_inclusive('\n') {
            let here = at..at + line.len();
            at = here.end;
            if let Some((label, text)) = numbered_bold(line) {
                self.close(open.take());
                open = self.numbered_group(&text, &here, at == range.end);
                if open.is_none() {
                    self.open_task(label, &text, &here);
                }
            } else if let Some((found, inside)) = labelled(line) {
                self.close(open.take());
                let before = (self.part, self.under);
                open = Some(self.label(found, line, inside, &here, before));
            } else if at == range.end && self.is_bare_label(line, range.end) {
                self.close(open.take());
                let before = (self.part, self.under);
                let found = part(line).unwrap_or(Part::Other);
                open = Some(self.label(found, line, line.len(), &here, before));
            } else if self.ends_part(line, at == range.end, range.end) {
                self.close(open.take());
                open = Some(self.foreign(line, &here));
            } else if open.as_ref().is_some_and(|open| is_order(open.part))
                && strange::is_field(line)
            {
                // "Owner: Ann" goes on with no order.
                self.close(open.take());
            } else if let Some(open) = &mut open {
                open.at.end = here.end;
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

    /// Opens what a label on a line names.
    fn label(
        &mut self,
        found: Part,
        line: &str,
        inside: usize,
        here: &Range<usize>,
        before: (Option<Part>, Option<Under>),
    ) -> Open {
        let at = here.start + inside..here.end;
        self.status(found, line, inside);
        let found = match self.is_group_of(label_of(line), None) || self.goes_on(line, here.end) {
            true => Part::Other,
            false => self.told(found, line[inside..].trim()),
        };
        if found != Part::Other {
            self.begin(found, LABEL);
            self.lead_part(line.get(..inside).unwrap_or_default());
            return Open { part: found, at, before };
        }
        let part = self.begin_other(line, None);
        // Words behind the label are a criterion of their own, unless a list goes on from them.
        let over = match line[inside..].trim().is_empty() || self.leads_more(here.end) {
            true => line,
            false => line.get(..inside).unwrap_or_default(),
        };
        self.lead(over, LABEL);
        match part {
            // "**Speed**: under 1 s" is a criterion with its label.
            Some(part) if part != Part::Tasks && !line[inside..].trim().is_empty() => {
                Open { part, at: here.clone(), before }
            }
            _ => Open { part: Part::Other, at, before },
        }
    }

    /// "**Status**: deferred".
    fn status(&mut self, found: Part, line: &str, inside: usize) {
        let named = || label_of(line).trim().eq_ignore_ascii_case("status");
        if found == Part::Other && named() {
            self.body.deferred = is_put_off(line.get(inside..).unwrap_or_default());
        }
    }

    fn begin(&mut self, found: Part, level: u8) {
        let tests = found == Part::Tests;
        let found = if tests { Part::Exit } else { found };
        self.part = Some(found);
        self.before = None;
        self.said &= !matches!(found, Part::Other | Part::Entry | Part::Exit | Part::Tasks);
        self.delivers = false;
        self.opened += 1;
        if found != Part::Other {
            self.label.clear();
            self.quiet = None;
        }
        match found {
            Part::Entry | Part::Exit => {
                let under = Under::new(found, level, self.many(found));
                self.under = Some(Under { tests, ..under });
            }
            Part::Other | Part::Expected => {}
            _ => self.under = None,
        }
        match found {
            Part::Tasks => self.tasked = Some(Under::new(found, level, self.body.tasks.len())),
            Part::Other => {}
            _ => self.tasked = None,
        }
        self.named |= found == Part::Tasks;
        self.tasks = found == Part::Tasks || self.tasks && found == Part::Other;
        self.body.spoken |= matches!(found, Part::Entry | Part::Depends);
    }
}

/// Whether words behind a label say who waits for whom.
fn is_order(part: Part) -> bool {
    matches!(part, Part::Depends | Part::Needs | Part::Blocks | Part::After)
}

/// The kind of a sprint.
pub(super) fn kind(body: &Body, name: &str) -> TaskKind {
    classify::sprint_kind(body.kind.as_deref(), name, body.tasks.iter().map(|task| &task.kind))
}
