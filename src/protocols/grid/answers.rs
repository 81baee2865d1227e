//! The meaning of the user's answers, topic by topic. The type of each was checked at admission.

use super::debug::{DebugReport, DebugSession, DebugStatus, MOST_RUNS};
use super::failures;
use super::queries::share_key;
use super::report::{CheckpointType, Failure};
use super::role::Role;
use super::state::{BlockStatus, Gap, State, Topic};
use super::{block, checkpoint, declared, reverts, user_words};
use crate::mission::ask::unfit;
use crate::mission::life;
use crate::mission::prelude::*;
use crate::vocab::ledger;
use crate::vocab::question::Answer;
use crate::vocab::table::ids_of;

/// Takes the answer to a question of its own, or the word to go on without a step.
pub(super) fn answered(
    state: &mut State,
    context: &mut Context<'_>,
    asked: &life::Topic,
    answer: &Answer,
) -> Result<()> {
    if let life::Topic::StepStuck { role, item, problem } = asked {
        go_on_without(state, role, item, problem);
        return Ok(());
    }
    let Some(topic) = asked.particular() else { return Err(unfit(asked, answer)) };
    match (topic, answer) {
        (Topic::Checkpoint { block }, answer) => checkpoint(state, &block, answer),
        (Topic::Architecture { block, changes }, Answer::Choice { option }) => {
            architecture(state, &block, &changes, option);
        }
        (Topic::BlockFailed { block }, Answer::Choice { option }) => {
            after_failure(state, context.head.at, &block, option);
        }
        (Topic::GapsRemain { count }, Answer::Choice { option }) => gaps(state, count, option),
        (Topic::Anomaly { text }, Answer::Choice { option }) => anomaly(state, &text, option),
        (Topic::Trust { commands }, Answer::Choice { option }) => {
            declared::answered(state, commands, option);
        }
        (Topic::Threshold { counter, limit }, Answer::Choice { option }) => match option.as_str() {
            "go_on" => drop(state.core.confirmed.insert(share_key(counter, limit))),
            _ => {
                let got = format!("most of {limit} spent");
                block_on(state, Code::BudgetSpent, counter.as_str(), "a word to go on", &got);
            }
        },
        (_, answer) => return Err(unfit(asked, answer)),
    }
    Ok(())
}

fn block_on(state: &mut State, code: Code, at: &str, expected: &str, got: &str) {
    state.core.life.blocked = Some(Error::new(code, at, expected, got).diagnostic());
}

fn go_on_without(state: &mut State, role: &str, item: &str, problem: &Diagnostic) {
    let step = state.step(role, item);
    state.core.life.step_done(&step);
    if role == Role::Learner.as_str() {
        state.core.captured = true;
        return;
    }
    if let Some(refinement) = state.core.refinement.as_mut() {
        refinement.skipped.insert(item.to_owned(), one_line(&problem.to_string()));
    }
    state.core.life.files.touch(super::files::VERIFICATION);
}

/// The answer goes to a fresh run that knows what was done, what was said and where to go on.
fn checkpoint(state: &mut State, id: &str, answer: &Answer) {
    let open = state.blocks.get(id).and_then(|block| block.checkpoint.as_ref());
    let kind = open.map(|one| one.kind);
    match (kind, answer) {
        (Some(CheckpointType::HumanAction), Answer::ManualStep { done: false, note }) => {
            let asked = open.and_then(|one| one.what_you_need_to_do.as_deref()).unwrap_or_default();
            let asked = one_line(asked);
            state.said(&format!("{id}: {asked}: not done: {note}"));
            user_words::keep(
                state,
                id,
                &format!("Asked to act ({asked}), a person said: not done"),
                note,
            );
            block_on(state, Code::CheckpointOpen, id, "the step that only a person can do", note);
        }
        (Some(_), Answer::ManualStep { done, note }) => {
            let word = if *done { "done" } else { "not as it should be" };
            checkpoint::pass(state, id, &format!("{word}: {note}"), false, !done);
        }
        (Some(_), Answer::Choice { option }) => {
            checkpoint::pass(state, id, &checkpoint::choice(option), false, false);
        }
        _ => {}
    }
}

/// Only what the question listed is allowed, or taken back.
fn architecture(state: &mut State, id: &str, changes: &[String], option: &str) {
    match option {
        "accept" => {
            state.blocks.change(id, |block| reverts::allow(block, changes));
            for change in changes {
                state.said(&format!("{id}: rule 4, allowed: {change}"));
            }
            let Some(block) = state.blocks.get(id) else { return };
            let more = block::undecided(block).next().is_some();
            let more = more || failures::held_again(state, id).is_some();
            if let Some(held) = block.held.clone().filter(|_| !more) {
                block::execute(state, id, &held);
            }
        }
        "take_back" => take_back(state, id, changes),
        _ => block_on(state, Code::BlockFailed, id, "a word on the change", "none"),
    }
}

/// A success without the change is to be retried; a block that failed or waits goes on with the word
/// that forbids it.
fn take_back(state: &mut State, id: &str, changes: &[String]) {
    let failure = Failure {
        attempts: 1,
        hypothesis: Some("The user does not want this architectural change".to_owned()),
        suggested_retry: Some(format!("Take it back and do without: {}", changes.join("; "))),
        do_not_retry: changes.to_vec(),
        ..Failure::default()
    };
    let mut held = None;
    state.blocks.change(id, |block| held = block.held.take());
    reverts::refuse(state, id, changes, held.as_deref());
    match held {
        Some(_) => failures::fail(state, id, failure, None),
        None => drop(state.blocks.change(id, |block| failures::remember(block, failure))),
    }
}

fn after_failure(state: &mut State, at: Millis, id: &str, option: &str) {
    let held = state.blocks.get(id).and_then(|block| block.held.clone());
    if let (Some(held), "accept") = (&held, option) {
        state.said(&format!("{id}: taken as it is, although it was forbidden"));
        return block::execute(state, id, held);
    }
    if option != "stop" {
        state.blocks.change(id, |block| block.held = None);
        if option != "skip" {
            state.said(&format!("{id} failed too often: {option}"));
        }
    }
    match option {
        "more" => {
            state.blocks.change(id, |block| block.attempts = 0);
            state.set_status(id, BlockStatus::Retry);
        }
        "debug" => investigate(state, at, id),
        "skip" => let_go(state, id, "skipped after it failed"),
        "defer" => state.set_status(id, BlockStatus::Deferred),
        _ => block_on(state, Code::BlockFailed, id, "an executed block", "failed too often"),
    }
}

/// A debug session begins, or goes on where it was.
fn investigate(state: &mut State, at: Millis, id: &str) {
    state.blocks.change(id, |block| match &mut block.debug {
        Some(session) => session.runs = 0,
        None => block.debug = Some(Box::new(DebugSession::open(id, &block.failures, at))),
    });
    touch_session(state, id);
    state.set_status(id, BlockStatus::Debugging);
}

fn touch_session(state: &mut State, id: &str) {
    let session = state.blocks.get(id).and_then(|block| block.debug.as_ref());
    if let Some(path) = session.map(|session| session.path()) {
        state.core.life.files.touch(&path);
    }
}

/// A debugger has reported: resolved, the block is retried; not resolved after so many runs, the user
/// is asked again.
///
/// # Errors
/// As [`DebugSession::take`].
pub(super) fn debugged(
    state: &mut State,
    id: &str,
    report: &DebugReport,
    at: Millis,
) -> Result<()> {
    let mut session =
        state.blocks.get(id).and_then(|block| block.debug.clone()).ok_or_else(|| {
            Error::new(Code::UnknownItem, "block", "a block that is investigated", id)
        })?;
    session.take(report, at)?;
    let status = match (report.status, session.runs >= MOST_RUNS) {
        (DebugStatus::Resolved, _) => BlockStatus::Retry,
        (_, true) => BlockStatus::Stuck,
        (_, false) => BlockStatus::Debugging,
    };
    state.core.warmth.merge(&report.lessons_learned);
    state.blocks.change(id, |block| {
        if status == BlockStatus::Retry {
            block.attempts = 0;
        }
        block.debug = Some(session);
    });
    touch_session(state, id);
    state.set_status(id, status);
    Ok(())
}

/// The user lets a block go.
pub(super) fn let_go(state: &mut State, id: &str, why: &str) {
    state.said(&format!("{id} was let go: {why}"));
    user_words::keep(state, id, "The user let it go", why);
    state.blocks.change(id, |block| {
        ledger::waive_open(&mut block.criteria, "user", why);
        (block.checkpoint, block.held, block.resume) = (None, None, None);
        block.asked.clear();
    });
    state.core.gaps.retain(|gap| gap.block != id);
    state.step_done(Role::Executor, id);
    state.set_status(id, BlockStatus::Skipped);
}

fn gaps(state: &mut State, count: u32, option: &str) {
    let behind = state.is_behind();
    match option {
        "more" if behind => state.core.patrol_limit += 1,
        "more" => state.core.gap_limit += 1,
        "waive" => {
            for gap in std::mem::take(&mut state.core.gaps) {
                waive(state, &gap);
            }
            rejoin(state);
        }
        _ => block_on(state, Code::GapsFound, "gaps", "none", &count.to_string()),
    }
}

/// Waives a gap and lists it among the waivers: a gap that is no must-have becomes one for that.
fn waive(state: &mut State, gap: &Gap) {
    state.said(&format!("the gap {} was let go: {}", gap.name(), gap.reason));
    let named = state.blocks.get(&gap.block).map(|block| block.id.clone());
    let judged = state.to_judge().first().map(|block| block.id.clone());
    let Some(id) =
        named.or(judged).or_else(|| state.blocks.iter().last().map(|one| one.id.clone()))
    else {
        return;
    };
    state.blocks.change(&id, |block| {
        let open = |one: &&Criterion| one.id == gap.criterion && !one.settled();
        let wanted = block.criteria.iter().find(open).map(|one| one.id.clone());
        let wanted = wanted.unwrap_or_else(|| {
            let more = super::planning::must_have(block, gap);
            let id = more.id.clone();
            block.criteria.push(more);
            id
        });
        ledger::waive(&mut block.criteria, &wanted, "user", "no round of closure was left");
    });
}

/// Blocks that a patrol reopened get a wave of their own, in which they are closed or fixed.
pub(super) fn rejoin(state: &mut State) {
    let ids = ids_of(state.blocks.live());
    if state.is_behind() && !ids.is_empty() {
        state.append_wave(&ids);
    }
}

fn anomaly(state: &mut State, text: &str, option: &str) {
    match option {
        "gaps" => {
            state.core.anomaly = None;
            super::anomaly::reopen(state);
            let (block, criterion) = (String::new(), "anomaly".to_owned());
            state.core.gaps.insert(0, Gap { block, criterion, reason: text.to_owned() });
            state.core.gaps.truncate(super::wave::MOST_GAPS);
        }
        "again" => {
            state.core.anomaly = None;
            state.core.gaps.clear();
            super::anomaly::reopen(state);
            claim_again(state);
            rejoin(state);
        }
        _ => block_on(state, Code::CriticalAnomaly, "verification", "a wave in order", text),
    }
}

/// What was executed claims everything anew, and is judged anew.
pub(super) fn claim_again(state: &mut State) {
    for id in ids_of(state.blocks.live().filter(|block| block.status == BlockStatus::Executed)) {
        state.blocks.change(&id, |block| {
            let Some(by) = block.executed_by.clone() else { return };
            for criterion in block.criteria.iter_mut().filter(|one| !one.waived()) {
                let evidence = Vec::new();
                criterion.state = CriterionState::Claimed { by: by.clone(), evidence };
            }
            super::gaps::again(block);
        });
    }
}

pub(super) fn take_up_deferred(state: &mut State, _: &Head) {
    let ids = ids_of(state.blocks.iter().filter(|block| block.status == BlockStatus::Deferred));
    reopen_into_waves(state, &ids);
}

/// Blocks that are taken up again get waves of their own behind all others, by their dependencies.
pub(super) fn reopen_into_waves(state: &mut State, ids: &[String]) {
    let edges: Vec<(String, String)> = ids
        .iter()
        .filter_map(|id| state.blocks.get(id))
        .flat_map(|block| block.depends_on.iter().map(|from| (from.clone(), block.id.clone())))
        .filter(|(from, _)| ids.contains(from))
        .collect();
    let pairs = edges.iter().map(|(from, to)| (from.as_str(), to.as_str()));
    let levels = crate::plan::graph::levels(ids.iter().map(String::as_str), pairs);
    let deepest = levels.values().max().copied().unwrap_or(0);
    for level in 0..=deepest {
        let wave: Vec<String> = ids
            .iter()
            .filter(|id| levels.get(*id).copied().unwrap_or(0) == level)
            .cloned()
            .collect();
        if !wave.is_empty() {
            for id in &wave {
                state.blocks.change(id, |block| {
                    block.status = BlockStatus::Pending;
                    (block.attempts, block.put_off_with) = (0, false);
                });
            }
            state.append_wave(&wave);
        }
    }
}
