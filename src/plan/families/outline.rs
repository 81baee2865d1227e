//! A document whose lines readers of families take, one after the other. What nobody took becomes notes.
//!
//! An item goes on over deeper lines, and over a line of words right below it.

use super::lines::{Kind, Line, marked, scan};
use super::span;
use crate::plan::document::{LineRange, split};
use crate::plan::line::dedent;
use crate::plan::model::{Plan, Read, Remark, Settings, Task, Unit, Weight};
use crate::plan::yaml;
use crate::vocab::error::Code;
use std::ops::Range;

/// The most sections that the summary names.
const MOST_NAMED: usize = 12;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    Free,
    Taken,
    Noted,
}

/// A document.
pub(super) struct Outline<'a> {
    pub(super) lines: Vec<Line<'a>>,
    /// Its front matter; that is taken.
    front: &'a str,
    uses: Vec<Use>,
    /// The heading that each line stands under.
    under: Vec<Option<usize>>,
}

impl<'a> Outline<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let (front, lines) = (split(text).ok().and_then(|(front, _)| front), scan(text));
        let (uses, under) = (vec![Use::Free; lines.len()], under(&lines));
        let mut outline = Outline { lines, front: front.unwrap_or_default(), uses, under };
        outline.take(0..front.map_or(0, |front| front.matches('\n').count() + 2));
        outline
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
        lines.filter(|(_, line)| !line.is_hidden() && is(line)).map(|(place, _)| place).collect()
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

    /// The headings that a line stands under, the nearest first.
    pub(super) fn above(&self, place: usize) -> impl Iterator<Item = usize> {
        let over = |place: usize| self.under.get(place).copied().flatten();
        std::iter::successors(over(place), move |place| over(*place))
    }

    /// Where the item or line at `place` ends: behind its last line that says something.
    pub(super) fn extent(&self, place: usize, end: usize) -> usize {
        let own = self.get(place).map_or(0, |line| line.indent);
        let (mut last, mut near) = (place + 1, true);
        for (at, line) in self.lines.iter().enumerate().take(end).skip(place + 1) {
            let lazy = near && line.kind == Kind::Text && marked(line.words).is_none();
            match line.kind {
                Kind::Blank => near = false,
                _ if line.indent > own || lazy => (last, near) = (at + 1, !line.is_hidden()),
                _ => break,
            }
        }
        last
    }

    /// What a label at `place` speaks of: the lines right below it, and a list behind a colon or behind nothing else.
    pub(super) fn body(&self, place: usize, end: usize) -> usize {
        let rest = marked(self.words(place)).map_or("", |(_, rest)| rest);
        let (mut last, mut open) = (place + 1, rest.is_empty() || rest.ends_with(':'));
        for (at, line) in self.lines.iter().enumerate().take(end).skip(place + 1) {
            let item = line.kind == Kind::Item(None);
            match line.kind {
                Kind::Blank => {}
                Kind::Heading(_) | Kind::Item(Some(_)) => break,
                _ if marked(line.words).is_some() && line.indent == 0 => break,
                _ if last == at || (open && (item || line.indent > 0)) => last = at + 1,
                _ => break,
            }
            open |= item || line.words.ends_with(':');
        }
        last
    }

    /// What a fence that opens at a line holds, and where the next thing begins.
    pub(super) fn fence(&self, at: usize) -> (Range<usize>, usize) {
        let held = self.lines.iter().skip(at + 1).take_while(|line| line.kind == Kind::Hidden);
        let end = at + 1 + held.count();
        let closed = self.get(end).is_some_and(|line| line.kind == Kind::End);
        (at + 1..end, end + usize::from(closed))
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

    /// The lines as a task whose first line is another, taken.
    pub(super) fn task_of(&mut self, range: Range<usize>, first: &str) -> Task {
        let one = self.task(range);
        let below = one.text.find('\n').map_or("", |line| &one.text[line..]);
        Task { text: format!("{first}{below}"), ..one }
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

    /// Behind the last line of `range` that says something; at least behind its first.
    pub(super) fn end(&self, range: &Range<usize>) -> usize {
        let lines = self.lines.get(range.clone()).unwrap_or_default();
        range.start + lines.iter().rposition(Line::speaks).unwrap_or(0) + 1
    }

    /// From the first line of `range` to its last that says something.
    pub(super) fn said(&self, range: &Range<usize>) -> LineRange {
        span(range.start..self.end(range))
    }

    /// Whether nobody took a line, and no notes have it.
    pub(super) fn is_free(&self, place: usize) -> bool {
        self.uses.get(place) == Some(&Use::Free)
    }

    /// Marks lines as taken.
    pub(super) fn take(&mut self, range: Range<usize>) {
        self.uses.iter_mut().take(range.end).skip(range.start).for_each(|used| *used = Use::Taken);
    }

    /// What nobody took of `range`, byte for byte: each run of lines without the blank ones and rules around it.
    pub(super) fn notes(&mut self, range: Range<usize>) -> String {
        let lines = self.lines.get(range.clone()).unwrap_or_default();
        let uses = self.uses.get_mut(range).unwrap_or_default();
        let (mut runs, mut near): (Vec<Vec<&Line<'_>>>, bool) = (Vec::new(), false);
        for (line, used) in lines.iter().zip(uses) {
            let free = *used == Use::Free;
            if free {
                *used = Use::Noted;
                runs.extend((!near).then(Vec::new));
                runs.last_mut().into_iter().for_each(|run| run.push(line));
            }
            near = free;
        }
        let run = |run: Vec<&Line<'_>>| {
            let first = run.iter().position(|line| line.speaks())?;
            let last = run.iter().rposition(|line| line.speaks())?;
            let run = run.get(first..=last)?.iter().map(|line| line.source);
            Some(run.collect::<Vec<_>>().join("\n"))
        };
        runs.into_iter().filter_map(run).collect::<Vec<_>>().join("\n\n")
    }

    /// The plan of these units, with all other lines as its notes.
    pub(super) fn plan(mut self, title: String, units: Vec<Unit>, mut told: Vec<Remark>) -> Read {
        let (front, notes) = (self.front.replace("\r\n", "\n"), self.notes(self.all()));
        let name =
            yaml::mapping(&front, 2).ok().and_then(|fields| fields.get("feature_name").cloned());
        let feature_name = name.and_then(|name| name.as_str().map(str::to_owned));
        let settings = Settings { feature_name, ..Settings::default() };
        told.extend(self.summary());
        told.sort_by_key(Remark::place);
        Read { plan: Plan { title, notes, units, front, settings }, remarks: told }
    }

    /// The one remark about notes: which sections hold them, from which line, how many lines.
    pub(super) fn summary(&self) -> Option<Remark> {
        let mut sections: Vec<(usize, &str, usize)> = Vec::new();
        let mut heading = (0, "the beginning");
        for (place, (line, used)) in self.lines.iter().zip(&self.uses).enumerate() {
            if let Kind::Heading(_) = line.kind {
                heading = (place, line.words);
            }
            if *used == Use::Noted && line.speaks() {
                match sections.last_mut().filter(|section| section.0 == heading.0) {
                    Some(section) => section.2 += 1,
                    None => sections.push((heading.0, heading.1, 1)),
                }
            }
        }
        let lines = span(sections.first()?.0..sections.last()?.0 + 1);
        let named = sections.iter().take(MOST_NAMED);
        let named = named.map(|(at, words, count)| format!("`{words}` (line {}): {count}", at + 1));
        let more = sections.len().saturating_sub(MOST_NAMED);
        let more = (more > 0).then(|| format!("and {more} more sections"));
        let got = format!("notes of {}", named.chain(more).collect::<Vec<_>>().join(", "));
        let expected = "elements of a plan; agents get these lines as they are";
        Some(Remark::on(Weight::Note, Code::ReadAsText, lines, expected, got))
    }
}

fn under(lines: &[Line<'_>]) -> Vec<Option<usize>> {
    let mut open: Vec<(usize, usize)> = Vec::new();
    let over = |(place, line): (usize, &Line<'_>)| {
        let level = line.level().unwrap_or(usize::MAX);
        open.retain(|(_, above)| *above < level);
        let over = open.last().map(|(above, _)| *above);
        open.extend(line.level().map(|level| (place, level)));
        over
    };
    lines.iter().enumerate().map(over).collect()
}
