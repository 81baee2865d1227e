//! A role that labels a document by its structure alone: headings of one form are sprints, a line that ends with a colon
//! says what the items below it are. It knows a few words that name criteria and tasks, and no single document.

use crate::labeller::Labelled;
use crate::shape::{Block, Shape, tokens};
use endstate::plan::import::{Edge, EdgeKind, Kind, Span};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// What a sprint that names no criteria is measured by, one after the other until it has one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum By {
    /// What it calls its criteria.
    Words,
    /// Its items.
    Items,
    /// All that it says.
    Prose,
}

/// The headings that are units and those that are sprints, by their lines.
#[derive(Debug, Default)]
struct Form {
    units: BTreeSet<usize>,
    sprints: BTreeSet<usize>,
}

pub(crate) fn structured(text: &str) -> Labelled {
    let shape = Shape::new(text);
    let form = form(&shape);
    let mut by: BTreeMap<Option<u32>, By> = BTreeMap::new();
    loop {
        let mut role = Role::new(&shape, &form, by.clone());
        role.walk();
        let spans = role.spans;
        let mut sprints: Vec<Option<u32>> = numbers(&spans, |one| one.kind == Kind::Sprint);
        sprints.extend(sprints.is_empty().then_some(None));
        let shown = |sprint: &Option<u32>| {
            let criterion = |one: &Span| matches!(one.kind, Kind::ExitCriterion | Kind::Command);
            spans.iter().any(|one| one.parent == *sprint && criterion(one))
        };
        let lines = |sprint: &Option<u32>| {
            sprint.map(|at| spans[usize::try_from(at).unwrap()].from.clone())
        };
        let open =
            sprints.iter().find(|one| !shown(one) && by.get(&key(&lines(one))) != Some(&By::Prose));
        let Some(open) = open else { return Labelled { text: text.to_owned(), spans } };
        let known = by.entry(key(&lines(open))).or_insert(By::Words);
        *known = if *known == By::Words { By::Items } else { By::Prose };
    }
}

/// The line of a sprint, which stays the same while the numbers of spans change.
fn key(place: &Option<String>) -> Option<u32> {
    place.as_ref().map(|place| place.split_once(':').unwrap().0.parse().unwrap())
}

fn numbers(spans: &[Span], fits: impl Fn(&Span) -> bool) -> Vec<Option<u32>> {
    let all = spans.iter().enumerate().filter(|one| fits(one.1));
    all.map(|one| Some(u32::try_from(one.0).unwrap())).collect()
}

/// Headings that differ from their first number on, of the highest level, over items: sprints; or units, if another
/// such group stands below each of them. Without any: the headings of one level that stand over check boxes.
fn form(shape: &Shape) -> Form {
    let mut groups: BTreeMap<(usize, &str), Vec<&Block>> = BTreeMap::new();
    for heading in &shape.headings {
        let words = shape.said(heading);
        let before = words.find(char::is_numeric).map(|number| &words[..number]);
        if let Some(before) = before.filter(|one| one.contains(char::is_alphabetic)) {
            groups.entry((heading.level, before)).or_default().push(heading);
        }
    }
    let holds = |one: &Block, line: usize| (one.line + 1..shape.end(one)).contains(&line);
    let work = |one: &&Block| shape.items.iter().any(|item| holds(one, item.line));
    let many = |group: &Vec<&Block>| group.len() > 1 && group.iter().any(work);
    let mut all: Vec<&Vec<&Block>> = groups.values().filter(|group| many(group)).collect();
    all.sort_by_key(|group| (group[0].level, std::cmp::Reverse(group.len())));
    let lines = |group: &[&Block]| group.iter().map(|one| one.line).collect::<BTreeSet<_>>();
    let Some(first) = all.first() else {
        return Form { sprints: boxed(shape), ..Form::default() };
    };
    let below = all
        .iter()
        .find(|group| first.iter().all(|unit| group.iter().any(|one| holds(unit, one.line))));
    if let Some(group) = below {
        return Form { units: lines(first), sprints: lines(group) };
    }
    // A section beside the sprints that has check boxes is one more of them.
    let beside = |one: &&Block| {
        let boxed = |item: &Block| item.boxed && holds(one, item.line);
        one.level == first[0].level && shape.items.iter().any(boxed)
    };
    let beside = shape.headings.iter().filter(beside).map(|one| one.line);
    Form { sprints: lines(first).into_iter().chain(beside).collect(), ..Form::default() }
}

/// The headings right over check boxes, of the level that has most of them.
fn boxed(shape: &Shape) -> BTreeSet<usize> {
    let over = |item: &Block| shape.headings.iter().rev().find(|one| one.line < item.line);
    let heads = shape.items.iter().filter(|item| item.boxed).filter_map(over);
    let mut levels: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
    for head in heads.filter(|one| one.level > 1) {
        levels.entry(head.level).or_default().insert(head.line);
    }
    levels.into_values().max_by_key(BTreeSet::len).unwrap_or_default()
}

struct Role<'s, 'a> {
    shape: &'s Shape<'a>,
    form: &'s Form,
    by: BTreeMap<Option<u32>, By>,
    labels: BTreeMap<u32, String>,
    spans: Vec<Span>,
    unit: Option<u32>,
    sprint: Option<u32>,
    /// The level of the heading that the sprint stands on.
    level: usize,
    /// What items are where they stand.
    items: Option<Kind>,
}

impl<'s, 'a> Role<'s, 'a> {
    fn new(shape: &'s Shape<'a>, form: &'s Form, by: BTreeMap<Option<u32>, By>) -> Self {
        let (labels, spans, unit, sprint, items) = Default::default();
        Role { shape, form, by, labels, spans, unit, sprint, level: 0, items }
    }

    fn walk(&mut self) {
        let mut line = 0;
        while line < self.shape.lines.len() {
            line = self.line(line).max(line + 1);
        }
        self.waits();
    }

    /// Whether something may be labelled here: in a sprint, or anywhere if there is none.
    fn is_within(&self) -> bool {
        self.sprint.is_some() || self.form.sprints.is_empty()
    }

    fn measured(&self) -> By {
        let place = self.sprint.map(|at| self.spans[usize::try_from(at).unwrap()].from.clone());
        self.by.get(&key(&place)).copied().unwrap_or(By::Words)
    }

    /// Labels what begins in a line; says which line is next.
    fn line(&mut self, line: usize) -> usize {
        let shape = self.shape;
        if shape.fenced.contains(&line) || shape.lines[line].trim().is_empty() {
            return line + 1;
        }
        if let Some(heading) = shape.headings.iter().find(|one| one.line == line) {
            self.heading(heading);
            return line + 1;
        }
        match shape.items.iter().find(|one| one.line == line) {
            _ if !self.is_within() => line + 1,
            Some(item) => self.item(item),
            None => self.paragraph(line),
        }
    }

    fn push(&mut self, kind: Kind, parent: Option<u32>, at: Range<usize>) -> u32 {
        let last = self.shape.text[at.clone()].char_indices().last().map_or(0, |one| one.0);
        let (from, to) = (self.shape.place(at.start), self.shape.place(at.start + last));
        self.spans.push(Span {
            kind,
            parent,
            from,
            to,
            edges: Vec::new(),
            label: None,
            name: None,
        });
        u32::try_from(self.spans.len() - 1).unwrap()
    }

    fn heading(&mut self, heading: &Block) {
        let at = self.shape.words(heading.line..heading.line + 1);
        let words = self.shape.said(heading);
        if self.form.units.contains(&heading.line) {
            self.unit = Some(self.push(Kind::Unit, None, at));
            (self.sprint, self.items) = (None, None);
        } else if self.form.sprints.contains(&heading.line) {
            let label = self.label(words);
            let number = self.push(Kind::Sprint, self.unit, at);
            self.spans.last_mut().unwrap().label = Some(label.clone());
            self.labels.insert(number, label);
            (self.sprint, self.level, self.items) = (Some(number), heading.level, None);
        } else {
            if heading.level <= self.level {
                self.sprint = None;
            }
            if self.spans.is_empty() && heading.level == 1 {
                self.push(Kind::Title, None, at);
            }
            self.items = kind(words);
        }
    }

    /// The first number that a heading says, else its first word that is not taken.
    fn label(&self, words: &str) -> String {
        let unit = |at: &u32| self.spans[usize::try_from(*at).unwrap()].parent;
        let own =
            |label: &str| !self.labels.iter().any(|one| one.1 == label && unit(one.0) == self.unit);
        let all = tokens(words);
        let number = all.iter().find(|one| one.starts_with(|c: char| c.is_ascii_digit()));
        let free = number.into_iter().chain(&all).find(|one| own(one));
        free.map_or_else(|| format!("s{}", self.labels.len()), |one| (*one).to_owned())
    }

    fn item(&mut self, item: &Block) -> usize {
        let kind = match (self.items, item.boxed, self.measured()) {
            (Some(Kind::EntryCriterion), ..) => Kind::EntryCriterion,
            (Some(Kind::ExitCriterion), ..) | (_, _, By::Items | By::Prose) => Kind::ExitCriterion,
            (Some(kind), ..) => kind,
            (None, true, _) => Kind::Task,
            (None, false, _) => return item.line + 1,
        };
        let last = self.shape.line_of(item.at.end - 1);
        let at = self.shape.words(item.line..last + 1).start..item.at.end;
        if at.start < at.end {
            self.push(kind, self.sprint, at);
        }
        last + 1
    }

    /// A line behind a name and a colon, or a paragraph.
    fn paragraph(&mut self, line: usize) -> usize {
        let shape = self.shape;
        let said = shape.lines[line].trim();
        let end = (line + 1..shape.lines.len()).find(|next| self.ends(*next)).unwrap_or(line + 1);
        let (name, rest) = named(said);
        if rest.is_empty() && name.is_some() {
            self.items = name.and_then(kind);
            return line + 1;
        }
        if said.starts_with(['|', '<']) || said.starts_with("---") {
            return line + 1;
        }
        if name == Some("Run") && is_code(rest) {
            self.command(line, rest);
            return line + 1;
        }
        if let Some(kind) = self.says(name.unwrap_or_default(), said) {
            self.push(kind, self.sprint, shape.words(line..end));
        }
        end
    }

    /// What a paragraph with this name is.
    fn says(&self, name: &str, said: &str) -> Option<Kind> {
        let bold = said.starts_with("**") && said.ends_with("**");
        if name.to_lowercase().contains("depend") {
            Some(Kind::DependsOn)
        } else if kind(name) == Some(Kind::ExitCriterion) || self.measured() == By::Prose {
            Some(Kind::ExitCriterion)
        } else {
            (bold && said.contains(char::is_numeric)).then_some(Kind::Task)
        }
    }

    /// Whether a line is no more of the paragraph before it.
    fn ends(&self, line: usize) -> bool {
        let shape = self.shape;
        let text = shape.lines[line].trim();
        let block = |all: &[Block]| all.iter().any(|one| one.line == line);
        text.is_empty()
            || text.starts_with("**")
            || named(text).0.is_some()
            || text.starts_with('|')
            || block(&shape.headings)
            || block(&shape.items)
            || shape.fenced.contains(&line)
    }

    fn command(&mut self, line: usize, code: &str) {
        let all = self.shape.words(line..line + 1);
        let start = all.end - code.len();
        self.push(Kind::Notes, None, all.start..start - 1);
        self.push(Kind::Command, self.sprint, start..all.end);
    }

    /// The edges of all lines that name sprints: before its own one it is waited for, else it is mentioned.
    fn waits(&mut self) {
        let shape = self.shape;
        let sprints: Vec<(u32, String, Option<u32>)> = self
            .labels
            .iter()
            .map(|(at, label)| {
                (*at, label.clone(), self.spans[usize::try_from(*at).unwrap()].parent)
            })
            .collect();
        for span in &mut self.spans {
            if !matches!(span.kind, Kind::DependsOn | Kind::EntryCriterion) {
                continue;
            }
            let text = spanned(shape, span);
            let own = sprints.iter().find(|one| Some(one.0) == span.parent);
            for word in tokens(&text).into_iter().collect::<BTreeSet<_>>() {
                if own.is_some_and(|own| own.1 == word) || !sprints.iter().any(|one| one.1 == word)
                {
                    continue;
                }
                let near = |one: &&(u32, String, Option<u32>)| {
                    one.1 == word && own.is_some_and(|own| own.2 == one.2 && one.0 < own.0)
                };
                let target = sprints.iter().find(near).map(|one| one.0);
                let kind = if target.is_some() { EdgeKind::After } else { EdgeKind::Mention };
                span.edges.push(Edge { kind, span: target, label: word.to_owned() });
            }
        }
    }
}

/// The text between the places of a span.
pub(crate) fn spanned(shape: &Shape, span: &Span) -> String {
    let ((first, from), (last, to)) =
        (crate::labeller::place(&span.from), crate::labeller::place(&span.to));
    let cut = |line: usize| {
        let letters = shape.lines[line - 1].chars();
        let most = if line == last { to } else { usize::MAX };
        let skipped = if line == first { from - 1 } else { 0 };
        letters.take(most).skip(skipped).collect::<String>()
    };
    (first..=last).map(cut).collect::<Vec<_>>().join("\n")
}

/// The name that a line begins with before a colon, and what follows: `**Depends on**: 1`, `Run: x`.
fn named(line: &str) -> (Option<&str>, &str) {
    let bare = line.trim_start_matches('*');
    match bare.split_once(':') {
        Some((name, rest)) if name.chars().count() < 40 && !name.contains(['`', '|', '<', '.']) => {
            (Some(name.trim_matches('*')), rest.trim_start_matches('*').trim())
        }
        _ => (None, line),
    }
}

fn is_code(text: &str) -> bool {
    text.len() > 2 && text.starts_with('`') && text.ends_with('`') && text.matches('`').count() == 2
}

/// What the items are below these words.
fn kind(words: &str) -> Option<Kind> {
    let lower = words.to_lowercase();
    let says = |all: &[&str]| all.iter().any(|one| lower.contains(one));
    if says(&["entry", "prerequisite"]) {
        Some(Kind::EntryCriterion)
    } else if says(&[
        "criteria",
        "acceptance",
        "verif",
        "expected",
        "checkpoint",
        "independent test",
        "success",
    ]) {
        Some(Kind::ExitCriterion)
    } else {
        says(&["task", "step", "implementation"]).then_some(Kind::Task)
    }
}
