//! Names what was understood as text only: headings and list items that became no part of the plan.
//!
//! Nothing of a document is dropped in silence. What is not in the model is in a remark, section by
//! section, with its lines; a section whose table, graph or list was read is not one of them.

use super::super::document::{LineRange, unmarked};
use super::super::model::{Plan, Weight};
use super::super::outline::{Block, Content, plain};
use super::super::yaml::count;
use super::body::Body;
use super::tables;
use super::{Reader, extras};
use crate::vocab::error::{Code, clip};
use pulldown_cmark::{Event, Parser, Tag};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// More sections than this are named together.
const MOST_SECTIONS: usize = 200;

/// Something that is kept as text.
#[derive(Clone, Debug)]
pub(super) struct Kept {
    pub(super) range: Range<usize>,
    /// How many headings, how many items, and how many other blocks.
    pub(super) counts: [u32; 3],
}

/// What is kept as text below one heading.
struct Section {
    range: Range<usize>,
    counts: [u32; 3],
}

/// Remarks on everything that is in no part of `plan`. `above` are the headings over sprints.
pub(super) fn name(reader: &mut Reader<'_>, plan: &Plan, bodies: &[Body], above: &BTreeSet<usize>) {
    let mut lines = lines(plan);
    lines.extend(file_lines(reader, plan));
    let first: BTreeSet<u32> = plan.sprints().map(|sprint| sprint.lines.first).collect();
    let line = |place: usize| {
        reader.outline.blocks.get(place).map_or(0, |block| reader.outline.line(block.range.start))
    };
    // Sprints that were taken, by their first block. A second of the same label is none.
    let read: BTreeMap<usize, &Body> = bodies
        .iter()
        .filter(|body| !body.blocks.is_empty() && first.contains(&line(body.blocks.start)))
        .map(|body| (body.blocks.start, body))
        .collect();
    read.values().for_each(|body| super::body::warn(reader, &body.unchecked));
    let mut sections: Vec<Section> = Vec::new();
    let (mut inside, mut open) = (0, false);
    for (place, block) in reader.outline.blocks.iter().enumerate() {
        if let Some(body) = read.get(&place) {
            inside = body.blocks.end;
            sections.extend(grouped(reader, &body.kept));
        }
        let heading = matches!(block.content, Content::Heading(_));
        open &= !heading;
        if place < inside {
            continue;
        }
        let kept = match heading {
            true if above.contains(&place) => Vec::new(),
            true => text_heading(reader, place, plan, &lines).into_iter().collect(),
            false => text_blocks(reader, block, &lines),
        };
        for one in kept {
            add(&mut sections, one, open);
            open = true;
        }
    }
    say(reader, sections);
}

/// Joins what stands below one heading.
fn grouped(reader: &Reader<'_>, kept: &[Kept]) -> Vec<Section> {
    let mut sections: Vec<Section> = Vec::new();
    for one in kept {
        let near = sections.last().is_some_and(|last| {
            let between = reader.outline.source(&(last.range.end..one.range.start));
            one.counts[0] == 0 && between.trim().is_empty()
        });
        add(&mut sections, one.clone(), near);
    }
    sections
}

fn add(sections: &mut Vec<Section>, one: Kept, joined: bool) {
    match sections.last_mut().filter(|_| joined) {
        Some(last) => {
            last.range.end = last.range.end.max(one.range.end);
            last.counts = [0, 1, 2].map(|at| last.counts[at].saturating_add(one.counts[at]));
        }
        None => sections.push(Section { range: one.range, counts: one.counts }),
    }
}

/// The lines on which the parts of a plan begin.
fn lines(plan: &Plan) -> BTreeSet<u32> {
    let mut lines: BTreeSet<u32> = plan.dependencies.iter().map(|one| one.line).collect();
    lines.extend(plan.declared.iter().map(|one| one.line));
    lines.extend(plan.rules.iter().map(|one| one.lines.first));
    lines.extend(plan.template.iter().flat_map(|one| one.lines.first..=one.lines.last));
    lines.extend(plan.units.iter().map(|unit| unit.lines.first));
    lines.extend(plan.sprints().map(|sprint| sprint.lines.first));
    lines.extend(plan.sprints().filter_map(|sprint| Some(sprint.priority.as_ref()?.lines.first)));
    lines
}

/// The lines that hold nothing but the path of a file.
fn file_lines(reader: &Reader<'_>, plan: &Plan) -> Vec<u32> {
    let alone = |line: u32, path: &str| {
        let source =
            reader.outline.source(&reader.outline.bytes(LineRange { first: line, last: line }));
        let bare = unmarked(source).trim().trim_matches('`');
        bare == path
    };
    let files = plan.references.iter().filter(|file| alone(file.line, &file.path));
    files.map(|file| file.line).collect()
}

/// A heading that is neither the title nor over something that was read.
fn text_heading(
    reader: &Reader<'_>,
    place: usize,
    plan: &Plan,
    lines: &BTreeSet<u32>,
) -> Option<Kept> {
    let outline = &reader.outline;
    let block = outline.blocks.get(place)?;
    let (words, _) = outline.heading(block);
    if matches!(block.content, Content::Heading(1)) && plan.title.as_deref() == Some(words) {
        return None;
    }
    let below = outline.blocks[place + 1..].iter();
    let below = below.take_while(|next| !matches!(next.content, Content::Heading(_))).count();
    let first = reader.sheets.partition_point(|sheet| sheet.place <= place);
    let sheets = reader.sheets[first..].iter().take_while(|sheet| sheet.place <= place + below);
    let tabled = sheets.into_iter().any(tables::is_read);
    let from = outline.line(block.range.start);
    let to = outline.blocks.get(place + below + 1);
    let to = to.map_or(u32::MAX, |next| outline.line(next.range.start));
    let template = plan.template.is_some() && extras::is_template(words);
    let read = tabled || template || lines.range(from..to).next().is_some();
    (!read).then(|| Kept { range: trimmed(reader, &block.range), counts: [1, 0, 0] })
}

/// The items of a list, and what a quotation holds, as far as nothing was made of them.
fn text_blocks(reader: &Reader<'_>, block: &Block, lines: &BTreeSet<u32>) -> Vec<Kept> {
    match &block.content {
        Content::List(items) => items
            .iter()
            .filter(|item| {
                let at = reader.outline.lines(item);
                lines.range(at.first..=at.last).next().is_none()
            })
            .map(|item| self::item(reader, item))
            .collect(),
        Content::Other => quoted(reader, block).into_iter().collect(),
        Content::Paragraph if is_footnote(reader.outline.source(&block.range)) => {
            vec![self::block(reader, &block.range)]
        }
        _ => Vec::new(),
    }
}

/// An item with those below it.
pub(super) fn item(reader: &Reader<'_>, range: &Range<usize>) -> Kept {
    let counts = counted(reader.outline.source(range));
    Kept { range: trimmed(reader, range), counts: [counts[0], counts[1].max(1), 0] }
}

/// A quotation that holds headings or items.
pub(super) fn quoted(reader: &Reader<'_>, block: &Block) -> Option<Kept> {
    let source = reader.outline.source(&block.range);
    let mut counts = counted(source);
    // Lists in HTML, too.
    counts[1] = counts[1].saturating_add(listed(source));
    (counts != [0; 3]).then(|| Kept { range: trimmed(reader, &block.range), counts })
}

/// A paragraph, table or fence among criteria of which none was made.
pub(super) fn block(reader: &Reader<'_>, range: &Range<usize>) -> Kept {
    Kept { range: trimmed(reader, range), counts: [0, 0, 1] }
}

/// How many items a block of HTML has outside of comments.
fn listed(source: &str) -> u32 {
    let lower = source.to_ascii_lowercase();
    let shown = lower.split("<!--").enumerate().map(|(place, part)| match place {
        0 => part,
        _ => part.split_once("-->").map_or("", |(_, behind)| behind),
    });
    let items = shown.map(|part| part.matches("<li>").count() + part.matches("<li ").count());
    count(items.sum())
}

/// Whether a paragraph is the text of a footnote. Nothing in one is a part of a plan.
pub(super) fn is_footnote(source: &str) -> bool {
    let label = source.strip_prefix("[^").and_then(|rest| rest.split_once("]:"));
    label.is_some_and(|(label, _)| !label.is_empty() && !label.contains(char::is_whitespace))
}

fn counted(source: &str) -> [u32; 3] {
    let mut counts = [0_u32; 3];
    for event in Parser::new(source) {
        match event {
            Event::Start(Tag::Heading { .. }) => counts[0] = counts[0].saturating_add(1),
            Event::Start(Tag::Item) => counts[1] = counts[1].saturating_add(1),
            _ => {}
        }
    }
    counts
}

fn trimmed(reader: &Reader<'_>, range: &Range<usize>) -> Range<usize> {
    range.start..range.start + reader.outline.source(range).trim_end().len()
}

/// One remark for each section; the last ones of very many together.
fn say(reader: &mut Reader<'_>, mut sections: Vec<Section>) {
    if sections.len() > MOST_SECTIONS {
        let rest = sections.split_off(MOST_SECTIONS - 1);
        let mut joined = Vec::new();
        for one in rest {
            add(&mut joined, Kept { range: one.range, counts: one.counts }, true);
        }
        sections.extend(joined);
    }
    for Section { range, counts } in sections {
        let lines = reader.outline.lines(&range);
        let words = reader.outline.source(&range).lines().next().unwrap_or_default();
        let words = plain(words.trim_start_matches(['#', '-', '+', '>', ' ', '\t']));
        let kinds = counts.into_iter().zip(["heading", "list item", "other block"]);
        let kinds = kinds.filter(|(many, _)| *many > 0);
        let what = kinds.map(|(many, what)| number(many, what)).collect::<Vec<_>>().join(" and ");
        let got = match lines.first == lines.last {
            true => format!("{what}: `{}`", clip(&words, 80)),
            false => format!(
                "{what} in lines {}–{}, from `{}` on",
                lines.first,
                lines.last,
                clip(&words, 80)
            ),
        };
        let expected = "sprints, criteria, tasks, dependencies, rules or totals";
        reader.push(Weight::Note, Code::ReadAsText, range, expected, &got);
    }
}

fn number(many: u32, what: &str) -> String {
    let ending = if many == 1 { "" } else { "s" };
    format!("{} {what}{ending}", count(many as usize))
}
