//! What each role is told: one sprint, its files, its criteria, its bounds, and nothing of any other.
//!
//! A plan may bring a template of its own; then its variables are filled in. Otherwise the prompt has
//! four parts: context, assignment, checks, boundaries. Behind either come what went before and the
//! form of the report.

use super::entry;
use super::measured;
use super::role::Role;
use super::state::{Check, Sprint, State, TaskKind, Unit};
use crate::mission::report;
use crate::plan::variables;
use crate::vocab::criterion::CriterionState;
use crate::vocab::error::clip;
use crate::vocab::evidence::Evidence;
use std::fmt::Write;

/// How to check the syntax of one file without building anything.
pub const SYNTAX: [(&str, &str); 9] = [
    ("Swift", "swift -frontend -typecheck File.swift"),
    ("Swift (with module)", "swiftc -typecheck File.swift -I /path/to/modules"),
    ("TypeScript", "tsc --noEmit --skipLibCheck File.ts"),
    ("JavaScript", "node --check file.js"),
    ("Python", "python -m py_compile file.py"),
    ("Go", "go vet file.go"),
    ("Rust", "rustc --crate-type lib --emit metadata file.rs"),
    ("Java", "javac -proc:none File.java"),
    ("C, C++", "gcc -fsyntax-only file.c"),
];

/// The prompt of `role` for a sprint in this state.
pub(super) fn prompt(state: &State, sprint: &Sprint, role: Role) -> String {
    let Some(unit) = state.units.get(&sprint.unit) else { return String::new() };
    let mut text = format!("MISSION ANCHOR: {}\n\n", state.core.settings.mission);
    match role {
        Role::Agent => agent(state, unit, sprint, &mut text),
        Role::Verifier => verifier(state, unit, sprint, &mut text),
    }
    text.push_str(RULES);
    text + &form(state, sprint, role)
}

fn agent(state: &State, unit: &Unit, sprint: &Sprint, text: &mut String) {
    match &state.core.settings.template {
        Some(template) => {
            text.push_str(&filled(state, unit, sprint, template));
            text.push_str("\n\n");
            checks(sprint, text);
            boundaries(sprint, text);
        }
        None => {
            context(state, unit, sprint, text);
            assignment(sprint, text);
            checks(sprint, text);
            boundaries(sprint, text);
        }
    }
    history(sprint, text);
    if sprint.kind == TaskKind::Code && !sprint.alone {
        coordination(text);
    }
}

/// The name of a directory for people.
fn place(unit: &Unit) -> &str {
    if unit.directory.is_empty() { "." } else { &unit.directory }
}

fn context(state: &State, unit: &Unit, sprint: &Sprint, text: &mut String) {
    let _ = writeln!(text, "## Context\n\nYou work on {} in `{}`.", unit.name, place(unit));
    let plan = state.core.settings.plan.iter().map(|plan| &plan.path);
    let reads: Vec<&String> = plan.chain(&sprint.plan.reads).collect();
    if !reads.is_empty() {
        text.push_str("\nRead these first, where they exist, in this order:\n\n");
        for (place, path) in reads.iter().enumerate() {
            let _ = writeln!(text, "{}. `{path}`", place + 1);
        }
    }
}

fn assignment(sprint: &Sprint, text: &mut String) {
    let plan = &sprint.plan;
    let _ = write!(
        text,
        "\n## Assignment\n\nYour one goal is sprint {}: {}. It is reached when its exit criteria are \
         shown to hold, and not before.\n",
        plan.label, plan.name
    );
    if !plan.definition.trim().is_empty() {
        let _ = write!(text, "\n{}\n", plan.definition.trim());
    }
}

fn checks(sprint: &Sprint, text: &mut String) {
    text.push_str("\n## Entry criteria\n\nMake sure of these before you start:\n\n");
    if sprint.plan.entry.is_empty() {
        text.push_str("- none\n");
    }
    for line in entry::told(sprint) {
        let _ = writeln!(text, "- {line}");
    }
    text.push_str("\n## Exit criteria\n\nMake sure of these before you report:\n\n");
    for (criterion, check) in sprint.criteria.iter().zip(&sprint.checks) {
        let how = match (check, &criterion.state) {
            (_, CriterionState::Waived { .. }) => " [let go by the user]".to_owned(),
            (Check::Command(line), _) => format!(" [shown by `{}`]", measured::words(line)),
            (Check::Verifier, _) => " [judged by another run]".to_owned(),
            (Check::Person, _) => " [confirmed by the user]".to_owned(),
        };
        let _ = writeln!(text, "- {}: {}{how}", criterion.id, criterion.text.trim());
    }
}

fn boundaries(sprint: &Sprint, text: &mut String) {
    text.push_str(
        "\n## Boundaries\n\n- Your scope ends with this sprint. Do not begin the next one.\n- The plan \
         is not yours to change. If it is wrong, report `replan` with the facts that show it.\n",
    );
    let more = match sprint.kind {
        TaskKind::Code => "- Commit everything that belongs to this sprint before you report.\n",
        TaskKind::Command => "- Run what is asked and keep its output as proof.\n",
        TaskKind::Background => {
            "- You are done once the process is confirmed to be running. Do not wait for its end.\n"
        }
        TaskKind::Deferred => "- Look at the condition once, report what you found, and stop.\n",
        TaskKind::Manual => {
            "- Do the checks and report what you found under `findings`. The user decides whether it \
             holds.\n"
        }
    };
    text.push_str(more);
}

fn history(sprint: &Sprint, text: &mut String) {
    if !sprint.remaining.is_empty() {
        text.push_str(
            "\n## You continue\n\nEarlier work on this sprint is in the tree. Only this is left:\n\n",
        );
        for line in &sprint.remaining {
            let _ = writeln!(text, "- {}", clip(line, 2_000));
        }
    }
    if !sprint.abandoned.is_empty() {
        let paths: Vec<&str> = sprint.abandoned.iter().take(20).map(String::as_str).collect();
        let _ = write!(
            text,
            "\n## Work that was left\n\nAn earlier run left work that is not committed: {}. Look at it before \
             you go on; nobody has checked it.\n",
            paths.join(", ")
        );
    }
    if sprint.feedback.is_empty() {
        return;
    }
    let word = if sprint.failures > 0 { "What went wrong before" } else { "What went before" };
    let _ = write!(text, "\n## {word}\n\n");
    for line in &sprint.feedback {
        let _ = writeln!(text, "- {}", clip(line, 2_000));
    }
    if sprint.failures > 0 {
        text.push_str("\nMend this first, then finish the sprint.\n");
    }
}

fn coordination(text: &mut String) {
    text.push_str(
        "\n## Others are at work\n\nOther agents work in this repository at the same time. Do not build \
         or test the whole project; builds would disturb each other. Check the syntax of your own files \
         only:\n\n",
    );
    for (language, command) in SYNTAX {
        let _ = writeln!(text, "- {language}: `{command}`");
    }
    text.push_str(
        "\nEverything is built once, together, when all are done.\n\nCommit your own files only, and name each commit \
         you made by its id under `findings`: others commit, too, and what no report names may count for nobody.\n",
    );
}

/// A template of the plan with its variables: `{{name}}`, `{name}`, `<name>`, `[name]`, `$NAME`.
fn filled(state: &State, unit: &Unit, sprint: &Sprint, template: &str) -> String {
    let plan = state.core.settings.plan.as_ref().map_or("EXECUTION_PLAN.md", |plan| &plan.path);
    let values: [&str; 8] = [
        &unit.name,
        place(unit),
        &sprint.plan.label,
        &sprint.plan.name,
        &sprint.plan.definition,
        ".",
        plan,
        &state.core.settings.mission,
    ];
    let mut made = String::with_capacity(template.len());
    let mut rest = template;
    while let Some(at) = rest.find(['{', '<', '[', '$']) {
        made.push_str(&rest[..at]);
        rest = &rest[at..];
        match variable(rest) {
            Some((name, length)) => {
                let mut known = variables::NAMES.iter().zip(values);
                let value = known.find(|(names, _)| names.contains(&name.as_str()));
                made.push_str(value.map_or(&rest[..length], |(_, value)| value));
                rest = &rest[length..];
            }
            None => {
                let first = rest.chars().next().map_or(0, char::len_utf8);
                made.push_str(&rest[..first]);
                rest = &rest[first..];
            }
        }
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
            return Some((variables::worded(name), open.len() + end + close.len()));
        }
    }
    let name: String = text
        .strip_prefix('$')?
        .chars()
        .take_while(|c| c.is_ascii_alphanumeric() || *c == '_')
        .collect();
    (!name.is_empty()).then(|| (variables::worded(&name), name.len() + 1))
}

fn verifier(state: &State, unit: &Unit, sprint: &Sprint, text: &mut String) {
    let head = state.core.seen.as_ref().map_or("none", |seen| seen.head_word());
    let _ = write!(
        text,
        "You judge sprint {} ({}) of {} at head {head}. You did none of its work, and you change \
         nothing. Read the code, run what must be run, look at what comes of it: words show nothing.\n\n\
         ## What is to be judged\n\n",
        sprint.plan.label, sprint.plan.name, unit.name
    );
    for (criterion, check) in sprint.criteria.iter().zip(&sprint.checks) {
        if criterion.waived() || *check != Check::Verifier {
            continue;
        }
        let _ = writeln!(text, "- {}: {}", criterion.id, criterion.text.trim());
        if let CriterionState::Claimed { evidence, .. } = &criterion.state {
            let proof: Vec<String> = evidence.iter().map(Evidence::line).collect();
            let _ = writeln!(text, "  claimed with: {}", clip(&proof.join("; "), 1_000));
        }
    }
    let first = unit.sprints.first().is_some_and(|id| *id == sprint.id);
    let run = if first { unit.checks.len() } else { sprint.entry_checks.len() };
    let entry = entry::open_words(sprint);
    if run < entry.len() {
        text.push_str(
            "\nIts entry criteria. What of them was not true when it began, and still is not, belongs under \
             `must_fix`:\n\n",
        );
        for (_, line) in entry {
            let _ = writeln!(text, "- {}", line.trim());
        }
    }
    let paths: Vec<&str> = sprint.paths.iter().take(60).map(String::as_str).collect();
    if !paths.is_empty() {
        let _ = write!(text, "\nIt changed: {}.\n", paths.join(", "));
    }
    if !sprint.alone {
        text.push_str("\nWhat builds the whole project is shown at the next gate, not by you.\n");
    }
}

const RULES: &str = "
## Ground rules

- Never write under `.agent/`, but for scratch in `.agent/tmp/`; never touch SUPERVISOR_STATE.md or
  COMPLETE_*.md.
- Proof is typed: a test by its id, a command with its exit status, a file with a line, or what you did
  and saw by hand. Words alone prove nothing. What you could not find out is not shown; say so.
";

fn form(state: &State, sprint: &Sprint, role: Role) -> String {
    let open: Vec<&str> =
        sprint.criteria.iter().filter(|one| !one.waived()).map(|one| one.id.as_str()).collect();
    let correction = sprint.correction.as_ref().filter(|one| one.role == role);
    let form = report::Form {
        anchor: &state.core.settings.mission,
        open: &open.join(", "),
        language: "`json`",
        schema: role.schema(),
        example: &example(sprint, role),
        correction: correction.map(|correction| (correction.of, &correction.fault)),
        again: sprint.failures > 0 && state.core.counts.refused_reports > 1,
    };
    form.text()
}

fn example(sprint: &Sprint, role: Role) -> String {
    let id = sprint.criteria.first().map_or("AC-001", |one| one.id.as_str());
    let of = &sprint.id;
    let evidence = "[{\"kind\": \"command\", \"command\": \"…\", \"exit_status\": 0}, {\"kind\": \"file\", \
                    \"path\": \"…\", \"line\": 1}]";
    match role {
        Role::Agent => format!(
            "{{\"sprint\": \"{of}\", \"outcome\": \"completed|partial|failed|replan\",\n \"claims\": \
             [{{\"criterion\": \"{id}\", \"status\": \"complete|partial|blocked|not_started\",\n   \
             \"evidence\": {evidence}}}],\n \"remaining\": [], \"reasons\": [], \"findings\": []}}"
        ),
        Role::Verifier => format!(
            "{{\"sprint\": \"{of}\", \"verdicts\": [{{\"criterion\": \"{id}\",\n   \"finding\": \
             \"holds|does_not_hold|not_shown\", \"method\": \"what you ran or read\",\n   \"evidence\": \
             {evidence}}}],\n \"must_fix\": []}}"
        ),
    }
}
