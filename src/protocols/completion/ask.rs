//! The questions this protocol asks, each a section of `questions.md`.

use super::state::{Proposal, State, Topic};
use crate::mission::Head;
use crate::mission::ask::{ask, budget, dirty, effect_failed};
use crate::mission::template::{Fields, fields};
use crate::vocab::question::Question;

/// The question of a topic.
pub(super) fn question(state: &State, head: &Head, topic: &Topic) -> Question {
    let section = |name: &str, told: Fields| ask(include_str!("questions.md"), name, &told);
    match topic {
        Topic::StepStuck { role, problem } => {
            let attempts = state.core.attempts;
            section("step_stuck", fields! { role: role, attempts: attempts, problem: problem })
        }
        Topic::EffectFailed { what, problem, .. } => effect_failed(what, problem),
        Topic::StopScript { .. } => section("stop_script", fields! {}),
        Topic::NewStopScript { commands } => {
            let lines: Vec<String> = commands.iter().map(|command| command.join(" ")).collect();
            section("new_stop_script", fields! { commands: lines.join("; ") })
        }
        Topic::HistoryChanged { path, .. } => section("history_changed", fields! { path: path }),
        Topic::Proposals { proposals } => {
            let lines: Vec<String> = proposals.iter().map(proposed).collect();
            section("proposals", fields! { all: lines.join("; ") })
        }
        Topic::EndWithDeferred => {
            section("end_with_deferred", fields! { count: state.slices.count("deferred") })
        }
        Topic::DirtyStart { paths } => Question {
            topic: "dirty_start".to_owned(),
            unblocks: "the selection of a slice".to_owned(),
            ..dirty(paths)
        },
        Topic::RoleAsks { role, text, kind } => Question {
            kind: kind.clone(),
            ..section("role_asks", fields! { role: role, text: text })
        },
        Topic::Budget { counter } => budget(head, *counter),
    }
}

/// What is to go, and why.
fn proposed(one: &Proposal) -> String {
    let criterion = one.criterion.as_ref().map(|criterion| format!("/{criterion}"));
    format!("{}{} ({})", one.slice_id, criterion.unwrap_or_default(), one.reason)
}
