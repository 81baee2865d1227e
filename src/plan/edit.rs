//! Changes to a plan that somebody wrote: parts are replaced, put in, moved and given new numbers; every
//! other byte stays as it was, line ends included.

use super::document::LineRange;
use super::mention::{Names, Speaker, Spot, spots};
use super::model::Plan;
use super::outline::Outline;
use std::collections::BTreeMap;
use std::ops::Range;

/// Replacements of parts of a text, none of which overlap.
#[derive(Clone, Debug, Default)]
pub struct Edits {
    /// What is put in for the bytes from the first to the second place; several texts only between two bytes.
    list: BTreeMap<(usize, usize), Vec<String>>,
}

impl Edits {
    /// Replaces some bytes; an empty range puts text in. A part that is replaced already stays so.
    pub fn replace(&mut self, range: Range<usize>, text: impl Into<String>) {
        if !self.clashes(&range) {
            self.list.entry((range.start, range.end)).or_default().push(text.into());
        }
    }

    /// Whether a part of some bytes is replaced already. What begins before their end is looked at from there
    /// back to the first that is not empty: whatever is before that ends before it.
    fn clashes(&self, range: &Range<usize>) -> bool {
        for (start, end) in self.list.range(..(range.end, 0)).rev().map(|(place, _)| *place) {
            if range.start < end && start < range.end {
                return true;
            }
            if start < end {
                return false;
            }
        }
        false
    }

    /// Whether some of these bytes are replaced.
    pub(super) fn touches(&self, range: &Range<usize>) -> bool {
        self.clashes(range)
    }

    /// Whether nothing is to be changed.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The text with all replacements.
    pub fn apply(self, text: &str) -> String {
        self.within(text, &(0..text.len()))
    }

    /// Some bytes of the text with the replacements inside of them.
    fn within(&self, text: &str, part: &Range<usize>) -> String {
        let mut out = String::new();
        let mut at = part.start;
        for ((start, end), new) in self.list.range((part.start, 0)..=(part.end, usize::MAX)) {
            // What is put in between two parts belongs to the first of them.
            let own = *start > part.start || part.start == 0 || start < end;
            if own && *start >= at && *end <= part.end {
                out.push_str(text.get(at..*start).unwrap_or_default());
                new.iter().for_each(|new| out.push_str(new));
                at = *end;
            }
        }
        out.push_str(text.get(at..part.end).unwrap_or_default());
        out
    }

    /// The text with all replacements, and blocks moved: block `order[i]` comes to stand in the place of
    /// block `i`. What is between blocks stays.
    pub fn apply_moved(self, text: &str, blocks: &[Range<usize>], order: &[usize]) -> String {
        let mut out = String::new();
        let mut at = 0;
        for (block, from) in blocks.iter().zip(order) {
            out.push_str(&self.within(text, &(at..block.start)));
            out.push_str(&self.within(text, &blocks[*from]));
            at = block.end;
        }
        out.push_str(&self.within(text, &(at..text.len())));
        out
    }
}

/// The line end that a text uses.
pub fn line_end(text: &str) -> &'static str {
    if text.split_once('\n').is_some_and(|(first, _)| first.ends_with('\r')) {
        "\r\n"
    } else {
        "\n"
    }
}

/// What goes behind a paragraph that is put in at the end of a line, so that it is one of its own: a line end, unless the
/// next line is empty or there is none.
pub(super) fn parting(text: &str, at: usize) -> &'static str {
    let below = text.get(at..).and_then(|rest| rest.split_once('\n')).map(|(_, below)| below);
    let next = below.and_then(|below| below.lines().next()).unwrap_or_default();
    if next.trim().is_empty() { "" } else { line_end(text) }
}

/// The bytes of a sprint: its lines without the last line end.
pub fn block(outline: &Outline<'_>, lines: LineRange) -> Range<usize> {
    let range = outline.bytes(lines);
    let kept = outline.source(&range).trim_end_matches(['\n', '\r']).len();
    range.start..range.start + kept
}

/// Gives sprints new labels, wherever the document speaks of them: headings, tables, criteria, graphs.
/// `labels` has the new label of each id. A range whose members no longer follow each other becomes a
/// list. `brief` are the labels that were read without a noun: what the reader takes for a sprint gets its number.
pub fn relabel(
    outline: &Outline<'_>,
    plan: &Plan,
    brief: &[Spot],
    labels: &BTreeMap<String, String>,
    edits: &mut Edits,
) {
    let names = super::read::names(plan);
    renumber(outline, &names, brief.iter().cloned(), labels, edits);
    let from = front_end(outline, plan);
    let mut units: Vec<(Range<usize>, &str)> = plan
        .sprints()
        .map(|sprint| (outline.bytes(sprint.lines), super::model::unit_of(&sprint.id)))
        .collect();
    units.sort_by_key(|(range, _)| range.start);
    let mut at = from;
    for (range, unit) in units {
        part(outline, &names, at..range.start.max(at), None, labels, edits);
        part(outline, &names, range.start.max(at)..range.end.max(at), Some(unit), labels, edits);
        at = at.max(range.end);
    }
    part(outline, &names, at..outline.text.len(), None, labels, edits);
    tables(outline, plan, &names, labels, edits);
    heads(outline, plan, &names, labels, edits);
}

/// Labels at the beginning of sprints that no noun stands before, or that go on: `## 1. Core`, `## Sprint 1/3 Core`.
fn heads(
    outline: &Outline<'_>,
    plan: &Plan,
    names: &Names,
    labels: &BTreeMap<String, String>,
    edits: &mut Edits,
) {
    for sprint in
        plan.sprints().filter(|one| labels.get(&one.id).is_some_and(|new| *new != one.label))
    {
        let first = LineRange { first: sprint.lines.first, last: sprint.lines.first };
        let line = outline.bytes(first);
        let source = outline.source(&line);
        let edge = |letter: Option<char>| letter.is_none_or(|letter| !letter.is_alphanumeric());
        let found = source.match_indices(&sprint.label).find(|(at, label)| {
            let (before, behind) = (&source[..*at], &source[at + label.len()..]);
            edge(before.chars().next_back()) && edge(behind.chars().next())
        });
        let Some((at, label)) = found else { continue };
        let before = source[..at].trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
        let range = line.start + at..line.start + at + label.len();
        if (before.is_empty() || names.words.contains(&before)) && !edits.touches(&range) {
            rename(outline, range, &sprint.id, labels, edits);
        }
    }
}

fn front_end(outline: &Outline<'_>, plan: &Plan) -> usize {
    let last = plan.front.last().map(|field| field.lines.last + 1);
    last.map_or(0, |last| outline.bytes(LineRange { first: 1, last }).end)
}

fn part(
    outline: &Outline<'_>,
    names: &Names,
    range: Range<usize>,
    unit: Option<&str>,
    labels: &BTreeMap<String, String>,
    edits: &mut Edits,
) {
    let speaker = Speaker { unit, sprint: None, brief: false };
    let found = spots(outline.source(&range), names, speaker).into_iter().map(|spot| {
        let here = range.start + spot.range.start..range.start + spot.range.end;
        Spot { range: here, ..spot }
    });
    renumber(outline, names, found, labels, edits);
}

/// Gives labels at places of the document their new numbers.
fn renumber(
    outline: &Outline<'_>,
    names: &Names,
    found: impl Iterator<Item = Spot>,
    labels: &BTreeMap<String, String>,
    edits: &mut Edits,
) {
    let mut found = found.peekable();
    while let Some(spot) = found.next() {
        match found.next_if(|_| spot.opens) {
            Some(end) => {
                let both = spot.range.start..end.range.end;
                span(outline, names, both, (&spot.id, &end.id), labels, edits);
            }
            None => rename(outline, spot.range, &spot.id, labels, edits),
        }
    }
}

fn rename(
    outline: &Outline<'_>,
    range: Range<usize>,
    id: &str,
    labels: &BTreeMap<String, String>,
    edits: &mut Edits,
) {
    if let Some(label) = labels.get(id)
        && outline.source(&range) != label
    {
        edits.replace(range, label.clone());
    }
}

/// A range from one to another.
fn span(
    outline: &Outline<'_>,
    names: &Names,
    range: Range<usize>,
    ends: (&str, &str),
    labels: &BTreeMap<String, String>,
    edits: &mut Edits,
) {
    let at = |id: &str| names.place(id);
    let (Some(first), Some(last)) = (at(ends.0), at(ends.1)) else { return };
    let Some(members) = names.sprints.get(first..=last) else { return };
    let label = |one: &super::mention::Named| labels.get(&one.id).unwrap_or(&one.label).clone();
    let mut numbers: Vec<Option<u32>> = members.iter().map(|one| label(one).parse().ok()).collect();
    numbers.sort();
    // Some of them may be one sprint now: then others are gone, and none is between those that are left.
    numbers.dedup();
    let joined = numbers.len() < members.len();
    let follows = numbers.windows(2).all(|pair| match (pair[0], pair[1]) {
        (Some(one), Some(next)) => next == one + 1 || joined,
        _ => false,
    });
    let unchanged = members.iter().all(|one| label(one) == one.label);
    match (numbers.first().copied().flatten(), numbers.last().copied().flatten()) {
        _ if unchanged => {}
        (Some(one), Some(other)) if follows && one == other => {
            edits.replace(range, one.to_string());
        }
        (Some(one), Some(other)) if follows => {
            let source = outline.source(&range);
            let of_label = |c: char| c.is_ascii_alphanumeric() || c == '.';
            let between = source.trim_start_matches(of_label).trim_end_matches(of_label);
            edits.replace(range, format!("{one}{between}{other}"));
        }
        _ => {
            let mut all: Vec<String> = members.iter().map(label).collect();
            all.dedup();
            edits.replace(range, all.join(", "));
        }
    }
}

/// Labels in tables of sprints, which stand there without a noun.
fn tables(
    outline: &Outline<'_>,
    plan: &Plan,
    names: &Names,
    labels: &BTreeMap<String, String>,
    edits: &mut Edits,
) {
    for (range, unit) in super::read::table_labels(outline) {
        let unit = plan
            .units
            .iter()
            .find(|one| Some(&one.name) == unit.as_ref())
            .map(|one| one.id.as_str());
        let speaker = Speaker { unit, sprint: None, brief: true };
        for spot in spots(outline.source(&range), names, speaker) {
            let here = range.start + spot.range.start..range.start + spot.range.end;
            rename(outline, here, &spot.id, labels, edits);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_replaced_and_moved() {
        let text = "a [one] b [two] c [three] d";
        let blocks = [2..7, 10..15, 18..25];
        let mut edits = Edits::default();
        edits.replace(11..14, "2");
        edits.replace(0..1, "A");
        edits.replace(11..12, "never");
        let moved = edits.clone().apply_moved(text, &blocks, &[1, 2, 0]);
        assert_eq!(moved, "A [2] b [three] c [one] d");
        assert_eq!(edits.apply(text), "A [one] b [2] c [three] d");
        let mut edits = Edits::default();
        edits.replace(7..7, "!");
        edits.replace(0..0, "?");
        let moved = edits.apply_moved(text, &blocks, &[1, 0, 2]);
        assert_eq!(moved, "?a [two] b [one]! c [three] d");
        assert_eq!(Edits::default().apply(text), text);
        assert_eq!((line_end("a\r\nb"), line_end("a\nb\r\n"), line_end("a")), ("\r\n", "\n", "\n"));
    }

    #[test]
    fn labels_change_wherever_they_are_named() {
        let text = "# P\r\n\nSee Sprints 1-2 and Sprint 3. Not 3.\n\n| Sprint | Name | Depends on |\n|---|---|---|\n| 1 | A | none |\n| 3 | C | 1, 2 |\n\n\
            ## Sprint 1: A\n\n**Entry criteria**: none\n\n## Sprint 2: B\n\n- Sprint 1 done, Sprints 1–3\n\n## Sprint 3: C\n";
        let read = super::super::read::parse(text);
        let outline = Outline::read(text, 0);
        let labels = [("plan/1", "2"), ("plan/2", "3"), ("plan/3", "1")];
        let labels = labels.map(|(id, label)| (id.to_owned(), label.to_owned())).into();
        let mut edits = Edits::default();
        relabel(&outline, &read.plan, &read.labels, &labels, &mut edits);
        let expected = "# P\r\n\nSee Sprints 2-3 and Sprint 1. Not 3.\n\n| Sprint | Name | Depends on |\n|---|---|---|\n| 2 | A | none |\n| 1 | C | 2, 3 |\n\n\
            ## Sprint 2: A\n\n**Entry criteria**: none\n\n## Sprint 3: B\n\n- Sprint 2 done, Sprints 1–3\n\n## Sprint 1: C\n";
        assert_eq!(edits.apply(text), expected);
    }
}
