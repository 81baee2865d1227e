//! Sections about dependencies: graphs in mermaid and sentences are read; an order that is drawn in any other way, or
//! said otherwise, is told.

use super::super::super::label::{Headed, headed};
use super::super::super::mention::{Speaker, mentions};
use super::super::super::model::{Weight, unit_of};
use super::super::super::outline::{Content, plain};
use super::super::super::phrases::Phrases;
use super::super::find::WORDS;
use super::super::unordered::is_in;
use super::Edges;
use crate::vocab::error::{Code, clip};
use std::collections::BTreeSet;
use std::ops::Range;

/// The first line of a text that is not read, and whom the text names.
pub(super) type Unread = (Range<usize>, BTreeSet<String>);

impl Edges<'_, '_> {
    /// Reads graphs in mermaid anywhere, and sentences under a heading that speaks of dependencies; what is not read there.
    pub(super) fn sections(&mut self) -> Vec<Unread> {
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
        let mut unread = Vec::new();
        for (mermaid, range) in found {
            match mermaid {
                true => self.mermaid(&range),
                false => unread.extend(self.sentences(&range)),
            }
        }
        unread
    }

    /// Line by line, each of which may be a sentence.
    fn sentences(&mut self, range: &Range<usize>) -> Option<Unread> {
        let mut at = range.start;
        let (mut first, mut ids) = (None, BTreeSet::new());
        for line in self.reader.outline.source(range).split_inclusive('\n') {
            if !self.stated(line, at) && !APART.within(line) {
                let named = self.named_in(line);
                if !named.is_empty() {
                    let skip = line.len() - line.trim_start().len();
                    first.get_or_insert(at + skip..at + line.trim_end().len());
                    ids.extend(named);
                }
            }
            at += line.len();
        }
        first.filter(|_| ids.len() > 1).map(|first| (first, ids))
    }

    fn named_in(&self, line: &str) -> Vec<String> {
        let found = mentions(line, &self.names, Speaker::default());
        let found = found.into_iter().filter_map(|one| one.id);
        let units = self.names.units.iter().filter(|(_, name)| is_in(line, name));
        found.chain(units.map(|(id, _)| id.clone())).collect()
    }

    /// Tells of the texts that were not read. Units that nothing orders would start side by side, so that is a warning;
    /// what is said elsewhere, and sprints of one unit, have an order.
    pub(super) fn tell(&mut self, unread: Vec<Unread>) {
        for (range, ids) in unread {
            let units: BTreeSet<&str> = ids.iter().map(|id| unit_of(id)).collect();
            let mut pairs = self.list.iter().map(|one| (unit_of(&one.from), unit_of(&one.to)));
            let ordered =
                pairs.any(|(from, to)| from != to && units.contains(from) && units.contains(to));
            let weight = if units.len() > 1 && !ordered { Weight::Warning } else { Weight::Note };
            let shown = clip(self.reader.outline.source(&range), 80);
            let expected = "mermaid, a sentence such as `B depends on A`, or a line `Depends on`";
            let got = format!("`{shown}`, not read as an order");
            self.reader.remark(weight, Code::Overlooked, range, expected, &got);
        }
    }
}

/// What is said of those who do not wait for each other.
static APART: Phrases = Phrases::new(&["parallel", "independent", "concurrent", "no dependenc"]);

/// Whether a section with this heading says who waits for whom.
fn is_about(heading: &str) -> bool {
    static ABOUT: Phrases = Phrases::new(&["dependenc", "graph"]);
    let words = plain(heading);
    ABOUT.within(&words) && !matches!(headed(&words, WORDS), Headed::Sprint { .. })
}
