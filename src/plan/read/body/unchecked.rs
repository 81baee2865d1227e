//! What is in no part of a sprint and looks like something to be checked: open boxes, commands in a fence, in a list
//! or a table. A mission would end done without it, so its author is told in a warning.

use super::super::super::classify;
use super::super::super::document::{LineRange, is_struck, item_text, unboxed, unmarked};
use super::super::super::model::{Check, Weight};
use super::super::super::outline::{plain, plain_small};
use super::super::super::phrases::Phrases;
use super::super::super::wordlist::WordList;
use super::super::Reader;
use super::super::groups;
use super::super::kept;
use super::super::parts::{Part, commands, is_worded, label_of};
use super::super::rowed;
use super::super::tables::number;
use super::Walk;
use super::lists::next_number;
use crate::vocab::error::{Code, clip};
use std::ops::Range;

/// Something below one label that nobody will check.
#[derive(Clone, Debug)]
pub(in super::super) struct Unchecked {
    range: Range<usize>,
    label: String,
    /// Which of the labels of the sprint this one is.
    opened: usize,
    /// How many open boxes, how many commands, and how much else that its label demands.
    counts: [usize; 3],
}

impl Unchecked {
    /// What was found outside of the walk over a sprint.
    pub(in super::super) fn new(range: Range<usize>, label: String, counts: [usize; 3]) -> Self {
        Unchecked { range, label, opened: 0, counts }
    }

    /// Goes on up to a byte.
    pub(in super::super) fn join(&mut self, end: usize, counts: [usize; 3]) {
        self.range.end = self.range.end.max(end);
        self.counts = [0, 1, 2].map(|at| self.counts[at] + counts[at]);
    }
}

/// Labels of what shows how something is used, made or undone, beside those of [`groups::is_aside`].
static QUIET: WordList = WordList::new(&[
    "setup",
    "set up",
    "set-up",
    "install",
    "installation",
    "usage",
    "use",
    "getting started",
    "quick start",
    "quickstart",
    "how to run",
    "how to use",
    "how to build",
    "run locally",
    "running",
    "environment",
    "sample",
    "snippet",
    "description",
    "overview",
    "summary",
    "scope",
    "approach",
    "design",
    "architecture",
    "implementation notes",
    "implementation details",
    "current state",
    "currently",
    "problem",
    "problems",
    "symptom",
    "symptoms",
    "baseline",
    "today",
    "reproduce",
    "reproduction",
    "repro",
    "dispatch",
    "prompt",
    "agent prompt",
    "template",
    "branch",
    "git",
    "resources",
    "links",
    "reading",
    "hints",
    "tips",
    "cleanup",
    "clean-up",
    "clean up",
]);

/// Words in such a label that say something else.
static CHECKS: Phrases = Phrases::new(&["verif", "valid", "accept", "check", "test", "criteri"]);

/// Whether nothing below a label is to be checked.
pub(in super::super) fn is_quiet(label: &str) -> bool {
    let words = groups::small(label);
    let begins = groups::begins_aside(&words) || groups::begins_with(&QUIET, &words);
    begins && !CHECKS.within(&words)
}

impl Walk<'_, '_> {
    /// Remembers a label or heading of no known part.
    pub(super) fn named_so(&mut self, label: &str, level: u8) {
        let words = plain(label.split(':').next().unwrap_or_default());
        let bare = groups::small(label);
        self.delivers =
            ["deliverable", "deliverables", "output", "outputs"].contains(&bare.as_str());
        words.clone_into(&mut self.label);
        if self.quiet.is_none_or(|quiet| level <= quiet) {
            self.quiet = (!self.delivers && is_quiet(label)).then_some(level);
        }
    }

    /// Whether an item stands where a label of its own can begin a part.
    pub(super) fn is_free(&self) -> bool {
        match self.part {
            None => true,
            Some(Part::Other) => self.under.is_none() && !self.tasks,
            Some(_) => false,
        }
    }

    /// Whether "Checks" or "Tests" is a group of the entry criteria it stands below.
    pub(super) fn is_group_of(&self, label: &str, heading: Option<u8>) -> bool {
        let Some(under) = self.under.filter(|under| under.part == Part::Entry) else {
            return false;
        };
        let one = plain_small(label);
        let general = ["check", "checks", "gate", "gates", "tests", "criteria"];
        general.contains(&one.trim_matches(|c: char| !c.is_alphanumeric()))
            && under.is_group(label, self.body.entry.len(), heading)
    }

    /// Whether the list behind a label named by its words only goes on with the numbers of the tasks before it.
    pub(super) fn goes_on(&self, line: &str, end: usize) -> bool {
        let behind = self.outline.text.get(end..).unwrap_or_default().trim_start();
        let tasks = self.tasks && !self.body.tasks.is_empty() && is_worded(label_of(line));
        tasks
            && behind.starts_with(|c: char| c.is_ascii_digit())
            && number(behind) == next_number(&self.body.tasks)
    }

    /// Looks at an item or a quotation that became no part of the sprint.
    pub(super) fn look_at(&mut self, range: &Range<usize>, item: bool) {
        let source = self.outline.source(range);
        let lines = source.lines().map(|line| line.trim_start_matches(['>', ' ', '\t']));
        let is_open = |text: &str| matches!(unboxed(text), (text, Some(false)) if !is_struck(text));
        let open = lines.filter(|line| is_open(unmarked(line))).count();
        let text = item_text(source);
        let runs = item && open == 0 && is_command(unboxed(&text).0);
        self.unchecked(range, [open, usize::from(runs)]);
    }

    /// A table of criteria inside of a task is not read.
    pub(super) fn look_at_table(&mut self, range: &Range<usize>) {
        let source = self.outline.source(range);
        let rows = source.lines().filter(|line| line.trim_start().starts_with('|')).count();
        let named = rows > 2 && CHECKS.within(source);
        if named && self.quiet.is_none() {
            let end = range.start + source.trim_end().len();
            let one = Unchecked::new(range.start..end, self.label.clone(), [0, 0, rows - 2]);
            self.body.unchecked.push(one);
        }
    }

    /// The same of a table.
    pub(super) fn look_at_rows(&mut self, range: &Range<usize>, place: usize) {
        let struck = rowed::struck(self.reader, place);
        let first = self.outline.line(range.start);
        let lines = (first..).zip(self.outline.source(range).lines());
        let live = lines.filter(|(at, _)| !struck.iter().any(|one| one.first == *at));
        let open = live.filter(|(_, line)| line.contains("[ ]")).count();
        let heads = self.reader.sheet(place).map(|sheet| sheet.heads().join(" "));
        let checks = heads.is_some_and(|heads| CHECKS.within(&heads));
        let runs = match self.part {
            Some(Part::Tasks) if !checks => 0,
            _ => {
                let rows = rowed::rows(self.reader, place);
                rows.iter().filter(|row| matches!(row.check, Check::Command { .. })).count()
            }
        };
        self.unchecked(range, [open, runs]);
    }

    /// The same of a fence. Those below tasks and a goal say how something is done, and are named only.
    pub(super) fn look_at_fence(
        &mut self,
        shell: bool,
        info: &str,
        body: &str,
        range: &Range<usize>,
    ) {
        if !shell {
            return;
        }
        let mut all = commands(body);
        if info.is_empty() {
            all.retain(|(command, _)| is_command(&format!("`{command}`")));
        }
        if matches!(self.part, Some(Part::Tasks | Part::Task | Part::Goal)) {
            if !all.is_empty() {
                self.body.kept.push(kept::block(self.reader, range));
            }
            return;
        }
        self.unchecked(range, [0, all.len()]);
    }

    pub(super) fn unchecked(&mut self, range: &Range<usize>, counts: [usize; 2]) {
        if self.quiet.is_some() || counts == [0, 0] {
            return;
        }
        let counts = [counts[0], counts[1], 0];
        let end = range.start + self.outline.source(range).trim_end().len();
        match self.body.unchecked.last_mut().filter(|last| last.opened == self.opened) {
            Some(last) => last.join(end, counts),
            None => {
                let one = Unchecked::new(range.start..end, self.label.clone(), counts);
                self.body.unchecked.push(Unchecked { opened: self.opened, ..one });
            }
        }
    }
}

fn is_command(text: &str) -> bool {
    matches!(classify::check(text), Check::Command { .. })
}

/// Warns of what nobody will check in a sprint.
pub(in super::super) fn warn(reader: &mut Reader<'_>, all: &[Unchecked]) {
    for Unchecked { range, label, counts: [boxes, runs, others], .. } in all {
        let LineRange { first, last } = reader.outline.lines(range);
        let lines = match first == last {
            true => format!("line {first}"),
            false => format!("lines {first}–{last}"),
        };
        let many = |many: usize, one: &str, all: &str| match many {
            0 => None,
            1 => Some(format!("1 {one}")),
            many => Some(format!("{many} {all}")),
        };
        let what = [
            many(*boxes, "open check box", "open check boxes"),
            many(*runs, "command", "commands"),
            many(*others, "requirement", "requirements"),
        ];
        let what = what.into_iter().flatten().collect::<Vec<_>>().join(" and ");
        let below = match label.as_str() {
            "" => String::new(),
            label => format!(" below `{}`", clip(label, 60)),
        };
        let expected = "`Exit criteria` over what must hold, or a label of a note such as `Notes`";
        let got = format!("{what} in {lines}{below}: nobody will check this");
        reader.remark(Weight::Warning, Code::Overlooked, range.clone(), expected, &got);
    }
}
