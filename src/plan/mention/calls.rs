//! What units are called beside their ids, and which tasks are in which sprint.

use super::super::called::{Called, OF_WORK, WU, called};
use super::super::label::{slug, unit_key};
use super::super::phrases::is_word;
use super::bare_label;
use std::collections::BTreeMap;

/// The places of units by their numbers; none where two have the same.
pub(super) type Numbers = BTreeMap<String, Option<usize>>;

/// What leads from words to units and sprints.
#[derive(Clone, Debug, Default)]
pub(super) struct Calls {
    /// Units by their whole names and ids in small letters.
    whole: BTreeMap<String, Option<usize>>,
    /// Units by the names behind their numbers, as written and as ids.
    pub(super) parts: BTreeMap<String, Option<usize>>,
    slugs: BTreeMap<String, Option<usize>>,
    /// Units by the noun before their number, and by that.
    numbered: BTreeMap<String, Numbers>,
    /// Sprints by the labels of their tasks.
    tasks: BTreeMap<String, Option<usize>>,
}

/// What two have is the name of neither.
fn put(map: &mut BTreeMap<String, Option<usize>>, name: String, place: usize) {
    let known = map.entry(name).or_insert(Some(place));
    *known = known.filter(|known| *known == place);
}

/// Words for a part of the work that may stand before its name: "Module: Core".
const KINDS: [&str; 9] =
    ["unit", "work unit", "module", "component", "track", "epic", "team", "workstream", "package"];

/// The name behind a word for a part of the work.
fn behind_kind(name: &str) -> Option<&str> {
    let (kind, rest) = name.split_once(':')?;
    let known = KINDS.iter().any(|one| is_word(kind.trim(), one));
    Some(rest.trim()).filter(|rest| known && !rest.is_empty())
}

impl Calls {
    /// Learns a name of the unit at a place.
    pub(super) fn unit(&mut self, place: usize, name: &str) {
        put(&mut self.whole, name.to_lowercase(), place);
        put(&mut self.whole, unit_key(name), place);
        put(&mut self.whole, slug(name), place);
        if let Some(rest) = behind_kind(name) {
            put(&mut self.parts, rest.to_owned(), place);
            put(&mut self.slugs, slug(rest), place);
        }
        let Some(Called { noun, number, rest }) = called(name) else { return };
        if !noun.is_empty() {
            put(self.numbered.entry(noun).or_default(), bare_label(number), place);
        }
        if !rest.is_empty() {
            put(&mut self.parts, rest.to_owned(), place);
            put(&mut self.slugs, slug(rest), place);
        }
    }

    /// Learns a task of the sprint at a place. A number alone may be that of many.
    pub(super) fn task(&mut self, sprint: usize, label: &str) {
        if !label.bytes().all(|byte| byte.is_ascii_digit()) {
            put(&mut self.tasks, bare_label(label), sprint);
        }
    }

    pub(super) fn has_tasks(&self) -> bool {
        !self.tasks.is_empty()
    }

    /// The sprint of a task.
    pub(super) fn sprint_of(&self, label: &str) -> Option<usize> {
        self.tasks.get(&bare_label(label)).copied()?
    }

    /// The numbers of the units with a noun.
    pub(super) fn numbers(&self, word: &str) -> Option<&Numbers> {
        let one = word.strip_suffix(['s', 'S']).unwrap_or(word);
        let is_it = |noun: &str| {
            is_word(one, noun) || noun == WU && OF_WORK.iter().any(|word| is_word(one, word))
        };
        self.numbered.iter().find(|(noun, _)| is_it(noun)).map(|(_, numbers)| numbers)
    }

    /// The unit of a noun and a number in one word: "Phase-2".
    pub(super) fn glued(&self, word: &str) -> Option<usize> {
        let one = (!self.numbered.is_empty()).then(|| called(word))??;
        self.by_number(&one).filter(|_| one.rest.is_empty())
    }

    fn by_number(&self, one: &Called<'_>) -> Option<usize> {
        self.numbered.get(&one.noun)?.get(&bare_label(one.number)).copied()?
    }

    /// The place of the unit that is called so. A number before a name of another unit is none.
    pub(super) fn find(&self, said: &str) -> Option<usize> {
        let bare = said.trim_matches(|c: char| c.is_whitespace() || "*_`\"".contains(c));
        if !bare.contains(char::is_alphanumeric) {
            return None;
        }
        let (lower, slug) = (bare.to_lowercase(), slug(bare));
        let known = self.whole.get(&lower).or_else(|| self.whole.get(&unit_key(bare)));
        let known = known.or_else(|| self.whole.get(&slug)).copied().flatten();
        let part = || self.slugs.get(&slug).copied().flatten();
        let numbered = || {
            let one = called(bare)?;
            match (self.by_number(&one), one.rest) {
                (place, "") => place,
                (place, rest) => match (place, self.find(rest)) {
                    (Some(place), Some(named)) => (place == named).then_some(place),
                    (place, named) => place.or(named),
                },
            }
        };
        known.or_else(part).or_else(numbered)
    }
}
