//! The dispatch table, as a table, and the guards before it.
//!
//! Units run in parallel, so a rule that applies does not keep the rules after it from
//! acting: all that apply act, in the order of the table, and the first one names the decision. The
//! facts keep apart what must not run at once: two commands, a writer and a verifier,
//! a gate and any run.

use super::due;
use super::facts::FactName;
use super::orders::{WAIT, act, look, question, reading, stops, timers, waits};
use super::role::Role;
use super::state::{State, Topic, UnitStatus};
use crate::mission::Intent;
use crate::mission::ask::budget;
use crate::mission::guard::Guard;
use crate::mission::picture;
use crate::mission::standing::{self, Stands, ask_once};
use crate::mission::table;
use crate::mission::{Continuation, Control, Head};
use crate::vocab::budget::Counter;
use crate::vocab::effect::Order;

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

/// What a run spends in addition to itself.
pub(super) fn also(sprint: &super::state::Sprint) -> Option<Counter> {
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
