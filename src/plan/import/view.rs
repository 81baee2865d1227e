//! Spans over their source: which span covers a place, and which sprint and unit a place belongs to.

use super::outline::{Outline, speaks};
use super::spans::{Kind, Located};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ops::Range;

/// Spans over their source.
pub(super) struct View<'a> {
    pub(super) outline: &'a Outline,
    spans: &'a [Located],
    /// Numbers of spans that lie in no other, in the order of the source, none overlapping.
    order: Vec<u32>,
    /// Numbers of commands within a criterion.
    nested: Vec<u32>,
    /// Commands by the numbers of their parents.
    pub(super) commands: BTreeMap<Option<u32>, Vec<&'a Located>>,
    /// Where spans begin that overlap another and are left out, and where that one does.
    pub(super) overlaps: Vec<(usize, usize)>,
    /// Work units in order.
    pub(super) units: Vec<Section>,
    /// Sprints in order.
    pub(super) sprints: Vec<Section>,
}

/// A unit or sprint with all that belongs to it.
pub(super) struct Section {
    /// The number of its span; `None` for the one sprint of a source that names none.
    pub(super) span: Option<u32>,
    pub(super) at: Range<usize>,
}

impl<'a> View<'a> {
    pub(super) fn new(outline: &'a Outline, spans: &'a [Located]) -> Self {
        let (order, nested, commands, overlaps, units, sprints) = Default::default();
        let mut view = View { outline, spans, order, nested, commands, overlaps, units, sprints };
        view.arrange();
        let commands: Vec<_> = view.all().filter(|one| one.1.kind == Kind::Command).collect();
        for (_, span) in commands {
            view.commands.entry(span.parent).or_default().push(span);
        }
        (view.units, view.sprints) = (view.sections(Kind::Unit), view.sections(Kind::Sprint));
        if view.sprints.is_empty() {
            view.sprints.push(Section { span: None, at: 0..outline.text.len() });
        }
        view
    }

    fn arrange(&mut self) {
        let mut all: Vec<(u32, &Located)> = (0..).zip(self.spans).collect();
        all.retain(|(_, span)| !span.at.is_empty());
        all.sort_by_key(|(number, span)| (span.at.start, Reverse(span.at.end), *number));
        let (mut last, mut inner) = (None::<(u32, &Located)>, 0);
        for (number, span) in all {
            let Some(outer) = last.filter(|(_, outer)| span.at.start < outer.at.end) else {
                self.order.push(number);
                last = Some((number, span));
                continue;
            };
            let own = span.kind == Kind::Command && span.parent == Some(outer.0);
            let within = span.at.end <= outer.1.at.end && span.at.start >= inner;
            if own && within && outer.1.kind.is_criterion() {
                inner = span.at.end;
                self.nested.push(number);
            } else {
                self.overlaps.push((span.at.start, outer.1.at.start));
            }
        }
    }

    fn sections(&self, kind: Kind) -> Vec<Section> {
        let opens = |one: &(u32, &Located)| one.1.kind == kind || one.1.kind == Kind::Unit;
        let heads: Vec<(u32, &Located)> = self.ordered().filter(opens).collect();
        let next = heads.iter().skip(1).map(|next| next.1.at.start);
        let ends = next.chain([self.outline.text.len()]);
        let own = heads.iter().zip(ends).filter(|(one, _)| one.1.kind == kind);
        let section = |((number, one), next): (&(u32, &'a Located), usize)| Section {
            span: Some(*number),
            at: one.at.start..self.end(one, next),
        };
        own.map(section).collect()
    }

    /// Where the section of a heading ends: at the next that is not below it. Of a sprint that is no heading, any ends it.
    fn end(&self, head: &Located, next: usize) -> usize {
        let own = self.outline.level(head.at.start);
        let ends = |(level, at): &(usize, Range<usize>)| match (head.kind, own) {
            (Kind::Unit, None) => false,
            (Kind::Unit, Some(own)) => *level <= own && self.kind_in(at.clone()) != Kind::Sprint,
            (_, own) => own.is_none_or(|own| *level <= own),
        };
        self.outline.headings(head.at.end..next).find(ends).map_or(next, |(_, at)| at.start)
    }

    /// A span by its number.
    pub(super) fn get(&self, number: u32) -> Option<&'a Located> {
        self.spans.get(usize::try_from(number).ok()?)
    }

    /// The spans that lie in no other, with their numbers.
    pub(super) fn ordered(&self) -> impl Iterator<Item = (u32, &'a Located)> {
        self.order.iter().filter_map(|number| Some((*number, self.get(*number)?)))
    }

    /// The same, and behind them commands within a criterion.
    pub(super) fn all(&self) -> impl Iterator<Item = (u32, &'a Located)> {
        let nested = self.nested.iter().filter_map(|number| Some((*number, self.get(*number)?)));
        self.ordered().chain(nested)
    }

    /// The spans that cover something of a place.
    pub(super) fn over(&self, at: Range<usize>) -> impl Iterator<Item = &'a Located> {
        let before = |number: &u32| self.get(*number).is_some_and(|one| one.at.end <= at.start);
        let rest = self.order.get(self.order.partition_point(before)..).unwrap_or_default();
        let spans = rest.iter().filter_map(|number| self.get(*number));
        spans.take_while(move |one| one.at.start < at.end)
    }

    /// What a place is labelled as, by the first span that covers something of it.
    pub(super) fn kind_in(&self, at: Range<usize>) -> Kind {
        self.over(at).next().map_or(Kind::Notes, |one| one.kind)
    }

    /// The sprint that a byte belongs to, as a place among the sprints.
    pub(super) fn sprint_at(&self, byte: usize) -> Option<usize> {
        section_at(&self.sprints, byte)
    }

    /// The unit that a byte belongs to, as a place among the units.
    pub(super) fn unit_at(&self, byte: usize) -> Option<usize> {
        section_at(&self.units, byte)
    }

    /// The text of a span.
    pub(super) fn text(&self, span: &Located) -> &'a str {
        self.outline.slice(span.at.clone())
    }

    /// What others call a span: the label of a sprint, the text of a unit.
    pub(super) fn called(&self, number: Option<u32>) -> Option<&'a str> {
        let one = self.get(number?)?;
        match one.kind {
            Kind::Sprint => one.label.as_deref(),
            Kind::Unit => Some(self.text(one)),
            _ => None,
        }
    }

    /// Where the first word of a line stands that no span covers, in a line that some span touches.
    pub(super) fn residue(&self, line: usize) -> Option<usize> {
        let at = self.outline.line(line);
        let mut free = self.outline.text_start(line, true);
        let ends = self.over(at.clone()).map(|span| (span.at.start, span.at.end));
        for (start, end) in ends.chain(self.over(at.clone()).next().map(|_| (at.end, at.end))) {
            let gap = self.outline.slice(free..start.max(free));
            if let Some(word) = gap.find(speaks) {
                return Some(free + word);
            }
            free = free.max(end);
        }
        None
    }
}

fn section_at(sections: &[Section], byte: usize) -> Option<usize> {
    let place = sections.partition_point(|one| one.at.start <= byte).checked_sub(1)?;
    sections.get(place).filter(|one| byte < one.at.end).map(|_| place)
}
