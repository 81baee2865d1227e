//! What the role is told.

use super::outline::{Form, Outline};
use super::{Ask, Fault, Import};
use crate::plan::page::{fence, fill};
use crate::vocab::text::one_line;
use std::cmp::Reverse;

/// The most bytes of the source in one prompt.
pub const MOST_PART: usize = 24 * 1024;

const PROMPT: &str = include_str!("prompt.md");

/// The prompt for the part that is next, with what was wrong before.
pub(super) fn ask(import: &Import, faults: &[Fault], answer: &str) -> Ask {
    let outline = &import.outline;
    let (first, last) = import.parts.get(import.part).copied().unwrap_or_default();
    let row = |line: usize| format!("{:>6}|{}", line + 1, outline.slice(outline.line(line)));
    let source = (first..=last).map(row).collect::<Vec<_>>().join("\n");
    let known = (0..).zip(&import.spans).filter(|(_, one)| one.kind.is_section());
    let named = known.map(|(number, one): (usize, _)| {
        let (label, text) =
            (one.label.as_deref().unwrap_or_default(), outline.slice(one.at.clone()));
        format!("{number}: {} {label} {}", one.kind, one_line(text))
    });
    let named = named.collect::<Vec<_>>().join("\n");
    let wrong = faults.iter().map(Fault::told).collect::<Vec<_>>().join("\n");
    let answer = if answer.len() > 4 * MOST_PART { "" } else { answer };
    let (part, parts) = (import.part + 1, import.parts.len());
    let values = [
        ("part", part.to_string()),
        ("parts", parts.to_string()),
        ("first", (first + 1).to_string()),
        ("last", (last + 1).to_string()),
        ("next", import.spans.len().to_string()),
        ("fence", fence(&[&source, &named, &wrong, answer])),
        ("known", named),
        ("faults", wrong),
        ("answer", answer.to_owned()),
        ("source", source),
    ];
    Ask { prompt: fill(PROMPT, &values), part, parts, attempt: import.attempt }
}

/// The parts of a source as first and last lines: as many as fit, cut before the last of the highest headings, else at a
/// blank line.
pub(super) fn parts(outline: &Outline) -> Vec<(usize, usize)> {
    let (mut parts, mut first, count) = (Vec::new(), 0, outline.lines());
    let start = |line: &usize| outline.line(*line).start;
    let heading = |line: &usize| Some((outline.level(start(line))?, Reverse(*line)));
    let blank = |line: &usize| {
        outline.line(*line).is_empty() && outline.within(start(line), Form::Fence).is_none()
    };
    while first < count {
        let fits = |line: &usize| outline.line(*line).end - start(&first) <= MOST_PART;
        let end = (first + 1..count).take_while(fits).last().unwrap_or(first) + 1;
        let inside = first + 1..=end;
        let next = match inside.clone().filter_map(|line| heading(&line)).min() {
            _ if end >= count => count,
            Some((_, line)) => line.0,
            None => inside.rev().find(blank).unwrap_or(end),
        };
        parts.push((first, next - 1));
        first = next;
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_name_of_the_prompt_is_known_and_used() {
        let (_, ask) = crate::plan::import::start("a.md", "words").unwrap();
        assert!(!ask.prompt.contains("{{") && !ask.prompt.contains("}}"));
        let pieces = PROMPT.split("{{ ").skip(1);
        let names: BTreeSet<&str> =
            pieces.filter_map(|piece| Some(piece.split_once(" }}")?.0)).collect();
        let known = [
            "answer", "faults", "fence", "first", "known", "last", "next", "part", "parts",
            "source",
        ];
        assert_eq!(names.into_iter().collect::<Vec<_>>(), known);
        let values: Vec<(&str, String)> =
            known.iter().map(|name| (*name, format!("<{name}>"))).collect();
        let filled = fill(PROMPT, &values);
        for (_, value) in values {
            assert!(filled.contains(&value), "{value}");
        }
    }
}
