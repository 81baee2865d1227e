//! The canonical writer. What it writes the canonical reader reads back: `read(write(plan)) = plan` but for line numbers,
//! of plans in the reader's own form (names on one line, no blank line at the edges of a note or text).

use super::line::{self, Within, one_line};
use super::model::{Criterion, FORMAT, Plan, Settings, Sprint, Unit};
use super::order;
use super::read::{FIELDS, Field};
use std::collections::BTreeMap;

/// The columns of the table of work units.
pub const UNITS: [&str; 5] = ["Work Unit", "Directory", "Sprints", "Layer", "Dependencies"];

/// The columns of the summary.
pub const SUMMARY: [&str; 2] = ["Metric", "Value"];

/// The canonical text of a plan.
pub fn write(plan: &Plan) -> String {
    let mut out = String::new();
    if !plan.front.is_empty() {
        let end = if plan.front.ends_with('\n') { "" } else { "\n" };
        out.push_str(&format!("---\n{}{end}---\n", plan.front));
    }
    out.push_str(format!("# {}", one_line(&plan.title)).trim_end());
    out.push('\n');
    free(&mut out, "\n", &plan.notes, Within::Plan);
    units(&mut out, plan);
    for unit in &plan.units {
        head(&mut out, unit);
        free(&mut out, "\n", &unit.notes, Within::Unit);
        for sprint in &unit.sprints {
            section(&mut out, sprint);
        }
    }
    out.push_str("\n## Summary\n\n| Metric | Value |\n|--------|-------|\n");
    for (metric, value) in summary(plan, &order::layers(plan)) {
        out.push_str(&format!("| {metric} | {value} |\n"));
    }
    out
}

/// The document of a plan, whatever it was read from: one that says in its front matter what it is, so that it is read as
/// it was written.
pub fn document(plan: &Plan) -> String {
    match plan.front.lines().any(says_format) {
        true => write(plan),
        false => write(&Plan { front: front(&plan.settings, &others(plan)), ..plan.clone() }),
    }
}

/// Whether a line of a front matter says that the document is in this grammar.
pub fn says_format(line: &str) -> bool {
    let value = line.strip_prefix("plan:").unwrap_or_default().trim();
    value.trim_matches(['"', '\'']).starts_with("endstate/")
}

/// The lines of a front matter of another family. A key that means something in this grammar and meant something else there
/// is kept as a comment.
fn others(plan: &Plan) -> String {
    let (mut out, mut ours, mut read) = (String::new(), false, false);
    for line in plan.front.lines() {
        if !line.starts_with([' ', '\t', '#', '-']) {
            let key = line.split(':').next().unwrap_or_default();
            ours = ["plan", "feature_name", "source", "defaults"].contains(&key);
            read = key == "feature_name" && plan.settings.feature_name.is_some();
        }
        match (read, ours) {
            (true, _) => {}
            (false, true) => out.push_str(&format!("# {line}\n")),
            (false, false) => out.push_str(&format!("{line}\n")),
        }
    }
    out
}

/// The definition of one sprint, as the agent that works on it gets it: all that its author wrote in it.
pub fn sprint(unit: &Unit, sprint: &Sprint) -> String {
    let mut out = String::new();
    head(&mut out, unit);
    section(&mut out, sprint);
    out.split_off(1)
}

/// The lines of a front matter that says these settings; `others` are lines with other keys.
pub fn front(settings: &Settings, others: &str) -> String {
    let text = |text: &str| serde_json::Value::from(text).to_string();
    let mut out = format!("plan: {FORMAT}\n");
    if let Some(name) = &settings.feature_name {
        out.push_str(&format!("feature_name: {}\n", text(name)));
    }
    if let Some(source) = &settings.source {
        let (file, sha256) = (text(&source.file), text(&source.sha256));
        out.push_str(&format!("source: {{file: {file}, sha256: {sha256}}}\n"));
    }
    let defaults = [
        settings.model.map(|model| format!("model: {model}")),
        settings.timeout.map(|time| format!("timeout: {}", line::shown(time))),
        settings.command_timeout.map(|time| format!("command_timeout: {}", line::shown(time))),
        settings.attempts.map(|number| format!("attempts: {number}")),
    ];
    let defaults: Vec<String> = defaults.into_iter().flatten().collect();
    if !defaults.is_empty() {
        out.push_str(&format!("defaults: {{{}}}\n", defaults.join(", ")));
    }
    out + others
}

/// What the summary says, derived from the plan.
pub(super) fn summary(plan: &Plan, layers: &BTreeMap<String, u32>) -> [(&'static str, String); 3] {
    [
        ("Work units", plan.units.len().to_string()),
        ("Total sprints", plan.sprints().count().to_string()),
        ("Dependency structure", order::structure(plan.units.len(), layers).to_owned()),
    ]
}

/// The cells of the table of work units, derived from the plan.
pub(super) fn rows(plan: &Plan) -> Vec<[String; 5]> {
    let layers = order::layers(plan);
    let row = |unit: &Unit| {
        let directory = match unit.directory.as_str() {
            "" => ".".to_owned(),
            "." => line::code("."),
            other => line::quoted(&one_line(other)),
        };
        let layer = layers.get(&unit.name).copied().unwrap_or(1).to_string();
        let count = unit.sprints.len().to_string();
        [one_line(&unit.name), directory, count, layer, line::listed(&unit.depends_on)]
    };
    plan.units.iter().map(row).collect()
}

fn units(out: &mut String, plan: &Plan) {
    out.push_str("\n## Work Units\n\n");
    out.push_str(&format!("| {} |\n", UNITS.join(" | ")));
    out.push_str("|-----------|-----------|---------|-------|--------------|\n");
    for row in rows(plan) {
        let cells: Vec<String> = row.iter().map(|cell| cell.replace('|', "\\|")).collect();
        out.push_str(&format!("| {} |\n", cells.join(" | ")));
    }
}

fn head(out: &mut String, unit: &Unit) {
    out.push_str(format!("\n## Work Unit: {}", one_line(&unit.name)).trim_end());
    out.push('\n');
}

fn section(out: &mut String, sprint: &Sprint) {
    let added = if sprint.added { " (added)" } else { "" };
    let heading = format!("\n### Sprint {}{added}: {}", sprint.label, one_line(&sprint.name));
    out.push_str(heading.trim_end());
    out.push('\n');
    let value =
        |one: &Field| Some(format!("**{}**: {}\n", one.name, one_line(&(one.write)(sprint)?)));
    let fields: Vec<String> = FIELDS.iter().filter_map(value).collect();
    if !fields.is_empty() {
        out.push('\n');
        out.push_str(&fields.concat());
    }
    criteria(out, "Entry criteria", &sprint.entry);
    if !sprint.tasks.is_empty() {
        out.push_str("\n**Tasks**:\n");
    }
    for (place, task) in sprint.tasks.iter().enumerate() {
        let number = format!("{}. ", place + 1);
        let box_of = task.ticked.map_or("", |ticked| if ticked { "[x] " } else { "[ ] " });
        let added = if task.added { "(added) " } else { "" };
        item(out, &format!("{number}{box_of}{added}"), number.len(), &task.text, Within::Task);
    }
    criteria(out, "Exit criteria", &sprint.exit);
    free(out, "\n**Notes**:\n", &sprint.notes, Within::Unit);
}

fn criteria(out: &mut String, name: &str, all: &[Criterion]) {
    if !all.is_empty() {
        out.push_str(&format!("\n**{name}**:\n"));
    }
    for one in all {
        let mark = if one.ticked { 'x' } else { ' ' };
        let added = if one.added { " (added)" } else { "" };
        item(out, &format!("- [{mark}] {}{added}: ", one.id), 2, &one.text, Within::Item);
    }
}

/// An item: its first line behind `mark`, the others indented by `width`.
fn item(out: &mut String, mark: &str, width: usize, text: &str, within: Within) {
    let lines = line::guarded(line::trimmed(text).trim_start(), within);
    let mut lines = lines.iter();
    match lines.next().filter(|first| !first.is_empty()) {
        Some(first) => out.push_str(&format!("{mark}{first}")),
        None => out.push_str(mark.trim_end()),
    }
    out.push('\n');
    for line in lines {
        if !line.trim().is_empty() {
            out.push_str(&" ".repeat(width));
            out.push_str(line);
        }
        out.push('\n');
    }
}

fn free(out: &mut String, head: &str, text: &str, within: Within) {
    let text = line::trimmed(text);
    if !text.is_empty() {
        out.push_str(head);
        out.push_str(&line::guarded(text, within).join("\n"));
        out.push('\n');
    }
}
