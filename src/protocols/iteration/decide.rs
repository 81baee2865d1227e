//! The dispatch table, as a table. Guards come before it; the first rule that applies wins. `decide`
//! reads nothing but the snapshot.

use super::apply::STEP;
use super::ask;
use super::facts::FactName;
use super::handler::{Ask, Handler};
use super::prompt;
use super::role;
use super::state::State;
use crate::mission::dispatch::Dispatch;
use crate::mission::table::rules;
use crate::mission::{Head, Intent};
use crate::vocab::budget::Counter;
use crate::vocab::effect::{Consult, Observe, Order, RunCommand, SpawnRole};

/// What a rule does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    /// Ask the world what the handler needs to know.
    Judge,
    /// Send the agent.
    Send,
    /// Ask the user for more iterations.
    AskForMore,
}

rules! {
    /// The four rules.
    Action;
    1 "ask_the_handler" [JudgementDue: true] => Action::Judge;
    2 "prompt_initially" [JudgementDue: false, RunMade: false] => Action::Send;
    3 "prompt_again" [JudgementDue: false, RunMade: true, BelowCeiling: true] => Action::Send;
    4 "ask_for_more_iterations" [JudgementDue: false, BelowCeiling: false] => Action::AskForMore;
}

/// How long a command of a handler may take, and how much of its output is kept.
const COMMAND_MS: u64 = 3_600_000;
const COMMAND_BYTES: u64 = 16_384;

impl Dispatch for State {
    type Fact = FactName;
    type Action = Action;
    const RULES: &'static [Rule] = &RULES;

    /// A look at the head alone: what the agent leaves in the tree is its own.
    fn look(&self, head: &Head) -> Intent {
        let since = head.followed.head.clone();
        let (known, within, without) = (Vec::new(), Vec::new(), Vec::new());
        Order::Observe(Observe::Repository { since, basis: None, known, within, without }).into()
    }

    fn needs(&self, _: &Head, rule: &Rule) -> Vec<Counter> {
        match rule.action {
            Action::Send => vec![Counter::RoleRuns, Counter::Tokens, Counter::CostMicros],
            Action::AskForMore => vec![Counter::Questions],
            Action::Judge => vec![match asked(self).and_then(Handler::asks) {
                Some(Ask::Consult(_)) => Counter::Consults,
                Some(Ask::Command(_)) | None => Counter::Commands,
            }],
        }
    }

    fn act(&self, head: &Head, rule: &Rule) -> Vec<Intent> {
        match rule.action {
            Action::Judge => ask_the_world(self).into_iter().collect(),
            Action::Send => spawn(self).into_iter().collect(),
            Action::AskForMore => ask_user(head, ask::ceiling(&self.core)),
        }
    }

    fn next_action(&self, head: &Head) -> String {
        let core = &self.core;
        match self.rule(head).map(|rule| rule.action).filter(|_| core.done.is_none()) {
            Some(Action::Judge) => "Find out whether the agent is done".to_owned(),
            Some(Action::Send) => format!("Send the agent: iteration {}", core.iteration + 1),
            Some(Action::AskForMore) => "Ask the user for more iterations".to_owned(),
            None => String::new(),
        }
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
            room: None,
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
    let (settings, prompt) = (&core.settings, prompt::prompt(core).ok()?);
    let (item, visit) = (&settings.definition.name, core.iteration + 1);
    let order = core.life.spawn(&role::CAST, (Some(item), STEP), Some(&settings.role), prompt);
    Some(Order::SpawnRole(SpawnRole { visit, ..order }).into())
}

fn ask_user(head: &Head, question: crate::vocab::question::Question) -> Vec<Intent> {
    let left = head.budget.left(Counter::Questions) > 0;
    left.then(|| Order::AskUser(question).into()).into_iter().collect()
}
