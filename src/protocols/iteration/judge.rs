//! What the handler finds after a run: answers are gathered condition by condition, as far as they are
//! needed, and then the run is judged once.
//!
//! A mission becomes done here and nowhere else, unless the user skips it.

use super::apply::STEP;
use super::files::SUMMARIES;
use super::handler::{Answer, Eval, Handler, Verdict, custom};
use super::role::AGENT;
use super::state::{Done, HandlerSilent, Judgement, State};
use crate::mission::life::Topic;
use crate::mission::prelude::*;
use crate::vocab::event::Consulted;

/// Takes the answer of host code.
pub(super) fn consulted(state: &mut State, fact: &Consulted, at: Millis) {
    let place = state.core.next_condition();
    let settings = state.core.settings.clone();
    let leaf = place.and_then(|place| settings.handler.leaves().get(place).copied().cloned());
    let Some(Handler::Custom(custom)) = leaf else { return };
    let none = || {
        let expected = "an answer that fits the schema `consult-answer`";
        Error::new(Code::NotShown, &custom.handler, expected, "none").diagnostic()
    };
    let read = match &fact.answer {
        None => Err(fact.problem.clone().unwrap_or_else(none)),
        Some(text) => {
            custom::read(text).map_err(|error| error.within(&custom.handler).diagnostic())
        }
    };
    let answer = match read {
        Err(problem) => Answer::not_shown(problem),
        Ok(said) => {
            state.core.next_prompt = said.prompt.filter(|prompt| !prompt.trim().is_empty());
            state.core.memory = said.memory.or(state.core.memory.take());
            let word = if said.complete { "complete" } else { "not complete" };
            let words = said.description.filter(|words| !words.trim().is_empty());
            let words = words.unwrap_or_else(|| format!("{} says: {word}", custom.handler));
            Answer::shown(said.complete, words)
        }
    };
    answered(state, answer, at);
}

/// Takes the answer to the condition that was asked.
pub(super) fn answered(state: &mut State, answer: Answer, at: Millis) {
    let Some(place) = state.core.next_condition() else { return };
    // A command or host code may have moved the head as well as a run.
    state.core.unseen = state.core.settings.follow_head;
    match answer.problem.clone().filter(|_| answer.finding == Finding::NotShown) {
        None => {
            state.core.unshown = 0;
            take(state, place, answer, at);
        }
        Some(problem) => not_shown(state, place, answer, problem, at),
    }
}

/// Nothing was shown: the user is told, and asked when it happens again and again. Host code is asked
/// again at once, for a run costs more; what a command could not tell is looked at after the next run.
fn not_shown(state: &mut State, place: usize, answer: Answer, problem: Diagnostic, at: Millis) {
    let core = &mut *state.core;
    core.unshown += 1;
    core.unshown_answers += 1;
    core.life.last_problem = Some(problem.clone());
    core.life.files.say(Level::Warning, format!("whether it is complete was {}", answer.words));
    let leaf = core.settings.handler.leaves().get(place).copied().cloned();
    if core.unshown >= core.settings.attempts_per_step {
        let condition = u32::try_from(place).unwrap_or(u32::MAX);
        core.life.ask(&HandlerSilent { condition, problem });
    } else if !matches!(leaf, Some(Handler::Custom(_))) {
        take(state, place, answer, at);
    }
}

/// The user wants to go on although nothing was shown.
pub(super) fn go_on(state: &mut State, condition: u32, problem: Diagnostic, at: Millis) {
    state.core.unshown = 0;
    if let Ok(place) = usize::try_from(condition) {
        take(state, place, Answer::not_shown(problem), at);
    }
}

fn take(state: &mut State, place: usize, answer: Answer, at: Millis) {
    let answers = state.core.judging.as_mut().map(|judging| &mut judging.answers);
    if let Some(open) = answers.and_then(|answers| answers.get_mut(place)) {
        *open = Some(answer);
    }
    conclude(state, at);
}

/// Judges the run, if every answer that is needed is there, and it left the head where the mission goes on.
pub(super) fn conclude(state: &mut State, at: Millis) {
    let core = &mut *state.core;
    let Some(judging) = core.judging.take_if(|_| !core.unseen) else { return };
    let Verdict { finding, words, closed_by } = match core.handler().evaluate(&judging.answers) {
        Eval::Known(verdict) => verdict,
        Eval::Needs(_) => {
            core.judging = Some(judging);
            return;
        }
    };
    let iteration = judging.iteration;
    let found = Judgement { iteration, finding, words, answers: judging.answers.clone() };
    let line = core.line(&judging, &found);
    core.life.files.append(SUMMARIES, &line);
    if finding == Finding::Holds {
        let description = found.words.clone();
        core.done = Some(Done { at, iteration, closed_by, description, waived: Vec::new() });
    }
    core.last = Some(found);
    ask_if_stuck(state);
}

/// Failed runs in a row lead to a question, unless the mission is done all the same.
pub(super) fn ask_if_stuck(state: &mut State) {
    let core = &mut *state.core;
    let stuck = core.life.attempts(STEP) >= core.settings.attempts_per_step;
    if !stuck || core.done.is_some() || !core.life.asking.is_empty() {
        return;
    }
    let problem = core.life.last_problem.clone();
    let problem =
        problem.unwrap_or_else(|| Error::new(Code::RunFailed, AGENT, "a run", "none").diagnostic());
    let (role, item) = (AGENT.to_owned(), String::new());
    core.life.asking.push(Topic::StepStuck { role, item, problem });
}
