//! What a unit is called beside its whole name: "Phase 2: Release" is "Phase 2" and "Release".

use super::label::{is_label, name_behind, split_label};

/// Words for units whose numbers say what comes first, in small letters.
const ORDERED: [&str; 8] =
    ["phase", "stage", "milestone", "step", "wave", "iteration", "increment", "week"];

/// What stands for all words for a work unit.
pub(super) const WU: &str = "wu";
/// Words for a work unit.
pub(super) const OF_WORK: [&str; 3] = [WU, "unit", "workunit"];

/// The parts of the name of a unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Called<'a> {
    /// The word before the number in small letters and the singular, `wu` for all forms of "work unit"; empty if
    /// there is none: "1. Core".
    pub(super) noun: String,
    /// The number as written: `2`, `2a`, `A`, `II`, `Two`.
    pub(super) number: &'a str,
    /// The name behind them, without what is in parentheses; may be empty.
    pub(super) rest: &'a str,
}

/// Reads the name of a unit that has a number.
pub(super) fn called(name: &str) -> Option<Called<'_>> {
    let bare = name.trim_start_matches(|c: char| !c.is_alphanumeric());
    let (noun, inner) = noun_of(bare);
    let (number, tail) = split_label(inner);
    let numbered = match noun.is_empty() {
        true => is_label(number) && !tail.is_empty(),
        false => is_number(number),
    };
    if !numbered {
        return None;
    }
    let rest = name_behind(tail)?.split('(').next().unwrap_or_default();
    let rest = rest.trim_matches(|c: char| c.is_whitespace() || "*_~`".contains(c));
    let said = !noun.is_empty() || !rest.is_empty();
    said.then_some(Called { noun, number, rest })
}

/// The word before a number, and what is behind it.
fn noun_of(bare: &str) -> (String, &str) {
    let end = bare.find(|c: char| !c.is_alphabetic()).unwrap_or(bare.len());
    let (word, rest) = bare.split_at(end);
    let lower = word.to_lowercase();
    if lower == "work" {
        let behind = rest.trim_start_matches([' ', '-', '_']);
        let unit = behind.get(..4).is_some_and(|unit| unit.eq_ignore_ascii_case("unit"));
        return if unit { (WU.to_owned(), parted(&behind[4..])) } else { (String::new(), bare) };
    }
    let glued = rest.starts_with(|c: char| c.is_ascii_digit());
    match noun(&lower) {
        // "B2" is a number, "WU2" the second unit.
        noun if glued && noun == WU => (noun, rest),
        _ if glued || parted(rest).len() == rest.len() || lower.is_empty() => (String::new(), bare),
        noun => (noun, parted(rest)),
    }
}

fn parted(text: &str) -> &str {
    text.trim_start_matches([' ', '-', '_', '#'])
}

/// A word in small letters as it stands in [`Called::noun`].
fn noun(lower: &str) -> String {
    let one = lower.strip_suffix('s').unwrap_or(lower);
    if OF_WORK.contains(&one) { WU.to_owned() } else { one.to_owned() }
}

/// Whether a word behind a noun is its number.
fn is_number(word: &str) -> bool {
    let letter = word.len() == 1 && word.starts_with(|c: char| c.is_ascii_uppercase());
    is_label(word) || letter || in_words(word).is_some()
}

/// "Two" and "II", up to twelve.
pub(super) fn in_words(word: &str) -> Option<u32> {
    const WORDS: [&str; 12] = [
        "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
        "twelve",
    ];
    const ROMAN: [&str; 12] =
        ["I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII"];
    let place = WORDS.iter().position(|one| word.eq_ignore_ascii_case(one));
    let place = place.or_else(|| ROMAN.iter().position(|one| *one == word))?;
    u32::try_from(place + 1).ok()
}

/// The place of a unit among those whose name says an order: `Phase 2b` is 2 and `b`.
pub(super) fn rank(name: &str) -> Option<(String, u32, String)> {
    let Called { noun, number, .. } = called(name)?;
    if !ORDERED.contains(&noun.as_str()) {
        return None;
    }
    if let Some(count) = in_words(number) {
        return Some((noun, count, String::new()));
    }
    if let [letter @ b'A'..=b'Z'] = number.as_bytes() {
        // Letters are a row of their own.
        return Some((noun + " letter", u32::from(*letter), String::new()));
    }
    let end = number.find(|c: char| !c.is_ascii_digit()).unwrap_or(number.len());
    let (digits, rest) = number.split_at(end);
    Some((noun, digits.parse().ok()?, rest.to_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_numbers_are_read() {
        for (name, expected) in [
            ("Phase 2: Release", "phase|2|Release"),
            ("Phase 2 — Release (late)", "phase|2|Release"),
            ("Phase Two: Release", "phase|Two|Release"),
            ("Stage II", "stage|II|"),
            ("Work Unit 1: Core API", "wu|1|Core API"),
            ("WU-1: Core", "wu|1|Core"),
            ("WU1: Core", "wu|1|Core"),
            ("Work Unit A — Core", "wu|A|Core"),
            ("1. Core", "|1|Core"),
            ("B2: Core", "|B2|Core"),
            ("✅ Phase 1", "phase|1|"),
            ("Core", ""),
            ("Work Unit: Core", ""),
            ("Working 3: Core", "working|3|Core"),
            ("3D views", ""),
            ("Phase out the old", ""),
            ("Phase 2 criteria", ""),
            ("Core 2 and more", ""),
        ] {
            let read = called(name).map(|one| format!("{}|{}|{}", one.noun, one.number, one.rest));
            assert_eq!(read.unwrap_or_default(), expected, "{name}");
        }
        assert_eq!(rank("Phase 2b: x"), Some(("phase".to_owned(), 2, "b".to_owned())));
        assert_eq!(rank("Phase B: x"), Some(("phase letter".to_owned(), 66, String::new())));
        assert_eq!(rank("Work Unit 2: x"), None);
    }
}
