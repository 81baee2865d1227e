//! Checkpoints of a block: a person is asked, and a fresh run goes on from there.

use super::block::{MOST_CHANGES, add, in_line, undecided};
use super::report::{Checkpoint, CheckpointType, ExecutorReport, ThreadDone, Way, outcome};
use super::reverts;
use super::state::{Block, BlockStatus, Passed, Resume, State};
use crate::mission::prelude::*;

/// The most characters of a question that are shown with its answer among the decisions.
const MOST_ASKED: usize = 2_000;

pub(super) fn checkpoint(state: &mut State, id: &str, report: &ExecutorReport) {
    let checkpoint = report.checkpoint.clone().map(Box::new);
    let decides = checkpoint.as_ref().is_some_and(|one| one.kind == CheckpointType::Decision);
    let named: Vec<String> =
        report.deviations.iter().cloned().map(in_line).map(|one| one.description).collect();
    state.blocks.change(id, |block| {
        block.checkpoint = checkpoint;
        // A decision lists the changes of its own report; all others get a question of their own.
        let of_report = |line: &String| decides && named.contains(line);
        block.asked =
            undecided(block).filter(|line| of_report(line)).take(MOST_CHANGES).cloned().collect();
    });
    state.set_status(id, BlockStatus::Checkpoint);
}

/// If a run reports that all is done after a person found something wrong, that person looks again: at the same
/// checkpoint, and at the work done since.
pub(super) fn look_again(state: &mut State, id: &str, report: &ExecutorReport) -> bool {
    let Some(mut checkpoint) = state.blocks.get(id).and_then(to_look_at).cloned() else {
        return false;
    };
    let summary = report.summary.clone().unwrap_or_default();
    let words = summary.words.as_deref().map(|words| clip(&one_line(words), 1_000));
    let words = words.map(|words| format!(", in its words: {words}")).unwrap_or_default();
    checkpoint.awaiting =
        Some(format!("your look at it once more; its run says it is mended{words}"));
    let files: Vec<String> = summary.key_files.all().collect();
    checkpoint.completed_threads = summary
        .commits
        .iter()
        .map(|commit| ThreadDone {
            thread: None,
            name: "mended what the person found wrong".to_owned(),
            commit: Some(commit.clone()),
            files: files.clone(),
        })
        .collect();
    let along = outcome::along(report);
    state.blocks.change(id, |block| {
        add(&mut block.along, along);
        block.checkpoint = Some(Box::new(checkpoint));
        block.asked.clear();
    });
    state.set_status(id, BlockStatus::Checkpoint);
    true
}

/// The checkpoint at which a person found something wrong, as it was then.
pub(super) fn to_look_at(block: &Block) -> Option<&Checkpoint> {
    let open = block.objections().next()?;
    let thread = |one: &Checkpoint| one.current_thread.thread.clone().unwrap_or_default();
    block.objected.iter().find(|one| one.kind == open.kind && thread(one) == open.thread)
}

/// A person has spoken, or nobody needed to: a fresh run goes on from here.
pub(super) fn pass(state: &mut State, id: &str, answer: &str, automatic: bool, objected: bool) {
    let answer = one_line(answer);
    let (mut asked, mut chosen) = (String::new(), String::new());
    state.blocks.change(id, |block| {
        let Some(checkpoint) = block.checkpoint.take() else { return };
        let passed = passed(&checkpoint, &answer, automatic, objected);
        asked.clone_from(&passed.asked);
        let chose = |way: &&Way| answer == choice(&super::ask::way_id(way));
        if let Some(way) = checkpoint.options.iter().find(chose) {
            chosen = weighed(way);
        }
        let same = |one: &Checkpoint| {
            let thread = |one: &Checkpoint| one.current_thread.thread.clone().unwrap_or_default();
            one.kind == checkpoint.kind && thread(one) == thread(&checkpoint)
        };
        block.objected.retain(|one| !same(one));
        if objected {
            block.objected.push((*checkpoint).clone());
        }
        let thread = checkpoint.current_thread.thread.clone().unwrap_or_default();
        let point = checkpoint.resume_point.clone();
        let point =
            point.unwrap_or_else(|| format!("thread {thread}: {}", checkpoint.current_thread.name));
        // What the question listed is allowed, and nothing else.
        let listed = std::mem::take(&mut block.asked);
        reverts::allow(block, &listed);
        let mut threads = block.resume.take().map(|old| old.threads).unwrap_or_default();
        let told_again = |old: &ThreadDone| {
            let named = |one: &ThreadDone| one.thread.is_some() && one.thread == old.thread;
            checkpoint.completed_threads.iter().any(|one| named(one) || one == old)
        };
        threads.retain(|old| !told_again(old));
        threads.extend(checkpoint.completed_threads.clone());
        block.resume =
            Some(Box::new(Resume { threads, answer: answer.clone(), point: one_line(&point) }));
        block.passed.push(passed);
    });
    state.core.counts.checkpoints += 1;
    let asked = clip(&asked, MOST_ASKED);
    match automatic {
        true => State::note(&mut state.core.decisions, format!("{id}: {answer}")),
        false => state.said(&format!("{id}: {asked}: {answer}{chosen}")),
    }
    state.set_status(id, BlockStatus::Retry);
}

/// What an answer that chooses an option says.
pub(super) fn choice(option: &str) -> String {
    one_line(&format!("the choice is {option}"))
}

/// What speaks for and against a way, behind its name.
fn weighed(way: &Way) -> String {
    format!(" (for: {}; against: {})", one_line(&way.pros), one_line(&way.cons))
}

/// What was asked and answered, for all who come after.
fn passed(checkpoint: &Checkpoint, answer: &str, automatic: bool, objected: bool) -> Passed {
    let line = one_line;
    let say = |text: &Option<String>| line(text.as_deref().unwrap_or_default());
    let way = |way: &Way| format!("{}{}", one_line(&way.option), weighed(way));
    let asked = match checkpoint.kind {
        CheckpointType::Decision => say(&checkpoint.decision),
        CheckpointType::HumanAction => say(&checkpoint.what_you_need_to_do),
        CheckpointType::HumanVerify => {
            let steps = line(&checkpoint.how_to_verify.join("; "));
            format!("{}, to be verified by: {steps}", say(&checkpoint.what_was_built))
        }
    };
    let decides = checkpoint.kind == CheckpointType::Decision;
    let ways = checkpoint.options.iter().filter(|_| decides);
    let acts = checkpoint.kind == CheckpointType::HumanAction;
    Passed {
        kind: checkpoint.kind,
        thread: checkpoint.current_thread.thread.clone().unwrap_or_default(),
        asked,
        options: ways.map(way).collect(),
        also: checkpoint.also(),
        verify_after: checkpoint.verify_after.as_deref().filter(|_| acts).map(line),
        answer: answer.to_owned(),
        automatic,
        objected,
    }
}
