//! The questions this protocol asks, each a section of `questions.md`.

use super::anomaly;
use super::debug::DebugStatus;
use super::report::{Checkpoint, CheckpointType, Deviation, Way};
use super::role::Role;
use super::state::{Block, State, Topic};
use crate::mission::ask::ask;
use crate::mission::template::{Fields, fields};
use crate::mission::{life, trust};
use crate::vocab::budget::Counter;
use crate::vocab::error::clip;
use crate::vocab::question::{ChoiceOption, Question, QuestionKind};
use crate::vocab::shown::CommandLine;
use crate::vocab::text::one_line;

/// The question of a topic, where it is none that every protocol asks.
pub(super) fn question(state: &State, topic: &life::Topic) -> Option<Question> {
    Some(match topic {
        life::Topic::StepStuck { role, item, problem } => {
            let on = (!item.is_empty()).then(|| fields! { item: item });
            let skips =
                Role::parse(role).is_some_and(|role| role.swarms() || role == Role::Learner);
            section("step_stuck", &fields! { role: role, on: on, problem: problem, skips: skips })
        }
        life::Topic::EndWithDeferred => {
            section("end_with_deferred", &fields! { count: state.blocks.count("deferred") })
        }
        topic => own_question(state, &topic.particular()?),
    })
}

fn own_question(state: &State, topic: &Topic) -> Question {
    match topic {
        Topic::Checkpoint { block } => {
            let checkpoint = state.blocks.get(block).and_then(|block| block.checkpoint.as_deref());
            match checkpoint {
                Some(checkpoint) => of_checkpoint(state, block, checkpoint),
                None => section("checkpoint", &fields! { block: block }),
            }
        }
        Topic::Architecture { block, changes } => architecture(block, changes),
        Topic::BlockFailed { block } => section("block_failed", &failed(state, block)),
        Topic::GapsRemain { count } => {
            let first = state.core.gaps.iter().take(5);
            let first = first.map(|gap| format!("{}: {}", gap.name(), clip(&gap.reason, 120)));
            let first = first.collect::<Vec<_>>().join("; ");
            section("gaps_remain", &fields! { count: *count, first: first })
        }
        Topic::Anomaly { text } => section("anomaly", &anomaly::asked(state, text)),
        Topic::Trust { commands } => {
            let lines: Vec<_> = commands.iter().map(|one| CommandLine::of_shell(one)).collect();
            section("trust", &trust::told(lines.iter()))
        }
        Topic::Threshold { counter, limit } => threshold(state, *counter, *limit),
    }
}

fn section(name: &str, told: &Fields) -> Question {
    ask(include_str!("questions.md"), name, told)
}

fn architecture(block: &str, changes: &[String]) -> Question {
    let numbered = |(place, line): (usize, &String)| format!("{}. {line}", place + 1);
    let said = match changes {
        [change] => change.clone(),
        many => many.iter().enumerate().map(numbered).collect::<Vec<_>>().join("; "),
    };
    let told =
        fields! { block: block, one: changes.len() == 1, count: changes.len(), changes: said };
    section("architecture", &told)
}

fn threshold(state: &State, counter: Counter, limit: u64) -> Question {
    let told = fields! {
        percent: state.core.settings.confirm_percent,
        counter: counter.as_str(),
        limit: limit,
        buys: counter.buys(),
    };
    let topic = format!("threshold:{}", counter.as_str());
    Question { topic, ..section("threshold", &told) }
}

/// The word by which a way is chosen.
pub(super) fn way_id(way: &Way) -> String {
    clip(way.option.trim(), 80)
}

/// Words that are told if there are any.
fn said(words: String) -> Option<Fields> {
    (!words.is_empty()).then(|| fields! { words: words })
}

/// A checkpoint with its content. What an agent wrote is shown, never run.
fn of_checkpoint(state: &State, block: &str, checkpoint: &Checkpoint) -> Question {
    let say = |text: &Option<String>| one_line(text.as_deref().unwrap_or_default());
    let (thread, also) = (&checkpoint.current_thread, checkpoint.also());
    let mut told = fields! {
        block: block,
        thread: thread.thread.clone().unwrap_or_default(),
        name: one_line(&thread.name),
        done: checkpoint.completed_threads.len(),
        total: checkpoint.total_threads.map(|total| fields! { number: total }),
        awaiting: said(say(&checkpoint.awaiting)),
        also: (!also.is_empty()).then(|| fields! { lines: also.join("; ") }),
    };
    match checkpoint.kind {
        CheckpointType::HumanVerify => {
            let steps = checkpoint.how_to_verify.iter().enumerate();
            let steps = steps.map(|(place, step)| format!("{}. {}", place + 1, one_line(step)));
            told.put("built", say(&checkpoint.what_was_built));
            told.put("steps", steps.collect::<Vec<_>>().join(" "));
            section("checkpoint:human-verify", &told)
        }
        CheckpointType::HumanAction => {
            told.put("tried", said(say(&checkpoint.automation_attempted)));
            told.put("after", said(say(&checkpoint.verify_after)));
            told.put("action", say(&checkpoint.what_you_need_to_do));
            section("checkpoint:human-action", &told)
        }
        CheckpointType::Decision => {
            let four = four(state, block);
            told.put("decision", say(&checkpoint.decision));
            told.put("four", (!four.is_empty()).then(|| fields! { changes: four.join("; ") }));
            let kind =
                QuestionKind::Choice { options: checkpoint.options.iter().map(way).collect() };
            Question { kind, ..section("checkpoint:decision", &told) }
        }
    }
}

/// A way that a report names.
fn way(way: &Way) -> ChoiceOption {
    let named = |words: &str| match one_line(words) {
        none if none.is_empty() => "nothing named".to_owned(),
        words => words,
    };
    ChoiceOption {
        id: way_id(way),
        label: format!("For: {}", named(&way.pros)),
        trade_off: format!("Against: {}", named(&way.cons)),
    }
}

/// Changes under rule 4 that an answer allows.
fn four(state: &State, block: &str) -> Vec<String> {
    let asked = state.blocks.get(block).map(|block| block.asked.as_slice()).unwrap_or_default();
    let cited = |line: &String| {
        Deviation { rule: 4, description: line.clone(), ..Deviation::default() }.cited()
    };
    asked.iter().map(cited).collect()
}

fn failed(state: &State, id: &str) -> Fields {
    let block = state.blocks.get(id);
    let last = block.and_then(|block| block.failures.last());
    let again = super::failures::held_again(state, id);
    fields! {
        block: id,
        again: again.map(|line| fields! { line: line }),
        attempts: block.map_or(0, |block| block.attempts),
        why: last.and_then(|failure| failure.hypothesis.clone()).unwrap_or_default(),
        in_vain: block.and_then(in_vain),
        most: state.core.settings.attempts_per_block,
    }
}

/// What a debug session that found nothing came to.
fn in_vain(block: &Block) -> Option<Fields> {
    let session = block.debug.as_ref();
    let session = session.filter(|one| one.runs > 0 && one.status != DebugStatus::Resolved)?;
    let clipped = |words: &str| {
        let words = one_line(words);
        (!words.is_empty()).then(|| fields! { words: clip(words.trim_end_matches('.'), 500) })
    };
    Some(fields! {
        runs: session.runs,
        found: clipped(&session.findings),
        ruled_out: clipped(&session.ruled_out.join("; ")),
        focus: clipped(&session.current_focus),
        path: session.path(),
    })
}
