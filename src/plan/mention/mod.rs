//! Who is spoken of: sprints and units in running text ("Sorties 1–6 complete", "WU1.S2", "all
//! previous sprints"), and who is expressly not meant ("independent of A1").

mod calls;
mod scan;
mod silent;
mod within;

use super::called::{Called, called};
use calls::Calls;
use scan::Scan;
use silent::not_meant;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// The names of a plan, in the order of the document.
#[derive(Clone, Debug, Default)]
pub struct Names {
    /// Words for a sprint, in small letters and the singular.
    pub words: Vec<String>,
    /// Each sprint.
    pub sprints: Vec<Named>,
    /// Each unit: id and name.
    pub units: Vec<(String, String)>,
    /// The places of sprints by their ids, by their labels as written, and by what makes labels the same.
    ids: BTreeMap<String, usize>,
    labels: BTreeMap<String, usize>,
    same: BTreeMap<String, Vec<usize>>,
    /// The places of sprints by their names in small letters; none where two have the same.
    called: BTreeMap<String, Option<usize>>,
    /// What units are called, and in which sprints the tasks are.
    calls: Calls,
}

impl Names {
    /// Names that can be looked up.
    pub fn new(words: Vec<String>, sprints: Vec<Named>, units: Vec<(String, String)>) -> Names {
        let mut names = Names { words, units, ..Names::default() };
        for (place, one) in sprints.iter().enumerate() {
            names.ids.entry(one.id.clone()).or_insert(place);
            names.labels.entry(one.label.clone()).or_insert(place);
            names.same.entry(bare_label(&one.label)).or_default().push(place);
            names.call_sprint(&one.name, place);
        }
        names.sprints = sprints;
        for (place, (id, name)) in names.units.iter().enumerate() {
            names.calls.unit(place, id);
            names.calls.unit(place, name);
        }
        names
    }

    /// What a sprint is called: "Week 1: Parser" is "Week 1" and "Parser" as well.
    fn call_sprint(&mut self, name: &str, place: usize) {
        let mut call = |name: String| {
            let known = self.called.entry(name).or_insert(Some(place));
            *known = known.filter(|known| *known == place);
        };
        call(name.to_lowercase());
        if let Some(Called { noun, number, rest }) = called(name) {
            call(format!("{noun} {}", number.to_lowercase()));
            call(rest.to_lowercase());
        }
    }

    /// One more name of a unit: the heading over its sprints, where a table names it otherwise.
    pub(super) fn call(&mut self, id: &str, name: &str) {
        if let Some(place) = self.units.iter().position(|(known, _)| known == id) {
            self.calls.unit(place, name);
        }
    }

    /// A task of the sprint at a place.
    pub(super) fn task(&mut self, sprint: usize, label: &str) {
        self.calls.task(sprint, label);
    }

    /// The unit that a person would call so: by its id, its name, "Phase 2", "Release".
    pub fn unit(&self, said: &str) -> Option<&str> {
        let by_name = self.units.iter().find(|(id, name)| id == said || name == said);
        let known = by_name.or_else(|| self.units.get(self.calls.find(said)?));
        known.map(|(id, _)| id.as_str())
    }

    /// The names of units that are not their whole names, with the ids.
    pub(super) fn parts(&self) -> impl Iterator<Item = (&str, &str)> {
        let all = self.calls.parts.iter();
        all.filter_map(|(name, place)| Some((self.units.get((*place)?)?.0.as_str(), name.as_str())))
    }

    /// Whether a sprint has this label.
    pub fn has_label(&self, label: &str) -> bool {
        self.same.contains_key(&bare_label(label))
    }

    /// The sprint with this name, if there is but one.
    pub(super) fn sprint_called(&self, name: &str) -> Option<&str> {
        let place = self.called.get(&name.to_lowercase()).copied().flatten()?;
        self.sprints.get(place).map(|one| one.id.as_str()).filter(|_| !name.is_empty())
    }

    /// The place of a sprint among all.
    pub fn place(&self, id: &str) -> Option<usize> {
        self.ids.get(id).copied()
    }
}

/// A sprint by its names.
#[derive(Clone, Debug)]
pub struct Named {
    /// Its id.
    pub id: String,
    /// Its unit.
    pub unit: String,
    /// Its label.
    pub label: String,
    /// What it is called beside that; may be empty.
    pub name: String,
}

/// Who speaks.
#[derive(Clone, Copy, Debug, Default)]
pub struct Speaker<'a> {
    /// The unit whose labels go first.
    pub unit: Option<&'a str>,
    /// The place of the sprint among [`Names::sprints`].
    pub sprint: Option<usize>,
    /// The text is about nothing but dependencies, so short forms count.
    pub brief: bool,
}

/// Somebody is spoken of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mention {
    /// The id; `None` if no sprint has this label, or several do.
    pub id: Option<String>,
    /// The byte of the text.
    pub at: usize,
    /// What is written there.
    pub said: String,
    /// A task of the sprint is spoken of.
    pub task: bool,
}

/// A label in a text, whoever is meant by the sentence around it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spot {
    /// Its bytes.
    pub range: Range<usize>,
    /// The sprint.
    pub id: String,
    /// It begins a range that the next spot ends: `1–3`.
    pub opens: bool,
}

/// Every label of a sprint in a text.
pub fn spots(text: &str, names: &Names, speaker: Speaker<'_>) -> Vec<Spot> {
    let mut scan = Scan::of(text, names, speaker);
    scan.run();
    let mut spots = scan.spots;
    spots.sort_by_key(|spot| spot.range.start);
    spots.dedup_by_key(|spot| spot.range.start);
    spots
}

/// What is said of something that is waited for.
const FINISHED: &[&str] = &[
    "complete",
    "done",
    "finished",
    "exit criteria",
    "is complete",
    "is done",
    "merged",
    "verified",
];

/// Everybody a text speaks of, in its order; each once, but where it is about nothing but dependencies: there every
/// part of it is looked at, and two tasks of one sprint are two names.
pub fn mentions(text: &str, names: &Names, speaker: Speaker<'_>) -> Vec<Mention> {
    let mut scan = Scan::of(text, names, speaker);
    scan.run();
    scan.unit_names();
    let silent = not_meant(text);
    let mut found = scan.found;
    found.retain(|one| !silent.iter().any(|(from, to)| (*from..*to).contains(&one.at)));
    let mut kept = BTreeSet::new();
    let place = |one: &Mention| if speaker.brief { one.at } else { 0 };
    found.retain(|one| one.id.is_none() || kept.insert((one.id.clone(), place(one))));
    found
}

/// Whether what follows a name says that it is to be complete.
pub fn finished(rest: &str) -> bool {
    let rest = rest.trim_start_matches(['`', '*', '\'', ' ']);
    let rest = match rest.strip_prefix('(').and_then(|inside| inside.split_once(')')) {
        Some((_, behind)) => behind.trim_start(),
        None => rest,
    };
    let rest = rest.trim_start_matches(['`', '*', ' ']);
    let lower: String = rest.chars().take(20).flat_map(char::to_lowercase).collect();
    FINISHED.iter().any(|word| lower.starts_with(word))
}

/// Labels are the same whatever the case and with or without leading zeros.
pub fn same_label(one: &str, other: &str) -> bool {
    bare_label(one) == bare_label(other)
}

/// What the same labels have in common.
pub fn bare_label(label: &str) -> String {
    let stripped = label.trim_start_matches('0');
    let digit = stripped.starts_with(|c: char| c.is_ascii_digit());
    if digit { stripped.to_lowercase() } else { label.to_lowercase() }
}
