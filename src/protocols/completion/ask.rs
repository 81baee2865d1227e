//! The questions this protocol asks, each a section of `questions.md`.

use super::apply::STEP;
use super::state::{Proposal, State, Topic};
use crate::mission::ask::ask;
use crate::mission::life;
use crate::mission::template::{Fields, fields};
use crate::vocab::question::Question;

/// The question of a topic, where it is not that of every protocol.
pub(super) fn question(state: &State, topic: &life::Topic) -> Option<Question> {
    match topic {
        life::Topic::StepStuck { role, problem, .. } => {
            let attempts = state.core.life.attempts(STEP);
            let told = fields! { role: role, attempts: attempts, problem: problem };
            Some(section("step_stuck", told))
        }
        life::Topic::EndWithDeferred => {
            let count = state.slices.count("deferred");
            Some(section("end_with_deferred", fields! { count: count }))
        }
        life::Topic::EffectFailed { .. } | life::Topic::DirtyTree { .. } => None,
        life::Topic::Own { .. } => topic.particular().map(|own| own_question(&own)),
    }
}

fn section(name: &str, told: Fields) -> Question {
    ask(include_str!("questions.md"), name, &told)
}

fn own_question(topic: &Topic) -> Question {
    match topic {
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
        Topic::RoleAsks { role, text, kind } => Question {
            kind: kind.clone(),
            ..section("role_asks", fields! { role: role, text: text })
        },
    }
}

/// What is to go, and why.
fn proposed(one: &Proposal) -> String {
    let criterion = one.criterion.as_ref().map(|criterion| format!("/{criterion}"));
    format!("{}{} ({})", one.slice_id, criterion.unwrap_or_default(), one.reason)
}
