//! Failures: each is kept with what it forbids, and the block is retried, unless it failed too often or did something
//! forbidden.

use super::report::{ExecutorReport, Failure};
use super::role::Role;
use super::state::{Block, BlockStatus, State};
use crate::mission::prelude::*;

/// How many lost runs of a block cost it no attempt.
const MOST_LOST: u32 = 10;

/// The most failures of one block that are kept.
const MOST_FAILURES: usize = 10;

/// Everything a report says was tried.
pub(super) fn tried(report: &ExecutorReport) -> Vec<String> {
    let failed = report.failure.iter().flat_map(|failure| &failure.tried);
    report.approaches.iter().cloned().chain(failed.map(|one| one.approach.clone())).collect()
}

/// What an earlier failure forbids, in the words in which it was said; the failures of this run are not
/// counted yet.
pub(super) fn forbidden(block: &Block) -> Vec<String> {
    let all = block.failures.iter().flat_map(|failure| &failure.do_not_retry);
    all.map(|line| one_line(line)).collect()
}

/// What is compared: neither case nor the end of a sentence makes another approach of it.
fn plain(line: &str) -> String {
    one_line(line).trim_end_matches(['.', '!', '?', ';', ':', ',', ' ']).to_lowercase()
}

/// What of a held report an earlier failure forbids.
pub(super) fn held_again(state: &State, id: &str) -> Option<String> {
    let held = state.blocks.get(id)?.held.as_ref()?;
    forbidden_again(state, id, &tried(held))
}

pub(super) fn forbidden_again(state: &State, id: &str, tried: &[String]) -> Option<String> {
    let block = state.blocks.get(id)?;
    let forbids = forbidden(block);
    let same = |line: &&String| forbids.iter().any(|one| plain(one) == plain(line));
    let line = tried.iter().find(same)?;
    Some(format!("it tried again what an earlier failure forbids: {}", one_line(line)))
}

/// Keeps a failure for those who try again. What must not be tried again is never forgotten with the
/// failure that said so.
pub(super) fn remember(block: &mut Block, failure: Failure) {
    block.failures.push(in_lines(failure));
    if block.failures.len() > MOST_FAILURES {
        let oldest = block.failures.remove(0);
        if let Some(next) = block.failures.first_mut() {
            let mut kept = oldest.do_not_retry;
            kept.append(&mut next.do_not_retry);
            kept.dedup();
            next.do_not_retry = kept;
        }
        block.forgotten = block.forgotten.saturating_add(1);
    }
}

/// An execution failed. It is retried, unless it failed too often or did what was forbidden.
pub(super) fn fail(state: &mut State, id: &str, failure: Failure, forbidden: Option<String>) {
    let most = state.core.settings.attempts_per_block;
    let mut attempts = 0;
    let why = failure.hypothesis.clone().unwrap_or_else(|| "no hypothesis".to_owned());
    let why = match &forbidden {
        Some(line) => one_line(&format!("{line}; {why}")),
        None => one_line(&why),
    };
    let hypothesis = Some(why.clone()).filter(|_| forbidden.is_some());
    let failure = Failure { hypothesis: hypothesis.or(failure.hypothesis.clone()), ..failure };
    state.blocks.change(id, |block| {
        block.attempts += 1;
        attempts = block.attempts;
        remember(block, failure);
    });
    state.core.counts.failures += 1;
    State::note(&mut state.core.concerns, format!("{id} failed: {why}"));
    let code = if forbidden.is_some() { Code::ForbiddenRetry } else { Code::BlockFailed };
    let got = forbidden.clone().unwrap_or(why);
    let problem = Error::new(code, format!("block {id}"), "an executed block", got);
    state.core.life.last_problem = Some(problem.diagnostic());
    let stuck = attempts >= most || forbidden.is_some();
    state.set_status(id, if stuck { BlockStatus::Stuck } else { BlockStatus::Retry });
}

/// A run went without leaving a result, most often with its driver: that says nothing about the block, so
/// it costs no attempt. Who is lost again and again does.
pub(super) fn lost(state: &mut State, id: &str, error: &Error) {
    let mut times = 0;
    state.blocks.change(id, |block| {
        block.lost += 1;
        times = block.lost;
    });
    if times > MOST_LOST {
        return fail(state, id, silent(&error.diagnostic()), None);
    }
    State::note(&mut state.core.concerns, format!("{id}: a run was lost: {error}"));
    state.core.life.last_problem = Some(error.diagnostic());
    state.set_status(id, BlockStatus::Retry);
}

/// Each word of it in one line. How long they may be is the form's to say: nothing is cut here.
fn in_lines(mut failure: Failure) -> Failure {
    let line = |text: &mut String| *text = one_line(text);
    failure.do_not_retry.iter_mut().for_each(line);
    failure.do_not_retry.retain(|text| !text.is_empty());
    for one in &mut failure.tried {
        line(&mut one.approach);
        line(&mut one.reason);
    }
    failure.created.iter_mut().for_each(line);
    failure.commits.iter_mut().for_each(line);
    let words = [&mut failure.thread, &mut failure.hypothesis, &mut failure.suggested_retry];
    words.into_iter().flatten().for_each(line);
    failure
}

/// An execution failed that left no report that counts.
pub(super) fn without_report(state: &mut State, id: &str, problem: Diagnostic) {
    state.step_done(Role::Executor, id);
    fail(state, id, silent(&problem), None);
    state.core.life.last_problem = Some(problem);
}

fn silent(problem: &Diagnostic) -> Failure {
    Failure { attempts: 1, hypothesis: Some(problem.to_string()), ..Failure::default() }
}
