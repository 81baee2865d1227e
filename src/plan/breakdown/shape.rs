//! The shape of what is made: units and sprints, each with a beginning, tasks and an end.
//!
//! The end of a sprint is what the document accepts it by, the files it makes, the commands the document builds
//! and tests with; and for every task that none of these would miss, the task itself, to be shown.

use super::super::classify::{self, command_in};
use super::super::document::LineRange;
use super::super::evaluate::{Commands, criteria_for};
use super::super::judge::{Answers, PlanQuestion, said_words};
use super::super::label::{Headed, headed, is_deferred, slug, unit_key};
use super::super::model::{PlanCriterion, PlanTask, Sprint, WHOLE, WorkUnit};
use super::super::outline::spans;
use super::super::paths::{Touched, folder, paths};
use super::super::quality::is_machine;
use super::super::vague::is_vague;
use super::Piece;
use std::collections::BTreeSet;

const NOWHERE: LineRange = LineRange { first: 0, last: 0 };

/// What headings of sprints begin with.
const OF_SPRINTS: &[&str] = &["sprint", "sortie", "task", "phase"];

/// A sprint before it has words.
pub(super) struct Draft<'p> {
    pub(super) id: String,
    pub(super) label: String,
    /// The label of the one before it in its unit.
    pub(super) before: Option<String>,
    pub(super) pieces: Vec<&'p Piece>,
    /// What the document accepts it by.
    pub(super) accepted: Vec<String>,
}

/// The id of a unit; `plan`, unwritten, if the name of the whole would be read as something else.
pub(super) fn unit_id(unit: &str, project: &str) -> String {
    if unit != WHOLE {
        return slug(&part_name(unit));
    }
    let id = unit_key(project);
    let other = headed(project, OF_SPRINTS) == Headed::Other;
    if id.is_empty() || !other { WHOLE.to_owned() } else { id }
}

/// A unit without its sprints.
pub(super) fn work_unit(unit: &str, id: &str, project: &str, pieces: &[&Piece]) -> WorkUnit {
    let mut touched = Touched::default();
    pieces.iter().for_each(|piece| touched.task(&piece.text));
    touched.settle();
    let files = touched.created.iter().chain(&touched.modified);
    let folders: BTreeSet<&str> = files.map(|path| folder(path)).collect();
    WorkUnit {
        id: id.to_owned(),
        name: if unit == WHOLE { project.to_owned() } else { part_name(unit) },
        directory: common(&folders).map(|folder| format!("{folder}/")),
        layer: None,
        promised: None,
        lines: NOWHERE,
        sprints: Vec::new(),
    }
}

/// A section by which a unit is called. One that is numbered like a sprint would be read as one.
fn part_name(section: &str) -> String {
    match headed(section, OF_SPRINTS) {
        Headed::Other => section.to_owned(),
        Headed::Sprint { name, .. } if !name.is_empty() => name.to_owned(),
        _ => format!("Part “{section}”"),
    }
}

/// The folder that all of some folders lie in.
fn common(folders: &BTreeSet<&str>) -> Option<String> {
    let mut all = folders.iter().map(|folder| folder.split('/').collect::<Vec<_>>());
    let first = all.next()?;
    let steps = all.fold(first, |known, next| {
        let same = known.iter().zip(&next).take_while(|(one, other)| one == other);
        same.map(|(one, _)| *one).collect()
    });
    let folder = steps.join("/");
    (!folder.is_empty()).then_some(folder)
}

/// A sprint; and what was left to judge.
pub(super) fn sprint(
    draft: &Draft<'_>,
    commands: &Commands,
    answers: &Answers,
    left: &mut Vec<PlanQuestion>,
) -> Sprint {
    let tasks = draft.pieces.iter().zip(1_u32..).map(|(piece, number)| PlanTask {
        label: number.to_string(),
        text: piece.text.clone(),
        kind: classify::task_kind(&piece.text),
        ticked: false,
        lines: NOWHERE,
    });
    let tasks: Vec<PlanTask> = tasks.collect();
    let exit = end(draft, &tasks, commands, answers, left);
    let entry = match &draft.before {
        Some(before) => format!("Sprint {before} exit criteria met"),
        None => "First sprint — no prerequisites".to_owned(),
    };
    let said = said_words(answers, &format!("name:{}", draft.id));
    let name = said.unwrap_or_else(|| name_of(&draft.pieces));
    Sprint {
        id: draft.id.clone(),
        label: draft.label.clone(),
        word: "Sprint".to_owned(),
        kind: classify::sprint_kind(None, &name, tasks.iter().map(|task| &task.kind)),
        deferred: is_deferred(&name),
        name,
        goal: None,
        layer: None,
        priority: None,
        model: None,
        turns: None,
        entry: criteria(&[entry], "EC"),
        exit,
        tasks,
        lines: NOWHERE,
    }
}

/// The exit criteria of a sprint. If a machine can check none, somebody is asked for one.
fn end(
    draft: &Draft<'_>,
    tasks: &[PlanTask],
    commands: &Commands,
    answers: &Answers,
    left: &mut Vec<PlanQuestion>,
) -> Vec<PlanCriterion> {
    let texts = || tasks.iter().map(|task| task.text.as_str());
    let mut checks = draft.accepted.clone();
    checks.extend(criteria_for(texts(), commands));
    checks
        .extend(texts().filter_map(command_in).map(|(_, command)| format!("`{command}` exits 0")));
    let machine =
        |checks: &[String]| checks.iter().any(|one| is_machine(&classify::check(one), one));
    if !machine(&checks) {
        let question = format!("exit:{}", draft.id);
        match said_words(answers, &question) {
            Some(answer) => checks.push(answer),
            None => {
                let text = format!(
                    "Which command or file shows that sprint {} is done? Its tasks: {}",
                    draft.label,
                    texts().map(first_line).collect::<Vec<_>>().join("; ")
                );
                left.push(PlanQuestion::words(question, text));
            }
        }
    }
    let missed: Vec<String> = texts().filter(|task| !is_named(task, &checks)).map(shown).collect();
    checks.extend(missed);
    distinct(criteria(&checks, "AC"))
}

/// Whether a criterion names something that a task names. Vague words are no criterion, whoever wrote them.
fn is_named(task: &str, checks: &[String]) -> bool {
    let files = paths(task).map(|(_, path)| path);
    let codes = spans(task).into_iter().map(|(_, code)| code);
    let things: Vec<&str> = files.chain(codes).filter(|thing| thing.len() > 2).collect();
    let tests = task.starts_with("Write tests for: ");
    is_vague(task)
        || tests
        || checks
            .iter()
            .any(|check| check == task || things.iter().any(|thing| check.contains(thing)))
}

/// The line that the others say more about.
fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

/// A task as what is to be shown in the end.
fn shown(task: &str) -> String {
    match task.split_once('\n') {
        Some((first, _)) => {
            format!("Shown by a test or a command, with each point of it: {first}")
        }
        None => format!("Shown by a test or a command: {task}"),
    }
}

/// Each check once, however it is worded.
fn distinct(mut all: Vec<PlanCriterion>) -> Vec<PlanCriterion> {
    let mut kept: Vec<PlanCriterion> = Vec::new();
    for one in all.drain(..) {
        let command = matches!(one.check, super::super::model::Check::Command { .. });
        let known =
            |other: &PlanCriterion| other.text == one.text || command && other.check == one.check;
        if !kept.iter().any(known) {
            kept.push(one);
        }
    }
    (1_u32..).zip(&mut kept).for_each(|(number, one)| one.id = format!("AC-{number:03}"));
    kept
}

/// The first task, and how many more.
fn name_of(pieces: &[&Piece]) -> String {
    let first = pieces.first().map_or("", |piece| piece.text.as_str());
    let short = crate::vocab::error::clip(first_line(first), 60);
    match pieces.len() {
        0 | 1 => short,
        many => format!("{short} (+{})", many - 1),
    }
}

fn criteria(texts: &[String], prefix: &str) -> Vec<PlanCriterion> {
    let each = texts.iter().zip(1_u32..).map(|(text, number)| PlanCriterion {
        id: format!("{prefix}-{number:03}"),
        text: text.clone(),
        check: classify::check(text),
        ticked: false,
        lines: NOWHERE,
    });
    each.collect()
}
