//! The net below everything else: an item of a list or a row of a table of which nothing was made is named, whatever
//! its heading is called. A list of words that headings are made of never has all of them; so what no rule knows is
//! told, and not lost.

use super::super::document::{unboxed, unmarked, unwrapped};
use super::super::outline::plain_small;
use super::sections::{Meaning, is_undecided};
use super::walk::Walk;
use crate::vocab::error::clip;
use std::borrow::Cow;
use std::ops::Range;

/// What stands by itself.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Item,
    /// `asked`: below a heading whose items are asked for.
    Row {
        asked: bool,
    },
    /// A list or a table in HTML.
    Markup,
}

/// What the first lines of a document say about it.
const LABELS: &[&str] = &[
    "author",
    "authors",
    "owner",
    "owners",
    "status",
    "date",
    "version",
    "revision",
    "created",
    "updated",
    "last updated",
    "reviewer",
    "reviewers",
    "approver",
    "approvers",
    "editor",
    "team",
    "stakeholders",
    "product manager",
    "document status",
    "document version",
    "document owner",
    "target release",
    "repository",
];

impl Walk<'_, '_> {
    /// Names an item or a row of which nothing was made, but for what plainly is about the document.
    pub(super) fn catch(&mut self, text: &str, range: &Range<usize>, part: Part) {
        let around = self.around(true);
        let undecided = self.heads.iter().any(|head| is_undecided(&head.words));
        if undecided || around.is_some_and(Meaning::asks) {
            self.pass_by(range, &format!("words: {}", clip(text, 80)), false);
            return;
        }
        let below = self.heads.iter().rev().find(|head| head.level > 1).map(|head| &head.words);
        let about = below.is_none() && is_about(text);
        if matches!(around, Some(Meaning::Told | Meaning::Silent)) || about || is_contents(text) {
            return;
        }
        let sort = match part {
            Part::Item => "an item",
            Part::Row { .. } => "a row",
            Part::Markup => "HTML",
        };
        let place = below.map(|head| format!(" below “{}”", clip(head, 60))).unwrap_or_default();
        self.name(range, format!("{sort}{place}: {}", clip(text, 80)), false);
    }

    /// What of an item is not struck out. What stands below a line that is goes with it, and is named.
    pub(super) fn standing<'t>(&mut self, text: &'t str, range: &Range<usize>) -> Cow<'t, str> {
        if !text.contains("~~") {
            return Cow::Borrowed(text);
        }
        let lines: Vec<&str> = text.lines().collect();
        let kept: Vec<&str> = lines.iter().copied().filter(|line| !is_gone(line)).collect();
        if lines.first().is_some_and(|line| is_gone(line)) {
            if let Some(first) = kept.first() {
                self.name(range, format!("below what is struck out: {}", clip(first, 80)), false);
            }
            return Cow::Borrowed("");
        }
        Cow::Owned(kept.join("\n"))
    }
}

/// Whether a line of an item is struck out as a whole, whatever other marks are around it.
fn is_gone(line: &str) -> bool {
    unwrapped(unboxed(unmarked(line)).0).1
}

/// "Status: draft".
fn is_about(text: &str) -> bool {
    let label = plain_small(text.split(':').next().unwrap_or_default());
    LABELS.contains(&label.trim())
}

/// Links into the document itself, and nothing else: its contents.
fn is_contents(text: &str) -> bool {
    text.lines().map(unmarked).all(|line| {
        let link = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(')'));
        link.is_some_and(|link| link.contains("](#"))
    })
}
