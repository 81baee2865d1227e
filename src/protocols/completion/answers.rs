//! The meaning of the user's answers, topic by topic. The type of each was checked at admission.

use super::apply::stale_observation;
use super::edits::need;
use super::files as canonical;
use super::plan;
use super::state::{Proposal, State, Topic};
use crate::mission::Context;
use crate::mission::ask::{asked_counter, grant, unfit};
use crate::vocab::error::{Code, Diagnostic, Error, Result};
use crate::vocab::question::Answer;

/// Takes an answer.
pub(super) fn answered(
    state: &mut State,
    context: &mut Context<'_>,
    answer: &Answer,
) -> Result<()> {
    let topic = match state.core.asking.take() {
        Some(topic) => topic,
        None => Topic::Budget { counter: asked_counter(context)? },
    };
    match (topic, answer) {
        (Topic::StepStuck { problem, .. }, Answer::Choice { option }) => match option.as_str() {
            "retry" => state.core.attempts = 0,
            _ => state.core.blocked = Some(problem),
        },
        (Topic::EffectFailed { problem, then, .. }, Answer::Choice { option }) => {
            state.core.asking = then.map(|topic| *topic);
            state.core.files.retry();
            match option.as_str() {
                "retry" => stale_observation(state),
                _ => state.core.blocked = Some(problem),
            }
        }
        (Topic::StopScript { digest, text }, Answer::Choice { option }) => {
            stop_script(state, (option == "keep").then_some((digest, text)));
        }
        (Topic::NewStopScript { commands }, Answer::Confirmation { yes }) => {
            if *yes {
                new_stop_script(state, commands);
            }
        }
        (Topic::HistoryChanged { path, digest, length }, Answer::Choice { option }) => {
            match option.as_str() {
                "accept" => {
                    let file = state.core.files.at(&path);
                    (file.digest, file.length) = (digest, length);
                }
                _ => state.core.blocked = Some(rewritten(&path)),
            }
        }
        (Topic::Proposals { proposals }, Answer::Confirmation { yes }) => {
            if *yes {
                proposals.iter().for_each(|proposal| let_go(state, proposal));
            }
        }
        (Topic::EndWithDeferred, Answer::Confirmation { yes: true }) => {
            state.core.end_with_deferred = true;
        }
        (Topic::EndWithDeferred, Answer::Confirmation { yes: false }) => take_up_deferred(state),
        (Topic::DirtyStart { paths }, Answer::ManualStep { done, .. }) => match done {
            true => stale_observation(state),
            false => state.core.blocked = Some(dirty(&paths)),
        },
        (Topic::RoleAsks { text, .. }, answer) => note(state, &text, answer),
        (Topic::Budget { counter }, answer @ Answer::Choice { .. }) => {
            grant(context, counter, answer, &mut state.core.blocked)?;
        }
        (topic, answer) => return Err(unfit(&topic, answer)),
    }
    Ok(())
}

fn rewritten(path: &str) -> Diagnostic {
    Error::new(Code::HistoryRewritten, path, "a file that only grows", "other bytes").diagnostic()
}

fn dirty(paths: &[String]) -> Diagnostic {
    Error::new(Code::DirtyTree, "worktree", "a clean tree", paths.join(", ")).diagnostic()
}

/// Locks the script that is there, or has the locked one written back.
fn stop_script(state: &mut State, keep: Option<(String, String)>) {
    match keep {
        Some((digest, text)) => {
            state.core.files.at(canonical::STOP_SCRIPT).digest = Some(digest.clone());
            state.core.contract.stop_script = Some(digest);
            state.core.contract.stop_script_text = Some(text);
        }
        None => write_stop_script(state),
    }
}

fn new_stop_script(state: &mut State, commands: Vec<Vec<String>>) {
    state.core.contract.commands = commands;
    state.core.contract.stop_script_text = None;
    write_stop_script(state);
}

fn write_stop_script(state: &mut State) {
    need(state, canonical::STOP_SCRIPT);
    state.core.contract.known = true;
}

fn let_go(state: &mut State, proposal: &Proposal) {
    let open = state.slices.get(&proposal.slice_id).is_some_and(|slice| !slice.closed());
    match (&proposal.criterion, open) {
        (Some(criterion), true) => {
            plan::waive(state, &proposal.slice_id, criterion, "user", &proposal.reason);
        }
        (None, true) => plan::skip(state, &proposal.slice_id, "user", &proposal.reason),
        (_, false) => {}
    }
}

fn take_up_deferred(state: &mut State) {
    for id in plan::deferred(state) {
        state.slices.change(&id, |slice| {
            slice.disposition = None;
            slice.status = super::state::SliceStatus::Planned;
        });
    }
}

/// An answer to a role goes into the next hand-off and the next re-ground, word for word.
fn note(state: &mut State, question: &str, answer: &Answer) {
    let words = match answer {
        Answer::Text { text } => text.clone(),
        Answer::Choice { option } => option.clone(),
        Answer::Confirmation { yes } => if *yes { "yes" } else { "no" }.to_owned(),
        Answer::ManualStep { done, note } => {
            format!("{}: {note}", if *done { "done" } else { "not done" })
        }
    };
    let note = format!("The user was asked: {question} The answer: {words}");
    if let Some(active) = state.core.active.as_mut() {
        active.locked_notes.push(note.clone());
    }
    state.core.notes.push(note);
}
