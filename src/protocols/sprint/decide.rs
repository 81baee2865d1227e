//! The dispatch table, as a table, and the guards before it.
//!
//! Units go on beside each other, so that a rule that applies does not keep the ones behind it from
//! acting: all that apply act, in the order of the table, and the first one names the decision. What
//! must not happen at once is in the facts: a command beside a command, a writer beside a verifier,
//! anybody beside a gate.

use super::ask;
use super::due;
use super::facts::FactName;
use super::grounds;
use super::prompt;
use super::role::Role;
use super::state::{CommandLine, SprintStatus, State, Topic, UnitStatus};
use crate::protocols::Intent;
use crate::protocols::shared::ask::budget;
use crate::protocols::shared::guard::Guard;
use crate::protocols::shared::picture;
use crate::protocols::shared::standing::{self, Stands, ask_once};
use crate::protocols::shared::table;
use crate::snapshot::{Continuation, Control, Head};
use crate::vocab::budget::{Budget, Counter};
use crate::vocab::effect::{Observe, Order, RunCommand, SetTimer, SpawnRole, StopRole};
use crate::vocab::event::EffectId;
use crate::vocab::repository::PathDigest;
use crate::vocab::role::Tier;

/// One row of the dispatch table.
pub(super) type Rule = table::Rule<FactName, Action>;

/// What a rule does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    /// Run the next command of the gate.
    Gate,
    /// Run the command of a criterion.
    Check,
    /// Run a verification command of a dependency.
    Dependency,
    /// Send verifiers.
    Verify,
    /// Send the agents of chosen sprints.
    Dispatch,
}

use FactName::{CheckDue, DependencyDue, DispatchDue, GateDue, NoCommandRuns, VerifierDue};

/// The five rules.
pub(super) static RULES: [Rule; 5] = [
    Rule {
        number: 1,
        name: "run_gate",
        when: &[(GateDue, true), (NoCommandRuns, true)],
        action: Action::Gate,
    },
    Rule {
        number: 2,
        name: "check_criterion",
        when: &[(GateDue, false), (CheckDue, true), (NoCommandRuns, true)],
        action: Action::Check,
    },
    Rule {
        number: 3,
        name: "verify_dependency",
        when: &[(GateDue, false), (CheckDue, false), (DependencyDue, true), (NoCommandRuns, true)],
        action: Action::Dependency,
    },
    Rule {
        number: 4,
        name: "send_verifiers",
        when: &[(VerifierDue, true)],
        action: Action::Verify,
    },
    Rule {
        number: 5,
        name: "dispatch_sprints",
        when: &[(VerifierDue, false), (DispatchDue, true)],
        action: Action::Dispatch,
    },
];

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

/// The first rule that applies; the last one where none does.
pub(super) fn rule(state: &State, head: &Head) -> &'static Rule {
    table::first(&RULES, state, head).unwrap_or(&RULES[4])
}

/// A stop lets what ended be checked; nothing is dispatched any more.
fn winding_up(state: &State, head: &Head) -> bool {
    let unjudged = !state.core.ended.is_empty();
    head.control == Control::Stopped && (state.core.stopping.is_some() || unjudged)
}

/// The guard that holds, if any.
pub(super) fn guard(state: &State, head: &Head) -> Option<Guard> {
    let fails = |guard: &Guard| standing::fails::<_, FactName>(*guard, state, head);
    let guards = [Guard::WaitingForAnswer, Guard::Done, Guard::NotStarted, Guard::Blocked];
    if let Some(guard) = guards.into_iter().find(fails) {
        return Some(guard);
    }
    if fails(&Guard::Paused) && !winding_up(state, head) {
        return Some(Guard::Paused);
    }
    if is_stuck(state) {
        return Some(Guard::QuestionOpen);
    }
    let held = standing::unseen::<_, FactName>(state, head)
        .or_else(|| standing::spent(head, needs(state, head)));
    if held.is_some() {
        return held;
    }
    let idle = table::first(&RULES, state, head).is_none() && !under_way(head);
    match idle {
        true if fails(&Guard::QuestionOpen) => Some(Guard::QuestionOpen),
        true => Some(Guard::Blocked),
        false if table::first(&RULES, state, head).is_none() => Some(Guard::RunLive),
        false => None,
    }
}

/// What the host could not do is answered before anything else goes on.
pub(super) fn is_stuck(state: &State) -> bool {
    matches!(state.core.asking.first(), Some(Topic::EffectFailed { .. }))
}

/// The counters that what is due on disk, and then the rule's step, spend from.
pub(super) fn needs(state: &State, head: &Head) -> Vec<Counter> {
    let mut needs: Vec<Counter> = state.core.files.needs().into_iter().collect();
    let Some(rule) = table::first(&RULES, state, head) else {
        if waits(state).next().is_some() {
            needs.push(Counter::Timers);
        }
        return needs;
    };
    match rule.action {
        Action::Gate | Action::Check | Action::Dependency => needs.push(Counter::Commands),
        Action::Verify | Action::Dispatch if !winding_up(state, head) => {
            needs.push(Counter::RoleRuns);
            let first = match rule.action {
                Action::Verify => due::verifiers(state, head).next(),
                _ => due::dispatches(state, head).next(),
            };
            needs.extend(first.and_then(also));
            needs.extend([Counter::Tokens, Counter::CostMicros]);
        }
        Action::Verify | Action::Dispatch => {}
    }
    needs
}

/// What a run spends beside itself.
fn also(sprint: &super::state::Sprint) -> Option<Counter> {
    match (&sprint.correction, sprint.reopened) {
        (Some(_), _) => Some(Counter::MalformedReports),
        (None, true) => Some(Counter::Reopens),
        (None, false) => None,
    }
}

/// Whether something is on its way that will bring an event by itself.
fn under_way(head: &Head) -> bool {
    head.awaits(is_under_way)
}

pub(super) fn is_under_way(order: &Order) -> bool {
    match order {
        Order::AskUser(_) => false,
        Order::SetTimer(timer) => timer.name.starts_with(WAIT),
        _ => true,
    }
}

/// The move `decide`: the name of what decided, and the orders.
pub(super) fn decide(state: &State, head: &Head) -> (&'static str, Vec<Intent>) {
    let mut orders = stops(state, head);
    if !orders.is_empty() {
        return ("end_runs", orders);
    }
    if !is_stuck(state) {
        let files = state.core.files.orders(head);
        if !files.is_empty() {
            return ("write_files", files);
        }
    }
    let guard = guard(state, head);
    let name = match guard {
        None => rule(state, head).name,
        Some(guard) => guard.name(),
    };
    match guard {
        Some(Guard::WaitingForAnswer | Guard::Done | Guard::NotStarted) => return (name, orders),
        Some(Guard::ObservationMissing) => return (name, vec![look(state)]),
        Some(Guard::BudgetSpent(counter)) => {
            return (name, ask_once(head, Some(|| budget(head, counter))));
        }
        Some(Guard::Paused | Guard::Blocked | Guard::QuestionOpen | Guard::RunLive) | None => {}
    }
    let mut left = head.budget.clone();
    if guard.is_none() {
        let winds_up = winding_up(state, head);
        let applies = |rule: &&Rule| table::applies(rule, state, head);
        for rule in RULES.iter().filter(applies) {
            if !winds_up || ends_what_began(state, rule.action) {
                orders.extend(act(state, head, rule.action, &mut left));
            }
        }
    }
    orders.extend(reading(state, head, &mut left));
    orders.extend(timers(state, head, &mut left));
    if guard.is_none_or(|guard| matches!(guard, Guard::QuestionOpen | Guard::RunLive)) {
        orders.extend(question(state, head));
    }
    (name, orders)
}

/// Whether a stop still lets this happen: what a run left is checked, as long as the stop waits; nothing else begins.
fn ends_what_began(state: &State, action: Action) -> bool {
    match action {
        Action::Check => state.core.stopping.is_none_or(|stopping| !stopping.forced),
        Action::Gate | Action::Dependency | Action::Verify | Action::Dispatch => false,
    }
}

/// Runs and commands that are to be ended, once each.
fn stops(state: &State, head: &Head) -> Vec<Intent> {
    let told = |run: EffectId| {
        head.awaits(|order| matches!(order, Order::StopRole(stop) if stop.run == run && stop.kill))
    };
    let runs = state.core.runs.iter().filter(|run| run.doom.is_some() && !run.ending);
    let all = runs.map(|run| run.by.run).chain(state.core.halting.iter().copied());
    all.filter(|run| !told(*run))
        .map(|run| Order::StopRole(StopRole { run, kill: true }).into())
        .collect()
}

fn act(state: &State, head: &Head, action: Action, left: &mut Budget) -> Vec<Intent> {
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
    match sprint.checks.get(place)? {
        super::state::Check::Command(line) => Some(line),
        super::state::Check::Verifier | super::state::Check::Person => None,
    }
}

fn command(state: &State, line: &CommandLine, purpose: String) -> Intent {
    Order::RunCommand(RunCommand {
        argv: line.argv.clone(),
        // Everything in a plan is said from where it lies.
        directory: state.core.settings.root.clone(),
        purpose,
        timeout_ms: COMMAND_MS,
        output_bytes: OUTPUT_BYTES,
        // Others may commit meanwhile; what matters is that nobody builds.
        expected_head: None,
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
    let mut visit = state.core.visits.get(&role).copied().unwrap_or(0);
    let mut orders = Vec::new();
    for sprint in due.into_iter().take(room) {
        let also = also(sprint);
        let all = [Some(Counter::RoleRuns), also];
        if all.into_iter().flatten().any(|counter| left.spend(counter).is_err()) {
            break;
        }
        visit += 1;
        orders.push(Intent { order: Order::SpawnRole(spawn(state, sprint, role, visit)), also });
    }
    orders
}

fn spawn(state: &State, sprint: &super::state::Sprint, role: Role, visit: u64) -> SpawnRole {
    let settings = state.core.settings.roles.get(&role);
    let correction = sprint.correction.as_ref().filter(|one| one.role == role);
    let mut limits = settings.and_then(|settings| settings.limits).unwrap_or_default();
    limits.max_turns = state.core.settings.max_turns;
    let tier = match role {
        Role::Agent => sprint.choice.as_ref().map_or(Tier::Standard, |choice| choice.tier),
        Role::Verifier => settings.and_then(|settings| settings.tier).unwrap_or(Tier::Standard),
    };
    let continues = sprint.continues.filter(|_| role == Role::Agent);
    SpawnRole {
        role: role.name().to_owned(),
        item: Some(sprint.id.clone()),
        visit,
        prompt: prompt::prompt(state, sprint, role),
        report_schema: role.schema().to_owned(),
        tier,
        access: role.access(),
        limits,
        corrects: correction.map(|correction| correction.of).or(continues),
    }
}

/// A look at the repository, and at the plan.
fn look(state: &State) -> Intent {
    let since = state.core.seen.as_ref().map(|seen| seen.head_word().to_owned());
    let plan = state.core.settings.plan.iter();
    let known =
        plan.map(|plan| PathDigest { path: plan.path.clone(), digest: plan.digest.clone() });
    let known = known.chain(grounds::wanted(state)).collect();
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
fn reading(state: &State, head: &Head, left: &mut Budget) -> Option<Intent> {
    let (_, paths) = due::unread(state)?;
    if head.awaits(State::is_awaited) || left.spend(Counter::Observations).is_err() {
        return None;
    }
    Some(Order::Observe(Observe::Documents { paths, tracked: false }).into())
}

/// Sprints that wait for something outside and are to be looked at again some time later.
pub(super) fn waits(state: &State) -> impl Iterator<Item = String> + '_ {
    let asked = |id: &str| {
        state.core.asking.iter().any(|topic| match topic {
            Topic::StillWaiting { sprint, .. } | Topic::Confirm { sprint, .. } => sprint == id,
            Topic::EffectFailed { .. }
            | Topic::Trust
            | Topic::Vague { .. }
            | Topic::GateFailed { .. }
            | Topic::PlanChanged { .. }
            | Topic::Uncommitted { .. }
            | Topic::HeadMoved { .. }
            | Topic::EndWithDeferred => false,
        })
    };
    let due = state.sprints.live().filter(move |sprint| {
        let open = matches!(sprint.status, SprintStatus::Running | SprintStatus::Partial);
        open && sprint.waiting.is_some() && sprint.checking.is_none() && !asked(&sprint.id)
    });
    due.map(|sprint| sprint.id.clone())
}

/// The timers that look after what runs and what is waited for.
fn timers(state: &State, head: &Head, left: &mut Budget) -> Vec<Intent> {
    let settings = &state.core.settings;
    let mut wanted: Vec<(String, u64)> = Vec::new();
    if state.core.runs.iter().any(|run| run.doom.is_none()) {
        wanted.push((POLL.to_owned(), settings.poll_interval_ms));
        let writes = state.core.runs.iter().any(|run| run.role == Role::Agent);
        if settings.watchdog_interval_ms > 0 && writes {
            wanted.push((WATCH.to_owned(), settings.watchdog_interval_ms));
        }
    }
    // A stop has its own count, over runs and commands alike.
    let lives = state.core.runs.iter().any(|run| run.doom.is_none())
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

fn question(state: &State, head: &Head) -> Option<Intent> {
    let may = !standing::asked(head) && head.budget.left(Counter::Questions) > 0;
    let going = head.control == Control::Running;
    let topic = state.core.asking.first().filter(|_| may && going)?;
    Some(Order::AskUser(ask::question(state, topic)).into())
}

/// Whether and why the mission goes on.
pub(super) fn continuation(state: &State, head: &Head) -> Continuation {
    if state.core.done.is_some()
        && !head.awaits(State::is_awaited)
        && state.core.files.needs().is_none()
    {
        return Continuation::Done;
    }
    if !matches!(head.control, Control::Running) {
        return Continuation::Paused;
    }
    if under_way(head) {
        return Continuation::Continue;
    }
    match standing::asked(head) {
        true => Continuation::AwaitUserInput,
        false => Continuation::Blocked,
    }
}

/// The role whose turn it is, if it is any role's.
pub(super) fn next_role(state: &State, head: &Head) -> Option<Role> {
    if before_rules(state, head).is_some() {
        return None;
    }
    match table::first(&RULES, state, head)?.action {
        Action::Verify => Some(Role::Verifier),
        Action::Dispatch => Some(Role::Agent),
        Action::Gate | Action::Check | Action::Dependency => None,
    }
}

/// What comes before any rule, in words.
fn before_rules(state: &State, head: &Head) -> Option<String> {
    picture::before_rules(state, &state.core.files, head, guard(state, head))
}

/// What is to be done next, in words.
pub(super) fn next_action(state: &State, head: &Head) -> String {
    if state.core.done.is_some() {
        return "Nothing; the mission is done".to_owned();
    }
    if let Some(words) = before_rules(state, head) {
        return words;
    }
    let first = |ids: Vec<String>| ids.join(", ");
    match table::first(&RULES, state, head).map(|rule| rule.action) {
        Some(Action::Gate) => "Build everything together, while nobody is at work".to_owned(),
        Some(Action::Check) => match due::next_check(state) {
            Some((id, criterion)) => format!("Show {criterion} of {id} by its command"),
            None => "Show a criterion by its command".to_owned(),
        },
        Some(Action::Dependency) => "Verify what must hold before a start".to_owned(),
        Some(Action::Verify) => {
            let due = due::verifiers(state, head).map(|one| one.id.clone());
            format!("Judge what no command shows of {}", first(due.collect()))
        }
        Some(Action::Dispatch) => {
            let due = due::dispatches(state, head).map(|one| one.id.clone());
            format!("Dispatch {}", first(due.collect()))
        }
        None if !state.core.runs.is_empty() => "polling active agents".to_owned(),
        None if state.units.count(UnitStatus::Blocked.as_str()) > 0 => {
            "a blocked work unit waits for the user".to_owned()
        }
        None if !state.core.asking.is_empty() => "Ask the user".to_owned(),
        None if under_way(head) => "Wait for what is under way".to_owned(),
        None => "Come to the end".to_owned(),
    }
}
