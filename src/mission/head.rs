//! The envelope: the part of a state that all protocols share.

use super::head_guard::Followed;
use super::proof::Proof;
use super::unreported::Unreported;
use crate::vocab::budget::{Budget, Counter};
pub use crate::vocab::continuation::Continuation;
use crate::vocab::effect::{Order, Outstanding};
use crate::vocab::error::{Code, Error, Result};
use crate::vocab::event::EffectId;
use crate::vocab::json::{Readable, Serialize};
use crate::vocab::on_write::OnWrite;
use crate::vocab::time::Millis;
use crate::vocab::word::words;
use schemars::JsonSchema;
use std::sync::Arc;

/// How many command ids are remembered.
const MOST_COMMAND_IDS: usize = 64;

/// The envelope.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Head {
    /// Number of the last event; 0 right after the start.
    pub seq: u64,
    /// The latest time any event carried.
    pub at: Millis,
    /// Whether roles may be dispatched.
    pub control: Control,
    /// What may be spent and what has been.
    pub budget: Budget,
    /// Effects that have not been answered, in the order they were ordered.
    pub outbox: Vec<Arc<Outstanding>>,
    /// Ids of the last commands, so that each is taken once.
    pub command_ids: OnWrite<Vec<String>>,
    /// The branch and the head that the mission follows.
    #[serde(default, skip_serializing_if = "Followed::is_new")]
    pub followed: OnWrite<Followed>,
    /// Commits that the next run of their item is told of.
    #[serde(default, skip_serializing_if = "Unreported::is_empty")]
    pub unreported: OnWrite<Unreported>,
    /// What the end is to rest on, and what it does.
    #[serde(default, skip_serializing_if = "Proof::is_new")]
    pub proof: OnWrite<Proof>,
    /// Every run so far was confined.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub confined: bool,
}

words! {
    /// Whether roles may be dispatched.
    Control {
        Held "held" "Not before the command to start.";
        Running "running" "Yes.";
        Paused "paused" "Not before the command to resume.";
        Stopped "stopped" "Not before the command to resume; the host winds up.";
    }
}

impl Head {
    /// A new envelope.
    pub(crate) fn new(at: Millis, budget: Budget) -> Self {
        Head {
            seq: 0,
            at,
            control: Control::Held,
            budget,
            outbox: Vec::new(),
            command_ids: OnWrite::default(),
            followed: OnWrite::default(),
            unreported: OnWrite::default(),
            proof: OnWrite::default(),
            confined: true,
        }
    }

    /// The outstanding effect of this id.
    pub fn find(&self, id: EffectId) -> Option<&Arc<Outstanding>> {
        self.outbox.iter().find(|outstanding| outstanding.effect.id == id)
    }

    /// The runs that are alive.
    pub fn live_runs(&self) -> impl Iterator<Item = &Arc<Outstanding>> {
        self.outbox.iter().filter(|outstanding| outstanding.live())
    }

    /// What the roles that are alive work on; nothing for one that works on the whole mission.
    pub(crate) fn live_items(&self) -> impl Iterator<Item = Option<&str>> {
        self.live_runs().filter_map(|one| match &one.effect.order {
            Order::SpawnRole(spawn) => Some(spawn.item.as_deref()),
            _ => None,
        })
    }

    /// Whether an order that fits `wanted` is outstanding.
    pub fn awaits(&self, wanted: impl Fn(&Order) -> bool) -> bool {
        self.outbox.iter().any(|outstanding| wanted(&outstanding.effect.order))
    }

    /// Takes back what has not been started and fits `unwanted`, giving back all it spent.
    pub(crate) fn withdraw(&mut self, unwanted: impl Fn(&Order) -> bool) {
        let mut refunds: Vec<Counter> = Vec::new();
        self.outbox.retain(|outstanding| {
            let order = &outstanding.effect.order;
            let gone = !outstanding.live() && unwanted(order);
            if gone {
                refunds.push(order.counter());
                refunds.extend(outstanding.also);
            }
            !gone
        });
        for counter in refunds {
            self.budget.refund(counter);
        }
    }

    /// Remembers the id of a command.
    ///
    /// # Errors
    /// `duplicate_command` if it was taken before.
    pub(crate) fn take_command(&mut self, id: Option<&str>) -> Result<()> {
        let Some(id) = id else { return Ok(()) };
        if self.command_ids.iter().any(|known| known == id) {
            return Err(Error::new(Code::DuplicateCommand, "id", "a new id", id));
        }
        if self.command_ids.len() == MOST_COMMAND_IDS {
            self.command_ids.remove(0);
        }
        self.command_ids.push(id.to_owned());
        Ok(())
    }
}
