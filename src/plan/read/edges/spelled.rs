//! Where labels stand in texts about nothing but dependencies, as they were read: "2, 3", "S2", "#2 and #3".

use super::super::super::mention::{Mention, Speaker, Spot, spots};
use super::Edges;
use std::ops::Range;

impl Edges<'_, '_> {
    /// Remembers the labels of a text of which `found` was read.
    pub(super) fn remember(
        &mut self,
        range: &Range<usize>,
        speaker: Speaker<'_>,
        found: &[Mention],
    ) {
        let text = self.reader.outline.source(range);
        let mut inside = false;
        for mut spot in spots(text, &self.names, speaker) {
            // The ends of a range are not read one by one.
            if !inside && !spot.opens {
                meant(&mut spot, found);
            }
            inside = spot.opens;
            spot.range = range.start + spot.range.start..range.start + spot.range.end;
            self.reader.labels.push(spot);
        }
    }
}

/// A label may be that of another unit's sprint, by the name beside it or by who speaks.
fn meant(spot: &mut Spot, found: &[Mention]) {
    let covers =
        |one: &&Mention| one.at <= spot.range.start && spot.range.end <= one.at + one.said.len();
    let known = found.iter().filter(|one| !one.task).find(covers).and_then(|one| one.id.as_ref());
    if let Some(id) = known.filter(|id| id.contains('/')) {
        spot.id.clone_from(id);
    }
}
