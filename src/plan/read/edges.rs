//! Who waits for whom: columns, lines "Depends on", preconditions, mermaid, arrows, layers; and where
//! nothing is said, the sprint before.

use super::super::document::LineRange;
use super::super::label::{Headed, headed};
use super::super::mention::{Mention, Named, Names, Speaker, finished, mentions, same_label};
use super::super::model::{Dependency, Origin, Plan, Weight, unit_of};
use super::super::outline::{Content, plain};
use super::super::phrases::Phrases;
use super::Reader;
use super::body::Body;
use super::find::WORDS;
use super::tables::{layer_rows, said, sprint_rows, unit_rows};
use super::waits;
use crate::vocab::error::Code;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// The most dependencies that are read.
const MOST_EDGES: usize = 20_000;

/// The names of everything in a plan.
pub(in super::super) fn names(plan: &Plan) -> Names {
    let sprints = plan.units.iter().flat_map(|unit| {
        unit.sprints.iter().map(|sprint| Named {
            id: sprint.id.clone(),
            unit: unit.id.clone(),
            label: sprint.label.clone(),
        })
    });
    let mut words: Vec<String> = WORDS.iter().map(|word| (*word).to_owned()).collect();
    if let Some(sprint) = plan.sprints().next() {
        let word = sprint.word.to_lowercase();
        if !words.contains(&word) {
            words.push(word);
        }
    }
    let units = plan.units.iter().map(|unit| (unit.id.clone(), unit.name.clone()));
    Names::new(words, sprints.collect(), units.collect())
}

/// Reads every dependency. `bodies` were read in the order of the document.
pub(super) fn read(reader: &mut Reader<'_>, plan: &mut Plan, bodies: &[Body]) {
    let names = names(plan);
    let mut edges = Edges { reader, names, list: Vec::new(), seen: BTreeSet::new(), full: false };
    edges.tables(plan);
    let silent = edges.sprints(plan, bodies);
    edges.drawings();
    edges.layers(plan);
    edges.order(plan, &silent);
    plan.dependencies = sorted(edges.list, plan);
}

/// In the order of the plan: by who waits, then by whom it waits for.
fn sorted(mut list: Vec<Dependency>, plan: &Plan) -> Vec<Dependency> {
    let ids = plan.units.iter().flat_map(|unit| {
        std::iter::once(unit.id.as_str()).chain(unit.sprints.iter().map(|one| one.id.as_str()))
    });
    let places: BTreeMap<&str, usize> = ids.zip(0..).collect();
    let place = |id: &str| places.get(id).copied();
    list.sort_by_cached_key(|one| (place(&one.to), place(&one.from)));
    list
}

struct Edges<'r, 'a> {
    reader: &'r mut Reader<'a>,
    names: Names,
    list: Vec<Dependency>,
    seen: BTreeSet<(String, String)>,
    full: bool,
}

impl Edges<'_, '_> {
    fn add(&mut self, from: &str, to: &str, origin: Origin, line: u32) {
        // What lies within what waits for it says nothing.
        let within = from == to || unit_of(from) == to || unit_of(to) == from;
        if self.list.len() >= MOST_EDGES && std::mem::replace(&mut self.full, true) {
            // Said once.
        } else if self.list.len() >= MOST_EDGES {
            let expected = format!("at most {MOST_EDGES} dependencies");
            let at = self.reader.outline.bytes(LineRange { first: line, last: line });
            self.reader.remark(Weight::Fault, Code::TooLarge, at, &expected, "more");
        } else if !within && self.seen.insert((from.to_owned(), to.to_owned())) {
            let [from, to] = [from, to].map(str::to_owned);
            self.list.push(Dependency { from, to, origin, line });
        }
    }

    /// Reads a text that says what `to` waits for.
    fn text(&mut self, range: &Range<usize>, to: &str, origin: Origin) -> usize {
        let text = self.reader.outline.source(range);
        let brief = matches!(origin, Origin::Column | Origin::Field);
        let sprint = self.names.place(to);
        let speaker = Speaker { unit: Some(unit_of(to)), sprint, brief };
        let mut found = mentions(text, &self.names, speaker);
        if brief {
            self.within_units(text, &mut found);
            self.unnamed(range, text, &found, to);
        }
        for one in &found {
            match origin == Origin::Entry && self.is_aside(one, text, sprint) {
                true => self.aside(one, range.start),
                false => self.mention(one, range.start, to, origin),
            }
        }
        found.len()
    }

    /// "Core Sprint 3" is the sprint of that unit, not of the speaker's.
    fn within_units(&self, text: &str, found: &mut [Mention]) {
        for one in waits::of_units(text, &self.names) {
            let part = one.at.start..text.len();
            let mut said = found.iter_mut().filter(|found| part.contains(&found.at));
            let Some(said) = said.find(|found| same_label(&found.said, &one.label)) else {
                continue;
            };
            let inner = |unit: String| {
                let mut all = self.names.sprints.iter().filter(|sprint| sprint.unit == unit);
                all.find(|sprint| same_label(&sprint.label, &one.label)).map(|one| one.id.clone())
            };
            said.id = one.unit.and_then(inner);
            let whole = text.get(one.at.start..said.at + said.said.len());
            said.said = whole.unwrap_or(&said.said).to_owned();
            said.at = one.at.start;
        }
    }

    /// What looks like a name in a text about dependencies and is none, and what waits for itself.
    fn unnamed(&mut self, range: &Range<usize>, text: &str, found: &[Mention], to: &str) {
        for part in waits::unnamed(text, found, &self.names) {
            let expected = "the name of a unit or sprint of this plan, or `none`";
            let got = format!("`{}`", &text[part.clone()]);
            let at = range.start + part.start..range.start + part.end;
            self.reader.remark(Weight::Fault, Code::DependencyUnknown, at, expected, &got);
        }
        if let [one] = found
            && one.id.as_deref() == Some(to)
            && text.split_whitespace().count() <= 2
        {
            let at = range.start + one.at..range.start + one.at + one.said.len();
            let expected = "another sprint or unit to wait for";
            self.reader.remark(Weight::Fault, Code::DependencyCycle, at, expected, "itself");
        }
    }

    /// A precondition may speak of a later sprint without waiting for it: "so that 5 can use it".
    fn is_aside(&self, one: &Mention, text: &str, sprint: Option<usize>) -> bool {
        let place = |id: &str| self.names.place(id);
        let later = match (one.id.as_deref().and_then(place), sprint) {
            (Some(place), Some(sprint)) => place > sprint,
            _ => false,
        };
        later && !finished(text.get(one.at + one.said.len()..).unwrap_or_default())
    }

    fn aside(&mut self, one: &Mention, start: usize) {
        let at = start + one.at..start + one.at + one.said.len();
        let expected = "a precondition to name what comes before";
        let got = format!(
            "`{}`, which comes later and is not said to be finished; not waited for",
            one.said
        );
        self.reader.remark(Weight::Note, Code::Overlooked, at, expected, &got);
    }

    fn mention(&mut self, one: &Mention, start: usize, to: &str, origin: Origin) {
        let at = start + one.at..start + one.at + one.said.len();
        match &one.id {
            Some(id) => {
                let line = self.reader.outline.line(at.start);
                self.add(id, to, origin, line);
            }
            None => {
                let expected = "the label of a sprint of this plan";
                let got = format!("`{}`", one.said);
                self.reader.remark(Weight::Fault, Code::DependencyUnknown, at, expected, &got);
            }
        }
    }

    /// Columns "Dependencies" of tables of units and of sprints.
    fn tables(&mut self, plan: &mut Plan) {
        let mut units_read = false;
        let sheets = self.reader.sheets.clone();
        for sheet in sheets.iter() {
            if let Some(rows) = unit_rows(sheet).filter(|_| !units_read) {
                units_read = true;
                for row in rows {
                    let id = super::super::label::unit_key(&row.name);
                    if let Some(depends) = row.depends.filter(|_| plan.unit(&id).is_some()) {
                        self.column(&depends, &id);
                    }
                }
            } else if let Some(rows) = sprint_rows(sheet) {
                for row in rows {
                    self.row(plan, &row);
                }
            }
            for (layer, range) in layer_rows(sheet) {
                self.layer_row(plan, layer, &range);
            }
        }
    }

    /// A row that adds to a sprint which is described elsewhere.
    fn row(&mut self, plan: &mut Plan, row: &super::tables::SprintRow) {
        let speaker = Speaker { unit: None, sprint: None, brief: true };
        let found = mentions(&row.label, &self.names, speaker);
        let Some(id) = found.first().and_then(|one| one.id.clone()) else { return };
        if let Some(depends) = &row.depends {
            self.column(depends, &id);
        }
        let Some(range) = &row.priority else { return };
        let lines = self.reader.outline.lines(range);
        let mut sprints = plan.units.iter_mut().flat_map(|unit| &mut unit.sprints);
        if let Some(sprint) = sprints.find(|one| one.id == id) {
            let text = self.reader.outline.source(range);
            sprint.priority.get_or_insert_with(|| super::body::priority(text, lines));
        }
    }

    fn column(&mut self, range: &Range<usize>, to: &str) {
        let text = self.reader.outline.source(range);
        let found = self.text(range, to, Origin::Column);
        let none =
            !said(text) || text.to_lowercase().starts_with("none") || text.contains("no prereq");
        if found == 0 && !none {
            let expected = "names of units or sprints of this plan";
            let got = format!("`{text}`, which names none; taken as words for people");
            self.reader.remark(Weight::Note, Code::Overlooked, range.clone(), expected, &got);
        }
    }

    fn layer_row(&mut self, plan: &mut Plan, layer: u32, range: &Range<usize>) {
        let text = self.reader.outline.source(range);
        let speaker = Speaker { unit: None, sprint: None, brief: true };
        let found = mentions(text, &self.names, speaker);
        let ids: BTreeSet<String> = found.into_iter().filter_map(|one| one.id).collect();
        let sprints = plan.units.iter_mut().flat_map(|unit| &mut unit.sprints);
        sprints
            .filter(|one| ids.contains(&one.id))
            .for_each(|one| one.layer = one.layer.or(Some(layer)));
    }

    /// What each sprint says itself; the ids of those that say nothing.
    fn sprints(&mut self, plan: &Plan, bodies: &[Body]) -> BTreeSet<String> {
        let by_line: BTreeMap<usize, &Body> = bodies.iter().map(|body| (body.end, body)).collect();
        let mut silent = BTreeSet::new();
        for sprint in plan.sprints() {
            let bytes = self.reader.outline.bytes(sprint.lines);
            let Some((_, body)) = by_line.range(bytes.start..=bytes.end).next_back() else {
                continue;
            };
            let before = self.list.len();
            for range in &body.depends {
                self.text(range, &sprint.id, Origin::Field);
            }
            for range in &body.preconditions {
                self.text(range, &sprint.id, Origin::Entry);
            }
            let free = body.spoken && body.entry.iter().all(|one| FREE.within(&one.text));
            if self.list.len() == before && !free {
                silent.insert(sprint.id.clone());
            }
        }
        silent
    }

    /// Graphs in mermaid anywhere; arrows in text under a heading that speaks of dependencies.
    fn drawings(&mut self) {
        let mut about = false;
        let mut found: Vec<(bool, Range<usize>)> = Vec::new();
        let outline = &self.reader.outline;
        for block in &outline.blocks {
            match &block.content {
                Content::Heading(_) => about = is_about(outline.heading(block).0),
                Content::Code { info, .. } if info.trim().starts_with("mermaid") => {
                    found.push((true, block.range.clone()));
                }
                Content::Code { .. } | Content::Paragraph | Content::List(_) if about => {
                    found.push((false, block.range.clone()));
                }
                _ => {}
            }
        }
        for (mermaid, range) in found {
            if mermaid { self.mermaid(&range) } else { self.arrows(&range) }
        }
    }

    /// `Sprint 1 → Sprint 2 → Sprint 3`, line by line. Arrows that go down the page are not read.
    fn arrows(&mut self, range: &Range<usize>) {
        let mut at = range.start;
        let mut down = None;
        for line in self.reader.outline.source(range).split_inclusive('\n') {
            let parts = split_arrows(line);
            let row: Vec<Vec<Mention>> = parts
                .iter()
                .map(|(_, part)| {
                    let speaker = Speaker { unit: None, sprint: None, brief: false };
                    mentions(part, &self.names, speaker)
                })
                .collect();
            let number = self.reader.outline.line(at);
            for pair in row.windows(2) {
                let (from, to) = (pair[0].last(), pair[1].first());
                if let (Some(from), Some(to)) =
                    (from.and_then(|one| one.id.clone()), to.and_then(|one| one.id.clone()))
                {
                    self.add(&from, &to, Origin::Arrow, number);
                }
            }
            if line.contains(['↓', '▼', '│', '↘', '↙']) && down.is_none() {
                down = Some(at..at + line.trim_end().len());
            }
            at += line.len();
        }
        if let Some(range) = down {
            let expected = "arrows from left to right, mermaid, or a line `Depends on`";
            let got = "lines that go down the page, which are not read";
            self.reader.remark(Weight::Note, Code::Overlooked, range, expected, got);
        }
    }

    fn mermaid(&mut self, range: &Range<usize>) {
        let source = self.reader.outline.source(range);
        let mut said: BTreeMap<String, String> = BTreeMap::new();
        for line in source.lines() {
            for (_, part) in split_arrows(line) {
                for (id, words) in part.split('&').filter_map(mermaid_node) {
                    if let Some(words) = words {
                        said.insert(id, words);
                    }
                }
            }
        }
        let mut at = range.start;
        for line in source.split_inclusive('\n') {
            let parts = split_arrows(line);
            if parts.len() > 1 {
                let nodes: Vec<Vec<String>> = parts
                    .iter()
                    .map(|(skip, part)| self.mermaid_nodes(at + skip, part, &said))
                    .collect();
                let number = self.reader.outline.line(at);
                for pair in nodes.windows(2) {
                    for (from, to) in
                        pair[0].iter().flat_map(|from| pair[1].iter().map(move |to| (from, to)))
                    {
                        self.add(from, to, Origin::Mermaid, number);
                    }
                }
            }
            at += line.len();
        }
    }

    fn mermaid_nodes(
        &mut self,
        at: usize,
        part: &str,
        said: &BTreeMap<String, String>,
    ) -> Vec<String> {
        let mut found = Vec::new();
        for (id, _) in part.split('&').filter_map(mermaid_node) {
            let words = said.get(&id).map_or(id.as_str(), String::as_str);
            let known = self.node(words).or_else(|| self.node(&id));
            match known {
                Some(known) => found.push(known),
                None => {
                    let skip = part.find(&id).unwrap_or(0);
                    let range = at + skip..at + skip + id.len();
                    let got = format!("`{words}`");
                    let expected = "a node that is a sprint or unit of this plan";
                    self.reader.remark(
                        Weight::Fault,
                        Code::DependencyUnknown,
                        range,
                        expected,
                        &got,
                    );
                }
            }
        }
        found
    }

    /// A node by its words: `Sprint 2`, `S2`, `Sprint2`, `2`, `Core API`.
    fn node(&self, words: &str) -> Option<String> {
        let speaker = Speaker { unit: None, sprint: None, brief: true };
        let first =
            |text: &str| mentions(text, &self.names, speaker).into_iter().find_map(|one| one.id);
        let spaced = || {
            let lower = words.to_lowercase();
            let word = self.names.words.iter().find(|word| lower.starts_with(word.as_str()))?;
            first(&format!(
                "{word} {}",
                words.get(word.len()..)?.trim_start_matches(['_', '-', ' '])
            ))
        };
        first(words).or_else(spaced)
    }

    /// A unit waits for all units of the next lower layer; sprints with layers of their own likewise,
    /// within their unit.
    fn layers(&mut self, plan: &Plan) {
        let units = plan
            .units
            .iter()
            .filter_map(|unit| Some((unit.layer?, unit.id.clone(), unit.lines.first)));
        self.by_layer(units.collect(), &BTreeSet::new());
        // What a sprint says itself is more exact than its layer.
        let waits: BTreeSet<String> = self.list.iter().map(|one| one.to.clone()).collect();
        for unit in &plan.units {
            let sprints = unit
                .sprints
                .iter()
                .filter_map(|one| Some((one.layer?, one.id.clone(), one.lines.first)));
            self.by_layer(sprints.collect(), &waits);
        }
    }

    fn by_layer(&mut self, members: Vec<(u32, String, u32)>, spoken: &BTreeSet<String>) {
        let mut layers: BTreeMap<u32, Vec<(String, u32)>> = BTreeMap::new();
        members
            .into_iter()
            .for_each(|(layer, id, line)| layers.entry(layer).or_default().push((id, line)));
        let layers: Vec<_> = layers.into_values().collect();
        for pair in layers.windows(2) {
            for (to, line) in pair[1].iter().filter(|(to, _)| !spoken.contains(to)) {
                for (from, _) in &pair[0] {
                    self.add(from, to, Origin::Layer, *line);
                }
            }
        }
    }

    /// A sprint that says nothing waits for the one before it in its unit.
    fn order(&mut self, plan: &Plan, silent: &BTreeSet<String>) {
        let waits: BTreeSet<String> = self.list.iter().map(|one| one.to.clone()).collect();
        for unit in &plan.units {
            for pair in unit.sprints.windows(2) {
                let (before, sprint) = (&pair[0].id, &pair[1]);
                if silent.contains(&sprint.id) && !waits.contains(&sprint.id) {
                    self.add(before, &sprint.id, Origin::Order, sprint.lines.first);
                }
            }
        }
    }
}

/// Whether a section with this heading may have arrows between sprints.
fn is_about(heading: &str) -> bool {
    static ABOUT: Phrases = Phrases::new(&["dependenc", "graph"]);
    let words = plain(heading);
    ABOUT.within(&words) && !matches!(headed(&words, WORDS), Headed::Sprint { .. })
}

/// What a precondition says if there is none.
static FREE: Phrases = Phrases::new(&[
    "no prerequisite",
    "no precondition",
    "first sprint",
    "first sortie",
    "none",
    "no dependenc",
    "independent",
]);

/// A line at its arrows: the parts with their bytes.
fn split_arrows(line: &str) -> Vec<(usize, &str)> {
    let mut parts = Vec::new();
    let (mut from, mut at) = (0, 0);
    while at < line.len() {
        let rest = &line[at..];
        match arrow(rest) {
            Some(length) => {
                parts.push((from, &line[from..at]));
                at += length;
                from = at;
            }
            None => at += rest.chars().next().map_or(1, char::len_utf8),
        }
    }
    parts.push((from, &line[from..]));
    parts
}

/// The length of the arrow that a text begins with: `→`, `->`, `-->`, `==>`, `──►`, `-->|words|`.
fn arrow(text: &str) -> Option<usize> {
    let shaft =
        text.find(|c: char| !matches!(c, '-' | '=' | '─' | '━' | '.')).unwrap_or(text.len());
    let head = text[shaft..].chars().next()?;
    let drawn = matches!(head, '→' | '►' | '▶' | '➜' | '⟶') || head == '>' && shaft > 0;
    if !drawn {
        return None;
    }
    let mut end = shaft + head.len_utf8();
    if let Some(words) = text[end..].strip_prefix('|')
        && let Some(close) = words.find('|')
    {
        end += close + 2;
    }
    Some(end)
}

/// A node `A[words]`, `A("words")`, `A`: its id, and its words.
fn mermaid_node(part: &str) -> Option<(String, Option<String>)> {
    let part = part.trim().trim_end_matches(';').trim();
    // What is left of `A -- words -->` before the arrow.
    let part = part.split(" -- ").next().unwrap_or_default().trim();
    let end = part.find(['[', '(', '{', '>']).unwrap_or(part.len());
    let (id, words) = part.split_at(end);
    let id = id.trim();
    let words = words
        .trim_matches(|c: char| matches!(c, '[' | ']' | '(' | ')' | '{' | '}' | '"' | '>' | '/'));
    let words = words.split("<br").next().unwrap_or_default().trim();
    let fits = !id.is_empty() && !id.contains(char::is_whitespace) && !id.starts_with('%');
    fits.then(|| (id.to_owned(), (!words.is_empty()).then(|| words.to_owned())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrows_split_lines() {
        for (line, parts) in [
            ("Sprint 1 → Sprint 2 -> Sprint 3", "Sprint 1 | Sprint 2 | Sprint 3"),
            ("A[x] -->|then| B", "A[x] | B"),
            ("A ──► B ==> C", "A | B | C"),
            ("a - b, c -- d => e", "a - b, c -- d | e"),
            ("none", "none"),
        ] {
            let split = split_arrows(line);
            let split: Vec<_> = split.iter().map(|(_, part)| part.trim()).collect();
            assert_eq!(split.join(" | "), parts, "{line}");
        }
        let node = |text: &str| {
            mermaid_node(text).map(|(id, words)| format!("{id}={}", words.unwrap_or_default()))
        };
        assert_eq!(node("S1[\"Sprint 1: x\"]").as_deref(), Some("S1=Sprint 1: x"));
        assert_eq!(node(" S2 ;").as_deref(), Some("S2="));
        assert_eq!(node("graph TD"), None);
    }
}
