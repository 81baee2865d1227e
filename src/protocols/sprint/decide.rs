//! The dispatch table, as a table, and the guards before it.
//!
//! Units run in parallel, so a rule that applies does not keep the rules after it from
//! acting: all that apply act, in the order of the table, and the first one names the decision. The
//! facts keep apart what must not run at once: two commands, a writer and a verifier,
//! a gate and any run.

use super::due;
use super::facts::FactName;
use super::orders::{WAIT, act, look, reading, timers, waits};
use super::role::Role;
use super::state::{Sprint, State, UnitStatus};
use crate::mission::Intent;
use crate::mission::dispatch::{self, Dispatch};
use crate::mission::guard::Guard;
use crate::mission::life::{Life, with_citations};
use crate::mission::picture;
use crate::mission::standing::{self, Stands};
use crate::mission::table::{self, rules};
use crate::mission::{Continuation, Control, Head};
use crate::vocab::budget::Counter;
use crate::vocab::effect::Order;

/// What a rule does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
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

rules! {
    /// The five rules.
    Action;
    1 "run_gate" [GateDue: true, NoCommandRuns: true] => Action::Gate;
    2 "check_criterion" [GateDue: false, CheckDue: true, NoCommandRuns: true] => Action::Check;
    3 "verify_dependency" [GateDue: false, CheckDue: false, DependencyDue: true, NoCommandRuns: true]
        => Action::Dependency;
    4 "send_verifiers" [VerifierDue: true] => Action::Verify;
    5 "dispatch_sprints" [VerifierDue: false, DispatchDue: true] => Action::Dispatch;
}

impl Dispatch for State {
    type Fact = FactName;
    type Action = Action;
    const RULES: &'static [Rule] = &RULES;

    /// Runs and commands that are to be ended.
    fn urgent(&self, head: &Head) -> Option<(&'static str, Vec<Intent>)> {
        let runs = self.core.life.runs.iter().filter(|run| self.doomed(run) && !run.ending);
        let all = runs.map(|run| run.by.run).chain(self.core.halting.iter().copied());
        let stops = Life::end_all(head, all);
        (!stops.is_empty()).then_some(("end_runs", stops))
    }

    fn look(&self, _: &Head) -> Intent {
        look(self)
    }

    fn needs(&self, head: &Head, rule: &Rule) -> Vec<Counter> {
        let (role, first) = match rule.action {
            Action::Gate | Action::Check | Action::Dependency => return vec![Counter::Commands],
            _ if winding_up(self, head) => return Vec::new(),
            Action::Verify => (Role::Verifier, due::verifiers(self, head).next()),
            Action::Dispatch => (Role::Agent, due::dispatches(self, head).next()),
        };
        let mut needs = vec![Counter::RoleRuns];
        needs.extend(first.and_then(|sprint| also(self, sprint, role)));
        needs.extend([Counter::Tokens, Counter::CostMicros]);
        needs
    }

    fn act(&self, head: &Head, rule: &Rule) -> Vec<Intent> {
        act(self, head, rule.action, &mut head.budget.clone())
    }

    fn next_action(&self, head: &Head) -> String {
        match picture::before_rules(self, head) {
            _ if self.core.life.done.is_some() => "Nothing; the mission is done".to_owned(),
            Some(words) => words,
            None => in_words(self, head),
        }
    }

    /// The first that applies.
    fn rule(&self, head: &Head) -> Option<&'static Rule> {
        table::first(&RULES, self, head)
    }

    fn guard(&self, head: &Head) -> Option<Guard> {
        let fails = |guard: &Guard| standing::fails::<_, FactName>(*guard, self, head);
        let guards = [Guard::WaitingForAnswer, Guard::Done, Guard::NotStarted, Guard::Blocked];
        if let Some(guard) = guards.into_iter().find(fails) {
            return Some(guard);
        }
        if fails(&Guard::Paused) && !winding_up(self, head) {
            return Some(Guard::Paused);
        }
        if self.core.life.asks_of_failure() {
            return Some(Guard::QuestionOpen);
        }
        let held = standing::unseen::<_, FactName>(self, head)
            .or_else(|| standing::spent(head, spends(self, head)));
        if held.is_some() || self.rule(head).is_some() {
            return held;
        }
        match (under_way(head), fails(&Guard::QuestionOpen)) {
            (true, _) => Some(Guard::RunLive),
            (false, true) => Some(Guard::QuestionOpen),
            (false, false) => Some(Guard::Blocked),
        }
    }

    /// All rules that apply act, and the user is asked meanwhile.
    fn orders(&self, head: &Head, guard: Option<Guard>) -> Vec<Intent> {
        use Guard::{Blocked, Paused, QuestionOpen, RunLive};
        if let Some(guard) = guard
            && !matches!(guard, Blocked | Paused | QuestionOpen | RunLive)
        {
            return standing::instead(
                guard,
                head,
                || vec![with_citations(self, look(self))],
                Vec::new,
            );
        }
        let (mut left, mut orders) = (head.budget.clone(), Vec::new());
        let applies = |rule: &&Rule| guard.is_none() && table::applies(rule, self, head);
        for rule in RULES.iter().filter(applies) {
            if !winding_up(self, head) || ends_what_began(self, rule.action) {
                orders.extend(act(self, head, rule.action, &mut left));
            }
        }
        orders.extend(reading(self, head, &mut left));
        orders.extend(timers(self, head, &mut left));
        let asks = guard.is_none_or(|guard| matches!(guard, QuestionOpen | RunLive));
        if asks && head.control == Control::Running {
            orders.extend(dispatch::question(self, head));
        }
        orders
    }

    /// Whoever is blocked or asked about something goes on with everything else.
    fn goes_on(&self, head: &Head) -> Continuation {
        let rest = !head.awaits(State::is_awaited) && self.core.life.files.needs().is_none();
        match head.control {
            _ if self.core.life.done.is_some() && rest => Continuation::Done,
            Control::Held | Control::Paused | Control::Stopped => Continuation::Paused,
            Control::Running if under_way(head) => Continuation::Continue,
            Control::Running if standing::asked(head) => Continuation::AwaitUserInput,
            Control::Running => Continuation::Blocked,
        }
    }
}

/// A stop lets what ended be checked; nothing is dispatched any more.
fn winding_up(state: &State, head: &Head) -> bool {
    let unjudged = !state.core.life.ended.is_empty();
    head.control == Control::Stopped && (state.core.stopping.is_some() || unjudged)
}

/// The counters that what is due on disk, and then the step of the first rule, spend from.
pub(super) fn spends(state: &State, head: &Head) -> Vec<Counter> {
    let step = match state.rule(head) {
        Some(rule) => state.needs(head, rule),
        None => waits(state).next().map(|_| Counter::Timers).into_iter().collect(),
    };
    state.core.life.files.needs().into_iter().chain(step).collect()
}

/// What a run spends in addition to itself.
pub(super) fn also(state: &State, sprint: &Sprint, role: Role) -> Option<Counter> {
    match (state.core.life.correction(role.as_str(), &sprint.id), sprint.reopened) {
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

/// Whether a stop still lets this happen: what a run left is checked, as long as the stop waits; nothing else begins.
fn ends_what_began(state: &State, action: Action) -> bool {
    match action {
        Action::Check => state.core.stopping.is_none_or(|stopping| !stopping.forced),
        Action::Gate | Action::Dependency | Action::Verify | Action::Dispatch => false,
    }
}

/// The role whose turn it is, if it is any role's.
pub(super) fn next_role(state: &State, head: &Head) -> Option<Role> {
    if picture::before_rules(state, head).is_some() {
        return None;
    }
    match state.rule(head)?.action {
        Action::Verify => Some(Role::Verifier),
        Action::Dispatch => Some(Role::Agent),
        Action::Gate | Action::Check | Action::Dependency => None,
    }
}

/// What the first rule does, or what is waited for, in words.
fn in_words(state: &State, head: &Head) -> String {
    let first = |ids: Vec<String>| ids.join(", ");
    match state.rule(head).map(|rule| rule.action) {
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
        None if !state.core.life.runs.is_empty() => "polling active agents".to_owned(),
        None if state.units.count(UnitStatus::Blocked.as_str()) > 0 => {
            "a blocked work unit waits for the user".to_owned()
        }
        None if !state.core.life.asking.is_empty() => "Ask the user".to_owned(),
        None if under_way(head) => "Wait for what is under way".to_owned(),
        None => "Come to the end".to_owned(),
    }
}
