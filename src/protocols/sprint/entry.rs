//! The entry criteria of a sprint, by name: which command shows each, and which of them the user waives.

use super::commands::{known, workable};
use super::due::next_dependency;
use super::expectation::judged;
use super::orders::{DEPENDENCY, ENTRY};
use super::state::{CommandLine, EntryWaived, Sprint, State, UnitStatus};
use crate::mission::admission::reasoned;
use crate::mission::prelude::*;
use crate::vocab::event::CommandExited;

/// The place of the command of an entry criterion: those of a unit's first sprint belong to the unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// Among the commands of the unit.
    Unit(usize),
    /// Among those of the sprint.
    Sprint(usize),
}

/// The entry criteria of a sprint that are not waived: id, and the places of the commands that show it. Where no command
/// names its criterion and there is one for each, they stand in their order; any other that names none has the next number.
pub(super) fn named(state: &State, sprint: &Sprint) -> Vec<(String, Vec<Place>)> {
    let lines = lines(state, sprint);
    let words = open_words(sprint).into_iter().map(|(id, _)| id);
    let each = words.len() == lines.len() && lines.iter().all(|(_, line)| line.shows.is_none());
    if each {
        return words.zip(lines.iter().map(|(place, _)| vec![*place])).collect();
    }
    let of = |id: String| {
        let own = lines.iter().filter(|(_, line)| line.shows.as_ref() == Some(&id));
        let own = own.map(|(place, _)| *place).collect();
        (id, own)
    };
    let mut all: Vec<(String, Vec<Place>)> = words.map(of).collect();
    let free = (sprint.plan.entry.len() + 1..).map(id_at).filter(|id| !gone(sprint, id));
    let alone = lines.iter().filter(|(_, line)| line.shows.is_none());
    all.extend(free.zip(alone).map(|(id, (place, _))| (id, vec![*place])));
    all
}

fn id_at(number: usize) -> String {
    format!("EC-{number:03}")
}

fn gone(sprint: &Sprint, id: &str) -> bool {
    sprint.entry_waived.iter().any(|one| one.id == id)
}

/// Every entry criterion in the plan's words, under the author's label or its number.
fn words(sprint: &Sprint) -> impl Iterator<Item = (String, &str)> {
    sprint.plan.entry.iter().enumerate().map(|(place, text)| {
        let id = sprint.plan.entry_ids.get(place).cloned();
        (id.unwrap_or_else(|| id_at(place + 1)), text.as_str())
    })
}

/// The entry criteria of a sprint that the user did not waive.
pub(super) fn open_words(sprint: &Sprint) -> Vec<(String, &str)> {
    words(sprint).filter(|(id, _)| !gone(sprint, id)).collect()
}

/// The entry criteria of a sprint with a word on those that are waived.
pub(super) fn told(sprint: &Sprint) -> impl Iterator<Item = String> {
    words(sprint).map(|(id, text)| match gone(sprint, &id) {
        true => format!("{} [let go by the user]", text.trim()),
        false => text.trim().to_owned(),
    })
}

fn lines<'a>(state: &'a State, sprint: &'a Sprint) -> Vec<(Place, &'a CommandLine)> {
    let unit = state.units.get(&sprint.unit);
    let first = unit.filter(|unit| unit.sprints.first() == Some(&sprint.id));
    let of_unit = first.into_iter().flat_map(|unit| unit.checks.iter().enumerate());
    let own = sprint.entry_checks.iter().enumerate();
    let of_unit = of_unit.map(|(at, line)| (Place::Unit(at), line));
    of_unit.chain(own.map(|(at, line)| (Place::Sprint(at), line))).collect()
}

/// What a person does about an entry criterion that does not hold: which it is, and how to go on.
pub(super) fn way_out(state: &State, sprint: &str, at: Place) -> String {
    let found = state.sprints.get(sprint).map(|sprint| named(state, sprint)).unwrap_or_default();
    let Some((id, _)) = found.into_iter().find(|(_, places)| places.contains(&at)) else {
        return "Resume when it holds.".to_owned();
    };
    format!(
        "It is {id} of {sprint}: `endstate resume` when it holds, or let it go with \
         `endstate amend --waive {sprint}={id} --reason WHY`."
    )
}

/// Whether a sprint has such an entry criterion, and no exit criterion of that name.
pub(super) fn has(state: &State, item: &str, id: &str) -> bool {
    state.sprints.get(item).is_some_and(|sprint| {
        !sprint.criteria.iter().any(|one| one.id == id)
            && named(state, sprint).iter().any(|(name, _)| name == id)
    })
}

/// The user waives an entry criterion: its command is not run again, and blocks no sprint.
pub(super) fn waive(
    state: &mut State,
    head: &Head,
    item: &str,
    id: &str,
    reason: &str,
) -> Result<()> {
    let sprint = known(state, item)?;
    let named = named(state, sprint);
    let places = named.into_iter().find_map(|(name, places)| (name == id).then_some(places));
    let places = places.unwrap_or_default();
    let name = sprint.unit.clone();
    // A criterion that blocks the unit is waived under its first sprint, even if that is already closed.
    let waits = state.units.get(&name).is_some_and(|unit| unit.status == UnitStatus::NotStarted);
    match places.first() {
        Some(Place::Unit(_)) if waits => reasoned(reason)?,
        _ => workable(state, head, item, reason)?,
    }
    let purposes = [format!("{ENTRY}{item}"), format!("{DEPENDENCY}{name}")];
    let asks =
        |order: &Order| matches!(order, Order::RunCommand(one) if purposes.contains(&one.purpose));
    let expected = "a sprint whose entry commands do not run just now";
    ensure!(!head.awaits(asks), Code::ItemActive, "item", expected, item)?;
    let mut failed = false;
    // The last first, so that the places of the others stay.
    for place in places.into_iter().rev() {
        failed |= match place {
            Place::Unit(at) => drop_of_unit(state, &name, at),
            Place::Sprint(at) => drop_of_sprint(state, item, at),
        };
    }
    if failed {
        state.units.change(&name, |unit| unit.note = String::new());
    }
    state.sprints.change(item, |sprint| {
        sprint.entry_waived.push(EntryWaived { id: id.to_owned(), why: reason.to_owned() });
    });
    Ok(())
}

/// Takes a command out; `true` if it was the one that did not hold.
fn drop_of_unit(state: &mut State, id: &str, at: usize) -> bool {
    let mut failed = false;
    state.units.change(id, |unit| {
        failed = take(&mut unit.checks, &mut unit.checks_held, at);
        unit.check_failed = unit.check_failed.take().filter(|_| !failed);
    });
    failed
}

/// See [`drop_of_unit`].
fn drop_of_sprint(state: &mut State, id: &str, at: usize) -> bool {
    let mut failed = false;
    state.sprints.change(id, |sprint| {
        failed = take(&mut sprint.entry_checks, &mut sprint.entry_held, at);
        sprint.entry_failed = sprint.entry_failed.take().filter(|_| !failed);
    });
    failed
}

fn take(lines: &mut Vec<CommandLine>, held: &mut u32, at: usize) -> bool {
    let before = usize::try_from(*held).unwrap_or(usize::MAX);
    if at < lines.len() {
        lines.remove(at);
    }
    *held -= u32::from(at < before);
    at == before
}

/// Whether the command whose turn it is holds; `None` if it is another's turn.
fn held(state: &State, id: &str, fact: &CommandExited) -> Option<Result<(), Diagnostic>> {
    let (due, line) = next_dependency(state)?;
    (due == id).then(|| judged(&state.core.settings, &line, fact))
}

/// A unit whose dependencies cannot be verified stays where it is, and that is told.
pub(super) fn of_unit(state: &mut State, at: Millis, id: &str, fact: &CommandExited) {
    let problem = match held(state, id, fact) {
        Some(Err(problem)) => problem,
        Some(Ok(())) => {
            state.units.change(id, |unit| unit.checks_held += 1);
            return;
        }
        None => return,
    };
    let Some(unit) = state.units.get(id) else { return };
    let place = Place::Unit(usize::try_from(unit.checks_held).unwrap_or(usize::MAX));
    let first = unit.sprints.first().cloned().unwrap_or_default();
    let what = match unit.after.is_empty() {
        true => "its entry criteria do not hold",
        false => "its dependencies are not verified",
    };
    let out = way_out(state, &first, place);
    state.units.change(id, |unit| {
        unit.note = format!("{what}: {problem} {out}");
        unit.check_failed = Some(problem.clone());
    });
    state.log(at, id, "Dependency verification failed", problem.to_string());
    warn(state, format!("{id} stays NOT_STARTED: {problem} {out}"), problem);
}

/// A sprint whose entry criteria do not hold is not dispatched, and that is told.
pub(super) fn of_sprint(state: &mut State, at: Millis, id: &str, fact: &CommandExited) {
    let problem = match held(state, id, fact) {
        Some(Err(problem)) => problem,
        Some(Ok(())) => {
            state.sprints.change(id, |sprint| sprint.entry_held += 1);
            return;
        }
        None => return,
    };
    let Some(sprint) = state.sprints.get(id) else { return };
    let place = Place::Sprint(usize::try_from(sprint.entry_held).unwrap_or(usize::MAX));
    let unit = sprint.unit.clone();
    let out = way_out(state, id, place);
    state.sprints.change(id, |sprint| sprint.entry_failed = Some(problem.clone()));
    state.units.change(&unit, |unit| {
        unit.note = format!("an entry criterion of {id} does not hold: {problem} {out}");
    });
    state.log(at, id, "Entry criterion does not hold", problem.to_string());
    warn(state, format!("{id} is not dispatched: {problem} {out}"), problem);
}

fn warn(state: &mut State, text: String, problem: Diagnostic) {
    state.core.life.last_problem = Some(problem);
    state.core.life.files.say(Level::Warning, text);
}
