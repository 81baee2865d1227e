//! What a run is asked to be: model tier, access, limits.

use crate::vocab::json::{Readable, Serialize};
use schemars::JsonSchema;

/// How strong a model a run wants. The host maps tiers to models.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Readable, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Tier {
    /// Cheap and fast.
    Small,
    /// The usual.
    Standard,
    /// The strongest to be had.
    Large,
}

/// What a run may do to the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Access {
    /// May change and commit files.
    Write,
    /// Leaves the tree as it was; checked by observation afterwards.
    ReadOnly,
}

/// Limits that the host enforces on one run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// The most turns the agent may take.
    pub max_turns: u32,
    /// Wall time in milliseconds, after which the whole process group is ended.
    pub timeout_ms: u64,
    /// Bytes of output, after which the whole process group is ended.
    pub output_bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { max_turns: 50, timeout_ms: 3_600_000, output_bytes: 16_777_216 }
    }
}

/// What a run used, as far as it said so.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Usage {
    /// Turns taken.
    pub turns: u32,
    /// Wall time in milliseconds.
    pub duration_ms: u64,
    /// Tokens in and out.
    pub tokens: u64,
    /// Cost in millionths of the currency unit.
    pub cost_micros: u64,
    /// The run ended because it had used up its turns.
    pub turns_exhausted: bool,
    /// The run ended because it had used up its context.
    pub context_exhausted: bool,
}

/// The session of every run that an agent of the user plays itself: none of them could ever verify
/// another.
pub const HOSTED_SESSION: &str = "hosted";
