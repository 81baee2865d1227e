//! Whether a sprint can be given to an agent: is it about one thing, can its end be tested, does it fit?

use super::estimate::{Fitness, TurnEstimate};
use super::judge::{Answers, PlanQuestion, said_yes};
use super::model::{Check, Plan, PlanTask, Sprint, TaskKind};
use super::outline::spans;
use super::paths::{folder, paths};
use super::vague::is_vague;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// What was found about a sprint. `true` is good.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SprintCheck {
    /// The sprint.
    pub sprint: String,
    /// Its label.
    pub label: String,
    /// All tasks are of one subsystem.
    pub single_concern: bool,
    /// It makes something that has a name.
    pub clear_artifact: bool,
    /// It fits the budget of turns.
    pub bounded_scope: bool,
    /// Its beginning and end name what is there.
    pub explicit_io: bool,
    /// At least one exit criterion can be checked by a program.
    pub machine_verifiable: bool,
    /// No exit criterion uses words nobody can measure.
    pub no_vague_words: bool,
    /// Every task has a criterion that would notice its absence.
    pub coverage: bool,
    /// The estimate.
    pub estimate: TurnEstimate,
    /// Its turns.
    pub turns: u32,
    /// How they fit.
    pub fitness: Fitness,
}

impl SprintCheck {
    /// Whether it is atomic.
    pub fn is_atomic(&self) -> bool {
        self.single_concern && self.clear_artifact && self.bounded_scope && self.explicit_io
    }

    /// Whether its end can be tested.
    pub fn is_testable(&self) -> bool {
        self.machine_verifiable && self.no_vague_words && self.coverage
    }
}

/// Checks every sprint that is to run; and what was left to judge.
pub fn checks(
    plan: &Plan,
    budget: u32,
    answers: &Answers,
) -> (Vec<SprintCheck>, Vec<PlanQuestion>) {
    let mut left = Vec::new();
    let live = plan.sprints().filter(|sprint| !sprint.deferred);
    let checks = live.map(|sprint| check(plan, sprint, budget, answers, &mut left)).collect();
    (checks, left)
}

fn check(
    plan: &Plan,
    sprint: &Sprint,
    budget: u32,
    answers: &Answers,
    left: &mut Vec<PlanQuestion>,
) -> SprintCheck {
    let estimate = TurnEstimate::of(sprint);
    let fitness = estimate.fitness(budget);
    SprintCheck {
        sprint: sprint.id.clone(),
        label: sprint.label.clone(),
        single_concern: is_one_concern(sprint, answers, left),
        clear_artifact: names(&sprint.name) || sprint.tasks.iter().any(|task| names(&task.text)),
        bounded_scope: fitness != Fitness::Oversized,
        explicit_io: is_explicit(plan, sprint),
        machine_verifiable: sprint.exit.iter().any(|one| is_machine(&one.check, &one.text)),
        no_vague_words: !sprint.exit.iter().any(|one| is_vague(&one.text)),
        coverage: sprint.tasks.iter().all(|task| is_covered(sprint, task)),
        estimate,
        turns: estimate.turns(),
        fitness,
    }
}

/// Whether a text names a file or a thing.
fn names(text: &str) -> bool {
    paths(text).next().is_some() || !spans(text).is_empty()
}

/// A command, or a file that must be there.
pub fn is_machine(check: &Check, text: &str) -> bool {
    match check {
        Check::Command { .. } => true,
        Check::Assertion => names(text),
        Check::Checklist => false,
    }
}

/// The subsystem of a task: the folder of the first file it names. Tests and documents belong to what
/// they are about.
pub fn concern(task: &PlanTask) -> Option<String> {
    subsystem(&task.text)
}

/// The same of the words of a task.
pub(super) fn subsystem(text: &str) -> Option<String> {
    let aside = |path: &str| {
        let lower = path.to_lowercase();
        ["test", "spec", "docs/", "readme", "changelog", "makefile", "license"]
            .iter()
            .any(|word| lower.contains(word))
    };
    let own = paths(text).map(|(_, path)| path).find(|path| !aside(path))?;
    Some(folder(own).to_owned())
}

/// How many subsystems have two tasks or more.
pub(super) fn heavy(sprint: &Sprint) -> usize {
    let mut many: BTreeMap<String, usize> = BTreeMap::new();
    sprint.tasks.iter().filter_map(concern).for_each(|one| *many.entry(one).or_default() += 1);
    many.into_values().filter(|count| *count >= 2).count()
}

/// Two subsystems with two tasks each and nothing in common are two concerns, unless a judge says that
/// they serve one goal; a name with "and" is asked about.
fn is_one_concern(sprint: &Sprint, answers: &Answers, left: &mut Vec<PlanQuestion>) -> bool {
    let all: BTreeSet<String> = sprint.tasks.iter().filter_map(concern).collect();
    let heavy = heavy(sprint);
    let id = format!("concern:{}", sprint.id);
    if let Some(one) = said_yes(answers, &id) {
        return one;
    }
    if heavy >= 2 || sprint.name.contains(" and ") && all.len() >= 2 {
        let text =
            format!("Do all tasks of sprint {} ({}) serve one goal?", sprint.label, sprint.name);
        left.push(PlanQuestion::yes_no(id, text));
    }
    heavy < 2
}

fn is_explicit(plan: &Plan, sprint: &Sprint) -> bool {
    const LOOSE: &[&str] =
        &["previous work", "prior work", "earlier work", "everything so far", "all of the above"];
    let loose = sprint.entry.iter().any(|one| {
        let lower = one.text.to_lowercase();
        LOOSE.iter().any(|words| lower.contains(words))
    });
    let first = plan
        .units
        .iter()
        .any(|unit| unit.sprints.first().is_some_and(|first| first.id == sprint.id));
    let begins = first
        || !sprint.entry.is_empty()
        || plan.dependencies.iter().any(|one| one.to == sprint.id);
    let ends = sprint.exit.iter().any(|one| is_machine(&one.check, &one.text));
    begins && ends && !loose
}

/// A task is covered by a criterion that names something the task names; and what is built or tested as a
/// whole covers all code.
fn is_covered(sprint: &Sprint, task: &PlanTask) -> bool {
    let whole = sprint.exit.iter().any(|one| match &one.check {
        Check::Command { command, .. } => {
            ["build", "test", "compile", "make"].iter().any(|word| command.contains(word))
        }
        Check::Checklist | Check::Assertion => false,
    });
    let code = matches!(task.kind, TaskKind::Code | TaskKind::Command);
    let things = paths(&task.text)
        .map(|(_, path)| path)
        .chain(spans(&task.text).into_iter().map(|(_, code)| code));
    let things: Vec<&str> = things.filter(|thing| thing.len() > 2).collect();
    let named = sprint.exit.iter().any(|one| things.iter().any(|thing| one.text.contains(thing)));
    named || whole && code || things.is_empty() && !sprint.exit.is_empty()
}
