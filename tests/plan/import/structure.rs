//! A role that labels a document by its structure alone: headings of one form are sprints, a line that ends with a colon
//! says what the items below it are. It knows a few words that name criteria and tasks, and no single document.

use super::form::{Form, is_code, kind, named};
use super::labeller::Labelled;
use super::shape::{Block, Shape, tokens};
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

/// What each sprint is measured by, by its line; the one of a document without sprints has none.
type Measures = BTreeMap<Option<usize>, By>;

/// A sprint that was labelled.
#[derive(Clone, Debug)]
struct Known {
    number: u32,
    unit: Option<u32>,
    line: usize,
    /// The level of its heading.
    level: usize,
    label: String,
}

pub(crate) fn structured(text: &str) -> Labelled {
    let shape = Shape::new(text);
    let form = Form::new(&shape);
    let mut by = Measures::new();
    loop {
        let mut role = Role::new(&shape, &form, &by);
        role.walk();
        role.waits();
        let Some((line, known)) = role.open() else {
            return Labelled { text: text.to_owned(), spans: role.spans };
        };
        by.insert(line, if known == By::Words { By::Items } else { By::Prose });
    }
}

struct Role<'s, 'a> {
    shape: &'s Shape<'a>,
    form: &'s Form,
    by: &'s Measures,
    spans: Vec<Span>,
    sprints: Vec<Known>,
    unit: Option<u32>,
    sprint: Option<Known>,
    /// What items are where they stand.
    items: Option<Kind>,
}

impl<'s, 'a> Role<'s, 'a> {
    fn new(shape: &'s Shape<'a>, form: &'s Form, by: &'s Measures) -> Self {
        let (spans, sprints, unit, sprint, items) = Default::default();
        Role { shape, form, by, spans, sprints, unit, sprint, items }
    }

    fn walk(&mut self) {
        let mut line = 0;
        while line < self.shape.lines.len() {
            line = self.line(line);
        }
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
        let within = self.sprint.is_some() || self.form.sprints.is_empty();
        match shape.items.iter().find(|one| one.line == line) {
            _ if !within => line + 1,
            Some(item) => self.item(item),
            None => self.paragraph(line),
        }
    }

    /// The first sprint without a criterion that may be measured by more.
    fn open(&self) -> Option<(Option<usize>, By)> {
        let mut all: Vec<(Option<u32>, Option<usize>)> =
            self.sprints.iter().map(|one| (Some(one.number), Some(one.line))).collect();
        all.extend(all.is_empty().then_some((None, None)));
        let criterion = |one: &Span| matches!(one.kind, Kind::ExitCriterion | Kind::Command);
        let shown = |sprint| self.spans.iter().any(|one| one.parent == sprint && criterion(one));
        let without = all.into_iter().filter(|one| !shown(one.0));
        without.map(|one| (one.1, self.measure(one.1))).find(|one| one.1 != By::Prose)
    }

    fn measure(&self, line: Option<usize>) -> By {
        self.by.get(&line).copied().unwrap_or(By::Words)
    }

    fn measured(&self) -> By {
        self.measure(self.sprint.as_ref().map(|one| one.line))
    }

    fn push(&mut self, kind: Kind, parent: Option<u32>, at: Range<usize>) -> u32 {
        let last = self.shape.text[at.clone()].char_indices().last().map_or(0, |one| one.0);
        let (from, to) = (self.shape.place(at.start), self.shape.place(at.start + last));
        let (edges, label, name) = Default::default();
        self.spans.push(Span { kind, parent, from, to, edges, label, name });
        u32::try_from(self.spans.len() - 1).unwrap()
    }

    /// Something of the sprint, else of the whole document.
    fn own(&mut self, kind: Kind, at: Range<usize>) {
        self.push(kind, self.sprint.as_ref().map(|one| one.number), at);
    }

    fn heading(&mut self, heading: &Block) {
        let (line, level) = (heading.line, heading.level);
        let at = self.shape.words(line..line + 1);
        let words = self.shape.said(heading);
        if self.form.units.contains(&line) {
            self.unit = Some(self.push(Kind::Unit, None, at));
            (self.sprint, self.items) = (None, None);
        } else if self.form.sprints.contains(&line) {
            let (unit, label) = (self.unit, self.label(words));
            let number = self.push(Kind::Sprint, unit, at);
            self.spans.last_mut().unwrap().label = Some(label.clone());
            let sprint = Known { number, unit, line, level, label };
            self.sprints.push(sprint.clone());
            (self.sprint, self.items) = (Some(sprint), None);
        } else {
            self.sprint = self.sprint.take().filter(|one| level > one.level);
            if self.spans.is_empty() && level == 1 {
                self.push(Kind::Title, None, at);
            }
            self.items = kind(words);
        }
    }

    /// The first number that a heading says, else its first word that is not taken.
    fn label(&self, words: &str) -> String {
        let taken = |label: &str| {
            self.sprints.iter().any(|one| one.label == label && one.unit == self.unit)
        };
        let all = tokens(words);
        let number = all.iter().find(|one| one.starts_with(|c: char| c.is_ascii_digit()));
        let free = number.into_iter().chain(&all).find(|one| !taken(one));
        free.map_or_else(|| format!("s{}", self.sprints.len()), |one| (*one).to_owned())
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
            self.own(kind, at);
        }
        last + 1
    }

    /// A name over a list, a command to run, or a paragraph.
    fn paragraph(&mut self, line: usize) -> usize {
        let shape = self.shape;
        let said = shape.lines[line].trim();
        let (name, rest) = named(said);
        if said.starts_with(['|', '<']) || said.starts_with("---") {
            return line + 1;
        }
        if rest.is_empty() && name.is_some() {
            self.items = name.and_then(kind);
            return line + 1;
        }
        if name == Some("Run") && is_code(rest) {
            let all = shape.words(line..line + 1);
            let code = all.end - rest.len();
            self.push(Kind::Notes, None, all.start..code - 1);
            self.own(Kind::Command, code..all.end);
            return line + 1;
        }
        let end = (line + 1..shape.lines.len()).find(|next| self.ends(*next)).unwrap_or(line + 1);
        if let Some(kind) = self.says(name.unwrap_or_default(), said) {
            self.own(kind, shape.words(line..end));
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
        let mut blocks = shape.headings.iter().chain(&shape.items);
        let begins = text.starts_with("**") || text.starts_with('|') || named(text).0.is_some();
        let fenced = shape.fenced.contains(&line);
        text.is_empty() || begins || fenced || blocks.any(|one| one.line == line)
    }

    /// The edges of all lines that name sprints.
    fn waits(&mut self) {
        for span in &mut self.spans {
            if matches!(span.kind, Kind::DependsOn | Kind::EntryCriterion) {
                let own = self.sprints.iter().find(|one| Some(one.number) == span.parent);
                let text = spanned(self.shape, span);
                let words: BTreeSet<&str> = tokens(&text).into_iter().collect();
                let edges = words.iter().filter_map(|word| edge(&self.sprints, own, word));
                span.edges = edges.collect();
            }
        }
    }
}

/// Before its own sprint one of the same unit is waited for, else it is mentioned.
fn edge(sprints: &[Known], own: Option<&Known>, word: &str) -> Option<Edge> {
    let named = sprints.iter().any(|one| one.label == word);
    if !named || own.is_some_and(|own| own.label == word) {
        return None;
    }
    let before = |one: &&Known| {
        one.label == word && own.is_some_and(|own| own.unit == one.unit && one.line < own.line)
    };
    let span = sprints.iter().find(before).map(|one| one.number);
    let kind = if span.is_some() { EdgeKind::After } else { EdgeKind::Mention };
    Some(Edge { kind, span, label: word.to_owned() })
}

/// The text between the places of a span.
pub(crate) fn spanned(shape: &Shape, span: &Span) -> String {
    let [(first, from), (last, to)] = [&span.from, &span.to].map(|one| super::labeller::place(one));
    let cut = |line: usize| {
        let letters = shape.lines[line - 1].chars();
        let most = if line == last { to } else { usize::MAX };
        let skipped = if line == first { from - 1 } else { 0 };
        letters.take(most).skip(skipped).collect::<String>()
    };
    (first..=last).map(cut).collect::<Vec<_>>().join("\n")
}
