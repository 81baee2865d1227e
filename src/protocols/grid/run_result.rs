//! What a run that ended has said. An executor's report counts whichever way its run ended, if it can be read and does
//! not contradict that.

use super::report::{Read, Report, extra};
use super::role::Role;
use super::state::{BlockStatus, State};
use super::{block, failures};
use crate::mission::life::{self, JudgedBy, Said, Unsaid};
use crate::mission::prelude::*;
use crate::vocab::event::{RunEnded, RunOutcome};
use crate::vocab::table::ids_of;

/// The most fields that one line names.
pub(super) const MOST_UNREAD: usize = 20;

/// The text of a report that counts.
pub(super) fn said(state: &State, run: &Run, fact: &RunEnded) -> Result<Said, Unsaid> {
    let executes = run.access == Access::Write;
    let speaks = match fact.outcome {
        RunOutcome::Success => true,
        RunOutcome::Partial | RunOutcome::Checkpoint | RunOutcome::Failed => executes,
        RunOutcome::Lost => false,
    };
    let text = fact.report.as_deref().filter(|text| speaks && !text.trim().is_empty());
    let text = text.ok_or_else(|| match fact.outcome {
        RunOutcome::Success => life::silent(),
        _ => life::unfinished(fact),
    })?;
    match (state.understand(&run.role, &run.item, text), fact.outcome) {
        (Ok(read), outcome) => {
            if let Ok((Report::Executor(report), _)) = read.get::<Read>() {
                block::fits(run, outcome, report).map_err(Unsaid::Unfit)?;
            }
            Ok(Said::new(text, read))
        }
        // A run that failed need not have found its words.
        (Err(_), RunOutcome::Failed) => Err(life::unfinished(fact)),
        (Err(fault), _) => Err(Unsaid::Unfit(fault)),
    }
}

/// A run ended. An executor that is lost says nothing of its block.
pub(super) fn heard(
    state: &mut State,
    run: &Run,
    fact: &RunEnded,
    said: Result<&Said, &Error>,
) -> JudgedBy {
    match said {
        Err(fault) if fact.outcome == RunOutcome::Lost && run.access == Access::Write => {
            state.core.life.counts.failed_runs += 1;
            state.step_done(Role::Executor, &run.item);
            failures::lost(state, &run.item, fault);
            return JudgedBy::Tree;
        }
        Err(_) => {}
        Ok(said) => tell_unread(state, run, said),
    }
    JudgedBy::Report
}

/// Reports the fields that the engine does not read: what their author meant by them does not happen.
fn tell_unread(state: &mut State, run: &Run, said: &Said) {
    let read = said.read(state, run);
    let read = read.as_ref().ok().and_then(|read| read.get::<Read>().ok());
    let (Some(role), Some((_, unread))) = (Role::parse(&run.role), read) else { return };
    let mut unread = unread.clone();
    unread.retain(|at| !extra::is_kept(role, at));
    let Some(first) = unread.first() else { return };
    let beyond = unread.len().saturating_sub(MOST_UNREAD);
    let more = (beyond > 0).then(|| format!("and {beyond} more"));
    let names: Vec<String> = unread.iter().take(MOST_UNREAD).cloned().chain(more).collect();
    let names = names.join(", ");
    let expected = match role {
        Role::Recognizer => "a field of a verdict",
        Role::Planner => "a field of a plan",
        _ => "a field of the report",
    };
    let whose = role.as_str().trim_start_matches("grid-");
    let error = Error::new(Code::UnknownField, first, expected, &names);
    state.core.life.last_problem = Some(error.diagnostic());
    let text = format!("fields of the {whose}'s report that nobody reads: {names}");
    match role {
        Role::Planner => state.core.life.files.say(Level::Warning, text),
        _ => state.concern(text),
    }
}

/// A block whose run is over and left no report that waits to be judged is retried: that run corrects its report, or
/// the next one begins.
pub(super) fn goes_on(state: &mut State) {
    let life = &state.core.life;
    let ended = life.ended.iter().filter(|ended| ended.report.is_some()).map(|ended| &ended.run);
    let at_work: Vec<&String> = life.runs.iter().chain(ended).map(|run| &run.item).collect();
    let active = state.blocks.live().filter(|block| block.status == BlockStatus::Active);
    let over = ids_of(active.filter(|block| !at_work.contains(&&block.id)));
    over.iter().for_each(|id| state.set_status(id, BlockStatus::Retry));
}
