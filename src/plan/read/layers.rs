//! The numbers of layers, in the forms people write them: `1`, `Layer 1`, `L1`, `1st`, `Foundation (1)`.
//!
//! A layer says what goes first. One that cannot be read is a fault, since work would begin too early without it.

use super::super::model::Weight;
use super::super::outline::plain;
use super::Reader;
use super::tables::{self, said};
use crate::vocab::error::{Code, clip};
use std::ops::Range;

/// The one number of a text; none if it holds several, or one that is only half of a label (`2a`).
pub(super) fn layer(text: &str) -> Option<u32> {
    let plain = plain(text);
    let mut found = None;
    let mut rest = without_total(&plain);
    while let Some(at) = rest.find(|c: char| c.is_ascii_digit()) {
        let behind = rest[at..].trim_start_matches(|c: char| c.is_ascii_digit());
        let digits = &rest[at..rest.len() - behind.len()];
        let tail = behind.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
        let ordinal = matches!(tail.to_lowercase().as_str(), "" | "st" | "nd" | "rd" | "th");
        let signed = rest[..at].trim_end().ends_with(['.', ',']);
        if found.is_some() || !ordinal || signed {
            return None;
        }
        found = Some(digits.parse().ok()?);
        rest = behind;
    }
    found
}

/// "1 of 2" is 1.
fn without_total(text: &str) -> &str {
    let number = |total: &str| !total.is_empty() && total.bytes().all(|byte| byte.is_ascii_digit());
    let part = text.split_once(" of ").filter(|(_, total)| number(total.trim_end_matches(')')));
    part.map_or(text, |(before, _)| before)
}

/// Names the cells of columns "Layer" that hold no such number.
pub(super) fn unread(reader: &mut Reader<'_>) {
    let cells: Vec<Range<usize>> = reader.sheets.iter().flat_map(tables::layer_texts).collect();
    for range in cells {
        fault(reader, range);
    }
}

/// Names a text about a layer that says something and cannot be read.
pub(super) fn fault(reader: &mut Reader<'_>, range: Range<usize>) {
    let text = reader.outline.source(&range).trim();
    if !said(text) || layer(text).is_some() {
        return;
    }
    let got = format!("`{}`", clip(text, 80));
    let expected = "one number for the layer: `1`, `Layer 1`, `L1`, `1st`";
    // What lies in several layers is in none of them as a whole; its sprints say what they wait for.
    let weight = if spans(text) { Weight::Warning } else { Weight::Fault };
    reader.remark(weight, Code::InvalidValue, range, expected, &got);
}

/// Whether a text says that something lies in several layers: `0–4`, `1 → 2`, `multi`.
fn spans(text: &str) -> bool {
    const SEVERAL: [&str; 6] = ["multi", "multiple", "several", "various", "mixed", "all"];
    let lower = text.to_lowercase();
    let mut words = lower.split(|c: char| !c.is_alphanumeric() && c != '.');
    let numbers = lower.split(|c: char| !c.is_alphanumeric() && c != '.');
    let many = numbers.filter(|word| word.parse::<u32>().is_ok()).count();
    many > 1 || words.any(|word| SEVERAL.contains(&word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_one_number_of_a_layer_is_read() {
        for (text, number) in [
            ("1", Some(1)),
            ("**2**", Some(2)),
            ("Layer 1", Some(1)),
            ("L12", Some(12)),
            ("1st", Some(1)),
            ("2 — services", Some(2)),
            ("Foundation (1)", Some(1)),
            ("1 of 2", Some(1)),
            ("Layer 2 of 3", Some(2)),
            ("1 of these", Some(1)),
            ("I", None),
            ("Foundation", None),
            ("1–2", None),
            ("1.5", None),
            ("2a", None),
            ("", None),
        ] {
            assert_eq!(layer(text), number, "{text}");
        }
    }
}
