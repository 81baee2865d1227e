//! The prompt of each role. Everything it needs is in the text or in a file that the text names;
//! nothing depends on the memory of a conversation. The texts are in `prompts/`.

use super::role::Role;
use super::state::{Play, State, Task};
use crate::mission::life;
use crate::mission::prelude::*;
use crate::mission::report;
use crate::mission::role::compose;
use crate::mission::template::{Fields, fields, lines, pages, render, rows};
use crate::vocab::verdict::{Claim, ClaimStatus};

/// The prompt of `role` for a task in this state.
pub(super) fn prompt(state: &State, task: &Task, role: Role) -> String {
    let mut told = opening(state, task, role);
    let page = match role {
        Role::Player => {
            player(state, task, &mut told);
            pages!("opening", "player", "rules")
        }
        Role::Coach => {
            coach(state, task, &mut told);
            pages!("opening", "coach", "rules")
        }
    };
    let (open, example) = (report::open(&task.criteria), example(task, role));
    let form = life::form(state, &role.cast(), &task.id, &open, &example);
    compose(state.core.settings.roles.get(&role), render(page, &told), &form)
}

fn opening(state: &State, task: &Task, role: Role) -> Fields {
    let turn = |play: &Play| fields! { number: play.turn, most: play.turn_limit };
    let criterion = |(place, one): (usize, &Criterion)| {
        let lines = task.lines.get(place).filter(|lines| lines.0 > 0);
        fields! {
            id: &one.id,
            lines: lines.map(|(first, last)| fields! { first: *first, last: *last }),
            text: one.text.trim(),
            waived: one.waived(),
        }
    };
    fields! {
        anchor: &state.core.settings.mission,
        role: role.as_str(),
        task: &task.id,
        title: &task.title,
        turn: task.play.as_deref().map(turn),
        head: state.core.life.head_word(),
        document: task.document.as_ref().map(|path| fields! { path: path }),
        criteria: rows(task.criteria.iter().enumerate().map(criterion)),
    }
}

fn player(state: &State, task: &Task, told: &mut Fields) {
    let dirty = state.core.life.seen.as_ref().map(|seen| seen.dirty.as_slice()).unwrap_or_default();
    let paths: Vec<&str> = dirty.iter().take(20).map(|one| one.path.as_str()).collect();
    told.put("dirty", (!paths.is_empty()).then(|| fields! { paths: paths.join(", ") }));
    let feedback = task.play.as_ref().map(|play| play.feedback.as_slice()).unwrap_or_default();
    let feedback = (!feedback.is_empty()).then_some(feedback);
    let all = |all: &[String]| lines("line", all.iter().map(|line| clip(line, 2_000)));
    told.put("feedback", feedback.map(|feedback| fields! { lines: all(feedback) }));
}

fn coach(state: &State, task: &Task, told: &mut Fields) {
    let (play, command) = (task.play.as_deref(), &state.core.settings.test_command);
    let tests = play.filter(|_| !command.is_empty()).map(|play| {
        let word = match play.tests {
            Finding::Holds => "passes",
            Finding::DoesNotHold => "fails",
            Finding::NotShown => "gave no answer",
        };
        fields! { command: command.join(" "), word: word }
    });
    told.put("tests", tests);
    let promise = play.and_then(|play| play.promise.as_ref()).map(|promise| {
        let claim = |id: &str| promise.claims.iter().find(|claim| claim.criterion == id);
        fields! { claims: rows(task.criteria.iter().map(|one| promised(one, claim(&one.id)))) }
    });
    told.put("promise", promise);
}

fn promised(criterion: &Criterion, claim: Option<&Claim>) -> Fields {
    let status = match (claim.map(|claim| claim.status), &criterion.state) {
        (None, _) => "no promise that could be taken",
        (Some(ClaimStatus::Complete), CriterionState::Waived { .. }) => "waived",
        (Some(ClaimStatus::Complete), _) => "verified",
        (Some(ClaimStatus::Partial), _) => "partial",
        (Some(ClaimStatus::Blocked), _) => "blocked",
        (Some(ClaimStatus::NotStarted), _) => "not_started",
    };
    let proof = claim.map(|claim| claim.evidence.as_slice()).unwrap_or_default();
    fields! { id: &criterion.id, status: status, proof: lines("line", proof.iter().map(Evidence::line)) }
}

fn example(task: &Task, role: Role) -> String {
    let turn = task.play.as_ref().map(|play| play.turn).filter(|turn| *turn > 0);
    let told = fields! {
        task: &task.id,
        turn: turn.map(|turn| fields! { number: turn }),
        id: task.criteria.first().map_or("AC-001", |one| one.id.as_str()),
    };
    let template = match role {
        Role::Player => include_str!("prompts/player.json"),
        Role::Coach => include_str!("prompts/coach.json"),
    };
    render(template.trim_end(), &told)
}
