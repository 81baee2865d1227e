//! What an analysis looks at, one question after the other: the beginning, the end, coverage, dead ends, what is
//! not decided, and the quality and order of sprints.

use super::analyze::{Coverage, Issue, OpenKind, OpenQuestion, Point, Severity};
use super::judge::{Answers, PlanQuestion, said_yes};
use super::model::{Plan, Sprint};
use super::order;
use super::outline::{Content, Outline, plain};
use super::paths::{Touched, paths};
use super::prioritize::{LayerChange, PrioritizedRow};
use super::quality::SprintCheck;
use super::requirements::{Confidence, detect};
use super::vague::is_vague;
use std::collections::BTreeSet;

pub(super) struct Look<'a> {
    pub(super) plan: &'a Plan,
    pub(super) outline: &'a Outline<'a>,
    pub(super) issues: Vec<Issue>,
    pub(super) left: Vec<PlanQuestion>,
}

impl Look<'_> {
    pub(super) fn issue(
        &mut self,
        severity: Severity,
        pass: u32,
        at: String,
        problem: String,
        advice: impl Into<String>,
    ) {
        self.issues.push(Issue { severity, pass, at, problem, advice: advice.into() });
    }

    /// The paragraphs and items below headings with one of these words.
    fn sections(&self, names: &[&str]) -> Vec<String> {
        let mut found = Vec::new();
        let mut open: Option<u8> = None;
        for block in &self.outline.blocks {
            match &block.content {
                Content::Heading(level) => {
                    let words = plain(self.outline.heading(block).0).to_lowercase();
                    if open.is_none_or(|outer| *level <= outer) {
                        open = names.iter().any(|name| words.contains(name)).then_some(*level);
                    }
                }
                Content::List(items) if open.is_some() => {
                    found.extend(
                        items
                            .iter()
                            .map(|item| super::document::item_text(self.outline.source(item))),
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

    pub(super) fn point_a(&mut self) -> Point {
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
            assumed: Vec::new(),
            unclear: Vec::new(),
        };
        let made = self.plan.sprints().fold(Touched::default(), |mut all, sprint| {
            sprint.tasks.iter().for_each(|task| all.task(&task.text));
            all
        });
        for sprint in self.firsts() {
            let own = sprint.entry.iter().map(|one| one.text.clone());
            let (free, said): (Vec<String>, Vec<String>) = own.partition(|text| {
                text.to_lowercase().contains("prerequisite")
                    || text.to_lowercase().starts_with("none")
            });
            if free.is_empty() && said.is_empty() {
                point.unclear.push(format!(
                    "sprint {} says nothing about what it starts from",
                    sprint.label
                ));
            }
            point.documented.extend(said);
        }
        for sprint in self.plan.sprints() {
            for one in &sprint.entry {
                let unknown = paths(&one.text)
                    .map(|(_, path)| path)
                    .filter(|path| !made.created.contains(*path) && !made.modified.contains(*path));
                point.assumed.extend(
                    unknown.map(|path| {
                        format!("`{path}` is there when sprint {} starts", sprint.label)
                    }),
                );
            }
        }
        point.clear = !point.documented.is_empty();
        if !point.clear {
            let advice = "Add a section \"Prerequisites\", or say in the entry criteria of the first sprint what must be there.";
            self.issue(
                Severity::Recommended,
                1,
                "the plan".to_owned(),
                "The starting state is not documented.".to_owned(),
                advice,
            );
        }
        point
    }

    pub(super) fn point_b(&mut self) -> Point {
        let mut point = Point {
            clear: true,
            documented: self.sections(&[
                "goal",
                "objective",
                "success criteria",
                "done definition",
                "definition of done",
                "deliverable",
                "acceptance criteria",
            ]),
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
                point
                    .unclear
                    .push(format!("sprint {} is the last and has no exit criteria", sprint.label));
            }
            ends.extend(sprint.exit.iter().map(|one| one.text.clone()));
        }
        let vague = ends.iter().chain(&point.documented).filter(|text| is_vague(text));
        point
            .unclear
            .extend(vague.map(|text| format!("nobody can measure: {text}")).collect::<Vec<_>>());
        point.documented.extend(ends);
        point.clear = !point.documented.is_empty() && point.unclear.is_empty();
        if !point.clear {
            let advice = "Give the last sprints exit criteria that a command or a look at files decides, or add a section \"Success criteria\".";
            self.issue(
                Severity::Recommended,
                1,
                "the plan".to_owned(),
                "The target state is not clear.".to_owned(),
                advice,
            );
        }
        point
    }

    /// A requirement is addressed by a sprint that uses half of its words.
    pub(super) fn coverage(&mut self, requirements: &str) -> Vec<Coverage> {
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
                let at =
                    format!("requirement {}, line {}", requirement.id, requirement.lines.first);
                self.issue(
                    Severity::Critical,
                    1,
                    at,
                    format!("No sprint addresses: {}", requirement.text),
                    "Add a task for it, or put it out of scope.",
                );
            }
            rows.push(Coverage { requirement, sprints });
        }
        rows
    }

    pub(super) fn dead_ends(&mut self) -> Vec<String> {
        let all: Vec<&Sprint> = self.plan.sprints().filter(|one| !one.deferred).collect();
        let mut found = Vec::new();
        for (place, sprint) in all.iter().enumerate() {
            let mut touched = Touched::default();
            sprint.tasks.iter().for_each(|task| touched.task(&task.text));
            let waited = self.plan.dependencies.iter().any(|one| one.from == sprint.id);
            let later = &all[place + 1..];
            let used = later.iter().any(|one| {
                let texts = one
                    .tasks
                    .iter()
                    .map(|task| &task.text)
                    .chain(one.entry.iter().chain(&one.exit).map(|one| &one.text));
                texts
                    .into_iter()
                    .any(|text| touched.created.iter().any(|file| text.contains(file.as_str())))
            });
            let unit_waited = self
                .plan
                .dependencies
                .iter()
                .any(|one| one.from == super::model::unit_of(&sprint.id));
            if !later.is_empty() && !touched.created.is_empty() && !used && !waited && !unit_waited
            {
                found.push(sprint.id.clone());
                self.issue(
                    Severity::Optional,
                    1,
                    format!("sprint {}", sprint.label),
                    "Nothing later uses what it makes.".to_owned(),
                    "Say who needs it, or that it is a deliverable by itself.",
                );
            }
        }
        found
    }

    /// Lines that put something off, leave a choice, or do not say what.
    pub(super) fn questions(&mut self) -> Vec<OpenQuestion> {
        let dependents = order::dependents(self.plan);
        let mut found = Vec::new();
        let mut fenced = false;
        for (line, number) in self.outline.text.lines().zip(1_u32..) {
            fenced ^= line.trim_start().starts_with("```");
            let Some(kind) = open_kind(line).filter(|_| !fenced) else { continue };
            let sprint = self
                .plan
                .sprints()
                .find(|one| (one.lines.first..=one.lines.last).contains(&number));
            let mut blocks: Vec<String> = sprint.map(|one| one.id.clone()).into_iter().collect();
            blocks.extend(
                sprint.and_then(|one| dependents.get(&one.id)).into_iter().flatten().cloned(),
            );
            let text = crate::vocab::error::clip(
                &plain(line.trim_start_matches(['-', '*', '#', '|', ' '])),
                160,
            );
            let at = format!("line {number}");
            let severity = if sprint.is_some() && kind == OpenKind::Undecided {
                Severity::Critical
            } else {
                Severity::Recommended
            };
            self.issue(
                severity,
                1,
                at,
                format!("Not decided: {text}"),
                "Decide it in the plan before an agent has to.",
            );
            found.push(OpenQuestion {
                text,
                line: number,
                sprint: sprint.map(|one| one.id.clone()),
                kind,
                blocks,
            });
        }
        found
    }

    /// Whether a step is missing between two sprints is a judgement.
    pub(super) fn bridges(&mut self, answers: &Answers) {
        let id = "bridges".to_owned();
        match said_yes(answers, &id) {
            Some(true) => {}
            Some(false) => self.issue(
                Severity::Recommended,
                1,
                "the plan".to_owned(),
                "A judge misses work between sprints.".to_owned(),
                "Look where one sprint needs what none before it makes.",
            ),
            None => {
                let text = "Is every step there that leads from the starting state to the target state, without a gap between sprints?";
                self.left.push(PlanQuestion::yes_no(id, text.to_owned()));
            }
        }
    }

    pub(super) fn quality(&mut self, check: &SprintCheck) {
        let at = || format!("sprint {}", check.label);
        let rows = [
            (
                check.single_concern,
                Severity::Recommended,
                "Its tasks are of several subsystems.",
                "Split it by subsystem; `plan evaluate` does so where they do not alternate.",
            ),
            (
                check.clear_artifact,
                Severity::Recommended,
                "It names nothing that it makes.",
                "Name the files or types its tasks produce.",
            ),
            (
                check.explicit_io,
                Severity::Recommended,
                "Its beginning or end names nothing that can be looked up.",
                "Let entry and exit criteria name files, types or commands.",
            ),
            (
                check.machine_verifiable,
                Severity::Recommended,
                "Nothing about its end can be checked by a program.",
                "Add a build, a test, or a file that must exist.",
            ),
            (
                check.coverage,
                Severity::Optional,
                "Some tasks have no criterion that would miss them.",
                "Add a criterion for each, or one test command for all.",
            ),
        ];
        for (good, severity, problem, advice) in rows {
            if !good {
                self.issue(severity, 2, at(), problem.to_owned(), advice);
            }
        }
        if !check.bounded_scope {
            self.issue(
                Severity::Recommended,
                2,
                at(),
                format!("About {} turns are more than 80 % of the budget.", check.turns),
                "Split it; `plan evaluate` does.",
            );
        }
        if check.fitness == super::estimate::Fitness::Undersized {
            self.issue(
                Severity::Optional,
                2,
                at(),
                format!("About {} turns are less than 15 % of the budget.", check.turns),
                "Join it with its neighbour; `plan evaluate` does.",
            );
        }
    }

    pub(super) fn order(&mut self, rows: &[PrioritizedRow], layers: &[LayerChange]) {
        for row in rows.iter().filter(|row| row.place < row.place_was) {
            let problem = format!(
                "It is urgent ({}) and comes {} places late.",
                row.score.reason(),
                row.place_was - row.place
            );
            self.issue(
                Severity::Recommended,
                3,
                format!("sprint {}", row.was),
                problem,
                "Move it earlier; `plan prioritize` does.",
            );
        }
        for one in layers {
            let problem = format!("It could be in layer {} and is in layer {}.", one.now, one.was);
            self.issue(
                Severity::Optional,
                3,
                format!("unit {}", one.unit),
                problem,
                "Lower its layer; `plan prioritize` does.",
            );
        }
    }
}

/// Whether a line leaves something open. What is quoted or resolved is not open.
fn open_kind(line: &str) -> Option<OpenKind> {
    let bare: String = line.split('`').step_by(2).collect::<Vec<_>>().join(" ");
    let lower = bare.to_lowercase();
    let words: Vec<&str> = bare.split(|c: char| !c.is_alphanumeric()).collect();
    if lower.contains("resolved") || lower.contains("no tbd") || lower.contains("decided:") {
        return None;
    }
    let says = |phrases: &[&str]| phrases.iter().any(|phrase| lower.contains(phrase));
    if words.contains(&"TBD")
        || words.contains(&"TODO")
        || says(&[
            "determine later",
            "decide later",
            "to be decided",
            "to be determined",
            "needs clarification",
            "???",
        ])
    {
        return Some(OpenKind::Undecided);
    }
    if says(&[
        "option a or option b",
        "either option",
        "pick whichever",
        "one of the following approaches",
        "or alternatively",
    ]) {
        return Some(OpenKind::Alternative);
    }
    says(&[
        "appropriate library",
        "suitable library",
        "suitable approach",
        "appropriate approach",
        "standard method",
        "some kind of",
    ])
    .then_some(OpenKind::Unspecific)
}

/// The words of a text that carry it, without endings.
fn significant(text: &str) -> BTreeSet<String> {
    const LIGHT: &[&str] = &[
        "must", "shall", "should", "with", "from", "that", "this", "into", "have", "when", "want",
        "able", "user", "each", "will", "their", "them", "then", "than", "also", "every", "there",
    ];
    let words = text.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase);
    let words = words.filter(|word| word.chars().count() > 3 && !LIGHT.contains(&word.as_str()));
    words
        .map(|word| {
            word.trim_end_matches("ing").trim_end_matches("ed").trim_end_matches('s').to_owned()
        })
        .collect()
}

fn words_of(sprint: &Sprint) -> BTreeSet<String> {
    let tasks = sprint.tasks.iter().map(|one| one.text.as_str());
    let exit = sprint.exit.iter().map(|one| one.text.as_str());
    [sprint.name.as_str(), sprint.goal.as_deref().unwrap_or_default()]
        .into_iter()
        .chain(tasks)
        .chain(exit)
        .flat_map(significant)
        .collect()
}
