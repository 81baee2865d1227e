//! A heading that is a requirement itself, while what stands below it is read.

use super::super::document::LineRange;
use super::MOST_WORDS;

pub(super) struct Open {
    /// The level of its heading.
    pub(super) level: u8,
    /// How many headings there are down to it.
    pub(super) depth: usize,
    /// Its words, marks included.
    pub(super) head: String,
    /// Whether the author gave it an id, so that all below it is its own.
    pub(super) known: bool,
    /// Its lines, as far as they were read.
    pub(super) lines: LineRange,
    /// How many requirements by themselves stand below it.
    pub(super) own: usize,
    /// A heading below it that nothing was kept of yet.
    pub(super) part: Option<String>,
    details: Vec<String>,
    bytes: usize,
}

impl Open {
    pub(super) fn new(
        level: u8,
        depth: usize,
        head: String,
        known: bool,
        lines: LineRange,
    ) -> Open {
        let bytes = head.len();
        let (own, part, details) = (0, None, Vec::new());
        Open { level, depth, head, known, lines, own, part, details, bytes }
    }

    /// Keeps what stands below it; whether there is room.
    pub(super) fn keep(&mut self, text: &str) -> bool {
        let part = self.part.take().map(|part| format!("{}: ", part.trim_end_matches(':')));
        let text = format!("{}{}", part.unwrap_or_default(), text.trim());
        if self.bytes + text.len() > MOST_WORDS {
            return false;
        }
        self.bytes += text.len();
        self.details.push(text);
        true
    }

    /// Ends a heading below it. One over nothing is all there is of it.
    pub(super) fn end(&mut self) {
        if self.known
            && self.own == 0
            && let Some(part) = self.part.take()
        {
            self.keep(&part);
        }
    }

    /// Whether it only holds others together.
    pub(super) fn is_group(&self) -> bool {
        self.own > 0 && self.details.is_empty()
    }

    /// Its words with what stands below it: on one line if that is little, else each on a line below.
    pub(super) fn text(&self) -> String {
        const SHORT: usize = 300;
        let head = self.head.trim_end_matches([':', ' ']);
        match self.details.as_slice() {
            [only] if !only.contains('\n') && head.len() + only.len() <= SHORT => {
                format!("{head}: {only}")
            }
            all => {
                let lines = all.iter().flat_map(|text| text.lines());
                lines.fold(head.to_owned(), |text, line| {
                    let bare = line.trim_start();
                    let mark = if bare.starts_with(['-', '+']) { "" } else { "- " };
                    format!("{text}\n{mark}{bare}")
                })
            }
        }
    }
}
