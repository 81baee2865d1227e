//! Why the next step is what it is: as data, computed on request, never per event.

use crate::vocab::json::{Readable, Serialize};
use crate::vocab::time::Millis;
use schemars::JsonSchema;

/// The explanation of a snapshot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
pub struct Why {
    /// The rule or guard that decides.
    pub chosen: Choice,
    /// The facts that make it so.
    pub because: Vec<FactSeen>,
    /// Every other rule, with the first fact against it, in table order.
    pub others: Vec<Other>,
    /// When nothing moves by itself: what would set it free.
    pub unblock: Option<Unblock>,
    /// Effects that are waited for.
    pub waiting_for: Vec<String>,
    /// Sequence number of the last event.
    pub seq: u64,
    /// Time of the last event.
    pub at: Millis,
}

/// A rule or a guard.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
pub struct Choice {
    /// Its name.
    pub name: String,
    /// Its number in the protocol's table; `None` for a guard.
    pub rule: Option<u32>,
    /// What it does, in words.
    pub action: String,
}

/// A fact with the event that set it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
pub struct FactSeen {
    /// Its name.
    pub fact: String,
    /// Whether it holds.
    pub value: bool,
    /// The event since which it has this value.
    pub since: u64,
    /// What is behind it, in words.
    pub detail: String,
}

/// A rule that was not chosen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
pub struct Other {
    /// Its number.
    pub rule: u32,
    /// Its name.
    pub name: String,
    /// The first fact against it; `None` if it would apply but an earlier rule comes first.
    pub against: Option<FactSeen>,
}

/// The nearest way on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
pub struct Unblock {
    /// The continuing rule with the fewest failed facts.
    pub rule: String,
    /// The facts it lacks.
    pub lacks: Vec<FactSeen>,
    /// What a person can do.
    pub hint: String,
}
