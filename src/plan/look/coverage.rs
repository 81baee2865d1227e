//! What the plan covers, and what nobody needs.

use super::super::analyze::{Coverage, IssueKind, Severity, place};
use super::super::model::{Sprint, unit_of};
use super::super::paths::{Touched, paths};
use super::super::requirements::{Confidence, detect};
use super::super::words::{significant, words_of};
use super::Look;
use std::collections::{BTreeMap, BTreeSet};

impl Look<'_> {
    /// A requirement is addressed by a sprint that uses half of its words.
    pub(in super::super) fn coverage(&mut self, requirements: &str) -> Vec<Coverage> {
        let asked =
            detect(requirements).into_iter().filter(|one| one.confidence > Confidence::Context);
        let texts: Vec<(String, BTreeSet<String>)> =
            self.plan.sprints().map(|sprint| (sprint.id.clone(), words_of(sprint))).collect();
        let mut rows = Vec::new();
        for requirement in asked {
            let wanted = significant(&requirement.text);
            let hits = |words: &BTreeSet<String>| {
                wanted.iter().filter(|word| words.contains(*word)).count()
            };
            let by = texts
                .iter()
                .filter(|(_, words)| !wanted.is_empty() && hits(words) * 2 >= wanted.len());
            let sprints: Vec<String> = by.map(|(id, _)| id.clone()).collect();
            if sprints.is_empty() {
                let at = format!("requirement {}", requirement.place());
                self.issue(
                    Severity::Critical,
                    1,
                    IssueKind::Coverage,
                    at,
                    format!("No sprint addresses: {}", requirement.text),
                    "Add a task for it, or put it out of scope.",
                );
            }
            rows.push(Coverage { requirement, sprints });
        }
        rows
    }

    /// Sprints that nobody waits for, and that make files which no later one speaks of.
    pub(in super::super) fn dead_ends(&mut self) -> Vec<String> {
        let all: Vec<&Sprint> = self.plan.sprints().filter(|one| !one.deferred).collect();
        let mut last: BTreeMap<&str, usize> = BTreeMap::new();
        for (at, sprint) in all.iter().enumerate() {
            let tasks = sprint.tasks.iter().map(|task| &task.text);
            let checks = sprint.entry.iter().chain(&sprint.exit).map(|one| &one.text);
            let named = tasks.chain(checks).flat_map(|text| paths(text));
            last.extend(named.map(|(_, path)| (path, at)));
        }
        let waited: BTreeSet<&str> =
            self.plan.dependencies.iter().map(|one| one.from.as_str()).collect();
        let mut found = Vec::new();
        for (at, sprint) in all.iter().enumerate() {
            let mut touched = Touched::default();
            sprint.tasks.iter().for_each(|task| touched.task(&task.text));
            let used = |file: &String| last.get(file.as_str()).is_some_and(|place| *place > at);
            let needed =
                waited.contains(sprint.id.as_str()) || waited.contains(unit_of(&sprint.id));
            let makes = !touched.created.is_empty() && !touched.created.iter().any(used);
            // The last of a unit makes what the unit is for.
            let ends = all.get(at + 1).is_none_or(|next| unit_of(&next.id) != unit_of(&sprint.id));
            if !ends && makes && !needed {
                found.push(sprint.id.clone());
            }
        }
        for id in &found {
            self.issue(
                Severity::Optional,
                1,
                IssueKind::DeadEnd,
                format!("sprint {}", place(id)),
                "Nothing later uses what it makes.".to_owned(),
                "Say who needs it, or that it is a deliverable by itself.",
            );
        }
        found
    }
}
