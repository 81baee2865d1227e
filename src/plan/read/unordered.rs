//! Words about an order that became none. Nobody waits for whom they name, so their author is told: whatever way of
//! writing it is that the reader does not know, units must not start side by side in silence.

use super::super::mention::{Names, Speaker, mentions};
use super::super::model::{Plan, Weight, unit_of};
use super::super::outline::{Block, Content};
use super::super::phrases::{Phrases, is_apart};
use super::Reader;
use crate::vocab::error::{Code, clip};
use std::collections::BTreeSet;
use std::ops::Range;

/// What stands behind the name of somebody who comes first.
const FIRST: [&str; 5] =
    ["before this", "before we ", "before it ", "before any of this", " first"];

/// With what words about an order begin that no "not" turns around.
const EVEN: [&str; 4] = ["until ", "not begin before ", "not start before ", "unless "];

/// With what such words begin.
static ORDER: Phrases = Phrases::new(&[
    "depends on",
    "depends upon",
    "dependent on",
    "blocked on",
    "gated on",
    "only if ",
    "blocked by",
    "gated by",
    "waits for",
    "waiting for",
    "wait for",
    "after ",
    "start when",
    "starts when",
    "begins when",
    "begin when",
    "once ",
    "trigger",
    "prerequisite",
    "upstream",
    "needs",
    FIRST[0],
    FIRST[1],
    FIRST[2],
    FIRST[3],
    FIRST[4],
    EVEN[0],
    EVEN[1],
    EVEN[2],
    EVEN[3],
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

/// The most units of a section that are looked for.
const MOST_UNITS: usize = 20;
/// The most sections that are looked at, and of each the most bytes: all names of units are looked for there.
const MOST_SECTIONS: usize = 50;
const MOST_BYTES: usize = 16 * 1024;
/// The most lines that are looked at for a name.
const MOST_LINES: usize = 20_000;
/// The most blocks of a section that are looked at.
const MOST_BLOCKS: usize = 50;
/// The most bytes behind words about an order that are looked at for a name: more of them would be looked at again for
/// each such word.
const MOST_BEHIND: usize = 300;
/// The most words of the name of a unit.
const MOST_WORDS: usize = 5;

/// Warns of names behind such words for which nobody waits.
pub(super) fn name(reader: &mut Reader<'_>, plan: &Plan, names: &Names) {
    let read: BTreeSet<u32> = plan.dependencies.iter().map(|one| one.line).collect();
    let told: BTreeSet<u32> =
        reader.remarks.iter().filter(|one| one.weight > Weight::Note).map(|one| one.line).collect();
    let owners = owners(plan);
    let (mut found, mut looked) = (Vec::new(), 0);
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
            if !ORDER.within(line) || row && !begins(line) {
                continue;
            }
            let number = reader.outline.line(range.start);
            let Some(owner) = owner_at(&owners, number) else { continue };
            looked += 1;
            if looked <= MOST_LINES
                && !read.contains(&number)
                && !told.contains(&number)
                && is_missed(line, owner, plan, names)
            {
                found.push(range);
            }
        }
    }
    found.extend(sections(reader, plan, &read));
    for range in found {
        let got = format!("`{}`, for which nobody waits", clip(reader.outline.source(&range), 120));
        let expected = "an order as a line of its own: `Depends on: …`";
        reader.remark(Weight::Warning, Code::Overlooked, range, expected, &got);
    }
}

/// Headings of sections about an order that speak of two units at least, and of which none was read.
fn sections(reader: &Reader<'_>, plan: &Plan, read: &BTreeSet<u32>) -> Vec<Range<usize>> {
    static ABOUT: Phrases =
        Phrases::new(&["dependenc", "order", "sequence", "layers", "waves", "parallelism"]);
    let outline = &reader.outline;
    let mut found = Vec::new();
    if plan.units.len() < 2 {
        return found;
    }
    let (owners, mut looked) = (owners(plan), 0);
    for (place, block) in outline.blocks.iter().enumerate() {
        if looked >= MOST_SECTIONS {
            break;
        }
        let Content::Heading(level) = block.content else { continue };
        let (words, at) = outline.heading(block);
        let first = outline.line(at);
        let inside = || owners.iter().any(|(lines, _)| lines.contains(&first));
        if !ABOUT.within(words) || inside() {
            continue;
        }
        let ends =
            |block: &&Block| !matches!(block.content, Content::Heading(next) if next <= level);
        let below = outline.blocks[place + 1..].iter().take(MOST_BLOCKS);
        let Some(last) = below.take_while(ends).last() else { continue };
        looked += 1;
        let source = outline.source(&(block.range.end..last.range.end));
        let source = source.get(..source.floor_char_boundary(MOST_BYTES)).unwrap_or_default();
        let lines = first..=outline.lines(&last.range).last;
        let spoken = plan.units.iter().filter(|unit| is_in(source, &unit.name));
        let spoken: Vec<&str> = spoken.map(|unit| unit.id.as_str()).take(MOST_UNITS).collect();
        // What it says may be said elsewhere, and read there.
        let known = || {
            let has = |id: &str| spoken.contains(&unit_of(id));
            let mut edges = plan.dependencies.iter();
            edges
                .any(|one| unit_of(&one.from) != unit_of(&one.to) && has(&one.from) && has(&one.to))
        };
        if spoken.len() > 1 && read.range(lines).next().is_none() && !known() {
            found.push(at..at + words.len());
        }
    }
    found
}

/// Whether a text has a name as whole words.
pub(super) fn is_in(text: &str, name: &str) -> bool {
    !name.is_empty()
        && text.match_indices(name).any(|(at, _)| is_apart(text, &(at..at + name.len())))
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
    // A later sprint that waits does not hold up this one.
    let holds_up = |to: &str| to == unit || names.place(to) <= names.place(owner);
    let waits = |id: &str| {
        plan.dependencies.iter().any(|one| {
            unit_of(&one.to) == unit
                && holds_up(&one.to)
                && (one.from == id || unit_of(&one.from) == unit_of(id))
        })
    };
    // A sprint of the same unit comes first anyway, unless it stands behind.
    let behind = |id: &str| {
        let known = plan.dependencies.iter().any(|one| one.to == owner && one.from == id);
        id.contains('/') && names.place(id) > names.place(owner) && !known
    };
    let missed = |text: &str| match named(text, owner, names) {
        Some(id) if unit_of(&id) == unit => behind(&id),
        Some(id) => !waits(&id),
        None => false,
    };
    line.split([';', '.']).any(|clause| {
        let turned = TURNED.within(clause);
        let mut whole = None;
        ORDER.spots(clause).any(|spot| {
            let is =
                |all: &[&str]| all.iter().any(|one| clause[spot.clone()].eq_ignore_ascii_case(one));
            let ends = || !clause[spot.end..].contains(char::is_alphanumeric);
            match is(&FIRST) {
                // "B2's first pass" is no order.
                true => {
                    (!is(&[" first"]) || ends()) && *whole.get_or_insert_with(|| missed(clause))
                }
                false => (!turned || is(&EVEN)) && missed(near(&clause[spot.end..])),
            }
        })
    })
}

/// The first words of a text.
fn near(text: &str) -> &str {
    match text.get(..text.floor_char_boundary(MOST_BEHIND)) {
        Some(head) if head.len() < text.len() => {
            head.rsplit_once(' ').map_or(head, |(head, _)| head)
        }
        _ => text,
    }
}

/// The unit or sprint that a text begins with the name of.
fn named(text: &str, owner: &str, names: &Names) -> Option<String> {
    let open = |c: char| !c.is_alphanumeric();
    let mut bare = text.trim_start_matches(|c: char| c.is_alphabetic() && c.is_lowercase());
    bare = bare.trim_start_matches(|c| open(c) && c != ',');
    while let Some((word, rest)) = bare.split_once(' ')
        && ["is", "are", "the", "on", "if", "until", "for", "unit", "work"].contains(&word)
    {
        bare = rest.trim_start();
    }
    let end = bare.find(['.', ';', ')', '|', '—', ',']).unwrap_or(bare.len());
    let part = bare[..end].trim_end_matches(open);
    let speaker = Speaker { unit: Some(unit_of(owner)), sprint: names.place(owner), brief: false };
    if let Some(id) = mentions(part, names, speaker).into_iter().find_map(|one| one.id) {
        return Some(id);
    }
    if !part.starts_with(char::is_uppercase) {
        return None;
    }
    let words: Vec<&str> = part.split(' ').take(MOST_WORDS).collect();
    let unit = (1..=words.len()).rev().find_map(|many| names.unit(&words[..many].join(" ")));
    unit.map(str::to_owned)
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
            ("Comes after Core; can run in parallel with others.", false, true),
            ("Blocked until Core is complete.", false, true),
            ("This sprint starts only after Core is finished.", false, true),
            ("It needs core skills.", false, false),
            ("Core has to be done before this sprint.", false, true),
            ("Sequence: after Core", false, true),
            ("Once Core is merged, begin.", false, true),
            ("After all, Core is small.", false, false),
            ("Blocked on Core.", false, true),
            ("Prerequisite is Core.", false, true),
            ("Start only if Core is done.", false, true),
            ("Do not begin before Core ships.", false, true),
            ("We cannot start this until Core is done.", false, true),
            ("Core must ship first.", false, true),
            ("Gated on: Core", false, true),
            ("Hold until Core is green.", false, true),
            ("We write the tests first.", false, false),
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

    /// Of each such word only what stands near it is looked at, so that the whole is linear.
    #[test]
    fn names_are_looked_for_near_the_words_about_an_order() {
        assert_eq!(super::near("Core is done"), "Core is done");
        let long = "Core until é ".repeat(200);
        assert!(
            super::near(&long).len() <= super::MOST_BEHIND && long.starts_with(super::near(&long))
        );
        assert!(!super::near(&long).ends_with(' '));
    }

    #[test]
    fn a_section_about_an_order_is_read_or_told() {
        let unit = |name: &str| {
            format!(
                "## Work Unit: {name}\n\n### Sprint 1: A\n- [ ] a\n\n**Exit criteria**:\n- `make {name}` exits 0\n\n"
            )
        };
        let units = format!("# P\n\n{}{}", unit("Core"), unit("Web"));
        for (section, told) in [
            ("## Dependencies\n\n- Web: Core\n", true),
            ("## Dependencies\n\n| From | To |\n|---|---|\n| Core | Web |\n", true),
            ("## Build order\n\n1. Core\n2. Web\n", true),
            ("## Dependencies\n\n| Unit | Depends on |\n|---|---|\n| Web | Core |\n", false),
            ("## Dependencies\n\nOnly Core has some: `libc`.\n", false),
            ("## Team\n\nCore and Web are by Ann.\n", false),
        ] {
            let parsed = parse(&format!("{units}{section}"));
            let named = parsed.remarks.iter().any(|one| one.got.contains("nobody waits"));
            let waits = !parsed.plan.dependencies.is_empty();
            assert_eq!(named, told && !waits, "{section} {:?}", parsed.plan.dependencies);
            assert!(named || waits || !told, "{section}");
        }
    }
}
