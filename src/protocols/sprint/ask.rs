//! The questions this protocol asks, each a section of `questions.md`.

use super::state::{Check, SprintStatus, State, Topic};
use crate::mission::ask::ask;
use crate::mission::template::{Fields, fields, lines, render};
use crate::mission::{life, trust};
use crate::vocab::error::clip;
use crate::vocab::question::Question;
use crate::vocab::text::escaped;

/// The question of a topic.
pub(super) fn question(state: &State, topic: &life::Topic) -> Option<Question> {
    match topic {
        life::Topic::EndWithDeferred => Some(section("end_with_deferred", deferred(state))),
        topic => topic.particular().map(|own| own_question(state, &own)),
    }
}

/// Whether a topic of this name is about a sprint.
pub(super) fn is_about(topic: &life::Topic, name: &str, sprint: &str) -> bool {
    topic.names("about") == Some(name) && topic.names("sprint") == Some(sprint)
}

fn section(name: &str, told: Fields) -> Question {
    ask(include_str!("questions.md"), name, &told)
}

fn own_question(state: &State, topic: &Topic) -> Question {
    match topic {
        Topic::Ticked { sprints } => {
            let names = clip(&sprints.join(", "), 2_000);
            section("ticked", fields! { count: sprints.len(), sprints: names })
        }
        Topic::Trust => section("trust", commands(state)),
        Topic::Vague { sprint, criteria } => section("vague", vague(state, sprint, criteria)),
        Topic::Confirm { sprint, criteria, findings } => {
            section("confirm", confirm(state, sprint, criteria, findings))
        }
        Topic::StillWaiting { sprint, problem } => {
            // Only what was expected: what the code says of itself is about other protocols, too.
            let (at, expected, got) = (&problem.at, &problem.expected, &problem.got);
            let told = fields! { sprint: sprint, at: at, expected: expected, got: got };
            section("still_waiting", told)
        }
        Topic::GateFailed { problem } => section("gate_failed", fields! { problem: problem }),
        Topic::PlanChanged { problem } => section("plan_changed", fields! { problem: problem }),
        Topic::Uncommitted { paths } => section("uncommitted", uncommitted(paths)),
        Topic::HeadMoved { from, to } => section("head_moved", fields! { from: from, to: to }),
    }
}

/// Every command of the plan, with the warnings of its author.
fn commands(state: &State) -> Fields {
    let of_units = state.units.iter().flat_map(|unit| &unit.checks);
    let of_entry = state.sprints.iter().flat_map(|sprint| &sprint.entry_checks);
    let checks = state.sprints.iter().flat_map(|sprint| &sprint.checks).filter_map(Check::line);
    let mut told = trust::told(of_units.chain(of_entry).chain(checks));
    let warnings = &state.core.settings.warnings;
    let warned = || fields! { warnings: lines("line", warnings.iter().map(|one| escaped(one))) };
    told.put("warned", (!warnings.is_empty()).then(warned));
    told
}

fn vague(state: &State, sprint: &str, criteria: &[String]) -> Fields {
    fields! {
        sprint: sprint,
        criteria: texts(state, sprint, criteria).join("; "),
        reword: reword(sprint, criteria),
        all: is_all(state, sprint, criteria),
    }
}

fn confirm(state: &State, sprint: &str, criteria: &[String], findings: &[String]) -> Fields {
    let found = findings.iter().map(|line| format!("found: {}", clip(line, 400)));
    let instructions: Vec<String> =
        texts(state, sprint, criteria).into_iter().chain(found).collect();
    fields! {
        sprint: sprint,
        name: state.sprints.get(sprint).map_or("", |one| &one.plan.name),
        instructions: instructions.join("\n"),
    }
}

fn uncommitted(paths: &[String]) -> Fields {
    let shown: Vec<&str> = paths.iter().take(20).map(String::as_str).collect();
    let more = paths.len().saturating_sub(shown.len());
    fields! {
        count: paths.len(),
        paths: clip(&shown.join(", "), 2_000),
        more: (more > 0).then(|| fields! { number: more }),
    }
}

fn deferred(state: &State) -> Fields {
    let open = |off: bool| {
        let all = state.sprints.iter().filter(move |sprint| {
            !sprint.status.closed() && (sprint.status == SprintStatus::Deferred) == off
        });
        all.map(|sprint| sprint.id.clone()).collect::<Vec<_>>().join(", ")
    };
    let waiting = open(false);
    fields! {
        deferred: clip(&open(true), 2_000),
        // With the words before it no more than 2,000 letters.
        waiting: (!waiting.is_empty()).then(|| fields! { sprints: clip(&waiting, 1_975) }),
    }
}

/// How to replace the criteria of a sprint: an edit of the document changes nothing in a mission that began.
pub(super) fn reword(sprint: &str, criteria: &[String]) -> String {
    let waived = lines("id", criteria.iter().take(10));
    render(include_str!("reword.md").trim_end(), &fields! { sprint: sprint, criteria: waived })
}

/// Whether a sprint has no other criteria than these, except those that were waived.
fn is_all(state: &State, sprint: &str, criteria: &[String]) -> bool {
    let sprint = state.sprints.get(sprint);
    let left = sprint.iter().flat_map(|sprint| &sprint.criteria).filter(|one| !one.waived());
    left.into_iter().all(|one| criteria.contains(&one.id))
}

/// The criteria of a sprint with these ids, each with its text.
fn texts(state: &State, sprint: &str, ids: &[String]) -> Vec<String> {
    let sprint = state.sprints.get(sprint);
    let text = |id: &String| {
        let found = sprint.and_then(|sprint| sprint.criteria.iter().find(|one| one.id == *id));
        found.map(|one| clip(one.text.trim(), 200)).unwrap_or_default()
    };
    ids.iter().map(|id| format!("{id}: {}", text(id))).collect()
}
