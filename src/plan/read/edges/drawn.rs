//! Dependencies that are drawn with arrows from left to right; where graphs and sentences about order stand.

use super::super::super::label::{Headed, headed};
use super::super::super::mention::{Mention, Speaker, mentions};
use super::super::super::model::{Origin, Weight};
use super::super::super::outline::{Content, plain};
use super::super::super::phrases::Phrases;
use super::super::find::WORDS;
use super::Edges;
use crate::vocab::error::Code;
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
            let parts = split_arrows(line);
            let row: Vec<Vec<Mention>> = parts
                .iter()
                .map(|(_, part)| {
                    let speaker = Speaker { unit: None, sprint: None, brief: false };
                    let found = mentions(part, &self.names, speaker);
                    // "Core → Page": names of units alone.
                    if found.is_empty() && parts.len() > 1 { self.alone(part) } else { found }
                })
                .collect();
            let number = self.reader.outline.line(at);
            for pair in row.windows(2) {
                let (from, to) = (pair[0].last(), pair[1].first());
                if let (Some(from), Some(to)) =
                    (from.and_then(|one| one.id.clone()), to.and_then(|one| one.id.clone()))
                {
                    self.add(&from, &to, Origin::Arrow, number);
                }
            }
            self.stated(line, at);
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
    let drawn = matches!(head, '→' | '►' | '▶' | '➜' | '⟶') || head == '>' && shaft > 0;
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
            ("none", "none"),
        ] {
            let split = split_arrows(line);
            let split: Vec<_> = split.iter().map(|(_, part)| part.trim()).collect();
            assert_eq!(split.join(" | "), parts, "{line}");
        }
    }
}
