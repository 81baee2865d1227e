//! Writes a plan as Markdown, in one layout. Reading it again gives the same plan, but for the lines.
//!
//! This is for plans that are new. A plan that somebody wrote is changed by [`edit`](super::edit),
//! which leaves every byte alone that nobody asked to change.

use super::classify::{self, kind_name};
use super::label::{is_deferred, written_label};
use super::model::{
    Check, Counted, Dependency, Expectation, Origin, Plan, PlanCriterion, PlanTask, Priority,
    Sprint, Structure, WHOLE, WorkUnit, decimal, unit_of,
};
use super::outline::whole_span;
use super::paths;
use std::collections::BTreeSet;
use std::fmt::Write;

/// The plan as Markdown.
pub fn render(plan: &Plan) -> String {
    let mut out = String::new();
    front(&mut out, plan);
    if let Some(title) = &plan.title {
        let _ = write!(out, "# {title}\n\n");
    }
    let whole = matches!(plan.units.as_slice(), [unit] if unit.id == WHOLE);
    if !whole && !plan.units.is_empty() {
        units(&mut out, plan);
    }
    for unit in &plan.units {
        if !whole {
            let _ = write!(out, "## {}\n\n", unit.name);
        }
        for one in &unit.sprints {
            out.push_str(&sprint(plan, one));
            out.push('\n');
        }
    }
    files(&mut out, plan);
    if !plan.rules.is_empty() {
        out.push_str("## Rules\n\n");
        plan.rules.iter().for_each(|rule| out.push_str(&criterion(rule)));
        out.push('\n');
    }
    if let Some(template) = &plan.template {
        let fence = fence_for(&template.text);
        let _ = write!(out, "## Dispatch Template\n\n{fence}\n{}\n{fence}\n\n", template.text);
    }
    summary(&mut out, plan);
    let kept = out.trim_end().len();
    out.truncate(kept);
    out.push('\n');
    out
}

fn front(out: &mut String, plan: &Plan) {
    if plan.front.is_empty() {
        return;
    }
    out.push_str("---\n");
    for field in &plan.front {
        let value = front_value(&field.value);
        let space = if value.is_empty() || value.starts_with('\n') { "" } else { " " };
        let _ = writeln!(out, "{}:{space}{value}", field.name);
    }
    out.push_str("---\n\n");
}

/// A value that YAML reads as the same text.
pub(super) fn front_value(value: &str) -> String {
    let same = |text: &str| {
        let read = super::yaml::mapping(&format!("a: {text}\n"), 1).ok();
        read.and_then(|map| map.get("a").cloned()).is_some_and(|read| match read {
            serde_json::Value::String(read) => read == value,
            serde_json::Value::Null => value.is_empty(),
            // A number, a list: the source is the value.
            _ => !value.contains('\n'),
        })
    };
    let source = value.starts_with('\n') || same(value);
    if source { value.to_owned() } else { serde_json::Value::from(value).to_string() }
}

fn units(out: &mut String, plan: &Plan) {
    out.push_str("## Work Units\n\n| Work Unit | Directory | Sprints | Layer | Dependencies |\n");
    out.push_str("|-----------|-----------|---------|-------|--------------|\n");
    for unit in &plan.units {
        let or_dash =
            |text: Option<String>| text.map_or_else(|| "—".to_owned(), |text| cell(&text));
        let depends = unit_dependencies(plan, unit);
        let _ = writeln!(
            out,
            "| {} | {} | {} | {} | {} |",
            cell(&unit.name),
            or_dash(unit.directory.clone()),
            or_dash(unit.promised.map(|count| count.to_string())),
            or_dash(unit.layer.map(|layer| layer.to_string())),
            if depends.is_empty() { "none".to_owned() } else { cell(&depends.join(", ")) },
        );
    }
    out.push('\n');
}

/// The files that no sprint speaks of.
fn files(out: &mut String, plan: &Plan) {
    let free: Vec<_> = plan.references.iter().filter(|one| one.sprints.is_empty()).collect();
    if !free.is_empty() {
        out.push_str("## Files\n\n");
        free.iter().for_each(|one| {
            let _ = writeln!(out, "- `{}`", one.path);
        });
        out.push('\n');
    }
}

/// The files that only running text of a sprint speaks of, which is not written.
fn further_files(plan: &Plan, one: &Sprint, written: &str) -> String {
    let known: BTreeSet<&str> = paths::paths(written).map(|(_, path)| path).collect();
    let own = plan.references.iter().filter(|file| file.sprints.contains(&one.id));
    let rest = own.filter(|file| !known.contains(file.path.as_str()));
    let rest: Vec<String> = rest.map(|file| format!("`{}`", file.path)).collect();
    rest.join(", ")
}

/// What a unit waits for as a whole, but for what its layer says already.
fn unit_dependencies(plan: &Plan, unit: &WorkUnit) -> Vec<String> {
    let own =
        plan.dependencies.iter().filter(|one| one.to == unit.id && one.origin != Origin::Layer);
    own.map(|one| spoken(plan, &one.from, &unit.id)).collect()
}

/// How one thing names another in a column or a line "Depends on".
fn spoken(plan: &Plan, id: &str, from: &str) -> String {
    let Some(sprint) = plan.sprint(id) else {
        let unit = plan.unit(id);
        return unit.map_or_else(|| id.to_owned(), short_name);
    };
    let unique = plan.sprints().filter(|one| one.label == sprint.label).count() == 1;
    match unit_of(id) == unit_of(from) || unique {
        true => format!("{} {}", word(sprint), sprint.label),
        false => id.to_owned(),
    }
}

/// The key of a unit if that is how its name begins, else its name.
fn short_name(unit: &WorkUnit) -> String {
    match unit.id.strip_prefix("wu") {
        Some(key)
            if !key.is_empty()
                && super::label::unit_key(&unit.name) == unit.id
                && key.len() <= 4 =>
        {
            unit.id.to_uppercase()
        }
        _ => unit.name.clone(),
    }
}

fn word(sprint: &Sprint) -> &str {
    match sprint.word.as_str() {
        "Sortie" => "Sortie",
        "Phase" | "Milestone" | "Stage" | "Step" => &sprint.word,
        _ => "Sprint",
    }
}

fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

/// One sprint, its heading first.
pub fn sprint(plan: &Plan, one: &Sprint) -> String {
    let text = parts(plan, one, "");
    match further_files(plan, one, &text) {
        files if files.is_empty() => text,
        files => parts(plan, one, &files),
    }
}

fn parts(plan: &Plan, one: &Sprint, files: &str) -> String {
    let mut out = String::new();
    let colon = if one.name.is_empty() { "" } else { ": " };
    let _ = write!(out, "### {} {}{colon}{}\n\n", word(one), written_label(&one.label), one.name);
    let mut line = |label: &str, value: String| {
        let _ = write!(out, "**{label}**: {value}\n\n");
    };
    if let Some(value) = &one.priority {
        line("Priority", priority(value));
    }
    line("Type", kind_name(one.kind).to_owned());
    if one.deferred && !is_deferred(&one.name) {
        line("Status", "deferred".to_owned());
    }
    if let Some(layer) = one.layer {
        line("Layer", layer.to_string());
    }
    if let Some(model) = &one.model {
        line("Model", model.clone());
    }
    if let Some(turns) = one.turns {
        line("Estimated turns", turns.to_string());
    }
    if let Some(goal) = &one.goal {
        line("Goal", goal.clone());
    }
    let fields = field_dependencies(plan, one);
    if !fields.is_empty() {
        line("Depends on", fields.join(", "));
    }
    if !files.is_empty() {
        let _ = write!(out, "**Files**: {files}\n\n");
    }
    entry(&mut out, plan, one);
    if !one.tasks.is_empty() {
        out.push_str("**Tasks**:\n\n");
        one.tasks.iter().for_each(|one| out.push_str(&task(one)));
        out.push('\n');
    }
    if !one.exit.is_empty() {
        out.push_str("**Exit criteria**:\n\n");
        one.exit.iter().for_each(|one| out.push_str(&exit(one)));
        out.push('\n');
    }
    out
}

/// `15.5 — the reason`.
pub fn priority(value: &Priority) -> String {
    match (value.score, value.reason.as_str()) {
        (Some(score), "") => decimal(score),
        (Some(score), reason) => format!("{} — {reason}", decimal(score)),
        (None, reason) => reason.to_owned(),
    }
}

fn field_dependencies(plan: &Plan, sprint: &Sprint) -> Vec<String> {
    let said = |one: &&Dependency| {
        one.to == sprint.id && !matches!(one.origin, Origin::Entry | Origin::Layer | Origin::Order)
    };
    plan.dependencies.iter().filter(said).map(|one| spoken(plan, &one.from, &sprint.id)).collect()
}

fn entry(out: &mut String, plan: &Plan, one: &Sprint) {
    let waits = plan.dependencies.iter().any(|edge| edge.to == one.id);
    match (one.entry.is_empty(), waits) {
        (true, true) => {}
        (true, false) => out.push_str("**Entry criteria**: none\n\n"),
        (false, _) => {
            out.push_str("**Entry criteria**:\n\n");
            one.entry.iter().for_each(|one| out.push_str(&condition(one)));
            out.push('\n');
        }
    }
}

/// A criterion as an item of a list.
pub fn criterion(one: &PlanCriterion) -> String {
    let mark = if one.ticked { 'x' } else { ' ' };
    format!("- [{mark}] {}\n", nested(&one.text, "  "))
}

/// A task as an item of a list.
pub fn task(one: &PlanTask) -> String {
    let mark = if one.ticked { "[x] " } else { "" };
    match one.label.bytes().all(|byte| byte.is_ascii_digit()) && one.label.len() <= 9 {
        true => {
            let indent = " ".repeat(one.label.len() + 2);
            format!("{}. {mark}{}\n", one.label, nested(&one.text, &indent))
        }
        false => format!("\n**{}** - {}\n\n", one.label, one.text),
    }
}

/// Further lines go below the first.
fn nested(text: &str, indent: &str) -> String {
    text.replace('\n', &format!("\n{indent}"))
}

/// An exit criterion; a command whose output is known is a fence with the output behind it.
fn exit(one: &PlanCriterion) -> String {
    let by_itself = |code: &str| classify::line(code) == (one.text.clone(), one.check.clone());
    match &one.check {
        _ if whole_span(&one.text).is_some_and(by_itself) => condition(one),
        Check::Command {
            command,
            expect: Expectation::Output { text } | Expectation::Exactly { text },
        } if classify::check(&one.text) != one.check => {
            let (fence, other) = (fence_for(command), fence_for(text));
            format!(
                "\n**Validate**:\n\n{fence}sh\n{command}\n{fence}\n\n**Expected**:\n\n{other}text\n{text}\n{other}\n\n\
                 **Exit criteria**:\n\n"
            )
        }
        Check::Command { .. } if let Some((name, shown)) = named_command(one) => {
            let (name, shown) = (cell(name), cell(shown));
            format!("\n| Criterion | Command |\n|---|---|\n| {name} | {shown} |\n\n")
        }
        _ => condition(one),
    }
}

/// A criterion as an item of a list, or in a fence if it is a script, or a command that only a fence makes one.
fn condition(one: &PlanCriterion) -> String {
    match (&one.check, whole_span(&one.text)) {
        (_, Some(code)) if code.contains('\n') => fenced(code),
        (Check::Command { command, .. }, code) if classify::check(&one.text) != one.check => {
            fenced(code.unwrap_or(command))
        }
        _ => criterion(one),
    }
}

/// A command or script in a fence of its own.
fn fenced(code: &str) -> String {
    let fence = fence_for(code);
    format!("\n{fence}sh\n{code}\n{fence}\n\n")
}

/// A name and the command behind it, which shows the criterion only in a table of its own.
fn named_command(one: &PlanCriterion) -> Option<(&str, &str)> {
    if one.text.contains('\n') || classify::check(&one.text) == one.check {
        return None;
    }
    let splits = one.text.match_indices(": ").map(|(at, _)| (&one.text[..at], &one.text[at + 2..]));
    splits.into_iter().find(|(_, shown)| classify::check(shown) == one.check)
}

/// A fence longer than any in the text.
fn fence_for(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    "`".repeat(longest.max(2) + 1)
}

fn summary(out: &mut String, plan: &Plan) {
    if plan.declared.is_empty() {
        return;
    }
    out.push_str("## Summary\n\n| Metric | Value |\n|--------|-------|\n");
    for one in &plan.declared {
        let name = match one.of {
            Counted::Sprints => "Total sprints",
            Counted::Units => "Work units",
        };
        let _ = writeln!(out, "| {name} | {} |", one.count);
    }
    let structure = match plan.structure() {
        Structure::Layers => "layers",
        Structure::Sequential => "sequential",
        Structure::Parallel => "parallel",
        Structure::None => "none",
    };
    let _ = writeln!(out, "| Dependency structure | {structure} |");
}
