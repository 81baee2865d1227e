//! Links to headings of the same document: `[Sprint 3](#sprint-3-urgent)`.

use super::super::model::{Plan, Sprint};
use super::super::outline::{Content, Outline, plain_small};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

const OPENS: &str = "](#";

/// The anchor of a heading, as hosts of Markdown make it.
pub(super) fn anchor(heading: &str) -> String {
    let kept = plain_small(heading);
    let kept = kept.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// The anchors that are linked to, and where.
fn links(text: &str) -> impl Iterator<Item = (Range<usize>, &str)> {
    text.match_indices(OPENS).filter_map(|(at, _)| {
        let from = at + OPENS.len();
        let target = text.get(from..)?.split(')').next()?;
        Some((from..from + target.len(), target))
    })
}

/// Where the document links to headings of sprints: such a link goes with its heading.
pub(super) fn own_links(outline: &Outline<'_>, plan: &Plan) -> Vec<Range<usize>> {
    if !is_linked(outline.text) {
        return Vec::new();
    }
    let known: BTreeSet<String> = anchors(outline, plan).into_iter().map(|(_, to)| to).collect();
    let own = links(outline.text).filter(|(_, target)| known.contains(*target));
    own.map(|(range, _)| range).collect()
}

/// Whether a document links to itself at all.
pub(super) fn is_linked(text: &str) -> bool {
    text.contains(OPENS)
}

/// The ids of all sprints in their order, and the anchors of their headings.
pub(super) fn anchors(outline: &Outline<'_>, plan: &Plan) -> Vec<(String, String)> {
    let of = |sprint: &Sprint| {
        let block = outline.block_at(sprint.lines.first)?;
        let heading = matches!(block.content, Content::Heading(_));
        heading.then(|| (sprint.id.clone(), anchor(outline.heading(block).0)))
    };
    plan.sprints().filter_map(of).collect()
}

/// The text with its links at the new anchors of the sprints they were to; a sprint that is gone became a part of the
/// one before it.
pub(super) fn follow(text: &str, was: &[(String, String)], now: &[(String, String)]) -> String {
    let known: BTreeMap<&str, &str> =
        now.iter().map(|(id, anchor)| (id.as_str(), anchor.as_str())).collect();
    let mut pairs: BTreeMap<&str, &str> = BTreeMap::new();
    let mut last = None;
    for (id, anchor) in was {
        last = known.get(id.as_str()).copied().or(last);
        if let Some(now) = last {
            pairs.entry(anchor).or_insert(now);
        }
    }
    let (mut out, mut at) = (String::with_capacity(text.len()), 0);
    for (range, target) in links(text) {
        if let Some(now) = pairs.get(target) {
            out.push_str(text.get(at..range.start).unwrap_or_default());
            out.push_str(now);
            at = range.end;
        }
    }
    out.push_str(text.get(at..).unwrap_or_default());
    out
}
