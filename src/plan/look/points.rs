//! Where the plan begins, and where it ends.

use super::super::analyze::{IssueKind, Point, Severity, place};
use super::super::model::Sprint;
use super::super::outline::{Content, plain, plain_small};
use super::super::paths::{Touched, paths};
use super::super::phrases::Phrases;
use super::super::vague::is_vague;
use super::Look;
use std::collections::{BTreeMap, BTreeSet};

/// Words about what is there already.
static THERE: Phrases =
    Phrases::new(&["existing ", "legacy ", "current implementation", "as it is today"]);

impl Look<'_> {
    /// The paragraphs and items below headings with one of these words.
    fn sections(&self, names: &[&str]) -> Vec<String> {
        let mut found = Vec::new();
        let mut open: Option<u8> = None;
        for block in &self.outline.blocks {
            match &block.content {
                Content::Heading(level) => {
                    let words = plain_small(self.outline.heading(block).0);
                    if open.is_none_or(|outer| *level <= outer) {
                        open = names.iter().any(|name| words.contains(name)).then_some(*level);
                    }
                }
                Content::List(items) if open.is_some() => {
                    found.extend(
                        items.iter().map(|item| {
                            super::super::document::item_text(self.outline.source(item))
                        }),
                    );
                }
                Content::Paragraph if open.is_some() => {
                    found.push(plain(self.outline.source(&block.range)))
                }
                _ => {}
            }
        }
        found
    }

    fn firsts(&self) -> impl Iterator<Item = &Sprint> {
        let waits: BTreeSet<&str> =
            self.plan.dependencies.iter().map(|one| one.to.as_str()).collect();
        self.plan
            .units
            .iter()
            .filter(move |unit| !waits.contains(unit.id.as_str()))
            .filter_map(|unit| unit.sprints.first())
    }

    pub(in super::super) fn point_a(&mut self) -> Point {
        let mut point = Point {
            clear: true,
            documented: self.sections(&[
                "prerequisite",
                "starting state",
                "assumption",
                "precondition",
                "current state",
                "existing",
            ]),
            deliverables: Vec::new(),
            assumed: Vec::new(),
            unclear: Vec::new(),
        };
        for sprint in self.firsts() {
            let own = sprint.entry.iter().map(|one| one.text.clone());
            let (free, said): (Vec<String>, Vec<String>) = own.partition(|text| {
                text.to_lowercase().contains("prerequisite")
                    || text.to_lowercase().starts_with("none")
            });
            if free.is_empty() && said.is_empty() {
                let name = place(&sprint.id);
                point.unclear.push(format!("sprint {name} says nothing about what it starts from"));
            }
            point.documented.extend(said);
        }
        point.assumed = self.undescribed();
        point.clear = !point.documented.is_empty() && point.assumed.is_empty();
        let (problem, advice) = match point.documented.is_empty() {
            true => (
                "The starting state is not documented.",
                "Add a section \"Prerequisites\", or say in the entry criteria of the first sprint what must be there.",
            ),
            false => (
                "Entry criteria name files that nothing in the plan makes or describes.",
                "Describe them in a section \"Prerequisites\", or add the task that makes them.",
            ),
        };
        if !point.clear {
            let at = "the plan".to_owned();
            self.issue(Severity::Recommended, 1, IssueKind::Points, at, problem.to_owned(), advice);
        }
        let builds = self.plan.sprints().flat_map(|sprint| {
            let tasks = sprint.tasks.iter().filter(|task| THERE.within(&task.text));
            tasks.map(|task| {
                format!("sprint {} builds on what is there: {}", place(&sprint.id), task.text)
            })
        });
        point.assumed.extend(builds.take(20).collect::<Vec<_>>());
        point
    }

    /// Files that entry criteria take for granted, and nothing else in the plan speaks of.
    fn undescribed(&self) -> Vec<String> {
        let made = self.plan.sprints().fold(Touched::default(), |mut all, sprint| {
            sprint.tasks.iter().for_each(|task| all.task(&task.text));
            all
        });
        let mut named: BTreeMap<&str, usize> = BTreeMap::new();
        paths(self.outline.text).for_each(|(_, path)| *named.entry(path).or_default() += 1);
        let mut asked: BTreeMap<&str, usize> = BTreeMap::new();
        let entries = || {
            self.plan.sprints().flat_map(|sprint| sprint.entry.iter().map(move |one| (sprint, one)))
        };
        for (_, one) in entries() {
            paths(&one.text).for_each(|(_, path)| *asked.entry(path).or_default() += 1);
        }
        let unknown = |path: &&str| {
            let made = made.created.contains(*path) || made.modified.contains(*path);
            !made && named.get(path) <= asked.get(path)
        };
        let all = entries().flat_map(|(sprint, one)| {
            let own = paths(&one.text).map(|(_, path)| path).filter(unknown);
            own.map(|path| format!("`{path}` is there when sprint {} starts", place(&sprint.id)))
        });
        all.collect()
    }

    pub(in super::super) fn point_b(&mut self) -> Point {
        let mut point = Point {
            clear: true,
            documented: self.sections(&[
                "goal",
                "objective",
                "success criteria",
                "done definition",
                "definition of done",
                "acceptance criteria",
            ]),
            deliverables: self.sections(&["deliverable"]),
            assumed: Vec::new(),
            unclear: Vec::new(),
        };
        let before: BTreeSet<&str> =
            self.plan.dependencies.iter().map(|one| one.from.as_str()).collect();
        let lasts = self
            .plan
            .units
            .iter()
            .filter(|unit| !before.contains(unit.id.as_str()))
            .filter_map(|unit| unit.sprints.iter().rev().find(|one| !one.deferred));
        let mut ends = Vec::new();
        for sprint in lasts {
            if sprint.exit.is_empty() {
                let name = place(&sprint.id);
                point.unclear.push(format!("sprint {name} is the last and has no exit criteria"));
            }
            ends.extend(sprint.exit.iter().map(|one| one.text.clone()));
        }
        let vague = ends.iter().chain(&point.documented).filter(|text| is_vague(text));
        point
            .unclear
            .extend(vague.map(|text| format!("nobody can measure: {text}")).collect::<Vec<_>>());
        point.documented.extend(ends);
        let said = point.documented.len() + point.deliverables.len();
        let made = self.plan.sprints().filter(|one| !one.deferred).fold(
            Touched::default(),
            |mut all, sprint| {
                sprint.tasks.iter().for_each(|task| all.task(&task.text));
                all
            },
        );
        point.deliverables.extend(made.created.iter().take(40).map(|file| format!("`{file}`")));
        point.clear = said > 0 && point.unclear.is_empty();
        if !point.clear {
            let advice = "Give the last sprints exit criteria that a command or a look at files decides, or add a section \"Success criteria\".";
            let problem = match point.unclear.as_slice() {
                [] => "The plan does not say what there is to be at its end.".to_owned(),
                unclear => format!("The target state is not clear: {}", unclear.join("; ")),
            };
            let at = "the plan".to_owned();
            self.issue(Severity::Recommended, 1, IssueKind::Points, at, problem, advice);
        }
        point
    }
}
