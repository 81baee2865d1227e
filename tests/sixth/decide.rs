//! The facts, and the dispatch table made of them.

use super::State;
use super::role::{PROPOSER, VOTERS};
use crate::mission::dispatch::Dispatch;
use crate::mission::role::Cast;
use crate::mission::{Head, Intent, standing, table};
use crate::vocab::budget::Counter;
use crate::vocab::effect::Order;

table::facts! {
    #[schemars(rename = "VoteFactName")]
    State;

    /// There is a proposal to vote on.
    Proposed "proposed":
        |state: &State, _| state.core.proposal.is_some(),
        |state, _| state.core.proposal.clone().unwrap_or_else(|| "nothing is proposed".to_owned());
}

pub(crate) type Rule = table::Rule<FactName, &'static [Cast]>;

static RULES: [Rule; 2] = [
    Rule { number: 1, name: "propose", when: &[(FactName::Proposed, false)], action: &[PROPOSER] },
    Rule { number: 2, name: "vote", when: &[(FactName::Proposed, true)], action: &VOTERS },
];

impl Dispatch for State {
    type Fact = FactName;
    type Action = &'static [Cast];
    const RULES: &'static [Rule] = &RULES;

    fn needs(&self, _: &Head, _: &Rule) -> Vec<Counter> {
        vec![Counter::RoleRuns]
    }

    fn act(&self, head: &Head, rule: &Rule) -> Vec<Intent> {
        let due = rule.action.iter().filter(|cast| !self.core.votes.contains_key(cast.name));
        let order = |cast| self.core.life.spawn(cast, (None, cast.name), None, self.prompt(cast));
        let left = usize::try_from(head.budget.left(Counter::RoleRuns)).unwrap_or(usize::MAX);
        due.take(left).map(|cast| Order::SpawnRole(order(cast)).into()).collect()
    }

    fn next_action(&self, _: &Head) -> String {
        if self.core.proposal.is_some() { "Vote" } else { "Propose" }.to_owned()
    }
}

impl standing::Stands for State {
    const PROTOCOL: &'static str = "sixth";

    fn missing(&self) -> String {
        "nothing is accepted".to_owned()
    }
}
