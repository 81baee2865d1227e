//! What the user can say at any time.

use super::budget::Counter;
use super::shown::ShownBy;
use crate::vocab::json::{Readable, Serialize};
use schemars::JsonSchema;

/// A command of the user. Commands withdraw effects that have not been started.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(tag = "command", rename_all = "snake_case", deny_unknown_fields)]
pub enum Command {
    /// Begin to dispatch roles.
    Start,
    /// Dispatch nothing until resumed; what runs goes on.
    Pause,
    /// Go on after a pause, a stop or a block.
    Resume,
    /// Come to rest.
    Stop {
        /// How.
        mode: StopMode,
    },
    /// End everything that runs, at once.
    Kill,
    /// Let an item go: it counts as waived and satisfies its dependants.
    Skip {
        /// The item.
        item: String,
        /// Why.
        reason: String,
    },
    /// Put an item off: it does not satisfy its dependants.
    Defer {
        /// The item.
        item: String,
        /// Why.
        reason: String,
    },
    /// Open a closed item again.
    Reopen {
        /// The item.
        item: String,
        /// Why; goes to the next implementer as a finding that must be fixed.
        reason: String,
    },
    /// Change the plan.
    Amend {
        /// The changes, all or none.
        changes: Vec<PlanChange>,
    },
    /// Raise a limit.
    Grant {
        /// Which.
        counter: Counter,
        /// By how much.
        amount: u64,
    },
    /// What is enough for the end to count as shown, from now on.
    Accept {
        /// What.
        what: Accept,
    },
    /// Verify nothing for the rest of the mission; criteria stay not shown and count as waived.
    SkipVerification {
        /// Why.
        reason: String,
    },
}

/// What is enough for the end to count as shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "ProofAccept")]
pub enum Accept {
    /// Only what the engine observed.
    #[default]
    Observed,
    /// What another run judged, too.
    Judged,
    /// Where only words show a criterion, what the user says when they are asked before the work; until then as `observed`.
    Ask,
}

/// How to come to rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StopMode {
    /// Dispatch nothing new; live runs end by themselves and count.
    Drain,
    /// Dispatch nothing new and ask live runs to wind up.
    Wait,
    /// End live runs.
    Kill,
}

/// One change of the plan by the user or by a hand edit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(tag = "change", rename_all = "snake_case", deny_unknown_fields)]
pub enum PlanChange {
    /// A new item at the end of the plan.
    AddItem {
        /// The item.
        item: NewItem,
    },
    /// One more criterion for an item that is not closed.
    AddCriterion {
        /// The item.
        item: String,
        /// The author's text.
        text: String,
        /// How it is shown; without a word, by a judgement. A protocol that runs no commands has all of it judged.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        shown_by: Option<ShownBy>,
    },
    /// Let one criterion go.
    WaiveCriterion {
        /// The item.
        item: String,
        /// The criterion.
        criterion: String,
        /// Why.
        reason: String,
    },
    /// Another rank for an item.
    SetPriority {
        /// The item.
        item: String,
        /// 1 (first) to 8 (last).
        priority: u8,
    },
    /// Another order; must name every item once.
    Reorder {
        /// All ids in their new order.
        order: Vec<String>,
    },
}

/// An item as its author writes it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NewItem {
    /// Unique id.
    pub id: String,
    /// What it is for, in a sentence.
    pub goal: String,
    /// At least one condition that defines done.
    pub acceptance_criteria: Vec<String>,
    /// How each of them is shown, in the same order; those that it does not reach, by a judgement.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shown_by: Vec<ShownBy>,
    /// Ids of the contract it serves.
    #[serde(default)]
    pub contract_ids: Vec<String>,
    /// 1 (first) to 8 (last).
    pub priority: u8,
    /// Why it matters now.
    pub why_now: String,
    /// Ids of items that must be closed first, or reasons in words.
    #[serde(default)]
    pub blocked_on: Vec<String>,
}
