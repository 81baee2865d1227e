//! The named facts the rules are made of, and the events that set them.

use super::state::{PlayStep, State};
use crate::mission::Head;
use crate::mission::{standing, table};

table::facts! {
    #[schemars(rename = "PromiseFactName")]
    State;

    /// The tree is to be put back to a passing checkpoint.
    RollBackDue "roll_back_due": due(&[PlayStep::Keep, PlayStep::RollBack]), lead;
    /// The tests of a turn are to be run.
    TestDue "test_due": due(&[PlayStep::Test]), lead;
    /// A promise is to be verified.
    CoachDue "coach_due": due(&[PlayStep::Coach]), lead;
    /// A player is to go to work.
    PlayDue "play_due": due(&[PlayStep::Play]), lead;
    /// A wave is over and the command behind it has not held yet.
    GateDue "gate_due":
        |state: &State, _| state.gate_due().is_some(),
        |state, _| {
            let core = &state.core;
            format!("wave {} of {}", core.wave.saturating_add(1), core.waves.len())
        };
    /// A task is not closed.
    WorkOpen "work_open":
        |state: &State, _| state.open_tasks() > 0,
        |state, _| format!("{} open tasks", state.open_tasks());
    /// Every closed task was shown at the present head.
    AllShown "all_shown":
        |state: &State, _| state.core.closing.is_empty(),
        |state, _| format!("{} tasks to show again", state.core.closing.len());
}

fn due(steps: &'static [PlayStep]) -> impl Fn(&State, &Head) -> bool {
    |state, _| state.lead().is_some_and(|(_, play)| steps.contains(&play.step))
}

fn lead(state: &State, _: &Head) -> String {
    match state.lead() {
        Some((task, play)) => format!("{} is in turn {} at {:?}", task.id, play.turn, play.step),
        None => "no task is in progress".to_owned(),
    }
}

impl standing::Stands for State {
    const PROTOCOL: &'static str = "promise";

    fn missing(&self) -> String {
        "not every task is closed and shown".to_owned()
    }
}
