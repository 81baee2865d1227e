//! The named facts the rules are made of, and the events that set them.

use super::state::State;
use crate::mission::Head;
use crate::mission::{standing, table};
use crate::view::End;

table::facts! {
    #[schemars(rename = "IterationFact")]
    State;

    /// A run ended and the handler has not judged it.
    JudgementDue "judgement_due":
        |state: &State, _| state.core.judging.is_some(),
        |state, _| match (&state.core.judging, &state.core.last) {
            (Some(judging), _) => format!("iteration {} waits", judging.iteration),
            (None, Some(last)) => format!("iteration {}: {}", last.iteration, last.words),
            (None, None) => "no run has ended".to_owned(),
        };
    /// At least one run was made.
    RunMade "run_made": |state: &State, _| state.core.iteration > 0, made;
    /// Fewer runs were made than the ceiling allows.
    BelowCeiling "below_ceiling":
        |state: &State, _| state.core.iteration < state.core.ceiling, made;
}

fn made(state: &State, _: &Head) -> String {
    format!("{} of at most {} iterations", state.core.iteration, state.core.ceiling)
}

impl standing::Stands for State {
    const PROTOCOL: &'static str = "iteration";

    fn missing(&self) -> String {
        "the handler has not said that it is complete".to_owned()
    }

    fn fresh(&self) -> bool {
        !self.core.unseen
    }

    fn seen_words(&self) -> String {
        match self.core.settings.follow_head {
            true => "the head is looked at before the first run and after each".to_owned(),
            false => "no repository is followed".to_owned(),
        }
    }

    fn over(&self) -> bool {
        self.core.done.is_some()
    }

    fn end(&self) -> Option<End> {
        let done = self.core.done.as_ref();
        done.map(|done| End::of(done.closed_by, done.waived.clone(), Vec::new()))
    }

    fn end_words(&self) -> Option<String> {
        let done = self.core.done.as_ref()?;
        Some(format!("done after iteration {}: {}", done.iteration, done.description))
    }
}
