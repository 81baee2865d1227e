//! The orders that a decision gives: what is ended, run, sent, looked at, timed and asked.

use super::decide::{Action, also};
use super::due;
use super::prompt;
use super::role::Role;
use super::state::{CommandLine, Sprint, SprintStatus, State};
use crate::mission::prelude::*;
use crate::mission::standing::Stands;
use crate::vocab::budget::Budget;
use crate::vocab::effect::{Observe, RunCommand, SetTimer, SpawnRole};
use crate::vocab::repository::PathDigest;

/// What a command is for; answers are told apart by it.
pub(super) const CHECK: &str = "check ";
/// See [`CHECK`].
pub(super) const DEPENDENCY: &str = "dependency of ";
/// See [`CHECK`].
pub(super) const ENTRY: &str = "entry of ";
/// See [`CHECK`].
pub(super) const GATE: &str = "gate ";
/// What a timer is for.
pub(super) const POLL: &str = "poll";
/// See [`POLL`].
pub(super) const WATCH: &str = "watchdog";
/// See [`POLL`].
pub(super) const STOP: &str = "stop";
/// See [`POLL`]; before the id of a sprint.
pub(super) const WAIT: &str = "wait:";

/// The wall time of one command.
const COMMAND_MS: u64 = 3_600_000;
const OUTPUT_BYTES: u64 = 16_384;

pub(super) fn act(state: &State, head: &Head, action: Action, left: &mut Budget) -> Vec<Intent> {
    let one = |line: &CommandLine, purpose: String, left: &mut Budget| {
        let may = left.spend(Counter::Commands).is_ok();
        may.then(|| command(state, line, purpose)).into_iter().collect()
    };
    match action {
        Action::Gate => match (due::gate_command(state), &state.core.gate) {
            (Some(line), Some(gate)) => one(line, format!("{GATE}{}", gate.number), left),
            _ => Vec::new(),
        },
        Action::Check => match due::next_check(state) {
            Some((id, criterion)) => match line_of(state, &id, &criterion) {
                Some(line) => one(line, format!("{CHECK}{id} {criterion}"), left),
                None => Vec::new(),
            },
            None => Vec::new(),
        },
        Action::Dependency => match due::next_dependency(state) {
            Some((id, line)) => {
                let purpose = if state.sprints.get(&id).is_some() { ENTRY } else { DEPENDENCY };
                one(&line, format!("{purpose}{id}"), left)
            }
            None => Vec::new(),
        },
        Action::Verify => spawns(state, head, Role::Verifier, left),
        Action::Dispatch => spawns(state, head, Role::Agent, left),
    }
}

/// The command of a criterion.
pub(super) fn line_of<'a>(state: &'a State, id: &str, criterion: &str) -> Option<&'a CommandLine> {
    let sprint = state.sprints.get(id)?;
    let place = sprint.criteria.iter().position(|one| one.id == criterion)?;
    sprint.checks.get(place)?.line()
}

fn command(state: &State, line: &CommandLine, purpose: String) -> Intent {
    Order::RunCommand(RunCommand {
        argv: line.argv.clone(),
        // Everything in a plan is said from where it lies.
        directory: state.core.settings.root.clone(),
        purpose,
        timeout_ms: line.within_ms.unwrap_or(COMMAND_MS),
        output_bytes: OUTPUT_BYTES,
        // Others may commit meanwhile, but they must not build.
        expected_head: None,
        room: None,
    })
    .into()
}

/// One run for each sprint that is due, as far as the budget and the limit of runs go.
fn spawns(state: &State, head: &Head, role: Role, left: &mut Budget) -> Vec<Intent> {
    let due: Vec<_> = match role {
        Role::Agent => due::dispatches(state, head).collect(),
        Role::Verifier => due::verifiers(state, head).collect(),
    };
    let most = usize::try_from(state.core.settings.max_parallel).unwrap_or(usize::MAX);
    let live = head.outbox.iter().filter(|one| matches!(one.effect.order, Order::SpawnRole(_)));
    let room = most.saturating_sub(live.count());
    let mut visit = state.core.life.visits.get(role.as_str()).copied().unwrap_or(0);
    let mut orders = Vec::new();
    for sprint in due.into_iter().take(room) {
        let also = also(state, sprint, role);
        let all = [Some(Counter::RoleRuns), also];
        if all.into_iter().flatten().any(|counter| left.spend(counter).is_err()) {
            break;
        }
        visit += 1;
        orders.push(Intent { order: Order::SpawnRole(spawn(state, sprint, role, visit)), also });
    }
    orders
}

fn spawn(state: &State, sprint: &Sprint, role: Role, visit: u64) -> SpawnRole {
    let (life, settings) = (&state.core.life, state.core.settings.roles.get(&role));
    let prompt = prompt::prompt(state, sprint, role);
    let mut order = life.spawn(&role.cast(), (Some(&sprint.id), &sprint.id), settings, prompt);
    order.visit = visit;
    order.limits.max_turns = state.core.settings.max_turns;
    if role == Role::Agent {
        order.tier = sprint.choice.as_ref().map_or(Tier::Standard, |choice| choice.tier);
        order.corrects = order.corrects.or(sprint.continues);
        let most = sprint.plan.timeout_ms.unwrap_or(u64::MAX);
        order.limits.timeout_ms = order.limits.timeout_ms.min(most);
    }
    order
}

/// A look at the repository, and at the plan.
pub(super) fn look(state: &State) -> Intent {
    let since = state.core.life.seen.as_ref().map(|seen| seen.head_word().to_owned());
    let plan = state.core.settings.plan.iter();
    let known =
        plan.map(|plan| PathDigest { path: plan.path.clone(), digest: plan.digest.clone() });
    let known = known.collect();
    Order::Observe(Observe::Repository {
        since,
        basis: state.core.first_head.clone().filter(|_| state.core.rewritten),
        known,
        within: Vec::new(),
        without: Vec::new(),
    })
    .into()
}

/// The progress files of a unit whose run ended.
pub(super) fn reading(state: &State, head: &Head, left: &mut Budget) -> Option<Intent> {
    let (_, paths) = due::unread(state)?;
    if head.awaits(State::is_awaited) || left.spend(Counter::Observations).is_err() {
        return None;
    }
    Some(Order::Observe(Observe::Documents { paths, tracked: false }).into())
}

/// Sprints that wait for something outside and are to be looked at again some time later.
pub(super) fn waits(state: &State) -> impl Iterator<Item = String> + '_ {
    let due = state.sprints.live().filter(move |sprint| {
        let open = matches!(sprint.status, SprintStatus::Running | SprintStatus::Partial);
        open && sprint.waiting.is_some()
            && sprint.checking.is_none()
            && !state.asked_about(&sprint.id)
    });
    due.map(|sprint| sprint.id.clone())
}

/// The timers that look after what runs and what is waited for.
pub(super) fn timers(state: &State, head: &Head, left: &mut Budget) -> Vec<Intent> {
    let settings = &state.core.settings;
    let mut wanted: Vec<(String, u64)> = Vec::new();
    if state.core.life.runs.iter().any(|run| !state.doomed(run)) {
        wanted.push((POLL.to_owned(), settings.poll_interval_ms));
        let writes = state.core.life.runs.iter().any(|run| run.access == Access::Write);
        if settings.watchdog_interval_ms > 0 && writes {
            wanted.push((WATCH.to_owned(), settings.watchdog_interval_ms));
        }
    }
    // A stop has its own count, over runs and commands alike.
    let lives = state.core.life.runs.iter().any(|run| !state.doomed(run))
        || head.awaits(|order| matches!(order, Order::RunCommand(_)));
    if lives && state.core.stopping.is_some() {
        wanted.push((STOP.to_owned(), settings.poll_interval_ms));
    }
    if head.control == Control::Running {
        wanted.extend(waits(state).map(|id| (format!("{WAIT}{id}"), settings.poll_interval_ms)));
    }
    let mut orders = Vec::new();
    for (name, after) in wanted {
        let set =
            head.awaits(|order| matches!(order, Order::SetTimer(timer) if timer.name == name));
        if !set && left.spend(Counter::Timers).is_ok() {
            let due_at = head.at.saturating_add(after).min(crate::vocab::time::LATEST);
            orders.push(Order::SetTimer(SetTimer { name, due_at }).into());
        }
    }
    orders
}
