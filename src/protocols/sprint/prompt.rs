//! The prompt of each role: one sprint, its files, its criteria, its bounds, and nothing of any other. The texts are in
//! `prompts/`.
//!
//! A plan may bring a template of its own; then its variables are filled in, and it replaces the part of the prompt
//! with context and assignment. After either come checks, boundaries, earlier attempts and the form of the report.

use super::entry;
use super::expectation;
use super::role::Role;
use super::state::{Check, Sprint, State, TaskKind, Unit};
use crate::mission::life;
use crate::mission::prelude::*;
use crate::mission::report;
use crate::mission::role::compose;
use crate::mission::template::{Fields, fields, lines, pages, render, rows};

/// The prompt of `role` for a sprint in this state.
pub(super) fn prompt(state: &State, sprint: &Sprint, role: Role) -> String {
    let Some(unit) = state.units.get(&sprint.unit) else { return String::new() };
    let text = match role {
        Role::Agent => render(pages!("agent", "rules"), &agent(state, unit, sprint)),
        Role::Verifier => render(pages!("verifier", "rules"), &verifier(state, unit, sprint)),
    };
    compose(state.core.settings.roles.get(&role), text, &form(state, sprint, role))
}

fn agent(state: &State, unit: &Unit, sprint: &Sprint) -> Fields {
    let (plan, kind) = (&sprint.plan, sprint.plan.kind);
    let own = state.core.settings.template.as_ref();
    let own = own.map(|template| fields! { text: filled(state, unit, sprint, template) });
    let definition = Some(plan.definition.trim()).filter(|text| !text.is_empty());
    let criteria = sprint.criteria.iter().zip(&sprint.checks);
    let mut told = fields! {
        anchor: &state.core.settings.mission,
        own: own,
        unit: &unit.name,
        directory: place(unit),
        reads: reads(state, sprint),
        label: &plan.label,
        name: &plan.name,
        definition: definition.map(|text| fields! { text: text }),
        entry: lines("line", entry::told(sprint)),
        criteria: rows(criteria.map(|(criterion, check)| exit(criterion, check))),
        code: kind == TaskKind::Code,
        command: kind == TaskKind::Command,
        background: kind == TaskKind::Background,
        deferred: kind == TaskKind::Deferred,
        manual: kind == TaskKind::Manual,
        others: kind == TaskKind::Code && !sprint.alone,
    };
    history(sprint, &mut told);
    told
}

/// The name of a directory for people.
fn place(unit: &Unit) -> &str {
    if unit.directory.is_empty() { "." } else { &unit.directory }
}

/// The files that an agent reads first, if there are any.
fn reads(state: &State, sprint: &Sprint) -> Option<Fields> {
    let plan = state.core.settings.plan.iter().map(|plan| &plan.path);
    let files = plan.chain(&sprint.plan.reads).enumerate();
    let files: Vec<Fields> =
        files.map(|(place, path)| fields! { number: place + 1, path: path }).collect();
    (!files.is_empty()).then(|| fields! { files: rows(files) })
}

/// An exit criterion, with who or what shows it.
fn exit(criterion: &Criterion, check: &Check) -> Fields {
    let waived = criterion.waived();
    let line = check.line().filter(|_| !waived);
    let line = line.map(|line| fields! { by: expectation::words(line) });
    fields! {
        id: &criterion.id,
        text: criterion.text.trim(),
        waived: waived,
        shown: line,
        judged: !waived && *check == Check::Verifier,
        confirmed: !waived && *check == Check::Person,
    }
}

/// Lines, if there are any, each at most so long that the prompt stays short.
fn some<'a>(all: impl IntoIterator<Item = &'a String>) -> Option<Fields> {
    let all: Vec<String> = all.into_iter().map(|line| clip(line, 2_000)).collect();
    (!all.is_empty()).then(|| fields! { lines: lines("line", all) })
}

/// The first of some paths in one line, if there are any.
fn first<'a>(paths: impl IntoIterator<Item = &'a String>, most: usize) -> Option<Fields> {
    let paths: Vec<&str> = paths.into_iter().take(most).map(String::as_str).collect();
    (!paths.is_empty()).then(|| fields! { paths: paths.join(", ") })
}

/// What went before: what an earlier run left, and what came of it.
fn history(sprint: &Sprint, told: &mut Fields) {
    told.put("continues", some(&sprint.remaining));
    told.put("abandoned", first(&sprint.abandoned, 20));
    told.put("before", some(&sprint.feedback));
    told.put("failed", sprint.failures > 0);
}

fn verifier(state: &State, unit: &Unit, sprint: &Sprint) -> Fields {
    fields! {
        anchor: &state.core.settings.mission,
        label: &sprint.plan.label,
        name: &sprint.plan.name,
        unit: &unit.name,
        head: state.core.life.head_word(),
        criteria: rows(sprint.left_to(Check::Verifier).map(judged)),
        entry: unshown(unit, sprint),
        changed: first(&sprint.paths, 60),
        others: !sprint.alone,
    }
}

/// A criterion that is to be judged, with what its claim brought.
fn judged(criterion: &Criterion) -> Fields {
    let claimed = match &criterion.state {
        CriterionState::Claimed { evidence, .. } => {
            let proof: Vec<String> = evidence.iter().map(Evidence::line).collect();
            Some(fields! { proof: clip(&proof.join("; "), 1_000) })
        }
        _ => None,
    };
    fields! { id: &criterion.id, text: criterion.text.trim(), claimed: claimed }
}

/// The entry criteria of a sprint, unless a command showed each of them before it began.
fn unshown(unit: &Unit, sprint: &Sprint) -> Option<Fields> {
    let first = unit.sprints.first().is_some_and(|id| *id == sprint.id);
    let run = if first { unit.checks.len() } else { sprint.entry_checks.len() };
    let entry = entry::open_words(sprint);
    let told = || lines("line", entry.iter().map(|(_, line)| line.trim()));
    (run < entry.len()).then(|| fields! { lines: told() })
}

fn form(state: &State, sprint: &Sprint, role: Role) -> String {
    let (open, example) = (report::open(&sprint.criteria), example(sprint, role));
    let again = sprint.failures > 0;
    life::form_of(state, &role.cast(), &sprint.id, &open, &example, again).text()
}

fn example(sprint: &Sprint, role: Role) -> String {
    let told = fields! {
        sprint: &sprint.id,
        criterion: sprint.criteria.first().map_or("AC-001", |one| one.id.as_str()),
    };
    let template = match role {
        Role::Agent => include_str!("prompts/agent.json"),
        Role::Verifier => include_str!("prompts/verifier.json"),
    };
    render(template.trim_end(), &told)
}

/// What variables stand for, by the names that people give to them, as words in small letters.
fn values<'s>(
    state: &'s State,
    unit: &'s Unit,
    sprint: &'s Sprint,
) -> [(&'static [&'static str], &'s str); 8] {
    let settings = &state.core.settings;
    [
        (
            &["work unit name", "unit name", "work unit", "unit", "package name", "package"],
            &unit.name,
        ),
        (&["work unit dir", "work unit directory", "directory", "dir"], place(unit)),
        (
            &["sprint number", "sprint id", "sortie number", "sortie id", "n", "id"],
            &sprint.plan.label,
        ),
        (&["sprint name", "sortie name", "name", "title"], &sprint.plan.name),
        (&["sprint definition", "definition", "tasks"], &sprint.plan.definition),
        (&["project root", "root"], "."),
        (
            &["execution plan", "plan path", "plan"],
            settings.plan.as_ref().map_or("EXECUTION_PLAN.md", |plan| &plan.path),
        ),
        (&["mission"], &settings.mission),
    ]
}

/// A template of the plan with its variables: `{{name}}`, `{name}`, `<name>`, `[name]`, `$NAME`.
fn filled(state: &State, unit: &Unit, sprint: &Sprint, template: &str) -> String {
    let values = values(state, unit, sprint);
    let (mut made, mut rest) = (String::with_capacity(template.len()), template);
    while let Some(at) = rest.find(['{', '<', '[', '$']) {
        made.push_str(&rest[..at]);
        rest = &rest[at..];
        // A mark that begins no variable is a letter.
        let (name, length) = variable(rest).unwrap_or((String::new(), 1));
        let value = values.iter().find(|(names, _)| names.contains(&name.as_str()));
        made.push_str(value.map_or(&rest[..length], |(_, value)| value));
        rest = &rest[length..];
    }
    made.push_str(rest);
    made
}

/// The variable that a text begins with: its name in small words, and its length with its marks.
fn variable(text: &str) -> Option<(String, usize)> {
    let fit = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | ' ' | '.');
    for (open, close) in [("{{", "}}"), ("{", "}"), ("<", ">"), ("[", "]"), ("${", "}")] {
        let Some(inside) = text.strip_prefix(open) else { continue };
        let Some(end) = inside.find(close).filter(|end| *end > 0 && *end < 60) else { continue };
        let name = &inside[..end];
        if name.chars().all(fit) {
            return Some((worded(name), open.len() + end + close.len()));
        }
    }
    let name: String = text
        .strip_prefix('$')?
        .chars()
        .take_while(|c| c.is_ascii_alphanumeric() || *c == '_')
        .collect();
    (!name.is_empty()).then(|| (worded(&name), name.len() + 1))
}

/// A name as words in small letters: `SPRINT_NAME` is "sprint name".
fn worded(name: &str) -> String {
    name.trim().to_ascii_lowercase().replace(['_', '-', '.'], " ")
}
