//! What the roles return.

use crate::vocab::json::{Readable, Serialize};
use schemars::JsonSchema;

/// What is proposed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Proposal {
    /// The answer.
    pub proposal: String,
}

/// A vote.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Readable, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Vote {
    /// For it.
    pub accept: bool,
    /// Why.
    pub why: String,
}

/// The schemas of both, by name.
pub fn schemas() -> Vec<(&'static str, schemars::Schema)> {
    vec![
        (super::role::PROPOSER.schema, schemars::schema_for!(Proposal)),
        (super::role::VOTERS[0].schema, schemars::schema_for!(Vote)),
    ]
}
