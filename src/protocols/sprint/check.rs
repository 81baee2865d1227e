//! The checks of what must never happen: one function per "never" sentence of the protocol, with its name.
//!
//! After each event they look at what the event touched; on opening a snapshot, at everything. A
//! breach is an error of kind `broken` and the step is not taken.

use super::due;
use super::facts::FactName;
use super::files;
use super::orders;
use super::prompt;
use super::role::Role;
use super::start::MOST_READS;
use super::state::{Arrow, Sprint, SprintStatus, State, TaskKind, Unit, UnitStatus};
use crate::mission::check::{self as every, Check, broken, spawns};
use crate::mission::dispatch::Dispatch;
use crate::mission::prelude::*;
use crate::mission::table::NamedFact;
use crate::mission::unreported;

type SprintCheck = fn(&State, &Sprint) -> Result<()>;

/// Checks over the bounded part of the state.
const CORE: [Check<State>; 10] = [
    never_takes_an_arrow_that_is_not_there,
    never_sends_two_runs_for_one_unit,
    never_gives_a_run_more_than_one_goal,
    never_lets_a_verifier_and_a_writer_meet,
    never_builds_beside_others,
    never_dispatches_beside_the_table,
    never_loads_what_the_sprint_does_not_need,
    never_ends_over_open_work,
    never_is_blocked_by_nothing,
    never_writes_or_commits_what_is_not_its_own,
];

/// Checks over one sprint.
const SPRINTS: [SprintCheck; 6] = [
    never_keeps_a_sprint_without_criteria,
    never_completes_over_an_open_criterion,
    never_tries_beyond_the_limit,
    never_dispatches_vague_criteria,
    never_starts_before_the_one_before_it,
    never_makes_a_wait_fatal_by_itself,
];

/// The move `check`.
pub(super) fn check(state: &State, head: &Head, everything: bool) -> Result<()> {
    CORE.iter().try_for_each(|check| check(state, head))?;
    let sprint = |sprint: &Sprint| {
        every::never_lets_a_run_verify_its_own_claim(&sprint.id, &sprint.criteria)?;
        SPRINTS.iter().try_for_each(|check| check(state, sprint))
    };
    let unit = |unit: &Unit| never_starts_before_what_it_waits_for(state, unit);
    every::rows(&state.units, everything, unit, |_, _| Ok(()))?;
    every::rows(&state.sprints, everything, sprint, |before, now| {
        every::never_weakens_a_criterion(&now.id, &before.criteria, &now.criteria)
    })
}

/// No status ever changes but by an arrow of the protocol.
fn never_takes_an_arrow_that_is_not_there(state: &State, _: &Head) -> Result<()> {
    for arrow in &state.moves {
        let (id, from, to, there) = match arrow {
            Arrow::Unit(id, from, to) => (id, from.as_str(), to.as_str(), from.may_become(*to)),
            Arrow::Sprint(id, from, to) => (id, from.as_str(), to.as_str(), from.may_become(*to)),
        };
        ensure!(there, Code::BrokenArrow, id, "an arrow from {from}", to)?;
    }
    Ok(())
}

/// Up to one run for each work unit, and no more at once than allowed.
fn never_sends_two_runs_for_one_unit(state: &State, head: &Head) -> Result<()> {
    let unit = |item: &Option<String>| {
        let id = item.as_deref().unwrap_or_default();
        state.sprints.get(id).map_or_else(String::new, |sprint| sprint.unit.clone())
    };
    let units: BTreeSet<String> = spawns(head).map(|(spawn, _)| unit(&spawn.item)).collect();
    let count = spawns(head).count();
    let most = usize::try_from(state.core.settings.max_parallel).unwrap_or(usize::MAX);
    ensure(units.len() == count && count <= most, || {
        let got = format!("{count} runs of {} units", units.len());
        Error::new(Code::BrokenTopology, "head.outbox", "one run a work unit", got)
    })
}

/// A run works on one sprint of one unit: its prompt is made of that sprint and nothing else.
fn never_gives_a_run_more_than_one_goal(state: &State, head: &Head) -> Result<()> {
    for (spawn, one) in spawns(head).filter(|(_, one)| one.effect.id.seq == head.seq) {
        let sprint = spawn.item.as_deref().and_then(|id| state.sprints.get(id));
        let made = sprint
            .zip(Role::parse(&spawn.role))
            .map(|(one, role)| prompt::prompt(state, one, role));
        let told = made.map(|made| unreported::prompt(head, spawn, made));
        if told.as_deref() != Some(spawn.prompt.as_str()) && !one.live() {
            let got = spawn.item.clone().unwrap_or_default();
            return broken(Code::BrokenDispatch, "head.outbox", "the prompt of one sprint", got);
        }
    }
    Ok(())
}

/// A verifier reads a tree that nobody writes.
fn never_lets_a_verifier_and_a_writer_meet(_: &State, head: &Head) -> Result<()> {
    let roles: BTreeSet<&str> = spawns(head).map(|(spawn, _)| spawn.role.as_str()).collect();
    let expected = "runs of one role at a time";
    ensure!(roles.len() <= 1, Code::BrokenTopology, "head.outbox", expected, "{roles:?}")
}

/// A gate builds when no run is at work; a run that may build is alone.
fn never_builds_beside_others(state: &State, head: &Head) -> Result<()> {
    let gate = head.awaits(|order| {
        matches!(order, Order::RunCommand(command) if command.purpose.starts_with(orders::GATE))
    });
    let agents = spawns(head).filter(|(spawn, _)| spawn.role == Role::Agent.as_str()).count();
    let alone = state.sprints.live().filter(|one| one.alone && due::at_work(one)).count();
    ensure(!((gate && spawns(head).next().is_some()) || (alone > 0 && agents > 1)), || {
        let got = format!("{agents} agents at work");
        Error::new(Code::BrokenTopology, "head.outbox", "nobody beside a build", got)
    })
}

/// No run is ever sent but for a sprint whose turn it is, chosen with its model, in a mission that goes
/// on, after that was written into the state file.
fn never_dispatches_beside_the_table(state: &State, head: &Head) -> Result<()> {
    let holds = |fact: FactName| fact.holds(state, head);
    for (spawn, one) in spawns(head).filter(|(_, one)| !one.live()) {
        let id = spawn.item.clone().unwrap_or_default();
        let sprint = state.sprints.get(&id);
        let status = sprint.map(|sprint| sprint.status);
        let mends = state.core.life.correction(&spawn.role, &id).is_some();
        let due = match (Role::parse(&spawn.role), status) {
            (Some(Role::Agent), Some(SprintStatus::Dispatched)) => {
                sprint.is_some_and(|sprint| sprint.choice.is_some())
            }
            (Some(Role::Agent), Some(SprintStatus::Running)) => mends,
            (Some(Role::Verifier), Some(SprintStatus::Verifying)) => true,
            _ => false,
        };
        let new = one.effect.id.seq == head.seq;
        let path = files::state_path(&state.core.settings.root);
        let written =
            state.core.life.files.known.get(&path).is_some_and(|file| file.written == file.wanted);
        let ready = !new || (holds(FactName::ObservationFresh) && written);
        let free = head.control == Control::Running
            && holds(FactName::NotDone)
            && (!new || holds(FactName::NotBlocked));
        if !(due && ready && free) {
            let got = format!("{} of {id}", spawn.role);
            return broken(Code::BrokenDispatch, "head.outbox", "a run whose turn it is", got);
        }
    }
    Ok(())
}

/// A run is told of the files of its own sprint, and of few.
fn never_loads_what_the_sprint_does_not_need(state: &State, head: &Head) -> Result<()> {
    let sent = spawns(head).filter_map(|(spawn, _)| spawn.item.as_deref());
    let over = sent.filter_map(|id| state.sprints.get(id));
    let over = over.into_iter().find(|sprint| sprint.plan.reads.len() > MOST_READS);
    ensure_none(over, |sprint| {
        let got = format!("{} files", sprint.plan.reads.len());
        Error::new(Code::BrokenDispatch, &sprint.id, format!("at most {MOST_READS} files"), got)
    })
}

/// The mission never ends over an open sprint, a live run, a shut gate or what is to be shown again.
fn never_ends_over_open_work(state: &State, _: &Head) -> Result<()> {
    let core = &state.core;
    let Some(done) = &core.life.done else { return Ok(()) };
    let open = state.sprints.iter().find(|sprint| {
        let put_off = done.deferred.contains(&sprint.id) && core.life.end_with_deferred;
        !sprint.status.closed() && !put_off
    });
    let shut = state.sprints.iter().find(|sprint| !sprint.awaits_gate.is_empty());
    let rest = core.life.at_rest() && core.gate.is_none();
    if core.plan_seen.is_some() && core.plan_seen != core.plan_kept {
        let expected = "the plan it began with, or the user's word";
        return broken(Code::BrokenStop, "core.plan_seen", expected, "another plan");
    }
    let (expected, got) = ("a look behind the last command", "a tree nobody looked at");
    ensure!(!core.commands_unseen, Code::BrokenStop, "core.commands_unseen", expected, got)?;
    let unshown = super::gate::unshown(state).next();
    if !state.uncommitted().is_empty() {
        let expected = "everything committed, or the user's word";
        return broken(Code::BrokenStop, "core.life.seen.dirty", expected, "uncommitted work");
    }
    match (rest, open.or(shut).or(unshown)) {
        (true, None) => Ok(()),
        (_, left) => {
            let got = left.map_or("a live run or gate".to_owned(), |sprint| sprint.id.clone());
            broken(Code::BrokenStop, "core.life.done", "every sprint closed and shown", got)
        }
    }
}

/// What is blocked says by what.
fn never_is_blocked_by_nothing(state: &State, head: &Head) -> Result<()> {
    let said = state.core.life.blocked.is_some()
        || state.units.iter().any(|unit| unit.status == UnitStatus::Blocked)
        || state.units.iter().any(|unit| unit.check_failed.is_some())
        || state.sprints.iter().any(|sprint| sprint.entry_failed.is_some())
        || Counter::ALL.into_iter().any(|counter| head.budget.left(counter) == 0);
    ensure(state.goes_on(head) != Continuation::Blocked || said, || {
        let got = "nothing under way, and nothing in the way";
        Error::new(Code::BrokenContinuation, "head.outbox", "an effect under way", got)
    })
}

/// This protocol writes its own files only, never the plan, and commits nothing.
fn never_writes_or_commits_what_is_not_its_own(state: &State, head: &Head) -> Result<()> {
    let plan = state.core.settings.plan.as_ref().map(|plan| plan.path.as_str());
    let root = &state.core.settings.root;
    let own = |path: &str| {
        let known = [files::IGNORE, files::SCRATCH_IGNORE, files::DECISIONS].contains(&path)
            || path == files::state_path(root)
            || path == files::complete_path(root, &state.core.settings.project);
        known && Some(path) != plan
    };
    every::never_orders_what_is_not_its_own(head, |order| match order {
        Order::CommitFiles(_) | Order::Consult(_) => false,
        Order::WriteFile(write) => own(&write.path),
        Order::AppendHistory(append) => own(&append.path),
        Order::SpawnRole(_)
        | Order::StopRole(_)
        | Order::AskUser(_)
        | Order::RunCommand(_)
        | Order::Observe(_)
        | Order::SetTimer(_)
        | Order::Notify(_) => true,
    })
}

/// A sprint never loses its criteria, nor what says how each is shown.
fn never_keeps_a_sprint_without_criteria(_: &State, sprint: &Sprint) -> Result<()> {
    let count = sprint.criteria.len();
    let whole = [sprint.checks.len(), sprint.vague.len(), sprint.build.len()];
    let holds = count > 0 && whole.iter().all(|one| *one == count);
    ensure!(holds, Code::BrokenCriteria, &sprint.id, "at least one criterion", "none")
}

/// A sprint is never completed with a criterion that is neither shown nor waived, nor due at the gate.
fn never_completes_over_an_open_criterion(_: &State, sprint: &Sprint) -> Result<()> {
    let done = sprint.status == SprintStatus::Completed;
    let gated = |id: &String| done && sprint.awaits_gate.contains(id);
    let mut open = sprint.criteria.iter().filter(|one| !one.settled() && !gated(&one.id));
    let open = open.next().filter(|_| sprint.status.closed());
    every::never_closes_over_an_open_criterion(&sprint.id, open)
}

/// Never an attempt, a continuation or a round beyond its limit.
fn never_tries_beyond_the_limit(state: &State, sprint: &Sprint) -> Result<()> {
    let settings = &state.core.settings;
    let within = (1..=settings.max_retries).contains(&sprint.attempt)
        && sprint.continuations <= settings.max_continuations
        && sprint.rounds <= settings.max_verifier_rounds;
    ensure(within, || {
        let expected = format!("at most {} attempts", settings.max_retries);
        Error::new(Code::BrokenLimit, &sprint.id, expected, sprint.attempt.to_string())
    })
}

/// A sprint is never dispatched with exit criteria if nobody can say when they hold.
fn never_dispatches_vague_criteria(_: &State, sprint: &Sprint) -> Result<()> {
    let sent = matches!(sprint.status, SprintStatus::Dispatched | SprintStatus::Running);
    match due::vague(sprint).next() {
        Some(id) if sent => {
            broken(Code::BrokenDispatch, &sprint.id, "exit criteria that can be shown", id)
        }
        _ => Ok(()),
    }
}

/// Never a sprint before the one before it is confirmed, nor before the sprints it waits for.
fn never_starts_before_the_one_before_it(state: &State, sprint: &Sprint) -> Result<()> {
    if sprint.status != SprintStatus::Dispatched {
        return Ok(());
    }
    let unit = state.units.get(&sprint.unit);
    let before = unit.iter().flat_map(|unit| &unit.sprints).take_while(|id| **id != sprint.id);
    let closed = |id: &String| state.sprints.get(id).is_some_and(|one| one.status.closed());
    let open = before.into_iter().find(|id| !closed(id));
    let shut = sprint.plan.after.iter().find(|id| !state.completed(id));
    match open.or(shut) {
        None if !due::entered(sprint) => {
            broken(Code::BrokenOrder, &sprint.id, "its entry criteria shown", "not shown")
        }
        None => Ok(()),
        Some(id) => broken(Code::BrokenOrder, &sprint.id, format!("{id} completed"), "still open"),
    }
}

/// Never a work unit before its prerequisites are completed and verified.
fn never_starts_before_what_it_waits_for(state: &State, unit: &Unit) -> Result<()> {
    let current = state.current(unit).map(|sprint| sprint.status);
    if current != Some(SprintStatus::Dispatched) {
        return Ok(());
    }
    let held = usize::try_from(unit.checks_held).unwrap_or(usize::MAX);
    match unit.after.iter().find(|id| !state.completed(id)) {
        Some(id) => broken(Code::BrokenOrder, &unit.id, format!("{id} completed"), "still open"),
        None if held < unit.checks.len() => {
            broken(Code::BrokenOrder, &unit.id, "its dependencies verified", "not verified")
        }
        None => Ok(()),
    }
}

/// What waits for something outside never becomes fatal because it is not there yet.
fn never_makes_a_wait_fatal_by_itself(_: &State, sprint: &Sprint) -> Result<()> {
    let waits = sprint.waiting.is_some() && sprint.plan.kind == TaskKind::Deferred;
    let failed = matches!(sprint.status, SprintStatus::Fatal | SprintStatus::Backoff);
    let expected = "a sprint that waits";
    ensure!(!(waits && failed), Code::BrokenLimit, &sprint.id, expected, sprint.status.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocols::sprint::config::{CriterionConfig, SprintConfig, UnitConfig};
    use crate::protocols::sprint::{Config, start};

    /// Arrows are seen in the event that takes them, not in a snapshot, so the fault is seeded here.
    #[test]
    fn never_takes_an_arrow_that_is_not_there() {
        let criterion =
            CriterionConfig { id: "AC-001".into(), text: "it works".into(), ..Default::default() };
        let (label, criteria) = ("1".into(), vec![criterion]);
        let sprint = SprintConfig { label, criteria, ..Default::default() };
        let unit = UnitConfig { id: "u".into(), sprints: vec![sprint], ..Default::default() };
        let mut state =
            start(&Config::new("m", "p", vec![unit])).expect("a config that makes sense");
        let head = Head::new(0, crate::vocab::budget::Budget::default());
        state.move_sprint("u/1", SprintStatus::Completed);
        let error = super::never_takes_an_arrow_that_is_not_there(&state, &head);
        assert_eq!(error.map_err(|error| error.code), Err(Code::BrokenArrow));
        state.moves.clear();
        state.move_unit("u", UnitStatus::Killed);
        let error = super::never_takes_an_arrow_that_is_not_there(&state, &head);
        assert_eq!(error.map_err(|error| error.code), Err(Code::BrokenArrow));
    }
}
