//! Words about an order that became none. Nobody waits for whom they name, so their author is told: whatever way of
//! writing it is that the reader does not know, units must not start side by side in silence.

use super::super::mention::{Names, Speaker, mentions};
use super::super::model::{Plan, Weight, unit_of};
use super::super::outline::Content;
use super::super::phrases::Phrases;
use super::Reader;
use crate::vocab::error::{Code, clip};
use std::collections::BTreeSet;
use std::ops::Range;

/// With what such words begin.
static ORDER: Phrases = Phrases::new(&[
    "depends on",
    "depends upon",
    "blocked by",
    "gated by",
    "waits for",
    "waiting for",
    "wait for",
    "start after",
    "starts after",
    "start when",
    "starts when",
    "start once",
    "starts once",
    "runs after",
    "run after",
    "(after",
    "prerequisite",
    "upstream",
    "needs",
]);

/// Words that turn their sense around, or speak of something else.
static TURNED: Phrases = Phrases::new(&[
    "independent",
    "not ",
    "n't ",
    "no longer",
    "parallel",
    "unlike",
    "blocks",
    "before ",
    "instead",
    "without",
]);

/// The most words of the name of a unit.
const MOST_WORDS: usize = 5;

/// Warns of names behind such words for which nobody waits.
pub(super) fn name(reader: &mut Reader<'_>, plan: &Plan) {
    let names = super::names(plan);
    let read: BTreeSet<u32> = plan.dependencies.iter().map(|one| one.line).collect();
    let told: BTreeSet<u32> =
        reader.remarks.iter().filter(|one| one.weight > Weight::Note).map(|one| one.line).collect();
    let owners = owners(plan);
    let mut found = Vec::new();
    for block in &reader.outline.blocks {
        if matches!(block.content, Content::Code { .. } | Content::List(_) | Content::Rule) {
            continue;
        }
        let mut at = block.range.start;
        for line in reader.outline.source(&block.range).split_inclusive('\n') {
            let range = at..at + line.trim_end().len();
            at += line.len();
            let begins = |line: &str| {
                let first = line.trim_start_matches(['|', ' ', '*', '_']);
                ORDER.spots(first).next().is_some_and(|spot| spot.start == 0)
            };
            // A row is about its first cell.
            let row = matches!(block.content, Content::Table(_));
            if !ORDER.within(line) || TURNED.within(line) || row && !begins(line) {
                continue;
            }
            let number = reader.outline.line(range.start);
            let Some(owner) = owner_at(&owners, number) else { continue };
            if !read.contains(&number)
                && !told.contains(&number)
                && is_missed(line, owner, plan, &names)
            {
                found.push(range);
            }
        }
    }
    for range in found {
        let got = format!("`{}`, for which nobody waits", clip(reader.outline.source(&range), 120));
        let expected = "an order as a line of its own: `Depends on: …`";
        reader.remark(Weight::Warning, Code::Overlooked, range, expected, &got);
    }
}

/// The sprints with their lines, in the order of the document.
fn owners(plan: &Plan) -> Vec<(Range<u32>, &str)> {
    let lines = plan.sprints().map(|one| (one.lines.first..one.lines.last + 1, one.id.as_str()));
    let mut all: Vec<_> = lines.collect();
    all.sort_by_key(|(lines, _)| lines.start);
    all
}

/// The sprint that a line is in, else the next one, whose unit is spoken of above it.
fn owner_at<'p>(owners: &[(Range<u32>, &'p str)], line: u32) -> Option<&'p str> {
    let place = owners.partition_point(|(lines, _)| lines.end <= line);
    owners.get(place).map(|(_, id)| *id)
}

/// Whether such words of a line name somebody of another unit for whom the sprint or its unit does not wait.
fn is_missed(line: &str, owner: &str, plan: &Plan, names: &Names) -> bool {
    let unit = unit_of(owner);
    let waits = |id: &str| {
        plan.dependencies.iter().any(|one| {
            unit_of(&one.to) == unit && (one.from == id || unit_of(&one.from) == unit_of(id))
        })
    };
    ORDER.spots(line).any(|spot| {
        let named = named(&line[spot.end..], owner, names);
        named.is_some_and(|id| unit_of(&id) != unit && !waits(&id))
    })
}

/// The unit or sprint that a text begins with the name of.
fn named(text: &str, owner: &str, names: &Names) -> Option<String> {
    let open = |c: char| !c.is_alphanumeric();
    let text = text.trim_start_matches(|c: char| c.is_alphabetic() && c.is_lowercase());
    let bare = text.trim_start_matches(open);
    let end = bare.find(['.', ';', ')', '|', '—', ',']).unwrap_or(bare.len());
    let part = bare[..end].trim_end_matches(open);
    let speaker = Speaker { unit: Some(unit_of(owner)), sprint: names.place(owner), brief: false };
    if let Some(id) = mentions(part, names, speaker).into_iter().find_map(|one| one.id) {
        return Some(id);
    }
    let words: Vec<&str> = part.split(' ').take(MOST_WORDS).collect();
    let unit = (1..=words.len()).rev().find_map(|many| names.unit(&words[..many].join(" ")));
    unit.filter(|_| part.starts_with(char::is_uppercase)).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use crate::plan::read::parse;

    #[test]
    fn whoever_is_named_is_waited_for_or_told() {
        for (line, waits, told) in [
            ("Start after Core.", false, true),
            ("Starts when Core is done.", false, true),
            ("**Gated by**: Core", false, true),
            ("Status: waiting for Core", false, true),
            ("> Depends on: Core", false, true),
            ("| Depends on | Core |\n|---|---|\n| x | y |", false, true),
            ("**Depends on**: Core", true, false),
            ("It does not depend on Core.", false, false),
            ("It needs care.", false, false),
            ("It needs core skills.", false, false),
        ] {
            let text = format!(
                "# P\n\n## Work Unit: Core\n\n### Sprint 1: A\n- [ ] a\n\n**Exit criteria**:\n- `make a` exits 0\n\n## Work \
                 Unit: Web\n\n{line}\n\n### Sprint 1: B\n- [ ] b\n\n**Exit criteria**:\n- `make b` exits 0\n"
            );
            let parsed = parse(&text);
            let edges = parsed.plan.dependencies.iter().any(|one| one.to.starts_with("web"));
            let named = parsed.remarks.iter().any(|one| one.got.contains("nobody waits"));
            assert_eq!((edges, named), (waits, told), "{line}");
        }
    }
}
