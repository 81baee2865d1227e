//! Names in a text about nothing but dependencies ("Depends on", a column) that nothing in the plan bears.
//!
//! A misspelt name must not let a sprint start at once. What is plainly prose is left to people.

use super::super::label::is_label;
use super::super::mention::{Mention, Names};
use super::super::model::Weight;
use super::super::phrases::Phrases;
use super::tables::said;
use std::ops::Range;

/// Words that say that nothing is waited for.
const NONE: &[&str] =
    &["none", "nothing", "no", "nobody", "n", "independent", "parallel", "standalone", "nil"];

/// Words around a name that are no part of it.
const AROUND: &[&str] = &[
    "after",
    "all",
    "and",
    "both",
    "completed",
    "completion",
    "depend",
    "depends",
    "from",
    "needs",
    "of",
    "on",
    "only",
    "requires",
    "sprint",
    "sprints",
    "sortie",
    "sorties",
    "the",
    "unit",
    "units",
    "work",
];

/// Who is expressly not waited for.
static ASIDE: Phrases = Phrases::new(&[
    "independent of",
    "independent from",
    "in parallel",
    "parallel with",
    "parallel to",
    "disjoint",
    "no dependenc",
    "not depend",
    "no prereq",
]);

/// A thing outside of the plan, or others without their names: nothing that could be told to wait.
static BEYOND: Phrases =
    Phrases::new(&["external", "previous", "prior", "layer", "approv", "sign-off"]);

/// Words that turn around what is said of a name.
static TURNED: Phrases = Phrases::new(&[
    "not ", "n't ", "without", "except", " but ", "before", "unless", " or ", "blocks",
]);

/// Marks between names, which a name may have in itself.
const MARKS: [char; 4] = [',', ';', '+', '&'];

/// A name of a unit before "Sprint 3" in one part of a text.
pub(super) struct OfUnit {
    /// The bytes of the unit's name in the text.
    pub(super) at: Range<usize>,
    /// The unit, if there is one of that name.
    pub(super) unit: Option<String>,
    /// The label behind it.
    pub(super) label: String,
}

/// The parts of a text between commas and the like: their bytes without marks and what is in parentheses.
fn parts(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let (mut from, mut depth) = (0, 0_u32);
    let mut end = None;
    for (at, letter) in text.char_indices() {
        match letter {
            '(' | '[' => {
                if depth == 0 {
                    end.get_or_insert(at);
                }
                depth += 1;
            }
            ')' | ']' => depth = depth.saturating_sub(1),
            ',' | ';' | '+' | '&' | '\n' if depth == 0 => {
                found.push(from..end.take().unwrap_or(at));
                from = at + 1;
            }
            _ => {}
        }
    }
    found.push(from..end.unwrap_or(text.len()));
    found.into_iter().filter_map(|range| bare(text, range)).collect()
}

fn bare(text: &str, range: Range<usize>) -> Option<Range<usize>> {
    let part = text.get(range.clone())?;
    let mark = |c: char| c.is_whitespace() || matches!(c, '`' | '*' | '.' | '_' | '-' | '"');
    let left = part.trim_start_matches(mark);
    let start = range.start + (part.len() - left.len());
    let kept = left.trim_end_matches(mark);
    (!kept.is_empty()).then(|| start..start + kept.len())
}

/// Every "Core Sprint 3" of a text.
pub(super) fn of_units(text: &str, names: &Names) -> Vec<OfUnit> {
    let mut found = Vec::new();
    for range in parts(text) {
        let part = &text[range.clone()];
        let words: Vec<&str> = part.split_whitespace().collect();
        let noun = |word: &&str| {
            let lower = word.to_lowercase();
            names.words.contains(&lower)
        };
        found.extend(label_of_unit(text, &range, names));
        let [before @ .., word, label] = words.as_slice() else { continue };
        if before.is_empty() || !noun(word) || !super::super::label::is_label(label) {
            continue;
        }
        let end = part.rfind(word).unwrap_or(0);
        let said = part[..end].trim_end();
        let known = names.unit(said).map(str::to_owned);
        let capital = before.len() <= 3
            && before.iter().all(|one| one.starts_with(char::is_uppercase))
            && !before.iter().any(|one| AROUND.contains(&one.to_lowercase().as_str()));
        if known.is_some() || capital {
            let at = range.start..range.start + said.len();
            found.push(OfUnit { at, unit: known, label: (*label).to_owned() });
        }
    }
    found
}

/// "Sprint 3 of Core", "sprint 3 of the Core unit".
fn label_of_unit(text: &str, range: &Range<usize>, names: &Names) -> Option<OfUnit> {
    let part = text.get(range.clone())?;
    let (before, behind) = [" of ", " in ", " from "].iter().find_map(|of| part.split_once(of))?;
    let [word, label] = before.split_whitespace().collect::<Vec<_>>()[..] else { return None };
    let noun = names.words.iter().any(|noun| word.eq_ignore_ascii_case(noun));
    if !noun || !super::super::label::is_label(label) {
        return None;
    }
    let said = behind.split_whitespace().filter(|word| {
        let lower = word.to_lowercase();
        !AROUND.contains(&lower.as_str())
    });
    let said = said.collect::<Vec<_>>().join(" ");
    let known = names.unit(behind.trim()).or_else(|| names.unit(&said)).map(str::to_owned);
    let here = ["this", "same", "plan", "mission"].iter().any(|word| said.contains(word));
    let brief = said.split_whitespace().count() <= 2 && !here;
    let of = |unit| OfUnit { at: range.clone(), unit, label: label.to_owned() };
    (known.is_some() || brief).then(|| of(known))
}

/// The unit or the units whose names stand among the words of a part ("completion of Core", "the Core unit", "all
/// of Core and Web"), where nothing else is said.
pub(super) fn worded(text: &str, found: &[Mention], names: &Names) -> Vec<Mention> {
    if ASIDE.within(text) {
        return Vec::new();
    }
    let mut all = Vec::new();
    for range in parts(text) {
        let part = &text[range.clone()];
        if found.iter().any(|one| range.contains(&one.at)) || TURNED.within(part) {
            continue;
        }
        let mut named = among(part, names);
        if named.is_empty()
            && let Some(id) = names.sprint_called(part)
        {
            named.push((0..part.len(), id));
        }
        let spoken: Vec<&str> = named.iter().map(|(at, _)| &part[at.clone()]).collect();
        let rest = spoken.iter().fold(part.to_owned(), |rest, name| rest.replacen(name, " ", 1));
        let rest = rest.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        let around = rest.map(str::to_lowercase).all(|word| AROUND.contains(&word.as_str()));
        if named.len() == 1 && !is_nothing(part) || around {
            all.extend(named.iter().map(|(at, id)| Mention {
                id: Some((*id).to_owned()),
                at: range.start + at.start,
                said: part[at.clone()].to_owned(),
                task: false,
            }));
        }
    }
    all
}

/// Whether a text holds names and labels of a plan and nothing else.
pub(super) fn only_names(text: &str, names: &Names) -> bool {
    let named = among(text, names);
    let spoken: Vec<&str> = named.iter().map(|(at, _)| &text[at.clone()]).collect();
    let rest = spoken.iter().fold(text.to_owned(), |rest, name| rest.replacen(name, " ", 1));
    let mut rest = rest.split(|c: char| c.is_whitespace() || ",;:+&()`*_.".contains(c));
    let label = |word: &str| {
        let bare = word.strip_prefix(['S', 's']).unwrap_or(word);
        is_label(word) && (names.has_label(word) || names.has_label(bare))
    };
    let known = |word: &str| word.is_empty() || AROUND.contains(&word.to_lowercase().as_str());
    text.contains(char::is_alphanumeric) && rest.all(|word| known(word) || label(word))
}

/// Whether a text says that nobody is waited for.
pub(super) fn is_free(text: &str) -> bool {
    is_nothing(text.trim()) || ASIDE.within(text)
}

/// Whether a name in a part is one of people: "approval by the core team".
fn is_of_people(part: &str, at: &Range<usize>) -> bool {
    const PEOPLE: [&str; 12] = [
        "team",
        "teams",
        "group",
        "lead",
        "leads",
        "owner",
        "owners",
        "maintainer",
        "maintainers",
        "people",
        "developers",
        "reviewers",
    ];
    let behind = part.get(at.end..).unwrap_or_default();
    let next = behind.split(|c: char| !c.is_alphanumeric()).find(|word| !word.is_empty());
    next.is_some_and(|word| PEOPLE.contains(&word.to_lowercase().as_str()))
}

/// Every name of a unit among the words of a text, the longer one where two begin at one place.
fn among<'n>(text: &str, names: &'n Names) -> Vec<(Range<usize>, &'n str)> {
    let lower = text.to_ascii_lowercase();
    let mut all: Vec<(Range<usize>, &str)> = Vec::new();
    let whole = names.units.iter().map(|(id, name)| (id.as_str(), name.as_str()));
    for (id, name) in whole.chain(names.parts()) {
        // "a" is a word; "A" may be a unit.
        let short = name.chars().count() <= 2;
        let small = name.to_ascii_lowercase();
        let found = match short {
            true => whole_word(text, name).map(|at| at..at + name.len()),
            false => [small.as_str(), id]
                .into_iter()
                .find_map(|name| whole_word(&lower, name).map(|at| at..at + name.len())),
        };
        all.extend(found.map(|range| (range, id)));
    }
    let within = |one: &Range<usize>, other: &Range<usize>| {
        one != other && other.start <= one.start && one.end <= other.end
    };
    let longest = |one: &&(Range<usize>, &str)| !all.iter().any(|(other, _)| within(&one.0, other));
    let known = all.iter().filter(longest).filter(|(at, _)| !is_of_people(text, at));
    known.cloned().collect()
}

/// Where a name stands with no letter or digit beside it.
fn whole_word(text: &str, name: &str) -> Option<usize> {
    if name.is_empty() {
        return None;
    }
    let free =
        |letter: Option<char>| letter.is_none_or(|c| !c.is_alphanumeric() && !"-_/.".contains(c));
    text.match_indices(name).map(|(at, _)| at).find(|at| {
        free(text[..*at].chars().next_back()) && free(text[at + name.len()..].chars().next())
    })
}

/// Whether a part begins with a word for nothing.
fn is_nothing(part: &str) -> bool {
    let first = part.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    !said(part) || NONE.contains(&first.to_lowercase().as_str())
}

/// The parts of a text that name nothing, and what that weighs: what goes on in a line below is rather said to people.
pub(super) fn unnamed(text: &str, found: &[Mention], names: &Names) -> Vec<(Range<usize>, Weight)> {
    if ASIDE.within(text) || !said(text) {
        return Vec::new();
    }
    let first = text.find('\n').unwrap_or(text.len());
    let whole = |part: &str| {
        names.unit(part).is_some()
            || names.units.iter().any(|(_, name)| name.contains(MARKS) && name.contains(part))
    };
    let mut open = Vec::new();
    for range in parts(text) {
        let part = &text[range.clone()];
        if found.iter().any(|one| range.contains(&one.at)) {
            open.extend(beside(text, &range, found, names).map(|range| (range, Weight::Fault)));
            continue;
        }
        let nothing = is_nothing(part) && among(part, names).is_empty();
        if whole(part) || nothing || !part.contains(char::is_alphanumeric) {
            continue;
        }
        let below = range.start > first && !found.is_empty();
        let most = if below { 2 } else { MOST_TELLING };
        let named = !among(part, names).is_empty();
        let prose = !named && (telling(part) > most || BEYOND.within(part));
        open.push((range, if prose { Weight::Warning } else { Weight::Fault }));
    }
    open
}

/// A name has no more words than this; a sentence has.
const MOST_TELLING: usize = 4;

/// How many words of a part are not those that stand around any name.
fn telling(part: &str) -> usize {
    let words = part.split_whitespace().map(str::to_lowercase);
    words.filter(|word| !AROUND.contains(&word.as_str())).count()
}

/// "Core and Coer": what stands beside a name like one more and is none.
fn beside(
    text: &str,
    range: &Range<usize>,
    found: &[Mention],
    names: &Names,
) -> Option<Range<usize>> {
    let part = text.get(range.clone())?;
    let (left, right) = part.split_once(" and ")?;
    let start = range.start + left.len() + " and ".len();
    let its = ["its ", "their ", "the "].iter().any(|word| right.starts_with(word));
    let brief = |part: &str| part.split_whitespace().count() <= 2 && !its;
    let known = found.iter().any(|one| (start..range.end).contains(&one.at));
    let free = brief(left) && brief(right) && !known && names.unit(right).is_none();
    (free && names.unit(part).is_none() && !is_nothing(right)).then_some(start..range.end)
}
