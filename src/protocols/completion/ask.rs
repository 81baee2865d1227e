//! The questions this protocol asks: one per topic, typed, with what an answer sets free.

use super::state::{State, Topic};
use crate::mission::Head;
use crate::mission::ask::{about, budget, dirty, effect_failed, option, retry_or_block};
use crate::vocab::question::{Question, QuestionKind};

/// The question of a topic.
pub(super) fn question(state: &State, head: &Head, topic: &Topic) -> Question {
    match topic {
        Topic::StepStuck { role, problem } => {
            let attempts = state.core.attempts;
            let text = format!("{role} failed {attempts} times in a row. The last time: {problem}");
            about("step_stuck", text, retry_or_block(), "the same step, with a fresh count")
        }
        Topic::EffectFailed { what, problem, .. } => effect_failed(what, problem),
        Topic::StopScript { .. } => {
            let text = "The locked stop script was changed by hand. Keep the new one?".to_owned();
            let options = vec![
                option(
                    "keep",
                    "Lock the new script",
                    "The mission's end is judged by the new script",
                ),
                option(
                    "restore",
                    "Write the locked one back",
                    "The change is kept in git or aside",
                ),
            ];
            about("stop_script", text, QuestionKind::Choice { options }, "the mission")
        }
        Topic::NewStopScript { commands } => {
            let lines: Vec<String> = commands.iter().map(|command| command.join(" ")).collect();
            let text = format!(
                "The bootstrapper proposes other verification commands than the locked ones: {}. Lock these?",
                lines.join("; ")
            );
            about("new_stop_script", text, QuestionKind::Confirmation, "a fresh stop script")
        }
        Topic::HistoryChanged { path, .. } => {
            let text = format!(
                "{path} only ever grows, but it is not as it was left. Go on from what is there now?"
            );
            let options = vec![
                option(
                    "accept",
                    "Go on behind what is there",
                    "Foreign lines stay and count for nothing",
                ),
                option("block", "Stop here", "You can restore the file, then resume"),
            ];
            about("history_changed", text, QuestionKind::Choice { options }, "writing of histories")
        }
        Topic::Proposals { proposals } => {
            let lines: Vec<String> = proposals
                .iter()
                .map(|one| {
                    let what = one.criterion.as_ref().map_or(one.slice_id.clone(), |criterion| {
                        format!("{}/{criterion}", one.slice_id)
                    });
                    format!("{what} ({})", one.reason)
                })
                .collect();
            let text = format!("The regrounder wants to let go of: {}. Agree?", lines.join("; "));
            about("proposals", text, QuestionKind::Confirmation, "the plan without them")
        }
        Topic::EndWithDeferred => {
            let count = state.slices.count("deferred");
            let text =
                format!("Only deferred work is left ({count} slices). End the mission without it?");
            about("end_with_deferred", text, QuestionKind::Confirmation, "the stop wave")
        }
        Topic::DirtyStart { paths } => Question {
            topic: "dirty_start".to_owned(),
            unblocks: "the selection of a slice".to_owned(),
            ..dirty(paths)
        },
        Topic::RoleAsks { role, text, kind } => {
            let text = format!("{role} asks: {text}");
            about(
                "role_asks",
                text,
                kind.clone(),
                "the next step, with your answer in its hand-off",
            )
        }
        Topic::Budget { counter } => budget(head, *counter),
    }
}
