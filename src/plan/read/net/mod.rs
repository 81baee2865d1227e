//! A net under the reader: whatever looks checkable and is in no part of the plan is named, wherever it stands.
//!
//! It goes by lines and knows nothing of how the parts were read. So a form of writing that the reader does not know
//! can hide no criterion: its author is told before the start.

mod says;

use super::super::classify;
use super::super::document::{LineRange, is_struck, item_text, unboxed, unmarked};
use super::super::model::{Check, Plan, PlanCriterion, Weight};
use super::super::outline::{Block, Content, plain, spans};
use super::super::shown;
use super::body::{Unchecked, is_quiet, warn};
use super::parts::demands;
use super::{Reader, beside, groups, parts, rowed, tables, transcript};
use crate::vocab::error::{Code, clip};
use says::{behind_label, claims, holds_always, holds_at_end, is_now, label, names_criteria};
use std::collections::BTreeSet;
use std::ops::Range;

/// A heading that is open.
struct Open<'a> {
    level: u8,
    words: &'a str,
    quiet: bool,
    /// Its author is told of its work.
    told: bool,
    /// What is written below it was, shall be later, or is an example.
    aside: bool,
    exit: bool,
}

struct Net<'r, 'a> {
    reader: &'r Reader<'a>,
    /// Lines of the parts of the plan, and of what was warned of; in order, none in another.
    covered: Vec<(u32, u32)>,
    /// Those of criteria and tasks alone.
    stated: Vec<(u32, u32)>,
    sprints: Vec<(u32, u32)>,
    open: Vec<Open<'a>>,
    /// The last label below the heading, and whether nothing below it is to be checked.
    label: String,
    quiet: bool,
    demands: bool,
    /// How many labels and headings there were, also when the last one of `found` was found.
    section: usize,
    last: usize,
    found: Vec<Unchecked>,
    /// The labels of the sprints in small letters.
    labels: BTreeSet<String>,
    /// Rows about sprints that the plan does not have, and whether these have work of their own.
    strange: Vec<(Range<usize>, bool)>,
}

/// Warns of what looks checkable in lines that are in no part of the plan.
pub(super) fn name(reader: &mut Reader<'_>, plan: &Plan) {
    let sprints = joined(plan.sprints().map(|one| lines(one.lines)).collect());
    if sprints.is_empty() {
        return;
    }
    let mut net = Net {
        covered: covered(reader, plan),
        stated: stated(plan),
        reader,
        sprints,
        open: Vec::new(),
        label: String::new(),
        quiet: false,
        demands: false,
        section: 0,
        last: usize::MAX,
        found: Vec::new(),
        labels: plan.sprints().map(|one| one.label.to_lowercase()).collect(),
        strange: Vec::new(),
    };
    for (place, block) in net.reader.outline.blocks.iter().enumerate() {
        match block.content {
            Content::Heading(level) => net.heading(block, level),
            Content::Table(_) => net.table(block, place),
            _ => net.block(block),
        }
    }
    let (found, strange) = (net.found, net.strange);
    warn(reader, &found);
    for (range, works) in strange {
        let words = clip(reader.outline.source(&range), 80);
        let expected = "rows about sprints of the plan, or a number and a place for each sprint";
        let got = format!("`{words}`, which is about none and would be left out");
        match works {
            true => reader.remark(Weight::Fault, Code::MissingField, range, expected, &got),
            false => reader.remark(Weight::Warning, Code::Overlooked, range, expected, &got),
        }
    }
}

/// The lines of criteria and tasks.
fn stated(plan: &Plan) -> Vec<(u32, u32)> {
    let mut all = Vec::new();
    for sprint in plan.sprints() {
        all.extend(sprint.entry.iter().chain(&sprint.exit).map(|one| lines(one.lines)));
        all.extend(sprint.tasks.iter().map(|one| lines(one.lines)));
    }
    joined(all)
}

/// The lines of what was read, and of what its author is told of anyway.
fn covered(reader: &Reader<'_>, plan: &Plan) -> Vec<(u32, u32)> {
    let mut all: Vec<(u32, u32)> =
        plan.dependencies.iter().map(|one| (one.line, one.line)).collect();
    all.extend(plan.declared.iter().map(|one| (one.line, one.line)));
    all.extend(plan.rules.iter().map(|one| lines(one.lines)));
    all.extend(plan.template.iter().map(|one| lines(one.lines)));
    for sprint in plan.sprints() {
        all.extend(sprint.entry.iter().chain(&sprint.exit).map(|one| lines(one.lines)));
        all.extend(sprint.tasks.iter().map(|one| lines(one.lines)));
        all.extend(sprint.priority.iter().map(|one| lines(one.lines)));
    }
    let told = reader.remarks.iter().filter(|one| one.weight > Weight::Note);
    let told = told.filter(|one| matches!(one.code, Code::Overlooked | Code::MissingField));
    all.extend(told.map(|one| (one.line, one.last.max(one.line))));
    joined(all)
}

fn lines(lines: LineRange) -> (u32, u32) {
    (lines.first, lines.last)
}

/// The ranges in order, those that meet as one.
fn joined(mut all: Vec<(u32, u32)>) -> Vec<(u32, u32)> {
    all.sort_unstable();
    let mut kept: Vec<(u32, u32)> = Vec::new();
    for (first, last) in all {
        match kept.last_mut().filter(|before| before.1 >= first) {
            Some(before) => before.1 = before.1.max(last),
            None => kept.push((first, last)),
        }
    }
    kept
}

fn meets(all: &[(u32, u32)], lines: LineRange) -> bool {
    let before = all.partition_point(|(first, _)| *first <= lines.last);
    let near = before.checked_sub(1).and_then(|before| all.get(before));
    near.is_some_and(|(_, last)| *last >= lines.first)
}

impl<'a> Net<'_, 'a> {
    fn heading(&mut self, block: &Block, level: u8) {
        let outline = &self.reader.outline;
        let (words, at) = outline.heading(block);
        let line = outline.line(at);
        let inside = meets(&self.sprints, LineRange { first: line, last: line });
        self.open.retain(|above| above.level < level);
        // The parts below such a heading are a part of what was told.
        let told = !inside && self.is_covered(&block.range)
            || self.open.last().is_some_and(|above| above.told) && parts::names_part(words);
        let above = self.open.last().is_some_and(|above| above.quiet);
        let exit = self.open.last().is_some_and(|above| above.exit) || parts::is_exit(words);
        let sample = beside::is_sample(words);
        let quiet = above || is_quiet(words) || sample;
        let aside =
            sample || groups::is_aside(words) || self.open.last().is_some_and(|above| above.aside);
        self.open.push(Open { level, words, quiet, told, aside, exit });
        self.label.clear();
        (self.quiet, self.demands) = (false, demands(words));
        self.section += 1;
    }

    fn is_covered(&self, range: &Range<usize>) -> bool {
        meets(&self.covered, self.reader.outline.lines(range))
    }

    fn is_inside(&self, range: &Range<usize>) -> bool {
        meets(&self.sprints, self.reader.outline.lines(range))
    }

    fn is_off(&self) -> bool {
        self.quiet || self.open.last().is_some_and(|above| above.quiet || above.told)
    }

    fn block(&mut self, block: &Block) {
        let source = self.reader.outline.source(&block.range);
        match &block.content {
            Content::Paragraph => self.pieces(&block.range),
            Content::List(items) => items.iter().for_each(|item| self.item(item)),
            Content::Code { info, body } => self.fence(info, body, &block.range),
            Content::Other if source.trim_start().starts_with('>') => {
                // A label in it is over nothing behind it.
                let before = (self.label.clone(), self.quiet, self.demands);
                self.pieces(&block.range);
                (self.label, self.quiet, self.demands) = before;
            }
            Content::Other | Content::Heading(_) | Content::Table(_) | Content::Rule => {}
        }
    }

    /// Running text, from label to label.
    fn pieces(&mut self, range: &Range<usize>) {
        let source = self.reader.outline.source(range);
        let mut from = range.start;
        let mut at = range.start;
        for line in source.split_inclusive('\n') {
            let bare = line.trim_start_matches(['>', ' ', '\t']);
            let named = label(bare);
            if named.is_some() || bare.trim().is_empty() || unmarked(bare) != bare {
                self.piece(&(from..at));
                from = at;
            }
            if let Some((label, known)) = named {
                label.clone_into(&mut self.label);
                self.quiet = is_quiet(label);
                self.demands = !known && demands(label);
                self.section += 1;
            }
            at += line.len();
        }
        self.piece(&(from..range.end));
    }

    fn piece(&mut self, range: &Range<usize>) {
        let source = self.reader.outline.source(range);
        let plain = !source.contains('`') && !self.demands && !source.contains("[ ]");
        // What costs more is asked last.
        if self.is_off() || self.is_covered(range) || plain && !names_criteria(source) {
            return;
        }
        let lines = source.lines().map(|line| line.trim_start_matches(['>', ' ', '\t']));
        let text = lines.collect::<Vec<_>>().join("\n");
        let text = item_text(&text);
        let (text, ticked) = unboxed(&text);
        let words = label(text).map_or(text, |_| behind_label(text));
        if parts::is_none(words) || is_struck(text) {
            return;
        }
        let inside = self.is_inside(range);
        if ticked == Some(false) && !inside && beside::speaks_of_sprints(text) {
            return;
        }
        if ticked == Some(false) {
            self.add(range, [1, 0, 0]);
        } else if self.is_checkable(text, words, inside) {
            self.add(range, [0, 1, 0]);
        } else if inside
            && (self.demands && words.contains(char::is_alphanumeric) || names_criteria(text))
        {
            self.add(range, [0, 0, 1]);
        }
    }

    fn item(&mut self, range: &Range<usize>) {
        // The cheapest look first: most items are read.
        if self.is_off() || self.is_covered(range) {
            return;
        }
        let text = item_text(self.reader.outline.source(range));
        let first = text.lines().next().unwrap_or_default();
        if label(first).is_some_and(|(label, _)| is_quiet(label)) {
            return;
        }
        self.piece(range);
    }

    /// Whether a sentence is about a command that shows something. Outside of sprints, prose names commands as well.
    fn is_checkable(&self, text: &str, words: &str, inside: bool) -> bool {
        if spans(text).is_empty() || is_now(text) {
            return false;
        }
        let exit = self.open.last().is_some_and(|above| above.exit) || parts::is_exit(&self.label);
        let strict = !inside && !exit;
        if strict && text.split_inclusive(". ").any(|one| holds_always(one) || holds_at_end(one)) {
            return true;
        }
        let claimed = claims(text, strict);
        if strict && !claimed {
            return false;
        }
        let is_command = |text: &str| matches!(classify::check(text), Check::Command { .. });
        is_command(words)
            || text != words && is_command(text)
            || claimed && !strict && shown::shown(words).is_some()
    }

    fn table(&mut self, block: &Block, place: usize) {
        if self.open.last().is_some_and(|above| above.aside) {
            return;
        }
        let strange = self.rows(block, place);
        if strange || self.is_off() || self.is_covered(&block.range) || self.is_read(place) {
            return;
        }
        let outline = &self.reader.outline;
        let inside = self.is_inside(&block.range);
        let exit = self.open.last().is_some_and(|above| above.exit);
        let source = outline.source(&block.range);
        let demanded = self.demands && inside;
        if !(demanded || exit || source.contains('`') && claims(source, true)) {
            // "| **Exit criteria** | the page is blue |"
            let named = source.lines().skip(2).filter(|line| inside && names_criteria(line));
            return self.add(&block.range, [0, 0, named.count()]);
        }
        let mut counts = [source.matches("[ ]").count(), 0, 0];
        for row in rowed::rows(self.reader, place) {
            match row.check {
                Check::Command { .. } => counts[1] += 1,
                _ => counts[2] += usize::from(demanded || exit && !inside),
            }
        }
        self.add(&block.range, counts);
    }

    /// Looks at the rows of a table about sprints. Whether one is about none of the plan.
    fn rows(&mut self, block: &Block, place: usize) -> bool {
        let Some(sheet) = self.reader.sheet(place) else { return false };
        let mine = sheet.lines.iter().any(|lines| self.is_row(*lines));
        let found = tables::strangers(sheet, mine, |label| self.labels.contains(label));
        // What an overview says of a sprint that stands elsewhere is not read.
        let twice = tables::sprint_rows(sheet).is_some() && !mine && found.is_empty();
        let all = if twice { rowed::rows(self.reader, place) } else { Vec::new() };
        // That a row orders sprints says nothing of its criteria.
        let joined = sheet.lines.iter().any(|lines| meets(&self.stated, *lines));
        let shown = |one: &&PlanCriterion| {
            matches!(one.check, Check::Command { .. }) && !meets(&self.stated, one.lines)
        };
        let runs = all.iter().filter(shown).count() + if mine { tables::unread(sheet) } else { 0 };
        let words = if twice && !joined { tables::worded(sheet) } else { 0 };
        let any = !found.is_empty();
        self.strange.extend(found);
        self.add(&block.range, [0, runs, words]);
        any
    }

    /// Whether a sprint was made of a row.
    fn is_row(&self, lines: LineRange) -> bool {
        let before = self.sprints.partition_point(|(first, _)| *first <= lines.first);
        let near = before.checked_sub(1).and_then(|before| self.sprints.get(before));
        near.is_some_and(|(first, last)| *last == lines.last && *first == lines.first)
    }

    /// Whether a table is one of sprints, units or layers.
    fn is_read(&self, place: usize) -> bool {
        self.reader.sheet(place).is_some_and(tables::is_read)
    }

    /// A fence in a sprint was looked at by who reads the sprint.
    fn fence(&mut self, info: &str, body: &str, range: &Range<usize>) {
        let exit = self.open.last().is_some_and(|above| above.exit);
        let shell = exit && transcript::holds_commands(info, body);
        if !shell || self.is_off() || self.is_inside(range) || self.is_covered(range) {
            return;
        }
        self.add(range, [0, parts::commands(body).len(), 0]);
    }

    fn add(&mut self, range: &Range<usize>, counts: [usize; 3]) {
        if counts == [0; 3] {
            return;
        }
        let end = range.start + self.reader.outline.source(range).trim_end().len();
        match self.found.last_mut().filter(|_| self.last == self.section) {
            Some(last) => last.join(end, counts),
            None => {
                let heading = self.open.last().map_or("", |above| above.words);
                let label = if self.label.is_empty() { heading } else { &self.label };
                self.found.push(Unchecked::new(range.start..end, plain(label), counts));
            }
        }
        self.last = self.section;
    }
}
