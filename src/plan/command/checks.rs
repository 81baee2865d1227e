//! Whether a sprint can be given to an agent: is it about one thing, can its end be tested, does it fit (seed 17c to
//! 17e)? Each finding is yes, no, or unknown.

use super::super::judge::{Answers, PlanQuestion, yes_or_ask};
use super::super::model::{Criterion, Plan, Sprint, Task, Unit, id};
use super::estimate::{Estimate, Fitness};
use super::live;
use super::text::{commands, names, runs, says};
use super::words::{AIMLESS, LOOSE, VAGUE};
use serde::Serialize;
use std::collections::BTreeMap;

/// What was found about a sprint. `true` is good; `None` is not known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SprintCheck {
    /// The sprint.
    pub sprint: String,
    /// All tasks are of one subsystem or feature.
    pub single_concern: Option<bool>,
    /// It makes something that has a name.
    pub clear_artifact: bool,
    /// Its beginning and end name what is there.
    pub explicit_io: bool,
    /// At least one exit criterion has a command.
    pub machine_verifiable: bool,
    /// No exit criterion uses words nobody can measure, without a command beside them.
    pub no_vague_words: bool,
    /// Every task has a criterion that would miss it.
    pub coverage: bool,
    /// The estimate.
    pub estimate: Estimate,
    /// How they fit.
    pub fitness: Option<Fitness>,
}

impl SprintCheck {
    /// Whether it is atomic: no if one thing is against it, `None` if that is not known.
    pub fn is_atomic(&self) -> Option<bool> {
        let known = [self.clear_artifact, self.explicit_io].map(Some);
        let all = [self.single_concern, self.bounded_scope(), known[0], known[1]];
        match all.contains(&Some(false)) {
            true => Some(false),
            false => all.iter().all(Option::is_some).then_some(true),
        }
    }

    /// Whether it is not too large for the budget of turns.
    pub fn bounded_scope(&self) -> Option<bool> {
        self.fitness.map(|fitness| fitness != Fitness::Oversized)
    }

    /// Whether its end can be tested.
    pub fn is_testable(&self) -> bool {
        self.machine_verifiable && self.no_vague_words && self.coverage
    }

    /// Whether it fits its budget.
    pub fn fits(&self) -> Option<bool> {
        self.fitness.map(|fitness| fitness == Fitness::Right)
    }
}

/// Checks every sprint that is to run; and what was left to judge.
pub fn checks(
    plan: &Plan,
    budget: u32,
    answers: &Answers,
) -> (Vec<SprintCheck>, Vec<PlanQuestion>) {
    let mut left = Vec::new();
    let each = live(plan).map(|(unit, sprint)| check(unit, sprint, budget, answers, &mut left));
    (each.collect(), left)
}

fn check(
    unit: &Unit,
    sprint: &Sprint,
    budget: u32,
    answers: &Answers,
    left: &mut Vec<PlanQuestion>,
) -> SprintCheck {
    let estimate = Estimate::of(sprint);
    SprintCheck {
        sprint: id(unit, sprint),
        single_concern: one_concern(&id(unit, sprint), sprint, answers, left),
        clear_artifact: is_clear(sprint),
        explicit_io: is_explicit(unit, sprint),
        machine_verifiable: commands(sprint).next().is_some(),
        no_vague_words: !sprint.exit.iter().any(|one| is_vague(sprint, one)),
        coverage: sprint.tasks.iter().all(|task| is_covered(sprint, task)),
        fitness: estimate.fitness(budget),
        estimate,
    }
}

/// Whether nobody can measure a criterion: it has a vague phrase and no command, and none was added beside it.
pub(super) fn is_vague(sprint: &Sprint, one: &Criterion) -> bool {
    let mended = sprint.exit.iter().any(|other| other.added && !other.commands.is_empty());
    one.commands.is_empty() && !mended && says(&one.text, VAGUE).is_some()
}

/// The subsystem of a task: the folder of the first file of its sprint that it names.
pub(super) fn concern<'s>(sprint: &'s Sprint, task: &Task) -> Option<&'s str> {
    let files = sprint.creates.iter().chain(&sprint.changes);
    let named = files.filter_map(|file| Some((task.text.find(file.as_str())?, file)));
    let (_, file) = named.min_by_key(|(at, file)| (*at, std::cmp::Reverse(file.len())))?;
    Some(file.rsplit_once('/').map_or("", |(folder, _)| folder))
}

/// How many subsystems have two tasks or more.
pub(super) fn subsystems(sprint: &Sprint) -> usize {
    let mut many: BTreeMap<&str, usize> = BTreeMap::new();
    let each = sprint.tasks.iter().filter_map(|task| concern(sprint, task));
    each.for_each(|one| *many.entry(one).or_default() += 1);
    many.into_values().filter(|count| *count > 1).count()
}

/// Tasks in one folder are of one concern; whether two folders with two tasks each are, somebody must say.
fn one_concern(
    id: &str,
    sprint: &Sprint,
    answers: &Answers,
    left: &mut Vec<PlanQuestion>,
) -> Option<bool> {
    if subsystems(sprint) < 2 {
        return Some(true);
    }
    let text = format!("Do all tasks of sprint {} ({}) serve one goal?", sprint.label, sprint.name);
    yes_or_ask(answers, left, format!("concern:{id}"), text)
}

/// Whether it names something that it makes, and no task is for nothing in particular.
fn is_clear(sprint: &Sprint) -> bool {
    let fields = !sprint.creates.is_empty() || !sprint.changes.is_empty();
    let named = |task: &Task| names(&task.text).next().is_some();
    let aimless = |task: &Task| says(&task.text, AIMLESS).is_some() && !named(task);
    (fields || sprint.tasks.iter().any(named)) && !sprint.tasks.iter().any(aimless)
}

fn is_explicit(unit: &Unit, sprint: &Sprint) -> bool {
    let loose = |one: &Criterion| {
        says(&one.text, LOOSE).is_some()
            && one.commands.is_empty()
            && names(&one.text).next().is_none()
    };
    let first = unit.sprints.first().is_some_and(|first| first.label == sprint.label);
    let begins = first || !sprint.entry.is_empty() || sprint.depends_on.is_some();
    let named = |one: &Criterion| !one.commands.is_empty() || names(&one.text).next().is_some();
    begins && sprint.exit.iter().any(named) && !sprint.entry.iter().any(loose)
}

/// A task is covered by a criterion that names something it names; by a build or tests of the whole; and, if it names
/// nothing, by any.
fn is_covered(sprint: &Sprint, task: &Task) -> bool {
    let files = sprint.creates.iter().chain(&sprint.changes).map(String::as_str);
    let files = files.filter(|file| task.text.contains(file));
    let things: Vec<&str> = names(&task.text).chain(files).collect();
    let whole =
        commands(sprint).any(|one| ["build", "test"].iter().any(|word| runs(&one.line, word)));
    let named = sprint.exit.iter().any(|one| things.iter().any(|thing| one.text.contains(thing)));
    named || whole || things.is_empty() && !sprint.exit.is_empty()
}
