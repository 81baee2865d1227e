//! What a text names: sprints and units by their exact labels, and nothing by likeness.

use super::super::lines::{bare, is_label, titled};
use super::words::{SPRINT, SPRINTS, is, nothing};
use crate::plan::model::Unit;
use std::collections::BTreeMap;

/// A unit, or a sprint of it, by their places.
pub(super) type Ref = (usize, Option<usize>);

/// Words that separate names in a list.
const AND: [&str; 3] = ["and", "&", "+"];

/// The most words of a unit's name in a sentence.
const MOST_WORDS: usize = 6;

/// The most sprints that one text names; more is nothing that anybody wrote.
const MOST: usize = 100;

/// The names of a plan.
#[derive(Default)]
pub(super) struct Names {
    /// How many sprints each unit has.
    sizes: Vec<usize>,
    /// What units are called, in small letters; `None` if two are called so.
    units: BTreeMap<String, Option<usize>>,
    /// Labels of sprints in small letters.
    labels: BTreeMap<String, Vec<(usize, usize)>>,
}

impl Names {
    /// Collects them: what each unit is called, and its sprints.
    pub(super) fn new(units: &[Unit], called: &[Vec<String>]) -> Self {
        let sizes = units.iter().map(|unit| unit.sprints.len()).collect();
        let mut names = Names { sizes, ..Names::default() };
        for (place, (unit, called)) in units.iter().zip(called).enumerate() {
            for name in called.iter().chain([&unit.name]) {
                let known = names.units.entry(name.to_lowercase()).or_insert(Some(place));
                *known = known.filter(|other| *other == place);
            }
            for (at, sprint) in unit.sprints.iter().enumerate() {
                names.labels.entry(sprint.label.to_lowercase()).or_default().push((place, at));
            }
        }
        names
    }

    /// The only unit, if there is one.
    pub(super) fn only(&self) -> Option<usize> {
        (self.sizes.len() == 1).then_some(0)
    }

    /// The last sprint of a unit.
    pub(super) fn last(&self, unit: usize) -> Option<(usize, usize)> {
        Some((unit, self.sizes.get(unit)?.checked_sub(1)?))
    }

    /// The unit that is called so, all of its words.
    pub(super) fn unit(&self, text: &str) -> Option<usize> {
        self.units.get(&text.trim().to_lowercase()).copied().flatten()
    }

    /// The sprint of this label: that of its own unit, else the only one.
    fn sprint(&self, own: Option<usize>, label: &str) -> Option<Ref> {
        let all = self.labels.get(&label.to_lowercase())?;
        let within = all.iter().find(|(unit, _)| Some(*unit) == own);
        let one = within.or(all.first().filter(|_| all.len() == 1))?;
        Some((one.0, Some(one.1)))
    }

    /// What a text is the name of, as a whole: `Sprint 2`, `2a`, `core/2a`, `core`. A number alone is a sprint only to
    /// those who stand in a unit.
    pub(super) fn exact(&self, own: Option<usize>, text: &str) -> Option<Ref> {
        let text = bare(text);
        let label = |text| {
            titled(text, &SPRINT)
                .map_or(text, |(label, rest)| if rest.is_empty() { label } else { text })
        };
        let near = || own.and_then(|_| self.sprint(own, label(text)));
        let unit = || self.unit(text).map(|unit| (unit, None));
        let within = || {
            let (unit, rest) = text.rsplit_once('/')?;
            let unit = self.unit(unit)?;
            self.sprint(Some(unit), label(rest)).filter(|(found, _)| *found == unit)
        };
        let far = || self.sprint(own, label(text)).filter(|_| text.contains(char::is_alphabetic));
        near().or_else(unit).or_else(within).or_else(far)
    }

    /// What a sentence names: `Sprint 2`, `Sorties 1, 2 and 4`, `WU1 Sprint 1`, `Ledger Sprint 1`, and bare labels of
    /// sprints and units that are no words. What stands in brackets or code is said aside.
    pub(super) fn mentioned(&self, own: Option<usize>, text: &str) -> Vec<Ref> {
        let aside = without_asides(text);
        let words: Vec<&str> = aside.split_whitespace().collect();
        // What is awaited: one label behind `Sprint`, a list of them behind `Sprints`.
        let (mut one, mut many, mut within, mut of) = (false, false, None, None);
        let mut found: Vec<Ref> = Vec::new();
        for (at, word) in words.iter().enumerate().take_while(|(at, _)| *at < 100 * MOST) {
            let bare = edge(word);
            if is(bare, &SPRINT) || is(bare, &SPRINTS) {
                (one, many) = (is(bare, &SPRINT), is(bare, &SPRINTS));
                // The unit whose name stands right before it, in however many words.
                let named = |from| self.unit(edge(&words[from..at].join(" ")));
                of = within.or_else(|| (at.saturating_sub(MOST_WORDS)..at).find_map(named));
                continue;
            }
            if many && is(word, &AND) {
                continue;
            }
            let refs = if one || many { self.range(of.or(own), bare) } else { Vec::new() };
            if !refs.is_empty() {
                found.extend(refs.into_iter().filter(|(unit, _)| of.is_none_or(|of| of == *unit)));
                one = false;
                many &= word.ends_with(',') || words.get(at + 1).is_some_and(|next| is(next, &AND));
                within = within.filter(|_| many);
                continue;
            }
            (one, many) = (false, false);
            found.extend(within.take().map(|unit| (unit, None)));
            within = self.unit(bare).filter(|_| is_sign(bare));
            if within.is_none() && bare.contains(char::is_alphabetic) {
                found.extend(self.sprint(own, bare));
            }
            if found.len() > MOST {
                break;
            }
        }
        found.extend(within.map(|unit| (unit, None)));
        found
    }

    /// A label, or all from one to another: `1-3`, `A1–A3`.
    fn range(&self, own: Option<usize>, word: &str) -> Vec<Ref> {
        if let Some(one) = self.sprint(own, word) {
            return vec![one];
        }
        let ends = ["–", "—", "-"].iter().find_map(|mark| {
            let (from, to) = word.split_once(mark)?;
            Some((self.sprint(own, from)?, self.sprint(own, to)?))
        });
        let Some((from, to)) = ends else { return Vec::new() };
        let sprints = |unit: usize| (0..self.sizes[unit]).map(move |at| (unit, Some(at)));
        let all = (from.0..=to.0).flat_map(sprints).filter(|one| (from..=to).contains(one));
        all.take(MOST).collect()
    }
}

/// Whether a text has the form of one name and no sentence: a word, or `Sprint` and a word.
pub(super) fn is_name(text: &str) -> bool {
    let words: Vec<&str> = bare(text).split_whitespace().collect();
    words.len() == 1 || (words.len() == 2 && is(words[0], &SPRINT))
}

/// A word of a sentence without the marks around it.
fn edge(word: &str) -> &str {
    word.trim_matches(|c: char| !c.is_alphanumeric())
}

/// Whether a word is a sign and no word of a language: it has a digit, or a dash between letters.
pub(super) fn is_sign(word: &str) -> bool {
    word.chars().all(is_label) && word.chars().any(|c| !c.is_alphabetic())
}

/// A sentence without what stands in brackets or code.
fn without_asides(text: &str) -> String {
    let (mut depth, mut code) = (0_usize, false);
    let keeps = |c: &char| {
        match c {
            '`' => code = !code,
            '(' if !code => depth += 1,
            ')' if !code => depth = depth.saturating_sub(1),
            _ => return depth == 0 && !code,
        }
        false
    };
    text.chars().filter(keeps).collect()
}

/// The names of a list: between commas, semicolons and `and`; brackets hold theirs together.
pub(super) fn names(text: &str) -> Vec<&str> {
    let mut depth = 0_usize;
    let parts = text.split(|c: char| {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && matches!(c, ',' | ';')
    });
    let each = parts.flat_map(|part| part.split(" and "));
    each.filter(|part| !nothing(part)).collect()
}
