//! Budgets: every emitted effect spends from a counter, so the worst case is known before the start.
//!
//! A spent counter is a question to the user, who may grant more like any other command. All
//! defaults are in [`Budget::default`].

use super::error::{Code, Error, Result};
use super::on_write::OnWrite;
use crate::vocab::json::{Readable, Serialize};
use crate::vocab::table::map_of;
use schemars::JsonSchema;
use std::collections::BTreeMap;

/// What can be spent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Readable, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Counter {
    /// Role processes, corrections included.
    RoleRuns,
    /// Runs whose task is to ground the plan anew.
    Regrounds,
    /// Items opened again after they had been claimed or closed.
    Reopens,
    /// Reports that were answered with their fault.
    MalformedReports,
    /// Looks at the repository or at documents.
    Observations,
    /// Commands and commits of the engine itself.
    Commands,
    /// Calls of host code.
    Consults,
    /// Timers and polls.
    Timers,
    /// Questions to the user.
    Questions,
    /// Writes of canonical files, appends and notices.
    Writes,
    /// Tokens, as far as runs report them.
    Tokens,
    /// Cost in millionths of the currency unit, as far as runs report it.
    CostMicros,
}

impl Counter {
    /// Every counter, in the order of the table.
    pub const ALL: [Counter; 12] = [
        Counter::RoleRuns,
        Counter::Regrounds,
        Counter::Reopens,
        Counter::MalformedReports,
        Counter::Observations,
        Counter::Commands,
        Counter::Consults,
        Counter::Timers,
        Counter::Questions,
        Counter::Writes,
        Counter::Tokens,
        Counter::CostMicros,
    ];

    /// The word used in JSON and on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Counter::RoleRuns => "role_runs",
            Counter::Regrounds => "regrounds",
            Counter::Reopens => "reopens",
            Counter::MalformedReports => "malformed_reports",
            Counter::Observations => "observations",
            Counter::Commands => "commands",
            Counter::Consults => "consults",
            Counter::Timers => "timers",
            Counter::Questions => "questions",
            Counter::Writes => "writes",
            Counter::Tokens => "tokens",
            Counter::CostMicros => "cost_micros",
        }
    }

    /// What one more unit buys, for the question that asks for it.
    pub fn buys(self) -> &'static str {
        match self {
            Counter::RoleRuns => "one more run of a role",
            Counter::Regrounds => "one more re-ground of the plan",
            Counter::Reopens => "one more reopening of an item",
            Counter::MalformedReports => "one more correction of an unreadable report",
            Counter::Observations => "one more look at the repository",
            Counter::Commands => "one more command",
            Counter::Consults => "one more call of host code",
            Counter::Timers => "one more timer",
            Counter::Questions => "one more question",
            Counter::Writes => "one more write of a canonical file",
            Counter::Tokens => "one more token",
            Counter::CostMicros => "one more millionth of cost",
        }
    }
}

/// Limit and use of one counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Account {
    /// The most that may be spent.
    pub limit: u64,
    /// What has been spent.
    pub spent: u64,
}

/// All counters of a mission. Absent counters of a config keep their default limit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
pub struct Budget(OnWrite<BTreeMap<Counter, Account>>);

/// The limits a mission starts with unless its config says otherwise.
pub const DEFAULT_LIMITS: [(Counter, u64); 12] = [
    (Counter::RoleRuns, 400),
    (Counter::Regrounds, 120),
    (Counter::Reopens, 60),
    (Counter::MalformedReports, 60),
    (Counter::Observations, 2_000),
    (Counter::Commands, 400),
    (Counter::Consults, 400),
    (Counter::Timers, 2_000),
    (Counter::Questions, 100),
    (Counter::Writes, 10_000),
    (Counter::Tokens, 200_000_000),
    (Counter::CostMicros, 1_000_000_000),
];

/// The most a counter may ever be raised to: the largest integer that every JSON reader keeps.
pub const MOST: u64 = 9_007_199_254_740_991;

impl Default for Budget {
    fn default() -> Self {
        Budget::with_limits(&BTreeMap::new())
    }
}

impl Budget {
    /// The default limits, with those of `limits` in their place.
    pub fn with_limits(limits: &BTreeMap<Counter, u64>) -> Self {
        let account = |(counter, default): &(Counter, u64)| {
            let limit = limits.get(counter).copied().unwrap_or(*default).min(MOST);
            (*counter, Account { limit, spent: 0 })
        };
        Budget(map_of(DEFAULT_LIMITS.iter().map(account)).into())
    }

    /// Limit and use of `counter`.
    pub fn account(&self, counter: Counter) -> Account {
        self.0.get(&counter).copied().unwrap_or(Account { limit: 0, spent: 0 })
    }

    /// How much of `counter` is left.
    pub fn left(&self, counter: Counter) -> u64 {
        let account = self.account(counter);
        account.limit.saturating_sub(account.spent)
    }

    /// Takes one unit.
    ///
    /// # Errors
    /// [`Code::BudgetSpent`] if nothing is left; nothing changes then.
    pub fn spend(&mut self, counter: Counter) -> Result<()> {
        if self.left(counter) == 0 {
            let spent = self.account(counter).spent;
            return Err(Error::new(
                Code::BudgetSpent,
                counter.as_str(),
                "a unit left",
                format!("{spent} spent"),
            ));
        }
        self.charge(counter, 1);
        Ok(())
    }

    /// Records use that has already happened (tokens, cost), whatever the limit.
    pub fn charge(&mut self, counter: Counter, amount: u64) {
        if let Some(account) = self.0.get_mut(&counter) {
            account.spent = account.spent.saturating_add(amount).min(MOST);
        }
    }

    /// Gives back one unit of an effect that was withdrawn before it was started.
    pub fn refund(&mut self, counter: Counter) {
        if let Some(account) = self.0.get_mut(&counter) {
            account.spent = account.spent.saturating_sub(1);
        }
    }

    /// Raises the limit of `counter`.
    ///
    /// # Errors
    /// [`Code::InvalidGrant`] if `amount` is zero or the limit would leave the safe range.
    pub fn grant(&mut self, counter: Counter, amount: u64) -> Result<()> {
        let limit = self.account(counter).limit;
        match limit.checked_add(amount) {
            Some(raised) if amount > 0 && raised <= MOST => {
                let spent = self.account(counter).spent;
                self.0.insert(counter, Account { limit: raised, spent });
                Ok(())
            }
            _ => Err(Error::new(
                Code::InvalidGrant,
                counter.as_str(),
                match MOST - limit {
                    0 => "no more: it is the most there can be".to_owned(),
                    room => format!("an amount from 1 to {room}"),
                },
                amount.to_string(),
            )),
        }
    }

    /// Every counter with its account, in order.
    pub fn iter(&self) -> impl Iterator<Item = (Counter, Account)> + '_ {
        self.0.iter().map(|(counter, account)| (*counter, *account))
    }
}
