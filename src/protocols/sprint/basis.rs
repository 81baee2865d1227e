//! What the end rests on: the commands of criteria, and what verifiers and people said of the others.

use super::state::{Check, Sprint, SprintStatus, State};
use crate::mission::proof::{Basis, Showing, by_runs};
use crate::vocab::criterion::{Criterion, CriterionState};

impl State {
    /// Criterion by criterion, and the build before them.
    pub(super) fn basis(&self) -> impl Iterator<Item = Showing> {
        let settings = &self.core.settings;
        let build = settings.build.iter().map(|line| Showing {
            commands: vec![line.clone()],
            directory: settings.root.clone(),
            ..Showing::of_item("", "build", Basis::Nothing)
        });
        let closed = self.sprints.iter().filter(|one| one.status != SprintStatus::Deferred);
        build.chain(closed.flat_map(|sprint| self.basis_of(sprint)))
    }

    fn basis_of(&self, sprint: &Sprint) -> impl Iterator<Item = Showing> {
        sprint.criteria.iter().zip(&sprint.checks).map(|(criterion, check)| {
            let basis = of(sprint, criterion, check);
            let commands = match check {
                Check::Command(line) if matches!(basis, Basis::Nothing) => vec![line.clone()],
                _ => Vec::new(),
            };
            let directory = self.core.settings.root.clone();
            Showing { commands, directory, ..Showing::of_item(&sprint.id, &criterion.id, basis) }
        })
    }
}

fn of(sprint: &Sprint, criterion: &Criterion, check: &Check) -> Basis {
    match (&criterion.state, check) {
        // What is to be shown rests on what is declared.
        (_, Check::Command(_)) if !sprint.status.closed() && !criterion.waived() => Basis::Nothing,
        (_, Check::Person) if !sprint.status.closed() && !criterion.waived() => {
            Basis::Seen("you".to_owned())
        }
        (CriterionState::Verified { .. }, Check::Command(_)) => Basis::Nothing,
        (CriterionState::Verified { .. }, Check::Person) => Basis::Seen("you".to_owned()),
        _ => by_runs(criterion),
    }
}
