//! Makes a plan of a requirements document (seed 15c to 15f): atomic tasks, units, sprints of three to seven tasks, in
//! natural order only. Every requirement keeps its source text, as a task or as an exit criterion; what is made of it or
//! added to it is marked.

use super::super::clause;
use super::super::judge::{Answers, PlanQuestion, said_words};
use super::super::line::spans;
use super::super::model::{Criterion, Plan, Settings, Source, Sprint, Task, Unit, WHOLE};
use super::super::write::front;
use super::evaluate::{add, end_of, exists, exits, told};
use super::requirements::{Requirement, Signal, Unread, kind, read};
use super::text::{files, line, says, shortest};
use super::words::{FIRST, FOUNDATION, MET, TASKS};
use crate::vocab::error::{Code, Error, Result, clip};
use std::collections::BTreeSet;

/// The fewest tasks of a sprint, if there is a neighbour to join (seed 1443).
const LEAST_TASKS: usize = 3;
/// The most tasks of a sprint, beside the one for its tests (seed 1443).
const MOST_TASKS: usize = 6;

/// A plan made of requirements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Breakdown {
    /// The plan.
    pub plan: Plan,
    /// Everything that was detected, context included.
    pub requirements: Vec<Requirement>,
    /// What was not taken.
    pub unread: Vec<Unread>,
    /// What was left to judge.
    pub questions: Vec<PlanQuestion>,
}

/// A task and the requirement it is of.
#[derive(Clone)]
struct Piece<'r> {
    of: &'r Requirement,
    text: String,
    /// It is not the text of its requirement.
    made: bool,
    unit: String,
}

/// Breaks a document down. `name` is that of the project, for a document without a title.
///
/// # Errors
/// The fault of the document; `empty_plan` if nothing in it asks for anything.
pub fn breakdown(
    text: &str,
    name: &str,
    source: Option<Source>,
    answers: &Answers,
) -> Result<Breakdown> {
    let wanted = read(text)?;
    let asks = || wanted.requirements.iter().filter(|one| one.asks());
    let (mut accepted, mut work): (Vec<_>, Vec<_>) =
        asks().partition(|one| one.signal == Signal::Acceptance);
    if work.is_empty() {
        work = std::mem::take(&mut accepted);
    }
    if work.is_empty() {
        let expected = "a list of requirements, features or tasks, or a sentence with MUST";
        let got = "a document that asks for nothing";
        return Err(Error::new(Code::EmptyPlan, "line 1", expected, got));
    }
    let project = wanted.title.clone().unwrap_or_else(|| name.to_owned());
    let mut questions = Vec::new();
    let in_unit = units(&work, &project);
    let pieces = work.iter().zip(&in_unit).flat_map(|(one, unit)| {
        let parts = parts(one, answers, &mut questions);
        let made = parts.len() > 1 || parts.iter().any(|part| *part != one.text);
        parts.into_iter().map(move |text| Piece { of: one, text, made, unit: unit.clone() })
    });
    let pieces: Vec<Piece<'_>> = pieces.collect();
    let tools = tools(text);
    let mut made = Vec::new();
    for name in distinct(pieces.iter().map(|piece| piece.unit.clone())) {
        let own = pieces.iter().filter(|piece| piece.unit == name).cloned().collect();
        unit(&mut made, name, own);
    }
    accept(&mut made, &accepted, &project);
    depend(&mut made);
    let settings = Settings { source, ..Settings::default() };
    let mut plan = Plan {
        title: format!("EXECUTION_PLAN.md — {project}"),
        front: front(&settings, ""),
        settings,
        units: made,
        ..Plan::default()
    };
    finish(&mut plan, &tools, answers, &mut questions);
    let (requirements, unread) = (wanted.requirements, wanted.unread);
    Ok(Breakdown { plan, requirements, unread, questions })
}

fn distinct(all: impl Iterator<Item = String>) -> Vec<String> {
    let mut seen = BTreeSet::new();
    all.filter(|one| seen.insert(one.clone())).collect()
}

/// The commands a document builds and tests with, from its code spans; the shortest of each.
fn tools(text: &str) -> Vec<String> {
    let all = spans(text).into_iter().map(|span| span.text.trim());
    let whole = |code: &&str| {
        code.contains(' ') && !code.contains(['\n', '<', '…']) && !code.contains("...")
    };
    let all: Vec<&str> = all.filter(whole).collect();
    distinct(["build", "test"].into_iter().filter_map(|word| shortest(all.iter().copied(), word)))
}

/// The unit of each requirement: its section if there are several; else the folder of its files if each has one and
/// there are several; else the whole (seed 15d).
fn units(work: &[&Requirement], project: &str) -> Vec<String> {
    let sections: Vec<Option<&String>> = work.iter().map(|one| subject(one)).collect();
    let several = sections.iter().flatten().collect::<BTreeSet<_>>().len() > 1;
    let top = |one: &&Requirement| {
        let tops = files(&one.text).filter_map(|file| file.split_once('/')).map(|(top, _)| top);
        let tops: BTreeSet<&str> = tops.collect();
        tops.first().filter(|_| tops.len() == 1).map(|top| (*top).to_owned())
    };
    let folders: Option<Vec<String>> = work.iter().map(top).collect();
    let folders = folders.filter(|all| all.iter().collect::<BTreeSet<_>>().len() > 1);
    let whole = || named(project);
    match folders {
        _ if several => {
            sections.iter().map(|one| one.map_or_else(whole, |name| named(name))).collect()
        }
        Some(folders) => folders.iter().map(|folder| named(folder)).collect(),
        None => work.iter().map(|_| whole()).collect(),
    }
}

/// The outermost heading that says what a requirement is about, and not what kind of thing it is.
fn subject(one: &Requirement) -> Option<&String> {
    one.headings.iter().find(|heading| kind(heading).is_none())
}

/// A name of a unit: without the letters that part ids, lists and cells.
fn named(text: &str) -> String {
    let plain = text.replace(['/', '|', ',', ':', '`', '*', '_', '\\'], " ");
    let name = clip(&line(&plain), 60);
    if name.is_empty() { WHOLE.to_owned() } else { name }
}

/// The tasks of a requirement by the rules of the seed (15c); where these see that it may be more than one and cannot
/// tell which, somebody is asked.
fn parts(one: &Requirement, answers: &Answers, left: &mut Vec<PlanQuestion>) -> Vec<String> {
    let whole = vec![one.text.clone()];
    let first = line(one.text.lines().next().unwrap_or_default());
    if one.text.contains('\n') {
        return whole;
    }
    let key = format!("tasks:{}", one.id);
    if let Some(said) = said_words(answers, &key) {
        let tasks = said.split(';').map(|part| part.trim().to_owned());
        let tasks: Vec<String> = tasks.filter(|part| !part.is_empty()).collect();
        return if tasks.len() > 1 { tasks } else { whole };
    }
    if let Some(parts) = conjoined(&first) {
        return parts;
    }
    let folders: BTreeSet<&str> =
        files(&first).map(|file| file.rsplit_once('/').map_or("", |(folder, _)| folder)).collect();
    if says(&first, &["and"]).is_some() || files(&first).count() > 3 || folders.len() > 1 {
        let text = format!(
            "Which tasks does this ask for ({}, line {})? Write them with `;` between them, or `one` if it is a single one: {first}",
            one.id, one.lines.first
        );
        left.push(PlanQuestion::words(key, text));
    }
    whole
}

/// "Create X and integrate with Y": "Create X" and "Integrate X with Y" (seed 1418, 1420). Parts begin with a word of
/// tasks, so that it is work that is joined.
fn conjoined(text: &str) -> Option<Vec<String>> {
    let mut parts: Vec<String> = Vec::new();
    let mut rest = text.trim_end_matches('.').to_owned();
    let begins = |part: &str| {
        let word =
            part.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default().to_lowercase();
        TASKS.contains(&word.as_str())
    };
    let code: Vec<_> = spans(text).into_iter().map(|span| span.range).collect();
    let mut done = 0;
    while let Some(at) = rest.match_indices(" and ").map(|(at, _)| at).find(|at| {
        begins(&rest[at + 5..]) && !code.iter().any(|range| range.contains(&(done + at)))
    }) {
        parts.push(rest[..at].trim_end_matches(',').to_owned());
        done += at + 5;
        rest = rest[at + 5..].to_owned();
    }
    if parts.is_empty() || !parts.first().is_some_and(|part| begins(part)) {
        return None;
    }
    parts.push(rest);
    let object =
        parts.first().and_then(|part| part.split_once(' ')).map(|(_, object)| object.to_owned());
    for part in parts.iter_mut().skip(1) {
        if let (Some(to), Some(object)) = (part.strip_prefix("integrate with "), &object) {
            *part = format!("Integrate {object} with {to}");
        }
        let first: String = part.chars().take(1).flat_map(char::to_uppercase).collect();
        *part = format!("{first}{}", part.chars().skip(1).collect::<String>());
    }
    Some(parts)
}

/// A unit of some tasks, foundation first. Sprints are numbered through all units.
fn unit(units: &mut Vec<Unit>, name: String, mut pieces: Vec<Piece<'_>>) {
    pieces.sort_by_key(|piece| says(&piece.of.text, FOUNDATION).is_none());
    let (before, mut unit) = (sprints(units), Unit { name, ..Unit::default() });
    for (number, group) in (before + 1..).zip(groups(pieces)) {
        unit.sprints.push(sprint(number.to_string(), unit.sprints.last(), &group));
    }
    // The source of what was split stands where its last task is.
    let mut seen: BTreeSet<String> = BTreeSet::new();
    for sprint in unit.sprints.iter_mut().rev() {
        sprint.exit.retain(|one| seen.insert(one.text.clone()));
    }
    units.push(unit);
}

fn sprints(units: &[Unit]) -> usize {
    units.iter().map(|unit| unit.sprints.len()).sum()
}

/// Gives what the work is accepted by to the last sprint of its section, else to the last of all.
fn accept(units: &mut [Unit], accepted: &[&Requirement], project: &str) {
    for one in accepted {
        let own = subject(one).map_or_else(|| named(project), |name| named(name));
        let at = units.iter().position(|unit| unit.name == own);
        let at = at.unwrap_or(units.len().saturating_sub(1));
        let last = units.get_mut(at).and_then(|unit| unit.sprints.last_mut());
        last.into_iter().for_each(|last| last.exit.push(criterion(&one.text, one.ticked)));
    }
}

/// A unit that names a file which an earlier one creates waits for that.
fn depend(units: &mut [Unit]) {
    let uses = |unit: &Unit, file: &String| {
        let mut tasks = unit.sprints.iter().flat_map(|one| &one.tasks);
        tasks.any(|task| files(&task.text).any(|named| named == file))
    };
    for at in 0..units.len() {
        let (before, rest) = units.split_at(at);
        let made = |one: &&Unit| {
            let mut created = one.sprints.iter().flat_map(|one| &one.creates);
            created.any(|file| rest.first().is_some_and(|unit| uses(unit, file)))
        };
        units[at].depends_on = before.iter().filter(made).map(|one| one.name.clone()).collect();
    }
}

/// Tasks below one heading together; what is too little joins its neighbour, what is too much is parted evenly.
fn groups(pieces: Vec<Piece<'_>>) -> Vec<Vec<Piece<'_>>> {
    let mut groups: Vec<Vec<Piece<'_>>> = Vec::new();
    for piece in pieces {
        let same = |group: &&mut Vec<Piece<'_>>| {
            group.last().is_some_and(|last| last.of.headings == piece.of.headings)
        };
        match groups.last_mut().filter(same) {
            Some(group) => group.push(piece),
            None => groups.push(vec![piece]),
        }
    }
    let mut joined: Vec<Vec<Piece<'_>>> = Vec::new();
    for group in groups {
        let small = |last: &&mut Vec<Piece<'_>>| {
            last.len().min(group.len()) < LEAST_TASKS && last.len() + group.len() <= MOST_TASKS
        };
        match joined.last_mut().filter(small) {
            Some(last) => last.extend(group),
            None => joined.push(group),
        }
    }
    let even =
        |group: &Vec<Piece<'_>>| group.len().div_ceil(group.len().div_ceil(MOST_TASKS)).max(1);
    joined.iter().flat_map(|group| group.chunks(even(group)).map(<[Piece<'_>]>::to_vec)).collect()
}

fn criterion(text: &str, ticked: bool) -> Criterion {
    clause::criterion(String::new(), text, ticked, Default::default())
}

fn sprint(label: String, before: Option<&Sprint>, group: &[Piece<'_>]) -> Sprint {
    let headings: BTreeSet<Option<&String>> =
        group.iter().map(|piece| piece.of.headings.last()).collect();
    let one = headings.first().copied().flatten().filter(|_| headings.len() == 1);
    let first = group.first().and_then(|piece| piece.text.lines().next()).unwrap_or_default();
    let name = match one.filter(|name| kind(name).is_none()) {
        Some(heading) => heading.clone(),
        None => clip(line(first).trim_end_matches('.'), 60),
    };
    let entry =
        before.map_or_else(|| FIRST.to_owned(), |one| format!("Sprint {} {MET}", one.label));
    let mut sprint = Sprint { label, name, added: true, ..Sprint::default() };
    sprint.entry.push(Criterion { added: true, ..criterion(&entry, false) });
    for piece in group {
        let ticked = piece.of.ticked.then_some(true);
        let task = Task { text: piece.text.clone(), ticked, added: piece.made, ..Task::default() };
        let created = files(&task.text)
            .filter(|_| task.text.get(..6).is_some_and(|word| word.eq_ignore_ascii_case("create")));
        let created: Vec<String> =
            created.map(str::to_owned).filter(|file| !sprint.creates.contains(file)).collect();
        sprint.creates.extend(created);
        sprint.tasks.push(task);
        sprint.exit.push(criterion(&piece.of.text, piece.of.ticked));
    }
    // Tests that nobody asked for are work of their own (seed 1423).
    if !group.iter().any(|piece| says(&piece.text, &["test", "tests"]).is_some()) {
        let text = format!("Write tests for {}", sprint.name);
        sprint.tasks.push(Task { text, added: true, ..Task::default() });
    }
    sprint
}

/// Adds what a machine can check to the end of each sprint, and asks where there is nothing.
fn finish(plan: &mut Plan, tools: &[String], answers: &Answers, left: &mut Vec<PlanQuestion>) {
    for (own, sprint) in plan.sprints_mut() {
        let made = sprint.creates.iter().filter_map(|file| exists(file));
        let lines: Vec<String> = made.chain(tools.iter().cloned()).collect();
        add(sprint, lines.iter().map(|line| exits(line)).collect());
        if sprint.exit.iter().any(|one| !one.commands.is_empty()) {
            continue;
        }
        let key = format!("exit:{own}");
        match told(answers, &key) {
            Some(one) => _ = add(sprint, vec![one]),
            None => left.push(PlanQuestion::words(key, end_of(sprint))),
        }
    }
}
