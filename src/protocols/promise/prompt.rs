//! What each role is told. Everything it needs stands in the text or in a file it is pointed to;
//! nothing is left to the memory of a conversation.

use super::role::Role;
use super::state::{Promise, State, Task};
use crate::protocols::shared::report;
use crate::vocab::criterion::{Criterion, CriterionState};
use crate::vocab::error::clip;
use crate::vocab::evidence::{Evidence, Finding};
use crate::vocab::verdict::{Claim, ClaimStatus};
use std::fmt::Write;

/// The prompt of `role` for a task in this state.
pub(super) fn prompt(state: &State, task: &Task, role: Role) -> String {
    let mut text = opening(state, task, role);
    match role {
        Role::Player => player(state, task, &mut text),
        Role::Coach => coach(state, task, &mut text),
    }
    text.push_str(RULES);
    text + &form(state, task, role)
}

fn opening(state: &State, task: &Task, role: Role) -> String {
    let head = state.core.seen.as_ref().map_or("none", |seen| seen.head_word());
    let turn = match task.play.as_deref() {
        Some(play) => format!("turn {} of at most {}", play.turn, play.turn_limit),
        None => "a closed task that is shown again".to_owned(),
    };
    let document = match &task.document {
        Some(path) => format!("\nThe whole task stands in `{path}`; read it first.\n"),
        None => String::new(),
    };
    format!(
        "MISSION ANCHOR: {}\n\nYou are the {} of task {} ({}): {turn}, at head {head}. You work alone, \
         in this repository.\n{document}\n## Acceptance criteria\n\n{}",
        state.core.settings.mission,
        role.name(),
        task.id,
        task.title,
        criteria(task)
    )
}

fn criteria(task: &Task) -> String {
    let mut text = String::new();
    for (place, criterion) in task.criteria.iter().enumerate() {
        let lines = match task.lines.get(place) {
            Some((first, last)) if *first > 0 => format!(" (lines {first}-{last})"),
            _ => String::new(),
        };
        let waived = if criterion.waived() { " [waived by the user]" } else { "" };
        let _ = writeln!(text, "- {}{lines}: {}{waived}", criterion.id, criterion.text.trim());
    }
    text
}

fn player(state: &State, task: &Task, text: &mut String) {
    text.push_str(
        "\n## What to do\n\nMeet every criterion. Commit everything you change; the tree must be clean \
         when you report. Then promise each criterion by its id, with its status and its proof. A coach \
         that did none of the work checks every promise at your commit and finds what is not so; a \
         promise that does not hold counts against all of them. What you did not finish is `partial` or \
         `not_started`; what cannot be done now is `blocked`, with what is in the way as its evidence.\n",
    );
    let dirty = state.core.seen.as_ref().map(|seen| seen.dirty.as_slice()).unwrap_or_default();
    if !dirty.is_empty() {
        let paths: Vec<&str> = dirty.iter().take(20).map(|one| one.path.as_str()).collect();
        let _ = write!(
            text,
            "\nThe tree is not clean: {}. Finish and commit it, or take it back.\n",
            paths.join(", ")
        );
    }
    let feedback = task.play.as_ref().map(|play| play.feedback.as_slice()).unwrap_or_default();
    if !feedback.is_empty() {
        text.push_str("\n## What the last turn left\n\n");
        for line in feedback {
            let _ = writeln!(text, "- {}", clip(line, 2_000));
        }
    }
}

fn coach(state: &State, task: &Task, text: &mut String) {
    text.push_str(
        "\n## What to do\n\nFind out for each criterion whether it holds at this head. Read the code, \
         run the test or the command, look at the outcome yourself; the player's words show nothing. \
         Change nothing in the tree. Where your finding is not what the player says, write the \
         discrepancy: it is what the next turn is told. Whatever keeps the task from being approved \
         beside the criteria is a blocking issue. Where the player says a criterion is blocked, find \
         out whether it truly is, and say so with `blocked`.\n",
    );
    let Some(play) = task.play.as_deref() else {
        text.push_str(
            "\nThe task was approved at an earlier commit; files it covers have changed since. Show each \
             criterion again at this head. There is no new promise.\n",
        );
        return;
    };
    if !state.core.settings.test_command.is_empty() {
        let word = match play.tests {
            Finding::Holds => "passes",
            Finding::DoesNotHold => "fails",
            Finding::NotShown => "gave no answer",
        };
        let command = state.core.settings.test_command.join(" ");
        let _ = write!(text, "\nThe engine ran `{command}` at this head: it {word}.\n");
    }
    if let Some(promise) = &play.promise {
        promises(task, promise, text);
    }
}

fn promises(task: &Task, promise: &Promise, text: &mut String) {
    text.push_str("\n## The player's promise\n\n");
    for criterion in &task.criteria {
        let claim = promise.claims.iter().find(|claim| claim.criterion == criterion.id);
        let _ = writeln!(text, "- {}: {}", criterion.id, promised(criterion, claim));
    }
}

fn promised(criterion: &Criterion, claim: Option<&Claim>) -> String {
    let Some(claim) = claim else { return "no promise that could be taken".to_owned() };
    let status = match (claim.status, &criterion.state) {
        (ClaimStatus::Complete, CriterionState::Waived { .. }) => "waived",
        (ClaimStatus::Complete, _) => "verified",
        (ClaimStatus::Partial, _) => "partial",
        (ClaimStatus::Blocked, _) => "blocked",
        (ClaimStatus::NotStarted, _) => "not_started",
    };
    let proof: Vec<String> = claim.evidence.iter().map(Evidence::line).collect();
    match proof.is_empty() {
        true => status.to_owned(),
        false => format!("{status}; {}", proof.join("; ")),
    }
}

const RULES: &str = "
## Ground rules

- Never write under `.agent/`, but for scratch in `.agent/tmp/`.
- Proof is typed: a test by its id, a command with its exit status, a file with a line, or what you did
  and saw by hand. Words alone prove nothing. What you could not find out is not shown; say so.
";

fn form(state: &State, task: &Task, role: Role) -> String {
    let open: Vec<&str> =
        task.criteria.iter().filter(|one| !one.waived()).map(|one| one.id.as_str()).collect();
    let play = task.play.as_ref();
    let failed = play.map_or(state.core.closing_attempts, |play| play.attempts);
    let correction = play.and_then(|play| play.correction.as_ref());
    let form = report::Form {
        anchor: &state.core.settings.mission,
        open: &open.join(", "),
        language: "`json`",
        schema: role.schema(),
        example: &example(task, role),
        correction: correction.map(|correction| (correction.of, &correction.fault)),
        again: failed > 0 && state.core.counts.refused_reports > 1,
    };
    form.text()
}

fn example(task: &Task, role: Role) -> String {
    let id = task.criteria.first().map_or("AC-001", |one| one.id.as_str());
    let turn = task.play.as_ref().map_or(0, |play| play.turn);
    let about = match turn {
        0 => format!("\"task_id\": \"{}\"", task.id),
        turn => format!("\"task_id\": \"{}\", \"turn\": {turn}", task.id),
    };
    match role {
        Role::Player => format!(
            "{{{about}, \"tests_run\": true, \"tests_passed\": true,\n \"completion_promise\": \
             {{\"statement\": \"…\", \"all_verified\": true, \"criteria\": [\n  {{\"criterion_id\": \
             \"{id}\", \"status\": \"verified|partial|blocked|not_started\",\n   \"evidence\": \
             [{{\"kind\": \"test\", \"id\": \"…\"}}, {{\"kind\": \"command\", \"command\": \"…\", \
             \"exit_status\": 0}},\n    {{\"kind\": \"file\", \"path\": \"…\", \"line\": 1}}, {{\"kind\": \
             \"manual\", \"note\": \"…\"}}]}}]}}}}"
        ),
        Role::Coach => format!(
            "{{{about}, \"decision\": \"approve|feedback\", \"feedback\": \"…\", \"blocking_issues\": [],\n \
             \"tests_run\": true, \"tests_passed\": true,\n \"criteria_verification\": [\n  \
             {{\"criterion_id\": \"{id}\", \"player_status\": \"verified\", \"coach_verified\": true,\n   \
             \"verification_method\": \"what you ran or read\",\n   \"evidence\": [{{\"kind\": \"command\", \
             \"command\": \"…\", \"exit_status\": 0}}],\n   \"discrepancy\": null, \"blocked\": false}}]}}"
        ),
    }
}
