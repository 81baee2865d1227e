//! The meaning of the user's answers, topic by topic. The type of each was checked at admission.

use super::edits::need;
use super::files as canonical;
use super::plan;
use super::state::{Proposal, State, Topic};
use crate::mission::ask::unfit;
use crate::mission::life;
use crate::mission::prelude::*;
use crate::vocab::question::Answer;

/// Takes the answer to a question of its own.
pub(super) fn answered(
    state: &mut State,
    _: &Context<'_>,
    asked: &life::Topic,
    answer: &Answer,
) -> Result<()> {
    match (asked.particular(), answer) {
        (Some(Topic::StopScript { digest, text }), Answer::Choice { option }) => {
            stop_script(state, (option == "keep").then_some((digest, text)));
        }
        (Some(Topic::NewStopScript { commands }), Answer::Confirmation { yes }) => {
            if *yes {
                new_stop_script(state, commands);
            }
        }
        (Some(Topic::HistoryChanged { path, digest, length }), Answer::Choice { option }) => {
            match option.as_str() {
                "accept" => {
                    let file = state.core.life.files.at(&path);
                    (file.digest, file.length) = (digest, length);
                }
                _ => state.core.life.blocked = Some(rewritten(&path)),
            }
        }
        (Some(Topic::Proposals { proposals }), Answer::Confirmation { yes }) => {
            if *yes {
                proposals.iter().for_each(|proposal| let_go(state, proposal));
            }
        }
        (Some(Topic::RoleAsks { text, .. }), answer) => note(state, &text, answer),
        (_, answer) => return Err(unfit(asked, answer)),
    }
    Ok(())
}

fn rewritten(path: &str) -> Diagnostic {
    Error::new(Code::HistoryRewritten, path, "a file that only grows", "other bytes").diagnostic()
}

/// Locks the script that is there, or has the locked one written back.
fn stop_script(state: &mut State, keep: Option<(String, String)>) {
    match keep {
        Some((digest, text)) => {
            state.core.life.files.at(canonical::STOP_SCRIPT).digest = Some(digest.clone());
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
