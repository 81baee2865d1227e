//! The effects of a change: the arrow it takes, its line in the log, the files whose content changes.

use super::files;
use super::state::{Arrow, DecisionRow, SprintStatus, State, UnitStatus};
use crate::mission::repository;
use crate::vocab::time::Millis;

impl State {
    /// Changes the status of a sprint, and notes the arrow.
    pub(super) fn move_sprint(&mut self, id: &str, to: SprintStatus) {
        let Some(from) = self.sprints.get(id).map(|sprint| sprint.status) else { return };
        if from == to {
            return;
        }
        self.moves.push(Arrow::Sprint(id.to_owned(), from, to));
        self.sprints.change(id, |sprint| sprint.status = to);
        self.touch_state();
    }

    /// Changes the status of a unit, and notes the arrow.
    pub(super) fn move_unit(&mut self, id: &str, to: UnitStatus) {
        let Some(from) = self.units.get(id).map(|unit| unit.status) else { return };
        if from == to {
            return;
        }
        self.moves.push(Arrow::Unit(id.to_owned(), from, to));
        self.units.change(id, |unit| unit.status = to);
        self.touch_state();
    }

    /// The state file has another content now.
    pub(super) fn touch_state(&mut self) {
        let path = files::state_path(&self.core.settings.root);
        self.core.files.touch(&path);
    }

    /// The completion log has another content now.
    pub(super) fn touch_complete(&mut self) {
        let settings = &self.core.settings;
        let path = files::complete_path(&settings.root, &settings.project);
        self.core.files.touch(&path);
    }

    /// Enters a decision into the log.
    pub(super) fn log(
        &mut self,
        at: Millis,
        of: &str,
        decision: &str,
        rationale: impl Into<String>,
    ) {
        let (unit, sprint) = match self.sprints.get(of) {
            Some(sprint) => (sprint.unit.clone(), sprint.plan.label.clone()),
            None => (of.to_owned(), String::new()),
        };
        let row = DecisionRow {
            id: (self.decisions.len() + 1).to_string(),
            at,
            unit,
            sprint,
            decision: decision.to_owned(),
            rationale: crate::vocab::error::clip(
                &crate::vocab::text::one_line(&rationale.into()),
                400,
            ),
        };
        let line = crate::vocab::json::encode(&row);
        self.decisions.push(row);
        self.core.files.append(files::DECISIONS, &line);
        self.touch_state();
    }

    /// Whether a look must come before a run is judged or sent.
    pub(super) fn stale_observation(&mut self) {
        repository::stale(&mut self.core.seen);
    }
}
