//! The effects of a change: the arrow it takes, its line in the log, the files whose content changes.

use super::files;
use super::state::{Arrow, DecisionRow, SprintStatus, State, UnitStatus};
use crate::mission::prelude::*;

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

    /// Changes the status of a unit that stands so.
    pub(super) fn move_unit_if(
        &mut self,
        id: &str,
        stands: impl FnOnce(UnitStatus) -> bool,
        to: UnitStatus,
    ) {
        if self.units.get(id).is_some_and(|unit| stands(unit.status)) {
            self.move_unit(id, to);
        }
    }

    /// Whether a sprint has this status.
    pub(super) fn stands_at(&self, id: &str, status: SprintStatus) -> bool {
        self.sprints.get(id).is_some_and(|sprint| sprint.status == status)
    }

    /// Whether a run is to be ended.
    pub(super) fn doomed(&self, run: &Run) -> bool {
        self.core.watched.get(&run.by.run).is_some_and(|one| one.doom.is_some())
    }

    /// The directory of the unit of a sprint; empty for the whole repository.
    pub(super) fn place(&self, sprint: &str) -> &str {
        let unit = self.sprints.get(sprint).and_then(|sprint| self.units.get(&sprint.unit));
        unit.map_or("", |unit| &unit.directory)
    }

    /// The state file has another content now.
    pub(super) fn touch_state(&mut self) {
        let path = files::state_path(&self.core.settings.root);
        self.core.life.files.touch(&path);
    }

    /// The completion log has another content now.
    pub(super) fn touch_complete(&mut self) {
        let settings = &self.core.settings;
        let path = files::complete_path(&settings.root, &settings.project);
        self.core.life.files.touch(&path);
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
        self.core.life.files.append(files::DECISIONS, &line);
        self.touch_state();
    }
}
