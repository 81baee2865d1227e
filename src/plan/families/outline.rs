//! The lines of a Markdown document as the readers of families need them: headings, items with their boxes, labels, and
//! which of the lines were taken. What nobody took becomes notes.
//!
//! A line in a fence or an HTML comment is no heading, item or label. An item goes on over deeper lines, and over a
//! line of words right below it. A label is `**Words**: rest` or `**Words:** rest`.

use super::{label, span};
use crate::plan::document::{LineRange, unboxed};
use crate::plan::line::{dedent, indent, item, outside_fences};
use crate::plan::model::{Plan, Read, Remark, Sprint, Task, Unit, WHOLE, Weight};
use crate::vocab::error::Code;
use std::ops::Range;

/// The most sections that the summary names.
const MOST_NAMED: usize = 12;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Blank,
    Heading(usize),
    Item(Option<bool>),
    Text,
    Hidden,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    Free,
    Taken,
    Noted,
}

/// A line: its source, and its words without white space around, marks of a heading, bullet and box.
#[derive(Clone, Copy)]
pub(super) struct Line<'a> {
    pub(super) kind: Kind,
    pub(super) indent: usize,
    pub(super) source: &'a str,
    pub(super) words: &'a str,
}

impl<'a> Line<'a> {
    fn new(source: &'a str, hidden: bool) -> Self {
        let bare = source.trim();
        let level = bare.bytes().take_while(|byte| *byte == b'#').count();
        let after = bare.get(level..).unwrap_or_default();
        let headed = (1..=6).contains(&level) && (after.is_empty() || after.starts_with(' '));
        let (kind, words) = match item(bare) {
            _ if hidden => (Kind::Hidden, bare),
            _ if bare.is_empty() => (Kind::Blank, bare),
            _ if headed => (Kind::Heading(level), after.trim().trim_end_matches('#').trim_end()),
            // A star behind a box stays with the words.
            Some(one) => {
                match one.text.split_at_checked(3).map(|(mark, rest)| (unboxed(mark).1, rest)) {
                    Some((ticked @ Some(_), rest)) if rest.starts_with('*') => {
                        (Kind::Item(ticked), rest)
                    }
                    _ => (Kind::Item(one.ticked), one.text),
                }
            }
            None => (Kind::Text, bare),
        };
        Line { kind, indent: indent(source), source, words }
    }

    /// Its box, if it is an item with one.
    pub(super) fn ticked(&self) -> Option<bool> {
        if let Kind::Item(ticked) = self.kind { ticked } else { None }
    }
}

/// A document.
pub(super) struct Outline<'a> {
    pub(super) lines: Vec<Line<'a>>,
    uses: Vec<Use>,
}

impl<'a> Outline<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let sources: Vec<&str> = text.strip_prefix('\u{feff}').unwrap_or(text).lines().collect();
        let (outside, mut comment) = (outside_fences(&sources), false);
        let line = |(source, outside): (&'a str, bool)| {
            let hidden = comment || (outside && source.trim_start().starts_with("<!--"));
            comment = hidden && !source.contains("-->");
            Line::new(source, hidden || !outside)
        };
        let lines: Vec<Line<'a>> = sources.into_iter().zip(outside).map(line).collect();
        Outline { uses: vec![Use::Free; lines.len()], lines }
    }

    pub(super) fn get(&self, place: usize) -> Option<&Line<'a>> {
        self.lines.get(place)
    }

    pub(super) fn all(&self) -> Range<usize> {
        0..self.lines.len()
    }

    /// The words of the line at a place; empty if there is none.
    pub(super) fn words(&self, place: usize) -> &'a str {
        self.get(place).map_or("", |line| line.words)
    }

    /// The places of `range` whose line `is` one and not hidden.
    pub(super) fn places(&self, range: Range<usize>, is: impl Fn(&Line<'a>) -> bool) -> Vec<usize> {
        let lines = self.lines.iter().enumerate().take(range.end).skip(range.start);
        lines
            .filter(|(_, line)| line.kind != Kind::Hidden && is(line))
            .map(|(place, _)| place)
            .collect()
    }

    /// Each section whose heading `is` one: to the next such heading, or the next that is not deeper.
    pub(super) fn sections(&self, is: impl Fn(usize, &str) -> bool) -> Vec<Range<usize>> {
        let (mut found, mut open): (Vec<Range<usize>>, usize) = (Vec::new(), 0);
        for (place, line) in self.lines.iter().enumerate() {
            let Kind::Heading(level) = line.kind else { continue };
            let wanted = is(level, line.words);
            if let Some(last) = found.last_mut().filter(|_| level <= open || (wanted && open > 0)) {
                (last.end, open) = (place, 0);
            }
            if wanted {
                found.push(place..self.lines.len());
                open = level;
            }
        }
        found
    }

    /// Where the item or line at `place` ends: behind its last line that says something.
    pub(super) fn extent(&self, place: usize, end: usize) -> usize {
        let own = self.get(place).map_or(0, |line| line.indent);
        let (mut last, mut near) = (place + 1, true);
        for (at, line) in self.lines.iter().enumerate().take(end).skip(place + 1) {
            let lazy = near && line.kind == Kind::Text && label(line.words).is_none();
            match line.kind {
                Kind::Blank => near = false,
                _ if line.indent > own || lazy => {
                    (last, near) = (at + 1, line.kind != Kind::Hidden)
                }
                _ => break,
            }
        }
        last
    }

    /// What a label at `place` speaks of: the lines right below it, and a list behind a colon or behind nothing else.
    pub(super) fn body(&self, place: usize, end: usize) -> usize {
        let rest = label(self.words(place)).map_or("", |(_, rest)| rest);
        let (mut last, mut open) = (place + 1, rest.is_empty() || rest.ends_with(':'));
        for (at, line) in self.lines.iter().enumerate().take(end).skip(place + 1) {
            let item = line.kind == Kind::Item(None);
            match line.kind {
                Kind::Blank => {}
                Kind::Heading(_) | Kind::Item(Some(_)) => break,
                _ if label(line.words).is_some() && line.indent == 0 => break,
                _ if last == at || (open && (item || line.indent > 0)) => last = at + 1,
                _ => break,
            }
            open |= item || line.words.ends_with(':');
        }
        last
    }

    /// The source of lines without bullet, box and indentation; the first line is its words.
    pub(super) fn text(&self, range: Range<usize>) -> String {
        let rest = self.lines.get(range.start + 1..range.end).unwrap_or_default();
        let said = rest.iter().filter(|line| !line.source.trim().is_empty());
        let least = said.map(|line| line.indent).min().unwrap_or(0);
        let rest = rest.iter().map(|line| dedent(line.source, least));
        let all: Vec<String> =
            std::iter::once(self.words(range.start).to_owned()).chain(rest).collect();
        all.join("\n").trim_end().to_owned()
    }

    /// The lines as a task, taken.
    pub(super) fn task(&mut self, range: Range<usize>) -> Task {
        self.take(range.clone());
        let ticked = self.get(range.start).and_then(Line::ticked);
        Task { text: self.text(range.clone()), ticked, added: false, lines: span(range) }
    }

    /// The items that `are` wanted, taken; what stands within an item is a part of it.
    pub(super) fn items(
        &mut self,
        range: Range<usize>,
        are: impl Fn(&Line<'_>) -> bool,
    ) -> Vec<Task> {
        let (mut tasks, mut place) = (Vec::new(), range.start);
        while place < range.end {
            let item =
                self.get(place).is_some_and(|line| matches!(line.kind, Kind::Item(_)) && are(line));
            let end = if item { self.extent(place, range.end) } else { place + 1 };
            tasks.extend(item.then(|| self.task(place..end)));
            place = end;
        }
        tasks
    }

    /// The boxes of a section, taken. A box within the item of another is a task of its own.
    pub(super) fn boxes(&mut self, range: Range<usize>) -> Vec<Task> {
        let places = self.places(range.clone(), |line| line.ticked().is_some());
        let ends = places.iter().skip(1).copied().chain([range.end]);
        let ranges: Vec<_> =
            places.iter().zip(ends).map(|(at, end)| *at..self.extent(*at, end)).collect();
        ranges.into_iter().map(|range| self.task(range)).collect()
    }

    /// The words of the first heading of level 1, taken.
    pub(super) fn title(&mut self) -> String {
        let at = self.places(self.all(), |line| line.kind == Kind::Heading(1)).first().copied();
        at.map_or(String::new(), |at| self.task(at..at + 1).text)
    }

    /// From the first line of `range` to its last that says something.
    pub(super) fn said(&self, range: &Range<usize>) -> LineRange {
        let lines = self.lines.get(range.clone()).unwrap_or_default();
        let last = lines.iter().rposition(|line| line.kind != Kind::Blank).unwrap_or(0);
        span(range.start..range.start + last + 1)
    }

    /// Marks lines as taken.
    pub(super) fn take(&mut self, range: Range<usize>) {
        self.uses.iter_mut().take(range.end).skip(range.start).for_each(|used| *used = Use::Taken);
    }

    /// What nobody took of `range`, byte for byte: each run of lines without the blank ones around it.
    pub(super) fn notes(&mut self, range: Range<usize>) -> String {
        let lines = self.lines.get(range.clone()).unwrap_or_default();
        let uses = self.uses.get_mut(range).unwrap_or_default();
        let (mut runs, mut near): (Vec<Vec<&str>>, bool) = (Vec::new(), false);
        for (line, used) in lines.iter().zip(uses) {
            let free = *used == Use::Free;
            if free {
                *used = Use::Noted;
                runs.extend((!near).then(Vec::new));
                runs.last_mut().into_iter().for_each(|run| run.push(line.source));
            }
            near = free;
        }
        let blank = |line: &&&str| line.trim().is_empty();
        let run = |run: Vec<&str>| {
            let first = run.iter().take_while(blank).count();
            let left = run.iter().rev().take_while(blank).count();
            run.get(first..run.len().saturating_sub(left)).unwrap_or_default().join("\n")
        };
        let runs: Vec<String> = runs.into_iter().map(run).filter(|run| !run.is_empty()).collect();
        runs.join("\n\n")
    }

    /// The plan of these sprints, with all other lines as its notes.
    pub(super) fn plan(
        mut self,
        title: String,
        sprints: Vec<Sprint>,
        mut remarks: Vec<Remark>,
    ) -> Read {
        let notes = self.notes(self.all());
        remarks.extend(self.summary());
        let unit = Unit { name: WHOLE.to_owned(), sprints, lines: span(0..1), ..Unit::default() };
        Read { plan: Plan { title, notes, units: vec![unit], ..Plan::default() }, remarks }
    }

    /// The one remark about notes: which sections hold them, from which line, how many lines.
    pub(super) fn summary(&self) -> Option<Remark> {
        let mut sections: Vec<(usize, &str, usize)> = Vec::new();
        let mut heading = (0, "the beginning");
        for (place, (line, used)) in self.lines.iter().zip(&self.uses).enumerate() {
            if let Kind::Heading(_) = line.kind {
                heading = (place, line.words);
            }
            if *used == Use::Noted && line.kind != Kind::Blank {
                match sections.last_mut().filter(|section| section.0 == heading.0) {
                    Some(section) => section.2 += 1,
                    None => sections.push((heading.0, heading.1, 1)),
                }
            }
        }
        let lines = span(sections.first()?.0..sections.last()?.0 + 1);
        let named = sections.iter().take(MOST_NAMED);
        let named = named.map(|(at, words, count)| format!("`{words}` (line {}): {count}", at + 1));
        let got = named.collect::<Vec<_>>().join(", ");
        let more = sections.len().saturating_sub(MOST_NAMED);
        let got = if more > 0 {
            format!("notes of {got}, and {more} more sections")
        } else {
            format!("notes of {got}")
        };
        let expected = "elements of a plan; agents get these lines as they are";
        Some(Remark::on(Weight::Note, Code::ReadAsText, lines, expected, got))
    }
}
