//! What a plan says beside its sprints: the dispatch template, rules for all, files it speaks of, and
//! its own totals.

use super::super::document::{LineRange, item_text, unboxed};
use super::super::model::{DispatchTemplate, FileReference, Plan, PlanCriterion};
use super::super::outline::{Content, plain_small};
use super::super::{classify, paths};
use super::Reader;
use super::items::number_criteria;
use crate::vocab::criterion;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

pub(super) fn read(reader: &Reader<'_>, plan: &mut Plan) {
    let mut sprints: Vec<(LineRange, String)> =
        plan.sprints().map(|one| (one.lines, one.id.clone())).collect();
    sprints.sort_by_key(|(lines, _)| lines.first);
    plan.template = template(reader, plan);
    plan.rules = rules(reader, &sprints);
    plan.references = references(reader, &sprints);
    plan.declared = super::totals::declared(reader, plan, &sprints);
}

/// The sprint a line belongs to.
pub(super) fn sprint_at(sprints: &[(LineRange, String)], line: u32) -> Option<&String> {
    let before = sprints.partition_point(|(lines, _)| lines.first <= line);
    let (lines, id) = sprints.get(before.checked_sub(1)?)?;
    (line <= lines.last).then_some(id)
}

/// A section named for it, else a field `template` of a YAML fence or of the front matter.
fn template(reader: &Reader<'_>, plan: &Plan) -> Option<DispatchTemplate> {
    let outline = &reader.outline;
    for (place, block) in outline.blocks.iter().enumerate() {
        let Content::Heading(level) = block.content else { continue };
        if !is_template(outline.heading(block).0) {
            continue;
        }
        let inside = outline.blocks[place + 1..].iter();
        let inside: Vec<_> = inside
            .take_while(|block| !matches!(block.content, Content::Heading(next) if next <= level))
            .collect();
        let fence = inside.iter().find_map(|block| match &block.content {
            Content::Code { body, .. } => Some((body.clone(), block.range.clone())),
            _ => None,
        });
        let whole = || {
            let (first, last) = (inside.first()?, inside.last()?);
            let range = first.range.start..last.range.end;
            Some((outline.source(&range).trim_end().to_owned(), range))
        };
        if let Some((text, range)) = fence.or_else(whole) {
            return Some(made(text, outline.lines(&range)));
        }
    }
    let in_fence = outline.blocks.iter().find_map(|block| match &block.content {
        Content::Code { info, body } if info.starts_with("yaml") || info.starts_with("yml") => {
            let fields = super::super::yaml::mapping(body, 1).ok()?;
            let text = fields.get("template")?.as_str()?.to_owned();
            Some(made(text, outline.lines(&block.range)))
        }
        _ => None,
    });
    let in_front = || {
        let field =
            plan.front.iter().find(|field| field.name == "template" && !field.value.is_empty())?;
        Some(made(field.value.clone(), field.lines))
    };
    in_fence.or_else(in_front)
}

/// "Dispatch Template", "Sprint Prompt Template", "Agent Prompt"; "Appendix D" only if nothing else
/// is behind it, for plans have other appendices.
pub(super) fn is_template(heading: &str) -> bool {
    let lower = plain_small(heading);
    let named = ["dispatch template", "prompt template", "agent prompt", "dispatch prompt"];
    named.iter().any(|name| lower.contains(name)) || lower == "appendix d"
}

/// Whether a heading is over rules for all sprints.
pub(super) fn is_rules(heading: &str) -> bool {
    let lower = plain_small(heading);
    matches!(lower.as_str(), "rules" | "constraints" | "entry checks" | "exit checks")
}

fn made(text: String, lines: LineRange) -> DispatchTemplate {
    let text = text.trim_end().to_owned();
    let variables = variables(&text);
    DispatchTemplate { text, variables, lines }
}

/// `<NAME>`, `{name}`, `{{name}}`, `$NAME`, `${NAME}`; each once, as written.
fn variables(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let name = |text: &str| {
        text.len()
            - text
                .trim_start_matches(|c: char| {
                    c.is_ascii_alphanumeric() || c == '_' || c == '-' || c == ' '
                })
                .len()
    };
    let mut at = 0;
    while let Some(step) = text[at..].find(['<', '{', '$']) {
        let start = at + step;
        let rest = &text[start..];
        let pairs = [("<", ">"), ("{{", "}}"), ("${", "}"), ("{", "}")];
        let framed = pairs.iter().find_map(|(open, close)| {
            let inner = rest.strip_prefix(open)?;
            let length = name(inner);
            let word = &inner[..length];
            let fits = !word.trim().is_empty()
                && word.starts_with(|c: char| c.is_alphabetic())
                && length <= 40;
            (fits && inner[length..].starts_with(close)).then(|| open.len() + length + close.len())
        });
        let bare = || {
            let inner = rest.strip_prefix('$')?;
            let length = inner.len()
                - inner.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_').len();
            inner.starts_with(|c: char| c.is_ascii_uppercase()).then_some(length + 1)
        };
        let length = framed.or_else(bare).unwrap_or(0);
        if length > 0 && !found.iter().any(|known| known == &rest[..length]) {
            found.push(rest[..length].to_owned());
        }
        at = start + length.max(1);
    }
    found
}

/// Criteria under plan-wide headings "Rules", "Constraints", "Entry Checks", "Exit Checks".
fn rules(reader: &Reader<'_>, sprints: &[(LineRange, String)]) -> Vec<PlanCriterion> {
    let outline = &reader.outline;
    let mut rules = Vec::new();
    let mut open: Option<u8> = None;
    for block in &outline.blocks {
        match &block.content {
            Content::Heading(level) => {
                if open.is_some_and(|outer| *level > outer) {
                    continue;
                }
                let named = is_rules(outline.heading(block).0);
                let inside = sprint_at(sprints, outline.line(block.range.start)).is_some();
                open = (named && !inside).then_some(*level);
            }
            Content::List(items) if open.is_some() => {
                let free =
                    |item: &&Range<usize>| sprint_at(sprints, outline.line(item.start)).is_none();
                rules.extend(items.iter().filter(free).map(|item| rule(reader, item)));
            }
            _ => {}
        }
    }
    rules.retain(|rule: &PlanCriterion| !rule.text.is_empty());
    number_criteria(&mut rules, "RC");
    rules
}

fn rule(reader: &Reader<'_>, item: &Range<usize>) -> PlanCriterion {
    let text = item_text(reader.outline.source(item));
    let (text, ticked) = unboxed(&text);
    PlanCriterion {
        id: criterion::label(text).unwrap_or_default(),
        text: text.to_owned(),
        check: classify::check(text),
        ticked: ticked == Some(true),
        lines: reader.outline.lines(item),
    }
}

/// Documents and settings: what an agent may have to read beside the code it writes.
const DOCUMENTS: &[&str] =
    &["md", "rst", "txt", "json", "yaml", "yml", "toml", "ini", "cfg", "conf"];
/// The files of the supervisor itself.
const OWN: &[&str] = &["EXECUTION_PLAN.md", "SUPERVISOR_STATE.md", "ANALYSIS_REPORT.md"];

fn references(reader: &Reader<'_>, sprints: &[(LineRange, String)]) -> Vec<FileReference> {
    let outline = &reader.outline;
    let mut found: BTreeMap<&str, (u32, BTreeSet<&String>)> = BTreeMap::new();
    let body = outline.text.get(reader.front_end..).unwrap_or_default();
    for (at, path) in paths::with_endings(body) {
        let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
        let name = path.rsplit('/').next().unwrap_or(path);
        if !DOCUMENTS.contains(&ending) || OWN.contains(&name) {
            continue;
        }
        let line = outline.line(reader.front_end + at);
        let entry = found.entry(path).or_insert((line, BTreeSet::new()));
        entry.1.extend(sprint_at(sprints, line));
    }
    let mut all: Vec<FileReference> = found
        .into_iter()
        .map(|(path, (line, sprints))| FileReference {
            path: path.to_owned(),
            outside: paths::is_outside(path),
            line,
            sprints: sprints.into_iter().cloned().collect(),
        })
        .collect();
    all.sort_by(|one, other| one.path.cmp(&other.path));
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_found_as_written() {
        let text =
            "In $PROJECT_ROOT/ do <SPRINT_NAME>: {{tasks}} ${X} {id} a < b, {} $5 <SPRINT_NAME>";
        let expected = ["$PROJECT_ROOT", "<SPRINT_NAME>", "{{tasks}}", "${X}", "{id}"];
        assert_eq!(variables(text), expected);
        assert!(is_template("Appendix D") && !is_template("Appendix D: Formats of addresses"));
    }
}
