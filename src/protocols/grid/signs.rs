//! Signs of life: entries of the scratchpad are taken as they come, and silence is told; other signs are for those who
//! watch.

use super::scratchpad::{self, Entry, SILENCE};
use super::state::{Block, State, Writing};
use super::{block, files};
use crate::mission::prelude::*;
use crate::vocab::event::RunProgressed;

/// A run at work gave a sign.
pub(super) fn heard(state: &mut State, at: Millis, fact: &RunProgressed) {
    let run = state.core.life.runs.iter().find(|run| run.by.run == fact.effect);
    let Some(run) = run.filter(|_| fact.sessions().next().is_some() || !fact.entries.is_empty())
    else {
        return;
    };
    let run = &run.clone();
    // Whoever is in a session that the run names late never judges the block it works on.
    if run.access == Access::Write && fact.sessions().next().is_some() {
        let sessions = run.by.sessions().cloned();
        state.blocks.change(&run.item, |block| block.sessions.extend(sessions));
    }
    let of_kind = |kind| fact.entries.iter().filter(move |one| one.kind == kind);
    for said in of_kind("refused") {
        not_taken(state, run, format!("run {}: {}", fact.effect, clip(&said.text, 200)));
    }
    for said in of_kind("scratchpad") {
        match scratchpad::read(&said.text) {
            Ok(form) => {
                wrote(state, run, at);
                files::enter(state, Entry::of(&form, program(run), fact.effect, at));
            }
            Err(fault) => {
                state.core.life.last_problem = Some(fault.diagnostic());
                let (run_id, said) = (fact.effect, one_line(&said.text));
                let text = format!("run {run_id}: an entry was not taken: {fault}: {said}");
                not_taken(state, run, text);
            }
        }
    }
}

/// How those at work sign.
fn program(run: &Run) -> String {
    match run.access {
        Access::Write => block::program(&run.item),
        Access::ReadOnly => run.role.trim_start_matches("grid-").to_owned(),
    }
}

fn wrote(state: &mut State, run: &Run, at: Millis) {
    if run.access == Access::Write {
        state.blocks.change(&run.item, |block| {
            let entries = block.writing.as_ref().map_or(0, |writing| writing.entries);
            let entries = entries.saturating_add(1);
            block.writing = Some(Writing { at, entries, noticed: false });
        });
    }
}

/// That an entry was not taken is found of the block at work: who works on it next and who judges it are told.
fn not_taken(state: &mut State, run: &Run, text: String) {
    state.core.counts.bad_entries += 1;
    if run.access == Access::Write {
        state.blocks.change(&run.item, |one| block::add_finding(one, text.clone()));
    }
    state.concern(text);
}

/// Blocks at work whose silence was not told yet, each with when it was last heard of.
fn writing(state: &State) -> impl Iterator<Item = (&Block, &Writing)> {
    let runs = state.core.life.runs.iter().filter(|run| run.access == Access::Write);
    let blocks = runs.filter_map(|run| state.blocks.get(&run.item));
    let writing = blocks.filter_map(|block| Some((block, block.writing.as_ref()?)));
    writing.filter(|(_, writing)| !writing.noticed)
}

/// The earliest moment at which the silence of a run becomes a notice.
pub(super) fn next_notice(state: &State) -> Option<Millis> {
    writing(state).map(|(_, writing)| scratchpad::notice_at(writing.at)).min()
}

/// Ten minutes without a word to the scratchpad are told once.
pub(super) fn tell_silence(state: &mut State, at: Millis) {
    let silent = writing(state).filter(|(_, writing)| at.saturating_sub(writing.at) >= SILENCE);
    let silent: Vec<String> = silent.map(|(block, _)| block.id.clone()).collect();
    for id in silent {
        state.blocks.change(&id, |block| {
            block.writing.iter_mut().for_each(|writing| writing.noticed = true);
        });
        let program = block::program(&id);
        state.concern(format!("{program} has not written to the scratchpad for ten minutes"));
    }
}
