//! One turn: how a promise changes the criteria, how far the coach's word counts, and how the turn is decided.
//!
//! The engine computes the decision; the coach's word is one of its inputs. Every turn begins with
//! nothing shown: the player promises anew and the coach verifies at the head of this turn, so that no
//! criterion is taken over from a tree that has changed since.

use super::decide::TIMEOUT;
use super::decision::{self, Decision};
use super::feedback;
use super::files;
use super::matching::{self, MatchedBy};
use super::report::{CoachReport, PlayerReport};
use super::settle::deadline;
use super::state::{
    Checkpoint, Play, PlayStep, Promise, State, StopReason, Task, TaskStatus, Topic, TurnMark,
};
use crate::mission::prelude::*;
use crate::vocab::ledger::{self, Judgement};
use crate::vocab::verdict::{Claim, ClaimStatus};

/// The most characters that the faults of one report are told in.
const MOST_FAULTS: usize = 4_000;

/// Checks that a report speaks of this task and this turn.
fn about(state: &State, run: &Run, task: Option<&str>, turn: Option<u64>) -> Result<()> {
    let present = state.play(&run.item).map_or(0, |play| play.turn);
    let wrong = |at: &str, expected: String, got: String| {
        Err(Error::new(Code::WrongSubject, format!("json.{at}"), expected, got))
    };
    match (task, turn) {
        (Some(task), _) if task != run.item => wrong("task_id", run.item.clone(), task.to_owned()),
        (_, Some(turn)) if turn != u64::from(present) => {
            wrong("turn", present.to_string(), turn.to_string())
        }
        _ => Ok(()),
    }
}

/// The faults of a report that the same run has not been asked to correct yet: the first, with the others
/// after it, since there is one chance to correct them all. If the run was asked before, the faulty rows show
/// nothing and the rest counts.
fn asks_again(run: &Run, faults: &[Diagnostic]) -> Result<()> {
    match faults.split_first() {
        Some((fault, others)) if run.corrects.is_none() => {
            let others = others.iter().map(|one| {
                format!("; and at {}: expected {}, got {}", one.at, one.expected, one.got)
            });
            let got: String = std::iter::once(fault.got.clone()).chain(others).collect();
            Err(Error::new(fault.code, &fault.at, &fault.expected, clip(&got, MOST_FAULTS)))
        }
        _ => Ok(()),
    }
}

/// Enters a player's promise.
///
/// # Errors
/// `wrong_subject`, or the first fault of a row while the run has not been asked to correct it.
pub(super) fn promised(state: &mut State, run: &Run, report: &PlayerReport) -> Result<()> {
    about(state, run, report.task_id.as_deref(), report.turn)?;
    let Some(task) = state.tasks.get(&run.item) else { return Ok(()) };
    let matched = matching::claims(&task.criteria, &report.rows, state.core.settings.matching);
    let faults: Vec<Diagnostic> = report.faults.iter().chain(&matched.faults).cloned().collect();
    asks_again(run, &faults)?;
    let complete: Vec<_> = matched
        .claims
        .iter()
        .filter(|claim| claim.status == ClaimStatus::Complete)
        .cloned()
        .collect();
    let rows = report.rows.iter().filter(|row| row.status == Some(ClaimStatus::Complete));
    let promise = Promise {
        by: run.by.clone(),
        claims: matched.claims,
        made: u64::try_from(rows.count()).unwrap_or(u64::MAX),
        statement: report.statement.clone().unwrap_or_default(),
        similar: similar(&matched.matched_by),
        faults,
        commit: state.core.life.head_word().to_owned(),
    };
    let test = !state.core.settings.test_command.is_empty();
    state.core.life.files.touch(files::PROGRESS);
    state.tasks.change(&run.item, |task| {
        ledger::reopen(&mut task.criteria);
        ledger::enter_claims(&mut task.criteria, &complete, &promise.by);
        if let Some(play) = task.play.as_deref_mut() {
            play.promise = Some(promise);
            play.tests = Finding::NotShown;
            play.step = if test { PlayStep::Test } else { PlayStep::Coach };
        }
    });
    Ok(())
}

/// The criteria whose claim was matched by similarity only; the record says so.
fn similar(matched_by: &BTreeMap<String, MatchedBy>) -> Vec<String> {
    let close = matched_by.iter().filter(|(_, by)| **by == MatchedBy::Similarity);
    close.map(|(id, _)| id.clone()).collect()
}

/// The result of a coach's report, apart from its changes to the criteria.
pub(super) struct Heard {
    /// How its rows were understood.
    pub(super) judgement: Judgement,
    /// The coach's own word.
    pub(super) word: Option<Decision>,
    /// What keeps the task from being approved whatever the criteria.
    pub(super) blocking: Vec<String>,
    /// What the coach wants said to the player.
    pub(super) feedback: String,
    /// Rows that could not be taken, or contradict themselves.
    pub(super) faults: Vec<Diagnostic>,
    /// Where coach and player disagree, in the coach's words.
    pub(super) discrepancies: BTreeMap<String, String>,
    /// Criteria that the coach agrees cannot be met now.
    pub(super) blocked: BTreeSet<String>,
    /// What the coach found about the tests.
    pub(super) tests: Finding,
}

/// Takes a coach's report: of a turn, or of a closed task that is shown again.
///
/// # Errors
/// `own_verdict`, `wrong_subject`, `inconsistent_verdict`, or the first fault of a row while the run
/// has not been asked to correct it.
pub(super) fn verified(
    state: &mut State,
    head: &mut Head,
    run: &Run,
    report: &CoachReport,
) -> Result<()> {
    let turn = report.turn.filter(|_| state.play(&run.item).is_some());
    about(state, run, report.task_id.as_deref(), turn)?;
    let Some(task) = state.tasks.get(&run.item) else { return Ok(()) };
    let mut heard = hear(task, run, report, state.core.life.head_word())?;
    tests_count(task, &mut heard);
    asks_again(run, &heard.faults)?;
    match state.play(&run.item) {
        None => shown_again(state, head.at, run, &heard),
        Some(_) => conclude(state, head, run, &heard)?,
    }
    Ok(())
}

/// What the engine saw of the tests goes before what the coach says of them; tests that fail are in the
/// way of every approval.
fn tests_count(task: &Task, heard: &mut Heard) {
    let seen = task.play.as_deref().map_or(Finding::NotShown, |play| play.tests);
    if seen != Finding::NotShown {
        heard.tests = seen;
    }
    if heard.tests == Finding::DoesNotHold {
        heard.blocking.push("the tests fail at this commit".to_owned());
    }
}

fn hear(task: &Task, run: &Run, report: &CoachReport, commit: &str) -> Result<Heard> {
    let claims = match task.play.as_deref() {
        Some(play) => play.promise.as_ref().map(|one| one.claims.clone()).unwrap_or_default(),
        None => kept(&task.criteria),
    };
    let mut matched = matching::verdicts(&task.criteria, &report.rows, &claims);
    // Its fault is noted; a verdict that does not say how shows nothing.
    matched.verdicts.retain(|verdict| !verdict.method.trim().is_empty());
    ledger::check_verdicts(&task.criteria, &matched.verdicts, &run.by)?;
    Ok(Heard {
        judgement: Judgement {
            by: run.by.clone(),
            commit: commit.to_owned(),
            verdicts: matched.verdicts,
            must_fix: report.blocking(),
        },
        word: report.decision,
        blocking: report.blocking(),
        feedback: words(report),
        faults: report.faults.iter().chain(&matched.faults).cloned().collect(),
        discrepancies: matched.discrepancies,
        blocked: matched.blocked.into_iter().collect(),
        tests: report.tests,
    })
}

/// What a closed task still promises: what was verified of it.
fn kept(criteria: &[Criterion]) -> Vec<Claim> {
    let verified = |one: &&Criterion| one.verified();
    let claim = |one: &Criterion| Claim {
        criterion: one.id.clone(),
        status: ClaimStatus::Complete,
        evidence: Vec::new(),
    };
    criteria.iter().filter(verified).map(claim).collect()
}

/// What the coach wants said to the player.
fn words(report: &CoachReport) -> String {
    report.feedback.clone().or_else(|| report.rationale.clone()).unwrap_or_default()
}

/// A closed task is shown again at this head, or reopened.
fn shown_again(state: &mut State, at: Millis, run: &Run, heard: &Heard) {
    let ordinal = state.core.life.ordinal();
    let mut lacking = Vec::new();
    let clear = heard.blocking.is_empty() && heard.word == Some(Decision::Approve);
    state.tasks.change(&run.item, |task| {
        lacking = ledger::renew(&mut task.criteria, &[&heard.judgement], &heard.judgement.commit);
        if lacking.is_empty() && clear {
            task.verified_ordinal = ordinal;
        }
    });
    state.core.closing.remove(&run.item);
    if lacking.is_empty() && clear {
        return;
    }
    let lost = lacking.iter().map(|id| format!("{id} no longer holds at the present head"));
    let said = (!heard.feedback.trim().is_empty()).then(|| heard.feedback.trim().to_owned());
    let feedback = lost.chain(heard.blocking.iter().cloned()).chain(said).collect();
    reopen(state, at, &run.item, feedback);
}

/// Opens a closed task again.
pub(super) fn reopen(state: &mut State, at: Millis, id: &str, feedback: Vec<String>) {
    state.core.counts.reopened += 1;
    state.core.life.end_with_deferred = false;
    state.begin_task(id, at);
    state.tasks.change(id, |task| {
        ledger::reopen(&mut task.criteria);
        task.reopened = true;
        if let Some(play) = task.play.as_deref_mut() {
            play.feedback = feedback;
        }
    });
}

/// Ends a turn: settles the criteria, decides, and finds out whether the loop goes on.
fn conclude(state: &mut State, head: &mut Head, run: &Run, heard: &Heard) -> Result<()> {
    let at = head.at;
    let Some(task) = state.tasks.get(&run.item) else { return Ok(()) };
    let Some(play) = task.play.as_deref() else { return Ok(()) };
    let mut criteria = task.criteria.clone();
    ledger::settle(&mut criteria, &[&heard.judgement], &heard.judgement.commit);
    let decided = decision::decision(&criteria, &[], heard.word, &heard.blocking);
    consistent(run, &criteria, heard)?;
    let mut play = play.clone();
    let tests = heard.tests;
    let lines = feedback_lines(&criteria, &play, heard);
    let mark = mark(&criteria, &play, heard, &lines, tests);
    note_turn(&mut play, mark, tests, &heard.judgement.commit);
    let approved = decided.decision == Decision::Approve;
    let stop = stop_reason(&play, approved, at);
    let asks = blocked_criteria(&mut play, heard);
    let record = files::Turn {
        task,
        play: &play,
        criteria: &criteria,
        run,
        heard,
        decided: &decided,
        lines: &lines,
        stop,
    };
    let (line, progress) = (record.line(at), record.progress());
    state.core.counts.turns += 1;
    state.core.counts.overruled += u64::from(decided.overruled.is_some());
    files::turn_ended(state, line, progress);
    let id = run.item.clone();
    play.feedback = lines;
    state.tasks.change(&id, |task| {
        task.criteria = criteria;
        task.play = Some(Box::new(play));
    });
    match stop {
        Some(StopReason::Approved) => {
            complete(state, &id);
            withdraw_timer(head, &id);
        }
        Some(reason) => {
            state.stop_task(&id, reason);
            withdraw_timer(head, &id);
        }
        None => {
            next_turn(state, &id);
            if let Some((criteria, confirmed)) = asks {
                let topic = Topic::Blocked { task: id, criteria, confirmed };
                state.core.life.ask(&topic);
            }
        }
    }
    Ok(())
}

/// A coach that found everything to hold and nothing in the way, and says no all the same, has left
/// something out.
fn consistent(run: &Run, criteria: &[Criterion], heard: &Heard) -> Result<()> {
    let whole = criteria.iter().all(Criterion::settled) && heard.blocking.is_empty();
    match heard.word {
        Some(Decision::Feedback) if whole && run.corrects.is_none() => {
            let expected = "what is in the way as a blocking issue, or approve";
            Err(Error::new(Code::InconsistentVerdict, "json.decision", expected, "feedback"))
        }
        _ => Ok(()),
    }
}

/// What the next player is told: every criterion that is not shown and why, what blocks, and the
/// coach's own words.
fn feedback_lines(criteria: &[Criterion], play: &Play, heard: &Heard) -> Vec<String> {
    let mut lines = Vec::new();
    for criterion in criteria.iter().filter(|criterion| !criterion.settled()) {
        let id = &criterion.id;
        let said = heard.discrepancies.get(id);
        let said = said.map(|words| format!(" {words}")).unwrap_or_default();
        lines.push(match &criterion.state {
            CriterionState::Rejected { why, .. } => format!("{id} does not hold: {why}{said}"),
            CriterionState::Claimed { .. } => {
                format!("{id} was claimed but is not shown to hold.{said}")
            }
            CriterionState::Open
            | CriterionState::Verified { .. }
            | CriterionState::Waived { .. } => format!("{id} was not promised as complete.{said}"),
        });
    }
    lines.extend(heard.blocking.iter().map(|issue| format!("In the way: {issue}")));
    let promise = play.promise.as_ref();
    let faults = promise.into_iter().flat_map(|promise| &promise.faults);
    lines.extend(
        faults.map(|fault| format!("The promise could not be taken as it stands: {fault}")),
    );
    if !heard.feedback.trim().is_empty() {
        lines.push(heard.feedback.trim().to_owned());
    }
    lines
}

fn mark(
    criteria: &[Criterion],
    play: &Play,
    heard: &Heard,
    lines: &[String],
    tests: Finding,
) -> TurnMark {
    // What the coach says is what goes in circles; where it says nothing, what is not shown does.
    let said = match heard.feedback.trim().is_empty() {
        true => lines.join("\n"),
        false => format!("{}\n{}", heard.feedback, heard.blocking.join("\n")),
    };
    let count = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
    let settled = criteria.iter().filter(|criterion| criterion.settled());
    let newly = settled.clone().filter(|one| !play.verified_before.contains(&one.id)).count();
    let promise = play.promise.as_ref();
    let claimed = |id: &str| {
        let claims = promise.map(|promise| promise.claims.as_slice()).unwrap_or_default();
        claims.iter().any(|one| one.criterion == id && one.status == ClaimStatus::Complete)
    };
    let true_claims = criteria.iter().filter(|one| one.verified() && claimed(&one.id));
    let made = promise.map_or(0, |promise| promise.made);
    TurnMark {
        turn: play.turn,
        signature: feedback::signature(&said),
        verified: count(settled.count()),
        newly: count(newly),
        honesty: (made > 0).then(|| (count(true_claims.count()), made)),
        tests,
    }
}

fn note_turn(play: &mut Play, mark: TurnMark, tests: Finding, commit: &str) {
    if tests == Finding::Holds {
        play.passing = Some(Checkpoint { turn: play.turn, commit: commit.to_owned() });
    }
    play.tests = tests;
    play.turns.push(mark);
    if play.turns.len() > Play::MOST_TURNS {
        play.turns.remove(0);
    }
}

/// Why the loop ends after this turn, if it does: the first reason that applies.
pub(super) fn stop_reason(play: &Play, approved: bool, at: Millis) -> Option<StopReason> {
    let collapsed = || {
        let scores: Vec<(u64, u64)> = play.turns.iter().filter_map(|turn| turn.honesty).collect();
        super::progress::collapsed(&scores)
    };
    let failing = || {
        let last = play.turns.iter().rev().take(3);
        let fails = last.filter(|turn| turn.tests == Finding::DoesNotHold).count();
        play.passing.is_some() && fails == 3
    };
    let stalled = || {
        let history: Vec<(String, u64, u64)> = play
            .turns
            .iter()
            .map(|turn| (turn.signature.clone(), turn.verified, turn.newly))
            .collect();
        feedback::stalled(&history)
    };
    if play.stop == Some(StopReason::Cancelled) {
        Some(StopReason::Cancelled)
    } else if play.deadline.is_some_and(|deadline| deadline <= at) {
        Some(StopReason::TimedOut)
    } else if approved {
        Some(StopReason::Approved)
    } else if collapsed() {
        Some(StopReason::HonestyCollapsed)
    } else if failing() {
        Some(StopReason::NoPassingCheckpoint)
    } else if stalled() {
        Some(StopReason::FeedbackStalled)
    } else if play.turn >= play.turn_limit {
        Some(StopReason::TurnLimit)
    } else {
        None
    }
}

/// Criteria to ask the user about: those whose block the coach confirmed, or which the player insists
/// on although a coach heard it before. A block is put to a coach once.
fn blocked_criteria(play: &mut Play, heard: &Heard) -> Option<(Vec<String>, bool)> {
    let claims = play.promise.as_ref().map(|promise| promise.claims.as_slice()).unwrap_or_default();
    let claimed: Vec<String> = claims
        .iter()
        .filter(|claim| claim.status == ClaimStatus::Blocked)
        .map(|claim| claim.criterion.clone())
        .collect();
    let confirmed: Vec<String> =
        claimed.iter().filter(|id| heard.blocked.contains(*id)).cloned().collect();
    let insisted: Vec<String> =
        claimed.iter().filter(|id| play.blocks_heard.contains(*id)).cloned().collect();
    play.blocks_heard.extend(claimed);
    match (confirmed.is_empty(), insisted.is_empty()) {
        (false, _) => Some((confirmed, true)),
        (true, false) => Some((insisted, false)),
        (true, true) => None,
    }
}

/// The task is closed.
pub(super) fn complete(state: &mut State, id: &str) {
    let ordinal = state.core.life.ordinal();
    state.tasks.change(id, |task| {
        task.status = TaskStatus::Completed;
        task.play = None;
        task.verified_ordinal = ordinal;
    });
    state.core.life.step_done(id);
    state.core.life.files.touch(files::PROGRESS);
}

/// The next turn begins with what the last one left.
pub(super) fn next_turn(state: &mut State, id: &str) {
    state.tasks.change(id, |task| {
        let settled = State::settled_ids(task);
        if let Some(play) = task.play.as_deref_mut() {
            play.turn += 1;
            play.step = PlayStep::Play;
            play.promise = None;
            play.tests = Finding::NotShown;
            play.verified_before = settled;
        }
    });
    state.core.life.step_done(id);
}

/// The loop of a stopped task goes on, with as many turns again.
pub(super) fn go_on(state: &mut State, id: &str, at: Millis, step: PlayStep) {
    let (turns, timeout) = (state.core.settings.max_turns, state.core.settings.task_timeout_ms);
    next_turn(state, id);
    state.tasks.change(id, |task| {
        task.status = TaskStatus::InProgress;
        if let Some(play) = task.play.as_deref_mut() {
            play.stop = None;
            play.turn_limit = play.turn.saturating_add(turns - 1);
            play.turns.clear();
            play.deadline = deadline(timeout, at);
            play.step = step;
        }
    });
    state.core.life.files.touch(files::PROGRESS);
}

/// A task that is closed or stopped needs no timer.
pub(super) fn withdraw_timer(head: &mut Head, id: &str) {
    let name = format!("{TIMEOUT}{id}");
    head.withdraw(|order| matches!(order, Order::SetTimer(timer) if timer.name == name));
}
