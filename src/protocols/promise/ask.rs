//! The questions this protocol asks: one per topic, typed, with what an answer sets free.

use super::state::{State, StopReason, Topic};
use crate::mission::ask::{about, dirty, effect_failed, option, retry_or_block};
use crate::vocab::question::{Question, QuestionKind};

/// The question of a topic.
pub(super) fn question(state: &State, topic: &Topic) -> Question {
    match topic {
        Topic::StepStuck { task, role, problem } => {
            let text = format!("{role} failed again and again on {task}. The last time: {problem}");
            about("step_stuck", text, retry_or_block(), "the same step, with a fresh count")
        }
        Topic::EffectFailed { what, problem } => effect_failed(what, problem),
        Topic::DirtyTree { paths } => dirty(paths),
        Topic::Blocked { task, criteria, confirmed } => blocked(task, criteria, *confirmed),
        Topic::Stopped { task, reason } => stopped(state, task, *reason),
        Topic::GateFailed { wave, problem } => {
            let text = format!("The gate behind wave {wave} does not hold. {problem}");
            let options = vec![
                option("retry", "Run it again", "Spends one more command"),
                option("waive", "Let it go", "The mission ends with a waiver"),
                option("block", "Stop here", "You can mend what is wrong, then resume"),
            ];
            about("gate_failed", text, QuestionKind::Choice { options }, "the next wave")
        }
        Topic::EndWithDeferred => {
            let count = state.tasks.count("deferred");
            let text = format!("Only deferred work is left ({count} tasks). End without it?");
            about("end_with_deferred", text, QuestionKind::Confirmation, "the end")
        }
    }
}

fn blocked(task: &str, criteria: &[String], confirmed: bool) -> Question {
    let who = match confirmed {
        true => "player and coach agree",
        false => "the player says for the second time",
    };
    let text = format!("{task}: {who} that {} cannot be met now.", criteria.join(", "));
    let options = vec![
        option("mended", "What was in the way is gone", "The next turn tries it again"),
        option("waive", "Let it go", "The task can be approved without it, with a waiver"),
        option("stop", "End the task's turns", "The mission is blocked until you resume it"),
    ];
    about("blocked", text, QuestionKind::Choice { options }, "the next turn")
}

fn stopped(state: &State, task: &str, reason: StopReason) -> Question {
    let play = state.play(task);
    let turns = play.map_or(0, |play| play.turn);
    let last = play.and_then(|play| play.feedback.first()).cloned().unwrap_or_default();
    let mut text = format!("{task} ended after turn {turns} without approval: {}.", words(reason));
    if !last.is_empty() {
        text.push_str(&format!(" Last feedback: {}", crate::vocab::error::clip(&last, 400)));
    }
    let more = format!("Give it {} turns more", state.core.settings.max_turns);
    let mut options = vec![option("more", &more, "Spends that many more runs of both roles")];
    let passing = play.and_then(|play| play.passing.as_ref());
    let hex = |commit: &str| !commit.is_empty() && commit.chars().all(|c| c.is_ascii_hexdigit());
    if let Some(passing) = passing.filter(|one| hex(&one.commit)) {
        let label = format!("Put the tree back to turn {}, then go on", passing.turn);
        let cost = "What came since is kept under refs/endstate/kept only";
        options.push(option("roll_back", &label, cost));
    }
    options.extend([
        option("skip", "Let the task go", "Its open criteria count as waived by you"),
        option("defer", "Put the task off", "What waits for it may begin all the same"),
        option("stop", "Stop here", "The mission is blocked until you resume it"),
    ]);
    about("stopped", text, QuestionKind::Choice { options }, "the task")
}

/// A reason, for people.
pub(super) fn words(reason: StopReason) -> &'static str {
    match reason {
        StopReason::Cancelled => "it was cancelled",
        StopReason::TimedOut => "its time is over",
        StopReason::Approved => "it was approved",
        StopReason::HonestyCollapsed => "too few of its claims were true in the last three turns",
        StopReason::NoPassingCheckpoint => {
            "its tests failed three turns in a row although they had passed before"
        }
        StopReason::FeedbackStalled => "the same feedback came again and again",
        StopReason::TurnLimit => "no turn is left",
        StopReason::Blocked => "a criterion cannot be met now",
    }
}
