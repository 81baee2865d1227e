//! The named facts the rules are made of, and the events that set them.

use super::due;
use super::state::State;
use crate::mission::files::is_file_work;
use crate::mission::{picture, repository, standing, table};
use crate::vocab::effect::Order;

table::facts! {
    #[schemars(rename = "SprintFactName")]
    State;

    /// No command is being run.
    NoCommandRuns "no_command_runs":
        |_, head| !head.awaits(|order| matches!(order, Order::RunCommand(_))),
        |_, head| picture::waiting_words(head);
    /// A gate is open and has commands left.
    GateDue "gate_due":
        |state, _| due::gate_command(state).is_some(),
        |state: &State, _| match &state.core.gate {
            Some(gate) => format!("gate {} has {} commands left", gate.number, gate.due.len()),
            None => "no gate is open".to_owned(),
        };
    /// A criterion of a sprint is to be shown by its command.
    CheckDue "check_due":
        |state, _| due::next_check(state).is_some(),
        |state, _| named(due::next_check(state).map(|(id, one)| format!("{id} {one}")));
    /// The verification commands of a dependency are to be run.
    DependencyDue "dependency_due":
        |state, _| due::next_dependency(state).is_some(),
        |state, _| named(due::next_dependency(state).map(|(id, _)| id));
    /// A sprint is to be judged by a verifier, and no run writes.
    VerifierDue "verifier_due":
        |state, head| due::verifiers(state, head).next().is_some(),
        |state, head| named(due::verifiers(state, head).next().map(|one| one.id.clone()));
    /// A sprint was chosen and its run not sent.
    DispatchDue "dispatch_due":
        |state, head| due::dispatches(state, head).next().is_some(),
        |state, head| named(due::dispatches(state, head).next().map(|one| one.id.clone()));
    /// A sprint is neither closed nor deferred.
    WorkOpen "work_open":
        |state: &State, _| state.open_sprints() > 0,
        |state, _| format!("{} open sprints", state.open_sprints());
}

fn named(id: Option<String>) -> String {
    id.unwrap_or_else(|| "none".to_owned())
}

impl standing::Stands for State {
    const PROTOCOL: &'static str = "sprint";

    fn missing(&self) -> String {
        format!("{} sprints are open", self.open_sprints())
    }

    fn fresh(&self) -> bool {
        repository::fresh(self.core.life.seen.as_ref()) && !self.core.watch_due
    }

    /// The mission waits for host work. It does not wait for runs, commands, questions and timers: other units go on
    /// meanwhile.
    fn is_awaited(order: &Order) -> bool {
        is_file_work(order) || matches!(order, Order::CommitFiles(_) | Order::Observe(_))
    }
}
