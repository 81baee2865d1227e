//! Who waits for whom: columns, lines "Depends on", preconditions, mermaid, sentences, layers; and where
//! nothing is said, the sprint before.

mod mermaid;
mod needs;
mod phases;
mod sections;
mod spelled;
mod stated;
mod tabled;
mod whole;

use super::super::document::LineRange;
use super::super::mention::{Mention, Named, Names, Speaker, finished, mentions, same_label};
use super::super::model::{Dependency, Origin, Plan, Sprint, Weight, unit_of};
use super::super::phrases::Phrases;
use super::Reader;
use super::body::Body;
use super::find::WORDS;
use super::layers;
use super::units::Own;
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
            name: sprint.name.clone(),
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
    let own = std::mem::take(&mut reader.own);
    let names = all_names(reader, plan, &own);
    let (list, seen, spoken) = (Vec::new(), BTreeSet::new(), BTreeSet::new());
    let beside = BTreeMap::new();
    let mut edges = Edges { reader, names, list, seen, spoken, beside, full: false };
    edges.tables(plan);
    edges.own(&own);
    let silent = edges.sprints(plan, bodies);
    let unread = edges.sections();
    edges.layers(plan);
    edges.order(plan, &silent);
    edges.turned(plan, bodies, &own);
    edges.phases(plan, &own, &silent);
    edges.tell(unread);
    plan.dependencies = sorted(edges.list, plan);
    reader.own = own;
}

/// The names of everything, with the headings of units that a table names otherwise, and the tasks.
fn all_names(reader: &Reader<'_>, plan: &Plan, own: &[Own]) -> Names {
    let mut names = names(plan);
    own.iter().for_each(|one| names.call(&one.id, reader.outline.source(&one.heading)));
    for (place, sprint) in plan.sprints().enumerate() {
        sprint.tasks.iter().for_each(|task| names.task(place, &task.label));
    }
    names
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
    /// Units that say whom they wait for, be it nobody.
    spoken: BTreeSet<String>,
    /// Units that may begin beside each other, for each the others.
    beside: BTreeMap<String, BTreeSet<String>>,
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

    /// Reads a text that says what `to` waits for. Whether it names anybody.
    fn text(&mut self, range: &Range<usize>, to: &str, origin: Origin) -> bool {
        let text = self.reader.outline.source(range);
        let brief = matches!(origin, Origin::Column | Origin::Field);
        let sprint = self.names.place(to);
        let speaker = Speaker { unit: Some(unit_of(to)), sprint, brief };
        let mut found = mentions(text, &self.names, speaker);
        if brief {
            self.within_units(text, &mut found);
            let worded = waits::worded(text, &found, &self.names);
            found.extend(worded);
            self.unnamed(range, text, &found, to);
        }
        let named = !found.is_empty();
        if !to.contains('/') {
            self.of_others(&mut found, range.start, to);
        }
        if brief {
            self.remember(range, speaker, &found);
        }
        for one in &found {
            if origin == Origin::Entry && self.is_itself(one, text, to) {
                self.itself(one, range.start);
            } else if origin == Origin::Entry && self.is_aside(one, text, to) {
                self.aside(one, range.start);
            } else {
                self.mention(one, range.start, to, origin);
            }
        }
        named
    }

    /// Whether a precondition of a sprint is that this sprint, or the unit it is of, is finished.
    fn is_itself(&self, one: &Mention, text: &str, to: &str) -> bool {
        let whole = self.names.units.len() > 1 && one.id.as_deref() == Some(unit_of(to));
        let own = one.id.as_deref() == Some(to) && !one.task || whole;
        own && finished(text.get(one.at + one.said.len()..).unwrap_or_default())
    }

    fn itself(&mut self, one: &Mention, start: usize) {
        let at = start + one.at..start + one.at + one.said.len();
        let expected = "another sprint or unit to wait for";
        self.reader.remark(Weight::Fault, Code::DependencyCycle, at, expected, "itself");
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
        for (part, weight) in waits::unnamed(text, found, &self.names) {
            let expected = "the name of a unit or sprint of this plan, or `none`";
            let got = format!("`{}`", &text[part.clone()]);
            let at = range.start + part.start..range.start + part.end;
            self.reader.remark(weight, Code::DependencyUnknown, at, expected, &got);
        }
        let whole = (self.names.units.len() > 1).then(|| unit_of(to));
        let is_own = |one: &&Mention| {
            one.id.is_some()
                && !one.task
                && (one.id.as_deref() == Some(to) || one.id.as_deref() == whole)
        };
        let own = found.iter().find(is_own);
        if let Some(one) = own.filter(|one| is_bare(text, one.at)) {
            self.itself(one, range.start);
        }
    }

    /// A precondition may speak of a later sprint without waiting for it: "so that 5 can use it".
    fn is_aside(&self, one: &Mention, text: &str, to: &str) -> bool {
        let place = |id: &str| self.names.place(id);
        let sprint = place(to);
        let later = match (one.id.as_deref().and_then(place), sprint) {
            (Some(place), Some(sprint)) => place > sprint,
            _ => self.is_later(one.id.as_deref(), to),
        };
        later && !finished(text.get(one.at + one.said.len()..).unwrap_or_default())
    }

    /// Whether a unit stands behind the one that speaks.
    fn is_later(&self, one: Option<&str>, to: &str) -> bool {
        let place = |id: &str| self.names.units.iter().position(|(unit, _)| unit == unit_of(id));
        one.is_some_and(|one| place(one) > place(to))
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

    /// What each sprint says itself; the ids of those that say nothing.
    fn sprints(&mut self, plan: &Plan, bodies: &[Body]) -> BTreeSet<String> {
        let mut silent = BTreeSet::new();
        for (sprint, body) in self.paired(plan, bodies) {
            let before = self.list.len();
            self.left_open(body);
            for range in &body.depends {
                self.text(range, &sprint.id, Origin::Field);
            }
            for (range, order) in &body.needs {
                self.needs(range, &sprint.id, *order);
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

    /// The sprints that were taken, with what was read in them.
    fn paired<'p>(&self, plan: &'p Plan, bodies: &'p [Body]) -> Vec<(&'p Sprint, &'p Body)> {
        let by_line: BTreeMap<usize, &Body> = bodies.iter().map(|body| (body.end, body)).collect();
        let body = |sprint: &Sprint| {
            let bytes = self.reader.outline.bytes(sprint.lines);
            by_line.range(bytes.start..=bytes.end).next_back().map(|(_, body)| *body)
        };
        plan.sprints().filter_map(|sprint| Some((sprint, body(sprint)?))).collect()
    }

    /// What is asked for in a sprint and not said: a layer without a number, "Depends on" without a name.
    fn left_open(&mut self, body: &Body) {
        if let Some(range) = &body.layer_unread {
            layers::fault(self.reader, range.clone());
        }
        if let Some(range) = body.asked.as_ref().filter(|_| body.depends.is_empty()) {
            let (expected, got) = ("a name, or `none`", "nothing, taken as `none`");
            self.reader.remark(Weight::Warning, Code::Overlooked, range.clone(), expected, got);
        }
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
            let open = |one: &&Sprint| silent.contains(&one.id) && !waits.contains(&one.id);
            let first = unit.sprints.first().filter(open);
            self.reader.leading.extend(first.map(|one| one.id.clone()));
            for pair in unit.sprints.windows(2) {
                let (before, sprint) = (&pair[0].id, &pair[1]);
                if open(&sprint) {
                    self.add(before, &sprint.id, Origin::Order, sprint.lines.first);
                }
            }
        }
    }
}

/// Whether the part between commas that a byte is in is a name and nothing else.
fn is_bare(text: &str, at: usize) -> bool {
    const MARKS: [char; 6] = [',', ';', '+', '&', '(', '\n'];
    let from = text[..at].rfind(MARKS).map_or(0, |place| place + 1);
    let end = text[at..].find(MARKS).map_or(text.len(), |step| at + step);
    text[from..end].split_whitespace().count() <= 2
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The faults of a plan of two units whose second sprint says something about what it waits for.
    fn faults(said: &str) -> Vec<(Code, u32, u32, String)> {
        let text = format!(
            "# P\n\n## Core\n\n### Sprint 1: A\n\n## Page\n\n### Sprint 2: B\n\n{said}\n\n### Sprint 3: C\n"
        );
        let parsed = super::super::parse(&text);
        parsed.faults().map(|one| (one.code, one.line, one.column, one.got.clone())).collect()
    }

    #[test]
    fn who_waits_for_itself_is_told_where() {
        for (said, column) in [
            ("**Entry criteria**: Sprint 2 exit criteria met", Some(28)),
            ("**Entry criteria**: `a.json` exists, Sprints 1–2 complete", Some(48)),
            ("- **Entry**: Page complete", Some(14)),
            ("**Depends on**: Sprint 2", Some(24)),
            ("**Depends on**: Sprint 1, Sprint 2", Some(34)),
            ("**Entry criteria**: Sprint 1 complete, so that Sprint 2 has types", None),
            ("**Entry criteria**: Core complete", None),
        ] {
            let itself = |column| (Code::DependencyCycle, 11, column, "itself".to_owned());
            let expected: Vec<_> = column.map(itself).into_iter().collect();
            assert_eq!(faults(said), expected, "{said}");
        }
    }
}
