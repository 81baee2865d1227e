//! One thing wrong in an honest answer, in every way that a careless or hostile role might choose.

use super::labeller::{Labelled, place, said};
use endstate::plan::import::{Edge, EdgeKind, Kind, Span};

/// A seeded source of numbers (a linear congruential generator), so that each run applies the same.
pub(crate) struct Chance(pub(crate) u64);

impl Chance {
    pub(crate) fn below(&mut self, most: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % most.max(1)
    }

    fn one(&mut self, all: &[usize]) -> Option<usize> {
        (!all.is_empty()).then(|| all[self.below(all.len())])
    }
}

type Operator = fn(&Labelled, &mut Chance) -> Option<Vec<Span>>;

pub(crate) const OPERATORS: [(&str, Operator); 9] = [
    ("criterion to notes", criterion_to_notes),
    ("command to words", command_to_words),
    ("span cut", cut),
    ("moved across sprints", moved),
    ("edge dropped", edge_dropped),
    ("edge reversed", edge_reversed),
    ("sprints merged", merged),
    ("sprint invented", invented),
    ("shifted by one", shifted),
];

fn of(spans: &[Span], fits: impl Fn(&Span) -> bool) -> Vec<usize> {
    (0..spans.len()).filter(|at| fits(&spans[*at])).collect()
}

fn number(place: usize) -> u32 {
    u32::try_from(place).unwrap()
}

fn is_criterion(span: &Span) -> bool {
    matches!(span.kind, Kind::ExitCriterion | Kind::EntryCriterion)
}

/// The spans without some, all numbers following. Edges to a removed one become mentions, its children its parent's.
fn without(spans: &[Span], gone: &[usize]) -> Vec<Span> {
    let new = |old: u32| {
        let old = usize::try_from(old).unwrap();
        (!gone.contains(&old)).then(|| number(old - gone.iter().filter(|one| **one < old).count()))
    };
    let keep = |span: &Span| {
        let up = |old: u32| spans[usize::try_from(old).unwrap()].parent.and_then(new);
        let parent = span.parent.and_then(|old| new(old).or_else(|| up(old)));
        let edge = |edge: &Edge| match edge.span.map(new) {
            Some(None) => Edge { kind: EdgeKind::Mention, span: None, label: edge.label.clone() },
            other => Edge { span: other.flatten(), ..edge.clone() },
        };
        Span { parent, edges: span.edges.iter().map(edge).collect(), ..span.clone() }
    };
    let kept = spans.iter().enumerate().filter(|(at, _)| !gone.contains(at));
    kept.map(|(_, span)| keep(span)).collect()
}

fn criterion_to_notes(document: &Labelled, chance: &mut Chance) -> Option<Vec<Span>> {
    let at = chance.one(&of(&document.spans, is_criterion))?;
    let mut gone =
        of(&document.spans, |one| one.kind == Kind::Command && one.parent == Some(number(at)));
    if chance.below(2) == 0 {
        gone.push(at);
        return Some(without(&document.spans, &gone));
    }
    let mut spans = document.spans.clone();
    (spans[at].kind, spans[at].edges) = (Kind::Notes, Vec::new());
    Some(without(&spans, &gone))
}

fn command_to_words(document: &Labelled, chance: &mut Chance) -> Option<Vec<Span>> {
    let at = chance.one(&of(&document.spans, |one| one.kind == Kind::Command))?;
    Some(without(&document.spans, &[at]))
}

/// The end of a span taken back by some characters, or its start moved on.
fn cut(document: &Labelled, chance: &mut Chance) -> Option<Vec<Span>> {
    let mut spans = document.spans.clone();
    let long = |one: &Span| {
        said(&document.text, one).chars().count() > 3 && place(&one.from).0 == place(&one.to).0
    };
    let at = chance.one(&of(&spans, long))?;
    let letters = said(&document.text, &spans[at]).chars().count();
    let (less, (line, first), last) =
        (1 + chance.below(letters - 2), place(&spans[at].from), place(&spans[at].to).1);
    match chance.below(2) {
        0 => spans[at].to = format!("{line}:{}", last - less),
        _ => spans[at].from = format!("{line}:{}", first + less),
    }
    Some(spans)
}

/// Something given to another sprint; now and then a sprint to another unit.
fn moved(document: &Labelled, chance: &mut Chance) -> Option<Vec<Span>> {
    let mut spans = document.spans.clone();
    let kinds =
        [Kind::Task, Kind::ExitCriterion, Kind::EntryCriterion, Kind::DependsOn, Kind::Sprint];
    let at = chance.one(&of(&spans, |one| kinds.contains(&one.kind) && one.parent.is_some()))?;
    let kind = if spans[at].kind == Kind::Sprint { Kind::Unit } else { Kind::Sprint };
    let own = spans[at].parent.map(|one| usize::try_from(one).unwrap());
    let others: Vec<usize> =
        of(&spans, |one| one.kind == kind).into_iter().filter(|one| Some(*one) != own).collect();
    spans[at].parent = Some(number(chance.one(&others)?));
    Some(spans)
}

fn waits(spans: &[Span]) -> Vec<(usize, usize)> {
    let edges =
        |at: usize| spans[at].edges.iter().enumerate().filter(|one| one.1.kind == EdgeKind::After);
    (0..spans.len()).flat_map(|at| edges(at).map(move |one| (at, one.0))).collect()
}

/// An edge left out, or called a mention.
fn edge_dropped(document: &Labelled, chance: &mut Chance) -> Option<Vec<Span>> {
    let mut spans = document.spans.clone();
    let all = waits(&spans);
    let (at, edge) = all[chance.one(&(0..all.len()).collect::<Vec<_>>())?];
    match chance.below(2) {
        0 => drop(spans[at].edges.remove(edge)),
        _ => spans[at].edges[edge].kind = EdgeKind::Mention,
    }
    Some(spans)
}

/// The one waited for made the one that waits: at a line of its own, or with the line given to it.
fn edge_reversed(document: &Labelled, chance: &mut Chance) -> Option<Vec<Span>> {
    let mut spans = document.spans.clone();
    let all = waits(&spans);
    let (at, edge) = all[chance.one(&(0..all.len()).collect::<Vec<_>>())?];
    let (target, waiting) = (spans[at].edges[edge].span?, spans[at].parent?);
    let from = usize::try_from(waiting).unwrap();
    let label = spans[from].label.clone().unwrap_or_else(|| said(&document.text, &spans[from]));
    let back = Edge { kind: EdgeKind::After, span: Some(waiting), label };
    if chance.below(2) == 0 {
        spans[at].parent = Some(target);
        spans[at].edges[edge] = back;
        return Some(spans);
    }
    if chance.below(2) == 0 {
        spans[at].edges.remove(edge);
    } else {
        spans[at].edges[edge].kind = EdgeKind::Mention;
    }
    let lines = of(&spans, |one| {
        one.parent == Some(target) && matches!(one.kind, Kind::DependsOn | Kind::EntryCriterion)
    });
    let line = lines.first().copied().unwrap_or(usize::try_from(target).unwrap());
    spans[line].edges.push(back);
    Some(spans)
}

/// A sprint left out, all that is its own given to the one before it.
fn merged(document: &Labelled, chance: &mut Chance) -> Option<Vec<Span>> {
    let sprints = of(&document.spans, |one| one.kind == Kind::Sprint);
    let place = 1 + chance.below(sprints.len().checked_sub(1).filter(|others| *others > 0)?);
    let (before, gone) = (sprints[place - 1], sprints[place]);
    let mut spans = document.spans.clone();
    for span in spans.iter_mut().filter(|one| one.parent == Some(number(gone))) {
        span.parent = Some(number(before));
    }
    if chance.below(2) == 0 {
        (spans[gone].kind, spans[gone].label) = (Kind::Notes, None);
        for edge in spans
            .iter_mut()
            .flat_map(|one| one.edges.iter_mut())
            .filter(|one| one.span == Some(number(gone)))
        {
            (edge.kind, edge.span) = (EdgeKind::Mention, None);
        }
        return Some(spans);
    }
    Some(without(&spans, &[gone]))
}

/// A task, a criterion or a heading of no element made a sprint, what follows in its sprint given to it.
fn invented(document: &Labelled, chance: &mut Chance) -> Option<Vec<Span>> {
    let mut spans = document.spans.clone();
    let label = Some("new".to_owned());
    let labelled = |line: usize| spans.iter().any(|one| place(&one.from).0 == line);
    let lines = document.text.lines().enumerate().map(|(at, line)| (at + 1, line));
    let free: Vec<(usize, String)> = lines
        .filter(|(at, line)| line.starts_with('#') && !labelled(*at))
        .map(|(at, line)| (at, line.to_owned()))
        .collect();
    if chance.below(3) == 0 && !free.is_empty() {
        let (line, _) = &free[chance.below(free.len())];
        let kind = Kind::Sprint;
        let units = of(&spans, |one| one.kind == Kind::Unit && place(&one.from).0 < *line);
        let parent = units.last().map(|unit| number(*unit)).filter(|_| chance.below(2) == 0);
        let (from, to) = (line.to_string(), line.to_string());
        spans.push(Span { kind, parent, from, to, edges: Vec::new(), label, name: None });
        return Some(spans);
    }
    let at = chance.one(&of(&spans, |one| one.kind == Kind::Task || is_criterion(one)))?;
    let old = spans[at].parent?;
    for span in spans.iter_mut().skip(at).filter(|one| one.parent == Some(old)) {
        span.parent = Some(number(at));
    }
    let parent = spans[usize::try_from(old).unwrap()].parent;
    (spans[at].kind, spans[at].parent, spans[at].label) = (Kind::Sprint, parent, label);
    spans[at].edges.clear();
    for command in
        spans.iter_mut().filter(|one| one.kind == Kind::Command && one.parent == Some(number(at)))
    {
        (command.kind, command.parent) = (Kind::Notes, None);
    }
    Some(spans)
}

fn shifted(document: &Labelled, chance: &mut Chance) -> Option<Vec<Span>> {
    let mut spans = document.spans.clone();
    let at = chance.below(spans.len());
    let by = |text: &str, back: bool| {
        let (line, column) = place(text);
        format!("{line}:{}", if back { column - 1 } else { column + 1 })
    };
    let back = chance.below(2) == 0 && place(&spans[at].from).1 > 1;
    (spans[at].from, spans[at].to) = (by(&spans[at].from, back), by(&spans[at].to, back));
    Some(spans)
}
