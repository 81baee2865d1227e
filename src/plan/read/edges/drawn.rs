//! Dependencies that are drawn with arrows from left to right; where graphs and sentences about order stand.

use super::super::super::label::{Headed, headed};
use super::super::super::mention::{Mention, Speaker, mentions};
use super::super::super::model::{Origin, Weight};
use super::super::super::outline::{Content, plain};
use super::super::super::phrases::Phrases;
use super::super::find::WORDS;
use super::Edges;
use crate::vocab::error::{Code, clip};
use std::ops::Range;

impl Edges<'_, '_> {
    /// Graphs in mermaid anywhere; arrows in text under a heading that speaks of dependencies.
    pub(super) fn drawings(&mut self) {
        let mut about = false;
        let mut found: Vec<(bool, Range<usize>)> = Vec::new();
        let outline = &self.reader.outline;
        for block in &outline.blocks {
            match &block.content {
                Content::Heading(_) => about = is_about(outline.heading(block).0),
                Content::Code { info, .. } if info.trim().starts_with("mermaid") => {
                    found.push((true, block.range.clone()));
                }
                Content::Code { .. } | Content::Paragraph | Content::List(_) if about => {
                    found.push((false, block.range.clone()));
                }
                _ => {}
            }
        }
        for (mermaid, range) in found {
            if mermaid { self.mermaid(&range) } else { self.arrows(&range) }
        }
    }

    /// `Sprint 1 → Sprint 2 → Sprint 3`, line by line. Arrows that go down the page are not read.
    fn arrows(&mut self, range: &Range<usize>) {
        let mut at = range.start;
        let mut down = None;
        for line in self.reader.outline.source(range).split_inclusive('\n') {
            let (parts, back) = directed(line);
            let row: Vec<Vec<Mention>> = parts
                .iter()
                .map(|(_, part)| {
                    let speaker = Speaker { unit: None, sprint: None, brief: false };
                    let found = mentions(part, &self.names, speaker);
                    // "Core → Page": names of units alone.
                    if found.is_empty() && parts.len() > 1 { self.alone(part) } else { found }
                })
                .collect();
            let drawn = self.drawn(&row, back, at);
            if !self.stated(line, at) && !drawn {
                self.unread_line(line, at, &parts, &row);
            }
            if line.contains(['↓', '▼', '│', '↘', '↙']) && down.is_none() {
                down = Some(at..at + line.trim_end().len());
            }
            at += line.len();
        }
        if let Some(range) = down {
            let expected = "arrows from left to right, mermaid, or a line `Depends on`";
            let got = "lines that go down the page, which are not read";
            self.reader.remark(Weight::Note, Code::Overlooked, range, expected, got);
        }
    }

    /// The arrows of a row of names. Whether each of them was read, or there is none.
    fn drawn(&mut self, row: &[Vec<Mention>], back: bool, at: usize) -> bool {
        let number = self.reader.outline.line(at);
        let id = |one: Option<&Mention>| one.and_then(|one| one.id.clone());
        let mut all = row.len() > 1;
        for pair in row.windows(2) {
            match (id(pair[0].last()), id(pair[1].first())) {
                (Some(one), Some(other)) if back => self.add(&other, &one, Origin::Arrow, number),
                (Some(one), Some(other)) => self.add(&one, &other, Origin::Arrow, number),
                _ => all = false,
            }
        }
        all
    }

    /// A line that names several and says nothing of their order that is read, or one whose arrows lead to or from
    /// something else than sprints and units.
    fn unread_line(
        &mut self,
        line: &str,
        at: usize,
        parts: &[(usize, &str)],
        row: &[Vec<Mention>],
    ) {
        let mut ids: Vec<&String> =
            row.iter().flatten().filter_map(|one| one.id.as_ref()).collect();
        ids.sort();
        ids.dedup();
        let drawn = row.len() > 1 && !ids.is_empty();
        if ids.len() < 2 && !drawn || SILENT.within(line) {
            return;
        }
        let skip = line.len() - line.trim_start().len();
        let words = line.trim();
        let shown = clip(words, 80);
        let bears = |of: &&[Mention]| of.iter().any(|one| one.id.is_some());
        let other = row.iter().zip(parts).find(|(of, _)| !bears(&of.as_slice()));
        let (expected, got) = match other {
            Some((_, (_, part))) if drawn => {
                let name = clip(part.trim_matches(|c: char| !c.is_alphanumeric()), 60);
                (
                    "arrows between sprints or units of this plan",
                    format!(
                        "`{name}` in `{shown}` is none; what it has to do with them is not read"
                    ),
                )
            }
            _ => (
                "a line such as `A → B` or `B depends on A`",
                format!("`{shown}`, not read as an order"),
            ),
        };
        let range = at + skip..at + skip + words.len();
        self.reader.remark(Weight::Warning, Code::Overlooked, range, expected, &got);
    }

    /// A node by its words: `Sprint 2`, `S2`, `Sprint2`, `2`, `Core API`.
    pub(super) fn node(&self, words: &str) -> Option<String> {
        let speaker = Speaker { unit: None, sprint: None, brief: true };
        let first =
            |text: &str| mentions(text, &self.names, speaker).into_iter().find_map(|one| one.id);
        let spaced = || {
            let lower = words.to_lowercase();
            let word = self.names.words.iter().find(|word| lower.starts_with(word.as_str()))?;
            first(&format!(
                "{word} {}",
                words.get(word.len()..)?.trim_start_matches(['_', '-', ' '])
            ))
        };
        first(words).or_else(spaced)
    }
}

/// What is said of those who do not wait for each other, and lines that go down the page.
static SILENT: Phrases = Phrases::new(&[
    "parallel",
    "independent",
    "concurrent",
    "↓",
    "▼",
    "│",
    "↘",
    "↙",
    "no dependenc",
]);

/// The parts of a line between its arrows, and whether these point to the left.
fn directed(line: &str) -> (Vec<(usize, &str)>, bool) {
    let parts = split_arrows(line);
    if parts.len() > 1 {
        // Where arrows point both ways, nobody comes first.
        let both = arrow_back(line).is_some();
        return if both { (vec![(0, line)], false) } else { (parts, false) };
    }
    let mut parts = Vec::new();
    let mut from = 0;
    while let Some((at, length)) = arrow_back(&line[from..]) {
        parts.push((from, &line[from..from + at]));
        from += at + length;
    }
    parts.push((from, &line[from..]));
    let back = parts.len() > 1;
    (parts, back)
}

/// The first arrow to the left of a text, `←`, `<-`, `<--`, `◄──`: where it begins, and its length.
fn arrow_back(text: &str) -> Option<(usize, usize)> {
    text.char_indices().find_map(|(at, head)| {
        let behind = &text[at + head.len_utf8()..];
        let shaft = |c: char| matches!(c, '-' | '=' | '─' | '━');
        let length = behind.find(|c: char| !shaft(c)).unwrap_or(behind.len());
        let drawn = matches!(head, '←' | '◄' | '◀' | '⟵');
        let typed = head == '<' && (behind.starts_with('-') || behind.starts_with("=="));
        (drawn || typed).then_some((at, head.len_utf8() + length))
    })
}

/// Whether a section with this heading may have arrows between sprints.
fn is_about(heading: &str) -> bool {
    static ABOUT: Phrases = Phrases::new(&["dependenc", "graph"]);
    let words = plain(heading);
    ABOUT.within(&words) && !matches!(headed(&words, WORDS), Headed::Sprint { .. })
}

/// A line at its arrows: the parts with their bytes.
pub(super) fn split_arrows(line: &str) -> Vec<(usize, &str)> {
    let mut parts = Vec::new();
    let (mut from, mut at) = (0, 0);
    while at < line.len() {
        let rest = &line[at..];
        match arrow(rest) {
            Some(length) => {
                parts.push((from, &line[from..at]));
                at += length;
                from = at;
            }
            None => at += rest.chars().next().map_or(1, char::len_utf8),
        }
    }
    parts.push((from, &line[from..]));
    parts
}

/// The length of the arrow that a text begins with: `→`, `->`, `-->`, `==>`, `──►`, `-->|words|`.
fn arrow(text: &str) -> Option<usize> {
    let shaft =
        text.find(|c: char| !matches!(c, '-' | '=' | '─' | '━' | '.')).unwrap_or(text.len());
    let head = text[shaft..].chars().next()?;
    // `A --o B` of mermaid has another head.
    let round = head == 'o'
        && (text.starts_with("--") || text.starts_with("=="))
        && text[shaft + 1..].starts_with([' ', '|']);
    let drawn = matches!(head, '→' | '►' | '▶' | '➜' | '⟶') || head == '>' && shaft > 0 || round;
    if !drawn {
        return None;
    }
    let mut end = shaft + head.len_utf8();
    if let Some(words) = text[end..].strip_prefix('|')
        && let Some(close) = words.find('|')
    {
        end += close + 2;
    }
    Some(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrows_split_lines() {
        for (line, parts) in [
            ("Sprint 1 → Sprint 2 -> Sprint 3", "Sprint 1 | Sprint 2 | Sprint 3"),
            ("A[x] -->|then| B", "A[x] | B"),
            ("A ──► B ==> C", "A | B | C"),
            ("a - b, c -- d => e", "a - b, c -- d | e"),
            ("S1 --o S2", "S1 | S2"),
            ("a --option b", "a --option b"),
            ("none", "none"),
        ] {
            let split = split_arrows(line);
            let split: Vec<_> = split.iter().map(|(_, part)| part.trim()).collect();
            assert_eq!(split.join(" | "), parts, "{line}");
        }
        for (line, parts) in [
            ("A <- B ← C", "A | B | C"),
            ("A ◄── B", "A | B"),
            ("A <-> B", "A <-> B"),
            ("a <= b", "a <= b"),
        ] {
            let (split, back) = directed(line);
            let split: Vec<_> = split.iter().map(|(_, part)| part.trim()).collect();
            assert_eq!((split.join(" | ").as_str(), back), (parts, split.len() > 1), "{line}");
        }
    }
}
