//! Extra fields of a report: agents write more than they are asked for. Nothing of it is dropped in
//! silence: fields that can be told as words of the run are kept as such, all others are named.

use super::super::role::Role;
use super::limits;
use super::unread::{LESSONS, of_planner};
use crate::vocab::error::Result;
use crate::vocab::json;
use crate::vocab::text::{one_line, printable};
use serde_json::Value;

/// The most characters of all extra fields of one report.
const MOST_BESIDE: usize = 20_000;
/// The most characters of prose around the block of a report that are kept.
const MOST_PROSE: usize = 4_000;

/// Places of a report, without their numbers, with the fields that are known there. What lies at no such place is the
/// business of others.
type Known = &'static [(&'static str, &'static [&'static str])];

const ENTRY: [&str; 5] = ["category", "finding", "impact", "action", "details"];

const EXECUTOR: Known = &[
    (
        "",
        &[
            "block",
            "plan",
            "block_id",
            "status",
            "summary",
            "claims",
            "checkpoint",
            "failure",
            "deviations",
            "approaches",
            "scratchpad",
            "lessons_learned",
            "beside",
        ],
    ),
    (
        "summary",
        &[
            "subsystem",
            "requires",
            "provides",
            "affects",
            "tech-stack",
            "tech_stack",
            "key-files",
            "key_files",
            "commits",
            "decisions",
            "already_there",
            "words",
        ],
    ),
    ("summary.requires", &["phase", "provides"]),
    ("summary.tech-stack", &["added", "patterns"]),
    ("summary.tech_stack", &["added", "patterns"]),
    ("summary.key-files", &["created", "modified"]),
    ("summary.key_files", &["created", "modified"]),
    ("claims", &["criterion", "evidence"]),
    (
        "checkpoint",
        &[
            "type",
            "completed_threads",
            "total_threads",
            "current_thread",
            "resume_point",
            "awaiting",
            "what_was_built",
            "how_to_verify",
            "decision",
            "options",
            "automation_attempted",
            "what_you_need_to_do",
            "verify_after",
        ],
    ),
    ("checkpoint.completed_threads", &["thread", "name", "commit", "files"]),
    ("checkpoint.current_thread", &["thread", "name", "status"]),
    ("checkpoint.options", &["option", "id", "pros", "cons"]),
    (
        "failure",
        &[
            "thread",
            "attempts",
            "tried",
            "created",
            "commits",
            "hypothesis",
            "suggested_retry",
            "do_not_retry",
        ],
    ),
    ("failure.tried", &["approach", "reason"]),
    ("deviations", &["rule", "description", "files"]),
    ("scratchpad", &ENTRY),
    ("lessons_learned", &LESSONS),
];

const RECOGNIZER: Known = &[
    ("", &["verdict", "verdicts", "gaps", "anomaly", "lessons_learned"]),
    ("verdicts", &["block", "criterion", "finding", "method", "evidence"]),
    ("gaps", &["block", "criterion", "reason", "missing"]),
    ("lessons_learned", &LESSONS),
];

const DEBUGGER: Known = &[
    (
        "",
        &[
            "status",
            "hypotheses",
            "tried",
            "ruled_out",
            "current_focus",
            "findings",
            "lessons_learned",
            "beside",
        ],
    ),
    ("hypotheses", &["hypothesis", "status", "evidence"]),
    ("lessons_learned", &LESSONS),
];

const LEAD: Known = &[("", &["context", "personas"]), ("personas", &["name", "goal", "traits"])];

const SWARM: Known = &[
    ("", &["findings", "screenshots", "lessons_learned"]),
    ("findings", &["priority", "title", "where", "expected", "beside"]),
    ("lessons_learned", &LESSONS),
];

const LEARNER: Known = &[(
    "",
    &[
        "project_type",
        "tech_stack",
        "complexity",
        "what_worked",
        "what_failed",
        "patterns",
        "recommendations",
    ],
)];

fn known(role: Role) -> Known {
    match role {
        // A plan has a reader of its own.
        Role::Planner => &[],
        Role::Executor => EXECUTOR,
        Role::Recognizer => RECOGNIZER,
        Role::Debugger => DEBUGGER,
        Role::RefinementLead => LEAD,
        Role::VisualInspector | Role::E2eExerciser | Role::PersonaSimulator => SWARM,
        Role::Learner => LEARNER,
    }
}

/// Whether an extra field at this place in the form of a role is kept as words of its run.
pub(in super::super) fn is_kept(role: Role, at: &str) -> bool {
    match role {
        Role::Executor | Role::Debugger => true,
        Role::VisualInspector | Role::E2eExerciser | Role::PersonaSimulator => {
            at.starts_with("findings[")
        }
        Role::Planner | Role::Recognizer | Role::RefinementLead | Role::Learner => false,
    }
}

/// Fields of a report that its form does not know, each with its place.
pub(super) fn names(role: Role, report: &Value) -> Vec<String> {
    match role {
        Role::Planner => of_planner(report),
        role => strange(role, report).into_iter().map(|(at, _)| at).collect(),
    }
}

/// The extra fields that are kept, each with its place: in words, all of it.
///
/// # Errors
/// `too_large` if the extra fields of a report are longer than allowed.
pub(super) fn words(role: Role, report: &Value) -> Result<Vec<(String, String)>> {
    let kept = strange(role, report).into_iter().filter(|(at, _)| is_kept(role, at));
    let kept = kept.map(|(at, value)| (at, printable(&said(value))));
    let kept: Vec<(String, String)> = kept.filter(|(_, words)| !words.is_empty()).collect();
    let all: String = kept.iter().map(|(_, words)| words.as_str()).collect();
    let first = kept.first().map(|(at, _)| at.clone()).unwrap_or_default();
    limits::refuse(limits::text(first, &all, MOST_BESIDE).into_iter().collect())?;
    Ok(kept)
}

/// The same in lines.
///
/// # Errors
/// As [`user_words`].
pub(super) fn lines(role: Role, report: &Value) -> Result<Vec<String>> {
    let line = |(at, words): (String, String)| format!("{at}: {words}");
    Ok(words(role, report)?.into_iter().map(line).collect())
}

/// The extra fields of an entry of the scratchpad, in lines.
pub(in super::super) fn of_entry(entry: &Value) -> Vec<String> {
    let other = entry.as_object().into_iter().flatten();
    let other = other.filter(|(name, _)| !ENTRY.contains(&name.as_str()));
    let lines = other.map(|(name, value)| (name, printable(&said(value))));
    lines
        .filter(|(_, words)| !words.is_empty())
        .map(|(name, words)| format!("{name}: {words}"))
        .collect()
}

/// The prose around the block of a report; of more than is kept it is said how much there is.
pub(super) fn prose(text: &str) -> String {
    let all = printable(text);
    let all = all.trim();
    let more = all.chars().count().saturating_sub(MOST_PROSE);
    match more {
        0 => all.to_owned(),
        more => {
            let kept: String = all.chars().take(MOST_PROSE).collect();
            format!(
                "{kept}\n({more} characters more stand in the report of its run, in the journal)"
            )
        }
    }
}

/// A value in words, in one line.
pub(super) fn said(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => one_line(text),
        Value::Array(items) => {
            items.iter().map(said).filter(|one| !one.is_empty()).collect::<Vec<_>>().join("; ")
        }
        Value::Object(fields) if fields.is_empty() => String::new(),
        other => one_line(&json::encode(other)),
    }
}

fn strange(role: Role, report: &Value) -> Vec<(String, &Value)> {
    let mut found = Vec::new();
    look(known(role), report, "", "", &mut found);
    found
}

fn look<'a>(
    all: Known,
    value: &'a Value,
    at: &str,
    path: &str,
    found: &mut Vec<(String, &'a Value)>,
) {
    match value {
        Value::Array(items) => {
            for (place, one) in items.iter().enumerate() {
                look(all, one, &format!("{at}[{place}]"), path, found);
            }
        }
        Value::Object(fields) => {
            let Some((_, known)) = all.iter().find(|(name, _)| *name == path) else { return };
            let other = fields.iter().filter(|(name, _)| !known.contains(&name.as_str()));
            found.extend(other.map(|(name, one)| (join(at, name), one)));
            for name in *known {
                if let Some(one) = fields.get(*name) {
                    look(all, one, &join(at, name), &join(path, name), found);
                }
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn join(at: &str, name: &str) -> String {
    if at.is_empty() { name.to_owned() } else { format!("{at}.{name}") }
}
