//! "Kit Sprint 2" and "Sprint 2 of Kit": the label is one of that unit, whoever speaks.

use super::super::model::unit_of;
use super::super::phrases::is_word;
use super::scan::Scan;
use std::ops::Range;

/// The name of a unit has no more words than this.
const MOST_WORDS: usize = 6;

impl Scan<'_> {
    /// Labels behind a noun; those of the unit that is named before the noun or behind the label.
    pub(super) fn labels(&mut self, noun: usize) -> usize {
        let named = self.unit_before(noun).or_else(|| self.unit_behind(noun));
        let Some((unit, at)) = named else {
            return self.list(noun + 1, true);
        };
        // Not the whole unit is waited for.
        self.found.retain(|one| one.at < at.start || one.id.as_deref() != Some(unit.as_str()));
        self.owners.push(at);
        let outer = self.scope.replace(unit);
        let behind = self.list(noun + 1, true);
        self.scope = outer;
        behind
    }

    /// The unit whose name stands right before a noun, and its bytes.
    fn unit_before(&self, noun: usize) -> Option<(String, Range<usize>)> {
        let end = self.words.get(noun)?.0;
        let first = noun.saturating_sub(MOST_WORDS);
        self.words.get(first..noun)?.iter().find_map(|(from, _)| {
            let said = self.text.get(*from..end)?;
            let said = said.trim_end_matches([' ', '`', '*', '"', ':', '-', '–', '—']);
            let bare = said.strip_suffix("'s").or_else(|| said.strip_suffix("’s"));
            Some((self.unit_called(bare.unwrap_or(said))?, *from..end))
        })
    }

    /// The unit in "Sprint 2 of the Kit unit", and the bytes of its name.
    fn unit_behind(&self, noun: usize) -> Option<(String, Range<usize>)> {
        let word = |place: usize| self.words.get(place).map_or("", |(_, word)| *word);
        let of = |place: usize, all: &[&str]| all.iter().any(|one| is_word(word(place), one));
        if !of(noun + 2, &["of", "in", "from"]) {
            return None;
        }
        let first = noun + 3 + usize::from(of(noun + 3, &["the"]));
        let from = self.words.get(first)?.0;
        let last = self.words.len().min(first + MOST_WORDS);
        self.words.get(first..last)?.iter().rev().find_map(|(at, word)| {
            let end = at + word.len();
            Some((self.unit_called(self.text.get(from..end)?)?, from..end))
        })
    }

    /// The unit of a name that holds nothing else.
    fn unit_called(&self, said: &str) -> Option<String> {
        let whole = !said.contains(['\n', ',', ';', '(', ')', '→']) && !said.contains(". ");
        let known = self.names.unit(said).filter(|_| whole)?;
        Some(known.to_owned())
    }

    /// Whether a sprint may be meant: any, or those of the unit that is named beside the label.
    pub(super) fn in_scope(&self, id: &str) -> bool {
        self.scope.as_deref().is_none_or(|unit| unit_of(id) == unit)
    }
}
