//! What tests of plan documents share: plans without places, and a second look at a document that
//! knows nothing of how plans are read.
#![allow(dead_code, unreachable_pub, clippy::unwrap_used)]

use endstate::plan::model::Plan;
use endstate::plan::read::{Parsed, parse};
use endstate::plan::write;
use endstate::vocab::error::Code;
use pulldown_cmark::{Event, Options, Parser, Tag};
use serde_json::Value;
use std::collections::BTreeSet;

/// Reads a document of which nothing may be lost, and which is the same plan when it is written and read again.
pub fn read(text: &str) -> Parsed {
    let parsed = parse(text);
    assert!(dropped(text, &parsed).is_empty(), "{text}");
    let again = parse(&write::render(&parsed.plan));
    assert_eq!(different(&parsed.plan, &again.plan), None, "{text}");
    parsed
}

/// A plan as JSON without lines.
pub fn bare(plan: &Plan) -> Value {
    let mut value = serde_json::to_value(plan).unwrap();
    strip(&mut value);
    value
}

fn strip(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.retain(|name, _| !matches!(name.as_str(), "line" | "lines"));
            // What a unit waits for is written in a column, whoever said it.
            let unit = fields.get("to").and_then(Value::as_str).is_some_and(|to| !to.contains('/'));
            // What was drawn or tabled is written as a line of the sprint.
            if let Some(origin) = fields.get_mut("origin")
                && (matches!(origin.as_str(), Some("column" | "mermaid" | "sentence"))
                    || unit && matches!(origin.as_str(), Some("entry" | "order")))
            {
                *origin = "field".into();
            }
            fields.values_mut().for_each(strip);
        }
        Value::Array(items) => items.iter_mut().for_each(strip),
        _ => {}
    }
}

/// The first place where two plans differ, apart from lines.
pub fn different(one: &Plan, other: &Plan) -> Option<String> {
    differ("", &bare(one), &bare(other))
}

fn differ(at: &str, one: &Value, other: &Value) -> Option<String> {
    match (one, other) {
        (Value::Object(one), Value::Object(other)) if one.keys().eq(other.keys()) => one
            .iter()
            .find_map(|(name, value)| differ(&format!("{at}/{name}"), value, &other[name])),
        (Value::Array(one), Value::Array(other)) if one.len() == other.len() => {
            let pairs = one.iter().zip(other).enumerate();
            pairs
                .into_iter()
                .find_map(|(place, (one, other))| differ(&format!("{at}/{place}"), one, other))
        }
        _ => (one != other).then(|| format!("{at}: {one} and then {other}")),
    }
}

/// A heading or list item of a document, wherever it stands: its line, and its level.
pub struct Mark {
    pub line: u32,
    /// Its level; 0 of an item.
    pub heading: u8,
    pub words: String,
}

/// Every heading and every item with words, as CommonMark has them.
pub fn marks(text: &str, front: usize) -> Vec<Mark> {
    let starts: Vec<usize> =
        std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
    let mut found = Vec::new();
    for (event, range) in Parser::new_ext(&text[front..], Options::ENABLE_TABLES).into_offset_iter()
    {
        let heading = match event {
            Event::Start(Tag::Heading { level, .. }) => level as u8,
            Event::Start(Tag::Item) => 0,
            _ => continue,
        };
        let at = range.start + front;
        let words = text[at..range.end + front].lines().next().unwrap_or_default().trim();
        let line = starts.partition_point(|start| *start <= at) as u32;
        if words.chars().any(char::is_alphanumeric) {
            found.push(Mark { line, heading, words: words.to_owned() });
        }
    }
    found
}

/// The headings and items that are neither in the model nor in a remark. In the model is what stands in the
/// lines of one of its parts; of a heading also what follows it at once.
pub fn dropped(text: &str, parsed: &Parsed) -> Vec<Mark> {
    let plan = &parsed.plan;
    let front = plan.front.last().map_or(0, |last| last.lines.last);
    let marks = marks(text, front_bytes(text, front));
    let mut known: BTreeSet<u32> = BTreeSet::new();
    known.extend(plan.dependencies.iter().map(|one| one.line));
    known.extend(plan.declared.iter().map(|one| one.line));
    for lines in
        plan.rules.iter().map(|one| one.lines).chain(plan.template.iter().map(|one| one.lines))
    {
        known.extend(lines.first..=lines.last);
    }
    for unit in &plan.units {
        known.insert(unit.lines.first);
        for sprint in &unit.sprints {
            known.insert(sprint.lines.first);
            known.extend(sprint.priority.iter().map(|one| one.lines.first));
            let criteria = sprint.entry.iter().chain(&sprint.exit).map(|one| one.lines);
            for lines in criteria.chain(sprint.tasks.iter().map(|one| one.lines)) {
                known.extend(lines.first..=lines.last);
            }
        }
    }
    let title = marks.iter().position(|mark| {
        mark.heading > 0 && plan.title.as_deref().is_some_and(|title| mark.words.contains(title))
    });
    let mut named: Vec<(u32, u32)> =
        parsed.remarks.iter().map(|one| (one.line, one.last)).collect();
    named.retain(|(first, last)| first <= last);
    let lines: Vec<&str> = text.lines().collect();
    let end = lines.len() as u32;
    let is_dropped = |place: usize, mark: &Mark| {
        let said = named.iter().any(|(first, last)| (*first..=*last).contains(&mark.line));
        let later = marks[place + 1..].iter().filter(|next| next.heading > 0 || mark.heading == 0);
        let next = later.map(|mark| mark.line).find(|line| *line > mark.line);
        // A heading or label leads to what stands before the next one, or at the next one.
        let leads = (mark.line..=next.unwrap_or(end)).any(|line| known.contains(&line));
        // So does the first line of a fence.
        let labelled = mark.heading > 0
            || [":", "**", "```", "~~~"].iter().any(|sign| mark.words.contains(sign));
        let table = mark.heading > 0
            && (mark.line..next.unwrap_or(end)).any(|line| {
                lines.get(line as usize).is_some_and(|line| line.trim_start().starts_with('|'))
            });
        // A heading over sections of which one is read, or its first group.
        let below = marks[place + 1..]
            .iter()
            .take_while(|next| next.heading == 0 || next.heading > mark.heading);
        let over = mark.heading > 0
            && below.clone().any(|next| next.heading > 0 && known.contains(&next.line));
        let group = marks.get(place + 1).filter(|next| next.heading > mark.heading);
        let mut items = below.skip(1).take_while(|next| next.heading == 0);
        let over = over || group.is_some() && items.any(|item| known.contains(&item.line));
        let goal = plan.sprints().any(|sprint| {
            let inside = (sprint.lines.first..=sprint.lines.last).contains(&mark.line);
            let fields = [&sprint.goal, &sprint.model];
            let mut said = fields.into_iter().flatten();
            inside && said.any(|one| mark.words.ends_with(one.as_str()))
        });
        !(goal
            || Some(place) == title
            || said
            || known.contains(&mark.line)
            || labelled && leads
            || table
            || over)
    };
    let found: Vec<usize> = marks
        .iter()
        .enumerate()
        .filter(|(place, mark)| is_dropped(*place, mark))
        .map(|(place, _)| place)
        .collect();
    let mut all: Vec<Option<Mark>> = marks.into_iter().map(Some).collect();
    found.into_iter().filter_map(|place| all[place].take()).collect()
}

/// The byte behind the front matter that ends on the line after `last`.
fn front_bytes(text: &str, last: u32) -> usize {
    match last {
        0 => 0,
        last => text.split_inclusive('\n').take(last as usize + 1).map(str::len).sum(),
    }
}

/// Whether a remark of this code is there.
pub fn says(parsed: &Parsed, code: Code) -> bool {
    parsed.remarks.iter().any(|one| one.code == code)
}
