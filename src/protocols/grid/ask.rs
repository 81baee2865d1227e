//! The questions this protocol asks: one per topic, typed, with what an answer sets free.

use super::debug::DebugStatus;
use super::files::VERIFICATION;
use super::report::{Checkpoint, CheckpointType, Deviation, Way};
use super::state::{Block, State, Topic};
use crate::mission::ask::{about, dirty, effect_failed, option, retry_or_block};
use crate::vocab::error::clip;
use crate::vocab::question::{ChoiceOption, Question, QuestionKind};
use crate::vocab::text::one_line;

/// The question of a topic.
pub(super) fn question(state: &State, topic: &Topic) -> Question {
    match topic {
        Topic::StepStuck { role, item, problem } => {
            let of = if item.is_empty() { String::new() } else { format!(" on {item}") };
            let text =
                format!("{} failed again and again{of}. The last time: {problem}", role.name());
            let mut options = vec![
                option("retry", "Try again", "Spends more runs of this role"),
                option("block", "Stop here", "Nothing more is tried until you resume the mission"),
            ];
            if role.swarms() || *role == super::role::Role::Learner {
                options.push(option(
                    "skip",
                    "Go on without it",
                    "What it would have found is not known",
                ));
            }
            about(
                "step_stuck",
                text,
                QuestionKind::Choice { options },
                "the same step, with a fresh count",
            )
        }
        Topic::EffectFailed { what, problem } => effect_failed(what, problem),
        Topic::DirtyTree { paths } => dirty(paths),
        Topic::Checkpoint { block } => {
            let checkpoint = state.blocks.get(block).and_then(|block| block.checkpoint.as_deref());
            match checkpoint {
                Some(checkpoint) => of_checkpoint(state, block, checkpoint),
                None => about("checkpoint", block.clone(), retry_or_block(), "the block"),
            }
        }
        Topic::Architecture { block, changes } => {
            let text = match changes.as_slice() {
                [change] => {
                    format!("{block} comes with an architectural change nobody decided: {change}")
                }
                many => format!(
                    "{block} comes with {} architectural changes nobody decided: {}",
                    many.len(),
                    numbered(many)
                ),
            };
            let options = vec![
                option(
                    "accept",
                    "Take it as it is",
                    "It is recorded as your decision under rule 4",
                ),
                option(
                    "take_back",
                    "Do it without",
                    "The block is executed again and the change taken back",
                ),
                option("stop", "Stop here", "The mission is blocked until you resume it"),
            ];
            about("architecture", text, QuestionKind::Choice { options }, "the block")
        }
        Topic::BlockFailed { block } => failed(state, block),
        Topic::GapsRemain { count } => {
            let first = state.core.gaps.iter().take(5);
            let first: Vec<String> =
                first.map(|gap| format!("{}: {}", gap.name(), clip(&gap.reason, 120))).collect();
            let text = format!(
                "{count} gaps are left and no round of closure is. {}. All of them: {VERIFICATION}",
                first.join("; ")
            );
            let options = vec![
                option(
                    "more",
                    "One more round",
                    "Spends one more plan and the runs that execute it",
                ),
                option("waive", "Let the gaps go", "The cluster ends with waivers in your name"),
                option("stop", "Stop here", "The mission is blocked until you resume it"),
            ];
            about("gaps_remain", text, QuestionKind::Choice { options }, "the wave")
        }
        Topic::Anomaly { text } => {
            let text = super::anomaly::question(state, text);
            let options = vec![
                option("gaps", "Close it like a gap", "Spends a round of gap closure"),
                option("again", "Verify again", "Spends one more run of a recognizer"),
                option("stop", "Stop here", "The mission is blocked until you resume it"),
            ];
            about("anomaly", text, QuestionKind::Choice { options }, "the wave")
        }
        Topic::Threshold { counter, limit } => {
            let word = counter.as_str();
            let percent = state.core.settings.confirm_percent;
            let text =
                format!("{percent} % of the budget {word} ({limit}) are spent. Go on to its end?");
            let options = vec![
                option("go_on", "Spend the rest", "The next question comes when nothing is left"),
                option("block", "Stop here", "Nothing more is spent until you resume the mission"),
            ];
            let topic = format!("threshold:{word}");
            about(&topic, text, QuestionKind::Choice { options }, counter.buys())
        }
        Topic::EndWithDeferred => {
            let count = state.blocks.count("deferred");
            let text = format!("Only deferred work is left ({count} blocks). End without it?");
            about("end_with_deferred", text, QuestionKind::Confirmation, "the end")
        }
    }
}

fn numbered(lines: &[String]) -> String {
    let each = lines.iter().enumerate().map(|(place, line)| format!("{}. {line}", place + 1));
    each.collect::<Vec<_>>().join("; ")
}

/// The word by which a way is chosen.
pub(super) fn way_id(way: &Way) -> String {
    clip(way.option.trim(), 80)
}

/// What speaks for or against a way.
fn named(words: &str) -> String {
    let words = one_line(words);
    if words.is_empty() { "nothing named".to_owned() } else { words }
}

/// Words behind a title; blank where there are none.
fn behind(title: &str, words: &str) -> String {
    match words {
        "" => String::new(),
        words => format!("{title}{words}"),
    }
}

/// A checkpoint with its content. What an agent wrote is shown, never run.
fn of_checkpoint(state: &State, block: &str, checkpoint: &Checkpoint) -> Question {
    let say = |text: &Option<String>| one_line(text.as_deref().unwrap_or_default());
    let done = checkpoint.completed_threads.len();
    let total = checkpoint.total_threads.map_or(String::new(), |total| format!("/{total}"));
    let thread = &checkpoint.current_thread;
    let opening = format!(
        "{block} waits at thread {} ({}), {done}{total} threads complete.",
        thread.thread.clone().unwrap_or_default(),
        one_line(&thread.name)
    );
    let awaiting = say(&checkpoint.awaiting);
    let (topic, mut text, kind) = match checkpoint.kind {
        CheckpointType::HumanVerify => {
            let steps: Vec<String> = checkpoint
                .how_to_verify
                .iter()
                .enumerate()
                .map(|(place, step)| format!("{}. {}", place + 1, one_line(step)))
                .collect();
            let kind =
                QuestionKind::ManualStep { instructions: steps.join(" "), verification: None };
            let text = format!("{opening} What was built: {}", say(&checkpoint.what_was_built));
            ("checkpoint:human-verify", text, kind)
        }
        CheckpointType::HumanAction => {
            let kind = QuestionKind::ManualStep {
                instructions: say(&checkpoint.what_you_need_to_do),
                verification: None,
            };
            let tried = behind(" Tried without you: ", &say(&checkpoint.automation_attempted));
            let after = behind(" Verified afterwards by: ", &say(&checkpoint.verify_after));
            let stop = if tried.is_empty() || after.is_empty() { "" } else { "." };
            let text = format!("{opening}{tried}{stop}{after}");
            ("checkpoint:human-action", text, kind)
        }
        CheckpointType::Decision => {
            let ways = checkpoint.options.iter().map(|way| ChoiceOption {
                id: way_id(way),
                label: format!("For: {}", named(&way.pros)),
                trade_off: format!("Against: {}", named(&way.cons)),
            });
            let kind = QuestionKind::Choice { options: ways.collect() };
            let asked = state.blocks.get(block).map(|block| block.asked.as_slice());
            let cited = |line: &String| {
                Deviation { rule: 4, description: line.clone(), ..Deviation::default() }.cited()
            };
            let four: Vec<String> = asked.unwrap_or_default().iter().map(cited).collect();
            let four = match four.is_empty() {
                true => String::new(),
                false => format!(". Any answer allows: {}", four.join("; ")),
            };
            (
                "checkpoint:decision",
                format!("{opening} To decide: {}{four}", say(&checkpoint.decision)),
                kind,
            )
        }
    };
    if !awaiting.is_empty() {
        text.push_str(&format!(". Awaiting: {awaiting}"));
    }
    let also = checkpoint.also();
    if !also.is_empty() {
        text.push_str(&format!(". It says as well: {}", also.join("; ")));
    }
    about(topic, text, kind, "the block, from there")
}

fn failed(state: &State, id: &str) -> Question {
    let block = state.blocks.get(id);
    let last = block.and_then(|block| block.failures.last());
    let why = last.and_then(|failure| failure.hypothesis.clone()).unwrap_or_default();
    let attempts = block.map_or(0, |block| block.attempts);
    let again = super::failing::held_again(state, id);
    let text = match &again {
        Some(line) => format!("{id} was executed, but {line}"),
        None => format!("{id} failed {attempts} times. The last hypothesis: {}", why),
    };
    let text = format!("{text}{}", block.map(in_vain).unwrap_or_default());
    let more = format!("Try it {} times more", state.core.settings.attempts_per_block);
    let mut options = vec![
        option("more", &more, "Spends that many more runs"),
        option("debug", "Investigate first", "Spends runs of a debugger, then tries again"),
        option("skip", "Let the block go", "Its must-haves count as waived by you"),
        option("defer", "Put the block off", "What waits for it is put off as well"),
        option("stop", "Stop here", "The mission is blocked until you resume it"),
    ];
    if again.is_some() {
        options.insert(0, option("accept", "Take it as it is", "It is verified like all others"));
    }
    about("block_failed", text, QuestionKind::Choice { options }, "the block")
}

/// What a debug session that found nothing came to, and what is left to choose; blank where there was none.
fn in_vain(block: &Block) -> String {
    let session = block.debug.as_ref();
    let Some(session) = session.filter(|one| one.runs > 0 && one.status != DebugStatus::Resolved)
    else {
        return String::new();
    };
    let said = |title: &str, words: &str| match one_line(words) {
        words if words.is_empty() => String::new(),
        words => format!(" {title}: {}.", clip(words.trim_end_matches('.'), 500)),
    };
    format!(
        ". Runs of a debugger that came to nothing: {}.{}{}{} All of it: {}. `skip` lets the block go, `defer` puts it off",
        session.runs,
        said("What they found", &session.findings),
        said("Ruled out", &session.ruled_out.join("; ")),
        said("Where they looked last", &session.current_focus),
        session.path()
    )
}
