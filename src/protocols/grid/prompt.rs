//! The prompt of each role. Everything it needs is in the text or in a file that the text names; nothing
//! depends on the memory of a conversation. Text of agents or plans is put between marks, as data.
//!
//! The texts are in `prompts/`: one for each role, between an opening and a closing. In them `{{/this}}{{#that}}` ends a
//! part and begins the next, after a blank line if nothing else is on the line.

use super::report::limits;
use super::role::Role;
use super::state::{Block, Gap, State};
use super::{anomaly, block_prompt, decide, files, handover, outcome, unattributed};
use crate::mission::life;
use crate::mission::prelude::*;
use crate::mission::report;
use crate::mission::role::compose;
use crate::mission::template::{Fields, Value, fields, fill, lines, pages, render, rows};
use crate::vocab::json;

/// The most characters of what people decided that a prompt has room for; docs/grid.md says so.
const MOST_SAID: usize = 40_000;
/// The most must-haves that one header names.
const MOST_OPEN: usize = 50;

/// The text of a role, and an example of its report.
macro_rules! texts {
    ($role:literal, $example:literal) => {
        (
            pages!("opening", $role, "closing", "limits"),
            include_str!(concat!("prompts/", $example, ".json")),
        )
    };
}

/// The prompt of `role` for an item in this state.
pub(super) fn prompt(state: &State, role: Role, item: &str) -> String {
    let mut told = everybody(state, role);
    let block = state.blocks.get(item);
    let (text, example) = match role {
        Role::Planner if state.core.planned => {
            gap_planner(state, &mut told);
            texts!("gap_planner", "planner")
        }
        Role::Planner => {
            let learnings = state.core.learnings.as_deref();
            let learnings = learnings.filter(|text| !text.trim().is_empty());
            told.put("learnings", given(data(learnings.unwrap_or_default())));
            texts!("planner", "planner")
        }
        Role::Executor => {
            told.put("block", block.map(|block| block_prompt::executor(state, block)));
            texts!("executor", "executor")
        }
        Role::Recognizer => {
            recognizer(state, &mut told);
            texts!("recognizer", "recognizer")
        }
        Role::Debugger => {
            told.put("block", block.map(|block| block_prompt::debugger(state, block)));
            texts!("debugger", "debugger")
        }
        Role::RefinementLead => texts!("refinement_lead", "refinement_lead"),
        Role::VisualInspector => texts!("visual_inspector", "swarm"),
        Role::E2eExerciser => texts!("e2e_exerciser", "swarm"),
        Role::PersonaSimulator => {
            told.put("persona", persona(state, item));
            texts!("persona_simulator", "swarm")
        }
        Role::Learner => {
            learner(state, &mut told);
            texts!("learner", "learner")
        }
    };
    limits::tell(role, &mut told);
    let form = form(state, role, item, example);
    compose(state.core.settings.roles.get(&role), render(text, &told), &form)
}

/// What everybody is told who is sent: what people say reaches whoever begins after they said it.
fn everybody(state: &State, role: Role) -> Fields {
    let core = &state.core;
    let decided = [&core.before, &core.said, &core.decisions];
    fields! {
        anchor: &core.settings.mission,
        role: role.as_str(),
        cluster: &core.cluster,
        head: state.head_word(),
        decided: decided.iter().any(|lines| !lines.is_empty()),
        before: given(latest(&core.before, MOST_SAID)),
        people: given(latest(&core.said, MOST_SAID)),
        workers: given(listed(&core.decisions)),
        warmth: given(core.warmth.render("").trim_end().to_owned()),
    }
}

fn gap_planner(state: &State, told: &mut Fields) {
    let gap = |gap: &Gap| fields! { name: gap.name(), reason: &gap.reason };
    told.put("gaps", rows(state.core.gaps.iter().map(gap)));
    told.put("blocks", rows(state.to_judge().into_iter().map(|one| block_prompt::any(state, one))));
    told.put("asked", given(asked(state)));
    told.put("mended", block_prompt::of_mended(state.to_judge().into_iter()));
}

fn recognizer(state: &State, told: &mut Fields) {
    let (over, commits) = (state.written_over(), unattributed::lines(&state.core.unnamed, None));
    let changed = over.iter().map(|(one, paths)| {
        let mut row = block_prompt::any(state, one);
        row.put("paths", paths.join(", "));
        row
    });
    told.put("patrol", state.is_behind());
    told.put(
        "blocks",
        rows(state.to_judge().into_iter().map(|one| block_prompt::judged(state, one))),
    );
    told.put("let_go", given(block_prompt::whole(&outcome::let_go_lines(state).join("\n"))));
    told.put("anomalies", given(block_prompt::whole(&anomaly::lines(state).join("\n"))));
    told.put("asked", given(asked(state)));
    told.put("over", !over.is_empty());
    told.put("changed", rows(changed));
    told.put("unnamed", !commits.is_empty());
    told.put("commits", lines("line", commits));
}

fn persona(state: &State, item: &str) -> Option<Fields> {
    let persona = state.core.refinement.as_ref()?.persona(item)?;
    let (name, goal) = (one_line(&persona.name), one_line(&persona.goal));
    Some(fields! { name: name, goal: goal, traits: one_line(&persona.traits) })
}

fn learner(state: &State, told: &mut Fields) {
    let built = |block: &Block| {
        let words = block.summary.as_ref().and_then(|summary| summary.words.as_deref());
        let words = clip(&one_line(words.unwrap_or_default()), 200);
        let objective = clip(&block.plan.objective, 120);
        format!("{} [{}] {objective}: {words}", block.id, outcome::stands(state, block))
    };
    let built: Vec<String> = state.blocks.iter().map(built).collect();
    told.put("built", part(&built.join("\n"), 16_000, files::STATE));
    told.put("concerns", part(&state.core.concerns.join("\n"), 8_000, files::STATE));
}

/// The end of a prompt.
fn form(state: &State, role: Role, item: &str, example: &str) -> String {
    let failed = state.core.life.attempts(&state.step(role.as_str(), item)) > 0
        || state.blocks.get(item).is_some_and(|block| !block.failures.is_empty());
    let session = decide::debugged(state).and_then(|block| block.debug.as_ref());
    let first = state.to_judge().first().map(|block| block.id.clone()).unwrap_or_default();
    let told = fields! {
        closes: state.core.planned,
        block: json::encode(if role == Role::Executor { item } else { &first }),
        focus: json::encode(session.map_or("", |session| &session.current_focus)),
    };
    // Each example names only some of these, so it is filled unchecked.
    let (open, example) = (open(state, role), fill(example.trim_end(), &told));
    let cast = role.cast(state.core.tier);
    let form = life::form_of(state, &cast, item, &open, &example, failed);
    report::Form { language: "`json` (or `yaml`)", ..form }.text()
}

/// Must-haves that are to be shown; on patrol those again that were shown at another head.
fn open(state: &State, role: Role) -> String {
    let again = role == Role::Recognizer && state.is_behind();
    let due = |block: &Block, one: &Criterion| {
        !one.settled() || (again && !one.waived() && state.is_stale(block))
    };
    let of = |block: &Block| {
        let open = block.criteria.iter().filter(|one| due(block, one));
        open.map(|one| format!("{}/{}", block.id, one.id)).collect::<Vec<_>>()
    };
    let mut all: Vec<String> = state.to_judge().into_iter().flat_map(of).collect();
    if let Some(more @ 1..) = all.len().checked_sub(MOST_OPEN) {
        all.splice(MOST_OPEN.., [format!("and {more} more")]);
    }
    if all.is_empty() { "none".to_owned() } else { all.join(", ") }
}

/// What entries of the scratchpad ask for, for those who are not told all of them.
fn asked(state: &State) -> String {
    let all: Vec<String> =
        handover::now(state).into_iter().chain(handover::before(state)).collect();
    data(&all.join("\n"))
}

/// A row with a text, if there is one.
pub(super) fn given(text: String) -> Value {
    lines("text", Some(text).filter(|text| !text.is_empty()))
}

/// A row with a number, if it is one.
pub(super) fn number(number: usize) -> Value {
    lines("number", Some(number).filter(|number| *number > 0))
}

/// Text of others, if there is any, fenced so that no line of it is taken for one of ours.
pub(super) fn data(body: &str) -> String {
    if body.is_empty() { String::new() } else { part(body, usize::MAX, "") }
}

/// Text of others that may be too long for a prompt: it says how much is left out, and which file has all of it.
pub(super) fn part(body: &str, most: usize, path: &str) -> String {
    let more = body.chars().count().saturating_sub(most);
    let body = clip(body, most);
    let marks = |line: &str| line.trim_start().chars().take_while(|c| *c == '`').count();
    let fence = "`".repeat(body.lines().map(marks).max().unwrap_or(0).max(3) + 1);
    let told = fields! { fence: fence, body: body.trim_end(), left: number(more), path: path };
    piece(include_str!("prompts/data.md"), &told)
}

/// The text of a template that another takes in, without the line breaks around it.
pub(super) fn piece(template: &str, told: &Fields) -> String {
    render(template, told).trim_matches('\n').to_owned()
}

/// A list of what others wrote.
pub(super) fn listed(all: &[String]) -> String {
    latest(all, usize::MAX)
}

/// The latest lines that there is room for, none of them cut; how many came before is said, and where they stand.
fn latest(all: &[String], most: usize) -> String {
    let before = all.len() - fitting(all.iter().rev().map(String::as_str), most, 3);
    data(&list(before, all.iter().skip(before).map(|line| format!("- {line}")), 0))
}

/// How many lines there is room for, each with the text around it.
pub(super) fn fitting<'a>(
    all: impl Iterator<Item = &'a str>,
    mut room: usize,
    around: usize,
) -> usize {
    let fits = |line: &&str| {
        let left = room.checked_sub(line.chars().count() + around);
        room = left.unwrap_or_default();
        left.is_some()
    };
    all.take_while(fits).count()
}

/// Lines, with how many were left out before and behind them.
pub(super) fn list<T: Into<Value>>(
    before: usize,
    all: impl Iterator<Item = T>,
    more: usize,
) -> String {
    let told = fields! { before: number(before), lines: lines("line", all), more: number(more) };
    render(include_str!("prompts/lines.md"), &told)
}

/// Text of others as the cell of a table.
pub(super) fn cell(text: &str) -> String {
    one_line(text).replace('|', "\\|")
}
