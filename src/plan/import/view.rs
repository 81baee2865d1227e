//! Spans over their source: which span covers a place, and which sprint and unit a place belongs to.

use super::outline::{Block, Outline, speaks};
use super::spans::{Kind, Located};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ops::Range;

/// Spans over their source.
pub(super) struct View<'a> {
    pub(super) outline: &'a Outline,
    pub(super) spans: &'a [Located],
    /// Spans that lie in no other, in the order of the source, none overlapping.
    order: Vec<usize>,
    /// Where spans begin that overlap another and are left out, and where that one does.
    pub(super) overlaps: Vec<(usize, usize)>,
    /// Commands within a criterion.
    pub(super) nested: Vec<&'a Located>,
    /// Commands by their parents.
    pub(super) commands: BTreeMap<Option<usize>, Vec<&'a Located>>,
    /// Work units in order.
    pub(super) units: Vec<Section>,
    /// Sprints in order.
    pub(super) sprints: Vec<Section>,
}

/// A unit or sprint with all that belongs to it.
pub(super) struct Section {
    /// Its span; `None` for the one sprint of a source that names none.
    pub(super) span: Option<usize>,
    pub(super) at: Range<usize>,
    /// The place of its unit among the units.
    pub(super) unit: Option<usize>,
}

impl<'a> View<'a> {
    pub(super) fn new(outline: &'a Outline, spans: &'a [Located]) -> Self {
        let (order, overlaps, nested, commands, units, sprints) = Default::default();
        let mut view = View { outline, spans, order, overlaps, nested, commands, units, sprints };
        view.arrange();
        view.units = view.sections(Kind::Unit);
        view.sprints = view.sections(Kind::Sprint);
        if view.sprints.is_empty() {
            let at = 0..outline.text.len();
            view.sprints.push(Section { span: None, at, unit: None });
        }
        view
    }

    fn arrange(&mut self) {
        let real = self.spans.iter().enumerate().filter(|one| !one.1.at.is_empty());
        let mut all: Vec<(usize, &Located)> = real.collect();
        all.sort_by_key(|(place, one)| (one.at.start, Reverse(one.at.end), *place));
        let (mut last, mut inner) = (None::<(usize, &Located)>, 0);
        for (place, span) in all {
            match last.filter(|last| span.at.start < last.1.at.end) {
                Some((number, before)) => {
                    let own = span.kind == Kind::Command
                        && span.parent == Some(number)
                        && before.kind.is_criterion();
                    if !own || span.at.end > before.at.end || span.at.start < inner {
                        self.overlaps.push((span.at.start, before.at.start));
                        continue;
                    }
                    inner = span.at.end;
                    self.nested.push(span);
                }
                None => {
                    self.order.push(place);
                    last = Some((place, span));
                }
            }
            if span.kind == Kind::Command {
                self.commands.entry(span.parent).or_default().push(span);
            }
        }
    }

    fn sections(&self, kind: Kind) -> Vec<Section> {
        let opens = |one: &(usize, &Located)| one.1.kind == kind || one.1.kind == Kind::Unit;
        let heads: Vec<(usize, &Located)> = self.ordered().filter(opens).collect();
        let own = heads.iter().enumerate().filter(|one| one.1.1.kind == kind);
        let section = |(place, (span, one)): (usize, &(usize, &'a Located))| {
            let next = heads.get(place + 1).map_or(self.outline.text.len(), |next| next.1.at.start);
            let at = one.at.start..self.end(one, next);
            Section { span: Some(*span), at, unit: self.unit_at(one.at.start) }
        };
        own.map(section).collect()
    }

    /// Where the section of a heading ends: at the next that is not below it. Of a sprint that is no heading, any ends it.
    fn end(&self, head: &Located, next: usize) -> usize {
        let level = self.outline.level(head.at.start);
        let from = self.outline.headings.partition_point(|one| one.at.start < head.at.end);
        let rest = self.outline.headings.get(from..).unwrap_or_default().iter();
        let sprint =
            |at: &Range<usize>| self.first_in(at).is_some_and(|one| one.kind == Kind::Sprint);
        let ends = |one: &&Block| match (head.kind, level) {
            (Kind::Unit, None) => false,
            (Kind::Unit, Some(level)) => one.level <= level && !sprint(&one.at),
            (_, level) => level.is_none_or(|level| one.level <= level),
        };
        rest.take_while(|one| one.at.start < next).find(ends).map_or(next, |one| one.at.start)
    }

    /// The spans that lie in no other, with their numbers.
    pub(super) fn ordered(&self) -> impl Iterator<Item = (usize, &'a Located)> {
        self.order.iter().filter_map(|place| Some((*place, self.spans.get(*place)?)))
    }

    /// The spans that cover something of a place.
    pub(super) fn over(&self, at: &Range<usize>) -> impl Iterator<Item = &'a Located> {
        let before =
            |place: &usize| self.spans.get(*place).is_some_and(|one| one.at.end <= at.start);
        let rest = self.order.get(self.order.partition_point(before)..).unwrap_or_default();
        let (end, spans) = (at.end, self.spans);
        rest.iter().filter_map(|one| spans.get(*one)).take_while(move |one| one.at.start < end)
    }

    /// The first span that covers something of a place.
    pub(super) fn first_in(&self, at: &Range<usize>) -> Option<&'a Located> {
        self.over(at).next()
    }

    /// The sprint that a byte belongs to, as a place among the sprints.
    pub(super) fn sprint_at(&self, byte: usize) -> Option<usize> {
        section_at(&self.sprints, byte)
    }

    /// The unit that a byte belongs to, as a place among the units.
    pub(super) fn unit_at(&self, byte: usize) -> Option<usize> {
        section_at(&self.units, byte)
    }

    /// The unit of a span.
    pub(super) fn unit_of(&self, span: usize) -> Option<usize> {
        self.spans.get(span).and_then(|one| self.unit_at(one.at.start))
    }

    /// The text of a span.
    pub(super) fn text(&self, span: &Located) -> &'a str {
        self.outline.slice(span.at.clone())
    }

    /// What others call a span: the label of a sprint, the text of a unit.
    pub(super) fn called(&self, span: usize) -> Option<&'a str> {
        let one = self.spans.get(span)?;
        match one.kind {
            Kind::Sprint => one.label.as_deref(),
            Kind::Unit => Some(self.text(one)),
            _ => None,
        }
    }

    /// Where the first word of a line stands that no span covers, in a line that some span touches.
    pub(super) fn residue(&self, line: usize) -> Option<usize> {
        let at = self.outline.line(line);
        self.first_in(&at)?;
        let mut byte = self.outline.text_start(line, true);
        while byte < at.end {
            let letter = self.outline.slice(byte..at.end).chars().next()?;
            let end = byte + letter.len_utf8();
            byte = match self.first_in(&(byte..end)) {
                Some(span) => span.at.end,
                None if speaks(letter) => return Some(byte),
                None => end,
            };
        }
        None
    }
}

fn section_at(sections: &[Section], byte: usize) -> Option<usize> {
    let place = sections.partition_point(|one| one.at.start <= byte).checked_sub(1)?;
    sections.get(place).filter(|one| byte < one.at.end).map(|_| place)
}
