//! The questions this protocol asks, each a section of `questions.md`.

use super::state::{State, StopReason, Topic};
use crate::mission::ask::ask;
use crate::mission::life;
use crate::mission::template::{Fields, fields};
use crate::vocab::error::clip;
use crate::vocab::question::Question;

/// The question of a topic of its own.
pub(super) fn question(state: &State, topic: &life::Topic) -> Option<Question> {
    let section = |name: &str, told: Fields| ask(include_str!("questions.md"), name, &told);
    Some(match &topic.particular()? {
        Topic::Blocked { task, criteria, confirmed } => {
            let criteria = criteria.join(", ");
            section("blocked", fields! { task: task, criteria: criteria, confirmed: *confirmed })
        }
        Topic::Stopped { task, reason } => section("stopped", stopped(state, task, *reason)),
        Topic::GateFailed { wave, problem } => {
            section("gate_failed", fields! { wave: *wave, problem: problem })
        }
    })
}

fn stopped(state: &State, task: &str, reason: StopReason) -> Fields {
    let play = state.play(task);
    let last = play.and_then(|play| play.feedback.first()).filter(|last| !last.is_empty());
    let passing = play.and_then(|play| play.passing.as_ref());
    let hex = |commit: &str| !commit.is_empty() && commit.chars().all(|c| c.is_ascii_hexdigit());
    let passing = passing.filter(|one| hex(&one.commit));
    fields! {
        task: task,
        turns: play.map_or(0, |play| play.turn),
        reason: words(reason),
        last: last.map(|last| fields! { words: clip(last, 400) }),
        most: state.core.settings.max_turns,
        passing: passing.map(|passing| fields! { turn: passing.turn }),
    }
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
