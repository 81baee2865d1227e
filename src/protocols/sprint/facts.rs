//! The named facts the rules are made of, and the events that set them.

use super::schedule;
use super::state::State;
use crate::protocols::shared::table::{FactTable, NamedFact};
use crate::snapshot::{Control, Head};
use crate::vocab::effect::Order;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A fact about the snapshot.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "SprintFactName")]
pub enum FactName {
    /// The user has started the mission.
    Started,
    /// The user has not paused or stopped it.
    NotPaused,
    /// It has not come to its end.
    NotDone,
    /// Nothing outside it is in the way.
    NotBlocked,
    /// No question waits for the user.
    NoQuestionOpen,
    /// No file is being written and nothing looked at.
    NothingOutstanding,
    /// The repository was looked at since a run ended.
    ObservationFresh,
    /// No command is being run.
    NoCommandRuns,
    /// A gate is open and has commands left.
    GateDue,
    /// A criterion of a sprint is to be shown by its command.
    CheckDue,
    /// The verification commands of a dependency are to be run.
    DependencyDue,
    /// A sprint is to be judged by a verifier, and nobody writes.
    VerifierDue,
    /// A sprint was chosen and its run not sent.
    DispatchDue,
    /// A sprint is neither closed nor put off.
    WorkOpen,
}

impl FactName {
    /// Every fact.
    pub const ALL: [FactName; 14] = [
        FactName::Started,
        FactName::NotPaused,
        FactName::NotDone,
        FactName::NotBlocked,
        FactName::NoQuestionOpen,
        FactName::NothingOutstanding,
        FactName::ObservationFresh,
        FactName::NoCommandRuns,
        FactName::GateDue,
        FactName::CheckDue,
        FactName::DependencyDue,
        FactName::VerifierDue,
        FactName::DispatchDue,
        FactName::WorkOpen,
    ];
}

/// Whether an order is host work that everything waits for. Runs, commands, questions and timers are
/// not: other units go on beside them.
pub(super) fn is_awaited(order: &Order) -> bool {
    match order {
        Order::SpawnRole(_)
        | Order::AskUser(_)
        | Order::SetTimer(_)
        | Order::RunCommand(_)
        | Order::StopRole(_)
        | Order::Consult(_) => false,
        Order::AppendHistory(_)
        | Order::WriteFile(_)
        | Order::CommitFiles(_)
        | Order::Observe(_)
        | Order::Notify(_) => true,
    }
}

impl NamedFact<State> for FactName {
    fn word(self) -> &'static str {
        match self {
            FactName::Started => "started",
            FactName::NotPaused => "not_paused",
            FactName::NotDone => "not_done",
            FactName::NotBlocked => "not_blocked",
            FactName::NoQuestionOpen => "no_question_open",
            FactName::NothingOutstanding => "nothing_outstanding",
            FactName::ObservationFresh => "observation_fresh",
            FactName::NoCommandRuns => "no_command_runs",
            FactName::GateDue => "gate_due",
            FactName::CheckDue => "check_due",
            FactName::DependencyDue => "dependency_due",
            FactName::VerifierDue => "verifier_due",
            FactName::DispatchDue => "dispatch_due",
            FactName::WorkOpen => "work_open",
        }
    }

    fn table(state: &State) -> &FactTable<FactName> {
        &state.core.facts
    }

    fn all() -> &'static [FactName] {
        &FactName::ALL
    }

    fn holds(self, state: &State, head: &Head) -> bool {
        let core = &state.core;
        match self {
            FactName::Started => head.control != Control::Held,
            FactName::NotPaused => !matches!(head.control, Control::Paused | Control::Stopped),
            FactName::NotDone => core.done.is_none(),
            FactName::NotBlocked => core.blocked.is_none(),
            FactName::NoQuestionOpen => {
                core.asking.is_empty() && !head.awaits(|order| matches!(order, Order::AskUser(_)))
            }
            FactName::NothingOutstanding => !head.awaits(is_awaited),
            FactName::ObservationFresh => {
                core.seen.as_ref().is_some_and(|seen| seen.fresh) && !core.watch_due
            }
            FactName::NoCommandRuns => !head.awaits(|order| matches!(order, Order::RunCommand(_))),
            FactName::GateDue => schedule::gate_command(state).is_some(),
            FactName::CheckDue => schedule::next_check(state).is_some(),
            FactName::DependencyDue => schedule::next_dependency(state).is_some(),
            FactName::VerifierDue => schedule::verifiers(state, head).next().is_some(),
            FactName::DispatchDue => schedule::dispatches(state, head).next().is_some(),
            FactName::WorkOpen => state.open_sprints() > 0,
        }
    }

    fn detail(self, state: &State, head: &Head) -> String {
        let core = &state.core;
        let named = |id: Option<String>| id.unwrap_or_else(|| "none".to_owned());
        match self {
            FactName::Started | FactName::NotPaused => format!("control is {:?}", head.control),
            FactName::NotDone => match &core.done {
                Some(done) => format!("done at {}", done.head),
                None => format!("{} sprints are open", state.open_sprints()),
            },
            FactName::NotBlocked => {
                core.blocked.as_ref().map_or("nothing blocks".to_owned(), ToString::to_string)
            }
            FactName::NoQuestionOpen | FactName::NothingOutstanding | FactName::NoCommandRuns => {
                let names = crate::protocols::shared::picture::waiting(head);
                if names.is_empty() { "the outbox is empty".to_owned() } else { names.join(", ") }
            }
            FactName::ObservationFresh => match &core.seen {
                Some(seen) => {
                    format!("head {} and {} dirty paths", seen.head_word(), seen.dirty.len())
                }
                None => "the repository was never looked at".to_owned(),
            },
            FactName::GateDue => match &core.gate {
                Some(gate) => format!("gate {} has {} commands left", gate.number, gate.due.len()),
                None => "no gate is open".to_owned(),
            },
            FactName::CheckDue => {
                named(schedule::next_check(state).map(|(id, one)| format!("{id} {one}")))
            }
            FactName::DependencyDue => named(schedule::next_dependency(state).map(|(id, _)| id)),
            FactName::VerifierDue => {
                named(schedule::verifiers(state, head).next().map(|one| one.id.clone()))
            }
            FactName::DispatchDue => {
                named(schedule::dispatches(state, head).next().map(|one| one.id.clone()))
            }
            FactName::WorkOpen => format!("{} open sprints", state.open_sprints()),
        }
    }
}
