//! The dispatch table, as a table. Guards come before it; the first rule that applies wins. `decide`
//! reads nothing but the snapshot.

use super::ask;
use super::facts::FactName;
use super::handler::{Ask, Handler};
use super::prompt;
use super::report::REPORT;
use super::role;
use super::state::{State, Topic};
use crate::mission::Intent;
use crate::mission::guard::Guard;
use crate::mission::standing::{self, ask_once};
use crate::mission::table::{self, Rule};
use crate::mission::{Continuation, Head};
use crate::vocab::budget::Counter;
use crate::vocab::effect::{Consult, Observe, Order, RunCommand, SpawnRole};

/// What a rule does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    /// Ask the world what the handler needs to know.
    Judge,
    /// Send the agent.
    Send,
    /// Ask the user for more iterations.
    AskForMore,
}

use FactName::{BelowCeiling, JudgementDue, RunMade};

/// The four rules.
pub(super) const RULES: [Rule<FactName, Action>; 4] = [
    Rule {
        number: 1,
        name: "ask_the_handler",
        when: &[(JudgementDue, true)],
        action: Action::Judge,
    },
    Rule {
        number: 2,
        name: "prompt_initially",
        when: &[(JudgementDue, false), (RunMade, false)],
        action: Action::Send,
    },
    Rule {
        number: 3,
        name: "prompt_again",
        when: &[(JudgementDue, false), (RunMade, true), (BelowCeiling, true)],
        action: Action::Send,
    },
    Rule {
        number: 4,
        name: "ask_for_more_iterations",
        when: &[(JudgementDue, false), (BelowCeiling, false)],
        action: Action::AskForMore,
    },
];

/// How long a command of a handler may take, and how much of its output is kept.
const COMMAND_MS: u64 = 3_600_000;
const COMMAND_BYTES: u64 = 16_384;

/// The first rule that applies. There always is one: a ceiling is at least 1.
pub(super) fn rule(state: &State, head: &Head) -> &'static Rule<FactName, Action> {
    table::first(&RULES, state, head).unwrap_or(&RULES[3])
}

/// The guard that holds, if any, for a step that spends from `needs`.
pub(super) fn guard(state: &State, head: &Head, needs: &[Counter]) -> Option<Guard> {
    if head.live_runs().next().is_some() || state.core.run.is_some() {
        return Some(Guard::RunLive);
    }
    standing::busy::<_, FactName>(state, head)
        .or_else(|| standing::holds_back::<_, FactName>(state, head))
        .or_else(|| standing::unseen::<_, FactName>(state, head))
        .or_else(|| standing::spent(head, needs.iter().copied()))
}

/// The counters that what is due on disk, and then the rule's step, spend from.
pub(super) fn needs(state: &State, rule: &Rule<FactName, Action>) -> Vec<Counter> {
    let mut needs: Vec<Counter> = state.core.files.needs().into_iter().collect();
    match rule.action {
        Action::Send => needs.extend([Counter::RoleRuns, Counter::Tokens, Counter::CostMicros]),
        Action::AskForMore => needs.push(Counter::Questions),
        Action::Judge => needs.push(match asked(state).and_then(Handler::asks) {
            Some(Ask::Consult(_)) => Counter::Consults,
            Some(Ask::Command(_)) | None => Counter::Commands,
        }),
    }
    needs
}

/// The move `decide`: the name of what decided, and the orders.
pub(super) fn decide(state: &State, head: &Head) -> (&'static str, Vec<Intent>) {
    if let Some(orders) = file_work(state, head) {
        return ("write_files", orders);
    }
    let rule = rule(state, head);
    match guard(state, head, &needs(state, rule)) {
        None => (rule.name, act(state, head, rule)),
        Some(guard) => {
            let question = || question(state, head);
            (guard.name(), standing::instead(guard, head, || vec![look(head)], question))
        }
    }
}

/// A look at the head alone: what the agent leaves in the tree is its own.
fn look(head: &Head) -> Intent {
    let since = head.followed.head.clone();
    let (known, within, without) = (Vec::new(), Vec::new(), Vec::new());
    Order::Observe(Observe::Repository { since, basis: None, known, within, without }).into()
}

/// What must be on disk before anything else is decided, whatever the user has said. What the user is
/// asked about is not retried meanwhile.
fn file_work(state: &State, head: &Head) -> Option<Vec<Intent>> {
    let stuck = matches!(state.core.asking, Some(Topic::EffectFailed { .. }));
    if stuck || state.core.files_halted {
        return None;
    }
    let orders = state.core.files.orders(head);
    (!orders.is_empty()).then_some(orders)
}

fn act(state: &State, head: &Head, rule: &Rule<FactName, Action>) -> Vec<Intent> {
    match rule.action {
        Action::Judge => ask_the_world(state).into_iter().collect(),
        Action::Send => spawn(state).into_iter().collect(),
        Action::AskForMore => ask_user(head, ask::ceiling(&state.core)),
    }
}

/// The condition that must be answered next.
fn asked(state: &State) -> Option<&Handler> {
    let place = state.core.next_condition()?;
    state.core.handler().leaves().get(place).copied()
}

fn ask_the_world(state: &State) -> Option<Intent> {
    let input = state.core.judging.as_ref().and_then(|judging| judging.input.clone());
    let order = match asked(state)?.asks()? {
        Ask::Command(argv) => Order::RunCommand(RunCommand {
            argv,
            directory: String::new(),
            purpose: "completion".to_owned(),
            timeout_ms: COMMAND_MS,
            output_bytes: COMMAND_BYTES,
            expected_head: None,
        }),
        Ask::Consult(handler) => Order::Consult(Consult {
            handler: handler.to_owned(),
            input: input.map(|input| input.as_ref().clone()).unwrap_or_default(),
        }),
    };
    Some(order.into())
}

/// The next run. Templates were looked at before the start, so there always is a prompt.
fn spawn(state: &State) -> Option<Intent> {
    let core = &state.core;
    let settings = &core.settings;
    let order = Order::SpawnRole(SpawnRole {
        role: role::AGENT.to_owned(),
        item: Some(settings.definition.name.clone()),
        visit: core.iteration + 1,
        prompt: prompt::prompt(core).ok()?,
        report_schema: REPORT.to_owned(),
        tier: settings.role.tier.unwrap_or(role::TIER),
        access: role::ACCESS,
        limits: settings.role.limits.unwrap_or_default(),
        corrects: None,
    });
    Some(order.into())
}

fn question(state: &State, head: &Head) -> Vec<Intent> {
    ask_once(head, state.core.asking.as_ref().map(|topic| || ask::question(&state.core, topic)))
}

fn ask_user(head: &Head, question: crate::vocab::question::Question) -> Vec<Intent> {
    let left = head.budget.left(Counter::Questions) > 0;
    left.then(|| Order::AskUser(question).into()).into_iter().collect()
}

/// Whether and why the mission goes on.
pub(super) fn continuation(state: &State, head: &Head) -> Continuation {
    let would_ask = || standing::asks(guard(state, head, &needs(state, rule(state, head))));
    standing::continuation(state, head, would_ask)
}

/// What is to be done next, in words.
pub(super) fn next_action(state: &State, head: &Head) -> Option<String> {
    let core = &state.core;
    let words = match rule(state, head).action {
        Action::Judge => "Find out whether the agent is done".to_owned(),
        Action::Send => format!("Send the agent: iteration {}", core.iteration + 1),
        Action::AskForMore => "Ask the user for more iterations".to_owned(),
    };
    core.done.is_none().then_some(words)
}
