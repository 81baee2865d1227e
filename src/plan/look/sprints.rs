//! Each sprint by itself, and their order.

use super::super::analyze::{IssueKind, Severity, place};
use super::super::estimate::Fitness;
use super::super::evaluate::{Fix, FixKind};
use super::super::model::{Dependency, Origin, Sprint};
use super::super::paths::Touched;
use super::super::prioritize::{LayerChange, PrioritizedRow};
use super::super::quality::SprintCheck;
use super::super::vague::vague;
use super::Look;

impl Look<'_> {
    /// What is wrong with a sprint, and what `plan evaluate` would do about it.
    pub(in super::super) fn quality(&mut self, check: &SprintCheck, fixes: &[Fix]) {
        let Some(sprint) = self.plan.sprint(&check.sprint) else { return };
        let at = format!("sprint {}", place(&sprint.id));
        let fix =
            |kind: FixKind| fixes.iter().find(|one| one.kind == kind && one.sprint == sprint.id);
        let split = fix(FixKind::Split)
            .map(|one| format!("Split it ({}); `plan evaluate` does.", one.what));
        let added =
            fix(FixKind::Added).map(|one| format!("Add: {}; `plan evaluate` does.", one.what));
        let or =
            |fix: &Option<String>, words: &str| fix.clone().unwrap_or_else(|| words.to_owned());
        let turns = check.turns;
        let unshown = match sprint.exit.is_empty() {
            true => "It has no exit criteria.",
            false => "Nothing about its end can be checked by a program.",
        };
        let rows = [
            (
                check.single_concern,
                IssueKind::Atomicity,
                "Its tasks are of several subsystems.".to_owned(),
                or(&split, "Split it by subsystem."),
            ),
            (
                check.clear_artifact,
                IssueKind::Atomicity,
                "It names nothing that it makes.".to_owned(),
                "Name the files or types its tasks produce.".to_owned(),
            ),
            (
                check.bounded_scope,
                IssueKind::Atomicity,
                format!("About {turns} turns are more than 80 % of the budget."),
                or(&split, "Split it by hand: no rule finds the place."),
            ),
            (
                check.explicit_io,
                IssueKind::Atomicity,
                "Its beginning or end names nothing that can be looked up.".to_owned(),
                "Let entry and exit criteria name files, types or commands.".to_owned(),
            ),
            (
                check.machine_verifiable,
                IssueKind::Testability,
                unshown.to_owned(),
                or(&added, "Add a build, a test, or a file that must exist."),
            ),
            (
                check.coverage,
                IssueKind::Testability,
                "Some tasks have no criterion that would miss them.".to_owned(),
                "Add a criterion for each.".to_owned(),
            ),
        ];
        for (good, kind, problem, advice) in rows {
            if !good {
                self.issue(Severity::Recommended, 2, kind, at.clone(), problem, advice);
            }
        }
        self.vague(sprint, fixes);
        if check.fitness == Fitness::Undersized {
            let problem = format!("About {turns} turns are less than 15 % of the budget.");
            let advice =
                "Join it with its neighbour; `plan evaluate` does where nothing speaks against it.";
            self.issue(Severity::Optional, 2, IssueKind::Fitness, at, problem, advice);
        }
    }

    /// Criteria with words that nobody can measure.
    fn vague(&mut self, sprint: &Sprint, fixes: &[Fix]) {
        for one in &sprint.exit {
            let Some((_, words)) = vague(&one.text) else { continue };
            let begin = format!("{}: ", one.id);
            let own =
                fixes.iter().filter(|fix| fix.kind == FixKind::Reworded && fix.sprint == sprint.id);
            let fix = own.filter_map(|fix| fix.what.strip_prefix(&begin)).next();
            let advice = match fix {
                Some(what) => format!("Replace {what}; `plan evaluate` does."),
                None => "Say which command or which look at files decides it.".to_owned(),
            };
            let at = format!("sprint {} (line {})", place(&sprint.id), one.lines.first);
            let problem = format!("Nobody can measure `{words}`: {}", one.text);
            self.issue(Severity::Recommended, 2, IssueKind::Testability, at, problem, advice);
        }
    }

    pub(in super::super) fn order(&mut self, rows: &[PrioritizedRow], layers: &[LayerChange]) {
        for row in rows.iter().filter(|row| row.place < row.place_was) {
            let problem = format!(
                "It is urgent ({}) and comes {} places late.",
                row.score.reason(),
                row.place_was - row.place
            );
            let at = format!("sprint {}", place(&row.score.sprint));
            let advice =
                format!("Move it from {} to {}; `plan prioritize` does.", row.place_was, row.place);
            self.issue(Severity::Recommended, 3, IssueKind::Order, at, problem, advice);
        }
        for one in layers {
            let problem = format!("It could be in layer {} and is in layer {}.", one.now, one.was);
            let at = format!("unit {}", one.unit);
            let advice = "Lower its layer; `plan prioritize` does.";
            self.issue(Severity::Optional, 3, IssueKind::Parallelism, at, problem, advice);
        }
    }

    /// Sprints that wait for the one before only because they stand behind it, and share no file with it.
    pub(in super::super) fn serial(&mut self) -> Vec<Dependency> {
        let files = |id: &str| {
            let mut touched = Touched::default();
            let sprint = self.plan.sprint(id)?;
            sprint.tasks.iter().for_each(|task| touched.task(&task.text));
            let Touched { mut created, modified, read } = touched;
            created.extend(modified.into_iter().chain(read));
            (!created.is_empty()).then_some(created)
        };
        let placed = self.plan.dependencies.iter().filter(|one| one.origin == Origin::Order);
        let apart = placed.filter(|one| match (files(&one.from), files(&one.to)) {
            (Some(before), Some(own)) => before.is_disjoint(&own),
            _ => false,
        });
        let found: Vec<Dependency> = apart.cloned().collect();
        for one in &found {
            let before = place(&one.from);
            let problem = format!(
                "It waits for sprint {before} only by its place, and shares no file with it."
            );
            let at = format!("sprint {}", place(&one.to));
            let advice = "Say that it depends on nothing, or why it waits.";
            self.issue(Severity::Optional, 3, IssueKind::Parallelism, at, problem, advice);
        }
        found
    }
}
